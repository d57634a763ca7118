//! Reading a question: which span of time it is about, and what else.

use crate::language::{Folded, Reference, Words, fold, time_phrase, tokens, words};
use crate::model::{Category, Time};

/// A question, read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Query {
    /// The span that its time phrase names: from the first moment to that after the last.
    pub span: Option<(Time, Time)>,
    /// Whether it asks for whatever lies in the span ("what happened last week?"), rather than about a matter.
    pub lists: bool,
    /// The category that it asks for ("which meetings …"), as a preference.
    pub category: Option<Category>,
    /// The question without its time phrase.
    pub topic: String,
    /// What memories are compared with: all of it, but for a time phrase whose words no memory has.
    pub sought: String,
}

/// Words that ask for what lies in a span, whatever it is, and for telling of it; compared by their beginning. A text that
/// names anything else speaks of that.
static LISTING: Words = words!("questions.listing");
/// Question words and the like, which name no matter.
static EMPTY: Words = words!("questions.empty");

/// Reads a question that is asked at `at`.
pub(super) fn read(text: &str, at: Reference) -> Query {
    let Some(phrase) = time_phrase(text, at) else {
        return Query {
            span: None,
            lists: false,
            category: category(text),
            topic: text.to_owned(),
            sought: text.to_owned(),
        };
    };
    let (before, after) = (text.get(..phrase.span.start), text.get(phrase.span.end..));
    let topic = format!("{} {}", before.unwrap_or("").trim_end(), after.unwrap_or("").trim_start()).trim().to_owned();
    let lists = phrase.firm && is_bare(&topic);
    let sought = if lists || phrase.relative { topic.clone() } else { text.to_owned() };
    Query { span: Some((phrase.from, phrase.to)), lists, category: category(&topic), topic, sought }
}

/// Whether a topic names no matter of its own.
fn is_bare(topic: &str) -> bool {
    let folded = Folded::new(topic);
    let names_nothing =
        |word: &str| EMPTY.iter().chain(&LISTING[..]).any(|e| word.starts_with(e)) || category(word).is_some();
    tokens(&folded).iter().filter(|t| !t.stop).all(|t| names_nothing(t.word(&folded)))
}

/// Words that point at something without naming it.
const POINTING: &str = "그거 그게 그건 그것 이거 이게 이건 이것 저거 저게 어디 언제 누구 누가 왜 얼마 어떻게 it that this there where when who why how much";

/// Whether a question names nothing by which anything could be found ("그거 뭐였지?").
pub(super) fn names_nothing(text: &str) -> bool {
    let folded = Folded::new(text);
    let empty = |word: &str| EMPTY.iter().any(|e| word.starts_with(e)) || POINTING.split(' ').any(|p| p == word);
    tokens(&folded).iter().filter(|t| !t.stop).all(|t| empty(t.word(&folded)))
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
            ("Omar's three books are due on 16 May at Southbank Library.", "2025-05-16", "2025-05-17", false),
            ("원목 책상은 예정대로 5월 14일에 온다고 한다", "2025-05-14", "2025-05-15", false),
            ("이번 주 일정 정리해서 보여 줘", "2025-03-24", "2025-03-31", true),
        ];
        for (text, from, to, lists) in cases {
            assert_eq!(ask(text), (Some((from.to_owned(), to.to_owned())), lists), "{text}");
        }
    }

    #[test]
    fn what_is_sought_has_the_words_of_a_time_unless_it_counts_from_today() {
        let at = Reference { now: "2025-03-24T00:00:00Z".parse().unwrap(), zone: Zone::from_minutes(540) };
        for (text, sought) in [
            ("어제 이천 창고 온도 몇 도였지", "이천 창고 온도 몇 도였지"),
            ("Who flies on 9 May?", "Who flies on 9 May?"),
        ] {
            assert_eq!(read(text, at).sought, sought);
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
