//! HTML text → tags, text and comments, by the tokenizer of the WHATWG standard.
//!
//! Written here because html5gum weighs 44 KB gzipped (html5tokenizer as much, html5ever's 134): a test holds these tokens to
//! be html5gum's. It never builds a tree, and never reads a byte twice.

use super::entities::decode;
use super::tree::{Attribute, MAX_ATTRIBUTES};

/// How the text after a start tag is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextState {
    /// Up to the end tag, with references.
    RcData,
    /// Up to the end tag.
    RawText,
    /// Up to the end tag, past what looks like a script in a comment.
    Script,
    /// To the end of the page.
    Plain,
}

/// What tokens are handed to, in order.
pub(super) trait Sink {
    fn text(&mut self, text: &str);
    fn comment(&mut self, text: &str);
    fn doctype(&mut self, public: Option<String>, system: Option<String>);
    /// A start tag, its name in lower case.
    fn open(&mut self, name: String, attributes: Vec<Attribute>, self_closing: bool) -> Option<TextState>;
    /// An end tag, its name in lower case.
    fn close(&mut self, name: &str);
    /// Whether `<![CDATA[` begins text here.
    fn is_foreign(&self) -> bool;
}

/// Reads a page.
pub(super) fn parse(html: &str, sink: &mut dyn Sink) {
    let mut reader = HtmlReader { html, at: 0 };
    while reader.at < html.len() {
        reader.data(sink);
    }
}

struct HtmlReader<'a> {
    html: &'a str,
    at: usize,
}

fn is_space(b: u8) -> bool {
    matches!(b, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

impl<'a> HtmlReader<'a> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.html.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a str {
        &self.html[self.at..]
    }

    /// Everything up to a byte for which `ends` holds.
    fn until(&mut self, ends: impl Fn(u8) -> bool) -> &'a str {
        let from = self.at;
        self.at += self.rest().bytes().position(ends).unwrap_or(self.html.len() - from);
        &self.html[from..self.at]
    }

    fn spaces(&mut self) {
        self.until(|b| !is_space(b));
    }

    fn starts(&self, word: &str) -> bool {
        self.rest().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    }

    /// Text, and the markup that ends it.
    fn data(&mut self, sink: &mut dyn Sink) {
        let from = self.at;
        loop {
            self.until(|b| b == b'<');
            let opens = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphabetic());
            match (self.byte(1), self.byte(2)) {
                (None, _) if self.byte(0).is_none() => break,
                (Some(b'!' | b'?'), _) | (Some(b'/'), Some(_)) => break,
                (first, _) if opens(first) => break,
                _ => self.at += 1,
            }
        }
        if self.at > from {
            sink.text(&decode(&self.html[from..self.at], false));
        }
        match (self.byte(1), self.byte(2)) {
            (None, _) => {}
            (Some(b'/'), Some(b'>')) => self.at += 3,
            (Some(b'/'), Some(b)) if b.is_ascii_alphabetic() => {
                self.at += 2;
                if let Some((name, ..)) = self.tag() {
                    sink.close(&name);
                }
            }
            (Some(b), _) if b.is_ascii_alphabetic() => {
                self.at += 1;
                if let Some((name, attributes, self_closing)) = self.tag()
                    && let Some(state) = sink.open(name.clone(), attributes, self_closing)
                {
                    self.raw(state, &name, sink);
                }
            }
            _ => self.declaration(sink),
        }
    }

    /// `name a=b c>`; `None` where the page ends before it does.
    fn tag(&mut self) -> Option<(String, Vec<Attribute>, bool)> {
        let name = plain(self.until(|b| is_space(b) || matches!(b, b'/' | b'>'))).to_ascii_lowercase();
        let (mut attributes, mut many): (Vec<Attribute>, _) = (Vec::new(), false);
        let self_closing = loop {
            let gap = self.at;
            self.until(|b| !is_space(b) && b != b'/');
            if self.byte(0)? == b'>' {
                break self.html[gap..self.at].ends_with('/');
            }
            let from = self.at;
            // An equals sign that comes first is part of the name.
            self.at += 1;
            while self.byte(0).is_some_and(|b| !is_space(b) && !matches!(b, b'/' | b'>' | b'=')) {
                self.at += 1;
            }
            let name = plain(&self.html[from..self.at]).to_ascii_lowercase();
            self.spaces();
            let mut value = "";
            if self.byte(0) == Some(b'=') {
                self.at += 1;
                self.spaces();
                match self.byte(0)? {
                    b'>' => {}
                    quote @ (b'"' | b'\'') => {
                        self.at += 1;
                        value = self.until(|b| b == quote);
                        self.byte(0)?;
                        self.at += 1;
                    }
                    _ => value = self.until(|b| is_space(b) || b == b'>'),
                }
            }
            // Of two of one name the first counts.
            many |= attributes.len() >= MAX_ATTRIBUTES;
            if !many && !attributes.iter().any(|(known, _)| *known == name) {
                attributes.push((name, plain(&decode(value, true))));
            }
        };
        if many {
            attributes[0] = ("hidden".to_owned(), String::new());
        }
        self.at += 1;
        Some((name, attributes, self_closing))
    }

    /// Comments, document types, and what is neither.
    fn declaration(&mut self, sink: &mut dyn Sink) {
        self.at += 1;
        if self.starts("!--") {
            self.at += 3;
            let body = self.rest();
            // The body may end before it begins, or in `--!>`, wrongly but commonly.
            let (len, past) = if body.starts_with('>') {
                (0, 1)
            } else if body.starts_with("->") {
                (0, 2)
            } else {
                comment_end(body)
            };
            self.at += past;
            return sink.comment(&body[..len]);
        }
        if self.starts("!doctype") {
            self.at += "!doctype".len();
            let head = self.until(|b| b == b'>');
            self.at += 1;
            let (public, system) = identifiers(head);
            return sink.doctype(public, system);
        }
        if self.rest().starts_with("![CDATA[") && sink.is_foreign() {
            self.at += "![CDATA[".len();
            let body = self.rest();
            let len = body.find("]]>").unwrap_or(body.len());
            self.at += len + 3;
            return sink.text(&body[..len]);
        }
        // What stands behind an exclamation mark or a slash is not part of the comment.
        self.at += usize::from(self.byte(0) != Some(b'?'));
        let text = self.until(|b| b == b'>');
        self.at += 1;
        sink.comment(text);
    }

    /// The text of an element that holds no markup, and its end tag.
    fn raw(&mut self, state: TextState, name: &str, sink: &mut dyn Sink) {
        let body = self.rest();
        let len = match state {
            TextState::Plain => body.len(),
            TextState::Script => script_end(body),
            _ => raw_end(body, name),
        };
        self.at += len;
        if len > 0 {
            match state {
                TextState::RcData => sink.text(&decode(&body[..len], false)),
                _ => sink.text(&body[..len]),
            }
        }
        if self.at < self.html.len() {
            self.at += 2;
            if let Some((name, ..)) = self.tag() {
                sink.close(&name);
            }
        }
    }
}

/// Names and values without NUL bytes.
fn plain(text: &str) -> String {
    text.replace('\0', "\u{FFFD}")
}

/// Where a comment's text ends, and what comes after its mark.
fn comment_end(body: &str) -> (usize, usize) {
    let bytes = body.as_bytes();
    let mut at = 0;
    while let Some(dashes) = body[at..].find("--").map(|i| i + at) {
        match (bytes.get(dashes + 2), bytes.get(dashes + 3)) {
            (Some(b'>'), _) => return (dashes, dashes + 3),
            (Some(b'!'), Some(b'>')) => return (dashes, dashes + 4),
            _ => at = dashes + 1,
        }
    }
    (body.len(), body.len())
}

/// Where `</name` stands.
fn raw_end(body: &str, name: &str) -> usize {
    let mut at = 0;
    while let Some(open) = body[at..].find("</").map(|i| i + at) {
        if tag_at(body, open + 2, name) {
            return open;
        }
        at = open + 2;
    }
    body.len()
}

/// Whether a tag's name is this one.
fn tag_at(body: &str, at: usize, name: &str) -> bool {
    let bytes = body.as_bytes();
    let same = bytes.get(at..at + name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()));
    same && bytes.get(at + name.len()).is_some_and(|b| is_space(*b) || matches!(b, b'/' | b'>'))
}

/// Where a script ends: in a comment, scripts may hold scripts.
fn script_end(body: &str) -> usize {
    #[derive(PartialEq)]
    enum In {
        Script,
        Comment,
        Inner,
    }
    let (mut state, mut at) = (In::Script, 0);
    while let Some(next) = body[at..].find(['<', '-']).map(|i| i + at) {
        let rest = &body[next..];
        at = next + 1;
        if state != In::Script && rest.starts_with("-->") {
            state = In::Script;
        } else if state == In::Script && rest.starts_with("<!--") {
            state = In::Comment;
            at = next + 2;
        } else if rest.starts_with("</") && tag_at(body, next + 2, "script") {
            if state != In::Inner {
                return next;
            }
            state = In::Comment;
        } else if state == In::Comment && rest.starts_with('<') && tag_at(body, next + 1, "script") {
            state = In::Inner;
        }
    }
    body.len()
}

/// The public and the system identifier of a document type.
fn identifiers(head: &str) -> (Option<String>, Option<String>) {
    let mut quoted = head.split(['"', '\'']).skip(1).step_by(2).map(str::to_owned);
    match head.to_ascii_lowercase() {
        head if head.contains("public") => (quoted.next(), quoted.next()),
        head if head.contains("system") => (None, quoted.next()),
        _ => (None, None),
    }
}

// Natively: the packages that it is held to are not there on wasm32.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
