//! Parts → units: what belongs to one memory, and what is not worth one.
//!
//! It groups and leaves out; it never rewrites.

use super::cues::Cues;
use super::lean::is_fragment;
use super::part::{Lean, PartKind, StatementPart, Worth};
use super::phrases::Said;
use super::plain::Plain;
use super::topic::alike;
use super::when::DateRole;
use crate::language::{PersonalKind, Value, is_hangul, personal, words};
use crate::mail::body::signature;
use std::ops::Range;

/// What becomes one draft.
#[derive(Debug, Clone, Default)]
pub(super) struct DraftUnit {
    pub parts: Vec<StatementPart>,
}

impl DraftUnit {
    /// The words of all its parts, as they are to be remembered.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (n, part) in self.parts.iter().enumerate() {
            let text = part.text.trim();
            let next = self.parts.get(n + 1).map(|p| p.kind);
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(text);
            let ended = text.ends_with(['.', '!', '?', ':', ';', ',', '。', '：']);
            match (part.kind, next) {
                (PartKind::Heading | PartKind::Lead, Some(_)) if !ended => out.push(':'),
                (PartKind::Lead, Some(next)) if next.is_listed() && text.ends_with('.') => {
                    out.pop();
                    out.push(':');
                }
                (kind, Some(next)) if kind.is_listed() && next.is_listed() && !ended => {
                    out.push(if text.contains(is_hangul) { ',' } else { ';' });
                }
                (_, Some(_)) if !ended => out.push('.'),
                _ => {}
            }
        }
        out
    }

    /// From its first to its last byte in the mail's text.
    pub fn span(&self) -> Range<usize> {
        let start = self.parts.iter().map(|p| p.span.start).min().unwrap_or(0);
        let end = self.parts.iter().map(|p| p.span.end).max().unwrap_or(0);
        start..end.max(start)
    }

    /// Whether it would not be understood without the mail's topic.
    pub fn leans(&self) -> bool {
        self.parts.first().is_none_or(|p| p.leans != Lean::No || p.kind.is_listed())
    }

    /// Whether a part that names a day, or one that others give their day to, speaks of a meeting.
    pub fn meets(&self) -> bool {
        let gives = self.parts.iter().any(|p| !p.moments.is_empty() && (p.leans == Lean::Values || p.kind.is_pair()));
        self.parts.iter().any(|p| p.cues.meeting && (!p.moments.is_empty() || gives))
            || self.parts.iter().all(|p| p.moments.is_empty()) && self.any(|c| c.meeting)
    }

    pub fn any(&self, of: impl Fn(&Cues) -> bool) -> bool {
        self.parts.iter().any(|p| p.kind != PartKind::Heading && of(&p.cues))
    }

    /// Whether it wants money sent, or names an account.
    pub fn asks_for_money(&self) -> bool {
        let money = self.parts.iter().flat_map(|p| &p.strong).any(|v| matches!(v, Value::Money { .. }));
        money && (self.any(|c| c.request) || self.parts.iter().any(|p| Plain::new(&p.text).says(Said::Pays)))
            || self.parts.iter().any(|p| personal(&p.text).iter().any(|f| f.kind == PersonalKind::Account))
    }

    /// Whether it only asks what is open: it names no day, and asks nobody to do something.
    pub fn only_asks(&self) -> bool {
        let mut said = self.parts.iter().filter(|p| matches!(p.kind, PartKind::Sentence | PartKind::Lead)).peekable();
        said.peek().is_some()
            && said.all(|p| p.cues.question && !p.cues.request && !p.cues.decision && p.moments.is_empty())
    }

    fn worth(&self) -> Worth {
        self.parts.iter().map(|p| p.worth).max().unwrap_or_default()
    }

    fn len(&self) -> usize {
        self.parts.iter().map(|p| p.text.chars().count() + 1).sum()
    }

    fn has_day(&self) -> bool {
        self.parts.iter().any(|p| p.moments.iter().any(|m| m.role != DateRole::Former))
    }

    fn shares_words(&self, part: &StatementPart) -> bool {
        self.parts.iter().flat_map(|p| &p.words).any(|a| part.words.iter().any(|b| alike(a, b)))
    }
}

/// The most characters of a unit that sentences are added to.
const FULL: usize = 320;

/// The most headings, one below the other, that a statement is told with.
const MOST_WAITING: usize = 8;

/// The units of a section. Where nothing in it stands out and `sparse` allows, its plainest statements do.
pub(super) fn units(mut parts: Vec<StatementPart>, sparse: bool) -> Vec<DraftUnit> {
    let said = parts.iter().filter(|p| !p.cues.empty && p.kind == PartKind::Sentence).count();
    if sparse && said <= 6 && parts.iter().all(|p| p.worth < Worth::Enough) {
        for part in parts.iter_mut().filter(|p| p.will_do) {
            part.worth = Worth::Enough;
        }
    }
    take_from_headings(&mut parts);
    drop_former(&mut parts);
    grouped(parts)
}

/// What stands below "Decisions" was decided, what stands below "할 일" is to be done.
fn take_from_headings(parts: &mut [StatementPart]) {
    let (mut decided, mut asked) = (false, false);
    let mut last = PartKind::Sentence;
    for part in parts {
        let list = part.kind.is_listed();
        if matches!(part.kind, PartKind::Heading | PartKind::Lead) {
            let plain = Plain::new(&part.text);
            decided = part.cues.decision;
            asked = plain.has(words!("mail/labels.above what is asked"));
        } else if !list || part.begins && matches!(last, PartKind::Item { .. }) && part.kind.is_pair() {
            (decided, asked) = (false, false);
        }
        if list && !part.cues.empty && (decided || asked) {
            part.cues.decision |= decided;
            part.cues.request |= asked;
            part.worth = part.worth.max(if part.words.len() >= 2 { Worth::Enough } else { Worth::Something });
        }
        last = part.kind;
    }
}

/// Of "Old: 13:05" above "New: 14:40" the new one is to be remembered.
fn drop_former(parts: &mut Vec<StatementPart>) {
    let begins = |part: &StatementPart, names: &[&str]| {
        let text = part.text.to_lowercase();
        part.kind.is_pair() && names.iter().any(|n| text.strip_prefix(n).is_some_and(|r| r.starts_with([':', ' '])))
    };
    let now = |p: &StatementPart| begins(p, words!("mail/labels.new values"));
    if parts.iter().any(now) {
        parts.retain(|p| !begins(p, words!("mail/labels.former values")));
    }
}

fn grouped(parts: Vec<StatementPart>) -> Vec<DraftUnit> {
    let mut out: Vec<DraftUnit> = Vec::new();
    let mut current = DraftUnit::default();
    // Leads and headings wait for what they announce.
    let mut waiting: Vec<StatementPart> = Vec::new();
    let separate = separate_items(&parts);
    let mut list_alone = false;
    // What the items that stand alone were announced by.
    let mut announced: Vec<StatementPart> = Vec::new();
    for part in parts {
        if !part.kind.is_listed() {
            announced.clear();
        }
        match part.kind {
            PartKind::Heading => {
                if waiting.len() == MOST_WAITING {
                    waiting.remove(0);
                }
                waiting.push(part);
                continue;
            }
            PartKind::Lead => {
                // A lead that says something itself stays with its list, and with what it goes on about.
                let own = part.worth >= Worth::Enough && !part.strong.is_empty();
                if own && joins(&current, &part) {
                    current.parts.push(part);
                } else {
                    finish(&mut current, &mut out);
                    if own {
                        current.parts.push(part);
                    } else if !part.cues.soft && !part.cues.empty {
                        waiting = vec![part];
                    }
                }
                list_alone = false;
                continue;
            }
            PartKind::Item { .. } | PartKind::Pair { .. } if separate.binary_search(&part.span.start).is_ok() => {
                finish(&mut current, &mut out);
                // "We agreed on two things:" makes each of them a decision.
                let mut part = part;
                let topic = waiting.iter().chain(&announced).rfind(|p| p.kind == PartKind::Heading).cloned();
                part.cues.decision |= waiting.iter().chain(&announced).any(|p| p.cues.decision);
                part.cues.request |= waiting.iter().chain(&announced).any(|p| p.cues.request);
                if !waiting.is_empty() {
                    announced = std::mem::take(&mut waiting);
                }
                // A point under a topic is told with it.
                current.parts.extend(topic);
                current.parts.push(part);
                finish(&mut current, &mut out);
                list_alone = true;
                continue;
            }
            // What a list says to everybody ("Parking is free for two hours.").
            PartKind::Item { .. } if part.worth == Worth::Nothing && is_sentence(&part.text) => continue,
            PartKind::Item { .. } | PartKind::Pair { .. } => {
                let follows =
                    current.parts.last().is_some_and(|p| !p.begins || p.worth > Worth::Nothing || p.kind.is_pair())
                        && !list_alone;
                let fits = current.len() + part.text.chars().count() <= FULL * 2;
                if !(follows && fits && takes_list(&current, &part)) {
                    finish(&mut current, &mut out);
                }
                current.parts.append(&mut waiting);
                current.parts.push(part);
                list_alone = false;
                continue;
            }
            PartKind::Sentence => {}
        }
        list_alone = false;
        waiting.clear();
        if part.worth == Worth::Nothing {
            // A place or a reason right behind what happens belongs to it.
            let idle = part.cues.soft || part.cues.empty || part.cues.question || part.cues.unchanged;
            let after = !part.begins && !idle && current.parts.iter().all(|p| p.kind == PartKind::Sentence);
            let length = part.text.chars().count();
            let place = length <= 40 && current.has_day() && is_fragment(&part.text);
            let more =
                length <= 80 && matches!(part.leans, Lean::Pointer | Lean::Property) && !current.parts.is_empty();
            if after && (place || more) && !signature::is_boilerplate(&part.text) && current.len() + length <= FULL {
                current.parts.push(part);
                continue;
            }
            // What is left out still ends a paragraph.
            if part.begins
                && !current.parts.is_empty()
                && current.parts.iter().all(|p| p.kind == PartKind::Sentence)
                && !part.cues.soft
                && !part.cues.empty
            {
                finish(&mut current, &mut out);
            }
            continue;
        }
        if !joins(&current, &part) {
            finish(&mut current, &mut out);
        }
        current.parts.push(part);
    }
    finish(&mut current, &mut out);
    out
}

fn finish(current: &mut DraftUnit, out: &mut Vec<DraftUnit>) {
    let mut unit = std::mem::take(current);
    let announces =
        |p: &StatementPart| p.kind == PartKind::Heading || p.kind == PartKind::Lead && p.worth < Worth::Enough;
    while unit.parts.last().is_some_and(announces) {
        unit.parts.pop();
    }
    let pairs = unit.parts.iter().filter(|p| p.kind.is_pair()).count();
    if unit.worth() >= Worth::Enough || pairs >= 2 && unit.parts.iter().any(|p| !p.strong.is_empty()) {
        out.push(unit);
    }
}

/// Whether a list goes on with the unit: it was announced, or tells more of it.
fn takes_list(unit: &DraftUnit, part: &StatementPart) -> bool {
    let Some(last) = unit.parts.last() else { return false };
    match (last.kind, part.kind) {
        // Pairs below a sentence complete it where it names no day itself.
        (PartKind::Sentence, PartKind::Pair { .. }) => !unit.has_day() || part.moments.is_empty(),
        (PartKind::Sentence, PartKind::Item { .. }) => unit.worth() >= Worth::Something,
        _ => true,
    }
}

/// Items that stand alone, by where they begin, in order: each is a statement with a day, an amount or a request of its own.
fn separate_items(parts: &[StatementPart]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut run: Vec<&StatementPart> = Vec::new();
    let flush = |run: &mut Vec<&StatementPart>, out: &mut Vec<usize>| {
        let sentences = run.iter().filter(|p| is_sentence(&p.text)).count();
        let ordered = run.iter().all(|p| p.kind == PartKind::Item { ordered: true });
        let dated = run.iter().filter(|p| !p.moments.is_empty() || p.cues.request).count();
        // "일시 …, 마감 …" are properties of one thing, whatever days they name.
        let labelled = run.iter().any(|p| p.kind == PartKind::Pair { label: true });
        // "The budget is $14,500. Launch is planned for 3 November." Each can change by itself.
        let whole = run.iter().filter(|p| is_sentence(&p.text) && (!p.moments.is_empty() || !p.strong.is_empty()));
        let whole = whole.count();
        let apart = !labelled
            && run.len() >= 2
            && (ordered && sentences * 2 > run.len()
                || dated * 2 > run.len() && dated >= 2
                || whole * 2 > run.len() && whole >= 2);
        if apart {
            out.extend(run.iter().filter(|p| p.worth >= Worth::Enough).map(|p| p.span.start));
        }
        run.clear();
    };
    for part in parts {
        if part.kind.is_listed() {
            run.push(part);
        } else {
            flush(&mut run, &mut out);
        }
    }
    flush(&mut run, &mut out);
    // "1. The assembly was moved to …": a matter of its own, whatever the list goes on with.
    let numbered = |p: &&StatementPart| {
        p.kind == PartKind::Item { ordered: true } && p.worth >= Worth::Enough && is_sentence(&p.text)
    };
    out.extend(parts.iter().filter(numbered).map(|p| p.span.start));
    out.sort_unstable();
    out.dedup();
    out
}

fn is_sentence(text: &str) -> bool {
    let end = text.trim_end_matches(['.', '!', ' ']);
    text.ends_with(['.', '!']) && text.split_whitespace().count() >= 4
        || ["다", "요", "음", "함", "됨"].iter().any(|e| end.ends_with(e)) && end.chars().count() >= 8
}

/// Whether a sentence goes on with the unit.
fn joins(unit: &DraftUnit, part: &StatementPart) -> bool {
    let Some(last) = unit.parts.last() else { return false };
    if unit.len() + part.text.chars().count() > FULL {
        return false;
    }
    let days = || part.moments.iter().any(|m| m.role != DateRole::Former);
    let firm: Vec<&Value> = part.strong.iter().filter(|v| matches!(v, Value::Date(_) | Value::Money { .. })).collect();
    let repeats = !firm.is_empty() && firm.iter().all(|v| unit.parts.iter().any(|p| p.strong.contains(v)));
    if part.begins {
        // A new paragraph is a new subject, unless it only fills in what the last one left open, or says it again.
        let completes = part.leans == Lean::Values && (!unit.has_day() || !days()) && last.worth > Worth::Nothing;
        let points = part.leans == Lean::Pointer && !days() && !part.cues.request && last.worth > Worth::Nothing;
        return completes || points || repeats && unit.shares_words(part) && part.leans != Lean::Values;
    }
    // Sentences of one paragraph tell one matter, but for those with a day of their own: what is to be done by it, the next
    // line of a schedule, what names another thing or comes after a decision.
    let asks = part.cues.request
        && (days() && part.worth >= Worth::Enough || part.strong.iter().any(|v| matches!(v, Value::Clock(_))));
    let line = |p: &StatementPart| matches!(p.leans, Lean::Values | Lean::Yes) && !p.moments.is_empty();
    let schedule = || line(part) && line(last) && part.moments[0].start == 0 && last.moments[0].start == 0;
    let own = || part.leans == Lean::Yes && !is_fragment(&part.text) && !unit.any(|c| c.change);
    let other = || part.leans == Lean::No && !unit.shares_words(part);
    let settled = part.leans == Lean::No && unit.any(|c| c.decision) && !part.cues.decision;
    let apart = unit.has_day() && (asks || days() && (schedule() || own() || other())) || days() && settled;
    !apart || repeats
}
