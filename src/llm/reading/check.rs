//! Whether what a model writes was said: [`Sources`], the words that were sent to it.
//!
//! It never asks whether a sentence is true, only whether its figures, days, names and words stand somewhere.

use super::known::KnownMemory;
use super::question::MailQuestion;
use super::said::{Read, Scripts, figures};
use crate::analysis::words::{Kind as WordKind, Word, words};
use crate::decision::Refusal;
use crate::language::{
    Date, Found, HONORIFICS, Reference, Value, Words, english_number, native_number, sino_month, sino_number, values,
    words,
};
use chrono::{Datelike, NaiveDate};
use std::ops::Range;

/// Characters of a memory's text.
const MAX_TEXT: usize = 1_200;
const MAX_EVIDENCE: usize = 1_500;
/// The share of a text's telling words that must have been said; the rest may be another word for it.
const SAID: f32 = 0.4;
/// Days from the mail's own within which a day may be reckoned ("a week on Friday").
const SOON: i64 = 31;
/// Days from one that was said within which another may be reckoned ("the day before sailing", "five nights").
const NEAR: i64 = 14;
/// A whole number up to this may be counted out, and so may one that lies as near to a count that was said.
const FEW: f64 = 12.0;
/// A count up to this may be told on by a few ("two come out, one goes in").
const COUNTED: f64 = 1_000.0;
/// Letters of an evidence that says little by itself ("Done, your price and your Friday").
const SHORT: usize = 60;
/// In what an amount may be told beside a larger one: by itself, in thousands, in tens of thousands, in millions.
const UNITS: [f64; 4] = [1.0, 1e3, 1e4, 1e6];
/// Amounts that are tried in pairs.
const MOST_RECKONED: usize = 64;

/// All that a model was shown, read once.
pub(super) struct Sources<'a> {
    asked: &'a MailQuestion,
    said: Read,
    is_known: &'a dyn Fn(&str) -> bool,
}

impl<'a> Sources<'a> {
    pub fn of(asked: &'a MailQuestion, is_known: &'a dyn Fn(&str) -> bool) -> Self {
        let mut said = Read::default();
        let parties = std::iter::once(&asked.from).chain(&asked.to).map(|p| &p.name);
        for text in [&asked.subject, &asked.signature].into_iter().chain(parties) {
            said.add(text, asked.at);
        }
        for passage in &asked.passages {
            said.add(&passage.text, asked.at);
            said.add(passage.forwarded.as_deref().unwrap_or_default(), asked.at);
        }
        for earlier in &asked.before {
            let at = earlier.date.map(|now| Reference { now, zone: asked.at.map(|at| at.zone).unwrap_or_default() });
            said.add(&earlier.text, at.or(asked.at));
            said.add(&earlier.from, None);
        }
        said.days.extend(asked.at.map(Reference::day));
        said.days.extend(asked.before.iter().filter_map(|e| Some(e.date?.day(asked.at?.zone))));
        for memory in &asked.known {
            said.add(memory.content(), None);
            for other in memory.former.iter().chain(&memory.proposed) {
                said.add(other, None);
            }
            said.days.extend(memory.day);
        }
        Self { asked, said, is_known }
    }

    /// Whether a text was said: in the mail, its thread as shown, or what is stored. `true` where a figure or a day of it
    /// is reckoned from others.
    ///
    /// # Errors
    /// Why the entry is refused: too long or empty, another language, or something from nowhere.
    pub fn bears(&self, text: &str, evidence: &str, of: Option<&KnownMemory>) -> Result<bool, Refusal> {
        if text.is_empty() || text.chars().count() > MAX_TEXT {
            return Err(Refusal::Malformed);
        }
        let scripts = Scripts::of(text);
        let has = |of: fn(&Scripts) -> bool| of(&self.said.scripts) || !of(&scripts);
        if !has(|s| s.hangul) || !has(|s| s.latin) || !has(|s| s.other) {
            return Err(Refusal::WrongLanguage);
        }
        let told = words(text);
        let stands = |w: &Word| self.said.has_word(w);
        let from_nowhere = |(n, w): (usize, &Word)| {
            let name = &text[w.start..w.end];
            let heard = || self.said.has_name(name) || (self.is_known)(name);
            is_name(text, &told, n, w) && !stands(w) && !heard()
        };
        let mut unknown: Vec<&str> =
            told.iter().enumerate().filter(|w| from_nowhere(*w)).map(|(_, w)| w.stem.as_str()).collect();
        unknown.dedup();
        // One may be known from elsewhere; two are a story.
        if unknown.len() > 1 {
            return Err(Refusal::NoEvidence);
        }
        // Values are looked at by themselves.
        let valued = values(text, self.asked.at);
        let in_a_value = |w: &Word| valued.iter().any(|f| f.span.start <= w.start && w.end <= f.span.end);
        let telling: Vec<&Word> = told.iter().filter(|w| tells(w) && !in_a_value(w)).collect();
        let met = telling.iter().filter(|w| stands(w)).count();
        if (met as f32) < SAID * telling.len() as f32 {
            return Err(Refusal::NoEvidence);
        }
        // It has to do with what it rests on; or, where it tells a memory anew, with that.
        let mut rests = Read::default();
        rests.add(of.map_or(evidence, |known| known.content()), self.asked.at);
        if evidence.chars().filter(|c| c.is_alphanumeric()).count() <= SHORT {
            // An answer is about what it answers.
            self.asked.before.iter().for_each(|earlier| rests.add(&earlier.text, None));
            self.asked.passages.iter().for_each(|passage| rests.add(&passage.text, self.asked.at));
        }
        let shares_a_value = || values(text, self.asked.at).iter().any(|f| rests.has(&f.value));
        let shares_a_figure = || figures(text).any(|f| rests.figures.contains(&f));
        if !telling.iter().any(|w| rests.has_word(w)) && !shares_a_value() && !shares_a_figure() {
            return Err(Refusal::NoEvidence);
        }
        Ok(self.reckons(text)? || !unknown.is_empty())
    }

    /// Whether a figure of the text is reckoned from some that were said.
    fn reckons(&self, text: &str) -> Result<bool, Refusal> {
        let mut reckoned = false;
        let found = values(text, self.asked.at);
        for one in &found {
            if self.said.has(&one.value) {
                continue;
            }
            if figures(one.span.of(text)).all(|f| self.has_figure(&f)) {
                continue;
            }
            if !self.may_be_reckoned(&one.value) && !self.may_be_told_otherwise(one.span.of(text), &one.value) {
                return Err(Refusal::NoEvidence);
            }
            reckoned = true;
        }
        // What no reader takes for a value must stand as it is written.
        let read: Vec<String> = found.iter().flat_map(|f| figures(f.span.of(text))).collect();
        if figures(text).any(|f| !read.contains(&f) && !self.has_figure(&f)) {
            return Err(Refusal::NoEvidence);
        }
        Ok(reckoned)
    }

    /// Whether a figure was said, by itself or as the year, month or day of a day.
    fn has_figure(&self, figure: &str) -> bool {
        let n: Option<i64> = figure.parse().ok();
        let parts =
            |d: &NaiveDate| [d.year().into(), (d.year() % 100).into(), i64::from(d.month()), i64::from(d.day())];
        self.said.figures.iter().any(|f| f == figure)
            || n.is_some_and(|n| self.said.days.iter().any(|d| parts(d).contains(&n)))
            || n.is_some_and(|n| {
                n > 1900 && self.asked.at.is_some_and(|at| (i64::from(at.day().year()) - n).abs() <= 1)
            })
            || n.is_some_and(|n| n > 9 && self.said.letters.contains(&sino_number(n)))
            || n.is_some_and(|n| self.has_spelled(n))
            || n.is_some_and(|n| self.said.numbers.iter().any(|x| x.as_whole() == Some(n)))
    }

    /// Whether a number below a hundred was said as a word: 40 is "forty", 스물다섯 is 25.
    fn has_spelled(&self, n: i64) -> bool {
        let Some(n) = u8::try_from(n).ok().filter(|n| (10..100).contains(n)) else { return false };
        let letters = &self.said.letters;
        let whole = |word: &String| {
            let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            letters.match_indices(word).any(|(at, _)| {
                edge(letters[..at].chars().next_back()) && edge(letters[at + word.len()..].chars().next())
            })
        };
        // What goes on behind a round number may be the rest of it.
        let ends: &[&str] = if n.is_multiple_of(10) { &[" ", "\n"] } else { &[""] };
        english_number(n).iter().any(whole)
            || native_number(n).iter().any(|word| ends.iter().any(|end| letters.contains(&[word, *end].concat())))
    }

    /// Whether a value may be one that was said in a form that no reader takes: "half nine" as 9.30, 삼 년 as 3년.
    fn may_be_told_otherwise(&self, written: &str, value: &Value) -> bool {
        match value {
            Value::Number(_) => {
                let hour = written.split_once('.').filter(|(hour, minutes)| hour.len() <= 2 && minutes.len() == 2);
                let hour =
                    hour.and_then(|(hour, minutes)| Some((hour.parse::<u8>().ok()?, minutes.parse::<u8>().ok()?)));
                hour.is_some_and(|(hour, minutes)| hour < 24 && minutes < 60) && self.tells_an_hour()
            }
            Value::Duration(_) => figures(written).all(|f| f.parse::<f64>().is_ok_and(|n| n <= FEW)),
            _ => false,
        }
    }

    /// Whether an hour was said.
    fn tells_an_hour(&self) -> bool {
        static OF_A_CLOCK: Words = words!("answers.of a clock");
        let told = |v: &Found| matches!(v.value, Value::Clock(_));
        OF_A_CLOCK.stand_in(&self.said.letters) || self.said.values.iter().any(told)
    }

    /// Whether somebody could have reckoned a value from what was said: an amount from two others, a day that lies weeks from
    /// another or soon after the mail, an hour in another zone or half of the day.
    fn may_be_reckoned(&self, value: &Value) -> bool {
        match value {
            Value::Date(Date { on: Some(day), .. }) => {
                let apart = |d: &NaiveDate| (*day - *d).num_days();
                let soon = self.asked.at.is_some_and(|at| (-SOON..=SOON).contains(&apart(&at.day())));
                let by_words = || self.said.letters.contains(&sino_month(day.month()));
                let beside = |d: &NaiveDate| {
                    apart(d).abs() <= NEAR
                        || apart(d) % 7 == 0 && apart(d).abs() <= 5 * 7
                        || self.is_months_from(*d, *day)
                };
                let ends = |f: &Found| match &f.value {
                    Value::Period(period) => {
                        period.span.is_some_and(|(from, to)| *day == from || day.succ_opt() == Some(to))
                    }
                    _ => false,
                };
                soon || by_words() || self.said.days.iter().any(beside) || self.said.values.iter().any(ends)
            }
            Value::Range(ends) => {
                let held = |v: &Value| self.said.has(v) || self.may_be_reckoned(v);
                held(&ends.0) && held(&ends.1)
            }
            Value::Clock(_) => self.tells_an_hour(),
            Value::Money { number, .. }
            | Value::Quantity { number, .. }
            | Value::Percent(number)
            | Value::Number(number) => {
                let known: Vec<f64> = self.said.numbers.iter().take(MOST_RECKONED).map(|n| n.as_f64()).collect();
                let x = number.as_f64();
                if x <= FEW && x.fract() == 0.0 {
                    return true;
                }
                let near = |y: f64| (x - y).abs() < 1e-6 * x.abs().max(1.0);
                let is_count = matches!(value, Value::Quantity { .. } | Value::Number(_)) && x.fract() == 0.0;
                let told_on = |a: &f64| is_count && a.fract() == 0.0 && *a <= COUNTED && (x - a).abs() <= FEW;
                // "340" of a house, and half of a fee.
                let scaled =
                    |a: &f64| *a >= 10.0 && UNITS.iter().any(|unit| near(a * unit)) || near(a / 2.0) || near(a * 2.0);
                let shares = self.said.values.iter().filter_map(|f| match f.value {
                    Value::Percent(share) => Some(share.as_f64() / 100.0),
                    _ => None,
                });
                let shares: Vec<f64> = shares.collect();
                let share_of = |a: &f64| {
                    shares.iter().any(|share| near(a * share) || near(a * (1.0 - share)) || near(a * (1.0 + share)))
                };
                if known.iter().any(|a| told_on(a) || scaled(a) || share_of(a)) {
                    return true;
                }
                let mut products = Vec::new();
                for (n, a) in known.iter().enumerate() {
                    for b in known.iter().skip(n + 1) {
                        // "780만 원" less "30": the smaller may be told in the unit of the larger.
                        let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
                        let by = |unit: f64| {
                            (unit == 1.0 || *large > unit) && (near(large - small * unit) || near(large + small * unit))
                        };
                        if near((a - b).abs()) || near(a * b) || UNITS.iter().any(|unit| by(*unit)) {
                            return true;
                        }
                        if products.len() < MOST_RECKONED {
                            products.push(a * b);
                        }
                    }
                }
                products.iter().any(|a| products.iter().any(|b| near(a + b)))
            }
            Value::Ordinal { number, .. } => f64::from(*number) <= FEW,
            _ => false,
        }
    }

    /// Whether a day lies as many months from another as were said, or both are the last of their month.
    fn is_months_from(&self, from: NaiveDate, day: NaiveDate) -> bool {
        let months = |d: NaiveDate| i64::from(d.year()) * 12 + i64::from(d.month0());
        let is_last = |d: NaiveDate| d.succ_opt().is_some_and(|next| next.day() == 1);
        let apart = (months(day) - months(from)).unsigned_abs();
        let said = |f: &Found| matches!(&f.value, Value::Duration(d) if d.months != 0 && u64::from(d.months) == apart);
        (from.day() == day.day() || is_last(from) && is_last(day)) && self.said.values.iter().any(said)
    }

    /// Whether the mail, its thread as shown or what is stored names this day, or the text does, by whose check it stands.
    pub fn names_day(&self, day: NaiveDate, text: &str) -> bool {
        let on = |f: &Found| matches!(f.value, Value::Date(Date { on: Some(d), .. }) if d == day);
        self.said.days.contains(&day) || values(text, self.asked.at).iter().any(on)
    }

    /// Whether somebody of this name is named.
    pub fn names_person(&self, person: &str) -> bool {
        let person = person.trim();
        !person.is_empty() && person.chars().count() <= 100 && self.said.has_name(person)
    }
}

/// The words of a mail that stand for an evidence: those of its text or subject line. Pieces of it may be left out where that
/// is marked.
pub(super) fn evidence(asked: &MailQuestion, evidence: &str) -> Option<String> {
    if evidence.chars().count() > MAX_EVIDENCE {
        return None;
    }
    let texts = || asked.passages.iter().map(|p| p.text.as_str()).chain([asked.subject.as_str()]);
    let stands = |words: &str| texts().find_map(|t| Some(t[find(t, words)?].to_owned()));
    stands(evidence).or_else(|| {
        let pieces = evidence.split(['\n', '…']).flat_map(|p| p.split("...")).map(str::trim).filter(|p| !p.is_empty());
        let found: Option<Vec<String>> = pieces.map(stands).collect();
        found.filter(|f| f.len() > 1).map(|f| f.join("\n"))
    })
}

/// Where `words` stand whole in a text, whatever white space and marks stand between them; marks within a number count.
fn find(text: &str, words: &str) -> Option<Range<usize>> {
    let letters = |text: &str| -> Vec<(usize, char)> {
        let all: Vec<(usize, char)> = text.char_indices().collect();
        let digit = |at: Option<usize>| at.and_then(|n| all.get(n)).is_some_and(|(_, c)| c.is_ascii_digit());
        let kept = |(n, (_, c)): &(usize, &(usize, char))| {
            c.is_alphanumeric() || ".,:/-".contains(*c) && digit(n.checked_sub(1)) && digit(Some(n + 1))
        };
        all.iter().enumerate().filter(kept).map(|(_, at)| *at).collect()
    };
    let chars = letters(text);
    let wanted: Vec<char> = letters(words).into_iter().map(|(_, c)| c).collect();
    if wanted.is_empty() {
        return None;
    }
    let spans = chars.windows(wanted.len()).filter(|w| w.iter().map(|(_, c)| c).eq(&wanted)).filter_map(|found| {
        let (start, end) = (found.first()?, found.last()?);
        Some(start.0..end.0 + end.1.len_utf8())
    });
    let mut span = spans.into_iter().find(|span| crate::analysis::is_whole(text, span))?;
    // The mark that ends the words ends them there as well.
    let mark = words.trim_end().chars().next_back().filter(|c| !c.is_alphanumeric());
    if let Some(mark) = mark.filter(|mark| text[span.end..].starts_with(*mark)) {
        span.end += mark.len_utf8();
    }
    Some(span)
}

/// Whether a word tells something by itself.
fn tells(word: &Word) -> bool {
    !word.function && word.number.is_none() && !matches!(word.kind, WordKind::Number) && word.text.chars().count() > 1
}

/// Countries that a time or a place is told by, which no mail need name.
static COUNTRIES: Words = words!("answers.countries");

/// Whether a word is a name: a Latin one with a capital letter inside a sentence that no lexicon knows, or a Korean one of three
/// syllables after a surname that none knows.
fn is_name(text: &str, all: &[Word], n: usize, word: &Word) -> bool {
    if word.function || word.sense.is_some() {
        return false;
    }
    static DEMONYMS: Words = words!("answers.demonyms");
    static BESIDE: Words = words!("korean/names.beside a name");
    match word.kind {
        WordKind::Latin => {
            let inside = n > 0 && !text[..word.start].trim_end().ends_with(['.', '!', '?', ':', ';', '·', '\n']);
            let demonym = DEMONYMS.end(&word.text) || COUNTRIES.contains(&word.text.as_str());
            let value = || !values(&text[word.start..word.end], None).is_empty();
            inside && word.capital && word.text.chars().count() > 3 && !demonym && !value()
        }
        WordKind::Hangul => {
            let next = all.get(n + 1).map_or("", |w| w.text.as_str());
            let title = HONORIFICS.end(&word.text) || BESIDE.contains(&next);
            title && word.text.chars().count() <= 5
        }
        _ => false,
    }
}
