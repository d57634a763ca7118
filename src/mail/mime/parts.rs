//! Splits a message into its parts. Attached messages stay whole.

use super::charset::Charset;
use super::header;
use crate::mail::bounds::ReadLimits;
use crate::mail::clean;
use mail_parser::{ContentType, Encoding, MessagePart, MimeHeaders};
use std::ops::Range;

#[derive(Debug)]
pub struct MimePart {
    pub kind: MediaKind,
    /// Its encoded bytes in the raw message.
    pub body: Range<usize>,
    pub encoding: Encoding,
    pub charset: Option<String>,
    /// Whether it is a file: marked as an attachment, or named.
    pub attached: bool,
    /// Whether lines that end in a blank continue.
    pub flowed: bool,
    pub children: Vec<MimePart>,
    boundary: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
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
    pub fn new(header: Option<&MessagePart<'_>>, inside: Option<MediaKind>, body: Range<usize>) -> Self {
        let content_type = header.and_then(MimeHeaders::content_type);
        let parameter = |name: &str| content_type.and_then(|t| t.attribute(name)).map(str::to_owned);
        let name =
            |t: &ContentType<'_>| [t.ctype(), "/", t.subtype().unwrap_or_default()].concat().to_ascii_lowercase();
        let boundary = parameter("boundary").map(|b| b.trim_end().to_owned()).filter(|b| !b.is_empty());
        let name = content_type.map(name);
        let is_multipart = name.as_ref().is_some_and(|n| n.starts_with("multipart/")) && boundary.is_some();
        let kind = match name.as_deref() {
            None if inside == Some(MediaKind::Digest) => MediaKind::Message,
            Some("multipart/alternative") if is_multipart => MediaKind::Alternative,
            Some("multipart/digest") if is_multipart => MediaKind::Digest,
            _ if is_multipart => MediaKind::Multipart,
            Some("text/calendar" | "application/ics") => MediaKind::Calendar,
            Some("text/html") => MediaKind::Page,
            Some("message/rfc822" | "message/global") => MediaKind::Message,
            // A multipart without a boundary cannot be split.
            Some(name) if !name.starts_with("text/") && !name.starts_with("multipart/") => MediaKind::Other,
            _ => MediaKind::Text,
        };
        let transfer = header.and_then(MimeHeaders::content_transfer_encoding).unwrap_or_default().trim();
        let encoding = match () {
            () if transfer.eq_ignore_ascii_case("base64") => Encoding::Base64,
            () if transfer.eq_ignore_ascii_case("quoted-printable") => Encoding::QuotedPrintable,
            () => Encoding::None,
        };
        Self {
            kind,
            body,
            encoding,
            charset: parameter("charset"),
            attached: header
                .and_then(MimeHeaders::content_disposition)
                .is_some_and(|d| d.ctype().eq_ignore_ascii_case("attachment"))
                || header.and_then(MimeHeaders::attachment_name).is_some_and(|name| !clean::line(name).is_empty()),
            flowed: parameter("format").is_some_and(|f| f.eq_ignore_ascii_case("flowed")),
            children: Vec::new(),
            boundary: boundary.filter(|_| is_multipart),
        }
    }
}

impl MimePart {
    /// Splits the part at its boundary, and so its children, down to `level` levels. The messages in it stay whole.
    pub fn split(&mut self, raw: &[u8], level: usize, port: &dyn Charset, room: &mut ReadLimits) {
        let Some(boundary) = self.boundary.take() else { return };
        if level == 0 {
            self.kind = MediaKind::Other;
            return;
        }
        let pieces = pieces(raw, &self.body, boundary.as_bytes());
        let inside = Some(self.kind);
        if pieces.is_empty() {
            // The closing boundary is missing.
            self.kind = MediaKind::Text;
        }
        for piece in pieces {
            if !room.part() {
                return;
            }
            let body = piece.start + header::end(&raw[piece.clone()]);
            let bytes = header::prepared(&raw[piece.start..body], port);
            let message = header::parsed(&bytes);
            let mut part = Self::new(message.as_ref().and_then(|m| m.parts.first()), inside, body..piece.end);
            part.split(raw, level - 1, port, room);
            self.children.push(part);
        }
    }
}

/// The bytes between the lines of a boundary, up to its closing one or the end of the body.
fn pieces(raw: &[u8], body: &Range<usize>, boundary: &[u8]) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut at) = (Vec::new(), None, body.start);
    for line in raw[body.clone()].split_inclusive(|b| *b == b'\n') {
        let mark = line.strip_prefix(b"--").map(<[u8]>::trim_ascii_end);
        let is_last = mark.and_then(|mark| mark.strip_suffix(b"--")) == Some(boundary);
        if is_last || mark == Some(boundary) {
            let before = &raw[..at];
            let end = before.strip_suffix(b"\r\n").or(before.strip_suffix(b"\n")).unwrap_or(before).len();
            pieces.extend(start.map(|start| start..end.max(start)));
            start = (!is_last).then_some(at + line.len());
            if is_last {
                break;
            }
        }
        at += line.len();
    }
    pieces.extend(start.map(|start| start..body.end));
    pieces
}
