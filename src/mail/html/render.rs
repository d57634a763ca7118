//! A page's elements and text → lines, as a reader sees them: list items marked, table rows on a line, quotes with `> `.
//!
//! It never shows what the style hides.

use super::QUOTE_BEGINS;
use super::sheet::{self, StyleSheet};
use super::style::{Cover, Hiding, Style, Styled};
use super::tokens;
use super::tree::{Builder, Content, Element, HTML, NONE, Tree, among};
use crate::mail::clean;
use std::rc::Rc;

/// What shows nothing, and holds no text of the page.
const SILENT: &str = "meta link base area wbr source embed param track style script title";
/// What stands apart from what is around it.
const PARAGRAPHS: &str = "hr p h1 h2 h3 h4 h5 h6 table ul ol dl pre";
/// What stands on lines of its own.
const LINES: &str = "div li tr section article header footer dt dd center address figure figcaption fieldset form main nav \
    aside caption details summary dialog xmp legend";

const CELL: char = '\u{1F}';
const QUOTE_IN: char = '\u{1C}';
const QUOTE_OUT: char = '\u{1D}';

struct Opened {
    name: Rc<str>,
    look: Styled,
    /// The next number of an ordered list; 0 for bullets.
    number: Option<u32>,
    preformatted: bool,
    /// Where its text begins, and how far down its box does.
    start: usize,
    top: f32,
    /// Where the cells of a row begin, but for the first.
    cells: Vec<usize>,
}

/// What can be seen of a page, as text.
pub(in crate::mail) fn render(html: &str) -> String {
    let mut builder = Builder::new(html.len());
    tokens::parse(html, &mut builder);
    let tree = builder.finish();
    let sheet: StyleSheet = sheet::of(&tree);
    let style = Style::new(&tree, &sheet, html.len());
    let mut renderer = Renderer {
        window: style.window(),
        style,
        out: String::new(),
        stack: Vec::new(),
        spoken: false,
        rows: Vec::new(),
        lists: Vec::new(),
    };
    renderer.page(&tree);
    renderer.finish()
}

struct Renderer<'a> {
    style: Style<'a>,
    window: Styled,
    out: String,
    stack: Vec<Opened>,
    /// Whether a word was shown.
    spoken: bool,
    /// The rows and lists that are open, by their places in the stack.
    rows: Vec<usize>,
    lists: Vec<usize>,
}

impl Renderer<'_> {
    fn page(&mut self, tree: &Tree) {
        let mut at = HTML;
        loop {
            let node = tree.node(at);
            match &node.content {
                Content::Text(text) if at < tree.dark_from => self.text(text),
                Content::Text(_) | Content::Comment => {}
                Content::Element(element) => {
                    if self.enter(at, element) {
                        if node.first != NONE {
                            at = node.first;
                            continue;
                        }
                        self.pop();
                    }
                }
            }
            while tree.node(at).next == NONE {
                at = tree.node(at).parent;
                if at == NONE {
                    return;
                }
                self.pop();
            }
            at = tree.node(at).next;
        }
    }

    fn look(&self) -> &Styled {
        self.stack.last().map_or(&self.window, |e| &e.look)
    }

    fn text(&mut self, text: &str) {
        if text.chars().all(char::is_whitespace) && self.out.ends_with(char::is_whitespace) {
            return;
        }
        let text = clean::text(text);
        if self.look().hiding().is_some() {
            return;
        }
        let text = &text[..self.look().room(&text)];
        self.spoken |= text.contains(char::is_alphanumeric);
        let preformatted = self.stack.last().is_some_and(|e| e.preformatted);
        for c in text.chars() {
            match c {
                '\n' if preformatted => self.out.push('\n'),
                c if c.is_whitespace() => {
                    if !self.out.ends_with([' ', '\n']) {
                        self.out.push(' ');
                    }
                }
                c => self.out.push(c),
            }
        }
    }

    /// Ends the line where it is not ended yet; `gap` leaves an empty one.
    fn line(&mut self, gap: bool) {
        while self.out.ends_with(' ') {
            self.out.pop();
        }
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        if gap && !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Begins an element; whether what it holds is to be read.
    fn enter(&mut self, at: u32, element: &Element) -> bool {
        let name = &*element.name;
        let parent = self.look().clone();
        if name == "br" {
            self.end_line(true);
            self.out.push('\n');
            return false;
        }
        if among(SILENT, name) {
            return false;
        }
        let class = element.attribute("class").unwrap_or_default();
        let id = element.attribute("id");
        let mut look = self.style.of(at, element, &parent, !self.spoken);
        let preheader =
            element.attribute("aria-hidden").is_some_and(|v| v.eq_ignore_ascii_case("true")) && !self.spoken;
        if preheader {
            look.hidden = look.hidden.or(Some(Hiding::NotShown));
        } else if matches!(name, "s" | "strike" | "del") {
            look.hidden = look.hidden.or(Some(Hiding::Struck));
        }
        self.cover(&look);
        if matches!(name, "col" | "colgroup") && look.hiding() == Some(Hiding::NotShown) {
            // A hidden column hides its cells, whose place in a row is not known here.
            let table = self.stack.iter().rposition(|e| *e.name == *"table").unwrap_or(0);
            for element in &mut self.stack[table..] {
                element.look.hidden = element.look.hidden.or(look.hiding());
            }
        }
        if look.is_block() {
            self.end_line(false);
        }
        let top = look.place.flow.as_ref().map_or(0.0, |f| f.y());
        let start = self.out.len();
        if among(PARAGRAPHS, name) {
            self.line(true);
        } else if among(LINES, name) {
            self.line(false);
        } else if matches!(name, "td" | "th") {
            if let Some(row) = self.rows.last().and_then(|r| self.stack.get_mut(*r))
                && self.out.len() > row.start
            {
                row.cells.push(self.out.len());
                self.out.push(CELL);
            }
        } else if name == "blockquote" {
            self.mark(QUOTE_IN);
        }
        let mut number = None;
        match name {
            "ul" => number = Some(0),
            "ol" => number = Some(element.attribute("start").and_then(|s| s.parse().ok()).unwrap_or(1)),
            "li" if look.hiding().is_none() => {
                let list = self.lists.last().and_then(|l| self.stack.get_mut(*l)).and_then(|e| e.number.as_mut());
                match list {
                    Some(n) if *n > 0 => {
                        self.out.push_str(&format!("{n}. "));
                        *n = n.saturating_add(1);
                    }
                    _ => self.out.push_str("- "),
                }
            }
            _ => {}
        }
        if is_quote(name, class, id) && self.spoken {
            self.mark(QUOTE_BEGINS);
        }
        if class.split_ascii_whitespace().any(|c| c == "gmail_signature") {
            self.out.push_str("\n-- \n");
        }
        let preformatted = matches!(name, "pre" | "xmp" | "plaintext" | "listing")
            || self.stack.last().is_some_and(|e| e.preformatted);
        // A row begins where its text does, any other element before the line that it ends.
        let start = if name == "tr" { self.out.len() } else { start };
        match name {
            "tr" => self.rows.push(self.stack.len()),
            "ul" | "ol" => self.lists.push(self.stack.len()),
            _ => {}
        }
        let name = element.name.clone();
        self.stack.push(Opened { name, look, number, preformatted, start, top, cells: Vec::new() });
        true
    }

    /// Takes back what an element lies upon.
    fn cover(&mut self, look: &Styled) {
        let Some(cover) = look.cover else { return };
        let mut from = self.stack.len().saturating_sub(1);
        if cover == Cover::Box {
            while from > 0 && !self.stack[from].look.place.own.holds {
                from -= 1;
            }
        }
        let Some(start) = self.stack.get(from).map(|e| e.start) else { return };
        self.out.truncate(start);
        if cover != Cover::Before {
            for element in &mut self.stack[from..] {
                element.look.hidden = element.look.hidden.or(Some(Hiding::NoContrast));
            }
        }
    }

    /// Goes on below the line, where there is one or it is `forced`.
    fn end_line(&mut self, forced: bool) {
        let look = self.look();
        if let Some(flow) = &look.place.flow {
            flow.end_line(look.line_height(), forced || flow.is_begun());
        }
    }

    /// Ends the element that was begun last.
    fn pop(&mut self) {
        self.end_line(false);
        let Some(element) = self.stack.pop() else { return };
        if let (Some(flow), true) = (&self.look().place.flow, element.look.is_block() || *element.name == *"img") {
            flow.leave(element.top, &element.look.place.own);
        }
        let name = &*element.name;
        match name {
            "ul" | "ol" => drop(self.lists.pop()),
            "tr" => {
                self.rows.pop();
                self.row(element.start, &element.cells);
            }
            "blockquote" => self.mark(QUOTE_OUT),
            _ => {}
        }
        if among(PARAGRAPHS, name) {
            self.line(true);
        } else if among(LINES, name) {
            self.line(false);
        }
    }

    /// A mark on a line of its own.
    fn mark(&mut self, mark: char) {
        self.line(false);
        self.out.push(mark);
        self.line(false);
    }

    /// A row of short cells becomes one line: `name: value`, or `a | b | c`.
    fn row(&mut self, from: usize, cells: &[usize]) {
        /// A longer row is no line.
        const LONG: usize = 4_000;
        let Some(text) = self.out.get(from..).filter(|_| !cells.is_empty()) else { return };
        if text.len() > LONG {
            for at in cells {
                if self.out[*at..].starts_with(CELL) {
                    self.out.replace_range(at..&(at + CELL.len_utf8()), "\n");
                }
            }
            return;
        }
        let cells: Vec<String> = text
            .split(CELL)
            .map(|c| c.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|c| !c.is_empty())
            .collect();
        let short = text.split(CELL).all(|c| c.trim().lines().filter(|l| !l.trim().is_empty()).count() <= 1);
        let joined = match &cells[..] {
            [name, value] if short && name.chars().count() <= 40 => {
                let name = name.trim_end_matches([':', '：']).trim_end();
                format!("{name}: {value}")
            }
            cells if short && cells.len() <= 12 => cells.join(" | "),
            _ => text.replace(CELL, "\n"),
        };
        self.out.truncate(from);
        self.out.push_str(&joined);
    }

    fn finish(self) -> String {
        let mut text = String::with_capacity(self.out.len());
        let (mut depth, mut gap) = (0usize, false);
        for line in self.out.replace(CELL, " ").lines() {
            for c in line.chars() {
                match c {
                    QUOTE_IN => depth += 1,
                    QUOTE_OUT => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            let marked = line.contains([QUOTE_IN, QUOTE_OUT]);
            let line = line.replace([QUOTE_IN, QUOTE_OUT], "");
            let line = if line == "-- " { "-- " } else { line.trim() };
            if line.is_empty() {
                gap |= !marked;
                continue;
            }
            if !text.is_empty() {
                text.push_str(if gap { "\n\n" } else { "\n" });
            }
            gap = false;
            for _ in 0..depth.min(20) {
                text.push('>');
            }
            if depth > 0 {
                text.push(' ');
            }
            text.push_str(line);
        }
        text
    }
}

/// Whether mailers mark quoted or forwarded mail like this.
fn is_quote(tag: &str, class: &str, id: Option<&str>) -> bool {
    const CLASSES: &str = "gmail_quote gmail_quote_container yahoo_quoted moz-cite-prefix moz-forward-container \
        protonmail_quote zmail_extra OutlookMessageHeader";
    tag != "blockquote" && class.split_ascii_whitespace().any(|c| among(CLASSES, c))
        || id.is_some_and(|i| {
            matches!(i, "divRplyFwdMsg" | "appendonsend" | "replySplit" | "mail-editor-reference-message-container")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_read_as_they_look() {
        for (html, text) in [
            ("<p>a\n b</p><p>c<br>d</p>", "a b\n\nc\nd"),
            ("<div>a</div><div><br></div><div>b</div>", "a\n\nb"),
            ("<ul><li>a<li>b</ul><ol><li>c</li><li>d</li></ol>", "- a\n- b\n\n1. c\n2. d"),
            (
                "<table><tr><td>Expires</td><td>19 June</td></tr><tr><td>a<td>b<td>c</table>",
                "Expires: 19 June\na | b | c",
            ),
            ("<table><tr><td><p>Due:</p></td><td><p>1 May</p></td></tr></table>", "Due: 1 May"),
            ("<table><tr><td><table><tr><td>x</td></tr></table></td></tr></table>y", "x\n\ny"),
            ("a<blockquote>b<blockquote>c</blockquote></blockquote>d", "a\n> b\n>> c\nd"),
            ("<p>a<p>b", "a\n\nb"),
            ("<title>t</title><style>p{}</style>a", "a"),
            ("<pre>a\n  b</pre>", "a\nb"),
            ("a&nbsp;b &amp; c", "a b & c"),
        ] {
            assert_eq!(render(html), text, "{html}");
        }
    }

    #[test]
    fn hidden_text_is_left_out() {
        for html in [
            "a<div style=\"display:none\">SECRET plan</div>b",
            "<style>.pre{display:none}</style>a<div class=pre>SECRET plan</div>b",
            "a<p style='color:#ffffff;font-size:1px'>SECRET plan<p>b",
            "<body bgcolor=black text=white>a<font color='#000'>SECRET plan</font>b",
            "a<span hidden>SECRET plan</span>b",
            "a<template>SECRET plan</template>b",
            "a<!-- SECRET plan of the cat -->b",
            "<span aria-hidden=true>SECRET plan</span>ab",
            "a<div style='position:absolute;left:-9999px'><b>SECRET</b> plan</div>b",
            "a<s>SECRET plan</s>b",
        ] {
            assert_eq!(render(html).replace(['\n', ' '], ""), "ab", "{html}");
        }
    }

    #[test]
    fn unclosed_and_crossed_tags_hide_nothing_else() {
        assert_eq!(render("<p style='display:none'>x<p>a"), "a");
        assert_eq!(render("<div style='display:none'>x</div>a</span></td>b"), "ab");
        assert_eq!(render("<b><span style='display:none'>x</b>a"), "a");
    }

    #[test]
    fn deep_nesting_is_survived() {
        let deep = format!("{}a{}b", "<div>".repeat(100_000), "</div>".repeat(100_000));
        assert_eq!(render(&deep).replace('\n', ""), "ab");
        let quotes = format!("{}a", "<blockquote>".repeat(10_000));
        assert!(render(&quotes).ends_with('a'));
    }
}
