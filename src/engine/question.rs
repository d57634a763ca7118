//! Reading a question: which span of time it is about, and what else.

use crate::language::{Reference, Span, Value, fold, values};
use crate::model::{Category, Time};
use chrono::{NaiveDate, NaiveTime};

/// A question, read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Question {
    /// The span that its time phrase names: from the first moment to that after the last.
    pub span: Option<(Time, Time)>,
    /// Whether it asks for whatever lies in the span ("what happened last week?"), rather than about a matter.
    pub lists: bool,
    /// The category that it asks for ("which meetings …"), as a preference.
    pub category: Option<Category>,
    /// The question without its time phrase.
    pub topic: String,
}

/// Words that ask for what lies in a span, whatever it is; stems, compared by their beginning.
const LISTING: &[&str] = &[
    "무슨",
    "일정",
    "스케줄",
    "예정",
    "있었",
    "생겼",
    "calendar",
    "schedule",
    "happen",
    "agenda",
    "coming",
    "plan",
    "due",
    "마감",
    "기한",
];
/// Words that say nothing about the matter asked for.
const EMPTY: &[&str] = &[
    "what",
    "which",
    "is",
    "are",
    "was",
    "were",
    "did",
    "do",
    "does",
    "my",
    "our",
    "on",
    "in",
    "at",
    "the",
    "a",
    "there",
    "have",
    "has",
    "i",
    "we",
    "by",
    "for",
    "of",
    "to",
    "any",
    "anything",
    "tell",
    "me",
    "show",
    "big",
    "thing",
    "things",
    "뭐",
    "무엇",
    "뭘",
    "일이",
    "일은",
    "일",
    "있어",
    "있나",
    "있지",
    "있는",
    "있던",
    "잡혀",
    "잡힌",
    "알려",
    "줘",
    "주세요",
    "보여",
    "큰",
    "중요한",
    "내",
    "우리",
    "해야",
    "할",
];

/// Reads a question that is asked at `at`.
pub(super) fn read(text: &str, at: Reference) -> Question {
    let phrase = values(text, Some(at)).into_iter().find_map(|f| Some((f.span, days(&f.value)?)));
    let Some((place, (first, end))) = phrase else {
        return Question { span: None, lists: false, category: category(text), topic: text.to_owned() };
    };
    let moment = |day: NaiveDate| Time::from_local(day.and_time(NaiveTime::MIN), at.zone);
    let topic = without(text, place);
    let words: Vec<String> = topical(&topic);
    let lists = words.is_empty() || fold(&topic).split(' ').any(|w| LISTING.iter().any(|l| w.starts_with(l)));
    let by = is_deadline(text, place);
    // "due by Friday" is about everything up to Friday.
    let from = if by { at.now.min(moment(first)) } else { moment(first) };
    Question { span: Some((from, moment(end))), lists, category: category(&topic), topic }
}

/// The days that a value names: the first, and the one after the last.
fn days(value: &Value) -> Option<(NaiveDate, NaiveDate)> {
    match value {
        Value::Date(d) => d.on.and_then(|day| Some((day, day.succ_opt()?))),
        Value::Period(p) => p.span,
        Value::Range(ends) => Some((days(&ends.0)?.0, days(&ends.1)?.1)),
        _ => None,
    }
}

/// The text without the phrase and the particle that hangs on it.
fn without(text: &str, phrase: Span) -> String {
    let (before, after) = (text.get(..phrase.start).unwrap_or(text), text.get(phrase.end..).unwrap_or(""));
    let particle = ["에는", "에", "의", "까지", "부터"].iter().find(|p| after.starts_with(**p)).map_or(0, |p| p.len());
    format!("{} {}", before.trim_end(), after[particle..].trim_start()).trim().to_owned()
}

/// The words of a topic that name a matter.
fn topical(topic: &str) -> Vec<String> {
    fold(topic)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty() && !EMPTY.contains(w) && !LISTING.iter().any(|l| w.starts_with(l)))
        .filter(|w| category(w).is_none())
        .map(str::to_owned)
        .collect()
}

fn category(text: &str) -> Option<Category> {
    let text = fold(text);
    let says = |words: &[&str]| text.split(' ').any(|w| words.iter().any(|s| w.starts_with(s)));
    if says(&["meeting", "회의", "미팅", "약속", "일정", "calendar", "appointment"]) {
        Some(Category::Meeting)
    } else if says(&["task", "할일", "마감", "due", "deadline", "todo"]) {
        Some(Category::Task)
    } else if says(&["결정", "decision", "decided"]) {
        Some(Category::Decision)
    } else {
        None
    }
}

fn is_deadline(text: &str, phrase: Span) -> bool {
    let after = text.get(phrase.end..).unwrap_or("");
    let before = fold(text.get(..phrase.start).unwrap_or(""));
    after.starts_with("까지") || before.ends_with("by") || before.ends_with("until") || before.ends_with("before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Zone;

    fn ask(text: &str) -> (Option<(String, String)>, bool) {
        let at = Reference { now: "2025-03-24T00:00:00Z".parse().unwrap(), zone: Zone::from_minutes(540) };
        let q = read(text, at);
        let day = |t: Time| t.day(Zone::from_minutes(540)).to_string();
        (q.span.map(|(a, b)| (day(a), day(b))), q.lists)
    }

    #[test]
    fn a_time_phrase_names_its_span() {
        let cases = [
            ("지난주에 무슨 일이 있었어?", "2025-03-17", "2025-03-24", true),
            ("What is on my calendar next week?", "2025-03-31", "2025-04-07", true),
            ("4월 첫째 주에 잡혀 있던 일정 알려 줘", "2025-03-31", "2025-04-07", true),
            ("What meetings are there this week?", "2025-03-24", "2025-03-31", true),
            ("what is due by Friday?", "2025-03-24", "2025-03-29", true),
            ("어제 이천 창고 온도 몇 도였지", "2025-03-23", "2025-03-24", false),
            ("Who is the contact at Linden in May?", "2025-05-01", "2025-06-01", false),
        ];
        for (text, from, to, lists) in cases {
            assert_eq!(ask(text), (Some((from.to_owned(), to.to_owned())), lists), "{text}");
        }
    }

    #[test]
    fn a_question_without_a_time_has_no_span() {
        for text in ["한결약품은 로거를 몇 대 주문했지?", "What is the status of the contract?", "", "?!"]
        {
            assert_eq!(ask(text), (None, false), "{text}");
        }
    }
}
