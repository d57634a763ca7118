//! Korean particles: splits them off a word and tells the word's role.

use super::{
    hangul::{has_final, is_hangul, jamo},
    list::{Words, words},
    table::{Table, table},
};

/// The role that a Korean particle gives to its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    None,
    /// 은, 는: topic.
    Topic,
    /// 이, 가, 께서: subject.
    Subject,
    /// 을, 를: object.
    Object,
    /// 의: possessive.
    Of,
    /// 도: also.
    Also,
    /// Place, time, means or company.
    Other,
    /// 입니다, 이고: "to be".
    Copula,
    /// 씩, 경, 짜리: only after an amount or a date.
    Value,
}

static PARTICLES: Table<Part> = table!("korean/particles");

/// Nouns, or their last syllables, that end in a syllable that looks like a particle.
static WHOLE: &Words = words!("korean/whole_nouns");

const LONGEST: usize = 5;

/// All ways to split a particle off, longest particle first: the rest and its role.
pub fn particles(word: &str) -> impl Iterator<Item = (&str, Part)> {
    let mut cuts = [0; LONGEST];
    let mut count = 0;
    for (at, _) in word.char_indices().rev().take_while(|(_, c)| is_hangul(*c)).take(LONGEST) {
        cuts[count] = at;
        count += 1;
    }
    (0..count).rev().filter_map(move |n| {
        let (rest, particle) = word.split_at(cuts[n]);
        let part = *PARTICLES.meaning(particle)?;
        (!rest.is_empty() && (n > 0 || fits(rest, particle))).then_some((rest, part))
    })
}

/// Whether a particle fits the letter before it: 은, 이, 을, 과 follow a consonant, 는, 가, 를, 와, 랑 a vowel, 로 a vowel or ㄹ.
fn fits(rest: &str, particle: &str) -> bool {
    static LIQUID: &Words = words!("korean/after.vowel or liquid");
    let Some(last) = rest.chars().next_back().filter(|c| is_hangul(*c)) else { return true };
    if words!("korean/after.consonant").contains(&particle) {
        return has_final(last);
    }
    if words!("korean/after.vowel").contains(&particle) {
        return !has_final(last);
    }
    !LIQUID.contains(&particle) || jamo(last).is_some_and(|(.., last)| matches!(last, 0 | 8))
}

/// A noun without its particle; keeps at least two letters. Nouns that only seem to have one (온도, 회의) stay whole.
pub fn without_particle(word: &str) -> &str {
    let hangul_at = word.char_indices().rev().take_while(|(_, c)| is_hangul(*c)).last().map_or(word.len(), |(i, _)| i);
    // "Skarvik의", "DL-2를": Hangul after another script is a particle, or a counter that stays.
    let (foreign, hangul) = word.split_at(hangul_at);
    if let Some(last) = foreign.chars().next_back()
        && PARTICLES.meaning(hangul).is_some_and(|p| *p != Part::Value)
        && (last.is_alphabetic() || !words!("korean/after.of a figure").contains(&hangul))
    {
        return foreign;
    }
    let is_noun = |(rest, part): &(&str, Part)| {
        let one_syllable = word[rest.len()..].chars().nth(1).is_none();
        *part != Part::Value
            && rest.chars().nth(1).is_some()
            && !(one_syllable && WHOLE.iter().any(|w| word.ends_with(w)))
    };
    particles(word).find(is_noun).map_or(word, |(rest, _)| rest)
}

/// Whether a run of Hangul consists only of particles and endings.
pub(crate) fn is_tail(rest: &str) -> bool {
    tail(rest, 3)
}

fn tail(rest: &str, depth: u8) -> bool {
    if rest.is_empty() {
        return true;
    }
    if depth == 0 {
        return false;
    }
    rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(LONGEST).any(|end| {
        let (head, more) = rest.split_at(end);
        PARTICLES.meaning(head).is_some() && tail(more, depth - 1)
    })
}
