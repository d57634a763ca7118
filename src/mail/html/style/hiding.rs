//! Why text cannot be seen.

/// Why text is not visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mail::html) enum Hiding {
    /// `display:none`, `visibility:hidden`, `hidden`, a preheader.
    NotShown,
    /// No size, no opacity, clipped away.
    NoSize,
    /// The colour of its background.
    NoContrast,
    /// Moved off the page.
    OffPage,
    /// Struck out: what is not to hold any more.
    Struck,
}
