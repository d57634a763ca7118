//! How likely a passage speaks to a program that reads, files or remembers the mail, instead of to a reader.
//!
//! Its words are everyday words; which kinds of them stand together tells. What that weighs is fitted by `examples/steering`
//! on passages of several hands, and on honest mail.

use crate::language::{Phrases, phrases, unmasked};
use crate::mark_weights::MarkWeights;

/// Bytes up to which a line is a sentence of its own; a longer one may be wrapped.
const LINE: usize = 50;
/// Bytes in which whoever is called by name stands.
const CALL: usize = 80;
/// Sentences that are looked at together.
const TOGETHER: usize = 4;

/// The words by their kinds, of which the first are names of programs.
static WORDS: Phrases<&str> = phrases!("mail/steering");

const KINDS: usize = 11;
const PROGRAM: usize = 0;
const NO_PROGRAM: usize = 1;

/// The names of the marks of a passage, in their order: a kind that it has, two that a sentence has, a program with two
/// others, and how it stands there.
pub fn steering_mark_names() -> Vec<String> {
    let names: Vec<&str> = (0..KINDS).filter_map(|kind| WORDS.meaning(kind).copied()).collect();
    let pairs = pairs().map(|(a, b)| format!("{} + {}", names[a], names[b]));
    let threes = threes().map(|(a, b)| format!("program + {} + {}", names[a], names[b]));
    let others = ["a program is called", "a program in brackets"].map(str::to_owned);
    names.iter().map(|n| (*n).to_owned()).chain(pairs).chain(threes).chain(others).collect()
}

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..KINDS).flat_map(|a| (a + 1..KINDS).map(move |b| (a, b)))
}

fn threes() -> impl Iterator<Item = (usize, usize)> {
    pairs().filter(|(a, _)| *a != PROGRAM)
}

/// The numbers of the marks that a passage has: of each run of a few sentences, since a long list holds words of all kinds.
pub fn steering_marks(passage: &str) -> Vec<Vec<usize>> {
    let text = unmasked(passage).to_lowercase();
    let sentences: Vec<Sentence> = sentences(&text).map(|s| Sentence::new(&s)).collect();
    sentences.windows(TOGETHER.min(sentences.len()).max(1)).map(marks).collect()
}

struct Sentence {
    has: [bool; KINDS],
    is_call: bool,
    is_bracketed: bool,
}

impl Sentence {
    fn new(text: &str) -> Self {
        let has = kinds(text);
        let is_bracketed = text.starts_with(['[', '(', '<', '※', '#', '*']) && has[PROGRAM];
        Self { has, is_call: is_call(text), is_bracketed }
    }
}

fn marks(run: &[Sentence]) -> Vec<usize> {
    let any = |is: &dyn Fn(&Sentence) -> bool| run.iter().any(is);
    let singles = (0..KINDS).map(|a| any(&|s| s.has[a]));
    let two = pairs().map(|(a, b)| any(&|s| s.has[a] && s.has[b]));
    let three = threes().map(|(a, b)| any(&|s| s.has[PROGRAM] && s.has[a] && s.has[b]));
    let others = [any(&|s| s.is_call), any(&|s| s.is_bracketed)];
    let all = singles.chain(two).chain(three).chain(others);
    all.enumerate().filter_map(|(mark, is)| is.then_some(mark)).collect()
}

static WEIGHTS: MarkWeights = MarkWeights::new(include_str!("steering.txt"));

/// The chance that it does: that of its likeliest run.
pub(super) fn chance(passage: &str) -> f32 {
    steering_marks(passage).iter().map(|run| WEIGHTS.chance(run)).fold(0.0, f32::max)
}

/// Whether a sentence of a passage names a program that reads, files or remembers the mail.
pub(super) fn names_program(passage: &str) -> bool {
    sentences(&unmasked(passage).to_lowercase()).any(|s| {
        let has = kinds(&s);
        has[PROGRAM] && !has[NO_PROGRAM]
    })
}

/// Sentences and short lines, with single blanks.
fn sentences(text: &str) -> impl Iterator<Item = String> {
    let mut runs: Vec<String> = vec![String::new()];
    for line in text.lines() {
        if let Some(run) = runs.last_mut() {
            run.extend([line.trim(), " "]);
        }
        if line.len() < LINE {
            runs.push(String::new());
        }
    }
    let parts = runs.into_iter().flat_map(|run| {
        let ends = ['.', '!', '?', '…'];
        run.split_inclusive(ends).map(|s| s.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    });
    parts.filter(|s| !s.is_empty())
}

/// "LLM: …", "ChatGPT야, …", "Note to whatever sorts this: …".
fn is_call(sentence: &str) -> bool {
    let called = sentence.split_once([':', ',', '!']).map(|(head, _)| head);
    called.is_some_and(|head| head.len() <= CALL && kinds(head)[PROGRAM])
}

fn kinds(text: &str) -> [bool; KINDS] {
    let mut has = [false; KINDS];
    WORDS.any(text, text.len(), &mut |hit| {
        has[hit.row] = true;
        false
    });
    has
}
