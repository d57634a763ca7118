//! Who and what a statement names: people, things, and words to find it by.
//!
//! Particles and titles are cut off; everyday words are left out.

use super::nouns::{self, Word, is_hangul};
use super::topic::{Topic, alike};
use crate::language::{Found, Lower, Value, Words, words};
use crate::mail::{Account, Mail, Person};
use std::collections::HashSet;

/// The most people of a mail's header that are taken down.
const MOST_PEOPLE: usize = 8;
/// The most of them whose names are looked for in the text.
const MOST_READ: usize = 100;
const MOST_ENTITIES: usize = 8;
const MOST_KEYWORDS: usize = 12;

/// Those who take part: the author, the other side of the exchange, and who is named in the text.
pub(super) fn people(mail: &Mail, author: Option<&Person>, text: &str, account: &Account) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim();
        if !name.is_empty() && name.chars().count() <= 200 && !out.iter().any(|o| o.eq_ignore_ascii_case(name)) {
            out.push(name.to_owned());
        }
    };
    let id = |p: &Person| if p.address.is_empty() { p.name.clone().unwrap_or_default() } else { p.address.clone() };
    let others = |p: &&Person| !account.is_owner(&p.address);
    if let Some(author) = author.filter(others) {
        add(&id(author));
    }
    let all: Vec<&Person> = mail.from.iter().chain(&mail.to).chain(&mail.cc).take(MOST_READ).collect();
    let header: Vec<&&Person> = all.iter().filter(|p| others(p)).collect();
    let known = Known::of(&all);
    let words = nouns::words(text);
    let names = words.iter().flat_map(|w| [Some(w.stem), nouns::korean_name(w.written)]).flatten();
    let names: HashSet<&str> = names.filter(|n| known.has(n)).collect();
    let named = |p: &Person| {
        let known = Known::of(&[p]);
        names.iter().any(|n| known.has(n))
    };
    for person in &header {
        // A mail to a whole company is not an exchange with everybody in it.
        if header.len() <= MOST_PEOPLE || named(person) || Some(**person) == mail.from.as_ref() {
            add(&id(person));
        }
    }
    for name in named_people(text, &known) {
        add(&name);
    }
    out
}

/// The names of several people, so that a word is looked for among all of them at once.
#[derive(Default)]
struct Known<'a> {
    korean: HashSet<&'a str>,
    latin: HashSet<String>,
}

impl<'a> Known<'a> {
    fn of(people: &[&'a Person]) -> Self {
        let mut known = Self::default();
        for name in people.iter().filter_map(|p| p.name.as_deref()) {
            if let Some(whole) = korean_whole(name) {
                let given = whole.char_indices().nth_back(1).map_or(0, |(at, _)| at);
                known.korean.extend([whole, &whole[given..]]);
            }
            known.latin.extend(name.split([' ', '.', ',']).map(str::to_ascii_lowercase));
        }
        known
    }

    /// Whether a word is the given name, the family name or the whole name of one of them.
    fn has(&self, word: &str) -> bool {
        if word.chars().count() < 2 {
            return false;
        }
        if word.chars().all(is_hangul) {
            return self.korean.contains(word);
        }
        word.starts_with(|c: char| c.is_uppercase()) && self.latin.contains(&word.to_ascii_lowercase())
    }
}

/// The Korean name in what a person is called.
fn korean_whole(name: &str) -> Option<&str> {
    name.split([' ', '(', '/', '|']).find(|n| nouns::is_full_name(n))
}

/// Names in running text: those with a Korean title, and those after an English one.
fn named_people(text: &str, people: &Known<'_>) -> Vec<String> {
    let words = nouns::words(text);
    let mut out = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let next = words.get(n + 1);
        let known = |name: &str| people.has(name);
        if word.is_korean() {
            let glued = text[word.start + word.written.len()..].starts_with(' ');
            let titled = next.is_some_and(|w| glued && is_title(w.stem));
            let own_title = nouns::stem(word.written).ends_with('님') || is_titled(word.stem);
            if let Some(name) = nouns::korean_name(word.written)
                && (titled || own_title)
                && !known(name)
            {
                out.push(name.to_owned());
            }
        } else if matches!(word.written, "Mr" | "Mrs" | "Ms" | "Dr" | "Prof")
            && let Some(name) = next.filter(|w| w.stem.starts_with(|c: char| c.is_uppercase()))
            && !known(name.stem)
        {
            out.push(format!("{} {}", word.written, name.stem));
        }
    }
    out
}

fn is_title(word: &str) -> bool {
    let bare = word.strip_suffix('님').unwrap_or(word);
    nouns::TITLES.contains(&bare) || matches!(word, "님" | "씨")
}

fn is_titled(word: &str) -> bool {
    let bare = word.strip_suffix('님').unwrap_or(word);
    nouns::TITLES.iter().any(|t| bare.strip_suffix(t).is_some_and(|n| n.chars().count() >= 3))
}

/// The things that the text names.
pub(super) fn entities(text: &str, topic: &Topic, values: &[Found], mail: &Mail) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim().trim_end_matches(['.', ',']);
        let long = name.chars().count() >= 2 && name.chars().count() <= 60;
        if long && out.len() < MOST_ENTITIES && !out.iter().any(|o| o.lower() == name.lower()) {
            out.push(name.to_owned());
        }
    };
    for found in values {
        if let Value::Identifier(id) = &found.value
            && id.key.bytes().any(|b| b.is_ascii_digit())
            && !["층", "호실"].iter().any(|e| found.span.of(text).ends_with(e))
        {
            let code = code(found.span.of(text));
            // A short bare number is a count.
            if code.len() > 3 || code.contains(|c: char| !c.is_ascii_digit()) {
                add(code);
            }
        }
    }
    for quoted in quoted(text) {
        add(quoted);
    }
    for name in latin_names(text, mail) {
        add(&name);
    }
    for name in korean_things(text, topic, values) {
        add(&name);
    }
    out
}

/// "SK-70413" of "Invoice number: SK-70413", "order 5581" as it stands.
fn code(words: &str) -> &str {
    if let Some((_, after)) = words.rsplit_once(':') {
        return after.trim();
    }
    match words.rsplit_once(' ') {
        Some((head, last)) if ["number", "no.", "번호", " is"].iter().any(|e| head.ends_with(e)) => last,
        _ => words,
    }
}

/// What stands in quotation marks or corner brackets: the name of a file, a document, a thing.
fn quoted(text: &str) -> Vec<&str> {
    const PAIRS: [(char, char); 6] = [('\'', '\''), ('‘', '’'), ('“', '”'), ('"', '"'), ('「', '」'), ('『', '』')];
    let mut out = Vec::new();
    for (open, close) in PAIRS {
        let mut rest = text;
        while let Some(at) = rest.find(open) {
            let starts = !rest[..at].ends_with(|c: char| c.is_alphanumeric());
            let body = &rest[at + open.len_utf8()..];
            let Some(end) = body.find(close) else { break };
            let inside = &body[..end];
            if starts
                && (2..=30).contains(&inside.chars().count())
                && !inside.contains('\n')
                && !inside.ends_with(['.', '!', '?'])
            {
                out.push(inside);
                rest = &body[end + close.len_utf8()..];
            } else {
                rest = body;
            }
        }
    }
    out
}

/// Runs of capitalised words and codes: Corran Bay Seafoods, FrostEye 3.8, DL-2, GDP.
fn latin_names(text: &str, mail: &Mail) -> Vec<String> {
    let words = nouns::words(text);
    let people: Vec<&Person> = mail.from.iter().chain(&mail.to).chain(&mail.cc).take(MOST_READ).collect();
    let people = Known::of(&people);
    let mut out = Vec::new();
    let mut run: Vec<&Word<'_>> = Vec::new();
    let mut flush = |run: &mut Vec<&Word<'_>>| {
        while run.first().is_some_and(|w| is_common(w.stem) || w.stem.starts_with(|c: char| c.is_ascii_digit())) {
            run.remove(0);
        }
        while run.last().is_some_and(|w| is_common(w.stem)) {
            run.pop();
        }
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            let name = &text[first.start..last.start + last.stem.len()];
            let person = run.iter().all(|w| people.has(w.stem));
            let letters = name.chars().filter(|c| c.is_alphabetic()).count();
            if !person && letters >= 2 {
                out.push(name.to_owned());
            }
        }
        run.clear();
    };
    let mut last_end = 0;
    for (n, word) in words.iter().enumerate() {
        let latin = word.stem.starts_with(|c: char| c.is_ascii_alphanumeric()) && !word.is_korean();
        let capital = word.stem.starts_with(|c: char| c.is_ascii_uppercase());
        let code = word.stem.chars().any(|c| c.is_ascii_digit())
            && word.stem.chars().any(|c| c.is_ascii_alphabetic())
            && !word.stem.contains(['@', '/']);
        let mixed = word.stem.chars().skip(1).any(|c| c.is_ascii_uppercase());
        let follows_name =
            !run.is_empty() && word.stem.chars().all(|c| c.is_ascii_digit() || c == '.') && word.stem.len() <= 6;
        let gap = text.get(last_end..word.start).unwrap_or_default();
        if !matches!(gap, " " | "-" | " & ") {
            flush(&mut run);
        }
        // The first word of a sentence is written large for that reason alone.
        let begins = n == 0 || gap.contains(['.', '!', '?', ':', ';', '|', '\n']);
        let next = words.get(n + 1).filter(|w| text.get(word.start + word.written.len()..w.start) == Some(" "));
        // "Tomasz accepted", "Jonas is": a name, where "Summer camp" is none.
        let acts = next.is_some_and(|w| {
            let next = w.written;
            matches!(next, "is" | "was" | "has" | "will" | "and" | "can" | "goes" | "says" | "would")
                || next.ends_with("ed")
                || next.ends_with("s") && next.len() > 3 && !next.ends_with("ss")
        });
        let next_capital =
            next.is_some_and(|w| w.stem.starts_with(|c: char| c.is_ascii_uppercase()) && !is_common(w.stem));
        let name = latin
            && (mixed
                || code && word.stem.len() <= 20
                || capital
                    && !is_calendar(word.stem)
                    && (!begins
                        || next_capital
                        || acts && !is_common(word.stem) && word.stem.len() > 2 && !is_everyday(word.stem)));
        if name || follows_name {
            run.push(word);
        } else {
            flush(&mut run);
        }
        last_end = word.start + word.written.len();
    }
    flush(&mut run);
    out
}

/// Whether the text names a thing or a person by a capital, a code or a title.
pub(super) fn has_name(text: &str) -> bool {
    let words = nouns::words(text);
    words.iter().enumerate().any(|(n, w)| {
        if w.is_korean() {
            return is_titled(w.stem) && w.stem.chars().count() >= 4
                || nouns::is_full_name(w.stem) && words.get(n + 1).is_some_and(|t| is_title(t.stem));
        }
        let capital = w.stem.starts_with(|c: char| c.is_uppercase());
        let gap =
            n.checked_sub(1).and_then(|p| text.get(words[p].start + words[p].written.len()..w.start)).unwrap_or(".");
        let begins = gap.contains(['.', '!', '?', ':', '\n']);
        let code = w.stem.chars().any(|c| c.is_ascii_digit()) && w.stem.chars().any(|c| c.is_ascii_alphabetic());
        let long = w.stem.len() >= 2 && w.stem != "I'm" && w.stem != "I'll" && w.stem != "I've";
        long && (code
            || capital && !begins && !is_common(w.stem)
            || capital
                && begins
                && w.stem.len() > 3
                && !is_common(w.stem)
                && !is_everyday(w.stem)
                && w.stem.chars().skip(1).any(|c| c.is_uppercase()))
    })
}

fn is_calendar(word: &str) -> bool {
    let lower = word.lower();
    let lower = lower.trim_end_matches("'s").trim_end_matches("’s");
    #[rustfmt::skip]
    static DAYS: Words = words![
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "tues", "wed",
        "thu", "thur", "thurs", "fri", "sat", "sun", "january", "february", "march", "april", "may", "june", "july",
        "august", "september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug",
        "sep", "sept", "oct", "nov", "dec", "am", "pm", "kst", "cet", "gmt", "utc", "est", "pst", "bst", "krw", "usd",
        "eur", "gbp", "jpy", "q1", "q2", "q3", "q4", "h1", "h2",
    ];
    DAYS.contains(&lower)
}

fn is_common(word: &str) -> bool {
    if is_calendar(word) {
        return true;
    }
    let lower = word.lower();
    #[rustfmt::skip]
    static COMMON: Words = words![
        "i", "a", "an", "the", "we", "you", "he", "she", "it", "they", "this", "that", "these", "those", "my", "our",
        "your", "his", "her", "its", "their", "in", "on", "at", "to", "for", "from", "of", "by", "with", "and", "or",
        "but", "if", "as", "so", "no", "not", "please", "hi", "hello", "dear", "thanks", "thank", "best", "regards",
        "re", "fwd", "fw", "is", "are", "was", "be", "do", "can", "could", "will", "would", "shall", "should", "may",
        "all", "now", "then", "there", "here", "when", "where", "what", "who", "how", "why", "which", "also", "just",
        "good", "new", "known", "fixed", "note", "ok", "okay", "yes", "mr", "mrs", "ms", "dr", "prof", "subject",
        "date", "time", "invoice", "amount", "due", "number", "customer", "item", "order", "total", "seoul", "eod", "cob",
        "asap", "fyi", "eta", "vat", "kb", "mb", "gb", "tb", "kg", "km", "id", "ids", "pdf", "jpg", "png", "aoe", "tbd", "tba",
        "faq", "qty", "price", "old", "ticket", "invitation", "accepted", "declined", "offer", "reception",
    ];
    COMMON.contains(&lower.as_str()) && lower != "seoul"
}

/// Words that begin sentences.
fn is_everyday(word: &str) -> bool {
    let lower = word.lower();
    if lower.ends_with("ing") || lower.ends_with("ed") || lower.ends_with("ly") {
        return true;
    }
    #[rustfmt::skip]
    static EVERYDAY: Words = words![
        "many", "most", "some", "each", "every", "both", "same", "such", "only", "once", "after", "before", "because",
        "since", "until", "while", "next", "last", "first", "second", "third", "today", "tomorrow", "yesterday",
        "tonight", "great", "looks", "have", "has", "had", "let's", "lets", "send", "submit", "bring", "call", "book",
        "sign", "return", "complete", "review", "prepare", "confirm", "update", "fill", "upload", "register", "check",
        "pick", "renew", "reply", "schedule", "finish", "make", "sure", "remember", "don't", "meeting", "lunch",
        "dinner", "everything", "nothing", "something", "three", "four", "five", "seven", "eight", "nine", "quick",
        "just", "well", "about", "from", "with", "into", "over", "under", "between", "during", "without", "within",
        "against", "towards", "more", "less", "brackets", "stainless", "budget", "price", "payment", "delivery",
        "team", "people", "folks", "everyone", "anyone", "someone", "nobody", "salt", "their", "there", "your",
        "could", "would", "should", "worth",
    ];
    EVERYDAY.contains(&lower.as_str())
}

/// Korean names of things: nouns of the subject line that the text takes up, and compounds that end as names do.
fn korean_things(text: &str, topic: &Topic, values: &[Found]) -> Vec<String> {
    #[rustfmt::skip]
    static KINDS: Words = words![
        "사업", "센터", "공장", "회의", "교육", "계약서", "계약", "캠페인", "프로젝트", "시스템", "본사", "지사",
        "병원", "의원", "학교", "유치원", "어린이집", "은행", "보험", "제약", "약품", "전자", "상사", "대학교",
        "호텔", "식당", "마켓", "아파트", "점검표", "보고서", "제안서", "예산", "실사", "검진", "면접", "워크숍",
        "워크샵", "세미나", "서비스", "발전기", "물류", "화학", "건설", "그룹", "재단", "협회", "위원회", "연구소",
        "연구원", "정책", "규정", "지침", "플랫폼", "홈페이지", "발주", "견적서", "견적", "청구서", "송장", "여권",
        "비자", "알레르기", "로거", "게이트웨이", "서버", "데이터", "모델", "앱", "버전", "출시", "배포", "리뉴얼",
        "행사", "공연", "여행", "강의", "과정", "시험", "수업", "상담", "생신", "생일", "결혼식", "정전", "사고",
        "장애", "보상", "보험금", "쿠폰", "구독", "렌탈", "임대", "이사", "인테리어", "공사", "설치", "정기점검",
        "건강검진", "인증", "특허", "상표", "주문", "택배", "배송", "항공편", "숙소", "예약", "월세", "관리비",
        "등록금", "장학금", "대출", "적금", "박람회", "전시회", "컨퍼런스", "킥오프", "착수회의", "간담회", "설명회",
        "이벤트", "봉사", "동호회", "동아리", "총회", "이사회", "정원", "레스토랑", "카페", "미술관", "박물관",
        "도서관", "체육관", "공원", "역",
    ];
    let words = nouns::words(text);
    let taken = |w: &Word<'_>| {
        values.iter().any(|f| {
            w.start >= f.span.start
                && w.start < f.span.end
                && !matches!(f.value, Value::Status { .. } | Value::Identifier(_))
        })
    };
    let mut out: Vec<String> = Vec::new();
    for (n, word) in words.iter().enumerate() {
        if !word.is_korean() || taken(word) || word.stem.chars().count() < 2 || is_verbal(word.stem) {
            continue;
        }
        let of_topic = topic.words().any(|t| t == &word.key());
        let kind = KINDS.iter().any(|k| word.stem.ends_with(k));
        if !of_topic && !kind {
            continue;
        }
        // Nouns right before it belong to its name: 의약품 콜드체인 실증사업, 이천 물류센터.
        let mut from = n;
        while let Some(before) = from.checked_sub(1).and_then(|p| words.get(p)) {
            let gap = text.get(before.start + before.written.len()..words[from].start);
            let noun = before.tail().is_empty()
                && before.stem.chars().count() >= 2
                && !is_verbal(before.stem)
                && !taken(before)
                && gap == Some(" ")
                && !is_modifier(before.stem);
            if !noun || n - from >= 2 {
                break;
            }
            from -= 1;
        }
        let name = text[words[from].start..word.start + word.stem.len()].to_owned();
        // A longer name takes in the shorter ones that end with it.
        if let Some(same) = out.iter_mut().find(|o| o.ends_with(word.stem) && name.ends_with(o.as_str())) {
            *same = name;
        } else if !out.iter().any(|o| o.ends_with(&name) || o == &name) {
            out.retain(|o| !name.starts_with(&format!("{o} ")));
            out.push(name);
        }
    }
    out
}

/// Adverbs and modifiers without a particle, which are no part of a name.
fn is_modifier(word: &str) -> bool {
    #[rustfmt::skip]
    static WORDS: Words = words![
        "모두", "전부", "함께", "같이", "먼저", "바로", "다시", "아직", "이미", "지금", "현재", "최근", "추가", "약",
        "각", "전체", "해당", "이번", "지난", "다음", "매우", "정말", "너무", "조금", "많이", "잘", "더", "또는",
        "그리고", "하지만", "때문", "이상", "이하", "정도", "이제", "저희", "우리", "당사", "귀사", "참고", "이후",
        "이전", "오늘", "내일", "어제", "모레", "새로", "직접", "최종", "모든",
    ];
    WORDS.contains(&word)
}

/// Whether a Korean word is a verb or an adjective rather than a noun.
fn is_verbal(word: &str) -> bool {
    #[rustfmt::skip]
    static ENDS: Words = words![
        "습니다", "니다", "세요", "어요", "아요", "해요", "네요", "군요", "지요", "죠", "까요", "나요", "다가",
        "면서", "으면", "려면", "해서", "어서", "아서", "하고", "되어", "되고", "하여", "하는", "되는", "된", "할",
        "될", "한", "던", "는데", "지만", "으니", "하니", "했다", "됐다", "한다", "된다", "이다", "있다", "없다",
        "있는", "없는", "있고", "없고", "있어", "없어", "해", "돼", "했고", "됐고", "하면", "되면", "려고", "하게",
        "되게", "주신", "주시", "드린", "드릴", "들어갈", "들어가", "따라", "위해", "통해", "대해", "관해", "맡겨",
        "갔", "왔", "하신", "하실", "떠세", "하세", "주세", "되신", "으신", "드립", "드려",
    ];
    ENDS.iter().any(|e| word.ends_with(e) && word.chars().count() > e.chars().count())
}

/// A noun of one syllable with its particle, a title, a place word: 물을, 님이, 옆에서.
fn is_glued(word: &str) -> bool {
    let count = word.chars().count();
    word.starts_with('님')
        || count == 2
            && word.ends_with(['을', '를', '은', '는', '이', '가', '에', '로', '의', '도'])
            && nouns::stem(word) == word
            && !word.ends_with("의")
        || count == 3 && (word.ends_with("에서") || word.ends_with("으로"))
}

/// Words to find the text by.
pub(super) fn keywords(text: &str, topic: &Topic, values: &[Found]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let words = nouns::words(text);
    let dated = |w: &Word<'_>| {
        values.iter().any(|f| {
            w.start >= f.span.start
                && w.start < f.span.end
                && matches!(f.value, Value::Date(_) | Value::Clock(_) | Value::Range(_) | Value::Duration(_))
        })
    };
    let fits = |w: &&Word<'_>| {
        let key = w.key();
        let long = if w.is_korean() { key.chars().count() >= 2 } else { key.chars().count() >= 3 };
        long && !dated(w)
            && !is_common(&key)
            && !is_everyday(&key)
            && !is_modifier(&key)
            && (!w.is_korean() || !is_verbal(w.stem) && !is_verbal(w.written) && !is_glued(w.written))
            && key.chars().any(char::is_alphabetic)
    };
    // Words of the topic first, then the others as they come.
    let (of_topic, others): (Vec<&Word<'_>>, Vec<&Word<'_>>) =
        words.iter().filter(fits).partition(|w| topic.words().any(|t| alike(t, &w.key())));
    for word in of_topic.into_iter().chain(others) {
        let key = word.key();
        if out.len() < MOST_KEYWORDS && !out.contains(&key) {
            out.push(key);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::values;

    fn found(text: &str, subject: &str) -> Vec<String> {
        let mail = Mail::default();
        entities(text, &Topic::new(subject, &mail, ""), &values(text, None), &mail)
    }

    #[test]
    fn things_are_named_without_particles() {
        for (text, subject, names) in [
            (
                "The ISO 17025 calibration certificate for Corran Bay Seafoods has been issued.",
                "",
                vec!["ISO 17025", "Corran Bay Seafoods"],
            ),
            ("FrostEye 3.8 was released today.", "FrostEye 3.8 is out", vec!["FrostEye 3.8"]),
            ("식약처 GDP 정기실사가 5월 14일(수)로 잡혔습니다.", "GDP 정기실사", vec!["GDP", "정기실사"]),
            ("의약품 콜드체인 실증사업 예산은 8,400만원입니다.", "실증사업 예산", vec!["의약품 콜드체인 실증사업"]),
            ("Many countries ask for six months of validity.", "", vec![]),
        ] {
            let all = found(text, subject);
            for name in &names {
                assert!(all.iter().any(|a| a.contains(name)), "{text}: {all:?} lacks {name}");
            }
            assert!(all.len() <= names.len() + 2, "{text}: {all:?}");
        }
    }

    #[test]
    fn people_are_those_of_the_exchange_and_those_named() {
        let person = |name: &str, address: &str| Person { name: Some(name.into()), address: address.into() };
        let mail = Mail {
            from: Some(person("유채린", "c@a.example")),
            to: vec![person("배수현", "me@a.example")],
            ..Mail::default()
        };
        let account = Account { owner: vec!["me@a.example".into()], ..Account::default() };
        assert_eq!(
            people(&mail, mail.from.as_ref(), "곽도경 과장님을 포함해 9명이 참석합니다. 수현 팀장님도요.", &account),
            ["c@a.example", "곽도경"]
        );
        let many = Mail { to: (0..50).map(|n| person("x", &format!("{n}@a.example"))).collect(), ..mail };
        assert_eq!(people(&many, many.from.as_ref(), "", &account), ["c@a.example"]);
    }
}
