//! Parses times of day: 오후 3시 반, 15:00, half past three, 3 p.m. Seoul time. Whether summer time applies depends on the
//! date.

use super::{
    ValueHit, ValueReader,
    english::{self, HALVES, PLACES},
    korean::marks,
    lexicon::{DayHalf, Lex},
    value::{Clock, ClockZone, Summer, Value},
};
use crate::language::text::{hangul::is_hangul, table::phrase, tokens::ENGLISH_STOPS};
use crate::language::{Words, words};
use crate::model::Zone;
use chrono::NaiveDate;

const fn clock(hour: u32, minute: u32, sure: bool) -> Clock {
    Clock { seconds: hour * 3600 + minute * 60, sure, zone: None }
}

/// A time of day in a part of the day.
const fn in_half(clock: Clock, half: DayHalf) -> Clock {
    Clock { seconds: half.hour(clock.seconds / 3600) * 3600 + clock.seconds % 3600, sure: true, zone: clock.zone }
}

/// The offset of a place or zone by its English name on a day, in minutes east of UTC; `None` for unknown names.
pub(crate) fn zone_of_place(name: &str, day: NaiveDate) -> Option<i32> {
    let name = name.to_lowercase();
    let found = english::PLACES.meaning(&name).or_else(|| english::WORDS.meaning(&name));
    let Some(Lex::Zone(minutes, rule)) = found else { return None };
    Some(ClockZone::new(*minutes, *rule, Some(day)).minutes.into())
}

impl ValueReader<'_> {
    /// Parses 15:00, 3:30pm, 3.30 pm.
    pub fn colon_clock(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let first = s.digits_end(at);
        let point = s.byte(first) == b'.';
        if !(1..=2).contains(&(first - at)) || !(point || s.byte(first) == b':') || s.before(at) == Some(':') {
            return None;
        }
        let end = s.digits_end(first + 1);
        if end - first != 3 {
            return None;
        }
        // With a dot it is a decimal, unless am or pm follows directly.
        let beside = || self.meridiem(end).is_some_and(|(_, after)| after - end < " p.m.".len() + 1);
        if point && !beside() {
            return None;
        }
        let part = |from: usize, to: usize| s.slice(from, to).parse::<u32>().ok();
        let (hour, minute) = (part(at, first)?, part(first + 1, end)?);
        // 14:30:05 is a time; 1:43:20 is not.
        let has_seconds = first - at == 2 && s.byte(end) == b':' && s.digits_end(end + 1) == end + 3;
        let end = if has_seconds { end + 3 } else { end };
        if hour > 24 || minute > 59 || s.byte(end) == b':' {
            return None;
        }
        let sure = hour > 12 || hour == 0 || first - at == 2;
        Some(self.half_of_day(at, end, clock(hour, minute, sure)))
    }

    /// Adds am or pm and the zone that follow a time.
    fn half_of_day(&self, start: usize, end: usize, mut clock: Clock) -> ValueHit {
        let mut stop = end;
        if let Some((half, after)) = self.meridiem(end) {
            clock = in_half(clock, half);
            stop = after;
        }
        let mut hit = ValueHit::new(start, stop, Value::Clock(clock));
        self.zone(&mut hit);
        hit
    }

    /// Parses am, p.m., in the evening.
    fn meridiem(&self, end: usize) -> Option<(DayHalf, usize)> {
        let s = self.s;
        let at = s.blank(end);
        let ends = |len: usize| s.ends_word(at + len) || s.byte(at + len - 1) == b'.';
        match HALVES.longest(s.rest(at), |len, _| ends(len))? {
            (len, Lex::Half12(half)) => Some((*half, at + len)),
            _ => None,
        }
    }

    /// Parses 3시, 오후 3시 반, 세 시 이십 분, 3pm, 3 o'clock, 0700 hours; `half` if am or pm came before.
    pub fn hour_clock(&self, at: usize, half: Option<DayHalf>) -> Option<ValueHit> {
        static LENGTH: &Words = words!("korean/grammar.of hours");
        let s = self.s;
        let amount = self.amount(at)?;
        let hour = u32::try_from(amount.number.as_whole()?).ok()?;
        let end = amount.end;
        if amount.scaled {
            return None;
        }
        let o = s.spaces(end);
        if let Some(after) = s.eat_any(o, marks::HOUR) {
            if hour > 24 || s.eat_any(after, LENGTH).is_some() || amount.words && !amount.native {
                return None;
            }
            let half_past = s.eat_any(after, marks::HALF).is_some();
            let ends = words!("korean/grammar.is").contains(&s.slice(after, s.hangul_end(after)));
            if !ends && !self.is_tail(after) && !half_past {
                return None;
            }
            return self.korean_clock(at, after, hour, half);
        }
        if amount.words && amount.native {
            return None;
        }
        // "9.30pm" parses as a decimal first.
        if self.meridiem(end).is_some() && (1..=12).contains(&hour) {
            return Some(self.half_of_day(at, end, clock(hour, 0, false)));
        }
        if let Some(after) = s.eat_any(o, &["o'clock", "oclock"]) {
            return (hour <= 24).then(|| self.half_of_day(at, after, clock(hour, 0, false)));
        }
        if let Some(after) = s.eat(o, "sharp").filter(|_| hour <= 24) {
            return Some(ValueHit::new(at, after, Value::Clock(clock(hour, 0, hour > 12))));
        }
        let digits = s.slice(at, end);
        let noun = s.char(o).is_some_and(|c| c.is_alphanumeric() && (o == end || !self.is_stop(o)));
        let decimal = s.byte(end) == b'.' && s.byte(end + 1).is_ascii_digit();
        let marked = matches!(s.char(end), Some('%' | '°' | '/' | ':' | '-' | '\'' | '$' | '€' | '£' | '+'));
        let alone = !(noun || decimal || marked);
        if alone
            && (1..=12).contains(&hour)
            && matches!(s.word_before(at), "at" | "till")
            && digits.len() < 3 | amount.words as usize
        {
            return Some(ValueHit::new(at, end, Value::Clock(clock(hour, 0, false))));
        }
        None
    }

    pub fn is_stop(&self, at: usize) -> bool {
        ENGLISH_STOPS.binary_search(&self.s.slice(at, self.s.latin_end(at))).is_ok()
    }

    /// Parses "이십 분" after an hour.
    fn minute_words(&self, after: usize) -> Option<(u32, usize)> {
        let s = self.s;
        let at = s.spaces(after);
        if let Some(half) = s.eat_any(at, marks::HALF) {
            return self.is_tail(half).then_some((30, half));
        }
        let amount = self.amount(at).filter(|a| !a.native)?;
        let minute = u32::try_from(amount.number.as_whole()?).ok().filter(|m| *m < 60)?;
        let end = s.eat_any(s.spaces(amount.end), marks::MINUTE)?;
        self.is_tail(end).then_some((minute, end))
    }

    fn korean_clock(&self, at: usize, after: usize, hour: u32, half: Option<DayHalf>) -> Option<ValueHit> {
        let s = self.s;
        static LENGTHS: &Words = words!("korean/grammar.behind a length");
        let (mut minute, mut end) = (0, after);
        if let Some((m, stop)) = self.minute_words(after) {
            // "3시 30분 동안" is a time and a duration.
            let next = s.spaces(stop);
            if s.eat_any(next, LENGTHS).is_none() || next == stop {
                (minute, end) = (m, stop);
            }
        }
        let written = clock(hour, minute, hour > 12 || hour == 0);
        let mut hit = ValueHit::new(at, end, Value::Clock(half.map_or(written, |half| in_half(written, half))));
        self.zone(&mut hit);
        Some(hit)
    }

    /// Parses "half past three", "quarter to five", "ten past six", "at half nine".
    pub fn past_clock(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let (word, end) = s.latin(at);
        let (minutes, end) = match word {
            "half" => (30, end),
            "quarter" => (15, end),
            _ => {
                let amount = self.english(at).filter(|a| !a.scaled)?;
                (u32::try_from(amount.number.as_whole()?).ok().filter(|m| *m < 30)?, amount.end)
            }
        };
        let link = s.blank(end);
        let (before, after) = match s.slice(link, s.latin_end(link)) {
            "past" | "after" => (false, s.latin_end(link)),
            "to" if word == "quarter" || word != "half" && s.word_before(at) == "at" => (true, s.latin_end(link)),
            // "at half nine", unless a counted noun follows.
            _ if word == "half" && words!("english/grammar.before half an hour past").contains(&s.word_before(at)) => {
                let hour = self.amount(link)?;
                let counts = self.counted(link, hour).is_none_or(|hit| !matches!(hit.value, Value::Number(_)));
                if counts {
                    return None;
                }
                (false, end)
            }
            _ => return None,
        };
        let hour_at = s.blank(after);
        let amount = self.amount(hour_at)?;
        let hour = u32::try_from(amount.number.as_whole()?).ok().filter(|h| (1..=12).contains(h))?;
        let seconds = hour * 3600;
        let seconds = if before { seconds.saturating_sub(minutes * 60) } else { seconds + minutes * 60 };
        Some(self.half_of_day(at, amount.end, Clock { seconds, sure: false, zone: None }))
    }

    /// Adds a zone next to a time: KST, (UTC+9), Seoul time, in Seoul, 한국 시각.
    fn zone(&self, hit: &mut ValueHit) {
        let s = self.s;
        let mut at = s.blank(hit.end);
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
                let told = time.is_some() || short || s.slice(hit.end, at).trim_start() == "in ";
                told.then(|| (time.unwrap_or(end), lex))
            });
        if let Some((mut end, Lex::Zone(minutes, rule))) = found {
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
            if let Some(zone) = Zone::of_offset(&offset).filter(|_| minutes == 0 && matches!(s.byte(end), b'+' | b'-'))
            {
                (minutes, end) = (zone.offset_at(0) as i16, stop);
            }
            if open && s.byte(end) == b')' {
                end += 1;
            }
            self.set_zone(hit, minutes, *rule);
            hit.end = end;
        }
    }

    fn set_zone(&self, hit: &mut ValueHit, minutes: i16, rule: Summer) {
        if let Value::Clock(clock) = &mut hit.value {
            clock.zone = Some(ClockZone::new(minutes, rule, self.today));
        }
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
                && let Some(hit) = hits.get_mut(n)
            {
                self.set_zone(hit, minutes, rule);
            }
        }
    }

    /// Parses a time after am or pm: 오후 3시.
    pub fn half_clock(&self, at: usize, len: usize, half: DayHalf) -> Option<ValueHit> {
        let s = self.s;
        let mut next = s.spaces(at + len);
        // "오후(3시)", "새벽에 2시".
        if s.byte(next) == b'(' {
            next += 1;
        }
        if !s.byte(next).is_ascii_digit() && !s.char(next).is_some_and(is_hangul) {
            return None;
        }
        let mut hit = match self.colon_clock(next) {
            Some(ValueHit { value: Value::Clock(clock), end, .. }) => {
                ValueHit::new(at, end, Value::Clock(in_half(clock, half)))
            }
            _ => self.hour_clock(next, Some(half))?,
        };
        hit.start = at;
        Some(hit)
    }
}
