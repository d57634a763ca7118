//! Media queries, for one reader: a desktop window, a light colour scheme, nobody at the pointer.
//!
//! It never takes a phone's or a printer's side: what holds there alone does not hold.

use super::css::{CssToken, past_block, split, trim};
use super::selector::Fit;
use super::tree::among;
use super::value::{CssLength, Units, amount};

/// The widths and heights of windows on desktops; between them a query may hold or not.
const WIDTHS: (f32, f32) = (1024.0, 1920.0);
const HEIGHTS: (f32, f32) = (700.0, 1200.0);

/// Whether one of a list of queries holds; an empty list always does.
pub(super) fn queries(tokens: &[CssToken]) -> Fit {
    if trim(tokens).is_empty() {
        return Fit::Yes;
    }
    split(tokens, &CssToken::Delim(',')).into_iter().map(|q| query(q, 0)).max().unwrap_or(Fit::Yes)
}

fn not(fit: Fit) -> Fit {
    match fit {
        Fit::No => Fit::Yes,
        Fit::Maybe => Fit::Maybe,
        Fit::Yes => Fit::No,
    }
}

fn query(tokens: &[CssToken], depth: usize) -> Fit {
    /// Deeper than any query of a mail.
    const MAX_NESTING: usize = 8;
    if depth > MAX_NESTING {
        return Fit::Maybe;
    }
    let (mut all, mut any, mut negated) = (Fit::Yes, Fit::No, false);
    let (mut whole_negated, mut at, mut seen) = (false, 0, false);
    let tokens = trim(tokens);
    while let Some(token) = tokens.get(at) {
        let end = past_block(tokens, at);
        let fit = match token {
            CssToken::Space => {
                at = end;
                continue;
            }
            CssToken::Ident(word) => match &*word.to_ascii_lowercase() {
                "only" | "and" => {
                    at = end;
                    continue;
                }
                "not" => {
                    // In front of a medium it turns all that follows round, else only the next condition.
                    let next = tokens[end..].iter().find(|t| **t != CssToken::Space);
                    if matches!(next, Some(CssToken::Ident(_))) {
                        whole_negated = true
                    } else {
                        negated = true
                    }
                    at = end;
                    continue;
                }
                "or" => {
                    any = any.max(all);
                    all = Fit::Yes;
                    at = end;
                    continue;
                }
                "screen" | "all" => Fit::Yes,
                _ => Fit::No,
            },
            CssToken::Open('(') => {
                let inside = &tokens[at + 1..end];
                let inside = trim(inside.strip_suffix(&[CssToken::Close(')')]).unwrap_or(inside));
                match inside {
                    [CssToken::Open('('), ..] => query(inside, depth + 1),
                    [word, ..] if word.is("not") => query(inside, depth + 1),
                    _ => feature(inside),
                }
            }
            _ => Fit::Maybe,
        };
        seen = true;
        all = all.min(if std::mem::take(&mut negated) { not(fit) } else { fit });
        at = end;
    }
    let fit = if seen { any.max(all) } else { Fit::Maybe };
    if whole_negated { not(fit) } else { fit }
}

/// `name: value`, `name`, or a range such as `width <= 600px`.
fn feature(tokens: &[CssToken]) -> Fit {
    let parts: Vec<&CssToken> = tokens.iter().filter(|t| **t != CssToken::Space).collect();
    match &parts[..] {
        [CssToken::Ident(name)] => plain(&name.to_ascii_lowercase()),
        [CssToken::Ident(name), CssToken::Delim(':'), value @ ..] => {
            let value: Vec<CssToken> = value.iter().map(|t| (*t).clone()).collect();
            named(&name.to_ascii_lowercase(), &value)
        }
        _ => range(&parts),
    }
}

fn number(value: &[CssToken]) -> Option<f32> {
    let units = Units { font: 16.0, root: 16.0, line: 20.0, whole: 0.0 };
    match amount(value, &units) {
        CssLength::Pixels(n) | CssLength::Number(n) => Some(n),
        _ => None,
    }
}

/// Whether a size that lies in a span is at least, or at most, so much.
fn compare(span: (f32, f32), at_least: bool, than: f32) -> Fit {
    let (low, high) = span;
    match at_least {
        true if low >= than => Fit::Yes,
        true if high < than => Fit::No,
        false if high <= than => Fit::Yes,
        false if low > than => Fit::No,
        _ => Fit::Maybe,
    }
}

fn span(name: &str) -> Option<(f32, f32)> {
    match name {
        "width" | "device-width" => Some(WIDTHS),
        "height" | "device-height" => Some(HEIGHTS),
        _ => None,
    }
}

fn named(name: &str, value: &[CssToken]) -> Fit {
    let word = match value {
        [CssToken::Ident(word)] => word.to_ascii_lowercase(),
        _ => String::new(),
    };
    let fit = |yes: bool| if yes { Fit::Yes } else { Fit::No };
    let bounds = [("min-", true), ("max-", false)];
    for (prefix, at_least) in bounds {
        if let Some(span) = name.strip_prefix(prefix).and_then(span) {
            return number(value).map_or(Fit::Maybe, |n| compare(span, at_least, n));
        }
    }
    if let Some(span) = span(name) {
        return number(value).map_or(Fit::Maybe, |n| compare(span, true, n).min(compare(span, false, n)));
    }
    // Each with the one value that it has here.
    let mut words = FEATURES.split_ascii_whitespace();
    while let (Some(known), Some(own)) = (words.next(), words.next()) {
        if known == name {
            return fit(word == own || own == "0" && number(value) == Some(0.0));
        }
    }
    match name {
        "min-color" => fit(number(value).is_some_and(|n| n <= 8.0)),
        "-webkit-min-device-pixel-ratio" if number(value).is_some_and(|n| n <= 1.0) => Fit::Yes,
        _ => unknown(name),
    }
}

const FEATURES: &str = "prefers-color-scheme light prefers-reduced-motion no-preference prefers-contrast no-preference \
    prefers-reduced-transparency no-preference prefers-reduced-data no-preference forced-colors none inverted-colors none \
    orientation landscape hover hover any-hover hover pointer fine any-pointer fine color-gamut srgb grid 0 monochrome 0 \
    color-index 0 min-monochrome 0 min-color-index 0";

/// A feature without a value: whether it has any but none.
fn plain(name: &str) -> Fit {
    if among("width height color hover any-hover pointer any-pointer prefers-color-scheme orientation", name) {
        Fit::Yes
    } else if among("grid monochrome prefers-reduced-motion prefers-contrast inverted-colors forced-colors", name) {
        Fit::No
    } else {
        unknown(name)
    }
}

/// Other makers' features never hold in Chromium; of the rest nobody can tell.
fn unknown(name: &str) -> Fit {
    if name.starts_with("-ms-") || name.starts_with("-moz-") || name.starts_with("-o-") { Fit::No } else { Fit::Maybe }
}

fn range(parts: &[&CssToken]) -> Fit {
    let mut fit = Fit::Yes;
    let Some(middle) = parts.iter().position(|t| matches!(t, CssToken::Ident(_))) else { return Fit::Maybe };
    let CssToken::Ident(name) = parts[middle] else { return Fit::Maybe };
    let Some(span) = span(&name.to_ascii_lowercase()) else { return Fit::Maybe };
    let sides = [(&parts[..middle], true), (&parts[middle + 1..], false)];
    for (side, before) in sides {
        let sign = side.iter().find_map(|t| match t {
            CssToken::Delim(c @ ('<' | '>' | '=')) => Some(*c),
            _ => None,
        });
        let value: Vec<CssToken> =
            side.iter().filter(|t| !matches!(t, CssToken::Delim('<' | '>' | '='))).map(|t| (*t).clone()).collect();
        match (sign, number(&value)) {
            (None, None) if side.is_empty() => {}
            (Some('='), Some(n)) => fit = fit.min(compare(span, true, n)).min(compare(span, false, n)),
            (Some(sign), Some(n)) => fit = fit.min(compare(span, (sign == '>') != before, n)),
            _ => return Fit::Maybe,
        }
    }
    fit
}
