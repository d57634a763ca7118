//! How the parts of two statements that say what each is about stand to each other.

use super::sheet::{Group, Sheet, flag, ratio};
use crate::analysis::align::{Alignment, How};
use crate::analysis::pairing::{Pairing, words_of};
use crate::analysis::reading::Reading;
use crate::analysis::subject::subject_end;
use crate::analysis::words::{Part, Word};
use crate::language::{Match, Words, words};

static PREPOSITIONS: &Words = words!("english/grammar.prepositions");

/// The features of two frames.
pub fn features(a: &Reading, b: &Reading, al: &Alignment, p: &Pairing, s: &mut Sheet) {
    use Group::Shape as G;
    let (wa, wb) = (&a.words, &b.words);
    let (ea, eb) = (subject_end(wa), subject_end(wb));
    let share = |range: std::ops::Range<usize>, words: &[Word], f: &dyn Fn(usize) -> f32| {
        let (mut got, mut all) = (0.0, 0.0);
        for i in range {
            got += words[i].weight * f(i);
            all += words[i].weight;
        }
        if all > 0.0 { got / all } else { -1.0 }
    };
    let inside = |j: usize| al.of_b[j].map_or(0.0, |m| if al.matches[m].a < ea { al.matches[m].score } else { 0.0 });
    let back = |i: usize| al.of_a[i].map_or(0.0, |m| if al.matches[m].b < eb { al.matches[m].score } else { 0.0 });
    s.put(G, "frame_b_met", share(0..eb, wb, &|j| al.score_b(j)));
    s.put(G, "frame_b_met_in_frame", share(0..eb, wb, &inside));
    s.put(G, "frame_a_met", share(0..ea, wa, &|i| al.score_a(i)));
    s.put(G, "frame_a_met_in_frame", share(0..ea, wa, &back));
    s.put(G, "rest_b_met", share(eb..wb.len(), wb, &|j| al.score_b(j)));
    s.put(G, "rest_a_met", share(ea..wa.len(), wa, &|i| al.score_a(i)));
    let unmet =
        |words: &[Word], range: std::ops::Range<usize>, met: &dyn Fn(usize) -> bool, keep: &dyn Fn(&Word) -> bool| {
            range.filter(|i| words[*i].weight > 0.0 && !met(*i) && keep(&words[*i])).count() as f32
        };
    let (met_a, met_b) = (|i: usize| al.met_a(i), |j: usize| al.met_b(j));
    let known = |w: &Word| w.sense.is_some();
    s.put(G, "frame_b_new", unmet(wb, 0..eb, &met_b, &|_| true));
    s.put(G, "frame_b_new_name", unmet(wb, 0..eb, &met_b, &|w| w.capital || w.sense.is_none()));
    s.put(G, "frame_b_new_known", unmet(wb, 0..eb, &met_b, &known));
    s.put(G, "frame_a_gone", unmet(wa, 0..ea, &met_a, &|_| true));
    s.put(G, "frame_a_gone_name", unmet(wa, 0..ea, &met_a, &|w| w.capital || w.sense.is_none()));
    s.put(G, "rest_b_new", unmet(wb, eb..wb.len(), &met_b, &|_| true));
    s.put(G, "rest_b_new_name", unmet(wb, eb..wb.len(), &met_b, &|w| w.capital || w.sense.is_none()));
    s.put(G, "frame_b_length", eb as f32);
    // Values that differ in what is spoken of tell instances apart; those in the rest are properties.
    let (mut frame_other, mut frame_new, mut rest_other, mut rest_new, mut frame_other_a, mut first_a) =
        (0.0, 0.0, 0.0, 0.0, 0.0, -1.0f32);
    for (v, mate) in b.values.iter().zip(&p.of_b) {
        let in_frame = words_of(wb, v).0 < eb;
        match mate {
            Some((i, Match::Different)) => {
                *(if in_frame { &mut frame_other } else { &mut rest_other }) += 1.0;
                let at = words_of(wa, &a.values[*i]).0;
                frame_other_a += flag(at < ea);
                if first_a < 0.0 {
                    first_a = ratio(at as f32, wa.len() as f32);
                }
            }
            None => *(if in_frame { &mut frame_new } else { &mut rest_new }) += 1.0,
            _ => {}
        }
    }
    s.put(G, "frame_value_other", frame_other);
    s.put(G, "frame_value_other_a", frame_other_a);
    s.put(G, "frame_value_new", frame_new);
    s.put(G, "rest_value_other", rest_other);
    s.put(G, "rest_value_new", rest_new);
    s.put(G, "first_other_at_in_a", first_a);
    // What the stored one is about: is it still what is spoken of, or only mentioned?
    let head = (0..ea).find(|i| wa[*i].weight > 0.0 && al.of_a[*i].is_some());
    let at = head.and_then(|i| al.of_a[i]).map(|m| al.matches[m].b);
    s.put(
        G,
        "head_part",
        at.map_or(-1.0, |j| match wb[j].part {
            Part::Topic => 3.0,
            Part::Subject => 2.5,
            Part::Also => 2.0,
            Part::None => 1.5,
            Part::Object => 1.0,
            Part::Of => 0.5,
            Part::Other | Part::Copula | Part::Value => 0.0,
        }),
    );
    let prepositions =
        |end: usize| wb[..end].iter().rev().take(3).any(|w| w.function && PREPOSITIONS.contains(&w.text.as_str()));
    s.put(G, "head_after_preposition", at.map_or(-1.0, |j| flag(prepositions(j))));
    s.put(G, "head_in_frame", at.map_or(-1.0, |j| flag(j < eb)));
    // The same name with another word at its side is another thing: Kestrel Heating, Kestrel Cycling.
    let (mut beside_differs, mut beside_same) = (0.0, 0.0);
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
            {
                if x.hash == y.hash || x.sense.zip(y.sense).is_some_and(|(p, q)| p.same(q)) {
                    beside_same += 1.0;
                } else {
                    beside_differs += 1.0;
                }
            }
        }
    }
    s.put(G, "beside_differs", beside_differs);
    s.put(G, "beside_same", beside_same);
    // The longest stretch taken over word by word, small words and all.
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
    s.put(G, "verbatim_run", f32::from(longest));
    s.put(G, "verbatim_share", ratio(f32::from(longest), wa.len().min(wb.len()) as f32));
    // New words that a gone word of the same field could stand behind: said in other words, or exchanged.
    let gone: u64 = wa
        .iter()
        .enumerate()
        .filter(|(i, _)| !al.met_a(*i))
        .filter_map(|(_, w)| w.sense)
        .fold(0, |f, s| f | s.fields());
    let (mut answered, mut all) = (0.0, 0.0);
    for (j, w) in wb.iter().enumerate() {
        if let Some(sense) = w.sense.filter(|_| !al.met_b(j)) {
            all += 1.0;
            answered += flag(sense.fields() & gone != 0);
        }
    }
    s.put(G, "new_answers_gone", if all > 0.0 { answered / all } else { -1.0 });
}
