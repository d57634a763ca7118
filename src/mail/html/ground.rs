//! What text stands on, and whether it can be told from it.
//!
//! It never looks at a picture: one that the page brings along may have any colour, one from elsewhere is not loaded.

use super::cascade::{Cascade, Kind};
use super::css::{Token, split};
use super::tree::{Quirks, among};
use super::value::{Paint, Rgba, arguments, components, paint};
use std::rc::Rc;

/// A colour without holes, or those of a gradient; `None` where it cannot be told.
pub(super) type Ground = Option<Rc<[[f32; 3]]>>;

/// What text may stand on, one or the other of these.
pub(super) type Grounds = Rc<[Ground]>;

/// The difference of colours, of 255, from which on text can be read.
const CONTRAST: f32 = 25.0;

pub(super) fn plain(colour: [f32; 3]) -> Grounds {
    Rc::new([Some(Rc::new([colour]))])
}

/// A colour over another.
fn over(top: Rgba, under: [f32; 3]) -> [f32; 3] {
    let mix = |n: usize| top[n] * top[3] + under[n] * (1.0 - top[3]);
    [mix(0), mix(1), mix(2)]
}

/// Whether text of this colour cannot be told from what it may stand on.
pub(super) fn melts(colour: Rgba, opacity: f32, grounds: &Grounds) -> bool {
    let [r, g, b, alpha] = colour;
    let same = |ground: &[f32; 3]| {
        let seen = over([r, g, b, alpha * opacity], *ground);
        seen.iter().zip(ground).all(|(a, b)| (a - b).abs() < CONTRAST)
    };
    grounds.iter().any(|ground| ground.as_ref().is_none_or(|colours| colours.iter().all(same)))
}

/// All grounds of both.
pub(super) fn either(a: &Grounds, b: &Grounds) -> Grounds {
    let mut all: Vec<Ground> = a.to_vec();
    for ground in b.iter() {
        if !all.contains(ground) {
            all.push(ground.clone());
        }
    }
    // More than can be kept apart.
    if all.len() > 8 { Rc::new([None]) } else { all.into() }
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
pub(super) fn fill(cascade: &Cascade<'_>, under: &Grounds, hint: Option<Rgba>, ink: Rgba) -> Fill {
    let loose = cascade.quirks != Quirks::No;
    let valid = |name: &str, value: &[Token]| name == "background" || paint(value, loose) != Paint::Invalid;
    let mut colour = hint.map_or(Paint::Invalid, Paint::Solid);
    if let Some(value) = cascade.get("background-color background", Kind::Such(&valid)) {
        let found = components(&value.tokens).into_iter().map(|part| paint(part, loose)).find(|p| *p != Paint::Invalid);
        colour = match found.unwrap_or(Paint::Invalid) {
            _ if value.is_unsure() => Paint::Unsure,
            Paint::Current => Paint::Solid(ink),
            found => found,
        };
    }
    let mut grounds = match colour {
        Paint::Solid(top) if top[3] > 0.0 => cover(under, &[top]),
        Paint::Unsure => Rc::new([None]),
        _ => under.clone(),
    };
    let mut paints = matches!(colour, Paint::Solid(top) if top[3] > 0.5) || colour == Paint::Unsure;
    if let Some(images) = cascade.get("background-image background", Kind::Any) {
        let moves = |name: &&str| {
            let Some(value) = cascade.get(name, Kind::Any) else { return false };
            let sized = *value.name == *"background-size" || value.tokens.contains(&Token::Delim('/'));
            components(&value.tokens).iter().any(|part| match part {
                [Token::Length(n, _) | Token::Number(n)] => n.abs() > 30.0 || sized && *n < 20.0,
                [Token::Percent(n)] => !matches!(n, 0.0 | 50.0 | 100.0) || sized && *n < 100.0,
                _ => false,
            })
        };
        let names =
            ["background-size", "background-position", "background-position-x", "background-position-y", "background"];
        let small = names.iter().any(moves);
        for layer in split(&images.tokens, &Token::Delim(',')).into_iter().rev() {
            for part in components(layer) {
                let image = match part {
                    [Token::Url(address)] => picture(address, &grounds),
                    [Token::Function(name), Token::Text(address), ..] if **name == *"url" => picture(address, &grounds),
                    [Token::Function(name), ..] if name.ends_with("gradient") => gradient(part, &grounds, ink, loose),
                    [Token::Function(name), ..] if among(IMAGES, name) => Rc::new([None]),
                    _ => continue,
                };
                paints |= !Rc::ptr_eq(&image, &grounds);
                // A small one, or one that is moved, may lie beside the text.
                grounds = if small { either(&grounds, &image) } else { image };
            }
        }
        if images.is_unsure() {
            grounds = Rc::new([None]);
        }
    }
    let clip = cascade.get("background-clip -webkit-background-clip background", Kind::Any);
    Fill { grounds, paints, clipped: clip.is_some_and(|v| v.has("text")) }
}

const IMAGES: &str = "image-set -webkit-image-set cross-fade -webkit-cross-fade element paint image";

/// Whether an address names something that comes with the page.
fn is_data(address: &str) -> bool {
    address.trim_start().get(..5).is_some_and(|head| head.eq_ignore_ascii_case("data:"))
}

/// What text stands on where a picture lies on a ground.
fn picture(address: &str, under: &Grounds) -> Grounds {
    if is_data(address) { Rc::new([None]) } else { under.clone() }
}

fn cover(under: &Grounds, tops: &[Rgba]) -> Grounds {
    if tops.iter().all(|top| top[3] >= 1.0) {
        return Rc::new([Some(tops.iter().map(|t| [t[0], t[1], t[2]]).collect())]);
    }
    let one = |ground: &Ground| {
        let colours = ground.as_ref()?;
        // A gradient over a gradient: the ends of both.
        Some(colours.iter().take(8).flat_map(|under| tops.iter().take(8).map(|top| over(*top, *under))).collect())
    };
    under.iter().map(one).collect()
}

/// What text stands on where a gradient may lie on a ground: it may be small, or elsewhere.
fn gradient(function: &[Token], under: &Grounds, ink: Rgba, loose: bool) -> Grounds {
    let mut tops = Vec::new();
    for stop in split(arguments(function), &Token::Delim(',')) {
        let parts = components(stop);
        match parts.iter().map(|part| paint(part, loose)).find(|p| *p != Paint::Invalid) {
            Some(Paint::Solid(top)) => tops.push(top),
            Some(Paint::Current) => tops.push(ink),
            Some(_) => return Rc::new([None]),
            None => {}
        }
    }
    if tops.is_empty() { Rc::new([None]) } else { cover(under, &tops) }
}
