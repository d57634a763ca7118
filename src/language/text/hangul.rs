//! Hangul syllables and their jamo (the arithmetic of Unicode, chapter 3.12).

const FIRST: u32 = 0xAC00;
/// Number of vowels, and of final consonants including none.
const VOWELS: u32 = 21;
const FINALS: u32 = 28;

pub const fn is_hangul(c: char) -> bool {
    matches!(c, '가'..='힣')
}

/// Whether a character is a single jamo letter, as in a laugh (ㅎㅎ) or a sigh (ㅠㅠ).
pub const fn is_lone_letter(c: char) -> bool {
    matches!(c, '\u{3131}'..='\u{3163}')
}

pub fn has_hangul(text: &str) -> bool {
    text.chars().any(is_hangul)
}

/// The indices of a syllable's initial, vowel and final consonant (0 for no final); `None` for other characters.
pub const fn jamo(c: char) -> Option<(u32, u32, u32)> {
    if !is_hangul(c) {
        return None;
    }
    let n = c as u32 - FIRST;
    Some((n / (VOWELS * FINALS), n / FINALS % VOWELS, n % FINALS))
}

/// The syllable with these jamo indices; see [`jamo`].
pub const fn syllable(first: u32, vowel: u32, last: u32) -> Option<char> {
    if first >= 19 || vowel >= VOWELS || last >= FINALS {
        return None;
    }
    char::from_u32(FIRST + (first * VOWELS + vowel) * FINALS + last)
}

/// Whether a character is a syllable with a final consonant; 은, 이, 을 and 과 follow only these.
pub fn has_final(c: char) -> bool {
    jamo(c).is_some_and(|(_, _, last)| last != 0)
}
