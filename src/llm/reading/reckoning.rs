//! Figures that follow from the sources: half of a fee, a day two weeks later, an hour in other words.

use super::check::Sources;
use super::said::figures;
use crate::language::{Date, Duration, Found, Period, Value, sino_month, sino_number, words};
use chrono::{Datelike, NaiveDate};

/// Days from the mail's day within which a day may be derived ("a week on Friday").
const SOON: i64 = 31;
/// Days from a known day within which another may be derived ("five nights").
const NEAR: i64 = 14;
/// A whole number up to this may be counted, and so may the distance to a known count.
const FEW: f64 = 12.0;
/// Counts up to this may change by a few ("two come out, one goes in").
const COUNTED: f64 = 1_000.0;
/// Units in which the smaller of two amounts may be given.
const UNITS: [f64; 4] = [1.0, 1e3, 1e4, 1e6];
/// Won amounts are often given in units of 10,000 ("430에 넘긴다").
const TENS: f64 = 1e4;
/// Most amounts tried in pairs.
const MAX_DERIVATION_TERMS: usize = 64;

impl Sources<'_> {
    /// Whether a value may be an unparsed spelling of a source: "half nine" as 9.30, 삼 년 as 3년.
    pub(super) fn is_unparsed_spelling(&self, written: &str, value: &Value) -> bool {
        match value {
            Value::Number(_) => {
                let hour = written.split_once('.').filter(|(hour, minutes)| hour.len() <= 2 && minutes.len() == 2);
                let hour =
                    hour.and_then(|(hour, minutes)| Some((hour.parse::<u8>().ok()?, minutes.parse::<u8>().ok()?)));
                hour.is_some_and(|(hour, minutes)| hour < 24 && minutes < 60) && self.names_an_hour()
            }
            Value::Duration(_) => figures(written).all(|f| f.parse::<f64>().is_ok_and(|n| n <= FEW)),
            _ => false,
        }
    }

    fn names_an_hour(&self) -> bool {
        let is_clock = |v: &Found| matches!(v.value, Value::Clock(_));
        words!("answers.of a clock").stand_in(&self.said.letters) || self.said.values.iter().any(is_clock)
    }

    /// Whether a value follows from the sources and `more` numbers: a sum, a day near a known one.
    pub(super) fn is_derivable(&self, value: &Value, more: &[f64]) -> bool {
        match value {
            Value::Date(Date { on: Some(day), .. }) => {
                let apart = |d: &NaiveDate| (*day - *d).num_days();
                let is_soon = self.question.at.is_some_and(|at| (-SOON..=SOON).contains(&apart(&at.day())));
                let month_is_spelled = || self.said.letters.contains(&sino_month(day.month()));
                let is_near_known = |d: &NaiveDate| {
                    apart(d).abs() <= NEAR
                        || apart(d) % 7 == 0 && apart(d).abs() <= 5 * 7
                        || self.is_months_from(*d, *day)
                };
                let ends = |f: &Found| match &f.value {
                    Value::Period(period) => {
                        period.span.is_some_and(|(from, to)| *day == from || day.succ_opt() == Some(to))
                    }
                    _ => false,
                };
                is_soon
                    || month_is_spelled()
                    || self.said.days.iter().any(is_near_known)
                    || self.said.values.iter().any(ends)
            }
            Value::Range(ends) => {
                let is_backed = |v: &Value| self.said.has(v) || self.is_derivable(v, more);
                is_backed(&ends.0) && is_backed(&ends.1)
            }
            Value::Period(period) => self.is_period_months_apart(period),
            Value::Duration(total) => {
                let spans = || {
                    self.said.values.iter().filter_map(|f| match &f.value {
                        Value::Duration(span) => Some(span),
                        _ => None,
                    })
                };
                let adds = |sum: &Duration, a: &Duration, b: &Duration| {
                    a.months + b.months == sum.months && a.seconds + b.seconds == sum.seconds
                };
                spans().any(|a| spans().any(|b| adds(total, a, b) || adds(a, total, b)))
            }
            Value::Clock(_) => self.names_an_hour(),
            Value::Money { number, .. } | Value::Percent(number) => {
                self.is_derivable_amount(number.as_f64(), false, more)
            }
            Value::Quantity { number, .. } | Value::Number(number) => {
                self.is_derivable_amount(number.as_f64(), true, more)
            }
            Value::Ordinal { number, .. } => f64::from(*number) <= FEW,
            _ => false,
        }
    }

    /// Whether an amount or a count follows from one or two known numbers.
    fn is_derivable_amount(&self, x: f64, is_count: bool, more: &[f64]) -> bool {
        let said = self.said.numbers.iter().map(|n| n.as_f64());
        let known = &more.iter().copied().chain(said).take(MAX_DERIVATION_TERMS).collect::<Vec<f64>>()[..];
        let shares = self.said.values.iter().filter_map(|f| match f.value {
            Value::Percent(share) => Some(share.as_f64() / 100.0),
            _ => None,
        });
        let shares: Vec<f64> = shares.collect();
        let near = |y: f64| (x - y).abs() < 1e-6 * x.abs().max(1.0);
        let follows = |a: &f64| {
            // A part of the whole, the whole of a part, or one part of the other.
            let of = |share: &f64| near(a * share) || near(a * (1.0 - share)) || near(a * (1.0 + share));
            let whole = |share: &f64| near(a / share) || shares.iter().any(|other| near(a / share * other));
            is_count && x.fract() == 0.0 && a.fract() == 0.0 && *a <= COUNTED && (x - a).abs() <= FEW
                // 7,600 is "76 million" in units of 10,000; "340" is of a house; half of a fee.
                || *a >= 10.0 && UNITS.iter().any(|unit| near(a * unit))
                || [TENS, 0.5, 2.0].iter().any(|by| near(a / by))
                || shares.iter().any(|share| of(share) || *share > 0.0 && whole(share))
                || self.differs_by_spelled_number(x, *a)
        };
        let follow = |(small, large): (f64, f64)| {
            // "780만 원" less "30": the smaller may be in the unit of the larger.
            let by =
                |unit: f64| (unit == 1.0 || large > unit) && (near(large - small * unit) || near(large + small * unit));
            // "430에서 15만 빼서 415".
            let tens = |a: f64, b: f64| [a * TENS - b, a * TENS + b].iter().any(|y| near(*y) || near(y / TENS));
            UNITS.iter().any(|unit| by(*unit))
                || tens(small, large)
                || tens(large, small)
                || shares.iter().any(|share| near(large - share * small) || near(large + share * small))
                || near(small * large)
                || near(f64::midpoint(small, large))
        };
        let pairs = || {
            let sorted = |a: f64, b: f64| if a.abs() < b.abs() { (a, b) } else { (b, a) };
            known.iter().enumerate().flat_map(move |(n, a)| known[n + 1..].iter().map(move |b| sorted(*a, *b)))
        };
        let products = || pairs().map(|(a, b)| a * b).take(MAX_DERIVATION_TERMS);
        x <= FEW && x.fract() == 0.0
            || known.iter().any(follows)
            || pairs().any(follow)
            || products().any(|a| products().any(|b| near(a + b)))
    }

    /// Whether a source names the number of months between two days.
    fn names_months_between(&self, from: NaiveDate, day: NaiveDate) -> bool {
        let months = |d: NaiveDate| i64::from(d.year()) * 12 + i64::from(d.month0());
        let apart = (months(day) - months(from)).unsigned_abs();
        let said = |f: &Found| matches!(&f.value, Value::Duration(d) if d.months != 0 && u64::from(d.months) == apart);
        self.said.values.iter().any(said)
    }

    /// Whether two days are a named number of months apart, on the same or the last day.
    fn is_months_from(&self, from: NaiveDate, day: NaiveDate) -> bool {
        let is_last = |d: NaiveDate| d.succ_opt().is_some_and(|next| next.day() == 1);
        (from.day() == day.day() || is_last(from) && is_last(day)) && self.names_months_between(from, day)
    }

    /// Whether a period starts a named number of months from a known period or day.
    fn is_period_months_apart(&self, period: &Period) -> bool {
        let Some((from, _)) = period.span else { return false };
        let starts = self.said.values.iter().filter_map(|f| match &f.value {
            Value::Period(known) => known.span.map(|(from, _)| from),
            _ => None,
        });
        starts.chain(self.said.days.iter().copied()).any(|day| self.names_months_between(day, from))
    }

    /// Whether an amount differs from a known one by a spelled number: 320만 is 350만 less 삼십.
    fn differs_by_spelled_number(&self, x: f64, said: f64) -> bool {
        let apart = (x - said).abs();
        UNITS.iter().map(|unit| apart / unit).any(|n| {
            let n = if n.fract() == 0.0 && (FEW..COUNTED).contains(&n) { n as i64 } else { return false };
            self.said.letters.contains(&sino_number(n)) || self.has_spelled(n)
        })
    }
}
