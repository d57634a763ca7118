//! Detects prompt injections and phishing. This reduces noise and is no security boundary: the types of drafts limit
//! what a mail can do.

use super::steering::{chance, names_program};
use crate::language::{Words, single_spaced, unmasked, words};

/// Least chance of a prompt injection, and of a passage that continues one.
const MIN_CHANCE: f32 = 0.85;
const MIN_CONTINUED: f32 = 0.3;

/// Whether a passage tries to steer an assistant. Single cues are everyday words; their combinations tell.
pub fn is_suspicious(passage: &str) -> bool {
    is_certain(&plain(passage)) || chance(passage) >= MIN_CHANCE
}

/// Whether a passage continues a prompt injection above it.
pub fn goes_on(passage: &str) -> bool {
    is_certain(&plain(passage)) || chance(passage) >= MIN_CONTINUED
}

/// Whether a passage by a known sender tries to steer an assistant: honest mail never says it, or it names a program.
pub fn instructs(passage: &str) -> bool {
    is_certain(&plain(passage)) || chance(passage) >= MIN_CHANCE && names_program(passage)
}

/// Whether a mail is phishing: it asks for a secret, threatens and hurries.
pub fn is_fishing(text: &str) -> bool {
    let text = plain(text);
    let signs: [&Words; 3] = [
        words!("mail/injection.asks for secrets"),
        words!("mail/injection.threatens"),
        words!("mail/injection.hurries"),
    ];
    signs.iter().all(|words| words.stand_in(&text))
}

/// Whether a mail by a known sender is phishing that names a secret.
pub fn asks_for_secret(text: &str) -> bool {
    is_fishing(text) && words!("mail/injection.secrets").stand_in(&unmasked(text).to_lowercase())
}

/// A text in lower case, without look-alike letters, with single blanks.
fn plain(text: &str) -> String {
    single_spaced(&unmasked(text).to_lowercase())
}

/// Whether a text is never found in honest mail, or poses as a program's output: JSON with the keys of a memory.
fn is_certain(text: &str) -> bool {
    const KEYS: &str = "memories memory content importance delete decision action role system instructions facts tool";
    let has = |key: &&str| text.contains(&format!("\"{key}\""));
    words!("mail/injection.alone").stand_in(text) || text.contains('{') && KEYS.split(' ').filter(has).count() >= 2
}
