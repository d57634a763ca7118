//! A consonant key of a word, so that names match across Hangul and Latin script.

use crate::language::jamo;

/// The first consonants of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sound {
    letters: [u8; 16],
    count: u8,
}

impl Sound {
    /// The consonants as ASCII letters.
    pub fn letters(&self) -> &[u8] {
        &self.letters[..usize::from(self.count)]
    }

    /// Appends a consonant, unless it repeats the last one. Only sixteen are kept.
    fn push_letter(&mut self, letter: u8) {
        let n = usize::from(self.count);
        if letter != 0 && n < self.letters.len() && (n == 0 || self.letters[n - 1] != letter) {
            self.letters[n] = letter;
            self.count += 1;
        }
    }
}

/// The sound of each initial and each final consonant of a syllable; NUL if silent.
const ONSETS: &[u8; 19] = b"kknttlmppss\0cccktph";
const CODAS: &[u8; 28] = b"\0kkknnntllmlllllmppttnttktpt";

/// The consonants of a word, mostly the same for its Hangul and Latin spellings.
pub(super) fn sound(text: &str) -> Sound {
    let mut out = Sound::default();
    let mut chars = text.chars().take(24).peekable();
    while let Some(c) = chars.next() {
        if let Some((first, _, last)) = jamo(c) {
            out.push_letter(ONSETS[first as usize]);
            out.push_letter(CODAS[last as usize]);
            continue;
        }
        let two = chars.peek().copied();
        out.push_letter(match (c, two) {
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
            // "r" is only heard before a vowel.
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
