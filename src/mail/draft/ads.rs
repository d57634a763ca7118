//! Promotions and newsletters: at most one draft, and only for a coupon.
//!
//! It never drafts what a newsletter tells, nor what a shop sells to everybody.

use super::blocks::{Block, BlockForm};
use super::cues::is_offer;
use super::phrases::Said;
use super::plain::Plain;
use super::sentences::sentences;
use super::topic;
use super::voice::is_sender;
use super::when::{DateRole, Moment, moments};
use crate::language::{Reference, Value, values, words};
use crate::mail::Mail;
use crate::mail::body::signature;
use std::ops::Range;

/// Whether the mail is over within minutes: a code to sign in with, a receipt that a mail was read.
pub(super) fn is_passing(mail: &Mail) -> bool {
    let subject = mail.subject.trim_start().to_lowercase();
    if mail.bulk.automatic && words!("mail/subject.receipts").begin(&subject) {
        return true;
    }
    let head: String = mail.text.chars().take(600).collect();
    Plain::new(&format!("{} {head}", mail.subject)).says(Said::Code)
        && head.chars().filter(char::is_ascii_digit).count() >= 4
        && mail.text.chars().count() <= 600
        && !mail.is_reply
}

/// Whether the mail went to many and sells or tells something, rather than to say what concerns the owner.
pub fn is_promotion(mail: &Mail) -> bool {
    let subject = Plain::new(&mail.subject);
    let marked = words!("mail/subject.ads").begin(subject.text());
    let sent_to_many = mail.bulk.unsubscribe || mail.bulk.promotion;
    // People write to lists as well, and lists tell how to leave them.
    let discussed = mail.bulk.list && !mail.bulk.promotion && !is_offer(&subject);
    if !marked && (!sent_to_many || discussed) {
        return false;
    }
    marked || !is_transaction(mail)
}

/// Whether it is one of many that a machine sends and nobody needs later: a newsletter, a survey, word that a mail has come.
pub(super) fn is_circular(mail: &Mail) -> bool {
    let by_machine = mail.bulk.automatic || mail.from.as_ref().is_some_and(|p| is_sender(&p.address));
    by_machine && !mail.is_reply && begins(mail, Said::Circular)
}

/// Orders, bookings, invoices and the like, which shops send with a way to unsubscribe.
fn is_transaction(mail: &Mail) -> bool {
    begins(mail, Said::Transaction) && !is_offer(&Plain::new(&mail.subject))
}

/// Whether the subject or the first lines of the text say this.
fn begins(mail: &Mail, what: Said) -> bool {
    let head: String = mail.text.chars().take(1500).collect();
    Plain::new(&format!("{} {head}", mail.subject)).says(what)
}

/// The offer, its text and the days for which it holds.
pub(super) struct Offer {
    pub content: String,
    pub span: Range<usize>,
    pub moments: Vec<Moment>,
}

/// The most lines that are looked at for an offer.
const MOST_LINES: usize = 2_000;

/// The offer that the mail makes, if it comes with a coupon.
pub(super) fn offer(mail: &Mail, text: &str, blocks: &[Block], at: Option<Reference>) -> Option<Offer> {
    let mut lines: Vec<(String, Range<usize>)> = Vec::new();
    for block in blocks {
        match &block.form {
            BlockForm::Pair { name, value } => lines.push((format!("{name}: {value}"), block.span.clone())),
            _ if lines.len() >= MOST_LINES => break,
            BlockForm::Prose => lines.extend(
                sentences(&block.text).into_iter().map(|r| (block.text[r].replace('\n', " "), block.span.clone())),
            ),
            _ => lines.push((block.text.clone(), block.span.clone())),
        }
    }
    lines.truncate(MOST_LINES);
    lines.retain(|(line, _)| !signature::is_boilerplate(line));
    let subject = topic::subject(&mail.subject);
    let has_coupon = |line: &str| Plain::new(line).says(Said::Coupon);
    if !has_coupon(&subject) && !lines.iter().any(|(line, _)| has_coupon(line)) {
        return None;
    }
    let worth = |line: &str| {
        let found = values(line, at);
        let figure = found.iter().any(|f| matches!(f.value, Value::Percent(_) | Value::Money { .. }));
        let days = moments(line, &found, at);
        let plain = Plain::new(line);
        i32::from(figure) * 3
            + i32::from(plain.says(Said::Bundle)) * 2
            + i32::from(is_offer(&plain)) * 2
            + i32::from(!days.is_empty())
    };
    let best = lines.iter().enumerate().max_by_key(|(n, (line, _))| (worth(line), std::cmp::Reverse(*n)))?;
    let in_subject = worth(&subject);
    if worth(&best.1.0).max(in_subject) < 4 {
        return None;
    }
    let mut content = if in_subject >= worth(&best.1.0) && in_subject >= 4 { subject } else { best.1.0.clone() };
    let mut span = best.1.1.clone();
    // Adds the first line that says this, as a sentence of its own, where none of them does yet.
    let mut complete = |says: &dyn Fn(&str) -> bool| {
        if !says(&content)
            && let Some((line, place)) = lines.iter().find(|(line, _)| says(line) && line.chars().count() <= 200)
        {
            if !content.ends_with(['.', '!', '?']) {
                content.push('.');
            }
            content.push(' ');
            content.push_str(line);
            span = span.start.min(place.start)..span.end.max(place.end);
        }
    };
    // The coupon is what it is remembered for.
    complete(&has_coupon);
    // Until when, where the line itself does not say.
    complete(&|line: &str| {
        let found = values(line, at);
        moments(line, &found, at).iter().any(|m| matches!(m.role, DateRole::Deadline | DateRole::Until))
    });
    let sender = mail.from.as_ref().and_then(|p| p.name.clone()).unwrap_or_default();
    if !sender.is_empty() && !content.contains(&sender) {
        content = format!("{sender}: {content}");
    }
    let content: String = content.chars().take(500).collect();
    let found = values(&content, at);
    let moments = moments(&content, &found, at);
    debug_assert!(span.end <= text.len());
    Some(Offer { content, span, moments })
}
