//! The training rows in each view, with their wording scores.

use crate::pairs::{self, Pair};
use crate::wording;
use memfold::analysis::{
    Reading, classifier,
    features::{Sheet, features},
    ngram_weights::{self as weighed, NgramWeights},
};
use memfold::model::Category;

const FOLDS: usize = 5;
/// The views of a row: the fields that are visible. A memory entered by hand has only its text, so a second forest
/// learns without the other fields.
pub const VIEWS: [(f64, &str); 4] =
    [(1.0, "all"), (0.5, "fields dropped at random"), (1.0, "bare texts"), (1.0, "as drafted from a mail")];

/// Target share of each decision among pairs similar enough to be compared.
const SHARES: [f64; 4] = [0.24, 0.28, 0.3, 0.18];
/// Weight of rows by these annotators, who are few but write naturally.
const RARE_WEIGHT: f64 = 2.0;
const RARE_ANNOTATORS: [&str; 5] = ["agent", "life", "notice", "same", "thread"];
/// Weight of the specification's own examples, which define the intended behaviour.
const SPECIFIED_WEIGHT: f64 = 8.0;
/// Weight of rows by the other annotators, who are many. Rows labelled by class count 1 each.
const COMMON_WEIGHT: f64 = 0.7;
/// The view in which some fields are dropped.
const DROPPED: usize = 1;
/// The view without metadata.
const BARE_TEXTS: usize = 2;
/// The view of pairs crossed from others, and their weight. They are fitted on but never measured.
pub const CROSSED: usize = VIEWS.len();
const DERIVED_WEIGHT: f64 = 0.6;
/// The view of unrelated pairs, and their weight.
pub const UNRELATED: usize = CROSSED + 1;
const UNRELATED_WEIGHT: f64 = 0.5;
/// Weight of a row of the files `text-*`, which are many and lack the metadata of mail.
const TEXT_WEIGHT: f64 = 0.35;

/// A row in one view.
pub struct Case {
    pub row: usize,
    pub view: usize,
    pub x: Vec<f32>,
    pub weight: f64,
    pub told: bool,
}

pub struct Data {
    pub rows: Vec<Pair>,
    /// How many rows were read; the others are derived from them.
    pub given: usize,
    pub fold: Vec<usize>,
    pub folds: usize,
    pub cases: Vec<Case>,
    pub names: Vec<&'static str>,
    /// For each row its hash buckets, and its weight when fitting n-gram weights.
    pub traits: Vec<(Vec<u32>, f64)>,
    /// For each measured fold and each row the wording scores, by weights fitted without the row's fold and the
    /// measured fold.
    pub said: Vec<Vec<[f32; 4]>>,
}

pub fn load(files: &[String], views: usize) -> Data {
    let mut rows = pairs::read(files);
    let given = rows.len();
    rows.extend(pairs::crossed(&rows));
    let mut fold = pairs::folds(&rows, FOLDS, 7);
    let paired = rows.len();
    for (pair, of) in pairs::unrelated_pairs(&rows[..given], &fold[..given], 5) {
        rows.push(pair);
        fold.push(of);
    }
    if given < 50 {
        pairs::fail("too few rows to fit on");
    }
    let mut rng = pairs::Rng(13);
    let mut side = |s: &pairs::Side, view: usize, share: usize| {
        let mut s = if view == 3 { s.drafted() } else { s.clone() };
        if view == DROPPED {
            // The share of dropped fields varies by row from none to all, so that no weight relies on one field.
            let mut drop = || rng.below(100) < share;
            let gone = [drop(), drop(), drop(), drop(), drop(), drop()];
            let dropped = pairs::Side::default();
            if gone[0] {
                s.entities = dropped.entities;
            }
            if gone[1] {
                s.people = dropped.people;
            }
            if gone[2] {
                s.subject = None;
            }
            if gone[3] {
                s.thread_id = None;
            }
            if gone[4] {
                (s.occurred_at, s.stated_at) = (None, None);
            }
            if gone[5] {
                s.category = Category::Misc;
            }
        }
        if view == BARE_TEXTS {
            s.entities.clear();
        }
        if view == BARE_TEXTS {
            // The thread stays: without it, elliptical replies could not be classified.
            (s.people, s.subject, s.occurred_at, s.category) = (Vec::new(), None, None, Category::Misc);
        }
        s
    };
    let mut cases = Vec::new();
    let mut traits = vec![(Vec::new(), 0.0f64); rows.len()];
    let (mut read, mut compared, mut judged) = (0u128, 0u128, 0u128);
    for (view, (weight, _)) in VIEWS.iter().enumerate().take(views) {
        for (row, r) in rows.iter().enumerate() {
            let (made, unrelated, text) = (row >= given, row >= paired, r.is_text());
            if made && !unrelated && matches!(view, DROPPED | 3) || unrelated && view == DROPPED {
                continue;
            }
            // A row without entities was already added in another view.
            if matches!(view, DROPPED | BARE_TEXTS) && (r.existing.entities.is_empty() || r.new.entities.is_empty()) {
                continue;
            }
            let share = 10 * (row % 11);
            let (a, b) = (side(&r.existing, view, share), side(&r.new, view, share));
            let told = !a.entities.is_empty() && !b.entities.is_empty();
            let t = std::time::Instant::now();
            let (ra, rb) = (Reading::of(&a.statement()), Reading::of(&b.statement()));
            read += t.elapsed().as_nanos();
            let t = std::time::Instant::now();
            let mut s = Sheet::default();
            let (alignment, _) = features(&ra, &rb, &mut s);
            compared += t.elapsed().as_nanos();
            if let Some(j) = classifier::classifier() {
                let t = std::time::Instant::now();
                std::hint::black_box(j.decider(told).probabilities(&s.values));
                judged += t.elapsed().as_nanos();
            }
            if traits[row].0.is_empty() {
                traits[row].0 = weighed::traits(&ra, &rb, &alignment);
            }
            // Few rows came as bare texts, but memories entered by hand look like them.
            let weight = match (view, told) {
                _ if text => TEXT_WEIGHT * weight,
                (0, false) => 3.0,
                _ => *weight,
            };
            let (view, weight) = match view {
                _ if unrelated => (UNRELATED, UNRELATED_WEIGHT * weight),
                _ if made => (CROSSED, DERIVED_WEIGHT * weight),
                0 if text => (BARE_TEXTS, weight),
                _ => (view, weight),
            };
            cases.push(Case { row, view, x: s.values, weight, told });
        }
    }
    // Annotators and derived pairs have different shares of decisions, so each source is reweighted to the target
    // shares.
    let group = |c: &Case| match rows[c.row].annotator() {
        "told" => 0,
        annotator if RARE_ANNOTATORS.contains(&annotator) => 1,
        "seeds" => 3,
        _ => 2,
    };
    let source = |c: &Case| (group(c), rows[c.row].is_text(), c.told);
    let mut sums: std::collections::BTreeMap<_, [f64; 4]> = Default::default();
    for c in cases.iter().filter(|c| c.view != UNRELATED) {
        sums.entry(source(c)).or_default()[rows[c.row].label] += c.weight;
    }
    for c in cases.iter_mut().filter(|c| c.view != UNRELATED) {
        let of = &sums[&source(c)];
        let source_weight = [1.0, RARE_WEIGHT, COMMON_WEIGHT, SPECIFIED_WEIGHT][group(c)];
        c.weight *= source_weight * SHARES[rows[c.row].label] * of.iter().sum::<f64>() / of[rows[c.row].label];
    }
    for c in &cases {
        traits[c.row].1 = traits[c.row].1.max(c.weight);
    }
    let micros = |n: u128| n as f64 / 1e3 / cases.len() as f64;
    eprintln!(
        "{} rows, {} features; µs a pair: {:.1} to read both, {:.1} to compare, {:.1} to judge",
        rows.len(),
        cases[0].x.len(),
        micros(read),
        micros(compared),
        micros(judged)
    );
    Data { rows, given, fold, folds: FOLDS, cases, names: classifier::names(), traits, said: Vec::new() }
}

/// Fits n-gram weights on all rows except those of two folds, as bytes.
pub fn fit_ngram_weights(d: &Data, without: [usize; 2]) -> Vec<u8> {
    let of = (0..d.rows.len()).filter(|r| !without.contains(&d.fold[*r]) && d.traits[*r].1 > 0.0);
    let row = |r: usize| wording::Row { traits: &d.traits[r].0, label: d.rows[r].label, weight: d.traits[r].1 };
    wording::fit(&of.map(row).collect::<Vec<_>>())
}

/// Scores the wording of each row by weights fitted without its fold and without the measured fold.
pub fn score_wording(d: &mut Data) {
    let mut said = vec![vec![[0.0; 4]; d.rows.len()]; d.folds];
    for f in 0..d.folds {
        for g in f..d.folds {
            let bytes = fit_ngram_weights(d, [f, g]);
            let w = NgramWeights::parse(&bytes).expect("weights");
            for (row, fold) in d.fold.iter().enumerate().filter(|(_, k)| **k == f || **k == g) {
                let measured = if *fold == f { g } else { f };
                said[measured][row] = w.scores(&d.traits[row].0);
            }
        }
    }
    d.said = said;
}

/// The features of a case for a forest that is measured on this fold, or on none.
pub fn shown(d: &Data, case: usize, measured: Option<usize>, mask: Option<&[bool]>) -> Vec<f32> {
    let c = &d.cases[case];
    let mut x = c.x.clone();
    let at = x.len() - weighed::NAMES.len();
    x[at..].copy_from_slice(&d.said[measured.unwrap_or(d.fold[c.row])][c.row]);
    masked(&x, mask)
}

fn masked(x: &[f32], mask: Option<&[bool]>) -> Vec<f32> {
    match mask {
        None => x.to_vec(),
        Some(m) => x.iter().zip(m).map(|(v, keep)| if *keep { *v } else { 0.0 }).collect(),
    }
}
