//! Contrasts between two texts, as evidence "stored → new".

use crate::analysis::align::Alignment;
use crate::analysis::expansion::meanings;
use crate::analysis::pairing::Pairing;
use crate::analysis::reading::Reading;
use crate::analysis::roles::Roles;
use crate::analysis::words::{Kind as Made, Part, Word};
use crate::language::{Found, Match, Value, ValueKind, fold, jamo, syllable, words};

/// In texts of at most this many content words, each word matters.
const FEW: usize = 3;
/// Texts whose shares of Korean differ by more than this are in different languages.
const FOREIGN: f32 = 0.5;

/// Whether a short Korean topic names something: 킥오프 회의는.
fn has_topic(r: &Reading) -> bool {
    let is_marked = |w: &Word| w.part == Part::Topic || r.content[w.start..w.end].ends_with(['은', '는']);
    let end = r.words.iter().position(|w| w.kind == Made::Hangul && is_marked(w)).map_or(usize::MAX, |at| at + 1);
    let names = |w: &Word| w.number.is_none() && w.weight > 0.0 && r.value_of(w).is_none();
    end <= 4 && r.words[..end].iter().any(names)
}

/// Whether two words swapped roles, or one place has another word.
pub(super) fn says_otherwise(roles: &Roles, a: &Reading, b: &Reading) -> bool {
    roles.swapped_words(a, b).is_some() || other_word(roles, a, b).is_some()
}

/// The same sentence with an unrelated word in one place.
pub(super) fn other_word(roles: &Roles, a: &Reading, b: &Reading) -> Option<String> {
    roles.differing()?.iter().find_map(|(was, is)| {
        let old = &a.content[Roles::byte_range(a, &roles.old, was)];
        let new = &b.content[Roles::byte_range(b, &roles.new, is)];
        let known = meanings(old);
        let answered = || meanings(new).iter().any(|m| known.contains(m));
        // Added words that name nothing, such as "confirmed", are no loss.
        let tells = || !was.is_empty() || roles.new[is.clone()].iter().any(|t| t.names_a_thing(b));
        // "User" means the same person as "I".
        let is_owner = || words!("speakers").contains(&&*fold(old));
        (!is.is_empty() && tells() && !answered() && !is_owner()).then(|| shown(old, new))
    })
}

pub(super) fn shown(was: &str, is: &str) -> String {
    format!("{was} → {is}")
}

/// Both texts as evidence, cut to 200 characters.
fn excerpt(was: &str, is: &str) -> String {
    shown(was, is).chars().take(200).collect()
}

/// Differing quarters, versions or numbers that identify the subjects.
pub(super) fn other_instance(a: &Reading, b: &Reading) -> Option<String> {
    let subject = |r: &Reading| {
        let first = r.words.iter().find(|w| !w.function)?;
        let kinds = [ValueKind::Period, ValueKind::Ordinal, ValueKind::Version, ValueKind::Identifier];
        let value = r.values.iter().find(|v| v.span.holds(first.start))?;
        kinds.contains(&value.value.kind()).then(|| value.clone())
    };
    let (x, y) = (subject(a)?, subject(b)?);
    let other = x.value.compare(&y.value) == Match::Different;
    other.then(|| shown(x.span.of(&a.content), y.span.of(&b.content)))
}

/// Unmatched content words of `a` and of `b`, and the number of matched ones, without those `aside`.
fn unmatched_words<'a>(
    a: &'a Reading,
    b: &'a Reading,
    al: &Alignment,
    aside: impl Fn(&Word) -> bool,
) -> (Vec<&'a Word>, Vec<&'a Word>, usize) {
    let tells = |w: &&Word| !w.function && w.weight > 0.0 && !aside(w);
    let left = a.words.iter().enumerate().filter(|(n, w)| tells(w) && !al.met_a(*n)).map(|(_, w)| w).collect();
    let right = b.words.iter().enumerate().filter(|(n, w)| tells(w) && !al.met_b(*n)).map(|(_, w)| w).collect();
    let both = b.words.iter().enumerate().filter(|(n, w)| tells(w) && al.met_b(*n)).count();
    (left, right, both)
}

/// Whether two words may be forms of one verb: "간다" and "가지", "drips" and "dripping".
fn may_be_same_verb(one: &str, other: &str) -> bool {
    let open = |c: char| jamo(c).and_then(|(first, vowel, _)| syllable(first, vowel, 0)).unwrap_or(c);
    let alike = one.chars().zip(other.chars()).take_while(|(x, y)| open(*x) == open(*y)).count();
    alike >= if one.is_ascii() { 3 } else { 1 }
}

/// Whether matched words keep their order.
fn in_order(al: &Alignment) -> bool {
    al.matches.is_sorted_by_key(|m| m.a)
}

/// The same words with a negation or opposite in one text, and no other difference.
pub(super) fn denial(a: &Reading, b: &Reading, al: &Alignment, pairing: &Pairing) -> Option<String> {
    let (x, y) = (a.polarity(), b.polarity());
    let opposed = x.opposed(y);
    if (x.denies != y.denies) == opposed.is_some() {
        return None;
    }
    // Status values such as "open" and "closed" may differ: the contradiction is about them.
    let same = |mate: &Option<(usize, Match)>| mate.is_some_and(|(_, how)| how.agrees());
    let differs = |(v, mate): (&Found, &Option<(usize, Match)>)| v.value.kind() != ValueKind::Status && !same(mate);
    if b.values.iter().zip(&pairing.of_b).any(differs) {
        return None;
    }
    let (left, right, both) = unmatched_words(a, b, al, |w| x.has(&w.text) || y.has(&w.text));
    let alike = match (&left[..], &right[..]) {
        ([], []) => both > 0,
        ([was], [is]) => both >= 2 && may_be_same_verb(&was.text, &is.text) && in_order(al),
        _ => false,
    };
    let words = || opposed.map_or_else(|| excerpt(&a.content, &b.content), |(was, is)| shown(was, is));
    alike.then(words)
}

/// Whether a property has one such value at a time. Not true for dates: two dates may be two
/// meetings.
pub(super) fn is_property(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Money | ValueKind::Percent)
}

/// Whether the subject is one known thing: "the kickoff meeting", 킥오프 회의는. "A meeting" may be
/// another one.
pub(super) fn is_definite(r: &Reading) -> bool {
    r.folded.starts_with("the ") || r.korean > 0.3 && has_topic(r)
}

/// The same words with one differing value.
pub(super) fn other_value(a: &Reading, b: &Reading, al: &Alignment, pairing: &Pairing) -> Option<String> {
    let in_value = |r: &Reading, w: &Word| r.values.iter().any(|v| v.span.holds(w.start));
    let (left, right, both) = unmatched_words(a, b, al, |w| in_value(a, w) || in_value(b, w));
    if left.len() + right.len() > 0 || both == 0 || a.values.len() != b.values.len() || !in_order(al) {
        return None;
    }
    b.values.iter().zip(&pairing.of_b).find_map(|(v, mate)| match mate {
        Some((i, Match::Different)) if a.values[*i].value.kind() == v.value.kind() => {
            let (was, is) = (a.values[*i].span.of(&a.content), v.span.of(&b.content));
            (was != is).then(|| shown(was, is))
        }
        _ => None,
    })
}

/// A stored value and the one it changed to: "from 3,100 to 3,300 a month", 3100에서 3300으로.
pub(super) fn further_value(a: &Reading, b: &Reading) -> Option<String> {
    let of_kind = |v: &Found, kind| v.value.kind() == kind;
    let known = |v: &Found| a.values.iter().any(|x| x.value.agrees(&v.value));
    // "From X to Y" parses as a range; if X is a stored single value, Y replaces it.
    let amount =
        |v: &Value| matches!(v.kind(), ValueKind::Money | ValueKind::Percent | ValueKind::Number | ValueKind::Quantity);
    let range = b.values.iter().find_map(|v| {
        let Value::Range(ends) = &v.value else { return None };
        let was = a.values.iter().find(|x| x.value.agrees(&ends.0))?;
        let stood = !matches!(was.value, Value::Range(_)) && amount(&was.value);
        stood.then(|| shown(was.span.of(&a.content), v.span.of(&b.content)))
    });
    range.or_else(|| {
        b.values.windows(2).find_map(|pair| {
            let [old, new] = pair else { return None };
            let between = b.content.get(old.span.end..new.span.start)?.trim();
            let word = between.split_whitespace().next_back().unwrap_or_default();
            let goes = words!("analysis/words.gone to").contains(&word);
            let gone = goes && known(old) && !known(new) && of_kind(new, old.value.kind());
            gone.then(|| shown(old.span.of(&b.content), new.span.of(&b.content)))
        })
    })
}

/// A negation or opposite with hardly another difference, or between translations.
pub(super) fn other_polarity(a: &Reading, b: &Reading, al: &Alignment) -> Option<String> {
    let (x, y) = (a.polarity(), b.polarity());
    let (left, right, both) = unmatched_words(a, b, al, |w| x.has(&w.text) || y.has(&w.text));
    let translated = (a.korean - b.korean).abs() > FOREIGN;
    let differs = left.len() + right.len() > 1 && (right.len() + both > FEW || left.len() > 1);
    if differs && !translated {
        return None;
    }
    (x.denies != y.denies || x.opposed(y).is_some()).then(|| excerpt(&a.content, &b.content))
}

/// An action that contradicts a trait of its subject: "I am a vegetarian", "I eat meat again".
pub(super) fn trait_contradiction(a: &Reading, b: &Reading) -> Option<String> {
    let begins = |r: &Reading| r.words.first().map(|w| w.hash);
    let denied = begins(a) == begins(b) && a.polarity().contradicts_trait(b.polarity());
    denied.then(|| excerpt(&a.content, &b.content))
}

/// A short text that repeats all that is stored and adds a word: "milk", 우유 알레르기. Across languages
/// any unmatched word may be the addition.
pub(super) fn further_word(a: &Reading, b: &Reading, al: &Alignment) -> Option<String> {
    let (left, right, both) = unmatched_words(a, b, al, |_| false);
    let translated = (a.korean - b.korean).abs() > FOREIGN;
    let few = right.len() + both <= FEW;
    let further = right.first().filter(|_| few && (translated || left.is_empty() && both > 0))?;
    Some(excerpt(&a.content, &further.text))
}
