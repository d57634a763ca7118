//! Who may replace what a mail taught, and that nobody changes in silence where money, goods or logins go.
//!
//! It never decides what two texts are to each other: it takes a decision and says whether the speaker may carry it.

use super::details::{account_lost, detail_changed, other_detail};
use super::{Analyst, Candidate, Decided, Decision, Link, Reason};
use crate::language::fold;
use crate::model::{Conflict, Draft, Memory, Source, same_address, same_organisation};

/// Who says what a mail says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Speaker {
    /// The one address that it is from; absent where it is from nobody or several.
    pub address: Option<String>,
    /// Whether it is proven to be the owner.
    pub is_owner: bool,
    /// Whether the owner's own host vouches besides that they sent it.
    pub is_vouched: bool,
    /// Whether a check says that it is not from there.
    pub is_disowned: bool,
    /// Whether the owner has written to them, or shares a domain of their own with them.
    pub is_known: bool,
    /// Whether the mail gives itself a time that had not come.
    pub is_ahead: bool,
    /// Whether the mail speaks to an assistant besides.
    pub steers: bool,
    /// The subject line, where it is another's: of an answer, or of what a machine sends.
    pub subject: Option<String>,
    /// Whether the mail agrees with what was said before it.
    pub agrees: bool,
}

impl Speaker {
    /// Whether they may replace what is stored: who said it, who took part in that thread before, who is of the same
    /// organisation, and whom the owner has written to. Another organizer's event, or another event, is not theirs.
    pub fn may_replace(&self, draft: &Draft, stored: &Memory) -> bool {
        if stored.source_type != Source::Realtime || self.is_owner {
            return true;
        }
        let own = self.address.as_deref().filter(|_| !self.is_disowned);
        if let (Some(new), Some(old)) = (&draft.event, &stored.event) {
            let same = |a: &Option<String>, b: &Option<String>| match (a, b) {
                (Some(a), Some(b)) => same_address(a, b),
                (None, None) => true,
                _ => false,
            };
            let invites = |own: &str| {
                let is_own = |other: &str| same_address(other, own);
                new.organizer.as_deref().is_none_or(is_own) || stored.authors().any(is_own)
            };
            if new.uid != old.uid || !same(&new.organizer, &old.organizer) || !own.is_some_and(invites) {
                return false;
            }
        }
        let Some(own) = own else { return false };
        // An invitation is changed by another one, or by its organizer's words.
        let invitation = stored.event.as_ref().filter(|_| draft.event.is_none());
        if invitation.and_then(|e| e.organizer.as_deref()).is_some_and(|organizer| !same_address(organizer, own)) {
            return false;
        }
        let said = |author: &str| same_address(author, own) || same_organisation(author, own);
        // Who said something of it themself has standing while that holds.
        let has_said = || stored.authors().any(|a| same_address(a, own));
        let took_part = || stored.people.iter().any(|p| same_address(p, own)) && !has_said();
        // Whoever is only invited changes no invitation.
        let is_event = stored.event.as_ref().is_some_and(|e| e.organizer.is_some());
        self.is_known || stored.tellers().any(said) || !is_event && took_part()
    }

    /// Whether they may put what another memory says into one that is stored: it is the owner's, their own, or of somebody
    /// who may replace that one.
    pub fn may_quote(&self, lender: &Memory, draft: &Draft, stored: &Memory) -> bool {
        let is_own = |teller: &str| self.address.as_deref().is_some_and(|own| same_address(own, teller));
        let may = |teller: &str| {
            is_own(teller) || Self { address: Some(teller.to_owned()), ..Self::default() }.may_replace(draft, stored)
        };
        self.is_owner || lender.source_type != Source::Realtime || lender.tellers().any(may)
    }

    /// Whether what somebody else has said, named `Name <address>`, may go into a memory in this mail: they may replace it, or the
    /// mail agrees with them.
    pub fn may_repeat_after(&self, other: &str, draft: &Draft, stored: &Memory) -> bool {
        let address = other.rsplit_once('<').map_or(other, |(_, address)| address.trim_end_matches('>'));
        let them = Self { address: Some(address.to_owned()).filter(|a| a.contains('@')), ..Self::default() };
        self.agrees && detail_changed(draft, None, std::iter::once(stored)).is_none()
            || stored.source_type == Source::Realtime && them.may_replace(draft, stored)
            || stored.authors().any(|a| same_address(a, address))
    }

    /// Whether what changes is told by another's subject line alone, under which the stored memory was not told.
    fn only_quotes(&self, decided: &Decided, draft: &Draft, stored: &Memory) -> bool {
        let bare = |s: &str| fold(s).trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let Some(subject) = self.subject.as_deref().map(bare).filter(|s| !s.is_empty()) else { return false };
        if stored.subject.as_deref().map(bare).is_some_and(|s| s == subject) {
            return false;
        }
        let content = fold(&draft.content);
        let own = content.replace(&*subject, "");
        let mut news: Vec<String> =
            decided.changes.iter().filter_map(|c| c.change.new_value.as_deref()).map(fold).collect();
        // Where nothing of it is another value, the whole is what changes.
        news.retain(|new| !new.contains(&*subject));
        let is_quoted = |new: &String| subject.contains(&**new) && !own.contains(&**new);
        if news.is_empty() { own.len() < content.len() && !self.agrees } else { news.iter().any(is_quoted) }
    }

    /// Whether nobody is known to stand behind the address.
    pub fn is_nobody(&self) -> bool {
        !self.is_owner && (self.is_disowned || self.address.is_none())
    }

    /// Whoever wrote what somebody only passes on, of whom nothing is proven.
    pub fn passed_on() -> Self {
        Self::default()
    }
}

/// The decision as the speaker may carry it: what they have no standing for, and what is changed in no silence, is
/// kept beside, linked and flagged.
/// `said`: the words that it rests on, where a model has worded it.
pub fn guard(
    mut decided: Decided,
    draft: &Draft,
    said: Option<&str>,
    speaker: &Speaker,
    known: &[(Candidate, Memory)],
) -> Decided {
    let stored = |id| known.iter().find(|(c, _)| c.id == id).map(|(_, m)| m);
    let target = decided.target.and_then(stored);
    let replaced = target.filter(|_| decided.decision == Decision::Update);
    // Where nobody read the mail but rules, one that speaks to an assistant replaces nothing.
    let steered = speaker.steers && !speaker.is_owner && decided.analyst == Analyst::Local;
    if let Some(old) = replaced.filter(|old| steered || !speaker.may_replace(draft, old)) {
        let author = old.authors().next().map(str::to_owned);
        decided = beside(decided, Reason::NoStanding { author });
    }
    let by_rules = decided.decision == Decision::Update && decided.analyst == Analyst::Local;
    if by_rules && replaced.is_some_and(|old| speaker.only_quotes(&decided, draft, old)) {
        decided = beside(decided, Reason::NoStanding { author: None });
    }
    if !speaker.is_owner && decided.decision != Decision::Skip {
        let others = decided.links.iter().filter_map(|l| stored(l.id));
        let changed = detail_changed(draft, said, target.into_iter().chain(others));
        // Whoever words a memory anew may leave out where money goes.
        let lost = replaced.filter(|_| said.is_some()).and_then(|old| account_lost(&draft.content, &old.content));
        if let Some(detail) = changed.or(lost) {
            decided = beside(decided, Reason::SensitiveChange { detail: detail.as_str().to_owned() });
        } else if let Some((other, detail)) = other_detail(draft, known) {
            decided = beside(decided, Reason::SensitiveChange { detail: detail.as_str().to_owned() });
            if decided.decision == Decision::Create {
                decided.decision = Decision::CreateAndLink;
                decided.target = Some(other);
            }
            decided.links.push(Link::of_doubt(other, decided.confidence));
        }
    }
    if speaker.is_ahead {
        flag(&mut decided, Reason::DateAhead);
    }
    decided
}

fn flag(decided: &mut Decided, reason: Reason) {
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
