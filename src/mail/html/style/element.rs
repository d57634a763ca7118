//! [`Style`]: which look an element has, by the rules that hold of it and those that may.
//!
//! It never looks twice: past a bound on the work in all, nothing is shown.

use super::place::{self, Cover, LayoutBox};
use super::{Hiding, Styled};
use crate::mail::html::cascade::{Entry, PropertyKind, StyleCascade};
use crate::mail::html::css::{CssToken, tokens};
use crate::mail::html::ground::{Grounds, fill};
use crate::mail::html::selector::{Fit, Matcher};
use crate::mail::html::sheet::{Declaration, MAX_DECLARATIONS, RuleMatch, StyleSheet, declarations};
use crate::mail::html::tree::{BODY, Element, HTML, Quirks, Tree, among};
use crate::mail::html::value::{
    CssLength, Missing, Paint, Rgba, Units, Variables, amount, components, legacy, paint, substitute,
};
use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

/// What a page has once.
pub(in crate::mail::html) struct Style<'a> {
    sheet: &'a StyleSheet,
    pub(super) matcher: Matcher<'a>,
    /// Tokens of the page that may still be looked at for `var()`.
    pub(super) left: Rc<Cell<usize>>,
    /// The font size of the page, which `rem` is relative to.
    root: f32,
    /// The colours of the page's own text and links.
    text: Rgba,
    link: Rgba,
    /// Exclusive `details` that are open.
    pub(super) open: Vec<(u32, String)>,
}

const BLACK: Rgba = [0.0, 0.0, 0.0, 1.0];

impl<'a> Style<'a> {
    pub fn new(tree: &'a Tree, sheet: &'a StyleSheet, len: usize) -> Self {
        let steps = if sheet.is_flooded() { 0 } else { 200_000 + 20 * len };
        let link = tree.element(BODY).and_then(|b| b.attribute("link")).and_then(legacy);
        Self {
            sheet,
            matcher: Matcher { tree, steps },
            left: Rc::new(Cell::new(steps)),
            root: 16.0,
            text: BLACK,
            link: link.unwrap_or([0.0, 0.0, 238.0, 1.0]),
            open: Vec::new(),
        }
    }

    /// The look of the window before anything is in it.
    pub fn window(&self) -> Styled {
        Styled {
            hidden: None,
            visible: true,
            colour: BLACK,
            ink: None,
            others: [None; 3],
            grounds: Grounds::of([255; 3]),
            painted: false,
            opacity: 1.0,
            font: 16.0,
            scale: 1.0,
            line: (1.2, true),
            garbled: false,
            variables: self.sheet.registered.clone(),
            place: LayoutBox::window(),
            inline: false,
            cover: None,
            closed: false,
            under: Grounds::of([255; 3]),
            holder: Grounds::of([255; 3]),
        }
    }

    /// The look of what nobody has the time to look at.
    fn unknown(&self, parent: &Styled) -> Styled {
        Styled { hidden: parent.hidden.or(Some(Hiding::NotShown)), cover: None, ..parent.clone() }
    }

    /// The look of an element in one of this look; `first` says that no text stands before it.
    pub fn of(&mut self, at: u32, element: &Element, parent: &Styled, first: bool) -> Styled {
        if self.matcher.steps == 0 || self.left.get() == 0 {
            return self.unknown(parent);
        }
        let found = self.sheet.find(&mut self.matcher, at, element);
        let inline = match element.attribute("style") {
            Some(style) => declarations(&tokens(style)),
            None => Vec::new(),
        };
        if inline.len() > MAX_DECLARATIONS {
            self.matcher.steps = 0;
        }
        if self.matcher.steps == 0 {
            return self.unknown(parent);
        }
        self.matcher.steps = self.matcher.steps.saturating_sub(40 * inline.len());
        let mut groups: Vec<(Fit, Vec<Entry>)> = Vec::new();
        let mut beside: Vec<Entry> = Vec::new();
        for RuleMatch { declarations, sure, weight, pseudo } in found {
            let entries = weighed(&declarations, weight | 1 << 58);
            match pseudo {
                None => groups.push((sure, entries)),
                Some(true) => groups.push((Fit::Maybe, entries)),
                Some(false) => beside.extend(entries),
            }
        }
        let inline_fit = if self.sheet.guarded { Fit::Maybe } else { Fit::Yes };
        groups.push((inline_fit, weighed(&inline, 2 << 58)));
        let one = |fit: Fit| groups.iter().filter(move |g| g.0 == fit).flat_map(|g| &g.1);
        let sure: Vec<&Entry> = sorted(one(Fit::Yes).collect());
        let look = self.computed(at, element, parent, first, &sure);
        let mut unsure: Vec<Vec<Entry>> = groups.iter().filter(|g| g.0 == Fit::Maybe).map(|g| g.1.clone()).collect();
        unsure.extend(self.moving(&sure, &look.variables));
        let mut look =
            self.worst(look, unsure, &sure, |this, entries| this.computed(at, element, parent, first, entries));
        if !beside.is_empty() {
            let all: Vec<&Entry> = sorted(beside.iter().collect());
            let span = Element { name: "span".into(), attributes: Rc::new([]), foreign: false };
            let content = all.iter().any(|e| *e.declaration.name == *"content");
            if content && self.computed(u32::MAX, &span, &look, false, &all).cover.is_some() {
                look.hidden = look.hidden.or(Some(Hiding::NoContrast));
            }
        }
        if at == HTML {
            self.root = look.font;
        }
        if at == BODY {
            self.text = look.colour;
        }
        look
    }

    /// A look that is hidden where one of the rules that may hold, or all of them, would hide it.
    fn worst(
        &mut self,
        mut look: Styled,
        unsure: Vec<Vec<Entry>>,
        sure: &[&Entry],
        compute: impl Fn(&mut Self, &[&Entry]) -> Styled,
    ) -> Styled {
        if unsure.is_empty() {
            return look;
        }
        let all: Vec<Entry> = unsure.iter().flatten().cloned().collect();
        let mut tries = unsure;
        if tries.len() > 1 {
            // So many that they are not tried one by one.
            if tries.len() > 24 {
                look.hidden = look.hidden.or(Some(Hiding::NotShown));
                tries.clear();
            }
            tries.push(all);
        }
        let hiding = |look: &Styled| look.hidden.or(look.hiding());
        for entries in &tries {
            self.matcher.steps = self.matcher.steps.saturating_sub(40 * (4 + entries.len() + sure.len()));
            let other = compute(self, &sorted(sure.iter().copied().chain(entries).collect()));
            look.hidden = look.hidden.or(other.hidden);
            look.visible &= other.visible;
            if look.hiding().is_none() && hiding(&other).is_some() && other.colour == look.colour {
                look.hidden = hiding(&other);
            }
            if other.letters() != look.letters() {
                match look.others.iter_mut().find(|o| o.is_none()) {
                    Some(place) => *place = Some(other.letters()),
                    // More than can be kept apart.
                    None => look.hidden = look.hidden.or(Some(Hiding::NoContrast)),
                }
            }
            look.grounds = look.grounds.or(&other.grounds);
            look.font = look.font.min(other.font);
            look.scale = look.scale.min(other.scale);
            look.opacity = look.opacity.min(other.opacity);
            look.garbled |= other.garbled;
            look.cover = look.cover.take().or(other.cover);
        }
        look
    }

    /// What animations set, as rules that may hold.
    fn moving(&mut self, sure: &[&Entry], variables: &Variables) -> Vec<Vec<Entry>> {
        if self.sheet.frames.is_empty() {
            return Vec::new();
        }
        let cascade = self.cascade(sure, variables, self.root);
        let names = "animation animation-name -webkit-animation -webkit-animation-name";
        let Some(value) = cascade.get(names, PropertyKind::Any) else { return Vec::new() };
        let long = |t: &CssToken| match t {
            CssToken::Length(n, unit) => n.abs() * if **unit == *"ms" { 0.001 } else { 1.0 } > 20.0,
            t => t.is_among("paused reverse alternate alternate-reverse infinite"),
        };
        // One that stands still, or goes back, may show what lies on its way.
        let named =
            |e: &&Entry| e.declaration.name.starts_with("animation-") && *e.declaration.name != *"animation-name";
        let all = value.tokens.iter().any(long) || sure.iter().any(named);
        let mut out = Vec::new();
        for token in value.tokens.iter() {
            let (CssToken::Ident(name) | CssToken::Text(name)) = token else { continue };
            self.matcher.steps = self.matcher.steps.saturating_sub(self.sheet.frames.len());
            // Of two of one name the last counts.
            if let Some((_, frames)) = self.sheet.frames.iter().rfind(|(known, _)| *known == **name) {
                let set = if all { &frames.all } else { &frames.last };
                out.extend(set.iter().map(|d| weighed(std::slice::from_ref(d), 3 << 58)));
            }
        }
        out
    }

    /// Custom properties, those of the element put over those that it inherits.
    fn variables(&mut self, parent: &Styled, entries: &[&Entry]) -> Rc<Variables> {
        let own: Vec<&Declaration> =
            entries.iter().map(|e| &e.declaration).filter(|d| d.name.starts_with("--")).collect();
        if own.is_empty() {
            return parent.variables.clone();
        }
        let tokens: usize = own.iter().map(|d| d.value.len()).sum();
        self.matcher.steps = self.matcher.steps.saturating_sub(4 * (parent.variables.len() + own.len()) + tokens);
        let mut all = (*parent.variables).clone();
        // Of several of one name the last counts.
        let mut seen: HashSet<Rc<str>> = HashSet::new();
        let mut waiting: Vec<&Declaration> = own.into_iter().rev().filter(|d| seen.insert(d.name.clone())).collect();
        waiting.reverse();
        let refers = |value: &[CssToken], others: &HashSet<Rc<str>>| {
            value.iter().any(|t| matches!(t, CssToken::Ident(n) if others.contains(n)))
        };
        // Those that refer to others wait for them; what is left over goes round in a circle.
        for _ in 0..8 {
            let names: HashSet<Rc<str>> = waiting.iter().map(|d| d.name.clone()).collect();
            let (later, now): (Vec<&Declaration>, Vec<&Declaration>) =
                waiting.iter().copied().partition(|d| refers(&d.value, &names));
            for declaration in now {
                match (&declaration.value[..], substitute(&declaration.value, &all, 0, &self.left)) {
                    // One that has a value of its own, and may not be handed down.
                    _ if self.sheet.registered.contains_key(&declaration.name) => {}
                    ([word], _) if word.is("initial") => drop(all.remove(&declaration.name)),
                    ([word], _) if ["inherit", "unset", "revert", "revert-layer"].iter().any(|w| word.is(w)) => {}
                    (_, Ok(value)) => drop(all.insert(declaration.name.clone(), Some(value.into()))),
                    (_, Err(Missing::Unsure)) => drop(all.insert(declaration.name.clone(), None)),
                    (_, Err(Missing::Invalid)) => drop(all.remove(&declaration.name)),
                }
            }
            waiting = later;
        }
        all.extend(waiting.iter().map(|d| (d.name.clone(), None)));
        Rc::new(all)
    }

    fn computed(&mut self, at: u32, element: &Element, parent: &Styled, first: bool, entries: &[&Entry]) -> Styled {
        let variables = self.variables(parent, entries);
        let name = &*element.name;
        let mut look = Styled { cover: None, variables: variables.clone(), ..parent.clone() };
        let mut cascade = self.cascade(entries, &variables, parent.font);
        cascade.units.line = parent.line_height();
        let hide = |look: &mut Styled, why: Hiding| look.hidden = look.hidden.or(Some(why));

        look.closed = name == "details" && !self.is_open(at, element);
        let display = self.display(at, element, &cascade);
        if display.is_none() {
            hide(&mut look, Hiding::NotShown);
        }
        let display = display.unwrap_or_default();
        match &*cascade.word("visibility", "visible hidden collapse") {
            "visible" | "initial" => look.visible = true,
            "hidden" | "collapse" | "?" => look.visible = false,
            _ => {}
        }
        if matches!(&*cascade.word("content-visibility", "visible auto hidden"), "hidden" | "?") {
            hide(&mut look, Hiding::NotShown);
        }

        cascade.units.whole = parent.font;
        look.font = self.font_size(element, parent, &cascade);
        cascade.units = Units { font: look.font, whole: look.font, ..cascade.units };
        if let Some(value) = cascade.get("line-height font", PropertyKind::Any) {
            let slash = value.tokens.iter().position(|t| *t == CssToken::Delim('/'));
            let from = if *value.name == *"font" { slash.map_or(value.tokens.len(), |s| s + 1) } else { 0 };
            look.line = match components(&value.tokens[from..]).first().map(|part| amount(part, &cascade.units)) {
                Some(CssLength::Number(n)) if n >= 0.0 => (n, true),
                Some(CssLength::Pixels(n)) if n >= 0.0 => (n, false),
                Some(CssLength::Unsure) => (0.0, true),
                _ if value.is_unsure() => (0.0, true),
                _ => (1.2, true),
            };
        }
        cascade.units.line = look.line_height();

        self.colours(at, element, parent, &cascade, &mut look);
        look.inline = display == "inline" && !place::leaves_flow(&cascade);
        if let Some(why) = place::beyond(&mut cascade, &mut look, parent, element, &display, first) {
            hide(&mut look, why);
        }
        let own = look.place.own;
        if own.paints {
            look.under = parent.grounds;
        }
        if own.moved && !own.paints {
            look.grounds = look.grounds.or(&parent.holder);
            if own.far {
                look.grounds = look.grounds.or(&Grounds::of([255; 3]));
            }
        }
        if own.flat && own.paints {
            look.grounds = look.grounds.or(&parent.grounds);
        }
        if own.holds {
            look.holder = look.grounds;
        }
        if look.cover == Some(Cover::Parent) && own.fits && self.is_short(at) {
            look.cover = None;
        }
        look.effects(&cascade, &self.sheet.fonts);
        if cascade.has("text-decoration text-decoration-line", "line-through") {
            hide(&mut look, Hiding::Struck);
        }
        look
    }

    fn cascade<'c>(&self, entries: &'c [&'c Entry], variables: &'c Variables, font: f32) -> StyleCascade<'c> {
        let units = Units { font, root: self.root, line: font, whole: font };
        StyleCascade { entries, variables, left: self.left.clone(), quirks: self.matcher.tree.quirks, units }
    }

    fn font_size(&self, element: &Element, parent: &Styled, cascade: &StyleCascade<'_>) -> f32 {
        let name = &*element.name;
        let base = if name == "table" && cascade.quirks != Quirks::No { 16.0 } else { parent.font };
        let default = match name {
            "h1" => base * 2.0,
            "h2" => base * 1.5,
            "h3" => base * 1.17,
            "h5" => base * 0.83,
            "h6" => base * 0.67,
            "small" | "sub" | "sup" => base / 1.2,
            "big" => base * 1.2,
            "rt" => base / 2.0,
            "button" | "input" => 13.3,
            "font" => match element.attribute("size").and_then(font_number) {
                Some(n) => [10.0, 10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0][n.clamp(1, 7) as usize],
                None => base,
            },
            _ => base,
        };
        let of = |part: &[CssToken]| -> Option<f32> {
            if let [CssToken::Ident(word)] = part {
                return Some(match &*word.to_ascii_lowercase() {
                    "xx-small" => 9.0,
                    "x-small" => 10.0,
                    "small" | "caption" | "menu" | "icon" | "message-box" | "small-caption" | "status-bar" => 13.0,
                    "medium" | "math" => 16.0,
                    "large" => 18.0,
                    "x-large" => 24.0,
                    "xx-large" => 32.0,
                    "xxx-large" => 48.0,
                    "smaller" => parent.font / 1.2,
                    "larger" => parent.font * 1.2,
                    _ => return None,
                });
            }
            match cascade.length(part) {
                CssLength::Pixels(n) if n >= 0.0 => Some(n),
                CssLength::Number(0.0) => Some(0.0),
                CssLength::Unsure => Some(0.0),
                _ => None,
            }
        };
        let read = |name: &str, value: &[CssToken]| -> Option<f32> {
            if name == "font-size" {
                return of(value);
            }
            // In the shorthand the size comes before the family, and a slash with the line's height may follow it.
            let parts = components(value);
            if let [only] = parts[..] {
                return of(only).filter(|_| matches!(only, [CssToken::Ident(_)]));
            }
            let slash = value.iter().position(|t| *t == CssToken::Delim('/'));
            let before = components(&value[..slash.unwrap_or(value.len())]);
            let sized = before
                .iter()
                .rposition(|part| of(part).is_some() && !matches!(part, [CssToken::Number(n)] if *n != 0.0))?;
            (slash.is_some() || sized + 1 < parts.len()).then(|| of(before[sized])).flatten()
        };
        match cascade.get("font-size font", PropertyKind::Such(&|name, value| read(name, value).is_some())) {
            Some(value) if value.has("initial") => 16.0,
            Some(value) if value.has("inherit") => parent.font,
            Some(value) if value.is_unsure() => 0.0,
            Some(value) => read(&value.name, &value.tokens).unwrap_or(default),
            None => default,
        }
    }

    fn colours(&mut self, at: u32, element: &Element, parent: &Styled, cascade: &StyleCascade<'_>, look: &mut Styled) {
        let loose = cascade.quirks != Quirks::No;
        let name = &*element.name;
        let hint = |attribute: &str, tags: &str| {
            among(tags, name).then(|| element.attribute(attribute).and_then(legacy)).flatten()
        };
        let mut dark = false;
        if at == HTML {
            let meta = |e: &Element| {
                *e.name == *"meta" && e.attribute("name").is_some_and(|n| n.eq_ignore_ascii_case("color-scheme"))
            };
            let named = self.matcher.tree.in_order().filter_map(|n| self.matcher.tree.element(n)).find(|e| meta(e));
            let words = |text: &[CssToken]| text.iter().any(|t| t.is("dark")) && !text.iter().any(|t| t.is("light"));
            dark = named.and_then(|e| e.attribute("content")).is_some_and(|c| words(&tokens(c)));
            if let Some(value) = cascade.get("color-scheme", PropertyKind::Any) {
                dark = words(&value.tokens);
            }
        }
        if dark {
            look.colour = [255.0, 255.0, 255.0, 1.0];
            look.grounds = Grounds::of([18; 3]);
        }
        let inherited = look.colour;
        look.colour = match name {
            "a" if element.attribute("href").is_some() => self.link,
            "mark" => BLACK,
            "button" | "input" | "dialog" => BLACK,
            "table" if loose => self.text,
            "body" => hint("text", "body").unwrap_or(inherited),
            "font" => hint("color", "font").unwrap_or(inherited),
            _ => inherited,
        };
        if look.colour != inherited {
            look.others = [None; 3];
        }
        if let Some(value) = cascade.get("color", PropertyKind::Paint) {
            look.colour = match paint(&value.tokens, loose) {
                Paint::Solid(rgba) => rgba,
                Paint::Current => parent.colour,
                _ if value.has("inherit") => parent.colour,
                _ if value.has("initial") => BLACK,
                // One that is the same as whatever lies behind.
                _ => [0.0; 4],
            };
            look.others = [None; 3];
        }
        if let Some(value) = cascade.get("-webkit-text-fill-color", PropertyKind::Paint) {
            look.ink = match paint(&value.tokens, loose) {
                Paint::Solid(rgba) => Some(rgba),
                Paint::Current => None,
                _ if value.has("initial") => None,
                _ if value.has("inherit") => parent.ink,
                _ => Some([0.0; 4]),
            };
        }
        let ground = hint("bgcolor", "body table thead tbody tfoot tr td th marquee").or(match name {
            "mark" => Some([255.0, 255.0, 0.0, 1.0]),
            "button" | "input" => Some([239.0, 239.0, 239.0, 1.0]),
            "dialog" => Some([255.0, 255.0, 255.0, 1.0]),
            _ => None,
        });
        let fill = fill(cascade, &look.grounds, ground, look.colour);
        if fill.clipped {
            // Letters that let the background through have its colours.
            let through = look.letters()[3] < 0.1;
            if through {
                let rgba = |c: &[u8; 3]| [f32::from(c[0]), f32::from(c[1]), f32::from(c[2]), 1.0];
                let seen = fill.grounds.known().iter().map(rgba).find(|c| !look.grounds.melt(*c, 1.0));
                look.ink = seen.or(look.ink);
            }
        } else {
            look.grounds = fill.grounds;
            look.painted |= fill.paints && !matches!(name, "html" | "body");
        }
        look.place.own.paints = fill.paints && !fill.clipped;
    }
}

/// Entries of declarations, each heavier by far where it is important, and more so in a layer.
fn weighed(declarations: &[Declaration], weight: u64) -> Vec<Entry> {
    const LAYERED: u64 = 1 << 57;
    let layered = weight & LAYERED;
    let important = |d: &Declaration| if d.important { (1 << 62) | layered << 4 } else { 0 };
    let one = |d: &Declaration| Entry { declaration: d.clone(), weight: weight & !LAYERED | important(d) };
    declarations.iter().map(one).collect()
}

/// In the order of their weights; equal ones keep theirs. There are few.
fn sorted(mut entries: Vec<&Entry>) -> Vec<&Entry> {
    for n in 1..entries.len() {
        let mut at = n;
        while at > 0 && entries[at - 1].weight > entries[at].weight {
            entries.swap(at - 1, at);
            at -= 1;
        }
    }
    entries
}

/// `size` of a `font` element, which may be relative to 3.
fn font_number(text: &str) -> Option<i32> {
    let text = text.trim();
    let n: i32 = text.trim_start_matches(['+', '-']).parse().ok()?;
    Some(match text.as_bytes().first() {
        Some(b'+') => 3 + n.min(9),
        Some(b'-') => 3 - n.min(9),
        _ => n,
    })
}
