//! Change sets of the owner's delete, undo and review, compared as whole values.

use memfold::Code;
use memfold::consolidation::{
    Act, Action, Alternative, Analyst, Cascade, ChangeSet, Expectation, LogEntry, OwnerVerdict, Reversal, ReviewStep,
    Standing, Status, Trigger, delete, dependents, derived, may_repeat, open_reviews, review, said, step, taken_back,
    undo, undoable,
};
use memfold::decision::{Decision, Reason};
use memfold::model::{Category, Conflict, Draft, Edge, EdgeKind, Id, Ids, Memory, Relation, Relationship, Time};

pub const DAY: i64 = 86_400_000;

pub fn time(day: i64) -> Time {
    Time::from_millis(1_741_000_000_000 + day * DAY)
}

pub fn stored(day: i64, content: &str) -> Memory {
    let draft = Draft { stated_at: Some(time(day)), ..Draft::new(content) };
    Memory::from_draft(Ids::new(time(day), [day as u8; 16]).mint(), draft, time(day))
}

pub const ACT: Act<'static> = Act { user_id: "u", now: Time::from_millis(1_741_000_000_000), base: 7 };

pub fn ids() -> Ids {
    Ids::new(time(100), [9; 16])
}

pub fn edge(from: Id, to: Id, day: i64) -> Edge {
    let id = Ids::new(time(day), [77; 16]).mint();
    Edge { id, from, to, kind: EdgeKind::RelatedTo, relation: None, weight: 1.0, created_at: time(day) }
}

pub fn revisions(memories: &[Memory]) -> Vec<Expectation> {
    memories.iter().map(|m| Expectation { id: m.id, revision: Some(m.revision) }).collect()
}

#[test]
fn delete_writes_the_whole_chain_and_records_its_previous_state() {
    let mut chain = [stored(1, "예산 5천"), stored(2, "예산 6천")];
    chain[0].superseded_by = Some(chain[1].id);
    let gone = chain.clone().map(|m| Memory { deleted_at: Some(ACT.now), updated_at: ACT.now, revision: 2, ..m });
    let link = edge(chain[1].id, stored(3, "x").id, 4);
    for (cascade, removed) in [(Cascade::PreserveEdges, vec![]), (Cascade::RemoveEdges, vec![link.clone()])] {
        let set = delete(&chain, vec![link.clone()], cascade, "예산 지워줘", ACT, &mut ids());
        let entry = LogEntry {
            action: Action::Delete,
            trigger: Some(Trigger::UserRequest),
            cascade: Some(cascade),
            decision: Decision::Delete,
            analyst: Analyst::User,
            confidence: 1.0,
            target_id: Some(chain[1].id),
            reason: "사용자의 요청으로 지웠습니다.".into(),
            before: chain.iter().map(Standing::of).collect(),
            touched: chain.iter().map(|m| m.id).collect(),
            edges_before: removed.clone(),
            ..LogEntry::new(set.entry.id, ACT.now, "u", "예산 지워줘")
        };
        let expected = ChangeSet {
            base: Some(7),
            expect: revisions(&chain),
            memories: gone.to_vec(),
            removed_edges: removed.iter().map(|e| e.id).collect(),
            ..ChangeSet::new(entry)
        };
        assert_eq!(set, expected);
    }
}

/// The log entry of a mail: what was decided about `target`, and the memory that it wrote.
pub fn logged(day: i64, decision: Decision, target: Option<Id>, memory: Option<Id>) -> LogEntry {
    let id = Ids::new(time(day), [55; 16]).mint();
    LogEntry {
        decision,
        target_id: target,
        memory_id: memory,
        touched: memory.into_iter().collect(),
        category: Category::Project,
        source_id: Some("<1>".into()),
        ..LogEntry::new(id, time(day), "u", "The budget is 5,000 EUR.")
    }
}

#[test]
fn undo_writes_an_entry_about_the_undone_entry() {
    let (a, b) = (stored(1, "x"), stored(2, "y"));
    let entry = LogEntry { reason: "It is new.".into(), ..logged(3, Decision::Update, Some(a.id), Some(b.id)) };
    let (moved, removed) = (edge(a.id, b.id, 5), edge(b.id, a.id, 6));
    let back = Reversal {
        memories: vec![Memory { revision: 2, ..a.clone() }],
        edges: vec![moved.clone()],
        removed_edges: vec![removed.id],
        edges_before: vec![removed.clone()],
    };
    for (reason, said) in
        [("It is new.", "Taken back at the user's word."), ("새 값", "사용자의 요청으로 되돌렸습니다.")]
    {
        let entry = LogEntry { reason: reason.into(), ..entry.clone() };
        let set = undo(&entry, std::slice::from_ref(&a), back.clone(), ACT, &mut ids());
        let undone = LogEntry {
            action: Action::Undo,
            trigger: Some(Trigger::UserRequest),
            about: Some(entry.id),
            decision: Decision::Update,
            analyst: Analyst::User,
            confidence: 1.0,
            target_id: Some(a.id),
            category: Category::Project,
            source_id: Some("<1>".into()),
            before: vec![Standing::of(&a)],
            reason: said.into(),
            edges_before: vec![removed.clone()],
            touched: vec![a.id],
            ..LogEntry::new(set.entry.id, ACT.now, "u", "")
        };
        let expected = ChangeSet {
            base: Some(7),
            expect: revisions(std::slice::from_ref(&a)),
            memories: back.memories.clone(),
            edges: vec![moved.clone()],
            removed_edges: vec![removed.id],
            ..ChangeSet::new(undone)
        };
        assert_eq!(set, expected);
    }
}

#[test]
fn review_that_changes_nothing_repeats_the_decision_as_the_owners() {
    let entry = LogEntry {
        relation: Some(Relation::Causal),
        relationship: Relationship::Sequential,
        conflict: Conflict::Contradiction,
        reason: "because".into(),
        needs_review: true,
        key: Some("k".into()),
        ..logged(3, Decision::Update, Some(stored(1, "x").id), None)
    };
    for (verdict, decision, reason) in [
        (OwnerVerdict::Accept, Decision::Update, Reason::Accepted),
        (OwnerVerdict::Reject, Decision::Update, Reason::Rejected),
        (OwnerVerdict::Change(Decision::Skip), Decision::Skip, Reason::Corrected),
    ] {
        let set = review(&entry, verdict, (&[], Reversal::default(), &[]), None, ACT, &mut ids());
        let kept = LogEntry {
            action: Action::Review,
            trigger: Some(Trigger::UserRequest),
            about: Some(entry.id),
            decision,
            analyst: Analyst::User,
            confidence: 1.0,
            category: Category::Project,
            source_id: Some("<1>".into()),
            target_id: entry.target_id,
            relation: Some(Relation::Causal),
            relationship: Relationship::Sequential,
            conflict: Conflict::Contradiction,
            reason: "because".into(),
            reasons: vec![reason],
            ..LogEntry::new(set.entry.id, ACT.now, "u", "The budget is 5,000 EUR.")
        };
        assert_eq!(set, ChangeSet { base: Some(7), ..ChangeSet::new(kept) });
    }
}

#[test]
fn changing_review_moves_links_to_the_replacement_memory() {
    let (old, made, other) = (stored(1, "x"), stored(2, "y"), stored(3, "z"));
    let entry = LogEntry { touched: vec![made.id], ..logged(2, Decision::CreateAndLink, Some(old.id), Some(made.id)) };
    let heir = Memory { revision: 1, ..stored(8, "xy") };
    let instead = ChangeSet {
        key: Some("k".into()),
        expect: vec![Expectation { id: made.id, revision: Some(9) }, Expectation { id: heir.id, revision: None }],
        memories: vec![heir.clone()],
        ..ChangeSet::new(LogEntry {
            before: vec![Standing::of(&made), Standing::of(&old)],
            ..logged(9, Decision::Update, Some(old.id), Some(heir.id))
        })
    };
    let gone = Memory { deleted_at: Some(ACT.now), ..made.clone() };
    let back = Reversal { memories: vec![gone.clone(), heir.clone()], ..Reversal::default() };
    let later = edge(made.id, other.id, 6);
    let edges = [edge(old.id, made.id, 2), later.clone(), edge(old.id, other.id, 7)];
    let verdict = OwnerVerdict::Change(Decision::Update);
    let read = [made.clone()];
    let set = review(&entry, verdict, (&read, back, &edges), Some(instead), ACT, &mut ids());
    assert_eq!(set.edges, [Edge { from: heir.id, ..later.clone() }]);
    assert_eq!(set.entry.edges_before, [later]);
    assert_eq!(set.memories, [heir.clone(), gone]);
    assert_eq!(
        set.expect,
        [Expectation { id: heir.id, revision: None }, Expectation { id: made.id, revision: Some(1) }]
    );
    assert_eq!(set.entry.before, [Standing::of(&old), Standing::of(&made)]);
    assert_eq!((set.key, set.base, set.entry.touched), (None, Some(7), vec![heir.id, made.id]));
}

#[test]
fn original_draft_comes_from_the_entry_or_the_memory_or_the_input() {
    let entry = logged(1, Decision::Skip, None, None);
    let draft = Draft { subject: Some("s".into()), ..Draft::new("whole") };
    let kept = LogEntry { draft: Some(Box::new(draft.clone())), ..entry.clone() };
    let memory = Memory { subject: Some("of it".into()), ..stored(1, "grown since") };
    assert_eq!(said(&kept, Some(&memory)), draft);
    let told = said(&entry, Some(&memory));
    assert_eq!((told.content.as_str(), told.subject.as_deref()), (entry.input.as_str(), Some("of it")));
    let bare = Draft { category: Category::Project, source_id: Some("<1>".into()), ..Draft::new(&entry.input) };
    assert_eq!(said(&entry, None), bare);
}

#[test]
fn derived_memories_are_later_versions_and_review_results() {
    let [a, b, c, d] = [1, 2, 3, 4].map(|n| stored(n, "x").id);
    let first = logged(1, Decision::Create, None, Some(a));
    let version = logged(2, Decision::Update, Some(a), Some(b));
    let linked = logged(3, Decision::CreateAndLink, Some(a), Some(c));
    let late = LogEntry { reasons: vec![Reason::OlderThanStored], ..logged(4, Decision::Update, Some(a), Some(d)) };
    let log = [first.clone(), version, linked, late];
    assert_eq!(derived(&[a], &[a], &log), [b]);
    assert_eq!(derived(&[a], &[a, b], &log), []);
    assert_eq!(derived(&[c], &[c], &log), []);
    let other =
        LogEntry { action: Action::Review, about: Some(first.id), ..logged(5, Decision::Create, None, Some(d)) };
    let log = [first, other];
    assert_eq!(derived(&[a], &[a], &log), [d]);
    assert_eq!(derived(&[d], &[d], &log), [a]);
    assert_eq!(derived(&[], &[a], &log), []);
}

#[test]
fn may_repeat_is_true_for_entries_that_can_contain_the_memorys_text() {
    let m = Memory { source_id: Some("<1>".into()), ..stored(1, "x") };
    let other = stored(2, "y").id;
    let bare = LogEntry { source_id: None, ..logged(3, Decision::Create, None, None) };
    let near = |id| vec![Alternative { id, score: 0.5, decision: Decision::Create, probability: None }];
    let same = || Some("<1>".to_owned());
    let cases = [
        (bare.clone(), false),
        (LogEntry { memory_id: Some(m.id), ..bare.clone() }, true),
        (LogEntry { target_id: Some(m.id), ..bare.clone() }, true),
        (LogEntry { touched: vec![other, m.id], ..bare.clone() }, true),
        (LogEntry { alternatives: near(m.id), ..bare.clone() }, true),
        (LogEntry { alternatives: near(m.id), target_id: Some(other), ..bare.clone() }, false),
        (LogEntry { source_id: same(), ..bare.clone() }, false),
        (LogEntry { source_id: same(), status: Status::Error, ..bare.clone() }, true),
        (LogEntry { source_id: same(), reasons: vec![Reason::Suspected], ..bare.clone() }, true),
        (LogEntry { source_id: Some("<2>".into()), status: Status::Error, ..bare.clone() }, false),
    ];
    for (entry, expected) in cases {
        assert_eq!(may_repeat(&entry, std::slice::from_ref(&m)), expected, "{entry:?}");
    }
    let unnamed = LogEntry { status: Status::Error, ..bare };
    assert!(!may_repeat(&unnamed, &[stored(1, "x")]), "nothing names either");
}

fn entry_about(day: i64, action: Action, entry: &LogEntry) -> LogEntry {
    LogEntry {
        action,
        about: Some(entry.id),
        touched: entry.touched.clone(),
        ..logged(day, Decision::Create, None, None)
    }
}

#[test]
fn entry_is_reviewed_once_and_an_undone_review_reopens_it() {
    let [a, b] = [1, 2].map(|n| stored(n, "x").id);
    let wrote = logged(1, Decision::Update, Some(a), Some(b));
    let withheld = LogEntry { status: Status::Skipped, ..logged(1, Decision::Update, Some(a), None) };
    let skipped = LogEntry { status: Status::Skipped, ..logged(1, Decision::Skip, Some(a), None) };
    let suspected = LogEntry { reasons: vec![Reason::Suspected], ..skipped.clone() };
    let failed = LogEntry { status: Status::Error, ..logged(1, Decision::Create, None, None) };
    let change = OwnerVerdict::Change;
    let cases = [
        (&suspected, OwnerVerdict::Accept, false, ReviewStep::Decide(Decision::Create)),
        (&withheld, OwnerVerdict::Accept, false, ReviewStep::Decide(Decision::Update)),
        (&wrote, OwnerVerdict::Accept, false, ReviewStep::Keep),
        (&wrote, OwnerVerdict::Reject, false, ReviewStep::TakeBack),
        (&withheld, OwnerVerdict::Reject, false, ReviewStep::Keep),
        (&wrote, change(Decision::Update), false, ReviewStep::Keep),
        (&wrote, change(Decision::Update), true, ReviewStep::Decide(Decision::Update)),
        (&withheld, change(Decision::Update), false, ReviewStep::Decide(Decision::Update)),
        (&withheld, change(Decision::Skip), false, ReviewStep::Keep),
        (&wrote, change(Decision::Skip), false, ReviewStep::Decide(Decision::Skip)),
        (&skipped, change(Decision::Create), false, ReviewStep::Decide(Decision::Create)),
    ];
    for (entry, verdict, elsewhere, expected) in cases {
        assert_eq!(step(entry, &[], verdict, elsewhere), Ok(expected), "{verdict:?} {:?}", entry.decision);
    }
    let code =
        |entry: &LogEntry, later: &[LogEntry]| step(entry, later, change(Decision::Update), false).unwrap_err().code;
    assert_eq!(code(&failed, &[]), Code::InvalidInput);
    assert_eq!(code(&LogEntry { action: Action::Delete, ..wrote.clone() }, &[]), Code::InvalidInput);
    assert_eq!(code(&LogEntry { status: Status::DryRun, ..wrote.clone() }, &[]), Code::InvalidInput);
    assert_eq!(code(&LogEntry { redacted: Some("0".into()), ..wrote.clone() }, &[]), Code::Forgotten);
    let (undone, reviewed) = (entry_about(2, Action::Undo, &wrote), entry_about(3, Action::Review, &wrote));
    assert_eq!(code(&wrote, std::slice::from_ref(&undone)), Code::AlreadyUndone);
    assert_eq!(code(&wrote, std::slice::from_ref(&reviewed)), Code::AlreadySettled);
    let withdrawn = entry_about(4, Action::Undo, &reviewed);
    assert_eq!(step(&wrote, &[reviewed.clone(), withdrawn.clone()], OwnerVerdict::Accept, false), Ok(ReviewStep::Keep));
    let elsewhere = entry_about(3, Action::Review, &undone);
    assert_eq!(step(&wrote, &[elsewhere], OwnerVerdict::Accept, false), Ok(ReviewStep::Keep));

    let waits = LogEntry { needs_review: true, ..wrote.clone() };
    let open = |log: &[LogEntry]| open_reviews(log).iter().map(|e| e.id).collect::<Vec<_>>();
    assert_eq!(open(&[waits.clone(), LogEntry { id: b, ..wrote.clone() }]), [waits.id]);
    assert_eq!(open(&[LogEntry { redacted: Some("0".into()), ..waits.clone() }]), []);
    assert_eq!(open(&[waits.clone(), undone.clone()]), []);
    assert_eq!(open(&[waits.clone(), reviewed.clone()]), []);
    assert_eq!(open(&[waits.clone(), reviewed, withdrawn]), [waits.id]);
}

#[test]
fn dependents_are_later_entries_in_force_on_the_same_memories() {
    let [a, b] = [1, 2].map(|n| stored(n, "x").id);
    let entry = logged(1, Decision::Create, None, Some(a));
    let later = LogEntry { touched: vec![b, a], ..logged(2, Decision::Update, Some(a), Some(b)) };
    let (undo, apart) = (entry_about(3, Action::Undo, &later), logged(4, Decision::Create, None, Some(b)));
    let of = |entry: &LogEntry, later: &[LogEntry]| dependents(entry, later).iter().map(|e| e.id).collect::<Vec<_>>();
    assert_eq!(of(&entry, &[later.clone(), apart.clone()]), [later.id]);
    assert_eq!(of(&entry, &[later.clone(), undo.clone()]), []);
    let redo = entry_about(5, Action::Undo, &undo);
    assert_eq!(of(&entry, &[later.clone(), undo.clone(), redo.clone()]), [later.id]);
    let gone = taken_back(&[later.clone(), undo.clone(), redo]);
    assert!(gone.contains(&undo.id) && !gone.contains(&later.id));
    // An import is no dependent, unless it changed a stored memory or the undone entry is an
    // import.
    let import = LogEntry { action: Action::Import, touched: vec![a], ..logged(6, Decision::Create, None, None) };
    assert_eq!(of(&entry, std::slice::from_ref(&import)), []);
    let moved = LogEntry { before: vec![Standing::of(&stored(1, "x"))], ..import.clone() };
    assert_eq!(of(&entry, std::slice::from_ref(&moved)), [moved.id]);
    let imported = LogEntry { action: Action::Import, ..entry.clone() };
    assert_eq!(of(&imported, std::slice::from_ref(&import)), [import.id]);

    let code = |entry: &LogEntry, later: &[LogEntry]| undoable(entry, later, &[]).map_err(|e| e.code);
    assert_eq!(code(&entry, &[]), Ok(()));
    assert_eq!(code(&LogEntry { status: Status::Skipped, ..entry.clone() }, &[]), Ok(()));
    assert_eq!(code(&LogEntry { status: Status::Error, ..entry.clone() }, &[]), Err(Code::InvalidInput));
    assert_eq!(code(&later, &[undo]), Err(Code::AlreadyUndone));
    assert_eq!(code(&entry, std::slice::from_ref(&later)), Err(Code::HasDependents));
    assert_eq!(code(&LogEntry { action: Action::Forget, ..entry.clone() }, &[]), Err(Code::Forgotten));
    assert_eq!(code(&entry, &[LogEntry { action: Action::Forget, ..later }]), Err(Code::Forgotten));
    // The memory was forgotten before a sync brought the entry. Imports may contain tombstones.
    let gone = [Memory { id: a, ..stored(1, "x") }.forgotten(ACT.now)];
    assert_eq!(undoable(&entry, &[], &gone).map_err(|e| e.code), Err(Code::Forgotten));
    assert_eq!(undoable(&imported, &[], &gone), Ok(()));
}
