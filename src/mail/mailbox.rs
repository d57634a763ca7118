//! [`Mailbox`] cuts a stream of bytes into messages: mboxrd, or a single RFC 5322 message.
//!
//! It never holds more than the message at hand, and never looks inside a message.

use crate::{Code, Error, Result};

/// The largest message that is read; a larger one is counted and passed over.
pub const MAX_MESSAGE: usize = 30 * 1024 * 1024;

/// One message of the stream.
#[derive(Debug)]
pub struct Piece {
    /// Its place in the stream, from 0.
    pub index: u64,
    /// Where it begins in the stream, the `From ` line included; [`Mailbox::resume`] takes this.
    pub offset: u64,
    /// Where it ends.
    pub end: u64,
    /// Whether it is one of a mailbox.
    pub in_mailbox: bool,
    /// Whether it stands apart in a mailbox, behind an empty line or first, so that its first header fields may be its host's: what
    /// does not may be a line that somebody wrote into the message before it.
    pub apart: bool,
    /// Its bytes, without the `From ` line and with `>From ` unescaped.
    pub raw: Result<Vec<u8>>,
}

/// An incremental splitter.
///
/// ```
/// use memfold::mail::Mailbox;
/// let mut mailbox = Mailbox::new();
/// let mut pieces = mailbox.push(b"From a@b Tue Mar  4 00:20:13 2025\nSubject: 1\n\nx\n\nFrom a@b Tue Mar  4 00");
/// pieces.extend(mailbox.push(b":20:14 2025\nSubject: 2\n\n>From y\n"));
/// pieces.extend(mailbox.finish());
/// assert_eq!(pieces[0].raw.as_deref(), Ok(&b"Subject: 1\n\nx\n"[..]));
/// assert_eq!(pieces[1].raw.as_deref(), Ok(&b"Subject: 2\n\nFrom y\n"[..]));
/// ```
#[derive(Debug)]
pub struct Mailbox {
    limit: usize,
    /// The line at hand, without its end so far.
    line: Vec<u8>,
    message: Vec<u8>,
    /// Bytes of the message at hand, also those past the limit.
    size: usize,
    index: u64,
    start: u64,
    offset: u64,
    kind: MailboxKind,
    after_blank: bool,
    /// Whether the message at hand began behind an empty line, or first.
    apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MailboxKind {
    Unknown,
    Mbox,
    Single,
}

impl Default for Mailbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Mailbox {
    /// A splitter at the beginning of a stream.
    pub fn new() -> Self {
        Self::resume(0, 0)
    }

    /// A splitter that goes on at `offset`, the beginning of message `index`, as an earlier [`Piece`] told it.
    pub fn resume(offset: u64, index: u64) -> Self {
        Self {
            limit: MAX_MESSAGE,
            line: Vec::new(),
            message: Vec::new(),
            size: 0,
            index,
            start: offset,
            offset,
            kind: MailboxKind::Unknown,
            after_blank: true,
            apart: true,
        }
    }

    /// The same splitter with another limit to a message's size.
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Takes the next bytes and gives the messages that they complete.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Piece> {
        let mut done = Vec::new();
        while let Some(at) = bytes.iter().position(|b| *b == b'\n') {
            let (line, rest) = bytes.split_at(at + 1);
            bytes = rest;
            if self.line.is_empty() {
                self.take(line, &mut done);
            } else {
                let mut whole = std::mem::take(&mut self.line);
                whole.extend_from_slice(line);
                self.take(&whole, &mut done);
                whole.clear();
                self.line = whole;
            }
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() > self.limit.max(4096) {
            let part = std::mem::take(&mut self.line);
            self.take(&part, &mut done);
            self.after_blank = false;
        }
        done
    }

    /// The last message, when the stream has ended.
    pub fn finish(&mut self) -> Vec<Piece> {
        let mut done = Vec::new();
        if !self.line.is_empty() {
            let last = std::mem::take(&mut self.line);
            self.take(&last, &mut done);
        }
        done.extend(self.flush());
        done
    }

    /// Bytes taken so far, from the beginning of the stream.
    pub fn offset(&self) -> u64 {
        self.offset + self.line.len() as u64
    }

    fn take(&mut self, line: &[u8], done: &mut Vec<Piece>) {
        let blank = line.iter().all(u8::is_ascii_whitespace);
        if self.kind == MailboxKind::Unknown && !blank {
            let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
            self.kind = if text.starts_with(b"From ") { MailboxKind::Mbox } else { MailboxKind::Single };
            self.start = self.offset;
            self.offset += line.len() as u64;
            self.message.clear();
            self.size = 0;
            if self.kind == MailboxKind::Single {
                self.keep(text);
            }
            self.after_blank = false;
            return;
        }
        if self.kind == MailboxKind::Mbox && is_separator(line, self.after_blank) {
            done.extend(self.flush());
            self.start = self.offset;
            self.apart = self.after_blank;
        } else if self.kind == MailboxKind::Mbox && line.starts_with(b">") && is_escaped_from(line) {
            self.keep(&line[1..]);
        } else if self.kind != MailboxKind::Unknown {
            self.keep(line);
        }
        self.offset += line.len() as u64;
        self.after_blank = blank;
    }

    fn keep(&mut self, line: &[u8]) {
        self.size += line.len();
        if self.size <= self.limit {
            self.message.extend_from_slice(line);
        } else {
            self.message = Vec::new();
        }
    }

    fn flush(&mut self) -> Option<Piece> {
        let size = std::mem::take(&mut self.size);
        let mut raw = std::mem::take(&mut self.message);
        if size == 0 {
            return None;
        }
        if self.kind == MailboxKind::Mbox {
            // The empty line before the next `From ` line belongs to the format, not to the message.
            if raw.ends_with(b"\r\n\r\n") {
                raw.truncate(raw.len() - 2);
            } else if raw.ends_with(b"\n\n") {
                raw.truncate(raw.len() - 1);
            }
        }
        let raw = if size > self.limit {
            Err(Error::new(Code::TooLarge, format!("the message has {size} bytes, more than {}", self.limit)))
        } else {
            Ok(raw)
        };
        let piece = Piece {
            index: self.index,
            offset: self.start,
            end: self.offset,
            in_mailbox: self.kind == MailboxKind::Mbox,
            apart: self.apart,
            raw,
        };
        self.index += 1;
        Some(piece)
    }
}

/// `>From `, `>>From `, …
fn is_escaped_from(line: &[u8]) -> bool {
    let from = line.iter().position(|b| *b != b'>').unwrap_or(line.len());
    line[from..].starts_with(b"From ")
}

/// Whether the line is a `From ` line: it ends in a clock time and a year, as no sentence does.
///
/// After an empty line a time and a year anywhere will do; in running text the full asctime form is asked for.
fn is_separator(line: &[u8], after_blank: bool) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else { return false };
    if rest.len() > 512 {
        return false;
    }
    let Ok(rest) = std::str::from_utf8(rest) else { return false };
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let clock = |w: &str| w.len() >= 5 && w.contains(':') && w.bytes().all(|b| b.is_ascii_digit() || b == b':');
    let year = |w: &str| w.len() == 4 && w.bytes().all(|b| b.is_ascii_digit());
    let dated = words.iter().any(|w| clock(w)) && words.iter().any(|w| year(w));
    let named = |list: &[&str], w: &str| list.contains(&w);
    let full = words.iter().any(|w| named(&["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], w))
        && words
            .iter()
            .any(|w| named(&["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], w));
    dated && (full || after_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(bytes: &[u8], chunk: usize) -> Vec<Piece> {
        let mut mailbox = Mailbox::new().with_limit(200);
        let mut pieces = Vec::new();
        for part in bytes.chunks(chunk) {
            pieces.extend(mailbox.push(part));
        }
        pieces.extend(mailbox.finish());
        pieces
    }

    const TWO: &[u8] = b"From 1@xxx Tue Mar 04 00:20:13 +0000 2025\r\nSubject: a\r\n\r\n>From here\r\n>>From there\r\nFrom the desk of 2024\r\n\r\n\
        From 2@xxx Tue Mar 04 00:20:13 +0000 2025\r\nSubject: b\r\n\r\nFrom 10:30 on\r\n";

    #[test]
    fn chunks_of_any_size_give_the_same_messages() {
        for chunk in 1..TWO.len() {
            let pieces = split(TWO, chunk);
            let texts: Vec<_> = pieces.iter().map(|p| p.raw.as_deref().unwrap()).collect();
            assert_eq!(
                texts,
                [
                    &b"Subject: a\r\n\r\nFrom here\r\n>From there\r\nFrom the desk of 2024\r\n"[..],
                    b"Subject: b\r\n\r\nFrom 10:30 on\r\n"
                ]
            );
        }
    }

    #[test]
    fn a_piece_tells_where_to_resume() {
        let pieces = split(TWO, 7);
        assert_eq!((pieces[1].index, pieces[1].end), (1, TWO.len() as u64));
        let mut again = Mailbox::resume(pieces[1].offset, 1);
        let mut rest = again.push(&TWO[pieces[1].offset as usize..]);
        rest.extend(again.finish());
        assert_eq!(rest.len(), 1);
        assert_eq!((rest[0].index, rest[0].offset, rest[0].end), (1, pieces[1].offset, pieces[1].end));
        assert_eq!(rest[0].raw.as_deref(), pieces[1].raw.as_deref());
    }

    #[test]
    fn a_message_without_a_from_line_is_one_message() {
        let pieces = split(b"\r\nSubject: a\n\n>From x\n\nFrom 1@x Tue Mar 04 00:20:13 2025\n", 5);
        assert_eq!(pieces.len(), 1);
        assert!(pieces[0].raw.as_deref().unwrap().ends_with(b"2025\n"));
    }

    #[test]
    fn too_large_a_message_is_reported_and_the_next_one_read() {
        let mut mbox = b"From 1@x Tue Mar 04 00:20:13 2025\nSubject: a\n\n".to_vec();
        mbox.extend(std::iter::repeat_n(b'x', 9_000));
        mbox.extend_from_slice(b"\n\nFrom 2@x Tue Mar 04 00:20:13 2025\nSubject: b\n\n");
        let pieces = split(&mbox, 50);
        assert_eq!(pieces[0].raw.as_ref().unwrap_err().code, Code::TooLarge);
        assert_eq!(pieces[1].raw.as_deref(), Ok(&b"Subject: b\n"[..]));
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(split(b"", 1).is_empty());
        assert!(split(b"\n\n\r\n", 2).is_empty());
    }
}
