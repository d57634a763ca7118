//! Checks that an answer says only what its memories say: [`is_supported`]. It checks neither whether a
//! memory is true nor whether it answers the question.

use crate::analysis::words::{Kind, Mark, Word, words};
use crate::analysis::{Own, Sought, place};
use crate::decision::Language;
use crate::language::{
    Bearers, CueKind, Folded, Match, Reference, Span, State, Value, cues, fold, given_name, is_hangul, jamo, key,
    values, words,
};

/// Texts that an answer may rest on, with the values found in them.
pub(super) struct SourceTexts<'a> {
    language: Language,
    texts: Vec<(&'a str, Vec<Word>, bool)>,
    values: Vec<(Value, bool)>,
}

impl<'a> SourceTexts<'a> {
    /// No texts yet; `language` is that of the answer.
    pub fn new(language: Language) -> Self {
        Self { language, texts: Vec::new(), values: Vec::new() }
    }

    /// Adds a text; `said` anchors its relative days.
    pub fn add_text(&mut self, text: &'a str, said: Reference) {
        let foreign = Language::of(text) != self.language;
        self.texts.push((text, words(text), foreign));
        for at in [None, Some(said)] {
            for found in values(text, at) {
                self.values.push((found.value, foreign));
            }
        }
    }

    /// Adds a value that is known apart from the texts.
    pub fn add_value(&mut self, value: Value) {
        self.values.push((value, false));
    }

    fn has_value(&self, said: &Value) -> bool {
        self.values.iter().any(|(known, foreign)| is_implied_by(said, known, *foreign))
    }

    /// Whether a text in another language translates `own` or has the same number.
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
        // A particle may follow a word that ends in Hangul.
        let open = own.ends_with(is_hangul);
        let begins = |text: &str, at: usize| !text[..at].ends_with(char::is_alphanumeric);
        let has = |text: &str| {
            place(text, &own).is_some() || open && text.match_indices(&own).any(|(at, _)| begins(text, at))
        };
        self.texts.iter().any(|(text, ..)| has(&fold(text)))
    }

    fn has_word(&self, own: &str, word: &Word) -> bool {
        self.texts.iter().any(|(text, known, foreign)| {
            known.iter().any(|k| is_same_word(word, k) || *foreign && sounds_alike(word, k))
                || *foreign && !Sought::new(own, &Own::default()).places(text).is_empty()
        })
    }
}

/// Whether `answer`, given at `at`, says only what is `stored`. Every figure, date, time and name
/// must occur in `stored` or `asked`, and at least one figure in `stored`.
/// Half of its content words must occur in `stored`, and both must deny the same things.
pub(super) fn is_supported(answer: &str, stored: &SourceTexts<'_>, asked: &SourceTexts<'_>, at: Reference) -> bool {
    let spans = supported_spans(answer, stored, asked, at);
    spans.is_some_and(|spans| words_are_supported(answer, stored, asked, &spans)) && negations_agree(answer, stored)
}

/// The spans of the values in an answer; `None` if a value is unsupported.
fn supported_spans(
    answer: &str,
    stored: &SourceTexts<'_>,
    asked: &SourceTexts<'_>,
    at: Reference,
) -> Option<Vec<Span>> {
    let literal = values(answer, None);
    let mut all = values(answer, Some(at));
    for found in &literal {
        if all.iter().all(|f| f.span != found.span) {
            all.push(found.clone());
        }
    }
    let (mut has_stored_figure, mut spans) = (false, Vec::new());
    let mut figures = 0;
    for found in &all {
        spans.push(found.span);
        // "Planned" is only another way to speak of a future day.
        if matches!(found.value, Value::Status { state: State::Planned, negated: false }) {
            continue;
        }
        figures += 1;
        let unanchored = literal.iter().find(|l| l.span == found.span && !is_relative(&l.value));
        let is_backed = |sources: &SourceTexts<'_>| {
            sources.has_value(&found.value)
                || sources.translates(found.span.of(answer), &found.value)
                || unanchored.is_some_and(|p| sources.has_value(&p.value))
                || !is_relative(&found.value) && sources.has_words(found.span.of(answer))
        };
        // A question cannot vouch for the state of a thing.
        if is_backed(stored) {
            has_stored_figure = true;
        } else if matches!(found.value, Value::Status { .. }) || !is_backed(asked) {
            return None;
        }
    }
    (has_stored_figure || figures == 0).then_some(spans)
}

/// Whether a value is relative to the day on which it was said.
fn is_relative(value: &Value) -> bool {
    match value {
        Value::Date(date) => date.shift.is_some(),
        Value::Period(period) => period.shift.is_some(),
        Value::Range(ends) => is_relative(&ends.0) || is_relative(&ends.1),
        _ => false,
    }
}

/// Whether `said` equals `known` or is less precise. In another language the counter may differ.
fn is_implied_by(said: &Value, known: &Value, foreign: bool) -> bool {
    match (said.compare(known), said, known) {
        (Match::Same, ..) => true,
        (Match::Compatible, Value::Date(_) | Value::Period(_) | Value::Weekdays(_), Value::Date(day)) => {
            day.on.is_some()
        }
        (Match::Compatible, Value::Clock(_), Value::Clock(clock)) => clock.sure,
        (Match::Compatible, Value::Money { per, .. }, Value::Money { .. }) => per.is_none(),
        (Match::Compatible, Value::Quantity { .. }, Value::Quantity { .. } | Value::Number(_))
        | (Match::Compatible, Value::Ordinal { .. }, Value::Ordinal { .. }) => foreign,
        (Match::Compatible, Value::Range(ends), _) => {
            is_implied_by(&ends.0, known, foreign) && is_implied_by(&ends.1, known, foreign)
        }
        (Match::Compatible, _, Value::Range(ends)) => {
            is_implied_by(said, &ends.0, foreign) || is_implied_by(said, &ends.1, foreign)
        }
        (Match::Compatible, Value::Number(_), _) | (Match::Compatible, Value::Identifier(_), Value::Identifier(_)) => {
            true
        }
        _ => false,
    }
}

/// Whether every number, every name and half of the content words are supported.
fn words_are_supported(answer: &str, stored: &SourceTexts<'_>, asked: &SourceTexts<'_>, spans: &[Span]) -> bool {
    let has_foreign = stored.texts.iter().any(|(.., foreign)| *foreign);
    let (mut total, mut found) = (0, 0);
    for word in words(answer) {
        let text = &answer[word.start..word.end];
        // Hangul right after a value is its particle or ending.
        let end = |s: &Span| if word.kind == Kind::Hangul { word.start < s.end } else { word.end <= s.end };
        if !has_content(&word) || spans.iter().any(|s| s.start <= word.start && end(s)) {
            continue;
        }
        if matches!(word.kind, Kind::Number | Kind::Code) {
            if ![stored, asked].iter().any(|g| g.has_words(text) || g.has_number(&word)) {
                return false;
            }
        } else if word.number.is_none() && !is_added(&word) && !is_answer_opener(&word.text) {
            let is_found = stored.has_word(text, &word);
            // A word without a lexicon entry cannot be matched across languages.
            total += usize::from(is_found || !has_foreign || word.is(Mark::Known));
            if is_found {
                found += 1;
            } else if is_name(text, &word) && !(has_foreign && is_common(&word)) && !asked.has_word(text, &word) {
                return false;
            }
        }
    }
    found * 2 >= total
}

/// Whether a word may be a name: capitalised, or Korean and no verb. At the start of a sentence it
/// must be missing from the lexicon.
fn is_name(own: &str, word: &Word) -> bool {
    let begins = match word.kind {
        Kind::Hangul => word.stem.len() == word.text.len(),
        _ => own.starts_with(char::is_uppercase),
    };
    word.is(Mark::Name) || word.is(Mark::Unknown) && begins
}

/// Whether an unknown Korean word may be a translation, and is no full name.
fn is_common(word: &Word) -> bool {
    word.kind == Kind::Hangul && given_name(&word.text, Bearers::Any).is_none()
}

/// Whether a word only opens an answer ("Yes").
fn is_answer_opener(word: &str) -> bool {
    words!("answers.leads").contains(&word)
}

/// Whether each clause of the answer negates as the stored clause does that shares most words.
fn negations_agree(answer: &str, stored: &SourceTexts<'_>) -> bool {
    let known: Vec<(&str, bool)> =
        stored.texts.iter().flat_map(|(text, _, foreign)| clauses(text).map(|c| (c, *foreign))).collect();
    let said = sentences(answer);
    said.iter().flat_map(|sentence| clauses(strip_opener(sentence))).all(|clause| {
        let said = words(clause);
        let denies_it = is_negated(clause, false);
        let says = |words: &[Word]| !words.is_empty() && words.iter().all(|d| said.iter().any(|s| is_same_word(s, d)));
        let affirms = |text: &str, d: &[Word]| {
            !is_negated(text, false) && d.iter().all(|d| words(text).iter().any(|w| is_same_word(w, d)))
        };
        let against = |(text, _): &(&str, bool)| {
            let gone = negated_words(text);
            is_negated(text, true) && says(&gone) && !known.iter().any(|(other, _)| affirms(other, &gone))
        };
        if !denies_it && known.iter().any(against) {
            return false;
        }
        // All clauses with equally many shared words must agree; with none shared, one is enough.
        let (mut most, mut alike) = (0, !denies_it);
        for (text, foreign) in &known {
            let shared =
                words(text).iter().filter(|k| has_content(k) && said.iter().any(|s| is_same_word(s, k))).count();
            if shared >= most {
                // Endings are worded in many ways, and no table matches them across languages.
                let equal = match (denies_it, is_negated(text, *foreign)) {
                    (true, stored) => stored || !is_negated(clause, *foreign),
                    // The part of a clause that is not negated may be repeated.
                    (false, true) => !negated_words(text).iter().any(|d| said.iter().any(|s| is_same_word(s, d))),
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

/// Splits a text at commas, semicolons, dashes and sentence ends.
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

fn strip_opener(sentence: &str) -> &str {
    let sentence = sentence.trim_start();
    let end = sentence.find(|c: char| !c.is_alphanumeric()).unwrap_or(sentence.len());
    let (lead, rest) = sentence.split_at(end);
    if is_answer_opener(&fold(lead)) { rest } else { sentence }
}

fn has_content(w: &Word) -> bool {
    // Negations are compared separately.
    !(w.function || w.text == "cannot" || w.text.ends_with("n't") || w.text.ends_with("n’t"))
        || w.number.is_some()
        || matches!(w.kind, Kind::Number | Kind::Code)
}

/// Whether a word only marks a task or a plan; a model may add it.
fn is_added(w: &Word) -> bool {
    words!("answers.added").iter().any(|a| w.text == *a || w.stem == *a)
}

/// Whether two words are forms of one: the same stem, or one Korean verb with two endings.
fn is_same_word(a: &Word, b: &Word) -> bool {
    if a.hash == b.hash || key(&a.text) == key(&b.text) {
        return true;
    }
    let both = a.text.chars().zip(b.text.chars());
    let shared = both.take_while(|(x, y)| x == y && is_hangul(*x)).count();
    let rest = |w: &Word| w.text.chars().skip(shared).collect::<String>();
    let (a, b) = (rest(a), rest(b));
    shared >= 2 && is_ending(&a) && is_ending(&b) || shared == 1 && is_verbal(&a) && is_verbal(&b)
}

/// Whether a Hangul and a Latin word sound alike: a name or a loanword.
fn sounds_alike(a: &Word, b: &Word) -> bool {
    (a.kind == Kind::Hangul) != (b.kind == Kind::Hangul)
        && [a, b].iter().all(|w| w.weight >= 1.0 && w.number.is_none())
        && sound(&a.text).len() >= 3
        && sound(&a.text) == sound(&b.text)
}

/// Whether the rest after one syllable can only be a verb ending.
fn is_verbal(rest: &str) -> bool {
    words!("answers.endings of verbs").begin(rest)
}

/// Whether the rest of a Korean word is a verb ending.
fn is_ending(rest: &str) -> bool {
    rest.is_empty() || words!("answers.endings").begin(rest)
}

/// The sentences of a text, each with its end mark.
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

/// The negations of a text; `true` for one that says that something has ended.
fn negations(text: &str) -> Vec<(Span, bool)> {
    let cues = cues(&Folded::new(text)).into_iter().filter_map(|c| match c.kind {
        CueKind::Negation => Some((c.span, false)),
        CueKind::NoLonger => Some((c.span, true)),
        _ => None,
    });
    cues.collect()
}

/// Whether a text negates; with `plainly`, words such as "no longer" do not count.
fn is_negated(text: &str, plainly: bool) -> bool {
    negations(text).iter().any(|(_, ended)| !(plainly && *ended))
}

/// The negated words: in English the two after the negation, in Korean those around it.
fn negated_words(text: &str) -> Vec<Word> {
    let words: Vec<Word> = words(text).into_iter().filter(has_content).collect();
    let mut out = Vec::new();
    for (span, ended) in negations(text) {
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

/// The sound of each initial and each final consonant of a syllable; NUL if silent.
const ONSETS: &[u8; 19] = b"kknttlmppss\0cccktph";
const CODAS: &[u8; 28] = b"\0kkknnntllmlllllmppttnttktpt";

/// The consonants of a word as ASCII letters, mostly the same for its Hangul and Latin spellings, so that
/// names match across scripts.
fn sound(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut chars = text.chars().take(24).peekable();
    while let Some(c) = chars.next() {
        if let Some((first, _, last)) = jamo(c) {
            out.push(ONSETS[first as usize]);
            out.push(CODAS[last as usize]);
            continue;
        }
        let two = chars.peek().copied();
        out.push(match (c, two) {
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
    out.retain(|letter| *letter != 0);
    out.dedup();
    out
}
