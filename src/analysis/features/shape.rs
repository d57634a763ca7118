//! Order, neighbours, clauses, and what stands in place of what.

use super::sheet::{Group, Sheet, flag, ratio};
use crate::analysis::align::Alignment;
use crate::analysis::words::{Mark, Part, Word};

pub(super) fn shape(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    use Group::Shape as G;
    let content =
        |w: &[Word]| -> Vec<usize> { w.iter().enumerate().filter(|(_, w)| w.weight > 0.0).map(|(i, _)| i).collect() };
    let (ia, ib) = (content(a), content(b));
    let order = al.in_order(a);
    s.put(G, "in_order_a", ratio(order.len() as f32, ia.len() as f32));
    s.put(G, "in_order_b", ratio(order.len() as f32, ib.len() as f32));
    let matched = al.matches.iter().filter(|m| b[m.b].weight > 0.0).count() as f32;
    s.put(G, "in_order_share", ratio(order.len() as f32, matched));
    // Neighbours that stay neighbours: shared words in the same company.
    let rank_a = |i: usize| ia.binary_search(&i).unwrap_or(usize::MAX / 2);
    let mut pairs = 0.0;
    let mut steps = 0.0;
    for w in ib.windows(2) {
        if let (Some(x), Some(y)) = (al.of_b[w[0]], al.of_b[w[1]]) {
            steps += 1.0;
            let (p, q) = (rank_a(al.matches[x].a), rank_a(al.matches[y].a));
            if q == p + 1 || p == q + 1 {
                pairs += 1.0;
            }
        }
    }
    s.put(G, "pairs_kept", ratio(pairs, ib.len().saturating_sub(1) as f32));
    s.put(G, "pairs_kept_of_met", ratio(pairs, steps));
    let head = |ix: &[usize], n: usize, f: &dyn Fn(usize) -> f32| {
        ratio(ix.iter().take(n).map(|i| f(*i)).sum(), ix.len().min(n) as f32)
    };
    let (fa, fb) = (|i: usize| al.score_a(i), |j: usize| al.score_b(j));
    for (n, name) in [(1, "1"), (2, "2"), (3, "3"), (5, "5")] {
        s.each(G, "lead_b_met", name, head(&ib, n, &fb));
        s.each(G, "lead_a_met", name, head(&ia, n, &fa));
    }
    let tail: Vec<usize> = ib.iter().rev().copied().collect();
    s.put(G, "tail_b_met", head(&tail, 3, &fb));
    let tail_a: Vec<usize> = ia.iter().rev().copied().collect();
    s.put(G, "tail_a_met", head(&tail_a, 3, &fa));
    // Where the stored memory's first words went in the new one.
    let place = |i: usize| {
        al.of_a[i].map_or(-1.0, |m| ratio(ib.binary_search(&al.matches[m].b).unwrap_or(0) as f32, ib.len() as f32))
    };
    s.put(G, "first_a_at", ia.first().map_or(-1.0, |i| place(*i)));
    s.put(G, "second_a_at", ia.get(1).map_or(-1.0, |i| place(*i)));
    s.put(G, "first_unmet_at", ib.iter().position(|j| !al.met_b(*j)).map_or(1.0, |p| ratio(p as f32, ib.len() as f32)));
    let unmet: Vec<usize> = ib.iter().copied().filter(|j| !al.met_b(*j)).collect();
    let mean = ratio(unmet.iter().map(|j| ib.binary_search(j).unwrap_or(0) as f32).sum::<f32>(), unmet.len() as f32);
    s.put(G, "unmet_mean_at", if unmet.is_empty() { -1.0 } else { ratio(mean, ib.len() as f32) });
    s.put(G, "unmet_run_b", longest_run(ib.iter().map(|j| !al.met_b(*j))));
    s.put(G, "unmet_run_a", longest_run(ia.iter().map(|i| !al.met_a(*i))));
    s.put(G, "met_run_b", longest_run(ib.iter().map(|j| al.met_b(*j))));
    // Korean: what is spoken of, and who does it.
    for (n, p) in [
        ("topic", Part::Topic),
        ("subject", Part::Subject),
        ("object", Part::Object),
        ("also", Part::Also),
        ("of", Part::Of),
    ] {
        let of = |w: &[Word], f: &dyn Fn(usize) -> f32| {
            w.iter().enumerate().find(|(_, w)| w.part == p && !w.function).map_or(-1.0, |(i, _)| f(i))
        };
        s.each(G, "first_b", n, of(b, &fb));
        s.each(G, "first_a", n, of(a, &fa));
        s.each(
            G,
            "unmet_b",
            n,
            b.iter().enumerate().filter(|(j, w)| w.part == p && !w.function && !al.met_b(*j)).count() as f32,
        );
    }
    // Topic of the new one was topic (or subject) of the stored one.
    let lead = |w: &[Word]| w.iter().position(|w| matches!(w.part, Part::Topic | Part::Subject) && !w.function);
    s.put(
        G,
        "topic_kept",
        match (lead(a), lead(b)) {
            (Some(i), Some(j)) => flag(al.of_b[j].is_some_and(|m| al.matches[m].a == i)),
            _ => -1.0,
        },
    );
    let clauses = |w: &[Word]| {
        let mut c: Vec<u8> = w.iter().map(|w| w.clause).collect();
        c.dedup();
        c.len() as f32
    };
    s.put(G, "clauses_a", clauses(a));
    s.put(G, "clauses_b", clauses(b));
    // The clause of the new memory that has least to do with the stored one, and the one that has most.
    let (mut low, mut high) = (1.0f32, 0.0f32);
    let mut c = 0;
    while c < b.len() {
        let end = (c..b.len()).find(|k| b[*k].clause != b[c].clause).unwrap_or(b.len());
        let (mut got, mut all) = (0.0, 0.0);
        for (k, w) in b.iter().enumerate().take(end).skip(c) {
            got += w.weight * al.score_b(k);
            all += w.weight;
        }
        if all > 1.0 {
            low = low.min(got / all);
            high = high.max(got / all);
        }
        c = end;
    }
    s.put(G, "clause_least", low);
    s.put(G, "clause_most", high);
    gaps(a, b, al, &order, s);
}

/// How many in a row are so, at most.
fn longest_run(are_so: impl Iterator<Item = bool>) -> f32 {
    let (mut run, mut longest) = (0.0f32, 0.0f32);
    for is_so in are_so {
        run = if is_so { run + 1.0 } else { 0.0 };
        longest = longest.max(run);
    }
    longest
}

/// What stands in place of what, between words that kept their order.
fn gaps(a: &[Word], b: &[Word], al: &Alignment, order: &[usize], s: &mut Sheet) {
    use Group::Shape as G;
    let (mut numbers, mut siblings, mut names, mut field, mut other, mut verbs, mut added, mut dropped) =
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut largest_added, mut edge_start, mut edge_end) = (0.0f32, 0.0, 0.0);
    let mut from = (0usize, 0usize);
    let ends = order.iter().map(|m| (al.matches[*m].a, al.matches[*m].b)).chain(std::iter::once((a.len(), b.len())));
    for (n, (ea, eb)) in ends.enumerate() {
        let ga: Vec<&Word> = a[from.0.min(ea)..ea]
            .iter()
            .enumerate()
            .filter(|(i, w)| w.weight > 0.0 && !al.met_a(from.0 + i))
            .map(|(_, w)| w)
            .collect();
        let gb: Vec<&Word> = b[from.1.min(eb)..eb]
            .iter()
            .enumerate()
            .filter(|(j, w)| w.weight > 0.0 && !al.met_b(from.1 + j))
            .map(|(_, w)| w)
            .collect();
        if ga.is_empty() {
            added += gb.len() as f32;
            largest_added = largest_added.max(gb.len() as f32);
        } else if gb.is_empty() {
            dropped += ga.len() as f32;
        } else {
            if ga.iter().any(|x| x.number.is_some()) && gb.iter().any(|x| x.number.is_some()) {
                numbers += 1.0;
            }
            if ga.iter().any(|x| {
                sibling(x) && gb.iter().any(|y| sibling(y) && x.sense.map(|s| s.field()) == y.sense.map(|s| s.field()))
            }) {
                siblings += 1.0;
            }
            if ga.iter().any(|x| x.is(Mark::Name)) && gb.iter().any(|x| x.is(Mark::Name)) {
                names += 1.0;
            }
            if ga.iter().any(|x| x.is(Mark::Verb)) && gb.iter().any(|x| x.is(Mark::Verb)) {
                verbs += 1.0;
            }
            let fields = |g: &[&Word]| {
                g.iter().filter(|w| w.is(Mark::Noun)).filter_map(|w| w.sense).fold(0u64, |f, s| f | s.fields())
            };
            let (x, y) = (fields(&ga), fields(&gb));
            if x & y != 0 {
                field += 1.0;
            } else if x != 0 && y != 0 {
                other += 1.0;
            }
        }
        if n == 0 {
            edge_start = gb.len() as f32;
        }
        if ea == a.len() {
            edge_end = gb.len() as f32;
        }
        from = (ea + 1, eb + 1);
    }
    for (n, v) in [
        ("numbers", numbers),
        ("siblings", siblings),
        ("names", names),
        ("same_field", field),
        ("other_field", other),
        ("verbs", verbs),
        ("added", added),
        ("dropped", dropped),
        ("largest_added", largest_added),
        ("new_at_start", edge_start),
        ("new_at_end", edge_end),
    ] {
        s.each(G, "gap", n, v);
    }
}

fn sibling(w: &Word) -> bool {
    w.is(Mark::Sibling)
}
