//! Parses a question: its time span, the kind of value it asks for, and its topic.

use super::{Highlight, SearchOptions};
use crate::analysis::Sought;
use crate::language::{AskedFor, Folded, Inquiry, Only, Reference, fold, inquiry, time_phrase, tokens};
use crate::model::{Category, Memory, Time, TimeSpan};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Query {
    /// The span of its time phrase, end exclusive.
    pub span: Option<TimeSpan>,
    /// Whether it asks for everything in the span ("what happened last week?"), rather than about a topic.
    pub lists: bool,
    pub kind: AskedFor,
    /// Whether its time phrase states when, not which one or how often.
    pub firm: bool,
    pub only: Option<Only>,
    /// Whether it has no search term ("그거 뭐였지?").
    pub empty: bool,
    /// Whether it asks about the owner and has no other search term.
    pub of_owner: bool,
    /// A time word that may be a name instead ("What did May say?").
    pub name: Option<String>,
    pub topic: String,
    /// The text to compare with memories. A relative time phrase is left out, since no memory contains it.
    pub sought: String,
}

/// Parses a question asked at `at`; `limited` if the options set a period.
pub(super) fn read(text: &str, at: Reference, limited: bool) -> Query {
    let phrase = time_phrase(text, at);
    let topic = match &phrase {
        Some(phrase) => {
            let (before, after) = (text.get(..phrase.span.start), text.get(phrase.span.end..));
            let parts = [before.unwrap_or("").trim_end(), after.unwrap_or("").trim_start()];
            parts.join(" ").trim().to_owned()
        }
        None => text.to_owned(),
    };
    let Inquiry { kind, only, overdue, next, bare, empty, of_owner } = inquiry(&topic, phrase.is_some_and(|p| p.bound));
    let today = || Time::from_local(at.day().and_hms_opt(0, 0, 0).unwrap_or_default(), at.zone);
    let span = |from, to| Some(TimeSpan::new((from, to), at.zone));
    let span = match &phrase {
        Some(phrase) => span(phrase.from, phrase.to),
        // "Next" and "to do" without a time mean the future, "overdue" the past.
        None if bare && overdue => span(Time::MIN, today()),
        None if bare && (next || matches!(only, Some(Only::Due | Only::Task))) => span(today(), Time::MAX),
        None => None,
    };
    // With no other term, even an attributive time (화요일 회의) states when.
    let lists = bare && (span.is_some() || limited);
    let name = phrase.filter(|p| lists && !p.firm && !p.relative).and_then(|p| text.get(p.span.start..p.span.end));
    let name = name.filter(|n| n.bytes().all(|b| b.is_ascii_alphabetic())).map(str::to_owned);
    let sought =
        if lists && name.is_none() || phrase.is_some_and(|p| p.relative) { topic.clone() } else { text.to_owned() };
    let firm = phrase.is_some_and(|p| p.firm && !p.bound && !p.loose);
    let empty = empty && span.is_none() && !limited;
    Query { span, firm, lists, kind, only, empty, of_owner, name, topic, sought }
}

impl Query {
    pub(super) fn category(&self) -> Option<Category> {
        self.only.map(|only| match only {
            Only::Due | Only::Task => Category::Task,
            Only::Decision => Category::Decision,
            Only::Meeting => Category::Meeting,
        })
    }
}

pub(in crate::engine) fn involves(memory: &Memory, people: &[String]) -> bool {
    people.iter().all(|wanted| {
        let wanted = fold(wanted);
        memory.people.iter().any(|p| fold(p).contains(&wanted)) || fold(&memory.content).contains(&wanted)
    })
}

pub(super) fn allows(options: &SearchOptions, memory: &Memory) -> bool {
    options.thread_id.as_ref().is_none_or(|t| memory.thread_id.as_ref() == Some(t))
        && memory.metadata.has(&options.metadata)
        && involves(memory, &options.people)
}

pub(super) fn mentions(memory: &Memory, sought: &Sought) -> bool {
    let names = memory.entities.iter().chain(&memory.people).map(String::as_str);
    let mut texts = [memory.content.as_str()].into_iter().chain(memory.subject.as_deref()).chain(names);
    texts.any(|text| sought.meets(text))
}

/// Returns where a content matches the search terms, in UTF-16 units.
pub(super) fn highlights(sought: &Sought, content: &str) -> Vec<Highlight> {
    let unit = |at: usize| content.get(..at).map_or(0, |before| before.encode_utf16().count()) as u32;
    sought.places(content).into_iter().map(|(start, end)| Highlight { start: unit(start), end: unit(end) }).collect()
}

/// Returns the index keys of each number or code in a question: at least `digits` digits, and no year.
pub(super) fn numbers(text: &str, digits: usize) -> Vec<Vec<u64>> {
    let is_number = |word: &str| {
        let year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        word.bytes().filter(u8::is_ascii_digit).count() >= digits && !year
    };
    let terms = |word: &str| {
        let folded = Folded::new(word);
        // Its letters and particles are too common to identify a memory.
        let own = tokens(&folded).into_iter().filter(|t| is_number(t.word(&folded)));
        own.map(|t| t.key).collect::<Vec<u64>>()
    };
    words_of(&fold(text)).map(terms).filter(|keys| !keys.is_empty()).collect()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|w| w.chars().count() > 1)
}

/// Returns the longest prefix of a word found in a content; Korean words may end in a particle.
fn longest_prefix_in<'a>(word: &'a str, content: &str) -> Option<&'a str> {
    let ends = word.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    let least = if word.is_ascii() { word.len() } else { word.chars().take(2).map(char::len_utf8).sum() };
    ends.take_while(|end| *end >= least).map(|end| &word[..end]).find(|part| content.contains(part))
}

pub(super) fn content_words(text: &str) -> Vec<String> {
    let folded = Folded::new(text);
    // A capitalised stop word may be a name.
    let named: Vec<&str> = tokens(&folded).iter().filter(|t| !t.stop).map(|t| t.word(&folded)).collect();
    let says = |word: &&str| named.contains(word) || tokens(&Folded::new(word)).iter().any(|t| !t.stop);
    words_of(&fold(text)).filter(says).map(str::to_owned).collect()
}

pub(super) fn matched(asked: &[String], memory: &Memory) -> Vec<String> {
    let content = fold(&memory.content);
    let mut words: Vec<String> = Vec::new();
    for word in asked {
        if let Some(part) = longest_prefix_in(word, &content).map(str::to_owned)
            && !words.contains(&part)
        {
            words.push(part);
        }
    }
    words
}
