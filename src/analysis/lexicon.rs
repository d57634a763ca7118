//! What words mean, as far as a page of synonyms in two languages tells: senses and the fields they belong to.
//!
//! `lexicon.txt` holds one sense a line under a field heading; nothing here reads a memory.

use super::words::{Fnv, hash};
use crate::language::is_hangul;
use crate::language::stem;
use std::sync::LazyLock;

/// One or two senses of a word, each with its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sense {
    ids: [u16; 2],
    fields: [u8; 2],
}

/// How words of a field behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Names of things, people, places.
    Noun,
    /// What is done.
    Verb,
    /// What something is like.
    Quality,
    /// Members of a small closed set: one excludes the other (months, sides, kin).
    Sibling,
    /// Number words.
    Number,
    /// Little by themselves.
    Function,
}

const NONE: u16 = u16::MAX;

impl Sense {
    /// Whether two words can mean the same.
    pub fn same(self, other: Self) -> bool {
        self.ids.iter().any(|a| *a != NONE && other.ids.contains(a))
    }

    /// The fields, as a bit set.
    pub fn fields(self) -> u64 {
        (1 << self.fields[0]) | if self.ids[1] == NONE { 0 } else { 1 << self.fields[1] }
    }

    /// The first field.
    pub fn field(self) -> u8 {
        self.fields[0]
    }

    /// Its senses.
    pub fn ids(self) -> impl Iterator<Item = u16> {
        self.ids.into_iter().filter(|id| *id != NONE)
    }

    /// The first sense.
    pub fn id(self) -> u16 {
        self.ids[0]
    }

    /// How much such a word tells.
    pub fn weight(self) -> f32 {
        match behaviour(self.fields[0]) {
            Behaviour::Noun => 0.9,
            Behaviour::Verb => 0.5,
            Behaviour::Quality => 0.5,
            Behaviour::Sibling => 1.0,
            Behaviour::Number => 1.0,
            Behaviour::Function => 0.0,
        }
    }
}

struct Lexicon {
    table: Vec<u16>,
    words: Vec<(&'static str, Sense)>,
    /// Name, behaviour, hash of the name.
    fields: Vec<(&'static str, Behaviour, u32)>,
    functions: u8,
    numbers: Vec<Option<(&'static str, u16)>>,
}

const SLOTS: usize = 1 << 15;
const TEXT: &str = include_str!("lexicon.txt");

impl Lexicon {
    fn parse() -> Self {
        let mut l = Self {
            table: vec![NONE; SLOTS],
            words: Vec::with_capacity(9_000),
            fields: Vec::new(),
            functions: 0,
            numbers: vec![None; NUMBER_SLOTS],
        };
        for line in NUMBERS.lines() {
            let mut words = line.split(' ');
            let Some(n) = words.next().and_then(|n| n.parse().ok()) else { continue };
            for word in words {
                let mut i = hash(word) as usize % NUMBER_SLOTS;
                while l.numbers[i].is_some() {
                    i = (i + 1) % NUMBER_SLOTS;
                }
                l.numbers[i] = Some((word, n));
            }
        }
        let mut sense = 0u16;
        for line in TEXT.lines() {
            if let Some(head) = line.strip_prefix('@') {
                let (name, kind) = head.split_once(' ').unwrap_or((head, "n"));
                let behaviour = match kind.trim() {
                    "v" => Behaviour::Verb,
                    "a" => Behaviour::Quality,
                    "s" => Behaviour::Sibling,
                    "u" => Behaviour::Number,
                    "f" => Behaviour::Function,
                    _ => Behaviour::Noun,
                };
                l.fields.push((name, behaviour, hash(name)));
                continue;
            }
            let field = l.fields.len().saturating_sub(1) as u8;
            for word in line.split_whitespace() {
                l.insert(word, sense, field);
            }
            sense += 1;
        }
        // Inflected forms meet their stem: the stem of a listed word has its sense unless it has one of its own.
        let listed = l.words.len();
        let mut stems: std::collections::BTreeMap<String, Sense> = std::collections::BTreeMap::new();
        for (word, sense) in &l.words[..listed] {
            if word.is_ascii() {
                let stem = stem(word);
                if stem != *word && l.find(&stem).is_none() {
                    stems.entry(stem).or_insert(*sense);
                }
            }
        }
        for (stem, sense) in stems {
            l.add(String::leak(stem), sense);
        }
        l
    }

    fn insert(&mut self, word: &'static str, id: u16, field: u8) {
        if let Some(at) = self.slot(word) {
            let sense = &mut self.words[usize::from(at)].1;
            if sense.ids[1] == NONE && sense.ids[0] != id {
                sense.ids[1] = id;
                sense.fields[1] = field;
            }
            return;
        }
        self.add(word, Sense { ids: [id, NONE], fields: [field, field] });
    }

    fn add(&mut self, word: &'static str, sense: Sense) {
        let mut i = hash(word) as usize % SLOTS;
        while self.table[i] != NONE {
            i = (i + 1) % SLOTS;
        }
        self.table[i] = self.words.len() as u16;
        self.words.push((word, sense));
    }

    fn slot(&self, word: &str) -> Option<u16> {
        self.slot_at(hash(word), word)
    }

    fn slot_at(&self, hash: u32, word: &str) -> Option<u16> {
        let (table, words) = (&self.table[..], &self.words[..]);
        let mut i = hash as usize % SLOTS;
        loop {
            match table[i] {
                NONE => return None,
                at if words[usize::from(at)].0 == word => return Some(at),
                _ => i = (i + 1) % SLOTS,
            }
        }
    }

    fn find(&self, word: &str) -> Option<Sense> {
        self.slot(word).map(|at| self.words[usize::from(at)].1)
    }

    fn behaviour(&self, s: Sense) -> Behaviour {
        self.fields.get(usize::from(s.fields[0])).map_or(Behaviour::Noun, |f| f.1)
    }

    /// What a part of a Korean word means: the longest beginning that is a verb or quality, else the longest end
    /// that is a noun, else the longest beginning that is anything; and how many bytes of its end
    /// say so, if they do.
    fn part(&self, word: &str) -> Option<(Sense, usize)> {
        if !word.starts_with(is_hangul) {
            return None;
        }
        let (mut done, mut any, mut count) = (None, None, 0);
        let mut h = Fnv::new();
        for (n, (at, c)) in word.char_indices().enumerate() {
            if n >= 2
                && let Some(s) = self.slot_at(h.value(), &word[..at]).map(|s| self.words[usize::from(s)].1)
            {
                if matches!(self.behaviour(s), Behaviour::Verb | Behaviour::Quality) {
                    done = Some(s);
                }
                if s.fields[0] != self.functions {
                    any = Some(s);
                }
            }
            h.add(&word.as_bytes()[at..at + c.len_utf8()]);
            count = n + 1;
        }
        let ends = || word.char_indices().take(count - 1).skip(1).map(|(at, _)| &word[at..]);
        let head = || {
            let mut found = ends().filter_map(|e| Some((self.find(e)?, e.len())));
            found.find(|(s, _)| self.behaviour(*s) == Behaviour::Noun)
        };
        let whole = |s| (s, 0);
        done.map(whole).or_else(head).or(any.map(whole))
    }
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::parse);

/// How words of this field behave.
pub fn behaviour(field: u8) -> Behaviour {
    LEXICON.fields.get(usize::from(field)).map_or(Behaviour::Noun, |f| f.1)
}

/// The number of the field with this name; 63 where there is none.
pub fn field(name: &str) -> u8 {
    let h = hash(name);
    LEXICON.fields.iter().position(|f| f.2 == h && f.0 == name).unwrap_or(63) as u8
}

/// The names of the fields in their order, and how their words behave.
pub fn fields() -> impl Iterator<Item = (&'static str, Behaviour)> {
    LEXICON.fields.iter().map(|f| (f.0, f.1))
}

/// What is known of a word.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// It says little by itself.
    pub function: bool,
    /// What it means.
    pub sense: Option<Sense>,
    /// So many bytes of its end say what it means, where nothing else does: what is before may be a name (오송공장), and
    /// the whole may be (김지원 is no 지원).
    pub head: usize,
}

/// What is known of a word: as it is listed; Korean compounds by their head, Korean verbs by their beginning.
pub fn look(word: &str) -> Look {
    let l = &*LEXICON;
    let found = l.find(word);
    let function = found.is_some_and(|s| s.fields[0] == l.functions);
    let (sense, head) = match found.filter(|_| !function) {
        Some(sense) => (Some(sense), 0),
        None => l.part(word).map_or((None, 0), |(sense, head)| (Some(sense), head)),
    };
    Look { function, sense, head }
}

/// Whether a word says little by itself.
pub fn is_function(word: &str) -> bool {
    let l = &*LEXICON;
    l.find(word).is_some_and(|s| s.fields[0] == l.functions)
}

/// The number a word stands for.
pub fn number(word: &str) -> Option<f64> {
    let l = &*LEXICON;
    let mut i = hash(word) as usize % NUMBER_SLOTS;
    while let Some((w, n)) = l.numbers[i] {
        if w == word {
            return Some(f64::from(n));
        }
        i = (i + 1) % NUMBER_SLOTS;
    }
    None
}

const NUMBER_SLOTS: usize = 256;
/// Number words: a line a number, the number before its words.
const NUMBERS: &str = include_str!("numbers.txt");
