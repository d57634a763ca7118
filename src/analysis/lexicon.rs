//! What words mean, as far as a page of synonyms in two languages tells: senses and the fields they belong to.
//!
//! `lexicon.txt` holds one sense a line under a field heading; nothing here reads a memory.

use super::words::{english_stem, hash};
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
    fields: Vec<(&'static str, Behaviour)>,
    functions: u8,
}

const SLOTS: usize = 1 << 15;
const TEXT: &str = include_str!("lexicon.txt");

impl Lexicon {
    fn parse() -> Self {
        let mut l =
            Self { table: vec![NONE; SLOTS], words: Vec::with_capacity(9_000), fields: Vec::new(), functions: 0 };
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
                l.fields.push((name, behaviour));
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
                let stem = english_stem(word);
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
        let mut i = hash(word) as usize % SLOTS;
        loop {
            match self.table[i] {
                NONE => return None,
                at if self.words[usize::from(at)].0 == word => return Some(at),
                _ => i = (i + 1) % SLOTS,
            }
        }
    }

    fn find(&self, word: &str) -> Option<Sense> {
        self.slot(word).map(|at| self.words[usize::from(at)].1)
    }
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::parse);

/// How words of this field behave.
pub fn behaviour(field: u8) -> Behaviour {
    LEXICON.fields.get(usize::from(field)).map_or(Behaviour::Noun, |f| f.1)
}

/// The number of the field with this name; 63 where there is none.
pub fn field(name: &str) -> u8 {
    LEXICON.fields.iter().position(|f| f.0 == name).unwrap_or(63) as u8
}

/// The name of a field.
pub fn field_name(field: u8) -> &'static str {
    LEXICON.fields.get(usize::from(field)).map_or("", |f| f.0)
}

/// How many fields there are.
pub fn field_count() -> usize {
    LEXICON.fields.len()
}

/// What a word means, if it is listed; Korean compounds by their head, Korean verbs by their beginning.
pub fn sense(word: &str) -> Option<Sense> {
    let l = &*LEXICON;
    let found = l.find(word).filter(|s| s.fields[0] != l.functions);
    if found.is_some() || word.is_ascii() {
        return found;
    }
    let bounds: Vec<usize> = word.char_indices().map(|(i, _)| i).collect();
    let n = bounds.len();
    if n < 3 || !word.starts_with(|c| ('가'..='힣').contains(&c)) {
        return None;
    }
    for keep in (2..n).rev() {
        if let Some(s) = l
            .find(&word[..bounds[keep]])
            .filter(|s| matches!(behaviour_of(l, *s), Behaviour::Verb | Behaviour::Quality))
        {
            return Some(s);
        }
    }
    for skip in 1..=n - 2 {
        if let Some(s) = l.find(&word[bounds[skip]..]).filter(|s| behaviour_of(l, *s) == Behaviour::Noun) {
            return Some(s);
        }
    }
    for keep in (2..n).rev() {
        if let Some(s) = l.find(&word[..bounds[keep]]).filter(|s| s.fields[0] != l.functions) {
            return Some(s);
        }
    }
    None
}

fn behaviour_of(l: &Lexicon, s: Sense) -> Behaviour {
    l.fields.get(usize::from(s.fields[0])).map_or(Behaviour::Noun, |f| f.1)
}

/// Whether a word says little by itself.
pub fn is_function(word: &str) -> bool {
    let l = &*LEXICON;
    l.find(word).is_some_and(|s| s.fields[0] == l.functions)
}

/// The number a word stands for.
pub fn number(word: &str) -> Option<f64> {
    const WORDS: &[(&str, f64)] = &[
        ("zero", 0.0),
        ("one", 1.0),
        ("two", 2.0),
        ("three", 3.0),
        ("four", 4.0),
        ("five", 5.0),
        ("six", 6.0),
        ("seven", 7.0),
        ("eight", 8.0),
        ("nine", 9.0),
        ("ten", 10.0),
        ("eleven", 11.0),
        ("twelve", 12.0),
        ("thirteen", 13.0),
        ("fourteen", 14.0),
        ("fifteen", 15.0),
        ("sixteen", 16.0),
        ("seventeen", 17.0),
        ("eighteen", 18.0),
        ("nineteen", 19.0),
        ("twenty", 20.0),
        ("thirty", 30.0),
        ("forty", 40.0),
        ("fifty", 50.0),
        ("sixty", 60.0),
        ("seventy", 70.0),
        ("eighty", 80.0),
        ("ninety", 90.0),
        ("hundred", 100.0),
        ("thousand", 1000.0),
        ("dozen", 12.0),
        ("twice", 2.0),
        ("하나", 1.0),
        ("한", 1.0),
        ("둘", 2.0),
        ("두", 2.0),
        ("셋", 3.0),
        ("세", 3.0),
        ("석", 3.0),
        ("넷", 4.0),
        ("네", 4.0),
        ("넉", 4.0),
        ("다섯", 5.0),
        ("여섯", 6.0),
        ("일곱", 7.0),
        ("여덟", 8.0),
        ("아홉", 9.0),
        ("열", 10.0),
        ("열한", 11.0),
        ("열하나", 11.0),
        ("열두", 12.0),
        ("열둘", 12.0),
        ("열세", 13.0),
        ("열네", 14.0),
        ("열다섯", 15.0),
        ("열여섯", 16.0),
        ("열일곱", 17.0),
        ("열여덟", 18.0),
        ("열아홉", 19.0),
        ("스물", 20.0),
        ("스무", 20.0),
        ("서른", 30.0),
        ("마흔", 40.0),
        ("쉰", 50.0),
        ("예순", 60.0),
        ("일흔", 70.0),
        ("여든", 80.0),
        ("아흔", 90.0),
        ("이틀", 2.0),
        ("사흘", 3.0),
        ("나흘", 4.0),
        ("닷새", 5.0),
        ("엿새", 6.0),
        ("이레", 7.0),
        ("열흘", 10.0),
    ];
    WORDS.iter().find(|(w, _)| *w == word).map(|(_, n)| *n)
}
