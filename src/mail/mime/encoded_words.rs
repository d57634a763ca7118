//! Converts header text of any charset to UTF-8 before the MIME parser reads it. The parser is built without legacy
//! charset tables (126 KB gzipped).

use super::charset::{self, Charset};
use mail_parser::decoders::{base64::base64_decode, quoted_printable::quoted_printable_decode};

/// Rewrites encoded words and bare 8-bit text in UTF-8.
pub fn to_utf8(header: &[u8], port: &dyn Charset) -> Vec<u8> {
    let mut out = Vec::with_capacity(header.len() + header.len() / 2);
    let mut at = 0;
    while at < header.len() {
        let rest = &header[at..];
        if let Some((len, text)) = decode_run(rest, port) {
            push_words(&mut out, &text);
            at += len;
        } else if rest.starts_with(b"=?") {
            // Without an end mark the parser would search the whole rest of the field.
            out.extend_from_slice(b"= ?");
            at += 2;
        } else if rest[0] >= 0x80 {
            let ends = |n: &usize| rest[*n] == b'\n' || rest[*n..].starts_with(b"=?");
            let end = (0..rest.len()).find(ends).unwrap_or(rest.len());
            out.extend_from_slice(charset::text(&rest[..end], None, port).as_bytes());
            at += end;
        } else {
            out.push(rest[0]);
            at += 1;
        }
    }
    out
}

/// Decodes the neighbouring words of one charset at the start of `text`, together because mailers split inside
/// characters; returns their length too.
fn decode_run(text: &[u8], port: &dyn Charset) -> Option<(usize, String)> {
    let (label, mut bytes, mut end) = decode_word(text)?;
    while let Some(gap) = text[end..].iter().position(|b| !b.is_ascii_whitespace()).filter(|gap| *gap > 0)
        && let Some((_, more, len)) = decode_word(&text[end + gap..]).filter(|w| w.0.eq_ignore_ascii_case(label))
    {
        bytes.extend(more);
        end += gap + len;
    }
    Some((end, charset::text(&bytes, Some(label), port)))
}

/// Decodes the word `=?label?B?data?=` at the start of `text`: its label, bytes and length.
fn decode_word(text: &[u8]) -> Option<(&str, Vec<u8>, usize)> {
    /// Longer words are not decoded; RFC 2047 allows 75 bytes.
    const MAX_WORD: usize = 2_000;
    let mut fields = text.strip_prefix(b"=?")?.splitn(3, |b| *b == b'?');
    let label = std::str::from_utf8(fields.next()?).ok().filter(|l| l.len() <= 40)?;
    let (encoding, rest) = (fields.next()?, fields.next()?);
    let end = rest[..rest.len().min(MAX_WORD)].windows(2).position(|w| w == b"?=")?;
    let data = &rest[..end];
    // A word ends within its field.
    let leaves = |w: &[u8]| w[0] == b'\n' && !matches!(w[1], b' ' | b'\t');
    let bytes = match encoding {
        _ if rest[..end + 2].windows(2).any(leaves) => return None,
        b"B" | b"b" => base64(data),
        b"Q" | b"q" => {
            let plain: Vec<u8> = data.iter().map(|b| if *b == b'_' { b' ' } else { *b }).collect();
            quoted_printable_decode(&plain).unwrap_or(plain)
        }
        _ => return None,
    };
    // RFC 2231 allows a language after the charset: `=?euc-kr*ko?…`.
    Some((label.split('*').next().unwrap_or(label), bytes, text.len() - rest.len() + end + 2))
}

/// Encodes as UTF-8 words, so that commas and quotes do not split addresses.
fn push_words(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(b"=?UTF-8?Q?");
    for byte in text.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() => out.push(b),
            b => out.extend(format!("={b:02X}").bytes()),
        }
    }
    out.extend_from_slice(b"?=");
}

/// Decodes possibly broken base64: skips foreign characters and keeps whole bytes of a cut end.
pub fn base64(data: &[u8]) -> Vec<u8> {
    let letter = |b: &u8| match b {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b if b.is_ascii_alphanumeric() || b"+/=".contains(b) => Some(*b),
        _ => None,
    };
    base64_decode(&data.iter().filter_map(letter).collect::<Vec<_>>()).unwrap_or_default()
}
