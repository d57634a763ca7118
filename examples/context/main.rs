//! Fits which of the stored memories a mail changes, on mailboxes of which that is known, and says how well it does on
//! those that it was not fitted on.
//!
//! Without arguments it cross-validates, leaving out a mailbox at a time, and writes `src/decision/context/weights.txt`;
//! `check` only cross-validates; `without NAME FILE` writes weights that were fitted without one mailbox to a file, so that
//! `make eval ARGS="--inboxes --left-out"` shows what strangers would see. What is stored meanwhile is decided with the
//! weights that there are.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

mod choice;
mod labels;
#[allow(dead_code)]
#[path = "../../tests/kit/needles.rs"]
mod needles;
#[allow(dead_code)]
#[path = "../worth/regression.rs"]
mod regression;

use choice::{Choice, chosen};
use labels::{EXPECTED, Labelled, MAILBOXES};
use memfold::decision::mark_names;

const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/decision/context/weights.txt");
/// From that chance on the engine writes.
const BARS: [f64; 4] = [0.4, 0.5, 0.6, 0.7];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let all: Vec<Labelled> = MAILBOXES.into_iter().chain(EXPECTED).flat_map(labels::of).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["without", name, path] => {
            assert!(MAILBOXES.contains(name), "{name}: no such mailbox");
            write(&fit(&all, Some(name)), path);
        }
        ["check"] => cross_validate(&all),
        [] => {
            cross_validate(&all);
            write(&fit(&all, None), WEIGHTS);
        }
        other => panic!("not `check`, `without NAME FILE` or nothing: {other:?}"),
    }
}

fn fit(all: &[Labelled], without: Option<&str>) -> Choice {
    let rows: Vec<&Labelled> = all.iter().filter(|l| Some(l.set) != without).collect();
    chosen(&by_draft(&rows), mark_names().count())
}

/// The candidates of each draft.
fn by_draft<'a>(rows: &[&'a Labelled]) -> Vec<Vec<&'a Labelled>> {
    rows.chunk_by(|a, b| (a.set, a.draft) == (b.set, b.draft)).map(<[_]>::to_vec).collect()
}

fn write(fitted: &Choice, path: &str) {
    for (name, weight) in mark_names().zip(&fitted.weights) {
        println!("{weight:6.2} {name}");
    }
    let all: Vec<f64> = std::iter::once(fitted.always).chain(fitted.weights.iter().copied()).collect();
    std::fs::write(path, regression::in_thousandths(&all)).unwrap();
    println!("written to {path}");
}

/// Of the likeliest memory of each draft: how often it is the one that changes, from which chance on.
fn cross_validate(all: &[Labelled]) {
    println!("{:10} {:>6} {:>8}  right of those from a chance on", "left out", "drafts", "changes");
    let mut sums = [(0, 0); BARS.len()];
    let (mut firsts, mut all_changes) = (0, 0);
    for set in MAILBOXES {
        let model = fit(all, Some(set));
        let rows: Vec<&Labelled> = all.iter().filter(|l| l.set == set).collect();
        // Of each draft the chance of its likeliest memory, whether that is the one, and whether any is.
        let likeliest = |draft: &Vec<&Labelled>| {
            let chances = model.chances(draft);
            let (n, chance) = chances.iter().copied().enumerate().max_by(|x, y| x.1.total_cmp(&y.1))?;
            Some((chance, draft[n].worth, draft.iter().any(|c| c.worth)))
        };
        let best: Vec<(f64, bool, bool)> = by_draft(&rows).iter().filter_map(likeliest).collect();
        let changes = best.iter().filter(|b| b.2).count();
        firsts += best.iter().filter(|b| b.1).count();
        all_changes += changes;
        print!("{set:10} {:6} {changes:8} ", best.len());
        for (bar, sum) in BARS.iter().zip(&mut sums) {
            let taken = best.iter().filter(|b| b.0 >= *bar);
            let (right, of) = taken.fold((0, 0), |(right, of), b| (right + usize::from(b.1), of + 1));
            *sum = (sum.0 + right, sum.1 + of);
            print!(" {bar}: {right} of {of}");
        }
        println!();
    }
    let sums: Vec<String> =
        BARS.iter().zip(&sums).map(|(bar, (right, of))| format!("{bar}: {right} of {of}")).collect();
    println!("{:26}  {}", "all", sums.join(" "));
    println!("the one comes first for {firsts} of {all_changes}");
}
