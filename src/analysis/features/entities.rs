//! Features that compare the entities of both sides.

use super::sheet::{Group, Sheet, flag};
use crate::analysis::align::cover;
use crate::analysis::reading::Reading;
use crate::analysis::words::Word;

pub(super) fn entities(a: &Reading, b: &Reading, s: &mut Sheet) {
    use Group::Entities as G;
    let b_in_a: Vec<f32> = b.entities.iter().map(|e| cover(e, &a.words)).collect();
    let a_in_b: Vec<f32> = a.entities.iter().map(|e| cover(e, &b.words)).collect();
    let same = |x: &[Word], y: &[Word]| x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.hash == y.hash);
    let exact = |e: &[Word], list: &[Vec<Word>]| list.iter().any(|f| same(f, e));
    let mean = |v: &[f32]| if v.is_empty() { -1.0 } else { v.iter().sum::<f32>() / v.len() as f32 };
    s.put(G, "entities_b_in_a", mean(&b_in_a));
    s.put(G, "entity_b_first_in_a", b_in_a.first().copied().unwrap_or(-1.0));
    s.put(G, "entity_a_first_in_b", a_in_b.first().copied().unwrap_or(-1.0));
    s.put(G, "entities_new", b_in_a.iter().filter(|c| **c < 0.5).count() as f32);
    s.put(G, "entities_gone", a_in_b.iter().filter(|c| **c < 0.5).count() as f32);
    let (first_a, first_b) = (a.entities.first(), b.entities.first());
    s.put(G, "entity_first_same", flag(first_b.is_some_and(|e| exact(e, &a.entities))));
    s.put(G, "entity_first_same_first", flag(first_a.zip(first_b).is_some_and(|(x, y)| same(x, y))));
    s.put(G, "entities_b", b.entities.len() as f32);
    s.put(G, "entities_a", a.entities.len() as f32);
    let cover_list = |e: &Vec<Word>, list: &[Vec<Word>]| list.iter().map(|f| cover(e, f)).fold(0.0f32, f32::max);
    s.put(G, "entity_b_first_in_entities", first_b.map_or(-1.0, |e| cover_list(e, &a.entities)));
    s.put(G, "entity_a_first_in_entities", first_a.map_or(-1.0, |e| cover_list(e, &b.entities)));
}
