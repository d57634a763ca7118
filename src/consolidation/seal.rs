//! The log's hash chain, and redaction that keeps it valid.

use super::LogEntry;
use crate::decision::Reason;
use serde::Serialize;

/// A log entry without its texts. Only [`LogEntry::redact`] creates one.
#[derive(Debug, Clone, PartialEq)]
pub struct Redacted(LogEntry);

impl Redacted {
    /// The entry.
    pub fn entry(&self) -> &LogEntry {
        &self.0
    }

    /// The entry, for a store to write at its `seq`.
    pub fn into_entry(self) -> LogEntry {
        self.0
    }
}

impl LogEntry {
    /// Seals this entry after the one with the hash `previous`. Its `seq` and `key` must be set.
    #[must_use]
    pub fn seal(mut self, previous: &str, salt: String) -> Self {
        // Three decimals survive a JSON round trip with any parser.
        self.processing_ms = (self.processing_ms * 1e3).round() / 1e3;
        self.salt = salt;
        self.hash = self.chained(previous);
        self
    }

    /// Whether this entry is unchanged and follows the one with the hash `previous`.
    pub fn follows(&self, previous: &str) -> bool {
        self.hash == self.chained(previous)
    }

    /// This entry without the texts of its input and of memories; its hash stays valid.
    pub fn redact(&self) -> Redacted {
        let digest = self.redacted.clone().unwrap_or_else(|| self.digest());
        Redacted(Self { redacted: Some(digest), hash: self.hash.clone(), ..self.bare() })
    }

    /// The hash over the previous entry, this one without texts, and the digest of its texts.
    fn chained(&self, previous: &str) -> String {
        let digest = self.redacted.clone().unwrap_or_else(|| self.digest());
        hashed(&[previous, &digest, &json(&self.bare())])
    }

    fn digest(&self) -> String {
        hashed(&[&json(&Self { hash: String::new(), ..self.clone() })])
    }

    fn bare(&self) -> Self {
        let mut bare = self.clone();
        for text in [&mut bare.input, &mut bare.reason, &mut bare.salt, &mut bare.hash] {
            text.clear();
        }
        (bare.subject_a, bare.subject_b, bare.draft, bare.redacted) = (None, None, None, None);
        for reason in &mut bare.reasons {
            match reason {
                Reason::Feature(factor) => factor.evidence = None,
                Reason::Failed { message, .. } => message.clear(),
                Reason::NoStanding { author } => *author = None,
                Reason::Unproven { like, .. } => *like = None,
                _ => {}
            }
        }
        for whole in &mut bare.texts {
            whole.content.clear();
            whole.statements.clear();
        }
        for change in &mut bare.property_changes {
            change.property.clear();
            (change.old_value, change.new_value) = (None, None);
        }
        bare
    }
}

/// A log entry always serialises, so the fallback is never used.
fn json(value: &impl Serialize) -> String {
    crate::json::write(value).unwrap_or_default()
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|b| [b >> 4, b & 15]).filter_map(|n| char::from_digit(n.into(), 16)).collect()
}

fn hashed(parts: &[&str]) -> String {
    let mut hash = hmac_sha256::Hash::new();
    for part in parts {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}
