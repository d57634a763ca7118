//! Whole mailboxes read by a model that is always right: the ledgers of what each mail says speak for it, so that what is
//! shown, checked and written is measured and the reading itself is not.

use crate::kit::{self, Fake, Model};
use futures::executor::block_on;
use memfold::decision::{Policy, Prompt, Reason, Task};
use memfold::embed::HashingEmbedder;
use memfold::engine::{Cancel, Engine, IngestOptions, LogQuery, Options};
use memfold::llm::Reply;
use memfold::mail::HostCharset;
use memfold::store::MemoryStore;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

pub const NAMES: [&str; 6] = ["garam", "harbour", "jangmi", "narae", "quay", "somok"];

pub fn read(name: &str, ext: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/inbox/{name}.{ext}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// What a ledger's model was shown and what it lacked.
#[derive(Debug, Default, Clone)]
struct Shown {
    /// Mails of the ledger; those that a local look found empty, and those of them that were not.
    all: u32,
    unasked: u32,
    missed: u32,
    mails: u32,
    needed: u32,
    met: u32,
    links_needed: u32,
    links_met: u32,
    shown: u32,
    meant: u32,
    tokens: u32,
    lacked: Vec<String>,
}

impl Shown {
    fn add(&mut self, o: &Self) {
        self.all += o.all;
        self.unasked += o.unasked;
        self.missed += o.missed;
        self.mails += o.mails;
        self.needed += o.needed;
        self.met += o.met;
        self.links_needed += o.links_needed;
        self.links_met += o.links_met;
        self.shown += o.shown;
        self.meant += o.meant;
        self.tokens += o.tokens;
    }

    fn print(&self, name: &str) {
        let share = |a: u32, b: u32| 100.0 * f64::from(a) / f64::from(b.max(1));
        let each = |n: u32| f64::from(n) / f64::from(self.mails.max(1));
        println!(
            "{name:8} right memory shown {}/{} ({:.1} %), for links {}/{} ({:.1} %); {:.1} shown a mail, {:.1} meant; {:.0} prompt tokens a mail",
            self.met,
            self.needed,
            share(self.met, self.needed),
            self.links_met,
            self.links_needed,
            share(self.links_met, self.links_needed),
            each(self.shown),
            each(self.meant),
            each(self.tokens)
        );
        println!(
            "{:8} {} of {} mails asked; of {} found empty {} were not",
            "", self.mails, self.all, self.unasked, self.missed
        );
    }
}

/// A ledger as a model: the texts that it gave for each fact, the last one last.
struct Ledger {
    mails: HashMap<String, Vec<Value>>,
    given: HashMap<String, Vec<String>>,
    asked: HashSet<String>,
    shown: Shown,
}

impl Ledger {
    fn new(name: &str) -> Self {
        let text = String::from_utf8(read(name, "ledger.jsonl")).unwrap();
        let lines = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
        let mails = lines.map(|l| (l["message"].as_str().unwrap().to_owned(), l["says"].as_array().unwrap().clone()));
        Self { mails: mails.collect(), given: HashMap::new(), asked: HashSet::new(), shown: Shown::default() }
    }

    fn handle(&self, fact: &str, prompt: &Prompt) -> Option<&'static str> {
        let text = self.given.get(fact)?.last()?;
        prompt.candidates.iter().find(|c| c.content == *text).map(|c| c.handle)
    }

    fn answer(&mut self, prompt: &Prompt) -> String {
        let says = self.mails.get(prompt.source.as_deref().unwrap_or_default()).cloned().unwrap_or_default();
        self.shown.mails += 1;
        self.asked.insert(prompt.source.clone().unwrap());
        self.shown.shown += prompt.candidates.len() as u32;
        self.shown.tokens += prompt.tokens();
        let (mut entries, mut places, mut meant) = (Vec::new(), HashMap::new(), HashSet::new());
        let mut answered: Vec<(String, String)> = Vec::new();
        let last: HashMap<&str, usize> =
            says.iter().enumerate().map(|(n, s)| (s["fact"].as_str().unwrap(), n)).collect();
        for (n, s) in says.iter().enumerate() {
            let fact = s["fact"].as_str().unwrap();
            if last[fact] != n {
                continue;
            }
            let of = self.handle(fact, prompt);
            if self.given.contains_key(fact) {
                self.shown.needed += 1;
                self.shown.met += u32::from(of.is_some());
                if of.is_none() {
                    self.shown.lacked.push(format!(
                        "{} {fact}: {} | {}",
                        prompt.source.as_deref().unwrap(),
                        self.given[fact].last().unwrap(),
                        s["quote"]
                    ));
                }
            }
            meant.extend(of);
            let mut links = Vec::new();
            for l in s["links"].as_array().into_iter().flatten() {
                let to = l["to"].as_str().unwrap();
                let named = places.get(to).map(|at| format!("E{at}")).or_else(|| {
                    let handle = self.handle(to, prompt);
                    if self.given.contains_key(to) {
                        self.shown.links_needed += 1;
                        self.shown.links_met += u32::from(handle.is_some());
                    }
                    meant.extend(handle);
                    handle.map(str::to_owned)
                });
                links.extend(named.map(|to| json!({"to": to, "type": l["type"]})));
            }
            let op = match (s["is"].as_str().unwrap(), of) {
                ("repeat", Some(_)) => "repeat",
                (_, Some(_)) => "update",
                _ => "new",
            };
            places.insert(fact.to_owned(), entries.len() + 1);
            entries.push(json!({
                "op": op, "of": of, "text": if op == "repeat" { Value::Null } else { s["value"].clone() }, "gone": [],
                "category": s["category"], "day": s["day"], "people": [], "links": links, "evidence": s["quote"],
            }));
            if op != "repeat" {
                answered.push((fact.to_owned(), s["value"].as_str().unwrap().to_owned()));
            }
        }
        self.shown.meant += meant.len() as u32;
        for (fact, text) in answered {
            self.given.entry(fact).or_default().push(text);
        }
        json!({ "entries": entries }).to_string()
    }
}

/// A mailbox, read with its ledger as the model.
fn ingested(name: &str) -> (Engine, Shown) {
    let expected: Value = serde_json::from_slice(&read(name, "expect.json")).unwrap();
    let ledger = Rc::new(RefCell::new(Ledger::new(name)));
    let speaks = ledger.clone();
    let model = Model::new(move |prompt| {
        assert!(prompt.task == Task::Mail && !kit::is_draft(prompt));
        Ok(Reply { text: speaks.borrow_mut().answer(prompt), tokens: 7 })
    });
    let owner = vec![expected["me"].as_str().unwrap().to_owned()];
    let options = Options { policy: Policy::BALANCED, owner, ..Options::default() };
    let m =
        block_on(Engine::open(MemoryStore::default(), HashingEmbedder, Fake::from(63_072_000_000), options)).unwrap();
    let m = m.with_model(Rc::new(model));
    let mut intake = m.intake(IngestOptions { concurrency: Some(1), ..IngestOptions::default() });
    let bytes = read(name, "mbox");
    let mut pieces = intake.push(&bytes);
    pieces.extend(intake.finish());
    for r in block_on(m.ingest_all(&mut intake, pieces, &HostCharset, Cancel::default())).unwrap() {
        assert!(r.failed.is_none(), "{:?}", r.failed);
    }
    assert!(block_on(m.check()).unwrap().problems.is_empty());
    let ledger = ledger.borrow();
    let mut shown = ledger.shown.clone();
    shown.all = ledger.mails.len() as u32;
    for (mail, says) in ledger.mails.iter().filter(|(mail, _)| !ledger.asked.contains(*mail)) {
        shown.unasked += 1;
        shown.missed += u32::from(!says.is_empty());
        if !says.is_empty() {
            println!("  not read {mail}: {}", says[0]["quote"]);
        }
    }
    (m, shown)
}

#[test]
fn what_a_right_model_says_of_a_mailbox_is_shown_what_it_needs_and_written() {
    let mut all = Shown::default();
    let mut refused = Vec::new();
    for name in NAMES {
        let (m, shown) = ingested(name);
        shown.print(name);
        for lacked in &shown.lacked {
            println!("  lacked {lacked}");
        }
        all.add(&shown);
        for e in block_on(m.log(&LogQuery::default())).unwrap() {
            let why = e.reasons.iter().find_map(|r| match r {
                Reason::ModelRefused { error } => Some(error.clone()),
                Reason::NoStanding { .. }
                | Reason::SensitiveChange { .. }
                | Reason::Inferred
                | Reason::OlderThanStored => Some(format!("{r:?}")),
                _ => None,
            });
            refused.extend(why.map(|why| format!("{name} {why} {:?}: {}", e.source_id, e.input)));
        }
    }
    all.print("all");
    refused.iter().for_each(|r| println!("refused {r}"));
    assert!(all.met * 100 >= all.needed * 95 && all.missed == 0 && all.mails <= all.all);
    assert!(all.tokens <= 1_450 * all.all);
}
