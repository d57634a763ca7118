//! What a mail is about, from its subject line, and whether a statement can stand without it.
//!
//! It never invents a topic: what is added are words of the mail.

use super::guard::is_suspicious;
use super::nouns::{self, NounWord};
use super::plain::Plain;
use crate::language::{Value, is_hangul, values, words};
use crate::mail::{Mail, clean};

/// The bytes of an answer in which it agrees.
const AGREES: usize = 600;

/// The subject line without reply marks and idle tags.
pub(super) fn subject(raw: &str) -> String {
    let mut rest = raw.trim();
    loop {
        let before = rest;
        rest = without_mark(rest).trim_start();
        if let Some((tag, after)) = bracketed(rest)
            && is_idle_tag(tag)
            && !after.trim().is_empty()
        {
            rest = after.trim_start();
        }
        if rest == before {
            break;
        }
    }
    rest.trim().to_owned()
}

/// The subject line of a mail whose author has not written it: of an answer, of a forward, of what a machine sends.
pub fn topic_of_another(mail: &Mail) -> Option<String> {
    let is_theirs = mail.is_reply || mail.bulk.automatic || is_answer(&mail.subject);
    is_theirs.then(|| subject(&mail.subject))
}

/// Whether a subject line has a mark of an answer or a forward.
pub fn is_answer(raw: &str) -> bool {
    without_mark(raw.trim()) != raw.trim()
}

/// Whether a machine has answered, whatever the answer: "Automatic reply: Kickoff".
fn is_by_machine(raw: &str) -> bool {
    words!("mail/subject.machine answers").begin(&raw.trim().to_lowercase())
}

/// Whether a mail agrees with what was said before it: "Yes", "그럼 그날로요".
pub fn agrees(mail: &Mail) -> bool {
    let Some((said, first)) = answered(mail) else { return false };
    let refuses = words!("mail/subject.refuses").iter().any(|w| first == *w || !w.is_ascii() && first.starts_with(w));
    !refuses && Plain::new(&said).has(words!("mail/subject.agrees"))
}

/// Whether a mail answers by a word that takes or refuses what was proposed, however short it is.
pub fn answers_yes_or_no(mail: &Mail) -> bool {
    mail.is_reply && answered(mail).is_some_and(|(_, first)| Plain::new(&first).has(words!("mail/subject.yes or no")))
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
    let Some(at) = text.find([':', '：']) else { return text };
    let name = text[..at].trim();
    let name = name.split(['[', '(']).next().unwrap_or(name).trim().to_lowercase();
    if words!("mail/subject.reply marks").contains(&name.as_str()) {
        let colon = text[at..].chars().next().map_or(1, char::len_utf8);
        &text[at + colon..]
    } else {
        text
    }
}

/// A tag at the beginning, in any brackets, and what follows it.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let close = match text.chars().next()? {
        '[' => ']',
        '(' => ')',
        '【' => '】',
        '<' => '>',
        _ => return None,
    };
    let open = text.chars().next()?.len_utf8();
    let at = text.find(close)?;
    Some((&text[open..at], &text[at + close.len_utf8()..]))
}

/// Tags that say what kind of mail it is, or which desk it comes from, and name nothing.
fn is_idle_tag(tag: &str) -> bool {
    let lower = tag.trim().to_lowercase();
    words!("mail/subject.english idle").contains(&lower.as_str()) || lower.ends_with('팀') && lower.chars().count() <= 6
}

/// Words of a subject line that name no thing.
fn is_idle_word(word: &str) -> bool {
    words!("mail/subject.korean idle").contains(&word)
}

/// What is known of a mail while its statements are made whole.
#[derive(Debug, Clone, Default)]
pub(super) struct MailTopic {
    /// The subject line, cleaned.
    pub subject: String,
    /// The words that matter, lower case, without particles; one list for each part that "and" divides it into.
    parts: Vec<Vec<String>>,
    /// Those of them that name the sender's organisation, or are names by their form.
    names: Vec<String>,
    /// Numbers of orders, bookings and tickets in it.
    numbers: Vec<String>,
    is_reply: bool,
}

impl MailTopic {
    pub fn new(raw_subject: &str, mail: &Mail, own_words: &str) -> Self {
        // What speaks to an assistant is no topic, nor what a machine answers to.
        let is_none = is_suspicious(raw_subject) || is_by_machine(raw_subject);
        let subject = if is_none { String::new() } else { subject(raw_subject) };
        let told: Vec<(usize, usize)> = values(&subject, None)
            .into_iter()
            .filter(|f| {
                !matches!(
                    f.value,
                    Value::Identifier(_)
                        | Value::Version(_)
                        | Value::Status { .. }
                        | Value::Ordinal { .. }
                        | Value::Period(_)
                )
            })
            .map(|f| (f.span.start, f.span.end))
            .collect();
        let matters = |w: &NounWord<'_>| {
            let key = w.key();
            let dated = told.iter().any(|(from, to)| w.start >= *from && w.start < *to);
            !dated
                && !is_idle_word(&key)
                && !is_idle_word(w.written)
                && (key.chars().count() > 1 || !w.is_korean())
                && key.chars().any(char::is_alphanumeric)
        };
        let words = nouns::words(&subject);
        let titled = titled(&subject);
        let parts: Vec<Vec<String>> = split_and(&subject)
            .into_iter()
            .map(|part| {
                let from = part.as_ptr() as usize - subject.as_ptr() as usize;
                let within = |w: &NounWord<'_>| w.start >= from && w.start < from + part.len();
                words.iter().filter(|w| within(w) && matters(w)).map(NounWord::key).collect()
            })
            .filter(|p: &Vec<String>| !p.is_empty())
            .collect();
        let own = nouns::keys(own_words);
        let tag = bracketed(&subject).map(|(tag, _)| nouns::keys(tag)).unwrap_or_default();
        let names = words
            .iter()
            .enumerate()
            .filter(|(n, w)| {
                let key = w.key();
                let latin_name = !w.is_korean()
                    && w.stem.starts_with(|c: char| c.is_uppercase())
                    && (*n > 0 || w.stem.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit()))
                    && !titled;
                matters(w) && (latin_name || tag.contains(&key) || w.is_korean() && own.contains(&key))
            })
            .map(|(_, w)| w.key())
            .collect();
        let numbers = values(&subject, None)
            .iter()
            .filter(|f| matches!(f.value, Value::Identifier(_)))
            .map(|f| f.span.of(&subject).to_lowercase())
            .collect();
        Self { subject, parts, names, numbers, is_reply: mail.is_reply }
    }

    /// Whether it names anything.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// All the words that matter.
    pub fn words(&self) -> impl Iterator<Item = &String> {
        self.parts.iter().flatten()
    }

    /// How much of the topic the text names: the part of it that is named best, 0–1.
    pub fn coverage(&self, text: &str) -> f32 {
        let words = nouns::keys(text);
        let share = |part: &Vec<String>| {
            part.iter().filter(|t| words.iter().any(|w| alike(w, t))).count() as f32 / part.len() as f32
        };
        self.parts.iter().map(share).fold(0.0, f32::max)
    }

    /// Whether a name in the subject line is missing in the text.
    fn lacks_a_name(&self, text: &str) -> bool {
        let words = nouns::keys(text);
        self.names.iter().any(|name| !words.iter().any(|w| alike(w, name)))
    }

    /// Whether a number in the subject line, of an order or the like, is missing in the text.
    fn lacks_a_number(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.numbers.iter().any(|n| !text.contains(n.as_str()))
    }

    /// The subject line, where the text would not be understood without it.
    /// `later` is for what stands below the first statement of a mail: it goes on about the subject, said or not.
    pub fn missing(&self, text: &str, leans: bool, later: bool) -> Option<&str> {
        if self.is_empty() || changes_subject(text) {
            return None;
        }
        let coverage = self.coverage(text);
        let short = text.chars().count() <= 80;
        let needs = coverage < 0.34 && (leans || self.is_reply || later && short)
            || leans && coverage < 0.67
            || coverage < 1.0 && self.lacks_a_name(text)
            || self.lacks_a_number(text);
        needs.then(|| self.subject.trim_end_matches([':', '.', '!', '?', ' ']))
    }
}

/// Whether a subject line is written In Title Case, where capitals name nothing.
fn titled(subject: &str) -> bool {
    let words: Vec<&str> =
        subject.split_whitespace().filter(|w| w.chars().all(|c| c.is_ascii_alphabetic()) && w.len() > 3).collect();
    words.len() >= 4 && words.iter().all(|w| w.starts_with(|c: char| c.is_uppercase()))
}

/// The parts of a subject line that stand side by side.
fn split_and(subject: &str) -> Vec<&str> {
    let mut parts = vec![subject];
    for separator in [" 및 ", ", ", " & ", " and "] {
        parts = parts.into_iter().flat_map(|p| p.split(separator)).collect();
    }
    parts
}

/// Whether two words name one thing: equal, or one the end or the beginning of the other (온도로거, 로거; bracket, brackets).
pub(super) fn alike(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if short.chars().all(is_hangul) {
        return short.chars().count() >= 2 && (long.ends_with(short) || long.starts_with(short));
    }
    short.len() >= 3 && long.starts_with(short) && long.len() - short.len() <= 3 && long.is_ascii()
}

/// Whether the text says itself that it is about something else.
fn changes_subject(text: &str) -> bool {
    words!("mail/subject.begins another").begin(&text.to_lowercase())
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

    fn complete(subject: &str, text: &str, leans: bool) -> String {
        let topic = MailTopic::new(subject, &Mail { is_reply: subject.starts_with("Re"), ..Mail::default() }, "");
        topic.missing(text, leans, false).map_or(text.to_owned(), |t| format!("{t}: {text}"))
    }

    #[test]
    fn what_lacks_its_topic_gets_it() {
        for (subject, text) in [
            ("Re: Q1 마케팅 캠페인 킥오프", "예산이 6000만원으로 증액되었습니다."),
            ("Gateway brackets for the Oban smokehouse", "GBP 14 is fair."),
            ("Re: [한결약품] 온도로거 발주 건", "발주 수량을 150대로 변경 부탁드립니다."),
        ] {
            let whole = complete(subject, text, true);
            assert!(whole.ends_with(text) && whole.len() > text.len(), "{whole}");
        }
    }

    #[test]
    fn what_has_its_topic_stays() {
        for (subject, text) in [
            ("GDP 정기실사 및 부서별 자체점검표", "식약처 GDP 정기실사가 5월 14일(수)로 잡혔습니다."),
            ("GDP 정기실사 및 부서별 자체점검표", "부서별 자체점검표는 3월 21일까지 제출해 주세요."),
            ("Re: Gateway brackets", "On a different subject: I go on leave."),
            ("다음 주 저녁", "3월 12일 저녁 7시 좋아!"),
        ] {
            assert_eq!(complete(subject, text, false), text);
        }
    }
}
