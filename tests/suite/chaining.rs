//! Clients that share a key, over a hub that can read nothing: each joins by itself, and all end up alike. Sealing is
//! WebCrypto's and is tried through the package; here a text stands for what would be sealed.

use crate::kit::Memories;
use crate::peers::{Step, all, contents, draft, drawn, histories, keyed, live, log, open, said, say, sound};
use crate::sealed::{Chain, Client, client, head, read, sync, tell};
use futures::executor::block_on;
use memfold::consolidation::{Action, Feed, LogEntry};
use memfold::decision::{Decision, Reason, Ruling};
use memfold::engine::{Cancel, Consolidate, DeleteOptions, NotHeard};
use memfold::model::{Draft, EventId, Id, Memory, Retention, Source, Time};
use proptest::prelude::*;

/// All clients exchange until nobody has more to say, and are alike.
fn agree(clients: &[&Client], chain: &Chain) {
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
fn what_either_knows_both_know_with_the_reasons() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let (_, entry) = say(&one, 1, "kestrel budget @0");
    say(&two, 1, "merlin budget @0");
    agree(&[&one, &two], &chain);
    assert_eq!(contents(&two).len(), 2);
    let there = log(&two).into_iter().find(|e| e.id == entry.id).unwrap();
    assert_eq!((there.input, there.touched), (entry.input, entry.touched));
}

#[test]
fn both_change_one_memory_and_the_later_word_by_its_own_time_stands() {
    for (first, second) in [(5, 9), (9, 5)] {
        let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
        say(&one, 1, "kestrel budget is 50 @0");
        agree(&[&one, &two], &chain);
        assert_eq!(say(&one, first, "kestrel budget is 60 @30").1.decision, Decision::Update);
        assert_eq!(say(&two, second, "kestrel budget is 70 @30").1.decision, Decision::Update);
        agree(&[&one, &two], &chain);
        let expected = if second > first { "kestrel budget is 70 @30" } else { "kestrel budget is 60 @30" };
        assert_eq!(contents(&one), [expected]);
        assert_eq!(all(&two).len(), 3);
    }
}

#[test]
fn a_mail_that_both_have_read_is_one_memory_with_all_that_was_said_after_it() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let (known, _) = keyed(&one, draft(1, "kestrel budget is 50 @0"), "mail");
    say(&one, 2, "kestrel budget is 60 @30");
    let (own, _) = keyed(&two, draft(1, "kestrel budget is 50 @0"), "mail");
    say(&two, 3, "kestrel budget is 70 @30");
    say(&two, 3, "kestrel venue is far @80");
    let linked = block_on(two.links()).unwrap().len();
    agree(&[&one, &two], &chain);
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
    agree(&[&one, &two], &chain);
    for m in [&one, &two] {
        let text = block_on(m.export()).unwrap();
        assert!(!text.contains("budget"), "{text}");
    }
}

#[test]
fn what_was_deleted_or_forgotten_before_its_twin_was_known_stays_so() {
    for forgets in [true, false] {
        let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
        keyed(&one, draft(1, "kestrel budget is 50 @0"), "mail");
        let (own, _) = keyed(&two, draft(1, "kestrel budget is 50 @0"), "mail");
        if forgets {
            block_on(two.forget(&[own])).unwrap();
        } else {
            block_on(two.delete(&[own], &DeleteOptions::default())).unwrap();
        }
        agree(&[&one, &two], &chain);
        assert_eq!(contents(&one), Vec::<String>::new());
        assert_eq!(block_on(one.export()).unwrap().contains("budget is 50"), !forgets);
    }
}

#[test]
fn deletions_restorations_and_undoing_go_both_ways() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let (a, _) = say(&one, 1, "kestrel budget @0");
    let (b, made) = say(&two, 1, "merlin budget @0");
    agree(&[&one, &two], &chain);
    block_on(two.delete(&[a], &DeleteOptions::default())).unwrap();
    block_on(one.undo(made.id)).unwrap();
    agree(&[&one, &two], &chain);
    assert_eq!(contents(&one), Vec::<String>::new());
    block_on(one.restore(a)).unwrap();
    block_on(two.restore(b)).unwrap();
    agree(&[&one, &two], &chain);
    assert_eq!(contents(&one).len(), 2);
}

#[test]
fn what_is_forgotten_is_gone_everywhere_and_its_sealed_texts_are_replaced_at_the_hub() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let (a, _) = say(&one, 1, "kestrel secret is 50 @0");
    let (b, _) = say(&two, 1, "merlin secret @0");
    say(&two, 1, "osprey report @0");
    agree(&[&one, &two], &chain);
    // Meanwhile the other has said more about it.
    say(&two, 3, "kestrel secret is 60 @30");
    block_on(one.forget(&[a])).unwrap();
    block_on(two.forget(&[b])).unwrap();
    agree(&[&one, &two], &chain);
    for m in [&one, &two] {
        let text = block_on(m.export()).unwrap();
        assert!(!text.contains("secret") && text.contains("osprey"), "{text}");
    }
    let held: String = chain.records.borrow().values().map(|(_, text)| text.as_str()).collect();
    assert!(!held.contains("secret") && held.contains("osprey"));
}

#[test]
fn a_long_log_goes_in_stretches_and_an_interruption_costs_nothing() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    for n in 0..60 {
        say(&one, 1, &format!("client{n} note @0"));
    }
    for n in 0..20 {
        say(&two, 1, &format!("other{n} note @0"));
    }
    // A step is appended and nobody hears of it; then a stretch at a time, with another client in between.
    assert!(tell(&one, &chain, 7, false));
    assert_eq!(head(&chain), 1);
    sync(&two, &chain);
    assert!(!tell(&one, &chain, 7, true), "another was faster");
    agree(&[&one, &two], &chain);
    for m in [&one, &two] {
        assert_eq!(log(m).iter().filter(|e| e.key.is_some()).count(), 80);
    }
}

#[test]
fn what_is_known_is_read_again_after_the_notes_are_lost_and_changes_nothing() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    say(&one, 1, "kestrel budget is 50 @0");
    agree(&[&one, &two], &chain);
    say(&two, 2, "kestrel budget is 60 @30");
    agree(&[&one, &two], &chain);
    let before = said(&one);
    one.at.set(0);
    one.agreed.take();
    one.sent.take();
    agree(&[&one, &two], &chain);
    assert_eq!(said(&one), before);
}

/// What a client hears of the hub itself.
fn listen(client: &Client, hub: &Memories, lie: impl Fn(&mut Feed)) -> Vec<NotHeard> {
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

fn told_by(source_type: Source, on: i64, content: &str) -> Draft {
    Draft { source_type, ..draft(on, content) }
}

#[test]
fn what_a_hub_was_told_itself_is_a_new_input_and_is_one_memory_for_all_clients() {
    let (hub, chain, one, two) = (open(0), Chain::default(), client(1_000_000), client(2_000_000));
    let (tool, _) = keyed(&hub, told_by(Source::ToolOutput, 3, "kestrel budget is 50 @0"), "call 1");
    keyed(&hub, told_by(Source::UserInput, 4, "merlin key is 1234 @0"), "call 2");
    for client in [&one, &two] {
        assert_eq!(listen(client, &hub, |_| {}), [NotHeard::Class]);
        assert_eq!(contents(client), ["kestrel budget is 50 @0"]);
    }
    agree(&[&one, &two], &chain);
    assert_eq!(contents(&two).len(), 1);
    assert_eq!(listen(&one, &hub, |_| {}), []);
    // An update by a tool is decided here; a deletion there is none here.
    keyed(&hub, told_by(Source::ToolOutput, 5, "kestrel budget is 60 @30"), "call 3");
    listen(&one, &hub, |_| {});
    assert_eq!(contents(&one), ["kestrel budget is 60 @30"]);
    block_on(hub.delete(&[tool], &DeleteOptions::default())).unwrap();
    assert_eq!(listen(&one, &hub, |_| {}), []);
    agree(&[&one, &two], &chain);
    assert_eq!(contents(&two), ["kestrel budget is 60 @30"]);
    // Forgotten by a client, it is forgotten there as well, with what was told of it before.
    block_on(two.forget(&[all(&two).into_iter().find(Memory::is_current).unwrap().id])).unwrap();
    listen(&two, &hub, |_| {});
    assert!(!block_on(hub.export()).unwrap().contains("budget"));
    assert!(block_on(hub.export()).unwrap().contains("merlin"));
}

#[test]
fn nothing_that_a_hub_says_touches_what_clients_know() {
    let (hub, one) = (open(0), client(1_000_000));
    let (own, _) = keyed(&one, told_by(Source::UserInput, 1, "osprey badge is 7 @0"), "own");
    sync(&one, &Chain::default());
    keyed(&hub, told_by(Source::ToolOutput, 3, "kestrel budget is 50 @0"), "call 1");
    let before = (said(&one), log(&one));
    let of = |id: Id| all(&one).into_iter().find(|m| m.id == id).unwrap();
    type Lie = Box<dyn Fn(&mut Memory)>;
    let lies: Vec<(NotHeard, Lie)> = vec![
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
        let refused = listen(&one, &hub, |answer| {
            lie(&mut answer.memories[0]);
            answer.entries.clear();
        });
        assert_eq!(refused, [why]);
        assert_eq!((said(&one), log(&one)), before, "{why:?}");
    }
    one.heard.set(0);
    // A log entry, an edge, a tombstone and a claim to have handled a mail have no effect; nor has a claim to be core.
    let refused = listen(&one, &hub, |answer| {
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

/// What a client knows of a matter after a hub has told this of it, which it heard from a hub that makes it up.
fn heard_after(stored: &Draft, told: &Draft) -> (Vec<String>, LogEntry) {
    let (hub, one) = (open(0), client(1_000_000));
    let (id, _) = keyed(&one, stored.clone(), "stored");
    sync(&one, &Chain::default());
    keyed(&hub, told.clone(), "told");
    assert_eq!(listen(&one, &hub, |_| {}), []);
    sound(&one);
    let stands = all(&one).into_iter().any(|m| m.id == id && m.is_current());
    let entry = log(&one).into_iter().find(|e| e.action == Action::Consolidate && e.input == told.content).unwrap();
    assert_eq!(stands, contents(&one).contains(&stored.content), "{entry:#?}");
    (contents(&one), entry)
}

#[test]
fn what_a_hub_says_that_a_mail_says_replaces_only_what_its_author_has_said() {
    let by = |source_type, on, author: Option<&str>, content: &str| Draft {
        source_type,
        author: author.map(str::to_owned),
        ..draft(on, content)
    };
    let (meeting, moved) = ("kestrel kickoff is on 22 March @0", "kestrel kickoff is on 29 March @30");
    let stored = by(Source::Realtime, 1, Some("ann@acme.example"), meeting);
    // The same mail would do this to a client that reads it itself.
    let (known, entry) = heard_after(&stored, &by(Source::Realtime, 2, Some("ann@acme.example"), moved));
    assert_eq!((known.len(), entry.decision), (1, Decision::Update), "{known:?}");
    // A stranger and nobody change it provisionally.
    for author in [Some("x@evil.example"), None] {
        let (known, entry) = heard_after(&stored, &by(Source::Realtime, 2, author, moved));
        assert_eq!(known.len(), 1, "{author:?}: {known:?}");
        assert_eq!((entry.confirmation, entry.needs_review), (Some(Ruling::Provisional), false), "{entry:#?}");
    }
    // A tool whose class outranks a mail's: kept beside, and the owner is asked.
    for (source, author) in [(Source::ToolOutput, None), (Source::ToolOutput, Some("ann@acme.example"))] {
        let (known, entry) = heard_after(&stored, &by(source, 2, author, moved));
        assert!(known.contains(&meeting.to_owned()) && known.len() == 2, "{source:?} {author:?}: {known:?}");
        assert!(entry.needs_review, "{source:?} {author:?}: {entry:#?}");
        assert!(entry.reasons.iter().any(|r| matches!(r, Reason::NoStanding { .. })), "{entry:#?}");
    }
    // A time to come makes nothing the last word.
    let (_, entry) = heard_after(&stored, &by(Source::Realtime, 9_000, Some("ann@acme.example"), moved));
    assert!(entry.reasons.contains(&Reason::DateAhead) && entry.needs_review, "{entry:#?}");
}

#[test]
fn what_was_struck_and_which_event_it_is_is_alike_on_all_clients() {
    let (chain, one, two) = (Chain::default(), client(1_000_000), client(2_000_000));
    let event = EventId { uid: "heron-1".into(), organizer: Some("ann@acme.example".into()) };
    let first = Draft { event: Some(event.clone()), ..draft(1, "Heron starts 15 Jan, budget 50M @0") };
    keyed(&one, first, "first");
    agree(&[&one, &two], &chain);
    keyed(&two, draft(2, "Heron budget 60M @30"), "second");
    agree(&[&one, &two], &chain);
    for client in [&one, &two] {
        let known = all(client).into_iter().filter(Memory::is_current).collect::<Vec<_>>();
        let [m] = &known[..] else { panic!("{known:#?}") };
        assert_eq!((m.event.as_ref(), m.statements.len()), (Some(&event), 2), "{m:#?}");
        assert!(m.statements[1].holds().len() < m.statements[1].text.len(), "{m:#?}");
    }
    // What is forgotten takes what it was made of with it, also what was struck.
    let ids: Vec<Id> = all(&one).iter().map(|m| m.id).collect();
    block_on(one.forget(&ids)).unwrap();
    agree(&[&one, &two], &chain);
    for client in [&one, &two] {
        let text = block_on(client.export()).unwrap();
        assert!(!text.contains("Heron") && !text.contains("heron-1"), "{text}");
    }
}

/// Three clients live through these steps. Whenever they exchange what they have and wherever that breaks off, in the end
/// they say the same, and so does one that comes later.
fn live_and_agree(steps: &[Step]) {
    let (chain, clients) = (Chain::default(), [client(1_000_000), client(2_000_000), client(3_000_000)]);
    live(clients.each_ref().map(|c| &c.memories), steps, |at, how, most| match how {
        0 => read(&clients[at], &chain),
        1 => drop(tell(&clients[at], &chain, most, false)),
        _ => {
            read(&clients[at], &chain);
            tell(&clients[at], &chain, most, how > 2);
        }
    });
    agree(&clients.each_ref(), &chain);
}

proptest! {
    #![proptest_config(drawn())]

    #[test]
    fn clients_of_one_key_end_up_alike(steps in histories(0..3, 0..5, &[1, 3, 500])) {
        live_and_agree(&steps);
    }
}

#[test]
fn what_was_forgotten_before_an_entry_about_it_came_is_not_brought_back() {
    use Step::{Exchange, Forget, Tell, Undo};
    live_and_agree(&[
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
fn a_chain_that_stands_here_otherwise_stays_whole_where_a_part_of_it_is_told_again() {
    use Step::{Exchange, Forget, Tell};
    live_and_agree(&[
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
