//! Limits on how much of one mail is read, counted over all parts and attached messages: [`ReadLimits`]. Content beyond
//! a limit is left out.

/// Bytes of text; longer mail consists of lists and logs.
pub(super) const MAX_TEXT: usize = 1 << 18;
pub(super) const MAX_LINES: usize = 10_000;
pub(super) const MAX_PAGE: usize = 1 << 20;
/// Parts of all kinds, including those that contain others.
pub(super) const MAX_PARTS: usize = 2_000;
pub(super) const MAX_LEVEL: usize = 50;
pub(super) const MAX_MESSAGES: usize = 100;
pub(super) const MAX_ATTACHED: usize = 3;
pub(super) const MAX_EVENTS: usize = 50;
/// Bytes of a header, server-added fields in it, and bytes of a field.
pub(super) const MAX_HEADER: usize = 1 << 18;
pub(super) const MAX_FIELDS: usize = 2_000;
pub(super) const MAX_FIELD: usize = 1 << 16;
/// Bytes of a field with parameters; each parameter is compared with those before it.
pub(super) const MAX_PARAMETERS: usize = 4_096;

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

    pub fn text<'a>(&mut self, text: &'a str) -> &'a str {
        let end = text.match_indices('\n').nth(self.lines).map_or(text.len(), |(at, _)| at);
        let kept = super::clean::cut(&text[..end], self.text);
        self.text -= kept.len();
        self.lines -= kept.matches('\n').count().min(self.lines);
        kept
    }

    pub fn page<'a>(&mut self, html: &'a str) -> &'a str {
        let kept = super::clean::cut(html, self.page);
        self.page -= kept.len();
        kept
    }

    pub fn part(&mut self) -> bool {
        self.parts.checked_sub(1).map(|left| self.parts = left).is_some()
    }

    pub fn message(&mut self) -> bool {
        self.messages.checked_sub(1).map(|left| self.messages = left).is_some()
    }
}
