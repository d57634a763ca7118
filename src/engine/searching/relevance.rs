//! How probably a memory answers a question.
//!
//! The weights are fitted on the questions of the mailboxes for development, with those of other mailboxes as questions that nothing
//! answers. It says nothing of the order.

/// What speaks for a memory before it is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signals {
    /// What it has in the list by words.
    pub score: f32,
    /// What of the words of the question it has, by how rare they are.
    pub cover: f32,
    /// What it has for words beside the memory that has most.
    pub lead: f32,
    /// How alike the letters are.
    pub letters: f32,
    /// How near it is by an embedder elsewhere, on the scale of the bands.
    pub near: Option<f32>,
    /// Whether it lies in the time that is asked about.
    pub in_span: bool,
    /// Whether the question names it by a number or code of its own.
    pub named: bool,
}

/// Less probable answers are none.
pub(super) const LEAST: f32 = 0.005;
/// Letters that are less alike than this have no word in common that is spelt nearly so.
const ALIKE: f32 = 0.2;
/// What has no word of the question, but one that is spelt nearly so.
const SPELT: f32 = 0.025;
/// What has nothing of the question but what kind of thing it asks for.
pub(super) const GUESSED: f32 = 0.02;
/// What lies in the time that is asked about.
const LISTED: f32 = 0.37;

/// How probably a memory answers: `met` where it has any word of the question or another for the same, `listed` where it lies
/// in a time that says when.
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

/// Whether a memory may turn out to answer, once it is read.
pub(super) fn promises(s: &Signals, listed: bool) -> bool {
    let may_be_met = s.cover > 0.0 || s.named || s.letters >= ALIKE;
    relevance(s, may_be_met, listed || s.in_span) >= LEAST
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
