//! Merges a draft into the memory that it updates, field by field.

use crate::decision::{names_bare_day, names_bare_weekday};
use crate::language::{Found, Value, fold, values};
use crate::model::{DayOrTime, Draft, Limits, Memory, Property, Time, Zone};
use chrono::{Datelike, NaiveDate, Timelike};
use serde::{Deserialize, Serialize};

/// How the content is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum ContentMerge {
    /// The latest statement, then the earlier statements that still hold.
    #[default]
    Replace,
    /// Only the latest statement.
    Latest,
    /// All statements, newest first, nothing struck.
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
    /// Both.
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

/// The merge rule of each field. Default: replace content, unite keywords, keep the maximum importance.
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

/// The only hour that a text names, in seconds; `None` for several.
fn hour(text: &str) -> Option<i64> {
    let found = values(text, None);
    let mut hours = found.iter().filter_map(|f| match &f.value {
        Value::Clock(clock) => Some(i64::from(clock.seconds)),
        _ => None,
    });
    hours.next().filter(|_| hours.next().is_none())
}

/// Adds the stored time of day to a bare date if the merged text still names that hour.
fn with_stored_hour(at: DayOrTime, old: &Memory, draft: &Draft, content: &str, zone: Zone) -> DayOrTime {
    let still = hour(&old.content).filter(|was| hour(&draft.content).is_none() && hour(content) == Some(*was));
    let stored = old.occurred_at.time().map(|time| time.local(zone).time());
    match (at, stored.zip(still)) {
        (DayOrTime::Day(day), Some((clock, seconds))) if i64::from(clock.num_seconds_from_midnight()) == seconds => {
            Time::from_local(day.and_time(clock), zone).into()
        }
        _ => at,
    }
}

/// Keeps the stored, upcoming date if the draft names only its day of the month or its weekday ("the 22nd", "on Saturday").
fn with_stored_date(at: DayOrTime, old: &Memory, draft: &Draft, zone: Zone) -> DayOrTime {
    let (stored, day) = (old.occurred_at.day(zone), at.day(zone));
    let is_to_come = old.happens_at().is_some() && draft.stated_at.is_some_and(|said| said.day(zone) <= stored);
    let text = draft.evidence.as_ref().map_or(&draft.content, |evidence| &evidence.text);
    let names_stored = || {
        day.day() == stored.day() && names_bare_day(text)
            || day.weekday() == stored.weekday() && names_bare_weekday(text)
    };
    if !is_to_come || day == stored || !names_stored() {
        return at;
    }
    let clock = at.time().map(|time| time.local(zone).time());
    clock.map_or(old.occurred_at, |clock| Time::from_local(stored.and_time(clock), zone).into())
}

/// Whether a text has these words, and not only as a part of a longer value: "오전 7시" in "오전 7시 30분".
fn has_apart((text, found): (&str, &[Found]), words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| !found.iter().any(|v| v.span.exceeds(&(at..at + words.len()))))
}

fn names_date(text: &str, day: NaiveDate) -> bool {
    values(text, None).iter().any(|found| match &found.value {
        Value::Date(date) => {
            date.day.is_some_and(|d| u32::from(d) == day.day())
                && date.month.is_none_or(|m| u32::from(m) == day.month())
        }
        _ => false,
    })
}

/// Merges `draft` into `old` as the draft of the next version. With `worded`, a model wrote a complete text, so an end
/// before the new date is dropped. Its value tells whether the memory no longer has a date.
pub(super) fn merge(
    old: &Memory,
    draft: Draft,
    content: String,
    (strategy, zone): (MergeStrategy, Zone),
    worded: Option<bool>,
) -> Draft {
    let whole = worded.is_some();
    // A new end before the stored start drops that start, and vice versa.
    let mut valid = (draft.valid_from.or(old.valid_from), draft.valid_until.or(old.valid_until));
    if let (Some(from), Some(until)) = valid
        && until.ends_before(from, zone)
    {
        valid = (draft.valid_from, draft.valid_until);
    }
    let named = draft.happens_at().map(|at| if whole { at } else { with_stored_date(at, old, &draft, zone) });
    let day = named.filter(|_| whole);
    if draft.valid_until.is_none() && valid.1.zip(day).is_some_and(|(until, day)| until.ends_before(day, zone)) {
        valid = (draft.valid_from, None);
    }
    let importance = match strategy.importance {
        ImportanceMerge::Replace => draft.importance(),
        ImportanceMerge::Max => draft.importance().max(old.importance),
        ImportanceMerge::KeepExisting => old.importance,
    };
    // A text without another date keeps the event's date. A complete text that no longer names it
    // drops it: the event was cancelled or became a series.
    let keeps_day = names_date(&content, old.occurred_at.day(zone));
    let of_no_day = whole && named.is_none() && (worded == Some(true) || !keeps_day);
    // A bare day of the month replaces the stored date, but its month is unknown.
    let is_open = named.is_none() && names_bare_day(&draft.content) && !keeps_day;
    let told = draft.occurred_at.or(draft.stated_at.map(DayOrTime::Time));
    let occurred_at = match (named, told) {
        (Some(at), _) => with_stored_hour(at, old, &draft, &content, zone),
        (None, Some(at)) if is_open || of_no_day || old.stated_at.is_some_and(|said| old.occurred_at == said) => at,
        _ => {
            let hours = hour(&old.content).zip(hour(&draft.content));
            old.occurred_at.moved_by(hours.map_or(0, |(was, is)| (is - was) * 1_000), zone)
        }
    };
    if of_no_day {
        valid = (draft.valid_from, draft.valid_until);
    } else if draft.valid_until.is_none() && old.valid_until == Some(old.occurred_at) {
        // An end that was the date itself moves with it.
        valid.1 = Some(occurred_at);
    }
    // The category stays unless the new one takes precedence.
    let category = draft.category.min(old.category);
    let mut importance_factors = old.importance_factors.clone();
    importance_factors.retain(|f| draft.importance_factors.iter().all(|g| g.factor != f.factor));
    importance_factors.splice(0..0, draft.importance_factors);
    // A value that the text no longer tells is no property any more.
    let (was, is) = (values(&old.content, None), values(&content, None));
    let is_told = |p: &Property| {
        if has_apart((&old.content, &was), &p.value) {
            return has_apart((&content, &is), &p.value);
        }
        !old.content.contains(&p.value) || content.contains(&p.value)
    };
    let mut properties = properties(&old.properties, draft.properties);
    properties.retain(is_told);
    Draft {
        properties,
        headline: None,
        topic: old.topic.clone().or(draft.topic),
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
        is_minor: false,
    }
}

/// The names of both lists without duplicates, `first` before `second`, up to the list limit.
pub(super) fn union(first: &[String], second: &[String]) -> Vec<String> {
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

/// The new properties, then the stored ones of other names.
fn properties(old: &[Property], new: Vec<Property>) -> Vec<Property> {
    let is_new = |p: &&Property| new.iter().any(|q| fold(&q.name) == fold(&p.name));
    let kept: Vec<Property> = old.iter().filter(|p| !is_new(p)).cloned().collect();
    new.into_iter().chain(kept).collect()
}
