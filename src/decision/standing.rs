//! Who may change what a mail taught without a confirmation: [`Speaker`].
//!
//! It never says what becomes of a change of somebody else's.

use super::details::detail_changed;
use super::{Decided, Reason, TrustRule};
use crate::language::fold;
use crate::model::{Draft, Memory, Source, same_address, same_organisation};

/// Who says what a mail says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Speaker {
    /// The one address that it is from; absent where it is from nobody or several.
    pub address: Option<String>,
    /// The address that it shows, whoever wrote it.
    pub shown: Option<String>,
    /// Whether it is proven to be the owner.
    pub is_owner: bool,
    /// Whether the owner's own host vouches besides that they sent it.
    pub is_vouched: bool,
    /// Whether a check says that it is not from there.
    pub is_disowned: bool,
    /// Whether it has no result of a check although other mail of the account has one.
    pub is_unchecked: bool,
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
        if !self.is_of_one_event(draft, stored) {
            return false;
        }
        let own = self.address.as_deref().filter(|_| !self.is_nobody());
        if draft.event.is_some() && stored.event.is_some() {
            let organizer = draft.event.as_ref().and_then(|e| e.organizer.as_deref());
            let is_own = |other: &str| own.is_some_and(|own| same_address(other, own));
            if !organizer.is_none_or(is_own) && !stored.authors().any(is_own) {
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

    /// Whether two invitations are to one event of one organizer, as far as both are invitations.
    pub(super) fn is_of_one_event(&self, draft: &Draft, stored: &Memory) -> bool {
        let same = |a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(a), Some(b)) => same_address(a, b),
            (None, None) => true,
            _ => false,
        };
        let both = draft.event.as_ref().zip(stored.event.as_ref());
        both.is_none_or(|(new, old)| new.uid == old.uid && same(&new.organizer, &old.organizer))
    }

    /// Why the sender is not believed, where a check or its address speaks against it.
    pub(super) fn doubt(&self) -> Option<Reason> {
        let unproven = |rule| Reason::Unproven { rule, like: None };
        if self.is_disowned {
            return Some(unproven(TrustRule::FailedAuthentication));
        }
        self.is_unchecked.then(|| unproven(TrustRule::NoAuthentication))
    }

    /// Whether they may put what another memory says into one that is stored: it is the owner's, their own, or of somebody
    /// who may replace that one.
    pub fn may_quote(&self, lender: &Memory, draft: &Draft, stored: &Memory) -> bool {
        let is_own = |teller: &str| self.address.as_deref().is_some_and(|own| same_address(own, teller));
        let may = |teller: &str| {
            is_own(teller) || Self { address: Some(teller.to_owned()), ..Self::default() }.may_replace(draft, stored)
        };
        let has_standing = || !lender.is_provisional() && lender.tellers().any(may);
        self.is_owner || lender.source_type != Source::Realtime || has_standing()
    }

    /// Whether what somebody of this address has said may go into a memory in this mail: they may replace it, or the
    /// mail agrees with them.
    pub fn may_repeat_after(&self, other: &str, draft: &Draft, stored: &Memory) -> bool {
        let them = Self { address: Some(other.to_owned()).filter(|a| a.contains('@')), ..Self::default() };
        self.agrees && detail_changed(draft, None, std::iter::once(stored)).is_none()
            || stored.source_type == Source::Realtime && them.may_replace(draft, stored)
            || stored.authors().any(|a| same_address(a, other))
    }

    /// Whether what changes is told by another's subject line alone, under which the stored memory was not told.
    pub(super) fn only_quotes(&self, decided: &Decided, draft: &Draft, stored: &Memory) -> bool {
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
        !self.is_owner && (self.is_disowned || self.is_unchecked || self.address.is_none())
    }

    /// Whoever wrote what somebody only passes on, by the address that stands there: nothing is proven of them.
    pub fn passed_on(shown: Option<String>, is_unchecked: bool) -> Self {
        Self { shown, is_unchecked, ..Self::default() }
    }
}
