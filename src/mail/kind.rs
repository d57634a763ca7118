//! Classifies mails: sign-in codes, bulk mail, transactions and offers.

use super::{Mail, passages};
use crate::language::{Phrases, phrases, single_spaced, words};

/// The kind that the first lines of a mail indicate; a section of `language/data/mail/kinds.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MailKind {
    Code,
    /// Automated bulk mail.
    Circular,
    /// An order, a booking, an invoice.
    Transaction,
    Offer,
    /// A coupon or code for the reader of an offer.
    Coupon,
}

static KINDS: Phrases<MailKind> = phrases!("mail/kinds");

/// Fewest letters and digits of a mail that needs reading.
const MIN_TEXT_CHARS: usize = 20;
/// Characters at the start of a mail that show its kind.
const HEAD_CHARS: usize = 1500;
/// Longest text of a sign-in code mail, in characters.
const CODE_CHARS: usize = 600;

pub(crate) fn says(text: &str, kind: MailKind) -> bool {
    KINDS.says(&single_spaced(&text.replace(['’', '‘'], "'")).to_lowercase(), &kind)
}

fn opening_says(mail: &Mail, kind: MailKind, characters: usize) -> bool {
    let head: String = mail.text.chars().take(characters).collect();
    says(&format!("{} {head}", mail.subject), kind)
}

/// Whether rules alone can discard a mail: an expiring notice, a promotion, or almost no text.
pub fn is_settled(mail: &Mail) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let said: usize = passages(mail).iter().map(|(_, text)| letters(text)).sum();
    is_passing(mail)
        || is_promotion(mail) && !mentions_own_affairs(mail)
        || said + letters(&mail.subject) < MIN_TEXT_CHARS
}

/// Whether a bulk mail may concern the owner personally: a renewing plan, a bill, a booking.
fn mentions_own_affairs(mail: &Mail) -> bool {
    let own = words!("mail/boilerplate.own words");
    own.stand_in(&mail.text.to_lowercase()) || own.stand_in(&mail.subject.to_lowercase())
}

/// Whether the mail is obsolete within minutes: a sign-in code or a read receipt.
pub(crate) fn is_passing(mail: &Mail) -> bool {
    let subject = mail.subject.trim_start().to_lowercase();
    let is_receipt = mail.bulk.automatic && words!("mail/subject.receipts").begin(&subject);
    let is_short = mail.text.chars().nth(CODE_CHARS).is_none();
    let digits = mail.text.bytes().filter(u8::is_ascii_digit).count();
    is_receipt || is_short && digits >= 4 && !mail.is_reply && opening_says(mail, MailKind::Code, CODE_CHARS)
}

/// Whether the mail is bulk marketing or news and does not concern the owner personally.
pub fn is_promotion(mail: &Mail) -> bool {
    let is_marked = words!("mail/subject.ads").begin(&mail.subject.trim_start().to_lowercase());
    let is_offer = || says(&mail.subject, MailKind::Offer);
    let sent_to_many = mail.bulk.unsubscribe || mail.bulk.promotion;
    // Discussion lists carry an unsubscribe header too.
    let is_discussed = || mail.bulk.list && !mail.bulk.promotion && !is_offer();
    is_marked || sent_to_many && !is_discussed() && (!is_transaction(mail) || is_offer())
}

/// Whether the mail is an order, booking, invoice or the like. Such mails may have an unsubscribe header too.
pub(crate) fn is_transaction(mail: &Mail) -> bool {
    opening_says(mail, MailKind::Transaction, HEAD_CHARS)
}

/// Whether the mail is automated and has no lasting value: a newsletter, a survey, a notice of a new message.
pub(crate) fn is_circular(mail: &Mail) -> bool {
    let by_machine = mail.bulk.automatic
        || mail
            .from
            .as_ref()
            .is_some_and(|p| is_desk(&p.address) || has_name_word(&p.address, words!("mail/names.senders")));
    by_machine && !mail.is_reply && opening_says(mail, MailKind::Circular, HEAD_CHARS)
}

/// Whether the address belongs to a role account or a program rather than a person.
pub(crate) fn is_desk(address: &str) -> bool {
    has_name_word(address, words!("mail/names.desks"))
}

fn has_name_word(address: &str, names: &[&str]) -> bool {
    let name = address.split('@').next().unwrap_or_default();
    name.split(|c: char| !c.is_ascii_alphabetic()).any(|w| names.contains(&w))
}
