//! [`drafts`]: a read mail → the memories it teaches, by local rules.
//!
//! It never obeys what a mail says: text in, values out. Follow it from the top: sections → blocks → parts → units →
//! drafts; an invitation adds its own.

mod ads;
mod blocks;
mod category;
mod cues;
mod guard;
mod idle;
mod names;
mod nouns;
mod parts;
mod phrases;
mod plain;
mod sentences;
mod topic;
mod units;
mod when;
mod worded;

pub use ads::is_promotion;
pub use guard::is_suspicious;
pub use worded::{Worded, is_settled, passages, uncovered, worded};

use super::{Account, Event, Mail, Person, Section, clean};
use crate::language::{Lower, Reference, Value, Words, words};
use crate::model::{
    Category, Draft, EventId, Evidence, Factor, ImportanceFactor, Limits, Property, Retention, Source, Time, Zone,
};
use blocks::Form;
use chrono::Timelike;
use std::collections::HashSet;
use std::ops::Range;
use topic::Topic;
use units::Unit;
use when::{Moment, Role, values};

/// The most drafts of one mail: more is a list, and a list is one thing to remember.
const MOST_DRAFTS: usize = 24;
/// The most statements of one mail that are drafted to find those.
const MOST_TRIED: usize = 200;
/// The most bytes of a signature that are read for the author's organisation.
const MOST_OWN: usize = 2_000;
/// The most characters of a draft.
const MOST_CHARS: usize = 2_000;

/// The drafts of a mail, in the order in which it says them.
pub fn drafts(mail: &Mail, account: &Account) -> Vec<Draft> {
    let mut out = Vec::new();
    if ads::is_passing(mail) {
        return out;
    }
    if ads::is_promotion(mail) {
        out.extend(advert(mail, account).map(within_limits));
        return out;
    }
    let events = told_by_events(mail);
    let subject = nouns::words(&topic::subject(&mail.subject)).iter().map(nouns::Word::key).collect::<Vec<_>>();
    let adds = |d: &Draft| nouns::words(&d.content).iter().any(|w| !subject.contains(&w.key()));
    let (mut tried, mut added) = (0, 0);
    'sections: for section in &mail.sections {
        let teller = Teller::new(mail, account, Some(section));
        let blocks = blocks::blocks(&mail.text, section.start..section.end);
        let blocks: Vec<_> = blocks.into_iter().filter(|b| !mail.is_suspicious(&b.span)).collect();
        let parts = parts::parts(&mail.text, &blocks, &teller.context());
        let sparse = !mail.bulk.unsubscribe && !mail.bulk.promotion;
        let units = units::units(parts, sparse);
        let mut first = None;
        for unit in &units {
            if added == MOST_DRAFTS || tried == MOST_TRIED {
                break 'sections;
            }
            let draft = teller.draft(unit, first.as_ref(), &blocks, None);
            first.get_or_insert_with(|| draft.clone());
            tried += 1;
            if !repeats_event(&draft, mail, &events) {
                added += usize::from(adds(&draft));
                out.push(draft);
            }
        }
    }
    if out.len() > 1 && added > 0 {
        out.retain(adds);
    }
    if out.is_empty() && mail.events.is_empty() {
        out.extend(from_subject(mail, account));
    }
    completed(out, mail, account)
}

/// The drafts with those of the mail's calendar parts, within all limits.
fn completed(mut out: Vec<Draft>, mail: &Mail, account: &Account) -> Vec<Draft> {
    for event in &mail.events {
        invitation(event, mail, account, &mut out);
    }
    out.truncate(MOST_DRAFTS);
    out.into_iter().map(within_limits).collect()
}

/// The draft without names that no list may hold: what is too long to be a name is none.
fn within_limits(mut draft: Draft) -> Draft {
    for list in [&mut draft.people, &mut draft.entities, &mut draft.keywords] {
        list.retain(|name| name.chars().count() <= Limits::NAME);
        list.truncate(Limits::LIST);
    }
    for name in [&mut draft.subject, &mut draft.thread_id, &mut draft.source_id] {
        if let Some(long) = name.as_mut().filter(|n| n.chars().count() > Limits::NAME) {
            *long = long.chars().take(Limits::NAME).collect();
        }
    }
    draft
}

/// What all drafts of a section share.
struct Teller<'a> {
    mail: &'a Mail,
    account: &'a Account,
    author: Option<&'a Person>,
    topic: Topic,
    /// Words of the author's name, signature and organisation.
    own: Vec<String>,
    /// When it was said, and where.
    at: Option<Reference>,
    said: Option<Time>,
    home: Zone,
    is_note: bool,
    by_tool: bool,
}

impl<'a> Teller<'a> {
    fn new(mail: &'a Mail, account: &'a Account, section: Option<&'a Section>) -> Self {
        let said = section.and_then(|s| s.date).or(mail.date);
        let forwarded = section.is_some_and(|s| s.forwarded);
        let author = match section {
            Some(s) if s.forwarded => s.author.as_ref(),
            _ => mail.from.as_ref(),
        };
        let subject = section.and_then(|s| s.subject.as_deref()).unwrap_or(&mail.subject);
        let mut own = section.map(|s| clean::cut(&s.signature, MOST_OWN).to_owned()).unwrap_or_default();
        if let Some(name) = author.and_then(|a| a.name.as_deref()) {
            own.push(' ');
            own.push_str(name);
        }
        if let Some(section) = section {
            // Who introduces themself says so in the first lines: their organisation, and their name.
            let first =
                mail.text[section.start..section.end].lines().take(3).flat_map(|l| l.split_inclusive(['.', '!', ',']));
            let name: Vec<String> = nouns::words(&own).iter().map(nouns::Word::key).collect();
            let introduces = |l: &&str| is_introduction(l) && nouns::words(l).iter().any(|w| name.contains(&w.key()));
            let lines: Vec<&str> = first.filter(introduces).collect();
            own.push(' ');
            own.push_str(clean::cut(&lines.join(" "), MOST_OWN));
        }
        let from = mail.from.as_ref().map_or("", |p| p.address.as_str());
        let owners = |p: &Person| account.is_owner(&p.address) || mail.sender.vouched && p.address == from;
        let others = mail.to.is_empty() || !mail.to.iter().chain(&mail.cc).all(owners);
        Self {
            mail,
            account,
            author,
            topic: Topic::new(subject, mail, &own),
            own: nouns::words(&own).iter().map(nouns::Word::key).collect(),
            at: said.map(|now| Reference { now, zone: mail.zone }),
            said,
            home: account.zone.unwrap_or(mail.zone),
            is_note: account.wrote(mail) && !others && !forwarded,
            by_tool: section.is_some_and(|s| s.by_tool),
        }
    }

    fn context(&self) -> parts::Context<'_> {
        let mail = self.mail;
        let few = mail.to.len() + mail.cc.len() <= 4;
        let direct = few && !mail.bulk.unsubscribe && !mail.bulk.list && !mail.bulk.automatic;
        parts::Context { topic: &self.topic, at: self.at, own: &self.own, is_reply: mail.is_reply, direct }
    }

    /// `first` is the section's first draft, which later ones go on about. `told` is the category of a statement that
    /// stands by itself.
    fn draft(&self, unit: &Unit, first: Option<&Draft>, blocks: &[blocks::Block], told: Option<Category>) -> Draft {
        let own = unit.text();
        let found = values(&own, self.at);
        let mut moments = when::moments(&own, &found, self.at);
        let mut content = when::anchored(&own, &found, self.at);
        let category = told.unwrap_or_else(|| category::of(unit, &own, &found, &moments));
        let mut text = own.clone();
        // What the moments are of.
        let mut dated = own.as_str();
        let missing = || self.topic.missing(&own, unit.leans(), first.is_some());
        if let Some(topic) = told.is_none().then(missing).flatten() {
            // The subject line of a reply is older than its dates; it is not resolved.
            content = format!("{topic}: {content}");
            text = format!("{topic}: {own}");
            if moments.is_empty() && !self.mail.is_reply {
                moments = when::moments(topic, &values(topic, self.at), self.at);
                dated = topic;
            }
        }
        let goes_on = text != own && moments.is_empty() && matches!(category, Category::Project | Category::Misc);
        let mut times = when::times(&own, &moments, category, self.said, self.home);
        if goes_on {
            // What is told of an event below it happens when it does.
            times.occurred_at = first.and_then(|f| f.occurred_at).or(times.occurred_at);
        }
        let found = values(&text, self.at);
        let span = unit.span();
        let mut draft = self.bare(content, span.clone());
        draft.category = category;
        draft.occurred_at = times.occurred_at;
        draft.valid_from = times.valid_from;
        draft.valid_until = times.valid_until;
        draft.entities = names::entities(&text, &self.topic, &found, self.mail);
        draft.keywords = names::keywords(&text, &self.topic, &found);
        draft.people = names::people(self.mail, self.author, &text, self.account);
        draft.properties = properties(blocks, &span);
        draft.importance_factors = self.factors(unit, dated, &text, &found, &moments, category);
        draft.retention = Some(self.retention(unit, category, &times, &draft));
        draft.confidence = Some(self.confidence(unit));
        draft
    }

    /// A draft with what follows from the mail alone.
    fn bare(&self, content: String, span: Range<usize>) -> Draft {
        let evidence = self.mail.text.get(span.clone()).filter(|t| !t.is_empty()).map(|words| {
            let words = clean::cut(words, 4_000);
            let start = u32::try_from(span.start).unwrap_or(u32::MAX);
            Evidence { text: words.to_owned(), start, end: start.saturating_add(words.len() as u32) }
        });
        let subject = Some(self.topic.subject.chars().take(300).collect::<String>()).filter(|s| !s.is_empty());
        Draft {
            subject,
            thread_id: Some(self.mail.thread_id.chars().take(900).collect()),
            stated_at: self.said,
            source_type: match (self.is_note, self.by_tool) {
                (true, _) => Source::UserInput,
                (_, true) => Source::ToolOutput,
                _ => Source::Realtime,
            },
            source_id: Some(self.mail.message_id.chars().take(900).collect()),
            // Who sent it: what a forward says of its author, anybody could have typed.
            author: self.mail.from.as_ref().map(|p| p.address.clone()).filter(|a| a.contains('@')),
            evidence,
            ..Draft::new(content.chars().take(MOST_CHARS).collect::<String>())
        }
    }

    fn factors(
        &self,
        unit: &Unit,
        dated: &str,
        text: &str,
        found: &[crate::language::Found],
        moments: &[Moment],
        category: Category,
    ) -> Vec<ImportanceFactor> {
        let mut out = Vec::new();
        let mut add = |factor, evidence: &str| {
            let evidence = evidence.trim();
            out.push(ImportanceFactor::new(factor, Some(evidence.to_owned()).filter(|e| !e.is_empty())));
        };
        let money = |v: &Value| match v {
            Value::Money { .. } => true,
            Value::Range(ends) => matches!(ends.0, Value::Money { .. }),
            _ => false,
        };
        if let Some(found) = found.iter().find(|f| money(&f.value)) {
            add(Factor::ContainsMoney, found.span.of(text));
        }
        if category != Category::Ads
            && let Some(due) = moments.iter().find(|m| m.role == Role::Deadline)
        {
            add(Factor::HasDeadline, due_words(dated, due));
        }
        if category == Category::Task {
            let words = unit.parts.iter().find_map(|p| cues::request_words(&p.text));
            if let Some(words) = words {
                add(Factor::ContainsAction, words);
            }
        }
        if let Some(from) = self
            .mail
            .from
            .as_ref()
            .filter(|p| self.account.important.iter().any(|i| i.eq_ignore_ascii_case(&p.address)))
        {
            add(Factor::FromImportantPerson, &from.address);
        }
        let parties: Vec<&str> = self
            .mail
            .from
            .iter()
            .chain(&self.mail.to)
            .chain(&self.mail.cc)
            .map(|p| p.name.as_deref().unwrap_or(&p.address))
            .collect();
        if parties.len() >= 3 {
            add(Factor::MultiPerson, &parties[..parties.len().min(5)].join(", "));
        }
        if self.mail.is_reply {
            add(Factor::IsReplyChain, &self.mail.subject.chars().take(200).collect::<String>());
        }
        out
    }

    fn retention(&self, unit: &Unit, category: Category, times: &when::Times, draft: &Draft) -> Retention {
        let about_owner = unit.any(|c| c.fact);
        let happened = times.occurred_at != self.said && times.occurred_at.is_some();
        let lasting = draft.valid_from.is_some() || about_owner;
        if category == Category::Meeting || category == Category::Ads || happened && !lasting {
            Retention::Episodic
        } else {
            Retention::Semantic
        }
    }

    /// How sure the extraction is: less for what leans on the subject line, much less beside text that tries to steer.
    fn confidence(&self, unit: &Unit) -> f32 {
        if !self.mail.suspicious.is_empty() {
            0.4
        } else if unit.any(|c| c.open || c.proposal) {
            0.7
        } else if unit.leans() {
            0.75
        } else {
            0.85
        }
    }
}

fn is_introduction(line: &str) -> bool {
    let end = line.trim_end_matches(['.', '!', ' ']);
    line.chars().count() <= 60
        && (end.ends_with("입니다")
            || end.ends_with("이에요")
            || end.ends_with("예요")
            || line.starts_with("I am ")
            || line.starts_with("This is "))
}

/// "3월 21일(금)까지", "by Friday": the deadline with the word that makes it one.
fn due_words<'a>(text: &'a str, due: &Moment) -> &'a str {
    let after = &text[due.end..];
    let tail = after.find("까지").filter(|at| after[..*at].chars().count() <= 14).map_or(0, |at| at + "까지".len());
    let head = &text[..due.start];
    let word = head.trim_end().rfind([' ', ':', '\n']).map_or(0, |i| i + 1);
    let start = if tail > 0 || head.len() - word > 20 { due.start } else { word };
    text.get(start..due.end + tail).unwrap_or_default()
}

/// Names and values that the mail itself set out as pairs.
fn properties(blocks: &[blocks::Block], span: &Range<usize>) -> Vec<Property> {
    let within = |b: &&blocks::Block| b.span.start >= span.start && b.span.end <= span.end;
    let pair = |b: &blocks::Block| match &b.form {
        Form::Pair { name, value } => Some(Property { name: name.clone(), value: value.chars().take(500).collect() }),
        _ => None,
    };
    blocks.iter().filter(within).filter_map(pair).take(20).collect()
}

/// The one draft of a promotion.
fn advert(mail: &Mail, account: &Account) -> Option<Draft> {
    let section = mail.sections.first();
    let teller = Teller::new(mail, account, section);
    let range = section.map_or(0..0, |s| s.start..s.end);
    let blocks: Vec<_> =
        blocks::blocks(&mail.text, range).into_iter().filter(|b| !mail.is_suspicious(&b.span)).collect();
    let offer = ads::offer(mail, &mail.text, &blocks, teller.at)?;
    let found = values(&offer.content, teller.at);
    let times = when::times(&offer.content, &offer.moments, Category::Ads, teller.said, teller.home);
    let mut draft = teller.bare(when::anchored(&offer.content, &found, teller.at), offer.span);
    draft.category = Category::Ads;
    draft.occurred_at = times.occurred_at;
    draft.valid_from = times.valid_from;
    draft.valid_until = times.valid_until;
    draft.entities = names::entities(&offer.content, &teller.topic, &found, mail);
    draft.keywords = names::keywords(&offer.content, &teller.topic, &found);
    draft.people = names::people(mail, teller.author, "", account);
    draft.retention = Some(Retention::Episodic);
    // An offer is never high: its prices are the shop's, not the owner's.
    draft.importance = Some(0.2);
    draft.confidence = Some(if mail.suspicious.is_empty() { 0.8 } else { 0.4 });
    Some(draft)
}

/// A mail whose subject line is all it says ("내일 3시 회의").
fn from_subject(mail: &Mail, account: &Account) -> Option<Draft> {
    if mail.text.chars().filter(|c| c.is_alphanumeric()).count() > 60 || is_suspicious(&mail.subject) {
        return None;
    }
    let teller = Teller::new(mail, account, None);
    let text = teller.topic.subject.clone();
    let block = blocks::Block { form: Form::Prose, span: 0..0, text: text.clone(), after_gap: true };
    let units = units::units(parts::parts("", &[block], &teller.context()), false);
    // What a subject line says of a day that is over ("어제 경기") is no news.
    let today = teller.at.map(Reference::day);
    let ahead = |m: &Moment| today.is_none_or(|t| m.day >= t);
    let unit = units.first().filter(|u| u.parts.iter().any(|p| p.moments.iter().any(ahead)))?;
    let mut draft = teller.draft(unit, None, &[], None);
    draft.evidence = None;
    Some(draft)
}

/// Whether the draft says no more than the mail's calendar part: its time, its place, who comes.
fn repeats_event(draft: &Draft, mail: &Mail, known: &HashSet<String>) -> bool {
    static FRAME: Words = words!("mail/boilerplate.frame");
    if mail.events.is_empty() {
        return false;
    }
    let found = values(&draft.content, None);
    let words = nouns::words(&draft.content);
    let new = words.iter().filter(|w| {
        let key = w.key();
        let dated = found.iter().any(|f| w.start >= f.span.start && w.start < f.span.end);
        !dated && key.chars().count() >= 2 && !known.contains(&key) && !FRAME.contains(&key.as_str())
    });
    new.count() <= 1
}

/// The words of a mail's calendar parts and of its subject line.
fn told_by_events(mail: &Mail) -> HashSet<String> {
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
    nouns::words(&known).iter().map(nouns::Word::key).collect()
}

/// The draft of an invitation, or what it adds to the draft of a text that tells the same.
fn invitation(event: &Event, mail: &Mail, account: &Account, out: &mut Vec<Draft>) {
    let Some(start) = event.start.filter(|_| !event.reply) else { return };
    let teller = Teller::new(mail, account, None);
    let day = start.day(teller.home);
    let same_day =
        |d: &&mut Draft| d.category == Category::Meeting && d.occurred_at.is_some_and(|t| t.day(teller.home) == day);
    let place = event.location.as_deref().map(|p| p.chars().take(200).collect::<String>());
    if !event.cancelled
        && let Some(told) = out.iter_mut().find(same_day)
    {
        told.occurred_at = Some(start);
        let fits = |p: &String| told.content.chars().count() + p.chars().count() + 3 <= MOST_CHARS;
        if let Some(place) = place.filter(|p| fits(p) && !told.content.lower().contains(&p.lower())) {
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
    let korean = when::is_korean(&summary) || when::is_korean(&mail.text);
    let said = mail.date.unwrap_or(start).day(teller.home);
    let mut text = format!("{summary}: {}", when::day_name(day, said, korean));
    if !event.whole_day {
        let local = start.local(teller.home);
        text.push_str(&format!(" {:02}:{:02}", local.hour(), local.minute()));
    }
    if let Some(place) = &place {
        text.push_str(&format!(", {place}"));
    }
    if event.cancelled {
        text.push_str(if korean { " — 취소되었습니다" } else { " — cancelled" });
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
    let two = mail.from.iter().count() + mail.to.len() + mail.cc.len() >= 3;
    if two {
        let names: Vec<&str> =
            mail.to.iter().chain(&mail.cc).take(5).map(|p| p.name.as_deref().unwrap_or(&p.address)).collect();
        draft.importance_factors.push(ImportanceFactor::new(Factor::MultiPerson, Some(names.join(", "))));
    }
    draft.properties = place
        .into_iter()
        .map(|value| Property { name: if korean { "장소".into() } else { "place".into() }, value })
        .collect();
    draft.retention = Some(Retention::Episodic);
    draft.confidence = Some(0.95);
    out.push(draft);
}
