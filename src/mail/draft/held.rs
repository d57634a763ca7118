//! Which values a text holds, as the marks of a part count them.

use crate::language::{Found, Value};

/// The kinds of value that are told apart.
#[rustfmt::skip]
pub(super) const KINDS: [&str; 14] = [
    "money", "quantity", "percent", "number", "clock", "date", "recurrence", "period", "duration", "version",
    "identifier", "ordinal", "status", "other",
];

/// What values a text holds: how many, and of which kinds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HeldValues {
    pub count: usize,
    pub kinds: u16,
    /// Whether one stands at the very beginning that is a number.
    pub counts_first: bool,
}

impl HeldValues {
    pub fn new(text: &str, found: &[Found]) -> Self {
        let kinds = found.iter().fold(0, |all, f| all | 1 << kind(&f.value));
        let counts_first = found.iter().any(|f| {
            matches!(f.value, Value::Number(_) | Value::Quantity { .. }) && text[..f.span.start].chars().count() <= 3
        });
        Self { count: found.len(), kinds, counts_first }
    }
}

fn kind(value: &Value) -> usize {
    match value {
        Value::Range(ends) => kind(&ends.0),
        Value::Money { .. } => 0,
        Value::Quantity { .. } => 1,
        Value::Percent(_) => 2,
        Value::Number(_) => 3,
        Value::Clock(_) => 4,
        Value::Date(_) => 5,
        Value::Weekdays(_) | Value::Recurrence(_) => 6,
        Value::Period(_) => 7,
        Value::Duration(_) => 8,
        Value::Version(_) => 9,
        Value::Identifier(_) => 10,
        Value::Ordinal { .. } => 11,
        Value::Status { .. } => 12,
        _ => 13,
    }
}
