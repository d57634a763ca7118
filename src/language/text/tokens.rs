//! The words of a text, Korean and English, each with a crude stem by which two texts are compared.
//!
//! Stems are cut by rule and list; they are keys, not words to show.

use super::{
    folded::Folded,
    hangul::is_hangul,
    list::{Words, words},
    scan::Scan,
    stem::{english_stem, korean_stem},
};
use crate::language::values::value::Span;

/// The script of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Script {
    /// Hangul.
    Korean,
    /// Letters of other scripts.
    Latin,
    /// Digits, with their group marks.
    Digits,
}

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Where it stands in the text given.
    pub span: Span,
    /// Its script.
    pub script: Script,
    /// Equal for words of one stem.
    pub key: u64,
    /// Whether it says nothing by itself (the, 그리고, 합니다).
    pub stop: bool,
    /// The folded word.
    start: u32,
    end: u32,
    /// Where the stem ends, and the character that takes the place of its last one.
    stem: u32,
    last: Option<char>,
}

impl Token {
    /// The word in folded form (lower case, plain forms).
    pub fn word<'f>(&self, folded: &'f Folded<'_>) -> &'f str {
        folded.text().get(self.start as usize..self.end as usize).unwrap_or("")
    }

    /// Its stem.
    pub fn stem(&self, folded: &Folded<'_>) -> String {
        let mut stem = folded.text().get(self.start as usize..self.stem as usize).unwrap_or("").to_owned();
        if let Some(last) = self.last {
            stem.pop();
            stem.push(last);
        }
        stem
    }

    /// Where it stands in the folded text.
    pub fn range(&self) -> (usize, usize) {
        (self.start as usize, self.end as usize)
    }
}

/// The words of a text, left to right.
///
/// ```
/// use memfold::language::{Folded, tokens};
/// let text = Folded::new("회의를 4시로 옮겼습니다. The meetings were moved.");
/// let stems: Vec<_> = tokens(&text).iter().filter(|t| !t.stop).map(|t| t.stem(&text)).collect();
/// assert_eq!(stems, ["회의", "4", "시", "옮기", "meet", "mov"]);
/// ```
pub fn tokens(folded: &Folded<'_>) -> Vec<Token> {
    let s = Scan(folded.text());
    let mut found = Vec::with_capacity(folded.text().len() / 5);
    let mut at = 0;
    while let Some(c) = s.char(at) {
        let (script, end) = if is_hangul(c) {
            (Script::Korean, s.hangul_end(at))
        } else if c.is_ascii_digit() {
            let mut end = s.digits_end(at);
            while matches!(s.byte(end), b',' | b'.') && s.byte(end + 1).is_ascii_digit() {
                end = s.digits_end(end + 1);
            }
            (Script::Digits, end)
        } else if c.is_alphabetic() {
            let mut end = s.latin_end(at);
            while s.byte(end) == b'\'' && s.char(end + 1).is_some_and(|c| c.is_ascii_alphabetic()) {
                end = s.latin_end(end + 1);
            }
            (Script::Latin, end)
        } else {
            at += c.len_utf8();
            continue;
        };
        let word = s.slice(at, end);
        let (stem, last) = match script {
            Script::Korean => korean_stem(word, s.before(at).is_some_and(|c| c.is_ascii_digit())),
            Script::Latin => english_stem(word),
            Script::Digits => (word.len(), None),
        };
        found.push(Token {
            span: Span { start: folded.source(at), end: folded.source(end) },
            script,
            key: key_of(word.get(..stem).unwrap_or(word), last),
            stop: match script {
                Script::Korean => {
                    let bare = word.get(..stem).unwrap_or(word);
                    KOREAN_STOPS.binary_search(&bare).is_ok() || KOREAN_STOPS.binary_search(&word).is_ok()
                }
                Script::Latin => ENGLISH_STOPS.binary_search(&word).is_ok(),
                Script::Digits => false,
            },
            start: at as u32,
            end: end as u32,
            stem: (at + stem) as u32,
            last,
        });
        at = end;
    }
    found
}

/// The key of a word given by itself, in folded form.
pub fn key(word: &str) -> u64 {
    let (stem, last) = match word.chars().next() {
        Some(c) if is_hangul(c) => korean_stem(word, false),
        Some(c) if c.is_alphabetic() => english_stem(word),
        _ => (word.len(), None),
    };
    key_of(word.get(..stem).unwrap_or(word), last)
}

/// FNV-1a over the characters, group marks of numbers left out.
fn key_of(stem: &str, last: Option<char>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |c: char| {
        hash ^= u64::from(u32::from(c));
        hash = hash.wrapping_mul(0x0100_0000_01b3);
    };
    let mut chars = stem.chars();
    if last.is_some() {
        chars.next_back();
    }
    chars.filter(|c| *c != ',').for_each(&mut add);
    if let Some(c) = last {
        add(c);
    }
    hash
}

/// Words that end a noun phrase: what follows a number and begins with one of these is not what it counts.
pub(in crate::language) static ENGLISH_STOPS: Words = words!("english/stops");

/// Words that say nothing by themselves; sorted.
static KOREAN_STOPS: Words = words!("korean/stops");

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(word: &str) -> String {
        let folded = Folded::new(word);
        tokens(&folded).first().map(|t| t.stem(&folded)).unwrap_or_default()
    }

    #[test]
    fn korean_words_of_one_stem_meet() {
        for (stem_of, words) in [
            (
                "예산",
                &[
                    "예산은",
                    "예산을",
                    "예산이",
                    "예산에서",
                    "예산으로",
                    "예산까지",
                    "예산",
                    "예산의",
                    "예산도",
                    "예산만",
                    "예산입니다",
                ] as &[&str],
            ),
            (
                "변경",
                &[
                    "변경했습니다",
                    "변경되었습니다",
                    "변경합니다",
                    "변경하기로",
                    "변경됐다",
                    "변경된",
                    "변경하고",
                    "변경됩니다",
                    "변경하면",
                    "변경해",
                    "변경할",
                    "변경됨",
                    "변경했다",
                    "변경한다",
                ],
            ),
            ("옮기", &["옮겼습니다", "옮깁니다", "옮기기로", "옮겼다", "옮겨", "옮기고", "옮기면"]),
            ("회의", &["회의", "회의를", "회의가", "회의는", "회의에서"]),
            ("결과", &["결과", "결과를", "결과가", "결과는"]),
            ("바뀌", &["바뀝니다", "바뀌었습니다", "바뀌고"]),
            ("미루", &["미뤘습니다", "미룹니다", "미뤄", "미루기로", "미뤘다"]),
        ] {
            for word in words {
                assert_eq!(stem(word), *stem_of, "{word}");
            }
        }
    }

    #[test]
    fn real_words_are_not_cut_short() {
        for word in [
            "마을",
            "가을",
            "서울",
            "보고서",
            "지도",
            "온도",
            "재고",
            "휴가",
            "공지",
            "승인",
            "할인",
            "하나",
            "고양이",
            "나라",
            "창고",
            "효과",
            "통과",
        ] {
            assert_eq!(stem(word), word);
        }
    }

    #[test]
    fn english_words_of_one_stem_meet() {
        for (stem_of, words) in [
            ("move", &["moved", "moves", "moving", "move"] as &[&str]),
            ("cancel", &["cancelled", "canceled", "cancels", "cancelling"]),
            ("company", &["companies", "company's"]),
            ("plan", &["plans", "planned", "planning"]),
            ("box", &["boxes"]),
            ("invoice", &["invoices", "invoiced"]),
        ] {
            for word in words {
                assert_eq!(key(word), key(stem_of), "{word}");
            }
        }
        assert_ne!(key("status"), key("statu"));
        assert_ne!(key("sing"), key("s"));
        assert_eq!(key("1,200"), key("1200"));
    }
}
