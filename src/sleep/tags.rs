//! Derives tags by rule when no model names them: names and nouns that recur in a batch, never values.

use super::clusters::{canonical_key, is_one_tag, is_small_talk};
use crate::language::{Folded, Script, Words, fold, has_hangul, tokens, words};
use crate::model::Memory;

const MAX_TAGS_PER_TEXT: usize = 3;
const MAX_TAG_CHARS: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged {
    pub name: String,
    pub key: String,
    pub texts: Vec<usize>,
}

/// The tags of a batch, best first and at most `most`. `existing` tells whether a tag has this key. A word weighs .75
/// per text, capitalised 1, an entity 1.5; an existing tag weighs 1.5 more. A tag needs the weight `least`.
pub fn tags(batch: &[&Memory], existing: &dyn Fn(&str) -> bool, least: f32, most: usize) -> Vec<Tagged> {
    let mut found = Vec::new();
    let mut add = |at: usize, name: &str, worth: f32| {
        let known = |key: &str| if existing(key) { 1.5 } else { 0.0 };
        add_name(&mut found, at, name, worth, known);
    };
    for (at, memory) in batch.iter().enumerate().filter(|(_, m)| !is_small_talk(&m.content)) {
        for name in &memory.entities {
            add(at, name, 1.5);
        }
        // Keywords are skipped: a node's keyword is its key.
        let folded = Folded::new(&memory.content);
        for token in tokens(&folded).iter().filter(|t| !t.stop && t.script != Script::Digits) {
            let word = token.span.of(&memory.content);
            let capital = token.script == Script::Latin && folded.is_capital(token.range().0);
            let stem = token.stem(&folded);
            // Korean tags lose their particle.
            add(at, if token.script == Script::Korean { &stem } else { word }, if capital { 1.0 } else { 0.75 });
        }
    }
    // A word of one text is no tag, unless it is an entity or an existing tag.
    found.retain(|(weight, _)| *weight >= least);
    sort_by_weight(&mut found);
    let mut each = vec![0; batch.len()];
    let mut chosen = Vec::new();
    for (_, mut tag) in found {
        tag.texts.retain(|at| each[*at] < MAX_TAGS_PER_TEXT);
        if tag.texts.is_empty() || chosen.len() == most {
            continue;
        }
        tag.texts.iter().for_each(|at| each[*at] += 1);
        chosen.push(tag);
    }
    chosen
}

/// Adds a name of text `at` to the tag with its key. A new tag weighs what `known` returns for its key in addition.
fn add_name(found: &mut Vec<(f32, Tagged)>, at: usize, name: &str, worth: f32, known: impl Fn(&str) -> f32) {
    let key = canonical_key(name);
    if !is_telling(name, &key) {
        return;
    }
    match found.iter_mut().find(|(_, t)| is_one_tag(&t.key, &key)) {
        Some((_, t)) if t.texts.last() == Some(&at) => {}
        Some((weight, t)) => {
            *weight += worth;
            t.texts.push(at);
        }
        None => found.push((worth + known(&key), Tagged { name: name.trim().to_owned(), key, texts: vec![at] })),
    }
}

fn sort_by_weight(found: &mut [(f32, Tagged)]) {
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.key.cmp(&b.1.key)));
}

/// The tags of texts from the names that a model gave, most frequent first and at most `most`.
pub fn named(names: &[Vec<String>], most: usize) -> Vec<Tagged> {
    let mut found = Vec::new();
    for (at, names) in names.iter().enumerate() {
        names.iter().take(MAX_TAGS_PER_TEXT).for_each(|name| add_name(&mut found, at, name, 1.0, |_| 0.0));
    }
    sort_by_weight(&mut found);
    found.into_iter().take(most).map(|(_, tag)| tag).collect()
}

/// Question words and pointers, which name nothing.
static QUESTION_WORDS: &Words = words!("tags.idle");

/// Whether a name can be a tag: up to four words, mostly letters, and no address.
pub fn is_telling(name: &str, key: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let count = name.chars().count();
    let hangul = has_hangul(name);
    count <= MAX_TAG_CHARS
        && letters >= if hangul { 2 } else { 3 }
        && 2 * letters >= count
        && !key.is_empty()
        && !QUESTION_WORDS.contains(&&*fold(name))
        && !name.contains(['@', '/', '\n'])
        && name.split_whitespace().count() <= 4
}
