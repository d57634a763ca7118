//! The importance of a memory: 0.4 plus the weights of its factors, at most 1.

use serde::{Deserialize, Deserializer, Serialize};

/// A reason why a memory is important.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Factor {
    /// It mentions an amount of money.
    ContainsMoney,
    /// It has a deadline.
    HasDeadline,
    /// A person whom the owner marked as important wrote it.
    FromImportantPerson,
    /// It asks someone to act.
    ContainsAction,
    /// Several people are involved.
    MultiPerson,
    /// It belongs to a longer mail thread.
    IsReplyChain,
}

impl Factor {
    /// The weight that the factor adds to the importance.
    pub const fn weight(self) -> f32 {
        match self {
            Self::ContainsMoney => 0.3,
            Self::HasDeadline | Self::FromImportantPerson => 0.2,
            Self::ContainsAction => 0.15,
            Self::MultiPerson => 0.1,
            Self::IsReplyChain => 0.05,
        }
    }
}

/// A factor with its weight and evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportanceFactor {
    /// The factor.
    pub factor: Factor,
    /// The weight that it adds, 0–1.
    pub weight: f32,
    /// The quoted evidence, such as `500만원`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

impl ImportanceFactor {
    /// The factor with its standard weight.
    pub fn new(factor: Factor, evidence: Option<String>) -> Self {
        Self { factor, weight: factor.weight(), evidence }
    }
}

/// The importance: 0.4 plus the weights of the factors, at most 1.
pub fn importance_of(factors: &[ImportanceFactor]) -> f32 {
    // Summed in f64 and rounded, so that 0.4 + 0.3 + 0.2 is exactly 0.9, a tier's lower bound.
    let sum: f64 = 0.4 + factors.iter().map(|f| f64::from(f.weight)).sum::<f64>();
    ((sum.clamp(0.0, 1.0) * 1e4).round() / 1e4) as f32
}

/// The tier of an importance value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Below 0.4.
    Low,
    /// At least 0.4.
    Medium,
    /// At least 0.7.
    High,
    /// At least 0.9.
    Critical,
}

/// Parses an importance: a number, or the name of a tier, which gives the tier's [`Tier::least`].
pub(super) fn importance_or_tier<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f32>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "is not a number from 0 to 1, nor critical, high, medium or low")]
    enum Importance {
        Number(f32),
        Tier(Tier),
    }
    let given = Option::<Importance>::deserialize(from)?;
    Ok(given.map(|importance| match importance {
        Importance::Number(number) => number,
        Importance::Tier(tier) => tier.least(),
    }))
}

impl Tier {
    /// The lowest importance to report in this tier. For `low`, that is the importance of an offer.
    pub fn least(self) -> f32 {
        match self {
            Self::Low => 0.2,
            Self::Medium => 0.4,
            Self::High => 0.7,
            Self::Critical => 0.9,
        }
    }
}
