//! Lower case without the standard library's tables, which add 8 KB gzipped to the wasm file.
//!
//! It never looks at the letters around: a final sigma is a sigma.

/// What has a lower case.
pub trait Lower {
    /// In lower case.
    fn lower(&self) -> String;
}

impl Lower for str {
    fn lower(&self) -> String {
        let mut out = String::with_capacity(self.len());
        for c in self.chars() {
            let (first, second) = lower(c);
            out.push(first);
            out.extend(second);
        }
        out
    }
}

/// A character in lower case: one character, or two.
pub fn lower(c: char) -> (char, Option<char>) {
    let apart = match c {
        '\0'..='\x7f' => return (c.to_ascii_lowercase(), None),
        // Punctuation, East Asian scripts, and small letters.
        '\u{2000}'..='\u{20ff}' | '\u{2e80}'..='\u{a63f}' | '\u{ac00}'..='\u{fefe}' => 0,
        '×' | '\u{80}'..='¿' | 'ß'..='ÿ' | 'ά'..='ώ' | 'а'..='џ' => 0,
        'À'..='Þ' | 'Α'..='Ρ' | 'Σ'..='Ϋ' | 'А'..='Я' => 32,
        'Ѐ'..='Џ' => 80,
        _ => return host(c),
    };
    (char::from_u32(u32::from(c) + apart).unwrap_or(c), None)
}

#[cfg(not(target_arch = "wasm32"))]
#[allow(clippy::disallowed_methods, reason = "the tables do not matter here")]
fn host(c: char) -> (char, Option<char>) {
    let mut lower = c.to_lowercase();
    (lower.next().unwrap_or(c), lower.next())
}

#[cfg(target_arch = "wasm32")]
fn host(c: char) -> (char, Option<char>) {
    let lower = String::from(js_sys::JsString::from(c).to_lower_case());
    let mut lower = lower.chars();
    (lower.next().unwrap_or(c), lower.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn every_character_has_the_lower_case_of_unicode() {
        for c in '\0'..=char::MAX {
            let (first, second) = lower(c);
            assert!(c.to_lowercase().eq([first].into_iter().chain(second)), "{c:?}");
        }
    }

    #[test]
    fn text_is_lowered_character_by_character() {
        assert_eq!("Ärger İN ΟΔΟΣ Ж, 한글 Ｑ".lower(), "ärger i\u{307}n οδοσ ж, 한글 ｑ");
    }
}
