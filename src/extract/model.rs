//! Drafts facts that a model worded, and completes the owner's notes.

use super::drafter::{Drafter, within_limits};
use super::drafts;
use super::events::{add_person, event_id, event_words, repeats_event};
use super::split::LineForm;
use super::unit::{DraftUnit, ScoredPart};
use crate::language::{DateRole, Moment, meant_values, moments};
use crate::mail::{Account, Mail, is_suspicious};
use crate::model::{Category, DayOrTime, Draft, Retention};
use chrono::NaiveDate;
use std::ops::Range;

/// Fewest letters and digits of a text that becomes a draft.
const MIN_TEXT_CHARS: usize = 20;

/// A memory that a model extracted from a mail, in the model's words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worded<'a> {
    pub text: &'a str,
    pub category: Category,
    /// The day on which it happens or is due.
    pub day: Option<NaiveDate>,
    pub people: &'a [String],
    /// The quoted words of the mail that support it.
    pub evidence: &'a str,
}

/// Drafts a model's memory: rules fill in names, times and importance.
pub fn worded(mail: &Mail, account: &Account, fact: &Worded<'_>) -> Option<Draft> {
    let found = mail.text.find(fact.evidence).filter(|_| !fact.evidence.is_empty());
    let found = found.map(|start| start..start + fact.evidence.len());
    let start = found.as_ref().map_or(0, |span| span.start);
    let section = mail.sections.iter().find(|s| (s.start..s.end).contains(&start));
    let drafter = Drafter::new(mail, account, section);
    // The owner may give instructions to their assistant.
    let steers = is_suspicious(fact.text) || found.as_ref().is_some_and(|span| mail.is_suspicious(span));
    if steers && !drafter.is_note {
        return None;
    }
    let span = found.clone().unwrap_or(0..0);
    let mut draft = drafter.draft(&single_unit(&drafter, LineForm::Item, fact.text, span), None, Some(fact.category));
    fact.text.clone_into(&mut draft.content);
    draft.evidence = draft.evidence.filter(|_| found.is_some());
    // An address that is only mentioned is not a participant.
    let took_part = |person: &str| mail.parties().any(|p| p.address.eq_ignore_ascii_case(person));
    for person in fact.people.iter().filter(|p| !p.contains('@') || took_part(p)) {
        add_person(&mut draft, person, account);
    }
    let home = drafter.home;
    let on_day = fact.day.and_then(|day| {
        // Midnight may belong to the previous day, so compare the day of the resolved time.
        let in_day = |m: &&Moment| m.day == day && m.at(home).is_some_and(|t| t.day(home) == day);
        let named = moments(fact.text, &meant_values(fact.text, drafter.at), drafter.at);
        let named = named.iter().filter(in_day).max_by_key(|m| m.clock.is_some()).copied();
        named.unwrap_or(Moment { start: 0, end: 0, day, clock: None, role: DateRole::Event }).at(home)
    });
    let said = drafter.said.map(DayOrTime::Time);
    (draft.occurred_at, draft.valid_from, draft.valid_until) = match on_day {
        Some(at) if fact.category == Category::Task => {
            // A task due today may already be overdue, so its start must not be after its deadline.
            (Some(at), said.filter(|said| !at.ends_before(*said, home)), Some(at))
        }
        Some(at) => {
            let lasts = |until: &DayOrTime| *until != at && !until.ends_before(at, home);
            (Some(at), None, draft.valid_until.filter(lasts))
        }
        None => (said, None, None),
    };
    let is_event = matches!(fact.category, Category::Meeting | Category::Ads);
    draft.retention = Some(if is_event { Retention::Episodic } else { Retention::Semantic });
    if fact.category == Category::Meeting && repeats_event(&draft, mail, &event_words(mail)) {
        draft.event = mail.events.first().and_then(event_id);
    }
    Some(within_limits(draft))
}

fn single_unit(drafter: &Drafter<'_>, form: LineForm, text: &str, span: Range<usize>) -> DraftUnit {
    DraftUnit { parts: vec![ScoredPart::new(form, text, span, 0, drafter.at)] }
}

/// Drafts the evidence of rejected model entries with rules, or verbatim if the rules find nothing.
pub fn uncovered(mail: &Mail, account: &Account, accepted: &[&str], rejected: &[String], all: bool) -> Vec<Draft> {
    let find_span = |words: &str| mail.text.find(words).map(|at| at..at + words.len());
    let overlap = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let spans: Vec<Range<usize>> = accepted.iter().filter_map(|words| find_span(words)).collect();
    let of = |d: &Draft| d.evidence.as_ref().map(|e| e.start as usize..e.end as usize);
    let mut out = drafts(mail, account);
    let rejected_spans: Vec<Range<usize>> = rejected.iter().filter_map(|words| find_span(words)).collect();
    out.retain(|d| {
        let own = of(d);
        let is_free = own.as_ref().is_none_or(|own| spans.iter().all(|s| !overlap(s, own)));
        is_free && (all || own.is_some_and(|own| rejected_spans.iter().any(|m| overlap(m, &own))))
    });
    for words in rejected.iter().filter(|w| w.chars().filter(|c| c.is_alphanumeric()).count() >= MIN_TEXT_CHARS) {
        let Some(span) = find_span(words) else { continue };
        let is_known =
            spans.iter().any(|s| overlap(s, &span)) || out.iter().filter_map(of).any(|own| overlap(&own, &span));
        let fact = Worded { text: words, category: Category::Misc, day: None, people: &[], evidence: words };
        out.extend(worded(mail, account, &fact).filter(|_| !is_known));
    }
    out
}

/// Fills in the missing fields of a note from its text: category, times, people, properties and importance.
pub fn noted(draft: Draft, mail: &Mail, account: &Account, sorted: bool) -> Draft {
    let drafter = Drafter::new(mail, account, mail.sections.first());
    let parsed = drafter.draft(&single_unit(&drafter, LineForm::Sentence, &mail.text, 0..mail.text.len()), None, None);
    let mut out = draft;
    if !sorted {
        out.category = parsed.category;
    }
    if out.occurred_at.is_none() {
        out.occurred_at = parsed.happens_at();
        // Keep the day of the event separate from the day of writing.
        if out.occurred_at.is_some() && out.stated_at.is_none() {
            out.stated_at = drafter.said;
        }
    }
    if out.valid_from.is_none() && out.valid_until.is_none() {
        (out.valid_from, out.valid_until) = (parsed.valid_from, parsed.valid_until);
    }
    if out.people.is_empty() {
        let owner = mail.from.as_ref().map_or("", |p| p.address.as_str());
        out.people = parsed.people.into_iter().filter(|p| p != owner && !account.is_owner(p)).collect();
    }
    if out.properties.is_empty() {
        out.properties = parsed.properties;
    }
    if out.importance.is_none() && out.importance_factors.is_empty() {
        out.importance_factors = parsed.importance_factors;
    }
    if out.retention.is_none() && out.category == Category::Meeting {
        out.retention = parsed.retention;
    }
    within_limits(out)
}
