//! Quotes the words behind a feature, to explain a decision to people. Nothing is decided here.

use super::align::Alignment;
use super::pairing::Pairing;
use super::reading::Reading;
use super::words::Word;
use crate::language::{Match, ValueKind};

/// Maximum number of words quoted.
const MAX_WORDS: usize = 4;

/// The words behind a feature, stored → new, if any.
pub fn evidence(code: &str, a: &Reading, b: &Reading, al: &Alignment, p: &Pairing) -> Option<String> {
    let entity = |r: &Reading, n: usize| r.entity_names.get(n).cloned();
    let arrow = |x: Option<String>, y: Option<String>| match (x, y) {
        (Some(x), Some(y)) => Some(format!("{x} → {y}")),
        (x, y) => x.or(y),
    };
    match code {
        "entity_b_first_in_a" | "entity_b_first_in_entities" | "entity_first_same" | "entity_first_same_first" => {
            arrow(entity(a, 0), entity(b, 0))
        }
        "entities_b_in_a" | "entities_new" => joined(b.entity_names.iter().map(String::as_str)),
        "entities_gone" => joined(a.entity_names.iter().map(String::as_str)),
        "subject_same" | "subject_cover_b" | "subject_b_in_a" => {
            (!b.subject_line.is_empty()).then(|| b.subject_line.clone())
        }
        "identifier_changed" => changed(a, b, p, |kind| kind == ValueKind::Identifier),
        _ if code.starts_with("value_diff") || code.starts_with("instance_other") => changed(a, b, p, |_| true),
        _ if code.starts_with("new_") || code.starts_with("rest_b_new") => unmet(&b.words, &|j| al.met_b(j)),
        "gone_number" => unmet(&a.words, &|i| al.met_a(i)),
        _ => None,
    }
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let list: Vec<&str> = words.take(MAX_WORDS).collect();
    (!list.is_empty()).then(|| list.join(", "))
}

fn unmet(words: &[Word], met: &dyn Fn(usize) -> bool) -> Option<String> {
    joined(words.iter().enumerate().filter(|(i, w)| w.weight > 0.0 && !met(*i)).map(|(_, w)| w.text.as_str()))
}

/// The first pair of differing values of a wanted kind, as stored → new.
fn changed(a: &Reading, b: &Reading, p: &Pairing, wanted: impl Fn(ValueKind) -> bool) -> Option<String> {
    let found = b.values.iter().zip(&p.of_b).filter(|(v, _)| wanted(v.value.kind())).find_map(|(v, mate)| match mate {
        Some((i, Match::Different)) => Some((a.values.get(*i)?, v)),
        _ => None,
    });
    found.map(|(x, y)| format!("{} → {}", x.span.of(&a.content), y.span.of(&b.content)))
}
