//! Text as it is read everywhere: folded, split into words, without particles; and the tables that words are found in.
//!
//! It knows how Korean and English are written. What a word means is for its users.

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
