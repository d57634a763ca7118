//! Rules on pairs, in order. The first match overrides the trees and the encoder's head (`make rules`).

mod contrasts;
mod repeats;

use super::Change;
use super::align::Alignment;
use super::changes::changes;
use super::frames::{Frame, FrameKind};
use super::losses::{find_loss, is_negated_form};
use super::notice::Notice;
use super::pairing::Pairing;
use super::reading::Reading;
use super::removal::Removal;
use super::roles::Roles;
use super::words::{Kind, Word, subject_end};
use crate::language::{Value, ValueKind, fold};
use contrasts::{
    denial, further_value, further_word, is_definite, is_property, other_instance, other_polarity, other_value,
    other_word, says_otherwise, shown, trait_contradiction,
};
use repeats::{is_repeated, is_turned};

const SKIP: usize = 0;
const UPDATE: usize = 1;
const LINK: usize = 2;

/// Minimum probability of an update that the new text announces or states as a denial.
const ANNOUNCED: f32 = 0.95;
/// Minimum probability where a value replaces, or may replace, the only one of its kind.
const REPLACED: f32 = 0.88;
const POSSIBLE: f32 = 0.5;
/// The probability of an update by a reply: written without a model, low enough to be asked about.
const TURNED: f32 = 0.81;
const MORE: f32 = 0.03;
/// Minimum probability of the same subject for such an update.
const MAY_BE_SAME: f32 = 0.4;
/// The probabilities of a text without news.
const KNOWN: [f32; 4] = [0.97, 0.01, 0.01, 0.01];
const RULED_OUT: f32 = 0.02;

/// A stored and a new reading with everything computed on the pair.
pub(super) struct PairCase<'a> {
    pub(super) a: &'a Reading,
    pub(super) b: &'a Reading,
    pub(super) al: &'a Alignment,
    pub(super) pairing: &'a Pairing,
    pub(super) roles: Option<&'a Roles>,
    pub(super) frame: Option<&'a Frame>,
    /// Whether both have the same words.
    pub(super) is_verbatim: bool,
    pub(super) removal: Option<&'a Removal>,
    pub(super) notice: Option<&'a Notice>,
    pub(super) announced: Option<&'a Change>,
}

impl PairCase<'_> {
    fn opposite(&self) -> Option<String> {
        let Self { a, b, al, pairing, .. } = *self;
        denial(a, b, al, pairing).or_else(|| {
            let frame = self.frame.filter(|f| f.kind != FrameKind::OtherSubject)?;
            let [x, y] = [&frame.was, &frame.is].map(|said| fold(said));
            let opposed = a.polarity().opposed(b.polarity());
            let is_opposed = opposed.is_some_and(|(s, t)| x.contains(s) && y.contains(t));
            (is_opposed || is_negated_form(&x, &y) || is_negated_form(&y, &x)).then(|| shown(&frame.was, &frame.is))
        })
    }

    fn framed(&self, kind: FrameKind) -> Option<String> {
        self.frame.filter(|f| f.kind == kind).map(|f| shown(&f.was, &f.is))
    }

    /// The stored and the new value, if the texts differ in one value of a single-valued property.
    fn replaced(&self, p: &[f32; 4]) -> Option<String> {
        let Self { a, b, al, pairing, .. } = *self;
        let one = matches!(most(p), LINK | UPDATE) && a.values.len() == 1;
        let is_single = |value: &Value| is_property(value) || value.kind() == ValueKind::Date && is_definite(a);
        (one && is_single(&a.values[0].value)).then(|| other_value(a, b, al, pairing)).flatten()
    }

    fn is_of_one_mail(&self) -> bool {
        self.a.source.is_some() && self.a.source == self.b.source
    }

    fn is_repeated(&self) -> bool {
        let is_otherwise = || self.roles.is_some_and(|r| says_otherwise(r, self.a, self.b));
        is_repeated(self.a, self.b) && !is_otherwise()
    }

    fn is_turned(&self) -> bool {
        !self.is_of_other_names() && is_turned(self.a, self.b, || changes(self.a, self.b, self.al, self.pairing))
    }

    /// Whether texts of different threads have different names in their subjects: the budgets of two projects.
    fn is_of_other_names(&self) -> bool {
        let Self { a, b, al, .. } = *self;
        let has_own = |r: &Reading, scores: &[f32]| {
            let is_name = |w: &Word| w.capital || r.is_listed(w) || w.kind == Kind::Hangul && w.sense.is_none();
            let unmet =
                r.words[..subject_end(&r.words)].iter().zip(scores).filter(|(w, met)| w.weight > 0.0 && **met == 0.0);
            unmet.into_iter().any(|(w, _)| is_name(w) && r.value_of(w).is_none())
        };
        !a.shares_thread(b) && has_own(a, &al.scores_a) && has_own(b, &al.scores_b)
    }
}

/// The index of the most probable outcome.
fn most(p: &[f32; 4]) -> usize {
    (0..4).max_by(|x, y| p[*x].total_cmp(&p[*y])).unwrap_or(0)
}

/// A rule: its stable id, its reason and its check.
pub struct PairRule {
    /// Code of its key factor.
    pub id: &'static str,
    /// Why the rule exists, in one sentence.
    pub why: &'static str,
    run: fn(&PairCase<'_>, &[f32; 4]) -> Option<PairVerdict>,
}

const fn rule(
    id: &'static str,
    why: &'static str,
    run: fn(&PairCase<'_>, &[f32; 4]) -> Option<PairVerdict>,
) -> PairRule {
    PairRule { id, why, run }
}

/// The effect on the probabilities, and the words as evidence, stored → new.
type PairVerdict = (RuleEffect, Option<String>);

#[derive(Clone, Copy, PartialEq)]
pub(super) enum RuleEffect {
    /// The new text certainly has no news.
    Known,
    /// The new text certainly changes, or negates, the stored memory.
    Announced,
    Denied,
    /// An update has at least this probability.
    Raise(f32),
    /// As `Raise`, whatever the encoder's head says.
    Turned(f32),
    /// An update rather than a related memory; the thresholds decide whether it is sure.
    Replaced,
    /// Moves the probability of the first outcomes to the second.
    Move(&'static [usize], usize),
    /// The new text has news: an update or a related memory.
    UpdateOrLink,
}

impl RuleEffect {
    fn on(self, mut p: [f32; 4]) -> [f32; 4] {
        match self {
            Self::Known => KNOWN,
            Self::Announced | Self::Denied => raised(p, ANNOUNCED),
            Self::Raise(update) | Self::Turned(update) => raised(p, update),
            Self::Replaced => Self::Move(&[LINK], UPDATE).on(p),
            Self::Move(from, to) => {
                for outcome in from {
                    let left = p[*outcome].min(RULED_OUT);
                    p[to] += p[*outcome] - left;
                    p[*outcome] = left;
                }
                p
            }
            Self::UpdateOrLink => {
                let half = (p[SKIP] - p[SKIP].min(RULED_OUT)) / 2.0;
                p[UPDATE] += half;
                p[LINK] += half;
                p[SKIP] = p[SKIP].min(RULED_OUT);
                p
            }
        }
    }
}

/// Raises an update to at least this probability and scales the others.
fn raised(p: [f32; 4], update: f32) -> [f32; 4] {
    let (update, rest) = (p[UPDATE].max(update), p[SKIP] + p[LINK] + p[3]);
    std::array::from_fn(|n| if n == UPDATE { update } else { p[n] / rest.max(1e-6) * (1.0 - update) })
}

/// A rule that matched, and the probabilities after it.
pub(super) struct AppliedRule {
    pub(super) id: &'static str,
    pub(super) evidence: Option<String>,
    pub(super) probabilities: [f32; 4],
    /// Whether the outcome is sure; `None` leaves that to the thresholds.
    pub(super) is_certain: Option<bool>,
    pub(super) effect: RuleEffect,
}

pub(super) fn apply(case: &PairCase<'_>, p: [f32; 4]) -> Option<AppliedRule> {
    let is_cut = case.a.cut || case.b.cut;
    // If a text was cut, only these rules can be certain.
    let mut rules = RULES.iter().filter(|rule| !is_cut || OF_CUT_TEXTS.contains(&rule.id));
    let (id, (effect, evidence)) = rules.find_map(|rule| Some((rule.id, (rule.run)(case, &p)?)))?;
    let is_certain = match effect {
        RuleEffect::Known | RuleEffect::Announced | RuleEffect::Denied => Some(true),
        RuleEffect::Replaced => None,
        _ => Some(false),
    };
    Some(AppliedRule { id, evidence, probabilities: effect.on(p), is_certain, effect })
}

const OF_CUT_TEXTS: [&str; 4] = ["same_words", "one_mail", "removal", "change_notice"];
const TO_LINK: RuleEffect = RuleEffect::Move(&[SKIP, UPDATE], LINK);
const KNOWN_TO_LINK: RuleEffect = RuleEffect::Move(&[SKIP], LINK);

fn fits(applies: bool, effect: RuleEffect) -> Option<PairVerdict> {
    applies.then_some((effect, None))
}

fn seen(evidence: Option<String>, effect: RuleEffect) -> Option<PairVerdict> {
    evidence.map(|words| (effect, Some(words)))
}

/// Evidence of news, if the pair would be skipped otherwise.
fn new_in(p: &[f32; 4], evidence: impl FnOnce() -> Option<String>, effect: RuleEffect) -> Option<PairVerdict> {
    if most(p) == SKIP { seen(evidence(), effect) } else { None }
}

pub const RULES: &[PairRule] = &[
    rule("same_words", "The same words say nothing new.", |c, _| fits(c.is_verbatim, RuleEffect::Known)),
    rule("one_mail", "A mail does not replace or repeat its own statements.", |c, _| fits(c.is_of_one_mail(), TO_LINK)),
    rule("removal", "The new text removes something stored.", |c, _| fits(c.removal.is_some(), RuleEffect::Announced)),
    rule(
        "change_notice",
        "The new text announces another value of a stored property, and names no other subject.",
        |c, _| {
            let is_told = c.notice.is_some() || c.announced.is_some();
            fits(is_told && !c.is_of_other_names(), RuleEffect::Announced)
        },
    ),
    rule("other_instance", "Another quarter, version or number is another thing.", |c, _| {
        seen(other_instance(c.a, c.b), TO_LINK)
    }),
    rule("denied", "The same words with a denial or an opposite replace the stored ones.", |c, _| {
        seen(c.opposite(), RuleEffect::Denied)
    }),
    rule("said_again", "A reminder whose numbers, dates and names are all stored says nothing new.", |c, _| {
        fits(c.is_repeated(), RuleEffect::Known)
    }),
    rule(
        "turned",
        "A later message of a thread, or of its author about the same subject, is an update if it has a word of change and another value.",
        |c, p| {
            let same = p[SKIP] + p[UPDATE];
            fits(same >= MAY_BE_SAME && c.is_turned(), RuleEffect::Turned(TURNED + MORE * same))
        },
    ),
    rule("denied_by_a_deed", "A deed denies what its author is: a vegetarian who eats meat.", |c, p| {
        if p[UPDATE] < POSSIBLE { seen(trait_contradiction(c.a, c.b), RuleEffect::Raise(POSSIBLE)) } else { None }
    }),
    rule("one_at_a_time", "Where a thing has one value at a time, another one replaces it.", |c, p| {
        if p[UPDATE] < REPLACED { seen(c.framed(FrameKind::Replaces), RuleEffect::Raise(REPLACED)) } else { None }
    }),
    rule("other_subject", "The same statement about another subject replaces nothing.", |c, p| {
        let other = || c.framed(FrameKind::OtherSubject);
        if matches!(most(p), SKIP | UPDATE) { seen(other(), TO_LINK) } else { None }
    }),
    rule("other_value", "The same words with another value are an update.", |c, p| {
        let other = || other_value(c.a, c.b, c.al, c.pairing).or_else(|| further_value(c.a, c.b));
        let replaced = seen(c.replaced(p), RuleEffect::Replaced);
        replaced.or_else(|| new_in(p, other, RuleEffect::Move(&[SKIP], UPDATE)))
    }),
    rule("other_roles", "Subject and object have changed places.", |c, p| {
        let exchanged = || c.roles?.swapped_words(c.a, c.b).map(|(x, y)| shown(x, y));
        new_in(p, exchanged, RuleEffect::UpdateOrLink)
    }),
    rule("other_polarity", "One text denies what the other says; a person has to look at it.", |c, p| {
        new_in(p, || other_polarity(c.a, c.b, c.al), RuleEffect::UpdateOrLink)
    }),
    rule("would_be_lost", "A name, code or value of the new text is not stored.", |c, p| {
        new_in(p, || find_loss(c.a, c.b, c.al), KNOWN_TO_LINK)
    }),
    rule("further_word", "A few words say all that is stored, and something more.", |c, p| {
        new_in(p, || further_word(c.a, c.b, c.al), KNOWN_TO_LINK)
    }),
    rule("other_word", "The same sentence has another word in one place.", |c, p| {
        new_in(p, || other_word(c.roles?, c.a, c.b), KNOWN_TO_LINK)
    }),
];
