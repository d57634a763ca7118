//! Converts header text of any charset to UTF-8 before the MIME parser reads it. The parser is
//! built without legacy charset tables (126 KB gzipped).

use super::charset::{self, Charset};
use mail_parser::decoders::{base64::base64_decode, quoted_printable::quoted_printable_decode};

/// Rewrites encoded words and bare 8-bit text in UTF-8; `None` if the header has neither.
pub(in crate::mail) fn to_utf8(header: &[u8], port: &dyn Charset) -> Option<Vec<u8>> {
    let encoded = header.windows(2).any(|w| w == b"=?");
    let bare = std::str::from_utf8(header).is_err();
    if !encoded && !bare {
        return None;
    }
    let mut out = Vec::with_capacity(header.len() + header.len() / 2);
    let mut words = EncodedWords { header, end: 0, field_end: 0 };
    let mut at = 0;
    while at < header.len() {
        if let Some((end, text)) = words.run(at, port) {
            push_words(&mut out, &text);
            at = end;
        } else if header[at..].starts_with(b"=?") {
            // Without an end mark the parser would search the whole rest of the field.
            out.extend_from_slice(b"= ?");
            at += 2;
        } else if header[at] >= 0x80 {
            let rest = &header[at..];
            let ends = |n: usize| rest[n] == b'\n' || rest[n..].starts_with(b"=?");
            let end = (0..rest.len()).find(|n| ends(*n)).unwrap_or(rest.len());
            match std::str::from_utf8(&rest[..end]) {
                Ok(text) => out.extend_from_slice(text.as_bytes()),
                Err(_) => out.extend_from_slice(charset::text(&rest[..end], None, port).as_bytes()),
            }
            at += end;
        } else {
            out.push(header[at]);
            at += 1;
        }
    }
    Some(out)
}

struct EncodedWord<'a> {
    label: &'a str,
    bytes: Vec<u8>,
    end: usize,
}

/// Iterates over the encoded words of a header.
struct EncodedWords<'a> {
    header: &'a [u8],
    /// Position of the next `?=`, cached so that each byte is examined once.
    end: usize,
    /// End of the current field, cached likewise.
    field_end: usize,
}

impl<'a> EncodedWords<'a> {
    /// Neighbouring words of one charset, decoded together because mailers split inside characters.
    fn run(&mut self, at: usize, port: &dyn Charset) -> Option<(usize, String)> {
        let first = self.word(at)?;
        let (label, mut bytes, mut end) = (first.label, first.bytes, first.end);
        loop {
            let next = end + self.header[end..].iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
            match (next > end).then(|| self.word(next)).flatten() {
                Some(w) if w.label.eq_ignore_ascii_case(label) => {
                    bytes.extend_from_slice(&w.bytes);
                    end = w.end;
                }
                _ => break,
            }
        }
        Some((end, charset::text(&bytes, Some(label), port)))
    }

    /// Parses `=?label?B?data?=` at `at`.
    fn word(&mut self, at: usize) -> Option<EncodedWord<'a>> {
        let rest = self.header[at..].strip_prefix(b"=?")?;
        let mut fields = rest.splitn(3, |b| *b == b'?');
        let label = std::str::from_utf8(fields.next()?).ok().filter(|l| l.len() <= 40)?;
        let encoding = fields.next()?;
        let from = self.header.len() - fields.next()?.len();
        let end = self.end_from(from)?;
        let data = &self.header[from..end];
        let bytes = match encoding {
            b"B" | b"b" => base64(data),
            b"Q" | b"q" => {
                let plain: Vec<u8> = data.iter().map(|b| if *b == b'_' { b' ' } else { *b }).collect();
                quoted_printable_decode(&plain).unwrap_or(plain)
            }
            _ => return None,
        };
        // RFC 2231 allows a language after the charset: `=?euc-kr*ko?…`.
        let label = label.split('*').next().unwrap_or(label);
        Some(EncodedWord { label, bytes, end: end + 2 })
    }

    /// Position of the first `?=` from `from` on; `from` never decreases.
    fn end_from(&mut self, from: usize) -> Option<usize> {
        let rest = &self.header[from..];
        if self.end < from {
            self.end = from + rest.windows(2).position(|w| w == b"?=").unwrap_or(rest.len());
        }
        if self.field_end < from {
            let ends = |w: &[u8]| w[0] == b'\n' && !matches!(w[1], b' ' | b'\t');
            self.field_end = from + rest.windows(2).position(ends).unwrap_or(rest.len());
        }
        // A word ends within its field.
        (self.end < self.header.len() && self.end < self.field_end).then_some(self.end)
    }
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
pub(in crate::mail) fn base64(data: &[u8]) -> Vec<u8> {
    let letter = |b: &u8| match b {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b if b.is_ascii_alphanumeric() || b"+/=".contains(b) => Some(*b),
        _ => None,
    };
    base64_decode(&data.iter().filter_map(letter).collect::<Vec<_>>()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::HostCharset;

    #[test]
    fn an_encoded_word_never_reaches_into_the_next_field() {
        let header = b"X: =?utf-8?q?a\r\nFrom: a@b.example\r\nSubject: x?=\r\n y\r\n\r\n";
        let whole = to_utf8(header, &HostCharset).unwrap();
        let message = mail_parser::MessageParser::default().parse(&whole).unwrap();
        assert_eq!(message.from().unwrap().first().unwrap().address(), Some("a@b.example"));
        assert_eq!(message.subject(), Some("x?= y"));
    }

    #[test]
    fn names_with_commas_stay_one_address() {
        let header = b"From: =?EUC-KR?B?x9Gx2ywg?= <a@b.example>\r\n\r\n";
        let whole = to_utf8(header, &HostCharset).unwrap();
        let message = mail_parser::MessageParser::default().parse(&whole).unwrap();
        assert_eq!(message.from().unwrap().first().unwrap().address(), Some("a@b.example"));
        assert!(message.from().unwrap().first().unwrap().name().unwrap().starts_with("한글"));
    }
}
