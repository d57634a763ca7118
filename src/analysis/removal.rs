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

/// The removed parts of a stored statement, as byte ranges.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Removal {
    gone: Vec<Range<usize>>,
    /// Whether nothing is left that the statement says about its subject.
    pub(super) whole: bool,
}

impl Removal {
    pub(super) fn changes(&self, a: &Reading) -> Vec<Change> {
        let change = |at: &Range<usize>| {
            let said = a.content[at.clone()].trim().trim_end_matches(['.', ',']);
            Change::of(super::changes::subject(a), Some(said), None, ChangeType::Removal)
        };
        self.gone.iter().map(change).collect()
    }
}

/// What the new statement removes from the stored one; `None` if the target is uncertain.
pub(super) fn removal(a: &Reading, b: &Reading, al: &Alignment) -> Option<Removal> {
    if a.cut || b.cut || a.polarity().denies {
        return None;
    }
    let mut all = sentences(&b.content).filter_map(|at| in_sentence(a, b, al, &at));
    all.next().filter(|_| all.next().is_none())
}

fn in_sentence(a: &Reading, b: &Reading, al: &Alignment, at: &Range<usize>) -> Option<Removal> {
    let text = &b.content[at.clone()];
    let said = marked(text);
    let gives_up = says(&said, Sign::GoneForGood);
    // One cancelled practice does not end the weekly practice.
    let ends = gives_up || says(&said, Sign::CalledOff) && !recurs(a);
    if !ends || is_open(text) || says(&said, Sign::NothingGone) {
        return None;
    }
    let value = |w: &Word| b.values.iter().find(|v| v.span.meets(w.start, w.end));
    let mut hits = Vec::new();
    for (n, w) in b.words.iter().enumerate().filter(|(_, w)| at.start <= w.start && w.end <= at.end) {
        let is_aside = |v: &Found| is_since(&b.content, v) || v.value.kind() == ValueKind::Status;
        if value(w).is_some_and(is_aside) || w.function || is_removal_word(w) {
            continue;
        }
        let place = match value(w) {
            Some(v) => a.values.iter().find(|x| x.value.agrees(&v.value)).map(|same| words_of(&a.words, same).0),
            None => al.of_b[n].map(|m| al.matches[m].a),
        };
        match place {
            Some(place) => hits.push(place),
            // Another thing may be meant.
            None if w.weight > 0.0 && !is_general(w) => return None,
            None => {}
        }
    }
    let parts = parts(a);
    let is_of_subject = |i: &usize| parts.first().is_some_and(|p| p.words.start > *i) || a.words[*i].weight == 0.0;
    let names_subject = hits.iter().any(is_of_subject);
    let of = |part: &ListedPart| hits.iter().filter(|i| part.words.contains(i)).count();
    let most = parts.iter().map(of).max().unwrap_or_default();
    let named: Vec<&ListedPart> = parts.iter().filter(|p| most > 0 && of(p) == most).collect();
    match named[..] {
        [] => names_subject.then(|| Removal { gone: pieces(&a.content), whole: true }),
        [one] => {
            let gone = if parts.len() > 1 || names_subject { vec![one.at.clone()] } else { pieces(&a.content) };
            Some(Removal { gone, whole: parts.len() == 1 })
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
    w.is(Mark::Verb)
        || w.text.ends_with("n't")
        || w.part == Part::None && w.kind == Kind::Hangul && words!("analysis/words.ends of verbs").end(&w.text)
        || words!("analysis/words.parts of something").iter().any(|p| *p == w.stem || *p == w.text)
}

/// Whether a value is a start date: "from May", 이번 달부터.
fn is_since(text: &str, v: &Found) -> bool {
    let before = text[..v.span.start].trim_end().to_lowercase();
    text[v.span.end..].starts_with("부터") || ["from", "since", "after", "as of"].iter().any(|w| before.ends_with(w))
}

fn recurs(a: &Reading) -> bool {
    a.values.iter().any(|v| matches!(v.value, Value::Recurrence(_) | Value::Weekdays(_)))
        || a.words.iter().any(|w| words!("analysis/words.again and again").contains(&&*w.text))
}

/// A part of a statement that can be removed alone: its bytes and its words.
struct ListedPart {
    at: Range<usize>,
    words: Range<usize>,
}

const SEPARATORS: [&str; 11] = [", ", "; ", ". ", "\n", "·", " / ", "/", " + ", " and ", " plus ", " 및 "];

/// The byte ranges of the separators between two listed parts.
fn separators(a: &Reading) -> Vec<Range<usize>> {
    let text = &*a.content;
    let marks = SEPARATORS.iter().flat_map(|mark| text.match_indices(mark)).map(|(at, mark)| at..at + mark.len());
    // 와 after a noun joins it with the next one.
    let joint = |w: &Word| {
        let joint = words!("analysis/words.particles of a list").iter().find(|j| text[..w.end].ends_with(**j))?;
        let at = w.end - joint.len();
        let is_particle = w.start + w.text.len() <= at || w.function && w.text == **joint;
        (text[w.end..].starts_with(' ') && is_particle).then_some(at..w.end + 1)
    };
    let mut all: Vec<Range<usize>> = marks.chain(a.words.iter().filter_map(joint)).collect();
    all.sort_by_key(|range| range.start);
    all
}

/// The parts that a statement lists about its subject: "10% discount", "1 year term".
fn parts(a: &Reading) -> Vec<ListedPart> {
    let start = a.words.get(subject_words(a)).map_or(a.content.len(), |w| w.start);
    let (mut from, end) = (start, a.content.len());
    let mut out: Vec<ListedPart> = Vec::new();
    for gap in separators(a).into_iter().filter(|gap| gap.start >= start).chain(std::iter::once(end..end)) {
        let at = from..gap.start.max(from);
        let words = a.words.partition_point(|w| w.start < at.start)..a.words.partition_point(|w| w.start < at.end);
        from = gap.end;
        if words.clone().any(|n| a.words[n].weight > 0.0) {
            out.push(ListedPart { at, words });
        }
    }
    // A final Korean verb applies to all parts.
    if let Some(last) = out.last_mut().filter(|p| p.words.len() > 1)
        && let [.., object, verb] = &a.words[last.words.clone()]
        && verb.kind == Kind::Hangul
        && verb.text.ends_with('다')
    {
        last.at.end = object.end;
        last.words.end -= 1;
    }
    out
}

/// How many words introduce the subject before the list starts.
fn subject_words(a: &Reading) -> usize {
    if a.korean > 0.3 {
        let topic = a.words.iter().position(|w| {
            matches!(w.part, Part::Topic | Part::Subject) || a.content[w.start..w.end].ends_with(['은', '는'])
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
