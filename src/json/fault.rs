//! What is wrong with a text that is read, on its way out.

use crate::{Code, Error};
use serde::de::{Expected, Unexpected};
use std::fmt;

/// An error on its way out.
#[derive(Debug)]
pub(super) struct Fault(pub Error);

/// A fault whose sentence begins with the field, which [`Reader::place`] knows.
#[inline(never)]
pub(super) fn wrong(what: &'static str) -> Fault {
    Fault(Error::new(Code::InvalidInput, what))
}

/// A fault of this code, at a field where one is at fault.
pub(super) fn about(code: Code, field: Option<&str>, what: String) -> Fault {
    let error = Error::new(code, what);
    Fault(match field {
        Some(field) => error.at(field),
        None => error,
    })
}

fn list(names: &[&str]) -> String {
    names.join("`, `")
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(rule: T) -> Self {
        about(Code::InvalidField, None, rule.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        wrong("is of another type")
    }

    fn invalid_value(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        about(Code::InvalidField, None, "is out of its range".to_owned())
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        about(Code::InvalidField, None, "has too few or too many entries".to_owned())
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        about(Code::InvalidField, None, format!("is `{variant}`, which is none of `{}`", list(known)))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let what = format!("unknown field `{field}`, expected one of `{}`", list(known));
        about(Code::UnknownField, Some(field), what)
    }

    fn missing_field(field: &'static str) -> Self {
        about(Code::InvalidField, Some(field), "is missing".to_owned())
    }

    fn duplicate_field(field: &'static str) -> Self {
        about(Code::InvalidField, Some(field), "stands twice".to_owned())
    }
}
