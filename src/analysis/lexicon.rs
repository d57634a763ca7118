//! Word senses from `lexicon.txt`: one sense a line, under a heading with its word class.

use crate::language::{is_hangul, stem};
use std::collections::HashMap;
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

const TEXT: &str = include_str!("lexicon.txt");

/// The senses of all listed words and of their stems.
static LEXICON: LazyLock<HashMap<&str, Sense>> = LazyLock::new(|| {
    let mut senses: HashMap<&str, Sense> = HashMap::with_capacity(12_000);
    let mut behaviour = Behaviour::Noun;
    for (id, line) in TEXT.lines().enumerate() {
        if let Some(heading) = line.strip_prefix('@') {
            behaviour = Behaviour::named(heading);
            continue;
        }
        let id = id as u16;
        for word in line.split_whitespace() {
            let sense = senses.entry(word).or_insert(Sense { ids: [id, NONE], behaviour });
            if sense.ids[1] == NONE && sense.ids[0] != id {
                sense.ids[1] = id;
            }
        }
    }
    // Inflected forms match by stem: the stem of a listed word gets its sense unless it is listed itself.
    let listed = TEXT.lines().filter(|line| !line.starts_with('@')).flat_map(str::split_whitespace);
    let mut stems: HashMap<String, Sense> = HashMap::new();
    for word in listed.filter(|word| word.is_ascii()) {
        let stem = stem(word);
        if let (Some(sense), false) = (senses.get(word), senses.contains_key(&*stem)) {
            stems.entry(stem).or_insert(*sense);
        }
    }
    senses.extend(stems.into_iter().map(|(stem, sense)| (&*stem.leak(), sense)));
    senses
});

/// The sense of a Korean word's longest verb or adjective prefix, noun suffix or other prefix.
fn part(word: &str) -> Option<Sense> {
    if !word.starts_with(is_hangul) {
        return None;
    }
    let find = |part: &str| LEXICON.get(part).copied();
    let cuts = || word.char_indices().map(|(at, _)| at);
    let heads = || cuts().skip(2).filter_map(|at| find(&word[..at]));
    let done = heads().filter(|s| matches!(s.behaviour, Behaviour::Verb | Behaviour::Quality)).last();
    let ends = || cuts().skip(1).filter(|at| word[*at..].chars().nth(1).is_some()).filter_map(|at| find(&word[at..]));
    done.or_else(|| ends().find(|s| s.behaviour == Behaviour::Noun))
        .or_else(|| heads().filter(|s| s.behaviour != Behaviour::Function).last())
}

#[derive(Debug, Clone, Copy)]
pub struct LexiconEntry {
    pub function: bool,
    pub sense: Option<Sense>,
}

/// Looks a word up; Korean compounds by their head, Korean verbs by their beginning.
pub fn look_up(word: &str) -> LexiconEntry {
    let found = LEXICON.get(word).copied();
    let function = found.is_some_and(|s| s.behaviour == Behaviour::Function);
    LexiconEntry { function, sense: found.filter(|_| !function).or_else(|| part(word)) }
}
