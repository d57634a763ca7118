//! Finds the hosts that a text links to, even in obfuscated spellings.

use crate::language::{fold, is_invisible};
use crate::model::is_top_level;

/// Obfuscated spellings of dots, separators and schemes, with their replacements.
const WRITTEN: [(&str, &[&str]); 7] = [
    (
        ".",
        &[
            "[.]", "(.)", "{.}", "<.>", "[dot]", "(dot)", "{dot}", "<dot>", " dot ", " d0t ", "(점)", "[점]", " 점 ",
            " 닷 ", "。", "｡", "․", "‧", " . ",
        ],
    ),
    (":", &["[:]", "(:)"]),
    ("/", &[" slash ", "[/]", "(slash)"]),
    ("https", &["hxxps", "h**ps"]),
    ("http", &["hxxp", "h**p"]),
    ("http://", &["http ://"]),
    ("https://", &["https ://"]),
];

/// A host, and whether a scheme, path or `www.` marks it as a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedHost {
    pub name: String,
    pub is_page: bool,
}

pub(super) fn hosts(text: &str) -> Vec<NamedHost> {
    let plain = readable(text);
    let words = plain.split(|c: char| c.is_whitespace() || "<>()\"',“”‘’「」『』，".contains(c));
    words.filter_map(|w| host(w.trim_end_matches(|c: char| !c.is_alphanumeric()))).collect()
}

/// The folded text, with addresses as a browser would parse them.
pub(super) fn readable(text: &str) -> String {
    let mut plain = fold(&text.chars().filter(|c| !is_invisible(*c)).collect::<String>());
    for (meant, spellings) in WRITTEN {
        for written in spellings {
            if plain.contains(*written) {
                plain = plain.replace(*written, meant);
            }
        }
    }
    plain
}

/// Parses a host as a browser does: `https:/\\a.example`, `a.example/login`, `www.a.example`, `a.example`.
fn host(word: &str) -> Option<NamedHost> {
    let word = word.replace('\\', "/");
    let (scheme, rest) = match word.split_once(":/") {
        Some((scheme, rest)) if scheme.ends_with("http") || scheme.ends_with("https") || word.contains("://") => {
            (true, rest.trim_start_matches('/'))
        }
        _ => (false, word.trim_start_matches(|c: char| !c.is_alphanumeric())),
    };
    let (authority, path) = rest.split_once(['/', '?', '#']).map_or((rest, false), |(host, _)| (host, true));
    if !scheme && authority.contains('@') {
        return None;
    }
    // The part before an @ is user information, not the host.
    let name = authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let mut labels: Vec<&str> = name.trim_matches('.').split('.').collect();
    // A Korean particle may follow a Latin name.
    let latin = |label: &str| {
        label.find(|c: char| !c.is_ascii()).filter(|_| label.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    if let Some(last) = labels.last_mut() {
        *last = &last[..latin(last).unwrap_or(last.len())];
    }
    let is_label = |l: &&str| !l.is_empty() && l.chars().all(|c| c.is_alphanumeric() || c == '-');
    let top =
        labels.last().is_some_and(|l| l.len() > 1 && (l.chars().all(char::is_alphabetic) || l.starts_with("xn--")));
    let is_host = labels.len() > 1 && top && labels.iter().all(is_label);
    let is_page = scheme || is_host && (path || name.starts_with("www."));
    let is_bare = || is_host && labels.last().is_some_and(|l| is_top_level(l) || l.starts_with("xn--"));
    (is_page || is_bare()).then(|| NamedHost { name: labels.join("."), is_page })
}
