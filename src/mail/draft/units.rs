//! Sentences → units: what belongs to one memory, and what is not worth one.
//!
//! It groups and leaves out; it never rewrites.

use super::blocks::{Block, Form};
use super::cues::{Cues, Plain, cues};
use super::nouns::{self, Word, is_hangul};
use super::sentences::sentences;
use super::topic::alike;
use super::when::{Moment, Role, moments};
use crate::language::{Found, Reference, Value, values};
use crate::mail::signature;
use std::ops::Range;

/// One sentence, list item, pair or row, with what is known of it.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub text: String,
    /// Its bytes in the mail's text.
    pub span: Range<usize>,
    pub cues: Cues,
    pub moments: Vec<Moment>,
    kind: Kind,
    /// How much it says: 0 nothing, 1 something that needs company, 2 enough.
    worth: u8,
    /// Whether it begins a paragraph.
    begins: bool,
    strong: Vec<Value>,
    words: Vec<String>,
    leans: Lean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sentence,
    /// A sentence that announces a list.
    Lead,
    Item {
        ordered: bool,
    },
    Pair,
    Heading,
}

/// How a sentence leans on what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lean {
    /// It names what it is about.
    No,
    /// It tells a property of what was spoken of (장소는, the reason is).
    Property,
    /// It begins with a pronoun or the like: it, 그 사이.
    Pointer,
    /// It has no topic.
    Yes,
    /// It is values only: "4월 16일(수) 오후 2시, 판교 본사입니다."
    Values,
}

/// What becomes one draft.
#[derive(Debug, Clone, Default)]
pub(super) struct Unit {
    pub parts: Vec<Part>,
}

impl Unit {
    /// The words of all its parts, as they are to be remembered.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (n, part) in self.parts.iter().enumerate() {
            let text = part.text.trim();
            let next = self.parts.get(n + 1).map(|p| p.kind);
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(text);
            let ended = text.ends_with(['.', '!', '?', ':', ';', ',', '。', '：']);
            match (part.kind, next) {
                (Kind::Heading | Kind::Lead, Some(_)) if !ended => out.push(':'),
                (Kind::Lead, Some(Kind::Item { .. } | Kind::Pair)) if text.ends_with('.') => {
                    out.pop();
                    out.push(':');
                }
                (Kind::Item { .. }, Some(Kind::Item { .. })) | (Kind::Pair, Some(Kind::Pair)) if !ended => {
                    out.push(',')
                }
                (_, Some(_)) if !ended => out.push('.'),
                _ => {}
            }
        }
        out
    }

    /// From its first to its last byte in the mail's text.
    pub fn span(&self) -> Range<usize> {
        let start = self.parts.iter().map(|p| p.span.start).min().unwrap_or(0);
        let end = self.parts.iter().map(|p| p.span.end).max().unwrap_or(0);
        start..end.max(start)
    }

    /// Whether it would not be understood without the mail's topic.
    pub fn leans(&self) -> bool {
        self.parts.first().is_none_or(|p| p.leans != Lean::No || matches!(p.kind, Kind::Pair | Kind::Item { .. }))
    }

    /// Whether a part that names a day, or one that others give their day to, speaks of a meeting.
    pub fn meets(&self) -> bool {
        let gives =
            self.parts.iter().any(|p| !p.moments.is_empty() && (p.leans == Lean::Values || p.kind == Kind::Pair));
        self.parts.iter().any(|p| p.cues.meeting && (!p.moments.is_empty() || gives))
            || self.parts.iter().all(|p| p.moments.is_empty()) && self.any(|c| c.meeting)
    }

    pub fn any(&self, of: impl Fn(&Cues) -> bool) -> bool {
        self.parts.iter().any(|p| of(&p.cues))
    }

    fn worth(&self) -> u8 {
        self.parts.iter().map(|p| p.worth).max().unwrap_or(0)
    }

    fn len(&self) -> usize {
        self.parts.iter().map(|p| p.text.chars().count() + 1).sum()
    }

    fn has_day(&self) -> bool {
        self.parts.iter().any(|p| p.moments.iter().any(|m| m.role != Role::Former))
    }

    fn shares_words(&self, part: &Part) -> bool {
        self.parts.iter().flat_map(|p| &p.words).any(|a| part.words.iter().any(|b| alike(a, b)))
    }
}

/// The most characters of a unit that sentences are added to.
const FULL: usize = 320;

/// The parts of the blocks, in order.
/// `own` are the words of the author's name, signature and organisation: a sentence of nothing else introduces them.
pub(super) fn parts(text: &str, blocks: &[Block], at: Option<Reference>, own: &[String]) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for (n, block) in blocks.iter().enumerate() {
        let list_follows =
            blocks.get(n + 1).is_some_and(|b| matches!(b.form, Form::Item { .. } | Form::Pair { .. } | Form::Heading));
        let place = Place::new(text, block);
        match &block.form {
            Form::Prose => {
                let found = sentences(&block.text);
                let last = found.len().saturating_sub(1);
                for (k, range) in found.into_iter().enumerate() {
                    let sentence = block.text[range.clone()].trim();
                    let kind = if k == last && list_follows && is_lead(sentence) { Kind::Lead } else { Kind::Sentence };
                    out.push(part(sentence, place.span(range), kind, k == 0, at));
                }
            }
            Form::Item { ordered } => {
                let mut new = part(&block.text, block.span.clone(), Kind::Item { ordered: *ordered }, false, at);
                new.begins = block.after_gap;
                out.push(new);
            }
            Form::Pair { name, value } => {
                // "일시 4월 10일", as one would say it; English labels need their colon.
                let colon = if name.chars().any(is_hangul) { "" } else { ":" };
                out.push(part(&format!("{name}{colon} {value}"), block.span.clone(), Kind::Pair, block.after_gap, at));
            }
            Form::Heading => out.push(part(&block.text, block.span.clone(), Kind::Heading, true, at)),
        }
    }
    for part in &mut out {
        let named = part.words.iter().filter(|w| own.iter().any(|o| alike(w, o))).count();
        let end = part.text.trim_end_matches(['.', '!', ' ']);
        let presents = ["입니다", "이에요", "예요", "이라고 합니다", "올림", "드림"].iter().any(|e| end.ends_with(e))
            || part.text.starts_with("This is ")
            || part.text.starts_with("I am ")
            || part.text.starts_with("My name is ");
        if presents && named * 3 >= part.words.len() * 2 && part.moments.is_empty() && part.text.chars().count() <= 70 {
            part.worth = 0;
            part.cues.empty = true;
        }
    }
    out
}

/// The way from a block's text to the mail's: both have the same characters but for white space and marks.
struct Place<'a> {
    mail: &'a str,
    span: Range<usize>,
    block: &'a str,
    /// Characters of the list mark that the block's text does not have.
    lead: usize,
}

impl<'a> Place<'a> {
    fn new(mail: &'a str, block: &'a Block) -> Self {
        let solid = |t: &str| t.chars().filter(|c| !c.is_whitespace()).count();
        let lead = solid(&mail[block.span.clone()]).saturating_sub(solid(&block.text));
        Self { mail, span: block.span.clone(), block: &block.text, lead }
    }

    fn span(&self, range: Range<usize>) -> Range<usize> {
        let solid = |t: &str| t.chars().filter(|c| !c.is_whitespace()).count();
        let from = self.lead + solid(&self.block[..range.start]);
        let to = from + solid(&self.block[range]);
        let (mut start, mut end, mut seen) = (self.span.start, self.span.end, 0);
        for (at, c) in self.mail[self.span.clone()].char_indices().filter(|(_, c)| !c.is_whitespace()) {
            if seen == from {
                start = self.span.start + at;
            }
            seen += 1;
            if seen == to {
                end = self.span.start + at + c.len_utf8();
                break;
            }
        }
        start..end.max(start)
    }
}

fn part(raw: &str, span: Range<usize>, kind: Kind, begins: bool, at: Option<Reference>) -> Part {
    let text = opened(raw).to_owned();
    let found = values(&text, at);
    let cues = cues(&text);
    let moments = moments(&text, &found);
    let strong: Vec<Value> = found.iter().filter(|f| is_strong(f, &text)).map(|f| f.value.clone()).collect();
    let words: Vec<String> = content_words(&text, &found);
    let leans = lean(&text, &found);
    let worth = worth(&text, kind, &cues, &strong, &found, &moments, at);
    Part { text, span, cues, moments, kind, worth, begins, strong, words, leans }
}

/// The sentence without an address at its beginning ("팀장님, …", "Hi Kim, …") and idle openings.
fn opened(raw: &str) -> &str {
    let mut text = raw.trim();
    if let Some((head, rest)) = text.split_once([',', '!', '，']) {
        let head = head.trim();
        let called = [
            "님",
            "님들",
            "야",
            "아",
            "씨",
            "언니",
            "오빠",
            "누나",
            "형",
            "엄마",
            "아빠",
            "여보",
            "자기야",
            "얘들아",
            "여러분",
            "께",
        ];
        let words = head.split_whitespace().count();
        let korean = head.chars().count() <= 12
            && words <= 2
            && head.chars().all(|c| is_hangul(c) || c == ' ')
            && called.iter().any(|c| head.ends_with(c));
        let lower = head.to_lowercase();
        let english = words <= 4
            && ["hi", "hello", "hey", "dear", "good morning", "good afternoon"]
                .iter()
                .any(|g| lower == *g || lower.starts_with(&format!("{g} ")));
        if (korean || english) && !rest.trim().is_empty() {
            text = rest.trim_start();
        }
    }
    #[rustfmt::skip]
    const OPENINGS: &[&str] = &[
        "참고로 ", "그리고 ", "또한 ", "아울러 ", "아, ", "그럼 ", "그래서 ", "근데 ", "다름이 아니라 ",
        "다름 아니라 ", "추가로 ", "Also, ", "And ", "So, ", "FYI, ", "FYI: ", "By the way, ", "Just a quick note: ",
        "Just a reminder that ", "A quick reminder that ", "Friendly reminder that ", "Note that ",
        "Please note that ", "Good news: ", "As discussed, ",
    ];
    for opening in OPENINGS {
        if let Some(rest) = text.strip_prefix(opening)
            && rest.chars().count() > 8
        {
            return rest.trim_start();
        }
    }
    // "I am sorry about this: Lars has been called …"
    if let Some((head, rest)) = text.split_once(": ")
        && head.chars().count() <= 40
        && Plain::new(head).has(&["sorry", "apolog*", "죄송", "미안", "good news", "bad news", "heads up"])
    {
        return rest.trim_start();
    }
    text
}

/// Words without a predicate: a place, a number of people, a remark.
fn is_fragment(text: &str) -> bool {
    let end = text.trim_end_matches(['.', '!', '~', ' ', ')']);
    if super::when::is_korean(text) {
        #[rustfmt::skip]
        const ENDS: &[&str] = &[
            "다", "요", "죠", "까", "어", "아", "해", "게", "지", "래", "네", "자", "줘", "음", "함", "됨", "임",
            "기", "고", "서", "면", "니", "라", "야", "군", "나", "데",
        ];
        return !ENDS.iter().any(|e| end.ends_with(e));
    }
    let plain = Plain::new(text);
    text.split_whitespace().count() <= 8
        && !plain.has(&[
            "is", "are", "was", "were", "will", "has", "have", "had", "be", "can", "do", "does", "did", "go", "come",
            "let", "please", "i", "we", "you", "thanks", "thank*",
        ])
}

fn is_lead(sentence: &str) -> bool {
    let plain = Plain::new(sentence);
    sentence.ends_with([':', '：'])
        || plain.has(&[
            "다음과 같",
            "아래와 같",
            "이렇게",
            "다음",
            "아래",
            "두 가지",
            "세 가지",
            "네 가지",
            "가지를",
            "가지는",
            "가지입니다",
            "목록",
            "following",
            "as follows",
            "below",
            "two things",
            "three things",
            "here is",
            "here are",
            "these",
        ])
}

/// Whether a value tells something by itself.
fn is_strong(found: &Found, text: &str) -> bool {
    match &found.value {
        Value::Number(_) | Value::Ordinal { .. } | Value::Status { .. } | Value::Url(_) => false,
        Value::Quantity { number, unit } => {
            unit.is_physical() && number.as_f64() != 1.0
                || number.as_f64() >= 2.0 && found.span.of(text).chars().any(|c| c.is_ascii_digit())
        }
        Value::Period(p) => p.shift.is_some_and(|s| s != 0) || p.number != 0 || p.month.is_some(),
        _ => true,
    }
}

fn worth(
    text: &str,
    kind: Kind,
    cues: &Cues,
    strong: &[Value],
    found: &[Found],
    moments: &[Moment],
    at: Option<Reference>,
) -> u8 {
    if cues.empty || signature::is_boilerplate(text) || signature::is_footer_line(text) || text.chars().count() < 4 {
        return 0;
    }
    if matches!(kind, Kind::Heading) {
        return 0;
    }
    let firm = |v: &Value| {
        matches!(
            v,
            Value::Money { .. }
                | Value::Percent(_)
                | Value::Date(_)
                | Value::Clock(_)
                | Value::Range(_)
                | Value::Recurrence(_)
                | Value::Identifier(_)
                | Value::Version(_)
                | Value::Quantity { .. }
        )
    };
    let dated = !moments.is_empty() || strong.iter().any(|v| firm(v) && !matches!(v, Value::Quantity { .. }));
    // Thanks for what was today are over with it.
    let today = at.map(Reference::day);
    let past = !moments.is_empty() && moments.iter().all(|m| today.is_some_and(|t| m.day <= t));
    let money = strong.iter().any(|v| matches!(v, Value::Money { .. }));
    if (cues.soft || cues.unchanged) && (!dated || past && !money) {
        return 0;
    }
    // "Does 3 pm work?" asks; "어때요?" proposes, and is worth remembering as a proposal.
    let tells = cues.proposal || cues.request || cues.fact || cues.meeting && dated;
    if cues.question && !tells {
        return 0;
    }
    let status = found.iter().any(|f| matches!(f.value, Value::Status { .. }));
    let mut points = 0;
    if strong.iter().any(firm) || !moments.is_empty() {
        points += 2;
    } else if !strong.is_empty() {
        points += 1;
    }
    points += i32::from(cues.decision) * 2
        + i32::from(cues.fact) * 2
        + i32::from(cues.request)
        + i32::from(cues.change || status)
        + i32::from(cues.proposal || cues.open);
    points += i32::from(cues.project)
        + i32::from(cues.trouble) * 2
        + i32::from(cues.want) * 2
        + i32::from(cues.meeting && dated);
    // A promise to send something today is done before anybody asks for it.
    if is_errand(text, moments, at) {
        return 0;
    }
    if kind == Kind::Pair {
        points += 1;
    }
    if cues.soft {
        points -= 1;
    }
    match points {
        i32::MIN..=0 => 0,
        1 => 1,
        _ => 2,
    }
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
fn content_words(text: &str, found: &[Found]) -> Vec<String> {
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
        .filter(|k| if k.chars().any(is_hangul) { !is_function(k) } else { k.len() >= 4 && !is_function(k) })
        .collect()
}

fn is_function(word: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "있습니다", "입니다", "합니다", "했습니다", "됩니다", "되었습니다", "해서", "위해", "대해", "통해", "그리고",
        "하지만", "지금", "이번", "다음", "지난", "저희", "우리", "오늘", "내일", "부탁드립니다", "주세요",
        "같습니다", "때문", "that", "this", "with", "from", "have", "been", "will", "your", "they", "them", "what",
        "when", "where", "which", "would", "could", "should", "there", "their", "about", "into", "than", "then",
        "some", "more", "very", "also", "just", "like", "said", "please", "want", "need", "make", "made", "going",
        "were", "does", "done", "each", "every", "other", "only", "over", "after", "before", "because", "here",
        "time", "week", "today", "tomorrow",
    ];
    WORDS.contains(&word)
}

/// How the sentence leans on others.
fn lean(text: &str, found: &[Found]) -> Lean {
    let words = nouns::words(text);
    let Some(first) = words.first() else { return Lean::Yes };
    let value_first = found.first().is_some_and(|f| {
        !matches!(f.value, Value::Identifier(_) | Value::Status { .. } | Value::Version(_))
            && f.span.start <= first.start
    }) || first.written.starts_with(|c: char| c.is_ascii_digit());
    if super::when::is_korean(text) {
        #[rustfmt::skip]
        const POINTERS: &[&str] = &[
            "그", "이", "그날", "그때", "해당", "이에", "이로", "이를", "이는", "그건", "그것", "이건", "이것",
            "거기", "여기", "위", "또", "단", "다만", "이때", "그사이", "그동안", "이제", "이 금액", "같은",
        ];
        if POINTERS.contains(&first.written) || POINTERS.contains(&first.stem) {
            return Lean::Pointer;
        }
        #[rustfmt::skip]
        const PROPERTIES: &[&str] = &[
            "원인", "이유", "장소", "시간", "일시", "금액", "담당", "담당자", "강사", "담임", "비용", "기한", "대상",
            "방법", "양식", "번호", "인원", "가격", "날짜", "자리", "위치", "주소", "연락처", "준비물", "참석자",
            "주제", "안건", "결과", "수량", "단가", "총액", "기간", "조건", "납기", "납품처", "납품일", "납기일",
            "마감", "마감일", "시작일", "종료일", "출발", "도착", "좌석", "요금", "보증금", "월세", "계약금", "잔금",
            "목표", "세부", "자기부담금",
        ];
        if matches!(first.tail(), "은" | "는") && first.stem.chars().count() >= 2 && !PROPERTIES.contains(&first.stem)
        {
            return Lean::No;
        }
        let topic = words.iter().take(4).find(|w| {
            matches!(w.tail(), "은" | "는") || w.stem.chars().count() >= 2 && matches!(w.tail(), "이" | "가" | "께서")
        });
        return match topic {
            Some(w) if PROPERTIES.contains(&w.stem) && w.start <= first.start => Lean::Property,
            Some(_) if !value_first => Lean::No,
            _ if value_first => {
                let end = text.trim_end_matches(['.', '!', '~', ' ']);
                let copula = ["입니다", "이에요", "예요", "임", "이야", "이요"].iter().any(|e| end.ends_with(e));
                if copula || is_fragment(text) && text.chars().count() <= 40 { Lean::Values } else { Lean::Yes }
            }
            // Without a topic: a fragment, or a sentence that goes on about the same thing.
            _ => {
                let object = words.iter().any(|w| matches!(w.tail(), "은" | "는" | "이" | "가"));
                if object { Lean::No } else { Lean::Yes }
            }
        };
    }
    #[rustfmt::skip]
    const POINTERS: &[&str] = &[
        "it", "its", "it's", "this", "that", "these", "those", "they", "their", "he", "she", "his", "her", "him",
        "them", "there", "same", "both", "then", "which", "here", "such", "nothing", "everything", "otherwise",
    ];
    let lower = first.written.to_lowercase();
    if POINTERS.contains(&lower.as_str()) {
        return Lean::Pointer;
    }
    let plain = Plain::new(text);
    #[rustfmt::skip]
    const OPENERS: &[&str] = &[
        "from that day", "on that day", "by then", "from then", "the reason", "the link", "the price", "the room",
        "the address", "the time", "the date", "the venue", "the cost", "the total", "the deadline", "the location",
        "the same",
    ];
    if OPENERS.iter().any(|o| plain.text().starts_with(o)) {
        return Lean::Property;
    }
    let verb = plain.has(&[
        "is", "are", "was", "were", "will", "has", "have", "had", "be", "been", "leave*", "start*", "go", "goes",
        "move*", "need*", "want*", "can", "should", "must", "let", "please",
    ]);
    if value_first && !verb {
        return Lean::Values;
    }
    if value_first || words.len() <= 4 {
        return Lean::Yes;
    }
    Lean::No
}

/// The units of a section.
pub(super) fn units(parts: Vec<Part>) -> Vec<Unit> {
    let mut out: Vec<Unit> = Vec::new();
    let mut current = Unit::default();
    // Leads and headings wait for what they announce.
    let mut waiting: Vec<Part> = Vec::new();
    let separate = separate_items(&parts);
    let mut list_alone = false;
    // What the items that stand alone were announced by.
    let mut announced: Vec<Part> = Vec::new();
    for part in parts {
        if !matches!(part.kind, Kind::Item { .. }) {
            announced.clear();
        }
        match part.kind {
            Kind::Heading => {
                waiting.push(part);
                continue;
            }
            Kind::Lead => {
                // A lead that says something itself stays with its list, and with what it goes on about.
                let own = part.worth >= 2 && !part.strong.is_empty();
                if own && joins(&current, &part) {
                    current.parts.push(part);
                } else {
                    finish(&mut current, &mut out);
                    if own {
                        current.parts.push(part);
                    } else if !part.cues.soft && !part.cues.empty {
                        waiting = vec![part];
                    }
                }
                list_alone = false;
                continue;
            }
            Kind::Item { .. } if separate.contains(&part.span.start) => {
                finish(&mut current, &mut out);
                // "We agreed on two things:" makes each of them a decision.
                let mut part = part;
                part.cues.decision |= waiting.iter().chain(&announced).any(|p| p.cues.decision);
                if !waiting.is_empty() {
                    announced = std::mem::take(&mut waiting);
                }
                current.parts.push(part);
                finish(&mut current, &mut out);
                list_alone = true;
                continue;
            }
            Kind::Item { .. } | Kind::Pair => {
                let follows = current.parts.last().is_some_and(|p| !p.begins || p.worth > 0) && !list_alone;
                let fits = current.len() + part.text.chars().count() <= FULL * 2;
                if follows && fits && (!current.parts.is_empty()) && takes_list(&current, &part) {
                    current.parts.append(&mut waiting);
                    current.parts.push(part);
                } else {
                    finish(&mut current, &mut out);
                    current.parts.append(&mut waiting);
                    current.parts.push(part);
                }
                list_alone = false;
                continue;
            }
            Kind::Sentence => {}
        }
        list_alone = false;
        waiting.clear();
        if part.worth == 0 {
            // A place or a reason right behind what happens belongs to it.
            let idle = part.cues.soft || part.cues.empty || part.cues.question || part.cues.unchanged;
            let after = !part.begins && !idle && current.parts.iter().all(|p| p.kind == Kind::Sentence);
            let length = part.text.chars().count();
            let place = length <= 40 && current.has_day() && is_fragment(&part.text);
            let more =
                length <= 80 && matches!(part.leans, Lean::Pointer | Lean::Property) && !current.parts.is_empty();
            if after && (place || more) && !signature::is_boilerplate(&part.text) && current.len() + length <= FULL {
                current.parts.push(part);
                continue;
            }
            // What is left out still ends a paragraph.
            if part.begins
                && !current.parts.is_empty()
                && current.parts.iter().all(|p| p.kind == Kind::Sentence)
                && !part.cues.soft
                && !part.cues.empty
            {
                finish(&mut current, &mut out);
            }
            continue;
        }
        if joins(&current, &part) {
            current.parts.push(part);
        } else {
            finish(&mut current, &mut out);
            current.parts.push(part);
        }
    }
    finish(&mut current, &mut out);
    out
}

fn finish(current: &mut Unit, out: &mut Vec<Unit>) {
    let mut unit = std::mem::take(current);
    while unit.parts.last().is_some_and(|p| matches!(p.kind, Kind::Heading) || p.kind == Kind::Lead && p.worth < 2) {
        unit.parts.pop();
    }
    let pairs = unit.parts.iter().filter(|p| p.kind == Kind::Pair).count();
    if unit.worth() >= 2 || pairs >= 2 && unit.parts.iter().any(|p| !p.strong.is_empty()) {
        out.push(unit);
    }
}

/// Whether a list goes on with the unit: it was announced, or tells more of it.
fn takes_list(unit: &Unit, part: &Part) -> bool {
    let Some(last) = unit.parts.last() else { return false };
    match (last.kind, part.kind) {
        (Kind::Item { .. }, Kind::Item { .. }) | (Kind::Pair, Kind::Pair) | (Kind::Lead | Kind::Heading, _) => true,
        // Pairs below a sentence complete it where it names no day itself.
        (Kind::Sentence, Kind::Pair) => !unit.has_day() || part.moments.is_empty(),
        (Kind::Sentence, Kind::Item { .. }) => unit.worth() >= 1,
        _ => true,
    }
}

/// Items that stand alone: each is a statement with a day, an amount or a request of its own.
fn separate_items(parts: &[Part]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut run: Vec<&Part> = Vec::new();
    let flush = |run: &mut Vec<&Part>, out: &mut Vec<usize>| {
        let whole = |p: &&&Part| p.worth >= 2 && p.text.split_whitespace().count() >= 4;
        let sentences = run.iter().filter(|p| is_sentence(&p.text)).count();
        let ordered = run.iter().all(|p| p.kind == Kind::Item { ordered: true });
        let dated = run.iter().filter(|p| !p.moments.is_empty() || p.cues.request).count();
        let apart = run.len() >= 2 && (ordered && sentences * 2 > run.len() || dated * 2 > run.len() && dated >= 2);
        if apart {
            out.extend(run.iter().filter(whole).map(|p| p.span.start));
        }
        run.clear();
    };
    for part in parts {
        match part.kind {
            Kind::Item { .. } => run.push(part),
            _ => flush(&mut run, &mut out),
        }
    }
    flush(&mut run, &mut out);
    out
}

fn is_sentence(text: &str) -> bool {
    let end = text.trim_end_matches(['.', '!', ' ']);
    text.ends_with(['.', '!']) && text.split_whitespace().count() >= 4
        || ["다", "요", "음", "함", "됨"].iter().any(|e| end.ends_with(e)) && end.chars().count() >= 8
}

/// Whether a sentence goes on with the unit.
fn joins(unit: &Unit, part: &Part) -> bool {
    let Some(last) = unit.parts.last() else { return false };
    if unit.len() + part.text.chars().count() > FULL {
        return false;
    }
    let days = || part.moments.iter().any(|m| m.role != Role::Former);
    let firm: Vec<&Value> = part.strong.iter().filter(|v| matches!(v, Value::Date(_) | Value::Money { .. })).collect();
    let repeats = !firm.is_empty() && firm.iter().all(|v| unit.parts.iter().any(|p| p.strong.contains(v)));
    if part.begins {
        // A new paragraph is a new subject, unless it only fills in what the last one left open, or says it again.
        let completes = part.leans == Lean::Values && (!unit.has_day() || !days()) && last.worth > 0;
        let points = part.leans == Lean::Pointer && !days() && !part.cues.request && last.worth > 0;
        return completes || points || repeats && unit.shares_words(part) && part.leans != Lean::Values;
    }
    match part.leans {
        // "보고서를 금요일까지 보내 주세요" has its own day and is something to do; an event before it is another matter.
        Lean::Yes | Lean::Pointer | Lean::Property | Lean::Values => {
            let apart = part.cues.request && days() && unit.has_day() && !repeats;
            let aside = part.leans == Lean::Yes && part.cues.request && unit.any(|c| c.fact) && !days();
            !apart && !aside
        }
        Lean::No => {
            if part.cues.request && (unit.has_day() || unit.any(|c| c.decision)) || days() && unit.has_day() {
                return repeats;
            }
            // Two short sentences that both lean on the subject line: "GBP 14 is fair. Please go ahead …"
            if unit.leans() && unit.len() <= 60 && !part.begins {
                return true;
            }
            if part.worth >= 2 && unit.worth() >= 2 && !unit.shares_words(part) {
                return part.strong.is_empty()
                    && !part.cues.decision
                    && !part.cues.request
                    && part.text.chars().count() <= 80;
            }
            true
        }
    }
}
