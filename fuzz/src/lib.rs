//! What is fuzzed, as functions from bytes; `tests/fuzz.rs` runs the same ones over the seeds and past findings.
//!
//! Each panics where a promise is broken, and skips no input.

use memfold::analysis::{analyse, says};
use memfold::extract::drafts;
use memfold::language::{Folded, Reference, cues, fold, personal, time_phrase, tokens, values};
use memfold::llm::{Form, KnownMemory, LinkEnd, MailQuestion, Op, Party, Passage, Question};
use memfold::mail::{Account, HostCharset, Mail, Mailbox, Piece, passages, read};
use memfold::model::{Category, Draft, Id, Ids, Memory, Time, WrittenBy, Zone};
use std::sync::LazyLock;

fn account() -> Account {
    Account {
        owner: vec!["me@home.example".into()],
        important: Vec::new(),
        zone: Some(Zone::from_minutes(540)),
        hosts: Vec::new(),
    }
}

/// What holds of every mail: its parts lie in its text, and its drafts can be stored and show their evidence.
fn holds(mail: &Mail) {
    for range in mail.sections.iter().map(|s| s.start..s.end).chain(mail.suspicious.iter().cloned()) {
        assert!(mail.text.get(range.clone()).is_some(), "{range:?} lies outside of the text");
    }
    for draft in drafts(mail, &account()) {
        draft.validate().expect("a draft that can be stored");
        if let Some(e) = &draft.evidence {
            let words = mail.text.get(e.start as usize..e.end as usize);
            assert_eq!(words, Some(e.text.as_str()), "evidence is literal");
        }
    }
}

/// The bytes of one message.
pub fn mime(data: &[u8]) {
    if let Ok(mail) = read(data, &HostCharset) {
        holds(&mail);
        let again = read(data, &HostCharset).expect("read once, read twice");
        assert_eq!((again.hash, again.message_id), (mail.hash, mail.message_id), "a second delivery is the same mail");
    }
}

/// A mail of one body, under these further fields.
fn mail(fields: &str, body: &[u8]) -> Mail {
    let head = "From: Kim Seo-yeon <a@b.example>\r\nDate: Tue, 14 Jan 2025 09:00:00 +0900\r\n";
    let mut raw = format!("{head}{fields}\r\n\r\n").into_bytes();
    raw.extend_from_slice(body);
    read(&raw, &HostCharset).expect("it has a header")
}

/// The body of a page, in a mail of nothing else.
pub fn html(data: &[u8]) {
    holds(&mail("Subject: x\r\nContent-Type: text/html; charset=utf-8", data));
}

/// The text of an answer and of a forward: what is quoted, by whom it is signed, what goes on in it.
pub fn quotes(data: &[u8]) {
    for fields in ["Subject: Re: x\r\nIn-Reply-To: <1@a.example>", "Subject: Fwd: x"] {
        let mail = mail(&format!("{fields}\r\nContent-Type: text/plain; charset=utf-8"), data);
        holds(&mail);
        let mut end = 0;
        for section in &mail.sections {
            assert!(end <= section.start && section.start < section.end, "sections follow each other");
            end = section.end;
        }
    }
}

/// The text of a mail to one person, and the subject line that is its first line.
pub fn statements(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (subject, body) = text.split_once('\n').unwrap_or(("x", &text));
    let fields =
        format!("To: me@home.example\r\nSubject: {}\r\nContent-Type: text/plain; charset=utf-8", subject.trim());
    let mail = mail(&fields, body.as_bytes());
    holds(&mail);
    assert!(passages(&mail).iter().map(|(_, text)| text.len()).sum::<usize>() <= mail.text.len());
}

/// What the readers of the language find in a text lies in it, in its order, and not one in the other.
pub fn words(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let at = Reference { now: Time::from_millis(1_741_000_000_000), zone: Zone::from_minutes(540) };
    let ordered = |spans: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut last = 0;
        for (start, end) in spans {
            assert!(text.get(start..end).is_some_and(|t| !t.is_empty()) && last <= start, "{start}..{end} in {text:?}");
            last = end;
        }
    };
    let folded = Folded::new(&text);
    for at in [None, Some(at)] {
        ordered(&mut values(&text, at).iter().map(|f| (f.span.start, f.span.end)));
    }
    ordered(&mut personal(&text).iter().map(|p| (p.range.start, p.range.end)));
    for span in cues(&folded).iter().map(|c| c.span).chain(tokens(&folded).iter().map(|t| t.span)) {
        assert!(text.get(span.start..span.end).is_some(), "{span:?}");
    }
    if let Some(phrase) = time_phrase(&text, at) {
        assert!(text.get(phrase.span.start..phrase.span.end).is_some() && phrase.from <= phrase.to);
    }
    assert_eq!(fold(&fold(&text)), fold(&text), "what is folded stays as it is");
}

/// A calendar part.
pub fn invite(data: &[u8]) {
    let mail = mail("Subject: x\r\nContent-Type: text/calendar; charset=utf-8", data);
    assert!(mail.events.len() <= 50 && mail.events.iter().all(|e| e.attendees.len() <= 100));
    holds(&mail);
}

fn split(mut mailbox: Mailbox, data: &[u8], step: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for chunk in data.chunks(step.max(1)) {
        pieces.extend(mailbox.push(chunk));
    }
    pieces.extend(mailbox.finish());
    pieces
}

/// The length of a chunk in the first byte, then the stream: chunks of any length give the same messages, and one that
/// goes on where a message began gives the rest.
pub fn mbox(data: &[u8]) {
    let Some((step, stream)) = data.split_first() else { return };
    let limit = |m: Mailbox| m.with_limit(16 * 1024);
    let whole = split(limit(Mailbox::new()), stream, stream.len());
    let parts = split(limit(Mailbox::new()), stream, usize::from(*step));
    let seen = |p: &Piece| (p.index, p.offset, p.end, p.raw.clone().map_err(|e| e.code));
    assert_eq!(whole.iter().map(seen).collect::<Vec<_>>(), parts.iter().map(seen).collect::<Vec<_>>());
    for pair in whole.windows(2) {
        assert!(pair[0].end <= pair[1].offset && pair[0].offset < pair[0].end && pair[1].end <= stream.len() as u64);
    }
    if let Some(from) = whole.get(whole.len() / 2).filter(|_| whole.len() > 1) {
        let rest = &stream[from.offset as usize..];
        let resumed = split(limit(Mailbox::resume(from.offset, from.index)), rest, rest.len());
        assert_eq!(
            resumed.iter().map(seen).collect::<Vec<_>>(),
            whole[whole.len() / 2..].iter().map(seen).collect::<Vec<_>>()
        );
    }
    for piece in &whole {
        if let Ok(mail) = piece.raw.as_deref().map_err(Clone::clone).and_then(|raw| read(raw, &HostCharset)) {
            holds(&mail);
        }
    }
}

/// Two drafts of any texts and metadata: fields end at a NUL byte, those of the second follow those of the first.
pub fn pair(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut fields = text.split('\0');
    let (a, b) = (draft(&mut fields), draft(&mut fields));
    let found = analyse(&(&a).into(), &(&b).into());
    let sum: f32 = found.probabilities.iter().sum();
    assert!((sum - 1.0).abs() < 0.01 && found.probabilities.iter().all(|p| (0.0..=1.0).contains(p)), "{found:?}");
    assert!((0.0..=1.0).contains(&found.confidence));
    for change in &found.changes {
        assert!(change.change.old_value.as_deref().is_none_or(|old| a.content.contains(old)), "{change:?}");
        assert!(change.new_span.is_none_or(|(from, to)| b.content.get(from..to).is_some()), "{change:?}");
    }
    assert!(found.key_factors.iter().all(|f| f.weight.is_finite()));
}

const FENCE: &str = "0f1e2d3c4b5a6978";

/// A question about a new memory beside three stored ones.
static ASKED: LazyLock<MailQuestion> = LazyLock::new(|| {
    let mut ids = Ids::new(Time::from_millis(1_741_000_000_000), [7; 16]);
    let stored = ["Q1 마케팅 예산은 5000만원으로 정했다", "Q2 마케팅 예산은 5000만원이다", "The budget of Q1 is 50M"];
    let known =
        stored.map(|text| Memory::from_draft(ids.mint(), Draft::new(text), Time::from_millis(1_741_000_000_000)));
    MailQuestion {
        form: Form::Full,
        is_draft: true,
        source: None,
        from: Party::default(),
        speaker: None,
        to: Vec::new(),
        is_answer: false,
        subject: String::new(),
        at: None,
        passages: vec![Passage { by: WrittenBy::Sender, text: NEW.to_owned() }],
        signature: String::new(),
        before: Vec::new(),
        known: known.iter().map(|m| KnownMemory::new(m, None, Zone::default())).collect(),
    }
});

const NEW: &str = "Q1 마케팅 예산은 6000만원으로 정했다, up from 50M";

/// A reply to a question: what is taken of it names what was shown, says what was said, and replaces each memory once.
pub fn reply(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if ASKED.prompt(FENCE).leaks(&text, FENCE) {
        return;
    }
    let Ok(reply) = ASKED.read(&text, &|_| false) else { return };
    assert!(text.len() <= 32 * 1024 && reply.entries.len() <= 34);
    let known = |id: Id| ASKED.known.iter().find(|k| k.id == id).expect("a memory that was shown");
    let mut updated = Vec::new();
    for (n, entry) in reply.entries.iter().enumerate() {
        let Ok(entry) = entry else { continue };
        for link in &entry.links {
            match link.to {
                LinkEnd::Memory(id) => drop(known(id)),
                LinkEnd::Entry(at) => assert!(at < n, "it links to an earlier entry"),
            }
        }
        assert!(entry.of.is_some() != (entry.op == Op::New));
        if matches!(entry.op, Op::New | Op::Update | Op::Done) {
            let said = |piece: &str| NEW.contains(piece.trim());
            assert!(!entry.evidence.is_empty() && entry.evidence.lines().all(said), "{entry:?}");
        }
        if matches!(entry.op, Op::Update | Op::Done) {
            assert!(!updated.contains(&entry.of), "a memory is replaced once");
            updated.push(entry.of);
        }
        let analysis = &entry.analysis;
        assert!(analysis.sure.is_none_or(|sure| (0.0..=1.0).contains(&sure)) && analysis.changes.len() <= 6);
        let old = entry.of.map_or("", |id| known(id).content());
        let new = [&entry.text, "\n", &entry.evidence].concat();
        let stands = |value: &Option<String>, text: &str| value.as_ref().is_none_or(|v| says(text, v));
        let changes = analysis.changes.iter();
        assert!(changes.into_iter().all(|c| stands(&c.old_value, old) && stands(&c.new_value, &new)), "{entry:?}");
    }
}

fn draft<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Draft {
    let mut next = || fields.next().unwrap_or_default();
    let list = |text: &str| text.split('\u{1}').filter(|t| !t.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let some = |text: &str| Some(text.to_owned()).filter(|t| !t.is_empty());
    let content = next().chars().take(8_000).collect::<String>();
    let (subject, thread_id, people, entities) = (some(next()), some(next()), list(next()), list(next()));
    let (category, occurred, stated) = (next(), next(), next());
    let all = [Category::Task, Category::Decision, Category::Meeting, Category::Project, Category::Ads, Category::Misc];
    let mut draft = Draft { subject, thread_id, people, entities, ..Draft::new(content) };
    draft.category = all.into_iter().find(|c| c.as_str() == category).unwrap_or_default();
    draft.occurred_at = occurred.parse().ok();
    draft.stated_at = stated.parse().ok();
    draft
}
