//! Extracts people, entities and keywords from a statement.

use super::nouns::{NounWord, is_same_word, nouns};
use super::topic::MailTopic;
use crate::language::{
    Bearers, Folded, Found, HONORIFICS, TITLES, Value, given_name, has_hangul, is_hangul, tokens, without_particle,
    words,
};
use crate::mail::{Account, Mail, Person};
use std::collections::HashSet;

/// A mail with more participants than this lists only its sender and the people named in the text.
const MAX_PEOPLE: usize = 8;
/// Maximum participants whose names are searched for in the text.
const MAX_PARTIES: usize = 100;
const MAX_ENTITIES: usize = 8;
const MAX_KEYWORDS: usize = 12;

/// Returns the people of a statement: its author, the other participants, and people named in the text.
pub(super) fn people(mail: &Mail, author: Option<&Person>, text: &str, account: &Account) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim();
        if !name.is_empty() && name.chars().count() <= 200 && !out.iter().any(|o| o.eq_ignore_ascii_case(name)) {
            out.push(name.to_owned());
        }
    };
    let id = |p: &Person| if p.address.is_empty() { p.name.clone().unwrap_or_default() } else { p.address.clone() };
    let others = |p: &&Person| !account.is_owner(&p.address);
    if let Some(author) = author.filter(others) {
        add(&id(author));
    }
    let all: Vec<&Person> = mail.parties().take(MAX_PARTIES).collect();
    let known = names_of(&all);
    let written = nouns(text);
    let said: HashSet<String> =
        written.iter().flat_map(|w| [w.key(), korean_name(w.written).unwrap_or_default().to_owned()]).collect();
    let header: Vec<&Person> = all.into_iter().filter(others).collect();
    for person in &header {
        // A mail to a whole company is not a conversation with each recipient.
        let is_named = || names_of(&[person]).iter().any(|n| said.contains(n));
        if header.len() <= MAX_PEOPLE || Some(*person) == mail.from.as_ref() || is_named() {
            add(&id(person));
        }
    }
    // Names with a Korean title, and names after an English one.
    for (n, word) in written.iter().enumerate() {
        let next = written.get(n + 1);
        if word.stem.contains(is_hangul) {
            let bare = without_honorific(word.stem);
            let has_title = HONORIFICS.end(without_particle(word.written))
                || TITLES.iter().any(|t| bare.strip_suffix(t).is_some_and(|n| n.chars().count() >= 3))
                || text[word.end()..].starts_with(' ')
                    && next
                        .is_some_and(|w| TITLES.contains(&without_honorific(w.stem)) || HONORIFICS.contains(&w.stem));
            if let Some(name) = korean_name(word.written).filter(|name| has_title && !known.contains(*name)) {
                add(name);
            }
        } else if ["Mr", "Mrs", "Ms", "Dr", "Prof"].contains(&word.written)
            && let Some(name) = next.filter(|w| w.is_capital() && !known.contains(&w.key()))
        {
            add(&format!("{} {}", word.written, name.stem));
        }
    }
    out
}

/// Returns the full, given and family names of people, in lower case.
fn names_of(people: &[&Person]) -> HashSet<String> {
    let mut known = HashSet::new();
    for name in people.iter().filter_map(|p| p.name.as_deref()) {
        for part in name.split([' ', '.', ',', '(', '/', '|']).filter(|p| p.chars().count() >= 2) {
            known.insert(part.to_lowercase());
            known.extend(given_name(part, Bearers::Any).map(str::to_owned));
        }
    }
    known
}

fn without_honorific(word: &str) -> &str {
    HONORIFICS.first().and_then(|h| word.strip_suffix(h)).unwrap_or(word)
}

/// Returns a Korean name without its title; `None` if the word is not a name.
fn korean_name(word: &str) -> Option<&str> {
    let bare = without_honorific(without_particle(word));
    let untitled = TITLES.iter().find_map(|t| bare.strip_suffix(t)).unwrap_or(bare);
    given_name(untitled, Bearers::Any).and(Some(untitled))
}

/// Returns the entities of a text: codes, quoted titles, capitalised names, and Korean topic nouns.
pub(super) fn entities(text: &str, topic: &MailTopic, values: &[Found], mail: &Mail) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim().trim_end_matches(['.', ',']);
        let fits = (2..=60).contains(&name.chars().count());
        if fits && out.len() < MAX_ENTITIES && !out.iter().any(|o| o.to_lowercase() == name.to_lowercase()) {
            out.push(name.to_owned());
        }
    };
    for found in values {
        let words = found.span.of(text);
        if let Value::Identifier(id) = &found.value
            && id.key.bytes().any(|b| b.is_ascii_digit())
            && !words.ends_with(['층', '실'])
        {
            // "SK-70413" from "Invoice number: SK-70413"; "order 5581" unchanged. A short bare number is a count.
            let code = words.rsplit_once(':').map_or(words, |(_, after)| after.trim());
            let named =
                code.rsplit_once(' ').filter(|(head, _)| head.ends_with(['.', '호']) || head.ends_with("umber"));
            let code = named.map_or(code, |(_, last)| last);
            if code.len() > 3 || code.contains(|c: char| !c.is_ascii_digit()) {
                add(code);
            }
        }
    }
    quoted_names(text).into_iter().for_each(&mut add);
    capitalised_names(text, values, mail).into_iter().for_each(&mut add);
    korean_entities(text, topic, values).iter().for_each(|name| add(name));
    // "ISO 17025" replaces "17025".
    let names = out.clone();
    out.retain(|name| !names.iter().any(|other| other != name && other.ends_with(&format!(" {name}"))));
    out
}

/// Returns names in quotation marks or corner brackets, such as files and documents.
fn quoted_names(text: &str) -> Vec<&str> {
    const PAIRS: [(char, char); 6] = [('\'', '\''), ('‘', '’'), ('“', '”'), ('"', '"'), ('「', '」'), ('『', '』')];
    let mut out = Vec::new();
    for (open, close) in PAIRS {
        let mut rest = text;
        while let Some((head, body)) = rest.split_once(open) {
            let Some((inside, after)) = body.split_once(close) else { break };
            let is_name = (2..=30).contains(&inside.chars().count()) && !inside.ends_with(['.', '!', '?']);
            let is_opened = !head.ends_with(|c: char| c.is_alphanumeric());
            rest = if is_name && is_opened { after } else { body };
            out.extend(Some(inside).filter(|_| is_name && is_opened));
        }
    }
    out
}

/// Returns runs of capitalised words and codes: Corran Bay Seafoods, FrostEye 3.8, DL-2, GDP.
pub(super) fn capitalised_names<'a>(text: &'a str, values: &[Found], mail: &Mail) -> Vec<&'a str> {
    let words = nouns(text);
    let parties: Vec<&Person> = mail.parties().take(MAX_PARTIES).collect();
    let known = names_of(&parties);
    let folded = Folded::new(text);
    let stops: HashSet<usize> = tokens(&folded).iter().filter(|t| t.stop).map(|t| t.span.start).collect();
    let is_value = |w: &NounWord<'_>| values.iter().any(|f| f.span.holds(w.start) && is_time(&f.value));
    let has = |w: &NounWord<'_>, is: fn(&char) -> bool| w.stem.chars().any(|c| is(&c));
    let (mut out, mut run): (Vec<&str>, Option<(usize, usize, bool)>) = (Vec::new(), None);
    let mut last_end = 0;
    for (n, word) in words.iter().enumerate() {
        let gap = &text[last_end..word.start];
        let begins = n == 0 || gap.contains(['.', '!', '?', ':', ';', '|', '\n']);
        let is_code = has(word, char::is_ascii_digit) && has(word, char::is_ascii_alphabetic) && word.stem.len() <= 20;
        let is_mixed = word.stem.chars().skip(1).any(|c| c.is_ascii_uppercase());
        let next_is = words.get(n + 1).is_some_and(|w| w.is_capital() && text.get(word.end()..w.start) == Some(" "));
        let is_latin = word.stem.starts_with(|c: char| c.is_ascii_alphanumeric()) && !has_hangul(word.stem);
        let stands_out = is_mixed || is_code || word.is_capital() && (!begins || next_is) && word.stem.len() > 1;
        let goes_on = run.is_some() && matches!(gap, " " | "-" | " & ");
        let is_number = word.stem.bytes().all(|c| c.is_ascii_digit() || c == b'.') && word.stem.len() <= 6;
        let names = is_latin && stands_out && !is_value(word) && !stops.contains(&word.start);
        if let Some((from, to, is_person)) = run.filter(|_| !goes_on || !(names || is_number)) {
            out.extend(Some(&text[from..to]).filter(|_| !is_person));
            run = None;
        }
        let is_person = known.contains(&word.key());
        let end = word.start + word.stem.len();
        run = match run {
            Some((from, _, all)) => Some((from, end, all && is_person)),
            None => names.then_some((word.start, end, is_person)),
        };
        last_end = word.end();
    }
    out.extend(run.filter(|r| !r.2).map(|(from, to, _)| &text[from..to]));
    out.retain(|name| name.chars().filter(|c| c.is_alphabetic()).count() >= 2);
    out
}

/// Returns Korean nouns from the subject line or with a topic particle (은, 는), with up to two preceding nouns.
fn korean_entities(text: &str, topic: &MailTopic, values: &[Found]) -> Vec<String> {
    let words = nouns(text);
    let is_noun = |w: &NounWord<'_>| {
        let is_value = values.iter().any(|f| f.span.holds(w.start) && !matches!(f.value, Value::Status { .. }));
        w.stem.contains(is_hangul)
            && w.stem.chars().count() >= 2
            && !is_value
            && !words!("mail/names.no nouns").contains(&w.stem)
            && !words!("mail/names.verbal ends").iter().any(|e| w.stem.ends_with(e) && w.stem.len() > e.len())
    };
    let mut out: Vec<String> = Vec::new();
    for (n, word) in words.iter().enumerate().filter(|(_, w)| is_noun(w)) {
        if !topic.words.iter().any(|t| *t == word.key()) && !["은", "는"].contains(&word.particle()) {
            continue;
        }
        let mut from = n;
        while n - from < 2
            && let Some(before) = from.checked_sub(1).map(|p| &words[p])
            && before.particle().is_empty()
            && is_noun(before)
            && text.get(before.end()..words[from].start) == Some(" ")
        {
            from -= 1;
        }
        let name = &text[words[from].start..word.start + word.stem.len()];
        // A longer name replaces a shorter one that it starts or ends with.
        out.retain(|o| !name.starts_with(o.as_str()) && !name.ends_with(o.as_str()));
        if !out.iter().any(|o| o.ends_with(name)) {
            out.push(name.to_owned());
        }
    }
    out
}

fn is_time(value: &Value) -> bool {
    match value {
        Value::Range(ends) => is_time(&ends.0),
        Value::Date(_) | Value::Clock(_) | Value::Duration(_) | Value::Weekdays(_) | Value::Period(_) => true,
        Value::Recurrence(_) | Value::Money { .. } => true,
        _ => false,
    }
}

pub(super) fn keywords(text: &str, topic: &MailTopic, values: &[Found]) -> Vec<String> {
    let folded = Folded::new(text);
    let stops: HashSet<usize> = tokens(&folded).iter().filter(|t| t.stop).map(|t| t.span.start).collect();
    let fits = |w: &NounWord<'_>| {
        let is_korean = w.stem.contains(is_hangul);
        let is_long = w.stem.chars().count() >= if is_korean { 2 } else { 3 };
        let is_time_value = values.iter().any(|f| f.span.holds(w.start) && is_time(&f.value));
        let is_verb = is_korean && words!("mail/names.verbal ends").end(w.written);
        let is_idle = stops.contains(&w.start) || words!("mail/names.no nouns").contains(&w.stem);
        is_long && w.stem.chars().any(char::is_alphabetic) && !is_time_value && !is_verb && !is_idle
    };
    let found = nouns(text);
    let of_topic = |w: &&NounWord<'_>| topic.words.iter().any(|t| is_same_word(t, &w.key()));
    let (first, others): (Vec<_>, Vec<_>) = found.iter().filter(|w| fits(w)).partition(of_topic);
    let mut out: Vec<String> = Vec::new();
    for key in first.into_iter().chain(others).map(NounWord::key) {
        if out.len() < MAX_KEYWORDS && !out.contains(&key) {
            out.push(key);
        }
    }
    out
}
