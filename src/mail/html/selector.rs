//! CSS selectors: their parts, and how much they weigh; [`Matcher`] tells whether an element fits.
//!
//! It never decides what it cannot evaluate: such a part fits [`Fit::Maybe`].

mod matcher;

use super::css::{CssToken, past_block, split, trim};
use super::tree::among;
pub(super) use matcher::Matcher;
use std::rc::Rc;

/// Whether an element is one that a selector speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    Maybe,
    Yes,
}

impl Fit {
    fn of(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }

    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
            Self::Yes => Self::No,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Combinator {
    Inside,
    Child,
    Next,
    Later,
}

#[derive(Debug)]
enum Simple {
    Any,
    Tag(String),
    Id(String),
    Class(String),
    Attribute {
        name: String,
        operator: char,
        value: String,
        folded: Option<bool>,
    },
    Nth {
        step: i32,
        offset: i32,
        from_end: bool,
        of_type: bool,
    },
    Empty,
    Root,
    Link,
    Checked,
    Is(Rc<[Selector]>),
    Not(Rc<[Selector]>),
    /// A pseudo-class that a page at rest has, may have, or has not.
    State(Fit),
}

#[derive(Debug)]
struct Compound(Vec<Simple>);

/// One selector of a list.
#[derive(Debug)]
pub(super) struct Selector {
    /// The last compound first; each with its relation to the one before it.
    parts: Vec<(Compound, Combinator)>,
    /// Ids, then classes, then tags.
    pub weight: u32,
    /// What a selector for a part of an element speaks of: its text where it is `Some(true)`, else something beside it.
    pub pseudo: Option<bool>,
}

/// What the elements of a selector are found by.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
pub(super) enum SelectorKey {
    Id(String),
    Class(String),
    Tag(String),
    Any,
}

const MAX_NESTING: usize = 8;
/// No selector of a mail is as long; a longer one may speak of any element.
const MAX_TOKENS: usize = 400;
/// Selectors of one rule that are read; the rest may choose anything.
const MAX_SELECTORS: usize = 2_000;
const ID: u32 = 1 << 20;
const CLASS: u32 = 1 << 10;

/// A list of selectors, and whether a browser surely takes it; `None` where it surely does not.
///
/// `parent` is what `&` stands for, where the list belongs to a rule in a rule.
pub(super) fn list(
    tokens: &[CssToken],
    parent: Option<&Rc<[Selector]>>,
    depth: usize,
) -> Option<(Rc<[Selector]>, Fit)> {
    let mut reader = SelectorReader { parent, sure: Fit::Yes, depth };
    let mut all = Vec::new();
    for part in split(tokens, &CssToken::Delim(',')) {
        if all.len() == MAX_SELECTORS {
            all.push(reader.unknown());
            break;
        }
        all.push(reader.complex(part)?);
    }
    (reader.sure != Fit::No).then(|| (all.into(), reader.sure))
}

struct SelectorReader<'a> {
    parent: Option<&'a Rc<[Selector]>>,
    sure: Fit,
    depth: usize,
}

impl SelectorReader<'_> {
    /// What may choose anything: it stands for what is too long to be read.
    fn unknown(&mut self) -> Selector {
        self.unsure();
        let unknown = Compound(vec![Simple::State(Fit::Maybe)]);
        Selector { parts: vec![(unknown, Combinator::Inside)], weight: ID, pseudo: None }
    }

    fn complex(&mut self, tokens: &[CssToken]) -> Option<Selector> {
        let tokens = trim(tokens);
        if tokens.len() > MAX_TOKENS {
            return Some(self.unknown());
        }
        let mut parts: Vec<(Compound, Combinator)> = Vec::new();
        let (mut weight, mut pseudo) = (0, None);
        let mut relation = None;
        let mut at = 0;
        let nested = tokens.contains(&CssToken::Delim('&'));
        if let Some(parent) = self.parent.filter(|_| !nested) {
            weight += heaviest(parent);
            parts.push((Compound(vec![Simple::Is(parent.clone())]), Combinator::Inside));
            relation = Some(Combinator::Inside);
        }
        while at < tokens.len() {
            let sign = match &tokens[at] {
                CssToken::Space => Some(Combinator::Inside),
                CssToken::Delim('>') => Some(Combinator::Child),
                CssToken::Delim('+') => Some(Combinator::Next),
                CssToken::Delim('~') => Some(Combinator::Later),
                _ => None,
            };
            if let Some(sign) = sign {
                if relation.is_none_or(|r| r == Combinator::Inside) {
                    relation = Some(sign);
                } else if sign != Combinator::Inside {
                    return None;
                }
                at += 1;
                continue;
            }
            let from = at;
            while at < tokens.len() && !matches!(tokens[at], CssToken::Space | CssToken::Delim('>' | '+' | '~')) {
                at = past_block(tokens, at);
            }
            let compound = self.compound(&tokens[from..at], &mut weight, &mut pseudo)?;
            if parts.is_empty() && relation.is_some_and(|r| r != Combinator::Inside) {
                return None;
            }
            parts.push((compound, relation.take().unwrap_or(Combinator::Inside)));
        }
        if parts.is_empty() || relation.is_some() {
            return None;
        }
        parts.reverse();
        Some(Selector { parts, weight, pseudo })
    }

    fn compound(&mut self, tokens: &[CssToken], weight: &mut u32, pseudo: &mut Option<bool>) -> Option<Compound> {
        let mut all = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at..] {
                [CssToken::Delim('*') | CssToken::Ident(_), CssToken::Delim('|'), ..] => at += 2,
                [CssToken::Delim('|'), ..] => at += 1,
                [CssToken::Delim('*'), ..] => {
                    all.push(Simple::Any);
                    at += 1;
                }
                [CssToken::Delim('&'), ..] => {
                    match self.parent {
                        Some(parent) => {
                            *weight += heaviest(parent);
                            all.push(Simple::Is(parent.clone()));
                        }
                        None => all.push(Simple::Root),
                    }
                    at += 1;
                }
                [CssToken::Ident(name), ..] if at == 0 || matches!(tokens[at - 1], CssToken::Delim('|')) => {
                    *weight += 1;
                    all.push(Simple::Tag(name.to_ascii_lowercase()));
                    at += 1;
                }
                [CssToken::Hash(name), ..] => {
                    *weight += ID;
                    all.push(Simple::Id(name.to_string()));
                    at += 1;
                }
                [CssToken::Delim('.'), CssToken::Ident(name), ..] => {
                    *weight += CLASS;
                    all.push(Simple::Class(name.to_string()));
                    at += 2;
                }
                [CssToken::Open('['), ..] => {
                    let end = past_block(tokens, at);
                    *weight += CLASS;
                    let inside = &tokens[at + 1..end];
                    all.push(attribute(inside.strip_suffix(&[CssToken::Close(']')]).unwrap_or(inside))?);
                    at = end;
                }
                [CssToken::Delim(':'), CssToken::Delim(':'), CssToken::Ident(name), ..] => {
                    self.pseudo_element(name, pseudo);
                    *weight += 1;
                    at += 3;
                }
                [CssToken::Delim(':'), CssToken::Delim(':'), CssToken::Function(name), ..] => {
                    self.pseudo_element(name, pseudo);
                    *weight += 1;
                    at = past_block(tokens, at + 2);
                }
                [CssToken::Delim(':'), CssToken::Ident(name), ..] => {
                    let name = name.to_ascii_lowercase();
                    if matches!(&*name, "before" | "after" | "first-line" | "first-letter") {
                        self.pseudo_element(&name, pseudo);
                        *weight += 1;
                    } else {
                        *weight += CLASS;
                        all.push(self.pseudo_class(&name));
                    }
                    at += 2;
                }
                [CssToken::Delim(':'), CssToken::Function(name), ..] => {
                    let end = past_block(tokens, at + 1);
                    let inside = super::value::arguments(&tokens[at + 1..end]);
                    all.push(self.function(name, inside, weight)?);
                    at = end;
                }
                _ => return None,
            }
        }
        (!all.is_empty() || pseudo.is_some()).then_some(Compound(all))
    }

    fn unsure(&mut self) {
        self.sure = self.sure.min(Fit::Maybe);
    }

    fn pseudo_element(&mut self, name: &str, pseudo: &mut Option<bool>) {
        let name = name.to_ascii_lowercase();
        let beside = among(
            "before after marker placeholder selection backdrop file-selector-button cue target-text spelling-error \
             grammar-error highlight",
            &name,
        ) || name.starts_with("-webkit-");
        if name.starts_with("-moz-") || name.starts_with("-ms-") || name.starts_with("-o-") {
            self.sure = Fit::No;
        } else if !beside && !matches!(&*name, "first-line" | "first-letter" | "details-content") {
            self.unsure();
        }
        *pseudo = Some(!beside);
    }

    fn pseudo_class(&mut self, name: &str) -> Simple {
        let nth = |from_end, of_type| Simple::Nth { step: 0, offset: 1, from_end, of_type };
        match name {
            "scope" if self.parent.is_some() => Simple::State(Fit::Maybe),
            "root" | "scope" => Simple::Root,
            "empty" => Simple::Empty,
            "link" | "any-link" | "-webkit-any-link" => Simple::Link,
            "checked" => Simple::Checked,
            "first-child" => nth(false, false),
            "last-child" => nth(true, false),
            "first-of-type" => nth(false, true),
            "last-of-type" => nth(true, true),
            "defined" | "read-only" => Simple::State(Fit::Yes),
            "only-child" | "only-of-type" => {
                let of_type = name == "only-of-type";
                let one = |from_end| Compound(vec![nth(from_end, of_type)]);
                let both =
                    |from_end| Selector { parts: vec![(one(from_end), Combinator::Inside)], weight: 0, pseudo: None };
                // Neither has another before it, nor after it: not(not first or not last).
                let not = |from_end| {
                    let none = Compound(vec![Simple::Not(Rc::new([both(from_end)]))]);
                    Selector { parts: vec![(none, Combinator::Inside)], weight: 0, pseudo: None }
                };
                Simple::Not(Rc::new([not(false), not(true)]))
            }
            _ if among(AT_WORK, name) => Simple::State(Fit::No),
            _ if among(OF_FORMS, name) => Simple::State(Fit::Maybe),
            _ if name.starts_with("-ms-") || name.starts_with("-o-") => {
                self.sure = Fit::No;
                Simple::State(Fit::No)
            }
            _ => {
                self.unsure();
                Simple::State(Fit::Maybe)
            }
        }
    }

    fn function(&mut self, name: &str, inside: &[CssToken], weight: &mut u32) -> Option<Simple> {
        if self.depth >= MAX_NESTING {
            self.unsure();
            return Some(Simple::State(Fit::Maybe));
        }
        let nested = |this: &mut Self, forgiving: bool| -> Option<Rc<[Selector]>> {
            let mut all = Vec::new();
            this.depth += 1;
            // `&` and what a rule lies in count where they stand, not in a list.
            let parent = if inside.contains(&CssToken::Delim('&')) { this.parent } else { this.parent.take() };
            for part in split(inside, &CssToken::Delim(',')) {
                match this.complex(part) {
                    Some(selector) => all.push(selector),
                    None if forgiving => {}
                    None => return None,
                }
            }
            this.parent = parent;
            this.depth -= 1;
            Some(all.into())
        };
        Some(match name {
            "not" => {
                let all = nested(self, false)?;
                *weight += heaviest(&all);
                Simple::Not(all)
            }
            "is" | "matches" | "-webkit-any" | "where" => {
                let all = nested(self, true)?;
                if name != "where" {
                    *weight += heaviest(&all);
                }
                Simple::Is(all)
            }
            "nth-child" | "nth-last-child" | "nth-of-type" | "nth-last-of-type" => {
                *weight += CLASS;
                match nth(inside) {
                    Some((step, offset)) => {
                        Simple::Nth { step, offset, from_end: name.contains("last"), of_type: name.contains("type") }
                    }
                    None => {
                        self.unsure();
                        Simple::State(Fit::Maybe)
                    }
                }
            }
            _ => {
                *weight += CLASS;
                if !matches!(name, "has" | "lang" | "dir" | "state") {
                    self.unsure();
                }
                Simple::State(Fit::Maybe)
            }
        })
    }
}

/// What a pointer, a focus or a script brings about, which a page at rest has not.
const AT_WORK: &str = "hover active focus focus-within focus-visible visited target target-within fullscreen popover-open \
    modal playing user-invalid user-valid autofill host -webkit-autofill -webkit-full-screen picture-in-picture \
    active-view-transition";
/// What forms may have.
const OF_FORMS: &str = "enabled disabled default valid invalid required optional in-range open out-of-range \
    placeholder-shown indeterminate read-write blank";

fn heaviest(all: &[Selector]) -> u32 {
    all.iter().map(|s| s.weight).max().unwrap_or(0)
}

fn attribute(tokens: &[CssToken]) -> Option<Simple> {
    let mut parts: Vec<&CssToken> = tokens.iter().filter(|t| **t != CssToken::Space).collect();
    while matches!(parts[..], [CssToken::Delim('*') | CssToken::Ident(_), CssToken::Delim('|'), CssToken::Ident(_), ..])
    {
        parts.drain(..2);
    }
    if let [CssToken::Delim('|'), ..] = parts[..] {
        parts.remove(0);
    }
    let [CssToken::Ident(name), rest @ ..] = &parts[..] else { return None };
    let name = name.to_ascii_lowercase();
    let (operator, rest) = match rest {
        [] => return Some(Simple::Attribute { name, operator: ' ', value: String::new(), folded: None }),
        [CssToken::Delim('='), rest @ ..] => ('=', rest),
        [CssToken::Delim(c @ ('~' | '|' | '^' | '$' | '*')), CssToken::Delim('='), rest @ ..] => (*c, rest),
        _ => return None,
    };
    let [CssToken::Ident(value) | CssToken::Text(value), flags @ ..] = rest else { return None };
    let folded = match flags {
        [] => None,
        [flag] if flag.is("i") => Some(true),
        [flag] if flag.is("s") => Some(false),
        _ => return None,
    };
    Some(Simple::Attribute { name, operator, value: value.to_string(), folded })
}

/// `2n+1`, `odd`, `-n + 3`: the step and the offset.
fn nth(tokens: &[CssToken]) -> Option<(i32, i32)> {
    let parts: Vec<&CssToken> = tokens.iter().filter(|t| **t != CssToken::Space).collect();
    let whole = |n: f32| (n.fract() == 0.0 && n.abs() < 1e6).then_some(n as i32);
    let (step, unit, rest) = match &parts[..] {
        [word] if word.is("odd") => return Some((2, 1)),
        [word] if word.is("even") => return Some((2, 0)),
        [CssToken::Number(n)] => return Some((0, whole(*n)?)),
        [CssToken::Length(n, unit), rest @ ..] => (whole(*n)?, unit.to_string(), rest),
        [CssToken::Delim('+'), CssToken::Ident(unit), rest @ ..] => (1, unit.to_ascii_lowercase(), rest),
        [CssToken::Ident(unit), rest @ ..] => match unit.to_ascii_lowercase() {
            unit if unit.starts_with('-') => (-1, unit[1..].to_owned(), rest),
            unit => (1, unit, rest),
        },
        _ => return None,
    };
    // A minus sign belongs to the unit: `n-3`, `n- 3`.
    let offset = match (unit.strip_prefix('n')?, rest) {
        ("", []) => 0,
        ("", [CssToken::Number(n)]) | ("", [CssToken::Delim('+'), CssToken::Number(n)]) => whole(*n)?,
        ("", [CssToken::Delim('-'), CssToken::Number(n)]) | ("-", [CssToken::Number(n)]) => -whole(*n)?,
        (offset, []) => offset.parse::<i16>().ok().filter(|n| *n <= 0)?.into(),
        _ => return None,
    };
    Some((step, offset))
}

impl Selector {
    /// What the elements that it speaks of are found by.
    pub fn key(&self) -> SelectorKey {
        let simple = self.parts.first().map_or(&[][..], |(compound, _)| &compound.0);
        let mut best = SelectorKey::Any;
        for simple in simple {
            match simple {
                Simple::Id(id) => return SelectorKey::Id(id.to_ascii_lowercase()),
                Simple::Class(class) => best = SelectorKey::Class(class.to_ascii_lowercase()),
                Simple::Tag(tag) if best == SelectorKey::Any => best = SelectorKey::Tag(tag.clone()),
                Simple::Root if best == SelectorKey::Any => best = SelectorKey::Tag("html".to_owned()),
                _ => {}
            }
        }
        best
    }
}
