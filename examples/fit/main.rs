//! Fits the local analyst on labelled pairs and says how well it does on pairs it was not fitted on.
//!
//! `fit FILES` cross-validates, fits on all rows and writes `src/analysis/weights.bin` and the figures beside it;
//! `check FILES` only cross-validates; `ablate FILES` leaves out each group of features in turn; `errors FILES`
//! lists the rows that were decided wrong.
#![allow(
    missing_docs,
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::too_many_arguments
)]

mod boost;
mod measure;
mod pairs;

use boost::{Binned, Model, Options};
use measure::Verdict;
use memfold::analysis::{
    RELATIONS, Reading,
    align::Alignment,
    features::{Group, Sheet, features},
    forest::{Forest, softmax},
    judge,
};
use memfold::model::Category;
use pairs::Pair;
use std::io::Write;

const FOLDS: usize = 5;
const DECISION: Options = Options {
    rounds: 400,
    rate: 0.06,
    leaves: 12,
    min_rows: 15,
    features: 0.25,
    rows: 0.7,
    l2: 4.0,
    random_cuts: true,
    seed: 1,
};
const RELATION: Options = Options {
    rounds: 60,
    rate: 0.08,
    leaves: 6,
    min_rows: 10,
    features: 0.2,
    rows: 0.8,
    l2: 4.0,
    random_cuts: true,
    seed: 2,
};
const CONTRADICTION: Options = Options {
    rounds: 60,
    rate: 0.08,
    leaves: 4,
    min_rows: 10,
    features: 0.2,
    rows: 0.8,
    l2: 4.0,
    random_cuts: true,
    seed: 3,
};
/// How often a sure answer must be right where it was measured; a little more than is promised.
const SURE: f64 = 0.965;

/// What of a row is shown: everything; no entities; the bare texts. A memory entered by hand has no more than
/// its text, so the fit must not lean on what is not there.
const VIEWS: [(f64, &str); 3] = [(1.0, "all"), (0.2, "without entities"), (0.3, "bare texts")];

struct Data {
    rows: Vec<Pair>,
    x: Vec<Vec<f32>>,
    views: Vec<Vec<Vec<f32>>>,
    /// Only the full view: a third of the time.
    quick: bool,
    names: Vec<(String, Group)>,
}

fn load(files: &[String]) -> Data {
    let rows = pairs::read(files);
    if rows.len() < 50 {
        pairs::fail("too few rows to fit on");
    }
    let side = |s: &pairs::Side, view: usize| {
        let mut s = s.clone();
        if view >= 1 {
            s.entities.clear();
        }
        if view >= 2 {
            // Of an elliptical reply the thread is all there is to go by.
            (s.people, s.subject, s.occurred_at, s.category) = (Vec::new(), None, None, Category::Misc);
        }
        Reading::of(&s.statement())
    };
    let mut views = Vec::new();
    for view in 0..VIEWS.len() {
        let readings: Vec<(Reading, Reading)> =
            rows.iter().map(|r| (side(&r.existing, view), side(&r.new, view))).collect();
        let t = std::time::Instant::now();
        let x: Vec<Vec<f32>> = readings
            .iter()
            .map(|(a, b)| {
                let mut s = Sheet::default();
                features(a, b, &mut s);
                s.values
            })
            .collect();
        if view == 0 {
            let micros = t.elapsed().as_micros() as f64 / rows.len() as f64;
            eprintln!("{} rows, {} features, {micros:.1} µs a pair for features", rows.len(), x[0].len());
        }
        views.push(x);
    }
    Data { rows, x: views[0].clone(), views, names: judge::names(), quick: false }
}

/// Fits on some rows; with a mask of features.
fn fit_on(
    d: &Data,
    of: &[usize],
    y: &dyn Fn(usize) -> usize,
    classes: usize,
    o: &Options,
    mask: Option<&[bool]>,
) -> (Model, Binned) {
    let mut shown: Vec<(usize, Vec<f32>, f64)> = Vec::new();
    for (view, (weight, _)) in VIEWS.iter().enumerate().take(if d.quick { 1 } else { VIEWS.len() }) {
        // A row that has nothing to hide counts as often as any other.
        shown.extend(of.iter().map(|i| (*i, masked(&d.views[view][*i], mask), *weight)));
    }
    let x: Vec<&[f32]> = shown.iter().map(|s| s.1.as_slice()).collect();
    let data = Binned::of(&x);
    let labels: Vec<usize> = shown.iter().map(|s| y(s.0)).collect();
    let weight: Vec<f64> = shown.iter().map(|s| s.2).collect();
    (boost::fit(&data, &labels, &weight, classes, o), data)
}

fn masked(x: &[f32], mask: Option<&[bool]>) -> Vec<f32> {
    match mask {
        None => x.to_vec(),
        Some(m) => x.iter().zip(m).map(|(v, keep)| if *keep { *v } else { 0.0 }).collect(),
    }
}

/// Raw scores of every row by a model that never saw its fold.
fn out_of_fold(
    d: &Data,
    fold: &[usize],
    k: usize,
    of: &[usize],
    y: &(dyn Fn(usize) -> usize + Sync),
    classes: usize,
    o: &Options,
    mask: Option<&[bool]>,
) -> Vec<Vec<Vec<f32>>> {
    let one = |f: usize| -> Vec<(usize, usize, Vec<f32>)> {
        let train: Vec<usize> = of.iter().copied().filter(|i| fold[*i] != f).collect();
        let (model, data) = fit_on(d, &train, y, classes, o, mask);
        let bytes = model.bytes(&data);
        let (forest, _) = Forest::parse(&bytes).expect("a forest");
        of.iter()
            .filter(|i| fold[**i] == f)
            .flat_map(|i| (0..VIEWS.len()).map(move |view| (view, *i)))
            .map(|(view, i)| (view, i, forest.scores(&masked(&d.views[view][i], mask))))
            .collect()
    };
    let mut out = vec![vec![Vec::new(); d.rows.len()]; VIEWS.len()];
    let next = std::sync::atomic::AtomicUsize::new(0);
    let found: Vec<(usize, usize, Vec<f32>)> = std::thread::scope(|s| {
        let workers: Vec<_> = (0..2)
            .map(|_| {
                s.spawn(|| {
                    let mut got = Vec::new();
                    loop {
                        let f = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if f >= k {
                            return got;
                        }
                        got.extend(one(f));
                    }
                })
            })
            .collect();
        workers.into_iter().flat_map(|w| w.join().expect("a fold")).collect()
    });
    for (view, i, s) in found {
        out[view][i] = s;
    }
    out
}

/// The temperature that makes these scores most likely.
fn temperature(scores: &[&[f32]], y: &[usize]) -> f32 {
    let loss =
        |t: f32| -> f64 { scores.iter().zip(y).map(|(s, y)| -f64::from(softmax(s, t)[*y].max(1e-9)).ln()).sum() };
    (8..60).map(|n| n as f32 * 0.05).min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(1.0)
}

/// For each outcome the lowest confidence from which on it was right often enough.
fn thresholds(p: &[[f64; 4]], y: &[usize]) -> [f32; 4] {
    std::array::from_fn(|k| {
        let mut of: Vec<(f64, bool)> = p
            .iter()
            .zip(y)
            .filter_map(|(p, y)| {
                let h = (0..4).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
                (h == k).then_some((p[k], h == *y))
            })
            .collect();
        of.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut right, mut at) = (0usize, 1.01f64);
        for (n, (c, ok)) in of.iter().enumerate() {
            right += usize::from(*ok);
            if n >= 15 && right as f64 >= SURE * (n + 1) as f64 {
                at = *c;
            }
        }
        at as f32
    })
}

fn verdict(p: [f64; 4], sure: &[f32; 4]) -> Verdict {
    let mut v = Verdict { p, sure: false };
    v.sure = v.confidence() >= f64::from(sure[v.label()]);
    v
}

fn probabilities(scores: &[f32], t: f32) -> [f64; 4] {
    let p = softmax(scores, t);
    std::array::from_fn(|i| f64::from(p[i]))
}

/// Verdicts whose temperature and thresholds come from the other folds only.
fn verdicts(d: &Data, scores: &[Vec<f32>], fold: &[usize], k: usize) -> Vec<Verdict> {
    let mut out = vec![Verdict { p: [0.25; 4], sure: false }; d.rows.len()];
    for f in 0..k {
        let others: Vec<usize> = (0..d.rows.len()).filter(|i| fold[*i] != f).collect();
        let y: Vec<usize> = others.iter().map(|i| d.rows[*i].label).collect();
        let s: Vec<&[f32]> = others.iter().map(|i| scores[*i].as_slice()).collect();
        let t = temperature(&s, &y);
        let p: Vec<[f64; 4]> = s.iter().map(|s| probabilities(s, t)).collect();
        let sure = thresholds(&p, &y);
        for i in (0..d.rows.len()).filter(|i| fold[*i] == f) {
            out[i] = verdict(probabilities(&scores[i], t), &sure);
        }
    }
    out
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let known = ["quick", "fit", "check", "ablate", "files", "errors", "dump"];
    let (command, files) = match args.split_first() {
        Some((c, rest)) if known.contains(&c.as_str()) => (c.clone(), rest),
        Some(_) => ("fit".to_owned(), args.as_slice()),
        None => pairs::fail("usage: [fit|check|ablate|files|errors] FILES…"),
    };
    let command = &command;
    let mut d = load(files);
    d.quick = command == "quick";
    let fold = pairs::folds(&d.rows, FOLDS, 7);
    let all: Vec<usize> = (0..d.rows.len()).collect();
    let label = |i: usize| d.rows[i].label;
    match command.as_str() {
        "quick" | "check" | "fit" | "errors" => {
            let views = out_of_fold(&d, &fold, FOLDS, &all, &label, 4, &DECISION, None);
            let scores = views[0].clone();
            let v = verdicts(&d, &scores, &fold, FOLDS);
            if command == "errors" {
                errors(&d, &v);
                return;
            }
            let table = measure::table(&d.rows, &v);
            for (view, (_, name)) in VIEWS.iter().enumerate().skip(1) {
                let v = verdicts(&d, &views[view], &fold, FOLDS);
                measure::line(name, &measure::figures(&d.rows.iter().collect::<Vec<_>>(), &v));
            }
            let each: Vec<f64> = (0..FOLDS)
                .map(|f| {
                    let of: Vec<usize> = all.iter().copied().filter(|i| fold[*i] == f).collect();
                    let rs: Vec<&Pair> = of.iter().map(|i| &d.rows[*i]).collect();
                    measure::figures(&rs, &of.iter().map(|i| v[*i]).collect::<Vec<_>>()).accuracy
                })
                .collect();
            println!(
                "four-way by fold: {}",
                each.iter().map(|a| format!("{:.1}", 100.0 * a)).collect::<Vec<_>>().join(" ")
            );
            if command == "fit" {
                write_weights(&d, &scores, &fold, table);
            }
        }
        "ablate" => {
            measure::header();
            for g in [
                None,
                Some(Group::Setting),
                Some(Group::Words),
                Some(Group::Shape),
                Some(Group::Entities),
                Some(Group::Values),
                Some(Group::Cues),
                Some(Group::Meaning),
            ] {
                let mask: Vec<bool> = d.names.iter().map(|(_, n)| Some(*n) != g).collect();
                let scores = out_of_fold(&d, &fold, FOLDS, &all, &label, 4, &DECISION, Some(&mask)).swap_remove(0);
                let v = verdicts(&d, &scores, &fold, FOLDS);
                let rs: Vec<&Pair> = d.rows.iter().collect();
                measure::line(&g.map_or("all".into(), |g| format!("without {g:?}")), &measure::figures(&rs, &v));
            }
        }
        "files" => {
            let (by_file, k) = pairs::folds_by_file(&d.rows);
            let scores = out_of_fold(&d, &by_file, k, &all, &label, 4, &DECISION, None).swap_remove(0);
            measure::table(&d.rows, &verdicts(&d, &scores, &by_file, k));
        }
        "dump" => dump(&d, &fold),
        other => pairs::fail(&format!("unknown command `{other}`")),
    }
}

fn relation_of(p: &Pair) -> Option<usize> {
    let name = p.relationship_type.as_deref()?;
    RELATIONS
        .iter()
        .position(|r| serde_json::to_value(r).ok().and_then(|v| v.as_str().map(|s| s == name)) == Some(true))
}

fn write_weights(d: &Data, scores: &[Vec<f32>], fold: &[usize], table: Vec<(String, measure::Figures)>) {
    let all: Vec<usize> = (0..d.rows.len()).collect();
    let y: Vec<usize> = d.rows.iter().map(|r| r.label).collect();
    let s: Vec<&[f32]> = scores.iter().map(Vec::as_slice).collect();
    let t = temperature(&s, &y);
    let p: Vec<[f64; 4]> = s.iter().map(|s| probabilities(s, t)).collect();
    let sure = thresholds(&p, &y);
    let linked: Vec<usize> = all.iter().copied().filter(|i| relation_of(&d.rows[*i]).is_some()).collect();
    let relation = |i: usize| relation_of(&d.rows[i]).unwrap_or(0);
    let updates: Vec<usize> = all.iter().copied().filter(|i| d.rows[*i].label == 1).collect();
    let contra = |i: usize| usize::from(d.rows[i].conflict == "CONTRADICTION");
    let right = |of: &[usize], s: &[Vec<f32>], y: &dyn Fn(usize) -> usize| {
        of.iter().filter(|i| (0..s[**i].len()).max_by(|a, b| s[**i][*a].total_cmp(&s[**i][*b])) == Some(y(**i))).count()
            as f64
            / of.len().max(1) as f64
    };
    let rs = out_of_fold(d, fold, FOLDS, &linked, &relation, RELATIONS.len(), &RELATION, None).swap_remove(0);
    let cs = out_of_fold(d, fold, FOLDS, &updates, &contra, 2, &CONTRADICTION, None).swap_remove(0);
    let (relation_right, contradiction_right) = (right(&linked, &rs, &relation), right(&updates, &cs, &contra));
    let found = updates.iter().filter(|i| contra(**i) == 1 && cs[**i][1] > cs[**i][0]).count();
    println!(
        "link type right {:.1} %; conflict label right {:.1} % ({found} contradictions found of {})",
        100.0 * relation_right,
        100.0 * contradiction_right,
        updates.iter().filter(|i| contra(**i) == 1).count()
    );
    let mut out = judge::MAGIC.to_vec();
    out.extend(judge::fingerprint().to_le_bytes());
    out.extend(t.to_le_bytes());
    for s in sure {
        out.extend(s.to_le_bytes());
    }
    let (m, b) = fit_on(d, &all, &|i| d.rows[i].label, 4, &DECISION, None);
    out.extend(m.bytes(&b));
    let (m, b) = fit_on(d, &linked, &relation, RELATIONS.len(), &RELATION, None);
    out.extend(m.bytes(&b));
    let (m, b) = fit_on(d, &updates, &contra, 2, &CONTRADICTION, None);
    out.extend(m.bytes(&b));
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/analysis");
    std::fs::write(format!("{dir}/weights.bin"), &out).expect("the weights can be written");
    let parts: serde_json::Map<String, serde_json::Value> =
        table.into_iter().map(|(n, f)| (n, serde_json::to_value(round(f)).expect("figures"))).collect();
    let figures = serde_json::json!({
        "rows": d.rows.len(), "features": d.names.len(), "bytes": out.len(), "folds": FOLDS, "temperature": t, "sure": sure,
        "relationAccuracy": (relation_right * 1e4).round() / 1e4, "conflictAccuracy": (contradiction_right * 1e4).round() / 1e4,
        "crossValidated": parts,
    });
    std::fs::write(format!("{dir}/weights.json"), serde_json::to_string_pretty(&figures).expect("json") + "\n")
        .expect("the figures can be written");
    println!("{} bytes of weights, temperature {t:.2}, sure from {sure:.2?}", out.len());
}

fn round(f: measure::Figures) -> serde_json::Value {
    let mut v = serde_json::to_value(f).expect("figures");
    if let Some(m) = v.as_object_mut() {
        for x in m.values_mut() {
            if let Some(n) = x.as_f64().filter(|_| !x.is_u64()) {
                *x = serde_json::json!((n * 1e4).round() / 1e4);
            }
        }
    }
    v
}

fn errors(d: &Data, v: &[Verdict]) {
    for (r, v) in d.rows.iter().zip(v).filter(|(r, v)| v.label() != r.label) {
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

/// The matrix for other tools: rows of f32 beside a line of JSON each.
fn dump(d: &Data, fold: &[usize]) {
    let dir = std::env::temp_dir();
    let mut f = std::io::BufWriter::new(std::fs::File::create(dir.join("fit_x.bin")).expect("a file"));
    for v in d.x.iter().flatten() {
        f.write_all(&v.to_le_bytes()).expect("written");
    }
    let mut meta = std::io::BufWriter::new(std::fs::File::create(dir.join("fit_meta.jsonl")).expect("a file"));
    for (r, f) in d.rows.iter().zip(fold) {
        let (a, b) = (Reading::of(&r.existing.statement()), Reading::of(&r.new.statement()));
        let al = Alignment::of(&a.words, &b.words);
        let words = |w: &[memfold::analysis::words::Word], of: &[Option<usize>], p: &str| -> Vec<String> {
            w.iter()
                .enumerate()
                .map(|(i, w)| format!("{p}{}:{}", if of[i].is_some() { "m" } else { "u" }, w.stem))
                .collect()
        };
        let mut t = words(&a.words, &al.of_a, "a");
        t.extend(words(&b.words, &al.of_b, "b"));
        let line = serde_json::json!({"id": r.id, "y": r.label, "fold": f, "file": r.file, "lang": r.lang, "hard": r.hard, "t": t,
            "a": r.existing.content, "b": r.new.content, "rel": r.relationship_type, "conflict": r.conflict});
        writeln!(meta, "{line}").expect("written");
    }
    let names: Vec<(String, String)> = d.names.iter().map(|(n, g)| (n.clone(), format!("{g:?}"))).collect();
    std::fs::write(dir.join("fit_names.json"), serde_json::to_string(&names).expect("json")).expect("written");
}
