//! Binary features ("marks") of a new memory and each stored memory that it may change.

use crate::analysis::{Analysis, Reading};
use crate::decision::Candidate;
use crate::language::{CueKind, Value, ValueKind, words};
use crate::model::{Draft, Memory, Source, Time};
use std::rc::Rc;

/// A stored memory with its marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// Its index among the candidates.
    pub at: usize,
    /// The indices of its marks, ascending.
    pub there: Vec<usize>,
    /// Whether both have identifiers or versions, and none in common.
    pub is_another: bool,
}

const DAY_MILLIS: f64 = 86_400_000.0;

/// What the marks read from a text.
struct ContextText {
    keys: Vec<u64>,
    values: Vec<(ValueKind, Value)>,
    names: Vec<Value>,
    length: usize,
    state: bool,
    otherwise: bool,
    kept: bool,
    open: bool,
    decided: bool,
    /// Whether something moves earlier or later, or becomes more or less.
    moved: bool,
}

impl ContextText {
    fn of(reading: &Reading) -> Self {
        use CueKind::{
            Decision, Decrease, Earlier, Increase, Later, Possibility, Proposal, Question, Reminder, Removal,
        };
        let mut keys: Vec<u64> = reading.content.tokens().iter().filter(|t| !t.stop).map(|t| t.key).collect();
        keys.sort_unstable();
        keys.dedup();
        let all = || reading.values.iter().map(|found| &found.value);
        let is_name = |value: &&Value| matches!(value.kind(), ValueKind::Identifier | ValueKind::Version);
        let (said, text) = (reading.content.cues(), &reading.folded);
        let any = |kinds: &[CueKind]| said.iter().any(|c| kinds.contains(&c.kind));
        Self {
            keys,
            values: all().filter_map(|value| Some((property_kind(value)?, value.clone()))).collect(),
            names: all().filter(is_name).cloned().collect(),
            length: reading.content.chars().count(),
            state: all().any(|value| value.kind() == ValueKind::Status),
            otherwise: any(&[Removal])
                || said.iter().any(|c| c.kind.changes())
                || words!("turns.otherwise").stand_whole_in(text),
            kept: any(&[Reminder]) || words!("turns.kept").stand_whole_in(text),
            open: any(&[Proposal, Possibility, Question]),
            decided: any(&[Decision]),
            moved: any(&[Earlier, Later, Increase, Decrease]),
        }
    }

    fn count(&self, of: ValueKind) -> usize {
        self.values.iter().filter(|(o, _)| *o == of).count()
    }

    fn has(&self, of: ValueKind) -> bool {
        self.count(of) > 0
    }

    /// The kinds of property for which this text has another value than `other`.
    fn other_kinds(&self, other: &Self) -> Vec<ValueKind> {
        let unknown = |(of, value): &&(ValueKind, Value)| {
            other.has(*of) && !other.values.iter().any(|(o, v)| o == of && v.agrees(value))
        };
        let mut found: Vec<ValueKind> = self.values.iter().filter(unknown).map(|(of, _)| *of).collect();
        found.sort_unstable();
        found.dedup();
        found
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

struct MarkedPair<'a> {
    draft: &'a Draft,
    stored: &'a Memory,
    analysis: &'a Analysis,
    new: &'a ContextText,
    old: &'a ContextText,
    otherwise: Vec<ValueKind>,
    /// Whether no other memory differs in one of these kinds.
    alone: bool,
    /// The total rarity of the shared words, and the highest total of any other memory.
    share: f32,
    rival_share: f32,
    /// The total rarity of all words of the new text.
    most_share: f32,
    /// The highest probability that another memory describes the same thing.
    rival_same: f32,
    /// Whether it is the most recently stated memory of its thread.
    last: bool,
    /// Number of candidates in the new memory's thread.
    in_thread: usize,
    /// Whether only this memory of the thread has a value of a kind that changes.
    alone_in_thread: bool,
    /// Number of words that the new text shares with this memory alone.
    own_words: usize,
    /// Whether both have identifiers, and none in common.
    is_another: bool,
}

fn in_thread(stored: &Memory, draft: &Draft) -> bool {
    stored.thread_id.is_some() && stored.thread_id == draft.thread_id
}

/// Defines the names of the marks and their conditions; a function for each would double the code size.
macro_rules! marks {
    ($s:ident: { $($shared:tt)* } $($name:literal => $is:expr,)+) => {
        /// The names of the marks, in order.
        pub fn mark_names() -> impl Iterator<Item = &'static str> {
            [$($name),+].into_iter()
        }

        /// The indices of the marks whose condition holds, ascending.
        fn there($s: &MarkedPair<'_>) -> Vec<usize> {
            $($shared)*
            [$($is),+].iter().enumerate().filter(|(_, is)| **is).map(|(mark, _)| mark).collect()
        }
    };
}

marks! { s:
    {
        let gives = |of| s.otherwise.contains(&of);
        let others = !s.otherwise.is_empty();
        let (thread, lead) = (in_thread(s.stored, s.draft), s.share - s.rival_share);
        let author = s.draft.author.as_deref().is_some_and(|own| s.stored.authors().any(|a| a == own));
        let days_since = |at: Time| s.draft.stated_at.map_or(0.0, |said| (said.millis() - at.millis()) as f64 / DAY_MILLIS);
        let days = days_since(s.stored.own_time());
        // Whether the stored event was over when the new text was stated.
        let end = s.stored.valid_until.unwrap_or(s.stored.occurred_at).utc();
        let is_over = days_since(end) > 1.0 && end > s.stored.own_time();
        let likest = s.analysis.same_subject() >= s.rival_same;
        let most = s.share > 0.0 && lead >= 0.0;
        let one_subject = s.stored.subject.is_some() && s.stored.subject == s.draft.subject;
        let moves = s.new.has(ValueKind::Duration) && s.new.moved;
    }
    "update .1" => s.analysis.probabilities[1] >= 0.1,
    "update .25" => s.analysis.probabilities[1] >= 0.25,
    "update .4" => s.analysis.probabilities[1] >= 0.4,
    "update .6" => s.analysis.probabilities[1] >= 0.6,
    "create under .3" => s.analysis.probabilities[3] < 0.3,
    "skip .15" => s.analysis.probabilities[0] >= 0.15,
    "likest" => likest,
    "likest by .15" => s.analysis.same_subject() >= s.rival_same + 0.15,
    "thread" => thread,
    "last of thread" => s.last,
    "author" => author,
    "neither thread nor author" => !thread && !author,
    "shares 1" => s.share >= 1.0,
    "shares 2" => s.share >= 2.0,
    "shares 4" => s.share >= 4.0,
    "shares 7" => s.share >= 7.0,
    "shares most by 1" => lead >= 1.0,
    "shares a third" => s.share * 3.0 >= s.most_share && s.share > 0.0,
    "another value" => others,
    "other values" => s.otherwise.len() > 1,
    "another value, one of each" => s.otherwise.iter().any(|of| s.new.count(*of) == 1 && s.old.count(*of) == 1),
    "another value, no other has one" => s.alone,
    "a value in common" => s.new.values.iter().any(|v| s.old.values.contains(v)),
    "no value" => s.new.values.is_empty(),
    "another day" => gives(ValueKind::Date),
    "another hour" => gives(ValueKind::Clock),
    "another amount" => gives(ValueKind::Money),
    "another count" => gives(ValueKind::Quantity),
    "otherwise" => s.new.otherwise,
    "kept" => s.new.kept,
    "open" => s.new.open,
    "decided" => s.new.decided,
    "otherwise, another value" => s.new.otherwise && others,
    "kept, another value" => s.new.kept && others,
    "thread, another value" => thread && others,
    "within a day" => days < 1.0,
    "after 4 days" => days >= 4.0,
    "after 14 days" => days >= 14.0,
    "a name in common" => s.new.names.iter().any(|n| s.old.names.contains(n)),
    "other names" => s.is_another,
    "over" => is_over,
    "only one of its thread" => s.in_thread == 1 && thread,
    "of three or more of its thread" => s.in_thread > 2 && thread,
    "no other of its thread has such a value" => s.alone_in_thread,
    "a length, has an hour" => moves && s.old.has(ValueKind::Clock),
    "a length, has a day" => moves && s.old.has(ValueKind::Date),
    "another share" => gives(ValueKind::Percent),
    "another length" => gives(ValueKind::Duration),
    "a word that no other has" => s.own_words >= 1,
    "two words that no other has" => s.own_words >= 2,
    "nothing new" => !s.new.values.is_empty() && s.new.values.iter().all(|v| s.old.values.contains(v)),
    "a proposal" => s.old.open,
    "a proposal, decided" => s.old.open && s.new.decided,
    "a note of the owner" => s.stored.source_type == Source::UserInput,
    "changed before" => s.stored.previous_version_id.is_some(),
    "one category" => s.stored.category == s.draft.category,
    "long" => s.new.length > 200,
    "many values" => s.new.values.len() >= 4,
    "likest, thread" => likest && thread,
    "shares most, thread" => most && thread,
    "otherwise, thread" => s.new.otherwise && thread,
    "otherwise, shares most" => s.new.otherwise && most,
    "otherwise, last of thread" => s.new.otherwise && s.last,
    "a state" => s.new.state,
    "a state, shares most" => s.new.state && most,
    "decided, thread" => s.new.decided && thread,
    "kept, thread" => s.new.kept && thread,
    "another hour, thread" => gives(ValueKind::Clock) && thread,
    "another day, thread" => gives(ValueKind::Date) && thread,
    "no value, otherwise" => s.new.values.is_empty() && s.new.otherwise,
    "one subject" => one_subject,
}

/// Computes the marks of every analysed memory of other, not later mails. `read` parses a stored memory.
pub fn marked(found: &[(Candidate, Memory)], draft: &Draft, read: &dyn Fn(&Memory) -> Rc<Reading>) -> Vec<Marked> {
    let own_time = draft.own_time();
    let may = |m: &Memory| {
        // A memory that this mail already appended to an older one may be appended to again.
        let one_mail = draft.source_id.is_some() && m.source_id == draft.source_id && m.previous_version_id.is_none();
        !one_mail && own_time.is_none_or(|t| t >= m.own_time())
    };
    let known: Vec<(usize, &Analysis, &Memory)> = found
        .iter()
        .enumerate()
        .filter_map(|(n, (c, m))| Some((n, c.analysis.as_ref()?, m)))
        .filter(|k| may(k.2))
        .collect();
    let new = ContextText::of(&Reading::of(&draft.into()));
    let texts: Vec<ContextText> = known.iter().map(|(.., m)| ContextText::of(&read(m))).collect();
    let rarity = |key: &u64| {
        let in_texts = texts.iter().filter(|t| t.keys.binary_search(key).is_ok()).count();
        ((texts.len() + 1) as f32 / (in_texts as f32 + 0.5)).ln()
    };
    let rarities: Vec<(u64, f32)> = new.keys.iter().map(|k| (*k, rarity(k))).collect();
    let share =
        |t: &ContextText| rarities.iter().filter(|(k, _)| t.keys.binary_search(k).is_ok()).map(|(_, r)| r).sum::<f32>();
    let shares: Vec<f32> = texts.iter().map(share).collect();
    let most_share = rarities.iter().map(|(_, r)| r).sum();
    let in_thread = |m: &Memory| in_thread(m, draft);
    let last = known.iter().filter(|(.., m)| in_thread(m)).map(|(.., m)| m.own_time()).max();
    let others =
        |n: usize, of: &dyn Fn(usize) -> f32| (0..known.len()).filter(|o| *o != n).map(of).fold(0.0f32, f32::max);
    let otherwise: Vec<Vec<ValueKind>> = texts.iter().map(|t| new.other_kinds(t)).collect();
    let alone = |n: usize| otherwise[n].iter().any(|of| (0..known.len()).all(|o| o == n || !otherwise[o].contains(of)));
    let thread: Vec<usize> = (0..known.len()).filter(|n| in_thread(known[*n].2)).collect();
    let alone_in_thread =
        |n: usize| otherwise[n].iter().any(|of| thread.iter().all(|o| *o == n || !texts[*o].has(*of)));
    let only = |n: usize, key: &u64| (0..texts.len()).all(|o| (o == n) == texts[o].keys.binary_search(key).is_ok());
    let of = |n: usize| {
        let (at, analysis, stored) = known[n];
        let seen = MarkedPair {
            draft,
            stored,
            analysis,
            new: &new,
            old: &texts[n],
            otherwise: otherwise[n].clone(),
            alone: alone(n),
            share: shares[n],
            rival_share: others(n, &|o| shares[o]),
            most_share,
            rival_same: others(n, &|o| known[o].1.same_subject()),
            last: in_thread(stored) && Some(stored.own_time()) == last,
            in_thread: thread.len(),
            alone_in_thread: in_thread(stored) && alone_in_thread(n),
            own_words: new.keys.iter().filter(|key| only(n, key)).count(),
            is_another: !new.names.is_empty()
                && !texts[n].names.is_empty()
                && !new.names.iter().any(|name| texts[n].names.contains(name)),
        };
        Marked { at, there: there(&seen), is_another: seen.is_another }
    };
    (0..known.len()).map(of).collect()
}
