//! Generations, tags and the sleep cycle as rules: what fades, what belongs together, what may stand for several.
//!
//! Functions from values to values, with the time as an argument. It never reads a store, asks a model or plans a commit.

mod decay;

pub use decay::{COLD_AFTER_DAYS, STUB_AFTER_DAYS, is_promotable, judged, reinforced, strength, tier};
