//! Writes visible elements and text as lines: list markers, table rows on one line, `> ` before quotes.

use super::QUOTE_BEGINS;
use super::sheet::Element;
use super::value::among;
use crate::language::single_spaced;

/// Elements surrounded by empty lines.
const PARAGRAPHS: &str = "hr p h1 h2 h3 h4 h5 h6 table ul ol dl pre";
/// Elements on their own lines.
const LINES: &str = "div li tr section article header footer dt dd center address figure figcaption fieldset form main nav \
    aside caption details summary dialog xmp legend";
const CELL: char = '\u{1F}';
const QUOTE_IN: char = '\u{1C}';
const QUOTE_OUT: char = '\u{1D}';

#[derive(Default)]
pub(super) struct Lines {
    out: String,
    /// Whether any word was written.
    has_text: bool,
    /// The start of the text of each open row.
    rows: Vec<usize>,
    /// The next number of each open list; 0 for bullets.
    lists: Vec<u32>,
    preformatted: usize,
}

impl Lines {
    pub fn text(&mut self, text: &str) {
        self.has_text |= text.contains(char::is_alphanumeric);
        for c in text.chars() {
            match c {
                '\n' if self.preformatted > 0 => self.out.push('\n'),
                c if !c.is_whitespace() => self.out.push(c),
                _ if !self.out.ends_with([' ', '\n']) => self.out.push(' '),
                _ => {}
            }
        }
    }

    pub fn newline(&mut self) {
        self.out.push('\n');
    }

    /// Ends the current line if needed; `gap` adds an empty line.
    fn line(&mut self, gap: bool) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        if gap && !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn mark(&mut self, mark: char) {
        self.line(false);
        self.out.push(mark);
        self.line(false);
    }

    fn boundary(&mut self, name: &str) {
        if among(PARAGRAPHS, name) {
            self.line(true);
        } else if among(LINES, name) {
            self.line(false);
        }
    }

    pub fn open(&mut self, element: &Element, hidden: bool) {
        let name = &*element.name;
        self.boundary(name);
        match name {
            "td" | "th" if self.rows.last().is_some_and(|start| self.out.len() > *start) => self.out.push(CELL),
            "blockquote" => self.mark(QUOTE_IN),
            "tr" => self.rows.push(self.out.len()),
            "ul" => self.lists.push(0),
            "ol" => self.lists.push(element.attribute("start").and_then(|s| s.parse().ok()).unwrap_or(1)),
            "li" if !hidden => match self.lists.last_mut() {
                Some(n) if *n > 0 => {
                    self.out.push_str(&format!("{n}. "));
                    *n = n.saturating_add(1);
                }
                _ => self.out.push_str("- "),
            },
            "pre" | "xmp" | "plaintext" | "listing" => self.preformatted += 1,
            _ => {}
        }
        if is_quote(element) && self.has_text {
            self.mark(QUOTE_BEGINS);
        }
        if element.classes().any(|c| c == "gmail_signature") {
            self.out.push_str("\n-- \n");
        }
    }

    pub fn close(&mut self, name: &str) {
        match name {
            "ul" | "ol" => drop(self.lists.pop()),
            "tr" => self.row(),
            "blockquote" => self.mark(QUOTE_OUT),
            "pre" | "xmp" | "plaintext" | "listing" => self.preformatted = self.preformatted.saturating_sub(1),
            _ => {}
        }
        self.boundary(name);
    }

    /// Joins a row of short cells into one line: `name: value`, or `a | b | c`.
    fn row(&mut self) {
        /// Longer rows are not joined.
        const LONG: usize = 4_000;
        let Some(from) = self.rows.pop() else { return };
        let Some(text) = self.out.get(from..).filter(|text| text.contains(CELL)) else { return };
        let short = text.len() <= LONG
            && text.split(CELL).all(|c| c.trim().lines().filter(|l| !l.trim().is_empty()).count() <= 1);
        let cells: Vec<String> =
            text.split(CELL).take_while(|_| short).map(single_spaced).filter(|c| !c.is_empty()).collect();
        let joined = match &cells[..] {
            [name, value] if short && name.chars().count() <= 40 => {
                format!("{}: {value}", name.trim_end_matches([':', '：']).trim_end())
            }
            cells if short && cells.len() <= 12 => cells.join(" | "),
            _ => text.replace(CELL, "\n"),
        };
        self.out.truncate(from);
        self.out.push_str(&joined);
    }

    pub fn finish(self) -> String {
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
            text.push_str(&">".repeat(depth.min(20)));
            if depth > 0 {
                text.push(' ');
            }
            text.push_str(line);
        }
        text
    }
}

/// Whether an element marks quoted or forwarded mail in a known mailer.
fn is_quote(element: &Element) -> bool {
    const CLASSES: &str = "gmail_quote gmail_quote_container yahoo_quoted moz-cite-prefix moz-forward-container \
        protonmail_quote zmail_extra OutlookMessageHeader";
    const IDS: &str = "divRplyFwdMsg appendonsend replySplit mail-editor-reference-message-container";
    element.name != "blockquote" && element.classes().any(|c| among(CLASSES, c))
        || element.attribute("id").is_some_and(|id| among(IDS, id))
}
