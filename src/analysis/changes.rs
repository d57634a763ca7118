//! Extracts property changes from paired values and names, in the texts' own words.

use super::Change;
use super::align::Alignment;
use super::lexicon::Behaviour;
use super::pairing::{Pairing, words_of};
use super::phrases::{Sign, says};
use super::reading::Reading;
use super::replaceable::{is_difference, is_past};
use super::words::{Kind as Made, Word};
use crate::language::{Found, Match, ValueKind, shown, without_particle};
use crate::model::ChangeType;

const MAX_CHANGES: usize = 6;

/// The subject of a statement: its first entity, or else its first content words.
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

type Range = (usize, usize);

/// A value or name that can fill a property, with its position.
struct Slot {
    span: Range,
    /// Indices of its words, end exclusive.
    words: Range,
    /// `None` for a name.
    kind: Option<ValueKind>,
}

fn slot(r: &Reading, v: &Found) -> Slot {
    Slot { span: (v.span.start, v.span.end), words: words_of(&r.words, v), kind: Some(v.value.kind()) }
}

/// Runs of unmatched name words outside of values.
fn names(r: &Reading, scores: &[f32]) -> Vec<Slot> {
    let is_name = |i: &usize| {
        let w = &r.words[*i];
        let is_free = !w.function && !is_described(w) && scores[*i] == 0.0 && r.value_of(w).is_none();
        is_free && w.kind != Made::Number && (w.capital || r.is_listed(w))
    };
    let names: Vec<usize> = (0..r.words.len()).filter(is_name).collect();
    let runs = names.chunk_by(|x, y| x + 1 == *y && r.words[*x].clause == r.words[*y].clause);
    let slot = |run: &[usize]| {
        let (first, last) = (run[0], run[run.len() - 1]);
        Slot { span: (r.words[first].start, r.words[last].end), words: (first, last + 1), kind: None }
    };
    runs.map(slot).collect()
}

/// Whether a word is a verb or an adjective, and so no name.
fn is_described(w: &Word) -> bool {
    w.sense.is_some_and(|s| matches!(s.behaviour(), Behaviour::Verb | Behaviour::Quality))
}

/// Whether the words before and after two names match; the end of a clause matches another.
fn share_place(a: &Reading, b: &Reading, al: &Alignment, old: &Slot, new: &Slot) -> bool {
    let beside = |r: &Reading, s: &Slot| {
        let clause = r.words[s.words.0].clause;
        let telling = |i: &usize| r.words[*i].weight > 0.0 && r.words[*i].clause == clause;
        ((0..s.words.0).rev().find(telling), (s.words.1..r.words.len()).find(telling))
    };
    let same = |x: Option<usize>, y: Option<usize>| match (x, y) {
        (Some(i), Some(j)) => al.of_b[j].is_some_and(|m| al.matches[m].a == i),
        (x, y) => x == y,
    };
    let (of_old, of_new) = (beside(a, old), beside(b, new));
    of_old != (None, None) && same(of_old.0, of_new.0) && same(of_old.1, of_new.1)
}

/// The property's name: the noun at most two words before its value, or the usual name for this kind.
fn property(r: &Reading, s: &Slot) -> String {
    let korean = r.korean > 0.3;
    let usual = match s.kind {
        None => shown::NAME,
        Some(kind) => shown::name_of_kind(kind),
    }
    .text(korean);
    let is_usual = |kind: ValueKind| {
        use ValueKind::{Clock, Date, Duration, Period, Recurrence, Status, Weekdays};
        matches!(kind, Clock | Date | Duration | Period | Recurrence | Status | Weekdays)
    };
    if s.kind.is_some_and(is_usual) {
        return usual.to_owned();
    }
    let noun = |w: &&Word| {
        let is_plain = !w.function && !w.capital && w.number.is_none();
        is_plain && matches!(w.kind, Made::Latin | Made::Hangul) && r.value_of(w).is_none() && !is_described(w)
    };
    let clause = r.words.get(s.words.0).map(|w| w.clause);
    let before = r.words[..s.words.0.min(r.words.len())].iter().rev().take(2);
    let named = before.filter(|w| Some(w.clause) == clause).find(noun);
    named.map_or(usual, |w| without_particle(&w.text)).to_owned()
}

/// The changes from the stored to the new memory, main change first, at most six.
pub fn changes(a: &Reading, b: &Reading, al: &Alignment, p: &Pairing) -> Vec<Change> {
    let denied = |r: &Reading| r.denied().contains(&true);
    let affirmed = (denied(a) || denied(b)).then(|| Pairing::of_affirmed(a, b, al));
    let p = affirmed.as_ref().unwrap_or(p);
    fn said(r: &Reading, s: Range) -> &str {
        r.content.get(s.0..s.1).unwrap_or_default()
    }
    let diff = |old: Option<&Slot>, new: Option<&Slot>, change_type: ChangeType| {
        let name = old.map(|s| property(a, s)).or_else(|| new.map(|s| property(b, s))).unwrap_or_default();
        let (was, is) = (old.map(|s| said(a, s.span)), new.map(|s| said(b, s.span)));
        Change { new_span: new.map(|s| s.span), ..Change::of(name, was, is, change_type) }
    };
    let is_near = |j: usize| matches!(p.of_b[j], Some((_, Match::Different))) && p.near[j] > 0;
    // Counts the unmatched values of a kind: not negated, not in both texts, not paired beside a common word.
    let open = |r: &Reading, kind: ValueKind, is_settled: &dyn Fn(usize) -> bool| {
        let is_open = |(n, v): &(usize, &Found)| v.value.kind() == kind && !r.denied()[*n] && !is_settled(*n);
        r.values.iter().enumerate().filter(is_open).count()
    };
    let open_of_a = |kind| open(a, kind, &|i| p.of_a[i].is_some_and(|(j, how)| how.agrees() || is_near(j)));
    let open_of_b = |kind| open(b, kind, &|j| is_near(j) || p.of_b[j].is_some_and(|(_, how)| how.agrees()));
    let mut replaced = Vec::new();
    let mut fresh: Vec<Slot> = Vec::new();
    for (j, (v, mate)) in b.values.iter().zip(&p.of_b).enumerate() {
        let kind = v.value.kind();
        match mate {
            Some((i, Match::Different)) => {
                let replaces = !is_past(&v.value) && !is_past(&a.values[*i].value) && !is_difference(&b.content, v);
                let is_only = || kind != ValueKind::Status && open_of_a(kind) == 1 && open_of_b(kind) == 1;
                if replaces && (is_near(j) || is_only()) {
                    let old = &a.values[*i];
                    let amounts = old.value.amount().zip(v.value.amount());
                    let grown = old.value.kind() == ValueKind::Quantity
                        && amounts.is_some_and(|(old, new)| new.as_f64() > old.as_f64());
                    replaced.push((grown, slot(a, old), slot(b, v)));
                }
            }
            None if !b.denied()[j]
                && matches!(kind, ValueKind::Money | ValueKind::Identifier)
                && open_of_a(kind) == 0 =>
            {
                fresh.push(slot(b, v));
            }
            _ => {}
        }
    }
    let mut gone = names(a, &al.scores_a);
    for new in names(b, &al.scores_b) {
        if let Some(at) = gone.iter().position(|old| share_place(a, b, al, old, &new)) {
            replaced.push((false, gone.remove(at), new));
        }
    }
    // A larger count is an expansion if the text also adds names or has a word of extension.
    let widened = !fresh.is_empty() || says(b.marked(), Sign::Widened);
    let replacements = replaced.iter().map(|(grown, old, new)| {
        diff(Some(old), Some(new), if *grown && widened { ChangeType::Expansion } else { ChangeType::ValueChange })
    });
    let additions = fresh.iter().map(|s| diff(None, Some(s), ChangeType::Addition));
    replacements.chain(additions).take(MAX_CHANGES).collect()
}
