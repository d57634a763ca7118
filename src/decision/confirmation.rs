//! Who may change what a mail taught: one ordered table of rules, of which the first that fits decides.
//!
//! It never decides what two texts are to each other: it takes a decision and says whether it is written as confirmed, written as
//! provisional, or kept for the owner.

use super::details::{Detail, account_lost, detail_changed, other_detail, share_topic};
use super::likeness::look_alike;
use super::matter::ask_what_is_contested;
use super::{Analyst, Candidate, Decided, Decision, Link, Reason, Ruling, Speaker, TrustRule};
use crate::model::{Conflict, Draft, Id, Memory, Source, same_address};

/// All that a rule may look at.
struct Case<'a> {
    draft: &'a Draft,
    speaker: &'a Speaker,
    /// The memory that would be replaced, with its confirmed statements alone.
    old: &'a Memory,
    /// A detail by whose change people are robbed.
    detail: Option<Detail>,
    /// Everybody who has told what is known of the matter, or was involved.
    parties: &'a [&'a str],
    /// Whose words it rests on, besides the sender's.
    lenders: &'a [Lender],
    /// Whether it rests on another's subject line alone.
    only_quotes: bool,
}

/// Somebody else in whose words a change was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lender {
    /// Their address, where it is known who they are.
    pub address: Option<String>,
    /// Whether they may change the memory themself, or the sender may pass it on.
    pub has_standing: bool,
}

/// A rule of SPEC § 7.
pub struct TrustRow {
    /// Its id in the log entry.
    pub id: TrustRule,
    /// What becomes of the change.
    pub ruling: Ruling,
    /// When it fits, in one clause.
    pub when: &'static str,
    fits: fn(&Case<'_>) -> bool,
}

const fn rule(id: TrustRule, ruling: Ruling, when: &'static str, fits: fn(&Case<'_>) -> bool) -> TrustRow {
    TrustRow { id, ruling, when, fits }
}

/// The rules of SPEC § 7, in order: the first that fits decides.
pub const TRUST_RULES: &[TrustRow] = &[
    rule(TrustRule::Owner, Ruling::Confirmed, "the owner says so, in their own words", |c| {
        c.speaker.is_owner && !c.only_quotes && c.lends_standing()
    }),
    // 1. What only the owner changes.
    rule(TrustRule::SensitiveDetail, Ruling::Review, "an account, address or login would change", |c| {
        c.detail.is_some()
    }),
    rule(TrustRule::HigherSource, Ruling::Review, "a note of the owner would change", |c| {
        c.old.source_type == Source::UserInput
    }),
    // 2. What looks forged.
    rule(TrustRule::FailedAuthentication, Ruling::Review, "a check disowns the sender", |c| c.speaker.is_disowned),
    rule(
        TrustRule::NoAuthentication,
        Ruling::Review,
        "no check vouches for the sender, as one does for other mail",
        |c| c.speaker.is_unchecked,
    ),
    rule(TrustRule::LookAlike, Ruling::Review, "the address only looks like a known one", |c| c.looks_like().is_some()),
    rule(TrustRule::Instructs, Ruling::Review, "the text instructs an assistant", |c| c.speaker.steers),
    rule(TrustRule::DateOutside, Ruling::Review, "the mail's date is impossible", |c| c.speaker.is_ahead),
    rule(TrustRule::OtherEvent, Ruling::Review, "an invitation is to another event or by another organizer", |c| {
        !c.speaker.is_of_one_event(c.draft, c.old)
    }),
    rule(TrustRule::UnknownSpeaker, Ruling::Review, "the speaker of the words is unknown", |c| {
        // A tool's words have nobody who reports them.
        let is_tool = c.draft.source_type != Source::Realtime && c.old.source_type == Source::Realtime;
        is_tool || c.only_quotes || c.lenders.iter().any(|l| l.address.is_none() && !l.has_standing)
    }),
    // 3. Standing through confirmed statements.
    rule(TrustRule::Standing, Ruling::Confirmed, "the sender has standing through confirmed statements", |c| {
        c.lends_standing() && c.speaker.may_replace(c.draft, c.old)
    }),
    // 4. Anybody else.
    rule(TrustRule::Anybody, Ruling::Provisional, "anybody else says so", |_| true),
];

impl Case<'_> {
    /// Whether everybody in whose words it was told may change the memory.
    fn lends_standing(&self) -> bool {
        self.lenders.iter().all(|lender| lender.has_standing)
    }

    /// What speaks against the sender, besides what the rule says.
    fn doubt(&self) -> Option<Reason> {
        why_doubted(Some(self.speaker), self.draft, Some(self.old), self.parties)
    }

    /// The known address that the sender's only looks like.
    fn looks_like(&self) -> Option<&str> {
        looks_like(self.speaker, Some(self.old), self.parties)
    }
}

/// The address of somebody involved that the speaker's only looks like.
fn looks_like<'a>(speaker: &Speaker, old: Option<&Memory>, parties: &[&'a str]) -> Option<&'a str> {
    let own = speaker.address.as_deref().filter(|_| !speaker.is_known)?;
    let is_party = old.is_some_and(|m| m.authors().any(|author| same_address(author, own)));
    if is_party { None } else { look_alike(own, parties.iter().copied()) }
}

/// What speaks against the sender of a sensitive detail, besides that it is one.
fn why_doubted(speaker: Option<&Speaker>, draft: &Draft, old: Option<&Memory>, parties: &[&str]) -> Option<Reason> {
    let speaker = speaker?;
    let alike = || {
        let like = looks_like(speaker, old, parties)?.to_owned();
        Some(Reason::Unproven { rule: TrustRule::LookAlike, like: Some(like) })
    };
    let stranger = || {
        let old = old.filter(|m| !speaker.may_replace(draft, m))?;
        Some(Reason::NoStanding { author: old.authors().next().map(str::to_owned) })
    };
    speaker.doubt().or_else(alike).or_else(stranger)
}

/// What a change rests on, besides the decision.
#[derive(Debug)]
pub struct Basis<'a> {
    /// The new memory.
    pub draft: &'a Draft,
    /// The words that it rests on, where a model has worded it.
    pub said: Option<&'a str>,
    /// Who says so; absent where an application hands over a draft of its own.
    pub speaker: Option<&'a Speaker>,
    /// Whose words it rests on, besides the sender's.
    pub lenders: &'a [Lender],
    /// What it was compared with.
    pub known: &'a [(Candidate, Memory)],
    /// The memory that it is about with its confirmed statements alone, where it has others.
    pub confirmed: Option<&'a Memory>,
}

/// The decision as it may be carried out. What is kept for review stands beside what it would have replaced, linked and flagged; what
/// the local analyst is not sure of is asked where there is something to ask.
pub fn guard(decided: Decided, basis: &Basis<'_>) -> Decided {
    let mut decided = ruled_by(decided, basis);
    ask_what_is_contested(&mut decided, basis.draft, basis.known);
    decided
}

fn ruled_by(mut decided: Decided, basis: &Basis<'_>) -> Decided {
    let Basis { draft, said, speaker, known, .. } = *basis;
    let stored = |id: Id| known.iter().find(|(c, _)| c.id == id).map(|(_, m)| m);
    let target = decided.target.and_then(stored);
    // An application's own draft has nobody who reports it.
    let is_owner = speaker.map_or(draft.source_type == Source::UserInput, |speaker| speaker.is_owner);
    // What a mail links for its account alone is another one's.
    let is_of_topic = |m: &&Memory| speaker.is_none() || share_topic(&draft.content, &m.content);
    let others = decided.links.iter().filter_map(|l| stored(l.id)).filter(is_of_topic);
    let replaced = target.filter(|_| decided.decision == Decision::Update);
    let detail = (!is_owner && decided.decision != Decision::Skip).then(|| {
        let about = replaced.or(target.filter(is_of_topic));
        let changed = detail_changed(draft, said, about.into_iter().chain(others));
        // Whoever words a memory anew may leave out where money goes.
        changed
            .or_else(|| replaced.filter(|_| said.is_some()).and_then(|old| account_lost(&draft.content, &old.content)))
    });
    let detail = detail.flatten();
    // Those of the memory that it is about first.
    let all = target.into_iter().chain(known.iter().map(|(_, m)| m));
    let parties: Vec<&str> = all.flat_map(|m| m.authors().chain(m.people.iter().map(String::as_str))).collect();
    let confirms = target.filter(|m| decided.decision == Decision::Skip && m.is_provisional());
    if let Some((speaker, old)) = speaker.zip(replaced.or(confirms)) {
        let old = basis.confirmed.unwrap_or(old);
        let by_rules = decided.decision == Decision::Update && decided.analyst == Analyst::Local;
        let only_quotes = by_rules && speaker.only_quotes(&decided, draft, old);
        let lenders = basis.lenders;
        let case = Case { draft, speaker, old, detail, parties: &parties, lenders, only_quotes };
        decided = case.settle(decided);
    } else if let Some(detail) = detail {
        decided = sensitive(decided, detail, why_doubted(speaker, draft, target, &parties));
    }
    if detail.is_none()
        && !is_owner
        && decided.decision != Decision::Skip
        && let Some((other, detail)) = other_detail(draft, known)
    {
        decided = sensitive(decided, detail, why_doubted(speaker, draft, stored(other), &parties));
        if decided.decision == Decision::Create {
            decided.decision = Decision::CreateAndLink;
            decided.target = Some(other);
        }
        decided.links.push(Link::of_doubt(other, decided.confidence));
    }
    if speaker.is_some_and(|speaker| speaker.is_ahead) && !decided.reasons.contains(&Reason::DateAhead) {
        flag(&mut decided, Reason::DateAhead);
    }
    decided
}

/// A decision with another account, address or login waits for the owner; `doubt` speaks against its sender.
fn sensitive(decided: Decided, detail: Detail, doubt: Option<Reason>) -> Decided {
    let decided = ruled(decided, TrustRule::SensitiveDetail, Ruling::Review);
    let mut decided = beside(decided, Reason::SensitiveChange { detail: detail.as_str().to_owned() });
    decided.reasons.extend(doubt);
    decided
}

impl Case<'_> {
    /// The decision as the first rule that fits has it.
    fn settle(&self, mut decided: Decided) -> Decided {
        let Some(TrustRow { id, ruling, .. }) = TRUST_RULES.iter().find(|rule| (rule.fits)(self)) else {
            return decided;
        };
        decided = ruled(decided, *id, *ruling);
        let author = self.old.authors().next().map(str::to_owned);
        match (ruling, id) {
            // A note stands by the priority of its source, which the plan goes by as well.
            (Ruling::Review, TrustRule::HigherSource) | (Ruling::Confirmed, _) => {}
            _ if decided.decision == Decision::Skip => {}
            (Ruling::Provisional, _) => {
                let lender = self.lenders.iter().find(|l| !l.has_standing).map(|l| l.address.clone());
                decided.reported_by = lender.unwrap_or_else(|| self.speaker.shown.clone());
                decided.reasons.insert(0, Reason::NoStanding { author });
            }
            (Ruling::Review, TrustRule::SensitiveDetail) => {
                if let Some(detail) = self.detail {
                    decided = sensitive(decided, detail, self.doubt());
                }
            }
            (Ruling::Review, TrustRule::DateOutside) => decided = beside(decided, Reason::DateAhead),
            (Ruling::Review, TrustRule::OtherEvent | TrustRule::UnknownSpeaker) => {
                decided = beside(decided, Reason::NoStanding { author: None });
            }
            (Ruling::Review, rule) => {
                let like = self.looks_like().filter(|_| *rule == TrustRule::LookAlike).map(str::to_owned);
                decided = beside(decided, Reason::Unproven { rule: *rule, like });
            }
        }
        decided
    }
}

fn ruled(decided: Decided, rule: TrustRule, ruling: Ruling) -> Decided {
    Decided { rule: Some(rule), ruling: Some(ruling), ..decided }
}

pub(super) fn flag(decided: &mut Decided, reason: Reason) {
    decided.needs_review = true;
    decided.reasons.insert(0, reason);
}

/// Both are kept, linked and flagged.
pub fn beside(mut decided: Decided, reason: Reason) -> Decided {
    if decided.decision == Decision::Update {
        decided.decision = Decision::CreateAndLink;
        decided.conflict = Conflict::Overlap;
        if let Some(id) = decided.target {
            decided.links.retain(|l| l.id != id);
            decided.links.insert(0, Link::of_doubt(id, decided.confidence));
        }
    }
    flag(&mut decided, reason);
    decided
}
