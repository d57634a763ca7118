//! The values of header fields: text with encoded words, addresses, identifiers, dates, types with parameters.
//!
//! It never sees a body, and takes broken values for as much as can be read of them.

use super::charset::{self, Charset};
use super::clean;
use super::coding::{base64, hex, quoted};
use chrono::NaiveDate;
use std::borrow::Cow;

/// The most of an encoded word that is looked at, in bytes.
const MAX_WORD: usize = 20_000;
/// The most parameters of a type, and pieces of them.
const MAX_PARAMETERS: usize = 100;

/// The text of a value: encoded words decoded, 8-bit text in the charset that it is most likely in.
pub(super) fn text(value: &[u8], port: &dyn Charset) -> String {
    let value = characters(value, port);
    let mut out = String::with_capacity(value.len());
    let mut rest = &*value;
    while let Some(at) = rest.find("=?") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match words(from, port) {
            Some((words, after)) => {
                apart(&mut out);
                out.push_str(&words);
                rest = after;
                if rest.starts_with(|c: char| !c.is_whitespace()) {
                    apart(&mut out);
                }
            }
            None => {
                out.push_str("=?");
                rest = &from[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Encoded words are words: a blank stands around them whether or not it was written.
fn apart(out: &mut String) {
    if !out.is_empty() && !out.ends_with(char::is_whitespace) {
        out.push(' ');
    }
}

fn characters<'a>(value: &'a [u8], port: &dyn Charset) -> Cow<'a, str> {
    if let Ok(text) = std::str::from_utf8(value) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(value.len() * 2);
    for line in value.split_inclusive(|b| *b == b'\n') {
        // What is ASCII says nothing about the charset of the rest.
        let (plain, foreign) = line.split_at(line.iter().position(|b| *b >= 0x80).unwrap_or(line.len()));
        let plain = String::from_utf8_lossy(plain);
        // Within an encoded word, whose bytes should have been encoded, it is the word's.
        let word = plain.rsplit_once("=?").and_then(|(_, word)| word.split_once('?'));
        let label = word.filter(|(_, data)| data.matches('?').count() == 1).map(|(label, _)| label);
        out.push_str(&plain);
        out.push_str(&charset::text(foreign, label, port).0);
    }
    Cow::Owned(out)
}

/// `=?label?B?data?=` at the start of a text: the label, its bytes, and what follows.
fn word(text: &str) -> Option<(&str, Vec<u8>, &str)> {
    let mut fields = text.strip_prefix("=?")?.splitn(3, '?');
    let label = fields.next().filter(|l| (2..=40).contains(&l.len()))?;
    let encoding = fields.next()?;
    let data = fields.next()?;
    let (data, after) = data.split_at(clean::cut(data, MAX_WORD).find("?=")?);
    let bytes = match encoding {
        "B" | "b" => base64(data.as_bytes()).0,
        "Q" | "q" => quoted(data.replace('_', " ").as_bytes()).0,
        _ => return None,
    };
    // RFC 2231 lets a language follow the charset: `=?euc-kr*ko?…`.
    Some((label.split('*').next().unwrap_or(label), bytes, &after[2..]))
}

/// The encoded words at the start of a text, and what follows. Neighbours of one charset are decoded together: mailers
/// split them inside a character.
fn words<'a>(text: &'a str, port: &dyn Charset) -> Option<(String, &'a str)> {
    let (mut label, mut bytes, mut rest) = word(text)?;
    let mut out = String::new();
    while let Some((next, more, after)) = word(rest.trim_start()) {
        if !next.eq_ignore_ascii_case(label) {
            out.push_str(&charset::text(&bytes, Some(label), port).0);
            bytes.clear();
        }
        bytes.extend_from_slice(&more);
        (label, rest) = (next, after);
    }
    out.push_str(&charset::text(&bytes, Some(label), port).0);
    Some((out, rest))
}

/// The identifiers of a value, without their brackets; one without brackets is what stands there.
pub(super) fn ids(value: &[u8]) -> Vec<String> {
    let value = String::from_utf8_lossy(value);
    let found: Vec<String> = value
        .split('<')
        .skip(1)
        .filter_map(|from| from.split_once('>'))
        .map(|(id, _)| id.trim().to_owned())
        .filter(|id| !id.is_empty())
        .collect();
    match value.trim() {
        bare if found.is_empty() && !bare.is_empty() && !bare.starts_with('<') => vec![bare.to_owned()],
        _ => found,
    }
}

/// A name and an address, either of which may be absent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mailbox {
    pub name: Option<String>,
    pub address: Option<String>,
}

/// An address while it is read.
#[derive(Default)]
struct Reading {
    name: String,
    comment: String,
    address: Option<String>,
    /// Whether an `@` stands in the name outside of quotes.
    bare: bool,
}

impl Reading {
    /// The mailbox that was read; the next begins.
    fn done(&mut self) -> Option<Mailbox> {
        let Self { name, comment, address, bare } = std::mem::take(self);
        let some = |text: &str| Some(text.trim().to_owned()).filter(|t| !t.is_empty());
        let (name, comment) = (some(&name), some(&comment));
        let (name, address) = match (address.and_then(|a| some(&a)), bare) {
            (None, true) => (None, name),
            (address, _) => (name, address),
        };
        let (name, address) = match (name, comment, address) {
            // `kim@x.example (Kim)`, and a user of this machine: `kim (Kim)`.
            (Some(user), comment @ Some(_), None) if !user.contains(char::is_whitespace) => (comment, Some(user)),
            (Some(name), Some(comment), address) => (Some(format!("{name} ({comment})")), address),
            (name, comment, address) => (name.or(comment), address),
        };
        (name.is_some() || address.is_some()).then_some(Mailbox { name, address })
    }
}

/// At most so many mailboxes of a value; the names of groups are left out.
pub(super) fn mailboxes(value: &[u8], most: usize, port: &dyn Charset) -> Vec<Mailbox> {
    let value = characters(value, port);
    let mut found = Vec::new();
    let mut now = Reading::default();
    let mut rest = &*value;
    while let Some(c) = rest.chars().next().filter(|_| found.len() < most) {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '"' => {
                let (inner, after) = enclosed(after, None, '"');
                apart_name(&mut now.name);
                now.name.push_str(&text(inner.as_bytes(), port));
                after
            }
            '(' => {
                let (inner, after) = enclosed(after, Some('('), ')');
                apart_name(&mut now.comment);
                now.comment.push_str(&text(inner.as_bytes(), port));
                after
            }
            '<' => {
                let (inner, after) = after.split_once('>').unwrap_or((after, ""));
                now.address = Some(inner.to_owned());
                now.bare = false;
                after
            }
            '=' if rest.starts_with("=?") => match words(rest, port) {
                Some((words, after)) => {
                    apart_name(&mut now.name);
                    now.name.push_str(&words);
                    now.name.push(' ');
                    after
                }
                None => {
                    now.name.push(c);
                    after
                }
            },
            ',' | ';' => {
                found.extend(now.done());
                after
            }
            // What stood before was the name of a group.
            ':' => {
                now = Reading::default();
                after
            }
            _ => {
                now.bare |= c == '@' && now.address.is_none();
                now.name.push(c);
                after
            }
        };
    }
    found.extend(now.done().filter(|_| found.len() < most));
    found
}

fn apart_name(name: &mut String) {
    if !name.is_empty() && !name.ends_with(' ') {
        name.push(' ');
    }
}

/// What stands up to the closing mark, escapes resolved, and what follows; `open` may lie in itself.
fn enclosed(text: &str, open: Option<char>, close: char) -> (String, &str) {
    let mut inner = String::new();
    let mut depth = 1;
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => inner.extend(characters.next().map(|(_, c)| c)),
            _ if c == close && depth == 1 => return (inner, &text[at + c.len_utf8()..]),
            _ => {
                depth += usize::from(open == Some(c));
                depth -= usize::from(c == close);
                inner.push(c);
            }
        }
    }
    (inner, "")
}

/// The seconds since 1970 and the minutes east of Greenwich that a value says. Its weekday and comments do not count.
pub(super) fn date(value: &[u8]) -> Option<(i64, i32)> {
    const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";
    let value = String::from_utf8_lossy(value);
    let plain = value.split('(').next().unwrap_or_default().to_ascii_lowercase();
    let mut fields = plain.split([' ', '\t', '\r', '\n', ',']).filter(|f| !f.is_empty());
    let mut field = fields.find(|f| f.starts_with(|c: char| c.is_ascii_digit()))?;
    // "14-may-2025" for "14 may 2025".
    let mut parts = field.split('-');
    field = parts.next()?;
    let day: u32 = field.parse().ok()?;
    let mut next = || parts.next().or_else(|| fields.next());
    let month = next()?;
    let month = match MONTHS.find(month.get(..3).unwrap_or("-")) {
        Some(at) if at % 3 == 0 => at as u32 / 3 + 1,
        _ => month.parse().ok()?,
    };
    let year = match next()?.parse().ok()? {
        short @ 0..=49 => short + 2000,
        short @ 50..=99 => short + 1900,
        year => year,
    };
    let mut clock = fields.next()?.split(':').map(|n| n.parse::<u32>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next().unwrap_or(Some(0))?, clock.next().unwrap_or(Some(0))?);
    let at = NaiveDate::from_ymd_opt(Some(year).filter(|y| *y <= 3000)?, month, day)?.and_hms_opt(
        hour,
        minute,
        second.min(59),
    )?;
    let east = zone(fields.next()?);
    Some((at.and_utc().timestamp() - i64::from(east) * 60, east))
}

/// The minutes east of Greenwich of `+0900` or a name; unknown names are Greenwich.
fn zone(name: &str) -> i32 {
    if let Some(digits) = name.strip_prefix(['+', '-']) {
        let n: i32 = digits.replace(':', "").parse().unwrap_or(0);
        let minutes = n / 100 % 24 * 60 + n % 100 % 60;
        return if name.starts_with('-') { -minutes } else { minutes };
    }
    match name {
        "edt" => -240,
        "est" | "cdt" => -300,
        "cst" | "mdt" => -360,
        "mst" | "pdt" => -420,
        "pst" => -480,
        _ => 0,
    }
}

/// A name and its parameters, as a content type and a disposition have; the names in lower case.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    pub name: String,
    parameters: Vec<(String, String)>,
}

impl Typed {
    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|p| p.0 == name).map(|p| p.1.as_str())
    }
}

/// A name and its parameters: `text/plain; charset="euc-kr"; name*0*=utf-8''%ED…`.
pub(super) fn typed(value: &[u8], port: &dyn Charset) -> Typed {
    let value = characters(value, port);
    let name = value.split([';', '(']).next().unwrap_or_default();
    let mut rest = value.split_once(';').map_or("", |(_, rest)| rest);
    let name: String = name.chars().filter(|c| !c.is_whitespace()).collect();
    let mut typed = Typed { name: name.to_ascii_lowercase(), parameters: Vec::new() };
    // Pieces of values that came in several: their parameter, their place, and whether they are per-cent encoded.
    let mut pieces: Vec<(String, u32, bool, String)> = Vec::new();
    while !rest.is_empty() && pieces.len() + typed.parameters.len() < MAX_PARAMETERS {
        let end = rest.find(['=', ';']).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        let key = key.trim().to_ascii_lowercase();
        let Some(after) = after.strip_prefix('=') else {
            rest = after.get(1..).unwrap_or("");
            continue;
        };
        let after = after.trim_start();
        let mut written;
        (written, rest) = match after.strip_prefix('"') {
            Some(after) => enclosed(after, None, '"'),
            None => {
                let (plain, after) = after.split_once(';').unwrap_or((after, ""));
                (plain.split(" (").next().unwrap_or_default().trim().to_owned(), after)
            }
        };
        written.retain(|c| !matches!(c, '\r' | '\n'));
        match key.split_once('*') {
            None => typed.parameters.push((key, text(written.as_bytes(), port))),
            Some((name, place)) => {
                let number = place.trim_end_matches('*').parse().unwrap_or(0);
                pieces.push((name.to_owned(), number, !place.ends_with(|c: char| c.is_ascii_digit()), written));
            }
        }
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n', ';']);
    }
    while let Some((name, ..)) = pieces.first().cloned() {
        let (mut bytes, mut label) = (Vec::new(), None);
        let mut place = 0;
        while let Some(n) = pieces.iter().position(|p| p.0 == name && p.1 == place) {
            let (_, _, encoded, written) = pieces.remove(n);
            let mut written = written.as_str();
            if encoded
                && place == 0
                && let Some((said, more)) = written.split_once('\'')
            {
                label = Some(said.to_owned()).filter(|l| !l.is_empty());
                written = more.split_once('\'').map_or(more, |(_, data)| data);
            }
            bytes.extend_from_slice(&if encoded {
                hex(written.as_bytes(), b'%').0
            } else {
                written.as_bytes().to_vec()
            });
            place += 1;
        }
        pieces.retain(|p| p.0 != name);
        typed.parameters.push((name, charset::text(&bytes, label.as_deref(), port).0));
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::HostCharset;

    fn read(value: &[u8]) -> String {
        text(value, &HostCharset)
    }

    #[test]
    fn encoded_words_read_in_any_charset() {
        for (value, plain) in [
            (&b"=?EUC-KR?B?x9Gx2w==?= 1"[..], "한글 1"),
            (b"=?ks_c_5601-1987?Q?=C7=D1=B1=DB_2?=", "한글 2"),
            (b"=?ISO-2022-KR?B?GyQpQw5HUTFbDw==?=", "한글"),
            (b"=?iso-8859-1?Q?Keld_J=F8rn?=", "Keld Jørn"),
            (b"=?utf-8*ko?b?7ZWc6riA?=!", "한글 !"),
            (b"[a]=?utf-8?b?7ZWc6riA?=", "[a] 한글"),
            (b"\xC7\xD1\xB1\xDB", "한글"),
            (b"Die Fr\xF6sche", "Die Frösche"),
            (b"=?iso-8859-1?Q?M\xFCller?= <mueller@x.example>", "Müller <mueller@x.example>"),
            (b"=?euc-kr?Q?\xC7\xD1\xB1\xDB?=", "한글"),
            ("한글".as_bytes(), "한글"),
        ] {
            assert_eq!(read(value), plain);
        }
    }

    #[test]
    fn a_character_split_over_two_words_is_whole() {
        assert_eq!(read(b"=?EUC-KR?B?x9Gx?=\r\n =?EUC-KR?B?2w==?="), "한글");
        assert_eq!(read(b"=?UTF-8?Q?=ED=95?= =?utf-8?B?nOq4gA==?="), "한글");
    }

    #[test]
    fn broken_words_stay_as_they_are() {
        for broken in ["=?", "=?euc-kr", "=?euc-kr?B", "=?euc-kr?B?", "=?euc-kr?B?x9G", "=?euc-kr?X?x?=", "*=''"] {
            assert_eq!(read(broken.as_bytes()), broken);
        }
    }

    #[test]
    fn mailboxes_are_told_apart() {
        let read = |value: &str| -> Vec<(String, String)> {
            let found = mailboxes(value.as_bytes(), 10, &HostCharset);
            found.into_iter().map(|m| (m.name.unwrap_or_default(), m.address.unwrap_or_default())).collect()
        };
        for (value, wanted) in [
            ("a@x.example", vec![("", "a@x.example")]),
            ("Kim, Lee <b@x.example>", vec![("Kim", ""), ("Lee", "b@x.example")]),
            ("\"Kim, \\\"A\\\"\" <a@x.example>, b@x.example", vec![("Kim, \"A\"", "a@x.example"), ("", "b@x.example")]),
            ("a@x.example (Kim (A))", vec![("Kim (A)", "a@x.example")]),
            ("Kim <a@x.example> (home)", vec![("Kim (home)", "a@x.example")]),
            ("Team: a@x.example, B <b@x.example>;", vec![("", "a@x.example"), ("B", "b@x.example")]),
            ("undisclosed-recipients:;", vec![]),
            ("=?EUC-KR?B?x9Gx2ywg?= <a@b.example>", vec![("한글,", "a@b.example")]),
            ("\"=?utf-8?b?7ZWc6riA?=\" <a@b.example", vec![("한글", "a@b.example")]),
            ("a@x.example <b@x.example>", vec![("a@x.example", "b@x.example")]),
        ] {
            let wanted: Vec<_> = wanted.into_iter().map(|(n, a)| (n.to_owned(), a.to_owned())).collect();
            assert_eq!(read(value), wanted, "{value}");
        }
        assert_eq!(read(&"a@x.example,".repeat(50)).len(), 10);
    }

    #[test]
    fn identifiers_stand_in_brackets() {
        assert_eq!(ids(b"<a@x>\r\n <b@x>"), ["a@x", "b@x"]);
        assert_eq!(ids(b"a@x"), ["a@x"]);
        assert!(ids(b"<>").is_empty() && ids(b"<a@x").is_empty() && ids(b" ").is_empty());
    }

    #[test]
    fn dates_read_as_mailers_write_them() {
        for (value, wanted) in [
            ("Wed, 14 May 2025 10:20:00 +0900 (KST)", Some((1_747_185_600, 540))),
            ("14 May 2025 01:20 GMT", Some((1_747_185_600, 0))),
            ("Tue, 13 May 25 20:20:00 EST", Some((1_747_185_600, -300))),
            ("14-May-2025 10:20:00 +09:00", Some((1_747_185_600, 540))),
            ("Wed, 14 May 2025", None),
            ("Thu, 30 Feb 2025 10:20:00 +0900", None),
            ("tomorrow", None),
            ("99999999999 May 2025 10:20:00 +0900", None),
        ] {
            assert_eq!(date(value.as_bytes()), wanted, "{value}");
        }
    }

    #[test]
    fn parameters_come_plain_quoted_encoded_and_in_pieces() {
        let read = |value: &str, name: &str| typed(value.as_bytes(), &HostCharset).parameter(name).map(str::to_owned);
        for (value, name, wanted) in [
            ("text/plain; charset=euc-kr", "charset", "euc-kr"),
            ("Text/Plain;\r\n\tCHARSET = \"EUC-KR\" (old)", "charset", "EUC-KR"),
            ("multipart/mixed; boundary=\"a;=\\\"b\r\n c\"; x=y", "boundary", "a;=\"b c"),
            ("a; filename*=euc-kr''%C7%D1%B1%DB.pdf", "filename", "한글.pdf"),
            ("a; filename*1*=%9C.pdf; filename*0*=utf-8''%ED%95", "filename", "한.pdf"),
            ("a; filename*0=\"one \"; filename*1=two.pdf", "filename", "one two.pdf"),
            ("a; name==?utf-8?b?7ZWc6riA?=.pdf", "name", "한글 .pdf"),
            ("a; filename=my file (1).pdf", "filename", "my file"),
        ] {
            assert_eq!(read(value, name).as_deref(), Some(wanted), "{value}");
        }
        assert_eq!(typed(b"Text/Plain; x", &HostCharset), Typed { name: "text/plain".into(), parameters: vec![] });
    }
}
