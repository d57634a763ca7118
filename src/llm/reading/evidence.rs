//! Finds the evidence of an entry in the mail, whole or in pieces. It returns the mail's own words.

use super::question::MailQuestion;
use crate::language::is_lone_letter;
use std::ops::Range;

const MAX_EVIDENCE: usize = 1_500;

/// The words of the mail's text or subject that match an evidence, which may omit parts ("…").
pub(super) fn find_evidence(asked: &MailQuestion, evidence: &str) -> Option<String> {
    if evidence.chars().count() > MAX_EVIDENCE {
        return None;
    }
    // The model may copy the mark of the subject line.
    let evidence = evidence.trim().strip_prefix("Subject: ").unwrap_or(evidence);
    let texts = || asked.passages.iter().map(|p| p.text.as_str()).chain([asked.subject.as_str()]);
    let stands = |words: &str| texts().find_map(|t| Some(t[find(t, words)?].to_owned()));
    stands(evidence).or_else(|| {
        let pieces = evidence.split(['\n', '…']).flat_map(|p| p.split("...")).map(str::trim).filter(|p| !p.is_empty());
        let found: Option<Vec<String>> = pieces.map(stands).collect();
        found.filter(|f| f.len() > 1).map(|f| f.join("\n"))
    })
}

/// Finds `words` in a text, ignoring case, white space and punctuation outside numbers.
fn find(text: &str, words: &str) -> Option<Range<usize>> {
    let letters = |text: &str| -> Vec<(usize, char)> {
        let all: Vec<(usize, char)> = text.char_indices().collect();
        let digit = |at: Option<usize>| at.and_then(|n| all.get(n)).is_some_and(|(_, c)| c.is_ascii_digit());
        let kept = |(n, (_, c)): &(usize, &(usize, char))| {
            c.is_alphanumeric() && !is_lone_letter(*c)
                || ".,:/-".contains(*c) && digit(n.checked_sub(1)) && digit(Some(n + 1))
        };
        all.iter().enumerate().filter(kept).map(|(_, (at, c))| (*at, c.to_lowercase().next().unwrap_or(*c))).collect()
    };
    let chars = letters(text);
    let wanted: Vec<char> = letters(words).into_iter().map(|(_, c)| c).collect();
    if wanted.is_empty() {
        return None;
    }
    let spans = chars.windows(wanted.len()).filter(|w| w.iter().map(|(_, c)| c).eq(&wanted)).filter_map(|found| {
        let (start, end) = (found.first()?, found.last()?);
        Some(start.0..text.ceil_char_boundary(end.0 + 1))
    });
    // A percent sign belongs to its figure.
    let signs: &[char] = match words.rsplit(char::is_alphanumeric).next().and_then(|end| end.chars().next()) {
        Some('%' | '％') => &['%', '％'],
        Some('‰') => &['‰'],
        _ => &[],
    };
    let signed = |end: usize| text[end..].chars().next().filter(|c| signs.contains(c)).map_or(0, char::len_utf8);
    // "이장님이 가져가셨대ㅋㅋ": laughter is not part of a word.
    let laughs = |end: usize| text[end..].chars().take_while(|c| is_lone_letter(*c)).map(char::len_utf8).sum::<usize>();
    let mut span = spans
        .map(|span| span.start..span.end + signed(span.end))
        .find(|span| crate::analysis::is_whole(text, &(span.start..span.end + laughs(span.end))))?;
    // Includes the end mark if both have it.
    let mark = words.trim_end().chars().next_back().filter(|c| !c.is_alphanumeric());
    if let Some(mark) = mark.filter(|mark| text[span.end..].starts_with(*mark)) {
        span.end += mark.len_utf8();
    }
    Some(span)
}
