//! The words of a statement as the aligner sees them: stem, kind, weight, meaning and place.
//!
//! It reads one text and never compares two.

use super::lexicon::{self, Behaviour, Look, Sense};
pub use crate::language::Part;
use crate::language::{Script, Span, Split, TextRun, fold, jamo, numeral, particles, runs, short, stem};

/// Characters of a text that are read; a memory is one or two sentences.
pub const MAX_CHARS: usize = 2_000;
/// Words of a text that are kept.
pub const MAX_WORDS: usize = 160;

/// What a word is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Latin letters (or any script but Hangul).
    Latin,
    /// Hangul.
    Hangul,
    /// Digits.
    Number,
    /// Letters and digits together: an identifier, a version, a seat.
    Code,
}

/// One word.
#[derive(Debug, Clone)]
pub struct Word {
    /// First byte in the text.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Folded, particle removed.
    pub text: String,
    /// Its stem.
    pub stem: String,
    /// A hash of the stem, for quick comparison.
    pub hash: u32,
    /// What it is made of.
    pub kind: Kind,
    /// Starts with a capital letter though no sentence begins here.
    pub capital: bool,
    /// The Korean particle.
    pub part: Part,
    /// Says little by itself (articles, auxiliaries, light verbs).
    pub function: bool,
    /// How much it tells: 0 for function words.
    pub weight: f32,
    /// What it means, if the lexicon knows.
    pub sense: Option<Sense>,
    /// The number it stands for.
    pub number: Option<f64>,
    /// Joined to the word before (a digit's unit: `3차`, `40kg`).
    pub joined: bool,
    /// Which clause it stands in, counted from 0.
    pub clause: u8,
    /// Bigrams of letters (jamo for Hangul) as a bit set, for quick likeness.
    pub grams: u128,
    /// How many bits of `grams` are set.
    pub gram_count: u32,
    /// Which of the [`Mark`]s it has, as a bit set.
    marks: u8,
}

/// What a word is to the features: each a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Looks like a name: capitalised inside a sentence.
    Name,
    /// Names a thing that the lexicon knows.
    Noun,
    /// Says what is done.
    Verb,
    /// A word that no lexicon knows.
    Unknown,
    /// A number or a code.
    Number,
    /// A member of a closed set.
    Sibling,
    /// A word that the lexicon knows.
    Known,
    /// Four letters or more.
    Long,
}

impl Word {
    /// Whether it has a mark.
    pub fn is(&self, mark: Mark) -> bool {
        self.marks >> mark as u8 & 1 != 0
    }

    /// The marks it has, as a bit set.
    pub fn marks(&self) -> u8 {
        self.marks
    }
}

/// Splits a text into words.
pub fn words(text: &str) -> Vec<Word> {
    let text = text.char_indices().nth(MAX_CHARS).map_or(text, |(end, _)| &text[..end]);
    let mut out: Vec<Word> = Vec::with_capacity(text.len() / 6 + 2);
    let (mut at, mut clause, mut sentence_start) = (0, 0u8, true);
    for run in runs(text, &Split::READ) {
        if out.len() >= MAX_WORDS {
            break;
        }
        for mark in text[at..run.span.start].chars() {
            let ends = matches!(mark, '.' | '!' | '?' | '\n');
            sentence_start |= ends;
            clause =
                clause.saturating_add((ends || matches!(mark, ';' | ':' | ',' | '–' | '—' | '(' | ')' | '…')).into());
        }
        at = run.span.end;
        push(&mut out, text, run, clause, sentence_start);
        sentence_start = false;
    }
    out
}

/// Splits `40kg` and `58k` into their number and their unit.
fn number_and_unit(raw: &str) -> Option<(&str, &str)> {
    let at = raw.find(|c: char| c.is_alphabetic())?;
    let (number, unit) = raw.split_at(at);
    let simple = number.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',' || c == ':');
    let unit_ok = unit.chars().all(char::is_alphabetic) && unit.chars().all(char::is_lowercase) && !number.is_empty();
    (simple && unit_ok && unit.chars().count() <= 5).then_some((number, unit))
}

/// Adds the words of a run: a number and its unit are two, and so are the parts of a hyphenated word, so that `right-hand`
/// meets `right`.
fn push(out: &mut Vec<Word>, text: &str, run: TextRun, clause: u8, sentence_start: bool) {
    let Span { start, end } = run.span;
    let raw = run.span.of(text);
    let plain = WordPlace { start, end, kind: Kind::Code, joined: false, clause, capital: false };
    match (run.has(Script::Digits), run.has(Script::Latin)) {
        (true, true) => match number_and_unit(raw) {
            Some((number, "st" | "nd" | "rd" | "th")) => {
                out.push(word(number, WordPlace { kind: Kind::Number, ..plain }))
            }
            Some((number, unit)) => {
                let end = start + number.len();
                out.push(word(number, WordPlace { end, kind: Kind::Number, ..plain }));
                out.push(word(unit, WordPlace { start: end, kind: Kind::Latin, joined: true, ..plain }));
            }
            None => out.push(word(raw, plain)),
        },
        (true, false) => out.push(word(raw, WordPlace { kind: Kind::Number, ..plain })),
        (false, false) => {
            let before = text[..start].chars().next_back();
            let joined = before.and_then(Split::READ.script) == Some(Script::Digits);
            out.push(word(raw, WordPlace { kind: Kind::Hangul, joined, ..plain }));
        }
        (false, true) => {
            let is_capital = |text: &str| text.starts_with(char::is_uppercase);
            for (n, part) in raw.split('-').enumerate().filter(|(_, part)| !part.is_empty()) {
                let start = part.as_ptr() as usize - text.as_ptr() as usize;
                let capital = is_capital(part) && is_capital(raw) && !(sentence_start && n == 0);
                let end = start + part.len();
                out.push(word(part, WordPlace { start, end, kind: Kind::Latin, joined: n > 0, capital, ..plain }));
            }
        }
    }
}

/// Where a word stands, and how it is written there.
#[derive(Clone, Copy)]
struct WordPlace {
    start: usize,
    end: usize,
    kind: Kind,
    joined: bool,
    clause: u8,
    capital: bool,
}

/// Reads a word.
fn word(raw: &str, place: WordPlace) -> Word {
    let WordPlace { start, end, kind, joined, clause, capital } = place;
    let mut text = fold(raw);
    let (length, part, mut look) = if kind == Kind::Hangul {
        parted(&text)
    } else {
        let length = text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(&text).len();
        (length, Part::None, lexicon::look(&text[..length]))
    };
    text.truncate(length);
    let stem = match kind {
        Kind::Latin | Kind::Hangul => stem(&text),
        Kind::Number | Kind::Code => text.replace(',', ""),
    };
    let number = match kind {
        Kind::Number => stem.trim_matches('.').parse().ok(),
        Kind::Latin | Kind::Hangul => numeral(&text).map(f64::from),
        Kind::Code => None,
    };
    if stem != text {
        if look.sense.is_none() {
            let of_stem = lexicon::look(&stem);
            look = Look { function: look.function || of_stem.function, ..of_stem };
        } else {
            look.function = look.function || lexicon::is_function(&stem);
        }
    }
    let function = look.function || (kind == Kind::Latin && text.chars().count() == 1 && !capital);
    let sense = look.sense.filter(|_| kind != Kind::Number);
    let weight = if function {
        0.0
    } else if kind == Kind::Code {
        1.5
    } else if number.is_some() {
        1.0
    } else if let Some(s) = sense {
        s.weight()
    } else if capital || (kind == Kind::Latin && text.chars().count() > 7) {
        1.3
    } else {
        1.0
    };
    let grams = grams(&stem);
    let behaviour = sense.map(Sense::behaviour);
    let sibling = behaviour == Some(Behaviour::Sibling);
    let marks = [
        (Mark::Name, capital && !sibling),
        (Mark::Noun, behaviour == Some(Behaviour::Noun)),
        (Mark::Verb, behaviour == Some(Behaviour::Verb)),
        (Mark::Unknown, sense.is_none() && number.is_none() && !function && kind != Kind::Code),
        (Mark::Number, number.is_some() || kind == Kind::Code),
        (Mark::Sibling, sibling),
        (Mark::Known, sense.is_some()),
        (Mark::Long, stem.chars().nth(3).is_some()),
    ];
    Word {
        start,
        end,
        hash: short(&stem),
        text,
        stem,
        kind,
        capital,
        part,
        function,
        weight,
        sense,
        number,
        joined,
        clause,
        gram_count: grams.count_ones(),
        grams,
        marks: marks.iter().fold(0, |bits, (mark, has)| bits | u8::from(*has) << *mark as u8),
    }
}

/// Splits the particle off a Korean word: the bytes that stay, at least two syllables of them unless they are a
/// known word, what the particle tells, and what the lexicon knows of the rest.
fn parted(word: &str) -> (usize, Part, Look) {
    let whole = lexicon::look(word);
    if whole.function || whole.sense.is_some() {
        return (word.len(), Part::None, whole);
    }
    let cut = particles(word).filter(|(_, part)| !matches!(part, Part::Copula | Part::Value));
    for (rest, part) in cut {
        let look = lexicon::look(rest);
        if rest.chars().nth(1).is_some() || look.sense.is_some() {
            return (rest.len(), part, look);
        }
    }
    (word.len(), Part::None, whole)
}

/// Letters or jamo of a word, two by two, as a bit set.
fn grams(stem: &str) -> u128 {
    let (mut bits, mut before) = (0u128, 1u32);
    let mut put = |unit: u32| {
        let h = before.wrapping_mul(0x9E37_79B1) ^ unit.wrapping_mul(0x85EB_CA77);
        bits |= 1u128 << ((h ^ (h >> 13)).wrapping_mul(0xC2B2_AE35) >> 25);
        before = unit;
    };
    for c in stem.chars().take(24) {
        if let Some((first, vowel, last)) = jamo(c) {
            put(0x1100 + first);
            put(0x1161 + vowel);
            if last != 0 {
                put(0x11A7 + last);
            }
        } else {
            put(c as u32);
        }
    }
    put(2);
    bits
}
