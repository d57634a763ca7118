//! Splits a statement into words for alignment: stem, kind, weight, sense and position of each.

use super::lexicon::{self, Behaviour, LexiconEntry, Sense};
pub use crate::language::Part;
use crate::language::{Script, Span, Split, TextRun, fold, jamo, numeral, particles, runs, short, stem, words};

/// Maximum characters read; a memory is one or two sentences.
pub const MAX_CHARS: usize = 2_000;
pub const MAX_WORDS: usize = 160;

/// The characters a word consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Letters of any script but Hangul.
    #[default]
    Latin,
    Hangul,
    Number,
    /// Mixed letters and digits: an identifier, a version, a seat.
    Code,
}

#[derive(Debug, Clone, Default)]
pub struct Word {
    /// First byte.
    pub start: usize,
    /// End byte, exclusive.
    pub end: usize,
    /// Folded, without particle.
    pub text: String,
    pub stem: String,
    /// Hash of the stem, for quick comparison.
    pub hash: u32,
    pub kind: Kind,
    /// Capitalised, and not at the start of a sentence.
    pub capital: bool,
    pub part: Part,
    /// Whether it is a function word (articles, auxiliaries, light verbs).
    pub function: bool,
    /// How informative it is; 0 for function words.
    pub weight: f32,
    pub sense: Option<Sense>,
    pub number: Option<f64>,
    /// Attached to the word before, as the unit of a number is: `3차`, `40kg`.
    pub joined: bool,
    pub clause: u8,
    /// Bigrams of letters (jamo for Hangul) as a bit set, to compare spellings.
    pub grams: u128,
    /// Whether it has each [`Mark`].
    pub marks: [bool; 8],
}

/// Word properties used by features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Possibly a name: capitalised within a sentence.
    Name,
    Noun,
    Verb,
    /// Not in the lexicon.
    Unknown,
    Number,
    /// Member of a closed set, such as months.
    Sibling,
    /// In the lexicon.
    Known,
    Long,
}

impl Word {
    pub fn is(&self, mark: Mark) -> bool {
        self.marks[mark as usize]
    }

    pub fn shares_sense(&self, other: &Self) -> bool {
        self.sense.zip(other.sense).is_some_and(|(x, y)| x.same(y))
    }

    /// Whether it is a word of several letters that is neither a function word nor a number.
    pub fn has_content(&self) -> bool {
        !self.function && self.number.is_none() && self.kind != Kind::Number && self.text.chars().count() > 1
    }
}

/// Splits a text into words, up to [`MAX_CHARS`] and [`MAX_WORDS`].
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
        push_run(&mut out, text, run, clause, sentence_start);
        sentence_start = false;
    }
    out
}

/// Splits `40kg` and `58k` into number and unit.
fn number_and_unit(raw: &str) -> Option<(&str, &str)> {
    let at = raw.find(|c: char| c.is_alphabetic())?;
    let (number, unit) = raw.split_at(at);
    let simple = number.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',' || c == ':');
    let unit_ok = unit.chars().all(char::is_alphabetic) && unit.chars().all(char::is_lowercase) && !number.is_empty();
    (simple && unit_ok && unit.chars().count() <= 5).then_some((number, unit))
}

/// Adds the words of a run: a number and its unit apart, and the parts of `right-hand`.
fn push_run(out: &mut Vec<Word>, text: &str, run: TextRun, clause: u8, sentence_start: bool) {
    let Span { start, end } = run.span;
    let raw = run.span.of(text);
    let place = |kind: Kind| Word { start, end, kind, clause, ..Word::default() };
    match (run.has(Script::Digits), run.has(Script::Latin)) {
        (true, true) => match number_and_unit(raw) {
            Some((number, "st" | "nd" | "rd" | "th")) => out.push(word(number, place(Kind::Number))),
            Some((number, unit)) => {
                let end = start + number.len();
                out.push(word(number, Word { end, ..place(Kind::Number) }));
                out.push(word(unit, Word { start: end, joined: true, ..place(Kind::Latin) }));
            }
            None => out.push(word(raw, place(Kind::Code))),
        },
        (true, false) => out.push(word(raw, place(Kind::Number))),
        (false, false) => {
            let before = text[..start].chars().next_back();
            let joined = before.and_then(Split::READ.script) == Some(Script::Digits);
            out.push(word(raw, Word { joined, ..place(Kind::Hangul) }));
        }
        (false, true) => {
            let is_capital = |text: &str| text.starts_with(char::is_uppercase);
            for (n, part) in raw.split('-').enumerate().filter(|(_, part)| !part.is_empty()) {
                let start = part.as_ptr() as usize - text.as_ptr() as usize;
                let capital = is_capital(part) && is_capital(raw) && !(sentence_start && n == 0);
                let end = start + part.len();
                out.push(word(part, Word { start, end, joined: n > 0, capital, ..place(Kind::Latin) }));
            }
        }
    }
}

/// Completes a word whose position, kind and capital are known, from its spelling.
fn word(raw: &str, place: Word) -> Word {
    let Word { kind, capital, .. } = place;
    let mut text = fold(raw);
    let (length, part, mut look) = if kind == Kind::Hangul {
        split_particle(&text)
    } else {
        let length = text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(&text).len();
        (length, Part::None, lexicon::look_up(&text[..length]))
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
        let of_stem = lexicon::look_up(&stem);
        look = LexiconEntry { function: look.function || of_stem.function, sense: look.sense.or(of_stem.sense) };
    }
    let function = look.function || (kind == Kind::Latin && text.chars().count() == 1 && !capital);
    let sense = look.sense.filter(|_| kind != Kind::Number);
    let weight = match sense {
        _ if function => 0.0,
        _ if kind == Kind::Code => 1.5,
        _ if number.is_some() => 1.0,
        Some(sense) => sense.weight(),
        None if capital || kind == Kind::Latin && text.chars().count() > 7 => 1.3,
        None => 1.0,
    };
    let grams = grams(&stem);
    let behaviour = sense.map(Sense::behaviour);
    let sibling = behaviour == Some(Behaviour::Sibling);
    // In the order of `Mark`.
    let marks = [
        capital && !sibling,
        behaviour == Some(Behaviour::Noun),
        behaviour == Some(Behaviour::Verb),
        sense.is_none() && number.is_none() && !function && kind != Kind::Code,
        number.is_some() || kind == Kind::Code,
        sibling,
        sense.is_some(),
        stem.chars().nth(3).is_some(),
    ];
    Word { hash: short(&stem), text, stem, part, function, weight, sense, number, grams, marks, ..place }
}

/// Splits the particle off a Korean word, which keeps two syllables unless the rest is a known word.
fn split_particle(word: &str) -> (usize, Part, LexiconEntry) {
    let whole = lexicon::look_up(word);
    if whole.function || whole.sense.is_some() {
        return (word.len(), Part::None, whole);
    }
    let cut = particles(word).filter(|(_, part)| !matches!(part, Part::Copula | Part::Value));
    for (rest, part) in cut {
        let look = lexicon::look_up(rest);
        if rest.chars().nth(1).is_some() || look.sense.is_some() {
            return (rest.len(), part, look);
        }
    }
    (word.len(), Part::None, whole)
}

/// Bigrams of letters or jamo as a bit set.
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

/// The end of the subject part: after 은/는/이/가 in Korean, before the first verb in English.
pub fn subject_end(words: &[Word]) -> usize {
    let korean = words.iter().filter(|w| w.kind == Kind::Hangul).count() * 2 >= words.len();
    let end = if korean {
        words.iter().position(|w| matches!(w.part, Part::Topic | Part::Subject) && !w.function).map(|i| i + 1)
    } else {
        let is_end = |w: &Word| {
            w.function && words!("english/grammar.auxiliaries").contains(&&*w.text)
                || w.clause > words[0].clause
                || !w.capital && w.is(Mark::Verb) && w.text != w.stem
        };
        words.iter().skip(1).position(is_end).map(|i| i + 1)
    };
    end.unwrap_or(words.len().div_ceil(3)).min(words.len())
}
