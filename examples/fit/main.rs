//! Fits the local analyst on labelled pairs and says how well it does on pairs it was not fitted on.
//!
//! `fit FILES` leaves out one hand at a time, prints how well the others decide its pairs, fits on all rows and writes
//! `weights.bin`, `ngram_weights.bin` and their figures to `src/analysis`;
//! `check` only prints, `quick` does so for pairs with their metadata alone; `folds` leaves out a fifth of all at a
//! time, so that every hand is known; `ablate` leaves out each group of features in turn; `errors` lists what was
//! decided wrong.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::too_many_arguments
)]

mod boost;
mod measure;
mod pairs;
mod wording;

use boost::{Binned, Model, Options};
use measure::Verdict;
use memfold::analysis::{
    RELATIONS, Reading, classifier,
    features::{Group, Sheet, features},
    forest::{Forest, softmax},
    ngram_weights::{self as weighed, NgramWeights},
};
use memfold::model::Category;
use pairs::Pair;
use std::sync::atomic::{AtomicUsize, Ordering};

const FOLDS: usize = 5;
/// Pairs that come with their entities.
const TOLD: Options = Options {
    rounds: 145,
    rate: 0.09,
    leaves: 18,
    min_rows: 15,
    features: 0.25,
    rows: 0.7,
    l2: 4.0,
    random_cuts: true,
    seed: 1,
};
/// Pairs of which there is little more than the text.
const BARE: Options = Options {
    rounds: 105,
    rate: 0.12,
    leaves: 14,
    min_rows: 20,
    features: 0.25,
    rows: 0.6,
    l2: 4.0,
    random_cuts: true,
    seed: 4,
};
const RELATION: Options = Options {
    rounds: 50,
    rate: 0.1,
    leaves: 6,
    min_rows: 10,
    features: 0.2,
    rows: 0.8,
    l2: 4.0,
    random_cuts: true,
    seed: 2,
};
const CONTRADICTION: Options = Options {
    rounds: 50,
    rate: 0.1,
    leaves: 4,
    min_rows: 10,
    features: 0.2,
    rows: 0.8,
    l2: 4.0,
    random_cuts: true,
    seed: 3,
};
/// How often a sure answer must be right on pairs of every hand that the weights never saw.
const SURE: f64 = 0.95;
/// So many answers of a hand say something.
const FEW: usize = 20;
/// What of a row is shown. A memory entered by hand has no more than its text, so a second forest learns to do
/// without what may be missing.
const VIEWS: [(f64, &str); 4] =
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
const CROSSED: usize = VIEWS.len();
const MADE: f64 = 0.6;
/// The view of pairs that have nothing to do with each other; and what they weigh.
const STRANGERS: usize = CROSSED + 1;
const STRANGE: f64 = 0.5;
/// What a row of the files `text-*` weighs: they are many, and came without the metadata that mail has.
const TEXT: f64 = 0.35;

/// A row as it is shown once.
struct Case {
    row: usize,
    view: usize,
    x: Vec<f32>,
    weight: f64,
    told: bool,
}

struct Data {
    rows: Vec<Pair>,
    /// How many of the rows were read; the others were made of them.
    given: usize,
    fold: Vec<usize>,
    folds: usize,
    cases: Vec<Case>,
    names: Vec<(String, Group)>,
    /// For each row its traits, and what it weighs where the weights of words are fitted.
    traits: Vec<(Vec<u32>, f64)>,
    /// For each fold left out and each row what its wording speaks for, by weights that saw neither.
    said: Vec<Vec<[f32; 4]>>,
}

fn load(files: &[String], views: usize) -> Data {
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
fn weigh_words(d: &Data, without: [usize; 2]) -> Vec<u8> {
    let of = (0..d.rows.len()).filter(|r| !without.contains(&d.fold[*r]) && d.traits[*r].1 > 0.0);
    let row = |r: usize| wording::Row { traits: &d.traits[r].0, label: d.rows[r].label, weight: d.traits[r].1 };
    wording::fit(&of.map(row).collect::<Vec<_>>())
}

/// What each row's wording speaks for, by weights that saw neither the row's fold nor the one that will be measured.
fn hear(d: &mut Data) {
    let mut said = vec![vec![[0.0; 4]; d.rows.len()]; d.folds];
    for f in 0..d.folds {
        for g in f..d.folds {
            let w = NgramWeights::parse(&weigh_words(d, [f, g])).expect("weights");
            for (row, fold) in d.fold.iter().enumerate().filter(|(_, k)| **k == f || **k == g) {
                let measured = if *fold == f { g } else { f };
                said[measured][row] = w.scores(&d.traits[row].0);
            }
        }
    }
    d.said = said;
}

/// The features of a case as a forest sees them that is measured on a fold, or on none.
fn shown(d: &Data, case: usize, measured: Option<usize>, mask: Option<&[bool]>) -> Vec<f32> {
    let c = &d.cases[case];
    let mut x = c.x.clone();
    let at = x.len() - weighed::NAMES.len();
    x[at..].copy_from_slice(&d.said[measured.unwrap_or(d.fold[c.row])][c.row]);
    masked(&x, mask)
}

type Label<'a> = &'a (dyn Fn(&Pair) -> usize + Sync);

fn fit_on(
    d: &Data,
    of: &[usize],
    y: Label<'_>,
    classes: usize,
    o: &Options,
    mask: Option<&[bool]>,
    measured: Option<usize>,
) -> (Model, Binned) {
    let x: Vec<Vec<f32>> = of.iter().map(|c| shown(d, *c, measured, mask)).collect();
    let x: Vec<&[f32]> = x.iter().map(Vec::as_slice).collect();
    let data = Binned::of(&x);
    let labels: Vec<usize> = of.iter().map(|c| y(&d.rows[d.cases[*c].row])).collect();
    let weight: Vec<f64> = of.iter().map(|c| d.cases[*c].weight).collect();
    (boost::fit(&data, &labels, &weight, classes, o), data)
}

fn masked(x: &[f32], mask: Option<&[bool]>) -> Vec<f32> {
    match mask {
        None => x.to_vec(),
        Some(m) => x.iter().zip(m).map(|(v, keep)| if *keep { *v } else { 0.0 }).collect(),
    }
}

/// Raw scores of these cases by forests that never saw their fold, in the order of `of`.
fn out_of_fold(
    d: &Data,
    of: &[usize],
    y: Label<'_>,
    classes: usize,
    o: &Options,
    mask: Option<&[bool]>,
) -> Vec<Vec<f32>> {
    let fold = |c: usize| d.fold[d.cases[c].row];
    let one = |f: usize| -> Vec<(usize, Vec<f32>)> {
        let train: Vec<usize> = of.iter().copied().filter(|c| fold(*c) != f).collect();
        let (model, data) = fit_on(d, &train, y, classes, o, mask, Some(f));
        let bytes = model.bytes(&data);
        let (forest, _) = Forest::parse(&bytes, &[]).expect("a forest");
        let held = of.iter().enumerate().filter(|(_, c)| fold(**c) == f);
        held.map(|(n, c)| (n, forest.scores(&shown(d, *c, Some(f), mask)))).collect()
    };
    let next = AtomicUsize::new(0);
    let work = || {
        let mut got = Vec::new();
        loop {
            let f = next.fetch_add(1, Ordering::Relaxed);
            if f >= d.folds {
                return got;
            }
            got.extend(one(f));
        }
    };
    let found: Vec<(usize, Vec<f32>)> = std::thread::scope(|s| {
        let workers: Vec<_> = (0..2).map(|_| s.spawn(work)).collect();
        workers.into_iter().flat_map(|w| w.join().expect("a fold")).collect()
    });
    let mut out = vec![Vec::new(); of.len()];
    for (n, s) in found {
        out[n] = s;
    }
    out
}

/// The temperature that makes these scores most likely.
fn temperature(scores: &[&[f32]], y: &[usize]) -> f32 {
    let loss =
        |t: f32| -> f64 { scores.iter().zip(y).map(|(s, y)| -f64::from(softmax(s, t)[*y].max(1e-9)).ln()).sum() };
    (8..60).map(|n| n as f32 * 0.05).min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(1.0)
}

/// For each outcome the lowest confidence from which on every hand was decided right often enough.
fn thresholds(p: &[[f64; 4]], y: &[usize], hand: &[usize]) -> [f32; 4] {
    let hands = hand.iter().max().map_or(0, |h| h + 1);
    std::array::from_fn(|k| {
        let best = |p: &[f64; 4]| (0..4).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
        let mut of: Vec<usize> = (0..p.len()).filter(|n| best(&p[*n]) == k).collect();
        of.sort_by(|a, b| p[*b][k].total_cmp(&p[*a][k]));
        let (mut right, mut all, mut at) = (vec![0usize; hands], vec![0usize; hands], 1.01f64);
        for n in of {
            right[hand[n]] += usize::from(y[n] == k);
            all[hand[n]] += 1;
            let enough = |right: usize, all: usize| right as f64 >= SURE * all as f64;
            let each = right.iter().zip(&all).all(|(r, a)| *a < FEW || enough(*r, *a));
            if each && all.iter().sum::<usize>() >= FEW && enough(right.iter().sum(), all.iter().sum()) {
                at = p[n][k];
            }
        }
        at as f32
    })
}

/// What turns raw scores into verdicts.
#[derive(Clone, Copy)]
struct Scale {
    temperature: f32,
    sure: [f32; 4],
}

impl Scale {
    fn of(scores: &[&[f32]], y: &[usize], hand: &[usize]) -> Self {
        let temperature = temperature(scores, y);
        let p: Vec<[f64; 4]> = scores.iter().map(|s| probabilities(s, temperature)).collect();
        Self { temperature, sure: thresholds(&p, y, hand) }
    }
    fn verdict(&self, scores: &[f32]) -> Verdict {
        let mut v = Verdict { p: probabilities(scores, self.temperature), sure: false };
        v.sure = v.confidence() >= f64::from(self.sure[v.label()]);
        v
    }
}

fn probabilities(scores: &[f32], t: f32) -> [f64; 4] {
    let p = softmax(scores, t);
    std::array::from_fn(|i| f64::from(p[i]))
}

/// Verdicts on these cases; temperature and thresholds come from the other folds only.
fn verdicts(d: &Data, of: &[usize], scores: &[Vec<f32>]) -> Vec<Verdict> {
    let fold = |n: usize| d.fold[d.cases[of[n]].row];
    let measured = |n: usize| d.cases[of[n]].view < CROSSED;
    let scales: Vec<Scale> = (0..d.folds)
        .map(|f| {
            let others: Vec<usize> = (0..of.len()).filter(|n| fold(*n) != f && measured(*n)).collect();
            let s: Vec<&[f32]> = others.iter().map(|n| scores[*n].as_slice()).collect();
            let y: Vec<usize> = others.iter().map(|n| d.rows[d.cases[of[*n]].row].label).collect();
            Scale::of(&s, &y, &others.iter().map(|n| fold(*n)).collect::<Vec<_>>())
        })
        .collect();
    (0..of.len()).map(|n| scales[fold(n)].verdict(&scores[n])).collect()
}

/// Cross-validated verdicts on every case, by the forest that would be asked.
fn cross_validate(d: &Data, mask: Option<&[bool]>, told_options: &Options) -> Crossed {
    let of = |told: bool| -> Vec<usize> { (0..d.cases.len()).filter(|c| d.cases[*c].told == told).collect() };
    let (told, bare) = (of(true), of(false));
    let s_told = out_of_fold(d, &told, &|r| r.label, 4, told_options, mask);
    let s_bare = if bare.is_empty() { Vec::new() } else { out_of_fold(d, &bare, &|r| r.label, 4, &BARE, mask) };
    let mut v = vec![Verdict { p: [0.25; 4], sure: false }; d.cases.len()];
    for (of, s) in [(&told, &s_told), (&bare, &s_bare)] {
        for (c, one) in of.iter().zip(verdicts(d, of, s)) {
            v[*c] = one;
        }
    }
    let scale = |of: &[usize], s: &[Vec<f32>]| {
        let measured: Vec<usize> = (0..of.len()).filter(|n| d.cases[of[*n]].view < CROSSED).collect();
        let y: Vec<usize> = measured.iter().map(|n| d.rows[d.cases[of[*n]].row].label).collect();
        let hand: Vec<usize> = measured.iter().map(|n| d.fold[d.cases[of[*n]].row]).collect();
        Scale::of(&measured.iter().map(|n| s[*n].as_slice()).collect::<Vec<_>>(), &y, &hand)
    };
    Crossed { scales: [scale(&told, &s_told), scale(&bare, &s_bare)], told, bare, verdicts: v }
}

struct Crossed {
    told: Vec<usize>,
    bare: Vec<usize>,
    scales: [Scale; 2],
    verdicts: Vec<Verdict>,
}

/// The rows and verdicts of a view.
fn view<'a>(d: &'a Data, c: &Crossed, view: usize) -> (Vec<&'a Pair>, Vec<Verdict>) {
    let of: Vec<usize> = (0..d.cases.len()).filter(|k| d.cases[*k].view == view).collect();
    (of.iter().map(|k| &d.rows[d.cases[*k].row]).collect(), of.iter().map(|k| c.verdicts[*k]).collect())
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let known = ["fit", "check", "quick", "folds", "ablate", "errors"];
    let (command, files) = match args.split_first() {
        Some((c, rest)) if known.contains(&c.as_str()) => (c.as_str(), rest),
        Some(_) => ("fit", args.as_slice()),
        None => pairs::fail("usage: [fit|check|quick|folds|ablate|errors] FILES…"),
    };
    let mut d = load(files, if matches!(command, "fit" | "check" | "folds") { VIEWS.len() } else { 1 });
    if command != "folds" {
        let hands;
        (d.fold, hands) = pairs::folds_by_hand(&d.rows);
        d.folds = hands.len();
    }
    hear(&mut d);
    if command == "ablate" {
        measure::header();
        // Rougher forests show the differences as well, in a third of the time.
        let rough = Options { rounds: TOLD.rounds / 3, rate: TOLD.rate * 2.0, ..TOLD };
        use Group::*;
        for g in [
            None,
            Some(Setting),
            Some(Entities),
            Some(Words),
            Some(Shape),
            Some(Values),
            Some(Cues),
            Some(Meaning),
            Some(Wording),
        ] {
            let mask: Vec<bool> = d.names.iter().map(|(_, n)| Some(*n) != g).collect();
            let (rows, v) = view(&d, &cross_validate(&d, Some(&mask), &rough), 0);
            measure::line(&g.map_or("all".into(), |g| format!("without {g:?}")), &measure::figures(&rows, &v));
        }
        return;
    }
    let crossed = cross_validate(&d, None, &TOLD);
    let (rows, v) = view(&d, &crossed, 0);
    if command == "errors" {
        return errors(&rows, &v);
    }
    let mut table = measure::table(&rows, &v);
    for (n, (_, name)) in VIEWS.iter().enumerate().skip(1) {
        let (rows, v) = view(&d, &crossed, n);
        if !rows.is_empty() {
            let f = measure::figures(&rows, &v);
            measure::line(name, &f);
            table.push(((*name).to_owned(), f));
        }
    }
    let (rows_apart, verdicts_apart) = view(&d, &crossed, STRANGERS);
    let f = measure::figures(&rows_apart, &verdicts_apart);
    measure::line("nothing in common", &f);
    table.push(("nothing in common".to_owned(), f));
    if command == "fit" {
        write_weights(&d, &crossed, table);
    }
}

fn relation_of(p: &Pair) -> Option<usize> {
    let name = p.relationship_type.as_deref()?;
    RELATIONS
        .iter()
        .position(|r| serde_json::to_value(r).ok().and_then(|v| v.as_str().map(|s| s == name)) == Some(true))
}

fn write_weights(d: &Data, crossed: &Crossed, table: Vec<(String, measure::Figures)>) {
    let all = |keep: &dyn Fn(&Pair) -> bool| -> Vec<usize> {
        (0..d.cases.len()).filter(|c| keep(&d.rows[d.cases[*c].row])).collect()
    };
    let linked = all(&|r| relation_of(r).is_some());
    let updates = all(&|r| r.label == 1);
    let relation = |r: &Pair| relation_of(r).unwrap_or(0);
    let denied = |r: &Pair| usize::from(r.conflict == "CONTRADICTION");
    let right = |of: &[usize], y: Label<'_>, classes: usize, o: &Options| {
        let s = out_of_fold(d, of, y, classes, o, None);
        let (mut n, mut ok) = (0.0f64, 0.0f64);
        for (c, s) in of.iter().zip(&s).filter(|(c, _)| d.cases[**c].view == 0) {
            n += 1.0;
            let best = (0..s.len()).max_by(|a, b| s[*a].total_cmp(&s[*b]));
            ok += f64::from(u8::from(best == Some(y(&d.rows[d.cases[*c].row]))));
        }
        (1e4 * ok / n.max(1.0)).round() / 1e4
    };
    let relation_right = right(&linked, &relation, RELATIONS.len(), &RELATION);
    let conflict_right = right(&updates, &denied, 2, &CONTRADICTION);
    println!(
        "link type right {:.1} %, conflict label of updates right {:.1} %",
        100.0 * relation_right,
        100.0 * conflict_right
    );
    let mut out = classifier::MAGIC.to_vec();
    out.extend(classifier::fingerprint().to_le_bytes());
    for s in crossed.scales {
        out.extend(s.temperature.to_le_bytes());
        for t in s.sure {
            out.extend(t.to_le_bytes());
        }
    }
    let mut put = |of: &[usize], y: Label<'_>, classes: usize, o: &Options| {
        let (m, b) = fit_on(d, of, y, classes, o, None, None);
        out.extend(m.bytes(&b));
    };
    put(&crossed.told, &|r| r.label, 4, &TOLD);
    put(&crossed.bare, &|r| r.label, 4, &BARE);
    put(&linked, &relation, RELATIONS.len(), &RELATION);
    put(&updates, &denied, 2, &CONTRADICTION);
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/analysis");
    let words = weigh_words(d, [usize::MAX; 2]);
    std::fs::write(format!("{dir}/weights.bin"), &out).expect("the weights can be written");
    std::fs::write(format!("{dir}/ngram_weights.bin"), &words).expect("the weights of words can be written");
    let parts: serde_json::Map<String, serde_json::Value> =
        table.into_iter().map(|(n, f)| (n, measure::rounded(&f))).collect();
    let figures = serde_json::json!({
        "rows": d.given, "features": d.names.len(), "bytes": out.len() + words.len(), "folds": d.folds,
        "linkType": relation_right, "conflictOfUpdates": conflict_right, "crossValidated": parts,
    });
    let text = serde_json::to_string_pretty(&figures).expect("json") + "\n";
    std::fs::write(format!("{dir}/weights.json"), text).expect("the figures can be written");
    println!(
        "{} and {} bytes of weights, sure from {:.2?} and {:.2?}",
        out.len(),
        words.len(),
        crossed.scales[0].sure,
        crossed.scales[1].sure
    );
}

fn errors(rows: &[&Pair], v: &[Verdict]) {
    for (r, v) in rows.iter().zip(v).filter(|(r, v)| v.label() != r.label) {
        println!(
            "{} {} → {} {:.2}{} {} {}\n   A {} | {:?} | {:?}\n   B {} | {:?} | {:?}",
            r.id,
            pairs::LABELS[r.label],
            pairs::LABELS[v.label()],
            v.confidence(),
            if v.sure { " sure" } else { "" },
            r.file,
            r.relationship_type.as_deref().unwrap_or(""),
            r.existing.content,
            r.existing.subject,
            r.existing.entities,
            r.new.content,
            r.new.subject,
            r.new.entities
        );
    }
}
