//! Finds the stored part that a new statement removes: "the 10% discount no longer applies".

use super::Change;
use super::align::Alignment;
use super::notice::sentences;
use super::pairing::words_of;
use super::phrases::{Sign, marked, says};
use super::reading::Reading;
use super::words::{Kind, Mark, Part, Word, subject_end};
use crate::language::{CueKind, Folded, Found, Value, ValueKind, cues, words};
use crate::model::{BETWEEN, ChangeType};
use std::ops::Range;

/// The removed parts of a stored statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Removal {
    /// Quotes of the stored statement.
    pub(super) changes: Vec<Change>,
    /// Whether nothing is left that the statement says about its subject.
    pub(super) whole: bool,
}

/// What the new statement removes from the stored one; `None` if the target is uncertain.
pub(super) fn removal(a: &Reading, b: &Reading, al: &Alignment) -> Option<Removal> {
    if a.cut || b.cut || a.polarity().denies {
        return None;
    }
    let mut all = sentences(&b.content).filter_map(|at| in_sentence(a, b, al, &at));
    let (gone, whole) = all.next().filter(|_| all.next().is_none())?;
    let property = super::changes::subject(a);
    let said = |at: &Range<usize>| a.content[at.clone()].trim().trim_end_matches(['.', ',']);
    let change = |at| Change::of(property.clone(), Some(said(at)), None, ChangeType::Removal);
    Some(Removal { changes: gone.iter().map(change).collect(), whole })
}

/// The byte ranges of the stored text that a sentence removes, and whether that is all.
fn in_sentence(a: &Reading, b: &Reading, al: &Alignment, at: &Range<usize>) -> Option<(Vec<Range<usize>>, bool)> {
    let text = &b.content[at.clone()];
    let said = marked(text);
    let gives_up = says(&said, Sign::GoneForGood);
    let known = |sign| says(a.marked(), sign);
    if !gives_up && !says(&said, Sign::CalledOff) || is_open(text) || says(&said, Sign::NothingGone) {
        return None;
    }
    // The stored memory is itself about an end.
    if known(Sign::GoneForGood) || known(Sign::CalledOff) {
        return None;
    }
    let inside = |w: &Word| at.start <= w.start && w.end <= at.end;
    let (mut hits, mut strange) = (Vec::new(), false);
    for (n, w) in b.words.iter().enumerate().filter(|(_, w)| inside(w)) {
        let value = b.value_of(w);
        // "From May" is a start date, not a target.
        if value.is_some_and(|v| is_since(&b.content, v) || v.value.kind() == ValueKind::Status) {
            continue;
        }
        let place = match value {
            // The first word of the equal stored value.
            Some(v) => a.values.iter().find(|x| x.value.agrees(&v.value)).map(|x| words_of(&a.words, x).0),
            None => al.of_b[n].map(|m| al.matches[m].a),
        };
        if let Some(place) = place {
            if !w.function && !is_removal_word(w) && !is_general(w) {
                hits.push(place);
            }
        } else if w.weight > 0.0 && !is_removal_word(w) {
            // An unknown date, number or name makes the target uncertain.
            strange |= w.number.is_some() || w.kind == Kind::Code || w.capital || value.is_some() || !is_general(w);
        }
    }
    // "This Tuesday" does not cancel every Tuesday.
    let is_here = |v: &&Found| at.start <= v.span.start && v.span.end <= at.end;
    let once = b.values.iter().filter(is_here).any(|v| is_one_time(&b.content, v));
    if hits.is_empty() || strange || once && recurs(a) {
        return None;
    }
    let parts = parts(a);
    let head = |i: usize| parts.first().is_some_and(|p| p.words.start > i) || a.words[i].weight == 0.0;
    let of = |part: &ListedPart| hits.iter().filter(|i| part.words.contains(i)).count();
    let most = parts.iter().map(of).max().unwrap_or_default();
    let named: Vec<&ListedPart> = parts.iter().filter(|p| most > 0 && of(p) == most).collect();
    match &named[..] {
        [] => hits.iter().any(|i| head(*i)).then(|| (pieces(&a.content), true)),
        // "The Tuesday practice is cancelled" may mean one Tuesday.
        [one] if parts.len() > 1 && (gives_up || !of_a_weekday(a, one)) => Some((vec![one.at.clone()], false)),
        [one] if parts.len() == 1 && (gives_up || !(recurs(a) && names_weekday(b, at))) && !one.words.is_empty() => {
            let rest = hits.iter().any(|i| head(*i));
            let gone = if rest { vec![one.at.clone()] } else { pieces(&a.content) };
            Some((gone, true))
        }
        _ => None,
    }
}

/// Whether a sentence asks, proposes or is otherwise undecided.
fn is_open(text: &str) -> bool {
    use CueKind::{Condition, Hearsay, Pending, Possibility, Proposal, Question};
    let open = [Condition, Hearsay, Pending, Possibility, Proposal, Question];
    text.trim_end().ends_with('?') || cues(&Folded::new(text)).iter().any(|c| open.contains(&c.kind))
}

/// Whether a word belongs to the phrase of removal itself.
fn is_removal_word(w: &Word) -> bool {
    let alone = [" ", &*w.text, " "].concat();
    words!("analysis/words.with a removal").contains(&&*w.text)
        || says(&alone, Sign::GoneForGood)
        || says(&alone, Sign::CalledOff)
}

/// Whether a word is too general to identify a target: a verb or a word such as "part".
fn is_general(w: &Word) -> bool {
    let korean_verb = || w.text.ends_with(['다', '요', '함', '음', '됨']) || w.text.ends_with("기로");
    w.is(Mark::Verb)
        || w.text.ends_with("n't")
        || w.part == Part::None && w.kind == Kind::Hangul && korean_verb()
        || words!("analysis/words.parts of something").iter().any(|p| *p == w.stem || *p == w.text)
}

/// Whether a value is a start date: "from May", 이번 달부터.
fn is_since(text: &str, v: &Found) -> bool {
    let before = text[..v.span.start].trim_end();
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    text[v.span.end..].starts_with("부터")
        || matches!(&*word, "from" | "since" | "after" | "as")
        || before.to_lowercase().ends_with("as of")
        || before.to_lowercase().ends_with("from this")
}

/// Whether a value is a single occasion: this week, tomorrow, the 12th.
fn is_one_time(text: &str, v: &Found) -> bool {
    if is_since(text, v) {
        return false;
    }
    let before = text[..v.span.start].trim_end().to_lowercase();
    let this = || {
        ["this", "next", "last", "today's", "tomorrow's", "이번", "다음", "오늘", "내일"]
            .iter()
            .any(|w| before.ends_with(w))
    };
    match &v.value {
        Value::Date(d) => d.day.is_some() || d.shift.is_some() || this(),
        Value::Period(p) => p.shift.is_some(),
        _ => false,
    }
}

/// Whether the stored event recurs.
fn recurs(a: &Reading) -> bool {
    a.values.iter().any(|v| matches!(v.value, Value::Recurrence(_) | Value::Weekdays(_)))
        || a.words.iter().any(|w| words!("analysis/words.again and again").contains(&&*w.text))
}

/// A part of a statement that can be removed alone: its bytes and its words.
struct ListedPart {
    at: Range<usize>,
    words: Range<usize>,
}

fn names_weekday(b: &Reading, at: &Range<usize>) -> bool {
    let weekday =
        |v: &Found| matches!(&v.value, Value::Date(d) if d.weekday.is_some()) || matches!(v.value, Value::Weekdays(_));
    b.values.iter().any(|v| at.contains(&v.span.start) && weekday(v))
}

fn of_a_weekday(a: &Reading, part: &ListedPart) -> bool {
    let weekly = |v: &Found| match &v.value {
        Value::Date(d) => d.day.is_none(),
        Value::Weekdays(_) | Value::Recurrence(_) => true,
        _ => false,
    };
    a.values.iter().any(|v| part.at.contains(&v.span.start) && weekly(v))
}

/// The parts that a statement lists about its subject: "10% discount", "1 year term".
fn parts(a: &Reading) -> Vec<ListedPart> {
    let text = &*a.content;
    let subject = subject_words(a);
    let start = a.words.get(subject).map_or(text.len(), |w| w.start);
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(at, _)| *at >= start) {
        let end = at + c.len_utf8();
        let in_figure = matches!(c, ',' | '.' | ':') && text[end..].starts_with(|c: char| c.is_ascii_digit());
        match c {
            ',' | ';' | '·' | '/' | '\n' | '.' | '+' if !in_figure => cuts.push((at, end)),
            ' ' => {
                let and = ["and ", "plus ", "및 "].iter().find(|and| text[end..].starts_with(**and));
                cuts.extend(and.map(|and| (at, end + and.len())));
                let with = ["와", "과", "하고", "이랑"].iter().find(|with| is_companion(a, at, with));
                cuts.extend(with.map(|with| (at - with.len(), end)));
            }
            _ => {}
        }
    }
    cuts.push((text.len(), text.len()));
    let mut from = start;
    let mut out = Vec::new();
    for (to, next) in cuts {
        if to > from {
            let words = a.words.partition_point(|w| w.start < from)..a.words.partition_point(|w| w.start < to);
            if words.clone().any(|n| a.words[n].weight > 0.0) {
                out.push(ListedPart { at: from..to, words });
            }
        }
        from = next.max(from);
    }
    if let Some(last) = out.last_mut() {
        exclude_final_verb(a, last);
    }
    out
}

/// Whether 와 ends at this place and joins two nouns rather than ending a word.
fn is_companion(a: &Reading, at: usize, joint: &str) -> bool {
    let Some(before) = a.content[..at].strip_suffix(joint) else { return false };
    let word = a.words.iter().find(|w| w.end == at && w.kind == Kind::Hangul);
    word.filter(|_| before.ends_with(char::is_alphanumeric)).is_some_and(|w| {
        w.stem != w.text && w.text.ends_with(joint)
            || w.text.len() < w.end - w.start
            || w.function && w.text == joint
            || a.values.iter().any(|v| v.span.end + joint.len() == at)
    })
}

/// Excludes a final Korean verb, which applies to all parts.
fn exclude_final_verb(a: &Reading, part: &mut ListedPart) {
    let last = part.words.end.checked_sub(1).map(|n| &a.words[n]);
    let verb = last.filter(|w| w.kind == Kind::Hangul && w.text.ends_with('다') && part.words.len() > 1);
    let Some(verb) = verb else { return };
    let object = part.words.clone().rev().nth(1).map(|n| &a.words[n]);
    if let Some(object) = object.filter(|w| matches!(w.part, Part::Object | Part::Subject) || w.end < verb.start) {
        part.at.end = object.end;
        part.words.end -= 1;
    }
}

/// How many words introduce the subject before the list starts.
fn subject_words(a: &Reading) -> usize {
    let colon = a.content.find(": ").or_else(|| a.content.find(":\n"));
    if let Some(colon) = colon.filter(|at| *at < 40) {
        return a.words.partition_point(|w| w.start < colon);
    }
    if a.korean > 0.3 {
        let topic = a.words.iter().position(|w| {
            matches!(w.part, Part::Topic | Part::Subject)
                || a.content[w.start..w.end].ends_with(['은', '는']) && w.kind == Kind::Hangul
        });
        return topic.map_or(0, |n| n + 1);
    }
    // The subject ends before the first value.
    let first = a.values.first().map_or(a.words.len(), |v| words_of(&a.words, v).0);
    let end = subject_end(&a.words).min(first.max(1));
    // Words that lead to the list: "is on", "comes with".
    let leads = |w: &Word| w.function || w.is(Mark::Verb) && !w.capital && w.number.is_none();
    (end..a.words.len()).find(|n| !leads(&a.words[*n])).unwrap_or(a.words.len())
}

/// Byte ranges of the statements that make up a text.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let start = |piece: &str| piece.as_ptr() as usize - text.as_ptr() as usize;
    text.split(BETWEEN).map(|piece| start(piece)..start(piece) + piece.len()).collect()
}
