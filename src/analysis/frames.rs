//! Compares two sentences that differ in one place: "I live in Leeds", "I live in York". Decides
//! whether the property has one value at a time, so that the new value replaces the old one.

use super::Change;
use super::reading::Reading;
use super::roles::{RoleToken, Roles};
use super::words::{Kind, Mark, Word};
use crate::language::{Cue, CueKind, words};
use crate::model::ChangeType;
use std::ops::Range;

/// The two fillings of the one place where the sentences differ.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    pub(super) was: String,
    pub(super) is: String,
    /// Byte range of the new filling.
    at: (usize, usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// The property has one value at a time.
    Replaces,
    /// The sentences have different subjects.
    OtherSubject,
    /// The property may have several values.
    Open,
}

impl Frame {
    /// The change of the property, if it has one value at a time.
    pub(super) fn change(&self, a: &Reading) -> Option<Change> {
        let (property, was, is) = (super::changes::subject(a), Some(&*self.was), Some(&*self.is));
        let change = Change { new_span: Some(self.at), ..Change::of(property, was, is, ChangeType::ValueChange) };
        (self.kind == FrameKind::Replaces).then_some(change)
    }
}

/// Compares the fillings; `None` unless the statements differ in exactly one place.
pub(super) fn frame(roles: &Roles, a: &Reading, b: &Reading) -> Option<Frame> {
    let [(was, is)] = roles.differing()? else { return None };
    if was.is_empty() || is.is_empty() {
        return None;
    }
    let (was_at, at) = (Roles::byte_range(a, &roles.old, was), Roles::byte_range(b, &roles.new, is));
    let (old, new) = (a.content.get(was_at)?.to_owned(), b.content.get(at.clone())?.to_owned());
    let korean = a.korean > 0.3;
    let sides = [(a, &roles.old[..], was), (b, &roles.new[..], is)];
    let is_replaced = || {
        // The sentence adds, asks or offers an alternative: 도, also.
        let adds = |c: &Cue| matches!(c.kind, CueKind::Addition | CueKind::Alternative | CueKind::Question);
        let is_open = b.content.cues().iter().any(adds) || is_past_tense(a) || is_past_tense(b);
        !is_open && sides.iter().all(|(r, all, at)| is_single_valued(r, all, &all[(*at).clone()], korean))
    };
    let kind = match () {
        () if sides.iter().all(|(r, all, at)| is_subject(r, all, at, korean)) => FrameKind::OtherSubject,
        () if is_replaced() => FrameKind::Replaces,
        () => FrameKind::Open,
    };
    Some(Frame { kind, was: old, is: new, at: (at.start, at.end) })
}

/// Whether the differing place holds the sentence's subject and no number.
fn is_subject(r: &Reading, all: &[RoleToken], at: &Range<usize>, korean: bool) -> bool {
    let figure = all[at.clone()].iter().any(|t| (t.first..=t.last).any(|n| r.words[n].number.is_some()));
    if figure || at.len() > 2 {
        return false;
    }
    if korean {
        return all.iter().position(RoleToken::is_subject).is_some_and(|marked| at.contains(&marked));
    }
    // Without a known verb, the subject is the name at the start of the sentence.
    let named = || all[at.clone()].iter().all(|t| r.words[t.first].capital || t.first == 0);
    let first = at.start == 0;
    verb(r).map_or(first && named(), |verb| all[at.clone()].iter().all(|t| t.first < verb))
}

/// The index of the first verb of an English sentence.
fn verb(r: &Reading) -> Option<usize> {
    let is_verb = |w: &Word| {
        w.function && words!("english/grammar.auxiliaries").contains(&&*w.text)
            || matches!(&*w.text, "am" | "be")
            || words!("analysis/words.one at a time").contains(&&*w.text)
            || w.is(Mark::Verb) && !w.capital
    };
    r.words.iter().position(is_verb)
}

fn is_past_tense(r: &Reading) -> bool {
    let past = |w: &Word| {
        matches!(&*w.text, "was" | "were" | "had" | "did" | "used")
            || w.kind == Kind::Latin && !w.capital && w.text.ends_with("ed") && w.text.len() > 4 && w.is(Mark::Verb)
            || w.kind == Kind::Hangul && r.content[w.start..w.end].chars().any(super::roles::is_past)
    };
    r.words.iter().any(past)
}

/// Whether the property has one value at a time: "my phone is …", "I live in …".
fn is_single_valued(r: &Reading, all: &[RoleToken], slot: &[RoleToken], korean: bool) -> bool {
    let listed = |w: &Word| {
        let raw = &r.content[w.start..w.end];
        words!("analysis/words.one at a time")
            .iter()
            .any(|one| if one.is_ascii() { *w.text == **one } else { w.text.starts_with(one) || raw.starts_with(one) })
    };
    let inside = |n: usize| slot.iter().any(|t| t.first <= n && n <= t.last);
    let verb = r.words.iter().enumerate().any(|(n, w)| listed(w) && !inside(n));
    if verb && (korean || follows_place_preposition(r, slot)) {
        return true;
    }
    is_copula(r, slot, korean) && is_definite(r, all, slot, korean)
}

/// Whether a preposition of place precedes the filling: "at Google", but not "with Ann".
fn follows_place_preposition(r: &Reading, slot: &[RoleToken]) -> bool {
    let mut before = r.words[..slot.first().map_or(0, |t| t.first)].iter().rev();
    let lead = before.find(|w| !matches!(&*w.text, "a" | "an" | "the"));
    lead.is_some_and(|w| matches!(&*w.text, "in" | "at" | "for" | "called" | "named"))
}

/// Whether the verb "to be" precedes the filling.
fn is_copula(r: &Reading, slot: &[RoleToken], korean: bool) -> bool {
    let (Some(first), Some(last)) = (slot.first(), slot.last()) else { return false };
    if korean {
        let ends = r.words[last.last + 1..].iter().all(|w| w.function) && !last.has_particle();
        let marked =
            r.words[..first.first].iter().any(|w| r.content[w.start..w.end].ends_with(['은', '는', '이', '가']));
        return ends && marked;
    }
    let mut before = r.words[..first.first].iter().rev();
    let lead = before.find(|w| !w.capital && !matches!(&*w.text, "a" | "an" | "the" | "in" | "called" | "now"));
    lead.is_some_and(|w| matches!(&*w.text, "is" | "are" | "am" | "s"))
}

/// Whether the subject is definite and people have only one: "my doctor", but not "my friend".
fn is_definite(r: &Reading, all: &[RoleToken], slot: &[RoleToken], korean: bool) -> bool {
    let end = slot.first().map_or(0, |t| t.first);
    let many = |w: &Word| {
        words!("analysis/words.one of several").iter().any(|m| *m == w.stem || w.text.starts_with(m) && !m.is_ascii())
    };
    let subject = &r.words[..if korean { end } else { verb(r).unwrap_or(end).min(end) }];
    let picks = |w: &Word| {
        matches!(&*w.text, "my" | "our" | "your" | "his" | "her" | "their" | "its" | "the" | "this")
            || r.content[w.start..w.end].ends_with("'s")
    };
    let named = all.iter().any(|t| t.first < end);
    named && !subject.iter().any(many) && (korean || subject.iter().any(picks))
}
