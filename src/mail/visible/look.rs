//! Decides by style whether an element's text is visible. Properties that cannot be computed and
//! could hide text hide it.

use super::sheet::{Declaration, Element, Fit, StyleSheet, declarations};
use super::style::Properties;
use super::value::{HEIGHT, Paint, Rgba, Units, WIDTH, among, amount, function, legacy, paint, parts, split};
use std::cell::Cell;
use std::rc::Rc;

/// The computed style that an element passes to its children.
#[derive(Clone)]
pub(super) struct VisibleStyle {
    pub hidden: bool,
    is_visible: bool,
    colour: Rgba,
    ink: Option<Rgba>,
    /// Possible colours behind the text; empty if unknown.
    backgrounds: Rc<[[u8; 3]]>,
    is_painted: bool,
    opacity: f32,
    font: f32,
    /// Line height as a multiple of the font size.
    line: f32,
    x: f32,
    width: f32,
    indent: f32,
    /// The remaining height in a box that clips its content.
    room: Option<Rc<Cell<f32>>>,
    pub is_block: bool,
    height: Option<f32>,
}

const BLACK: Rgba = [0.0, 0.0, 0.0, 1.0];
const BLOCKS: &str = "html body address article aside blockquote center dd details dialog div dl dt fieldset figcaption figure \
    footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table ul xmp";
const NO_TEXT: &str = "template object audio video select datalist svg math progress meter iframe noembed noframes \
    textarea rp frameset s strike del";

impl VisibleStyle {
    /// The style of the empty window.
    pub fn window() -> Self {
        Self {
            hidden: false,
            is_visible: true,
            colour: BLACK,
            ink: None,
            backgrounds: Rc::new([[255; 3]]),
            is_painted: false,
            opacity: 1.0,
            font: 16.0,
            line: 1.2,
            x: 0.0,
            width: WIDTH,
            indent: 0.0,
            room: None,
            is_block: true,
            height: None,
        }
    }

    /// Whether text directly inside is invisible.
    pub fn hides(&self) -> bool {
        let x = self.x + self.indent;
        self.hidden
            || !self.is_visible
            || self.font < 5.0
            || x + 70.0 < 0.0
            || x + self.font * 0.6 > WIDTH
            || self.room.as_ref().is_some_and(|room| room.get() < self.font * 0.55)
            || is_unreadable(self.ink.unwrap_or(self.colour), self.opacity, &self.backgrounds)
    }

    /// Uses up height for a line or for an element.
    pub fn advance(&self, element: Option<&Self>) {
        if let Some(room) = &self.room {
            room.set(room.get() - element.map_or(self.line * self.font, |e| e.height.unwrap_or(0.0)));
        }
    }
}

/// Blends a colour over another.
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

/// Computes styles, with a limit on the work per page.
pub(super) struct Styles {
    pub sheet: StyleSheet,
    steps: usize,
    root: f32,
    text: Rgba,
    link: Rgba,
}

impl Styles {
    pub fn new(sheet: StyleSheet, len: usize, link: Option<Rgba>) -> Self {
        let steps = if sheet.flooded { 0 } else { 100_000 + 4 * len };
        Self { sheet, steps, root: 16.0, text: BLACK, link: link.unwrap_or([0.0, 0.0, 238.0, 1.0]) }
    }

    /// The style of an element with the ancestors `open`.
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
        let name = &*element.name;
        let get = |name: &str| properties.get(name).map_or("", String::as_str);
        let has = |name: &str| element.attribute(name).is_some();
        let display = match get("display") {
            "" if has("hidden") || has("popover") || name == "dialog" && !has("open") => "none",
            "" if among(BLOCKS, name) => "block",
            "" if matches!(name, "td" | "th" | "tr" | "tbody" | "thead" | "tfoot") => "table-cell",
            "" => "inline",
            given => given,
        };
        let is_block = display != "inline" || !matches!(get("float"), "" | "none");
        let mut look = VisibleStyle { height: None, is_block, ..parent.clone() };
        look.hidden |= among(NO_TEXT, name)
            || matches!(display, "none" | "table-column" | "table-column-group")
            || get("mso-hide") == "all"
            || get("content-visibility") == "hidden"
            || get("text-decoration").contains("line-through");
        look.is_visible = get("visibility") == "visible" || look.is_visible && get("visibility").is_empty();
        self.text_style(element, parent, properties, &mut look);
        let paints = self.colours(element, parent, properties, &mut look);
        if !properties.is_empty() {
            let gone = effects(properties, &mut look);
            look.hidden |= self.position(properties, parent, &mut look, paints, display) || gone;
        }
        look
    }

    fn text_style(&self, element: &Element, parent: &VisibleStyle, properties: &Properties, look: &mut VisibleStyle) {
        look.font = match &*element.name {
            "table" if self.sheet.quirks => 16.0,
            "font" if element.attribute("size").is_some() => 16.0,
            _ => parent.font,
        };
        let units = |font: f32| Units { font, root: self.root, whole: font };
        if let Some(size) = properties.get("font-size") {
            look.font = amount(size, &units(parent.font)).map_or(0.0, |a| a.0.max(0.0));
        }
        let zoom = properties.get("zoom").and_then(|zoom| amount(zoom, &Units { whole: 1.0, ..units(1.0) }));
        look.font *= zoom.map(|zoom| zoom.0).filter(|zoom| *zoom > 0.0).unwrap_or(1.0);
        if let Some(line) = properties.get("line-height") {
            let (n, plain) = amount(line, &units(look.font)).unwrap_or((1.2, true));
            look.line = if plain { n } else { n / look.font.max(0.1) };
        }
    }

    /// Sets text and background colours; returns whether a background is painted.
    fn colours(
        &self,
        element: &Element,
        parent: &VisibleStyle,
        properties: &Properties,
        look: &mut VisibleStyle,
    ) -> bool {
        let (name, loose) = (&*element.name, self.sheet.quirks);
        let hint = |attribute: &str| element.attribute(attribute).and_then(legacy);
        let get = |property: &str| properties.get(property).map_or("", String::as_str);
        // A colour that cannot be computed is assumed equal to the background.
        let solid = |paint: Paint, current: Rgba| match paint {
            Paint::Solid(rgba) => rgba,
            Paint::Current => current,
            Paint::Unsure => [0.0; 4],
        };
        look.colour = match name {
            "a" if element.attribute("href").is_some() => self.link,
            "mark" | "button" | "dialog" => BLACK,
            "table" if loose => self.text,
            "body" => hint("text").unwrap_or(look.colour),
            "font" => hint("color").unwrap_or(look.colour),
            _ => look.colour,
        };
        look.colour = paint(get("color"), loose).map_or(look.colour, |p| solid(p, parent.colour));
        look.ink = paint(get("-webkit-text-fill-color"), loose).map(|p| solid(p, look.colour)).or(look.ink);
        let own = match name {
            "mark" => Some([255.0, 255.0, 0.0, 1.0]),
            "button" => Some([239.0, 239.0, 239.0, 1.0]),
            _ => hint("bgcolor").filter(|_| among("body table thead tbody tfoot tr td th", name)),
        };
        let cover = |backgrounds: &[[u8; 3]], paint: Paint| -> Vec<[u8; 3]> {
            match solid(paint, look.colour) {
                _ if paint == Paint::Unsure => Vec::new(),
                top if top[3] >= 1.0 => vec![over(top, [0; 3])],
                top => backgrounds.iter().map(|ground| over(top, *ground)).collect(),
            }
        };
        let fill = paint(get("background-color"), loose).or(own.map(Paint::Solid));
        let mut backgrounds = fill.map_or(look.backgrounds.to_vec(), |fill| cover(&look.backgrounds, fill));
        let mut paints = fill.is_some_and(|f| f == Paint::Unsure || solid(f, look.colour)[3] > 0.5);
        let images = split(get("background-image"), |c| c == ',').into_iter().flat_map(parts).filter_map(function);
        let behind = backgrounds.clone();
        for (function, inside) in images {
            if function.ends_with("gradient") {
                let colour = |stop: &str| parts(stop).into_iter().find_map(|p| paint(p, loose));
                let stops = split(inside, |c| c == ',').into_iter().filter_map(colour);
                backgrounds = stops.flat_map(|stop| cover(&behind, stop)).take(12).collect();
                // A small image may not be behind the text.
                if !get("background-size").is_empty() {
                    backgrounds.extend(&behind);
                }
                paints = true;
            } else if function == "url" && inside.contains("data:") {
                (backgrounds, paints) = (Vec::new(), true);
            }
        }
        if get("background-clip") == "text" {
            let letters = |g: &[u8; 3]| [f32::from(g[0]), f32::from(g[1]), f32::from(g[2]), 1.0];
            let seen = backgrounds.iter().map(letters).find(|l| !is_unreadable(*l, 1.0, &look.backgrounds));
            look.ink = seen.filter(|_| look.ink.unwrap_or(look.colour)[3] < 0.1).or(look.ink);
            return false;
        }
        look.is_painted |= paints && !matches!(name, "html" | "body");
        look.backgrounds = backgrounds.into();
        paints
    }

    /// Computes an element's position and clipping; returns whether nothing in it is visible.
    fn position(
        &self,
        properties: &Properties,
        parent: &VisibleStyle,
        look: &mut VisibleStyle,
        paints: bool,
        display: &str,
    ) -> bool {
        let get = |name: &str| properties.get(name).map_or("", String::as_str);
        let units = |whole: f32| Units { font: look.font, root: self.root, whole };
        let size = |name: &str, whole: f32| {
            let (n, plain) = amount(get(name), &units(whole))?;
            (!plain || n == 0.0 || self.sheet.quirks).then_some(n)
        };
        let or_0 = |name: &str| size(name, parent.width).unwrap_or(0.0);
        let number = |name: &str| amount(get(name), &units(1.0)).map_or(0.0, |a| a.0);
        // Positioned boxes have no layout here, so they are hidden.
        if matches!(get("position"), "absolute" | "fixed") {
            return true;
        }
        let moved = matches!(get("position"), "relative" | "sticky");
        let edge = |name: &str, opposite: &str, whole: f32| {
            let shift = size(name, whole).or_else(|| size(opposite, whole).map(|shift| -shift));
            shift.filter(|_| moved).unwrap_or(0.0)
        };
        let (inline, table) = (!look.is_block, display.starts_with("table"));
        let least = |sizes: [Option<f32>; 3]| sizes.into_iter().flatten().reduce(f32::min);
        let width = least([size("width", parent.width), size("max-width", parent.width), None]);
        let width = width.map(|w| w.max(or_0("min-width")));
        // A percentage of an unset height has no effect.
        let part = |name: &str| size(name, 0.0).filter(|_| !get(name).ends_with('%') || get(name) == "0%");
        let line = look.line * look.font;
        let lines = amount(get("line-clamp"), &units(0.0)).map(|n| n.0 * line);
        let contained = (get("contain").contains("size") || get("contain") == "strict").then_some(0.0);
        let height = least([part("height").or(contained), part("max-height"), lines]);
        let height = height.map(|h| h.max(part("min-height").unwrap_or(0.0)));

        look.x += edge("left", "right", WIDTH) + or_0("margin-left") + or_0("padding-left");
        look.indent = size("text-indent", parent.width).unwrap_or(look.indent);
        let margin = if inline { 0.0 } else { or_0("margin-top") };
        if margin + edge("top", "bottom", HEIGHT) <= -100.0 {
            return true;
        }
        let is_flat = |height: Option<f32>| height.is_some_and(|h| h < look.font * 0.7);
        if !table && (paints && is_flat(height) || parent.is_painted && is_flat(parent.height)) {
            // The painted box is lower than the text.
            look.backgrounds = look.backgrounds.iter().copied().chain([[255; 3]]).collect();
        }
        if !inline {
            look.width = width.unwrap_or(parent.width);
        }
        let padding = or_0("padding-top");
        if let Some(room) = look.room.as_ref().filter(|_| !inline) {
            room.set(room.get() - margin.max(0.0) - padding);
        }
        look.height = height;
        let cuts = among("hidden clip auto scroll", get("overflow")) || among("content strict", get("contain"));
        if cuts && !inline && !table {
            let is_narrow = width.is_some_and(|w| w + or_0("padding-left") + or_0("padding-right") < look.font * 0.7);
            if is_narrow || get("flex") == "0 0 0px" || line < look.font * 0.4 {
                return true;
            }
            // Letters are vertically centred in their line.
            let above = padding + (line - look.font).max(0.0) / 2.0;
            let beside = if get("box-sizing") == "border-box" { 0.0 } else { padding + or_0("padding-bottom") };
            look.room = height.map(|h| Rc::new(Cell::new(h + beside - above))).or(look.room.take());
        }
        number("z-index") < 0.0 && moved && parent.is_painted || number("outline-offset") < -4.0
    }
}

/// Applies effects after painting; returns whether the element may be invisible.
fn effects(properties: &Properties, look: &mut VisibleStyle) -> bool {
    /// Effects that hide text unless they have no effect.
    const UNEVALUATED: [&str; 9] = [
        "transform",
        "translate",
        "scale",
        "rotate",
        "mask",
        "mix-blend-mode",
        "clip",
        "offset-path",
        "-webkit-text-security",
    ];
    /// Filters that keep letters readable.
    const HARMLESS: &str = "drop-shadow grayscale saturate sepia hue-rotate";
    let get = |name: &str| properties.get(name).map_or("none", String::as_str);
    let units = Units { font: look.font, root: 16.0, whole: 1.0 };
    let number = |name: &str| amount(get(name), &units).map(|a| a.0);
    look.opacity *= number("opacity").unwrap_or(1.0).clamp(0.0, 1.0);
    let is_cut = function(get("clip-path")).is_some_and(|(name, inside)| {
        let edges = inside.split("round").next().unwrap_or_default();
        let small = |p: &str| amount(p, &Units { whole: 100.0, ..units }).is_some_and(|a| a.0 <= 12.0);
        name != "inset" || !parts(edges).into_iter().all(small)
    });
    let plain = |name: &&str| matches!(get(name), "none" | "auto" | "normal" | "translatez(0)");
    is_cut
        || get("grid-template-rows").starts_with('0')
        || parts(get("filter")).into_iter().filter_map(function).any(|f| !among(HARMLESS, f.0))
        || !UNEVALUATED.iter().all(plain)
        || get("content").contains("url(")
        || number("font-size-adjust").is_some_and(|n| n < 0.25)
}
