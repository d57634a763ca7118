//! A parsed number, before its unit is known.

use super::number::Number;

/// Digits with thousands separators and decimals.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figure {
    pub end: usize,
    pub number: Number,
    /// Digits before the decimal separator.
    pub whole: usize,
    pub decimals: usize,
    pub grouped: bool,
}

/// A number and how it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    pub end: usize,
    pub number: Number,
    /// In native Korean numerals (열두), which count hours, people and things, but not minutes.
    pub native: bool,
    pub words: bool,
    /// With a power of ten (억, million).
    pub scaled: bool,
    /// A single scale word (만, 백), which also starts many other words.
    pub lone: bool,
}

impl Amount {
    pub(super) const fn new(number: Number, end: usize) -> Self {
        Self { end, number, native: false, words: false, scaled: false, lone: false }
    }
}
