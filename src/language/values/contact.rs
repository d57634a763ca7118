//! Parses URLs, host names, email addresses and phone numbers.

use super::{ValueHit, ValueReader, value::Value};
use crate::language::words;

/// Maximum bytes of a host name; longer runs are skipped.
const MAX_HOST: usize = 320;

impl ValueReader<'_> {
    pub fn url(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let end = self.url_end(at);
        (end > at + 4).then(|| ValueHit::new(at, end, Value::Url(s.slice(at, end).trim_end_matches('/').into())))
    }

    fn url_end(&self, at: usize) -> usize {
        let s = self.s;
        let mut end = s.run_end(at, |c| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&*+,;=%'".contains(c));
        while matches!(s.before(end), Some('.' | ',' | ';' | ':' | '!' | '?' | '\'' | ']')) && end > at {
            end -= 1;
        }
        end
    }

    /// A host name without a scheme: wiki.sejin.local, pebblepath.com.
    pub fn host(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let in_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        let end = s.run_end_within(at, MAX_HOST, in_run)?;
        let text = s.slice(at, end).trim_end_matches(['.', '-']);
        let (name, top) = text.rsplit_once('.')?;
        if words!("identifiers.top-level domains").binary_search(&top).is_err()
            || name.is_empty()
            || !name.bytes().any(|b| b.is_ascii_alphabetic())
            || name.contains("..")
        {
            return None;
        }
        // "the end.it" is a missing space, so short top-level domains need a longer name.
        if matches!(top, "it" | "at" | "no" | "be" | "me" | "us" | "co" | "is") && !name.contains('.') {
            return None;
        }
        let end = if s.byte(at + text.len()) == b'/' { self.url_end(at) } else { at + text.len() };
        Some(ValueHit::new(at, end, Value::Url(s.slice(at, end).trim_end_matches('/').into())))
    }
}
