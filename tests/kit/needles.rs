//! What a mailbox is expected to teach, found in texts as `tests/inbox/README.md` says.

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

/// The form in which needles are looked for.
pub fn norm(text: &str) -> String {
    let folded: Vec<char> = text.nfkc().flat_map(char::to_lowercase).collect();
    let digit = |i: usize| folded.get(i).is_some_and(char::is_ascii_digit);
    let mut out = String::new();
    let mut i = 0;
    while i < folded.len() {
        let c = folded[i];
        if c == ',' && i > 0 && digit(i - 1) && (1..=3).all(|k| digit(i + k)) && !digit(i + 4) {
            i += 1;
        } else if c.is_whitespace() {
            let start = i;
            while i < folded.len() && folded[i].is_whitespace() {
                i += 1;
            }
            if start > 0 && digit(start - 1) && digit(i) {
                out.push(' ');
            }
        } else {
            out.push(c);
            i += 1;
        }
    }
    out
}

/// Whether a text in that form holds the needle.
pub fn has_needle(text: &str, needle: &str) -> bool {
    let needle = norm(needle);
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    text.match_indices(&needle).any(|(at, _)| {
        let before = digit(text[..at].chars().next_back()) && digit(needle.chars().next());
        let after = digit(text[at + needle.len()..].chars().next()) && digit(needle.chars().next_back());
        !before && !after
    })
}

/// How many of the lists the text holds a needle of.
pub fn held(text: &str, any_of: &Value) -> usize {
    let text = norm(text);
    let one = |list: &&Value| list.as_array().unwrap().iter().any(|n| has_needle(&text, n.as_str().unwrap()));
    any_of.as_array().into_iter().flatten().filter(one).count()
}

/// An AND of ORs.
pub fn holds(text: &str, any_of: &Value) -> bool {
    any_of.as_array().is_some_and(|lists| !lists.is_empty() && held(text, any_of) == lists.len())
}
