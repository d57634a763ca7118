//! What a message is made of: its header and its parts, in any charset.
//!
//! It tells no quote from new words and hides nothing; that is for `html` and `body`.

pub(super) mod charset;
pub(super) mod encoded_words;
pub(super) mod envelope;
pub(super) mod header;
pub(super) mod parts;
