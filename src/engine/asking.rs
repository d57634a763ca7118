//! Answers a question about the memories: a search, then one model call that picks those that answer.
//!
//! It writes only the call's usage and the outbox entry. Without a usable answer, the hits are returned alone.

use super::browsing::Related;
use super::budget::TokenBudget;
use super::listing::{ListOptions, ListOrder};
use super::searching::{Hit, Nothing, SearchOptions, readable};
use super::versions::is_memory;
use super::{Cancel, Engine};
use crate::decision::Mode;
use crate::language::Reference;
use crate::llm::{AnswerQuestion, ShownMemory};
use crate::mail::is_suspicious;
use crate::model::{EdgeKind, Generation, Memory, Source};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Most memories shown to the model, most hits among them, and hits whose links are followed.
const MOST: usize = 30;
const HITS: usize = 20;
const MOST_LINKED_HITS: usize = 8;

/// The result of [`Engine::ask`].
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// The memories that answer, chosen by the model, most relevant first: the headline of the first is the answer.
    /// One that is only linked to a hit has the score 0 and no highlights.
    pub sources: Vec<Hit>,
    /// The hits of the search, best first.
    pub hits: Vec<Hit>,
    /// Whether a model answered. If so, empty `sources` mean that no stored memory answers.
    pub model: bool,
    /// Why the model gave no answer, as a code: `unknown_handle`, `over_budget`, `timeout` and others.
    pub refused: Option<String>,
    /// Why there are no hits, if there are none.
    pub nothing: Option<Nothing>,
}

impl Engine {
    /// Answers a question by a search; with a model, one call then picks the memories that answer. `limit` is 1 to 30.
    pub async fn ask(&self, question: &str, options: &SearchOptions, cancel: Cancel<'_>) -> Result<Answered> {
        cancel.check()?;
        readable(question, "question")?;
        let limit = options.limit_within(MOST as u32, MOST as u32)?;
        if options.session.is_some() {
            return Err(Error::field("session", "is only for `search`"));
        }
        let now = options.now.unwrap_or_else(|| self.platform.now());
        let search = SearchOptions { limit: Some(limit as u32), now: Some(now), ..options.clone() };
        let mut found = Box::pin(self.answer(question, &search)).await?;
        if options.limit.is_none() && found.from.is_none() && found.to.is_none() {
            found.hits.truncate(HITS);
        }
        let span = (found.from, found.to);
        let mut answered = Answered { hits: found.hits, nothing: found.nothing, ..Answered::default() };
        let silent = matches!(answered.nothing, Some(Nothing::NamesNothing | Nothing::NothingStored));
        if silent || self.client.model.is_none() || self.options.policy.mode == Mode::Fast {
            return Ok(answered);
        }
        // Links are those of today and say nothing about an earlier time.
        let reach = if options.as_of.is_none() && options.valid_at.is_none() { MOST_LINKED_HITS } else { 0 };
        let fill = if is_open_to_all(options) { MOST } else { 0 };
        let (shown, noted) = Box::pin(self.collect_shown(&answered.hits, reach, fill)).await?;
        if shown.is_empty() {
            return Ok(answered);
        }
        let at = Reference { now, zone: self.options.zone };
        let asks = AnswerQuestion::new(question, at, span, noted);
        let mut said = None;
        let read = &mut |reply: &str| {
            said = Some(asks.read(reply)?);
            Ok(())
        };
        let came = self.send_prompt(&self.seal(&asks), &mut TokenBudget::default(), cancel, read).await?;
        cancel.check()?;
        match (came, said) {
            (Ok(()), Some(memories)) => {
                answered.sources = memories.iter().filter_map(|n| shown.get(*n).cloned()).collect();
                answered.model = true;
            }
            (came, _) => answered.refused = came.err().map(|why| why.refusal.as_str().to_owned()),
        }
        Ok(answered)
    }

    /// Collects what the model is shown: the hits, memories linked to the best `reach` of them, and the newest memories
    /// up to `fill`. Suspected prompt injections are left out, unless the owner wrote them.
    async fn collect_shown(&self, hits: &[Hit], reach: usize, fill: usize) -> Result<(Vec<Hit>, Vec<ShownMemory>)> {
        let mut shown: Vec<Hit> = hits.to_vec();
        shown.retain(|hit| is_open(&hit.memory));
        let found = shown.len();
        let mut with = Vec::new();
        for n in 0..found.min(reach) {
            if shown.len() == MOST {
                break;
            }
            for Related { edge, memory } in self.related(shown[n].memory.id).await? {
                let new = shown.iter().all(|h| h.memory.id != memory.id) && edge.kind != EdgeKind::ConsolidatedInto;
                let stands = memory.is_current() && is_memory(&memory) && memory.generation != Generation::Archived;
                if new && stands && is_open(&memory) && shown.len() < MOST {
                    shown.push(Hit::unscored(memory));
                    with.push(n);
                }
            }
        }
        // The answer may share no word with the question.
        if shown.len() < fill {
            let newest = ListOptions { order: ListOrder::Newest, limit: Some(fill as u32), ..ListOptions::default() };
            let mut more = self.listed(&newest).await?;
            more.retain(|m| is_open(m) && shown.iter().all(|h| h.memory.id != m.id));
            shown.extend(more.into_iter().take(fill - shown.len()).map(Hit::unscored));
        }
        let mut noted = Vec::new();
        for (n, hit) in shown.iter().enumerate() {
            let mut newer = Vec::new();
            for id in &hit.may_be_outdated_by {
                newer.extend(shown.iter().position(|h| h.memory.id == *id));
            }
            let with = n.checked_sub(found).and_then(|n| with.get(n).copied());
            noted.push(ShownMemory::new(&hit.memory, with, &newer, self.options.zone));
        }
        Ok((shown, noted))
    }
}

fn is_open_to_all(options: &SearchOptions) -> bool {
    let unlimited = options.limit.is_none() && options.category.is_none() && options.people.is_empty();
    let no_span = [options.from, options.to].iter().all(Option::is_none);
    unlimited && no_span && options.as_of.or(options.valid_at).is_none()
}

fn is_open(memory: &Memory) -> bool {
    memory.source_type == Source::UserInput || !is_suspicious(&memory.content)
}
