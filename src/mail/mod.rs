//! From raw mail to what it says: mbox, MIME, the new part of a message, who speaks.
//!
//! Start at [`Mailbox`] (bytes → messages) and [`read`] (a message → a [`Mail`]). It treats every byte as untrusted and never
//! compares or stores anything; `extract` finds what is worth keeping.

mod authentication;
mod body;
mod bounds;
mod clean;
mod exclusion;
mod guard;
mod invite;
mod kind;
mod mailbox;
mod message;
mod mime;
mod said;
mod sender;
mod steering;
mod visible;

use crate::model::{Time, Zone};
pub use authentication::{AuthResults, AuthVerdict, MethodResult};
pub use body::quotes::pasted;
pub(crate) use body::signature::is_boilerplate;
pub use exclusion::Exclusion;
pub use guard::is_suspicious;
pub use invite::{Event, EventTime};
pub(crate) use kind::{MailKind, is_circular, is_desk, is_passing, is_transaction, says as says_kind};
pub use kind::{is_promotion, is_settled};
pub use mailbox::{Cut, MAX_MESSAGE, Mailbox, Piece};
pub use message::{read, read_vouched};
pub use mime::charset::{Charset, HostCharset};
pub use said::{agrees, answers_yes_or_no, is_by_tool, passages, passes_on, topic_of_another};
pub(crate) use said::{answers_by_machine, subject};
pub use sender::{Sender, Vouched};
pub use steering::{STEERING_MARKS, steering_marks};

/// The account that a mail belongs to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    pub owner: Vec<String>,
    /// Addresses of people whose mail matters more.
    pub important: Vec<String>,
    /// The owner's zone; default: the mail's.
    pub zone: Option<Zone>,
    /// Hosts whose `Authentication-Results` are trusted; default: the host that received the mail.
    pub hosts: Vec<String>,
}

impl Account {
    pub fn is_owner(&self, address: &str) -> bool {
        self.owner.iter().any(|o| o.trim().eq_ignore_ascii_case(address.trim()))
    }

    /// The zone for words such as "tomorrow": the mail's, or the owner's if the mail's date is in UTC, which servers
    /// write.
    pub fn zone_of(&self, mail: &Mail) -> Zone {
        self.zone.filter(|_| mail.zone == Zone::default()).unwrap_or(mail.zone)
    }

    /// Whether the owner is authenticated as the author.
    pub fn wrote(&self, mail: &Mail) -> bool {
        let from = mail.from.as_ref().map_or("", |p| p.address.as_str());
        (self.is_owner(from) || mail.sender.vouched) && mail.sender.proves(from, &self.hosts)
    }
}

/// The author or a recipient of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    pub name: Option<String>,
    /// The address in lower case; empty if only a name is known.
    pub address: String,
}

impl Person {
    /// The name, or the address without one.
    pub fn called(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.address)
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mail {
    /// With angle brackets; derived from the content if the mail has none.
    pub message_id: String,
    /// The host's thread id, else the first reference, else the mail's own id.
    pub thread_id: String,
    pub is_reply: bool,
    /// The subject line as written.
    pub subject: String,
    pub from: Option<Person>,
    pub to: Vec<Person>,
    pub cc: Vec<Person>,
    pub sender: Sender,
    /// When it was sent; never later than its arrival.
    pub date: Option<Time>,
    /// The stated date, if it is more than a day after the arrival.
    pub ahead: Option<Time>,
    pub zone: Zone,
    /// Gmail's labels, if the host passes them.
    pub labels: Vec<String>,
    /// The new and the forwarded text; evidence spans are bytes of it.
    pub text: String,
    /// The parts of `text` by author, in order.
    pub sections: Vec<Section>,
    pub events: Vec<Event>,
    /// Signs of bulk mail: a list, a newsletter, a promotion.
    pub bulk: Bulk,
    /// Byte ranges of `text` that address an assistant or a memory; they yield no drafts.
    pub suspicious: Vec<std::ops::Range<usize>>,
    /// A hash of the content; equal for a second delivery.
    pub hash: String,
    /// Whether it is a chat with several turns.
    pub is_chat: bool,
}

/// Milliseconds by which a date may exceed the arrival without being reported.
const AHEAD: i64 = 24 * 60 * 60 * 1000;

impl Mail {
    /// Caps the date at the time of reading.
    pub fn arrived_by(&mut self, now: Time) {
        if let Some(date) = self.date.filter(|d| *d > now) {
            self.ahead = self.ahead.or(Some(date).filter(|d| d.millis() - now.millis() > AHEAD));
            self.date = Some(now);
        }
        for section in &mut self.sections {
            section.date = section.date.map(|d| self.date.map_or(d, |own| d.min(own)));
        }
    }

    /// The recipients, copies last.
    pub fn receivers(&self) -> impl Iterator<Item = &Person> {
        self.to.iter().chain(&self.cc)
    }

    /// The author and the recipients.
    pub fn parties(&self) -> impl Iterator<Item = &Person> {
        self.from.iter().chain(self.receivers())
    }

    /// The mail as from a known sender: only instructions and requests for secrets stay suspicious.
    #[must_use]
    pub fn by_somebody_known(&self) -> Self {
        let mut mail = self.clone();
        let is_all = |span: &std::ops::Range<usize>| *span == (0..self.text.len()) && guard::is_fishing(&self.text);
        mail.suspicious.retain(|span| match self.text.get(span.clone()) {
            Some(text) if is_all(span) => guard::asks_for_secret(text) || guard::instructs(text),
            Some(text) => guard::instructs(text),
            None => true,
        });
        mail
    }

    pub(crate) fn is_suspicious(&self, span: &std::ops::Range<usize>) -> bool {
        let next = self.suspicious.partition_point(|s| s.end <= span.start);
        self.suspicious.get(next).is_some_and(|s| s.start < span.end)
    }
}

/// A part of [`Mail::text`] by one author.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// First byte in `text`.
    pub start: usize,
    /// Byte after the last one.
    pub end: usize,
    /// The author of forwarded text, if named; absent for the sender.
    pub author: Option<Person>,
    pub date: Option<Time>,
    pub subject: Option<String>,
    pub forwarded: bool,
    /// Whether an assistant or a tool wrote it, in a chat with the owner.
    pub by_tool: bool,
    /// The signature below it.
    pub signature: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bulk {
    /// It has an unsubscribe header.
    pub unsubscribe: bool,
    /// `Precedence: bulk` or similar, or a label for promotions.
    pub promotion: bool,
    /// It was sent over a list.
    pub list: bool,
    /// It was sent automatically.
    pub automatic: bool,
}

/// The idempotency key of a draft: the account, the message id, the draft's position and the mail's hash.
pub fn idempotency_key(account: &str, mail: &Mail, index: usize) -> String {
    let account = account.trim().to_lowercase();
    format!("mail:{account}:{}:{index}:{}", mail.message_id, mail.hash)
}
