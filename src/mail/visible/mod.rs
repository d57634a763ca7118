//! Extracts the visible text of an HTML page, without hidden text. `html5gum` tokenizes, `page` tracks open elements,
//! `sheet` and `look` decide visibility, `lines` writes the text.

mod lines;
mod look;
mod page;
mod sheet;
mod style;
mod value;

pub(super) use page::render;

/// Marks where a mailer's markup starts quoted text.
pub(super) const QUOTE_BEGINS: char = '\u{1B}';
