//! Which words are covered, new and gone.

use super::sheet::{Group, Sheet, ratio};
use crate::analysis::align::{Alignment, How};
use crate::analysis::words::{Mark, Word};

fn weighted(words: &[Word], score: impl Fn(usize) -> f32) -> f32 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (i, w) in words.iter().enumerate() {
        sum += w.weight * score(i);
        total += w.weight;
    }
    ratio(sum, total)
}

/// For words of each mark how well they are met, −1 where there are none, and how many are not.
fn class_cover(words: &[Word], score: impl Fn(usize) -> f32) -> [(f32, f32); 8] {
    let (mut sums, mut counts) = ([0.0f32; 8], [0.0f32; 8]);
    for (i, w) in words.iter().enumerate().filter(|(_, w)| !w.function) {
        let (score, mut marks) = (score(i), w.marks());
        while marks != 0 {
            let mark = marks.trailing_zeros() as usize & 7;
            sums[mark] += score;
            counts[mark] += 1.0;
            marks &= marks - 1;
        }
    }
    std::array::from_fn(|m| (if counts[m] > 0.0 { sums[m] / counts[m] } else { -1.0 }, counts[m] - sums[m]))
}

pub(super) fn covered(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    use Group::Words as G;
    let (sa, sb) = (|i: usize| al.score_a(i), |j: usize| al.score_b(j));
    let (ca, cb) = (weighted(a, sa), weighted(b, sb));
    s.put(G, "cover_a", ca);
    s.put(G, "cover_b", cb);
    s.put(G, "cover_min", ca.min(cb));
    s.put(G, "cover_f", ratio(2.0 * ca * cb, ca + cb));
    s.put(G, "cover_gap", ca - cb);
    let content = |w: &[Word]| w.iter().filter(|w| !w.function).count() as f32;
    let (na, nb) = (content(a), content(b));
    s.put(G, "length_a", na);
    s.put(G, "length_b", nb);
    s.put(G, "length_ratio", ratio(nb, na));
    let exact = |w: &[Word], of: &[Option<usize>]| {
        w.iter()
            .zip(of)
            .filter(|(w, m)| !w.function && m.is_some_and(|m| matches!(al.matches[m].how, How::Same | How::Number)))
            .count() as f32
    };
    s.put(G, "exact_a", ratio(exact(a, &al.of_a), na));
    s.put(G, "exact_b", ratio(exact(b, &al.of_b), nb));
    let by = |h: How| al.matches.iter().filter(|m| m.how == h && !b[m.b].function).count() as f32;
    s.put(G, "met_by_sense", ratio(by(How::Sense), nb));
    s.put(G, "met_by_part", ratio(by(How::Part), nb));
    s.put(G, "met_alike", by(How::Alike));
    let marks = ["name", "noun", "verb", "unknown", "number", "sibling", "known", "long"];
    for ((n, (x, gone)), (y, new)) in marks.into_iter().zip(class_cover(a, sa)).zip(class_cover(b, sb)) {
        s.each(G, "cover_a", n, x);
        s.each(G, "cover_b", n, y);
        s.each(G, "gone", n, gone);
        s.each(G, "new", n, new);
    }
    // Names that are alike but not the same belong to somebody else.
    let like = |strict: bool| {
        al.matches
            .iter()
            .filter(|m| {
                m.how == How::Alike
                    && (a[m.a].capital && b[m.b].capital
                        || !strict && a[m.a].is(Mark::Unknown) && b[m.b].is(Mark::Unknown))
            })
            .count() as f32
    };
    s.put(G, "name_lookalike", like(true));
    s.put(G, "word_lookalike", like(false));
    s.put(G, "function_overlap", {
        let f = |w: &[Word]| -> Vec<u32> { w.iter().filter(|w| w.function).map(|w| w.hash).collect() };
        let (x, y) = (f(a), f(b));
        ratio(y.iter().filter(|h| x.contains(h)).count() as f32, y.len() as f32)
    });
}
