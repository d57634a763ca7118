//! Separates a mail's new text from quoted and forwarded text, for Gmail, Outlook, Apple Mail, Thunderbird and Naver in
//! Korean and English.

use crate::language::{Words, words};
use crate::mail::Person;
use crate::mail::visible::QUOTE_BEGINS;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuotedRun {
    pub text: String,
    /// Set for forwarded text.
    pub forwarded: Option<Forwarded>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forwarded {
    pub from: Option<Person>,
    pub date: Option<String>,
    pub subject: Option<String>,
}

const MAX_FORWARDS: usize = 4;

/// The new and forwarded passages of a mail; quoted history is dropped.
pub fn passages(text: &str, subject: &str, is_reply: bool) -> Vec<QuotedRun> {
    let lines: Vec<&str> = text.lines().collect();
    let mut passages = Vec::new();
    let forwards = is_forward_subject(subject);
    split(&lines, forwards, None, 0, &mut passages);
    let said = |p: &QuotedRun| p.text.contains(char::is_alphanumeric);
    passages.retain(said);
    if passages.is_empty() && !is_reply {
        // A mail that answers nothing has no quoted history, so the quote marks belong to its text.
        let bare: Vec<&str> = lines.iter().map(|l| unquoted(l).1).collect();
        passages.push(QuotedRun { text: bare.join("\n").replace(QUOTE_BEGINS, ""), forwarded: None });
        passages.retain(said);
    }
    passages
}

fn split(lines: &[&str], forwards: bool, origin: Option<Forwarded>, depth: usize, out: &mut Vec<QuotedRun>) {
    let mut kept: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if line.starts_with(QUOTE_BEGINS) {
            // The markup only marks a start; the next lines show what kind of text it is.
            let next = at + 1 + lines[at + 1..].iter().take_while(|l| l.trim().is_empty()).count();
            if next >= lines.len() || boundary(lines, next, forwards).is_some() || unquoted(lines[next]).0 > 0 {
                at = next;
                continue;
            }
            break;
        }
        match boundary(lines, at, forwards) {
            Some(Boundary::Attribution { len }) => {
                at += len;
                let next = at + lines[at..].iter().take_while(|l| is_filler(l)).count();
                // After an attribution, unquoted lines below quoted ones are interleaved answers.
                if next < lines.len() && unquoted(lines[next]).0 == 0 {
                    break;
                }
            }
            Some(Boundary::Quote) => break,
            Some(Boundary::Forward { from, header }) => {
                out.push(QuotedRun { text: kept.join("\n"), forwarded: origin });
                if depth < MAX_FORWARDS {
                    let rest = &lines[from..];
                    // Apple Mail puts `>` before every forwarded line.
                    let marked = rest.iter().find(|l| !l.trim().is_empty()).is_some_and(|l| unquoted(l).0 > 0);
                    let bare: Vec<&str> = rest.iter().map(|l| if marked { strip_quote_mark(l) } else { l }).collect();
                    split(&bare, false, Some(header), depth + 1, out);
                }
                return;
            }
            None if unquoted(line).0 > 0 => at += 1,
            None => {
                kept.push(line);
                at += 1;
            }
        }
    }
    out.push(QuotedRun { text: kept.join("\n"), forwarded: origin });
}

fn is_filler(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with(QUOTE_BEGINS)
}

/// The number of `>` before a line, and the line without them.
fn unquoted(line: &str) -> (usize, &str) {
    let mut rest = line.trim_start();
    let mut depth = 0;
    while let Some(next) = rest.strip_prefix('>') {
        depth += 1;
        rest = next.trim_start_matches(' ');
    }
    // `> 5 items` in prose is misread as a quote; such lines are rare.
    (depth, rest)
}

fn strip_quote_mark(line: &str) -> &str {
    let rest = line.trim_start();
    rest.strip_prefix('>').map_or(line, |r| r.strip_prefix(' ').unwrap_or(r))
}

#[derive(Debug)]
enum Boundary {
    /// "On …, … wrote:" over `len` lines.
    Attribution { len: usize },
    /// Everything after it is quoted history.
    Quote,
    /// Everything from line `from` on is forwarded.
    Forward { from: usize, header: Forwarded },
}

fn boundary(lines: &[&str], at: usize, forwards: bool) -> Option<Boundary> {
    if let Some(len) = attribution(lines, at) {
        return Some(Boundary::Attribution { len });
    }
    let marker = marker(lines[at]);
    let header_at = match marker {
        Some(_) => at + 1 + lines[at + 1..].iter().take_while(|l| is_filler(l)).count(),
        None if is_rule(lines[at]) => at + 1,
        None => at,
    };
    let header = header_block(lines, header_at);
    let forward = |header: Option<(usize, Forwarded)>| {
        let (from, header) = header.unwrap_or((at + 1, Forwarded::default()));
        Boundary::Forward { from, header }
    };
    match (marker, header) {
        (Some(Marker::Forwarded), header) => Some(forward(header)),
        (Some(Marker::Original), header) if forwards => Some(forward(header)),
        (Some(Marker::Original), _) => Some(Boundary::Quote),
        (None, Some(header)) if forwards => Some(forward(Some(header))),
        (None, Some(_)) => Some(Boundary::Quote),
        (None, None) => None,
    }
}

/// A line of at least ten dashes or underscores, as Outlook draws above a header block.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 10 && line.chars().all(|c| matches!(c, '_' | '-' | '=' | '─' | '━'))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Marker {
    Original,
    Forwarded,
}

/// Parses "-----Original Message-----", "---------- Forwarded message ---------", "Begin forwarded message:" and
/// similar lines.
fn marker(line: &str) -> Option<Marker> {
    let line = unquoted(line).1.trim();
    if line.len() > 120 {
        return None;
    }
    let inner =
        line.trim_matches(|c: char| matches!(c, '-' | '_' | '=' | '*' | '─' | '—' | ' ' | '[' | ']' | '<' | '>'));
    let decorated = inner.len() + 4 <= line.len();
    let words = inner.trim_end_matches([':', '.']).trim().to_lowercase();
    let squeezed: String = words.chars().filter(|c| !c.is_whitespace()).collect();
    static BARE: &Words = words!("mail/quotes.begins a forward");
    static FORWARDED: &Words = words!("mail/quotes.forwarded");
    static FORWARDED_BY: &Words = words!("mail/quotes.forwarded by");
    let squeezed = squeezed.as_str();
    if BARE.contains(&squeezed) || decorated && (FORWARDED.contains(&squeezed) || FORWARDED_BY.begin(squeezed)) {
        Some(Marker::Forwarded)
    } else {
        (decorated && words!("mail/quotes.original").contains(&squeezed)).then_some(Marker::Original)
    }
}

/// The number of lines of an attribution at `at`, such as "On Tue, Mar 4, 2025 at 9:10 AM Name <a@b> wrote:".
fn attribution(lines: &[&str], at: usize) -> Option<usize> {
    let (depth, first) = unquoted(lines[at]);
    if depth > 0 || first.is_empty() {
        return None;
    }
    let mut joined = String::new();
    for (n, line) in lines[at..].iter().take(4).enumerate() {
        let line = line.trim();
        if line.is_empty() {
            return None;
        }
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(line);
        // Names may be long.
        if joined.len() > 2_000 {
            return None;
        }
        if is_attribution(&joined) {
            return Some(n + 1);
        }
        // A complete sentence is no attribution.
        if line.ends_with(['!', '?']) || words!("mail/quotes.ends of sentences").end(line) {
            return None;
        }
    }
    None
}

fn is_attribution(text: &str) -> bool {
    let Some(body) = text.strip_suffix([':', '：']) else { return false };
    let body = body.trim_end();
    let digits = body.bytes().filter(u8::is_ascii_digit).count();
    let addressed = body.contains('@');
    if words!("mail/quotes.wrote").end(body) {
        return digits >= 2 && (words!("mail/quotes.on").begin(body) || addressed) || addressed && body.contains('<');
    }
    if words!("mail/quotes.korean wrote").end(body) {
        return digits >= 4 && (addressed || body.contains('<') || words!("mail/quotes.korean who").stand_in(body));
    }
    // "2025-03-04 9:20 GMT+09:00 Name <a@b>:" of older mailers, in any language.
    addressed && digits >= 8 && body.contains('<') && (body.ends_with('>') || body.contains("> "))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum QuoteKey {
    From,
    Date,
    To,
    Subject,
}

fn key(line: &str) -> Option<(QuoteKey, &str)> {
    let line = line.trim().trim_start_matches(['*', '>', ' ']);
    let (name, value) = line.split_once([':', '：'])?;
    let name: String = name.trim().trim_matches('*').trim().chars().filter(|c| !c.is_whitespace()).collect();
    let value = value.trim().trim_start_matches('*').trim();
    static KEYS: [(&Words, QuoteKey); 4] = [
        (words!("mail/quotes.from"), QuoteKey::From),
        (words!("mail/quotes.date"), QuoteKey::Date),
        (words!("mail/quotes.to"), QuoteKey::To),
        (words!("mail/quotes.subject"), QuoteKey::Subject),
    ];
    let name = name.to_lowercase();
    let (_, key) = KEYS.iter().find(|(names, _)| names.contains(&name.as_str()))?;
    Some((*key, value))
}

/// Parses the header lines of an older message at `at`; returns the line after them and their values.
fn header_block(lines: &[&str], at: usize) -> Option<(usize, Forwarded)> {
    let (first, _) = key(lines.get(at)?)?;
    if !matches!(first, QuoteKey::From | QuoteKey::Date | QuoteKey::Subject) {
        return None;
    }
    let mut header = Forwarded::default();
    let (mut seen, mut addressed) = (Vec::new(), false);
    let mut end = at;
    let mut blanks = 0;
    for (n, line) in lines[at..].iter().take(16).enumerate() {
        let Some((key, value)) = key(line) else {
            let more = unquoted(line).1.trim();
            // Long recipient lists continue over several lines.
            let runs_on = seen.last() == Some(&QuoteKey::To) && (more.contains('@') || more.ends_with(';'));
            let spaced = more.is_empty() && blanks == 0 && seen.len() < 2;
            if runs_on || spaced {
                blanks += usize::from(more.is_empty());
                continue;
            }
            break;
        };
        match key {
            QuoteKey::From => {
                addressed |= value.contains('@');
                header.from = person(value);
            }
            QuoteKey::Date => header.date = Some(value.to_owned()),
            QuoteKey::Subject => header.subject = Some(value.to_owned()),
            QuoteKey::To => {}
        }
        if key != QuoteKey::To || seen.last() != Some(&QuoteKey::To) {
            seen.push(key);
        }
        end = at + n + 1;
    }
    let has = |k| seen.contains(&k);
    // Outlook draws a line above; "From: Seoul, To: Busan, Date: 3 May" is an itinerary.
    let ruled = at > 0 && is_rule(lines[at - 1]);
    let three = seen.len() >= 3 && (has(QuoteKey::Subject) || ruled && has(QuoteKey::Date));
    let whole = has(QuoteKey::From) && (three || addressed && has(QuoteKey::Date));
    whole.then_some((end, header))
}

/// Parses `Name <a@b>`, `"Name" <a@b>`, `a@b` or a bare name.
pub fn person(text: &str) -> Option<Person> {
    let text = text.trim().trim_end_matches(['*', ';']);
    let clean = |name: &str| {
        let name = name.trim().trim_matches(['"', '\'', '*']).trim();
        (!name.is_empty() && !name.contains('@')).then(|| name.to_owned())
    };
    let address = |a: &str| a.trim().trim_start_matches("mailto:").to_lowercase();
    if let Some((name, rest)) = text.split_once(['<', '[']) {
        let inner = rest.split(['>', ']', '<']).next().unwrap_or_default();
        if inner.contains('@') {
            return Some(Person { name: clean(name), address: address(inner) });
        }
    }
    if text.contains('@') && !text.contains(' ') {
        return Some(Person { name: None, address: address(text) });
    }
    clean(text).map(|name| Person { name: Some(name), address: String::new() })
}

/// A mail pasted into a text: the byte where it starts, the byte where its body starts, and its author.
pub fn pasted(text: &str) -> Option<(usize, usize, Option<Person>)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let bare: Vec<&str> = lines.iter().map(|l| l.trim_end()).collect();
    let found = (0..bare.len()).find_map(|at| header_block(&bare, at).map(|(end, header)| (at, end, header.from)));
    let place = |line: usize| lines[..line].iter().map(|l| l.len()).sum();
    found.map(|(at, end, from)| (place(at), place(end), from))
}

pub fn is_forward_subject(subject: &str) -> bool {
    words!("mail/subject.forwards").begin(&subject.trim_start().to_lowercase())
}
