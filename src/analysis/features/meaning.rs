//! Turns of phrase, and the fields of meaning that come and go.

use super::sheet::{Group, Sheet, ratio};
use crate::analysis::align::Alignment;
use crate::analysis::cues::{CUES, NAMES};
use crate::analysis::lexicon::{self, Behaviour, Sense};
use crate::analysis::reading::Reading;
use crate::analysis::words::{Mark, Word};

pub(super) fn turns(a: &Reading, b: &Reading, s: &mut Sheet) {
    use Group::Cues as G;
    for (n, name) in NAMES.iter().enumerate().take(CUES) {
        s.each(G, "cue_b", name, f32::from(b.cues[n]));
        s.each(G, "cue_new", name, f32::from(b.cues[n]) - f32::from(a.cues[n]));
    }
}

pub(super) fn meaning(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    use Group::Meaning as G;
    let topical = |w: &Word| w.sense.filter(|_| w.is(Mark::Noun));
    let fields = |w: &[Word]| w.iter().filter_map(topical).fold(0u64, |f, s| f | s.fields());
    let (fa, fb) = (fields(a), fields(b));
    s.put(G, "fields_common", ratio((fa & fb).count_ones() as f32, (fa | fb).count_ones() as f32));
    s.put(G, "fields_new", (fb & !fa).count_ones() as f32);
    s.put(G, "fields_gone", (fa & !fb).count_ones() as f32);
    let unmet: Vec<&Word> = b.iter().enumerate().filter(|(j, _)| !al.met_b(*j)).map(|(_, w)| w).collect();
    let foreign = unmet.iter().filter(|w| topical(w).is_some_and(|s| s.fields() & fa == 0)).count() as f32;
    let akin = unmet.iter().filter(|w| topical(w).is_some_and(|s| s.fields() & fa != 0)).count() as f32;
    s.put(G, "new_noun_foreign", foreign);
    s.put(G, "new_noun_akin", akin);
    let gone: Vec<&Word> = a.iter().enumerate().filter(|(i, _)| !al.met_a(*i)).map(|(_, w)| w).collect();
    let by_field = |words: &[&Word]| {
        let mut counts = [0u8; 64];
        for mut bits in words.iter().filter_map(|w| w.sense).map(Sense::fields) {
            while bits != 0 {
                counts[bits.trailing_zeros() as usize] += 1;
                bits &= bits - 1;
            }
        }
        counts
    };
    let (new_in, gone_in) = (by_field(&unmet), by_field(&gone));
    for ((name, behaviour), (new, gone)) in lexicon::fields().zip(new_in.iter().zip(&gone_in)) {
        if !matches!(behaviour, Behaviour::Function | Behaviour::Number) {
            s.each(G, "new_in", name, f32::from(*new));
            s.each(G, "gone_in", name, f32::from(*gone));
        }
    }
    // The last noun of the first phrase names the kind of thing spoken of.
    let head = |w: &[Word]| w.iter().position(|w| topical(w).is_some());
    s.put(
        G,
        "head_kept",
        match (head(a), head(b)) {
            (Some(i), Some(j)) => {
                if al.of_b[j].is_some_and(|m| al.matches[m].a == i) {
                    1.0
                } else if al.met_b(j) {
                    0.7
                } else if topical(&a[i]).zip(topical(&b[j])).is_some_and(|(x, y)| x.fields() & y.fields() != 0) {
                    0.4
                } else {
                    0.0
                }
            }
            _ => -1.0,
        },
    );
}
