//! The words of a text, Korean and English, each with a crude stem by which two texts are compared.
//!
//! Stems are cut by rule and list; they are keys, not words to show.

use super::list::{Words, words};
use super::{
    folded::Folded,
    scan::{Scan, is_hangul},
    value::Span,
};

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
                Script::Latin => super::english::STOPS.binary_search(&word).is_ok(),
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

/// The length of an English stem, and its last letter where it changes.
fn english_stem(word: &str) -> (usize, Option<char>) {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix('\'')).unwrap_or(word);
    let plain = word.len();
    if !word.is_ascii() || plain < 4 {
        return (plain, None);
    }
    let bytes = word.as_bytes();
    let vowel = |n: usize| bytes.get(n).is_some_and(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
    let has_vowel = |end: usize| (0..end).any(vowel);
    let mut end = plain;
    if word.ends_with("ies") && plain > 4 {
        // companies, company: the i stands for the y.
        return (plain - 2, Some('y'));
    }
    if word.ends_with("sses") || ["ches", "shes", "xes", "zes"].iter().any(|e| word.ends_with(e)) {
        end -= 2;
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|e| word.ends_with(e)) {
        end -= 1;
    }
    let cut = |end: usize, tail: &str| {
        bytes
            .get(..end)
            .and_then(|b| b.strip_suffix(tail.as_bytes()))
            .map(<[u8]>::len)
            .filter(|&n| n > 2 && has_vowel(n))
    };
    if let Some(n) = cut(end, "ied").filter(|n| *n > 1) {
        return (n + 1, Some('y'));
    }
    if let Some(n) = cut(end, "ing").or_else(|| cut(end, "ed")) {
        end = n;
        // planned → plan, but pass → pass.
        let twin = end > 3 && bytes.get(end - 1) == bytes.get(end - 2) && !vowel(end - 1);
        if twin && !matches!(bytes.get(end - 1), Some(b's' | b'z')) {
            end -= 1;
        }
    }
    if end > 3 && bytes.get(end - 1) == Some(&b'e') && has_vowel(end - 1) {
        end -= 1;
    }
    (end, None)
}

const JONG: u32 = 28;

/// The parts of a syllable: initial, vowel, final.
fn parts(c: char) -> Option<(u32, u32, u32)> {
    is_hangul(c).then(|| {
        let n = c as u32 - 0xac00;
        (n / (21 * JONG), n / JONG % 21, n % JONG)
    })
}

fn syllable(initial: u32, vowel: u32, last: u32) -> Option<char> {
    char::from_u32(0xac00 + (initial * 21 + vowel) * JONG + last)
}

/// The verb syllable before an ending made one with it: 겼 → 기, 됐 → 되; 깁 → 기 before 니다, 긴 → 기 before 다.
fn plain_syllable(c: char, ending: &str) -> Option<char> {
    let (initial, vowel, last) = parts(c)?;
    // The finals ㅆ, ㅂ, ㄴ are 20, 17, 4.
    let undone = match last {
        20 => true,
        17 => ending.starts_with("니"),
        4 => ending.starts_with("다"),
        0 => matches!(ending, "서" | "요" | "도" | "야" | "") && matches!(vowel, 6 | 14),
        _ => false,
    };
    if !undone {
        return None;
    }
    let vowel = match vowel {
        6 => 20,
        14 => 13,
        9 => 8,
        10 => 11,
        1 if initial == 18 => 0,
        other => other,
    };
    syllable(initial, vowel, 0)
}

/// The length of a Korean stem in bytes, and its last syllable where it changes.
fn korean_stem(word: &str, after_digit: bool) -> (usize, Option<char>) {
    let len = word.len();
    let count = len / 3;
    if count < 2 || KEEP.binary_search(&word).is_ok() {
        return (len, None);
    }
    let tail = |n: usize| len.checked_sub(n * 3).and_then(|at| word.get(at..));
    // 결과는 is 결과 and a particle, not 결 and 과는.
    for n in 1..=4.min(count - 1) {
        let (Some(suffix), rest) = (tail(n), len - n * 3) else { continue };
        if rest >= 6
            && KEEP.binary_search(&word.get(..rest).unwrap_or("")).is_ok()
            && ENDINGS.binary_search(&suffix).is_ok()
        {
            return (rest, None);
        }
    }
    for n in (1..=6.min(count - 1)).rev() {
        let (Some(suffix), rest) = (tail(n), len - n * 3) else { continue };
        if ENDINGS.binary_search(&suffix).is_err() {
            continue;
        }
        let before = word.get(..rest).unwrap_or("");
        let plain = before.chars().next_back().and_then(|c| plain_syllable(c, suffix));
        let single = n == 1 && rest == 3;
        if single
            && !after_digit
            && plain.is_none()
            && !matches!(suffix, "은" | "는" | "을" | "를" | "에" | "의" | "이" | "가" | "도")
        {
            continue;
        }
        return (rest, plain);
    }
    // 옮겨, 바꿔, 했 have their ending in the syllable.
    let Some(last) = word.chars().next_back() else { return (len, None) };
    match parts(last) {
        Some((18, 1, 20)) if count > 2 => (len - 3, None),
        Some((initial, 6 | 14, 0)) if !matches!(initial, 2 | 6 | 11) => (len, plain_syllable(last, "")),
        Some((_, _, 20)) => (len, plain_syllable(last, "")),
        _ => (len, None),
    }
}

/// Particles and endings that are cut off, longest first tried; sorted.
static ENDINGS: Words = words![
    "가",
    "가요",
    "거나",
    "겠고",
    "겠네요",
    "겠는데",
    "겠다",
    "겠다고",
    "겠다는",
    "겠다며",
    "겠습니다",
    "겠어",
    "겠어요",
    "겠으나",
    "겠지만",
    "고",
    "고서",
    "고요",
    "과",
    "과는",
    "과의",
    "군요",
    "기로",
    "까요",
    "까지",
    "까지는",
    "까지도",
    "까지만",
    "까지의",
    "께",
    "께서",
    "께서는",
    "네요",
    "는",
    "는다",
    "는다고",
    "는다는",
    "는다며",
    "는다면",
    "는답니다",
    "는데",
    "는데요",
    "는지",
    "니까",
    "니다",
    "다",
    "다가",
    "다고",
    "다고요",
    "다는",
    "다며",
    "다면",
    "답니다",
    "대로",
    "대요",
    "더니",
    "더라",
    "던",
    "던데",
    "도",
    "도록",
    "됐고",
    "됐는데",
    "됐다",
    "됐다고",
    "됐던",
    "됐습니다",
    "됐어",
    "됐어요",
    "됐으나",
    "됐으며",
    "됐음",
    "되게",
    "되겠습니다",
    "되고",
    "되기",
    "되기로",
    "되는",
    "되는데",
    "되다",
    "되던",
    "되도록",
    "되려면",
    "되며",
    "되면",
    "되면서",
    "되므로",
    "되셨습니다",
    "되신",
    "되어",
    "되어서",
    "되었고",
    "되었는데",
    "되었다",
    "되었다고",
    "되었던",
    "되었습니다",
    "되었으나",
    "되었으며",
    "되었음",
    "되지",
    "되지만",
    "된",
    "된다",
    "된다고",
    "된다는",
    "된다면",
    "될",
    "될까요",
    "될지",
    "됨",
    "됩니다",
    "든지",
    "들",
    "들과",
    "들도",
    "들에게",
    "들은",
    "들을",
    "들의",
    "들이",
    "라고",
    "라는",
    "라도",
    "란",
    "려고",
    "려면",
    "로",
    "로는",
    "로도",
    "로만",
    "로부터",
    "로서",
    "로의",
    "를",
    "마다",
    "만",
    "만의",
    "만이",
    "만큼",
    "며",
    "면",
    "면서",
    "므로",
    "밖에",
    "받고",
    "받는다",
    "받습니다",
    "받았고",
    "받았다",
    "받았습니다",
    "받은",
    "받을",
    "보다",
    "부터",
    "부터는",
    "뿐",
    "세요",
    "습니까",
    "습니다",
    "시고",
    "시면",
    "시켰다",
    "시켰습니다",
    "시키고",
    "시키기로",
    "시킨",
    "시킨다",
    "시킵니다",
    "십니다",
    "아도",
    "아서",
    "아야",
    "아요",
    "았고",
    "았는데",
    "았다",
    "았다고",
    "았던",
    "았습니다",
    "았어요",
    "았으며",
    "았음",
    "야",
    "어도",
    "어서",
    "어야",
    "어요",
    "었고",
    "었는데",
    "었다",
    "었다고",
    "었던",
    "었습니다",
    "었어요",
    "었으며",
    "었음",
    "에",
    "에게",
    "에게는",
    "에게서",
    "에는",
    "에다",
    "에도",
    "에만",
    "에서",
    "에서는",
    "에서도",
    "에서만",
    "에서의",
    "에의",
    "였고",
    "였다",
    "였습니다",
    "예요",
    "와",
    "와는",
    "와의",
    "요",
    "으나",
    "으니",
    "으려고",
    "으려면",
    "으로",
    "으로는",
    "으로도",
    "으로만",
    "으로부터",
    "으로서",
    "으며",
    "으면",
    "으면서",
    "으므로",
    "은",
    "은데",
    "을",
    "의",
    "이",
    "이고",
    "이나",
    "이다",
    "이든",
    "이라",
    "이라고",
    "이라는",
    "이라도",
    "이란",
    "이랑",
    "이며",
    "이면",
    "이어서",
    "이었다",
    "이었습니다",
    "이에요",
    "이요",
    "이죠",
    "이지",
    "이지만",
    "인데",
    "인지",
    "입니까",
    "입니다",
    "조차",
    "죠",
    "지만",
    "지요",
    "처럼",
    "하게",
    "하겠다",
    "하겠습니다",
    "하고",
    "하기",
    "하기로",
    "하기로는",
    "하느라",
    "하는",
    "하는데",
    "하다",
    "하다가",
    "하던",
    "하도록",
    "하라고",
    "하라는",
    "하라며",
    "하려",
    "하려고",
    "하려면",
    "하며",
    "하면",
    "하면서",
    "하므로",
    "하세요",
    "하셨습니다",
    "하시고",
    "하시기",
    "하시는",
    "하시면",
    "하신",
    "하실",
    "하십니다",
    "하여",
    "하였고",
    "하였다",
    "하였습니다",
    "하자",
    "하자고",
    "하자는",
    "하지",
    "하지만",
    "한",
    "한다",
    "한다고",
    "한다는",
    "한다면",
    "한테",
    "한테서",
    "할",
    "할게요",
    "할까",
    "할까요",
    "할지",
    "함",
    "합니까",
    "합니다",
    "합시다",
    "해",
    "해도",
    "해서",
    "해야",
    "해요",
    "해주세요",
    "했고",
    "했는데",
    "했다",
    "했다가",
    "했다고",
    "했다는",
    "했던",
    "했습니다",
    "했어",
    "했어요",
    "했으나",
    "했으며",
    "했으면",
    "했음",
];

/// Words that look as if they ended in a particle.
static KEEP: Words = words![
    "가능한",
    "가다",
    "가요",
    "가은",
    "가을",
    "각도",
    "강도",
    "강의",
    "같은",
    "개요",
    "거의",
    "건의",
    "검은",
    "격려",
    "결과",
    "경고",
    "경과",
    "경로",
    "계란",
    "고려",
    "고양이",
    "공해",
    "관할",
    "광고",
    "국가",
    "국고",
    "권고",
    "권한",
    "그는",
    "그대로",
    "기한",
    "길이",
    "깊이",
    "나는",
    "나이",
    "남해",
    "낭만",
    "낮은",
    "내과",
    "년도",
    "노을",
    "논의",
    "놀이",
    "높은",
    "높이",
    "늦은",
    "다은",
    "단가",
    "대면",
    "대한",
    "도로",
    "도면",
    "독려",
    "동요",
    "동의",
    "동해",
    "되다",
    "따로",
    "라다",
    "마다",
    "마을",
    "만나다",
    "많은",
    "먹이",
    "명의",
    "명함",
    "무한",
    "문의",
    "물가",
    "밀도",
    "바다",
    "바로",
    "반면",
    "받다",
    "방해",
    "배려",
    "별로",
    "보고",
    "보고서",
    "보관함",
    "보다",
    "보도",
    "복도",
    "부과",
    "북한",
    "분할",
    "불만",
    "붉은",
    "비대면",
    "비만",
    "사고",
    "사과",
    "사물함",
    "사이",
    "상가",
    "새로",
    "새해",
    "서로",
    "서면",
    "서해",
    "성과",
    "센터에",
    "소다",
    "소요",
    "속도",
    "손해",
    "수면",
    "수요",
    "스스로",
    "습도",
    "시가",
    "시도",
    "시은",
    "신고",
    "신한",
    "심의",
    "아니다",
    "아이",
    "안과",
    "얇은",
    "어린이",
    "없다",
    "역할",
    "연도",
    "염려",
    "예고",
    "예의",
    "오다",
    "오해",
    "온도",
    "올해",
    "외과",
    "요요",
    "용도",
    "우려",
    "우편함",
    "원가",
    "원고",
    "위한",
    "유가",
    "유의",
    "유한",
    "은은",
    "의도",
    "이다",
    "이해",
    "인가",
    "인도",
    "있다",
    "자려",
    "작가",
    "작은",
    "잔고",
    "장려",
    "재고",
    "재해",
    "저는",
    "전면",
    "전혀",
    "젊은",
    "정가",
    "정도",
    "정면",
    "정의",
    "제다",
    "제도",
    "제의",
    "제한",
    "종로",
    "종이",
    "좋은",
    "주가",
    "주다",
    "주요",
    "주의",
    "중요",
    "증가",
    "지난해",
    "지도",
    "지면",
    "지은",
    "진로",
    "차도",
    "차이",
    "참가",
    "참고",
    "창고",
    "초과",
    "최고",
    "최대한",
    "최은",
    "추가",
    "측면",
    "치과",
    "태도",
    "택배함",
    "통과",
    "통로",
    "파도",
    "판다",
    "페이지",
    "평가",
    "포도",
    "포함",
    "피로",
    "피해",
    "필요",
    "하고",
    "하다",
    "학과",
    "한도",
    "한한",
    "합의",
    "허가",
    "협의",
    "홈페이지",
    "화면",
    "회로",
    "회의",
    "효과",
    "휴가",
];

/// Words that say nothing by themselves; sorted.
static KOREAN_STOPS: Words = words![
    "가",
    "각",
    "감사합니다",
    "같은",
    "같이",
    "거",
    "거기",
    "건",
    "것",
    "경우",
    "고맙습니다",
    "과",
    "관련",
    "그",
    "그것",
    "그냥",
    "그래서",
    "그러나",
    "그런데",
    "그리고",
    "까지",
    "꼭",
    "나",
    "나는",
    "내",
    "너무",
    "네",
    "는",
    "님",
    "다",
    "대한",
    "대해",
    "더",
    "데",
    "도",
    "됐다",
    "되었다",
    "되었습니다",
    "된다",
    "됩니다",
    "드려요",
    "드림",
    "드립니다",
    "등",
    "따라서",
    "때",
    "때문",
    "또",
    "또는",
    "라고",
    "라는",
    "로",
    "를",
    "만",
    "매우",
    "모두",
    "무슨",
    "무엇",
    "뭐",
    "뭐야",
    "및",
    "바",
    "바랍니다",
    "바로",
    "부터",
    "뿐",
    "수",
    "씨",
    "아주",
    "안녕하세요",
    "안녕하십니까",
    "알려",
    "알려줘",
    "어떤",
    "어떻게",
    "에서",
    "여기",
    "여러",
    "예",
    "와",
    "우리",
    "위",
    "위한",
    "위해",
    "으로",
    "은",
    "을",
    "의",
    "이",
    "이것",
    "이다",
    "이라고",
    "이라는",
    "이제",
    "입니다",
    "있",
    "있고",
    "있는",
    "있다",
    "있습니다",
    "있어",
    "있어요",
    "있으니",
    "있으면",
    "있을",
    "있음",
    "잘",
    "저",
    "저것",
    "저는",
    "저희",
    "전",
    "점",
    "정도",
    "정말",
    "제",
    "제가",
    "좀",
    "주세요",
    "주십시오",
    "줄",
    "중",
    "줘",
    "쪽",
    "통해",
    "하게",
    "하고",
    "하기",
    "하는",
    "하면",
    "하지만",
    "한",
    "한다",
    "할",
    "함께",
    "합니다",
    "해",
    "해도",
    "해서",
    "했",
    "했다",
    "했습니다",
    "혹시",
    "후",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(word: &str) -> String {
        let folded = Folded::new(word);
        tokens(&folded).first().map(|t| t.stem(&folded)).unwrap_or_default()
    }

    #[test]
    fn lists_are_sorted() {
        for list in [&ENDINGS, &KEEP, &KOREAN_STOPS] {
            assert!(list.is_sorted(), "{:?}", list.windows(2).find(|w| w[0] > w[1]));
        }
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
