//! A first look at two memories, before anything is weighed: most of a mailbox has nothing in common.

use super::align::cover;
use super::reading::Reading;
use crate::language::Found;

/// Of such pairs 552 of 555 of mailboxes had nothing to do with each other, but only 47 of 164 that were written to be hard
/// (counted without the limits of language and length below).
pub(super) const PROBABILITIES: [f32; 4] = [0.002, 0.003, 0.02, 0.975];
/// Fewer words than these may be an answer, whose matter stands elsewhere.
const FEW_WORDS: usize = 4;

/// Whether no word, value, name, person, thread or subject line of one is found in the other. Two languages may say the
/// same in words of which no lexicon knows, and short texts may mean what they do not say: of these it says nothing.
pub(super) fn are_strangers(a: &Reading, b: &Reading) -> bool {
    let korean = |r: &Reading| r.korean > 0.5;
    let many = |r: &Reading| r.words.iter().filter(|w| w.weight > 0.0).count() >= FEW_WORDS;
    if korean(a) != korean(b) || !many(a) || !many(b) || a.thread.is_some() && a.thread == b.thread {
        return false;
    }
    let said = |x: &Found| b.values.iter().any(|y| x.value.agrees(&y.value));
    let value = || a.values.iter().any(said);
    let person = || a.people.iter().any(|p| b.people.contains(p));
    let within = |r: &Reading, other: &Reading| {
        cover(&r.subject, &other.words) > 0.0 || r.entities.iter().any(|e| cover(e, &other.words) > 0.0)
    };
    cover(&b.words, &a.words) == 0.0
        && !within(a, b)
        && !within(b, a)
        && cover(&a.subject, &b.subject) == 0.0
        && !person()
        && !value()
}

#[cfg(test)]
mod tests {
    use super::{Reading, are_strangers};
    use crate::model::Draft;

    fn strangers(a: &str, b: &str) -> bool {
        are_strangers(&Reading::of(&(&Draft::new(a)).into()), &Reading::of(&(&Draft::new(b)).into()))
    }

    #[test]
    fn what_has_nothing_in_common_is_told_apart_at_a_look() {
        assert!(strangers("The north gate opens at nine every Monday", "Ada plays the cello in a small orchestra"));
        assert!(strangers("북문은 월요일마다 아침 아홉 시에 연다", "지호는 작은 악단에서 첼로 연주를 맡는다"));
    }

    #[test]
    fn a_word_a_value_or_another_language_wants_a_closer_look() {
        let gate = "The north gate opens at nine every Monday";
        assert!(!strangers(gate, "The gate was painted green by volunteers"));
        assert!(!strangers(gate, "Breakfast begins by 9:00 for most guests"));
        assert!(!strangers(gate, "북문은 월요일마다 아침 아홉 시에 연다"));
        assert!(!strangers(gate, "Later, please"));
    }
}
