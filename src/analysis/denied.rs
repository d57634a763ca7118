//! Finds negated values ("not 8 pm", 8시가 아니라), which may be replaced but never replace others.

use crate::language::{Found, is_hangul, words};

/// Characters after a value that are searched for a negation.
const NEAR: usize = 40;

/// Whether nearby words negate a value. `contrast`: another value of this kind is not negated.
pub(super) fn is_denied(text: &str, v: &Found, contrast: bool) -> bool {
    let before = &text[..v.span.start];
    let clause = before.rfind([',', ';', '.', '!', '?', '\n', ':']).map_or(0, |at| at + 1);
    let head = before[clause..].to_lowercase().replace('’', "'");
    let head = head.rsplit(" but ").next().unwrap_or_default();
    let mut between = 0;
    for word in head.split_whitespace().rev() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
        if words!("analysis/words.limits").contains(&bare) {
            return false;
        }
        if words!("english/grammar.negations").contains(&bare)
            || bare.ends_with("n't")
            || words!("analysis/words.rather").contains(&bare)
        {
            return between == 0 || contrast && between < 4;
        }
        between += usize::from(!words!("clauses.leads").contains(&bare));
    }
    let after: String = text[v.span.end..].chars().take(NEAR).collect();
    let after = after.split(['.', ',', '!', '?', '\n', ';']).next().unwrap_or_default();
    let tail = after.trim_start_matches(is_hangul).trim_start();
    let glued = &after[..after.len() - after.trim_start_matches(is_hangul).len()];
    let denies = words!("analysis/words.denying behind");
    let here = |text: &str| denies.begin(text) || text.split_once(' ').is_some_and(|(_, rest)| denies.begin(rest));
    denies.begin(glued)
        || matches!(glued, "이" | "가" | "은" | "는" | "도" | "" | "에" | "로" | "으로" | "에서") && here(tail)
        || contrast && words!("analysis/words.denying a deed").stand_in(after)
}

/// For each value, whether the text negates it.
pub(super) fn denied(text: &str, values: &[Found]) -> Vec<bool> {
    let kind = |n: usize| values[n].value.kind();
    let alone: Vec<bool> = values.iter().map(|v| is_denied(text, v, false)).collect();
    (0..values.len())
        .map(|n| {
            let contrast = (0..values.len()).any(|o| o != n && kind(o) == kind(n) && !alone[o]);
            alone[n] || contrast && is_denied(text, &values[n], true)
        })
        .collect()
}
