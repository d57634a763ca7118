//! [`Words`]: a fixed list of words that is kept as one text; and [`find`], to look for many such words in a text.
//!
//! It never changes; the list is made at its first use. An array of texts costs eight bytes of addresses a word besides.

use std::ops::Deref;
use std::sync::OnceLock;

/// A list of words, made by `words!`; it is used as the slice that it derefs to.
pub struct Words {
    text: &'static str,
    list: OnceLock<Vec<&'static str>>,
}

impl Words {
    /// The words of a text with one in each line.
    pub const fn new(text: &'static str) -> Self {
        Self { text, list: OnceLock::new() }
    }
}

impl Deref for Words {
    type Target = [&'static str];

    #[inline(never)]
    fn deref(&self) -> &Self::Target {
        self.list.get_or_init(|| self.text.split('\n').collect())
    }
}

/// A `static` list of words, as [`Words`].
macro_rules! words {
    [$first:literal $(, $word:literal)* $(,)?] => {
        $crate::language::Words::new(concat!($first $(, "\n", $word)*))
    };
}
pub(crate) use words;

/// The first byte of a text at which a word stands. The standard library's search prepares itself for each word, which
/// takes longer than to look for a short one.
///
/// ```
/// use memfold::language::find;
/// assert_eq!((find("회의는 3시로 변경", "변경"), find("b", "변경")), (Some(15), None));
/// ```
pub fn find(text: &str, word: &str) -> Option<usize> {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    // The last byte of a Hangul syllable tells more than its first.
    let Some((last, head)) = word.split_last() else { return Some(0) };
    let mut end = head.len();
    while let Some(byte) = text.get(end) {
        if byte == last && text[..end].ends_with(head) {
            return Some(end - head.len());
        }
        end += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_where_the_standard_library_finds_it() {
        for text in ["", "a", "aab", "회의를 변경했습니다", "변경변경", "moved to 3 May", "ab ab abc"] {
            for word in ["", "a", "ab", "abc", "변경", "경변", "다", "to", "moved to 3 May!"] {
                assert_eq!(find(text, word), text.find(word), "{word} in {text}");
            }
        }
    }
}
