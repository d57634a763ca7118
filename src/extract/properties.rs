//! The properties of a candidate: its values, each with the name that the text gives it.

use super::names::capitalised_names;
use super::nouns::{NounWord, nouns};
use super::split::LineForm;
use super::unit::{DraftUnit, ScoredPart};
use crate::language::{
    DateRole, Folded, Found, Reference, Value, ValueKind, has_hangul, is_former, is_moved, shown, tokens, words,
};
use crate::mail::Mail;
use crate::model::Property;

const MAX_PROPERTIES: usize = 20;

/// Returns the `name: value` rows of a unit, and each other current value. Days, times and amounts come first, states last.
pub(super) fn properties(unit: &DraftUnit, mail: &Mail, at: Option<Reference>) -> Vec<Property> {
    let mut out: Vec<(u8, Property)> = Vec::new();
    let mut add = |rank: u8, name: &str, value: &str, normalised: Option<String>| {
        let property = Property { name: name.to_owned(), value: value.chars().take(500).collect(), normalised };
        if out.len() < MAX_PROPERTIES && out.iter().all(|(_, known)| known.value != property.value) {
            out.push((rank, property));
        }
    };
    for part in &unit.parts {
        if let LineForm::Row { name, value } = &part.form {
            add(0, name, value, None);
            continue;
        }
        let korean = has_hangul(&part.text);
        for found in current_values(part) {
            let said = found.span.of(&part.text);
            // "Tomorrow" is another day tomorrow.
            let is_relative = !said.contains(|c: char| c.is_ascii_digit());
            let day = part.moments.iter().find(|m| found.span.meets(m.start, m.end)).filter(|_| is_relative);
            let day = day.zip(at).map(|(m, at)| shown::day_in_words(m.day, at.day(), korean));
            add(rank_in_headline(found.value.kind()), &property_name(part, found, korean), said, day);
        }
        if let Some(place) = place(part, mail, korean) {
            add(1, shown::PLACE.text(korean), place, None);
        }
    }
    out.sort_by_key(|(rank, _)| *rank);
    out.into_iter().map(|(_, property)| property).collect()
}

/// The values that hold by the text itself: no former ones, as in "now £60 instead of £50" or 월요일 3시에서 4시로.
fn current_values(part: &ScoredPart) -> impl Iterator<Item = &Found> {
    let moments = &part.moments;
    // "Tomorrow's visit is moved to Friday" says nothing of tomorrow.
    let moved = moments.first().filter(|_| moments.len() > 1 && part.reports_change());
    let found = &part.found;
    let mut former: Vec<bool> = found.iter().map(|f| is_former(&part.text, f.span)).collect();
    // A day and its time are former together: "Mondays at 10", 월요일 오전 10시.
    let gap = |n: usize| part.text.get(found[n].span.end..found[n + 1].span.start).map_or("-", str::trim);
    for n in (1..found.len()).rev() {
        former[n - 1] |= former[n] && gap(n - 1).is_empty();
    }
    for n in 1..found.len() {
        former[n] |= former[n - 1] && ["", "at"].contains(&gap(n - 1)) && is_time(found[n - 1].value.kind());
    }
    let is_told = move |f: &Found| {
        // "First" names nothing without its noun.
        let is_bare = matches!(&f.value, Value::Ordinal { of, .. } if of.is_empty());
        !matches!(f.value, Value::Number(_) | Value::Url(_) | Value::Status { negated: true, .. })
            && !is_bare
            && !moved.is_some_and(|m| f.span.meets(m.start, m.end))
    };
    found.iter().zip(former).filter(move |(f, former)| !former && is_told(f)).map(|(f, _)| f).take(MAX_PROPERTIES)
}

const fn is_time(kind: ValueKind) -> bool {
    use ValueKind::{Clock, Date, Period, Recurrence, Weekdays};
    matches!(kind, Date | Weekdays | Clock | Recurrence | Period)
}

const fn rank_in_headline(kind: ValueKind) -> u8 {
    use ValueKind::{Duration, Money, Percent, Status};
    match kind {
        Money | Percent => 0,
        _ if is_time(kind) => 0,
        Duration => 2,
        Status => 4,
        _ => 3,
    }
}

/// Names a value by its noun ("fee" in "The fee for the winter is £45", 예산 in "예산은 500만원") or else by its kind.
fn property_name(part: &ScoredPart, found: &Found, korean: bool) -> String {
    let before = &part.text[..found.span.start];
    let clause = before.rsplit([',', '.', ';', '(', '\n']).next().unwrap_or_default();
    // "회비는 4만원이고 20일까지": the noun belongs to the first value only.
    let clause = words!("clauses.endings")
        .iter()
        .fold(clause, |clause, end| clause.rsplit_once(&format!("{end} ")).map_or(clause, |(_, rest)| rest));
    let words = nouns(clause);
    let from = clause.as_ptr() as usize - part.text.as_ptr() as usize;
    let is_empty = |stem: &str| tokens(&Folded::new(stem)).iter().all(|t| t.stop);
    let is_noun = |w: &&NounWord<'_>| {
        let is_value = || part.found.iter().any(|f| f.span.meets(from + w.start, from + w.end()));
        w.stem.chars().count() >= 2 && w.stem.chars().all(char::is_alphabetic) && !is_empty(w.stem) && !is_value()
    };
    // 이 also ends adverbs and nouns: 똑같이 9시, 손잡이 세 개.
    let spoken_of = || words.iter().rev().find(|w| ["은", "는", "가"].contains(&w.particle())).filter(is_noun);
    let is_verb = |w: &NounWord<'_>| ["is", "are", "was", "will", "costs"].contains(&w.written);
    let is_link = |w: &NounWord<'_>| ["of", "for", "on", "at", "in", "to", "from", "with"].contains(&w.written);
    let subject = || {
        let verb = words.iter().rposition(is_verb)?;
        let start = words[..verb].iter().rposition(is_verb).map_or(0, |at| at + 1);
        let of_subject = &words[start..verb];
        let end = of_subject.iter().skip(1).position(is_link).map_or(of_subject.len(), |at| at + 1);
        of_subject[..end].last().filter(is_noun)
    };
    if let Some(noun) = if korean { spoken_of() } else { subject() } {
        return noun.key();
    }
    shown::name_of_kind(found.value.kind()).text(korean).to_owned()
}

/// The place of an event: "at the Ferry Inn", 한강공원에서; or its new place: 장소를 바다횟집으로.
fn place<'a>(part: &'a ScoredPart, mail: &Mail, korean: bool) -> Option<&'a str> {
    let (text, moves) = (&part.text, is_moved(&part.text));
    let happens = part.moments.iter().any(|m| m.role == DateRole::Event);
    if !korean {
        let is_at = |name: &&str| {
            let before = text[..name.as_ptr() as usize - text.as_ptr() as usize].trim_end();
            before.strip_suffix(" the").unwrap_or(before).ends_with(" at")
        };
        return capitalised_names(text, &part.found, mail).into_iter().find(is_at).filter(|_| happens || moves);
    }
    let words = nouns(text);
    let moves_place = moves && words.iter().any(|w| w.stem.ends_with(shown::PLACE.text(true)));
    let is_value = |w: &NounWord<'_>| part.found.iter().any(|f| f.span.meets(w.start, w.end()));
    let is_at = |w: &&NounWord<'_>| match w.particle() {
        "에서" => happens && !moves,
        "로" | "으로" => moves_place,
        _ => false,
    };
    words.iter().filter(is_at).find(|w| w.stem.chars().count() >= 2 && !is_value(w)).map(|w| w.stem)
}
