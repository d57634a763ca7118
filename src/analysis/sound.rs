//! How words sound, so that names meet across scripts: by their consonants, and short Korean ones by all of their letters.
//!
//! It reads one word and never compares two.

use crate::language::{is_hangul, jamo, mix};

/// The first consonants of a sound, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sound {
    letters: [u8; 16],
    count: u8,
}

impl Sound {
    /// The consonants, as ASCII letters.
    pub fn letters(&self) -> &[u8] {
        &self.letters[..usize::from(self.count)]
    }

    /// One more, unless it is that of the letter before. What is heard after the sixteenth tells nothing more.
    fn put(&mut self, letter: u8) {
        let n = usize::from(self.count);
        if letter != 0 && n < self.letters.len() && (n == 0 || self.letters[n - 1] != letter) {
            self.letters[n] = letter;
            self.count += 1;
        }
    }
}

/// How each first and each last consonant of a syllable sounds; NUL for one that is silent.
const ONSETS: &[u8; 19] = b"kknttlmppss\0cccktph";
const CODAS: &[u8; 28] = b"\0kkknnntllmlllllmppttnttktpt";

/// The consonants of a word as they sound, the same for Hangul and Latin spellings as far as it goes.
pub(crate) fn sound(text: &str) -> Sound {
    let mut out = Sound::default();
    let mut chars = text.chars().take(24).peekable();
    while let Some(c) = chars.next() {
        if let Some((first, _, last)) = jamo(c) {
            out.put(ONSETS[first as usize]);
            out.put(CODAS[last as usize]);
            continue;
        }
        let two = chars.peek().copied();
        out.put(match (c, two) {
            ('c' | 's' | 'p' | 't', Some('h')) | ('n', Some('g')) => {
                chars.next();
                if c == 't' { b's' } else { c as u8 }
            }
            ('c', Some('e' | 'i')) => b's',
            ('b' | 'p' | 'f' | 'v', _) => b'p',
            ('d' | 't', _) => b't',
            ('g' | 'k' | 'q' | 'c', _) => b'k',
            ('j' | 'z', _) => b'c',
            ('s' | 'x', _) => b's',
            // r is heard before a vowel only.
            ('r', None | Some('b'..='d' | 'f'..='h' | 'j'..='n' | 'p'..='t' | 'v'..='x' | 'z')) => 0,
            ('l' | 'r', _) => b'l',
            ('m', _) => b'm',
            ('n', _) => b'n',
            ('h', _) => b'h',
            _ => 0,
        });
    }
    out
}

/// The letters of the Revised Romanization: of first consonants, vowels and last consonants.
const FIRST: [&str; 19] =
    ["g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h"];
const VOWELS: [&str; 21] = [
    "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi", "yu", "eu",
    "ui", "i",
];
const LAST: [&str; 28] = [
    "", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t", "ng", "t",
    "t", "k", "t", "p", "t",
];

/// A Korean word in Latin letters, syllable by syllable.
fn romanised(word: &str) -> String {
    let mut out = String::with_capacity(2 * word.len());
    for (first, vowel, last) in word.chars().filter_map(jamo) {
        out.extend([FIRST[first as usize], VOWELS[vowel as usize], LAST[last as usize]]);
    }
    out
}

/// Vowels as names are spelt with them, the longer ones first, and the vowel that each stands for with what glides into it:
/// 어, 우 and 으 are often written alike (Sung, Seong), and so are 애 and 에.
const SPELT: [(&str, &[u8]); 32] = [
    ("yeo", b"yu"),
    ("yae", b"ye"),
    ("wae", b"we"),
    ("you", b"yu"),
    ("yoo", b"yu"),
    ("woo", b"u"),
    ("eo", b"u"),
    ("eu", b"u"),
    ("oo", b"u"),
    ("ou", b"u"),
    ("wo", b"wu"),
    ("wu", b"u"),
    ("yu", b"yu"),
    ("ae", b"e"),
    ("oe", b"we"),
    ("ye", b"ye"),
    ("we", b"we"),
    ("ee", b"i"),
    ("ui", b"i"),
    ("wi", b"wi"),
    ("yi", b"i"),
    ("ya", b"ya"),
    ("wa", b"wa"),
    ("yo", b"yo"),
    ("a", b"a"),
    ("e", b"e"),
    ("i", b"i"),
    ("o", b"o"),
    ("u", b"u"),
    ("y", b"i"),
    ("w", b""),
    ("'", b""),
];

/// A reading that grows.
#[derive(Default)]
struct Spoken {
    key: u64,
    vowels: usize,
    /// The consonants since the last vowel.
    between: [u8; 2],
    count: usize,
}

impl Spoken {
    fn say(&mut self, letter: u8) {
        self.key = mix(self.key, letter.into());
    }

    /// One more consonant; `false` where no Korean word has so many together.
    fn consonant(&mut self, letter: u8) -> bool {
        if self.count > 0 && self.between[self.count - 1] == letter {
            return true;
        }
        let fits = self.count < if self.vowels == 0 { 1 } else { 2 };
        if fits {
            self.between[self.count] = letter;
            self.count += 1;
        }
        fits
    }

    /// Ends a run of consonants; `false` where no syllable ends so. Two that meet sound as one does beside the other,
    /// whichever way they are written (강릉 is Gangneung, 왕십리 is Wangsimni).
    fn flush(&mut self, end: bool) -> bool {
        let (a, b) = (self.between[0], self.between[1]);
        let closes = matches!(a, b'k' | b'n' | b'g' | b't' | b'l' | b'm' | b'p');
        let met: [u8; 2] = match (self.count, a, b) {
            (0, ..) => return true,
            (1, ..) if end && !closes => return false,
            (1, ..) => [a, 0],
            _ if end || !closes => return false,
            (_, b'n', b'l') | (_, b'l', b'n') => [b'l', 0],
            (_, b't', b'n' | b'l') => [b'n', 0],
            (_, b't', b'm') => [b'n', b'm'],
            (_, b'p', b'm') => [b'm', 0],
            (_, b'k', b'm') => [b'g', b'm'],
            (_, b'k' | b'g', b'n' | b'l') => [b'g', b'n'],
            (_, b'p' | b'm', b'n' | b'l') => [b'm', b'n'],
            _ => [a, b],
        };
        for letter in met.into_iter().filter(|l| *l != 0) {
            self.say(letter);
        }
        self.count = 0;
        true
    }
}

/// What a word of two syllables or more is read as, the same for a Korean word and for its usual Latin spellings (오송 and
/// "Osong", 지은 and "Jieun"), and how many syllables it has. `None` for a Latin word that no Korean one is spelt like.
pub(crate) fn reading(word: &str) -> Option<(u64, usize)> {
    let latin = if word.starts_with(is_hangul) { romanised(word) } else { word.to_owned() };
    let bytes = latin.as_bytes();
    let vowel_at = |at: usize| {
        let first = bytes.get(at)?;
        SPELT.iter().find(|(v, _)| v.as_bytes()[0] == *first && bytes[at..].starts_with(v.as_bytes()))
    };
    let mut spoken = Spoken::default();
    let mut at = 0;
    while at < bytes.len() {
        if let Some((spelt, vowel)) = vowel_at(at) {
            at += spelt.len();
            if let Some((vowel, glide)) = vowel.split_last() {
                if !spoken.flush(false) {
                    return None;
                }
                // "er" is 어, as in Peter.
                let er = *spelt == "e" && bytes.get(at) == Some(&b'r') && vowel_at(at + 1).is_none();
                glide.iter().for_each(|g| spoken.say(*g));
                spoken.say(if er { b'u' } else { *vowel });
                spoken.vowels += 1;
            }
            continue;
        }
        let next = bytes.get(at + 1).copied();
        let (letter, length) = match (bytes[at], next) {
            (b'c', Some(b'h')) => (b'c', 2),
            (b's', Some(b'h')) => (b's', 2),
            (b'p', Some(b'h')) => (b'p', 2),
            (b'n', Some(b'g')) => (b'g', 2),
            (b'c', Some(b'e' | b'i')) => (b's', 1),
            (b'b' | b'p' | b'f' | b'v', _) => (b'p', 1),
            (b'd' | b't', _) => (b't', 1),
            (b'g' | b'k' | b'q' | b'c', _) => (b'k', 1),
            (b'j' | b'z', _) => (b'c', 1),
            (b's', _) => (b's', 1),
            (b'm' | b'n', _) => (bytes[at], 1),
            // After a vowel, r and h are heard before another one only; after a consonant h is not.
            (b'r', _) if vowel_at(at + 1).is_none() => (0, 1),
            (b'l' | b'r', _) => (b'l', 1),
            (b'h', _) if spoken.count > 0 || vowel_at(at + 1).is_none() => (0, 1),
            (b'h', _) => (b'h', 1),
            _ => return None,
        };
        at += length;
        if letter != 0 && !spoken.consonant(letter) {
            return None;
        }
    }
    (spoken.flush(true) && spoken.vowels >= 2).then_some((spoken.key, spoken.vowels))
}

#[cfg(test)]
mod tests {
    use super::reading;

    #[test]
    fn a_korean_word_is_read_as_it_is_usually_spelt() {
        for (latin, korean) in [
            ("osong", "오송"),
            ("wangsimni", "왕십리"),
            ("gangneung", "강릉"),
            ("seolleung", "선릉"),
            ("dongnimmun", "독립문"),
            ("pusan", "부산"),
            ("busan", "부산"),
            ("sungmin", "성민"),
            ("seongmin", "성민"),
            ("hyunwoo", "현우"),
            ("haeundae", "해운대"),
            ("soyoung", "소영"),
        ] {
            assert!(reading(latin).is_some(), "{latin}");
            assert_eq!(reading(latin), reading(korean), "{latin} {korean}");
        }
        for (latin, korean) in [("hayun", "하원"), ("wonju", "안주"), ("jiho", "지오"), ("osong", "오산")] {
            assert_ne!(reading(latin), reading(korean), "{latin} {korean}");
        }
    }

    #[test]
    fn what_no_korean_word_is_spelt_like_has_no_reading() {
        for word in ["street", "tobias", "andrew", "oscar", "linx", "kim", "son", "q", "", "é"] {
            assert_eq!(reading(word), None, "{word}");
        }
    }
}
