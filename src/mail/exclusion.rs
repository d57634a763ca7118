//! The owner's list of mail that is never read, by its sender or by words of its subject.

use super::Mail;
use crate::language::{fold, is_hangul};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

const MOST_ENTRIES: usize = 1_000;
const MOST_CHARS: usize = 300;

/// Mail that is not read: nothing of it is stored or sent to a model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Exclusion {
    /// Addresses, and domains such as `@shop.example`, which include their subdomains.
    pub people: Vec<String>,
    /// Words or phrases of a subject. They match as whole words; a Korean word may have a particle.
    pub topics: Vec<String>,
}

impl Exclusion {
    pub fn is_empty(&self) -> bool {
        self.people.is_empty() && self.topics.is_empty()
    }

    /// Fails for more than 1,000 entries, or more than 300 characters of one.
    pub fn validate(&self) -> Result<()> {
        for (name, list) in [("exclude.people", &self.people), ("exclude.topics", &self.topics)] {
            if list.len() > MOST_ENTRIES {
                return Err(Error::field(name, "has more than 1000 entries"));
            }
            if list.iter().any(|entry| entry.chars().count() > MOST_CHARS) {
                return Err(Error::field(name, "has an entry of more than 300 characters"));
            }
        }
        Ok(())
    }

    /// Whether the mail's sender or subject is on the list.
    pub fn excludes(&self, mail: &Mail) -> bool {
        let subject = fold(&mail.subject);
        let sender = mail.from.as_ref().map(|from| fold(&from.address));
        self.topics.iter().any(|topic| says(&subject, &fold(topic)))
            || sender.is_some_and(|sender| self.people.iter().any(|entry| is_from(&sender, &fold(entry))))
    }
}

/// Whether an address is the entry, or belongs to its domain.
fn is_from(sender: &str, entry: &str) -> bool {
    let Some(domain) = entry.strip_prefix('@') else { return sender == entry };
    let host = sender.rsplit('@').next().unwrap_or_default();
    !domain.is_empty() && host.strip_suffix(domain).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
}

fn says(subject: &str, topic: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric();
    let is_whole = |(at, _): (usize, &str)| {
        let (before, after) = (&subject[..at], &subject[at + topic.len()..]);
        let may_go_on = topic.ends_with(is_hangul) || !topic.ends_with(is_word);
        !(topic.starts_with(is_word) && before.ends_with(is_word)) && (may_go_on || !after.starts_with(is_word))
    };
    !topic.is_empty() && subject.match_indices(topic).any(is_whole)
}
