//! HTML → the text that a reader of the page sees, with what was hidden named.
//!
//! It never loads, runs or follows anything.

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
pub(super) use style::Hiding;

/// Marks the place where a mailer's own markup says that quoted text begins.
pub(super) const QUOTE_BEGINS: char = '\u{1B}';
