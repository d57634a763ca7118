//! What can be said of a part without weighing it: its values, its cues, its form, its place in the mail, who sent it.
//!
//! It counts and never judges; `worth` weighs.

use super::held::KINDS;
use super::names;
use super::part::{Context, Lean, PartKind, StatementPart};
use super::phrases::Said;
use super::plain::{self, Plain};
use super::topic::alike;
use super::when::DateRole;
use crate::language::{Reference, is_lone_letter};
use std::fmt::Display;

/// Takes marks in an order that never varies: a mark's number is its place in it.
pub(super) trait MarkSheet {
    fn put(&mut self, name: impl Display, is: bool);

    /// One of several marks: the one whose bounds the value lies in.
    fn step(&mut self, name: &str, value: usize, bounds: &[usize]) {
        let at = bounds.iter().filter(|b| value >= **b).count();
        for n in 0..=bounds.len() {
            let least = n.checked_sub(1).map_or(0, |b| bounds[b]);
            self.put(format_args!("{name}, {least} or more"), n == at);
        }
    }
}

/// The numbers of the marks that are there.
#[derive(Default)]
pub(super) struct MarksThere {
    next: usize,
    pub there: Vec<usize>,
}

impl MarkSheet for MarksThere {
    fn put(&mut self, _: impl Display, is: bool) {
        if is {
            self.there.push(self.next);
        }
        self.next += 1;
    }
}

/// What all marks are called.
#[derive(Default)]
pub(super) struct MarkNames(pub Vec<String>);

impl MarkSheet for MarkNames {
    fn put(&mut self, name: impl Display, _: bool) {
        self.0.push(name.to_string());
    }
}

/// How many parts of a section hold several values.
pub(super) fn valued(parts: &[StatementPart]) -> usize {
    parts.iter().filter(|p| p.held.count > 1).count()
}

/// The marks of one part among those of its section, of which so many are `valued`.
pub(super) fn marks(
    parts: &[StatementPart],
    n: usize,
    valued: usize,
    context: &Context<'_>,
    sheet: &mut impl MarkSheet,
) {
    let part = &parts[n];
    of_words(part, context, sheet);
    of_values(part, context, sheet);
    of_form(part, sheet);
    of_mail(context, sheet);
    of_place(parts, n, valued, sheet);
}

/// What it says by its words.
fn of_words(part: &StatementPart, context: &Context<'_>, sheet: &mut impl MarkSheet) {
    let c = &part.cues;
    #[rustfmt::skip]
    let said = [
        ("says nothing", c.empty), ("is polite", c.soft), ("asks for something", c.request), ("asks", c.question),
        ("proposes", c.proposal), ("settles", c.decision), ("of a meeting", c.meeting), ("of a project", c.project),
        ("of a change", c.change), ("of no change", c.unchanged), ("of a lasting fact", c.fact), ("unsettled", c.open),
        ("of trouble", c.trouble), ("of a wish", c.want),
    ];
    for (name, is) in said {
        sheet.put(name, is);
    }
    let plain = Plain::new(&part.text);
    sheet.put("promises", plain.says(Said::Promises));
    sheet.put("an errand", plain.says(Said::Errands));
    sheet.put("where to meet", plain.says(Said::Meets));
    let named = names::has_name(&part.text);
    let korean = plain::is_korean(&part.text);
    sheet.put("names", named);
    sheet.put("says who", korean && named && plain.says(Said::SaysWho));
    sheet.put("names the subject", part.words.iter().any(|w| context.topic.words().any(|t| alike(w, t))));
    sheet.put("Korean", korean);
    sheet.put("laughs", plain.says(Said::Laughs));
    sheet.put("I", plain.says(Said::OfUs));
    sheet.put("you", plain.says(Said::OfYou));
    sheet.put("answers with a number", part.answers_with_a_number(context));
}

/// What it says by its values.
fn of_values(part: &StatementPart, context: &Context<'_>, sheet: &mut impl MarkSheet) {
    for (n, name) in KINDS.iter().enumerate() {
        sheet.put(name, part.held.kinds & 1 << n != 0);
    }
    sheet.step("values", part.held.count, &[1, 2, 3, 5]);
    let today = context.at.map(Reference::day);
    let moments = &part.moments;
    sheet.put("of a day to come", moments.iter().any(|m| today.is_some_and(|t| m.day > t)));
    sheet.put("of the same day", moments.iter().any(|m| today.is_some_and(|t| m.day == t)));
    sheet.put("of days that are over", !moments.is_empty() && moments.iter().all(|m| today.is_some_and(|t| m.day < t)));
    sheet.put("at an hour of a day", moments.iter().any(|m| m.clock.is_some()));
    for (name, role) in [
        ("due", DateRole::Deadline),
        ("until", DateRole::Until),
        ("from", DateRole::From),
        ("no longer then", DateRole::Former),
    ] {
        sheet.put(name, moments.iter().any(|m| m.role == role));
    }
}

/// What it looks like.
fn of_form(part: &StatementPart, sheet: &mut impl MarkSheet) {
    for (name, kind) in [
        ("a sentence", PartKind::Sentence),
        ("a lead", PartKind::Lead),
        ("an item", PartKind::Item { ordered: false }),
        ("a numbered item", PartKind::Item { ordered: true }),
        ("a property", PartKind::Pair { label: true }),
        ("a named value", PartKind::Pair { label: false }),
    ] {
        sheet.put(name, part.kind == kind);
    }
    for (name, lean) in [
        ("leans on nothing", Lean::No),
        ("a property of what was said", Lean::Property),
        ("points back", Lean::Pointer),
        ("has no topic", Lean::Yes),
        ("values alone", Lean::Values),
    ] {
        sheet.put(name, part.leans == lean);
    }
    let text = part.text.trim();
    let ended = text.trim_end_matches(|c| matches!(c, '"' | ')' | ' ' | '~' | '^') || is_lone_letter(c));
    sheet.put("?", ended.ends_with('?'));
    sheet.put("!", ended.ends_with('!'));
    sheet.put("full stop", ended.ends_with('.'));
    sheet.put("colon", text.contains(':'));
    sheet.put("small letter", text.starts_with(char::is_lowercase));
    // A syllable of Hangul says as much as two letters.
    let length: usize = text.chars().map(|c| if c >= '\u{1100}' { 2 } else { 1 }).sum();
    sheet.step("length", length, &[15, 30, 50, 80, 130, 200]);
    sheet.step("words", part.words.len(), &[1, 2, 3, 5, 8]);
    sheet.put("begins a paragraph", part.begins);
}

/// What kind of mail it is of.
fn of_mail(context: &Context<'_>, sheet: &mut impl MarkSheet) {
    let sent = &context.sent;
    for (name, is) in [
        ("a reply", context.is_reply),
        ("to few, by one", context.direct),
        ("by the owner", sent.by_owner),
        ("a note", sent.is_note),
        ("by a desk", sent.by_desk),
        ("over a list", sent.over_list),
        ("forwarded", sent.forwarded),
        ("to many", sent.to_many),
    ] {
        sheet.put(name, is);
    }
}

/// Where it stands, and beside what.
fn of_place(parts: &[StatementPart], n: usize, valued: usize, sheet: &mut impl MarkSheet) {
    let count = parts.len();
    sheet.step("parts", count, &[2, 3, 5, 8, 14]);
    sheet.put("first", n == 0);
    sheet.put("first of few", n == 0 && count < 3);
    sheet.put("second", n == 1);
    sheet.put("last", n + 1 == count);
    sheet.put("last but one", n + 2 == count);
    sheet.step("quarter", n * 4 / count.max(1), &[1, 2, 3]);
    let others = valued - usize::from(parts[n].held.count > 1);
    sheet.step("others with values", others, &[1, 2, 4]);
    let before = n.checked_sub(1).and_then(|b| parts.get(b));
    for (name, beside) in [("before", before), ("after", parts.get(n + 1))] {
        let mut put = |what: &str, is: bool| sheet.put(format_args!("{name}: {what}"), is);
        put("says nothing", beside.is_some_and(|p| p.cues.empty));
        put("asks", beside.is_some_and(|p| p.cues.question));
        put("no value", beside.is_some_and(|p| p.held.count == 0));
        put("values", beside.is_some_and(|p| p.held.count > 1));
        put("a sentence", beside.is_some_and(|p| p.kind == PartKind::Sentence));
    }
}
