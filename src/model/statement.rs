//! [`Statement`]: a quoted sentence of a source, in which text that is no longer valid is struck out.

use super::Time;
use super::limits::{Limits, text};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Whether a statement comes from, or was confirmed by, an authorised sender or the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Confirmation {
    /// Stated by an authorised sender, or confirmed by such a sender's later mail or by the owner.
    #[default]
    Confirmed,
    /// Reported by an unauthorised sender and not confirmed yet.
    Provisional,
}

impl Confirmation {
    /// Whether it is the default, which is not serialised.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn is_confirmed(&self) -> bool {
        *self == Self::Confirmed
    }
}

/// A statement, quoted verbatim.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    /// The wording.
    pub text: String,
    /// The message id, or another id of the source.
    pub source: Option<String>,
    /// The author: an address where known.
    pub author: Option<String>,
    /// When it was stated.
    pub at: Option<Time>,
    /// `provisional` until an authorised sender or the owner confirms it; absent if confirmed.
    #[serde(default, skip_serializing_if = "Confirmation::is_confirmed")]
    #[tsify(optional)]
    pub confirmation: Confirmation,
    /// The reporter of a provisional statement: the sender address shown in the mail.
    pub reported_by: Option<String>,
    /// Ranges that are no longer valid: `[from, to]` in UTF-16 units of `text`, ascending, without overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub struck: Vec<[u32; 2]>,
}

/// Separates statements in a memory's content.
pub const BETWEEN: &str = " · ";

impl Statement {
    /// A fully valid statement without source, author or time.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(super) fn validate(&self, field: &str) -> Result<()> {
        text(&format!("{field}.text"), &self.text, Limits::CONTENT)?;
        let names = [("source", &self.source), ("author", &self.author), ("reportedBy", &self.reported_by)];
        for (name, value) in names {
            text(&format!("{field}.{name}"), value.as_deref().unwrap_or_default(), Limits::NAME)?;
        }
        let length = self.text.encode_utf16().count() as u32;
        let mut last = 0;
        for [from, to] in &self.struck {
            if *from < last || to <= from || *to > length {
                return Err(Error::field(format!("{field}.struck"), "is out of order or out of the text"));
            }
            last = *to;
        }
        Ok(())
    }

    /// Whether it is still unconfirmed.
    pub fn is_provisional(&self) -> bool {
        self.confirmation == Confirmation::Provisional
    }

    /// The address of the reporter, or else of the author.
    pub fn reporter(&self) -> Option<&str> {
        self.reported_by.as_deref().or(self.author.as_deref())
    }

    /// The byte ranges of the text in order, each with whether it is struck.
    pub fn stretches(&self) -> Vec<(std::ops::Range<usize>, bool)> {
        let mut out = Vec::new();
        let (mut at, mut from) = (0u32, 0usize);
        let mut edges = self.struck.iter().flat_map(|[from, to]| [(*from, true), (*to, false)]).peekable();
        let mut struck = false;
        for (byte, c) in self.text.char_indices().chain([(self.text.len(), '\0')]) {
            while let Some((_, opens)) = edges.next_if(|(edge, _)| *edge <= at) {
                if byte > from {
                    out.push((from..byte, struck));
                }
                (from, struck) = (byte, opens);
            }
            at += c.len_utf16() as u32;
        }
        if self.text.len() > from {
            out.push((from..self.text.len(), struck));
        }
        out
    }

    /// The byte ranges that are not struck.
    pub fn held(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.stretches().into_iter().filter(|(_, struck)| !struck).map(|(range, _)| range)
    }

    /// The struck byte ranges.
    pub fn gone(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.stretches().into_iter().filter(|(_, struck)| *struck).map(|(range, _)| range)
    }

    /// The text without the struck ranges.
    pub fn holds(&self) -> String {
        let mut out = String::with_capacity(self.text.len());
        for range in self.held() {
            let part = self.text[range].trim();
            let joined = out.is_empty() || part.starts_with(['.', ',', ';', ')', '!', '?']) || out.ends_with('(');
            if !joined && !part.is_empty() {
                out.push(' ');
            }
            out.push_str(part);
        }
        // Drop punctuation next to struck text at either end.
        let lead = [',', ';', ':', '–', '—', '-', ' '];
        let out = out.trim_start_matches([',', ';', '.', ' ']);
        if self.struck.is_empty() { out } else { out.trim_end_matches(lead) }.to_owned()
    }

    /// Extends a range to whole numbers: striking half of 2,50 would change its meaning.
    fn whole_numbers(&self, mut range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let digit = |c: char| c.is_ascii_digit();
        let (head, tail) = (&self.text[..range.start], &self.text[range.end..]);
        if let Some(whole) = head.strip_suffix(['.', ',']).filter(|h| h.ends_with(digit))
            && self.text[range.clone()].starts_with(digit)
        {
            range.start = whole.trim_end_matches(digit).len();
        }
        if let Some(rest) = tail.strip_prefix(['.', ',']).filter(|t| t.starts_with(digit))
            && self.text[range.clone()].ends_with(digit)
        {
            range.end = self.text.len() - rest.trim_start_matches(digit).len();
        }
        range
    }

    /// Strikes further byte ranges of the text.
    #[must_use]
    pub fn strike(&self, more: &[std::ops::Range<usize>]) -> Self {
        let more = more.iter().filter(|r| !r.is_empty()).map(|r| self.whole_numbers(r.clone()));
        let mut all: Vec<_> = self.gone().chain(more).collect();
        all.sort_by_key(|span| (span.start, span.end));
        let mut merged: Vec<std::ops::Range<usize>> = Vec::new();
        for range in all {
            match merged.last_mut() {
                // Whitespace between two struck ranges is struck too.
                Some(last) if range.start <= last.end || self.text[last.end..range.start].trim().is_empty() => {
                    last.end = last.end.max(range.end);
                }
                _ => merged.push(range),
            }
        }
        let unit = |byte: usize| self.text[..byte].encode_utf16().count() as u32;
        Self { struck: merged.into_iter().map(|r| [unit(r.start), unit(r.end)]).collect(), ..self.clone() }
    }
}

/// The content of a memory: the valid text of its statements, in order.
pub fn content_of(statements: &[Statement]) -> String {
    let mut held: Vec<String> = statements.iter().map(Statement::holds).filter(|t| !t.is_empty()).collect();
    if held.len() > 1 {
        // The separator replaces a full stop.
        held.iter_mut().for_each(|t| t.truncate(t.trim_end_matches('.').len()));
    }
    held.join(BETWEEN)
}
