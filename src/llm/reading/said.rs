//! The values, figures, names and words of the sources, parsed once: [`TextContents`].

use crate::analysis::words::{Kind as WordKind, Word, words};
use crate::analysis::{Own, Sought, meanings, meanings_of};
use crate::language::{
    Date, Found, Match, Number, Reference, Split, Value, is_hangul, is_lone_letter, key, split, values, words,
};
use chrono::{Datelike, NaiveDate};
use std::iter::successors;

#[derive(Default)]
pub(in crate::llm) struct TextContents {
    pub(super) values: Vec<Found>,
    pub(in crate::llm) days: Vec<NaiveDate>,
    pub(super) figures: Vec<String>,
    pub(in crate::llm) numbers: Vec<Number>,
    /// Sorted hashes of the words and of their meanings.
    keys: Vec<u64>,
    meanings: Vec<u64>,
    pub(super) letters: String,
    scripts: [bool; 3],
}

/// The scripts of a text's letters: 0 for Latin, 1 for Hangul, 2 for any other.
fn scripts(text: &str) -> impl Iterator<Item = usize> {
    text.chars().filter(|c| c.is_alphabetic()).map(|c| match c {
        'a'..='z' | 'A'..='Z' | 'À'..='ɏ' => 0,
        c if is_hangul(c) || is_lone_letter(c) => 1,
        _ => 2,
    })
}

impl TextContents {
    pub(in crate::llm) fn add(&mut self, text: &str, at: Option<Reference>) {
        let text = &unbracketed(text);
        // The value parser stops after some kilobytes; a mail may be longer.
        for part in split_for_parser(text) {
            let found = values(part, at);
            for one in &found {
                self.record_value(&one.value);
            }
            let words = words(part);
            self.keys.extend(words.iter().flat_map(|w| [key(&w.text), key(&w.stem), u64::from(w.hash)]));
            self.meanings.extend(meanings_of(part, &words, &found));
            self.values.extend(found);
        }
        self.figures.extend(figures(text));
        self.keys.sort_unstable();
        self.keys.dedup();
        self.meanings.sort_unstable();
        self.meanings.dedup();
        self.letters.push(' ');
        self.letters.push_str(&text.to_lowercase());
        scripts(text).for_each(|script| self.scripts[script] = true);
    }

    /// The number of letters in another text, and of those in scripts that these texts lack.
    pub(super) fn count_foreign(&self, text: &str) -> (usize, usize) {
        (scripts(text).count(), scripts(text).filter(|script| !self.scripts[*script]).count())
    }

    fn record_value(&mut self, value: &Value) {
        match value {
            Value::Date(date) => self.days.extend(date.on),
            Value::Range(ends) => {
                self.record_value(&ends.0);
                self.record_value(&ends.1);
            }
            _ => self.numbers.extend(value.amount()),
        }
    }

    /// Whether a value occurs, in any spelling.
    pub(in crate::llm) fn has(&self, value: &Value) -> bool {
        match value {
            Value::Date(Date { on: Some(day), .. }) if self.days.contains(day) => true,
            Value::Range(ends) => self.has(&ends.0) && self.has(&ends.1),
            _ => self.values.iter().any(|k| k.value == *value || k.value.compare(value) == Match::Same),
        }
    }

    /// Whether `run` occurs without characters of its kind before or after it.
    pub(super) fn has_run(&self, run: &str, goes_on: impl Fn(char) -> bool) -> bool {
        let is_edge = |c: Option<char>| !c.is_some_and(&goes_on);
        let ends = |at: usize| is_edge(self.letters[at + run.len()..].chars().next());
        self.letters.match_indices(run).any(|(at, _)| is_edge(self.letters[..at].chars().next_back()) && ends(at))
    }

    /// Whether a value or a compatible one occurs: Friday in "Tuesdays and Fridays".
    pub(in crate::llm) fn agrees(&self, value: &Value) -> bool {
        self.has(value) || self.values.iter().any(|k| k.value.agrees(value))
    }

    /// Whether a figure occurs, alone or as part of a date.
    pub(in crate::llm) fn has_figure(&self, figure: &str) -> bool {
        let parts = |d: &NaiveDate| [d.year(), d.year() % 100, d.month() as i32, d.day() as i32];
        let is_of_a_day = |n: i32| self.days.iter().any(|d| parts(d).contains(&n));
        self.figures.iter().any(|f| f == figure)
            || figure.parse().is_ok_and(is_of_a_day)
            || figure.parse().is_ok_and(|n| self.numbers.iter().any(|x| x.as_whole() == Some(n)))
    }

    pub(in crate::llm) fn has_name(&self, name: &str) -> bool {
        self.letters.contains(&*name.to_lowercase())
            || Sought::new(name, &Own::default()).keys().iter().any(|(k, _)| self.meanings.binary_search(k).is_ok())
    }

    pub(in crate::llm) fn has_word(&self, word: &Word) -> bool {
        let known = |key: u64| self.keys.binary_search(&key).is_ok();
        known(key(&word.text))
            || known(key(&word.stem))
            || known(word.hash.into())
            || word.kind == WordKind::Hangul && self.has_root(&word.text)
            || meanings(&word.text).iter().any(|k| self.meanings.binary_search(k).is_ok())
    }

    /// Whether a Korean word occurs with other endings: its first two syllables decide.
    fn has_root(&self, word: &str) -> bool {
        let root: String = word.chars().take(2).collect();
        root.chars().count() == 2 && self.letters.contains(&root)
    }
}

/// Removes the brackets around units: 430(만 원) becomes 430만 원.
pub(super) fn unbracketed(text: &str) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices('(') {
        let unit = words!("answers.units in brackets").iter().find(|unit| text[at..].starts_with(**unit));
        if let Some(unit) = unit.filter(|_| text[..at].ends_with(|c: char| c.is_ascii_digit())) {
            out.extend([&text[from..at], unit.trim_matches(['(', ')'])]);
            from = at + unit.len();
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Splits a text into pieces that the value parser takes whole.
fn split_for_parser(text: &str) -> impl Iterator<Item = &str> {
    fn cut(text: &str) -> Option<(&str, &str)> {
        let end = text.char_indices().nth(1_000).map_or(text.len(), |(at, _)| at);
        (!text.is_empty()).then(|| text.split_at(end))
    }
    text.split_inclusive('\n').flat_map(|line| successors(cut(line), |(_, rest)| cut(rest)).map(|(piece, _)| piece))
}

/// The digit runs of a text, without thousands separators and leading zeros.
pub(in crate::llm) fn figures(text: &str) -> impl Iterator<Item = String> + '_ {
    split(text, &Split::COUNTS).map(|run| {
        let d = run.replace(',', "");
        let bare = d.trim_start_matches('0');
        if bare.is_empty() { "0".to_owned() } else { bare.to_owned() }
    })
}

/// The sentences of a text, each with its end mark.
pub(in crate::llm) fn sentences(text: &str) -> Vec<&str> {
    let ends = |(at, c): (usize, char)| {
        let end = at + c.len_utf8();
        let spaced = text[end..].chars().next().is_none_or(char::is_whitespace);
        (c == '\n' || matches!(c, '.' | '!' | '?' | '。') && spaced).then_some(end)
    };
    let cuts: Vec<usize> = text.char_indices().filter_map(ends).chain([text.len()]).collect();
    let starts = std::iter::once(0).chain(cuts.clone());
    starts.zip(cuts).filter_map(|(from, to)| text.get(from..to)).filter(|s| !s.trim().is_empty()).collect()
}
