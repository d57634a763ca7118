//! Script-level text processing: folding, tokens, particles, stems, and word tables. It knows spelling, not meaning.

pub(super) mod common;
pub(super) mod folded;
pub(super) mod hangul;
pub(super) mod hash;
pub(super) mod list;
pub(super) mod names;
pub(super) mod ngrams;
pub(super) mod normal;
pub(super) mod particles;
pub(super) mod phrases;
pub(super) mod runs;
pub(super) mod scan;
pub(super) mod stem;
pub(super) mod table;
pub(super) mod tokens;
