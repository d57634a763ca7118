//! Makes a draft of a part: what it holds, how important it is, how sure.

use super::blocks::BlockForm;
use super::meant::{months_ahead, unless_of_months};
use super::phrases::Said;
use super::plain::Plain;
use super::topic::MailTopic;
use super::units::DraftUnit;
use super::voice::{is_desk, voice};
use super::when::{DateRole, Moment, values};
use super::{blocks, category, cues, names, nouns, part, times, when};
use crate::language::{Reference, Value, words};
use crate::mail::{Account, Mail, Person, Section, clean};
use crate::model::{Category, Draft, Evidence, Factor, ImportanceFactor, Property, Retention, Source, Time, Zone};
use std::ops::Range;

/// The most bytes of a signature that are read for the author's organisation.
const MOST_OWN: usize = 2_000;
/// The most characters of a draft.
pub(super) const MOST_CHARS: usize = 2_000;

/// What all drafts of a section share.
pub(super) struct Teller<'a> {
    pub(super) mail: &'a Mail,
    pub(super) account: &'a Account,
    pub(super) author: Option<&'a Person>,
    pub(super) topic: MailTopic,
    /// The months to come that the subject line names.
    months: Vec<u32>,
    /// Words of the author's name, signature and organisation.
    pub(super) own: Vec<String>,
    /// When it was said, and where.
    pub(super) at: Option<Reference>,
    pub(super) said: Option<Time>,
    pub(super) home: Zone,
    pub(super) is_note: bool,
    pub(super) by_tool: bool,
    forwarded: bool,
}

impl<'a> Teller<'a> {
    pub(super) fn new(mail: &'a Mail, account: &'a Account, section: Option<&'a Section>) -> Self {
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
            let name = nouns::keys(&own);
            let introduces = |l: &&str| {
                l.chars().count() <= 60
                    && Plain::new(l).says(Said::Introduces)
                    && nouns::keys(l).iter().any(|key| name.contains(key))
            };
            let lines: Vec<&str> = first.filter(introduces).collect();
            own.push(' ');
            own.push_str(clean::cut(&lines.join(" "), MOST_OWN));
        }
        let from = mail.from.as_ref().map_or("", |p| p.address.as_str());
        let owners = |p: &Person| account.is_owner(&p.address) || mail.sender.vouched && p.address == from;
        let others = mail.to.is_empty() || !mail.receivers().all(owners);
        let at = said.map(|now| Reference { now, zone: account.zone_of(mail) });
        let topic = MailTopic::new(subject, mail, &own);
        Self {
            mail,
            account,
            author,
            months: at.map_or(Vec::new(), |at| months_ahead(&values(&topic.subject, Some(at)), at.day())),
            topic,
            own: nouns::keys(&own),
            at,
            said,
            home: account.zone.unwrap_or(mail.zone),
            is_note: account.wrote(mail) && !others && !forwarded,
            by_tool: section.is_some_and(|s| s.by_tool),
            forwarded,
        }
    }

    pub(super) fn context(&self) -> part::Context<'_> {
        let mail = self.mail;
        let few = mail.receivers().count() <= 4;
        let direct = few && !mail.bulk.unsubscribe && !mail.bulk.list && !mail.bulk.automatic;
        let sent = part::Sending {
            by_owner: self.account.wrote(mail),
            is_note: self.is_note,
            by_desk: mail.bulk.automatic || mail.from.as_ref().is_some_and(|p| is_desk(&p.address)),
            over_list: mail.bulk.list || mail.bulk.unsubscribe,
            forwarded: self.forwarded,
            to_many: mail.receivers().count() > 3,
        };
        part::Context { topic: &self.topic, at: self.at, own: &self.own, is_reply: mail.is_reply, direct, sent }
    }

    /// `first` is the section's first draft, which later ones go on about. `told` is the category of a statement that
    /// stands by itself.
    pub(super) fn draft(
        &self,
        unit: &DraftUnit,
        first: Option<&Draft>,
        blocks: &[blocks::Block],
        told: Option<Category>,
    ) -> Draft {
        let own = unit.text();
        let mut found = values(&own, self.at);
        unless_of_months(&mut found, &self.months);
        let mut moments = when::moments(&own, &found, self.at);
        let category = told.unwrap_or_else(|| category::of(unit, &own, &found, &moments));
        let mut text = own.clone();
        // What the moments are of.
        let mut dated = own.as_str();
        let missing = || self.topic.missing(&own, unit.leans(), first.is_some());
        if let Some(topic) = told.is_none().then(missing).flatten() {
            // The subject line of a reply is older than its dates; it is not resolved.
            text = format!("{topic}: {own}");
            if moments.is_empty() && !self.mail.is_reply {
                moments = when::moments(topic, &values(topic, self.at), self.at);
                dated = topic;
            }
        }
        let goes_on = text != own && moments.is_empty() && matches!(category, Category::Project | Category::Misc);
        let mut times = times::times(&own, &moments, category, self.said, self.home);
        if goes_on {
            // What is told of an event below it happens when it does.
            times.occurred_at = first.and_then(|f| f.occurred_at).or(times.occurred_at);
        }
        if let Some(name) = told.is_none().then(|| voice(self.mail, self.author, self.account, &own)).flatten() {
            let head = text.strip_suffix(own.as_str()).map_or("", |h| h.trim_end_matches([':', ' ']));
            let head = if head.is_empty() { name } else { format!("{head} ({name})") };
            text = format!("{head}: {own}");
        }
        let found = values(&text, self.at);
        let span = unit.span();
        let mut draft = self.bare(text.clone(), span.clone());
        draft.category = category;
        draft.occurred_at = times.occurred_at;
        draft.valid_from = times.valid_from;
        draft.valid_until = times.valid_until;
        draft.entities = names::entities(&text, &self.topic, &found, self.mail);
        draft.keywords = names::keywords(&text, &self.topic, &found);
        draft.people = names::people(self.mail, self.author, &text, self.account);
        draft.properties = properties(blocks, &span);
        draft.importance_factors = self.factors(unit, dated, &text, &found, &moments, category);
        draft.retention = Some(self.retention(unit, category, &draft));
        draft.confidence = Some(self.confidence(unit));
        draft
    }

    /// A draft with what follows from the mail alone.
    pub(super) fn bare(&self, content: String, span: Range<usize>) -> Draft {
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
        unit: &DraftUnit,
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
            && let Some(due) = moments.iter().find(|m| m.role == DateRole::Deadline)
        {
            add(Factor::HasDeadline, due_words(dated, due));
        }
        if category == Category::Task {
            let words = unit.parts.iter().find_map(|p| cues::request_words(&p.text));
            if let Some(words) = words {
                add(Factor::ContainsAction, words);
            }
        }
        let is_important = |p: &&Person| self.account.important.iter().any(|i| i.eq_ignore_ascii_case(&p.address));
        if let Some(from) = self.mail.from.as_ref().filter(is_important) {
            add(Factor::FromImportantPerson, &from.address);
        }
        let parties: Vec<&str> = self.mail.parties().map(Person::called).collect();
        if parties.len() >= 3 {
            add(Factor::MultiPerson, &parties[..parties.len().min(5)].join(", "));
        }
        if self.mail.is_reply {
            add(Factor::IsReplyChain, &self.mail.subject.chars().take(200).collect::<String>());
        }
        out
    }

    fn retention(&self, unit: &DraftUnit, category: Category, draft: &Draft) -> Retention {
        let about_owner = unit.any(|c| c.fact);
        let happened = draft.happens_at().is_some();
        let lasting = draft.valid_from.is_some() || about_owner;
        if category == Category::Meeting || category == Category::Ads || happened && !lasting {
            Retention::Episodic
        } else {
            Retention::Semantic
        }
    }

    /// How sure the extraction is: less for what leans on the subject line, much less beside text that tries to steer.
    fn confidence(&self, unit: &DraftUnit) -> f32 {
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

/// "3월 21일(금)까지", "by Friday": the deadline with the word that makes it one.
fn due_words<'a>(text: &'a str, due: &Moment) -> &'a str {
    let after = &text[due.end..];
    let near = |word: &&str| after.find(word).filter(|at| after[..*at].chars().count() <= 14).map(|at| at + word.len());
    let tail = words!("mail/dates.after what is due").iter().find_map(near).unwrap_or_default();
    let head = &text[..due.start];
    let word = head.trim_end().rfind([' ', ':', '\n']).map_or(0, |i| i + 1);
    let start = if tail > 0 || head.len() - word > 20 { due.start } else { word };
    text.get(start..due.end + tail).unwrap_or_default()
}

/// Names and values that the mail itself set out as pairs.
fn properties(blocks: &[blocks::Block], span: &Range<usize>) -> Vec<Property> {
    let within = |b: &&blocks::Block| b.span.start >= span.start && b.span.end <= span.end;
    let pair = |b: &blocks::Block| match &b.form {
        BlockForm::Pair { name, value } => {
            Some(Property { name: name.clone(), value: value.chars().take(500).collect() })
        }
        _ => None,
    };
    blocks.iter().filter(within).filter_map(pair).take(20).collect()
}
