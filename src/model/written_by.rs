//! Whose words a stretch of a mail or a chat is: [`WrittenBy`].

/// Whose words a stretch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenBy {
    /// The sender's.
    Sender,
    /// Those of another, whom the sender forwards: who wrote them and when, as far as that is said.
    Forwarded(String),
    /// In a chat: the owner's.
    User,
    /// In a chat: those of an assistant or a tool.
    Assistant,
}

impl WrittenBy {
    /// Whether the sender of a mail, or the owner in a chat, says it.
    pub const fn is_own(&self) -> bool {
        matches!(self, Self::Sender | Self::User)
    }
}
