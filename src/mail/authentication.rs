//! Parses one `Authentication-Results` header field (RFC 8601). Fails closed: a malformed field proves nothing. Callers
//! decide which hosts to trust.

use super::clean;
use crate::model::organisation;

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
    pub(super) fn parse(field: &str) -> Self {
        let mut host = String::new();
        let results = results(clean::cut(field, MAX_FIELD + 1), &mut host);
        // A `dmarc=fail` hidden in a comment or quoted string still counts.
        let results = results.filter(|r| field.len() <= MAX_FIELD && (is_failed(r) || !says_fail(field)));
        Self { host, results }
    }

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

const COMMENT: char = '\u{1}';

fn results(field: &str, host: &mut String) -> Option<Vec<MethodResult>> {
    let (text, is_closed) = without_comments(field, COMMENT, |c| Some(clean::mask(c)));
    let mut parts = text.split(';').map(words);
    // Some hosts omit their name.
    let mut first = parts.next().unwrap_or_default();
    if first.first().is_some_and(|name| !name.contains('=')) {
        *host = unmasked(first.remove(0)).trim_matches('.').to_owned();
        if !matches!(first[..], [] | ["1"]) {
            return None;
        }
        first.clear();
    }
    if !is_closed || field.contains(|c| c == COMMENT || clean::is_mask(c)) {
        return None;
    }
    let mut results = Vec::new();
    for words in std::iter::once(first).chain(parts) {
        // A comment may follow a value but not interrupt it.
        if words.iter().any(|w| w.contains(COMMENT)) {
            return None;
        }
        match &words[..] {
            [] | ["none"] => {}
            [method, properties @ ..] => results.push(method_result(method, properties)?),
        }
    }
    Some(results)
}

fn words(part: &str) -> Vec<&str> {
    part.split_whitespace().map(|w| w.trim_matches(COMMENT)).filter(|w| !w.is_empty()).collect()
}

fn method_result(method: &str, properties: &[&str]) -> Option<MethodResult> {
    let (method, result) = method.split_once('=')?;
    let (method, version) = method.split_once('/').unwrap_or((method, "1"));
    let result = if version == "1" { unmasked(result) } else { String::new() };
    let mut found = MethodResult { method: unmasked(method), result, is_clear: true, ..MethodResult::default() };
    if properties.len() > MAX_PROPERTIES {
        return None;
    }
    for word in properties {
        let Some((name, value)) = word.split_once('=').map(|(name, value)| (unmasked(name), unmasked(value))) else {
            found.is_clear = false;
            continue;
        };
        found.is_clear &= !found.properties.iter().any(|(n, v)| *n == name && *v != value);
        found.properties.push((name, value));
    }
    Some(found)
}

/// A word in lower case, with its quoted signs.
fn unmasked(word: &str) -> String {
    clean::unmask(word).to_lowercase()
}

/// A field with `comment` for each comment, which may nest, and without quotation marks.
pub(super) fn without_comments(field: &str, comment: char, quoted: impl Fn(char) -> Option<char>) -> (String, bool) {
    let mut out = String::with_capacity(field.len());
    let (mut depth, mut in_quotes, mut escaped, mut is_closed) = (0usize, false, false, true);
    for c in field.chars() {
        let is_plain = !std::mem::take(&mut escaped);
        match c {
            '\\' if is_plain && (depth > 0 || in_quotes) => escaped = true,
            '(' if is_plain && !in_quotes => depth += 1,
            ')' if is_plain && depth > 0 => {
                depth -= 1;
                out.extend((depth == 0).then_some(comment));
            }
            '"' if is_plain && depth == 0 => in_quotes = !in_quotes,
            _ if depth > 0 => {}
            c if in_quotes => out.extend(quoted(c)),
            c => {
                is_closed &= c != ')';
                out.push(c);
            }
        }
    }
    (out, is_closed && depth == 0 && !in_quotes)
}
