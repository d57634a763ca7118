//! E-mail addresses and international account numbers.

use super::kind::PersonalKind;
use super::number::ACCOUNT;
use super::plain::{PersonalHit, PlainText};

/// The most characters of the name in an address, and of an international bank account number.
const MOST_NAME: usize = 200;
const MOST_IBAN: usize = 34;

impl PlainText {
    /// An address whose @ stands here, its name beginning at `from` or later.
    pub(super) fn email(&self, n: usize, from: usize) -> Option<PersonalHit> {
        let host = self.past_at(n)?;
        let spaced = self.before(n) == ' ' && self.at(host) == ' ';
        let host = host + usize::from(self.at(host) == ' ' && (spaced || self.at(n) != '@'));
        let name_end = n - usize::from(self.before(n) == ' ' && (spaced || self.at(n) != '@'));
        // After a Latin name a particle follows, before it a word: only a name that ends in Hangul may hold any.
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
            // A dot, and a label after it.
            let word = [".", "[dot]", "(dot)", " dot ", " [dot] ", " (dot) "].into_iter().find(|w| self.starts(end, w));
            match word {
                // Another script after the dot is the next sentence.
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

    /// An international bank account number, by its checksum.
    pub(super) fn iban(&self, n: usize) -> Option<PersonalHit> {
        let letter = |n: usize| self.at(n).is_ascii_lowercase();
        if !(letter(n) && letter(n + 1) && self.at(n + 2).is_ascii_digit() && self.at(n + 3).is_ascii_digit())
            || self.before(n).is_ascii_alphanumeric()
        {
            return None;
        }
        let (mut end, mut key, mut group) = (n, String::new(), 0);
        // Where it may end: after each group of four, and at last.
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
        // A checksum, or the word for it: one that was mistyped is nobody else's business either.
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
