//! Decides by style whether an element's text is visible. Properties that cannot be computed and could hide text hide
//! it.

use super::sheet::{Declaration, Element, Fit, StyleSheet, declarations};
use super::style::Properties;
use super::value::{Colour, HEIGHT, Rgba, Units, WIDTH, among, amount, colour, function, parts, split};
use std::rc::Rc;

/// The computed style that an element passes to its children.
#[derive(Clone)]
pub(super) struct VisibleStyle {
    pub hidden: bool,
    is_visible: bool,
    /// The colour of text, and the one that fills its letters instead.
    colour: Rgba,
    fill: Option<Rgba>,
    /// Possible colours behind the text; empty if unknown.
    backgrounds: Rc<[[u8; 3]]>,
    is_painted: bool,
    opacity: f32,
    font: f32,
    /// Line height as a multiple of the font size.
    line: f32,
    /// The left edge in the window, and the width.
    x: f32,
    width: f32,
}

const BLACK: Rgba = [0.0, 0.0, 0.0, 1.0];
const BLOCKS: &str = "html body address article aside blockquote center dd details dialog div dl dt fieldset figcaption figure \
    footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table ul xmp";
const NO_TEXT: &str = "template object audio video select datalist svg math progress meter iframe noembed noframes \
    textarea rp frameset s strike del";

impl VisibleStyle {
    pub fn window() -> Self {
        Self {
            hidden: false,
            is_visible: true,
            colour: BLACK,
            fill: None,
            backgrounds: Rc::new([[255; 3]]),
            is_painted: false,
            opacity: 1.0,
            font: 16.0,
            line: 1.2,
            x: 0.0,
            width: WIDTH,
        }
    }

    pub fn hides(&self) -> bool {
        /// Letters below this size in pixels are dots.
        const MIN_FONT: f32 = 5.0;
        /// How far left of the window a line may begin and still be visible.
        const MAX_LEFT: f32 = 70.0;
        self.hidden
            || !self.is_visible
            || self.font < MIN_FONT
            || self.x < -MAX_LEFT
            || self.x + self.font * 0.6 > WIDTH
            || is_unreadable(self.fill.unwrap_or(self.colour), self.opacity, &self.backgrounds)
    }
}

fn over(top: Rgba, under: [u8; 3]) -> [u8; 3] {
    std::array::from_fn(|n| (top[n] * top[3] + f32::from(under[n]) * (1.0 - top[3]) + 0.5) as u8)
}

fn is_unreadable([r, g, b, alpha]: Rgba, opacity: f32, backgrounds: &[[u8; 3]]) -> bool {
    /// Minimum difference of a colour channel (0–255) for readable text.
    const CONTRAST: u8 = 25;
    let seen = |ground| over([r, g, b, alpha * opacity], ground);
    let same = |ground: &[u8; 3]| seen(*ground).iter().zip(ground).all(|(a, b)| a.abs_diff(*b) < CONTRAST);
    backgrounds.is_empty() || backgrounds.iter().any(same)
}

/// Parses a colour attribute such as `bgcolor`.
pub(super) fn attribute_colour(element: &Element, name: &str) -> Option<Colour> {
    let text = element.attribute(name)?.trim().to_ascii_lowercase();
    (!matches!(&*text, "" | "transparent")).then(|| colour(&text, true).flatten())
}

/// Whether a colour scheme is dark in a light window.
pub(super) fn is_dark(scheme: &str) -> bool {
    scheme.contains("dark") && !scheme.contains("light")
}

/// Computes styles, with a limit on the work per page.
pub(super) struct Styles {
    pub sheet: StyleSheet,
    steps: usize,
    root: f32,
    text: Rgba,
    link: Rgba,
}

impl Styles {
    pub fn new(sheet: StyleSheet, len: usize, link: Option<Colour>) -> Self {
        let steps = if sheet.flooded { 0 } else { 100_000 + 4 * len };
        let link = link.map_or([0.0, 0.0, 238.0, 1.0], Option::unwrap_or_default);
        Self { sheet, steps, root: 16.0, text: BLACK, link }
    }

    pub fn of(&mut self, element: &Element, open: &[Rc<Element>], parent: &VisibleStyle) -> VisibleStyle {
        const MAX_DECLARATIONS: usize = 500;
        let mut found = self.sheet.find(element, open, &mut self.steps);
        found.push((Fit::Yes, 1 << 50, declarations(element.attribute("style").unwrap_or_default()).into()));
        let mut entries: Vec<(u64, Fit, &Declaration)> = Vec::new();
        for (fit, weight, declarations) in &found {
            entries.extend(declarations.iter().map(|d| (weight | u64::from(d.important) << 60, *fit, d)));
        }
        self.steps = self.steps.saturating_sub(2 * entries.len());
        if self.steps == 0 || entries.len() > MAX_DECLARATIONS || element.attributes.len() > 100 {
            return VisibleStyle { hidden: true, ..parent.clone() };
        }
        entries.sort_by_key(|e| e.0);
        let sure = self.sheet.properties(entries.iter().filter(|e| e.1 == Fit::Yes).map(|e| e.2));
        let mut look = self.computed(element, parent, &sure);
        if entries.iter().any(|e| e.1 == Fit::Maybe) {
            let all = self.sheet.properties(entries.iter().map(|e| e.2));
            look.hidden |= self.computed(element, parent, &all).hides() && !look.hides();
        }
        match &*element.name {
            "html" => self.root = look.font,
            "body" => self.text = look.colour,
            _ => {}
        }
        look
    }

    fn computed(&self, element: &Element, parent: &VisibleStyle, properties: &Properties) -> VisibleStyle {
        let mut look = parent.clone();
        self.set_text_style(element, properties, &mut look);
        let is_painted = self.set_colours(element, parent, properties, &mut look);
        look.hidden |= is_hidden(element, properties);
        if !properties.is_empty() {
            look.hidden |= self.is_cut(element, properties, parent, &mut look, is_painted);
        }
        look
    }

    /// Sets visibility, opacity, font size and line height.
    fn set_text_style(&self, element: &Element, properties: &Properties, look: &mut VisibleStyle) {
        let get = |name: &str| properties.get(name).map_or("", String::as_str);
        let units = |font: f32| Units { font, root: self.root, whole: font };
        look.is_visible = get("visibility") == "visible" || look.is_visible && get("visibility").is_empty();
        let own = match &*element.name {
            "table" if self.sheet.quirks => 16.0,
            "font" if element.attribute("size").is_some() => 16.0,
            _ => look.font,
        };
        let size = properties.get("font-size").map(|size| amount(size, &units(look.font)));
        look.font = size.map_or(own, |size| size.map_or(0.0, |s| s.0.max(0.0)));
        let share = |name: &str| amount(get(name), &Units { whole: 1.0, ..units(1.0) }).map(|a| a.0);
        look.font *= share("zoom").filter(|zoom| *zoom > 0.0).unwrap_or(1.0);
        look.opacity *= share("opacity").unwrap_or(1.0).clamp(0.0, 1.0);
        if let Some(line) = properties.get("line-height") {
            let (n, plain) = amount(line, &units(look.font)).unwrap_or((1.2, true));
            look.line = if plain { n } else { n / look.font.max(0.1) };
        }
    }

    /// Sets text and background colours; returns whether a background is painted.
    fn set_colours(
        &self,
        element: &Element,
        parent: &VisibleStyle,
        properties: &Properties,
        look: &mut VisibleStyle,
    ) -> bool {
        let (name, loose) = (&*element.name, self.sheet.quirks);
        let hint = |attribute: &str| attribute_colour(element, attribute);
        let get = |property: &str| properties.get(property).map_or("", String::as_str);
        // A colour that cannot be computed is assumed equal to the background.
        let solid = |colour: Option<Colour>, else_: Rgba| colour.map_or(else_, Option::unwrap_or_default);
        look.colour = match name {
            "a" if element.attribute("href").is_some() => self.link,
            "mark" | "button" | "dialog" => BLACK,
            "table" if loose => self.text,
            "body" => solid(hint("text"), parent.colour),
            "font" => solid(hint("color"), parent.colour),
            _ => parent.colour,
        };
        look.colour = solid(colour(get("color"), loose), look.colour);
        look.fill = colour(get("-webkit-text-fill-color"), loose).map(Option::unwrap_or_default).or(look.fill);
        let own = match name {
            "mark" => Some(Some([255.0, 255.0, 0.0, 1.0])),
            "button" => Some(Some([239.0, 239.0, 239.0, 1.0])),
            _ => hint("bgcolor").filter(|_| among("body table thead tbody tfoot tr td th", name)),
        };
        let cover = |backgrounds: &[[u8; 3]], colour: Colour| -> Vec<[u8; 3]> {
            let top = colour.into_iter();
            top.flat_map(|top| backgrounds.iter().map(move |ground| over(top, *ground))).collect()
        };
        let fill = colour(get("background-color"), loose).or(own);
        let mut backgrounds = fill.map_or(look.backgrounds.to_vec(), |fill| cover(&look.backgrounds, fill));
        backgrounds.dedup();
        let mut is_painted = fill.is_some_and(|f| f.is_none_or(|f| f[3] > 0.5));
        let images = split(get("background-image"), |c| c == ',').into_iter().flat_map(parts).filter_map(function);
        let behind = backgrounds.clone();
        for (function, inside) in images {
            if function.ends_with("gradient") {
                let stop = |stop: &str| parts(stop).into_iter().find_map(|p| colour(p, loose));
                let stops = split(inside, |c| c == ',').into_iter().filter_map(stop);
                backgrounds = stops.flat_map(|stop| cover(&behind, stop)).take(12).collect();
                // A small image may not be behind the text.
                if !get("background-size").is_empty() {
                    backgrounds.extend(&behind);
                }
                is_painted = true;
            } else if function == "url" && inside.contains("data:") {
                (backgrounds, is_painted) = (Vec::new(), true);
            }
        }
        look.is_painted |= is_painted && !matches!(name, "html" | "body");
        look.backgrounds = backgrounds.into();
        is_painted
    }

    /// Moves the element and measures its box; returns whether its text lies outside of the window or box.
    fn is_cut(
        &self,
        element: &Element,
        properties: &Properties,
        parent: &VisibleStyle,
        look: &mut VisibleStyle,
        is_painted: bool,
    ) -> bool {
        let get = |name: &str| properties.get(name).map_or("", String::as_str);
        let size = |name: &str, whole: f32| {
            let (n, plain) = amount(get(name), &Units { font: look.font, root: self.root, whole })?;
            (!plain || n == 0.0 || self.sheet.quirks).then_some(n)
        };
        let or_0 = |name: &str| size(name, parent.width).unwrap_or(0.0);
        let least = |sizes: &[Option<f32>]| sizes.iter().flatten().copied().reduce(f32::min);
        let is_moved = matches!(get("position"), "relative" | "sticky");
        let edge = |name: &str, opposite: &str, whole: f32| {
            let shift = size(name, whole).or_else(|| size(opposite, whole).map(|shift| -shift));
            shift.filter(|_| is_moved).unwrap_or(0.0)
        };
        let display = get("display");
        let is_table = if display.is_empty() {
            among("td th tr tbody thead tfoot", &element.name)
        } else {
            display.starts_with("table")
        };
        let is_block = display != "inline" && (among(BLOCKS, &element.name) || !display.is_empty())
            || !matches!(get("float"), "" | "none");
        // A percentage of an unset height has no effect.
        let part = |name: &str| size(name, 0.0).filter(|_| !get(name).ends_with('%') || get(name) == "0%");
        let line = look.line * look.font;
        let lines = amount(get("line-clamp"), &Units { font: line, root: line, whole: 0.0 });
        let contained = (get("contain").contains("size") || get("contain") == "strict").then_some(0.0);
        let height = least(&[part("height").or(contained), part("max-height")]);
        let width = least(&[size("width", parent.width), size("max-width", parent.width)]);
        let width = width.map(|w| w.max(or_0("min-width")));
        look.width = width.filter(|_| is_block).unwrap_or(parent.width);
        let width = width.map(|w| w + or_0("padding-left") + or_0("padding-right"));
        let is_below = |limit: f32| move |size: f32| size < limit;
        if !is_table && is_painted && height.is_some_and(is_below(look.font)) {
            // The painted box is lower than the text.
            look.backgrounds = look.backgrounds.iter().copied().chain([[255; 3]]).collect();
        }
        let cuts = among("hidden clip auto scroll", get("overflow")) || among("content strict", get("contain"));
        // Lines have no layout here, so a box of a fixed height hides them.
        let is_small = height.is_some()
            || lines.is_some_and(|n| n.0 < 2.0)
            || width.is_some_and(is_below(look.font * 0.7))
            || get("flex") == "0 0 0px"
            || line < look.font * 0.4;
        let margin = if is_block { or_0("margin-top") } else { 0.0 };
        let top = margin + edge("top", "bottom", HEIGHT);
        let number = |name: &str| amount(get(name), &Units { font: 16.0, root: 16.0, whole: 1.0 }).map(|n| n.0);
        let is_under = number("z-index").is_some_and(is_below(0.0)) && is_moved && parent.is_painted;
        look.x += edge("left", "right", WIDTH) + or_0("margin-left") + or_0("padding-left") + or_0("text-indent");
        // Positioned boxes have no layout here, so they are hidden.
        matches!(get("position"), "absolute" | "fixed")
            || top <= -100.0
            || is_under
            || number("outline-offset").is_some_and(is_below(-4.0))
            || cuts && is_block && !is_table && is_small
    }
}

/// Whether an element or one of its properties hides all of its text.
fn is_hidden(element: &Element, properties: &Properties) -> bool {
    /// Effects that hide text unless they have no effect.
    const UNEVALUATED: &str = "transform translate scale rotate mask mix-blend-mode clip clip-path offset-path animation \
        animation-name -webkit-text-security";
    /// Filters that keep letters readable.
    const HARMLESS: &str = "drop-shadow grayscale saturate sepia hue-rotate";
    let get = |name: &str| properties.get(name).map_or("", String::as_str);
    let has = |name: &str| element.attribute(name).is_some();
    let is_closed = has("hidden") || has("popover") || element.name == "dialog" && !has("open");
    let by_element = among(NO_TEXT, &element.name) || is_closed && get("display").is_empty();
    if by_element || properties.is_empty() {
        return by_element;
    }
    let font = Units { font: 16.0, root: 16.0, whole: 1.0 };
    among("none table-column table-column-group", get("display"))
        || get("mso-hide") == "all"
        || get("background-clip") == "text"
        || get("content-visibility") == "hidden"
        || get("text-decoration").contains("line-through")
        || get("grid-template-rows").starts_with('0')
        || get("content").contains("url(")
        || is_dark(get("color-scheme"))
        || amount(get("font-size-adjust"), &font).is_some_and(|n| n.0 < 0.25)
        || parts(get("filter")).into_iter().filter_map(function).any(|f| !among(HARMLESS, f.0))
        || !UNEVALUATED
            .split_whitespace()
            .all(|name| among("none auto normal translatez(0)", get(name)) || get(name).is_empty())
}
