//! Parses the zones of times of day: KST, (UTC+9), Seoul time, 한국 시각. Whether summer time applies depends on the date.

use super::{
    ValueHit, ValueReader,
    english::{self, HALVES},
    lexicon::{DayHalf, Lex},
    value::{ClockZone, Value},
};
use crate::language::text::tokens::ENGLISH_STOPS;
use crate::language::{Words, words};
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

    /// Adds a zone that comes before the time: 한국 시각 12월 5일 오전 8시.
    pub fn zone_before(&self, hits: &mut [ValueHit]) {
        static BEFORE: &Words = words!("korean/grammar.before a time");
        for n in 0..hits.len() {
            let Some(hit) = hits.get(n) else { return };
            let (Value::Clock(clock), start) = (&hit.value, hit.start) else { continue };
            if clock.zone.is_some() {
                continue;
            }
            let date =
                n.checked_sub(1).and_then(|p| hits.get(p)).filter(|before| matches!(before.value, Value::Date(_)));
            let places = [Some(start), date.map(|date| date.start)].into_iter().flatten();
            let named = |from| BEFORE.iter().find_map(|w| self.s.head(from).trim_end().strip_suffix(w));
            let Some(head) = places.filter_map(named).next() else { continue };
            let place = head.trim_end();
            let begin = self.s.letters_start(place.len());
            let word = self.s.slice(begin, place.len());
            if let Some(&Lex::Zone(minutes, rule)) = crate::language::values::korean::WORDS.meaning(word)
                && let Some(ValueHit { value: Value::Clock(clock), .. }) = hits.get_mut(n)
            {
                clock.zone = Some(ClockZone::new(minutes, rule, self.today));
            }
        }
    }
}
