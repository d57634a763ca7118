//! Sentences that say nothing: greetings, thanks, covers for what is attached.
//!
//! It looks at words only; what a date or an amount in them is worth is for `parts` to say.

use super::plain::Plain;
use crate::language::{Words, words};

/// Whether the sentence says nothing worth keeping, whatever values it holds: greetings, wishes, good-byes.
pub(super) fn is_empty(plain: &Plain, bare: &str) -> bool {
    let text = plain.text();
    let words = text.split_whitespace().count();
    let begins = |list: &[&str]| list.iter().any(|g| text.starts_with(g));
    if text.chars().count() <= 60
        && begins(&["안녕하세요", "안녕하십니까", "안녕하신지", "안녕!", "안녕,", "반갑습니다", "처음 인사", "첫인사"])
    {
        return true;
    }
    #[rustfmt::skip]
    let wishes = plain.has(&["wishing you", "best wishes", "happy holidays", "season's greetings", "warm wishes"]);
    if wishes && !text.bytes().any(|b| b.is_ascii_digit()) {
        return true;
    }
    #[rustfmt::skip]
    let nothing_to_do = plain.has(&[
        "no action is needed", "no action is required", "no action needed", "no action required", "no further action",
        "not need to do anything", "nothing to do", "nothing you need to do", "필요가 없습니다", "필요는 없습니다",
        "조치가 필요하지", "하실 필요", "노출하지 마", "see all notifications",
    ]);
    let contact = text.chars().count() <= 40
        && ["문의", "고객센터", "대표전화", "contact:", "questions?"]
            .iter()
            .any(|w| text.strip_prefix(w).is_some_and(|r| r.trim_start().starts_with([':', '：', '0', '1', '☎', '('])));
    if nothing_to_do || contact {
        return true;
    }
    let known = plain.has(&[
        "다시 알려 드릴",
        "다시 알려드릴",
        "다시 연락드리",
        "다시 안내드리",
        "공지하겠",
        "keep you posted",
        "will know more",
        "let you know",
        "update you",
        "stay tuned",
    ]);
    if known && text.chars().count() <= 60 {
        return true;
    }
    let addressed =
        ["님께", "귀하", "귀중", "님 앞", "제위", "여러분", "두 분께", "분들께"].iter().any(|e| bare.ends_with(e));
    if addressed && text.chars().count() <= 40 {
        return true;
    }
    static GREETINGS: Words = words!("mail/boilerplate.greetings");
    if words <= 7
        && GREETINGS
            .iter()
            .any(|g| text == *g || text.starts_with(&format!("{g} ")) || text.starts_with(&format!("{g},")))
        && !text.bytes().any(|b| b.is_ascii_digit())
    {
        return true;
    }
    words <= 12
        && plain.has(&[
            "hope you are",
            "hope you're",
            "hope this finds",
            "hope this email",
            "hope all is",
            "hope you had",
            "how are you",
            "how have you been",
            "how's it going",
            "happy new year",
            "merry christmas",
            "congratulations",
            "congrats",
            "have a great",
            "have a good",
            "have a nice",
            "enjoy your",
            "safe travels",
            "get well",
            "no worries",
            "no problem at all",
            "sounds good",
            "sounds great",
            "looking forward",
        ])
        || plain.has(&[
            "잘 지내",
            "축하드",
            "축하해",
            "축하합",
            "가득하시",
            "기원합니다",
            "기원드",
            "응원",
            "행복하시",
            "또 보자",
            "얼굴 한번",
            "ㅋㅋㅋ",
            "잘 쉬셨",
            "평안하신",
            "무탈하",
            "건강 유의",
            "건강하시",
            "환절기",
            "날씨가",
            "새해 복",
            "행복한 하루",
            "즐거운 하루",
            "좋은 하루",
            "좋은 주말",
            "즐거운 주말",
            "수고 많으",
            "수고하셨",
            "고생 많으",
            "고생하셨",
            "메리 크리스마스",
            "즐거운 명절",
            "풍성한 한가위",
            "무궁한 발전",
        ]) && text.chars().count() <= 60
        || matches!(
            bare,
            "네" | "넵"
                | "예"
                | "yes"
                | "no"
                | "ok"
                | "okay"
                | "sure"
                | "great"
                | "perfect"
                | "done"
                | "알겠습니다"
                | "확인했습니다"
                | "좋아요"
                | "좋습니다"
                | "그럼"
                | "fyi"
        )
        || plain.has(&[
            "잊지 말고 읽",
            "shout if",
            "just checking in",
            "just following up",
            "bump",
            "any questions",
            "any further questions",
            "feel free",
            "don't hesitate",
            "do not hesitate",
            "궁금한 점",
            "궁금하신",
            "문의 사항",
            "문의사항",
            "문의주시",
            "문의 주시",
            "언제든지",
            "언제든 연락",
            "편하게 연락",
        ])
}

/// Thanks, apologies, covers for what is attached, polite nothings.
pub(super) fn is_soft(plain: &Plain, bare: &str) -> bool {
    static ENDS: Words = words!("mail/boilerplate.ends");
    static ASKS: Words = words!("mail/boilerplate.asks");
    static IDLE: Words = words!("mail/boilerplate.idle objects");
    // "계약서 초안 검토 부탁드립니다" names what is to be done, "내용 검토 부탁드립니다" does not.
    let names = |said: &str| said.split_whitespace().filter(|w| w.chars().count() >= 2 && !IDLE.contains(w)).count();
    let asks = |e: &str| bare.strip_suffix(e).is_some_and(|said| names(said) < 2);
    (ENDS.iter().any(|e| bare.ends_with(e)) || ASKS.iter().any(|e| asks(e))) && bare.chars().count() <= 40
        || plain.has(&[
            "감사합니다",
            "잘 받았",
            "잘 전달받",
            "확인했습니다",
            "감사드립니다",
            "감사해요",
            "고맙습니다",
            "고마워",
            "죄송합니다",
            "죄송해요",
            "미안",
            "첨부합니다",
            "첨부드립니다",
            "첨부 파일",
            "첨부파일",
            "보내 드립니다",
            "보내드립니다",
            "전달드립니다",
            "전달 드립니다",
            "공유드립니다",
            "공유 드립니다",
            "안내드립니다",
            "말씀드립니다",
            "문의드립니다",
            "봐 주세요",
            "봐주세요",
            "여쭙니다",
            "연락드립니다",
        ])
        || plain.has(&[
            "thank*",
            "got your",
            "appreciate*",
            "sorry",
            "apolog*",
            "please find",
            "attached",
            "enclosed",
            "as discussed",
            "let me know",
            "see below",
            "please note",
            "for your information",
            "please quote",
            "could you tell me",
            "can you tell me",
            "could you let me know",
            "can you let me know",
            "just a reminder",
            "just a nudge",
            "forwarding",
            "please disregard",
            "i hope",
            "we hope",
            "happy to",
            "glad to",
            "excited to",
            "would love to",
            "i would like to talk",
            "we look at",
            "we take a look",
            "is welcome to",
            "welcome to",
        ])
}
