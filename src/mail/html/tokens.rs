//! HTML bytes → tags and text, by the tokenizer rules of the WHATWG standard that mail can meet.
//!
//! Written here because the well-kept tokenizers do not fit: html5gum costs 53 KB gzipped, astral-tl (8 KB) reads
//! scripts as markup and loses its place at an unclosed `<p>`. It never builds a tree.

use super::entities::decode;
use std::borrow::Cow;

/// A piece of a page.
#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Text with its references decoded.
    Text(Cow<'a, str>),
    /// `<name …>`.
    Open(Tag<'a>),
    /// `</name>`, in lower case.
    Close(Cow<'a, str>),
    /// A comment's text, or a declaration's.
    Comment(&'a str),
    /// The raw text of a script, style or the like; never shown.
    Raw,
}

#[derive(Debug, PartialEq)]
pub(super) struct Tag<'a> {
    /// In lower case.
    pub name: Cow<'a, str>,
    pub self_closing: bool,
    attributes: &'a str,
}

impl<'a> Tag<'a> {
    /// The value of an attribute; empty where it has none.
    pub fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        Attributes(self.attributes).find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| decode(v, true))
    }
}

pub(super) struct Tokens<'a> {
    html: &'a str,
    at: usize,
    /// The element whose raw text comes next.
    raw: Option<&'static str>,
}

const RAW: [&str; 8] = ["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"];

impl<'a> Tokens<'a> {
    pub fn new(html: &'a str) -> Self {
        Self { html, at: 0, raw: None }
    }

    /// Everything up to `end`, and on past `skip` more bytes.
    fn until(&mut self, end: usize, skip: usize) -> &'a str {
        let text = &self.html[self.at..end];
        self.at = (end + skip).min(self.html.len());
        text
    }

    fn raw_text(&mut self, name: &str) -> Token<'a> {
        let bytes = self.html.as_bytes();
        let mut from = self.at;
        let end = loop {
            let Some(found) = self.html[from..].find("</") else { break bytes.len() };
            let open = from + found;
            let after = open + 2 + name.len();
            let same = bytes.get(open + 2..after).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()));
            let ends = bytes.get(after).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'));
            if same && ends {
                break open;
            }
            from = open + 2;
        };
        let text = self.until(end, 0);
        // Only text areas show what they hold; a mail's title is not part of its text.
        if name == "textarea" { Token::Text(decode(text, false)) } else { Token::Raw }
    }

    fn comment(&mut self) -> Token<'a> {
        let rest = &self.html[self.at..];
        if let Some(body) = rest.strip_prefix("<!--") {
            if body.starts_with('>') || body.starts_with("->") {
                self.at += if body.starts_with('>') { 5 } else { 6 };
                return Token::Comment("");
            }
            // The body may end in `-->` or, wrongly but commonly, in `--!>`.
            let usual = body.find("-->");
            let (end, skip) = match (usual, body[..usual.unwrap_or(body.len())].find("--!>")) {
                (_, Some(end)) => (end, 4),
                (Some(end), None) => (end, 3),
                (None, None) => (body.len(), 0),
            };
            self.at += 4;
            return Token::Comment(self.until(self.at + end, skip));
        }
        let end = rest.find('>').unwrap_or(rest.len());
        let text = self.until(self.at + end, 1);
        Token::Comment(text)
    }

    /// `<name …>` or `</name …>`, whose name begins at `name_at`; `None` where the input ends inside of it.
    fn tag(&mut self, name_at: usize) -> Option<(Cow<'a, str>, &'a str, bool)> {
        let bytes = self.html.as_bytes();
        let mut at = name_at;
        while bytes.get(at).is_some_and(|b| !b.is_ascii_whitespace() && !matches!(b, b'/' | b'>')) {
            at += 1;
        }
        let name = lower(&self.html[name_at..at]);
        let from = at;
        // Quotes only count in front of a value; elsewhere they are part of a name.
        let mut before_value = false;
        loop {
            match *bytes.get(at)? {
                b'>' => break,
                quote @ (b'"' | b'\'') if before_value => {
                    at += 1 + bytes[at + 1..].iter().position(|b| *b == quote)?;
                    before_value = false;
                }
                b'=' => before_value = true,
                b if b.is_ascii_whitespace() => {}
                _ => before_value = false,
            }
            at += 1;
        }
        let attributes = &self.html[from..at];
        self.at = at + 1;
        Some((name, attributes, attributes.ends_with('/')))
    }
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) { name.to_ascii_lowercase().into() } else { name.into() }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(name) = self.raw.take() {
            let token = self.raw_text(name);
            match token {
                Token::Text(t) if t.is_empty() => {}
                token => return Some(token),
            }
        }
        let rest = self.html.get(self.at..).filter(|r| !r.is_empty())?;
        let mut second = rest.bytes().skip(1);
        let (next, after) = (second.next(), second.next());
        if rest.starts_with('<') {
            match (next, after) {
                (Some(b'!' | b'?'), _) => return Some(self.comment()),
                (Some(b'/'), Some(b)) if b.is_ascii_alphabetic() => {
                    let Some((name, _, _)) = self.tag(self.at + 2) else {
                        self.at = self.html.len();
                        return None;
                    };
                    return Some(Token::Close(name));
                }
                (Some(b'/'), Some(_)) => return Some(self.comment()),
                (Some(b), _) if b.is_ascii_alphabetic() => {
                    let Some((name, attributes, self_closing)) = self.tag(self.at + 1) else {
                        self.at = self.html.len();
                        return None;
                    };
                    self.raw = RAW.into_iter().find(|r| *r == name);
                    return Some(Token::Open(Tag { name, self_closing, attributes }));
                }
                _ => {}
            }
        }
        // Text up to the next `<` that opens something.
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(i, c)| {
                let opens = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'!' | b'?' | b'/');
                *c == '<' && rest.as_bytes().get(i + 1).is_some_and(opens)
            })
            .map_or(rest.len(), |(i, _)| i);
        let text = self.until(self.at + end, 0);
        Some(Token::Text(decode(text, false)))
    }
}

/// Names and raw values of a tag's attributes.
struct Attributes<'a>(&'a str);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let skip = |c: char| c.is_ascii_whitespace() || c == '/';
        let rest = self.0.trim_start_matches(skip);
        let first = rest.chars().next()?;
        // A name may begin with `=`; it ends at white space, `/` or `=`.
        let len =
            rest[first.len_utf8()..].find(|c: char| skip(c) || c == '=').map_or(rest.len(), |i| i + first.len_utf8());
        let (name, rest) = rest.split_at(len);
        let value_at = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
        let Some(value) = value_at.strip_prefix('=') else {
            self.0 = rest;
            return Some((name, ""));
        };
        let value = value.trim_start_matches(|c: char| c.is_ascii_whitespace());
        let (value, rest) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            _ => value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len())),
        };
        self.0 = rest;
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(html: &str) -> String {
        Tokens::new(html)
            .map(|t| match t {
                Token::Text(t) => t.into_owned(),
                Token::Open(t) => format!("<{}>", t.name),
                Token::Close(n) => format!("</{n}>"),
                Token::Comment(_) => "<!>".into(),
                Token::Raw => "<raw>".into(),
            })
            .collect()
    }

    #[test]
    fn markup_and_text_are_told_apart() {
        for (html, tokens) in [
            ("a <b>c</B> d", "a <b>c</b> d"),
            ("1 < 2 & 3 &lt; 4 <5 > 6", "1 < 2 & 3 < 4 <5 > 6"),
            ("<a href='x>y' title=\"<b>\">t</a>", "<a>t</a>"),
            ("<p title=a'b>t", "<p>t"),
            ("<!-- <b>x</b> -->t<!DOCTYPE html><?xml x?>u", "<!>t<!><!>u"),
            ("<!-->t<!--->u<!--x--!>v", "<!>t<!>u<!>v"),
            ("<style>p<b>{}</style>t<script>if(a</b>)</script >u", "<style><raw></style>t<script><raw></script>u"),
            ("<textarea>&lt;b></textarea>", "<textarea><b></textarea>"),
            ("t<script>never closed", "t<script><raw>"),
            ("t<b never closed", "t"),
            ("<br/>t</br x='>'>u", "<br>t</br>u"),
            ("<", "<"),
            ("</", "</"),
            ("", ""),
        ] {
            assert_eq!(seen(html), tokens, "{html}");
        }
    }

    #[test]
    fn attributes_are_found() {
        let tag = |html| match Tokens::new(html).next() {
            Some(Token::Open(tag)) => tag,
            other => panic!("{other:?}"),
        };
        let p = tag("<p a=1 STYLE = 'color: red' hidden b=\"x&amp;y\" c=d/e f>");
        assert_eq!(p.attribute("style").as_deref(), Some("color: red"));
        assert_eq!(p.attribute("hidden").as_deref(), Some(""));
        assert_eq!(p.attribute("b").as_deref(), Some("x&y"));
        assert_eq!(p.attribute("c").as_deref(), Some("d/e"));
        assert_eq!(p.attribute("f").as_deref(), Some(""));
        assert_eq!(p.attribute("g"), None);
        assert_eq!(tag("<p a='x'b='y'>").attribute("b").as_deref(), Some("y"));
    }
}
