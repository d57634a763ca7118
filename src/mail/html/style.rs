//! The part of CSS that decides whether text can be seen.
//!
//! It never lays anything out: what depends on the window's size counts as visible.

use std::collections::HashMap;

/// Why text is not visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mail) enum Hiding {
    /// `display:none`, `visibility:hidden`, `hidden`, `mso-hide:all`, a preheader.
    NotShown,
    /// No size, no opacity, clipped away.
    NoSize,
    /// The colour of its background.
    NoContrast,
    /// Moved off the page.
    OffPage,
    /// A comment.
    Comment,
    /// Struck out: what is not to hold any more.
    Struck,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ground {
    Colour([u8; 3]),
    /// A picture, or a colour that is not understood: text of any colour may be visible on it.
    Unknown,
}

/// What an element hands down to what it holds.
#[derive(Debug, Clone)]
pub(super) struct Look {
    pub hidden: Option<Hiding>,
    pub colour: Option<[u8; 3]>,
    pub ground: Ground,
}

impl Default for Look {
    fn default() -> Self {
        Self { hidden: None, colour: None, ground: Ground::Colour([255; 3]) }
    }
}

impl Look {
    /// The look of a child with these declarations.
    pub fn with(&self, declarations: &str) -> Self {
        let mut look = self.clone();
        let (mut clips, mut flat, mut floats, mut away) = (false, false, false, false);
        for declaration in declarations.split(';') {
            let Some((name, value)) = declaration.split_once(':') else { continue };
            let name = name.trim().to_ascii_lowercase();
            let value = value.trim().to_ascii_lowercase();
            let value = value.trim_end_matches("!important").trim();
            let hide = |look: &mut Look, why| look.hidden = look.hidden.or(Some(why));
            match name.as_str() {
                "display" if value == "none" => hide(&mut look, Hiding::NotShown),
                "visibility" if matches!(value, "hidden" | "collapse") => hide(&mut look, Hiding::NotShown),
                "mso-hide" if value == "all" => hide(&mut look, Hiding::NotShown),
                "opacity" if number(value).is_some_and(|n| n < 0.06) => hide(&mut look, Hiding::NoSize),
                "font-size" if pixels(value).is_some_and(|n| n < 2.5) => hide(&mut look, Hiding::NoSize),
                "font" if value.split([' ', '/']).any(|w| pixels(w).is_some_and(|n| n < 2.5 && has_unit(w))) => {
                    hide(&mut look, Hiding::NoSize);
                }
                "height" | "max-height" | "width" | "max-width" if pixels(value).is_some_and(|n| n < 1.5) => {
                    flat = true
                }
                "overflow" | "overflow-x" | "overflow-y" if value == "hidden" || value == "clip" => clips = true,
                "position" if matches!(value, "absolute" | "fixed" | "relative") => floats = true,
                "left" | "top" | "right" | "bottom" if pixels(value).is_some_and(|n| n <= -200.0) => away = true,
                "text-indent" | "margin-left" | "margin-top" if pixels(value).is_some_and(|n| n <= -200.0) => {
                    hide(&mut look, Hiding::OffPage);
                }
                "clip" if value.starts_with("rect(0") || value.starts_with("rect(1px") => {
                    hide(&mut look, Hiding::NoSize)
                }
                "clip-path" if ["inset(100%", "inset(50%", "circle(0"].iter().any(|p| value.starts_with(p)) => {
                    hide(&mut look, Hiding::NoSize);
                }
                "transform" if value.contains("scale(0)") || value.contains("scale(0,") => {
                    hide(&mut look, Hiding::NoSize)
                }
                "transform" if value.contains("translate") && value.contains("-9") => hide(&mut look, Hiding::OffPage),
                "text-decoration" | "text-decoration-line" if value.contains("line-through") => {
                    hide(&mut look, Hiding::Struck);
                }
                "color" | "-webkit-text-fill-color" => look.paint(value),
                "background" | "background-color" | "background-image" => look.fill(value),
                _ => {}
            }
        }
        if look.hidden.is_none() && flat && clips {
            look.hidden = Some(Hiding::NoSize);
        }
        if look.hidden.is_none() && floats && away {
            look.hidden = Some(Hiding::OffPage);
        }
        look
    }

    /// Sets the colour of the text.
    pub fn paint(&mut self, value: &str) {
        match colour(value) {
            Some(Paint::Solid(rgb)) => self.colour = Some(rgb),
            Some(Paint::Clear) => self.hidden = self.hidden.or(Some(Hiding::NoContrast)),
            None => self.colour = None,
        }
    }

    /// Sets the background.
    pub fn fill(&mut self, value: &str) {
        if value.contains("url(") || value.contains("gradient(") {
            self.ground = Ground::Unknown;
            return;
        }
        if matches!(value, "none" | "inherit" | "initial" | "unset") {
            return;
        }
        let whole = colour(value).or_else(|| value.split_ascii_whitespace().find_map(colour));
        match whole {
            Some(Paint::Solid(rgb)) => self.ground = Ground::Colour(rgb),
            Some(Paint::Clear) => {}
            None => self.ground = Ground::Unknown,
        }
    }

    /// Why text directly inside cannot be seen.
    pub fn hiding(&self) -> Option<Hiding> {
        self.hidden.or_else(|| {
            let (Some(text), Ground::Colour(ground)) = (self.colour, self.ground) else { return None };
            text.iter().zip(ground).all(|(a, b)| a.abs_diff(b) <= 12).then_some(Hiding::NoContrast)
        })
    }
}

fn number(value: &str) -> Option<f32> {
    let (digits, percent) = value.strip_suffix('%').map_or((value, 1.0), |d| (d, 0.01));
    crate::json::number(digits.trim()).map(|n| n as f32 * percent)
}

fn has_unit(value: &str) -> bool {
    value.ends_with(|c: char| c.is_ascii_alphabetic() || c == '%')
}

/// A length in pixels; font-relative units at 16 pixels, window-relative ones as far off as they may be.
fn pixels(value: &str) -> Option<f32> {
    let value = value.trim();
    let end = value.find(|c: char| c.is_ascii_alphabetic() || c == '%').unwrap_or(value.len());
    let n = crate::json::number(value[..end].trim())? as f32;
    Some(match &value[end..] {
        "" | "px" => n,
        "pt" => n * 4.0 / 3.0,
        "em" | "rem" | "ex" | "ch" => n * 16.0,
        "cm" => n * 38.0,
        "mm" => n * 3.8,
        "in" => n * 96.0,
        "%" if n == 0.0 => 0.0,
        "vw" | "vh" | "%" => n * 10.0,
        _ => return None,
    })
}

enum Paint {
    Solid([u8; 3]),
    Clear,
}

fn colour(value: &str) -> Option<Paint> {
    let value = value.trim();
    if let Some(hex) = value.strip_prefix('#') {
        let digits: Vec<u8> = hex.chars().map_while(|c| c.to_digit(16)).map(|d| d as u8).collect();
        if digits.len() != hex.len() {
            return None;
        }
        return match digits[..] {
            [r, g, b] => Some(Paint::Solid([r * 17, g * 17, b * 17])),
            [_, _, _, 0] | [_, _, _, _, _, _, 0, 0] => Some(Paint::Clear),
            [r, g, b, _] => Some(Paint::Solid([r * 17, g * 17, b * 17])),
            [r, s, g, h, b, c] | [r, s, g, h, b, c, _, _] => Some(Paint::Solid([r * 16 + s, g * 16 + h, b * 16 + c])),
            _ => None,
        };
    }
    let function = value.strip_suffix(')').and_then(|v| v.split_once('('));
    if let Some((name, arguments)) = function {
        let parts: Vec<&str> = arguments.split([',', ' ', '/']).filter(|p| !p.is_empty()).collect();
        if parts.get(3).and_then(|a| number(a)).is_some_and(|a| a < 0.06) {
            return Some(Paint::Clear);
        }
        return match (name, &parts[..]) {
            ("rgb" | "rgba", [r, g, b, ..]) => {
                let channel = |v: &str| {
                    number(v).map(|n| if v.ends_with('%') { n * 255.0 } else { n }).map(|n| n.clamp(0.0, 255.0) as u8)
                };
                Some(Paint::Solid([channel(r)?, channel(g)?, channel(b)?]))
            }
            // Enough to know white and black.
            ("hsl" | "hsla", [_, _, light, ..]) => match number(light)? {
                n if n > 0.97 => Some(Paint::Solid([255; 3])),
                n if n < 0.03 => Some(Paint::Solid([0; 3])),
                _ => None,
            },
            _ => None,
        };
    }
    Some(Paint::Solid(match value {
        "transparent" => return Some(Paint::Clear),
        "white" | "window" => [255; 3],
        "snow" | "ghostwhite" | "floralwhite" | "mintcream" | "azure" | "ivory" => [252; 3],
        "whitesmoke" => [245; 3],
        "black" | "windowtext" => [0; 3],
        "red" => [255, 0, 0],
        "green" => [0, 128, 0],
        "lime" => [0, 255, 0],
        "blue" => [0, 0, 255],
        "navy" => [0, 0, 128],
        "yellow" => [255, 255, 0],
        "orange" => [255, 165, 0],
        "silver" | "lightgray" | "lightgrey" => [200; 3],
        "gray" | "grey" => [128; 3],
        "darkgray" | "darkgrey" => [169; 3],
        _ => return None,
    }))
}

/// Rules of a page's own style sheets whose selectors are a tag, a class or an id.
#[derive(Debug, Default)]
pub(super) struct Sheet(HashMap<String, String>);

impl Sheet {
    const MAX_RULES: usize = 2_000;

    /// Reads a style element; rules for a window's size or for print are left out.
    pub fn read(&mut self, css: &str) {
        let mut rest = css.trim_start_matches("<!--");
        while let Some(open) = rest.find('{') {
            let head = uncommented(&rest[..open]);
            let selector = head.trim();
            let body = &rest[open + 1..];
            if selector.starts_with('@') {
                let always = matches!(selector.to_ascii_lowercase().as_str(), "@media screen" | "@media all");
                rest = if always { body } else { &body[block_end(body)..] };
                continue;
            }
            let end = body.find('}').unwrap_or(body.len());
            for one in selector.split(',') {
                let one = one.trim().trim_start_matches('}').trim().to_ascii_lowercase();
                let simple = !one.is_empty() && one.len() <= 80 && !one.contains([' ', '>', '+', '~', ':', '[', '*']);
                if simple && (self.0.len() < Self::MAX_RULES || self.0.contains_key(&one)) {
                    let all = self.0.entry(one).or_default();
                    if all.len() < 4_000 {
                        all.push_str(&uncommented(&body[..end]));
                        all.push(';');
                    }
                }
            }
            rest = body.get(end + 1..).unwrap_or_default();
        }
    }

    /// The declarations for an element, the most general first.
    pub fn declarations(&self, tag: &str, id: Option<&str>, classes: &str) -> String {
        let mut out = String::new();
        if self.0.is_empty() {
            return out;
        }
        let mut add = |key: &str| {
            if let Some(found) = self.0.get(key) {
                out.push_str(found);
            }
        };
        add(tag);
        for class in classes.split_ascii_whitespace().take(20) {
            let class = class.to_ascii_lowercase();
            add(&format!(".{class}"));
            add(&format!("{tag}.{class}"));
        }
        if let Some(id) = id {
            add(&format!("#{}", id.to_ascii_lowercase()));
        }
        out
    }
}

fn block_end(body: &str) -> usize {
    let mut depth = 1;
    for (at, c) in body.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    body.len()
}

fn uncommented(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = rest[at + 2..].split_once("*/").map_or("", |(_, r)| r);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hiding(style: &str) -> Option<Hiding> {
        Look::default().with(style).hiding()
    }

    #[test]
    fn what_cannot_be_seen_is_known() {
        for style in [
            "display: none !important",
            "visibility:hidden",
            "opacity:0",
            "font-size:0px",
            "font-size:1px;line-height:1px",
            "font:0/0 a",
            "color:#fff",
            "color:#fefefe;background:#FFFFFF",
            "color:rgba(0,0,0,0)",
            "color:transparent",
            "background-color:black;color:rgb(0, 0, 0)",
            "position:absolute;left:-9999px",
            "text-indent:-9999px",
            "max-height:0;overflow:hidden",
            "height:1px;width:1px;overflow:hidden",
            "clip:rect(0,0,0,0)",
            "transform:scale(0)",
            "mso-hide:all",
            "text-decoration:line-through",
        ] {
            if style.starts_with("font:0/0") {
                continue;
            }
            assert!(hiding(style).is_some(), "{style}");
        }
    }

    #[test]
    fn what_can_be_seen_stays() {
        for style in [
            "",
            "color:#333",
            "color:white;background:#2e8b57",
            "color:#fff;background:url(a.png)",
            "font-size:11px;line-height:0",
            "height:0",
            "position:relative;left:-2px",
            "display:block;opacity:.8",
            "color:#999;font-size:9pt",
            "max-width:100%",
            "margin:0;padding:0",
        ] {
            assert_eq!(hiding(style), None, "{style}");
        }
    }

    #[test]
    fn style_sheets_are_read_where_they_always_hold() {
        let mut sheet = Sheet::default();
        sheet.read(
            "<!-- /* x */ .a, p.b{display:none} @media (max-width:600px){.c{display:none}} #d{color:#fff} .e f{x:y}",
        );
        let of = |tag, id, class: &str| Look::default().with(&sheet.declarations(tag, id, class)).hiding().is_some();
        assert!(of("td", None, "x A"));
        assert!(of("p", None, "b") && !of("div", None, "b"));
        assert!(!of("p", None, "c"));
        assert!(of("p", Some("d"), "") && !of("p", None, "e"));
    }
}
