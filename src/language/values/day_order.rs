//! Whether 3/4 means 3 April or 4 March.

use super::{
    ValueReader,
    value::{Reference, Span},
};
use crate::language::{text::folded::Folded, words};
use crate::model::Zone;

/// Whether 3/4 means 3 April in the zone; `None` if both orders are common.
fn day_first_in(at: Reference) -> Option<bool> {
    if let Some(name) = at.zone.name() {
        let city = name.rsplit('/').next().unwrap_or(name);
        let is_month_first =
            words!("numeric_dates.month first").contains(&city) || words!("numeric_dates.american").begin(name);
        let is_known =
            name.contains('/') && !name.starts_with("Etc/") && !words!("numeric_dates.either").contains(&city);
        return is_known.then_some(!is_month_first);
    }
    match at.zone.offset_at(at.now.millis()) {
        -60..=-1 | 1..=240 | 330 | 570..=840 => Some(true),
        -600..=-240 | 540 => Some(false),
        _ => None,
    }
}

/// Whether a numeric date is ambiguous: 3/4 where neither the text nor the zone shows which is the month.
pub(crate) fn is_of_two_days(text: &str, span: Span, at: Reference) -> bool {
    let mut parts = span
        .of(text)
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse::<u32>().ok());
    let (Some(Some(a)), Some(Some(b))) = (parts.next(), parts.next()) else { return false };
    let both = (1..=12).contains(&a) && (1..=12).contains(&b) && a != b;
    let is_told = || {
        let folded = Folded::new(text);
        let reader = ValueReader::new(&folded, Some(at));
        reader.korean || reader.day_first_in_text().or(day_first_in(at)).is_some()
    };
    both && !is_told()
}

impl ValueReader<'_> {
    /// Whether 3/4 means 3 April, by the text's other dates, its currency and the zone.
    pub fn is_day_first(&self, at: Option<Reference>) -> bool {
        let text = self.s.0;
        if !text.contains('/') && !text.contains('.') {
            return false;
        }
        let told = self.day_first_in_text().or_else(|| day_first_in(at?));
        told.unwrap_or_else(|| at.is_some_and(|at| at.zone == Zone::default()))
    }

    fn day_first_in_text(&self) -> Option<bool> {
        let text = self.s.0;
        let order = |(at, _): (usize, &str)| {
            let before = text[..at].rsplit(|c: char| !c.is_ascii_digit()).next()?;
            match (before.parse::<u32>().ok()?, self.s.digits(at + 1).0.parse::<u32>().ok()?) {
                (13..=31, 1..=12) => Some(true),
                (1..=12, 13..=31) => Some(false),
                _ => None,
            }
        };
        let by_currency = || (text.contains('£') || text.contains('€') || text.contains("uk date")).then_some(true);
        text.match_indices('/').find_map(order).or_else(by_currency)
    }
}
