//! What a mail says, by author, what it agrees to, and what its subject line is about.

use super::{Mail, Section, clean};
use crate::language::{Words, stands_in, words};
use crate::model::{Draft, WrittenBy};

/// The bytes of an answer in which it agrees.
const AGREES: usize = 600;

/// What a mail says, in stretches of one author each, without what speaks to an assistant.
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

/// Whether a draft rests on what the sender of its mail only forwards: by its evidence, or by a figure that only that has,
/// and not what is known already.
pub fn passes_on(mail: &Mail, draft: &Draft, known: &str) -> bool {
    rests_on(mail, draft, known, |s| s.forwarded && !s.by_tool)
}

/// Whether a draft of a chat rests on what the assistant says.
pub fn is_by_tool(mail: &Mail, draft: &Draft) -> bool {
    rests_on(mail, draft, "", |s| s.by_tool)
}

fn rests_on(mail: &Mail, draft: &Draft, known: &str, is_theirs: fn(&&Section) -> bool) -> bool {
    let (theirs, own): (Vec<&Section>, Vec<&Section>) = mail.sections.iter().partition(is_theirs);
    if theirs.is_empty() {
        return false;
    }
    let lies_in = |at: u32| theirs.iter().any(|s| (s.start..s.end).contains(&(at as usize)));
    fn figures(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_numeric()).filter(|run| !run.is_empty())
    }
    let of = |sections: &[&Section]| -> Vec<&str> {
        sections.iter().filter_map(|s| mail.text.get(s.start..s.end)).flat_map(figures).collect()
    };
    let (said, mut ours) = (of(&theirs), of(&own));
    ours.extend(figures(known));
    let only_there = |run: &str| said.contains(&run) && !ours.contains(&run);
    draft.evidence.as_ref().is_some_and(|e| lies_in(e.start)) || figures(&draft.content).any(only_there)
}

/// A subject line without reply marks and idle tags.
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

/// The subject line of a mail whose author has not written it: of an answer, of a forward, of what a machine sends.
pub fn topic_of_another(mail: &Mail) -> Option<String> {
    let raw = mail.subject.trim();
    let is_theirs = mail.is_reply || mail.bulk.automatic || without_mark(raw) != raw;
    is_theirs.then(|| subject(&mail.subject))
}

/// Whether a machine has answered, whatever the answer: "Automatic reply: Kickoff".
pub(crate) fn answers_by_machine(raw: &str) -> bool {
    words!("mail/subject.machine answers").begin(&raw.trim().to_lowercase())
}

/// Whether a mail agrees with what was said before it: "Yes", "그럼 그날로요".
pub fn agrees(mail: &Mail) -> bool {
    let Some((said, first)) = answered(mail) else { return false };
    let refuses = words!("mail/subject.refuses").iter().any(|w| first == *w || !w.is_ascii() && first.starts_with(w));
    !refuses && has(&said, words!("mail/subject.agrees"))
}

/// Whether a mail answers by a word that takes or refuses what was proposed, however short it is.
pub fn answers_yes_or_no(mail: &Mail) -> bool {
    mail.is_reply && answered(mail).is_some_and(|(_, first)| has(&first, words!("mail/subject.yes or no")))
}

fn has(text: &str, words: &Words) -> bool {
    let text = text.replace(['’', '‘'], "'").split_whitespace().collect::<Vec<_>>().join(" ");
    words.iter().any(|w| stands_in(&text, w))
}

/// What the sender says first, in lower case, and its first word: "Noted" begins with no "no".
fn answered(mail: &Mail) -> Option<(String, String)> {
    let own = mail.sections.iter().find(|s| !s.forwarded)?;
    let said = clean::cut(&mail.text[own.start..own.end], AGREES).to_lowercase();
    let first = said.split(|c: char| !c.is_alphanumeric()).find(|w| !w.is_empty()).unwrap_or_default().to_owned();
    Some((said, first))
}

/// `Re:`, `RE[2]:`, `Fwd:`, `회신:`, `답장:`, `전달:` and the like at the beginning.
fn without_mark(text: &str) -> &str {
    let Some((name, rest)) = text.split_once([':', '：']) else { return text };
    let name = name.trim().split(['[', '(']).next().unwrap_or(name).trim().to_lowercase();
    if words!("mail/subject.reply marks").contains(&name.as_str()) { rest } else { text }
}

/// A tag at the beginning, in any brackets, and what follows it.
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

/// Tags that say what kind of mail it is, or which desk it comes from, and name nothing.
fn is_idle_tag(tag: &str) -> bool {
    let lower = tag.trim().to_lowercase();
    let is_idle = words!("mail/subject.idle tags").contains(&lower.as_str());
    is_idle || lower.ends_with('팀') && lower.chars().count() <= 6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_idle_tags_go_and_names_stay() {
        for (raw, clean) in [
            ("Re: Fwd: RE[2]: Kickoff", "Kickoff"),
            ("회신: [한결약품] 온도로거 발주 건", "[한결약품] 온도로거 발주 건"),
            ("[긴급] 이천 물류센터 정전 경위", "이천 물류센터 정전 경위"),
            ("RE: [재무] 의약품 콜드체인 실증사업 예산", "의약품 콜드체인 실증사업 예산"),
            ("(광고) [한아름] 봄맞이", "[한아름] 봄맞이"),
            ("Re:", ""),
            ("Meeting: agenda", "Meeting: agenda"),
        ] {
            assert_eq!(subject(raw), clean);
        }
    }
}
