//! Turns a candidate into a draft: topic, people, entities, times, importance and confidence.

use super::topic::MailTopic;
use super::unit::DraftUnit;
use super::{category, names, nouns, properties, times};
use crate::language::{
    self, CueKind, DateRole, Folded, Found, Moment, Reference, Value, cues, has_hangul, is_hangul, meant_values, words,
};
use crate::mail::{Account, Mail, Person, Section, is_desk, is_suspicious};
use crate::model::{Category, Draft, Evidence, Factor, ImportanceFactor, Limits, Retention, Source, Time, Zone};
use std::ops::Range;

pub(super) const MAX_CONTENT_CHARS: usize = 2_000;
const MAX_EVIDENCE_CHARS: usize = 4_000;
/// Maximum characters of a name that attributes a draft to a person.
const MAX_NAME_CHARS: usize = 60;

pub(super) struct Drafter<'a> {
    pub mail: &'a Mail,
    account: &'a Account,
    pub author: Option<&'a Person>,
    pub topic: MailTopic,
    /// When and in which time zone the section was written.
    pub at: Option<Reference>,
    pub said: Option<Time>,
    pub home: Zone,
    /// Whether the owner wrote the section to themself only.
    pub is_note: bool,
    pub is_by_desk: bool,
    pub is_forwarded: bool,
    is_by_tool: bool,
    pub fails_authentication: bool,
}

impl<'a> Drafter<'a> {
    pub fn new(mail: &'a Mail, account: &'a Account, section: Option<&'a Section>) -> Self {
        let said = section.and_then(|s| s.date).or(mail.date);
        let is_forwarded = section.is_some_and(|s| s.forwarded);
        let author = if is_forwarded { section.and_then(|s| s.author.as_ref()) } else { mail.from.as_ref() };
        let from = mail.from.as_ref().map_or("", |p| p.address.as_str());
        let is_owner = |p: &Person| account.is_owner(&p.address) || mail.sender.vouched && p.address == from;
        let is_to_owner = !mail.to.is_empty() && mail.receivers().all(is_owner);
        Self {
            mail,
            account,
            author,
            topic: MailTopic::new(section.and_then(|s| s.subject.as_deref()).unwrap_or(&mail.subject)),
            at: said.map(|now| Reference { now, zone: account.zone_of(mail) }),
            said,
            home: account.zone.unwrap_or(mail.zone),
            is_note: account.wrote(mail) && is_to_owner && !is_forwarded,
            is_by_desk: mail.bulk.automatic || is_desk(from),
            is_forwarded,
            is_by_tool: section.is_some_and(|s| s.by_tool),
            fails_authentication: !account.wrote(mail) && fails_authentication(mail, account),
        }
    }

    /// Drafts a candidate. `first` is the first draft of the section.
    pub fn draft(&self, unit: &DraftUnit, first: Option<&Draft>, given: Option<Category>) -> Draft {
        let own = unit.text();
        let mut found = meant_values(&own, self.at);
        // The subject line may name the month of a bare day.
        language::unless_of_months(&mut found, &language::months_of(&self.topic.subject, self.at));
        let mut moments = language::moments(&own, &found, self.at);
        let topic = self.topic.missing(&own).filter(|_| given.is_none());
        // The subject line of a reply is about an earlier request or decision.
        let above = topic.filter(|_| !self.mail.is_reply).unwrap_or_default();
        let category = given.unwrap_or_else(|| category::of(unit, above, &own, &found, &moments));
        // `dated` is the text that the moments belong to.
        let (mut text, mut dated) = (own.clone(), own.as_str());
        if let Some(topic) = topic {
            text = format!("{topic}: {own}");
            // The subject line of a reply is older than its text, so its days are ignored.
            if moments.is_empty() && !self.mail.is_reply {
                moments = language::moments(topic, &meant_values(topic, self.at), self.at);
                dated = topic;
            }
        }
        let goes_on = text != own && moments.is_empty() && matches!(category, Category::Project | Category::Misc);
        if let Some(name) = given.is_none().then(|| self.attribution(&own)).flatten() {
            let topic = text.strip_suffix(own.as_str()).map_or("", |h| h.trim_end_matches([':', ' ']));
            text = if topic.is_empty() { format!("{name}: {own}") } else { format!("{topic} ({name}): {own}") };
        }
        let found = meant_values(&text, self.at);
        let mut draft = Draft { category, ..self.base_draft(text.clone(), unit.span()) };
        times::set_times(&mut draft, &own, &moments, self.home);
        if goes_on {
            // A detail of the first draft happens at the same time.
            draft.occurred_at = first.and_then(|f| f.occurred_at).or(draft.occurred_at);
        }
        self.name(&mut draft, &text, &found, &text);
        draft.properties = properties::properties(unit, self.mail, self.at);
        draft.importance_factors = self.factors(dated, &text, &found, &moments, category);
        let lasts = draft.valid_from.is_some() || draft.happens_at().is_none();
        let is_event = matches!(category, Category::Meeting | Category::Ads);
        draft.retention = Some(if is_event || !lasts { Retention::Episodic } else { Retention::Semantic });
        let is_open = unit.says(CueKind::Pending) || unit.says(CueKind::Proposal);
        draft.confidence = Some(match () {
            () if !self.mail.suspicious.is_empty() => 0.4,
            () if is_open => 0.7,
            () if text != own => 0.75,
            () => 0.85,
        });
        draft
    }

    /// Fills in entities and keywords from `text`, and people from `spoken`.
    pub fn name(&self, draft: &mut Draft, text: &str, found: &[Found], spoken: &str) {
        draft.entities = names::entities(text, &self.topic, found, self.mail);
        draft.keywords = names::keywords(text, &self.topic, found);
        draft.people = names::people(self.mail, self.author, spoken, self.account);
    }

    /// Returns a draft with the fields that depend on the mail only.
    pub fn base_draft(&self, content: String, span: Range<usize>) -> Draft {
        let evidence = self.mail.text.get(span.clone()).filter(|t| !t.is_empty()).map(|words| {
            let words: String = words.chars().take(MAX_EVIDENCE_CHARS).collect();
            let start = u32::try_from(span.start).unwrap_or(u32::MAX);
            Evidence { end: start.saturating_add(words.len() as u32), start, text: words }
        });
        let subject = self.topic.subject.chars().take(300).collect::<String>();
        Draft {
            subject: Some(subject).filter(|s| !s.is_empty()),
            thread_id: Some(self.mail.thread_id.chars().take(900).collect()),
            stated_at: self.said,
            source_type: match (self.is_note, self.is_by_tool) {
                (true, _) => Source::UserInput,
                (_, true) => Source::ToolOutput,
                _ => Source::Realtime,
            },
            source_id: Some(self.mail.message_id.chars().take(900).collect()),
            // The sender: the author inside a forward could be forged.
            author: self.mail.from.as_ref().map(|p| p.address.clone()).filter(|a| a.contains('@')),
            evidence,
            ..Draft::new(content.chars().take(MAX_CONTENT_CHARS).collect::<String>())
        }
    }

    /// Returns the name that a text needs to be understood alone.
    fn attribution(&self, text: &str) -> Option<String> {
        let words = nouns::nouns(text);
        let says =
            |list: &[&str]| words.iter().any(|w| list.contains(&w.written.to_lowercase().replace('’', "'").as_str()));
        let speaks_to_reader = || says(words!("mail/parts.speaks to somebody"));
        let is_owner = |p: &Person| self.account.is_owner(&p.address);
        // The name of a sender who failed authentication is unverified.
        let author = self.author.filter(|_| !self.fails_authentication)?;
        let by_owner = self.account.wrote(self.mail) || is_owner(author);
        let person = if by_owner {
            let mut others = self.mail.to.iter().filter(|p| !is_owner(p));
            others.next().filter(|_| others.next().is_none() && self.mail.cc.is_empty() && speaks_to_reader())
        } else {
            let speaks = || says(words!("mail/parts.speaks of themself")) || speaks_to_reader();
            // A role account writes for its organisation.
            Some(author).filter(|a| is_desk(&a.address) || speaks())
        };
        let name = person?.name.as_deref()?.trim();
        // A sender may not use the owner's name or a name with a prompt injection.
        let mut owner = self.mail.receivers().filter(|p| is_owner(p)).filter_map(|p| p.name.as_deref());
        if !by_owner && owner.any(|own| own.trim().to_lowercase() == name.to_lowercase()) || is_suspicious(name) {
            return None;
        }
        let fits =
            !name.contains('@') && name.chars().any(char::is_alphabetic) && name.chars().count() <= MAX_NAME_CHARS;
        let topic = nouns::keys(&self.topic.subject);
        let is_named = |key: &String| is_desk(&author.address) && topic.contains(key);
        let is_mentioned = nouns::keys(name).iter().any(|key| words.iter().any(|w| w.key() == *key) || is_named(key));
        (fits && !is_mentioned).then(|| match (by_owner, has_hangul(text)) {
            (false, _) => name.to_owned(),
            (true, true) => format!("{name}에게"),
            (true, false) => format!("to {name}"),
        })
    }

    fn factors(
        &self,
        dated: &str,
        text: &str,
        found: &[Found],
        moments: &[Moment],
        of: Category,
    ) -> Vec<ImportanceFactor> {
        let is_money = |v: &Value| match v {
            Value::Range(ends) => matches!(ends.0, Value::Money { .. }),
            value => matches!(value, Value::Money { .. }),
        };
        let money = found.iter().find(|f| is_money(&f.value)).map(|f| f.span.of(text));
        let due = moments.iter().find(|m| m.role == DateRole::Deadline).filter(|_| of != Category::Ads);
        let is_important = |p: &&Person| self.account.important.iter().any(|i| i.eq_ignore_ascii_case(&p.address));
        let from = self.mail.from.as_ref().filter(is_important).map(|p| p.address.as_str());
        let parties: Vec<&str> = self.mail.parties().map(Person::called).collect();
        let names = parties[..parties.len().min(5)].join(", ");
        let subject: String = self.mail.subject.chars().take(200).collect();
        let factors = [
            (Factor::ContainsMoney, money),
            (Factor::HasDeadline, due.map(|due| due_words(dated, due))),
            (Factor::ContainsAction, request_words(text).filter(|_| of == Category::Task)),
            (Factor::FromImportantPerson, from),
            (Factor::MultiPerson, Some(&*names).filter(|_| parties.len() >= 3)),
            (Factor::IsReplyChain, Some(&*subject).filter(|_| self.mail.is_reply)),
        ];
        let factor = |(factor, words): (Factor, Option<&str>)| {
            let words = words?.trim();
            Some(ImportanceFactor::new(factor, Some(words.to_owned()).filter(|w| !w.is_empty())))
        };
        factors.into_iter().filter_map(factor).collect()
    }
}

pub(super) fn fails_authentication(mail: &Mail, account: &Account) -> bool {
    !mail.sender.checks.is_empty() && mail.sender.is_disowned(&account.hosts)
}

/// Whether the owner wrote a section of the mail to themself only: a note, or their part of a chat.
pub fn is_note(mail: &Mail, account: &Account) -> bool {
    mail.sections.iter().any(|s| Drafter::new(mail, account, Some(s)).is_note)
}

/// Enforces the size limits of a draft: drops long list entries and shortens long fields.
pub(super) fn within_limits(mut draft: Draft) -> Draft {
    for list in [&mut draft.people, &mut draft.entities, &mut draft.keywords] {
        list.retain(|name| name.chars().count() <= Limits::NAME);
        list.truncate(Limits::LIST);
    }
    for name in [&mut draft.subject, &mut draft.topic, &mut draft.thread_id, &mut draft.source_id] {
        if let Some(long) = name.as_mut().filter(|n| n.chars().count() > Limits::NAME) {
            *long = long.chars().take(Limits::NAME).collect();
        }
    }
    draft
}

/// Returns a deadline with the word that marks it: "3월 21일(금)까지", "by Friday".
fn due_words<'a>(text: &'a str, due: &Moment) -> &'a str {
    let behind = text[due.end..].find("까지").filter(|at| text[due.end..due.end + at].chars().count() <= 14);
    let before = &text[..due.start];
    let word = before.trim_end().rfind([' ', ':', '\n']).map_or(0, |i| i + 1);
    let start = if behind.is_some() || before.len() - word > 20 { due.start } else { word };
    text.get(start..behind.map_or(due.end, |at| due.end + at + "까지".len())).unwrap_or_default()
}

/// Returns the words of a request: "제출해 주세요", "please send the signed form".
fn request_words(text: &str) -> Option<&str> {
    let span = cues(&Folded::new(text)).iter().find(|c| c.kind == CueKind::Request).map(|c| c.span)?;
    let (start, end) = (span.start, span.end);
    if text.get(start..end)?.contains(is_hangul) {
        // In Korean the verb comes first.
        let word = text[..start].trim_end().rfind(' ').map_or(0, |i| i + 1);
        let stop = text[end..].find([' ', '.', '!', '?', ',', '\n']).map_or(text.len(), |i| end + i);
        return text.get(word..stop).map(str::trim);
    }
    let rest: usize = text[end..].split_inclusive(' ').take(5).map(str::len).sum();
    text.get(start..end + rest).map(|w| w.trim_end_matches([' ', ',', '.', '?', '!']))
}
