//! An import that asks about several mails at once writes what one that asks about one at a time writes.

use crate::kit::Fake;
use crate::mailboxes::{NAMES, read};
use futures::FutureExt;
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::LogEntry;
use memfold::decision::{Decision, Policy, Prompt, Reason, Refusal, Task};
use memfold::embed::HashingEmbedder;
use memfold::engine::{Cancel, Consolidate, Engine, Gone, IngestOptions, IngestReport, LogQuery, Options};
use memfold::llm::{Answering, Reply};
use memfold::mail::HostCharset;
use memfold::model::{Draft, Id, Memory, Metadata, Source};
use memfold::store::MemoryStore;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

type Memories = Engine;
type Script = Box<dyn Fn(&Prompt) -> Result<Reply, Refusal>>;

/// Polls that an answer takes.
const TAKES: u32 = 5;

/// A model whose answers take a while, all that are out at the same pace.
#[derive(Clone)]
struct Slow {
    script: Rc<Script>,
    clock: Rc<Clock>,
}

/// What goes on while a slow model is asked.
#[derive(Default)]
struct Clock {
    /// Calls by number, those that were polled in this round, and rounds.
    calls: Cell<u32>,
    polled: RefCell<HashSet<u32>>,
    rounds: Cell<u32>,
    out: Cell<u32>,
    most_out: Cell<u32>,
    /// The message ids that were asked about, in order.
    sources: RefCell<Vec<String>>,
}

impl Clock {
    fn tick(&self, call: u32) {
        if !self.polled.borrow_mut().insert(call) || self.rounds.get() == 0 {
            self.polled.replace([call].into());
            self.rounds.set(self.rounds.get() + 1);
        }
    }
}

impl fmt::Debug for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slow")
    }
}

impl Slow {
    fn new(script: impl Fn(&Prompt) -> Result<Reply, Refusal> + 'static) -> Self {
        Self { script: Rc::new(Box::new(script)), clock: Rc::default() }
    }
}

impl memfold::llm::Model for Slow {
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a> {
        let clock = &self.clock;
        let call = clock.calls.get() + 1;
        clock.calls.set(call);
        clock.sources.borrow_mut().extend(prompt.source.clone());
        clock.out.set(clock.out.get() + 1);
        clock.most_out.set(clock.most_out.get().max(clock.out.get()));
        let mut left = TAKES + call % 3;
        Box::pin(poll_fn(move |cx| {
            clock.tick(call);
            left -= 1;
            if left > 0 {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            clock.out.set(clock.out.get() - 1);
            Poll::Ready((self.script)(prompt))
        }))
    }
}

fn opened(store: MemoryStore, owner: &str, from: u64) -> Memories {
    let options = Options { policy: Policy::BALANCED, owner: vec![owner.to_owned()], ..Options::default() };
    block_on(Engine::open(store, HashingEmbedder, Fake::from(from), options)).unwrap()
}

fn engine(owner: &str, model: Slow) -> Memories {
    opened(MemoryStore::default(), owner, 63_072_000_000).with_model(Rc::new(model))
}

/// What a future gives that waits for nothing.
fn now<T>(work: impl Future<Output = memfold::Result<T>>) -> T {
    work.now_or_never().unwrap().unwrap()
}

fn import(m: &Memories, mbox: &[u8], options: IngestOptions) -> IngestReport {
    let mut intake = m.intake(options);
    let mut pieces = intake.push(mbox);
    pieces.extend(intake.finish());
    let many = pieces.len();
    let receipts = block_on(m.ingest_all(&mut intake, pieces, &HostCharset, Cancel::default())).unwrap();
    assert!(receipts.len() == many && receipts.iter().enumerate().all(|(n, r)| r.index as usize == n));
    assert!(block_on(m.check()).unwrap().problems.is_empty());
    intake.report().clone()
}

fn at_once(n: u32) -> IngestOptions {
    IngestOptions { concurrency: Some(n), ..IngestOptions::default() }
}

/// All that is stored and logged, with the places of memories in the list for their ids, which tell the clock.
fn written(m: &Memories) -> Vec<String> {
    let all = block_on(m.list(None, usize::MAX, true)).unwrap();
    let place = |id| all.iter().position(|m| Some(m.id) == id);
    let told = |m: &Memory| {
        let names = [m.previous_version_id, m.superseded_by, m.contradicted_by].map(place);
        let when = (m.stated_at, m.valid_from, m.valid_until, m.occurred_at);
        format!("{names:?} {} {when:?} {:?} {:?} {:?}", m.version, m.content, m.statements, m.people)
    };
    let logged = |e: &LogEntry| {
        let touched: Vec<_> = e.touched.iter().map(|id| place(Some(*id))).collect();
        let names = (place(e.target_id), place(e.memory_id), touched);
        // Ids tell the clock.
        let names_an_entry = |r: &&Reason| matches!(r, Reason::Confirmed { .. } | Reason::Settled { .. });
        let (named, reasons): (Vec<&Reason>, Vec<&Reason>) = e.reasons.iter().partition(names_an_entry);
        let told = (named.len(), reasons);
        format!("{names:?} {:?} {:?} {:?} {:?} {told:?}", e.decision, e.status, e.input, e.tokens)
    };
    let links = block_on(m.links()).unwrap();
    let linked = |e: &memfold::model::Edge| format!("{:?} {:?} {:?}", place(Some(e.from)), place(Some(e.to)), e.kind);
    let log = block_on(m.log(&LogQuery::default())).unwrap();
    let log = log.iter().map(logged).chain(links.iter().map(linked));
    all.iter().map(told).chain(log).collect()
}

/// A ledger as a model whose answer follows from the question alone.
fn ledger(name: &str) -> impl Fn(&Prompt) -> Result<Reply, Refusal> + use<> {
    let text = String::from_utf8(read(name, "ledger.jsonl")).unwrap();
    let mut values: HashMap<String, HashSet<String>> = HashMap::new();
    let mut mails: HashMap<String, Vec<Value>> = HashMap::new();
    for line in text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()) {
        let says = line["says"].as_array().unwrap().clone();
        for s in &says {
            let fact = s["fact"].as_str().unwrap().to_owned();
            values.entry(fact).or_default().extend(s["value"].as_str().map(str::to_owned));
        }
        mails.insert(line["message"].as_str().unwrap().to_owned(), says);
    }
    move |prompt| {
        assert_eq!(prompt.task, Task::Mail);
        let mut entries: Vec<Value> = Vec::new();
        for s in prompt.source.iter().filter_map(|source| mails.get(source)).flatten() {
            let known = &values[s["fact"].as_str().unwrap()];
            let of = prompt.candidates.iter().find(|c| known.contains(&c.content)).map(|c| c.handle.to_owned());
            let again = of.is_some() && s["is"] == "repeat";
            let op = if again {
                "repeat"
            } else if of.is_some() {
                "update"
            } else {
                "new"
            };
            entries.push(json!({
                "op": op, "of": of, "text": if again { Value::Null } else { s["value"].clone() }, "gone": [],
                "category": s["category"], "day": s["day"], "people": [], "links": [], "evidence": s["quote"],
            }));
        }
        Ok(Reply { text: json!({ "entries": entries }).to_string(), tokens: 7 })
    }
}

/// The message ids that were asked about more than once.
fn asked_twice(clock: &Clock) -> Vec<String> {
    let (mut seen, sources) = (HashSet::new(), clock.sources.borrow());
    sources.iter().filter(|id| !seen.insert(*id)).cloned().collect()
}

#[test]
fn eight_at_once_write_what_one_at_a_time_writes() {
    let (mut needed, mut made, mut polls, mut rounds) = (0, 0, 0, 0);
    for name in NAMES {
        let expected: Value = serde_json::from_slice(&read(name, "expect.json")).unwrap();
        let run = |n: u32| {
            let model = Slow::new(ledger(name));
            let m = engine(expected["me"].as_str().unwrap(), model.clone());
            let report = import(&m, &read(name, "mbox"), at_once(n));
            assert_eq!(model.clock.out.get(), 0);
            (written(&m), report, model.clock, block_on(m.usage()).unwrap())
        };
        let (one, alone, before, _) = run(1);
        let (eight, together, clock, usage) = run(8);
        for (a, b) in one.iter().zip(&eight) {
            assert_eq!(a, b, "{name}");
        }
        assert_eq!((one.len(), alone), (eight.len(), together), "{name}");
        assert_eq!((before.most_out.get(), usage.calls, usage.cached), (1, clock.calls.get(), 0), "{name}");
        assert_eq!([asked_twice(&before), asked_twice(&clock)], [const { Vec::<String>::new() }; 2], "{name}");
        println!(
            "{name:8} {} calls for {}, {} at once at most, {:.1} times as fast",
            clock.calls.get(),
            before.calls.get(),
            clock.most_out.get(),
            f64::from(before.rounds.get()) / f64::from(clock.rounds.get())
        );
        assert!(clock.most_out.get() > 1 && clock.most_out.get() <= 8, "{name}");
        needed += before.calls.get();
        made += clock.calls.get();
        polls += before.rounds.get();
        rounds += clock.rounds.get();
    }
    let speed = f64::from(polls) / f64::from(rounds);
    println!("all      {made} calls for {needed}, {speed:.2} times as fast");
    assert_eq!(made, needed);
    assert!(speed > 1.0, "{speed}");
}

#[test]
fn reread_by_eight_at_once_writes_what_one_at_a_time_writes() {
    for name in &NAMES[..1] {
        let expected: Value = serde_json::from_slice(&read(name, "expect.json")).unwrap();
        let owner = expected["me"].as_str().unwrap();
        let run = |n: u32| {
            let store = MemoryStore::default();
            import(&opened(store.connect(), owner, 63_072_000_000), &read(name, "mbox"), IngestOptions::default());
            let model = Slow::new(ledger(name));
            let m = opened(store, owner, 126_144_000_000).with_model(Rc::new(model.clone()));
            let report = import(&m, &read(name, "mbox"), IngestOptions { reread: true, ..at_once(n) });
            (written(&m), report, model.clock)
        };
        let (one, alone, before) = run(1);
        let (eight, together, clock) = run(8);
        for (a, b) in one.iter().zip(&eight) {
            assert_eq!(a, b, "{name}");
        }
        assert_eq!((one.len(), alone.clone()), (eight.len(), together), "{name}");
        assert!(alone.gave_way > 5 && alone.failed.is_empty(), "{name}: {alone:?}");
        assert_eq!(before.calls.get(), clock.calls.get(), "{name}");
        assert!(asked_twice(&clock).is_empty() && clock.most_out.get() > 1, "{name}");
    }
}

const MATTERS: [&str; 12] = [
    "The piano is tuned by Birgit each spring.",
    "A falcon nests above the warehouse gate.",
    "Lentil soup needs cumin and lemon.",
    "Terminal screens are replaced by Oskar.",
    "Glaciers near Tromso shrink quickly.",
    "Violet curtains hang 3 metres wide in the parlour.",
    "Marathon shoes wear out within months.",
    "Copper pipes rattle under our kitchen.",
    "Our telescope got another mirror of 6 inches.",
    "Hedgehogs hibernate at 4 °C behind that shed.",
    "Bicycle lamps burn brighter than candles.",
    "Somebody left his umbrella aboard flight KE907.",
];

/// Mails of as many threads and people as there are matters.
fn apart() -> Vec<u8> {
    let one = |(n, text): (usize, &&str)| {
        format!(
            "From x Thu Jan  1 00:00:00 2025\nFrom: p{n} <p{n}@host{n}.example>\nTo: me@b.example\nSubject: {}\n\
             Date: Tue, {:02} Jan 2025 09:00:00 +0000\nMessage-ID: <{n}@host{n}.example>\n\n{text}\n\n",
            text.split(' ').nth(1).unwrap(),
            n + 1
        )
    };
    MATTERS.iter().enumerate().map(one).collect::<String>().into_bytes()
}

/// What a mail says, as one new memory.
fn whole(prompt: &Prompt) -> Result<Reply, Refusal> {
    let said = MATTERS.iter().find(|text| prompt.text.contains(**text)).unwrap();
    let entry = json!({"op": "new", "text": said, "category": "misc", "evidence": said});
    Ok(Reply { text: json!({"entries": [entry]}).to_string(), tokens: 1_000 })
}

fn refused(m: &Memories) -> Vec<Option<String>> {
    let log = block_on(m.log(&LogQuery::default())).unwrap();
    let why = |e: &LogEntry| {
        e.reasons.iter().find_map(|r| match r {
            Reason::ModelRefused { error } => Some(error.clone()),
            _ => None,
        })
    };
    log.iter().map(why).collect()
}

#[test]
fn what_is_apart_is_asked_about_together_and_a_budget_holds() {
    let run = |n: u32, import_tokens: Option<u32>| {
        let model = Slow::new(whole);
        let m = engine("me@b.example", model.clone());
        import(&m, &apart(), IngestOptions { import_tokens, ..at_once(n) });
        (written(&m), refused(&m), model.clock.calls.get(), model.clock.most_out.get())
    };
    let (one, _, calls, _) = run(1, None);
    assert_eq!(calls, 12);
    let (eight, _, calls, most_out) = run(8, None);
    assert_eq!((eight, calls, most_out), (one, 12, 8));
    for budget in [1, 3_000, 5_500, 12_000] {
        let (one, why, calls, _) = run(1, Some(budget));
        // Of a mail that is read locally, what has no figure is no memory.
        assert!(why.iter().flatten().count() as u32 <= 12 - calls);
        let (eight, _, at_once, _) = run(8, Some(budget));
        assert_eq!((eight, at_once), (one, calls), "{budget}");
    }
}

#[test]
fn an_endpoint_that_fails_is_not_asked_eight_times_at_once_for_long() {
    let run = |n: u32| {
        let model = Slow::new(|_| Err(Refusal::Unreachable));
        let m = engine("me@b.example", model.clone());
        import(&m, &apart(), at_once(n));
        (written(&m), refused(&m), model.clock.calls.get())
    };
    let (one, why, calls) = run(1);
    assert!(calls == 12 && why.iter().all(|w| w.as_deref() == Some("unreachable")), "{why:?}");
    let (eight, _, together) = run(8);
    assert_eq!(eight, one);
    assert!(together <= calls + 1, "{together}");

    // Once it answers again, several are out again.
    let asked = Cell::new(0);
    let model = Slow::new(move |prompt| {
        asked.set(asked.get() + 1);
        if asked.get() <= 1 { Err(Refusal::Timeout) } else { whole(prompt) }
    });
    let m = engine("me@b.example", model.clone());
    import(&m, &apart(), at_once(2));
    assert_eq!((model.clock.calls.get(), model.clock.most_out.get()), (12, 2));
    assert!(refused(&m).iter().flatten().count() <= 1);
}

#[test]
fn whoever_gives_up_leaves_nothing_out_and_the_rest_is_done_later() {
    let model = Slow::new(whole);
    let m = engine("me@b.example", model.clone());
    let clock = model.clock.clone();
    let over = || clock.calls.get() >= 10 && clock.out.get() < 6;
    let gone = || -> Gone<'_> {
        Box::pin(poll_fn(|cx| {
            if over() {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        }))
    };
    let mut intake = m.intake(IngestOptions::default());
    let mut pieces = intake.push(&apart());
    pieces.extend(intake.finish());
    let cancel = Cancel::when(&over).or_when(&gone);
    let error = block_on(m.ingest_all(&mut intake, pieces, &HostCharset, cancel)).unwrap_err();
    let done = intake.report().mails;
    assert!(error.code == Code::Aborted && done > 0 && done < 12, "{error:?} {done}");
    let next = intake.report().next;
    assert_eq!(next.mails, done);
    let mut rest = m.intake(IngestOptions { resume: Some(next), ..IngestOptions::default() });
    let mut pieces = rest.push(&apart()[next.bytes as usize..]);
    pieces.extend(rest.finish());
    block_on(m.ingest_all(&mut rest, pieces, &HostCharset, Cancel::default())).unwrap();
    assert_eq!(block_on(m.list(None, 99, false)).unwrap().len(), 12);
    assert!(block_on(m.check()).unwrap().problems.is_empty());
}

/// The first two mails of [`apart`], and then one that changes the kickoff.
fn about_the_kickoff() -> (Vec<u8>, &'static str) {
    let said = "The Heron kickoff moves to room 5.";
    let third = "From x Thu Jan  1 00:00:00 2025\nFrom: Kim <kim@c.example>\nTo: me@b.example\nSubject: Kickoff\n\
                 Date: Tue, 14 Jan 2025 09:00:00 +0000\nMessage-ID: <3@c.example>\n\n";
    let two = apart();
    let end = String::from_utf8_lossy(&two).match_indices("From x ").nth(2).unwrap().0;
    ([&two[..end], third.as_bytes(), said.as_bytes(), b"\n\n"].concat(), said)
}

/// Imports the three mails while another engine changes what the third is about before its turn. `entry` makes the answer about the third
/// of the handle by which it was shown the kickoff.
fn changed_meanwhile(change: fn(&Memories, Id), entry: fn(&str) -> Value) -> (Memories, Slow, Id) {
    let store = MemoryStore::default();
    let other = Rc::new(opened(store.connect(), "me@b.example", 900_000));
    let kickoff = Draft {
        stated_at: Some("2025-01-02T09:00:00Z".parse().unwrap()),
        people: vec!["kim@c.example".to_owned()],
        author: Some("kim@c.example".to_owned()),
        source_type: Source::Realtime,
        ..Draft::new("The Heron kickoff is on 20 March 2025 at 2 pm in room 4.")
    };
    let made = block_on(other.consolidate(kickoff, &Consolidate::default())).unwrap();
    let id = made.memory.unwrap().id;
    let is_changed = Cell::new(false);
    let model = Slow::new(move |prompt| {
        if prompt.source.as_deref() != Some("<3@c.example>") {
            return whole(prompt);
        }
        let shown = prompt.candidates.iter().find(|c| c.content.contains("kickoff")).unwrap();
        let text = json!({"entries": [entry(shown.handle)]}).to_string();
        if !is_changed.replace(true) {
            change(&other, id);
        }
        Ok(Reply { text, tokens: 10 })
    });
    let m = opened(store, "me@b.example", 63_072_000_000).with_model(Rc::new(model.clone()));
    import(&m, &about_the_kickoff().0, IngestOptions::default());
    assert!(model.clock.most_out.get() > 1, "nothing was prefetched");
    assert_eq!((asked_twice(&model.clock), model.clock.calls.get()), (Vec::new(), 3));
    (m, model, id)
}

fn head(m: &Memories, id: Id) -> Memory {
    block_on(m.history(id)).unwrap().pop().unwrap()
}

fn kickoff_entry(op: &str, handle: &str, text: &str) -> Value {
    json!({"op": op, "of": handle, "text": text, "category": "meeting", "evidence": about_the_kickoff().1})
}

#[test]
fn a_prefetched_reply_is_used_though_other_memories_were_written_meanwhile() {
    let beside = |other: &Memories, _| {
        let draft = Draft::new("Kim of the Heron kickoff prefers tea to coffee in room 5.");
        now(other.consolidate(draft, &Consolidate::default()));
    };
    let moved =
        |handle: &str| kickoff_entry("update", handle, "The Heron kickoff is on 20 March 2025 at 2 pm in room 5.");
    let (m, _, id) = changed_meanwhile(beside, moved);
    let head = head(&m, id);
    assert_eq!((head.content.as_str(), head.version), ("The Heron kickoff is on 20 March 2025 at 2 pm in room 5.", 2));
}

#[test]
fn a_prefetched_text_never_replaces_what_was_written_meanwhile() {
    let later = |other: &Memories, id| {
        let text = "The Heron kickoff is on 20 March 2025 at 3 pm in room 4, and Ana brings the contract.";
        now(other.update(id, text, &Metadata::default()));
    };
    let moved = |handle: &str| kickoff_entry("update", handle, "The Heron kickoff is on 20 March 2025 in room 5.");
    let (m, _, id) = changed_meanwhile(later, moved);
    assert!(head(&m, id).content.contains("3 pm"), "{}", head(&m, id).content);
    let log = block_on(m.log(&LogQuery::default())).unwrap();
    let entry = log.iter().find(|e| e.source_id.as_deref() == Some("<3@c.example>")).unwrap();
    assert!(entry.needs_review && entry.input.contains("room 5"), "{entry:?}");
    assert!(entry.reasons.contains(&Reason::ModelRefused { error: "moved".to_owned() }));
}

#[test]
fn a_prefetched_repeat_is_of_the_version_that_was_written_meanwhile() {
    let later = |other: &Memories, id| {
        let text = "The Heron kickoff is on 20 March 2025 at 3 pm in room 5.";
        now(other.update(id, text, &Metadata::default()));
    };
    let (m, _, id) = changed_meanwhile(later, |handle| kickoff_entry("repeat", handle, ""));
    let log = block_on(m.log(&LogQuery::default())).unwrap();
    let entry = log.iter().find(|e| e.source_id.as_deref() == Some("<3@c.example>")).unwrap();
    assert_eq!((entry.decision, entry.target_id), (Decision::Skip, Some(head(&m, id).id)));
}

#[test]
fn whoever_gives_up_and_comes_back_asks_about_no_mail_again() {
    let model = Slow::new(whole);
    let m = engine("me@b.example", model.clone());
    let clock = model.clock.clone();
    let over = || clock.calls.get() >= 10 && clock.out.get() < 4;
    let mut intake = m.intake(IngestOptions::default());
    let mut pieces = intake.push(&apart());
    pieces.extend(intake.finish());
    let error = block_on(m.ingest_all(&mut intake, pieces, &HostCharset, Cancel::when(&over))).unwrap_err();
    assert_eq!(error.code, Code::Aborted);
    let next = intake.report().next;
    let asked = model.clock.sources.borrow().len();
    assert!((next.mails as usize) < asked, "{next:?}");
    let mut rest = m.intake(IngestOptions { resume: Some(next), ..IngestOptions::default() });
    let mut pieces = rest.push(&apart()[next.bytes as usize..]);
    pieces.extend(rest.finish());
    block_on(m.ingest_all(&mut rest, pieces, &HostCharset, Cancel::default())).unwrap();
    assert_eq!((asked_twice(&model.clock), model.clock.calls.get()), (Vec::new(), 12));
    assert_eq!(block_on(m.list(None, 99, false)).unwrap().len(), 12);
}
