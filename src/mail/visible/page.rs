//! Turns a page's tags and text into lines. Tracks open elements and their styles on a stack of limited depth, closing
//! them mostly as browsers do.

use super::lines::Lines;
use super::look::{Styles, VisibleStyle, attribute_colour, is_dark};
use super::sheet::{Element, StyleSheet};
use super::value::among;
use crate::mail::clean;
use html5gum::{HtmlString, StartTag, State, Token, Tokenizer};
use std::rc::Rc;

const VOID: &str = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr";
const FORMATTING: &str = "a b big code em font i nobr s small strike strong tt u";
/// Elements that end a paragraph, and that the end tag of a crossing formatting element does not close.
const BLOCKS: &str = "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer \
    form h1 h2 h3 h4 h5 h6 header hr li main menu nav ol p pre section summary table ul xmp td th tr tbody thead tfoot button";
const HEADINGS: &str = "h1 h2 h3 h4 h5 h6";
const ROWS: &str = "table tbody thead tfoot tr";
/// End tags do not close elements outside of these.
const FENCES: &str = "td th caption table object marquee html template select";
/// Elements without visible text or children.
const SILENT: &str = "script style title head meta link base";

struct OpenElement {
    look: VisibleStyle,
    is_fence: bool,
    has_summary: bool,
}

struct Page {
    styles: Styles,
    /// The open elements; `stack` has their state.
    elements: Vec<Rc<Element>>,
    stack: Vec<OpenElement>,
    /// Formatting elements that were closed by others and reopen before the next text.
    pending: Vec<Rc<Element>>,
    lines: Lines,
    /// Names of `details` groups with an open member.
    groups: Vec<String>,
    /// Numbers of open paragraphs and pictures, to avoid searching the stack.
    paragraphs: usize,
    pictures: usize,
}

fn text_of(bytes: &HtmlString) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn element_of(tag: &StartTag<()>) -> Element {
    let attributes = tag.attributes.iter().map(|(name, value)| (text_of(name), text_of(&value.value))).collect();
    Element { name: text_of(&tag.name), attributes }
}

/// The tokens of a page; the content of scripts, style sheets and the like is text.
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

/// Whether a `link` or `meta` element sets a style sheet or a colour scheme that is not evaluated.
fn sets_style(element: &Element) -> bool {
    let get = |name: &str| element.attribute(name).unwrap_or_default().to_ascii_lowercase();
    get("rel").contains("stylesheet") && get("href").contains("data:")
        || get("name") == "color-scheme" && is_dark(&get("content"))
}

pub fn render(html: &str) -> String {
    let tokens = tokens(html);
    let mut sheet = StyleSheet::default();
    sheet.quirks = true;
    let mut roots = ["html", "body"].map(|name| Element { name: name.to_owned(), attributes: Vec::new() });
    let (mut style, mut templates) = (None, 0usize);
    for token in &tokens {
        match token {
            Token::Doctype(doctype) => sheet.quirks = doctype.force_quirks || doctype.public_identifier.is_some(),
            Token::StartTag(tag) => match &tag.name[..] {
                b"style" => style = Some(element_of(tag)).filter(|_| templates == 0),
                b"template" => templates += 1,
                b"link" | b"meta" => sheet.flooded |= sets_style(&element_of(tag)),
                // Attributes of later tags count too.
                b"html" => roots[0].attributes.extend(element_of(tag).attributes),
                b"body" => roots[1].attributes.extend(element_of(tag).attributes),
                _ => {}
            },
            Token::EndTag(tag) if tag.name[..] == *b"template" => templates = templates.saturating_sub(1),
            Token::String(text) => {
                let css = style.take().filter(|e| matches!(e.attribute("type"), None | Some("" | "text/css")));
                if let Some(element) = css {
                    sheet.read(&text_of(&text.value), element.attribute("media").unwrap_or_default());
                }
            }
            _ => style = None,
        }
    }
    let styles = Styles::new(sheet, html.len(), attribute_colour(&roots[1], "link"));
    let (elements, stack, pending, groups) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut page =
        Page { styles, elements, stack, pending, lines: Lines::default(), groups, paragraphs: 0, pictures: 0 };
    roots.into_iter().for_each(|root| page.open(Rc::new(root)));
    for token in &tokens {
        match token {
            Token::StartTag(tag) => page.start(element_of(tag), tag.self_closing),
            Token::EndTag(tag) => page.end(&text_of(&tag.name)),
            Token::String(text) => page.text(&text_of(&text.value)),
            _ => {}
        }
    }
    page.cut(0);
    page.lines.finish()
}

impl Page {
    fn top(&self) -> &str {
        self.elements.last().map_or("", |e| &e.name)
    }

    fn text(&mut self, text: &str) {
        let blank = text.chars().all(char::is_whitespace);
        if among(SILENT, self.top()) {
            return;
        } else if !blank {
            std::mem::take(&mut self.pending).into_iter().for_each(|e| self.open(e));
        }
        // Text in a table but outside of cells is placed before the table.
        let at = self.elements.iter().rposition(|e| blank || !among(ROWS, &e.name)).unwrap_or(0);
        let closed = self.top() == "details" && self.elements[at].attribute("open").is_none();
        if !closed && !self.stack[at].look.hides() {
            self.lines.text(&clean::text(text));
        }
    }

    fn start(&mut self, element: Element, self_closing: bool) {
        let name = &*element.name;
        if matches!(name, "html" | "body" | "head") || among(SILENT, self.top()) {
            return;
        }
        let block = among(BLOCKS, name);
        let is_picture = |e: &Rc<Element>| matches!(&*e.name, "svg" | "math");
        let foreign = if self.pictures > 0 { self.elements.iter().rposition(is_picture) } else { None };
        if let Some(at) = foreign.filter(|_| block) {
            self.cut(at);
        } else if foreign.is_some() && self_closing || name == "form" && self.elements.iter().any(|e| e.name == "form")
        {
            return;
        }
        if block
            && !matches!(name, "td" | "th" | "tr" | "tbody" | "button")
            && !(name == "table" && self.styles.sheet.quirks)
        {
            self.close("p", "button");
        }
        let implied = |name: &str| Rc::new(Element { name: name.to_owned(), attributes: Vec::new() });
        match name {
            "li" => self.close("li", "ul ol"),
            "dt" | "dd" => ["dt", "dd"].iter().for_each(|n| self.close(n, "dl")),
            "td" | "th" => {
                ["td", "th"].iter().for_each(|n| self.close(n, "tr"));
                if matches!(self.top(), "table" | "tbody") {
                    self.open(implied("tr"));
                }
            }
            "tr" => {
                self.close_part("tr");
                if self.top() == "table" {
                    self.open(implied("tbody"));
                }
            }
            "tbody" | "thead" | "tfoot" => ["tbody", "thead", "tfoot"].iter().for_each(|n| self.close_part(n)),
            name if among(HEADINGS, name) && among(HEADINGS, self.top()) => self.cut(self.stack.len() - 1),
            "a" | "nobr" => self.end(name),
            _ => {}
        }
        if !block {
            std::mem::take(&mut self.pending).into_iter().for_each(|e| self.open(e));
        }
        if name == "br" {
            return self.end("br");
        }
        if name == "template"
            && element.attribute("shadowrootmode").is_some()
            && let Some(host) = self.stack.last_mut()
        {
            // The template's content replaces that of its host.
            host.look.hidden = true;
        }
        let void = among(VOID, name) || name == "svg" && self_closing;
        self.open(Rc::new(element));
        if void {
            self.cut(self.stack.len() - 1);
        }
    }

    fn open(&mut self, element: Rc<Element>) {
        /// Deeper elements replace the last one.
        const MAX_DEPTH: usize = 256;
        let parent = self.stack.last().map_or_else(VisibleStyle::window, |o| o.look.clone());
        let mut look = self.styles.of(&element, &self.elements, &parent);
        let is_closed = self.top() == "details" && self.elements.last().is_some_and(|e| e.attribute("open").is_none());
        if let Some(open) = self.stack.last_mut() {
            let is_summary = element.name == "summary";
            look.hidden |= is_closed && (open.has_summary || !is_summary);
            open.has_summary |= is_summary;
        }
        if let (Some(group), "details") = (element.attribute("name"), &*element.name) {
            look.hidden |= self.groups.iter().any(|open| open == group);
            if self.groups.len() < 50 && element.attribute("open").is_some() {
                self.groups.push(group.to_owned());
            }
        }
        self.lines.open(&element, look.hides());
        if self.stack.len() >= MAX_DEPTH {
            self.cut(MAX_DEPTH - 1);
            // Content of the last element keeps its style.
            self.stack.iter_mut().next_back().into_iter().for_each(|o| o.look = parent.clone());
        }
        self.stack.push(OpenElement { look, is_fence: among(FENCES, &element.name), has_summary: false });
        self.paragraphs += usize::from(element.name == "p");
        self.pictures += usize::from(matches!(&*element.name, "svg" | "math"));
        self.elements.push(element);
    }

    fn cut(&mut self, at: usize) {
        while self.stack.len() > at {
            self.stack.pop();
            let Some(element) = self.elements.pop() else { return };
            self.paragraphs -= usize::from(element.name == "p");
            self.pictures -= usize::from(matches!(&*element.name, "svg" | "math"));
            self.lines.close(&element.name);
        }
    }

    /// Closes the nearest element of a name unless a fence comes first; formatting elements in it reopen later.
    fn close(&mut self, name: &str, fences: &str) {
        if name == "p" && self.paragraphs == 0 {
            return;
        }
        for at in (2..self.stack.len()).rev() {
            let element = &self.elements[at];
            if *element.name == *name {
                for n in (at + 1..self.elements.len()).rev() {
                    let inner = &self.elements[n];
                    // At most three of a kind reopen, as in browsers.
                    let same = self.pending.iter().filter(|e| e.name == inner.name).count();
                    if among(FORMATTING, &inner.name) && same < 3 && self.pending.len() < 8 {
                        self.pending.insert(0, inner.clone());
                    }
                }
                return self.cut(at);
            }
            if self.stack[at].is_fence || !fences.is_empty() && among(fences, &element.name) {
                return;
            }
        }
    }

    /// Closes the nearest such part of the innermost table.
    fn close_part(&mut self, name: &str) {
        let at = self.elements.iter().rposition(|e| *e.name == *name || e.name == "table");
        if let Some(at) = at.filter(|at| *self.elements[*at].name == *name) {
            self.cut(at);
            self.pending.clear();
        }
    }

    fn end(&mut self, name: &str) {
        if name == "br" {
            return self.lines.newline();
        } else if among("table td th tr tbody thead tfoot", name) {
            return self.close_part(name);
        } else if !among(FORMATTING, name) {
            return self.close(name, "");
        } else if let Some(at) = self.pending.iter().rposition(|e| e.name == name) {
            self.pending.remove(at);
            return;
        }
        let Some(at) = self.elements.iter().rposition(|e| *e.name == *name) else { return };
        let inner = self.elements[at + 1..].to_vec();
        let crosses = inner.iter().any(|e| among(BLOCKS, &e.name));
        // With more inner elements, reopening costs too much: the element stays open.
        if inner.len() <= 8 && !self.stack[at..].iter().any(|o| o.is_fence) {
            self.close(name, "");
            if crosses {
                self.pending.clear();
                inner.into_iter().for_each(|e| self.open(e));
            }
        }
    }
}
