//! Figures that follow from the sources: half of a fee, a day two weeks later, an hour in other
//! words. Such a text is flagged as inferred.

use super::check::Sources;
use super::said::figures;
use crate::language::{Date, Duration, Found, Period, Value, sino_number, words};
use chrono::{Datelike, NaiveDate};

/// Days from the mail's day within which a day may be derived ("a week on Friday").
const SOON: i64 = 31;
/// Days from a known day within which another may be derived ("five nights").
const NEAR: i64 = 14;
/// A whole number up to this may be counted, and so may the distance to a known count.
const FEW: f64 = 12.0;
/// Counts up to this may change by a few ("two come out, one goes in").
const COUNTED: f64 = 1_000.0;
/// Units in which the smaller of two amounts may be given: 780만 원 less "30".
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
                let is_below = |part: &str, end: u8| part.parse::<u8>().is_ok_and(|n| n < end);
                let is_hour =
                    |(hour, minutes): (&str, &str)| is_below(hour, 24) && minutes.len() == 2 && is_below(minutes, 60);
                written.split_once('.').is_some_and(is_hour) && self.names_an_hour()
            }
            Value::Duration(_) => figures(written).all(|f| f.parse::<f64>().is_ok_and(|n| n <= FEW)),
            _ => false,
        }
    }

    fn names_an_hour(&self) -> bool {
        let is_clock = |v: &Found| matches!(v.value, Value::Clock(_));
        words!("answers.of a clock").stand_in(&self.said.letters) || self.said.values.iter().any(is_clock)
    }

    /// Whether a value follows from the sources and the `more` numbers: an amount from two others,
    /// a day near a known one, or an hour in another zone.
    pub(super) fn is_derivable(&self, value: &Value, more: &[f64]) -> bool {
        match value {
            Value::Date(Date { on: Some(day), .. }) => {
                let apart = |d: NaiveDate| (*day - d).num_days().abs();
                let is_near = |d: &NaiveDate| apart(*d) <= NEAR || apart(*d) % 7 == 0 && apart(*d) <= 5 * 7;
                self.question.at.is_some_and(|at| apart(at.day()) <= SOON) || self.said.days.iter().any(is_near)
            }
            Value::Range(ends) => {
                let is_backed = |v: &Value| self.said.has(v) || self.is_derivable(v, more);
                is_backed(&ends.0) && is_backed(&ends.1)
            }
            Value::Period(period) => self.is_period_months_apart(period),
            Value::Duration(total) => {
                let adds = |sum: &Duration, a: &Duration, b: &Duration| {
                    a.months + b.months == sum.months && a.seconds + b.seconds == sum.seconds
                };
                self.durations().any(|a| self.durations().any(|b| adds(total, a, b) || adds(a, total, b)))
            }
            Value::Clock(_) => self.names_an_hour(),
            Value::Money { number, .. } | Value::Percent(number) => {
                self.is_derivable_amount(number.as_f64(), more, false)
            }
            Value::Quantity { number, .. } | Value::Number(number) => {
                self.is_derivable_amount(number.as_f64(), more, true)
            }
            Value::Ordinal { number, .. } => f64::from(*number) <= FEW,
            _ => false,
        }
    }

    /// Whether an amount is a small number, a known amount in another unit, a part of one, or follows from two of them.
    fn is_derivable_amount(&self, x: f64, more: &[f64], may_count: bool) -> bool {
        let is_whole = |n: f64| n.fract() == 0.0;
        if x <= FEW && is_whole(x) {
            return true;
        }
        let said = self.said.numbers.iter().map(|n| n.as_f64());
        let known: Vec<f64> = more.iter().copied().chain(said).take(MAX_DERIVATION_TERMS).collect();
        let is_counted = |a: &f64| may_count && is_whole(x) && is_whole(*a) && *a <= COUNTED && (x - a).abs() <= FEW;
        if known.iter().any(|a| is_counted(a) || self.differs_by_spelled_number(x, *a)) {
            return true;
        }
        let share = |f: &Found| match f.value {
            Value::Percent(share) => Some(share.as_f64() / 100.0).filter(|share| *share > 0.0),
            _ => None,
        };
        let shares: Vec<f64> = self.said.values.iter().filter_map(share).collect();
        // A part of the whole, the rest of it, the whole of a part, or one part of the other.
        let ratios =
            |s: f64| [s, 1.0 - s, 1.0 + s, 1.0 / s].into_iter().chain(shares.iter().map(move |other| other / s));
        let ratios: Vec<f64> = shares.iter().copied().chain([0.5]).flat_map(ratios).chain(UNITS).collect();
        let is = |x: f64, y: f64| (x - y).abs() < 1e-6 * x.abs().max(1.0);
        let is_wanted = |y: f64| is(x, y) || x >= 10.0 && is(x * TENS, y);
        known.iter().enumerate().any(|(n, a)| {
            let follows_with = |b: &f64| {
                let (small, large) = if a < b { (a, b) } else { (b, a) };
                let by = |part: f64| is_wanted((large - part).abs()) || is_wanted(large + part);
                UNITS.iter().any(|unit| (*unit == 1.0 || large > unit) && by(small * unit))
                    || shares.iter().any(|share| by(small * share))
                    || is_wanted(a * b)
                    || is_wanted((a + b) / 2.0)
            };
            ratios.iter().any(|ratio| is_wanted(a * ratio)) || known[n + 1..].iter().any(follows_with)
        })
    }

    fn durations(&self) -> impl Iterator<Item = &Duration> {
        self.said.values.iter().filter_map(|f| match &f.value {
            Value::Duration(span) => Some(span),
            _ => None,
        })
    }

    /// Whether a period starts a named number of months from a known period or day.
    fn is_period_months_apart(&self, period: &Period) -> bool {
        let Some((from, _)) = period.span else { return false };
        let month = |d: NaiveDate| i64::from(d.year()) * 12 + i64::from(d.month0());
        let known = self.said.values.iter().filter_map(|f| match &f.value {
            Value::Period(known) => known.span.map(|(from, _)| from),
            _ => None,
        });
        let is_named = |months: u64| {
            let names = |d: &Duration| d.months != 0 && u64::from(d.months) == months;
            self.durations().any(names)
        };
        known.chain(self.said.days.iter().copied()).any(|day| is_named((month(day) - month(from)).unsigned_abs()))
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
