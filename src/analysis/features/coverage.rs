//! Features on word coverage: which words match, which are new and which are gone.

use super::sheet::{Sheet, ratio};
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

/// For each mark, the mean match score of its words (−1 if there are none) and the number unmatched.
fn class_cover(words: &[Word], score: impl Fn(usize) -> f32) -> [(f32, f32); 8] {
    let (mut sums, mut counts) = ([0.0f32; 8], [0.0f32; 8]);
    for (i, w) in words.iter().enumerate().filter(|(_, w)| !w.function) {
        let score = score(i);
        for mark in (0..8).filter(|mark| w.marks[*mark]) {
            sums[mark] += score;
            counts[mark] += 1.0;
        }
    }
    std::array::from_fn(|m| (if counts[m] > 0.0 { sums[m] / counts[m] } else { -1.0 }, counts[m] - sums[m]))
}

pub(super) fn covered(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    let (sa, sb) = (|i: usize| al.score_a(i), |j: usize| al.score_b(j));
    let (ca, cb) = (weighted(a, sa), weighted(b, sb));
    s.put("cover_a", ca);
    s.put("cover_b", cb);
    s.put("cover_min", ca.min(cb));
    s.put("cover_f", ratio(2.0 * ca * cb, ca + cb));
    s.put("cover_gap", ca - cb);
    let content = |w: &[Word]| w.iter().filter(|w| !w.function).count() as f32;
    let (na, nb) = (content(a), content(b));
    s.put("length_ratio", ratio(nb, na));
    let exact = |m: &usize| matches!(al.matches[*m].how, How::Same | How::Number);
    let same = a.iter().zip(&al.of_a).filter(|(w, m)| !w.function && m.as_ref().is_some_and(exact)).count();
    s.put("exact_a", ratio(same as f32, na));
    let by = |h: How| al.matches.iter().filter(|m| m.how == h && !b[m.b].function).count() as f32;
    s.put("met_by_sense", ratio(by(How::Sense), nb));
    s.put("met_by_part", ratio(by(How::Part), nb));
    let (of_a, of_b) = (class_cover(a, sa), class_cover(b, sb));
    for (mark, name) in [
        (Mark::Noun, "cover_a_noun"),
        (Mark::Verb, "cover_a_verb"),
        (Mark::Unknown, "cover_a_unknown"),
        (Mark::Number, "cover_a_number"),
        (Mark::Known, "cover_a_known"),
        (Mark::Long, "cover_a_long"),
    ] {
        s.put(name, of_a[mark as usize].0);
    }
    for (mark, name) in [
        (Mark::Name, "cover_b_name"),
        (Mark::Noun, "cover_b_noun"),
        (Mark::Verb, "cover_b_verb"),
        (Mark::Unknown, "cover_b_unknown"),
        (Mark::Number, "cover_b_number"),
        (Mark::Sibling, "cover_b_sibling"),
        (Mark::Known, "cover_b_known"),
        (Mark::Long, "cover_b_long"),
    ] {
        s.put(name, of_b[mark as usize].0);
    }
    for (mark, name) in [
        (Mark::Noun, "new_noun"),
        (Mark::Verb, "new_verb"),
        (Mark::Unknown, "new_unknown"),
        (Mark::Number, "new_number"),
        (Mark::Sibling, "new_sibling"),
    ] {
        s.put(name, of_b[mark as usize].1);
    }
    s.put("gone_number", of_a[Mark::Number as usize].1);
    let small = |words: &[Word]| words.iter().filter(|w| w.function).map(|w| w.hash).collect::<Vec<u32>>();
    let (x, y) = (small(a), small(b));
    s.put("function_overlap", ratio(y.iter().filter(|h| x.contains(h)).count() as f32, y.len() as f32));
}
