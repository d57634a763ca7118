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

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-proj-4Jq9_Zt2vXa";

    #[test]
    fn a_key_is_found_however_it_is_written() {
        let spaced: String = KEY.chars().flat_map(|c| [c, ' ']).collect();
        let unseen: String = KEY.chars().flat_map(|c| [c, '\u{200b}']).collect();
        let marked: String = KEY.chars().flat_map(|c| [c, '\u{301}', '\u{e0041}']).collect();
        let coded: String = KEY.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
        let wide: String = KEY.chars().map(|c| char::from_u32(u32::from(c) + 0xfee0).unwrap()).collect();
        let slashed: String = KEY.chars().flat_map(|c| ["\\n".to_owned(), c.to_string()]).collect();
        for said in
            [KEY.to_owned(), KEY.to_ascii_uppercase(), spaced, unseen, marked, coded, wide, slashed, base64(KEY)]
        {
            assert!(repeats(&format!("키는 {said}입니다"), KEY), "{said}");
        }
        assert!(repeats(&base64(&["abc", KEY, "!"].concat()), KEY));
        for said in ["", "sk-proj-4Jq9_Zt2vX", "\\", "\\u12", "\\u가나"] {
            assert!(!repeats(said, KEY), "{said}");
        }
        assert!(!repeats("UPDATE", "UPDATE"));
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let cases = [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("foobar", "Zm9vYmFy")];
        assert!(cases.iter().all(|(text, code)| base64(text) == *code));
    }
}
