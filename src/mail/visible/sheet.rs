//! Style sheets: rules, selectors and media queries.
//!
//! Selectors by tag, class, id and attribute are exact; a selector that cannot be evaluated may match.

use super::value::{Units, amount, function, parts, split};
use std::collections::HashMap;
use std::rc::Rc;

/// Whether something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    Maybe,
    Yes,
}

impl Fit {
    fn not(self) -> Self {
        [Self::Yes, Self::Maybe, Self::No][self as usize]
    }

    fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
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

/// An open element with the children that it has so far.
pub(super) trait Level {
    fn element(&self) -> &Rc<Element>;
    fn children(&self) -> &[Rc<Element>];
}

#[derive(Debug, Clone)]
pub(super) struct Declaration {
    pub name: String,
    pub value: String,
    pub important: bool,
}

#[derive(Debug)]
enum Test {
    Class(String),
    Id(String),
    /// Name, operator, value and whether case is ignored.
    Attribute(String, char, String, bool),
    /// `:is`, or `:not` where the second is set.
    Any(Vec<Compound>, bool),
    Nth(i32, i32),
    Root,
    Link,
    Always(Fit),
}

#[derive(Debug, Default)]
struct Compound {
    tag: Option<String>,
    tests: Vec<Test>,
    /// How it stands to the one on its left.
    combinator: char,
}

struct Rule {
    /// The rightmost first.
    selector: Vec<Compound>,
    declarations: Rc<[Declaration]>,
    weight: u64,
    fit: Fit,
}

/// The rules of a page.
#[derive(Default)]
pub(super) struct Sheet {
    rules: Vec<Rule>,
    index: HashMap<String, Vec<usize>>,
    pub variables: HashMap<String, String>,
    /// Animations, by name: the declarations of the last frame, and of all.
    pub frames: HashMap<String, (Vec<Declaration>, Vec<Declaration>)>,
    pub quirks: bool,
    /// More rules than are read: nothing is shown.
    pub flooded: bool,
}

const MAX_RULES: usize = 5_000;
const MAX_NESTING: usize = 8;
/// A character that only stands for itself is moved here.
const MASK: u32 = 0xF_0000;

fn mask(c: char, out: &mut String) {
    let plain = c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_');
    out.push(if plain { char::from_u32(MASK + c as u32).unwrap_or(c) } else { c });
}

fn unmask(text: &str) -> String {
    text.chars().map(|c| (c as u32).checked_sub(MASK).and_then(char::from_u32).unwrap_or(c)).collect()
}

/// The text without comments; what is escaped or quoted is masked.
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

/// The declarations of a `style` attribute.
pub(super) fn declarations(css: &str) -> Vec<Declaration> {
    split(&clean(css), |c| c == ';').into_iter().filter_map(declaration).collect()
}

fn declaration(text: &str) -> Option<Declaration> {
    let (name, value) = text.split_once(':')?;
    let value = value.trim().to_ascii_lowercase();
    let (value, important) = match value.rsplit_once('!') {
        Some((rest, word)) if word.trim() == "important" => (rest.trim_end().to_owned(), true),
        _ => (value, false),
    };
    Some(Declaration { name: name.trim().to_ascii_lowercase(), value, important })
}

/// Where a block that begins before `at` ends.
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

impl Sheet {
    /// Adds a style sheet.
    pub fn read(&mut self, css: &str, media: &str) {
        let css = clean(css).replace("<!--", " ").replace("-->", " ");
        self.block(&css, &[], self::media(media, 0), 0);
    }

    /// Reads rules and declarations; these hold for `parents`.
    fn block(&mut self, css: &str, parents: &[String], fit: Fit, depth: usize) {
        if fit == Fit::No {
            return;
        }
        if depth > MAX_NESTING {
            self.flooded = true;
            return;
        }
        let (mut at, mut start, mut brackets) = (0, 0, 0usize);
        let mut own = Vec::new();
        let bytes = css.as_bytes();
        while at <= bytes.len() {
            match bytes.get(at) {
                Some(b'(' | b'[') => brackets += 1,
                Some(b')' | b']') => brackets = brackets.saturating_sub(1),
                Some(b'{') => {
                    let end = block_end(css, at + 1);
                    self.rule(css[start..at].trim(), &css[at + 1..end], parents, fit, depth + 1);
                    (at, start, brackets) = (end, end + 1, 0);
                }
                None | Some(b';' | b'}') if brackets == 0 || at == bytes.len() => {
                    let text = css.get(start..at).unwrap_or_default().trim();
                    match text.strip_prefix("@import") {
                        Some(address) => self.import(&unmask(address)),
                        None => own.extend(declaration(text)),
                    }
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        let variables = own.extract_if(.., |d: &mut Declaration| d.name.starts_with("--"));
        variables.for_each(|d| drop(self.variables.insert(d.name, d.value)));
        if own.is_empty() || parents.is_empty() {
            return;
        }
        let Some(selectors) = parents.iter().map(|s| selector(s)).collect::<Option<Vec<_>>>() else { return };
        let declarations: Rc<[Declaration]> = own.into();
        for (selector, specificity) in selectors {
            self.flooded |= self.rules.len() >= MAX_RULES;
            if self.flooded {
                return;
            }
            let key = selector.first().map(key).unwrap_or_default();
            self.index.entry(key).or_default().push(self.rules.len());
            let weight = specificity << 24 | self.rules.len() as u64;
            self.rules.push(Rule { selector, declarations: declarations.clone(), weight, fit });
        }
    }

    fn import(&mut self, address: &str) {
        let Some((_, data)) = address.split_once("data:text/css,") else { return };
        let end = data.find(['"', '\'', ')']).unwrap_or(data.len());
        // One level: what is imported has no imports of its own.
        if !data[..end].contains("@import") {
            self.read(&data[..end], "");
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
        let (name, rest) = at_rule.split_at(at_rule.find([' ', '(', '\n', '\t']).unwrap_or(at_rule.len()));
        match &*name.to_ascii_lowercase() {
            "media" => self.block(block, parents, fit.min(media(rest, 0)), depth),
            "supports" | "layer" | "container" | "scope" => {
                let scoped = [rest.split(['(', ')']).nth(1).unwrap_or_default().to_owned()];
                let block = block.replace(":scope", &scoped[0]);
                self.block(&block, parents, fit.min(Fit::Maybe), depth);
            }
            "property" => {
                let own = block.split(';').filter_map(declaration).find(|d| d.name == "initial-value");
                if let Some(own) = own {
                    self.variables.entry(rest.trim().to_owned()).or_insert(own.value);
                }
            }
            "keyframes" | "-webkit-keyframes" => {
                let mut frames = (Vec::new(), Vec::new());
                for frame in block.split('}').filter_map(|f| f.split_once('{')) {
                    let own: Vec<Declaration> = frame.1.split(';').filter_map(declaration).collect();
                    if frame.0.contains("to") || frame.0.contains("100%") {
                        frames.0.extend(own.iter().cloned());
                    }
                    frames.1.extend(own);
                }
                self.frames.insert(rest.trim().to_ascii_lowercase(), frames);
            }
            _ => {}
        }
    }

    /// The declarations that hold of an element, those that may hold, and their weights.
    pub fn find<L: Level>(
        &self,
        element: &Element,
        stack: &[L],
        steps: &mut usize,
    ) -> Vec<(Fit, u64, Rc<[Declaration]>)> {
        let lower = |kind: char, name: &str| format!("{kind}{}", name.to_ascii_lowercase());
        let mut keys = vec!["*".to_owned(), element.name.clone()];
        keys.extend(element.classes().take(50).map(|c| lower('.', c)));
        keys.extend(element.attribute("id").map(|id| lower('#', id)));
        keys.sort_unstable();
        keys.dedup();
        let mut out = Vec::new();
        for at in keys.iter().filter_map(|k| self.index.get(k)).flatten() {
            let rule = &self.rules[*at];
            let before = stack.last().map_or(&[][..], |l| l.children());
            let fit = rule.fit.min(self.matches(&rule.selector, element, before, stack, steps));
            if fit != Fit::No {
                out.push((fit, rule.weight, rule.declarations.clone()));
            }
        }
        out
    }

    fn matches<L: Level>(
        &self,
        selector: &[Compound],
        element: &Element,
        before: &[Rc<Element>],
        stack: &[L],
        steps: &mut usize,
    ) -> Fit {
        if *steps == 0 {
            return Fit::Maybe;
        }
        *steps -= 1;
        let Some((compound, left)) = selector.split_first() else { return Fit::Yes };
        let own = self.fits(compound, element, before.len(), stack.len());
        if own == Fit::No || left.is_empty() {
            return own;
        }
        let mut best = Fit::No;
        if matches!(compound.combinator, '+' | '~') {
            for n in (0..before.len()).rev().take(if compound.combinator == '+' { 1 } else { 50 }) {
                best = best.max(self.matches(left, &before[n], &before[..n], stack, steps));
            }
            return own.min(best);
        }
        for n in (0..stack.len()).rev().take(if compound.combinator == '>' { 1 } else { usize::MAX }) {
            let siblings = if n == 0 { &[][..] } else { stack[n - 1].children() };
            let siblings = &siblings[..siblings.len().saturating_sub(1)];
            best = best.max(self.matches(left, stack[n].element(), siblings, &stack[..n], steps));
            if best == Fit::Yes {
                break;
            }
        }
        own.min(best)
    }

    fn fits(&self, compound: &Compound, element: &Element, before: usize, depth: usize) -> Fit {
        if compound.tag.as_ref().is_some_and(|t| *t != element.name) {
            return Fit::No;
        }
        let same = |a: &str, b: &str| a == b || self.quirks && a.eq_ignore_ascii_case(b);
        let one = |test: &Test| match test {
            Test::Class(name) => Fit::of(element.classes().any(|c| same(c, name))),
            Test::Id(name) => Fit::of(element.attribute("id").is_some_and(|id| same(id, name))),
            Test::Attribute(name, operator, value, loose) => {
                let Some(found) = element.attribute(name) else { return Fit::No };
                let (found, value) = if *loose {
                    (found.to_ascii_lowercase(), value.to_ascii_lowercase())
                } else {
                    (found.to_owned(), value.clone())
                };
                Fit::of(match operator {
                    '=' => found == value,
                    '^' => !value.is_empty() && found.starts_with(&value),
                    '$' => !value.is_empty() && found.ends_with(&value),
                    '*' => !value.is_empty() && found.contains(&value),
                    '~' => found.split_ascii_whitespace().any(|w| w == value),
                    '|' => found.strip_prefix(&value).is_some_and(|r| r.is_empty() || r.starts_with('-')),
                    _ => true,
                })
            }
            Test::Any(list, negated) => {
                let any = list.iter().map(|c| self.fits(c, element, before, depth)).max().unwrap_or(Fit::No);
                if *negated { any.not() } else { any }
            }
            Test::Nth(a, b) => {
                let n = before as i32 + 1 - b;
                Fit::of(if *a == 0 { n == 0 } else { n % a == 0 && n / a >= 0 })
            }
            Test::Root => Fit::of(depth == 0),
            Test::Link => Fit::of(element.name == "a" && element.attribute("href").is_some()),
            Test::Always(fit) => *fit,
        };
        compound.tests.iter().map(one).min().unwrap_or(Fit::Yes)
    }
}

/// The name by which rules with such a rightmost part are found.
fn key(compound: &Compound) -> String {
    let named = compound.tests.iter().find_map(|t| match t {
        Test::Class(name) => Some(format!(".{}", name.to_ascii_lowercase())),
        Test::Id(name) => Some(format!("#{}", name.to_ascii_lowercase())),
        _ => None,
    });
    named.or_else(|| compound.tag.clone()).unwrap_or_else(|| "*".to_owned())
}

/// A selector, its rightmost part first, and its specificity.
fn selector(text: &str) -> Option<(Vec<Compound>, u64)> {
    let (mut out, mut specificity, mut combinator) = (Vec::new(), 0, ' ');
    let spaced = split(text, |c| matches!(c, '>' | '+' | '~')).join("\u{1}");
    let mut signs = Vec::new();
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '>' | '+' | '~' if depth == 0 => signs.push(c),
            _ => {}
        }
    }
    for (n, group) in spaced.split('\u{1}').enumerate() {
        for (m, part) in parts(group).into_iter().enumerate() {
            if n > 0 && m == 0 {
                combinator = signs[n - 1];
            }
            let (mut compound, weight) = compound(part, 0)?;
            compound.combinator = std::mem::replace(&mut combinator, ' ');
            specificity += weight;
            out.insert(0, compound);
            if out.len() > 16 {
                return None;
            }
        }
    }
    (!out.is_empty()).then_some((out, specificity))
}

fn name_end(text: &str) -> usize {
    text.find(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(text.len())
}

fn compound(text: &str, depth: usize) -> Option<(Compound, u64)> {
    let mut out = Compound::default();
    let text = text.trim_start_matches("*|").trim_start_matches('*');
    let end = name_end(text);
    let mut weight = u64::from(end > 0);
    out.tag = (end > 0).then(|| unmask(&text[..end]).to_ascii_lowercase());
    let mut rest = &text[end..];
    while let Some(kind) = rest.chars().next() {
        rest = &rest[kind.len_utf8()..];
        if kind == '[' {
            let (inside, after) = rest.split_once(']')?;
            out.tests.push(attribute(inside)?);
            (weight, rest) = (weight + (1 << 8), after);
            continue;
        }
        let element = kind == ':' && rest.starts_with(':');
        rest = rest.trim_start_matches(':');
        let end = name_end(rest);
        let name = unmask(&rest[..end]);
        rest = &rest[end..];
        let mut inside = "";
        if kind == ':' && rest.starts_with('(') {
            let mut open = 0usize;
            let close = rest.find(|c| {
                open = if c == '(' { open + 1 } else { open - usize::from(c == ')') };
                open == 0
            })?;
            (inside, rest) = (&rest[1..close], &rest[close + 1..]);
        }
        weight += if kind == '#' { 1 << 16 } else { 1 << 8 };
        out.tests.push(match kind {
            _ if name.is_empty() => return None,
            '.' => Test::Class(name),
            '#' => Test::Id(name),
            ':' if element => Test::Always(Fit::No),
            ':' => pseudo(&name.to_ascii_lowercase(), inside, depth)?,
            _ => return None,
        });
    }
    Some((out, weight))
}

fn attribute(text: &str) -> Option<Test> {
    let Some((name, value)) = text.split_once('=') else {
        return Some(Test::Attribute(unmask(text.trim()).to_ascii_lowercase(), ' ', String::new(), false));
    };
    let operator = name.chars().next_back().filter(|c| "^$*~|".contains(*c));
    let name = name.trim_end_matches(['^', '$', '*', '~', '|']).trim();
    let (value, loose) = match value.trim().strip_suffix([' ', 'i', 'I']).filter(|v| v.ends_with([' ', '\u{F0022}'])) {
        Some(value) => (value.trim(), true),
        None => (value.trim(), false),
    };
    let value = unmask(value).trim_matches('"').to_owned();
    Some(Test::Attribute(unmask(name).to_ascii_lowercase(), operator.unwrap_or('='), value, loose))
}

fn pseudo(name: &str, inside: &str, depth: usize) -> Option<Test> {
    Some(match name {
        "not" | "is" | "where" | "matches" | "-webkit-any" if depth < 4 => {
            let list = split(inside, |c| c == ',');
            // A part with a combinator cannot be evaluated here.
            if list.iter().any(|s| parts(s).len() != 1 || s.contains(['>', '+'])) {
                return Some(Test::Always(Fit::Maybe));
            }
            let list = list.into_iter().map(|s| compound(s, depth + 1).map(|c| c.0)).collect::<Option<Vec<_>>>()?;
            Test::Any(list, name == "not")
        }
        "first-child" => Test::Nth(0, 1),
        "nth-child" if !inside.contains("of") => nth(inside)?,
        "root" => Test::Root,
        "link" | "any-link" => Test::Link,
        "hover" | "active" | "focus" | "focus-within" | "focus-visible" | "visited" | "target" | "checked"
        | "before" | "after" | "first-line" | "first-letter" => Test::Always(Fit::No),
        _ if name.starts_with("nth-") || name.ends_with("-child") || name.ends_with("-of-type") => {
            Test::Always(Fit::Maybe)
        }
        "has" | "lang" | "empty" | "enabled" | "disabled" | "defined" | "dir" | "scope" | "host" | "read-only" => {
            Test::Always(Fit::Maybe)
        }
        _ => return None,
    })
}

/// `An+B`.
fn nth(text: &str) -> Option<Test> {
    let text: String = text.to_ascii_lowercase().split_whitespace().collect();
    let number = |t: &str| t.trim_start_matches('+').parse::<i32>().ok();
    Some(match &*text {
        "odd" => Test::Nth(2, 1),
        "even" => Test::Nth(2, 0),
        _ => match text.split_once('n') {
            None => Test::Nth(0, number(&text)?),
            Some((a, b)) => {
                let a = match a {
                    "" | "+" => 1,
                    "-" => -1,
                    a => number(a)?,
                };
                Test::Nth(a, if b.is_empty() { 0 } else { number(b)? })
            }
        },
    })
}

/// Whether a list of media queries holds in a desktop window with a light colour scheme.
fn media(text: &str, depth: usize) -> Fit {
    if text.trim().is_empty() {
        return Fit::Yes;
    }
    if depth > MAX_NESTING {
        return Fit::Maybe;
    }
    let query = |text: &str| {
        let (mut all, mut negated, mut either, mut whole) = (Fit::Yes, false, false, false);
        for (n, part) in parts(text).into_iter().enumerate() {
            let fit = match part {
                "only" | "and" => continue,
                "or" => {
                    either = true;
                    continue;
                }
                "not" => {
                    (negated, whole) = (true, n == 0 && !text.contains("not ("));
                    continue;
                }
                "all" | "screen" => Fit::Yes,
                part if part.starts_with('(') => feature(&part[1..part.len().max(2) - 1], depth),
                _ => Fit::No,
            };
            let fit = if negated && !whole { fit.not() } else { fit };
            negated &= whole;
            all = if either { all.max(fit) } else { all.min(fit) };
            either = false;
        }
        if whole { all.not() } else { all }
    };
    split(&text.to_ascii_lowercase(), |c| c == ',').into_iter().map(query).max().unwrap_or(Fit::Yes)
}

fn feature(text: &str, depth: usize) -> Fit {
    /// The widths of desktop windows; between them a query may hold.
    const WIDTHS: (f32, f32) = (1024.0, 1920.0);
    let text = text.trim().trim_end_matches(')');
    if text.contains('(') && function(text).is_none_or(|f| f.0.trim().is_empty() || f.0.contains(' ')) {
        return media(&[text, ")"].concat(), depth + 1);
    }
    let pixels = |t: &str| amount(t.trim(), &Units { font: 16.0, root: 16.0, whole: 0.0 }).map(|a| a.0);
    let compare = |at_least: bool, than: Option<f32>| {
        let Some(than) = than else { return Fit::Maybe };
        match (WIDTHS.0 >= than, WIDTHS.1 >= than) {
            (true, true) => Fit::of(at_least),
            (false, false) => Fit::of(!at_least),
            _ => Fit::Maybe,
        }
    };
    if text.contains(['<', '>']) {
        let sides: Vec<&str> = text.split(['<', '>', '=']).map(str::trim).filter(|s| !s.is_empty()).collect();
        let Some(at) = sides.iter().position(|s| s.ends_with("width")) else { return Fit::Maybe };
        let less = text.contains('<');
        let left = at.checked_sub(1).map_or(Fit::Yes, |n| compare(less, pixels(sides[n])));
        return left.min(sides.get(at + 1).map_or(Fit::Yes, |s| compare(!less, pixels(s))));
    }
    let (name, value) = text.split_once(':').map_or((text, ""), |(n, v)| (n.trim(), v.trim()));
    match name {
        "min-width" | "min-device-width" => compare(true, pixels(value)),
        "max-width" | "max-device-width" => compare(false, pixels(value)),
        "prefers-color-scheme" => Fit::of(value == "light"),
        "prefers-reduced-motion" | "prefers-contrast" => Fit::of(value == "no-preference"),
        "hover" | "any-hover" => Fit::of(matches!(value, "" | "hover")),
        "pointer" | "any-pointer" => Fit::of(matches!(value, "" | "fine")),
        _ if name.starts_with("-ms-") || name.starts_with("-moz-") || name == "yahoo" => Fit::No,
        _ => Fit::Maybe,
    }
}
