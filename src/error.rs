//! Errors: one list of stable codes that Rust, JavaScript and TypeScript share.
//!
//! Branch on [`Code`], never on the message.

use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};

/// What every fallible function of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Defines [`Code`], its wire strings and whether trying again can help, in one place.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $wire:literal, $retryable:literal;)+) => {
        /// The stable code of an error; the strings are part of the public API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, tsify::Tsify)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $wire)] $name,)+
        }

        impl Code {
            /// Every code there is.
            pub const ALL: &'static [Code] = &[$(Code::$name),+];

            /// The string that crosses every boundary.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $wire,)+ }
            }

            /// Whether the same call may succeed later without being changed.
            pub const fn is_retryable(self) -> bool {
                match self { $(Code::$name => $retryable,)+ }
            }
        }
    };
}

codes! {
    /// A value is missing, of another type, too long, not finite or out of its range; `field` names it.
    InvalidField = "invalid_field", false;
    /// The JSON has a field that the type does not know; `field` names it.
    UnknownField = "unknown_field", false;
    /// The input as a whole is not JSON, not JSON Lines, or not of the expected type.
    InvalidInput = "invalid_input", false;
    /// The input exceeds a documented size limit.
    TooLarge = "too_large", false;
    /// The bytes are not a mail that can be read.
    InvalidMail = "invalid_mail", false;
    /// No memory, entry or version has this id.
    NotFound = "not_found", false;
    /// The entry was taken back before.
    AlreadyUndone = "already_undone", false;
    /// The entry was settled by its owner before; undo that first.
    AlreadySettled = "already_settled", false;
    /// Later entries build on this one; the message lists them.
    HasDependents = "has_dependents", false;
    /// What was asked for was forgotten for good.
    Forgotten = "forgotten", false;
    /// What the change was planned against has moved; plan again.
    Conflict = "conflict", true;
    /// The store was closed, by the caller or by the host.
    Closed = "closed", false;
    /// The storage quota is used up; nothing was written.
    QuotaExceeded = "quota_exceeded", false;
    /// Another connection holds an older version of the database open, or another process holds its file locked.
    Blocked = "blocked", true;
    /// The database was made by a newer version of memfold.
    VersionTooNew = "version_too_new", false;
    /// The connection was lost (the host closed it, another tab upgraded or deleted the memory, a hub cannot be reached or
    /// fails); open again, or try later.
    ConnectionLost = "connection_lost", true;
    /// Any other failure of the storage underneath.
    Storage = "storage", true;
    /// What is stored cannot be decoded.
    Corrupt = "corrupt", false;
    /// A hub does not take the token.
    Unauthorized = "unauthorized", false;
    /// A hub takes no more requests for now.
    RateLimited = "rate_limited", true;
    /// What was sealed for an exchange was sealed with another key, or one side has no key.
    WrongKey = "wrong_key", false;
    /// What a hub answered was not sealed by a client of this owner, or something was changed in it or taken out of it.
    Tampered = "tampered", false;
    /// A hub has not, or not as this client has seen it, what it had at an earlier exchange.
    RolledBack = "rolled_back", false;
    /// The embedder failed or gave vectors of another dimension.
    Embedding = "embedding", true;
    /// A file of the encoder is truncated or damaged, or is no such file.
    InvalidWeights = "invalid_weights", false;
    /// A file of the encoder is whole, but of another release; or a head belongs to other weights.
    WrongWeights = "wrong_weights", false;
    /// The encoder does not fit in the memory of this host.
    OutOfMemory = "out_of_memory", false;
    /// The caller's `AbortSignal` fired.
    Aborted = "aborted", false;
    /// This host lacks something that is needed (for one, IndexedDB).
    Unsupported = "unsupported", false;
    /// The engine broke down in the middle of work (a trap, an exhausted stack or memory). What was committed stands; the
    /// next call finds the memory opened anew, unless it was kept in this process alone.
    Trapped = "trapped", false;
    /// A rule of memfold itself was broken, or a function or stream that was handed in has thrown: see `cause`.
    Internal = "internal", false;
}

/// An error; its fields are those of [`Details`]. It is one word, since every step of a call may hand it on: the wasm file
/// would be larger with its fields side by side.
///
/// ```
/// use memfold::{Code, Error};
/// let error = Error::field("weight", "is above 1");
/// assert_eq!((error.code, error.field.as_deref()), (Code::InvalidField, Some("weight")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct Error(Box<Details>);

/// A stable code, a sentence for people, and the field at fault where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// What to branch on.
    pub code: Code,
    /// One sentence for people; may change between versions.
    pub message: String,
    /// The path of the field at fault, such as `people[3]`.
    pub field: Option<String>,
    /// What the layer below said.
    pub cause: Option<String>,
    /// The ids of what stands in the way.
    pub dependents: Vec<String>,
}

impl Error {
    /// An error of this code with a sentence for people.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Details { code, message: message.into(), field: None, cause: None, dependents: Vec::new() }))
    }

    /// A field that breaks its rule.
    pub fn field(field: impl Into<String>, rule: impl AsRef<str>) -> Self {
        let field = field.into();
        Self::new(Code::InvalidField, format!("`{field}` {}", rule.as_ref())).at(field)
    }

    /// Its fields, to take them out.
    #[must_use]
    pub fn details(self) -> Details {
        *self.0
    }

    /// The same error, of this field.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }

    /// The same error, with the ids of what stands in the way.
    #[must_use]
    pub fn with_dependents(mut self, ids: Vec<String>) -> Self {
        self.0.dependents = ids;
        self
    }

    /// The same error, with what the layer below said.
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
