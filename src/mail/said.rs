//! Splits a mail by author, detects agreement and cleans its subject line.

use super::{Mail, Section, clean};
use crate::language::{Words, single_spaced, words};
use crate::model::{Draft, WrittenBy};

/// Bytes at the start of a reply that are checked for agreement.
const OPENING_BYTES: usize = 600;

/// Returns the text of a mail by author, without suspected prompt injections.
pub fn passages(mail: &Mail) -> Vec<(WrittenBy, String)> {
    let zone = mail.zone;
    let mut out = Vec::new();
    for section in &mail.sections {
        let (mut text, mut at) = (String::new(), section.start);
        for span in mail.suspicious.iter().filter(|s| s.start < section.end && section.start < s.end) {
            text.push_str(mail.text.get(at..span.start.max(at)).unwrap_or_default());
            at = span.end.max(at);
        }
        text.push_str(mail.text.get(at..section.end.max(at)).unwrap_or_default());
        let by = match section {
            Section { by_tool: true, .. } => WrittenBy::Assistant,
            Section { forwarded: true, .. } => {
                let author = section.author.as_ref().map(|a| a.name.clone().unwrap_or_else(|| a.address.clone()));
                let day = section.date.map(|d| format!(", {}", d.day(zone)));
                WrittenBy::Forwarded(author.unwrap_or_default() + day.as_deref().unwrap_or_default())
            }
            _ if mail.is_chat => WrittenBy::User,
            _ => WrittenBy::Sender,
        };
        if !text.trim().is_empty() {
            out.push((by, text.trim().to_owned()));
        }
    }
    if mail.sections.is_empty() && !mail.text.trim().is_empty() {
        out.push((WrittenBy::Sender, mail.text.trim().to_owned()));
    }
    out
}

/// Whether a draft relies on forwarded text.
pub fn passes_on(mail: &Mail, draft: &Draft, known: &str) -> bool {
    relies_on(mail, draft, known, |s| s.forwarded && !s.by_tool)
}

/// Whether a draft of a chat relies on a message of the assistant.
pub fn is_by_tool(mail: &Mail, draft: &Draft) -> bool {
    relies_on(mail, draft, "", |s| s.by_tool)
}

fn relies_on(mail: &Mail, draft: &Draft, known: &str, is_theirs: fn(&&Section) -> bool) -> bool {
    let (theirs, own): (Vec<&Section>, Vec<&Section>) = mail.sections.iter().partition(is_theirs);
    if theirs.is_empty() {
        return false;
    }
    let is_in_theirs = |at: u32| theirs.iter().any(|s| (s.start..s.end).contains(&(at as usize)));
    fn figures(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_numeric()).filter(|run| !run.is_empty())
    }
    let of = |sections: &[&Section]| -> Vec<&str> {
        sections.iter().filter_map(|s| mail.text.get(s.start..s.end)).flat_map(figures).collect()
    };
    let (quoted, mut ours) = (of(&theirs), of(&own));
    ours.extend(figures(known));
    let only_there = |run: &str| quoted.contains(&run) && !ours.contains(&run);
    draft.evidence.as_ref().is_some_and(|e| is_in_theirs(e.start)) || figures(&draft.content).any(only_there)
}

/// Returns a subject line without reply prefixes and generic tags.
pub(crate) fn subject(raw: &str) -> String {
    let mut rest = raw.trim();
    loop {
        let before = rest;
        rest = without_mark(rest).trim_start();
        let tagged = bracketed(rest).filter(|(tag, after)| is_idle_tag(tag) && !after.trim().is_empty());
        if let Some((_, after)) = tagged {
            rest = after.trim_start();
        }
        if rest == before {
            return rest.trim().to_owned();
        }
    }
}

/// Returns the cleaned subject of a reply, forward or automated mail, whose author did not choose it.
pub fn topic_of_another(mail: &Mail) -> Option<String> {
    let raw = mail.subject.trim();
    let is_theirs = mail.is_reply || mail.bulk.automatic || without_mark(raw) != raw;
    is_theirs.then(|| subject(&mail.subject))
}

/// Whether the subject is that of an automatic reply: "Automatic reply: Kickoff".
pub(crate) fn answers_by_machine(raw: &str) -> bool {
    words!("mail/subject.machine answers").begin(&raw.trim().to_lowercase())
}

/// Whether a mail agrees with the message it answers: "Yes", "그럼 그날로요".
pub fn agrees(mail: &Mail) -> bool {
    let Some((opening, first)) = own_opening(mail) else { return false };
    let refuses = words!("mail/subject.refuses").iter().any(|w| first == *w || !w.is_ascii() && first.starts_with(w));
    !refuses && contains_any(&opening, words!("mail/subject.agrees"))
}

/// Whether a reply starts by accepting or refusing a proposal. It may be one word.
pub fn answers_yes_or_no(mail: &Mail) -> bool {
    mail.is_reply && own_opening(mail).is_some_and(|(_, first)| contains_any(&first, words!("mail/subject.yes or no")))
}

fn contains_any(text: &str, words: &Words) -> bool {
    words.stand_whole_in(&single_spaced(&text.replace(['’', '‘'], "'")))
}

/// Returns the start of the sender's own text in lower case, and its first word: "Noted" does not match "no".
fn own_opening(mail: &Mail) -> Option<(String, String)> {
    let own = mail.sections.iter().find(|s| !s.forwarded)?;
    let opening = clean::cut(&mail.text[own.start..own.end], OPENING_BYTES).to_lowercase();
    let first = opening.split(|c: char| !c.is_alphanumeric()).find(|w| !w.is_empty()).unwrap_or_default().to_owned();
    Some((opening, first))
}

/// Removes one leading reply or forward prefix, such as `Re:`, `RE[2]:`, `Fwd:`, `회신:`, `답장:` or `전달:`.
fn without_mark(text: &str) -> &str {
    let Some((name, rest)) = text.split_once([':', '：']) else { return text };
    let name = name.trim().split(['[', '(']).next().unwrap_or(name).trim().to_lowercase();
    if words!("mail/subject.reply marks").contains(&name.as_str()) { rest } else { text }
}

fn bracketed(text: &str) -> Option<(&str, &str)> {
    let open = text.chars().next()?;
    let close = match open {
        '[' => ']',
        '(' => ')',
        '【' => '】',
        '<' => '>',
        _ => return None,
    };
    text[open.len_utf8()..].split_once(close)
}

/// Whether a tag only gives the kind of mail or the sending team, and so names no topic.
fn is_idle_tag(tag: &str) -> bool {
    let lower = tag.trim().to_lowercase();
    let is_idle = words!("mail/subject.idle tags").contains(&lower.as_str());
    is_idle || lower.ends_with('팀') && lower.chars().count() <= 6
}
