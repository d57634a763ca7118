//! Fast pre-check before classification: most pairs in a mailbox have nothing in common.

use super::align::cover;
use super::reading::Reading;
use crate::language::Found;

/// The probabilities of unrelated pairs. 552 of 555 such mailbox pairs were unrelated, but only 47
/// of 164 adversarial ones (counted without the limits of language and length below).
pub(super) const PROBABILITIES: [f32; 4] = [0.002, 0.003, 0.02, 0.975];
/// Shorter texts may be replies whose subject is in another mail.
const FEW_WORDS: usize = 4;

/// Whether the texts share no word, value, name, person, thread or subject line. Always `false` for short texts and
/// different languages, which may agree in words that the lexicon lacks.
pub(super) fn are_unrelated(a: &Reading, b: &Reading) -> bool {
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
    use super::{Reading, are_unrelated};
    use crate::model::Draft;

    fn unrelated(a: &str, b: &str) -> bool {
        are_unrelated(&Reading::of(&(&Draft::new(a)).into()), &Reading::of(&(&Draft::new(b)).into()))
    }

    #[test]
    fn unrelated_texts_are_detected() {
        assert!(unrelated("The north gate opens at nine every Monday", "Ada plays the cello in a small orchestra"));
        assert!(unrelated("북문은 월요일마다 아침 아홉 시에 연다", "지호는 작은 악단에서 첼로 연주를 맡는다"));
    }

    #[test]
    fn shared_words_values_or_other_languages_are_not_unrelated() {
        let gate = "The north gate opens at nine every Monday";
        assert!(!unrelated(gate, "The gate was painted green by volunteers"));
        assert!(!unrelated(gate, "Breakfast begins by 9:00 for most guests"));
        assert!(!unrelated(gate, "북문은 월요일마다 아침 아홉 시에 연다"));
        assert!(!unrelated(gate, "Later, please"));
    }
}
