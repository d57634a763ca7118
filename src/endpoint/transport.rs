//! One HTTP request: its parts, the meaning of its status, and a response read up to a limit.

use crate::llm::Reply;
use serde_json::Value;
use std::fmt::Debug;
use std::pin::Pin;

pub type Wait<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// The parts of a URL, as parsed by the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// Such as `https:`.
    pub protocol: String,
    pub hostname: String,
    /// Scheme, host and port.
    pub origin: String,
    pub path: String,
    /// With its question mark; empty if there is none.
    pub query: String,
    pub signed: bool,
}

/// Network, timers and randomness of the host. Dropping a request's future aborts it.
pub trait Host: Debug {
    /// The parts of a URL; `None` if it is invalid.
    fn address(&self, url: &str) -> Option<Address>;

    /// Sends a POST request and returns the response before its body. Redirects are not followed.
    fn send<'a>(&'a self, request: &'a Request) -> Wait<'a, Result<Response, Lost>>;

    fn pause(&self, ms: u32) -> Wait<'static, ()>;

    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// A number from 0 (inclusive) to 1 (exclusive).
    fn random(&self) -> f64;
}

pub type ChatResult = Result<Reply, EndpointFault>;

/// No response, or a response that broke off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

#[derive(Debug)]
pub struct Response {
    /// The status; 0 if the host does not tell it.
    pub status: u16,
    pub redirects: bool,
    pub retry_after: Option<String>,
    pub body: Box<dyn ReplyBody>,
}

pub trait ReplyBody: Debug {
    fn next(&mut self) -> Wait<'_, Result<Option<Vec<u8>>, Lost>>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct EndpointFault {
    pub code: &'static str,
    pub status: u16,
    pub passes: bool,
    /// Milliseconds that the response asks to wait.
    pub after: Option<u32>,
}

impl EndpointFault {
    pub const fn new(code: &'static str) -> Self {
        Self { code, status: 0, passes: false, after: None }
    }

    pub(super) const fn is_of_form(&self) -> bool {
        matches!(self.status, 400 | 422)
    }
}

/// Most characters kept of a refused response.
const MAX_REFUSAL_TEXT: usize = 2_000;

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

/// The error inside a successful response: gateways return the code of the server behind them.
fn error_in_body(reply: &Value) -> Option<EndpointFault> {
    let error = reply.get("error").filter(|error| !error.is_null())?;
    if reply.get("choices").or(reply.get("data")).is_some() {
        return None;
    }
    let code = error.get("code").and_then(Value::as_u64).unwrap_or_default();
    Some(of_status(code.min(999) as u16, None).unwrap_or(EndpointFault::new("rejected")))
}

/// Milliseconds of a `retry-after` header, which has seconds or a date.
fn parse_retry_after(text: &str, now: u64) -> Option<u32> {
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(seconds.saturating_mul(1_000));
    }
    let date = mail_parser::DateTime::parse_rfc822(text).filter(mail_parser::DateTime::is_valid)?;
    let at = u64::try_from(date.to_timestamp()).unwrap_or_default() * 1_000;
    Some(u32::try_from(at.saturating_sub(now)).unwrap_or(u32::MAX))
}

/// Sends a POST request and parses the JSON response, at most `most` bytes. A refused response's text goes into `said`.
pub(super) async fn post(
    host: &dyn Host,
    request: &Request,
    most: usize,
    said: Option<&mut String>,
) -> Result<Value, EndpointFault> {
    let lost = |_| EndpointFault { passes: true, ..EndpointFault::new("unreachable") };
    let mut response = host.send(request).await.map_err(lost)?;
    let after = response.retry_after.as_deref().and_then(|text| parse_retry_after(text, host.now()));
    if let Some(fault) = of_status(if response.redirects { 300 } else { response.status }, after) {
        if let (Some(said), Ok(Some(bytes))) = (said, response.body.next().await) {
            *said = String::from_utf8_lossy(bytes.get(..MAX_REFUSAL_TEXT).unwrap_or(&bytes)).into_owned();
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
    let Some(fault) = error_in_body(&reply) else { return Ok(reply) };
    if let Some(said) = said {
        *said = text.chars().take(MAX_REFUSAL_TEXT).collect();
    }
    Err(fault)
}
