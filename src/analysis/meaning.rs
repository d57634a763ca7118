//! What the words of a text mean, as keys by which search finds other words for the same.
//!
//! It never compares two texts and keeps no word.

use super::words::words;

/// A key for each sense of each word that the lexicon knows, and one for the sound of each name, so that 회의 meets
/// "meeting" and 프로스트아이 meets "FrostEye".
pub fn meanings(text: &str) -> Vec<u64> {
    let mut keys = Vec::new();
    for word in words(text).iter().filter(|w| !w.function) {
        if let Some(sense) = word.sense {
            keys.extend(sense.ids().map(|id| SENSE ^ u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        }
        let sound = word.sound.letters();
        if sound.len() >= 3 {
            keys.push(sound.iter().fold(SOUND, |n, c| (n ^ u64::from(*c)).wrapping_mul(0x0100_0000_01b3)));
        }
    }
    keys
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
    use super::meanings;

    #[test]
    fn words_for_the_same_meet_across_languages() {
        let shared = |a: &str, b: &str| meanings(a).iter().filter(|k| meanings(b).contains(k)).count();
        for (a, b) in [("the meeting", "회의는"), ("contract", "계약"), ("FrostEye", "프로스트아이")] {
            assert!(shared(a, b) > 0, "{a} {b}");
        }
        assert_eq!(shared("umbrella", "계약"), 0);
    }
}
