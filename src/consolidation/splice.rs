//! The text of the next version: the stored one with the new values in the places of the old ones.
//!
//! It adds no word of its own, but for the form of a Korean particle.

use crate::analysis::Change;
use crate::language::{Found, Kind, fold, values};
use crate::model::ChangeType;

/// The content of the next version. A new text that speaks of all the old one did replaces it; a partial one has its new
/// values put in the places of the old ones, so that what did not change is kept. A change that has no place in the old
/// text is told in the words of the new one, after it.
pub(super) fn splice(old: &str, new: &str, changes: &[Change]) -> String {
    if covers(new, old) {
        return new.to_owned();
    }
    let mut edits: Vec<((usize, usize), &str)> = changes
        .iter()
        .filter_map(|c| {
            let value = bare(c.change.new_value.as_deref()?);
            let (from, to) = place(old, new, c)?;
            Some(((from, to - rate(&old[from..to], value)), value))
        })
        .collect();
    crate::order::sort(&mut edits, |a, b| a.0.cmp(&b.0));
    edits.dedup_by(|b, a| b.0.0 < a.0.1);
    let mut merged = String::with_capacity(old.len() + new.len() + 1);
    let mut at = 0;
    for ((from, to), value) in &edits {
        merged.push_str(&old[at..*from]);
        merged.push_str(value);
        at = *to;
        if let Some((was, is)) = particle(&old[*from..*to], value, &old[*to..]) {
            merged.push_str(is);
            at += was.len();
        }
    }
    merged.push_str(&old[at..]);
    let told = changes.iter().filter(|c| says_only_that_it_changed(c)).count();
    if edits.is_empty() || edits.len() + told < changes.len() {
        let gap = if merged.ends_with(char::is_whitespace) { "" } else { " " };
        merged.push_str(gap);
        merged.push_str(new.trim());
    }
    merged
}

/// A value without the punctuation of its sentence.
fn bare(value: &str) -> &str {
    value.trim_end_matches(['.', ',', ';', '!', '?'])
}

/// What stands for a word whatever its ending: two syllables of a Korean one, four letters of another ("owner", "owned").
fn stem(word: &str) -> String {
    word.chars().take(if word.is_ascii() { 4 } else { 2 }).collect()
}

/// Words of a delay or a move: with the new value in its place, they say nothing more.
const MOVED: &str = "delay postpone reschedule move shift push bring 연기 미뤄 미뤘 미루 미룹 앞당 당겨 조정 변경";

fn says_only_that_it_changed(c: &Change) -> bool {
    let new = c.change.new_value.as_deref().map(fold).unwrap_or_default();
    c.change.change_type == ChangeType::Addition && MOVED.split(' ').any(|w| new.starts_with(w))
}

/// Where the old value of a change stands: what follows the same word as the new one does, where that is another value
/// of its kind ("closes at 17:00" is not about when it opens), else where the analyst saw it. A name or a state has a
/// place only where the same word leads to it: nothing else says that the one stands for the other.
fn place(old: &str, new: &str, c: &Change) -> Option<(usize, usize)> {
    let (from, to) = c.old_span?;
    let to = from + bare(old.get(from..to)?).len();
    let led_by = |text: &str, at: usize| text.get(..at).and_then(cue);
    let (was, is) = (led_by(old, from), c.new_span.and_then(|(at, _)| led_by(new, at)));
    let found = values(old, None);
    let kind = found.iter().find(|v| v.span.start < to && from < v.span.end).map(|v| v.value.kind());
    let same_lead = was.as_deref().zip(is.as_deref()).is_some_and(|(was, is)| stem(was) == stem(is));
    let newer = values(new, None);
    let alone = |of: &[Found], beside: &[Found]| {
        let said = |v: &Found| beside.iter().any(|b| b.value == v.value);
        of.iter().filter(|v| Some(v.value.kind()) == kind && !said(v)).count() < 2
    };
    if matches!(kind, None | Some(Kind::Status)) && !same_lead {
        return None;
    }
    // What was itself a move, "95만원에서 105만원으로", has no one place for what it is now.
    let after = to + "에서 ".len();
    if old[to..].starts_with("에서 ") && found.iter().any(|v| v.span.start == after && Some(v.value.kind()) == kind) {
        return None;
    }
    // Two prices against two others: which stands for which is a guess, unless the same word leads to both.
    if !same_lead && !alone(&found, &newer) && !alone(&newer, &found) {
        return None;
    }
    let other = is.filter(|lead| was.as_ref() != Some(lead)).and_then(|lead| {
        let kind = kind?;
        let mut alike = found.iter().filter(|v| v.value.kind() == kind);
        alike.find(|v| led_by(old, v.span.start).as_ref() == Some(&lead)).map(|v| (v.span.start, v.span.end))
    });
    other.or(Some((from, to)))
}

/// Words that stand between a value and the word that leads to it.
const BETWEEN: &str = "at on in to is are was by from now the a an about of for until 이제 은 는";

/// The word that leads to a value, given the text before it.
fn cue(before: &str) -> Option<String> {
    // Another sentence or clause leads to nothing here.
    let clause = before.rsplit([',', '.', ';', ':', '\n']).next().unwrap_or_default();
    let folded = fold(clause);
    let word = folded.split_whitespace().rev().find(|w| BETWEEN.split(' ').all(|b| b != *w))?;
    Some(word.to_owned())
}

/// The bytes at the end of an old value that the new one leaves as they are: "40,000 euros a year" + "45,000 euros".
fn rate(old: &str, new: &str) -> usize {
    let unit = new.rsplit(' ').next().filter(|w| new.contains(' ') && w.chars().all(char::is_alphabetic));
    let rest = unit.and_then(|unit| old.split_once(unit)).map_or("", |(_, rest)| rest);
    if rest.starts_with(' ') { rest.len() } else { 0 }
}

/// Particles with two forms: after a vowel, after a consonant.
const PARTICLES: [(&str, &str); 8] = [
    ("로", "으로"),
    ("는", "은"),
    ("가", "이"),
    ("를", "을"),
    ("와", "과"),
    ("나", "이나"),
    ("라", "이라"),
    ("랑", "이랑"),
];

/// The form that the particle after a value has, and the one that the new value asks for, where the two differ.
fn particle(old: &str, new: &str, rest: &str) -> Option<(&'static str, &'static str)> {
    let word: &str = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    let (was, is) = (ending(old)?, ending(new)?);
    PARTICLES.iter().find_map(|(vowel, consonant)| {
        let form =
            |e: Ending| if e == Ending::Vowel || (e == Ending::Rieul && *vowel == "로") { *vowel } else { *consonant };
        (word == form(was) && form(was) != form(is)).then(|| (form(was), form(is)))
    })
}

/// How the last syllable of a value sounds.
#[derive(Clone, Copy, PartialEq)]
enum Ending {
    Vowel,
    Rieul,
    Consonant,
}

fn ending(value: &str) -> Option<Ending> {
    let last = value.chars().next_back()?;
    Some(match last {
        '가'..='힣' => match (last as u32 - 0xAC00) % 28 {
            0 => Ending::Vowel,
            8 => Ending::Rieul,
            _ => Ending::Consonant,
        },
        // As the digits are read: 영 일 이 삼 사 오 육 칠 팔 구.
        '2' | '4' | '5' | '9' => Ending::Vowel,
        '1' | '7' | '8' => Ending::Rieul,
        '0' | '3' | '6' => Ending::Consonant,
        _ => return None,
    })
}

/// Whether most words of `old` come again in `new`.
fn covers(new: &str, old: &str) -> bool {
    let (new, old) = (fold(new), fold(old));
    let compact: String = new.split_whitespace().collect();
    let words: Vec<&str> = old.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    // The first two syllables of a Korean word stand for it: what follows is mostly particles and endings.
    let stem = |w: &str| -> String { if w.is_ascii() { w.to_owned() } else { w.chars().take(2).collect() } };
    let found = words.iter().filter(|w| compact.contains(stem(w).as_str())).count();
    found * 10 >= words.len() * 6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_particle_takes_the_form_that_the_new_value_asks_for() {
        let cases = [
            ("2.3", "2.4", "으로 운영", Some(("으로", "로"))),
            ("2.4", "2.3", "로 운영", Some(("로", "으로"))),
            ("2.3", "2.1", "으로", Some(("으로", "로"))),
            ("금요일", "토요일", "은 쉽니다", None),
            ("10대", "10명", "는", Some(("는", "은"))),
            ("3층", "로비", "이 좋다", Some(("이", "가"))),
            ("3층", "로비", "에서", None),
            ("50M", "60M", "으로", None),
        ];
        for (old, new, rest, expected) in cases {
            assert_eq!(particle(old, new, rest), expected, "{old} {new} {rest}");
        }
    }

    fn change(old: &str, was: &str, new: &str, is: &str) -> Change {
        let span = |text: &str, value: &str| text.find(value).map(|at| (at, at + value.len()));
        let (old_value, new_value) = (Some(was.to_owned()), Some(is.to_owned()));
        let change_type = ChangeType::ValueChange;
        let change = crate::model::PropertyChange { property: String::new(), old_value, new_value, change_type };
        Change { change, old_span: span(old, was), new_span: span(new, is) }
    }

    #[test]
    fn values_side_by_side_are_both_replaced_and_of_two_that_overlap_the_first() {
        let replaced = |values: &[(&str, &str)]| {
            let old = "10:00, 5 days";
            let changes: Vec<Change> = values.iter().map(|(was, is)| change(old, was, "zz", is)).collect();
            splice(old, "zz", &changes)
        };
        assert_eq!(replaced(&[("5 days", "6 days."), ("10:00", "11:00")]), "11:00, 6 days");
        assert_eq!(replaced(&[("10:00, 5", "x"), ("5 days", "y")]), "x days zz");
    }

    #[test]
    fn a_new_value_goes_where_the_same_word_leads_to_one_of_its_kind() {
        let old = "Budget 5,000 EUR, opens at 09:00, closes at 17:00";
        for (new, expected) in [
            ("It closes at 18:00 now", "Budget 5,000 EUR, opens at 09:00, closes at 18:00"),
            ("It opens at 18:00 now", "Budget 5,000 EUR, opens at 18:00, closes at 17:00"),
            ("It begins at 18:00 now", "Budget 5,000 EUR, opens at 18:00, closes at 17:00"),
        ] {
            assert_eq!(splice(old, new, &[change(old, "09:00", new, "18:00")]), expected);
        }
    }

    #[test]
    fn what_follows_the_unit_of_a_value_stays_with_it() {
        assert_eq!(rate("40,000 euros a year", "45,000 euros"), " a year".len());
        assert_eq!(rate("40,000 euros", "45,000 euros"), 0);
        assert_eq!(rate("40 units", "55"), 0);
        assert_eq!(rate("2pm", "3pm"), 0);
    }

    #[test]
    fn the_word_that_leads_to_a_value_is_the_nearest_one_that_says_something() {
        let cases = [("The warehouse now closes at ", Some("closes")), ("opens, ", None), ("예산은 ", Some("예산은"))];
        for (before, expected) in cases {
            assert_eq!(cue(before).as_deref(), expected, "{before}");
        }
    }
}
