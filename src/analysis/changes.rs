//! What a memory is about, and which of its properties another one changes, in the words of both.
//!
//! It reads off an alignment; whether the change counts is decided elsewhere.

use super::Change;
use super::align::Alignment;
use super::lexicon::{self, Behaviour};
use super::reading::Reading;
use super::words::{Kind, Word};
use crate::model::{ChangeType, PropertyChange};

/// How many changes are told.
const MOST: usize = 6;

/// What a statement is about: its first entity, or the words it begins with.
pub fn subject(r: &Reading) -> String {
    if let Some(e) = r.entity_names.first() {
        return e.clone();
    }
    let content: Vec<&Word> = r.words.iter().filter(|w| !w.function).take(3).collect();
    match (content.first(), content.last()) {
        (Some(first), Some(last)) => r.content.get(first.start..last.end).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

fn value_like(w: &Word) -> bool {
    w.number.is_some()
        || matches!(w.kind, Kind::Code | Kind::Number)
        || w.capital
        || w.sense.is_some_and(|s| lexicon::behaviour(s.field()) == Behaviour::Sibling)
}

/// The words around a value that belong to it: its joined unit and a currency sign before it.
fn extent(content: &str, words: &[Word], from: usize, to: usize) -> (usize, usize) {
    let mut last = to;
    while words.get(last + 1).is_some_and(|w| w.joined) {
        last += 1;
    }
    let (mut start, end) = (words[from].start, words[last].end);
    let before = content.get(..start).and_then(|s| s.chars().next_back());
    if let Some(c) = before.filter(|c| matches!(c, '$' | '€' | '£' | '₩' | '¥' | '₹' | '#')) {
        start -= c.len_utf8();
    }
    (start, end)
}

/// The property a value belongs to: the nearest noun before it, or after it.
fn property(words: &[Word], at: usize) -> String {
    let noun = |w: &&Word| !w.function && !value_like(w);
    let word = words[..at.min(words.len())]
        .iter()
        .rev()
        .take(6)
        .find(noun)
        .or_else(|| words.get(at + 1..).and_then(|w| w.iter().find(noun)));
    word.map_or_else(|| "value".to_owned(), |w| w.text.clone())
}

/// The changes from the stored memory to the new one, the main one first.
pub fn changes(a: &Reading, b: &Reading, al: &Alignment) -> Vec<Change> {
    let (wa, wb) = (&a.words, &b.words);
    let free = |w: &[Word], of: &[Option<usize>]| -> Vec<usize> {
        w.iter().enumerate().filter(|(i, w)| value_like(w) && of[*i].is_none() && !w.joined).map(|(i, _)| i).collect()
    };
    let (mut old, new) = (free(wa, &al.of_a), free(wb, &al.of_b));
    let mut out = Vec::new();
    let unit = |w: &[Word], i: usize| w.get(i + 1).filter(|u| !u.function).map(|u| u.hash);
    for j in new {
        // The old value of the same kind, preferring the same unit, then the same neighbours.
        let fit = |i: usize| -> i32 {
            let (x, y) = (&wa[i], &wb[j]);
            let numeric = |w: &Word| w.number.is_some() || w.kind == Kind::Number;
            if numeric(x) != numeric(y) || (x.kind == Kind::Code) != (y.kind == Kind::Code) {
                return -1;
            }
            let field = |w: &Word| w.sense.map(|s| s.field());
            if !numeric(x) && x.kind != Kind::Code && field(x) != field(y) {
                return -1;
            }
            i32::from(unit(wa, i).is_some() && unit(wa, i) == unit(wb, j)) * 2
                + i32::from(i > 0 && j > 0 && wa[i - 1].hash == wb[j - 1].hash) * 2
                + 1
        };
        let mate = old.iter().copied().filter(|i| fit(*i) > 0).max_by_key(|i| (fit(*i), std::cmp::Reverse(*i)));
        let new_span = extent(&b.content, wb, j, j);
        let said = |content: &str, span: (usize, usize)| content.get(span.0..span.1).unwrap_or_default().to_owned();
        match mate {
            Some(i) => {
                old.retain(|k| *k != i);
                let old_span = extent(&a.content, wa, i, i);
                out.push(Change {
                    change: PropertyChange {
                        property: property(wa, i),
                        old_value: Some(said(&a.content, old_span)),
                        new_value: Some(said(&b.content, new_span)),
                        change_type: ChangeType::ValueChange,
                    },
                    old_span: Some(old_span),
                    new_span: Some(new_span),
                });
            }
            None => out.push(Change {
                change: PropertyChange {
                    property: property(wb, j),
                    old_value: None,
                    new_value: Some(said(&b.content, new_span)),
                    change_type: ChangeType::Addition,
                },
                old_span: None,
                new_span: Some(new_span),
            }),
        }
    }
    // Replaced values come before added ones; within each, the order of the text.
    out.sort_by_key(|c| c.change.change_type != ChangeType::ValueChange);
    out.truncate(MOST);
    out
}
