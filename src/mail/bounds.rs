//! How much of one mail is read, over all its parts and the messages inside of it: [`Room`] counts it down.
//!
//! It never refuses a mail: what is beyond a bound is left out.

/// Bytes of text: longer mail is lists and logs, and each memory is a sentence.
pub(super) const MAX_TEXT: usize = 1 << 18;
/// Lines of text.
pub(super) const MAX_LINES: usize = 10_000;
/// Bytes of HTML.
pub(super) const MAX_PAGE: usize = 1 << 20;
/// Parts of all kinds, those that hold others included.
pub(super) const MAX_PARTS: usize = 2_000;
/// Multiparts inside of multiparts.
pub(super) const MAX_LEVEL: usize = 50;
/// Messages inside of a mail.
pub(super) const MAX_MESSAGES: usize = 100;
/// Messages inside of messages.
pub(super) const MAX_ATTACHED: usize = 3;
/// Events of calendar parts.
pub(super) const MAX_EVENTS: usize = 50;
/// Bytes of one header, fields of it that servers added, and bytes of a field.
pub(super) const MAX_HEADER: usize = 1 << 18;
pub(super) const MAX_FIELDS: usize = 2_000;
pub(super) const MAX_FIELD: usize = 1 << 16;
/// Bytes of a field that is a list of parameters: each is compared with those before it.
pub(super) const MAX_PARAMETERS: usize = 4_096;

/// What is left of the bounds while a mail is read.
#[derive(Debug)]
pub(super) struct Room {
    pub text: usize,
    pub lines: usize,
    pub page: usize,
    pub parts: usize,
    pub messages: usize,
    pub events: usize,
}

impl Room {
    pub fn new() -> Self {
        Self {
            text: MAX_TEXT,
            lines: MAX_LINES,
            page: MAX_PAGE,
            parts: MAX_PARTS,
            messages: MAX_MESSAGES,
            events: MAX_EVENTS,
        }
    }

    /// As much of a text as there is room for, which it takes up.
    pub fn text<'a>(&mut self, text: &'a str) -> &'a str {
        let end = text.match_indices('\n').nth(self.lines).map_or(text.len(), |(at, _)| at);
        let kept = super::clean::cut(&text[..end], self.text);
        self.text -= kept.len();
        self.lines -= kept.matches('\n').count().min(self.lines);
        kept
    }

    /// As much of a page as there is room for, which it takes up.
    pub fn page<'a>(&mut self, html: &'a str) -> &'a str {
        let kept = super::clean::cut(html, self.page);
        self.page -= kept.len();
        kept
    }

    /// Room for one more part; `false` where there is none.
    pub fn part(&mut self) -> bool {
        self.parts.checked_sub(1).map(|left| self.parts = left).is_some()
    }

    /// Room for one more message inside of the mail.
    pub fn message(&mut self) -> bool {
        self.messages.checked_sub(1).map(|left| self.messages = left).is_some()
    }
}
