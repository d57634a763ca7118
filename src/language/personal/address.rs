//! Detects email addresses and international bank account numbers (IBAN).

use super::number::ACCOUNT;
use super::plain::{PersonalHit, PersonalKind, PlainText};

/// Maximum characters of the local part of an address, and of an IBAN.
const MOST_NAME: usize = 200;
const MOST_IBAN: usize = 34;

impl PlainText {
    /// An email address with its @ at `n` and a local part that starts at `from` or later.
    pub(super) fn email(&self, n: usize, from: usize) -> Option<PersonalHit> {
        let host = self.past_at(n)?;
        let spaced = self.before(n) == ' ' && self.at(host) == ' ';
        let host = host + usize::from(self.at(host) == ' ' && (spaced || self.at(n) != '@'));
        let name_end = n - usize::from(self.before(n) == ' ' && (spaced || self.at(n) != '@'));
        // A Korean word may touch a Latin local part, so only one that ends in Hangul may contain
        // Hangul.
        let latin = self.before(name_end).is_ascii();
        let named = |c: char| {
            c.is_ascii_alphanumeric()
                || ".!#$%&'*+-/=?^_{|}~".contains(c)
                || !latin && !c.is_ascii() && c.is_alphabetic()
        };
        let mut start = name_end;
        while start > from && name_end - start < MOST_NAME && named(self.before(start)) {
            start -= 1;
        }
        while start < name_end && !self.at(start).is_alphanumeric() {
            start += 1;
        }
        if let Some(slash) = (start..name_end).rev().find(|n| matches!(self.at(*n), '/' | '=' | '?' | '&')) {
            start = slash + 1;
        }
        let (mut end, mut top) = (host, host);
        let mut dots = 0;
        loop {
            let ascii = self.at(end).is_ascii();
            let label = end;
            while self.at(end).is_alphanumeric() && self.at(end).is_ascii() == ascii || self.at(end) == '-' {
                end += 1;
            }
            if end == label {
                end = top;
                break;
            }
            top = end;
            // A dot followed by a label.
            let word = [".", "[dot]", "(dot)", " dot ", " [dot] ", " (dot) "].into_iter().find(|w| self.starts(end, w));
            match word {
                // Another script after the dot starts the next sentence.
                Some(word)
                    if self.at(end + word.len()).is_alphanumeric()
                        && (self.at(end + word.len()).is_ascii() || !self.at(label).is_ascii()) =>
                {
                    end += word.len();
                    dots += 1;
                }
                _ => break,
            }
        }
        while self.before(end) == '-' {
            end -= 1;
        }
        let last = (host..end).rev().take_while(|n| self.at(*n).is_alphabetic()).count();
        let key = self.chars.get(start..end)?.iter().collect();
        (start < name_end && dots > 0 && last >= 2).then_some(PersonalHit {
            kind: PersonalKind::Email,
            start,
            end,
            key,
        })
    }

    /// An IBAN that starts at `n`, recognised by its checksum.
    pub(super) fn iban(&self, n: usize) -> Option<PersonalHit> {
        let letter = |n: usize| self.at(n).is_ascii_lowercase();
        if !(letter(n) && letter(n + 1) && self.at(n + 2).is_ascii_digit() && self.at(n + 3).is_ascii_digit())
            || self.before(n).is_ascii_alphanumeric()
        {
            return None;
        }
        let (mut end, mut key, mut group) = (n, String::new(), 0);
        // Possible ends: after each group of four, and at the last character.
        let mut stops = Vec::new();
        loop {
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
            if key.len() > MOST_IBAN {
                break;
            }
            end += 1;
        }
        // Accepts a wrong checksum after the word "account": mistyped numbers are private too.
        let said = ACCOUNT.stand_in(&self.lead(n));
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
        Some(PersonalHit { kind: PersonalKind::Account, start: n, end, key })
    }
}
