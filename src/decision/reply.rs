//! Parses model replies around fences, thoughts, prose, trailing commas and extra fields.

use crate::json::{self, wire};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

const MAX_REPLY: usize = 32 * 1024;

wire! {
    /// Why a question got no usable answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Refusal {
        /// The analyst failed.
        Failed = "failed",
        /// The analyst took too long.
        Timeout = "timeout",
        /// The reply is longer than 32 KB, or has too many entries.
        TooLarge = "too_large",
        /// The reply has no JSON object, or several answers.
        NotJson = "not_json",
        /// A value has a wrong type, is unknown, missing or too long.
        Malformed = "malformed",
        /// A candidate that was not sent, or that occurs twice.
        UnknownHandle = "unknown_handle",
        /// The reply leaves out this memory, but answers others of the same prompt.
        Unanswered = "unanswered",
        /// More than one candidate would be replaced.
        TwoUpdates = "two_updates",
        /// A change that the texts do not state.
        NoEvidence = "no_evidence",
        /// A text in a language of neither the mail nor the memory.
        WrongLanguage = "wrong_language",
        /// The reply reveals parts of the prompt that no mail can know.
        Leak = "leak",
        /// The stored memory changed before the reply arrived.
        Moved = "moved",
        /// The model found nothing to keep in the owner's note.
        NothingFound = "nothing_found",
        /// The token budget of the day or of the import is used up; nothing was sent.
        OverBudget = "over_budget",
        /// The endpoint failed, or three replies in a row were unreadable, a short while ago; nothing was sent.
        Resting = "resting",
        /// The endpoint could not be reached, or the connection broke.
        Unreachable = "unreachable",
        /// The endpoint redirected to another address; redirects are not followed.
        Redirected = "redirected",
        /// The endpoint rejects the key.
        Unauthorized = "unauthorized",
        /// The endpoint has no such path or model.
        NotFound = "not_found",
        /// The endpoint rejects the request.
        Rejected = "rejected",
        /// The endpoint accepts no more requests for now.
        RateLimited = "rate_limited",
        /// The endpoint failed.
        ServerError = "server_error",
    }
}

impl Refusal {
    /// The refusal with this code; [`Refusal::Failed`] for an unknown code.
    pub fn named(code: &str) -> Self {
        serde_json::from_value(code.into()).unwrap_or(Self::Failed)
    }

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

/// Parses the single answer of this type in a reply; an error for none or several.
pub fn read_reply<T: DeserializeOwned>(reply: &str) -> Result<T, Refusal> {
    one_of(reply, |object| typed(&object).ok())
}

/// Parses each answer of this type in the field `list`, or its error.
pub fn read_each<T: DeserializeOwned>(reply: &str, list: &str) -> Result<Vec<Result<T, Refusal>>, Refusal> {
    let values = read_list(reply, list)?;
    Ok(values.iter().map(|value| typed(value).map_err(|_| Refusal::Malformed)).collect())
}

/// The entries of the field `list` in the single object that has it, or of a bare list of objects.
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
    .or_else(|refusal| {
        // A reply that consists of a list of objects, with or without a fence.
        let said = without_thoughts(reply).trim().trim_matches('`').trim().trim_start_matches("json").trim();
        let whole = objects(&["{\"\":", said, "}"].concat());
        let list = whole.first().filter(|_| said.starts_with('[') && whole.len() == 1);
        let values = list.and_then(|list| json::read::<Value>(list, "reply").ok()?[""].as_array().cloned());
        values.filter(|values| values.iter().all(Value::is_object)).ok_or(refusal)
    })
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
        match json::read(&object, "reply").ok().and_then(&read) {
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

/// The outermost objects after the model's thoughts, without commas before closing brackets.
fn objects(reply: &str) -> Vec<String> {
    let text = without_thoughts(reply);
    let (mut found, mut object, mut depth) = (Vec::new(), String::new(), 0usize);
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if depth > 0 => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted && depth == 1 => {
                object.push(c);
                found.push(std::mem::take(&mut object));
                depth = 0;
            }
            '}' if !quoted && depth > 0 => depth -= 1,
            ',' if !quoted && text[at + 1..].trim_start().starts_with(['}', ']']) => continue,
            _ => {}
        }
        if depth > 0 {
            object.push(c);
        }
    }
    found
}
