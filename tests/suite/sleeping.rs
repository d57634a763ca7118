//! The sleep cycle over a generated mailbox: fewer active memories, no worse search and no lost facts.

use crate::kit::real;
use crate::mailbox::{Asked, DAY, Mailbox, NOW, fill, mailbox};
use futures::executor::block_on;
use memfold::decision::Policy;
use memfold::engine::{Cancel, Engine, SearchOptions, SleepOptions, SleepReport};
use memfold::model::{Draft, EdgeKind, Ids, Memory, NodeType};
use memfold::sleep::{SourceText, lost, told};
use memfold::store::MemoryStore;
use std::time::Instant;

type Real = Engine;

fn opened(mailbox: &Mailbox) -> (MemoryStore, Real) {
    let store = MemoryStore::default();
    fill(&store, &mailbox.memories);
    let engine = real(store.connect(), Policy::BALANCED, 0);
    (store, engine)
}

fn run(engine: &Real, max_nodes: u32) -> SleepReport {
    let options = SleepOptions { max_nodes: Some(max_nodes), ..SleepOptions::default() };
    block_on(engine.run_sleep_cycle(&options, Cancel::default())).unwrap()
}

/// Runs the cycle until a pass is finished and returns each report with its milliseconds.
fn sleep(engine: &Real, max_nodes: u32) -> Vec<(SleepReport, f64)> {
    let mut reports: Vec<(SleepReport, f64)> = Vec::new();
    while reports.last().is_none_or(|r| !r.0.finished) {
        let started = Instant::now();
        let report = run(engine, max_nodes);
        assert!(report.looked_at <= max_nodes, "{} of {max_nodes}", report.looked_at);
        reports.push((report, started.elapsed().as_secs_f64() * 1e3));
    }
    reports
}

/// Percentage of questions with the answer in one of the first three hits.
fn hits_at_3(engine: &Real, asked: &[Asked]) -> f64 {
    let options = SearchOptions { limit: Some(3), ..SearchOptions::default() };
    let found = |a: &&Asked| {
        let hits = block_on(engine.search(&a.question, &options)).unwrap();
        hits.iter().any(|h| a.answer.iter().all(|part| h.memory.content.contains(part)))
    };
    let count = asked.iter().filter(found).count();
    100.0 * count as f64 / asked.len().max(1) as f64
}

/// Counts archived memories whose numbers or names are missing from their summary.
fn lost_facts(engine: &Real) -> usize {
    let all = block_on(engine.list(None, usize::MAX, true)).unwrap();
    let edges = block_on(engine.links()).unwrap();
    let of = |id| all.iter().find(|m: &&Memory| m.id == id).unwrap();
    let into = edges.iter().filter(|e| e.kind == EdgeKind::ConsolidatedInto);
    into.filter(|e| of(e.to).is_current())
        .filter(|e| {
            let source: SourceText<'_> = told(of(e.from));
            lost(&of(e.to).content, &[source]).is_some()
        })
        .count()
}

/// Runs the cycle over a mailbox, prints the figures and returns the milliseconds per memory.
fn measure(count: usize, max_nodes: u32) -> f64 {
    let mailbox = mailbox(count);
    let (_, engine) = opened(&mailbox);
    let before = hits_at_3(&engine, &mailbox.asked);
    let reports = sleep(&engine, max_nodes);
    let after = hits_at_3(&engine, &mailbox.asked);
    let (first, last) = (reports[0].0.before, reports.last().unwrap().0.after);
    let sum = |f: fn(&SleepReport) -> u32| reports.iter().map(|r| f(&r.0)).sum::<u32>();
    let took: f64 = reports.iter().map(|r| r.1).sum();
    let longest = reports.iter().map(|r| r.1).fold(0.0, f64::max);
    let lost = lost_facts(&engine);
    let asked = mailbox.asked.len();
    println!(
        "{count} memories: {} → {} searched ({} archived into {} summaries, {} tags), hits@3 {before:.1} % → {after:.1} % of {asked}, \
         {lost} facts lost; {} runs of {max_nodes}, {} looks, {:.0} ms a run ({longest:.0} at most), {:.2} ms a memory, {took:.0} ms in all",
        first.active,
        last.active,
        last.archived,
        last.summaries,
        last.tags,
        reports.len(),
        sum(|r| r.looked_at),
        took / reports.len() as f64,
        took / count as f64,
    );
    assert!(asked >= 40, "{asked}");
    assert_eq!(lost, 0);
    assert!(after >= before, "{before} → {after}");
    assert!(last.active * 3 < first.active * 2, "{} → {}", first.active, last.active);
    // Each memory is looked at about twice; growing summaries add their sources.
    assert!(sum(|r| r.looked_at) <= 3 * count as u32);
    let check = block_on(engine.check()).unwrap();
    assert!(check.problems.is_empty(), "{:?}", &check.problems[..check.problems.len().min(5)]);
    assert_eq!(engine_contents(&engine), mailbox_contents(&mailbox));
    took / count as f64
}

/// Contents of all original memories, archived or not.
fn engine_contents(engine: &Real) -> Vec<String> {
    let all = block_on(engine.list(None, usize::MAX, true)).unwrap();
    all.into_iter().filter(|m| m.node_type == NodeType::Memory).map(|m| m.content).collect()
}

fn mailbox_contents(mailbox: &Mailbox) -> Vec<String> {
    mailbox.memories.iter().map(|m| m.content.clone()).collect()
}

#[test]
fn the_sleep_cycle_shrinks_a_two_year_mailbox_without_loss() {
    let count = std::env::var("MEMFOLD_SLEEP").ok().and_then(|n| n.parse().ok()).unwrap_or(180);
    if count < 4_000 {
        measure(count, 500);
        return;
    }
    // Runs are bounded, so the cost per memory hardly grows with the mailbox.
    let costs: Vec<f64> = [count / 16, count / 4, count].map(|n| measure(n, 500)).to_vec();
    println!("from {} memories to {count}, the cost of each grows {:.1} times", count / 16, costs[2] / costs[0]);
    assert!(costs[2] < 6.0 * costs[0], "{costs:?}");
}

#[test]
fn an_exact_number_ranks_first_regardless_of_age() {
    let mut ids = Ids::new(NOW.plus_millis(-900 * DAY), [3; 16]);
    let note = |(n, days): (u32, i64)| {
        let content = format!("The ladder of Dana is in the attic, shelf {n}.");
        Memory::from_draft(ids.mint(), Draft::new(content), NOW.plus_millis(-days * DAY))
    };
    let notes: Vec<Memory> = [(3666, 800), (3661, 1), (3667, 1), (3616, 2), (4666, 2)].map(note).to_vec();
    let store = MemoryStore::default();
    fill(&store, &notes);
    let engine = real(store.connect(), Policy::BALANCED, 0);
    let hits = block_on(engine.search("What is in the attic on shelf 3666?", &SearchOptions::default())).unwrap();
    assert_eq!((hits[0].memory.id, hits[0].strength), (notes[0].id, 1.0));
    assert!(hits[1].strength < 1.0);
}
