//! Sync between a client and its hub: no change is lost or duplicated, and both sides converge.

use crate::kit::{Memories, over};
use crate::peers::{Step, all, contents, draft, interrupted_by, keyed, live, log, open, said, say, sound};
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{Feed, Record, Shelf};
use memfold::decision::Decision;
use memfold::engine::{Consolidate, DeleteOptions};
use memfold::model::{Draft, Source};
use memfold::store::{MemoryStore, Store};

/// Runs one exchange; true if entries remain.
fn exchange(client: &Memories, hub: &Memories) -> bool {
    let told = block_on(client.changes("hub")).unwrap();
    let upto = told.upto;
    let answer = block_on(hub.apply(told)).unwrap();
    block_on(client.settle("hub", upto, answer)).unwrap()
}

fn sync(client: &Memories, hub: &Memories) {
    for _ in 0..50 {
        if !exchange(client, hub) {
            return;
        }
    }
    panic!("they never come to an end");
}

fn assert_converged(client: &Memories, hub: &Memories) {
    sync(client, hub);
    let again = block_on(client.changes("hub")).unwrap();
    assert!(again.entries.is_empty() && !exchange(client, hub), "nothing is told twice");
    sound(hub);
    sound(client);
    assert_eq!(said(client), said(hub));
}

#[test]
fn both_sides_get_all_memories_and_log_entries() {
    let (hub, client) = (open(0), open(1_000_000));
    say(&hub, 1, "kestrel budget @0");
    let (_, entry) = say(&client, 1, "merlin budget @0");
    assert_converged(&client, &hub);
    assert_eq!(all(&hub).len(), 2);
    let there = log(&hub).into_iter().find(|e| e.id == entry.id).unwrap();
    assert_eq!((there.input, there.touched), (entry.input, entry.touched));
    let before = (log(&hub).len(), log(&client).len());
    assert_converged(&client, &hub);
    assert_eq!((log(&hub).len(), log(&client).len()), before, "nothing new: nothing is written");
}

#[test]
fn the_later_of_two_concurrent_statements_wins_on_both_sides() {
    for (theirs, ours) in [(5, 9), (9, 5)] {
        let (hub, client) = (open(0), open(1_000_000));
        say(&hub, 1, "kestrel budget is 50 @0");
        assert_converged(&client, &hub);
        assert_eq!(say(&hub, theirs, "kestrel budget is 60 @30").1.decision, Decision::Update);
        assert_eq!(say(&client, ours, "kestrel budget is 70 @30").1.decision, Decision::Update);
        assert_converged(&client, &hub);
        let expected = if ours > theirs { "kestrel budget is 70 @30" } else { "kestrel budget is 60 @30" };
        assert_eq!(contents(&client), [expected]);
        assert_eq!(all(&hub).len(), 3);
    }
}

#[test]
fn a_mail_read_on_both_sides_is_one_memory() {
    let (hub, client) = (open(0), open(1_000_000));
    keyed(&hub, draft(1, "kestrel budget is 50 @0"), "mail");
    keyed(&client, draft(1, "kestrel budget is 50 @0"), "mail");
    say(&client, 2, "kestrel budget is 60 @30");
    assert_converged(&client, &hub);
    assert_eq!(contents(&hub), ["kestrel budget is 60 @30"]);
    assert_eq!(said(&hub).0.len(), 2);
    let replayed = block_on(client.consolidate(
        draft(1, "kestrel budget is 50 @0"),
        &Consolidate { key: Some("mail".into()), ..Consolidate::default() },
    ));
    assert!(replayed.unwrap().replayed);
}

#[test]
fn deletions_restores_and_undos_sync_both_ways() {
    let (hub, client) = (open(0), open(1_000_000));
    let (a, _) = say(&hub, 1, "kestrel budget @0");
    let (b, made) = say(&client, 1, "merlin budget @0");
    assert_converged(&client, &hub);
    block_on(client.delete(&[a], &DeleteOptions::default())).unwrap();
    block_on(hub.undo(made.id)).unwrap();
    assert_converged(&client, &hub);
    assert_eq!(contents(&hub), Vec::<String>::new());
    block_on(hub.restore(a)).unwrap();
    block_on(client.restore(b)).unwrap();
    assert_converged(&client, &hub);
    assert_eq!(contents(&client).len(), 2);
}

#[test]
fn forgetting_erases_texts_on_all_stores() {
    let (hub, client, other) = (open(0), open(1_000_000), open(2_000_000));
    let (a, _) = say(&hub, 1, "kestrel secret is 50 @0");
    let (b, _) = say(&client, 1, "merlin secret @0");
    assert_converged(&client, &hub);
    assert_converged(&other, &hub);
    // Meanwhile the other client adds a version.
    say(&other, 3, "kestrel secret is 60 @30");
    block_on(client.forget(&[a])).unwrap();
    block_on(hub.forget(&[b])).unwrap();
    assert_converged(&client, &hub);
    assert_converged(&other, &hub);
    assert_converged(&client, &hub);
    for m in [&hub, &client, &other] {
        let text = block_on(m.export_pieces()).unwrap().concat();
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn forgetting_after_undoing_an_older_version_keeps_chains_valid() {
    let (hub, client) = (open(0), open(1_000_000));
    let own = |day: i64, content: &str| Draft { source_type: Source::UserInput, ..draft(day, content) };
    let (later, _) = keyed(&hub, own(7, "kestrel budget is 50 @50"), "later");
    // Stored later but dated earlier, it becomes the older version.
    let (earlier, made) = keyed(&hub, own(0, "kestrel budget is 60 @30"), "earlier");
    assert_converged(&client, &hub);
    block_on(client.undo(made.id)).unwrap();
    block_on(client.forget(&[later])).unwrap();
    assert_converged(&client, &hub);
    for m in [&hub, &client] {
        let gone = all(m);
        assert!(gone.iter().all(|m| m.id != later || m.is_forgotten()), "{gone:?}");
        assert!(gone.iter().any(|m| m.id == earlier && m.deleted_at.is_some() && !m.is_forgotten()), "{gone:?}");
    }
}

#[test]
fn a_deletion_wins_over_a_concurrent_version() {
    let (hub, client) = (open(0), open(1_000_000));
    let (a, _) = say(&hub, 1, "kestrel budget is 50 @0");
    assert_converged(&client, &hub);
    say(&hub, 4, "kestrel budget is 60 @30");
    block_on(client.delete(&[a], &DeleteOptions::default())).unwrap();
    assert_converged(&client, &hub);
    assert_eq!(contents(&hub), Vec::<String>::new());
    let head = all(&client).into_iter().find(|m| m.version == 2).unwrap();
    block_on(client.restore(head.id)).unwrap();
    assert_converged(&client, &hub);
    assert_eq!(contents(&hub), ["kestrel budget is 60 @30"]);
}

#[test]
fn a_long_log_syncs_in_pages_and_survives_interruptions() {
    let (hub, client) = (open(0), open(1_000_000));
    for n in 0..520 {
        say(&client, 1, &format!("client{n} note @0"));
    }
    for n in 0..20 {
        say(&hub, 1, &format!("hub{n} note @0"));
    }
    let told = block_on(client.changes("hub")).unwrap();
    assert!(told.more && told.entries.len() == 500);
    // The first answer is lost, so the changes are applied twice.
    block_on(hub.apply(told.clone())).unwrap();
    let answer = block_on(hub.apply(told.clone())).unwrap();
    assert!(block_on(client.settle("hub", told.upto, answer)).unwrap());
    assert_converged(&client, &hub);
    for m in [&hub, &client] {
        assert_eq!(log(m).iter().filter(|e| e.key.is_some()).count(), 540);
    }
}

#[test]
fn a_new_or_reset_hub_receives_everything() {
    let (hub, client) = (open(0), open(1_000_000));
    say(&client, 1, "kestrel budget @0");
    assert_converged(&client, &hub);
    let empty = open(2_000_000);
    assert_converged(&client, &empty);
    assert_eq!(all(&empty).len(), 1);
}

#[test]
fn writes_during_an_exchange_go_out_in_the_next_round() {
    let (hub, client) = (open(0), open(1_000_000));
    say(&hub, 1, "kestrel budget is 50 @0");
    assert_converged(&client, &hub);
    say(&hub, 2, "kestrel budget is 60 @30");
    let told = block_on(client.changes("hub")).unwrap();
    let answer = block_on(hub.apply(told.clone())).unwrap();
    say(&client, 5, "kestrel budget is 70 @30");
    assert!(block_on(client.settle("hub", told.upto, answer)).unwrap());
    assert_eq!(contents(&client), ["kestrel budget is 70 @30"]);
    assert_converged(&client, &hub);
    assert_eq!(contents(&hub), ["kestrel budget is 70 @30"]);
    assert_eq!(said(&hub).0.len(), 3);
}

#[test]
fn a_write_of_another_tab_during_an_exchange_reaches_the_hub() {
    for n in 0..60 {
        let hub = open(0);
        say(&hub, 1, "kestrel budget is 50 @0");
        let store = MemoryStore::default();
        let client = over(interrupted_by(&store, n, draft(3, "merlin review is in June @0")), 1_000_000);
        let _ = exchange(&client, &hub);
        let client = over(store.connect(), 3_000_000);
        assert_converged(&client, &hub);
        assert_eq!(contents(&hub).len(), all(&client).len(), "before call {n}");
        assert!(n > 10 || contents(&hub).len() == 2, "before call {n}");
    }
}

#[test]
fn a_hub_with_sealed_data_of_earlier_builds_refuses_feeds() {
    let store = MemoryStore::default();
    let (hub, client) = (over(store.connect(), 0), open(1_000_000));
    say(&client, 1, "kestrel budget @0");
    let feed = block_on(client.changes("hub")).unwrap();
    block_on(store.keep(vec![Record::put(Shelf::Held, "key", b"digest".to_vec())])).unwrap();
    assert_eq!(block_on(hub.apply(feed.clone())).unwrap_err().code, Code::Unsupported);
    assert_eq!((all(&hub).len(), log(&hub).len()), (0, 0));
    // A client that sealed its data keeps notes about the chain, and can use another hub.
    let note = Record::put(Shelf::Held, "chain/https://hub.example/", b"{}".to_vec());
    block_on(store.keep(vec![Record::gone(Shelf::Held, "key"), note])).unwrap();
    block_on(hub.apply(feed)).unwrap();
}

#[test]
fn an_invalid_feed_is_rejected_and_changes_nothing() {
    let (hub, client) = (open(0), open(1_000_000));
    say(&client, 1, "kestrel budget is 50 @0");
    say(&client, 2, "kestrel budget is 60 @30");
    let good = block_on(client.changes("hub")).unwrap();
    let spoilt = |spoil: &dyn Fn(&mut Feed)| {
        let mut feed = good.clone();
        spoil(&mut feed);
        block_on(hub.apply(feed)).unwrap_err().code
    };
    assert_eq!(spoilt(&|f| f.format = 2), Code::VersionTooNew);
    assert_eq!(spoilt(&|f| f.memories[0].content = "x".repeat(9_000)), Code::InvalidField);
    assert_eq!(spoilt(&|f| drop(f.memories.remove(0))), Code::InvalidInput);
    // Chains that are torn, closed to a circle, or wrongly numbered.
    let id = good.memories[0].id;
    assert_eq!(spoilt(&|f| f.memories[0].superseded_by = None), Code::InvalidInput);
    assert_eq!(spoilt(&|f| f.memories[1].superseded_by = Some(id)), Code::InvalidInput);
    assert_eq!(spoilt(&|f| f.memories[1].version = 7), Code::InvalidInput);
    assert_eq!((all(&hub).len(), log(&hub).len()), (0, 0));
    assert_eq!(block_on(client.changes("허브")).unwrap_err().details().field.unwrap(), "hub");
    block_on(hub.apply(good)).unwrap();
    sound(&hub);
}

/// Runs the steps on a hub and two clients, with interrupted exchanges, and asserts that all three converge.
fn run_and_converge(steps: &[Step]) {
    let [hub, one, two] = [open(0), open(1_000_000), open(2_000_000)];
    let stores = [&hub, &one, &two];
    live(stores, steps, |at, how, _| {
        let told = block_on(stores[at].changes("hub")).unwrap();
        let (upto, times) = (told.upto, [0, 1, 2, 1][usize::from(how)]);
        let answer = (0..times).map(|_| block_on(hub.apply(told.clone())).unwrap()).last();
        if let Some(answer) = answer.filter(|_| how > 1) {
            block_on(stores[at].settle("hub", upto, answer)).unwrap();
        }
    });
    for client in [&one, &two, &one, &two] {
        sync(client, &hub);
    }
    for client in [&one, &two] {
        sound(client);
        assert_eq!(said(client), said(&hub));
    }
}

#[test]
fn different_decisions_by_the_hub_break_no_chain() {
    use Step::{Exchange, Tell};
    run_and_converge(&[
        Tell(0, 0, 50, 0, false, 0),
        Tell(0, 1, 80, 0, false, 0),
        Exchange(1, 2, 500),
        Tell(1, 0, 0, 0, false, 11),
        Tell(0, 1, 30, 0, false, 11),
        Tell(1, 0, 35, 0, false, 10),
        Exchange(2, 2, 500),
        Tell(2, 0, 0, 0, false, 1),
        Tell(2, 1, 0, 1, false, 10),
        Tell(2, 1, 30, 0, false, 2),
    ]);
}

#[test]
fn links_made_on_both_sides_are_deduplicated() {
    use Step::{Exchange, Tell, Undo};
    run_and_converge(&[
        Tell(0, 0, 0, 0, false, 0),
        Exchange(2, 2, 500),
        Tell(0, 0, 30, 0, false, 1),
        Exchange(1, 2, 500),
        Tell(0, 0, 80, 0, false, 6),
        Tell(0, 0, 30, 0, false, 0),
        Tell(2, 1, 30, 4, true, 6),
        Undo(0, 12_297_829_382_473_034_411),
        Tell(0, 0, 30, 0, false, 0),
        Undo(0, 0),
        Undo(0, 0),
        Tell(0, 0, 30, 0, false, 25),
        Tell(0, 0, 0, 0, false, 0),
        Undo(0, 0),
        Tell(2, 1, 80, 0, false, 25),
    ]);
}

#[test]
fn a_forgotten_memory_moved_with_its_chain_stays_empty() {
    use Step::{Exchange, Forget, Tell, Undo};
    run_and_converge(&[
        Tell(0, 0, 0, 0, false, 14),
        Forget(0, 0),
        Tell(0, 0, 0, 0, false, 3),
        Tell(2, 1, 30, 0, false, 4),
        Tell(0, 0, 0, 0, false, 5),
        Tell(2, 1, 0, 0, false, 14),
        Exchange(2, 1, 500),
        Undo(2, 1 << 63),
        Tell(2, 1, 50, 0, false, 0),
    ]);
}
