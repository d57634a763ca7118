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
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut reader)
        .map_err(|e| read_error(&e.inner().to_string(), e.inner().is_data(), &e.path().to_string(), what))?;
    reader.end().map_err(|e| read_error(&e.to_string(), false, ".", what))?;
    Ok(value)
}

/// Reads a stored record. One written by another version counts as absent.
pub fn read_kept<T: DeserializeOwned>(stored: &[u8]) -> Option<T> {
    read(std::str::from_utf8(stored).ok()?, "record").ok()
}

/// Maps a serde message, which has no code, to an error. `path` is `.` for the whole text.
#[inline(never)]
fn read_error(message: &str, is_typed: bool, path: &str, what: &str) -> Error {
    if !is_typed {
        return Error::new(Code::InvalidInput, format!("`{what}` is not valid JSON: {message}"));
    }
    // Errors carry the path instead of the line.
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    let mut path = path.trim_start_matches('.').to_owned();
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
