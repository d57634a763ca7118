//! The words of a statement as the aligner sees them: stem, kind, weight, meaning and place.
//!
//! It reads one text and never compares two.

use super::lexicon::{self, Sense};
use crate::language::fold;

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

/// The part a Korean particle gives to its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    /// No particle that tells.
    #[default]
    None,
    /// 은, 는: what is spoken of.
    Topic,
    /// 이, 가, 께서: who or what does it.
    Subject,
    /// 을, 를: what it is done to.
    Object,
    /// 의: whose.
    Of,
    /// Place, time, means, company.
    Other,
    /// 도: too.
    Also,
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
    /// Consonants of its sound, for names across scripts.
    pub sound: String,
}

/// A cheap, stable hash.
pub fn hash(text: &str) -> u32 {
    let mut h: u32 = 0x811c_9dc5;
    for b in text.as_bytes() {
        h ^= u32::from(*b);
        h = h.wrapping_mul(0x0100_0193);
    }
    h ^ (h >> 15)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Hangul,
    Digit,
    Other,
}

fn class(c: char) -> Class {
    if ('가'..='힣').contains(&c) || ('ㄱ'..='ㅣ').contains(&c) {
        Class::Hangul
    } else if c.is_ascii_digit() || c.is_numeric() {
        Class::Digit
    } else if c.is_alphabetic() || matches!(c, '\u{300}'..='\u{36f}') {
        Class::Letter
    } else {
        Class::Other
    }
}

/// Splits a text into words.
pub fn words(text: &str) -> Vec<Word> {
    let chars: Vec<(usize, char)> = text.char_indices().take(MAX_CHARS).collect();
    let end_of = |i: usize| chars.get(i).map_or_else(|| chars.last().map_or(0, |(b, c)| b + c.len_utf8()), |(b, _)| *b);
    let mut out: Vec<Word> = Vec::new();
    let (mut i, mut clause, mut sentence_start) = (0, 0u8, true);
    while i < chars.len() && out.len() < MAX_WORDS {
        let (start, c) = chars[i];
        let kind = class(c);
        if kind == Class::Other {
            if matches!(c, '.' | '!' | '?' | ';' | ':' | ',' | '–' | '—' | '\n' | '(' | ')' | '…') {
                clause = clause.saturating_add(1);
                sentence_start |= matches!(c, '.' | '!' | '?' | '\n');
            }
            i += 1;
            continue;
        }
        let mut j = i + 1;
        let (mut digits, mut letters) = (kind == Class::Digit, kind == Class::Letter);
        let hangul = kind == Class::Hangul;
        while j < chars.len() {
            let next = chars[j].1;
            let k = class(next);
            let follows = chars.get(j + 1).map(|(_, c)| class(*c));
            let keep = if hangul {
                k == Class::Hangul
            } else {
                match k {
                    Class::Letter => {
                        letters = true;
                        true
                    }
                    Class::Digit => {
                        digits = true;
                        true
                    }
                    Class::Hangul => false,
                    Class::Other => match next {
                        '\'' | '’' => follows == Some(Class::Letter),
                        '-' | '_' | '/' | '#' | '&' => {
                            matches!(follows, Some(Class::Digit | Class::Letter))
                                && (digits || follows == Some(Class::Digit) || next == '-')
                        }
                        '.' | ':' | ',' => chars[j - 1].1.is_ascii_digit() && follows == Some(Class::Digit),
                        _ => false,
                    },
                }
            };
            if !keep {
                break;
            }
            j += 1;
        }
        let end = end_of(j);
        let joined = i > 0 && class(chars[i - 1].1) == Class::Digit && hangul;
        let raw = &text[start..end];
        push(&mut out, raw, start, end, (digits, letters, hangul), joined, clause, sentence_start);
        sentence_start = false;
        i = j;
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

#[allow(clippy::too_many_arguments)]
fn push(
    out: &mut Vec<Word>,
    raw: &str,
    start: usize,
    end: usize,
    (digits, letters, hangul): (bool, bool, bool),
    joined: bool,
    clause: u8,
    sentence_start: bool,
) {
    if digits && letters {
        if let Some((number, unit)) = number_and_unit(raw) {
            let cut = start + number.len();
            if matches!(unit, "st" | "nd" | "rd" | "th") {
                push_one(out, number, start, end, Kind::Number, joined, clause, false);
                return;
            }
            push_one(out, number, start, cut, Kind::Number, joined, clause, false);
            push_one(out, unit, cut, end, Kind::Latin, true, clause, false);
            return;
        }
        push_one(out, raw, start, end, Kind::Code, joined, clause, false);
    } else if digits {
        push_one(out, raw, start, end, Kind::Number, joined, clause, false);
    } else if hangul {
        push_one(out, raw, start, end, Kind::Hangul, joined, clause, false);
    } else {
        let capital = raw.chars().next().is_some_and(char::is_uppercase);
        // A hyphenated word is read as its parts, so that `right-hand` meets `right`.
        let mut at = start;
        for (n, part) in raw.split('-').enumerate() {
            if !part.is_empty() {
                let cap = part.chars().next().is_some_and(char::is_uppercase);
                push_one(
                    out,
                    part,
                    at,
                    at + part.len(),
                    Kind::Latin,
                    n > 0,
                    clause,
                    cap && capital && !(sentence_start && n == 0),
                );
            }
            at += part.len() + 1;
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn push_one(
    out: &mut Vec<Word>,
    raw: &str,
    start: usize,
    end: usize,
    kind: Kind,
    joined: bool,
    clause: u8,
    capital: bool,
) {
    let folded = fold(raw);
    let (text, part) = if kind == Kind::Hangul { particle(&folded) } else { (possessive(&folded), Part::None) };
    let text = text.to_owned();
    let stem = match kind {
        Kind::Latin => english_stem(&text),
        Kind::Hangul => korean_stem(&text),
        Kind::Number | Kind::Code => text.replace(',', ""),
    };
    let number = match kind {
        Kind::Number => crate::json::number(stem.trim_matches('.')),
        Kind::Latin | Kind::Hangul => lexicon::number(&text),
        Kind::Code => None,
    };
    let function = lexicon::is_function(&text)
        || lexicon::is_function(&stem)
        || (kind == Kind::Latin && text.chars().count() == 1 && !capital);
    let sense = if kind == Kind::Number { None } else { lexicon::sense(&text).or_else(|| lexicon::sense(&stem)) };
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
    out.push(Word {
        start,
        end,
        hash: hash(&stem),
        sound: if weight >= 1.0 && number.is_none() { sound(&text) } else { String::new() },
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
    });
}

fn possessive(text: &str) -> &str {
    text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(text)
}

const PARTICLES: &[(&str, Part)] = &[
    ("으로부터", Part::Other),
    ("에서부터", Part::Other),
    ("에서는", Part::Topic),
    ("에서도", Part::Also),
    ("으로는", Part::Topic),
    ("까지는", Part::Topic),
    ("까지만", Part::Other),
    ("에게서", Part::Other),
    ("께서는", Part::Topic),
    ("이라고", Part::Other),
    ("이라는", Part::Other),
    ("에서", Part::Other),
    ("에게", Part::Other),
    ("으로", Part::Other),
    ("까지", Part::Other),
    ("부터", Part::Other),
    ("처럼", Part::Other),
    ("보다", Part::Other),
    ("마다", Part::Other),
    ("에는", Part::Topic),
    ("에도", Part::Also),
    ("께서", Part::Subject),
    ("한테", Part::Other),
    ("이랑", Part::Other),
    ("하고", Part::Other),
    ("라고", Part::Other),
    ("이나", Part::Other),
    ("만", Part::Other),
    ("은", Part::Topic),
    ("는", Part::Topic),
    ("이", Part::Subject),
    ("가", Part::Subject),
    ("을", Part::Object),
    ("를", Part::Object),
    ("의", Part::Of),
    ("에", Part::Other),
    ("도", Part::Also),
    ("로", Part::Other),
    ("와", Part::Other),
    ("과", Part::Other),
    ("랑", Part::Other),
];

/// Splits the particle off a Korean word; keeps at least two syllables unless the whole word is known.
pub fn particle(word: &str) -> (&str, Part) {
    if lexicon::sense(word).is_some() || lexicon::is_function(word) {
        return (word, Part::None);
    }
    for (suffix, part) in PARTICLES {
        if let Some(rest) = word.strip_suffix(suffix) {
            let n = rest.chars().count();
            if n == 0 {
                continue;
            }
            let last = rest.chars().next_back().unwrap_or(' ');
            let closed = ('가'..='힣').contains(&last) && !(last as u32 - 0xAC00).is_multiple_of(28);
            let fits = match *suffix {
                "은" | "이" | "을" | "과" => closed,
                "는" | "가" | "를" | "와" | "랑" => !closed,
                "로" => !closed || (last as u32 - 0xAC00) % 28 == 8,
                _ => true,
            };
            if fits && (n >= 2 || lexicon::sense(rest).is_some()) {
                return (rest, *part);
            }
        }
    }
    (word, Part::None)
}

const ENDINGS: &[&str] = &[
    "했습니다",
    "됐습니다",
    "되었습니다",
    "었습니다",
    "았습니다",
    "겠습니다",
    "습니다",
    "합니다",
    "됩니다",
    "입니다",
    "니다",
    "하기로",
    "되기로",
    "하였다",
    "되었다",
    "했는데",
    "하는데",
    "했다고",
    "한다고",
    "된다고",
    "이라고",
    "했어요",
    "해요",
    "했음",
    "하는",
    "하고",
    "하며",
    "해서",
    "하면",
    "하려면",
    "하게",
    "하지",
    "했다",
    "한다",
    "된다",
    "됐다",
    "되는",
    "되고",
    "되어",
    "돼서",
    "되면",
    "이다",
    "이고",
    "이며",
    "인데",
    "예요",
    "이에요",
    "었다",
    "았다",
    "는다",
    "겠다",
    "었고",
    "았고",
    "으면",
    "려고",
    "려면",
    "지만",
    "므로",
    "니까",
    "어요",
    "아요",
    "네요",
    "대요",
    "래요",
    "는데",
    "던데",
    "고요",
    "기로",
    "도록",
    "면서",
    "어서",
    "아서",
    "지는",
    "지도",
    "했던",
    "하던",
    "할",
    "한",
    "된",
    "될",
    "다",
    "고",
    "며",
    "면",
    "니",
    "요",
];

/// A Korean word without its verbal ending; at least two syllables stay.
pub fn korean_stem(word: &str) -> String {
    let n = word.chars().count();
    if n <= 2 {
        return word.to_owned();
    }
    for e in ENDINGS {
        if let Some(rest) = word.strip_suffix(e) {
            let left = rest.chars().count();
            if left >= 2 || (left == 1 && e.chars().count() >= 2) {
                return rest.to_owned();
            }
        }
    }
    word.to_owned()
}

/// An English word without its inflection.
pub fn english_stem(word: &str) -> String {
    let n = word.len();
    if !word.is_ascii() || n <= 3 {
        return word.to_owned();
    }
    let undouble = |s: &str| {
        let b = s.as_bytes();
        let l = b.len();
        if l >= 3 && b[l - 1] == b[l - 2] && !matches!(b[l - 1], b'l' | b's' | b'z' | b'e' | b'o') {
            s[..l - 1].to_owned()
        } else {
            s.to_owned()
        }
    };
    let vowel = |s: &str| s.bytes().any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
    let mut s = if let Some(r) = word.strip_suffix("ies").filter(|r| r.len() >= 2) {
        format!("{r}y")
    } else if word.ends_with("sses")
        || word.ends_with("shes")
        || word.ends_with("ches")
        || word.ends_with("xes")
        || word.ends_with("zes")
    {
        word[..n - 2].to_owned()
    } else if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        word[..n - 1].to_owned()
    } else if let Some(r) = word.strip_suffix("ied").filter(|r| r.len() >= 2) {
        format!("{r}y")
    } else if let Some(r) = word.strip_suffix("ed").filter(|r| r.len() >= 3 && vowel(r)) {
        undouble(r)
    } else if let Some(r) = word.strip_suffix("ing").filter(|r| r.len() >= 3 && vowel(r)) {
        undouble(r)
    } else if let Some(r) = word.strip_suffix("ly").filter(|r| r.len() >= 4) {
        r.to_owned()
    } else {
        word.to_owned()
    };
    // A final e is dropped so that `move`, `moved` and `moving` meet.
    if s.len() > 3 && s.ends_with('e') {
        s.pop();
    }
    s
}

/// Letters or jamo of a word, two by two, as a bit set.
fn grams(stem: &str) -> u128 {
    let mut units: Vec<u32> = Vec::with_capacity(stem.len() + 2);
    units.push(1);
    for c in stem.chars().take(24) {
        if ('가'..='힣').contains(&c) {
            let s = c as u32 - 0xAC00;
            units.push(0x1100 + s / 588);
            units.push(0x1161 + (s % 588) / 28);
            if !s.is_multiple_of(28) {
                units.push(0x11A7 + s % 28);
            }
        } else {
            units.push(c as u32);
        }
    }
    units.push(2);
    let mut bits = 0u128;
    for w in units.windows(2) {
        let h = w[0].wrapping_mul(0x9E37_79B1) ^ w[1].wrapping_mul(0x85EB_CA77);
        bits |= 1u128 << ((h ^ (h >> 13)).wrapping_mul(0xC2B2_AE35) >> 25);
    }
    bits
}

const ONSETS: [&str; 19] =
    ["k", "k", "n", "t", "t", "l", "m", "p", "p", "s", "s", "", "c", "c", "c", "k", "t", "p", "h"];
const CODAS: [&str; 28] = [
    "", "k", "k", "k", "n", "n", "n", "t", "l", "l", "m", "l", "l", "l", "l", "l", "m", "p", "p", "t", "t", "n", "t",
    "t", "k", "t", "p", "t",
];

/// The consonants of a word as they sound, the same for Hangul and Latin spellings as far as it goes.
fn sound(text: &str) -> String {
    let mut out = String::new();
    let mut put = |s: &str| {
        if !s.is_empty() && !out.ends_with(s) {
            out.push_str(s);
        }
    };
    let chars: Vec<char> = text.chars().take(24).collect();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if ('가'..='힣').contains(&c) {
            let s = c as u32 - 0xAC00;
            put(ONSETS[(s / 588) as usize]);
            put(CODAS[(s % 28) as usize]);
        } else {
            let two = chars.get(i + 1).copied();
            let code = match (c, two) {
                ('c', Some('h')) | ('s', Some('h')) | ('p', Some('h')) | ('t', Some('h')) | ('n', Some('g')) => {
                    i += 1;
                    match c {
                        'c' => "c",
                        's' => "s",
                        'p' => "p",
                        't' => "s",
                        _ => "n",
                    }
                }
                ('c', Some('e' | 'i')) => "s",
                ('b' | 'p' | 'f' | 'v', _) => "p",
                ('d' | 't', _) => "t",
                ('g' | 'k' | 'q' | 'c', _) => "k",
                ('j', _) => "c",
                ('s' | 'z' | 'x', _) => "s",
                ('l' | 'r', _) => "l",
                ('m', _) => "m",
                ('n', _) => "n",
                ('h', _) => "h",
                _ => "",
            };
            put(code);
        }
        i += 1;
    }
    out
}
