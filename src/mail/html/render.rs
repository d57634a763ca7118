//! Tags and text → lines, as a reader sees them: list items marked, table rows on a line, quotes with `> `.

use super::QUOTE_BEGINS;
use super::style::{Hiding, Look, Sheet};
use super::tokens::{Tag, Token, Tokens};
use crate::mail::clean::{self, Taken};

/// A page as text, and what of it cannot be seen.
#[derive(Debug, Default)]
pub(in crate::mail) struct Page {
    pub text: String,
    pub taken: Taken,
    pub hidden: Vec<(Hiding, String)>,
}

/// The deepest nesting that is followed; what lies deeper counts to the element at this depth.
const MAX_DEPTH: usize = 400;

const CELL: char = '\u{1F}';
const QUOTE_IN: char = '\u{1C}';
const QUOTE_OUT: char = '\u{1D}';

struct Element {
    name: String,
    look: Look,
    /// The next number of an ordered list; 0 for bullets.
    number: Option<u32>,
    preformatted: bool,
    /// Where a row's text begins, and whether a cell was seen in it.
    row: usize,
}

/// Renders a page.
pub(in crate::mail) fn render(html: &str) -> Page {
    let mut renderer = Renderer { sheet: sheet_of(html), ..Renderer::default() };
    for token in Tokens::new(html) {
        match token {
            Token::Text(text) => renderer.text(&text),
            Token::Open(tag) => renderer.open(&tag),
            Token::Close(name) => renderer.close(&name),
            Token::Comment(text) => renderer.comment(text),
            Token::Raw => {}
        }
    }
    renderer.finish()
}

/// The style elements are read first: a rule may stand after what it hides.
fn sheet_of(html: &str) -> Sheet {
    let mut sheet = Sheet::default();
    let mut rest = html;
    while let Some(at) = find_ignoring_case(rest, "<style") {
        let Some(body) = rest[at..].find('>').map(|i| &rest[at + i + 1..]) else { break };
        let end = find_ignoring_case(body, "</style").unwrap_or(body.len());
        sheet.read(&body[..end]);
        rest = &body[end..];
    }
    sheet
}

fn find_ignoring_case(text: &str, ascii: &str) -> Option<usize> {
    let first = ascii.as_bytes().first()?;
    let bytes = text.as_bytes();
    let found = |(at, b): (usize, &u8)| {
        let same = b == first && bytes.get(at..at + ascii.len())?.eq_ignore_ascii_case(ascii.as_bytes());
        same.then_some(at)
    };
    bytes.iter().enumerate().find_map(found)
}

#[derive(Default)]
struct Renderer {
    out: String,
    taken: Taken,
    hidden: Vec<(Hiding, String)>,
    sheet: Sheet,
    stack: Vec<Element>,
    /// Elements that were opened beyond the depth limit.
    beyond: usize,
}

impl Renderer {
    fn look(&self) -> Look {
        self.stack.last().map(|e| e.look.clone()).unwrap_or_default()
    }

    fn text(&mut self, text: &str) {
        if text.chars().all(char::is_whitespace) && self.out.ends_with(char::is_whitespace) {
            return;
        }
        let (text, taken) = clean::text(text);
        self.taken.invisible += taken.invisible;
        self.taken.tags += taken.tags;
        let text = text.as_str();
        let hiding = match self.stack.last() {
            Some(element) => element.look.hiding(),
            None => None,
        };
        if let Some(why) = hiding {
            self.hide(why, text);
            return;
        }
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

    fn hide(&mut self, why: Hiding, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // Preheaders are padded with invisible characters; those are no text.
        if !text.contains(char::is_alphanumeric) {
            return;
        }
        let room = self.hidden.len() < 100;
        match self.hidden.last_mut() {
            Some((last, all)) if *last == why && all.len() < 2_000 => {
                all.push(' ');
                all.push_str(&text);
            }
            _ if room => self.hidden.push((why, text)),
            _ => {}
        }
    }

    fn comment(&mut self, text: &str) {
        let markup = text.contains("[if") || text.contains("[endif") || text.starts_with(['!', '?']);
        if !markup && text.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count() >= 4 {
            self.hide(Hiding::Comment, text);
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

    fn open(&mut self, tag: &Tag<'_>) {
        let name = &*tag.name;
        match name {
            "br" => return self.out.push('\n'),
            "hr" => return self.line(true),
            "img" | "input" | "meta" | "link" | "base" | "area" | "col" | "wbr" | "source" | "embed" | "param"
            | "track" => {
                return;
            }
            _ => {}
        }
        self.close_implied(name);
        if self.stack.len() >= MAX_DEPTH {
            self.beyond += 1;
            return;
        }
        let class = tag.attribute("class").unwrap_or_default();
        let id = tag.attribute("id");
        let id = id.as_deref();
        let look = self.look_of(tag, &class, id);
        let mut number = None;
        match name {
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "table" | "ul" | "ol" | "dl" | "pre" => self.line(true),
            "div" | "li" | "tr" | "section" | "article" | "header" | "footer" | "dt" | "dd" | "center" | "address"
            | "figure" | "figcaption" | "fieldset" | "form" | "main" | "nav" | "aside" | "caption" => self.line(false),
            "td" | "th" => {
                let row = self.stack.iter().rposition(|e| e.name == "tr");
                if row.is_some_and(|r| self.out.len() > self.stack[r].row) {
                    self.out.push(CELL);
                }
            }
            "blockquote" => {
                self.line(false);
                self.out.push(QUOTE_IN);
                self.line(false);
            }
            _ => {}
        }
        match name {
            "ul" => number = Some(0),
            "ol" => number = Some(tag.attribute("start").and_then(|s| s.parse().ok()).unwrap_or(1)),
            "li" if look.hiding().is_none() => {
                let list = self.stack.iter_mut().rev().find_map(|e| e.number.as_mut());
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
        if is_quote(name, &class, id) && self.out.contains(char::is_alphanumeric) {
            self.line(false);
            self.out.push(QUOTE_BEGINS);
            self.line(false);
        }
        if class.split_ascii_whitespace().any(|c| c == "gmail_signature") {
            self.out.push_str("\n-- \n");
        }
        if tag.self_closing && matches!(name, "svg" | "path" | "o:p" | "use" | "v:shape") {
            return;
        }
        let preformatted = name == "pre" || self.stack.last().is_some_and(|e| e.preformatted);
        let row = self.out.len();
        self.stack.push(Element { name: name.to_owned(), look, number, preformatted, row });
    }

    fn look_of(&self, tag: &Tag<'_>, class: &str, id: Option<&str>) -> Look {
        let mut declarations = self.sheet.declarations(&tag.name, id, class);
        if let Some(style) = tag.attribute("style") {
            declarations.push_str(&style);
        }
        let mut base = self.look();
        if let Some(fill) = tag.attribute("bgcolor") {
            base.fill(&fill.to_ascii_lowercase());
        }
        if tag.attribute("background").is_some() {
            base.fill("url(");
        }
        if let Some(paint) = tag.attribute("color").filter(|_| tag.name == "font") {
            base.paint(&paint.to_ascii_lowercase());
        }
        let mut look = if declarations.is_empty() { base } else { base.with(&declarations) };
        let preheader =
            || tag.attribute("aria-hidden").is_some_and(|v| v == "true") && !self.out.contains(char::is_alphanumeric);
        let hidden =
            matches!(&*tag.name, "template" | "head" | "object" | "audio" | "video" | "select" | "datalist" | "svg")
                || tag.attribute("hidden").is_some()
                || preheader();
        if hidden {
            look.hidden = look.hidden.or(Some(Hiding::NotShown));
        } else if matches!(&*tag.name, "s" | "strike" | "del") {
            look.hidden = look.hidden.or(Some(Hiding::Struck));
        }
        look
    }

    /// What a start tag closes without saying so.
    fn close_implied(&mut self, name: &str) {
        let closes: &[&str] = match name {
            "li" => &["li"],
            "dt" | "dd" => &["dt", "dd"],
            "tr" => &["td", "th", "tr"],
            "td" | "th" => &["td", "th"],
            "tbody" | "tfoot" | "thead" => &["td", "th", "tr", "tbody", "thead"],
            "option" => &["option"],
            "body" => &["head"],
            "p" | "div" | "ul" | "ol" | "table" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" | "blockquote"
            | "dl" | "section" | "hr" => &["p"],
            _ => return,
        };
        // Not past the element that holds them.
        let fence: &[&str] = match name {
            "li" => &["ul", "ol", "table"],
            "dt" | "dd" => &["dl", "table"],
            "tr" | "td" | "th" | "tbody" | "tfoot" | "thead" => &["table"],
            "body" => &[],
            _ => &["td", "th", "table", "blockquote", "div", "li", "button"],
        };
        let floor = self.stack.iter().rposition(|e| fence.contains(&&*e.name)).map_or(0, |i| i + 1);
        if let Some(at) = self.stack[floor..].iter().position(|e| closes.contains(&&*e.name)) {
            while self.stack.len() > floor + at {
                self.pop();
            }
        }
    }

    fn close(&mut self, name: &str) {
        if name == "br" || (name == "p" && !self.stack.iter().any(|e| e.name == "p")) {
            return self.out.push('\n');
        }
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        // A cell or a table is not left by the end tag of something outside of it.
        let fence = !matches!(name, "td" | "th" | "tr" | "table" | "tbody" | "thead" | "tfoot" | "body" | "html");
        let mut found = None;
        for (at, element) in self.stack.iter().enumerate().rev() {
            if element.name == name {
                found = Some(at);
                break;
            }
            if fence && matches!(&*element.name, "td" | "th" | "table") {
                break;
            }
        }
        if let Some(at) = found {
            while self.stack.len() > at {
                self.pop();
            }
        }
    }

    fn pop(&mut self) {
        let Some(element) = self.stack.pop() else { return };
        match &*element.name {
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "table" | "ul" | "ol" | "pre" | "dl" => self.line(true),
            "div" | "li" | "section" | "article" | "header" | "footer" | "dt" | "dd" | "center" => self.line(false),
            "tr" => {
                self.row(element.row);
                self.line(false);
            }
            "blockquote" => {
                self.line(false);
                self.out.push(QUOTE_OUT);
                self.line(false);
            }
            _ => {}
        }
    }

    /// A row of short cells becomes one line: `name: value`, or `a | b | c`.
    fn row(&mut self, from: usize) {
        let Some(text) = self.out.get(from..).filter(|t| t.contains(CELL)) else { return };
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

    fn finish(mut self) -> Page {
        while !self.stack.is_empty() {
            self.pop();
        }
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
        Page { text, hidden: self.hidden, taken: self.taken }
    }
}

/// Whether mailers mark quoted or forwarded mail like this.
fn is_quote(tag: &str, class: &str, id: Option<&str>) -> bool {
    const CLASSES: [&str; 8] = [
        "gmail_quote",
        "gmail_quote_container",
        "yahoo_quoted",
        "moz-cite-prefix",
        "moz-forward-container",
        "protonmail_quote",
        "zmail_extra",
        "OutlookMessageHeader",
    ];
    tag != "blockquote" && class.split_ascii_whitespace().any(|c| CLASSES.contains(&c))
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
            assert_eq!(render(html).text, text, "{html}");
        }
    }

    #[test]
    fn hidden_text_is_left_out_and_named() {
        for html in [
            "a<div style=\"display:none\">SECRET plan</div>b",
            "<style>.pre{display:none}</style>a<div class=pre>SECRET plan</div>b",
            "a<p style='color:#ffffff;font-size:1px'>SECRET plan<p>b",
            "<body bgcolor=black>a<font color='#000'>SECRET plan</font>b",
            "a<span hidden>SECRET plan</span>b",
            "a<template>SECRET plan</template>b",
            "a<!-- SECRET plan of the cat -->b",
            "<span aria-hidden=true>SECRET plan</span>ab",
            "a<div style='position:absolute;left:-9999px'><b>SECRET</b> plan</div>b",
            "a<s>SECRET plan</s>b",
        ] {
            let page = render(html);
            assert_eq!(page.text.replace(['\n', ' '], ""), "ab", "{html}");
            assert!(page.hidden[0].1.contains("SECRET plan"), "{html}: {:?}", page.hidden);
        }
    }

    #[test]
    fn unclosed_and_crossed_tags_hide_nothing_else() {
        assert_eq!(render("<p style='display:none'>x<p>a").text, "a");
        assert_eq!(render("<div style='display:none'>x</div>a</span></td>b").text, "ab");
        assert_eq!(render("<b><span style='display:none'>x</b>a").text, "a");
    }

    #[test]
    fn deep_nesting_is_survived() {
        let deep = format!("{}a{}b", "<div>".repeat(100_000), "</div>".repeat(100_000));
        assert_eq!(render(&deep).text.replace('\n', ""), "ab");
        let quotes = format!("{}a", "<blockquote>".repeat(10_000));
        assert!(render(&quotes).text.ends_with('a'));
    }
}
