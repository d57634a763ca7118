//! Features on word order, neighbours, clauses, replaced words and subject parts.

use super::coverage::weighted;
use super::sheet::{Sheet, flag, ratio};
use crate::analysis::align::{Alignment, How, WordMatch};
use crate::analysis::words::{Part, Word, subject_end};
use crate::language::words;

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
    let rank_a = |m: usize| ia.binary_search(&al.matches[m].a).unwrap_or(usize::MAX / 2);
    let steps = ib.windows(2).filter_map(|w| Some((rank_a(al.of_b[w[0]]?), rank_a(al.of_b[w[1]]?))));
    let kept: Vec<bool> = steps.map(|(p, q)| p.abs_diff(q) == 1).collect();
    s.put("pairs_kept_of_met", ratio(kept.iter().filter(|is_kept| **is_kept).count() as f32, kept.len() as f32));
    let head = |ix: &[usize], n: usize, scores: &[f32]| {
        ratio(ix.iter().take(n).map(|i| scores[*i]).sum(), ix.len().min(n) as f32)
    };
    for (n, of_b, of_a) in [
        (1, "lead_b_met_1", "lead_a_met_1"),
        (2, "lead_b_met_2", "lead_a_met_2"),
        (3, "lead_b_met_3", "lead_a_met_3"),
        (5, "lead_b_met_5", "lead_a_met_5"),
    ] {
        s.put(of_b, head(&ib, n, &al.scores_b));
        s.put(of_a, head(&ia, n, &al.scores_a));
    }
    let tail: Vec<usize> = ib.iter().rev().copied().collect();
    s.put("tail_b_met", head(&tail, 3, &al.scores_b));
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
        s.put(first, of_part(part).next().map_or(-1.0, |j| al.scores_b[j]));
        s.put(unmet, of_part(part).filter(|j| !al.met_b(*j)).count() as f32);
    }
    // Coverage of the new memory's least and best covered clause.
    let (mut low, mut high, mut at, mut clauses) = (1.0f32, 0.0f32, 0, 0.0);
    for clause in b.chunk_by(|x, y| x.clause == y.clause) {
        if clause.iter().map(|w| w.weight).sum::<f32>() > 1.0 {
            let covered = weighted(clause, &al.scores_b[at..]);
            (low, high) = (low.min(covered), high.max(covered));
        }
        (at, clauses) = (at + clause.len(), clauses + 1.0);
    }
    s.put("clauses_b", clauses);
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

/// Compares the subject parts.
pub(super) fn subject(wa: &[Word], wb: &[Word], al: &Alignment, s: &mut Sheet) {
    let (ea, eb) = (subject_end(wa), subject_end(wb));
    let share = |words: &[Word], scores: &[f32]| {
        if words.iter().any(|w| w.weight > 0.0) { weighted(words, scores) } else { -1.0 }
    };
    // The scores of the matches between the two subject parts.
    let (mut inside, mut back) = (vec![0.0; eb], vec![0.0; ea]);
    for m in al.matches.iter().filter(|m| m.a < ea && m.b < eb) {
        (inside[m.b], back[m.a]) = (m.score, m.score);
    }
    s.put("frame_b_met", share(&wb[..eb], &al.scores_b));
    s.put("frame_b_met_in_frame", share(&wb[..eb], &inside));
    s.put("frame_a_met", share(&wa[..ea], &al.scores_a));
    s.put("frame_a_met_in_frame", share(&wa[..ea], &back));
    s.put("rest_b_met", share(&wb[eb..], &al.scores_b[eb..]));
    s.put("rest_b_new", (eb..wb.len()).filter(|j| wb[*j].weight > 0.0 && !al.met_b(*j)).count() as f32);
    // Whether the stored subject is still the subject, or only mentioned after a preposition.
    let head = (0..ea).find(|i| wa[*i].weight > 0.0 && al.of_a[*i].is_some());
    let at = head.and_then(|i| al.of_a[i]).map(|m| al.matches[m].b);
    let is_preposition = |w: &Word| w.function && words!("english/grammar.prepositions").contains(&&*w.text);
    let led = |j: usize| wb[..j].iter().rev().take(3).any(is_preposition);
    s.put("head_after_preposition", at.map_or(-1.0, |j| flag(led(j))));
    // The same name with another neighbour is another thing: Kestrel Heating, Kestrel Cycling.
    let is_name =
        |m: &&WordMatch| !wb[m.b].function && wb[m.b].number.is_none() && matches!(m.how, How::Same | How::Part);
    let is_same = |x: &Word, y: &Word| x.weight > 0.0 && y.weight > 0.0 && (x.hash == y.hash || x.shares_sense(y));
    let beside = |m: &WordMatch, step: isize| {
        let x = m.a.checked_add_signed(step).and_then(|n| wa.get(n));
        let y = m.b.checked_add_signed(step).and_then(|n| wb.get(n));
        x.zip(y).is_some_and(|(x, y)| is_same(x, y))
    };
    let names = al.matches.iter().filter(is_name);
    s.put("beside_same", names.map(|m| flag(beside(m, -1)) + flag(beside(m, 1))).sum());
    // The longest verbatim run, function words included.
    let (mut row, mut longest) = (vec![0u16; wa.len() + 1], 0);
    for y in wb {
        let mut diagonal = 0;
        for (i, x) in wa.iter().enumerate() {
            let above = row[i + 1];
            row[i + 1] = if x.hash == y.hash { diagonal + 1 } else { 0 };
            longest = longest.max(row[i + 1]);
            diagonal = above;
        }
    }
    s.put("verbatim_run", f32::from(longest));
    s.put("verbatim_share", ratio(f32::from(longest), wa.len().min(wb.len()) as f32));
}
