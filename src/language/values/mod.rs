//! Parses values in running text: amounts, dates, times, identifiers and states. [`values`] returns them in a
//! comparable form with their spans.

pub(super) mod calendar;
pub(super) mod clock;
pub(super) mod compare;
mod contact;
pub(super) mod day_order;
mod figures;
pub(super) mod grammar;
mod identifier;
pub(super) mod lexicon;
pub(super) mod number;
mod numeric;
pub(super) mod parts;
mod range;
pub mod spelled;
mod tables;
mod units;
pub(super) mod value;
mod words;

use crate::language::{
    Personal, PersonalKind,
    personal::personal_in,
    text::{
        folded::Folded,
        hangul::is_hangul,
        particles::is_tail,
        scan::{Scan, is_latin},
    },
    values::value::{Found, Reference, Span, Value},
};
use chrono::NaiveDate;
use number::Amount;
use std::cell::Cell;
use tables::{english, korean};

/// Maximum bytes read; statements are far shorter, and hostile text may be far longer.
const MAX_TEXT: usize = 4_096;
/// Maximum nesting of parsers ("end of next month"); limits recursion on hostile text.
const MAX_DEPTH: u8 = 4;

/// The values in the first 4,096 bytes of a text, left to right, without overlaps.
pub fn values(text: &str, at: Option<Reference>) -> Vec<Found> {
    values_in(&Folded::new(text), at)
}

/// As [`values`], for a text that is already folded.
pub fn values_in(folded: &Folded<'_>, at: Option<Reference>) -> Vec<Found> {
    let reader = ValueReader::new(folded, at);
    reader
        .hits()
        .into_iter()
        .filter_map(|hit| {
            let span = Span { start: folded.source(hit.start), end: folded.source(hit.end) };
            (span.start < span.end).then_some(Found { span, value: hit.value })
        })
        .collect()
}

#[derive(Debug, Clone)]
struct ValueHit {
    start: usize,
    end: usize,
    value: Value,
}

impl ValueHit {
    fn new(start: usize, end: usize, value: Value) -> Self {
        Self { start, end, value }
    }
}

/// Fewest digits of a phone number. Shorter local numbers are identifiers, whether or not "phone" stands before them.
const FEWEST_DIGITS: usize = 8;

/// The email addresses and phone numbers of a folded text, as the detector of personal data finds them.
fn contacts(text: &str) -> Vec<ValueHit> {
    let may_have = text.contains('@') || text.bytes().filter(u8::is_ascii_digit).count() >= FEWEST_DIGITS;
    let found = if may_have { personal_in(text) } else { Vec::new() };
    let hit = |one: Personal| {
        let written = text.get(one.range.clone())?;
        let digits = || written.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect::<String>();
        let value = match one.kind {
            PersonalKind::Email => Value::Email(written.into()),
            PersonalKind::Phone if digits().len() >= FEWEST_DIGITS => Value::Phone(digits().into()),
            _ => return None,
        };
        Some(ValueHit::new(one.range.start, one.range.end, value))
    };
    found.into_iter().filter_map(hit).collect()
}

struct ValueReader<'a> {
    s: Scan<'a>,
    folded: &'a Folded<'a>,
    today: Option<NaiveDate>,
    /// Whether 3/4 means 3 April.
    day_first: bool,
    korean: bool,
    depth: Cell<u8>,
    /// The number that was read last, by its position: several rules try the same one.
    last_amount: Cell<Option<(usize, Option<Amount>)>>,
    contacts: Vec<ValueHit>,
}

impl<'a> ValueReader<'a> {
    fn new(folded: &'a Folded<'a>, at: Option<Reference>) -> Self {
        let text = folded.text();
        let text = &text[..text.floor_char_boundary(MAX_TEXT)];
        let korean = text.contains(is_hangul);
        let mut reader = Self {
            s: Scan(text),
            folded,
            today: at.map(Reference::day),
            day_first: false,
            korean,
            depth: Cell::new(0),
            last_amount: Cell::new(None),
            contacts: contacts(text),
        };
        reader.day_first = !korean && reader.is_day_first(at);
        reader
    }

    fn hits(&self) -> Vec<ValueHit> {
        let mut hits: Vec<ValueHit> = Vec::with_capacity(8);
        let mut at = 0;
        while let Some(c) = self.s.char(at) {
            if c == ' ' || c == '\n' {
                at += 1;
                continue;
            }
            let floor = hits.last().map_or(0, |h| h.end);
            match self.read(at, c) {
                Some(mut hit) if hit.end > at && hit.start >= floor => {
                    self.extend(&mut hit);
                    at = hit.end;
                    // Hangul after a value is a particle, not another word.
                    at = match self.s.char(at) {
                        Some(c) if is_hangul(c) && self.s.before(at).is_some_and(is_hangul) => self.s.hangul_end(at),
                        Some(c) if is_hangul(c) => self.after_suffix(at),
                        _ => at,
                    };
                    calendar::settle(&mut hit.value, self.today);
                    if let Value::Clock(clock) = &mut hit.value {
                        let date = hits.last().filter(|last| matches!(last.value, Value::Date(_)));
                        let mut starts = [Some(hit.start), date.map(|date| date.start)].into_iter().flatten();
                        clock.zone = clock.zone.or_else(|| starts.find_map(|start| self.zone_before(start)));
                    }
                    hits.push(hit);
                }
                _ => at = self.skip(at, c),
            }
        }
        hits
    }

    /// Whether the rest of a run of Hangul at `at` is only particles and endings.
    fn is_tail(&self, at: usize) -> bool {
        is_tail(self.s.slice(at, self.s.hangul_end(at)))
    }

    /// Skips a particle between a value and the next one ("3시에서10시", "Q1은").
    fn after_suffix(&self, at: usize) -> usize {
        if self.is_tail(at) { self.s.hangul_end(at) } else { at }
    }

    /// Skips a whole run of letters or digits, or one character.
    fn skip(&self, at: usize, c: char) -> usize {
        if is_hangul(c) {
            self.s.hangul_end(at)
        } else if is_latin(c) {
            self.s.latin_end(at)
        } else if c.is_ascii_digit() {
            self.s.digits_end(at)
        } else {
            at + c.len_utf8()
        }
    }

    fn read(&self, at: usize, c: char) -> Option<ValueHit> {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return None;
        }
        self.depth.set(depth + 1);
        let hit = self.read_kind(at, c);
        self.depth.set(depth);
        hit
    }

    fn read_kind(&self, at: usize, c: char) -> Option<ValueHit> {
        if let Some(contact) = self.contacts.iter().find(|hit| hit.start == at) {
            return Some(contact.clone());
        }
        match c {
            '0'..='9' => self.numeric(at),
            '$' | '€' | '£' | '¥' | '₩' | '₹' | '₽' | '₫' | '฿' => self.read_rule("symbol_money", at),
            '½' | '¼' | '¾' | '⅓' | '⅔' => self.read_rule("quantity", at),
            '+' | '-' => self.signed(at),
            '#' => self.read_rule("hash", at),
            'h' | 'w' if self.s.eat_any(at, &["http://", "https://", "www."]).is_some() => self.url(at),
            _ if is_hangul(c) => self.korean(at),
            _ if is_latin(c) => self.latin(at),
            _ => None,
        }
    }
}
