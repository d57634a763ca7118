//! Finds possible account numbers in any spelling, without dates, amounts, phone and order numbers.

use crate::language::{
    PersonalKind, Script, Span, Split, TextRun, Value, ValueKind, Words, digit, fold, is_hangul, is_invisible,
    personal, runs, unmasked, values, words,
};
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
/// The first digit of each row of circled digits that NFKC does not convert.
const CIRCLED: &str = "❶➀➊⓵";
const HANGUL: [&str; 10] = ["공영", "일", "이", "삼", "사", "오", "육륙", "칠", "팔", "구"];
const HAN: [&str; 10] = ["〇零⓿🄋🄌", "一壹壱", "二貳弐", "三參参", "四肆", "五伍", "六陸", "七柒", "八捌", "九玖"];

/// The possible account numbers in a text, in order. A number never spans two lines.
pub(super) fn numbers(text: &str) -> Vec<AccountNumber> {
    text.lines().flat_map(|line| numbers_of_line(&plain(line))).collect()
}

/// Converts digits to ASCII and drops invisible characters.
fn plain(line: &str) -> String {
    let seen: String = line.chars().filter(|c| !is_invisible(*c) && *c != '\u{20E3}').collect();
    fold(&unmasked(&seen)).chars().map(|c| digit_of(c).unwrap_or(c)).collect()
}

fn digit_of(c: char) -> Option<char> {
    let circled = |one: char| (c as u32).checked_sub(one as u32).filter(|n| *n < 9).map(|n| n + 1);
    let other = || CIRCLED.chars().find_map(circled).and_then(|n| char::from_digit(n, 10));
    digit(c).or_else(other).or_else(|| digit_in(&HAN, c))
}

/// The digit whose row has this character.
fn digit_in(rows: &[&str; 10], c: char) -> Option<char> {
    let (_, n) = rows.iter().zip(0..).find(|(row, _)| row.contains(c))?;
    char::from_digit(n, 10)
}

/// Runs of one script, without marks.
const RUNS: Split = Split { mark: |_| false, ..Split::TOKENS };

/// The role of a run of characters within a number.
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
    fn of(run: &TextRun, line: &str) -> Self {
        let (text, before, after) = (run.span.of(line), &line[..run.span.start], &line[run.span.end..]);
        let joined = before.ends_with(|c: char| c.is_ascii_digit());
        match run.script() {
            Script::Digits => Self::Digits(text.to_owned()),
            Script::Korean if matches!(text, "다시" | "대시" | "에" | "빼기") => Self::Mark,
            // Hangul directly after a figure is its unit or a particle.
            Script::Korean if joined => Self::Other,
            Script::Korean => {
                let digits: String = text.chars().map_while(|c| digit_in(&HANGUL, c)).collect();
                let rest = text.trim_start_matches(|c| digit_in(&HANGUL, c).is_some());
                match (digits.is_empty(), rest.is_empty()) {
                    (false, true) => Self::Digits(digits),
                    (false, false) if words!("accounts.after a number").begin(rest) => Self::Last(digits),
                    _ => Self::Other,
                }
            }
            Script::Latin => {
                let near = joined || after.starts_with(|c: char| c.is_ascii_digit());
                match text {
                    "zero" | "oh" | "nought" | "naught" => Self::Digits("0".into()),
                    "o" | "oo" if near => Self::Digits("0".repeat(text.len())),
                    "l" | "i" if near => Self::Digits("1".into()),
                    "double" => Self::Times(2),
                    "triple" | "treble" => Self::Times(3),
                    "dash" | "hyphen" | "minus" | "slash" | "dot" | "space" | "then" => Self::Mark,
                    word => {
                        let names = "one two three four five six seven eight nine".split(' ');
                        let digit = names.zip(1..).find(|(name, _)| *name == word);
                        digit.map_or(Self::Other, |(_, n)| Self::Digits(n.to_string()))
                    }
                }
            }
        }
    }
}

/// The groups of digits of a number, each with its place in the line.
#[derive(Default)]
struct DigitGroups {
    groups: Vec<(String, Range<usize>)>,
    times: usize,
}

fn numbers_of_line(line: &str) -> Vec<AccountNumber> {
    let (mut all, mut number) = (Vec::new(), DigitGroups::default());
    for run in runs(line, &RUNS) {
        let gap = number.groups.last().and_then(|(_, last)| line.get(last.end..run.span.start)).unwrap_or_default();
        let breaks = gap.chars().any(|c| !GAPS.contains(c) && !c.is_alphabetic())
            || gap.split(char::is_alphabetic).any(|g| g.chars().count() > GAP);
        if breaks && number.times == 0 {
            all.push(std::mem::take(&mut number));
        }
        let piece = NumberPiece::of(&run, line);
        let ends = matches!(piece, NumberPiece::Last(_) | NumberPiece::Other);
        match piece {
            NumberPiece::Digits(digits) | NumberPiece::Last(digits) => {
                let times = std::mem::take(&mut number.times).max(1);
                number.groups.push((digits.repeat(times), run.span.start..run.span.end));
            }
            NumberPiece::Times(times) => number.times = times,
            NumberPiece::Mark => {}
            NumberPiece::Other => number.drop_counted_figure(run.span, line),
        }
        if ends {
            all.push(std::mem::take(&mut number));
        }
    }
    all.push(number);
    let moving = moving(line);
    let phones: Vec<Range<usize>> =
        personal(line).into_iter().filter(|p| p.kind == PersonalKind::Phone).map(|p| p.range).collect();
    all.into_iter().filter_map(|number| number.account(line, &moving, &phones)).collect()
}

/// The spans of dates, times, durations and amounts in a line.
fn moving(line: &str) -> Vec<Span> {
    use ValueKind::{Clock, Date, Duration, Money, Percent, Period};
    let is_moving = |value: &Value| {
        matches!(value, Value::Range(_)) || matches!(value.kind(), Date | Clock | Money | Duration | Percent | Period)
    };
    values(line, None).into_iter().filter(|f| is_moving(&f.value)).map(|f| f.span).collect()
}

impl DigitGroups {
    /// Drops a figure that counts the word directly after it: 3월, 25km.
    fn drop_counted_figure(&mut self, word: Span, line: &str) {
        let joined = self.groups.last().is_some_and(|(_, last)| last.end == word.start);
        let text = word.of(line);
        if joined && !(text.starts_with(is_hangul) && words!("accounts.after a number").begin(text)) {
            self.groups.pop();
        }
    }

    fn account(self, line: &str, moving: &[Span], phones: &[Range<usize>]) -> Option<AccountNumber> {
        let (start, end) = (self.groups.first()?.1.start, self.groups.last()?.1.end);
        let gaps = self.groups.windows(2).map(|pair| &line[pair[0].1.end..pair[1].1.start]);
        let digits: String = self.groups.iter().map(|(digits, _)| digits.as_str()).collect();
        let sizes: Vec<usize> = self.groups.iter().map(|(digits, _)| digits.len()).collect();
        let only = |gap: &str| sizes.len() > 1 && gaps.clone().all(|g| g == gap);
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
        let is_phone = account.is_none() && phones.iter().any(|range| range.start < end && start < range.end);
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
