//! Searching: a question is read, the likeliest memories are looked at, the best of them answer.
//!
//! What a memory is worth to a question is `ranking`'s rule; nothing here changes a memory.

mod answer;
mod doubt;
mod matching;
mod query;
mod ranking;

pub use answer::{Answer, Highlight, Hit, Nothing, SearchOptions};

use super::versions::Seen;
use super::{Cancel, Engine, Platform};
use crate::analysis::Sought;
use crate::consolidation::When;
use crate::embed::Embedder;
use crate::language::{Only, Reference};
use crate::model::{DayOrTime, Id, Limits, Memory, Time, TimeSpan, Zone};
use crate::search::{IndexScan, Row};
use crate::similarity::rank;
use crate::store::{Seq, Store};
use crate::{Code, Error, Result};
pub(super) use matching::involves;
use matching::{allows, highlights, matched, numbers, speaks_of, telling};
use query::Query;
use ranking::{
    FLOOR, Likely, MEANING, OLDER, Sighted, UNRELATED, WORDS, nearness, needed, reading_order, remembered,
    remembered_at_most,
};
use std::rc::Rc;

/// A question, read, with what it is limited to.
struct SearchQuestion<'a> {
    zone: Zone,
    text: &'a str,
    options: &'a SearchOptions,
    k: usize,
    now: Time,
    when: When,
    asked: Query,
    /// What is sought, as words and as keys.
    sought: Sought,
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

    /// What an older version is worth, told by its row: as long as the store is as it is known now.
    fn strength(&self, row: &Row) -> f32 {
        if row.is_superseded() && self.when == When::default() { OLDER } else { 1.0 }
    }

    /// Whether what has faded counts whole: where it is named, and where the time that is asked about is another.
    fn counts_whole(&self, id: Id) -> bool {
        self.when != When::default() || self.naming.binary_search(&id).is_ok()
    }

    /// How strongly the memory of a row is remembered, at most.
    fn remembered_at_most(&self, row: &Row) -> f32 {
        if self.counts_whole(row.id) { 1.0 } else { remembered_at_most(row, self.now) }
    }

    /// Says of each hit where the question stands in it, and lets go of those that have but letters in common with it.
    fn mark(&self, hits: &mut Vec<Hit>) {
        let words = telling(self.text);
        hits.retain_mut(|hit| {
            hit.matched = matched(&words, &hit.memory);
            hit.highlights = highlights(&self.sought, &hit.memory.content);
            // What lies in a span, or is near by an embedder elsewhere, needs no word in common.
            let in_span = self.asked.lists || self.asked.names_day_of(&hit.memory);
            let otherwise = in_span || self.meant.is_some() || hit.through.is_some();
            otherwise || !hit.matched.is_empty() || !hit.highlights.is_empty() || speaks_of(&hit.memory, &self.sought)
        });
        self.asked.keep_span(hits, words.len(), self.zone);
    }
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
        readable(text, "query")?;
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
    async fn answered(&self, text: &str, options: &SearchOptions, k: usize, unsure: bool) -> Result<Option<Answer>> {
        let question = self.question(text, options, k).await?;
        let mut answer = question.answer();
        if question.names_nothing() {
            if unsure && self.store.head().await? != self.mirror.seen() {
                return Ok(None);
            }
            let stored = !self.mirror.index.borrow().is_empty();
            answer.nothing = Some(if stored { Nothing::NamesNothing } else { Nothing::NothingStored });
            return Ok(Some(answer));
        }
        let Some(hits) = self.hits(&question, unsure).await? else { return Ok(None) };
        answer.hits = hits;
        question.mark(&mut answer.hits);
        self.mark_doubts(&mut answer.hits).await?;
        answer.nothing = answer.hits.is_empty().then(|| self.why_nothing(&question));
        if let Some(session) = &options.session {
            self.record(text, &answer.hits, session).await?;
        }
        Ok(Some(answer))
    }

    /// Reads a question.
    async fn question<'a>(&self, text: &'a str, options: &'a SearchOptions, k: usize) -> Result<SearchQuestion<'a>> {
        let now = options.now.unwrap_or_else(|| self.platform.now());
        let asked = query::read(text, Reference { now, zone: self.options.zone });
        let span = match (options.from, options.to) {
            (None, None) => asked.span.filter(|_| asked.lists),
            (from, to) => {
                let begin = |at: DayOrTime| at.begin(self.options.zone);
                let ends = (from.map_or(Time::MIN, begin), to.map_or(Time::MAX, begin));
                Some(TimeSpan::new(ends, self.options.zone))
            }
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
        let index = self.mirror.index.borrow();
        let (involving, naming) = (index.involving(&options.people), index.holding(&numbers(text)));
        let sought = Sought::new(&asked.sought, &self.mirror.own);
        Ok(SearchQuestion {
            zone: self.options.zone,
            text,
            options,
            k,
            now,
            when,
            asked,
            sought,
            span,
            vector,
            meant,
            view,
            archived,
            involving,
            naming,
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
        match index.rows().any(|row| self.may_answer(question, row)) {
            true => Nothing::NothingLikeIt,
            false if index.is_empty() => Nothing::NothingStored,
            false => Nothing::NothingWithin,
        }
    }

    /// The best hits; `None` where others have written since.
    async fn hits(&self, question: &SearchQuestion<'_>, unsure: bool) -> Result<Option<Vec<Hit>>> {
        let k = question.k;
        let mut so_far = Progress { unsure: unsure.then(|| self.mirror.seen()), ..Progress::default() };
        let mut reach = 4 * k.max(8);
        let mut exact = false;
        loop {
            let likely = self.likely(question, reach);
            // Of few it is told from their bounds which need a closer look; what was folded is found by its best source.
            exact |= likely.len() > 2 * reach || !question.archived && likely.iter().any(|l| l.row.is_archived());
            let (sighted, end) = if exact {
                let mut found = self.likest(question, &likely, reach, &so_far.known).await?;
                let end = found.len() < reach;
                found.retain(|s| !so_far.seen.contains(&s.id));
                (found, end)
            } else {
                let fit = question.asked.least_fit();
                (likely.iter().map(|l| l.sighted(l.lower, l.upper, fit)).collect(), likely.len() < reach)
            };
            let ids: Vec<Id> = sighted.iter().map(|s| s.id).collect();
            if !self.look_at(question, sighted, &likely, exact, &mut so_far).await? {
                return Ok(None);
            }
            if !exact && !self.settled(question, &likely, reach, &mut so_far).await? {
                exact = true;
                so_far.hits.clear();
                so_far.seen.clear();
                continue;
            }
            let hits = rank(std::mem::take(&mut so_far.hits), k, |h| (h.score, h.memory.id));
            // Fading orders the likest; it brings no others in, or a store that has faded alike would be read whole.
            if end || hits.len() >= k {
                return Ok(Some(hits));
            }
            so_far.hits = hits;
            so_far.seen.extend(ids);
            exact = true;
            reach *= 4;
        }
    }

    /// Reads memories, those that may be worth most first, and makes hits of those that answer. Where the first are
    /// enough, the others are not read. `false` where others have written since.
    async fn look_at(
        &self,
        question: &SearchQuestion<'_>,
        sighted: Vec<Sighted>,
        likely: &[Likely],
        exact: bool,
        so_far: &mut Progress,
    ) -> Result<bool> {
        let k = question.k;
        let (mut order, first) = reading_order(sighted, k);
        let mut rest = order.split_off(order.len().min(first));
        while so_far.unsure.is_some() || !order.is_empty() {
            let ids: Vec<Id> = order.iter().map(|s| s.id).collect();
            if !self.read(&ids, so_far).await? {
                return Ok(false);
            }
            for s in order {
                self.look_at_one(question, s.id, s.likeness, so_far).await?;
            }
            order = std::mem::take(&mut rest);
            if let Some(least) = needed(&so_far.hits, likely, k, exact) {
                order.retain(|s| s.most >= least);
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
        id: Id,
        similarity: f32,
        so_far: &mut Progress,
    ) -> Result<()> {
        let memory = so_far.known.iter().find(|m| m.id == id).and_then(|m| question.view.stood(m.clone()));
        let Some(memory) = memory.filter(|m| m.deleted_at.is_none()) else { return Ok(()) };
        if !allows(question.options, &memory) || so_far.seen.contains(&memory.id) {
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
        let remembered = match question.counts_whole(id) {
            true => 1.0,
            false => remembered(&memory, through.as_ref(), question.now),
        };
        let strength = if superseded { OLDER } else { 1.0 } * remembered * question.asked.fit(&memory);
        so_far.hits.push(Hit {
            score: similarity * strength,
            similarity,
            strength,
            memory,
            through: through.map(|m| m.id),
            ..Hit::default()
        });
        Ok(())
    }

    /// The memories that may be among the `reach` that answer best, by the most that each may be worth: meaning and words
    /// together, and the time they speak of. The order is by likeness × strength.
    fn likely(&self, question: &SearchQuestion<'_>, reach: usize) -> Vec<Likely> {
        let (asked, index) = (&question.asked, self.mirror.index.borrow());
        let wanted = |row: &Row| self.may_answer(question, row);
        let (mut words, best) = index.words(question.sought.keys_and_people(), &wanted);
        let share = WORDS / best.max(f32::EPSILON);
        words.iter_mut().for_each(|score| *score *= share);
        let near = self.near_meant(question.meant.as_deref(), UNRELATED);
        // With what an embedder elsewhere adds at most and at least.
        let (mut most, mut sure) = (Vec::new(), Vec::new());
        if !near.is_empty() {
            (most, sure) = (words.clone(), words.clone());
        }
        for n in near {
            index.raise([&mut most, &mut sure], n.id, [nearness(n.upper), nearness(n.lower)]);
        }
        let (offset, gain) = asked.lift();
        let scan = IndexScan {
            model: self.embedder.model(),
            vector: &question.vector,
            weight: MEANING,
            floor: 0.0,
            prior: if most.is_empty() { &words } else { &most },
            sure: &sure,
            offset,
            gain,
            least: FLOOR * OLDER,
            k: reach,
        };
        let worth = |row: &Row, raw: f32| wanted(row).then(|| asked.fused(row, raw) * question.strength(row));
        let open = index.scan(&scan, &worth);
        let mut likely = Vec::with_capacity(open.len());
        // What was folded is found by its likest source, so that these are looked at in the order of their likeness.
        let folded = !question.archived && open.iter().any(|o| index.row_of(o).is_archived());
        for o in open {
            let row = *index.row_of(&o);
            let strength = question.strength(&row);
            let (lower, upper) = (o.lower / strength, o.upper / strength);
            let remembered = if folded { 1.0 } else { question.remembered_at_most(&row) };
            likely.push(Likely { id: o.id, row, words: o.of(&words), strength, remembered, lower, upper });
        }
        likely
    }

    /// How alike these are by their whole vectors. Of those that are `known` the text is at hand.
    async fn likeness(&self, question: &SearchQuestion<'_>, likely: &[&Likely], known: &[Memory]) -> Result<Vec<f32>> {
        let ids: Vec<Id> = likely.iter().map(|l| l.id).collect();
        let cosines = self.cosines(&question.vector, &ids, known).await?;
        let meant = self.meant_cosines(question.meant.as_deref(), &ids).await?;
        let mut found = Vec::with_capacity(ids.len());
        for ((l, cosine), meant) in likely.iter().zip(cosines).zip(meant) {
            found.push(question.asked.likeness(l, cosine, meant.map(|cosine| self.on_bands(cosine))));
        }
        Ok(found)
    }

    /// The likest `reach` of these by their whole vectors.
    async fn likest(
        &self,
        question: &SearchQuestion<'_>,
        likely: &[Likely],
        reach: usize,
        known: &[Memory],
    ) -> Result<Vec<Sighted>> {
        let all: Vec<&Likely> = likely.iter().collect();
        let mut found = Vec::with_capacity(all.len());
        for (l, likeness) in likely.iter().zip(self.likeness(question, &all, known).await?) {
            if likeness >= FLOOR {
                found.push((likeness * l.strength, l.sighted(likeness, likeness, question.asked.least_fit())));
            }
        }
        Ok(rank(found, reach, |(order, s)| (*order, s.id)).into_iter().map(|(_, s)| s).collect())
    }

    /// Gives hits, which have the most that they may be worth, what they are worth, and lets go of those that cannot be
    /// among the `k` best. `false` where it cannot be told that these are of the `reach` likest.
    async fn settled(
        &self,
        question: &SearchQuestion<'_>,
        likely: &[Likely],
        reach: usize,
        so_far: &mut Progress,
    ) -> Result<bool> {
        let (k, Progress { hits, known, .. }) = (question.k, so_far);
        let of = |id: Id| likely.iter().find(|l| l.id == id);
        if let Some(least) = needed(hits, likely, k, false) {
            hits.retain(|h| h.score >= least);
        }
        let Some(met) = hits.iter().map(|h| of(h.memory.id)).collect::<Option<Vec<&Likely>>>() else {
            return Ok(false);
        };
        for (hit, likeness) in hits.iter_mut().zip(self.likeness(question, &met, known).await?) {
            hit.similarity = likeness;
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
                likely.iter().filter(|l| l.likest() >= order).count() <= reach
            }))
    }
}

/// Whether a question, which is the field of this name, can be read.
pub(super) fn readable(text: &str, field: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::field(field, "is empty"));
    }
    Limits::name(field, text)
}
