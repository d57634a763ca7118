//! Detects replies that repeat the API key, so that it is never stored.

use crate::language::nfkc;

/// Minimum length of a key; a shorter one may be an ordinary word.
const MIN_KEY: usize = 8;

/// Whether a text contains a key: literally, escaped, interspersed with blanks, or in base64.
pub(super) fn contains_key(text: &str, key: &str) -> bool {
    if key.len() < MIN_KEY {
        return false;
    }
    let coded = base64(key);
    // The last character also encodes bits of the following text.
    let whole = coded.len() - usize::from(!key.len().is_multiple_of(3));
    let forms = [fold(key), fold(&coded[..whole])];
    let read = unescape(text);
    // Both forms, because normalisation merges combining marks with letters.
    [fold(text), fold(&read), fold(&nfkc(text)), fold(&nfkc(&read))]
        .iter()
        .any(|said| forms.iter().any(|form| said.contains(form.as_str())))
}

/// Lower case and without characters that a key cannot contain.
fn fold(text: &str) -> String {
    text.chars().filter(char::is_ascii_graphic).map(|c| c.to_ascii_lowercase()).collect()
}

/// Resolves JSON escapes.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut chars = after.chars();
        rest = match chars.next() {
            Some('u') => match after.get(1..5).and_then(|code| u32::from_str_radix(code, 16).ok()) {
                Some(code) => {
                    out.extend(char::from_u32(code));
                    &after[5..]
                }
                None => after,
            },
            Some('n' | 'r' | 't' | 'b' | 'f') => chars.as_str(),
            Some(c) => {
                out.push(c);
                chars.as_str()
            }
            None => after,
        };
    }
    out.push_str(rest);
    out
}

/// Base64 without padding, because a key inside a longer text has none.
fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for bytes in text.as_bytes().chunks(3) {
        let group = bytes.iter().fold(0usize, |group, b| group << 8 | usize::from(*b)) << (8 * (3 - bytes.len()));
        out.extend((0..=bytes.len()).map(|n| char::from(LETTERS[group >> (18 - 6 * n) & 63])));
    }
    out
}
