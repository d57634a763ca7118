//! [`Around`]: a value with the words before and after it, from which rules infer its meaning.

use super::{Date, Found, Span, Value};

/// Characters that end a sentence, and a clause.
pub(super) const SENTENCE: [char; 5] = ['.', '!', '?', '\n', ';'];
pub(super) const CLAUSE: [char; 7] = ['.', '!', '?', '\n', ';', ',', ':'];
/// Maximum gap in bytes between two names of one day: "the 19th, still the Thursday".
const ADJACENT_BYTES: usize = 16;

/// A value of a text among its neighbours.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// In lower case, with the bytes of the original.
    pub text: &'a str,
    pub values: &'a [Found],
    pub span: Span,
    /// Its place among the values.
    pub n: usize,
}

impl<'a> Around<'a> {
    pub fn all(text: &'a str, values: &'a [Found]) -> impl Iterator<Item = Self> {
        values.iter().enumerate().map(move |(n, found)| Self { text, values, span: found.span, n })
    }

    pub fn value(self) -> &'a Value {
        &self.values[self.n].value
    }

    pub fn phrase(self) -> &'a str {
        self.span.of(self.text)
    }

    pub fn before(self) -> &'a str {
        &self.text[..self.span.start]
    }

    pub fn after(self) -> &'a str {
        &self.text[self.span.end..]
    }

    /// The part before it from the last of some characters on.
    pub fn since(self, ends: &[char]) -> &'a str {
        self.before().rsplit(ends).next().unwrap_or_default()
    }

    /// The part after it up to the first of some characters.
    pub fn until(self, ends: &[char]) -> &'a str {
        self.after().split(ends).next().unwrap_or_default()
    }

    /// The values before it in the part of [`Self::since`].
    pub fn values_since(self, ends: &[char]) -> &'a [Found] {
        let from = self.span.start - self.since(ends).len();
        let all = &self.values[..self.n];
        &all[all.partition_point(|f| f.span.start < from)..]
    }

    pub fn last_word(self) -> &'a str {
        let is_end = |c: char| !c.is_alphanumeric() && c != '\'';
        self.before().trim_end().rsplit(is_end).next().unwrap_or_default()
    }

    /// The values directly before and after it, within its sentence.
    pub fn adjacent(self) -> impl Iterator<Item = &'a Found> {
        let Self { text, values, span, n } = self;
        let near = move |from: usize, to: usize| {
            text.get(from..to).is_some_and(|gap| gap.len() <= ADJACENT_BYTES && !gap.contains(SENTENCE))
        };
        let last = values[..n].last().filter(|f| near(f.span.end, span.start));
        last.into_iter().chain(values.get(n + 1).filter(|f| near(span.end, f.span.start)))
    }
}

impl Value {
    /// The weekday of a date without anything else.
    pub(super) const fn bare_weekday(&self) -> Option<u8> {
        match self {
            Self::Date(Date { month: None, day: None, shift: None, weekday, .. }) => *weekday,
            _ => None,
        }
    }

    /// Whether it is a day of the month without anything else.
    pub(super) const fn is_bare_day(&self) -> bool {
        matches!(self, Self::Date(Date { day: Some(_), month: None, weekday: None, shift: None, .. }))
    }
}
