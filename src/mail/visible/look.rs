//! Whether an element's text can be seen, by its style. What cannot be computed and could hide, hides.

use super::sheet::{Declaration, Element, Fit, Level, Sheet, declarations};
use super::value::{Paint, Rgba, Units, WIDTH, amount, function, legacy, paint, parts, split};
use crate::order::Within;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

/// What an element hands down to what it holds.
#[derive(Clone)]
pub(super) struct Look {
    pub hidden: bool,
    visible: bool,
    colour: Rgba,
    ink: Option<Rgba>,
    /// The colours behind the text; none where they are unknown.
    grounds: Rc<[[u8; 3]]>,
    painted: bool,
    opacity: f32,
    font: f32,
    scale: f32,
    /// The height of a line, as a share of the font size.
    line: f32,
    x: f32,
    width: f32,
    indent: f32,
    /// The height that is left in a box that cuts off what it holds.
    room: Option<Rc<Cell<f32>>>,
    pub block: bool,
    height: f32,
    /// It paints over the text of the box around it, or over what came before.
    pub covers: bool,
}

type Properties = HashMap<String, String>;

const BLACK: Rgba = [0.0, 0.0, 0.0, 1.0];
const DISPLAYS: &str = "none contents block inline inline-block list-item table inline-table table-row table-cell \
    table-row-group table-header-group table-footer-group table-caption table-column table-column-group flex inline-flex \
    grid inline-grid flow flow-root ruby ruby-text math -webkit-box -webkit-inline-box -webkit-flex";
const BLOCKS: &str = "html body address article aside blockquote center dd details dialog div dl dt fieldset figcaption figure \
    footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table ul xmp";
const NO_TEXT: &str = "template object audio video canvas select datalist svg math progress meter iframe noembed noframes \
    textarea rp frameset";

pub(super) fn among(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|w| w == word)
}

impl Look {
    /// The empty window.
    pub fn window() -> Self {
        Self {
            hidden: false,
            visible: true,
            colour: BLACK,
            ink: None,
            grounds: Rc::new([[255; 3]]),
            painted: false,
            opacity: 1.0,
            font: 16.0,
            scale: 1.0,
            line: 1.2,
            x: 0.0,
            width: WIDTH,
            indent: 0.0,
            room: None,
            block: true,
            height: 0.0,
            covers: false,
        }
    }

    /// Whether text directly inside cannot be seen.
    pub fn hides(&self) -> bool {
        let x = self.x + self.indent;
        self.hidden
            || !self.visible
            || self.font * self.scale < 5.0
            || self.opacity < 0.1
            || x + 70.0 < 0.0
            || x + self.font * 0.6 > WIDTH
            || self.room.as_ref().is_some_and(|r| r.get() < self.font * 0.55)
            || melts(self.ink.unwrap_or(self.colour), self.opacity, &self.grounds)
    }

    /// Goes on below a line, or below an element.
    pub fn advance(&self, element: Option<&Self>) {
        if let Some(room) = &self.room {
            room.set(room.get() - element.map_or(self.line * self.font, |e| e.height));
        }
    }
}

/// A colour over another.
fn over(top: Rgba, under: [u8; 3]) -> [u8; 3] {
    std::array::from_fn(|n| (top[n] * top[3] + f32::from(under[n]) * (1.0 - top[3]) + 0.5) as u8)
}

fn melts([r, g, b, alpha]: Rgba, opacity: f32, grounds: &[[u8; 3]]) -> bool {
    /// The difference, of 255, from which on text can be read.
    const CONTRAST: u8 = 25;
    let same = |ground: &[u8; 3]| {
        over([r, g, b, alpha * opacity], *ground).iter().zip(ground).all(|(a, b)| a.abs_diff(*b) < CONTRAST)
    };
    grounds.is_empty() || grounds.iter().any(same)
}

/// Computes looks, within a bound on the work for a page.
pub(super) struct Styles {
    pub sheet: Sheet,
    pub steps: usize,
    root: f32,
    text: Rgba,
    link: Rgba,
}

impl Styles {
    pub fn new(sheet: Sheet, len: usize, link: Option<Rgba>) -> Self {
        let steps = if sheet.flooded { 0 } else { 200_000 + 20 * len };
        Self { sheet, steps, root: 16.0, text: BLACK, link: link.unwrap_or([0.0, 0.0, 238.0, 1.0]) }
    }

    /// The look of an element in the open ones; `first` says that no text comes before it.
    pub fn of<L: Level>(&mut self, element: &Element, stack: &[L], parent: &Look, first: bool) -> Look {
        const MAX_DECLARATIONS: usize = 500;
        let mut found = self.sheet.find(element, stack, &mut self.steps);
        let inline = declarations(element.attribute("style").unwrap_or_default());
        found.push((Fit::Yes, 1 << 50, inline.into()));
        let mut entries: Vec<(u64, Fit, &Declaration)> = Vec::new();
        for (fit, weight, declarations) in &found {
            entries.extend(declarations.iter().map(|d| (weight | u64::from(d.important) << 60, *fit, d)));
        }
        self.steps = self.steps.saturating_sub(20 * entries.len());
        if self.steps == 0 || entries.len() > MAX_DECLARATIONS || element.attributes.len() > 100 {
            return Look { hidden: true, ..parent.clone() };
        }
        entries.sort_by_key(|e| e.0);
        let sure = self.properties(entries.iter().filter(|e| e.1 == Fit::Yes).map(|e| e.2));
        let mut unsure = entries.iter().any(|e| e.1 == Fit::Maybe);
        let mut all = if unsure { self.properties(entries.iter().map(|e| e.2)) } else { Properties::new() };
        let moves = |name: &String| sure.get("animation").is_some_and(|a| parts(a).contains(&&**name));
        if let Some((_, frames)) = self.sheet.frames.iter().find(|f| moves(f.0)) {
            let paused = sure.get("animation").is_some_and(|a| a.contains("paused"));
            unsure = true;
            all = sure.clone();
            all.extend(self.properties((if paused { &frames.1 } else { &frames.0 }).iter()));
        }
        let mut look = self.computed(element, parent, first, &sure);
        if unsure {
            let other = self.computed(element, parent, first, &all);
            look.hidden |= other.hides() && !look.hides();
        }
        match &*element.name {
            "html" => self.root = look.font,
            "body" => self.text = look.colour,
            _ => {}
        }
        look
    }

    /// The properties that declarations set, the lightest first; an invalid value sets nothing.
    fn properties<'d>(&self, declarations: impl Iterator<Item = &'d Declaration>) -> Properties {
        let mut out = Properties::new();
        for declaration in declarations {
            match self.resolved(&declaration.value, 0) {
                Some(value) => self.set(&mut out, &declaration.name, value.trim()),
                None => drop(out.remove(&declaration.name)),
            }
        }
        out
    }

    /// The value with `var()`, `env()` and `attr()` replaced by the page's only value or the fallback.
    fn resolved(&self, value: &str, depth: usize) -> Option<String> {
        let Some(at) = ["var(", "env(", "attr("].iter().filter_map(|f| value.find(f)).min() else {
            return Some(value.to_owned());
        };
        let open = at + value[at..].find('(')? + 1;
        let mut level = 0usize;
        let close = value[open..].find(|c| {
            level += usize::from(c == '(');
            let ends = c == ')' && level == 0;
            level -= usize::from(c == ')' && !ends);
            ends
        });
        let close = close.map_or(value.len(), |c| open + c);
        let (name, fallback) = match value[open..close].split_once(',') {
            Some((name, fallback)) => (name, Some(fallback)),
            None => (&value[open..close], None),
        };
        let found = self.sheet.variables.get(name.trim()).map(String::as_str).or(fallback)?;
        let whole = [&value[..at], found, value.get(close + 1..).unwrap_or_default()].concat();
        if depth > 8 || whole.len() > 1_000 { None } else { self.resolved(&whole, depth + 1) }
    }

    fn set(&self, out: &mut Properties, name: &str, value: &str) {
        let units = Units { font: 16.0, root: 16.0, whole: 100.0 };
        let is_size = |v: &str| amount(v, &units).is_some_and(|a| !a.1 || a.0 == 0.0 || self.sheet.quirks);
        let valid = match name {
            "display" => among(DISPLAYS, value),
            "visibility" => matches!(value, "visible" | "hidden" | "collapse"),
            "color" | "background-color" | "-webkit-text-fill-color" => paint(value, self.sheet.quirks).is_some(),
            "font-size" => is_size(value) || SIZES.contains(value) && !value.contains(' '),
            _ => true,
        };
        let name = match name {
            "block-size" => "height",
            "inline-size" => "width",
            "max-block-size" => "max-height",
            "max-inline-size" => "max-width",
            "inset-inline-start" => "left",
            "margin-inline-start" => "margin-left",
            "margin-block-start" => "margin-top",
            "overflow-x" | "overflow-y" => "overflow",
            "text-decoration-line" => "text-decoration",
            "animation-name" => "animation",
            "-webkit-line-clamp" => "line-clamp",
            name => ["-webkit-transform", "-webkit-filter", "-webkit-mask", "-webkit-mask-image", "-webkit-clip-path"]
                .iter()
                .find(|n| **n == name)
                .map_or(name, |n| &n[8..]),
        };
        let mut put = |name: &str, value: &str| drop(out.insert(name.to_owned(), value.to_owned()));
        let keyword = matches!(value, "inherit" | "unset" | "revert" | "revert-layer" | "initial");
        if name == "all" {
            return out.clear();
        } else if keyword && (value != "initial" || !matches!(name, "color" | "font-size" | "visibility")) {
            return drop(out.remove(name));
        } else if keyword {
            let initial = [("color", "#000"), ("font-size", "16px"), ("visibility", "visible")];
            return initial.iter().filter(|i| i.0 == name).for_each(|i| put(i.0, i.1));
        } else if !valid {
            return;
        }
        let all = parts(value);
        match name {
            "font" => {
                let Some(size) = all.iter().find(|p| is_size(p.split('/').next().unwrap_or_default())) else { return };
                let after = value.split_once('/').map(|(_, line)| line.trim());
                put("font-size", size.split('/').next().unwrap_or_default());
                put("line-height", after.and_then(|l| parts(l).into_iter().next()).unwrap_or("normal"));
            }
            "background" => {
                out.remove("background-color");
                for part in all.iter().flat_map(|p| split(p, |c| c == ',')) {
                    if paint(part, self.sheet.quirks).is_some() {
                        out.insert("background-color".to_owned(), part.to_owned());
                    }
                }
                out.insert("background-image".to_owned(), value.to_owned());
            }
            "margin" | "padding" | "inset" if !all.is_empty() => {
                let at = |n: usize| all.get(n).or(all.get(n.saturating_sub(2))).unwrap_or(&all[0]);
                for (side, n) in [("top", 0), ("right", 1), ("bottom", 2), ("left", 3)] {
                    let value = if n == 3 { all.get(3).unwrap_or(at(1)) } else { at(n) };
                    put(&if name == "inset" { side.to_owned() } else { [name, "-", side].concat() }, value);
                }
            }
            "margin-inline" if !all.is_empty() => put("margin-left", all[0]),
            _ => put(name, value),
        }
    }

    fn computed(&self, element: &Element, parent: &Look, first: bool, properties: &Properties) -> Look {
        let name = &*element.name;
        let get = |name: &str| properties.get(name).map_or("", String::as_str);
        let mut look = Look { covers: false, height: 0.0, ..parent.clone() };
        // Whether the element is laid out.
        let has = |name: &str| element.attribute(name).is_some();
        let display = match get("display") {
            "" if has("hidden") || has("popover") || name == "dialog" && !has("open") => "none",
            "" if among(BLOCKS, name) => "block",
            "" if matches!(name, "td" | "th" | "tr" | "tbody" | "thead" | "tfoot") => "table-cell",
            "" => "inline",
            given => given,
        };
        let shown = element.attribute("hidden") != Some("until-found") && !among(NO_TEXT, name);
        look.hidden |= !shown || matches!(display, "none" | "table-column" | "table-column-group");
        look.hidden |= get("mso-hide") == "all" || get("content-visibility") == "hidden" || get("text-decoration").contains("line-through");
        look.hidden |= matches!(name, "s" | "strike" | "del");
        look.hidden |= first && element.attribute("aria-hidden").is_some_and(|v| v.eq_ignore_ascii_case("true"));
        look.visible = matches!(get("visibility"), "visible") || look.visible && get("visibility").is_empty();
        self.text_style(element, parent, properties, &mut look);
        self.colours(element, parent, properties, &mut look);
        if !properties.is_empty() {
            look.block = display != "inline" || !matches!(get("float"), "" | "none");
            let gone = effects(properties, &mut look) || self.placed(properties, parent, &mut look, first, display);
            look.hidden |= gone;
        } else {
            look.block = display != "inline";
        }
        look
    }

    fn text_style(&self, element: &Element, parent: &Look, properties: &Properties, look: &mut Look) {
        let base = if element.name == "table" && self.sheet.quirks { 16.0 } else { parent.font };
        let share = match &*element.name {
            "h1" => 2.0,
            "h2" => 1.5,
            "h3" => 1.17,
            "h5" | "small" | "sub" | "sup" => 0.83,
            "h6" => 0.67,
            "big" => 1.2,
            "rt" => 0.5,
            _ => 1.0,
        };
        look.font = base * share;
        if let (Some(size), "font") = (element.attribute("size"), &*element.name) {
            look.font = if matches!(size.trim(), "1" | "-2" | "-3") { 10.0 } else { 16.0 };
        }
        let units = Units { font: parent.font, root: self.root, whole: parent.font };
        if let Some(size) = properties.get("font-size") {
            let mut names = parts(SIZES).into_iter();
            let known = names.find(|n| n.strip_suffix(|c: char| c.is_ascii_digit()).is_some_and(|_| false));
            let word = parts(SIZES).chunks(2).find(|c| c[0] == size).map(|c| c[1].to_owned());
            let text = word.as_deref().or(known).unwrap_or(size);
            look.font = amount(text, &units).map_or(0.0, |a| a.0.max(0.0));
        }
        if let Some(line) = properties.get("line-height") {
            let own = Units { font: look.font, root: self.root, whole: look.font };
            look.line = match amount(line, &own) {
                Some((n, true)) => n,
                Some((n, false)) => n / look.font.max(0.1),
                None => 1.2,
            };
        }
    }

    fn colours(&self, element: &Element, parent: &Look, properties: &Properties, look: &mut Look) {
        let (name, loose) = (&*element.name, self.sheet.quirks);
        let hint = |attribute: &str| element.attribute(attribute).and_then(legacy);
        look.colour = match name {
            "a" if element.attribute("href").is_some() => self.link,
            "mark" | "button" | "dialog" => BLACK,
            "table" if loose => self.text,
            "body" => hint("text").unwrap_or(look.colour),
            "font" => hint("color").unwrap_or(look.colour),
            _ => look.colour,
        };
        let solid = |property: &str, current: Rgba| match properties.get(property).and_then(|v| paint(v, loose)) {
            Some(Paint::Solid(rgba)) => Some(rgba),
            Some(Paint::Current) => Some(current),
            Some(Paint::Unsure) => Some([0.0; 4]),
            None => None,
        };
        look.colour = solid("color", parent.colour).unwrap_or(look.colour);
        look.ink = solid("-webkit-text-fill-color", look.colour).or(look.ink);
        let part_of_table = among("body table thead tbody tfoot tr td th", name);
        let own = match name {
            "mark" => Some([255.0, 255.0, 0.0, 1.0]),
            "button" => Some([239.0, 239.0, 239.0, 1.0]),
            "dialog" => Some([255.0, 255.0, 255.0, 1.0]),
            _ => hint("bgcolor").filter(|_| part_of_table),
        };
        let fill = solid("background-color", look.colour).or(own);
        let mut grounds: Vec<[u8; 3]> = look.grounds.to_vec();
        let cover = |grounds: &[[u8; 3]], top: Rgba| -> Vec<[u8; 3]> {
            if top[3] >= 1.0 { vec![over(top, [0; 3])] } else { grounds.iter().map(|g| over(top, *g)).collect() }
        };
        if let Some(top) = fill {
            grounds = cover(&grounds, top);
        }
        let unsure = properties.get("background-color").and_then(|v| paint(v, loose)) == Some(Paint::Unsure);
        let mut paints = fill.is_some_and(|f| f[3] > 0.5) || unsure;
        let images = properties.get("background-image").map_or("", String::as_str);
        let behind = grounds.clone();
        for layer in split(images, |c| c == ',').into_iter().flat_map(parts) {
            let Some((function, inside)) = function(layer) else { continue };
            if function.ends_with("gradient") {
                let stops = split(inside, |c| c == ',');
                let colour = |s: &&str| parts(s).into_iter().find_map(|p| paint(p, loose));
                let stops: Vec<Paint> = stops.iter().filter_map(colour).collect();
                grounds = stops
                    .iter()
                    .flat_map(|s| match s {
                        Paint::Solid(top) => cover(&behind, *top),
                        Paint::Current => cover(&behind, look.colour),
                        Paint::Unsure => Vec::new(),
                    })
                    .take(12)
                    .collect();
                paints = true;
                // A small image may lie beside the text.
                if properties.contains_key("background-size") || properties.contains_key("background-position") {
                    grounds.extend(&behind);
                }
            } else if function == "url" && inside.contains("data:") {
                (grounds, paints) = (Vec::new(), true);
            }
        }
        if unsure {
            grounds.clear();
        }
        let clip = ["background-clip", "-webkit-background-clip"]
            .iter()
            .any(|n| properties.get(*n).is_some_and(|v| v == "text"));
        if clip {
            let seen =
                |g: &&[u8; 3]| !melts([f32::from(g[0]), f32::from(g[1]), f32::from(g[2]), 1.0], 1.0, &look.grounds);
            if let (Some(g), true) = (grounds.iter().find(seen), look.ink.unwrap_or(look.colour)[3] < 0.1) {
                look.ink = Some([f32::from(g[0]), f32::from(g[1]), f32::from(g[2]), 1.0]);
            }
            return;
        }
        look.covers = paints;
        look.painted |= paints && !matches!(name, "html" | "body");
        look.grounds = grounds.into();
    }

    /// Where the box of an element is and what it cuts off; whether nothing in it can be seen.
    fn placed(&self, properties: &Properties, parent: &Look, look: &mut Look, first: bool, display: &str) -> bool {
        let get = |name: &str| properties.get(name).map_or("", String::as_str);
        let units = |whole: f32| Units { font: look.font, root: self.root, whole };
        let size = |name: &str, whole: f32| {
            let (n, plain) = amount(get(name), &units(whole))?;
            (!plain || n == 0.0 || self.sheet.quirks).then_some(n)
        };
        let or_0 = |name: &str| size(name, parent.width).unwrap_or(0.0);
        let placed = matches!(get("position"), "absolute" | "fixed");
        let moved = placed || matches!(get("position"), "relative" | "sticky");
        let edge = |name: &str, whole: f32| size(name, whole).filter(|_| moved);
        let (top, bottom) = (edge("top", super::value::HEIGHT), edge("bottom", super::value::HEIGHT));
        let (left, right) = (edge("left", WIDTH), edge("right", WIDTH));
        let (inline, table) = (!look.block && !placed, display.starts_with("table"));
        let at_most = |a: Option<f32>, b: Option<f32>| a.map_or(b, |a| Some(b.map_or(a, |b| a.min(b))));
        let width =
            at_most(size("width", parent.width), size("max-width", parent.width)).map(|w| w.max(or_0("min-width")));
        let part = |name: &str| size(name, 0.0).filter(|_| !get(name).ends_with('%') || get(name) == "0%");
        let height = at_most(part("height"), part("max-height")).map(|h| h.max(part("min-height").unwrap_or(0.0)));
        let line = look.line * look.font;
        let lines = amount(get("line-clamp"), &units(0.0)).map(|n| n.0 * line);
        let height = at_most(height, lines);

        let Some([dx, dy, scale]) = transform(properties, &units(width.unwrap_or(parent.width))) else {
            return !inline;
        };
        if !inline {
            look.scale *= scale;
        }
        look.scale *= amount(get("zoom"), &units(1.0)).map_or(1.0, |z| if z.0 == 0.0 { 1.0 } else { z.0 });
        look.x = match (left, right) {
            (Some(left), _) if placed => left,
            (None, Some(right)) if placed => WIDTH - right - width.unwrap_or(70.0),
            (left, right) => look.x + left.or(right.map(|r| -r)).unwrap_or(0.0),
        };
        look.x += dx + or_0("margin-left") + or_0("padding-left");
        look.indent = size("text-indent", parent.width).unwrap_or(look.indent);
        let margin = if inline { 0.0 } else { or_0("margin-top") };
        let lifted = dy + margin + if placed { 0.0 } else { top.or(bottom.map(|b| -b)).unwrap_or(0.0) };
        if lifted <= -150.0
            || first && lifted <= -40.0
            || placed
                && (top.is_some_and(|t| t <= -40.0 || t > 3_000.0) || bottom.is_some_and(|b| b > 700.0 || b < -200.0))
        {
            return true;
        }
        if placed && (top.is_some_and(|t| t > 60.0) || left.is_some_and(|l| l > 200.0)) && !look.covers {
            // It may stand beside the ground that it is written on.
            look.grounds = look.grounds.iter().copied().chain([[255; 3]]).collect();
        }
        if look.covers && height.is_some_and(|h| h < look.font * 0.7) && !table
            || parent.painted && parent.height > 0.0 && parent.height < look.font * 0.7
        {
            look.grounds = look.grounds.iter().chain(parent.grounds.iter()).copied().collect();
        }
        if !inline {
            look.width = width.unwrap_or(parent.width);
        }

        let padding = or_0("padding-top");
        let contain = get("contain");
        let cuts = among("hidden clip auto scroll", parts(get("overflow")).first().unwrap_or(&""))
            || among("content strict", contain);
        let height = if contain.contains("size") || contain == "strict" { Some(height.unwrap_or(0.0)) } else { height };
        if let Some(room) = &look.room {
            room.set(room.get() - margin.max(0.0) - if inline { 0.0 } else { padding });
        }
        look.height = height.unwrap_or(0.0);
        if cuts && !inline && !table {
            let beside = if get("box-sizing") == "border-box" { 0.0 } else { padding + or_0("padding-bottom") };
            let narrow = width.is_some_and(|w| w + or_0("padding-left") + or_0("padding-right") < look.font * 0.7);
            let basis = get("flex").ends_with(" 0px") && get("flex").starts_with("0 0");
            if narrow || basis || line < look.font * 0.4 {
                return true;
            }
            if let Some(h) = height {
                // The letters are in the middle of their line.
                look.room = Some(Rc::new(Cell::new(h + beside - padding - (line - look.font).max(0.0) / 2.0)));
            }
        }
        let number = |name: &str| amount(get(name), &units(0.0)).map_or(0.0, |a| a.0);
        let pulled = (or_0("margin-top") <= -12.0 || dy <= -12.0) && moved;
        let small = width.is_some_and(|w| w < 60.0) && height.is_some_and(|h| h < 30.0);
        look.covers &= !look.hides()
            && number("z-index") >= 0.0
            && (placed && !small && (width.is_some() || left.is_some() && right.is_some()) || pulled);
        number("z-index") < 0.0 && moved && parent.painted || number("outline-offset") < -4.0
    }
}

const SIZES: &str = "xx-small 9px x-small 10px small 13px medium 16px large 18px x-large 24px xx-large 32px \
    smaller .83em larger 1.2em";

/// What changes an element after it is painted; whether nothing of it may be left.
fn effects(properties: &Properties, look: &mut Look) -> bool {
    let get = |name: &str| properties.get(name).map_or("none", String::as_str);
    let units = Units { font: look.font, root: 16.0, whole: 1.0 };
    if let Some((n, _)) = amount(get("opacity"), &units) {
        look.opacity *= n.within(0.0, 1.0);
    }
    for part in parts(get("filter")) {
        let Some((name, argument)) = function(part) else { continue };
        let n = amount(argument, &units).map_or(1.0, |a| a.0);
        match name {
            "opacity" => look.opacity *= n.within(0.0, 1.0),
            "drop-shadow" | "grayscale" | "saturate" | "sepia" | "hue-rotate" => {}
            "blur" if n < 2.0 => {}
            "brightness" | "contrast" if (0.6..=1.5).contains(&n) => {}
            _ => return true,
        }
    }
    let spacing = amount(get("letter-spacing"), &Units { whole: look.font, ..units }).map_or(0.0, |a| a.0);
    let shape = get("clip-path");
    let kept = function(shape).is_some_and(|(name, inside)| {
        let small = |p: &&str| amount(p, &Units { whole: 100.0, ..units }).is_some_and(|a| a.0 > 12.0);
        name == "inset" && !parts(inside.split("round").next().unwrap_or_default()).iter().any(|p| small(&p))
    });
    let plain = |v: &str| matches!(v, "none" | "auto" | "normal");
    ["mask", "mask-image", "mix-blend-mode", "clip", "offset-path", "-webkit-text-security"]
        .iter()
        .any(|n| !plain(get(n)))
        || !plain(shape) && !shape.ends_with("-box") && !kept
        || get("content").contains("url(")
        || amount(get("font-size-adjust"), &units).is_some_and(|a| a.0 < 0.25)
        || spacing < -0.4 * look.font
        || spacing > 150.0
}

/// How far an element is moved, and how large it is made; `None` where it may vanish.
fn transform(properties: &Properties, units: &Units) -> Option<[f32; 3]> {
    let mut sum = [0.0, 0.0, 1.0];
    let mut step = |name: &str, list: &[&str]| -> Option<()> {
        let at = |n: usize, whole: f32| {
            list.get(n).map_or(Some(0.0), |t| amount(t, &Units { whole, ..*units }).map(|a| a.0))
        };
        let [x, y, scale] = match name {
            "translate" | "translate3d" => [at(0, units.whole)?, at(1, 100.0)?, 1.0],
            "translatex" => [at(0, units.whole)?, 0.0, 1.0],
            "translatey" => [0.0, at(0, 100.0)?, 1.0],
            "translatez" => [0.0, 0.0, 1.0],
            "scale" | "scale3d" | "scalex" | "scaley" => {
                let second = if list.len() > 1 { at(1, 1.0)? } else { at(0, 1.0)? };
                [0.0, 0.0, at(0, 1.0)?.abs().min(second.abs())]
            }
            "rotate" | "rotatez" if list.len() == 1 => [0.0, 0.0, 1.0],
            "skew" | "skewx" | "skewy" if at(0, 1.0)?.abs() < 60.0 => [0.0, 0.0, 1.0],
            "matrix" if list.len() == 6 => {
                [at(4, 1.0)?, at(5, 1.0)?, (at(0, 1.0)? * at(3, 1.0)? - at(1, 1.0)? * at(2, 1.0)?).abs().sqrt()]
            }
            _ => return None,
        };
        sum = [sum[0] + x, sum[1] + y, sum[2] * scale];
        Some(())
    };
    for name in ["transform", "translate", "scale", "rotate"] {
        let Some(value) = properties.get(name).filter(|v| *v != "none") else { continue };
        if name != "transform" {
            step(name, &parts(value))?;
            continue;
        }
        for part in parts(value) {
            let (name, inside) = function(part)?;
            step(name, &split(inside, |c| c == ','))?;
        }
    }
    Some(sum)
}
