//! Reads the topic of a mail from its subject line, and checks which statements need it.

use super::nouns::{self, NounWord, is_same_word, nouns};
use crate::language::{Value, values, words};
use crate::mail::{answers_by_machine, is_suspicious, subject};

/// A statement that names at least this share of the topic's words is complete without it.
const MIN_NAMED_SHARE: f32 = 0.6;

#[derive(Debug, Clone, Default)]
pub(super) struct MailTopic {
    /// The subject line without reply prefixes and generic tags.
    pub subject: String,
    /// Its content words, in lower case and without particles.
    pub words: Vec<String>,
    /// Its order, booking and ticket numbers.
    numbers: Vec<String>,
}

impl MailTopic {
    pub fn new(raw: &str) -> Self {
        // Suspected prompt injections and automatic replies have no topic.
        let is_none = is_suspicious(raw) || answers_by_machine(raw);
        let subject = if is_none { String::new() } else { subject(raw) };
        let found = values(&subject, None);
        let is_value = |w: &NounWord<'_>| {
            let names = |v: &Value| {
                matches!(v, Value::Identifier(_) | Value::Version(_) | Value::Status { .. } | Value::Ordinal { .. })
            };
            found.iter().any(|f| f.span.holds(w.start) && !names(&f.value))
        };
        let is_idle = |w: &NounWord<'_>| {
            let idle = words!("mail/subject.idle words");
            idle.contains(&w.key().as_str()) || idle.contains(&w.written) || w.stem.chars().count() < 2
        };
        let words = nouns(&subject).iter().filter(|w| !is_value(w) && !is_idle(w)).map(NounWord::key).collect();
        let numbers = found.iter().filter(|f| matches!(f.value, Value::Identifier(_)));
        let numbers = numbers.map(|f| f.span.of(&subject).to_lowercase()).collect();
        Self { subject, words, numbers }
    }

    /// Returns the subject line if the text is incomplete without it.
    pub fn missing(&self, text: &str) -> Option<&str> {
        let lower = text.to_lowercase();
        if self.words.is_empty() || words!("mail/subject.begins another").begin(&lower) {
            return None;
        }
        let keys = nouns::keys(text);
        let named = self.words.iter().filter(|t| keys.iter().any(|k| is_same_word(k, t))).count();
        let is_named = named as f32 / self.words.len() as f32 >= MIN_NAMED_SHARE;
        let has_numbers = self.numbers.iter().all(|n| lower.contains(n.as_str()));
        (!is_named || !has_numbers).then(|| self.subject.trim_end_matches([':', '.', '!', '?', ' ']))
    }
}

/// Whether a sentence starts with an anaphor: it, 그건.
pub(super) fn points_back(text: &str) -> bool {
    let first = nouns(text).into_iter().next();
    let is_it =
        |w: NounWord<'_>| words!("mail/parts.pointers").iter().any(|p| *p == w.written.to_lowercase() || *p == w.stem);
    first.is_some_and(is_it)
}
