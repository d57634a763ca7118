//! How words sound, so that names meet across scripts: by their consonants.
//!
//! It reads one word and never compares two.

use crate::language::jamo;

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
pub(super) fn sound(text: &str) -> Sound {
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
