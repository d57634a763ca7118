//! Random sequences of operations on a memory, compared with a small reference model after each
//! step. `MEMFOLD_HISTORIES` sets how many; 200 where absent.

use crate::kit::{Memories, over};
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{Action, Cascade, LogEntry, ReviewOptions, Status, When};
use memfold::decision::Decision;
use memfold::engine::{Consolidate, DeleteOptions, ListOptions, LogQuery, SearchOptions};
use memfold::model::{Draft, Id, Memory, Source, Time};
use memfold::store::MemoryStore;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
enum Step {
    /// Topic, angle of the embedding, day of the statement, whether the owner stated it, number of
    /// its key.
    Tell(u8, u16, u8, bool, u8),
    Delete(Index, bool),
    Restore(Index),
    Forget(Index),
    Undo(Index),
    Redo(Index),
    Review(Index, &'static str),
    /// Imports an earlier export.
    Import(Index),
    /// Opens the store on a new connection.
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let angle = prop::sample::select(vec![0u16, 5, 30, 35, 50, 65, 80, 95, 125]);
    let verdict = prop::sample::select(vec!["accept", "reject", "CREATE", "UPDATE", "SKIP", "CREATE_AND_LINK"]);
    let any = any::<Index>;
    prop_oneof![
        10 => (0u8..3, angle, 0u8..9, prop::bool::weighted(0.2), 0u8..60).prop_map(|(t, a, d, o, k)| Step::Tell(t, a, d, o, k)),
        2 => (any(), prop::bool::ANY).prop_map(|(i, cut)| Step::Delete(i, cut)),
        2 => any().prop_map(Step::Restore),
        1 => any().prop_map(Step::Forget),
        5 => any().prop_map(Step::Undo),
        3 => any().prop_map(Step::Redo),
        4 => (any(), verdict).prop_map(|(i, v)| Step::Review(i, v)),
        1 => any().prop_map(Step::Import),
        1 => Just(Step::Reopen),
    ]
}

/// The expected state: which memories are current, and which ones each entry removed and added.
#[derive(Debug, Clone, Default)]
struct Model {
    current: BTreeSet<Id>,
    deltas: BTreeMap<Id, (BTreeSet<Id>, BTreeSet<Id>)>,
    forgotten: BTreeSet<Id>,
    /// Words of forgotten memories, which no export may contain.
    erased: Vec<String>,
    keys: BTreeSet<u8>,
    /// The unique word of each memory.
    marks: BTreeMap<Id, String>,
}

impl Model {
    fn apply(&mut self, entry: Id, gone: BTreeSet<Id>, new: BTreeSet<Id>) {
        self.current.retain(|id| !gone.contains(id));
        self.current.extend(&new);
        self.deltas.insert(entry, (gone, new));
    }

    /// Reverses the effect of `about`, as the effect of `entry`.
    fn reverse(&mut self, about: Id, entry: Id) {
        let (gone, new) = self.deltas[&about].clone();
        self.apply(entry, new, gone);
    }
}

struct World {
    store: MemoryStore,
    engine: Memories,
    model: Model,
    exports: Vec<String>,
    /// The memories that were current at the time of each entry.
    known: BTreeMap<Time, BTreeSet<Id>>,
    said: u32,
    opened: u64,
}

const ALLOWED: &[Code] = &[
    Code::NotFound,
    Code::InvalidInput,
    Code::InvalidField,
    Code::AlreadyUndone,
    Code::AlreadySettled,
    Code::HasDependents,
    Code::Forgotten,
];

impl World {
    fn new() -> Self {
        let store = MemoryStore::default();
        let engine = over(store.connect(), 0);
        Self { store, engine, model: Model::default(), exports: Vec::new(), known: BTreeMap::new(), said: 0, opened: 0 }
    }

    fn all(&self) -> Vec<Memory> {
        block_on(self.engine.list(None, usize::MAX, true)).unwrap()
    }

    fn log(&self) -> Vec<LogEntry> {
        block_on(self.engine.log(&LogQuery::default())).unwrap()
    }

    fn chain(&self, id: Id) -> BTreeSet<Id> {
        block_on(self.engine.history(id)).unwrap().into_iter().map(|m| m.id).collect()
    }

    /// A refusal has one of the known codes and changes nothing.
    fn refused(&self, result: memfold::Result<LogEntry>, before: &str) -> Option<LogEntry> {
        match result {
            Ok(entry) => Some(entry),
            Err(e) => {
                assert!(ALLOWED.contains(&e.code), "{e:?}");
                assert_eq!(block_on(self.engine.export()).unwrap(), before, "a refused call changed something");
                None
            }
        }
    }

    fn run_step(&mut self, step: &Step) {
        let before = block_on(self.engine.export()).unwrap();
        let (memories, log) = (self.all(), self.log());
        match step {
            Step::Tell(topic, angle, day, own, key) => self.tell(*topic, *angle, *day, *own, *key),
            Step::Reopen => {
                self.opened += 1;
                self.engine = over(self.store.connect(), self.opened * 1_000_000);
            }
            Step::Import(i) if !self.exports.is_empty() => {
                self.import(&self.exports[i.index(self.exports.len())].clone())
            }
            _ if memories.is_empty() => {}
            Step::Delete(i, cut) => {
                let id = memories[i.index(memories.len())].id;
                let cascade = if *cut { Cascade::RemoveEdges } else { Cascade::PreserveEdges };
                let done = block_on(self.engine.delete(&[id], &DeleteOptions { cascade, request: None }));
                if let Some(entry) = self.refused(done, &before) {
                    let gone = &self.chain(id) & &self.model.current;
                    self.model.apply(entry.id, gone, BTreeSet::new());
                }
            }
            Step::Restore(i) => {
                let id = memories[i.index(memories.len())].id;
                if let Some(entry) = self.refused(block_on(self.engine.restore(id)), &before) {
                    self.model.reverse(entry.about.unwrap(), entry.id);
                    assert!(block_on(self.engine.get(id)).unwrap().unwrap().deleted_at.is_none());
                }
            }
            Step::Forget(i) => {
                let id = memories[i.index(memories.len())].id;
                let chain = self.chain(id);
                let chains: BTreeMap<Id, BTreeSet<Id>> =
                    self.model.current.iter().map(|id| (*id, self.chain(*id))).collect();
                if let Some(entry) = self.refused(block_on(self.engine.forget(&[id])), &before) {
                    let erased: BTreeSet<Id> = entry.touched.iter().copied().collect();
                    assert!(erased.is_superset(&chain));
                    let said = |id: &Id| {
                        let told = memories.iter().filter(|m| m.id == *id).flat_map(|m| unique_words(&m.content));
                        told.chain(self.model.marks.get(id).cloned()).collect::<BTreeSet<_>>()
                    };
                    let words: Vec<String> = chain.iter().filter_map(|id| self.model.marks.get(id).cloned()).collect();
                    // Another chain is erased only if it shares words with the forgotten one.
                    for other in erased.difference(&chain).filter(|id| self.model.current.contains(id)) {
                        let own = &chains[other];
                        let rest: BTreeSet<String> =
                            erased.iter().filter(|id| !own.contains(id)).flat_map(said).collect();
                        let told: BTreeSet<String> = own.iter().flat_map(said).collect();
                        assert!(!told.is_disjoint(&rest), "{other} was erased without need");
                    }
                    let gone = &erased & &self.model.current;
                    self.model.apply(entry.id, gone, BTreeSet::new());
                    self.model.erased.extend(words);
                    self.model.forgotten.extend(erased);
                }
            }
            Step::Undo(i) => {
                let id = log[i.index(log.len())].id;
                if let Some(entry) = self.refused(block_on(self.engine.undo(id)), &before) {
                    self.model.reverse(id, entry.id);
                }
            }
            Step::Redo(i) => {
                let id = log[i.index(log.len())].id;
                if let Some(entry) = self.refused(block_on(self.engine.redo(id)), &before) {
                    self.model.reverse(entry.about.unwrap(), entry.id);
                }
            }
            Step::Review(i, verdict) => self.review(&log[i.index(log.len())], verdict, &before),
            Step::Import(_) => {}
        }
        self.verify();
        if let Some(last) = self.log().last() {
            self.known.insert(last.time, self.model.current.clone());
        }
        self.exports.push(block_on(self.engine.export()).unwrap());
    }

    fn tell(&mut self, topic: u8, angle: u16, day: u8, own: bool, key: u8) {
        self.said += 1;
        let content = format!("topic{topic} says mark{}x @{angle}", self.said);
        let stated_at = Some(Time::from_millis(1_700_000_000_000 + i64::from(day) * 86_400_000));
        let source_type = if own { Source::UserInput } else { Source::Realtime };
        let draft = Draft { stated_at, source_type, ..Draft::new(content) };
        let how = Consolidate { key: Some(format!("key {key}")), ..Consolidate::default() };
        let known = self.log().len();
        let receipt = block_on(self.engine.consolidate(draft, &how)).unwrap();
        assert_eq!(receipt.replayed, !self.model.keys.insert(key));
        if receipt.replayed {
            assert_eq!(self.log().len(), known);
            return;
        }
        let (gone, new) = self.expected_delta(&receipt.entry);
        self.model.marks.extend(receipt.entry.memory_id.map(|id| (id, format!("mark{}x", self.said))));
        self.model.apply(receipt.entry.id, gone, new);
    }

    /// The memories that an entry removed and added. An UPDATE replaces its target, unless it came
    /// late.
    fn expected_delta(&self, entry: &LogEntry) -> (BTreeSet<Id>, BTreeSet<Id>) {
        let made = entry.memory_id.and_then(|id| block_on(self.engine.get(id)).unwrap());
        match (entry.decision, entry.status, made) {
            (Decision::Create | Decision::CreateAndLink, Status::Success, Some(m)) => ([].into(), [m.id].into()),
            (Decision::Update, Status::Success, Some(m)) if m.superseded_by.is_none() => {
                ([entry.target_id.unwrap()].into(), [m.id].into())
            }
            (Decision::Update, Status::Success, Some(_)) | (_, Status::Skipped, None) => Default::default(),
            other => panic!("an entry that cannot be: {other:?}"),
        }
    }

    fn review(&mut self, entry: &LogEntry, verdict: &str, before: &str) {
        let options = ReviewOptions::default();
        let done = block_on(self.engine.review(entry.id, verdict.parse().unwrap(), &options));
        let Some(done) = self.refused(done, before) else { return };
        assert_eq!((done.action, done.about), (Action::Review, Some(entry.id)));
        let wrote = !entry.touched.is_empty();
        let kept = match verdict {
            "accept" => wrote || entry.decision != Decision::Update,
            "reject" => !wrote,
            "SKIP" => !wrote,
            other => other == entry.decision.as_str() && (wrote || other != "UPDATE"),
        };
        if kept {
            assert!(done.touched.is_empty());
            self.model.apply(done.id, [].into(), [].into());
            return;
        }
        let (mut gone, mut new) = (BTreeSet::new(), BTreeSet::new());
        if wrote {
            (new, gone) = self.model.deltas[&entry.id].clone();
        }
        if verdict != "reject" {
            let (replaced, made) = self.expected_delta(&done);
            new.retain(|id| !replaced.contains(id));
            gone.extend(replaced);
            new.extend(made);
        }
        gone.retain(|id| self.model.current.contains(id));
        self.model.marks.extend(done.memory_id.zip(unique_words(&entry.input).pop()));
        self.model.apply(done.id, gone, new);
    }

    /// Imports an earlier export of the same store: nothing changes, and forgotten memories stay
    /// forgotten.
    fn import(&mut self, export: &str) {
        let before = block_on(self.engine.export()).unwrap();
        let report = block_on(self.engine.import(export)).unwrap();
        assert_eq!((report.memories, report.edges, report.entries, report.moved), (0, 0, 0, 0));
        assert_eq!(block_on(self.engine.export()).unwrap(), before);
    }

    fn verify(&self) {
        let report = block_on(self.engine.check()).unwrap();
        assert_eq!(report.problems, [], "{:#?}", self.model);
        let current: BTreeSet<Id> = self.all().iter().filter(|m| m.is_current()).map(|m| m.id).collect();
        assert_eq!(current, self.model.current);
        let found = block_on(
            self.engine.search("topic0 topic1 topic2 says", &SearchOptions { limit: Some(100), ..Default::default() }),
        );
        assert!(found.unwrap().iter().all(|h| self.model.current.contains(&h.memory.id)));
        let export = block_on(self.engine.export()).unwrap();
        for word in &self.model.erased {
            assert!(!export.contains(word.as_str()), "{word} can still be read");
        }
        for id in &self.model.forgotten {
            assert_eq!(block_on(self.engine.get(*id)).unwrap(), None);
        }
    }

    /// `as_of` finds what the model knew then, without the memories forgotten since. `valid_at`
    /// finds the last version of a chain that was stated by that day.
    fn verify_past_queries(&self, engine: &Memories) {
        let ids = |found: Vec<Memory>| found.into_iter().map(|m| m.id).collect::<BTreeSet<Id>>();
        for (then, current) in &self.known {
            let known = ListOptions { as_of: Some(*then), limit: Some(u32::MAX), ..ListOptions::default() };
            let expected: BTreeSet<Id> = current.difference(&self.model.forgotten).copied().collect();
            assert_eq!(ids(block_on(engine.listed(&known)).unwrap()), expected, "{then}");
        }
        for day in 0..10 {
            let at = Time::from_millis(1_700_000_000_000 + day * 86_400_000);
            let when = When { as_of: None, valid_at: Some(at) };
            let true_then = ListOptions { valid_at: Some(at), limit: Some(u32::MAX), ..ListOptions::default() };
            let held = ids(block_on(engine.listed(&true_then)).unwrap());
            for id in &self.model.current {
                let line: Vec<Memory> = block_on(engine.history(*id)).unwrap();
                let said = line.iter().rposition(|m| m.own_time() <= at);
                let replaced = |n: usize| line.get(n + 1).is_some_and(|m| m.own_time() <= at);
                let expected = said.filter(|n| !replaced(*n)).map(|n| line[n].id);
                let found = ids(block_on(engine.history_at(*id, &when)).unwrap());
                assert!(found.is_subset(&held) && found.len() <= line.len());
                assert!(expected.is_none_or(|id| found.contains(&id)), "{at}");
            }
        }
    }

    /// An export imported into an empty store gives the same store.
    fn verify_copy(&self) {
        let export = block_on(self.engine.export()).unwrap();
        let copy = over(MemoryStore::default(), 900_000_000);
        block_on(copy.import(&export)).unwrap();
        let again = block_on(copy.export()).unwrap();
        let records = |text: &str| -> Vec<String> {
            text.lines().skip(1).filter(|l| !l.starts_with("{\"entry\"")).map(str::to_owned).collect()
        };
        assert_eq!(records(&again), records(&export));
        assert_eq!(block_on(copy.check()).unwrap().problems, []);
        self.verify_past_queries(&self.engine);
        self.verify_past_queries(&copy);
    }
}

/// The words of a content that no other content has.
fn unique_words(content: &str) -> Vec<String> {
    content.split(' ').filter(|w| w.starts_with("mark")).map(str::to_owned).collect()
}

fn history_count() -> u32 {
    std::env::var("MEMFOLD_HISTORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: history_count(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_histories_match_the_reference_model(steps in prop::collection::vec(step(), 1..32)) {
        let mut world = World::new();
        for step in &steps {
            world.run_step(step);
        }
        world.verify_copy();
    }
}
