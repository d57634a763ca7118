//! [`parse`]: the bytes of a message → its parts, with the fields of their headers and where their bodies stand.
//!
//! It never decodes a body, and never fails: what has no end ends with the message.

use super::charset::Charset;
use super::fields::{self, Typed};

/// Parts inside of parts; what lies deeper is one body.
pub(super) const MAX_LEVEL: usize = 50;
/// Parts side by side.
const MAX_PARTS: usize = 10_000;

/// A header field, its value as it stands, line ends and all.
pub(super) struct Field<'a> {
    name: &'a [u8],
    value: &'a [u8],
}

/// What a part is for its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Parts side by side.
    Multipart,
    /// A whole message.
    Message,
    /// HTML.
    Page,
    /// Any other text.
    Text,
    /// Anything else.
    Other,
}

/// A message or a part of one.
pub(super) struct Part<'a> {
    pub fields: Vec<Field<'a>>,
    /// Its content type; empty where none is said.
    pub kind: Typed,
    pub form: Form,
    /// Its body, still in its transfer encoding.
    pub body: &'a [u8],
    pub parts: Vec<Part<'a>>,
}

impl Part<'_> {
    /// The value of the last field of this name: where a header was added to, the first writer's stands last.
    pub fn last(&self, name: &str) -> Option<&[u8]> {
        self.fields.iter().rev().find(|f| f.is(name)).map(|f| f.value)
    }

    /// The value of the first field of this name.
    pub fn first(&self, name: &str) -> Option<&[u8]> {
        self.fields.iter().find(|f| f.is(name)).map(|f| f.value)
    }
}

impl Field<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }
}

/// Reads a message.
pub(super) fn parse<'a>(raw: &'a [u8], port: &dyn Charset) -> Part<'a> {
    part(raw, "", 0, port)
}

/// Reads a part at a level below the message's; `parent` is the type of the part around it.
fn part<'a>(raw: &'a [u8], parent: &str, level: usize, port: &dyn Charset) -> Part<'a> {
    let (fields, body) = header(raw);
    let mut part = Part { fields, kind: Typed::default(), form: Form::Text, body, parts: Vec::new() };
    if let Some(value) = part.last("Content-Type") {
        part.kind = fields::typed(value, port);
    }
    let kind = part.kind.name.as_str();
    part.form = match kind.split('/').next().unwrap_or_default() {
        "" if parent == "multipart/digest" => Form::Message,
        "text" if kind == "text/html" => Form::Page,
        "" | "text" => Form::Text,
        "message" if matches!(kind, "message/rfc822" | "message/global") => Form::Message,
        _ => Form::Other,
    };
    if kind.starts_with("multipart")
        && let Some(boundary) = part.kind.parameter("boundary").map(str::trim_end).filter(|b| !b.is_empty())
    {
        let bodies = if level <= MAX_LEVEL { split(body, boundary.as_bytes()) } else { Vec::new() };
        part.form = if bodies.is_empty() && level <= MAX_LEVEL { Form::Text } else { Form::Multipart };
        part.parts = bodies.into_iter().map(|b| self::part(b, kind, level + 1, port)).collect();
    }
    part
}

/// The lines of some bytes, their ends with them.
fn lines(raw: &[u8]) -> impl Iterator<Item = &[u8]> {
    raw.split_inclusive(|b| *b == b'\n')
}

/// The fields of the header that some bytes begin with, and what follows it.
fn header(raw: &[u8]) -> (Vec<Field<'_>>, &[u8]) {
    let mut fields = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        let rest = &raw[at..];
        let mut end = 0;
        for line in lines(rest) {
            if end > 0 && !line.starts_with(b" ") && !line.starts_with(b"\t") {
                break;
            }
            end += line.len();
            if end == line.len() && line.trim_ascii().is_empty() {
                return (fields, &rest[end..]);
            }
        }
        let field = &rest[..end];
        // A line that is no field is passed over.
        if let Some(colon) = field.iter().position(|b| matches!(b, b':' | b'\n')).filter(|n| field[*n] == b':') {
            let name = field[..colon].trim_ascii();
            if !name.is_empty() {
                fields.push(Field { name, value: field[colon + 1..].trim_ascii() });
            }
        }
        at += end;
    }
    (fields, b"")
}

/// What stands between the lines of a boundary; nothing where there is no such line.
fn split<'a>(body: &'a [u8], boundary: &[u8]) -> Vec<&'a [u8]> {
    let mut found = Vec::new();
    let (mut at, mut start) = (0, None);
    for line in lines(body) {
        let after = line.strip_prefix(b"--").and_then(|l| l.strip_prefix(boundary)).map(<[u8]>::trim_ascii);
        if let Some(after) = after.filter(|a| a.is_empty() || a.starts_with(b"--")) {
            if let Some(start) = start.replace(at + line.len()) {
                found.push(without_line_end(&body[start..at.max(start)]));
            }
            if !after.is_empty() || found.len() >= MAX_PARTS {
                return found;
            }
        }
        at += line.len();
    }
    found.extend(start.map(|start| &body[start..]));
    found
}

/// The line end before a boundary is the boundary's.
fn without_line_end(body: &[u8]) -> &[u8] {
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    body.strip_suffix(b"\r").unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::HostCharset;

    #[test]
    fn fields_end_where_no_line_goes_on() {
        let raw = b"Subject: a\r\n b\r\nno field\r\nX : 1\nx:2\r\n\r\nbody";
        let part = parse(raw, &HostCharset);
        assert_eq!(part.first("subject"), Some(&b"a\r\n b"[..]));
        assert_eq!((part.first("X"), part.last("X")), (Some(&b"1"[..]), Some(&b"2"[..])));
        assert_eq!((part.fields.len(), part.body), (3, &b"body"[..]));
    }

    #[test]
    fn parts_stand_between_the_lines_of_their_boundary() {
        let raw = b"Content-Type: multipart/mixed; boundary=\"b\"\n\nbefore\n--b\n\none\n--bb\n--b \r\n\
            Content-Type: text/html\r\n\r\ntwo\r\n--b--\nafter";
        let whole = parse(raw, &HostCharset);
        let bodies: Vec<_> = whole.parts.iter().map(|p| (p.form, p.body)).collect();
        assert_eq!(bodies, [(Form::Text, &b"one\n--bb"[..]), (Form::Page, b"two")]);
        let open = parse(b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo", &HostCharset);
        assert_eq!(open.parts.iter().map(|p| p.body).collect::<Vec<_>>(), [&b"one"[..], b"two"]);
        let none = parse(b"Content-Type: multipart/mixed; boundary=c\n\none", &HostCharset);
        assert_eq!((none.form, none.parts.len()), (Form::Text, 0));
    }
}
