//! Announced changes of a property whose value may be of any kind: "The room has changed to C305".

use super::Change;
use super::align::Alignment;
use super::reading::{NewValue, Reading};
use super::roles::end_of;
use crate::language::words;
use crate::model::ChangeType;
use std::ops::Range;

const MAX_WORDS: usize = 4;
/// Without a verb of change, more words are a sentence and no value: "새 날짜는 1월에 알려 드리겠습니다".
const MAX_NAME_WORDS: usize = 2;

/// The announced change, if the stored text has the topic and exactly one other value of the same form.
pub(super) fn announced(a: &Reading, b: &Reading, al: &Alignment) -> Option<Change> {
    b.change_sentences.get()?.iter().filter_map(|s| s.new_value.as_ref()).find_map(|change| compare(a, b, al, change))
}

fn compare(a: &Reading, b: &Reading, al: &Alignment, change: &NewValue) -> Option<Change> {
    let NewValue { topic, given_up, new } = change.clone();
    let property = *topic.last()?;
    if !topic.iter().all(|j| b.words[*j].weight == 0.0 || al.of_b[*j].is_some())
        || !given_up.clone().all(|j| b.words[j].weight == 0.0 || al.met_b(j))
        || new.clone().all(|j| al.met_b(j))
    {
        return None;
    }
    // The stored value is named, or else it is what the new text does not repeat.
    let mut named: Vec<usize> = given_up.filter_map(|j| Some(al.matches[al.of_b[j]?].a)).collect();
    named.sort_unstable();
    let left: Vec<usize> = (0..a.words.len()).filter(|i| a.words[*i].weight > 0.0 && !al.met_a(*i)).collect();
    let mut runs: Vec<Range<usize>> =
        left.chunk_by(|x, y| x + 1 == *y).map(|run| run[0]..run[run.len() - 1] + 1).collect();
    if let (true, [first, ..], [.., last]) = (runs.is_empty(), &named[..], &named[..]) {
        runs.push(*first..*last + 1);
    }
    let wanted = form(b, &new);
    // A plain word is a value only if nothing else is left.
    let is_plain = wanted == (false, false) && runs.len() > 1;
    let is_value = |r: &Reading, range: &Range<usize>| {
        range.len() <= MAX_WORDS && !r.words[range.clone()].iter().any(|w| w.function)
    };
    runs.retain(|run| form(a, run) == wanted && is_value(a, run));
    let [old] = &runs[..] else { return None };
    let bytes = |r: &Reading, range: &Range<usize>| r.words[range.start].start..end_of(&r.words[range.end - 1]);
    let (old, at) = (bytes(a, old), bytes(b, &new));
    let (was, is) = (a.content.get(old), b.content.get(at.clone()));
    let change = Change::of(b.words[property].text.clone(), was, is, ChangeType::ValueChange);
    (!is_plain && is_value(b, &new)).then_some(Change { new_span: Some((at.start, at.end)), ..change })
}

/// Whether a value has figures, or else is a name.
fn form(r: &Reading, range: &Range<usize>) -> (bool, bool) {
    let words = &r.words[range.clone()];
    let has_figures = words.iter().any(|w| w.text.contains(|c: char| c.is_ascii_digit()));
    (has_figures, !has_figures && words.iter().any(|w| w.capital))
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
    let most = if verb.is_some() { MAX_WORDS } else { MAX_NAME_WORDS };
    // The tokenizer may have left a particle on the word.
    let is_marked = |j: &usize| words!("analysis/words.particles of a property").end(raw(*j));
    let marked = match other.filter(|_| verb.is_none()) {
        Some(other) => (other + 1..end).find(is_marked)?,
        None => (range.start..end).rev().find(is_marked)?,
    };
    let from = (marked + 1..end).rev().find(|j| raw(*j).ends_with("에서")).map_or(marked + 1, |j| j + 1);
    let topic = (range.start..=marked).filter(|j| Some(*j) != other).collect();
    (end - from <= most).then(|| NewValue { topic, given_up: marked + 1..from, new: from..end })
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
