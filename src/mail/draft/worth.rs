//! What a part is worth by what it says.

use super::names;
use super::nouns::{self, Word};
use super::part::{Context, Lean, PartKind, StatementPart};
use super::plain::Plain;
use super::topic::alike;
use super::when::Moment;
use crate::language::{Found, Lower, Reference, Value, Words, is_hangul, words};
use crate::mail::signature;

/// How much a part says (0 nothing, 1 something that needs company, 2 enough), and whether it will do where the mail
/// says nothing else.
pub(super) fn worth(part: &StatementPart, found: &[Found], context: &Context<'_>) -> (u8, bool) {
    let (text, cues, strong, moments) = (part.text.as_str(), &part.cues, &part.strong, &part.moments);
    let idle = cues.empty || signature::is_boilerplate(text) || signature::is_footer_line(text);
    if idle || part.kind == PartKind::Heading || text.chars().count() < 4 {
        return (0, false);
    }
    // How long something takes is told by a length of time; others only pass.
    let takes = part.kind != PartKind::Sentence
        || Plain::new(text).has(&["걸리", "걸립", "걸려", "소요", "take", "takes", "lasts", "within", "lead time"]);
    let quantity =
        strong.iter().any(|v| matches!(v, Value::Quantity { .. }) || takes && matches!(v, Value::Duration(_)));
    let money = strong.iter().any(|v| matches!(v, Value::Money { .. }));
    let firm = strong.iter().any(|v| {
        matches!(v, Value::Percent(_) | Value::Date(_) | Value::Clock(_) | Value::Range(_) | Value::Recurrence(_))
            || matches!(v, Value::Identifier(_) | Value::Version(_))
    });
    let dated = !moments.is_empty() || firm || money;
    // Thanks for what was today are over with it.
    let today = context.at.map(Reference::day);
    let past = !moments.is_empty() && moments.iter().all(|m| today.is_some_and(|t| m.day <= t));
    // "23 now, sorry for the back and forth." answers with a number.
    let answers = context.is_reply
        && !context.topic.is_empty()
        && text.chars().count() <= 60
        && matches!(part.leans, Lean::Values | Lean::Yes)
        && found.iter().any(|f| {
            matches!(f.value, Value::Number(_) | Value::Quantity { .. }) && text[..f.span.start].chars().count() <= 3
        });
    if (cues.soft || cues.unchanged) && (!dated || past && !money) && !answers {
        return (0, false);
    }
    let laughs = ["ㅋㅋ", "ㅎㅎ", "ㅠㅠ", "haha", "lol"].iter().any(|l| text.lower().contains(l));
    // "Haha, 10/10": a mark, not a day in October.
    if laughs && !moments.is_empty() && moments.iter().all(|m| text[m.start..m.end].contains('/')) {
        return (0, false);
    }
    // "Does 3 pm work?" asks; "어때요?" proposes, and is worth remembering as a proposal.
    let tells = cues.proposal || cues.request || cues.fact || cues.meeting && dated;
    // A promise to send something today is done before anybody asks for it.
    if cues.question && !tells || is_errand(text, moments, context.at) {
        return (0, false);
    }
    let status = found.iter().any(|f| matches!(f.value, Value::Status { .. }));
    let named = names::has_name(text);
    let on_topic = part.words.iter().any(|w| context.topic.words().any(|t| alike(w, t)));
    // "후임은 박지호 대리입니다" says who somebody is.
    let appoints = named
        && super::plain::is_korean(text)
        && ["입니다", "이에요", "예요", "님", "임"].iter().any(|e| text.trim_end_matches(['.', '!', ' ']).ends_with(e));
    let one = |yes: bool| i32::from(yes);
    // An errand is worth a memory without a day; how to go about something is not.
    let errand = Plain::new(text).has(&[
        "사다", "사 줘", "사 와", "챙겨", "가져", "예약", "준비", "보내", "제출", "작성", "결제", "신청", "등록",
        "찾아", "맡기", "buy", "bring", "book", "send", "submit", "order", "prepare", "sign", "pay", "call", "pick up",
        "renew", "collect", "return",
    ]);
    let asks_enough = errand && part.words.len() >= if super::plain::is_korean(text) { 2 } else { 3 };
    // A day that is over says when, not what.
    let only_past = past && !money && !quantity && !moments.iter().any(|m| m.clock.is_some());
    let figures = if (dated || quantity) && !only_past { 2 } else { one(dated || !strong.is_empty()) };
    let deeds = 2 * (one(cues.decision) + one(cues.fact) + one(cues.trouble) + one(cues.want) + one(appoints))
        + one(cues.request) * if context.direct && !cues.soft && asks_enough { 2 } else { 1 }
        + 2 * one(answers)
        + one(cues.change || status)
        + one(cues.proposal || cues.open)
        + one(cues.project)
        + one(cues.meeting && dated);
    // Where one meets.
    let place = Plain::new(text).has(&[
        "에서 뵐",
        "에서 뵙",
        "에서 봬",
        "에서 만나",
        "에서 봐요",
        "에서 보자",
        "에서 기다",
        "meet you at",
        "see you at",
        "meet at",
    ]);
    let about = one(named) + one(on_topic) + 2 * one(place);
    let points = figures + deeds + one(matches!(part.kind, PartKind::Pair { .. })) - one(cues.soft);
    let statement = part.kind == PartKind::Sentence && !cues.question && !cues.soft && part.leans != Lean::Values;
    let enough = !laughs && part.words.len() >= 3 && (about > 0 || points > 0 || part.words.len() >= 5);
    (points.clamp(0, 2) as u8, statement && enough)
}

/// Whether the sentence only says that a file or a word will come, with no day beyond today.
fn is_errand(text: &str, moments: &[Moment], at: Option<Reference>) -> bool {
    let plain = Plain::new(text);
    let sends = plain.has(&[
        "보내 드리겠",
        "보내드리겠",
        "드리겠습니다",
        "보내겠습니다",
        "발송하겠",
        "전달하겠",
        "공유하겠",
        "올리겠",
        "연락드리겠",
        "i will send",
        "i'll send",
        "will get back",
        "i'll get back",
        "will follow up",
        "will share",
        "i'll share",
        "시트에서 보실",
        "위키의",
        "드라이브",
        "is in the",
        "link is",
        "same link",
    ]);
    let today = at.map(Reference::day);
    sends && moments.iter().all(|m| today.is_none_or(|t| m.day <= t))
}

/// The words that carry meaning: no particles, no values, no everyday verbs.
pub(super) fn content_words(text: &str, found: &[Found]) -> Vec<String> {
    let valued = |w: &Word<'_>| {
        found.iter().any(|f| {
            w.start >= f.span.start
                && w.start < f.span.end
                && !matches!(f.value, Value::Identifier(_) | Value::Status { .. })
        })
    };
    nouns::words(text)
        .iter()
        .filter(|w| !valued(w) && w.stem.chars().count() >= 2)
        .map(Word::key)
        .filter(|k| if k.contains(is_hangul) { !is_function(k) } else { k.len() >= 4 && !is_function(k) })
        .collect()
}

fn is_function(word: &str) -> bool {
    static WORDS: Words = words!("mail/parts.words");
    WORDS.contains(&word)
}
