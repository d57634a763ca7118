//! Words that tell what a sentence does: greets, asks, settles, proposes, reports.
//!
//! It reads one sentence at a time and knows nothing of the mail around it.

use crate::language::{self, CueKind, Folded, Lower};

/// A sentence's text in the form in which cues are looked for: lower case, white space folded.
pub(super) struct Plain(String);

impl Plain {
    pub fn new(text: &str) -> Self {
        let text = text.replace(['’', '‘'], "'");
        Self(text.split_whitespace().collect::<Vec<_>>().join(" ").lower())
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether any of the cues is in the text. A cue of ASCII letters is a whole word or phrase; one that ends in `*`
    /// is the beginning of a word. Korean cues stand anywhere.
    pub fn has(&self, cues: &[&str]) -> bool {
        self.find(cues).is_some()
    }

    /// Where the first of the cues stands.
    pub fn find(&self, cues: &[&str]) -> Option<(usize, usize)> {
        cues.iter().filter_map(|c| self.find_one(c)).min()
    }

    /// Whether any of the cues stands between such words.
    pub fn find_where(&self, cues: &[&str], fits: impl Fn(&str, &str) -> bool) -> bool {
        cues.iter().filter_map(|c| self.find_one(c)).any(|(at, end)| fits(&self.0[..at], &self.0[end..]))
    }

    fn find_one(&self, cue: &str) -> Option<(usize, usize)> {
        let (cue, open) = cue.strip_suffix('*').map_or((cue, false), |c| (c, true));
        let ascii = cue.starts_with(|c: char| c.is_ascii_alphanumeric());
        let mut from = 0;
        while let Some(at) = self.0.get(from..)?.find(cue).map(|i| i + from) {
            let end = at + cue.len();
            let starts = !ascii || !self.0[..at].ends_with(|c: char| c.is_alphanumeric());
            let ends = open || !ascii || !self.0[end..].starts_with(|c: char| c.is_ascii_alphanumeric());
            if starts && ends {
                return Some((at, end));
            }
            from = end;
        }
        None
    }
}

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
                && !is_condition(&sentence[..c.span.start].lower(), &sentence[c.span.end..])
    };
    let mut said: Vec<CueKind> = language::cues(folded).iter().filter(|c| settled(c)).map(|c| c.kind).collect();
    said.dedup();
    let has = |kinds: &[CueKind]| said.iter().any(|k| kinds.contains(k));
    use CueKind::{Change, Decision, Decrease, Earlier, Increase, Later, Negation, NoLonger, Pending, Replace};
    let text = plain.text();
    let bare = text.trim_end_matches(['.', '!', '?', '~', ' ', '^', ')', ';', 'ㅎ', 'ㅋ', 'ㅠ']);
    let asks = text.trim_end_matches([')', '"', '\'', ' ', '~', '!', 'ㅎ', 'ㅋ']).ends_with('?');
    let proposal = plain.has(PROPOSAL);
    // "진행해 주세요", "please go ahead" settle; they ask for nothing.
    let hard = is_request(&plain, bare) && !plain.has(GO_AHEAD);
    Cues {
        empty: is_empty(&plain, bare),
        soft: is_soft(&plain, bare),
        request: hard,
        question: asks || ["까요", "나요", "을까", "는지요"].iter().any(|e| bare.ends_with(e)),
        proposal,
        decision: (has(&[Decision]) || plain.find_where(DECISION, |head, rest| !is_condition(head, rest)))
            && !plain.has(UNSETTLED)
            && !(has(&[Pending]) && has(&[Negation])),
        meeting: has_meeting(&plain),
        project: plain.has(PROJECT),
        change: has(&[Change, Increase, Decrease, Later, Earlier, Replace, NoLonger]) || plain.has(CHANGE),
        unchanged: plain.has(UNCHANGED),
        fact: plain.has(FACT),
        open: has(&[Pending]) || plain.has(UNSETTLED),
        trouble: plain.has(TROUBLE),
        want: plain.has(WANT),
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
    let found = REQUEST.iter().chain(ENGLISH_REQUEST).filter_map(|cue| {
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

fn is_empty(plain: &Plain, bare: &str) -> bool {
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
    #[rustfmt::skip]
    const GREETINGS: &[&str] = &[
        "hi", "hello", "dear", "hey", "good morning", "good afternoon", "good evening", "greetings", "hiya",
        "morning",
    ];
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
fn is_soft(plain: &Plain, bare: &str) -> bool {
    #[rustfmt::skip]
    const ENDS: &[&str] = &[
        "확인 부탁드립니다", "참고 부탁드립니다", "검토 부탁드립니다", "회신 부탁드립니다", "의견 부탁드립니다",
        "양해 부탁드립니다", "협조 부탁드립니다", "관심 부탁드립니다", "참고해 주세요", "참고해주세요", "참고하세요",
        "참고 바랍니다", "참고하시기 바랍니다", "확인해 주세요", "확인해주세요", "확인 바랍니다", "연락 주세요",
        "확인해 줘", "확인해줘", "참고해", "봐 줘", "봐줘", "입력해 주세요", "참여 바랍니다", "참여 부탁드립니다",
        "연락주세요", "연락 주시기 바랍니다", "연락 부탁드립니다", "말씀해 주세요", "말씀해주세요", "알려 주세요",
        "알려주세요", "알려 줘", "알려줘", "기다려 주세요", "봐 주세요", "봐주세요", "보시면 됩니다", "쓰시면 됩니다",
        "보시면 돼요", "이해 부탁드립니다", "잘 부탁드립니다", "부탁드려요", "잘 부탁해요",
    ];
    ENDS.iter().any(|e| bare.ends_with(e)) && bare.chars().count() <= 40
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
    let korean = plain.has(REQUEST)
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
    korean || noted || !soft_english && (plain.has(ENGLISH_REQUEST) || imperative)
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

#[rustfmt::skip]
const REQUEST: &[&str] = &[
    "해 주세요", "해주세요", "해 주십시오", "해주십시오", "주시기 바랍니다", "주시길 바랍니다", "하시기 바랍니다",
    "부탁드립니다", "부탁드려요", "부탁 드립니다", "부탁합니다", "부탁해", "부탁할게", "해 주시겠", "해주시겠",
    "주실 수 있", "주실래", "해 줘", "해줘", "와 줘", "와줘", "골라 줘", "사 줘", "사다 줘", "보내 줘", "보내줘",
    "챙겨 줘", "챙겨줘", "내 주시면", "해 주시면", "해주시면", "주셔야", "하셔야 합니다", "해야 합니다", "맡아 주",
    "보내 주세요", "보내주세요", "미뤄 주", "내 주세요", "와 주세요", "와주세요", "가져와 주", "챙겨 주",
    "알려 주시기", "회신 주", "요청드립니다", "요청 드립니다", "요청합니다", "요청드려요", "제출하세요",
    "제출하십시오", "필참", "준비해 주", "신청하세요", "납부하세요", "등록하세요", "작성하세요", "주세요", "주십시오",
    "드시지 마", "하지 마세요", "하지 마십시오", "늦지 말",
];

#[rustfmt::skip]
const ENGLISH_REQUEST: &[&str] = &[
    "please", "pls", "could you", "can you", "would you mind", "would you be able", "will you", "need you to",
    "you need to", "you must", "you have to", "you should", "make sure", "be sure to", "don't forget",
    "do not forget", "remember to", "action required", "action item", "kindly", "asap", "rsvp", "you are asked to",
    "you're asked to", "is required to", "are required to", "i need", "we need", "must be submitted",
    "must be returned", "must be paid", "needs to be", "need to be", "to-do", "todo",
];

#[rustfmt::skip]
const IMPERATIVE: &[&str] = &[
    "send", "submit", "bring", "call", "book", "pay", "sign", "return", "complete", "review", "prepare", "confirm",
    "update", "fill", "upload", "register", "order", "check", "buy", "pick", "renew", "reply", "schedule", "finish",
    "get", "give", "ask", "tell", "remind", "cancel", "reserve", "collect", "drop", "print", "deliver", "email",
    "write", "move", "set", "add", "use", "save", "come", "arrive", "visit", "read", "keep", "wear", "choose", "select",
    "download", "install", "fix", "test", "draft", "share", "provide", "clean", "charge", "replace", "remove", "enter",
    "apply", "transfer", "attend", "take", "leave", "wait",
];

#[rustfmt::skip]
const PROPOSAL: &[&str] = &[
    "어떨까요", "어떨까", "어때요", "어떠세요", "어떠신", "면 좋겠", "제안드", "제안합", "제안해", "할까요",
    "하면 어때", "하시죠", "shall we", "how about", "what about", "why don't we", "i suggest", "we suggest",
    "i propose", "we propose", "proposal", "propos*", "should we", "could we", "would it work", "would it make sense",
    "what if we", "might we", "maybe we",
];

#[rustfmt::skip]
const DECISION: &[&str] = &[
    "결정", "확정", "합의", "승인", "채택", "의결", "선정", "낙찰", "기로 했", "기로 하였", "기로 함", "기로 정",
    "정했습니다", "정해졌", "타결", "최종 승인", "decided", "decide to", "decision", "decisions", "agreed", "agree to", "approved",
    "approve", "approves", "signed off", "sign off", "go ahead", "settled on", "chose", "chosen", "selected",
    "we will go with", "we'll go with", "going with", "accepted", "ratified", "resolved to", "green light",
    "final call", "진행해 주세요", "진행해주세요", "진행하세요", "진행하시죠", "진행합시다", "그대로 진행", "proceed",
];

#[rustfmt::skip]
const GO_AHEAD: &[&str] = &[
    "진행해 주세요", "진행해주세요", "진행하세요", "진행 부탁드립니다", "go ahead", "please proceed",
];

#[rustfmt::skip]
const UNSETTLED: &[&str] = &[
    "미정", "미확정", "보류", "아직 정", "정할 일은 아니", "결정되지 않", "정해지지 않", "확정되지 않", "결정 전",
    "not decided", "not yet decided", "undecided", "no decision", "to be decided", "tbd", "to be confirmed",
    "not final", "not settled", "on hold", "검토해 보겠", "따져 봐야", "다시 이야기", "다시 논의", "will think about",
    "need to think",
];

#[rustfmt::skip]
const PROJECT: &[&str] = &[
    "진행", "완료", "마일스톤", "릴리즈", "릴리스", "배포", "출시", "착수", "시작", "개발", "구축", "계획", "목표",
    "단계", "테스트", "검토", "마감", "입고", "출고", "발주", "납품", "설치", "지연", "예산", "견적", "실적",
    "프로젝트", "사업", "오픈", "이전", "정전", "장애", "복구", "점검", "준비", "변경", "발송", "배송", "출하",
    "선적", "release*", "launch*", "ship*", "milestone*", "progress", "complet*", "finish*", "phase", "sprint",
    "deploy*", "roadmap", "plan*", "goal*", "target*", "project", "delay*", "budget*", "quote*", "order*", "install*",
    "deliver*", "under way", "underway", "in review", "testing", "version", "rollout", "outage", "migrat*",
    "delivery", "leave*", "arrive*", "끝냈", "마쳤", "마감했", "채울", "달성", "미달", "생산", "재고", "수량", "매출",
    "이익", "비용", "단가", "가격", "cost*", "price*", "revenue", "sales", "stock", "inventory", "lead time",
    "supply", "supplier", "contract",
];

#[rustfmt::skip]
const CHANGE: &[&str] = &[
    "변경", "바뀌", "바뀝", "바꾸", "바꿔", "옮기", "옮겨", "옮깁", "연기", "앞당", "늦춥", "늦추", "늦춰", "미루",
    "미뤄", "취소", "증액", "감액", "인상", "인하", "늘어", "줄어", "늘리", "줄이", "낮춰", "낮추", "올라", "올렸",
    "추가", "빠지", "빠졌", "제외", "교체", "완료", "끝냈", "끝났", "마쳤", "마치고", "마감했", "시작했", "시작되",
    "배포되", "출시", "도착", "입고되", "발송", "입금", "결제되", "승인", "반려", "거절", "통과", "합격", "불합격",
    "퇴사", "입사", "이직", "이사", "결혼", "임신", "출산", "휴직", "정전", "고장", "복구", "폐기", "접수", "발급",
    "만료", "해지", "예약했", "예약되", "잡혔", "잡았", "moved to", "move our", "move the", "moved", "changed",
    "changes to", "postponed", "rescheduled", "cancelled", "canceled", "brought forward", "pushed back", "increased",
    "decreased", "raised", "lowered", "drops", "dropped", "cut to", "replaced", "replaces", "added", "removed",
    "released", "launched", "shipped", "delivered", "arrived", "received", "paid", "settled", "approved", "rejected",
    "passed", "failed", "hired", "resigned", "leaving", "maternity leave", "paternity leave", "joined", "promoted",
    "broke", "fixed", "restored", "issued", "expired", "expires", "renewed", "booked", "scheduled", "starts",
    "started", "finished", "completed", "closed", "opened", "signed", "accepted", "called off", "is off",
    "taken out of service", "is now", "from now on", "no longer", "채웠", "달성했",
];

#[rustfmt::skip]
const TROUBLE: &[&str] = &[
    "고장", "오류", "에러", "켜지지 않", "작동하지 않", "안 됩니다", "안됩니다", "되지 않습니다", "열리지 않",
    "접속이 안", "불량", "누수", "파손", "분실", "not working", "doesn't work", "does not work", "won't start",
    "broken", "crash*", "bug", "error*", "fails to", "failed to", "leak*", "out of stock", "damaged", "missing",
    "lost",
];

#[rustfmt::skip]
const WANT: &[&str] = &[
    "would want", "we want", "i want", "would like to order", "would like to buy", "would like to have", "we'd like",
    "i'd like", "would prefer", "we require", "is needed", "are needed", "원합니다", "필요합니다", "필요해요",
    "필요해", "구매하려", "주문하려", "구입하려", "원해요", "희망합니다",
];

#[rustfmt::skip]
const UNCHANGED: &[&str] = &[
    "그대로입니다", "그대로예요", "그대로야", "그대로임", "그대로 유지", "바뀌지 않", "변경 없", "변동 없",
    "변경되지 않", "달라지지 않", "동일합니다", "unchanged", "nothing else changes", "nothing else about",
    "remains the same", "remain the same", "stays the same", "stay the same", "no change", "same as before",
    "not changed", "as before",
];

#[rustfmt::skip]
const FACT: &[&str] = &[
    "알레르기", "혈액형", "생일", "생신", "여권", "비밀번호", "주소", "연락처", "전화번호", "계좌", "번호는", "담임",
    "담당자", "담당은", "선호", "좋아하", "싫어하", "못 먹", "채식", "이사했", "이사 갔", "이사갔", "운영시간",
    "운영합니다", "영업시간", "유효", "만료일", "자격", "면허", "보증", "사이즈", "와이파이", "wifi", "wi-fi",
    "allerg*", "blood type", "birthday", "passport", "password", "address is", "phone number", "new number",
    "account number", "prefer*", "vegetarian", "vegan", "can't eat", "cannot eat", "warranty", "valid until",
    "expires", "expiry", "licence", "license", "contact for", "is your contact", "opening hours", "open from",
    "closed on", "lives in", "moved to", "works at", "works for", "size is", "membership", "certificate",
];

/// What can be in a calendar; followed by none of the syllables that make another thing of it (회의록, 교육비).
#[rustfmt::skip]
const KOREAN_MEETINGS: &[&str] = &[
    "미팅", "회의", "면담", "면접", "상담", "교육", "검진", "세미나", "워크숍", "워크샵", "행사", "모임", "회식",
    "약속", "발표회", "설명회", "간담회", "콘퍼런스", "컨퍼런스", "포럼", "강연", "수업", "강의", "진료", "수술",
    "결혼식", "돌잔치", "생일", "생신", "제사", "졸업식", "입학식", "공연", "출장", "방문", "실사", "감사", "심사",
    "시험", "경기", "리허설", "킥오프", "총회", "이사회", "통화", "현장학습", "체험학습", "수학여행", "잔치", "환갑",
    "화상", "인터뷰", "촬영", "답사", "견학", "소풍", "운동회", "학예회", "캠프", "여행", "비행", "항공편", "저녁",
    "점심", "식사", "브런치", "파티", "송년회", "신년회", "예식", "접종", "검사", "치과", "병원", "미용실",
    "정기점검", "점검",
];
#[rustfmt::skip]
const ENGLISH_MEETINGS: &[&str] = &[
    "meeting", "meet", "call", "review", "interview", "appointment", "lunch", "dinner", "breakfast", "brunch",
    "coffee", "drinks", "party", "wedding", "birthday", "kickoff", "kick-off", "workshop", "training", "session",
    "webinar", "conference", "demo", "visit", "inspection", "audit", "check-up", "checkup", "surgery", "flight",
    "concert", "game", "match", "class", "lesson", "exam", "ceremony", "graduation", "rehearsal", "standup",
    "stand-up", "sync", "catch-up", "catch up", "offsite", "reservation", "booking", "event", "tour", "trip",
    "open day", "fair", "seminar", "hearing", "viewing", "playdate", "recital", "festival", "barbecue", "bbq",
    "picnic", "housewarming", "scheduled for", "come to", "join us", "invited to", "invite you", "townhall", "town hall", "all-hands", "retro", "retrospective", "consultation", "vaccination",
    "haircut",
];

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
        || plain.find(ENGLISH_MEETINGS).is_some_and(|(at, end)| {
            // An audit log, a training budget, meeting notes.
            #[rustfmt::skip]
            const OTHER: &[&str] = &[
                "log", "logs", "trail", "report", "reports", "notes", "minutes", "fee", "fees", "budget", "card",
                "kit", "software", "page", "material", "materials", "data", "policy", "form", "forms", "checklist",
                "center", "room", "rooms",
            ];
            const PLACES: &[&str] = &[
                "in the ",
                "at the ",
                "during the ",
                "in today's ",
                "at today's ",
                "at our ",
                "in our ",
                "at yesterday's ",
                "in yesterday's ",
            ];
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
