//! Features on word order, neighbours, clauses and replaced words.

use super::sheet::{Sheet, ratio};
use crate::analysis::align::Alignment;
use crate::analysis::words::{Part, Word};

pub(super) fn shape(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    let content =
        |w: &[Word]| -> Vec<usize> { w.iter().enumerate().filter(|(_, w)| w.weight > 0.0).map(|(i, _)| i).collect() };
    let (ia, ib) = (content(a), content(b));
    let order = al.in_order(a);
    s.put("in_order_a", ratio(order.len() as f32, ia.len() as f32));
    s.put("in_order_b", ratio(order.len() as f32, ib.len() as f32));
    let matched = al.matches.iter().filter(|m| b[m.b].weight > 0.0).count() as f32;
    s.put("in_order_share", ratio(order.len() as f32, matched));
    // Neighbours that stay neighbours: shared words in the same context.
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
    s.put("pairs_kept_of_met", ratio(pairs, steps));
    let head = |ix: &[usize], n: usize, f: &dyn Fn(usize) -> f32| {
        ratio(ix.iter().take(n).map(|i| f(*i)).sum(), ix.len().min(n) as f32)
    };
    let (fa, fb) = (|i: usize| al.score_a(i), |j: usize| al.score_b(j));
    for (n, of_b, of_a) in [
        (1, "lead_b_met_1", "lead_a_met_1"),
        (2, "lead_b_met_2", "lead_a_met_2"),
        (3, "lead_b_met_3", "lead_a_met_3"),
        (5, "lead_b_met_5", "lead_a_met_5"),
    ] {
        s.put(of_b, head(&ib, n, &fb));
        s.put(of_a, head(&ia, n, &fa));
    }
    let tail: Vec<usize> = ib.iter().rev().copied().collect();
    s.put("tail_b_met", head(&tail, 3, &fb));
    // The position of the stored memory's first word in the new one.
    let place = |i: usize| {
        al.of_a[i].map_or(-1.0, |m| ratio(ib.binary_search(&al.matches[m].b).unwrap_or(0) as f32, ib.len() as f32))
    };
    s.put("first_a_at", ia.first().map_or(-1.0, |i| place(*i)));
    s.put("first_unmet_at", ib.iter().position(|j| !al.met_b(*j)).map_or(1.0, |p| ratio(p as f32, ib.len() as f32)));
    let unmet: Vec<usize> = (0..ib.len()).filter(|n| !al.met_b(ib[*n])).collect();
    let mean = ratio(unmet.iter().map(|n| *n as f32).sum::<f32>(), unmet.len() as f32);
    s.put("unmet_mean_at", if unmet.is_empty() { -1.0 } else { ratio(mean, ib.len() as f32) });
    s.put("met_run_b", longest_run(ib.iter().map(|j| al.met_b(*j))));
    // Korean topic and object words.
    let of_part = |p: Part| b.iter().enumerate().filter(move |(_, w)| w.part == p && !w.function).map(|(j, _)| j);
    for (part, first, unmet) in
        [(Part::Topic, "first_b_topic", "unmet_b_topic"), (Part::Object, "first_b_object", "unmet_b_object")]
    {
        s.put(first, of_part(part).next().map_or(-1.0, fb));
        s.put(unmet, of_part(part).filter(|j| !al.met_b(*j)).count() as f32);
    }
    let mut clauses: Vec<u8> = b.iter().map(|w| w.clause).collect();
    clauses.dedup();
    s.put("clauses_b", clauses.len() as f32);
    // Coverage of the new memory's least and best covered clause.
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
    s.put("clause_least", low);
    s.put("clause_most", high);
    gaps(a, b, al, &order, s);
}

/// The length of the longest run of `true`.
fn longest_run(are_so: impl Iterator<Item = bool>) -> f32 {
    let (mut run, mut longest) = (0.0f32, 0.0f32);
    for is_so in are_so {
        run = if is_so { run + 1.0 } else { 0.0 };
        longest = longest.max(run);
    }
    longest
}

/// Features on words replaced between the matches of `order`.
fn gaps(a: &[Word], b: &[Word], al: &Alignment, order: &[usize], s: &mut Sheet) {
    let (mut numbers, mut at_end) = (0.0, 0);
    let mut from = (0usize, 0usize);
    let ends = order.iter().map(|m| (al.matches[*m].a, al.matches[*m].b)).chain(std::iter::once((a.len(), b.len())));
    for (ea, eb) in ends {
        let ga = (from.0.min(ea)..ea).filter(|i| a[*i].weight > 0.0 && !al.met_a(*i));
        let gb = || (from.1.min(eb)..eb).filter(|j| b[*j].weight > 0.0 && !al.met_b(*j));
        if ga.into_iter().any(|i| a[i].number.is_some()) && gb().any(|j| b[j].number.is_some()) {
            numbers += 1.0;
        }
        if ea == a.len() {
            at_end = gb().count();
        }
        from = (ea + 1, eb + 1);
    }
    s.put("gap_numbers", numbers);
    s.put("gap_new_at_end", at_end as f32);
}
