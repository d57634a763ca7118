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
    static BEHIND: Words = words!("korean/grammar.behind a name");
    let next = after.trim_start();
    before.chars().count() == 1 && !before.is_empty() || BEHIND.begin(next)
}

impl ValueReader<'_> {
    /// A state in Korean: a predicate (승인되었습니다, 검토 중), not a noun before another (승인 번호).
    pub(super) fn korean_state(&self, at: usize, end: usize, state: State, fixed: bool) -> Option<ValueHit> {
        static FIXED: Words = words!("korean/grammar.fixed endings");
        static PLANNED: Words = words!("korean/grammar.planned");
        static DONE: Words = words!("korean/grammar.done");
        static SETTLED: Words = words!("korean/grammar.settled");
        static UNDER_WAY: Words = words!("korean/grammar.under way");
        static WAY: Words = words!("korean/grammar.way");
        static MARKS: Words = words!("korean/grammar.marks of a state");
        static VERBS: Words = words!("korean/grammar.verbs of a state");
        static SAYS: Words = words!("korean/grammar.says itself");
        static TO: Words = words!("korean/grammar.to");
        static ENDS: Words = words!("korean/grammar.verbs of an end");
        static ENDINGS: Words = words!("korean/grammar.endings of a state");
        static OF_A_PLAN: Words = words!("korean/grammar.endings of a plan");
        let s = self.s;
        let run_end = s.hangul_end(end);
        let run = s.slice(end, run_end);
        let next = s.spaces(run_end);
        let negated = self.denied(at, end);
        let mut state = state;
        let mut stop = end;
        if fixed {
            if !(is_tail(run) || FIXED.begin(run)) {
                return None;
            }
        } else if run.is_empty() {
            let closing = s.char(next).is_none_or(|c| !c.is_alphanumeric());
            if let Some(after) = s.eat_any(next, &PLANNED) {
                (state, stop) = (State::Planned, after);
            } else if let Some(after) = s.eat_any(next, &DONE).or_else(|| s.eat_any(next, &SETTLED)) {
                stop = after;
            } else if s.eat_any(next, &UNDER_WAY).is_some() {
                state = under_way(state);
                stop = s.eat_any(next, &WAY).unwrap_or(next);
            } else if !closing {
                return None;
            }
        } else if let Some(rest) = MARKS.iter().find_map(|m| run.strip_prefix(m)) {
            let verb = s.eat_any(next, &VERBS).is_some();
            // "승인이다", "취소입니다" say it themselves.
            if !(verb && rest.is_empty() || SAYS.begin(rest)) {
                return None;
            }
        } else if TO.begin(run) {
            s.eat_any(next, &ENDS)?;
        } else if let Some((way, rest)) = WAY.iter().find_map(|w| Some((w, run.strip_prefix(w)?))) {
            if !is_tail(rest) {
                return None;
            }
            state = under_way(state);
            stop = end + way.len();
        } else if !ENDINGS.begin(run) {
            return None;
        }
        if OF_A_PLAN.begin(run) && s.eat_any(next, &PLANNED).is_some() {
            state = State::Planned;
        }
        Some(ValueHit::new(at, stop, Value::Status { state, negated }))
    }

    /// Whether a Korean predicate is denied: 안 됐, 되지 않, 못 했, 미승인.
    fn denied(&self, at: usize, end: usize) -> bool {
        let s = self.s;
        static BEFORE: Words = words!("korean/grammar.denying");
        static SYLLABLES: Words = words!("korean/grammar.denying syllables");
        static DENIAL: Words = words!("korean/grammar.denial");
        static AT_ONCE: Words = words!("korean/grammar.denial at once");
        if BEFORE.contains(&s.word_before(at)) || SYLLABLES.end(s.head(at)) {
            return true;
        }
        let ahead: String = s.rest(end).chars().take(12).take_while(|c| !matches!(c, ',' | '.' | '\n')).collect();
        DENIAL.stand_in(&ahead) || AT_ONCE.begin(&ahead)
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
        static NEGATIONS: Words = words!("english/grammar.negations");
        let negated = clause.split(' ').any(|w| NEGATIONS.contains(&w) || w.ends_with("n't"));
        Some(ValueHit::new(at, end, Value::Status { state, negated }))
    }
}
