//! One sentence that tells of two matters: an appointment, and what is due beside it.
//!
//! It only says where the second begins; both keep their own words.

use super::part::StatementPart;
use super::when::DateRole;
use crate::language::{Words, words};
use std::ops::Range;

/// How a clause ends behind which another matter may begin, with the white space.
static ENDS: &Words = words!("mail/parts.matters");

/// Where the second matter of a sentence begins, in bytes of its text.
///
/// `tells` says whether a stretch of it tells something besides its dates.
pub(super) fn second(part: &StatementPart, tells: impl Fn(Range<usize>) -> bool) -> Option<usize> {
    let days: Vec<_> = part.moments.iter().filter(|m| matches!(m.role, DateRole::Event | DateRole::Deadline)).collect();
    let (first, other) = days.iter().zip(days.iter().skip(1)).find(|(a, b)| a.role != b.role)?;
    let between = part.text.get(first.end..other.start)?.to_lowercase();
    let begins = |end: &str| {
        let mut at = between.match_indices(end).map(|(at, _)| first.end + at + end.len());
        at.find(|at| part.text.is_char_boundary(*at) && tells(0..*at) && tells(*at..part.text.len()))
    };
    ENDS.iter().find_map(|end| begins(&format!("{end} ")))
}
