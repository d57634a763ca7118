//! Trust rules: whether a change to a stored memory is confirmed, provisional or left to the owner.

use super::details::{Detail, account_lost, detail_changed, other_detail, share_topic};
use super::likeness::look_alike;
use super::matter::ask_what_is_contested;
use super::{Analyst, Candidate, Decided, Decision, Link, Reason, Ruling, Speaker, TrustRule};
use crate::model::{Conflict, Draft, Id, Memory, Source, same_address};

/// The input of a trust rule.
struct Case<'a> {
    draft: &'a Draft,
    speaker: &'a Speaker,
    /// The memory that would be replaced, reduced to its confirmed statements.
    old: &'a Memory,
    /// The sensitive detail that would change, if any. Fraud targets such details.
    detail: Option<Detail>,
    /// The addresses of all authors and involved people of the candidates.
    parties: &'a [&'a str],
    /// Other people whose words the change relies on.
    lenders: &'a [Lender],
    /// Whether the change comes only from a subject line that someone else wrote.
    only_quotes: bool,
}

/// Another person whose words a change relies on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lender {
    /// Their address, if known.
    pub address: Option<String>,
    /// Whether they may change the memory themselves, or the sender may quote them.
    pub has_standing: bool,
}

/// A trust rule (docs/design/trust.md).
pub struct TrustRow {
    /// Id for the log entry.
    pub id: TrustRule,
    /// The ruling on a change that matches.
    pub ruling: Ruling,
    /// The condition, in one clause.
    pub when: &'static str,
    fits: fn(&Case<'_>) -> bool,
}

const fn rule(id: TrustRule, ruling: Ruling, when: &'static str, fits: fn(&Case<'_>) -> bool) -> TrustRow {
    TrustRow { id, ruling, when, fits }
}

/// The trust rules, in order. The first match decides.
pub const TRUST_RULES: &[TrustRow] = &[
    rule(TrustRule::Owner, Ruling::Confirmed, "the owner says so, in their own words", |c| {
        c.speaker.is_owner && !c.only_quotes && c.lenders_have_standing()
    }),
    // 1. Changes reserved for the owner.
    rule(TrustRule::SensitiveDetail, Ruling::Review, "an account, address or login would change", |c| {
        c.detail.is_some()
    }),
    rule(TrustRule::HigherSource, Ruling::Review, "a note of the owner would change", |c| {
        c.old.source_type == Source::UserInput
    }),
    // 2. Signs of forgery.
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
        // A tool's output has no sender.
        let is_tool = c.draft.source_type != Source::Realtime && c.old.source_type == Source::Realtime;
        is_tool || c.only_quotes || c.lenders.iter().any(|l| l.address.is_none() && !l.has_standing)
    }),
    // 3. Standing through confirmed statements.
    rule(TrustRule::Standing, Ruling::Confirmed, "the sender has standing through confirmed statements", |c| {
        c.lenders_have_standing() && c.speaker.may_replace(c.draft, c.old)
    }),
    // 4. All other senders.
    rule(TrustRule::Anybody, Ruling::Provisional, "anybody else says so", |_| true),
];

impl Case<'_> {
    /// Whether everyone whose words the change relies on may change the memory.
    fn lenders_have_standing(&self) -> bool {
        self.lenders.iter().all(|lender| lender.has_standing)
    }

    /// The known address that the sender's address imitates.
    fn looks_like(&self) -> Option<&str> {
        looks_like(self.speaker, Some(self.old), self.parties)
    }
}

/// The involved person's address that the speaker's address imitates.
fn looks_like<'a>(speaker: &Speaker, old: Option<&Memory>, parties: &[&'a str]) -> Option<&'a str> {
    let own = speaker.address.as_deref().filter(|_| !speaker.is_known)?;
    let is_party = old.is_some_and(|m| m.authors().any(|author| same_address(author, own)));
    if is_party { None } else { look_alike(own, parties.iter().copied()) }
}

/// The reason to doubt the sender of a sensitive detail, apart from the detail itself.
fn sender_doubt(speaker: Option<&Speaker>, draft: &Draft, old: Option<&Memory>, parties: &[&str]) -> Option<Reason> {
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

/// The inputs of the trust rules, apart from the decision.
#[derive(Debug)]
pub struct Basis<'a> {
    /// The new memory.
    pub draft: &'a Draft,
    /// The quoted source text, if a model worded the draft.
    pub said: Option<&'a str>,
    /// The sender; `None` if an application supplies its own draft.
    pub speaker: Option<&'a Speaker>,
    /// Other people whose words the draft relies on.
    pub lenders: &'a [Lender],
    /// The candidates it was compared with.
    pub known: &'a [(Candidate, Memory)],
    /// The target reduced to its confirmed statements, if it has unconfirmed ones.
    pub confirmed: Option<&'a Memory>,
}

/// Applies the trust rules to a decision. A change kept for review becomes a linked, flagged memory.
pub fn guard(mut decided: Decided, basis: &Basis<'_>) -> Decided {
    let Basis { draft, said, speaker, known, .. } = *basis;
    let stored = |id: Id| known.iter().find(|(c, _)| c.id == id).map(|(_, m)| m);
    let target = decided.target.and_then(stored);
    // An application's own draft has no sender.
    let is_owner = speaker.map_or(draft.source_type == Source::UserInput, |speaker| speaker.is_owner);
    // A link made only because of an account may lead to another topic.
    let is_of_topic = |m: &&Memory| speaker.is_none() || share_topic(&draft.content, &m.content);
    let others = decided.links.iter().filter_map(|l| stored(l.id)).filter(is_of_topic);
    let replaced = target.filter(|_| decided.decision == Decision::Update);
    let detail = (!is_owner && decided.decision != Decision::Skip).then(|| {
        let about = replaced.or(target.filter(is_of_topic));
        let changed = detail_changed(draft, said, about.into_iter().chain(others));
        // A model's rewording may drop the account that money goes to.
        changed
            .or_else(|| replaced.filter(|_| said.is_some()).and_then(|old| account_lost(&draft.content, &old.content)))
    });
    let detail = detail.flatten();
    // The people of the target come first.
    let all = target.into_iter().chain(known.iter().map(|(_, m)| m));
    let parties: Vec<&str> = all.flat_map(|m| m.authors().chain(m.people.iter().map(String::as_str))).collect();
    let confirms = target.filter(|m| decided.decision == Decision::Skip && m.is_provisional());
    if let Some((speaker, old)) = speaker.zip(replaced.or(confirms)) {
        let old = basis.confirmed.unwrap_or(old);
        let by_rules = decided.decision == Decision::Update && decided.analyst == Analyst::Local;
        let only_quotes = by_rules && speaker.only_quotes(&decided, draft, old);
        let lenders = basis.lenders;
        let case = Case { draft, speaker, old, detail, parties: &parties, lenders, only_quotes };
        decided = case.apply_first_rule(decided);
    } else if let Some(detail) = detail {
        decided = keep_sensitive_change(decided, detail, sender_doubt(speaker, draft, target, &parties));
    }
    if detail.is_none()
        && !is_owner
        && decided.decision != Decision::Skip
        && let Some((other, detail)) = other_detail(draft, known)
    {
        decided = keep_sensitive_change(decided, detail, sender_doubt(speaker, draft, stored(other), &parties));
        if decided.decision == Decision::Create {
            decided.decision = Decision::CreateAndLink;
            decided.target = Some(other);
        }
        decided.links.push(Link::of_doubt(other, decided.confidence));
    }
    if speaker.is_some_and(|speaker| speaker.is_ahead) && !decided.reasons.contains(&Reason::DateAhead) {
        flag(&mut decided, Reason::DateAhead);
    }
    ask_what_is_contested(&mut decided, draft, known);
    decided
}

/// Keeps a change of an account, address or login for the owner. `doubt` is the reason to distrust the sender.
fn keep_sensitive_change(decided: Decided, detail: Detail, doubt: Option<Reason>) -> Decided {
    let decided = with_ruling(decided, TrustRule::SensitiveDetail, Ruling::Review);
    let mut decided = beside(decided, Reason::SensitiveChange { detail: detail.as_str().to_owned() });
    decided.reasons.extend(doubt);
    decided
}

impl Case<'_> {
    fn apply_first_rule(&self, mut decided: Decided) -> Decided {
        let Some(TrustRow { id, ruling, .. }) = TRUST_RULES.iter().find(|rule| (rule.fits)(self)) else {
            return decided;
        };
        decided = with_ruling(decided, *id, *ruling);
        let author = self.old.authors().next().map(str::to_owned);
        match (ruling, id) {
            // The plan already protects notes by source priority.
            (Ruling::Review, TrustRule::HigherSource) | (Ruling::Confirmed, _) => {}
            _ if decided.decision == Decision::Skip => {}
            (Ruling::Provisional, _) => {
                let lender = self.lenders.iter().find(|l| !l.has_standing).map(|l| l.address.clone());
                decided.reported_by = lender.unwrap_or_else(|| self.speaker.shown.clone());
                decided.reasons.insert(0, Reason::NoStanding { author });
            }
            (Ruling::Review, TrustRule::SensitiveDetail) => {
                if let Some(detail) = self.detail {
                    let doubt = sender_doubt(Some(self.speaker), self.draft, Some(self.old), self.parties);
                    decided = keep_sensitive_change(decided, detail, doubt);
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

fn with_ruling(decided: Decided, rule: TrustRule, ruling: Ruling) -> Decided {
    Decided { rule: Some(rule), ruling: Some(ruling), ..decided }
}

pub(super) fn flag(decided: &mut Decided, reason: Reason) {
    decided.needs_review = true;
    decided.reasons.insert(0, reason);
}

/// Keeps both memories, linked and flagged, instead of an update.
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
