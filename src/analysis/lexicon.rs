//! Word senses from `lexicon.txt`, a bilingual list of synonyms: one sense a line, under a heading
//! with its word class.

use crate::language::{ShortHash, is_hangul, short, stem};
use std::sync::LazyLock;

/// One or two senses of a word, and its word class in the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sense {
    ids: [u16; 2],
    behaviour: Behaviour,
}

/// A word class; a heading of `lexicon.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    Noun,
    Verb,
    /// Adjectives.
    Quality,
    /// Members of a small closed set that exclude each other: months, sides, relatives.
    Sibling,
    Number,
    /// Function words.
    Function,
}

impl Behaviour {
    fn named(heading: &str) -> Self {
        match heading {
            "verb" => Self::Verb,
            "quality" => Self::Quality,
            "sibling" => Self::Sibling,
            "number" => Self::Number,
            "function" => Self::Function,
            _ => Self::Noun,
        }
    }
}

const NONE: u16 = u16::MAX;

impl Sense {
    /// Whether two words can mean the same.
    pub fn same(self, other: Self) -> bool {
        self.ids.iter().any(|a| *a != NONE && other.ids.contains(a))
    }

    pub fn behaviour(self) -> Behaviour {
        self.behaviour
    }

    pub fn ids(self) -> impl Iterator<Item = u16> {
        self.ids.into_iter().filter(|id| *id != NONE)
    }

    pub fn id(self) -> u16 {
        self.ids[0]
    }

    /// The weight of a word of this class, 0–1.
    pub fn weight(self) -> f32 {
        match self.behaviour {
            Behaviour::Noun => 0.9,
            Behaviour::Verb | Behaviour::Quality => 0.5,
            Behaviour::Sibling | Behaviour::Number => 1.0,
            Behaviour::Function => 0.0,
        }
    }
}

struct Lexicon {
    table: Vec<u16>,
    words: Vec<(&'static str, Sense)>,
}

const SLOTS: usize = 1 << 15;
const TEXT: &str = include_str!("lexicon.txt");

impl Lexicon {
    fn parse() -> Self {
        let mut l = Self { table: vec![NONE; SLOTS], words: Vec::with_capacity(9_000) };
        let mut behaviour = Behaviour::Noun;
        for (sense, line) in TEXT.lines().enumerate() {
            match line.strip_prefix('@') {
                Some(heading) => behaviour = Behaviour::named(heading),
                None => line.split_whitespace().for_each(|word| l.insert(word, sense as u16, behaviour)),
            }
        }
        // Inflected forms match by stem: the stem of a listed word gets its sense unless it is
        // listed itself.
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

    fn insert(&mut self, word: &'static str, id: u16, behaviour: Behaviour) {
        if let Some(at) = self.slot(word) {
            let ids = &mut self.words[usize::from(at)].1.ids;
            if ids[1] == NONE && ids[0] != id {
                ids[1] = id;
            }
            return;
        }
        self.add(word, Sense { ids: [id, NONE], behaviour });
    }

    fn add(&mut self, word: &'static str, sense: Sense) {
        let mut i = short(word) as usize % SLOTS;
        while self.table[i] != NONE {
            i = (i + 1) % SLOTS;
        }
        self.table[i] = self.words.len() as u16;
        self.words.push((word, sense));
    }

    fn slot(&self, word: &str) -> Option<u16> {
        self.slot_at(short(word), word)
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

    /// The sense of a part of a Korean word. The longest prefix that is a verb or adjective wins,
    /// then the longest noun suffix, then the longest prefix of any class.
    fn part(&self, word: &str) -> Option<Sense> {
        if !word.starts_with(is_hangul) {
            return None;
        }
        let (mut done, mut any, mut count) = (None, None, 0);
        let mut h = ShortHash::default();
        for (n, (at, c)) in word.char_indices().enumerate() {
            if n >= 2
                && let Some(s) = self.slot_at(h.value(), &word[..at]).map(|s| self.words[usize::from(s)].1)
            {
                if matches!(s.behaviour, Behaviour::Verb | Behaviour::Quality) {
                    done = Some(s);
                }
                if s.behaviour != Behaviour::Function {
                    any = Some(s);
                }
            }
            h.add(&word.as_bytes()[at..at + c.len_utf8()]);
            count = n + 1;
        }
        let ends = || word.char_indices().take(count - 1).skip(1).map(|(at, _)| &word[at..]);
        let head = || ends().filter_map(|e| self.find(e)).find(|s| s.behaviour == Behaviour::Noun);
        done.or_else(head).or(any)
    }
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::parse);

/// A lexicon entry.
#[derive(Debug, Clone, Copy)]
pub struct LexiconEntry {
    /// Whether it is a function word.
    pub function: bool,
    pub sense: Option<Sense>,
}

/// Looks a word up; Korean compounds by their head, Korean verbs by their beginning.
pub fn look_up(word: &str) -> LexiconEntry {
    let found = LEXICON.find(word);
    let function = found.is_some_and(|s| s.behaviour == Behaviour::Function);
    LexiconEntry { function, sense: found.filter(|_| !function).or_else(|| LEXICON.part(word)) }
}

pub fn is_function(word: &str) -> bool {
    LEXICON.find(word).is_some_and(|s| s.behaviour == Behaviour::Function)
}
