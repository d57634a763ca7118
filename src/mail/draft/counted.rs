//! What a day in a mail counts from: the day of the mail, another day that was spoken of, or none, since it is one of every week.

use super::plain::Plain;
use crate::language::{CueKind, Cycle, Folded, Found, On, PeriodKind, Shift, Value, cues, is_hangul, words};

/// The day of the week, where nothing else of the date is said.
pub(super) fn weekday_alone(value: &Value) -> Option<u8> {
    match value {
        Value::Date(d) if d.month.is_none() && d.day.is_none() && d.shift.is_none() => d.weekday,
        _ => None,
    }
}

/// Whether a bare weekday means every one of them: it is named again, or holds from then on, or for some weeks.
pub(super) fn is_habit(text: &str, values: &[Found], n: usize) -> bool {
    let Some(weekday) = weekday_alone(&values[n].value) else { return false };
    let again = values.iter().filter(|f| weekday_alone(&f.value) == Some(weekday)).count() > 1;
    let from = values
        .iter()
        .any(|f| matches!(&f.value, Value::Period(p) if matches!(p.kind, PeriodKind::Month | PeriodKind::Quarter)));
    let hours = values.iter().any(|f| matches!(&f.value, Value::Range(ends) if matches!(ends.0, Value::Clock(_))));
    // "매주 화요일 수업이 4월부터 수요일로": the new day is one of every week too.
    let weekly = values.iter().any(|f| matches!(f.value, Value::Recurrence(_)));
    again || from && (hours || weekly) || holds_on(text, values, n) || is_of_series(text, values, n)
}

/// Whether what the clause of a day tells of comes again by weeks or months, and nothing says which time: "the weekly meeting is
/// on Tuesday", 월례 회의는 20일. A day from which or until which something holds is one day.
pub(super) fn is_of_series(text: &str, values: &[Found], n: usize) -> bool {
    let span = values[n].span;
    let start = text[..span.start].rfind(['.', '!', '?', '\n', ',', ';', ':']).map_or(0, |end| end + 1);
    let end = text[span.end..].find(['.', '!', '?', '\n']).map_or(text.len(), |at| span.end + at);
    let (head, clause) = (text[start..span.start].to_lowercase(), text[start..end].to_lowercase());
    let before = || values[..n].iter().filter(|f| start <= f.span.start);
    let recurs = |f: &Found| match &f.value {
        Value::Recurrence(r) => r.on == On::Any && matches!(r.unit, Cycle::Week | Cycle::Month | Cycle::Quarter),
        _ => false,
    };
    let comes_again = words!("mail/dates.series").stand_in(&head) || before().any(recurs);
    let is_one = |f: &Found| matches!(&f.value, Value::Period(period) if period.shift.is_some());
    let is_end = words!("mail/dates.from then on").end(head.trim_end()) || text[span.end..].starts_with("부터");
    comes_again && !is_end && !before().any(is_one) && !words!("mail/dates.this once").stand_in(&clause)
}

/// "5월 첫 주부터 목요일에 모입니다", "5월 14일부터 4주 동안 목요일", "from next week it is Wednesdays".
fn holds_on(text: &str, values: &[Found], n: usize) -> bool {
    let at = values[n].span.end;
    if ["까지", "에 시작", "부터"].iter().any(|w| text[at..].starts_with(w)) {
        return false;
    }
    let sentence = text[..values[n].span.start].rfind(['.', '!', '?', '\n']).map_or(0, |end| end + 1);
    values[..n].iter().filter(|f| f.span.start >= sentence).any(|f| {
        let after = text[f.span.end..].trim_start_matches(')');
        match &f.value {
            Value::Period(_) => {
                let head = text[..f.span.start].trim_end().to_lowercase();
                after.starts_with("부터") || words!("mail/dates.from then on").end(&head)
            }
            Value::Duration(length) => {
                length.months == 0 && length.seconds >= 14 * 86_400 && after.trim_start().starts_with("동안")
            }
            _ => false,
        }
    })
}

/// Whether a day counts from another day than the mail's: "the Saturday after, …", 넷째 목요일, 이틀 뒤인 5월 15일, 예식
/// 닷새 전, "나흘 뒤로 미룹니다", "이틀 뒤 같은 시간에".
pub(super) fn counts_from_another(text: &str, found: &Found) -> bool {
    let (head, tail) = (text[..found.span.start].to_lowercase(), text[found.span.end..].to_lowercase());
    words!("mail/dates.before a day of another").end(&head)
        || words!("mail/dates.after a day of another").begin(&tail)
        || is_distance(found, text)
            && (is_of_an_event(&head) || is_moved_by(&tail) || is_before_a_day(found, text) || is_moved(text))
}

/// "변경은 이틀 전까지", "한 주 뒤 12월 10일": so long before or after the day that it is about.
fn is_before_a_day(found: &Found, text: &str) -> bool {
    let tail = &text[found.span.end..];
    found.span.of(text).ends_with('전') && tail.starts_with("까지")
        || tail.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

/// Whether it says how far away a day is: 닷새 전, 2주 뒤.
fn is_distance(found: &Found, text: &str) -> bool {
    let Value::Date(date) = &found.value else { return false };
    let shifted = matches!(date.shift, Some(Shift::Days(_) | Shift::Months(_))) && date.weekday.is_none();
    shifted && found.span.of(text).ends_with(['전', '뒤', '후'])
}

/// Whether a bare noun stands before it, which is what it counts from: "대회 3주 전"; and not how exactly it is meant.
fn is_of_an_event(head: &str) -> bool {
    let word = head.trim_end().rsplit([' ', '\n', '(', ',', '.', ':']).next().unwrap_or_default();
    let parted = head.ends_with(' ') && !head.trim_end().ends_with([',', '.', ':', ')']);
    parted
        && word.chars().count() >= 2
        && word.chars().all(is_hangul)
        && !words!("mail/dates.how exactly").contains(&word)
        && !words!("mail/dates.after a noun").end(word)
}

/// Whether the text says that something is at another time now.
pub(super) fn is_moved(text: &str) -> bool {
    use CueKind::{Change, Earlier, Later, Replace};
    cues(&Folded::new(text)).iter().any(|c| matches!(c.kind, Change | Earlier | Later | Replace))
}

/// Whether what follows tells that something is put that far away from where it was, or at the hour that it had.
fn is_moved_by(tail: &str) -> bool {
    let sentence = tail.split(['.', '!', '?', '\n']).next().unwrap_or_default();
    Plain::new(sentence).has(words!("mail/dates.moved by"))
}

#[cfg(test)]
mod tests {
    use super::super::when::values;
    use super::{counts_from_another, is_habit};
    use crate::language::{Reference, Value};
    use crate::model::Zone;

    /// The days that count from the day of a mail of Monday, 9 March 2026.
    fn days(text: &str) -> Vec<String> {
        let at = Reference { now: "2026-03-09T01:00:00Z".parse().unwrap(), zone: Zone::from_minutes(540) };
        let all = values(text, Some(at));
        let day = |(n, f): (usize, &crate::language::Found)| match &f.value {
            Value::Date(d) if (d.shift.is_some() || d.month.is_none()) && !is_habit(text, &all, n) => {
                d.on.filter(|_| !counts_from_another(text, f)).map(|on| on.format("%m-%d").to_string())
            }
            _ => None,
        };
        all.iter().enumerate().filter_map(day).collect()
    }

    #[test]
    fn a_day_that_counts_from_another_is_not_resolved() {
        for text in [
            "잔금은 예식 닷새 전까지 주세요.",
            "접수는 대회 3주 전에 마감합니다.",
            "점검을 나흘 뒤로 미뤘습니다.",
            "검사는 이틀 뒤 같은 시간에 와 주세요.",
            "5월 첫 주부터 우리는 목요일에 모입니다.",
            "강좌는 4월 2일부터 4주 동안 목요일 저녁 7시입니다.",
            "그 주 수요일에는 자리를 비웁니다.",
            "변경은 이틀 전까지 전화 주세요.",
            "공사가 밀렸어. 이사도 한 주 뒤 같은 시간이야.",
            "10월부터 저희는 목요일입니다.",
            "주사는 한 주 뒤 12월 10일.",
            // It may be every one of them.
            "화요일에 요가반이 들어온대요.",
            "금요일은 동현이가 모셔다드림.",
            "수요일에 합창부가 써서 우린 목요일 7시 반.",
            "Juno | Squad B | Monday | 5:00 pm",
            "I'll take your Sunday a week after instead.",
            "The stage is 16 to 20 November, Monday to Friday.",
        ] {
            assert!(days(text).is_empty(), "{text}: {:?}", days(text));
        }
    }

    #[test]
    fn a_day_that_counts_from_the_mail_is() {
        for (text, day) in [
            ("사흘 뒤에 다시 전화드릴게요.", "03-12"),
            ("결과는 3일 뒤에 나옵니다.", "03-12"),
            ("딱 2주 뒤에 만나요.", "03-23"),
            ("오는 목요일에 모입니다.", "03-12"),
            ("목요일까지 내 주세요.", "03-12"),
            ("목요일 오전에 갖다 드리겠습니다.", "03-12"),
            ("다음 주부터 합니다. 목요일에 만나요.", "03-12"),
            ("화요일에 온 손님이 두고 갔습니다.", "03-03"),
        ] {
            assert!(days(text).contains(&day.to_owned()), "{text}: {:?}", days(text));
        }
    }
}
