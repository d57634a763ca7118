//! One call reads a mail, or several short messages of one thread that follow each other in an import; each is handled by itself.
//!
//! The reply lasts until its last message is handled and is not stored: a message that is not handled is read alone later. What a
//! message may do is asked of it alone.

use super::budget::Purse;
use super::{Cancel, Engine, Platform};
use crate::Result;
use crate::decision::{Mode, ReplyFault};
use crate::embed::Embedder;
use crate::llm::{BurstQuestion, BurstReply, Form, KnownMemory, MailReply};
use crate::mail::{Account, Mail, is_promotion, is_settled, passages};
use crate::model::{Id, Memory};
use crate::store::Store;
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
    pub came: Result<BurstReply, ReplyFault>,
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

    /// What was asked.
    pub fn question(&self) -> &BurstQuestion {
        &self.asked
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
    passages(mail).into_iter().map(|(by, text)| by.is_own().then(|| text.chars().count())).sum()
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

    /// Reads one mail, or several of one thread, by one call, unless that was prefetched; a small model by a second one where
    /// entries of its reply were refused. `first` is the key of the first draft of the first mail.
    pub(super) async fn read_together(
        &self,
        mails: &[&Mail],
        account: &Account,
        first: &str,
        purse: &mut Purse,
        cancel: Cancel<'_>,
    ) -> Result<Burst> {
        let prefetched = self.client.prefetched.borrow().of(first).filter(|early| early.answers(mails));
        let (question, came, tokens) = match prefetched {
            Some(early) => (early.question.clone(), early.came.clone(), early.used.tokens),
            None => {
                let (question, _) = self.question_of_all(mails, account).await?;
                let (came, tokens) = self.reply_to(&question, purse, cancel).await?;
                (question, came, tokens)
            }
        };
        self.mended(question, came, tokens, purse, cancel).await
    }

    /// What came of a question: of a small model, with the entries that were refused asked about again.
    pub(super) async fn mended(
        &self,
        mut asked: BurstQuestion,
        mut came: Result<String, ReplyFault>,
        mut tokens: u32,
        purse: &mut Purse,
        cancel: Cancel<'_>,
    ) -> Result<Burst> {
        let again = match (&asked.mails[..], &came) {
            ([one], Ok(raw)) => one.again(raw, &|name| self.has_name(name)),
            _ => None,
        };
        if let Some(again) = again {
            let again = BurstQuestion { mails: vec![again] };
            let (second, more) = self.reply_to(&again, purse, cancel).await?;
            tokens += more;
            if second.is_ok() {
                (asked, came) = (again, second);
            }
        }
        let came = came.and_then(|raw| asked.read(&raw));
        Ok(Burst { asked, came, tokens: Cell::new(tokens), places: Vec::new(), versions: Vec::new() })
    }

    /// What a reply says of the `n`th message, checked against the memories as they are now.
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
        ids.sort_unstable();
        ids.dedup();
        let found = self.store.found(&ids).await?;
        let found: Vec<Memory> = found.into_iter().filter(Memory::is_current).collect();
        // What was kept beside a memory is what the next message goes on from; not what may be a fraud.
        let suspected = self.suspected(&ids).await?;
        let followed = |id: Id| {
            let follow = |id, (old, new): &(Id, Id)| if *old == id && !suspected.contains(new) { *new } else { id };
            burst.versions.iter().fold(id, follow)
        };
        let mut alone = self.question_beside(mail, account, &[]);
        let mut heads: Vec<(Id, Option<Id>)> = Vec::new();
        let zone = account.zone.unwrap_or(mail.zone);
        let as_it_is = |m: &Memory| KnownMemory::new(m, Some(&mail.thread_id), zone);
        for shown in burst.asked.known().iter().filter(|shown| followed(shown.id) == shown.id) {
            alone.known.push(shown.clone());
            if found.iter().any(|m| m.id == shown.id) {
                continue;
            }
            // Others have written a version of it since it was shown.
            let head = self.chain_over(shown.id, &[]).await?.pop().filter(|m| m.is_current() && m.id != shown.id);
            heads.push((shown.id, head.as_ref().map(|m| m.id)));
            alone.known.extend(head.iter().map(as_it_is));
        }
        alone.known.extend(found.iter().map(as_it_is));
        let mut known: Vec<Id> = Vec::new();
        alone.known.retain(|k| {
            !known.contains(&k.id) && {
                known.push(k.id);
                true
            }
        });
        let now = |id: Id, writes: bool| {
            let id = followed(id);
            // What a text of its own would replace is for a person to compare.
            heads.iter().find(|(old, _)| *old == id && !writes).and_then(|(_, head)| *head).unwrap_or(id)
        };
        let made = |place: usize| burst.made(place).map(followed);
        Ok(reply.of(n, &burst.asked, &alone, &now, &made, &|name| self.has_name(name)))
    }
}
