//! Whether a mail only says again what several memories know together: a reminder, a calendar's notice, a summary.
//!
//! One memory has the day and another the hour that was moved later, so no pair alone knows it all. It goes by figures,
//! days, names and words, and settles SKIP alone.

use super::Candidate;
use super::context::says;
use super::rules::{CandidateVerdict, DraftCase};
use crate::analysis::Outcome;
use crate::language::{CueKind, Folded, Match, Text, Value, ValueKind, cues, fold, tokens, values_in, words};
use crate::model::{Draft, Memory};

/// Of the words of what is said again so many are known, at least; and of what calls itself a reminder.
const KNOWN: f32 = 0.75;
const OF_A_REMINDER: f32 = 0.35;
/// So many days, hours, sums and numbers, all of them in one memory, need no words.
const CERTAIN: usize = 3;
/// The confidence of the resulting SKIP.
const CHANCE: f32 = 0.97;
/// So many words of a memory make it one that is spoken of, where no name or thread does.
const SPOKEN_OF: usize = 2;

/// The candidate to skip the draft for, if the draft only repeats facts that memories of its matter
/// hold together.
pub(super) fn find_reminded(case: &DraftCase<'_>) -> Option<CandidateVerdict> {
    let at = said_again(case.known, case.draft)?;
    let analysis = case.known[at].0.analysis.clone()?;
    Some(vec![(at, analysis.settled(Outcome::Skip, CHANCE))])
}

/// The place of the memory that knows the most of what is said again, where it and those of its matter know all of it.
fn said_again(found: &[(Candidate, Memory)], draft: &Draft) -> Option<usize> {
    let text = Text::new(&*draft.content);
    let new =
        Mentioned { thread: draft.thread_id.as_deref(), keys: keys(&draft.content), figures: figures(&draft.content) };
    let told = &new.figures;
    let reminds = is_reminder(draft);
    if told.len() < if reminds { 1 } else { 2 } || !told.iter().any(names_one) {
        return None;
    }
    let one_mail = |m: &Memory| draft.source_id.is_some() && m.source_id == draft.source_id;
    let earlier = |m: &Memory| draft.stated_at.is_none_or(|t| t >= m.own_time());
    let mut spoken_of: Vec<(usize, &Memory, Mentioned<'_>)> = found
        .iter()
        .enumerate()
        .filter(|(_, (_, m))| !one_mail(m) && earlier(m))
        .map(|(place, (_, m))| (place, m, Mentioned::of(m)))
        .filter(|(.., known)| new.is_of_one_matter(known))
        .collect();
    let knows = |value: &Value, m: &Memory, known: &Mentioned<'_>| {
        known.figures.iter().any(|v| v.agrees(value)) || matches!(value.kind(), ValueKind::Date) && same_day(draft, m)
    };
    let known = |(_, m, known): &&(usize, &Memory, Mentioned<'_>)| told.iter().filter(|v| knows(v, m, known)).count();
    let about = spoken_of.iter().max_by_key(|s| (known(s), s.1.own_time()))?;
    // So many days, hours, sums and numbers in one memory were said of nothing else.
    let apart = || told.iter().filter(|v| tells_apart(v));
    let is_certain =
        reminds && apart().count() >= CERTAIN && apart().all(|v| about.2.figures.iter().any(|known| known.agrees(v)));
    // What several unrelated memories know together has nobody said.
    let (place, about) = (about.0, Mentioned::of(about.1));
    spoken_of.retain(|(at, _, known)| *at == place || known.is_of_one_matter(&about));
    let is_known = |v: &&Value| spoken_of.iter().any(|(_, m, known)| knows(v, m, known));
    // How long before somebody should be there: a trifle, unless another length was said.
    let other = |a: &Value, b: &Value| a.compare(b) == Match::Different;
    let is_trifle = |v: &&Value| {
        let is_other = || spoken_of.iter().any(|(.., known)| known.figures.iter().any(|k| other(k, v)));
        reminds && v.kind() == ValueKind::Duration && !is_other()
    };
    if !told.iter().all(|v| is_known(&v) || is_trifle(&v)) {
        return None;
    }
    let known = |key: &u64| spoken_of.iter().any(|(.., known)| known.keys.binary_search(key).is_ok());
    let share = new.keys.iter().filter(|k| known(k)).count() as f32 / new.keys.len().max(1) as f32;
    if !is_certain && share < if reminds { OF_A_REMINDER } else { KNOWN } {
        return None;
    }
    let memories: Vec<&Memory> = spoken_of.iter().map(|(_, m, _)| *m).collect();
    let names: Vec<String> = memories.iter().map(|m| fold(&said(m))).collect();
    let subject = fold(draft.subject.as_deref().unwrap_or_default());
    let is_known = |name: &String| {
        let name = fold(name);
        subject.contains(&name) || names.iter().any(|text| text.contains(&name))
    };
    (draft.entities.iter().all(is_known) && !says_otherwise(&text, &memories, reminds, is_certain)).then_some(place)
}

/// Whether a value is a day, an hour, a sum or a number by which something is called.
fn tells_apart(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Date | ValueKind::Clock | ValueKind::Money | ValueKind::Identifier)
}

/// What a draft or a memory speaks of.
struct Mentioned<'a> {
    thread: Option<&'a str>,
    keys: Vec<u64>,
    figures: Vec<Value>,
}

impl<'a> Mentioned<'a> {
    fn of(m: &'a Memory) -> Self {
        Self { thread: m.thread_id.as_deref(), keys: keys(&said(m)), figures: figures(&m.content) }
    }

    /// Whether both are in one thread, name one number or share words.
    fn is_of_one_matter(&self, other: &Self) -> bool {
        let named = |v: &Value| v.kind() == ValueKind::Identifier && other.figures.iter().any(|known| known.agrees(v));
        let shared = self.keys.iter().filter(|k| other.keys.binary_search(k).is_ok()).count();
        self.thread.is_some() && self.thread == other.thread || self.figures.iter().any(named) || shared >= SPOKEN_OF
    }
}

/// The values of a text that tell one matter from another.
fn figures(text: &str) -> Vec<Value> {
    firm(&Text::new(text)).into_iter().cloned().collect()
}

fn said(m: &Memory) -> String {
    format!("{} {} {}", m.content, m.subject.as_deref().unwrap_or_default(), m.entities.join(" "))
}

/// What stands for each word that says something and is in no value.
fn keys(text: &str) -> Vec<u64> {
    let folded = Folded::new(text);
    let values = values_in(&folded, None);
    let in_value = |at: usize| values.iter().any(|v| v.span.holds(at));
    let mut keys: Vec<u64> =
        tokens(&folded).iter().filter(|t| !t.stop && !in_value(t.span.start)).map(|t| t.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Whether both happen on one day: "tomorrow" is the day that the memory is of.
fn same_day(draft: &Draft, m: &Memory) -> bool {
    draft.occurred_at.is_some_and(|at| at.may_be_one_day(m.occurred_at))
}

/// Whether the mail calls itself a reminder, or begins as one.
fn is_reminder(draft: &Draft) -> bool {
    let begins: String = draft.content.chars().take(60).collect();
    let begins = fold(&format!("{} {begins}", draft.subject.as_deref().unwrap_or_default()));
    says(&begins, words!("reminders.again")) || says(&begins, words!("reminders.forget"))
}

/// Whether it denies, changes, asks or settles what none of the memories does.
fn says_otherwise(text: &Text, spoken_of: &[&Memory], reminds: bool, is_certain: bool) -> bool {
    let before: Vec<CueKind> = spoken_of.iter().flat_map(|m| cues(&Folded::new(&m.content))).map(|c| c.kind).collect();
    // "Ignore this if you have paid."
    let idle = |k: CueKind| {
        reminds && matches!(k, CueKind::Negation | CueKind::Question)
            || is_certain
                && matches!(k, CueKind::Condition | CueKind::Possibility | CueKind::Addition | CueKind::Decision)
    };
    text.cues().iter().any(|c| turns(c.kind) && !idle(c.kind) && !before.contains(&c.kind))
}

/// The values that identify a matter. Next to a full date, "tomorrow" adds nothing.
fn firm(text: &Text) -> Vec<&Value> {
    let mut found: Vec<&Value> = text.values().iter().map(|f| &f.value).collect();
    let is_full = |v: &Value| matches!(v, Value::Date(d) if d.day.is_some());
    let dated = found.iter().any(|v| is_full(v));
    found.retain(|v| match v {
        Value::Date(_) => is_full(v) || !dated,
        _ => !matches!(v.kind(), ValueKind::Number | ValueKind::Status | ValueKind::Url),
    });
    found
}

/// Whether two texts seldom share such a value by accident.
fn names_one(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Date | ValueKind::Money | ValueKind::Identifier | ValueKind::Recurrence)
}

/// Whether a cue negates, changes, asks or decides something.
fn turns(kind: CueKind) -> bool {
    use CueKind::{Addition, Change, Condition, Correction, Decision, Decrease, Earlier, Increase, Later};
    use CueKind::{Negation, NoLonger, Possibility, Proposal, Question, Removal, Replace};
    #[rustfmt::skip]
    const OTHERWISE: [CueKind; 16] = [
        Addition, Change, Condition, Correction, Decision, Decrease, Earlier, Increase, Later, Negation, NoLonger,
        Possibility, Proposal, Question, Removal, Replace,
    ];
    OTHERWISE.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Category, Ids, Source, Time};

    fn memory(n: u8, text: &str) -> (Candidate, Memory) {
        let at: Time = "2026-05-01T09:00:00Z".parse().unwrap();
        let draft = Draft { stated_at: Some(at), source_id: Some(format!("m{n}")), ..Draft::new(text) };
        let memory = Memory::from_draft(Ids::new(at, [n; 16]).mint(), draft, at);
        let (score, factors) = (0.5, crate::similarity::Factors::default());
        let candidate = Candidate { id: memory.id, score, factors, structural: true, important: false, analysis: None };
        (candidate, memory)
    }

    fn again(stored: &[&str], subject: &str, new: &str) -> bool {
        let found: Vec<_> = stored.iter().enumerate().map(|(n, text)| memory(n as u8, text)).collect();
        let draft = Draft {
            subject: Some(subject.to_owned()),
            category: Category::default(),
            stated_at: Some("2026-05-05T09:00:00Z".parse().unwrap()),
            source_id: Some("new".to_owned()),
            source_type: Source::Realtime,
            ..Draft::new(new)
        };
        said_again(&found, &draft).is_some()
    }

    const VISIT: [&str; 2] = [
        "Boiler visit GH-2291 at 9 Capstan Row is on Friday 1 May 2026, 08:00-12:00.",
        "Boiler visit GH-2291: bad news, first we have is Wednesday 6 May 2026, same window.",
    ];

    #[test]
    fn a_reminder_of_what_several_memories_know_adds_nothing() {
        let new =
            "Reminder: your boiler visit GH-2291 at 9 Capstan Row is tomorrow, Wednesday 6 May 2026, 08:00-12:00.";
        assert!(again(&VISIT, "Reminder: your visit", new));
        assert!(again(
            &["혈액검사는 5월 6일 수요일 오전 11시 두부 데리고 오세요."],
            "내일 예약 안내",
            "내일(5월 6일 수요일) 오전 11시 두부 혈액검사 예약이 있습니다."
        ));
    }

    #[test]
    fn a_reminder_in_other_words_is_known_by_its_figures() {
        let bill = ["Account 6650-118: AMOUNT $214.60; PAY BY: Thursday 7 May 2026"];
        let new = "Just a reminder: your electricity bill of $214.60 is due this Thursday, 7 May 2026. Account 6650-118. Ignore this if you have already paid.";
        assert!(again(&bill, "Reminder", new));
        assert!(!again(&bill, "Reminder", &new.replace("214.60", "241.60")));
        let visit = ["Boiler visit GH-2291 on Friday 8 May 2026 at 8:00 with 2 fitters."];
        let told = |more: &str| format!("Reminder: boiler visit GH-2291, Friday 8 May 2026, 8:00. {more}");
        assert!(again(&visit, "Reminder", &told("Please be in 15 minutes before.")));
        assert!(!again(&visit, "Reminder", &told("We come with 3 fitters.")));
    }

    #[test]
    fn a_bill_of_an_order_is_not_known_by_the_order_and_something_else_of_that_day() {
        let known = [
            "주문 HG-4417 배송일이 5월 6일 수요일로 변경되었습니다 · 백자토 20kg, 84,000원을 접수했습니다.",
            "온누리치과 정기 검진 예약 안내: 5월 15일 금요일 오전 9시 30분 주문.",
        ];
        assert!(!again(
            &known,
            "주문 HG-4417 대금 안내",
            "주문 HG-4417 대금 안내: 84,000원을 5월 15일 금요일까지 납부해 주세요."
        ));
    }

    #[test]
    fn what_unrelated_memories_know_together_was_said_by_none() {
        let known = [
            "승압 공사는 5월 12일 화요일 오후 2시에 합니다.",
            "들녘제분 담당이 5월 10일부터 바뀌었고 금액은 그대로, 시간 조정은 미뤄야겠습니다.",
            "합창단 시간은 5월 13일 수요일로 옮겼고 사장님 금액은 그대로입니다.",
        ];
        let new = "사장님 내일(5월 12일) 자재가 안 들어와서 5월 13일 수요일로 미뤄야겠습니다 시간 금액은 그대로입니다";
        assert!(!again(&known, "내일 공사 관련", new));
    }

    #[test]
    fn what_has_a_figure_a_matter_or_a_turn_of_its_own_is_none() {
        for new in [
            "Reminder: your boiler visit GH-2291 at 9 Capstan Row is tomorrow, Wednesday 6 May 2026, 13:00-15:00.",
            "Reminder: your boiler visit GH-2291 on Wednesday 6 May 2026, 08:00-12:00, costs £40.",
            "Your boiler visit GH-2291 on Wednesday 6 May 2026, 08:00-12:00, is cancelled.",
            "Reminder: the dentist expects you on Wednesday 6 May 2026 at 08:00.",
            "Reminder: your visit.",
        ] {
            assert!(!again(&VISIT, "Reminder", new), "{new}");
        }
    }
}
