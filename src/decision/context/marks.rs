//! What is said of a new memory and each stored one that it may change, as marks that are there or not.

use crate::analysis::{Analysis, dated_values};
use crate::decision::Candidate;
use crate::language::{CueKind, Folded, Value, ValueKind, cues, fold, telling_keys, words};
use crate::model::{Claim, Draft, Memory, Source};

/// A stored memory with its marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// Its place among the candidates.
    pub at: usize,
    /// The marks that are there, in rising order.
    pub there: Vec<usize>,
    /// Whether both are called by a number or a version, and not by the same.
    pub is_another: bool,
}

/// What a value says of a matter: of each it has one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Day,
    Clock,
    Money,
    Count,
    Share,
    Length,
}

const DAY_MILLIS: f64 = 86_400_000.0;

/// A text as it is compared.
struct ContextText {
    keys: Vec<u64>,
    values: Vec<(Of, Value)>,
    names: Vec<Value>,
    length: usize,
    /// Whether it tells in which state something is: paid, arrived.
    state: bool,
}

impl ContextText {
    fn of(claim: &Claim<'_>) -> Self {
        let content = claim.content;
        let folded = Folded::new(content);
        let mut keys = telling_keys(&folded);
        keys.sort_unstable();
        keys.dedup();
        let (mut values, mut names, mut state) = (Vec::new(), Vec::new(), false);
        for found in dated_values(claim, content) {
            if matches!(found.value.kind(), ValueKind::Identifier | ValueKind::Version) {
                names.push(found.value);
            } else if found.value.kind() == ValueKind::Status {
                state = true;
            } else if let Some(of) = says_of(&found.value) {
                values.push((of, found.value));
            }
        }
        Self { keys, values, names, length: content.chars().count(), state }
    }

    fn has(&self, of: Of) -> bool {
        self.values.iter().any(|(o, _)| *o == of)
    }

    fn count(&self, of: Of) -> usize {
        self.values.iter().filter(|(o, _)| *o == of).count()
    }

    /// Of what this text gives another value than the other one.
    fn otherwise(&self, other: &Self) -> Vec<Of> {
        let unknown = |(of, value): &&(Of, Value)| {
            other.has(*of) && !other.values.iter().any(|(o, v)| o == of && v.agrees(value))
        };
        let mut found: Vec<Of> = self.values.iter().filter(unknown).map(|(of, _)| *of).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn says_of(value: &Value) -> Option<Of> {
    match value.kind() {
        ValueKind::Date | ValueKind::Weekdays | ValueKind::Recurrence | ValueKind::Period => Some(Of::Day),
        ValueKind::Clock => Some(Of::Clock),
        ValueKind::Money => Some(Of::Money),
        ValueKind::Quantity | ValueKind::Number => Some(Of::Count),
        ValueKind::Percent => Some(Of::Share),
        ValueKind::Duration => Some(Of::Length),
        _ => match value {
            Value::Range(ends) => says_of(&ends.0),
            _ => None,
        },
    }
}

/// How a text is meant, as far as it bears on a change.
struct ReplyCues {
    otherwise: bool,
    kept: bool,
    open: bool,
    decided: bool,
    /// Said of something that comes earlier, later, or is more or less.
    moved: bool,
}

fn meant(content: &str) -> ReplyCues {
    use CueKind::{Change, Correction, Decrease, Earlier, Increase, Later, NoLonger, Removal, Replace};
    let said = cues(&Folded::new(content));
    let any = |kinds: &[CueKind]| said.iter().any(|c| kinds.contains(&c.kind));
    let folded = fold(content);
    ReplyCues {
        otherwise: any(&[Change, Correction, Decrease, Earlier, Increase, Later, NoLonger, Removal, Replace])
            || says(&folded, words!("turns.otherwise")),
        kept: any(&[CueKind::Reminder]) || says(&folded, words!("turns.kept")),
        open: any(&[CueKind::Proposal, CueKind::Possibility, CueKind::Question]),
        decided: any(&[CueKind::Decision]),
        moved: any(&[Earlier, Later, Increase, Decrease]),
    }
}

/// Whether any of the words is said; those of Latin letters as whole words.
fn says(folded: &str, list: &[&str]) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    list.iter().any(|words| {
        folded.match_indices(words).any(|(at, hit)| {
            !hit.is_ascii()
                || !inside(folded[..at].chars().next_back()) && !inside(folded[at + hit.len()..].chars().next())
        })
    })
}

/// All that the marks of one pair are taken from.
struct MarkedPair<'a> {
    draft: &'a Draft,
    stored: &'a Memory,
    analysis: &'a Analysis,
    new: &'a ContextText,
    old: &'a ContextText,
    meant: &'a ReplyCues,
    /// Of what the new text gives another value.
    otherwise: Vec<Of>,
    /// Whether no other memory has a value of that kind that is another one.
    alone: bool,
    /// How much rarer words both share, and the most that any other memory shares with the new one.
    share: f32,
    rival_share: f32,
    /// All that could be shared.
    most_share: f32,
    /// How probable it is that another memory is the same thing.
    rival_same: f32,
    /// Whether it is the one of its thread that was spoken of last.
    last: bool,
    /// How many memories are of the thread of the new one.
    in_thread: usize,
    /// Whether no other memory of the thread has a value of a kind of which the new one gives another.
    alone_in_thread: bool,
    /// How many words the new one shares with no other memory.
    own_words: usize,
    /// How the stored one is meant.
    was_meant: &'a ReplyCues,
}

impl MarkedPair<'_> {
    fn thread(&self) -> bool {
        self.stored.thread_id.is_some() && self.stored.thread_id == self.draft.thread_id
    }
    fn author(&self) -> bool {
        self.draft.author.as_deref().is_some_and(|own| self.stored.authors().any(|a| a == own))
    }
    fn lead(&self) -> f32 {
        self.share - self.rival_share
    }
    fn days(&self) -> f64 {
        let own = self.stored.own_time();
        self.draft.stated_at.map_or(0.0, |at| (at.millis() - own.millis()) as f64 / DAY_MILLIS)
    }
    /// Whether both have names, and none in common.
    fn is_another(&self) -> bool {
        let (new, old) = (&self.new.names, &self.old.names);
        !new.is_empty() && !old.is_empty() && !new.iter().any(|n| old.contains(n))
    }
    /// Whether it happened before the new one was said.
    fn is_over(&self) -> bool {
        let at = self.stored.valid_until.unwrap_or(self.stored.occurred_at).utc();
        self.draft.stated_at.is_some_and(|said| ((said.millis() - at.millis()) as f64) > DAY_MILLIS)
            && at > self.stored.own_time()
    }
    fn gives(&self, of: Of) -> bool {
        self.otherwise.contains(&of)
    }
    fn likest(&self) -> bool {
        self.analysis.same_subject() >= self.rival_same
    }
    fn most(&self) -> bool {
        self.share > 0.0 && self.lead() >= 0.0
    }
    fn one_subject(&self) -> bool {
        self.stored.subject.is_some() && self.stored.subject == self.draft.subject
    }
    fn moves(&self) -> bool {
        self.new.has(Of::Length) && self.meant.moved
    }
}

/// Defines the marks: what they are called, in their order, and when they are there. All are told in one function, since one
/// for each would be as much code again.
macro_rules! marks {
    ($s:ident: $($name:literal => $is:expr,)+) => {
        /// What the marks are called, in their order.
        pub fn mark_names() -> impl Iterator<Item = &'static str> {
            [$($name),+].into_iter()
        }

        /// Which of the marks are there, in rising order.
        fn there($s: &MarkedPair<'_>) -> Vec<usize> {
            [$($is),+].iter().enumerate().filter(|(_, is)| **is).map(|(mark, _)| mark).collect()
        }
    };
}

marks! { s:
    "update .1" => s.analysis.probabilities[1] >= 0.1,
    "update .25" => s.analysis.probabilities[1] >= 0.25,
    "update .4" => s.analysis.probabilities[1] >= 0.4,
    "update .6" => s.analysis.probabilities[1] >= 0.6,
    "create under .3" => s.analysis.probabilities[3] < 0.3,
    "create under .1" => s.analysis.probabilities[3] < 0.1,
    "skip .15" => s.analysis.probabilities[0] >= 0.15,
    "likest" => s.likest(),
    "likest by .15" => s.analysis.same_subject() >= s.rival_same + 0.15,
    "thread" => s.thread(),
    "last of thread" => s.last,
    "author" => s.author(),
    "neither thread nor author" => !s.thread() && !s.author(),
    "shares 1" => s.share >= 1.0,
    "shares 2" => s.share >= 2.0,
    "shares 4" => s.share >= 4.0,
    "shares 7" => s.share >= 7.0,
    "shares most" => s.most(),
    "shares most by 1" => s.lead() >= 1.0,
    "shares most by 2.5" => s.lead() >= 2.5,
    "shares a third" => s.share * 3.0 >= s.most_share && s.share > 0.0,
    "another value" => !s.otherwise.is_empty(),
    "other values" => s.otherwise.len() > 1,
    "another value, one of each" => s.otherwise.iter().any(|of| s.new.count(*of) == 1 && s.old.count(*of) == 1),
    "another value, no other has one" => s.alone,
    "a value in common" => s.new.values.iter().any(|v| s.old.values.contains(v)),
    "no value" => s.new.values.is_empty(),
    "another day" => s.gives(Of::Day),
    "another hour" => s.gives(Of::Clock),
    "another amount" => s.gives(Of::Money),
    "another count" => s.gives(Of::Count),
    "otherwise" => s.meant.otherwise,
    "kept" => s.meant.kept,
    "open" => s.meant.open,
    "decided" => s.meant.decided,
    "otherwise, another value" => s.meant.otherwise && !s.otherwise.is_empty(),
    "kept, another value" => s.meant.kept && !s.otherwise.is_empty(),
    "thread, another value" => s.thread() && !s.otherwise.is_empty(),
    "within a day" => s.days() < 1.0,
    "after 4 days" => s.days() >= 4.0,
    "after 14 days" => s.days() >= 14.0,
    "short" => s.new.length < 60,
    "a name in common" => s.new.names.iter().any(|n| s.old.names.contains(n)),
    "other names" => s.is_another(),
    "over" => s.is_over(),
    "only one of its thread" => s.in_thread == 1 && s.thread(),
    "of three or more of its thread" => s.in_thread > 2 && s.thread(),
    "no other of its thread has such a value" => s.alone_in_thread,
    "a length, has an hour" => s.moves() && s.old.has(Of::Clock),
    "a length, has a day" => s.moves() && s.old.has(Of::Day),
    "another share" => s.gives(Of::Share),
    "another length" => s.gives(Of::Length),
    "a word that no other has" => s.own_words >= 1,
    "two words that no other has" => s.own_words >= 2,
    "nothing new" => !s.new.values.is_empty() && s.new.values.iter().all(|v| s.old.values.contains(v)),
    "a proposal" => s.was_meant.open,
    "a proposal, decided" => s.was_meant.open && s.meant.decided,
    "a note of the owner" => s.stored.source_type == Source::UserInput,
    "changed before" => s.stored.previous_version_id.is_some(),
    "one category" => s.stored.category == s.draft.category,
    "long" => s.new.length > 200,
    "many values" => s.new.values.len() >= 4,
    "likest, thread" => s.likest() && s.thread(),
    "shares most, thread" => s.most() && s.thread(),
    "otherwise, thread" => s.meant.otherwise && s.thread(),
    "otherwise, shares most" => s.meant.otherwise && s.most(),
    "otherwise, last of thread" => s.meant.otherwise && s.last,
    "a state" => s.new.state,
    "a state, shares most" => s.new.state && s.most(),
    "decided, thread" => s.meant.decided && s.thread(),
    "kept, thread" => s.meant.kept && s.thread(),
    "another hour, thread" => s.gives(Of::Clock) && s.thread(),
    "another day, thread" => s.gives(Of::Day) && s.thread(),
    "no value, otherwise" => s.new.values.is_empty() && s.meant.otherwise,
    "one subject" => s.one_subject(),
    "one subject, another thread" => s.one_subject() && !s.thread(),
}

/// The marks of every memory that the mail of a draft may change: those of other mails, judged, and said before it.
pub fn marked(found: &[(Candidate, Memory)], draft: &Draft) -> Vec<Marked> {
    let own_time = draft.own_time();
    let may = |m: &Memory| {
        // What it has told beside something older may be told on.
        let one_mail = draft.source_id.is_some() && m.source_id == draft.source_id && m.previous_version_id.is_none();
        !one_mail && own_time.is_none_or(|t| t >= m.own_time())
    };
    let known: Vec<(usize, &Analysis, &Memory)> = found
        .iter()
        .enumerate()
        .filter_map(|(n, (c, m))| Some((n, c.analysis.as_ref()?, m)))
        .filter(|k| may(k.2))
        .collect();
    let (new, said) = (ContextText::of(&draft.into()), meant(&draft.content));
    let texts: Vec<ContextText> = known.iter().map(|(.., m)| ContextText::of(&(*m).into())).collect();
    let rarity = |key: &u64| {
        let in_texts = texts.iter().filter(|t| t.keys.binary_search(key).is_ok()).count();
        ((texts.len() + 1) as f32 / (in_texts as f32 + 0.5)).ln()
    };
    let rarities: Vec<(u64, f32)> = new.keys.iter().map(|k| (*k, rarity(k))).collect();
    let share =
        |t: &ContextText| rarities.iter().filter(|(k, _)| t.keys.binary_search(k).is_ok()).map(|(_, r)| r).sum::<f32>();
    let shares: Vec<f32> = texts.iter().map(share).collect();
    let most_share = rarities.iter().map(|(_, r)| r).sum();
    let in_thread = |m: &Memory| m.thread_id.is_some() && m.thread_id == draft.thread_id;
    let last = known.iter().filter(|(.., m)| in_thread(m)).map(|(.., m)| m.own_time()).max();
    let others =
        |n: usize, of: &dyn Fn(usize) -> f32| (0..known.len()).filter(|o| *o != n).map(of).fold(0.0f32, f32::max);
    let otherwise: Vec<Vec<Of>> = texts.iter().map(|t| new.otherwise(t)).collect();
    let alone = |n: usize| otherwise[n].iter().any(|of| (0..known.len()).all(|o| o == n || !otherwise[o].contains(of)));
    let thread: Vec<usize> = (0..known.len()).filter(|n| in_thread(known[*n].2)).collect();
    let alone_in_thread =
        |n: usize| otherwise[n].iter().any(|of| thread.iter().all(|o| *o == n || !texts[*o].has(*of)));
    let only = |n: usize, key: &u64| (0..texts.len()).all(|o| (o == n) == texts[o].keys.binary_search(key).is_ok());
    let before: Vec<ReplyCues> = known.iter().map(|(.., m)| meant(&m.content)).collect();
    let of = |n: usize| {
        let (at, analysis, stored) = known[n];
        let seen = MarkedPair {
            draft,
            stored,
            analysis,
            new: &new,
            old: &texts[n],
            meant: &said,
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
            was_meant: &before[n],
        };
        Marked { at, there: there(&seen), is_another: seen.is_another() }
    };
    (0..known.len()).map(of).collect()
}
