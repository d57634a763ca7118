//! HTML → the text that a reader of the page sees, without what was hidden.
//!
//! `html5gum` makes tokens of a page; `page` keeps the open elements, `sheet` and `look` decide what can be seen, by the
//! usual ways of hiding text, and `lines` writes it. A page is read as a desktop browser shows it with a light colour
//! scheme, where nothing runs or loads. What could hide and cannot be evaluated hides; so does what is past a bound.

mod lines;
mod look;
mod page;
mod sheet;
mod style;
#[cfg(test)]
mod tests;
mod value;

pub(super) use page::render;

/// Marks the place where a mailer's own markup says that quoted text begins.
pub(super) const QUOTE_BEGINS: char = '\u{1B}';
