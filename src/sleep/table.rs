//! Merges a recurring report into a table: one full text, then the others' dates and figures.
//!
//! All texts must have one form and differ only in words with digits. No figure is dropped.

use crate::language::shown;

/// One report: its full statement date and its words.
#[derive(Debug, Clone)]
pub(super) struct Report<'a> {
    pub day: String,
    /// Days since 1970-01-01, to compute intervals.
    pub number: i64,
    pub words: Vec<&'a str>,
}

/// The table of `reports` (newest first); `None` if their forms differ.
pub(super) fn table(reports: &[Report<'_>], korean: bool) -> Option<String> {
    let (newest, others) = reports.split_first()?;
    let columns = columns(newest, others)?;
    let row = |r: &Report<'_>| {
        let cells = columns.iter().map(|at| r.words[*at].trim_end_matches([',', '.', ';', ':']));
        cells.collect::<Vec<_>>().join(", ")
    };
    let mut before: Vec<&Report<'_>> = others.iter().collect();
    before.sort_by_key(|row| row.number);
    let (first, last) = (before.first()?, before.last()?);
    let rows = match step(&before) {
        Some(days) => {
            let head = match days {
                1 => shown::DAILY.text(korean).to_owned(),
                days => shown::EVERY_SO_MANY_DAYS.with(korean, &[&days.to_string()]),
            };
            let rows: Vec<String> = before.iter().map(|r| row(r)).collect();
            format!("{}…{} {head}: {}", first.day, last.day, rows.join("; "))
        }
        None => {
            let mut year = "";
            let rows = before.iter().map(|r| {
                let (own, rest) = r.day.split_at_checked(5).unwrap_or((&r.day, ""));
                let day = if own == year { rest } else { &r.day };
                year = own;
                format!("{day} {}", row(r))
            });
            rows.collect::<Vec<_>>().join("; ")
        }
    };
    Some(format!("{}: {}\n{rows}", newest.day, newest.words.join(" ")))
}

/// The indices of the words that differ from the newest report; `None` if more than figures differ.
fn columns(newest: &Report<'_>, others: &[Report<'_>]) -> Option<Vec<usize>> {
    let figure = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let mut columns = Vec::new();
    for (at, word) in newest.words.iter().enumerate() {
        let differs = others.iter().any(|r| r.words.get(at) != Some(word));
        if differs && !(figure(word) && others.iter().all(|r| r.words.get(at).is_some_and(|w| figure(w)))) {
            return None;
        }
        if differs {
            columns.push(at);
        }
    }
    let one_form = others.iter().all(|r| r.words.len() == newest.words.len());
    (one_form && !columns.is_empty()).then_some(columns)
}

/// The interval in days between the reports, if it is constant.
fn step(reports: &[&Report<'_>]) -> Option<i64> {
    let mut steps = reports.windows(2).map(|two| two[1].number - two[0].number);
    let first = steps.next().filter(|days| *days > 0)?;
    (reports.len() > 2 && steps.all(|days| days == first)).then_some(first)
}
