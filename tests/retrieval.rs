//! Asking in other words: `tests/cases/retrieval.jsonl` holds notes and, for each, a question that shares few of its
//! words. Search must beat BM25 over words and character bigrams; the figures are printed (`--no-capture`).

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "kit/faults.rs"]
mod faults;
mod kit;

use faults::Faulty;
use futures::executor::block_on;
use memfold::consolidation::{ChangeSet, LogEntry};
use memfold::decision::Policy;
use memfold::embed::HashingEmbedder;
use memfold::engine::{Consolidate, Engine, SearchOptions};
use memfold::model::{Draft, Ids, Memory, Time};
use memfold::store::{MemoryStore, Store};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    lang: String,
    note: String,
    ask: String,
}

fn cases() -> Vec<Case> {
    include_str!("cases/retrieval.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Lower-case words, and the pairs of characters in each.
fn grams(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for word in memfold::language::fold(text).split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
        all.push(word.to_owned());
        let chars: Vec<char> = word.chars().collect();
        all.extend(chars.windows(2).map(|two| two.iter().collect()));
    }
    all
}

/// The places of the notes by BM25, best first.
fn bm25(notes: &[Vec<String>], ask: &str) -> Vec<usize> {
    let average = notes.iter().map(Vec::len).sum::<usize>() as f64 / notes.len() as f64;
    let mut terms = grams(ask);
    terms.sort_unstable();
    terms.dedup();
    let mut scores = vec![0.0f64; notes.len()];
    for term in terms {
        let counts: Vec<usize> = notes.iter().map(|n| n.iter().filter(|t| **t == term).count()).collect();
        let n = counts.iter().filter(|c| **c > 0).count() as f64;
        let idf = (1.0 + (notes.len() as f64 - n + 0.5) / (n + 0.5)).ln();
        for (score, (count, note)) in scores.iter_mut().zip(counts.iter().zip(notes)) {
            let count = *count as f64;
            *score += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * note.len() as f64 / average));
        }
    }
    let mut order: Vec<usize> = (0..notes.len()).filter(|n| scores[*n] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order
}

/// An engine over these notes, and their memories in the same order.
fn remembering(notes: &[&Case]) -> (Engine<MemoryStore, HashingEmbedder, kit::Fake>, Vec<Memory>) {
    let now = Time::from_millis(1_741_000_000_000);
    let mut ids = Ids::new(now, [5; 16]);
    let memories: Vec<Memory> =
        notes.iter().map(|c| Memory::from_draft(ids.mint(), Draft::new(c.note.clone()), now)).collect();
    let store = MemoryStore::default();
    let set = ChangeSet { memories: memories.clone(), ..ChangeSet::new(LogEntry::new(ids.mint(), now, "u", "")) };
    block_on(store.commit(set)).unwrap();
    (kit::real(store, Policy::BALANCED, 0), memories)
}

#[test]
fn a_search_asks_the_store_once_or_twice_and_finds_what_reading_all_would() {
    let now = Time::from_millis(1_741_000_000_000);
    let cases: Vec<Case> = cases().into_iter().take(30).collect();
    // They have faded by as much as they are old, so that the likest are not the first.
    let told = |n: usize| now.plus_millis(-(n as i64 * 7 % 30) * 40 * 86_400_000);
    let mut ids = Ids::new(told(29), [5; 16]);
    let memory = |(n, c): (usize, &Case)| Memory::from_draft(ids.mint(), Draft::new(c.note.clone()), told(n));
    let memories: Vec<Memory> = cases.iter().enumerate().map(memory).collect();
    let (store, set) = (MemoryStore::default(), ChangeSet::new(LogEntry::new(ids.mint(), now, "u", "")));
    block_on(store.commit(ChangeSet { memories, ..set })).unwrap();
    let (faulty, left) = Faulty::new(store.connect(), u64::MAX, false);
    let engine = kit::real(faulty, Policy::BALANCED, 0);
    let mut once = 0;
    for case in &cases {
        let ask = |k| {
            left.set(100);
            let options = SearchOptions { k: Some(k), now: Some(now), ..SearchOptions::default() };
            let hits = block_on(engine.search(&format!("{} 2025", case.ask), &options)).unwrap();
            (hits.into_iter().map(|h| (h.memory.id, h.score)).collect::<Vec<_>>(), 100 - left.get())
        };
        let ((few, calls), (mut all, _)) = (ask(3), ask(30));
        all.truncate(3);
        assert_eq!(few, all, "{}", case.ask);
        // What others have written, and the memories; those that the first of them leave open.
        assert!((2..=3).contains(&calls), "{calls}: {}", case.ask);
        once += u32::from(calls == 2);
    }
    assert!(once > 10, "{once}");
}

#[test]
fn what_another_writes_between_two_searches_is_found() {
    let store = MemoryStore::default();
    let (one, two) = (kit::real(store.connect(), Policy::BALANCED, 0), kit::real(store, Policy::BALANCED, 9_000));
    let found = |text: &str| block_on(one.search(text, &SearchOptions::default())).unwrap().len();
    for text in ["Borealis backup runs at 02:00", "The contract with Linden was signed"] {
        assert_eq!(found(text), 0);
        block_on(two.consolidate(Draft::new(text), &Consolidate::default())).unwrap();
        assert_eq!(found(text), 1);
    }
}

#[test]
fn search_beats_words_and_character_pairs() {
    let cases = cases();
    for lang in ["ko", "en", "mixed"] {
        // The notes of the two languages tell of like things; those of mixed questions are among all of them.
        let cases: Vec<&Case> = cases.iter().filter(|c| lang == "mixed" || c.lang == lang).collect();
        let (engine, memories) = remembering(&cases);
        let notes: Vec<Vec<String>> = cases.iter().map(|c| grams(&c.note)).collect();
        let [mut asked, mut first, mut three, mut their_first, mut their_three] = [0u32; 5];
        for (n, case) in cases.iter().enumerate().filter(|(_, c)| c.lang == lang) {
            let options = SearchOptions { k: Some(3), ..SearchOptions::default() };
            let found = block_on(engine.search(&case.ask, &options)).unwrap();
            let ours = found.iter().position(|h| h.memory.id == memories[n].id);
            let theirs = bm25(&notes, &case.ask).into_iter().take(3).position(|at| at == n);
            asked += 1;
            first += u32::from(ours == Some(0));
            three += u32::from(ours.is_some());
            their_first += u32::from(theirs == Some(0));
            their_three += u32::from(theirs.is_some());
            if ours.is_none() {
                println!("{} → {}", case.ask, found.first().map_or("nothing", |h| &h.memory.content));
            }
        }
        let share = |n: u32| f64::from(n) / f64::from(asked);
        println!(
            "{lang:6} {asked:3} questions: R@1 {:.2} (BM25 {:.2}), R@3 {:.2} (BM25 {:.2})",
            share(first),
            share(their_first),
            share(three),
            share(their_three)
        );
        assert!(first > their_first && three > their_three, "{lang}");
    }
}
