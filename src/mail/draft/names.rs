//! Who and what a statement names: people, things, and words to find it by.
//!
//! Particles and titles are cut off; everyday words are left out.

use super::nouns::{self, NounWord};
use super::topic::{MailTopic, alike};
use crate::language::{Bearers, Found, HONORIFICS, TITLES, Value, given_name, is_hangul, without_particle, words};
use crate::mail::{Account, Mail, Person};
use std::collections::HashSet;

/// The most people of a mail's header that are taken down.
const MOST_PEOPLE: usize = 8;
/// The most of them whose names are looked for in the text.
const MOST_READ: usize = 100;
const MOST_ENTITIES: usize = 8;
const MOST_KEYWORDS: usize = 12;

/// Those who take part: the author, the other side of the exchange, and who is named in the text.
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
    let all: Vec<&Person> = mail.parties().take(MOST_READ).collect();
    let header: Vec<&&Person> = all.iter().filter(|p| others(p)).collect();
    let known = KnownNames::of(&all);
    let words = nouns::words(text);
    let names = words.iter().flat_map(|w| [Some(w.stem), nouns::korean_name(w.written)]).flatten();
    let names: HashSet<&str> = names.filter(|n| known.has(n)).collect();
    let named = |p: &Person| {
        let known = KnownNames::of(&[p]);
        names.iter().any(|n| known.has(n))
    };
    for person in &header {
        // A mail to a whole company is not an exchange with everybody in it.
        if header.len() <= MOST_PEOPLE || named(person) || Some(**person) == mail.from.as_ref() {
            add(&id(person));
        }
    }
    for name in named_people(text, &known) {
        add(&name);
    }
    out
}

/// The names of several people, so that a word is looked for among all of them at once.
#[derive(Default)]
struct KnownNames<'a> {
    korean: HashSet<&'a str>,
    latin: HashSet<String>,
}

impl<'a> KnownNames<'a> {
    fn of(people: &[&'a Person]) -> Self {
        let mut known = Self::default();
        for name in people.iter().filter_map(|p| p.name.as_deref()) {
            if let Some(whole) = korean_whole(name) {
                let given = whole.char_indices().nth_back(1).map_or(0, |(at, _)| at);
                known.korean.extend([whole, &whole[given..]]);
            }
            known.latin.extend(name.split([' ', '.', ',']).map(str::to_ascii_lowercase));
        }
        known
    }

    /// Whether a word is the given name, the family name or the whole name of one of them.
    fn has(&self, word: &str) -> bool {
        if word.chars().count() < 2 {
            return false;
        }
        if word.chars().all(is_hangul) {
            return self.korean.contains(word);
        }
        word.starts_with(|c: char| c.is_uppercase()) && self.latin.contains(&word.to_ascii_lowercase())
    }
}

/// The Korean name in what a person is called.
fn korean_whole(name: &str) -> Option<&str> {
    name.split([' ', '(', '/', '|']).find(|n| given_name(n, Bearers::Any).is_some())
}

/// Names in running text: those with a Korean title, and those after an English one.
fn named_people(text: &str, people: &KnownNames<'_>) -> Vec<String> {
    let words = nouns::words(text);
    let mut out = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let next = words.get(n + 1);
        let known = |name: &str| people.has(name);
        if word.is_korean() {
            let glued = text[word.start + word.written.len()..].starts_with(' ');
            let titled = next.is_some_and(|w| glued && is_title(w.stem));
            let own_title = HONORIFICS.end(without_particle(word.written)) || is_titled(word.stem);
            if let Some(name) = nouns::korean_name(word.written)
                && (titled || own_title)
                && !known(name)
            {
                out.push(name.to_owned());
            }
        } else if words!("mail/names.titles").contains(&word.written)
            && let Some(name) = next.filter(|w| w.stem.starts_with(|c: char| c.is_uppercase()))
            && !known(name.stem)
        {
            out.push(format!("{} {}", word.written, name.stem));
        }
    }
    out
}

fn is_title(word: &str) -> bool {
    TITLES.contains(&nouns::without_honorific(word)) || HONORIFICS.contains(&word)
}

fn is_titled(word: &str) -> bool {
    let bare = nouns::without_honorific(word);
    TITLES.iter().any(|t| bare.strip_suffix(t).is_some_and(|n| n.chars().count() >= 3))
}

/// The things that the text names.
pub(super) fn entities(text: &str, topic: &MailTopic, values: &[Found], mail: &Mail) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim().trim_end_matches(['.', ',']);
        let long = name.chars().count() >= 2 && name.chars().count() <= 60;
        if long && out.len() < MOST_ENTITIES && !out.iter().any(|o| o.to_lowercase() == name.to_lowercase()) {
            out.push(name.to_owned());
        }
    };
    for found in values {
        if let Value::Identifier(id) = &found.value
            && id.key.bytes().any(|b| b.is_ascii_digit())
            && !words!("mail/names.floors").end(found.span.of(text))
        {
            let code = code(found.span.of(text));
            // A short bare number is a count.
            if code.len() > 3 || code.contains(|c: char| !c.is_ascii_digit()) {
                add(code);
            }
        }
    }
    for quoted in quoted(text) {
        add(quoted);
    }
    for name in latin_names(text, mail) {
        add(&name);
    }
    for name in korean_things(text, topic, values) {
        add(&name);
    }
    out
}

/// "SK-70413" of "Invoice number: SK-70413", "order 5581" as it stands.
fn code(words: &str) -> &str {
    if let Some((_, after)) = words.rsplit_once(':') {
        return after.trim();
    }
    match words.rsplit_once(' ') {
        Some((head, last)) if words!("mail/names.before a code").end(head) => last,
        _ => words,
    }
}

/// What stands in quotation marks or corner brackets: the name of a file, a document, a thing.
fn quoted(text: &str) -> Vec<&str> {
    const PAIRS: [(char, char); 6] = [('\'', '\''), ('‘', '’'), ('“', '”'), ('"', '"'), ('「', '」'), ('『', '』')];
    let mut out = Vec::new();
    for (open, close) in PAIRS {
        let mut rest = text;
        while let Some(at) = rest.find(open) {
            let starts = !rest[..at].ends_with(|c: char| c.is_alphanumeric());
            let body = &rest[at + open.len_utf8()..];
            let Some(end) = body.find(close) else { break };
            let inside = &body[..end];
            if starts
                && (2..=30).contains(&inside.chars().count())
                && !inside.contains('\n')
                && !inside.ends_with(['.', '!', '?'])
            {
                out.push(inside);
                rest = &body[end + close.len_utf8()..];
            } else {
                rest = body;
            }
        }
    }
    out
}

/// Runs of capitalised words and codes: Corran Bay Seafoods, FrostEye 3.8, DL-2, GDP.
fn latin_names(text: &str, mail: &Mail) -> Vec<String> {
    let words = nouns::words(text);
    let people: Vec<&Person> = mail.parties().take(MOST_READ).collect();
    let people = KnownNames::of(&people);
    let mut out = Vec::new();
    let mut run: Vec<&NounWord<'_>> = Vec::new();
    let mut flush = |run: &mut Vec<&NounWord<'_>>| {
        while run.first().is_some_and(|w| is_common(w.stem) || w.stem.starts_with(|c: char| c.is_ascii_digit())) {
            run.remove(0);
        }
        while run.last().is_some_and(|w| is_common(w.stem)) {
            run.pop();
        }
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            let name = &text[first.start..last.start + last.stem.len()];
            let person = run.iter().all(|w| people.has(w.stem));
            let letters = name.chars().filter(|c| c.is_alphabetic()).count();
            if !person && letters >= 2 {
                out.push(name.to_owned());
            }
        }
        run.clear();
    };
    let mut last_end = 0;
    for (n, word) in words.iter().enumerate() {
        let latin = word.stem.starts_with(|c: char| c.is_ascii_alphanumeric()) && !word.is_korean();
        let capital = word.stem.starts_with(|c: char| c.is_ascii_uppercase());
        let code = word.stem.chars().any(|c| c.is_ascii_digit())
            && word.stem.chars().any(|c| c.is_ascii_alphabetic())
            && !word.stem.contains(['@', '/']);
        let mixed = word.stem.chars().skip(1).any(|c| c.is_ascii_uppercase());
        let follows_name =
            !run.is_empty() && word.stem.chars().all(|c| c.is_ascii_digit() || c == '.') && word.stem.len() <= 6;
        let gap = text.get(last_end..word.start).unwrap_or_default();
        if !matches!(gap, " " | "-" | " & ") {
            flush(&mut run);
        }
        // The first word of a sentence is written large for that reason alone.
        let begins = n == 0 || gap.contains(['.', '!', '?', ':', ';', '|', '\n']);
        let next = words.get(n + 1).filter(|w| text.get(word.start + word.written.len()..w.start) == Some(" "));
        // "Tomasz accepted", "Jonas is": a name, where "Summer camp" is none.
        let acts = next.is_some_and(|w| {
            let next = w.written;
            words!("mail/names.acts").contains(&next)
                || next.ends_with("ed")
                || next.ends_with("s") && next.len() > 3 && !next.ends_with("ss")
        });
        let next_capital =
            next.is_some_and(|w| w.stem.starts_with(|c: char| c.is_ascii_uppercase()) && !is_common(w.stem));
        let name = latin
            && (mixed
                || code && word.stem.len() <= 20
                || capital
                    && !is_calendar(word.stem)
                    && (!begins
                        || next_capital
                        || acts && !is_common(word.stem) && word.stem.len() > 2 && !is_everyday(word.stem)));
        if name || follows_name {
            run.push(word);
        } else {
            flush(&mut run);
        }
        last_end = word.start + word.written.len();
    }
    flush(&mut run);
    out
}

/// Whether the text names a thing or a person by a capital, a code or a title.
pub(super) fn has_name(text: &str) -> bool {
    let words = nouns::words(text);
    words.iter().enumerate().any(|(n, w)| {
        if w.is_korean() {
            return is_titled(w.stem) && w.stem.chars().count() >= 4
                || given_name(w.stem, Bearers::Any).is_some() && words.get(n + 1).is_some_and(|t| is_title(t.stem));
        }
        let capital = w.stem.starts_with(|c: char| c.is_uppercase());
        let gap =
            n.checked_sub(1).and_then(|p| text.get(words[p].start + words[p].written.len()..w.start)).unwrap_or(".");
        let begins = gap.contains(['.', '!', '?', ':', '\n']);
        let code = w.stem.chars().any(|c| c.is_ascii_digit()) && w.stem.chars().any(|c| c.is_ascii_alphabetic());
        let long = w.stem.len() >= 2 && !words!("mail/names.ourselves").contains(&w.stem);
        long && (code
            || capital && !begins && !is_common(w.stem)
            || capital
                && begins
                && w.stem.len() > 3
                && !is_common(w.stem)
                && !is_everyday(w.stem)
                && w.stem.chars().skip(1).any(|c| c.is_uppercase()))
    })
}

fn is_calendar(word: &str) -> bool {
    let lower = word.to_lowercase();
    let lower = lower.trim_end_matches("'s").trim_end_matches("’s");
    words!("mail/names.days").contains(&lower)
}

fn is_common(word: &str) -> bool {
    if is_calendar(word) {
        return true;
    }
    let lower = word.to_lowercase();
    words!("mail/names.common").contains(&lower.as_str()) && lower != "seoul"
}

/// Words that begin sentences.
fn is_everyday(word: &str) -> bool {
    let lower = word.to_lowercase();
    if lower.ends_with("ing") || lower.ends_with("ed") || lower.ends_with("ly") {
        return true;
    }
    words!("mail/names.everyday").contains(&lower.as_str())
}

/// Korean names of things: nouns of the subject line that the text takes up, and compounds that end as names do.
fn korean_things(text: &str, topic: &MailTopic, values: &[Found]) -> Vec<String> {
    let words = nouns::words(text);
    let taken = |w: &NounWord<'_>| {
        values.iter().any(|f| f.span.holds(w.start) && !matches!(f.value, Value::Status { .. } | Value::Identifier(_)))
    };
    let mut out: Vec<String> = Vec::new();
    for (n, word) in words.iter().enumerate() {
        if !word.is_korean() || taken(word) || word.stem.chars().count() < 2 || is_verbal(word.stem) {
            continue;
        }
        let of_topic = topic.words().any(|t| t == &word.key());
        let kind = words!("mail/names.kinds of things").end(word.stem);
        if !of_topic && !kind {
            continue;
        }
        // Nouns right before it belong to its name: 의약품 콜드체인 실증사업, 이천 물류센터.
        let mut from = n;
        while let Some(before) = from.checked_sub(1).and_then(|p| words.get(p)) {
            let gap = text.get(before.start + before.written.len()..words[from].start);
            let noun = before.tail().is_empty()
                && before.stem.chars().count() >= 2
                && !is_verbal(before.stem)
                && !taken(before)
                && gap == Some(" ")
                && !is_modifier(before.stem);
            if !noun || n - from >= 2 {
                break;
            }
            from -= 1;
        }
        let name = text[words[from].start..word.start + word.stem.len()].to_owned();
        // A longer name takes in the shorter ones that end with it.
        if let Some(same) = out.iter_mut().find(|o| o.ends_with(word.stem) && name.ends_with(o.as_str())) {
            *same = name;
        } else if !out.iter().any(|o| o.ends_with(&name) || o == &name) {
            out.retain(|o| !name.starts_with(&format!("{o} ")));
            out.push(name);
        }
    }
    out
}

/// Adverbs and modifiers without a particle, which are no part of a name.
fn is_modifier(word: &str) -> bool {
    words!("mail/names.modifiers").contains(&word)
}

/// Whether a Korean word is a verb or an adjective rather than a noun.
fn is_verbal(word: &str) -> bool {
    words!("mail/names.verbal ends").iter().any(|e| word.ends_with(e) && word.chars().count() > e.chars().count())
}

/// A noun of one syllable with its particle, a title, a place word: 물을, 님이, 옆에서.
fn is_glued(word: &str) -> bool {
    let count = word.chars().count();
    HONORIFICS.first().is_some_and(|h| word.starts_with(h))
        || count == 2 && words!("mail/names.short particles").end(word) && without_particle(word) == word
        || count == 3 && words!("mail/names.particles of a place").end(word)
}

/// Words to find the text by.
pub(super) fn keywords(text: &str, topic: &MailTopic, values: &[Found]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let words = nouns::words(text);
    let dated = |w: &NounWord<'_>| {
        values.iter().any(|f| {
            f.span.holds(w.start)
                && matches!(f.value, Value::Date(_) | Value::Clock(_) | Value::Range(_) | Value::Duration(_))
        })
    };
    let fits = |w: &&NounWord<'_>| {
        let key = w.key();
        let long = if w.is_korean() { key.chars().count() >= 2 } else { key.chars().count() >= 3 };
        long && !dated(w)
            && !is_common(&key)
            && !is_everyday(&key)
            && !is_modifier(&key)
            && (!w.is_korean() || !is_verbal(w.stem) && !is_verbal(w.written) && !is_glued(w.written))
            && key.chars().any(char::is_alphabetic)
    };
    // Words of the topic first, then the others as they come.
    let (of_topic, others): (Vec<&NounWord<'_>>, Vec<&NounWord<'_>>) =
        words.iter().filter(fits).partition(|w| topic.words().any(|t| alike(t, &w.key())));
    for word in of_topic.into_iter().chain(others) {
        let key = word.key();
        if out.len() < MOST_KEYWORDS && !out.contains(&key) {
            out.push(key);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::values;

    fn found(text: &str, subject: &str) -> Vec<String> {
        let mail = Mail::default();
        entities(text, &MailTopic::new(subject, &mail, ""), &values(text, None), &mail)
    }

    #[test]
    fn things_are_named_without_particles() {
        for (text, subject, names) in [
            (
                "The ISO 17025 calibration certificate for Corran Bay Seafoods has been issued.",
                "",
                vec!["ISO 17025", "Corran Bay Seafoods"],
            ),
            ("FrostEye 3.8 was released today.", "FrostEye 3.8 is out", vec!["FrostEye 3.8"]),
            ("식약처 GDP 정기실사가 5월 14일(수)로 잡혔습니다.", "GDP 정기실사", vec!["GDP", "정기실사"]),
            ("의약품 콜드체인 실증사업 예산은 8,400만원입니다.", "실증사업 예산", vec!["의약품 콜드체인 실증사업"]),
            ("Many countries ask for six months of validity.", "", vec![]),
        ] {
            let all = found(text, subject);
            for name in &names {
                assert!(all.iter().any(|a| a.contains(name)), "{text}: {all:?} lacks {name}");
            }
            assert!(all.len() <= names.len() + 2, "{text}: {all:?}");
        }
    }

    #[test]
    fn people_are_those_of_the_exchange_and_those_named() {
        let person = |name: &str, address: &str| Person { name: Some(name.into()), address: address.into() };
        let mail = Mail {
            from: Some(person("유채린", "c@a.example")),
            to: vec![person("배수현", "me@a.example")],
            ..Mail::default()
        };
        let account = Account { owner: vec!["me@a.example".into()], ..Account::default() };
        assert_eq!(
            people(&mail, mail.from.as_ref(), "곽도경 과장님을 포함해 9명이 참석합니다. 수현 팀장님도요.", &account),
            ["c@a.example", "곽도경"]
        );
        let many = Mail { to: (0..50).map(|n| person("x", &format!("{n}@a.example"))).collect(), ..mail };
        assert_eq!(people(&many, many.from.as_ref(), "", &account), ["c@a.example"]);
    }
}
