//! What an endpoint is named by, checked: its dialect, its address, its model and its key.

use super::{Address, Host};
use crate::{Error, Result};
use serde_json::Value;

/// An address that may be asked: over https, except on this machine.
///
/// # Errors
/// [`crate::Code::InvalidField`].
pub fn checked_address(host: &dyn Host, url: &str, field: &str) -> Result<Address> {
    let Some(at) = host.address(url) else { return Err(Error::field(field, "is not a URL")) };
    let here = matches!(at.hostname.as_str(), "localhost" | "[::1]") || is_loopback(&at.hostname);
    if at.protocol != "https:" && !(at.protocol == "http:" && here) {
        return Err(Error::field(field, "is not https"));
    }
    if at.signed {
        return Err(Error::field(field, "holds a user or password"));
    }
    Ok(at)
}

fn is_loopback(hostname: &str) -> bool {
    hostname.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
}

/// What differs from dialect to dialect of one kind.
pub(super) trait Dialect: Copy + 'static {
    /// What they are called.
    const NAMES: &'static [(&'static str, Self)];
    /// Names of options beside those that every endpoint has.
    const MORE: &'static [&'static str];
    /// The option that the endpoint is given by.
    const FIELD: &'static str;

    /// The whole path, from that of the base.
    fn path(self, base: &str, model: &str) -> String;

    /// How the key goes along.
    fn headers(self, key: &str, hostname: &str) -> Vec<(&'static str, String)>;
}

/// A checked endpoint.
#[derive(Debug)]
pub(super) struct Named<D> {
    pub dialect: D,
    pub name: &'static str,
    pub url: String,
    pub origin: String,
    pub model: String,
    pub key: Option<String>,
    pub headers: Vec<(&'static str, String)>,
}

impl<D: Dialect> Named<D> {
    /// Checks what the application has given.
    pub fn of(host: &dyn Host, options: &Value) -> Result<Self> {
        let wrong = |option: &str, rule: &str| Error::field([D::FIELD, ".", option].concat(), rule);
        let Value::Object(given) = options else { return Err(Error::field(D::FIELD, "is not an object")) };
        let known = |name: &str| ["dialect", "url", "model", "key"].contains(&name) || D::MORE.contains(&name);
        if let Some(extra) = given.keys().find(|name| !known(name)) {
            return Err(wrong(extra, "is not known"));
        }
        let text = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
        let Some((name, dialect)) = D::NAMES.iter().find(|(name, _)| *name == text("dialect")) else {
            let names: Vec<&str> = D::NAMES.iter().map(|(name, _)| *name).collect();
            return Err(wrong("dialect", &format!("is none of {}", names.join(", "))));
        };
        let model = text("model");
        if model.is_empty() {
            return Err(wrong("model", "is not a name"));
        }
        let key = given.get("key").map(|key| key.as_str().unwrap_or_default());
        if key.is_some_and(|key| key.is_empty() || !key.bytes().all(|b| b.is_ascii_graphic())) {
            return Err(wrong("key", "is not a key"));
        }
        let at = checked_address(host, text("url"), &[D::FIELD, ".url"].concat())?;
        let path = dialect.path(at.path.trim_end_matches('/'), model);
        let mut headers = vec![("content-type", "application/json".to_owned())];
        headers.extend(key.into_iter().flat_map(|key| dialect.headers(key, &at.hostname)));
        Ok(Self {
            dialect: *dialect,
            name,
            url: [at.origin.as_str(), &path, &at.query].concat(),
            origin: at.origin,
            model: model.to_owned(),
            key: key.map(str::to_owned),
            headers,
        })
    }
}

/// The key as OpenAI and those who speak as it does take it; Azure has a header of its own.
pub(super) fn bearer(key: &str, hostname: &str) -> Vec<(&'static str, String)> {
    vec![if hostname.ends_with(".azure.com") {
        ("api-key", key.to_owned())
    } else {
        ("authorization", ["Bearer ", key].concat())
    }]
}

/// The path, which ends with that of the method.
pub(super) fn ending(base: &str, end: &str) -> String {
    if base.ends_with(end) { base.to_owned() } else { [base, end].concat() }
}

/// Gemini's path, which names the model.
pub(super) fn of_model(base: &str, model: &str, method: &str) -> String {
    if base.ends_with(method) { base.to_owned() } else { [base, "/models/", &escaped(model), method].concat() }
}

/// A name as a part of a path.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&b) => out.push(char::from(b)),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}
