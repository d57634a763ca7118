//! The words by which a sentence asks, settles, proposes, reports.
//!
//! Lists alone: how they are looked for is said in `cues`.

use crate::language::{Words, words};

#[rustfmt::skip]
pub(super) static REQUEST: Words = words![
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
pub(super) static ENGLISH_REQUEST: Words = words![
    "please", "pls", "could you", "can you", "would you mind", "would you be able", "will you", "need you to",
    "you need to", "you must", "you have to", "you should", "make sure", "be sure to", "don't forget",
    "do not forget", "remember to", "action required", "action item", "kindly", "asap", "rsvp", "you are asked to",
    "you're asked to", "is required to", "are required to", "i need", "we need", "must be submitted",
    "must be returned", "must be paid", "needs to be", "need to be", "to-do", "todo",
];

#[rustfmt::skip]
pub(super) static IMPERATIVE: Words = words![
    "send", "submit", "bring", "call", "book", "pay", "sign", "return", "complete", "review", "prepare", "confirm",
    "update", "fill", "upload", "register", "order", "check", "buy", "pick", "renew", "reply", "schedule", "finish",
    "get", "give", "ask", "tell", "remind", "cancel", "reserve", "collect", "drop", "print", "deliver", "email",
    "write", "move", "set", "add", "use", "save", "come", "arrive", "visit", "read", "keep", "wear", "choose", "select",
    "download", "install", "fix", "test", "draft", "share", "provide", "clean", "charge", "replace", "remove", "enter",
    "apply", "transfer", "attend", "take", "leave", "wait",
];

#[rustfmt::skip]
pub(super) static PROPOSAL: Words = words![
    "어떨까요", "어떨까", "어때요", "어떠세요", "어떠신", "면 좋겠", "제안드", "제안합", "제안해", "할까요",
    "하면 어때", "하시죠", "shall we", "how about", "what about", "why don't we", "i suggest", "we suggest",
    "i propose", "we propose", "proposal", "propos*", "should we", "could we", "would it work", "would it make sense",
    "what if we", "might we", "maybe we",
];

#[rustfmt::skip]
pub(super) static DECISION: Words = words![
    "결정", "확정", "합의", "승인", "채택", "의결", "선정", "낙찰", "기로 했", "기로 하였", "기로 함", "기로 정",
    "정했습니다", "정해졌", "타결", "최종 승인", "decided", "decide to", "decision", "decisions", "agreed", "agree to", "approved",
    "approve", "approves", "signed off", "sign off", "go ahead", "settled on", "chose", "chosen", "selected",
    "we will go with", "we'll go with", "going with", "accepted", "ratified", "resolved to", "green light",
    "final call", "진행해 주세요", "진행해주세요", "진행하세요", "진행하시죠", "진행합시다", "그대로 진행", "proceed",
];

#[rustfmt::skip]
pub(super) static GO_AHEAD: Words = words![
    "진행해 주세요", "진행해주세요", "진행하세요", "진행 부탁드립니다", "go ahead", "please proceed",
];

#[rustfmt::skip]
pub(super) static UNSETTLED: Words = words![
    "미정", "미확정", "보류", "아직 정", "정할 일은 아니", "결정되지 않", "정해지지 않", "확정되지 않", "결정 전",
    "not decided", "not yet decided", "undecided", "no decision", "to be decided", "tbd", "to be confirmed",
    "not final", "not settled", "on hold", "검토해 보겠", "따져 봐야", "다시 이야기", "다시 논의", "will think about",
    "need to think",
];

#[rustfmt::skip]
pub(super) static PROJECT: Words = words![
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
pub(super) static CHANGE: Words = words![
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
pub(super) static TROUBLE: Words = words![
    "고장", "오류", "에러", "켜지지 않", "작동하지 않", "안 됩니다", "안됩니다", "되지 않습니다", "열리지 않",
    "접속이 안", "불량", "누수", "파손", "분실", "not working", "doesn't work", "does not work", "won't start",
    "broken", "crash*", "bug", "error*", "fails to", "failed to", "leak*", "out of stock", "damaged", "missing",
    "lost",
];

#[rustfmt::skip]
pub(super) static WANT: Words = words![
    "would want", "we want", "i want", "would like to order", "would like to buy", "would like to have", "we'd like",
    "i'd like", "would prefer", "we require", "is needed", "are needed", "원합니다", "필요합니다", "필요해요",
    "필요해", "구매하려", "주문하려", "구입하려", "원해요", "희망합니다",
];

#[rustfmt::skip]
pub(super) static UNCHANGED: Words = words![
    "그대로입니다", "그대로예요", "그대로야", "그대로임", "그대로 유지", "바뀌지 않", "변경 없", "변동 없",
    "변경되지 않", "달라지지 않", "동일합니다", "unchanged", "nothing else changes", "nothing else about",
    "remains the same", "remain the same", "stays the same", "stay the same", "no change", "same as before",
    "not changed", "as before",
];

#[rustfmt::skip]
pub(super) static FACT: Words = words![
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
pub(super) static KOREAN_MEETINGS: Words = words![
    "미팅", "회의", "면담", "면접", "상담", "교육", "검진", "세미나", "워크숍", "워크샵", "행사", "모임", "회식",
    "약속", "발표회", "설명회", "간담회", "콘퍼런스", "컨퍼런스", "포럼", "강연", "수업", "강의", "진료", "수술",
    "결혼식", "돌잔치", "생일", "생신", "제사", "졸업식", "입학식", "공연", "출장", "방문", "실사", "감사", "심사",
    "시험", "경기", "리허설", "킥오프", "총회", "이사회", "통화", "현장학습", "체험학습", "수학여행", "잔치", "환갑",
    "화상", "인터뷰", "촬영", "답사", "견학", "소풍", "운동회", "학예회", "캠프", "여행", "비행", "항공편", "저녁",
    "점심", "식사", "브런치", "파티", "송년회", "신년회", "예식", "접종", "검사", "치과", "병원", "미용실",
    "정기점검", "점검",
];
#[rustfmt::skip]
pub(super) static ENGLISH_MEETINGS: Words = words![
    "meeting", "meet", "call", "review", "interview", "appointment", "lunch", "dinner", "breakfast", "brunch",
    "coffee", "drinks", "party", "wedding", "birthday", "kickoff", "kick-off", "workshop", "training", "session",
    "webinar", "conference", "demo", "visit", "inspection", "audit", "check-up", "checkup", "surgery", "flight",
    "concert", "game", "match", "class", "lesson", "exam", "ceremony", "graduation", "rehearsal", "standup",
    "stand-up", "sync", "catch-up", "catch up", "offsite", "reservation", "booking", "event", "tour", "trip",
    "open day", "fair", "seminar", "hearing", "viewing", "playdate", "recital", "festival", "barbecue", "bbq",
    "picnic", "housewarming", "scheduled for", "come to", "join us", "invited to", "invite you", "townhall", "town hall", "all-hands", "retro", "retrospective", "consultation", "vaccination",
    "haircut",
];
