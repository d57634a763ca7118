//! [`Mailbox`] splits a byte stream into messages: an mboxrd file or a single RFC 5322 message. Buffers at most one
//! message.

use crate::{Code, Error, Result};
use chrono::{Datelike, NaiveDateTime};

/// Maximum bytes of a message; larger ones are skipped and reported with [`Code::TooLarge`].
pub const MAX_MESSAGE: usize = 30 * 1024 * 1024;

#[derive(Debug)]
pub struct Piece {
    /// Index in the stream, from 0.
    pub index: u64,
    /// Byte in the stream where the message starts, including its `From ` line; pass it to [`Mailbox::resume`].
    pub offset: u64,
    /// Byte in the stream after the message.
    pub end: u64,
    /// Whether it came from an mbox file.
    pub in_mailbox: bool,
    /// Whether that file is from Google Takeout, where Gmail's own header fields come first.
    pub by_takeout: bool,
    pub cut: Cut,
    /// The message without its `From ` line and with `>From ` unescaped; [`Code::TooLarge`] beyond the limit.
    pub raw: Result<Vec<u8>>,
}

/// How certain it is that a message is separate, rather than text forged into the message before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Cut {
    /// A single message, or from a Google Takeout file, which escapes `From ` lines in bodies.
    #[default]
    Sure,
    /// From another program's mailbox; not all programs escape these lines.
    Likely,
    /// Inside another message, or its `From ` line is from another program than the first.
    Doubtful,
}

/// Splits a mailbox incrementally.
#[derive(Debug, Default)]
pub struct Mailbox {
    limit: Option<usize>,
    /// The current line as far as received.
    line: Vec<u8>,
    message: Vec<u8>,
    /// Bytes of the current message, including those beyond the limit.
    size: usize,
    index: u64,
    start: u64,
    offset: u64,
    kind: MailboxKind,
    /// Whether the last line was not empty.
    in_paragraph: bool,
    cut: Cut,
    /// A possible `From ` line, with its line break; a header line must follow to confirm it.
    candidate: Option<Vec<u8>>,
    /// Whether the first `From ` line is from Google Takeout.
    by_takeout: bool,
    /// Whether a body line starts with `From `, which shows that such lines are not escaped.
    unescaped: bool,
    /// The closing boundary that a message over the limit still lacks.
    closing: Option<String>,
}

fn missing_boundary(message: &[u8]) -> Option<String> {
    let (head, body) = message.split_at(super::mime::header::end(message));
    let closing = ["--", &boundary(head)?, "--"].concat();
    let is_closing = |line: &[u8]| line.trim_ascii_end() == closing.as_bytes();
    (!body.split(|b| *b == b'\n').any(is_closing)).then_some(closing)
}

fn boundary(header: &[u8]) -> Option<String> {
    let kind = super::mime::header::values(header, "Content-Type").next()?;
    let at = kind.to_ascii_lowercase().find("boundary=")? + "boundary=".len();
    let rest = kind.get(at..)?;
    let quoted = rest.strip_prefix('"').and_then(|r| r.split_once('"')).map(|(b, _)| b);
    let bare = rest.split([';', ' ', '\t', '\r', '\n']).next();
    quoted.or(bare).filter(|b| !b.is_empty()).map(str::to_owned)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum MailboxKind {
    #[default]
    Unknown,
    Mbox,
    Single,
}

impl Mailbox {
    pub fn new() -> Self {
        Self::resume(0, 0)
    }

    /// A splitter that resumes at byte `offset` with message `index`, both from an earlier [`Piece`].
    pub fn resume(offset: u64, index: u64) -> Self {
        Self { index, start: offset, offset, ..Self::default() }
    }

    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = Some(bytes);
        self
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(MAX_MESSAGE)
    }

    /// Adds bytes and returns the messages they complete.
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
        if self.line.len() > self.limit().max(4096) {
            let part = std::mem::take(&mut self.line);
            self.take(&part, &mut done);
            self.in_paragraph = true;
        }
        done
    }

    /// Returns the last message at the end of the stream.
    pub fn finish(&mut self) -> Vec<Piece> {
        let mut done = Vec::new();
        if !self.line.is_empty() {
            let last = std::mem::take(&mut self.line);
            self.take(&last, &mut done);
        }
        // No header line follows the candidate.
        if let Some(line) = self.candidate.take() {
            self.offset += line.len() as u64;
        }
        done.extend(self.flush());
        done
    }

    /// Bytes received so far, from the start of the stream.
    pub fn offset(&self) -> u64 {
        self.offset + (self.line.len() + self.candidate.as_ref().map_or(0, Vec::len)) as u64
    }

    fn take(&mut self, line: &[u8], done: &mut Vec<Piece>) {
        if let Some(candidate) = self.candidate.take() {
            if is_field(line) {
                let cut = self.cut_at(&candidate);
                done.extend(self.flush());
                (self.start, self.cut) = (self.offset, cut);
            } else {
                self.unescaped = true;
                self.keep(&candidate);
            }
            self.in_paragraph = true;
            self.offset += candidate.len() as u64;
        }
        let blank = line.iter().all(u8::is_ascii_whitespace);
        match self.kind {
            MailboxKind::Unknown if blank => {}
            MailboxKind::Unknown => {
                let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
                self.by_takeout = is_of_takeout(text);
                self.start = self.offset;
                if text.starts_with(b"From ") {
                    self.kind = MailboxKind::Mbox;
                    self.cut = if self.by_takeout { Cut::Sure } else { Cut::Likely };
                } else {
                    self.kind = MailboxKind::Single;
                    self.keep(text);
                }
            }
            MailboxKind::Mbox if line.starts_with(b"From ") => {
                if !self.in_paragraph && is_separator(line) {
                    self.candidate = Some(line.to_vec());
                    return;
                }
                self.unescaped = true;
                self.keep(line);
            }
            MailboxKind::Mbox => self.keep(line.strip_prefix(b">").filter(|l| is_escaped_from(l)).unwrap_or(line)),
            MailboxKind::Single => self.keep(line),
        }
        self.offset += line.len() as u64;
        self.in_paragraph = !blank;
    }

    /// The certainty that a separate message starts with this line.
    fn cut_at(&self, line: &[u8]) -> Cut {
        let is_cut = self.closing.is_some() || missing_boundary(&self.message).is_some();
        match is_of_takeout(line) {
            is_takeout if is_takeout != self.by_takeout || is_cut => Cut::Doubtful,
            true if !self.unescaped => Cut::Sure,
            _ => Cut::Likely,
        }
    }

    fn keep(&mut self, line: &[u8]) {
        self.size += line.len();
        if self.size <= self.limit() {
            self.message.extend_from_slice(line);
            return;
        }
        if !self.message.is_empty() {
            self.closing = missing_boundary(&std::mem::take(&mut self.message));
        }
        self.closing.take_if(|closing| line.trim_ascii_end() == closing.as_bytes());
    }

    fn flush(&mut self) -> Option<Piece> {
        let size = std::mem::take(&mut self.size);
        self.closing = None;
        let mut raw = std::mem::take(&mut self.message);
        if size == 0 {
            return None;
        }
        if self.kind == MailboxKind::Mbox {
            // The empty line before the next `From ` line belongs to the mbox format.
            if raw.ends_with(b"\r\n\r\n") {
                raw.truncate(raw.len() - 2);
            } else if raw.ends_with(b"\n\n") {
                raw.truncate(raw.len() - 1);
            }
        }
        let raw = if size > self.limit() {
            Err(Error::new(Code::TooLarge, format!("the message has {size} bytes, more than {}", self.limit())))
        } else {
            Ok(raw)
        };
        let piece = Piece {
            index: self.index,
            offset: self.start,
            end: self.offset,
            in_mailbox: self.kind == MailboxKind::Mbox,
            by_takeout: self.by_takeout,
            cut: self.cut,
            raw,
        };
        self.index += 1;
        Some(piece)
    }
}

fn is_escaped_from(line: &[u8]) -> bool {
    let from = line.iter().position(|b| *b != b'>').unwrap_or(line.len());
    line[from..].starts_with(b"From ")
}

/// Whether a line has the format `From name Thu Feb 20 09:00:00 2025`, optionally with a zone.
fn is_separator(line: &[u8]) -> bool {
    const DAYS: [&str; 7] = [" Mon ", " Tue ", " Wed ", " Thu ", " Fri ", " Sat ", " Sun "];
    const LONGEST: usize = 512;
    let text = String::from_utf8_lossy(&line[..line.len().min(LONGEST)]);
    // The sender may have several words or be missing.
    let dates = DAYS.iter().filter_map(|day| text.rsplit_once(day)).map(|(_, date)| date);
    let Some(date) = dates.min_by_key(|date| date.len()) else { return false };
    let is_zone = |w: &str| w.len() == 5 && w.starts_with(['+', '-']) || w.bytes().all(|b| b.is_ascii_uppercase());
    let words: Vec<&str> = date.split_ascii_whitespace().filter(|w| !is_zone(w)).collect();
    let is_date =
        |format| NaiveDateTime::parse_from_str(&words.join(" "), format).is_ok_and(|date| date.year() >= 1970);
    is_date("%b %e %H:%M:%S %Y") || is_date("%b %e %H:%M %Y")
}

fn is_of_takeout(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"From ").unwrap_or_default();
    let word = line.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
    word.strip_suffix(b"@xxx").is_some_and(|n| !n.is_empty() && n.iter().all(u8::is_ascii_digit))
}

fn is_field(line: &[u8]) -> bool {
    let name = line.split(|b| *b == b':').next().unwrap_or_default();
    let is_name = |b: &u8| (b'!'..=b'~').contains(b);
    name.len() < line.len() && !name.is_empty() && name.trim_ascii_end().iter().all(is_name)
}
