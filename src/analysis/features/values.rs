//! What came of the pairing: values that are the same, differ, are new or gone, by kind.

use super::sheet::{Group, Sheet, ratio};
use crate::analysis::pairing::{KINDS, Pairing, words_of};
use crate::analysis::reading::Reading;
use crate::language::{Bound, Found, Match, Number, Value};

/// The features of a pairing.
pub fn features(a: &Reading, b: &Reading, p: &Pairing, s: &mut Sheet) {
    use Group::Values as G;
    let (va, vb) = (&a.values, &b.values);
    let mut kinds = [[0.0f32; 4]; KINDS.len()];
    let slot = |v: &Value| KINDS.iter().position(|k| k.0 == v.kind());
    let (mut same, mut loose, mut other, mut fresh) = (0.0, 0.0, 0.0, 0.0);
    let (
        mut near_other,
        mut near_same,
        mut instance_same,
        mut instance_other,
        mut instance_new,
        mut property_other,
        mut property_new,
    ) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut bound, mut first_other, mut first_instance) = (0.0, -1.0f32, -1.0f32);
    for (j, (v, mate)) in vb.iter().zip(&p.of_b).enumerate() {
        let k = slot(&v.value);
        let instance = v.value.names_an_instance();
        let mut count = |n: usize| {
            if let Some(k) = k {
                kinds[k][n] += 1.0;
            }
        };
        let at = ratio(words_of(&b.words, v).0 as f32, b.words.len() as f32);
        match mate {
            Some((i, how)) => {
                let near = f32::from(p.near[j].min(2));
                match how {
                    Match::Same | Match::Compatible => {
                        if *how == Match::Same {
                            same += 1.0
                        } else {
                            loose += 1.0
                        }
                        count(0);
                        near_same += near;
                        instance_same += f32::from(u8::from(instance));
                        if va[*i].bound != v.bound && (va[*i].bound != Bound::About || v.bound != Bound::Exact) {
                            bound += 1.0;
                        }
                    }
                    _ => {
                        other += 1.0;
                        count(1);
                        near_other += near;
                        if instance {
                            instance_other += 1.0;
                            if first_instance < 0.0 {
                                first_instance = at;
                            }
                        } else {
                            property_other += 1.0;
                        }
                        if first_other < 0.0 {
                            first_other = at;
                        }
                    }
                }
            }
            None => {
                fresh += 1.0;
                count(2);
                if instance {
                    instance_new += 1.0;
                    if first_instance < 0.0 {
                        first_instance = at;
                    }
                } else {
                    property_new += 1.0;
                }
            }
        }
    }
    let mut gone = 0.0;
    let mut instance_gone = 0.0;
    let mut first_gone = -1.0f32;
    for (v, mate) in va.iter().zip(&p.of_a) {
        if mate.is_none() {
            gone += 1.0;
            instance_gone += f32::from(u8::from(v.value.names_an_instance()));
            if let Some(k) = slot(&v.value) {
                kinds[k][3] += 1.0;
            }
            if first_gone < 0.0 {
                first_gone = ratio(words_of(&a.words, v).0 as f32, a.words.len() as f32);
            }
        }
    }
    for (name, v) in [
        ("same", same),
        ("compatible", loose),
        ("different", other),
        ("new", fresh),
        ("gone", gone),
        ("different_beside_known", near_other),
        ("same_beside_known", near_same),
        ("bound_changed", bound),
        ("first_different_at", first_other),
        ("first_instance_at", first_instance),
        ("first_gone_at", first_gone),
        ("kept_share_a", ratio(same + loose, va.len() as f32)),
        ("kept_share_b", ratio(same + loose, vb.len() as f32)),
        ("different_or_new", other + fresh),
        ("none_differs", f32::from(u8::from(other + fresh == 0.0 && !vb.is_empty()))),
        ("all_kept", f32::from(u8::from(other + fresh + gone == 0.0 && !va.is_empty()))),
        ("one_differs", f32::from(u8::from(other == 1.0 && fresh == 0.0))),
        ("count_a", va.len() as f32),
        ("count_b", vb.len() as f32),
    ] {
        s.each(G, "value", name, v);
    }
    for (name, v) in
        [("same", instance_same), ("other", instance_other), ("new", instance_new), ("gone", instance_gone)]
    {
        s.each(G, "instance", name, v);
    }
    s.each(G, "property", "changed", property_other);
    s.each(G, "property", "new", property_new);
    for ((_, name), n) in KINDS.iter().zip(kinds) {
        for (what, v) in ["same", "changed", "added", "gone"].iter().zip(n) {
            s.each(G, name, what, v);
        }
    }
    let (derived, underived) = derived(va, vb, p);
    s.each(G, "value", "derived", derived);
    s.each(G, "value", "underived", underived);
    // States: which side settles, which takes back.
    let states = |v: &[Found]| {
        v.iter().fold((0.0f32, 0.0f32, 0.0f32), |n, f| match &f.value {
            Value::Status { state, negated } => {
                let p = f32::from(state.polarity()) * if *negated { -1.0 } else { 1.0 };
                (n.0 + p, n.1 + 1.0, n.2 + f32::from(u8::from(*negated)))
            }
            _ => n,
        })
    };
    let (x, y) = (states(va), states(vb));
    s.put(G, "status_polarity_a", x.0);
    s.put(G, "status_polarity_b", y.0);
    s.put(G, "status_count_a", x.1);
    s.put(G, "status_count_b", y.1);
    s.put(G, "status_negated_b", y.2);
}

/// What a value counts, as a bare number.
fn amount(v: &Value) -> Option<f64> {
    match v {
        Value::Duration(d) if d.months == 0 => Some(d.seconds as f64 / 86_400.0),
        Value::Duration(d) => Some(f64::from(d.months)),
        v => v.amount().map(Number::as_f64),
    }
}

/// How many new amounts follow from the others by one step of arithmetic, and how many do not: a yearly sum of a
/// monthly one, what is left of a total, a share as a percentage.
fn derived(va: &[Found], vb: &[Found], p: &Pairing) -> (f32, f32) {
    const STEPS: [f64; 10] = [12.0, 52.0, 4.0, 7.0, 1000.0, 60.0, 24.0, 2.0, 10.0, 30.0];
    let a: Vec<f64> = va.iter().filter_map(|f| amount(&f.value)).take(12).collect();
    let b: Vec<f64> = vb.iter().filter_map(|f| amount(&f.value)).take(12).collect();
    let is = |x: f64, y: f64| (x - y).abs() <= 1e-6 * y.abs().max(1e-9);
    let (mut yes, mut no) = (0.0, 0.0);
    for (v, mate) in vb.iter().zip(&p.of_b) {
        let Some(n) = amount(&v.value).filter(|n| *n != 0.0) else { continue };
        if mate.is_some_and(|(_, how)| how.agrees()) {
            continue;
        }
        let stepped = a.iter().any(|x| is(100.0 - x, n) || STEPS.iter().any(|s| is(x * s, n) || is(x / s, n)));
        let pairs = || a.iter().flat_map(|x| a.iter().chain(&b).map(move |y| (*x, *y)));
        let combined = pairs().any(|(x, y)| {
            !is(x, 0.0)
                && !is(y, 0.0)
                && !is(y, n)
                && !is(x, n)
                && (is(x - y, n)
                    || is(y - x, n)
                    || is(x * y, n)
                    || is(x + y, n)
                    || is(100.0 * x / y, n)
                    || is(x * y / 100.0, n))
        });
        if stepped || combined { yes += 1.0 } else { no += 1.0 }
    }
    (yes, no)
}
