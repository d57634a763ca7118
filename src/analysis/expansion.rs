//! Expands text into search keys for senses and values, so that synonyms and translations match.

use super::align::cover;
use super::words::{Kind, Word, words};
use crate::language::{Folded, Found, Number, Span, Value, is_named, short, tokens, values};
use crate::search::{Term, of_person, terms};

/// Search keys for each known sense and value: 회의 matches "meeting", 3억 원 matches 300,000,000.
pub fn meanings(text: &str) -> Vec<u64> {
    meanings_of(text, &words(text), &values(text, None))
}

/// As [`meanings`], from words and values that are already parsed.
pub fn meanings_of(text: &str, words: &[Word], values: &[Found]) -> Vec<u64> {
    let mut keys = Vec::new();
    words.iter().for_each(|word| sense_keys(text, word, &mut keys));
    let mut keys = keys.into_iter().map(|k| k.0).collect();
    values.iter().for_each(|found| value_keys(&found.value, &mut keys));
    keys
}

/// Whether a function word or stop word is used as a name here.
fn is_name(text: &str, word: &Word) -> bool {
    let span = Span { start: word.start, end: word.end };
    is_named(text, span) && (word.function || tokens(&Folded::new(&word.text)).iter().all(|t| t.stop))
}

/// Adds a word's sense keys, each with its weight in a query.
fn sense_keys(text: &str, word: &Word, keys: &mut Vec<(u64, f32)>) {
    // "The PM" does not mean the afternoon.
    if let Some(sense) = word.sense.filter(|_| !word.function && !is_name(text, word)) {
        keys.extend(sense.ids().map(|id| (SENSE ^ u64::from(id).wrapping_mul(SPREAD), SENSE_WEIGHT * sense.weight())));
    }
}

/// Adds the keys of a value, independent of its notation.
fn value_keys(value: &Value, keys: &mut Vec<u64>) {
    let mut put = |kind: u64, n: u64| keys.push((NUMBER + kind) ^ n.wrapping_mul(SPREAD));
    match value {
        Value::Ordinal { number, .. } => put(0, Number::whole(i64::from(*number)).key()),
        // "4시" may be am or pm, so hours are taken modulo 12.
        Value::Clock(clock) => put(1, u64::from(clock.seconds / 60 % 720)),
        // The month is left out: it is a common word with a key of its own.
        Value::Date(date) => {
            if let Some(day) = date.day {
                put(2, day.into());
            }
        }
        Value::Duration(d) => put(3, d.seconds ^ u64::from(d.months) << 40),
        Value::Identifier(id) => match id.key.parse() {
            Ok(number) => put(0, Number::whole(number).key()),
            Err(_) => put(4, u64::from(short(&id.key))),
        },
        Value::Range(ends) => {
            value_keys(&ends.0, keys);
            value_keys(&ends.1, keys);
        }
        value => value.amount().iter().for_each(|number| put(0, number.key())),
    }
}

fn term_weight(word: &Word, term: &Term) -> f32 {
    let known = word.sense.is_some();
    match word.kind {
        Kind::Number => 1.0,
        Kind::Hangul if term.pair => 0.4,
        Kind::Hangul if known => 0.55,
        Kind::Hangul => 0.8,
        Kind::Latin if known && word.weight < 0.6 => 0.6,
        Kind::Latin if known => 1.0,
        Kind::Latin if word.capital => 1.7,
        Kind::Latin | Kind::Code => UNKNOWN_WEIGHT,
    }
}

/// The names in the owner's addresses; the owner is involved in all memories but seldom named.
#[derive(Debug, Default)]
pub struct Own {
    names: Vec<String>,
}

impl Own {
    /// Splits the local parts of addresses into names.
    pub fn of(addresses: &[String]) -> Self {
        let mut own = Self::default();
        for address in addresses {
            let local = address.split(['@', '+']).next().unwrap_or_default().to_ascii_lowercase();
            let names = local.split(|c: char| !c.is_ascii_alphabetic()).filter(|n| n.len() > 2);
            own.names.extend(names.map(str::to_owned));
        }
        own
    }

    /// Whether a word of a query is one of the names.
    fn has(&self, word: &Word, capital: bool) -> bool {
        word.kind == Kind::Latin && (capital || word.sense.is_none()) && self.names.contains(&word.text)
    }
}

/// A parsed query: its words and weighted search keys.
#[derive(Debug, Clone)]
pub struct Sought {
    words: Vec<Word>,
    keys: Vec<(u64, f32)>,
    /// How many keys are sense keys; they come first.
    meant: usize,
    /// How many keys occur in texts; the keys after them match senders and recipients.
    told: usize,
}

impl Sought {
    /// Parses a query by the owner; the owner's names in `own` get little weight.
    pub fn new(text: &str, own: &Own) -> Self {
        let (words, mut keys) = (words(text), Vec::new());
        let mut shares = Vec::with_capacity(words.len());
        for word in &words {
            let before = keys.len();
            sense_keys(text, word, &mut keys);
            let capital = text[word.start..].starts_with(char::is_uppercase);
            let share = if own.has(word, capital) { OWNER_FACTOR } else { 1.0 };
            keys[before..].iter_mut().for_each(|k| k.1 *= share);
            shares.push(share);
        }
        let meant = keys.len();
        let all = words.iter().all(|w| w.function);
        let mut involved = Vec::new();
        for term in terms(text) {
            match words.iter().rposition(|w| w.start <= term.start) {
                Some(n) if words[n].function && !all && !is_name(text, &words[n]) => {}
                Some(n) => {
                    let worth = term_weight(&words[n], &term) * shares[n];
                    keys.push((term.key, worth));
                    involved.push((of_person(term.key), worth * INVOLVED_FACTOR));
                }
                None => keys.push((term.key, UNKNOWN_WEIGHT)),
            }
        }
        let mut said = Vec::new();
        values(text, None).iter().for_each(|found| value_keys(&found.value, &mut said));
        keys.extend(said.into_iter().map(|key| (key, VALUE_WEIGHT)));
        let told = keys.len();
        keys.extend(involved);
        Self { words, keys, meant, told }
    }

    /// The weighted keys to search texts for: names and rare words first, then nouns, verbs and synonyms.
    pub fn keys(&self) -> &[(u64, f32)] {
        &self.keys[..self.told]
    }

    /// As [`Self::keys`], plus keys that match a memory's senders and recipients.
    pub fn keys_and_people(&self) -> &[(u64, f32)] {
        &self.keys
    }

    /// Whether a text contains any query word, synonym, equal value or similarly spelt word.
    pub fn meets(&self, text: &str) -> bool {
        let has = |key: &u64| self.keys().iter().any(|k| k.0 == *key);
        let words = words(text);
        terms(text).iter().any(|t| has(&t.key))
            || meanings_of(text, &words, &values(text, None)).iter().any(has)
            || cover(&self.words, &words) > 0.0
    }

    /// Byte ranges of query words and their synonyms in a text, left to right.
    pub fn places(&self, text: &str) -> Vec<(usize, usize)> {
        let (mut places, mut own) = (Vec::new(), Vec::new());
        let (words, meant) = (words(text), &self.keys[..self.meant]);
        for word in words.iter().filter(|w| !w.function) {
            own.clear();
            // Comparing stems decides most words.
            let found = self.words.iter().any(|w| w.hash == word.hash && !w.function) || {
                sense_keys(text, word, &mut own);
                own.iter().any(|k| meant.iter().any(|m| m.0 == k.0))
            };
            if found {
                places.push((word.start, word.end));
            }
        }
        places
    }
}

/// Weight of a word that the lexicon lacks.
const UNKNOWN_WEIGHT: f32 = 1.5;
/// Factor for the owner's own name.
const OWNER_FACTOR: f32 = 0.2;
/// Factor for a match with a sender or recipient rather than the text.
const INVOLVED_FACTOR: f32 = 0.7;
const SENSE_WEIGHT: f32 = 0.5;
/// Weight of an equal number, day or time, in addition to matching digits.
const VALUE_WEIGHT: f32 = 0.47;
const NUMBER: u64 = 0x4e0b_0000_0000_0001;
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
const SENSE: u64 = 0x5e45_0000_0000_0001;
