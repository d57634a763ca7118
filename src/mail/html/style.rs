//! Whether an element's text can be seen, by the part of CSS that decides it.
//!
//! It never lays out a page. What is looked at is a desktop window with a light colour scheme, from which nothing is
//! loaded, in which nothing runs and nobody points at anything; what is hidden there is hidden, also where a phone or a
//! printer would show it. What cannot be evaluated and could hide, hides.

mod display;
mod element;
mod hiding;
mod place;

use super::cascade::{PropertyKind, StyleCascade};
use super::css::{CssToken, split};
use super::ground::Grounds;
use super::sheet::family;
use super::value::{Rgba, Variables, components};
use crate::order::Within;
pub(super) use element::Style;
pub(super) use hiding::Hiding;
pub(super) use place::Cover;
use place::LayoutBox;
use std::rc::Rc;

/// What an element hands down to what it holds.
#[derive(Debug, Clone)]
pub(super) struct Styled {
    pub hidden: Option<Hiding>,
    visible: bool,
    colour: Rgba,
    /// The colour of letters where it is another than that of the text.
    ink: Option<Rgba>,
    /// Other colours that the letters may have.
    others: [Option<Rgba>; 3],
    pub grounds: Grounds,
    /// Whether an element on the way down paints a background.
    painted: bool,
    opacity: f32,
    font: f32,
    scale: f32,
    /// The height of a line, as a share of the font where the second is set.
    line: (f32, bool),
    /// Letters that are drawn as something else, or one over the other.
    garbled: bool,
    variables: Rc<Variables>,
    pub place: LayoutBox,
    /// Whether what it holds is laid out in lines.
    inline: bool,
    /// What it paints over text that came before.
    pub cover: Option<Cover>,
    /// Whether text directly inside is put away.
    closed: bool,
    /// What text may stand on beside its ground: where what paints that is not as high as the text, or not there.
    under: Grounds,
    /// What placed elements in it stand on.
    holder: Grounds,
}

impl Styled {
    fn letters(&self) -> Rgba {
        self.ink.unwrap_or(self.colour)
    }

    pub fn line_height(&self) -> f32 {
        if self.line.1 { self.line.0 * self.font } else { self.line.0 }
    }

    /// Whether it stands in lines of its own.
    pub fn is_block(&self) -> bool {
        !self.inline
    }

    /// How much of a text, in bytes, there is room for.
    pub fn room(&self, text: &str) -> usize {
        self.place.room(text, self.font, self.line_height())
    }

    /// What changes an element after it is painted.
    fn effects(&mut self, cascade: &StyleCascade<'_>, fonts: &[String]) {
        let hide = |look: &mut Self, why: Hiding| look.hidden = look.hidden.or(Some(why));
        if cascade.entries.is_empty() {
            return;
        }
        if let Some(n) = cascade.number("opacity") {
            self.opacity *= if n.is_nan() { 0.0 } else { n.within(0.0, 1.0) };
        }
        for name in ["filter", "-webkit-filter"] {
            if let Some(value) = cascade.get(name, PropertyKind::Any).filter(|v| !v.has("none initial inherit")) {
                match filter(&value.tokens) {
                    Some(opacity) => self.opacity *= opacity,
                    None => hide(self, Hiding::NoContrast),
                }
            }
        }
        if VANISH.split_ascii_whitespace().any(|name| cascade.sets(name)) {
            hide(self, Hiding::NoSize);
        }
        // A picture stands in the place of the text.
        let picture = |t: &CssToken| matches!(t, CssToken::Url(_) | CssToken::Function(_));
        if cascade.get("content", PropertyKind::Any).is_some_and(|v| v.tokens.iter().any(picture)) {
            hide(self, Hiding::NotShown);
        }
        if let Some(value) = cascade.get("-webkit-text-security", PropertyKind::Any) {
            self.garbled = !value.has("none");
        }
        if let Some(value) = cascade.get("font-size-adjust", PropertyKind::Any) {
            self.garbled |= value.is_unsure() || value.number().is_some_and(|n| n < 0.25);
        }
        if let Some(n) = cascade.size("letter-spacing") {
            self.garbled = n < -0.4 * self.font || n > 150.0 || n.is_nan();
        }
        if let Some(n) = cascade.size("word-spacing") {
            self.garbled |= n.abs() > 400.0 || n.is_nan();
        }
        if let Some(value) = cascade.get("font-family font", PropertyKind::Any).filter(|_| !fonts.is_empty()) {
            // In the shorthand the family is what comes last.
            let named = |part: &[CssToken]| (0..part.len().min(24)).any(|from| fonts.contains(&family(&part[from..])));
            // So many fonts of its own that they are not looked through.
            self.garbled |= fonts.len() > 50 || split(&value.tokens, &CssToken::Delim(',')).into_iter().any(named);
        }
    }

    /// Why text directly inside cannot be seen.
    pub fn hiding(&self) -> Option<Hiding> {
        /// Letters of so many pixels are dots.
        const MIN_FONT: f32 = 5.0;
        if self.hidden.is_some() {
            return self.hidden;
        }
        if !self.visible || self.closed {
            return Some(Hiding::NotShown);
        }
        if self.font * self.scale < MIN_FONT || self.garbled || self.opacity < 0.1 {
            return Some(Hiding::NoSize);
        }
        let melts = |colour: &Rgba| self.grounds.melt(*colour, self.opacity);
        if melts(&self.letters()) || self.others.iter().flatten().any(melts) {
            return Some(Hiding::NoContrast);
        }
        // A line of no height has a ground of none.
        let flat = self.line_height() < self.font * 0.4;
        if flat && self.under.melt(self.letters(), self.opacity) {
            return Some(Hiding::NoContrast);
        }
        self.place.hiding(self.font, self.line_height())
    }
}

/// Properties that may leave nothing to be seen of an element.
const VANISH: &str = "mask mask-image -webkit-mask -webkit-mask-image mask-border -webkit-mask-box-image \
    -webkit-mask-box-image-source mix-blend-mode clip offset-path offset";

/// How much of the ink a filter leaves; `None` where it may leave nothing to be read.
fn filter(value: &[CssToken]) -> Option<f32> {
    let mut opacity = 1.0;
    if value.is_empty() {
        return None;
    }
    for part in components(value) {
        let [CssToken::Function(name), argument @ ..] = part else { return None };
        let n = match argument {
            [CssToken::Number(n), ..] => *n,
            [CssToken::Percent(n), ..] => n / 100.0,
            [CssToken::Length(n, _), ..] => *n,
            [CssToken::Close(_)] => 0.0,
            _ => 1.0,
        };
        match &**name {
            "opacity" => opacity *= n.within(0.0, 1.0),
            "drop-shadow" | "grayscale" | "saturate" | "sepia" | "hue-rotate" => {}
            "blur" if n < 2.0 => {}
            "brightness" | "contrast" if (0.6..=1.5).contains(&n) => {}
            "invert" if n == 0.0 => {}
            _ => return None,
        }
    }
    Some(opacity)
}

#[cfg(test)]
mod tests;
