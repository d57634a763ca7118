//! Fast pre-check before classification: most pairs in a mailbox have nothing in common.

use super::align::cover;
use super::reading::Reading;
use crate::language::Found;

/// The probabilities of unrelated pairs: 552 of 555 such pairs of mailboxes were.
pub(super) const PROBABILITIES: [f32; 4] = [0.002, 0.003, 0.02, 0.975];
/// Shorter texts may be replies whose subject is in another mail.
const FEW_WORDS: usize = 4;

/// Whether two long texts of one language share no word, value, name, person, thread or subject line.
pub(super) fn are_unrelated(a: &Reading, b: &Reading) -> bool {
    let korean = |r: &Reading| r.korean > 0.5;
    let many = |r: &Reading| r.words.iter().filter(|w| w.weight > 0.0).count() >= FEW_WORDS;
    if korean(a) != korean(b) || !many(a) || !many(b) || a.shares_thread(b) {
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
