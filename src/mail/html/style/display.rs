//! Whether an element is laid out at all, and how: what styles say, and what elements hide by themselves.
//!
//! It never asks where it would lie.

use super::element::Style;
use crate::mail::html::cascade::StyleCascade;
use crate::mail::html::tree::{Content, Element, NONE, Tree, among};

impl Style<'_> {
    /// How an element is laid out; `None` where it is not.
    pub(super) fn display(&mut self, at: u32, element: &Element, cascade: &StyleCascade<'_>) -> Option<String> {
        let name = &*element.name;
        let has = |attribute: &str| element.attribute(attribute).is_some();
        // These show nothing of what they hold, whatever a style says.
        let never = "template head object audio video canvas select datalist svg math progress meter iframe noembed noframes \
            script style title textarea";
        if among(never, name) || element.foreign {
            return None;
        }
        let tree = self.matcher.tree;
        // What is to stand in another tree's place is not shown itself.
        let shadowed = |e: &Element| *e.name == *"template" && e.attribute("shadowrootmode").is_some();
        if tree_children(tree, at).any(|c| tree.element(c).is_some_and(shadowed)) {
            return None;
        }
        let parent_at = if at == u32::MAX { at } else { tree.node(at).parent };
        if let Some(details) = tree.element(parent_at).filter(|e| *e.name == *"details") {
            let summary = |e: &Element| *e.name == *"summary";
            let before = |at: &u32| tree.previous_element(*at);
            let mut earlier = std::iter::successors(before(&at), before).filter_map(|at| tree.element(at));
            let shown = summary(element) && !earlier.any(summary);
            if !shown && !self.is_open(parent_at, details) {
                return None;
            }
        }
        let given = cascade.word("display", DISPLAYS);
        let hidden = has("hidden") || matches!(name, "rp" | "area") || name == "dialog" && !has("open");
        match &*given {
            "none" | "?" | "table-column" | "table-column-group" => None,
            "initial" => Some("inline".to_owned()),
            word if !matches!(word, "" | "inherit") && element.attribute("hidden") != Some("until-found") => {
                Some(given)
            }
            _ if hidden || has("popover") => None,
            _ => Some(default_display(name).to_owned()),
        }
    }

    pub(super) fn is_open(&mut self, at: u32, details: &Element) -> bool {
        // Of those with one name only the first stays open.
        let group = details.attribute("name").filter(|n| !n.is_empty());
        let Some(group) = group else { return details.attribute("open").is_some() };
        if details.attribute("open").is_none() {
            return false;
        }
        if self.open.len() < 50 && !self.open.iter().any(|(_, known)| known == group) {
            self.open.push((at, group.to_owned()));
        }
        self.open.iter().any(|(known, _)| *known == at)
    }

    /// Whether an element holds a word or two, no more.
    pub(super) fn is_short(&self, at: u32) -> bool {
        const LETTERS: usize = 10;
        let tree = self.matcher.tree;
        let (mut letters, mut nodes) = (0, 0);
        let mut node = tree.node(at).first;
        while node != NONE && letters <= LETTERS && nodes < 50 {
            nodes += 1;
            match &tree.node(node).content {
                Content::Text(text) => letters += text.trim_ascii().chars().take(LETTERS + 1).count(),
                Content::Element(e) if *e.name != *"b" && *e.name != *"span" => return false,
                _ => {}
            }
            let below = tree.node(node).first;
            node = if below == NONE { tree.node(node).next } else { below };
        }
        letters <= LETTERS && nodes < 50
    }
}

/// The children of a node, or none of a node that is not there.
fn tree_children(tree: &Tree, at: u32) -> impl Iterator<Item = u32> {
    let first = if at == u32::MAX { u32::MAX } else { tree.node(at).first };
    std::iter::successors(Some(first).filter(|f| *f != u32::MAX), |at| {
        Some(tree.node(*at).next).filter(|n| *n != u32::MAX)
    })
}

const DISPLAYS: &str = "none contents block inline inline-block list-item table inline-table table-row table-cell \
    table-row-group table-header-group table-footer-group table-caption table-column table-column-group flex inline-flex \
    grid inline-grid flow flow-root ruby ruby-text ruby-base math -webkit-box -webkit-inline-box -webkit-flex \
    -webkit-inline-flex run-in";

fn default_display(name: &str) -> &'static str {
    if among(BLOCKS, name) {
        return "block";
    }
    let mut words = DEFAULTS.split_ascii_whitespace();
    while let (Some(known), Some(display)) = (words.next(), words.next()) {
        if known == name {
            return display;
        }
    }
    "inline"
}

const DEFAULTS: &str = "table table tr table-row td table-cell th table-cell tbody table-row-group thead table-header-group \
    tfoot table-footer-group caption table-caption li list-item button inline-block input inline-block \
    marquee inline-block img inline-block";
const BLOCKS: &str = "html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption \
    figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend listing main menu nav ol optgroup option p \
    plaintext pre search section slot summary ul xmp";
