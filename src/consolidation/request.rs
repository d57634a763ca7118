//! Parses deletion requests in Korean and English and finds the memories that they name, for the owner to confirm.

use crate::analysis::{Own, Sought};
use crate::language::{
    Cue, CueKind, Folded, Found, Period, Reference, Span, Split, Value, Words, cues, fold, has_hangul, is_hangul,
    split, time_phrase, values, values_in, without_particle, words,
};
use crate::model::{Category, Memory, TimeSpan, Zone};
use crate::{Code, Error, Result};

/// The subject of a deletion request.
#[derive(Debug, Default)]
pub struct Topic {
    words: Vec<String>,
    wanted: Vec<DeletionTerm>,
}

/// A term that a memory must contain.
#[derive(Debug, Clone)]
enum DeletionTerm {
    /// This word, or one with the same meaning in the other language.
    Word(Sought),
    /// A period by its name: Q1, 하반기, March.
    Named(Period),
    /// A time span: yesterday, 지난달, 4 April.
    Within(TimeSpan),
}

/// English deletion verbs; `KOREAN_VERBS` holds stems.
static VERBS: &Words = words!("deletion.verbs");
static KOREAN_VERBS: &Words = words!("deletion.korean verbs");
/// Words without meaning for the subject.
static FILLERS: &Words = words!("deletion.fillers");
/// Polite words that may precede an English deletion verb.
static POLITE: &Words = words!("deletion.polite");
/// Whether a text requests a deletion: "Please delete …", "… 삭제해 주세요".
pub fn asks(text: &str) -> bool {
    let folded = fold(text);
    let english = folded.split(['.', '!', '?', ':', ',', '\n']).any(|sentence| {
        let mut words = sentence.split_whitespace().filter(|w| !POLITE.contains(w));
        words.next().is_some_and(|first| VERBS.contains(&first))
    });
    let words: Vec<&str> = split(&folded, &Split::PLAIN).collect();
    let begs = |w: &str| words!("deletion.begging").stand_in(w);
    let korean = words
        .iter()
        .enumerate()
        .any(|(n, w)| KOREAN_VERBS.begin(w) && (begs(w) || words.get(n + 1).is_some_and(|next| begs(next))));
    english || korean
}

/// Parses the subject of a request made at this time. A text without a deletion verb is all subject.
pub fn topic(request: &str, at: Reference) -> Result<Topic> {
    let folded = Folded::new(request);
    let compact: String = folded.text().split_whitespace().collect();
    let words = words_of(folded.text());
    let verb = words.iter().position(|(_, w)| VERBS.contains(w));
    let negated = verb.is_some_and(|verb| words[..verb].iter().any(|(_, w)| words!("deletion.negations").contains(w)));
    if negated || words!("deletion.korean negations").stand_in(&compact) {
        return Err(Error::new(Code::InvalidInput, "the text does not ask for anything to be deleted"));
    }
    let mut topic = Topic::default();
    let times = values_in(&folded, Some(at));
    let times: Vec<_> = times.iter().filter_map(|found| Some((found.span, time_of(found, request, at)?))).collect();
    for (start, word) in words {
        let start = folded.source(start);
        // A time is one term, however many words it has.
        if let Some((span, time)) = times.iter().find(|(span, _)| span.holds(start)) {
            topic.add(fold(span.of(request)).trim(), || time.clone());
            continue;
        }
        let verb = VERBS.contains(&word) || KOREAN_VERBS.begin(word);
        let filler = FILLERS.contains(&word) || FILLERS.contains(&without_particle(word));
        if !verb && !filler {
            topic.add(word, || DeletionTerm::Word(Sought::new(word, &Own::default())));
        }
    }
    if topic.words.is_empty() {
        return Err(Error::new(Code::InvalidInput, "the request does not name what is to be deleted"));
    }
    Ok(topic)
}
/// The words of a folded text with their positions, without surrounding punctuation.
fn words_of(text: &str) -> Vec<(usize, &str)> {
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    split(text, &Split::LOOSE).map(trimmed).map(|word| (place(word), word)).collect()
}

impl Topic {
    fn add(&mut self, word: &str, wanted: impl FnOnce() -> DeletionTerm) {
        if !self.words.iter().any(|w| w == word) {
            self.words.push(word.to_owned());
            self.wanted.push(wanted());
        }
    }

    /// Its words and times as written in the request.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether it names a time, which a memory may express in other words.
    pub fn names_a_time(&self) -> bool {
        self.wanted.iter().any(|w| !matches!(w, DeletionTerm::Word(_)))
    }

    /// The words, in either language, and times that a memory matches. It must be about a time.
    pub fn matched(&self, memory: &Memory) -> Vec<String> {
        let mut texts = vec![memory.content.as_str(), memory.subject.as_deref().unwrap_or_default()];
        texts.extend(category_names(memory.category));
        texts.extend(memory.entities.iter().chain(&memory.keywords).chain(&memory.people).map(String::as_str));
        let text = texts.join(" ");
        let folded = fold(&text);
        let tokens: Vec<&str> = split(&folded, &Split::PLAIN).collect();
        let compact: String = tokens.concat();
        let has = |(word, wanted): &(&String, &DeletionTerm)| match wanted {
            DeletionTerm::Word(sought) => {
                // Within one language only the word itself matches.
                let other = |(start, end): &(usize, usize)| has_hangul(&text[*start..*end]) != has_hangul(word);
                contains_word(&tokens, &compact, word) || sought.places(&text).iter().any(other)
            }
            DeletionTerm::Named(period) => {
                let text = [memory.subject.as_deref().unwrap_or_default(), &memory.content].join("\n");
                let at = Reference { now: memory.own_time(), zone: Zone::default() };
                subjects(&text, at).iter().any(|told| is_same(period, told))
            }
            DeletionTerm::Within(span) => {
                span.holds(memory.occurred_at) || memory.valid_until.is_some_and(|t| span.holds(t))
            }
        };
        self.words.iter().zip(&self.wanted).filter(has).map(|(word, _)| word.clone()).collect()
    }

    /// Whether these matches identify a memory: all terms if `strict`, else two thirds with all figures and times.
    pub fn means(&self, matched: &[String], strict: bool) -> bool {
        if strict {
            return matched.len() == self.words.len();
        }
        let must = |(word, wanted): &(&String, &DeletionTerm)| {
            !matches!(wanted, DeletionTerm::Word(_)) || word.chars().any(char::is_numeric)
        };
        matched.len() * 3 >= self.words.len() * 2
            && self.words.iter().zip(&self.wanted).filter(must).all(|(word, _)| matched.contains(word))
    }
}

fn category_names(category: Category) -> &'static [&'static str] {
    match category {
        Category::Task => words!("deletion.task"),
        Category::Decision => words!("deletion.decision"),
        Category::Meeting => words!("deletion.meeting"),
        Category::Project => words!("deletion.project"),
        Category::Ads => words!("deletion.ads"),
        Category::Misc => &[],
    }
}

fn contains_word(tokens: &[&str], compact: &str, word: &str) -> bool {
    if !word.is_ascii() {
        // Korean spacing varies, and a particle may follow the word.
        return compact.contains(word) || compact.contains(without_particle(word));
    }
    // A token may be the word in the plural, or the word with a Korean particle: `q1은`.
    let is_korean = |token: &str, word: &str| token.strip_prefix(word).is_some_and(|rest| rest.starts_with(is_hangul));
    split(word, &Split::PLAIN)
        .all(|part| tokens.iter().any(|t| *t == part || plural(t, part) || plural(part, t) || is_korean(t, part)))
}

fn plural(many: &str, one: &str) -> bool {
    one.len() > 2 && many.strip_prefix(one).is_some_and(|rest| matches!(rest, "s" | "es"))
}

fn trimmed(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// The time that a value of a text names, if any.
fn time_of(found: &Found, text: &str, at: Reference) -> Option<DeletionTerm> {
    match &found.value {
        Value::Period(period) if period.shift.is_none() => Some(DeletionTerm::Named(*period)),
        Value::Period(_) | Value::Date(_) => {
            let phrase = time_phrase(found.span.of(text), at)?;
            Some(DeletionTerm::Within(TimeSpan::new((phrase.from, phrase.to), at.zone)))
        }
        _ => None,
    }
}

/// Whether two periods are equal. Without a year it matches any, unless its date implies one.
fn is_same(asked: &Period, told: &Period) -> bool {
    let years = match (asked.year, told.year) {
        (Some(a), Some(b)) => a == b,
        (Some(_), None) => asked.span == told.span,
        (None, _) => true,
    };
    (asked.kind, asked.number, asked.month) == (told.kind, told.number, told.month) && years
}

/// The periods that a text is about. Periods that are only mentioned count if there is no other.
fn subjects(text: &str, at: Reference) -> Vec<Period> {
    let period = |found: Found| match found.value {
        Value::Period(period) => Some((period, found.span)),
        _ => None,
    };
    let periods: Vec<(Period, Span)> = values(text, Some(at)).into_iter().filter_map(period).collect();
    let mentions = |c: &&Cue| matches!(c.kind, CueKind::Cause | CueKind::Mention);
    let cues: Vec<Span> = cues(&Folded::new(text)).iter().filter(mentions).map(|c| c.span).collect();
    let ends_clause = |c: char| matches!(c, ',' | '.' | ';' | '·' | '\n' | '(' | ')');
    let (mut found, mut others, mut last) = (Vec::new(), Vec::new(), 0);
    for (n, (period, span)) in periods.iter().enumerate() {
        let clause = text[..span.start].rsplit(ends_clause).next().map_or(0, |clause| span.start - clause.len());
        let end = text[span.end..].find(ends_clause).map_or(text.len(), |at| span.end + at);
        let next = periods.get(n + 1).map_or(end, |(_, next)| next.start.min(end));
        let (head, tail) = (clause.max(last)..span.start, span.end..next);
        // English cues precede the period, Korean cues follow it.
        let near = |at: usize| text[at..span.start].split_whitespace().count() <= 2;
        let cued = cues.iter().any(|cue| match text[cue.start..cue.end].is_ascii() {
            true => head.start <= cue.start && cue.end <= head.end && near(cue.end),
            false => tail.start <= cue.start && cue.end <= tail.end,
        });
        let compared = words!("deletion.compared").iter().any(|w| match w.is_ascii() {
            true => text[head.clone()].split_whitespace().rev().take(3).any(|h| h.eq_ignore_ascii_case(w)),
            false => text[tail.clone()].contains(w),
        });
        (if cued || compared { &mut others } else { &mut found }).push(*period);
        last = span.end;
    }
    if found.is_empty() { others } else { found }
}
