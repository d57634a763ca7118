//! The sleep cycle over a generated mailbox: what becomes fewer, what is still found, and that nothing is lost.

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

#[path = "kit/mod.rs"]
mod kit;
#[path = "kit/mailbox.rs"]
mod mailbox;

use futures::executor::block_on;
use kit::{Fake, real};
use mailbox::{Asked, Mailbox, fill, mailbox};
use memfold::decision::Policy;
use memfold::embed::HashingEmbedder;
use memfold::engine::{Cancel, Engine, SearchOptions, SleepOptions, SleepReport};
use memfold::graph::{Told, lost, told};
use memfold::model::{EdgeKind, Memory, NodeType};
use memfold::store::{MemoryStore, Store};
use std::time::Instant;

type Real<S = MemoryStore> = Engine<S, HashingEmbedder, Fake>;

fn opened(mailbox: &Mailbox) -> (MemoryStore, Real) {
    let store = MemoryStore::default();
    fill(&store, &mailbox.memories);
    let engine = real(store.connect(), Policy::BALANCED, 0);
    (store, engine)
}

fn run<S: Store>(engine: &Real<S>, max_nodes: u32) -> SleepReport {
    let options = SleepOptions { max_nodes: Some(max_nodes), ..SleepOptions::default() };
    block_on(engine.run_sleep_cycle(&options, Cancel::default())).unwrap()
}

/// Runs until a whole pass is done; the reports.
fn sleep<S: Store>(engine: &Real<S>, max_nodes: u32) -> Vec<SleepReport> {
    let mut reports = vec![run(engine, max_nodes)];
    while !reports.last().unwrap().finished {
        assert!(reports.len() < 10_000);
        reports.push(run(engine, max_nodes));
    }
    reports
}

/// The share of questions of which one of the best three hits holds the answer, in percent.
fn hits_at_3<S: Store>(engine: &Real<S>, asked: &[Asked]) -> f64 {
    let options = SearchOptions { k: Some(3), ..SearchOptions::default() };
    let found = |a: &&Asked| {
        let hits = block_on(engine.search(&a.question, &options)).unwrap();
        hits.iter().any(|h| a.answer.iter().all(|part| h.memory.content.contains(part)))
    };
    let count = asked.iter().filter(found).count();
    100.0 * count as f64 / asked.len().max(1) as f64
}

/// Every number and name of what was archived stands in the summary that stands for it; how many facts were lost.
fn lost_facts<S: Store>(engine: &Real<S>) -> usize {
    let all = block_on(engine.list(None, usize::MAX, true)).unwrap();
    let edges = block_on(engine.links()).unwrap();
    let of = |id| all.iter().find(|m: &&Memory| m.id == id).unwrap();
    let into = edges.iter().filter(|e| e.kind == EdgeKind::ConsolidatedInto);
    into.filter(|e| of(e.to).is_current())
        .filter(|e| {
            let source: Told<'_> = told(of(e.from));
            lost(&of(e.to).content, &[source]).is_some()
        })
        .count()
}

/// Sleeps over a mailbox and prints what came of it.
fn measure(count: usize, max_nodes: u32) {
    let mailbox = mailbox(count);
    let (_, engine) = opened(&mailbox);
    let before = hits_at_3(&engine, &mailbox.asked);
    let started = Instant::now();
    let reports = sleep(&engine, max_nodes);
    let took = started.elapsed().as_secs_f64() * 1e3;
    let after = hits_at_3(&engine, &mailbox.asked);
    let (first, last) = (reports[0].before, reports.last().unwrap().after);
    let sum = |f: fn(&SleepReport) -> u32| reports.iter().map(f).sum::<u32>();
    let lost = lost_facts(&engine);
    println!(
        "{count} memories: {} → {} searched ({} archived into {} summaries, {} tags), hits@3 {before:.1} % → {after:.1} % of {}, \
         {lost} facts lost, {} runs of {max_nodes}, {:.0} ms a run, {:.2} ms a memory looked at, {:.0} ms in all",
        first.active,
        last.active,
        last.archived,
        last.summaries,
        last.tags,
        mailbox.asked.len(),
        reports.len(),
        took / reports.len() as f64,
        took / f64::from(sum(|r| r.looked_at)),
        took,
    );
    assert!(mailbox.asked.len() >= 40, "{}", mailbox.asked.len());
    assert_eq!(lost, 0);
    assert!(after >= before, "{before} → {after}");
    assert!(last.active * 3 < first.active * 2, "{} → {}", first.active, last.active);
    let check = block_on(engine.check()).unwrap();
    assert!(check.problems.is_empty(), "{:?}", &check.problems[..check.problems.len().min(5)]);
    assert_eq!(engine_contents(&engine), mailbox_contents(&mailbox));
}

/// What the originals say, archived or not.
fn engine_contents<S: Store>(engine: &Real<S>) -> Vec<String> {
    let all = block_on(engine.list(None, usize::MAX, true)).unwrap();
    all.into_iter().filter(|m| m.node_type == NodeType::Memory).map(|m| m.content).collect()
}

fn mailbox_contents(mailbox: &Mailbox) -> Vec<String> {
    mailbox.memories.iter().map(|m| m.content.clone()).collect()
}

#[test]
fn a_mailbox_of_two_years_becomes_fewer_and_loses_nothing() {
    let count = std::env::var("MEMFOLD_SLEEP").ok().and_then(|n| n.parse().ok()).unwrap_or(180);
    measure(count, 500);
}
