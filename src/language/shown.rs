//! What people are shown: each text in English and in Korean, from `data/shown.txt`.
//!
//! It puts values into a text and never chooses one.

/// A text in both languages; each `%` of it stands for something.
#[derive(Debug, Clone, Copy)]
pub struct ShownText {
    english: &'static str,
    korean: &'static str,
}

impl ShownText {
    /// The text in one language.
    pub const fn text(self, korean: bool) -> &'static str {
        if korean { self.korean } else { self.english }
    }

    /// The text with these in the places of its `%`.
    pub fn with(self, korean: bool, values: &[&str]) -> String {
        let mut values = values.iter();
        let mut out = String::new();
        for (n, piece) in self.text(korean).split('%').enumerate() {
            if n > 0 {
                out.push_str(values.next().copied().unwrap_or_default());
            }
            out.push_str(piece);
        }
        out
    }
}

include!(concat!(env!("OUT_DIR"), "/words/shown.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_their_places() {
        assert_eq!(
            CHANGED_OF.with(false, &["a fence", "100% → 50%"]),
            "The same subject (a fence) has changed: 100% → 50%"
        );
        assert_eq!(EVERY_SO_MANY_DAYS.with(true, &["3"]), "3일마다");
        assert_eq!(DAILY.text(true), "매일");
    }
}
