//! Normal forms of text.

use super::hangul::is_hangul;
use std::borrow::Cow;

/// NFKC: one code point for each composed character, compatibility forms (full-width digits, ligatures) made plain.
/// Borrowed where the text is so already.
pub fn nfkc(text: &str) -> Cow<'_, str> {
    if is_plain(text) { Cow::Borrowed(text) } else { Cow::Owned(normalize(text)) }
}

/// The form in which names are compared: NFKC, lower case, white space runs folded to one blank.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // A vertical tab is white space as well, but not among bytes.
    if is_plain(text) && !text.as_bytes().contains(&0x0b) {
        for word in text.split_ascii_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        out.make_ascii_lowercase();
        return out;
    }
    for word in nfkc(text).split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        // Letter by letter: a sigma at the end of a word stays the sigma that indexed words have.
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// A text whose Latin words are written in Latin letters alone: "bаnk" with a Cyrillic а is "bank".
pub fn unmasked(text: &str) -> Cow<'_, str> {
    const ALIKE: [(&str, &str); 3] = [
        ("аеорсухіјѕһԁԛԝӏвмнткАВЕКМНОРСТХІЈЅ", "aeopcyxijshdqwlbmhtkABEKMHOPCTXIJS"),
        ("αεικνορτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeiknoptuxyABEZHIKMNOPTYX"),
        ("ıɑɡʏ", "iagy"),
    ];
    let latin = |c: char| ALIKE.iter().find_map(|(from, to)| to.chars().nth(from.chars().position(|f| f == c)?));
    let is_masked =
        |word: &str| word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(|c| latin(c).is_some());
    if !text.split(|c: char| !c.is_alphanumeric()).any(is_masked) {
        return Cow::Borrowed(text);
    }
    let words = text.split_inclusive(|c: char| !c.is_alphanumeric());
    let plain = |word: &str| word.chars().map(|c| latin(c).unwrap_or(c)).collect::<String>();
    Cow::Owned(words.map(|w| if is_masked(w) { plain(w) } else { w.to_owned() }).collect())
}

/// Whether every character is its own NFKC form: ASCII and Hangul syllables. Saves the call to the host.
fn is_plain(text: &str) -> bool {
    text.is_ascii() || text.chars().all(|c| c.is_ascii() || is_hangul(c))
}

#[cfg(not(target_arch = "wasm32"))]
fn normalize(text: &str) -> String {
    unicode_normalization::UnicodeNormalization::nfkc(text).collect()
}

#[cfg(target_arch = "wasm32")]
fn normalize(text: &str) -> String {
    js_sys::JsString::from(text).normalize("NFKC").into()
}
