//! Splits a section of a mail into sentences, list items and rows, each with its byte range. Wrapped lines are joined;
//! no word is changed.

use super::category_cues::announces_decisions;
use crate::language::{has_hangul, is_hangul, is_lone_letter, single_spaced, words};
use std::ops::Range;

/// "결정 사항" above a list, without a colon.
const MAX_HEADING_WORDS: usize = 3;
const MAX_PARTS: usize = 10_000;
/// Maximum bytes of a part; a memory is far shorter.
const MAX_PART_BYTES: usize = 6_000;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum LineForm {
    #[default]
    Sentence,
    /// A sentence or line that announces a list.
    Lead,
    Item,
    /// `name: value`.
    Row {
        name: String,
        value: String,
    },
}

impl LineForm {
    pub const fn is_listed(&self) -> bool {
        matches!(self, Self::Item | Self::Row { .. })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MailPart {
    pub form: LineForm,
    /// Its words, with white space collapsed and without list markers.
    pub text: String,
    pub span: Range<usize>,
    /// The number of its paragraph or list.
    pub paragraph: usize,
}

pub(super) fn parts(text: &str, range: Range<usize>) -> Vec<MailPart> {
    let mut out: Vec<MailPart> = Vec::new();
    let groups = groups(text, range);
    for (n, group) in groups.iter().enumerate().take(MAX_PARTS) {
        let list_follows = groups.get(n + 1).is_some_and(|next| next.form.is_listed());
        let make_part = |form: LineForm, span: Range<usize>| {
            let words = match &form {
                LineForm::Row { name, value } => format!("{name}: {value}"),
                _ => single_spaced(&text[span.clone()]),
            };
            let text = words[..words.floor_char_boundary(MAX_PART_BYTES)].to_owned();
            MailPart { form, text, span, paragraph: group.paragraph }
        };
        if group.form != LineForm::Sentence {
            out.push(make_part(group.form.clone(), group.body..group.end));
            continue;
        }
        let mut found = sentences(&text[group.body..group.end], &group.breaks);
        found.truncate(MAX_PARTS);
        let last = found.len().saturating_sub(1);
        for (k, range) in found.into_iter().enumerate() {
            let span = group.body + range.start..group.body + range.end;
            let leads = k == last && (list_follows || text[span.clone()].ends_with([':', '：']));
            let form = if leads && is_lead(&text[span.clone()]) { LineForm::Lead } else { LineForm::Sentence };
            out.push(make_part(form, span));
        }
    }
    out
}

fn is_lead(sentence: &str) -> bool {
    let is_heading = || sentence.split_whitespace().count() <= MAX_HEADING_WORDS && announces_decisions(sentence);
    sentence.ends_with([':', '：']) || words!("mail/labels.leads").stand_in(&sentence.to_lowercase()) || is_heading()
}

struct LineGroup {
    form: LineForm,
    /// Byte offset of its words, after any list marker.
    body: usize,
    end: usize,
    paragraph: usize,
    /// Intended line breaks inside it, as offsets from `body`.
    breaks: Vec<usize>,
}

struct RawLine<'a> {
    text: &'a str,
    start: usize,
    indent: usize,
}

fn groups(text: &str, range: Range<usize>) -> Vec<LineGroup> {
    let lines = lines(text, range);
    let widest = lines.iter().map(|l| width(l.text)).max().unwrap_or(0);
    // Without automatic wrapping, lines have any length.
    let wrap_width = (40..=110).contains(&widest).then_some(widest);
    let rows = rows(&lines);
    let mut groups: Vec<LineGroup> = Vec::new();
    let (mut gap, mut paragraph) = (true, 0);
    for (n, line) in lines.iter().enumerate() {
        if line.text.is_empty() || is_separator(line.text) {
            gap = true;
            continue;
        }
        let is_continued = !gap && n > 0 && is_wrapped(lines[n - 1].text, line.text, wrap_width);
        let columns = line.text.matches(" | ").count();
        if columns >= 2 && is_table_head(&lines, n, columns) {
            continue;
        }
        let item_text = item_text(line.text).or_else(|| (columns >= 2).then_some(line.text));
        let (end, plain) = (line.start + line.text.len(), item_text.is_none() && rows[n].is_none());
        match groups.last_mut().filter(|_| plain && !gap) {
            Some(last) if last.form == LineForm::Sentence => {
                if !is_continued {
                    last.breaks.push(line.start - last.body);
                }
                last.end = end;
            }
            // Indented or wrapped lines continue the item above.
            Some(last) if is_continued || line.indent > 1 => {
                if let LineForm::Row { value, .. } = &mut last.form {
                    value.push(' ');
                    value.push_str(line.text);
                }
                last.end = end;
            }
            _ => {
                let form = match (&rows[n], item_text) {
                    (Some((name, value)), _) => LineForm::Row { name: name.clone(), value: value.clone() },
                    (None, Some(_)) => LineForm::Item,
                    (None, None) => LineForm::Sentence,
                };
                paragraph += usize::from(gap || groups.last().is_none_or(|b| b.form.is_listed() != form.is_listed()));
                let body = line.start + item_text.map_or(0, |body| line.text.len() - body.len());
                groups.push(LineGroup { form, body, end, paragraph, breaks: Vec::new() });
            }
        }
        gap = false;
    }
    groups
}

/// Whether the line is a table header: rows with as many cells follow it, and it has no digit.
fn is_table_head(lines: &[RawLine<'_>], n: usize, columns: usize) -> bool {
    let is_row = |l: &&RawLine<'_>| l.text.matches(" | ").count() == columns;
    let above = lines[..n].iter().rev().find(|l| !is_separator(l.text)).filter(is_row);
    let below = lines[n + 1..].iter().find(|l| !is_separator(l.text)).filter(is_row);
    !lines[n].text.contains(|c: char| c.is_ascii_digit()) && above.is_none() && below.is_some()
}

fn lines<'a>(text: &'a str, range: Range<usize>) -> Vec<RawLine<'a>> {
    let mut at = range.start;
    let line = |line: &'a str| {
        let indent = line.len() - line.trim_start().len();
        let start = at + indent;
        at += line.len() + 1;
        RawLine { text: line.trim(), start, indent }
    };
    text[range].split('\n').map(line).collect()
}

/// Returns the width of a line in monospace columns. Hangul takes two.
fn width(line: &str) -> usize {
    line.chars().map(|c| if c >= '\u{1100}' { 2 } else { 1 }).sum()
}

/// Whether the line was wrapped automatically: the next word would not have fitted.
fn is_wrapped(line: &str, next: &str, wrap_width: Option<usize>) -> bool {
    let word = next.split_whitespace().next().unwrap_or_default();
    match wrap_width {
        _ if line.ends_with([':', '：']) => false,
        Some(wrap_width) if wrap_width >= 60 => width(line) + 1 + width(word) > wrap_width.min(80),
        // Without a known width, only a lowercase letter shows that the sentence continues.
        _ => !line.ends_with(['.', '!', '?', '。']) && next.starts_with(char::is_lowercase) && width(line) > 30,
    }
}

fn is_separator(line: &str) -> bool {
    let is_table_border = |c: char| matches!(c, '|' | '+' | ':') && line.contains("--");
    let is_mark = |c: char| "-_=*─━—~·# ".contains(c);
    line.chars().count() >= 3 && line.chars().all(|c| is_mark(c) || is_table_border(c))
}

fn item_text(line: &str) -> Option<&str> {
    const BULLETS: &[char] =
        &['-', '*', '•', '·', '○', '●', '■', '□', '▪', '▶', '►', '◆', '◇', '※', '–', '‣', '◦', '✓', '✔', '☐', '▷', '+'];
    let rest = line.trim_start_matches(BULLETS);
    let marks = line.len() - rest.len();
    if marks > 0 && marks <= 6 {
        let spaced = rest.starts_with(' ') || !line.starts_with(['-', '*', '+', '–', '·']);
        return Some(rest.trim_start()).filter(|body| spaced && !body.is_empty());
    }
    if let Some(circled) = line.chars().next().filter(|c| matches!(c, '①'..='⑳' | '❶'..='❿')) {
        return Some(line[circled.len_utf8()..].trim_start()).filter(|body| !body.is_empty());
    }
    // 1. 1) (1) 가. 가) a)
    let open = line.strip_prefix('(').unwrap_or(line);
    let digits = open.bytes().take_while(u8::is_ascii_digit).count();
    let label = if (1..=2).contains(&digits) {
        digits
    } else {
        let letter = open.chars().next()?;
        let counts = "가나다라마바사아자차카타파하".contains(letter) || letter.is_ascii_lowercase();
        let after = open[letter.len_utf8()..].chars().next();
        let fits = counts && (after == Some(')') || after == Some('.') && letter > 'z');
        if fits { letter.len_utf8() } else { return None }
    };
    // "3.5 %" is not a list item. "2025. 3. 4." is excluded by its four digits.
    let body = open[label..].strip_prefix(['.', ')'])?.strip_prefix(' ')?.trim_start();
    let is_date = body.starts_with(|c: char| c.is_ascii_digit())
        && body.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('.');
    (!body.is_empty() && !is_date).then_some(body)
}

/// Returns the name and value of each row: a line with a known label, or next to another row.
fn rows(lines: &[RawLine<'_>]) -> Vec<Option<(String, String)>> {
    let read = |(n, l): (usize, &RawLine<'_>)| match item_text(l.text) {
        // A numbered item is a separate statement.
        Some(_) if l.text.starts_with(|c: char| c.is_ascii_digit() || c == '(') => None,
        Some(body) => colon_row(body).or_else(|| cell_row(body)),
        None => colon_row(l.text).or_else(|| cell_row(l.text)).or_else(|| aligned_row(lines, n)),
    };
    let found: Vec<_> = lines.iter().enumerate().map(read).collect();
    let near = |n: usize, step: isize| {
        // Skip one empty line.
        (1..=2).map(|k| n.checked_add_signed(step * k)).find_map(|m| {
            let m = m.filter(|m| *m < lines.len())?;
            (!lines[m].text.is_empty()).then_some(found[m].is_some())
        })
    };
    let has_row_neighbour = |n: usize| near(n, -1) == Some(true) || near(n, 1) == Some(true);
    let keep = |(n, p): (usize, &Option<(String, String)>)| {
        p.as_ref().filter(|(name, _)| is_label(name) || has_row_neighbour(n)).cloned()
    };
    found.iter().enumerate().map(keep).collect()
}

/// Parses a row of two cells: `name ........ value`, `name | value`, `name value`.
fn cell_row(line: &str) -> Option<(String, String)> {
    let leader = line.find("....").or_else(|| line.find("····")).or_else(|| line.find("‥‥"));
    let bar = line.find(" | ").filter(|at| !line[at + 3..].contains(" | "));
    let at = leader.or(bar).or_else(|| line.find("    "))?;
    let marks = |c: char| c.is_whitespace() || matches!(c, '.' | '·' | '‥' | '|');
    make_row(&line[..at], line[at..].trim_start_matches(marks), if leader.is_some() { 8 } else { 4 })
}

/// Parses a row whose value starts in the same column as that of the line above or below.
fn aligned_row(lines: &[RawLine<'_>], n: usize) -> Option<(String, String)> {
    let gap = |l: &RawLine<'_>| {
        let at = l.text.find("  ")?;
        let value = at + l.text[at..].find(|c: char| c != ' ')?;
        Some((at, value, l.indent + width(&l.text[..value])))
    };
    let (name, value, column) = gap(&lines[n])?;
    let mut neighbours = [n.checked_sub(1), Some(n + 1)].into_iter().flatten().filter_map(|m| gap(lines.get(m)?));
    neighbours
        .any(|(.., other)| other == column)
        .then(|| make_row(&lines[n].text[..name], &lines[n].text[value..], 6))?
}

/// Builds a row if its name has at most `most` words.
fn make_row(name: &str, value: &str, most: usize) -> Option<(String, String)> {
    let name = name.trim();
    let fits = name.split_whitespace().count() <= most
        && name.chars().count() <= 48
        && name.chars().any(char::is_alphabetic)
        && !name.ends_with(['.', '!', '?']);
    let value = single_spaced(value);
    (fits && !value.is_empty()).then(|| (name.to_owned(), value))
}

/// Parses `name: value` if the name is a label and not the start of a sentence.
fn colon_row(line: &str) -> Option<(String, String)> {
    let at = line.find([':', '：'])?;
    let name = line[..at].trim().trim_matches(['*', '[', ']', '<', '>', '【', '】', '"']).trim();
    let rest = line[at..].trim_start_matches([':', '：']);
    let value = rest.trim().trim_matches('*').trim();
    let (words, hangul) = (name.split_whitespace().count(), has_hangul(name));
    let first = name.split_whitespace().next().unwrap_or_default().to_lowercase();
    let fits = (1..=4).contains(&words)
        && !words!("mail/labels.first words").contains(&first.as_str())
        && name.chars().count() <= if hangul { 20 } else { 32 }
        && !value.is_empty()
        && name.chars().any(char::is_alphabetic)
        && !name.contains(['.', '!', '?', ',', '|'])
        && !name.ends_with(|c: char| c.is_ascii_digit())
        && !value.starts_with("//");
    // Excludes "10:30" and "a:b".
    let spaced = rest.starts_with(char::is_whitespace) || hangul || value.starts_with(|c: char| c.is_ascii_digit());
    // A Korean label is a noun, without a sentence or clause ending.
    let is_clause = hangul && words > 1 && name.ends_with(['다', '요', '고', '데', '면', '서', '니']);
    (fits && spaced && !is_clause).then(|| (name.to_owned(), value.to_owned()))
}

/// Whether a name is a known property label (일시, Due date), which makes a row even without a neighbour.
fn is_label(name: &str) -> bool {
    let name: String = name.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    words!("mail/labels.labels").contains(&name.as_str()) || words!("mail/labels.ends of labels").end(&name)
}

/// Splits a paragraph into sentences, as trimmed byte ranges. A line break in `breaks` ends a sentence.
fn sentences(text: &str, breaks: &[usize]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut depth, mut skip) = (0, 0usize, 0);
    let mut push = |range: Range<usize>| {
        let slice = &text[range.clone()];
        let start = range.start + (slice.len() - slice.trim_start().len());
        let end = start + slice.trim().len();
        if text[start..end].chars().any(char::is_alphanumeric) {
            found.push(start..end);
        } else if let Some(last) = found.last_mut().filter(|_| start < end) {
            // Lone punctuation belongs to the sentence before it.
            last.end = end;
        }
    };
    let mut breaks = breaks.iter().peekable();
    for (at, c) in text.char_indices() {
        if breaks.next_if(|b| **b <= at).is_some() {
            push(start..at.max(start));
            (start, depth) = (at.max(start), 0);
        }
        match c {
            '(' | '[' | '（' => depth += 1,
            ')' | ']' | '）' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends =
            matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…') || c == '~' && text[..at].ends_with(is_hangul);
        if at < skip || depth > 0 || !ends {
            continue;
        }
        let after = at + c.len_utf8();
        let marks = |c: char| is_lone_letter(c) || "!?.~^;)\"'”’」』".contains(c);
        let end = after + text[after..].find(|c: char| !marks(c)).unwrap_or(text.len() - after);
        skip = end;
        let is_parted = text[end..].chars().next().is_none_or(char::is_whitespace);
        let is_end = || match c {
            '.' => period_ends(text, at, end),
            '…' => starts_anew(&text[end..]),
            _ => true,
        };
        if is_parted && is_end() {
            push(start..end);
            start = end;
        }
    }
    push(start..text.len());
    found
}

/// Whether the period at `at` ends a sentence, and not a date, list number, abbreviation or initial.
fn period_ends(text: &str, at: usize, end: usize) -> bool {
    let head = &text[..at];
    let word_at = head
        .rfind(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“' | '\''))
        .map_or(0, |i| i + head[i..].chars().next().map_or(1, char::len_utf8));
    let (word, before) = (&head[word_at..], head[..word_at].trim_end());
    let next = text[end..].trim_start();
    let digit_follows = next.starts_with(|c: char| c.is_ascii_digit());
    if next.is_empty() || word.ends_with(is_hangul) {
        return true;
    }
    if !word.is_empty() && word.bytes().all(|c| c.is_ascii_digit()) {
        return !digit_follows && !before.is_empty() && !before.ends_with('.');
    }
    let lower = word.to_lowercase();
    let is_number_sign = words!("mail/abbreviations.before a number").contains(&lower.as_str());
    if words!("mail/abbreviations.always").contains(&lower.as_str()) && (!is_number_sign || digit_follows) {
        return false;
    }
    let named = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    if is_initial && next.starts_with(char::is_uppercase) {
        return words!("mail/abbreviations.lettered").contains(&named.as_str());
    }
    // These may end a sentence before a capital letter, except before a month or weekday.
    let goes_on = || digit_follows || words!("mail/abbreviations.calendar").begin(&next.to_lowercase());
    starts_anew(next) && !(words!("mail/abbreviations.maybe").contains(&lower.as_str()) && goes_on())
}

/// Whether text can start a sentence: no lowercase letter or continuing punctuation.
fn starts_anew(next: &str) -> bool {
    let first = next.trim_start().chars().find(|c| !matches!(c, '"' | '\'' | '“' | '‘' | '(' | '[' | '*'));
    first.is_none_or(|c| !c.is_lowercase() && !matches!(c, ',' | ';' | ':' | ')' | '-' | '–'))
}
