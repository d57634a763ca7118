//! Calendar arithmetic: resolves partial dates and periods relative to a reference day.

use super::value::{Clock, ClockZone, Date, Period, PeriodKind, Shift, Summer, Value};
use crate::model::{Time, Zone};
use chrono::{Datelike, Months, NaiveDate, TimeDelta, Weekday};

/// Start day, inclusive, and end day, exclusive.
pub type DayRange = (NaiveDate, NaiveDate);

pub fn plus_days(day: NaiveDate, by: i32) -> Option<NaiveDate> {
    day.checked_add_signed(TimeDelta::days(by.into()))
}

/// `day` moved by some months; capped at the last day of a shorter month.
fn plus_months(day: NaiveDate, by: i32) -> Option<NaiveDate> {
    let n = Months::new(by.unsigned_abs());
    if by < 0 { day.checked_sub_months(n) } else { day.checked_add_months(n) }
}

pub fn month_start(day: NaiveDate, by: i32) -> Option<NaiveDate> {
    plus_months(day.with_day(1)?, by)
}

pub fn monday(day: NaiveDate) -> Option<NaiveDate> {
    plus_days(day, -(day.weekday().num_days_from_monday() as i32))
}

/// The date; day 32 means the last day of the month. `None` if the month has no such day.
pub fn day_of(year: i32, month: u8, day: u8) -> Option<NaiveDate> {
    let first = NaiveDate::from_ymd_opt(year, month.into(), 1)?;
    if day >= 32 { month_start(first, 1)?.pred_opt() } else { first.with_day(day.into()) }
}

/// A month and day without a year means the first such day from this many days ago.
const BACK: i64 = 100;
/// A day of the month without a month means the first one from this many days ago.
const FEW_BACK: i64 = 7;

/// Sets the full date if the parts and the reference day determine it.
pub fn settle_date(date: &mut Date, today: Option<NaiveDate>) {
    let back = match (date.month, date.day, date.shift) {
        (.., Some(_)) => i64::MAX,
        (Some(_), ..) => BACK,
        (_, Some(_), _) => FEW_BACK,
        // A weekday is ahead.
        _ => -1,
    };
    let is_meant = |day: &NaiveDate| today.is_some_and(|t| (t - *day).num_days() <= back);
    date.on = date.on.or_else(|| match (date.year, date.month, date.day) {
        (Some(y), Some(m), Some(d)) => day_of(i32::from(y), m, d),
        _ => days_of_date(date, today?).into_iter().find(is_meant),
    });
}

/// The days that a date without a year may mean, in their order; a single one if it says how far away it is.
pub fn days_of_date(date: &Date, today: NaiveDate) -> Vec<NaiveDate> {
    let of_year = |n: i32| day_of(today.year().checked_add(n)?, date.month?, date.day?);
    let of_month = |n: i32| {
        let first = month_start(today, n)?;
        day_of(first.year(), first.month() as u8, date.day?)
    };
    let of_week = |n: i32| plus_days(monday(today)?, n.checked_mul(7)?.checked_add(date.weekday?.into())?);
    let near = -1..=2;
    match (date.month, date.day, date.weekday, date.shift) {
        (Some(_), Some(_), _, Some(Shift::Years(n))) => of_year(n).into_iter().collect(),
        (Some(_), Some(_), ..) => near.filter_map(of_year).collect(),
        (None, Some(_), _, Some(Shift::Months(n))) => of_month(n).into_iter().collect(),
        (None, Some(_), _, None) => near.filter_map(of_month).collect(),
        (None, None, Some(_), Some(Shift::Weeks(n))) => of_week(n).into_iter().collect(),
        (None, None, Some(_), None) => near.filter_map(of_week).collect(),
        (None, None, _, Some(Shift::Days(n))) => plus_days(today, n).into_iter().collect(),
        (None, None, None, Some(Shift::Months(n))) => plus_months(today, n).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Sets the days of a period if its parts and the reference day determine them.
pub fn settle_period(period: &mut Period, today: Option<NaiveDate>) {
    let is_open = period.year.is_none() && period.shift.is_none();
    let is_meant = |days: &DayRange| !is_open || today.is_some_and(|t| (t - days.1).num_days() < BACK);
    // A stated year needs no reference day.
    let today = today.or_else(|| NaiveDate::from_ymd_opt(period.year?.into(), 1, 1));
    period.span = period.span.or_else(|| spans_of_period(period, today?).into_iter().find(is_meant));
}

/// The days that a period may mean, in their order; a single range if it says which.
pub fn spans_of_period(period: &Period, today: NaiveDate) -> Vec<DayRange> {
    match (period.year, period.shift) {
        (Some(year), _) => period_in(period, year.into()).into_iter().collect(),
        (None, Some(n)) => shifted(period, today, n).into_iter().collect(),
        (None, None) => (-1..=1).filter_map(|n| period_in(period, today.year() + n)).collect(),
    }
}

fn months_of(year: i32, from: i8, count: u32) -> Option<DayRange> {
    let start = NaiveDate::from_ymd_opt(year, u32::try_from(from).ok()?, 1)?;
    Some((start, start.checked_add_months(Months::new(count))?))
}

fn shifted(period: &Period, today: NaiveDate, n: i32) -> Option<DayRange> {
    let months = |count: i32| {
        let this = month_start(today, -(today.month0() as i32 % count))?;
        let start = month_start(this, n.checked_mul(count)?)?;
        Some((start, month_start(start, count)?))
    };
    let days_of_week = |from: i32, count: i32| {
        let start = plus_days(monday(today)?, n.checked_mul(7)?.checked_add(from)?)?;
        Some((start, plus_days(start, count)?))
    };
    match period.kind {
        // 내년 6월, 작년 1분기: named periods shift by years.
        _ if period.month.is_some() => period_in(period, today.year().checked_add(n)?),
        PeriodKind::Week => days_of_week(0, 7),
        PeriodKind::Weekend => days_of_week(5, 2),
        PeriodKind::Month => months(1),
        PeriodKind::Quarter if period.number == 0 => months(3),
        PeriodKind::Year => months(12),
        PeriodKind::PartOfMonth => part_of_month(month_start(today, n)?, period.number),
        _ => period_in(period, today.year().checked_add(n)?),
    }
}

fn part_of_month(first: NaiveDate, part: i8) -> Option<DayRange> {
    Some(match part {
        1 => (first, plus_days(first, 10)?),
        2 => (plus_days(first, 10)?, plus_days(first, 20)?),
        _ => (plus_days(first, 20)?, month_start(first, 1)?),
    })
}

fn period_in(period: &Period, year: i32) -> Option<DayRange> {
    let month = period.month.map(|m| m as i8);
    match (period.kind, period.number) {
        (PeriodKind::Year, _) => months_of(year, 1, 12),
        (PeriodKind::Half, n @ 1..=2) => months_of(year, 6 * n - 5, 6),
        (PeriodKind::Quarter, n @ 1..=4) => months_of(year, 3 * n - 2, 3),
        (PeriodKind::Season, n @ 1..=4) => months_of(year, 3 * n, 3),
        (PeriodKind::Term, n @ 1..=2) => months_of(year, 6 * n - 3, 6),
        (PeriodKind::Month, _) => months_of(year, month?, 1),
        (PeriodKind::PartOfMonth, n) => part_of_month(months_of(year, month?, 1)?.0, n),
        (PeriodKind::Week, n) => week_of_month(year, period.month?, n),
        (PeriodKind::Weekend, n) => {
            let from = nth_weekday(year, period.month?, n, 5)?;
            Some((from, plus_days(from, 2)?))
        }
        _ => None,
    }
}

/// The n-th week of a month, Monday to Sunday; the first week has the month's first Thursday.
fn week_of_month(year: i32, month: u8, n: i8) -> Option<DayRange> {
    let thursday = nth_weekday(year, month, n, 3)?;
    let from = plus_days(thursday, -3)?;
    Some((from, plus_days(from, 7)?))
}

/// The n-th given weekday of a month (0 is Monday); n = −1 is the last.
pub(crate) fn nth_weekday(year: i32, month: u8, n: i8, weekday: u8) -> Option<NaiveDate> {
    let weekday = Weekday::try_from(weekday).ok()?;
    let nth = |n: u8| NaiveDate::from_weekday_of_month_opt(year, month.into(), weekday, n);
    if n == -1 { nth(5).or_else(|| nth(4)) } else { nth(u8::try_from(n).ok()?) }
}

/// Resolves dates, periods and ranges; leaves other values as they are.
pub fn settle(value: &mut Value, today: Option<NaiveDate>) {
    match value {
        Value::Date(d) => settle_date(d, today),
        Value::Period(p) => settle_period(p, today),
        Value::Range(ends) => {
            let (from, to) = &mut **ends;
            settle(from, today);
            settle(to, today);
            settle_range(from, to);
        }
        _ => {}
    }
}

/// Moves the end of a range after its start: to the next such weekday, day or year.
fn settle_range(from: &mut Value, to: &mut Value) {
    let (Value::Date(a), Value::Date(b)) = (from, to) else { return };
    let (Some(start), Some(end)) = (a.on, b.on) else { return };
    if end < start {
        b.on = if b.month.is_none() && b.day.is_none() {
            plus_days(end, 7)
        } else if b.month.is_none() {
            month_start(start, 1).and_then(|m| day_of(m.year(), m.month() as u8, b.day.unwrap_or(1)))
        } else {
            day_of(end.year() + 1, b.month.unwrap_or(1), b.day.unwrap_or(1))
        };
    }
}

/// Whether summer time applies on a day, by the rule of a zone.
pub fn summer(rule: Summer, day: NaiveDate) -> bool {
    let bound = |month: u8, n: i8| nth_weekday(day.year(), month, n, 6);
    let (from, to) = match rule {
        Summer::Never => return false,
        Summer::Europe => (bound(3, -1), bound(10, -1)),
        Summer::America => (bound(3, 2), bound(11, 1)),
        Summer::Australia => (bound(10, 1), bound(4, 1)),
    };
    let is_since = |bound: Option<NaiveDate>| bound.is_some_and(|bound| bound <= day);
    // Southern summer time spans the turn of the year.
    if rule == Summer::Australia { is_since(from) || !is_since(to) } else { is_since(from) && !is_since(to) }
}

impl ClockZone {
    pub fn new(standard: i16, summer: Summer, today: Option<NaiveDate>) -> Self {
        let zone = Self { standard, summer, minutes: standard };
        Self { minutes: today.map_or(standard, |day| zone.minutes_on(day)), ..zone }
    }

    /// The offset on a day, in minutes east of UTC.
    pub fn minutes_on(self, day: NaiveDate) -> i16 {
        self.standard + if summer(self.summer, day) { 60 } else { 0 }
    }
}

/// The moment of a date and time of day; `None` if the date is partial. `home` is the zone if the text names none.
pub fn moment(date: &Date, clock: &Clock, home: Zone) -> Option<Time> {
    let day = date.on?;
    let zone = clock.zone.map_or(home, |zone| Zone::from_minutes(zone.minutes_on(day).into()));
    let local = day.and_hms_opt(0, 0, 0)?.checked_add_signed(TimeDelta::seconds(clock.seconds.into()))?;
    Some(Time::from_local(local, zone))
}
