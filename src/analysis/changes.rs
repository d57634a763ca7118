//! Extracts property changes from paired values and names, in the texts' own words. Other modules
//! decide whether a change counts.

use super::Change;
use super::align::Alignment;
use super::lexicon::Behaviour;
use super::pairing::{Pairing, words_of};
use super::phrases::{Sign, says};
use super::reading::Reading;
use super::words::{Kind as Made, Word};
use crate::language::{Found, Match, Value, ValueKind, shown, without_particle};
use crate::model::{ChangeType, PropertyChange};

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

type ByteRange = (usize, usize);

/// A value or name that can fill a property, with its position.
struct Slot {
    span: ByteRange,
    /// Index of its first word.
    word: usize,
    kind: Option<ValueKind>,
}

fn slot(r: &Reading, v: &Found) -> Slot {
    Slot { span: (v.span.start, v.span.end), word: words_of(&r.words, v).0, kind: Some(v.value.kind()) }
}

/// Runs of unmatched name words outside of values.
fn names(r: &Reading, met: &dyn Fn(usize) -> bool) -> Vec<Slot> {
    let inside = |i: usize| r.values.iter().any(|v| v.span.meets(r.words[i].start, r.words[i].end));
    let name = |i: usize| {
        let w = &r.words[i];
        let listed = r.entities.iter().any(|e| e.iter().any(|x| x.hash == w.hash));
        let known = w.sense.is_some_and(|s| matches!(s.behaviour(), Behaviour::Verb | Behaviour::Quality));
        !w.function && !known && !met(i) && !inside(i) && w.kind != Made::Number && (w.capital || listed)
    };
    let mut out: Vec<Slot> = Vec::new();
    let mut last = None;
    for i in (0..r.words.len()).filter(|i| name(*i)) {
        match out.last_mut() {
            Some(s) if last == i.checked_sub(1) && r.words[i].clause == r.words[s.word].clause => {
                s.span.1 = r.words[i].end
            }
            _ => out.push(Slot { span: (r.words[i].start, r.words[i].end), word: i, kind: None }),
        }
        last = Some(i);
    }
    out
}

/// The property's name: the noun next to its value, or else the usual name for this kind of value.
fn property(r: &Reading, s: &Slot) -> String {
    let korean = r.korean > 0.3;
    let usual = match s.kind {
        None => shown::NAME,
        Some(ValueKind::Recurrence) => shown::DATE,
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
    let in_value = |w: &Word| r.values.iter().any(|v| v.span.meets(w.start, w.end));
    let noun = |w: &&Word| {
        !w.function
            && !w.capital
            && w.number.is_none()
            && matches!(w.kind, Made::Latin | Made::Hangul)
            && !in_value(w)
            && !w.sense.is_some_and(|s| matches!(s.behaviour(), Behaviour::Verb | Behaviour::Quality))
    };
    let before = r.words[..s.word.min(r.words.len())].iter().rev().take(5).find(noun);
    let after = || r.words.iter().filter(|w| w.start >= s.span.1).take(4).find(noun);
    before.or_else(after).map_or(usual, |w| without_particle(&w.text)).to_owned()
}

fn amount(v: &Value) -> Option<f64> {
    match v {
        Value::Quantity { number, .. } | Value::Number(number) => Some(number.as_f64()),
        _ => None,
    }
}

/// The changes from the stored to the new memory, main change first, at most six.
pub fn changes(a: &Reading, b: &Reading, al: &Alignment, p: &Pairing) -> Vec<Change> {
    let denied = |r: &Reading| r.denied().contains(&true);
    let affirmed = (denied(a) || denied(b)).then(|| Pairing::of_affirmed(a, b, al));
    let p = affirmed.as_ref().unwrap_or(p);
    let said = |r: &Reading, s: ByteRange| r.content.get(s.0..s.1).unwrap_or_default().to_owned();
    let diff = |old: Option<&Slot>, new: Option<&Slot>, change_type: ChangeType| Change {
        change: PropertyChange {
            property: old.map(|s| property(a, s)).or_else(|| new.map(|s| property(b, s))).unwrap_or_default(),
            old_value: old.map(|s| said(a, s.span)),
            new_value: new.map(|s| said(b, s.span)),
            change_type,
        },
        new_span: new.map(|s| s.span),
    };
    let mut replaced = Vec::new();
    let mut fresh: Vec<Slot> = Vec::new();
    for ((v, mate), is_denied) in b.values.iter().zip(&p.of_b).zip(b.denied().iter().copied()) {
        match mate {
            Some((i, Match::Different)) => {
                let (x, y) = (amount(&a.values[*i].value), amount(&v.value));
                let grown = x.zip(y).is_some_and(|(x, y)| y > x) && a.values[*i].value.kind() == ValueKind::Quantity;
                replaced.push((grown, slot(a, &a.values[*i]), slot(b, v)));
            }
            None if !is_denied => fresh.push(slot(b, v)),
            _ => {}
        }
    }
    let mut gone: Vec<Slot> =
        a.values.iter().zip(&p.of_a).filter(|(_, m)| m.is_none()).map(|(v, _)| slot(a, v)).collect();
    fresh.extend(names(b, &|j| al.met_b(j)));
    gone.extend(names(a, &|i| al.met_a(i)));
    // A new status, identifier or name replaces an unmatched one of its kind, even if their meanings differ.
    fresh.retain(|new| {
        let alike = |old: &Slot| {
            old.kind == new.kind && matches!(new.kind, None | Some(ValueKind::Status | ValueKind::Identifier))
        };
        match gone.iter().position(alike) {
            Some(at) => {
                let old = gone.remove(at);
                replaced.push((false, old, Slot { span: new.span, word: new.word, kind: new.kind }));
                false
            }
            None => true,
        }
    });
    // A larger count is an expansion if the text also adds names or has a word of extension.
    let widened = !fresh.is_empty() || says(b.marked(), Sign::Widened);
    let mut out: Vec<Change> = replaced
        .iter()
        .map(|(grown, old, new)| {
            diff(Some(old), Some(new), if *grown && widened { ChangeType::Expansion } else { ChangeType::ValueChange })
        })
        .collect();
    out.extend(
        fresh.iter().filter(|s| s.kind != Some(ValueKind::Number)).map(|s| diff(None, Some(s), ChangeType::Addition)),
    );
    out.truncate(MAX_CHANGES);
    out
}
