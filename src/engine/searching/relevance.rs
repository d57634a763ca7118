//! The order of hits, and the probability that a memory answers a question.
//!
//! The weights of both are fitted on the development mailboxes. Questions of other mailboxes serve
//! as questions without an answer.

/// The features of a candidate before it is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signals {
    /// Its score in the word list.
    pub score: f32,
    /// Share of the question's words that it contains, weighted by rarity.
    pub cover: f32,
    /// Its word score relative to the best memory's.
    pub lead: f32,
    /// Spelling similarity.
    pub letters: f32,
    /// Similarity by the remote embedder, on the scale of the bands.
    pub near: Option<f32>,
    /// Whether it is within the time span asked about.
    pub in_span: bool,
    /// Whether the question contains its number or code.
    pub named: bool,
    /// Whether a question about a topic is in another language.
    pub foreign: bool,
}

/// Weights of the order of hits, fitted listwise (docs/design/search.md).
const BY_SCORE: f32 = 2.6;
const BY_COVER: f32 = 3.8;
const BY_EMBEDDER: f32 = 18.0;
const BY_CODE: f32 = 2.3;
const BY_OTHER_LANGUAGE: f32 = 0.9;
/// Weight of the logarithm of a hit's strength.
const BY_STRENGTH: f32 = 4.0;
/// The similarity that counts as neither near nor far.
const MIDDLE: f32 = 0.5;
/// The expected similarity of a memory that the embedder has not seen, by its share of words.
const UNSEEN: f32 = 0.3;
const UNSEEN_COVER: f32 = 0.45;
/// Moves scores into the middle of 0–1.
const OFFSET: f32 = -3.0;

impl Signals {
    /// The score of a hit of this strength, 0–1. `embedded`: other candidates have a similarity by the remote embedder.
    pub fn order(&self, embedded: bool, strength: f32) -> f32 {
        let near = self.near.or_else(|| embedded.then_some(UNSEEN + UNSEEN_COVER * self.cover));
        let yes = |is: bool| f32::from(u8::from(is));
        let sum = BY_SCORE * self.score
            + BY_COVER * self.cover
            + BY_EMBEDDER * near.map_or(0.0, |near| near - MIDDLE)
            + BY_CODE * yes(self.named)
            + BY_OTHER_LANGUAGE * yes(self.foreign)
            + BY_STRENGTH * strength.ln();
        logistic(sum + OFFSET)
    }
}

/// Lowest relevance of a hit.
pub(super) const LEAST: f32 = 0.001;
/// Spelling similarity below which no word is nearly the same.
const ALIKE: f32 = 0.2;
/// Relevance of a memory with a similarly spelt word only.
const SPELT: f32 = 0.025;
/// Relevance of a memory with only the kind of value asked for.
pub(super) const GUESSED: f32 = 0.02;
/// Relevance of a memory in the time span asked about.
const LISTED: f32 = 0.37;

/// Returns the probability that a memory answers. `met`: it contains a word of the question or a
/// synonym. `listed`: it is within the time asked about.
pub(super) fn relevance(s: &Signals, met: bool, listed: bool) -> f32 {
    let (cover, lead) = if met { (s.cover, s.lead) } else { (0.0, 0.0) };
    let told = match s.near {
        Some(near) => logistic(-11.3 + 1.6 * cover + 2.75 * lead + 16.75 * near),
        None if cover > 0.0 => logistic(-5.5 + 6.7 * cover + 3.4 * lead).max(SPELT),
        None if met => SPELT,
        None => 0.0,
    };
    told.max(if listed { LISTED } else { 0.0 })
}

/// Whether a candidate may reach the lowest relevance once it is read.
pub(super) fn promises(s: &Signals, listed: bool) -> bool {
    let may_be_met = s.cover > 0.0 || s.named || s.letters >= ALIKE;
    relevance(s, may_be_met, listed || s.in_span) >= LEAST
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
