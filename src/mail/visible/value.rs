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

pub(super) fn parts(text: &str) -> Vec<&str> {
    split(text, char::is_whitespace).into_iter().filter(|p| !p.is_empty()).collect()
}

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

/// A parsed colour; `None` if it cannot be computed.
pub(super) type Colour = Option<Rgba>;

const NAMES: &str = include_str!("colours.txt");

fn hex(digits: &str) -> Option<Rgba> {
    let is_short = digits.len() < 6;
    let wide: String = digits.chars().flat_map(|c| std::iter::repeat_n(c, 1 + usize::from(is_short))).collect();
    let is_colour = matches!(wide.len(), 6 | 8) && wide.bytes().all(|b| b.is_ascii_hexdigit());
    let number = u32::from_str_radix(&format!("{wide:f<8}"), 16).ok().filter(|_| is_colour)?;
    let [red, green, blue, alpha] = number.to_be_bytes().map(f32::from);
    Some([red, green, blue, alpha / 255.0])
}

/// Parses a colour; `loose` accepts three or six hexadecimal digits without `#`.
pub(super) fn colour(text: &str, loose: bool) -> Option<Colour> {
    const FUNCTIONS: &str = "rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark";
    if text.is_empty() {
        return None;
    } else if let Some(digits) = text.strip_prefix('#') {
        return hex(digits).map(Some);
    }
    if let Some((name, inside)) = function(text) {
        return among(FUNCTIONS, name).then(|| rgb(inside).filter(|_| name.starts_with("rgb")));
    }
    match text {
        "transparent" => Some(Some([0.0; 4])),
        "currentcolor" => Some(None),
        _ => pair(NAMES, text).or(Some(text).filter(|t| loose && matches!(t.len(), 3 | 6))).and_then(hex).map(Some),
    }
}

fn rgb(inside: &str) -> Colour {
    let parts = inside.split(|c: char| matches!(c, ',' | '/') || c.is_whitespace()).filter(|p| !p.is_empty());
    let number = |(n, p): (usize, &str)| {
        let whole = if n < 3 { 255.0 } else { 1.0 };
        Some(amount(p, &Units { font: 16.0, root: 16.0, whole })?.0.clamp(0.0, whole))
    };
    match parts.enumerate().map(number).collect::<Option<Vec<f32>>>()?[..] {
        [red, green, blue] => Some([red, green, blue, 1.0]),
        [red, green, blue, alpha] => Some([red, green, blue, alpha]),
        _ => None,
    }
}
