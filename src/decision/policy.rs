//! Policies as values: which bands apply, whether the local analyst speaks, when a model is asked.

use serde::{Deserialize, Serialize};

/// How much is spent on a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The bands alone.
    Fast,
    /// The local analyst; a model only where it is not sure.
    #[default]
    Balanced,
    /// The same, with a model asked more often.
    Accurate,
}

/// The edges of the similarity bands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, tsify::Tsify)]
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// How much is spent.
    pub mode: Mode,
    /// The edges of the bands.
    pub bands: Bands,
    /// Whether the local analyst is consulted.
    pub use_property_analysis: bool,
    /// A model is asked about a candidate where the local analyst's most probable outcome is less probable than this.
    pub ask_below: f32,
    /// Without a model, an UPDATE or a SKIP is written from this probability on.
    pub write_above: f32,
    /// A model may be asked from this score on; 0 unless set, since a score says nothing of what two texts are.
    pub llm_threshold_min: f32,
    /// A model may be asked up to this score; 1 unless set.
    pub llm_threshold_max: f32,
    /// An UPDATE or a SKIP that a model proposes needs at least this score; 0 unless set.
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
        ask_below: 0.0,
        write_above: 0.80,
        llm_threshold_min: 0.0,
        llm_threshold_max: 1.0,
        min_update_score: 0.0,
        respect_source_priority: true,
    };
    /// The default.
    pub const BALANCED: Self =
        Self { mode: Mode::Balanced, use_property_analysis: true, ask_below: 0.85, ..Self::FAST };
    /// A model wherever the local analyst may be wrong, and about what would replace something important.
    pub const ACCURATE: Self = Self { mode: Mode::Accurate, ask_below: 0.97, ..Self::BALANCED };

    /// The policy of a mode.
    pub const fn of(mode: Mode) -> Self {
        match mode {
            Mode::Fast => Self::FAST,
            Mode::Balanced => Self::BALANCED,
            Mode::Accurate => Self::ACCURATE,
        }
    }
}
