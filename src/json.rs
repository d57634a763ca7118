//! JSON text: parsing with the path of an invalid field, and writing numbers in their shortest form.

use crate::{Code, Error, Result};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// Parses a value from JSON text; `what` names the text in errors.
///
/// ```
/// use memfold::{Code, json, model::Draft};
/// let draft: Draft = json::read(r#"{"content": "킥오프"}"#, "draft")?;
/// assert_eq!(draft.content, "킥오프");
/// let error = json::read::<Draft>(r#"{"content": "a", "people": ["b", 7]}"#, "draft").unwrap_err();
/// assert_eq!((error.code, error.field.as_deref()), (Code::InvalidInput, Some("people[1]")));
/// # Ok::<(), memfold::Error>(())
/// ```
///
/// # Errors
/// [`Code::InvalidInput`] for text that is not JSON or a value of another type, [`Code::UnknownField`] for an unknown
/// field, [`Code::InvalidField`] for a missing, duplicate or invalid one. Without a field, the whole text is invalid.
pub fn read<T: DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| {
        let path = if e.is_data() { path_at(text, &e) } else { String::new() };
        read_error(&e.to_string(), e.is_data(), path, what)
    })
}

/// The path of the value or key at which reading stopped. `serde_path_to_error` does the same, but its code for each
/// type makes the engine an eighth larger.
fn path_at(text: &str, error: &serde_json::Error) -> String {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let end = lines.map(str::len).sum::<usize>() + error.column();
    let read = text.get(..end).unwrap_or(text);
    // The open lists and objects, each with the index of its element or the key of its value.
    let mut open: Vec<(Option<usize>, &str)> = Vec::new();
    let (mut at, mut closed) = (0, None);
    while let Some(byte) = read.as_bytes().get(at) {
        at += 1;
        closed = closed.filter(|_| byte.is_ascii_whitespace());
        match (byte, open.last_mut()) {
            (b'{', _) => open.push((None, "")),
            (b'[', _) => open.push((Some(0), "")),
            (b'}', _) => closed = open.pop(),
            (b']', _) => drop(open.pop()),
            (b',', Some((Some(index), _))) => *index += 1,
            (b',', Some((None, key))) => *key = "",
            (b'"', last) => {
                let start = at;
                while read.as_bytes().get(at).is_some_and(|byte| *byte != b'"') {
                    at += if read.as_bytes()[at] == b'\\' { 2 } else { 1 };
                }
                if let Some((None, key @ "")) = last {
                    *key = read.get(start..at).unwrap_or_default();
                }
                at += 1;
            }
            _ => {}
        }
    }
    let message = error.to_string();
    // Errors of our own about the last value of an object are found at its end. The message names a missing or duplicate key.
    open.extend(closed.filter(|_| !message.starts_with("missing field ")));
    if let Some(last) = open.last_mut().filter(|_| message.starts_with("duplicate field ")) {
        last.1 = "";
    }
    open.iter().fold(String::new(), |path, (index, key)| match index {
        Some(index) => format!("{path}[{index}]"),
        None if path.is_empty() || key.is_empty() => path + key,
        None => format!("{path}.{key}"),
    })
}

/// Reads a stored record. One written by another version counts as absent.
pub fn read_kept<T: DeserializeOwned>(stored: &[u8]) -> Option<T> {
    read(std::str::from_utf8(stored).ok()?, "record").ok()
}

/// Maps a serde message, which has no code, to an error. `path` is empty for the whole text.
#[inline(never)]
fn read_error(message: &str, is_typed: bool, mut path: String, what: &str) -> Error {
    if !is_typed {
        return Error::new(Code::InvalidInput, format!("`{what}` is not valid JSON: {message}"));
    }
    // Errors carry the path instead of the line.
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    let (code, rule) = if message.starts_with("unknown field ") {
        return Error::new(Code::UnknownField, message).at(path);
    } else if let Some(variant) = message.strip_prefix("unknown variant ") {
        let known = variant.replacen(", expected one of ", ", expected ", 1);
        (Code::InvalidField, format!(" is {}", known.replacen(", expected ", ", which is none of ", 1)))
    } else if let Some((kind @ ("missing" | "duplicate"), field)) = message.split_once(" field `") {
        path.push_str(if path.is_empty() { "" } else { "." });
        path.push_str(field.trim_end_matches('`'));
        (Code::InvalidField, if kind == "missing" { " is missing" } else { " stands twice" }.to_owned())
    } else if message.starts_with("invalid type") {
        (Code::InvalidInput, format!(": {message}"))
    } else {
        (Code::InvalidField, format!("{}{message}", if message.starts_with("invalid ") { ": " } else { " " }))
    };
    let error = Error::new(code, format!("`{}`{rule}", if path.is_empty() { what } else { &path }));
    if path.is_empty() { error } else { error.at(path) }
}

/// serde_json's compact form, with numbers as in sealed log entries: 1.0 is `1`, and 0.87 of an `f32` is `0.87`.
struct Compact;

impl Formatter for Compact {
    fn write_f32<W: Write + ?Sized>(&mut self, writer: &mut W, value: f32) -> io::Result<()> {
        match value.abs() {
            0.0 | 1e-13..1e9 => write!(writer, "{value}"),
            _ => self.write_f64(writer, f64::from(value)),
        }
    }

    fn write_f64<W: Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        match value.abs() {
            0.0 | 1e-22..1e21 => write!(writer, "{value}"),
            _ => write!(writer, "{value:e}"),
        }
    }
}

/// Serialises a value as JSON text.
///
/// # Errors
/// [`Code::InvalidInput`] for a map whose keys are not strings.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    let mut out = Vec::with_capacity(256);
    value.serialize(&mut Serializer::with_formatter(&mut out, Compact))?;
    // serde_json writes only valid UTF-8.
    Ok(String::from_utf8(out).unwrap_or_default())
}

/// Defines an enum with its wire strings.
macro_rules! wire {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $wire:literal,)+ }) => {
        $(#[$about])*
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// The wire string.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire,)+ }
            }
        }
    };
}
pub(crate) use wire;
