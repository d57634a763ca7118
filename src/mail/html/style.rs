//! Whether an element's text can be seen, by the part of CSS that decides it.
//!
//! It never lays out a page. What is looked at is a desktop window with a light colour scheme, from which nothing is
//! loaded, in which nothing runs and nobody points at anything; what is hidden there is hidden, also where a phone or a
//! printer would show it. What cannot be evaluated and could hide, hides.

mod place;

use super::cascade::{Cascade, Entry, Kind};
use super::css::{Token, split, tokens};
use super::ground::{Grounds, fill};
use super::selector::{Fit, Matcher};
use super::sheet::{Declaration, Found, MAX_DECLARATIONS, Sheet, declarations, family};
use super::tree::{BODY, Content, Element, HTML, NONE, Quirks, Tree, among};
use super::value::{Amount, Missing, Paint, Rgba, Units, Variables, amount, components, legacy, paint, substitute};
pub(super) use place::Cover;
use place::Place;
use std::rc::Rc;

/// Why text is not visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mail) enum Hiding {
    /// `display:none`, `visibility:hidden`, `hidden`, a preheader.
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

/// The properties that are read.
pub(super) const KNOWN: &str = "all display visibility opacity filter font-size font line-height height width \
    max-height max-width min-height min-width block-size inline-size max-block-size max-inline-size min-block-size \
    min-inline-size overflow overflow-x overflow-y overflow-block overflow-inline position left top right bottom inset \
    inset-block inset-inline inset-block-start inset-block-end inset-inline-start inset-inline-end margin margin-left \
    margin-top margin-right margin-bottom margin-block margin-inline margin-block-start margin-block-end \
    margin-inline-start margin-inline-end padding padding-left padding-top padding-right padding-bottom padding-block \
    padding-inline padding-block-start padding-block-end padding-inline-start padding-inline-end text-indent clip \
    clip-path -webkit-clip-path transform -webkit-transform translate scale rotate zoom text-decoration \
    text-decoration-line color -webkit-text-fill-color background background-color background-image background-clip \
    -webkit-background-clip background-size background-position background-position-x background-position-y mask mask-image -webkit-mask -webkit-mask-image mask-border -webkit-mask-box-image \
    -webkit-mask-box-image-source content-visibility letter-spacing word-spacing font-family -webkit-text-security \
    mix-blend-mode z-index float content font-size-adjust contain offset-path offset animation animation-name \
    -webkit-animation -webkit-animation-name line-clamp -webkit-line-clamp white-space text-align text-wrap \
    text-wrap-mode box-sizing flex flex-basis grid-template grid-template-rows grid-template-columns grid color-scheme \
    outline outline-width outline-offset border border-width border-top border-left border-top-width border-left-width \
    box-shadow transform-origin table-layout -webkit-filter backdrop-filter direction";

/// What an element hands down to what it holds.
#[derive(Debug, Clone)]
pub(super) struct Look {
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
    pub place: Place,
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

/// What a page has once.
pub(super) struct Style<'a> {
    sheet: &'a Sheet,
    matcher: Matcher<'a>,
    /// The font size of the page, which `rem` is relative to.
    root: f32,
    /// The colours of the page's own text and links.
    text: Rgba,
    link: Rgba,
    /// Exclusive `details` that are open.
    open: Vec<(u32, String)>,
}

const BLACK: Rgba = [0.0, 0.0, 0.0, 1.0];

impl<'a> Style<'a> {
    pub fn new(tree: &'a Tree, sheet: &'a Sheet, len: usize) -> Self {
        let steps = 200_000 + 20 * len;
        let link = tree.element(BODY).and_then(|b| b.attribute("link")).and_then(legacy);
        Self {
            sheet,
            matcher: Matcher { tree, steps },
            root: 16.0,
            text: BLACK,
            link: link.unwrap_or([0.0, 0.0, 238.0, 1.0]),
            open: Vec::new(),
        }
    }

    /// The look of the window before anything is in it.
    pub fn window(&self) -> Look {
        Look {
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
            place: Place::window(),
            inline: false,
            cover: None,
            closed: false,
            under: Grounds::of([255; 3]),
            holder: Grounds::of([255; 3]),
        }
    }

    /// The look of what nobody has the time to look at.
    fn unknown(&self, parent: &Look) -> Look {
        Look { hidden: parent.hidden.or(Some(Hiding::NotShown)), cover: None, ..parent.clone() }
    }

    /// The look of an element in one of this look; `first` says that no text stands before it.
    pub fn of(&mut self, at: u32, element: &Element, parent: &Look, first: bool) -> Look {
        if self.matcher.steps == 0 {
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
        for Found { declarations, sure, weight, pseudo } in found {
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
        mut look: Look,
        unsure: Vec<Vec<Entry>>,
        sure: &[&Entry],
        compute: impl Fn(&mut Self, &[&Entry]) -> Look,
    ) -> Look {
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
        let hiding = |look: &Look| look.hidden.or(look.hiding());
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
        let Some(value) = cascade.get(names, Kind::Any) else { return Vec::new() };
        let long = |t: &Token| match t {
            Token::Length(n, unit) => n.abs() * if **unit == *"ms" { 0.001 } else { 1.0 } > 20.0,
            t => t.is_among("paused reverse alternate alternate-reverse infinite"),
        };
        // One that stands still, or goes back, may show what lies on its way.
        let named =
            |e: &&Entry| e.declaration.name.starts_with("animation-") && *e.declaration.name != *"animation-name";
        let all = value.tokens.iter().any(long) || sure.iter().any(named);
        let mut out = Vec::new();
        for token in value.tokens.iter() {
            let (Token::Ident(name) | Token::Text(name)) = token else { continue };
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
    fn variables(&mut self, parent: &Look, entries: &[&Entry]) -> Rc<Variables> {
        let own: Vec<&Declaration> =
            entries.iter().map(|e| &e.declaration).filter(|d| d.name.starts_with("--")).collect();
        if own.is_empty() {
            return parent.variables.clone();
        }
        self.matcher.steps = self.matcher.steps.saturating_sub(4 * (parent.variables.len() + own.len()));
        let mut all = (*parent.variables).clone();
        let mut waiting: Vec<&Declaration> = Vec::new();
        for declaration in own {
            waiting.retain(|w| w.name != declaration.name);
            waiting.push(declaration);
        }
        let refers = |value: &[Token], others: &[&Declaration]| {
            value.iter().any(|t| matches!(t, Token::Ident(n) if others.iter().any(|o| o.name == *n)))
        };
        // Those that refer to others wait for them; what is left over goes round in a circle.
        for _ in 0..8 {
            let (later, now): (Vec<&Declaration>, Vec<&Declaration>) =
                waiting.iter().copied().partition(|d| refers(&d.value, &waiting));
            for declaration in now {
                match (&declaration.value[..], substitute(&declaration.value, &all, 0)) {
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

    fn computed(&mut self, at: u32, element: &Element, parent: &Look, first: bool, entries: &[&Entry]) -> Look {
        let variables = self.variables(parent, entries);
        let name = &*element.name;
        let mut look = Look { cover: None, variables: variables.clone(), ..parent.clone() };
        let mut cascade = self.cascade(entries, &variables, parent.font);
        cascade.units.line = parent.line_height();
        let hide = |look: &mut Look, why: Hiding| look.hidden = look.hidden.or(Some(why));

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
        if let Some(value) = cascade.get("line-height font", Kind::Any) {
            let slash = value.tokens.iter().position(|t| *t == Token::Delim('/'));
            let from = if *value.name == *"font" { slash.map_or(value.tokens.len(), |s| s + 1) } else { 0 };
            look.line = match components(&value.tokens[from..]).first().map(|part| amount(part, &cascade.units)) {
                Some(Amount::Number(n)) if n >= 0.0 => (n, true),
                Some(Amount::Pixels(n)) if n >= 0.0 => (n, false),
                Some(Amount::Unsure) => (0.0, true),
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

    fn cascade<'c>(&self, entries: &'c [&'c Entry], variables: &'c Variables, font: f32) -> Cascade<'c> {
        let units = Units { font, root: self.root, line: font, whole: font };
        Cascade { entries, variables, quirks: self.matcher.tree.quirks, units }
    }

    /// Whether an element holds a word or two, no more.
    fn is_short(&self, at: u32) -> bool {
        const LETTERS: usize = 10;
        let tree = self.matcher.tree;
        let (mut letters, mut nodes) = (0, 0);
        let mut node = tree.node(at).first;
        while node != NONE && letters <= LETTERS && nodes < 50 {
            nodes += 1;
            match &tree.node(node).content {
                Content::Text(text) => letters += text.trim_ascii().chars().take(LETTERS + 1).count(),
                Content::Element(e) if *e.name != *"b" && *e.name != *"span" => return false,
                _ => {}
            }
            let below = tree.node(node).first;
            node = if below == NONE { tree.node(node).next } else { below };
        }
        letters <= LETTERS && nodes < 50
    }

    /// How an element is laid out; `None` where it is not.
    fn display(&mut self, at: u32, element: &Element, cascade: &Cascade<'_>) -> Option<String> {
        let name = &*element.name;
        let has = |attribute: &str| element.attribute(attribute).is_some();
        // These show nothing of what they hold, whatever a style says.
        let never = "template head object audio video canvas select datalist svg math progress meter iframe noembed noframes \
            script style title textarea";
        if among(never, name) || element.foreign {
            return None;
        }
        let tree = self.matcher.tree;
        // What is to stand in another tree's place is not shown itself.
        let shadowed = |e: &Element| *e.name == *"template" && e.attribute("shadowrootmode").is_some();
        if tree_children(tree, at).any(|c| tree.element(c).is_some_and(shadowed)) {
            return None;
        }
        let parent_at = if at == u32::MAX { at } else { tree.node(at).parent };
        if let Some(details) = tree.element(parent_at).filter(|e| *e.name == *"details") {
            let summary = |e: &Element| *e.name == *"summary";
            let before = |at: &u32| tree.previous_element(*at);
            let mut earlier = std::iter::successors(before(&at), before).filter_map(|at| tree.element(at));
            let shown = summary(element) && !earlier.any(summary);
            if !shown && !self.is_open(parent_at, details) {
                return None;
            }
        }
        let given = cascade.word("display", DISPLAYS);
        let hidden = has("hidden") || matches!(name, "rp" | "area") || name == "dialog" && !has("open");
        match &*given {
            "none" | "?" | "table-column" | "table-column-group" => None,
            "initial" => Some("inline".to_owned()),
            word if !matches!(word, "" | "inherit") && element.attribute("hidden") != Some("until-found") => {
                Some(given)
            }
            _ if hidden || has("popover") => None,
            _ => Some(default_display(name).to_owned()),
        }
    }

    fn is_open(&mut self, at: u32, details: &Element) -> bool {
        // Of those with one name only the first stays open.
        let group = details.attribute("name").filter(|n| !n.is_empty());
        let Some(group) = group else { return details.attribute("open").is_some() };
        if details.attribute("open").is_none() {
            return false;
        }
        if self.open.len() < 50 && !self.open.iter().any(|(_, known)| known == group) {
            self.open.push((at, group.to_owned()));
        }
        self.open.iter().any(|(known, _)| *known == at)
    }

    fn font_size(&self, element: &Element, parent: &Look, cascade: &Cascade<'_>) -> f32 {
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
        let of = |part: &[Token]| -> Option<f32> {
            if let [Token::Ident(word)] = part {
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
                Amount::Pixels(n) if n >= 0.0 => Some(n),
                Amount::Number(0.0) => Some(0.0),
                Amount::Unsure => Some(0.0),
                _ => None,
            }
        };
        let read = |name: &str, value: &[Token]| -> Option<f32> {
            if name == "font-size" {
                return of(value);
            }
            // In the shorthand the size comes before the family, and a slash with the line's height may follow it.
            let parts = components(value);
            if let [only] = parts[..] {
                return of(only).filter(|_| matches!(only, [Token::Ident(_)]));
            }
            let slash = value.iter().position(|t| *t == Token::Delim('/'));
            let before = components(&value[..slash.unwrap_or(value.len())]);
            let sized = before
                .iter()
                .rposition(|part| of(part).is_some() && !matches!(part, [Token::Number(n)] if *n != 0.0))?;
            (slash.is_some() || sized + 1 < parts.len()).then(|| of(before[sized])).flatten()
        };
        match cascade.get("font-size font", Kind::Such(&|name, value| read(name, value).is_some())) {
            Some(value) if value.has("initial") => 16.0,
            Some(value) if value.has("inherit") => parent.font,
            Some(value) if value.is_unsure() => 0.0,
            Some(value) => read(&value.name, &value.tokens).unwrap_or(default),
            None => default,
        }
    }

    fn colours(&mut self, at: u32, element: &Element, parent: &Look, cascade: &Cascade<'_>, look: &mut Look) {
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
            let words = |text: &[Token]| text.iter().any(|t| t.is("dark")) && !text.iter().any(|t| t.is("light"));
            dark = named.and_then(|e| e.attribute("content")).is_some_and(|c| words(&tokens(c)));
            if let Some(value) = cascade.get("color-scheme", Kind::Any) {
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
        if let Some(value) = cascade.get("color", Kind::Paint) {
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
        if let Some(value) = cascade.get("-webkit-text-fill-color", Kind::Paint) {
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

impl Look {
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
    fn effects(&mut self, cascade: &Cascade<'_>, fonts: &[String]) {
        let hide = |look: &mut Self, why: Hiding| look.hidden = look.hidden.or(Some(why));
        if cascade.entries.is_empty() {
            return;
        }
        if let Some(n) = cascade.number("opacity") {
            self.opacity *= if n.is_nan() { 0.0 } else { n.clamp(0.0, 1.0) };
        }
        for name in ["filter", "-webkit-filter"] {
            if let Some(value) = cascade.get(name, Kind::Any).filter(|v| !v.has("none initial inherit")) {
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
        let picture = |t: &Token| matches!(t, Token::Url(_) | Token::Function(_));
        if cascade.get("content", Kind::Any).is_some_and(|v| v.tokens.iter().any(picture)) {
            hide(self, Hiding::NotShown);
        }
        if let Some(value) = cascade.get("-webkit-text-security", Kind::Any) {
            self.garbled = !value.has("none");
        }
        if let Some(value) = cascade.get("font-size-adjust", Kind::Any) {
            self.garbled |= value.is_unsure() || value.number().is_some_and(|n| n < 0.25);
        }
        if let Some(n) = cascade.size("letter-spacing") {
            self.garbled = n < -0.4 * self.font || n > 150.0 || n.is_nan();
        }
        if let Some(n) = cascade.size("word-spacing") {
            self.garbled |= n.abs() > 400.0 || n.is_nan();
        }
        if let Some(value) = cascade.get("font-family font", Kind::Any).filter(|_| !fonts.is_empty()) {
            // In the shorthand the family is what comes last.
            let named = |part: &[Token]| (0..part.len().min(24)).any(|from| fonts.contains(&family(&part[from..])));
            self.garbled |= split(&value.tokens, &Token::Delim(',')).into_iter().any(named);
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
fn filter(value: &[Token]) -> Option<f32> {
    let mut opacity = 1.0;
    if value.is_empty() {
        return None;
    }
    for part in components(value) {
        let [Token::Function(name), argument @ ..] = part else { return None };
        let n = match argument {
            [Token::Number(n), ..] => *n,
            [Token::Percent(n), ..] => n / 100.0,
            [Token::Length(n, _), ..] => *n,
            [Token::Close(_)] => 0.0,
            _ => 1.0,
        };
        match &**name {
            "opacity" => opacity *= n.clamp(0.0, 1.0),
            "drop-shadow" | "grayscale" | "saturate" | "sepia" | "hue-rotate" => {}
            "blur" if n < 2.0 => {}
            "brightness" | "contrast" if (0.6..=1.5).contains(&n) => {}
            "invert" if n == 0.0 => {}
            _ => return None,
        }
    }
    Some(opacity)
}

/// The children of a node, or none of a node that is not there.
fn tree_children(tree: &Tree, at: u32) -> impl Iterator<Item = u32> {
    let first = if at == u32::MAX { u32::MAX } else { tree.node(at).first };
    std::iter::successors(Some(first).filter(|f| *f != u32::MAX), |at| {
        Some(tree.node(*at).next).filter(|n| *n != u32::MAX)
    })
}

/// Entries of declarations, each heavier by far where it is important.
fn weighed(declarations: &[Declaration], weight: u64) -> Vec<Entry> {
    let one = |d: &Declaration| Entry { declaration: d.clone(), weight: weight | u64::from(d.important) << 62 };
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

const DISPLAYS: &str = "none contents block inline inline-block list-item table inline-table table-row table-cell \
    table-row-group table-header-group table-footer-group table-caption table-column table-column-group flex inline-flex \
    grid inline-grid flow flow-root ruby ruby-text ruby-base math -webkit-box -webkit-inline-box -webkit-flex \
    -webkit-inline-flex run-in";

fn default_display(name: &str) -> &'static str {
    if among(BLOCKS, name) {
        return "block";
    }
    let mut words = DEFAULTS.split_ascii_whitespace();
    while let (Some(known), Some(display)) = (words.next(), words.next()) {
        if known == name {
            return display;
        }
    }
    "inline"
}

const DEFAULTS: &str = "table table tr table-row td table-cell th table-cell tbody table-row-group thead table-header-group \
    tfoot table-footer-group caption table-caption li list-item button inline-block input inline-block \
    marquee inline-block img inline-block";
const BLOCKS: &str = "html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption \
    figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend listing main menu nav ol optgroup option p \
    plaintext pre search section slot summary ul xmp";

#[cfg(test)]
mod tests;
