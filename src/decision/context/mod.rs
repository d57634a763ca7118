//! Which of the stored memories a mail changes: all that it may mean are looked at together.
//!
//! A pair alone says little of a short mail ("the 22nd, same time"): whether another memory answers it better, and whether
//! the thread has just one value of that kind, is what a reader goes by. The marks are weighed by what
//! `examples/context` has fitted. It settles no SKIP, and never overrules what is sure.

mod marks;

pub(super) use marks::says;
pub use marks::{Marked, mark_names, marked};

use super::Candidate;
use crate::analysis::{Analysis, Outcome, differences};
use crate::model::{Claim, Conflict, Draft, Memory, Relationship, Source};
use std::sync::LazyLock;

/// From that chance on what a mail says otherwise is written.
const WRITTEN: f32 = 0.65;
/// Below it, what the pair alone would write is kept beside.
const BESIDE: f32 = 0.3;
/// How sure it is at least, and what the chance adds: enough to be written where nobody is there to ask, and little
/// enough to be asked about.
const LEAST: f32 = 0.81;
const MORE: f32 = 0.03;
/// What is left of an update that is not written.
const DOUBTED: f32 = 0.5;

/// The weights in thousandths: first what is added always, then one for each mark, in their order.
static WEIGHTS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let thousandths = include_str!("weights.txt").split_whitespace().filter_map(|w| w.parse::<i16>().ok());
    thousandths.map(|w| f32::from(w) / 1000.0).collect()
});

/// How likely the new memory changes the one with these marks.
fn chance(there: &[usize]) -> f32 {
    let (always, weights) = WEIGHTS.split_first().map_or((0.0, &[][..]), |(a, w)| (*a, w));
    let sum: f32 = there.iter().filter_map(|mark| weights.get(*mark)).sum();
    1.0 / (1.0 + (-always - sum).exp())
}

/// Lets the one memory that a mail changes be updated, and no other.
pub fn settle(found: &mut [(Candidate, Memory)], draft: &Draft) {
    // A calendar's event is named by what stands in it.
    if draft.source_type != Source::Realtime || draft.event.is_some() {
        return;
    }
    let marked = marked(found, draft);
    let is_sure = |a: &Analysis| a.by_model || a.sure;
    if found.iter().filter_map(|(c, _)| c.analysis.as_ref()).any(|a| is_sure(a) && a.outcome == Outcome::Update) {
        return;
    }
    let chances: Vec<(usize, f32, bool)> = marked.iter().map(|m| (m.at, chance(&m.there), m.may_change)).collect();
    let likeliest = chances.iter().copied().max_by(|x, y| x.1.total_cmp(&y.1));
    for (at, chance, may_change) in chances {
        let (candidate, memory) = &mut found[at];
        let Some(a) = candidate.analysis.as_mut().filter(|a| !is_sure(a)) else { continue };
        let taken = likeliest.is_some_and(|(best, ..)| best == at);
        if taken && may_change && chance >= WRITTEN && a.outcome != Outcome::Skip {
            *a = changed(a, chance, &(&*memory).into(), &draft.into());
        } else if a.outcome == Outcome::Update && memory.source_type == Source::Realtime && (chance < BESIDE || !taken)
        {
            // What changes a word of the owner's is proposed to them, so that nothing is lost by it.
            *a = doubted(a);
        }
    }
}

fn changed(a: &Analysis, chance: f32, stored: &Claim<'_>, new: &Claim<'_>) -> Analysis {
    let changes = if a.changes.is_empty() { differences(stored, new) } else { a.changes.clone() };
    if changes.is_empty() {
        return a.clone();
    }
    let confidence = a.probabilities[1].max(LEAST + MORE * chance);
    let rest = (1.0 - confidence) / 3.0;
    let denied = a.outcome == Outcome::Update && a.conflict == Conflict::Contradiction;
    Analysis {
        outcome: Outcome::Update,
        probabilities: [rest, confidence, rest, rest],
        confidence,
        sure: false,
        relationship: Relationship::Identical,
        relation: None,
        changes,
        conflict: if denied { Conflict::Contradiction } else { Conflict::Update },
        ..a.clone()
    }
}

fn doubted(a: &Analysis) -> Analysis {
    let update = a.probabilities[1].min(DOUBTED);
    let rest = 1.0 - a.probabilities[1];
    let scale = if rest > 0.0 { (1.0 - update) / rest } else { 0.0 };
    let probabilities: [f32; 4] = std::array::from_fn(|n| if n == 1 { update } else { a.probabilities[n] * scale });
    Analysis { probabilities, confidence: update, ..a.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::analyse;
    use crate::model::{Ids, Time};

    fn draft(text: &str, mail: &str, day: u8) -> Draft {
        Draft {
            thread_id: Some("t".to_owned()),
            author: Some("gale@heating.example".to_owned()),
            source_id: Some(mail.to_owned()),
            source_type: Source::Realtime,
            stated_at: format!("2026-04-{day:02}T09:00:00Z").parse::<Time>().ok(),
            ..Draft::new(text)
        }
    }

    /// Which of the stored memories the mail changes.
    fn updated(stored: &[&str], new: &Draft) -> Vec<usize> {
        let mut found: Vec<(Candidate, Memory)> = stored
            .iter()
            .enumerate()
            .map(|(n, text)| {
                let old = draft(text, &format!("m{n}"), 1);
                let analysis = Some(analyse(&(&old).into(), &new.into()));
                let at = old.stated_at.unwrap();
                let memory = Memory::from_draft(Ids::new(at, [n as u8; 16]).mint(), old, at);
                let (score, factors) = (0.6, crate::similarity::Factors::default());
                (Candidate { id: memory.id, score, factors, structural: true, important: false, analysis }, memory)
            })
            .collect();
        settle(&mut found, new);
        let is_update =
            |c: &Candidate| c.analysis.as_ref().is_some_and(|a| a.outcome == Outcome::Update && a.confidence >= LEAST);
        (0..found.len()).filter(|n| is_update(&found[*n].0)).collect()
    }

    const VISIT: [&str; 3] = [
        "The boiler visit to Capstan Row is on Friday 24 April, 08:00-12:00.",
        "The new rigger for the Turnstone costs £90.",
        "The parking permits lie at the desk.",
    ];

    #[test]
    fn a_short_mail_changes_the_one_memory_that_it_means() {
        let new = draft("The boiler visit moves: first I have is Tuesday 28 April, same window.", "new", 20);
        assert_eq!(updated(&VISIT, &new), [0]);
        let new = draft("The rigger for the Turnstone comes to £110 in the end instead.", "new", 20);
        assert_eq!(updated(&VISIT, &new), [1]);
        let stored = ["연습은 매주 화요일 저녁 7시 반, 물결연습실 2층이에요.", "연주복은 흰 블라우스에 남색 긴치마."];
        let new = draft("연습은 5월부터 매주 목요일로 옮깁니다. 물결연습실 시간은 그대로예요.", "new", 20);
        assert_eq!(updated(&stored, &new), [0]);
    }

    #[test]
    fn what_says_nothing_otherwise_changes_none() {
        for new in [
            draft("The boiler was built in 2009 and hums on Tuesday 28 April.", "new", 20),
            draft("The club dinner is on Tuesday 28 April instead of the quiz.", "new", 20),
        ] {
            assert_eq!(updated(&VISIT, &new), [] as [usize; 0], "{}", new.content);
        }
        let noted = Draft {
            source_type: Source::UserInput,
            ..draft("First I have is Tuesday 28 April, same window.", "new", 20)
        };
        assert_eq!(updated(&VISIT, &noted), [] as [usize; 0]);
    }
}
