//! A mail for somebody else to read, and drafts of what they found in it: [`passages`], [`worded`].
//!
//! It takes no word of theirs for the mail's: what a draft rests on stands in the mail.

use super::{BlockForm, is_suspicious};
use super::{Teller, ads, blocks, drafts, parts, repeats_event, told_by_events, units::DraftUnit, when, within_limits};
use crate::language::{Words, words};
use crate::mail::{Account, Mail, Section};
use crate::model::{Category, DayOrTime, Draft, Retention, WrittenBy};
use chrono::NaiveDate;
use std::ops::Range;

/// Letters and figures of a text that is worth reading.
const LEAST_TEXT: usize = 20;

/// Whether rules settle a mail, so that nobody need read it: a passing notice, a promotion, or hardly a word.
pub fn is_settled(mail: &Mail) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let said: usize = passages(mail).iter().map(|(_, text)| letters(text)).sum();
    ads::is_passing(mail)
        || ads::is_promotion(mail) && !is_own_matter(mail)
        || said + letters(&mail.subject) < LEAST_TEXT
}

/// Whether the owner has written something of it to nobody but themself: a note, or their part of a chat.
pub fn is_note(mail: &Mail, account: &Account) -> bool {
    mail.sections.iter().any(|s| Teller::new(mail, account, Some(s)).is_note)
}

/// Whether a mail to many may tell the owner of something of their own: a plan that renews, a bill, a booking.
fn is_own_matter(mail: &Mail) -> bool {
    static OWN: &Words = words!("mail/boilerplate.own words");
    let text = mail.text.to_lowercase();
    OWN.stand_in(&text) || OWN.stand_in(&mail.subject.to_lowercase())
}

/// What a mail says, in stretches of one author each, without what speaks to an assistant.
pub fn passages(mail: &Mail) -> Vec<(WrittenBy, String)> {
    let zone = mail.zone;
    let mut out = Vec::new();
    for section in &mail.sections {
        let (mut text, mut at) = (String::new(), section.start);
        for span in mail.suspicious.iter().filter(|s| s.start < section.end && section.start < s.end) {
            text.push_str(mail.text.get(at..span.start.max(at)).unwrap_or_default());
            at = span.end.max(at);
        }
        text.push_str(mail.text.get(at..section.end.max(at)).unwrap_or_default());
        let by = match section {
            Section { by_tool: true, .. } => WrittenBy::Assistant,
            Section { forwarded: true, .. } => {
                let author = section.author.as_ref().map(|a| a.name.clone().unwrap_or_else(|| a.address.clone()));
                let day = section.date.map(|d| format!(", {}", d.day(zone)));
                WrittenBy::Forwarded(author.unwrap_or_default() + day.as_deref().unwrap_or_default())
            }
            _ if mail.is_chat => WrittenBy::User,
            _ => WrittenBy::Sender,
        };
        if !text.trim().is_empty() {
            out.push((by, text.trim().to_owned()));
        }
    }
    if mail.sections.is_empty() && !mail.text.trim().is_empty() {
        out.push((WrittenBy::Sender, mail.text.trim().to_owned()));
    }
    out
}

/// Whether a draft rests on what the sender of its mail only forwards: by its evidence, or by a figure that only that has,
/// and not what is known already.
pub fn passes_on(mail: &Mail, draft: &Draft, known: &str) -> bool {
    rests_on(mail, draft, known, |s| s.forwarded && !s.by_tool)
}

/// Whether a draft of a chat rests on what the assistant says.
pub fn is_by_tool(mail: &Mail, draft: &Draft) -> bool {
    rests_on(mail, draft, "", |s| s.by_tool)
}

fn rests_on(mail: &Mail, draft: &Draft, known: &str, is_theirs: fn(&&Section) -> bool) -> bool {
    let (theirs, own): (Vec<&Section>, Vec<&Section>) = mail.sections.iter().partition(is_theirs);
    if theirs.is_empty() {
        return false;
    }
    let lies_in = |at: u32| theirs.iter().any(|s| (s.start..s.end).contains(&(at as usize)));
    fn figures(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_numeric()).filter(|run| !run.is_empty())
    }
    let of = |sections: &[&Section]| -> Vec<&str> {
        sections.iter().filter_map(|s| mail.text.get(s.start..s.end)).flat_map(figures).collect()
    };
    let (said, mut ours) = (of(&theirs), of(&own));
    ours.extend(figures(known));
    let only_there = |run: &str| said.contains(&run) && !ours.contains(&run);
    draft.evidence.as_ref().is_some_and(|e| lies_in(e.start)) || figures(&draft.content).any(only_there)
}

/// A memory that somebody else found in a mail, in their words.
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
    let found = mail
        .text
        .find(told.evidence)
        .filter(|_| !told.evidence.is_empty())
        .map(|start| start..start + told.evidence.len());
    let start = found.as_ref().map_or(0, |span| span.start);
    let section = mail.sections.iter().find(|s| (s.start..s.end).contains(&start));
    let teller = Teller::new(mail, account, section);
    // The owner may speak to their assistant.
    let steers = is_suspicious(told.text) || found.as_ref().is_some_and(|span| mail.is_suspicious(span));
    if steers && !teller.is_note {
        return None;
    }
    let (form, span) = (BlockForm::Item { ordered: false }, found.clone().unwrap_or(0..0));
    let block = blocks::Block { form, span, text: told.text.to_owned(), after_gap: true };
    let unit = DraftUnit { parts: parts::parts(&mail.text, &[block], &teller.context()) };
    let mut draft = teller.draft(&unit, None, &[], Some(told.category));
    told.text.clone_into(&mut draft.content);
    if found.is_none() {
        draft.evidence = None;
    }
    for person in told.people {
        let known = draft.people.iter().any(|p| p.eq_ignore_ascii_case(person));
        // An address that a text only names took no part.
        let mut parties = mail.parties();
        let took_part = !person.contains('@') || parties.any(|p| p.address.eq_ignore_ascii_case(person));
        if !known && took_part && !account.is_owner(person) {
            draft.people.push(person.clone());
        }
    }
    let values = when::values(told.text, teller.at);
    let moments = when::moments(told.text, &values, teller.at);
    let on_day = told.day.map(|day| {
        // Twelve at night ends the day that it is said of.
        let in_day = |m: &&when::Moment| m.day == day && m.at(teller.home).is_some_and(|t| t.day(teller.home) == day);
        let named = moments.iter().filter(in_day).max_by_key(|m| m.clock.is_some()).copied();
        named.unwrap_or(when::Moment { start: 0, end: 0, day, clock: None, role: when::DateRole::Event })
    });
    let (said, on_day) = (teller.said.map(DayOrTime::Time), on_day.and_then(|moment| moment.at(teller.home)));
    (draft.occurred_at, draft.valid_from, draft.valid_until) = match on_day {
        Some(at) if told.category == Category::Task => {
            // What is due today may have been due an hour ago.
            (Some(at), said.filter(|said| !at.ends_before(*said, teller.home)), Some(at))
        }
        Some(at) => {
            let lasts = |until: &DayOrTime| *until != at && !until.ends_before(at, teller.home);
            (Some(at), None, draft.valid_until.filter(lasts))
        }
        None => (said, None, None),
    };
    let episodic = matches!(told.category, Category::Meeting | Category::Ads);
    draft.retention = Some(if episodic { Retention::Episodic } else { Retention::Semantic });
    let events = told_by_events(mail);
    let event = mail.events.first().filter(|e| told.category == Category::Meeting && !e.uid.is_empty());
    if let Some(event) = event.filter(|_| repeats_event(&draft, mail, &events)) {
        let organizer = event.organizer.as_ref().map(|p| p.address.clone()).filter(|a| !a.is_empty());
        draft.event = Some(crate::model::EventId { uid: event.uid.clone(), organizer });
    }
    Some(within_limits(draft))
}

/// Of what somebody else has found in a mail without the right words for it (`unheard`): the drafts that rules find there, or
/// else the mail's own words. `all`: what rules find wherever nobody else's words stand (`heard`).
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
        let known = spans.iter().any(|s| met(s, &span)) || out.iter().filter_map(of).any(|own| met(&own, &span));
        let told = Worded { text: words, category: Category::Misc, day: None, people: &[], evidence: words };
        out.extend(worded(mail, account, &told).filter(|_| !known));
    }
    out
}
