//! [`WrittenBy`]: who wrote a part of a mail or chat.

/// Who wrote a part of a mail or chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenBy {
    /// The sender of the mail.
    Sender,
    /// Another author, whose text the sender forwards: the author and date as far as they are stated.
    Forwarded(String),
    /// The owner, in a chat.
    User,
    /// An assistant or a tool, in a chat.
    Assistant,
}

impl WrittenBy {
    /// Whether the mail's sender, or the owner in a chat, wrote it.
    pub const fn is_own(&self) -> bool {
        matches!(self, Self::Sender | Self::User)
    }
}
