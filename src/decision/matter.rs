//! Detects whether two texts contradict each other on one matter, so that a person can be asked.

use super::{Analyst, Candidate, Decided, Decision, Reason};
use crate::analysis::words::{Mark, Word, words};
use crate::analysis::{Change, differences};
use crate::language::{Found, State, Value, values};
use crate::model::{ChangeType, Claim, Draft, Memory, Source};

/// Minimum share of the shorter topic that the other text has too.
const SHARED: f32 = 0.3;
/// Below this share, two topics are unrelated.
const RELATED: f32 = 0.15;
/// Minimum probability that two memories are one thing for a question about their difference.
const ONE_THING: f32 = 0.45;

const ENDING_STATES: [State; 4] = [State::Cancelled, State::Postponed, State::Terminated, State::Withdrawn];

/// Whether a new text is about the same matter as a stored one and changes a property's value.
pub fn is_contested(stored: &Claim<'_>, new: &Claim<'_>) -> bool {
    topic_share(stored.content, new.content) >= SHARED
        && share_topic_word(stored, new)
        && gives_another_value(stored, new)
}

/// Whether each text has a name that the other lacks: Gio's lesson and Lian's at one pool.
pub fn name_others(one: &str, two: &str) -> bool {
    let is_name = |w: &&Word| w.capital || w.is(Mark::Unknown);
    let (a, b) = (topic(one), topic(two));
    let lacks =
        |of: &[Word], other: &[Word]| of.iter().filter(is_name).any(|w| other.iter().all(|o| !are_same_word(o, w)));
    lacks(&a, &b) && lacks(&b, &a)
}

/// Whether two texts share a topic word apart from their subject lines. A thread has several topics.
fn share_topic_word(stored: &Claim<'_>, new: &Claim<'_>) -> bool {
    let (one, two) = (topic(text_without_subject(stored)), topic(text_without_subject(new)));
    one.iter().any(|w| two.iter().any(|other| are_same_word(w, other)))
}

/// The text of a claim without the subject line before it: "Plan (Mina Park): …".
fn text_without_subject<'a>(claim: &Claim<'a>) -> &'a str {
    let (content, subject) = (claim.content, claim.subject.unwrap_or_default());
    let has_subject_line =
        !subject.is_empty() && content.get(..subject.len()).is_some_and(|head| head.eq_ignore_ascii_case(subject));
    match content.split_once(": ").filter(|_| has_subject_line) {
        Some((head, said)) if head.len() >= subject.len() => said,
        _ => content,
    }
}

/// Whether a value replaces another of its kind.
fn gives_another_value(stored: &Claim<'_>, new: &Claim<'_>) -> bool {
    let is_end =
        |f: &Found| matches!(f.value, Value::Status { state, negated: false } if ENDING_STATES.contains(&state));
    let ends = |text: &Option<String>| values(text.as_deref().unwrap_or_default(), None).iter().any(is_end);
    let is_other = |c: &Change| {
        if c.change.change_type == ChangeType::Addition {
            return ends(&c.change.new_value);
        }
        let [old, new] = c.value_kinds();
        let replaces = matches!(c.change.change_type, ChangeType::ValueChange | ChangeType::Expansion);
        // Names are values too: "The Harbour Room", "the Garden Hall".
        let are_names = || [&c.change.old_value, &c.change.new_value].into_iter().all(is_name);
        replaces && old == new && (old.is_some() || are_names())
    };
    differences(stored, new).iter().any(is_other)
}

/// Whether a value contains a capitalised name.
fn is_name(value: &Option<String>) -> bool {
    value.as_deref().is_some_and(|text| words(text).iter().any(|w| w.capital))
}

/// The share of the shorter topic that the other text has too, 0–1.
fn topic_share(one: &str, two: &str) -> f32 {
    let (one, two) = (topic(one), topic(two));
    let weight = |of: &[Word]| of.iter().map(|w| w.weight).sum::<f32>();
    let least = weight(&one).min(weight(&two));
    let met = |w: &&Word| two.iter().any(|other| are_same_word(w, other));
    let shared: f32 = one.iter().filter(met).map(|w| w.weight).sum();
    if least > 0.0 { (shared / least).min(1.0) } else { 0.0 }
}

fn are_same_word(a: &Word, b: &Word) -> bool {
    a.stem == b.stem || a.sense.is_some() && a.sense == b.sense
}

fn topic(text: &str) -> Vec<Word> {
    let found: Vec<Found> = values(text, None);
    let is_free = |w: &Word| !found.iter().any(|f| f.span.covers(w.start, w.end));
    let mut all: Vec<Word> = Vec::new();
    for word in words(text) {
        if word.has_content() && is_free(&word) && all.iter().all(|known| !are_same_word(known, &word)) {
            all.push(word);
        }
    }
    all
}

/// Keeps an uncertain decision for review only if the two texts contradict each other on one matter.
pub(super) fn ask_what_is_contested(decided: &mut Decided, draft: &Draft, known: &[(Candidate, Memory)]) {
    let asks_itself = |r: &Reason| {
        matches!(
            r,
            Reason::NotSure { .. } | Reason::LocalAnalystSure { .. } | Reason::Feature(_) | Reason::NoStanding { .. }
        )
    };
    let is_own = decided.analyst == Analyst::Local && decided.ruling != Some(super::Ruling::Review);
    let is_mail = draft.source_type == Source::Realtime;
    if !decided.needs_review || !is_mail || !is_own || !decided.reasons.iter().all(asks_itself) {
        return;
    }
    let stored = |id| known.iter().find(|(c, _)| c.id == id);
    let new = Claim::from(draft);
    let is_asked = |(c, old): &(Candidate, Memory)| {
        let is_one_thing = c.analysis.as_ref().is_none_or(|a| a.same_subject() >= ONE_THING);
        is_one_thing && is_contested(&Claim::from(old), &new)
    };
    if decided.decision == Decision::Update {
        decided.needs_review = decided.target.and_then(stored).is_some_and(is_asked);
        return;
    }
    let doubts = decided.links.iter().filter(|l| l.may_replace);
    decided.needs_review = doubts.filter_map(|l| stored(l.id)).any(is_asked);
    for link in decided.links.iter_mut().filter(|l| l.may_replace) {
        let Some((_, old)) = stored(link.id) else { continue };
        let one_thread = old.thread_id.is_some() && old.thread_id == draft.thread_id;
        link.may_replace = one_thread || topic_share(&old.content, &draft.content) >= RELATED;
    }
}
