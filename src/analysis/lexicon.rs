//! What words mean, as far as a page of synonyms in two languages tells.
//!
//! `lexicon.txt` holds one sense a line under a heading that says how its words behave; nothing here reads a memory.

use crate::language::{ShortHash, is_hangul, short, stem};
use std::sync::LazyLock;

/// One or two senses of a word, and how it behaves in the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sense {
    ids: [u16; 2],
    behaviour: Behaviour,
}

/// How a word behaves; a heading of `lexicon.txt`.
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

    /// How such a word behaves.
    pub fn behaviour(self) -> Behaviour {
        self.behaviour
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

    /// What a part of a Korean word means: the longest beginning that is a verb or quality, else the longest end
    /// that is a noun, else the longest beginning that is anything.
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

/// What is known of a word.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// It says little by itself.
    pub function: bool,
    /// What it means.
    pub sense: Option<Sense>,
}

/// What is known of a word: as it is listed; Korean compounds by their head, Korean verbs by their beginning.
pub fn look(word: &str) -> Look {
    let found = LEXICON.find(word);
    let function = found.is_some_and(|s| s.behaviour == Behaviour::Function);
    Look { function, sense: found.filter(|_| !function).or_else(|| LEXICON.part(word)) }
}

/// Whether a word says little by itself.
pub fn is_function(word: &str) -> bool {
    LEXICON.find(word).is_some_and(|s| s.behaviour == Behaviour::Function)
}
