//! Parses style sheets by tag, class and id. Selectors and media queries that cannot be evaluated
//! count as possible matches.

use super::value::{Units, amount, parts, split};
use std::collections::HashMap;
use std::rc::Rc;

/// Whether a rule or query applies.
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

/// The style rules of a page.
#[derive(Default)]
pub(super) struct StyleSheet {
    rules: Vec<StyleRule>,
    index: HashMap<String, Vec<usize>>,
    pub variables: HashMap<String, String>,
    pub quirks: bool,
    /// Whether a limit was exceeded or a rule cannot be evaluated; then all text is hidden.
    pub flooded: bool,
}

/// Offset of escaped characters, which have no syntactic meaning.
const MASK: u32 = 0xF_0000;

fn mask(c: char, out: &mut String) {
    let plain = c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_');
    out.push(if plain { char::from_u32(MASK + c as u32).unwrap_or(c) } else { c });
}

fn unmask(text: &str) -> String {
    text.chars().map(|c| (c as u32).checked_sub(MASK).and_then(char::from_u32).unwrap_or(c)).collect()
}

/// Removes comments; masks escaped and quoted characters.
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
                    chars.next().filter(|c| *c != '\n').into_iter().for_each(|c| mask(c, &mut out));
                } else {
                    chars.next_if(|c| c.is_ascii_whitespace());
                    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    mask(code.unwrap_or('\u{FFFD}'), &mut out);
                }
            }
            '"' | '\'' if quote.is_none_or(|q| q == c) => {
                quote = if quote.is_some() { None } else { Some(c) };
                mask('"', &mut out);
            }
            '\n' if quote.is_some() => quote = None,
            c if quote.is_some() => mask(c, &mut out),
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

/// The end of the block that contains `at`.
fn block_end(css: &str, at: usize) -> usize {
    let mut depth = 0usize;
    for (n, b) in css.bytes().enumerate().skip(at) {
        match b {
            b'{' => depth += 1,
            b'}' if depth == 0 => return n,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    css.len()
}

impl StyleSheet {
    pub fn read(&mut self, css: &str, media: &str) {
        /// Rules that are not evaluated and can hide any text. Senders of mail do not use them.
        const UNEVALUATED: [&str; 3] = ["@property", "@importurl(data:", "@import\"data:"];
        let bare: String = css.to_ascii_lowercase().split_whitespace().collect();
        self.flooded |= UNEVALUATED.iter().any(|rule| bare.contains(rule));
        let css = clean(css).replace("<!--", " ").replace("-->", " ");
        self.block(&css, &[], self::media(&media.to_ascii_lowercase()), 0);
    }

    /// Parses a block; its own declarations apply to `parents`.
    fn block(&mut self, css: &str, parents: &[String], fit: Fit, depth: usize) {
        const MAX_NESTING: usize = 8;
        self.flooded |= depth > MAX_NESTING;
        if fit == Fit::No || self.flooded {
            return;
        }
        let (mut at, mut start, mut brackets) = (0, 0, 0usize);
        let mut own = Vec::new();
        while at <= css.len() {
            match css.as_bytes().get(at) {
                Some(b'(' | b'[') => brackets += 1,
                Some(b')' | b']') => brackets = brackets.saturating_sub(1),
                Some(b'{') => {
                    let end = block_end(css, at + 1);
                    self.rule(css[start..at].trim(), &css[at + 1..end], parents, fit, depth + 1);
                    (at, start, brackets) = (end, end + 1, 0);
                }
                None | Some(b';' | b'}') if brackets == 0 || at == css.len() => {
                    own.extend(declaration(css.get(start..at).unwrap_or_default()));
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        let variables = own.extract_if(.., |d: &mut Declaration| d.name.starts_with("--"));
        variables.for_each(|d| drop(self.variables.insert(d.name, d.value)));
        if !own.is_empty() {
            self.add(parents, own.into(), fit);
        }
    }

    fn add(&mut self, selectors: &[String], declarations: Rc<[Declaration]>, fit: Fit) {
        const MAX_RULES: usize = 5_000;
        // One invalid selector invalidates the whole list.
        let Some(selectors) = selectors.iter().map(|s| selector(s)).collect::<Option<Vec<_>>>() else { return };
        for (selector, specificity) in selectors.into_iter().filter(|s| !s.0.is_empty()) {
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

    fn rule(&mut self, prelude: &str, block: &str, parents: &[String], fit: Fit, depth: usize) {
        let Some(at_rule) = prelude.strip_prefix('@') else {
            let mut selectors = Vec::new();
            for own in split(prelude, |c| c == ',') {
                match parents {
                    [] => selectors.push(own.to_owned()),
                    _ if own.contains('&') => selectors.extend(parents.iter().map(|p| own.replace('&', p))),
                    _ => selectors.extend(parents.iter().map(|p| [p, " ", own].concat())),
                }
                if selectors.len() > 1_000 || selectors.last().is_some_and(|s| s.len() > 2_000) {
                    self.flooded = true;
                    return;
                }
            }
            return self.block(block, &selectors, fit, depth);
        };
        let lower = at_rule.to_ascii_lowercase();
        let (name, rest) = lower.split_at(lower.find(['(', ' ', '\n', '\t']).unwrap_or(lower.len()));
        match name {
            "media" => self.block(block, parents, fit.min(media(rest)), depth),
            "supports" | "layer" | "container" | "scope" => {
                let root = rest.trim().trim_matches(['(', ')']);
                self.block(&block.replace(":scope", root), parents, fit.min(Fit::Maybe), depth);
            }
            _ => {}
        }
    }

    /// The declarations that apply or may apply to an element with the ancestors `open`, with their
    /// weights.
    pub fn find(
        &self,
        element: &Element,
        open: &[Rc<Element>],
        steps: &mut usize,
    ) -> Vec<(Fit, u64, Rc<[Declaration]>)> {
        if *steps == 0 {
            return Vec::new();
        }
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
        let Some(left) = steps.checked_sub(1) else { return Fit::Maybe };
        *steps = left;
        let Some((compound, left)) = selector.split_first() else { return Fit::Yes };
        let own = self.fits(compound, element);
        if own == Fit::No || left.is_empty() {
            return own;
        }
        let up = match compound.combinator {
            // Earlier siblings are unknown; their parents are known.
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

/// Parses a selector into compounds from right to left, and its specificity; an empty one never
/// matches.
fn selector(text: &str) -> Option<(Vec<Compound>, u64)> {
    /// Selectors that depend on interaction, and pseudo-elements.
    const NEVER: [&str; 7] = ["::", ":hover", ":visited", ":active", ":focus", ":checked", ":target"];
    let (mut out, mut specificity, mut combinator) = (Vec::new(), 0, ' ');
    let text = &text.replace("::first-line", "");
    if NEVER.iter().any(|n| text.contains(n)) {
        return Some((out, 0));
    }
    let (mut depth, mut spaced) = (0usize, String::new());
    for c in text.chars() {
        depth = depth + usize::from(matches!(c, '(' | '[')) - usize::from(depth > 0 && matches!(c, ')' | ']'));
        let sign = depth == 0 && matches!(c, '>' | '+' | '~');
        spaced.extend(if sign { [' ', c, ' '] } else { ['\0', c, '\0'] });
    }
    for part in parts(&spaced.replace('\0', "")) {
        if let (true, Some(sign)) = (part.len() == 1, part.chars().next().filter(|c| ">+~".contains(*c))) {
            combinator = sign;
            continue;
        }
        let mut compound = compound(part)?;
        compound.combinator = std::mem::replace(&mut combinator, ' ');
        let ids = compound.names.iter().filter(|n| n.starts_with('#')).count() as u64;
        let others = compound.names.len() as u64 - ids + u64::from(compound.unsure);
        specificity += ids << 16 | others << 8 | u64::from(!compound.tag.is_empty());
        out.insert(0, compound);
    }
    (!out.is_empty() && out.len() < 16).then_some((out, specificity))
}

fn compound(text: &str) -> Option<Compound> {
    const KNOWN: &str = "-child -of-type root link lang not( is( where( has( empty enabled disabled scope";
    let name_end = |t: &str| {
        t.find(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(t.len())
    };
    let text = text.trim_start_matches("*|").trim_start_matches('*');
    let (tag, mut rest) = text.split_at(name_end(text));
    let mut out = Compound { tag: unmask(tag).to_ascii_lowercase(), names: Vec::new(), unsure: false, combinator: ' ' };
    while let Some(kind) = rest.chars().next() {
        rest = &rest[kind.len_utf8()..];
        let end = name_end(rest);
        let name = &rest[..end];
        if name.is_empty() {
            return None;
        }
        match kind {
            '.' | '#' => out.names.push(format!("{kind}{}", unmask(name))),
            '[' => {
                out.names.push(format!("[{}", unmask(name).to_ascii_lowercase()));
                let close = rest.find(']')?;
                out.unsure |= close > end;
                rest = &rest[close + 1..];
                continue;
            }
            ':' if KNOWN.split(' ').any(|k| rest.contains(k)) => {
                out.unsure = true;
                // The argument in brackets is not evaluated.
                rest = rest.rsplit_once(')').map_or(&rest[end..], |r| r.1);
                continue;
            }
            _ => return None,
        }
        rest = &rest[end..];
    }
    Some(out)
}

/// Whether media queries apply to a desktop window with a light colour scheme.
fn media(text: &str) -> Fit {
    /// Range of desktop window widths; a query inside the range may apply.
    const WIDTHS: (f32, f32) = (1024.0, 1920.0);
    let not = |fit: Fit| [Fit::Yes, Fit::Maybe, Fit::No][fit as usize];
    let pixels = |t: &str| amount(t.trim(), &Units { font: 16.0, root: 16.0, whole: 0.0 }).map_or(0.0, |a| a.0);
    let at_least = |than: f32| match (WIDTHS.0 >= than, WIDTHS.1 >= than) {
        (true, true) => Fit::Yes,
        (false, false) => Fit::No,
        _ => Fit::Maybe,
    };
    let feature = |text: &str| match text.split_once(':').map_or((text, ""), |(n, v)| (n.trim(), v.trim())) {
        ("min-width" | "min-device-width", n) => at_least(pixels(n)),
        ("max-width" | "max-device-width", n) => not(at_least(pixels(n))),
        ("prefers-color-scheme", scheme) if scheme != "light" => Fit::No,
        (name, _) if name.starts_with("-ms-") || name.starts_with("-moz-") => Fit::No,
        (name, _) if name.starts_with("width <") => not(at_least(pixels(name[7..].trim_start_matches('=')))),
        _ => Fit::Maybe,
    };
    let one = |part: &str| match part.trim() {
        "" | "only" | "and" | "all" | "screen" => Fit::Yes,
        part if part.starts_with('(') => feature(part.trim_matches(['(', ')'])),
        _ => Fit::No,
    };
    let query = |text: &str| match text.strip_prefix("not ") {
        _ if text.contains(" or ") => Fit::Maybe,
        Some(rest) => not(parts(rest).into_iter().map(one).min().unwrap_or(Fit::Yes)),
        None => parts(text).into_iter().map(one).min().unwrap_or(Fit::Yes),
    };
    split(text, |c| c == ',').into_iter().map(query).max().unwrap_or(Fit::Yes)
}
