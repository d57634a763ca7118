//! Detects change notices: sentences that say a value of the stored memory has changed. Relies on
//! phrases, not on similarity, and returns `None` for most pairs.

use super::align::Alignment;
use super::announced;
use super::phrases::{Sign, behind, marked, says};
use super::reading::{ChangeSentence, ChangeValue, Reading};
use super::words::{self, Part, Word};
use crate::language::{Found, Match, Value, ValueKind, Words, without_particle, words};
use std::ops::Range;

/// A change notice that surely concerns the stored memory; 95 % of such labelled pairs are updates (`make fit`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Notice {
    /// Whether it names both the stored value and its replacement, rather than only the latter.
    named: bool,
    /// Indices of the stored value and its replacement; `None` where a place changes.
    pub(super) pair: Option<(usize, usize)>,
    /// The share of its topic words that the stored memory has too, 0–1; −1 if it has none.
    topic: f32,
}

/// Names of properties; they do not identify the thing that has the property.
static PROPERTIES: &Words = words!("analysis/words.properties");
static TOPIC: &Words = words!("analysis/words.particles of a topic");

/// The best change notice in a new statement about a stored one.
pub fn notice(a: &Reading, b: &Reading, al: &Alignment) -> Option<Notice> {
    let changes =
        b.change_sentences.get_or_init(|| sentences(&b.content).filter_map(|at| change_sentence(b, at)).collect());
    changes
        .iter()
        .filter_map(|sentence| in_sentence(a, b, al, sentence))
        .max_by(|x, y| (x.named, x.topic).partial_cmp(&(y.named, y.topic)).unwrap_or(std::cmp::Ordering::Equal))
}

/// Parses a sentence; `None` if it announces no settled change.
fn change_sentence(b: &Reading, at: Range<usize>) -> Option<ChangeSentence> {
    let said = marked(&b.content[at.clone()]);
    let moves = says(&said, Sign::Moved) || says(&said, Sign::KoreanMoved);
    // "by 4 June, not 28 May" needs no verb of change.
    let new_value = announced::parse(b, &at);
    if !(moves || new_value.is_some() || said.contains(" not ")) || says(&said, Sign::Open) {
        return None;
    }
    let mut values = Vec::new();
    for (n, v) in b.values.iter().enumerate().filter(|(_, v)| at.start <= v.span.start && v.span.end <= at.end) {
        let is_replacement = moves && is_replacement(&b.content, &at, v);
        values.push(ChangeValue { at: n, given_up: given_up(&b.content, v), is_replacement });
    }
    Some(ChangeSentence { of_place: is_of_a_place(&said), moves, values, new_value, at })
}

fn in_sentence(a: &Reading, b: &Reading, al: &Alignment, sentence: &ChangeSentence) -> Option<Notice> {
    // A date inside a period that is also stated (a day in autumn) still counts as new.
    let is_new = |v: &Found| {
        !a.values
            .iter()
            .filter(|x| x.value.names_an_instance() == v.value.names_an_instance())
            .any(|x| x.value.agrees(&v.value))
    };
    let (mut named, mut only) = (None, None);
    let stated = |v: &Found| a.values.iter().position(|x| !x.value.names_an_instance() && x.value.agrees(&v.value));
    for said in &sentence.values {
        let new = &b.values[said.at];
        if !is_new(new) || b.denied()[said.at] {
            continue;
        }
        // Another instance of the same kind of thing: another order, quarter, version.
        if new.value.names_an_instance() {
            return None;
        }
        let kind = new.value.kind();
        let stands_for = |old: &Found| {
            old.value.kind() == kind || old.value.kind() == ValueKind::Number && kind == ValueKind::Quantity
        };
        // If the sentence names the replaced value, the stored memory must state it. A negated
        // value need not be the replaced one.
        let names = |n: usize| !b.denied()[n] || stated(&b.values[n]).is_some();
        // "Tomorrow's visit is moved to Friday": the stored day, in other words, and its replacement.
        let is_restated = |old: &ChangeValue| {
            said.is_replacement && !old.is_replacement && old.at < said.at && stated(&b.values[old.at]).is_some()
        };
        let is_old = |old: &&ChangeValue| (old.given_up || is_restated(old)) && stands_for(&b.values[old.at]);
        let old = sentence.values.iter().find(|old| is_old(old) && names(old.at));
        if let Some(old) = old.map(|old| &b.values[old.at]) {
            named = named.or(stated(old).map(|i| (i, said.at)));
            continue;
        }
        let mut alike = a.values.iter().enumerate().filter(|(_, x)| x.value.kind() == kind);
        let (first, second) = (alike.next(), alike.next());
        // "The start moves to 9:15 on Saturday" does not concern a deadline without a time.
        if said.is_replacement && first.is_none() && named.is_none() && only.is_none() {
            return None;
        }
        if let (true, Some((i, x)), None) = (sentence.moves, first, second)
            && said.is_replacement
            && x.value.compare(&new.value) == Match::Different
        {
            only = only.or(Some((i, said.at)));
        }
    }
    // Most memories name a place, so the notice must say what takes place there.
    let place = named.is_none() && only.is_none();
    if place && !(sentence.of_place && says(a.marked(), Sign::AtAPlace)) {
        return None;
    }
    let (topic, shared) = topic(a, b, al, &sentence.at)?;
    let name = |v: &Found| matches!(v.value, Value::Identifier(_)) && !is_new(v);
    let related = a.shares_thread(b) || b.values.iter().any(name);
    // Most stored memories have a single date, so one shared word or name is not enough.
    let is_about = if shared == 0 { related && !place } else { related || named.is_some() };
    is_about.then(|| Notice { named: named.is_some(), pair: named.or(only), topic })
}

/// The share of a sentence's topic words that the stored memory has too, −1 if it has none, and their number. `None`
/// if the sentence names something or a property that the stored memory lacks.
fn topic(a: &Reading, b: &Reading, al: &Alignment, at: &Range<usize>) -> Option<(f32, usize)> {
    let first = b.words.partition_point(|w| w.start < at.start);
    let last = b.words.partition_point(|w| w.start < at.end);
    let words = &b.words[first..last];
    let korean = words.iter().filter(|w| w.kind == words::Kind::Hangul).count() * 2 >= words.len();
    let in_value = |j: usize| {
        let holds = |v: &Found| !v.value.names_an_instance() && v.span.meets(b.words[j].start, b.words[j].end);
        b.values.iter().any(holds)
    };
    let property = |w: &Word| {
        // The tokenizer may have left a particle on the word.
        let bare = without_particle(&w.text);
        PROPERTIES.iter().any(|p| *p == w.stem || bare.ends_with(p) && p.len() > 3 && korean)
    };
    let end = if korean { last } else { first + words::subject_end(words) };
    let spoken_of = |j: &usize| b.words[*j].weight > 0.0 && !in_value(*j);
    // "I have to move our review to": the topic is what is moved, not who moves it.
    let end =
        if (first..end).any(|j| spoken_of(&j)) { end } else { (first..last).find(|j| in_value(*j)).unwrap_or(end) };
    let marked = |w: &Word| match w.part {
        Part::Topic | Part::Subject | Part::Object => true,
        // The tokenizer may have left a particle on an unknown word.
        Part::None => w.kind == words::Kind::Hangul && w.text.chars().count() > 2 && TOPIC.end(&w.text),
        _ => false,
    };
    // "양식을 고친다고 해서 점검표 기한을 늦춥니다" is about the checklist, not the form.
    let clause = (first..last).rev().find(|j| in_value(*j)).map_or(0, |j| b.words[j].clause);
    let aside = |w: &Word| korean && w.clause != clause;
    let is_topic = |w: &Word| !aside(w) && (!korean || w.kind == words::Kind::Code || marked(w));
    let (mut met, mut all) = (0.0f32, 0.0f32);
    let (mut properties, mut shared, mut topic_words, mut implied) = (0, 0, 0, false);
    for j in first..end {
        let w = &b.words[j];
        // Properties that only some values have: a notice about a price does not concern a memory
        // without one.
        if words!("analysis/words.specific properties").begin(&w.text) {
            let is_deadline = words!("analysis/words.deadlines").begin(&w.text);
            properties += 1;
            shared += usize::from(al.met_b(j));
            implied |= is_deadline && a.values.iter().any(|v| is_due(&a.content, v));
            topic_words += usize::from(al.met_b(j));
        } else if korean && w.part == Part::None && w.weight > 0.0 && !in_value(j) && !marked(w) && al.met_b(j) {
            // 보고서 in "보고서 마감을" belongs to the noun with the particle.
            topic_words += 1;
        }
        if !spoken_of(&j) || property(w) || !is_topic(w) {
            continue;
        }
        all += 1.0;
        if al.met_b(j) {
            (met, topic_words) = (met + 1.0, topic_words + 1);
        } else if w.capital || w.number.is_some() || w.kind == words::Kind::Code {
            return None;
        }
    }
    let topic = if all > 0.0 { met / all } else { -1.0 };
    let is_other_property = properties > 0 && shared == 0 && !(implied && topic_words > 0);
    (!is_other_property && !(0.0..0.5).contains(&topic)).then_some((topic, topic_words))
}

/// Characters before a value that are searched for phrases.
const NEAR: usize = 30;

/// The marked text before and after a value.
fn around(text: &str, v: &Found) -> (String, String) {
    let near: String = text.get(v.span.end..).unwrap_or_default().chars().take(12).collect();
    let head = text.get(..v.span.start).unwrap_or_default();
    let before = marked(&head[head.char_indices().rev().nth(NEAR).map_or(0, |(at, _)| at)..]);
    (before.trim_end().to_owned(), marked(&near).trim_start().to_owned())
}

/// Whether the words around a value say that it is replaced.
fn given_up(text: &str, v: &Found) -> bool {
    let (before, after) = around(text, v);
    let before = before.strip_suffix("the").map_or(&*before, str::trim_end);
    says(&after, Sign::GivenUpAfter) || says(before, Sign::GivenUpBefore)
}

/// Whether the words around a value make it a deadline.
fn is_due(text: &str, v: &Found) -> bool {
    let (before, after) = around(text, v);
    says(&after, Sign::DueAfter) || says(&before, Sign::DueBefore)
}

/// Whether a verb of change leads to the value: "9시 30분으로 변경", "moved to 3 May", "is now 565".
fn is_replacement(text: &str, at: &Range<usize>, v: &Found) -> bool {
    let after = text.get(v.span.end..at.end).map(marked).unwrap_or_default();
    let after = after.trim_start();
    // A few words may come between: "6월 5일 같은 시간으로 연기", "27일로 일주일 연장".
    let near = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let korean = words!("analysis/words.particles of an end").iter().any(|to| {
        near(after, 14)
            .split_once(to)
            .is_some_and(|(before, _)| says(&near(&after[before.len()..], 15), Sign::KoreanMoved))
    });
    let before = text.get(at.start..v.span.start).map(marked).unwrap_or_default();
    let near: Vec<&str> = before.split(' ').filter(|w| !w.is_empty()).rev().take(7).collect();
    let led = near.iter().any(|w| words!("analysis/words.before a new value").contains(w))
        || near.contains(&"on") && near.contains(&"now");
    let verb = || says(&near.iter().rev().fold(String::from(" "), |s, w| s + w + " "), Sign::Moved);
    korean || led && verb()
}

/// Whether the changed property is a place: "장소를 3층 회의실로 바꿨습니다", "the venue has moved to the town
/// hall".
fn is_of_a_place(said: &str) -> bool {
    static TO: &Words = words!("analysis/words.particles of an end");
    let Some(after) = behind(said, Sign::OfAPlace) else { return false };
    let near: String = after.chars().take(60).collect();
    let korean = |to: &&str| {
        let rest = near.split_once(&format!("{to} ")).map(|(_, rest)| rest.chars().take(15).collect::<String>());
        rest.is_some_and(|rest| says(&rest, Sign::KoreanMoved))
    };
    TO.iter().any(korean) || says(&near, Sign::Moved) && [" to ", " now "].iter().any(|w| near.contains(w))
}

/// The byte ranges of a text's sentences; also splits after colons and before "so", "but" and
/// "and".
pub(super) fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut cuts = vec![0];
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next();
        let ends = matches!(c, '.' | '!' | '?' | ':' | ';') && next.is_none_or(char::is_whitespace);
        let turns = c == ',' && [" so ", " but ", " and "].iter().any(|w| text[at + 1..].starts_with(w));
        if ends || turns || c == '\n' {
            cuts.push(at + c.len_utf8());
        }
    }
    cuts.push(text.len());
    (0..cuts.len() - 1).map(move |n| cuts[n]..cuts[n + 1]).filter(|r| !r.is_empty())
}
