//! Parses email addresses, URLs, host names and phone numbers.

use super::{
    ValueHit, ValueReader,
    value::{Span, Value},
};
use crate::language::words;

/// Maximum bytes of an address; longer runs are skipped.
const MAX_ADDRESS: usize = 320;

impl ValueReader<'_> {
    pub(super) fn email(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if self.no_email.get().holds(at) {
            return None;
        }
        let in_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-' | '@');
        let mut end = s.run_end_within(at, MAX_ADDRESS, in_run)?;
        if !s.slice(at, end).contains('@') {
            self.no_email.set(Span { start: at, end });
            return None;
        }
        while matches!(s.before(end), Some('.' | '-' | '_')) {
            end -= 1;
        }
        let text = s.slice(at, end);
        let (name, host) = text.split_once('@')?;
        let dot = host.rfind('.')?;
        (!name.is_empty() && dot > 0 && host.len() - dot > 2 && !host.contains('@'))
            .then(|| ValueHit::new(at, end, Value::Email(text.into())))
    }

    pub(super) fn url(&self, at: usize) -> Option<ValueHit> {
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
    pub(super) fn host(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if self.no_host.get().holds(at) {
            return None;
        }
        let in_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        let end = s.run_end_within(at, MAX_ADDRESS, in_run)?;
        let text = s.slice(at, end).trim_end_matches(['.', '-']);
        let (name, top) = text.rsplit_once('.')?;
        if words!("identifiers.top-level domains").binary_search(&top).is_err() {
            self.no_host.set(Span { start: at, end });
            return None;
        }
        if name.is_empty() || !name.bytes().any(|b| b.is_ascii_alphabetic()) || name.contains("..") {
            return None;
        }
        // "the end.it" is a missing space, so short top-level domains need a longer name.
        if matches!(top, "it" | "at" | "no" | "be" | "me" | "us" | "co" | "is") && !name.contains('.') {
            return None;
        }
        let end = if s.byte(at + text.len()) == b'/' { self.url_end(at) } else { at + text.len() };
        Some(ValueHit::new(at, end, Value::Url(s.slice(at, end).trim_end_matches('/').into())))
    }

    /// Parses +44 20 7946 0018, 02-555-0147, 010-0000-4471, 020 7946 0018, 1588-1234.
    pub(super) fn phone(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let plus = s.byte(at) == b'+';
        let first = if plus { at + 1 } else { at };
        if !s.byte(first).is_ascii_digit()
            || !plus && s.byte(first) != b'0' && s.digits_end(first) != first + 4
            || s.before(at).is_some_and(|c| c == '-' || c.is_alphanumeric())
        {
            return None;
        }
        let (mut end, mut groups, mut digits) = (first, 0, String::new());
        loop {
            let stop = s.digits_end(end);
            let size = stop - end;
            if size == 0 || size > 4 && !(groups > 0 && size <= 8) && !(plus && groups == 0) && size < 9 {
                break;
            }
            digits.push_str(s.slice(end, stop));
            groups += 1;
            end = stop;
            let next = match s.byte(end) {
                b'-' | b'.' | b')' => s.spaces(end + 1),
                b' ' if plus || digits.starts_with('0') => end + 1,
                _ => break,
            };
            if !s.byte(next).is_ascii_digit() || digits.len() >= 15 {
                break;
            }
            end = next;
        }
        let count = digits.len();
        let dates = s.slice(first, end).contains('.') && groups == 3 && count <= 8;
        let ok = if plus {
            (8..=15).contains(&count)
        } else if s.byte(first) == b'0' {
            (9..=12).contains(&count) && (groups >= 2 || count >= 10) && !dates
        } else {
            // 1544-0000 and other business numbers starting with 15.
            groups == 2 && count == 8 && digits.starts_with("15") && s.byte(first + 4) == b'-'
        };
        if !ok || s.byte(end) == b'-' && s.byte(end + 1).is_ascii_digit() || s.byte(end) == b':' {
            return None;
        }
        let key = if plus { format!("+{digits}") } else { digits };
        Some(ValueHit::new(at, end, Value::Phone(key.into())))
    }
}
