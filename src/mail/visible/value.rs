//! Lengths and colours of style sheets.

use crate::order::Within;

pub(super) type Rgba = [f32; 4];

/// The window in pixels: a desktop's.
pub(super) const WIDTH: f32 = 1024.0;
pub(super) const HEIGHT: f32 = 768.0;

/// What relative lengths refer to, in pixels.
#[derive(Clone, Copy)]
pub(super) struct Units {
    pub font: f32,
    pub root: f32,
    /// 100 %.
    pub whole: f32,
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

/// The parts of a value between blanks.
pub(super) fn parts(text: &str) -> Vec<&str> {
    split(text, char::is_whitespace).into_iter().filter(|p| !p.is_empty()).collect()
}

/// A function's name and arguments.
pub(super) fn function(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    Some((name, rest.strip_suffix(')').unwrap_or(rest)))
}

/// A length in pixels, an angle in degrees or a number, and whether it has no unit.
pub(super) fn amount(text: &str, units: &Units) -> Option<(f32, bool)> {
    let mut reader = Reader { rest: text, units, depth: 0 };
    reader.atom().filter(|_| reader.rest.trim().is_empty())
}

/// Reads arithmetic; nesting is bounded.
struct Reader<'a> {
    rest: &'a str,
    units: &'a Units,
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, c: char) -> bool {
        let rest = self.rest.trim_start().strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn sum(&mut self) -> Option<(f32, bool)> {
        let (mut total, mut plain) = self.product()?;
        loop {
            let sign = match () {
                () if self.take('+') => 1.0,
                () if self.take('-') => -1.0,
                () => return Some((total, plain)),
            };
            let (n, unitless) = self.product()?;
            total += sign * n;
            plain &= unitless;
        }
    }

    fn product(&mut self) -> Option<(f32, bool)> {
        let (mut total, mut plain) = self.atom()?;
        loop {
            let divides = self.take('/');
            if !divides && !self.take('*') {
                return Some((total, plain));
            }
            let (n, unitless) = self.atom()?;
            total = if divides { total / n } else { total * n };
            plain &= unitless;
        }
    }

    fn atom(&mut self) -> Option<(f32, bool)> {
        self.rest = self.rest.trim_start();
        let name_end = self.rest.find(|c: char| !c.is_ascii_alphabetic() && c != '-').unwrap_or(self.rest.len());
        if !self.rest[name_end..].starts_with('(') {
            return self.number();
        }
        if self.depth > 16 {
            return None;
        }
        let name = &self.rest[..name_end];
        self.rest = &self.rest[name_end + 1..];
        self.depth += 1;
        let mut all = vec![self.sum()?];
        while self.take(',') {
            all.push(self.sum()?);
        }
        self.depth -= 1;
        if !self.take(')') && !self.rest.is_empty() {
            return None;
        }
        let numbers = all.iter().map(|a| a.0);
        let value = match name {
            "min" => numbers.fold(f32::INFINITY, f32::min),
            "max" => numbers.fold(f32::NEG_INFINITY, f32::max),
            "clamp" if all.len() == 3 => all[1].0.min(all[2].0).max(all[0].0),
            "" | "calc" | "-webkit-calc" | "-moz-calc" if all.len() == 1 => all[0].0,
            _ => return None,
        };
        Some((value, all.iter().all(|a| a.1)))
    }

    fn number(&mut self) -> Option<(f32, bool)> {
        let text = self.rest;
        let digits = text.trim_start_matches(['+', '-']);
        let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
        let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
        let (whole, fraction) = digits[..end].split_once('.').unwrap_or((&digits[..end], ""));
        if text.len() > digits.len() + 1 || end == 0 || digits[..end] == *"." || fraction.contains('.') {
            return None;
        }
        let mut n = 0.0;
        whole.bytes().for_each(|d| n = n * 10.0 + f32::from(d - b'0'));
        let mut place = 0.1;
        for d in fraction.bytes().take(9) {
            n += f32::from(d - b'0') * place;
            place /= 10.0;
        }
        let rest = &digits[end..];
        let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '%').unwrap_or(rest.len());
        self.rest = &rest[end..];
        let units = self.units;
        let unit = match &rest[..end] {
            "" | "px" | "deg" | "s" => 1.0,
            "%" => units.whole / 100.0,
            "pt" => 4.0 / 3.0,
            "pc" => 16.0,
            "in" => 96.0,
            "cm" => 96.0 / 2.54,
            "mm" => 9.6 / 2.54,
            "q" => 2.4 / 2.54,
            "em" | "ic" => units.font,
            "lh" | "rlh" => units.font * 1.2,
            "ex" | "ch" | "cap" => units.font / 2.0,
            "rem" | "ric" => units.root,
            "rex" | "rch" => units.root / 2.0,
            "ms" => 0.001,
            "grad" => 0.9,
            "turn" => 360.0,
            "rad" => 57.295_78,
            unit if unit.ends_with(['w', 'i']) || unit.ends_with("vmax") => WIDTH / 100.0,
            unit if unit.ends_with("vh") || unit.ends_with(['b', 'n']) => HEIGHT / 100.0,
            _ => return None,
        };
        Some((sign * n * unit, end == 0))
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Paint {
    Solid(Rgba),
    Current,
    /// A colour that cannot be computed here.
    Unsure,
}

const NAMES: &str = include_str!("colours.txt");

fn named(name: &str) -> Option<Rgba> {
    let mut words = NAMES.split_ascii_whitespace();
    while let (Some(known), Some(value)) = (words.next(), words.next()) {
        if known == name {
            return hex(value);
        }
    }
    None
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

/// A colour; `loose` takes six hexadecimal digits without `#`.
pub(super) fn paint(text: &str, loose: bool) -> Option<Paint> {
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
    if name == "light-dark" {
        return paint(split(inside, |c| c == ',')[0], loose);
    }
    let whole = match name {
        "rgb" | "rgba" => 255.0,
        "hsl" | "hsla" | "hwb" => 100.0,
        "lab" | "lch" | "oklab" | "oklch" | "color" | "color-mix" => return Some(Paint::Unsure),
        _ => return None,
    };
    let parts: Vec<&str> = inside.split(|c: char| matches!(c, ',' | '/') || c.is_whitespace()).collect();
    let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    let number = |at: usize, whole: f32| match parts.get(at) {
        Some(&"none") => Some(0.0),
        Some(part) => amount(part, &Units { font: 16.0, root: 16.0, whole }).map(|a| a.0),
        None => None,
    };
    let alpha = if parts.len() > 3 { number(3, 1.0) } else { Some(1.0) };
    let (Some(a), Some(b), Some(c), Some(alpha)) = (number(0, whole), number(1, whole), number(2, whole), alpha) else {
        return Some(Paint::Unsure);
    };
    let share = |n: f32| (n / 100.0).within(0.0, 1.0);
    let [r, g, b] = match name {
        "rgb" | "rgba" => [a, b, c],
        "hwb" => hsl(a, 1.0, 0.5).map(|v| 255.0 * (v * (1.0 - share(b) - share(c)).max(0.0) + share(b))),
        _ => hsl(a, share(b), share(c)).map(|v| 255.0 * v),
    };
    Some(Paint::Solid([r.within(0.0, 255.0), g.within(0.0, 255.0), b.within(0.0, 255.0), alpha.within(0.0, 1.0)]))
}

fn hsl(hue: f32, saturation: f32, light: f32) -> [f32; 3] {
    let channel = |n: f32| {
        let turns = (n + hue / 30.0) / 12.0;
        let k = 12.0 * (turns - turns.floor());
        light - saturation * light.min(1.0 - light) * (k - 3.0).min(9.0 - k).within(-1.0, 1.0)
    };
    [channel(0.0), channel(8.0), channel(4.0)]
}

/// A colour of an attribute (`bgcolor`, `<font color>`): unknown digits count as 0.
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
    while !digits.len().is_multiple_of(3) {
        digits.push(0.0);
    }
    let third = digits.len() / 3;
    let channel = |n: usize| {
        let part = &digits[n * third..][..third];
        part[0] * 16.0 + part.get(1).copied().unwrap_or(0.0)
    };
    Some([channel(0), channel(1), channel(2), 1.0])
}
