//! Limits on how much of one mail is read, counted over all parts and attached messages: [`ReadLimits`].
//! Content beyond a limit is left out.

/// Bytes of text; longer mail consists of lists and logs.
pub(super) const MAX_TEXT: usize = 1 << 18;
/// Lines of text.
pub(super) const MAX_LINES: usize = 10_000;
/// Bytes of HTML.
pub(super) const MAX_PAGE: usize = 1 << 20;
/// Parts of all kinds, including those that contain others.
pub(super) const MAX_PARTS: usize = 2_000;
/// Depth of nested multiparts.
pub(super) const MAX_LEVEL: usize = 50;
/// Attached messages.
pub(super) const MAX_MESSAGES: usize = 100;
/// Depth of messages attached to messages.
pub(super) const MAX_ATTACHED: usize = 3;
/// Events of calendar parts.
pub(super) const MAX_EVENTS: usize = 50;
/// Bytes of a header, server-added fields in it, and bytes of a field.
pub(super) const MAX_HEADER: usize = 1 << 18;
pub(super) const MAX_FIELDS: usize = 2_000;
pub(super) const MAX_FIELD: usize = 1 << 16;
/// Bytes of a field with parameters; each parameter is compared with those before it.
pub(super) const MAX_PARAMETERS: usize = 4_096;

/// What is left of the limits while a mail is read.
#[derive(Debug)]
pub(super) struct ReadLimits {
    pub text: usize,
    pub lines: usize,
    pub page: usize,
    pub parts: usize,
    pub messages: usize,
}

impl ReadLimits {
    pub fn new() -> Self {
        Self { text: MAX_TEXT, lines: MAX_LINES, page: MAX_PAGE, parts: MAX_PARTS, messages: MAX_MESSAGES }
    }

    /// Takes as much of a text as fits.
    pub fn text<'a>(&mut self, text: &'a str) -> &'a str {
        let end = text.match_indices('\n').nth(self.lines).map_or(text.len(), |(at, _)| at);
        let kept = super::clean::cut(&text[..end], self.text);
        self.text -= kept.len();
        self.lines -= kept.matches('\n').count().min(self.lines);
        kept
    }

    /// Takes as much of a page as fits.
    pub fn page<'a>(&mut self, html: &'a str) -> &'a str {
        let kept = super::clean::cut(html, self.page);
        self.page -= kept.len();
        kept
    }

    /// Takes one more part; `false` if none fits.
    pub fn part(&mut self) -> bool {
        self.parts.checked_sub(1).map(|left| self.parts = left).is_some()
    }

    /// Takes one more attached message; `false` if none fits.
    pub fn message(&mut self) -> bool {
        self.messages.checked_sub(1).map(|left| self.messages = left).is_some()
    }
}
