//! Parses CSS lengths and colours.

pub(super) type Rgba = [f32; 4];

/// Size of the assumed desktop window in pixels.
pub(super) const WIDTH: f32 = 1024.0;
pub(super) const HEIGHT: f32 = 768.0;

/// References of relative lengths, in pixels.
#[derive(Clone, Copy)]
pub(super) struct Units {
    pub font: f32,
    pub root: f32,
    /// The length of 100 %.
    pub whole: f32,
}

/// Whether a word is in a space-separated list.
pub(super) fn among(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|w| w == word)
}

/// The second word of the pair that starts with `name`.
pub(super) fn pair(list: &'static str, name: &str) -> Option<&'static str> {
    let mut words = list.split_ascii_whitespace();
    while let (Some(known), Some(value)) = (words.next(), words.next()) {
        if known == name {
            return Some(value);
        }
    }
    None
}

/// Splits at a character outside of brackets.
pub(super) fn split(text: &str, at: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut out, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (n, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            c if depth == 0 && at(c) => {
                out.push(text[start..n].trim());
                start = n + c.len_utf8();
            }
            _ => {}
        }
    }
    out.push(text[start..].trim());
    out
}

/// The parts of a value between white space.
pub(super) fn parts(text: &str) -> Vec<&str> {
    split(text, char::is_whitespace).into_iter().filter(|p| !p.is_empty()).collect()
}

/// Splits a function into name and arguments.
pub(super) fn function(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    Some((name, rest.strip_suffix(')').unwrap_or(rest)))
}

/// A length in pixels, an angle in degrees or a number, and whether it has no unit; `None` for arithmetic.
pub(super) fn amount(text: &str, units: &Units) -> Option<(f32, bool)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && !"+-.".contains(c)).unwrap_or(text.len());
    let n: f32 = text[..end].parse().ok()?;
    let unit = match &text[end..] {
        "" | "px" | "deg" => 1.0,
        "%" => units.whole / 100.0,
        "pt" => 4.0 / 3.0,
        "pc" => 16.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 9.6 / 2.54,
        "em" => units.font,
        "lh" => units.font * 1.2,
        "ex" | "ch" => units.font / 2.0,
        "rem" => units.root,
        "vw" | "dvw" | "vi" | "vmax" => WIDTH / 100.0,
        "vh" | "dvh" | "vb" | "vmin" => HEIGHT / 100.0,
        _ => return None,
    };
    Some((n * unit, end == text.len()))
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Paint {
    Solid(Rgba),
    Current,
    /// A colour that cannot be computed.
    Unsure,
}

const NAMES: &str = include_str!("colours.txt");

fn named(name: &str) -> Option<Rgba> {
    pair(NAMES, name).and_then(hex)
}

fn hex(digits: &str) -> Option<Rgba> {
    let digits: Vec<f32> = digits.chars().map(|c| c.to_digit(16).map(|d| d as f32)).collect::<Option<_>>()?;
    let short = |n: usize| digits[n] * 17.0;
    let long = |n: usize| digits[2 * n] * 16.0 + digits[2 * n + 1];
    Some(match digits.len() {
        3 => [short(0), short(1), short(2), 1.0],
        4 => [short(0), short(1), short(2), short(3) / 255.0],
        6 => [long(0), long(1), long(2), 1.0],
        8 => [long(0), long(1), long(2), long(3) / 255.0],
        _ => return None,
    })
}

/// Parses a colour; `loose` accepts six hexadecimal digits without `#`.
pub(super) fn paint(text: &str, loose: bool) -> Option<Paint> {
    if text.is_empty() {
        return None;
    }
    if let Some(digits) = text.strip_prefix('#') {
        return hex(digits).map(Paint::Solid);
    }
    if let Some((name, inside)) = function(text) {
        return paint_function(name, inside, loose);
    }
    match text {
        "transparent" => Some(Paint::Solid([0.0; 4])),
        "currentcolor" => Some(Paint::Current),
        _ => named(text).or_else(|| hex(text).filter(|_| loose && text.len() == 6)).map(Paint::Solid),
    }
}

fn paint_function(name: &str, inside: &str, loose: bool) -> Option<Paint> {
    match name {
        "light-dark" => return paint(split(inside, |c| c == ',')[0], loose),
        "rgb" | "rgba" => {}
        "hsl" | "hsla" | "hwb" | "lab" | "lch" | "oklab" | "oklch" | "color" | "color-mix" => {
            return Some(Paint::Unsure);
        }
        _ => return None,
    }
    let parts = inside.split(|c: char| matches!(c, ',' | '/') || c.is_whitespace()).filter(|p| !p.is_empty());
    let whole = |n: usize| if n < 3 { 255.0 } else { 1.0 };
    let number = |(n, p): (usize, &str)| amount(p, &Units { font: 16.0, root: 16.0, whole: whole(n) }).map(|a| a.0);
    Some(match parts.enumerate().map(number).collect::<Option<Vec<f32>>>().as_deref() {
        Some([a, b, c, alpha @ ..]) => {
            let alpha = alpha.first().map_or(1.0, |a| a.clamp(0.0, 1.0));
            Paint::Solid([a.clamp(0.0, 255.0), b.clamp(0.0, 255.0), c.clamp(0.0, 255.0), alpha])
        }
        _ => Paint::Unsure,
    })
}

/// Parses a colour attribute (`bgcolor`, `<font color>`); invalid digits count as 0, as in browsers.
pub(super) fn legacy(text: &str) -> Option<Rgba> {
    let text = text.trim().to_ascii_lowercase();
    if text.is_empty() || text == "transparent" {
        return None;
    }
    let digits = text.strip_prefix('#').unwrap_or(&text);
    if let Some(known) = named(&text).or_else(|| hex(digits).filter(|_| matches!(digits.len(), 3 | 6))) {
        return Some(known);
    }
    let mut digits: Vec<f32> = digits.chars().take(126).map(|c| c.to_digit(16).unwrap_or(0) as f32).collect();
    digits.resize(digits.len().next_multiple_of(3), 0.0);
    let third = digits.len() / 3;
    let channel = |n: usize| digits[n * third] * 16.0 + if third > 1 { digits[n * third + 1] } else { 0.0 };
    Some([channel(0), channel(1), channel(2), 1.0])
}
