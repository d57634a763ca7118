//! Cuts off text below a message: signatures, phone footers, disclaimers, unsubscribe notices. Reads only the last
//! paragraphs, except for footer lines, which are removed anywhere.

use crate::language::{Value, Words, is_hangul, values, words};
use crate::mail::Person;

pub fn split(text: &str, author: Option<&Person>) -> (String, String) {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut signature: Vec<&str> = Vec::new();
    if let Some(at) = delimiter(&lines) {
        signature.extend(lines.drain(at..).skip(1));
    }
    lines.retain(|l| !is_footer_line(l));
    // Footers stack: a disclaimer below a signature below a phone footer. Text above the author's
    // name is content.
    let mut is_signed = false;
    for _ in 0..8 {
        let is_apart = lines.last().is_some_and(|l| l.trim().is_empty());
        trim_end(&mut lines);
        if let Some(at) = closing(&lines) {
            signature.splice(0..0, lines.drain(at..));
            is_signed = true;
            continue;
        }
        let Some(start) = last_paragraph(&lines) else { break };
        let paragraph = &lines[start..];
        if is_disclaimer(&paragraph.join(" ")) && start > 0 {
            let card = paragraph.iter().take_while(|l| is_card_line(l)).count();
            signature.splice(0..0, paragraph[..card].iter().copied());
            lines.truncate(start);
        } else if let Some((cut, by_name)) = signature_start(paragraph, author) {
            if start + cut == 0 || is_signed && is_apart && !by_name {
                break;
            }
            signature.splice(0..0, lines.drain(start + cut..));
            is_signed |= by_name;
        } else {
            break;
        }
    }
    (lines.join("\n"), signature.join("\n").trim().to_owned())
}

/// The line of a closing ("Best regards,") followed only by a few short or empty lines.
fn closing(lines: &[&str]) -> Option<usize> {
    let mut below = 0;
    for (at, line) in lines.iter().enumerate().rev() {
        let line = line.trim();
        if is_closing(line) {
            return (at > 0).then_some(at);
        }
        below += usize::from(!line.is_empty());
        // Below a closing, lines in columns count as signature lines.
        if below > 12 || !line.is_empty() && !is_card_line(line) && !line.contains(" | ") {
            return None;
        }
    }
    None
}

fn trim_end(lines: &mut Vec<&str>) {
    while lines.last().is_some_and(|l| l.trim().is_empty() || is_rule(l)) {
        lines.pop();
    }
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() >= 2 && line.chars().all(|c| matches!(c, '-' | '_' | '=' | '*' | '─' | '━' | '—' | '~' | '·'))
}

fn last_paragraph(lines: &[&str]) -> Option<usize> {
    if lines.is_empty() {
        return None;
    }
    Some(lines.iter().rposition(|l| l.trim().is_empty()).map_or(0, |i| i + 1))
}

/// The line of a signature delimiter (`-- `) with little text below.
fn delimiter(lines: &[&str]) -> Option<usize> {
    const MOST_LINES: usize = 30;
    // Three dashes may be a rule; they delimit a signature only if the text below is short, without
    // dates and prices.
    let is_card = |below: &[&str]| {
        below.len() <= 8 && below.iter().all(|l| l.chars().count() <= 90) && !below.iter().any(|l| has_date_or_price(l))
    };
    (1..lines.len()).find(|at| {
        let below = &lines[at + 1..];
        match lines[*at].trim() {
            "--" | "—" | "- -" => below.len() <= MOST_LINES,
            "---" => is_card(below),
            _ => false,
        }
    })
}

fn has_date_or_price(line: &str) -> bool {
    let is_news = |value: &Value| match value {
        Value::Date(date) => date.month.is_some() && date.day.is_some(),
        Value::Range(ends) => matches!(ends.0, Value::Date(_)),
        Value::Money { .. } => true,
        _ => false,
    };
    values(line, None).iter().any(|found| is_news(&found.value))
}

/// Whether a line was added by a phone or mailing list software.
fn is_footer_line(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() || line.chars().count() > 200 {
        return false;
    }
    let lower = line.to_lowercase();
    let bare = lower.trim_end_matches(['.', '!']);
    line.chars().count() <= 70
        && (words!("mail/footer.sent from").begin(lower.trim_start_matches(['<', '[']))
            || words!("mail/footer.sent").end(bare) && words!("mail/footer.devices").stand_in(&lower)
            || words!("mail/footer.apps").stand_in(&lower) && words!("mail/footer.downloads").stand_in(&lower))
}

/// Whether a sentence is boilerplate: unsubscribe notices, reasons for receipt, no-reply notices.
pub(crate) fn is_boilerplate(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    words!("mail/footer.words").stand_in(&lower)
}

pub fn is_disclaimer(paragraph: &str) -> bool {
    let lower = paragraph.to_lowercase();
    let has = |w: &&&str| lower.contains(**w);
    words!("mail/footer.strong").stand_in(&lower) || words!("mail/footer.weak").iter().filter(has).count() >= 3
}

/// The line of the last paragraph where the signature starts, and whether it starts with the author's name.
fn signature_start(paragraph: &[&str], author: Option<&Person>) -> Option<(usize, bool)> {
    const MOST_LINES: usize = 10;
    // A block of short lines that names the author or looks like a business card.
    let from = paragraph.iter().rposition(|l| !is_card_line(l)).map_or(0, |i| i + 1);
    let block = &paragraph[from..];
    if block.is_empty() || block.len() > MOST_LINES {
        return None;
    }
    if let Some(at) = block.iter().position(|l| is_signed(l, author)) {
        return Some((from + at, true));
    }
    // A date or price is content, even in columns.
    if block.iter().any(|l| has_date_or_price(l)) {
        return None;
    }
    let contact = block.iter().any(|l| is_contact(l));
    let card = from == 0 && block.iter().any(|l| is_role(l)) || contact && block.len() >= 2;
    card.then_some((from, false))
}

/// Whether a line is only a closing such as "Best regards,".
pub fn is_closing(line: &str) -> bool {
    if let Some((one, other)) = line.split_once(" / ") {
        return is_closing(one) && other.chars().count() <= 40;
    }
    let words = line.trim().trim_end_matches([',', '.', '!', '~', '^', ' ']).to_lowercase();
    words!("mail/footer.closings").contains(&words.as_str())
}

/// Whether a line can belong to a signature: short, no sentence, no labelled value.
fn is_card_line(line: &str) -> bool {
    static DATES: &Words = words!("mail/footer.a date has all of");
    let line = line.trim();
    if line.is_empty()
        || line.chars().count() > 80
        || line.starts_with(['-', '*', '•', '·', '※', '○', '■']) && !is_rule(line)
    {
        return false;
    }
    let first = line.split([' ', ':']).next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    if words!("mail/footer.no signature").contains(&first.as_str()) {
        return false;
    }
    if is_contact(line) {
        return true;
    }
    let end = line.trim_end_matches(['.', '!', '?', '~', ')', ' ']);
    let sentence = line.ends_with(['.', '!', '?']) && !ends_in_abbreviation(line)
        || words!("mail/footer.ends of sentences").end(end) && end.chars().count() > 8;
    let label =
        line.split_once([':', '：']).is_some_and(|(name, value)| !value.trim().is_empty() && !is_contact_label(name));
    let dated = DATES.iter().all(|d| line.contains(d)) && line.bytes().any(|b| b.is_ascii_digit());
    !sentence && !label && !dated
}

fn ends_in_abbreviation(line: &str) -> bool {
    let last = line.rsplit(' ').next().unwrap_or_default().to_lowercase();
    words!("mail/footer.abbreviations").contains(&last.as_str())
}

fn is_contact_label(name: &str) -> bool {
    let name: String = name.trim().to_lowercase().chars().filter(|c| !matches!(c, ' ' | '.')).collect();
    words!("mail/footer.contacts").contains(&name.as_str())
}

fn is_contact(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    if lower.chars().count() > 120 {
        return false;
    }
    if let Some((name, value)) = lower.split_once([':', '：'])
        && is_contact_label(name)
        && !value.trim().is_empty()
    {
        return true;
    }
    let words = lower.split_whitespace().count();
    if words <= 4 && (lower.contains('@') && lower.contains('.') || lower.contains("www.") || lower.starts_with("http"))
    {
        return true;
    }
    // 010-0000-4471, +82 2 000 0000, 051-000-2290.
    let digits = lower.bytes().filter(u8::is_ascii_digit).count();
    let phone = lower.split(['/', '|', ',', '·']).any(|part| {
        let part = part.trim().trim_start_matches(|c: char| c.is_alphabetic() || matches!(c, '.' | ' '));
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        let only = part.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | ' ' | '(' | ')' | '.'));
        only && (9..=15).contains(&digits) && (part.starts_with(['0', '+', '(']))
    });
    phone && digits >= 9
}

fn is_role(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    let is_of_counts = lower.bytes().any(|b| b.is_ascii_digit()) && !is_contact(line);
    if (lower.contains(" | ") || lower.contains(" / ")) && !is_of_counts {
        return true;
    }
    lower.split([' ', '/', '|', ',']).any(|w| words!("mail/footer.korean titles").end(w))
        || words!("mail/footer.english titles").iter().any(|e| {
            lower.split([' ', '/', '|', ',', '(']).any(|w| w.starts_with(e)) || e.contains(' ') && lower.contains(e)
        })
}

/// Whether a line is the author's name, alone or with a title or "드림".
fn is_signed(line: &str, author: Option<&Person>) -> bool {
    let line = line.trim().trim_start_matches(['-', '–', '—', '~', ' ']);
    if line.chars().count() > 50 {
        return false;
    }
    let lower = line.to_lowercase();
    let bare = lower.trim_end_matches([',', '.', '!', '~']);
    if words!("mail/footer.signed").end(bare) {
        return true;
    }
    let Some(author) = author else { return false };
    let name = author.name.as_deref().unwrap_or_default().to_lowercase();
    let local = author.address.split('@').next().unwrap_or_default();
    let known = |word: &str| {
        let long = word.chars().count() >= 2;
        let hangul = word.chars().all(is_hangul);
        long && (name.split([' ', ',', '.', '(']).any(|n| n == word)
            || hangul
                && !name.is_empty()
                && (name.ends_with(word) || name.starts_with(word) && word.chars().count() >= 3)
            || local.split(['.', '_', '-']).any(|n| n == word))
    };
    let words: Vec<&str> = bare.split([' ', ',', '/', '|', '(', ')']).filter(|w| !w.is_empty()).collect();
    let named = words.iter().filter(|w| known(w)).count();
    // The name comes first, or alone with a title.
    named > 0 && (words.len() <= named + 1 || known(words[0]) && !bare.contains(". ")) && words.len() <= 8
}
