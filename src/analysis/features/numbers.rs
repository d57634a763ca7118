//! Numbers with their units, identifiers, and words of which one excludes the other.

use super::sheet::{Group, Sheet};
use crate::analysis::align::Alignment;
use crate::analysis::lexicon;
use crate::analysis::words::{Kind, Word};
use std::sync::LazyLock;

/// The word that says what a number counts: joined unit, next content word, or the one before.
fn unit(w: &[Word], i: usize) -> Option<&Word> {
    w.get(i + 1)
        .filter(|n| n.joined || (n.weight > 0.0 && n.number.is_none() && n.clause == w[i].clause))
        .or_else(|| i.checked_sub(1).and_then(|p| w.get(p)))
}

fn unit_same(x: Option<&Word>, y: Option<&Word>) -> bool {
    match (x, y) {
        (Some(x), Some(y)) => x.hash == y.hash || x.sense.zip(y.sense).is_some_and(|(x, y)| x.same(y)),
        (None, None) => true,
        _ => false,
    }
}

fn digits(w: &Word) -> String {
    w.stem.chars().filter(char::is_ascii_digit).collect()
}

/// Fields whose words exclude each other, and their bits.
const CLOSED: [&str; 9] = ["ordinal", "weekday", "month", "season", "daytime", "half", "side", "colour", "kin"];
static CLOSED_FIELDS: LazyLock<[u64; 9]> = LazyLock::new(|| CLOSED.map(|name| 1 << lexicon::field(name)));

pub(super) fn values(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    use Group::Values as G;
    let numeric = |w: &Word| w.number.is_some() || w.kind == Kind::Number;
    let (mut same_unit, mut other_unit, mut changed, mut fresh, mut gone, mut gone_unit) =
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (j, _) in b.iter().enumerate().filter(|(_, w)| numeric(w)) {
        let u = unit(b, j);
        match al.of_b[j] {
            Some(m) if unit_same(unit(a, al.matches[m].a), u) => same_unit += 1.0,
            Some(_) => other_unit += 1.0,
            None if a.iter().enumerate().any(|(i, x)| numeric(x) && !al.met_a(i) && unit_same(unit(a, i), u)) => {
                changed += 1.0;
            }
            None => fresh += 1.0,
        }
    }
    for (i, _) in a.iter().enumerate().filter(|(i, w)| numeric(w) && !al.met_a(*i)) {
        gone += 1.0;
        let u = unit(a, i);
        if b.iter().enumerate().any(|(j, y)| numeric(y) && unit_same(unit(b, j), u)) {
            gone_unit += 1.0;
        }
    }
    s.put(G, "number_same_unit", same_unit);
    s.put(G, "number_other_unit", other_unit);
    s.put(G, "number_changed", changed);
    s.put(G, "number_new", fresh);
    s.put(G, "number_gone", gone);
    s.put(G, "number_gone_with_unit", gone_unit);
    let count = |w: &[Word]| w.iter().filter(|w| numeric(w)).count() as f32;
    s.put(G, "numbers_a", count(a));
    s.put(G, "numbers_b", count(b));
    // Identifiers: the same, or one that looks like its neighbour.
    let codes = |w: &'_ [Word]| -> Vec<usize> {
        w.iter()
            .enumerate()
            .filter(|(_, w)| w.kind == Kind::Code || (w.kind == Kind::Number && w.stem.len() >= 4))
            .map(|(i, _)| i)
            .collect()
    };
    let (ca, cb) = (codes(a), codes(b));
    let (mut kept, mut near, mut far) = (0.0, 0.0, 0.0);
    for j in &cb {
        if al.met_b(*j) {
            kept += 1.0;
        } else if ca.iter().any(|i| {
            let (x, y) = (digits(&a[*i]), digits(&b[*j]));
            let letters = |w: &Word| w.stem.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            !al.met_a(*i) && letters(&a[*i]) == letters(&b[*j]) && x.len() == y.len() && x != y
        }) {
            near += 1.0;
        } else {
            far += 1.0;
        }
    }
    s.put(G, "code_kept", kept);
    s.put(G, "code_next", near);
    s.put(G, "code_new", far);
    s.put(G, "code_gone", ca.iter().filter(|i| !al.met_a(**i)).count() as f32);
    // Members of closed sets: kept, exchanged for another member, new, gone.
    let any = a.iter().chain(b).filter_map(|w| w.sense).fold(0, |f, s| f | s.fields());
    for (name, field) in CLOSED.iter().zip(&*CLOSED_FIELDS) {
        let (mut kept, mut new, mut gone) = (0usize, 0usize, 0usize);
        // Most texts speak of none.
        if any & field != 0 {
            let of = |w: &Word| w.sense.is_some_and(|s| s.fields() & field != 0);
            let all = (0..b.len()).filter(|j| of(&b[*j])).count();
            new = (0..b.len()).filter(|j| of(&b[*j]) && !al.met_b(*j)).count();
            gone = (0..a.len()).filter(|i| of(&a[*i]) && !al.met_a(*i)).count();
            kept = all - new;
        }
        s.each(G, name, "kept", kept as f32);
        s.each(G, name, "exchanged", new.min(gone) as f32);
        s.each(G, name, "new", new.saturating_sub(gone) as f32);
    }
}
