//! Drafts in words that rules have not found: a model's, or a note's own.

use super::drafter::{Drafter, within_limits};
use super::drafts;
use super::events::{repeats_event, told_by_events};
use super::split::LineForm;
use super::unit::{DraftUnit, ScoredPart};
use crate::language::{DateRole, Moment, meant_values, moments};
use crate::mail::{Account, Mail, is_suspicious};
use crate::model::{Category, DayOrTime, Draft, EventId, Retention};
use chrono::NaiveDate;
use std::ops::Range;

/// Letters and figures of words that are worth a draft.
const LEAST_TEXT: usize = 20;

/// A memory that a model found in a mail, in its words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worded<'a> {
    /// The memory.
    pub text: &'a str,
    /// Its category.
    pub category: Category,
    /// The day on which it happens or is due.
    pub day: Option<NaiveDate>,
    /// Those concerned.
    pub people: &'a [String],
    /// The words of the mail that it rests on.
    pub evidence: &'a str,
}

/// The draft of it, whose names, times and weight are read here; absent where it speaks to an assistant.
pub fn worded(mail: &Mail, account: &Account, told: &Worded<'_>) -> Option<Draft> {
    let found = mail.text.find(told.evidence).filter(|_| !told.evidence.is_empty());
    let found = found.map(|start| start..start + told.evidence.len());
    let start = found.as_ref().map_or(0, |span| span.start);
    let section = mail.sections.iter().find(|s| (s.start..s.end).contains(&start));
    let drafter = Drafter::new(mail, account, section);
    // The owner may speak to their assistant.
    let steers = is_suspicious(told.text) || found.as_ref().is_some_and(|span| mail.is_suspicious(span));
    if steers && !drafter.is_note {
        return None;
    }
    let span = found.clone().unwrap_or(0..0);
    let mut draft = drafter.draft(&whole(&drafter, LineForm::Item, told.text, span), None, Some(told.category));
    told.text.clone_into(&mut draft.content);
    draft.evidence = draft.evidence.filter(|_| found.is_some());
    for person in told.people {
        let is_known = draft.people.iter().any(|p| p.eq_ignore_ascii_case(person));
        // An address that a text only names took no part.
        let took_part = !person.contains('@') || mail.parties().any(|p| p.address.eq_ignore_ascii_case(person));
        if !is_known && took_part && !account.is_owner(person) {
            draft.people.push(person.clone());
        }
    }
    let home = drafter.home;
    let on_day = told.day.and_then(|day| {
        // Twelve at night ends the day that it is said of.
        let in_day = |m: &&Moment| m.day == day && m.at(home).is_some_and(|t| t.day(home) == day);
        let named = moments(told.text, &meant_values(told.text, drafter.at), drafter.at);
        let named = named.iter().filter(in_day).max_by_key(|m| m.clock.is_some()).copied();
        named.unwrap_or(Moment { start: 0, end: 0, day, clock: None, role: DateRole::Event }).at(home)
    });
    let said = drafter.said.map(DayOrTime::Time);
    (draft.occurred_at, draft.valid_from, draft.valid_until) = match on_day {
        Some(at) if told.category == Category::Task => {
            // What is due today may have been due an hour ago.
            (Some(at), said.filter(|said| !at.ends_before(*said, home)), Some(at))
        }
        Some(at) => {
            let lasts = |until: &DayOrTime| *until != at && !until.ends_before(at, home);
            (Some(at), None, draft.valid_until.filter(lasts))
        }
        None => (said, None, None),
    };
    let is_event = matches!(told.category, Category::Meeting | Category::Ads);
    draft.retention = Some(if is_event { Retention::Episodic } else { Retention::Semantic });
    let event = mail.events.first().filter(|e| told.category == Category::Meeting && !e.uid.is_empty());
    if let Some(event) = event.filter(|_| repeats_event(&draft, mail, &told_by_events(mail))) {
        let organizer = event.organizer.as_ref().map(|p| p.address.clone()).filter(|a| !a.is_empty());
        draft.event = Some(EventId { uid: event.uid.clone(), organizer });
    }
    Some(within_limits(draft))
}

/// A text as one candidate.
fn whole(drafter: &Drafter<'_>, form: LineForm, text: &str, span: Range<usize>) -> DraftUnit {
    DraftUnit { parts: vec![ScoredPart::new(form, text, span, 0, drafter.at)] }
}

/// Of what a model has found in a mail without the right words for it (`unheard`): the drafts that rules find there, or
/// else the mail's own words. `all`: what rules find wherever the model's words do not stand (`heard`).
pub fn uncovered(mail: &Mail, account: &Account, heard: &[&str], unheard: &[String], all: bool) -> Vec<Draft> {
    let place = |words: &str| mail.text.find(words).map(|at| at..at + words.len());
    let met = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let spans: Vec<Range<usize>> = heard.iter().filter_map(|words| place(words)).collect();
    let of = |d: &Draft| d.evidence.as_ref().map(|e| e.start as usize..e.end as usize);
    let mut out = drafts(mail, account);
    let meant: Vec<Range<usize>> = unheard.iter().filter_map(|words| place(words)).collect();
    out.retain(|d| {
        let own = of(d);
        let is_free = own.as_ref().is_none_or(|own| spans.iter().all(|s| !met(s, own)));
        is_free && (all || own.is_some_and(|own| meant.iter().any(|m| met(m, &own))))
    });
    for words in unheard.iter().filter(|w| w.chars().filter(|c| c.is_alphanumeric()).count() >= LEAST_TEXT) {
        let Some(span) = place(words) else { continue };
        let is_known = spans.iter().any(|s| met(s, &span)) || out.iter().filter_map(of).any(|own| met(&own, &span));
        let told = Worded { text: words, category: Category::Misc, day: None, people: &[], evidence: words };
        out.extend(worded(mail, account, &told).filter(|_| !is_known));
    }
    out
}

/// A note with what its own words tell and nobody has given: its category, days, people and weight. `mail` is the note as a
/// mail from the owner to themself; `sorted`: its category is given.
pub fn noted(draft: Draft, mail: &Mail, account: &Account, sorted: bool) -> Draft {
    let drafter = Drafter::new(mail, account, mail.sections.first());
    let read = drafter.draft(&whole(&drafter, LineForm::Sentence, &mail.text, 0..mail.text.len()), None, None);
    let mut out = draft;
    if !sorted {
        out.category = read.category;
    }
    if out.occurred_at.is_none() {
        out.occurred_at = read.happens_at();
        // The day that it tells of is not the one on which it is told.
        if out.occurred_at.is_some() && out.stated_at.is_none() {
            out.stated_at = drafter.said;
        }
    }
    if out.valid_from.is_none() && out.valid_until.is_none() {
        (out.valid_from, out.valid_until) = (read.valid_from, read.valid_until);
    }
    if out.people.is_empty() {
        let owner = mail.from.as_ref().map_or("", |p| p.address.as_str());
        out.people = read.people.into_iter().filter(|p| p != owner && !account.is_owner(p)).collect();
    }
    if out.properties.is_empty() {
        out.properties = read.properties;
    }
    if out.importance.is_none() && out.importance_factors.is_empty() {
        out.importance_factors = read.importance_factors;
    }
    if out.retention.is_none() && out.category == Category::Meeting {
        out.retention = read.retention;
    }
    within_limits(out)
}
