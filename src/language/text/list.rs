//! [`Words`]: a fixed list of words that is kept as one text.
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

    /// Whether a text begins with one of them.
    pub fn begin(&self, text: &str) -> bool {
        self.iter().any(|w| text.starts_with(w))
    }

    /// Whether a text ends with one of them.
    pub fn end(&self, text: &str) -> bool {
        self.iter().any(|w| text.ends_with(w))
    }

    /// Whether one of them stands in a text.
    pub fn stand_in(&self, text: &str) -> bool {
        self.iter().any(|w| text.contains(w))
    }
}

impl Deref for Words {
    type Target = [&'static str];

    #[inline(never)]
    fn deref(&self) -> &Self::Target {
        self.list.get_or_init(|| self.text.split('\n').collect())
    }
}

/// The list of the words in `language/data` that go by its file and its name there.
macro_rules! words {
    ($key:literal) => {{
        static LIST: $crate::language::Words =
            $crate::language::Words::new(include_str!(concat!(env!("OUT_DIR"), "/words/", $key, ".txt")));
        &LIST
    }};
}
pub(crate) use words;
