//! Labelled pairs from JSON Lines files, and the folds of cross-validation.

use memfold::model::{Category, Statement, Time};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One side of a pair.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Side {
    pub content: String,
    #[serde(default)]
    pub category: Category,
    #[serde(default)]
    pub subject: Option<String>,
    #[serde(default)]
    pub thread_id: Option<String>,
    #[serde(default)]
    pub people: Vec<String>,
    #[serde(default)]
    pub entities: Vec<String>,
    #[serde(default)]
    pub occurred_at: Option<Time>,
}

impl Side {
    pub fn statement(&self) -> Statement<'_> {
        Statement {
            content: &self.content,
            category: self.category,
            subject: self.subject.as_deref(),
            thread_id: self.thread_id.as_deref(),
            people: &self.people,
            entities: &self.entities,
            occurred_at: self.occurred_at,
            stated_at: None,
        }
    }
}

/// One row.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    pub id: String,
    #[serde(default)]
    pub lang: String,
    #[serde(default)]
    pub hard: bool,
    #[serde(default)]
    pub group: Option<String>,
    pub existing: Side,
    pub new: Side,
    pub expected: String,
    #[serde(default)]
    pub relationship_type: Option<String>,
    #[serde(default)]
    pub conflict: String,
    #[serde(skip)]
    pub file: String,
    #[serde(skip)]
    pub label: usize,
}

pub const LABELS: [&str; 4] = ["SKIP", "UPDATE", "CREATE_AND_LINK", "CREATE"];

/// Reads every file; a bad line ends the program with its place.
pub fn read(files: &[String]) -> Vec<Pair> {
    let mut rows = Vec::new();
    for file in files {
        let text = match std::fs::read_to_string(file) {
            Ok(t) => t,
            Err(e) => fail(&format!("{file}: {e}")),
        };
        for (n, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let mut p: Pair = match serde_json::from_str(line) {
                Ok(p) => p,
                Err(e) => fail(&format!("{file}:{}: {e}", n + 1)),
            };
            p.label = match LABELS.iter().position(|l| *l == p.expected) {
                Some(l) => l,
                None => fail(&format!("{file}:{}: `{}` is not a decision", n + 1, p.expected)),
            };
            p.file = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".jsonl").to_owned();
            rows.push(p);
        }
    }
    rows
}

pub fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(2)
}

/// A fold for each row: rows that share an `existing` text, or a group, are never apart.
pub fn folds(rows: &[Pair], k: usize, seed: u64) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..rows.len()).collect();
    fn root(p: &mut [usize], mut i: usize) -> usize {
        while p[i] != i {
            p[i] = p[p[i]];
            i = p[i];
        }
        i
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (i, r) in rows.iter().enumerate() {
        let mut keys = vec![r.existing.content.clone(), r.new.content.clone()];
        if let Some(g) = &r.group {
            keys.push(format!("{}/{g}", r.file));
        }
        for key in keys {
            let j = *seen.entry(key).or_insert(i);
            let (x, y) = (root(&mut parent, i), root(&mut parent, j));
            parent[x] = y;
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in 0..rows.len() {
        let r = root(&mut parent, i);
        groups.entry(r).or_default().push(i);
    }
    let mut order: Vec<Vec<usize>> = groups.into_values().collect();
    let mut rng = Rng(seed);
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i + 1));
    }
    let mut fold = vec![0; rows.len()];
    for (n, g) in order.iter().enumerate() {
        for i in g {
            fold[*i] = n % k;
        }
    }
    fold
}

/// One fold a file.
pub fn folds_by_file(rows: &[Pair]) -> (Vec<usize>, usize) {
    let mut files: Vec<&str> = rows.iter().map(|r| r.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    (rows.iter().map(|r| files.binary_search(&r.file.as_str()).unwrap_or(0)).collect(), files.len())
}

/// A small deterministic generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}
