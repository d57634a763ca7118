//! Tags and text, as they come → a [`Tree`].
//!
//! It never goes deeper than [`MAX_DEPTH`], and every step is bounded by that.

use super::{Attribute, BODY, Content, Element, HEAD, HTML, NONE, Quirks, Tree};
use html5gum::State;
use std::rc::Rc;

/// The deepest nesting that is followed, as in Chromium; what lies deeper counts to the element at this depth.
const MAX_DEPTH: usize = 512;

const SPECIAL: &str = "address applet area article aside base basefont bgsound blockquote body br button caption center \
    col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 \
    head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes \
    noscript object ol p param plaintext pre script search section select source style summary table tbody td template \
    textarea tfoot th thead title tr track ul wbr xmp";
/// What stands beside a paragraph, never in it.
const BLOCK: &str = "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer \
    header hgroup main menu nav ol p search section summary ul listing pre";
const FORMATTING: &str = "a b big code em font i nobr s small strike strong tt u";
const VOID: &str = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr";
const IN_HEAD: &str = "base basefont bgsound link meta title style script noframes template";
const RAW: &str = "iframe noembed noframes plaintext script style textarea title xmp";
const IMPLIED: &str = "dd dt li optgroup option p rb rp rt rtc";
const OF_TABLE: &str = "caption col colgroup tbody td tfoot th thead tr";
const SCOPE: &str = "applet caption html table td th marquee object template select";
/// HTML that ends a drawing or a formula.
const BREAKOUT: &str = "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li \
    listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var";
/// Where a drawing or a formula holds HTML again.
const INTEGRATION: &str = "foreignobject desc title mi mo mn ms mtext";

/// Whether a name is among these words.
pub(in crate::mail::html) fn among(words: &str, name: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word == name)
}

/// What the standard calls the insertion mode, as far as tables have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Body,
    Table,
    Rows,
    Row,
    Cell,
    Caption,
    Columns,
}

#[derive(Clone)]
struct Open {
    node: u32,
    name: Rc<str>,
    mode: Mode,
    special: bool,
    /// End tags of most elements do not reach past it.
    fence: bool,
    foreign: bool,
    /// A drawing's or a formula's place for HTML.
    integrates: bool,
}

impl Open {
    fn is(&self, name: &str) -> bool {
        !self.foreign && *self.name == *name
    }

    fn among(&self, words: &str) -> bool {
        !self.foreign && among(words, &self.name)
    }
}

pub(in crate::mail::html) struct Builder {
    tree: Tree,
    stack: Vec<Open>,
    /// Formatting that goes on where its element was closed by another's end; `None` is a fence.
    formatting: Vec<Option<Open>>,
    form: u32,
    /// Elements that were opened beyond the depth limit, and whether one of them might hide.
    beyond: usize,
    dark: bool,
    /// Paragraphs that are open.
    paragraphs: usize,
    /// Whether frames may still take the place of the page.
    frames: bool,
    /// How many elements may still be made again for formatting that goes on.
    copies: usize,
    foster: bool,
    /// Whether it is too late for a document type.
    begun: bool,
}

impl Builder {
    pub fn new(len: usize) -> Self {
        let mut tree = Tree { nodes: Vec::new(), quirks: Quirks::Yes, dark_from: NONE };
        let make = |name: &str| Content::Element(Element { name: name.into(), attributes: Rc::new([]), foreign: false });
        let [html, head, body] = ["html", "head", "body"].map(|name| tree.add(make(name)));
        tree.insert(head, html, NONE);
        tree.insert(body, html, NONE);
        let mut builder = Self {
            tree,
            stack: Vec::new(),
            formatting: Vec::new(),
            form: NONE,
            beyond: 0,
            dark: false,
            paragraphs: 0,
            frames: true,
            copies: 2_000 + len / 16,
            foster: false,
            begun: false,
        };
        builder.push(html, Mode::Body);
        builder.push(head, Mode::Body);
        builder
    }

    pub fn finish(self) -> Tree {
        self.tree
    }

    /// Whether the current element is part of a drawing or a formula.
    pub fn is_foreign(&self) -> bool {
        self.current().foreign
    }

    pub fn doctype(&mut self, public: Option<String>, system: Option<String>) {
        if self.begun {
            return;
        }
        self.begun = true;
        let public = public.unwrap_or_default().to_ascii_lowercase();
        let known = public.starts_with("-//w3c//dtd xhtml 1.") || public == "-//w3c//dtd html 4.01//en";
        let loose = public.starts_with("-//w3c//dtd html 4.01 ") && system.is_some();
        self.tree.quirks = if public.is_empty() || known || loose { Quirks::No } else { Quirks::Maybe };
    }

    pub fn comment(&mut self, text: &str) {
        let node = self.tree.add(Content::Comment(text.to_owned()));
        let parent = self.current().node;
        self.tree.insert(node, parent, NONE);
    }

    pub fn text(&mut self, text: &str) {
        let blank = text.chars().all(|c| c.is_ascii_whitespace() || c == '\0');
        self.begun |= !blank;
        if self.in_head() {
            if blank {
                return;
            }
            self.leave_head();
        }
        self.frames &= blank;
        let current = self.current();
        if !current.foreign && !among(RAW, &current.name) {
            if current.mode == Mode::Columns && current.is("colgroup") && !blank {
                self.pop();
            }
            let outside = self.in_table();
            self.foster = outside && !blank;
            if !outside || !blank {
                self.reconstruct();
            }
        }
        let (parent, before) = self.place();
        self.foster = false;
        let text = text.replace('\0', "");
        let (parent, before) = if self.dark {
            // What lies too deep, in something that might hide it.
            let node = self.tree.add(element("template", Vec::new()));
            self.tree.insert(node, parent, before);
            (node, NONE)
        } else {
            (parent, before)
        };
        let last = if before == NONE { self.tree.node(parent).last } else { self.tree.node(before).previous };
        if last != NONE
            && self.tree.dark_from == NONE
            && let Content::Text(known) = &mut self.tree.edit(last).content
        {
            known.push_str(&text);
            return;
        }
        let node = self.tree.add(Content::Text(text));
        self.tree.insert(node, parent, before);
    }

    fn current(&self) -> &Open {
        // The page itself is never left.
        self.stack.last().unwrap_or_else(|| unreachable!())
    }

    fn in_head(&self) -> bool {
        self.current().node == HEAD
    }

    fn leave_head(&mut self) {
        self.pop();
        self.push(BODY, Mode::Body);
    }

    fn push(&mut self, node: u32, mode: Mode) {
        let Some(Element { name, foreign, attributes }) = self.tree.element(node).cloned() else { return };
        self.paragraphs += usize::from(!foreign && *name == *"p");
        let html = attributes.iter().any(|(n, v)| n == "encoding" && v.to_ascii_lowercase().contains("html"));
        let integrates = foreign && (among(INTEGRATION, &name) || *name == *"annotation-xml" && html);
        let special = if foreign { integrates } else { among(SPECIAL, &name) };
        let fence = integrates || !foreign && among(SCOPE, &name);
        self.stack.push(Open { node, name, mode, special, fence, foreign, integrates });
    }

    fn pop(&mut self) {
        if self.stack.len() > 1
            && let Some(open) = self.stack.pop()
        {
            self.paragraphs -= usize::from(open.is("p"));
        }
    }

    fn pop_until(&mut self, names: &str) {
        while self.stack.len() > 2 {
            let done = self.current().among(names);
            self.pop();
            if done {
                break;
            }
        }
    }

    /// Pops what may stay open without being closed, but for `except`.
    fn imply(&mut self, except: &str) {
        while self.current().among(IMPLIED) && !self.current().is(except) {
            self.pop();
        }
    }

    /// Whether one of these is open in the innermost element that is a fence for names, or `more`.
    fn in_scope(&self, names: &str, more: &str) -> bool {
        for open in self.stack.iter().rev() {
            if open.among(names) {
                return true;
            }
            if open.fence || open.among(more) {
                return false;
            }
        }
        false
    }

    fn in_table_scope(&self, names: &str) -> bool {
        for open in self.stack.iter().rev() {
            if open.among(names) {
                return true;
            }
            if open.among("html table template") {
                return false;
            }
        }
        false
    }

    fn close_paragraph(&mut self) {
        if self.paragraphs > 0 && self.in_scope("p", "button") {
            self.pop_until("p");
        }
    }

    fn in_table(&self) -> bool {
        self.current().among("table tbody tfoot thead tr")
    }

    /// Where the next node goes: what a table cannot hold goes in front of it.
    fn place(&self) -> (u32, u32) {
        let current = self.current().node;
        if !(self.foster && self.in_table()) {
            return (current, NONE);
        }
        let last = |name: &str| self.stack.iter().rposition(|o| o.is(name));
        match (last("table"), last("template")) {
            (table, Some(template)) if table.is_none_or(|t| t < template) => (self.stack[template].node, NONE),
            (Some(table), _) => {
                let node = self.stack[table].node;
                match self.tree.node(node).parent {
                    NONE => (self.stack[table.saturating_sub(1)].node, NONE),
                    parent => (parent, node),
                }
            }
            _ => (current, NONE),
        }
    }

    fn insert(&mut self, name: &str, attributes: Vec<Attribute>, mode: Mode) {
        let node = self.tree.add(element(name, attributes));
        let (parent, before) = self.place();
        self.tree.insert(node, parent, before);
        self.push(node, mode);
    }

    /// Opens again the formatting that was not closed by its own end tag.
    fn reconstruct(&mut self) {
        let open = |this: &Self, entry: &Option<Open>| match entry {
            Some(f) => this.stack.iter().rev().any(|o| o.node == f.node),
            None => true,
        };
        let mut from = self.formatting.len();
        while from > 0 && !open(self, &self.formatting[from - 1]) {
            from -= 1;
        }
        for at in from..self.formatting.len() {
            if self.copies == 0 || self.stack.len() >= MAX_DEPTH {
                self.darken();
                return;
            }
            self.copies -= 1;
            let Some(entry) = &self.formatting[at] else { continue };
            let copy = self.tree.element(entry.node).cloned();
            let Some(copy) = copy else { continue };
            let node = self.tree.add(Content::Element(copy));
            let (parent, before) = self.place();
            self.tree.insert(node, parent, before);
            let mode = self.current().mode;
            self.push(node, mode);
            self.formatting[at] = self.stack.last().cloned();
        }
    }

    /// From here on nothing is shown.
    fn darken(&mut self) {
        self.tree.dark_from = self.tree.dark_from.min(self.tree.nodes.len() as u32);
    }

    fn remember(&mut self) {
        let Some(new) = self.stack.last().cloned() else { return };
        // At most three that are alike, and not too many in all.
        let same = |o: &Open| match (self.tree.element(o.node), self.tree.element(new.node)) {
            (Some(a), Some(b)) => a.name == b.name && a.attributes == b.attributes,
            _ => false,
        };
        let since = self.formatting.iter().rposition(Option::is_none).map_or(0, |i| i + 1);
        let alike: Vec<usize> =
            (since..self.formatting.len()).filter(|i| self.formatting[*i].as_ref().is_some_and(same)).collect();
        if alike.len() >= 3 {
            self.formatting.remove(alike[0]);
        }
        if self.formatting.len() >= MAX_DEPTH {
            self.darken();
            return;
        }
        self.formatting.push(Some(new));
    }

    fn forget_to_fence(&mut self) {
        while self.formatting.pop().is_some_and(|entry| entry.is_some()) {}
    }

    /// A start tag; the state that the text after it is to be read in.
    pub fn open(&mut self, name: String, attributes: Vec<Attribute>, self_closing: bool) -> Option<State> {
        self.begun = true;
        let name = if name == "image" { "img".to_owned() } else { name };
        if self.current().foreign && !self.current().integrates {
            let leaves = |(n, _): &Attribute| matches!(n.as_str(), "color" | "face" | "size");
            if among(BREAKOUT, &name) || name == "font" && attributes.iter().any(leaves) {
                while self.current().foreign && !self.current().integrates {
                    self.pop();
                }
            } else {
                self.open_foreign(&name, attributes, self_closing);
                return None;
            }
        } else if self.current().integrates && (name == "svg" || name == "math") {
            self.open_foreign(&name, attributes, self_closing);
            return None;
        }
        if self.stack.len() >= MAX_DEPTH && !among(VOID, &name) && !among(RAW, &name) {
            self.beyond += 1;
            self.dark |= !attributes.is_empty() || hides(&name);
            return None;
        }
        self.foster = false;
        self.start(&name, attributes, self_closing);
        self.foster = false;
        self.frames &= !among(
            "table hr li dd dt pre listing button textarea select iframe applet marquee object br img embed keygen wbr \
             input area body xmp",
            &name,
        );
        if !self.current().is(&name) {
            return None;
        }
        Some(match &*name {
            "title" | "textarea" => State::RcData,
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => State::RawText,
            "script" => State::ScriptData,
            "plaintext" => State::PlainText,
            _ => return None,
        })
    }

    fn open_foreign(&mut self, name: &str, attributes: Vec<Attribute>, self_closing: bool) {
        if self.stack.len() >= MAX_DEPTH {
            self.beyond += usize::from(!self_closing);
            self.dark |= !self_closing;
            return;
        }
        let element = Element { name: name.into(), attributes: attributes.into(), foreign: true };
        let node = self.tree.add(Content::Element(element));
        let (parent, before) = self.place();
        self.tree.insert(node, parent, before);
        if !self_closing {
            let mode = self.current().mode;
            self.push(node, mode);
        }
    }

    fn merge(&mut self, node: u32, more: Vec<Attribute>) {
        if let Content::Element(element) = &mut self.tree.edit(node).content {
            let mut all = element.attributes.to_vec();
            for attribute in more {
                if !all.iter().any(|(name, _)| *name == attribute.0) {
                    all.push(attribute);
                }
            }
            element.attributes = all.into();
        }
    }

    fn start(&mut self, name: &str, attributes: Vec<Attribute>, self_closing: bool) {
        match name {
            "html" => return self.merge(HTML, attributes),
            "head" if self.in_head() => return self.merge(HEAD, attributes),
            "head" => return,
            "noscript" if self.in_head() => return,
            "body" => {
                if self.in_head() {
                    self.leave_head();
                }
                return self.merge(BODY, attributes);
            }
            "frameset" if self.frames => self.tree.dark_from = 0,
            _ => {}
        }
        if self.in_head() && !among(IN_HEAD, name) {
            self.leave_head();
        }
        if self.table_start(name, &attributes) {
            return;
        }
        let mode = self.current().mode;
        if among(IN_HEAD, name) {
            self.foster = false;
            self.insert(name, attributes, if name == "template" { Mode::Body } else { mode });
            if name == "template" {
                self.formatting.push(None);
            } else if among(VOID, name) {
                self.pop();
            }
            return;
        }
        if among(BLOCK, name) || matches!(name, "plaintext" | "xmp" | "hr" | "form" | "li" | "dd" | "dt") || heading(name) {
            match name {
                "form" if self.form != NONE => return,
                "li" => self.close_item("li"),
                "dd" | "dt" => self.close_item("dd dt"),
                _ => {}
            }
            self.close_paragraph();
            if heading(name) && heading(&self.current().name) && !self.current().foreign {
                self.pop();
            }
            if name == "xmp" {
                self.reconstruct();
            }
            self.insert(name, attributes, mode);
            match name {
                "hr" => self.pop(),
                "form" => self.form = self.current().node,
                _ => {}
            }
            return;
        }
        match name {
            "frameset" | "frame" => return,
            _ if among(OF_TABLE, name) && !self.in_template() => return,
            "button" if self.in_scope("button", "") => {
                self.imply("");
                self.pop_until("button");
            }
            "a" => {
                let since = self.formatting.iter().rposition(Option::is_none).map_or(0, |i| i + 1);
                if let Some(open) = self.formatting[since..].iter().rev().flatten().find(|o| o.is("a")).cloned() {
                    self.adopt("a");
                    self.formatting.retain(|o| o.as_ref().is_none_or(|o| o.node != open.node));
                    if let Some(at) = self.stack.iter().rposition(|o| o.node == open.node) {
                        self.stack.remove(at);
                    }
                }
            }
            "nobr" => {
                self.reconstruct();
                if self.in_scope("nobr", "") {
                    self.adopt("nobr");
                }
            }
            "table" => {
                if self.tree.quirks == Quirks::No {
                    self.close_paragraph();
                }
                return self.insert(name, attributes, Mode::Table);
            }
            "select" if self.in_scope("select", "") && self.stack.iter().any(|o| o.is("select")) => {
                return self.pop_until("select");
            }
            "option" | "optgroup" if self.current().is("option") => self.pop(),
            "rb" | "rtc" | "rp" | "rt" if self.in_scope("ruby", "") => {
                self.imply(if matches!(name, "rp" | "rt") { "rtc" } else { "" });
                return self.insert(name, attributes, mode);
            }
            "svg" | "math" => {
                self.reconstruct();
                return self.open_foreign(name, attributes, self_closing);
            }
            "textarea" | "iframe" | "noembed" => return self.insert(name, attributes, mode),
            _ => {}
        }
        self.reconstruct();
        self.insert(name, attributes, mode);
        if among(VOID, name) {
            self.pop();
        } else if among(FORMATTING, name) {
            self.remember();
        } else if matches!(name, "applet" | "marquee" | "object") {
            self.formatting.push(None);
        }
    }

    fn in_template(&self) -> bool {
        self.stack.iter().rev().find(|o| o.among("template table")).is_some_and(|o| o.is("template"))
    }

    /// What a start tag does by the rules of tables; whether that was all.
    fn table_start(&mut self, name: &str, attributes: &[Attribute]) -> bool {
        loop {
            let mode = self.current().mode;
            let part = among(OF_TABLE, name);
            match mode {
                Mode::Body => return false,
                Mode::Cell | Mode::Caption => {
                    if !part {
                        return false;
                    }
                    self.leave_cell();
                }
                Mode::Columns => {
                    if name == "col" {
                        self.insert(name, attributes.to_vec(), mode);
                        self.pop();
                        return true;
                    }
                    if name == "template" || !self.current().is("colgroup") {
                        return false;
                    }
                    self.pop();
                }
                Mode::Row if matches!(name, "td" | "th") => {
                    self.clear_to("tr template html");
                    self.insert(name, attributes.to_vec(), Mode::Cell);
                    self.formatting.push(None);
                    return true;
                }
                Mode::Row if part => {
                    if !self.in_table_scope("tr") {
                        return true;
                    }
                    self.clear_to("tr template html");
                    self.pop();
                }
                Mode::Rows if name == "tr" => {
                    self.clear_to("tbody tfoot thead template html");
                    self.insert(name, attributes.to_vec(), Mode::Row);
                    return true;
                }
                Mode::Rows if matches!(name, "td" | "th") => {
                    self.clear_to("tbody tfoot thead template html");
                    self.insert("tr", Vec::new(), Mode::Row);
                }
                Mode::Rows if part => {
                    if !self.in_table_scope("tbody tfoot thead") {
                        return true;
                    }
                    self.clear_to("tbody tfoot thead template html");
                    self.pop();
                }
                Mode::Table if part => {
                    self.clear_to("table template html");
                    match name {
                        "caption" => {
                            self.formatting.push(None);
                            self.insert(name, attributes.to_vec(), Mode::Caption);
                            return true;
                        }
                        "colgroup" => {
                            self.insert(name, attributes.to_vec(), Mode::Columns);
                            return true;
                        }
                        "col" => self.insert("colgroup", Vec::new(), Mode::Columns),
                        "td" | "th" | "tr" => self.insert("tbody", Vec::new(), Mode::Rows),
                        _ => {
                            self.insert(name, attributes.to_vec(), Mode::Rows);
                            return true;
                        }
                    }
                }
                Mode::Table | Mode::Rows | Mode::Row => {
                    let hidden = |(n, v): &Attribute| n == "type" && v.eq_ignore_ascii_case("hidden");
                    match name {
                        "table" => {
                            if self.in_table_scope("table") {
                                self.pop_until("table");
                                continue;
                            }
                            return true;
                        }
                        "input" if attributes.iter().any(hidden) => {
                            self.insert(name, attributes.to_vec(), mode);
                            self.pop();
                            return true;
                        }
                        "form" => {
                            if self.form == NONE {
                                self.insert(name, attributes.to_vec(), mode);
                                self.form = self.current().node;
                                self.pop();
                            }
                            return true;
                        }
                        _ => {
                            self.foster = true;
                            return false;
                        }
                    }
                }
            }
        }
    }

    fn clear_to(&mut self, names: &str) {
        while self.stack.len() > 2 && !self.current().among(names) {
            self.pop();
        }
    }

    fn leave_cell(&mut self) {
        self.imply("");
        self.pop_until("td th caption");
        self.forget_to_fence();
    }

    /// Closes the item of a list that a new one ends.
    fn close_item(&mut self, names: &str) {
        for at in (0..self.stack.len()).rev() {
            let open = &self.stack[at];
            if open.among(names) {
                let name = open.name.to_string();
                self.imply(&name);
                return self.pop_until(&name);
            }
            if open.special && !open.among("address div p") {
                return;
            }
        }
    }

    /// An end tag.
    pub fn close(&mut self, name: &str) {
        self.begun = true;
        if self.beyond > 0 {
            self.beyond -= 1;
            self.dark &= self.beyond > 0;
            return;
        }
        if self.current().foreign && !matches!(name, "br" | "p") {
            for at in (1..self.stack.len()).rev() {
                if !self.stack[at].foreign {
                    break;
                }
                if *self.stack[at].name == *name {
                    while self.stack.len() > at {
                        self.pop();
                    }
                    return;
                }
            }
        }
        while self.current().foreign && !self.current().integrates && matches!(name, "br" | "p") {
            self.pop();
        }
        if among(RAW, name) && self.current().is(name) {
            return self.pop();
        }
        if self.in_head() {
            if !matches!(name, "body" | "html" | "br") {
                return;
            }
            self.leave_head();
        }
        if self.table_end(name) {
            return;
        }
        self.foster = !matches!(self.current().mode, Mode::Body | Mode::Cell | Mode::Caption);
        self.end(name);
        self.foster = false;
    }

    fn end(&mut self, name: &str) {
        let mode = self.current().mode;
        match name {
            "body" | "html" | "head" => {}
            "template" => {
                if self.stack.iter().any(|o| o.is("template")) {
                    self.pop_until("template");
                    self.forget_to_fence();
                }
            }
            "br" => {
                self.reconstruct();
                self.insert("br", Vec::new(), mode);
                self.pop();
            }
            "p" => {
                if !self.in_scope("p", "button") {
                    self.insert("p", Vec::new(), mode);
                }
                self.imply("p");
                self.pop_until("p");
            }
            "li" => self.end_block(name, "ol ul"),
            "form" => {
                let form = std::mem::replace(&mut self.form, NONE);
                let at = self.stack.iter().rposition(|o| o.node == form);
                if let Some(at) = at.filter(|_| self.in_scope("form", "")) {
                    self.imply("");
                    if at < self.stack.len() {
                        self.stack.remove(at);
                    }
                }
            }
            "applet" | "marquee" | "object" => {
                if self.in_scope(name, "") {
                    self.end_block(name, "");
                    self.forget_to_fence();
                }
            }
            _ if heading(name) => {
                let all = "h1 h2 h3 h4 h5 h6";
                if self.in_scope(all, "") {
                    self.imply("");
                    self.pop_until(all);
                }
            }
            _ if among(FORMATTING, name) => self.adopt(name),
            "select" => {
                if self.stack.iter().any(|o| o.is(name)) {
                    self.pop_until(name);
                }
            }
            _ if among(BLOCK, name) || matches!(name, "button" | "dd" | "dt") => self.end_block(name, ""),
            _ => self.end_other(name),
        }
    }

    fn end_block(&mut self, name: &str, fences: &str) {
        if self.in_scope(name, fences) {
            self.imply(name);
            self.pop_until(name);
        }
    }

    fn end_other(&mut self, name: &str) {
        for at in (1..self.stack.len()).rev() {
            if self.stack[at].is(name) {
                self.imply(name);
                while self.stack.len() > at.max(1) {
                    self.pop();
                }
                return;
            }
            if self.stack[at].special {
                return;
            }
        }
    }

    /// What an end tag does by the rules of tables; whether that was all.
    fn table_end(&mut self, name: &str) -> bool {
        loop {
            let mode = self.current().mode;
            match (mode, name) {
                (Mode::Body, _) => return false,
                (Mode::Cell, "td" | "th") | (Mode::Caption, "caption") => {
                    if self.in_table_scope(name) {
                        self.imply("");
                        self.pop_until(name);
                        self.forget_to_fence();
                    }
                    return true;
                }
                (Mode::Cell | Mode::Caption, "table" | "tbody" | "tfoot" | "thead" | "tr") => {
                    if !self.in_table_scope(name) {
                        return true;
                    }
                    self.leave_cell();
                }
                (Mode::Cell | Mode::Caption, _) => return among(OF_TABLE, name),
                (Mode::Columns, _) => {
                    if self.current().is("colgroup") {
                        self.pop();
                        if name == "colgroup" {
                            return true;
                        }
                    } else {
                        return false;
                    }
                }
                (_, "table") => {
                    if self.in_table_scope("table") {
                        self.pop_until("table");
                    }
                    return true;
                }
                (Mode::Row, "tr") => {
                    if self.in_table_scope("tr") {
                        self.clear_to("tr template html");
                        self.pop();
                    }
                    return true;
                }
                (Mode::Row, "tbody" | "tfoot" | "thead") => {
                    if !self.in_table_scope(name) {
                        return true;
                    }
                    self.clear_to("tr template html");
                    self.pop();
                }
                (Mode::Rows, "tbody" | "tfoot" | "thead") => {
                    if self.in_table_scope(name) {
                        self.clear_to("tbody tfoot thead template html");
                        self.pop();
                    }
                    return true;
                }
                _ => return among(OF_TABLE, name),
            }
        }
    }

    /// The standard's adoption agency: an end tag of formatting that other elements cross.
    fn adopt(&mut self, name: &str) {
        let listed = |this: &Self, node: u32| this.formatting.iter().rposition(|o| o.as_ref().is_some_and(|o| o.node == node));
        if self.current().is(name) && listed(self, self.current().node).is_none() {
            return self.pop();
        }
        for _ in 0..8 {
            let since = self.formatting.iter().rposition(Option::is_none).map_or(0, |i| i + 1);
            let found = self.formatting[since..].iter().rposition(|o| o.as_ref().is_some_and(|o| o.is(name)));
            let Some(place) = found.map(|i| i + since) else { return self.end_other(name) };
            let Some(formatting) = self.formatting[place].clone() else { return };
            let Some(at) = self.stack.iter().rposition(|o| o.node == formatting.node) else {
                self.formatting.remove(place);
                return;
            };
            if self.stack[at + 1..].iter().any(|o| o.fence) {
                return;
            }
            let Some(block) = (at + 1..self.stack.len()).find(|i| self.stack[*i].special) else {
                while self.stack.len() > at.max(1) {
                    self.pop();
                }
                self.formatting.remove(place);
                return;
            };
            let ancestor = self.stack[at.saturating_sub(1)].node;
            let furthest = self.stack[block].node;
            let mut bookmark = place;
            let (mut last, mut above) = (furthest, block);
            let mut count = 0;
            loop {
                above -= 1;
                if above == at {
                    break;
                }
                count += 1;
                let node = self.stack[above].node;
                let mut entry = listed(self, node);
                if let Some(gone) = entry.filter(|_| count > 3) {
                    self.formatting.remove(gone);
                    bookmark -= usize::from(gone < bookmark);
                    entry = None;
                }
                let Some(entry) = entry else {
                    self.stack.remove(above);
                    continue;
                };
                let Some(copy) = self.copy(node) else { return };
                self.stack[above].node = copy;
                self.formatting[entry] = Some(self.stack[above].clone());
                if last == furthest {
                    bookmark = entry + 1;
                }
                self.tree.insert(last, copy, NONE);
                last = copy;
            }
            let (parent, before) = match self.tree.element(ancestor) {
                Some(e) if among("table tbody tfoot thead tr", &e.name) => {
                    let (stack, foster) = (self.stack.split_off(at), self.foster);
                    self.foster = true;
                    let place = self.place();
                    self.foster = foster;
                    self.stack.extend(stack);
                    place
                }
                _ => (ancestor, NONE),
            };
            self.tree.insert(last, parent, before);
            let Some(copy) = self.copy(formatting.node) else { return };
            while self.tree.node(furthest).first != NONE {
                let child = self.tree.node(furthest).first;
                self.tree.insert(child, copy, NONE);
            }
            self.tree.insert(copy, furthest, NONE);
            let entry = Open { node: copy, ..formatting.clone() };
            if let Some(old) = listed(self, formatting.node) {
                self.formatting.remove(old);
                bookmark -= usize::from(old < bookmark);
            }
            let bookmark = bookmark.min(self.formatting.len());
            self.formatting.insert(bookmark, Some(entry.clone()));
            self.stack.retain(|o| o.node != formatting.node);
            let below = self.stack.iter().rposition(|o| o.node == furthest).map_or(self.stack.len(), |i| i + 1);
            self.stack.insert(below, entry);
        }
    }

    fn copy(&mut self, node: u32) -> Option<u32> {
        if self.copies == 0 {
            self.darken();
            return None;
        }
        self.copies -= 1;
        let element = self.tree.element(node)?.clone();
        Some(self.tree.add(Content::Element(element)))
    }
}

fn element(name: &str, attributes: Vec<Attribute>) -> Content {
    Content::Element(Element { name: name.into(), attributes: attributes.into(), foreign: false })
}

fn heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Whether an element hides what it holds without being told to.
fn hides(name: &str) -> bool {
    among("template canvas audio video select datalist dialog details rp svg math object progress meter", name)
}
