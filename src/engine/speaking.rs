//! Determines a mail's sender and what the sender may change. Correspondents of the owner are remembered as hashes.

use super::deciding::{ComparedMemories, DraftDecision, QuestionState};
use super::intake::IncomingMail;
use super::model_client::key;
use super::model_client::sender_address;
use super::{Consolidate, Engine, Intake};
use crate::Result;
use crate::consolidation::{Record, Shelf, asks};
use crate::decision::{Basis, Decided, Decision, Lender, Reason, Speaker, beside, guard};
use crate::language::words;
use crate::mail::{AuthVerdict, Mail, agrees, topic_of_another};
use crate::model::{Draft, Id, Memory, same_organisation};

/// Mails with results that suffice to show that the account's host adds them.
const ENOUGH: usize = 8;

/// Whether a trusted host reports authentication results; those of other hosts prove nothing.
fn is_checked(mail: &Mail, intake: &Intake) -> bool {
    !mail.sender.checks.is_empty() && mail.sender.authentication(&intake.account.hosts) != AuthVerdict::Absent
}

impl Engine {
    /// Records the owner's correspondents in a batch of mails before the first is decided, so that
    /// the batch's order does not matter.
    pub(super) async fn introduce(&self, intake: &Intake, mails: &[IncomingMail]) -> Result<()> {
        if mails.len() < 2 || intake.options.dry_run && !self.rehearses {
            return Ok(());
        }
        let mut checked = Vec::new();
        for (mail, labelled) in mails.iter().filter_map(|m| m.mail.as_ref().ok().zip(m.in_mailbox)) {
            if checked.len() < ENOUGH && is_checked(mail, intake) {
                checked.push(true);
            }
            if labelled && intake.account.wrote(mail) {
                self.speaker(mail, intake, true).await?;
            }
        }
        if checked.is_empty() { Ok(()) } else { self.count_checks(intake.name(), &checked).await }
    }

    /// Returns the sender of a mail. Mail sent by the owner records its recipients as known; other
    /// mail is counted as authenticated or not.
    pub(super) async fn speaker(&self, mail: &Mail, intake: &Intake, writes: bool) -> Result<Speaker> {
        let account = &intake.account;
        let is_owner = account.wrote(mail);
        let address = sender_address(mail, account);
        let written_to = |address: &str| key(&["written to ", address.trim()].concat());
        // Automatic replies and unsubscribe requests do not make their recipients known.
        if is_owner && writes && !mail.bulk.automatic && !is_unsubscribe(mail) {
            let others = mail.receivers().filter(|p| !account.is_owner(&p.address));
            let known: Vec<Record> =
                others.map(|p| Record::put(Shelf::Correspondents, written_to(&p.address), Vec::new())).collect();
            if !known.is_empty() {
                self.store.keep(known).await?;
            }
        }
        let is_known = match &address {
            Some(address) => self.store.record(Shelf::Correspondents, &written_to(address)).await?.is_some(),
            None => false,
        };
        let is_known = is_known || address.iter().any(|a| account.owner.iter().any(|o| same_organisation(o, a)));
        let is_unchecked = !is_owner && self.is_unchecked(mail, intake, writes).await?;
        Ok(Speaker {
            address,
            shown: mail.from.as_ref().map(|p| p.address.clone()).filter(|a| a.contains('@')),
            is_owner,
            is_vouched: is_owner && mail.sender.vouched,
            is_disowned: mail.sender.is_disowned(&account.hosts),
            is_unchecked,
            is_known,
            is_ahead: mail.ahead.is_some(),
            steers: !mail.suspicious.is_empty(),
            subject: topic_of_another(mail),
            agrees: agrees(mail),
        })
    }

    /// Whether incoming mail lacks authentication results that the account's host usually adds. Updates the counts.
    async fn is_unchecked(&self, mail: &Mail, intake: &Intake, writes: bool) -> Result<bool> {
        if mail.sender.vouched {
            return Ok(false);
        }
        let account = intake.name();
        let is_checked = is_checked(mail, intake);
        let expects = self.check_counts(account).await?.expects_results();
        if writes {
            self.count_checks(account, &[is_checked]).await?;
        }
        Ok(expects && !is_checked)
    }

    pub(super) async fn check_counts(&self, account: &str) -> Result<CheckCounts> {
        let held = self.mirror.checks.borrow().iter().find(|(name, _)| name == account).map(|(_, counts)| *counts);
        if let Some(counts) = held {
            return Ok(counts);
        }
        let stood = self.store.record(Shelf::Hosts, &counts_key(account)).await?;
        let counts = CheckCounts::read(stood.as_deref());
        self.mirror.checks.borrow_mut().push((account.to_owned(), counts));
        Ok(counts)
    }

    /// Counts mails with and without results. The store is updated only now and then, as small
    /// differences do not matter.
    async fn count_checks(&self, account: &str, mails: &[bool]) -> Result<()> {
        let before = self.check_counts(account).await?;
        let counts = mails.iter().fold(before, |counts, is_checked| counts.with_one_more(*is_checked));
        if let Some((_, held)) = self.mirror.checks.borrow_mut().iter_mut().find(|(name, _)| name == account) {
            *held = counts;
        }
        if counts.is_worth_keeping_after(before) {
            self.store.keep(vec![Record::put(Shelf::Hosts, counts_key(account), counts.written())]).await?;
        }
        Ok(())
    }

    /// Limits a decision to what the sender may change. `confirmed` is the target without its
    /// provisional statements, if it has any.
    pub(super) fn limit_to_authority(
        &self,
        draft: &Draft,
        settled: &DraftDecision,
        confirmed: Option<&Memory>,
        known: &ComparedMemories,
        asked: &QuestionState,
        how: &Consolidate<'_>,
    ) -> Decided {
        let mut decided = settled.decided.clone();
        let speaker = how.speaker.as_ref();
        if let Some(speaker) = speaker
            && decided.decision == Decision::Update
            && (asked.replaces_nothing || !speaker.is_owner && asks(&draft.content))
        {
            // Only the owner deletes, and facts the model did not confirm change nothing.
            let confidence = decided.confidence;
            decided = beside(decided, Reason::NotSure { confidence });
        }
        let stored = |id: Id| known.pairs.iter().find(|(c, _)| c.id == id).map(|(_, m)| m);
        let target = decided.target.and_then(stored).filter(|_| decided.decision == Decision::Update);
        let lenders = match (target, speaker) {
            (Some(old), Some(speaker)) => self.lenders(draft, confirmed.unwrap_or(old), known, asked, speaker),
            _ => Vec::new(),
        };
        let said = settled.wording.as_ref().map(|w| w.said.as_str());
        let basis = Basis { draft, said, speaker, lenders: &lenders, known: &known.pairs, confirmed };
        guard(decided, &basis)
    }

    /// Returns the other authors a change relies on: of memories and earlier messages it repeats.
    /// Repeating a statement does not add authority to it.
    fn lenders(
        &self,
        draft: &Draft,
        old: &Memory,
        known: &ComparedMemories,
        asked: &QuestionState,
        speaker: &Speaker,
    ) -> Vec<Lender> {
        let stored = |id: &Id| known.pairs.iter().find(|(c, _)| c.id == *id).map(|(_, m)| m);
        let by_memory = asked.borrowed().iter().map(|id| match stored(id) {
            Some(lender) => {
                let teller = lender.reported_by.as_deref().or_else(|| lender.tellers().next());
                Lender { address: teller.map(str::to_owned), has_standing: speaker.may_quote(lender, draft, old) }
            }
            None => Lender { address: None, has_standing: false },
        });
        let by_message = asked.heard_from().iter().map(|other| Lender {
            address: Some(other.clone()).filter(|a| a.contains('@')),
            has_standing: speaker.may_repeat_after(other, draft, old),
        });
        by_memory.chain(by_message).collect()
    }
}

fn counts_key(account: &str) -> String {
    key(&["checked for ", account.trim()].concat())
}

/// Mails of an account with and without its host's authentication results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CheckCounts {
    with: u32,
    without: u32,
}

impl CheckCounts {
    /// A checking host adds results to all mail. Below one in so many, they came with the mail itself.
    const RARE: u32 = 8;
    /// Mails between two writes of the counts.
    const STEP: u32 = 32;

    fn read(stored: Option<&[u8]>) -> Self {
        let text = stored.map(String::from_utf8_lossy).unwrap_or_default();
        let mut numbers = text.split(' ').filter_map(|n| n.parse().ok());
        Self { with: numbers.next().unwrap_or_default(), without: numbers.next().unwrap_or_default() }
    }

    fn written(self) -> Vec<u8> {
        format!("{} {}", self.with, self.without).into_bytes()
    }

    fn with_one_more(self, is_checked: bool) -> Self {
        let Self { with, without } = self;
        if is_checked {
            Self { with: with.saturating_add(1), without }
        } else {
            Self { with, without: without.saturating_add(1) }
        }
    }

    fn all(self) -> u32 {
        self.with.saturating_add(self.without)
    }

    pub(super) fn expects_results(self) -> bool {
        self.with > 0 && self.with.saturating_mul(Self::RARE) >= self.without
    }

    fn is_worth_keeping_after(self, before: Self) -> bool {
        before.all() == 0
            || self.all() / Self::STEP != before.all() / Self::STEP
            || self.expects_results() != before.expects_results()
    }
}

fn is_unsubscribe(mail: &Mail) -> bool {
    const LEAVES: usize = 200;
    let said = [&mail.subject, " ", &mail.text].concat().to_lowercase();
    said.chars().count() <= LEAVES && words!("mail/boilerplate.takes leave").stand_in(&said)
}

/// Whether the sender may confirm the stored memory again, so that its date moves.
pub(super) fn may_repeat(draft: &Draft, decided: &Decided, known: &ComparedMemories, how: &Consolidate<'_>) -> bool {
    let stored = known.pairs.iter().find(|(c, _)| Some(c.id) == decided.target);
    let may = |speaker: &Speaker| !speaker.is_ahead && stored.is_some_and(|(_, m)| speaker.may_replace(draft, m));
    how.speaker.as_ref().is_none_or(may)
}
