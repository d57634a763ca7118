//! Search must beat BM25 over words and character bigrams, for rephrased questions (`tests/cases/retrieval.jsonl`)
//! and for updates and paraphrases of a note (`tests/eval/pairs`). `--no-capture` prints the figures.

use crate::faults::Faulty;
use crate::kit;
use futures::executor::block_on;
use memfold::consolidation::{ChangeSet, LogEntry};
use memfold::decision::Policy;
use memfold::engine::{Consolidate, Engine, Nothing, SearchOptions};
use memfold::model::{Draft, Id, Ids, Memory, Time};
use memfold::store::{MemoryStore, Store};
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Deserialize)]
struct Case {
    lang: String,
    note: String,
    ask: String,
}

fn cases() -> Vec<Case> {
    include_str!("../cases/retrieval.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Lower-case words and their character bigrams.
fn grams(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for word in memfold::language::fold(text).split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
        all.push(word.to_owned());
        let chars: Vec<char> = word.chars().collect();
        all.extend(chars.windows(2).map(|two| two.iter().collect()));
    }
    all
}

/// A BM25 index of notes.
struct Baseline {
    notes: Vec<(HashMap<String, f64>, f64)>,
    average: f64,
}

impl Baseline {
    fn new(notes: &[&str]) -> Self {
        let counted = |text: &&str| {
            let mut counts = HashMap::new();
            let grams = grams(text);
            let length = grams.len() as f64;
            grams.into_iter().for_each(|gram| *counts.entry(gram).or_default() += 1.0);
            (counts, length)
        };
        let notes: Vec<(HashMap<String, f64>, f64)> = notes.iter().map(counted).collect();
        let average = notes.iter().map(|n| n.1).sum::<f64>() / notes.len() as f64;
        Self { notes, average }
    }

    /// Indices of the matching notes, best first.
    fn ranked(&self, ask: &str) -> Vec<usize> {
        let mut terms = grams(ask);
        terms.sort_unstable();
        terms.dedup();
        let mut scores = vec![0.0f64; self.notes.len()];
        for term in terms {
            let n = self.notes.iter().filter(|(counts, _)| counts.contains_key(&term)).count() as f64;
            let idf = (1.0 + (self.notes.len() as f64 - n + 0.5) / (n + 0.5)).ln();
            for (score, (counts, length)) in scores.iter_mut().zip(&self.notes) {
                let count = counts.get(&term).copied().unwrap_or(0.0);
                *score += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / self.average));
            }
        }
        let mut order: Vec<usize> = (0..self.notes.len()).filter(|n| scores[*n] > 0.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        order
    }
}

/// An engine over these notes, and their ids in the same order.
fn engine_with_notes(notes: &[&str]) -> (Engine, Vec<Id>) {
    let now = Time::from_millis(1_741_000_000_000);
    let mut ids = Ids::new(now, [5; 16]);
    let memories: Vec<Memory> =
        notes.iter().map(|note| Memory::from_draft(ids.mint(), Draft::new(*note), now)).collect();
    let places = memories.iter().map(|m| m.id).collect();
    let store = MemoryStore::default();
    let set = ChangeSet { memories, ..ChangeSet::new(LogEntry::new(ids.mint(), now, "u", "")) };
    block_on(store.commit(set)).unwrap();
    (kit::real(store, Policy::BALANCED, 0), places)
}

#[test]
fn a_search_takes_few_store_calls_and_ranks_like_a_full_scan() {
    let now = Time::from_millis(1_741_000_000_000);
    let cases: Vec<Case> = cases().into_iter().take(30).collect();
    // Strength fades with age, so the most similar memory is not always first.
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
            let options = SearchOptions { limit: Some(k), now: Some(now), ..SearchOptions::default() };
            let hits = block_on(engine.search(&format!("{} 2025", case.ask), &options)).unwrap();
            (hits.into_iter().map(|h| (h.memory.id, h.score)).collect::<Vec<_>>(), 100 - left.get())
        };
        let ((few, calls), (mut all, _)) = (ask(3), ask(30));
        all.truncate(3);
        assert_eq!(few, all, "{}", case.ask);
        // The last commit, then candidates, then further candidates, then what the hits depend on.
        assert!((1..=4).contains(&calls), "{calls}: {}", case.ask);
        once += u32::from(calls <= 3);
    }
    assert!(once > 25, "{once}");
}

#[test]
fn writes_by_another_connection_are_found_by_the_next_search() {
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
fn shared_letters_alone_are_no_hit() {
    let notes = [
        "The tax return must be filed by 31 January or there is a 100 pound fine",
        "The caterer needs the final headcount ten days before the wedding",
        "구미 물류센터 임대료가 월 900만원으로 올랐다",
    ];
    let (engine, _) = engine_with_notes(&notes);
    let answer = |ask: &str| block_on(engine.answer(ask, &SearchOptions::default())).unwrap();
    for ask in ["When is the violin recital?", "What colour is the umbrella?", "천문대 망원경"] {
        let found = answer(ask);
        assert_eq!((found.hits.len(), found.nothing), (0, Some(Nothing::NothingLikeIt)), "{ask}");
    }
    // A shared word, a translation, a name, a number and a misspelling.
    for ask in ["wedding invitations", "세금", "구미", "900", "the catterer"] {
        assert_eq!(answer(ask).hits.len(), 1, "{ask}");
    }
}

/// Counts questions whose note ranks first and in the top three, for search and for BM25.
fn count_hits(name: &str, notes: &[&str], asks: &[(&str, usize)]) -> [[u32; 2]; 2] {
    let (engine, ids) = engine_with_notes(notes);
    let baseline = Baseline::new(notes);
    let mut found = [[0u32; 2]; 2];
    for (ask, note) in asks {
        let options = SearchOptions { limit: Some(3), ..SearchOptions::default() };
        let hits = block_on(engine.search(ask, &options)).unwrap();
        let ours = hits.iter().position(|h| h.memory.id == ids[*note]);
        let theirs = baseline.ranked(ask).into_iter().take(3).position(|at| at == *note);
        for ([first, three], place) in found.iter_mut().zip([ours, theirs]) {
            *first += u32::from(place == Some(0));
            *three += u32::from(place.is_some());
        }
        if ours.is_none() {
            println!("{ask} → {}", hits.first().map_or("nothing", |h| &h.memory.content));
        }
    }
    let [ours, theirs] = found.map(|f| f.map(|n| f64::from(n) / asks.len() as f64));
    println!(
        "{name:14} {:3} questions: R@1 {:.2} (BM25 {:.2}), R@3 {:.2} (BM25 {:.2})",
        asks.len(),
        ours[0],
        theirs[0],
        ours[1],
        theirs[1]
    );
    found
}

#[test]
fn rephrased_questions_beat_bm25() {
    let cases = cases();
    for lang in ["ko", "en", "mixed"] {
        // Both languages have notes on similar topics; mixed questions search all notes.
        let cases: Vec<&Case> = cases.iter().filter(|c| lang == "mixed" || c.lang == lang).collect();
        let notes: Vec<&str> = cases.iter().map(|c| c.note.as_str()).collect();
        let asks: Vec<(&str, usize)> =
            cases.iter().enumerate().filter(|(_, c)| c.lang == lang).map(|(n, c)| (c.ask.as_str(), n)).collect();
        let [ours, theirs] = count_hits(lang, &notes, &asks);
        assert!(ours[0] > theirs[0] && ours[1] > theirs[1], "{lang}");
    }
}

#[derive(Deserialize)]
struct Pair {
    existing: PairText,
    new: PairText,
    expected: String,
}

#[derive(Deserialize)]
struct PairText {
    content: String,
}

/// Whether a note is in the held-out half, which was not used to tune the term weights.
fn is_held_out(note: &str) -> bool {
    note.chars().fold(0u32, |n, c| n.wrapping_mul(31).wrapping_add(u32::from(c))) >> 7 & 1 == 1
}

#[test]
fn updates_and_paraphrases_beat_bm25() {
    for lang in ["ko", "en"] {
        let mut pairs: Vec<Pair> = Vec::new();
        for kind in ["", "-personal", "-services", "-work"] {
            let file = format!("{}/tests/eval/pairs/pairs-{lang}{kind}.jsonl", env!("CARGO_MANIFEST_DIR"));
            let rows = std::fs::read_to_string(file).unwrap();
            pairs.extend(rows.lines().map(|l| serde_json::from_str::<Pair>(l).unwrap()));
        }
        let mut notes: Vec<&str> = pairs.iter().map(|p| p.existing.content.as_str()).collect();
        notes.sort_unstable();
        notes.dedup();
        // The required lead over BM25 in percentage points, slightly below the measured one.
        for (expected, ahead) in [("UPDATE", 4), ("SKIP", 1)] {
            let of = |p: &Pair| notes.binary_search(&p.existing.content.as_str()).unwrap();
            let asks: Vec<(&str, usize)> = pairs
                .iter()
                .filter(|p| p.expected == expected && is_held_out(&p.existing.content))
                .map(|p| (p.new.content.as_str(), of(p)))
                .collect();
            let [ours, theirs] = count_hits(&format!("{lang} {expected}"), &notes, &asks);
            assert!(100 * ours[0] >= 100 * theirs[0] + ahead * asks.len() as u32, "{lang} {expected}");
            assert!(ours[1] >= theirs[1], "{lang} {expected}");
        }
    }
}
