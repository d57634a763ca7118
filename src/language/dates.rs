//! Resolves date expressions in a mail to calendar days. A wrong day does more harm than a missing one, so an ambiguous
//! expression gets no day.

use crate::language::{
    self, CueKind, Cycle, Date, Folded, Found, On, Period, PeriodKind, Reference, Shift, Value,
    around::{Around, CLAUSE, SENTENCE},
    cues, is_hangul, is_of_two_days, jamo, words,
};
use chrono::{Datelike, Days, Months, NaiveDate};

/// A bare day at most this many days before the mail is ambiguous unless its clause is in the past tense.
const MAX_DAYS_BACK: i64 = 7;
/// Beyond this many days after the mail, a weekday next to a bare day may belong to something else.
const MAX_DAYS_AHEAD: i64 = 100;
/// A named month counts as upcoming within this many months of the mail.
const MAX_MONTHS_AHEAD: u32 = 6;
/// Index of the final consonant ㅆ, which marks the past tense as in 갔다.
const FINAL_SSANG_SIOT: u32 = 20;

/// Parses the values of a mail text and resolves their days. An ambiguous date keeps no day.
pub fn meant_values(text: &str, at: Option<Reference>) -> Vec<Found> {
    let mut found = language::values(text, at);
    let lower = text.to_ascii_lowercase();
    let days: Vec<Option<NaiveDate>> = Around::all(&lower, &found).map(|one| one.day(at)).collect();
    for (one, day) in found.iter_mut().zip(days) {
        if let Value::Date(date) = &mut one.value {
            date.on = day;
        }
    }
    found
}

/// Returns the current and upcoming months named without a day. The list is empty if only the current one is named.
pub fn months_of(text: &str, at: Option<Reference>) -> Vec<u32> {
    at.map_or(Vec::new(), |at| upcoming_months(&language::values(text, Some(at)), at.day()))
}

fn upcoming_months(values: &[Found], today: NaiveDate) -> Vec<u32> {
    let month = |f: &Found| match &f.value {
        Value::Period(Period { kind: PeriodKind::Month, month: Some(month), .. }) => Some(u32::from(*month)),
        _ => None,
    };
    let is_ahead = |month: &u32| (month + 12 - today.month()) % 12 <= MAX_MONTHS_AHEAD;
    let months: Vec<u32> = values.iter().filter_map(month).filter(is_ahead).collect();
    if months.iter().all(|month| *month == today.month()) { Vec::new() } else { months }
}

/// Clears the resolved day of each bare day of the month that falls outside `months`.
pub fn unless_of_months(found: &mut [Found], months: &[u32]) {
    for one in found.iter_mut().filter(|f| f.value.is_bare_day()) {
        if let Value::Date(date) = &mut one.value {
            date.on = date.on.filter(|on| months.is_empty() || months.contains(&on.month()));
        }
    }
}

pub fn is_moved(text: &str) -> bool {
    use CueKind::{Change, Earlier, Later, Replace};
    cues(&Folded::new(text)).iter().any(|c| matches!(c.kind, Change | Earlier | Later | Replace))
}

fn is_on(day: &NaiveDate, weekday: u8) -> bool {
    day.weekday().num_days_from_monday() == u32::from(weekday)
}

impl Around<'_> {
    /// The day of a date; `None` if it is ambiguous.
    fn day(self, at: Option<Reference>) -> Option<NaiveDate> {
        let Value::Date(date) = self.value() else { return None };
        let phrase = self.phrase();
        if self.before().trim_end().ends_with("음력")
            || phrase.starts_with("following")
            || date.shift.is_some() && self.is_offset_from_other_day()
        {
            return None;
        }
        let Some(at) = at else { return date.on };
        let today = at.day();
        match (date.month, date.day, date.weekday, date.shift) {
            (None, None, Some(weekday), None) => self.bare_weekday(weekday, date.on),
            // 지난 월요일 is the latest Monday. "last Monday" may be in this week or the week before.
            (None, None, Some(weekday), Some(Shift::Weeks(-1))) if !phrase.contains('주') => {
                let latest = (1..=7).filter_map(|n| today.checked_sub_days(Days::new(n))).find(|d| is_on(d, weekday));
                let is_this_week = u32::from(weekday) < today.weekday().num_days_from_monday();
                if phrase.starts_with(is_hangul) { latest } else { date.on.filter(|_| !is_this_week) }
            }
            // "They came this Monday", written on a Thursday.
            (None, None, Some(_), Some(Shift::Weeks(0))) if date.on.is_some_and(|on| on > today) && self.is_past() => {
                date.on?.checked_sub_days(Days::new(7))
            }
            (Some(_), Some(_), weekday, _) if is_of_two_days(self.text, self.span, at) => {
                let weekday = weekday.or_else(|| self.adjacent_weekday())?;
                let other = date.on.and_then(|on| NaiveDate::from_ymd_opt(on.year(), on.day(), on.month()));
                let mut fits = [date.on, other].into_iter().flatten().filter(|on| is_on(on, weekday));
                fits.next().filter(|_| fits.next().is_none())
            }
            (None, Some(day), _, None) => self.bare_day(day, date.weekday, today),
            _ => date.on,
        }
    }

    /// Resolves a weekday without anything else, which is ahead by default.
    fn bare_weekday(self, weekday: u8, ahead: Option<NaiveDate>) -> Option<NaiveDate> {
        let is_next_to_day = || self.adjacent().any(|f| f.value.is_bare_day());
        if self.is_generic_weekday() || is_next_to_day() || self.is_relative_to_other_day() {
            return None;
        }
        if let Some(day) = self.day_of_named_week(weekday) {
            return Some(day);
        }
        if self.is_past() {
            return ahead?.checked_sub_days(Days::new(7));
        }
        ahead.filter(|_| !self.phrase().starts_with(is_hangul) || self.is_specific_weekday())
    }

    /// Resolves a bare day of the month, such as "the 19th".
    fn bare_day(self, day: u8, weekday: Option<u8>, today: NaiveDate) -> Option<NaiveDate> {
        let after = self.after();
        // "합계(3일)" is a duration, "목요일(19일)" a day.
        let is_of_word = || {
            let word = self.before().strip_suffix('(');
            after.starts_with(')') && word.is_some_and(|w| w.ends_with(char::is_alphanumeric) && !w.ends_with("요일"))
        };
        let is_duration = self.phrase().ends_with('일')
            && (words!("mail/dates.after a length of days").begin(after.trim_start()) || is_of_word());
        let is_offset = words!("mail/dates.counted from another").stand_in(self.until(&SENTENCE));
        if is_duration || is_offset || weekday.is_none() && self.is_in_recurring_event() {
            return None;
        }
        let first = today.with_day(1)?;
        let last_month = first.checked_sub_months(Months::new(1))?;
        let months = (0..12).filter_map(|k| last_month.checked_add_months(Months::new(k)));
        let mut days = months.filter_map(|month| month.with_day(day.into()));
        if let Some(weekday) = weekday.or_else(|| self.adjacent_weekday()) {
            let is_near = |d: &NaiveDate| (-MAX_DAYS_BACK..=MAX_DAYS_AHEAD).contains(&(*d - today).num_days());
            return days.find(|d| is_near(d) && is_on(d, weekday));
        }
        // An earlier day of the sentence gives the month: "7월 3일에 와서 7일에".
        let named_before = self.values_since(&SENTENCE).iter().rev().find_map(|f| match f.value {
            Value::Date(Date { on: Some(on), month: Some(_), day: Some(_), .. }) => Some(on),
            _ => None,
        });
        if let Some(before) = named_before {
            let next = || before.with_day(1)?.checked_add_months(Months::new(1))?.with_day(day.into());
            let is_denied = words!("mail/dates.before what is denied").end(self.before());
            return before.with_day(day.into()).filter(|d| is_denied || *d > before).or_else(next);
        }
        // For the day of the mail or the next day, a writer would use "today" or "tomorrow".
        let is_named_close = |f: &Found| matches!(&f.value, Value::Date(Date { shift: Some(Shift::Days(0 | 1)), .. }));
        let is_close = [Some(today), today.succ_opt()].iter().flatten().any(|d| d.day() == u32::from(day));
        if is_close && !self.adjacent().any(is_named_close) {
            return None;
        }
        let last = [first, last_month].iter().filter_map(|m| m.with_day(day.into())).find(|d| *d <= today);
        if self.is_past() {
            return last;
        }
        let is_near = last.is_some_and(|d| d < today && (today - d).num_days() <= MAX_DAYS_BACK);
        let named = upcoming_months(self.values, today);
        let may_be = |d: &NaiveDate| !is_near && (named.is_empty() || named.contains(&d.month()));
        days.find(|d| *d >= today).filter(may_be)
    }

    /// Resolves a weekday whose sentence starts with the week: "Next week the meeting is on Thursday", 다음 주 회의는 목요일.
    fn day_of_named_week(self, weekday: u8) -> Option<NaiveDate> {
        let week = self.values_since(&SENTENCE).first()?;
        let start = self.span.start - self.since(&SENTENCE).len();
        let Value::Period(Period { kind: PeriodKind::Week, shift: Some(0 | 1), span: Some((from, to)), .. }) =
            week.value
        else {
            return None;
        };
        let is_told = self.text[start..week.span.start].trim().is_empty();
        let is_begin = self.text[week.span.end..].starts_with("부터");
        from.iter_days().take_while(|d| *d < to && is_told && !is_begin).find(|d| is_on(d, weekday))
    }

    /// Whether a weekday recurs or belongs to another week: 평소 토요일, "my Tuesday mornings", "the Monday of that week",
    /// "Easter Monday", "Thursday 4 and Friday 5 June".
    fn is_generic_weekday(self) -> bool {
        let after = self.after();
        let begins_with_digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        // "the Tuesday, the 9th" is specific.
        let rest = after.trim_start_matches([',', ' ']);
        let is_dated = rest.len() < after.len() && begins_with_digit(rest.strip_prefix("the ").unwrap_or(rest));
        let number = after.strip_prefix(' ').filter(|rest| begins_with_digit(rest));
        let is_clock = |rest: &str| {
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            [":", ".", "시", "am", "pm", " am", " pm", "h", "-", "~", "–"].iter().any(|w| after.starts_with(w))
        };
        words!("mail/dates.before one of many").end(self.before().trim_end())
            || words!("mail/dates.before some weekday").contains(&self.last_word()) && !is_dated
            || words!("mail/dates.after one of many").begin(after)
            || after.starts_with("'s ") && ["from", "since", "of", "in", "after"].contains(&self.last_word())
            || number.is_some_and(|rest| !is_clock(rest))
    }

    /// Whether a Korean weekday means a single day: 오는 화요일, 금요일까지, "토요일에 찾으러 갈게요".
    fn is_specific_weekday(self) -> bool {
        let (after, rest) = (self.after(), self.until(&SENTENCE));
        let every = words!("mail/dates.of every week");
        words!("mail/dates.before one weekday").end(self.before().trim_end())
            || after.starts_with("까지")
            || after.starts_with([' ', '에', '로'])
                && !after.starts_with("에는")
                && words!("mail/dates.promises").stand_in(rest)
                && ![self.since(&SENTENCE), rest].iter().any(|part| every.stand_in(part))
    }

    /// Whether a weekday is relative to another day than that of the mail.
    fn is_relative_to_other_day(self) -> bool {
        let Self { text, values, n, .. } = self;
        let names = |v: &Value| v.bare_weekday().is_some() || matches!(v, Value::Weekdays(_) | Value::Recurrence(_));
        let is_row = |pair: &[Found]| {
            let between = text.get(pair[0].span.end..pair[1].span.start).unwrap_or("-");
            let links = words!("mail/dates.between days in a row").contains(&between);
            links && pair.iter().all(|f| names(&f.value))
        };
        let sentence = self.since(&['!', '?', '\n']).rsplit(". ").next().unwrap_or_default();
        if values[n.saturating_sub(1)..values.len().min(n + 2)].windows(2).any(is_row)
            || words!("mail/dates.the day before").stand_in(sentence)
        {
            return true;
        }
        let Value::Date(Date { on: Some(own), .. }) = *self.value() else { return false };
        values[..n].iter().any(|f| {
            let on = match &f.value {
                Value::Range(ends) => &ends.1,
                value => value,
            };
            let Value::Date(Date { on: Some(on), day: Some(_), .. }) = on else { return false };
            let days = (*on - own).num_days();
            let is_begin = || text[f.span.end..].trim_start_matches(')').starts_with("부터");
            days > MAX_DAYS_BACK || days > 0 && f.span.start >= self.span.start - sentence.len() && is_begin()
        })
    }

    /// Returns the bare weekday next to a day of the month; it decides the month.
    fn adjacent_weekday(self) -> Option<u8> {
        self.adjacent().find_map(|f| f.value.bare_weekday())
    }

    /// Whether the clause puts the day in the past: "finished on Monday", "월요일에 만났습니다", "our letter of the 14th".
    fn is_past(self) -> bool {
        let clause = self.until(&CLAUSE);
        if let Some(rest) = clause.strip_prefix('에').filter(|rest| !rest.starts_with('서')) {
            let happened =
                |c: char| c != '있' && c != '겠' && jamo(c).is_some_and(|(.., last)| last == FINAL_SSANG_SIOT);
            // "화요일에 온 손님": a guest who came.
            let next = rest.strip_prefix(' ').and_then(|rest| rest.split_whitespace().next());
            return next.is_some_and(|word| words!("mail/dates.done before").contains(&word))
                || !words!("mail/dates.arranged").stand_in(rest) && rest.chars().any(happened);
        }
        if clause.contains("에서 ") {
            return false;
        }
        let mut back: Vec<&str> =
            self.since(&CLAUSE).split_whitespace().filter(|w| *w != "the").rev().take(9).collect();
        match back.first() {
            Some(&"since") => return true,
            Some(&"of") => return back.get(1).is_some_and(|w| words!("mail/dates.letters").contains(w)),
            Some(&"on") => drop(back.remove(0)),
            Some(word) if words!("mail/dates.towards").contains(word) => return false,
            _ => {}
        }
        let is_ahead = |w: &&str| {
            words!("mail/dates.ahead").contains(w) || ["'ll", "’ll", "'d", "’d"].iter().any(|end| w.ends_with(end))
        };
        let is_past = |w: &&str| words!("mail/dates.past").contains(w) || w.len() > 4 && w.ends_with("ed");
        let verb = back.iter().position(|w| is_ahead(w) || is_past(w));
        // "I'll put it": an auxiliary before the verb makes it future.
        verb.is_some_and(|at| !back[at..].iter().take(3).any(is_ahead))
    }

    /// Whether the day belongs to a recurring event without a named occurrence: "the weekly meeting is on Tuesday", 월례 회의는
    /// 20일.
    fn is_in_recurring_event(self) -> bool {
        let values = self.values_since(&CLAUSE);
        let recurs = |f: &Found| match &f.value {
            Value::Recurrence(r) => r.on == On::Any && matches!(r.unit, Cycle::Week | Cycle::Month | Cycle::Quarter),
            _ => false,
        };
        let is_one = |f: &Found| matches!(&f.value, Value::Period(period) if period.shift.is_some());
        (words!("mail/dates.series").stand_in(self.since(&CLAUSE)) || values.iter().any(recurs))
            && !values.iter().any(is_one)
    }

    /// Whether a bare weekday recurs: it applies from a start on, or for several weeks.
    pub fn is_recurring_weekday(self) -> bool {
        // "5월 첫 주부터 목요일에 모입니다", "4주 동안 목요일", "from next week it is Wednesdays".
        let begins = ["까지", "에 시작", "부터"].iter().any(|w| self.after().starts_with(w));
        let holds = |f: &Found| {
            let after = self.text[f.span.end..].trim_start_matches(')').trim_start();
            let before = self.text[..f.span.start].trim_end();
            match &f.value {
                Value::Period(_) => after.starts_with("부터") || words!("mail/dates.from then on").end(before),
                Value::Duration(length) => length.days() >= 14.0 && after.starts_with("동안"),
                _ => false,
            }
        };
        self.value().bare_weekday().is_some()
            && (!begins && self.values_since(&SENTENCE).iter().any(holds) || self.is_in_recurring_event())
    }

    /// Whether a day is an offset from another day: "the Saturday after, …", 넷째 목요일, 예식 닷새 전, "나흘 뒤로 미룹니다".
    fn is_offset_from_other_day(self) -> bool {
        let (before, after) = (self.before(), self.after());
        // A bare noun before the offset is its base: "대회 3주 전".
        let word = before.strip_suffix(' ').map(|_| self.last_word()).filter(|word| before.trim_end().ends_with(word));
        let of_an_event = || {
            word.is_some_and(|word| {
                let is_noun = word.chars().count() >= 2 && word.chars().all(is_hangul);
                is_noun && !words!("mail/dates.after a noun").end(word)
            })
        };
        let before_a_day = || {
            self.phrase().ends_with('전') && after.starts_with("까지")
                || after.trim_start().starts_with(|c: char| c.is_ascii_digit())
        };
        let is_distance = self.phrase().ends_with(['전', '뒤', '후']);
        words!("mail/dates.before a day of another").end(before)
            || words!("mail/dates.after a day of another").begin(after)
            || is_distance
                && (of_an_event()
                    || before_a_day()
                    || words!("mail/dates.moved by").stand_in(self.until(&SENTENCE))
                    || is_moved(self.text))
    }
}
