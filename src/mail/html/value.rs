//! Values of CSS: lengths and numbers, colours, `var()`.
//!
//! It never guesses: what a browser might understand and this does not is [`CssLength::Unsure`] or [`Paint::Unsure`].

use super::css::{CssToken, past_block, split, trim};
use crate::order::Within;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

/// A length in pixels, or a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CssLength {
    Pixels(f32),
    Number(f32),
    /// It is valid, and how much it is cannot be told here.
    Unsure,
    Invalid,
}

impl CssLength {
    /// Pixels, where it is a length, or 0.
    pub fn pixels(self) -> Option<f32> {
        match self {
            Self::Pixels(n) => Some(n),
            Self::Number(0.0) => Some(0.0),
            _ => None,
        }
    }
}

/// What relative lengths are relative to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    pub font: f32,
    pub root: f32,
    pub line: f32,
    /// What 100 % are.
    pub whole: f32,
}

/// The window that is looked at.
pub(super) const WIDTH: f32 = 1024.0;
pub(super) const HEIGHT: f32 = 768.0;

/// The components of a value: what white space parts, functions whole.
pub(super) fn components(tokens: &[CssToken]) -> Vec<&[CssToken]> {
    split(trim(tokens), &CssToken::Space).into_iter().filter(|part| !part.is_empty()).collect()
}

/// A component as a length, percentage or number.
pub(super) fn amount(component: &[CssToken], units: &Units) -> CssLength {
    match component {
        [CssToken::Number(n)] => CssLength::Number(*n),
        [CssToken::Percent(n)] => CssLength::Pixels(n / 100.0 * units.whole),
        [CssToken::Length(n, unit)] => length(*n, unit, units),
        [CssToken::Function(name), ..] if past_block(component, 0) == component.len() => {
            math(name, arguments(component), units, 0)
        }
        _ => CssLength::Invalid,
    }
}

/// What stands between the brackets of a function.
pub(super) fn arguments(function: &[CssToken]) -> &[CssToken] {
    match function {
        [_, inside @ .., CssToken::Close(')')] => inside,
        [_, inside @ ..] => inside,
        [] => &[],
    }
}

fn length(n: f32, unit: &str, units: &Units) -> CssLength {
    CssLength::Pixels(
        n * match unit {
            "px" => 1.0,
            "pt" => 4.0 / 3.0,
            "pc" => 16.0,
            "in" => 96.0,
            "cm" => 96.0 / 2.54,
            "mm" => 9.6 / 2.54,
            "q" => 2.4 / 2.54,
            "em" | "ic" => units.font,
            "ex" | "ch" => units.font / 2.0,
            "cap" => units.font * 0.7,
            "rem" | "ric" => units.root,
            "rex" | "rch" => units.root / 2.0,
            "lh" | "rlh" => units.line,
            "vw" | "svw" | "lvw" | "dvw" | "vi" | "svi" | "lvi" | "dvi" | "cqw" | "cqi" | "vmax" | "cqmax" => {
                WIDTH / 100.0
            }
            "vh" | "svh" | "lvh" | "dvh" | "vb" | "svb" | "lvb" | "dvb" | "cqh" | "cqb" | "vmin" | "cqmin" => {
                HEIGHT / 100.0
            }
            // Angles count in degrees.
            "deg" => 1.0,
            "grad" => 0.9,
            "turn" => 360.0,
            "rad" => 57.295_78,
            "s" => 1.0,
            "ms" => 0.001,
            _ => return CssLength::Invalid,
        },
    )
}

const MAX_NESTING: usize = 16;

fn math(name: &str, inside: &[CssToken], units: &Units, depth: usize) -> CssLength {
    if depth > MAX_NESTING {
        return CssLength::Unsure;
    }
    let parts = split(inside, &CssToken::Delim(','));
    let values: Vec<CssLength> = parts.iter().map(|part| sum(part, units, depth)).collect();
    let plain = |a: &CssLength| match a {
        CssLength::Pixels(n) | CssLength::Number(n) => Some(*n),
        _ => None,
    };
    let numbers: Option<Vec<f32>> = values.iter().map(plain).collect();
    let Some(numbers) = numbers else { return CssLength::Unsure };
    let value = match (name, &numbers[..]) {
        ("calc" | "-webkit-calc" | "-moz-calc", [n]) => *n,
        ("min", all) => all.iter().copied().fold(f32::INFINITY, f32::min),
        ("max", all) => all.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        ("clamp", [low, n, high]) => n.min(*high).max(*low),
        ("abs", [n]) => n.abs(),
        _ => return CssLength::Unsure,
    };
    if values.iter().any(|v| matches!(v, CssLength::Pixels(_))) {
        CssLength::Pixels(value)
    } else {
        CssLength::Number(value)
    }
}

/// A sum of products, as in `calc()`.
fn sum(tokens: &[CssToken], units: &Units, depth: usize) -> CssLength {
    let tokens = trim(tokens);
    let (mut total, mut length) = (0.0, false);
    let (mut product, mut negative, mut divides, mut open) = (0.0, false, false, false);
    let mut at = 0;
    while at < tokens.len() {
        let end = past_block(tokens, at);
        let term = match &tokens[at..end] {
            [CssToken::Space] => {
                at = end;
                continue;
            }
            [CssToken::Delim(sign @ ('+' | '-'))] => {
                total += if negative { -product } else { product };
                (negative, open) = (*sign == '-', false);
                at = end;
                continue;
            }
            [CssToken::Delim(sign @ ('*' | '/'))] => {
                divides = *sign == '/';
                at = end;
                continue;
            }
            [CssToken::Open('('), ..] => math("calc", arguments(&tokens[at..end]), units, depth + 1),
            [CssToken::Function(name), ..] => math(name, arguments(&tokens[at..end]), units, depth + 1),
            other => amount(other, units),
        };
        let n = match term {
            CssLength::Pixels(n) => {
                length = true;
                n
            }
            CssLength::Number(n) => n,
            _ => return CssLength::Unsure,
        };
        product = match (open, divides) {
            (false, _) => n,
            (true, false) => product * n,
            (true, true) => product / n,
        };
        (open, divides) = (true, false);
        at = end;
    }
    total += if negative { -product } else { product };
    if !total.is_finite() {
        return CssLength::Unsure;
    }
    if length { CssLength::Pixels(total) } else { CssLength::Number(total) }
}

/// Red, green and blue from 0 to 255, and how solid, from 0 to 1.
pub(super) type Rgba = [f32; 4];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Paint {
    Solid(Rgba),
    /// `currentcolor`.
    Current,
    /// It is a colour, and which one cannot be told here.
    Unsure,
    Invalid,
}

#[rustfmt::skip]
const NAMES: &str = "aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000 \
blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e \
coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b \
darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 \
darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f \
darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff \
firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 \
gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 \
khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 \
lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a \
lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 \
lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 \
mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc \
mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 \
oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 \
paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 \
purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 \
seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 \
snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee \
wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32 \
canvas ffffff canvastext 000000 window ffffff windowtext 000000 linktext 0000ee visitedtext 0000ee field ffffff fieldtext 000000 \
buttonface efefef buttontext 000000 graytext 808080 highlight b5d5ff highlighttext 000000 mark ffff00 marktext 000000 \
infobackground ffffff infotext 000000 menu ffffff menutext 000000 background ffffff -webkit-link 0000ee";

fn named(name: &str) -> Option<Rgba> {
    let mut words = NAMES.split_ascii_whitespace();
    while let (Some(known), Some(value)) = (words.next(), words.next()) {
        if known == name {
            return hex(value);
        }
    }
    None
}

/// `rgb`, `rgba`, `rrggbb` or `rrggbbaa`.
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

/// A component as a colour; `loose` takes hexadecimal digits without `#`, as old pages have them.
pub(super) fn paint(component: &[CssToken], loose: bool) -> Paint {
    let solid = |found: Option<Rgba>| found.map_or(Paint::Invalid, Paint::Solid);
    match component {
        [CssToken::Hash(digits)] => solid(hex(digits)),
        [CssToken::Ident(name)] => {
            let name = name.to_ascii_lowercase();
            match &*name {
                "transparent" => Paint::Solid([0.0; 4]),
                "currentcolor" => Paint::Current,
                _ => solid(named(&name).or_else(|| hex(&name).filter(|_| loose && matches!(name.len(), 3 | 6)))),
            }
        }
        [CssToken::Function(name), ..] if past_block(component, 0) == component.len() => {
            function(name, arguments(component), loose)
        }
        // `000000`, `2e8b57` and the like are read as numbers and lengths.
        [CssToken::Number(n)] if loose && (0.0..1e6).contains(n) && n.fract() == 0.0 => {
            solid(hex(&format!("{:06}", *n as u32)))
        }
        [CssToken::Length(n, unit)] if loose && (0.0..1e6).contains(n) && n.fract() == 0.0 => {
            let whole = format!("{}{unit}", *n as u32);
            if whole.len() > 6 { Paint::Unsure } else { solid(hex(&format!("{whole:0>6}"))) }
        }
        _ => Paint::Invalid,
    }
}

fn function(name: &str, inside: &[CssToken], loose: bool) -> Paint {
    let plain = |t: &CssToken| !matches!(t, CssToken::Space | CssToken::Delim(',' | '/'));
    if matches!(name, "light-dark") {
        return paint(trim(split(inside, &CssToken::Delim(','))[0]), loose);
    }
    if !matches!(name, "rgb" | "rgba" | "hsl" | "hsla" | "hwb") {
        let known = matches!(
            name,
            "lab" | "lch" | "oklab" | "oklch" | "color" | "color-mix" | "device-cmyk" | "contrast-color"
        );
        return if known { Paint::Unsure } else { Paint::Invalid };
    }
    let parts: Vec<&CssToken> = inside.iter().filter(|t| plain(t)).collect();
    let number = |at: usize, whole: f32| match parts.get(at) {
        Some(CssToken::Number(n)) => Some(*n),
        Some(CssToken::Percent(n)) => Some(n / 100.0 * whole),
        Some(CssToken::Length(n, unit)) => {
            length(*n, unit, &Units { font: 16.0, root: 16.0, line: 20.0, whole }).pixels()
        }
        Some(CssToken::Ident(word)) if word.eq_ignore_ascii_case("none") => Some(0.0),
        _ => None,
    };
    let alpha = if parts.len() > 3 { number(3, 1.0) } else { Some(1.0) };
    let whole = if name.starts_with("rgb") { 255.0 } else { 100.0 };
    let (Some(a), Some(b), Some(c), Some(alpha)) = (number(0, whole), number(1, whole), number(2, whole), alpha) else {
        return Paint::Unsure;
    };
    let alpha = alpha.within(0.0, 1.0);
    let [r, g, b] = match name {
        "rgb" | "rgba" => [a, b, c],
        "hwb" => {
            let (white, black) = (b / 100.0, c / 100.0);
            if white + black >= 1.0 {
                [255.0 * white / (white + black); 3]
            } else {
                hsl(a, 1.0, 0.5).map(|v| 255.0 * (v * (1.0 - white - black) + white))
            }
        }
        _ => hsl(a, (b / 100.0).within(0.0, 1.0), (c / 100.0).within(0.0, 1.0)).map(|v| 255.0 * v),
    };
    Paint::Solid([r.within(0.0, 255.0), g.within(0.0, 255.0), b.within(0.0, 255.0), alpha])
}

fn hsl(hue: f32, saturation: f32, light: f32) -> [f32; 3] {
    let channel = |n: f32| {
        let turns = (n + hue / 30.0) / 12.0;
        let k = 12.0 * (turns - turns.floor());
        light - saturation * light.min(1.0 - light) * (k - 3.0).min(9.0 - k).within(-1.0, 1.0)
    };
    [channel(0.0), channel(8.0), channel(4.0)]
}

/// A colour of an attribute (`bgcolor`, `<font color>`), by the standard's rules for old pages: nothing is refused.
pub(super) fn legacy(text: &str) -> Option<Rgba> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace()).to_ascii_lowercase();
    if text.is_empty() || text == "transparent" {
        return None;
    }
    if let Some(known) = named(&text) {
        return Some(known);
    }
    let short = text.strip_prefix('#').filter(|digits| digits.len() == 3).and_then(hex);
    if short.is_some() {
        return short;
    }
    let text = text.strip_prefix('#').unwrap_or(&text);
    let mut digits: Vec<u32> = Vec::new();
    for c in text.chars().take(128) {
        digits.push(c.to_digit(16).unwrap_or(0));
        if c as u32 > 0xFFFF {
            digits.push(0);
        }
    }
    while digits.is_empty() || !digits.len().is_multiple_of(3) {
        digits.push(0);
    }
    let mut parts: Vec<&[u32]> = digits.chunks(digits.len() / 3).collect();
    for part in &mut parts {
        *part = &part[part.len().saturating_sub(8)..];
    }
    while parts[0].len() > 2 && parts.iter().all(|p| p[0] == 0) {
        parts.iter_mut().for_each(|p| *p = &p[1..]);
    }
    let value = |p: &[u32]| p.iter().take(2).fold(0, |sum, d| sum * 16 + d) as f32;
    Some([value(parts[0]), value(parts[1]), value(parts[2]), 1.0])
}

/// The custom properties of an element, by name; `None` is one whose value cannot be told.
pub(super) type Variables = HashMap<Rc<str>, Option<Rc<[CssToken]>>>;

/// Why a value with `var()` has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// It counts as not set.
    Invalid,
    /// It cannot be told here.
    Unsure,
}

/// Functions whose value depends on more than the page's rules.
const UNSURE: &str = "env attr if inherit random sibling-index sibling-count toggle";

/// The tokens with what `var()` stands for. `left`: tokens of the page that may still be looked at for that, past which no value can be
/// told.
pub(super) fn substitute(
    tokens: &[CssToken],
    variables: &Variables,
    depth: usize,
    left: &Cell<usize>,
) -> Result<Vec<CssToken>, Missing> {
    /// Variables of variables of variables grow beyond all bounds.
    const MAX_TOKENS: usize = 500;
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if out.len() > MAX_TOKENS || !spend(left, 1) {
            return Err(Missing::Unsure);
        }
        match token {
            CssToken::Function(name) if **name == *"var" => {
                if depth > MAX_NESTING {
                    return Err(Missing::Unsure);
                }
                let end = past_block(tokens, at);
                if !spend(left, end - at) {
                    return Err(Missing::Unsure);
                }
                let inside = arguments(&tokens[at..end]);
                let comma = inside.iter().position(|t| *t == CssToken::Delim(','));
                let [CssToken::Ident(name)] = trim(&inside[..comma.unwrap_or(inside.len())]) else {
                    return Err(Missing::Invalid);
                };
                match variables.get(&**name) {
                    Some(Some(value)) if value.len() > MAX_TOKENS || !spend(left, value.len()) => {
                        return Err(Missing::Unsure);
                    }
                    Some(Some(value)) => out.extend(value.iter().cloned()),
                    Some(None) => return Err(Missing::Unsure),
                    None => {
                        let fallback = &inside[comma.ok_or(Missing::Invalid)? + 1..];
                        out.extend(substitute(fallback, variables, depth + 1, left)?);
                    }
                }
                at = end;
            }
            CssToken::Function(name)
                if name.starts_with("--") || super::tree::among(UNSURE, name) || name.starts_with("-internal") =>
            {
                return Err(Missing::Unsure);
            }
            token => {
                out.push(token.clone());
                at += 1;
            }
        }
    }
    Ok(out)
}

/// Takes so many tokens of those that are left; `false` where there are not enough.
fn spend(left: &Cell<usize>, tokens: usize) -> bool {
    let rest = left.get().checked_sub(tokens);
    left.set(rest.unwrap_or(0));
    rest.is_some()
}
