//! Classifies a question: who, where, how much; what is due, what was decided. [`super::time_phrase`] parses its time.

use super::{
    text::{
        folded::Folded,
        list::{Words, words},
        normal::fold,
        particles::particles,
        runs::{Script, Split, split},
        tokens::{Token, tokens},
    },
    values::{
        value::{Found, Span, Value},
        values_in,
    },
};
use serde::{Deserialize, Serialize};

/// The kind of answer a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum AskedFor {
    /// A thing, or anything.
    #[default]
    What,
    Who,
    Where,
    When,
    /// An amount of money.
    HowMuch,
    HowMany,
    HowLong,
    How,
    Why,
    Whether,
}

/// The kind of memories a question is limited to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// Due within the question's time.
    Due,
    Task,
    Decision,
    /// Meetings and calendar events.
    Meeting,
}

/// A parsed question, without its time phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inquiry {
    pub kind: AskedFor,
    /// The kind of memories it is limited to, if any.
    pub only: Option<Only>,
    /// Whether it asks for overdue items.
    pub overdue: bool,
    pub next: bool,
    /// Whether it has no topic and asks for anything that applies.
    pub bare: bool,
    /// Whether it has no word to search for ("그거 뭐였지?").
    pub empty: bool,
    /// Whether it asks for a fact about the owner and its only content word is a verb ("Where do I live?").
    pub of_owner: bool,
}

static LISTING: &Words = words!("questions.listing");
static EMPTY: &Words = words!("questions.empty");
static POINTING: &Words = words!("questions.pointing");
static WHO: &Words = words!("questions.who");
static WHERE: &Words = words!("questions.where");
static WHEN: &Words = words!("questions.when");
static KOREAN_WHETHER: &Words = words!("questions.korean whether");
static DUE: &Words = words!("questions.due");
static OVERDUE: &Words = words!("questions.overdue");
static NEXT: &Words = words!("questions.next");
static TASKS: &Words = words!("questions.tasks");
static DUTY: &Words = words!("questions.duty");
static DECISIONS: &Words = words!("questions.decisions");
static MEETINGS: &Words = words!("questions.meetings");

/// Parses a question without its time phrase; `bound` if that sets a deadline ("by Friday", 금요일까지).
pub fn inquiry(text: &str, bound: bool) -> Inquiry {
    let said = spaced_words(text);
    let has = |list: &Words| list.iter().any(|w| find_entry(&said, w).is_some());
    // The ending that marks a duty follows any verb.
    let duty = DUTY.iter().any(|w| if w.is_ascii() { find_entry(&said, w).is_some() } else { said.contains(w) });
    let overdue = has(OVERDUE);
    let due = overdue || bound && duty || has(DUE) && !has(words!("questions.not due"));
    let only = if due {
        Some(Only::Due)
    } else if has(DECISIONS) {
        Some(Only::Decision)
    } else if duty || has(TASKS) {
        Some(Only::Task)
    } else {
        has(MEETINGS).then_some(Only::Meeting)
    };
    let kind = kind(&said);
    let mut idle: Vec<&Words> = vec![EMPTY, LISTING, NEXT, DUE, OVERDUE, TASKS, DECISIONS, MEETINGS];
    if due {
        idle.push(words!("questions.duties"));
    }
    if kind == AskedFor::HowMuch {
        idle.push(words!("questions.sums"));
    }
    let is_in =
        |word: &str, lists: &[&Words]| lists.iter().any(|list| list.iter().any(|entry| matches_entry(word, entry)));
    let folded = Folded::new(text);
    let all = tokens(&folded);
    // An hour is part of the time, not a topic.
    let is_hour = |f: &&Found| matches!(f.value, Value::Clock(_));
    let hours: Vec<Span> = values_in(&folded, None).iter().filter(is_hour).map(|f| f.span).collect();
    let names = |t: &&Token| !t.stop && !hours.iter().any(|h| h.start <= t.span.start && t.span.end <= h.end);
    let telling = || all.iter().filter(names).map(|t| t.word(&folded)).map(|w| w.split('\'').next().unwrap_or(w));
    let is_asking = |word: &str| is_in(word, &[EMPTY, POINTING, WHO, WHERE, WHEN, LISTING]);
    let mut matters = all.iter().filter(names).filter(|t| !is_asking(t.word(&folded)));
    let of_owner = match (matters.next(), matters.next()) {
        (Some(matter), None) if matter.script == Script::Korean => {
            all.last() == Some(matter) && KOREAN_WHETHER.end(matter.word(&folded))
        }
        (Some(matter), None) => {
            let owner = all.iter().find(|t| words!("questions.owner").contains(&t.word(&folded)));
            owner.is_some_and(|owner| owner.span.start < matter.span.start)
        }
        _ => false,
    };
    let asks_for_value = !matches!(kind, AskedFor::What | AskedFor::How | AskedFor::Why | AskedFor::Whether);
    Inquiry {
        kind,
        only,
        overdue,
        next: has(NEXT),
        bare: telling().all(|word| is_in(word, &idle)),
        of_owner: of_owner && asks_for_value,
        empty: only.is_none() && telling().all(|word| is_in(word, &[EMPTY, POINTING, WHO, WHERE, WHEN])),
    }
}

/// Whether a text mentions its owner: I, my, 나, 우리.
pub fn names_owner(text: &str) -> bool {
    let said = spaced_words(text);
    words!("questions.owner named").iter().any(|w| find_entry(&said, w).is_some())
}

/// The kind of answer, by the first question word; of several at one place the longest.
fn kind(said: &str) -> AskedFor {
    let mut rest = said;
    while let Some(led) = words!("questions.leading").iter().find(|w| find_entry(rest, w) == Some(0)) {
        rest = rest.get(1 + led.len()..).unwrap_or("");
    }
    if words!("questions.whether").iter().any(|w| find_entry(rest, w) == Some(0)) {
        return AskedFor::Whether;
    }
    let kinds: [(&Words, AskedFor); 9] = [
        (WHO, AskedFor::Who),
        (WHERE, AskedFor::Where),
        (WHEN, AskedFor::When),
        (words!("questions.how much"), AskedFor::HowMuch),
        (words!("questions.how many"), AskedFor::HowMany),
        (words!("questions.how long"), AskedFor::HowLong),
        (words!("questions.how"), AskedFor::How),
        (words!("questions.why"), AskedFor::Why),
        (words!("questions.what"), AskedFor::What),
    ];
    let places = kinds.iter().flat_map(|(list, kind)| list.iter().map(move |w| (w, kind)));
    let found = places.filter_map(|(w, kind)| Some((find_entry(rest, w)?, usize::MAX - w.len(), *kind)));
    if let Some((.., kind)) = found.min_by_key(|(at, length, _)| (*at, *length)) {
        return kind;
    }
    let last = rest.split_whitespace().next_back().unwrap_or("");
    let told = words!("questions.telling").iter().any(|w| find_entry(rest, w).is_some());
    if !told && KOREAN_WHETHER.end(last) { AskedFor::Whether } else { AskedFor::What }
}

/// Folded words separated by single spaces, with a space at both ends.
fn spaced_words(text: &str) -> String {
    let mut said = String::from(" ");
    for word in split(&fold(text), &Split::PLAIN) {
        said.push_str(word);
        said.push(' ');
    }
    said
}

/// The first occurrence of an entry: English entries as whole words, Korean ones as word prefixes.
fn find_entry(said: &str, entry: &str) -> Option<usize> {
    let end = if entry.is_ascii() { " " } else { "" };
    said.find(&[" ", entry, end].concat())
}

/// Whether a word matches an entry; Korean entries match as prefixes unless they end in a space.
fn matches_entry(word: &str, entry: &str) -> bool {
    match entry.strip_suffix(' ') {
        Some(whole) => word == whole || particles(word).any(|(rest, _)| rest == whole),
        None if entry.is_ascii() => word == entry,
        None => word.starts_with(entry),
    }
}
