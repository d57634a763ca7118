//! Policies as values: which bands apply, whether the local analyst speaks, when a model is asked.

use serde::{Deserialize, Serialize};

/// How much is spent on a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The bands alone.
    Fast,
    /// The local analyst; a model only where it is not sure.
    #[default]
    Balanced,
    /// The local analyst, and a model wherever one is set.
    Accurate,
}

/// The edges of the similarity bands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bands {
    /// From here on a memory is a duplicate: SKIP.
    pub skip: f32,
    /// From here on it is a newer version: UPDATE.
    pub update: f32,
    /// From here on it is related: CREATE + LINK. Below: CREATE.
    pub link: f32,
}

/// Everything that a decision depends on besides the memories.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// How much is spent.
    pub mode: Mode,
    /// The edges of the bands.
    pub bands: Bands,
    /// Whether the local analyst is consulted.
    pub use_property_analysis: bool,
    /// A model may be asked from this score on.
    pub llm_threshold_min: f32,
    /// A model may be asked up to this score.
    pub llm_threshold_max: f32,
    /// An UPDATE that a model proposes needs at least this score.
    pub min_update_score: f32,
    /// Whether existing data of a higher source priority stands.
    pub respect_source_priority: bool,
}

const BANDS: Bands = Bands { skip: 0.95, update: 0.80, link: 0.50 };

impl Policy {
    /// The bands alone: no analysis, no model.
    pub const FAST: Self = Self {
        mode: Mode::Fast,
        bands: BANDS,
        use_property_analysis: false,
        llm_threshold_min: 0.0,
        llm_threshold_max: 0.0,
        min_update_score: 0.70,
        respect_source_priority: true,
    };
    /// The default.
    pub const BALANCED: Self = Self {
        mode: Mode::Balanced,
        use_property_analysis: true,
        llm_threshold_min: 0.50,
        llm_threshold_max: 0.95,
        ..Self::FAST
    };
    /// A model wherever one is set, over a wider span.
    pub const ACCURATE: Self =
        Self { mode: Mode::Accurate, llm_threshold_min: 0.30, llm_threshold_max: 0.98, ..Self::BALANCED };

    /// The policy of a mode.
    pub const fn of(mode: Mode) -> Self {
        match mode {
            Mode::Fast => Self::FAST,
            Mode::Balanced => Self::BALANCED,
            Mode::Accurate => Self::ACCURATE,
        }
    }
}
