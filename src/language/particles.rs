//! Korean particles and endings: what may follow a word or a value without being part of it.
//!
//! It cuts by a list, and never cuts a word down to nothing.

use super::list::{Words, words};

/// What may be glued to a noun or a value, longest forms included; sorted.
static TAILS: Words = words![
    "가",
    "가량",
    "가요",
    "간",
    "거나",
    "경",
    "고",
    "과",
    "군데",
    "까지",
    "께",
    "께서",
    "꼴",
    "나",
    "나마",
    "내",
    "내내",
    "내로",
    "내외",
    "년생",
    "는",
    "당",
    "대로",
    "도",
    "동안",
    "든",
    "든지",
    "들",
    "들이",
    "라",
    "라고",
    "라는",
    "라도",
    "라며",
    "라면",
    "라서",
    "라지",
    "란",
    "랍니다",
    "랑",
    "래",
    "래요",
    "로",
    "로만",
    "로부터",
    "로서",
    "로써",
    "를",
    "마다",
    "마저",
    "만",
    "만에",
    "만큼",
    "말고",
    "며",
    "면",
    "밖에",
    "보다",
    "부터",
    "분",
    "뿐",
    "뿐만",
    "사이",
    "사이에",
    "서",
    "씩",
    "씩만",
    "안",
    "안에",
    "안으로",
    "야",
    "에",
    "에게",
    "에게서",
    "에는",
    "에다",
    "에도",
    "에만",
    "에서",
    "에야",
    "여",
    "였",
    "였고",
    "였는데",
    "였다",
    "였던",
    "였습니다",
    "였어",
    "였어요",
    "였으나",
    "였으며",
    "였음",
    "예요",
    "와",
    "요",
    "으로",
    "으로는",
    "으로만",
    "은",
    "을",
    "의",
    "이",
    "이거나",
    "이고",
    "이기",
    "이나",
    "이내",
    "이내로",
    "이내에",
    "이네",
    "이네요",
    "이니",
    "이니까",
    "이다",
    "이던",
    "이든",
    "이라",
    "이라고",
    "이라는",
    "이라도",
    "이라며",
    "이라면",
    "이라서",
    "이란",
    "이랍니다",
    "이랑",
    "이래",
    "이래요",
    "이며",
    "이면",
    "이므로",
    "이상",
    "이서",
    "이신",
    "이십니다",
    "이야",
    "이어서",
    "이었",
    "이었고",
    "이었는데",
    "이었다",
    "이었던",
    "이었습니다",
    "이었어요",
    "이었으나",
    "이었음",
    "이에요",
    "이예요",
    "이요",
    "이자",
    "이전",
    "이지",
    "이지만",
    "이하",
    "이후",
    "인",
    "인가",
    "인가요",
    "인데",
    "인데요",
    "인지",
    "일",
    "임",
    "입니까",
    "입니다",
    "전",
    "정도",
    "조차",
    "지",
    "지만",
    "짜리",
    "째",
    "쯤",
    "처럼",
    "초과",
    "치",
    "하고",
    "한테",
    "후",
    "후에",
];

/// Whether the rest of a run of Hangul is nothing but particles and endings.
pub(crate) fn is_tail(rest: &str) -> bool {
    tail(rest, 3)
}

fn tail(rest: &str, depth: u8) -> bool {
    if rest.is_empty() {
        return true;
    }
    if depth == 0 {
        return false;
    }
    // Tails have at most five syllables.
    rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(5).any(|end| {
        let (head, more) = rest.split_at(end);
        TAILS.binary_search(&head).is_ok() && tail(more, depth - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_told_from_words() {
        for yes in ["", "까지", "까지는", "에서의", "으로부터는", "입니다", "씩만", "이었던", "짜리로", "쯤에"]
        {
            assert!(is_tail(yes), "{yes}");
        }
        for no in ["임님", "구역", "즌", "무실", "장에", "님께"] {
            assert!(!is_tail(no), "{no}");
        }
        assert!(TAILS.is_sorted());
    }
}
