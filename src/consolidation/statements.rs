//! Builds the text of the next version: the latest statement, then valid earlier ones.
//!
//! It writes no sentences. A statement stays as quoted, with outdated parts struck, or is dropped.

use super::merge::ContentMerge;
use crate::analysis::Change;
use crate::language::{
    CueKind, Folded, Found, State, Value, ValueKind, Words, cues, fold, is_hangul, tokens, values, words,
};
use crate::model::{ChangeType, Conflict, Draft, Limits, Memory, Statement, Time, content_of};
use std::ops::Range;

/// The source behind a memory text that a model worded.
#[derive(Debug, Clone, PartialEq)]
pub struct Wording {
    /// The quoted source text.
    pub said: String,
    /// The date of the quote, if it differs from the memory's statement date.
    pub at: Option<Time>,
    /// Parts of the previous text that no longer hold.
    pub gone: Vec<String>,
    /// Whether the memory no longer has a date, even if its text names one.
    pub no_day: bool,
}

/// The most statements of one memory. Its versions keep the older ones.
pub(super) const MAX_STATEMENTS: usize = 8;
/// The number of remaining words that keeps a clause whose value is struck.
const MIN_REMAINING_WORDS: usize = 2;

/// The statements of the next version, newest first, and its text.
pub(super) fn revise(
    old: &Memory,
    draft: &Draft,
    changes: &[Change],
    conflict: Conflict,
    strategy: ContentMerge,
) -> (Vec<Statement>, String) {
    let (before, said) = (standing(old), draft.statement());
    let mut all: Vec<Statement> = match strategy {
        ContentMerge::KeepExisting => return (before, old.content.clone()),
        ContentMerge::Latest => said.into_iter().collect(),
        ContentMerge::Append => said.into_iter().chain(before).collect(),
        ContentMerge::Replace => replaced(before, said, changes, conflict),
    };
    all.truncate(MAX_STATEMENTS);
    // Over the content limit, the oldest statements are dropped.
    while all.len() > 1 && content_of(&all).chars().count() > Limits::CONTENT {
        all.pop();
    }
    let content = content_of(&all);
    (all, content)
}

/// The statements that a version is revised from. A text worded by a model counts as one statement.
fn standing(old: &Memory) -> Vec<Statement> {
    let said = old.said();
    match said.first() {
        Some(first) if old.content != content_of(&said) && !old.content.is_empty() => {
            vec![Statement { text: old.content.clone(), struck: Vec::new(), ..first.clone() }]
        }
        _ => said,
    }
}

pub(super) fn source_statements(draft: &Draft, wording: Option<&Wording>) -> Vec<Statement> {
    let said = draft.statement().map(|s| match wording.filter(|w| !w.said.is_empty()) {
        Some(wording) => Statement { text: wording.said.clone(), at: wording.at.or(s.at), ..s },
        None => s,
    });
    Vec::from_iter(said)
}

/// The quoted statements behind a text that a model worded, newest first, and that text.
pub(super) fn reworded(
    old: &Memory,
    draft: &Draft,
    wording: &Wording,
    changes: &[Change],
    strategy: ContentMerge,
) -> (Vec<Statement>, String) {
    let (before, said) = (old.said(), source_statements(draft, Some(wording)));
    if strategy == ContentMerge::KeepExisting {
        return (before, old.content.clone());
    }
    let values = changes.iter().filter_map(|c| c.change.old_value.as_deref());
    let gone: Vec<&str> = wording.gone.iter().map(String::as_str).chain(values).filter(|g| !g.is_empty()).collect();
    let held = |s: Statement| {
        let strikes: Vec<Range<usize>> = gone.iter().filter_map(|g| crate::analysis::place(&s.text, g)).collect();
        Some(s.strike(&strikes)).filter(has_content)
    };
    let older = before.into_iter().filter(|_| strategy != ContentMerge::Latest);
    let older = older.filter_map(|s| if strategy == ContentMerge::Append { Some(s) } else { held(s) });
    let mut all: Vec<Statement> = said.into_iter().chain(older).collect();
    all.truncate(MAX_STATEMENTS);
    (all, draft.content.clone())
}

fn replaced(before: Vec<Statement>, said: Option<Statement>, changes: &[Change], conflict: Conflict) -> Vec<Statement> {
    let Some(said) = said else { return before };
    let new = StatementText::of(&said.text);
    let is_removal = |c: &&Change| c.change.change_type == ChangeType::Removal && c.change.new_value.is_none();
    let (removed, changes): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(is_removal);
    let removed: Vec<&str> = removed.iter().filter_map(|c| c.change.old_value.as_deref()).collect();
    let gone: Vec<OutdatedValue> = changes.iter().filter_map(|c| OutdatedValue::of(c, &new)).collect();
    let mut met = false;
    let mut kept: Vec<Option<Statement>> = Vec::with_capacity(before.len());
    for old in &before {
        let text = StatementText::of(&old.text);
        if text.is_repeated_by(&new) {
            met = true;
            continue;
        }
        let (mut strikes, mut changed) = (text.find_removed(&removed, old), Vec::new());
        met |= !strikes.is_empty();
        for one in &gone {
            let places = text.find_value(one, one.lead, old);
            met |= !places.is_empty();
            changed.extend(places.into_iter().map(|at| (at, one.is_value)));
        }
        let clauses = clauses(&old.text);
        for clause in &clauses {
            let parts = text.outdated_parts(clause, &changed, &new);
            strikes.extend(parts.into_iter().map(|at| with_conjunction(&old.text, at)));
        }
        let ended = text.settled_clauses(&clauses, &new);
        met |= !ended.is_empty();
        strikes.extend(ended);
        kept.push(Some(old.strike(&strikes)).filter(has_content));
    }
    let adds_only = !changes.is_empty()
        && changes.iter().all(|c| c.change.change_type == ChangeType::Addition)
        && conflict != Conflict::Contradiction;
    if !met && !adds_only && removed.is_empty() {
        strike_most_similar_clause(&mut kept, &new);
    }
    // "From Tuesday to Thursday" also names the previous day.
    let told: Vec<Range<usize>> = gone
        .iter()
        .filter(|one| one.is_value && one.has_new)
        .flat_map(|one| new.find_value(one, None, &said).into_iter().map(|at| new.phrase(at)))
        .collect();
    let first = if told.is_empty() { said.clone() } else { said.strike(&told) };
    // If nothing of the statement would remain, it is kept whole.
    let first = if first.holds().is_empty() { said } else { first };
    std::iter::once(first).chain(kept.into_iter().flatten()).collect()
}

/// Strikes the clause most similar to the new statement, since the outdated value is unknown.
fn strike_most_similar_clause(kept: &mut [Option<Statement>], new: &StatementText<'_>) {
    let mut likest: Option<(f32, usize, Range<usize>)> = None;
    for (at, slot) in kept.iter_mut().enumerate() {
        let Some(statement) = slot.clone() else { continue };
        let text = StatementText::of(&statement.text);
        let struck: Vec<_> = statement.gone().collect();
        // "The gate has changed to 27" refers to "gate 14", not to "seat 22A".
        let named = text.values.iter().filter(|v| text.is_named(v, new)).map(|v| (v.span.start..v.span.end, true));
        let named: Vec<(Range<usize>, bool)> = named.collect();
        if !named.is_empty() {
            let strikes: Vec<_> =
                clauses(&statement.text).iter().flat_map(|clause| text.outdated_parts(clause, &named, new)).collect();
            *slot = Some(statement.strike(&strikes)).filter(has_content);
            return;
        }
        for clause in clauses(&statement.text) {
            let gone = struck.iter().any(|range| range.start <= clause.start && clause.end <= range.end);
            let share = text.share_in(&clause, new);
            if !gone && likest.as_ref().is_none_or(|(most, ..)| share > *most) {
                likest = Some((share, at, clause));
            }
        }
    }
    if let Some((_, at, clause)) = likest
        && let Some(slot) = kept.get_mut(at)
    {
        *slot = slot.as_ref().map(|s| s.strike(&[with_conjunction(&s.text, clause)])).filter(has_content);
    }
}

/// A value or name that a change removes.
struct OutdatedValue {
    words: String,
    value: Option<Value>,
    /// The key of the word that introduces the new value, if a parsed value is replaced.
    lead: Option<u64>,
    /// Whether it is a parsed value, such as a time, rather than a name or a state.
    is_value: bool,
    has_new: bool,
}

impl OutdatedValue {
    fn of(c: &Change, new_text: &StatementText<'_>) -> Option<Self> {
        let words = without_punctuation(c.change.old_value.as_deref()?).trim();
        let new = c.change.new_value.as_deref().map(|v| without_punctuation(v).trim());
        let same = new.is_some_and(|new| fold(new) == fold(words));
        if words.is_empty() || same || c.change.change_type == ChangeType::Addition {
            return None;
        }
        let found = values(words, None);
        let whole = found.into_iter().find(|f| f.span.start == 0 && f.span.end == words.len());
        // "On Saturday" keeps "Saturday 25 October".
        let is_of_day = |was: &Value| {
            matches!(was, Value::Date(_)) && values(new.unwrap_or_default(), None).iter().any(|is| is.value.agrees(was))
        };
        if whole.as_ref().is_some_and(|f| is_of_day(&f.value)) {
            return None;
        }
        let is_value = whole.as_ref().is_some_and(|f| f.value.kind() != ValueKind::Status);
        // A name cannot replace a date, so the outdated value is unknown.
        let answers =
            |new: &str| !is_value || new.contains(|c: char| c.is_ascii_digit()) || !values(new, None).is_empty();
        if !new.is_none_or(answers) {
            return None;
        }
        let lead = c.new_span.filter(|_| is_value).and_then(|(at, _)| new_text.lead(at));
        let (words, value) = (words.to_owned(), whole.map(|f| f.value));
        Some(Self { words, value, lead, is_value, has_new: new.is_some() })
    }
}

fn without_punctuation(value: &str) -> &str {
    value.trim_end_matches(['.', ',', ';', '!', '?'])
}

/// A word: its range, its stem key, and whether it is a stop word.
struct TextWord {
    at: Range<usize>,
    key: u64,
    empty: bool,
}

struct StatementText<'a> {
    text: &'a str,
    words: Vec<TextWord>,
    values: Vec<Found>,
}

impl<'a> StatementText<'a> {
    fn of(text: &'a str) -> Self {
        let words = tokens(&Folded::new(text));
        let word = |t: crate::language::Token| TextWord { at: t.span.start..t.span.end, key: t.key, empty: t.stop };
        Self { text, words: words.into_iter().map(word).collect(), values: values(text, None) }
    }

    fn find_value(&self, gone: &OutdatedValue, lead: Option<u64>, in_statement: &Statement) -> Vec<Range<usize>> {
        let span = |f: &Found| f.span.start..f.span.end;
        let equal = self.values.iter().filter(|f| Some(&f.value) == gone.value.as_ref());
        let mut found: Vec<Range<usize>> = equal.map(span).collect();
        // "Closes at 17:00" does not change an opening time, whichever value was paired with it.
        if let Some(lead) = lead
            && found.iter().all(|at| self.lead(at.start) != Some(lead))
        {
            let kind = gone.value.as_ref().map(Value::kind);
            let alike = self.values.iter().filter(|f| Some(f.value.kind()) == kind);
            let led: Vec<_> = alike.filter(|f| self.lead(f.span.start) == Some(lead)).map(span).collect();
            found = if led.is_empty() || found.is_empty() { found } else { led };
        }
        if found.is_empty() {
            found = self.find_words(&gone.words);
            // "오전 7시" is not named by "오전 7시 30분".
            found.retain(|at| gone.value.is_none() || !self.values.iter().any(|v| v.span.exceeds(at)));
        }
        found.retain(|at| is_held(in_statement, at));
        found
    }

    /// Where the removed words occur, each with its list separator.
    fn find_removed(&self, removed: &[&str], in_statement: &Statement) -> Vec<Range<usize>> {
        let found = removed.iter().flat_map(|words| self.find_words(words));
        let found = found.filter(|at| is_held(in_statement, at));
        found.map(|at| with_list_separator(self.text, at)).collect()
    }

    fn find_words(&self, words: &str) -> Vec<Range<usize>> {
        let (text, sought) = (Folded::new(self.text), Folded::new(words));
        let (whole, sought) = (text.text(), sought.text().trim().to_owned());
        if sought.is_empty() {
            return Vec::new();
        }
        let boundary = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
        let hits = whole.match_indices(&sought).filter(|(at, hit)| {
            let (first, last) = (hit.chars().next(), hit.chars().next_back());
            let open = first.is_none_or(|c| !c.is_alphanumeric())
                || whole[..*at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
            // A Korean word may be followed by its particle.
            let after = whole[at + hit.len()..].chars().next();
            open && (boundary(after) || last.is_some_and(|c| !c.is_ascii_alphanumeric()))
        });
        hits.map(|(at, hit)| text.source(at)..text.source(at + hit.len())).collect()
    }

    /// Whether the new text has all values and words of this one.
    fn is_repeated_by(&self, new: &StatementText<'_>) -> bool {
        let mut own = self.words.iter().filter(|w| !w.empty && !self.is_value(&w.at));
        self.values.iter().all(|v| new.values.iter().any(|n| n.value == v.value))
            && own.all(|w| new.words.iter().any(|n| n.key == w.key))
    }

    fn is_value(&self, at: &Range<usize>) -> bool {
        self.values.iter().any(|v| v.span.meets(at.start, at.end))
    }

    /// The key of the word that introduces a position within its clause.
    fn lead(&self, at: usize) -> Option<u64> {
        let word = self.words.iter().rev().find(|w| w.at.end <= at && !w.empty).filter(|w| !self.is_value(&w.at))?;
        let apart = self.text[word.at.end..at].contains([',', '.', ';', ':', '\n']);
        (!apart).then_some(word.key)
    }

    /// Extends a value by the particle after it and the stop words that introduce it.
    fn phrase(&self, at: Range<usize>) -> Range<usize> {
        let Range { mut start, mut end } = at;
        let rest = &self.text[end..];
        let tail = rest.find(|c: char| !is_hangul(c)).unwrap_or(rest.len());
        end += tail;
        let first = start;
        let leads = self.words.iter().rev().skip_while(|w| w.at.end > first);
        for word in leads {
            let between = &self.text[word.at.end..start];
            let leads = || words!("clauses.leads").iter().any(|l| self.text[word.at.clone()].eq_ignore_ascii_case(l));
            if !(word.empty && leads() && between.trim().is_empty()) {
                break;
            }
            start = word.at.start;
        }
        start..end
    }

    fn outdated_parts(
        &self,
        clause: &Range<usize>,
        changed: &[(Range<usize>, bool)],
        new: &StatementText<'_>,
    ) -> Vec<Range<usize>> {
        let inside = |at: &Range<usize>| clause.start <= at.start && at.end <= clause.end;
        let here: Vec<&(Range<usize>, bool)> = changed.iter().filter(|(at, _)| inside(at)).collect();
        if here.is_empty() {
            return Vec::new();
        }
        let phrases: Vec<Range<usize>> = here.iter().map(|(at, _)| self.phrase(at.clone())).collect();
        let free = |at: &Range<usize>| phrases.iter().all(|p| at.end <= p.start || p.end <= at.start);
        let told = |v: &Found| new.values.iter().any(|n| n.value == v.value);
        let own_value = |v: &&Found| inside(&(v.span.start..v.span.end)) && free(&(v.span.start..v.span.end));
        let holds_value = self.values.iter().filter(own_value).any(|v| !told(v));
        let own = self.words.iter().filter(|w| inside(&w.at) && free(&w.at) && !w.empty && !self.is_value(&w.at));
        let more = own.filter(|w| new.words.iter().all(|n| n.key != w.key)).count();
        let says = holds_value || more >= MIN_REMAINING_WORDS;
        // The words that depend on a name or a state are unknown, so the whole clause goes.
        let by_values = here.iter().all(|(_, is_value)| *is_value);
        if says && (by_values || holds_value) { phrases } else { vec![clause.clone()] }
    }

    /// The clauses with an open state, if the new text settles the matter.
    fn settled_clauses(&self, clauses: &[Range<usize>], new: &StatementText<'_>) -> Vec<Range<usize>> {
        let states = |of: &StatementText<'_>| -> Vec<(usize, State)> {
            let state = |f: &Found| match f.value {
                Value::Status { state, negated: false } => Some((f.span.start, state)),
                _ => None,
            };
            of.values.iter().filter_map(state).collect()
        };
        if !states(new).iter().any(|(_, state)| settles(*state)) {
            return Vec::new();
        }
        let waits = cues(&Folded::new(self.text)).into_iter().filter(|c| c.kind == CueKind::Pending);
        let states = states(self).into_iter().filter(|(_, s)| is_open(*s)).map(|(at, _)| at);
        let open: Vec<usize> = states.chain(waits.map(|c| c.span.start)).collect();
        let value = |c: &Range<usize>| {
            let other = |f: &&Found| f.value.kind() != ValueKind::Status && c.contains(&f.span.start);
            self.values.iter().filter(other).any(|v| new.values.iter().all(|n| n.value != v.value))
        };
        clauses.iter().filter(|c| open.iter().any(|at| c.contains(at)) && !value(c)).cloned().collect()
    }

    /// Whether the new text uses the words of this identifier with another value.
    fn is_named(&self, value: &Found, new: &StatementText<'_>) -> bool {
        let inside = |w: &&TextWord| !w.empty && value.span.covers(w.at.start, w.at.end);
        let figure = |w: &&TextWord| self.text[w.at.clone()].contains(|c: char| c.is_ascii_digit());
        let spoken_of = |w: &TextWord| new.words.iter().any(|n| n.key == w.key);
        let mut own = self.words.iter().filter(inside).filter(|w| !figure(w));
        matches!(value.value, Value::Identifier(_))
            && own.any(spoken_of)
            && new.values.iter().all(|n| !n.value.agrees(&value.value))
    }

    fn share_in(&self, clause: &Range<usize>, other: &StatementText<'_>) -> f32 {
        let inside = |w: &&TextWord| !w.empty && clause.start <= w.at.start && w.at.end <= clause.end;
        let own: Vec<&TextWord> = self.words.iter().filter(inside).collect();
        let met = own.iter().filter(|w| other.words.iter().any(|o| o.key == w.key)).count();
        met as f32 / own.len().max(1) as f32
    }
}

fn is_held(statement: &Statement, at: &Range<usize>) -> bool {
    statement.held().any(|held| held.start <= at.start && at.end <= held.end)
}

/// Whether a clause introduces the next one: "Order 1207:".
fn is_heading(clause: &str) -> bool {
    clause.trim_end().ends_with(':')
}

/// Whether text other than headings remains.
fn has_content(statement: &Statement) -> bool {
    let clauses = clauses(&statement.text);
    let told = |range: &Range<usize>| {
        let words = |at: &Range<usize>| statement.text[at.clone()].contains(char::is_alphanumeric);
        let part = |c: &Range<usize>| range.start.max(c.start)..range.end.min(c.end).max(range.start.max(c.start));
        clauses
            .iter()
            .any(|c| words(&part(c)) && (statement.struck.is_empty() || !is_heading(&statement.text[c.clone()])))
    };
    statement.held().any(|range| told(&range))
}

const fn is_open(state: State) -> bool {
    use State::{Draft, Pending, Proposed, Review, Submitted, Tentative, Underway, Unsigned};
    matches!(state, Draft | Proposed | Submitted | Review | Pending | Tentative | Unsigned | Underway)
}

const fn settles(state: State) -> bool {
    use State::{Accepted, Approved, Cancelled, Closed, Done, Rejected, Signed, Terminated, Withdrawn};
    matches!(state, Approved | Accepted | Rejected | Signed | Cancelled | Done | Closed | Terminated | Withdrawn)
}

/// The clauses of a text, each with the punctuation or conjunction that ends it.
fn clauses(text: &str) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let spaced = text[end..].chars().next().is_none_or(char::is_whitespace);
        let ends = match c {
            '\n' | ';' | '。' | '、' | '，' => true,
            '.' | '!' | '?' | ',' | ':' => spaced,
            '·' | '—' | '–' => spaced && text[..at].ends_with(' '),
            ' ' => separates_clauses(&text[..at], &text[end..]),
            _ => false,
        };
        if ends {
            cuts.push(end);
        }
    }
    cuts.push(text.len());
    let starts = std::iter::once(0).chain(cuts.clone());
    starts.zip(cuts).map(|(start, end)| start..end).filter(|r| !r.is_empty()).collect()
}

/// Extends a list item by the separator before it, or by the one after it if it is the first.
fn with_list_separator(text: &str, at: Range<usize>) -> Range<usize> {
    let particle = text[at.end..].find(|c: char| !is_hangul(c)).unwrap_or(text.len() - at.end);
    let end = at.end + particle;
    let mut start = at.start;
    let mut head = text[..start].trim_end();
    for joint in words!("clauses.list").iter() {
        let Some(before) = head.strip_suffix(joint) else { continue };
        let glued = joint.starts_with(is_hangul) || before.ends_with(char::is_whitespace);
        if glued && !before.trim_end().is_empty() {
            head = before.trim_end();
            start = head.len();
            break;
        }
    }
    if let Some(before) = head.strip_suffix([',', '·', '/', '+', ';']) {
        return before.trim_end().len()..end;
    }
    if start < at.start {
        return start..end;
    }
    let tail = text[end..].trim_start();
    let rest = tail.strip_prefix([',', '·', '/', '+', ';']).map(str::trim_start).unwrap_or(tail);
    let next = words!("clauses.list").iter().find_map(|j| rest.strip_prefix(j).filter(|r| r.starts_with(' ')));
    let rest = next.unwrap_or(rest);
    if rest.len() == tail.len() { at.start..end } else { at.start..text.len() - rest.trim_start().len() }
}

fn with_conjunction(text: &str, at: Range<usize>) -> Range<usize> {
    let before = text[..at.start].trim_end();
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let joins = !word.is_empty() && JOIN.iter().any(|j| j.eq_ignore_ascii_case(word));
    if joins { before.len() - word.len()..at.end } else { at }
}

static JOIN: &Words = words!("clauses.joining");

/// Whether a blank separates two joined clauses: "costs 40 euros and ends in May", "60%이고 담당은".
fn separates_clauses(before: &str, after: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let ending = |e: &&str| word.ends_with(*e) && word.chars().count() > e.chars().count();
    // Between two names or numbers, a conjunction joins only those.
    let joins_clauses = |w: &str| {
        let next = after.split_whitespace().next().unwrap_or_default();
        JOIN.iter().any(|j| j.eq_ignore_ascii_case(w)) && next.starts_with(|c: char| c.is_lowercase() || !c.is_ascii())
    };
    joins_clauses(word) || words!("clauses.endings").iter().any(ending)
}
