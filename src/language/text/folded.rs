//! Folds text for scanning (lower case, full-width forms, quotes, dashes) and maps each folded position to a character
//! boundary of the original.

use super::hangul::{is_hangul, syllable};
use super::normal::digit;

pub struct Folded<'a> {
    original: &'a str,
    text: String,
    /// Points where the offset between folded and original positions changes: (folded, original), ascending.
    shifts: Vec<(u32, u32)>,
}

impl<'a> Folded<'a> {
    /// Folds a text; anything beyond 4 GB is cut.
    pub fn new(original: &'a str) -> Self {
        let mut folded = Self { original, text: String::with_capacity(original.len() + 4), shifts: Vec::new() };
        let mut shift = 0_i64;
        let mut rest = original.char_indices().peekable();
        while let Some((at, c)) = rest.next() {
            let (plain, more) = match c {
                '\0'..='\x7f' => (c.to_ascii_lowercase(), None),
                c if is_hangul(c) => (c, None),
                '\u{1100}'..='\u{1112}' => match rest.peek() {
                    Some(&(_, v @ '\u{1161}'..='\u{1175}')) => {
                        rest.next();
                        let t = match rest.peek() {
                            Some(&(_, t @ '\u{11a8}'..='\u{11c2}')) => {
                                rest.next();
                                t as u32 - 0x11a7
                            }
                            _ => 0,
                        };
                        (syllable(c as u32 - 0x1100, v as u32 - 0x1161, t).unwrap_or(c), None)
                    }
                    _ => (c, None),
                },
                _ => match plain(c) {
                    Some('\0') => continue,
                    Some(p) => (p, None),
                    None => {
                        let mut lower = c.to_lowercase();
                        (lower.next().unwrap_or(c), lower.next())
                    }
                },
            };
            let here = at as i64 - folded.text.len() as i64;
            if here != shift {
                folded.shifts.push((folded.text.len() as u32, at as u32));
                shift = here;
            }
            folded.text.push(plain);
            // One character became two; the second maps to the end of the original character.
            if let Some(extra) = more {
                let end = at + c.len_utf8();
                folded.shifts.push((folded.text.len() as u32, end as u32));
                folded.text.push(extra);
                shift = end as i64 - folded.text.len() as i64;
                folded.shifts.push((folded.text.len() as u32, end as u32));
            }
        }
        folded
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn original(&self) -> &'a str {
        self.original
    }

    /// The byte of the original that a folded position maps to.
    pub fn source(&self, folded: usize) -> usize {
        if folded >= self.text.len() {
            return self.original.len();
        }
        let n = self.shifts.partition_point(|s| s.0 as usize <= folded);
        let at = match n.checked_sub(1).and_then(|n| self.shifts.get(n)) {
            Some(&(f, o)) => o as usize + (folded - f as usize),
            None => folded,
        };
        self.original.floor_char_boundary(at)
    }

    /// Whether the character at a folded position was a capital.
    pub fn is_capital(&self, folded: usize) -> bool {
        self.original[self.source(folded)..].starts_with(char::is_uppercase)
    }
}

/// Whether a character is not seen and can hide text.
pub fn is_invisible(c: char) -> bool {
    !c.is_ascii() && plain(c) == Some('\0')
}

/// The plain form of a character that is neither ASCII nor a Hangul syllable; NUL if it is dropped.
pub(in crate::language) fn plain(c: char) -> Option<char> {
    Some(match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0)?.to_ascii_lowercase(),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{2028}' | '\u{2029}' | '\u{85}' => '\n',
        // Zero-width, bidirectional and tag characters, variation selectors and Hangul fillers can hide text.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{feff}' => '\0',
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => '\0',
        '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' => '\0',
        '‘' | '’' | '‚' | '′' | '`' | '´' => '\'',
        '“' | '”' | '„' | '″' | '«' | '»' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '−' | '﹣' => '-',
        '〜' | '∼' | '˜' => '~',
        '·' | '•' | '∙' | '⋅' | 'ㆍ' | '・' => '·',
        '￦' => '₩',
        '￡' => '£',
        '￥' => '¥',
        '⁄' | '∕' => '/',
        '、' => ',',
        '。' => '.',
        '…' => '.',
        '→' | '⇒' | '➔' | '➡' => '→',
        _ => return digit(c),
    })
}
