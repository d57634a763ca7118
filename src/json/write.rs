//! [`write`] gives the JSON text of a value.
//!
//! It never writes a number longer than it must be to read back as the same.

use super::number::{short_text, text};
use crate::Result;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io;

/// serde_json's compact form with numbers of our own: its tables for floats take 10 KB gzipped.
struct Compact;

impl Formatter for Compact {
    fn write_f32<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: f32) -> io::Result<()> {
        writer.write_all(short_text(value).as_bytes())
    }

    fn write_f64<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(text(value).as_bytes())
    }
}

/// The JSON text of a value.
///
/// # Errors
/// A map whose keys are not strings.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    let mut out = Vec::with_capacity(256);
    value.serialize(&mut Serializer::with_formatter(&mut out, Compact))?;
    // serde_json writes nothing but UTF-8.
    Ok(String::from_utf8(out).unwrap_or_default())
}
