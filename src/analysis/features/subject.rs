//! Features that compare the subject parts of two statements.

use super::sheet::{Sheet, flag, ratio};
use crate::analysis::align::{Alignment, How};
use crate::analysis::reading::Reading;
use crate::analysis::words::{Word, subject_end};
use crate::language::{Words, words};
use std::ops::Range;

static PREPOSITIONS: &Words = words!("english/grammar.prepositions");

pub fn features(a: &Reading, b: &Reading, al: &Alignment, s: &mut Sheet) {
    let (wa, wb) = (&a.words, &b.words);
    let (ea, eb) = (subject_end(wa), subject_end(wb));
    let share = |range: Range<usize>, words: &[Word], f: &dyn Fn(usize) -> f32| {
        let (mut got, mut all) = (0.0, 0.0);
        for i in range {
            got += words[i].weight * f(i);
            all += words[i].weight;
        }
        if all > 0.0 { got / all } else { -1.0 }
    };
    let inside = |j: usize| al.of_b[j].map_or(0.0, |m| if al.matches[m].a < ea { al.matches[m].score } else { 0.0 });
    let back = |i: usize| al.of_a[i].map_or(0.0, |m| if al.matches[m].b < eb { al.matches[m].score } else { 0.0 });
    s.put("frame_b_met", share(0..eb, wb, &|j| al.score_b(j)));
    s.put("frame_b_met_in_frame", share(0..eb, wb, &inside));
    s.put("frame_a_met", share(0..ea, wa, &|i| al.score_a(i)));
    s.put("frame_a_met_in_frame", share(0..ea, wa, &back));
    s.put("rest_b_met", share(eb..wb.len(), wb, &|j| al.score_b(j)));
    s.put("rest_b_new", (eb..wb.len()).filter(|j| wb[*j].weight > 0.0 && !al.met_b(*j)).count() as f32);
    // Whether the stored subject is still the subject, or only mentioned after a preposition.
    let head = (0..ea).find(|i| wa[*i].weight > 0.0 && al.of_a[*i].is_some());
    let at = head.and_then(|i| al.of_a[i]).map(|m| al.matches[m].b);
    let prepositions =
        |end: usize| wb[..end].iter().rev().take(3).any(|w| w.function && PREPOSITIONS.contains(&w.text.as_str()));
    s.put("head_after_preposition", at.map_or(-1.0, |j| flag(prepositions(j))));
    // The same name with another neighbour is another thing: Kestrel Heating, Kestrel Cycling.
    let mut beside_same = 0.0;
    for m in al
        .matches
        .iter()
        .filter(|m| !wb[m.b].function && wb[m.b].number.is_none() && matches!(m.how, How::Same | How::Part))
    {
        for d in [-1isize, 1] {
            let (x, y) =
                (m.a.checked_add_signed(d).and_then(|i| wa.get(i)), m.b.checked_add_signed(d).and_then(|j| wb.get(j)));
            if let (Some(x), Some(y)) = (x, y)
                && x.weight > 0.0
                && y.weight > 0.0
                && (x.hash == y.hash || x.sense.zip(y.sense).is_some_and(|(p, q)| p.same(q)))
            {
                beside_same += 1.0;
            }
        }
    }
    s.put("beside_same", beside_same);
    // The longest verbatim run, function words included.
    let mut row = vec![0u16; wa.len() + 1];
    let row = &mut row[..];
    let mut longest = 0u16;
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
