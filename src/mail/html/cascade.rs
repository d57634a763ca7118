//! What holds of an element: of all declarations for a property, the heaviest one that is valid.
//!
//! It never knows what a property means.

use super::css::Token;
use super::sheet::Declaration;
use super::tree::{Quirks, among};
use super::value::{Amount, Missing, Units, Variables, amount, components, substitute};
use std::rc::Rc;

/// A declaration and its weight.
#[derive(Clone)]
pub(super) struct Entry {
    pub declaration: Declaration,
    pub weight: u64,
}

/// The declarations for an element.
pub(super) struct Cascade<'a> {
    /// The lightest first.
    pub entries: &'a [&'a Entry],
    pub variables: &'a Variables,
    pub quirks: Quirks,
}

/// What a property is set to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Set {
    /// Its own name or that of a shorthand, and the value.
    To(Rc<str>, Rc<[Token]>),
    Inherit,
    Initial,
    /// To what cannot be told here.
    Unsure,
    Not,
}

pub(super) const SIDES: [&str; 4] = ["top", "right", "bottom", "left"];
const LOGICAL: [&str; 4] = ["block-start", "inline-end", "block-end", "inline-start"];

impl Cascade<'_> {
    /// What the first of `names` is set to, by its own name or by one of its shorthands.
    pub fn find(&self, names: &str, valid: &dyn Fn(&str, &[Token]) -> bool) -> Set {
        for entry in self.entries.iter().rev() {
            let Declaration { name, value, .. } = &entry.declaration;
            if !among(names, name) && **name != *"all" {
                continue;
            }
            let varies = value.iter().any(|t| matches!(t, Token::Function(f) if !among(PLAIN, f)));
            let value = match varies.then(|| substitute(value, self.variables, 0)) {
                None => value.clone(),
                Some(Ok(value)) => value.into(),
                Some(Err(Missing::Unsure)) => return Set::Unsure,
                Some(Err(Missing::Invalid)) => return Set::Not,
            };
            if let [Token::Ident(word)] = &value[..] {
                match &*word.to_ascii_lowercase() {
                    "inherit" => return Set::Inherit,
                    "initial" => return Set::Initial,
                    "unset" | "revert" | "revert-layer" => return Set::Not,
                    _ => {}
                }
            }
            if **name != *"all" && valid(name, super::css::trim(&value)) {
                return Set::To(name.clone(), super::css::trim(&value).into());
            }
        }
        Set::Not
    }

    /// A property whose values are single words.
    pub fn word(&self, names: &str, allowed: &str) -> Option<String> {
        let one = |_: &str, value: &[Token]| match value {
            [Token::Ident(word)] => among(allowed, &word.to_ascii_lowercase()),
            _ => false,
        };
        Some(match self.find(names, &one) {
            Set::To(_, value) => match &value[..] {
                [Token::Ident(word)] => word.to_ascii_lowercase(),
                _ => return None,
            },
            Set::Inherit => "inherit".to_owned(),
            Set::Initial => "initial".to_owned(),
            Set::Unsure => "unsure".to_owned(),
            Set::Not => return None,
        })
    }

    /// A property that is a length, a percentage or a number; `None` where it is a word or not set.
    pub fn amount(&self, names: &str, units: &Units) -> Option<Amount> {
        self.pick(names, units, &|_, _| 0)
    }

    /// One edge of `margin`, `padding` or `inset`: 0 is the top, then round by the right.
    pub fn edge(&self, base: &str, side: usize, units: &Units) -> Option<Amount> {
        if self.entries.is_empty() {
            return None;
        }
        let axis = if side.is_multiple_of(2) { "block" } else { "inline" };
        let (own, logical) = (SIDES[side], LOGICAL[side]);
        let names = match base {
            "inset" => format!("{own} inset inset-{axis} inset-{logical}"),
            _ => format!("{base}-{own} {base} {base}-{axis} {base}-{logical}"),
        };
        self.pick(&names, units, &|name, count| match (name == base, count) {
            (true, 2) => side % 2,
            (true, 3) => [0, 1, 2, 1][side],
            (true, 4) => side,
            (false, 2) if name.ends_with("inline") || name.ends_with("block") => usize::from(matches!(side, 1 | 2)),
            _ => 0,
        })
    }

    /// A length; old pages need no unit.
    pub fn length(&self, part: &[Token], units: &Units) -> Amount {
        match amount(part, units) {
            Amount::Number(n) if n != 0.0 => match self.quirks {
                Quirks::No => Amount::Invalid,
                Quirks::Maybe => Amount::Unsure,
                Quirks::Yes => Amount::Pixels(n),
            },
            other => other,
        }
    }

    fn pick(&self, names: &str, units: &Units, which: &dyn Fn(&str, usize) -> usize) -> Option<Amount> {
        let valid = |_: &str, value: &[Token]| {
            let parts = components(value);
            let known = |part: &&[Token]| match part {
                [Token::Ident(word)] => among(SIZES, &word.to_ascii_lowercase()),
                part => self.length(part, units) != Amount::Invalid,
            };
            (1..=4).contains(&parts.len()) && parts.iter().all(known)
        };
        match self.find(names, &valid) {
            Set::To(name, value) => {
                let parts = components(&value);
                let part = parts.get(which(&name, parts.len())).or(parts.first())?;
                Some(self.length(part, units)).filter(|a| *a != Amount::Invalid)
            }
            Set::Unsure => Some(Amount::Unsure),
            _ => None,
        }
    }
}

/// Words that stand for lengths.
const SIZES: &str = "auto none normal min-content max-content fit-content stretch -webkit-fill-available thin medium thick";

/// Functions that are worth as much wherever they stand.
const PLAIN: &str = "calc min max clamp rgb rgba hsl hsla hwb url rect inset circle ellipse translate translatex translatey \
    translate3d scale scalex scaley rotate skew matrix opacity blur linear-gradient radial-gradient";
