//! Unicode normal forms of text.

use super::hangul::is_hangul;
use std::borrow::Cow;

/// The NFKC form: composed characters, plain compatibility forms (full-width digits, ligatures). Borrows if unchanged.
pub fn nfkc(text: &str) -> Cow<'_, str> {
    if is_plain(text) { Cow::Borrowed(text) } else { Cow::Owned(normalize(text)) }
}

/// Folds a text for comparison: NFKC, lower case, runs of white space become one space.
pub fn fold(text: &str) -> String {
    if is_plain(text) {
        let mut out = single_spaced(text);
        out.make_ascii_lowercase();
        return out;
    }
    // Character by character, so that a final sigma is lowered as in indexed words.
    single_spaced(&nfkc(text)).chars().flat_map(char::to_lowercase).collect()
}

/// A text with single spaces between its words.
pub fn single_spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        out.push_str(if out.is_empty() { "" } else { " " });
        out.push_str(word);
    }
    out
}

/// The zeros of scripts whose digits NFKC keeps, and of full-width and mathematical digits; 1–9 follow each.
const ZEROS: &str = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰０𝟎𝟘𝟢𝟬𝟶";

/// The ASCII digit of a decimal digit of any script.
pub fn digit(c: char) -> Option<char> {
    let ten = |zero: char| (c as u32).checked_sub(zero as u32).filter(|n| *n < 10);
    let of_script = || ZEROS.chars().find_map(ten).and_then(|n| char::from_digit(n, 10));
    if c.is_ascii() { Some(c).filter(char::is_ascii_digit) } else { of_script() }
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
