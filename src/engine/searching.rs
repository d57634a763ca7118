//! Searching: a question is read, the likeliest memories are looked at, the best of them answer.
//!
//! What a memory is worth to a question is `ranking`'s rule; nothing here changes a memory.

mod answer;
mod doubt;
mod fusion;
mod matching;
mod query;
mod ranking;
mod relevance;

pub use answer::{Answer, Highlight, Hit, Nothing, SearchOptions};

use super::versions::Seen;
use super::{Cancel, Engine, Platform};
use crate::analysis::Sought;
use crate::consolidation::When;
use crate::embed::{Embedder, TextKind};
use crate::language::{Only, Reference, fold, key, names_owner};
use crate::model::{Id, Limits, Memory, Source, Time, TimeSpan, Zone};
use crate::search::{IndexScan, Row, ScanMatch, WordScores, is_korean};
use crate::similarity::rank;
use crate::store::{Seq, Store};
use crate::{Code, Error, Result};
use fusion::{RankedList, fuse};
pub(super) use matching::involves;
use matching::{allows, highlights, matched, numbers, speaks_of, telling};
use query::Query;
use ranking::{
    ALIKE, ALIKE_IN_SPAN, BEHIND, BY_EMBEDDER, BY_STRUCTURE, BY_WORDS, FLOOR, MEANING, OLDER, WITHIN_RANK, WORDS,
    remembered, remembered_at_most,
};
use relevance::{GUESSED, LEAST, Signals, promises, relevance};
use std::collections::HashMap;
use std::rc::Rc;

/// So many of each ranked list are fused.
const REACH: usize = 64;

/// A question, read, with what it is limited to.
struct SearchQuestion<'a> {
    zone: Zone,
    options: &'a SearchOptions,
    k: usize,
    now: Time,
    when: When,
    asked: Query,
    /// What is sought, as words and as keys.
    sought: Sought,
    /// Its words that may be found in a memory.
    words: Vec<String>,
    /// The span outside of which nothing answers.
    span: Option<TimeSpan>,
    vector: Vec<f32>,
    /// Its vector by an embedder that is somewhere else.
    meant: Option<Rc<[f32]>>,
    /// The store as of the time that is asked about.
    view: Seen,
    /// Whether what a summary stands for answers by itself.
    archived: bool,
    /// The memories that involve the people asked for.
    involving: Option<Vec<Id>>,
    /// The memories that it names by a number or code of theirs.
    naming: Vec<Id>,
    /// The same by a longer one, of which there are seldom two.
    coded: Vec<Id>,
    /// Those that have the word of its time, which may be a name.
    namesakes: Vec<Id>,
}

impl SearchQuestion<'_> {
    /// The span that it names, or that its options do.
    fn named(&self) -> Option<TimeSpan> {
        self.span.or(self.asked.span)
    }

    /// Whether there is nothing by which anything could be found.
    fn names_nothing(&self) -> bool {
        let limited = self.options.category.is_some() || !self.options.people.is_empty();
        self.asked.empty && self.named().is_none() && !limited
    }

    /// Whether the row of a memory lies where the question looks.
    fn looks_at(&self, row: &Row) -> bool {
        let due = self.asked.lists && self.asked.only == Some(Only::Due);
        self.span.is_none_or(|span| if due { row.falls_due_in(&span) } else { row.lies_in(&span) })
            || self.namesakes.binary_search(&row.id).is_ok()
    }

    /// An answer that holds nothing yet.
    fn answer(&self) -> Answer {
        Answer {
            hits: Vec::new(),
            topic: self.asked.topic.clone(),
            kind: self.asked.kind,
            only: self.asked.only,
            lists: self.asked.lists,
            from: self.named().map(|s| s.from()).filter(|t| *t != Time::MIN),
            to: self.named().map(|s| s.to()).filter(|t| *t != Time::MAX),
            nothing: None,
        }
    }

    /// Whether what has faded counts whole: where it is named, and where the time that is asked about is another.
    fn counts_whole(&self, id: Id) -> bool {
        self.when != When::default() || self.naming.binary_search(&id).is_ok()
    }

    /// What a memory keeps of its worth at most, as its row tells.
    fn worth_at_most(&self, row: &Row) -> f32 {
        let older = if row.is_superseded() && self.when == When::default() { OLDER } else { 1.0 };
        older * if self.counts_whole(row.id) { 1.0 } else { remembered_at_most(row, self.now) }
    }

    /// So many hits are looked for: where only those of a span are kept in the end, more than are wanted.
    fn enough(&self) -> usize {
        if self.asked.keeps_span() { (4 * self.k).max(REACH / 2) } else { self.k }
    }

    /// Says where the question stands in a hit, and how probably that answers it.
    fn mark(&self, hit: &mut Hit, signals: &Signals) {
        hit.matched = matched(&self.words, &hit.memory);
        hit.highlights = highlights(&self.sought, &hit.memory.content);
        let met = !hit.matched.is_empty() || !hit.highlights.is_empty() || speaks_of(&hit.memory, &self.sought);
        let listed = self.asked.lists || self.asked.names_day_of(&hit.memory);
        hit.relevance = relevance(signals, met, listed);
    }
}

/// A memory that may answer, before it is read.
#[derive(Debug)]
struct PooledMemory {
    id: Id,
    /// What its ranks are worth together.
    fused: f32,
    /// What it may be worth at most, once it is read.
    most: f32,
    signals: Signals,
}

/// How far a search has come.
#[derive(Default)]
struct Progress {
    /// The commit up to which everything is known, where others may have written since: that is asked together with the
    /// first memories.
    unsure: Option<Seq>,
    hits: Vec<Hit>,
    /// Memories that need not be looked at again.
    seen: Vec<Id>,
    /// All that were read.
    known: Vec<Memory>,
    /// Whether any was passed over for what only the memory itself tells, so that others may take its place.
    passed_over: bool,
}

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
        // A period lists what lies in it.
        if text.trim().is_empty() && options.from.is_none() && options.to.is_none() {
            return Err(Error::field("query", "is empty, and no period is given"));
        }
        Limits::name("query", text)?;
        let k = options.limit_within(10, 100)?;
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
    async fn answered(&self, text: &str, options: &SearchOptions, k: usize, unsure: bool) -> Result<Option<Answer>> {
        let question = self.question(text, options, k).await?;
        let mut answer = question.answer();
        let Some(hits) = self.hits(&question, unsure).await? else { return Ok(None) };
        answer.hits = hits;
        question.asked.keep_span(&mut answer.hits, question.words.len(), question.zone);
        answer.hits.truncate(question.k);
        self.order_by_doubt(&mut answer.hits).await?;
        answer.nothing = answer.hits.is_empty().then(|| self.why_nothing(&question));
        if let Some(session) = &options.session {
            self.record(text, &answer.hits, session).await?;
        }
        Ok(Some(answer))
    }

    /// Reads a question.
    async fn question<'a>(&self, text: &'a str, options: &'a SearchOptions, k: usize) -> Result<SearchQuestion<'a>> {
        let now = options.now.unwrap_or_else(|| self.platform.now());
        let period = TimeSpan::between(options.from, options.to, self.options.zone);
        let asked = query::read(text, Reference { now, zone: self.options.zone }, period.is_some());
        let span = period.or(asked.span.filter(|_| asked.lists));
        let vector = self.embed_one(&asked.sought).await?;
        // Words that name nothing are near to nothing.
        let idle = asked.sought.trim().is_empty() || asked.empty && asked.sought.contains(char::is_alphanumeric);
        let meant = match options.at_hand || idle {
            true => None,
            false => self.mean_near(&asked.sought, TextKind::Query, Cancel::default()).await,
        };
        let when = When { as_of: options.as_of, valid_at: options.valid_at };
        let view = self.view(&when).await?;
        // A summary has one time and stands for several; its sources know theirs.
        let archived = options.include_archived || span.is_some() || asked.span.is_some() || when != When::default();
        let index = self.mirror.index.borrow();
        let involving = index.involving(&options.people);
        let (naming, coded) = (index.holding(&numbers(text, 3)), index.holding(&numbers(text, 4)));
        let name = asked.name.as_deref().filter(|_| period.is_none());
        let namesakes = index.holding(&name.map(|name| vec![key(&fold(name))]).into_iter().collect::<Vec<_>>());
        let sought = Sought::new(&asked.sought, &self.mirror.own);
        Ok(SearchQuestion {
            zone: self.options.zone,
            options,
            k,
            now,
            when,
            asked,
            sought,
            words: telling(text),
            span,
            vector,
            meant,
            view,
            archived,
            involving,
            naming,
            coded,
            namesakes,
        })
    }

    /// Whether a memory may answer, as far as its row tells.
    fn may_answer(&self, question: &SearchQuestion<'_>, row: &Row) -> bool {
        let SearchQuestion { options, when, .. } = question;
        question.involving.as_ref().is_none_or(|ids| ids.binary_search(&row.id).is_ok())
            && (!row.is_deleted() || when.as_of.is_some())
            && (!row.is_superseded() || options.include_superseded || *when != When::default())
            && !(question.archived && self.mirror.is_summary(row.id))
            && options.category.is_none_or(|c| c == row.category)
            && question.looks_at(row)
    }

    /// Why nothing answers.
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

    /// The best hits; `None` where others have written since.
    async fn hits(&self, question: &SearchQuestion<'_>, unsure: bool) -> Result<Option<Vec<Hit>>> {
        let enough = question.enough();
        let mut so_far = Progress { unsure: unsure.then(|| self.mirror.seen()), ..Progress::default() };
        let mut reach = REACH.max(2 * enough);
        loop {
            let (mut pool, end) = self.pool(question, reach).await?;
            pool.retain(|c| !so_far.seen.contains(&c.id));
            if !self.look_at(question, pool, &mut so_far).await? {
                return Ok(None);
            }
            if end || !so_far.passed_over || so_far.hits.len() >= enough {
                let mut hits = rank(so_far.hits, enough, |h| (h.score, h.memory.id));
                if question.asked.of_owner && hits.len() < enough {
                    self.add_of_owner(question, &mut hits).await?;
                }
                return Ok(Some(hits));
            }
            reach *= 4;
        }
    }

    /// Adds what of the owner's own newest words names the kind of thing that is asked for: where the owner does something, none
    /// of its words need be those of the question ("Where do I live?").
    async fn add_of_owner(&self, question: &SearchQuestion<'_>, hits: &mut Vec<Hit>) -> Result<()> {
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
            m.source_type == Source::UserInput && allows(question.options, m) && question.asked.fit(m) == 1.0
        });
        own.retain(|m| hits.iter().all(|h| h.memory.id != m.id));
        // Of those the ones that name the owner, then those in the language of the question; the newest first.
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

    /// Reads memories, those that may be worth most first, and makes hits of those that answer. Where the first are
    /// enough, the others are not read. `false` where others have written since.
    async fn look_at(
        &self,
        question: &SearchQuestion<'_>,
        mut pool: Vec<PooledMemory>,
        so_far: &mut Progress,
    ) -> Result<bool> {
        let enough = question.enough();
        let mut rest = pool.split_off(pool.len().min(2 * enough));
        while so_far.unsure.is_some() || !pool.is_empty() {
            let ids: Vec<Id> = pool.iter().map(|c| c.id).collect();
            if !self.read(&ids, so_far).await? {
                return Ok(false);
            }
            for candidate in &pool {
                self.look_at_one(question, candidate, so_far).await?;
            }
            pool = std::mem::take(&mut rest);
            let mut scores: Vec<f32> = so_far.hits.iter().map(|h| h.score).collect();
            scores.sort_by(|a, b| b.total_cmp(a));
            if let Some(least) = scores.get(enough - 1) {
                pool.retain(|c| c.most >= *least);
            }
        }
        Ok(true)
    }

    /// Reads those of these memories that are not known yet; `false` where others have written since.
    async fn read(&self, ids: &[Id], so_far: &mut Progress) -> Result<bool> {
        let is_known = |id: &&Id| so_far.known.iter().any(|m| m.id == **id);
        let unknown: Vec<Id> = ids.iter().filter(|id| !is_known(id)).copied().collect();
        let read = if let Some(seen) = so_far.unsure.take() {
            let (head, read) = self.store.snapshot(&unknown).await?;
            if head != seen {
                return Ok(false);
            }
            read
        } else {
            self.store.memories(&unknown).await?
        };
        so_far.known.extend(read.into_iter().flatten());
        Ok(true)
    }

    /// Makes a hit of a memory that was read, where it answers: of what was folded, by what stands for it.
    async fn look_at_one(
        &self,
        question: &SearchQuestion<'_>,
        candidate: &PooledMemory,
        so_far: &mut Progress,
    ) -> Result<()> {
        let id = candidate.id;
        if so_far.seen.contains(&id) {
            return Ok(());
        }
        so_far.seen.push(id);
        let passed_over = std::mem::replace(&mut so_far.passed_over, true);
        let memory = so_far.known.iter().find(|m| m.id == id).and_then(|m| question.view.stood(m.clone()));
        let Some(memory) = memory.filter(|m| m.deleted_at.is_none()) else { return Ok(()) };
        if !allows(question.options, &memory) {
            return Ok(());
        }
        let (memory, through) = if question.archived { (memory, None) } else { self.folded_into(memory).await? };
        // What was found by itself before, or through what it stands for, is better placed.
        if so_far.hits.iter().any(|h| h.memory.id == memory.id) {
            return Ok(());
        }
        if through.is_some() {
            so_far.seen.extend(self.folded(memory.id, false).await?);
        }
        let superseded = match question.options.valid_at {
            Some(at) => !self.held(&memory, &question.view, at).await?,
            None => memory.superseded_by.is_some(),
        };
        if superseded && !question.options.include_superseded {
            return Ok(());
        }
        so_far.passed_over = passed_over;
        let remembered = match question.counts_whole(id) {
            true => 1.0,
            false => remembered(&memory, through.as_ref(), question.now),
        };
        let strength = if superseded { OLDER } else { 1.0 } * remembered * question.asked.fit(&memory);
        let mut hit = Hit {
            score: candidate.fused * strength,
            strength,
            memory,
            through: through.map(|m| m.id),
            ..Hit::default()
        };
        question.mark(&mut hit, &candidate.signals);
        if hit.relevance >= LEAST {
            so_far.hits.push(hit);
        }
        Ok(())
    }

    /// The memories that may answer, those that may be worth most first: the first `reach` of each list, their ranks fused. And
    /// whether no list goes on.
    async fn pool(&self, question: &SearchQuestion<'_>, reach: usize) -> Result<(Vec<PooledMemory>, bool)> {
        let words = self.by_words(question, reach);
        let group = |id: Id| {
            let index = self.mirror.index.borrow();
            index.row(id).filter(|row| self.may_answer(question, row)).map(Row::is_korean)
        };
        let mut near = self.nearest_answers(question.meant.as_deref(), reach, &group).await?;
        let end = words.len() < reach && near.len() < reach;
        let mut found: HashMap<Id, Signals> = words.iter().copied().collect();
        // What is not among the nearest is no nearer than the last of them.
        let beyond = near.last().filter(|_| near.len() == reach).map(|n| n.1);
        found.iter_mut().filter(|(id, _)| !self.is_unseen(**id)).for_each(|(_, s)| s.near = beyond);
        near.iter().for_each(|(id, near)| found.entry(*id).or_default().near = Some(*near));
        // Far behind the nearest a rank says nothing.
        let least = near.first().map_or(0.0, |n| n.1 - BEHIND);
        near.retain(|n| n.1 >= least);

        let index = self.mirror.index.borrow();
        let is_current = |id: Id| index.row(id).is_none_or(|row| !row.is_superseded());
        let row_in_span = |id: Id| question.asked.span.is_some_and(|s| index.row(id).is_some_and(|r| r.lies_in(&s)));
        let may_answer = |id: &&Id| index.row(**id).is_some_and(|row| self.may_answer(question, row));
        let named: Vec<Id> = question.coded.iter().filter(may_answer).copied().take(reach).collect();
        named.iter().for_each(|id| found.entry(*id).or_default().named = true);
        found.iter_mut().for_each(|(id, signals)| signals.in_span = row_in_span(*id));
        let alike = if question.asked.lists { ALIKE_IN_SPAN } else { ALIKE };
        let by_words =
            RankedList::by_score(BY_WORDS, alike, words.iter().map(|(id, s)| (*id, s.score, is_current(*id))));
        let mut by_meaning =
            RankedList::by_score(BY_EMBEDDER, 0.0, near.iter().map(|(id, near)| (*id, *near, is_current(*id))));
        if !near.is_empty() {
            // What the embedder has not seen is not behind what it has.
            words.iter().filter(|(id, _)| self.is_unseen(*id)).for_each(|(id, _)| by_meaning.lend(*id, &by_words));
        }
        let fused = fuse(&[by_words, by_meaning, RankedList::all_first(BY_STRUCTURE, named.into_iter())]);
        let mut pool = Vec::with_capacity(found.len());
        for (id, signals) in found {
            let (Some(row), Some(fused)) = (index.row(id), fused.get(&id)) else { continue };
            if !promises(&signals, question.asked.lists) {
                continue;
            }
            // Of one rank, what says a little more comes first.
            let fused = fused * (1.0 - WITHIN_RANK) + signals.score * WITHIN_RANK;
            // What was folded is found by its best source, and remembered as what stands for it.
            let folded = !question.archived && row.is_archived();
            let most = fused * if folded { 1.0 } else { question.worth_at_most(row) };
            pool.push(PooledMemory { id, fused, most, signals });
        }
        Ok((rank(pool, usize::MAX, |c| (c.most, c.id)), end))
    }

    /// The first `reach` memories by words and their spelling, and the time they speak of.
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
        let found = index.scan(&scan, &|row, raw| wanted(row).then(|| asked.fused(row, raw)));
        let lead = |m: &ScanMatch| m.of(&words) / WORDS;
        let signals = |m: ScanMatch| {
            let cover = lead(&m) * best / whole.max(f32::EPSILON);
            (m.id, Signals { score: m.score, cover, lead: lead(&m), letters: m.cosine, ..Signals::default() })
        };
        found.into_iter().map(signals).collect()
    }
}

impl SearchOptions {
    /// How many hits are wanted; `usual` where that is not said.
    pub(super) fn limit_within(&self, usual: u32, most: u32) -> Result<usize> {
        let (name, limit) = match (self.limit, self.k) {
            (Some(_), Some(_)) => return Err(Error::field("limit", "is set beside `k`")),
            (None, Some(k)) => ("k", k),
            (limit, None) => ("limit", limit.unwrap_or(usual)),
        };
        if !(1..=most).contains(&limit) {
            return Err(Error::field(name, format!("is not from 1 to {most}")));
        }
        Ok(limit as usize)
    }
}

/// Whether a question, which is the field of this name, can be read.
pub(super) fn readable(text: &str, field: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::field(field, "is empty"));
    }
    Limits::name(field, text)
}
