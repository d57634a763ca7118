//! Mail addresses and the organisations behind them. An address alone never proves who wrote a mail.

mod domain_set;
mod punycode;

use domain_set::contains;
use std::borrow::Cow;

/// Public suffixes, top-level domains and free-mail hosts; see `data/SOURCES.md`.
static PUBLIC_SUFFIXES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/domains/public_suffixes.bin"));
static TOP_LEVELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/domains/top_levels.bin"));
static FREE_MAIL: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/domains/free_mail.bin"));
/// Relays: services that send mail on behalf of their users, and aliases that hide the author.
static RELAYS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/domains/relays.bin"));

/// Exceptions to the wildcard rules of the public suffix list.
const WILDCARD_EXCEPTIONS: &str = "city.kawasaki.jp city.kitakyushu.jp city.kobe.jp city.nagoya.jp city.sapporo.jp city.sendai.jp city.yokohama.jp www.ck";

/// Free-mail brands with domains in many countries: `outlook.de`, `yahoo.co.in`.
const FREE_MAIL_NAMES: &str =
    "aol excite fastmail freemail gmx hotmail live lycos msn outlook runbox tiscali yahoo ymail yandex";

/// Longer host names (in bytes or labels) are not decoded; DNS allows no more.
const MAX_HOST: usize = 253;
const MAX_LABELS: usize = 127;

/// The registered domain of a lower-case host name: `mail.shop.co.kr` gives `shop.co.kr`. A public suffix gives itself.
pub fn organisation(host: &str) -> String {
    let host = decode_host(host);
    let labels: Vec<&str> = host.split('.').collect();
    let suffix = suffix(&labels);
    labels[suffix.saturating_sub(1)..].join(".")
}

/// The index of the first label of the host's public suffix.
fn suffix(labels: &[&str]) -> usize {
    let last = labels.len().saturating_sub(1);
    let from = |n: usize| labels[n..].join(".");
    for n in 0..last {
        let name = from(n);
        if is_in(WILDCARD_EXCEPTIONS, &name) {
            return n + 1;
        }
        let wildcard = ["*.", &from(n + 1)].concat();
        if contains(PUBLIC_SUFFIXES, &name) || contains(PUBLIC_SUFFIXES, &wildcard) {
            return n;
        }
    }
    last
}

/// Whether both addresses belong to the same organisation. Free-mail hosts, public suffixes and relays never do.
pub fn same_organisation(a: &str, b: &str) -> bool {
    let of = |address: &str| {
        let host = host_of(address)?;
        let domain = organisation(&host);
        (domain.contains('.') && !is_public(&host) && !is_relay_host(&host)).then_some(domain)
    };
    of(a).is_some_and(|a| of(b).is_some_and(|b| a == b))
}

/// Whether anyone can get an address at this host.
pub fn is_public(host: &str) -> bool {
    let host = decode_host(&host.trim().to_ascii_lowercase()).into_owned();
    let labels: Vec<&str> = host.split('.').collect();
    let (suffix, last) = (suffix(&labels), labels.len().saturating_sub(1));
    let name = labels.get(suffix.wrapping_sub(1)).copied().unwrap_or_default();
    // The host is itself a public suffix.
    suffix == 0 && last > 0
        || is_in(FREE_MAIL_NAMES, name)
        || (0..suffix).any(|n| contains(FREE_MAIL, &labels[n..].join(".")))
}

/// Whether a label is a top-level domain.
pub fn is_top_level(label: &str) -> bool {
    contains(TOP_LEVELS, label)
}

/// Whether the address belongs to a service that sends mail on behalf of its users.
pub fn is_relay(address: &str) -> bool {
    host_of(address).is_some_and(|host| is_relay_host(&host))
}

fn is_relay_host(host: &str) -> bool {
    contains(RELAYS, host) || host.match_indices('.').any(|(dot, _)| contains(RELAYS, &host[dot + 1..]))
}

/// Whether both texts are the same mail address, ignoring case.
pub fn same_address(a: &str, b: &str) -> bool {
    a.contains('@') && a.trim().eq_ignore_ascii_case(b.trim())
}

fn host_of(address: &str) -> Option<String> {
    Some(address.rsplit_once('@')?.1.trim().to_ascii_lowercase())
}

/// Decodes an internationalised host name: `xn--bcher-kva.example` gives `bücher.example`.
fn decode_host(host: &str) -> Cow<'_, str> {
    let host = host.trim_matches('.');
    if host.len() > MAX_HOST || host.matches('.').count() >= MAX_LABELS || !host.contains("xn--") {
        return Cow::Borrowed(host);
    }
    let label = |label: &str| label.strip_prefix("xn--").and_then(punycode::decode).unwrap_or_else(|| label.to_owned());
    host.split('.').map(label).collect::<Vec<String>>().join(".").into()
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}
