//! For `examples/worth`: the parts of a mail with their marks, as `worth` weighs them.

use super::marks::{MarkNames, MarksThere, marks, valued};
use super::teller::Teller;
use super::worth::is_never;
use super::{ads, blocks, parts};
use crate::mail::{Account, Mail};
use std::ops::Range;

/// A sentence, row or item of a mail as it is weighed.
#[derive(Debug, Clone)]
pub struct Weighed {
    /// Its words.
    pub text: String,
    /// Its bytes in the mail's text.
    pub span: Range<usize>,
    /// The numbers of the marks that it has.
    pub marks: Vec<usize>,
}

/// The sentences, rows and items of a mail that are weighed.
pub fn weighed(mail: &Mail, account: &Account) -> Vec<Weighed> {
    let mut out = Vec::new();
    if ads::is_passing(mail) || ads::is_promotion(mail) {
        return out;
    }
    for section in &mail.sections {
        let teller = Teller::new(mail, account, Some(section));
        let context = teller.context();
        let mut blocks = blocks::blocks(&mail.text, section.start..section.end);
        blocks.retain(|b| !mail.is_suspicious(&b.span));
        let parts = parts::parts(&mail.text, &blocks, &context);
        let valued = valued(&parts);
        for (n, part) in parts.iter().enumerate().filter(|(_, p)| !is_never(p)) {
            let mut sheet = MarksThere::default();
            marks(&parts, n, valued, &context, &mut sheet);
            out.push(Weighed { text: part.text.clone(), span: part.span.clone(), marks: sheet.there });
        }
    }
    out
}

/// What each mark is called, by its number.
pub fn mark_names() -> Vec<String> {
    let mail = Mail { text: "x".into(), ..Mail::default() };
    let account = Account::default();
    let teller = Teller::new(&mail, &account, None);
    let context = teller.context();
    let parts = parts::parts(&mail.text, &blocks::blocks(&mail.text, 0..1), &context);
    let mut sheet = MarkNames::default();
    if !parts.is_empty() {
        marks(&parts, 0, valued(&parts), &context, &mut sheet);
    }
    sheet.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_has_its_weight() {
        let weights = include_str!("weights.txt").split_whitespace().filter(|w| w.parse::<i16>().is_ok());
        assert_eq!(weights.count(), 1 + mark_names().len());
    }
}
