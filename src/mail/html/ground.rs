//! What text stands on, and whether it can be told from it.
//!
//! It never looks at a picture: one that the page brings along may have any colour, one from elsewhere is not loaded.

use super::cascade::{PropertyKind, StyleCascade};
use super::css::{CssToken, split};
use super::tree::{Quirks, among};
use super::value::{Paint, Rgba, arguments, components, paint};

/// The colours that text may stand on; more than can be kept apart are any.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grounds {
    colours: [[u8; 3]; Self::MOST],
    count: usize,
}

/// The difference of colours, of 255, from which on text can be read.
const CONTRAST: f32 = 25.0;

/// A colour over another.
fn over(top: Rgba, under: [u8; 3]) -> [u8; 3] {
    std::array::from_fn(|n| (top[n] * top[3] + f32::from(under[n]) * (1.0 - top[3]) + 0.5) as u8)
}

impl Grounds {
    const MOST: usize = 12;
    /// Any colour.
    const ANY: Self = Self { colours: [[0; 3]; Self::MOST], count: usize::MAX };

    pub fn of(colour: [u8; 3]) -> Self {
        Self { colours: [colour; Self::MOST], count: 1 }
    }

    /// The colours, if they can be told.
    pub fn known(&self) -> &[[u8; 3]] {
        self.colours.get(..self.count).unwrap_or_default()
    }

    fn add(&mut self, colour: [u8; 3]) {
        if self.known().contains(&colour) || self.count == usize::MAX {
            return;
        }
        match self.colours.get_mut(self.count) {
            Some(place) => {
                *place = colour;
                self.count += 1;
            }
            None => self.count = usize::MAX,
        }
    }

    /// The colours of both.
    pub fn or(mut self, other: &Self) -> Self {
        other.known().iter().for_each(|colour| self.add(*colour));
        if other.count == usize::MAX { Self::ANY } else { self }
    }

    /// What text stands on where this lies on them.
    fn under(&self, top: Rgba) -> Self {
        let mut all = Self { count: if self.count == usize::MAX && top[3] < 1.0 { usize::MAX } else { 0 }, ..*self };
        let colours = self.known().iter().map(|colour| over(top, *colour));
        // What lets nothing through is the same on all of them.
        colours.chain((top[3] >= 1.0).then(|| over(top, [0; 3]))).for_each(|colour| all.add(colour));
        all
    }

    /// Whether text of this colour may not be told from what it stands on.
    pub fn melt(&self, [r, g, b, alpha]: Rgba, opacity: f32) -> bool {
        let same = |ground: &[u8; 3]| {
            let seen = over([r, g, b, alpha * opacity], *ground);
            seen.iter().zip(ground).all(|(a, b)| f32::from(a.abs_diff(*b)) < CONTRAST)
        };
        self.count == usize::MAX || self.known().iter().any(same)
    }
}

/// An element's own background.
pub(super) struct Fill {
    /// What its text may stand on.
    pub grounds: Grounds,
    /// Whether it paints anything.
    pub paints: bool,
    /// It shows in the shape of the text alone.
    pub clipped: bool,
}

/// Reads the background of an element whose text is of this colour.
pub(super) fn fill(cascade: &StyleCascade<'_>, under: &Grounds, hint: Option<Rgba>, ink: Rgba) -> Fill {
    let loose = cascade.quirks != Quirks::No;
    let valid = |name: &str, value: &[CssToken]| name == "background" || paint(value, loose) != Paint::Invalid;
    let mut colour = hint.map_or(Paint::Invalid, Paint::Solid);
    if let Some(value) = cascade.get("background-color background", PropertyKind::Such(&valid)) {
        let found = components(&value.tokens).into_iter().map(|part| paint(part, loose)).find(|p| *p != Paint::Invalid);
        colour = match found.unwrap_or(Paint::Invalid) {
            _ if value.is_unsure() => Paint::Unsure,
            Paint::Current => Paint::Solid(ink),
            found => found,
        };
    }
    let mut grounds = match colour {
        Paint::Solid(top) if top[3] > 0.0 => under.under(top),
        Paint::Unsure => Grounds::ANY,
        _ => *under,
    };
    let mut paints = matches!(colour, Paint::Solid(top) if top[3] > 0.5) || colour == Paint::Unsure;
    if let Some(images) = cascade.get("background-image background", PropertyKind::Any) {
        let moves = |name: &&str| {
            let Some(value) = cascade.get(name, PropertyKind::Any) else { return false };
            let sized = *value.name == *"background-size" || value.tokens.contains(&CssToken::Delim('/'));
            components(&value.tokens).iter().any(|part| match part {
                [CssToken::Length(n, _) | CssToken::Number(n)] => n.abs() > 30.0 || sized && *n < 20.0,
                [CssToken::Percent(n)] => !matches!(n, 0.0 | 50.0 | 100.0) || sized && *n < 100.0,
                _ => false,
            })
        };
        let names =
            ["background-size", "background-position", "background-position-x", "background-position-y", "background"];
        let small = names.iter().any(moves);
        for layer in split(&images.tokens, &CssToken::Delim(',')).into_iter().rev() {
            for part in components(layer) {
                let image = match part {
                    [CssToken::Url(address)] => picture(address),
                    [CssToken::Function(name), CssToken::Text(address), ..] if **name == *"url" => picture(address),
                    [CssToken::Function(name), ..] if name.ends_with("gradient") => {
                        Some(gradient(part, &grounds, ink, loose))
                    }
                    [CssToken::Function(name), ..] if among(IMAGES, name) => Some(Grounds::ANY),
                    _ => continue,
                };
                let Some(image) = image else { continue };
                paints = true;
                // A small one, or one that is moved, may lie beside the text.
                grounds = if small { grounds.or(&image) } else { image };
            }
        }
        if images.is_unsure() {
            grounds = Grounds::ANY;
        }
    }
    let clip = cascade.get("background-clip -webkit-background-clip background", PropertyKind::Any);
    Fill { grounds, paints, clipped: clip.is_some_and(|v| v.has("text")) }
}

const IMAGES: &str = "image-set -webkit-image-set cross-fade -webkit-cross-fade element paint image";

/// What text stands on where a picture lies: any colour where it comes with the page, else what there is without it.
fn picture(address: &str) -> Option<Grounds> {
    let head = address.trim_start().get(..5)?;
    head.eq_ignore_ascii_case("data:").then_some(Grounds::ANY)
}

/// What text may stand on in a gradient.
fn gradient(function: &[CssToken], under: &Grounds, ink: Rgba, loose: bool) -> Grounds {
    let mut all: Option<Grounds> = None;
    for stop in split(arguments(function), &CssToken::Delim(',')) {
        let colour = components(stop).iter().map(|part| paint(part, loose)).find(|p| *p != Paint::Invalid);
        let stop = match colour {
            Some(Paint::Solid(top)) => under.under(top),
            Some(Paint::Current) => under.under(ink),
            Some(_) => Grounds::ANY,
            None => continue,
        };
        all = Some(all.map_or(stop, |all| all.or(&stop)));
    }
    all.unwrap_or(Grounds::ANY)
}
