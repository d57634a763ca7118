//! What the two hang on: thread, people, category, time and subject line.

use super::sheet::{Group, Sheet, flag, ratio};
use crate::analysis::align::cover;
use crate::analysis::reading::Reading;
use crate::analysis::words::{Kind, Mark, Word};
use crate::model::Category;
use crate::order::Within;

fn domain(p: &str) -> &str {
    p.rsplit('@').next().unwrap_or(p)
}

pub(super) fn setting(a: &Reading, b: &Reading, s: &mut Sheet) {
    use Group::Setting as G;
    let same = a.thread.is_some() && a.thread == b.thread;
    s.put(G, "same_thread", flag(same));
    s.put(G, "other_thread", flag(a.thread.is_some() && b.thread.is_some() && !same));
    s.put(G, "no_thread_b", flag(b.thread.is_none()));
    let common = a.people.iter().filter(|p| b.people.contains(p)).count();
    s.put(G, "people_common", common as f32);
    s.put(G, "people_new", (b.people.len() - b.people.iter().filter(|p| a.people.contains(p)).count()) as f32);
    s.put(G, "people_gone", (a.people.len() - common) as f32);
    s.put(G, "people_a", a.people.len() as f32);
    s.put(G, "people_b", b.people.len() as f32);
    let domains = b.people.iter().filter(|p| a.people.iter().any(|q| domain(p) == domain(q))).count();
    s.put(G, "domain_share", ratio(domains as f32, b.people.len() as f32));
    s.put(G, "first_person_same", flag(!a.people.is_empty() && a.people.first() == b.people.first()));
    s.put(G, "category_same", flag(a.category == b.category));
    for c in [Category::Task, Category::Decision, Category::Meeting, Category::Project, Category::Ads, Category::Misc] {
        s.each(G, "category_a", c.as_str(), flag(a.category == c));
        s.each(G, "category_b", c.as_str(), flag(b.category == c));
    }
    let days = match (a.time, b.time) {
        (Some(x), Some(y)) => (y.millis() - x.millis()) as f32 / 86_400_000.0,
        _ => -1.0,
    };
    s.put(G, "days_between", days.within(-400.0, 400.0));
    s.put(G, "same_day", flag((0.0..1.0).contains(&days)));
    s.put(G, "subject_same", flag(!a.subject_line.is_empty() && a.subject_line == b.subject_line));
    s.put(G, "forwarded", flag(b.forwarded));
    s.put(G, "reply", flag(b.reply));
    s.put(G, "subject_cover_a", cover(&a.subject, &b.subject));
    s.put(G, "subject_cover_b", cover(&b.subject, &a.subject));
    s.put(G, "subject_b_in_a", cover(&b.subject, &a.words));
    s.put(G, "subject_b_in_b", cover(&b.subject, &b.words));
    s.put(G, "subject_a_in_b", cover(&a.subject, &b.words));
    s.put(G, "subject_b_empty", flag(b.subject.is_empty()));
    // A subject line that differs in its numbers is often the next of a row.
    let numbers = |w: &[Word]| -> Vec<u32> {
        w.iter().filter(|w| w.number.is_some() || w.kind == Kind::Code || w.is(Mark::Sibling)).map(|w| w.hash).collect()
    };
    let (x, y) = (numbers(&a.subject), numbers(&b.subject));
    s.put(G, "subject_number_new", y.iter().filter(|n| !x.contains(n)).count() as f32);
    s.put(G, "subject_number_same", y.iter().filter(|n| x.contains(n)).count() as f32);
    s.put(G, "mixed_scripts", (a.korean - b.korean).abs());
    s.put(G, "korean", b.korean);
}
