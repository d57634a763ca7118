//! What holds of an element: of all declarations for a property, the heaviest one that is valid.
//!
//! It never knows what a property means.

use super::css::{CssToken, trim};
use super::sheet::Declaration;
use super::tree::{Quirks, among};
use super::value::{CssLength, Missing, Paint, Units, Variables, amount, components, paint, substitute};
use std::cell::Cell;
use std::rc::Rc;

/// A declaration and its weight.
#[derive(Clone)]
pub(super) struct Entry {
    pub declaration: Declaration,
    pub weight: u64,
}

/// The declarations for an element.
pub(super) struct StyleCascade<'a> {
    /// The lightest first.
    pub entries: &'a [&'a Entry],
    pub variables: &'a Variables,
    /// Tokens that may still be looked at for `var()`.
    pub left: Rc<Cell<usize>>,
    pub quirks: Quirks,
    pub units: Units,
}

/// What a value must be to be valid.
#[derive(Clone, Copy)]
pub(super) enum PropertyKind<'a> {
    Any,
    /// One of these words, or several of them.
    Words(&'a str),
    /// Lengths, percentages and the words for them.
    Sizes,
    /// A number or a percentage.
    Number,
    Paint,
    /// What a function says of the property's name and its value.
    Such(&'a dyn Fn(&str, &[CssToken]) -> bool),
}

/// What a property is set to.
pub(super) struct CssValue {
    /// Its own name or that of a shorthand.
    pub name: Rc<str>,
    pub tokens: Rc<[CssToken]>,
}

/// Stands for a value that cannot be told here.
const UNSURE: CssToken = CssToken::Delim('\u{FFFD}');

impl CssValue {
    pub fn is_unsure(&self) -> bool {
        self.tokens.contains(&UNSURE)
    }

    /// Whether one of these words is in it.
    pub fn has(&self, words: &str) -> bool {
        self.tokens.iter().any(|t| t.is_among(words))
    }

    /// The first number or length in it.
    pub fn number(&self) -> Option<f32> {
        self.tokens.iter().find_map(|t| match t {
            CssToken::Number(n) | CssToken::Length(n, _) => Some(*n),
            _ => None,
        })
    }
}

const SIDES: [&str; 4] = ["top", "right", "bottom", "left"];
const LOGICAL: [&str; 4] = ["block-start", "inline-end", "block-end", "inline-start"];
/// Words that stand for lengths.
const SIZES: &str =
    "auto none normal min-content max-content fit-content stretch -webkit-fill-available thin medium thick";
/// Functions that are worth as much wherever they stand.
const PLAIN: &str = "calc min max clamp rgb rgba hsl hsla hwb url rect inset circle ellipse translate translatex translatey \
    translate3d scale scalex scaley rotate skew matrix opacity blur linear-gradient radial-gradient";

impl StyleCascade<'_> {
    /// What the first of `names` is set to, by its own name or by one of its shorthands.
    pub fn get(&self, names: &str, kind: PropertyKind<'_>) -> Option<CssValue> {
        for entry in self.entries.iter().rev() {
            let Declaration { name, value, .. } = &entry.declaration;
            let all = **name == *"all";
            if !among(names, name) && !all {
                continue;
            }
            let varies = value.iter().any(|t| matches!(t, CssToken::Function(f) if !among(PLAIN, f)));
            let tokens: Rc<[CssToken]> = if varies {
                match substitute(value, self.variables, 0, &self.left) {
                    Ok(tokens) => trim(&tokens).into(),
                    Err(Missing::Unsure) => Rc::new([UNSURE]),
                    Err(Missing::Invalid) => return None,
                }
            } else {
                value.clone()
            };
            match &tokens[..] {
                [word] if word.is_among("unset revert revert-layer") => return None,
                [word] if word.is_among("inherit initial") || *word == UNSURE => {}
                value if all || !self.is_valid(name, value, kind) => continue,
                _ => {}
            }
            return Some(CssValue { name: name.clone(), tokens });
        }
        None
    }

    fn is_valid(&self, name: &str, value: &[CssToken], kind: PropertyKind<'_>) -> bool {
        match kind {
            PropertyKind::Any => true,
            PropertyKind::Words(words) => value.iter().all(|t| *t == CssToken::Space || t.is_among(words)),
            PropertyKind::Sizes => {
                let parts = components(value);
                let valid = |part: &&[CssToken]| match part {
                    [word @ CssToken::Ident(_)] => word.is_among(SIZES),
                    part => self.length(part) != CssLength::Invalid,
                };
                parts.len() <= 4 && parts.iter().all(valid)
            }
            PropertyKind::Number => !matches!(amount(value, &self.units), CssLength::Invalid),
            PropertyKind::Paint => paint(value, self.quirks != Quirks::No) != Paint::Invalid,
            PropertyKind::Such(valid) => valid(name, value),
        }
    }

    /// Whether the value of a property has one of these words in it.
    pub fn has(&self, names: &str, words: &str) -> bool {
        self.get(names, PropertyKind::Any).is_some_and(|v| v.has(words))
    }

    /// Whether a property is set to something.
    pub fn sets(&self, name: &str) -> bool {
        self.get(name, PropertyKind::Any)
            .is_some_and(|v| v.tokens.len() > 1 || !v.has("none auto normal initial inherit"))
    }

    /// A property of one word, or of several; `?` where it cannot be told.
    pub fn word(&self, names: &str, allowed: &str) -> String {
        match self.get(names, PropertyKind::Words(allowed)).as_ref().and_then(|v| v.tokens.first()) {
            Some(CssToken::Ident(word)) => word.to_ascii_lowercase(),
            Some(_) => "?".to_owned(),
            None => String::new(),
        }
    }

    /// A number or a percentage of one; [`f32::NAN`] where it cannot be told.
    pub fn number(&self, names: &str) -> Option<f32> {
        let value = self.get(names, PropertyKind::Number)?;
        match amount(&value.tokens, &Units { whole: 1.0, ..self.units }) {
            CssLength::Number(n) | CssLength::Pixels(n) => Some(n),
            _ => Some(f32::NAN),
        }
    }

    /// A length; old pages need no unit.
    pub fn length(&self, part: &[CssToken]) -> CssLength {
        match amount(part, &self.units) {
            CssLength::Number(n) if n != 0.0 => match self.quirks {
                Quirks::No => CssLength::Invalid,
                Quirks::Maybe => CssLength::Unsure,
                Quirks::Yes => CssLength::Pixels(n),
            },
            _ if part == [UNSURE] => CssLength::Unsure,
            other => other,
        }
    }

    /// A property that is a length, in pixels; `None` where it is a word or not set, [`f32::NAN`] where nobody can tell.
    pub fn size(&self, names: &str) -> Option<f32> {
        self.pick(names, "", 0)
    }

    /// One edge of `margin`, `padding` or `inset`: 0 is the top, then round by the right.
    pub fn edge(&self, base: &str, side: usize) -> Option<f32> {
        if self.entries.is_empty() {
            return None;
        }
        let axis = if side.is_multiple_of(2) { "block" } else { "inline" };
        let (own, logical) = (SIDES[side], LOGICAL[side]);
        let own = if base == "inset" { own.to_owned() } else { [base, "-", own].concat() };
        let names = [&own, " ", base, " ", base, "-", axis, " ", base, "-", logical].concat();
        self.pick(&names, base, side)
    }

    fn pick(&self, names: &str, base: &str, side: usize) -> Option<f32> {
        let value = self.get(names, PropertyKind::Sizes)?;
        let parts = components(&value.tokens);
        let which = match (*value.name == *base, parts.len()) {
            (true, 2) => side % 2,
            (true, 3) => [0, 1, 2, 1][side],
            (true, 4) => side,
            (false, 2) if value.name.ends_with("line") || value.name.ends_with("block") => {
                usize::from(matches!(side, 1 | 2))
            }
            _ => 0,
        };
        match self.length(parts.get(which)?) {
            CssLength::Unsure => Some(f32::NAN),
            amount => amount.pixels(),
        }
    }
}
