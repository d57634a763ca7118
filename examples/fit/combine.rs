//! Fits the combination of the trees and the encoder's head on pairs that neither was trained on.
//!
//! Rows hold the head's log probabilities on pairs held out of its training (`examples/head/train.py`). The trees
//! hold out the same pairs: whole files like the head, or else groups. Held-out sets are reported but never fitted
//! on.

use crate::data::{Data, load, score_wording};
use crate::measure::Verdict;
use crate::pairs::{self, Pair};
use crate::{Crossed, SURE, TOLD, cross_validate, thresholds};
use memfold::analysis::Reading;
use memfold::analysis::classifier;
use memfold::analysis::features::{Sheet, features};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Lower bound of a probability, as in `analysis::head`.
const LEAST: f64 = 1e-4;

/// Number of folds for files that were held out by groups.
const BY_GROUPS: usize = 3;

/// A pair with its combined verdict.
type Shown<'a> = (&'a Case, Verdict);
type Answer<'a> = &'a dyn Fn(&Shown<'_>) -> usize;

/// The prefix of the names of mailbox sets.
const MAIL: &str = "mail:";

#[derive(Deserialize)]
struct Row {
    file: String,
    line: usize,
    expected: String,
    log: [f64; 4],
}

/// A pair with the answers of both models. Cases with the same `fold` are held out together.
struct Case {
    set: String,
    fold: usize,
    label: usize,
    trees: Verdict,
    head: [f64; 4],
}

/// `TREES`, `HEAD` and `BIAS` of `analysis::head_weights`. The bias of CREATE is 0.
#[derive(Clone, Copy)]
struct Weights([f64; 5]);

impl Weights {
    fn p(&self, trees: &[f64; 4], head: &[f64; 4]) -> [f64; 4] {
        let Self([a, b, bias @ ..]) = self;
        let score =
            |n: usize| a * trees[n].max(LEAST).ln() + b * head[n].max(LEAST.ln()) + bias.get(n).copied().unwrap_or(0.0);
        let scores: [f64; 4] = std::array::from_fn(score);
        let top = scores.into_iter().fold(f64::MIN, f64::max);
        let sum: f64 = scores.iter().map(|s| (s - top).exp()).sum();
        scores.map(|s| (s - top).exp() / sum)
    }

    fn of(&self, case: &Case) -> [f64; 4] {
        self.p(&case.trees.p, &case.head)
    }

    /// Maximises the likelihood of the labels by coordinate descent with halving steps.
    fn fit(cases: &[&Case]) -> Self {
        let loss = |w: &Self| -> f64 { cases.iter().map(|c| -w.of(c)[c.label].ln()).sum() };
        let mut best = Self([0.5, 0.5, 0.0, 0.0, 0.0]);
        let (mut least, mut step) = (loss(&best), 0.25);
        while step > 5e-4 {
            let mut moved = false;
            for n in 0..best.0.len() {
                for by in [step, -step] {
                    let mut next = best;
                    next.0[n] += by;
                    let found = loss(&next);
                    if found < least {
                        (best, least, moved) = (next, found, true);
                    }
                }
            }
            if !moved {
                step /= 2.0;
            }
        }
        best
    }
}

/// The fitted weights, with the thresholds at which sure answers reach the required precision.
fn fitted(cases: &[&Case]) -> (Weights, [f32; 4]) {
    let weights = Weights::fit(cases);
    let p: Vec<[f64; 4]> = cases.iter().map(|c| weights.of(c)).collect();
    let y: Vec<usize> = cases.iter().map(|c| c.label).collect();
    let mut sets: Vec<&str> = cases.iter().map(|c| c.set.as_str()).collect();
    sets.sort_unstable();
    sets.dedup();
    let set: Vec<usize> = cases.iter().map(|c| sets.binary_search(&c.set.as_str()).unwrap_or(0)).collect();
    (weights, thresholds(&p, &y, &set))
}

fn verdict(case: &Case, (weights, sure): &(Weights, [f32; 4])) -> Verdict {
    let mut v = Verdict { p: weights.of(case), sure: false };
    v.sure = v.confidence() >= f64::from(sure[v.label()]);
    v
}

/// The set that a pair is reported in: its file if held out as a whole, or else its annotator.
fn set_of(pair: &Pair, whole: &[String]) -> String {
    let name = pair.file.trim_end_matches(".pairs");
    let of_pairs = || if pair.lang == "ko" { "pairs ko" } else { "pairs en" };
    match pair.annotator() {
        "mailboxes" if whole.iter().any(|w| w == name) => format!("{MAIL} {name}"),
        "mailboxes" => format!("{MAIL} others"),
        _ if whole.iter().any(|w| w == name) => name.to_owned(),
        "pairs" => of_pairs().to_owned(),
        annotator => annotator.to_owned(),
    }
}

/// Reassigns the folds: by annotator for files that the head held out as a whole, and by group for the others.
fn refold(d: &mut Data, whole: &[String]) {
    d.folds = BY_GROUPS;
    d.fold.iter_mut().for_each(|fold| *fold %= BY_GROUPS);
    let is_whole = |p: &Pair| whole.iter().any(|w| w == p.file.trim_end_matches(".pairs"));
    let mut annotators: Vec<String> = d.rows.iter().filter(|p| is_whole(p)).map(|p| p.annotator().to_owned()).collect();
    annotators.sort_unstable();
    annotators.dedup();
    for (fold, pair) in d.fold.iter_mut().zip(&d.rows).filter(|(_, p)| is_whole(p)) {
        *fold = d.folds + annotators.iter().position(|h| h == pair.annotator()).unwrap_or(0);
    }
    d.folds += annotators.len();
}

/// The verdict of the shipped trees on a pair of a held-out set.
fn shipped(pair: &Pair) -> Verdict {
    let Some(classifier) = classifier::classifier() else { pairs::fail("the weights are of other features") };
    let (a, b) = (Reading::of(&pair.existing.statement()), Reading::of(&pair.new.statement()));
    let mut sheet = Sheet::default();
    features(&a, &b, &mut sheet);
    let told = !pair.existing.entities.is_empty() && !pair.new.entities.is_empty();
    let mut v = Verdict { p: classifier.decider(told).probabilities(&sheet.values).map(f64::from), sure: false };
    v.sure = v.confidence() >= f64::from(classifier.decider(told).sure[v.label()]);
    v
}

pub fn run(args: &[String]) {
    let Some((rows, files)) = args.split_first().filter(|(_, files)| !files.is_empty()) else {
        pairs::fail("usage: combine ROWS.jsonl FILES…")
    };
    let text = std::fs::read_to_string(rows).unwrap_or_else(|e| pairs::fail(&format!("{rows}: {e}")));
    let mut heads: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        let row: Row = serde_json::from_str(line).unwrap_or_else(|e| pairs::fail(&format!("{rows}:{}: {e}", n + 1)));
        heads.entry(row.file.clone()).or_default().push(row);
    }
    let mut d = load(files, 1);
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (n, pair) in d.rows[..d.given].iter().enumerate() {
        places.entry(pair.file.trim_end_matches(".pairs").to_owned()).or_default().push(n);
    }
    let whole: Vec<String> = heads
        .iter()
        .filter(|(f, of)| places.get(*f).is_some_and(|p| p.len() == of.len()))
        .map(|(f, _)| f.clone())
        .collect();
    refold(&mut d, &whole);
    score_wording(&mut d);
    let Crossed { verdicts, .. } = cross_validate(&d, None, &TOLD);
    let mut first = vec![usize::MAX; d.given];
    for (n, case) in d.cases.iter().enumerate().filter(|(_, c)| c.row < d.given) {
        first[case.row] = first[case.row].min(n);
    }
    let (mut cases, mut kept) = (Vec::new(), Vec::new());
    for (file, rows) in &heads {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/eval/pairs/kept");
        let apart = if places.contains_key(file) { Vec::new() } else { pairs::read(&[format!("{dir}/{file}.jsonl")]) };
        for row in rows {
            let at = places.get(file).map(|places| places.get(row.line).copied());
            let pair = match at {
                Some(at) => at.map(|at| &d.rows[at]),
                None => apart.get(row.line),
            };
            let Some(pair) = pair.filter(|p| p.expected == row.expected) else {
                pairs::fail(&format!("{file}: no pair {} with {}", row.line, row.expected))
            };
            let (label, head) = (pair.label, row.log);
            match at.flatten() {
                Some(at) => {
                    let (set, trees) = (set_of(pair, &whole), verdicts[first[at]]);
                    cases.push(Case { set, fold: d.fold[at], label, trees, head });
                }
                None => kept.push(Case { set: file.clone(), fold: 0, label, trees: shipped(pair), head }),
            }
        }
    }
    let crossed: Vec<(Weights, [f32; 4])> =
        (0..d.folds).map(|f| fitted(&cases.iter().filter(|c| c.fold != f).collect::<Vec<_>>())).collect();
    let all = fitted(&cases.iter().collect::<Vec<_>>());
    let shown: Vec<Shown<'_>> = cases.iter().map(|c| (c, verdict(c, &crossed[c.fold]))).collect();
    let apart: Vec<Shown<'_>> = kept.iter().map(|c| (c, verdict(c, &all))).collect();
    let figures = table(&shown, &apart);
    write_weights(&all, &figures, cases.len());
}

/// The largest share of answers, most confident first, that reaches the required precision.
fn largest_precise_share(of: &mut [(f64, bool)]) -> f64 {
    of.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut right, mut most) = (0usize, 0usize);
    for (n, (_, is_right)) in of.iter().enumerate() {
        right += usize::from(*is_right);
        if right as f64 >= SURE * (n + 1) as f64 {
            most = n + 1;
        }
    }
    most as f64 / of.len().max(1) as f64
}

/// Prints one row: accuracy of the trees, the head and both, four-way and UPDATE against LINK. Then share and
/// accuracy of sure answers by the trees and by both, and the shares that are 95 % right.
fn line(name: &str, of: &[&Shown<'_>]) -> [f64; 3] {
    let ratio = |a: usize, b: usize| if b == 0 { 0.0 } else { a as f64 / b as f64 };
    let best = |p: &[f64; 4]| (0..4).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
    let answers: [Answer<'_>; 3] = [&|(c, _)| c.trees.label(), &|(c, _)| best(&c.head), &|(_, v)| v.label()];
    let right = |answer: Answer<'_>, only: &dyn Fn(usize) -> bool| {
        let of: Vec<_> = of.iter().filter(|x| only(x.0.label)).collect();
        ratio(of.iter().filter(|x| answer(x) == x.0.label).count(), of.len())
    };
    let four = answers.map(|a| right(a, &|_| true));
    let changed = answers.map(|a| right(a, &|label| label == 1 || label == 2));
    let sure = |answer: Answer<'_>, is_sure: &dyn Fn(&Shown<'_>) -> bool| {
        let sure: Vec<_> = of.iter().filter(|x| is_sure(x)).collect();
        [ratio(sure.len(), of.len()), ratio(sure.iter().filter(|x| answer(x) == x.0.label).count(), sure.len())]
    };
    let [alone, both] = [sure(answers[0], &|x| x.0.trees.sure), sure(answers[2], &|x| x.1.sure)];
    let trees = largest_precise_share(
        &mut of.iter().map(|(c, _)| (c.trees.confidence(), c.trees.label() == c.label)).collect::<Vec<_>>(),
    );
    let joint =
        largest_precise_share(&mut of.iter().map(|(c, v)| (v.confidence(), v.label() == c.label)).collect::<Vec<_>>());
    let mut text = format!("{name:<14}{:>6}", of.len());
    for x in [four, changed].concat().into_iter().chain(alone).chain(both).chain([trees, joint]) {
        write!(text, "{:>8}", format!("{:.1}", 100.0 * x)).expect("a string");
    }
    println!("{text}");
    four
}

fn table(shown: &[Shown<'_>], kept: &[Shown<'_>]) -> Vec<String> {
    let columns = ["4-way", "head", "both", "U/L", "head", "both", "sure", "right", "both", "right", "95 %", "both"];
    let head: String = columns.iter().map(|c| format!("{c:>8}")).collect();
    println!("{:<14}{:>6}{head}", "", "rows");
    let mut sets: Vec<&str> = shown.iter().map(|(c, _)| c.set.as_str()).collect();
    sets.sort_unstable();
    sets.dedup();
    let mut sums = [0.0; 3];
    for set in &sets {
        let of: Vec<_> = shown.iter().filter(|x| x.0.set == *set).collect();
        let right = line(set, &of);
        sums = std::array::from_fn(|n| sums[n] + right[n] / sets.len() as f64);
    }
    line("annotators", &shown.iter().filter(|x| !x.0.set.starts_with(MAIL)).collect::<Vec<_>>());
    let all = line("all", &shown.iter().collect::<Vec<_>>());
    let kept = line("kept", &kept.iter().collect::<Vec<_>>());
    let told = |name: &str, of: [f64; 3]| format!("{name}: trees {:.3}, head {:.3}, both {:.3}", of[0], of[1], of[2]);
    let told = vec![told(&format!("mean of {} sets", sets.len()), sums), told("all", all), told("kept", kept)];
    println!("{}", told.join("\n"));
    told
}

fn write_weights((Weights([trees, head, bias @ ..]), sure): &(Weights, [f32; 4]), figures: &[String], rows: usize) {
    let list = |of: &[f64]| of.iter().map(|x| format!("{x:.3}")).collect::<Vec<_>>().join(", ");
    let sure: Vec<f64> = sure.iter().map(|x| f64::from(*x)).collect();
    let figures: String = figures.iter().map(|f| format!("//! - {f}\n")).collect();
    let text = format!(
        "//! Written by `examples/fit combine`: weights that combine the trees and the encoder's head.\n//!\n\
         //! Accuracy on {rows} pairs that neither was trained on, and on the held-out set:\n{figures}\n\
         /// Factor of the trees' log probabilities.\npub(super) const TREES: f32 = {trees:.3};\n\
         /// Factor of the head's log probabilities.\npub(super) const HEAD: f32 = {head:.3};\n\
         /// Bias of each outcome.\npub(super) const BIAS: [f32; 4] = [{}, 0.0];\n\
         /// For each outcome, the combined probability from which it is sure.\npub(super) const SURE: [f32; 4] = [{}];\n",
        list(bias),
        list(&sure)
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/analysis/head_weights.rs");
    std::fs::write(path, text).expect("the weights can be written");
}
