//! One request: what is sent, what a status says, and a response that is read up to a limit.

use crate::llm::Reply;
use serde_json::Value;
use std::fmt::Debug;
use std::pin::Pin;

/// Something on its way.
pub type Wait<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// The parts of a URL, as the host tells them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// Such as `https:`.
    pub protocol: String,
    /// Without a port.
    pub hostname: String,
    /// Scheme, host and port.
    pub origin: String,
    /// From its first slash.
    pub path: String,
    /// With its question mark; empty where there is none.
    pub query: String,
    /// Whether it holds a user or a password.
    pub signed: bool,
}

/// The host's network, timers and chance. A request whose future is dropped is aborted.
pub trait Host: Debug {
    /// The parts of a URL; `None` for what is none.
    fn address(&self, url: &str) -> Option<Address>;

    /// Posts a request and gives what comes back, before its body. It follows no redirect.
    fn send<'a>(&'a self, request: &'a Request) -> Wait<'a, Result<Response, Lost>>;

    /// Ends after so many milliseconds.
    fn pause(&self, ms: u32) -> Wait<'static, ()>;

    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// A number from 0 to below 1.
    fn random(&self) -> f64;
}

/// The reply of an endpoint, or its fault.
pub type Chatted = Result<Reply, EndpointFault>;

/// No response came, or it broke off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

/// A request by POST.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Where it goes.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(&'static str, String)>,
    /// JSON text.
    pub body: String,
}

/// The beginning of a response.
#[derive(Debug)]
pub struct Response {
    /// The status; 0 where the host does not tell it.
    pub status: u16,
    /// Whether it sends elsewhere.
    pub redirects: bool,
    /// Its `retry-after`.
    pub retry_after: Option<String>,
    /// Its body, which is not read any further once dropped.
    pub body: Box<dyn ReplyBody>,
}

/// The bytes of a response.
pub trait ReplyBody: Debug {
    /// The next bytes; `None` at the end.
    fn next(&mut self) -> Wait<'_, Result<Option<Vec<u8>>, Lost>>;
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointFault {
    /// Its stable code, as the log names it.
    pub code: &'static str,
    /// The response's status; 0 where there was none.
    pub status: u16,
    /// Whether it may pass by itself.
    pub passes: bool,
    /// Milliseconds that the response asks to wait.
    pub after: Option<u32>,
}

impl EndpointFault {
    /// One that does not pass.
    pub const fn new(code: &'static str) -> Self {
        Self { code, status: 0, passes: false, after: None }
    }

    /// Whether the form of the request may be at fault.
    pub(super) const fn is_of_form(&self) -> bool {
        matches!(self.status, 400 | 422)
    }
}

/// Characters of a refused response's body that are kept for a person to read.
const BEGINNING: usize = 2_000;

/// The fault that a status means; none for a good one.
fn of_status(status: u16, after: Option<u32>) -> Option<EndpointFault> {
    let (code, passes) = match status {
        300..400 => ("redirected", false),
        401 | 403 => ("unauthorized", false),
        404 => ("not_found", false),
        429 => ("rate_limited", true),
        408 | 500.. => ("server_error", true),
        400.. => ("rejected", false),
        _ => return None,
    };
    Some(EndpointFault { code, status, passes, after: after.filter(|_| passes) })
}

/// The error within a good response: gateways answer so, with the status of the server that they have asked as its code.
fn hidden(reply: &Value) -> Option<EndpointFault> {
    let error = reply.get("error").filter(|error| !error.is_null())?;
    if reply.get("choices").or(reply.get("data")).is_some() {
        return None;
    }
    let code = error.get("code").and_then(Value::as_u64).unwrap_or_default();
    Some(of_status(code.min(999) as u16, None).unwrap_or(EndpointFault::new("rejected")))
}

/// The milliseconds that a `retry-after` means: so many seconds, or until a date.
fn wanted(text: &str, now: u64) -> Option<u32> {
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(seconds.saturating_mul(1_000));
    }
    let date = mail_parser::DateTime::parse_rfc822(text).filter(mail_parser::DateTime::is_valid)?;
    let at = u64::try_from(date.to_timestamp()).unwrap_or_default() * 1_000;
    Some(u32::try_from(at.saturating_sub(now)).unwrap_or(u32::MAX))
}

/// Posts a request and gives the JSON that comes back, of at most `most` bytes. The text of a refusal goes into `said`.
pub(super) async fn post(
    host: &dyn Host,
    request: &Request,
    most: usize,
    said: Option<&mut String>,
) -> Result<Value, EndpointFault> {
    let lost = |_| EndpointFault { passes: true, ..EndpointFault::new("unreachable") };
    let mut response = host.send(request).await.map_err(lost)?;
    let after = response.retry_after.as_deref().and_then(|text| wanted(text, host.now()));
    if let Some(fault) = of_status(if response.redirects { 300 } else { response.status }, after) {
        if let (Some(said), Ok(Some(bytes))) = (said, response.body.next().await) {
            *said = String::from_utf8_lossy(bytes.get(..BEGINNING).unwrap_or(&bytes)).into_owned();
        }
        return Err(fault);
    }
    let mut bytes = Vec::new();
    while let Some(next) = response.body.next().await.map_err(lost)? {
        if bytes.len() + next.len() > most {
            return Err(EndpointFault::new("too_large"));
        }
        bytes.extend(next);
    }
    let text = String::from_utf8_lossy(&bytes);
    let reply: Value =
        crate::json::read(text.trim_start_matches('\u{feff}'), "reply").map_err(|_| EndpointFault::new("not_json"))?;
    let Some(fault) = hidden(&reply) else { return Ok(reply) };
    if let Some(said) = said {
        *said = text.chars().take(BEGINNING).collect();
    }
    Err(fault)
}
