//! The sentences, items and pairs of a section, each with what is known of it: its values, its cues, its worth.
//!
//! It reads one at a time; what belongs together is for `units` to say.

use super::blocks::{Block, Form, is_label};
use super::cues::{Cues, cues};
use super::names;
use super::nouns::{self, Word};
use super::plain::Plain;
use super::sentences::sentences;
use super::topic::{Topic, alike};
use super::when::{Moment, corrected, moments};
use crate::language::{Folded, Found, Lower, Reference, Value, Words, is_hangul, values_in, words};
use crate::mail::{clean, signature};
use std::ops::Range;

/// One sentence, list item, pair or row, with what is known of it.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub text: String,
    /// Its bytes in the mail's text.
    pub span: Range<usize>,
    pub cues: Cues,
    pub moments: Vec<Moment>,
    pub kind: Kind,
    /// How much it says: 0 nothing, 1 something that needs company, 2 enough.
    pub worth: u8,
    /// Whether it is worth something where the mail says nothing else.
    pub fallback: bool,
    /// Whether it begins a paragraph.
    pub begins: bool,
    pub strong: Vec<Value>,
    pub words: Vec<String>,
    pub leans: Lean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sentence,
    /// A sentence that announces a list.
    Lead,
    Item {
        ordered: bool,
    },
    /// `label`: its name is that of a property (일시, Due date), not of a thing.
    Pair {
        label: bool,
    },
    Heading,
}

/// How a sentence leans on what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lean {
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

impl Part {
    /// Whether it speaks of what was said right before.
    pub fn points_back(&self) -> bool {
        self.leans == Lean::Pointer
    }
}

/// What a part is judged by besides its own words.
pub(super) struct Context<'a> {
    pub topic: &'a Topic,
    pub at: Option<Reference>,
    /// Words of the author's name, signature and organisation: a sentence of nothing else introduces them.
    pub own: &'a [String],
    /// Whether it answers another mail.
    pub is_reply: bool,
    /// Whether it was written to a few people, by one.
    pub direct: bool,
}

/// The most parts of a section, and bytes of a part: what a draft says is far shorter.
const MOST_PARTS: usize = 10_000;
const MOST_BYTES: usize = 8_000;

/// The parts of the blocks, in order.
pub(super) fn parts(text: &str, blocks: &[Block], context: &Context<'_>) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for (n, block) in blocks.iter().enumerate() {
        if out.len() >= MOST_PARTS {
            break;
        }
        let list_follows =
            blocks.get(n + 1).is_some_and(|b| matches!(b.form, Form::Item { .. } | Form::Pair { .. } | Form::Heading));
        let mut place = Place::new(text, block);
        let begins = block.after_gap;
        let mut add = |raw: &str, span, kind, begins| out.push(part(raw, span, kind, begins, context));
        match &block.form {
            Form::Prose => {
                let mut found = sentences(&block.text);
                found.truncate(MOST_PARTS);
                let last = found.len().saturating_sub(1);
                for (k, range) in found.into_iter().enumerate() {
                    let sentence = block.text[range.clone()].trim();
                    let leads = k == last && list_follows && is_lead(sentence);
                    add(sentence, place.span(range), if leads { Kind::Lead } else { Kind::Sentence }, k == 0);
                }
            }
            Form::Item { ordered } => add(&block.text, block.span.clone(), Kind::Item { ordered: *ordered }, begins),
            Form::Pair { name, value } => {
                // "일시 4월 10일", as one would say it; English labels need their colon.
                let label = is_label(name);
                let colon = if label && name.contains(is_hangul) { "" } else { ":" };
                add(&format!("{name}{colon} {value}"), block.span.clone(), Kind::Pair { label }, begins);
            }
            Form::Heading => add(&block.text, block.span.clone(), Kind::Heading, true),
        }
    }
    out
}

/// The way from a block's text to the mail's: both have the same characters but for white space and marks.
struct Place<'a> {
    span: Range<usize>,
    block: &'a str,
    /// How far the block was read, and the solid characters up to there, with those of the list mark that it lacks.
    at: usize,
    solid: usize,
    /// The solid characters of the mail that are still to come, and how many have passed.
    rest: std::str::CharIndices<'a>,
    passed: usize,
}

impl<'a> Place<'a> {
    fn new(mail: &'a str, block: &'a Block) -> Self {
        let own = &mail[block.span.clone()];
        let solid = solid(own).saturating_sub(solid(&block.text));
        Self { span: block.span.clone(), block: &block.text, at: 0, solid, rest: own.char_indices(), passed: 0 }
    }

    /// The bytes of the mail that a range of the block stands for; ranges ascend.
    fn span(&mut self, range: Range<usize>) -> Range<usize> {
        let from = self.solid + solid(&self.block[self.at..range.start]);
        let to = from + solid(&self.block[range.clone()]);
        (self.at, self.solid) = (range.end, to);
        let (mut start, mut end) = (self.span.start, self.span.end);
        while self.passed < to {
            let Some((at, c)) = self.rest.find(|(_, c)| !c.is_whitespace()) else { break };
            if self.passed == from {
                start = self.span.start + at;
            }
            self.passed += 1;
            if self.passed == to {
                end = self.span.start + at + c.len_utf8();
            }
        }
        start..end.max(start)
    }
}

/// Characters that are no white space.
fn solid(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

fn part(raw: &str, span: Range<usize>, kind: Kind, begins: bool, context: &Context<'_>) -> Part {
    let text = if matches!(kind, Kind::Pair { .. }) { raw } else { opened(raw) };
    let text = clean::cut(text, MOST_BYTES).to_owned();
    let folded = Folded::new(&text);
    let found = corrected(&text, values_in(&folded, context.at), context.at);
    let mut cues = cues(&text, &folded);
    let moments = moments(&text, &found, context.at);
    let strong: Vec<Value> = found.iter().filter(|f| is_strong(f, &text)).map(|f| f.value.clone()).collect();
    let words: Vec<String> = content_words(&text, &found);
    cues.empty |= moments.is_empty() && introduces(&text, &words, context.own);
    let leans = lean(&text, &found);
    let mut part = Part { text, span, cues, moments, kind, worth: 0, fallback: false, begins, strong, words, leans };
    (part.worth, part.fallback) = worth(&part, &found, context);
    part
}

/// "품질팀 석민재입니다.", "This is Kim from Acme."
fn introduces(text: &str, words: &[String], own: &[String]) -> bool {
    let named = words.iter().filter(|w| own.iter().any(|o| alike(w, o))).count();
    let end = text.trim_end_matches(['.', '!', ' ']);
    let presents = ["입니다", "이에요", "예요", "이라고 합니다", "올림", "드림"].iter().any(|e| end.ends_with(e))
        || ["This is ", "I am ", "I'm ", "My name is "].iter().any(|b| text.starts_with(b));
    presents && named * 3 >= words.len() * 2 && text.chars().count() <= 70
}

/// The sentence without an address at its beginning ("팀장님, …", "Hi Kim, …") and idle openings.
fn opened(raw: &str) -> &str {
    let mut text = raw.trim();
    for greeting in ["안녕하세요", "안녕하십니까", "안녕"] {
        if let Some(rest) = text.strip_prefix(greeting) {
            let rest = rest.trim_start_matches([',', '!', '.', '~', ' ', '?', '^']);
            if rest.chars().count() > 8 {
                text = rest;
            }
            break;
        }
    }
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
            && called.iter().any(|c| head.ends_with(c))
            && !(head.ends_with(['야', '아']) && nouns::is_full_name(head));
        let lower = head.lower();
        let english = words <= 4
            && ["hi", "hello", "hey", "dear", "good morning", "good afternoon"]
                .iter()
                .any(|g| lower == *g || lower.starts_with(&format!("{g} ")));
        if (korean || english) && !rest.trim().is_empty() {
            text = rest.trim_start();
        }
    }
    static OPENINGS: Words = words!("mail/parts.openings");
    for opening in OPENINGS.iter() {
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
pub(super) fn is_fragment(text: &str) -> bool {
    let end = text.trim_end_matches(['.', '!', '~', ' ', ')']);
    if super::when::is_korean(text) {
        static ENDS: Words = words!("mail/parts.ends");
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

/// How much a part says (0 nothing, 1 something that needs company, 2 enough), and whether it will do where the mail
/// says nothing else.
fn worth(part: &Part, found: &[Found], context: &Context<'_>) -> (u8, bool) {
    let (text, cues, strong, moments) = (part.text.as_str(), &part.cues, &part.strong, &part.moments);
    let idle = cues.empty || signature::is_boilerplate(text) || signature::is_footer_line(text);
    if idle || part.kind == Kind::Heading || text.chars().count() < 4 {
        return (0, false);
    }
    // How long something takes is told by a length of time; others only pass.
    let takes = part.kind != Kind::Sentence
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
        && super::when::is_korean(text)
        && ["입니다", "이에요", "예요", "님", "임"].iter().any(|e| text.trim_end_matches(['.', '!', ' ']).ends_with(e));
    let one = |yes: bool| i32::from(yes);
    // An errand is worth a memory without a day; how to go about something is not.
    let errand = Plain::new(text).has(&[
        "사다", "사 줘", "사 와", "챙겨", "가져", "예약", "준비", "보내", "제출", "작성", "결제", "신청", "등록",
        "찾아", "맡기", "buy", "bring", "book", "send", "submit", "order", "prepare", "sign", "pay", "call", "pick up",
        "renew", "collect", "return",
    ]);
    let asks_enough = errand && part.words.len() >= if super::when::is_korean(text) { 2 } else { 3 };
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
    let points = figures + deeds + one(matches!(part.kind, Kind::Pair { .. })) - one(cues.soft);
    let statement = part.kind == Kind::Sentence && !cues.question && !cues.soft && part.leans != Lean::Values;
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
        .filter(|k| if k.contains(is_hangul) { !is_function(k) } else { k.len() >= 4 && !is_function(k) })
        .collect()
}

fn is_function(word: &str) -> bool {
    static WORDS: Words = words!("mail/parts.words");
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
        static POINTERS: Words = words!("mail/parts.korean pointers");
        if POINTERS.contains(&first.written) || POINTERS.contains(&first.stem) {
            return Lean::Pointer;
        }
        static PROPERTIES: Words = words!("mail/parts.properties");
        let is_property = |w: &str| PROPERTIES.iter().any(|p| w.ends_with(p));
        if matches!(first.tail(), "은" | "는") && first.stem.chars().count() >= 2 && !is_property(first.stem) {
            return Lean::No;
        }
        let topic = words.iter().take(4).find(|w| {
            matches!(w.tail(), "은" | "는") || w.stem.chars().count() >= 2 && matches!(w.tail(), "이" | "가" | "께서")
        });
        return match topic {
            Some(w) if is_property(w.stem) && w.start <= first.start => Lean::Property,
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
    static POINTERS: Words = words!("mail/parts.english pointers");
    let lower = first.written.lower();
    if POINTERS.contains(&lower.as_str()) {
        return Lean::Pointer;
    }
    let plain = Plain::new(text);
    static SO: Words = words!("mail/parts.so");
    if SO.contains(&lower.as_str()) {
        return Lean::Pointer;
    }
    static OPENERS: Words = words!("mail/parts.openers");
    if OPENERS.iter().any(|o| plain.text().starts_with(o)) {
        return Lean::Property;
    }
    if is_property_of(plain.text()) {
        return Lean::Property;
    }
    let verb = plain.has(&[
        "is", "are", "was", "were", "will", "has", "have", "had", "be", "been", "leave*", "start*", "go", "goes",
        "move*", "need*", "want*", "can", "should", "must", "let", "please", "we", "i", "they", "you", "he", "she",
    ]);
    if value_first && !verb {
        return Lean::Values;
    }
    // "Please rotate it before then" asks for something about what was just said.
    let asks = ["please", "can", "could", "you", "make", "don't", "do"].contains(&lower.as_str());
    if asks
        && words
            .iter()
            .any(|w| matches!(w.written, "it" | "them" | "this" | "that" | "then" | "these" | "those" | "one"))
    {
        return Lean::Pointer;
    }
    if value_first || words.len() <= 4 {
        return Lean::Yes;
    }
    Lean::No
}

/// "The new arrival date is …": what a thing has, without the thing.
fn is_property_of(text: &str) -> bool {
    static NOUNS: Words = words!("mail/parts.nouns");
    let mut words = text.split_whitespace();
    if !matches!(words.next(), Some("the" | "our" | "your" | "new")) {
        return false;
    }
    let mut noun = "";
    for word in words.take(5) {
        if matches!(word, "is" | "are" | "was" | "will" | "has" | "moves" | "changes" | "stays" | "remains" | "goes") {
            return NOUNS.contains(&noun);
        }
        noun = word;
    }
    false
}
