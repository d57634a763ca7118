//! Parses states: confirmed, not paid, 취소되지 않았다.

use crate::language::values::{
    ValueHit, ValueReader,
    value::{State, Value},
};
use crate::language::{
    Words,
    text::{particles::is_tail, scan::is_latin},
    words,
};

/// A process in progress is not its result: 배포 중 is not 배포됨.
const fn under_way(state: State) -> State {
    match state {
        State::Shipped => State::Shipped,
        State::Closed | State::OnHold | State::Terminated | State::Unavailable => state,
        _ => State::Underway,
    }
}

/// Whether a season word is a given name: 가을, 여름 and 봄 are both.
pub(super) fn is_name(before: &str, after: &str) -> bool {
    let next = after.trim_start();
    before.chars().count() == 1 || words!("korean/grammar.behind a name").begin(next)
}

impl ValueReader<'_> {
    /// Parses a Korean state as a predicate (승인되었습니다, 검토 중), but not as a noun before another (승인 번호).
    pub fn korean_state(&self, at: usize, end: usize, state: State, fixed: bool) -> Option<ValueHit> {
        static PLANNED: &Words = words!("korean/grammar.planned");
        static DONE: &Words = words!("korean/grammar.done");
        static SETTLED: &Words = words!("korean/grammar.settled");
        static WAY: &Words = words!("korean/grammar.way");
        let s = self.s;
        let run_end = s.hangul_end(end);
        let run = s.slice(end, run_end);
        let next = s.spaces(run_end);
        let negated = self.denied(at, end);
        let mut state = state;
        let mut stop = end;
        if fixed {
            if !is_tail(run) {
                return None;
            }
        } else if run.is_empty() {
            let closing = s.char(next).is_none_or(|c| !c.is_alphanumeric());
            if let Some(after) = s.eat_any(next, PLANNED) {
                (state, stop) = (State::Planned, after);
            } else if let Some(after) = s.eat_any(next, DONE).or_else(|| s.eat_any(next, SETTLED)) {
                stop = after;
            } else if s.eat_any(next, words!("korean/grammar.under way")).is_some() {
                state = under_way(state);
                stop = s.eat_any(next, WAY).unwrap_or(next);
            } else if !closing {
                return None;
            }
        } else if let Some(rest) = words!("korean/grammar.marks of a state").iter().find_map(|m| run.strip_prefix(m)) {
            let verb = s.eat_any(next, words!("korean/grammar.verbs of a state")).is_some();
            // "승인이다", "취소입니다" are predicates already.
            if !(verb && rest.is_empty() || words!("korean/grammar.says itself").begin(rest)) {
                return None;
            }
        } else if words!("korean/grammar.to").begin(run) {
            s.eat_any(next, words!("korean/grammar.verbs of an end"))?;
        } else if !words!("korean/grammar.endings of a state").begin(run) {
            return None;
        }
        if words!("korean/grammar.endings of a plan").begin(run) && s.eat_any(next, PLANNED).is_some() {
            state = State::Planned;
        }
        Some(ValueHit::new(at, stop, Value::Status { state, negated }))
    }

    /// Whether a Korean predicate is negated: 안 됐, 되지 않, 못 했, 미승인.
    fn denied(&self, at: usize, end: usize) -> bool {
        let s = self.s;
        static BEFORE: &Words = words!("korean/grammar.denying");
        if BEFORE.contains(&s.word_before(at)) {
            return true;
        }
        let ahead: String = s.rest(end).chars().take(12).take_while(|c| !matches!(c, ',' | '.' | '\n')).collect();
        words!("korean/grammar.denial").stand_in(&ahead) || words!("korean/grammar.denial at once").begin(&ahead)
    }

    /// Parses an English state; `weak` words count only as predicates.
    pub fn english_state(&self, at: usize, end: usize, state: State, weak: bool) -> Option<ValueHit> {
        let s = self.s;
        let head = s.head(at).trim_end();
        let before = s.word_before(at);
        static PREDICATE: &Words = words!("english/grammar.predicates");
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
        let negated = clause.split(' ').any(|w| words!("english/grammar.negations").contains(&w) || w.ends_with("n't"));
        Some(ValueHit::new(at, end, Value::Status { state, negated }))
    }
}
