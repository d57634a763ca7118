//! Words without their Korean particles and titles, for entities, keywords and topics.
//!
//! It cuts by lists; a word that only looks inflected (온도, 회의, 휴가) stays whole.

use crate::language::{Lower, Words, words};

/// A word of a text, with its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word<'a> {
    pub start: usize,
    /// As written, punctuation around it left out.
    pub written: &'a str,
    /// Without particles.
    pub stem: &'a str,
}

impl Word<'_> {
    pub fn is_korean(&self) -> bool {
        self.stem.chars().any(is_hangul)
    }

    /// In lower case, for comparing.
    pub fn key(&self) -> String {
        self.stem.lower()
    }

    /// Whether a particle was cut off that marks a topic or a subject.
    pub fn tail(&self) -> &str {
        &self.written[self.stem.len()..]
    }
}

pub(super) fn is_hangul(c: char) -> bool {
    ('가'..='힣').contains(&c)
}

/// The words of a text. Marks inside a word (`DL-2`, `3.8`, `Q&A`) belong to it.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let inside = |c: char| matches!(c, '-' | '.' | '&' | '_' | '\'' | '’' | '/' | '#' | '@' | '+' | '%');
    let mut out = Vec::new();
    let mut start = None;
    let mut previous = ' ';
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let next = text[at..].chars().nth(1).unwrap_or(' ');
        let belongs = c.is_alphanumeric()
            || start.is_some() && c == ',' && next.is_ascii_digit() && previous.is_ascii_digit()
            || start.is_some()
                && inside(c)
                && next.is_alphanumeric()
                && previous.is_alphanumeric()
                && !(c == '/' && is_hangul(next))
            || start.is_none() && c == '#' && next.is_ascii_digit()
            || start.is_some() && matches!(c, '%' | '+') && previous.is_ascii_alphanumeric();
        match (belongs, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let written = &text[from..at];
                out.push(Word { start: from, written, stem: stem(written) });
                start = None;
            }
            _ => {}
        }
        previous = c;
    }
    out
}

/// Particles and the endings of "to be", longest first.
#[rustfmt::skip]
static TAILS: Words = words![
    "이었습니다", "이었는데", "이라고는", "에서부터", "으로부터", "입니다만", "이라는", "이라고", "이라서", "이지만",
    "에서는", "에서도", "에서의", "에게서", "한테서", "으로는", "으로도", "으로만", "까지는", "까지만", "부터는",
    "입니다", "입니까", "이에요", "이예요", "인데요", "이고요", "이라도", "이랑은", "에서", "에게", "에는", "에도",
    "에만", "까지", "부터", "으로", "로는", "로도", "로만", "로서", "로써", "처럼", "보다", "마다", "이고", "이며",
    "이면", "이나", "이란", "이랑", "인데", "이다", "예요", "이요", "이죠", "이야", "한테", "께서", "께는", "하고",
    "라고", "라는", "라서", "라도", "들은", "들이", "들을", "들의", "들께", "만은", "만을", "대로", "밖에", "조차",
    "이니", "인지", "은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도", "만", "께", "야", "랑",
    "엔", "요",
];

/// Nouns that end in what looks like a particle; the last syllables are given.
#[rustfmt::skip]
static WHOLE: Words = words![
    "회의", "강의", "논의", "결의", "동의", "합의", "문의", "건의", "협의", "유의", "정의", "주의", "상의", "토의",
    "편의", "예의", "하의", "호의", "휴가", "평가", "국가", "추가", "인가", "대가", "물가", "단가", "원가", "참가",
    "허가", "증가", "작가", "전문가", "시가", "주가", "정가", "특가", "차이", "맞이", "나이", "높이", "길이", "종이",
    "사이", "아이", "놀이", "먹이", "어린이", "깊이", "넓이", "떡볶이", "온도", "속도", "정도", "제도", "지도",
    "한도", "습도", "각도", "농도", "용도", "의도", "진도", "인도", "태도", "연도", "년도", "강도", "고도", "밀도",
    "빈도", "수도", "보도", "부도", "난이도", "만족도", "완성도", "선호도", "제주도", "경기도", "강원도", "충청도",
    "전라도", "경상도", "신뢰도", "인지도", "경로", "진로", "도로", "통로", "피로", "회로", "활로", "종로", "선로",
    "항로", "을지로", "세종로", "프로", "유로", "제로", "메트로", "킬로", "결과", "성과", "효과", "학과", "내과",
    "외과", "치과", "안과", "교과", "경과", "부과", "초과", "통과", "사과", "소아과", "피부과", "공과", "다과",
    "불만", "가을", "마을", "노을", "수요", "필요", "주요", "중요", "개요", "소요", "강요", "분야", "시야", "심야",
    "평야", "여야", "전야", "데이", "디스플레이", "파이", "타이", "플레이", "아랑", "사랑", "자랑", "신랑", "호랑",
    "명랑", "상하이", "하와이", "두바이", "시작가", "납품가", "공급가", "제품가", "판매가", "할인가", "분양가",
    "매매가",
];

/// The word without particles. Words of other scripts lose the Korean particle glued to them.
pub(super) fn stem(word: &str) -> &str {
    let Some(last) = word.chars().next_back() else { return word };
    if !is_hangul(last) {
        return word;
    }
    // "Skarvik의", "DL-2를": what is Hangul at the end of another script is a particle, or a counter that belongs to it.
    let hangul_at = word.char_indices().rev().take_while(|(_, c)| is_hangul(*c)).last().map_or(word.len(), |(i, _)| i);
    let (foreign, hangul) = word.split_at(hangul_at);
    if !foreign.is_empty() {
        let letter = foreign.chars().next_back().is_some_and(|c| c.is_alphabetic());
        if TAILS.contains(&hangul) && (letter || !matches!(hangul, "요" | "야" | "만" | "의")) {
            return foreign;
        }
    }
    for tail in TAILS.iter() {
        let Some(head) = word.strip_suffix(tail) else { continue };
        let left = head.chars().count();
        let syllables = tail.chars().count();
        if left < 2 || syllables == 1 && WHOLE.iter().any(|w| word.ends_with(w)) {
            continue;
        }
        // 은 and 을 follow a final consonant, 는 and 를 a vowel; the others tell in the same way.
        let consonant =
            head.chars().next_back().is_some_and(|c| is_hangul(c) && !(c as u32 - 0xAC00).is_multiple_of(28));
        let fits = match *tail {
            "은" | "이" | "을" | "과" | "으로" => consonant || !head.ends_with(is_hangul),
            "는" | "가" | "를" | "와" => !consonant,
            _ => true,
        };
        if fits {
            return head;
        }
    }
    word
}

/// Titles after a Korean name or in place of one.
#[rustfmt::skip]
pub(super) static TITLES: Words = words![
    "대표이사", "대표", "부사장", "사장", "전무", "상무", "이사", "본부장", "부장", "차장", "과장", "팀장", "실장",
    "센터장", "소장", "원장", "지점장", "점장", "대리", "주임", "사원", "인턴", "매니저", "책임", "선임", "수석",
    "연구원", "박사", "교수", "변호사", "회계사", "세무사", "노무사", "의사", "간호사", "약사", "선생", "강사",
    "코치", "감독", "기사", "작가", "기자", "디자이너", "개발자", "엔지니어", "담당자", "학생", "어머니", "아버지",
    "부모", "이모", "삼촌", "고모", "할머니", "할아버지", "실무관", "주무관", "사무관", "과장대리", "파트장",
    "그룹장", "총무", "회장", "부회장", "위원장", "위원", "조교",
];

/// A Korean name without its title; `None` where the word is no name.
pub(super) fn korean_name(word: &str) -> Option<&str> {
    let bare = stem(word);
    let bare = bare.strip_suffix("님").unwrap_or(bare);
    let untitled = TITLES.iter().find_map(|t| bare.strip_suffix(t)).unwrap_or(bare);
    is_full_name(untitled).then_some(untitled)
}

/// Three syllables that begin with a family name, or four with one of two syllables.
pub(super) fn is_full_name(word: &str) -> bool {
    const FAMILY: &str = "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진나지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용예경봉사부가복태목형피두감호";
    #[rustfmt::skip]
    const DOUBLE: [&str; 6] = [
        "남궁", "황보", "제갈", "선우", "독고", "사공",
    ];
    let count = word.chars().count();
    word.chars().all(is_hangul)
        && (count == 3 && word.starts_with(|c| FAMILY.contains(c))
            || (3..=4).contains(&count) && DOUBLE.iter().any(|d| word.starts_with(d)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_are_cut_and_nouns_stay() {
        for (word, bare) in [
            ("예산은", "예산"),
            ("예산이", "예산"),
            ("회의를", "회의"),
            ("회의", "회의"),
            ("착수회의는", "착수회의"),
            ("온도가", "온도"),
            ("온도", "온도"),
            ("휴가", "휴가"),
            ("물류센터에서는", "물류센터"),
            ("한결약품의", "한결약품"),
            ("서울로", "서울"),
            ("금요일까지", "금요일"),
            ("DL-2를", "DL-2"),
            ("Skarvik의", "Skarvik"),
            ("FrostEye", "FrostEye"),
            ("결과와", "결과"),
            ("결과", "결과"),
            ("가을", "가을"),
            ("이천", "이천"),
            ("강의", "강의"),
        ] {
            assert_eq!(stem(word), bare, "{word}");
        }
    }

    #[test]
    fn words_keep_their_marks() {
        let found: Vec<&str> =
            words("DL-2(3.8%), Q&A/#12 'a-b'. 오송·부산 의약품").into_iter().map(|w| w.written).collect();
        assert_eq!(found, ["DL-2", "3.8%", "Q&A", "#12", "a-b", "오송", "부산", "의약품"]);
    }

    #[test]
    fn names_are_told_from_titles() {
        assert_eq!(korean_name("곽도경과장님"), Some("곽도경"));
        assert_eq!(korean_name("최이람은"), Some("최이람"));
        assert_eq!(korean_name("팀장님"), None);
        assert_eq!(korean_name("남궁민수"), Some("남궁민수"));
    }
}
