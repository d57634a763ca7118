//! The parts of a section with their chances, and which of them make one candidate.

use super::drafter::Drafter;
use super::score;
use super::split::{self, LineForm};
use super::unit::{DraftUnit, ScoredPart};
use crate::language::{DateRole, Moment, Reference, words};
use crate::mail::{is_boilerplate, is_footer_line};
use std::ops::Range;

/// From that chance on a part makes a candidate.
const ENOUGH: f32 = 0.78;
/// From that chance on it does so in a note of the owner's, where it tells what is to come, or what is due.
const OF_NOTES: f32 = 0.15;
const AHEAD: f32 = 0.72;
const DUE: f32 = 0.5;
/// From that chance on a part makes a candidate that is stored only where it changes a stored memory.
const MINOR: f32 = 0.35;
/// From that chance on a part goes with the candidate beside it.
const SOMETHING: f32 = 0.12;
/// From that chance on the best part of a short mail is enough where nothing else is.
const ALONE: f32 = 0.35;
/// The same where a mail says hardly anything else.
const LONE: f32 = 0.03;

/// The parts of these bytes of the mail, each with its chance.
pub(super) fn parts(drafter: &Drafter<'_>, range: Range<usize>) -> Vec<ScoredPart> {
    let mail = drafter.mail;
    let split = split::parts(&mail.text, range);
    let mut out: Vec<ScoredPart> = Vec::new();
    for p in split.into_iter().filter(|p| !mail.is_suspicious(&p.span)) {
        let whole = ScoredPart::new(p.form, &p.text, p.span, p.paragraph, drafter.at);
        match second_matter(&whole, &mail.text) {
            Some(at) => {
                let (span, half) = (whole.span.clone(), |span: Range<usize>| {
                    let words = mail.text[span.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
                    ScoredPart::new(
                        LineForm::Sentence,
                        words.trim_end_matches(" and").trim_end_matches([',', ';']),
                        span,
                        p.paragraph,
                        drafter.at,
                    )
                });
                out.extend([half(span.start..at), half(at..span.end)]);
            }
            None => out.push(whole),
        }
    }
    let chances: Vec<f32> =
        (0..out.len()).map(|n| if is_idle(&out[n]) { 0.0 } else { score::chance(&out, n, drafter) }).collect();
    out.iter_mut().zip(chances).for_each(|(part, chance)| part.chance = chance);
    out
}

/// Where a sentence that tells of an appointment and of what is due beside it goes over to the second, in bytes of the mail.
fn second_matter(part: &ScoredPart, text: &str) -> Option<usize> {
    const ENDS: [&str; 9] = ["; ", ", ", "이고 ", "하고 ", "이며 ", "있고 ", "되고 ", " 그리고 ", " and "];
    let is = |m: &&Moment| matches!(m.role, DateRole::Event | DateRole::Deadline);
    let days: Vec<&Moment> = part.moments.iter().filter(is).collect();
    let pair = days.iter().zip(days.iter().skip(1)).find(|(a, b)| a.role != b.role);
    let (first, other) = pair.filter(|_| part.form == LineForm::Sentence)?;
    let between = part.text.get(first.end..other.start)?;
    let at = ENDS.iter().find_map(|end| between.find(end).map(|at| first.end + at + end.len()))?;
    let tells = |half: &str| half.chars().filter(|c| c.is_alphabetic()).count() >= 6;
    let (head, rest) = part.text.split_at(at);
    // The mail has the same words, perhaps on other lines.
    let begin = rest.split_whitespace().next()?;
    let own = text.get(part.span.clone())?;
    let places = own.match_indices(begin).map(|(n, _)| n);
    let solid = |s: &str| s.chars().filter(|c| !c.is_whitespace()).count();
    let place = places.into_iter().find(|n| solid(&own[*n..]) == solid(rest))?;
    (tells(head) && tells(rest)).then_some(part.span.start + place)
}

/// Whether it never is worth keeping, whatever its marks.
pub(super) fn is_idle(part: &ScoredPart) -> bool {
    let letters = part.text.chars().filter(|c| c.is_alphanumeric()).count();
    let asks_where = words!("mail/boilerplate.contacts").begin(&part.text.to_lowercase()) && letters <= 40;
    part.form == LineForm::Heading
        || letters < 4
        || asks_where
        || is_boilerplate(&part.text)
        || is_footer_line(&part.text)
}
/// The candidates among the parts of a section.
pub(super) fn units(mut parts: Vec<ScoredPart>, drafter: &Drafter<'_>) -> Vec<DraftUnit> {
    let today = drafter.at.map(Reference::day);
    let least = |p: &ScoredPart| match () {
        () if drafter.is_note => OF_NOTES,
        () if p.is_due(today) => DUE,
        () if p.is_ahead(today) => AHEAD,
        () => ENOUGH,
    };
    for part in &mut parts {
        part.is_enough = part.chance >= least(part) && (drafter.is_note || part.tells() && !part.is_question());
    }
    // The halves of one sentence are kept together.
    for n in 1..parts.len() {
        let is_one_sentence = parts[n - 1].span.end == parts[n].span.start;
        if is_one_sentence && (parts[n - 1].is_enough || parts[n].is_enough) && parts[n].tells() && parts[n - 1].tells()
        {
            (parts[n - 1].is_enough, parts[n].is_enough) = (true, true);
        }
    }
    // Where nothing of a short mail stands out, its best statement does.
    let is_short = parts.len() <= 2;
    let is_alone = |p: &ScoredPart| p.chance >= ALONE || is_short && p.chance >= LONE && p.tells_news(today);
    if parts.len() <= 6 && !parts.iter().any(|p| p.is_enough) && !drafter.mail.bulk.unsubscribe {
        let best = parts.iter_mut().filter(|p| p.tells() && !p.is_question());
        if let Some(best) = best.max_by(|a, b| a.chance.total_cmp(&b.chance)).filter(|p| is_alone(p)) {
            best.is_enough = true;
        }
    }
    let mut out: Vec<DraftUnit> = Vec::new();
    let (mut current, mut waiting): (DraftUnit, Vec<ScoredPart>) = Default::default();
    let mut finish = |unit: &mut DraftUnit| {
        let mut unit = std::mem::take(unit);
        while unit.parts.last().is_some_and(|p| p.form.announces() && !p.is_enough) {
            unit.parts.pop();
        }
        let least = |p: &ScoredPart| if p.tells_change() { SOMETHING } else { MINOR };
        let is_minor = |p: &ScoredPart| p.chance >= least(p) && p.tells() && !p.is_question();
        if unit.parts.iter().any(|p| p.is_enough || is_minor(p)) {
            out.push(unit);
        }
    };
    for part in parts {
        let is_idle = part.chance < SOMETHING && !part.is_enough;
        if part.form.announces() && !part.is_enough {
            finish(&mut current);
            // A mere "Housekeeping:" says nothing.
            let says =
                part.form == LineForm::Heading || part.text.split_whitespace().count() > 4 || !part.found.is_empty();
            waiting = Vec::from_iter(Some(part).filter(|_| says));
        } else if is_idle && !part.form.is_listed() {
            waiting.clear();
            if current.parts.last().is_some_and(|last| last.paragraph != part.paragraph) {
                finish(&mut current);
            }
        } else if !is_idle || matches!(part.form, LineForm::Row { .. }) {
            if !current.takes(&part) {
                finish(&mut current);
            }
            if part.form.is_listed() && current.parts.is_empty() {
                current.parts.extend(waiting.first().cloned());
            } else if !part.form.is_listed() {
                waiting.clear();
            }
            current.parts.push(part);
        }
    }
    finish(&mut current);
    out
}
