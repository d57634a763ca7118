//! [`read`]: parses the bytes of one message into a [`Mail`]. Attached files are not read.

use super::body::quotes::{self, QuotedRun};
use super::body::signature;
use super::bounds::{MAX_ATTACHED, MAX_EVENTS, MAX_LEVEL, MAX_PAGE, MAX_TEXT, ReadLimits};
use super::mime::charset::{self, Charset};
use super::mime::envelope::{MAX_SUBJECT, envelope, forwarded_date};
use super::mime::parts::{MediaKind, MimePart};
use super::mime::{encoded_words, header};
use super::sender::Vouched;
use super::visible;
use super::{MAX_MESSAGE, Mail, Section};
use super::{clean, guard, invite};
use crate::model::Time;
use crate::{Code, Error, Result};
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Encoding, Message};

/// Parses a message; fails above [`MAX_MESSAGE`] bytes or without any header field of a mail.
pub fn read(raw: &[u8], port: &dyn Charset) -> Result<Mail> {
    read_vouched(raw, port, &Vouched::default())
}

/// As [`read`], with information that its host vouches for.
pub fn read_vouched(raw: &[u8], port: &dyn Charset, vouched: &Vouched) -> Result<Mail> {
    let mut room = ReadLimits::new();
    let mut mail = read_within(raw, port, MAX_ATTACHED, vouched, &mut room)?;
    mail.suspicious = suspicious(&mail.text);
    mail.hash = hash(&mail);
    if mail.message_id.is_empty() {
        let who = mail.from.as_ref().map_or("", |p| &p.address);
        let when = mail.date.map_or(0, Time::millis);
        mail.message_id = format!("<{:032x}@no-message-id.invalid>", fnv(&[who, &when.to_string(), &mail.hash]));
    }
    if mail.thread_id.is_empty() {
        mail.thread_id.clone_from(&mail.message_id);
    }
    Ok(mail)
}

fn read_within(raw: &[u8], port: &dyn Charset, depth: usize, vouched: &Vouched, room: &mut ReadLimits) -> Result<Mail> {
    if raw.len() > MAX_MESSAGE {
        let text = format!("the message has {} bytes, more than {MAX_MESSAGE}", raw.len());
        return Err(Error::new(Code::TooLarge, text));
    }
    let raw = without_from_line(raw);
    let at = header::end(raw);
    let head = header::prepared(&raw[..at], port);
    let invalid = || Error::new(Code::InvalidMail, "the bytes contain no mail header");
    let is_mail = |m: &Message<'_>| {
        m.from().or(m.to()).is_some() || m.date().is_some() || m.message_id().or(m.subject()).is_some()
    };
    let message = header::parsed(&head).filter(is_mail).ok_or_else(invalid)?;
    let mut mail = envelope(&message, &raw[..at], vouched);
    let mut root = MimePart::new(message.parts.first(), None, at..raw.len());
    root.split(raw, MAX_LEVEL, port, room);
    let mut body = Body { raw, port, depth, room, found: BodyParts::default() };
    body.part(&root);
    let found = body.found;
    mail.events = found.events;
    fill_text(&mut mail, &found.text, found.forwards);
    Ok(mail)
}

/// Skips the `From ` line of an mbox, a byte order mark and empty lines before a message.
fn without_from_line(raw: &[u8]) -> &[u8] {
    let raw = raw.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(raw);
    let raw = &raw[raw.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0)..];
    match raw.iter().position(|b| *b == b'\n') {
        Some(end) if raw.starts_with(b"From ") => &raw[end + 1..],
        _ => raw,
    }
}

#[derive(Default)]
struct BodyParts {
    text: String,
    forwards: Vec<Mail>,
    events: Vec<invite::Event>,
}

struct Body<'a> {
    raw: &'a [u8],
    port: &'a dyn Charset,
    depth: usize,
    room: &'a mut ReadLimits,
    found: BodyParts,
}

impl Body<'_> {
    fn part(&mut self, part: &MimePart) {
        match part.kind {
            MediaKind::Alternative => self.alternative(&part.children),
            MediaKind::Multipart | MediaKind::Digest => part.children.iter().for_each(|child| self.part(child)),
            MediaKind::Calendar => self.calendar(part),
            MediaKind::Message => self.message(part),
            MediaKind::Text | MediaKind::Page if !part.attached => {
                let said = self.text_of_part(part);
                self.add(&said);
            }
            _ => {}
        }
    }

    /// Of several versions of one body, takes the plain one if it has the page's text.
    fn alternative(&mut self, children: &[MimePart]) {
        let (mut plain, mut page) = (None, None);
        let mut others = Vec::new();
        for part in children {
            match part.kind {
                MediaKind::Text if plain.is_none() => plain = Some(self.text_of_part(part)),
                MediaKind::Page if page.is_none() => page = Some(self.text_of_part(part)),
                // `multipart/related` contains the page and its pictures.
                MediaKind::Alternative | MediaKind::Multipart | MediaKind::Digest if page.is_none() => {
                    let (pages, rest): (Vec<&MimePart>, Vec<&MimePart>) =
                        part.children.iter().partition(|child| child.kind == MediaKind::Page);
                    page = pages.first().map(|html| self.text_of_part(html));
                    others.extend(rest);
                }
                _ => others.push(part),
            }
        }
        match (plain, page) {
            (Some(plain), Some(page)) => self.add(if same_content(&plain, &page) { &plain } else { &page }),
            (one, other) => [one, other].iter().flatten().for_each(|said| self.add(said)),
        }
        others.into_iter().for_each(|other| self.part(other));
    }

    fn add(&mut self, said: &str) {
        let text = said.trim_matches('\n');
        if text.trim().is_empty() {
            return;
        }
        let text = self.room.text(text);
        if !self.found.text.is_empty() && !text.is_empty() {
            self.found.text.push_str("\n\n");
        }
        self.found.text.push_str(text);
    }

    fn bytes(&self, part: &MimePart) -> Vec<u8> {
        let raw = self.raw.get(part.body.clone()).unwrap_or_default();
        match part.encoding {
            Encoding::None => raw.to_vec(),
            Encoding::Base64 => encoded_words::base64(raw),
            Encoding::QuotedPrintable => quoted_printable_decode(raw).unwrap_or_else(|| raw.to_vec()),
        }
    }

    fn decoded(&self, part: &MimePart) -> String {
        let bytes = self.bytes(part);
        let named = || (part.kind == MediaKind::Page).then(|| meta_charset(&bytes)).flatten();
        let label = part.charset.clone().or_else(named);
        charset::text(&bytes, label.as_deref(), self.port)
    }

    fn text_of_part(&mut self, part: &MimePart) -> String {
        let raw = self.decoded(part);
        if part.kind == MediaKind::Page {
            return visible::render(self.room.page(&raw));
        }
        // Invisible characters do not count against the limit.
        let text = clean::text(clean::cut(&raw, MAX_PAGE));
        if part.flowed { unflowed(&text) } else { text }
    }

    fn calendar(&mut self, part: &MimePart) {
        let decoded = self.decoded(part);
        let ics = clean::text(clean::cut(&decoded, MAX_TEXT));
        for event in invite::events(&ics) {
            // An invitation often comes twice, as a part and as a file.
            let same = |e: &invite::Event| !e.uid.is_empty() && e.uid == event.uid && e.start == event.start;
            if self.found.events.len() < MAX_EVENTS && !self.found.events.iter().any(same) {
                self.found.events.push(event);
            }
        }
    }

    fn message(&mut self, part: &MimePart) {
        if self.depth == 0 || !self.room.message() {
            return;
        }
        let bytes = self.bytes(part);
        // A forwarded invitation is not for this reader; it counts as forwarded text.
        if let Ok(inner) = read_within(&bytes, self.port, self.depth - 1, &Vouched::default(), self.room) {
            self.found.forwards.push(inner);
        }
    }
}

fn meta_charset(html: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&html[..html.len().min(2048)]).to_lowercase();
    let at = head.find("charset")?;
    let rest = head[at + 7..].trim_start().strip_prefix('=')?.trim_start_matches(['"', '\'', ' ']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(rest.len());
    (end > 0).then(|| rest[..end].to_owned())
}

/// `format=flowed`: a line that ends in a blank continues.
fn unflowed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open = false;
    for line in text.lines() {
        let quoted = line.starts_with('>');
        let line = line.strip_prefix(' ').unwrap_or(line);
        if !out.is_empty() && (!open || quoted) {
            out.push('\n');
        }
        out.push_str(line);
        open = line.ends_with(' ') && line != "-- " && !quoted;
    }
    out
}

/// Whether a plain body has the page's text: most words of the shorter one are in the other.
fn same_content(plain: &str, page: &str) -> bool {
    let words = |text: &str| -> std::collections::HashSet<String> {
        let word = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        text.split_whitespace().take(20_000).map(word).filter(|w| w.chars().count() > 1).collect()
    };
    let (plain, page) = (words(plain), words(page));
    if page.is_empty() {
        return true;
    }
    let shared = plain.intersection(&page).count();
    // Hidden text of the page does not count, and "view in a browser" is no full plain body.
    shared * 10 >= plain.len() * 9 && shared * 10 >= page.len() * 4
}

fn fill_text(mail: &mut Mail, text: &str, forwards: Vec<Mail>) {
    let passages = quotes::passages(text, &mail.subject, mail.is_reply);
    for QuotedRun { text, forwarded } in passages {
        let author = forwarded.as_ref().map_or(mail.from.as_ref(), |header| header.from.as_ref());
        let (body, signature) = signature::split(&text, author);
        let is_forwarded = forwarded.is_some();
        let header = forwarded.unwrap_or_default();
        let section = Section {
            author: header.from,
            date: header.date.as_deref().and_then(|d| forwarded_date(d, mail.zone)),
            subject: header.subject.map(|s| clean::line(clean::cut(&s, MAX_SUBJECT))),
            forwarded: is_forwarded,
            signature,
            ..Section::default()
        };
        push_section(mail, &body, section);
    }
    for inner in forwards {
        for section in &inner.sections {
            let section = Section {
                author: section.author.clone().or_else(|| inner.from.clone()),
                date: section.date.or(inner.date),
                subject: section.subject.clone().or_else(|| Some(inner.subject.clone())),
                forwarded: true,
                ..section.clone()
            };
            push_section(mail, &inner.text[section.start..section.end], section);
        }
    }
}

/// The paragraphs that speak to an assistant, or all of what fishes for secrets; a block that poses as a program's
/// output counts to its end mark.
fn suspicious(text: &str) -> Vec<std::ops::Range<usize>> {
    if guard::is_fishing(text) {
        return std::iter::once(0..text.len()).collect();
    }
    let mut out: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = 0;
    let mut open = false;
    for paragraph in text.split("\n\n") {
        let end = at + paragraph.len();
        let lower = paragraph.to_lowercase();
        let goes_on = || out.last().is_some_and(|last| last.end + 2 == at) && guard::goes_on(paragraph);
        // "To the assistant of this mailbox:" is one with what follows.
        let with_next = || {
            let next = text.get(end + 2..).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
            paragraph.trim_end().ends_with(':') && guard::is_suspicious(&[paragraph, "\n", next].concat())
        };
        if open || guard::is_suspicious(paragraph) || goes_on() || with_next() {
            match out.last_mut() {
                Some(last) if last.end + 2 == at => last.end = end,
                _ => out.push(at..end),
            }
            let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
            let begins = has(&["### system", "<system", "begin system", "[system]"]);
            let ends = has(&["end system", "</system", "[/system]"]);
            open = (open || begins) && !ends;
        }
        at = end + 2;
    }
    out
}

fn push_section(mail: &mut Mail, text: &str, section: Section) {
    let text = text.trim_matches('\n');
    if text.trim().is_empty() {
        return;
    }
    if !mail.text.is_empty() {
        mail.text.push_str("\n\n");
    }
    let start = mail.text.len();
    mail.text.push_str(text);
    mail.sections.push(Section { start, end: mail.text.len(), ..section });
}

/// FNV-1a with 128 bits: distinguishes deliveries, offers no security.
fn fnv(parts: &[&str]) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for part in parts {
        for byte in part.bytes().chain([0xFF]) {
            hash ^= u128::from(byte);
            hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B);
        }
    }
    hash
}

/// A hash of the author, subject, text and events, without the route.
fn hash(mail: &Mail) -> String {
    let mut events = String::new();
    for event in &mail.events {
        let start = event.start.map_or(0, |start| start.at(mail.zone).begin(mail.zone).millis());
        events.push_str(&format!("{} {start} {} {:?};", event.uid, event.cancelled, event.location));
    }
    let text: Vec<&str> = mail.text.split_whitespace().collect();
    let who = mail.from.as_ref().map_or("", |p| &p.address);
    format!("{:032x}", fnv(&[who, &mail.subject, &text.join(" "), &events]))
}
