//! Export and import: merged copies have one head per chain, and nothing is duplicated or revived.

use crate::faults::Faulty;
use crate::kit::{Memories, over};
use crate::peers::{all, interrupted_by, log};
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::LogEntry;
use memfold::decision::Decision;
use memfold::engine::{Consolidate, DeleteOptions, ImportReport, LogQuery};
use memfold::model::{Draft, Id, Memory, Retention, Source, Time};
use memfold::store::MemoryStore;

const DAY: i64 = 86_400_000;

fn open(from: u64) -> Memories {
    over(MemoryStore::default(), from)
}

fn draft(on: i64, content: &str) -> Draft {
    Draft {
        stated_at: Some(Time::from_millis(1_700_000_000_000 + on * DAY)),
        source_type: Source::Realtime,
        ..Draft::new(content)
    }
}

fn add(m: &Memories, draft: Draft) -> Id {
    block_on(m.consolidate(draft, &Consolidate::default())).unwrap().memory.unwrap().id
}

fn add_with_key(m: &Memories, draft: Draft, key: &str) -> (Id, LogEntry) {
    let how = Consolidate { key: Some(key.into()), ..Consolidate::default() };
    let done = block_on(m.consolidate(draft, &how)).unwrap();
    (done.memory.unwrap().id, done.entry)
}

fn export(m: &Memories) -> String {
    block_on(m.export_pieces()).unwrap().concat()
}

/// Imports `from` into `to` and asserts that all invariants hold and that a second import changes nothing.
fn import_all(from: &Memories, to: &Memories) -> ImportReport {
    let text = export(from);
    let before = export(to);
    let report = block_on(to.import(&text)).unwrap();
    assert_eq!(block_on(to.check()).unwrap().problems, []);
    let once = export(to);
    assert_eq!(report.memories + report.edges + report.entries == 0, once == before);
    let again = block_on(to.import(&text)).unwrap();
    assert_eq!((again.memories, again.edges, again.entries, again.moved), (0, 0, 0, 0));
    assert_eq!(export(to), once);
    report
}

fn chain(m: &Memories, id: Id) -> Vec<Memory> {
    block_on(m.history(id)).unwrap()
}

fn contents(m: &Memories, id: Id) -> Vec<String> {
    chain(m, id).into_iter().map(|m| m.content).collect()
}

fn current(m: &Memories) -> Vec<Memory> {
    block_on(m.list(None, 100, false)).unwrap()
}

/// Two stores that hold the same first version.
fn twins() -> (Memories, Memories, Id) {
    let (a, b) = (open(0), open(1_000_000));
    let first = add(&a, draft(1, "Heron: the day rate is 400"));
    import_all(&a, &b);
    (a, b, first)
}

#[test]
fn an_imported_newer_version_becomes_the_head() {
    let (a, b, first) = twins();
    let old = Draft { importance: Some(0.9), ..draft(2, "Heron: the day rate is 500 @30") };
    let second = add(&b, old);
    let report = import_all(&b, &a);
    assert_eq!((report.memories, report.moved, report.undo.len()), (1, 1, 1));
    assert_eq!(
        chain(&a, first),
        chain(&b, first)
            .into_iter()
            .map(|m| chain(&a, m.id).into_iter().find(|x| x.id == m.id).unwrap())
            .collect::<Vec<_>>()
    );
    assert_eq!(current(&a).iter().map(|m| m.id).collect::<Vec<_>>(), [second]);
    // The import can be undone and redone.
    let undone = block_on(a.undo(report.undo[0])).unwrap();
    assert_eq!(current(&a).iter().map(|m| m.id).collect::<Vec<_>>(), [first]);
    assert_eq!(block_on(a.check()).unwrap().problems, []);
    block_on(a.redo(undone.id)).unwrap();
    assert_eq!(current(&a).iter().map(|m| m.id).collect::<Vec<_>>(), [second]);
}

#[test]
fn an_import_of_several_versions_is_undone_as_a_whole() {
    let (a, b, first) = twins();
    add(&b, draft(2, "Heron: the day rate is 500 @30"));
    let third = add(&b, draft(3, "Heron: the day rate is 600"));
    let report = import_all(&b, &a);
    assert_eq!(chain(&a, first).len(), 3);
    let undone = block_on(a.undo(report.undo[0])).unwrap();
    assert_eq!(current(&a).iter().map(|m| m.id).collect::<Vec<_>>(), [first]);
    assert_eq!(block_on(a.check()).unwrap().problems, []);
    block_on(a.undo(undone.id)).unwrap();
    assert_eq!(current(&a).iter().map(|m| m.id).collect::<Vec<_>>(), [third]);
    assert_eq!(block_on(a.check()).unwrap().problems, []);
}

#[test]
fn diverged_copies_agree_on_one_head() {
    for (there, here, last) in [(5, 3, "500"), (3, 5, "600")] {
        let (a, b, first) = twins();
        add(&a, draft(here, "Heron: the day rate is 600 @30"));
        add(&b, draft(there, "Heron: the day rate is 500 @31"));
        let went = export(&a);
        import_all(&b, &a);
        let versions = contents(&a, first);
        assert_eq!(versions.len(), 3);
        assert!(versions[2].contains(last), "{versions:?}");
        assert_eq!(chain(&a, first).iter().map(|m| m.version).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(current(&a).len(), 1);
        // The other side reaches the same order by its own imports.
        block_on(b.import(&went)).unwrap();
        assert_eq!(contents(&b, first), versions);
        import_all(&a, &b);
        import_all(&b, &a);
        assert_eq!((contents(&b, first), contents(&a, first)), (versions.clone(), versions));
        assert_eq!(block_on(b.check()).unwrap().problems, []);
    }
}

#[test]
fn a_higher_priority_source_stays_the_head() {
    let (a, b, first) = twins();
    let own = add(&a, Draft { source_type: Source::UserInput, ..draft(2, "Heron: the day rate is 600 @30") });
    add(&b, draft(9, "Heron: the day rate is 500 @31"));
    import_all(&b, &a);
    assert_eq!((current(&a).len(), current(&a)[0].id), (1, own));
    assert_eq!(chain(&a, first).len(), 3);
}

#[test]
fn an_imported_newer_version_inherits_core_retention_and_importance() {
    let (a, b) = (open(0), open(1_000_000));
    let core = Draft { retention: Some(Retention::Core), importance: Some(0.9), ..draft(1, "Heron: the rate is 400") };
    let first = add(&a, core);
    import_all(&a, &b);
    add(&a, Draft { retention: Some(Retention::Core), ..draft(3, "Heron: the rate is 500 @30") });
    add(&b, draft(5, "Heron: the rate is 600 @31"));
    import_all(&b, &a);
    let versions = chain(&a, first);
    // Only the newest version stays core.
    let core: Vec<u32> = versions.iter().filter(|m| m.retention == Retention::Core).map(|m| m.version).collect();
    assert_eq!(core, [3], "{versions:?}");
    assert_eq!(versions[2].importance, 0.9);
}

#[test]
fn a_mail_read_in_two_stores_is_one_memory() {
    let (a, b) = (open(0), open(1_000_000));
    let (here, _) = add_with_key(&a, draft(1, "Heron: the day rate is 400"), "mail 1");
    add_with_key(&b, draft(1, "Heron: the day rate is 400"), "mail 1");
    let (other, link) = add_with_key(&b, draft(2, "Heron: the rate card is on the shelf @50"), "mail 2");
    assert_eq!(link.decision, Decision::CreateAndLink);
    let (third, update) = add_with_key(&b, draft(3, "Heron: the day rate is 450 @-20"), "mail 3");
    assert_eq!(update.decision, Decision::Update);
    let report = import_all(&b, &a);
    assert_eq!((report.memories, report.edges), (2, 1));
    assert_eq!(chain(&a, here).iter().map(|m| m.id).collect::<Vec<_>>(), [here, third]);
    assert_eq!(block_on(a.related(other)).unwrap()[0].memory.id, third);
    assert_eq!(current(&a).len(), 2);
    for e in block_on(a.log(&LogQuery::default())).unwrap() {
        // Each undo is rejected or leaves a valid store.
        let _ = block_on(a.undo(e.id));
        assert_eq!(block_on(a.check()).unwrap().problems, []);
    }
}

#[test]
fn imports_do_not_revive_forgotten_memories() {
    let (a, b, first) = twins();
    add(&b, draft(2, "Heron: the day rate is secret500 @30"));
    block_on(a.forget(&[first])).unwrap();
    import_all(&b, &a);
    assert!(!export(&a).contains("secret500") && !export(&a).contains("Heron"), "{}", export(&a));
    assert!(current(&a).is_empty());
    // Importing from a store that forgot a memory does not delete it here.
    import_all(&a, &b);
    assert_eq!(current(&b).len(), 1);
}

#[test]
fn imports_do_not_revive_deleted_memories() {
    let (a, b, first) = twins();
    let second = add(&b, draft(2, "Heron: the day rate is 500 @30"));
    let deleted = block_on(a.delete(&[first], &DeleteOptions::default())).unwrap();
    import_all(&b, &a);
    assert!(current(&a).is_empty());
    assert_eq!(block_on(a.undo(deleted.id)).unwrap_err().code, Code::HasDependents);
    block_on(b.delete(&[second], &DeleteOptions::default())).unwrap();
    import_all(&b, &a);
    assert!(current(&a).is_empty());
}

#[test]
fn an_invalid_import_fails_with_a_code_and_changes_nothing() {
    let (a, b, first) = twins();
    let second = add(&b, draft(2, "Heron: the day rate is 500 @30"));
    add(&b, draft(2, "Kestrel: the review is in June"));
    add(&b, draft(3, "Kestrel: the review of June needs a beamer @50"));
    let good = export(&b);
    let lines: Vec<&str> = good.lines().collect();
    let before = export(&a);
    let without =
        |n: usize| lines.iter().enumerate().filter(|(i, _)| *i != n).map(|(_, l)| format!("{l}\n")).collect::<String>();
    let headless = |text: &str| text.replacen(&format!(",\"records\":{}", lines.len() - 1), "", 1);
    let at = |id: Id| lines.iter().position(|l| l.starts_with(&format!("{{\"memory\":{{\"id\":\"{id}\""))).unwrap();
    let edge = lines.iter().position(|l| l.starts_with("{\"edge\"")).unwrap();
    let circle = |text: &str| {
        let forth = format!("\"version\":2,\"previousVersionId\":\"{first}\"");
        let back = format!("\"version\":1,\"supersededBy\":\"{second}\"");
        let turned = text
            .replace(&back, &format!("\"version\":1,\"previousVersionId\":\"{second}\",\"supersededBy\":\"{second}\""));
        turned.replace(&forth, &format!("{forth},\"supersededBy\":\"{first}\""))
    };
    assert_ne!(circle(&good), good);
    let long = "x".repeat(8_001);
    let cases = [
        ("a newer format", good.replacen("\"format\":2", "\"format\":3", 1), Code::VersionTooNew),
        ("no header", without(0), Code::InvalidInput),
        ("cut in a line", good[..good.len() * 2 / 3].to_owned(), Code::InvalidInput),
        ("cut between lines", lines[..lines.len() - 2].join("\n"), Code::InvalidInput),
        ("a record less", without(edge), Code::InvalidInput),
        ("a version less", headless(&without(at(second))), Code::InvalidInput),
        (
            "an edge to nowhere",
            good.replace(lines[edge], &lines[edge].replacen("\"to\":\"0", "\"to\":\"1", 1)),
            Code::InvalidInput,
        ),
        ("too long a text", good.replace("the review is in June", &long), Code::InvalidField),
        ("an unknown field", good.replacen("\"content\"", "\"kontent\"", 1), Code::UnknownField),
        ("not JSON", format!("{good}oops"), Code::InvalidInput),
        ("nothing", String::new(), Code::InvalidInput),
    ];
    let empty = open(2_000_000);
    let nothing = export(&empty);
    for (name, text, code) in cases {
        for (store, before) in [(&a, &before), (&empty, &nothing)] {
            let refused = block_on(store.import(&text)).map(|_| ()).expect_err(name);
            assert_eq!(refused.code, code, "{name}: {}", refused.message);
            assert_eq!(export(store), *before, "{name}");
        }
    }
    let refused = block_on(empty.import(&circle(&good))).unwrap_err();
    assert_eq!((refused.code, export(&empty)), (Code::InvalidInput, nothing));
    // The unmodified export is accepted.
    import_all(&b, &a);
}

#[test]
fn application_records_in_an_export_are_ignored() {
    let (a, b) = (open(1), open(9_000));
    add(&a, draft(1, "The studio rent is 900 euros."));
    let beside = "{\"app\":{\"owner\":[\"me@b.example\"]}}\n";
    let report = block_on(b.import(&[&export(&a), beside].concat())).unwrap();
    assert_eq!((report.memories, report.known), (1, 0));
    assert_eq!(current(&b), current(&a));
    assert!(!export(&b).contains("me@b.example"));
}

#[test]
fn an_export_without_a_record_count_is_accepted() {
    let (a, b, _) = twins();
    add(&b, draft(2, "Kestrel: the review is in June"));
    let text = export(&b);
    let count = text.lines().count() - 1;
    let old = text.replacen(&format!(",\"records\":{count}"), "", 1);
    assert_ne!(old, text);
    assert_eq!(block_on(a.import(&old)).unwrap().memories, 1);
}

#[test]
fn undo_around_a_deduplicated_memory_keeps_the_store_valid() {
    let (a, b) = (open(0), open(1_000_000));
    add_with_key(&a, draft(0, "topic0 says word0 @0"), "key 19");
    add_with_key(&b, draft(0, "topic1 says word1 @50"), "key 19");
    let (_, second) = add_with_key(&b, draft(0, "topic1 says word2 @80"), "key 0");
    assert_eq!(second.decision, Decision::Update);
    block_on(b.undo(second.id)).unwrap();
    import_all(&b, &a);
    for entry in block_on(a.log(&LogQuery::default())).unwrap() {
        let _ = block_on(a.undo(entry.id));
        assert_eq!(block_on(a.check()).unwrap().problems, []);
    }
}

#[test]
fn an_interrupted_import_writes_all_or_nothing() {
    let (a, _, _) = twins();
    add_with_key(&a, draft(2, "Kestrel: the review is in June"), "mail 2");
    let text = export(&a);
    for silent in [false, true] {
        for calls in 0.. {
            let store = MemoryStore::default();
            let (faulty, left) = Faulty::new(store.connect(), u64::MAX, silent);
            let importing = over(faulty, 2_000_000);
            left.set(calls);
            let done = block_on(importing.import(&text));
            let b = over(store.connect(), 3_000_000);
            assert_eq!(block_on(b.check()).unwrap().problems, [], "after {calls} calls");
            let memories = all(&b).len();
            assert!(memories == 0 || memories == 2, "{memories} memories after {calls} calls");
            assert_eq!(log(&b).is_empty(), memories == 0);
            if done.is_ok() {
                break;
            }
        }
    }
}

#[test]
fn an_import_plans_again_when_another_connection_writes() {
    let (a, _, _) = twins();
    let text = export(&a);
    for n in 0..8 {
        let store = MemoryStore::default();
        let importing = over(interrupted_by(&store, n, draft(2, "Kestrel: the review is in June")), 3_000_000);
        block_on(importing.import(&text)).unwrap();
        let b = over(store.connect(), 4_000_000);
        assert_eq!((block_on(b.check()).unwrap().problems, current(&b).len()), (vec![], 2), "before call {n}");
    }
}

#[test]
fn format_1_times_become_days_in_the_owners_zone() {
    let from = open(1);
    let day = |text: &str| text.parse().ok();
    let told = Draft {
        occurred_at: day("2026-05-14T15:00:00Z"),
        valid_until: day("2026-05-15T14:59:59Z"),
        ..draft(1, "The lease is signed @0")
    };
    add(&from, told);
    add(&from, Draft { occurred_at: day("2026-05-14T15:30:00Z"), ..draft(2, "Rehearsal at half past midnight @90") });
    let text = export(&from);
    let taken = |text: &str| {
        let options = memfold::engine::Options { zone: memfold::model::Zone::from_minutes(540), ..Default::default() };
        let engine = memfold::engine::Engine::open(
            MemoryStore::default(),
            memfold::embed::HashingEmbedder,
            crate::kit::Fake::from(9),
            options,
        );
        let to = block_on(engine).unwrap();
        block_on(to.import(text)).unwrap();
        let mut all = block_on(to.list(None, 10, true)).unwrap();
        all.sort_by(|a, b| a.content.cmp(&b.content));
        all.iter()
            .flat_map(|m| [Some(m.occurred_at), m.valid_until])
            .flatten()
            .map(|at| at.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        taken(&text.replacen("\"format\":2", "\"format\":1", 1)),
        ["2026-05-14T15:30:00.000Z", "2026-05-15", "2026-05-15"]
    );
    // In format 2, times stay times.
    let with_fields_like = ["2026-05-14T15:30:00.000Z", "2026-05-14T15:00:00.000Z", "2026-05-15T14:59:59.000Z"];
    assert_eq!(taken(&text), with_fields_like);
}
