//! Who sent a mail, as far as its own trace proves it: one author, and what the account's host found of them.
//!
//! It never believes a header that the sender could have written; it looks at no body.

use super::authentication::{AuthResults, AuthVerdict};
use super::mime::header;
use super::{Cut, Mail, clean};
use crate::language::words;
use crate::model::organisation;
use mail_parser::{DateTime, HeaderName, Message};

/// What the host that hands a message over vouches for, beyond the message's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vouched {
    /// How sure it is that it is a message of its own, and no text of another.
    pub cut: Cut,
    /// Gmail's own header fields stand first in the message, as in a mailbox of Google Takeout.
    pub labelled: bool,
    /// It lies in the owner's folder of sent mail.
    pub sent: bool,
    /// The host's name of the thread.
    pub thread: Option<String>,
}

/// How the sender of a mail is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sender {
    /// Whether there is exactly one author, whose address has no character that is not seen.
    pub alone: bool,
    /// Whether the host vouches that the owner sent it.
    pub vouched: bool,
    /// Whether it may be a text in another message, so that it cannot be the owner's.
    pub in_doubt: bool,
    /// The host that took the mail in from outside, as its topmost hop tells.
    pub taken_by: Option<String>,
    /// What the checks say, the topmost first.
    pub checks: Vec<AuthResults>,
    /// The domain of its address.
    pub domain: String,
}

impl Sender {
    /// Whether the mail was written from this address: the owner's host says so, or vouches for it. `hosts` are those
    /// whose checks are believed; where none is named, the one that took the mail in.
    pub fn proves(&self, address: &str, hosts: &[String]) -> bool {
        let Some((_, domain)) = address.rsplit_once('@') else { return false };
        let passed = |check: &AuthResults| {
            let taken = || self.taken_by.as_ref().is_some_and(|own| is_of_host(own, check));
            let is_own = if hosts.is_empty() { taken() } else { is_named(hosts, check) };
            is_own && check.proves(domain) && !self.is_contradicted(check)
        };
        self.alone && !self.in_doubt && (self.vouched || self.believed(hosts).is_some_and(passed))
    }

    /// What the check that counts says of the author. A pass counts only from the account's own host.
    pub fn authentication(&self, hosts: &[String]) -> AuthVerdict {
        if !self.alone {
            return AuthVerdict::Failed;
        }
        if self.vouched {
            return AuthVerdict::Passed;
        }
        let Some(check) = self.believed(hosts) else { return AuthVerdict::Absent };
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

    /// Whether a check says that the author did not write it, or nobody can tell who did.
    pub fn is_disowned(&self, hosts: &[String]) -> bool {
        self.authentication(hosts) == AuthVerdict::Failed
    }

    /// The check that counts: of the hosts that are named the topmost, else the topmost of all.
    fn believed(&self, hosts: &[String]) -> Option<&AuthResults> {
        self.checks.iter().find(|check| is_named(hosts, check)).or(self.checks.first())
    }

    /// Whether the same host says something else in another field.
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

/// The sender as the header shows them; `head` is its bytes as they arrived.
pub(super) fn sender(message: &Message<'_>, head: &[u8], mail: &Mail, vouched: &Vouched) -> Sender {
    let raw = message.raw_message();
    let field = |h: &mail_parser::Header<'_>| {
        let bytes = raw.get(h.offset_start() as usize..h.offset_end() as usize).unwrap_or_default();
        clean::cut(&String::from_utf8_lossy(bytes), MAX_FIELD).to_owned()
    };
    let headers = message.headers();
    // Not of the decoded fields: the addresses in them may hold encoded words.
    let taken_by = header::values(head, "Received").take(MAX_HOPS).find_map(|r| received_by(&r));
    let checks = header::values(head, "Authentication-Results").take(MAX_CHECKS);
    // A list that puts its own address in the place of its members'.
    let mut posts = headers.iter().filter(|h| h.name().eq_ignore_ascii_case("List-Post")).map(field);
    let by_list = posts.any(|post| mail.from.as_ref().is_some_and(|p| post.to_lowercase().contains(&*p.address)));
    let from: Vec<String> = headers.iter().filter(|h| matches!(h.name, HeaderName::From)).map(field).collect();
    Sender {
        alone: vouched.cut != Cut::Doubtful
            && !by_list
            && matches!(&from[..], [one] if is_one_author(one))
            && message.from().is_some_and(|a| a.iter().filter(|a| a.address().is_some()).count() == 1)
            && mail.from.as_ref().is_some_and(|p| p.address.contains('@')),
        vouched: vouched.sent || vouched.labelled && mail.labels.iter().any(|l| is_sent(l)),
        in_doubt: vouched.cut == Cut::Doubtful || vouched.cut == Cut::Likely && !vouched.sent,
        taken_by,
        checks: checks.map(|value| AuthResults::parse(&value)).collect(),
        domain: mail
            .from
            .as_ref()
            .and_then(|p| p.address.rsplit_once('@'))
            .map_or_else(String::new, |d| d.1.to_lowercase()),
    }
}

/// The most of one field that is read, in bytes.
const MAX_FIELD: usize = 4_000;
/// The most checks and hops that are read.
const MAX_CHECKS: usize = 16;
const MAX_HOPS: usize = 200;

/// When the mail arrived: the date of the topmost hop, which the account's own host wrote. Those below may be forged.
pub(super) fn arrival(head: &[u8]) -> Option<DateTime> {
    let date = |hop: String| {
        let bare = without_comments(&hop, false);
        let (_, date) = bare.rsplit_once(';')?;
        DateTime::parse_rfc822(date.trim()).filter(DateTime::is_valid)
    };
    header::values(head, "Received").take(MAX_HOPS).find_map(date)
}

/// Gmail's label of sent mail, in the languages whose mail is read.
fn is_sent(label: &str) -> bool {
    words!("mail/quotes.sent label").contains(&label.to_lowercase().as_str())
}

/// Whether a From field names one author, whichever reader looks at it: a single address outside of names and
/// comments, and no character in it that is not seen.
fn is_one_author(field: &str) -> bool {
    let bare = without_comments(field, true);
    let hidden = clean::line(&bare).chars().filter(|c| !c.is_whitespace()).count()
        != bare.chars().filter(|c| !c.is_whitespace()).count();
    // A name may hold a comma and lack its quotes; it holds no address.
    let (name, address) = bare.split_once('<').unwrap_or(("", &bare));
    let is_apart = !name.contains(['@', ';']) && !address.contains([';', ',', '<']);
    address.matches('@').count() == 1 && is_apart && !hidden
}

/// The host behind `by` of a hop that came from somewhere else.
fn received_by(field: &str) -> Option<String> {
    let bare = without_comments(field, false);
    let words: Vec<&str> = bare.split([' ', '\t', '\r', '\n', ';']).filter(|w| !w.is_empty()).collect();
    if !words.first()?.eq_ignore_ascii_case("from") {
        return None;
    }
    let by = words.iter().position(|w| w.eq_ignore_ascii_case("by"))?;
    words.get(by + 1).map(|host| host.trim_end_matches('.').to_lowercase())
}

/// A field's text without its comments, which nest, and, where asked, without its quoted names.
fn without_comments(field: &str, quotes_too: bool) -> String {
    let mut out = String::with_capacity(field.len());
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for c in field.chars() {
        let skips = std::mem::take(&mut escaped);
        match c {
            '\\' if !skips && (depth > 0 || quoted) => escaped = true,
            '"' if !skips && depth == 0 => {
                quoted = !quoted;
                if !quotes_too {
                    out.push(c);
                }
                continue;
            }
            '(' if !skips && !quoted => depth += 1,
            ')' if !skips && !quoted && depth > 0 => {
                depth -= 1;
                out.push(' ');
                continue;
            }
            _ => {}
        }
        if depth == 0 && !(quoted && quotes_too) {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_pass_of_the_accounts_own_host_counts() {
        use AuthVerdict::{Absent, Failed, Passed};
        let (pass, fail) = ("dmarc=pass header.from=a.example", "dmarc=fail header.from=a.example");
        let own = ["mx.me.example".to_owned()];
        for (taken_by, hosts, fields, expected) in [
            (None, &own[..0], vec![("mx.me.example", pass)], Passed),
            (Some("mx1.me.example"), &own[..0], vec![("mx.me.example", pass)], Passed),
            (Some("mx.me.example"), &own[..0], vec![("mx.evil.example", pass)], Absent),
            (Some("mx.me.example"), &own[..0], vec![("mx.evil.example", fail)], Failed),
            (Some("mx.me.example"), &own[..0], vec![], Absent),
            (None, &own[..], vec![("mx.evil.example", pass)], Absent),
            (None, &own[..], vec![("filter.local", "none"), ("mx.me.example", pass)], Passed),
            (None, &own[..], vec![("filter.local", "none"), ("mx.me.example", fail)], Failed),
            (None, &own[..0], vec![("filter.local", "none"), ("mx.me.example", pass)], Absent),
            // Another field of the same host says otherwise, or nobody can read it.
            (None, &own[..], vec![("mx.me.example", pass), ("mx.me.example", fail)], Failed),
            (None, &own[..], vec![("mx.me.example", pass), ("mx.me.example", "spf=pass (")], Failed),
            (None, &own[..], vec![("mx.me.example", "none"), ("mx.me.example", pass)], Absent),
            (None, &own[..], vec![("mx.me.example", pass), ("mx.evil.example", fail)], Passed),
        ] {
            let check = |(host, field): &(&str, &str)| AuthResults::parse(&format!("{host}; {field}"));
            let checks = fields.iter().map(check).collect();
            let taken_by = taken_by.map(str::to_owned);
            let sender = Sender { alone: true, taken_by, checks, domain: "a.example".into(), ..Sender::default() };
            assert_eq!(sender.authentication(hosts), expected, "{fields:?} {hosts:?}");
            assert_eq!(
                sender.proves("b@a.example", hosts),
                expected == Passed && (sender.taken_by.is_some() || !hosts.is_empty()),
                "{fields:?}"
            );
        }
    }

    #[test]
    fn an_author_is_one_address_that_is_seen_whole() {
        for (field, alone) in [
            ("me@a.example", true),
            ("\"me@b.example\" <me@a.example>", true),
            ("Me (m@b.example) <me@a.example>", true),
            ("Ivey, Tillpoint <ivey@a.example>", true),
            ("me@a.example, you@b.example", false),
            ("me@a.example, You <you@b.example>", false),
            ("Me <me@a.example>, you", false),
            ("Me, <me@a.example>, <you@b.example>", false),
            ("<me@a.example> <you@b.example>", false),
            ("me\u{200B}@a.example", false),
            ("group: me@a.example;", false),
            ("Me", false),
        ] {
            assert_eq!(is_one_author(field), alone, "{field}");
        }
    }

    #[test]
    fn a_hop_tells_who_took_it_in_from_outside() {
        assert_eq!(received_by("by 2002:a05 with SMTP id x; Mon"), None);
        assert_eq!(
            received_by("from a (by evil.example) by MX.a.example. with ESMTP; Mon").as_deref(),
            Some("mx.a.example")
        );
        assert_eq!(received_by(""), None);
    }
}
