//! [`TimePhrase`], and the words around a time that set a start or an end.

use crate::{
    language::{
        text::{
            list::{Words, words},
            particles::is_tail,
            scan::Scan,
        },
        values::value::Span,
    },
    model::{Time, Zone},
};
use chrono::NaiveDate;

/// The time that a question asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimePhrase {
    /// Its bytes, with preposition or particle; search may drop these words.
    pub span: Span,
    /// Start, inclusive.
    pub from: Time,
    /// End, exclusive.
    pub to: Time,
    /// Whether it says when ("4월에", "last week") rather than identifying something ("2분기 목표", "the
    /// March invoice").
    pub firm: bool,
    /// Whether it is relative to the day of the question ("지난주", "tomorrow"), so that stored texts
    /// lack its words.
    pub relative: bool,
    /// Whether it sets a deadline ("by Friday", 금요일까지).
    pub bound: bool,
    /// Whether it may mean a habit or the current state ("on Fridays", 요즘).
    pub loose: bool,
}

/// The range of time that a preposition or particle makes of a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanEdge {
    /// Up to the time's end.
    Until,
    /// Up to the time's start.
    Before,
    /// From the time's start.
    From,
    /// From the start of a past time.
    Since,
    /// From its start if it lies in the future; otherwise as [`Self::When`].
    Of,
    /// From the time's end.
    After,
    /// Exactly the time.
    When,
}

pub(super) struct PhraseFlags {
    pub firm: bool,
    pub relative: bool,
    pub bound: bool,
}

pub(super) fn phrase_of(span: Span, days: (NaiveDate, NaiveDate), firm: PhraseFlags, zone: Zone) -> Option<TimePhrase> {
    let PhraseFlags { firm, relative, bound } = firm;
    let start = |day: NaiveDate| match day {
        NaiveDate::MIN => Some(Time::MIN),
        NaiveDate::MAX => Some(Time::MAX),
        _ => day.and_hms_opt(0, 0, 0).map(|t| Time::from_local(t, zone)),
    };
    Some(TimePhrase { span, from: start(days.0)?, to: start(days.1)?, firm, relative, bound, loose: false })
}

/// The span with its preposition or particle, and what range that makes.
pub(super) fn around(text: &str, span: Span) -> (Span, Option<SpanEdge>) {
    let edges: [(&Words, SpanEdge); 7] = [
        (words!("tense.until"), SpanEdge::Until),
        (words!("tense.before"), SpanEdge::Before),
        (words!("tense.from"), SpanEdge::From),
        (words!("tense.since"), SpanEdge::Since),
        (words!("tense.of"), SpanEdge::Of),
        (words!("tense.after"), SpanEdge::After),
        (words!("tense.when"), SpanEdge::When),
    ];
    let s = Scan(text);
    let (mut span, mut edge) = (span, None);
    // First an attached particle, then the next word.
    for gap in [false, true] {
        let start = if gap { s.blank(span.end) } else { span.end };
        let end = s.hangul_end(start);
        let run = s.slice(start, end);
        let fits = |w: &&&str| run.strip_prefix(**w).is_some_and(is_tail);
        let of = |(list, edge): &(&Words, SpanEdge)| Some((list.iter().filter(fits).map(|w| w.len()).max()?, *edge));
        let found = edges.iter().filter_map(of).max_by_key(|(length, _)| *length);
        match found.filter(|_| !run.is_empty()) {
            Some((_, told)) => (span.end, edge) = (end, Some(told)),
            None if !gap && is_tail(run) => span.end = end,
            None => {}
        }
        if !matches!(edge, None | Some(SpanEdge::When)) {
            break;
        }
    }
    let mut start = s.letters_start(s.blank_before(span.start));
    let mut word = s.word_before(span.start).to_lowercase();
    if word == "the" {
        word = s.word_before(start).to_lowercase();
        start = s.letters_start(s.blank_before(start));
    }
    if let Some((_, told)) = edges.iter().find(|(list, _)| word.is_ascii() && list.contains(&word.as_str())) {
        (span.start, edge) = (start, Some(*told));
    }
    (span, edge)
}
