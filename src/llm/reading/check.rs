//! Checks that the texts sent to a model support what it wrote, by figures, days, names and words.

use super::question::{Earlier, KnownMemory, MailQuestion};
use super::said::{TextContents, figures, sentences, unbracketed};
use crate::analysis::words::{Kind as WordKind, Word, words};
use crate::decision::Refusal;
use crate::language::{
    CueKind, Folded, Found, HONORIFICS, Number, Reference, State, Value, cues, english_number, is_sino, native_number,
    sino_amount, sino_month, sino_number, values, words,
};
use crate::model::{Id, Time, WrittenBy, same_address};
use chrono::{Datelike, NaiveDate};

/// Most characters of a memory's text.
const MAX_TEXT: usize = 1_200;
/// Share of the content words that must occur in the sources; the rest may be synonyms.
const SAID: f32 = 0.4;
/// The same for a text with few content words and no figure.
const SAID_BARE: f32 = 0.75;
/// The same for a text with the values of its evidence; it is flagged as inferred.
const SAID_VALUED: f32 = 0.25;
const FEW: usize = 4;
/// At most one letter in five may be of a script that no source uses.
const FOREIGN: usize = 5;
/// Rounds in which derived figures may derive others.
const STEPS: usize = 2;
/// Below this many letters an evidence says little ("Done, your price and your Friday").
const SHORT: usize = 60;

/// All texts that a model was shown, parsed once.
pub(super) struct Sources<'a> {
    pub(super) question: &'a MailQuestion,
    pub(super) said: TextContents,
    is_known: &'a dyn Fn(&str) -> bool,
}

impl<'a> Sources<'a> {
    pub fn of(asked: &'a MailQuestion, is_known: &'a dyn Fn(&str) -> bool) -> Self {
        let mut said = TextContents::default();
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
            said.add(memory.content(), asked.at.map(|at| Reference { now: memory.stated_at, ..at }));
            said.add(memory.former.as_deref().unwrap_or_default(), None);
            said.days.extend(memory.day);
        }
        Self { question: asked, said, is_known }
    }

    /// Whether the sources support a text, and if so, whether a figure, day or name of it is inferred.
    pub fn check_text(&self, text: &str, evidence: &str, of: Option<&KnownMemory>) -> Result<bool, Refusal> {
        if text.is_empty() || text.chars().count() > MAX_TEXT {
            return Err(Refusal::Malformed);
        }
        let text = &unbracketed(text);
        // A name or a title may be in its own script.
        let (letters, strange) = self.said.count_foreign(text);
        if strange * FOREIGN > letters {
            return Err(Refusal::WrongLanguage);
        }
        let all_words = words(text);
        let occurs = |w: &Word| self.said.has_word(w);
        let is_unknown_name = |(n, w): (usize, &Word)| {
            let name = &text[w.start..w.end];
            let is_known_name = || self.said.has_name(name) || (self.is_known)(name);
            is_name(text, &all_words, n, w) && !occurs(w) && !is_known_name()
        };
        let mut unknown: Vec<&str> =
            all_words.iter().enumerate().filter(|w| is_unknown_name(*w)).map(|(_, w)| w.stem.as_str()).collect();
        unknown.dedup();
        // One unknown name may be right; two are made up.
        if unknown.len() > 1 {
            return Err(Refusal::NoEvidence);
        }
        // Values are checked below; a state such as "approved" counts as a word.
        let mut found_values = values(text, self.question.at);
        found_values.retain(|f| !matches!(f.value, Value::Status { .. }));
        let in_a_value = |w: &Word| found_values.iter().any(|f| f.span.covers(w.start, w.end));
        let content: Vec<&Word> = all_words.iter().filter(|w| w.has_content() && !in_a_value(w)).collect();
        let said_count = content.iter().filter(|w| occurs(w)).count();
        // With few words and no figure, each word weighs more.
        let is_bare = content.len() <= FEW && found_values.is_empty();
        let reaches = |share: f32| said_count as f32 >= share * content.len() as f32;
        let is_in_its_words = reaches(if is_bare { SAID_BARE } else { SAID });
        if !(is_in_its_words || reaches(SAID_VALUED) && self.repeats_evidence_values(&found_values, evidence)) {
            return Err(Refusal::NoEvidence);
        }
        // The text must overlap its evidence, or the memory that it rewrites.
        let mut basis = TextContents::default();
        basis.add(of.map_or(evidence, |known| known.content()), self.question.at);
        if evidence.chars().filter(|c| c.is_alphanumeric()).count() <= SHORT {
            // A short reply is about the message that it answers.
            self.question.before.iter().for_each(|earlier| basis.add(&earlier.text, None));
            self.question.passages.iter().for_each(|passage| basis.add(&passage.text, self.question.at));
        }
        let shares_a_value = || values(text, self.question.at).iter().any(|f| basis.agrees(&f.value));
        let shares_a_figure = || figures(text).any(|f| basis.figures.contains(&f));
        let overlaps = content.iter().any(|w| basis.has_word(w)) || shares_a_value() || shares_a_figure();
        if !overlaps || self.claims_unsaid_end(text, evidence) {
            return Err(Refusal::NoEvidence);
        }
        Ok(self.has_derived_figures(text)? || !unknown.is_empty() || strange > 0 || !is_in_its_words)
    }

    /// Whether an evidence has several values, among them all of `values`.
    fn repeats_evidence_values(&self, values: &[Found], evidence: &str) -> bool {
        let mut told = TextContents::default();
        told.add(evidence, self.question.at);
        let count: usize = values.iter().map(|f| if matches!(f.value, Value::Range(_)) { 2 } else { 1 }).sum();
        count > 1 && values.iter().all(|f| told.has(&f.value))
    }

    /// The memories and earlier authors that a text also rests on; an unauthenticated address is empty.
    pub fn find_lenders(&self, text: &str, evidence: &str, of: Option<&KnownMemory>) -> (Vec<Id>, Vec<String>) {
        let Some(of) = of else { return Default::default() };
        let speaker = self.question.speaker.as_deref();
        let is_own =
            |e: &Earlier| speaker.is_some_and(|own| e.speaker.as_deref().is_some_and(|s| same_address(s, own)));
        let supports =
            |asked: &MailQuestion| Sources::of(asked, self.is_known).check_text(text, evidence, Some(of)).is_ok();
        let mut own = self.question.clone();
        own.known.retain(|k| k.id == of.id);
        own.before.retain(is_own);
        if own.is_answer {
            own.subject.clear();
        }
        if supports(&own) || !supports(self.question) {
            return Default::default();
        }
        let others = self.question.known.iter().filter(|k| k.id != of.id);
        let messages = self.question.before.iter().filter(|e| !is_own(e));
        // Texts of other authors: memories, messages, and the subject line of a reply.
        let mut lenders: Vec<(Time, Option<Id>, Option<&Earlier>)> =
            others.map(|k| (k.stated_at, Some(k.id), None)).collect();
        lenders.extend(messages.map(|e| (e.date.unwrap_or(Time::MAX), None, Some(e))));
        lenders.extend(self.question.is_answer.then_some((Time::MAX, None, None)));
        lenders.sort_by_key(|(said, ..)| *said);
        // Drops the latest first, while the others still support the text.
        let (mut asked, mut borrowed, mut heard_from) = (self.question.clone(), Vec::new(), Vec::new());
        for (_, memory, message) in lenders.into_iter().rev() {
            let mut less = asked.clone();
            less.known.retain(|k| Some(k.id) != memory);
            less.before.retain(|e| Some(e) != message);
            if memory.is_none() && message.is_none() {
                less.subject.clear();
            }
            match memory {
                _ if supports(&less) => asked = less,
                Some(id) => borrowed.insert(0, id),
                None => heard_from.insert(0, message.and_then(|e| e.speaker.clone()).unwrap_or_default()),
            }
        }
        (borrowed, heard_from)
    }

    /// Whether a text ends its matter ("… is cancelled") though no source says so.
    fn claims_unsaid_end(&self, text: &str, evidence: &str) -> bool {
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
        values(text, self.question.at).iter().any(|f| ends(&f.value)) && !is_said()
    }

    /// The supported sentences of a text, completed by the mail's own words, and whether a part is inferred. Fails if
    /// none or all are supported.
    pub fn keep_supported(
        &self,
        text: &str,
        evidence: &str,
        of: Option<&KnownMemory>,
    ) -> Result<(String, bool), Refusal> {
        let all = sentences(text);
        let checked: Vec<Option<bool>> = all.iter().map(|s| self.check_text(s.trim(), evidence, of).ok()).collect();
        let mut kept: Vec<&str> = all.iter().zip(&checked).filter(|c| c.1.is_some()).map(|c| c.0.trim()).collect();
        if kept.is_empty() || kept.len() == all.len() {
            return Err(Refusal::NoEvidence);
        }
        let mut left = TextContents::default();
        kept.iter().for_each(|s| left.add(s, self.question.at));
        let is_told = |f: &Found| left.has(&f.value) || figures(f.span.of(evidence)).all(|f| left.figures.contains(&f));
        if checked[0].is_none() {
            kept.insert(0, evidence.trim());
        } else if !values(evidence, self.question.at).iter().all(is_told) {
            kept.push(evidence.trim());
        }
        let text = kept.join(" ");
        let inferred = checked.contains(&Some(true));
        if text.chars().count() <= MAX_TEXT { Ok((text, inferred)) } else { Err(Refusal::NoEvidence) }
    }

    fn has_derived_figures(&self, text: &str) -> Result<bool, Refusal> {
        let found = values(text, self.question.at);
        let is_said = |one: &&Found| {
            self.said.has(&one.value)
                || figures(one.span.of(text)).all(|f| self.has_figure(&f))
                || self.has_bare_hour(&one.value)
                || self.has_spelled_amount(&one.value)
        };
        let (said, mut left): (Vec<&Found>, Vec<&Found>) = found.iter().partition(is_said);
        let reckoned = said.len() < found.len();
        // A figure may be derived from another of the text: 40 % of the remaining sum.
        let amounts = |all: &[&Found]| -> Vec<f64> {
            all.iter().filter_map(|one| one.value.amount()).map(Number::as_f64).collect()
        };
        let mut numbers = amounts(&said);
        for _ in 0..STEPS {
            let follows = |one: &&Found| {
                self.is_derivable(&one.value, &numbers) || self.is_unparsed_spelling(one.span.of(text), &one.value)
            };
            let (borne, rest): (Vec<&Found>, Vec<&Found>) = left.into_iter().partition(follows);
            left = rest;
            numbers.extend(amounts(&borne));
        }
        if !left.is_empty() {
            return Err(Refusal::NoEvidence);
        }
        // Figures that the value parser skips must occur literally.
        let read: Vec<String> = found.iter().flat_map(|f| figures(f.span.of(text))).collect();
        if figures(text).any(|f| !read.contains(&f) && !self.has_figure(&f)) {
            return Err(Refusal::NoEvidence);
        }
        Ok(reckoned)
    }

    /// Whether an hour was written as a bare number: 19:00 as "she closes at 19", 5:30 as "0530".
    fn has_bare_hour(&self, value: &Value) -> bool {
        let Value::Clock(clock) = value else { return false };
        let (hour, minute) = (clock.seconds / 3600, clock.seconds / 60 % 60);
        minute == 0 && self.has_figure(&hour.to_string())
            || hour < 10 && self.said.has_run(&format!("{hour:02}{minute:02}"), char::is_alphanumeric)
    }

    /// Whether an amount was spelled in Korean without its unit: 만오천 for 15,000 won.
    fn has_spelled_amount(&self, value: &Value) -> bool {
        let amount = value.amount().and_then(Number::as_whole).filter(|n| *n >= 100);
        amount.is_some_and(|n| [sino_number(n), sino_amount(n)].iter().any(|run| self.said.has_run(run, is_sino)))
    }

    /// Whether a figure occurs, as digits or spelled out.
    fn has_figure(&self, figure: &str) -> bool {
        let n: Option<i64> = figure.parse().ok();
        self.said.has_figure(figure)
            || n.is_some_and(|n| {
                let is_near_year = |at: Reference| n > 1900 && (i64::from(at.day().year()) - n).abs() <= 1;
                let is_month = |n: u32| n <= 12 && self.said.letters.contains(&sino_month(n));
                self.question.at.is_some_and(is_near_year)
                    || n > 9 && self.said.letters.contains(&sino_number(n))
                    || u32::try_from(n).is_ok_and(is_month)
                    || self.has_spelled(n)
            })
    }

    /// Whether a number below 100 was spelled out: 40 as "forty", 25 as 스물다섯.
    pub(super) fn has_spelled(&self, n: i64) -> bool {
        let Some(n) = u8::try_from(n).ok().filter(|n| (10..100).contains(n)) else { return false };
        let letters = &self.said.letters;
        let whole = |word: &String| self.said.has_run(word, char::is_alphanumeric);
        // After a round number another digit word may follow.
        let ends: &[&str] = if n.is_multiple_of(10) { &[" ", "\n"] } else { &[""] };
        english_number(n).iter().any(whole)
            || native_number(n).iter().any(|word| ends.iter().any(|end| letters.contains(&[word, *end].concat())))
    }

    /// Whether the sources or the text name this day; the text itself is checked elsewhere.
    pub fn names_day(&self, day: NaiveDate, text: &str) -> bool {
        let mut told = TextContents::default();
        told.add(text, self.question.at);
        self.said.days.contains(&day) || told.days.contains(&day)
    }

    /// Whether the sources name this person.
    pub fn names_person(&self, person: &str) -> bool {
        let person = person.trim();
        !person.is_empty() && person.chars().count() <= 100 && self.said.has_name(person)
    }
}

/// Whether a word is a name: unknown Latin with a capital inside a sentence, or Korean with a title.
fn is_name(text: &str, all: &[Word], n: usize, word: &Word) -> bool {
    if word.function || word.sense.is_some() {
        return false;
    }
    match word.kind {
        WordKind::Latin => {
            let inside = n > 0 && !text[..word.start].trim_end().ends_with(['.', '!', '?', ':', ';', '·', '\n']);
            // Countries in times and places may be added freely.
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
