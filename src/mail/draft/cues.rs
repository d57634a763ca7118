//! Words that tell what a sentence does: greets, asks, settles, proposes, reports.
//!
//! It reads one sentence at a time and knows nothing of the mail around it.

use super::boilerplate::{is_empty, is_soft};
use super::phrases::*;
use super::plain::Plain;
use crate::language::{self, CueKind, Folded, Lower, Words, words};
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
                && !is_condition(&clean::tail(&sentence[..c.span.start], 16).lower(), &sentence[c.span.end..])
    };
    let mut said: Vec<CueKind> = language::cues(folded).iter().filter(|c| settled(c)).map(|c| c.kind).collect();
    said.dedup();
    let has = |kinds: &[CueKind]| said.iter().any(|k| kinds.contains(k));
    use CueKind::{Change, Decision, Decrease, Earlier, Increase, Later, Negation, NoLonger, Pending, Replace};
    let text = plain.text();
    let bare = text.trim_end_matches(['.', '!', '?', '~', ' ', '^', ')', ';', 'ㅎ', 'ㅋ', 'ㅠ']);
    let asks = text.trim_end_matches([')', '"', '\'', ' ', '~', '!', 'ㅎ', 'ㅋ']).ends_with('?');
    let proposal = plain.has(&PROPOSAL);
    // "진행해 주세요", "please go ahead" settle; they ask for nothing.
    let hard = is_request(&plain, bare) && !plain.has(&GO_AHEAD);
    Cues {
        empty: is_empty(&plain, bare),
        soft: is_soft(&plain, bare),
        request: hard,
        question: asks || ["까요", "나요", "을까", "는지요"].iter().any(|e| bare.ends_with(e)),
        proposal,
        decision: (has(&[Decision]) || plain.find_where(&DECISION, |head, rest| !is_condition(head, rest)))
            && !plain.has(&UNSETTLED)
            && !(has(&[Pending]) && has(&[Negation])),
        meeting: has_meeting(&plain),
        project: plain.has(&PROJECT),
        change: has(&[Change, Increase, Decrease, Later, Earlier, Replace, NoLonger]) || plain.has(&CHANGE),
        unchanged: plain.has(&UNCHANGED),
        fact: plain.has(&FACT),
        open: has(&[Pending]) || plain.has(&UNSETTLED),
        trouble: plain.has(&TROUBLE),
        want: plain.has(&WANT),
    }
}

/// "시안 확정 후", "승인번호", "once approved": what comes after a decision, or is only called by the word.
fn is_condition(head: &str, rest: &str) -> bool {
    ["번호", " 후", "후 ", " 뒤", "되면", "되는 대로", "하시면", " 시 ", "이 나면", "일 경우"]
        .iter()
        .any(|w| rest.starts_with(w))
        || ["once ", "after ", "if ", "until ", "when "].iter().any(|w| head.ends_with(w))
}

/// The words of the request in the sentence, for evidence.
pub(super) fn request_words(sentence: &str) -> Option<&str> {
    let lower = sentence.lower();
    if lower.len() != sentence.len() {
        return None;
    }
    let found = REQUEST.iter().chain(ENGLISH_REQUEST.iter()).filter_map(|cue| {
        let cue = cue.trim_end_matches('*');
        lower.find(cue).map(|at| (at, at + cue.len()))
    });
    let (at, end) = found.min()?;
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

fn is_request(plain: &Plain, bare: &str) -> bool {
    let text = plain.text();
    let soft_english = plain.has(&[
        "please find",
        "please note",
        "please disregard",
        "please do not answer",
        "please do not reply",
        "please don't reply",
        "please feel",
        "please accept",
        "please be advised",
        "please see",
        "please let me know if",
        "please don't hesitate",
        "please do not hesitate",
        "please quote",
        "please ignore",
        "please help yourself",
    ]);
    let korean = plain.has(&REQUEST)
        && !bare.ends_with("참고해 주세요")
        && !bare.ends_with("참고하시기 바랍니다")
        && !bare.ends_with("않으셔도 됩니다");
    let noted = [
        "하기",
        "올리기",
        "보내기",
        "사기",
        "내기",
        "챙기기",
        "예약하기",
        "할 것",
        "제출할 것",
        "해야 함",
        "해야 됨",
        "하자",
        "가져가기",
        "연락하기",
        "결제하기",
        "신청하기",
    ]
    .iter()
    .any(|e| bare.ends_with(e));
    let imperative = is_imperative(text) && !text.trim_end().ends_with('?');
    korean || noted || !soft_english && (plain.has(&ENGLISH_REQUEST) || imperative)
}

/// "Send the form", but no "Set-up is on 2 May", "Order total: $70" or "Call with Kim".
fn is_imperative(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().trim_end_matches([',', '!']);
    let mut next = words.clone();
    let noun = matches!(next.next(), Some("with" | "of" | "is" | "was" | "for" | "on"))
        || words.take(4).any(|w| {
            w.ends_with(':')
                || matches!(w, "is" | "are" | "was" | "were" | "will" | "has" | "starts" | "costs" | "opens")
        });
    IMPERATIVE.contains(&first) && !noun
}

fn has_meeting(plain: &Plain) -> bool {
    let text = plain.text();
    let korean = KOREAN_MEETINGS.iter().any(|noun| {
        text.match_indices(noun).any(|(at, _)| {
            let rest = &text[at + noun.len()..];
            let other = rest.starts_with(|c: char| "표비서록실료팀자용장원권증금값기".contains(c))
                || *noun == "감사" && (rest.starts_with("합") || rest.starts_with("드") || rest.starts_with("해"))
                || *noun == "점검" && rest.starts_with("표");
            // "회의에서 정한", "교육에서 나온": where something was said, not what is planned.
            let context = rest.starts_with("에서") || rest.starts_with(" 결과") || rest.starts_with(" 때 ");
            !other && !context
        })
    });
    korean
        || plain.find(&ENGLISH_MEETINGS).is_some_and(|(at, end)| {
            // An audit log, a training budget, meeting notes.
            static OTHER: Words = words!("mail/requests.not before a request");
            static PLACES: Words = words!("mail/requests.places");
            let next = text[end..].trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
            !OTHER.contains(&next) && !PLACES.iter().any(|p| text[..at].ends_with(p))
        })
}

/// Whether the text names an offer of a shop.
pub(super) fn is_offer(plain: &Plain) -> bool {
    plain.has(&[
        "할인",
        "쿠폰",
        "특가",
        "혜택",
        "프로모션",
        "무료배송",
        "무료 배송",
        "적립",
        "증정",
        "세일",
        "이벤트",
        "사은품",
        "반값",
        "캐시백",
        "% off",
        "off",
        "discount*",
        "coupon*",
        "sale",
        "deal",
        "deals",
        "offer",
        "offers",
        "free shipping",
        "save",
        "promo*",
        "voucher*",
        "gift",
        "three for two",
        "two for one",
        "buy one",
        "bogo",
        "clearance",
        "early bird",
        "last chance",
        "cashback",
        "for two",
        "free trial",
    ])
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
        for text in ["여권 만료일은 2026년 1월 19일.", "The review is on 20 March.", "Dear customer 4 has left us."]
        {
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
