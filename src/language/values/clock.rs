//! Parses the zones of times of day: KST, (UTC+9), Seoul time, 한국 시각. Whether summer time applies depends on the date.

use super::{
    ValueReader,
    english::{self, HALVES},
    korean,
    lexicon::{DayHalf, Lex},
    value::ClockZone,
};
use crate::language::text::tokens::ENGLISH_STOPS;
use crate::language::words;
use crate::model::Zone;
use chrono::NaiveDate;

/// The offset of a place or zone by its English name on a day, in minutes east of UTC; `None` for unknown names.
pub(crate) fn zone_of_place(name: &str, day: NaiveDate) -> Option<i32> {
    let name = name.to_lowercase();
    let found = english::PLACES.meaning(&name).or_else(|| english::WORDS.meaning(&name));
    let Some(Lex::Zone(minutes, rule)) = found else { return None };
    Some(ClockZone::new(*minutes, *rule, Some(day)).minutes.into())
}

impl ValueReader<'_> {
    /// Parses am, p.m., in the evening.
    pub fn meridiem(&self, end: usize) -> Option<(DayHalf, usize)> {
        let s = self.s;
        let at = s.blank(end);
        let ends = |len: usize| s.ends_word(at + len) || s.byte(at + len - 1) == b'.';
        match HALVES.longest(s.rest(at), |len, _| ends(len))? {
            (len, Lex::Half12(half)) => Some((*half, at + len)),
            _ => None,
        }
    }

    pub fn is_stop(&self, at: usize) -> bool {
        ENGLISH_STOPS.binary_search(&self.s.slice(at, self.s.latin_end(at))).is_ok()
    }

    /// The offset after UTC, in minutes: UTC+9, UTC-03:30.
    pub fn utc_offset(&self, at: usize) -> Option<(i16, usize)> {
        let end = self.s.run_end(at + 1, |c| c.is_ascii_digit() || c == ':');
        let mut offset = self.s.slice(at, end).trim_end_matches(':').to_owned();
        let end = at + offset.len();
        if offset.starts_with(['+', '-']) && matches!(offset.as_bytes().get(2), None | Some(b':')) {
            offset.insert(1, '0');
        }
        Some((Zone::of_offset(&offset)?.offset_at(0) as i16, end))
    }

    /// The zone that comes before a time or its date: 한국 시각 12월 5일 오전 8시.
    pub fn zone_before(&self, start: usize) -> Option<ClockZone> {
        let head = self.s.head(start).trim_end();
        let place = words!("korean/grammar.before a time").iter().find_map(|w| head.strip_suffix(w))?.trim_end();
        let word = self.s.slice(self.s.letters_start(place.len()), place.len());
        let Some(&Lex::Zone(minutes, rule)) = korean::WORDS.meaning(word) else { return None };
        Some(ClockZone::new(minutes, rule, self.today))
    }
}
