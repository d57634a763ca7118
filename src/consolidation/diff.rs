//! Compares two versions of a memory by property and by word.

use crate::analysis;
use crate::language::{Span, Split, fold, runs};
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
    let told = analysis::changed(&Claim::from(a), &Claim::from(b));
    let mut properties: Vec<PropertyChange> = if a.content == b.content { Vec::new() } else { told };
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

/// Texts with a larger LCS table are shown as one replacement.
const MOST_CELLS: usize = 4_000_000;

/// The pieces that turn `a` into `b`.
fn words(a: &str, b: &str) -> Vec<DiffPiece> {
    let (a, b) = (split(a), split(b));
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let mut pieces = Pieces::default();
    pieces.same(&a[..head]);
    let (x, y) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let width = y.len() + 1;
    if (x.len() + 1) * width > MOST_CELLS {
        pieces.gone.extend(x);
        pieces.new.extend(y);
    } else {
        // LCS lengths of the suffixes, filled from the end.
        let mut longest = vec![0u16; (x.len() + 1) * width];
        for i in (0..x.len()).rev() {
            for j in (0..y.len()).rev() {
                longest[i * width + j] = if x[i] == y[j] {
                    longest[(i + 1) * width + j + 1] + 1
                } else {
                    longest[(i + 1) * width + j].max(longest[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < x.len() || j < y.len() {
            if i < x.len() && j < y.len() && x[i] == y[j] {
                // A blank between two changes joins them into one piece.
                let island = x[i].trim().is_empty() && pieces.pending() && x.get(i + 1) != y.get(j + 1);
                if island {
                    pieces.gone.push(x[i]);
                    pieces.new.push(y[j]);
                } else {
                    pieces.same(&x[i..=i]);
                }
                (i, j) = (i + 1, j + 1);
            } else if j == y.len() || (i < x.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
                pieces.gone.push(x[i]);
                i += 1;
            } else {
                pieces.new.push(y[j]);
                j += 1;
            }
        }
    }
    pieces.same(&a[a.len() - tail..]);
    pieces.flush();
    pieces.done
}

/// Words and the blanks between them.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut at) = (Vec::new(), 0);
    for Span { start, end } in runs(text, &Split::BLANKS).map(|run| run.span) {
        parts.extend([&text[at..start], &text[start..end]]);
        at = end;
    }
    parts.push(&text[at..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Collects pieces and joins adjacent changes.
#[derive(Default)]
struct Pieces<'a> {
    done: Vec<DiffPiece>,
    gone: Vec<&'a str>,
    new: Vec<&'a str>,
}

impl Pieces<'_> {
    fn pending(&self) -> bool {
        !self.gone.is_empty() || !self.new.is_empty()
    }

    fn same(&mut self, words: &[&str]) {
        if !words.is_empty() {
            self.flush();
            self.push(Stretch::Same, words.concat());
        }
    }

    fn flush(&mut self) {
        let (gone, new) = (std::mem::take(&mut self.gone).concat(), std::mem::take(&mut self.new).concat());
        self.push(Stretch::Gone, gone);
        self.push(Stretch::New, new);
    }

    fn push(&mut self, kind: Stretch, text: String) {
        match self.done.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.kind == kind => last.text.push_str(&text),
            _ => self.done.push(DiffPiece { kind, text }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts removed text in brackets and new text in braces.
    fn shown(a: &str, b: &str) -> String {
        let show = |p: &DiffPiece| match p.kind {
            Stretch::Same => p.text.clone(),
            Stretch::Gone => format!("[{}]", p.text),
            Stretch::New => format!("{{{}}}", p.text),
        };
        words(a, b).iter().map(show).collect()
    }

    #[test]
    fn word_diff_marks_changed_words() {
        let cases = [
            ("budget 50M, Dock 4", "budget 60M, Dock 4", "budget [50M,]{60M,} Dock 4"),
            ("예산 5000만원", "예산 6000만원 확정", "예산 [5000만원]{6000만원 확정}"),
            ("a b c", "a c", "a [b ]c"),
            ("a c", "a b c", "a {b }c"),
            ("one two", "three four", "[one two]{three four}"),
            ("same", "same", "same"),
            ("", "new", "{new}"),
            ("old", "", "[old]"),
            ("", "", ""),
            ("a x b y c", "a u b v c", "a [x]{u} b [y]{v} c"),
            ("a b c d e", "c d e a b", "[a b ]c d e{ a b}"),
            ("c d e a b", "a b c d e", "{a b }c d e[ a b]"),
            ("p q r s t u", "r p s q t r u", "[p q ]r {p }s {q }t{ r} u"),
            ("k a b m a b c n", "m a b c k n", "[k a b ]m a b c{ k} n"),
        ];
        for (a, b, expected) in cases {
            assert_eq!(shown(a, b), expected);
        }
    }

    #[test]
    fn texts_over_the_cell_limit_are_one_replacement() {
        let told = |words: usize| {
            let text = |with: &str| format!("{with} {}{with}", "same ".repeat(words));
            shown(&format!("{}end", text("a")), &format!("{}end", text("b"))).matches("same").count()
        };
        assert_eq!((told(100), told(1_200)), (100, 2_400));
    }

    #[test]
    fn pieces_rebuild_both_texts() {
        let long: String = (0..3_000).map(|n| format!("w{n} ")).collect();
        let other: String = (0..3_000).map(|n| format!("v{n} ")).collect();
        for (a, b) in [("a  b\tc", "a b\tc d"), (&long, &other), ("가 나 다", "가 라 다 마")] {
            let of = |not: Stretch| -> String {
                words(a, b).into_iter().filter(|p| p.kind != not).map(|p| p.text).collect()
            };
            assert_eq!((of(Stretch::New), of(Stretch::Gone)), (a.to_owned(), b.to_owned()));
        }
    }
}
