//! What a memory says after a change that is told by its size: "half an hour earlier" makes 7.00 of 7.30.
//!
//! It reckons with one value of a memory or not at all: where two could be meant, nobody has said which.

use crate::analysis::Change;
use crate::language::{
    DeltaSize, Folded, Found, Number, Reference, Span, Value, day_in_words, deltas, has_hangul, telling_keys, values,
};
use crate::model::{ChangeType, Draft, Memory, Property, PropertyChange, Time, Zone};
use chrono::{Days, Months, NaiveDate};
use std::ops::Range;

/// A value that follows from a stored one and the size of its change.
#[derive(Debug, Clone, PartialEq)]
pub struct Reckoned {
    /// The new value, told as the old one is.
    told: String,
    /// The change.
    pub change: Change,
    /// By how many milliseconds the time moves.
    moved: i64,
}

/// Won are told by themselves in tens of thousands.
const TENS_OF_THOUSANDS: i32 = 4;
const DAY_MILLIS: i64 = 86_400_000;

/// What a stored memory says after the changes that a draft tells by their size.
pub fn reckoned(draft: &Draft, stored: &Memory) -> Vec<Reckoned> {
    let sizes = deltas(&draft.content);
    if sizes.is_empty() {
        return Vec::new();
    }
    let at = |now: Time| Some(Reference { now, zone: Zone::default() });
    let old = values(&stored.content, at(stored.own_time()));
    let told = values(&draft.content, draft.stated_at.and_then(at));
    let mut out: Vec<Reckoned> = Vec::new();
    for delta in sizes {
        let sentence = around(&draft.content, delta.span, &ENDS);
        let beside = |f: &&Found| {
            let within = sentence.start <= f.span.start && f.span.end <= sentence.end;
            within && (f.span.end <= delta.span.start || delta.span.end <= f.span.start)
        };
        let is_old = |f: &Found| old.iter().any(|o| same_day(&o.value, &f.value) || o.value == f.value);
        // Where the new value is told, nothing is left to reckon.
        if told.iter().filter(beside).any(|f| answers(&delta.by, &f.value) && !is_old(f)) {
            continue;
        }
        let mut may: Vec<&Found> = old.iter().filter(|f| answers(&delta.by, &f.value)).collect();
        if let DeltaSize::Bare(_) = delta.by {
            may = of_one_thing(may, &stored.content, &draft.content[delta.span.start..]);
        }
        let Some(one) = meant(&may, stored, &draft.content[sentence]) else { continue };
        // An hour that the text names itself is the one that moves.
        let outside = |f: &&Found| f.span.end <= delta.span.start || delta.span.end <= f.span.start;
        let mut named = told.iter().filter(outside).filter(|f| answers(&delta.by, &f.value)).peekable();
        if named.peek().is_some() && !named.any(|f| same_day(&f.value, &one.value) || f.value == one.value) {
            continue;
        }
        let literal = one.span.of(&stored.content);
        let Some((told, moved)) = after(one, literal, &delta.by, draft) else { continue };
        // Nothing is put off to a day that is over: another day is meant.
        let is_over = |day: NaiveDate| draft.stated_at.is_some_and(|t| day < t.day(Zone::default()));
        if day_after(&one.value, moved / DAY_MILLIS).is_some_and(|day| moved != 0 && is_over(day)) {
            continue;
        }
        let change = PropertyChange {
            property: property(&one.value).to_owned(),
            old_value: Some(literal.to_owned()),
            new_value: Some(told.clone()),
            change_type: ChangeType::ValueChange,
        };
        let change = Change { change, new_span: None };
        if out.iter().all(|r| r.change.change.old_value != change.change.old_value) {
            out.push(Reckoned { told, change, moved });
        }
    }
    out
}

/// The value that is meant of several: the one whose clause has more words in common with what tells the change, else the day
/// on which it happens.
fn meant<'a>(may: &[&'a Found], stored: &Memory, sentence: &str) -> Option<&'a Found> {
    let first = may.first()?;
    // What was said in several mails may be of several hours.
    if stored.statements.len() < 2 && may.iter().all(|f| f.value == first.value) {
        return Some(first);
    }
    let keys = |text: &str| telling_keys(&Folded::new(text));
    let said = keys(sentence);
    let shared = |f: &Found| {
        let clause = around(&stored.content, f.span, &PARTS);
        keys(&stored.content[clause]).iter().filter(|k| said.contains(k)).count()
    };
    let most = may.iter().map(|f| shared(f)).max().unwrap_or_default();
    let mut best = may.iter().filter(|f| most > 0 && shared(f) == most);
    if let (Some(one), None) = (best.next(), best.next()) {
        return Some(one);
    }
    let is_its_day = |f: &&&Found| {
        let on = |d: NaiveDate| Some(d) == day_after(&f.value, 0);
        [Some(stored.occurred_at), stored.valid_until].into_iter().flatten().any(|t| on(t.day(Zone::default())))
    };
    let mut on_its_day = may.iter().filter(is_its_day);
    match (on_its_day.next(), on_its_day.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

/// Of numbers those that count what the new one counts ("40도즈", "200도즈"), else the one amount of money.
fn of_one_thing<'a>(may: Vec<&'a Found>, stored: &str, new: &str) -> Vec<&'a Found> {
    let thing = |text: &str| -> String {
        let figure = |c: char| c.is_ascii_digit() || c == ',';
        text.trim_start_matches(figure).trim_start().chars().take_while(|c| c.is_alphabetic()).collect()
    };
    let counted = thing(new);
    let is_counted = |f: &&&Found| {
        let own = thing(&stored[f.span.start..]);
        !own.is_empty() && counted.starts_with(&own)
    };
    let same: Vec<&Found> = may.iter().filter(is_counted).copied().collect();
    if same.is_empty() { may.into_iter().filter(|f| matches!(f.value, Value::Money { .. })).collect() } else { same }
}

/// What ends a sentence, and what ends a part of one.
const ENDS: [char; 4] = ['.', '!', '?', '\n'];
const PARTS: [char; 9] = ['.', '!', '?', '\n', ',', ';', '|', '/', '·'];

/// The stretch of a text around a span, up to such marks: those that stand between figures end nothing.
fn around(text: &str, span: Span, marks: &[char]) -> Range<usize> {
    let ends = |at: usize| {
        let spaced = text[at..].chars().nth(1).is_none_or(char::is_whitespace);
        text[at..].starts_with(marks) && (spaced || text[at..].starts_with(['\n', '|', '/']))
    };
    let start = text[..span.start].char_indices().rev().find(|(at, _)| ends(*at));
    let start = start.map_or(0, |(at, c)| at + c.len_utf8());
    let end = text[span.end..].char_indices().map(|(at, _)| span.end + at).find(|at| ends(*at)).unwrap_or(text.len());
    start..end
}

/// The changes but for those whose new value is only the size of a change.
pub fn without_sizes(mut changes: Vec<Change>, content: &str) -> Vec<Change> {
    let sizes = deltas(content);
    changes.retain(|c| {
        let new = c.change.new_value.as_deref().unwrap_or_default();
        let inside = |at: usize| sizes.iter().any(|d| d.span.covers(at, at + new.len()));
        let mut places = content.match_indices(new).map(|(at, _)| at).peekable();
        new.is_empty() || places.peek().is_none() || !places.all(inside)
    });
    changes
}

/// The draft with the values that follow from the sizes of their changes as properties, at the time that they move it to. Its
/// words stay as they were said.
pub fn with_reckoned(mut draft: Draft, stored: &Memory, changes: &[Change], zone: Zone) -> Draft {
    let mut all = reckoned(&draft, stored);
    all.retain(|r| changes.contains(&r.change));
    let told = all.iter().map(|r| Property { name: r.change.change.property.clone(), value: r.told.clone() });
    draft.properties.extend(told);
    let moved: i64 = all.iter().map(|r| r.moved).sum();
    if moved != 0 && stored.stated_at.is_none_or(|said| stored.occurred_at != said) {
        draft.occurred_at = Some(stored.occurred_at.moved_by(moved, zone));
        draft.valid_until = stored.valid_until.map(|until| until.moved_by(moved, zone));
    }
    draft
}

/// Whether a value is of the kind that changes by such a size.
fn answers(by: &DeltaSize, value: &Value) -> bool {
    match (by, value) {
        (DeltaSize::Seconds(_), Value::Clock(_)) | (DeltaSize::Times(_), Value::Money { .. }) => true,
        (DeltaSize::Days(_) | DeltaSize::Months(_), Value::Date(d)) => d.day.is_some() && d.on.is_some(),
        (_, Value::Range(ends)) => {
            matches!(by, DeltaSize::Seconds(_) | DeltaSize::Days(_)) && answers(by, &ends.0) && answers(by, &ends.1)
        }
        (DeltaSize::Money(_, currency), Value::Money { currency: of, .. }) => currency == of,
        (DeltaSize::Count(_, unit), Value::Quantity { unit: of, .. }) => unit == of,
        (DeltaSize::Bare(_), Value::Money { .. } | Value::Quantity { .. } | Value::Number(_)) => true,
        _ => false,
    }
}

fn same_day(a: &Value, b: &Value) -> bool {
    matches!((a, b), (Value::Date(a), Value::Date(b)) if a.on.is_some() && a.on == b.on)
}

/// What stands where the value stood, in the words of the old one, and by how many milliseconds the time has moved.
fn after(old: &Found, literal: &str, by: &DeltaSize, draft: &Draft) -> Option<(String, i64)> {
    let korean = has_hangul(&draft.content);
    match (by, &old.value) {
        (DeltaSize::Seconds(s), Value::Clock(clock)) => {
            let then = i64::from(clock.seconds) + s;
            Some((hour_like(literal, clock.seconds, u32::try_from(then).ok()?)?, s * 1_000))
        }
        (DeltaSize::Seconds(s), Value::Range(ends)) => {
            let clock = |v: &Value| match v {
                Value::Clock(c) => u32::try_from(i64::from(c.seconds) + s).ok().map(hour),
                _ => None,
            };
            Some(([&clock(&ends.0)??, "–", &clock(&ends.1)??].concat(), s * 1_000))
        }
        (DeltaSize::Days(days), Value::Range(ends)) => {
            let (from, to) = (day_after(&ends.0, *days)?, day_after(&ends.1, *days)?);
            let today = said_on(draft, from);
            let told = [&day_in_words(from, today, korean), "–", &day_in_words(to, today, korean)].concat();
            Some((told, days * DAY_MILLIS))
        }
        (DeltaSize::Days(days), value @ Value::Date(_)) => {
            let day = day_after(value, *days)?;
            Some((day_in_words(day, said_on(draft, day), korean), days * DAY_MILLIS))
        }
        (DeltaSize::Months(months), Value::Date(date)) => {
            let (from, by) = (date.on?, Months::new(months.unsigned_abs()));
            let day = if *months < 0 { from.checked_sub_months(by) } else { from.checked_add_months(by) }?;
            Some((day_in_words(day, said_on(draft, day), korean), (day - from).num_days() * DAY_MILLIS))
        }
        (by, value) => {
            let old = value.amount()?;
            Some((amount_like(literal, old, amount_after(old, by, value)?)?, 0))
        }
    }
}

/// An amount after a change of this size.
fn amount_after(old: Number, by: &DeltaSize, value: &Value) -> Option<Number> {
    match (by, value) {
        // Nothing is twice as dear: "a rise to 30" is told like that.
        (DeltaSize::Money(by, _), Value::Money { .. }) => (by.as_f64() < old.as_f64()).then(|| old.plus(*by)),
        (DeltaSize::Times(share), Value::Money { .. }) => Some(old.times(*share)),
        (DeltaSize::Bare(by), Value::Money { currency: "KRW", .. }) if by.as_f64().abs() < 10_000.0 => {
            Some(old.plus(by.shifted(TENS_OF_THOUSANDS)))
        }
        (DeltaSize::Bare(by), Value::Money { .. } | Value::Quantity { .. } | Value::Number(_))
        | (DeltaSize::Count(by, _), Value::Quantity { .. }) => Some(old.plus(*by)),
        _ => None,
    }
}

fn said_on(draft: &Draft, otherwise: NaiveDate) -> NaiveDate {
    draft.stated_at.map_or(otherwise, |said| said.day(Zone::default()))
}

fn day_after(value: &Value, days: i64) -> Option<NaiveDate> {
    let Value::Date(date) = value else { return None };
    let by = Days::new(days.unsigned_abs());
    if days < 0 { date.on?.checked_sub_days(by) } else { date.on?.checked_add_days(by) }
}

fn hour(seconds: u32) -> Option<String> {
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    (hours < 24).then(|| format!("{hours:02}:{minutes:02}"))
}

/// An hour as another one was told: by twelve hours or by twenty-four.
fn hour_like(literal: &str, old: u32, new: u32) -> Option<String> {
    let lower = literal.to_lowercase();
    let shown: Option<u32> =
        lower.split(|c: char| !c.is_ascii_digit()).find(|d| !d.is_empty()).and_then(|d| d.parse().ok());
    let Some(shown) = shown.filter(|_| new < 86_400) else { return hour(new) };
    let (hours, minutes) = (new / 3_600, new / 60 % 60);
    let is_half = old / 3_600 != shown;
    let twelve = if hours % 12 == 0 { 12 } else { hours % 12 };
    let colon = if lower.contains('.') && !lower.contains(':') && !lower.contains(".m") { "." } else { ":" };
    let english = ["am", "pm", "a.m", "p.m"].iter().any(|half| lower.contains(half));
    Some(if english {
        format!("{twelve}{colon}{minutes:02} {}", if hours < 12 { "am" } else { "pm" })
    } else {
        format!("{}{colon}{minutes:02}", if is_half { twelve } else { hours })
    })
}

/// An amount as another one was told: the same unit, and commas where it had some.
fn amount_like(literal: &str, old: Number, new: Number) -> Option<String> {
    let mut runs = literal.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
    let start = runs.next()?;
    let rest = &literal[start..];
    let in_figure = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.');
    let figure = rest[..rest.find(|c: char| !in_figure(c)).unwrap_or(rest.len())].trim_end_matches([',', '.']);
    let (head, tail) = (&literal[..start], &literal[start + figure.len()..]);
    // 5만5천: the one figure is not the amount.
    let shown: f64 = figure.replace(',', "").parse().ok()?;
    if tail.contains(|c: char| c.is_ascii_digit()) || shown <= 0.0 || new.as_f64() <= 0.0 {
        return None;
    }
    // Whole numbers are told: a writer of decimals would weigh more than the rest of this.
    let cents = (100.0 * new.as_f64() / (old.as_f64() / shown)).round() as u64;
    let units = (cents / 100).to_string();
    let mut out = String::new();
    for (n, digit) in units.chars().enumerate() {
        if n > 0 && (units.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !cents.is_multiple_of(100) || figure.contains('.') {
        out.push('.');
        out.extend([cents / 10 % 10, cents % 10].map(|digit| char::from(b'0' + digit as u8)));
    }
    Some([head, &out, tail].concat())
}

/// What a value is of.
const fn property(value: &Value) -> &'static str {
    match value {
        Value::Clock(_) => "time",
        Value::Date(_) | Value::Range(_) => "date",
        Value::Money { .. } => "amount",
        _ => "count",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Ids, Source};

    /// What the stored memory says then.
    fn told(stored: &str, new: &str) -> Vec<String> {
        let at = |day: u8| format!("2026-05-{day:02}T01:00:00Z").parse::<Time>().ok();
        let draft = |text: &str, day| Draft { stated_at: at(day), source_type: Source::Realtime, ..Draft::new(text) };
        let memory = Memory::from_draft(Ids::new(at(1).unwrap(), [1; 16]).mint(), draft(stored, 1), at(1).unwrap());
        let new = draft(new, 4);
        let all = reckoned(&new, &memory);
        let changes: Vec<Change> = all.iter().map(|r| r.change.clone()).collect();
        let told = with_reckoned(new.clone(), &memory, &changes, Zone::default());
        assert_eq!(told.content, new.content);
        told.properties.into_iter().map(|p| p.value).collect()
    }

    #[test]
    fn a_size_and_a_stored_value_make_the_new_one() {
        let cases = [
            ("The long run is every Sunday at 8:00.", "We leave half an hour earlier.", "7:30"),
            ("The AGM is on Thursday at 7.30 pm.", "Make it half an hour later.", "8.00 pm"),
            ("화상회의는 매주 목요일 17시다.", "다음부터 30분 당겨서 하십시다", "16:30"),
            ("The DCP is to be with us by 15 May.", "It may come five days later.", "20 May"),
            ("잔금은 5월 17일까지 내야 한다.", "하루 먼저 부탁드립니다", "5월 16일"),
            ("Your agreement ends on 31 March 2026.", "It is extended by three months.", "30 June"),
            ("The stipend is EUR 2,450 a month.", "It rises by 60 euros.", "EUR 2,510 a month"),
            ("집수리 총액은 1,330만 원이다.", "30 추가됨니다", "1,360만 원"),
            ("SG-2201 | 종합백신 | 200도즈 | 7,800", "백신 40도즈만 더 얹어 주세요.", "240"),
            ("시작은 6월 6일, 끝나는 날은 6월 18일이다.", "끝나는 날은 이틀 늦게 됩니다", "6월 20일"),
            ("The fee is EUR 45.", "We can halve the fee for you.", "EUR 22.50"),
        ];
        for (stored, new, value) in cases {
            assert_eq!(told(stored, new), [value], "{stored} / {new}");
        }
    }

    #[test]
    fn where_two_could_be_meant_or_the_new_value_is_told_nothing_is_reckoned() {
        for (stored, new) in [
            ("The bus leaves at 8:00 and is back at 17:00.", "We leave half an hour earlier."),
            ("The visit is at 11.15.", "It is half an hour later, at 11.45."),
            ("The wall is painted white.", "We leave half an hour earlier."),
            ("The letter is of 10 March.", "The plan may come five days later."),
            ("The visit is on 5 May.", "The quiz is a week later, on 19 May."),
            (
                "The signing is on Tuesday at 11:00.",
                "See you at three. Mr Gu comes ten minutes early, by the way, so 15:00 sharp.",
            ),
            ("회비는 월 3만원으로 올리자고 한다.", "회비 3만원 인상안, 12대 5로 부결."),
        ] {
            assert!(told(stored, new).is_empty(), "{stored} / {new}");
        }
    }
}
