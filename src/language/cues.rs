//! Finds cue words that show how a statement is meant: negated, asked, proposed, conditional, repeated, changed.

use crate::language::{
    text::{
        folded::Folded,
        hangul::is_hangul,
        list::Words,
        scan::{Scan, is_latin},
        table::{Table, phrase, table},
    },
    values::value::Span,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CueKind {
    /// not, 않, 없.
    Negation,
    Question,
    /// Proposed, wished for or considered, but not settled: propose, 제안, 하자는.
    Proposal,
    Possibility,
    Condition,
    Request,
    /// Repeating earlier information: reminder, as planned, 그대로, 다시 알려.
    Reminder,
    /// Not yet settled: not yet, 아직, 여전히.
    Pending,
    Decision,
    Plan,
    Change,
    Increase,
    Decrease,
    /// Postponed: postponed, 미뤄.
    Later,
    /// Moved earlier: brought forward, 앞당겨.
    Earlier,
    Replace,
    NoLonger,
    Addition,
    Removal,
    Correction,
    Cause,
    /// Following, using or naming something: follow-up, 이어, based on, 바탕으로, refers to, 인용.
    Mention,
    Alternative,
    Hearsay,
}

impl CueKind {
    /// Whether it says that something became another.
    pub const fn changes(self) -> bool {
        matches!(
            self,
            Self::Change
                | Self::Correction
                | Self::Decrease
                | Self::Earlier
                | Self::Increase
                | Self::Later
                | Self::NoLonger
                | Self::Replace
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cue {
    pub span: Span,
    pub kind: CueKind,
}

/// Where in a run of Hangul a cue may occur.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CuePlace {
    Start,
    Any,
    End,
    Whole,
}

/// The cues of a text, left to right; they may overlap.
pub fn cues(folded: &Folded<'_>) -> Vec<Cue> {
    let s = Scan(folded.text());
    let mut found = Vec::new();
    let mut mark = |start: usize, end: usize, kind: CueKind| {
        found.push(Cue { span: Span { start: folded.source(start), end: folded.source(end) }, kind });
    };
    let mut at = 0;
    while let Some(c) = s.char(at) {
        if is_hangul(c) {
            at = korean(s, at, &mut mark);
        } else if is_latin(c) {
            let end = s.latin_end(at);
            let mut next = end;
            if s.starts_word(at) {
                let word = s.slice(at, end);
                if let Some((len, kind)) = phrase(&ENGLISH, word, s.rest(at)) {
                    let stop = at + len;
                    if fits(folded, s, at, stop, word) {
                        mark(at, stop, *kind);
                        next = stop;
                    }
                }
                if s.byte(end) == b'\'' && s.byte(end + 1) == b't' && next == end {
                    mark(at, end + 2, CueKind::Negation);
                    next = end + 2;
                }
            }
            at = next.max(end);
        } else {
            match c {
                '?' => mark(at, at + 1, CueKind::Question),
                '→' => mark(at, at + c.len_utf8(), CueKind::Change),
                '-' if s.byte(at + 1) == b'>' => mark(at, at + 2, CueKind::Change),
                _ => {}
            }
            at += c.len_utf8();
        }
    }
    found
}

/// Whether an ambiguous English cue has its meaning here, given the words around it.
fn fits(folded: &Folded<'_>, s: Scan<'_>, at: usize, end: usize, word: &str) -> bool {
    let next = s.blank(end);
    let after = s.slice(next, s.latin_end(next));
    match word {
        // Not the month or the name.
        "may" => !folded.is_capital(at) && !s.byte(next).is_ascii_digit(),
        "once" => !matches!(after, "a" | "an" | "per" | "every"),
        "now" => after != "on",
        "see" => folded.is_capital(next),
        _ => true,
    }
}

/// Marks the cues in a run of Hangul and returns the run's end.
fn korean(s: Scan<'_>, start: usize, mark: &mut impl FnMut(usize, usize, CueKind)) -> usize {
    let end = s.hangul_end(start);
    let mut at = start;
    while at < end {
        let Some(c) = s.char(at) else { break };
        let mut next = at + c.len_utf8();
        let best = KOREAN.longest(s.rest(at), |len, (_, place)| {
            let stop = at + len;
            match place {
                CuePlace::Start => at == start,
                CuePlace::Any => true,
                CuePlace::End => !s.char(stop).is_some_and(is_hangul),
                CuePlace::Whole => at == start && stop >= end,
            }
        });
        if let Some((len, (kind, _))) = best {
            mark(at, at + len, *kind);
            next = at + len;
        }
        at = next;
    }
    at.max(end)
}

static ENGLISH: Table<CueKind> = table!("english/cues");

static KOREAN: Table<(CueKind, CuePlace)> = table!("korean/cues");
