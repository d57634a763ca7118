//! Korean particles and endings: what may follow a word or a value without being part of it.
//!
//! It cuts by a list, and never cuts a word down to nothing.

use super::list::{Words, words};

/// What may be glued to a noun or a value, longest forms included; sorted.
static TAILS: Words = words!("korean/particles.after a value");

/// Whether the rest of a run of Hangul is nothing but particles and endings.
pub(crate) fn is_tail(rest: &str) -> bool {
    tail(rest, 3)
}

fn tail(rest: &str, depth: u8) -> bool {
    if rest.is_empty() {
        return true;
    }
    if depth == 0 {
        return false;
    }
    // Tails have at most five syllables.
    rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(5).any(|end| {
        let (head, more) = rest.split_at(end);
        TAILS.binary_search(&head).is_ok() && tail(more, depth - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_told_from_words() {
        for yes in ["", "까지", "까지는", "에서의", "으로부터는", "입니다", "씩만", "이었던", "짜리로", "쯤에"]
        {
            assert!(is_tail(yes), "{yes}");
        }
        for no in ["임님", "구역", "즌", "무실", "장에", "님께"] {
            assert!(!is_tail(no), "{no}");
        }
    }
}
