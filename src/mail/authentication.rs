//! Parses one `Authentication-Results` header field (RFC 8601). Fails closed: a malformed field
//! proves nothing. Callers decide which hosts to trust.

use super::clean;
use crate::model::organisation;
use std::iter::Peekable;
use std::str::Chars;

/// The authentication results of one host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthResults {
    /// The host that ran the checks, lower case; empty if the field names none.
    pub host: String,
    /// The results in order; `None` if the field is malformed.
    pub results: Option<Vec<MethodResult>>,
}

/// The result of one method, such as `spf=pass smtp.mailfrom=a@b.example`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MethodResult {
    /// `spf`, `dkim`, `dmarc`, …
    pub method: String,
    /// `pass`, `fail`, `none`, …; empty if the method's version is unknown.
    pub result: String,
    /// Properties such as `header.from` → `b.example`, and `reason`.
    pub properties: Vec<(String, String)>,
    /// Whether only properties follow, without conflicting duplicates.
    pub is_clear: bool,
}

/// What the results show for an author's domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthVerdict {
    /// A check aligned with the domain passed.
    Passed,
    /// The checks failed, contradict each other, or none is aligned with the domain.
    Failed,
    /// No check was made.
    Absent,
}

/// Maximum bytes of a field, and maximum properties of a result.
const MAX_FIELD: usize = 16_384;
const MAX_PROPERTIES: usize = 64;
const SENDER_METHODS: [&str; 3] = ["dmarc", "spf", "dkim"];

impl AuthResults {
    /// Parses the value of a header field.
    pub(super) fn parse(field: &str) -> Self {
        let mut parser = Parser { chars: clean::cut(field, MAX_FIELD + 1).chars().peekable() };
        let mut host = String::new();
        let results = parser.field(&mut host);
        // A `dmarc=fail` hidden in a comment or quoted string still counts.
        let results = results.filter(|r| field.len() <= MAX_FIELD && (is_failed(r) || !says_fail(field)));
        Self { host: host.to_lowercase(), results }
    }

    /// The verdict for an author at this domain.
    pub fn verdict(&self, domain: &str) -> AuthVerdict {
        let Some(results) = &self.results else { return AuthVerdict::Failed };
        let of = |method: &'static str| results.iter().filter(move |r| r.method == method);
        match of("dmarc").count() {
            0 => {}
            1 if is_failed(results) => return AuthVerdict::Failed,
            1 if of("dmarc").any(|r| r.result == "pass") => {
                let names_another =
                    |r: &MethodResult| r.domain(&["header.from"]).is_some_and(|d| !is_aligned(d, domain));
                let clear = of("dmarc").all(|r| r.is_clear && !names_another(r));
                return if clear { AuthVerdict::Passed } else { AuthVerdict::Failed };
            }
            // Without a usable policy, the SPF and DKIM results count.
            1 => {}
            _ => return AuthVerdict::Failed,
        }
        let passes = |r: &MethodResult, names: &[&str]| {
            r.result == "pass" && r.is_clear && r.domain(names).is_some_and(|d| is_aligned(d, domain))
        };
        let signed = of("dkim").any(|r| passes(r, &["header.d", "header.i"])) && of("dkim").all(|r| r.result != "none");
        let sent = of("spf").count() > 0 && of("spf").all(|r| passes(r, &["smtp.mailfrom", "smtp.helo"]));
        match () {
            () if signed || sent => AuthVerdict::Passed,
            () if results.iter().any(|r| SENDER_METHODS.contains(&&*r.method)) => AuthVerdict::Failed,
            () => AuthVerdict::Absent,
        }
    }

    /// Whether DMARC passed for exactly this domain.
    pub fn proves(&self, domain: &str) -> bool {
        let is_for_it = |r: &MethodResult| r.domain(&["header.from"]).is_some_and(|d| d == domain.to_lowercase());
        let dmarc = |r: &&MethodResult| r.method == "dmarc";
        self.verdict(domain) == AuthVerdict::Passed
            && self.results.iter().flatten().find(dmarc).is_some_and(|r| r.result == "pass" && is_for_it(r))
    }

    /// Whether they contradict a pass by the same host elsewhere in the header.
    pub(super) fn contradicts(&self) -> bool {
        self.results.as_ref().is_none_or(|results| is_failed(results))
    }
}

impl MethodResult {
    /// The domain in the first of these properties that is present.
    fn domain(&self, names: &[&str]) -> Option<&str> {
        let value = |name: &&str| self.properties.iter().find(|(n, _)| n == name).map(|(_, value)| &**value);
        let value = names.iter().find_map(value)?;
        Some(value.rsplit('@').next().unwrap_or_default().trim_matches(['<', '>', '.']))
    }
}

/// Whether a DMARC check failed, or several were made.
fn is_failed(results: &[MethodResult]) -> bool {
    let dmarc = results.iter().filter(|r| r.method == "dmarc");
    let known = |r: &MethodResult| matches!(&*r.result, "pass" | "none" | "bestguesspass" | "temperror" | "permerror");
    dmarc.clone().count() > 1 || dmarc.into_iter().any(|r| !known(r))
}

/// Relaxed alignment (RFC 7489): both domains belong to one organisation.
fn is_aligned(domain: &str, author: &str) -> bool {
    domain.contains('.') && organisation(domain) == organisation(author)
}

/// Whether `dmarc=fail` occurs anywhere in a field, even inside a comment.
fn says_fail(field: &str) -> bool {
    let lower = field.to_lowercase();
    lower.match_indices("dmarc").any(|(at, name)| {
        let apart = !lower[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
        let result = lower[at + name.len()..].trim_start().strip_prefix('=').map(str::trim_start);
        apart && result.is_some_and(|r| r.starts_with("fail"))
    })
}

struct Parser<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    /// Parses the whole field; `None` if malformed.
    fn field(&mut self, host: &mut String) -> Option<Vec<MethodResult>> {
        let mut results = Vec::new();
        self.skip_comments()?;
        let name = self.value()?;
        self.skip_comments()?;
        if self.chars.peek() == Some(&'=') || name.contains('=') {
            // Some hosts omit their name.
            let (method, result) = name.split_once('=').map_or((&*name, None), |(m, r)| (m, Some(r)));
            results.extend(self.method_result(method.to_owned(), result.map(str::to_owned))?);
        } else {
            *host = name.trim_matches('.').to_owned();
            let version = self.name()?;
            if !matches!(&*version, "" | "1") || !matches!(self.chars.peek(), None | Some(';')) {
                return None;
            }
        }
        while self.chars.next().is_some() {
            self.skip_comments()?;
            let method = self.name()?;
            results.extend(self.method_result(method, None)?);
        }
        Some(results)
    }

    /// Parses the rest of a result, up to the next `;`. The outer option is `None` if malformed,
    /// the inner one if there is no result (`none`, or an empty one).
    fn method_result(&mut self, method: String, result: Option<String>) -> Option<Option<MethodResult>> {
        let (method, version) = method.split_once('/').unwrap_or((&method, "1"));
        let mut found = MethodResult { method: method.to_lowercase(), is_clear: true, ..MethodResult::default() };
        let has_result = result.is_some() || self.chars.next_if_eq(&'=').is_some();
        if has_result {
            let result = match result {
                Some(result) => result,
                None => self.property_value()?,
            };
            found.result = if version == "1" { result.to_lowercase() } else { String::new() };
        }
        loop {
            self.skip_comments()?;
            if matches!(self.chars.peek(), None | Some(';')) {
                break;
            }
            let name = self.name()?.to_lowercase();
            if self.chars.next_if_eq(&'=').is_none() {
                // A stray word. A quote or equals sign alone is no name.
                found.is_clear = false;
                if name.is_empty() {
                    self.value()?;
                }
                continue;
            }
            let value = self.property_value()?.to_lowercase();
            if found.properties.len() >= MAX_PROPERTIES {
                return None;
            }
            if found.properties.iter().any(|(n, v)| *n == name && *v != value) {
                found.is_clear = false;
            }
            found.properties.push((name, value));
        }
        Some(has_result.then_some(found))
    }

    /// Parses the name of a method or property; white space and comments may surround its `.` and
    /// `/`.
    fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            let ends = |c: &char| c.is_whitespace() || matches!(c, ';' | '(' | ')' | '"' | '=');
            while let Some(c) = self.chars.next_if(|c| !ends(c)) {
                name.push(c);
            }
            self.skip_comments()?;
            let goes_on = !name.is_empty() && matches!(self.chars.peek(), Some('.' | '/'))
                || name.ends_with(['.', '/']) && self.chars.peek().is_some_and(|c| !ends(c));
            if !goes_on {
                return Some(name);
            }
        }
    }

    fn property_value(&mut self) -> Option<String> {
        self.skip_comments()?;
        self.value()
    }

    /// Parses a value: quoted strings and characters up to white space, a comment or `;`.
    fn value(&mut self) -> Option<String> {
        let mut value = String::new();
        while let Some(c) = self.chars.next_if(|c| !c.is_whitespace() && !matches!(c, ';' | '(')) {
            match c {
                '"' => self.quoted(&mut value)?,
                ')' => return None,
                c => value.push(c),
            }
        }
        if self.chars.peek() == Some(&'(') {
            self.comment()?;
            // A comment may follow a value but not interrupt it.
            if !value.is_empty() && self.chars.peek().is_some_and(|c| !c.is_whitespace() && !matches!(c, ';' | '(')) {
                return None;
            }
        }
        Some(value)
    }

    fn quoted(&mut self, value: &mut String) -> Option<()> {
        loop {
            match self.chars.next()? {
                '"' => return Some(()),
                '\\' => value.push(self.chars.next()?),
                c => value.push(c),
            }
        }
    }

    /// Skips white space and comments.
    fn skip_comments(&mut self) -> Option<()> {
        loop {
            match self.chars.peek() {
                Some(c) if c.is_whitespace() => drop(self.chars.next()),
                Some('(') => self.comment()?,
                Some(')') => return None,
                _ => return Some(()),
            }
        }
    }

    /// Skips a comment with nested ones.
    fn comment(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            match self.chars.next()? {
                '(' => depth += 1,
                ')' => depth -= 1,
                '\\' => drop(self.chars.next()?),
                _ => {}
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
