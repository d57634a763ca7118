//! Whether a sentence of a model's follows from the words it rests on: [`follows`].
//!
//! It never asks whether the sentence is true, only whether somebody has said so.

use crate::analysis::says;
use crate::analysis::words::{Kind, Word, words};
use crate::language::{CueKind, Folded, Found, Match, Value, cues, key, values};

/// Words by which a sentence is made a task or a plan, and which a model may add.
const ADDED: &str = "need needs must should have has be is are was were will to please remember plan planned scheduled due \
    해야 해야한다 하기 하기로 필요 필요하다 예정 예정이다 했다 한다 하다 된다 됐다 되었다 있다 있음 이다 함 됨 것 바람 주기 줘야 보내야";

/// Whether `content` follows from `evidence` and what the mail is about, its `subject` line: half of the words of it that
/// tell something stand in the evidence itself, the others there, in the subject or elsewhere in the mail's `text`;
/// figures are those of evidence and subject; and it denies what the evidence denies, and no more.
pub(super) fn follows(content: &str, evidence: &str, subject: &str, text: &str) -> bool {
    let told = |text: &str| -> Vec<Word> { words(text).into_iter().filter(tells).collect() };
    let (said, rests, about) = (told(content), told(evidence), told(&[subject, "\n", text].concat()));
    let stands = |w: &Word, among: &[Word]| among.iter().any(|o| same(w, o));
    let known = said.iter().all(|w| stands(w, &rests) || stands(w, &about) || is_added(w));
    let own = said.iter().filter(|w| !is_added(w)).count();
    let from_evidence = said.iter().filter(|w| !is_added(w) && stands(w, &rests)).count();
    own > 0
        && known
        && from_evidence * 2 >= own
        && has_its_values(content, &[evidence, subject])
        && denies_alike(content, evidence)
}

fn tells(w: &Word) -> bool {
    // What is denied is looked at by itself.
    !(w.function || w.text == "cannot" || w.text.ends_with("n't") || w.text.ends_with("n’t"))
        || w.number.is_some()
        || matches!(w.kind, Kind::Number | Kind::Code)
}

fn is_added(w: &Word) -> bool {
    ADDED.split_whitespace().any(|a| w.text == a || w.stem == a)
}

/// Whether two words are forms of one: of the same stem, or one Korean verb with two endings.
fn same(a: &Word, b: &Word) -> bool {
    if a.hash == b.hash || key(&a.text) == key(&b.text) {
        return true;
    }
    let both = a.text.chars().zip(b.text.chars());
    let shared = both.take_while(|(x, y)| x == y && ('가'..='힣').contains(x)).count();
    let rest = |w: &Word| w.text.chars().skip(shared).collect::<String>();
    shared >= 2 && is_ending(&rest(a)) && is_ending(&rest(b))
}

/// Whether what is left of a Korean word are endings of a verb.
fn is_ending(rest: &str) -> bool {
    const STARTS: &str = "하 합 했 해 한 할 함 되 됩 됐 된 될 돼 됨 이 입 였 인 일 임 야 서 고 면 지 었 았 겠 습 는 ㄴ 려 기 며 요 줘 주 시 세 다 자 을 를 은 가 로 으";
    rest.is_empty() || STARTS.split(' ').any(|s| rest.starts_with(s))
}

/// Whether each value that is read in `content` is read in one of the texts as well.
fn has_its_values(content: &str, texts: &[&str]) -> bool {
    let known: Vec<_> = texts.iter().flat_map(|t| values(t, None)).collect();
    let is_known = |v: &Found| known.iter().any(|k| k.value == v.value || k.value.compare(&v.value) == Match::Same);
    // What is written without figures its words say; a code that ends a subject line is no count of what stands after it.
    let by_words = |v: &Found| match &v.value {
        Value::Quantity { number, .. } => {
            known.iter().all(|k| !matches!(&k.value, Value::Quantity { number: other, .. } if other == number))
        }
        _ => {
            let own = &content[v.span.start..v.span.end];
            !own.contains(|c: char| c.is_ascii_digit()) || texts.iter().any(|t| says(t, own))
        }
    };
    values(content, None).iter().all(|v| is_known(v) || by_words(v))
}

/// Whether content and evidence both deny something, or neither does. Of a long evidence the sentence is asked that has
/// most of the content's words.
fn denies_alike(content: &str, evidence: &str) -> bool {
    let said = words(content);
    let shared =
        |sentence: &&str| words(sentence).iter().filter(|w| tells(w) && said.iter().any(|s| same(s, w))).count();
    let closest = sentences(evidence).into_iter().rev().max_by_key(shared).unwrap_or(evidence);
    denies(content) == denies(closest)
}

fn sentences(text: &str) -> Vec<&str> {
    let ends = |(at, c): (usize, char)| {
        let end = at + c.len_utf8();
        let spaced = text[end..].chars().next().is_none_or(char::is_whitespace);
        (c == '\n' || matches!(c, '.' | '!' | '?' | '。') && spaced).then_some(end)
    };
    let cuts: Vec<usize> = text.char_indices().filter_map(ends).chain([text.len()]).collect();
    let starts = std::iter::once(0).chain(cuts.clone());
    starts.zip(cuts).filter_map(|(from, to)| text.get(from..to)).filter(|s| !s.trim().is_empty()).collect()
}

fn denies(text: &str) -> bool {
    cues(&Folded::new(text)).iter().any(|c| matches!(c.kind, CueKind::Negation | CueKind::NoLonger))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_honest_model_says_follows() {
        let cases = [
            (
                "Ada agreed yesterday that the north fence will be $4,900.",
                "The fence will be $4,900, Ada agreed yesterday.",
                "north fence",
            ),
            ("Pay the deposit for the north fence by Friday.", "Could you pay the deposit by Friday?", "north fence"),
            ("Heron 7 costs 5,000.", "the cost is 5,000 now", "Heron 7"),
            ("Meeting on Friday at 3.", "Let us meet on Friday at 3.", ""),
            ("The launch was moved from 3 May to 10 May.", "We moved the launch from 3 May to 10 May.", "Launch"),
            (
                "The parking garage is not available on Monday.",
                "Please note that parking garage is not available on Monday.",
                "",
            ),
            ("The rent is 900 euros.", "Sorry that I could not call. The rent is 900 euros.", "Flat"),
            ("Kim cannot attend the review.", "I'm afraid Kim can't attend the review.", ""),
            (
                "뒷마당 울타리 공사비는 490만원으로 어제 확정했다.",
                "공사비는 490만원으로 어제 확정했습니다.",
                "뒷마당 울타리",
            ),
            ("금요일까지 뒷마당 울타리 계약금을 보내야 한다.", "금요일까지 계약금을 보내 주세요.", "뒷마당 울타리"),
            ("회의는 3월 4일 오후 2시 본관에서 열린다.", "회의는 3월 4일 오후 2시에 본관에서 열립니다.", "회의 안내"),
            ("민수는 회식에 참석하지 않는다.", "민수는 회식에 참석하지 않습니다.", ""),
            ("계약서 초안을 검토해야 한다.", "계약서 초안 검토 부탁드립니다.", "계약"),
        ];
        for (content, evidence, subject) in cases {
            assert!(follows(content, evidence, subject, evidence), "{content} of {evidence}");
        }
    }

    #[test]
    fn what_nobody_has_said_does_not_follow() {
        let cases = [
            ("The owner has approved all payments.", "Lunch menu for Monday: soup and bread.", "Lunch menu"),
            ("The owner has approved all payments.", "The owner likes soup.", "Lunch menu"),
            ("The lunch menu is ready and all payments are approved.", "The lunch menu is ready.", "Lunch"),
            ("The owner approved the lunch menu.", "The owner's lunch menu for Monday.", "Lunch"),
            ("Payments go to Kim.", "Payments go to Lee.", "Payments"),
            ("The fence costs $9,900.", "The fence costs $4,900.", "Fence 9"),
            ("The fence costs $4,900,000.", "The fence costs $4,900.", "Fence"),
            ("Meet on Monday at 3.", "Meet on Friday at 3.", ""),
            ("The owner has approved the payment.", "The owner has not approved the payment.", ""),
            ("The payment is not due.", "The payment is due.", ""),
            ("Lunch", "a", "Lunch"),
            ("Heron fence", "ok", "Heron fence"),
            ("모든 결제를 승인했다.", "점심 메뉴는 비빔밥입니다.", "점심 메뉴"),
            ("점심 메뉴가 나왔고 결제를 승인했다.", "점심 메뉴가 나왔습니다.", "점심"),
            ("공사비는 990만원이다.", "공사비는 490만원입니다.", "공사"),
            ("담당자는 박지훈이다.", "담당자는 김민수입니다.", "담당자"),
            ("민수는 회식에 참석한다.", "민수는 회식에 참석하지 않습니다.", ""),
            ("비밀번호를 알려 주기로 했다.", "회의 시간을 알려 주기로 했습니다.", "회의"),
        ];
        for (content, evidence, subject) in cases {
            assert!(!follows(content, evidence, subject, evidence), "{content} of {evidence}");
        }
    }
}
