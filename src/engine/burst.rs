//! Short messages of one thread that follow each other in an import: one call reads them, then each is handled by itself.
//!
//! What came of the call lasts until its last message is handled and is not stored: one that is not handled is read alone
//! later. What a message may do is asked of it alone.

use super::budget::Purse;
use super::model_client::Ahead;
use super::{Cancel, Engine, Platform};
use crate::decision::{Mode, Refusal};
use crate::embed::Embedder;
use crate::llm::{BurstQuestion, BurstReply, Form, KnownMemory, MailReply};
use crate::mail::{Account, Mail, is_promotion, is_settled, passages};
use crate::model::{Id, Memory};
use crate::store::Store;
use crate::{Result, order};
use std::cell::Cell;

/// Characters of a short message, of all that are read together, and how many these are.
const SHORT: usize = 400;
const TOGETHER: usize = 1_200;
const MOST: usize = 4;
/// Memories that are shown more for each message after the first.
const MORE_SHOWN: usize = 2;

/// What one call said of several messages, and what was made of it so far.
#[derive(Debug)]
pub(super) struct Burst {
    asked: BurstQuestion,
    /// What came of it, or why nothing did.
    pub came: Result<BurstReply, Refusal>,
    /// Tokens that it used and that no entry of the log bears yet.
    tokens: Cell<u32>,
    /// The memories that entries have made, by their places in the reply.
    places: Vec<(usize, Id)>,
    /// The versions that took the place of others.
    versions: Vec<(Id, Id)>,
}

impl Burst {
    /// The place of a message among those that were asked about.
    pub fn place(&self, mail: &Mail) -> Option<usize> {
        self.asked.mails.iter().position(|m| m.source.as_ref() == Some(&mail.message_id))
    }

    /// Takes the tokens that are owed.
    pub fn owed(&self) -> u32 {
        self.tokens.take()
    }

    /// Notes what a message's entries have made, by their places among them, and the versions that took the place of others.
    pub fn note(&mut self, mail: &Mail, made: &[(usize, Id)], versions: &[(Id, Id)]) {
        let (Some(n), Ok(reply)) = (self.place(mail), &self.came) else { return };
        let places: Vec<usize> = reply.places(n).collect();
        self.places.extend(made.iter().filter_map(|(at, id)| Some((*places.get(*at)?, *id))));
        self.versions.extend(versions);
    }

    fn made(&self, place: usize) -> Option<Id> {
        self.places.iter().find(|(at, _)| *at == place).map(|(_, id)| *id)
    }
}

/// Whether the next message of an import may be read together with the ones before it.
pub(super) fn goes_with(before: &[&Mail], next: &Mail) -> bool {
    let (Some(last), many) = (before.last(), before.len()) else { return false };
    let all = || before.iter().copied().chain([next]);
    last.thread_id == next.thread_id
        && many < MOST
        && all().all(|m| length(m).is_some_and(|n| n <= SHORT) && !is_settled(m) && !is_promotion(m))
        && all().filter_map(length).sum::<usize>() <= TOGETHER
        && all().zip(all().skip(1)).all(|(a, b)| a.date <= b.date && a.message_id != b.message_id)
}

/// The characters of what a mail says; absent where it forwards something.
fn length(mail: &Mail) -> Option<usize> {
    passages(mail).into_iter().map(|(forwarded, text)| forwarded.is_none().then(|| text.chars().count())).sum()
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Whether several messages may be asked about at once: small models lose their way.
    pub(super) fn reads_bursts(&self) -> bool {
        self.options.policy.mode != Mode::Fast && self.client.may_ask() && self.options.form == Form::Full
    }

    /// The question about messages of one thread: what each alone would be shown, the best of each first. And what is near
    /// to being shown.
    pub(super) async fn question_of_all(&self, mails: &[&Mail], account: &Account) -> Result<(BurstQuestion, Vec<Id>)> {
        let (mut questions, mut near) = (Vec::new(), Vec::new());
        for mail in mails {
            let (question, by_it) = self.question_of(mail, account).await?;
            questions.push(question);
            near.extend(by_it);
        }
        if let [first, rest @ ..] = &mut questions[..] {
            let most = first.form.most_shown() + MORE_SHOWN * rest.len();
            let mut known: Vec<KnownMemory> = Vec::new();
            for at in 0..most {
                for one in std::iter::once(&*first).chain(&*rest).filter_map(|q| q.known.get(at)) {
                    if known.len() < most && known.iter().all(|k| k.id != one.id) {
                        known.push(one.clone());
                    }
                }
            }
            first.known = known;
            for one in rest {
                (one.known, one.before) = (Vec::new(), Vec::new());
            }
        }
        Ok((BurstQuestion { mails: questions }, near))
    }

    /// Asks about several messages of one thread, unless that was done ahead of their turn.
    pub(super) async fn read_burst(
        &self,
        mails: &[&Mail],
        account: &Account,
        ahead: Option<Ahead>,
        purse: &mut Purse,
        cancel: Cancel<'_>,
    ) -> Result<Burst> {
        let (asked, _) = self.question_of_all(mails, account).await?;
        let (came, tokens) = self.reply_to(&asked, ahead, purse, cancel).await?;
        let came = came.and_then(|raw| asked.read(&raw));
        Ok(Burst { asked, came, tokens: Cell::new(tokens), places: Vec::new(), versions: Vec::new() })
    }

    /// What a reply about several messages says of the `n`th, over what those before it have left.
    pub(super) async fn read_of_burst(
        &self,
        burst: &Burst,
        reply: &BurstReply,
        n: usize,
        mail: &Mail,
        account: &Account,
    ) -> Result<MailReply> {
        let mut ids: Vec<Id> = burst.asked.known().iter().map(|k| k.id).collect();
        ids.extend(burst.versions.iter().map(|(_, new)| *new).chain(burst.places.iter().map(|(_, id)| *id)));
        order::unique(&mut ids);
        let found = self.store.found(&ids).await?;
        let found: Vec<Memory> = found.into_iter().filter(Memory::is_current).collect();
        // What was kept beside a memory is what the next message goes on from; not what may be a fraud.
        let suspected = self.suspected(&ids).await?;
        let now = |id: Id| {
            let follow = |id, (old, new): &(Id, Id)| if *old == id && !suspected.contains(new) { *new } else { id };
            burst.versions.iter().fold(id, follow)
        };
        let made = |place: usize| burst.made(place).map(now);
        let alone = self.question_beside(mail, account, &found);
        Ok(reply.of(n, &burst.asked, &alone, &now, &made, &|name| self.has_name(name)))
    }
}
