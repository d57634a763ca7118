//! The expected state of a store whose decisions are made by bands alone: which memories are current after each commit.

use super::steps::{Step, Target};
use super::world::{Outcome, ensure};
use crate::kit::over;
use futures::executor::block_on;
use memfold::consolidation::{Action, LogEntry, Status, When};
use memfold::decision::Decision;
use memfold::engine::{Engine, ListOptions, SearchOptions};
use memfold::model::{Id, Memory, Time};
use memfold::store::MemoryStore;
use std::collections::{BTreeMap, BTreeSet};

type Ids = BTreeSet<Id>;
type Inspector = Engine;

#[derive(Debug, Clone, Default)]
pub struct Reference {
    current: Ids,
    /// The memories that each entry removed and added.
    deltas: BTreeMap<Id, (Ids, Ids)>,
    forgotten: Ids,
    /// Words of forgotten memories, which nothing stored may contain.
    pub erased: Vec<String>,
    keys: BTreeSet<String>,
    /// The unique word of each memory.
    marks: BTreeMap<Id, String>,
    /// The current memories after each entry.
    known: BTreeMap<Time, Ids>,
    /// The content and the chain of each current memory, before the next commit.
    chains: BTreeMap<Id, (Ids, Vec<String>)>,
}

/// The words of a content that no other content has.
fn unique_words(content: &str) -> Vec<String> {
    content.split(' ').filter(|w| w.starts_with("mark")).map(str::to_owned).collect()
}

impl Reference {
    fn effect(&mut self, entry: Id, gone: Ids, new: Ids) {
        self.current.retain(|id| !gone.contains(id));
        self.current.extend(&new);
        self.deltas.insert(entry, (gone, new));
    }

    fn reverse(&mut self, about: Id, entry: Id) {
        let (gone, new) = self.deltas[&about].clone();
        self.effect(entry, new, gone);
    }

    /// Applies one committed entry, and compares the store with what is expected.
    pub fn apply(&mut self, entry: &LogEntry, step: &Step, target: &Target, store: &Inspector) -> Outcome {
        let all = block_on(store.list(None, usize::MAX, true)).unwrap();
        let is_meant = match entry.action {
            Action::Consolidate => true,
            Action::Delete | Action::Forget => entry.written().any(|id| Some(id) == target.id),
            Action::Review => entry.about == target.id,
            Action::Undo => match step {
                Step::Undo { .. } => entry.about == target.id,
                // A redo undoes the undo; a restore undoes what hid the memory.
                Step::Redo { .. } => entry.about.is_some(),
                _ => all.iter().any(|m| Some(m.id) == target.id && m.deleted_at.is_none()),
            },
            _ => false,
        };
        ensure!(is_meant, "{target:?} was not asked for: {entry:#?}");
        match entry.action {
            Action::Consolidate => {
                let is_new = entry.key.as_ref() == Some(&target.key) && self.keys.insert(target.key.clone());
                ensure!(is_new && entry.input == target.text, "writes {:?} twice, or another text", entry.key);
                let (gone, new) = expected_delta(entry, &all)?;
                self.marks.extend(entry.memory_id.zip(unique_words(&target.text).pop()));
                self.effect(entry.id, gone, new);
            }
            Action::Delete => {
                let chain = chain(store, target.id.unwrap());
                self.effect(entry.id, &chain & &self.current, Ids::new());
            }
            Action::Undo => self.reverse(entry.about.unwrap(), entry.id),
            Action::Forget => self.forget(entry, chain(store, target.id.unwrap()))?,
            Action::Review => self.review(entry, step, store, &all)?,
            _ => {}
        }
        self.known.insert(entry.time, self.current.clone());
        self.chains = self.current.iter().map(|id| (*id, (chain(store, *id), said(&all, *id)))).collect();
        self.compare(store, &all)
    }

    fn forget(&mut self, entry: &LogEntry, chain: Ids) -> Outcome {
        let erased: Ids = entry.touched.iter().copied().collect();
        ensure!(erased.is_superset(&chain), "{chain:?} is not erased as a whole");
        // Another chain is erased only if it shares words with the forgotten one.
        for other in erased.difference(&chain).filter(|id| self.current.contains(id)) {
            let (own, _) = &self.chains[other];
            let words = |ids: &Ids| -> BTreeSet<String> {
                let told = self.chains.values().filter(|(of, _)| of.iter().any(|id| ids.contains(id)));
                let marks = ids.iter().filter_map(|id| self.marks.get(id).cloned());
                told.flat_map(|(_, said)| said.clone()).chain(marks).collect()
            };
            let rest: Ids = erased.iter().filter(|id| !own.contains(id)).copied().collect();
            ensure!(!words(own).is_disjoint(&words(&rest)), "{other} was erased without need");
        }
        self.erased.extend(chain.iter().filter_map(|id| self.marks.get(id).cloned()));
        self.effect(entry.id, &erased & &self.current, Ids::new());
        self.forgotten.extend(erased);
        Ok(())
    }

    fn review(&mut self, done: &LogEntry, step: &Step, store: &Inspector, all: &[Memory]) -> Outcome {
        let Step::Review { verdict, .. } = *step else { return Err("no review was asked for".into()) };
        let log = block_on(store.log(&Default::default())).unwrap();
        let entry = log.iter().find(|e| Some(e.id) == done.about).unwrap();
        let wrote = !entry.touched.is_empty();
        let kept = match verdict {
            "accept" => wrote || entry.decision != Decision::Update,
            "reject" | "SKIP" => !wrote,
            other => other == entry.decision.as_str() && (wrote || other != "UPDATE"),
        };
        if kept {
            ensure!(done.touched.is_empty(), "a verdict that changes nothing writes {:?}", done.touched);
            self.effect(done.id, Ids::new(), Ids::new());
            return Ok(());
        }
        let (mut gone, mut new) = (Ids::new(), Ids::new());
        if wrote {
            (new, gone) = self.deltas[&entry.id].clone();
        }
        if verdict != "reject" {
            let (replaced, made) = expected_delta(done, all)?;
            new.retain(|id| !replaced.contains(id));
            gone.extend(replaced);
            new.extend(made);
        }
        gone.retain(|id| self.current.contains(id));
        self.marks.extend(done.memory_id.zip(unique_words(&entry.input).pop()));
        self.effect(done.id, gone, new);
        Ok(())
    }

    fn compare(&self, store: &Inspector, all: &[Memory]) -> Outcome {
        let current: Ids = all.iter().filter(|m| m.is_current()).map(|m| m.id).collect();
        ensure!(current == self.current, "{current:?} are current, and {:?} are expected", self.current);
        let options = SearchOptions { limit: Some(100), ..SearchOptions::default() };
        let found = block_on(store.search("topic0 topic1 topic2 says", &options)).unwrap();
        let outdated = found.iter().find(|h| !self.current.contains(&h.memory.id));
        ensure!(outdated.is_none(), "a search finds {outdated:?}");
        let export = block_on(store.export_pieces()).unwrap().concat();
        let left = self.erased.iter().find(|word| export.contains(word.as_str()));
        ensure!(left.is_none(), "{left:?} can still be read");
        let revived = self.forgotten.iter().find(|id| block_on(store.get(**id)).unwrap().is_some());
        ensure!(revived.is_none(), "{revived:?} was forgotten");
        Ok(())
    }

    /// Compares past queries with what was current then, and the copy of an export with the store.
    pub fn check_end(&self, store: &Inspector, in_order: bool) -> Outcome {
        let export = block_on(store.export_pieces()).unwrap().concat();
        let copy = over(MemoryStore::default(), 900_000_000);
        block_on(copy.import(&export)).unwrap();
        let again = block_on(copy.export_pieces()).unwrap().concat();
        let records = |text: &str| -> Vec<String> {
            text.lines().skip(1).filter(|l| !l.starts_with("{\"entry\"")).map(str::to_owned).collect()
        };
        ensure!(records(&again) == records(&export), "the copy of an export differs");
        ensure!(block_on(copy.check()).unwrap().problems.is_empty(), "the copy of an export is not valid");
        for store in [store, &copy].into_iter().filter(|_| in_order) {
            self.check_past(store)?;
        }
        Ok(())
    }

    /// `as_of` finds what was known then, without the memories forgotten since. `valid_at` finds the last version of
    /// a chain that was stated by that day.
    fn check_past(&self, store: &Inspector) -> Outcome {
        let ids = |found: Vec<Memory>| found.into_iter().map(|m| m.id).collect::<Ids>();
        for (then, current) in &self.known {
            let known = ListOptions { as_of: Some(*then), limit: Some(u32::MAX), ..ListOptions::default() };
            let expected: Ids = current.difference(&self.forgotten).copied().collect();
            ensure!(ids(block_on(store.listed(&known)).unwrap()) == expected, "wrong as of {then}");
        }
        for day in 0..10 {
            let at = Time::from_millis(1_700_000_000_000 + day * 86_400_000);
            let when = When { as_of: None, valid_at: Some(at) };
            let true_then = ListOptions { valid_at: Some(at), limit: Some(u32::MAX), ..ListOptions::default() };
            let held = ids(block_on(store.listed(&true_then)).unwrap());
            for id in &self.current {
                let line: Vec<Memory> = block_on(store.history(*id)).unwrap();
                let said = line.iter().rposition(|m| m.own_time() <= at);
                let replaced = |n: usize| line.get(n + 1).is_some_and(|m| m.own_time() <= at);
                let expected = said.filter(|n| !replaced(*n)).map(|n| line[n].id);
                let found = ids(block_on(store.history_at(*id, &when)).unwrap());
                let holds = found.is_subset(&held) && found.len() <= line.len();
                ensure!(holds && expected.is_none_or(|id| found.contains(&id)), "wrong at {at}");
            }
        }
        Ok(())
    }
}

fn chain(store: &Inspector, id: Id) -> Ids {
    block_on(store.history(id)).unwrap().into_iter().map(|m| m.id).collect()
}

fn said(all: &[Memory], id: Id) -> Vec<String> {
    all.iter().filter(|m| m.id == id).flat_map(|m| unique_words(&m.content)).collect()
}

/// The memories that an entry removed and added. An UPDATE replaces its target, unless it came late.
fn expected_delta(entry: &LogEntry, all: &[Memory]) -> Outcome<(Ids, Ids)> {
    let made = entry.memory_id.and_then(|id| all.iter().find(|m| m.id == id));
    Ok(match (entry.decision, entry.status, made) {
        (Decision::Create | Decision::CreateAndLink, Status::Success, Some(m)) => (Ids::new(), [m.id].into()),
        (Decision::Update, Status::Success, Some(m)) if m.superseded_by.is_none() => {
            ([entry.target_id.unwrap()].into(), [m.id].into())
        }
        (Decision::Update, Status::Success, Some(_)) | (_, Status::Skipped, None) => Default::default(),
        _ => return Err(format!("an entry that cannot be: {entry:#?}")),
    })
}
