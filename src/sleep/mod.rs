//! The rules of the sleep cycle: decay, tags, clusters and summaries, as pure functions.

mod clusters;
mod decay;
mod facts;
mod folding;
mod session_graph;
mod tags;

pub use clusters::{
    Kin, LEAST_LIKENESS, MOST_MEMBERS, MergeCandidates, canonical_key, cluster, is_candidate, is_one_tag,
    is_small_talk, is_worth_asking, rank_of, weight_of,
};
pub use decay::{SleepFigures, TaggingFigures, is_promotable, judged, reinforced, strength, strength_within, tier};
pub use facts::{MOST_TOKENS, SourceText, invented, lost, refusal, tokens_of};
pub use folding::{Folding, folded, told};
pub use session_graph::{SessionGraph, adopt_node, checked, combine_weights, node_of, same_query};
pub use tags::{Tagged, is_telling, named, tags};
