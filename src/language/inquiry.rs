//! What a question asks for, and what alone it means: who, where, how much; what is due, what was decided.
//!
//! It reads the words of a question; it never searches, and its time is [`super::time_phrase`]'s.

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

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "snake_case")]
pub enum AskedFor {
    /// Some thing, or whatever there is.
    #[default]
    What,
    /// A person.
    Who,
    /// A place.
    Where,
    /// A time.
    When,
    /// A sum.
    HowMuch,
    /// A number.
    HowMany,
    /// A length of time.
    HowLong,
    /// A way.
    How,
    /// A reason.
    Why,
    /// Yes or no.
    Whether,
}

/// What alone a question means, where it does not mean all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// What falls due in its time.
    Due,
    /// What is to be done.
    Task,
    /// What was decided.
    Decision,
    /// Where people meet, and what stands in a calendar.
    Meeting,
}

/// A question without its time phrase, read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inquiry {
    /// What it asks for.
    pub kind: AskedFor,
    /// What alone it means.
    pub only: Option<Only>,
    /// Whether that should have been done before.
    pub overdue: bool,
    /// Whether it asks for what comes next.
    pub next: bool,
    /// Whether it names no matter of its own, and asks for whatever there is.
    pub bare: bool,
    /// Whether it names nothing at all by which anything could be found ("그거 뭐였지?").
    pub empty: bool,
    /// Whether it asks when, where, with whom or how much the owner does something, and names nothing but that ("Where do I live?").
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

/// Reads a question without its time phrase, which is `bound` where it sets an end ("by Friday", 금요일까지).
///
/// ```
/// use memfold::language::{AskedFor, Only, inquiry};
/// let read = inquiry("해야 할 일이 뭐야?", true);
/// assert_eq!((read.kind, read.only, read.bare), (AskedFor::What, Some(Only::Due), true));
/// let read = inquiry("who did I have lunch with", false);
/// assert_eq!((read.kind, read.only, read.bare), (AskedFor::Who, None, false));
/// ```
pub fn inquiry(text: &str, bound: bool) -> Inquiry {
    let said = said(text);
    let has = |list: &Words| list.iter().any(|w| place(&said, w).is_some());
    // The ending that makes a verb a duty hangs on whatever verb.
    let duty = DUTY.iter().any(|w| if w.is_ascii() { place(&said, w).is_some() } else { said.contains(w) });
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
    let is_in = |word: &str, lists: &[&Words]| lists.iter().any(|list| list.iter().any(|entry| is_one(word, entry)));
    let folded = Folded::new(text);
    let all = tokens(&folded);
    // An hour is a time, too, and no matter.
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

/// Whether a text names its owner: I, my, 나, 우리.
pub fn names_owner(text: &str) -> bool {
    let said = said(text);
    words!("questions.owner named").iter().any(|w| place(&said, w).is_some())
}

/// What it asks for: what its first word of asking says, the longest of those that begin there.
fn kind(said: &str) -> AskedFor {
    let mut rest = said;
    while let Some(led) = words!("questions.leading").iter().find(|w| place(rest, w) == Some(0)) {
        rest = rest.get(1 + led.len()..).unwrap_or("");
    }
    if words!("questions.whether").iter().any(|w| place(rest, w) == Some(0)) {
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
    let found = places.filter_map(|(w, kind)| Some((place(rest, w)?, usize::MAX - w.len(), *kind)));
    if let Some((.., kind)) = found.min_by_key(|(at, length, _)| (*at, *length)) {
        return kind;
    }
    let last = rest.split_whitespace().next_back().unwrap_or("");
    let told = words!("questions.telling").iter().any(|w| place(rest, w).is_some());
    if !told && KOREAN_WHETHER.end(last) { AskedFor::Whether } else { AskedFor::What }
}

/// A text in folded words, each between blanks.
fn said(text: &str) -> String {
    let mut said = String::from(" ");
    for word in split(&fold(text), &Split::PLAIN) {
        said.push_str(word);
        said.push(' ');
    }
    said
}

/// Where an entry of a list stands among words: an English one as words, a Korean one as the beginning of some.
fn place(said: &str, entry: &str) -> Option<usize> {
    let end = if entry.is_ascii() { " " } else { "" };
    said.find(&[" ", entry, end].concat())
}

/// Whether a word is an entry of a list: it, or in Korean a word that begins so, unless the entry ends in a blank.
fn is_one(word: &str, entry: &str) -> bool {
    match entry.strip_suffix(' ') {
        Some(whole) => word == whole || particles(word).any(|(rest, _)| rest == whole),
        None if entry.is_ascii() => word == entry,
        None => word.starts_with(entry),
    }
}
