//! Whether an element is one that a selector speaks of.
//!
//! It never works without end: what is left of the work is counted, and past it everything may fit.

use super::{Combinator, Compound, Fit, Selector, Simple};
use crate::mail::html::tree::{Content, Element, HTML, NONE, Quirks, Tree, among};

/// The attributes whose values have no case of their own.
const FOLDED: &str = "accept align alink axis bgcolor charset checked clear codetype color compact declare defer dir \
    direction disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref noresize \
    noshade nowrap readonly rel rev rules scope scrolling selected shape target text type valign valuetype vlink";

/// Tells elements of a page from each other by selectors, with a bound on the work in all.
pub(in crate::mail::html) struct Matcher<'a> {
    pub tree: &'a Tree,
    /// What is left of the work that may be done; past it everything may fit.
    pub steps: usize,
}

impl Matcher<'_> {
    /// Whether an element fits a selector; parts of an element are taken for it.
    pub fn fit(&mut self, selector: &Selector, at: u32) -> Fit {
        self.parts(&selector.parts, at, 0)
    }

    fn parts(&mut self, parts: &[(Compound, Combinator)], at: u32, depth: usize) -> Fit {
        let Some(((compound, relation), rest)) = parts.split_first() else { return Fit::Yes };
        let own = self.compound(compound, at, depth);
        if own == Fit::No || rest.is_empty() {
            return own;
        }
        let mut best = Fit::No;
        let mut other = at;
        loop {
            other = match relation {
                Combinator::Inside | Combinator::Child => self.tree.node(other).parent,
                Combinator::Next | Combinator::Later => self.tree.previous_element(other).unwrap_or(NONE),
            };
            if other == NONE {
                break;
            }
            if self.steps == 0 {
                return Fit::Maybe;
            }
            best = best.max(self.parts(rest, other, depth));
            if best == Fit::Yes || matches!(relation, Combinator::Child | Combinator::Next) {
                break;
            }
        }
        own.min(best)
    }

    fn any(&mut self, all: &[Selector], at: u32, depth: usize) -> Fit {
        let mut best = Fit::No;
        for selector in all {
            let fit = if selector.pseudo.is_some() { Fit::No } else { self.parts(&selector.parts, at, depth + 1) };
            best = best.max(fit);
            if best == Fit::Yes {
                break;
            }
        }
        best
    }

    fn compound(&mut self, compound: &Compound, at: u32, depth: usize) -> Fit {
        if self.steps == 0 {
            return Fit::Maybe;
        }
        let Some(element) = self.tree.element(at) else { return Fit::No };
        let element = element.clone();
        let mut fit = Fit::Yes;
        for simple in &compound.0 {
            self.steps = self.steps.saturating_sub(1);
            fit = fit.min(self.simple(simple, &element, at, depth));
            if fit == Fit::No {
                break;
            }
        }
        fit
    }

    /// Whether two names are the same; old pages do not tell the cases apart.
    fn same(&self, a: &str, b: &str) -> Fit {
        match self.tree.quirks {
            _ if a == b => Fit::Yes,
            _ if !a.eq_ignore_ascii_case(b) => Fit::No,
            Quirks::No => Fit::No,
            Quirks::Maybe => Fit::Maybe,
            Quirks::Yes => Fit::Yes,
        }
    }

    fn simple(&mut self, simple: &Simple, element: &Element, at: u32, depth: usize) -> Fit {
        match simple {
            Simple::Any => Fit::Yes,
            Simple::Tag(name) => Fit::of(*element.name == **name),
            Simple::Id(id) => element.attribute("id").map_or(Fit::No, |known| self.same(known, id)),
            Simple::Class(class) => {
                let classes = element.attribute("class").unwrap_or_default();
                self.steps = self.steps.saturating_sub(classes.len() / 8);
                classes.split_ascii_whitespace().map(|known| self.same(known, class)).max().unwrap_or(Fit::No)
            }
            Simple::Attribute { name, operator, value, folded } => {
                let Some(known) = element.attribute(name) else { return Fit::No };
                self.steps = self.steps.saturating_sub(known.len() / 8);
                let folded = folded.unwrap_or_else(|| among(FOLDED, name));
                let fold = |text: &str| if folded { text.to_ascii_lowercase() } else { text.to_owned() };
                let (known, value) = (fold(known), fold(value));
                let some = !value.is_empty();
                Fit::of(match operator {
                    '=' => known == value,
                    '~' => some && known.split_ascii_whitespace().any(|word| word == value),
                    '|' => known.strip_prefix(&value).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
                    '^' => some && known.starts_with(&value),
                    '$' => some && known.ends_with(&value),
                    '*' => some && known.contains(&value),
                    _ => true,
                })
            }
            Simple::Nth { step, offset, from_end, of_type } => {
                let Some(place) = self.place(at, element, *from_end, *of_type) else { return Fit::Maybe };
                let n = place - offset;
                Fit::of(if *step == 0 { n == 0 } else { n % step == 0 && n / step >= 0 })
            }
            Simple::Empty => {
                Fit::of(self.tree.children(at).all(|c| matches!(self.tree.node(c).content, Content::Comment)))
            }
            Simple::Root => Fit::of(at == HTML),
            Simple::Link => Fit::of(matches!(&*element.name, "a" | "area") && element.attribute("href").is_some()),
            Simple::Checked => match &*element.name {
                "input" if element.attribute("checked").is_some() => Fit::Maybe,
                "option" => Fit::Maybe,
                _ => Fit::No,
            },
            Simple::Is(all) => self.any(all, at, depth),
            Simple::Not(all) => self.any(all, at, depth).not(),
            Simple::State(fit) => *fit,
        }
    }

    /// Which child of its parent an element is, from 1; `None` where that takes too long.
    fn place(&mut self, at: u32, element: &Element, from_end: bool, of_type: bool) -> Option<i32> {
        let mut place = 1;
        let mut other = at;
        loop {
            let node = self.tree.node(other);
            other = if from_end { node.next } else { node.previous };
            if other == NONE {
                return Some(place);
            }
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 {
                return None;
            }
            let counts = self.tree.element(other).is_some_and(|e| !of_type || e.name == element.name);
            place += i32::from(counts);
        }
    }
}
