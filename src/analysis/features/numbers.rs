//! Features on numbers that changed or kept their value with another unit.

use super::sheet::{Group, Sheet};
use crate::analysis::align::Alignment;
use crate::analysis::words::{Kind, Word};

/// The unit of a number: the joined or next content word, or else the word before.
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

pub(super) fn values(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    use Group::Values as G;
    let numeric = |w: &Word| w.number.is_some() || w.kind == Kind::Number;
    let (mut other_unit, mut changed) = (0.0, 0.0);
    for (j, _) in b.iter().enumerate().filter(|(_, w)| numeric(w)) {
        let u = unit(b, j);
        match al.of_b[j] {
            Some(m) if unit_same(unit(a, al.matches[m].a), u) => {}
            Some(_) => other_unit += 1.0,
            None => {
                let gone = |(i, x): (usize, &Word)| numeric(x) && !al.met_a(i) && unit_same(unit(a, i), u);
                changed += f32::from(u8::from(a.iter().enumerate().any(gone)));
            }
        }
    }
    s.put(G, "number_other_unit", other_unit);
    s.put(G, "number_changed", changed);
}
