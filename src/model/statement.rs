//! What was said: the sentences that a memory's text is made of, and what of each no longer holds.
//!
//! It never changes a word: text is shown, or struck out.

use super::Time;
use super::limits::{Limits, text};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Whether a statement was made, or taken up, by somebody with standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Confirmation {
    /// By its author's standing, by a later mail of somebody with standing, or by the owner.
    #[default]
    Confirmed,
    /// Reported by somebody without standing and confirmed by nobody yet.
    Provisional,
}

impl Confirmation {
    /// Whether it is the default, which is not written down.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn is_confirmed(&self) -> bool {
        *self == Self::Confirmed
    }
}

/// One thing that was said, word for word.
///
/// ```
/// use memfold::model::Statement;
/// let said = Statement { struck: vec![[14, 26]], ..Statement::new("starts 15 Jan, budget 50M") };
/// assert_eq!(said.holds(), "starts 15 Jan");
/// ```
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    /// The words.
    pub text: String,
    /// The message id, or whatever names the source.
    pub source: Option<String>,
    /// Who said it: an address, where one is known.
    pub author: Option<String>,
    /// When it was said.
    pub at: Option<Time>,
    /// `provisional` where nobody with standing has said or confirmed it; absent where it is confirmed.
    #[serde(default, skip_serializing_if = "Confirmation::is_confirmed")]
    #[tsify(optional)]
    pub confirmation: Confirmation,
    /// Who reported it, where it is provisional: the address that its mail shows.
    pub reported_by: Option<String>,
    /// What no longer holds: `[from, to]` in UTF-16 units of `text`, in order, apart from each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub struck: Vec<[u32; 2]>,
}

/// What stands between two statements of a memory's text.
pub const BETWEEN: &str = " · ";

impl Statement {
    /// A statement of which all holds, and nothing else is known.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// # Errors
    /// [`crate::Code::InvalidField`] for a text that is too long, and strikes that are out of order or out of it.
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

    /// Whether nobody with standing has said or confirmed it.
    pub fn is_provisional(&self) -> bool {
        self.confirmation == Confirmation::Provisional
    }

    /// The address of whoever is known to have said it, or to have reported it.
    pub fn reporter(&self) -> Option<&str> {
        self.reported_by.as_deref().or(self.author.as_deref())
    }

    /// The stretches of the text in bytes, in order, each with whether it is struck.
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

    /// The stretches that are not struck.
    pub fn held(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.stretches().into_iter().filter(|(_, struck)| !struck).map(|(range, _)| range)
    }

    /// The stretches that are struck.
    pub fn gone(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.stretches().into_iter().filter(|(_, struck)| *struck).map(|(range, _)| range)
    }

    /// The text without what is struck.
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
        // A mark that led to what is struck leads to nothing now.
        let lead = [',', ';', ':', '–', '—', '-', ' '];
        let out = out.trim_start_matches([',', ';', '.', ' ']);
        if self.struck.is_empty() { out } else { out.trim_end_matches(lead) }.to_owned()
    }

    /// A stretch with all of the numbers that it begins or ends in: half of 2,50 says another thing.
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

    /// The same with these bytes of the text struck as well.
    #[must_use]
    pub fn strike(&self, more: &[std::ops::Range<usize>]) -> Self {
        let more = more.iter().filter(|r| !r.is_empty()).map(|r| self.whole_numbers(r.clone()));
        let mut all: Vec<_> = self.gone().chain(more).collect();
        all.sort_by_key(|span| (span.start, span.end));
        let mut merged: Vec<std::ops::Range<usize>> = Vec::new();
        for range in all {
            match merged.last_mut() {
                // Nothing but blanks between two is struck with them.
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

/// The text that statements make: what holds of each, in their order.
pub fn content_of(statements: &[Statement]) -> String {
    let mut held: Vec<String> = statements.iter().map(Statement::holds).filter(|t| !t.is_empty()).collect();
    if held.len() > 1 {
        // The mark between them ends each.
        held.iter_mut().for_each(|t| t.truncate(t.trim_end_matches('.').len()));
    }
    held.join(BETWEEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_struck_is_counted_in_the_units_of_a_page() {
        let said = Statement::new("🚀 예산은 50M, 1월 시작");
        let (from, to) = (said.text.find("예산").unwrap(), said.text.find(" 1월").unwrap());
        let struck = said.strike(std::slice::from_ref(&(from..to)));
        assert_eq!(struck.struck, [[3, 11]]);
        assert_eq!(struck.holds(), "🚀 1월 시작");
        let page: Vec<u16> = said.text.encode_utf16().collect();
        assert_eq!(String::from_utf16(&page[3..11]).unwrap(), "예산은 50M,");
    }

    #[test]
    fn strikes_that_touch_become_one() {
        let said = Statement::new("a b c d");
        assert_eq!(said.strike(&[4..5, 0..1, 2..3]).struck, [[0, 5]]);
        assert_eq!(
            said.strike(std::slice::from_ref(&(0..1))).strike(std::slice::from_ref(&(6..7))).struck,
            [[0, 1], [6, 7]]
        );
        assert_eq!(said.strike(std::slice::from_ref(&(0..7))).holds(), "");
    }

    #[test]
    fn no_number_is_struck_in_half() {
        let said = Statement::new("The budget is 2,50 € of 3.75 €.");
        for (range, held) in [
            (14..15, "The budget is € of 3.75 €."),
            (16..18, "The budget is € of 3.75 €."),
            (26..27, "The budget is 2,50 € of €."),
        ] {
            assert_eq!(said.strike(std::slice::from_ref(&range)).holds(), held);
        }
        let listed = Statement::new("Rooms 3, 5 and 7.");
        assert_eq!(listed.strike(std::slice::from_ref(&(6..7))).holds(), "Rooms, 5 and 7.");
    }

    #[test]
    fn no_mark_is_left_where_its_words_are_struck() {
        let said = Statement::new("Starts 15 Jan, budget 50M");
        assert_eq!(said.strike(std::slice::from_ref(&(15..25))).holds(), "Starts 15 Jan");
        assert_eq!(said.strike(std::slice::from_ref(&(0..13))).holds(), "budget 50M");
        assert_eq!(
            content_of(&[Statement::new("x"), said.strike(std::slice::from_ref(&(0..25))), said]),
            "x · Starts 15 Jan, budget 50M"
        );
    }
}
