//! Entities: which each side has of the other's.

use super::sheet::{Group, Sheet, flag, ratio};
use crate::analysis::align::cover;
use crate::analysis::reading::Reading;
use crate::analysis::words::Word;

pub(super) fn entities(a: &Reading, b: &Reading, s: &mut Sheet) {
    use Group::Entities as G;
    let b_in_a: Vec<f32> = b.entities.iter().map(|e| cover(e, &a.words)).collect();
    let a_in_b: Vec<f32> = a.entities.iter().map(|e| cover(e, &b.words)).collect();
    let exact = |e: &[Word], list: &[Vec<Word>]| {
        list.iter().any(|f| f.len() == e.len() && f.iter().zip(e).all(|(x, y)| x.hash == y.hash))
    };
    let mean = |v: &[f32]| if v.is_empty() { -1.0 } else { v.iter().sum::<f32>() / v.len() as f32 };
    s.put(G, "entities_b_in_a", mean(&b_in_a));
    s.put(G, "entities_a_in_b", mean(&a_in_b));
    s.put(G, "entity_b_first_in_a", b_in_a.first().copied().unwrap_or(-1.0));
    s.put(G, "entity_b_second_in_a", b_in_a.get(1).copied().unwrap_or(-1.0));
    s.put(G, "entity_b_last_in_a", b_in_a.last().copied().unwrap_or(-1.0));
    s.put(G, "entity_a_first_in_b", a_in_b.first().copied().unwrap_or(-1.0));
    s.put(G, "entity_a_second_in_b", a_in_b.get(1).copied().unwrap_or(-1.0));
    s.put(G, "entity_a_last_in_b", a_in_b.last().copied().unwrap_or(-1.0));
    s.put(G, "entities_new", b_in_a.iter().filter(|c| **c < 0.5).count() as f32);
    s.put(G, "entities_part_new", b_in_a.iter().filter(|c| (0.2..0.9).contains(*c)).count() as f32);
    s.put(G, "entities_gone", a_in_b.iter().filter(|c| **c < 0.5).count() as f32);
    s.put(G, "entities_same", b.entities.iter().filter(|e| exact(e, &a.entities)).count() as f32);
    s.put(G, "entity_first_same", flag(b.entities.first().is_some_and(|e| exact(e, &a.entities))));
    s.put(
        G,
        "entity_first_same_first",
        flag(match (a.entities.first(), b.entities.first()) {
            (Some(x), Some(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.hash == y.hash),
            _ => false,
        }),
    );
    s.put(G, "entities_b", b.entities.len() as f32);
    s.put(G, "entities_a", a.entities.len() as f32);
    let cover_list = |e: &[Word], list: &[Vec<Word>]| list.iter().map(|f| cover(e, f)).fold(0.0f32, f32::max);
    s.put(G, "entity_b_first_in_entities", b.entities.first().map_or(-1.0, |e| cover_list(e, &a.entities)));
    s.put(G, "entity_a_first_in_entities", a.entities.first().map_or(-1.0, |e| cover_list(e, &b.entities)));
    // A first entity that keeps some words and changes others: the next invoice, the other class.
    let first = b_in_a.first().copied().unwrap_or(-1.0);
    s.put(G, "entity_b_first_partly", flag((0.2..0.95).contains(&first)));
    let start = |e: Option<&Vec<Word>>, w: &[Word]| {
        let Some(e) = e else { return -1.0 };
        w.iter()
            .position(|w| e.iter().any(|x| x.hash == w.hash && x.weight > 0.0))
            .map_or(-1.0, |p| ratio(p as f32, w.len() as f32))
    };
    s.put(G, "entity_a_first_at_in_b", start(a.entities.first(), &b.words));
    s.put(G, "entity_b_first_at_in_b", start(b.entities.first(), &b.words));
    s.put(G, "entity_a_first_at_in_a", start(a.entities.first(), &a.words));
}
