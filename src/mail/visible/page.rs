//! A page's tags and text → lines: which elements are open, and what they look like.
//!
//! There is no tree: a stack of open elements, bounded in depth, closes them as browsers mostly do.

use super::lines::Lines;
use super::look::{Look, Styles, among};
use super::sheet::{Element, Level, Sheet};
use super::value::legacy;
use crate::mail::clean;
use html5gum::{HtmlString, StartTag, State, Token, Tokenizer};
use std::collections::HashMap;
use std::rc::Rc;

/// Deeper elements take the place of the last one.
const MAX_DEPTH: usize = 256;
const VOID: &str = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr";
const FORMATTING: &str = "a b big code em font i nobr s small strike strong tt u";
/// Elements that a crossing end tag of a formatting element does not close, and that close a paragraph.
const BLOCKS: &str = "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer \
    form h1 h2 h3 h4 h5 h6 header hr li main menu nav ol p pre section summary table ul xmp td th tr tbody thead tfoot button";
/// End tags do not reach out of these.
const FENCES: &str = "td th caption table object marquee html template";
/// What shows no text and holds no elements.
const SILENT: &str = "script style title head meta link base";

struct Open {
    element: Rc<Element>,
    look: Look,
    children: Vec<Rc<Element>>,
}

impl Level for Open {
    fn element(&self) -> &Rc<Element> {
        &self.element
    }

    fn children(&self) -> &[Rc<Element>] {
        &self.children
    }
}

fn text_of(bytes: &HtmlString) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn element_of(tag: &StartTag<()>) -> Element {
    let attributes = tag.attributes.iter().map(|(name, value)| (text_of(name), text_of(&value.value))).collect();
    Element { name: text_of(&tag.name), attributes }
}

/// The tokens of a page; what is inside of scripts, style sheets and the like is text.
fn tokens(html: &str) -> Vec<Token> {
    let mut tokenizer = Tokenizer::new(html);
    let mut out = Vec::new();
    while let Some(Ok(token)) = tokenizer.next() {
        if let Token::StartTag(tag) = &token {
            match &tag.name[..] {
                b"textarea" | b"title" => tokenizer.set_state(State::RcData),
                b"plaintext" => tokenizer.set_state(State::PlainText),
                b"script" => tokenizer.set_state(State::ScriptData),
                b"style" | b"iframe" | b"xmp" | b"noembed" | b"noframes" => tokenizer.set_state(State::RawText),
                _ => {}
            }
        }
        if !matches!(token, Token::Error(_) | Token::Comment(_)) {
            out.push(token);
        }
    }
    out
}

pub(super) struct Page {
    styles: Styles,
    stack: Vec<Open>,
    /// Formatting elements that were closed by others and go on in the next text.
    pending: Vec<Rc<Element>>,
    lines: Lines,
    /// The `details` of one name, of which the first is open.
    opened: Vec<String>,
}

/// What can be seen of a page, as text.
pub(in crate::mail) fn render(html: &str) -> String {
    let tokens = tokens(html);
    let mut sheet = Sheet::default();
    sheet.quirks = true;
    let mut roots: HashMap<&'static str, Element> = HashMap::new();
    let (mut style, mut templates) = (None, 0usize);
    for token in &tokens {
        match token {
            Token::Doctype(doctype) => sheet.quirks = doctype.force_quirks || doctype.public_identifier.is_some(),
            Token::StartTag(tag) => match &tag.name[..] {
                b"style" => style = Some(element_of(tag)).filter(|_| templates == 0),
                b"template" => templates += 1,
                b"html" | b"body" => {
                    let name = if tag.name[..] == *b"html" { "html" } else { "body" };
                    roots.entry(name).or_default().attributes.extend(element_of(tag).attributes);
                }
                _ => {}
            },
            Token::EndTag(tag) if tag.name[..] == *b"template" => templates = templates.saturating_sub(1),
            Token::String(text) => {
                let css = style.take().filter(|e| e.attribute("type").is_none_or(|t| t.is_empty() || t == "text/css"));
                if let Some(element) = css {
                    sheet.read(&text_of(&text.value), element.attribute("media").unwrap_or_default());
                }
            }
            _ => style = None,
        }
    }
    let link = roots.get("body").and_then(|b| b.attribute("link")).and_then(legacy);
    let styles = Styles::new(sheet, html.len(), link);
    let mut page = Page { styles, stack: Vec::new(), pending: Vec::new(), lines: Lines::default(), opened: Vec::new() };
    for name in ["html", "body"] {
        let mut element = roots.remove(name).unwrap_or_default();
        element.name = name.to_owned();
        page.open(Rc::new(element));
    }
    for token in &tokens {
        match token {
            Token::StartTag(tag) => page.start(element_of(tag), tag.self_closing),
            Token::EndTag(tag) => page.end(&text_of(&tag.name)),
            Token::String(text) => page.text(&text_of(&text.value)),
            _ => {}
        }
    }
    while !page.stack.is_empty() {
        page.pop();
    }
    page.lines.finish()
}

impl Page {
    fn look(&self) -> Look {
        self.stack.last().map_or_else(Look::window, |o| o.look.clone())
    }

    fn top(&self) -> &str {
        self.stack.last().map_or("", |o| &o.element.name)
    }

    fn is_foreign(&self) -> bool {
        self.stack.iter().rev().take(8).any(|o| matches!(&*o.element.name, "svg" | "math"))
    }

    fn text(&mut self, text: &str) {
        if among(SILENT, self.top()) {
            return;
        }
        let blank = text.chars().all(char::is_whitespace);
        if !blank {
            self.resume();
        }
        let text = clean::text(text);
        let inside = |o: &&Open| among("table tbody thead tfoot tr", &o.element.name);
        // Text of a table that is in no cell stands before the table.
        let outside = self.stack.iter().rev().find(|o| !inside(o)).filter(|_| !blank);
        let hides = outside.or(self.stack.last()).is_none_or(|o| o.look.hides());
        if !hides
            && !(among("details", self.top())
                && self.stack.last().is_some_and(|o| o.element.attribute("open").is_none()))
        {
            self.lines.text(&text);
        }
    }

    /// Opens again the formatting elements that go on.
    fn resume(&mut self) {
        for element in std::mem::take(&mut self.pending) {
            self.open(element);
        }
    }

    fn start(&mut self, element: Element, self_closing: bool) {
        let name = &*element.name;
        if matches!(name, "html" | "body" | "head") || among(SILENT, self.top()) {
            return;
        }
        let foreign = self.is_foreign();
        if foreign && among(BLOCKS, name) && name != "a" {
            while self.is_foreign() {
                self.pop();
            }
        } else if foreign && self_closing {
            return;
        }
        let block = among(BLOCKS, name);
        if block
            && !(name == "table" && self.styles.sheet.quirks)
            && !matches!(name, "td" | "th" | "tr" | "tbody" | "button")
        {
            self.close("p", "button");
        }
        match name {
            "li" => self.close("li", "ul ol"),
            "dt" | "dd" => {
                self.close("dt", "dl");
                self.close("dd", "dl");
            }
            "td" | "th" => {
                self.close("td", "tr table");
                self.close("th", "tr table");
                if matches!(self.top(), "table" | "tbody") {
                    self.open(Rc::new(Element { name: "tr".to_owned(), ..Element::default() }));
                }
            }
            "tr" | "tbody" | "thead" | "tfoot" => {
                self.close("tr", "table");
                if name != "tr" {
                    ["tbody", "thead", "tfoot"].iter().for_each(|n| self.close(n, "table"));
                } else if self.top() == "table" {
                    self.open(Rc::new(Element { name: "tbody".to_owned(), ..Element::default() }));
                }
            }
            "option" => self.close("option", "select"),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
                if matches!(self.top(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6") =>
            {
                self.pop();
            }
            "form" if self.stack.iter().any(|o| o.element.name == "form") => return,
            "a" | "nobr" => self.end(name),
            _ => {}
        }
        if !block {
            self.resume();
        }
        if name == "br" {
            self.look().advance(None);
            return self.lines.newline();
        }
        let void = among(VOID, name) || foreign && self_closing;
        if name == "template" && element.attribute("shadowrootmode").is_some() {
            // What is in it stands in its parent's place.
            self.stack.iter_mut().next_back().into_iter().for_each(|o| o.look.hidden = true);
        }
        self.open(Rc::new(element));
        if void || self.top() == "svg" && self_closing {
            self.pop();
        }
    }

    fn open(&mut self, element: Rc<Element>) {
        let parent = self.look();
        let first = !self.lines.spoken;
        let mut look = self.styles.of(&element, &self.stack, &parent, first);
        if let Some(open) = self.stack.last_mut() {
            let summary = |e: &Rc<Element>| e.name == "summary";
            let shown = summary(&element) && !open.children.iter().any(summary);
            look.hidden |= open.element.name == "details" && open.element.attribute("open").is_none() && !shown;
            open.children.push(element.clone());
        }
        if let (Some(group), "details") = (element.attribute("name"), &*element.name) {
            look.hidden |= self.opened.iter().any(|o| o == group);
            if self.opened.len() < 50 && element.attribute("open").is_some() {
                self.opened.push(group.to_owned());
            }
        }
        let data =
            element.name == "img" && element.attribute("src").is_some_and(|s| s.trim_start().starts_with("data:"));
        let placed = data && element.attribute("style").is_some_and(|s| s.contains("absolute"));
        if look.covers || placed {
            self.lines.cover();
            self.stack.iter_mut().skip(2).next_back().into_iter().for_each(|o| o.look.hidden |= true);
        }
        if !among(SILENT, &element.name) {
            self.lines.open(&element, look.hides());
        }
        if self.stack.len() >= MAX_DEPTH {
            // What goes on inside of the last element takes its look.
            self.lines.close(self.stack.pop().map(|o| o.element.name.clone()).as_deref().unwrap_or_default());
            if let Some(open) = self.stack.last_mut() {
                open.look = parent;
            }
        }
        self.stack.push(Open { element, look, children: Vec::new() });
    }

    fn pop(&mut self) {
        let Some(open) = self.stack.pop() else { return };
        if !among(SILENT, &open.element.name) {
            self.lines.close(&open.element.name);
        }
        if let (Some(parent), true) = (self.stack.last(), open.look.block) {
            parent.look.advance(Some(&open.look));
        }
    }

    /// Closes the nearest element of a name, if none of the fences is nearer.
    fn close(&mut self, name: &str, fences: &str) {
        let nearest = self.stack.iter().rposition(|o| {
            *o.element.name == *name || among(fences, &o.element.name) || among(FENCES, &o.element.name)
        });
        let Some(at) = nearest.filter(|at| *self.stack[*at].element.name == *name && *at > 1) else { return };
        while self.stack.len() > at {
            let inner = self.stack.len() > at + 1;
            if let Some(open) = self.stack.last().filter(|o| inner && among(FORMATTING, &o.element.name)) {
                let element = open.element.clone();
                if self.pending.len() < 16 {
                    self.pending.insert(0, element);
                }
            }
            self.pop();
        }
    }

    fn end(&mut self, name: &str) {
        if name == "br" {
            return self.lines.newline();
        }
        if !among(FORMATTING, name) {
            let fences = if among("table td th tr tbody thead tfoot", name) { "table" } else { "" };
            if among("td th tr tbody thead tfoot table", name) {
                let at = self.stack.iter().rposition(|o| o.element.name == *name || o.element.name == "table");
                let found = at.filter(|at| self.stack[*at].element.name == *name);
                if let Some(at) = found {
                    while self.stack.len() > at {
                        self.pop();
                    }
                    self.pending.clear();
                }
                return;
            }
            self.close(name, fences);
            return;
        }
        if let Some(at) = self.pending.iter().rposition(|e| e.name == name) {
            self.pending.remove(at);
            return;
        }
        let Some(at) = self.stack.iter().rposition(|o| *o.element.name == *name || among(FENCES, &o.element.name))
        else {
            return;
        };
        if self.stack[at].element.name != *name {
            return;
        }
        let above: Vec<Rc<Element>> = self.stack[at + 1..].iter().map(|o| o.element.clone()).collect();
        if above.len() > 8 {
            // Too much to be opened again: the element goes on.
            return;
        }
        let crosses = above.iter().any(|e| among(BLOCKS, &e.name));
        self.close(name, "");
        if crosses {
            self.pending.clear();
            above.into_iter().for_each(|e| self.open(e));
        }
    }
}
