//! What the words of a text mean, as keys by which search finds other words for the same, and what each counts for.
//!
//! It never compares two texts and keeps no word.

use super::align::cover;
use super::own::Own;
use super::words::{Kind, Word, words};
use crate::language::{Folded, Found, Number, Span, Value, is_named, short, tokens, values};
use crate::search::{Term, of_person, terms};

/// A key for each sense of each word that the lexicon knows, and those of what its numbers, days and times say, so that 회의
/// meets "meeting", and 3억 원 meets 300,000,000.
pub fn meanings(text: &str) -> Vec<u64> {
    meanings_of(text, &words(text), &values(text, None))
}

/// As [`meanings`], of a text whose words and values are read.
pub fn meanings_of(text: &str, words: &[Word], values: &[Found]) -> Vec<u64> {
    let mut keys = Vec::new();
    words.iter().for_each(|word| keys_of(text, word, &mut keys));
    let mut keys = keys.into_iter().map(|k| k.0).collect();
    values.iter().for_each(|found| keys_said(&found.value, &mut keys));
    keys
}

/// Whether a word that says nothing by itself is a name here.
fn is_name(text: &str, word: &Word) -> bool {
    let span = Span { start: word.start, end: word.end };
    is_named(text, span) && (word.function || tokens(&Folded::new(&word.text)).iter().all(|t| t.stop))
}

/// Adds the keys of a word of a text, each with what it counts for in a question.
fn keys_of(text: &str, word: &Word, keys: &mut Vec<(u64, f32)>) {
    // "The PM" is no afternoon.
    if let Some(sense) = word.sense.filter(|_| !word.function && !is_name(text, word)) {
        keys.extend(sense.ids().map(|id| (SENSE ^ u64::from(id).wrapping_mul(SPREAD), MEANT * sense.weight())));
    }
}

/// The keys of what a value says, whichever way it is written.
fn keys_said(value: &Value, keys: &mut Vec<u64>) {
    let mut put = |kind: u64, n: u64| keys.push((NUMBER + kind) ^ n.wrapping_mul(SPREAD));
    match value {
        Value::Ordinal { number, .. } => put(0, Number::whole(i64::from(*number)).key()),
        // "4시" may be either half of the day.
        Value::Clock(clock) => put(1, u64::from(clock.seconds / 60 % 720)),
        // The month is a word of its own, and common.
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
            keys_said(&ends.0, keys);
            keys_said(&ends.1, keys);
        }
        value => value.amount().iter().for_each(|number| put(0, number.key())),
    }
}

/// What a term counts for, by its word.
fn worth(word: &Word, term: &Term) -> f32 {
    let known = word.sense.is_some();
    match word.kind {
        Kind::Number => 1.0,
        Kind::Hangul if term.pair => 0.4,
        Kind::Hangul if known => 0.55,
        Kind::Hangul => 0.8,
        Kind::Latin if known && word.weight < 0.6 => 0.6,
        Kind::Latin if known => 1.0,
        Kind::Latin if word.capital => 1.7,
        Kind::Latin | Kind::Code => PLAIN,
    }
}

/// A question: its words, and the keys by which it seeks.
#[derive(Debug)]
pub struct Sought {
    words: Vec<Word>,
    keys: Vec<(u64, f32)>,
    /// How many of the keys are those of what the words mean.
    meant: usize,
    /// How many of the keys stand in texts; the others name whoever is involved.
    told: usize,
}

impl Sought {
    /// Reads a question of the owner's.
    pub fn new(text: &str, own: &Own) -> Self {
        let (words, mut keys) = (words(text), Vec::new());
        let mut shares = Vec::with_capacity(words.len());
        for word in &words {
            let before = keys.len();
            keys_of(text, word, &mut keys);
            let capital = text[word.start..].starts_with(char::is_uppercase);
            let share = if own.has(word, capital) { OWN } else { 1.0 };
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
                    let worth = worth(&words[n], &term) * shares[n];
                    keys.push((term.key, worth));
                    involved.push((of_person(term.key), worth * INVOLVED));
                }
                None => keys.push((term.key, PLAIN)),
            }
        }
        let mut said = Vec::new();
        values(text, None).iter().for_each(|found| keys_said(&found.value, &mut said));
        keys.extend(said.into_iter().map(|key| (key, SAID)));
        let told = keys.len();
        keys.extend(involved);
        Self { words, keys, meant, told }
    }

    /// The keys by which it seeks, and what each counts for: names and rare words more than those of everyday, what is done
    /// less than what it is done to, another word for the same less than the word itself, and the owner's own name little,
    /// since what is stored is all the owner's.
    pub fn keys(&self) -> &[(u64, f32)] {
        &self.keys[..self.told]
    }

    /// The same, and the keys by which whoever is involved is found though no text names them: who wrote it, or was written to.
    pub fn keys_and_people(&self) -> &[(u64, f32)] {
        &self.keys
    }

    /// Whether a text has anything of it: a word, another for the same, what a number says, or a word that is spelt nearly
    /// so.
    pub fn meets(&self, text: &str) -> bool {
        let has = |key: &u64| self.keys().iter().any(|k| k.0 == *key);
        let words = words(text);
        terms(text).iter().any(|t| has(&t.key))
            || meanings_of(text, &words, &values(text, None)).iter().any(has)
            || cover(&self.words, &words) > 0.0
    }

    /// Where a text has one of the words, or another for the same: places in bytes, left to right.
    pub fn places(&self, text: &str) -> Vec<(usize, usize)> {
        let (mut places, mut own) = (Vec::new(), Vec::new());
        let (words, meant) = (words(text), &self.keys[..self.meant]);
        for word in words.iter().filter(|w| !w.function) {
            own.clear();
            // Of most words the stem tells.
            let found = self.words.iter().any(|w| w.hash == word.hash && !w.function) || {
                keys_of(text, word, &mut own);
                own.iter().any(|k| meant.iter().any(|m| m.0 == k.0))
            };
            if found {
                places.push((word.start, word.end));
            }
        }
        places
    }
}

/// What a word counts for that the lexicon does not know.
const PLAIN: f32 = 1.5;
/// What the owner's own name counts for, of what another's would.
const OWN: f32 = 0.2;
/// What the name or address of somebody involved counts for, of what it would in the text.
const INVOLVED: f32 = 0.7;
/// What a meaning in common counts for, more of a thing than of what is done to it.
const MEANT: f32 = 0.5;
/// What a number, a day or a time in common counts for, beside its digits.
const SAID: f32 = 0.47;
const NUMBER: u64 = 0x4e0b_0000_0000_0001;
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
const SENSE: u64 = 0x5e45_0000_0000_0001;

#[cfg(test)]
mod tests {
    use super::{Own, Sought, meanings, terms};

    fn sought(text: &str, own: &Own) -> Vec<(u64, f32)> {
        Sought::new(text, own).keys
    }

    #[test]
    fn words_for_the_same_meet_across_languages() {
        let shared =
            |a: &str, b: &str| sought(a, &Own::default()).iter().filter(|k| meanings(b).contains(&k.0)).count();
        for (a, b) in [("the meeting", "회의는"), ("contract", "계약")] {
            assert!(shared(a, b) > 0, "{a} {b}");
        }
        assert_eq!(shared("umbrella", "계약"), 0);
    }

    #[test]
    fn values_meet_however_they_are_written() {
        for (a, b) in [
            ("3억 원", "300,000,000 won"),
            ("오후 4시", "16:00"),
            ("1.2 million euros", "€1,200,000"),
            ("6/20까지", "6월 20일"),
            ("in 90 minutes", "1시간 반"),
            ("열두 명", "12 people"),
            ("30/09", "30 September"),
        ] {
            assert!(meanings(a).iter().any(|k| meanings(b).contains(k)), "{a} {b}");
        }
        assert!(!meanings("16:00").iter().any(|k| meanings("16개 720원").contains(k)));
    }

    #[test]
    fn a_name_counts_more_than_a_thing_and_a_thing_more_than_what_is_done() {
        let of = |word: &str| {
            let key = terms(word)[0].key;
            sought("They moved the meeting with Linden", &Own::default())
                .into_iter()
                .find(|k| k.0 == key)
                .map_or(0.0, |k| k.1)
        };
        assert!(of("Linden") > of("meeting") && of("meeting") > of("moved") && of("moved") > 0.0);
    }

    #[test]
    fn the_owners_own_name_counts_little() {
        let own = Own::of(&["suhyun.bae+news@daon.example".to_owned()]);
        let most = |ask: &str, own: &Own| sought(ask, own).iter().map(|k| k.1).fold(0.0f32, f32::max);
        for ask in ["Suhyun", "suhyun?", "Bae"] {
            assert!(most(ask, &own) < 0.5 * most(ask, &Own::default()), "{ask}");
        }
        for ask in ["배 두 상자", "Suwon", "민지", "a bay", "shrimp"] {
            assert_eq!(most(ask, &own), most(ask, &Own::default()), "{ask}");
        }
    }

    #[test]
    fn what_is_sought_is_found_by_its_word_or_another_for_it() {
        let text = "The contract with Linden was signed on Friday";
        let found = |ask: &str| -> Vec<&str> {
            Sought::new(ask, &Own::default()).places(text).iter().map(|(a, b)| &text[*a..*b]).collect()
        };
        assert_eq!(found("Linden 계약 언제?"), ["contract", "Linden"]);
        assert!(found("where is the umbrella").is_empty());
    }
}
