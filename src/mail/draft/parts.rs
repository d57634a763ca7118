//! The sentences, items and pairs of a section, each with what is known of it: its values, its cues.
//!
//! It reads one at a time; what belongs together is for `units` to say.

use super::blocks::{Block, BlockForm, is_label};
use super::boilerplate::greets;
use super::cues::cues;
use super::held::HeldValues;
use super::lean::lean;
use super::matters;
use super::nouns::{self, NounWord};
use super::part::{Context, PartKind, StatementPart, Worth};
use super::phrases::Said;
use super::plain::Plain;
use super::sentences::sentences;
use super::topic::alike;
use super::when::{corrected, moments};
use crate::language::{Bearers, Folded, Found, Value, given_name, is_hangul, values_in, words};
use crate::mail::clean;
use std::ops::Range;

/// The most parts of a section, and bytes of a part: what a draft says is far shorter.
const MOST_PARTS: usize = 10_000;
const MOST_BYTES: usize = 8_000;

/// The parts of the blocks, in order.
pub(super) fn parts(text: &str, blocks: &[Block], context: &Context<'_>) -> Vec<StatementPart> {
    let mut out: Vec<StatementPart> = Vec::new();
    for (n, block) in blocks.iter().enumerate() {
        if out.len() >= MOST_PARTS {
            break;
        }
        let list_follows = blocks
            .get(n + 1)
            .is_some_and(|b| matches!(b.form, BlockForm::Item { .. } | BlockForm::Pair { .. } | BlockForm::Heading));
        let mut place = TextPlaces::new(text, block);
        let begins = block.after_gap;
        match &block.form {
            BlockForm::Prose => {
                let mut found = sentences(&block.text);
                found.truncate(MOST_PARTS);
                let last = found.len().saturating_sub(1);
                for (k, range) in found.into_iter().enumerate() {
                    let sentence = block.text[range.clone()].trim();
                    let leads = k == last && list_follows && is_lead(sentence);
                    let kind = if leads { PartKind::Lead } else { PartKind::Sentence };
                    let whole = part(sentence, range.clone(), kind, k == 0, context);
                    let Some(cut) = matters::second(&whole, |half| tells(&whole.text[half], context)) else {
                        out.push(StatementPart { span: place.span(range), ..whole });
                        continue;
                    };
                    let cut = sentence.len() - whole.text.len() + cut;
                    let (one, other) = (sentence[..cut].trim_end(), &sentence[cut..]);
                    let one = one.trim_end_matches([',', ';']);
                    let at = range.start + cut;
                    out.push(part(one, place.span(range.start..range.start + one.len()), kind, k == 0, context));
                    out.push(part(other, place.span(at..range.end), kind, false, context));
                }
            }
            BlockForm::Item { ordered } => {
                let kind = PartKind::Item { ordered: *ordered };
                out.push(part(&block.text, block.span.clone(), kind, begins, context));
            }
            BlockForm::Pair { name, value } => {
                // "일시 4월 10일", as one would say it; English labels need their colon.
                let label = is_label(name);
                let colon = if label && name.contains(is_hangul) { "" } else { ":" };
                let told = format!("{name}{colon} {value}");
                out.push(part(&told, block.span.clone(), PartKind::Pair { label }, begins, context));
            }
            BlockForm::Heading => {
                out.push(part(&block.text, block.span.clone(), PartKind::Heading, true, context));
            }
        }
    }
    out
}

/// Whether a stretch of a sentence says something besides its dates and amounts.
fn tells(text: &str, context: &Context<'_>) -> bool {
    !content_words(text, &values_in(&Folded::new(text), context.at)).is_empty()
}

/// The way from a block's text to the mail's: both have the same characters but for white space and marks.
struct TextPlaces<'a> {
    span: Range<usize>,
    block: &'a str,
    /// How far the block was read, and the solid characters up to there, with those of the list mark that it lacks.
    at: usize,
    solid: usize,
    /// The solid characters of the mail that are still to come, and how many have passed.
    rest: std::str::CharIndices<'a>,
    passed: usize,
}

impl<'a> TextPlaces<'a> {
    pub(super) fn new(mail: &'a str, block: &'a Block) -> Self {
        let own = &mail[block.span.clone()];
        let solid = solid(own).saturating_sub(solid(&block.text));
        Self { span: block.span.clone(), block: &block.text, at: 0, solid, rest: own.char_indices(), passed: 0 }
    }

    /// The bytes of the mail that a range of the block stands for; ranges ascend.
    fn span(&mut self, range: Range<usize>) -> Range<usize> {
        let from = self.solid + solid(&self.block[self.at..range.start]);
        let to = from + solid(&self.block[range.clone()]);
        (self.at, self.solid) = (range.end, to);
        let (mut start, mut end) = (self.span.start, self.span.end);
        while self.passed < to {
            let Some((at, c)) = self.rest.find(|(_, c)| !c.is_whitespace()) else { break };
            if self.passed == from {
                start = self.span.start + at;
            }
            self.passed += 1;
            if self.passed == to {
                end = self.span.start + at + c.len_utf8();
            }
        }
        start..end.max(start)
    }
}

/// Characters that are no white space.
fn solid(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

pub(super) fn part(
    raw: &str,
    span: Range<usize>,
    kind: PartKind,
    begins: bool,
    context: &Context<'_>,
) -> StatementPart {
    let text = if kind.is_pair() { raw } else { opened(raw) };
    let text = clean::cut(text, MOST_BYTES).to_owned();
    let folded = Folded::new(&text);
    let found = corrected(&text, values_in(&folded, context.at), context.at);
    let mut cues = cues(&text, &folded);
    let moments = moments(&text, &found, context.at);
    let strong: Vec<Value> = found.iter().filter(|f| is_strong(f, &text)).map(|f| f.value.clone()).collect();
    let words: Vec<String> = content_words(&text, &found);
    cues.empty |= moments.is_empty() && introduces(&text, &words, context.own);
    let leans = lean(&text, &found);
    let held = HeldValues::new(&text, &found);
    let (worth, will_do) = (Worth::Nothing, false);
    StatementPart { text, span, cues, moments, kind, held, worth, will_do, begins, strong, words, leans }
}

/// "품질팀 석민재입니다.", "This is Kim from Acme."
fn introduces(text: &str, words: &[String], own: &[String]) -> bool {
    let named = words.iter().filter(|w| own.iter().any(|o| alike(w, o))).count();
    Plain::new(text).says(Said::Introduces) && named * 3 >= words.len() * 2 && text.chars().count() <= 70
}

/// The sentence without an address at its beginning ("팀장님, …", "Hi Kim, …") and idle openings.
fn opened(raw: &str) -> &str {
    let mut text = raw.trim();
    if let Some(rest) = words!("mail/parts.greetings").iter().find_map(|g| text.strip_prefix(g)) {
        let rest = rest.trim_start_matches([',', '!', '.', '~', ' ', '?', '^']);
        if rest.chars().count() > 8 {
            text = rest;
        }
    }
    if let Some((head, rest)) = text.split_once([',', '!', '，']) {
        let head = head.trim();
        let words = head.split_whitespace().count();
        let korean = head.chars().count() <= 12
            && words <= 2
            && head.chars().all(|c| is_hangul(c) || c == ' ')
            && words!("mail/parts.called").end(head)
            && !(words!("mail/parts.called by a name").end(head) && given_name(head, Bearers::Any).is_some());
        let english = words <= 4 && greets(&head.to_lowercase(), words!("mail/parts.hails"));
        if (korean || english) && !rest.trim().is_empty() {
            text = rest.trim_start();
        }
    }
    for opening in words!("mail/parts.openings").iter() {
        if let Some(rest) = text.strip_prefix(opening)
            && rest.chars().count() > 8
        {
            return rest.trim_start();
        }
    }
    // "I am sorry about this: Lars has been called …"
    if let Some((head, rest)) = text.split_once(": ")
        && head.chars().count() <= 40
        && Plain::new(head).says(Said::Excuse)
    {
        return rest.trim_start();
    }
    text
}

fn is_lead(sentence: &str) -> bool {
    sentence.ends_with([':', '：']) || Plain::new(sentence).says(Said::Lead)
}

/// Whether a value tells something by itself.
fn is_strong(found: &Found, text: &str) -> bool {
    match &found.value {
        Value::Number(_) | Value::Ordinal { .. } | Value::Status { .. } | Value::Url(_) => false,
        Value::Quantity { number, unit } => {
            unit.is_physical() && number.as_f64() != 1.0
                || number.as_f64() >= 2.0 && found.span.of(text).chars().any(|c| c.is_ascii_digit())
        }
        Value::Period(p) => p.shift.is_some_and(|s| s != 0) || p.number != 0 || p.month.is_some(),
        _ => true,
    }
}

/// The words that carry meaning: no particles, no values, no everyday verbs.
pub(super) fn content_words(text: &str, found: &[Found]) -> Vec<String> {
    let valued = |w: &NounWord<'_>| {
        found.iter().any(|f| f.span.holds(w.start) && !matches!(f.value, Value::Identifier(_) | Value::Status { .. }))
    };
    nouns::words(text)
        .iter()
        .filter(|w| !valued(w) && w.stem.chars().count() >= 2)
        .map(NounWord::key)
        .filter(|k| if k.contains(is_hangul) { !is_function(k) } else { k.len() >= 4 && !is_function(k) })
        .collect()
}

fn is_function(word: &str) -> bool {
    words!("mail/parts.words").contains(&word)
}
