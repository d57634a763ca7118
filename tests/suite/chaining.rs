//! Clients that share a key, over a hub that can read nothing: each joins by itself, and all end up alike. Sealing is
//! WebCrypto's and is tried through the package; here a text stands for what would be sealed.

use crate::kit::{Memories, over};
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{Feed, LogEntry, SEALED_FORMAT, Sealed, Told};
use memfold::decision::Decision;
use memfold::engine::{Cancel, ChainStep, Consolidate, DeleteOptions, LogQuery, Refusal};
use memfold::model::{Draft, Edge, Id, Memory, Retention, Source, Time};
use memfold::store::MemoryStore;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;

const DAY: i64 = 86_400_000;
const HUB: &str = "hub";

fn open(from: u64) -> Memories {
    over(MemoryStore::default(), from)
}

fn draft(on: i64, content: &str) -> Draft {
    Draft { stated_at: Some(Time::from_millis(1_700_000_000_000 + on * DAY)), ..Draft::new(content) }
}

fn keyed(m: &Memories, draft: Draft, key: &str) -> (Id, LogEntry) {
    let how = Consolidate { key: Some(key.into()), ..Consolidate::default() };
    let done = block_on(m.consolidate(draft, &how)).unwrap();
    (done.memory.unwrap().id, done.entry)
}

fn say(m: &Memories, on: i64, content: &str) -> (Id, LogEntry) {
    let key = content.bytes().fold(0u64, |sum, b| sum.wrapping_mul(31).wrapping_add(u64::from(b)));
    keyed(m, draft(on, content), &key.to_string())
}

/// A text as the hub gets it: it looks at nothing in it.
fn close(value: &impl serde::Serialize) -> String {
    serde_json::to_vec(value).unwrap().iter().map(|b| format!("{b:02x}")).collect()
}

fn unfold<T: serde::de::DeserializeOwned>(text: &str) -> T {
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    serde_json::from_slice(&(0..text.len()).step_by(2).map(byte).collect::<Vec<_>>()).unwrap()
}

fn ask(hub: &Memories, after: u64, steps: Vec<String>, records: Vec<(String, String)>) -> Sealed {
    let told = Sealed { format: SEALED_FORMAT, key: "key".into(), after, head: 0, steps, records };
    block_on(hub.hold(told)).unwrap()
}

/// What a client reads of a chain, as the package does: all steps after its own, and what each name was given last.
fn read(client: &Memories, hub: &Memories) -> bool {
    let (mut seen, sent) = block_on(client.chain(HUB)).unwrap();
    let mut last: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let (mut from, mut order) = (seen.at, 0);
    loop {
        let answer = ask(hub, seen.at, Vec::new(), Vec::new());
        for step in answer.steps {
            let names: Vec<String> = unfold(&step);
            seen = ChainStep { at: seen.at + 1, hash: step };
            if sent.as_ref() == Some(&seen) {
                block_on(client.pushed(HUB, &seen)).unwrap();
                from = seen.at;
                continue;
            }
            for name in names {
                order += 1;
                let first = last.get(&name).map_or(order, |(_, first)| *first);
                last.insert(name, (seen.at, first));
            }
        }
        texts.extend(answer.records);
        if seen.at == answer.head {
            break;
        }
    }
    let mut names: Vec<(usize, u64, String)> = last.into_iter().map(|(name, (at, first))| (first, at, name)).collect();
    names.sort();
    let mut told = Told::default();
    for (_, at, name) in names {
        if name.starts_with("m-") {
            let mut node: memfold::consolidation::Node = unfold(&texts[&name]);
            node.at = at;
            told.nodes.push(node);
        } else {
            told.entries.push(unfold(&texts[&name]));
        }
    }
    if seen.at > from {
        block_on(client.pull(HUB, from, seen, told)).unwrap();
    }
    true
}

/// Tells what is left to tell; false where another client was faster. `heard`: whether the answers arrive.
fn tell(client: &Memories, hub: &Memories, most: usize, heard: bool) -> bool {
    loop {
        let stretch = block_on(client.push(HUB, most)).unwrap();
        let (seen, _) = block_on(client.chain(HUB)).unwrap();
        let mut records: Vec<(String, String)> = Vec::new();
        for node in &stretch.told.nodes {
            let node =
                memfold::consolidation::Node { memory: Memory { revision: 1, ..node.memory.clone() }, ..node.clone() };
            records.push((format!("m-{}", node.memory.id), close(&node)));
        }
        for entry in &stretch.told.entries {
            let entry = LogEntry { seq: 0, salt: String::new(), hash: String::new(), ..entry.clone() };
            records.push((format!("e-{}", entry.id), close(&entry)));
        }
        if records.is_empty() {
            block_on(client.known(HUB, stretch.upto)).unwrap();
        } else {
            let names: Vec<&String> = records.iter().map(|(name, _)| name).collect();
            let step = ChainStep { at: seen.at + 1, hash: close(&names) };
            block_on(client.pushing(HUB, step.clone(), stretch.upto)).unwrap();
            let answer = ask(hub, seen.at, vec![step.hash.clone()], records);
            if !heard {
                return true;
            }
            if answer.head != step.at || !answer.steps.is_empty() {
                return false;
            }
            block_on(client.pushed(HUB, &step)).unwrap();
        }
        if !stretch.more {
            return true;
        }
    }
}

fn sync(client: &Memories, hub: &Memories) {
    for _ in 0..20 {
        read(client, hub);
        if tell(client, hub, 500, true) {
            return;
        }
    }
    panic!("it never comes to an end");
}

fn all(m: &Memories) -> Vec<Memory> {
    block_on(m.list(None, 100_000, true)).unwrap()
}

fn log(m: &Memories) -> Vec<LogEntry> {
    block_on(m.log(&LogQuery::default())).unwrap()
}

/// What a store says, without how often it was written: memories that are not forgotten, and links.
fn said(m: &Memories) -> (Vec<Memory>, Vec<Edge>) {
    let alive = all(m).into_iter().filter(|m| !m.is_forgotten());
    (alive.map(|m| Memory { revision: 0, ..m }).collect(), block_on(m.links()).unwrap())
}

fn sound(m: &Memories) {
    assert_eq!(block_on(m.check()).unwrap().problems, []);
}

fn contents(m: &Memories) -> Vec<String> {
    all(m).into_iter().filter(Memory::is_current).map(|m| m.content).collect()
}

fn head(hub: &Memories) -> u64 {
    ask(hub, 0, Vec::new(), Vec::new()).head
}

/// All clients exchange until nobody has more to say, and are alike.
fn agree(clients: &[&Memories], hub: &Memories) {
    for client in [clients, clients].concat() {
        sync(client, hub);
    }
    let told = head(hub);
    for client in clients {
        sync(client, hub);
        sound(client);
        assert_eq!(said(client), said(clients[0]));
    }
    assert_eq!(head(hub), told, "nothing is told twice");
    let fresh = open(9_000_000);
    sync(&fresh, hub);
    sound(&fresh);
    assert_eq!(said(&fresh), said(clients[0]), "who comes later learns the same");
}

#[test]
fn what_either_knows_both_know_with_the_reasons_and_the_hub_holds_none_of_it() {
    let (hub, one, two) = (open(0), open(1_000_000), open(2_000_000));
    let (_, entry) = say(&one, 1, "kestrel budget @0");
    say(&two, 1, "merlin budget @0");
    agree(&[&one, &two], &hub);
    assert_eq!(contents(&two).len(), 2);
    let there = log(&two).into_iter().find(|e| e.id == entry.id).unwrap();
    assert_eq!((there.input, there.touched), (entry.input, entry.touched));
    assert_eq!((all(&hub).len(), log(&hub).len()), (0, 0));
}

#[test]
fn both_change_one_memory_and_the_later_word_by_its_own_time_stands() {
    for (first, second) in [(5, 9), (9, 5)] {
        let (hub, one, two) = (open(0), open(1_000_000), open(2_000_000));
        say(&one, 1, "kestrel budget is 50 @0");
        agree(&[&one, &two], &hub);
        assert_eq!(say(&one, first, "kestrel budget is 60 @30").1.decision, Decision::Update);
        assert_eq!(say(&two, second, "kestrel budget is 70 @30").1.decision, Decision::Update);
        agree(&[&one, &two], &hub);
        let expected = if second > first { "kestrel budget is 70 @30" } else { "kestrel budget is 60 @30" };
        assert_eq!(contents(&one), [expected]);
        assert_eq!(all(&two).len(), 3);
    }
}

#[test]
fn a_mail_that_both_have_read_is_one_memory_with_all_that_was_said_after_it() {
    let (hub, one, two) = (open(0), open(1_000_000), open(2_000_000));
    let (known, _) = keyed(&one, draft(1, "kestrel budget is 50 @0"), "mail");
    say(&one, 2, "kestrel budget is 60 @30");
    let (own, _) = keyed(&two, draft(1, "kestrel budget is 50 @0"), "mail");
    say(&two, 3, "kestrel budget is 70 @30");
    say(&two, 3, "kestrel venue is far @80");
    let linked = block_on(two.links()).unwrap().len();
    agree(&[&one, &two], &hub);
    assert!(contents(&one).contains(&"kestrel budget is 70 @30".to_owned()));
    assert!(!contents(&one).iter().any(|c| c.contains("50") || c.contains("60")), "{:?}", contents(&one));
    assert_eq!(block_on(one.links()).unwrap().len(), linked);
    let of = |id: Id| all(&two).into_iter().find(|m| m.id == id).unwrap();
    assert!(of(own).is_forgotten() && !of(known).is_forgotten());
    for m in [&one, &two] {
        let how = Consolidate { key: Some("mail".into()), ..Consolidate::default() };
        assert!(block_on(m.consolidate(draft(1, "kestrel budget is 50 @0"), &how)).unwrap().replayed);
    }
    // What it said goes for good, also what the one that gave way had said.
    block_on(one.forget(&[known])).unwrap();
    agree(&[&one, &two], &hub);
    for m in [&one, &two] {
        let text = block_on(m.export()).unwrap();
        assert!(!text.contains("budget"), "{text}");
    }
}

#[test]
fn what_was_deleted_or_forgotten_before_its_twin_was_known_stays_so() {
    for forgets in [true, false] {
        let (hub, one, two) = (open(0), open(1_000_000), open(2_000_000));
        keyed(&one, draft(1, "kestrel budget is 50 @0"), "mail");
        let (own, _) = keyed(&two, draft(1, "kestrel budget is 50 @0"), "mail");
        if forgets {
            block_on(two.forget(&[own])).unwrap();
        } else {
            block_on(two.delete(&[own], &DeleteOptions::default())).unwrap();
        }
        agree(&[&one, &two], &hub);
        assert_eq!(contents(&one), Vec::<String>::new());
        assert_eq!(block_on(one.export()).unwrap().contains("budget is 50"), !forgets);
    }
}

#[test]
fn deletions_restorations_and_undoing_go_both_ways() {
    let (hub, one, two) = (open(0), open(1_000_000), open(2_000_000));
    let (a, _) = say(&one, 1, "kestrel budget @0");
    let (b, made) = say(&two, 1, "merlin budget @0");
    agree(&[&one, &two], &hub);
    block_on(two.delete(&[a], &DeleteOptions::default())).unwrap();
    block_on(one.undo(made.id)).unwrap();
    agree(&[&one, &two], &hub);
    assert_eq!(contents(&one), Vec::<String>::new());
    block_on(one.restore(a)).unwrap();
    block_on(two.restore(b)).unwrap();
    agree(&[&one, &two], &hub);
    assert_eq!(contents(&one).len(), 2);
}

#[test]
fn what_is_forgotten_is_gone_everywhere_and_its_sealed_texts_are_replaced_at_the_hub() {
    let (hub, one, two) = (open(0), open(1_000_000), open(2_000_000));
    let (a, _) = say(&one, 1, "kestrel secret is 50 @0");
    let (b, _) = say(&two, 1, "merlin secret @0");
    say(&two, 1, "osprey report @0");
    agree(&[&one, &two], &hub);
    // Meanwhile the other has said more about it.
    say(&two, 3, "kestrel secret is 60 @30");
    block_on(one.forget(&[a])).unwrap();
    block_on(two.forget(&[b])).unwrap();
    agree(&[&one, &two], &hub);
    for m in [&one, &two] {
        let text = block_on(m.export()).unwrap();
        assert!(!text.contains("secret") && text.contains("osprey"), "{text}");
    }
    let held: String =
        (0..head(&hub)).flat_map(|at| ask(&hub, at, Vec::new(), Vec::new()).records).map(|r| r.1).collect();
    let hex = |text: &str| text.bytes().map(|b| format!("{b:02x}")).collect::<String>();
    assert!(!held.contains(&hex("secret")) && held.contains(&hex("osprey")));
}

#[test]
fn a_long_log_goes_in_stretches_and_an_interruption_costs_nothing() {
    let (hub, one, two) = (open(0), open(1_000_000), open(2_000_000));
    for n in 0..60 {
        say(&one, 1, &format!("client{n} note @0"));
    }
    for n in 0..20 {
        say(&two, 1, &format!("other{n} note @0"));
    }
    // A step is appended and nobody hears of it; then a stretch at a time, with another client in between.
    assert!(tell(&one, &hub, 7, false));
    assert_eq!(head(&hub), 1);
    sync(&two, &hub);
    assert!(!tell(&one, &hub, 7, true), "another was faster");
    agree(&[&one, &two], &hub);
    for m in [&one, &two] {
        assert_eq!(log(m).iter().filter(|e| e.key.is_some()).count(), 80);
    }
}

#[test]
fn what_is_known_is_read_again_after_the_notes_are_lost_and_changes_nothing() {
    let (hub, one, two) = (open(0), open(1_000_000), open(2_000_000));
    say(&one, 1, "kestrel budget is 50 @0");
    agree(&[&one, &two], &hub);
    say(&two, 2, "kestrel budget is 60 @30");
    agree(&[&one, &two], &hub);
    let before = said(&one);
    block_on(one.unchain(HUB)).unwrap();
    agree(&[&one, &two], &hub);
    assert_eq!(said(&one), before);
}

#[test]
fn a_hub_keeps_one_key_one_chain_and_only_what_looks_sealed() {
    let (hub, one) = (open(0), open(1_000_000));
    say(&one, 1, "kestrel budget @0");
    sync(&one, &hub);
    let told = Sealed { format: 2, key: "key".into(), after: 1, steps: vec!["aa".into()], ..Sealed::default() };
    let refused = |spoil: &dyn Fn(&mut Sealed)| {
        let mut told = told.clone();
        spoil(&mut told);
        let error = block_on(hub.hold(told)).unwrap_err();
        (error.code, error.field.unwrap_or_default())
    };
    assert_eq!(refused(&|t| t.key = "other".into()).0, Code::WrongKey);
    assert_eq!(refused(&|t| t.format = 3).0, Code::VersionTooNew);
    assert_eq!(refused(&|t| t.format = 1), (Code::InvalidField, "format".into()));
    assert_eq!(refused(&|t| t.steps.push("bb".into())).1, "steps");
    assert_eq!(refused(&|t| t.steps = vec!["{\"n\":1}".into()]).1, "steps");
    assert_eq!(refused(&|t| t.records = vec![("a/b".into(), "aa".into())]).1, "records");
    assert_eq!(refused(&|t| t.records = vec![("a".into(), "plain text".into())]).1, "records");
    assert_eq!(refused(&|t| (t.steps, t.records) = (Vec::new(), vec![("a".into(), "aa".into())])).1, "records");
    // A step that does not follow the last one is not appended.
    for after in [0, 7] {
        assert_eq!(block_on(hub.hold(Sealed { after, ..told.clone() })).unwrap().head, 1);
    }
    // Nor does a client come in without the key.
    let plain = block_on(open(3_000_000).changes(HUB)).unwrap();
    assert_eq!(block_on(hub.apply(plain.clone())).unwrap_err().code, Code::WrongKey);
    let unsealed = Feed { key: Some("key".into()), ..block_on(one.changes(HUB)).unwrap() };
    assert_eq!(block_on(hub.apply(unsealed)).unwrap_err().code, Code::InvalidInput);
}

/// What a client hears of the hub itself.
fn listen(client: &Memories, hub: &Memories, lie: impl Fn(&mut Feed)) -> Vec<Refusal> {
    let mut refused = Vec::new();
    loop {
        let asked = Feed { key: Some("key".into()), ..block_on(client.inquire(HUB)).unwrap() };
        let mut answer = block_on(hub.apply(asked.clone())).unwrap();
        lie(&mut answer);
        let heard = block_on(client.hear(HUB, asked.upto, answer, Cancel::default())).unwrap();
        refused.extend(heard.refused.iter().map(|r| r.why));
        if !heard.more {
            return refused;
        }
    }
}

fn told_by(source_type: Source, on: i64, content: &str) -> Draft {
    Draft { source_type, ..draft(on, content) }
}

#[test]
fn what_a_hub_was_told_itself_is_a_new_input_and_is_one_memory_for_all_clients() {
    let (hub, one, two) = (open(0), open(1_000_000), open(2_000_000));
    let (tool, _) = keyed(&hub, told_by(Source::ToolOutput, 3, "kestrel budget is 50 @0"), "call 1");
    keyed(&hub, told_by(Source::UserInput, 4, "merlin key is 1234 @0"), "call 2");
    for client in [&one, &two] {
        assert_eq!(listen(client, &hub, |_| {}), [Refusal::Class]);
        assert_eq!(contents(client), ["kestrel budget is 50 @0"]);
    }
    agree(&[&one, &two], &hub);
    assert_eq!(contents(&two).len(), 1);
    assert_eq!(listen(&one, &hub, |_| {}), []);
    // An update by a tool is decided here; a deletion there is none here.
    keyed(&hub, told_by(Source::ToolOutput, 5, "kestrel budget is 60 @30"), "call 3");
    listen(&one, &hub, |_| {});
    assert_eq!(contents(&one), ["kestrel budget is 60 @30"]);
    block_on(hub.delete(&[tool], &DeleteOptions::default())).unwrap();
    assert_eq!(listen(&one, &hub, |_| {}), []);
    agree(&[&one, &two], &hub);
    assert_eq!(contents(&two), ["kestrel budget is 60 @30"]);
    // Forgotten by a client, it is forgotten there as well, with what was told of it before.
    block_on(two.forget(&[all(&two).into_iter().find(Memory::is_current).unwrap().id])).unwrap();
    listen(&two, &hub, |_| {});
    assert!(!block_on(hub.export()).unwrap().contains("budget"));
    assert!(block_on(hub.export()).unwrap().contains("merlin"));
}

#[test]
fn nothing_that_a_hub_says_touches_what_clients_know() {
    let (hub, one) = (open(0), open(1_000_000));
    let (own, _) = keyed(&one, told_by(Source::UserInput, 1, "osprey badge is 7 @0"), "own");
    sync(&one, &hub);
    keyed(&hub, told_by(Source::ToolOutput, 3, "kestrel budget is 50 @0"), "call 1");
    let before = (said(&one), log(&one));
    let of = |id: Id| all(&one).into_iter().find(|m| m.id == id).unwrap();
    type Lie = Box<dyn Fn(&mut Memory)>;
    let lies: Vec<(Refusal, Lie)> = vec![
        (Refusal::Id, Box::new(move |m| (m.id, m.content) = (own, "osprey badge is 8 @0".into()))),
        (Refusal::Id, Box::new(move |m| (m.id, m.deleted_at) = (own, Some(Time::from_millis(9))))),
        (Refusal::Class, Box::new(|m| m.source_type = Source::UserInput)),
        (Refusal::Class, Box::new(|m| m.source_type = Source::Bootstrapped)),
        (Refusal::Invalid, Box::new(|m| m.content = "x".repeat(9_000))),
        (Refusal::Invalid, Box::new(|m| m.importance = 7.0)),
        (Refusal::Format, Box::new(|m| m.content = format!("sealed1.m-{}.AAAA", m.id))),
    ];
    for (why, lie) in lies {
        let told = Feed { key: Some("key".into()), ..block_on(one.inquire(HUB)).unwrap() };
        let mut answer = block_on(hub.apply(told)).unwrap();
        lie(&mut answer.memories[0]);
        (answer.upto, answer.more) = (0, false);
        answer.entries.clear();
        let heard = block_on(one.hear(HUB, 0, answer, Cancel::default())).unwrap();
        assert_eq!((heard.taken, heard.refused[0].why), (0, why));
        assert_eq!((said(&one), log(&one)), before, "{why:?}");
    }
    // A log entry, an edge, a tombstone and a claim to have handled a mail have no effect; nor has a claim to be core.
    listen(&one, &hub, |answer| {
        let forged = LogEntry {
            key: Some("mail".into()),
            touched: vec![own],
            ..LogEntry::new(own, Time::default(), "u", "forged")
        };
        answer.entries.push(forged);
        let gone = of(own).forgotten(Time::from_millis(9));
        answer.memories.push(Memory { id: memfold::model::Ids::new(Time::default(), [5; 16]).mint(), ..gone });
        answer.memories[0].retention = Retention::Core;
        answer.memories[0].previous_version_id = Some(own);
        answer.memories[0].stated_at = Some(Time::from_millis(9_000_000_000_000));
    });
    assert_eq!((all(&one).len(), log(&one).iter().filter(|e| e.input == "forged").count()), (2, 0));
    let heard = all(&one).into_iter().find(|m| m.id != own).unwrap();
    assert!(heard.retention != Retention::Core && heard.previous_version_id.is_none());
    assert!(heard.stated_at.unwrap() < Time::from_millis(1_800_000_000_000));
    assert!(!keyed(&one, draft(9, "merlin note @0"), "mail").1.input.is_empty(), "the mail is still to be handled");
    assert_eq!(said(&one).0.iter().find(|m| m.id == own), before.0.0.iter().find(|m| m.id == own));
    sound(&one);
}

#[derive(Debug, Clone)]
enum Step {
    /// In which store, topic, angle, day, whether the owner said it, key.
    Tell(usize, u8, u16, u8, bool, u8),
    Delete(usize, Index),
    Restore(usize, Index),
    Forget(usize, Index),
    Undo(usize, Index),
    Review(usize, Index, &'static str),
    /// What a client does of an exchange, and how many entries it tells at once.
    Exchange(usize, u8, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let angle = prop::sample::select(vec![0u16, 5, 30, 35, 50, 65, 80]);
    let verdict = prop::sample::select(vec!["accept", "reject", "CREATE", "UPDATE", "SKIP", "CREATE_AND_LINK"]);
    let (at, which) = (|| 0usize..3, any::<Index>);
    prop_oneof![
        8 => (at(), 0u8..2, angle, 0u8..9, prop::bool::weighted(0.2), 0u8..30)
            .prop_map(|(s, t, a, d, o, k)| Step::Tell(s, t, a, d, o, k)),
        1 => (at(), which()).prop_map(|(s, i)| Step::Delete(s, i)),
        1 => (at(), which()).prop_map(|(s, i)| Step::Restore(s, i)),
        1 => (at(), which()).prop_map(|(s, i)| Step::Forget(s, i)),
        2 => (at(), which()).prop_map(|(s, i)| Step::Undo(s, i)),
        1 => (at(), which(), verdict).prop_map(|(s, i, v)| Step::Review(s, i, v)),
        5 => (at(), 0u8..5, prop::sample::select(vec![1usize, 3, 500])).prop_map(|(s, h, n)| Step::Exchange(s, h, n)),
    ]
}

fn histories() -> u32 {
    std::env::var("MEMFOLD_HISTORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: histories(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever three clients do, whenever they exchange what they have and wherever that breaks off, all stay sound, and
    /// in the end they say the same, and so does one that comes later.
    #[test]
    fn clients_of_one_key_end_up_alike(steps in prop::collection::vec(step(), 1..40)) {
        let hub = open(0);
        let stores = [open(1_000_000), open(2_000_000), open(3_000_000)];
        for (n, step) in steps.into_iter().enumerate() {
            let (Step::Tell(at, ..) | Step::Delete(at, _) | Step::Restore(at, _) | Step::Forget(at, _)
                | Step::Undo(at, _) | Step::Review(at, ..) | Step::Exchange(at, ..)) = &step;
            let m = &stores[*at];
            let (known, entries) = (all(m), log(m));
            let memory = |i: Index| known[i.index(known.len())].id;
            match step {
                Step::Tell(_, topic, angle, day, own, key) => {
                    let source_type = if own { Source::UserInput } else { Source::Realtime };
                    let content = format!("topic{topic} says word{n} @{angle}");
                    keyed(m, Draft { source_type, ..draft(i64::from(day), &content) }, &format!("key {key}"));
                }
                Step::Exchange(_, how, most) => match how {
                    0 => drop(read(m, &hub)),
                    1 => drop(tell(m, &hub, most, false)),
                    2 => drop(read(m, &hub) && tell(m, &hub, most, false)),
                    _ => drop(read(m, &hub) && tell(m, &hub, most, true)),
                },
                _ if known.is_empty() => {}
                Step::Delete(_, i) => drop(block_on(m.delete(&[memory(i)], &DeleteOptions::default()))),
                Step::Restore(_, i) => drop(block_on(m.restore(memory(i)))),
                Step::Forget(_, i) => drop(block_on(m.forget(&[memory(i)]))),
                Step::Undo(_, i) => drop(block_on(m.undo(entries[i.index(entries.len())].id))),
                Step::Review(_, i, verdict) => {
                    let entry = entries[i.index(entries.len())].id;
                    drop(block_on(m.review(entry, verdict.parse().unwrap(), &Default::default())));
                }
            }
            for m in &stores {
                let problems = block_on(m.check()).unwrap().problems;
                prop_assert!(problems.is_empty(), "{problems:?}");
            }
        }
        agree(&[&stores[0], &stores[1], &stores[2]], &hub);
    }
}

#[test]
fn zz() {
    let hub = open(0);
    let s = [open(1_000_000), open(2_000_000)];
    let t = |m: &Memories, topic: u8, n: u8, angle: u8, key: u8| {
        keyed(m, draft(0, &format!("topic{topic} says word{n} @{angle}")), &format!("key {key}"))
    };
    let dump = |what: &str| {
        eprintln!("== {what}");
        for (n, m) in s.iter().enumerate() {
            for x in all(m) {
                eprintln!(
                    "{n} {} v{} prev {:?} sup {:?} del {} {}",
                    x.id,
                    x.version,
                    x.previous_version_id,
                    x.superseded_by,
                    x.deleted_at.is_some(),
                    x.content
                );
            }
            for e in log(m) {
                eprintln!(
                    "{n} e {} {:?} {:?} key {:?} mem {:?} target {:?} touched {:?} about {:?} before {:?}",
                    e.seq,
                    e.action,
                    e.decision,
                    e.key,
                    e.memory_id,
                    e.target_id,
                    e.touched,
                    e.about,
                    e.before
                        .iter()
                        .map(|b| (b.id, b.version, b.previous_version_id, b.superseded_by))
                        .collect::<Vec<_>>()
                );
            }
            eprintln!("{:?}", block_on(m.check()).unwrap().problems);
        }
    };
    t(&s[0], 1, 0, 30, 23);
    t(&s[1], 0, 1, 0, 23);
    tell(&s[1], &hub, 1, false);
    t(&s[0], 1, 3, 50, 0);
    t(&s[0], 0, 4, 0, 0);
    t(&s[1], 0, 5, 50, 0);
    tell(&s[0], &hub, 1, false);
    read(&s[1], &hub);
    tell(&s[1], &hub, 1, false);
    dump("before");
    read(&s[0], &hub);
    dump("read");
    for e in log(&s[0]).into_iter().rev() {
        let u = block_on(s[0].undo(e.id));
        eprintln!("undo {} {:?}", e.seq, u.map(|u| u.touched));
        if !block_on(s[0].check()).unwrap().problems.is_empty() {
            dump("undone");
            break;
        }
    }
}
