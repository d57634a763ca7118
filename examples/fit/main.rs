//! Fits the local analyst on labelled pairs and reports its accuracy on held-out pairs.
//!
//! `fit FILES` holds out one annotator at a time and prints the accuracy on their pairs. Then it fits on all rows and
//! writes `weights.bin`, `ngram_weights.bin` and their figures to `src/analysis`.
//!
//! `check` only prints, and `quick` does so only for pairs with metadata. `folds` holds out a random fifth at a time,
//! so that every annotator is known. `errors` lists wrong decisions.
//! `combine ROWS.jsonl FILES` fits the combination of the trees and the encoder's head ([`combine`]).
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::too_many_arguments
)]

mod boost;
mod combine;
mod data;
mod measure;
mod pairs;
mod wording;

use boost::{Binned, Model, Options};
use data::{CROSSED, Data, UNRELATED, VIEWS, fit_ngram_weights, load, score_wording, shown};
use measure::Verdict;
use memfold::analysis::{
    RELATIONS, classifier,
    forest::{Forest, softmax},
};
use pairs::Pair;
use std::sync::atomic::{AtomicUsize, Ordering};

/// For pairs with entities.
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
/// For pairs with little more than their text.
const BARE: Options = Options { rounds: 105, rate: 0.12, leaves: 14, min_rows: 20, rows: 0.6, seed: 4, ..TOLD };
const RELATION: Options =
    Options { rounds: 50, rate: 0.1, leaves: 6, min_rows: 10, features: 0.2, rows: 0.8, seed: 2, ..TOLD };
const CONTRADICTION: Options = Options { leaves: 4, seed: 3, ..RELATION };
/// Required precision of sure answers, for every held-out annotator.
const SURE: f64 = 0.95;
/// Minimum answers by an annotator for their precision to count.
const FEW: usize = 20;
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

/// Raw scores of cases by forests fitted without their fold, in the order of `of`.
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
        let (forest, _) = Forest::parse(&bytes).expect("a forest");
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

/// The temperature that maximises the likelihood of the labels.
fn temperature(scores: &[&[f32]], y: &[usize]) -> f32 {
    let loss =
        |t: f32| -> f64 { scores.iter().zip(y).map(|(s, y)| -f64::from(softmax(s, t)[*y].max(1e-9)).ln()).sum() };
    (8..60).map(|n| n as f32 * 0.05).min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(1.0)
}

/// For each outcome, the lowest confidence from which the precision is sufficient for every annotator.
fn thresholds(p: &[[f64; 4]], y: &[usize], annotator: &[usize]) -> [f32; 4] {
    let annotators = annotator.iter().max().map_or(0, |h| h + 1);
    std::array::from_fn(|k| {
        let best = |p: &[f64; 4]| (0..4).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
        let mut of: Vec<usize> = (0..p.len()).filter(|n| best(&p[*n]) == k).collect();
        of.sort_by(|a, b| p[*b][k].total_cmp(&p[*a][k]));
        let (mut right, mut all, mut at) = (vec![0usize; annotators], vec![0usize; annotators], 1.01f64);
        for n in of {
            right[annotator[n]] += usize::from(y[n] == k);
            all[annotator[n]] += 1;
            let enough = |right: usize, all: usize| right as f64 >= SURE * all as f64;
            let each = right.iter().zip(&all).all(|(r, a)| *a < FEW || enough(*r, *a));
            if each && all.iter().sum::<usize>() >= FEW && enough(right.iter().sum(), all.iter().sum()) {
                at = p[n][k];
            }
        }
        at as f32
    })
}

/// Converts raw scores to verdicts.
#[derive(Clone, Copy)]
struct Scale {
    temperature: f32,
    sure: [f32; 4],
}

impl Scale {
    fn of(scores: &[&[f32]], y: &[usize], annotator: &[usize]) -> Self {
        let temperature = temperature(scores, y);
        let p: Vec<[f64; 4]> = scores.iter().map(|s| probabilities(s, temperature)).collect();
        Self { temperature, sure: thresholds(&p, y, annotator) }
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

/// Verdicts on these cases. Temperature and thresholds come from the other folds only.
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

/// Cross-validated verdicts on all cases, each by the forest that would be used.
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
        let annotator: Vec<usize> = measured.iter().map(|n| d.fold[d.cases[of[*n]].row]).collect();
        Scale::of(&measured.iter().map(|n| s[*n].as_slice()).collect::<Vec<_>>(), &y, &annotator)
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
    if let Some(("combine", rest)) = args.split_first().map(|(c, rest)| (c.as_str(), rest)) {
        return combine::run(rest);
    }
    let known = ["fit", "check", "quick", "folds", "errors"];
    let (command, files) = match args.split_first() {
        Some((c, rest)) if known.contains(&c.as_str()) => (c.as_str(), rest),
        Some(_) => ("fit", args.as_slice()),
        None => pairs::fail("usage: [fit|check|quick|folds|errors|combine ROWS] FILES…"),
    };
    let mut d = load(files, if matches!(command, "fit" | "check" | "folds") { VIEWS.len() } else { 1 });
    if command != "folds" {
        let annotators;
        (d.fold, annotators) = pairs::folds_by_annotator(&d.rows);
        d.folds = annotators.len();
    }
    score_wording(&mut d);
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
    let (rows_apart, verdicts_apart) = view(&d, &crossed, UNRELATED);
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
    let words = fit_ngram_weights(d, [usize::MAX; 2]);
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
