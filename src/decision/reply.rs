//! Parses model replies. Tolerates fences, thoughts, surrounding prose, trailing commas and extra fields, but checks
//! the content strictly. A [`ReplyFault`] names the error.
//!
//! The parser does not depend on the task: each task defines its types and checks their content.

use crate::json;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;

const MAX_REPLY: usize = 32 * 1024;

/// Defines [`Refusal`] and its stable codes in one place.
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)+) => {
        /// Why a question got no usable answer.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Refusal {
            $($(#[$doc])* $name,)+
        }

        impl Refusal {
            /// Its stable code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// The refusal with this code; [`Refusal::Failed`] for an unknown code.
            pub fn named(code: &str) -> Self {
                match code { $($code => Self::$name,)+ _ => Self::Failed }
            }
        }
    };
}

refusals! {
    /// The analyst failed.
    Failed = "failed";
    /// The analyst took too long.
    Timeout = "timeout";
    /// The reply is longer than 32 KB, or has too many entries.
    TooLarge = "too_large";
    /// The reply has no JSON object, or several answers.
    NotJson = "not_json";
    /// A value has a wrong type, is unknown, missing or too long.
    Malformed = "malformed";
    /// A candidate that was not sent, or that occurs twice.
    UnknownHandle = "unknown_handle";
    /// The reply leaves out this memory, but answers others of the same prompt.
    Unanswered = "unanswered";
    /// More than one candidate would be replaced.
    TwoUpdates = "two_updates";
    /// A change that the texts do not state.
    NoEvidence = "no_evidence";
    /// A text in a language of neither the mail nor the memory.
    WrongLanguage = "wrong_language";
    /// The reply reveals parts of the prompt that no mail can know.
    Leak = "leak";
    /// The stored memory changed before the reply arrived.
    Moved = "moved";
    /// The model found nothing to keep in the owner's note.
    NothingFound = "nothing_found";
    /// The token budget of the day or of the import is used up; nothing was sent.
    OverBudget = "over_budget";
    /// The endpoint failed, or three replies in a row were unreadable, a short while ago; nothing was sent.
    Resting = "resting";
    /// The endpoint could not be reached, or the connection broke.
    Unreachable = "unreachable";
    /// The endpoint redirected to another address; redirects are not followed.
    Redirected = "redirected";
    /// The endpoint rejects the key.
    Unauthorized = "unauthorized";
    /// The endpoint has no such path or model.
    NotFound = "not_found";
    /// The endpoint rejects the request.
    Rejected = "rejected";
    /// The endpoint accepts no more requests for now.
    RateLimited = "rate_limited";
    /// The endpoint failed.
    ServerError = "server_error";
}

impl Refusal {
    /// Whether a retry may succeed later: the transport or the budget failed, not the question.
    pub const fn may_pass(self) -> bool {
        matches!(
            self,
            Self::Timeout
                | Self::Moved
                | Self::OverBudget
                | Self::Resting
                | Self::Unreachable
                | Self::RateLimited
                | Self::ServerError
        )
    }

    /// Whether the reply has a wrong format.
    pub const fn is_malformed(self) -> bool {
        matches!(self, Self::NotJson | Self::Malformed | Self::TooLarge)
    }

    /// Whether the reply is unreadable, so that an immediate retry is worthwhile.
    pub const fn is_unreadable(self) -> bool {
        matches!(self, Self::NotJson | Self::Malformed | Self::Unanswered)
    }
}

/// The fault of a reply or of one of its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyFault {
    /// The kind of fault.
    pub refusal: Refusal,
    /// Index of the faulty entry in the list.
    pub entry: Option<usize>,
    /// The faulty field, such as `links[0].type`.
    pub field: Option<String>,
    /// The fault, as a sentence.
    pub detail: Option<String>,
}

impl From<Refusal> for ReplyFault {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, entry: None, field: None, detail: None }
    }
}

impl From<ReplyFault> for Refusal {
    fn from(fault: ReplyFault) -> Self {
        fault.refusal
    }
}

impl ReplyFault {
    /// The fault of a field.
    pub fn of_field(field: &str, detail: String) -> Self {
        Self { field: Some(field.to_owned()), detail: Some(detail), ..Refusal::Malformed.into() }
    }

    /// This fault, located in a list entry.
    #[must_use]
    pub fn in_entry(self, entry: usize) -> Self {
        Self { entry: Some(entry), ..self }
    }

    /// The message to the model for a retry.
    pub fn told(&self) -> String {
        let entry = self.entry.map(|n| format!("entry {}: ", n + 1)).unwrap_or_default();
        match &self.detail {
            Some(detail) => [self.refusal.as_str(), ": ", &entry, detail].concat(),
            None => self.refusal.as_str().to_owned(),
        }
    }
}

/// Parses the single answer of this type in a reply.
///
/// # Errors
/// [`Refusal::TooLarge`]; [`Refusal::NotJson`] for no answer or several; [`Refusal::Malformed`] for objects of other
/// types only.
pub fn read_reply<T: DeserializeOwned>(reply: &str) -> Result<T, Refusal> {
    one_of(reply, |object| typed(&object).ok())
}

/// Parses each answer of this type in the field `list`.
///
/// # Errors
/// As [`read_list`]; each entry of another type has its own error.
pub fn read_each<T: DeserializeOwned>(reply: &str, list: &str) -> Result<Vec<Result<T, Refusal>>, Refusal> {
    let values = read_list(reply, list)?;
    Ok(values.iter().map(|value| typed(value).map_err(|_| Refusal::Malformed)).collect())
}

/// The entries of the field `list` in the single object that has it, or of a reply that is a bare list of objects.
/// Ignores other fields.
///
/// # Errors
/// [`Refusal::TooLarge`]; [`Refusal::NotJson`] for no JSON or several such objects; [`Refusal::Malformed`] for other
/// objects only.
pub fn read_list(reply: &str, list: &str) -> Result<Vec<Value>, Refusal> {
    let named = |value: Value| match value {
        Value::Object(fields) => fields.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(list)).map(|(_, v)| v),
        _ => None,
    };
    one_of(reply, |object| match named(object)? {
        Value::Array(values) => Some(values),
        // A single object instead of a list.
        one @ Value::Object(_) => Some(vec![one]),
        _ => None,
    })
    .or_else(|refusal| bare_list(reply).ok_or(refusal))
}

/// A reply that consists of a list of objects, with or without a fence.
fn bare_list(reply: &str) -> Option<Vec<Value>> {
    let said = without_thoughts(reply).trim().trim_matches('`').trim().trim_start_matches("json");
    match json::read(&without_trailing_commas(said.trim()), "reply") {
        Ok(Value::Array(values)) => Some(values).filter(|values| values.iter().all(Value::is_object)),
        _ => None,
    }
}

fn typed<T: DeserializeOwned>(value: &Value) -> crate::Result<T> {
    json::read(&json::write(value)?, "reply")
}

fn one_of<T>(reply: &str, read: impl Fn(Value) -> Option<T>) -> Result<T, Refusal> {
    if reply.len() > MAX_REPLY {
        return Err(Refusal::TooLarge);
    }
    let mut found = Err(Refusal::NotJson);
    for object in objects(reply) {
        match json::read(&without_trailing_commas(object), "reply").ok().and_then(&read) {
            Some(_) if found.is_ok() => return Err(Refusal::NotJson),
            Some(answer) => found = Ok(answer),
            None if found.is_err() => found = Err(Refusal::Malformed),
            None => {}
        }
    }
    found
}

/// The reply after the model's thoughts.
fn without_thoughts(reply: &str) -> &str {
    reply.rsplit_once("</think>").map_or(reply, |(_, said)| said)
}

/// The outermost objects of a text, after the model's thoughts.
fn objects(reply: &str) -> Vec<&str> {
    let text = without_thoughts(reply);
    let (mut found, mut depth, mut start) = (Vec::new(), 0usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' if depth > 0 => quoted = !quoted,
            b'{' if !quoted => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b'}' if !quoted && depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.extend(text.get(start..=at));
                }
            }
            _ => {}
        }
    }
    found
}

/// Removes commas before closing brackets.
fn without_trailing_commas(text: &str) -> Cow<'_, str> {
    let (mut quoted, mut escaped, mut from) = (false, false, 0);
    let mut out = String::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b',' if !quoted && text[at + 1..].trim_start().starts_with(['}', ']']) => {
                out.push_str(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}
