//! From raw mail to what it says: mbox, MIME, the new part of a message, who speaks.
//!
//! Start at [`Mailbox`] (bytes → messages) and [`read`] (a message → a [`Mail`]). It treats every byte as untrusted and never
//! compares or stores anything; `extract` finds what is worth keeping.
//!
//! ```
//! use memfold::mail::{HostCharset, read};
//! let raw = "From: Kim <kim@a.example>\r\nTo: me@b.example\r\nSubject: Kickoff\r\n\
//!     Date: Tue, 14 Jan 2025 09:00:00 +0900\r\nMessage-ID: <1@a.example>\r\n\r\n\
//!     Hi,\r\nThe kickoff meeting is on 22 January at 2 pm.\r\n";
//! let mail = read(raw.as_bytes(), &HostCharset)?;
//! assert_eq!(mail.text, "Hi,\nThe kickoff meeting is on 22 January at 2 pm.");
//! # Ok::<(), memfold::Error>(())
//! ```

mod authentication;
mod body;
mod bounds;
mod clean;
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
pub(crate) use body::signature::{is_boilerplate, is_footer_line};
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
pub use steering::{steering_mark_names, steering_marks};

/// Whose mail it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    /// The owner's own addresses.
    pub owner: Vec<String>,
    /// Addresses of people whose mail matters more.
    pub important: Vec<String>,
    /// The owner's zone; the mail's own where absent.
    pub zone: Option<Zone>,
    /// Hosts whose `Authentication-Results` are believed; where none is named, the one that took a mail in.
    pub hosts: Vec<String>,
}

impl Account {
    /// Whether the address is one of the owner's.
    pub fn is_owner(&self, address: &str) -> bool {
        self.owner.iter().any(|o| o.trim().eq_ignore_ascii_case(address.trim()))
    }

    /// The zone in which "tomorrow" is counted: where the mail was written, as its date tells. One in UTC tells nothing, since
    /// servers write that, so it is the owner's then.
    pub fn zone_of(&self, mail: &Mail) -> Zone {
        self.zone.filter(|_| mail.zone == Zone::default()).unwrap_or(mail.zone)
    }

    /// Whether it is proven that the owner wrote the mail: by the check of the owner's own host, or by its word.
    pub fn wrote(&self, mail: &Mail) -> bool {
        let from = mail.from.as_ref().map_or("", |p| p.address.as_str());
        (self.is_owner(from) || mail.sender.vouched) && mail.sender.proves(from, &self.hosts)
    }
}

/// Somebody who wrote or received a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// The display name.
    pub name: Option<String>,
    /// The address in lower case; empty where only a name is known.
    pub address: String,
}

impl Person {
    /// The name, or the address of whom has none.
    pub fn called(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.address)
    }
}

/// A message, read: who, when, and what it says anew.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mail {
    /// With its angle brackets; made from the content where the mail has none.
    pub message_id: String,
    /// The thread's number where the host gives one, else the first of the references, else the message's own id.
    pub thread_id: String,
    /// Whether it answers another message.
    pub is_reply: bool,
    /// The subject line as written.
    pub subject: String,
    /// Who wrote it.
    pub from: Option<Person>,
    /// To whom.
    pub to: Vec<Person>,
    /// With copies to.
    pub cc: Vec<Person>,
    /// How its sender is known.
    pub sender: Sender,
    /// When it was sent, as it says; never later than it was received.
    pub date: Option<Time>,
    /// The time that it gives itself, where that lies more than a day after it was received.
    pub ahead: Option<Time>,
    /// The zone that its date was written in.
    pub zone: Zone,
    /// Gmail's labels, where the host gives them.
    pub labels: Vec<String>,
    /// What it says anew, and what it forwards; evidence spans are bytes of this.
    pub text: String,
    /// The parts of `text`, by author, in order.
    pub sections: Vec<Section>,
    /// The events of its calendar parts.
    pub events: Vec<Event>,
    /// Whether it went to many: a list, a newsletter, a promotion.
    pub bulk: Bulk,
    /// Passages of `text`, in bytes and in order, that speak to an assistant or a memory instead of to a reader; nothing is drafted
    /// of them.
    pub suspicious: Vec<std::ops::Range<usize>>,
    /// A hash of what it says, which a second delivery shares.
    pub hash: String,
    /// Whether it is a chat of several turns.
    pub is_chat: bool,
}

/// A mail that gives itself a later time than its arrival by more than this is worth a word.
const AHEAD: i64 = 24 * 60 * 60 * 1000;

impl Mail {
    /// Holds its date to the time at which it is read: nothing was said later than now.
    pub fn arrived_by(&mut self, now: Time) {
        if let Some(date) = self.date.filter(|d| *d > now) {
            self.ahead = self.ahead.or(Some(date).filter(|d| d.millis() - now.millis() > AHEAD));
            self.date = Some(now);
        }
        for section in &mut self.sections {
            section.date = section.date.map(|d| self.date.map_or(d, |own| d.min(own)));
        }
    }

    /// Whom it is to, those with copies last.
    pub fn receivers(&self) -> impl Iterator<Item = &Person> {
        self.to.iter().chain(&self.cc)
    }

    /// Who wrote it, and whom it is to.
    pub fn parties(&self) -> impl Iterator<Item = &Person> {
        self.from.iter().chain(self.receivers())
    }

    /// The same by somebody whom the owner knows: of what looked suspicious, what instructs a program or asks for a secret.
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

    /// Whether the bytes lie in a suspicious passage.
    pub(crate) fn is_suspicious(&self, span: &std::ops::Range<usize>) -> bool {
        let next = self.suspicious.partition_point(|s| s.end <= span.start);
        self.suspicious.get(next).is_some_and(|s| s.start < span.end)
    }
}

/// A part of [`Mail::text`] by one author.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// Where it begins in `text`.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The author of forwarded text, where it is named; absent for the sender.
    pub author: Option<Person>,
    /// When forwarded text was written, where it is said.
    pub date: Option<Time>,
    /// The subject of forwarded text.
    pub subject: Option<String>,
    /// Whether it is forwarded.
    pub forwarded: bool,
    /// Whether an assistant or a tool said it, in a chat with the owner.
    pub by_tool: bool,
    /// The signature that stood below it.
    pub signature: String,
}

/// Signs of mail to many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bulk {
    /// It can be unsubscribed from.
    pub unsubscribe: bool,
    /// `Precedence: bulk` or the like, or a label for promotions.
    pub promotion: bool,
    /// It came over a list.
    pub list: bool,
    /// A machine wrote it.
    pub automatic: bool,
}

/// The key under which a draft is consolidated once: the account, the message, the draft's place and its mail's hash.
///
/// A second delivery of the same mail has the same keys; another text under the same message id has others.
pub fn idempotency_key(account: &str, mail: &Mail, index: usize) -> String {
    let account = account.trim().to_lowercase();
    format!("mail:{account}:{}:{index}:{}", mail.message_id, mail.hash)
}
