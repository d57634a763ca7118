//! Rates: what an amount is for, such as a month or a head.

use super::{
    ValueHit, ValueReader,
    value::{Per, Value},
};
use crate::language::text::hangul::is_hangul;

fn per_word(word: &str) -> Option<Per> {
    Some(match word {
        "hour" | "hr" | "h" | "시간" => Per::Hour,
        "day" | "일" => Per::Day,
        "week" | "wk" | "주" => Per::Week,
        "month" | "mo" | "월" | "달" => Per::Month,
        "quarter" | "분기" => Per::Quarter,
        "year" | "yr" | "annum" | "년" | "연" => Per::Year,
        "person" | "head" | "pax" | "인" | "명" | "guest" | "adult" | "child" => Per::Person,
        "item" | "unit" | "piece" | "개" | "건" | "장" | "box" | "share" | "kg" | "page" | "episode" | "night"
        | "seat" => Per::Item,
        _ => return None,
    })
}

impl ValueReader<'_> {
    /// Finds what money is paid by: 월 330만원, £15 a month, 1인당.
    pub(super) fn rate(&self, mut hit: ValueHit) -> ValueHit {
        let found = self.per_after(hit.end).or_else(|| self.per_before(hit.start).map(|per| (per, hit.end)));
        if let (Value::Money { per, .. }, Some((by, end))) = (&mut hit.value, found) {
            *per = Some(by);
            hit.end = end;
        }
        hit
    }

    fn per_after(&self, end: usize) -> Option<(Per, usize)> {
        let s = self.s;
        if s.byte(end) == b'/' {
            let at = s.spaces(end + 1);
            let stop = if s.char(at).is_some_and(is_hangul) { s.hangul_end(at) } else { s.latin_end(at) };
            return Some((per_word(s.slice(at, stop))?, stop));
        }
        let at = s.blank(end);
        let article = s.latin_end(at);
        let word = s.slice(at, article);
        if word == "each" {
            return Some((Per::Item, article));
        }
        if !matches!(word, "a" | "an" | "per" | "every" | "each") {
            return match word {
                "monthly" => Some((Per::Month, article)),
                "yearly" | "annually" => Some((Per::Year, article)),
                "weekly" => Some((Per::Week, article)),
                "daily" => Some((Per::Day, article)),
                "hourly" => Some((Per::Hour, article)),
                _ => None,
            };
        }
        let noun = s.blank(article);
        let stop = s.latin_end(noun);
        match per_word(s.slice(noun, stop)) {
            Some(per) => Some((per, stop)),
            None if word == "per" && stop > noun => Some((Per::Item, stop)),
            None => None,
        }
    }

    fn per_before(&self, start: usize) -> Option<Per> {
        let s = self.s;
        let word = s.word_before(start);
        Some(match word {
            "월" | "매월" | "매달" | "달에" | "다달이" | "월급" | "월세" => Per::Month,
            "연" | "매년" | "년에" | "해마다" | "연간" | "연봉" => Per::Year,
            "주" | "매주" | "주일에" => Per::Week,
            "하루" | "하루에" | "매일" | "일당" => Per::Day,
            "시급" | "시간에" => Per::Hour,
            "분기" | "매분기" => Per::Quarter,
            "개에" | "장에" | "건에" | "쪽에" | "권에" | "번에" => Per::Item,
            "사람" | "인" => Per::Person,
            _ => {
                let one = word.strip_suffix('당').or({
                    // "한 쪽에", "1kg에".
                    None
                })?;
                match one {
                    "시간" => Per::Hour,
                    "월" | "달" => Per::Month,
                    "주" => Per::Week,
                    "년" | "연" => Per::Year,
                    "인" | "명" | "사람" | "가족" => Per::Person,
                    "담" | "해" | "정" | "적" | "수" | "부" | "배" | "식" | "사" => return None,
                    _ => Per::Item,
                }
            }
        })
    }
}
