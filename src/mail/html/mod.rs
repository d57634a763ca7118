//! HTML → the text that a reader of the page sees, without what was hidden.
//!
//! A page is read as Chromium draws it in a desktop window (1,024 to 1,920 pixels wide) with a light colour scheme, where
//! nothing runs, nothing is loaded and nobody points at anything. What is hidden there is hidden, also where a phone, a
//! printer, a dark scheme or another mail client would show it; what is hidden in those alone is read. What cannot be
//! evaluated and could hide, hides; so does all that comes past a bound (attributes, declarations, nesting, steps of
//! matching). It never loads, runs or follows anything.
//!
//! `tokens` → `tree` (what a browser makes of them) → `sheet` (rules, by `css`, `selector`, `media`) → `style` (what holds
//! of an element, by `cascade`, `value`, `ground`) → `render` (lines).

mod cascade;
mod css;
mod entities;
mod ground;
mod media;
mod render;
mod selector;
mod sheet;
mod style;
mod tokens;
mod tree;
mod value;

pub(super) use render::render;

/// Marks the place where a mailer's own markup says that quoted text begins.
pub(super) const QUOTE_BEGINS: char = '\u{1B}';

/// Numbers below a bound, which come in the same order each time.
#[cfg(test)]
fn drawn(mut state: u32) -> impl FnMut(usize) -> usize {
    move |n| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize % n
    }
}
