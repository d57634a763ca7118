//! Fits what a passage that speaks to a program is known by, and says how well it does on hands and mailboxes that it was
//! not fitted on.
//!
//! Without arguments it cross-validates and writes `src/mail/steering.txt`; `check` only cross-validates.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

#[path = "../../tests/kit/cases.rs"]
mod cases;
mod labels;
#[path = "../worth/regression.rs"]
mod regression;

use labels::Labelled;
use memfold::mail::STEERING_MARKS;
use regression::{Regression, fitted};

const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/mail/steering.txt");
/// Chances at which it is measured.
const CHANCES: [f64; 6] = [0.3, 0.5, 0.62, 0.8, 0.85, 0.88];
/// Parts into which the mailboxes are parted.
const FOLDS: usize = 5;

fn main() {
    let (written, mail) = (labels::written(), labels::of_mail());
    cross_validate(&written, &mail, STEERING_MARKS);
    if std::env::args().nth(1).as_deref() == Some("check") {
        return;
    }
    let all: Vec<&Labelled> = written.iter().chain(&mail).collect();
    let model = fitted(&all, STEERING_MARKS);
    let weights: Vec<f64> = std::iter::once(model.always).chain(model.weights.iter().copied()).collect();
    std::fs::write(WEIGHTS, regression::in_thousandths(&weights)).unwrap();
    println!("written to {WEIGHTS}");
}

/// What is seen of each hand by a fit without it, and how many honest passages are taken for such.
fn cross_validate(written: &[Labelled], mail: &[Labelled], marks: usize) {
    let names = |rows: &[Labelled]| {
        let mut names: Vec<String> = rows.iter().map(|r| r.set.clone()).collect();
        names.dedup();
        names
    };
    let (hands, boxes) = (names(written), names(mail));
    println!("chance from {:>34}", CHANCES.map(|c| format!("{c:>9}")).join(""));
    let line = |name: &str, rows: &[(f64, bool)], steers: bool| {
        let of: Vec<f64> = rows.iter().filter(|r| r.1 == steers).map(|r| r.0).collect();
        let seen = CHANCES.map(|least| format!("{:>9}", of.iter().filter(|c| **c >= least).count()));
        println!("{name:22} of {:6} {}", of.len(), seen.join(""));
    };
    for hand in &hands {
        let (own, others): (Vec<_>, Vec<_>) = written.iter().partition(|r| r.set == *hand);
        let model = fitted(&others.into_iter().chain(mail).collect::<Vec<_>>(), marks);
        let rows: Vec<(f64, bool)> = passages(&model, &own).into_iter().map(|(chance, r)| (chance, r.worth)).collect();
        line(&format!("{hand}, steers"), &rows, true);
        line(&format!("{hand}, honest"), &rows, false);
    }
    let mut rows = Vec::new();
    for fold in 0..FOLDS {
        let is_out = |r: &Labelled| boxes.iter().position(|b| *b == r.set).unwrap() % FOLDS == fold;
        let model = fitted(&written.iter().chain(mail.iter().filter(|r| !is_out(r))).collect::<Vec<_>>(), marks);
        for (chance, row) in passages(&model, &mail.iter().filter(|r| is_out(r)).collect::<Vec<_>>()) {
            rows.push((chance, false));
            if chance >= CHANCES[2] {
                let text: String =
                    row.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect();
                println!("  {chance:.2} {}: {text}", row.set);
            }
        }
    }
    line("mailboxes left out", &rows, false);
}

/// The chance of each passage, which is that of its likeliest run.
fn passages<'a>(model: &Regression, rows: &[&'a Labelled]) -> Vec<(f64, &'a Labelled)> {
    let runs = rows.chunk_by(|a, b| a.passage == b.passage);
    runs.map(|run| (run.iter().map(|r| model.chance(&r.marks)).fold(0.0, f64::max), run[0])).collect()
}
