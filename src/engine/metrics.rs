//! Usage statistics over the daily counters, and suggestions drawn from them.

use super::Engine;
use super::day::{DAYS, Day, rate, read_kept, sum};
use super::sleeping::Census;
use crate::consolidation::{Record, Shelf};
use crate::model::Time;
use crate::store::Store;
use crate::{Error, Result};
use serde::Serialize;

/// Fewest searches for a meaningful hit rate.
const ENOUGH: u32 = 20;
/// Smallest drop of the hit rate worth a suggestion.
const FALL: f32 = 0.1;
const RECENT: usize = 7;

/// A setting whose change might help.
#[derive(Debug, Clone, PartialEq, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The setting: `maxNodes`, `maxTokens`, `session` or `undo`.
    pub parameter: String,
    /// The cause: `hit_rate_fell_after_merges`, `hit_rate_fell`, `nothing_recorded` or `tokens_used_up`.
    pub why: String,
}

/// Usage statistics of the last days.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Pulse {
    /// Current counts of the store.
    pub now: Census,
    /// The days with any activity, oldest first.
    pub days: Vec<Day>,
    /// The sums over these days.
    pub total: Day,
    /// The share of recorded searches with a hit, 0–1; absent if there were none.
    pub hit_rate: Option<f32>,
    /// The hit rate of the last seven of these days.
    pub recent_hit_rate: Option<f32>,
    /// Suggested changes.
    pub suggestions: Vec<Suggestion>,
}

impl<S: Store> Engine<S> {
    /// Returns merges, calls, tokens and the hit rate over the last `days` (1 to 730) with activity.
    ///
    /// # Errors
    /// [`crate::Code::InvalidField`] for a number of days out of range; store errors.
    pub async fn pulse(&self, days: u32) -> Result<Pulse> {
        if !(1..=730).contains(&days) {
            return Err(Error::field("days", "is not from 1 to 730"));
        }
        self.catch_up().await?;
        Ok(pulse_of(self.days(days as usize).await?, self.census()))
    }

    /// Builds the record that changes this day's counters.
    pub(super) async fn counted(&self, now: Time, change: &dyn Fn(&mut Day)) -> Result<Record> {
        let name = now.day(self.options.zone).to_string();
        let key = [DAYS, &name].concat();
        let stored = self.store.record(Shelf::Sleep, &key).await?;
        let mut day: Day = stored.as_deref().and_then(read_kept).unwrap_or_default();
        day.day = name;
        change(&mut day);
        Ok(Record::json(Shelf::Sleep, key, &day)?.over(stored))
    }

    /// Returns the counters of the last `most` days with any, oldest first.
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
            // A recent merge may have hidden what is searched: undo it, or merge fewer memories at a time.
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
    fn a_lower_hit_rate_after_merges_suggests_undo() {
        let week = |hits, merges| (0..7).map(move |n| day(n + 1, 10, hits, merges));
        assert_eq!(suggested(week(9, 0).chain(week(6, 3)).collect()), ["undo", "maxNodes"]);
        assert_eq!(suggested(week(9, 0).chain(week(6, 0)).collect()), ["session"]);
        assert!(suggested(week(9, 0).chain(week(9, 3)).collect()).is_empty());
        assert!(suggested(week(6, 3).collect()).is_empty());
    }

    #[test]
    fn totals_and_hit_rate_are_summed_over_days() {
        let pulse = pulse_of(vec![day(1, 10, 9, 1), day(2, 10, 5, 2)], Census::default());
        assert_eq!((pulse.total.searches, pulse.total.merges, pulse.hit_rate), (20, 3, Some(0.7)));
        assert_eq!(pulse_of(Vec::new(), Census::default()).hit_rate, None);
    }
}
