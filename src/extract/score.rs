//! How likely a thoughtful person would keep a part of a mail: marks of its values, place and form, and its runs of characters.
//!
//! The weights are fitted by `examples/worth` on mails of which it is known what is worth keeping.

use super::drafter::Drafter;
use super::split::LineForm;
use super::unit::ScoredPart;
use crate::language::{Reference, Value, ngrams};
use std::sync::OnceLock;

/// There are `2^BITS` places for runs of characters.
pub(super) const BITS: u32 = 13;

/// What each mark is called, in the order of their weights.
#[rustfmt::skip]
pub(super) const MARKS: [&str; 20] = [
    "no value", "three values or more", "a day to come", "only days that are over", "money", "a time of day",
    "a code or number", "by a desk", "over a list", "a reply", "forwarded", "a note", "first", "last",
    "of one or two", "begins a paragraph", "a row or an item", "a full stop", "a question", "eight words or more",
];

/// The marks of the `n`th part of a section.
pub(super) fn marks(parts: &[ScoredPart], n: usize, drafter: &Drafter<'_>) -> [bool; MARKS.len()] {
    let (part, mail) = (&parts[n], drafter.mail);
    let today = drafter.at.map(Reference::day);
    let has = |is: fn(&Value) -> bool| part.found.iter().any(|f| is(&f.value));
    let is_ahead = |day| today.is_some_and(|t| day > t);
    let text = part.text.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '?'));
    [
        part.found.is_empty(),
        part.found.len() >= 3,
        part.moments.iter().any(|m| is_ahead(m.day)),
        !part.moments.is_empty() && !part.moments.iter().any(|m| today.is_none_or(|t| m.day >= t)),
        has(|v| matches!(v, Value::Money { .. })),
        has(|v| matches!(v, Value::Clock(_)) || matches!(v, Value::Range(ends) if matches!(ends.0, Value::Clock(_)))),
        has(|v| matches!(v, Value::Identifier(_) | Value::Quantity { .. })),
        drafter.is_by_desk,
        mail.bulk.list || mail.bulk.unsubscribe,
        mail.is_reply,
        drafter.is_forwarded,
        drafter.is_note,
        n == 0,
        n + 1 == parts.len(),
        parts.len() <= 2,
        n == 0 || parts[n - 1].paragraph != part.paragraph,
        part.form.is_listed(),
        text.ends_with('.'),
        text.ends_with('?'),
        part.text.split_whitespace().count() >= 8 || part.form != LineForm::Sentence && part.text.contains(" | "),
    ]
}

/// The fitted weights: three numbers of four bytes each for what is always added, the size of a step of a mark and of a
/// run, then a byte for each mark and each place.
pub(super) struct WorthTable {
    bias: f32,
    mark_step: f32,
    run_step: f32,
    weights: &'static [u8],
}

static TABLE: OnceLock<WorthTable> = OnceLock::new();
const BYTES: &[u8] = include_bytes!("worth.bin");

impl WorthTable {
    fn shipped() -> &'static Self {
        TABLE.get_or_init(|| {
            let number = |n: usize| {
                let bytes = BYTES.get(4 * n..4 * n + 4).and_then(|b| b.try_into().ok());
                f32::from_le_bytes(bytes.unwrap_or_default())
            };
            let weights = BYTES.get(12..).unwrap_or_default();
            Self { bias: number(0), mark_step: number(1), run_step: number(2), weights }
        })
    }

    fn chance(&self, marks: &[bool], text: &str) -> f32 {
        let weight = |n: usize| f32::from(self.weights.get(n).map_or(0, |b| b.cast_signed()));
        let there = marks.iter().enumerate().filter(|(_, is)| **is);
        let of_marks: f32 = there.map(|(n, _)| weight(n)).sum();
        let places = ngrams(text, BITS);
        let of_runs: f32 = places.iter().map(|p| weight(marks.len() + *p as usize)).sum();
        // A long text has more runs, and is not worth more for that.
        let of_runs = of_runs / (places.len().max(1) as f32).sqrt();
        1.0 / (1.0 + (-(self.bias + self.mark_step * of_marks + self.run_step * of_runs)).exp())
    }
}

/// The chance of the `n`th part of a section, 0–1.
pub(super) fn chance(parts: &[ScoredPart], n: usize, drafter: &Drafter<'_>) -> f32 {
    WorthTable::shipped().chance(&marks(parts, n, drafter), &parts[n].text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_weight_for_each_mark_and_place() {
        assert_eq!(BYTES.len(), 12 + MARKS.len() + (1 << BITS));
    }
}
