//! Detects whether two texts contradict each other on one matter, so that a person can be asked.
//!
//! It never judges which text is right.

use super::{Analyst, Candidate, Decided, Decision, Reason};
use crate::analysis::words::{Kind, Mark, Word, words};
use crate::analysis::{Change, differences};
use crate::language::{Found, State, Value, ValueKind, values};
use crate::model::{ChangeType, Claim, Draft, Memory, Source};

/// Minimum share of the shorter topic that the other text has too.
const SHARED: f32 = 0.3;
/// Below this share, two topics are unrelated.
const RELATED: f32 = 0.15;
/// Minimum probability that two memories are one thing for a question about their difference.
const ONE_THING: f32 = 0.45;

/// Status values that end a matter.
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
    let kind =
        |text: &Option<String>| -> Option<ValueKind> { values(text.as_deref()?, None).first().map(|f| f.value.kind()) };
    let ends = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        values(text, None)
            .iter()
            .any(|f| matches!(f.value, Value::Status { state, negated: false } if ENDING_STATES.contains(&state)))
    };
    let is_other = |c: &Change| {
        if c.change.change_type == ChangeType::Addition {
            return ends(&c.change.new_value);
        }
        let (old, new) = (kind(&c.change.old_value), kind(&c.change.new_value));
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
        let tells =
            !word.function && word.number.is_none() && word.kind != Kind::Number && word.text.chars().count() > 1;
        if tells && is_free(&word) && all.iter().all(|known| !are_same_word(known, &word)) {
            all.push(word);
        }
    }
    all
}

/// Keeps an uncertain decision of the local analyst for review only if the two texts contradict each other on one
/// matter. Also unflags links between unrelated topics.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_others_is_of_another_matter() {
        for (one, two, others) in [
            ("지오의 수영 수업은 일요일 11시로 옮겼다.", "리안의 수영 수업은 중급반으로 올라갔고 수·금 5시이다.", true),
            ("Gio's lesson at the pool is on Sunday at 11.", "Lian's lesson at the pool is on Friday at 5.", true),
            ("The glaze workshop is on Wednesday 27 May.", "The glaze workshop is on Thursday 28 May.", false),
            ("대관료는 하루 15만원이다.", "대관료는 하루 20만원이다.", false),
        ] {
            assert_eq!(name_others(one, two), others, "{one} / {two}");
        }
    }

    #[test]
    fn another_value_of_the_same_property_is_worth_a_question() {
        for (old, new, contested) in [
            (
                "The spring concert is on 28 March at 7.30 pm in the Corn Hall.",
                "Spring concert: 28 March, 7 pm, All Hallows.",
                true,
            ),
            (
                "The contract provides for closing on 29 May.",
                "The earliest date on which we could close the contract is 5 June.",
                true,
            ),
            (
                "Your offer for the tulip bulbs is valid until 5 November.",
                "The boiler appointment is on 12 November.",
                false,
            ),
            ("The rent of the workshop is £540.", "The workshop has a new north wall.", false),
            ("회식은 5월 14일 목요일 저녁 7시입니다.", "회식을 5월 15일 금요일로 옮깁니다.", true),
            ("할머니 방은 203호입니다.", "할머니 방을 305호로 옮겨 드렸습니다.", true),
            ("The workshop is in the Harbour Room.", "The workshop will be in the Garden Hall, I think.", true),
            ("튤립 주문은 11월 5일까지 받습니다.", "보일러 점검은 11월 12일입니다.", false),
            ("회의실 예약은 3층으로 했습니다.", "회의실 예약 감사합니다.", false),
        ] {
            let (old, new) = (Draft::new(old), Draft::new(new));
            assert_eq!(
                is_contested(&Claim::from(&old), &Claim::from(&new)),
                contested,
                "{} / {}",
                old.content,
                new.content
            );
        }
    }
}
