//! Detects email addresses and international bank account numbers (IBAN).

use super::number::ACCOUNT;
use super::{Personal, PersonalKind, PersonalReader};
use crate::language::words;

/// Maximum bytes of the local part of an address, and characters of an IBAN.
const MOST_NAME: usize = 200;
const MOST_IBAN: usize = 34;

impl PersonalReader<'_> {
    /// The position after an @ or a spelling of it such as "(at)".
    pub(super) fn past_at(&self, n: usize) -> Option<usize> {
        self.s.eat_any(n, words!("personal.at"))
    }

    /// An email address with its @ at `n` and a local part that starts at `from` or later.
    pub(super) fn email(&self, n: usize, from: usize) -> Option<Personal> {
        let (s, host) = (self.s, self.past_at(n)?);
        let spaced = self.before(n) == ' ' && self.at(host) == ' ';
        let may_be_apart = spaced || self.at(n) != '@';
        let host = host + usize::from(self.at(host) == ' ' && may_be_apart);
        let name_end = n - usize::from(self.before(n) == ' ' && may_be_apart);
        // A Korean word may touch a Latin local part, so only one that ends in Hangul may contain
        // Hangul.
        let latin = self.before(name_end).is_ascii();
        let is_name = |c: char| {
            c.is_ascii_alphanumeric()
                || ".!#$%&'*+-/=?^_{|}~".contains(c)
                || !latin && !c.is_ascii() && c.is_alphabetic()
        };
        let near = s.0.ceil_char_boundary(name_end.saturating_sub(MOST_NAME)).max(from);
        let before = s.slice(near, name_end);
        let name = before[before.trim_end_matches(is_name).len()..].rsplit(['/', '=', '?', '&']).next()?;
        let start = name_end - name.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let (mut end, mut top, mut dots) = (host, host, 0);
        loop {
            let (label, ascii) = (end, self.at(end).is_ascii());
            end = s.run_end(label, |c| c.is_alphanumeric() && c.is_ascii() == ascii || c == '-');
            if end == label {
                end = top;
                break;
            }
            top = end;
            // A dot followed by a label; another script after the dot starts the next sentence.
            let next = s.eat_any(end, &[".", "[dot]", "(dot)", " dot ", " [dot] ", " (dot) "]);
            let goes_on = |next: &usize| self.at(*next).is_alphanumeric() && (self.at(*next).is_ascii() || !ascii);
            let Some(next) = next.filter(goes_on) else { break };
            (end, dots) = (next, dots + 1);
        }
        let end = host + s.slice(host, end).trim_end_matches('-').len();
        let last = s.slice(host, end).chars().rev().take_while(|c| c.is_alphabetic()).count();
        let key = s.slice(start, end).to_owned();
        let email = Personal { kind: PersonalKind::Email, range: start..end, key };
        (start < name_end && dots > 0 && last >= 2).then_some(email)
    }

    /// An IBAN that starts at `n`, recognised by its checksum.
    pub(super) fn iban(&self, n: usize) -> Option<Personal> {
        let begins = matches!(self.s.rest(n).as_bytes(), [b'a'..=b'z', b'a'..=b'z', b'0'..=b'9', b'0'..=b'9', ..]);
        if !begins || self.before(n).is_ascii_alphanumeric() {
            return None;
        }
        let (mut end, mut key, mut group) = (n, String::new(), 0);
        // Possible ends: after each group of four, and at the last character.
        let mut stops = Vec::new();
        while key.len() <= MOST_IBAN {
            let c = self.at(end);
            if c.is_ascii_alphanumeric() {
                key.push(c);
                group += 1;
            } else {
                stops.push((end, key.len()));
                if c != ' ' || group != 4 {
                    break;
                }
                group = 0;
            }
            end += 1;
        }
        // Accepts a wrong checksum after the word "account": mistyped numbers are private too.
        let said = ACCOUNT.stand_in(self.lead(n));
        let fits = |key: &str| {
            let digits = key.bytes().filter(u8::is_ascii_digit).count();
            let turned = key.bytes().skip(4).chain(key.bytes().take(4));
            let rest = turned.fold(0u32, |rest, b| match char::from(b).to_digit(36) {
                Some(value @ 10..) => (rest * 100 + value) % 97,
                value => (rest * 10 + value.unwrap_or(0)) % 97,
            });
            let numbered = key.ends_with(|c: char| c.is_ascii_digit());
            (15..=MOST_IBAN).contains(&key.len()) && digits >= 10 && (rest == 1 || said && numbered)
        };
        let (end, length) = stops.into_iter().rev().find(|(_, length)| key.get(..*length).is_some_and(fits))?;
        key.truncate(length);
        Some(Personal { kind: PersonalKind::Account, range: n..end, key })
    }
}
