//! What kind of mail a mail is: over within minutes, sent to many, a matter of the owner's own.

use super::{Mail, passages};
use crate::language::{Phrases, phrases, words};

/// What the first lines of a mail tell of its kind; a row of `language/data/mail/kinds.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MailKind {
    /// A code to sign in with.
    Code,
    /// What a machine sends to everybody.
    Circular,
    /// An order, a booking, an invoice.
    Transaction,
    /// An offer of a shop.
    Offer,
    /// What an offer gives its reader to use.
    Coupon,
}

static KINDS: Phrases<MailKind> = phrases!("mail/kinds");

/// Letters and figures of a text that is worth reading.
const LEAST_TEXT: usize = 20;
/// Characters of a mail that show what it is, and of one that holds a code.
const HEAD: usize = 1500;
const CODE: usize = 600;

/// Whether a text says this.
pub(crate) fn says(text: &str, kind: MailKind) -> bool {
    let text = text.replace(['’', '‘'], "'");
    KINDS.says(&text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(), &kind)
}

/// Whether the subject or the first lines of the text say this.
fn begins(mail: &Mail, kind: MailKind, characters: usize) -> bool {
    let head: String = mail.text.chars().take(characters).collect();
    says(&format!("{} {head}", mail.subject), kind)
}

/// Whether rules settle a mail, so that nobody need read it: a passing notice, a promotion, or hardly a word.
pub fn is_settled(mail: &Mail) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let said: usize = passages(mail).iter().map(|(_, text)| letters(text)).sum();
    is_passing(mail) || is_promotion(mail) && !is_own_matter(mail) || said + letters(&mail.subject) < LEAST_TEXT
}

/// Whether a mail to many may tell the owner of something of their own: a plan that renews, a bill, a booking.
fn is_own_matter(mail: &Mail) -> bool {
    let own = words!("mail/boilerplate.own words");
    own.stand_in(&mail.text.to_lowercase()) || own.stand_in(&mail.subject.to_lowercase())
}

/// Whether the mail is over within minutes: a code to sign in with, a receipt that a mail was read.
pub(crate) fn is_passing(mail: &Mail) -> bool {
    let subject = mail.subject.trim_start().to_lowercase();
    let is_receipt = mail.bulk.automatic && words!("mail/subject.receipts").begin(&subject);
    let is_short = mail.text.chars().nth(CODE).is_none();
    let digits = mail.text.bytes().filter(u8::is_ascii_digit).count();
    is_receipt || is_short && digits >= 4 && !mail.is_reply && begins(mail, MailKind::Code, CODE)
}

/// Whether the mail went to many and sells or tells something, rather than to say what concerns the owner.
pub fn is_promotion(mail: &Mail) -> bool {
    let is_marked = words!("mail/subject.ads").begin(&mail.subject.trim_start().to_lowercase());
    let is_offer = || says(&mail.subject, MailKind::Offer);
    let sent_to_many = mail.bulk.unsubscribe || mail.bulk.promotion;
    // People write to lists as well, and lists tell how to leave them.
    let is_discussed = || mail.bulk.list && !mail.bulk.promotion && !is_offer();
    is_marked || sent_to_many && !is_discussed() && (!is_transaction(mail) || is_offer())
}

/// Orders, bookings, invoices and the like, which come with a way to unsubscribe as well.
pub(crate) fn is_transaction(mail: &Mail) -> bool {
    begins(mail, MailKind::Transaction, HEAD)
}

/// Whether it is one of many that a machine sends and nobody needs later: a newsletter, a survey, word that a mail has come.
pub(crate) fn is_circular(mail: &Mail) -> bool {
    let by_machine = mail.bulk.automatic
        || mail
            .from
            .as_ref()
            .is_some_and(|p| is_desk(&p.address) || is_called(&p.address, words!("mail/names.senders")));
    by_machine && !mail.is_reply && begins(mail, MailKind::Circular, HEAD)
}

/// Whether an address is a desk's or a machine's rather than a person's.
pub(crate) fn is_desk(address: &str) -> bool {
    is_called(address, words!("mail/names.desks"))
}

fn is_called(address: &str, names: &[&str]) -> bool {
    let name = address.split('@').next().unwrap_or_default();
    name.split(|c: char| !c.is_ascii_alphabetic()).any(|w| names.contains(&w))
}
