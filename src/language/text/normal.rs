//! Unicode normal forms of text.

use super::hangul::is_hangul;
use std::borrow::Cow;

/// The NFKC form: composed characters, plain compatibility forms (full-width digits, ligatures). Borrows if unchanged.
pub fn nfkc(text: &str) -> Cow<'_, str> {
    if is_plain(text) { Cow::Borrowed(text) } else { Cow::Owned(normalize(text)) }
}

/// Folds a text for comparison: NFKC, lower case, runs of white space become one space.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The ASCII split does not treat a vertical tab as white space.
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
        // Character by character, so that a final sigma is lowered as in indexed words.
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Replaces look-alike letters in Latin words: "bаnk" with a Cyrillic а becomes "bank".
pub fn unmasked(text: &str) -> Cow<'_, str> {
    const ALIKE: [(&str, &str); 3] = [
        ("аеорсухіјѕһԁԛԝӏвмнткАВЕКМНОРСТХІЈЅ", "aeopcyxijshdqwlbmhtkABEKMHOPCTXIJS"),
        ("αεικνορτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeiknoptuxyABEZHIKMNOPTYX"),
        ("ıɑɡʏ", "iagy"),
    ];
    let latin = |c: char| ALIKE.iter().find_map(|(from, to)| to.chars().nth(from.chars().position(|f| f == c)?));
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let is_masked =
        |word: &str| word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(|c| latin(c).is_some());
    if !text.split(|c: char| !c.is_alphanumeric()).any(is_masked) {
        return Cow::Borrowed(text);
    }
    let words = text.split_inclusive(|c: char| !c.is_alphanumeric());
    let plain = |word: &str| word.chars().map(|c| latin(c).unwrap_or(c)).collect::<String>();
    Cow::Owned(words.map(|w| if is_masked(w) { plain(w) } else { w.to_owned() }).collect())
}

/// Whether a text surely is in NFKC: only ASCII and Hangul syllables. Saves the call to the host.
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
