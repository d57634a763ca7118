//! Clients with a shared key sync through a hub that cannot decrypt: each merges locally, and all
//! converge. Here a plain text replaces the ciphertext; tests of the package cover the encryption
//! with WebCrypto.

use crate::kit::Memories;
use crate::peers::{Step, all, contents, draft, drawn, histories, keyed, live, log, open, said, say, sound};
use crate::sealed::{Chain, Client, client, head, read, sync, tell};
use futures::executor::block_on;
use memfold::consolidation::{Action, Feed, LogEntry};
use memfold::decision::{Decision, Reason, Ruling};
use memfold::engine::{Cancel, Consolidate, DeleteOptions, NotHeard};
use memfold::model::{Draft, EventId, Id, Memory, Retention, Source, Time};
use proptest::prelude::*;

/// Syncs all clients until none has changes to send, and checks that they are equal.
fn sync_until_equal(clients: &[&Client], chain: &Chain) {
    for client in [clients, clients].concat() {
        sync(client, chain);
    }
    let told = head(chain);
    for client in clients {
        sync(client, chain);
        sound(client);
        assert_eq!(said(client), said(clients[0]));
    }
    assert_eq!(head(chain), told, "nothing is told twice");
    let fresh = client(9_000_000);
    sync(&fresh, chain);
    sound(&fresh);
    assert_eq!(said(&fresh), said(clients[0]), "who comes later learns the same");
}

#[test]
fn clients_exchange_memories_with_their_log_entries() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let (_, entry) = say(&one, 1, "kestrel budget @0");
    say(&two, 1, "merlin budget @0");
    sync_until_equal(&[&one, &two], &chain);
    assert_eq!(contents(&two).len(), 2);
    let there = log(&two).into_iter().find(|e| e.id == entry.id).unwrap();
    assert_eq!((there.input, there.touched), (entry.input, entry.touched));
}

#[test]
fn later_statement_wins_when_both_clients_change_a_memory() {
    for (first, second) in [(5, 9), (9, 5)] {
        let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
        say(&one, 1, "kestrel budget is 50 @0");
        sync_until_equal(&[&one, &two], &chain);
        assert_eq!(say(&one, first, "kestrel budget is 60 @30").1.decision, Decision::Update);
        assert_eq!(say(&two, second, "kestrel budget is 70 @30").1.decision, Decision::Update);
        sync_until_equal(&[&one, &two], &chain);
        let expected = if second > first { "kestrel budget is 70 @30" } else { "kestrel budget is 60 @30" };
        assert_eq!(contents(&one), [expected]);
        assert_eq!(all(&two).len(), 3);
    }
}

#[test]
fn mail_read_by_both_clients_becomes_one_memory_with_all_later_changes() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let (known, _) = keyed(&one, draft(1, "kestrel budget is 50 @0"), "mail");
    say(&one, 2, "kestrel budget is 60 @30");
    let (own, _) = keyed(&two, draft(1, "kestrel budget is 50 @0"), "mail");
    say(&two, 3, "kestrel budget is 70 @30");
    say(&two, 3, "kestrel venue is far @80");
    let linked = block_on(two.links()).unwrap().len();
    sync_until_equal(&[&one, &two], &chain);
    assert!(contents(&one).contains(&"kestrel budget is 70 @30".to_owned()));
    assert!(!contents(&one).iter().any(|c| c.contains("50") || c.contains("60")), "{:?}", contents(&one));
    assert_eq!(block_on(one.links()).unwrap().len(), linked);
    let of = |id: Id| all(&two).into_iter().find(|m| m.id == id).unwrap();
    assert!(of(own).is_forgotten() && !of(known).is_forgotten());
    for m in [&one, &two] {
        let how = Consolidate { key: Some("mail".into()), ..Consolidate::default() };
        assert!(block_on(m.consolidate(draft(1, "kestrel budget is 50 @0"), &how)).unwrap().replayed);
    }
    // Forgetting also erases the text of the duplicate that was merged away.
    block_on(one.forget(&[known])).unwrap();
    sync_until_equal(&[&one, &two], &chain);
    for m in [&one, &two] {
        let text = block_on(m.export()).unwrap();
        assert!(!text.contains("budget"), "{text}");
    }
}

#[test]
fn memory_deleted_or_forgotten_before_its_duplicate_arrives_stays_so() {
    for forgets in [true, false] {
        let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
        keyed(&one, draft(1, "kestrel budget is 50 @0"), "mail");
        let (own, _) = keyed(&two, draft(1, "kestrel budget is 50 @0"), "mail");
        if forgets {
            block_on(two.forget(&[own])).unwrap();
        } else {
            block_on(two.delete(&[own], &DeleteOptions::default())).unwrap();
        }
        sync_until_equal(&[&one, &two], &chain);
        assert_eq!(contents(&one), Vec::<String>::new());
        assert_eq!(block_on(one.export()).unwrap().contains("budget is 50"), !forgets);
    }
}

#[test]
fn deletions_restores_and_undos_sync_both_ways() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let (a, _) = say(&one, 1, "kestrel budget @0");
    let (b, made) = say(&two, 1, "merlin budget @0");
    sync_until_equal(&[&one, &two], &chain);
    block_on(two.delete(&[a], &DeleteOptions::default())).unwrap();
    block_on(one.undo(made.id)).unwrap();
    sync_until_equal(&[&one, &two], &chain);
    assert_eq!(contents(&one), Vec::<String>::new());
    block_on(one.restore(a)).unwrap();
    block_on(two.restore(b)).unwrap();
    sync_until_equal(&[&one, &two], &chain);
    assert_eq!(contents(&one).len(), 2);
}

#[test]
fn forgetting_erases_everywhere_and_replaces_encrypted_records_at_the_hub() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let (a, _) = say(&one, 1, "kestrel secret is 50 @0");
    let (b, _) = say(&two, 1, "merlin secret @0");
    say(&two, 1, "osprey report @0");
    sync_until_equal(&[&one, &two], &chain);
    // Meanwhile the other client updates the memory.
    say(&two, 3, "kestrel secret is 60 @30");
    block_on(one.forget(&[a])).unwrap();
    block_on(two.forget(&[b])).unwrap();
    sync_until_equal(&[&one, &two], &chain);
    for m in [&one, &two] {
        let text = block_on(m.export()).unwrap();
        assert!(!text.contains("secret") && text.contains("osprey"), "{text}");
    }
    let held: String = chain.records.borrow().values().map(|(_, text)| text.as_str()).collect();
    assert!(!held.contains("secret") && held.contains("osprey"));
}

#[test]
fn long_log_syncs_in_batches_and_survives_an_interruption() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    for n in 0..60 {
        say(&one, 1, &format!("client{n} note @0"));
    }
    for n in 0..20 {
        say(&two, 1, &format!("other{n} note @0"));
    }
    // The hub appends a batch but its reply is lost. Then batches of both clients alternate.
    assert!(tell(&one, &chain, 7, false));
    assert_eq!(head(&chain), 1);
    sync(&two, &chain);
    assert!(!tell(&one, &chain, 7, true), "another was faster");
    sync_until_equal(&[&one, &two], &chain);
    for m in [&one, &two] {
        assert_eq!(log(m).iter().filter(|e| e.key.is_some()).count(), 80);
    }
}

#[test]
fn full_resync_after_lost_cursors_changes_nothing() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    say(&one, 1, "kestrel budget is 50 @0");
    sync_until_equal(&[&one, &two], &chain);
    say(&two, 2, "kestrel budget is 60 @30");
    sync_until_equal(&[&one, &two], &chain);
    let before = said(&one);
    one.at.set(0);
    one.agreed.take();
    one.sent.take();
    sync_until_equal(&[&one, &two], &chain);
    assert_eq!(said(&one), before);
}

/// Sends a client the hub's own changes, altered by `lie`; returns the reasons of its refusals.
fn receive_from_hub(client: &Client, hub: &Memories, lie: impl Fn(&mut Feed)) -> Vec<NotHeard> {
    let asked = block_on(client.inquire(client.erased.get())).unwrap();
    let upto = asked.upto;
    let asked = Feed { key: Some("key".into()), seen: client.heard.get(), ..asked };
    let mut answer = block_on(hub.apply(asked)).unwrap();
    client.heard.set(answer.upto);
    client.erased.set(upto);
    lie(&mut answer);
    let heard = block_on(client.hear(answer, Cancel::default())).unwrap();
    heard.refused.iter().map(|r| r.why).collect()
}

fn draft_from(source_type: Source, on: i64, content: &str) -> Draft {
    Draft { source_type, ..draft(on, content) }
}

#[test]
fn hub_input_becomes_one_memory_for_all_clients() {
    let (hub, chain, one, two) = (open(0), Chain::default(), client(1_000_000), client(2_000_000));
    let (tool, _) = keyed(&hub, draft_from(Source::ToolOutput, 3, "kestrel budget is 50 @0"), "call 1");
    keyed(&hub, draft_from(Source::UserInput, 4, "merlin key is 1234 @0"), "call 2");
    for client in [&one, &two] {
        assert_eq!(receive_from_hub(client, &hub, |_| {}), [NotHeard::Class]);
        assert_eq!(contents(client), ["kestrel budget is 50 @0"]);
    }
    sync_until_equal(&[&one, &two], &chain);
    assert_eq!(contents(&two).len(), 1);
    assert_eq!(receive_from_hub(&one, &hub, |_| {}), []);
    // A tool's update is decided on the client. A deletion at the hub deletes nothing here.
    keyed(&hub, draft_from(Source::ToolOutput, 5, "kestrel budget is 60 @30"), "call 3");
    receive_from_hub(&one, &hub, |_| {});
    assert_eq!(contents(&one), ["kestrel budget is 60 @30"]);
    block_on(hub.delete(&[tool], &DeleteOptions::default())).unwrap();
    assert_eq!(receive_from_hub(&one, &hub, |_| {}), []);
    sync_until_equal(&[&one, &two], &chain);
    assert_eq!(contents(&two), ["kestrel budget is 60 @30"]);
    // Forgetting on a client also erases the memory and its earlier versions at the hub.
    block_on(two.forget(&[all(&two).into_iter().find(Memory::is_current).unwrap().id])).unwrap();
    receive_from_hub(&two, &hub, |_| {});
    assert!(!block_on(hub.export()).unwrap().contains("budget"));
    assert!(block_on(hub.export()).unwrap().contains("merlin"));
}

#[test]
fn hub_cannot_change_what_clients_store() {
    let (hub, one) = (open(0), client(1_000_000));
    let (own, _) = keyed(&one, draft_from(Source::UserInput, 1, "osprey badge is 7 @0"), "own");
    sync(&one, &Chain::default());
    keyed(&hub, draft_from(Source::ToolOutput, 3, "kestrel budget is 50 @0"), "call 1");
    let before = (said(&one), log(&one));
    let of = |id: Id| all(&one).into_iter().find(|m| m.id == id).unwrap();
    type Forgery = Box<dyn Fn(&mut Memory)>;
    let lies: Vec<(NotHeard, Forgery)> = vec![
        (NotHeard::Id, Box::new(move |m| (m.id, m.content) = (own, "osprey badge is 8 @0".into()))),
        (NotHeard::Id, Box::new(move |m| (m.id, m.deleted_at) = (own, Some(Time::from_millis(9))))),
        (NotHeard::Class, Box::new(|m| m.source_type = Source::UserInput)),
        (NotHeard::Class, Box::new(|m| m.source_type = Source::Bootstrapped)),
        (NotHeard::Invalid, Box::new(|m| m.content = "x".repeat(9_000))),
        (NotHeard::Invalid, Box::new(|m| m.importance = 7.0)),
        (NotHeard::Format, Box::new(|m| m.content = format!("sealed1.m-{}.AAAA", m.id))),
    ];
    for (why, lie) in lies {
        one.heard.set(0);
        let refused = receive_from_hub(&one, &hub, |answer| {
            lie(&mut answer.memories[0]);
            answer.entries.clear();
        });
        assert_eq!(refused, [why]);
        assert_eq!((said(&one), log(&one)), before, "{why:?}");
    }
    one.heard.set(0);
    // Forged log entries, tombstones, idempotency keys, versions and core retention have no effect.
    let refused = receive_from_hub(&one, &hub, |answer| {
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
    assert_eq!(refused, []);
    assert_eq!((all(&one).len(), log(&one).iter().filter(|e| e.input == "forged").count()), (2, 0));
    let heard = all(&one).into_iter().find(|m| m.id != own).unwrap();
    assert!(heard.retention != Retention::Core && heard.previous_version_id.is_none());
    assert!(heard.stated_at.unwrap() < Time::from_millis(1_800_000_000_000));
    assert!(!keyed(&one, draft(9, "merlin note @0"), "mail").1.input.is_empty(), "the mail is still to be handled");
    assert_eq!(said(&one).0.iter().find(|m| m.id == own), before.0.0.iter().find(|m| m.id == own));
    sound(&one);
}

/// A client's memories and its log entry after a hub, which may invent it, has reported `told`.
fn apply_hub_report(stored: &Draft, told: &Draft) -> (Vec<String>, LogEntry) {
    let (hub, one) = (open(0), client(1_000_000));
    let (id, _) = keyed(&one, stored.clone(), "stored");
    sync(&one, &Chain::default());
    keyed(&hub, told.clone(), "told");
    assert_eq!(receive_from_hub(&one, &hub, |_| {}), []);
    sound(&one);
    let stands = all(&one).into_iter().any(|m| m.id == id && m.is_current());
    let entry = log(&one).into_iter().find(|e| e.action == Action::Consolidate && e.input == told.content).unwrap();
    assert_eq!(stands, contents(&one).contains(&stored.content), "{entry:#?}");
    (contents(&one), entry)
}

#[test]
fn mail_reported_by_a_hub_replaces_only_its_authors_statements() {
    let by = |source_type, on, author: Option<&str>, content: &str| Draft {
        source_type,
        author: author.map(str::to_owned),
        ..draft(on, content)
    };
    let (meeting, moved) = ("kestrel kickoff is on 22 March @0", "kestrel kickoff is on 29 March @30");
    let stored = by(Source::Realtime, 1, Some("ann@acme.example"), meeting);
    // A client that reads the mail itself decides the same.
    let (known, entry) = apply_hub_report(&stored, &by(Source::Realtime, 2, Some("ann@acme.example"), moved));
    assert_eq!((known.len(), entry.decision), (1, Decision::Update), "{known:?}");
    // A stranger, or a mail without an author, changes it only provisionally.
    for author in [Some("x@evil.example"), None] {
        let (known, entry) = apply_hub_report(&stored, &by(Source::Realtime, 2, author, moved));
        assert_eq!(known.len(), 1, "{author:?}: {known:?}");
        assert_eq!((entry.confirmation, entry.needs_review), (Some(Ruling::Provisional), false), "{entry:#?}");
    }
    // A tool outranks a mail by its source class: both memories are kept and the owner is asked.
    for (source, author) in [(Source::ToolOutput, None), (Source::ToolOutput, Some("ann@acme.example"))] {
        let (known, entry) = apply_hub_report(&stored, &by(source, 2, author, moved));
        assert!(known.contains(&meeting.to_owned()) && known.len() == 2, "{source:?} {author:?}: {known:?}");
        assert!(entry.needs_review, "{source:?} {author:?}: {entry:#?}");
        assert!(entry.reasons.iter().any(|r| matches!(r, Reason::NoStanding { .. })), "{entry:#?}");
    }
    // A future date does not make a statement the newest.
    let (_, entry) = apply_hub_report(&stored, &by(Source::Realtime, 9_000, Some("ann@acme.example"), moved));
    assert!(entry.reasons.contains(&Reason::DateAhead) && entry.needs_review, "{entry:#?}");
}

#[test]
fn struck_text_and_event_ids_sync_to_all_clients() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let event = EventId { uid: "heron-1".into(), organizer: Some("ann@acme.example".into()) };
    let first = Draft { event: Some(event.clone()), ..draft(1, "Heron starts 15 Jan, budget 50M @0") };
    keyed(&one, first, "first");
    sync_until_equal(&[&one, &two], &chain);
    keyed(&two, draft(2, "Heron budget 60M @30"), "second");
    sync_until_equal(&[&one, &two], &chain);
    for client in [&one, &two] {
        let known = all(client).into_iter().filter(Memory::is_current).collect::<Vec<_>>();
        let [m] = &known[..] else { panic!("{known:#?}") };
        assert_eq!((m.event.as_ref(), m.statements.len()), (Some(&event), 2), "{m:#?}");
        assert!(m.statements[1].holds().len() < m.statements[1].text.len(), "{m:#?}");
    }
    // Forgetting also erases the source statements, struck text included.
    let ids: Vec<Id> = all(&one).iter().map(|m| m.id).collect();
    block_on(one.forget(&ids)).unwrap();
    sync_until_equal(&[&one, &two], &chain);
    for client in [&one, &two] {
        let text = block_on(client.export()).unwrap();
        assert!(!text.contains("Heron") && !text.contains("heron-1"), "{text}");
    }
}

/// Runs the steps on three clients, which sync or break off at any time. In the end all of them,
/// and a client that joins later, are equal.
fn run_steps_and_compare(steps: &[Step]) {
    let (chain, clients) = (Chain::default(), [client(1_000_000), client(2_000_000), client(3_000_000)]);
    live(clients.each_ref().map(|c| &c.memories), steps, |at, how, most| match how {
        0 => read(&clients[at], &chain),
        1 => drop(tell(&clients[at], &chain, most, false)),
        _ => {
            read(&clients[at], &chain);
            tell(&clients[at], &chain, most, how > 2);
        }
    });
    sync_until_equal(&clients.each_ref(), &chain);
}

proptest! {
    #![proptest_config(drawn())]

    #[test]
    fn clients_with_one_key_converge(steps in histories(0..3, 0..5, &[1, 3, 500])) {
        run_steps_and_compare(&steps);
    }
}

#[test]
fn late_entry_does_not_restore_a_forgotten_memory() {
    use Step::{Exchange, Forget, Tell, Undo};
    run_steps_and_compare(&[
        Tell(0, 0, 0, 0, false, 0),
        Tell(1, 1, 30, 0, false, 15),
        Tell(0, 0, 0, 0, false, 0),
        Tell(0, 0, 50, 0, false, 0),
        Tell(0, 0, 30, 0, false, 14),
        Tell(1, 1, 50, 0, false, 14),
        Tell(0, 0, 0, 0, false, 0),
        Tell(2, 0, 0, 0, false, 0),
        Undo(0, 0),
        Undo(1, 1 << 63),
        Exchange(1, 1, 1),
        Forget(0, 0),
        Exchange(0, 0, 1),
        Undo(0, 16_140_901_064_495_857_664),
    ]);
}

#[test]
fn diverging_chain_stays_whole_when_a_part_of_it_arrives_again() {
    use Step::{Exchange, Forget, Tell};
    run_steps_and_compare(&[
        Tell(2, 0, 0, 0, false, 3),
        Exchange(2, 1, 3),
        Tell(1, 1, 30, 0, false, 1),
        Exchange(1, 2, 1),
        Tell(1, 0, 30, 4, true, 18),
        Tell(0, 1, 80, 7, false, 27),
        Tell(1, 0, 80, 4, false, 13),
        Exchange(0, 4, 500),
        Tell(0, 0, 35, 7, false, 28),
        Exchange(1, 3, 3),
        Forget(1, 14_513_149_107_043_272_362),
        Exchange(0, 3, 3),
        Forget(2, 11_395_336_255_283_141_087),
        Exchange(2, 0, 500),
    ]);
}
