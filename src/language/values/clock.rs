//! Parses the zones of times of day: KST, (UTC+9), Seoul time, 한국 시각. Whether summer time applies depends on the date.

use super::{
    ValueHit, ValueReader,
    english::{self, HALVES, PLACES},
    lexicon::{DayHalf, Lex},
    value::{ClockZone, Value},
};
use crate::language::text::{table::phrase, tokens::ENGLISH_STOPS};
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

    /// The zone after a time, and its end: KST, (UTC+9), Seoul time, in Seoul.
    pub fn zone(&self, start: usize) -> Option<(ClockZone, usize)> {
        let s = self.s;
        let mut at = s.blank(start);
        let open = s.byte(at) == b'(';
        if open {
            at += 1;
        }
        for article in ["in ", "the "] {
            at = s.eat(at, article).unwrap_or(at);
        }
        let word = s.slice(at, s.latin_end(at));
        let found = phrase(&english::WORDS, word, s.rest(at))
            .filter(|(len, lex)| matches!(lex, Lex::Zone(..)) && self.folded.is_capital(at + len - 1))
            .map(|(len, lex)| (at + len, lex))
            .or_else(|| {
                let (len, lex) = phrase(&PLACES, word, s.rest(at))?;
                let end = at + len;
                let next = s.blank(end);
                let time = s.eat_word(next, &["time"]);
                let short = matches!(word, "et" | "pt") && self.folded.is_capital(at);
                // A bare place is a zone only after "in".
                let told = time.is_some() || short || s.slice(start, at).trim_start() == "in ";
                told.then(|| (time.unwrap_or(end), lex))
            });
        let (mut end, Lex::Zone(minutes, rule)) = found? else { return None };
        let mut minutes = *minutes;
        // UTC+9, UTC-03:30.
        let stop = s.digits_end(end + 1).min(end + 5);
        let is_short = stop == end + 2;
        let past_colon = s.digits_end(stop + 1);
        let stop = if s.byte(stop) == b':' && past_colon == stop + 3 { past_colon } else { stop };
        let mut offset = s.slice(end, stop).to_owned();
        if is_short {
            offset.insert(1, '0');
        }
        if let Some(zone) = Zone::of_offset(&offset).filter(|_| minutes == 0 && matches!(s.byte(end), b'+' | b'-')) {
            (minutes, end) = (zone.offset_at(0) as i16, stop);
        }
        let closed = end + usize::from(open && s.byte(end) == b')');
        Some((ClockZone::new(minutes, *rule, self.today), closed))
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
