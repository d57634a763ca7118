//! Estimates whether a passage speaks to a program that reads or remembers the mail, rather than to its reader. Its
//! words are everyday words; their combinations tell.

use crate::language::{Phrases, phrases, single_spaced, unmasked};
use crate::mark_weights::MarkWeights;

/// Bytes up to which a line is a sentence of its own; a longer one may be wrapped.
const LINE: usize = 50;
/// Maximum bytes of the words that address a program.
const CALL: usize = 80;
/// Sentences that are scored together.
const TOGETHER: usize = 4;

/// The words by kind; the first kind are names of programs.
static WORDS: Phrases<&str> = phrases!("mail/steering");

const KINDS: usize = 11;
const PROGRAM: usize = 0;
const NO_PROGRAM: usize = 1;

/// The number of marks: each kind, each pair, each triple with a program, and two about how a program is addressed.
pub const STEERING_MARKS: usize = KINDS + KINDS * (KINDS - 1) / 2 + (KINDS - 1) * (KINDS - 2) / 2 + 2;

/// The marks of each run of a few sentences, since a long list has words of all kinds.
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
    let pairs = || (0..KINDS).flat_map(|a| (a + 1..KINDS).map(move |b| (a, b)));
    let singles = (0..KINDS).map(|a| any(&|s| s.has[a]));
    let two = pairs().map(|(a, b)| any(&|s| s.has[a] && s.has[b]));
    let three = pairs().filter(|(a, _)| *a != PROGRAM).map(|(a, b)| any(&|s| s.has[PROGRAM] && s.has[a] && s.has[b]));
    let others = [any(&|s| s.is_call), any(&|s| s.is_bracketed)];
    let all = singles.chain(two).chain(three).chain(others);
    all.enumerate().filter_map(|(mark, is)| is.then_some(mark)).collect()
}

static WEIGHTS: MarkWeights = MarkWeights::new(include_str!("steering.txt"));

/// The chance that a passage speaks to a program: that of its likeliest run.
pub(super) fn chance(passage: &str) -> f32 {
    steering_marks(passage).iter().map(|run| WEIGHTS.chance(run)).fold(0.0, f32::max)
}

pub(super) fn names_program(passage: &str) -> bool {
    sentences(&unmasked(passage).to_lowercase()).any(|s| {
        let has = kinds(&s);
        has[PROGRAM] && !has[NO_PROGRAM]
    })
}

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
        run.split_inclusive(ends).map(single_spaced).collect::<Vec<_>>()
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
