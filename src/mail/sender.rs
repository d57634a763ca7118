//! Authenticates the sender of a mail: checks for a single author and reads the results of the account's host. Fields
//! that the sender could have written are not trusted.

use super::authentication::{AuthResults, AuthVerdict, without_comments};
use super::mime::header;
use super::{Cut, Mail, clean};
use crate::language::words;
use crate::model::organisation;
use mail_parser::{DateTime, Message};

/// Facts that the delivering host vouches for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vouched {
    pub cut: Cut,
    /// Whether Gmail's own header fields come first, as in a Google Takeout file.
    pub labelled: bool,
    /// Whether it is in the owner's folder of sent mail.
    pub sent: bool,
    pub thread: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sender {
    /// Whether there is exactly one author, with an address free of invisible characters.
    pub alone: bool,
    /// Whether the host vouches that the owner sent it.
    pub vouched: bool,
    /// Whether it may be forged text inside another message; then it cannot be the owner's.
    pub in_doubt: bool,
    /// The host that received the mail, from the topmost `Received` field.
    pub taken_by: Option<String>,
    /// Authentication results, the topmost first.
    pub checks: Vec<AuthResults>,
    pub domain: String,
}

impl Sender {
    /// Whether the mail is from this address, by a trusted host's check or the host's word.
    pub fn proves(&self, address: &str, hosts: &[String]) -> bool {
        let Some((_, domain)) = address.rsplit_once('@') else { return false };
        let is_received = self.taken_by.is_some() || !hosts.is_empty();
        let has_passed = || {
            self.authentication(hosts) == AuthVerdict::Passed
                && self.trusted_results(hosts).is_some_and(|check| check.proves(domain))
        };
        self.alone && !self.in_doubt && (self.vouched || is_received && has_passed())
    }

    /// The verdict about the author. A pass counts only from the account's own host.
    pub fn authentication(&self, hosts: &[String]) -> AuthVerdict {
        if !self.alone {
            return AuthVerdict::Failed;
        }
        if self.vouched {
            return AuthVerdict::Passed;
        }
        let Some(check) = self.trusted_results(hosts) else { return AuthVerdict::Absent };
        let is_foreign = match &self.taken_by {
            _ if !hosts.is_empty() => !is_named(hosts, check),
            Some(own) => !is_of_host(own, check),
            None => false,
        };
        match check.verdict(&self.domain) {
            AuthVerdict::Passed if self.is_contradicted(check) => AuthVerdict::Failed,
            AuthVerdict::Passed if is_foreign => AuthVerdict::Absent,
            verdict => verdict,
        }
    }

    pub fn is_disowned(&self, hosts: &[String]) -> bool {
        self.authentication(hosts) == AuthVerdict::Failed
    }

    /// The results that count: the topmost of the named hosts, else the topmost of all.
    fn trusted_results(&self, hosts: &[String]) -> Option<&AuthResults> {
        self.checks.iter().find(|check| is_named(hosts, check)).or(self.checks.first())
    }

    /// Whether the same host contradicts this result elsewhere.
    fn is_contradicted(&self, check: &AuthResults) -> bool {
        self.checks.iter().any(|other| other.host == check.host && other.contradicts())
    }
}

fn is_named(hosts: &[String], check: &AuthResults) -> bool {
    hosts.iter().any(|h| h.trim().eq_ignore_ascii_case(&check.host))
}

fn is_of_host(own: &str, check: &AuthResults) -> bool {
    own == check.host || !check.host.is_empty() && organisation(own) == organisation(&check.host)
}

/// Reads the sender from the header; `head` is its bytes as received.
pub(super) fn sender(message: &Message<'_>, head: &[u8], mail: &Mail, vouched: &Vouched) -> Sender {
    // Uses the raw fields, because decoded addresses may contain encoded words.
    let taken_by = header::values(head, "Received").take(MAX_HOPS).find_map(|r| received_by(&r));
    let checks = header::values(head, "Authentication-Results").take(MAX_CHECKS);
    // Some lists replace the author's address by their own.
    let author = mail.from.as_ref().map_or("", |p| p.address.as_str());
    let by_list = header::values(head, "List-Post").any(|post| post.to_lowercase().contains(author));
    let from: Vec<String> = header::values(head, "From").take(2).collect();
    Sender {
        alone: vouched.cut != Cut::Doubtful
            && !by_list
            && matches!(&from[..], [one] if one.len() <= MAX_FIELD && is_one_author(one))
            && message.from().is_some_and(|a| a.iter().filter(|a| a.address().is_some()).count() == 1)
            && author.contains('@'),
        vouched: vouched.sent || vouched.labelled && mail.labels.iter().any(|l| is_sent(l)),
        in_doubt: vouched.cut == Cut::Doubtful || vouched.cut == Cut::Likely && !vouched.sent,
        taken_by,
        checks: checks.map(|value| AuthResults::parse(&value)).collect(),
        domain: author.rsplit_once('@').map_or_else(String::new, |d| d.1.to_lowercase()),
    }
}

/// A longer field names no single author.
const MAX_FIELD: usize = 4_000;
/// Most authentication results and hops read.
const MAX_CHECKS: usize = 16;
const MAX_HOPS: usize = 200;

/// The arrival date, from the topmost hop. The account's own host wrote it; others may be forged.
pub(super) fn arrival(head: &[u8]) -> Option<DateTime> {
    let date = |hop: String| {
        let (bare, _) = without_comments(&hop, ' ', Some);
        let (_, date) = bare.rsplit_once(';')?;
        DateTime::parse_rfc822(date.trim()).filter(DateTime::is_valid)
    };
    header::values(head, "Received").take(MAX_HOPS).find_map(date)
}

/// Gmail's label for sent mail, in the supported languages.
fn is_sent(label: &str) -> bool {
    words!("mail/quotes.sent label").contains(&label.to_lowercase().as_str())
}

/// Whether a From field unambiguously names one author: one address outside of names and comments, and no invisible
/// character.
fn is_one_author(field: &str) -> bool {
    let (bare, _) = without_comments(field, ' ', |_| None);
    let hidden = clean::line(&bare).chars().filter(|c| !c.is_whitespace()).count()
        != bare.chars().filter(|c| !c.is_whitespace()).count();
    // A name may contain a comma without quotes, but no address.
    let (name, address) = bare.split_once('<').unwrap_or(("", &bare));
    let is_apart = !name.contains(['@', ';']) && !address.contains([';', ',', '<']);
    address.matches('@').count() == 1 && is_apart && !hidden
}

/// The host after `by` in a hop from another host.
fn received_by(field: &str) -> Option<String> {
    let (bare, _) = without_comments(field, ' ', Some);
    let words: Vec<&str> = bare.split([' ', '\t', '\r', '\n', ';']).filter(|w| !w.is_empty()).collect();
    if !words.first()?.eq_ignore_ascii_case("from") {
        return None;
    }
    let by = words.iter().position(|w| w.eq_ignore_ascii_case("by"))?;
    words.get(by + 1).map(|host| host.trim_end_matches('.').to_lowercase())
}
