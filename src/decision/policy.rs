//! Policies: the similarity bands, the use of the local analyst, and when a model is asked.

use serde::{Deserialize, Serialize};

/// The cost level of decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Only the similarity bands.
    Fast,
    /// The local analyst, and a model if the analyst is uncertain.
    #[default]
    Balanced,
    /// As balanced, but a model is asked more often.
    Accurate,
}

/// The thresholds of the similarity bands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bands {
    /// Minimum score of a duplicate: SKIP.
    pub skip: f32,
    /// Minimum score of a newer version: UPDATE.
    pub update: f32,
    /// Minimum score of a related memory: CREATE + LINK. Below it: CREATE.
    pub link: f32,
}

/// The settings of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// The cost level.
    pub mode: Mode,
    /// The thresholds of the bands.
    pub bands: Bands,
    /// Whether the local analyst is consulted.
    pub use_property_analysis: bool,
    /// A model is asked about a candidate below this confidence: 0.85 in `balanced`, 0.97 in `accurate`.
    pub ask_below: f32,
    /// Without a model, an UPDATE or SKIP is written from this probability. Default 0.80.
    pub write_above: f32,
    /// Minimum score to ask a model. Default 0, because a score does not tell how two texts relate.
    pub llm_threshold_min: f32,
    /// Maximum score to ask a model. Default 1.
    pub llm_threshold_max: f32,
    /// Whether data from a source of higher priority is never overwritten.
    pub respect_source_priority: bool,
}

const BANDS: Bands = Bands { skip: 0.95, update: 0.80, link: 0.50 };

impl Policy {
    /// Only the bands: no analysis, no model.
    pub const FAST: Self = Self {
        mode: Mode::Fast,
        bands: BANDS,
        use_property_analysis: false,
        ask_below: 0.0,
        write_above: 0.80,
        llm_threshold_min: 0.0,
        llm_threshold_max: 1.0,
        respect_source_priority: true,
    };
    /// The default.
    pub const BALANCED: Self =
        Self { mode: Mode::Balanced, use_property_analysis: true, ask_below: 0.85, ..Self::FAST };
    /// Asks a model if the local analyst may be wrong, and before an important memory is replaced.
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
