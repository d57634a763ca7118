//! The elements and texts of a page, and [`Builder`], which puts them where a browser does.
//!
//! It follows the tree construction of the WHATWG standard: implied end tags, formatting that goes on past them, text that
//! a table puts out. It never makes frames, and forgets what only scripts or styles of a page's layout ask for.

mod builder;

pub(super) use builder::{Builder, MAX_ATTRIBUTES, among};
use std::rc::Rc;

/// A name in lower case, and a value.
pub(super) type Attribute = (String, String);

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// The places of the elements that every page has.
pub(super) const HTML: u32 = 0;
pub(super) const HEAD: u32 = 1;
pub(super) const BODY: u32 = 2;

/// An element of a page.
#[derive(Debug, Clone)]
pub(super) struct Element {
    /// In lower case.
    pub name: Rc<str>,
    pub attributes: Rc<[Attribute]>,
    /// Part of a drawing or a formula.
    pub foreign: bool,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug)]
pub(super) enum Content {
    Element(Element),
    Text(String),
    Comment,
}

#[derive(Debug)]
pub(super) struct DomNode {
    pub content: Content,
    pub parent: u32,
    pub first: u32,
    pub last: u32,
    pub previous: u32,
    pub next: u32,
}

/// Whether a page asks for the rules of old browsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quirks {
    No,
    Maybe,
    Yes,
}

/// A page.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<DomNode>,
    pub quirks: Quirks,
    /// From this node on nothing is shown: there was too much to follow, or frames came instead.
    pub dark_from: u32,
}

impl Tree {
    pub fn node(&self, at: u32) -> &DomNode {
        &self.nodes[at as usize]
    }

    fn edit(&mut self, at: u32) -> &mut DomNode {
        &mut self.nodes[at as usize]
    }

    pub fn element(&self, at: u32) -> Option<&Element> {
        match &self.nodes.get(at as usize)?.content {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    /// Adds a node that stands nowhere.
    fn add(&mut self, content: Content) -> u32 {
        self.nodes.push(DomNode { content, parent: NONE, first: NONE, last: NONE, previous: NONE, next: NONE });
        (self.nodes.len() - 1) as u32
    }

    /// Puts a node into `parent`, in front of `before`, or last where that is [`NONE`].
    fn insert(&mut self, at: u32, parent: u32, before: u32) {
        self.detach(at);
        let previous = if before == NONE { self.node(parent).last } else { self.node(before).previous };
        let node = self.edit(at);
        (node.parent, node.previous, node.next) = (parent, previous, before);
        match previous {
            NONE => self.edit(parent).first = at,
            previous => self.edit(previous).next = at,
        }
        match before {
            NONE => self.edit(parent).last = at,
            before => self.edit(before).previous = at,
        }
    }

    fn detach(&mut self, at: u32) {
        let DomNode { parent, previous, next, .. } = *self.node(at);
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.edit(parent).first = next,
            previous => self.edit(previous).next = next,
        }
        match next {
            NONE => self.edit(parent).last = previous,
            next => self.edit(next).previous = previous,
        }
        self.edit(at).parent = NONE;
    }

    /// The nodes inside of one.
    pub fn children(&self, of: u32) -> impl Iterator<Item = u32> {
        let existing = |at: u32| (at != NONE).then_some(at);
        std::iter::successors(existing(self.node(of).first), move |at| existing(self.node(*at).next))
    }

    /// The element that comes before another under the same parent.
    pub fn previous_element(&self, of: u32) -> Option<u32> {
        let mut at = self.node(of).previous;
        while at != NONE && self.element(at).is_none() {
            at = self.node(at).previous;
        }
        (at != NONE).then_some(at)
    }

    /// All nodes of the page, as they are read.
    pub fn in_order(&self) -> impl Iterator<Item = u32> {
        let next = move |at: u32| {
            let mut at = at;
            let down = self.node(at).first;
            if down != NONE {
                return Some(down);
            }
            while at != NONE && self.node(at).next == NONE {
                at = self.node(at).parent;
            }
            (at != NONE).then(|| self.node(at).next)
        };
        std::iter::successors(Some(HTML), move |at| next(*at))
    }

    /// Whether a node is only a pattern for a script to use.
    pub fn in_template(&self, at: u32) -> bool {
        let up = |at: u32| Some(self.node(at).parent).filter(|p| *p != NONE);
        std::iter::successors(Some(at), |at| up(*at)).any(|at| self.element(at).is_some_and(|e| *e.name == *"template"))
    }
}

// Natively: the packages that it is held to are not there on wasm32.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
