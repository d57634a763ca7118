//! Parses style sheets by tag, class and id. Selectors and media queries that cannot be evaluated count as possible
//! matches.

use super::value::{Units, among, amount, parts, split};
use crate::mail::clean::{mask, unmask};
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    Maybe,
    Yes,
}

#[derive(Debug, Default)]
pub(super) struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| a.0 == name).map(|a| &*a.1)
    }

    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.attribute("class").unwrap_or_default().split_ascii_whitespace()
    }
}

#[derive(Debug, Clone)]
pub(super) struct Declaration {
    pub name: String,
    pub value: String,
    pub important: bool,
}

/// One compound selector: a tag, and names with a leading `.`, `#` or `[`.
#[derive(Debug)]
struct Compound {
    tag: String,
    names: Vec<String>,
    unsure: bool,
    /// The relation to the compound on its left.
    combinator: char,
}

struct StyleRule {
    /// Compounds from right to left.
    selector: Vec<Compound>,
    declarations: Rc<[Declaration]>,
    weight: u64,
    fit: Fit,
}

#[derive(Default)]
pub(super) struct StyleSheet {
    rules: Vec<StyleRule>,
    index: HashMap<String, Vec<usize>>,
    pub variables: HashMap<String, String>,
    pub quirks: bool,
    /// Whether a limit was exceeded or a rule cannot be evaluated; then all text is hidden.
    pub flooded: bool,
}

fn is_ident(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

fn clean(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let (mut chars, mut quote) = (css.chars().peekable(), None);
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let mut digits = String::new();
                while let Some(d) = chars.next_if(|d| d.is_ascii_hexdigit() && digits.len() < 6) {
                    digits.push(d);
                }
                if digits.is_empty() {
                    out.extend(chars.next().filter(|c| *c != '\n').map(mask));
                } else {
                    chars.next_if(char::is_ascii_whitespace);
                    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    out.push(mask(code.unwrap_or('\u{FFFD}')));
                }
            }
            '"' | '\'' if quote.is_none_or(|q| q == c) => {
                quote = if quote.is_some() { None } else { Some(c) };
                out.push(mask('"'));
            }
            '\n' if quote.is_some() => quote = None,
            c if quote.is_some() => out.push(mask(c)),
            '/' if chars.peek() == Some(&'*') => {
                let mut last = ' ';
                chars.next();
                chars.by_ref().any(|c| std::mem::replace(&mut last, c) == '*' && c == '/');
            }
            c => out.push(c),
        }
    }
    out
}

pub(super) fn declarations(css: &str) -> Vec<Declaration> {
    split(&clean(css), |c| c == ';').into_iter().filter_map(declaration).collect()
}

fn declaration(text: &str) -> Option<Declaration> {
    let (name, value) = text.split_once(':')?;
    let value = value.trim().to_ascii_lowercase();
    let marked = value.rsplit_once('!').filter(|m| m.1.trim() == "important").map(|m| m.0.trim_end().to_owned());
    let important = marked.is_some();
    Some(Declaration { name: name.trim().to_ascii_lowercase(), value: marked.unwrap_or(value), important })
}

/// Splits the rest of a style sheet after an opening brace at its closing one.
fn split_block(css: &str) -> (&str, &str) {
    let mut depth = 1usize;
    for (at, b) in css.bytes().enumerate() {
        depth = depth + usize::from(b == b'{') - usize::from(b == b'}');
        if depth == 0 {
            return (&css[..at], &css[at + 1..]);
        }
    }
    (css, "")
}

impl StyleSheet {
    pub fn read(&mut self, css: &str, media: &str) {
        /// Rules that are not evaluated and can hide any text. Senders of mail do not use them.
        const UNEVALUATED: [&str; 3] = ["@property", "@importurl(data:", "@import\"data:"];
        let bare: String = css.to_ascii_lowercase().split_whitespace().collect();
        self.flooded |= UNEVALUATED.iter().any(|rule| bare.contains(rule));
        let css = clean(css).replace("<!--", " ").replace("-->", " ");
        self.read_rules(&css, self::media(&media.to_ascii_lowercase()), 0);
    }

    fn read_rules(&mut self, css: &str, fit: Fit, depth: usize) {
        const MAX_NESTING: usize = 8;
        let mut rest = css;
        while let Some((before, after)) = rest.split_once('{').filter(|_| fit != Fit::No && !self.flooded) {
            let prelude = before.rsplit([';', '}']).next().unwrap_or_default().trim();
            let (block, next) = split_block(after);
            rest = next;
            let lower = prelude.to_ascii_lowercase();
            match lower.split_at(lower.find(|c| c != '@' && !is_ident(c)).unwrap_or(lower.len())) {
                ("@media", queries) => self.read_rules(block, fit.min(media(queries)), depth + 1),
                ("@supports" | "@layer" | "@container" | "@scope", _) => {
                    self.read_rules(block, fit.min(Fit::Maybe), depth + 1);
                }
                ("@font-face", _) => self.flooded |= declarations(block).iter().any(|d| d.name == "size-adjust"),
                _ if prelude.starts_with('@') => {}
                // Nested rules are not evaluated.
                _ if block.contains('{') => self.flooded = true,
                _ => self.add(prelude, block, fit),
            }
            self.flooded |= depth > MAX_NESTING;
        }
    }

    fn add(&mut self, selectors: &str, block: &str, fit: Fit) {
        const MAX_RULES: usize = 5_000;
        let mut own: Vec<Declaration> = split(block, |c| c == ';').into_iter().filter_map(declaration).collect();
        let variables = own.extract_if(.., |d| d.name.starts_with("--"));
        self.variables.extend(variables.map(|d| (d.name, d.value)));
        // One invalid selector invalidates the whole list.
        let selectors = split(selectors, |c| c == ',').into_iter().map(selector).collect::<Option<Vec<_>>>();
        let declarations: Rc<[Declaration]> = own.into();
        for (selector, specificity) in selectors.into_iter().flatten().filter(|s| !s.0.is_empty()) {
            self.flooded |= self.rules.len() >= MAX_RULES;
            if self.flooded {
                return;
            }
            let named = selector[0].names.iter().find(|n| !n.starts_with('[')).unwrap_or(&selector[0].tag);
            self.index.entry(named.to_ascii_lowercase()).or_default().push(self.rules.len());
            let weight = specificity << 24 | self.rules.len() as u64;
            self.rules.push(StyleRule { selector, declarations: declarations.clone(), weight, fit });
        }
    }

    /// The declarations that apply or may apply to an element with the ancestors `open`, with their weights.
    pub fn find(
        &self,
        element: &Element,
        open: &[Rc<Element>],
        steps: &mut usize,
    ) -> Vec<(Fit, u64, Rc<[Declaration]>)> {
        let mut keys = vec![String::new(), element.name.clone()];
        keys.extend(element.classes().take(50).map(|c| format!(".{}", c.to_ascii_lowercase())));
        keys.extend(element.attribute("id").map(|id| format!("#{}", id.to_ascii_lowercase())));
        keys.sort_unstable();
        keys.dedup();
        let rules = keys.iter().filter_map(|k| self.index.get(k)).flatten().map(|at| &self.rules[*at]);
        let found = rules.map_while(|r| {
            let fit = r.fit.min(self.matches(&r.selector, element, open, steps));
            (*steps > 0).then_some((fit, r))
        });
        found.filter(|f| f.0 != Fit::No).map(|(fit, r)| (fit, r.weight, r.declarations.clone())).collect()
    }

    fn matches(&self, selector: &[Compound], element: &Element, open: &[Rc<Element>], steps: &mut usize) -> Fit {
        *steps = steps.saturating_sub(1);
        let Some((compound, left)) = selector.split_first().filter(|_| *steps > 0) else { return Fit::Maybe };
        let own = self.fits(compound, element);
        if own == Fit::No || left.is_empty() {
            return own;
        }
        let up = match compound.combinator {
            // Earlier siblings are unknown; their parents are known.
            '+' | '~' if left.len() == 1 => return Fit::Maybe,
            '+' | '~' => return self.matches(&left[1..], element, open, steps).min(Fit::Maybe),
            '>' => open.len().saturating_sub(1)..open.len(),
            _ => 0..open.len(),
        };
        up.rev().map(|n| self.matches(left, &open[n], &open[..n], steps)).max().unwrap_or(Fit::No).min(own)
    }

    fn fits(&self, compound: &Compound, element: &Element) -> Fit {
        let same = |a: &str, b: &str| a == b || self.quirks && a.eq_ignore_ascii_case(b);
        let has = |name: &String| match name.split_at(1) {
            (".", name) => element.classes().any(|c| same(c, name)),
            ("#", name) => element.attribute("id").is_some_and(|id| same(id, name)),
            (_, name) => element.attribute(name).is_some(),
        };
        if !compound.tag.is_empty() && compound.tag != element.name || !compound.names.iter().all(has) {
            return Fit::No;
        }
        if compound.unsure { Fit::Maybe } else { Fit::Yes }
    }
}

/// Parses a selector into compounds from right to left, and its specificity; an empty one never matches.
fn selector(text: &str) -> Option<(Vec<Compound>, u64)> {
    /// Selectors that depend on interaction, and pseudo-elements.
    const NEVER: [&str; 7] = ["::", ":hover", ":visited", ":active", ":focus", ":checked", ":target"];
    const MAX_COMPOUNDS: usize = 15;
    let text = &text.replace("::first-line", "");
    if NEVER.iter().any(|n| text.contains(n)) {
        return Some((Vec::new(), 0));
    }
    let (mut depth, mut spaced) = (0usize, String::new());
    for c in text.chars() {
        depth = depth + usize::from(matches!(c, '(' | '[')) - usize::from(depth > 0 && matches!(c, ')' | ']'));
        let is_combinator = depth == 0 && matches!(c, '>' | '+' | '~');
        spaced.push_str(&if is_combinator { format!(" {c} ") } else { c.to_string() });
    }
    let (mut out, mut specificity, mut combinator) = (Vec::new(), 0, ' ');
    for part in parts(&spaced) {
        if let ">" | "+" | "~" = part {
            combinator = part.chars().next()?;
            continue;
        }
        let compound = Compound { combinator: std::mem::replace(&mut combinator, ' '), ..compound(part)? };
        let ids = compound.names.iter().filter(|n| n.starts_with('#')).count() as u64;
        let others = compound.names.len() as u64 - ids + u64::from(compound.unsure);
        specificity += ids << 16 | others << 8 | u64::from(!compound.tag.is_empty());
        out.insert(0, compound);
    }
    (!out.is_empty() && out.len() <= MAX_COMPOUNDS).then_some((out, specificity))
}

fn compound(text: &str) -> Option<Compound> {
    const KNOWN: &str = "-child -of-type root link lang not( is( where( has( empty enabled disabled scope";
    let name_end = |t: &str| t.find(|c| !is_ident(c)).unwrap_or(t.len());
    let text = text.trim_start_matches("*|").trim_start_matches('*');
    let (tag, mut rest) = text.split_at(name_end(text));
    let mut out = Compound { tag: unmask(tag).to_ascii_lowercase(), names: Vec::new(), unsure: false, combinator: ' ' };
    while let Some(kind) = rest.chars().next() {
        rest = &rest[kind.len_utf8()..];
        let (name, after) = rest.split_at(name_end(rest));
        match kind {
            _ if name.is_empty() => return None,
            '.' | '#' => out.names.push(format!("{kind}{}", unmask(name))),
            '[' => {
                out.names.push(format!("[{}", unmask(name).to_ascii_lowercase()));
                let (value, after) = after.split_once(']')?;
                out.unsure |= !value.is_empty();
                rest = after;
                continue;
            }
            ':' if KNOWN.split(' ').any(|k| rest.contains(k)) => {
                out.unsure = true;
                // The argument in brackets is not evaluated.
                rest = rest.rsplit_once(')').map_or(after, |r| r.1);
                continue;
            }
            _ => return None,
        }
        rest = after;
    }
    Some(out)
}

/// Whether media queries apply to a desktop window with a light colour scheme.
fn media(queries: &str) -> Fit {
    /// Width of a narrow desktop window.
    const NARROW: f32 = 1024.0;
    let is_narrow = |width: &str| {
        let width = amount(width.trim_start_matches('='), &Units { font: 16.0, root: 16.0, whole: 0.0 });
        width.is_some_and(|w| w.0 < NARROW)
    };
    let one = |part: &str| match part.trim_matches(['(', ')']).split_once([':', '<']) {
        None if among("only and all screen", part) => Fit::Yes,
        None if !part.starts_with('(') => Fit::No,
        Some((name, width)) if among("width max-width max-device-width", name.trim()) && is_narrow(width) => Fit::No,
        Some(("prefers-color-scheme", scheme)) if scheme.trim() != "light" => Fit::No,
        Some((name, _)) if name.starts_with("-ms-") || name.starts_with("-moz-") => Fit::No,
        _ => Fit::Maybe,
    };
    let all = |text: &str| parts(text).into_iter().map(one).min().unwrap_or(Fit::Yes);
    let query = |text: &str| match text.strip_prefix("not ") {
        _ if text.contains(" or ") => Fit::Maybe,
        Some(rest) => [Fit::Yes, Fit::Maybe, Fit::No][all(rest) as usize],
        None => all(text),
    };
    split(queries, |c| c == ',').into_iter().map(query).max().unwrap_or(Fit::Yes)
}
