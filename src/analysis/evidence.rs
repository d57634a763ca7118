//! The words in which a feature was seen, so that a reason can be shown in the mail's own terms.
//!
//! It looks things up for people; nothing is decided by what it returns.

use super::align::Alignment;
use super::pairing::{KINDS, Pairing};
use super::reading::Reading;
use super::words::Word;
use crate::language::Match;

/// Words of evidence that are shown.
const MOST: usize = 4;

/// The words behind a feature, stored → new, where there are any to show.
pub fn evidence(code: &str, a: &Reading, b: &Reading, al: &Alignment, p: &Pairing) -> Option<String> {
    if let Some((kind, what)) = KINDS.iter().find_map(|(k, n)| Some((*k, code.strip_prefix(n)?.strip_prefix('_')?))) {
        return value(kind, what, a, b, p);
    }
    let entity = |r: &Reading, n: usize| r.entity_names.get(n).cloned();
    let arrow = |x: Option<String>, y: Option<String>| match (x, y) {
        (Some(x), Some(y)) => Some(format!("{x} → {y}")),
        (x, y) => x.or(y),
    };
    match code {
        "entity_b_first_in_a" | "entity_b_first_in_entities" | "entity_first_same" | "entity_first_same_first" => {
            arrow(entity(a, 0), entity(b, 0))
        }
        "entity_b_last_in_a" => b.entity_names.last().cloned(),
        "entities_b_in_a" | "entities_new" | "entities_same" => joined(b.entity_names.iter().map(String::as_str)),
        "entities_a_in_b" | "entities_gone" => joined(a.entity_names.iter().map(String::as_str)),
        "subject_same" | "subject_cover_b" | "subject_b_in_a" => {
            (!b.subject_line.is_empty()).then(|| b.subject_line.clone())
        }
        _ if code.starts_with("value_diff")
            || code.starts_with("instance_other")
            || code.starts_with("property_changed") =>
        {
            pairs(a, b, p)
        }
        _ if code.starts_with("new_") || code.starts_with("frame_b_new") || code.starts_with("rest_b_new") => {
            unmet(&b.words, &|j| al.met_b(j))
        }
        _ if code.starts_with("gone_") || code.starts_with("frame_a_gone") => unmet(&a.words, &|i| al.met_a(i)),
        _ => None,
    }
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let list: Vec<&str> = words.take(MOST).collect();
    (!list.is_empty()).then(|| list.join(", "))
}

fn unmet(words: &[Word], met: &dyn Fn(usize) -> bool) -> Option<String> {
    joined(words.iter().enumerate().filter(|(i, w)| w.weight > 0.0 && !met(*i)).map(|(_, w)| w.text.as_str()))
}

fn pairs(a: &Reading, b: &Reading, p: &Pairing) -> Option<String> {
    let found = b.values.iter().zip(&p.of_b).find_map(|(v, mate)| match mate {
        Some((i, Match::Different)) => Some((a.values.get(*i)?, v)),
        _ => None,
    });
    found.map(|(x, y)| format!("{} → {}", x.span.of(&a.content), y.span.of(&b.content)))
}

fn value(kind: crate::language::ValueKind, what: &str, a: &Reading, b: &Reading, p: &Pairing) -> Option<String> {
    let new = b.values.iter().zip(&p.of_b).filter(|(v, _)| v.value.kind() == kind);
    match what {
        "gone" => {
            let of = a.values.iter().zip(&p.of_a).filter(|(v, m)| v.value.kind() == kind && m.is_none());
            joined(of.map(|(v, _)| v.span.of(&a.content)))
        }
        "added" => joined(new.filter(|(_, m)| m.is_none()).map(|(v, _)| v.span.of(&b.content))),
        _ => {
            let wanted = |how: Match| (how == Match::Different) == (what == "changed");
            new.filter_map(|(v, m)| m.filter(|(_, how)| wanted(*how)).and_then(|(i, _)| Some((a.values.get(i)?, v))))
                .next()
                .map(|(x, y)| format!("{} → {}", x.span.of(&a.content), y.span.of(&b.content)))
        }
    }
}
