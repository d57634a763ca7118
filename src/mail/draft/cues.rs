//! Words that tell what a sentence does: greets, asks, settles, proposes, reports.
//!
//! It reads one sentence at a time and knows nothing of the mail around it.

use super::boilerplate::{is_empty, is_soft};
use super::phrases::{PHRASES, Said};
use super::plain::Plain;
use crate::language::{self, CueKind, Folded, Words, is_lone_letter, words};
use crate::mail::clean;

/// What a sentence does besides stating.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cues {
    /// Says nothing that is worth keeping, whatever values it holds.
    pub empty: bool,
    /// Says nothing worth keeping unless it holds a date or an amount.
    pub soft: bool,
    /// Asks somebody to do something.
    pub request: bool,
    pub question: bool,
    pub proposal: bool,
    pub decision: bool,
    pub meeting: bool,
    pub project: bool,
    /// Says that something changed or has come about.
    pub change: bool,
    /// Says that something stays as it was.
    pub unchanged: bool,
    /// A lasting fact about a person or a thing.
    pub fact: bool,
    /// What is not settled.
    pub open: bool,
    /// Something does not work.
    pub trouble: bool,
    /// What somebody wants or needs to have.
    pub want: bool,
}

pub(super) fn cues(sentence: &str, folded: &Folded<'_>) -> Cues {
    let plain = Plain::new(sentence);
    // "Fixed" is as often what was repaired as what is settled.
    let settled = |c: &language::Cue| {
        c.kind != CueKind::Decision
            || !c.span.of(sentence).eq_ignore_ascii_case("fixed")
                && !is_condition(&clean::tail(&sentence[..c.span.start], 16).to_lowercase(), &sentence[c.span.end..])
    };
    let mut said: Vec<CueKind> = language::cues(folded).iter().filter(|c| settled(c)).map(|c| c.kind).collect();
    said.dedup();
    let has = |kinds: &[CueKind]| said.iter().any(|k| kinds.contains(k));
    use CueKind::{Change, Decision, Decrease, Earlier, Increase, Later, Negation, NoLonger, Pending, Replace};
    let text = plain.text();
    let asks = text
        .trim_end_matches(|c: char| matches!(c, ')' | '"' | '\'' | ' ' | '~' | '!') || is_lone_letter(c))
        .ends_with('?');
    let says = |what| plain.says(what);
    Cues {
        // What was heard and is asked about is not known.
        empty: is_empty(&plain) || asks && says(Said::Hearsay),
        soft: is_soft(&plain),
        // "진행해 주세요", "please go ahead" settle; they ask for nothing.
        request: is_request(&plain) && !says(Said::GoAhead),
        question: asks || says(Said::Question),
        proposal: says(Said::Proposal),
        decision: (has(&[Decision]) || plain.says_between(Said::Decision, |head, rest| !is_condition(head, rest)))
            && !says(Said::Unsettled)
            && !(has(&[Pending]) && has(&[Negation])),
        meeting: has_meeting(&plain),
        project: says(Said::Project),
        change: has(&[Change, Increase, Decrease, Later, Earlier, Replace, NoLonger]) || says(Said::Change),
        unchanged: says(Said::Unchanged),
        fact: says(Said::Fact),
        open: has(&[Pending]) || says(Said::Unsettled),
        trouble: says(Said::Trouble),
        want: says(Said::Want),
    }
}

/// "시안 확정 후", "승인번호", "once approved": what comes after a decision, or is only called by the word.
fn is_condition(head: &str, rest: &str) -> bool {
    words!("mail/requests.after a condition").begin(rest) || words!("mail/requests.before a condition").end(head)
}

/// The words of the request in the sentence, for evidence.
pub(super) fn request_words(sentence: &str) -> Option<&str> {
    let lower = sentence.to_lowercase();
    if lower.len() != sentence.len() {
        return None;
    }
    let cues = PHRASES.of(|m| matches!(m.0, Said::Request | Said::EnglishRequest));
    let (at, end) = cues.filter_map(|cue| lower.find(cue).map(|at| (at, at + cue.len()))).min()?;
    if sentence[at..end].is_ascii() {
        // "please send the report": the phrase and what is to be done.
        let rest = sentence.get(end..)?;
        let words: usize = rest.split_inclusive(' ').take(5).map(str::len).sum();
        return sentence.get(at..end + words).map(|w| w.trim_end_matches([' ', ',', '.', '?', '!']));
    }
    // "제출해 주세요": the verb stands before.
    let head = sentence.get(..at)?;
    let start = head.trim_end().rfind(' ').map_or(0, |i| i + 1);
    let tail = sentence[end..].find([' ', '.', '!', '?', ',', '\n']).map_or(sentence.len(), |i| end + i);
    sentence.get(start..tail).map(str::trim)
}

fn is_request(plain: &Plain) -> bool {
    let says = |what| plain.says(what);
    says(Said::Request) && !says(Said::NoKoreanRequest)
        || says(Said::Noted)
        || !says(Said::NoRequest) && (says(Said::EnglishRequest) || is_imperative(plain.text()))
}

/// "Send the form", but no "Set-up is on 2 May", "Order total: $70", "Call with Kim" or "Book it?".
fn is_imperative(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().trim_end_matches([',', '!']);
    let noun = words.clone().next().is_some_and(|w| words!("mail/requests.after a noun").contains(&w))
        || words.take(4).any(|w| w.ends_with(':') || words!("mail/requests.verbs of a noun").contains(&w));
    words!("mail/requests.imperative").contains(&first) && !noun && !text.ends_with('?')
}

fn has_meeting(plain: &Plain) -> bool {
    // The minutes of a meeting, a training budget, an audit log.
    static NEXT: &Words = words!("mail/requests.after no meeting");
    static THANKS: &Words = words!("mail/requests.no meetings");
    static PLACES: &Words = words!("mail/requests.places");
    let other = |rest: &str| {
        let next = rest.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        words!("mail/requests.not before a request").contains(&next)
    };
    let korean = |head: &str, rest: &str| !NEXT.begin(rest) && !THANKS.begin(&plain.text()[head.len()..]);
    plain.says_between(Said::KoreanMeetings, korean)
        || plain.says_between(Said::EnglishMeetings, |head, rest| !other(rest) && !PLACES.end(head))
}

/// Whether the text names an offer of a shop.
pub(super) fn is_offer(plain: &Plain) -> bool {
    plain.says(Said::Offer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cues(text: &str) -> Cues {
        super::cues(text, &Folded::new(text))
    }

    #[test]
    fn greetings_and_thanks_say_nothing() {
        for text in [
            "안녕하세요, 배수현 팀장님.",
            "수현 팀장님, 연휴 잘 쉬셨죠?",
            "Hi Suhyun,",
            "Hope you are well.",
            "넵!",
            "Shout if I got something wrong.",
            "Feel free to reach out with any questions.",
            "강 대회가 태풍 때문에 취소라던데요??",
        ] {
            assert!(cues(text).empty, "{text}");
        }
        for text in [
            "감사합니다.",
            "Thank you for the quick feedback.",
            "두 분 의견 부탁드립니다.",
            "고객사에 안내하실 때 참고해 주세요.",
        ] {
            assert!(cues(text).soft, "{text}");
        }
        for text in [
            "여권 만료일은 2026년 1월 19일.",
            "The review is on 20 March.",
            "Dear customer 4 has left us.",
            "엄마가 모임은 3시라던데.",
        ] {
            assert!(!cues(text).empty && !cues(text).soft, "{text}");
        }
    }

    #[test]
    fn requests_are_known_with_their_words() {
        for (text, words) in [
            ("운영팀은 3월 21일까지 저에게 제출해 주세요.", "제출해 주세요"),
            ("오송공장으로 납품 부탁드립니다.", "납품 부탁드립니다"),
            ("Please send the signed form by Friday.", "Please send the signed form"),
        ] {
            assert!(cues(text).request, "{text}");
            assert_eq!(request_words(text), Some(words));
        }
        for text in
            ["Please find the file attached.", "그날 회의를 합니다.", "The form was sent.", "Please note the date."]
        {
            assert!(!cues(text).request, "{text}");
        }
    }

    #[test]
    fn meetings_are_told_from_what_only_sounds_like_one() {
        for text in [
            "착수회의를 엽니다.",
            "The interview is at 10.",
            "엄마 생신 저녁",
            "식약처 GDP 정기실사가 5월 14일로 잡혔습니다.",
        ] {
            assert!(cues(text).meeting, "{text}");
        }
        for text in [
            "회의록을 보냅니다.",
            "교육비는 40만원입니다.",
            "회의에서 결정했습니다.",
            "자체점검표를 걷습니다.",
            "감사합니다.",
        ] {
            assert!(!cues(text).meeting, "{text}");
        }
    }
}
