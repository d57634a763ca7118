//! The keys by which names are found in either script: 오송 by "Osong", 김민지 by "Min-ji Kim", "Linden" by 린덴.
//!
//! A name that is spelt like a Korean one is told by all of its letters, any other by its consonants. It never compares
//! two texts and keeps no word.

use super::lexicon;
use super::sound::{reading, sound};
use super::words::{Kind, Word};
use crate::language::{Bearers, HONORIFICS, fnv, given_name, words};

/// Whose keys are made. What one script is heard as is looked for in the other one, since in its own its letters tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeySide {
    /// Those of a memory.
    Told,
    /// Those of a question.
    Asked,
}

/// What a name that is read the same counts for; what one counts for that has the same consonants, or may be none.
const NAMED: f32 = 1.7;
const HEARD: f32 = 0.4;
const SOUND: u64 = 0x50d0_0000_0000_0001;
const READ: u64 = 0x4ead_0000_0000_0001;
/// Whose a key is: that of a Korean word, of a Latin one with a capital letter, of any other.
const KOREAN: u64 = 0;
const CAPITAL: u64 = 1 << 60;
const SMALL: u64 = 2 << 60;
/// Whose keys are added, and what those of the reading and of the consonants count for.
type Whose = &'static [(u64, f32, f32)];

/// Adds the keys of the `n`th word of a text, with what each counts for in a question, if it may be a name.
pub(super) fn names(text: &str, words: &[Word], n: usize, side: KeySide, keys: &mut Vec<(u64, f32)>) {
    let word = &words[n];
    match word.kind {
        Kind::Hangul if !word.joined => korean(word, side, keys),
        Kind::Latin => latin(text, words, n, side, keys),
        _ => {}
    }
}

/// All of a Korean word, the given name after a surname, and what stands before the kind of place or thing that it is.
fn korean(word: &Word, side: KeySide, keys: &mut Vec<(u64, f32)>) {
    /// Bytes of a syllable.
    const SYLLABLE: usize = 3;
    if word.sense.is_some() && word.head == 0 {
        return;
    }
    let whose: Whose = match side {
        KeySide::Told => &[(KOREAN, NAMED, HEARD)],
        KeySide::Asked => &[(KOREAN, HEARD, 0.0), (CAPITAL, NAMED, HEARD), (SMALL, HEARD, 0.0)],
    };
    // What ends as verbs do, or with a particle, is no name that is short enough to be read.
    let ends = word.stem.len() < word.text.len() || words!("analysis/words.no name").end(&word.text);
    let mut put = |name: &str| named(name, !ends, whose, keys);
    let name = HONORIFICS.iter().find_map(|h| word.text.strip_suffix(h)).unwrap_or(&word.text);
    let (count, syllable) = (name.chars().count(), SYLLABLE);
    if let Some(given) = given_name(name, Bearers::Several) {
        put(given);
    }
    let before = &word.text[..word.text.len() - word.head];
    if word.sense.is_none() {
        put(name);
        if count > 2 && words!("analysis/words.places").end(name) {
            put(&name[..name.len() - syllable]);
        }
    } else if before.len() > syllable && lexicon::look(before).sense.is_none() {
        put(before);
    }
}

/// A Latin word, and the parts of "Min-ji" as one. Without a capital letter it may still be a word that Korean has taken
/// over (로거), unless an e at its end is silent.
fn latin(text: &str, words: &[Word], n: usize, side: KeySide, keys: &mut Vec<(u64, f32)>) {
    let word = &words[n];
    let is_capital = |w: &Word| {
        let mut chars = text[w.start..w.end].chars();
        chars.next().is_some_and(char::is_uppercase) && !chars.next().is_some_and(char::is_uppercase)
    };
    let capital = is_capital(word);
    let whose: Whose = match (side, capital) {
        (KeySide::Told, true) => &[(CAPITAL, NAMED, HEARD)],
        (KeySide::Told, false) => &[(SMALL, NAMED, HEARD)],
        (KeySide::Asked, true) => &[(KOREAN, NAMED, HEARD), (CAPITAL, HEARD, HEARD), (SMALL, 0.0, HEARD)],
        (KeySide::Asked, false) => &[(KOREAN, HEARD, 0.0), (CAPITAL, 0.0, HEARD), (SMALL, 0.0, HEARD)],
    };
    if word.sense.is_none() {
        let one = word.text.strip_suffix('s').filter(|one| !capital && **one == word.stem).unwrap_or(&word.text);
        named(one, capital || !one.ends_with('e'), whose, keys);
    }
    let before = n.checked_sub(1).map(|n| &words[n]).filter(|b| word.joined && b.end + 1 == word.start);
    if let Some(before) = before.filter(|b| b.kind == Kind::Latin && is_capital(b)) {
        named(&format!("{}{}", before.text, word.text), true, whose, keys);
    }
}

/// The key of the consonants of a name, where it has so many that they tell it, and that of all of its letters where it
/// has not or is short.
fn named(name: &str, may_be_korean: bool, whose: Whose, keys: &mut Vec<(u64, f32)>) {
    let sound = sound(name);
    let sound = sound.letters();
    let told = sound.len() >= 3;
    if told {
        // Endings are spelt in many ways; four consonants tell a name.
        let key = fnv(SOUND, sound.iter().take(4).copied());
        keys.extend(whose.iter().filter(|w| w.2 > 0.0).map(|w| (key ^ w.0, w.2)));
    }
    if may_be_korean
        && let Some((read, syllables)) = reading(name)
        && (!told || syllables == 2)
    {
        keys.extend(whose.iter().filter(|w| w.1 > 0.0).map(|w| (READ ^ read ^ w.0, w.1)));
    }
}

/// The names of one person as their addresses have them: those of the owner, who is in all of the owner's memories and
/// seldom named there.
#[derive(Debug, Default)]
pub struct Own {
    names: Vec<String>,
    keys: Vec<u64>,
}

impl Own {
    /// From addresses, by what stands before the @.
    pub fn of(addresses: &[String]) -> Self {
        let mut own = Self::default();
        for address in addresses {
            let local = address.split(['@', '+']).next().unwrap_or_default().to_ascii_lowercase();
            for name in local.split(|c: char| !c.is_ascii_alphabetic()).filter(|n| n.len() > 2) {
                // A surname of one syllable is a common word in Hangul.
                if name.len() > 3 {
                    let mut keys = Vec::new();
                    named(name, true, &[(CAPITAL, NAMED, HEARD)], &mut keys);
                    own.keys.extend(keys.into_iter().map(|k| k.0));
                }
                own.names.push(name.to_owned());
            }
        }
        own
    }

    /// Whether a word of a question, with the keys of the name that it may be, is one of them: in the other script as it is
    /// heard.
    pub(super) fn has(&self, word: &Word, capital: bool, keys: &[(u64, f32)]) -> bool {
        match word.kind {
            Kind::Latin => (capital || word.sense.is_none()) && self.names.contains(&word.text),
            _ => keys.iter().any(|k| self.keys.contains(&k.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Own;
    use crate::analysis::{Sought, meanings};

    /// Whether a question finds a text by a name or a meaning, in whichever script either is.
    fn meet(ask: &str, text: &str) -> bool {
        let told = meanings(text);
        Sought::new(ask, &Own::default()).keys().iter().any(|(key, _)| told.contains(key))
    }

    #[test]
    fn a_name_of_two_syllables_is_found_in_either_script() {
        for (latin, korean) in [
            ("Wonju", "원주에서 만나자"),
            ("the Yeosu trip", "여수로 간다"),
            ("Gangneung", "강릉은 어때"),
            ("Seolleung", "선릉점"),
            ("Gumi", "구미공장에 들렀다"),
            ("Kang Jiho", "강지호가 왔다"),
            ("Ji-ho Kang", "강지호 님"),
            ("Hyunwoo", "백현우와"),
            ("Young-ho", "서영호 씨"),
            ("Soo-ah", "수아는 여섯 살이다"),
            ("Minji's desk", "김민지 책상"),
            ("two routers", "라우터 두 대"),
        ] {
            assert!(meet(latin, korean) && meet(korean, latin), "{latin} {korean}");
        }
    }

    #[test]
    fn a_word_that_is_no_name_is_not_heard_as_one() {
        for (latin, korean) in [
            ("my son", "수원에서"),
            ("in May", "인천"),
            ("Uri", "우리는"),
            ("Nara", "나라에서"),
            ("Ian", "이 안에"),
            ("Mina", "세미나 안내"),
            ("Eve", "옆에 있다"),
            ("mode", "못해"),
            ("segment", "석면"),
            ("Gumi", "구명조끼"),
        ] {
            assert!(!meet(latin, korean) && !meet(korean, latin), "{latin} {korean}");
        }
    }

    #[test]
    fn what_sounds_alike_in_one_script_is_told_by_its_letters() {
        assert!(!meet("천문대", "만두"));
        assert!(meet("Lindquist", "Lindqvist") && meet("Lindqvist", "린드크비스트"));
    }
}
