//! Features on word coverage: which words match, which are new and which are gone.

use super::sheet::{Sheet, ratio};
use crate::analysis::align::{Alignment, How};
use crate::analysis::words::{Mark, Word};

/// The mean of the words' scores by weight, 0 without a weight.
pub(super) fn weighted(words: &[Word], scores: &[f32]) -> f32 {
    let of = |(w, score): (&Word, &f32)| w.weight * score;
    ratio(words.iter().zip(scores).map(of).sum(), words.iter().map(|w| w.weight).sum())
}

/// For each mark, the mean match score of its words (−1 if there are none) and the number unmatched.
fn class_cover(words: &[Word], scores: &[f32]) -> [(f32, f32); 8] {
    let (mut sums, mut counts) = ([0.0f32; 8], [0.0f32; 8]);
    for (w, score) in words.iter().zip(scores).filter(|(w, _)| !w.function) {
        for mark in (0..8).filter(|mark| w.marks[*mark]) {
            sums[mark] += score;
            counts[mark] += 1.0;
        }
    }
    std::array::from_fn(|m| (if counts[m] > 0.0 { sums[m] / counts[m] } else { -1.0 }, counts[m] - sums[m]))
}

pub(super) fn covered(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    let (ca, cb) = (weighted(a, &al.scores_a), weighted(b, &al.scores_b));
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
    let (of_a, of_b) = (class_cover(a, &al.scores_a), class_cover(b, &al.scores_b));
    let (met_a, met_b) = (|mark: Mark| of_a[mark as usize].0, |mark: Mark| of_b[mark as usize].0);
    let new = |mark: Mark| of_b[mark as usize].1;
    s.put("cover_a_noun", met_a(Mark::Noun));
    s.put("cover_a_verb", met_a(Mark::Verb));
    s.put("cover_a_unknown", met_a(Mark::Unknown));
    s.put("cover_a_number", met_a(Mark::Number));
    s.put("cover_a_known", met_a(Mark::Known));
    s.put("cover_a_long", met_a(Mark::Long));
    s.put("cover_b_name", met_b(Mark::Name));
    s.put("cover_b_noun", met_b(Mark::Noun));
    s.put("cover_b_verb", met_b(Mark::Verb));
    s.put("cover_b_unknown", met_b(Mark::Unknown));
    s.put("cover_b_number", met_b(Mark::Number));
    s.put("cover_b_sibling", met_b(Mark::Sibling));
    s.put("cover_b_known", met_b(Mark::Known));
    s.put("cover_b_long", met_b(Mark::Long));
    s.put("new_noun", new(Mark::Noun));
    s.put("new_verb", new(Mark::Verb));
    s.put("new_unknown", new(Mark::Unknown));
    s.put("new_number", new(Mark::Number));
    s.put("new_sibling", new(Mark::Sibling));
    s.put("gone_number", of_a[Mark::Number as usize].1);
    let small = |words: &[Word]| words.iter().filter(|w| w.function).map(|w| w.hash).collect::<Vec<u32>>();
    let (x, y) = (small(a), small(b));
    s.put("function_overlap", ratio(y.iter().filter(|h| x.contains(h)).count() as f32, y.len() as f32));
}
