//! The header of a message or a part, made safe and plain for the parser: within bounds, in UTF-8, its last line ended.
//!
//! It never looks at a body.

use super::bounds::{MAX_FIELD, MAX_FIELDS, MAX_HEADER, MAX_PARAMETERS, Room};
use super::charset::Charset;
use super::words;
use mail_parser::{Message, MessageParser};

/// Where the body begins: behind the first empty line.
pub(super) fn end(raw: &[u8]) -> usize {
    let mut at = 0;
    for line in raw.split_inclusive(|b| *b == b'\n') {
        at += line.len();
        if matches!(line, b"\n" | b"\r\n") {
            return at;
        }
    }
    at
}

/// The header as the parser may read it.
pub(super) fn prepared(header: &[u8], port: &dyn Charset, room: &mut Room) -> Vec<u8> {
    let header = within(header, room);
    words::to_utf8(&header, port).unwrap_or(header)
}

/// The fields of a prepared header; `None` where there are none.
pub(super) fn parsed(header: &[u8]) -> Option<Message<'_>> {
    MessageParser::default().parse_headers(header)
}

/// The fields that there is room for, each as far as there is.
fn within(header: &[u8], room: &mut Room) -> Vec<u8> {
    let mut out = Vec::with_capacity(header.len().min(MAX_HEADER) + 2);
    let (mut fields, mut left) = (0, 0);
    for line in header.split_inclusive(|b| *b == b'\n') {
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            let parameters = line.get(..8).is_some_and(|name| name.eq_ignore_ascii_case(b"content-"));
            left = if parameters { MAX_PARAMETERS } else { MAX_FIELD };
            fields += 1;
        }
        let most = left.min(MAX_HEADER - out.len());
        if fields > MAX_FIELDS || most == 0 && !line.is_empty() {
            room.cut = true;
            if fields > MAX_FIELDS {
                break;
            }
            continue;
        }
        let kept = &line[..line.len().min(most)];
        left -= kept.len();
        out.extend_from_slice(kept);
        if kept.len() < line.len() {
            room.cut = true;
            left = 0;
            out.extend_from_slice(b"\r\n");
        }
        out.truncate(MAX_HEADER);
    }
    if !out.ends_with(b"\n") {
        out.extend_from_slice(b"\r\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::HostCharset;

    fn subject(header: &[u8]) -> (String, bool) {
        let mut room = Room::new();
        let bytes = prepared(header, &HostCharset, &mut room);
        assert!(bytes.len() <= MAX_HEADER + 4);
        (parsed(&bytes).and_then(|m| m.subject().map(str::to_owned)).unwrap_or_default(), room.cut)
    }

    #[test]
    fn a_header_without_an_end_keeps_its_last_field() {
        assert_eq!(subject(b"From: a@b.example\r\nSubject: x"), ("x".into(), false));
    }

    #[test]
    fn what_is_too_long_is_cut_and_what_follows_is_read() {
        let long = |unit: &str, times| format!("To: a{}\r\nSubject: x\r\n\r\n", unit.repeat(times));
        assert_eq!(subject(long("b", 70_000).as_bytes()), ("x".into(), true));
        assert_eq!(subject(long("\r\n b", 70_000).as_bytes()), ("x".into(), true));
        let parameters = format!("Content-Type: a/b{}\r\nSubject: x\r\n", "; a=b".repeat(5_000));
        assert_eq!(subject(parameters.as_bytes()), ("x".into(), true));
    }

    #[test]
    fn no_more_fields_are_read_than_there_is_room_for() {
        let many = |n| format!("{}Subject: x\r\n\r\n", "X-A: b\r\n".repeat(n));
        assert_eq!(subject(many(1_000).as_bytes()), ("x".into(), false));
        assert_eq!(subject(many(MAX_FIELDS).as_bytes()), (String::new(), true));
        let wide = format!("{}Subject: x\r\n\r\n", format!("X-A: {}\r\n", "b".repeat(60_000)).repeat(5));
        assert_eq!(subject(wide.as_bytes()), (String::new(), true));
    }
}
