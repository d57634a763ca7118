//! [`Words`]: a fixed list of words, stored as one string and split on first use. An array of strings would add eight
//! bytes a word.

use std::ops::Deref;
use std::sync::OnceLock;

/// A word list made by `words!`; derefs to a slice.
pub struct Words {
    text: &'static str,
    list: OnceLock<Vec<&'static str>>,
}

impl Words {
    pub const fn new(text: &'static str) -> Self {
        Self { text, list: OnceLock::new() }
    }

    pub fn begin(&self, text: &str) -> bool {
        self.iter().any(|w| text.starts_with(w))
    }

    pub fn end(&self, text: &str) -> bool {
        self.iter().any(|w| text.ends_with(w))
    }

    /// As [`Self::end`]; Latin words must be whole.
    pub fn end_whole(&self, text: &str) -> bool {
        self.iter()
            .any(|w| text.strip_suffix(w).is_some_and(|head| !head.ends_with(|c: char| c.is_ascii_alphanumeric())))
    }

    pub fn stand_in(&self, text: &str) -> bool {
        self.iter().any(|w| text.contains(w))
    }

    /// As [`Self::stand_in`]; Latin words must be whole.
    pub fn stand_whole_in(&self, text: &str) -> bool {
        self.iter().any(|w| super::phrases::stands_in(text, w))
    }
}

impl Deref for Words {
    type Target = [&'static str];

    #[inline(never)]
    fn deref(&self) -> &Self::Target {
        self.list.get_or_init(|| self.text.split('\n').collect())
    }
}

/// A word list in `language/data`, as `"file.list"`.
macro_rules! words {
    ($key:literal) => {{
        static LIST: $crate::language::Words =
            $crate::language::Words::new(include_str!(concat!(env!("OUT_DIR"), "/words/", $key, ".txt")));
        &LIST
    }};
}
pub(crate) use words;
