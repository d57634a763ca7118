//! Whether a sender has standing to change a stored memory without confirmation.

use super::details::detail_changed;
use super::{Decided, Reason, TrustRule};
use crate::language::fold;
use crate::model::{Draft, Memory, Source, same_address, same_organisation};

/// The sender of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Speaker {
    /// The sender's address; `None` if the mail has no sender or several.
    pub address: Option<String>,
    /// The displayed address, even if forged.
    pub shown: Option<String>,
    /// Whether the sender is proven to be the owner.
    pub is_owner: bool,
    /// Whether the owner's own host also confirms that the owner sent the mail.
    pub is_vouched: bool,
    /// Whether an authentication check failed.
    pub is_disowned: bool,
    /// Whether the mail has no authentication result although other mail of the account has one.
    pub is_unchecked: bool,
    /// Whether the owner has written to the sender, or shares a private domain with them.
    pub is_known: bool,
    /// Whether the mail's date is later than its arrival.
    pub is_ahead: bool,
    /// Whether the mail also instructs an assistant.
    pub steers: bool,
    /// The subject line, if someone else wrote it: in a reply or an automatic mail.
    pub subject: Option<String>,
    /// Whether the mail agrees with an earlier one.
    pub agrees: bool,
}

impl Speaker {
    /// Whether the sender may replace a stored memory. Its authors may, their organisation, earlier participants of
    /// the thread, and people the owner has written to. They may not change another event or another organizer's
    /// event.
    pub fn may_replace(&self, draft: &Draft, stored: &Memory) -> bool {
        if stored.source_type != Source::Realtime || self.is_owner {
            return true;
        }
        if !self.is_of_one_event(draft, stored) {
            return false;
        }
        let Some(own) = self.address.as_deref().filter(|_| !self.is_nobody()) else { return false };
        let is_own = |other: &str| same_address(other, own);
        let may_organize = match (&draft.event, &stored.event) {
            (Some(new), Some(_)) => new.organizer.as_deref().is_none_or(is_own) || stored.authors().any(is_own),
            // Only its organizer may change an invitation without sending a new one.
            (None, Some(old)) => old.organizer.as_deref().is_none_or(is_own),
            (_, None) => true,
        };
        let said = |author: &str| is_own(author) || same_organisation(author, own);
        // An author has standing only while their own statement is valid.
        let took_part = || stored.people.iter().any(|p| is_own(p)) && !stored.authors().any(is_own);
        // Invitees cannot change an invitation.
        let is_event = stored.event.as_ref().is_some_and(|e| e.organizer.is_some());
        may_organize && (self.is_known || stored.tellers().any(said) || !is_event && took_part())
    }

    /// Whether two invitations are to the same event by the same organizer. True unless both are invitations.
    pub(super) fn is_of_one_event(&self, draft: &Draft, stored: &Memory) -> bool {
        let same = |a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(a), Some(b)) => same_address(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let both = draft.event.as_ref().zip(stored.event.as_ref());
        both.is_none_or(|(new, old)| new.uid == old.uid && same(&new.organizer, &old.organizer))
    }

    /// The reason to doubt the sender, if an authentication check speaks against them.
    pub(super) fn doubt(&self) -> Option<Reason> {
        let unproven = |rule| Reason::Unproven { rule, like: None };
        if self.is_disowned {
            return Some(unproven(TrustRule::FailedAuthentication));
        }
        self.is_unchecked.then(|| unproven(TrustRule::NoAuthentication))
    }

    /// Whether the sender may quote another memory in a stored one.
    pub fn may_quote(&self, lender: &Memory, draft: &Draft, stored: &Memory) -> bool {
        let is_own = |teller: &str| self.address.as_deref().is_some_and(|own| same_address(own, teller));
        let may = |teller: &str| {
            is_own(teller) || Self { address: Some(teller.to_owned()), ..Self::default() }.may_replace(draft, stored)
        };
        let has_standing = || !lender.is_provisional() && lender.tellers().any(may);
        self.is_owner || lender.source_type != Source::Realtime || has_standing()
    }

    /// Whether this mail may attribute words to another address.
    pub fn may_repeat_after(&self, other: &str, draft: &Draft, stored: &Memory) -> bool {
        let them = Self { address: Some(other.to_owned()).filter(|a| a.contains('@')), ..Self::default() };
        self.agrees && detail_changed(draft, None, std::iter::once(stored)).is_none()
            || stored.source_type == Source::Realtime && them.may_replace(draft, stored)
            || stored.authors().any(|a| same_address(a, other))
    }

    /// Whether a change comes only from a subject line that someone else wrote about another memory.
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
        // If no changed value is known, the whole text counts as the change.
        news.retain(|new| !new.contains(&*subject));
        let is_quoted = |new: &String| subject.contains(&**new) && !own.contains(&**new);
        if news.is_empty() { own.len() < content.len() && !self.agrees } else { news.iter().any(is_quoted) }
    }

    /// Whether the address is unverified or unknown.
    pub fn is_nobody(&self) -> bool {
        !self.is_owner && (self.is_disowned || self.is_unchecked || self.address.is_none())
    }

    /// The author of forwarded text, by their displayed address; no authentication applies to them.
    pub fn passed_on(shown: Option<String>, is_unchecked: bool) -> Self {
        Self { shown, is_unchecked, ..Self::default() }
    }
}
