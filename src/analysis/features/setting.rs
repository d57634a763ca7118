//! Features on context: thread, people, category, time, subject line and entities.

use super::sheet::{Sheet, flag, ratio};
use crate::analysis::align::cover;
use crate::analysis::reading::Reading;
use crate::analysis::words::Word;
use crate::model::Category;

/// Feature value where a side lacks the field.
const NOT_GIVEN: f32 = -1.0;
/// Time differences are clamped to this many days.
const MOST_DAYS: f32 = 400.0;

fn domain(p: &str) -> &str {
    p.rsplit('@').next().unwrap_or(p)
}

pub(super) fn setting(a: &Reading, b: &Reading, s: &mut Sheet) {
    s.put("other_thread", flag(a.thread.is_some() && b.thread.is_some() && a.thread != b.thread));
    // A field that one side lacks is neither equal nor different.
    let given = |has: bool, value: f32| if has { value } else { NOT_GIVEN };
    let common = a.people.iter().filter(|p| b.people.contains(p)).count();
    let people = !a.people.is_empty() && !b.people.is_empty();
    s.put("people_common", given(people, common as f32));
    s.put("people_gone", given(people, (a.people.len() - common) as f32));
    s.put("people_a", given(people, a.people.len() as f32));
    let domains = b.people.iter().filter(|p| a.people.iter().any(|q| domain(p) == domain(q))).count();
    s.put("domain_share", given(people, ratio(domains as f32, b.people.len() as f32)));
    s.put("first_person_same", given(people, flag(a.people.first() == b.people.first())));
    s.put("category_same", flag(a.category == b.category));
    s.put("category_a_misc", flag(a.category == Category::Misc));
    s.put("category_b_task", flag(b.category == Category::Task));
    s.put("category_b_decision", flag(b.category == Category::Decision));
    s.put("category_b_misc", flag(b.category == Category::Misc));
    let days = a.time.zip(b.time).map(|(x, y)| (y.millis() - x.millis()) as f32 / 86_400_000.0);
    s.put("days_between", days.map_or(-MOST_DAYS - 1.0, |d| d.clamp(-MOST_DAYS, MOST_DAYS)));
    s.put("same_day", days.map_or(NOT_GIVEN, |d| flag((0.0..1.0).contains(&d))));
    let (has_a, has_b) = (!a.subject.is_empty(), !b.subject.is_empty());
    s.put("subject_same", given(has_a && has_b, flag(a.subject_line == b.subject_line)));
    s.put("subject_cover_a", given(has_a && has_b, cover(&a.subject, &b.subject)));
    s.put("subject_cover_b", given(has_a && has_b, cover(&b.subject, &a.subject)));
    s.put("subject_b_in_a", given(has_b, cover(&b.subject, &a.words)));
    s.put("subject_b_in_b", given(has_b, cover(&b.subject, &b.words)));
    s.put("mixed_scripts", (a.korean - b.korean).abs());
    s.put("korean", b.korean);
}

pub(super) fn entities(a: &Reading, b: &Reading, s: &mut Sheet) {
    let b_in_a: Vec<f32> = b.entities.iter().map(|e| cover(e, &a.words)).collect();
    let a_in_b: Vec<f32> = a.entities.iter().map(|e| cover(e, &b.words)).collect();
    let same = |x: &[Word], y: &[Word]| x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.hash == y.hash);
    let exact = |e: &[Word], list: &[Vec<Word>]| list.iter().any(|f| same(f, e));
    let mean = |v: &[f32]| if v.is_empty() { -1.0 } else { v.iter().sum::<f32>() / v.len() as f32 };
    s.put("entities_b_in_a", mean(&b_in_a));
    s.put("entity_b_first_in_a", b_in_a.first().copied().unwrap_or(-1.0));
    s.put("entity_a_first_in_b", a_in_b.first().copied().unwrap_or(-1.0));
    s.put("entities_new", b_in_a.iter().filter(|c| **c < 0.5).count() as f32);
    s.put("entities_gone", a_in_b.iter().filter(|c| **c < 0.5).count() as f32);
    let (first_a, first_b) = (a.entities.first(), b.entities.first());
    s.put("entity_first_same", flag(first_b.is_some_and(|e| exact(e, &a.entities))));
    s.put("entity_first_same_first", flag(first_a.zip(first_b).is_some_and(|(x, y)| same(x, y))));
    s.put("entities_b", b.entities.len() as f32);
    s.put("entities_a", a.entities.len() as f32);
    let cover_list = |e: &Vec<Word>, list: &[Vec<Word>]| list.iter().map(|f| cover(e, f)).fold(0.0f32, f32::max);
    s.put("entity_b_first_in_entities", first_b.map_or(-1.0, |e| cover_list(e, &a.entities)));
    s.put("entity_a_first_in_entities", first_a.map_or(-1.0, |e| cover_list(e, &b.entities)));
}
