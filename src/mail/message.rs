//! [`read`]: the bytes of one message → a [`Mail`].
//!
//! It never reads what is attached, and gives an error only for what is no mail at all.

use super::charset::{self, Charset};
use super::envelope::{MAX_SUBJECT, envelope, forwarded_date};
use super::html::{self, Hiding};
use super::quotes::{self, Passage};
use super::sender::Vouched;
use super::{Dropped, DroppedKind, MAX_MESSAGE, Mail, Section, Warning, clean, draft, invite, signature, words};
use crate::language::Lower;
use crate::model::{Time, Zone};
use crate::{Code, Error, Result, order};
use mail_parser::decoders::{base64::base64_decode, quoted_printable::quoted_printable_decode};
use mail_parser::{Encoding, Message, MessageParser, MessagePart, MimeHeaders, PartType};

/// The most text that is read of one mail, in bytes: longer mail is lists and logs, and each memory is a sentence.
const MAX_TEXT: usize = 1 << 18;
/// Messages inside of messages.
const MAX_ATTACHED: usize = 3;

/// Reads a message.
///
/// # Errors
/// [`Code::TooLarge`] past [`MAX_MESSAGE`] bytes, [`Code::InvalidMail`] where there is nothing of a mail's header.
pub fn read(raw: &[u8], port: &dyn Charset) -> Result<Mail> {
    read_vouched(raw, port, &Vouched::default())
}

/// Reads a message of which its host vouches for something.
///
/// # Errors
/// As [`read`].
pub fn read_vouched(raw: &[u8], port: &dyn Charset, vouched: &Vouched) -> Result<Mail> {
    read_nested(raw, port, MAX_ATTACHED, vouched)
}

fn read_nested(raw: &[u8], port: &dyn Charset, depth: usize, vouched: &Vouched) -> Result<Mail> {
    if raw.len() > MAX_MESSAGE {
        let text = format!("the message has {} bytes, more than {MAX_MESSAGE}", raw.len());
        return Err(Error::new(Code::TooLarge, text));
    }
    let raw = without_from_line(raw);
    let utf8 = headers_in_utf8(raw, port);
    let raw = utf8.as_deref().unwrap_or(raw);
    let invalid = || Error::new(Code::InvalidMail, "the bytes have no header of a mail");
    let message = MessageParser::default().parse(raw).ok_or_else(invalid)?;
    let known = message.from().is_some()
        || message.date().is_some()
        || message.message_id().is_some()
        || message.subject().is_some()
        || message.to().is_some();
    if !known {
        return Err(invalid());
    }
    let mut mail = envelope(&message, vouched);
    let mut body = Body { raw, port, depth, zone: mail.zone, found: Found::default() };
    body.part(&message, 0, 0);
    let found = body.found;
    mail.attachments = found.attachments;
    mail.events = found.events;
    mail.dropped = found.dropped;
    mail.warnings.extend(found.warnings);
    mail.warnings.dedup();
    fill_text(&mut mail, &found.text, found.forwards);
    mail.suspicious = suspicious(&mail.text);
    mail.hash = hash(&mail);
    if mail.message_id.is_empty() {
        let who = mail.from.as_ref().map_or("", |p| &p.address);
        let when = mail.date.map_or(0, Time::millis);
        mail.message_id = format!("<{:032x}@no-message-id.invalid>", fnv(&[who, &when.to_string(), &mail.hash]));
        mail.warnings.push(Warning::MessageId);
    }
    if mail.thread_id.is_empty() {
        mail.thread_id.clone_from(&mail.message_id);
    }
    Ok(mail)
}

/// A single message may come with the `From ` line of an mbox, a byte order mark or empty lines before it.
fn without_from_line(raw: &[u8]) -> &[u8] {
    let raw = raw.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(raw);
    let raw = &raw[raw.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0)..];
    match raw.iter().position(|b| *b == b'\n') {
        Some(end) if raw.starts_with(b"From ") => &raw[end + 1..],
        _ => raw,
    }
}

/// The message with all its header blocks in UTF-8; `None` where they are already.
fn headers_in_utf8(raw: &[u8], port: &dyn Charset) -> Option<Vec<u8>> {
    let first = header_end(raw);
    // Names of attached files stand in the headers of parts; one scan tells whether any is foreign.
    let rest_is_plain = !raw[first..].windows(2).any(|w| w == b"=?" || w == b"''");
    if rest_is_plain {
        let mut head = words::to_utf8(&raw[..first], port)?;
        head.extend_from_slice(&raw[first..]);
        return Some(head);
    }
    let message = MessageParser::default().parse(raw)?;
    let mut blocks: Vec<(usize, usize)> =
        message.parts.iter().map(|p| (p.offset_header as usize, p.offset_body as usize)).collect();
    order::sort(&mut blocks, Ord::cmp);
    let mut out = Vec::with_capacity(raw.len());
    let (mut at, mut changed) = (0, false);
    for (from, to) in blocks {
        if from < at || to < from || to > raw.len() {
            continue;
        }
        if let Some(block) = words::to_utf8(&raw[from..to], port) {
            out.extend_from_slice(&raw[at..from]);
            out.extend_from_slice(&block);
            at = to;
            changed = true;
        }
    }
    out.extend_from_slice(&raw[at..]);
    changed.then_some(out)
}

fn header_end(raw: &[u8]) -> usize {
    let mut at = 0;
    for line in raw.split_inclusive(|b| *b == b'\n') {
        if line == b"\n" || line == b"\r\n" {
            return at;
        }
        at += line.len();
    }
    at
}

#[derive(Default)]
struct Found {
    text: String,
    forwards: Vec<Mail>,
    attachments: Vec<String>,
    events: Vec<invite::Event>,
    dropped: Vec<Dropped>,
    warnings: Vec<Warning>,
}

struct Body<'a> {
    raw: &'a [u8],
    port: &'a dyn Charset,
    depth: usize,
    zone: Zone,
    found: Found,
}

/// What one text part says.
struct Said {
    text: String,
    dropped: Vec<Dropped>,
}

impl Body<'_> {
    /// Takes what a part and the parts in it say.
    fn part(&mut self, message: &Message<'_>, at: u32, level: usize) {
        const MAX_LEVEL: usize = 50;
        let Some(part) = message.parts.get(at as usize) else { return };
        if level > MAX_LEVEL {
            self.found.warnings.push(Warning::Nesting);
            return;
        }
        let kind = part.content_type();
        let is = |main: &str, sub: &str| {
            kind.is_some_and(|k| {
                k.ctype().eq_ignore_ascii_case(main) && k.subtype().unwrap_or_default().eq_ignore_ascii_case(sub)
            })
        };
        let attached = part.content_disposition().is_some_and(|d| d.ctype().eq_ignore_ascii_case("attachment"));
        let name = part.attachment_name().map(clean::line).filter(|n| !n.is_empty());
        match &part.body {
            PartType::Multipart(children) if is("multipart", "alternative") => {
                self.alternative(message, children, level)
            }
            PartType::Multipart(children) => {
                for child in children {
                    self.part(message, *child, level + 1);
                }
            }
            _ if is("text", "calendar") || is("application", "ics") => {
                self.calendar(part);
                self.found.attachments.extend(name);
            }
            PartType::Message(_) => self.message(part, name),
            PartType::Text(_) | PartType::Html(_) if !attached && name.is_none() => {
                let said = self.said(part);
                self.add(said);
            }
            _ => self.found.attachments.extend(name.or_else(|| attached.then(|| "?".to_owned()))),
        }
    }

    /// Of several forms of one body, the plain one where it says what the page shows.
    fn alternative(&mut self, message: &Message<'_>, children: &[u32], level: usize) {
        let (mut plain, mut page) = (None, None);
        let mut others = Vec::new();
        for child in children {
            let Some(part) = message.parts.get(*child as usize) else { continue };
            let calendar = part.content_type().is_some_and(|k| {
                k.subtype().is_some_and(|s| s.eq_ignore_ascii_case("calendar") || s.eq_ignore_ascii_case("ics"))
            });
            match &part.body {
                PartType::Text(_) if plain.is_none() && !calendar => plain = Some(self.said(part)),
                PartType::Html(_) if page.is_none() => page = Some(self.said(part)),
                // `multipart/related` holds the page and its pictures.
                PartType::Multipart(inner) if page.is_none() => {
                    let html = inner.iter().filter_map(|i| message.parts.get(*i as usize));
                    page = html.into_iter().find(|p| matches!(p.body, PartType::Html(_))).map(|p| self.said(p));
                    others.extend(inner.iter().copied().filter(|i| {
                        message.parts.get(*i as usize).is_some_and(|p| !matches!(p.body, PartType::Html(_)))
                    }));
                }
                _ => others.push(*child),
            }
        }
        match (plain, page) {
            (Some(plain), Some(page)) => {
                let mut page_dropped = page.dropped;
                if same_content(&plain.text, &page.text) {
                    self.found.dropped.append(&mut page_dropped);
                    self.add(plain);
                } else {
                    if plain.text.contains(char::is_alphanumeric) {
                        page_dropped.push(dropped(DroppedKind::OtherBody, &plain.text));
                    }
                    self.add(Said { text: page.text, dropped: page_dropped });
                }
            }
            (one, other) => {
                for said in [one, other].into_iter().flatten() {
                    self.add(said);
                }
            }
        }
        for other in others {
            self.part(message, other, level + 1);
        }
    }

    fn add(&mut self, said: Said) {
        self.found.dropped.extend(said.dropped);
        if said.text.trim().is_empty() || self.found.text.len() >= MAX_TEXT {
            return;
        }
        if !self.found.text.is_empty() {
            self.found.text.push_str("\n\n");
        }
        let room = MAX_TEXT - self.found.text.len().min(MAX_TEXT);
        self.found.text.push_str(clean::cut(&said.text, room));
    }

    /// The part's bytes, its transfer encoding undone.
    fn bytes(&mut self, part: &MessagePart<'_>) -> Vec<u8> {
        let (from, to) = (part.offset_body as usize, part.offset_end as usize);
        let raw = self.raw.get(from..to.min(self.raw.len())).unwrap_or_default();
        // The parser takes what it cannot decode for plain.
        let declared = part.content_transfer_encoding().filter(|_| part.is_encoding_problem);
        let broken = declared.is_some_and(|e| e.eq_ignore_ascii_case("base64"));
        match if broken { Encoding::Base64 } else { part.encoding } {
            Encoding::None => raw.to_vec(),
            Encoding::Base64 => base64_decode(raw).unwrap_or_else(|| {
                self.found.warnings.push(Warning::Encoding);
                words::lenient_base64(raw)
            }),
            Encoding::QuotedPrintable => quoted_printable_decode(raw).unwrap_or_else(|| {
                self.found.warnings.push(Warning::Encoding);
                raw.to_vec()
            }),
        }
    }

    fn decoded(&mut self, part: &MessagePart<'_>) -> String {
        let bytes = self.bytes(part);
        let label = part.content_type().and_then(|k| k.attribute("charset")).map(str::to_owned);
        let label = label.or_else(|| matches!(part.body, PartType::Html(_)).then(|| meta_charset(&bytes)).flatten());
        let (text, whole) = charset::text(&bytes, label.as_deref(), self.port);
        if !whole {
            self.found.warnings.push(Warning::Charset);
        }
        text
    }

    fn said(&mut self, part: &MessagePart<'_>) -> Said {
        let raw = self.decoded(part);
        let raw = clean::cut(&raw, MAX_MESSAGE / 4);
        if matches!(part.body, PartType::Html(_)) {
            let page = html::render(raw);
            let mut dropped: Vec<Dropped> = page.hidden.iter().map(|(why, text)| dropped(kind(*why), text)).collect();
            note_taken(&mut dropped, page.taken);
            return Said { text: page.text, dropped };
        }
        let (text, taken) = clean::text(raw);
        let mut dropped = Vec::new();
        note_taken(&mut dropped, taken);
        let flowed = part
            .content_type()
            .is_some_and(|k| k.attribute("format").is_some_and(|f| f.eq_ignore_ascii_case("flowed")));
        Said { text: if flowed { unflowed(&text) } else { text }, dropped }
    }

    fn calendar(&mut self, part: &MessagePart<'_>) {
        let (ics, _) = clean::text(&self.decoded(part));
        for event in invite::events(&ics, self.zone) {
            // An invitation often comes twice, as a part and as a file.
            let same = |e: &invite::Event| !e.uid.is_empty() && e.uid == event.uid && e.start == event.start;
            if !self.found.events.iter().any(same) {
                self.found.events.push(event);
            }
        }
    }

    /// A message that is attached whole: forwarded.
    fn message(&mut self, part: &MessagePart<'_>, name: Option<String>) {
        if self.depth == 0 {
            self.found.warnings.push(Warning::Nesting);
            return;
        }
        let bytes = self.bytes(part);
        match read_nested(&bytes, self.port, self.depth - 1, &Vouched::default()) {
            Ok(inner) => {
                self.found.events.extend(inner.events.iter().cloned());
                self.found.dropped.extend(inner.dropped.iter().cloned());
                self.found.forwards.push(inner);
            }
            Err(_) => self.found.attachments.extend(name.or_else(|| Some("?".to_owned()))),
        }
    }
}

fn note_taken(dropped: &mut Vec<Dropped>, taken: clean::Taken) {
    // One or two zero-width characters are typing; more, or any tag character, is worth a word.
    if taken.tags > 0 || taken.invisible > 2 {
        let text = format!("{} zero-width, {} tag characters", taken.invisible, taken.tags);
        dropped.push(Dropped { what: DroppedKind::Invisible, text });
    }
}

fn kind(why: Hiding) -> DroppedKind {
    match why {
        Hiding::NotShown => DroppedKind::Hidden,
        Hiding::NoSize => DroppedKind::Tiny,
        Hiding::NoContrast => DroppedKind::NoContrast,
        Hiding::OffPage => DroppedKind::OffPage,
        Hiding::Comment => DroppedKind::Comment,
        Hiding::Struck => DroppedKind::Struck,
    }
}

fn dropped(what: DroppedKind, text: &str) -> Dropped {
    Dropped { what, text: clean::line(text).chars().take(500).collect() }
}

/// The charset that a page names in its own head.
fn meta_charset(html: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&html[..html.len().min(2048)]).lower();
    let at = head.find("charset")?;
    let rest = head[at + 7..].trim_start().strip_prefix('=')?.trim_start_matches(['"', '\'', ' ']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(rest.len());
    (end > 0).then(|| rest[..end].to_owned())
}

/// `format=flowed`: a line that ends in a blank goes on.
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

/// Whether a plain body says what the page shows: most of the shorter one's words are in the other.
fn same_content(plain: &str, page: &str) -> bool {
    let words = |text: &str| -> std::collections::HashSet<String> {
        let word = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).lower();
        text.split_whitespace().take(20_000).map(word).filter(|w| w.chars().count() > 1).collect()
    };
    let (plain, page) = (words(plain), words(page));
    if page.is_empty() {
        return true;
    }
    let shared = plain.intersection(&page).count();
    // Nearly all of the plain words are shown, and the plain body is no mere "view in a browser".
    shared * 10 >= plain.len() * 6 && shared * 10 >= page.len() * 4
}

/// Cuts the text into the sections that are to be read.
fn fill_text(mail: &mut Mail, text: &str, forwards: Vec<Mail>) {
    let passages = quotes::passages(text, &mail.subject, mail.is_reply);
    for Passage { text, forwarded } in passages {
        let author = match &forwarded {
            Some(header) => header.from.clone(),
            None => mail.from.clone(),
        };
        let (body, signature) = signature::split(&text, author.as_ref());
        let section = match forwarded {
            Some(header) => Section {
                author: header.from,
                date: header.date.as_deref().and_then(|d| forwarded_date(d, mail.zone)),
                subject: header.subject.map(|s| clean::line(clean::cut(&s, MAX_SUBJECT))),
                forwarded: true,
                signature,
                ..Section::default()
            },
            None => Section { signature, ..Section::default() },
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
        mail.attachments.extend(inner.attachments);
    }
}

/// The paragraphs that speak to an assistant; a block that poses as a program's output counts to its end mark.
fn suspicious(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut out: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = 0;
    let mut open = false;
    for paragraph in text.split("\n\n") {
        let end = at + paragraph.len();
        let lower = paragraph.lower();
        if open || draft::is_suspicious(paragraph) {
            match out.last_mut() {
                Some(last) if last.end + 2 == at => last.end = end,
                _ => out.push(at..end),
            }
            let begins = lower.contains("### system")
                || lower.contains("<system")
                || lower.contains("begin system")
                || lower.contains("[system]");
            let ends = lower.contains("end system") || lower.contains("</system") || lower.contains("[/system]");
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

/// FNV-1a over 128 bits: tells deliveries apart, guards nothing.
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

/// A hash of what the mail says: its subject, text and events, not the route that it took.
fn hash(mail: &Mail) -> String {
    let mut events = String::new();
    for event in &mail.events {
        let start = event.start.map_or(0, Time::millis);
        events.push_str(&format!("{} {start} {} {:?};", event.uid, event.cancelled, event.location));
    }
    let text: Vec<&str> = mail.text.split_whitespace().collect();
    format!("{:032x}", fnv(&[&mail.subject, &text.join(" "), &events]))
}
