//! Search: parses a question, retrieves candidate memories and ranks those that answer.

mod answer;
mod query;
mod ranking;

pub use answer::{Answer, Highlight, Hit, Nothing, SearchOptions};

use super::{Cancel, Engine};
use crate::analysis::Sought;
use crate::consolidation::{View, When};
use crate::embed::TextKind;
use crate::language::{Only, Reference, fold, key, names_owner};
use crate::model::{Id, Limits, Memory, Source, Time, TimeSpan, Zone};
use crate::search::{IndexScan, Row, ScanMatch, WordScores, is_korean};
use crate::similarity::rank;
use crate::{Error, Result};
use query::Query;
pub(super) use query::involves;
use query::{allows, content_words, highlights, matched, mentions, numbers};
use ranking::{FLOOR, GUESSED, LEAST, MEANING, OLDER, Signals, WORDS, fading_factor, promises, relevance};
use std::collections::HashMap;
use std::rc::Rc;

const REACH: usize = 64;

struct SearchQuestion<'a> {
    zone: Zone,
    options: &'a SearchOptions,
    k: usize,
    now: Time,
    when: When,
    asked: Query,
    sought: Sought,
    words: Vec<String>,
    span: Option<TimeSpan>,
    vector: Vec<f32>,
    remote_vector: Option<Rc<[f32]>>,
    view: View,
    /// Whether archived memories are returned instead of their summaries.
    archived: bool,
    involving: Option<Vec<Id>>,
    /// Memories with a number or code that occurs in the question.
    with_number: Vec<Id>,
    /// The same for longer codes, which are nearly unique.
    with_code: Vec<Id>,
    /// Memories with the question's time word used as a name ("May").
    namesakes: Vec<Id>,
}

impl SearchQuestion<'_> {
    fn named(&self) -> Option<TimeSpan> {
        self.span.or(self.asked.span)
    }

    fn names_nothing(&self) -> bool {
        let limited = self.options.category.is_some() || !self.options.people.is_empty();
        self.asked.empty && self.named().is_none() && !limited
    }

    fn covers(&self, row: &Row) -> bool {
        let due = self.asked.lists && self.asked.only == Some(Only::Due);
        self.span.is_none_or(|span| if due { row.falls_due_in(&span) } else { row.lies_in(&span) })
            || self.namesakes.binary_search(&row.id).is_ok()
    }

    fn answer(&self) -> Answer {
        Answer {
            hits: Vec::new(),
            topic: self.asked.topic.clone(),
            kind: self.asked.kind,
            only: self.asked.only,
            lists: self.asked.lists,
            from: self.named().map(|s| s.from).filter(|t| *t != Time::MIN),
            to: self.named().map(|s| s.to).filter(|t| *t != Time::MAX),
            nothing: None,
        }
    }

    /// Whether fading is ignored: for memories named by a code, and for questions about another time.
    fn ignores_fading(&self, id: Id) -> bool {
        self.when != When::default() || self.with_number.binary_search(&id).is_ok()
    }

    /// Number of hits to look for; more than wanted if the time span may remove some later.
    fn enough(&self) -> usize {
        if self.asked.keeps_span() { (4 * self.k).max(REACH / 2) } else { self.k }
    }

    fn mark(&self, hit: &mut Hit, signals: &Signals) {
        hit.matched = matched(&self.words, &hit.memory);
        hit.highlights = highlights(&self.sought, &hit.memory.content);
        let met = !hit.matched.is_empty() || !hit.highlights.is_empty() || mentions(&hit.memory, &self.sought);
        let listed = self.asked.lists || self.asked.names_day_of(&hit.memory);
        hit.relevance = relevance(signals, met, listed);
    }
}

#[derive(Debug)]
struct SearchCandidate {
    id: Id,
    embedded: bool,
    most: f32,
    signals: Signals,
}

impl Engine {
    /// Returns the memories that answer a question, best first, ties by id.
    pub async fn search(&self, text: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
        Ok(self.answer(text, options).await?.hits)
    }

    /// Like [`Engine::search`], with the parsed question and, without hits, the reason.
    pub async fn answer(&self, text: &str, options: &SearchOptions) -> Result<Answer> {
        // An empty text with a period lists that period.
        if text.trim().is_empty() && options.from.is_none() && options.to.is_none() {
            return Err(Error::field("query", "is empty, and no period is given"));
        }
        Limits::name("query", text)?;
        let k = options.limit_within(10, 100)?;
        self.catch_up().await?;
        let question = self.question(text, options, k).await?;
        let mut answer = question.answer();
        answer.hits = self.hits(&question).await?;
        question.asked.keep_span(&mut answer.hits, question.words.len(), question.zone);
        answer.hits.truncate(question.k);
        self.rank_newer_first(&mut answer.hits).await?;
        answer.nothing = answer.hits.is_empty().then(|| self.why_nothing(&question));
        if let Some(session) = &options.session {
            self.record(text, &answer.hits, session).await?;
        }
        Ok(answer)
    }

    async fn question<'a>(&self, text: &'a str, options: &'a SearchOptions, k: usize) -> Result<SearchQuestion<'a>> {
        let now = options.now.unwrap_or_else(|| self.platform.now());
        let period = TimeSpan::between(options.from, options.to, self.options.zone);
        let asked = query::read(text, Reference { now, zone: self.options.zone }, period.is_some());
        let span = period.or(asked.span.filter(|_| asked.lists));
        let vector = self.embedder.vector(&asked.sought);
        // Without content words there is nothing to embed.
        let idle = asked.sought.trim().is_empty() || asked.empty && asked.sought.contains(char::is_alphanumeric);
        let remote_vector = match options.at_hand || idle {
            true => None,
            false => self.mean_one(&asked.sought, TextKind::Query, Cancel::default()).await,
        };
        let when = When { as_of: options.as_of, valid_at: options.valid_at };
        let view = self.view(&when).await?;
        let index = self.mirror.index.borrow();
        let name = asked.name.as_deref().filter(|_| period.is_none());
        Ok(SearchQuestion {
            zone: self.options.zone,
            options,
            k,
            now,
            when,
            sought: Sought::new(&asked.sought, &self.mirror.own),
            words: content_words(text),
            span,
            vector,
            remote_vector,
            view,
            // A summary has one date for several sources, so questions about a time search the sources.
            archived: options.include_archived || span.or(asked.span).is_some() || when != When::default(),
            involving: index.involving(&options.people),
            with_number: index.holding(&numbers(text, 3)),
            with_code: index.holding(&numbers(text, 4)),
            namesakes: index.holding(&name.map(|name| vec![key(&fold(name))]).into_iter().collect::<Vec<_>>()),
            asked,
        })
    }

    /// Whether a memory passes the filters, judged by its row.
    fn may_answer(&self, question: &SearchQuestion<'_>, row: &Row) -> bool {
        let SearchQuestion { options, when, .. } = question;
        question.involving.as_ref().is_none_or(|ids| ids.binary_search(&row.id).is_ok())
            && (!row.is_deleted() || when.as_of.is_some())
            && (!row.is_superseded() || options.include_superseded || *when != When::default())
            && !(question.archived && self.mirror.is_summary(row.id))
            && options.category.is_none_or(|c| c == row.category)
            && question.covers(row)
    }

    fn why_nothing(&self, question: &SearchQuestion<'_>) -> Nothing {
        let index = self.mirror.index.borrow();
        if question.names_nothing() && !index.is_empty() {
            return Nothing::NamesNothing;
        }
        match index.rows().any(|row| self.may_answer(question, row)) {
            true => Nothing::NothingLikeIt,
            false if index.is_empty() => Nothing::NothingStored,
            false => Nothing::NothingWithin,
        }
    }

    async fn hits(&self, question: &SearchQuestion<'_>) -> Result<Vec<Hit>> {
        let enough = question.enough();
        let mut reach = REACH.max(2 * enough);
        loop {
            let (pool, end) = self.candidate_pool(question, reach).await?;
            let (hits, rejected_any) = self.examine(question, pool).await?;
            if end || !rejected_any || hits.len() >= enough {
                let mut hits = rank(hits, enough, |h| (h.score, h.memory.id));
                if question.asked.of_owner && hits.len() < enough {
                    self.add_owner_statements(question, &mut hits).await?;
                }
                return Ok(hits);
            }
            reach *= 4;
        }
    }

    /// Adds the owner's newest statements with the kind of value asked for: "Where do I live?" may share no word.
    async fn add_owner_statements(&self, question: &SearchQuestion<'_>, hits: &mut Vec<Hit>) -> Result<()> {
        let ids: Vec<Id> = {
            let index = self.mirror.index.borrow();
            let rows = index.rows().filter(|row| row.is_current() && self.may_answer(question, row));
            let mut newest: Vec<Id> = rows.map(|row| row.id).collect();
            newest.sort_by(|a, b| b.cmp(a));
            newest.truncate(REACH);
            newest
        };
        let asked_in_korean = is_korean(&question.asked.topic);
        let mut own = self.store.found(&ids).await?;
        own.retain(|m| {
            m.source_type == Source::UserInput && allows(question.options, m) && question.asked.kind_factor(m) == 1.0
        });
        own.retain(|m| hits.iter().all(|h| h.memory.id != m.id));
        // Statements that name the owner first, then those in the question's language, then the newest.
        own.sort_by(|a, b| {
            let of = |m: &Memory| (names_owner(&m.content), is_korean(&m.content) == asked_in_korean, m.id);
            of(b).cmp(&of(a))
        });
        let least = hits.last().map_or(1.0, |hit| hit.score);
        for (n, memory) in own.into_iter().take(question.enough() - hits.len()).enumerate() {
            let score = least * (1.0 - GUESSED) / (1.0 + n as f32);
            hits.push(Hit { score, relevance: GUESSED, strength: 1.0, memory, ..Hit::default() });
        }
        Ok(())
    }

    /// Turns candidates into hits, those with the highest bound first. Also returns whether one was rejected.
    async fn examine(&self, question: &SearchQuestion<'_>, mut pool: Vec<SearchCandidate>) -> Result<(Vec<Hit>, bool)> {
        let enough = question.enough();
        let (mut hits, mut seen, mut rejected_any) = (Vec::new(), Vec::new(), false);
        while !pool.is_empty() {
            let some: Vec<SearchCandidate> = pool.drain(..pool.len().min(2 * enough)).collect();
            let ids: Vec<Id> = some.iter().map(|c| c.id).collect();
            let read = self.store.found(&ids).await?;
            for candidate in &some {
                if seen.contains(&candidate.id) {
                    continue;
                }
                let stored = read.iter().find(|m| m.id == candidate.id).cloned();
                let stood = stored.and_then(|m| question.view.stood(m)).filter(|m| m.deleted_at.is_none());
                match stood.filter(|m| allows(question.options, m)) {
                    Some(memory) => {
                        rejected_any |= !self.examine_one(question, candidate, memory, &mut hits, &mut seen).await?;
                    }
                    None => rejected_any = true,
                }
            }
            let mut scores: Vec<f32> = hits.iter().map(|h: &Hit| h.score).collect();
            scores.sort_by(|a, b| b.total_cmp(a));
            if let Some(least) = scores.get(enough - 1) {
                pool.retain(|c| c.most >= *least);
            }
        }
        Ok((hits, rejected_any))
    }

    /// Turns a memory, or its summary, into a hit if it answers. Returns false for one that others may replace.
    async fn examine_one(
        &self,
        question: &SearchQuestion<'_>,
        candidate: &SearchCandidate,
        memory: Memory,
        hits: &mut Vec<Hit>,
        seen: &mut Vec<Id>,
    ) -> Result<bool> {
        let (memory, through) = if question.archived { (memory, None) } else { self.folded_into(memory).await? };
        // A summary already found, directly or by a better source, keeps its first place.
        if hits.iter().any(|h| h.memory.id == memory.id) {
            return Ok(false);
        }
        if through.is_some() {
            seen.extend(self.folded(memory.id, false).await?);
        }
        let superseded = match question.options.valid_at {
            Some(at) => !self.held(&memory, &question.view, at).await?,
            None => memory.superseded_by.is_some(),
        };
        if superseded && !question.options.include_superseded {
            return Ok(false);
        }
        let remembered = match question.ignores_fading(candidate.id) {
            true => 1.0,
            false => fading_factor(&memory, through.as_ref(), question.now),
        };
        let strength = if superseded { OLDER } else { 1.0 } * remembered * question.asked.kind_factor(&memory);
        let mut hit = Hit {
            score: candidate.signals.order(candidate.embedded, strength),
            strength,
            memory,
            through: through.map(|m| m.id),
            ..Hit::default()
        };
        question.mark(&mut hit, &candidate.signals);
        if hit.relevance >= LEAST {
            hits.push(hit);
        }
        Ok(true)
    }

    /// Returns up to `reach` candidates by words and by the embedder, and whether both lists are exhausted.
    async fn candidate_pool(
        &self,
        question: &SearchQuestion<'_>,
        reach: usize,
    ) -> Result<(Vec<SearchCandidate>, bool)> {
        let words = self.by_words(question, reach);
        let group = |id: Id| {
            let index = self.mirror.index.borrow();
            index.row(id).filter(|row| self.may_answer(question, row)).map(Row::is_korean)
        };
        let near = self.nearest_answers(question.remote_vector.as_deref(), reach, &group);
        let end = words.len() < reach && near.len() < reach;
        let mut found: HashMap<Id, Signals> = words.into_iter().collect();
        // Memories outside the nearest `reach` score at most as high as the last of those.
        let beyond = near.last().filter(|_| near.len() == reach).map(|n| n.1);
        found.iter_mut().filter(|(id, _)| !self.is_unseen(**id)).for_each(|(_, s)| s.near = beyond);
        near.iter().for_each(|(id, near)| found.entry(*id).or_default().near = Some(*near));

        let index = self.mirror.index.borrow();
        let may_answer = |id: &&Id| index.row(**id).is_some_and(|row| self.may_answer(question, row));
        for id in question.with_code.iter().filter(may_answer).take(reach) {
            found.entry(*id).or_default().named = true;
        }
        let asked_in_korean = is_korean(&question.asked.topic);
        let mut pool = Vec::with_capacity(found.len());
        for (id, mut signals) in found {
            let Some(row) = index.row(id) else { continue };
            signals.in_span = question.asked.span.is_some_and(|span| row.lies_in(&span));
            signals.foreign = !question.asked.lists && row.is_korean() != asked_in_korean;
            if !promises(&signals, question.asked.lists) {
                continue;
            }
            let is_older = row.is_superseded() && question.when == When::default();
            // An archived memory is scored by its summary.
            let is_folded = !question.archived && row.is_archived();
            let strength = if is_older && !is_folded { OLDER } else { 1.0 };
            let embedded = !near.is_empty();
            let most = signals.order(embedded, strength);
            pool.push(SearchCandidate { id, embedded, most, signals });
        }
        Ok((rank(pool, usize::MAX, |c| (c.most, c.id)), end))
    }

    fn by_words(&self, question: &SearchQuestion<'_>, reach: usize) -> Vec<(Id, Signals)> {
        let (asked, index) = (&question.asked, self.mirror.index.borrow());
        let wanted = |row: &Row| self.may_answer(question, row);
        let WordScores { scores: mut words, best, whole } = index.words(question.sought.keys_and_people(), &wanted);
        let share = WORDS / best.max(f32::EPSILON);
        words.iter_mut().for_each(|score| *score *= share);
        let scan = IndexScan {
            model: self.embedder.model(),
            vector: &question.vector,
            weight: MEANING,
            floor: 0.0,
            prior: &words,
            lift: asked.lift(),
            least: FLOOR,
            k: reach,
            margin: 0.0,
        };
        let found = index.scan(&scan, &|row, raw| wanted(row).then(|| asked.word_score(row, raw)));
        let lead = |m: &ScanMatch| m.of(&words) / WORDS;
        let signals = |m: ScanMatch| {
            let cover = lead(&m) * best / whole.max(f32::EPSILON);
            (m.id, Signals { score: m.score, cover, lead: lead(&m), letters: m.cosine, ..Signals::default() })
        };
        found.into_iter().map(signals).collect()
    }
}

impl SearchOptions {
    pub(super) fn limit_within(&self, usual: u32, most: u32) -> Result<usize> {
        let limit = self.limit.unwrap_or(usual);
        Limits::range("limit", limit, (1, most))?;
        Ok(limit as usize)
    }
}

pub(super) fn readable(text: &str, field: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::field(field, "is empty"));
    }
    Limits::name(field, text)
}
