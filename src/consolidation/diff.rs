//! Compares two versions of a memory by property and by word.

use crate::analysis::differences;
use crate::language::{common_pairs, fold};
use crate::model::{ChangeType, Claim, DayOrTime, Id, Memory, PropertyChange};
use serde::{Deserialize, Serialize};

/// How a piece of text changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Stretch {
    /// In both versions.
    Same,
    /// Only in the first version.
    Gone,
    /// Only in the second version.
    New,
}

/// A piece of text. The first content has all but new pieces, the second all but gone ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct DiffPiece {
    /// How it changed.
    pub kind: Stretch,
    /// Its words with surrounding whitespace.
    pub text: String,
}

/// The differences between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The first version.
    pub from: Id,
    /// The second version.
    pub to: Id,
    /// The changed values: first those found in the contents, then fields by name.
    pub properties: Vec<PropertyChange>,
    /// The word diff of the contents.
    pub words: Vec<DiffPiece>,
}

/// Compares `a` with `b`.
pub fn difference(a: &Memory, b: &Memory) -> Difference {
    let told = || differences(&Claim::from(a), &Claim::from(b)).into_iter().map(|c| c.change).collect();
    let mut properties: Vec<PropertyChange> = if a.content == b.content { Vec::new() } else { told() };
    let mut add = |property: &str, old: Option<String>, new: Option<String>| {
        let told = properties.iter().any(|p| p.old_value == old && p.new_value == new);
        let change_type = match (&old, &new) {
            (None, _) => ChangeType::Addition,
            (_, None) => ChangeType::Removal,
            _ => ChangeType::ValueChange,
        };
        if old != new && !told {
            properties.push(PropertyChange {
                property: property.to_owned(),
                old_value: old,
                new_value: new,
                change_type,
            });
        }
    };
    let value =
        |m: &Memory, name: &str| m.properties.iter().find(|p| fold(&p.name) == fold(name)).map(|p| p.value.clone());
    for p in &a.properties {
        add(&p.name, Some(p.value.clone()), value(b, &p.name));
    }
    for p in b.properties.iter().filter(|p| value(a, &p.name).is_none()) {
        add(&p.name, None, Some(p.value.clone()));
    }
    for (name, x, y) in [("people", &a.people, &b.people), ("entities", &a.entities, &b.entities)] {
        let lacks = |list: &[String], name: &str| list.iter().all(|n| fold(n) != fold(name));
        for gone in x.iter().filter(|n| lacks(y, n)) {
            add(name, Some(gone.clone()), None);
        }
        for new in y.iter().filter(|n| lacks(x, n)) {
            add(name, None, Some(new.clone()));
        }
    }
    add("category", Some(a.category.as_str().to_owned()), Some(b.category.as_str().to_owned()));
    let time = |t: Option<DayOrTime>| t.map(|t| t.to_string());
    add("occurredAt", time(Some(a.occurred_at)), time(Some(b.occurred_at)));
    add("validFrom", time(a.valid_from), time(b.valid_from));
    add("validUntil", time(a.valid_until), time(b.valid_until));
    Difference { from: a.id, to: b.id, properties, words: words(&a.content, &b.content) }
}

/// Texts with a larger table of lengths are shown as one replacement.
const MOST_CELLS: usize = 4_000_000;

fn words(a: &str, b: &str) -> Vec<DiffPiece> {
    let words = |text| str::split_inclusive(text, char::is_whitespace).collect::<Vec<&str>>();
    let (a, b) = (words(a), words(b));
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (x, y) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let fits = (x.len() + 1) * (y.len() + 1) <= MOST_CELLS;
    let common = if fits { common_pairs(x.len(), y.len(), |i, j| x[i] == y[j]) } else { Vec::new() };
    let mut pieces = Vec::new();
    a[..head].iter().for_each(|word| push(&mut pieces, Stretch::Same, word));
    let (mut i, mut j) = (0, 0);
    for (to_i, to_j) in common.into_iter().chain([(x.len(), y.len())]) {
        x[i..to_i].iter().for_each(|word| push(&mut pieces, Stretch::Gone, word));
        y[j..to_j].iter().for_each(|word| push(&mut pieces, Stretch::New, word));
        x.get(to_i).into_iter().for_each(|word| push(&mut pieces, Stretch::Same, word));
        (i, j) = (to_i + 1, to_j + 1);
    }
    a[a.len() - tail..].iter().for_each(|word| push(&mut pieces, Stretch::Same, word));
    pieces
}

fn push(pieces: &mut Vec<DiffPiece>, kind: Stretch, text: &str) {
    match pieces.last_mut() {
        Some(last) if last.kind == kind => last.text.push_str(text),
        _ => pieces.push(DiffPiece { kind, text: text.to_owned() }),
    }
}
