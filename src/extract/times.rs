//! Computes when a draft happens and how long it is valid.

use crate::language::{DateRole, Moment, is_moved};
use crate::model::{Category, DayOrTime, Time, Zone};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct DraftTimes {
    pub occurred_at: Option<DayOrTime>,
    pub valid_from: Option<DayOrTime>,
    pub valid_until: Option<DayOrTime>,
}

/// Computes the times of a draft from its moments and category. `stated_at` is when the section was written.
pub(super) fn times(text: &str, moments: &[Moment], of: Category, stated_at: Option<Time>, zone: Zone) -> DraftTimes {
    // A past deadline ("2월 말까지 끝냈고") no longer counts.
    let is_over = |m: &Moment| stated_at.is_some_and(|s| m.day < s.day(zone));
    let ends = |role| moments.iter().rfind(|m| m.role == role && !is_over(m)).and_then(|m| m.at(zone));
    let (deadline, until) = (ends(DateRole::Deadline), ends(DateRole::Until));
    let from = moments.iter().find(|m| m.role == DateRole::From).and_then(|m| m.at(zone));
    let stated = stated_at.map(DayOrTime::Time);
    let event_moment = event_moment(text, moments);
    let happens = event_moment.and_then(|m| m.at(zone));
    // A request or decision may name an upcoming day: "come on Friday", "the kickoff is confirmed for 22 January".
    let ahead = happens.filter(|_| event_moment.is_some_and(|m| !is_over(m)));
    let mut times = match of {
        Category::Task => {
            // A request after a past event is not due on the day of that event.
            let due = deadline.or(until).or(ahead);
            let happens = ahead.filter(|_| deadline.is_none()).or(stated);
            DraftTimes { occurred_at: happens, valid_from: stated.filter(|_| due.is_some()), valid_until: due }
        }
        Category::Meeting => {
            DraftTimes { occurred_at: happens.or(from).or(deadline).or(stated), ..DraftTimes::default() }
        }
        _ => {
            let event_day = match of {
                Category::Ads => None,
                Category::Decision => ahead,
                _ => happens,
            };
            // "From Monday 24 March our driver collects at Dock 6" happens on the start day.
            let begins = from.filter(|_| !matches!(of, Category::Decision | Category::Ads));
            DraftTimes {
                occurred_at: event_day.or(begins).or(stated),
                valid_from: from,
                valid_until: until.or(deadline),
            }
        }
    };
    if let (Some(from), Some(until)) = (times.valid_from, times.valid_until)
        && until.ends_before(from, zone)
    {
        times.valid_from = None;
    }
    times
}

/// Returns the day of the event. Of several, the new day of a moved event or a day with a time wins.
fn event_moment<'a>(text: &str, moments: &'a [Moment]) -> Option<&'a Moment> {
    let mut days = moments.iter().filter(|m| m.role == DateRole::Event);
    let first = days.next()?;
    let is_preferred = |last: &&Moment| {
        is_moved(text) && last.clock.is_some() >= first.clock.is_some() || first.clock.is_none() && last.clock.is_some()
    };
    days.next_back().filter(is_preferred).or(Some(first))
}
