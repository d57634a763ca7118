//! Extracts facts from a mail: one model call with the mail and related memories returns drafts.

use super::budget::TokenBudget;
use super::deciding::QuestionState;
use super::model_client::{format_person, sender_address};
use super::model_client::{key, shelved, store_answers};
use super::recalling::RecalledMemories;
use super::{Cancel, Engine};
use crate::Result;
use crate::decision::{Mode, Refusal, ReplyFault, Speaker, cut};
use crate::extract::{Worded, drafts, is_note, uncovered, worded};
use crate::language::{Reference, fold, words};
use crate::llm::{KnownMemory, MailEntry, MailQuestion, MailReply, Party, Passage, Question};
use crate::mail::{Account, Mail, Person, answers_yes_or_no, is_settled, passages, topic_of_another};
use crate::model::{Draft, Id, Memory, Time};
use serde::{Deserialize, Serialize};

/// Of the memories shown first, those shown with their earlier versions.
const MOST_FORMER: usize = 4;

/// An entry of a model's reply to a mail that was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct RefusedEntry {
    /// Its position in the reply, from 1.
    pub entry: u32,
    /// The reason as a code, such as `unknown_handle` or `no_evidence`; [`Refusal`] lists all.
    pub error: String,
    /// The malformed field, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What is wrong with the field, as a sentence.
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

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ExtractedFact {
    pub draft: Draft,
    /// The model's entry and its position in the reply.
    pub entry: Option<(usize, MailEntry)>,
    /// Why the model's reply does not cover this fact, if a model was asked.
    pub refused: Option<Refusal>,
}

#[derive(Debug, Default)]
pub(super) struct MailFacts {
    pub facts: Vec<ExtractedFact>,
    pub refused: Vec<RefusedEntry>,
    /// Whether a rejected entry has no evidence in the mail, so that no other log entry records it.
    pub is_lost: bool,
    /// Whether the model found nothing in a chat. The log records it, since no draft does.
    pub is_empty: bool,
    /// Whether a model read the mail; if it was asked in vain, why.
    pub is_by_model: bool,
    pub fault: Option<ReplyFault>,
}

impl MailFacts {
    fn locally(drafts: Vec<Draft>, refused: Option<ReplyFault>) -> Self {
        let why = refused.as_ref().map(|fault| fault.refusal);
        let refused = refused.iter().filter_map(RefusedEntry::of).collect();
        Self { facts: ExtractedFact::locally(drafts, why), refused, ..Self::default() }
    }
}

impl ExtractedFact {
    fn locally(drafts: Vec<Draft>, refused: Option<Refusal>) -> Vec<Self> {
        drafts.into_iter().map(|draft| Self { draft, entry: None, refused }).collect()
    }
}

impl Engine {
    /// Extracts the facts of a mail by the model, or else by rules. `first` is the key of the first draft.
    pub(super) async fn extract_facts(
        &self,
        (mail, speaker): (&Mail, &Speaker),
        account: &Account,
        first: &str,
        asked: &mut QuestionState,
        cancel: Cancel<'_>,
    ) -> Result<MailFacts> {
        let said_by = || speaker.address.clone().filter(|_| !speaker.is_nobody());
        let by_model = self.options.policy.mode != Mode::Fast && self.client.may_ask();
        let answers = || answers_yes_or_no(mail) && self.client.threads.borrow().proposes(mail);
        if !by_model || is_settled(mail) && !answers() {
            self.client.threads.borrow_mut().keep(mail, said_by());
            let mut local = drafts(mail, account);
            // Where a model may be asked, no question is spent on a minor detail.
            local.retain(|draft| !by_model || !draft.is_minor);
            return Ok(MailFacts::locally(local, None));
        }
        let shelf = key(&["read ", first].concat());
        let kept = shelved(&*self.store, &shelf).await?.and_then(|text| MailReply::restored(&text));
        let read = match kept {
            Some(kept) => Ok(kept),
            None if self.handled_before(Some(first)).await?.is_some() => Err(None),
            None => self.read_mail(mail, account, first, asked, cancel).await?.map_err(Some),
        };
        self.client.threads.borrow_mut().keep(mail, said_by());
        let reply = match read {
            Ok(reply) => reply,
            Err(fault) => {
                let local = drafts(mail, account).into_iter().filter(|draft| !draft.is_minor).collect();
                return Ok(MailFacts { fault: fault.clone(), ..MailFacts::locally(local, fault) });
            }
        };
        if reply.entries.is_empty() && is_note(mail, account) {
            if mail.is_chat {
                return Ok(MailFacts { is_empty: true, ..MailFacts::default() });
            }
            // The owner wrote this note, so it is kept although the model found nothing in it.
            let said: Vec<String> = passages(mail).into_iter().map(|(_, text)| text).collect();
            asked.cache_texts.push((shelf, reply.stored()?));
            let nothing = Refusal::NothingFound.into();
            return Ok(MailFacts::locally(uncovered(mail, account, &[], &said, true), Some(nothing)));
        }
        let mut facts: Vec<ExtractedFact> = Vec::new();
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
                        // A follow-up is not dated earlier than the memory it builds on.
                        draft.stated_at = self.get_any(Some(of)).await?.map(|m| m.own_time()).max(draft.stated_at);
                    }
                    if entry.shortened {
                        refused.push(RefusedEntry::new(place, Refusal::NoEvidence));
                    }
                    let entry = Some((place, entry.clone()));
                    facts.push(ExtractedFact { draft, entry, refused: None });
                }
                None => refuse(Refusal::NoEvidence),
            }
        }
        let mut is_lost = false;
        if why.is_some() {
            // Evidence of rejected entries is kept verbatim; local rules read the uncovered rest.
            let heard: Vec<&str> = reply.entries.iter().flatten().map(|e| e.evidence.as_str()).collect();
            let bears_none = reply.entries.iter().filter(|e| e.is_err()).count() > reply.unheard.len();
            let rest = uncovered(mail, account, &heard, &reply.unheard, bears_none);
            is_lost = bears_none || rest.is_empty();
            facts.extend(ExtractedFact::locally(rest, why));
        }
        let text = reply.stored()?;
        if facts.is_empty() {
            if self.client.gauge.is_none() {
                let records = store_answers(&*self.store, vec![(shelf, text)]).await?;
                self.store.keep(records).await?;
            }
        } else {
            asked.cache_texts.push((shelf, text));
        }
        Ok(MailFacts { facts, refused, is_lost, is_by_model: true, ..MailFacts::default() })
    }

    async fn read_mail(
        &self,
        mail: &Mail,
        account: &Account,
        first: &str,
        asked: &mut QuestionState,
        cancel: Cancel<'_>,
    ) -> Result<Result<MailReply, ReplyFault>> {
        let prefetched = self.client.prefetched.borrow().of(first).filter(|early| early.answers(mail));
        let (question, came, tokens) = match prefetched {
            Some(early) => (early.question.clone(), early.came.clone(), early.used.tokens),
            None => {
                let (question, _) = self.mail_question(mail, account).await?;
                let (came, tokens) = self.reply_to(&question, &mut asked.budget, cancel).await?;
                (question, came, tokens)
            }
        };
        asked.add_tokens(tokens);
        let raw = match came {
            Ok(raw) => raw,
            Err(fault) => return Ok(Err(fault)),
        };
        let replaced = self.replaced_since(&question, mail, account).await?;
        let reply = question.read_after(&raw, replaced, &|name| self.has_name(name));
        if mail.is_chat && reply.as_ref().is_ok_and(|reply| reply.entries.is_empty()) {
            // Adding the same chat again asks again.
            let (hash, _) = self.cache_key(&question);
            self.client.shared.replies.borrow_mut().forget(&hash);
        }
        Ok(reply)
    }

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

    /// Returns the reply, from the cache if possible, or why none is usable; and the tokens spent.
    pub(super) async fn reply_to(
        &self,
        question: &MailQuestion,
        budget: &mut TokenBudget,
        cancel: Cancel<'_>,
    ) -> Result<(Result<String, ReplyFault>, u32)> {
        let (hash, _) = self.cache_key(question);
        let known = self.client.shared.replies.borrow().of(&hash);
        if let Some(raw) = known.filter(|raw| question.read(raw, &|name| self.has_name(name)).is_ok()) {
            if self.client.gauge.is_none() {
                self.count(self.platform.now(), &|day| day.cached += 1).await?;
            }
            return Ok((Ok(raw), 0));
        }
        let (spent, mut raw) = (budget.tokens, String::new());
        let read = &mut |text: &str| {
            text.clone_into(&mut raw);
            question.read(text, &|name| self.has_name(name)).map(drop)
        };
        let came = self.send_prompt(&self.seal(question), budget, cancel, read).await?.map(|()| raw);
        if let Ok(raw) = &came {
            self.client.shared.replies.borrow_mut().put(&hash, raw.clone());
        }
        Ok((came, budget.tokens - spent))
    }

    pub(super) fn cache_key(&self, question: &MailQuestion) -> (String, u32) {
        let prompt = question.prompt("");
        let version = prompt.version.to_string();
        let asked = [self.client.name(), "\n", prompt.system, "\n", &prompt.text, "\n", &version].concat();
        (key(&asked), prompt.tokens())
    }

    pub(super) async fn was_read(&self, first: &str) -> Result<bool> {
        Ok(self.is_reply_kept(first).await? || self.handled_before(Some(first)).await?.is_some())
    }

    pub(super) async fn is_reply_kept(&self, first: &str) -> Result<bool> {
        Ok(shelved(&*self.store, &key(&["read ", first].concat())).await?.is_some())
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        let own = |address: &String| address.to_lowercase().contains(&*name.to_lowercase());
        let index = self.mirror.index.borrow();
        self.options.owner.iter().any(own) || index.involving(&[name.to_owned()]).is_some_and(|ids| !ids.is_empty())
    }

    /// Builds the question about a mail. Also returns the memories that it shows or nearly shows.
    pub(super) async fn mail_question(&self, mail: &Mail, account: &Account) -> Result<(MailQuestion, Vec<Id>)> {
        let question = self.bare_question(mail, account);
        let said = question.passages.iter().map(|p| p.text.as_str());
        let texts: Vec<&str> = std::iter::once(question.subject.as_str()).chain(said).collect();
        let said: Vec<&str> = question.before.iter().rev().take(1).map(|e| e.text.as_str()).collect();
        let most = question.form.most_shown();
        let RecalledMemories { shown, near } = self.recall_memories(mail, &texts, &said, most).await?;
        // "처음 올리신 대수로", "what we had at first".
        let returns = texts.iter().any(|text| words!("mail/returning").stand_in(&fold(text)));
        let zone = account.zone.unwrap_or(mail.zone);
        let mut known = Vec::new();
        for (n, memory) in shown.iter().enumerate() {
            // A late mail is shown the versions that were valid on its date.
            let then = mail.date.filter(|day| *day < memory.own_time());
            let show = |memory: &Memory| KnownMemory::new(memory, Some(&mail.thread_id), zone);
            known.push(if memory.is_provisional() && !memory.content.contains(memory.confirmed()) {
                show(memory).formerly(&[memory.confirmed()])
            } else if then.is_some() || returns && n < MOST_FORMER {
                self.add_former_versions(memory, show(memory), then).await?
            } else {
                show(memory)
            });
        }
        Ok((MailQuestion { known, ..question }, near))
    }

    /// Adds the first and the previous version's text to a shown memory; or the version valid at `then`.
    async fn add_former_versions(
        &self,
        memory: &Memory,
        shown: KnownMemory,
        then: Option<Time>,
    ) -> Result<KnownMemory> {
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

    fn bare_question(&self, mail: &Mail, account: &Account) -> MailQuestion {
        let party = |p: &Person| Party { name: format_person(p), is_owner: account.is_owner(&p.address) };
        // Evidence must come from text that is sent, so passages are cut to the limit here.
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
        MailQuestion {
            form: self.options.form,
            source: Some(mail.message_id.clone()),
            from: mail.from.as_ref().map(party).unwrap_or_default(),
            speaker: sender_address(mail, account).filter(|_| !mail.sender.is_disowned(&account.hosts)),
            to: mail.receivers().map(party).collect(),
            is_answer: topic_of_another(mail).is_some(),
            subject: mail.subject.clone(),
            at: mail.date.map(|now| Reference { now, zone: account.zone_of(mail) }),
            passages,
            signature: mail.sections.iter().map(|s| s.signature.as_str()).collect::<Vec<_>>().join("\n"),
            before,
            ..MailQuestion::default()
        }
    }
}
