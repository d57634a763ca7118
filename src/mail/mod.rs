//! From raw mail to drafts: mbox, MIME, the new part of a message, statements worth keeping.
//!
//! Text in, drafts out: this module never compares or stores anything, and treats every byte as untrusted.
