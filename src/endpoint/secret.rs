//! Whether a reply repeats the key: stored, it would be read, searched and handed on with everything else.

use crate::language::nfkc;

/// Characters from which on a key is one: a shorter one is a word that an honest reply may hold.
const KEY: usize = 8;

/// Whether a text repeats a key: as it is, escaped, with blanks or unseen characters in it, or in base64.
pub(super) fn repeats(text: &str, key: &str) -> bool {
    if key.len() < KEY {
        return false;
    }
    let coded = base64(key);
    // Its last letter holds bits of what follows.
    let whole = coded.len() - usize::from(!key.len().is_multiple_of(3));
    let forms = [bare(key), bare(&coded[..whole])];
    let read = read(text);
    // As it is as well: a mark that is put on a letter becomes one with it.
    [bare(text), bare(&read), bare(&nfkc(text)), bare(&nfkc(&read))]
        .iter()
        .any(|said| forms.iter().any(|form| said.contains(form.as_str())))
}

/// In lower case, with nothing but what a key may hold: what is put between its characters does not hide it.
fn bare(text: &str) -> String {
    text.chars().filter(char::is_ascii_graphic).map(|c| c.to_ascii_lowercase()).collect()
}

/// The text with the escapes of JSON resolved.
fn read(text: &str) -> String {
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

/// Base64 without its padding, which a longer text has not in that place.
fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for bytes in text.as_bytes().chunks(3) {
        let group = bytes.iter().fold(0usize, |group, b| group << 8 | usize::from(*b)) << (8 * (3 - bytes.len()));
        out.extend((0..=bytes.len()).map(|n| char::from(LETTERS[group >> (18 - 6 * n) & 63])));
    }
    out
}
