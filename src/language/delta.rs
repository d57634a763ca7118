//! By how much a text says that something changes, not to what: "half an hour earlier", 이틀 뒤로, "£55 more".

use super::text::list::{Words, words};
use super::{Found, Number, Shift, Span, Unit, Value, values};

/// A change that is told by its size.
#[derive(Debug, Clone, PartialEq)]
pub struct Delta {
    /// Where it stands, with the word that says which way.
    pub span: Span,
    /// By how much; below zero for what is earlier or less.
    pub by: DeltaSize,
}

/// The size of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum DeltaSize {
    /// Less than a day.
    Seconds(i64),
    /// Whole days.
    Days(i64),
    /// Whole months.
    Months(i32),
    /// In a currency.
    Money(Number, &'static str),
    /// Of things that are counted.
    Count(Number, Unit),
    /// Of nothing that is named.
    Bare(Number),
    /// A share of what it was, which is left.
    Times(Number),
}

const DAY: u64 = 86_400;
/// Words behind a value among which one may say which way.
const NEAR: usize = 3;
/// Likewise behind an amount, with its particle.
const NEXT: usize = 2;
/// Bytes around a value that are looked at.
const WINDOW: usize = 60;

static MORE: &Words = words!("deltas.behind, more");
static LESS: &Words = words!("deltas.behind, less");
static BEFORE_MORE: &Words = words!("deltas.before, more");
static BEFORE_LESS: &Words = words!("deltas.before, less");
static HALVED: &Words = words!("deltas.halved");
static LATER: &Words = words!("deltas.behind a day later");

/// What a text says of changes by their size.
pub fn deltas(text: &str) -> Vec<Delta> {
    let lower = text.to_lowercase();
    // A letter may be longer or shorter in lower case.
    if lower.len() != text.len() {
        return Vec::new();
    }
    // Most texts have no word for it.
    let lists = [MORE, LESS, BEFORE_MORE, BEFORE_LESS, HALVED, LATER];
    if lists.iter().all(|list| !list.stand_in(&lower)) {
        return Vec::new();
    }
    let found = values(text, None);
    let mut out: Vec<Delta> = found.iter().filter_map(|f| of_value(text, &lower, f)).collect();
    let half = HALVED.iter().find_map(|w| Some((lower.find(w)?, w.len())));
    if let Some((start, len)) = half.filter(|(start, len)| out.is_empty() && is_whole(&lower, *start, start + len)) {
        let by = DeltaSize::Times(Number::ratio(1, 2));
        out.push(Delta { span: Span { start, end: start + len }, by });
    }
    out
}

fn of_value(text: &str, lower: &str, found: &Found) -> Option<Delta> {
    let (head, tail) = (end_of(&lower[..found.span.start]), start_of(&lower[found.span.end..]));
    let (sign, end) = match &found.value {
        Value::Date(_) => later(found, text, tail)?,
        Value::Duration(_) => way(head, tail, NEAR).map(|(sign, len)| (sign, found.span.end + len))?,
        // "내려간 23,500원으로", "rises to 60 euros": that is the new value.
        _ if is_new(head, tail) => return None,
        _ => way(head, tail, NEXT).map(|(sign, len)| (sign, found.span.end + len))?,
    };
    let by = match &found.value {
        Value::Date(d) => match d.shift? {
            Shift::Days(n) if n > 0 && d.weekday.is_none() => DeltaSize::Days(n.into()),
            Shift::Months(n) if n > 0 && d.day.is_none() => DeltaSize::Months(n),
            _ => return None,
        },
        // "Nine more days".
        Value::Number(n) => more_of(text, lower, found).unwrap_or_else(|| DeltaSize::Bare(signed(*n, sign))),
        value => size_of(value, sign)?,
    };
    Some(Delta { span: Span { start: found.span.start, end }, by })
}

/// The size of a change by a value.
fn size_of(value: &Value, sign: i32) -> Option<DeltaSize> {
    Some(match value {
        Value::Duration(d) if d.months > 0 && d.seconds == 0 => DeltaSize::Months(sign * i32::try_from(d.months).ok()?),
        Value::Duration(d) if d.months == 0 => {
            let seconds = i64::from(sign) * i64::try_from(d.seconds).ok()?;
            match d.seconds {
                s if s < DAY => DeltaSize::Seconds(seconds),
                s if s.is_multiple_of(DAY) => DeltaSize::Days(seconds / DAY as i64),
                _ => return None,
            }
        }
        Value::Money { number, currency, .. } => DeltaSize::Money(signed(*number, sign), currency),
        Value::Quantity { number, unit } => DeltaSize::Count(signed(*number, sign), unit.clone()),
        Value::Percent(n) => DeltaSize::Times(Number::whole(100).plus(signed(*n, sign)).shifted(-2)),
        _ => return None,
    })
}

const fn signed(n: Number, sign: i32) -> Number {
    if sign < 0 { n.negated() } else { n }
}

fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(WINDOW)]
}

fn end_of(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(WINDOW))..]
}

/// Whether a value is told as the one that holds from now on.
fn is_new(head: &str, tail: &str) -> bool {
    words!("deltas.to").begin(tail) || leads(head, words!("deltas.before a new value"))
}

/// Whether a text ends with one of these words.
fn leads(head: &str, list: &Words) -> bool {
    let head = head.trim_end();
    list.iter().any(|w| head.ends_with(w) && is_whole(head, head.len() - w.len(), head.len()))
}

/// Which way a value changes, by the words around it, and where in the tail that ends.
fn way(head: &str, tail: &str, near: usize) -> Option<(i32, usize)> {
    let sentence = &tail[..tail.find(['.', '!', '?', '\n', ',', ';', ':', '|', '(']).unwrap_or(tail.len())];
    let mut at = 0;
    for word in sentence.split_inclusive(char::is_whitespace).filter(|w| !w.trim().is_empty()).take(near) {
        let start = tail[at..].find(word).map_or(at, |n| at + n);
        at = start + word.len();
        let says = |list: &Words| {
            let is = |w: &&&str| {
                let rest = &tail[start..];
                rest.starts_with(**w) && (!w.is_ascii() || is_whole(tail, start, start + w.len()))
            };
            list.iter().find(is).map(|w| start + w.len().max(word.trim_end().len()))
        };
        if let Some(end) = says(MORE) {
            return Some((1, end));
        }
        if let Some(end) = says(LESS) {
            return Some((-1, end));
        }
    }
    let sign = if leads(head, BEFORE_MORE) { 1 } else { -1 };
    (sign > 0 || leads(head, BEFORE_LESS)).then_some((sign, 0))
}

/// What is put off to a day that counts from the one that it had: 일주일 뒤로.
fn later(found: &Found, text: &str, tail: &str) -> Option<(i32, usize)> {
    let is_distance = found.span.of(text).ends_with(['뒤', '후']);
    (is_distance && LATER.begin(tail)).then_some((1, found.span.end))
}

/// What a number is of, where "more" stands between the two.
fn more_of(text: &str, lower: &str, found: &Found) -> Option<DeltaSize> {
    let rest = start_of(&lower[found.span.end..]).strip_prefix(" more ")?;
    let unit = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    let joined = [found.span.of(text), " ", unit].concat();
    size_of(&values(&joined, None).first()?.value, 1)
}

/// Whether no letter goes on at either end.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !inside(text[..start].chars().next_back()) && !inside(text[end..].chars().next().filter(char::is_ascii))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(text: &str) -> Vec<DeltaSize> {
        deltas(text).into_iter().map(|d| d.by).collect()
    }

    #[test]
    fn a_change_is_told_by_its_size() {
        use DeltaSize::{Bare, Count, Days, Money, Months, Seconds, Times};
        let n = Number::whole;
        let person = || Unit("person".into());
        let cases: [(&str, &[DeltaSize]); 27] = [
            ("From here on we leave half an hour earlier, same steps.", &[Seconds(-1800)]),
            ("화상회의는 다음부터 30분 당겨서 하십시다", &[Seconds(-1800)]),
            ("14일 녹음은 한 시간만 늦출게요", &[Seconds(3600)]),
            ("내일부터 30분씩 늦게 시작하고 늦게 끝내기로", &[Seconds(1800)]),
            ("the DCP may come five days later than I wrote", &[Days(5)]),
            ("상자 도착이 일주일 뒤로 밀리게 되었습니다", &[Days(7)]),
            ("피검사는 이틀 뒤 같은 시간에 와 주세요.", &[Days(2)]),
            ("은행 업무 때문에 하루 먼저 부탁드립니다", &[Days(-1)]),
            ("지급은 한 주 앞당겨 집행하겠습니다", &[Days(-7)]),
            ("Dad's been bumped a fortnight, still a Monday.", &[Days(14)]),
            ("may be kept for two weeks longer than stated", &[Days(14)]),
            ("The editors have granted nine more days.", &[Days(9)]),
            ("입주가 두 달 밀리게 되었습니다", &[Months(2)]),
            ("The lease is extended by three months.", &[Months(3)]),
            ("all stipends of your category rise by 60 euros", &[Money(n(60), "EUR")]),
            ("5만원씩만 더 얹어줘", &[Money(n(50_000), "KRW")]),
            ("세대당 250만 원 덜 내셔도 됩니다", &[Money(n(-2_500_000), "KRW")]),
            ("석고 갈아야 함니다 30 추가됨니다", &[Bare(n(30))]),
            ("인원은 스무 명 빼기로", &[Count(n(-20), person())]),
            ("ten per cent off for members", &[Times(Number::new(9, -1))]),
            ("we can halve the fee for you", &[Times(Number::ratio(1, 2))]),
            ("The meeting is on Friday at 3 pm for an hour.", &[]),
            ("이틀 뒤에 봐요", &[]),
            ("참가비는 23,500원으로 내려갑니다", &[]),
            ("the fee rises to 60 euros more or less", &[]),
            ("Snag report, 14 Larkfield Terrace: back from the builder", &[]),
            ("It costs 60 euros.", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(by(text), expected, "{text}");
        }
    }
}
