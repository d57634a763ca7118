//! Fits which of the stored memories a mail changes, on mailboxes of which that is known, and says how well it does on
//! those that it was not fitted on.
//!
//! Without arguments it cross-validates, leaving out a mailbox at a time, and writes `src/decision/context/weights.txt`;
//! `check` only cross-validates; `without NAME` writes weights that were fitted without one mailbox, so that `make eval` of
//! it shows what strangers would see. What is stored meanwhile is decided with the weights that there are.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

mod labels;
#[path = "../worth/regression.rs"]
mod regression;

use labels::{Labelled, MAILBOXES};
use memfold::decision::mark_names;
use regression::{Regression, fitted};
use std::collections::HashMap;

const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/decision/context/weights.txt");
/// From that chance on the engine writes.
const BARS: [f64; 4] = [0.4, 0.5, 0.6, 0.7];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let all: Vec<Labelled> = MAILBOXES.into_iter().flat_map(labels::of).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["without", name] => {
            assert!(MAILBOXES.contains(name), "{name}: no such mailbox");
            write(&fit(&all, Some(name)));
        }
        ["check"] => cross_validate(&all),
        [] => {
            cross_validate(&all);
            write(&fit(&all, None));
        }
        other => panic!("not `check`, `without NAME` or nothing: {other:?}"),
    }
}

fn fit(all: &[Labelled], without: Option<&str>) -> Regression {
    let rows: Vec<&Labelled> = all.iter().filter(|l| Some(l.set) != without).collect();
    fitted(&rows, mark_names().count())
}

fn write(fitted: &Regression) {
    for (name, weight) in mark_names().zip(&fitted.weights) {
        println!("{weight:6.2} {name}");
    }
    // In thousandths: the engine's file holds no reader of decimals.
    let all = std::iter::once(&fitted.always).chain(&fitted.weights);
    let thousandths: Vec<String> = all.map(|w| format!("{:.0}", 1000.0 * w)).collect();
    let lines: Vec<String> = thousandths.chunks(12).map(|line| line.join(" ")).collect();
    std::fs::write(WEIGHTS, lines.join("\n") + "\n").unwrap();
    println!("written to {WEIGHTS}");
}

/// Of the likeliest memory of each draft: how often it is the one that changes, from which chance on.
fn cross_validate(all: &[Labelled]) {
    println!("{:10} {:>6} {:>8}  right of those from a chance on", "left out", "drafts", "changes");
    let mut sums = [(0, 0); BARS.len()];
    for set in MAILBOXES {
        let model = fit(all, Some(set));
        let mut best: HashMap<usize, (f64, bool, bool)> = HashMap::new();
        for row in all.iter().filter(|l| l.set == set) {
            let (chance, slot) = (model.chance(&row.marks), best.entry(row.draft).or_insert((-1.0, false, false)));
            let changes = slot.2 || row.worth;
            *slot = if chance > slot.0 { (chance, row.worth, changes) } else { (slot.0, slot.1, changes) };
        }
        let changes = best.values().filter(|b| b.2).count();
        print!("{set:10} {:6} {changes:8} ", best.len());
        for (bar, sum) in BARS.iter().zip(&mut sums) {
            let taken = best.values().filter(|b| b.0 >= *bar);
            let (right, of) = taken.fold((0, 0), |(right, of), b| (right + usize::from(b.1), of + 1));
            *sum = (sum.0 + right, sum.1 + of);
            print!(" {bar}: {right} of {of}");
        }
        println!();
    }
    let sums: Vec<String> =
        BARS.iter().zip(&sums).map(|(bar, (right, of))| format!("{bar}: {right} of {of}")).collect();
    println!("{:26}  {}", "all", sums.join(" "));
}
