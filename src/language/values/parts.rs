//! What the rules of `times.peg` collect, the readers that they call, and the values made of both.

use super::{
    ValueHit, ValueReader,
    calendar::{month_start, nth_weekday, plus_days, settle_period},
    lexicon::{DayHalf, Lex, Suffix},
    number::{Amount, Number},
    spelled::{is_sino, sino_number},
    tables::{english, korean},
    value::{
        Clock, ClockZone, Cycle, Date, Duration, On, Per, Period, PeriodKind, Recurrence, Shift, Span, State, Summer,
        Unit, Value, Weekdays,
    },
};
use crate::language::text::{hangul::is_hangul, scan::is_latin, stem::singular, table::phrase};
use crate::language::words;
use chrono::{Datelike, NaiveDate};

/// The numbers that rules collect, by their names in `times.peg`.
macro_rules! slots {
    ($($number:literal $constant:ident $name:literal)*) => {
        pub(super) const SLOTS: [&str; 19] = [$($name),*];
        pub(super) mod slot { $(pub const $constant: usize = $number;)* }
    };
}
// `by` is how many days, weeks, months or years from today; `sort` of a weekday: 0 in full, 1 short, 2 plural.
slots! {
    0 YEAR "year" 1 MONTH "month" 2 DAY "day" 3 WEEKDAY "weekday" 4 SORT "sort" 5 BY "by" 6 N "n" 7 KIND "kind"
    8 HOUR "hour" 9 MINUTE "minute" 10 SURE "sure" 11 TO "to" 12 EVERY "every" 13 CYCLE "cycle" 14 DAYS "days"
    15 TIMES "times" 16 X "x" 17 Y "y" 18 POWER "power"
}
use slot::*;

/// Day number that means the last day of the month.
pub const LAST_DAY: u8 = 32;
const MIDDLE: u8 = 15;

/// The number that a rule writes as a word: a kind, a cycle, `-` for none.
pub(super) fn named_value(slot: &str, text: &str) -> Option<i32> {
    match (slot, text) {
        (_, "-") => Some(i32::MIN),
        ("kind", _) => text.parse::<PeriodKind>().ok().map(|kind| kind as i32),
        ("cycle", _) => text.parse::<Cycle>().ok().map(|cycle| cycle as i32),
        _ => text.parse().ok(),
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Parts {
    pub start: usize,
    pub slots: [Option<i32>; SLOTS.len()],
    pub half: Option<DayHalf>,
    pub length: Duration,
    /// The minutes of a zone east of UTC, and its summer time.
    pub zone: Option<(i16, Summer)>,
    pub amount: Option<Amount>,
    /// The part of a number before the words that are being read.
    pub total: Number,
    pub suffix: Option<Suffix>,
    pub per: Option<Per>,
    /// The bytes of a name or of counted things.
    pub name: Span,
    pub series: &'static str,
    pub head: Option<&'static str>,
    /// The bytes of a code or version.
    pub key: Span,
    pub state: Option<State>,
    pub negated: bool,
    pub read: Option<Date>,
    /// The kind of value.
    pub make: &'static str,
}

impl Parts {
    #[must_use]
    pub fn with(mut self, slot: usize, value: impl Into<i32>) -> Self {
        self.slots[slot] = Some(value.into());
        self
    }

    #[must_use]
    pub fn of_kind(self, kind: PeriodKind) -> Self {
        self.with(KIND, kind as i32)
    }

    /// Adds what a word says.
    pub fn take(&mut self, lex: Lex) {
        *self = match lex {
            Lex::Month(month) => self.with(MONTH, month),
            Lex::Weekday(day, sort) => self.with(WEEKDAY, day).with(SORT, sort as i32),
            Lex::Ordinal(n) => self.with(N, n),
            Lex::Part(n) | Lex::PartOfMonth(n) => self.with(N, n),
            Lex::Shift(n) | Lex::Days(n) => self.with(BY, n),
            Lex::Relative(kind, n) => self.of_kind(kind).with(BY, n),
            Lex::Period(kind, n) => self.of_kind(kind).with(N, n),
            Lex::Every(n, cycle) => self.with(EVERY, n).with(CYCLE, cycle as i32),
            Lex::Alternate => self.with(EVERY, 2),
            Lex::Often(n) => self.with(TIMES, n),
            Lex::Length(seconds) => Self { length: Duration { months: 0, seconds: seconds.into() }, ..*self },
            Lex::Half12(half) => Self { half: Some(half), ..*self },
            Lex::Series(series) => Self { series, ..*self },
            Lex::Head(head) => Self { head: Some(head), ..*self },
            Lex::Cardinal(n) => self.with(N, n),
            Lex::Scale(n) => self.with(POWER, n),
            Lex::Money(currency) => Self { suffix: Some(Suffix::Money(currency, 0)), ..*self },
            Lex::Zone(minutes, summer) => Self { zone: Some((minutes, summer)), ..*self },
            Lex::Weekdays(days) => self.with(DAYS, days),
            Lex::Clock(seconds) => self.with(HOUR, seconds as i32 / 3600).with(SURE, 1),
            Lex::State(state, flag) => Self { state: Some(state), ..self.with(SURE, flag) },
            _ => *self,
        }
    }

    pub fn make(&mut self, name: &'static str) {
        let kind = named_value("kind", name);
        self.make = if kind.is_some() { "period" } else { name };
        self.slots[KIND] = kind.or(self.slots[KIND]);
    }

    /// Computes the number from what it is so far.
    pub fn count(&mut self, of: impl Fn(Number) -> Number, end: usize) -> Option<usize> {
        let amount = self.amount.get_or_insert(Amount::new(Number::ZERO, end));
        (amount.number, amount.end) = (of(amount.number), end);
        Some(end)
    }

    pub fn scaled(&mut self, end: usize) -> Option<usize> {
        self.amount.as_mut()?.scaled = true;
        Some(end)
    }

    fn read_key(&mut self, start: usize, end: usize) -> Option<usize> {
        self.key = Span { start, end };
        Some(end)
    }

    fn small<T: TryFrom<i32>>(&self, slot: usize) -> Option<T> {
        self.slots[slot].and_then(|n| T::try_from(n).ok())
    }

    fn kind(&self) -> Option<PeriodKind> {
        PeriodKind::from_repr(self.small(KIND)?)
    }

    fn date(&self) -> Date {
        let (month, day, weekday): (Option<u8>, Option<u8>, _) =
            (self.small(MONTH), self.small(DAY), self.small(WEEKDAY));
        let unit = match (month, day, weekday) {
            (Some(_), Some(_), _) => Shift::Years,
            (_, Some(_), _) => Shift::Months,
            (_, None, Some(_)) => Shift::Weeks,
            _ => Shift::Days,
        };
        Date { year: self.small(YEAR), month, day, weekday, shift: self.slots[BY].map(unit), on: None }
    }

    fn clock(&self, today: Option<NaiveDate>) -> Option<Clock> {
        let hour: u32 = self.small(HOUR)?;
        let minutes = self.small::<u32>(MINUTE).unwrap_or(0) * 60;
        let is_to = self.slots[TO].is_some();
        let seconds = if is_to { (hour * 3600).saturating_sub(minutes) } else { hour * 3600 + minutes };
        let seconds = self.half.map_or(seconds, |half| half.hour(seconds / 3600) * 3600 + seconds % 3600);
        let sure = self.half.is_some() || self.slots[SURE].is_some() || hour > 12 || hour == 0;
        let zone = self.zone.map(|(minutes, summer)| ClockZone::new(minutes, summer, today));
        Some(Clock { seconds, sure, zone })
    }

    fn recurrence(&self) -> Option<Recurrence> {
        let days = || Weekdays(self.small(DAYS).unwrap_or(0));
        let (usual, on) = match self.make {
            "weekly" => (Cycle::Week, On::Weekdays(days())),
            "monthly" => (Cycle::Month, On::Day(self.small(DAY)?)),
            "nth_monthly" => (Cycle::Month, On::Nth(self.small(N)?, Weekdays(1 << self.small::<u8>(WEEKDAY)?))),
            "yearly" => (Cycle::Year, On::Yearly(self.small(MONTH)?, self.small(DAY).unwrap_or(0))),
            _ => (Cycle::Day, On::Any),
        };
        let cycle = self.small(CYCLE).and_then(Cycle::from_repr).unwrap_or(usual);
        let times = self.small(TIMES).unwrap_or(1);
        Some(Recurrence { every: self.small(EVERY).unwrap_or(1), unit: cycle, on, times })
    }

    /// The value of the kind that the rules chose.
    pub fn value(&self, text: &str, today: Option<NaiveDate>) -> Option<Value> {
        let date = self.date();
        let days_from_today = |of: fn(i32) -> i32| {
            let apart = today?.weekday().num_days_from_monday() as i32 - self.slots[WEEKDAY]?;
            plus_days(today?, of(apart))
        };
        Some(match self.make {
            "date" => Value::Date(date),
            "last_weekday" => Value::Date(Date { on: days_from_today(|n| -((n - 1).rem_euclid(7) + 1)), ..date }),
            // On a Saturday, "this Monday" is ahead.
            "this_weekday" => Value::Date(Date { on: days_from_today(|n| (-n).rem_euclid(7)), ..date }),
            "nth_of_month" => {
                let mut month = self.period(PeriodKind::Month);
                (month.number, month.shift) = (0, None);
                settle_period(&mut month, today);
                let nth = |from: NaiveDate| nth_weekday(from.year(), date.month?, self.small(N)?, date.weekday?);
                Value::Date(Date { on: month.span.and_then(|(from, _)| nth(from)), shift: None, ..date })
            }
            "half_of_month" => {
                let (from, to) = if self.slots[N] == Some(1) { (1, MIDDLE) } else { (MIDDLE + 1, LAST_DAY) };
                let of = |day| Value::Date(Date { day: Some(day), ..date });
                Value::Range(Box::new((of(from), of(to))))
            }
            "ahead" | "ago" => {
                let sign = if self.make == "ago" { -1 } else { 1 };
                let days = i32::try_from(self.length.seconds / 86_400).unwrap_or(0);
                let months = i32::try_from(self.length.months).unwrap_or(0);
                let shift = if months > 0 { Shift::Months(sign * months) } else { Shift::Days(sign * days) };
                Value::Date(Date { shift: Some(shift), ..Date::default() })
            }
            "read" => Value::Date(self.read?),
            "period" => Value::Period(self.period(self.kind()?)),
            "clock" => Value::Clock(self.clock(today)?),
            "recurring" | "weekly" | "monthly" | "nth_monthly" | "yearly" => Value::Recurrence(self.recurrence()?),
            "duration" => Value::Duration(self.length),
            "ordinal" => match self.head {
                Some(head) => Value::identifier(head, &self.slots[N]?.to_string()),
                None => Value::Ordinal { number: self.slots[N]?, of: self.series },
            },
            "identifier" => Value::identifier(self.head.unwrap_or(""), self.key.of(text)),
            "weekdays" => Value::Weekdays(Weekdays(self.small(DAYS)?)),
            "status" => Value::Status { state: self.state?, negated: self.negated },
            // A word and its number: Freezer 3.
            "named" => {
                let number = self.key.of(text).parse::<u32>().ok()?;
                Value::identifier(self.name.of(text).to_owned(), &number.to_string())
            }
            "counted" => self.counted()?,
            "number" => Value::Number(self.amount?.number),
            "things" => {
                let unit = Unit(singular(self.name.of(text))?.into());
                Value::Quantity { number: self.amount?.number, unit }
            }
            "version" => Value::Version(self.key.of(text).into()),
            "ratio" => Value::Number(Number::ratio(self.slots[X]?.into(), self.slots[Y]?.into())),
            _ => return None,
        })
    }

    fn period(&self, kind: PeriodKind) -> Period {
        let number = self.small(N).unwrap_or(0);
        Period { kind, year: self.small(YEAR), month: self.small(MONTH), number, shift: self.slots[BY], span: None }
    }
}

pub(super) fn year_of(text: &str) -> Option<i32> {
    match text.len() {
        4 => text.parse().ok().filter(|y| (1800..=2200).contains(y)),
        2 => text.parse::<i32>().ok().map(|y| if y < 70 { 2000 + y } else { 1900 + y }),
        _ => None,
    }
}

pub(super) fn cycle_of(length: Duration) -> Option<(u16, Cycle)> {
    if length.months > 0 {
        let n = u16::try_from(length.months).ok()?;
        return Some(match n {
            _ if n % 12 == 0 => (n / 12, Cycle::Year),
            3 => (1, Cycle::Quarter),
            _ => (n, Cycle::Month),
        });
    }
    for (size, unit) in [(7 * 86_400, Cycle::Week), (86_400, Cycle::Day), (3600, Cycle::Hour), (60, Cycle::Minute)] {
        if length.seconds > 0 && length.seconds.is_multiple_of(size) {
            return Some((u16::try_from(length.seconds / size).ok()?, unit));
        }
    }
    None
}

impl ValueReader<'_> {
    /// The meaning of the English word at a position, and its end.
    fn word_meaning(&self, at: usize) -> Option<(Lex, usize)> {
        let (word, end) = self.s.latin(at);
        english::WORDS.meaning(word).map(|lex| (*lex, end))
    }

    /// Reads a word whose meaning has a name: the end. A Korean one may go on as another word.
    pub fn lexeme(&self, name: &str, at: usize, parts: &mut Parts) -> Option<usize> {
        let rest = self.s.rest(at);
        let (len, lex) = if rest.starts_with(is_hangul) {
            let table = match name {
                "ordinal" => &korean::ORDINALS,
                "month_part" => &korean::MONTH_PARTS,
                "stretch" => &korean::STRETCHES,
                "cycle" => &korean::CYCLES,
                "nth" => &korean::NTH,
                "of_ordinal" => &korean::OF_ORDINALS,
                _ => &korean::WORDS,
            };
            let is_end = |len| !matches!(name, "month_part" | "nth" | "of_ordinal") || self.is_tail(at + len);
            let is_named = |lex: &Lex| !std::ptr::eq(table, &korean::WORDS) || name == <&str>::from(lex);
            table.longest(rest, |len, lex| is_named(lex) && is_end(len))?
        } else {
            let word = self.s.latin(at).0;
            let table = match name {
                "stretch" => &english::STRETCHES,
                "cycle" => &english::CYCLES,
                "power" => &english::POWERS,
                "fraction" => &english::PARTS,
                "place" => &english::PLACES,
                _ => &english::WORDS,
            };
            let is_named = |lex: &Lex| !std::ptr::eq(table, &english::WORDS) || name == <&str>::from(lex);
            let alone = || table.meaning(word).map(|lex| (word.len(), lex));
            phrase(table, word, rest).or_else(alone).filter(|(_, lex)| is_named(lex))?
        };
        let every = parts.slots[EVERY];
        parts.take(*lex);
        // "every other week" has said how many.
        parts.slots[EVERY] = if name == "cycle" { every } else { parts.slots[EVERY] };
        Some(at + len)
    }

    /// A month name. `may` and `mar` need a capital, `march` too unless a number is beside it.
    fn month_name(&self, at: usize, beside: bool) -> Option<(u8, usize)> {
        let (Lex::Month(month), end) = self.word_meaning(at)? else { return None };
        let word = self.s.slice(at, end);
        let is_shy = matches!(word, "may" | "march" | "mar" | "sun" | "dec" | "jan");
        if is_shy && !self.folded.is_capital(at) && !(beside && word != "may" && word != "mar") {
            return None;
        }
        let has_dot = self.s.byte(end) == b'.' && word.len() <= 4 && word != "may";
        Some((month, end + usize::from(has_dot)))
    }

    /// A Korean weekday of one syllable.
    fn syllable_day(&self, at: usize) -> Option<(u8, usize)> {
        korean::DAYS.iter().zip(0..).find_map(|(name, day)| self.s.eat(at, name).map(|end| (day, end)))
    }

    fn is_weekday(&self, word: &str) -> bool {
        matches!(english::WORDS.meaning(word), Some(Lex::Weekday(..)))
    }

    /// Where the digits and slashes that end at a position start.
    fn digits_start(&self, at: usize) -> usize {
        self.s.head(at).trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '/' | '.')).len()
    }

    /// Whether 3/4 is a fraction rather than a date: "3/4 of it", "3/4-inch", but not "Friday 3/4".
    fn is_fraction(&self, end: usize, parts: &Parts) -> bool {
        let s = self.s;
        let before = s.word_before(self.digits_start(end));
        let is_dated = matches!(before, "on" | "by" | "until" | "from" | "due" | "till" | "before")
            || self.is_weekday(before)
            || s.byte(self.digits_start(end)) == b'0';
        let is_small = parts.slots[X] < parts.slots[Y] && matches!(parts.slots[Y], Some(2 | 3 | 4 | 5 | 8));
        is_small && !self.korean && !is_dated || s.byte(end) == b'-' && s.char(end + 1).is_some_and(is_latin)
    }

    /// A Sino-Korean day in words: 십사일.
    fn sino_day(&self, at: usize) -> Option<(u8, usize)> {
        let spelled = |n: &u8| {
            let end = self.s.eat_any(at, &[sino_number((*n).into()).as_str()])?;
            self.s.eat_any(end, &["일"]).filter(|end| self.is_tail(*end))
        };
        let first = self.s.char(at).filter(|c| is_sino(*c));
        (1..=31).rev().filter(|_| first.is_some()).find_map(|n| Some((n, spelled(&n)?)))
    }
}

fn set(parts: &mut Parts, slot: usize, value: impl Into<i32>) {
    parts.slots[slot] = Some(value.into());
}

/// Sets a slot to a number and returns the end of its text.
fn put<T: Into<i32>>(parts: &mut Parts, slot: usize, (value, end): (T, usize)) -> Option<usize> {
    set(parts, slot, value);
    Some(end)
}

pub(super) fn store<T>(into: &mut Option<T>, (value, end): (T, usize)) -> Option<usize> {
    *into = Some(value);
    Some(end)
}

fn year(r: &ValueReader<'_>, at: usize, p: &mut Parts, digits: usize) -> Option<usize> {
    let (text, end) = r.s.digits(at);
    put(p, YEAR, (year_of(text).filter(|_| text.len() == digits)?, end))
}

fn full_year(r: &ValueReader<'_>, at: usize) -> Option<(i16, usize)> {
    let (text, end) = r.s.digits(at);
    let year = text.parse().ok().filter(|y| text.len() == 4 && (1900..2100).contains(y) && r.s.ends_word(end));
    year.map(|year| (year, end))
}

fn whole(r: &ValueReader<'_>, at: usize) -> Option<(i32, Amount)> {
    let amount = r.amount(at)?;
    Some((i32::try_from(amount.number.as_whole()?).ok()?, amount))
}

/// A reader of a rule: the end of what it has read. Parts are unchanged if it fails.
pub(super) type Native = fn(&ValueReader<'_>, usize, &mut Parts) -> Option<usize>;

/// Whether a season word is a given name: 가을, 여름 and 봄 are both.
fn is_name(before: &str, after: &str) -> bool {
    before.chars().count() == 1 || words!("korean/grammar.behind a name").begin(after.trim_start())
}

/// The readers that rules call by name.
pub(super) const NATIVES: &[(&str, Native)] = &[
    // Characters and words at a position.
    ("tail", |r, at, _| r.is_tail(at).then_some(at)),
    ("word_end", |r, at, _| r.s.ends_word(at).then_some(at)),
    ("gap", |r, at, _| Some(r.s.blank(at)).filter(|end| *end > at)),
    ("digit", |r, at, _| r.s.byte(at).is_ascii_digit().then_some(at + 1)),
    ("latin", |r, at, _| r.s.char(at).filter(|c| is_latin(*c)).map(|c| at + c.len_utf8())),
    ("hangul", |r, at, _| r.s.char(at).filter(|c| is_hangul(*c)).map(|c| at + c.len_utf8())),
    ("capital", |r, at, _| r.folded.is_capital(at).then_some(at)),
    ("noun", |r, at, _| {
        let next = r.s.blank(at);
        (r.s.char(next).is_some_and(is_latin) && !r.is_stop(next)).then_some(at)
    }),
    ("telling", |r, at, _| (r.s.char(at)?.is_alphanumeric() && !r.is_stop(at)).then_some(at)),
    // Checks of the text and of the value so far; they read nothing.
    ("korean", |r, at, _| r.korean.then_some(at)),
    ("named", |r, at, p| r.folded.is_capital(p.start).then_some(at)),
    ("digits_first", |r, at, p| r.s.byte(p.start).is_ascii_digit().then_some(at)),
    ("hangul_first", |r, at, p| r.s.char(p.start).is_some_and(is_hangul).then_some(at)),
    ("has_space", |r, at, p| r.s.slice(p.start, at).contains(' ').then_some(at)),
    ("no_word_before", |r, at, p| r.s.word_before(p.start).is_empty().then_some(at)),
    ("weekday_before", |r, at, p| r.is_weekday(r.s.word_before(p.start)).then_some(at)),
    ("not_name", |r, at, p| (!is_name(r.s.word_before(p.start), r.s.rest(at))).then_some(at)),
    ("behind_day", |r, at, p| {
        let head = r.s.head(p.start).trim_end().strip_suffix(['&', '+', '·', ','])?;
        r.is_weekday(r.s.word_before(head.len())).then_some(at)
    }),
    ("fraction", |r, at, p| r.is_fraction(at, p).then_some(at)),
    ("two_digits", |r, at, _| {
        let written = r.s.slice(r.digits_start(at), at);
        (written.len() == 5 && written.starts_with('0')).then_some(at)
    }),
    ("short_digits", |_, at, p| (at < p.start + 3).then_some(at)),
    ("lone_may", |r, at, _| {
        let is_told = words!("english/grammar.before a month").contains(&r.s.word_before(at));
        (r.s.latin(at).0 == "may" && !is_told && r.begins_sentence(at)).then_some(at)
    }),
    ("from_here", |_, at, p| {
        p.start = at;
        Some(at)
    }),
    ("is_date", |_, at, p| (p.make == "date").then_some(at)),
    ("is_month", |_, at, p| (p.make == "period" && p.kind() == Some(PeriodKind::Month)).then_some(at)),
    ("one_day", |_, at, p| (p.length.months == 0 && p.length.seconds == 86_400).then_some(at)),
    ("whole_days", |_, at, p| {
        (p.length.seconds.is_multiple_of(86_400) && (p.length.months == 0 || p.length.seconds == 0)).then_some(at)
    }),
    // Dates.
    ("year4", |r, at, p| year(r, at, p, 4)),
    ("year2", |r, at, p| year(r, at, p, 2)),
    ("full_year", |r, at, p| put(p, YEAR, full_year(r, at)?)),
    ("year_before", |r, at, p| put(p, YEAR, full_year(r, p.start).filter(|(_, end)| *end == at)?)),
    ("month_name", |r, at, p| put(p, MONTH, r.month_name(at, false)?)),
    ("month_beside", |r, at, p| put(p, MONTH, r.month_name(at, true)?)),
    ("syllable", |r, at, p| put(p, WEEKDAY, r.syllable_day(at)?)),
    ("add_weekday", |_, at, p| {
        let days = p.slots[DAYS].unwrap_or(0) | 1 << p.slots[WEEKDAY]?;
        put(p, DAYS, (days, at))
    }),
    ("later_syllable", |r, at, p| {
        let day = r.syllable_day(at).filter(|(day, _)| i32::from(*day) > p.slots[WEEKDAY].unwrap_or(0))?;
        put(p, WEEKDAY, day)
    }),
    // The days up to this one.
    ("add_range", |r, at, p| {
        let ((to, end), from) = (r.syllable_day(at)?, p.small(WEEKDAY)?);
        let days = p.small::<u8>(DAYS).unwrap_or(0) | Weekdays::range(from, to).0;
        set(p, DAYS, days);
        put(p, WEEKDAY, (to, end))
    }),
    ("n_to_day", |_, at, p| put(p, DAY, (p.slots[N]?, at))),
    // 3/4 is 3 April or 4 March.
    ("day_and_month", |r, at, p| {
        let (x, y) = (p.slots[X]?, p.slots[Y]?);
        let is_day_first = x > 12 || y <= 12 && r.day_first;
        let (day, month) = if is_day_first { (x, y) } else { (y, x) };
        set(p, DAY, day);
        put(p, MONTH, (Some(month).filter(|m| *m <= 12)?, at))
    }),
    ("sino_day", |r, at, p| put(p, DAY, r.sino_day(at)?)),
    ("days_more", |r, at, p| {
        let (len, lex) = korean::WORDS.longest(r.s.rest(at), |_, lex| matches!(lex, Lex::Length(_)))?;
        let Lex::Length(seconds) = lex else { return None };
        let (days, tens) = (i32::try_from(seconds / 86_400).ok()?, p.slots[DAY]?);
        put(p, DAY, (Some(tens + days).filter(|_| days < 10 || tens == 0)?, at + len))
    }),
    // The year of a month after next, this or last.
    ("year_of_month", |r, at, p| {
        let by = p.slots[BY].take()?;
        if let Some(today) = r.today.filter(|_| p.slots[YEAR].is_none()) {
            let (now, month) = (today.month() as i32, p.slots[MONTH]?);
            let apart = i32::from(by > 0 && month <= now) - i32::from(by < 0 && month >= now);
            set(p, YEAR, today.year() + apart);
        }
        Some(at)
    }),
    ("that_month", |r, at, p| {
        let month = month_start(r.today?, p.slots[BY].take()?)?;
        set(p, YEAR, month.year());
        put(p, MONTH, (month.month() as u8, at))
    }),
    ("read_date", |r, at, p| {
        let c = r.s.char(at).filter(|c| is_latin(*c))?;
        let ValueHit { value: Value::Date(date), end, .. } = r.read(at, c)? else { return None };
        (p.read, p.make) = (Some(date), "read");
        Some(end)
    }),
    // Codes and numbers of things.
    ("number", |r, at, p| {
        let (text, end) = r.s.digits(at);
        put(p, N, (text.parse::<i32>().ok()?, end))
    }),
    ("amount_to_n", |_, at, p| put(p, N, (i32::try_from(p.amount?.number.as_whole()?).ok()?, at))),
    ("two_syllables", |_, at, p| (at >= p.start + 2 * '첫'.len_utf8()).then_some(at)),
    ("word_start", |r, at, p| (!r.s.before(p.start).is_some_and(char::is_alphanumeric)).then_some(at)),
    ("no_head", |_, at, p| (p.head == Some("")).then_some(at)),
    ("code_ends", |r, at, p| (r.code_end(p.start) == at).then_some(at)),
    ("code", |r, at, p| p.read_key(at, r.letter_code(at)?)),
    ("reference", |r, at, p| {
        let end = r.code_end(at);
        r.s.slice(at, end).contains(|c: char| c.is_ascii_digit()).then(|| p.read_key(at, end))?
    }),
    ("letter", |r, at, p| {
        let end = r.code_end(at);
        let is_letter = end == at + 1 && r.folded.is_capital(at) && r.s.byte(at) != b'i' && r.s.ends_word(end);
        is_letter.then(|| p.read_key(at, end))?
    }),
    ("version", |r, at, p| {
        let (end, dots) = r.version_end(at);
        set(p, N, dots as i32);
        p.read_key(at, Some(end).filter(|end| *end > at)?)
    }),
    ("counts_next", |r, at, p| r.counts_next(p, at).then_some(at)),
    ("key", |_, at, p| p.read_key(p.key.start.max(p.start), at)),
    ("digit_code", |r, at, p| {
        let end = r.code_end(at);
        (!r.s.slice(at, end).contains('.') && r.is_digit_code(at, end)).then(|| p.read_key(at, end))?
    }),
    ("long_number", |r, at, p| {
        let text = r.s.slice(p.start, at);
        let is_long = text.len() >= 5 || text.len() >= 3 && text.starts_with('0');
        (is_long && text.bytes().all(|b| b.is_ascii_digit())).then(|| p.read_key(p.start, at))?
    }),
    ("name", |r, at, p| {
        p.name = Span { start: at, end: r.s.latin_end(at) };
        (p.name.end >= at + 3).then_some(p.name.end)
    }),
    ("stop", |r, at, _| r.is_stop(at).then_some(at)),
    ("measure", |r, at, _| {
        let word = r.s.latin(at).0;
        let is_known = |lex: &Lex| matches!(lex, Lex::Month(_) | Lex::Scale(_));
        (english::UNITS.meaning(word).is_some() || english::WORDS.meaning(word).is_some_and(is_known)).then_some(at)
    }),
    // "Bring 3 boxes": at the start of a sentence, a verb and a count look the same.
    ("counts", |r, at, p| {
        let (next, is_plural) = (r.s.latin(r.s.spaces(at)).0, |w: &str| w.ends_with('s'));
        let is_count = next.len() > 3 && is_plural(next) || is_plural(p.name.of(r.s.0));
        (is_count && r.begins_sentence(p.start)).then_some(at)
    }),
    // States.
    ("text_start", |r, at, p| r.s.head(p.start).trim_end().is_empty().then_some(at)),
    ("after_mark", |r, at, p| {
        let head = r.s.head(p.start).trim_end();
        (head.is_empty() || head.ends_with([':', '=', '>'])).then_some(at)
    }),
    ("planned", |_, at, p| store(&mut p.state, (State::Planned, at))),
    // A process in progress is not its result: 배포 중 is not 배포됨.
    ("under_way", |_, at, p| {
        p.state = p.state.map(|state| match state {
            State::Shipped | State::Closed | State::OnHold | State::Terminated | State::Unavailable => state,
            _ => State::Underway,
        });
        Some(at)
    }),
    // Negation in Korean: 안 됐, 되지 않, 못 했, 미승인.
    ("denied", |r, at, p| {
        let ahead = r.s.rest(at).split([',', '.', '\n']).next().unwrap_or("");
        let ahead = ahead.char_indices().nth(12).map_or(ahead, |(end, _)| &ahead[..end]);
        p.negated = matches!(r.s.word_before(p.start), "안" | "못")
            || words!("korean/grammar.denial").stand_in(ahead)
            || words!("korean/grammar.denial at once").begin(ahead);
        Some(at)
    }),
    ("negated", |r, at, p| {
        let head = r.s.head(p.start).trim_end();
        let near = head.char_indices().rev().nth(23).map_or(head, |(start, _)| &head[start..]);
        let clause = near.rsplit([',', '.', ';', '!', '?', '\n']).next().unwrap_or("");
        let is_negation = |w: &str| words!("english/grammar.negations").contains(&w) || w.ends_with("n't");
        p.negated = clause.split(' ').any(is_negation);
        Some(at)
    }),
    // Times of day.
    ("hour_digits", |r, at, p| {
        let (text, end) = r.s.digits(at);
        let hour = text.parse::<i32>().ok().filter(|h| *h <= 24 && text.len() <= 2)?;
        p.slots[SURE] = (text.len() == 2).then_some(1);
        put(p, HOUR, (hour, end))
    }),
    ("minute_digits", |r, at, p| {
        let (text, end) = r.s.digits(at);
        put(p, MINUTE, (text.parse::<i32>().ok().filter(|m| *m < 60 && text.len() == 2)?, end))
    }),
    ("half", |r, at, p| store(&mut p.half, r.meridiem(at)?)),
    ("was_capital", |r, at, _| r.folded.is_capital(at.checked_sub(1)?).then_some(at)),
    ("offset", |r, at, p| {
        let (standard, summer) = p.zone?;
        let (minutes, end) = r.utc_offset(at).filter(|_| standard == 0)?;
        store(&mut p.zone, ((minutes, summer), end))
    }),
    ("hour", |r, at, p| {
        let (hour, amount) = whole(r, at).filter(|(hour, a)| *hour >= 0 && !a.scaled)?;
        p.amount = Some(amount);
        put(p, HOUR, (hour, amount.end))
    }),
    ("minute", |r, at, p| {
        let (minute, amount) = whole(r, at).filter(|(n, a)| (0..60).contains(n) && !a.native)?;
        put(p, MINUTE, (minute, amount.end))
    }),
    ("cardinal", |r, at, p| {
        let (minute, amount) = whole(r, at).filter(|(n, a)| (0..30).contains(n) && !a.scaled)?;
        put(p, MINUTE, (minute, amount.end))
    }),
    ("is_number", |_, at, p| (p.make == "number").then_some(at)),
    // Recurrences and durations.
    ("times", |_, at, p| put(p, TIMES, (u16::try_from(p.amount?.number.as_whole()?).ok()?, at))),
    ("cycle_of", |_, at, p| {
        let (every, cycle) = cycle_of(p.length)?;
        p.take(Lex::Every(every, cycle));
        Some(at)
    }),
    ("every_length", |r, _, p| {
        let (length, end) = r.time_unit(&p.amount?)?;
        let (every, cycle) = cycle_of(length)?;
        p.take(Lex::Every(every, cycle));
        Some(end)
    }),
    ("value", |r, at, _| r.read(at, r.s.char(at)?).map(|hit| hit.end)),
    ("days_long", |r, at, p| {
        let ValueHit { value: Value::Duration(length), end, .. } = r.read(at, r.s.char(at)?)? else { return None };
        p.length = length;
        Some(end).filter(|_| length.days() >= 1.0)
    }),
    // "in" before a duration becomes part of the value.
    ("after_in", |r, at, p| {
        let head = r.s.head(r.s.blank_before(p.start)).strip_suffix("in")?;
        p.start = Some(head).filter(|h| !h.ends_with(char::is_alphanumeric))?.len();
        Some(at)
    }),
];
