//! Whether a part is worth keeping: one table of what never is, and the weights of the marks of all else.
//!
//! The weights are fitted by `examples/worth` on mailboxes of which is known what a thoughtful person would keep.

use super::marks::{MarksThere, marks, valued};
use super::part::{Context, PartKind, StatementPart, Worth};
use super::phrases::Said;
use super::plain::Plain;
use super::when::DateRole;
use crate::language::Reference;
use crate::mail::body::signature;
use crate::mark_weights::MarkWeights;

/// What never is worth a draft, whatever its marks.
const NEVER: [fn(&StatementPart) -> bool; 6] = [
    |p| p.cues.empty,
    |p| p.kind == PartKind::Heading,
    |p| p.text.chars().count() < 4,
    |p| signature::is_boilerplate(&p.text),
    |p| signature::is_footer_line(&p.text),
    is_a_mark,
];

/// From that chance on a part is enough for a draft, or something that needs company.
const ENOUGH: f32 = 0.56;
const SOMETHING: f32 = 0.1;
/// From that chance on what is due, or ends, on a day to come is enough.
const DUE: f32 = 0.3;
/// Likewise what answers with a number, or asks for another one in a reply; and where one meets.
const ANSWERS: f32 = 0.25;
const MEETS: f32 = 0.15;
/// From that chance on it will do where a mail says nothing else.
const LEAST: f32 = 0.35;
/// Likewise what tells a lasting fact, a decision or a change, or asks the owner for something.
const TELLS: f32 = 0.15;
/// By how much less will do in what the owner wrote to themself.
const OF_NOTES: f32 = 0.4;

static WEIGHTS: MarkWeights = MarkWeights::new(include_str!("weights.txt"));

/// Whether it never is worth a draft.
pub(super) fn is_never(part: &StatementPart) -> bool {
    NEVER.iter().any(|is| is(part))
}

/// Says of each part of a section what it is worth.
pub(super) fn classify(parts: &mut [StatementPart], context: &Context<'_>) {
    let valued = valued(parts);
    for n in 0..parts.len() {
        let never = is_never(&parts[n]);
        let chance = if never { 0.0 } else { chance(parts, n, valued, context) };
        let less = if context.sent.is_note { OF_NOTES } else { 1.0 };
        let enough = bar(&parts[n], context);
        let part = &mut parts[n];
        part.worth = match chance {
            _ if never => Worth::Nothing,
            c if c >= enough * less => Worth::Enough,
            c if c >= SOMETHING * less => Worth::Something,
            _ => Worth::Nothing,
        };
        let asks = context.direct && part.cues.request && part.words.len() >= 2;
        let tells = asks || part.cues.fact || part.cues.decision || part.cues.change;
        let least = if tells { TELLS } else { LEAST };
        part.will_do = !never && !part.cues.soft && chance >= least * less;
    }
}

/// The chance from which on a part is enough.
fn bar(part: &StatementPart, context: &Context<'_>) -> f32 {
    let asks = context.is_reply && context.direct && part.cues.request && part.held.count > 0;
    if Plain::new(&part.text).says(Said::Meets) {
        MEETS
    } else if asks || part.answers_with_a_number(context) {
        ANSWERS
    } else if is_due(part, context) {
        DUE
    } else {
        ENOUGH
    }
}

/// Whether it names a day to come by which something is due or ends.
fn is_due(part: &StatementPart, context: &Context<'_>) -> bool {
    let today = context.at.map(Reference::day);
    let ends = |role| matches!(role, DateRole::Deadline | DateRole::Until);
    part.moments.iter().any(|m| ends(m.role) && today.is_some_and(|t| m.day > t))
}

/// "Haha, 10/10": a mark, not a day in October.
fn is_a_mark(part: &StatementPart) -> bool {
    Plain::new(&part.text).says(Said::Laughs)
        && !part.moments.is_empty()
        && part.moments.iter().all(|m| part.text[m.start..m.end].contains('/'))
}

/// How likely a thoughtful person would keep it.
fn chance(parts: &[StatementPart], n: usize, valued: usize, context: &Context<'_>) -> f32 {
    let mut sheet = MarksThere::default();
    marks(parts, n, valued, context, &mut sheet);
    WEIGHTS.chance(&sheet.there)
}
