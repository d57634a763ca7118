//! What the words of a text mean, as keys by which search finds other words for the same.
//!
//! It never compares two texts and keeps no word.

use super::words::{Word, words};

/// A key for each sense of each word that the lexicon knows, and one for the sound of each name, so that 회의 meets
/// "meeting" and 린덴 meets "Linden".
pub fn meanings(text: &str) -> Vec<u64> {
    let mut keys = Vec::new();
    for word in words(text).iter().filter(|w| !w.function) {
        keys_of(word, &mut keys);
    }
    keys
}

fn keys_of(word: &Word, keys: &mut Vec<u64>) {
    if let Some(sense) = word.sense {
        keys.extend(sense.ids().map(|id| SENSE ^ u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    }
    let sound = word.sound.letters();
    if sound.len() >= 3 {
        // Endings are spelt in many ways; four consonants tell a name.
        keys.push(sound.iter().take(4).fold(SOUND, |n, c| (n ^ u64::from(*c)).wrapping_mul(0x0100_0000_01b3)));
    }
}

/// The words of a question that name something.
#[derive(Debug)]
pub struct Sought {
    stems: Vec<u32>,
    keys: Vec<u64>,
}

impl Sought {
    /// Reads a question.
    pub fn new(text: &str) -> Self {
        let (mut stems, mut keys) = (Vec::new(), Vec::new());
        for word in words(text).iter().filter(|w| !w.function) {
            stems.push(word.hash);
            keys_of(word, &mut keys);
        }
        Self { stems, keys }
    }

    /// Where a text has one of the words, or another for the same: places in bytes, left to right.
    pub fn places(&self, text: &str) -> Vec<(usize, usize)> {
        let (mut places, mut own) = (Vec::new(), Vec::new());
        for word in words(text).iter().filter(|w| !w.function) {
            own.clear();
            keys_of(word, &mut own);
            if self.stems.contains(&word.hash) || own.iter().any(|k| self.keys.contains(k)) {
                places.push((word.start, word.end));
            }
        }
        places
    }
}

/// A question without the words that say little by themselves; as it is where there are no others.
pub fn matter(text: &str) -> String {
    let mut matter = String::new();
    for word in words(text).iter().filter(|w| !w.function) {
        if !matter.is_empty() && !word.joined {
            matter.push(' ');
        }
        matter.push_str(text.get(word.start..word.end).unwrap_or_default());
    }
    if matter.is_empty() { text.to_owned() } else { matter }
}

const SENSE: u64 = 0x5e45_0000_0000_0001;
const SOUND: u64 = 0x50d0_0000_0000_0001;

#[cfg(test)]
mod tests {
    use super::{Sought, meanings};

    #[test]
    fn words_for_the_same_meet_across_languages() {
        let shared = |a: &str, b: &str| meanings(a).iter().filter(|k| meanings(b).contains(k)).count();
        for (a, b) in [("the meeting", "회의는"), ("contract", "계약"), ("Linden", "린덴")] {
            assert!(shared(a, b) > 0, "{a} {b}");
        }
        assert_eq!(shared("umbrella", "계약"), 0);
    }

    #[test]
    fn what_is_sought_is_found_by_its_word_or_another_for_it() {
        let text = "The contract with 린덴 was signed on Friday";
        let found =
            |ask: &str| -> Vec<&str> { Sought::new(ask).places(text).iter().map(|(a, b)| &text[*a..*b]).collect() };
        assert_eq!(found("Linden 계약 언제?"), ["contract", "린덴"]);
        assert!(found("where is the umbrella").is_empty());
    }
}
