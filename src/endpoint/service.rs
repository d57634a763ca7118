//! The checked options of an endpoint, and requests within its time limit, retries and pauses.

use super::{Address, EndpointFault, Host, Request, Wait};
use crate::embed::Unmade;
use crate::{Error, Result, json};
use serde_json::Value;
use std::cell::Cell;
use std::rc::Rc;

pub(super) const TRIES: u32 = 3;
/// Milliseconds before the second try; the third waits twice as long.
const PAUSE: f64 = 400.0;
/// Longest pause between tries, even if a server asks for more.
const MAX_PAUSE: u32 = 10_000;

#[derive(Debug)]
pub(super) struct Dialect {
    pub name: &'static str,
    /// The path after the base address; `{model}` stands for the model's name.
    pub path: &'static str,
    /// The end of a base address that already contains the path.
    pub end: &'static str,
    /// Headers besides the content type; `{key}` stands for the key.
    pub headers: &'static [(&'static str, &'static str)],
}

pub(super) const BEARER: &[(&str, &str)] = &[("authorization", "Bearer {key}")];
pub(super) const GOOGLE: &[(&str, &str)] = &[("x-goog-api-key", "{key}")];

/// Checks an address: https, or http on this machine.
///
/// # Errors
/// [`crate::Code::InvalidField`].
pub fn checked_address(host: &dyn Host, url: &str, field: &str) -> Result<Address> {
    let Some(at) = host.address(url) else { return Err(Error::field(field, "is not a URL")) };
    let loopback = at.hostname.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback());
    let here = loopback || matches!(at.hostname.as_str(), "localhost" | "[::1]");
    if at.protocol != "https:" && !(at.protocol == "http:" && here) {
        return Err(Error::field(field, "must use https, except on this machine"));
    }
    if at.signed {
        return Err(Error::field(field, "must not contain a user name or password"));
    }
    Ok(at)
}

#[derive(Debug)]
pub(super) struct Service {
    pub host: Rc<dyn Host>,
    pub origin: String,
    pub model: String,
    pub key: Option<String>,
    /// Time limit of one request in milliseconds.
    pub patience: u32,
    pub breaker: Breaker,
    url: String,
    headers: Vec<(&'static str, String)>,
    /// The request form that was accepted last.
    form: Cell<usize>,
}

impl Service {
    /// Checks the options in `field`. Returns the position of the provider too.
    pub fn new(
        host: Rc<dyn Host>,
        options: &Value,
        patience: u32,
        field: &str,
        dialects: &[&Dialect],
    ) -> Result<(usize, Self)> {
        let wrong = |option: &str, rule: &str| Error::field([field, ".", option].concat(), rule);
        let Value::Object(given) = options else { return Err(Error::field(field, "is not an object")) };
        let text = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
        let Some(place) = dialects.iter().position(|d| d.name == text("dialect")) else {
            let names: Vec<&str> = dialects.iter().map(|d| d.name).collect();
            return Err(wrong("dialect", &format!("must be one of {}", names.join(", "))));
        };
        let (dialect, model) = (dialects[place], text("model").to_owned());
        if model.is_empty() {
            return Err(wrong("model", "is empty"));
        }
        let key = given.get("key").map(|key| key.as_str().unwrap_or_default().to_owned());
        if key.as_ref().is_some_and(|key| key.is_empty() || !key.bytes().all(|b| b.is_ascii_graphic())) {
            return Err(wrong("key", "is not a valid key"));
        }
        let at = checked_address(host.as_ref(), text("url"), &[field, ".url"].concat())?;
        let mut base = at.path.trim_end_matches('/');
        if dialect.path.starts_with("/v1/") {
            base = base.strip_suffix("/v1").unwrap_or(base);
        }
        let path = if base.ends_with(dialect.end) { "" } else { dialect.path };
        let path = path.replace("{model}", &escaped(&model));
        let mut headers = vec![("content-type", "application/json".to_owned())];
        if let Some(key) = &key {
            // Azure uses OpenAI's format with another header.
            let azure = dialect.name == "openai" && at.hostname.ends_with(".azure.com");
            let own: &[_] = if azure { &[("api-key", "{key}")] } else { dialect.headers };
            headers.extend(own.iter().map(|(name, value)| (*name, value.replace("{key}", key))));
        }
        let url = [&at.origin, base, &path, &at.query].concat();
        let (breaker, form) = Default::default();
        Ok((place, Self { host, origin: at.origin, model, key, patience, breaker, url, headers, form }))
    }

    pub fn request(&self, body: &Value) -> Request {
        let body = json::write(body).unwrap_or_default();
        Request { url: self.url.clone(), headers: self.headers.clone(), body }
    }

    /// Tries the request forms, the strictest first, and retries after temporary faults.
    pub async fn ask<T>(
        &self,
        patience: u32,
        tries: u32,
        forms: usize,
        once: impl AsyncFn(usize) -> Result<T, EndpointFault>,
    ) -> Result<T, EndpointFault> {
        let until = self.host.now() + u64::from(patience);
        let mut made = 0;
        loop {
            let fault = match once(self.form.get()).await {
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            // A simpler form is kept, because an endpoint does not learn schemas later.
            if fault.is_of_form() && self.form.get() + 1 < forms {
                self.form.set(self.form.get() + 1);
                continue;
            }
            if fault.code == "rejected" {
                // Every form failed, so the form was not the cause.
                self.form.set(0);
            }
            let pause = PAUSE * f64::from(1u32 << made) * (0.5 + self.host.random());
            let pause = fault.after.unwrap_or(pause as u32);
            made += 1;
            if !fault.passes || made >= tries || pause > MAX_PAUSE || self.host.now() + u64::from(pause) >= until {
                return Err(fault);
            }
            self.host.pause(pause).await;
        }
    }
}

fn escaped(name: &str) -> String {
    let escape = |b: u8| match b {
        b if b.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&b) => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    name.bytes().map(escape).collect()
}

/// Runs `work` within its time limit, unless the breaker pauses. The breaker counts faults.
pub(super) async fn limited<T>(
    host: &dyn Host,
    breaker: &Breaker,
    patience: u32,
    counts: impl Fn(&EndpointFault) -> bool,
    work: Wait<'_, Result<T, EndpointFault>>,
) -> Result<T, EndpointFault> {
    if breaker.left(host.now()) > 0 {
        return Err(EndpointFault::new("resting"));
    }
    let timer = async {
        host.pause(patience).await;
        Err(EndpointFault::new("timeout"))
    };
    let done = futures_lite::future::or(work, timer).await;
    match &done {
        Ok(_) => breaker.passed(),
        Err(fault) if counts(fault) => breaker.failed(host.now(), fault.after),
        Err(_) => {}
    }
    done
}

/// Runs `work`, which embeds texts, within its time limit, unless the breaker pauses.
///
/// # Errors
/// With the code of the fault. The breaker ignores faults that one of the texts may cause.
pub async fn guarded<T>(
    host: &dyn Host,
    breaker: &Breaker,
    patience: u32,
    texts: usize,
    work: Wait<'_, Result<T, EndpointFault>>,
) -> Result<T, Unmade> {
    let of_text = |code| matches!(code, "rejected" | "too_large") || code == "malformed" && texts > 1;
    limited(host, breaker, patience, |fault| !of_text(fault.code), work).await.map_err(|fault| Unmade::new(fault.code))
}

/// Pause after the first failure and the longest pause, in milliseconds. Each failure doubles it.
const PAUSES: [u32; 2] = [30_000, 600_000];

/// A circuit breaker, so that a dead endpoint costs one time limit rather than one for each memory.
#[derive(Debug, Default)]
pub struct Breaker {
    failures: Cell<u32>,
    until: Cell<u64>,
}

impl Breaker {
    /// Milliseconds until the next request is allowed.
    pub fn left(&self, now: u64) -> u64 {
        self.until.get().saturating_sub(now)
    }

    pub fn passed(&self) {
        self.failures.set(0);
    }

    /// Records a failure; the server may ask for a pause of `after` milliseconds.
    pub fn failed(&self, now: u64, after: Option<u32>) {
        let [first, longest] = PAUSES;
        let failures = self.failures.get();
        let rest = first.saturating_mul(1 << failures.min(16)).min(longest);
        self.until.set(now + u64::from(rest.max(after.unwrap_or_default().min(longest))));
        self.failures.set(failures.saturating_add(1));
    }
}

/// Minimum length of a key; a shorter one may be an ordinary word.
const MIN_KEY: usize = 8;

/// Whether a text contains a key, in any case, escaped as JSON, or with blanks or other signs between its letters.
pub(super) fn contains_key(text: &str, key: &str) -> bool {
    let fold = |text: &str| -> String {
        text.chars().filter(char::is_ascii_graphic).map(|c| c.to_ascii_lowercase()).collect()
    };
    let key_folded = fold(key);
    key.len() >= MIN_KEY && [text, &unescape(text)].iter().any(|said| fold(said).contains(&key_folded))
}

fn unescape(text: &str) -> String {
    let mut parts = text.split("\\u");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..4).and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        out.extend(code);
        out.push_str(if code.is_some() { &part[4..] } else { part });
    }
    out
}
