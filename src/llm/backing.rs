//! Whether an answer says only what the memories that it names say: [`backs`].
//!
//! It never asks whether a memory is true, nor whether it answers the question.

use super::sound::sound;
use crate::analysis::words::{Kind, Mark, Word, words};
use crate::analysis::{Own, Sought, place};
use crate::decision::Language;
use crate::language::{
    Bearers, CueKind, Folded, Match, Reference, Span, State, Value, cues, fold, given_name, is_hangul, key, values,
    words,
};

/// What was said: its texts, and the values that are read in them or known of them.
pub(super) struct Ground<'a> {
    language: Language,
    texts: Vec<(&'a str, Vec<Word>, bool)>,
    values: Vec<(Value, bool)>,
}

impl<'a> Ground<'a> {
    /// Nothing yet, for an answer in this language.
    pub fn new(language: Language) -> Self {
        Self { language, texts: Vec::new(), values: Vec::new() }
    }

    /// Adds a text, and from when its days count.
    pub fn say(&mut self, text: &'a str, said: Reference) {
        let foreign = Language::of(text) != self.language;
        self.texts.push((text, words(text), foreign));
        for at in [None, Some(said)] {
            for found in values(text, at) {
                self.values.push((found.value, foreign));
            }
        }
    }

    /// Adds what is known besides the texts.
    pub fn know(&mut self, value: Value) {
        self.values.push((value, false));
    }

    fn has_value(&self, said: &Value) -> bool {
        self.values.iter().any(|(known, foreign)| meets(said, known, *foreign))
    }

    /// Whether a text in another language has a word for what `own` says, or counts so many without a unit.
    fn translates(&self, own: &str, said: &Value) -> bool {
        let number = match said {
            Value::Number(number) => Some(number.as_f64()),
            _ => None,
        };
        let tells = matches!(said, Value::Status { .. }) || number.is_some();
        let mut foreign = self.texts.iter().filter(|(.., foreign)| tells && *foreign);
        foreign.any(|(text, known, _)| match number {
            Some(_) => known.iter().any(|k| k.number == number),
            None => !Sought::new(own, &Own::default()).places(text).is_empty(),
        })
    }

    fn has_number(&self, word: &Word) -> bool {
        self.texts.iter().any(|(_, known, _)| known.iter().any(|k| k.kind == word.kind && k.text == word.text))
    }

    fn has_words(&self, own: &str) -> bool {
        let own = fold(own);
        // A particle may follow what ends in Hangul.
        let open = own.ends_with(is_hangul);
        let begins = |text: &str, at: usize| !text[..at].ends_with(char::is_alphanumeric);
        let has = |text: &str| {
            place(text, &own).is_some() || open && text.match_indices(&own).any(|(at, _)| begins(text, at))
        };
        self.texts.iter().any(|(text, ..)| has(&fold(text)))
    }

    fn has_word(&self, own: &str, word: &Word) -> bool {
        self.texts.iter().any(|(text, known, foreign)| {
            known.iter().any(|k| same(word, k) || *foreign && sounds_alike(word, k))
                || *foreign && !Sought::new(own, &Own::default()).places(text).is_empty()
        })
    }
}

/// Whether `answer`, given at `at`, says only what is `stored`: every figure, date, time and name of it stands there or in
/// what was `asked`, and not all of its figures in that alone; half of the words that tell something stand there; and it
/// denies what is denied there, and no more.
pub(super) fn backs(answer: &str, stored: &Ground<'_>, asked: &Ground<'_>, at: Reference) -> bool {
    let spans = spans(answer, stored, asked, at);
    spans.is_some_and(|spans| has_words(answer, stored, asked, &spans)) && denies_alike(answer, stored)
}

/// Where the values of an answer stand, if each of them may.
fn spans(answer: &str, stored: &Ground<'_>, asked: &Ground<'_>, at: Reference) -> Option<Vec<Span>> {
    let literal = values(answer, None);
    let mut all = values(answer, Some(at));
    for found in &literal {
        if all.iter().all(|f| f.span != found.span) {
            all.push(found.clone());
        }
    }
    let (mut rests, mut spans) = (false, Vec::new());
    let mut figures = 0;
    for found in &all {
        spans.push(found.span);
        // What is planned is how one speaks of a day to come.
        if matches!(found.value, Value::Status { state: State::Planned, negated: false }) {
            continue;
        }
        figures += 1;
        let plain = literal.iter().find(|l| l.span == found.span && !is_relative(&l.value));
        let stands = |ground: &Ground<'_>| {
            ground.has_value(&found.value)
                || ground.translates(found.span.of(answer), &found.value)
                || plain.is_some_and(|p| ground.has_value(&p.value))
                || !is_relative(&found.value) && ground.has_words(found.span.of(answer))
        };
        // What state a thing is in is nothing that a question tells.
        if stands(stored) {
            rests = true;
        } else if matches!(found.value, Value::Status { .. }) || !stands(asked) {
            return None;
        }
    }
    (rests || figures == 0).then_some(spans)
}

/// Whether a value counts from the day on which it is said.
fn is_relative(value: &Value) -> bool {
    match value {
        Value::Date(date) => date.shift.is_some(),
        Value::Period(period) => period.shift.is_some(),
        Value::Range(ends) => is_relative(&ends.0) || is_relative(&ends.1),
        _ => false,
    }
}

/// Whether a value says what a known one says, or less; of other counters in another language it says the same.
fn meets(said: &Value, known: &Value, foreign: bool) -> bool {
    match (said.compare(known), said, known) {
        (Match::Same, ..) => true,
        (Match::Compatible, Value::Date(_) | Value::Period(_) | Value::Weekdays(_), Value::Date(day)) => {
            day.on.is_some()
        }
        (Match::Compatible, Value::Clock(_), Value::Clock(clock)) => clock.sure,
        (Match::Compatible, Value::Money { per, .. }, Value::Money { .. }) => per.is_none(),
        (Match::Compatible, Value::Quantity { .. }, Value::Quantity { .. } | Value::Number(_))
        | (Match::Compatible, Value::Ordinal { .. }, Value::Ordinal { .. }) => foreign,
        (Match::Compatible, Value::Range(ends), _) => meets(&ends.0, known, foreign) && meets(&ends.1, known, foreign),
        (Match::Compatible, _, Value::Range(ends)) => meets(said, &ends.0, foreign) || meets(said, &ends.1, foreign),
        (Match::Compatible, Value::Number(_), _) | (Match::Compatible, Value::Identifier(_), Value::Identifier(_)) => {
            true
        }
        _ => false,
    }
}

/// Every number outside a value, every name, and half of the words that tell something.
fn has_words(answer: &str, stored: &Ground<'_>, asked: &Ground<'_>, spans: &[Span]) -> bool {
    let abroad = stored.texts.iter().any(|(.., foreign)| *foreign);
    let (mut told, mut found) = (0, 0);
    for word in words(answer) {
        let own = &answer[word.start..word.end];
        // What follows a value in Hangul is its particle or ending.
        let end = |s: &Span| if word.kind == Kind::Hangul { word.start < s.end } else { word.end <= s.end };
        if !tells(&word) || spans.iter().any(|s| s.start <= word.start && end(s)) {
            continue;
        }
        if matches!(word.kind, Kind::Number | Kind::Code) {
            if ![stored, asked].iter().any(|g| g.has_words(own) || g.has_number(&word)) {
                return false;
            }
        } else if word.number.is_none() && !is_added(&word) && !is_lead(&word.text) {
            let stands = stored.has_word(own, &word);
            // What no lexicon knows cannot be found in another language.
            told += usize::from(stands || !abroad || word.is(Mark::Known));
            if stands {
                found += 1;
            } else if is_name(own, &word) && !(abroad && is_common(&word)) && !asked.has_word(own, &word) {
                return false;
            }
        }
    }
    found * 2 >= told
}

/// Whether a word may be a name: one with a capital letter, or a Korean one that is no verb; where a sentence begins, one
/// that no lexicon knows.
fn is_name(own: &str, word: &Word) -> bool {
    let begins = match word.kind {
        Kind::Hangul => word.stem.len() == word.text.len(),
        _ => own.starts_with(char::is_uppercase),
    };
    word.is(Mark::Name) || word.is(Mark::Unknown) && begins
}

/// Whether a Korean word that no lexicon knows may be the translation of a foreign one, and is nobody's whole name.
fn is_common(word: &Word) -> bool {
    word.kind == Kind::Hangul && given_name(&word.text, Bearers::Any).is_none()
}

/// Whether it is a word that an answer begins with and that tells nothing.
fn is_lead(word: &str) -> bool {
    words!("answers.leads").contains(&word)
}

/// Whether each clause of the answer denies as the stored one does that has most of its words.
fn denies_alike(answer: &str, stored: &Ground<'_>) -> bool {
    let known: Vec<(&str, bool)> =
        stored.texts.iter().flat_map(|(text, _, foreign)| clauses(text).map(|c| (c, *foreign))).collect();
    let said = sentences(answer);
    said.iter().flat_map(|sentence| clauses(without_lead(sentence))).all(|clause| {
        let said = words(clause);
        let denies_it = denies(clause, false);
        let says = |words: &[Word]| !words.is_empty() && words.iter().all(|d| said.iter().any(|s| same(s, d)));
        let affirms =
            |text: &str, d: &[Word]| !denies(text, false) && d.iter().all(|d| words(text).iter().any(|w| same(w, d)));
        let against = |(text, _): &(&str, bool)| {
            let gone = denied(text);
            denies(text, true) && says(&gone) && !known.iter().any(|(other, _)| affirms(other, &gone))
        };
        if !denies_it && known.iter().any(against) {
            return false;
        }
        // Of clauses that share as much all must agree; where nothing is shared, as in another language, one is enough.
        let (mut most, mut alike) = (0, !denies_it);
        for (text, foreign) in &known {
            let shared = words(text).iter().filter(|k| tells(k) && said.iter().any(|s| same(s, k))).count();
            if shared >= most {
                // What ends is told in many words, and no table has those of two languages.
                let equal = match (denies_it, denies(text, *foreign)) {
                    (true, stored) => stored || !denies(clause, *foreign),
                    // Of a clause that denies something the rest may be said.
                    (false, true) => !denied(text).iter().any(|d| said.iter().any(|s| same(s, d))),
                    (false, false) => true,
                };
                alike = match shared {
                    n if n > most => equal,
                    0 => equal || alike,
                    _ => equal && alike,
                };
                most = shared;
            }
        }
        alike
    })
}

/// The clauses of a text: between its commas, semicolons, dashes and ends of sentences.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let ends = [", ", "; ", ": ", " – ", " — ", " (", ") "];
    sentences(text).into_iter().flat_map(move |sentence| {
        let mut cuts: Vec<usize> = ends.iter().flat_map(|e| sentence.match_indices(e).map(|(at, _)| at + 1)).collect();
        cuts.sort_unstable();
        cuts.push(sentence.len());
        let mut from = 0;
        cuts.into_iter().filter_map(move |to| sentence.get(std::mem::replace(&mut from, to)..to))
    })
}

fn without_lead(sentence: &str) -> &str {
    let sentence = sentence.trim_start();
    let end = sentence.find(|c: char| !c.is_alphanumeric()).unwrap_or(sentence.len());
    let (lead, rest) = sentence.split_at(end);
    if is_lead(&fold(lead)) { rest } else { sentence }
}

/// Whether a word tells something by itself.
fn tells(w: &Word) -> bool {
    // What is denied is looked at by itself.
    !(w.function || w.text == "cannot" || w.text.ends_with("n't") || w.text.ends_with("n’t"))
        || w.number.is_some()
        || matches!(w.kind, Kind::Number | Kind::Code)
}

/// Whether it is a word by which a sentence is made a task or a plan, and which a model may add.
fn is_added(w: &Word) -> bool {
    words!("answers.added").iter().any(|a| w.text == *a || w.stem == *a)
}

/// Whether two words are forms of one: of the same stem, or one Korean verb with two endings.
fn same(a: &Word, b: &Word) -> bool {
    if a.hash == b.hash || key(&a.text) == key(&b.text) {
        return true;
    }
    let both = a.text.chars().zip(b.text.chars());
    let shared = both.take_while(|(x, y)| x == y && is_hangul(*x)).count();
    let rest = |w: &Word| w.text.chars().skip(shared).collect::<String>();
    let (a, b) = (rest(a), rest(b));
    shared >= 2 && is_ending(&a) && is_ending(&b) || shared == 1 && is_verbal(&a) && is_verbal(&b)
}

/// Whether a word in one script sounds as one in the other does: a name or a loanword.
fn sounds_alike(a: &Word, b: &Word) -> bool {
    (a.kind == Kind::Hangul) != (b.kind == Kind::Hangul)
        && [a, b].iter().all(|w| w.weight >= 1.0 && w.number.is_none())
        && sound(&a.text).letters().len() >= 3
        && sound(&a.text) == sound(&b.text)
}

/// Whether what is left behind one syllable can only be the ending of a verb.
fn is_verbal(rest: &str) -> bool {
    words!("answers.endings of verbs").begin(rest)
}

/// Whether what is left of a Korean word are endings of a verb.
fn is_ending(rest: &str) -> bool {
    rest.is_empty() || words!("answers.endings").begin(rest)
}

/// The sentences of a text, with what ends them.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let ends = |(at, c): (usize, char)| {
        let end = at + c.len_utf8();
        let spaced = text[end..].chars().next().is_none_or(char::is_whitespace);
        (c == '\n' || matches!(c, '.' | '!' | '?' | '。') && spaced).then_some(end)
    };
    let cuts: Vec<usize> = text.char_indices().filter_map(ends).chain([text.len()]).collect();
    let starts = std::iter::once(0).chain(cuts.clone());
    starts.zip(cuts).filter_map(|(from, to)| text.get(from..to)).filter(|s| !s.trim().is_empty()).collect()
}

/// Where a text denies, and whether it says there that something has ended.
fn denials(text: &str) -> Vec<(Span, bool)> {
    let cues = cues(&Folded::new(text)).into_iter().filter_map(|c| match c.kind {
        CueKind::Negation => Some((c.span, false)),
        CueKind::NoLonger => Some((c.span, true)),
        _ => None,
    });
    cues.collect()
}

/// Whether a text denies; `plainly` with a word of denial, and not by what it says has ended.
fn denies(text: &str, plainly: bool) -> bool {
    denials(text).iter().any(|(_, ended)| !(plainly && *ended))
}

/// The words of a text that it denies: in English the two that follow the denial, in Korean those around it.
fn denied(text: &str) -> Vec<Word> {
    let words: Vec<Word> = words(text).into_iter().filter(tells).collect();
    let mut out = Vec::new();
    for (span, ended) in denials(text) {
        let after = words.iter().position(|w| w.start >= span.end).unwrap_or(words.len());
        let (from, count) = match (span.of(text).is_ascii(), ended) {
            (true, _) => (after, 2),
            (false, true) => (after.saturating_sub(1), 1),
            (false, false) => (after.saturating_sub(1), 2),
        };
        out.extend(words.iter().skip(from).take(count).cloned());
    }
    out
}
