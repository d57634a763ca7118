//! Announced changes of a property whose value may be of any kind: "The room has changed to C305".

use super::Change;
use super::align::{Alignment, How};
use super::reading::{NewValue, Reading};
use super::roles::end_of;
use super::words::{Mark, Word};
use crate::language::{ValueKind, words};
use crate::model::{ChangeType, PropertyChange};
use std::ops::Range;

/// Maximum number of words of a value.
const MAX_WORDS: usize = 4;

/// A sentence that gives a stored property another value; ranges are of words.
#[derive(Debug)]
pub(super) struct Announced {
    /// The stored value.
    old: Range<usize>,
    new: Range<usize>,
    /// The new text's name of the property.
    property: usize,
}

/// The announced change, if the stored text has the topic and exactly one other value of the same form.
pub(super) fn announced(a: &Reading, b: &Reading, al: &Alignment) -> Option<Announced> {
    b.change_sentences.get()?.iter().filter_map(|s| s.new_value.as_ref()).find_map(|change| compare(a, b, al, change))
}

fn compare(a: &Reading, b: &Reading, al: &Alignment, change: &NewValue) -> Option<Announced> {
    let NewValue { topic, given_up, new } = change.clone();
    let property = *topic.last()?;
    // Night and weekend have one sense, but are two topics.
    let start = |w: &Word| w.text.chars().take(2).collect::<String>();
    let is_same = |j: usize| {
        al.of_b[j]
            .map(|m| &al.matches[m])
            .is_some_and(|m| m.how != How::Sense || start(&a.words[m.a]) == start(&b.words[j]))
    };
    let is_told = |j: usize| b.words[j].weight == 0.0 || is_same(j);
    if !topic.iter().all(|j| is_told(*j))
        || !given_up.clone().all(|j| is_told(j) || al.met_b(j))
        || new.is_empty()
        || new.clone().all(|j| al.met_b(j))
    {
        return None;
    }
    let named: Vec<usize> = given_up.filter_map(|j| Some(al.matches[al.of_b[j]?].a)).collect();
    let is_left = |i: &usize| a.words[*i].weight > 0.0 && !al.met_a(*i);
    let left: Vec<usize> = (0..a.words.len()).filter(is_left).collect();
    let mut runs: Vec<Range<usize>> =
        left.chunk_by(|x, y| x + 1 == *y).map(|run| run[0]..run[run.len() - 1] + 1).collect();
    if let (true, Some(first), Some(last)) = (runs.is_empty(), named.iter().min(), named.iter().max()) {
        runs.push(*first..*last + 1);
    }
    let wanted = form(b, &new);
    // A plain word is a value only if nothing else is left.
    let is_plain = !wanted.has_figures && !wanted.is_name && runs.len() > 1;
    let is_value = |r: &Reading, range: &Range<usize>| {
        range.len() <= MAX_WORDS && r.words[range.clone()].iter().all(|w| !w.function && !w.is(Mark::Verb))
    };
    runs.retain(|run| form(a, run).fits(&wanted) && is_value(a, run));
    let [old] = &runs[..] else { return None };
    (!is_plain && is_value(b, &new)).then(|| Announced { old: old.clone(), new, property })
}

/// What a value looks like.
struct ValueForm {
    kind: Option<ValueKind>,
    has_figures: bool,
    is_name: bool,
}

impl ValueForm {
    fn fits(&self, other: &Self) -> bool {
        use ValueKind::{Identifier, Number, Ordinal, Quantity};
        // A room or a count may be written as a bare number.
        let kind = |form: &Self| form.kind.filter(|k| !matches!(k, Number | Identifier | Ordinal | Quantity));
        let is_one_kind = kind(self) == kind(other) || kind(self).is_none() || kind(other).is_none();
        is_one_kind && (self.has_figures, self.is_name) == (other.has_figures, other.is_name)
    }
}

fn form(r: &Reading, range: &Range<usize>) -> ValueForm {
    let words = &r.words[range.clone()];
    let kind = r.values.iter().find(|v| words.iter().any(|w| v.span.meets(w.start, w.end))).map(|v| v.value.kind());
    let has_figures = words.iter().any(|w| w.text.contains(|c: char| c.is_ascii_digit()));
    ValueForm { kind, has_figures, is_name: !has_figures && words.iter().any(|w| w.capital) }
}

/// Parses a sentence of change at a byte range.
pub(super) fn parse(b: &Reading, at: &Range<usize>) -> Option<NewValue> {
    let first = b.words.partition_point(|w| w.start < at.start);
    let last = b.words.partition_point(|w| w.start < at.end);
    if b.korean > 0.3 { korean(b, first..last) } else { english(b, first..last) }
}

/// "회의실이 201호에서 305호로 변경", "새 회의실은 305호".
fn korean(b: &Reading, range: Range<usize>) -> Option<NewValue> {
    let raw = |j: usize| &b.content[b.words[j].start..b.words[j].end];
    let is_verb = |j: &usize| words!("analysis/words.becomes").iter().any(|stem| raw(*j).starts_with(stem));
    let leads = |j: usize| words!("analysis/words.particles of an end").end(raw(j));
    let verb = range.clone().skip(1).find(|j| is_verb(j) && leads(j - 1));
    let other = (range.start..range.end).find(|j| words!("analysis/words.another").contains(&raw(*j)));
    let end = verb.or(other.map(|_| range.end))?;
    // The tokenizer may have left a particle on the word.
    let is_marked = |j: &usize| words!("analysis/words.particles of a property").end(raw(*j));
    let marked = match other.filter(|_| verb.is_none()) {
        Some(other) => (other + 1..end).find(is_marked)?,
        None => (range.start..end).rev().find(is_marked)?,
    };
    let from = (marked + 1..end).rev().find(|j| raw(*j).ends_with("에서")).map_or(marked + 1, |j| j + 1);
    let topic = (range.start..=marked).filter(|j| Some(*j) != other).collect();
    Some(NewValue { topic, given_up: marked + 1..from, new: from..end })
}

/// "We changed the room from B201 to C305", "The room has changed to C305", "The new room is C305".
fn english(b: &Reading, range: Range<usize>) -> Option<NewValue> {
    let text = |j: usize| &*b.words[j].text;
    let find = |from: usize, word: &[&str]| (from..range.end).find(|j| word.contains(&text(*j)));
    let verb = range.clone().find(|j| words!("analysis/words.becomes").contains(&text(*j)));
    let (lead, to) = match verb {
        Some(verb) => (verb, find(verb + 1, &["to"])?),
        None => {
            let other = find(range.start, &["new"])?;
            (other, find(other + 1, &["is", "are"])?)
        }
    };
    let from = (lead + 1..to).find(|j| text(*j) == "from").unwrap_or(to);
    let topic = (range.start..from).filter(|j| *j != lead && b.words[*j].weight > 0.0).collect();
    let start = (to + 1..range.end).find(|j| !matches!(text(*j), "a" | "an" | "the"))?;
    let is_end = |j: &usize| b.words[*j].function || b.words[*j].clause != b.words[to].clause;
    let end = (start..range.end).find(is_end).unwrap_or(range.end);
    Some(NewValue { topic, given_up: (from + 1).min(to)..to, new: start..end })
}

impl Announced {
    /// The change of this value.
    pub(super) fn change(&self, a: &Reading, b: &Reading) -> Change {
        let bytes = |r: &Reading, range: &Range<usize>| (r.words[range.start].start, end_of(&r.words[range.end - 1]));
        let text = |r: &Reading, (start, end)| r.content.get(start..end).map(str::to_owned);
        let (old, new) = (bytes(a, &self.old), bytes(b, &self.new));
        let change = PropertyChange {
            property: b.words[self.property].text.clone(),
            old_value: text(a, old),
            new_value: text(b, new),
            change_type: ChangeType::ValueChange,
        };
        Change { change, new_span: Some(new) }
    }
}
