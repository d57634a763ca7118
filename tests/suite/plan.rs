//! The change set that a decision plans: versions, history, source priority, links and expectations.

use memfold::analysis::{Analysis, Change, Outcome, analyse};
use memfold::consolidation::{
    Act, Alternative, ChangeSet, Expectation, Input, LogEntry, MergeStrategy, Planned, Status, Trigger, failure, plan,
    suspect,
};
use memfold::decision::{Analyst, Candidate, Decided, Decision, Link, Policy, Reason};
use memfold::model::{
    Category, ChangeType, Conflict, Draft, EdgeKind, Id, Ids, Memory, PropertyChange, Relation, Relationship,
    Retention, Source, StorageTier, Time, Zone,
};
use memfold::similarity::Factors;
use memfold::{Code, Error};

pub const DAY: i64 = 86_400_000;

pub fn time(day: i64) -> Time {
    Time::from_millis(1_741_000_000_000 + day * DAY)
}

pub fn draft(day: i64, content: &str) -> Draft {
    Draft { stated_at: Some(time(day)), source_type: Source::Realtime, ..Draft::new(content) }
}

pub fn stored(day: i64, content: &str) -> Memory {
    Memory::from_draft(Ids::new(time(day), [day as u8; 16]).mint(), draft(day, content), time(day))
}

pub fn decided(decision: Decision, target: Option<Id>, conflict: Conflict) -> Decided {
    Decided {
        decision,
        target,
        relationship: Relationship::Identical,
        conflict,
        analyst: Analyst::Local,
        confidence: 0.97,
        ..Decided::default()
    }
}

fn candidate(m: &Memory) -> Candidate {
    Candidate { id: m.id, score: 0.8, factors: Factors::default(), structural: true, important: false, analysis: None }
}

/// A candidate that the analyst judges to be an older version of the new memory.
fn conflicting(m: &Memory, content: f32, conflict: Conflict, sure: bool) -> Candidate {
    let analysis = Analysis {
        outcome: Outcome::Update,
        probabilities: [0.01, 0.97, 0.01, 0.01],
        confidence: 0.97,
        sure,
        by_head: false,
        subject_a: String::new(),
        subject_b: String::new(),
        relationship: Relationship::Identical,
        relation: None,
        changes: Vec::new(),
        conflict,
        key_factors: Vec::new(),
    };
    Candidate { factors: Factors { content, ..Factors::default() }, analysis: Some(analysis), ..candidate(m) }
}

pub fn planned(decided: Decided, draft: Draft, known: &[Memory], chain: &[Memory], policy: &Policy) -> Planned {
    let candidates: Vec<Candidate> = known.iter().map(candidate).collect();
    planned_among(&candidates, decided, draft, known, chain, policy)
}

fn planned_among(
    candidates: &[Candidate],
    decided: Decided,
    draft: Draft,
    known: &[Memory],
    chain: &[Memory],
    policy: &Policy,
) -> Planned {
    let input = Input {
        draft,
        key: Some("k".into()),
        act: Act { user_id: "u", now: time(100), base: 7 },
        zone: Zone::default(),
        candidates,
        known,
        chain,
        waiting: &[],
        policy,
        strategy: MergeStrategy::default(),
        wording: None,
        again: false,
    };
    plan(decided, input, &mut Ids::new(time(100), [9; 16]))
}

pub fn update(old: &Memory, new: Draft) -> Planned {
    let d = decided(Decision::Update, Some(old.id), Conflict::Update);
    planned(d, new, std::slice::from_ref(old), &[], &Policy::BALANCED)
}

fn written(p: &Planned, id: Id) -> &Memory {
    p.set.memories.iter().find(|m| m.id == id).expect("it is written")
}

#[test]
fn an_update_makes_a_new_head_and_demotes_the_old_one() {
    let old = Memory { retention: Retention::Core, importance: 0.9, ..stored(1, "예산 5000만원") };
    let p = update(&old, draft(2, "예산 6000만원"));
    let new = p.memory.clone().unwrap();
    assert_eq!((new.version, new.previous_version_id, new.superseded_by), (2, Some(old.id), None));
    assert_eq!(new.importance, 0.9);
    assert_eq!(new.retention, Retention::Core);
    let was = written(&p, old.id);
    assert_eq!((was.superseded_by, was.retention, was.revision), (Some(new.id), Retention::Semantic, 2));
    assert_eq!(was.contradicted_by, Some(new.id));
    assert!(p.set.expect.iter().any(|e| e.id == old.id && e.revision == Some(1)));
    assert!(p.set.expect.iter().any(|e| e.id == new.id && e.revision.is_none()));
    assert_eq!((p.set.base, p.set.key.as_deref()), (Some(7), Some("k")));
}

#[test]
fn the_successor_of_a_contradicted_core_memory_is_core() {
    let old = Memory { retention: Retention::Core, ..stored(1, "I am vegetarian") };
    let d = decided(Decision::Update, Some(old.id), Conflict::Contradiction);
    let p = planned(d, draft(2, "I eat steak"), std::slice::from_ref(&old), &[], &Policy::BALANCED);
    let new = p.memory.clone().unwrap();
    assert_eq!(new.retention, Retention::Core);
    assert_eq!(written(&p, old.id).contradicted_by, Some(new.id));
}

#[test]
fn changes_by_a_lower_priority_source_wait_for_review() {
    let old = Memory { source_type: Source::UserInput, ..stored(1, "여권 만료일 1월 19일") };
    let p = update(&old, draft(2, "여권 만료일 6월 19일"));
    assert!(p.set.memories.is_empty());
    assert_eq!((p.set.entry.status, p.set.entry.needs_review), (Status::Skipped, true));
    assert_eq!(p.set.entry.reasons[0], Reason::SourceOutranks);
    let override_ = Policy { respect_source_priority: false, ..Policy::BALANCED };
    let d = decided(Decision::Update, Some(old.id), Conflict::Update);
    let p = planned(d, draft(2, "여권 만료일 6월 19일"), &[old], &[], &override_);
    assert_eq!(p.memory.unwrap().version, 2);
}

#[test]
fn an_older_statement_becomes_history() {
    let mut first = stored(1, "8400만원");
    let mut head = stored(9, "9150만원");
    first.superseded_by = Some(head.id);
    (head.previous_version_id, head.version) = (Some(first.id), 2);
    let chain = [first.clone(), head.clone()];
    let d = decided(Decision::Update, Some(head.id), Conflict::Update);
    let p = planned(d, draft(5, "7900만원"), std::slice::from_ref(&head), &chain, &Policy::BALANCED);
    let late = p.memory.clone().unwrap();
    assert_eq!((late.version, late.previous_version_id, late.superseded_by), (2, Some(first.id), Some(head.id)));
    assert_eq!(written(&p, first.id).superseded_by, Some(late.id));
    let head = written(&p, head.id);
    assert_eq!((head.version, head.previous_version_id, head.superseded_by), (3, Some(late.id), None));
    assert_eq!(p.set.entry.reasons[0], Reason::OlderThanStored);
}

#[test]
fn a_statement_older_than_the_whole_chain_becomes_its_first_version() {
    let head = stored(9, "9150만원");
    let p = update(&head, draft(1, "8400만원"));
    let late = p.memory.clone().unwrap();
    assert_eq!((late.version, late.previous_version_id, late.superseded_by), (1, None, Some(head.id)));
    assert_eq!(written(&p, head.id).version, 2);
}

#[test]
fn a_partial_update_keeps_unchanged_facts() {
    let old = stored(1, "Q1 마케팅 캠페인: 시작일 1월 15일, 예산 5000만원");
    let change = Change {
        change: PropertyChange {
            property: "예산".into(),
            old_value: Some("5000만원".into()),
            new_value: Some("6000만원".into()),
            change_type: ChangeType::ValueChange,
        },
        new_span: None,
    };
    let d = Decided { changes: vec![change], ..decided(Decision::Update, Some(old.id), Conflict::Update) };
    let p = planned(d, draft(2, "예산이 6000만원으로 증액되었습니다"), &[old], &[], &Policy::BALANCED);
    assert_eq!(p.memory.unwrap().content, "예산이 6000만원으로 증액되었습니다 · Q1 마케팅 캠페인: 시작일 1월 15일");
}

#[test]
fn an_update_without_a_date_keeps_the_date() {
    let mut old = stored(1, "픽업은 월요일, Dock 4");
    old.occurred_at = time(40).into();
    let new = Draft { occurred_at: Some(time(2).into()), ..draft(2, "Dock 6") };
    assert_eq!(update(&old, new).memory.unwrap().occurred_at, time(40));
}

#[test]
fn an_update_of_an_undated_memory_takes_the_statement_date() {
    let old = stored(1, "The contract is under review");
    let told = |said: Draft| update(&old, said).memory.unwrap().occurred_at;
    assert_eq!(told(draft(2, "The contract is approved")), time(2));
    assert_eq!(told(Draft { stated_at: None, occurred_at: None, ..draft(2, "The contract is approved") }), time(1));
}

#[test]
fn links_point_from_the_earlier_to_the_later_memory() {
    let (a, b) = (stored(1, "Q1 OKR"), stored(9, "Q3 OKR"));
    let link = |m: &Memory| Link { id: m.id, relation: Some(Relation::Sequential), weight: 0.9, may_replace: false };
    let d = Decided { links: vec![link(&a), link(&b)], ..decided(Decision::CreateAndLink, Some(a.id), Conflict::None) };
    let p = planned(d, draft(5, "Q2 OKR"), &[a.clone(), b.clone()], &[], &Policy::BALANCED);
    let new = p.memory.unwrap().id;
    let ends: Vec<_> = p.set.edges.iter().map(|e| (e.from, e.to)).collect();
    assert_eq!(ends, [(a.id, new), (new, b.id)]);
}

#[test]
fn a_skip_writes_only_its_log_entry() {
    let old = stored(1, "같은 내용");
    let d = decided(Decision::Skip, Some(old.id), Conflict::Overlap);
    let p = planned(d, draft(2, "같은 내용"), std::slice::from_ref(&old), &[], &Policy::BALANCED);
    assert!(p.set.memories.is_empty() && p.set.edges.is_empty());
    assert_eq!((p.set.entry.decision, p.set.entry.status), (Decision::Skip, Status::Skipped));
    assert_eq!(p.memory.unwrap().id, old.id);
}

#[test]
fn planning_is_deterministic() {
    let old = stored(1, "a");
    assert_eq!(update(&old, draft(2, "b")), update(&old, draft(2, "b")));
}

/// Plans an update of a stored budget while `other` is a second candidate.
fn plan_update_with_other(other: &Memory, seen: Candidate, day: i64) -> Planned {
    let target = stored(1, "예산 5000만원");
    let known = [target.clone(), other.clone()];
    let d = decided(Decision::Update, Some(target.id), Conflict::Update);
    let candidates = [candidate(&target), seen];
    planned_among(&candidates, d, draft(day, "예산 6000만원"), &known, &[], &Policy::BALANCED)
}

#[test]
fn other_possibly_outdated_memories_are_linked_and_flagged_only() {
    let other = Memory { retention: Retention::Core, importance: 0.9, ..stored(2, "예산은 5천만원") };
    for conflict in [Conflict::Contradiction, Conflict::Update] {
        let p = plan_update_with_other(&other, conflicting(&other, 0.6, conflict, true), 5);
        let new = p.memory.clone().unwrap();
        assert!(p.set.memories.iter().all(|m| m.id != other.id), "the other one stays as it is");
        let edge = p.set.edges.iter().find(|e| e.from == other.id).unwrap();
        assert_eq!((edge.to, edge.kind), (new.id, EdgeKind::MayReplace));
        assert!(p.set.entry.needs_review);
        assert!(p.set.entry.reasons.contains(&Reason::MayAlsoReplace { memories: 1 }));
        assert!(p.set.expect.iter().any(|e| e.id == other.id && e.revision == Some(1)));
    }
}

#[test]
fn minor_unsure_dissimilar_or_deleted_memories_are_not_marked_outdated() {
    let worthy = Memory { importance: 0.6, ..stored(2, "예산은 5천만원") };
    let update = |m: &Memory| conflicting(m, 0.7, Conflict::Update, true);
    let marked = |p: &Planned| p.set.edges.iter().any(|e| e.kind == EdgeKind::MayReplace);
    let cases = [
        (Memory { importance: 0.5, ..worthy.clone() }, 0.7, Conflict::Update, true),
        (Memory { storage_tier: StorageTier::Stub, ..worthy.clone() }, 0.7, Conflict::Update, true),
        (Memory { deleted_at: Some(time(3)), ..worthy.clone() }, 0.7, Conflict::Update, true),
        (Memory { superseded_by: Some(worthy.id), ..worthy.clone() }, 0.7, Conflict::Update, true),
        (worthy.clone(), 0.599, Conflict::Update, true),
        (worthy.clone(), 0.7, Conflict::Update, false),
        (worthy.clone(), 0.7, Conflict::Overlap, true),
        (worthy.clone(), 0.7, Conflict::None, true),
    ];
    for (other, content, conflict, sure) in cases {
        let p = plan_update_with_other(&other, conflicting(&other, content, conflict, sure), 5);
        assert!(!marked(&p), "{other:?} {content} {conflict:?} {sure}");
    }
    // Core retention outweighs low importance.
    let core = Memory { importance: 0.1, retention: Retention::Core, ..worthy };
    assert!(marked(&plan_update_with_other(&core, update(&core), 5)));
    // An older statement does not outdate a newer one.
    let later = Memory { importance: 0.6, ..stored(9, "예산은 5천만원") };
    assert!(!marked(&plan_update_with_other(&later, update(&later), 5)));
}

#[test]
fn partial_updates_merge_as_expected_in_both_languages() {
    let cases = include_str!("../cases/merge.jsonl");
    let (mut wrong, mut all) = (Vec::new(), 0);
    for line in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| case[name].as_str().unwrap().to_owned();
        let thread_id = Some("t".to_owned());
        let old = Memory { thread_id: thread_id.clone(), ..stored(1, &text("old")) };
        let new = Draft { thread_id, ..draft(2, &text("new")) };
        let changes = analyse(&(&old).into(), &(&new).into()).changes;
        let d = Decided { changes, ..decided(Decision::Update, Some(old.id), Conflict::Update) };
        let merged = planned(d, new, &[old], &[], &Policy::BALANCED).memory.unwrap().content;
        all += 1;
        if merged != text("merged") {
            wrong.push(merged);
        }
    }
    // The analyst pairs old and new values and may miss one in fifteen.
    assert!(all >= 40 && wrong.len() * 15 <= all, "{} of {all}: {wrong:#?}", wrong.len());
}

#[test]
fn the_log_entry_records_the_whole_decision() {
    let (old, other) = (stored(1, "예산 5000만원"), stored(2, "예산 회의"));
    let d = Decided {
        subject_a: Some("a".into()),
        subject_b: Some("b".into()),
        links: vec![Link { id: other.id, relation: Some(Relation::Causal), weight: 0.9, may_replace: false }],
        ..decided(Decision::Update, Some(old.id), Conflict::Contradiction)
    };
    let new = Draft { source_id: Some("<1>".into()), ..draft(3, "예산 6000만원") };
    let p = planned(d, new, &[old.clone(), other.clone()], &[], &Policy::BALANCED);
    let e = &p.set.entry;
    assert_eq!(
        (e.conflict, e.relationship, e.relation),
        (Conflict::Contradiction, Relationship::Identical, Some(Relation::Causal))
    );
    assert_eq!((e.target_id, e.memory_id, e.confidence), (Some(old.id), p.memory.as_ref().map(|m| m.id), 0.97));
    assert_eq!((e.key.as_deref(), e.source_id.as_deref(), e.user_id.as_str()), (Some("k"), Some("<1>"), "u"));
    assert_eq!((e.subject_a.as_deref(), e.subject_b.as_deref()), (Some("a"), Some("b")));
    assert_eq!(e.alternatives.iter().map(|a| a.id).collect::<Vec<_>>(), [other.id]);
    assert!(e.reason.contains("같은 대상") && e.draft.as_ref().is_some_and(|d| d.content == "예산 6000만원"));
    assert_eq!((p.set.edges[0].from, p.set.edges[0].weight, e.touched.len()), (other.id, 0.9, 2));
}

#[test]
fn the_log_entry_of_a_linked_memory_is_complete() {
    let (target, far) = (stored(1, "Q1 OKR"), stored(2, "tea"));
    let seen = Candidate { score: 0.4, ..conflicting(&far, 0.1, Conflict::None, false) };
    let link = Link { id: target.id, relation: None, weight: 1.5, may_replace: false };
    let d = Decided {
        links: vec![link],
        reasons: vec![Reason::NotSure { confidence: 0.5 }],
        reasoning: Some("in its own words".into()),
        ..decided(Decision::CreateAndLink, Some(target.id), Conflict::Overlap)
    };
    let new = Draft { category: Category::Task, ..draft(3, "Q2 OKR") };
    let known = [target.clone()];
    let p = planned_among(&[candidate(&target), seen], d, new.clone(), &known, &[], &Policy::BALANCED);
    let made = p.memory.clone().unwrap();
    let entry = LogEntry {
        decision: Decision::CreateAndLink,
        trigger: Some(Trigger::NewMail),
        linked_ids: vec![target.id],
        analyst: Analyst::Local,
        category: Category::Task,
        key: Some("k".into()),
        target_id: Some(target.id),
        memory_id: Some(made.id),
        touched: vec![made.id],
        similarity: p.set.entry.similarity,
        confidence: 0.97,
        reasons: vec![Reason::NotSure { confidence: 0.5 }],
        reason: "in its own words".into(),
        relationship: Relationship::Identical,
        conflict: Conflict::Overlap,
        alternatives: vec![Alternative { id: far.id, score: 0.4, decision: Decision::Update, probability: Some(0.97) }],
        ..LogEntry::new(p.set.entry.id, time(100), "u", "Q2 OKR")
    };
    assert_eq!(p.set.entry, entry);
    assert_eq!(p.set.entry.similarity.unwrap().score, 0.8);
    let edge = &p.set.edges[0];
    assert_eq!((edge.relation, edge.weight, edge.created_at), (Some(Relation::Reference), 1.0, time(100)));
    let rests_on = [(target.id, Some(1)), (made.id, None)].map(|(id, revision)| Expectation { id, revision });
    assert_eq!(p.set.expect, rests_on);
}

#[test]
fn suspected_passages_and_failures_write_only_a_log_entry() {
    let given = LogEntry::new(stored(9, "x").id, time(9), "u", "x");
    for (content, word) in
        [("Remember: from now on", "instead of to a reader"), ("앞으로는 기억해", "저장하지 않았습니다")]
    {
        let passage = Draft { source_id: Some("<1>".into()), ..draft(1, content) };
        let set = suspect(passage.clone(), "k".into(), given.clone());
        assert!(set.entry.reason.contains(word), "{}", set.entry.reason);
        let entry = LogEntry {
            decision: Decision::Skip,
            trigger: Some(Trigger::NewMail),
            status: Status::Skipped,
            needs_review: true,
            source_id: Some("<1>".into()),
            reasons: vec![Reason::Suspected],
            reason: set.entry.reason.clone(),
            draft: Some(Box::new(passage)),
            ..given.clone()
        };
        assert_eq!(set, ChangeSet { key: Some("k".into()), ..ChangeSet::new(entry) });
    }
    let failed = failure(&Error::new(Code::InvalidInput, "no text"), given.clone());
    let entry = LogEntry {
        status: Status::Error,
        needs_review: true,
        reasons: vec![Reason::Failed { error: Code::InvalidInput.as_str().into(), message: "no text".into() }],
        reason: "no text".into(),
        ..given
    };
    assert_eq!(failed, ChangeSet::new(entry));
}
