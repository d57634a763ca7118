//! Finds the numbers and names of a text and checks that a summary keeps them.
//!
//! Any possible name counts: a false alarm costs a merge, a miss costs a memory.

use crate::language::{
    Bearers, Folded, HONORIFICS, Script, Split, TITLES, Value, fold, given_name, split, tokens, values_in,
};

pub const MOST_TOKENS: usize = 768;

#[derive(Debug, Clone, Copy)]
pub struct SourceText<'a> {
    pub content: &'a str,
    /// Addresses or names of the people involved. Those that occur in the text must be kept.
    pub people: &'a [String],
    /// Names of the entities. Those that occur in the text must be kept.
    pub entities: &'a [String],
}

/// An upper estimate of a text's tokens: one per four ASCII characters or per other character.
pub fn tokens_of(text: &str) -> usize {
    let quarters: usize = text.chars().map(|c| if c.is_ascii() { 1 } else { 4 }).sum();
    quarters.div_ceil(4)
}

/// The first number or name of `told` that `summary` lacks; `None` if it has them all.
pub fn lost(summary: &str, told: &[SourceText<'_>]) -> Option<String> {
    let kept = SummaryFacts::of(summary);
    told.iter().find_map(|t| facts(t).into_iter().find(|fact| !kept.holds(fact)))
}

/// The first number, Latin name or code of `summary` that neither a text of `told` nor one of `days` has.
pub fn invented(summary: &str, told: &[SourceText<'_>], days: &[String]) -> Option<String> {
    let mut said = days.join("\n");
    for t in told {
        for part in [t.content].into_iter().chain(t.people.iter().chain(t.entities).map(String::as_str)) {
            said.push('\n');
            said.push_str(part);
        }
    }
    let kept = SummaryFacts::of(&said);
    // Any Korean word may be a name, so Korean words count as lost facts but not as invented ones.
    let claimed = facts(&SourceText { content: summary, people: &[], entities: &[] });
    claimed.into_iter().find(|fact| fact.is_ascii() && !kept.holds(fact))
}

/// Why a summary cannot replace these texts: it must be shorter and keep their numbers and names, and no others.
pub fn refusal(summary: &str, told: &[SourceText<'_>], days: &[String]) -> Option<&'static str> {
    let most: usize = told.iter().map(|t| t.content.chars().count()).sum();
    match () {
        () if summary.trim().is_empty() => Some("empty"),
        () if summary.chars().count() >= most => Some("longer_than_its_sources"),
        () if tokens_of(summary) > MOST_TOKENS => Some("too_long"),
        () if lost(summary, told).is_some() => Some("lost_a_fact"),
        () if invented(summary, told, days).is_some() => Some("invented_a_fact"),
        () => None,
    }
}

fn facts(told: &SourceText<'_>) -> Vec<String> {
    let folded = Folded::new(told.content);
    let text = folded.text();
    let mut found = numbers(text);
    for value in values_in(&folded, None) {
        let words = fold(value.span.of(told.content));
        // Values with digits count as numbers; a state is neither number nor name.
        if !matches!(value.value, Value::Status { .. }) && !words.bytes().any(|b| b.is_ascii_digit()) {
            found.push(words);
        }
    }
    let mut begins = true;
    for token in tokens(&folded) {
        let word = token.word(&folded);
        let named = match token.script {
            Script::Latin => {
                // "400GB": a unit belongs to its number.
                let unit = text.get(..token.range().0).is_some_and(|t| t.ends_with(|c: char| c.is_ascii_digit()));
                !token.stop && !unit && (folded.is_capital(token.range().0) && !begins || is_code(text, token.range()))
            }
            Script::Korean => may_be_name(&token.stem(&folded), word),
            Script::Digits => false,
        };
        if named {
            found.push(if token.script == Script::Korean { bare_name(&token.stem(&folded)) } else { word.to_owned() });
        }
        begins = text
            .get(token.range().1..)
            .is_some_and(|r| r.trim_start_matches(['"', ')', '\'']).starts_with(['.', '!', '?', ':']));
    }
    for name in told.people.iter().chain(told.entities) {
        let name = fold(name);
        if !name.is_empty() && text.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// The numbers of a folded text, without group separators and leading zeros.
fn numbers(text: &str) -> Vec<String> {
    split(text, &Split::FIGURES).map(|number| plain(&number.replace(',', ""))).collect()
}

fn plain(number: &str) -> String {
    let bare = number.trim_start_matches('0');
    (if bare.starts_with(|c: char| c.is_ascii_digit()) { bare } else { number }).to_owned()
}

/// Whether letters are part of a code such as `SK-70413` or `v2`.
fn is_code(text: &str, (_, end): (usize, usize)) -> bool {
    let rest = text.get(end..).unwrap_or_default();
    rest.strip_prefix(['-', '_', '#', '/']).unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a Korean word may be a person's name: a family name and two syllables, or one with a title.
fn may_be_name(stem: &str, word: &str) -> bool {
    let titled = |t: &str| word.contains(t) && word.chars().count() > t.chars().count() + 1;
    given_name(stem, Bearers::Many).is_some() || name_titles().any(titled) && bare_name(stem) != stem
}

fn name_titles() -> impl Iterator<Item = &'static str> {
    HONORIFICS.iter().chain(TITLES.iter()).copied()
}

fn bare_name(stem: &str) -> String {
    let bare = |bare, title| str::strip_suffix(bare, title).filter(|b| b.chars().count() > 1).unwrap_or(bare);
    name_titles().fold(HONORIFICS.first().and_then(|h| stem.strip_suffix(h)).unwrap_or(stem), bare).to_owned()
}

struct SummaryFacts {
    text: String,
    close: String,
    numbers: Vec<String>,
}

impl SummaryFacts {
    fn of(summary: &str) -> Self {
        let text = fold(summary);
        let close = text.split_whitespace().collect();
        Self { numbers: numbers(&text), close, text }
    }

    fn holds(&self, fact: &str) -> bool {
        let number = fact.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b':'));
        if number {
            return self.numbers.iter().any(|n| n == fact);
        }
        if !fact.is_ascii() {
            // Korean spacing varies.
            let fact: String = fact.split_whitespace().collect();
            return self.close.contains(&fact);
        }
        // A Latin name must be a whole word: "planned" has no Ann. A code may continue.
        self.text.match_indices(fact).any(|(at, _)| {
            let (before, after) = (self.text[..at].chars().next_back(), self.text[at + fact.len()..].chars().next());
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(|c| c.is_ascii_alphabetic())
        })
    }
}
