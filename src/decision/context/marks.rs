//! Binary features ("marks") of a new memory and each stored memory that it may change.

use crate::analysis::{Analysis, Reading};
use crate::decision::Candidate;
use crate::language::{CueKind, Value, ValueKind, words};
use crate::model::{Draft, Memory, Source, Time};
use std::rc::Rc;

const MARKS: usize = 29;
/// A text with more characters is long.
const LONG: usize = 200;
const DAY_MILLIS: f64 = 86_400_000.0;

/// A stored memory with its marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// Its index among the candidates.
    pub at: usize,
    /// Each mark's name and whether it holds, in the order of their weights.
    pub marks: [(&'static str, bool); MARKS],
    /// Whether both have identifiers or versions, and none in common.
    pub is_another: bool,
}

impl Marked {
    /// The indices of the marks that hold, ascending.
    pub fn there(&self) -> Vec<usize> {
        (0..MARKS).filter(|mark| self.marks[*mark].1).collect()
    }
}

/// What the marks read from a text.
struct ContextText {
    keys: Vec<u64>,
    values: Vec<(ValueKind, Value)>,
    names: Vec<Value>,
    /// Whether it has words of change, and words of repetition.
    otherwise: bool,
    kept: bool,
    /// Whether something moves earlier or later, or becomes more or less.
    moves: bool,
    state: bool,
}

impl ContextText {
    fn of(reading: &Reading) -> Self {
        use CueKind::{Decrease, Earlier, Increase, Later, Reminder, Removal};
        let mut keys: Vec<u64> = reading.content.tokens().iter().filter(|t| !t.stop).map(|t| t.key).collect();
        keys.sort_unstable();
        keys.dedup();
        let all = || reading.values.iter().map(|found| &found.value);
        let is_name = |value: &&Value| matches!(value.kind(), ValueKind::Identifier | ValueKind::Version);
        let text = &reading.folded;
        let says = |is: fn(CueKind) -> bool| reading.content.cues().iter().any(|cue| is(cue.kind));
        Self {
            keys,
            values: all().filter_map(|value| Some((property_kind(value)?, value.clone()))).collect(),
            names: all().filter(is_name).cloned().collect(),
            otherwise: says(|kind| kind == Removal || kind.changes()) || words!("turns.otherwise").stand_whole_in(text),
            kept: says(|kind| kind == Reminder) || words!("turns.kept").stand_whole_in(text),
            moves: says(|kind| matches!(kind, Earlier | Later | Increase | Decrease)),
            state: all().any(|value| value.kind() == ValueKind::Status),
        }
    }

    fn has_key(&self, key: u64) -> bool {
        self.keys.binary_search(&key).is_ok()
    }

    fn has(&self, of: ValueKind) -> bool {
        self.values.iter().any(|(o, _)| *o == of)
    }

    /// The kinds of property for which this text has another value than `other`.
    fn other_kinds(&self, other: &Self) -> Vec<ValueKind> {
        let is_other = |(of, value): &&(ValueKind, Value)| {
            other.has(*of) && !other.values.iter().any(|(o, v)| o == of && v.agrees(value))
        };
        let mut kinds: Vec<ValueKind> = self.values.iter().filter(is_other).map(|(of, _)| *of).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// The kind of a property that has one value at a time.
fn property_kind(value: &Value) -> Option<ValueKind> {
    use ValueKind::{Clock, Date, Duration, Money, Number, Percent, Period, Quantity, Recurrence, Weekdays};
    match value.kind() {
        Date | Weekdays | Recurrence | Period => Some(Date),
        Quantity | Number => Some(Quantity),
        kind @ (Clock | Money | Percent | Duration) => Some(kind),
        _ => None,
    }
}

/// Computes the marks of every analysed memory of other, not later mails. `read` parses a stored memory.
pub fn marked(found: &[(Candidate, Memory)], draft: &Draft, read: &dyn Fn(&Memory) -> Rc<Reading>) -> Vec<Marked> {
    let own_time = draft.own_time();
    let may = |m: &Memory| {
        // A memory that this mail already appended to an older one may be appended to again.
        let one_mail = draft.source_id.is_some() && m.source_id == draft.source_id && m.previous_version_id.is_none();
        !one_mail && own_time.is_none_or(|t| t >= m.own_time())
    };
    let analysed = found.iter().enumerate().filter_map(|(n, (c, m))| Some((n, c.analysis.as_ref()?, m)));
    let known: Vec<(usize, &Analysis, &Memory)> = analysed.filter(|k| may(k.2)).collect();
    let new = ContextText::of(&Reading::of(&draft.into()));
    let texts: Vec<ContextText> = known.iter().map(|(.., m)| ContextText::of(&read(m))).collect();
    let rarity = |key: &u64| {
        let in_texts = texts.iter().filter(|t| t.has_key(*key)).count();
        ((texts.len() + 1) as f32 / (in_texts as f32 + 0.5)).ln()
    };
    let rarities: Vec<(u64, f32)> = new.keys.iter().map(|k| (*k, rarity(k))).collect();
    // The total rarity of the words that a text shares with the new one.
    let share = |t: &ContextText| rarities.iter().filter(|(k, _)| t.has_key(*k)).map(|(_, r)| r).sum::<f32>();
    let shares: Vec<f32> = texts.iter().map(share).collect();
    let most_share = rarities.iter().map(|(_, r)| r).sum::<f32>();
    let of = |n: usize| {
        let ((at, analysis, stored), old, share) = (known[n], &texts[n], shares[n]);
        let thread = stored.thread_id.is_some() && stored.thread_id == draft.thread_id;
        let is_likest = (0..known.len()).all(|o| known[o].1.same_subject() <= analysis.same_subject());
        let [_, update, _, create] = analysis.probabilities;
        let author = draft.author.as_deref().is_some_and(|own| stored.authors().any(|a| a == own));
        let kinds = new.other_kinds(old);
        let (is_other, is_other_hour) = (!kinds.is_empty(), kinds.contains(&ValueKind::Clock));
        let shares_most = share > 0.0 && (0..known.len()).all(|o| shares[o] <= share);
        let is_own_word = |key: &u64| (0..texts.len()).all(|o| (o == n) == texts[o].has_key(*key));
        let days = |said: Time| (said.millis() - stored.own_time().millis()) as f64 / DAY_MILLIS;
        let marks = [
            ("update .1", update >= 0.1),
            ("update .25", update >= 0.25),
            ("create under .3", create < 0.3),
            ("likest", is_likest),
            ("neither thread nor author", !thread && !author),
            ("shares 2", share >= 2.0),
            ("shares 4", share >= 4.0),
            ("shares 7", share >= 7.0),
            ("shares a third", share * 3.0 >= most_share && share > 0.0),
            ("other values", kinds.len() > 1),
            ("a value in common", new.values.iter().any(|v| old.values.contains(v))),
            ("another day", kinds.contains(&ValueKind::Date)),
            ("another hour", is_other_hour),
            ("otherwise", new.otherwise),
            ("otherwise, another value", new.otherwise && is_other),
            ("kept, another value", new.kept && is_other),
            ("within a day", draft.stated_at.is_none_or(|said| days(said) < 1.0)),
            ("a length, has an hour", new.moves && new.has(ValueKind::Duration) && old.has(ValueKind::Clock)),
            ("another length", kinds.contains(&ValueKind::Duration)),
            ("a word that no other has", new.keys.iter().any(is_own_word)),
            ("a note of the owner", stored.source_type == Source::UserInput),
            ("one category", stored.category == draft.category),
            ("long", draft.content.chars().count() > LONG),
            ("otherwise, shares most", new.otherwise && shares_most),
            ("a state", new.state),
            ("a state, shares most", new.state && shares_most),
            ("another hour, thread", is_other_hour && thread),
            ("no value, otherwise", new.values.is_empty() && new.otherwise),
            ("one subject", stored.subject.is_some() && stored.subject == draft.subject),
        ];
        let are_named = !new.names.is_empty() && !old.names.is_empty();
        Marked { at, marks, is_another: are_named && !new.names.iter().any(|name| old.names.contains(name)) }
    };
    (0..known.len()).map(of).collect()
}
