//! What the cases are made of: ids, memories, edges, entries and sets, all from a counter.

use memfold::analysis::KeyFactor;
use memfold::consolidation::{Action, Alternative, ChangeSet, Expectation, LogEntry, Score, Standing};
use memfold::decision::{Decision, Reason};
use memfold::model::*;
use memfold::similarity::Factors;

/// The `n`th id; ids ascend with `n`.
pub fn id(n: u64) -> Id {
    Ids::new(Time::from_millis(1_741_000_000_000 + n as i64), [7; 16]).mint()
}

pub fn memory(n: u64, content: &str) -> Memory {
    Memory::from_draft(id(n), Draft::new(content), Time::from_millis(1_741_000_000_000))
}

/// The same memory with its next revision and another content.
pub fn rewritten(memory: &Memory, content: &str) -> Memory {
    Memory { revision: memory.revision + 1, content: content.into(), ..memory.clone() }
}

pub fn edge(n: u64, from: u64, to: u64) -> Edge {
    let created_at = Time::from_millis(1_741_000_000_000);
    Edge { id: id(n), from: id(from), to: id(to), kind: EdgeKind::RelatedTo, relation: None, weight: 0.5, created_at }
}

pub fn expects(n: u64, revision: Option<u64>) -> Expectation {
    Expectation { id: id(n), revision }
}

/// A set with nothing in it but an entry; `n` makes the entry's id.
pub fn set(n: u64) -> ChangeSet {
    ChangeSet::new(entry(1_000_000 + n))
}

/// A set that puts one memory, which must not be there.
pub fn creating(n: u64, memory: Memory) -> ChangeSet {
    let expect = vec![Expectation { id: memory.id, revision: None }];
    ChangeSet { expect, memories: vec![memory], ..set(n) }
}

fn entry(n: u64) -> LogEntry {
    LogEntry::new(id(n), Time::from_millis(1_741_000_000_123), "local", &format!("input {n}"))
}

/// A set in which every optional field is there, and texts are of every kind that UTF-8 allows.
pub fn full_set(n: u64) -> ChangeSet {
    let text = "결정: 예산 6천만원 👩‍👩‍👧 e\u{301}\u{301} \u{0}\u{1b}\u{2028}\u{feff}\"\\ عربى 日本 ".to_owned();
    let time = |ms| Some(Time::from_millis(ms));
    let score = Score {
        score: 0.870_123_4,
        factors: Factors {
            content: 0.1,
            people: Some(0.2),
            thread_id: Some(1.0),
            subject: Some(1e-7),
            entities: Some(0.0),
        },
    };
    let change = |old: Option<&str>, new: Option<&str>, change_type| PropertyChange {
        property: "예산".into(),
        old_value: old.map(Into::into),
        new_value: new.map(Into::into),
        change_type,
    };
    let full = Memory {
        node_type: NodeType::Summary,
        revision: 9_007_199_254_740_991,
        version: 3,
        previous_version_id: Some(id(1)),
        superseded_by: Some(id(2)),
        contradicted_by: Some(id(3)),
        content: text.repeat(2_000),
        category: Category::Decision,
        keywords: vec![text.clone(), String::new()],
        people: vec!["김민준 <mj@example.com>".into()],
        entities: vec!["Q1 마케팅".into()],
        subject: Some(text.clone()),
        thread_id: Some("thread".into()),
        properties: vec![Property {
            name: "__proto__".into(),
            value: "constructor".into(),
            normalised: Some("toString".into()),
        }],
        importance: 0.1 + 0.2,
        importance_factors: vec![ImportanceFactor::new(Factor::ContainsMoney, Some("6천만원".into()))],
        occurred_at: Time::from_millis(i64::MIN).into(),
        stated_at: time(i64::MAX),
        valid_from: time(-1).map(Into::into),
        valid_until: "2024-02-29".parse().ok(),
        source_id: Some("<id@example.com>".into()),
        evidence: Some(Evidence { text: text.clone(), start: 0, end: u32::MAX }),
        retention: Retention::Core,
        generation: Generation::Archived,
        storage_tier: StorageTier::Stub,
        stability: f32::MIN_POSITIVE,
        feedback: Feedback { up: 1, down: u32::MAX },
        deleted_at: time(1),
        ..memory(n, "")
    };
    let logged = LogEntry {
        decision: Decision::Update,
        input: text.clone(),
        source_id: Some(text.clone()),
        target_id: Some(id(1)),
        memory_id: Some(full.id),
        touched: vec![id(1), full.id],
        similarity: Some(score),
        reasons: vec![
            Reason::ScoreInBand { score: 0.9, from: 0.8 },
            Reason::Feature(KeyFactor { code: "money_changed".into(), weight: -1.25, evidence: Some(text.clone()) }),
            Reason::LocalAnalystSure { confidence: 1.0 },
            Reason::Failed { error: "storage".into(), message: "no".into() },
        ],
        subject_a: Some("Q1 마케팅".into()),
        subject_b: Some(String::new()),
        relationship: Relationship::Identical,
        relation: Some(Relation::Elaboration),
        conflict: Conflict::Update,
        property_changes: vec![
            change(Some("5천만원"), Some("6천만원"), ChangeType::ValueChange),
            change(None, Some("x"), ChangeType::Addition),
        ],
        alternatives: vec![Alternative { id: id(4), score: 0.3, decision: Decision::Create, probability: Some(0.25) }],
        needs_review: true,
        processing_ms: 1.5,
        tokens: u32::MAX,
        action: Action::Review,
        about: Some(id(5)),
        before: vec![Standing::of(&full)],
        edges_before: vec![edge(6, 1, 2)],
        draft: Some(Box::new(Draft { subject: Some(text.clone()), ..Draft::new(text.clone()) })),
        redacted: Some("00".into()),
        salt: "salt".into(),
        hash: "ff".into(),
        ..entry(n)
    };
    let link = Edge { relation: Some(Relation::Causal), weight: 0.7, ..edge(n, 1, n) };
    ChangeSet {
        key: Some("account\u{0}<id@example.com>\u{0}0 👍".into()),
        memories: vec![full],
        edges: vec![link],
        entry: logged,
        ..set(n)
    }
}
