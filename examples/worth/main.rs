//! Fits the classifier of which sentences, rows and items of a mail are worth keeping. Reports its precision on
//! held-out mailboxes.
//!
//! Without arguments, cross-validates by holding out a mailbox at a time, and writes `src/extract/worth.bin`. `check`
//! only cross-validates. `without NAME FILE` writes weights fitted without one mailbox to a file, so that `make eval
//! ARGS="--inboxes --left-out"` measures unseen mailboxes. `drafts` counts the drafts of each mailbox, and `drafts
//! NAME` prints them.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

#[path = "../../tests/kit/cases.rs"]
mod cases;
mod labels;
#[allow(dead_code)]
#[path = "../../tests/kit/needles.rs"]
mod needles;
mod runs;

use labels::Labelled;
use memfold::extract::WEIGHED_BY;
use runs::Regression;
use std::fmt::Write;

const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/extract/worth.bin");

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|a| a == "drafts") {
        return drafts(arguments.get(1));
    }
    let all = labels::all();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["without", name, path] => {
            // A mailbox that was never fitted on has no rows to leave out.
            write(&fitted(&others(&all, name)), path);
        }
        ["check"] => cross_validate(&all),
        [] => {
            cross_validate(&all);
            write(&fitted(&all.iter().collect::<Vec<_>>()), WEIGHTS);
        }
        other => panic!("not `check`, `drafts`, `without NAME FILE` or nothing: {other:?}"),
    }
}

/// Prints the share of each ledger's quotes that a draft contains, and the drafts without a quote per mail.
fn drafts(name: Option<&String>) {
    let mut all = [0; 4];
    for set in labels::counted().filter(|set| name.is_none_or(|name| set.ends_with(name.as_str()))) {
        let counts = labels::drafted(&set, name.is_some());
        all.iter_mut().zip(&counts).for_each(|(sum, n)| *sum += n);
        print_counts(&set, counts);
        if set == "somok" {
            print_counts("all", std::mem::take(&mut all));
        }
    }
    print_counts("kept", all);
}

fn print_counts(name: &str, [held, quotes, idle, mails]: [usize; 4]) {
    println!(
        "{name:14} quotes {:.1} %  idle drafts a mail {:.2}",
        share(held, quotes),
        idle as f64 / mails.max(1) as f64
    );
}

fn fitted(rows: &[&Labelled]) -> Regression {
    runs::fitted(rows, WEIGHED_BY.0.len(), 1 << WEIGHED_BY.1)
}

/// All rows except those of one set.
fn others<'a>(all: &'a [Labelled], name: &str) -> Vec<&'a Labelled> {
    all.iter().filter(|l| l.set != name).collect()
}

fn write(fitted: &Regression, path: &str) {
    for (name, weight) in WEIGHED_BY.0.iter().zip(&fitted.weights) {
        println!("{weight:6.2} {name}");
    }
    std::fs::write(path, runs::packed(fitted)).unwrap();
    println!("written to {path}");
}

/// Fits on all sets but one and measures on that one. Also measures all mailboxes with a ledger together.
fn cross_validate(all: &[Labelled]) {
    println!("{:10} {:>5} {:>6} {:>5}  precision at recall", "set", "rows", "worth", "AUC");
    let mut together = Vec::new();
    for set in labels::sets() {
        let model = fitted(&others(all, set));
        let rows: Vec<(f64, bool)> = all.iter().filter(|l| l.set == set).map(|l| (model.chance(l), l.worth)).collect();
        print(set, &rows);
        if labels::LEDGERS.contains(&set) {
            together.extend(rows);
        }
    }
    print("ledgers", &together);
    println!("calibration error of these {:.3}", calibration_error(&together));
}

fn print(name: &str, rows: &[(f64, bool)]) {
    let worth = rows.iter().filter(|r| r.1).count();
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut line = format!("{name:10} {:5} {:5.1}% {:.3} ", rows.len(), share(worth, rows.len()), auc(&sorted));
    for recall in [60, 70, 80, 90] {
        let wanted = (worth * recall).div_ceil(100);
        let (mut found, mut taken) = (0, 0);
        for (_, is) in &sorted {
            if found >= wanted {
                break;
            }
            taken += 1;
            found += usize::from(*is);
        }
        write!(line, " {recall}%: {:4.1}%", share(found, taken)).unwrap();
    }
    println!("{line}");
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Area under the ROC curve, of rows sorted by descending probability.
fn auc(sorted: &[(f64, bool)]) -> f64 {
    let (mut above, mut pairs) = (0.0, 0.0);
    for (n, (chance, _)) in sorted.iter().enumerate().filter(|(_, r)| !r.1) {
        for (m, (other, _)) in sorted.iter().enumerate().filter(|(_, r)| r.1) {
            pairs += 1.0;
            above += if other == chance { 0.5 } else { f64::from(u8::from(m < n)) };
        }
    }
    if pairs == 0.0 { 0.0 } else { above / pairs }
}

/// Expected calibration error over ten bins.
fn calibration_error(rows: &[(f64, bool)]) -> f64 {
    let tenth = |p: f64| ((p * 10.0) as usize).min(9);
    let gap = |t: usize| {
        let of = || rows.iter().filter(move |r| tenth(r.0) == t);
        (of().map(|r| r.0).sum::<f64>() - of().filter(|r| r.1).count() as f64).abs()
    };
    (0..10).map(gap).sum::<f64>() / rows.len().max(1) as f64
}
