//! Amounts, dates, times and names in running text, each in a comparable form with its span.
