//! What of a text is new: quotes and forwards told apart, signatures and disclaimers cut off.

pub(super) mod quotes;
pub(super) mod signature;
