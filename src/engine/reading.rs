//! Reading mail by a model: one call shows it with what is known beside it, and what comes back becomes drafts.
//!
//! It holds no rule: a reply is checked by its question, a finding is decided and permitted like any other.

use super::answers::{key, shelved, shelving};
use super::budget::Purse;
use super::deciding::Asked;
use super::recalling::Recalled;
use super::threads::{address_of, named};
use super::{Cancel, Engine, PAGE, Platform};
use crate::Result;
use crate::decision::{Finding, Mode, Prompt, Refusal, ReplyFault, Speaker, cut};
use crate::embed::Embedder;
use crate::extract::{Worded, drafts, is_note, uncovered, worded};
use crate::language::{Reference, fold, words};
use crate::llm::{KnownMemory, MailEntry, MailQuestion, MailReply, Party, Passage};
use crate::mail::{Account, Mail, Person, answers_yes_or_no, is_settled, passages, topic_of_another};
use crate::model::{Draft, EdgeKind, Id, Memory, Time};
use crate::store::Store;
use serde::{Deserialize, Serialize};

/// Of the memories shown first, those whose earlier versions are told as well.
const MOST_FORMER: usize = 4;
/// Steps by which what has outdated a memory is followed.
const MOST_STEPS: usize = 8;

/// An entry of a model's reply to a mail that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct RefusedEntry {
    /// Its place in the reply, from 1.
    pub entry: u32,
    /// Why, such as `unknown_handle` or `no_evidence`; [`Refusal`] has them all.
    pub error: String,
    /// The field that is at fault, where its form is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What is wrong with it, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl RefusedEntry {
    fn new(place: usize, refusal: Refusal) -> Self {
        Self { entry: place as u32 + 1, error: refusal.as_str().to_owned(), field: None, detail: None }
    }

    fn of(fault: &ReplyFault) -> Option<Self> {
        let ReplyFault { field, detail, .. } = fault.clone();
        Some(Self { field, detail, ..Self::new(fault.entry?, fault.refusal) })
    }
}

/// One thing that a mail teaches.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Taught {
    /// The new memory.
    pub draft: Draft,
    /// What a model found it to be, and its place in the reply.
    pub entry: Option<(usize, MailEntry)>,
    /// Why no model's word stands for it, where one was asked.
    pub refused: Option<Refusal>,
    /// Whether a model has read the mail and said nothing of it that could be used: then it replaces nothing.
    pub beside: bool,
}

/// All that a mail teaches.
#[derive(Debug, Default)]
pub(super) struct Lessons {
    /// In order.
    pub taught: Vec<Taught>,
    /// What a model said that could not be used.
    pub refused: Vec<RefusedEntry>,
    /// Whether some of that stands in no entry of the log otherwise: no words of the mail bear it.
    pub is_lost: bool,
    /// Whether a model found nothing in a chat, which the log says since nothing else does.
    pub is_empty: bool,
}

impl Lessons {
    fn locally(drafts: Vec<Draft>, refused: Option<ReplyFault>) -> Self {
        let why = refused.as_ref().map(|fault| fault.refusal);
        let refused = refused.iter().filter_map(RefusedEntry::of).collect();
        Self { taught: Taught::locally(drafts, why), refused, ..Self::default() }
    }
}

impl Taught {
    fn locally(drafts: Vec<Draft>, refused: Option<Refusal>) -> Vec<Self> {
        drafts.into_iter().map(|draft| Self { draft, entry: None, refused, beside: false }).collect()
    }
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// What a mail teaches, by a model where one is set and answers, else by local rules; `first` is the key of its first
    /// draft. A mail that was handled before is not asked about again.
    pub(super) async fn taught(
        &self,
        (mail, speaker): (&Mail, &Speaker),
        account: &Account,
        first: &str,
        asked: &mut Asked,
        cancel: Cancel<'_>,
    ) -> Result<Lessons> {
        let said_by = || speaker.address.clone().filter(|_| !speaker.is_nobody());
        let by_model = self.options.policy.mode != Mode::Fast && self.client.may_ask();
        let answers = || answers_yes_or_no(mail) && self.client.threads.borrow().proposes(mail);
        if !by_model || is_settled(mail) && !answers() {
            self.client.threads.borrow_mut().keep(mail, said_by());
            return Ok(Lessons::locally(drafts(mail, account), None));
        }
        let shelf = key(&["read ", first].concat());
        let kept = shelved(&self.store, &shelf).await?.and_then(|text| MailReply::restored(&text));
        let read = match kept {
            Some(kept) => Ok(kept),
            None if self.handled_before(Some(first)).await?.is_some() => Err(None),
            None => self.read_mail(mail, account, first, asked, cancel).await?.map_err(Some),
        };
        self.client.threads.borrow_mut().keep(mail, said_by());
        let reply = match read {
            Ok(reply) => reply,
            Err(refused) => return Ok(Lessons::locally(drafts(mail, account), refused)),
        };
        if reply.entries.is_empty() && is_note(mail, account) {
            if mail.is_chat {
                return Ok(Lessons { is_empty: true, ..Lessons::default() });
            }
            // The owner has noted it all the same.
            let said: Vec<String> = passages(mail).into_iter().map(|(_, text)| text).collect();
            asked.keep(shelf, reply.stored()?);
            let nothing = Refusal::NothingFound.into();
            return Ok(Lessons::locally(uncovered(mail, account, &[], &said, true), Some(nothing)));
        }
        let mut taught: Vec<Taught> = Vec::new();
        let (mut refused, mut why) = (Vec::new(), None);
        for (place, entry) in reply.entries.iter().enumerate() {
            let mut refuse = |refusal: Refusal| {
                why = why.or(Some(refusal));
                let fault = reply.faults.iter().find(|fault| fault.entry == Some(place));
                let named = fault.and_then(RefusedEntry::of);
                refused.push(named.unwrap_or_else(|| RefusedEntry::new(place, refusal)));
            };
            let entry = match entry {
                Ok(entry) => entry,
                Err(refusal) => {
                    refuse(*refusal);
                    continue;
                }
            };
            let (text, evidence) = (entry.text.as_str(), entry.evidence.as_str());
            let told = Worded { text, category: entry.category, day: entry.day, people: &entry.people, evidence };
            match worded(mail, account, &told) {
                Some(mut draft) => {
                    if let Some(of) = entry.of.filter(|_| entry.now) {
                        // Nobody said it later than what it goes on from.
                        draft.stated_at = self.get_any(Some(of)).await?.map(|m| m.own_time()).max(draft.stated_at);
                    }
                    if entry.shortened {
                        refused.push(RefusedEntry::new(place, Refusal::NoEvidence));
                    }
                    let entry = Some((place, entry.clone()));
                    taught.push(Taught { draft, entry, refused: None, beside: false });
                }
                None => refuse(Refusal::NoEvidence),
            }
        }
        let mut is_lost = false;
        if why.is_some() {
            // What a refused entry rests on is kept in the mail's own words, and the rules look at the rest.
            let heard: Vec<&str> = reply.entries.iter().flatten().map(|e| e.evidence.as_str()).collect();
            let bears_none = reply.entries.iter().filter(|e| e.is_err()).count() > reply.unheard.len();
            let rest = uncovered(mail, account, &heard, &reply.unheard, bears_none);
            is_lost = bears_none || rest.is_empty();
            taught.extend(Taught::locally(rest, why).into_iter().map(|t| Taught { beside: true, ..t }));
        }
        let text = reply.stored()?;
        if taught.is_empty() {
            if self.client.gauge.is_none() {
                let records = shelving(&self.store, vec![(shelf, text)]).await?;
                self.store.keep(records).await?;
            }
        } else {
            asked.keep(shelf, text);
        }
        Ok(Lessons { taught, refused, is_lost, is_empty: false })
    }

    /// Asks what a mail changes. The inner error is why nothing of a reply can be used.
    async fn read_mail(
        &self,
        mail: &Mail,
        account: &Account,
        first: &str,
        asked: &mut Asked,
        cancel: Cancel<'_>,
    ) -> Result<Result<MailReply, ReplyFault>> {
        let prefetched = self.client.prefetched.borrow().of(first).filter(|early| early.answers(mail));
        let (question, came, tokens) = match prefetched {
            Some(early) => (early.question.clone(), early.came.clone(), early.used.tokens),
            None => {
                let (question, _) = self.question_of(mail, account).await?;
                let (came, tokens) = self.reply_to(&question, &mut asked.purse, cancel).await?;
                (question, came, tokens)
            }
        };
        asked.read(tokens);
        let raw = match came {
            Ok(raw) => raw,
            Err(fault) => return Ok(Err(fault)),
        };
        let replaced = self.replaced_since(&question, mail, account).await?;
        let reply = question.read_after(&raw, replaced, &|name| self.has_name(name));
        if mail.is_chat && reply.as_ref().is_ok_and(|reply| reply.entries.is_empty()) {
            // Added again, it is asked about again.
            let (hash, _) = self.named(&question);
            self.client.shared.replies.borrow_mut().forget(&hash);
        }
        Ok(reply)
    }

    /// The memories that a question shows and that have another version by now, with that.
    async fn replaced_since(
        &self,
        question: &MailQuestion,
        mail: &Mail,
        account: &Account,
    ) -> Result<Vec<(Id, KnownMemory)>> {
        let shown: Vec<Id> = question.known.iter().map(|k| k.id).collect();
        let found = self.store.found(&shown).await?;
        let zone = account.zone.unwrap_or(mail.zone);
        let mut replaced = Vec::new();
        for id in shown.into_iter().filter(|id| !found.iter().any(|m| m.id == *id && m.is_current())) {
            let newest = self.chain_over(id, &[]).await?.pop().filter(|m| m.is_current() && m.id != id);
            replaced.extend(newest.map(|m| (id, KnownMemory::new(&m, Some(&mail.thread_id), zone))));
        }
        Ok(replaced)
    }

    /// The reply to a question, with the tokens that it used: one that is at hand, else it is asked. The inner error is why
    /// nothing of a reply can be used.
    pub(super) async fn reply_to(
        &self,
        question: &MailQuestion,
        purse: &mut Purse,
        cancel: Cancel<'_>,
    ) -> Result<(Result<String, ReplyFault>, u32)> {
        let (hash, _) = self.named(question);
        let known = self.client.shared.replies.borrow().of(&hash);
        if let Some(raw) = known.filter(|raw| question.read(raw, &|name| self.has_name(name)).is_ok()) {
            self.client.hit();
            return Ok((Ok(raw), 0));
        }
        let spent = purse.tokens;
        let came = self.ask_about(question, purse, cancel).await?;
        let tokens = purse.tokens - spent;
        if let Ok(raw) = &came {
            self.client.shared.replies.borrow_mut().put(&hash, raw.clone());
        }
        Ok((came, tokens))
    }

    /// Asks a question about a mail. The inner error is why nothing of a reply can be used.
    pub(super) async fn ask_about(
        &self,
        question: &MailQuestion,
        purse: &mut Purse,
        cancel: Cancel<'_>,
    ) -> Result<Result<String, ReplyFault>> {
        let mut shown = question.clone();
        let masks = self.options.masks(&mut shown.texts_mut());
        let fence = self.env().fence();
        let mut raw = String::new();
        let read = &mut |text: &str| {
            raw = masks.restore(text);
            question.read(&raw, &|name| self.has_name(name)).map(drop)
        };
        let came = self.client.call(self.env(), &shown.prompt(&fence), &fence, purse, cancel, read).await?;
        Ok(came.map(|()| raw))
    }

    /// What a question is known by among replies, and the tokens of its prompt.
    pub(super) fn named(&self, question: &MailQuestion) -> (String, u32) {
        let name = self.client.name();
        let prompt = question.prompt("");
        (key(&[name, "\n", &words_of(&prompt)].concat()), prompt.tokens())
    }

    /// Whether a reply to this question is at hand.
    pub(super) fn is_answered(&self, hash: &str) -> bool {
        self.client.shared.replies.borrow().of(hash).is_some()
    }

    /// Whether the mail whose first draft has this key was read or handled before.
    pub(super) async fn was_read(&self, first: &str) -> Result<bool> {
        let kept = shelved(&self.store, &key(&["read ", first].concat())).await?;
        Ok(kept.is_some() || self.handled_before(Some(first)).await?.is_some())
    }

    /// Whether something stored, or an address of the owner, has a name.
    pub(super) fn has_name(&self, name: &str) -> bool {
        let own = |address: &String| address.to_lowercase().contains(&*name.to_lowercase());
        let index = self.mirror.index.borrow();
        self.options.owner.iter().any(own) || index.involving(&[name.to_owned()]).is_some_and(|ids| !ids.is_empty())
    }

    /// The question about a mail: what is shown of it, of its thread and of what is known; and what is near to being shown.
    pub(super) async fn question_of(&self, mail: &Mail, account: &Account) -> Result<(MailQuestion, Vec<Id>)> {
        let question = self.question_beside(mail, account, &[]);
        let said = question.passages.iter().map(|p| p.text.as_str());
        let texts: Vec<&str> = std::iter::once(question.subject.as_str()).chain(said).collect();
        let said: Vec<&str> = question.before.iter().rev().take(1).map(|e| e.text.as_str()).collect();
        let most = question.form.most_shown();
        let Recalled { mut shown, mut near } = self.recalled(mail, &texts, &said, most).await?;
        let before = self.newest_of(&mut shown).await?;
        near.extend(before.iter().map(|(newer, _)| *newer).filter(|id| !near.contains(id)).collect::<Vec<_>>());
        let returns = texts.iter().any(|text| goes_back(text));
        let zone = account.zone.unwrap_or(mail.zone);
        let mut known = Vec::new();
        for (n, memory) in shown.iter().enumerate() {
            let older = before.iter().find(|(newer, _)| *newer == memory.id).map(|(_, older)| older);
            // A mail that comes late is read beside what held on its day.
            let then = mail.date.filter(|day| *day < memory.own_time());
            let show = |memory: &Memory| KnownMemory::new(memory, Some(&mail.thread_id), zone);
            known.push(match (self.as_proposed(memory).await?, older) {
                (Some(proposed), _) => show(&proposed).formerly(&[&memory.content]),
                _ if memory.is_provisional() && !memory.content.contains(memory.confirmed()) => {
                    show(memory).formerly(&[memory.confirmed()])
                }
                (_, Some(older)) => show(memory).formerly(&[&older.content]),
                _ if then.is_some() || returns && n < MOST_FORMER => {
                    self.with_former(memory, show(memory), then).await?
                }
                _ => show(memory),
            });
        }
        Ok((MailQuestion { known, ..question }, near))
    }

    /// Puts what was said last in the place of what it has outdated for whoever read it, however many steps that takes; gives what
    /// stands before which. Two that only look so are both shown.
    async fn newest_of(&self, shown: &mut Vec<Memory>) -> Result<Vec<(Id, Memory)>> {
        let mut before: Vec<(Id, Memory)> = Vec::new();
        for _ in 0..MOST_STEPS {
            let ids: Vec<Id> = shown.iter().map(|m| m.id).collect();
            let mut doubted = self.newer_than(&ids, Finding::CONFIDENCE).await?;
            doubted.extend(self.gone_past(shown).await?);
            let both: Vec<Id> = ids.into_iter().chain(doubted.iter().map(|(_, newer)| newer.id)).collect();
            // What may be a fraud stands in no other's place.
            let suspected = self.suspected(&both).await?;
            let steps = before.len();
            for (older, newer) in doubted {
                let Some(at) = shown.iter().position(|m| m.id == older) else { continue };
                if suspected.contains(&newer.id) {
                    shown.retain(|m| m.id != newer.id);
                    continue;
                }
                // The older one was said again since.
                if newer.own_time() < shown[at].own_time() {
                    continue;
                }
                let known = shown.iter().position(|m| m.id == newer.id);
                let older = match known {
                    Some(n) if n < at => shown.remove(at),
                    _ => std::mem::replace(&mut shown[at], newer.clone()),
                };
                if let Some(n) = known.filter(|n| *n > at) {
                    shown.remove(n);
                }
                before.push((newer.id, older));
            }
            if before.len() == steps {
                break;
            }
        }
        Ok(before)
    }

    /// Memories that were kept beside another of which something later was written since: a version of it, or what was kept beside it
    /// as well. Each with that.
    async fn gone_past(&self, shown: &[Memory]) -> Result<Vec<(Id, Memory)>> {
        // It was kept as the first of its versions.
        let mut versions: Vec<(Id, Id)> = shown.iter().map(|m| (m.id, m.id)).collect();
        let mut at = 0;
        while let Some((version, head)) = versions.get(at).copied().filter(|_| versions.len() < PAGE) {
            let before = self.mirror.index.borrow().replaced_by(&[version]);
            versions.extend(before.into_iter().map(|id| (id, head)));
            at += 1;
        }
        let ids: Vec<Id> = versions.iter().map(|(version, _)| *version).collect();
        let mut found = Vec::new();
        for edge in self.store.edges_at(&ids).await? {
            let of = versions.iter().find(|(id, _)| *id == edge.to && edge.kind == EdgeKind::MayReplace);
            let kept = of.and_then(|(_, head)| shown.iter().find(|m| m.id == *head));
            let Some(kept) = kept.filter(|_| edge.weight >= Finding::CONFIDENCE) else { continue };
            let mut others: Vec<Memory> = self.chain_over(edge.from, &[]).await?.pop().into_iter().collect();
            if others.first().is_some_and(|head| head.id == edge.from) {
                others =
                    self.newer_than(&[edge.from], Finding::CONFIDENCE).await?.into_iter().map(|(_, m)| m).collect();
            }
            let is_later = |m: &Memory| m.is_current() && m.id != kept.id && m.own_time() > kept.own_time();
            found.extend(others.into_iter().filter(is_later).map(|m| (kept.id, m)));
        }
        Ok(found)
    }

    /// A memory with what its first version and the one before it said; or with the one that held at a time.
    async fn with_former(&self, memory: &Memory, shown: KnownMemory, then: Option<Time>) -> Result<KnownMemory> {
        if memory.previous_version_id.is_none() {
            return Ok(shown);
        }
        let line = self.history(memory.id).await?;
        let before = line.iter().take_while(|m| m.id != memory.id).filter(|m| !m.is_forgotten());
        let before = before.filter(|m| then.is_none_or(|then| m.own_time() <= then));
        let said: Vec<&str> = before.map(|m| m.content.as_str()).filter(|text| *text != memory.content).collect();
        let first = said.first().filter(|_| then.is_none());
        let mut told: Vec<&str> = first.into_iter().chain(said.last()).copied().collect();
        told.dedup();
        Ok(shown.formerly(&told))
    }

    /// The question about a mail beside these memories.
    pub(super) fn question_beside(&self, mail: &Mail, account: &Account, memories: &[Memory]) -> MailQuestion {
        let party = |p: &Person| Party { name: named(p), is_owner: account.is_owner(&p.address) };
        // What is not sent is no evidence.
        let mut left = MailQuestion::MOST;
        let passages: Vec<Passage> = passages(mail)
            .into_iter()
            .map(|(by, text)| {
                let text = cut(&text, left).to_owned();
                left -= text.chars().count();
                Passage { by, text }
            })
            .filter(|p| !p.text.is_empty())
            .collect();
        let before = self.client.threads.borrow().before(mail);
        let zone = account.zone.unwrap_or(mail.zone);
        MailQuestion {
            form: self.options.form,
            is_draft: false,
            source: Some(mail.message_id.clone()),
            from: mail.from.as_ref().map(party).unwrap_or_default(),
            speaker: address_of(mail, account).filter(|_| !mail.sender.is_disowned(&account.hosts)),
            to: mail.receivers().map(party).collect(),
            is_answer: topic_of_another(mail).is_some(),
            subject: mail.subject.clone(),
            at: mail.date.map(|now| Reference { now, zone: account.zone_of(mail) }),
            passages,
            signature: mail.sections.iter().map(|s| s.signature.as_str()).collect::<Vec<_>>().join("\n"),
            before,
            known: memories.iter().map(|m| KnownMemory::new(m, Some(&mail.thread_id), zone)).collect(),
        }
    }
}

/// Whether a mail may go back to what held before ("처음 올리신 대수로", "what we had at first").
fn goes_back(text: &str) -> bool {
    let folded = fold(text);
    words!("mail/returning").stand_in(&folded)
}

/// All words of a prompt.
fn words_of(prompt: &Prompt) -> String {
    [prompt.system, "\n", &prompt.text, "\n", &prompt.version.to_string()].concat()
}
