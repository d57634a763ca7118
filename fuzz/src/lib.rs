//! What is fuzzed, as functions from bytes; `tests/fuzz.rs` runs the same ones over the seeds and past findings.
//!
//! Each panics where a promise is broken, and skips no input.

use memfold::analysis::analyse;
use memfold::decision::{Ask, Batch, Candidate, Decision, Policy, Proposal, Question, triage};
use memfold::language::{Folded, Reference, cues, fold, personal, time_phrase, tokens, values};
use memfold::mail::{Account, HostCharset, Mail, Mailbox, Piece, drafts, passages, read};
use memfold::model::{Category, Draft, Ids, Memory, PropertyChange, Time, Zone};
use memfold::similarity::Factors;
use serde_json::{Value, json};
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

type Asked = (Question, Vec<(Candidate, Memory)>, Draft);

/// A question about three stored memories.
static ASKED: LazyLock<Asked> = LazyLock::new(|| {
    let draft = Draft::new("Q1 마케팅 예산은 6000만원으로 정했다, up from 50M");
    let mut ids = Ids::new(Time::from_millis(1_741_000_000_000), [7; 16]);
    let stored = ["Q1 마케팅 예산은 5000만원으로 정했다", "Q2 마케팅 예산은 5000만원이다", "The budget of Q1 is 50M"];
    let known: Vec<(Candidate, Memory)> = stored
        .into_iter()
        .map(|text| {
            let id = ids.mint();
            let factors = Factors { content: 0.9, ..Factors::default() };
            let candidate = Candidate { id, score: 0.9, factors, structural: true, important: false, analysis: None };
            (candidate, Memory::from_draft(id, Draft::new(text), Time::from_millis(1_741_000_000_000)))
        })
        .collect();
    let unanswered = triage(&[], &Policy::FAST).unanswered();
    let about = known.iter().map(|(c, _)| c.id).collect();
    (Question::new(Ask { about, unanswered }, &draft, &known), known, draft)
});

/// A reply to a question: what is taken of it lies within the schema that was sent, and decides nothing else.
pub fn reply(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (question, known, new) = &*ASKED;
    let batch = Batch::of(std::slice::from_ref(question));
    let prompt = batch.prompt(FENCE, &[]);
    if prompt.leaks(&text, FENCE) {
        return;
    }
    let Some(Ok(answers)) = batch.read(&text).ok().and_then(|mut answers| answers.pop()) else { return };
    let given = || answers.iter().flatten();
    let verdicts = given().map(|a| a.verdict.clone()).collect();
    let reasoning = given().next().map(|a| a.reasoning.clone()).unwrap_or_default();
    let proposal = Proposal { memory: None, reasoning, verdicts };
    assert!(text.len() <= 32 * 1024);
    let schema = serde_json::from_str(&prompt.schema).expect("a schema");
    fits(&said(&proposal), &schema, true).expect("what was taken is within the schema");
    let within = |value: &Value| value.get("verdicts").is_some() && fits(value, &schema, false).is_ok();
    assert!(objects(&text).any(|o| within(&o)), "what was said is not within the schema: {text}");
    let updates = proposal.verdicts.iter().filter(|v| v.outcome == memfold::analysis::Outcome::Update);
    assert!(updates.clone().count() <= 1);
    for (n, v) in proposal.verdicts.iter().enumerate() {
        assert!((0.0..=1.0).contains(&v.confidence) && v.changes.len() <= 6);
        assert!(v.subject_a.chars().count() <= 200 && v.subject_b.chars().count() <= 200);
        assert!(proposal.verdicts[..n].iter().all(|w| w.handle != v.handle), "a candidate is judged once");
    }
    for v in updates {
        let at = usize::from(v.handle.as_bytes()[0] - b'A');
        let stands =
            |value: &Option<String>, text: &str| value.as_ref().is_none_or(|v| memfold::analysis::says(text, v));
        for c in &v.changes {
            assert!(stands(&c.old_value, &known[at].1.content) && stands(&c.new_value, &new.content), "{c:?}");
        }
    }
    let mut known = known.clone();
    let decided = question.settle(&answers, &mut known, &Policy::ACCURATE);
    assert_ne!(decided.decision, Decision::Delete);
    let named = decided.target.into_iter().chain(decided.links.iter().map(|l| l.id));
    assert!(named.into_iter().all(|id| known.iter().any(|(c, _)| c.id == id)));
    assert!((0.0..=1.0).contains(&decided.confidence));
}

/// A proposal as it would have been written.
fn said(p: &Proposal) -> Value {
    let change = |c: &PropertyChange| json!({"property": c.property, "oldValue": c.old_value, "newValue": c.new_value, "changeType": c.change_type});
    let verdicts: Vec<Value> = p
        .verdicts
        .iter()
        .map(|v| {
            json!({
                "handle": v.handle, "outcome": v.outcome, "relation": v.relation, "conflict": v.conflict,
                "subjectA": v.subject_a, "subjectB": v.subject_b, "merged": v.merged, "confidence": v.confidence,
                "changes": v.changes.iter().map(change).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({"reasoning": p.reasoning, "verdicts": verdicts})
}

/// Every object that begins anywhere in a text and can be read, as it is or without commas before a closing bracket.
fn objects(text: &str) -> impl Iterator<Item = Value> {
    text.match_indices('{').flat_map(|(at, _)| {
        let from = &text[at..];
        let read = |t: &str| serde_json::Deserializer::from_str(t).into_iter().next()?.ok();
        [read(from), read(&without_commas(from))].into_iter().flatten().collect::<Vec<Value>>()
    })
}

fn without_commas(text: &str) -> String {
    let mut plain = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if !quoted && matches!(c, '}' | ']') {
            let kept = plain.trim_end().len();
            if plain[..kept].ends_with(',') {
                plain.truncate(kept - 1);
            }
        }
        (quoted, escaped) = (quoted != (c == '"' && !escaped), quoted && c == '\\' && !escaped);
        plain.push(c);
    }
    plain
}

/// Whether a value is one that the schema allows; with `whole`, also that nothing it requires is missing.
fn fits(value: &Value, schema: &Value, whole: bool) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{value} {what} {schema}"));
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    let is = |kind: &Value| match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        Some("null") => value.is_null(),
        _ => true,
    };
    if !kinds.iter().any(is) {
        return fail("is not of the kind of");
    }
    // Words are read in small and capital letters alike.
    let is_word = |word: &Value| match (word.as_str(), value.as_str()) {
        (Some(word), Some(said)) if !whole => word.eq_ignore_ascii_case(said),
        _ => word == value,
    };
    if schema["enum"].as_array().is_some_and(|words| !words.iter().any(is_word)) {
        return fail("is no word of");
    }
    for item in value.as_array().into_iter().flatten() {
        fits(item, &schema["items"], whole)?;
    }
    let Some(object) = value.as_object() else { return Ok(()) };
    for (key, inner) in object {
        match schema["properties"].get(key) {
            // What may be left out may be null as well.
            Some(_) if inner.is_null() && !whole => {}
            Some(of) => fits(inner, of, whole)?,
            // A field that nobody asked for is not read.
            None if !whole => {}
            None => return fail("has a field that is not in"),
        }
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    match required.filter(|_| whole).find(|key| !object.contains_key(*key)) {
        Some(key) => Err(format!("{value} lacks {key}")),
        None => Ok(()),
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
