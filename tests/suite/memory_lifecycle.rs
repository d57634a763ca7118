//! The lifecycle of a memory over the memory store: delete, restore, forget, undo, redo, review and
//! check.

use crate::faults::Faulty;
use crate::kit::{Memories, over, real};
use futures::FutureExt as _;
use futures::executor::block_on;
use memfold::consolidation::{Action, Analyst, Cascade, LogEntry, ReviewOptions, Rule, Status};
use memfold::decision::{Bands, Decision, Policy};
use memfold::engine::{Consolidate, DeleteOptions, LogQuery, Receipt, SearchOptions};
use memfold::model::{Draft, EdgeKind, Id, Memory, Source};
use memfold::store::{LogRange, MemoryStore, Store};
use memfold::{Code, Result};

fn open() -> Memories {
    over(MemoryStore::default(), 0)
}

fn tell(m: &Memories, content: &str) -> Receipt {
    tell_keyed(m, content, None)
}

fn tell_keyed(m: &Memories, content: &str, key: Option<&str>) -> Receipt {
    let how = Consolidate { key: key.map(Into::into), ..Consolidate::default() };
    let draft = Draft { source_id: key.map(Into::into), ..Draft::new(content) };
    block_on(m.consolidate(draft, &how)).unwrap()
}

fn id_of(receipt: &Receipt) -> Id {
    receipt.memory.as_ref().unwrap().id
}

/// A memory and its next version, decided by similarity.
fn create_and_update(m: &Memories) -> (Receipt, Receipt) {
    let first = tell(m, "The Corran Bay contract costs 40,000 euros a year.");
    let second = tell(m, "The Corran Bay contract costs 45,000 euros a year. @30");
    assert_eq!(second.entry.decision, Decision::Update, "{}", second.entry.reason);
    (first, second)
}

fn find_ids(m: &Memories, text: &str) -> Vec<Id> {
    let hits = block_on(m.search(text, &SearchOptions::default())).unwrap();
    hits.into_iter().map(|h| h.memory.id).collect()
}

fn current(m: &Memories) -> Vec<Memory> {
    block_on(m.list(None, 100, false)).unwrap()
}

fn log(m: &Memories) -> Vec<LogEntry> {
    block_on(m.log(&LogQuery::default())).unwrap()
}

fn delete(m: &Memories, ids: &[Id], cascade: Cascade) -> Result<LogEntry> {
    block_on(m.delete(ids, &DeleteOptions { cascade, request: None }))
}

fn code<T: std::fmt::Debug>(result: Result<T>) -> Code {
    result.unwrap_err().code
}

fn assert_sound(m: &Memories) {
    assert_eq!(block_on(m.check()).unwrap().problems, []);
}

/// Two linked memories.
fn create_linked_pair(m: &Memories) -> (Id, Id) {
    let a = id_of(&tell(m, "Heron: the kickoff meeting is on Monday at ten"));
    let b = tell(m, "Heron: the project kickoff meeting needs a beamer @50");
    assert_eq!(b.entry.decision, Decision::CreateAndLink, "{:?}", b.entry.similarity);
    (a, id_of(&b))
}

#[test]
fn deleted_memory_is_hidden_with_all_versions_and_can_be_restored() {
    let m = open();
    let (first, second) = create_and_update(&m);
    let entry = delete(&m, &[id_of(&first)], Cascade::default()).unwrap();
    assert_eq!((entry.action, entry.decision, entry.touched.len()), (Action::Delete, Decision::Delete, 2));
    assert!(find_ids(&m, "Corran Bay contract").is_empty() && current(&m).is_empty());
    assert_eq!(code(delete(&m, &[id_of(&second)], Cascade::default())), Code::NotFound);
    assert_sound(&m);
    block_on(m.restore(id_of(&second))).unwrap();
    assert_eq!(find_ids(&m, "Corran Bay contract"), [id_of(&second)]);
    assert_eq!(code(block_on(m.restore(id_of(&second)))), Code::InvalidInput);
    assert_sound(&m);
}

#[test]
fn restore_never_hides_what_another_tab_restores_meanwhile() {
    for n in 0..12 {
        let store = MemoryStore::default();
        let other = over(store.connect(), 1_000_000);
        let id = id_of(&tell(&other, "The Corran Bay contract costs 40,000 euros a year."));
        delete(&other, &[id], Cascade::default()).unwrap();
        let restore = move || drop(other.restore(id).now_or_never());
        let m = over(Faulty::interrupted(store.connect(), n, Box::new(restore)), 2_000_000);
        // The later one has nothing to restore.
        let done = block_on(m.restore(id)).map_err(|e| e.code);
        let expected = [Code::InvalidInput, Code::AlreadyUndone];
        assert!(done.as_ref().err().is_none_or(|code| expected.contains(code)), "{done:?} before call {n}");
        let now = over(store.connect(), 3_000_000);
        assert_eq!(current(&now).len(), 1, "restored twice, before call {n}");
        assert_sound(&now);
    }
}

#[test]
fn undo_restores_the_links_of_a_deleted_memory() {
    for cascade in [Cascade::PreserveEdges, Cascade::RemoveEdges] {
        let m = open();
        let (a, b) = create_linked_pair(&m);
        let links = block_on(m.links()).unwrap();
        let deleted = delete(&m, &[a], cascade).unwrap();
        assert!(block_on(m.related(b)).unwrap().is_empty());
        assert_eq!(block_on(m.links()).unwrap().len(), usize::from(cascade == Cascade::PreserveEdges));
        let undone = block_on(m.undo(deleted.id)).unwrap();
        assert_eq!(block_on(m.links()).unwrap(), links);
        assert_eq!(block_on(m.related(b)).unwrap()[0].memory.id, a);
        block_on(m.undo(undone.id)).unwrap();
        assert_eq!(block_on(m.links()).unwrap().len(), usize::from(cascade == Cascade::PreserveEdges));
        assert_sound(&m);
    }
}

#[test]
fn natural_language_delete_request_is_only_a_preview() {
    let m = open();
    let (_, second) = create_and_update(&m);
    let other = tell(&m, "Q1 마케팅 캠페인 예산은 5000만원입니다.");
    tell(&m, "Q2 신제품 출시 계획을 검토했습니다.");
    let preview = block_on(m.preview_delete("forget everything about the Corran Bay contract")).unwrap();
    assert_eq!(preview.topic, ["corran", "bay", "contract"]);
    assert_eq!(preview.memories.iter().map(|d| d.memory.id).collect::<Vec<_>>(), [id_of(&second)]);
    assert_eq!((preview.memories[0].versions, preview.memories[0].matched.len()), (2, 3));
    let preview = block_on(m.preview_delete("Q1 마케팅 캠페인 관련 정보 삭제해줘")).unwrap();
    assert_eq!(preview.memories.iter().map(|d| d.memory.id).collect::<Vec<_>>(), [id_of(&other)]);
    assert!(block_on(m.preview_delete("Q3 마케팅 캠페인 삭제")).unwrap().memories.is_empty());
    assert_eq!(code(block_on(m.preview_delete("모두 지워줘"))), Code::InvalidInput);
    assert_eq!((current(&m).len(), log(&m).len()), (3, 4));
}

#[test]
fn forgetting_erases_all_text_of_a_memory() {
    let store = MemoryStore::default();
    let m = over(store.connect(), 0);
    let before = tell_keyed(&m, "Heron: the kickoff meeting is on Monday at ten", Some("<1>"));
    tell_keyed(&m, "Heron: the project kickoff meeting needs a beamer @50", Some("<2>"));
    tell_keyed(&m, "Heron: the kickoff meeting is on Monday at ten", Some("<3>"));
    let other = over(store.connect(), 900_000);
    delete(&m, &[id_of(&before)], Cascade::default()).unwrap();
    let entry = block_on(m.forget(&[id_of(&before)])).unwrap();
    assert_eq!(entry.action, Action::Forget);

    let left = block_on(store.memories(&[id_of(&before)])).unwrap().pop().flatten().unwrap();
    assert!(left.is_forgotten());
    assert_eq!(block_on(m.get(left.id)).unwrap(), None);
    assert!(block_on(m.links()).unwrap().is_empty());
    assert!(!block_on(m.export_pieces()).unwrap().concat().contains("Monday"));
    for engine in [&m, &other] {
        assert!(!find_ids(engine, "kickoff meeting on Monday at ten").contains(&left.id));
        let then = SearchOptions { as_of: Some(before.entry.time.plus_millis(1)), ..SearchOptions::default() };
        let hits = block_on(engine.search("kickoff meeting on Monday", &then)).unwrap();
        assert!(hits.iter().all(|h| h.memory.id != left.id));
        assert_sound(engine);
    }
    // The same mail again is a replay, and undo and restore are refused.
    assert!(tell_keyed(&m, "Heron: the kickoff meeting is on Monday at ten", Some("<1>")).replayed);
    assert_eq!(code(block_on(m.undo(before.entry.id))), Code::Forgotten);
    assert_eq!(code(block_on(m.undo(entry.id))), Code::Forgotten);
    assert_eq!(code(block_on(m.restore(left.id))), Code::Forgotten);
    assert_eq!(code(block_on(m.forget(&[left.id]))), Code::Forgotten);
}

#[test]
fn older_export_does_not_restore_a_forgotten_memory() {
    let m = open();
    let first = tell(&m, "The dentist moved to Pine Street.");
    let export = block_on(m.export_pieces()).unwrap().concat();
    block_on(m.forget(&[id_of(&first)])).unwrap();
    block_on(m.import(&export)).unwrap();
    assert!(current(&m).is_empty() && !block_on(m.export_pieces()).unwrap().concat().contains("Pine"));
    assert_sound(&m);
}

#[test]
fn update_can_be_undone_and_redone() {
    let m = open();
    let (first, second) = create_and_update(&m);
    let undone = block_on(m.undo(second.entry.id)).unwrap();
    assert_eq!((undone.action, undone.about), (Action::Undo, Some(second.entry.id)));
    let now = current(&m);
    let old = first.memory.as_ref().unwrap();
    assert_eq!(now.len(), 1);
    assert_eq!(Memory { revision: 1, updated_at: old.updated_at, ..now[0].clone() }, *old);
    assert_sound(&m);
    assert_eq!(code(block_on(m.undo(second.entry.id))), Code::AlreadyUndone);
    block_on(m.redo(second.entry.id)).unwrap();
    assert_eq!(current(&m).iter().map(|m| m.id).collect::<Vec<_>>(), [id_of(&second)]);
    assert_eq!(block_on(m.history(id_of(&first))).unwrap().len(), 2);
    assert_sound(&m);
    assert_eq!(code(block_on(m.redo(second.entry.id))), Code::InvalidInput);
}

#[test]
fn entry_with_dependents_cannot_be_undone() {
    let m = open();
    let (first, second) = create_and_update(&m);
    let refused = block_on(m.undo(first.entry.id)).unwrap_err();
    assert_eq!(refused.code, Code::HasDependents);
    assert!(refused.message.contains(&second.entry.id.to_string()));
    block_on(m.undo(second.entry.id)).unwrap();
    block_on(m.undo(first.entry.id)).unwrap();
    assert!(current(&m).is_empty());
    let undo_of_second = log(&m)[2].id;
    assert_eq!(code(block_on(m.undo(undo_of_second))), Code::HasDependents);
    assert_sound(&m);
    assert_eq!(code(block_on(m.undo(id_of(&first)))), Code::NotFound);
}

#[test]
fn undo_all_undoes_newest_first_and_can_be_redone() {
    let m = open();
    let (first, second) = create_and_update(&m);
    let parcel = tell(&m, "The parcel for Olga is at the reception.");
    let tea = tell(&m, "Tea is served at four in the garden.");
    let later =
        block_on(m.update(id_of(&tea), "Tea is served at five.", &memfold::model::Metadata::default())).unwrap();
    let before = current(&m);
    let ids = [first.entry.id, tea.entry.id, parcel.entry.id, second.entry.id, parcel.entry.id, id_of(&tea)];
    let undone = block_on(m.undo_all(&ids)).unwrap();
    assert_eq!(undone.kept, [tea.entry.id], "a correction builds on it");
    // The newest first, each once.
    let about: Vec<Id> = log(&m).iter().filter(|e| e.action == Action::Undo).map(|e| e.about.unwrap()).collect();
    assert_eq!(about, [parcel.entry.id, second.entry.id, first.entry.id]);
    assert_eq!(current(&m).iter().map(|m| m.id).collect::<Vec<_>>(), [id_of(&later)]);
    assert_sound(&m);
    // Undone entries are skipped, and undoing the undos redoes them all.
    assert_eq!(block_on(m.undo_all(&ids)).unwrap().entries, [] as [Id; 0]);
    assert_eq!(block_on(m.undo_all(&undone.entries)).unwrap().entries.len(), 3);
    let texts = |list: Vec<Memory>| list.into_iter().map(|m| (m.id, m.content)).collect::<Vec<_>>();
    assert_eq!(texts(current(&m)), texts(before));
    assert_sound(&m);
    assert_eq!(code(block_on(m.undo_all(&[]))), Code::InvalidField);
}

#[test]
fn link_to_an_undone_version_moves_to_the_previous_one() {
    let m = open();
    let (first, second) = create_and_update(&m);
    let linked = tell(&m, "The Corran Bay notice period is longer by ten days. @80");
    assert_eq!(linked.entry.target_id, Some(id_of(&second)));
    assert_eq!(linked.entry.decision, Decision::CreateAndLink, "{:?}", linked.entry.similarity);
    let undone = block_on(m.undo(second.entry.id)).unwrap();
    assert_eq!(block_on(m.related(id_of(&linked))).unwrap()[0].memory.id, id_of(&first));
    block_on(m.undo(undone.id)).unwrap();
    assert_eq!(block_on(m.links()).unwrap()[0].from, id_of(&second));
    assert_sound(&m);
}

#[test]
fn check_names_tampered_records() {
    let store = MemoryStore::default();
    let m = over(store.connect(), 0);
    create_and_update(&m);
    let (a, _) = create_linked_pair(&m);
    assert_sound(&m);
    let rules = |m: &Memories| {
        let problems = block_on(m.check()).unwrap().problems;
        problems.into_iter().map(|p| p.rule).collect::<Vec<_>>()
    };
    // Written past the engine, directly into the store.
    let mut set = memfold::consolidation::ChangeSet::new(LogEntry { hash: "0".into(), ..log(&m)[0].clone() });
    set.entry.id = a;
    let mut memory = block_on(store.memories(&[a])).unwrap().pop().flatten().unwrap();
    memory.superseded_by = Some(set.entry.id);
    memory.previous_version_id = Some(log(&m)[0].id);
    set.memories = vec![memory];
    block_on(store.commit(set)).unwrap();
    assert_eq!(rules(&m), [Rule::Chain, Rule::Reference, Rule::Seal]);
    assert_eq!(block_on(store.log(LogRange::default())).unwrap().len(), 5);
}

fn review(m: &Memories, entry: &LogEntry, verdict: &str) -> Result<LogEntry> {
    block_on(m.review(entry.id, verdict.parse().unwrap(), &ReviewOptions::default()))
}

/// A fact of the owner, and a withheld change by a mail.
fn withhold_change(m: &Memories) -> (Id, LogEntry) {
    let own = Draft { source_type: Source::UserInput, ..Draft::new("Passport: it expires on 19 January.") };
    let own = block_on(m.consolidate(own, &Consolidate::default())).unwrap();
    let mail = Draft {
        people: vec!["clerk@example.org".into()],
        source_type: Source::Realtime,
        ..Draft::new("Passport: it expires on 19 June. @30")
    };
    let change = block_on(m.consolidate(mail, &Consolidate::default())).unwrap();
    assert_eq!((change.entry.decision, change.entry.status), (Decision::Update, Status::Skipped));
    (id_of(&own), change.entry)
}

fn contents(m: &Memories) -> Vec<String> {
    current(m).into_iter().map(|m| m.content).collect()
}

#[test]
fn withheld_change_waits_for_review_and_is_applied_when_accepted() {
    let m = open();
    let (own, entry) = withhold_change(&m);
    let items = block_on(m.reviews()).unwrap();
    assert_eq!((items.len(), items[0].existing.as_ref().unwrap().id), (1, own));
    assert_eq!(items[0].draft.people, ["clerk@example.org"]);
    assert_eq!(block_on(m.analytics(&LogQuery::default())).unwrap().needs_review, 1);
    let accepted = review(&m, &entry, "accept").unwrap();
    assert_eq!((accepted.action, accepted.about), (Action::Review, Some(entry.id)));
    let now = current(&m);
    assert_eq!((now.len(), now[0].previous_version_id), (1, Some(own)));
    // The accepted change counts as the owner's statement, so the next mail must wait as well.
    assert_eq!(now[0].source_type, Source::UserInput);
    assert!(block_on(m.reviews()).unwrap().is_empty());
    assert_eq!(code(review(&m, &entry, "reject")), Code::AlreadySettled);
    assert_sound(&m);
    block_on(m.undo(accepted.id)).unwrap();
    assert_eq!((current(&m)[0].id, block_on(m.reviews()).unwrap().len()), (own, 1));
    assert_sound(&m);
}

#[test]
fn rejected_change_changes_nothing_and_leaves_the_queue() {
    let m = open();
    let (own, entry) = withhold_change(&m);
    review(&m, &entry, "reject").unwrap();
    assert_eq!(current(&m)[0].id, own);
    assert!(block_on(m.reviews()).unwrap().is_empty());
    assert_sound(&m);
}

#[test]
fn review_turns_an_update_into_a_link_and_a_link_into_an_update() {
    let m = open();
    let (first, second) = create_and_update(&m);
    let split = review(&m, &second.entry, "CREATE_AND_LINK").unwrap();
    let now = current(&m);
    assert_eq!(now.len(), 2);
    assert!(now.iter().any(|m| m.id == id_of(&first)));
    let twin = split.memory_id.unwrap();
    assert_eq!(block_on(m.related(twin)).unwrap()[0].memory.id, id_of(&first));
    assert_sound(&m);

    let m = open();
    let (a, b) = create_linked_pair(&m);
    let later = tell(&m, "Heron: the beamer is in the cupboard @100");
    assert_eq!(later.entry.target_id, Some(b), "it is linked to what will move");
    let link = log(&m)[1].clone();
    let joined = review(&m, &link, "UPDATE").unwrap();
    let head = joined.memory_id.unwrap();
    assert_eq!(block_on(m.history(a)).unwrap().last().unwrap().id, head);
    assert_eq!(block_on(m.related(id_of(&later))).unwrap()[0].memory.id, head);
    assert_eq!(current(&m).len(), 2);
    assert_sound(&m);
    block_on(m.undo(joined.id)).unwrap();
    assert_eq!(current(&m).len(), 3);
    assert_eq!(block_on(m.related(id_of(&later))).unwrap()[0].memory.id, b);
    assert_sound(&m);
}

#[test]
fn review_turns_a_skip_into_a_memory_with_all_its_fields() {
    let m = open();
    tell(&m, "Dentist: the appointment is on Friday");
    let same =
        Draft { entities: vec!["Pine Street".into()], ..Draft::new("Dentist: the appointment is on a Friday @5") };
    let skipped = block_on(m.consolidate(same, &Consolidate::default())).unwrap().entry;
    assert_eq!(skipped.decision, Decision::Skip);
    let made = review(&m, &skipped, "CREATE").unwrap().memory_id.unwrap();
    assert_eq!(block_on(m.get(made)).unwrap().unwrap().entities, ["Pine Street"]);
    assert_eq!(current(&m).len(), 2);
    assert_sound(&m);
}

/// A policy that creates a memory from every text, to store duplicates.
const ALL_NEW: Policy = Policy { bands: Bands { skip: 1.0, update: 1.0, link: 1.0 }, ..Policy::FAST };

#[test]
fn update_of_two_duplicates_replaces_one_and_flags_the_other() {
    let store = MemoryStore::default();
    let apart = real(store.connect(), ALL_NEW, 0);
    let say = |content: &str| Draft { importance: Some(0.7), ..Draft::new(content) };
    let texts = ["Q1 마케팅 캠페인 예산은 5000만원입니다.", "Q1 마케팅 캠페인 예산 5천만원으로 확정"];
    let old = texts.map(|t| block_on(apart.consolidate(say(t), &Consolidate::default())).unwrap().memory.unwrap().id);
    let m = real(store.connect(), Policy::BALANCED, 1_000_000);
    let made =
        block_on(m.consolidate(say("Q1 마케팅 캠페인 예산이 6000만원으로 변경되었습니다."), &Consolidate::default()));
    let made = made.unwrap();
    let head = made.memory.unwrap().id;
    assert_eq!(made.entry.decision, Decision::Update);
    let now = |m: &memfold::engine::Engine| -> Vec<Id> {
        block_on(m.list(None, 100, false)).unwrap().into_iter().map(|m| m.id).collect()
    };
    // Only one memory is replaced without a question: the other is linked and waits for a review.
    let stands: Vec<Id> = old.into_iter().filter(|id| now(&m).contains(id)).collect();
    assert_eq!((now(&m).len(), stands.len(), made.entry.needs_review), (2, 1, true));
    let related = block_on(m.related(stands[0])).unwrap();
    assert!(related.iter().any(|r| r.memory.id == head && r.edge.kind == EdgeKind::MayReplace));
    assert_eq!(block_on(m.check()).unwrap().problems, []);
    block_on(m.undo(made.entry.id)).unwrap();
    assert_eq!(now(&m), old);
    block_on(m.redo(made.entry.id)).unwrap();
    // After the owner has accepted both, neither is marked as outdated.
    block_on(m.review(made.entry.id, "accept".parse().unwrap(), &ReviewOptions::default())).unwrap();
    let related = block_on(m.related(stands[0])).unwrap();
    assert!(related.iter().all(|r| r.edge.kind != EdgeKind::MayReplace));
    assert_eq!(block_on(m.check()).unwrap().problems, []);
}

#[test]
fn owner_actions_are_logged_as_theirs_in_the_language_of_the_memory() {
    for (text, words) in [
        ("Dentist: Friday at ten", ["Deleted at", "Taken back", "Erased for good"]),
        ("치과 예약은 금요일 열 시", ["지웠습니다", "되돌렸습니다", "완전히 지웠습니다"]),
    ] {
        let m = open();
        let id = id_of(&tell(&m, text));
        let deleted = delete(&m, &[id], Cascade::default()).unwrap();
        let undone = block_on(m.undo(deleted.id)).unwrap();
        let forgotten = block_on(m.forget(&[id])).unwrap();
        for (entry, word) in [&deleted, &undone, &forgotten].into_iter().zip(words) {
            assert!(entry.reason.contains(word), "{}", entry.reason);
            assert_eq!((entry.analyst, entry.confidence, entry.target_id), (Analyst::User, 1.0, Some(id)));
        }
    }
}
