//! Merges near-duplicates into one text: the newest in full, the others by their differences.
//!
//! Words are dropped only if another source has them; [`super::lost`] checks that no fact is lost.

use super::facts::{MOST_TOKENS, SourceText, lost, tokens_of};
use crate::language::{common_pairs, fold, has_hangul, shown};
use crate::model::{Memory, Zone};

/// Above this length, only short sources are added.
const SOFT_TOKEN_LIMIT: usize = 512;
/// The most tokens of a source that is added beyond [`SOFT_TOKEN_LIMIT`].
const MAX_SHORT_TOKENS: usize = 32;
const MAX_FULL_TEXTS: usize = 4;
const REPEAT_LINE_TOKENS: usize = 16;
/// The most repetition dates that are listed one by one.
const MAX_LISTED_DAYS: usize = 3;
/// The most words of a text that is compared; longer texts are kept in full.
const MAX_COMPARED_WORDS: usize = 160;

#[derive(Debug, Clone, PartialEq)]
pub struct Folding {
    pub text: String,
    pub taken: Vec<usize>,
    pub tokens: usize,
    pub days: Vec<String>,
}

pub fn told(memory: &Memory) -> SourceText<'_> {
    SourceText { content: &memory.content, people: &memory.people, entities: &memory.entities }
}

/// Merges memories into a text of at most 768 tokens, newest first. Beyond 512 tokens only short
/// sources are added. `None` if fewer than two fit or the text would not be shorter.
pub fn folded(sources: &[Memory], zone: Zone) -> Option<Folding> {
    let mut order: Vec<usize> = (0..sources.len()).collect();
    let age = |at: &usize| (sources[*at].own_time(), sources[*at].id);
    order.sort_by_key(|at| std::cmp::Reverse(age(at)));
    let korean = sources.iter().any(|m| has_hangul(&m.content));
    let mut whole: Vec<Vec<&str>> = Vec::new();
    let mut text = String::new();
    let mut again: Vec<String> = Vec::new();
    let mut taken = Vec::new();
    let mut days: Vec<String> = Vec::new();
    let mut year = String::new();
    let mut spent = 0;
    for at in order {
        let content = sources[at].content.trim();
        let day = sources[at].own_time().day(zone).to_string();
        let words: Vec<&str> = content.split_whitespace().collect();
        let pieces = whole.iter().filter_map(|base| differing_runs(base, &words)).min_by_key(Vec::len);
        let more = match &pieces {
            Some(pieces) => pieces.join(", "),
            None => content.to_owned(),
        };
        let cost = if more.is_empty() { 0 } else { tokens_of(&more) + 4 };
        if spent + cost + REPEAT_LINE_TOKENS > MOST_TOKENS
            || !taken.is_empty() && spent > SOFT_TOKEN_LIMIT && cost > MAX_SHORT_TOKENS
        {
            if taken.is_empty() {
                return None;
            }
            continue;
        }
        spent += cost;
        if more.is_empty() {
            again.push(day.clone());
        } else {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            // The year is written only where it changes.
            let short = day.strip_prefix(&year).filter(|_| !year.is_empty());
            text.push_str(short.unwrap_or(&day));
            text.push_str(": ");
            text.push_str(&more);
            year = day.get(..5).unwrap_or_default().to_owned();
            if pieces.is_none() && words.len() <= MAX_COMPARED_WORDS && whole.len() < MAX_FULL_TEXTS {
                whole.push(words);
            }
        }
        taken.push(at);
        days.push(day);
    }
    if let (Some(last), Some(first)) = (again.first(), again.last()) {
        let same = if again.len() > MAX_LISTED_DAYS {
            let between = [first, "…", last].concat();
            shown::THE_SAME_OFTEN.with(korean, &[&again.len().to_string(), &between])
        } else {
            again.dedup();
            shown::THE_SAME.with(korean, &[&again.join(", ")])
        };
        text.push('\n');
        text.push_str(&same);
    }
    checked(text, taken, days, sources)
}

/// The merged text, if it keeps every fact of its sources and is shorter.
fn checked(text: String, taken: Vec<usize>, days: Vec<String>, sources: &[Memory]) -> Option<Folding> {
    let all: Vec<SourceText<'_>> = taken.iter().map(|at| told(&sources[*at])).collect();
    let length: usize = all.iter().map(|t| t.content.chars().count()).sum();
    if taken.len() < 2 || text.chars().count() >= length || lost(&text, &all).is_some() {
        return None;
    }
    let tokens = tokens_of(&text);
    Some(Folding { text, taken, tokens, days })
}

/// The runs of `words` that `base` lacks, with a word of context; `None` if less than half is common.
fn differing_runs(base: &[&str], words: &[&str]) -> Option<Vec<String>> {
    if words.len() > MAX_COMPARED_WORDS {
        return None;
    }
    let same = mark_common_words(base, words);
    if 2 * same.iter().filter(|s| **s).count() < words.len().max(base.len()) {
        return None;
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if same[at] {
            at += 1;
            continue;
        }
        let start = at.saturating_sub(1);
        let mut end = at;
        // Runs with one or two words between them are joined.
        while end < words.len()
            && (!same[end]
                || words
                    .get(end + 1..end + 3)
                    .is_some_and(|next| next.len() == 2 && (!same[end + 1] || !same[end + 2])))
        {
            end += 1;
        }
        let stop = (end + 1).min(words.len());
        pieces.push(words[start..stop].join(" ").trim_end_matches([',', '.', ';']).to_owned());
        at = stop;
    }
    Some(pieces)
}

fn mark_common_words(base: &[&str], words: &[&str]) -> Vec<bool> {
    let key = |w: &&str| {
        fold(w.trim_matches(|c: char| {
            matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')' | '"' | '\'' | '“' | '”')
        }))
    };
    let (a, b): (Vec<String>, Vec<String>) = (base.iter().map(key).collect(), words.iter().map(key).collect());
    let mut same = vec![false; b.len()];
    common_pairs(a.len(), b.len(), |i, j| a[i] == b[j]).iter().for_each(|(_, j)| same[*j] = true);
    same
}
