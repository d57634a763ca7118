//! Finds the parts of a message in one pass over its lines. Attached messages stay whole.

use super::charset::Charset;
use super::header;
use crate::mail::bounds::{MAX_LEVEL, ReadLimits};
use crate::mail::clean;
use mail_parser::{Encoding, MessagePart, MimeHeaders};
use std::ops::Range;

#[derive(Debug)]
pub(in crate::mail) struct MimePart {
    pub kind: MediaKind,
    /// Its encoded bytes in the raw message.
    pub body: Range<usize>,
    pub encoding: Encoding,
    pub charset: Option<String>,
    /// Whether it is a file: marked as an attachment, or named.
    pub attached: bool,
    /// Whether lines that end in a blank continue.
    pub flowed: bool,
    /// Positions of the parts inside it.
    pub children: Vec<usize>,
    boundary: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mail) enum MediaKind {
    Text,
    Page,
    Calendar,
    /// Versions of one content.
    Alternative,
    /// Other containers.
    Multipart,
    /// A container of messages without part headers.
    Digest,
    Message,
    Other,
}

impl MimePart {
    /// The part that a header describes; `inside` is the kind of its container.
    pub fn new(header: Option<&MessagePart<'_>>, inside: Option<MediaKind>) -> Self {
        let is_default = header.is_none_or(|h| h.content_type().is_none());
        let main = header.and_then(|h| h.content_type()).map(|k| k.ctype().to_ascii_lowercase()).unwrap_or_default();
        let sub = header.and_then(|h| h.content_type()?.subtype()).unwrap_or_default().to_ascii_lowercase();
        let parameter = |name: &str| header.and_then(|h| h.content_type()?.attribute(name)).map(str::to_owned);
        let boundary = parameter("boundary").map(|b| b.trim_end().to_owned()).filter(|b| !b.is_empty());
        let kind = match (main.as_str(), sub.as_str()) {
            _ if is_default && inside == Some(MediaKind::Digest) => MediaKind::Message,
            _ if is_default => MediaKind::Text,
            // Without a boundary it cannot be split and is read as text.
            ("multipart", _) if boundary.is_none() => MediaKind::Text,
            ("multipart", "alternative") => MediaKind::Alternative,
            ("multipart", "digest") => MediaKind::Digest,
            ("multipart", _) => MediaKind::Multipart,
            ("text", "calendar") | ("application", "ics") => MediaKind::Calendar,
            ("text", "html") => MediaKind::Page,
            ("text", _) => MediaKind::Text,
            ("message", "rfc822" | "global") => MediaKind::Message,
            _ => MediaKind::Other,
        };
        let transfer = header.and_then(MimeHeaders::content_transfer_encoding).unwrap_or_default().trim();
        let encoding = match () {
            () if transfer.eq_ignore_ascii_case("base64") => Encoding::Base64,
            () if transfer.eq_ignore_ascii_case("quoted-printable") => Encoding::QuotedPrintable,
            () => Encoding::None,
        };
        Self {
            kind,
            body: 0..0,
            encoding,
            charset: parameter("charset"),
            attached: header
                .and_then(MimeHeaders::content_disposition)
                .is_some_and(|d| d.ctype().eq_ignore_ascii_case("attachment"))
                || header.and_then(MimeHeaders::attachment_name).is_some_and(|name| !clean::line(name).is_empty()),
            flowed: parameter("format").is_some_and(|f| f.eq_ignore_ascii_case("flowed")),
            children: Vec::new(),
            boundary: boundary.filter(|_| kind.is_multipart()),
        }
    }
}

impl MediaKind {
    fn is_multipart(self) -> bool {
        matches!(self, Self::Alternative | Self::Multipart | Self::Digest)
    }
}

/// The parts of a message whose body begins at `at`, `root` first and each before its children.
pub(in crate::mail) fn parts(
    raw: &[u8],
    at: usize,
    root: MimePart,
    port: &dyn Charset,
    room: &mut ReadLimits,
) -> Vec<MimePart> {
    let mut walk = Walk { raw, port, room, parts: Vec::new(), open: Vec::new(), place: WalkPlace::Between };
    walk.begin(root, None, at);
    let mut at = at;
    for line in raw[at..].split_inclusive(|b| *b == b'\n') {
        if walk.open.is_empty() || !walk.line(line, at) {
            break;
        }
        at += line.len();
    }
    walk.end(if walk.open.is_empty() { raw.len() } else { at });
    walk.parts
}

struct Walk<'a> {
    raw: &'a [u8],
    port: &'a dyn Charset,
    room: &'a mut ReadLimits,
    parts: Vec<MimePart>,
    /// The open multiparts, the innermost last.
    open: Vec<usize>,
    place: WalkPlace,
}

/// The state of the pass.
#[derive(Debug, Clone, Copy)]
enum WalkPlace {
    /// In the header of a part that began at this byte.
    Header(usize),
    /// In the body of a part without children.
    Body(usize),
    /// Before the first or after the last part of a multipart.
    Between,
}

impl Walk<'_> {
    /// Adds a part whose body begins at `at`.
    fn begin(&mut self, mut part: MimePart, parent: Option<usize>, at: usize) {
        part.body = at..self.raw.len();
        let here = self.parts.len();
        if let Some(parent) = parent {
            self.parts[parent].children.push(here);
        }
        self.place = WalkPlace::Body(here);
        if part.kind.is_multipart() {
            if self.open.len() < MAX_LEVEL {
                self.open.push(here);
                self.place = WalkPlace::Between;
            } else {
                part.kind = MediaKind::Other;
            }
        }
        self.parts.push(part);
    }

    /// Processes the line at `at`; `false` if a limit is reached.
    fn line(&mut self, line: &[u8], at: usize) -> bool {
        if let Some((level, is_end)) = self.boundary(line) {
            self.end_parts(level, at, is_end);
            if !is_end {
                if !self.room.part() {
                    return false;
                }
                self.place = WalkPlace::Header(at + line.len());
            }
        } else if let WalkPlace::Header(from) = self.place
            && matches!(line, b"\n" | b"\r\n")
        {
            self.head(from..at, at + line.len());
        }
        true
    }

    /// The open multipart whose boundary this line is, and whether it is the closing one.
    fn boundary(&self, line: &[u8]) -> Option<(usize, bool)> {
        let mark = line.strip_prefix(b"--")?.trim_ascii_end();
        let ended = mark.strip_suffix(b"--");
        self.open.iter().enumerate().rev().find_map(|(level, part)| {
            let boundary = self.parts[*part].boundary.as_deref().unwrap_or_default().as_bytes();
            (mark == boundary).then_some((level, false)).or((ended == Some(boundary)).then_some((level, true)))
        })
    }

    /// Parses the header of a part whose body begins at `body`.
    fn head(&mut self, header: Range<usize>, body: usize) {
        let Some(&parent) = self.open.last() else { return };
        let inside = self.parts[parent].kind;
        let bytes = header::prepared(&self.raw[header], self.port).bytes;
        let message = header::parsed(&bytes);
        let part = MimePart::new(message.as_ref().and_then(|m| m.parts.first()), Some(inside));
        self.begin(part, Some(parent), body);
    }

    /// Closes the parts above `level` at a boundary, and that multipart too at its closing one.
    fn end_parts(&mut self, level: usize, at: usize, is_end: bool) {
        let before = &self.raw[..at];
        let end = before.strip_suffix(b"\r\n").or(before.strip_suffix(b"\n")).unwrap_or(before).len();
        if let WalkPlace::Header(from) = self.place {
            self.head(from.min(end)..end, end);
        }
        if let WalkPlace::Body(part) = self.place {
            let body = &mut self.parts[part].body;
            body.end = end.max(body.start);
        }
        while self.open.len() > level + usize::from(!is_end) {
            self.close(end);
        }
        self.place = WalkPlace::Between;
    }

    fn close(&mut self, end: usize) {
        let Some(part) = self.open.pop() else { return };
        let part = &mut self.parts[part];
        part.body.end = end.max(part.body.start);
        if part.children.is_empty() {
            // Its boundary never came.
            part.kind = MediaKind::Text;
        }
    }

    /// Closes all parts at the end of the message or at a limit.
    fn end(&mut self, at: usize) {
        if let WalkPlace::Header(from) = self.place {
            self.head(from.min(at)..at, at);
        }
        if let WalkPlace::Body(part) = self.place {
            let body = &mut self.parts[part].body;
            body.end = at.max(body.start);
        }
        while !self.open.is_empty() {
            self.close(at);
        }
    }
}
