//! Who speaks in a mail, as the owner's store knows them: whom the owner has written to is remembered, as hashes.

use super::answers::key;
use super::deciding::{Asked, Known, Settled};
use super::{Consolidate, Engine, Intake, Platform};
use crate::Result;
use crate::consolidation::{Record, Shelf, asks};
use crate::decision::{Decided, Decision, Reason, Speaker, beside, guard, guard_details};
use crate::embed::Embedder;
use crate::language::{Lower, words};
use crate::mail::{Account, Charset, Cut, Mail, Person, Piece, Vouched, agrees, read_vouched, topic_of_another};
use crate::model::{Draft, Id, is_relay, same_organisation};
use crate::store::Store;

/// Bytes of a message in which the names of its sender are looked for.
const HEAD: usize = 4_096;

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Notes whom the owner has written to in mails that came together, before the first of them is decided: who answers in
    /// one of them is no stranger in another.
    pub async fn introduce(&self, intake: &Intake, pieces: &[Piece], charset: &dyn Charset) -> Result<()> {
        if pieces.len() < 2 || intake.options().dry_run && !self.rehearses {
            return Ok(());
        }
        for piece in pieces.iter().filter(|p| p.by_takeout && p.cut == Cut::Sure) {
            let Ok(raw) = &piece.raw else { continue };
            let head = &raw[..raw.len().min(HEAD)];
            let from = |line: &&[u8]| line.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"from:"));
            let named = |address: &String, line: &[u8]| {
                let own = address.trim().as_bytes();
                !own.is_empty() && line.windows(own.len()).any(|w| w.eq_ignore_ascii_case(own))
            };
            let mut lines = head.split(|b| *b == b'\n').filter(from);
            if !lines.any(|line| self.options.owner.iter().any(|own| named(own, line))) {
                continue;
            }
            let vouched = Vouched { labelled: true, ..Vouched::default() };
            if let Ok(mail) = read_vouched(raw, charset, &vouched) {
                self.speaker(&mail, intake.account(), true).await?;
            }
        }
        Ok(())
    }

    /// Who says what this mail says. What the owner has sent tells whom they write to, and is noted.
    pub(super) async fn speaker(&self, mail: &Mail, account: &Account, writes: bool) -> Result<Speaker> {
        let is_owner = account.wrote(mail);
        // Behind a list that puts its own address in the place of its members' ("Ann via heron"), and behind a relay, anybody
        // may stand; behind the owner's own address whoever does not prove it.
        let carries = |p: &&Person| {
            let is_own = account.is_owner(&p.address) && !is_owner;
            is_own || is_relay(&p.address) || p.name.as_deref().is_some_and(|n| n.contains(" via "))
        };
        let alone = mail.from.as_ref().filter(|_| mail.sender.alone).filter(|p| !carries(p));
        let address = alone.map(|p| p.address.clone()).filter(|a| a.contains('@'));
        let written_to = |address: &str| key(&["written to ", address.trim()].concat());
        // What a machine answers in the owner's name, or what takes leave, makes nobody known.
        if is_owner && writes && !mail.bulk.automatic && !takes_leave(mail) {
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
        let is_disowned = mail.sender.is_disowned(&account.hosts);
        let (is_ahead, steers) = (mail.ahead.is_some(), !mail.suspicious.is_empty());
        let is_vouched = is_owner && mail.sender.vouched;
        let subject = topic_of_another(mail);
        let agrees = agrees(mail);
        Ok(Speaker { address, is_owner, is_vouched, is_disowned, is_known, is_ahead, steers, subject, agrees })
    }

    /// The decision as whoever speaks may carry it. `confirms`: they may replace what stood before the memory that it
    /// replaces.
    pub(super) fn permitted(
        &self,
        draft: &Draft,
        (settled, confirms): (&Settled, bool),
        known: &Known,
        asked: &Asked,
        how: &Consolidate<'_>,
    ) -> Decided {
        let decided = settled.decided.clone();
        let said = settled.wording.as_ref().map(|w| w.said.as_str());
        let Some(speaker) = &how.speaker else { return guard_details(decided, draft, said, &known.pairs) };
        let vouched = Speaker { is_known: speaker.is_known || confirms, ..speaker.clone() };
        let mut decided = guard(decided, draft, said, &vouched, &known.pairs);
        let stored = |id: Id| known.pairs.iter().find(|(c, _)| c.id == id).map(|(_, m)| m);
        let target = decided.target.and_then(stored).filter(|_| decided.decision == Decision::Update);
        let lent = target.and_then(|old| {
            // Whoever speaks lends no standing to what somebody else has said.
            let mut lenders = asked.borrowed().iter().filter_map(|id| stored(*id));
            lenders.find(|lender| !speaker.may_quote(lender, draft, old))
        });
        if let Some(lender) = lent {
            let author = lender.tellers().next().map(str::to_owned);
            decided = beside(decided, Reason::NoStanding { author });
        }
        let heard = target.and_then(|old| {
            let mut others = asked.heard_from().iter();
            others.find(|other| !speaker.may_repeat_after(other, draft, old))
        });
        if heard.is_some() {
            decided = beside(decided, Reason::NoStanding { author: heard.cloned().filter(|h| !h.is_empty()) });
        }
        if decided.decision == Decision::Update && !speaker.is_owner && asks(&draft.content) {
            // Only the owner deletes: a mail that asks for it changes nothing.
            let confidence = decided.confidence;
            decided = beside(decided, Reason::NotSure { confidence });
        }
        if asked.beside && decided.decision == Decision::Update {
            // Who read the mail has said nothing of this.
            let confidence = decided.confidence;
            decided = beside(decided, Reason::NotSure { confidence });
        }
        // An answer that comes late must not do what this mail could not.
        let lacks = known.pairs.iter().any(|(_, stored)| !speaker.may_replace(draft, stored));
        if settled.waits() && lacks && !decided.reasons.iter().any(|r| matches!(r, Reason::NoStanding { .. })) {
            decided.reasons.push(Reason::NoStanding { author: None });
        }
        decided
    }
}

/// Whether the owner asks not to be written to.
fn takes_leave(mail: &Mail) -> bool {
    const LEAVES: usize = 200;
    let said = [&mail.subject, " ", &mail.text].concat().lower();
    said.chars().count() <= LEAVES && words!("mail/boilerplate.takes leave").stand_in(&said)
}

/// Whether whoever speaks may say again what is stored, so that its day moves.
pub(super) fn may_repeat(draft: &Draft, decided: &Decided, known: &Known, how: &Consolidate<'_>) -> bool {
    let stored = known.pairs.iter().find(|(c, _)| Some(c.id) == decided.target);
    let may = |speaker: &Speaker| !speaker.is_ahead && stored.is_some_and(|(_, m)| speaker.may_replace(draft, m));
    how.speaker.as_ref().is_none_or(may)
}
