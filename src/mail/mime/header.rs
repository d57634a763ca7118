//! Prepares a header for the parser: within limits, in UTF-8, with a final line end.

use super::charset::Charset;
use super::encoded_words;
use crate::mail::bounds::{MAX_FIELD, MAX_FIELDS, MAX_HEADER, MAX_PARAMETERS};
use mail_parser::parsers::MessageStream;
use mail_parser::{Message, MessageParser, MessagePart};

/// Position of the body, after the first empty line.
pub fn end(raw: &[u8]) -> usize {
    let mut at = 0;
    for line in raw.split_inclusive(|b| *b == b'\n') {
        at += line.len();
        if matches!(line, b"\n" | b"\r\n") {
            return at;
        }
    }
    at
}

/// The values of the fields with this name in order, with their line ends, each up to a limit.
pub fn values<'a>(head: &'a [u8], name: &'a str) -> impl Iterator<Item = String> + 'a {
    let mut lines = head.split_inclusive(|b| *b == b'\n').peekable();
    std::iter::from_fn(move || {
        loop {
            let line = lines.next()?;
            let mut field = line[..line.len().min(MAX_FIELD)].to_vec();
            while let Some(more) = lines.next_if(|l| l.starts_with(b" ") || l.starts_with(b"\t")) {
                field.extend_from_slice(&more[..more.len().min(MAX_FIELD - field.len())]);
            }
            let Some(colon) = field.iter().position(|b| *b == b':') else { continue };
            if field[..colon].trim_ascii_end().eq_ignore_ascii_case(name.as_bytes()) {
                return Some(String::from_utf8_lossy(&field[colon + 1..]).into_owned());
            }
        }
    })
}

/// The fields of a header within the limits, in UTF-8.
pub fn prepared(header: &[u8], port: &dyn Charset) -> Vec<u8> {
    let mut out = Vec::with_capacity(header.len().min(MAX_HEADER) + 2);
    let (mut fields, mut left) = (0, 0);
    for line in header.split_inclusive(|b| *b == b'\n') {
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            left = match () {
                () if begins(line, b"content-") => MAX_PARAMETERS,
                // Fields added by servers matter little and may be numerous.
                () if begins(line, b"received") || begins(line, b"x-") && !begins(line, b"x-gm") => {
                    fields += 1;
                    if fields > MAX_FIELDS { 0 } else { MAX_FIELD }
                }
                () => MAX_FIELD,
            };
        }
        let kept = &line[..line.len().min(left).min(MAX_HEADER.saturating_sub(out.len()))];
        left = if kept.len() < line.len() { 0 } else { left - kept.len() };
        out.extend_from_slice(kept);
        if left == 0 && !out.ends_with(b"\n") {
            out.extend_from_slice(b"\r\n");
        }
    }
    if !out.ends_with(b"\n") {
        out.extend_from_slice(b"\r\n");
    }
    encoded_words::to_utf8(&out, port)
}

pub fn parsed(header: &[u8]) -> Option<Message<'_>> {
    let mut headers = Vec::new();
    MessageStream::new(header).parse_headers(&MessageParser::default(), &mut headers);
    // The parser exposes raw bytes only up to the end of the part.
    let offset_end = u32::try_from(header.len()).unwrap_or(u32::MAX);
    let part = MessagePart { headers, offset_end, ..MessagePart::default() };
    let raw_message = header.into();
    (!part.headers.is_empty()).then(|| Message { parts: vec![part], raw_message, ..Message::default() })
}

fn begins(line: &[u8], name: &[u8]) -> bool {
    line.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name))
}
