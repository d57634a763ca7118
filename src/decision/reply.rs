//! Reading replies: forgiving in form (fences, thoughts, prose around, a trailing comma, further fields), strict in what they
//! hold. A [`ReplyFault`] names what is wrong.
//!
//! It never knows what was asked: the types that are read, and the checks of their content, are the tasks' own.

use crate::json;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;

/// Bytes of the longest reply that is read.
const MAX_REPLY: usize = 32 * 1024;

/// Defines [`Refusal`] and its stable codes in one place.
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)+) => {
        /// Why no answer came of a question.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Refusal {
            $($(#[$doc])* $name,)+
        }

        impl Refusal {
            /// The stable code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// The refusal with this code; any other is a failure.
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
    /// The reply is longer than 32 KB, or has more entries than are read.
    TooLarge = "too_large";
    /// The reply holds no JSON object, or more than one answer.
    NotJson = "not_json";
    /// A value of another type, an unknown word, a missing field, or one that is too long.
    Malformed = "malformed";
    /// A candidate that was not sent, or one twice.
    UnknownHandle = "unknown_handle";
    /// The reply says nothing of this memory, though of others that were asked about with it.
    Unanswered = "unanswered";
    /// More than one candidate would be replaced.
    TwoUpdates = "two_updates";
    /// A change that the texts do not say.
    NoEvidence = "no_evidence";
    /// A text in a language that neither the mail nor the memory has.
    WrongLanguage = "wrong_language";
    /// The reply repeats what only the question knows.
    Leak = "leak";
    /// What is stored moved while the question was out.
    Moved = "moved";
    /// The model found nothing to keep in a note of the owner's.
    NothingFound = "nothing_found";
    /// The tokens of the day or of the import are used up; nothing was sent.
    OverBudget = "over_budget";
    /// The endpoint failed, or three replies in a row could not be read, a short while ago; nothing was sent.
    Resting = "resting";
    /// The endpoint could not be reached, or broke off.
    Unreachable = "unreachable";
    /// The endpoint sent on to another address, where nothing is sent.
    Redirected = "redirected";
    /// The endpoint does not take the key.
    Unauthorized = "unauthorized";
    /// The endpoint knows no such path or model.
    NotFound = "not_found";
    /// The endpoint does not take the request.
    Rejected = "rejected";
    /// The endpoint takes no more requests for now.
    RateLimited = "rate_limited";
    /// The endpoint failed.
    ServerError = "server_error";
}

impl Refusal {
    /// Whether the same question may be answered later: what failed was the way there, or the budget.
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

    /// Whether the reply came in no form that was asked for.
    pub const fn is_malformed(self) -> bool {
        matches!(self, Self::NotJson | Self::Malformed | Self::TooLarge)
    }

    /// Whether the reply came and could not be read, so that it is worth asking for another.
    pub const fn is_unreadable(self) -> bool {
        matches!(self, Self::NotJson | Self::Malformed | Self::Unanswered)
    }
}

/// Why a reply, or a part of it, cannot be used, and what exactly is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyFault {
    /// Why.
    pub refusal: Refusal,
    /// The place of the list's entry that is at fault, from 0.
    pub entry: Option<usize>,
    /// The field of it, such as `links[0].type`.
    pub field: Option<String>,
    /// What is wrong with that, as a sentence.
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
    /// A field that is wrong.
    pub fn of_field(field: &str, detail: String) -> Self {
        Self { field: Some(field.to_owned()), detail: Some(detail), ..Refusal::Malformed.into() }
    }

    /// The same of the entry at a place of a list.
    #[must_use]
    pub fn in_entry(self, entry: usize) -> Self {
        Self { entry: Some(entry), ..self }
    }

    /// What a model is told of it before it tries again.
    pub fn told(&self) -> String {
        let entry = self.entry.map(|n| format!("entry {}: ", n + 1)).unwrap_or_default();
        match &self.detail {
            Some(detail) => [self.refusal.as_str(), ": ", &entry, detail].concat(),
            None => self.refusal.as_str().to_owned(),
        }
    }
}

/// Reads the one answer of this type that a reply holds.
///
/// # Errors
/// [`Refusal::TooLarge`], [`Refusal::NotJson`] for none or several, [`Refusal::Malformed`] for other types only.
pub fn read_reply<T: DeserializeOwned>(reply: &str) -> Result<T, Refusal> {
    one_of(reply, |object| typed(&object).ok())
}

/// Reads the answers of this type under the name `list`, each by itself.
///
/// # Errors
/// As of [`read_list`]; and one of each that is not of the type.
pub fn read_each<T: DeserializeOwned>(reply: &str, list: &str) -> Result<Vec<Result<T, Refusal>>, Refusal> {
    let values = read_list(reply, list)?;
    Ok(values.iter().map(|value| typed(value).map_err(|_| Refusal::Malformed)).collect())
}

/// The values under the name `list` in the one object of a reply that has it; or the reply as a bare list of objects. Other fields
/// of the object are ignored.
///
/// # Errors
/// [`Refusal::TooLarge`], [`Refusal::NotJson`] for no JSON or several such objects, [`Refusal::Malformed`] for other objects only.
pub fn read_list(reply: &str, list: &str) -> Result<Vec<Value>, Refusal> {
    let named = |value: Value| match value {
        Value::Object(fields) => fields.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(list)).map(|(_, v)| v),
        _ => None,
    };
    one_of(reply, |object| match named(object)? {
        Value::Array(values) => Some(values),
        // One alone, without its list.
        one @ Value::Object(_) => Some(vec![one]),
        _ => None,
    })
    .or_else(|refusal| bare_list(reply).ok_or(refusal))
}

/// A reply that is a list of objects and nothing else, but for a fence around it.
fn bare_list(reply: &str) -> Option<Vec<Value>> {
    let said = without_thoughts(reply).trim().trim_matches('`').trim().trim_start_matches("json");
    match json::read(&without_trailing_commas(said.trim()), "reply") {
        Ok(Value::Array(values)) => Some(values).filter(|values| values.iter().all(Value::is_object)),
        _ => None,
    }
}

/// A value as a type.
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

/// A reply behind whatever was thought aloud.
fn without_thoughts(reply: &str) -> &str {
    reply.rsplit_once("</think>").map_or(reply, |(_, said)| said)
}

/// The outermost objects of a text, after whatever was thought aloud.
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

/// The text without a comma before a closing bracket.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_whatever_their_strings_hold() {
        let cases: [(&str, &[&str]); 7] = [
            (r#"a {"b":{}} c"#, &[r#"{"b":{}}"#]),
            (r#"{} } {"x":"}"} {"#, &["{}", r#"{"x":"}"}"#]),
            (r#"{"x":"\"}"} y"#, &[r#"{"x":"\"}"}"#]),
            (r#"{"x":"\\"} {}"#, &[r#"{"x":"\\"}"#, "{}"]),
            (r#"it's "{" {} "}""#, &[r#"{" {} "}"#]),
            (r#"say "so {} "#, &["{}"]),
            ("{1}<think>{2}</think>{3}", &["{3}"]),
        ];
        for (text, expected) in cases {
            assert_eq!(objects(text), expected, "{text}");
        }
    }

    #[test]
    fn a_comma_goes_only_where_it_trails() {
        let cases = [
            (r#"{"a":1, }"#, r#"{"a":1 }"#),
            (r#"[1,2,],{,}"#, r#"[1,2],{}"#),
            (r#"{"a":",}"}"#, r#"{"a":",}"}"#),
            (r#"{"a":"\",}",}"#, r#"{"a":"\",}"}"#),
            (r#"{"a":"\\",}"#, r#"{"a":"\\"}"#),
            (r#"[1, 2]"#, r#"[1, 2]"#),
        ];
        for (text, expected) in cases {
            assert_eq!(without_trailing_commas(text), expected);
        }
    }

    #[test]
    fn each_answer_of_a_list_is_read_by_itself() {
        let read = |reply: &str| read_each::<Vec<u8>>(reply, "answers").map(|a| a.len());
        let numbers = |reply: &str| read_each::<std::collections::BTreeMap<String, u8>>(reply, "answers");
        assert_eq!(read("{\"answers\":[]}"), Ok(0));
        let mixed = numbers("so: {\"answers\": [{\"a\": 1}, {\"a\": \"{\"}, {\"b\": 2,},]}").unwrap();
        assert_eq!(mixed.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
        for (other, many) in
            [("{\"answers\":[],\"delete\":[]}", 0), ("{\"Answers\":[[{}]]}", 1), ("[]", 0), ("```json\n[{}]\n```", 1)]
        {
            assert_eq!(read(other), Ok(many), "{other}");
        }
        for other in ["{\"answer\":[]}", "{\"a\":{\"answers\":[]}}", "{\"answers\":3}"] {
            assert_eq!(read(other), Err(Refusal::Malformed), "{other}");
        }
        assert_eq!(read("{\"answers\":[]} {\"answers\":[]}"), Err(Refusal::NotJson));
    }
}
