//! States: confirmed, not paid, 취소되지 않았다.

use super::under_way;
use crate::language::values::{
    ValueHit, ValueReader,
    value::{State, Value},
};
use crate::language::{
    Words,
    text::{particles::is_tail, scan::is_latin},
    words,
};

/// 가을, 여름 and 봄 are also given names.
pub(super) fn is_name(before: &str, after: &str) -> bool {
    let next = after.trim_start();
    before.chars().count() == 1 && !before.is_empty()
        || ["선생", "씨", "님", "이가", "양", "군", "팀장", "과장", "대리", "작가"].iter().any(|w| next.starts_with(w))
}

impl ValueReader<'_> {
    /// A state in Korean: a predicate (승인되었습니다, 검토 중), not a noun before another (승인 번호).
    pub(super) fn korean_state(&self, at: usize, end: usize, state: State, fixed: bool) -> Option<ValueHit> {
        let s = self.s;
        let run_end = s.hangul_end(end);
        let run = s.slice(end, run_end);
        let next = s.spaces(run_end);
        let negated = self.denied(at, end);
        let mut state = state;
        let mut stop = end;
        if fixed {
            if !(is_tail(run) || run.starts_with(['이', '입', '인', '으', '였', '일'])) {
                return None;
            }
        } else if run.is_empty() {
            let c = s.char(next);
            let closing = c.is_none_or(|c| !c.is_alphanumeric());
            if let Some(after) = s.eat(next, "예정") {
                (state, stop) = (State::Planned, after);
            } else if let Some(after) = s.eat(next, "완료") {
                stop = after;
            } else if let Some(after) = s.eat_any(next, &["처리", "상태", "결정", "통보"]) {
                stop = after;
            } else if let Some(after) = s.eat_any(next, &["중입니다", "중이", "중인", "중 ", "중."]) {
                let _ = after;
                state = under_way(state);
                stop = next + "중".len();
            } else if !closing {
                return None;
            }
        } else if let Some(rest) = run.strip_prefix(['을', '를', '이', '가', '은', '는', '도']) {
            let verb = s
                .eat_any(
                    next,
                    &[
                        "받", "나", "났", "난", "떨어", "마쳤", "마치", "마쳐", "끝", "완료", "했", "하", "되", "됐",
                        "이루", "안 ",
                    ],
                )
                .is_some();
            // "승인이다", "취소입니다" say it themselves.
            let says = rest.starts_with(['다', '고', '며', '라', '지', '었', '에']);
            if !(verb && rest.is_empty() || says) {
                return None;
            }
        } else if run.starts_with('로') || run.starts_with("으로") {
            s.eat_any(next, &["결정", "확정", "처리", "끝", "바뀌", "변경", "돌아", "정해", "정리", "났"])?;
        } else if let Some(rest) = run.strip_prefix("중") {
            if !is_tail(rest) {
                return None;
            }
            state = under_way(state);
            stop = end + "중".len();
        } else if !run.starts_with([
            '됨', '되', '된', '될', '됐', '됩', '했', '하', '한', '할', '합', '함', '해', '시', '받', '났', '입', '였',
            '짓', '지',
        ]) {
            return None;
        }
        if (run.starts_with('될') || run.starts_with('할')) && s.eat(next, "예정").is_some() {
            state = State::Planned;
        }
        Some(ValueHit::new(at, stop, Value::Status { state, negated }))
    }

    /// Whether a Korean predicate is denied: 안 됐, 되지 않, 못 했, 미승인.
    fn denied(&self, at: usize, end: usize) -> bool {
        let s = self.s;
        if matches!(s.word_before(at), "안" | "못") || s.before(at) == Some('미') {
            return true;
        }
        let ahead: String = s.rest(end).chars().take(12).take_while(|c| !matches!(c, ',' | '.' | '\n')).collect();
        // Most texts have neither syllable, and looking for nine words is dear.
        ahead.contains(['지', '적'])
            && ["지 않", "지 못", "지는 않", "지도 않", "지않", "지 아니", "된 적이 없", "한 적이 없", "하지 마"]
                .iter()
                .any(|w| ahead.contains(w))
            || ["이 안 ", "가 안 ", "도 안 ", "은 안 ", "이 아니", "가 아니"].iter().any(|w| ahead.starts_with(w))
    }

    /// A state in English; weak words count only as predicates.
    pub(super) fn english_state(&self, at: usize, end: usize, state: State, weak: bool) -> Option<ValueHit> {
        let s = self.s;
        let head = s.head(at).trim_end();
        let before = s.word_before(at);
        static PREDICATE: Words = words!("english/grammar.predicates");
        if weak {
            let predicate =
                PREDICATE.binary_search(&before).is_ok() || head.ends_with([':', '=', '>']) || head.is_empty();
            let noun = s.blank(end);
            let attribute = head.is_empty() && s.char(noun).is_some_and(is_latin) && !self.is_stop(noun);
            if !predicate
                || attribute
                || matches!((s.slice(at, end), before), ("off" | "open" | "live", "have" | "had" | "has"))
            {
                return None;
            }
        }
        let tail: String = head.chars().rev().take(24).collect::<Vec<_>>().into_iter().rev().collect();
        let clause = tail.rsplit([',', '.', ';', '!', '?', '\n']).next().unwrap_or("");
        let negated = clause.split(' ').any(|w| {
            matches!(w, "not" | "never" | "no" | "neither" | "nor" | "nobody" | "without")
                || w.ends_with("n't")
                || w == "cannot"
        });
        Some(ValueHit::new(at, end, Value::Status { state, negated }))
    }
}
