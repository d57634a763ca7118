//! What the owner's acts, taking them back and joining copies write, as whole values.

use memfold::Code;
use memfold::consolidation::{
    Act, Action, Alternative, Analyst, Cascade, ChangeSet, Expectation, JoinRules, Joined, LogEntry, OwnerVerdict,
    Reversal, ReviewStep, Standing, Status, Trigger, delete, dependents, derived, difference, is_label, join,
    may_repeat, open_reviews, review, said, step, taken_back, undo, undoable, unify,
};
use memfold::decision::{Decision, Reason};
use memfold::model::{
    Category, ChangeType, Conflict, Draft, Edge, EdgeKind, Id, Ids, Memory, Property, PropertyChange, Relation,
    Relationship, Time,
};

const DAY: i64 = 86_400_000;

fn time(day: i64) -> Time {
    Time::from_millis(1_741_000_000_000 + day * DAY)
}

fn stored(day: i64, content: &str) -> Memory {
    let draft = Draft { stated_at: Some(time(day)), ..Draft::new(content) };
    Memory::from_draft(Ids::new(time(day), [day as u8; 16]).mint(), draft, time(day))
}

const ACT: Act<'static> = Act { user_id: "u", now: Time::from_millis(1_741_000_000_000), base: 7 };

fn ids() -> Ids {
    Ids::new(time(100), [9; 16])
}

fn edge(from: Id, to: Id, day: i64) -> Edge {
    let id = Ids::new(time(day), [77; 16]).mint();
    Edge { id, from, to, kind: EdgeKind::RelatedTo, relation: None, weight: 1.0, created_at: time(day) }
}

fn revisions(memories: &[Memory]) -> Vec<Expectation> {
    memories.iter().map(|m| Expectation { id: m.id, revision: Some(m.revision) }).collect()
}

#[test]
fn deleting_writes_the_whole_chain_and_says_what_stood_before() {
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

/// What was decided about a mail: `memory` of it, about `target`.
fn logged(day: i64, decision: Decision, target: Option<Id>, memory: Option<Id>) -> LogEntry {
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
fn taking_back_is_an_entry_about_the_entry() {
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
fn a_verdict_that_keeps_repeats_what_was_decided_as_the_owners_word() {
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
fn a_verdict_that_changes_moves_the_links_of_what_was_made_to_its_heir() {
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
fn what_was_said_is_the_draft_or_the_memory_or_the_entry() {
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
fn words_go_on_into_versions_and_into_what_a_review_makes_of_the_same_input() {
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
fn an_entry_may_repeat_what_it_wrote_or_is_about_or_was_nearest_or_came_from() {
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

fn about(day: i64, action: Action, entry: &LogEntry) -> LogEntry {
    LogEntry {
        action,
        about: Some(entry.id),
        touched: entry.touched.clone(),
        ..logged(day, Decision::Create, None, None)
    }
}

#[test]
fn an_entry_is_settled_once_and_an_undone_verdict_does_not_count() {
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
    let (undone, reviewed) = (about(2, Action::Undo, &wrote), about(3, Action::Review, &wrote));
    assert_eq!(code(&wrote, std::slice::from_ref(&undone)), Code::AlreadyUndone);
    assert_eq!(code(&wrote, std::slice::from_ref(&reviewed)), Code::AlreadySettled);
    let withdrawn = about(4, Action::Undo, &reviewed);
    assert_eq!(step(&wrote, &[reviewed.clone(), withdrawn.clone()], OwnerVerdict::Accept, false), Ok(ReviewStep::Keep));
    let elsewhere = about(3, Action::Review, &undone);
    assert_eq!(step(&wrote, &[elsewhere], OwnerVerdict::Accept, false), Ok(ReviewStep::Keep));

    let waits = LogEntry { needs_review: true, ..wrote.clone() };
    let open = |log: &[LogEntry]| open_reviews(log).iter().map(|e| e.id).collect::<Vec<_>>();
    assert_eq!(open(&[waits.clone(), LogEntry { id: b, ..wrote.clone() }]), [waits.id]);
    assert_eq!(open(&[LogEntry { redacted: Some("0".into()), ..waits.clone() }]), []);
    assert_eq!(open(&[waits.clone(), undone.clone()]), []);
    assert_eq!(open(&[waits.clone(), reviewed.clone()]), []);
    assert_eq!(open(&[waits.clone(), reviewed.clone(), withdrawn]), [waits.id]);
    let label = LogEntry { reasons: vec![Reason::Corrected], ..reviewed };
    let of = |reasons| LogEntry { reasons, ..label.clone() };
    assert!(is_label(&label) && is_label(&of(vec![Reason::NothingSimilar, Reason::Accepted])));
    assert!(
        !is_label(&of(vec![Reason::Rejected])) && !is_label(&LogEntry { redacted: Some("0".into()), ..label.clone() })
    );
    assert!(!is_label(&LogEntry { action: Action::Consolidate, ..label }));
}

#[test]
fn what_is_in_force_about_the_same_memories_depends() {
    let [a, b] = [1, 2].map(|n| stored(n, "x").id);
    let entry = logged(1, Decision::Create, None, Some(a));
    let later = LogEntry { touched: vec![b, a], ..logged(2, Decision::Update, Some(a), Some(b)) };
    let (undo, apart) = (about(3, Action::Undo, &later), logged(4, Decision::Create, None, Some(b)));
    let of = |entry: &LogEntry, later: &[LogEntry]| dependents(entry, later).iter().map(|e| e.id).collect::<Vec<_>>();
    assert_eq!(of(&entry, &[later.clone(), apart.clone()]), [later.id]);
    assert_eq!(of(&entry, &[later.clone(), undo.clone()]), []);
    let redo = about(5, Action::Undo, &undo);
    assert_eq!(of(&entry, &[later.clone(), undo.clone(), redo.clone()]), [later.id]);
    let gone = taken_back(&[later.clone(), undo.clone(), redo]);
    assert!(gone.contains(&undo.id) && !gone.contains(&later.id));
    // An import repeats what is there, unless it moved something or an import is taken back.
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
    // Forgotten before the entry came from elsewhere; an import brings tombstones itself.
    let gone = [Memory { id: a, ..stored(1, "x") }.forgotten(ACT.now)];
    assert_eq!(undoable(&entry, &[], &gone).map_err(|e| e.code), Err(Code::Forgotten));
    assert_eq!(undoable(&imported, &[], &gone), Ok(()));
}

/// Memories as versions of one chain.
fn chained<const N: usize>(mut versions: [Memory; N]) -> [Memory; N] {
    for n in 1..N {
        versions[n - 1].superseded_by = Some(versions[n].id);
        (versions[n].previous_version_id, versions[n].version) = (Some(versions[n - 1].id), n as u32 + 1);
    }
    versions
}

const RULES: JoinRules = JoinRules { respect_source_priority: true, keep_importance: true, now: ACT.now };

/// What an import rewrites of a stored memory.
fn rewritten(m: &Memory) -> Memory {
    Memory { revision: m.revision + 1, updated_at: ACT.now, ..m.clone() }
}

#[test]
fn a_version_that_came_takes_its_place_in_the_stored_chain() {
    let [a, b, c] = [1, 5, 9].map(|n| stored(n, "x"));
    let here = chained([a.clone(), c.clone()]);
    let there = chained([a.clone(), b.clone()]);
    let alone = stored(3, "y");
    let came = vec![there[0].clone(), there[1].clone(), alone.clone()];
    let [a2, b2, c2] = chained([a.clone(), b.clone(), c.clone()]);
    let joined = join(&here, came, RULES);
    let expected = Joined {
        fresh: vec![alone],
        grown: vec![rewritten(&a2), b2, rewritten(&c2)],
        before: here.iter().map(Standing::of).collect(),
    };
    assert_eq!(joined, expected);
    // The newest becomes the head and is worth as much as the one that was.
    let here = [Memory { importance: 0.9, ..a.clone() }];
    let head = Memory { importance: 0.2, ..b };
    for (keep_importance, importance) in [(true, 0.9), (false, 0.2)] {
        let came = chained([here[0].clone(), head.clone()]).to_vec();
        let [a2, b2] = chained([here[0].clone(), Memory { importance, ..head.clone() }]);
        let joined = join(&here, came, JoinRules { keep_importance, ..RULES });
        assert_eq!((joined.fresh, joined.grown), (vec![], vec![rewritten(&a2), b2]));
        assert_eq!(joined.before, [Standing::of(&here[0])]);
    }
    assert_eq!(join(&here, vec![here[0].clone()], RULES), Joined::default());
}

#[test]
fn a_version_replaced_from_beside_keeps_what_replaced_it() {
    let [a, n, y, z] = [1, 2, 3, 4].map(|n| stored(n, "x"));
    let [a2, mut n2] = chained([a.clone(), n]);
    let [y2, z2] = chained([y, z]);
    n2.superseded_by = Some(z2.id);
    let joined = join(&[a], vec![a2.clone(), n2.clone(), y2.clone(), z2.clone()], RULES);
    assert_eq!(joined.grown, [rewritten(&a2), n2]);
    assert_eq!(joined.fresh, [y2, z2]);
}

#[test]
fn a_tombstone_that_came_stands_by_itself() {
    let [a, b] = chained([stored(1, "x"), stored(2, "y")]);
    let gone = b.forgotten(time(3));
    let joined = join(std::slice::from_ref(&a), vec![a.clone(), gone.clone()], RULES);
    assert!(joined.grown.is_empty() && joined.before.is_empty());
    let alone = Memory { version: 1, previous_version_id: None, superseded_by: None, ..gone };
    assert_eq!(joined.fresh, [Memory { revision: alone.revision, ..alone.forgotten(ACT.now) }]);
}

#[test]
fn what_two_sides_made_of_the_same_mail_is_one() {
    let [here, there, other] = [1, 2, 3].map(|n| stored(n, "x"));
    let keyed = |day, memory: &Memory| LogEntry {
        key: Some("k".into()),
        ..logged(day, Decision::Create, None, Some(memory.id))
    };
    let log = [keyed(1, &here)];
    let near = |id| vec![Alternative { id, score: 0.5, decision: Decision::Create, probability: None }];
    let later = LogEntry {
        alternatives: near(there.id),
        edges_before: vec![edge(there.id, other.id, 4)],
        touched: vec![there.id, other.id],
        before: vec![Standing::of(&there), Standing::of(&other)],
        ..logged(3, Decision::Update, Some(there.id), Some(there.id))
    };
    let follows = Memory {
        previous_version_id: Some(there.id),
        superseded_by: Some(there.id),
        contradicted_by: Some(there.id),
        ..other.clone()
    };
    let mut memories = vec![there.clone(), follows.clone()];
    let mut edges = vec![edge(there.id, other.id, 5), edge(there.id, here.id, 6)];
    let mut entries = vec![keyed(2, &there), later.clone()];
    unify(&mut memories, &mut edges, &mut entries, &log);
    let to = |id| (Some(id), Some(id), Some(id));
    let names = |m: &Memory| (m.previous_version_id, m.superseded_by, m.contradicted_by);
    assert_eq!((memories.len(), names(&memories[0])), (1, to(here.id)));
    assert_eq!(edges, [edge(here.id, other.id, 5)]);
    let told = LogEntry {
        target_id: Some(here.id),
        memory_id: Some(here.id),
        alternatives: near(here.id),
        edges_before: vec![edge(here.id, other.id, 4)],
        touched: vec![other.id],
        before: vec![Standing::of(&other)],
        ..later
    };
    assert_eq!(entries, [told]);
    // The same entry come back, and a memory that is known here, are no twins.
    let mut entries = log.to_vec();
    let mut memories = vec![here.clone()];
    unify(&mut memories, &mut Vec::new(), &mut entries, &log);
    assert_eq!((memories.as_slice(), entries.as_slice()), (std::slice::from_ref(&here), &log[..]));
    let known = [log[0].clone(), logged(4, Decision::Create, None, Some(there.id))];
    let (mut memories, mut entries) = (vec![there.clone()], vec![keyed(2, &there)]);
    unify(&mut memories, &mut Vec::new(), &mut entries, &known);
    assert_eq!((memories, entries), (vec![there], vec![]));
}

#[test]
fn every_field_that_differs_between_two_versions_is_told_once() {
    let property = |name: &str, value: &str| Property { name: name.into(), value: value.into() };
    let list = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<String>>();
    let a = Memory {
        properties: vec![property("Room", "4"), property("Day", "Monday"), property("Lead", "ann")],
        people: list(&["ann", "bo"]),
        entities: list(&["Acme"]),
        valid_until: Some(time(8)),
        ..stored(1, "x")
    };
    let b = Memory {
        properties: vec![property("room", "6"), property("lead", "ann"), property("Hour", "ten")],
        people: list(&["Bo", "cy"]),
        entities: list(&["ACME"]),
        category: Category::Task,
        valid_from: Some(time(7)),
        valid_until: Some(time(9)),
        occurred_at: time(2),
        ..stored(2, "x")
    };
    let text = |day| time(day).to_string();
    let expected = [
        ("Room", Some("4".to_owned()), Some("6".to_owned())),
        ("Day", Some("Monday".into()), None),
        ("Hour", None, Some("ten".into())),
        ("people", Some("ann".into()), None),
        ("people", None, Some("cy".into())),
        ("category", Some("misc".into()), Some("task".into())),
        ("occurredAt", Some(text(1)), Some(text(2))),
        ("validFrom", None, Some(text(7))),
        ("validUntil", Some(text(8)), Some(text(9))),
    ];
    let expected = expected.map(|(property, old_value, new_value)| {
        let change_type = match (&old_value, &new_value) {
            (None, _) => ChangeType::Addition,
            (_, None) => ChangeType::Removal,
            _ => ChangeType::ValueChange,
        };
        PropertyChange { property: property.into(), old_value, new_value, change_type }
    });
    let d = difference(&a, &b);
    assert_eq!((d.from, d.to), (a.id, b.id));
    assert_eq!(d.properties, expected);
}
