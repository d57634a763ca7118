//! Finds possible account numbers in any spelling, without dates, amounts, phone and order numbers.

use crate::language::{PersonalKind, Span, Value, Words, fold, is_hangul, personal, unmasked, values, words};
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AccountNumber {
    /// Its digits in ASCII.
    pub digits: String,
    /// Whether letters precede it directly, as in many codes.
    pub is_code: bool,
}

/// Minimum digits of an account number.
const LEAST: usize = 6;
/// Digits of a date with its year, and of an hour with its minutes.
const FULL_DATE: usize = 8;
const HOUR: usize = 4;
/// Maximum characters between two groups of digits, and characters searched before a number.
const GAP: usize = 4;
const LEAD: usize = 40;
/// Characters allowed between two groups of digits.
const GAPS: &str = " \t-‐‑‒–—―−/\\_·・.,:|•~'’\"()[]*+=#";
/// The zero of each script whose digits NFKC does not convert.
const ZEROS: &str = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰";
/// The first digit of each row of circled digits that NFKC does not convert.
const CIRCLED: &str = "❶➀➊⓵";
const HANGUL: [&str; 10] = ["공영", "일", "이", "삼", "사", "오", "육륙", "칠", "팔", "구"];
const HAN: [&str; 10] = ["〇零", "一壹壱", "二貳弐", "三參参", "四肆", "五伍", "六陸", "七柒", "八捌", "九玖"];

/// The possible account numbers in a text, in order. A number never spans two lines.
pub(super) fn numbers(text: &str) -> Vec<AccountNumber> {
    text.lines().flat_map(|line| numbers_of_line(&plain(line))).collect()
}

/// Converts digits to ASCII and drops invisible characters.
fn plain(line: &str) -> String {
    let is_seen = |c: &char| !matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{AD}' | '\u{FE0E}' | '\u{FE0F}' | '\u{20E3}');
    let seen: String = line.chars().filter(is_seen).collect();
    fold(&unmasked(&seen)).chars().map(|c| digit(c).unwrap_or(c)).collect()
}

fn digit(c: char) -> Option<char> {
    let from = |first: char, digits: u32| (c as u32).checked_sub(first as u32).filter(|n| *n < digits);
    let of_script = ZEROS.chars().find_map(|zero| from(zero, 10));
    let circled = CIRCLED.chars().find_map(|one| from(one, 9)).map(|n| n + 1);
    let zero = || matches!(c, '⓿' | '🄋' | '🄌').then_some(0);
    of_script.or(circled).or_else(zero).and_then(|n| char::from_digit(n, 10))
}

/// A run of characters of one script.
struct NumberToken<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberScript {
    Digits,
    Hangul,
    Han,
    Letters,
}

fn script(c: char) -> Option<NumberScript> {
    match c {
        '0'..='9' => Some(NumberScript::Digits),
        c if is_hangul(c) => Some(NumberScript::Hangul),
        c if HAN.iter().any(|row| row.contains(c)) => Some(NumberScript::Han),
        c => c.is_alphanumeric().then_some(NumberScript::Letters),
    }
}

fn tokens(line: &str) -> Vec<NumberToken<'_>> {
    let mut found: Vec<NumberToken<'_>> = Vec::new();
    let mut last = None;
    for (at, c) in line.char_indices() {
        let (kind, end) = (script(c), at + c.len_utf8());
        match found.last_mut().filter(|_| kind.is_some() && kind == last) {
            Some(token) => (token.end, token.text) = (end, &line[token.start..end]),
            None if kind.is_some() => found.push(NumberToken { text: &line[at..end], start: at, end }),
            None => {}
        }
        last = kind;
    }
    found
}

/// The role of a token within a number.
enum NumberPiece {
    Digits(String),
    /// Digits with a particle, which ends the number.
    Last(String),
    /// Repeats the next digit this many times.
    Times(usize),
    /// A word for a separator.
    Mark,
    Other,
}

impl NumberPiece {
    fn of(token: &NumberToken<'_>, before: Option<&NumberToken<'_>>, after: Option<&NumberToken<'_>>) -> Self {
        let first = token.text.chars().next().and_then(script);
        let joined = before.is_some_and(|b| b.end == token.start && b.text.ends_with(|c: char| c.is_ascii_digit()));
        match first {
            Some(NumberScript::Digits) => Self::Digits(token.text.to_owned()),
            Some(NumberScript::Han) => Self::Digits(digits_by_row(token.text, &HAN)),
            Some(NumberScript::Hangul) if matches!(token.text, "다시" | "대시" | "에" | "빼기") => Self::Mark,
            // Hangul directly after a figure is its unit or a particle.
            Some(NumberScript::Hangul) if joined => Self::Other,
            Some(NumberScript::Hangul) => {
                let is_digit = |c: &char| HANGUL.iter().any(|row| row.contains(*c));
                let length = token.text.chars().take_while(is_digit).map(char::len_utf8).sum();
                let (digits, rest) = token.text.split_at(length);
                let ends = words!("accounts.after a number").begin(rest);
                match (digits.is_empty(), rest.is_empty()) {
                    (false, true) => Self::Digits(digits_by_row(digits, &HANGUL)),
                    (false, false) if ends => Self::Last(digits_by_row(digits, &HANGUL)),
                    _ => Self::Other,
                }
            }
            _ => {
                let near = joined
                    || after.is_some_and(|a| a.start == token.end && a.text.starts_with(|c: char| c.is_ascii_digit()));
                match token.text {
                    "zero" | "oh" | "nought" | "naught" => Self::Digits("0".into()),
                    "o" | "oo" if near => Self::Digits("0".repeat(token.text.len())),
                    "l" | "i" if near => Self::Digits("1".into()),
                    "double" => Self::Times(2),
                    "triple" | "treble" => Self::Times(3),
                    "dash" | "hyphen" | "minus" | "slash" | "dot" | "space" | "then" => Self::Mark,
                    word => {
                        let names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
                        let digit = names.iter().position(|name| *name == word);
                        digit.map_or(Self::Other, |n| Self::Digits((n + 1).to_string()))
                    }
                }
            }
        }
    }
}

fn digits_by_row(text: &str, rows: &[&str; 10]) -> String {
    text.chars().filter_map(|c| rows.iter().position(|row| row.contains(c))).map(|n| n.to_string()).collect()
}

#[derive(Default)]
struct DigitGroups {
    groups: Vec<(String, Range<usize>)>,
    gaps: Vec<String>,
    times: usize,
}

fn numbers_of_line(line: &str) -> Vec<AccountNumber> {
    let tokens = tokens(line);
    let (mut runs, mut run) = (Vec::new(), DigitGroups::default());
    for (n, token) in tokens.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|n| tokens.get(n));
        let piece = NumberPiece::of(token, before, tokens.get(n + 1));
        let gap = run.groups.last().and_then(|(_, last)| line.get(last.end..token.start)).unwrap_or_default();
        let breaks = gap.chars().any(|c| !GAPS.contains(c) && !c.is_alphabetic())
            || gap.split(char::is_alphabetic).any(|g| g.chars().count() > GAP);
        if breaks && run.times == 0 {
            runs.push(std::mem::take(&mut run));
        }
        let mut ends = false;
        match piece {
            NumberPiece::Digits(digits) => run.push(digits, token, line),
            NumberPiece::Last(digits) => {
                run.push(digits, token, line);
                ends = true;
            }
            NumberPiece::Times(times) => run.times = times,
            NumberPiece::Mark => {}
            NumberPiece::Other => {
                run.drop_counted_figure(token);
                ends = true;
            }
        }
        if ends {
            runs.push(std::mem::take(&mut run));
        }
    }
    runs.push(run);
    let moving = moving(line);
    let phones: Vec<(Range<usize>, String)> =
        personal(line).into_iter().filter(|p| p.kind == PersonalKind::Phone).map(|p| (p.range, p.key)).collect();
    runs.into_iter().filter_map(|run| run.number(line, &moving, &phones)).collect()
}

/// The spans of dates, times, durations and amounts in a line.
fn moving(line: &str) -> Vec<Span> {
    let is_moving = |value: &Value| {
        matches!(
            value,
            Value::Date(_)
                | Value::Clock(_)
                | Value::Range(_)
                | Value::Money { .. }
                | Value::Duration(_)
                | Value::Percent(_)
                | Value::Period(_)
        )
    };
    values(line, None).into_iter().filter(|f| is_moving(&f.value)).map(|f| f.span).collect()
}

impl DigitGroups {
    fn push(&mut self, digits: String, token: &NumberToken<'_>, line: &str) {
        if let Some((_, last)) = self.groups.last() {
            self.gaps.push(line.get(last.end..token.start).unwrap_or_default().to_owned());
        }
        let times = std::mem::take(&mut self.times).max(1);
        self.groups.push((digits.repeat(times), token.start..token.end));
    }

    /// Drops a figure that counts the word directly after it: 3월, 25km.
    fn drop_counted_figure(&mut self, token: &NumberToken<'_>) {
        let joined = self.groups.last().is_some_and(|(_, last)| last.end == token.start);
        let is_particle = token.text.starts_with(is_hangul) && words!("accounts.after a number").begin(token.text);
        if joined && !is_particle {
            self.groups.pop();
            self.gaps.pop();
        }
    }

    fn number(self, line: &str, moving: &[Span], phones: &[(Range<usize>, String)]) -> Option<AccountNumber> {
        let (start, end) = (self.groups.first()?.1.start, self.groups.last()?.1.end);
        let digits: String = self.groups.iter().map(|(digits, _)| digits.as_str()).collect();
        let sizes: Vec<usize> = self.groups.iter().map(|(digits, _)| digits.len()).collect();
        let only = |gap: &str| !self.gaps.is_empty() && self.gaps.iter().all(|g| g == gap);
        let thousands = only(",") && sizes[0] <= 3 && sizes[1..].iter().all(|n| *n == 3);
        let octet = |(digits, _): &(String, Range<usize>)| digits.parse::<u16>().is_ok_and(|n| n < 256);
        let is_host = only(".") && sizes.len() == 4 && self.groups.iter().all(octet);
        // A number that is only partly a date or an amount still counts, but not a date with an hour: 04/26/2025 0500.
        let covered = self.groups.iter().filter(|(_, g)| moving.iter().any(|m| m.covers(g.start, g.end)));
        let covered: usize = covered.map(|(digits, _)| digits.len()).sum();
        let is_moving = covered == digits.len() || covered >= FULL_DATE && digits.len() - covered <= HOUR;
        let lead = lead(line, start);
        let nearest = |list: &Words| list.iter().filter_map(|w| last_position(lead, w)).max();
        let account = nearest(words!("personal.account")).max(nearest(words!("accounts.bank names")));
        let reference = nearest(words!("personal.other")).max(nearest(words!("accounts.references")));
        let is_phone = account.is_none() && phones.iter().any(|(range, _)| range.start < end && start < range.end);
        let is_year = sizes.len() == 2
            && sizes == [4, 4]
            && self.groups.iter().all(|(d, _)| (1900..2100).contains(&d.parse::<u32>().unwrap_or(0)));
        let is_other = thousands || is_host || is_moving || is_phone || is_year || reference > account;
        let is_code = line[..start].ends_with(|c: char| c.is_ascii_alphabetic());
        (digits.len() >= LEAST && !is_other).then_some(AccountNumber { digits, is_code })
    }
}

/// The byte where a word last occurs in a text. Latin words must be whole words.
fn last_position(text: &str, word: &str) -> Option<usize> {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let is_apart = |at: usize| !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter);
    text.rmatch_indices(word).map(|(at, _)| at).find(|at| !word.starts_with(is_letter) || is_apart(*at))
}

/// The few characters before a number.
fn lead(line: &str, start: usize) -> &str {
    let from = line[..start].char_indices().rev().take(LEAD).last().map_or(start, |(at, _)| at);
    &line[from..start]
}
