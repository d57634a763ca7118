//! Merges by the sleep cycle: a summary loses nothing, a changed source dissolves it, an undo
//! restores its sources, and a killed run loses and repeats nothing.
use crate::faults::Faulty;
use crate::kit::real;
use crate::mailbox::{DAY, NOW, fill};
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{Action, Cascade, LogEntry};
use memfold::decision::Policy;
use memfold::engine::{
    Cancel, Consolidate, DeleteOptions, Engine, LogQuery, SearchOptions, SkipReason, SleepOptions, SleepReport,
};
use memfold::model::{Draft, Generation, Id, Ids, Memory, NodeType, Retention, Source, StorageTier};
use memfold::sleep::{strength, tier};
use memfold::store::{MemoryStore, Store};

pub type Real = Engine;

pub const BACKUPS: [&str; 5] = [
    "Nightly backup of Borealis finished: 4120 GB in 38 minutes, checked by Dana.",
    "Nightly backup of Borealis finished: 4155 GB in 38 minutes, checked by Dana.",
    "Nightly backup of Borealis finished: 4231 GB in 44 minutes, checked by Yuki.",
    "Nightly backup of Borealis finished: 4260 GB in 41 minutes, checked by Dana.",
    "Nightly backup of Borealis finished: 4301 GB in 39 minutes, checked by Lena.",
];

/// Memories of one thread, a week apart; the newest is a month old.
pub fn memories(texts: &[&str]) -> Vec<Memory> {
    let start = NOW.plus_millis(-(30 + 7 * texts.len() as i64) * DAY);
    let mut ids = Ids::new(start, [4; 16]);
    let memory = |(n, text): (usize, &&str)| {
        let then = start.plus_millis(n as i64 * 7 * DAY);
        let draft = Draft { stated_at: Some(then), thread_id: Some("b".into()), ..Draft::new(*text) };
        Memory::from_draft(ids.mint(), draft, then)
    };
    texts.iter().enumerate().map(memory).collect()
}

fn open_with(memories: &[Memory]) -> (MemoryStore, Real) {
    let store = MemoryStore::default();
    fill(&store, memories);
    let engine = real(store.connect(), Policy::BALANCED, 0);
    (store, engine)
}

pub fn at(days: i64) -> SleepOptions {
    SleepOptions { now: Some(NOW.plus_millis(days * DAY)), ..SleepOptions::default() }
}

pub fn sleep(engine: &Real, days: i64) -> SleepReport {
    block_on(engine.run_sleep_cycle(&at(days), Cancel::default())).unwrap()
}

/// An engine that has merged five backups into one summary.
fn engine_with_summary() -> (Real, Vec<Memory>, Memory, LogEntry) {
    let sources = memories(&BACKUPS);
    let (_, engine) = open_with(&sources);
    let report = sleep(&engine, 0);
    assert_eq!((report.merges, report.folded, report.before.active, report.after.active), (1, 5, 5, 1), "{report:?}");
    let all = block_on(engine.list(None, 99, false)).unwrap();
    let entry = block_on(engine.log(&LogQuery::default())).unwrap().into_iter().find(|e| e.action == Action::Merge);
    (engine, sources, all[0].clone(), entry.unwrap())
}

pub fn get(engine: &Real, id: Id) -> Memory {
    block_on(engine.get(id)).unwrap().unwrap()
}

pub fn active(engine: &Real) -> Vec<Id> {
    block_on(engine.list(None, 999, false)).unwrap().into_iter().map(|m| m.id).collect()
}

pub fn ids(memories: &[Memory]) -> Vec<Id> {
    memories.iter().map(|m| m.id).collect()
}

pub fn sound(engine: &Real) {
    let problems = block_on(engine.check()).unwrap().problems;
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn summary_replaces_its_sources_in_search_and_archives_them() {
    let (engine, sources, summary, entry) = engine_with_summary();
    assert_eq!(
        (summary.node_type, summary.generation, summary.source_type),
        (NodeType::Summary, Generation::Old, Source::UserInput)
    );
    for part in ["4120 GB", "4155 GB", "4231 GB", "4260 GB", "4301 GB", "Yuki", "Lena", "Dana", "44 minutes"] {
        assert!(summary.content.contains(part), "{part}: {}", summary.content);
    }
    assert_eq!((entry.memory_id, entry.before.len(), entry.touched.len()), (Some(summary.id), 5, 6));
    assert!(sources.iter().all(|m| get(&engine, m.id).generation == Generation::Archived));
    let hits = |include_archived| {
        let options = SearchOptions { include_archived, ..SearchOptions::default() };
        block_on(engine.search("backup Borealis 4231 GB", &options)).unwrap()
    };
    assert_eq!(
        (hits(false).len(), hits(false)[0].memory.id, hits(false)[0].through),
        (1, summary.id, Some(sources[2].id))
    );
    assert_eq!((hits(true).len(), hits(true)[0].memory.id, hits(true)[0].through), (5, sources[2].id, None));
    sound(&engine);
}

#[test]
fn undoing_a_merge_restores_its_sources_and_prevents_a_new_merge() {
    let (engine, sources, summary, entry) = engine_with_summary();
    block_on(engine.undo(entry.id)).unwrap();
    assert_eq!(active(&engine), ids(&sources));
    for before in &sources {
        let after = get(&engine, before.id);
        assert_eq!((&after.content, after.deleted_at, after.superseded_by), (&before.content, None, None));
        assert_ne!(after.generation, Generation::Archived);
    }
    let report = sleep(&engine, 2);
    assert_eq!((report.merges, active(&engine)), (0, ids(&sources)));
    assert!(report.skipped.iter().any(|s| s.why == SkipReason::TakenBack));
    block_on(engine.redo(entry.id)).unwrap();
    assert_eq!(active(&engine), [summary.id]);
    sound(&engine);
}

#[test]
fn deleting_a_source_dissolves_the_summary_until_it_is_restored() {
    let (engine, sources, summary, _) = engine_with_summary();
    let options = DeleteOptions { cascade: Cascade::PreserveEdges, request: None };
    block_on(engine.delete(&[sources[1].id], &options)).unwrap();
    assert_eq!(active(&engine), [sources[0].id, sources[2].id, sources[3].id, sources[4].id]);
    sound(&engine);
    block_on(engine.restore(sources[1].id)).unwrap();
    assert_eq!(active(&engine), [summary.id]);
    sound(&engine);
}

#[test]
fn deleting_a_summary_restores_its_sources() {
    let (engine, sources, summary, _) = engine_with_summary();
    block_on(engine.delete(&[summary.id], &DeleteOptions::default())).unwrap();
    assert_eq!(active(&engine), ids(&sources));
    sound(&engine);
}

#[test]
fn forgetting_a_source_erases_the_summary_and_the_next_run_rebuilds_it() {
    let (engine, sources, summary, _) = engine_with_summary();
    block_on(engine.forget(&[sources[2].id])).unwrap();
    let everything = block_on(engine.export_pieces()).unwrap().concat();
    assert!(!everything.contains("4231") && !everything.contains("Yuki"), "{everything}");
    assert_eq!(block_on(engine.get(summary.id)).unwrap(), None);
    assert_eq!(active(&engine).len(), 4);
    sound(&engine);
    let report = sleep(&engine, 2);
    assert_eq!((report.merges, report.folded), (1, 4));
    let again = get(&engine, active(&engine)[0]);
    assert!(again.content.contains("4120 GB") && !again.content.contains("4231"));
    sound(&engine);
}

#[test]
fn updating_a_source_dissolves_the_summary_in_the_same_commit() {
    let (engine, sources, summary, _) = engine_with_summary();
    let draft = Draft {
        thread_id: Some("b".into()),
        stated_at: Some(NOW),
        source_type: Source::UserInput,
        ..Draft::new("Nightly backup of Borealis finished: 4301 GB in 52 minutes, checked by Lena.")
    };
    let receipt = block_on(engine.consolidate(draft, &Consolidate::default())).unwrap();
    let new = receipt.memory.unwrap();
    if receipt.entry.target_id.is_some_and(|id| get(&engine, id).superseded_by.is_some()) {
        assert!(get(&engine, summary.id).deleted_at.is_some());
        assert!(active(&engine).contains(&new.id) && active(&engine).len() == 5);
        block_on(engine.undo(receipt.entry.id)).unwrap();
        assert_eq!(active(&engine), [summary.id]);
    } else {
        assert_eq!(active(&engine).len(), 2);
    }
    assert_eq!(get(&engine, sources[0].id).content, BACKUPS[0]);
    sound(&engine);
}

#[test]
fn later_memories_are_merged_into_a_summary_of_their_own() {
    let (engine, _, first, _) = engine_with_summary();
    for (n, gb) in [(0, 4402), (7, 4410), (14, 4477)] {
        let then = NOW.plus_millis(n * DAY);
        let text =
            format!("Nightly backup no. {} of Borealis finished: {gb} GB in 40 minutes, checked by Dana.", 80 + n);
        let draft = Draft { thread_id: Some("b".into()), stated_at: Some(then), ..Draft::new(text) };
        block_on(engine.consolidate(draft, &Consolidate::default())).unwrap();
    }
    let fresh = active(&engine).len() - 1;
    let report = sleep(&engine, 60);
    if fresh >= 3 {
        assert_eq!((report.merges, report.folded as usize), (1, fresh), "{report:?}");
        assert_eq!(active(&engine).len(), 2);
    }
    assert_eq!(get(&engine, first.id), first);
    sound(&engine);
}

#[test]
fn important_pending_or_unlike_memories_are_not_merged() {
    let mut all = memories(&BACKUPS);
    all[0].retention = Retention::Core;
    all[1].importance = 0.95;
    all[2].valid_until = Some(NOW.plus_millis(30 * DAY).into());
    all[3].feedback.up = 1;
    all[4].source_type = Source::UserInput;
    let (_, engine) = open_with(&all);
    assert_eq!(sleep(&engine, 0).merges, 0);
    let unlike = memories(&[
        "The door code is 4711",
        "Dana likes green tea",
        "회의는 금요일 오후 3시입니다",
        "Rent is due on the 1st",
    ]);
    let (_, engine) = open_with(&unlike);
    let report = sleep(&engine, 0);
    assert_eq!((report.merges, report.skipped[0].why), (0, SkipReason::Alone));
}

#[test]
fn notes_without_names_merge_only_if_they_differ_in_numbers_alone() {
    let notes = |texts: &[&str]| {
        let mut all = memories(texts);
        all.iter_mut().for_each(|m| m.thread_id = None);
        all
    };
    let things = [
        "The spare ladder of Dana is in the cellar, shelf 1041.",
        "The blue violin of Marco is in the cellar, shelf 1207.",
        "The old passport of Lena is in the attic, shelf 1399.",
        "The heavy tripod of Yuki is in the garage, shelf 1466.",
    ];
    let (_, engine) = open_with(&notes(&things));
    assert_eq!(sleep(&engine, 0).merges, 0);
    let series =
        ["71.2", "70.8", "71.5", "70.9"].map(|kg| format!("My weight before breakfast was {kg} kilograms today."));
    let (_, engine) = open_with(&notes(&series.each_ref().map(String::as_str)));
    let report = sleep(&engine, 0);
    assert_eq!((report.merges, report.folded), (1, 4));
    let summary = get(&engine, active(&engine)[0]);
    // A summary decays from its newest source on, and is never truncated to a stub.
    let newest = NOW.plus_millis(-37 * DAY);
    let then = |days: i64| NOW.plus_millis(days * DAY);
    let weak = Memory { stability: 0.1, ..summary.clone() };
    assert_eq!((summary.last_met(), tier(&weak, then(9_000))), (newest, StorageTier::Cold));
    assert!(strength(&summary, then(0)) < strength(&summary, newest));
}

#[test]
fn memories_of_different_source_classes_are_not_merged() {
    let mut all = memories(&[BACKUPS[0], BACKUPS[1], BACKUPS[2], BACKUPS[3], BACKUPS[4], BACKUPS[4]]);
    for m in &mut all[..3] {
        m.source_type = Source::Bootstrapped;
    }
    let (_, engine) = open_with(&all);
    assert_eq!(sleep(&engine, 0).merges, 2);
    let mut trust: Vec<Source> = active(&engine).iter().map(|id| get(&engine, *id).source_type).collect();
    trust.sort();
    assert_eq!(trust, [Source::UserInput, Source::Bootstrapped]);
}

#[test]
fn dry_run_lists_merge_candidates_and_writes_nothing() {
    let sources = memories(&BACKUPS);
    let (store, engine) = open_with(&sources);
    let head = block_on(store.head()).unwrap();
    let options = SleepOptions { dry_run: true, ..at(0) };
    let report = block_on(engine.run_sleep_cycle(&options, Cancel::default())).unwrap();
    let mut found = report.candidates[0].ids.clone();
    found.sort();
    assert_eq!((report.candidates.len(), found), (1, ids(&sources)));
    assert!(report.candidates[0].similarity > 0.8 && report.candidates[0].weight == 5.0);
    assert_eq!((block_on(store.head()).unwrap(), active(&engine)), (head, ids(&sources)));
    assert_eq!(block_on(engine.collect_merge_candidates(&at(0))).unwrap(), report.candidates);
}

#[test]
fn aborted_run_is_continued_by_the_next_one() {
    let sources = memories(&BACKUPS);
    let (_, engine) = open_with(&sources);
    let gone = || true;
    let report = block_on(engine.run_sleep_cycle(&at(0), Cancel::when(&gone))).unwrap();
    assert!(!report.finished && report.merges == 0);
    assert!(report.skipped.iter().any(|s| s.why == SkipReason::Aborted));
    assert_eq!(sleep(&engine, 0).merges, 1);
}

#[test]
fn killed_run_loses_nothing_and_repeats_nothing() {
    let mut texts: Vec<String> = BACKUPS.iter().map(|t| (*t).to_owned()).collect();
    for n in 0..4 {
        texts.push(format!("가람 프로젝트 주간 보고: 완료 {}건, 진행 {}건, 담당 김민수입니다.", 120 + n, 8 + n));
    }
    texts.push("The door code of the cellar is 4711".to_owned());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let sources = memories(&texts);
    let expected = {
        let (_, engine) = open_with(&sources);
        sleep(&engine, 0);
        contents(&engine)
    };
    for silent in [false, true] {
        let mut calls = 1;
        loop {
            let store = MemoryStore::default();
            fill(&store, &sources);
            let (faulty, left) = Faulty::new(store.connect(), u64::MAX, silent);
            let engine = real(faulty, Policy::BALANCED, 0);
            block_on(
                engine.search(
                    "door code cellar",
                    &SearchOptions { session: Some("s".into()), ..SearchOptions::default() },
                ),
            )
            .unwrap();
            block_on(engine.wait_for_tagging("s")).unwrap();
            left.set(calls);
            let died = block_on(engine.run_sleep_cycle(&at(0), Cancel::default())).is_err();
            // Another worker runs later.
            let heir = real(store.connect(), Policy::BALANCED, 50_000_000);
            sound(&heir);
            let later = SleepOptions { now: Some(NOW.plus_millis(DAY)), ..SleepOptions::default() };
            let report = block_on(heir.run_sleep_cycle(&later, Cancel::default())).unwrap();
            sound(&heir);
            assert_eq!(contents(&heir), expected, "killed at call {calls}: {report:?}");
            let originals = block_on(heir.list(None, 999, true)).unwrap();
            let originals: Vec<&Memory> = originals.iter().filter(|m| m.node_type == NodeType::Memory).collect();
            assert!(originals.iter().map(|m| &m.content).eq(sources.iter().map(|m| &m.content)));
            // Accesses of the session are counted once, whichever run ended it.
            assert!(originals.iter().all(|m| m.access_count <= 1), "killed at call {calls}");
            if !died {
                assert!(calls > 15, "{calls}");
                break;
            }
            calls += 1;
        }
    }
}

/// The texts of all active memories, sorted.
pub fn contents(engine: &Real) -> Vec<String> {
    let mut all: Vec<String> =
        block_on(engine.list(None, 999, false)).unwrap().into_iter().map(|m| m.content).collect();
    all.sort();
    all
}

#[test]
fn over_two_years_unused_memories_become_stubs_and_used_ones_core() {
    let idle = "감사합니다! ".repeat(3) + &"좋은 하루 되세요. ".repeat(25);
    let mut all = memories(&[&idle, "The alarm code of the cellar is 4711", "Dana prefers green tea in the morning"]);
    (all[0].stability, all[0].accessed_at) = (0.1, Some(NOW));
    let (_, engine) = open_with(&all);
    let (mut tiers, mut core) = (Vec::new(), None);
    for day in 0..760 {
        if day % 30 == 0 {
            let options = SearchOptions { session: Some(format!("s{day}")), ..SearchOptions::default() };
            block_on(engine.search("alarm code cellar", &options)).unwrap();
            block_on(engine.finalize_session(&format!("s{day}"))).unwrap();
        }
        sleep(&engine, day);
        let tier = get(&engine, all[0].id).storage_tier;
        if tiers.last().is_none_or(|(_, last)| *last != tier) {
            tiers.push((day, tier));
        }
        if get(&engine, all[1].id).retention == Retention::Core {
            core = core.or(Some(day));
        }
    }
    let order: Vec<StorageTier> = tiers.iter().map(|(_, tier)| *tier).collect();
    assert_eq!(order, [StorageTier::Hot, StorageTier::Cold, StorageTier::Stub], "{tiers:?}");
    assert_eq!(tiers[2].0 - tiers[1].0, 180);
    assert!(core.is_some_and(|day| (270..400).contains(&day)), "{core:?}");
    assert!(strength(&get(&engine, all[1].id), NOW.plus_millis(2_000 * DAY)) >= 0.6);
    let stub = get(&engine, all[0].id);
    assert_eq!(stub.content.chars().count(), 200);
    let log = block_on(engine.log(&LogQuery::default())).unwrap();
    let cut = log.iter().find(|e| e.texts.iter().any(|t| t.id == stub.id)).unwrap();
    block_on(engine.undo(cut.id)).unwrap();
    assert_eq!(get(&engine, all[0].id).content, idle);
    sound(&engine);
}

#[test]
fn invalid_sleep_option_is_named() {
    let (_, engine) = open_with(&[]);
    for max_nodes in [0, 100_001] {
        let options = SleepOptions { max_nodes: Some(max_nodes), ..SleepOptions::default() };
        let error = block_on(engine.run_sleep_cycle(&options, Cancel::default())).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (Code::InvalidField, Some("maxNodes")));
    }
    assert_eq!(block_on(engine.pulse(0)).unwrap_err().field.as_deref(), Some("days"));
}
