//! [`read`]: the bytes of one message → a [`Mail`].
//!
//! It never reads what is attached, and gives an error only for what is no mail at all.

use super::charset::{self, Charset};
use super::envelope::{MAX_SUBJECT, envelope, forwarded_date};
use super::html::{self, Hiding};
use super::mime::{self, Form, Part};
use super::quotes::{self, Passage};
use super::{
    Dropped, DroppedKind, MAX_MESSAGE, Mail, Section, Warning, clean, coding, draft, fields, invite, signature,
};
use crate::language::Lower;
use crate::model::{Time, Zone};
use crate::{Code, Error, Result};
use std::borrow::Cow;

/// The most text that is read of one mail, in bytes: longer mail is lists and logs, and each memory is a sentence.
const MAX_TEXT: usize = 1 << 18;
/// Messages inside of messages.
const MAX_ATTACHED: usize = 3;

/// Reads a message.
///
/// # Errors
/// [`Code::TooLarge`] past [`MAX_MESSAGE`] bytes, [`Code::InvalidMail`] where there is nothing of a mail's header.
pub fn read(raw: &[u8], port: &dyn Charset) -> Result<Mail> {
    read_nested(raw, port, MAX_ATTACHED)
}

fn read_nested(raw: &[u8], port: &dyn Charset, depth: usize) -> Result<Mail> {
    if raw.len() > MAX_MESSAGE {
        let text = format!("the message has {} bytes, more than {MAX_MESSAGE}", raw.len());
        return Err(Error::new(Code::TooLarge, text));
    }
    let raw = without_from_line(raw);
    let message = mime::parse(raw, port);
    let mut mail = envelope(&message, port);
    let known = mail.from.is_some()
        || !mail.warnings.contains(&Warning::Date)
        || !mail.message_id.is_empty()
        || !mail.subject.is_empty()
        || !mail.to.is_empty();
    if !known {
        return Err(Error::new(Code::InvalidMail, "the bytes have no header of a mail"));
    }
    let mut body = Body { port, depth, zone: mail.zone, found: Found::default() };
    body.part(&message, 0);
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
    fn part(&mut self, part: &Part<'_>, level: usize) {
        if level > mime::MAX_LEVEL {
            self.found.warnings.push(Warning::Nesting);
            return;
        }
        let disposition = part.last("Content-Disposition").map(|d| fields::typed(d, self.port)).unwrap_or_default();
        let attached = disposition.name == "attachment";
        let name = disposition.parameter("filename").or_else(|| part.kind.parameter("name"));
        let name = name.map(clean::line).filter(|n| !n.is_empty());
        match part.form {
            Form::Multipart if part.kind.name == "multipart/alternative" => self.alternative(&part.parts, level),
            Form::Multipart => {
                for child in &part.parts {
                    self.part(child, level + 1);
                }
            }
            _ if is_calendar(part) => {
                self.calendar(part);
                self.found.attachments.extend(name);
            }
            Form::Message => self.message(part, name),
            Form::Text | Form::Page if !attached && name.is_none() => {
                let said = self.said(part);
                self.add(said);
            }
            _ => self.found.attachments.extend(name.or_else(|| attached.then(|| "?".to_owned()))),
        }
    }

    /// Of several forms of one body, the plain one where it says what the page shows.
    fn alternative(&mut self, parts: &[Part<'_>], level: usize) {
        let (mut plain, mut page) = (None, None);
        let mut others: Vec<&Part<'_>> = Vec::new();
        for part in parts {
            match part.form {
                Form::Text if plain.is_none() && !is_calendar(part) => plain = Some(self.said(part)),
                Form::Page if page.is_none() => page = Some(self.said(part)),
                // `multipart/related` holds the page and its pictures.
                Form::Multipart if page.is_none() => {
                    page = part.parts.iter().find(|p| p.form == Form::Page).map(|p| self.said(p));
                    others.extend(part.parts.iter().filter(|p| p.form != Form::Page));
                }
                _ => others.push(part),
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
            self.part(other, level + 1);
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
    fn bytes<'b>(&mut self, part: &Part<'b>) -> Cow<'b, [u8]> {
        let encoding = part.last("Content-Transfer-Encoding").unwrap_or_default();
        let (bytes, clean) = match encoding {
            e if e.eq_ignore_ascii_case(b"base64") => coding::base64(part.body),
            e if e.eq_ignore_ascii_case(b"quoted-printable") => coding::quoted(part.body),
            _ => return Cow::Borrowed(part.body),
        };
        if !clean {
            self.found.warnings.push(Warning::Encoding);
        }
        Cow::Owned(bytes)
    }

    fn decoded(&mut self, part: &Part<'_>) -> String {
        let bytes = self.bytes(part);
        let label = part.kind.parameter("charset").map(str::to_owned);
        let label = label.or_else(|| (part.form == Form::Page).then(|| meta_charset(&bytes)).flatten());
        let (text, whole) = charset::text(&bytes, label.as_deref(), self.port);
        if !whole {
            self.found.warnings.push(Warning::Charset);
        }
        text
    }

    fn said(&mut self, part: &Part<'_>) -> Said {
        let raw = self.decoded(part);
        let raw = clean::cut(&raw, MAX_MESSAGE / 4);
        if part.form == Form::Page {
            let page = html::render(raw);
            let mut dropped: Vec<Dropped> = page.hidden.iter().map(|(why, text)| dropped(kind(*why), text)).collect();
            note_taken(&mut dropped, page.taken);
            return Said { text: page.text, dropped };
        }
        let (text, taken) = clean::text(raw);
        let mut dropped = Vec::new();
        note_taken(&mut dropped, taken);
        let flowed = part.kind.parameter("format").is_some_and(|f| f.eq_ignore_ascii_case("flowed"));
        Said { text: if flowed { unflowed(&text) } else { text }, dropped }
    }

    fn calendar(&mut self, part: &Part<'_>) {
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
    fn message(&mut self, part: &Part<'_>, name: Option<String>) {
        if self.depth == 0 {
            self.found.warnings.push(Warning::Nesting);
            return;
        }
        let bytes = self.bytes(part);
        match read_nested(&bytes, self.port, self.depth - 1) {
            Ok(inner) => {
                self.found.events.extend(inner.events.iter().cloned());
                self.found.dropped.extend(inner.dropped.iter().cloned());
                self.found.forwards.push(inner);
            }
            Err(_) if name.is_some() => self.found.attachments.extend(name),
            // What only says that it is a message is read as the text that it is.
            Err(_) => {
                let said = self.said(part);
                self.add(said);
            }
        }
    }
}

fn is_calendar(part: &Part<'_>) -> bool {
    matches!(part.kind.name.as_str(), "text/calendar" | "application/ics")
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
