//! Detects changes of sensitive details that fraud targets: accounts, pages and addresses.

mod numbers;
mod pages;
mod places;

use super::Candidate;
use crate::analysis::words::{Word, words};
use crate::json::wire;
use crate::language::{
    self, Found, PersonalKind, PhraseHit, Phrases, Value, fold, personal, phrases, unmasked, values,
};
use crate::model::{Draft, Id, Memory, same_address, same_organisation};
use numbers::numbers;
use pages::{NamedHost, hosts};
use places::places;

wire! {
    /// Sensitive details that fraud targets.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Detail {
        /// The account that money goes to.
        Bank = "bank",
        /// The means of payment.
        Payment = "payment",
        /// The delivery address.
        Delivery = "delivery",
        /// The sign-in page.
        Login = "login",
    }
}

/// The topic of a phrase in `details`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Talk {
    Bank,
    Payment,
    Delivery,
    Login,
    /// A page. A login counts only together with a page.
    Page,
    /// Goods, and the act of sending them.
    Goods,
    Sent,
    /// Money is sent.
    Paid,
    /// Something has changed.
    Changed,
}

static TOPIC_PHRASES: Phrases<Talk> = phrases!("details");

/// Characters of a word that identify it regardless of its ending.
const ROOT: usize = 4;
/// Minimum digits of an account number: if a bank is named, if money is sent, and otherwise.
const LEAST_AT_BANK: usize = 6;
const LEAST_PAID: usize = 8;
const LEAST: usize = 11;
/// Numbers that end in this many equal digits belong to one account.
const SAME_DIGITS: usize = 8;
/// Length of a wallet address.
const WALLET: std::ops::RangeInclusive<usize> = 26..=90;

/// Whether a text contains a phrase on this topic.
fn says(text: &str, talk: Talk) -> bool {
    TOPIC_PHRASES.says(&fold(&unmasked(text)), &talk)
}

fn details(text: &str) -> Vec<Detail> {
    let folded = fold(&unmasked(text));
    let says = |talk| TOPIC_PHRASES.says(&folded, &talk);
    let sends = || says(Talk::Goods) && (says(Talk::Sent) || !places(text).is_empty());
    let called = [
        (Detail::Bank, says(Talk::Bank) || names_account(text)),
        (Detail::Payment, says(Talk::Payment)),
        (Detail::Delivery, says(Talk::Delivery) || sends()),
        (Detail::Login, says(Talk::Login) && (says(Talk::Page) || !hosts(text).is_empty())),
    ];
    called.into_iter().filter(|c| c.1).map(|c| c.0).collect()
}

/// Whether a text names an account, by a money word or by the number's format.
fn names_account(text: &str) -> bool {
    let is_account = || personal(text).iter().any(|p| p.kind == PersonalKind::Account);
    is_account() || (names_bank(text) || says(text, Talk::Paid)) && !accounts(text).is_empty()
}

fn names_bank(text: &str) -> bool {
    let folded = fold(&unmasked(text));
    language::words!("accounts.bank names").stand_whole_in(&folded)
}

/// The detail that a mail changes: the mail has another value than the stored memories, or announces a change.
pub(super) fn detail_changed<'a>(
    draft: &Draft,
    said: Option<&str>,
    stored: impl Iterator<Item = &'a Memory>,
) -> Option<Detail> {
    let stored: Vec<&str> = stored.map(|m| m.content.as_str()).collect();
    let before: Vec<String> = stored.iter().map(|text| fold(text)).collect();
    let new = sentences(&draft.content).map(str::trim).filter(|s| {
        let folded = fold(s.trim_end_matches('.'));
        before.iter().all(|text| !text.contains(&folded))
    });
    let told = new.map(|s| (s, details(s))).filter(|(_, details)| !details.is_empty());
    let told: Vec<(&str, Vec<Detail>)> = told.collect();
    let known: Vec<Detail> = stored.iter().flat_map(|text| details(text)).collect();
    let named = |text: &str| [long_numbers(text, LEAST_AT_BANK), handles(text)].concat();
    let accounts: Vec<String> = stored.iter().flat_map(|text| named(text)).collect();
    // A known account may be repeated in other words.
    let is_known = |s: &str| {
        let named = named(s);
        !named.is_empty() && named.iter().all(|n| accounts.iter().any(|a| is_one_account(a, n)))
    };
    // A model that rewords a memory may also reword details that the mail does not mention.
    let silent = |d: &Detail| said.is_some_and(|said| !details(said).contains(d));
    let stands = |s: &str, d: &Detail| silent(d) && stored.iter().any(|text| is_restated(text, *d, s));
    // A known page or place may be repeated too.
    let before = Named::of(&stored);
    let is_same = |s: &str, d: &Detail| match d {
        Detail::Bank => is_known(s),
        Detail::Delivery => all_match(&places(s), |p| before.places.contains(p)),
        Detail::Login | Detail::Payment => all_match(&hosts(s), |h| before.has_host(h)),
    };
    let is_announced = |s: &str, d: &Detail| says(s, Talk::Changed) && (*d == Detail::Bank || !is_same(s, d));
    let announced = told.iter().find_map(|(s, details)| details.iter().find(|d| is_announced(s, d)).copied());
    if let Some(detail) =
        announced.or_else(|| differing_detail(&draft.content, &Named::in_text(&draft.content)?, &stored))
    {
        return Some(detail);
    }
    let changed = |s: &str, d: &Detail| known.contains(d) && !is_same(s, d) && !stands(s, d);
    told.iter().find_map(|(s, details)| details.iter().find(|d| changed(s, d)).copied())
}

/// Whether a list is not empty and all its items match.
fn all_match<T>(some: &[T], fits: impl Fn(&T) -> bool) -> bool {
    !some.is_empty() && some.iter().all(fits)
}

/// The accounts, pages and addresses that texts name.
struct Named {
    accounts: Vec<String>,
    handles: Vec<String>,
    hosts: Vec<NamedHost>,
    places: Vec<String>,
    addresses: Vec<String>,
}

impl Named {
    fn of(texts: &[&str]) -> Self {
        let all = |of: fn(&str) -> Vec<String>| texts.iter().flat_map(|text| of(text)).collect();
        Self {
            accounts: all(accounts),
            handles: all(handles),
            hosts: texts.iter().flat_map(|text| hosts(text)).collect(),
            places: all(places),
            addresses: all(addresses),
        }
    }

    /// What one text names; `None` if that is nothing.
    fn in_text(text: &str) -> Option<Self> {
        let named = Self::of(&[text]);
        let texts = [&named.accounts, &named.handles, &named.places, &named.addresses];
        (!named.hosts.is_empty() || texts.iter().any(|names| !names.is_empty())).then_some(named)
    }

    /// Whether it has a page of the same organisation.
    fn has_host(&self, host: &NamedHost) -> bool {
        let organisation = |host: &NamedHost| ["@", &host.name].concat();
        self.hosts.iter().any(|k| k.name == host.name || same_organisation(&organisation(k), &organisation(host)))
    }
}

/// The detail for which a text names another account, page or address than the stored texts.
fn differing_detail(text: &str, named: &Named, stored: &[&str]) -> Option<Detail> {
    let known = Named::of(stored);
    let any = |talk: Talk| says(text, talk) || stored.iter().any(|text| says(text, talk));
    let other = |new: &[String], known: &[String], is_one: fn(&str, &str) -> bool| {
        !known.is_empty() && new.iter().any(|n| !known.iter().any(|k| is_one(n, k)))
    };
    if other(&named.accounts, &known.accounts, is_one_account) {
        return Some(Detail::Bank);
    }
    // A new page or payment handle next to a known account or handle is another way to pay.
    let takes_money = !known.accounts.is_empty() || !known.handles.is_empty();
    let new: Vec<&NamedHost> = named.hosts.iter().filter(|h| !known.has_host(h)).collect();
    let pays = || any(Talk::Payment) || says(text, Talk::Paid) || says(text, Talk::Bank);
    let is_new_handle = named.handles.iter().any(|h| !known.handles.contains(h));
    if takes_money && (is_new_handle || new.iter().any(|h| h.is_page) || !new.is_empty() && pays()) {
        return Some(Detail::Payment);
    }
    if !new.is_empty() && !known.hosts.is_empty() {
        if any(Talk::Login) || signs_in(text) || stored.iter().any(|text| signs_in(text)) {
            return Some(Detail::Login);
        }
        if pays() || any(Talk::Paid) {
            return Some(Detail::Payment);
        }
    }
    if other(&named.places, &known.places, |a, b| a == b) && (any(Talk::Delivery) || any(Talk::Goods)) {
        return Some(Detail::Delivery);
    }
    // Addresses of one organisation are equivalent.
    let is_one = |a: &str, b: &str| same_address(a, b) || same_organisation(a, b);
    other(&named.addresses, &known.addresses, is_one).then_some(Detail::Payment)
}

/// Whether a text links to a sign-in page.
fn signs_in(text: &str) -> bool {
    let plain = pages::readable(text);
    let words = plain.split(char::is_whitespace).filter(|w| !hosts(w).is_empty());
    words.into_iter().any(|w| language::words!("accounts.sign-in pages").stand_in(w))
}

fn addresses(text: &str) -> Vec<String> {
    personal(text).into_iter().filter(|p| p.kind == PersonalKind::Email).map(|p| p.key).collect()
}

/// Whether two numbers denote one account. An IBAN ends in the domestic account number.
fn is_one_account(a: &str, b: &str) -> bool {
    a == b || a.len().min(b.len()) >= SAME_DIGITS && (a.ends_with(b) || b.ends_with(a))
}

/// The known memory on the same topic whose account, page or address differs, regardless of the pair's analysis.
pub(super) fn other_detail(draft: &Draft, known: &[(Candidate, Memory)]) -> Option<(Id, Detail)> {
    let named = Named::in_text(&draft.content)?;
    // An author's own memory counts even if its topic differs.
    let is_theirs = |m: &Memory| draft.author.as_ref().is_some_and(|own| m.authors().any(|a| same_address(a, own)));
    let detail = |m: &Memory| {
        differing_detail(&draft.content, &named, &[&m.content])
            .filter(|_| is_theirs(m) || share_topic(&draft.content, &m.content))
    };
    known.iter().find_map(|(_, m)| Some((m.id, detail(m)?)))
}

/// Whether two texts share a topic word. Words for banks, payment, pages and sign-in do not count.
pub(super) fn share_topic(text: &str, stored: &str) -> bool {
    let talks = [Talk::Bank, Talk::Paid, Talk::Payment, Talk::Login, Talk::Page];
    let topics = |text: &str| -> Vec<String> {
        let is_topic = |w: &Word| {
            let folded = fold(&w.text);
            let mut of_money = |hit: PhraseHit| TOPIC_PHRASES.meaning(hit.row).is_some_and(|t| talks.contains(t));
            let is_talk = TOPIC_PHRASES.any(&folded, folded.len(), &mut of_money) || names_bank(&folded);
            let is_name =
                !w.function && w.sense.is_none() && !w.text.contains(|c: char| c.is_ascii_digit()) && !is_talk;
            is_name || language::words!("accounts.dues").contains(&&*w.text)
        };
        words(text).into_iter().filter(is_topic).map(|w| w.stem.to_string()).collect()
    };
    let before = topics(stored);
    topics(text).iter().any(|w| before.contains(w))
}

/// Whether a replacement text drops the account that the stored text names.
pub(super) fn account_lost(text: &str, stored: &str) -> Option<Detail> {
    let (old, new) = (long_numbers(stored, LEAST), long_numbers(text, LEAST_AT_BANK));
    let is_money = says(stored, Talk::Paid) || !details(stored).is_empty();
    let is_new = |o: &String| new.iter().any(|n| is_one_account(n, o));
    (!old.is_empty() && !old.iter().any(is_new) && is_money).then_some(Detail::Bank)
}

/// The payment handles in a text: "Venmo @eve-crane".
fn handles(text: &str) -> Vec<String> {
    let words = text.split(char::is_whitespace).map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '@'));
    let is_name =
        |w: &&str| w.len() > 2 && w.strip_prefix('@').is_some_and(|name| name.starts_with(char::is_alphabetic));
    words.filter(is_name).map(fold).collect()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '!', '?', ';', '。']).flat_map(|s| s.split(". "))
}

/// Whether a sentence restates a stored clause about a detail, without figures other than dates and amounts.
fn is_restated(stored: &str, detail: Detail, sentence: &str) -> bool {
    let is_moving = |f: &Found| {
        matches!(f.value, Value::Date(_) | Value::Clock(_) | Value::Range(_) | Value::Money { .. } | Value::Duration(_))
    };
    let written = fold(sentence);
    // The words outside of dates, times and amounts.
    let fixed = |text: &str| {
        let found: Vec<Found> = values(text, None).into_iter().filter(is_moving).collect();
        let is_free = |w: &Word| !found.iter().any(|f| f.span.covers(w.start, w.end));
        words(text).into_iter().filter(|w| is_free(w) && !w.function).collect::<Vec<Word>>()
    };
    let is_figure = |w: &Word| w.text.contains(|c: char| c.is_ascii_digit());
    let kept = |t: &str| {
        let of = fixed(t);
        let root = |w: &Word| w.stem.chars().take(ROOT).collect::<String>();
        let all = of.iter().all(|w| {
            is_figure(w) || written.contains(&*w.text) || w.text.chars().count() > ROOT && written.contains(&root(w))
        });
        all && fixed(sentence).iter().filter(|w| is_figure(w)).all(|w| of.iter().any(|o| o.text == w.text))
    };
    let clauses = sentences(stored).flat_map(|s| s.split(", "));
    clauses.filter(|t| details(t).contains(&detail)).any(kept)
}

/// The account numbers in a text. Their minimum length depends on what else the text mentions.
fn accounts(text: &str) -> Vec<String> {
    let least = match () {
        () if says(text, Talk::Bank) || names_bank(text) => LEAST_AT_BANK,
        () if says(text, Talk::Paid) || says(text, Talk::Payment) => LEAST_PAID,
        () => LEAST,
    };
    long_numbers(text, least)
}

/// The numbers that may be account numbers, and the wallet addresses.
fn long_numbers(text: &str, least: usize) -> Vec<String> {
    let fits = |n: &numbers::AccountNumber| n.digits.len() >= least && !(n.is_code && least == LEAST);
    let is_wallet = |w: &&str| {
        let has = |is: fn(&char) -> bool| w.chars().any(|c| is(&c));
        let mixed = has(char::is_ascii_digit) && has(char::is_ascii_alphabetic);
        WALLET.contains(&w.len()) && mixed && w.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let wallets = text.split(|c: char| !c.is_alphanumeric()).filter(is_wallet).map(fold);
    numbers(text).into_iter().filter(fits).map(|n| n.digits).chain(wallets).collect()
}
