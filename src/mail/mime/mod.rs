//! Splits a message into its header and parts, in any charset.

pub(super) mod charset;
pub(super) mod encoded_words;
pub(super) mod envelope;
pub(super) mod header;
pub(super) mod parts;
