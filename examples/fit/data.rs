//! The rows that the fit sees, as each view shows them, with what their wording speaks for.

use crate::pairs::{self, Pair};
use crate::wording;
use memfold::analysis::{
    Reading, classifier,
    features::{Group, Sheet, features},
    ngram_weights::{self as weighed, NgramWeights},
};
use memfold::model::Category;

const FOLDS: usize = 5;
/// What of a row is shown. A memory entered by hand has no more than its text, so a second forest learns to do
/// without what may be missing.
pub const VIEWS: [(f64, &str); 4] =
    [(1.0, "all"), (0.5, "fields dropped at random"), (1.0, "bare texts"), (1.0, "as drafted from a mail")];

/// How often each decision is due among pairs that are alike enough to be compared.
const SHARES: [f64; 4] = [0.24, 0.28, 0.3, 0.18];
/// What a row of these hands weighs: few are theirs, and they write as people do.
const RARE: f64 = 2.0;
const RARE_HANDS: [&str; 5] = ["agent", "life", "notice", "same", "thread"];
/// What a row of the specification's own examples weighs: they say what is meant.
const SPECIFIED: f64 = 8.0;
/// What a row of the others weighs, which are many; those that were told by class count as one each.
const COMMON: f64 = 0.7;
/// The view of rows that lack some of their fields.
const DROPPED: usize = 1;
/// The view of rows that hold no metadata from the start.
const BARE_TEXTS: usize = 2;
/// The view of pairs that were made of others: fitted on, never measured; and what they weigh.
pub const CROSSED: usize = VIEWS.len();
const MADE: f64 = 0.6;
/// The view of pairs that have nothing to do with each other; and what they weigh.
pub const STRANGERS: usize = CROSSED + 1;
const STRANGE: f64 = 0.5;
/// What a row of the files `text-*` weighs: they are many, and came without the metadata that mail has.
const TEXT: f64 = 0.35;

/// A row as it is shown once.
pub struct Case {
    pub row: usize,
    pub view: usize,
    pub x: Vec<f32>,
    pub weight: f64,
    pub told: bool,
}

pub struct Data {
    pub rows: Vec<Pair>,
    /// How many of the rows were read; the others were made of them.
    pub given: usize,
    pub fold: Vec<usize>,
    pub folds: usize,
    pub cases: Vec<Case>,
    pub names: Vec<(&'static str, Group)>,
    /// For each row its traits, and what it weighs where the weights of words are fitted.
    pub traits: Vec<(Vec<u32>, f64)>,
    /// For each fold left out and each row what its wording speaks for, by weights that saw neither.
    pub said: Vec<Vec<[f32; 4]>>,
}

pub fn load(files: &[String], views: usize) -> Data {
    let mut rows = pairs::read(files);
    let given = rows.len();
    rows.extend(pairs::crossed(&rows));
    let mut fold = pairs::folds(&rows, FOLDS, 7);
    let paired = rows.len();
    for (pair, of) in pairs::strangers(&rows[..given], &fold[..given], 5) {
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
            // From row to row none to all of the fields are missing, so that no weight leans on one of them.
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
            // Of an elliptical reply the thread is all there is to go by.
            (s.people, s.subject, s.occurred_at, s.category) = (Vec::new(), None, None, Category::Misc);
        }
        s
    };
    let mut cases = Vec::new();
    let mut traits = vec![(Vec::new(), 0.0f64); rows.len()];
    let (mut read, mut compared, mut judged) = (0u128, 0u128, 0u128);
    for (view, (weight, _)) in VIEWS.iter().enumerate().take(views) {
        for (row, r) in rows.iter().enumerate() {
            let (made, strange, text) = (row >= given, row >= paired, r.is_text());
            if made && !strange && matches!(view, DROPPED | 3) || strange && view == DROPPED {
                continue;
            }
            // A row that came without entities has been shown already.
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
                std::hint::black_box(j.probabilities(&s.values, told));
                judged += t.elapsed().as_nanos();
            }
            if traits[row].0.is_empty() {
                traits[row].0 = weighed::traits(&ra, &rb, &alignment);
            }
            // Rows that came as bare texts are few, and are what memories entered by hand look like.
            let weight = match (view, told) {
                _ if text => TEXT * weight,
                (0, false) => 3.0,
                _ => *weight,
            };
            let (view, weight) = match view {
                _ if strange => (STRANGERS, STRANGE * weight),
                _ if made => (CROSSED, MADE * weight),
                0 if text => (BARE_TEXTS, weight),
                _ => (view, weight),
            };
            cases.push(Case { row, view, x: s.values, weight, told });
        }
    }
    // Some hands hold more of some decisions than others, and so do made pairs: each is weighted to the same shares.
    let group = |c: &Case| match rows[c.row].hand() {
        "told" => 0,
        hand if RARE_HANDS.contains(&hand) => 1,
        "seeds" => 3,
        _ => 2,
    };
    let source = |c: &Case| (group(c), rows[c.row].is_text(), c.told);
    let mut sums: std::collections::BTreeMap<_, [f64; 4]> = Default::default();
    for c in cases.iter().filter(|c| c.view != STRANGERS) {
        sums.entry(source(c)).or_default()[rows[c.row].label] += c.weight;
    }
    for c in cases.iter_mut().filter(|c| c.view != STRANGERS) {
        let of = &sums[&source(c)];
        let hand = [1.0, RARE, COMMON, SPECIFIED][group(c)];
        c.weight *= hand * SHARES[rows[c.row].label] * of.iter().sum::<f64>() / of[rows[c.row].label];
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

/// The bytes of the weights of words, fitted on all rows but those of two folds.
pub fn weigh_words(d: &Data, without: [usize; 2]) -> Vec<u8> {
    let of = (0..d.rows.len()).filter(|r| !without.contains(&d.fold[*r]) && d.traits[*r].1 > 0.0);
    let row = |r: usize| wording::Row { traits: &d.traits[r].0, label: d.rows[r].label, weight: d.traits[r].1 };
    wording::fit(&of.map(row).collect::<Vec<_>>())
}

/// What each row's wording speaks for, by weights that saw neither the row's fold nor the one that will be measured.
pub fn hear(d: &mut Data) {
    let mut said = vec![vec![[0.0; 4]; d.rows.len()]; d.folds];
    for f in 0..d.folds {
        for g in f..d.folds {
            let bytes = weigh_words(d, [f, g]);
            let w = NgramWeights::parse(&bytes).expect("weights");
            for (row, fold) in d.fold.iter().enumerate().filter(|(_, k)| **k == f || **k == g) {
                let measured = if *fold == f { g } else { f };
                said[measured][row] = w.scores(&d.traits[row].0);
            }
        }
    }
    d.said = said;
}

/// The features of a case as a forest sees them that is measured on a fold, or on none.
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
