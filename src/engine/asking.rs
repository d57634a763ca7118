//! Asking: search, relations and the log.

use super::query::{self, Query};
use super::{Cancel, Engine, PAGE, Platform};
use crate::analysis::{Sought, sought};
use crate::consolidation::{LogEntry, Status, When};
use crate::decision::Decision;
use crate::embed::Embedder;
use crate::graph;
use crate::language::{Folded, Reference, fold, tokens};
use crate::model::{Category, Edge, EdgeKind, Id, Limits, Memory, Time};
use crate::similarity::{Match, Row, Scan, rank};
use crate::store::{LogRange, Store};
use crate::{Code, Error, Result, order};
use futures_lite::future::zip;
use serde::{Deserialize, Serialize};

/// What a search is limited to. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchOptions {
    /// At most this many hits, 1 to 100; 10 where absent.
    pub k: Option<u32>,
    /// Only what happened at or after this time.
    pub from: Option<Time>,
    /// Only what happened before this time.
    pub to: Option<Time>,
    /// When the question is asked; now where absent. Time phrases in the text count from it.
    pub now: Option<Time>,
    /// What was known at this time, instead of what is known now.
    pub as_of: Option<Time>,
    /// What was true at this time, whatever was said later.
    pub valid_at: Option<Time>,
    /// Only this category.
    pub category: Option<Category>,
    /// Only memories that involve all of these people, by name or words of it: those who take part, or are named in
    /// the text.
    pub people: Vec<String>,
    /// Older versions too, at half their strength.
    pub include_superseded: bool,
    /// What a summary stands for, instead of the summary. A question about a time always finds that.
    pub include_archived: bool,
    /// The session that the question is recorded in, so that what it finds is remembered better; not recorded where
    /// absent.
    pub session: Option<String>,
    /// Only by what is at hand: an embedder that is elsewhere is not asked what the question means.
    pub at_hand: bool,
}

/// A memory that was found, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// What the order is by: likeness × strength, 0–1.
    pub score: f32,
    /// How well the text matches, 0–1: meaning and words together.
    pub similarity: f32,
    /// How strongly it is remembered, 0–1: 1 when new, down to a half as it fades, and half of that for older versions.
    pub strength: f32,
    /// The words of the question that stand in the memory.
    pub matched: Vec<String>,
    /// Where its content has one of those words, or another for the same.
    pub highlights: Vec<Highlight>,
    /// Of a summary, the archived memory by which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Id>,
}

/// A place in a text, in UTF-16 units as JavaScript counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Highlight {
    /// Its first unit.
    pub start: u32,
    /// One past its last.
    pub end: u32,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The memories that answer it, best first.
    pub hits: Vec<Hit>,
    /// What it is about: its text without its time phrase.
    pub topic: String,
    /// From when on it asks, where it or the options name a span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Time>,
    /// Before when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Time>,
    /// Why there are no hits, where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nothing: Option<Nothing>,
}

/// Why a question found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Nothing {
    /// Nothing is stored.
    NothingStored,
    /// It names nothing by which anything could be found ("what was that?").
    NamesNothing,
    /// Nothing lies in its span of time, or passes its other limits.
    NothingWithin,
    /// What it names is not in any memory that it may find.
    NothingLikeIt,
}

/// A memory that is linked to another, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Related {
    /// The link.
    pub edge: Edge,
    /// The current version of the memory at its other end.
    pub memory: Memory,
}

/// Which log entries are wanted. All fields are optional and narrow the answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct LogQuery {
    /// Only this decision.
    pub decision: Option<Decision>,
    /// Only this status.
    pub status: Option<Status>,
    /// Only entries about this memory (as target, or written by it).
    pub target: Option<Id>,
    /// Only entries from this source (message id).
    pub source: Option<String>,
    /// Only entries at or after this time.
    pub from: Option<Time>,
    /// Only entries before this time.
    pub to: Option<Time>,
    /// Only entries whose input or reason holds this text.
    pub text: Option<String>,
    /// Only what a person should look at, or only what needs nobody.
    pub needs_review: Option<bool>,
    /// At most this many.
    pub limit: Option<u32>,
    /// The newest first.
    pub newest_first: bool,
}

/// A memory that may be among the best, and what its likeness is at least and at most.
struct Likely {
    id: Id,
    row: Row,
    /// What it has beside the meaning.
    prior: f32,
    /// As far as its row tells: an older version is worth less.
    strength: f32,
    lower: f32,
    upper: f32,
}

impl Query {
    /// The likeness of a memory, from what meaning and words are worth together.
    fn fused(&self, row: &Row, raw: f32) -> f32 {
        match self.span {
            // Whatever lies in the span answers; the words only bring some forward.
            _ if self.lists => {
                let of_kind = self.category == Some(row.category);
                LISTED + (1.0 - LISTED) * 0.5 * raw + if of_kind { LISTED * 0.5 } else { 0.0 }
            }
            Some(span) if row.lies_in(span) => (raw * IN_SPAN).min(1.0),
            _ => raw,
        }
    }
}

/// What likeness of spelling and words count for in a search, and what nearness in the space of an embedder of its own
/// adds to them.
const MEANING: f32 = 0.2;
const WORDS: f32 = 0.8;
const EMBEDDED: f32 = 0.5;
/// What nothing in common is on the scale of the bands.
const UNRELATED: f32 = 0.30;
/// What a memory of the span is worth to a question that asks for all of them.
const LISTED: f32 = 0.4;
/// How much more a memory of the span is worth to a question about some matter.
const IN_SPAN: f32 = 1.25;
/// What an older version is worth.
const OLDER: f32 = 0.5;
/// Hits below this likeness are not worth showing.
const FLOOR: f32 = 0.05;

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// The memories that answer a question, best first, ties by id.
    ///
    /// # Errors
    /// An empty or overlong text, a bad option, or a failing store or embedder.
    pub async fn search(&self, text: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
        Ok(self.answer(text, options).await?.hits)
    }

    /// The same, with how the question was read, and why nothing was found where nothing was.
    ///
    /// # Errors
    /// Those of [`Engine::search`].
    pub async fn answer(&self, text: &str, options: &SearchOptions) -> Result<Answer> {
        if text.trim().is_empty() {
            return Err(Error::field("text", "is empty"));
        }
        if text.chars().count() > Limits::NAME {
            return Err(Error::field("text", format!("is longer than {} characters", Limits::NAME)));
        }
        let k = options.k.unwrap_or(10) as usize;
        if !(1..=100).contains(&k) {
            return Err(Error::field("k", "is not from 1 to 100"));
        }
        let when = When { as_of: options.as_of, valid_at: options.valid_at };
        // Others have seldom written since: what is known answers, while the first read asks that too.
        if when == When::default()
            && (self.embeddings.is_none() || options.at_hand)
            && let Some(answer) = self.answered(text, options, k, true).await?
        {
            return Ok(answer);
        }
        self.catch_up().await?;
        let answer = self.answered(text, options, k, false).await?;
        answer.ok_or_else(|| Error::new(Code::Internal, "a question was not answered"))
    }

    /// The answer from what is known; `None` where others may have written since, which is asked where it is `unsure`.
    async fn answered(
        &self,
        text: &str,
        options: &SearchOptions,
        k: usize,
        mut unsure: bool,
    ) -> Result<Option<Answer>> {
        let now = options.now.unwrap_or_else(|| self.platform.now());
        let asked = query::read(text, Reference { now, zone: self.options.zone });
        let span = match (options.from, options.to) {
            (None, None) => asked.span.filter(|_| asked.lists),
            (from, to) => Some((from.unwrap_or(Time::MIN), to.unwrap_or(Time::MAX))),
        };
        let vector = self.embed_one(&asked.sought).await?;
        let meant = match options.at_hand {
            true => None,
            false => self.mean_near(&asked.sought, Cancel::default()).await,
        };
        let when = When { as_of: options.as_of, valid_at: options.valid_at };
        let view = self.view(&when).await?;
        // A summary has one time and stands for several; its sources know theirs.
        let archived = options.include_archived || span.is_some() || asked.span.is_some() || when != When::default();
        let involving = self.index.borrow().involving(&options.people);
        let wanted = |r: &Row| {
            involving.as_ref().is_none_or(|ids| ids.binary_search(&r.id).is_ok())
                && (!r.is_deleted() || when.as_of.is_some())
                && (!r.is_superseded() || options.include_superseded || when != When::default())
                && !(archived && self.graph.borrow().is_summary(r.id))
                && options.category.is_none_or(|c| c == r.category)
                && span.is_none_or(|s| r.lies_in(s))
        };
        // As long as the store is as it is known now, an older version is told by its row.
        let strength = |r: &Row| if r.is_superseded() && when == When::default() { OLDER } else { 1.0 };
        let sought = Sought::new(&asked.sought);
        let named = span.or(asked.span);
        let mut answer = Answer {
            hits: Vec::new(),
            topic: asked.topic.clone(),
            from: named.map(|s| s.0).filter(|t| *t != Time::MIN),
            to: named.map(|s| s.1).filter(|t| *t != Time::MAX),
            nothing: None,
        };
        let limited = options.category.is_some() || !options.people.is_empty();
        if query::names_nothing(&asked.topic) && named.is_none() && !limited {
            if unsure && self.store.head().await? != self.seen.get() {
                return Ok(None);
            }
            let stored = !self.index.borrow().is_empty();
            answer.nothing = Some(if stored { Nothing::NamesNothing } else { Nothing::NothingStored });
            return Ok(Some(answer));
        }
        let (mut hits, mut seen): (Vec<Hit>, Vec<Id>) = (Vec::new(), Vec::new());
        let mut known: Vec<Memory> = Vec::new();
        let numbers = numbers(text);
        let mut reach = 4 * k.max(8);
        let mut exact = false;
        loop {
            let likely = self.likely(&asked, (&vector, meant.as_deref()), reach, &wanted, &strength);
            // Of few it is told from their bounds which need a closer look; what was folded is found by its best source.
            exact |= likely.len() > 2 * reach || !archived && likely.iter().any(|l| l.row.is_archived());
            let (mut news, end) = if exact {
                let found = self.likest(&asked, &likely, &vector, reach, &known).await?;
                let end = found.len() < reach;
                (found.into_iter().filter(|(_, m)| !seen.contains(&m.id)).collect(), end)
            } else {
                let most = |l: &Likely| (l.upper * l.strength, Match { id: l.id, score: l.upper });
                (ordered(likely.iter().map(most).collect(), usize::MAX), likely.len() < reach)
            };
            let ids: Vec<Id> = news.iter().map(|(_, m)| m.id).collect();
            // Where the likest are enough, the others need not be read.
            let mut rest = news.split_off(news.len().min(k + k / 2 + 1));
            while unsure || !news.is_empty() {
                let is_known = |id: &Id| known.iter().any(|m| m.id == *id);
                let unknown: Vec<Id> = news.iter().map(|(_, m)| m.id).filter(|id| !is_known(id)).collect();
                let read = self.store.memories(&unknown);
                let read = if unsure {
                    let (head, read) = zip(self.store.head(), read).await;
                    if head? != self.seen.get() {
                        return Ok(None);
                    }
                    unsure = false;
                    read?
                } else {
                    read.await?
                };
                known.extend(read.into_iter().flatten());
                for (_, found) in std::mem::take(&mut news) {
                    let memory = known.iter().find(|m| m.id == found.id).and_then(|m| view.stood(m.clone()));
                    let Some(memory) = memory.filter(|m| m.deleted_at.is_none()) else { continue };
                    if !involves(&memory, &options.people) {
                        continue;
                    }
                    if seen.contains(&memory.id) {
                        continue;
                    }
                    let (memory, through) = if archived { (memory, None) } else { self.folded_into(memory).await? };
                    // What was found by itself before, or through what it stands for, is better placed.
                    if hits.iter().any(|h: &Hit| h.memory.id == memory.id) {
                        continue;
                    }
                    if through.is_some() {
                        seen.extend(self.folded(memory.id, false).await?);
                    }
                    let superseded = match options.valid_at {
                        Some(at) => !self.held(&memory, &view, at).await?,
                        None => memory.superseded_by.is_some(),
                    };
                    if superseded && !options.include_superseded {
                        continue;
                    }
                    let similarity = found.score;
                    // What has faded is found all the same: at its weakest it counts half, and whole where it is named.
                    let faded = match &through {
                        _ if when != When::default() || is_named(&numbers, through.as_ref().unwrap_or(&memory)) => 1.0,
                        Some(source) => graph::strength_within(source, &memory, now),
                        None => graph::strength(&memory, now),
                    };
                    let strength = if superseded { OLDER } else { 1.0 } * (0.5 + 0.5 * faded);
                    let (matched, highlights, through) = (Vec::new(), Vec::new(), through.map(|m| m.id));
                    hits.push(Hit {
                        score: similarity * strength,
                        similarity,
                        strength,
                        matched,
                        highlights,
                        memory,
                        through,
                    });
                }
                news = std::mem::take(&mut rest);
                if let Some(least) = needed(&hits, &likely, k, exact) {
                    news.retain(|(most, _)| *most >= least);
                }
            }
            if !exact && !self.settled(&asked, &mut hits, &likely, &vector, (k, reach), &known).await? {
                (exact, hits, seen) = (true, Vec::new(), Vec::new());
                continue;
            }
            hits = rank(hits, k, |h| (h.score, h.memory.id));
            // Fading orders the likest; it brings no others in, or a store that has faded alike would be read whole.
            if end || hits.len() >= k {
                break;
            }
            exact = true;
            seen.extend(ids);
            reach *= 4;
        }
        for hit in &mut hits {
            hit.matched = matched(text, &hit.memory);
            hit.highlights = highlights(&sought, &hit.memory.content);
        }
        if hits.is_empty() {
            let index = self.index.borrow();
            answer.nothing = Some(match index.rows().any(&wanted) {
                true => Nothing::NothingLikeIt,
                false if index.is_empty() => Nothing::NothingStored,
                false => Nothing::NothingWithin,
            });
        }
        if let Some(session) = &options.session {
            self.record(text, &hits, session).await?;
        }
        Ok(Some(Answer { hits, ..answer }))
    }

    /// The memories that may be among the `k` that answer best, by the most that each may be worth: meaning and words
    /// together, and the time they speak of. The order is by likeness × strength.
    fn likely(
        &self,
        asked: &Query,
        (vector, meant): (&[f32], Option<&[f32]>),
        k: usize,
        wanted: &dyn Fn(&Row) -> bool,
        strength: &dyn Fn(&Row) -> f32,
    ) -> Vec<Likely> {
        let (offset, gain) = if asked.lists { (1.5 * LISTED, (1.0 - LISTED) * 0.5) } else { (0.0, IN_SPAN) };
        let index = self.index.borrow();
        let (mut prior, best) = index.words(&sought(&asked.sought), wanted);
        let share = WORDS / best.max(f32::EPSILON);
        prior.iter_mut().for_each(|score| *score *= share);
        for m in self.nearest_meant(meant, index.len(), &|id| index.row(id).is_some_and(wanted)) {
            let above = (m.score - UNRELATED) / (1.0 - UNRELATED);
            index.raise(&mut prior, m.id, EMBEDDED * above.max(0.0));
        }
        let model = self.embedder.model();
        let least = FLOOR * OLDER;
        let scan = Scan { model, vector, weight: MEANING, floor: 0.0, prior: &prior, offset, gain, least, k };
        let open = index.scan(&scan, &|row, raw| wanted(row).then(|| asked.fused(row, raw) * strength(row)));
        let mut likely = Vec::with_capacity(open.len());
        for o in open {
            let row = *index.row_of(&o);
            let strength = strength(&row);
            let (lower, upper) = (o.lower / strength, o.upper / strength);
            likely.push(Likely { id: o.id, row, prior: o.prior, strength, lower, upper });
        }
        likely
    }

    /// The best `k` of these by their whole vectors, with what the order is by and their likeness.
    async fn likest(
        &self,
        asked: &Query,
        likely: &[Likely],
        vector: &[f32],
        k: usize,
        known: &[Memory],
    ) -> Result<Vec<(f32, Match)>> {
        let ids: Vec<Id> = likely.iter().map(|l| l.id).collect();
        let mut found = Vec::with_capacity(ids.len());
        for (l, cosine) in likely.iter().zip(self.cosines(vector, &ids, known).await?) {
            let score = asked.fused(&l.row, MEANING * cosine.max(0.0) + l.prior);
            if score >= FLOOR {
                found.push((score * l.strength, Match { id: l.id, score }));
            }
        }
        Ok(ordered(found, k))
    }

    /// Gives hits, which have the most that they may be worth, what they are worth, and lets go of those that cannot be
    /// among the `k` best. `false` where it cannot be told that these are of the `reach` likest.
    async fn settled(
        &self,
        asked: &Query,
        hits: &mut Vec<Hit>,
        likely: &[Likely],
        vector: &[f32],
        (k, reach): (usize, usize),
        known: &[Memory],
    ) -> Result<bool> {
        let of = |id: Id| likely.iter().find(|l| l.id == id);
        if let Some(least) = needed(hits, likely, k, false) {
            hits.retain(|h| h.score >= least);
        }
        let ids: Vec<Id> = hits.iter().map(|h| h.memory.id).collect();
        for (hit, cosine) in hits.iter_mut().zip(self.cosines(vector, &ids, known).await?) {
            let Some(l) = of(hit.memory.id) else { return Ok(false) };
            hit.similarity = asked.fused(&l.row, MEANING * cosine.max(0.0) + l.prior);
            hit.score = hit.similarity * hit.strength;
        }
        hits.retain(|h| h.similarity >= FLOOR);
        *hits = rank(std::mem::take(hits), k, |h| (h.score, h.memory.id));
        if hits.len() < k && likely.len() >= reach {
            return Ok(false);
        }
        Ok(likely.len() <= reach
            || hits.iter().all(|h| {
                let order = of(h.memory.id).map_or(0.0, |l| h.similarity * l.strength);
                likely.iter().filter(|l| l.upper * l.strength >= order).count() <= reach
            }))
    }

    /// One memory, whatever its version, or `None`.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn get(&self, id: Id) -> Result<Option<Memory>> {
        Ok(self.store.memories(&[id]).await?.pop().flatten())
    }

    /// The memories linked to any version of this one, as they are now; strongest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn related(&self, id: Id) -> Result<Vec<Related>> {
        self.catch_up().await?;
        let chain = self.family(id).await?;
        let mut related: Vec<Related> = Vec::new();
        for version in &chain {
            for edge in self.store.edges(version.id).await?.into_iter().filter(is_link) {
                let other = if edge.from == version.id { edge.to } else { edge.from };
                if chain.iter().any(|m| m.id == other) {
                    continue;
                }
                let Some(memory) = self.history(other).await?.pop() else { continue };
                if memory.deleted_at.is_none() && related.iter().all(|r| r.memory.id != memory.id) {
                    related.push(Related { edge, memory });
                }
            }
        }
        Ok(rank(related, usize::MAX, |r| (r.edge.weight, r.edge.id)))
    }

    /// Every link between memories, by id.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn links(&self) -> Result<Vec<Edge>> {
        Ok(self.all_edges().await?.into_iter().filter(is_link).collect())
    }

    /// Every edge, also those of questions and tags, by id.
    pub(super) async fn all_edges(&self) -> Result<Vec<Edge>> {
        let mut all: Vec<Edge> = Vec::new();
        loop {
            let page = self.store.edge_page(all.last().map(|e| e.id), PAGE).await?;
            let end = page.len() < PAGE;
            all.extend(page);
            if end {
                return Ok(all);
            }
        }
    }

    /// The log entries that a query names.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn log(&self, query: &LogQuery) -> Result<Vec<LogEntry>> {
        let text = query.text.as_deref().map(fold);
        let wanted = |e: &LogEntry| {
            query.decision.is_none_or(|d| d == e.decision)
                && query.status.is_none_or(|s| s == e.status)
                && query.target.is_none_or(|id| e.target_id == Some(id) || e.touched.contains(&id))
                && query.source.as_ref().is_none_or(|s| e.source_id.as_ref() == Some(s))
                && query.from.is_none_or(|t| e.time >= t)
                && query.to.is_none_or(|t| e.time < t)
                && query.needs_review.is_none_or(|r| r == e.needs_review)
                && text.as_ref().is_none_or(|t| fold(&e.input).contains(t) || fold(&e.reason).contains(t))
        };
        let limit = query.limit.map(|n| n as usize);
        // A few entries need not the whole log.
        let mut read = limit.map(|n| n.saturating_add(PAGE / 4));
        loop {
            let range = LogRange { newest_first: query.newest_first, limit: read, ..LogRange::default() };
            let entries = self.store.log(range).await?;
            let end = read.is_none_or(|n| entries.len() < n);
            let mut found: Vec<LogEntry> = entries.into_iter().filter(wanted).collect();
            found.truncate(limit.unwrap_or(usize::MAX));
            if end || Some(found.len()) == limit {
                return Ok(found);
            }
            read = read.map(|n| n.saturating_mul(8));
        }
    }
}

/// Where a content has what is sought, in UTF-16 units.
fn highlights(sought: &Sought, content: &str) -> Vec<Highlight> {
    let unit = |at: usize| content.get(..at).map_or(0, |before| before.encode_utf16().count()) as u32;
    sought.places(content).into_iter().map(|(start, end)| Highlight { start: unit(start), end: unit(end) }).collect()
}

/// Whether an edge leads from memory to memory, not to a tag or from a question.
fn is_link(edge: &Edge) -> bool {
    matches!(edge.kind, EdgeKind::RelatedTo | EdgeKind::ConsolidatedInto)
}

/// Whether all of these people take part in a memory.
fn involves(memory: &Memory, people: &[String]) -> bool {
    people.iter().all(|wanted| {
        let wanted = fold(wanted);
        memory.people.iter().any(|p| fold(p).contains(&wanted)) || fold(&memory.content).contains(&wanted)
    })
}

/// These by what the order is by, the best `k` of them.
fn ordered(found: Vec<(f32, Match)>, k: usize) -> Vec<(f32, Match)> {
    rank(found, k, |(order, m)| (*order, m.id))
}

/// What a memory must be worth to come among the `k` best of these, as far as that is sure; `None` where they are fewer.
fn needed(hits: &[Hit], likely: &[Likely], k: usize, exact: bool) -> Option<f32> {
    let lower = |id: Id| likely.iter().find(|l| l.id == id).map_or(0.0, |l| l.lower);
    let sure = |h: &Hit| if exact { h.score } else { lower(h.memory.id) * h.strength };
    let mut least: Vec<f32> = hits.iter().map(sure).collect();
    order::sort(&mut least, |a, b| b.total_cmp(a));
    least.get(k - 1).copied()
}

fn digits_of(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// The words of a question that may be the number or code of a memory.
fn numbers(text: &str) -> Vec<String> {
    let text = fold(text);
    words_of(&text).filter(|word| digits_of(word) >= 3).map(str::to_owned).collect()
}

/// Whether a question names a memory by a number or code that it holds: three digits at least, and no year.
fn is_named(numbers: &[String], memory: &Memory) -> bool {
    if numbers.is_empty() {
        return false;
    }
    let content = fold(&memory.content);
    numbers.iter().filter_map(|word| part_in(word, &content)).any(|word| {
        let year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        digits_of(word) >= 3 && !year
    })
}

/// The words of a folded text that are worth looking for.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|w| w.chars().count() > 1)
}

/// A Korean word carries its particle: its longest beginning that stands in a content counts.
fn part_in<'a>(word: &'a str, content: &str) -> Option<&'a str> {
    let ends = word.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    let least = if word.is_ascii() { word.len() } else { word.chars().take(2).map(char::len_utf8).sum() };
    ends.take_while(|end| *end >= least).map(|end| &word[..end]).find(|part| content.contains(part))
}

/// The words of a question that stand in a memory, for highlighting; not those that stand in any.
fn matched(text: &str, memory: &Memory) -> Vec<String> {
    let content = fold(&memory.content);
    let mut words: Vec<String> = Vec::new();
    let says = |word: &&str| tokens(&Folded::new(word)).iter().any(|t| !t.stop);
    for word in words_of(&fold(text)).filter(says) {
        if let Some(part) = part_in(word, &content).map(str::to_owned)
            && !words.contains(&part)
        {
            words.push(part);
        }
    }
    words
}
