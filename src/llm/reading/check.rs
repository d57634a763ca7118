//! Whether what a model writes was said: [`Sources`], the words that were sent to it.
//!
//! It never asks whether a sentence is true, only whether its figures, days, names and words stand somewhere.

use super::known::KnownMemory;
use super::question::{Earlier, MailQuestion};
use super::said::{Read, figures, unbracketed};
use crate::analysis::words::{Kind as WordKind, Word, words};
use crate::decision::Refusal;
use crate::language::{
    CueKind, Folded, Found, HONORIFICS, Number, Reference, State, Value, cues, english_number, is_sino, native_number,
    sino_amount, sino_month, sino_number, values, words,
};
use crate::llm::backing::sentences;
use crate::model::{Id, Time, WrittenBy, same_address};
use chrono::{Datelike, NaiveDate};

/// Characters of a memory's text.
const MAX_TEXT: usize = 1_200;
/// The share of a text's telling words that must have been said; the rest may be another word for it.
const SAID: f32 = 0.4;
/// The same of a text of a few telling words without a figure.
const SAID_BARE: f32 = 0.75;
/// The same of a text that tells nothing but the values of its evidence: it stands, and is flagged.
const SAID_VALUED: f32 = 0.25;
const FEW: usize = 4;
/// One letter in so many may be of an alphabet in which nobody has said anything.
const FOREIGN: usize = 5;
/// How often something may be reckoned from what was reckoned.
const STEPS: usize = 2;
/// Letters of an evidence that says little by itself ("Done, your price and your Friday").
const SHORT: usize = 60;

/// What is left of a text.
pub(super) struct Borne {
    pub(super) text: String,
    /// Whether a figure, a day or a name of it is inferred.
    pub(super) inferred: bool,
}

/// Somebody else's words that a text may rest on.
enum LenderText<'a> {
    Memory(&'a KnownMemory),
    Message(&'a Earlier),
    /// The subject line of an answer, which somebody else wrote.
    Subject,
}

impl LenderText<'_> {
    /// When it was said; last where nobody can tell.
    fn said_at(&self) -> Time {
        match self {
            Self::Memory(memory) => memory.told_at,
            Self::Message(message) => message.date.unwrap_or(Time::MAX),
            Self::Subject => Time::MAX,
        }
    }
}

/// All that a model was shown, read once.
pub(super) struct Sources<'a> {
    pub(super) asked: &'a MailQuestion,
    pub(super) said: Read,
    is_known: &'a dyn Fn(&str) -> bool,
}

impl<'a> Sources<'a> {
    pub fn of(asked: &'a MailQuestion, is_known: &'a dyn Fn(&str) -> bool) -> Self {
        let mut said = Read::default();
        let parties = std::iter::once(&asked.from).chain(&asked.to).map(|p| &p.name);
        for text in [&asked.subject, &asked.signature].into_iter().chain(parties) {
            said.add(text, asked.at);
        }
        for passage in &asked.passages {
            said.add(&passage.text, asked.at);
            if let WrittenBy::Forwarded(author) = &passage.by {
                said.add(author, asked.at);
            }
        }
        for earlier in &asked.before {
            let at = earlier.date.map(|now| Reference { now, zone: asked.at.map(|at| at.zone).unwrap_or_default() });
            said.add(&earlier.text, at.or(asked.at));
            said.add(&earlier.from, None);
        }
        said.days.extend(asked.at.map(Reference::day));
        said.days.extend(asked.before.iter().filter_map(|e| Some(e.date?.day(asked.at?.zone))));
        for memory in &asked.known {
            said.add(memory.content(), asked.at.map(|at| Reference { now: memory.told_at, ..at }));
            said.add(memory.former.as_deref().unwrap_or_default(), None);
            said.days.extend(memory.day);
        }
        Self { asked, said, is_known }
    }

    /// Whether a text was said: in the mail, its thread as shown, or what is stored. `true` where a figure or a day of it
    /// is reckoned from others.
    ///
    /// # Errors
    /// Why the entry is refused: too long or empty, another language, or something from nowhere.
    pub fn bears(&self, text: &str, evidence: &str, of: Option<&KnownMemory>) -> Result<bool, Refusal> {
        if text.is_empty() || text.chars().count() > MAX_TEXT {
            return Err(Refusal::Malformed);
        }
        let text = &unbracketed(text);
        // A name or a title may be in an alphabet of its own.
        let (letters, strange) = self.said.scripts.strange(text);
        if strange * FOREIGN > letters {
            return Err(Refusal::WrongLanguage);
        }
        let told = words(text);
        let stands = |w: &Word| self.said.has_word(w);
        let from_nowhere = |(n, w): (usize, &Word)| {
            let name = &text[w.start..w.end];
            let heard = || self.said.has_name(name) || (self.is_known)(name);
            is_name(text, &told, n, w) && !stands(w) && !heard()
        };
        let mut unknown: Vec<&str> =
            told.iter().enumerate().filter(|w| from_nowhere(*w)).map(|(_, w)| w.stem.as_str()).collect();
        unknown.dedup();
        // One may be known from elsewhere; two are a story.
        if unknown.len() > 1 {
            return Err(Refusal::NoEvidence);
        }
        // Values are looked at by themselves; a state, such as "approved", is a word like others.
        let mut valued = values(text, self.asked.at);
        valued.retain(|f| !matches!(f.value, Value::Status { .. }));
        let in_a_value = |w: &Word| valued.iter().any(|f| f.span.covers(w.start, w.end));
        let telling: Vec<&Word> = told.iter().filter(|w| tells(w) && !in_a_value(w)).collect();
        let met = telling.iter().filter(|w| stands(w)).count();
        // Of a few words without a figure each tells as much as all the others.
        let is_bare = telling.len() <= FEW && valued.is_empty();
        let is_share = |share: f32| met as f32 >= share * telling.len() as f32;
        let is_in_its_words = is_share(if is_bare { SAID_BARE } else { SAID });
        if !(is_in_its_words || is_share(SAID_VALUED) && self.tells_its_values(&valued, evidence)) {
            return Err(Refusal::NoEvidence);
        }
        // It has to do with what it rests on; or, where it tells a memory anew, with that.
        let mut rests = Read::default();
        rests.add(of.map_or(evidence, |known| known.content()), self.asked.at);
        if evidence.chars().filter(|c| c.is_alphanumeric()).count() <= SHORT {
            // An answer is about what it answers.
            self.asked.before.iter().for_each(|earlier| rests.add(&earlier.text, None));
            self.asked.passages.iter().for_each(|passage| rests.add(&passage.text, self.asked.at));
        }
        let shares_a_value = || values(text, self.asked.at).iter().any(|f| rests.agrees(&f.value));
        let shares_a_figure = || figures(text).any(|f| rests.figures.contains(&f));
        if !telling.iter().any(|w| rests.has_word(w)) && !shares_a_value() && !shares_a_figure() {
            return Err(Refusal::NoEvidence);
        }
        if self.ends_unsaid(text, evidence) {
            return Err(Refusal::NoEvidence);
        }
        Ok(self.reckons(text)? || !unknown.is_empty() || strange > 0 || !is_in_its_words)
    }

    /// Whether an evidence has several values, and all of these: it is told in other words.
    fn tells_its_values(&self, values: &[Found], evidence: &str) -> bool {
        let mut told = Read::default();
        told.add(evidence, self.asked.at);
        let count: usize = values.iter().map(|f| if matches!(f.value, Value::Range(_)) { 2 } else { 1 }).sum();
        count > 1 && values.iter().all(|f| told.has(&f.value))
    }

    /// Others without whom nobody has said all of a text that tells a memory anew: other memories, and the addresses of whoever wrote
    /// the messages before; empty for an unproven sender or the subject line of an answer. What several have said is lent by the first.
    pub fn lent(&self, text: &str, evidence: &str, of: Option<&KnownMemory>) -> (Vec<Id>, Vec<String>) {
        let Some(of) = of else { return Default::default() };
        let speaker = self.asked.speaker.as_deref();
        let is_own =
            |e: &Earlier| speaker.is_some_and(|own| e.speaker.as_deref().is_some_and(|s| same_address(s, own)));
        let mut lenders: Vec<LenderText<'_>> =
            self.asked.known.iter().filter(|k| k.id != of.id).map(LenderText::Memory).collect();
        lenders.extend(self.asked.before.iter().filter(|e| !is_own(e)).map(LenderText::Message));
        if self.asked.is_answer {
            lenders.push(LenderText::Subject);
        }
        lenders.sort_by_key(|found| found.said_at());
        let bears = |lenders: &[LenderText<'_>]| {
            let (mut known, mut before) = (vec![of.clone()], Vec::new());
            before.extend(self.asked.before.iter().filter(|e| is_own(e)).cloned());
            let mut subject = if self.asked.is_answer { String::new() } else { self.asked.subject.clone() };
            for lender in lenders {
                match lender {
                    LenderText::Memory(memory) => known.push((*memory).clone()),
                    LenderText::Message(message) => before.push((*message).clone()),
                    LenderText::Subject => subject.clone_from(&self.asked.subject),
                }
            }
            let asked = MailQuestion { known, before, subject, ..self.asked.clone() };
            Sources::of(&asked, self.is_known).bears(text, evidence, Some(of)).is_ok()
        };
        if bears(&[]) || !bears(&lenders) {
            return Default::default();
        }
        // The latest go first, as long as all of it was said without them.
        for at in (0..lenders.len()).rev() {
            let lender = lenders.remove(at);
            if !bears(&lenders) {
                lenders.insert(at, lender);
            }
        }
        let (mut borrowed, mut heard_from) = (Vec::new(), Vec::new());
        for lender in lenders {
            match lender {
                LenderText::Memory(memory) => borrowed.push(memory.id),
                LenderText::Message(message) => heard_from.push(message.speaker.clone().unwrap_or_default()),
                LenderText::Subject => heard_from.push(String::new()),
            }
        }
        (borrowed, heard_from)
    }

    /// Whether a text takes its matter back ("… is cancelled") though nobody has said that it is over.
    fn ends_unsaid(&self, text: &str, evidence: &str) -> bool {
        let ends = |value: &Value| {
            let states = [State::Cancelled, State::Withdrawn, State::Terminated];
            matches!(value, Value::Status { state, negated: false } if states.contains(state))
        };
        let has = |text: &str, kinds: &[CueKind]| cues(&Folded::new(text)).iter().any(|c| kinds.contains(&c.kind));
        let is_said = || {
            self.said.values.iter().any(|f| ends(&f.value))
                || has(&self.said.letters, &[CueKind::NoLonger, CueKind::Removal])
                || has(evidence, &[CueKind::Negation, CueKind::Correction])
        };
        values(text, self.asked.at).iter().any(|f| ends(&f.value)) && !is_said()
    }

    /// What is left of a text whose other sentences nobody has said. In place of the first, and of figures of the mail that went
    /// with them, stand the mail's own words. Absent where no sentence stands, or where each does and only together they do not.
    pub fn borne(&self, text: &str, evidence: &str, of: Option<&KnownMemory>) -> Option<Borne> {
        let all = sentences(text);
        let checked: Vec<Option<bool>> = all.iter().map(|s| self.bears(s.trim(), evidence, of).ok()).collect();
        let mut kept: Vec<&str> = all.iter().zip(&checked).filter(|c| c.1.is_some()).map(|c| c.0.trim()).collect();
        if kept.is_empty() || kept.len() == all.len() {
            return None;
        }
        let mut left = Read::default();
        kept.iter().for_each(|s| left.add(s, self.asked.at));
        let is_told = |f: &Found| left.has(&f.value) || figures(f.span.of(evidence)).all(|f| left.figures.contains(&f));
        if checked[0].is_none() {
            kept.insert(0, evidence.trim());
        } else if !values(evidence, self.asked.at).iter().all(is_told) {
            kept.push(evidence.trim());
        }
        let text = kept.join(" ");
        let inferred = checked.contains(&Some(true));
        (text.chars().count() <= MAX_TEXT).then_some(Borne { text, inferred })
    }

    /// Whether a figure of the text is reckoned from some that were said.
    fn reckons(&self, text: &str) -> Result<bool, Refusal> {
        let found = values(text, self.asked.at);
        let is_said = |one: &&Found| {
            self.said.has(&one.value)
                || figures(one.span.of(text)).all(|f| self.has_figure(&f))
                || self.has_bare_hour(&one.value)
                || self.has_spelled_amount(&one.value)
        };
        let (said, mut left): (Vec<&Found>, Vec<&Found>) = found.iter().partition(is_said);
        let reckoned = said.len() < found.len();
        // What the text tells is what more may be reckoned from: 40 % of what is left of a sum. A figure may only have been said as
        // part of a day.
        let amounts = |all: &[&Found]| -> Vec<f64> {
            all.iter().filter_map(|one| one.value.amount()).map(Number::as_f64).collect()
        };
        let mut numbers = amounts(&said);
        for _ in 0..STEPS {
            let bears = |one: &&Found| {
                self.may_be_reckoned(&one.value, &numbers) || self.may_be_told_otherwise(one.span.of(text), &one.value)
            };
            let (borne, rest): (Vec<&Found>, Vec<&Found>) = left.into_iter().partition(bears);
            left = rest;
            numbers.extend(amounts(&borne));
        }
        if !left.is_empty() {
            return Err(Refusal::NoEvidence);
        }
        // What no reader takes for a value must stand as it is written.
        let read: Vec<String> = found.iter().flat_map(|f| figures(f.span.of(text))).collect();
        if figures(text).any(|f| !read.contains(&f) && !self.has_figure(&f)) {
            return Err(Refusal::NoEvidence);
        }
        Ok(reckoned)
    }

    /// Whether an hour was said as a bare number: 19:00 of "she closes at 19", 5:30 of "0530".
    fn has_bare_hour(&self, value: &Value) -> bool {
        let Value::Clock(clock) = value else { return false };
        let (hour, minute) = (clock.seconds / 3600, clock.seconds / 60 % 60);
        minute == 0 && self.has_figure(&hour.to_string())
            || hour < 10 && self.said.has_run(&format!("{hour:02}{minute:02}"), char::is_alphanumeric)
    }

    /// Whether an amount was said in Korean words without its unit: 만오천 of 15,000 won.
    fn has_spelled_amount(&self, value: &Value) -> bool {
        let amount = value.amount().and_then(Number::as_whole).filter(|n| *n >= 100);
        amount.is_some_and(|n| [sino_number(n), sino_amount(n)].iter().any(|run| self.said.has_run(run, is_sino)))
    }

    /// Whether a figure was said, by itself or as the year, month or day of a day.
    fn has_figure(&self, figure: &str) -> bool {
        let n: Option<i64> = figure.parse().ok();
        let parts =
            |d: &NaiveDate| [d.year().into(), (d.year() % 100).into(), i64::from(d.month()), i64::from(d.day())];
        self.said.figures.iter().any(|f| f == figure)
            || n.is_some_and(|n| self.said.days.iter().any(|d| parts(d).contains(&n)))
            || n.is_some_and(|n| {
                n > 1900 && self.asked.at.is_some_and(|at| (i64::from(at.day().year()) - n).abs() <= 1)
            })
            || n.is_some_and(|n| n > 9 && self.said.letters.contains(&sino_number(n)))
            || n.is_some_and(|n| u32::try_from(n).is_ok_and(|n| n <= 12 && self.said.letters.contains(&sino_month(n))))
            || n.is_some_and(|n| self.has_spelled(n))
            || n.is_some_and(|n| self.said.numbers.iter().any(|x| x.as_whole() == Some(n)))
    }

    /// Whether a number below a hundred was said as a word: 40 is "forty", 스물다섯 is 25.
    pub(super) fn has_spelled(&self, n: i64) -> bool {
        let Some(n) = u8::try_from(n).ok().filter(|n| (10..100).contains(n)) else { return false };
        let letters = &self.said.letters;
        let whole = |word: &String| self.said.has_run(word, char::is_alphanumeric);
        // What goes on behind a round number may be the rest of it.
        let ends: &[&str] = if n.is_multiple_of(10) { &[" ", "\n"] } else { &[""] };
        english_number(n).iter().any(whole)
            || native_number(n).iter().any(|word| ends.iter().any(|end| letters.contains(&[word, *end].concat())))
    }

    /// Whether the mail, its thread as shown or what is stored names this day, or the text does, by whose check it stands.
    pub fn names_day(&self, day: NaiveDate, text: &str) -> bool {
        let mut told = Read::default();
        told.add(text, self.asked.at);
        self.said.days.contains(&day) || told.days.contains(&day)
    }

    /// Whether somebody of this name is named.
    pub fn names_person(&self, person: &str) -> bool {
        let person = person.trim();
        !person.is_empty() && person.chars().count() <= 100 && self.said.has_name(person)
    }
}

/// Whether a word tells something by itself.
fn tells(word: &Word) -> bool {
    !word.function && word.number.is_none() && !matches!(word.kind, WordKind::Number) && word.text.chars().count() > 1
}

/// Whether a word is a name: a Latin one with a capital letter inside a sentence that no lexicon knows, or a Korean one of three
/// syllables after a surname that none knows.
fn is_name(text: &str, all: &[Word], n: usize, word: &Word) -> bool {
    if word.function || word.sense.is_some() {
        return false;
    }
    match word.kind {
        WordKind::Latin => {
            let inside = n > 0 && !text[..word.start].trim_end().ends_with(['.', '!', '?', ':', ';', '·', '\n']);
            // Countries that a time or a place is told by, which no mail need name.
            let demonym =
                words!("answers.demonyms").end(&word.text) || words!("answers.countries").contains(&word.text.as_str());
            let value = || !values(&text[word.start..word.end], None).is_empty();
            inside && word.capital && word.text.chars().count() > 3 && !demonym && !value()
        }
        WordKind::Hangul => {
            let next = all.get(n + 1).map_or("", |w| w.text.as_str());
            let title = HONORIFICS.end(&word.text) || words!("korean/names.beside a name").contains(&next);
            title && word.text.chars().count() <= 5
        }
        _ => false,
    }
}
