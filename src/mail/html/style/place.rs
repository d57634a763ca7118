//! Where an element's text would lie: moved off the page, cut off by a box, under something else.
//!
//! It never lays out a page: it adds up what moves an element away from where it would stand, and what boxes cut off.

use super::{Hiding, Look};
use crate::mail::html::cascade::{Cascade, Set};
use crate::mail::html::css::{Token, trim};
use crate::mail::html::tree::{Element, among};
use crate::mail::html::value::{Amount, Units, WIDTH, amount, arguments, components};
use std::cell::Cell;
use std::rc::Rc;

/// What an element covers of the text that it lies upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mail::html) enum Cover {
    /// What comes before it in its parent.
    Before,
    /// All that is in its parent.
    Parent,
    /// All that is in the box that it is placed in.
    Box,
}

/// What is left to be seen, in pixels from the corner of the page.
#[derive(Debug, Clone, Copy)]
struct Window {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
}

/// How far text has come in a box that is only so high.
#[derive(Debug, Default)]
pub(in crate::mail::html) struct Flow {
    /// How far down lines go, and how wide the last one is.
    y: Cell<f32>,
    x: Cell<f32>,
}

#[derive(Debug, Clone)]
pub(in crate::mail::html) struct Place {
    x: f32,
    y: f32,
    /// How wide what it holds may be.
    width: f32,
    /// The corner and width of the box that placed elements in it are placed in.
    holder: (f32, f32, f32),
    seen: Window,
    /// A box cuts off what it holds, and is as high as its lines are.
    squeezes: bool,
    indent: f32,
    one_line: bool,
    at_end: bool,
    /// What it holds are items of a flexible box or a grid, and whether one track of it has no size.
    items: bool,
    no_track: bool,
    fixed_table: bool,
    pub flow: Option<Rc<Flow>>,
    /// What it takes of the height beside its content, and its own height.
    pub extra: f32,
    pub height: f32,
    pub paints: bool,
    /// Whether placed elements in it are placed by it.
    pub holds: bool,
    /// Whether it stands elsewhere than where it is written, and whether far from there.
    pub moved: bool,
    pub far: bool,
    /// Whether its own height is less than that of a letter.
    pub flat: bool,
    /// Whether it is only as large as what it holds.
    pub fits: bool,
}

/// The lowest that a reader goes down an empty page.
const DEPTH: f32 = 3_000.0;

impl Place {
    pub fn window() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            width: WIDTH,
            holder: (0.0, 0.0, WIDTH),
            seen: Window { left: 0.0, right: WIDTH, top: -100.0, bottom: DEPTH },
            squeezes: false,
            indent: 0.0,
            one_line: false,
            at_end: false,
            items: false,
            no_track: false,
            fixed_table: false,
            flow: None,
            extra: 0.0,
            height: 0.0,
            paints: false,
            holds: true,
            moved: false,
            far: false,
            flat: false,
            fits: false,
        }
    }

    /// Why text of such a font and line cannot be seen here.
    pub fn hiding(&self, font: f32, line: f32) -> Option<Hiding> {
        /// Narrower than any word.
        const WORD: f32 = 70.0;
        let Window { left, right, top, bottom } = self.seen;
        let x = self.x + self.indent;
        let y = self.y + self.flow.as_ref().map_or(0.0, |f| f.y.get());
        if x + WORD < left || x + font * 0.6 > right || self.width > 2_000.0 && self.at_end {
            return Some(Hiding::OffPage);
        }
        // The letters stand in the middle of their line.
        let (above, below) = (y + (line - font) / 2.0 + font * 0.45, y + (line + font) / 2.0 - font * 0.3);
        if above > bottom || below < top {
            return Some(if bottom < DEPTH { Hiding::NoSize } else { Hiding::OffPage });
        }
        (self.squeezes && line < font * 0.4).then_some(Hiding::NoSize)
    }

    /// How much of a text, in bytes, there is room for where a box is only so high.
    pub fn room(&self, text: &str, font: f32, line: f32) -> usize {
        let Some(flow) = &self.flow else { return text.len() };
        let right = if self.one_line { f32::INFINITY } else { self.width.max(font) };
        let mut seen = text.len();
        for (at, word) in text.split_inclusive(char::is_whitespace).scan(0, |at, w| {
            *at += w.len();
            Some((*at - w.len(), w))
        }) {
            let wide: f32 = word.chars().map(|c| if c.len_utf8() > 2 { font } else { font * 0.55 }).sum();
            if flow.x.get() > 0.0 && flow.x.get() + wide > right {
                flow.y.set(flow.y.get() + line);
                flow.x.set(0.0);
            }
            let x = self.x + self.indent + flow.x.get();
            let y = self.y + flow.y.get() + (line - font) / 2.0 + font * 0.45;
            if y > self.seen.bottom || self.one_line && x > self.seen.right {
                seen = seen.min(at);
            }
            flow.x.set(flow.x.get() + wide);
        }
        seen
    }
}

impl Flow {
    pub fn end_line(&self, line: f32, forced: bool) {
        if self.x.get() > 0.0 || forced {
            self.y.set(self.y.get() + line);
            self.x.set(0.0);
        }
    }

    pub fn y(&self) -> f32 {
        self.y.get()
    }

    /// Goes on below a box that began at `start`.
    pub fn leave(&self, start: f32, place: &Place) {
        self.y.set(self.y.get().max(start + place.height) + place.extra);
    }
}

fn position(cascade: &Cascade<'_>) -> String {
    cascade.word("position", "static relative absolute fixed sticky -webkit-sticky").unwrap_or_default()
}

/// Whether an element is taken out of the lines around it.
pub(super) fn leaves_flow(cascade: &Cascade<'_>) -> bool {
    let float = cascade.word("float", "left right none inline-start inline-end").unwrap_or_default();
    !matches!(&*float, "" | "none" | "initial" | "inherit") || matches!(&*position(cascade), "absolute" | "fixed" | "unsure")
}

/// Fits a look with its place; why nothing that is in the element can be seen, if so.
pub(super) fn beyond(
    cascade: &Cascade<'_>,
    look: &mut Look,
    units: &Units,
    parent: &Look,
    element: &Element,
    display: &str,
    first: bool,
) -> Option<Hiding> {
    let up = &parent.place;
    let place = &mut look.place;
    (place.items, place.no_track, place.holds) = (false, false, false);
    (place.extra, place.height) = (0.0, 0.0);
    (place.moved, place.far, place.flat, place.fits) = (false, false, false, false);
    let hint = |name: &str| element.attribute(name).filter(|_| among("table td th img", &element.name));
    if cascade.entries.is_empty() && hint("width").is_none() && hint("height").is_none() {
        look.inline &= !up.items;
        return None;
    }
    let units = Units { whole: up.width, ..*units };
    let tall = Units { whole: 100.0, ..units };
    let mut unsure = false;
    let mut px = |found: Option<Amount>| match found {
        Some(Amount::Unsure) => {
            unsure = true;
            None
        }
        found => found.and_then(Amount::pixels),
    };
    look.inline &= !up.items;
    let inline = look.inline;
    let part_of_table = display.starts_with("table");

    let [margin_top, margin_right, margin_bottom, margin_left] =
        [0, 1, 2, 3].map(|side| px(cascade.edge("margin", side, &units)).unwrap_or(0.0));
    let [padding_top, padding_right, padding_bottom, padding_left] =
        [0, 1, 2, 3].map(|side| px(cascade.edge("padding", side, &units)).unwrap_or(0.0).max(0.0));
    let mut border = |names: &str| px(cascade.amount(names, &units)).unwrap_or(0.0);
    let border_left = border("border-left-width border-width");
    let border_top = border("border-top-width border-width");
    let mut size = |names: &str, units: &Units| px(cascade.amount(names, units)).map(|n| n.max(0.0));
    let attribute = |name: &str| {
        let text = hint(name)?.trim();
        let digits = &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())];
        let n = f32::from(digits.parse::<u16>().ok()?);
        Some(if text.ends_with('%') { n / 100.0 * units.whole } else { n })
    };
    let width = size("width inline-size", &units).or_else(|| attribute("width").filter(|_| !part_of_table));
    let max_width = size("max-width max-inline-size", &units);
    let min_width = size("min-width min-inline-size", &units).unwrap_or(0.0);
    // A share of a height that nothing sets is none.
    let share = |names: &str| {
        let percent = |_: &str, v: &[Token]| !v.is_empty();
        matches!(cascade.find(names, &percent), Set::To(_, v) if matches!(trim(&v), [Token::Percent(n)] if *n > 0.0))
    };
    let mut height = size("height block-size", &tall).filter(|_| !share("height block-size"));
    let max_height = size("max-height max-block-size", &tall).filter(|_| !share("max-height max-block-size"));
    let min_height = size("min-height min-block-size", &tall).unwrap_or(0.0);
    let border_box = cascade.word("box-sizing", "border-box content-box").is_some_and(|w| w == "border-box");
    let mut offsets = [0, 1, 2, 3].map(|side| px(cascade.edge("inset", side, if side % 2 == 0 { &tall } else { &units })));
    let position = position(cascade);
    let placed = matches!(&*position, "absolute" | "fixed" | "unsure");
    let positioned = placed || matches!(&*position, "relative" | "sticky" | "-webkit-sticky");
    if !positioned {
        offsets = [None; 4];
    }
    let [top, right, bottom, left] = offsets;

    // Where it stands.
    let wide = width.map(|w| w.min(max_width.unwrap_or(w)).max(min_width)).or(max_width.filter(|m| *m < up.width));
    if placed {
        let (x, y, whole) = up.holder;
        match (left, right) {
            (Some(left), _) => place.x = x + left,
            (None, Some(right)) => place.x = x + whole - right - wide.unwrap_or(70.0),
            _ => {}
        }
        match (top, bottom) {
            (Some(top), _) => place.y = y + top,
            (None, Some(bottom)) if bottom >= 700.0 => place.y = y - bottom,
            (None, Some(bottom)) if bottom <= -200.0 => place.y = DEPTH * 2.0,
            _ => {}
        }
    } else {
        place.x += left.or(right.map(|r| -r)).unwrap_or(0.0);
        place.y += top.or(bottom.map(|b| -b)).unwrap_or(0.0);
    }
    let float = cascade.word("float", "left right none inline-start inline-end").unwrap_or_default();
    if float == "right" && margin_right < 0.0 {
        place.x -= margin_right;
    }
    let (mut transformed, mut shift) = (false, (0.0, 0.0));
    if !inline {
        let own = Units { whole: wide.unwrap_or(up.width), ..units };
        for name in ["transform", "-webkit-transform", "translate", "scale", "rotate"] {
            match cascade.find(name, &|_, _| true) {
                Set::To(_, value) => match moved(name, &value, &own, &tall) {
                    Some((x, y, scale)) => {
                        shift = (shift.0 + x, shift.1 + y);
                        look.scale *= scale;
                        transformed |= !value.iter().any(|t| t.is("none"));
                    }
                    None => return Some(Hiding::NoSize),
                },
                Set::Unsure => return Some(Hiding::NoSize),
                _ => {}
            }
        }
        let far = |t: &Token| matches!(t, Token::Length(n, _) if n.abs() > 300.0) || matches!(t, Token::Function(_));
        let origin = cascade.find("transform-origin", &|_, _| true);
        if transformed && matches!(&origin, Set::To(_, value) if value.iter().any(far)) {
            return Some(Hiding::OffPage);
        }
        place.x += shift.0;
        place.y += shift.1;
    }
    match cascade.find("zoom", &|_, v| !matches!(amount(v, &units), Amount::Invalid)) {
        Set::To(_, value) => match amount(&value, &Units { whole: 1.0, ..units }) {
            Amount::Number(n) | Amount::Pixels(n) if n > 0.0 => look.scale *= n,
            Amount::Unsure => return Some(Hiding::NoSize),
            _ => {}
        },
        Set::Unsure => return Some(Hiding::NoSize),
        _ => {}
    }
    let (outer_x, outer_y) = (place.x + margin_left, place.y + if inline { 0.0 } else { margin_top });
    place.x = outer_x + padding_left + border_left;
    place.y = outer_y + if inline { 0.0 } else { padding_top + border_top };
    let lifted = place.y - up.y;
    if first && !placed && lifted <= -40.0 || lifted <= -150.0 {
        return Some(Hiding::OffPage);
    }
    if !inline {
        let room = up.width - margin_left.max(0.0) - margin_right.max(0.0) - padding_left - padding_right;
        place.width = wide.unwrap_or(room).max(0.0);
    }
    if let Some(n) = px(cascade.amount("text-indent", &Units { whole: place.width, ..units })) {
        place.indent = n;
    }
    if let Some(word) = cascade.word("white-space text-wrap text-wrap-mode", "normal pre nowrap pre-wrap pre-line wrap break-spaces") {
        place.one_line = matches!(&*word, "pre" | "nowrap");
    }
    if let Some(word) = cascade.word("text-align", "left right center start end justify -webkit-center -webkit-right") {
        place.at_end = matches!(&*word, "right" | "center" | "end" | "-webkit-center" | "-webkit-right");
    }

    // What its box cuts off.
    let contains = match cascade.find("contain", &|_, _| true) {
        Set::To(_, value) => value,
        _ => Rc::new([]),
    };
    let contain = |words: &[&str]| contains.iter().any(|t| words.iter().any(|w| t.is(w)));
    let over = "overflow overflow-x overflow-y overflow-block overflow-inline";
    let cuts = over.split_ascii_whitespace().any(|name| {
        let names = format!("{name} overflow");
        let words = |t: &Token| ["hidden", "clip", "auto", "scroll", "overlay"].iter().any(|w| t.is(w));
        match cascade.find(&names, &|_, value| value.iter().all(|t| words(t) || t.is("visible") || *t == Token::Space)) {
            Set::To(_, value) => value.iter().any(words),
            Set::Unsure => true,
            _ => false,
        }
    }) || contain(&["paint", "content", "strict"]);
    if contain(&["size", "strict"]) && height.is_none() {
        height = Some(0.0);
    }
    let basis = match cascade.find("flex flex-basis", &|_, _| true) {
        Set::To(name, value) if up.items => {
            let parts = components(&value);
            let grows = *name == *"flex" && matches!(parts.first(), Some([Token::Number(n)]) if *n > 0.0);
            let none = parts.last().is_some_and(|p| amount(p, &units).pixels().is_some_and(|n| n < 2.0));
            !grows && none && (parts.len() == 3 || *name != *"flex")
        }
        _ => false,
    };
    let cut_width = if basis { Some(0.0) } else { wide };
    if cuts && !inline && &*element.name != "html" && display != "contents" {
        let paddings = padding_top + padding_bottom;
        let total = |h: f32| if border_box { h.max(paddings) } else { h + paddings };
        let highest = match (height, max_height) {
            (Some(h), Some(max)) => Some(h.min(max)),
            (h, max) => h.or(max),
        };
        let lines = match cascade.find("-webkit-line-clamp line-clamp", &|_, _| true) {
            Set::To(_, value) => value.iter().find_map(|t| match t {
                Token::Number(n) => Some(*n * if look.line.1 { look.line.0 * look.font } else { look.line.0 }),
                _ => None,
            }),
            _ => None,
        };
        let highest = match (highest.map(|h| h.max(min_height)), lines) {
            (Some(h), Some(lines)) => Some(h.min(lines)),
            (h, lines) => h.or(lines),
        };
        // Tables and their parts grow with what they hold.
        if let Some(h) = highest.filter(|_| !part_of_table || display == "table-caption") {
            place.seen.bottom = place.seen.bottom.min(outer_y + total(h));
            place.seen.top = place.seen.top.max(outer_y);
            place.flow = Some(Rc::default());
        }
        place.squeezes = true;
        place.seen.left = place.seen.left.max(outer_x);
        if let Some(w) = cut_width.filter(|_| !part_of_table || up.fixed_table || display == "table") {
            let w = if border_box { w.max(padding_left + padding_right) } else { w + padding_left + padding_right };
            place.seen.right = place.seen.right.min(outer_x + w);
        }
        if up.no_track {
            return Some(Hiding::NoSize);
        }
    }
    let gone = offsets.iter().flatten().chain([&shift.0, &shift.1]).map(|n| n.abs()).fold(0.0, f32::max);
    place.moved = placed || gone > 60.0 || margin_top < -60.0 || margin_left < -60.0;
    place.far = gone > 200.0 || margin_top < -60.0;
    let low = |size: Option<f32>| size.is_some_and(|n| n + padding_top + padding_bottom < look.font * 0.7);
    place.flat = !part_of_table && !inline && (low(height) || low(max_height) || wide.is_some_and(|w| w < look.font * 0.7));
    place.fits = wide.is_none() && height.is_none();
    if display == "table" {
        place.fixed_table = false;
    }
    if part_of_table && display == "table" && cascade.word("table-layout", "auto fixed").is_some_and(|w| w == "fixed") {
        place.fixed_table = true;
    }
    place.extra = margin_top + margin_bottom + padding_top + padding_bottom;
    place.height = height.unwrap_or(0.0).max(min_height);
    if placed || positioned || transformed {
        place.holder = (outer_x, outer_y, place.width);
        place.holds = true;
    }
    place.items = display.contains("flex") || display.contains("grid");
    let tracks = ["grid-template", "grid-template-rows", "grid-template-columns", "grid"];
    place.no_track = place.items
        && tracks.iter().any(|name| match cascade.find(name, &|_, _| true) {
            Set::To(_, v) => v.iter().any(|t| matches!(t, Token::Number(0.0) | Token::Length(0.0, _) | Token::Percent(0.0))),
            Set::Unsure => true,
            _ => false,
        });
    if unsure {
        return Some(Hiding::OffPage);
    }

    // Shapes that cut it, paths that carry it away.
    if let Set::To(_, value) = cascade.find("clip", &|_, _| true)
        && !value.iter().any(|t| t.is("auto"))
    {
        return Some(Hiding::NoSize);
    }
    for name in ["clip-path", "-webkit-clip-path"] {
        match cascade.find(name, &|_, _| true) {
            Set::To(_, value) if cut_off(&value, &units) => return Some(Hiding::NoSize),
            Set::Unsure => return Some(Hiding::NoSize),
            _ => {}
        }
    }
    for name in ["offset-path", "offset"] {
        if let Set::To(_, value) = cascade.find(name, &|_, _| true)
            && !value.iter().any(|t| t.is("none"))
        {
            return Some(Hiding::OffPage);
        }
    }
    let whole = |names: &str| match cascade.find(names, &|_, _| true) {
        Set::To(_, value) => value.iter().find_map(|t| match t {
            Token::Number(n) | Token::Length(n, _) => Some(*n),
            _ => None,
        }),
        _ => None,
    };
    let layer = whole("z-index").unwrap_or(0.0);
    if layer < 0.0 && (positioned || up.items) && parent.painted {
        return Some(Hiding::NoContrast);
    }
    if whole("outline-offset").is_some_and(|n| n < -4.0) && whole("outline outline-width").is_some_and(|n| n > 4.0) {
        return Some(Hiding::NoContrast);
    }

    // What it covers.
    let picture = match &*element.name {
        "img" => element.attribute("src").is_some_and(|s| s.trim_start().to_ascii_lowercase().starts_with("data:")),
        name => among("svg canvas iframe video", name),
    };
    let thick = ["border", "border-top", "border-left", "border-width", "box-shadow", "outline"];
    let drawn = place.paints
        || picture
        || thick.iter().any(|name| match cascade.find(name, &|_, _| true) {
            Set::To(_, value) => value.iter().any(|t| matches!(t, Token::Length(n, _) if n.abs() > 12.0)),
            _ => false,
        })
        || matches!(cascade.find("backdrop-filter", &|_, _| true), Set::To(_, v) if !v.iter().any(|t| t.is("none")));
    let raised = -12.0;
    let pulled = margin_top <= raised || margin_left <= raised || shift.0 <= raised || shift.1 <= raised;
    let shifted = [top, left].iter().flatten().any(|n| *n <= raised)
        || [bottom, right].iter().flatten().any(|n| *n >= -raised);
    if drawn && layer >= 0.0 && look.visible && look.opacity > 0.4 {
        let all = offsets.iter().all(|o| o.is_some_and(|n| n.abs() <= 50.0));
        let filled = width.is_some_and(|w| w >= up.holder.2 * 0.9) && share("height block-size");
        look.cover = if placed && (all || filled) {
            Some(Cover::Box)
        } else if placed && wide.is_some_and(|w| w < 60.0) && height.is_some_and(|h| h < 30.0) {
            None
        } else if placed {
            Some(Cover::Parent)
        } else if positioned && (shifted || pulled) || transformed && pulled {
            Some(Cover::Before)
        } else if pulled && (display.starts_with("inline-") || inline || !matches!(&*float, "" | "none")) {
            Some(Cover::Before)
        } else {
            None
        };
    }
    None
}

/// How far a transform moves its element, and how large it makes it; `None` where it may make it vanish.
fn moved(property: &str, value: &[Token], units: &Units, tall: &Units) -> Option<(f32, f32, f32)> {
    let (mut x, mut y, mut scale) = (0.0, 0.0, 1.0f32);
    let plain = |part: &[Token]| match amount(trim(part), &Units { whole: 1.0, ..*units }) {
        Amount::Number(n) | Amount::Pixels(n) => Some(n),
        _ => None,
    };
    let across = |part: &[Token]| amount(trim(part), units).pixels();
    let down = |part: &[Token]| amount(trim(part), tall).pixels();
    let sized = |a: f32, b: f32| a.abs().min(b.abs());
    if value.iter().any(|t| t.is("none")) {
        return Some((0.0, 0.0, 1.0));
    }
    match property {
        "translate" => {
            let parts = components(value);
            x = across(parts.first()?)?;
            y = parts.get(1).map_or(Some(0.0), |p| down(p))?;
            return Some((x, y, scale));
        }
        "scale" => {
            let parts = components(value);
            let a = plain(parts.first()?)?;
            return Some((0.0, 0.0, sized(a, parts.get(1).map_or(Some(a), |p| plain(p))?)));
        }
        "rotate" => return (components(value).len() == 1).then_some((0.0, 0.0, 1.0)),
        _ => {}
    }
    for part in components(value) {
        let [Token::Function(name), ..] = part else { return None };
        let list = crate::mail::html::css::split(arguments(part), &Token::Delim(','));
        let first = list.first()?;
        match &**name {
            "translate" | "translate3d" => {
                x += across(first)?;
                y += list.get(1).map_or(Some(0.0), |p| down(p))?;
                if list.get(2).is_some_and(|z| plain(z) != Some(0.0)) {
                    return None;
                }
            }
            "translatex" => x += across(first)?,
            "translatey" => y += down(first)?,
            "translatez" if plain(first)? == 0.0 => {}
            "scale" | "scale3d" => {
                let a = plain(first)?;
                scale *= sized(a, list.get(1).map_or(Some(a), |p| plain(p))?);
            }
            "scalex" | "scaley" => scale *= plain(first)?.abs(),
            "rotate" | "rotatez" => {}
            "skew" | "skewx" | "skewy" if list.iter().all(|p| plain(p).is_some_and(|n| n.abs() < 60.0)) => {}
            "matrix" => {
                let n: Vec<f32> = list.iter().map(|p| plain(p)).collect::<Option<_>>()?;
                let [a, b, c, d, e, f] = n[..] else { return None };
                scale *= (a * d - b * c).abs().sqrt();
                (x, y) = (x + e, y + f);
            }
            _ => return None,
        }
    }
    Some((x, y, scale))
}

/// Whether a shape may leave nothing of what it cuts.
fn cut_off(value: &[Token], units: &Units) -> bool {
    let units = Units { whole: 100.0, ..*units };
    components(value).into_iter().any(|part| match part {
        [Token::Ident(word)] => !among(
            "none initial unset border-box padding-box content-box margin-box fill-box stroke-box view-box",
            &word.to_ascii_lowercase(),
        ),
        [Token::Function(name), ..] => {
            let numbers = components(arguments(part));
            let edge = numbers.iter().position(|p| matches!(p, [w] if w.is("round") || w.is("at")));
            let own = &numbers[..edge.unwrap_or(numbers.len())];
            let small = |p: &&[Token]| amount(p, &units).pixels().is_none_or(|n| n > 12.0);
            match &**name {
                "inset" => own.iter().any(small),
                "circle" | "ellipse" => {
                    edge.is_some() || own.iter().any(|p| amount(p, &units).pixels().is_some_and(|n| n < 40.0))
                }
                _ => true,
            }
        }
        _ => true,
    })
}
