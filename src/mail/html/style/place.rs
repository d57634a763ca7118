//! Where an element's text would lie: moved off the page, cut off by a box, under something else.
//!
//! It never lays out a page: it adds up what moves an element away from where it would stand, and what boxes cut off.

mod beyond;

pub(super) use beyond::beyond;

use super::hiding::Hiding;
use crate::mail::html::cascade::StyleCascade;
use crate::mail::html::tree::among;
use crate::mail::html::value::WIDTH;
use std::cell::Cell;
use std::rc::Rc;

/// What an element covers of the text that it lies upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mail::html) enum Cover {
    /// What comes before it in its parent.
    Before,
    /// All that is in its parent.
    Parent,
    /// All that is in the box that it is placed in.
    Box,
}

/// How far text has come in a box that is only so high: how far down lines go, and how wide the last one is.
#[derive(Debug, Default)]
pub(in crate::mail::html) struct Flow {
    y: Cell<f32>,
    x: Cell<f32>,
}

#[derive(Debug, Clone)]
pub(in crate::mail::html) struct LayoutBox {
    x: f32,
    y: f32,
    /// How wide what it holds may be.
    width: f32,
    /// The corner and width of the box that placed elements in it are placed in.
    holder: [f32; 3],
    /// What is left to be seen: left, right, top and bottom, in pixels from the corner of the page.
    seen: [f32; 4],
    /// A box cuts off what it holds, and is as high as its lines are.
    squeezes: bool,
    indent: f32,
    one_line: bool,
    at_end: bool,
    fixed_table: bool,
    pub flow: Option<Rc<Flow>>,
    pub own: OwnBox,
}

/// What an element does not hand down.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::mail::html) struct OwnBox {
    /// What it takes of the height beside its content, and its own height.
    pub extra: f32,
    pub height: f32,
    pub paints: bool,
    /// What it holds are items of a flexible box or a grid, and whether one track of it has no size.
    items: bool,
    no_track: bool,
    /// Whether placed elements in it are placed by it.
    pub holds: bool,
    /// Whether it stands elsewhere than where it is written, and whether far from there.
    pub moved: bool,
    pub far: bool,
    /// Whether its own height is less than that of a letter.
    pub flat: bool,
    /// Whether it is only as large as what it holds.
    pub fits: bool,
}

/// The lowest that a reader goes down an empty page.
const DEPTH: f32 = 3_000.0;

impl LayoutBox {
    pub fn window() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            width: WIDTH,
            holder: [0.0, 0.0, WIDTH],
            seen: [0.0, WIDTH, -100.0, DEPTH],
            squeezes: false,
            indent: 0.0,
            one_line: false,
            at_end: false,
            fixed_table: false,
            flow: None,
            own: OwnBox { holds: true, ..OwnBox::default() },
        }
    }

    /// Why text of such a font and line cannot be seen here.
    pub fn hiding(&self, font: f32, line: f32) -> Option<Hiding> {
        /// Narrower than any word.
        const WORD: f32 = 70.0;
        let [left, right, top, bottom] = self.seen;
        let x = self.x + self.indent;
        // Only a box that cuts its text off ends before the page does.
        let flow = self.flow.as_ref().filter(|_| bottom < DEPTH).map_or(0.0, |f| f.y.get());
        let y = self.y + flow + line / 2.0;
        if x + WORD < left || x + font * 0.6 > right || self.width > 2_000.0 && self.at_end {
            return Some(Hiding::OffPage);
        }
        // The letters stand in the middle of their line.
        let out = y - font * 0.05 > bottom || y + font * 0.2 < top;
        if out && bottom >= DEPTH {
            return Some(Hiding::OffPage);
        }
        (out || self.squeezes && line < font * 0.4).then_some(Hiding::NoSize)
    }

    /// How much of a text, in bytes, there is room for where a box is only so high.
    pub fn room(&self, text: &str, font: f32, line: f32) -> usize {
        let Some(flow) = &self.flow else { return text.len() };
        let right = if self.one_line { f32::INFINITY } else { self.width.max(font) };
        let (mut at, mut seen) = (0, text.len());
        for word in text.split_inclusive(char::is_whitespace) {
            let wide: f32 = word.chars().map(|c| if c.len_utf8() > 2 { font } else { font * 0.55 }).sum();
            flow.end_line(line, flow.x.get() > 0.0 && flow.x.get() + wide > right);
            let y = self.y + flow.y.get() + line / 2.0 - font * 0.05;
            if y > self.seen[3] && self.seen[3] < DEPTH
                || self.one_line && self.x + self.indent + flow.x.get() > self.seen[1]
            {
                seen = seen.min(at);
            }
            flow.x.set(flow.x.get() + wide);
            at += word.len();
        }
        seen
    }
}

impl Flow {
    /// Begins a new line where this one is to end.
    pub fn end_line(&self, line: f32, ends: bool) {
        if ends {
            self.y.set(self.y.get() + line);
            self.x.set(0.0);
        }
    }

    /// Whether there is something in the line.
    pub fn is_begun(&self) -> bool {
        self.x.get() > 0.0
    }

    pub fn y(&self) -> f32 {
        self.y.get()
    }

    /// Goes on below a box that began at `start`.
    pub fn leave(&self, start: f32, own: &OwnBox) {
        self.y.set(self.y.get().max(start + own.height) + own.extra);
    }
}

fn position(cascade: &StyleCascade<'_>) -> String {
    cascade.word("position", "static relative absolute fixed sticky -webkit-sticky")
}

fn is_placed(position: &str) -> bool {
    matches!(position, "absolute" | "fixed" | "?")
}

fn float(cascade: &StyleCascade<'_>) -> String {
    cascade.word("float", "left right none inline-start inline-end")
}

/// Whether an element is taken out of the lines around it.
pub(super) fn leaves_flow(cascade: &StyleCascade<'_>) -> bool {
    !among("none initial inherit", &float(cascade)) && !float(cascade).is_empty() || is_placed(&position(cascade))
}
