//! Merging a new memory into the one it updates, field by field.

use crate::decision::names_bare_day;
use crate::language::{Value, fold, values};
use crate::model::{Draft, Limits, Memory, Property, Source, Time, Zone};
use chrono::Datelike;
use serde::{Deserialize, Serialize};

/// How the content is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum ContentMerge {
    /// What was said last, then what still holds of what was said before.
    #[default]
    Replace,
    /// What was said last alone.
    Latest,
    /// All that was said, the newest first, nothing struck out.
    Append,
    /// The stored content.
    KeepExisting,
}

/// How the keywords are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum KeywordMerge {
    /// The new ones.
    Replace,
    /// All of both.
    #[default]
    Merge,
    /// The stored ones.
    KeepExisting,
}

/// How the importance is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum ImportanceMerge {
    /// The new one.
    Replace,
    /// The higher one.
    #[default]
    Max,
    /// The stored one.
    KeepExisting,
}

/// How each field is merged; the default replaces the content, merges keywords and keeps the higher importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeStrategy {
    /// How the content is merged.
    pub content: ContentMerge,
    /// How the keywords are merged.
    pub keywords: KeywordMerge,
    /// How the importance is merged.
    pub importance: ImportanceMerge,
}

/// By how much the one hour that a text names is another one in the next, in milliseconds; 0 where either names no hour, or
/// several.
fn moved_by(old: &str, new: &str) -> i64 {
    hour(old).zip(hour(new)).map_or(0, |(was, is)| (is - was) * 1_000)
}

/// The one hour that a text names, in seconds.
fn hour(text: &str) -> Option<i64> {
    let found = values(text, None);
    let mut hours = found.iter().filter_map(|f| match &f.value {
        Value::Clock(clock) => Some(i64::from(clock.seconds)),
        _ => None,
    });
    hours.next().filter(|_| hours.next().is_none())
}

/// The time of a bare day, with the hour that is told of it still.
fn at_its_hour(at: Time, old: &Memory, draft: &Draft, content: &str) -> Time {
    const DAY: i64 = 24 * 60 * 60 * 1_000;
    let still = hour(&old.content).filter(|was| hour(&draft.content).is_none() && hour(content) == Some(*was));
    let Some(hour) = still.map(|seconds| seconds * 1_000) else { return at };
    // What the stored hour is in the owner's zone tells where their day begins.
    let is_midnight = (at.millis() - old.occurred_at.millis() + hour).rem_euclid(DAY) == 0;
    if is_midnight { at.plus_millis(hour) } else { at }
}

/// Whether a text names the day of a time, in whatever zone.
fn names_day_of(text: &str, at: Time) -> bool {
    const DAY: i64 = 24 * 60 * 60 * 1_000;
    let around = [-DAY, 0, DAY].map(|by| at.plus_millis(by).day(Zone::default()));
    values(text, None).iter().any(|found| match &found.value {
        Value::Date(date) => around.iter().any(|d| {
            date.day.is_some_and(|day| u32::from(day) == d.day())
                && date.month.is_none_or(|m| u32::from(m) == d.month())
        }),
        _ => false,
    })
}

/// The draft as it reads after being merged into `old`: what the next version is made of. `worded` by a model it says all there is,
/// so an end that lies before its day no longer holds; and there, whether it is of no day any longer.
pub(super) fn merge(
    old: &Memory,
    draft: Draft,
    content: String,
    strategy: MergeStrategy,
    worded: Option<bool>,
) -> Draft {
    let whole = worded.is_some();
    // An end that is told anew lies after the beginning that was told before, or that one no longer holds; and so back.
    let mut valid = (draft.valid_from.or(old.valid_from), draft.valid_until.or(old.valid_until));
    if let (Some(from), Some(until)) = valid
        && until < from
    {
        valid = (draft.valid_from, draft.valid_until);
    }
    let day = draft.occurred_at.filter(|at| whole && Some(*at) != draft.stated_at);
    if draft.valid_until.is_none() && valid.1.zip(day).is_some_and(|(until, day)| until < day) {
        valid = (draft.valid_from, None);
    }
    let importance = match strategy.importance {
        ImportanceMerge::Replace => draft.importance(),
        ImportanceMerge::Max => draft.importance().max(old.importance),
        ImportanceMerge::KeepExisting => old.importance,
    };
    // A mail that names no other day for the event leaves its day as it was; where nobody named one, what is told is
    // as of the day it was said.
    let names_a_day = draft.occurred_at.is_some() && draft.occurred_at != draft.stated_at;
    // What says all there is and names that day no more is of no day any longer: it was cancelled, or became a series.
    let of_no_day = whole && !names_a_day && (worded == Some(true) || !names_day_of(&content, old.occurred_at));
    // A bare day of the month takes the place of the stored day, and nobody knows of which month it is.
    let is_open = !names_a_day && names_bare_day(&draft.content) && !names_day_of(&content, old.occurred_at);
    let occurred_at = match draft.occurred_at.or(draft.stated_at) {
        Some(at) if is_open => at,
        Some(at) if names_a_day && !of_no_day => at_its_hour(at, old, &draft, &content),
        Some(at) if of_no_day || old.stated_at == Some(old.occurred_at) => at,
        _ => old.occurred_at.plus_millis(moved_by(&old.content, &draft.content)),
    };
    if of_no_day {
        valid = (draft.valid_from, draft.valid_until);
    }
    // A matter keeps its category, unless what is said now has one that goes first.
    let category = draft.category.min(old.category);
    let mut importance_factors = draft.importance_factors;
    importance_factors.extend(
        old.importance_factors
            .iter()
            .filter(|f| importance_factors.iter().all(|g| g.factor != f.factor))
            .cloned()
            .collect::<Vec<_>>(),
    );
    Draft {
        content,
        category,
        subject: old.subject.clone().or(draft.subject),
        thread_id: draft.thread_id.or_else(|| old.thread_id.clone()),
        people: union(&draft.people, &old.people),
        entities: union(&old.entities, &draft.entities),
        keywords: match strategy.keywords {
            KeywordMerge::Replace => draft.keywords,
            KeywordMerge::Merge => union(&draft.keywords, &old.keywords),
            KeywordMerge::KeepExisting => old.keywords.clone(),
        },
        properties: properties(&old.properties, draft.properties),
        importance: Some(importance),
        importance_factors,
        confidence: draft.confidence,
        occurred_at: Some(occurred_at),
        stated_at: draft.stated_at,
        valid_from: valid.0,
        valid_until: valid.1,
        source_type: draft.source_type,
        source_id: draft.source_id,
        author: draft.author,
        event: draft.event.or_else(|| old.event.clone()),
        evidence: draft.evidence,
        retention: draft.retention,
        metadata: old.metadata.with(&draft.metadata),
    }
}

/// Names of both lists, those of the first before; equal ones once, and no more than a list may hold.
fn union(first: &[String], second: &[String]) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for name in first.iter().chain(second) {
        let key = fold(name);
        if !seen.contains(&key) && all.len() < Limits::LIST {
            seen.push(key);
            all.push(name.clone());
        }
    }
    all
}

/// The stored properties with the new values put in by name, and the new ones after them.
fn properties(old: &[Property], new: Vec<Property>) -> Vec<Property> {
    let mut all = old.to_vec();
    for p in new {
        match all.iter_mut().find(|q| fold(&q.name) == fold(&p.name)) {
            Some(q) => q.value = p.value,
            None => all.push(p),
        }
    }
    all
}

/// Whether what is stored stands against a new statement of another source class.
pub(super) fn stands(old: &Memory, new: Source) -> bool {
    old.source_type.outranks(new)
}
