//! Scores how likely a part of a mail is worth keeping, by logistic regression. The features are its values, position,
//! form and character n-grams. `examples/worth` fits the weights on labelled mails.

use super::drafter::Drafter;
use super::split::LineForm;
use super::unit::ScoredPart;
use crate::language::{Reference, Value, ngrams};

pub(super) const HASH_BITS: u32 = 13;

/// The name of each feature, in the order of the weights.
#[rustfmt::skip]
pub(super) const FEATURES: [&str; 20] = [
    "no value", "three values or more", "a day to come", "only days that are over", "money", "a time of day",
    "a code or number", "by a desk", "over a list", "a reply", "forwarded", "a note", "first", "last",
    "of one or two", "begins a paragraph", "a row or an item", "a full stop", "a question", "eight words or more",
];

pub(super) fn features(parts: &[ScoredPart], n: usize, drafter: &Drafter<'_>) -> [bool; FEATURES.len()] {
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

/// The fitted weights: three 4-byte floats (bias, feature scale and n-gram scale), then one byte for each feature and
/// bucket.
const WEIGHTS: &[u8] = include_bytes!("worth.bin");

pub(super) fn score(parts: &[ScoredPart], n: usize, drafter: &Drafter<'_>) -> f32 {
    let (numbers, weights) = WEIGHTS.split_at_checked(12).unwrap_or_default();
    let number = |n: usize| numbers.as_chunks().0.get(n).map_or(0.0, |b| f32::from_le_bytes(*b));
    let weight = |n: usize| f32::from(weights.get(n).map_or(0, |b| b.cast_signed()));
    let features = features(parts, n, drafter);
    let feature_sum: f32 = features.iter().enumerate().filter(|(_, is)| **is).map(|(n, _)| weight(n)).sum();
    let buckets = ngrams(&parts[n].text, HASH_BITS);
    let ngram_sum: f32 = buckets.iter().map(|p| weight(features.len() + *p as usize)).sum();
    // Normalise by length: a longer text is not worth more for having more n-grams.
    let ngram_sum = ngram_sum / (buckets.len().max(1) as f32).sqrt();
    1.0 / (1.0 + (-(number(0) + number(1) * feature_sum + number(2) * ngram_sum)).exp())
}
