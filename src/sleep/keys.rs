//! Canonical keys, which compare tags and questions regardless of spelling.

use crate::language::{Folded, Script, Token, tokens, words};

/// The key of a tag or a question: its word stems in order. Korean loses particles and blanks,
/// English plurals and case. Punctuation and stop words are dropped unless nothing else remains.
///
/// ```
/// use memfold::sleep::canonical_key;
/// assert_eq!(canonical_key("주간 보고를"), canonical_key("주간보고"));
/// assert_eq!(canonical_key("Release Notes"), canonical_key("the release note"));
/// assert_ne!(canonical_key("Q1 goals"), canonical_key("Q2 goals"));
/// ```
pub fn canonical_key(text: &str) -> String {
    let text = without_hyphens(text);
    let folded = Folded::new(&text);
    let words = tokens(&folded);
    let all_stop = words.iter().all(|t| t.stop);
    let mut key = String::new();
    let mut before: Option<(Script, usize)> = None;
    for token in words.iter().filter(|t| all_stop || !t.stop) {
        let (start, end) = token.range();
        // Adjacent letters and digits stay together; separate words stay apart.
        let apart = before
            .is_some_and(|(script, at)| at != start && script != Script::Korean && token.script != Script::Korean);
        if apart {
            key.push(' ');
        }
        let word = token.word(&folded);
        // A final 의 is often part of a noun, not the particle.
        let noun = token.script == Script::Korean && words!("small_talk.nouns of a key").end(word);
        key.push_str(&if noun { word.to_owned() } else { token.stem(&folded) });
        before = Some((token.script, end));
    }
    key
}

/// "kick-off" becomes "kickoff": a hyphen between letters joins one word.
fn without_hyphens(text: &str) -> String {
    let letter = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphabetic);
    let bytes = text.as_bytes();
    let joins = |at: usize| at > 0 && letter(bytes.get(at - 1)) && letter(bytes.get(at + 1));
    text.char_indices().filter(|(at, c)| *c != '-' || !joins(*at)).map(|(_, c)| c).collect()
}

/// Whether two questions have the same words in any order. Questions with two names differ, because
/// the order of names may matter.
pub fn same_question(one: &str, other: &str) -> bool {
    let said = |text: &str| -> (Vec<u64>, usize) {
        let folded = Folded::new(text);
        let words: Vec<_> = tokens(&folded).into_iter().filter(|t| !t.stop).collect();
        let named = |t: &Token| t.script == Script::Latin && folded.is_capital(t.range().0) && t.range().0 > 0;
        let names = words.iter().filter(|t| named(t)).count();
        let mut keys: Vec<u64> = words.iter().map(|t| t.key).collect();
        keys.sort_unstable();
        (keys, names)
    };
    let ((one, names), (other, _)) = (said(one), said(other));
    one.len() >= 2 && names < 2 && one == other
}

/// The Dice similarity of two keys of one tag.
const SAME_TAG_SIMILARITY: f32 = 0.9;

/// Whether two keys denote one tag: equal apart from hyphens and blanks, or nearly equal in
/// letters. Different digits make different tags.
pub fn is_one_tag(one: &str, other: &str) -> bool {
    let digits = |key: &str| key.chars().filter(char::is_ascii_digit).collect::<String>();
    let close = |key: &str| key.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    if one == other {
        return true;
    }
    let (a, b) = (close(one), close(other));
    digits(one) == digits(other)
        && (a == b && !a.is_empty() || strsim::sorensen_dice(&a, &b) as f32 >= SAME_TAG_SIMILARITY)
}

/// Whether a text is only greetings, thanks and the like, without names and numbers.
pub fn is_small_talk(text: &str) -> bool {
    let folded = Folded::new(text);
    let words = tokens(&folded);
    let idle = |word: &str| words!("small_talk.english").contains(&word) || words!("small_talk.korean").begin(word);
    words.len() <= 12
        && words.iter().all(|t| match t.script {
            Script::Digits => false,
            Script::Korean | Script::Latin => t.stop || idle(t.word(&folded)) || idle(&t.stem(&folded)),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_ignore_spelling_and_particles() {
        for (a, b) in [
            ("주간 보고", "주간보고를"),
            ("예산은 얼마야?", "예산 얼마야"),
            ("Server Backups", "server backup"),
            ("Project  APOLLO", "project apollo"),
            ("3월 정산", "3월정산"),
            ("킥오프 회의는 언제야?", "킥오프회의 언제야"),
            ("고객 문의를", "고객문의"),
        ] {
            assert_eq!(canonical_key(a), canonical_key(b), "{a} / {b}");
        }
        for (a, b) in [("Q1 goals", "Q2 goals"), ("예산", "예약"), ("SK-1", "SK-11"), ("1 2", "12")] {
            assert_ne!(canonical_key(a), canonical_key(b), "{a} / {b}");
        }
        assert!(!canonical_key("the of").is_empty() && canonical_key("?!").is_empty());
    }

    #[test]
    fn small_talk_is_recognised() {
        for text in
            ["안녕하세요!", "감사합니다 수고하세요", "Hi, thanks!", "Have a nice day", "좋은 하루 되세요", "ㅎㅎ 넵"]
        {
            assert!(is_small_talk(text), "{text}");
        }
        for text in ["안녕하세요, 회의는 3시입니다", "Thanks for the invoice", "감사 보고서", "예산 승인", "Hello Dana"]
        {
            assert!(!is_small_talk(text), "{text}");
        }
    }
}
