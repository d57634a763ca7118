//! When what a candidate tells happens, and from when until when it holds.

use crate::language::{DateRole, Moment, is_moved};
use crate::model::{Category, DayOrTime, Time, Zone};

/// The times of a draft.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct DraftTimes {
    pub occurred_at: Option<DayOrTime>,
    pub valid_from: Option<DayOrTime>,
    pub valid_until: Option<DayOrTime>,
}

pub(super) fn times(text: &str, moments: &[Moment], of: Category, said: Option<Time>, home: Zone) -> DraftTimes {
    // What was to be done by a day that is over ("2월 말까지 끝냈고") is no deadline any more.
    let is_over = |m: &Moment| said.is_some_and(|s| m.day < s.day(home));
    let ends = |role| moments.iter().rfind(|m| m.role == role && !is_over(m)).and_then(|m| m.at(home));
    let (deadline, until) = (ends(DateRole::Deadline), ends(DateRole::Until));
    let from = moments.iter().find(|m| m.role == DateRole::From).and_then(|m| m.at(home));
    let told = said.map(DayOrTime::Time);
    let event = event(text, moments);
    let happens = event.and_then(|m| m.at(home));
    // What is asked for or settled may be a day to come: "come on Friday", "the kickoff is confirmed for 22 January".
    let ahead = happens.filter(|_| event.is_some_and(|m| !is_over(m)));
    let mut times = match of {
        Category::Task => {
            // What is asked for after something happened is not due on that day.
            let due = deadline.or(until).or(ahead);
            let happens = ahead.filter(|_| deadline.is_none()).or(told);
            DraftTimes { occurred_at: happens, valid_from: told.filter(|_| due.is_some()), valid_until: due }
        }
        Category::Meeting => {
            DraftTimes { occurred_at: happens.or(from).or(deadline).or(told), ..DraftTimes::default() }
        }
        _ => {
            let event = match of {
                Category::Ads => None,
                Category::Decision => ahead,
                _ => happens,
            };
            // "From Monday 24 March our driver collects at Dock 6" happens from then on.
            let begins = from.filter(|_| !matches!(of, Category::Decision | Category::Ads));
            DraftTimes { occurred_at: event.or(begins).or(told), valid_from: from, valid_until: until.or(deadline) }
        }
    };
    if let (Some(from), Some(until)) = (times.valid_from, times.valid_until)
        && until.ends_before(from, home)
    {
        times.valid_from = None;
    }
    times
}

/// The day of the event: of several, the one that it was moved to, or the one with a time of day.
fn event<'a>(text: &str, moments: &'a [Moment]) -> Option<&'a Moment> {
    let mut days = moments.iter().filter(|m| m.role == DateRole::Event);
    let first = days.next()?;
    let is_it = |last: &&Moment| {
        is_moved(text) && last.clock.is_some() >= first.clock.is_some() || first.clock.is_none() && last.clock.is_some()
    };
    days.next_back().filter(is_it).or(Some(first))
}
