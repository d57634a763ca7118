//! Generations, tags and the sleep cycle as rules: what fades, what belongs together, what may stand for several.
//!
//! Functions from values to values, with the time as an argument. It never reads a store, asks a model or plans a commit.

mod clusters;
mod decay;
mod facts;
mod folding;
mod keys;
mod table;
mod tags;
mod young;

pub use clusters::{
    BUDGET_SHARE, Kin, LEAST_LIKENESS, LEAST_MEMBERS, MODEL_LIKENESS, MODEL_WEIGHT, MOST_MEMBERS, MergeCandidates,
    cluster, is_candidate, is_worth_asking, rank_of, weight_of,
};
pub use decay::{
    COLD_AFTER_DAYS, Keeping, STUB_AFTER_DAYS, is_promotable, judged, reinforced, strength, strength_within, tier,
};
pub use facts::{MOST_TOKENS, SourceText, invented, lost, refusal, tokens_of};
pub use folding::{Folding, folded, told};
pub use keys::{canonical_key, is_small_talk};
pub use tags::{MOST_TAGS, Tagged, WINDOW, is_telling, named, tags};
pub use young::{TAU_DUP, Young, adopted, checked, count, node_of, same_query, stronger};
