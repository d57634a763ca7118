//! Errors: one list of stable codes for Rust, JavaScript and TypeScript.
//!
//! Branch on [`Code`], never on the message.

use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};

/// The result of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Defines [`Code`] with the wire string and retryability of each code.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $wire:literal, $retryable:literal;)+) => {
        /// The stable code of an error; the strings are part of the public API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $wire)] $name,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Code] = &[$(Code::$name),+];

            /// The code's string in JavaScript and JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $wire,)+ }
            }

            /// Whether the same call may succeed later.
            pub const fn is_retryable(self) -> bool {
                match self { $(Code::$name => $retryable,)+ }
            }
        }
    };
}

codes! {
    /// A value is missing, of another type, too long, not finite or out of range; `field` names it.
    InvalidField = "invalid_field", false;
    /// The JSON has an unknown field; `field` names it.
    UnknownField = "unknown_field", false;
    /// The input as a whole is not JSON, not JSON Lines, or not of the expected type.
    InvalidInput = "invalid_input", false;
    /// The input exceeds a documented size limit.
    TooLarge = "too_large", false;
    /// The bytes are not a readable mail.
    InvalidMail = "invalid_mail", false;
    /// No memory, entry or version has this id.
    NotFound = "not_found", false;
    /// The entry was undone before.
    AlreadyUndone = "already_undone", false;
    /// The owner has settled this entry before; undo that first.
    AlreadySettled = "already_settled", false;
    /// Later entries build on this one; the message lists them.
    HasDependents = "has_dependents", false;
    /// The memory or entry was permanently deleted.
    Forgotten = "forgotten", false;
    /// Stored data changed since the plan was made; plan again.
    Conflict = "conflict", true;
    /// The store was closed, by the caller or by the host.
    Closed = "closed", false;
    /// The storage quota is used up; nothing was written.
    QuotaExceeded = "quota_exceeded", false;
    /// Another connection holds an older version of the database open, or another process has locked its file.
    Blocked = "blocked", true;
    /// The database was made by a newer version of memfold.
    VersionTooNew = "version_too_new", false;
    /// The connection was lost: the host closed it, another tab upgraded or deleted the memory, or a hub is unreachable
    /// or failing. Open again, or try later.
    ConnectionLost = "connection_lost", true;
    /// Any other storage failure.
    Storage = "storage", true;
    /// Stored data cannot be decoded.
    Corrupt = "corrupt", false;
    /// A hub rejects the token.
    Unauthorized = "unauthorized", false;
    /// A hub has too many requests; try later.
    RateLimited = "rate_limited", true;
    /// The embedder failed or returned vectors of another dimension.
    Embedding = "embedding", true;
    /// The model failed or gave no usable reply; nothing was changed.
    Model = "model", true;
    /// An encoder file is truncated, damaged or not an encoder file.
    InvalidWeights = "invalid_weights", false;
    /// An encoder file is from another release, or a head does not match the weights.
    WrongWeights = "wrong_weights", false;
    /// The encoder does not fit in this host's memory.
    OutOfMemory = "out_of_memory", false;
    /// The caller's `AbortSignal` fired.
    Aborted = "aborted", false;
    /// This host lacks a required feature, such as IndexedDB; or a sync uses sealed records, which are gone.
    Unsupported = "unsupported", false;
    /// The engine crashed (a trap, or an exhausted stack or memory). Committed changes remain; the next call opens the
    /// memory again, unless its data was only in this process.
    Trapped = "trapped", false;
    /// memfold broke an invariant, or a function or stream passed in has thrown: see `cause`.
    Internal = "internal", false;
}

/// An error; its fields are in [`Details`], boxed to keep the wasm file small.
///
/// ```
/// use memfold::{Code, Error};
/// let error = Error::field("weight", "is above 1");
/// assert_eq!((error.code, error.field.as_deref()), (Code::InvalidField, Some("weight")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct Error(Box<Details>);

/// A stable code and a message for people, with the invalid field if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The code to branch on.
    pub code: Code,
    /// One sentence for people; may change between versions.
    pub message: String,
    /// The path of the invalid field, such as `people[3]`.
    pub field: Option<String>,
    /// The message of the underlying failure.
    pub cause: Option<String>,
    /// The ids of the entries that block the call.
    pub dependents: Vec<String>,
}

impl Error {
    /// An error of this code with a sentence for people.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Details { code, message: message.into(), field: None, cause: None, dependents: Vec::new() }))
    }

    /// An [`Code::InvalidField`] error: `field` breaks this rule.
    pub fn field(field: impl Into<String>, rule: impl AsRef<str>) -> Self {
        let field = field.into();
        Self::new(Code::InvalidField, format!("`{field}` {}", rule.as_ref())).at(field)
    }

    /// Takes the fields out of the error.
    #[must_use]
    pub fn details(self) -> Details {
        *self.0
    }

    /// Sets the invalid field.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }

    /// Sets the ids of the blocking entries.
    #[must_use]
    pub fn with_dependents(mut self, ids: Vec<String>) -> Self {
        self.0.dependents = ids;
        self
    }

    /// Sets the underlying failure.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<String>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }
}

impl Deref for Error {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

impl From<serde_json::Error> for Error {
    fn from(e: serde_json::Error) -> Self {
        Self::new(Code::InvalidInput, e.to_string())
    }
}
