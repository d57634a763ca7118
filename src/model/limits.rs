//! Length and count limits of all input.

use crate::{Error, Result};

/// The length and count limits of all input.
#[derive(Debug)]
pub struct Limits;

impl Limits {
    /// The most characters of a memory's content.
    pub const CONTENT: usize = 8_000;
    /// The most characters of a name, subject, address, keyword or id.
    pub const NAME: usize = 998;
    /// The most entries of a list.
    pub const LIST: usize = 256;

    /// Checks the length of a name; [`crate::Code::InvalidField`] above [`Limits::NAME`] characters.
    pub fn name(field: &str, value: &str) -> Result<()> {
        text(field, value, Self::NAME)
    }

    /// Checks that a number is in a range.
    pub fn range(field: &str, value: u32, (least, most): (u32, u32)) -> Result<()> {
        if (least..=most).contains(&value) {
            return Ok(());
        }
        Err(Error::field(field, format!("is not from {least} to {most}")))
    }

    /// Checks that a number is from 0 to 1.
    pub fn unit(field: &str, value: f32) -> Result<()> {
        unit(field, Some(value))
    }
}

pub(super) fn text(field: &str, value: &str, limit: usize) -> Result<()> {
    // Compare bytes first, to avoid counting the characters of a huge text.
    if value.len() > limit && (value.len() > limit * 4 || value.chars().count() > limit) {
        return Err(Error::field(field, format!("is longer than {limit} characters")));
    }
    Ok(())
}

pub(super) fn count(field: &str, len: usize) -> Result<()> {
    if len > Limits::LIST {
        return Err(Error::field(field, format!("has more than {} entries", Limits::LIST)));
    }
    Ok(())
}

pub(super) fn each<T>(field: &str, list: &[T], check: impl Fn(&str, &T) -> Result<()>) -> Result<()> {
    count(field, list.len())?;
    list.iter().enumerate().try_for_each(|(n, item)| check(&format!("{field}[{n}]"), item))
}

pub(super) fn unit(field: &str, value: Option<f32>) -> Result<()> {
    match value {
        Some(x) if !(0.0..=1.0).contains(&x) => Err(Error::field(field, "is not a number from 0 to 1")),
        _ => Ok(()),
    }
}
