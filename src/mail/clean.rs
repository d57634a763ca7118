//! Removes invisible characters from text.

use crate::language::{is_invisible, single_spaced};

/// Normalises line ends; removes control, zero-width, bidirectional and tag characters.
pub(super) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' => out.push('\n'),
            '\t' | '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => out.push(' '),
            '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{B}' | '\u{C}' => out.push('\n'),
            // A joiner inside an emoji sequence is part of it.
            '\u{200D}'
                if out.chars().next_back().is_some_and(is_emoji) && chars.peek().is_some_and(|n| is_emoji(*n)) =>
            {
                out.push(c);
            }
            '\u{FE0F}' if out.chars().next_back().is_some_and(is_emoji) => out.push(c),
            c if c.is_control() || is_invisible(c) => {}
            c => out.push(c),
        }
    }
    out
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{FE0F}' | '\u{200D}' | '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}' | '0'..='9' | '#' | '*' | '©' | '®')
}

pub(super) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

pub(super) fn line(raw: &str) -> String {
    single_spaced(&text(raw))
}

/// Offset of escaped and quoted signs, which have no syntactic meaning.
const MASK: u32 = 0xF_0000;

/// Replaces a sign by a character without syntactic meaning.
pub(super) fn mask(c: char) -> char {
    let is_sign = c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_');
    if is_sign { char::from_u32(MASK + c as u32).unwrap_or(c) } else { c }
}

fn masked(c: char) -> Option<char> {
    (c as u32).checked_sub(MASK).filter(|sign| *sign < 0x80).and_then(char::from_u32)
}

pub(super) fn is_mask(c: char) -> bool {
    masked(c).is_some()
}

pub(super) fn unmask(text: &str) -> String {
    text.chars().map(|c| masked(c).unwrap_or(c)).collect()
}
