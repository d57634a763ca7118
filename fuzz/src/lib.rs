//! What is fuzzed, as functions from bytes; `tests/fuzz.rs` runs the same ones over the seeds and past findings.
//!
//! Each panics where a promise is broken, and skips no input.

use memfold::analysis::analyse;
use memfold::mail::{Account, HostCharset, Mail, Mailbox, Piece, drafts, read};
use memfold::model::{Category, Draft, Time, Zone};

fn account() -> Account {
    Account { owner: vec!["me@home.example".into()], important: Vec::new(), zone: Some(Zone::from_minutes(540)) }
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

/// The body of a page, in a mail of nothing else.
pub fn html(data: &[u8]) {
    let mut raw = b"From: a@b.example\r\nDate: Tue, 14 Jan 2025 09:00:00 +0900\r\nSubject: x\r\n\
        Content-Type: text/html; charset=utf-8\r\n\r\n"
        .to_vec();
    raw.extend_from_slice(data);
    holds(&read(&raw, &HostCharset).expect("it has a header"));
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
        assert!(change.old_span.is_none_or(|(from, to)| a.content.get(from..to).is_some()), "{change:?}");
        assert!(change.new_span.is_none_or(|(from, to)| b.content.get(from..to).is_some()), "{change:?}");
    }
    assert!(found.key_factors.iter().all(|f| f.weight.is_finite()));
}

fn draft<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Draft {
    let mut next = || fields.next().unwrap_or_default();
    let list = |text: &str| text.split('\u{1}').filter(|t| !t.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let some = |text: &str| Some(text.to_owned()).filter(|t| !t.is_empty());
    let content = next().chars().take(8_000).collect::<String>();
    let (subject, thread_id, people, entities) = (some(next()), some(next()), list(next()), list(next()));
    let (category, occurred, stated) = (next(), next(), next());
    let all = [Category::Task, Category::Decision, Category::Meeting, Category::Project, Category::Ads, Category::Misc];
    let time = |text: &str| text.parse::<Time>().ok();
    let mut draft = Draft { subject, thread_id, people, entities, ..Draft::new(content) };
    draft.category = all.into_iter().find(|c| c.as_str() == category).unwrap_or_default();
    draft.occurred_at = time(occurred);
    draft.stated_at = time(stated);
    draft
}
