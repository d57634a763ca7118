//! Features on paired values (same, different, new or gone), and on numbers with their units.

use super::sheet::{Sheet, flag, ratio};
use crate::analysis::align::Alignment;
use crate::analysis::pairing::{Pairing, words_of};
use crate::analysis::reading::Reading;
use crate::analysis::words::{Kind, Word};
use crate::language::{Match, ValueKind};

pub fn features(a: &Reading, b: &Reading, p: &Pairing, s: &mut Sheet) {
    let (va, vb) = (&a.values, &b.values);
    let (mut same, mut loose, mut other, mut fresh) = (0.0, 0.0, 0.0, 0.0);
    let (mut near_other, mut instance_other, mut identifier, mut first_other) = (0.0, 0.0, 0.0, -1.0f32);
    for (j, (v, mate)) in vb.iter().zip(&p.of_b).enumerate() {
        match mate {
            Some((_, Match::Same)) => same += 1.0,
            Some((_, Match::Compatible)) => loose += 1.0,
            Some(_) => {
                other += 1.0;
                near_other += f32::from(p.near[j].min(2));
                instance_other += flag(v.value.names_an_instance());
                identifier += flag(v.value.kind() == ValueKind::Identifier);
                if first_other < 0.0 {
                    first_other = ratio(words_of(&b.words, v).0 as f32, b.words.len() as f32);
                }
            }
            None => fresh += 1.0,
        }
    }
    let gone = p.of_a.iter().filter(|mate| mate.is_none()).count() as f32;
    s.put("value_compatible", loose);
    s.put("value_different", other);
    s.put("value_different_beside_known", near_other);
    s.put("value_first_different_at", first_other);
    s.put("value_kept_share_a", ratio(same + loose, va.len() as f32));
    s.put("value_kept_share_b", ratio(same + loose, vb.len() as f32));
    s.put("value_different_or_new", other + fresh);
    s.put("value_none_differs", flag(other + fresh == 0.0 && !vb.is_empty()));
    s.put("value_all_kept", flag(other + fresh + gone == 0.0 && !va.is_empty()));
    s.put("value_one_differs", flag(other == 1.0 && fresh == 0.0));
    s.put("instance_other", instance_other);
    s.put("identifier_changed", identifier);
}

/// The unit of a number: the joined or next content word, or else the word before.
fn unit(w: &[Word], i: usize) -> Option<&Word> {
    w.get(i + 1)
        .filter(|n| n.joined || (n.weight > 0.0 && n.number.is_none() && n.clause == w[i].clause))
        .or_else(|| i.checked_sub(1).and_then(|p| w.get(p)))
}

fn unit_same(x: Option<&Word>, y: Option<&Word>) -> bool {
    match (x, y) {
        (Some(x), Some(y)) => x.hash == y.hash || x.shares_sense(y),
        (x, y) => x.is_none() && y.is_none(),
    }
}

pub(super) fn numbers(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    let numeric = |w: &Word| w.number.is_some() || w.kind == Kind::Number;
    let (mut other_unit, mut changed) = (0.0, 0.0);
    for (j, _) in b.iter().enumerate().filter(|(_, w)| numeric(w)) {
        let u = unit(b, j);
        match al.of_b[j] {
            Some(m) if unit_same(unit(a, al.matches[m].a), u) => {}
            Some(_) => other_unit += 1.0,
            None => {
                let gone = |(i, x): (usize, &Word)| numeric(x) && !al.met_a(i) && unit_same(unit(a, i), u);
                changed += flag(a.iter().enumerate().any(gone));
            }
        }
    }
    s.put("number_other_unit", other_unit);
    s.put("number_changed", changed);
}
