//! Drafts calendar events and coupons.

use super::drafter::{Drafter, MAX_CONTENT_CHARS};
use super::{nouns, split, times};
use crate::language::{DateRole, Value, day_in_words, has_hangul, meant_values, moments, shown, words};
use crate::mail::{Account, Event, Mail, MailKind, Person, is_boilerplate, is_suspicious, says_kind};
use crate::model::{Category, Draft, EventId, Factor, ImportanceFactor, Property, Retention};
use chrono::Timelike;
use std::collections::HashSet;

const MAX_LINES: usize = 2_000;

/// Whether the draft adds nothing to the mail's calendar event: its time, place and attendees.
pub(super) fn repeats_event(draft: &Draft, mail: &Mail, known: &HashSet<String>) -> bool {
    let found = meant_values(&draft.content, None);
    let words = nouns::nouns(&draft.content);
    let new = words.iter().filter(|w| {
        let key = w.key();
        let is_frame = || words!("mail/boilerplate.frame").contains(&key.as_str());
        key.chars().count() >= 2 && !found.iter().any(|f| f.span.holds(w.start)) && !known.contains(&key) && !is_frame()
    });
    !mail.events.is_empty() && new.count() <= 1
}

pub(super) fn event_words(mail: &Mail) -> HashSet<String> {
    let mut known = vec![mail.subject.as_str()];
    for event in &mail.events {
        known.extend([event.summary.as_str(), event.location.as_deref().unwrap_or_default()]);
        for person in event.attendees.iter().chain(&event.organizer).chain(&mail.from) {
            known.extend([person.name.as_deref().unwrap_or_default(), &person.address]);
        }
    }
    nouns::keys(&known.join(" ")).into_iter().collect()
}

/// Adds the draft of a calendar event, or completes the existing draft about the same event.
pub(super) fn invitation(event: &Event, mail: &Mail, account: &Account, out: &mut Vec<Draft>) {
    let Some(start) = event.start.filter(|_| !event.reply) else { return };
    let drafter = Drafter::new(mail, account, None);
    let home = drafter.home;
    let (start, day) = (start.at(home), start.at(home).day(home));
    let is_it = |d: &&mut Draft| d.category == Category::Meeting && d.occurred_at.is_some_and(|t| t.day(home) == day);
    let place = event.location.as_deref().map(|p| p.chars().take(200).collect::<String>());
    if let Some(existing) = out.iter_mut().find(is_it).filter(|_| !event.cancelled) {
        existing.occurred_at = Some(start);
        let fits = |p: &String| existing.content.chars().count() + p.chars().count() + 3 <= MAX_CONTENT_CHARS;
        if let Some(place) = place.filter(|p| fits(p) && !existing.content.to_lowercase().contains(&p.to_lowercase())) {
            existing.content = format!("{} ({place})", existing.content.trim_end());
        }
        if existing.entities.is_empty() {
            existing.entities = vec![event.summary.chars().take(100).collect()];
        }
        return;
    }
    if is_suspicious(&event.summary) || event.location.as_deref().is_some_and(is_suspicious) {
        return;
    }
    let summary = Some(event.summary.chars().take(300).collect::<String>()).filter(|s| !s.is_empty());
    let summary = summary.unwrap_or_else(|| drafter.topic.subject.clone());
    let korean = has_hangul(&summary) || has_hangul(&mail.text);
    let said = mail.date.map_or(day, |date| date.day(home));
    let mut text = format!("{summary}: {}", day_in_words(day, said, korean));
    if let Some(time) = start.time() {
        let local = time.local(home);
        text.push_str(&format!(" {:02}:{:02}", local.hour(), local.minute()));
    }
    if let Some(place) = &place {
        text.push_str(&format!(", {place}"));
    }
    if event.cancelled {
        text = shown::CANCELLED.with(korean, &[&text]);
    }
    let mut draft = drafter.base_draft(text.clone(), 0..0);
    drafter.name(&mut draft, &text, &meant_values(&text, None), "");
    draft.event = event_id(event);
    draft.category = Category::Meeting;
    draft.occurred_at = Some(start);
    draft.entities = vec![summary];
    for person in event.attendees.iter().chain(&event.organizer) {
        if person.address.contains('@') && draft.people.len() < 12 {
            add_person(&mut draft, &person.address, account);
        }
    }
    if mail.parties().count() >= 3 {
        let names: Vec<&str> = mail.receivers().take(5).map(Person::called).collect();
        draft.importance_factors.push(ImportanceFactor::new(Factor::MultiPerson, Some(names.join(", "))));
    }
    let day =
        Property { name: shown::DATE.text(korean).into(), value: day_in_words(day, said, korean), normalised: None };
    let place = place.map(|value| Property { name: shown::PLACE.text(korean).into(), value, normalised: None });
    draft.properties = [Some(day), place].into_iter().flatten().collect();
    draft.retention = Some(Retention::Episodic);
    draft.confidence = Some(0.95);
    out.push(draft);
}

pub(super) fn event_id(event: &Event) -> Option<EventId> {
    let organizer = event.organizer.as_ref().map(|p| p.address.clone()).filter(|a| !a.is_empty());
    Some(EventId { uid: event.uid.clone(), organizer }).filter(|e| !e.uid.is_empty())
}

pub(super) fn add_person(draft: &mut Draft, person: &str, account: &Account) {
    let is_known = draft.people.iter().any(|p| p.eq_ignore_ascii_case(person));
    draft.people.extend(Some(person.to_owned()).filter(|_| !is_known && !account.is_owner(person)));
}

/// Drafts the coupon of a promotion: the line that offers it, and its expiry.
pub(super) fn coupon(mail: &Mail, account: &Account) -> Option<Draft> {
    let drafter = Drafter::new(mail, account, mail.sections.first());
    let lines = mail.sections.first().map(|s| split::parts(&mail.text, s.start..s.end)).unwrap_or_default();
    let lines: Vec<_> = lines.into_iter().take(MAX_LINES).filter(|l| !mail.is_suspicious(&l.span)).collect();
    let of = |text: &str| meant_values(text, drafter.at);
    let has_figure = |text: &str| of(text).iter().any(|f| matches!(f.value, Value::Percent(_) | Value::Money { .. }));
    let days = |text: &str| moments(text, &of(text), drafter.at);
    let ends = |text: &str| days(text).iter().any(|m| matches!(m.role, DateRole::Deadline | DateRole::Until));
    let is_coupon = |text: &str| says_kind(text, MailKind::Coupon);
    // The coupon code may be on another line than the offer.
    let has_code = lines.iter().any(|l| is_coupon(&l.text));
    let offers = |text: &str| (is_coupon(text) || has_code && ends(text)) && has_figure(text) && !is_boilerplate(text);
    let best = lines.iter().filter(|l| offers(&l.text)).max_by_key(|l| ends(&l.text))?;
    let (mut text, mut span) = (best.text.clone(), best.span.clone());
    if let Some(line) = lines.iter().find(|l| ends(&l.text) && l.text.chars().count() <= 200).filter(|_| !ends(&text)) {
        text = format!("{}. {}", text.trim_end_matches(['.', '!', ' ']), line.text);
        span = span.start.min(line.span.start)..span.end.max(line.span.end);
    }
    let sender = mail.from.as_ref().and_then(|p| p.name.clone()).filter(|name| !text.contains(name.as_str()));
    let content: String = sender.map(|name| format!("{name}: ")).into_iter().chain([text]).collect();
    let content: String = content.chars().take(500).collect();
    let mut draft = drafter.base_draft(content.clone(), span);
    drafter.name(&mut draft, &content, &of(&content), "");
    draft.category = Category::Ads;
    times::set_times(&mut draft, &content, &days(&content), drafter.home);
    draft.retention = Some(Retention::Episodic);
    // Importance is always low: the prices are the shop's, not the owner's.
    draft.importance = Some(0.2);
    draft.confidence = Some(if mail.suspicious.is_empty() { 0.8 } else { 0.4 });
    Some(draft)
}
