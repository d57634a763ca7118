//! Running text → sentences, in Korean and English.
//!
//! It never splits a decimal, an abbreviation, an initial, an address, a version or a Korean date written with dots.

use crate::language::{Words, is_hangul, is_lone_letter, words};
use std::ops::Range;

/// The most characters of a sentence: a memory holds 2,000, with the days that are written into it.
const LONGEST: usize = 1_600;

/// The sentences of a paragraph, as byte ranges without surrounding white space.
///
/// Line ends in it are the author's own: a line that ends as a sentence does ends one.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut depth = 0i32;
    // Up to there stand marks that end nothing, since a letter follows them.
    let mut idle = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '(' | '[' | '（' => depth += 1,
            ')' | ']' | '）' => depth = (depth - 1).max(0),
            // A bracket that is never closed must not swallow the rest.
            '\n' => depth = 0,
            _ => {}
        }
        if depth > 0 {
            continue;
        }
        let after = at + c.len_utf8();
        let closing = || if at < idle { None } else { Some(closing_end(text, after)) };
        let end = match c {
            '\n' => Some(Ok(after)),
            '!' | '?' | '。' | '！' | '？' => closing(),
            '.' => closing().map(|end| end.and_then(|end| period_end(text, at, end).ok_or(at))),
            '…' => closing().map(|end| end.and_then(|end| starts_anew(&text[end..]).then_some(end).ok_or(at))),
            '~' if text[..at].ends_with(is_hangul) => closing(),
            _ => None,
        };
        if let Some(Err(until)) = end {
            idle = until.max(idle);
        }
        if let Some(Ok(end)) = end {
            push(text, start..end, &mut found);
            start = end;
            while chars.peek().is_some_and(|(next, _)| *next < end) {
                chars.next();
            }
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

fn push(text: &str, mut range: Range<usize>, found: &mut Vec<Range<usize>>) {
    while let Some(end) = too_long(&text[range.clone()]) {
        found.push(range.start..range.start + end);
        range.start += end + (text[range.start + end..].len() - text[range.start + end..].trim_start().len());
    }
    let slice = &text[range.clone()];
    let start = range.start + (slice.len() - slice.trim_start().len());
    let end = start + slice.trim().len();
    if text[start..end].chars().any(char::is_alphanumeric) {
        found.push(start..end);
    } else if let Some(last) = found.last_mut().filter(|_| start < end) {
        // A lone mark belongs to the sentence before it.
        last.end = end;
    }
}

/// Where a sentence breaks that no memory would hold whole: at its last comma that does, else at its last blank.
fn too_long(text: &str) -> Option<usize> {
    let (most, _) = text.char_indices().nth(LONGEST)?;
    let head = &text[..most];
    Some(
        head.rfind(", ")
            .map(|at| at + 1)
            .or_else(|| head.rfind(char::is_whitespace))
            .filter(|at| *at > 0)
            .unwrap_or(most),
    )
}

/// Past further marks, closing quotes and brackets; only where white space or the end follows, else where they end.
fn closing_end(text: &str, at: usize) -> Result<usize, usize> {
    let rest = &text[at..];
    let marks = |c: char| {
        is_lone_letter(c) || matches!(c, '!' | '?' | '.' | '~' | '^' | ';' | ')' | '"' | '\'' | '”' | '’' | '」' | '』')
    };
    let len = rest.find(|c: char| !marks(c)).unwrap_or(rest.len());
    let next = rest[len..].chars().next();
    if next.is_none_or(char::is_whitespace) { Ok(at + len) } else { Err(at + len) }
}

/// The end of the sentence that the period at `at`, and the marks up to `end`, end, if they do.
fn period_end(text: &str, at: usize, end: usize) -> Option<usize> {
    let head = &text[..at];
    let word_at = head
        .rfind(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“' | '\''))
        .map_or(0, |i| i + head[i..].chars().next().map_or(1, char::len_utf8));
    let word = &head[word_at..];
    let next = text[end..].trim_start();
    if next.is_empty() {
        return Some(end);
    }
    if word.ends_with(is_hangul) {
        return Some(end);
    }
    // 2025. 3. 4. and lists "1. …"
    if word.chars().all(|c| c.is_ascii_digit()) && !word.is_empty() {
        let dated = next.starts_with(|c: char| c.is_ascii_digit());
        let numbers_a_list = head[..word_at].trim_end().is_empty() || head[..word_at].ends_with('\n');
        let after_digits = head[..word_at].trim_end().ends_with('.');
        return (!dated && !numbers_a_list && !after_digits).then_some(end);
    }
    let lower = word.to_lowercase();
    static ALWAYS: &Words = words!("mail/abbreviations.always");
    static NUMBERED: &Words = words!("mail/abbreviations.before a number");
    if ALWAYS.contains(&lower.as_str())
        && (!NUMBERED.contains(&lower.as_str()) || next.starts_with(|c: char| c.is_ascii_digit() || c == '#'))
    {
        return None;
    }
    let named = head[..word_at].split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let initial = word.chars().count() == 1
        && word.chars().all(char::is_uppercase)
        && word != "I"
        && !words!("mail/abbreviations.lettered").contains(&named.as_str());
    if initial && next.starts_with(char::is_uppercase) {
        return None;
    }
    // Those may end a sentence; a capital tells, unless it begins a name of the calendar.
    if words!("mail/abbreviations.maybe").contains(&lower.as_str()) {
        let first = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        return (starts_anew(next) && !is_calendar_word(first) && !first.starts_with(|c: char| c.is_ascii_digit()))
            .then_some(end);
    }
    starts_anew(next).then_some(end)
}

fn is_calendar_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    lower.len() >= 3 && words!("mail/abbreviations.calendar").begin(&lower) && word.starts_with(char::is_uppercase)
}

/// Whether text looks like the beginning of a sentence: anything but a small letter or a mark that goes on.
fn starts_anew(next: &str) -> bool {
    let first = next.trim_start().chars().find(|c| !matches!(c, '"' | '\'' | '“' | '‘' | '(' | '[' | '*'));
    first.is_none_or(|c| !c.is_lowercase() && !matches!(c, ',' | ';' | ':' | ')' | '-' | '–'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn a_sentence_without_an_end_is_told_in_parts() {
        let talk = "그리고 화요일에는 도서관에 갔다가 ".repeat(200);
        let parts = split(&talk);
        assert!(parts.len() == 3 && parts.iter().all(|p| p.chars().count() <= LONGEST), "{}", parts.len());
        assert_eq!(parts.join(" "), talk.trim());
        let listed = "the blue tiles, ".repeat(150);
        assert!(split(&listed)[0].ends_with("the blue tiles,"));
        assert_eq!(split(&"x".repeat(3_300)).iter().map(|p| p.len()).collect::<Vec<_>>(), [1_600, 1_600, 100]);
    }

    #[test]
    fn sentences_end_where_they_end() {
        for (text, parts) in [
            ("It is at 3 p.m. on Friday. Bring a pen.", vec!["It is at 3 p.m. on Friday.", "Bring a pen."]),
            ("We meet at 3 p.m. Bring a pen.", vec!["We meet at 3 p.m.", "Bring a pen."]),
            ("We meet at 3 p.m. Tuesday.", vec!["We meet at 3 p.m. Tuesday."]),
            (
                "Mr. Noh paid EUR 9,265.00 for v2.3 of e.g. this. OK?",
                vec!["Mr. Noh paid EUR 9,265.00 for v2.3 of e.g. this.", "OK?"],
            ),
            (
                "Dr. J. R. Smith wrote. See a.b.example/x.y now.",
                vec!["Dr. J. R. Smith wrote.", "See a.b.example/x.y now."],
            ),
            ("Invoice No. 12 is due. No. It is not.", vec!["Invoice No. 12 is due.", "No.", "It is not."]),
            (
                "예산은 8,400만원입니다. 불량률은 1.2%예요! 어때요?",
                vec!["예산은 8,400만원입니다.", "불량률은 1.2%예요!", "어때요?"],
            ),
            ("2025. 3. 4. 화요일에 만나요. 끝", vec!["2025. 3. 4. 화요일에 만나요.", "끝"]),
            ("좋아요~ 그럼 10:00~14:00에 봐요ㅎㅎ", vec!["좋아요~", "그럼 10:00~14:00에 봐요ㅎㅎ"]),
            ("한 줄입니다\n다음 줄", vec!["한 줄입니다", "다음 줄"]),
            ("He said \"come at 5.\" We did.", vec!["He said \"come at 5.\"", "We did."]),
            ("The room (see p. 3. Floor) is 4. It is big.", vec!["The room (see p. 3. Floor) is 4.", "It is big."]),
            ("It is in Hall B. Slides are due.", vec!["It is in Hall B.", "Slides are due."]),
            ("Hmm... maybe. Yes…", vec!["Hmm... maybe.", "Yes…"]),
            ("We use version 3. The old one stays.", vec!["We use version 3.", "The old one stays."]),
            ("...", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(split(text), parts, "{text}");
        }
    }
}
