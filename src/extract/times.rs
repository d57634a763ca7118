//! Computes when a draft happens and how long it is valid.

use crate::language::{DateRole, Moment, is_moved};
use crate::model::{Category, DayOrTime, Draft, Zone};

pub(super) fn set_times(draft: &mut Draft, text: &str, moments: &[Moment], zone: Zone) {
    let stated_at = draft.stated_at;
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
    (draft.occurred_at, draft.valid_from, draft.valid_until) = match draft.category {
        Category::Task => {
            // A request after a past event is not due on the day of that event.
            let due = deadline.or(until).or(ahead);
            (ahead.filter(|_| deadline.is_none()).or(stated), stated.filter(|_| due.is_some()), due)
        }
        Category::Meeting => (happens.or(from).or(deadline).or(stated), None, None),
        of => {
            let event_day = match of {
                Category::Ads => None,
                Category::Decision => ahead,
                _ => happens,
            };
            // "From Monday 24 March our driver collects at Dock 6" happens on the start day.
            let begins = from.filter(|_| !matches!(of, Category::Decision | Category::Ads));
            (event_day.or(begins).or(stated), from, until.or(deadline))
        }
    };
    let is_reversed = |from: &DayOrTime| draft.valid_until.is_some_and(|until| until.ends_before(*from, zone));
    draft.valid_from = draft.valid_from.filter(|from| !is_reversed(from));
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
