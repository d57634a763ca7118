//! Retrieves the memories a mail may be about: by thread, words, names, sender and days, ranked together.

use super::Engine;
use crate::Result;
use crate::analysis::Sought;
use crate::language::{
    Bearers, Date, Reference, Value, given_name, has_hangul, is_hangul, values, without_particle, words,
};
use crate::mail::{Mail, Person};
use crate::model::{Claim, DayOrTime, Draft, EdgeKind, Id, Memory, NodeType, Time, TimeSpan};
use crate::search::{IndexMatch, Row};
use crate::similarity::rank;
use chrono::NaiveDate;
use std::collections::BTreeMap;

/// Longest passage looked up on its own, in characters, and the most passages of a mail.
const LONGEST_PASSAGE: usize = 240;
const MOST_PASSAGES: usize = 24;
const MOST_RANKED: usize = 48;
const SAME_THREAD: f32 = 12.0;
const SAME_SENDER: f32 = 8.0;
const SAME_PARTY: f32 = 1.0;
const MOST_PARTIES: usize = 6;
/// Weight of the previous message's words, relative to the mail's own; then of raw and normalised scores.
const BEFORE: f32 = 0.5;
const RAW: f32 = 0.6;
const LIKEST: f32 = 4.0;
/// Share of a memory's best passage score that is added again.
const BEST_PASSAGE: f32 = 0.4;
/// Lowest best score a passage is normalised by.
const WORTH: f32 = 6.0;
/// Bonus for memories still ahead and for recent ones.
const PENDING: f32 = 1.5;
const FRESH: f32 = 2.5;
const DAY: f32 = 86_400_000.0;
const NAMED_DAY: f32 = 6.0;
/// Bonus for memories that happen a few days before or after the mail.
const AROUND: f32 = 3.0;
const DAYS_BEFORE: f32 = 3.0;
const DAYS_AFTER: f32 = 2.0;
/// Factor for memories in another language, which share fewer words with the mail.
const FOREIGN: f32 = 1.3;
/// Share of its score, capped, that a likely memory passes on to linked ones.
const LINKED_SHARE: f32 = 0.2;
const MOST_LINKED: f32 = 12.0;
/// Beyond the first `FEW`, a memory needs a score that grows with its rank, and a share of the best
/// score or one sure passage. Fitted: fewest needless memories with no relevant one lost.
const FEW: usize = 2;
const ENOUGH: f32 = 3.0;
const MORE: f32 = 0.4;
const LEAST: f32 = 0.25;
const SURE: f32 = 9.0;
/// A passage's best match from this score on is always shown. It may displace a weaker match below the first `FIRST`.
const MEANT: f32 = 6.0;
const FIRST: usize = 4;
const LESS_LIKE: f32 = 0.9;
/// Share of the best score from which a memory counts as nearly shown.
const NEAR: f32 = 0.19;

pub(super) struct RecalledMemories {
    pub shown: Vec<Memory>,
    /// The shown ones, and those just below the threshold.
    pub near: Vec<Id>,
}

impl Engine {
    /// Returns up to `most` memories a mail may be about, best first. `before`: the thread's earlier messages.
    pub(super) async fn recall_memories(
        &self,
        mail: &Mail,
        texts: &[&str],
        before: &[&str],
        most: usize,
    ) -> Result<RecalledMemories> {
        let here = |r: &Row| self.mirror.is_whole(r);
        let (mut scores, mut likest) = (MemoryScores::new(), MemoryScores::new());
        let mut meant: Vec<Id> = Vec::new();
        let said = mail.date.unwrap_or_else(|| self.platform.now());
        {
            let index = self.mirror.index.borrow();
            let mut add = |text: &str, weight: f32| {
                let text = [text, &given_names(text)].concat();
                let found = index.seek(Sought::new(&text, &self.mirror.own).keys(), MOST_RANKED, &here);
                let best = found.first().map_or(1.0, |m| m.score.max(WORTH));
                meant.extend(found.first().filter(|m| weight * m.score >= MEANT).map(|m| m.id));
                for IndexMatch { id, score } in found {
                    // Normalised per passage, so that a short passage counts as much as a long one.
                    let share = score / best;
                    *scores.entry(id).or_default() += weight * (RAW * score + LIKEST * share * share);
                    raise(&mut likest, id, score);
                }
            };
            for passage in texts.iter().flat_map(|t| passages_of(t)).take(MOST_PASSAGES) {
                add(passage, 1.0);
            }
            for passage in before.iter().flat_map(|t| passages_of(t)).take(6) {
                add(passage, BEFORE);
            }
            let parties = mail.receivers().filter(|p| !self.options.owner.contains(&p.address));
            let parties: Vec<&Person> = parties.take(MOST_PARTIES).collect();
            for person in mail.from.iter().chain(parties.iter().copied()) {
                if let Some(name) = &person.name {
                    add(name, BEFORE);
                }
            }
            let nothing = Draft::default();
            let in_thread = Claim { thread_id: Some(&mail.thread_id), ..Claim::from(&nothing) };
            for id in index.structural(&in_thread) {
                *scores.entry(id).or_default() += SAME_THREAD;
            }
            let sender = mail.from.as_ref().map(|p| p.address.clone()).unwrap_or_default();
            for id in index.involving(&[sender]).unwrap_or_default() {
                *scores.entry(id).or_default() += SAME_SENDER;
            }
            for party in parties {
                for id in index.involving(std::slice::from_ref(&party.address)).unwrap_or_default() {
                    *scores.entry(id).or_default() += SAME_PARTY;
                }
            }
            for span in self.days_named(texts, said) {
                for row in index.rows().filter(|row| row.lies_in(&span)) {
                    *scores.entry(row.id).or_default() += NAMED_DAY;
                }
            }
            scores.retain(|id, _| index.row(*id).is_some_and(here));
        }
        let likest = |id: &Id| likest.get(id).copied().unwrap_or_default();
        let ranked = rank(scores.into_iter().collect(), MOST_RANKED, |f: &(Id, f32)| (f.1, f.0));
        let ids: Vec<Id> = ranked.iter().map(|(id, _)| *id).collect();
        let found: BTreeMap<Id, Memory> = self.store.found(&ids).await?.into_iter().map(|m| (m.id, m)).collect();
        let zone = self.options.zone;
        let fresh = |m: &Memory| {
            let ahead = m.valid_until.unwrap_or(m.occurred_at).end(zone) >= said;
            let days = (said.millis() - m.own_time().millis()) as f32 / DAY;
            let until = |at: DayOrTime| (at.begin(zone).millis() - said.millis()) as f32 / DAY;
            let is_around = m.happens_at().is_some_and(|at| (-DAYS_BEFORE..=DAYS_AFTER).contains(&until(at)));
            (if ahead { PENDING } else { 0.0 })
                + (if is_around { AROUND } else { 0.0 })
                + FRESH * (-days.max(0.0) / 14.0).exp()
        };
        let korean = texts.iter().any(|text| has_hangul(text));
        let scored = ranked.into_iter().filter_map(|(id, score)| {
            let m = found.get(&id).filter(|m| m.is_current() && m.node_type == NodeType::Memory)?;
            let is_foreign = has_hangul(&m.content) != korean;
            Some((id, (score + fresh(m)) * if is_foreign { FOREIGN } else { 1.0 }))
        });
        let mut scored = rank(scored.collect(), MOST_RANKED, |f: &(Id, f32)| (f.1, f.0));
        let lent = self.linked_scores(&scored[..most.min(scored.len())]).await?;
        scored.iter_mut().for_each(|(id, score)| *score += lent.get(id).unwrap_or(&0.0) + BEST_PASSAGE * likest(id));
        let ranked = rank(scored, MOST_RANKED, |f: &(Id, f32)| (f.1, f.0));
        let best = ranked.first().map_or(0.0, |(_, score)| *score);
        let is_likely = |(place, (id, score)): &(usize, (Id, f32))| {
            let is_enough = *score >= ENOUGH + MORE * *place as f32;
            *place < FEW || is_enough && (*score >= LEAST * best || likest(id) >= SURE)
        };
        let near = ranked.iter().take(most).filter(|(_, score)| *score >= NEAR * best).map(|(id, _)| *id).collect();
        let likely = ranked.iter().copied().take(most).enumerate().filter(is_likely);
        let mut shown: Vec<Id> = likely.map(|(_, (id, _))| id).collect();
        let is_meant = |id: &Id| meant.contains(id) && ranked.iter().any(|(known, _)| known == id);
        for id in meant.iter().filter(|id| is_meant(id)) {
            if shown.contains(id) {
                continue;
            }
            if shown.len() == most {
                let is_less = |known: &Id| !is_meant(known) && likest(known) < LESS_LIKE * likest(id);
                let Some(at) = shown.iter().rposition(is_less).filter(|at| *at >= FIRST) else { continue };
                shown.remove(at);
            }
            shown.push(*id);
        }
        Ok(RecalledMemories { shown: shown.iter().filter_map(|id| found.get(id).cloned()).collect(), near })
    }

    /// Returns the days a mail names. Its own day is left out: memories without a date fall on it.
    fn days_named(&self, texts: &[&str], said: Time) -> Vec<TimeSpan> {
        let zone = self.options.zone;
        let at = Reference { now: said, zone };
        let found = texts.iter().flat_map(|text| values(text, Some(at)));
        let mut days: Vec<NaiveDate> = found
            .filter_map(|f| match f.value {
                Value::Date(Date { on: Some(on), .. }) if on != at.day() => Some(on),
                _ => None,
            })
            .collect();
        days.sort_unstable();
        days.dedup();
        days.into_iter().map(|day| TimeSpan::of_day(day, zone)).collect()
    }

    async fn linked_scores(&self, likely: &[(Id, f32)]) -> Result<MemoryScores> {
        let ids: Vec<Id> = likely.iter().map(|(id, _)| *id).collect();
        let mut lent = MemoryScores::new();
        for edge in self.store.edges_at(&ids).await?.iter().filter(|e| e.kind == EdgeKind::RelatedTo) {
            for (from, to) in [(edge.from, edge.to), (edge.to, edge.from)] {
                if let Some((_, score)) = likely.iter().find(|(id, _)| *id == from) {
                    raise(&mut lent, to, LINKED_SHARE * score.min(MOST_LINKED));
                }
            }
        }
        Ok(lent)
    }
}

type MemoryScores = BTreeMap<Id, f32>;

fn raise(scores: &mut MemoryScores, id: Id, score: f32) {
    let held = scores.entry(id).or_default();
    *held = held.max(score);
}

/// Extracts Korean given names without the linking 이: 이든이 and 표이든 both give 이든.
pub(super) fn given_names(text: &str) -> String {
    let mut out = String::new();
    for word in text.split(|c: char| !is_hangul(c)) {
        if let Some(given) = given_name(without_particle(word), Bearers::Any) {
            out.extend([" ", given]);
        }
        let mut syllables = word.chars();
        let (first, second, third) = (syllables.next(), syllables.next(), syllables.next());
        if let (Some(a), Some(b), Some(c)) = (first, second, third)
            && words!("korean/names.behind a given name").begin(c.encode_utf8(&mut [0; 4]))
        {
            out.extend([' ', a, b]);
        }
    }
    out
}

fn passages_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut rest = line.trim();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let most = rest.char_indices().nth(LONGEST_PASSAGE).map_or(rest.len(), |(at, _)| at);
            let end =
                if most == rest.len() { most } else { rest[..most].rfind(['.', '!', '?']).map_or(most, |at| at + 1) };
            let (now, later) = rest.split_at(end);
            rest = later.trim_start();
            Some(now)
        })
    })
}
