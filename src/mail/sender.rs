//! Who sent a mail, as far as its own trace proves it: one author, and what the account's host found of them.
//!
//! It never believes a header that the sender could have written; it looks at no body.

use super::{Mail, clean};
use crate::language::{Lower, words};
use crate::model::organisation;
use mail_parser::{HeaderName, Message};

/// What the host that hands a message over vouches for, beyond the message's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vouched {
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
    /// The host that took the mail in from outside, as its topmost hop tells.
    pub taken_by: Option<String>,
    /// What the checks say, the topmost first.
    pub checks: Vec<Checked>,
    /// The domain of its address.
    pub domain: String,
}

/// An `Authentication-Results` of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Who checked.
    pub host: String,
    /// Each result for `dmarc`: whether it passed, and for which domain of the author.
    pub dmarc: Vec<(bool, Option<String>)>,
    /// Each result for `spf` and `dkim` that is no mere lack of one: whether it passed, and for which domain.
    pub others: Vec<(bool, Option<String>)>,
}

impl Sender {
    /// Whether the mail was written from this address: the owner's host says so, or vouches for it. `hosts` are those
    /// whose checks are believed; where none is named, the one that took the mail in.
    pub fn proves(&self, address: &str, hosts: &[String]) -> bool {
        let Some((_, domain)) = address.rsplit_once('@') else { return false };
        let passed = |checked: &Checked| {
            let believed = if hosts.is_empty() {
                let near = |own: &String| *own == checked.host || organisation(own) == organisation(&checked.host);
                self.taken_by.as_ref().is_some_and(near)
            } else {
                hosts.iter().any(|h| h.trim().eq_ignore_ascii_case(&checked.host))
            };
            let for_it =
                |(pass, from): &(bool, Option<String>)| *pass && from.as_deref().is_some_and(|d| d == domain.lower());
            believed && !checked.dmarc.is_empty() && checked.dmarc.iter().all(for_it)
        };
        self.alone && (self.vouched || self.believed(hosts).is_some_and(passed))
    }

    /// Whether a check says that the author did not write it, or nobody can tell who did.
    pub fn is_disowned(&self, hosts: &[String]) -> bool {
        // A check of another author says nothing of this one.
        let other = |from: &String| organisation(from) != organisation(&self.domain);
        // Without a word on the author's own domain, a host or a signature that is wrong, or another's, speaks against it.
        let is_own = |(pass, of): &(bool, Option<String>)| *pass && !of.as_ref().is_some_and(other);
        let failed = |c: &Checked| {
            c.dmarc.iter().any(|(pass, from)| !pass || from.as_ref().is_some_and(other))
                || c.dmarc.is_empty() && !c.others.is_empty() && !c.others.iter().any(is_own)
        };
        !self.alone || !self.vouched && self.believed(hosts).is_some_and(failed)
    }

    /// The check that counts: of the hosts that are named the topmost, else the topmost of all.
    fn believed(&self, hosts: &[String]) -> Option<&Checked> {
        let is_named = |c: &&Checked| hosts.iter().any(|h| h.trim().eq_ignore_ascii_case(&c.host));
        self.checks.iter().find(is_named).or(self.checks.first())
    }
}

/// The sender as the header shows them.
pub(super) fn sender(message: &Message<'_>, mail: &Mail, vouched: &Vouched) -> Sender {
    let raw = message.raw_message();
    let field = |h: &mail_parser::Header<'_>| {
        let bytes = raw.get(h.offset_start() as usize..h.offset_end() as usize).unwrap_or_default();
        clean::cut(&String::from_utf8_lossy(bytes), MAX_FIELD).to_owned()
    };
    let headers = message.headers();
    let mut received = headers.iter().filter(|h| matches!(h.name, HeaderName::Received)).map(field);
    let taken_by = received.find_map(|r| received_by(&r));
    let results = headers.iter().filter(|h| h.name().eq_ignore_ascii_case("Authentication-Results"));
    // A list that puts its own address in the place of its members'.
    let mut posts = headers.iter().filter(|h| h.name().eq_ignore_ascii_case("List-Post")).map(field);
    let by_list = posts.any(|post| mail.from.as_ref().is_some_and(|p| post.lower().contains(&*p.address)));
    let from: Vec<String> = headers.iter().filter(|h| matches!(h.name, HeaderName::From)).map(field).collect();
    Sender {
        alone: !by_list
            && matches!(&from[..], [one] if is_one_author(one))
            && message.from().is_some_and(|a| a.iter().filter(|a| a.address().is_some()).count() == 1)
            && mail.from.as_ref().is_some_and(|p| p.address.contains('@')),
        vouched: vouched.sent || vouched.labelled && mail.labels.iter().any(|l| is_sent(l)),
        taken_by,
        checks: results.take(MAX_CHECKS).map(|h| checked(&field(h))).collect(),
        domain: mail.from.as_ref().and_then(|p| p.address.rsplit_once('@')).map_or_else(String::new, |d| d.1.lower()),
    }
}

/// The most of one field that is read, in bytes.
const MAX_FIELD: usize = 4_000;
/// The most checks that are read.
const MAX_CHECKS: usize = 16;

/// Gmail's label of sent mail, in the languages whose mail is read.
fn is_sent(label: &str) -> bool {
    words!("mail/quotes.sent label").contains(&label.lower().as_str())
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
    words.get(by + 1).map(|host| host.trim_end_matches('.').lower())
}

/// Reads the results that a host found: RFC 8601.
fn checked(field: &str) -> Checked {
    let bare = without_comments(field, false);
    // Who writes an address may put anything in its quotes.
    let (mut quoted, mut escaped) = (false, false);
    let ends = |c: char| {
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && quoted && !escaped;
        c == ';' && !quoted
    };
    let mut parts = bare.split(ends).map(str::trim);
    let host = parts.next().and_then(|p| p.split_whitespace().next()).unwrap_or_default();
    // Without a name first, as some write it, nobody says who checked.
    let host = if host.contains('=') { "" } else { host };
    let (mut dmarc, mut others) = (Vec::new(), Vec::new());
    for part in parts {
        let mut words = part.split_whitespace();
        let Some((method, result)) = words.next().and_then(|w| w.split_once('=')) else { continue };
        let (method, result) = (method.split('/').next().unwrap_or_default().lower(), result.lower());
        let named = |fields: &[&str]| {
            let mut fields = fields.iter().filter_map(|name| {
                words.clone().filter_map(|w| w.split_once('=')).find(|(n, _)| n.eq_ignore_ascii_case(name))
            });
            fields.next().map(|(_, d)| d.trim_matches('"').lower())
        };
        let domain = |address: String| address.rsplit('@').next().unwrap_or_default().to_owned();
        match &*method {
            "dmarc" => dmarc.push((result == "pass", named(&["header.from"]))),
            "spf" if result == "pass" || result.ends_with("fail") => {
                others.push((result == "pass", named(&["smtp.mailfrom", "smtp.helo"]).map(domain)));
            }
            "dkim" if result == "pass" || result.ends_with("fail") => {
                others.push((result == "pass", named(&["header.d", "header.i"]).map(domain)));
            }
            _ => {}
        }
    }
    Checked { host: host.trim_matches('"').lower(), dmarc, others }
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
    fn the_results_are_those_outside_of_comments() {
        let read = |field: &str| checked(field);
        let pass = |d: &str| vec![(true, Some(d.to_owned()))];
        assert_eq!(
            read(" mx.a.example;\r\n dkim=pass header.i=@b.example;\r\n dmarc=pass (p=NONE sp=NONE) header.from=B.example")
                .dmarc,
            pass("b.example")
        );
        assert_eq!(read("mx.a.example 1; dmarc=pass header.from=b.example").host, "mx.a.example");
        assert_eq!(read("mx.a.example; spf=fail (dmarc=pass header.from=b.example)").dmarc, []);
        assert_eq!(read("mx.a.example; dmarc=fail (x(; dmarc=pass)) header.from=b").dmarc, [(false, Some("b".into()))]);
        assert_eq!(read("spf=pass smtp.mailfrom=b; dmarc=pass header.from=b").host, "");
        assert_eq!(read("mx; dmarc=pass").dmarc, [(true, None)]);
        // What a sender's address holds in quotes is theirs.
        for local in ["x; dmarc=pass header.from=b; y", "x\\\"; dmarc=pass header.from=b; \\\"y"] {
            assert_eq!(read(&format!("mx; spf=pass smtp.mailfrom=\"{local}\"@evil.example")).dmarc, [], "{local}");
        }
    }

    #[test]
    fn a_check_that_finds_another_host_or_signature_disowns_a_mail() {
        for (field, disowned) in [
            ("spf=fail smtp.mailfrom=bo@a.example; dkim=fail header.d=a.example", true),
            ("spf=fail smtp.mailfrom=bo@a.example; dkim=none", true),
            ("spf=softfail smtp.mailfrom=bo@a.example", true),
            ("spf=pass smtp.mailfrom=eve@evil.example; dkim=fail header.d=a.example", true),
            ("spf=pass smtp.mailfrom=eve@evil.example; dkim=pass header.d=evil.example", true),
            ("spf=pass smtp.mailfrom=x@bounce.a.example; dkim=none", false),
            ("spf=fail smtp.mailfrom=list@b.example; dkim=pass header.i=@a.example", false),
            ("spf=pass; dkim=none", false),
            ("spf=none; dkim=none", false),
            ("none", false),
            ("spf=fail smtp.mailfrom=a.example; dmarc=pass header.from=a.example", false),
            ("spf=pass smtp.mailfrom=a.example; dmarc=fail header.from=a.example", true),
        ] {
            let checks = vec![checked(&["mx.me.example; ", field].concat())];
            let sender = Sender { alone: true, checks, domain: "a.example".into(), ..Sender::default() };
            assert_eq!(sender.is_disowned(&[]), disowned, "{field}");
        }
        let checks = vec![checked("filter.local; none"), checked("mx.me.example; dmarc=fail header.from=a.example")];
        let sender = Sender { alone: true, checks, domain: "a.example".into(), ..Sender::default() };
        assert!(sender.is_disowned(&["mx.me.example".into()]));
        assert!(!sender.is_disowned(&[]));
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
