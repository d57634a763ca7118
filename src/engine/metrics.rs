//! How well the memory does: what the counters of the last days add up to, and what they suggest.

use super::day::{DAYS, Day, rate, read_kept, sum};
use super::sleeping::Census;
use super::{Engine, Platform};
use crate::consolidation::{Record, Shelf};
use crate::embed::Embedder;
use crate::model::Time;
use crate::store::Store;
use crate::{Error, Result};
use serde::Serialize;

/// Searches below which a share says nothing.
const ENOUGH: u32 = 20;
/// How far the hit rate must fall to be worth a word.
const FALL: f32 = 0.1;
/// The days that are compared with those before.
const RECENT: usize = 7;

/// A change of settings that might help.
#[derive(Debug, Clone, PartialEq, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// Which: `maxNodes`, `maxTokens`, `session` or `undo`.
    pub parameter: String,
    /// Why: `hit_rate_fell_after_merges`, `hit_rate_fell`, `nothing_recorded` or `tokens_used_up`.
    pub why: String,
}

/// What the last days add up to.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Pulse {
    /// What there is.
    pub now: Census,
    /// The days on which anything was counted, oldest first.
    pub days: Vec<Day>,
    /// Their sums.
    pub total: Day,
    /// The share of recorded searches that found what was asked; absent where there were none.
    pub hit_rate: Option<f32>,
    /// The same, of the last seven days alone.
    pub recent_hit_rate: Option<f32>,
    /// What might help.
    pub suggestions: Vec<Suggestion>,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// How well the memory does: merges, calls, tokens and the hit rate over the last `days` (1 to 730) with counters.
    ///
    /// # Errors
    /// A bad number of days; those of the store.
    pub async fn pulse(&self, days: u32) -> Result<Pulse> {
        if !(1..=730).contains(&days) {
            return Err(Error::field("days", "is not from 1 to 730"));
        }
        self.catch_up().await?;
        Ok(pulse_of(self.days(days as usize).await?, self.census()))
    }

    /// The record that counts something on this day.
    pub(super) async fn counted(&self, now: Time, change: &dyn Fn(&mut Day)) -> Result<Record> {
        let name = now.day(self.options.zone).to_string();
        let key = [DAYS, &name].concat();
        let stored = self.store.record(Shelf::Sleep, &key).await?;
        let mut day: Day = stored.as_deref().and_then(read_kept).unwrap_or_default();
        day.day = name;
        change(&mut day);
        Ok(Record::json(Shelf::Sleep, key, &day)?.over(stored))
    }

    /// The counters of the last days for which there are any, oldest first.
    pub(super) async fn days(&self, most: usize) -> Result<Vec<Day>> {
        let kept = self.store.records(Shelf::Sleep, Some(DAYS), usize::MAX).await?;
        let counted = kept.iter().take_while(|(key, _)| key.starts_with(DAYS));
        let mut days: Vec<Day> = counted.filter_map(|(_, value)| read_kept(value)).collect();
        let from = days.len().saturating_sub(most);
        Ok(days.split_off(from))
    }
}

fn pulse_of(days: Vec<Day>, now: Census) -> Pulse {
    let (before, recent) = days.split_at(days.len().saturating_sub(RECENT));
    let (total, earlier, late) = (sum(&days), sum(before), sum(recent));
    let mut pulse = Pulse { now, hit_rate: rate(&total), recent_hit_rate: rate(&late), total, ..Pulse::default() };
    let mut suggest = |parameter: &str, why: &str| {
        pulse.suggestions.push(Suggestion { parameter: parameter.to_owned(), why: why.to_owned() });
    };
    if let (Some(then), Some(now)) = (rate(&earlier), rate(&late))
        && earlier.searches >= ENOUGH
        && late.searches >= ENOUGH
        && then - now >= FALL
    {
        match late.merges {
            // What was merged in these days may be what is missed: take it back, or merge less at a time.
            0 => suggest("session", "hit_rate_fell"),
            _ => {
                suggest("undo", "hit_rate_fell_after_merges");
                suggest("maxNodes", "hit_rate_fell_after_merges");
            }
        }
    }
    pulse.days = days;
    pulse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(n: usize, searches: u32, hits: u32, merges: u32) -> Day {
        Day { day: format!("2026-01-{n:02}"), searches, hits, merges, ..Day::default() }
    }

    fn suggested(days: Vec<Day>) -> Vec<String> {
        pulse_of(days, Census::default()).suggestions.into_iter().map(|s| s.parameter).collect()
    }

    #[test]
    fn a_hit_rate_that_falls_after_merges_suggests_to_take_them_back() {
        let week = |hits, merges| (0..7).map(move |n| day(n + 1, 10, hits, merges));
        assert_eq!(suggested(week(9, 0).chain(week(6, 3)).collect()), ["undo", "maxNodes"]);
        assert_eq!(suggested(week(9, 0).chain(week(6, 0)).collect()), ["session"]);
        assert!(suggested(week(9, 0).chain(week(9, 3)).collect()).is_empty());
        assert!(suggested(week(6, 3).collect()).is_empty());
    }

    #[test]
    fn sums_and_shares_are_those_of_the_days() {
        let pulse = pulse_of(vec![day(1, 10, 9, 1), day(2, 10, 5, 2)], Census::default());
        assert_eq!((pulse.total.searches, pulse.total.merges, pulse.hit_rate), (20, 3, Some(0.7)));
        assert_eq!(pulse_of(Vec::new(), Census::default()).hit_rate, None);
    }
}
