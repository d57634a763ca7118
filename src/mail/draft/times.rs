//! When what a part tells of happens, or is due.

use super::counted::is_moved;
use super::when::{DateRole, Moment};
use crate::model::{Category, DayOrTime, Time, Zone};

/// The times of a draft.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Times {
    pub occurred_at: Option<DayOrTime>,
    pub valid_from: Option<DayOrTime>,
    pub valid_until: Option<DayOrTime>,
}

/// When what the text tells happens, and how long it holds.
pub(super) fn times(text: &str, moments: &[Moment], category: Category, said: Option<Time>, home: Zone) -> Times {
    // What was to be done by a day that is over ("2월 말까지 끝냈고") is no deadline any more.
    let over = |m: &Moment| {
        said.is_some_and(|s| m.day < s.day(home)) && matches!(m.role, DateRole::Deadline | DateRole::Until)
    };
    let of = |role: DateRole| moments.iter().filter(move |m| m.role == role && !over(m));
    let deadline = of(DateRole::Deadline).next_back();
    let until = of(DateRole::Until).next_back();
    let from = of(DateRole::From).next();
    let event = event(text, moments);
    let told = said.map(DayOrTime::Time);
    let mut times = Times { occurred_at: told, ..Times::default() };
    match category {
        Category::Task => {
            // What is asked for after something happened is not due on that day.
            let due = event.filter(|m| said.is_none_or(|s| m.day >= s.day(home)));
            times.valid_until = deadline.or(until).or(due).and_then(|m| m.at(home));
            times.valid_from = told.filter(|_| times.valid_until.is_some());
        }
        Category::Meeting => {
            times.occurred_at = event.or(from).or(deadline).and_then(|m| m.at(home)).or(told);
        }
        Category::Decision => {
            // What was settled may be a day to come: "the kickoff is confirmed for 22 January".
            times.occurred_at = event.filter(|m| m.clock.is_some()).and_then(|m| m.at(home)).or(told);
            times.valid_from = from.and_then(|m| m.at(home));
            times.valid_until = until.or(deadline).and_then(|m| m.at(home));
        }
        Category::Project | Category::Misc | Category::Ads => {
            times.occurred_at = event.filter(|_| category != Category::Ads).and_then(|m| m.at(home)).or(told);
            times.valid_from = from.and_then(|m| m.at(home));
            times.valid_until = until.or(deadline).and_then(|m| m.at(home));
            // "From Monday 24 March our driver collects at Dock 6" happens from then on.
            if event.is_none() && category != Category::Ads {
                times.occurred_at = times.valid_from.or(told);
            }
        }
    }
    if let (Some(from), Some(until)) = (times.valid_from, times.valid_until)
        && until.ends_before(from, home)
    {
        times.valid_from = None;
    }
    times
}

/// The day of the event: of several, the one that it was moved to.
fn event<'a>(text: &str, moments: &'a [Moment]) -> Option<&'a Moment> {
    let mut days = moments.iter().filter(|m| m.role == DateRole::Event);
    let first = days.next()?;
    match days.next_back() {
        // The one with a time of day is the event; the other is what led to it.
        Some(last) if is_moved(text) && last.clock.is_some() >= first.clock.is_some() => Some(last),
        Some(last) if first.clock.is_none() && last.clock.is_some() => Some(last),
        _ => Some(first),
    }
}
