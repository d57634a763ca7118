//! Binary features ("marks") of a new memory and each stored memory that it may change.

use crate::analysis::{Analysis, Reading};
use crate::decision::Candidate;
use crate::language::{CueKind, Value, ValueKind, words};
use crate::model::{Draft, Memory, Source, Time};
use std::rc::Rc;

const MARKS: usize = 24;
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
}

impl ContextText {
    fn of(reading: &Reading) -> Self {
        let mut keys: Vec<u64> = reading.content.tokens().iter().filter(|t| !t.stop).map(|t| t.key).collect();
        keys.sort_unstable();
        keys.dedup();
        let all = || reading.values.iter().map(|found| &found.value);
        let is_name = |value: &&Value| matches!(value.kind(), ValueKind::Identifier | ValueKind::Version);
        let (said, text) = (reading.content.cues(), &reading.folded);
        Self {
            keys,
            values: all().filter_map(|value| Some((property_kind(value)?, value.clone()))).collect(),
            names: all().filter(is_name).cloned().collect(),
            otherwise: said.iter().any(|c| c.kind == CueKind::Removal || c.kind.changes())
                || words!("turns.otherwise").stand_whole_in(text),
            kept: said.iter().any(|c| c.kind == CueKind::Reminder) || words!("turns.kept").stand_whole_in(text),
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
        self.values.iter().filter(is_other).map(|(of, _)| *of).collect()
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
    let others =
        |n: usize, of: &dyn Fn(usize) -> f32| (0..known.len()).filter(|o| *o != n).map(of).fold(0.0f32, f32::max);
    let in_thread = |n: usize| known[n].2.thread_id.is_some() && known[n].2.thread_id == draft.thread_id;
    let of = |n: usize| {
        let ((at, analysis, stored), old, share, thread) = (known[n], &texts[n], shares[n], in_thread(n));
        let (rival_share, rival_same) = (others(n, &|o| shares[o]), others(n, &|o| known[o].1.same_subject()));
        let [_, update, _, create] = analysis.probabilities;
        let author = draft.author.as_deref().is_some_and(|own| stored.authors().any(|a| a == own));
        let kinds = new.other_kinds(old);
        let is_other = !kinds.is_empty();
        let is_alone = |of: &ValueKind| (0..texts.len()).all(|o| o == n || !in_thread(o) || !texts[o].has(*of));
        let is_own_word = |key: &u64| (0..texts.len()).all(|o| (o == n) == texts[o].has_key(*key));
        let days = |said: Time| (said.millis() - stored.own_time().millis()) as f64 / DAY_MILLIS;
        let marks = [
            ("update .1", update >= 0.1),
            ("update .25", update >= 0.25),
            ("create under .3", create < 0.3),
            ("likest", analysis.same_subject() >= rival_same),
            ("author", author),
            ("neither thread nor author", !thread && !author),
            ("shares 2", share >= 2.0),
            ("shares 4", share >= 4.0),
            ("shares 7", share >= 7.0),
            ("shares most by 1", share - rival_share >= 1.0),
            ("shares a third", share * 3.0 >= most_share && share > 0.0),
            ("another value", is_other),
            ("another count", kinds.contains(&ValueKind::Quantity)),
            ("otherwise", new.otherwise),
            ("otherwise, another value", new.otherwise && is_other),
            ("kept, another value", new.kept && is_other),
            ("within a day", draft.stated_at.is_none_or(|said| days(said) < 1.0)),
            ("no other of its thread has such a value", thread && kinds.iter().any(is_alone)),
            ("another length", kinds.contains(&ValueKind::Duration)),
            ("a word that no other has", new.keys.iter().any(is_own_word)),
            ("a note of the owner", stored.source_type == Source::UserInput),
            ("one category", stored.category == draft.category),
            ("otherwise, shares most", new.otherwise && share > 0.0 && share >= rival_share),
            ("one subject", stored.subject.is_some() && stored.subject == draft.subject),
        ];
        let are_named = !new.names.is_empty() && !old.names.is_empty();
        Marked { at, marks, is_another: are_named && !new.names.iter().any(|name| old.names.contains(name)) }
    };
    (0..known.len()).map(of).collect()
}
