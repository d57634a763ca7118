//! Extracts the new text of a mail: separates quotes and forwards, cuts off signatures and disclaimers.

pub(super) mod quotes;
pub(super) mod signature;
