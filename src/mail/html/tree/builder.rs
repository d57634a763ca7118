//! Tags and text, as they come → a [`Tree`].
//!
//! It never goes deeper than [`MAX_DEPTH`], and every step is bounded by that.

mod adoption;
mod body;
mod names;
mod tables;

use super::{Attribute, BODY, Content, Element, HEAD, HTML, NONE, Quirks, Tree};
use crate::mail::html::tokens::{Sink, TextState};
pub(in crate::mail::html) use names::MAX_ATTRIBUTES;
use names::*;
use std::rc::Rc;

/// The deepest nesting that is followed, as in Chromium; what lies deeper counts to the element at this depth.
const MAX_DEPTH: usize = 512;

/// Whether a name is among these words.
pub(in crate::mail::html) fn among(words: &str, name: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word == name)
}

/// What the standard calls the insertion mode, as far as tables have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InsertionMode {
    Body,
    Table,
    Rows,
    Row,
    Cell,
    Caption,
    Columns,
}

#[derive(Clone)]
struct OpenElement {
    node: u32,
    name: Rc<str>,
    mode: InsertionMode,
    special: bool,
    /// End tags of most elements do not reach past it.
    fence: bool,
    foreign: bool,
    /// Whether it is part of a formula.
    formula: bool,
    /// A drawing's or a formula's place for HTML.
    integrates: bool,
}

impl OpenElement {
    fn is(&self, name: &str) -> bool {
        !self.foreign && *self.name == *name
    }

    fn among(&self, words: &str) -> bool {
        !self.foreign && among(words, &self.name)
    }
}

pub(in crate::mail::html) struct Builder {
    tree: Tree,
    stack: Vec<OpenElement>,
    /// Formatting that goes on where its element was closed by another's end; `None` is a fence.
    formatting: Vec<Option<OpenElement>>,
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
        let make =
            |name: &str| Content::Element(Element { name: name.into(), attributes: Rc::new([]), foreign: false });
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
        builder.push(html, InsertionMode::Body);
        builder.push(head, InsertionMode::Body);
        builder
    }

    pub fn finish(self) -> Tree {
        self.tree
    }

    fn current(&self) -> &OpenElement {
        // The page itself is never left.
        self.stack.last().unwrap_or_else(|| unreachable!())
    }

    fn in_head(&self) -> bool {
        self.current().node == HEAD
    }

    fn leave_head(&mut self) {
        self.pop();
        self.push(BODY, InsertionMode::Body);
    }

    fn push(&mut self, node: u32, mode: InsertionMode) {
        let Some(Element { name, foreign, attributes }) = self.tree.element(node).cloned() else { return };
        self.paragraphs += usize::from(!foreign && *name == *"p");
        let html = attributes.iter().any(|(n, v)| n == "encoding" && v.to_ascii_lowercase().contains("html"));
        let up = self
            .stack
            .last()
            .filter(|o| o.foreign && !(o.integrates || *o.name == *"annotation-xml" && *name == *"svg"));
        let formula = foreign && up.map_or(*name == *"math", |o| o.formula);
        let integrates = match formula {
            true => among(IN_FORMULA, &name) || *name == *"annotation-xml" && html,
            false => foreign && among(IN_DRAWING, &name),
        };
        let bound = integrates || formula && *name == *"annotation-xml";
        let special = bound || !foreign && among(SPECIAL, &name);
        let fence = bound || !foreign && among(SCOPE, &name);
        self.stack.push(OpenElement { node, name, mode, special, fence, foreign, formula, integrates });
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
        let is_end = |open: &&OpenElement| open.among(names) || open.fence || open.among(more);
        self.stack.iter().rev().find(is_end).is_some_and(|open| open.among(names))
    }

    fn in_table_scope(&self, names: &str) -> bool {
        let is_end = |open: &&OpenElement| open.among(names) || open.among("html table template");
        self.stack.iter().rev().find(is_end).is_some_and(|open| open.among(names))
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

    fn insert(&mut self, name: &str, attributes: Vec<Attribute>, mode: InsertionMode) {
        let node = self.add(element(name, attributes));
        self.push(node, mode);
    }

    /// A new node, where the next one goes.
    fn add(&mut self, content: Content) -> u32 {
        let node = self.tree.add(content);
        let (parent, before) = self.place();
        self.tree.insert(node, parent, before);
        node
    }

    /// Where the formatting since the last fence begins.
    fn since_fence(&self) -> usize {
        self.formatting.iter().rposition(Option::is_none).map_or(0, |i| i + 1)
    }

    /// Opens again the formatting that was not closed by its own end tag.
    fn reconstruct(&mut self) {
        let open = |this: &Self, entry: &Option<OpenElement>| match entry {
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
            let node = self.add(Content::Element(copy));
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
        let same = |o: &OpenElement| match (self.tree.element(o.node), self.tree.element(new.node)) {
            (Some(a), Some(b)) => a.name == b.name && a.attributes == b.attributes,
            _ => false,
        };
        let since = self.since_fence();
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

    fn open_foreign(&mut self, name: &str, attributes: Vec<Attribute>, self_closing: bool) {
        if self.stack.len() >= MAX_DEPTH {
            self.beyond += usize::from(!self_closing);
            self.dark |= !self_closing;
            return;
        }
        let element = Element { name: name.into(), attributes: attributes.into(), foreign: true };
        let node = self.add(Content::Element(element));
        if !self_closing {
            let mode = self.current().mode;
            self.push(node, mode);
        }
    }

    fn merge(&mut self, node: u32, more: Vec<Attribute>) {
        if let Content::Element(element) = &mut self.tree.edit(node).content {
            let mut all = element.attributes.to_vec();
            for attribute in more {
                if all.len() > MAX_ATTRIBUTES {
                    all[0] = ("hidden".to_owned(), String::new());
                } else if !all.iter().any(|(name, _)| *name == attribute.0) {
                    all.push(attribute);
                }
            }
            element.attributes = all.into();
        }
    }
}

impl Sink for Builder {
    fn text(&mut self, text: &str) {
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
            if current.mode == InsertionMode::Columns && current.is("colgroup") && !blank {
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
        let text = text.replace('\0', if among(RAW, &self.current().name) { "\u{FFFD}" } else { "" });
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

    fn comment(&mut self, _: &str) {
        let node = self.tree.add(Content::Comment);
        let parent = self.current().node;
        self.tree.insert(node, parent, NONE);
    }

    fn doctype(&mut self, public: Option<String>, system: Option<String>) {
        if self.begun {
            return;
        }
        self.begun = true;
        let public = public.unwrap_or_default().to_ascii_lowercase();
        let known = public.starts_with("-//w3c//dtd xhtml 1.") || public == "-//w3c//dtd html 4.01//en";
        let loose = public.starts_with("-//w3c//dtd html 4.01 ") && system.is_some();
        self.tree.quirks = if public.is_empty() || known || loose { Quirks::No } else { Quirks::Maybe };
    }

    /// A start tag; the state that the text after it is to be read in.
    fn open(&mut self, name: String, attributes: Vec<Attribute>, self_closing: bool) -> Option<TextState> {
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
            "title" | "textarea" => TextState::RcData,
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => TextState::RawText,
            "script" => TextState::Script,
            "plaintext" => TextState::Plain,
            _ => return None,
        })
    }

    /// An end tag.
    fn close(&mut self, name: &str) {
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
        self.foster =
            !matches!(self.current().mode, InsertionMode::Body | InsertionMode::Cell | InsertionMode::Caption);
        self.end(name);
        self.foster = false;
    }

    /// Whether the current element is part of a drawing or a formula.
    fn is_foreign(&self) -> bool {
        self.current().foreign
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
