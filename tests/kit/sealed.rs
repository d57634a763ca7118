//! What a hub keeps for clients that share a key, and the clients that read and tell it: what the package does, without
//! its seals.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, dead_code)]

use crate::kit::Memories;
use crate::peers::open;
use futures::executor::block_on;
use memfold::consolidation::{ClientChanges, LogEntry, Node};
use memfold::engine::{OutgoingChanges, SyncCursor};
use memfold::model::{Id, Memory};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Deref;

/// What a hub keeps, unsealed.
#[derive(Debug, Default)]
pub struct Chain {
    /// The names that each step wrote.
    pub steps: RefCell<Vec<Vec<Id>>>,
    /// By name: the step that wrote it last, and what it says.
    pub records: RefCell<BTreeMap<Id, (u64, String)>>,
}

/// A client, and what it notes of the chain.
pub struct Client {
    pub memories: Memories,
    pub at: Cell<u64>,
    pub agreed: RefCell<SyncCursor>,
    /// The step that was sent, and what it told up to.
    pub sent: RefCell<Option<(Vec<Id>, u64)>>,
    pub heard: Cell<u64>,
    pub erased: Cell<u64>,
}

impl Deref for Client {
    type Target = Memories;
    fn deref(&self) -> &Memories {
        &self.memories
    }
}

pub fn client(from: u64) -> Client {
    Client {
        memories: open(from),
        at: Cell::default(),
        agreed: RefCell::default(),
        sent: RefCell::default(),
        heard: Cell::default(),
        erased: Cell::default(),
    }
}

fn appended(client: &Client) {
    let (_, upto) = client.sent.take().unwrap();
    client.at.set(client.at.get() + 1);
    past(client, upto);
}

fn past(client: &Client, upto: u64) {
    let mut agreed = client.agreed.borrow_mut();
    agreed.made.retain(|seq| *seq > upto);
    (agreed.pushed, agreed.about) = (upto, Vec::new());
}

/// Takes over what others have told.
pub fn read(client: &Client, chain: &Chain) {
    let (steps, records) = (chain.steps.borrow(), chain.records.borrow());
    let own = client.at.get() as usize;
    if client.sent.borrow().as_ref().is_some_and(|(names, _)| steps.get(own) == Some(names)) {
        appended(client);
    }
    let mut first: Vec<Id> = Vec::new();
    for name in steps.iter().skip(client.at.get() as usize).flatten() {
        if !first.contains(name) {
            first.push(*name);
        }
    }
    let mut told = ClientChanges::default();
    for name in first {
        let (at, text) = &records[&name];
        match serde_json::from_str::<Node>(text) {
            Ok(node) => told.nodes.push(Node { at: *at, ..node }),
            Err(_) => told.entries.push(serde_json::from_str(text).unwrap()),
        }
    }
    if client.at.get() < steps.len() as u64 {
        let agreed = client.agreed.borrow().clone();
        let (agreed, _) = block_on(client.pull(agreed, told)).unwrap();
        client.at.set(steps.len() as u64);
        *client.agreed.borrow_mut() = agreed;
    }
}

/// Tells what is left to tell; false where another client was faster. `heard`: whether the answers arrive.
pub fn tell(client: &Client, chain: &Chain, most: usize, heard: bool) -> bool {
    loop {
        let agreed = client.agreed.borrow().clone();
        let OutgoingChanges { told, upto, more } = block_on(client.push(agreed, most)).unwrap();
        let mut records: Vec<(Id, String)> = Vec::new();
        for node in told.nodes {
            let node = Node { memory: Memory { revision: 1, ..node.memory }, ..node };
            records.push((node.memory.id, serde_json::to_string(&node).unwrap()));
        }
        for entry in told.entries {
            let entry = LogEntry { seq: 0, salt: String::new(), hash: String::new(), ..entry };
            records.push((entry.id, serde_json::to_string(&entry).unwrap()));
        }
        // What is alike there need not be told again.
        records.retain(|(name, text)| chain.records.borrow().get(name).is_none_or(|(_, there)| there != text));
        if records.is_empty() {
            past(client, upto);
        } else {
            let names: Vec<Id> = records.iter().map(|(name, _)| *name).collect();
            *client.sent.borrow_mut() = Some((names.clone(), upto));
            if chain.steps.borrow().len() as u64 != client.at.get() {
                return false;
            }
            chain.steps.borrow_mut().push(names);
            let at = client.at.get() + 1;
            chain.records.borrow_mut().extend(records.into_iter().map(|(name, text)| (name, (at, text))));
            if !heard {
                return true;
            }
            appended(client);
        }
        if !more {
            return true;
        }
    }
}

pub fn sync(client: &Client, chain: &Chain) {
    read(client, chain);
    assert!(tell(client, chain, 500, true));
}

pub fn head(chain: &Chain) -> usize {
    chain.steps.borrow().len()
}
