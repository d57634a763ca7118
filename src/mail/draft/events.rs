//! Drafts of an invitation, and what it says already.

use super::guard::is_suspicious;
use super::teller::{MOST_CHARS, Teller};
use super::when::values;
use super::{names, nouns, plain};
use crate::language::{Words, day_in_words, shown, words};
use crate::mail::{Account, Event, Mail, Person};
use crate::model::{Category, Draft, EventId, Factor, ImportanceFactor, Property, Retention};
use chrono::Timelike;
use std::collections::HashSet;

/// Whether the draft says no more than the mail's calendar part: its time, its place, who comes.
pub(super) fn repeats_event(draft: &Draft, mail: &Mail, known: &HashSet<String>) -> bool {
    static FRAME: &Words = words!("mail/boilerplate.frame");
    if mail.events.is_empty() {
        return false;
    }
    let found = values(&draft.content, None);
    let words = nouns::words(&draft.content);
    let new = words.iter().filter(|w| {
        let key = w.key();
        let dated = found.iter().any(|f| f.span.holds(w.start));
        !dated && key.chars().count() >= 2 && !known.contains(&key) && !FRAME.contains(&key.as_str())
    });
    new.count() <= 1
}

/// The words of a mail's calendar parts and of its subject line.
pub(super) fn told_by_events(mail: &Mail) -> HashSet<String> {
    let mut known = mail.subject.clone();
    for event in &mail.events {
        known.push(' ');
        known.push_str(&event.summary);
        known.push(' ');
        known.push_str(event.location.as_deref().unwrap_or_default());
        for person in event.attendees.iter().chain(&event.organizer).chain(&mail.from) {
            known.push(' ');
            known.push_str(person.name.as_deref().unwrap_or_default());
            known.push(' ');
            known.push_str(&person.address);
        }
    }
    nouns::keys(&known).into_iter().collect()
}

/// The draft of an invitation, or what it adds to the draft of a text that tells the same.
pub(super) fn invitation(event: &Event, mail: &Mail, account: &Account, out: &mut Vec<Draft>) {
    let Some(start) = event.start.filter(|_| !event.reply) else { return };
    let teller = Teller::new(mail, account, None);
    let start = start.at(teller.home);
    let day = start.day(teller.home);
    let same_day =
        |d: &&mut Draft| d.category == Category::Meeting && d.occurred_at.is_some_and(|t| t.day(teller.home) == day);
    let place = event.location.as_deref().map(|p| p.chars().take(200).collect::<String>());
    if !event.cancelled
        && let Some(told) = out.iter_mut().find(same_day)
    {
        told.occurred_at = Some(start);
        let fits = |p: &String| told.content.chars().count() + p.chars().count() + 3 <= MOST_CHARS;
        if let Some(place) = place.filter(|p| fits(p) && !told.content.to_lowercase().contains(&p.to_lowercase())) {
            told.content = format!("{} ({place})", told.content.trim_end());
        }
        if told.entities.is_empty() {
            told.entities = vec![event.summary.chars().take(100).collect()];
        }
        return;
    }
    if is_suspicious(&event.summary) || event.location.as_deref().is_some_and(is_suspicious) {
        return;
    }
    let summary =
        if event.summary.is_empty() { teller.topic.subject.clone() } else { event.summary.chars().take(300).collect() };
    let korean = plain::is_korean(&summary) || plain::is_korean(&mail.text);
    let said = mail.date.map_or(day, |date| date.day(teller.home));
    let mut text = format!("{summary}: {}", day_in_words(day, said, korean));
    if let Some(time) = start.time() {
        let local = time.local(teller.home);
        text.push_str(&format!(" {:02}:{:02}", local.hour(), local.minute()));
    }
    if let Some(place) = &place {
        text.push_str(&format!(", {place}"));
    }
    if event.cancelled {
        text = shown::CANCELLED.with(korean, &[&text]);
    }
    let mut draft = teller.bare(text.clone(), 0..0);
    draft.evidence = None;
    let organizer = event.organizer.as_ref().map(|p| p.address.clone()).filter(|a| !a.is_empty());
    draft.event = Some(EventId { uid: event.uid.clone(), organizer }).filter(|e| !e.uid.is_empty());
    draft.category = Category::Meeting;
    draft.occurred_at = Some(start);
    draft.entities = vec![summary];
    draft.keywords = names::keywords(&text, &teller.topic, &values(&text, None));
    draft.people = names::people(mail, teller.author, "", account);
    for person in event.attendees.iter().chain(&event.organizer) {
        let known = draft.people.iter().any(|p| p.eq_ignore_ascii_case(&person.address));
        if !known && !account.is_owner(&person.address) && person.address.contains('@') && draft.people.len() < 12 {
            draft.people.push(person.address.clone());
        }
    }
    let two = mail.parties().count() >= 3;
    if two {
        let names: Vec<&str> = mail.receivers().take(5).map(Person::called).collect();
        draft.importance_factors.push(ImportanceFactor::new(Factor::MultiPerson, Some(names.join(", "))));
    }
    draft.properties =
        place.into_iter().map(|value| Property { name: shown::PLACE.text(korean).into(), value }).collect();
    draft.retention = Some(Retention::Episodic);
    draft.confidence = Some(0.95);
    out.push(draft);
}
