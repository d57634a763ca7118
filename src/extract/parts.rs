//! Scores the parts of a section and groups them into candidates.

use super::category_cues::announces_decisions;
use super::drafter::Drafter;
use super::score;
use super::split::{self, LineForm};
use super::unit::{DraftUnit, ScoredPart};
use crate::language::{DateRole, Moment, Reference, single_spaced, words};
use crate::mail::{is_boilerplate, is_transaction};
use std::ops::Range;

const MIN_CANDIDATE: f32 = 0.78;
/// Minimum score of a candidate in a note of the owner.
const MIN_NOTE: f32 = 0.15;

struct MinScores {
    /// Of a candidate about an upcoming day or a recurrence.
    upcoming: f32,
    /// Of a candidate with a deadline or expiry.
    due: f32,
    /// Of the best part, if the section has no other candidate.
    best: f32,
    /// Of a score plus a share of the candidate's length: the shorter it is, the surer it must be.
    score_and_length: f32,
}

/// The most parts of a brief section, which is written for what it says.
const BRIEF: usize = 3;
const IN_BRIEF: MinScores = MinScores { upcoming: 0.72, due: 0.5, best: 0.35, score_and_length: 0.0 };
const IN_LONG: MinScores = MinScores { upcoming: 0.75, due: 0.6, best: 0.45, score_and_length: 1.0 };

/// Minimum score of a minor candidate, which is stored only if it changes a stored memory.
const MIN_MINOR: f32 = 0.35;
/// Minimum score of a part that joins a neighbouring candidate.
const MIN_JOINED: f32 = 0.12;
/// Minimum score of the best part in a section of at most two.
const MIN_BEST_OF_TWO: f32 = 0.03;

pub(super) fn parts(drafter: &Drafter<'_>, range: Range<usize>) -> Vec<ScoredPart> {
    let mail = drafter.mail;
    let split = split::parts(&mail.text, range);
    let mut out: Vec<ScoredPart> = Vec::new();
    for p in split.into_iter().filter(|p| !mail.is_suspicious(&p.span)) {
        let whole = ScoredPart::new(p.form, &p.text, p.span, p.paragraph, drafter.at);
        match second_topic_start(&whole, &mail.text) {
            Some(at) => {
                let half = |span: Range<usize>| {
                    let words = single_spaced(&mail.text[span.clone()]);
                    let words = words.trim_end_matches(" and").trim_end_matches([',', ';']);
                    ScoredPart::new(LineForm::Sentence, words, span, p.paragraph, drafter.at)
                };
                out.extend([half(whole.span.start..at), half(at..whole.span.end)]);
            }
            None => out.push(whole),
        }
    }
    let scores: Vec<f32> =
        (0..out.len()).map(|n| if is_discarded(&out[n]) { 0.0 } else { score::score(&out, n, drafter) }).collect();
    out.iter_mut().zip(scores).for_each(|(part, score)| part.score = score);
    out
}

/// Returns the byte offset in the mail where a sentence passes from an event to a deadline, or the reverse.
fn second_topic_start(part: &ScoredPart, text: &str) -> Option<usize> {
    const ENDS: [&str; 9] = ["; ", ", ", "이고 ", "하고 ", "이며 ", "있고 ", "되고 ", " 그리고 ", " and "];
    let is = |m: &&Moment| matches!(m.role, DateRole::Event | DateRole::Deadline);
    let days: Vec<&Moment> = part.moments.iter().filter(is).collect();
    let pair = days.iter().zip(days.iter().skip(1)).find(|(a, b)| a.role != b.role);
    let (first, other) = pair.filter(|_| part.form == LineForm::Sentence)?;
    let between = part.text.get(first.end..other.start)?;
    let at = ENDS.iter().find_map(|end| between.find(end).map(|at| first.end + at + end.len()))?;
    let is_long = |half: &str| half.chars().filter(|c| c.is_alphabetic()).count() >= 6;
    let (head, rest) = part.text.split_at(at);
    // The mail may break the same words into other lines.
    let begin = rest.split_whitespace().next()?;
    let own = text.get(part.span.clone())?;
    let places = own.match_indices(begin).map(|(n, _)| n);
    let solid = |s: &str| s.chars().filter(|c| !c.is_whitespace()).count();
    let place = places.into_iter().find(|n| solid(&own[*n..]) == solid(rest))?;
    (is_long(head) && is_long(rest)).then_some(part.span.start + place)
}

/// Whether a part is discarded whatever its score: boilerplate, footers and very short text.
pub(super) fn is_discarded(part: &ScoredPart) -> bool {
    let letters = part.text.chars().filter(|c| c.is_alphanumeric()).count();
    let asks_where = words!("mail/boilerplate.contacts").begin(&part.text.to_lowercase()) && letters <= 40;
    letters < 4 || asks_where || is_boilerplate(&part.text)
}

pub(super) fn units(mut parts: Vec<ScoredPart>, drafter: &Drafter<'_>) -> Vec<DraftUnit> {
    let today = drafter.at.map(Reference::day);
    let min = if parts.len() <= BRIEF { IN_BRIEF } else { IN_LONG };
    let is_booking = is_transaction(drafter.mail);
    let least = |p: &ScoredPart| match () {
        () if drafter.is_note => MIN_NOTE,
        // A booking in a table: "Departure: Fri 16 Oct 18:25".
        () if is_booking && p.form.is_listed() && p.is_ahead(today) => MIN_MINOR,
        () if p.is_due(today) => min.due,
        () if p.is_ahead(today) => min.upcoming,
        () => MIN_CANDIDATE,
    };
    let mut is_announced = false;
    for part in &mut parts {
        is_announced = match part.form {
            LineForm::Lead => announces_decisions(&part.text),
            LineForm::Sentence => false,
            _ => is_announced,
        };
        part.is_announced = is_announced && part.form.is_listed() && part.score >= MIN_MINOR;
        part.is_candidate = (part.is_announced || part.score >= least(part))
            && (drafter.is_note || part.is_informative() && !part.is_question());
    }
    // Keep both halves of a split sentence.
    for n in 1..parts.len() {
        let is_one_sentence = parts[n - 1].span.end == parts[n].span.start;
        if is_one_sentence
            && (parts[n - 1].is_candidate || parts[n].is_candidate)
            && parts[n].is_informative()
            && parts[n - 1].is_informative()
        {
            (parts[n - 1].is_candidate, parts[n].is_candidate) = (true, true);
        }
    }
    // A short section without a candidate keeps its best statement.
    let is_short = parts.len() <= 2;
    let is_alone = |p: &ScoredPart| p.score >= min.best || is_short && p.score >= MIN_BEST_OF_TWO && p.has_news(today);
    if parts.len() <= 6 && !parts.iter().any(|p| p.is_candidate) && !drafter.mail.bulk.unsubscribe {
        let best = parts.iter_mut().filter(|p| p.is_informative() && !p.is_question());
        if let Some(best) = best.max_by(|a, b| a.score.total_cmp(&b.score)).filter(|p| is_alone(p)) {
            best.is_candidate = true;
        }
    }
    let mut out: Vec<DraftUnit> = Vec::new();
    let (mut current, mut waiting): (DraftUnit, Option<ScoredPart>) = Default::default();
    let mut finish = |unit: &mut DraftUnit| {
        let mut unit = std::mem::take(unit);
        while unit.parts.last().is_some_and(|p| p.form == LineForm::Lead && !p.is_candidate) {
            unit.parts.pop();
        }
        let least = |p: &ScoredPart| if p.reports_change() { MIN_JOINED } else { MIN_MINOR };
        let is_minor = |p: &ScoredPart| p.score >= least(p) && p.is_informative() && !p.is_question();
        let is_announced = unit.parts.iter().any(|p| p.is_announced);
        if !drafter.is_note && !is_announced && unit.score() + unit.length() / 110.0 < min.score_and_length {
            unit.parts.iter_mut().for_each(|p| p.is_candidate = false);
        }
        if unit.parts.iter().any(|p| p.is_candidate || is_minor(p)) {
            out.push(unit);
        }
    };
    for part in parts {
        let is_idle = part.score < MIN_JOINED && !part.is_candidate;
        if part.form == LineForm::Lead && !part.is_candidate {
            finish(&mut current);
            waiting = Some(part);
        } else if is_idle && !part.form.is_listed() {
            waiting = None;
            if current.parts.last().is_some_and(|last| last.paragraph != part.paragraph) {
                finish(&mut current);
            }
        } else if !is_idle || matches!(part.form, LineForm::Row { .. }) {
            if !current.accepts(&part) {
                // The lead of one list is not that of the next.
                waiting
                    .take_if(|_| current.parts.last().is_some_and(|p| p.is_announced && p.paragraph != part.paragraph));
                finish(&mut current);
            }
            if part.form.is_listed() && current.parts.is_empty() {
                current.parts.extend(waiting.clone());
            } else if !part.form.is_listed() {
                waiting = None;
            }
            current.parts.push(part);
        }
    }
    finish(&mut current);
    out
}
