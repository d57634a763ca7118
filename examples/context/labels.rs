//! Drafts beside the memories that are stored when they come, and whether they change them, by the ledger of their mailbox.

use crate::needles::held;
use futures::executor::block_on;
use memfold::decision::Policy;
use memfold::embed::HashingEmbedder;
use memfold::engine::{Cancel, Engine, IngestOptions, Options, Platform};
use memfold::extract::drafts;
use memfold::mail::{Account, HostCharset, Vouched, read_vouched};
use memfold::model::{Memory, Time, Zone};
use memfold::store::MemoryStore;
use serde_json::Value;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// Mailboxes with a ledger.
pub const MAILBOXES: [&str; 12] =
    ["byeol", "dalbit", "fenland", "garam", "harbour", "jangmi", "maru", "narae", "neoul", "quay", "reed", "somok"];
/// Mailboxes of which is known in which versions their facts were told.
pub const EXPECTED: [&str; 3] = ["platform", "sample", "studio"];
/// From that share of runs in common on a text says what a quote says.
const ALIKE: f64 = 0.6;
/// Letters of a run, and the fewest runs of a text that may be a piece of a quote.
const RUN: usize = 3;
const FEWEST: usize = 8;

/// A draft beside one memory, with what is known of the two.
pub struct Labelled {
    pub set: &'static str,
    pub draft: usize,
    pub marks: Vec<usize>,
    /// Whether the draft changes a fact that the memory tells.
    pub worth: bool,
    pub weight: f64,
}

/// A clock that ticks a millisecond a look, and a seed that counts.
#[derive(Debug, Default)]
struct Counted(Cell<u64>);

impl Platform for Counted {
    fn now(&self) -> Time {
        self.0.set(self.0.get() + 1);
        Time::from_millis(1_830_297_600_000 + self.0.get() as i64)
    }
    fn ticks(&self) -> f64 {
        self.0.get() as f64
    }
    fn seed(&self) -> [u8; 16] {
        self.0.set(self.0.get() + 1);
        let mut seed = [0; 16];
        seed[8..].copy_from_slice(&self.0.get().to_be_bytes());
        seed
    }
}

/// What a mail says of a fact.
struct Said {
    fact: String,
    words: Words,
    updates: bool,
}

/// How a text is known to say it.
enum Words {
    /// By the runs of a quote.
    Quote(HashMap<String, u32>),
    /// By needles, of which it holds one each.
    Needles(Value),
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/inbox/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// What the histories of a mailbox tell, where it has no ledger.
fn histories(expected: &Value) -> HashMap<String, Vec<Said>> {
    let mut book: HashMap<String, Vec<Said>> = HashMap::new();
    for history in expected["history"].as_array().unwrap() {
        let fact = history["fact"].as_str().unwrap();

        let steps = history["messages"].as_array().unwrap().iter().zip(history["anyOf"].as_array().unwrap());
        for (n, (message, version)) in steps.enumerate() {
            let words = Words::Needles(Value::Array(vec![version.clone()]));
            let said = Said { fact: fact.to_owned(), words, updates: n > 0 };
            book.entry(message.as_str().unwrap().to_owned()).or_default().push(said);
        }
    }
    book
}

fn ledger(set: &str) -> HashMap<String, Vec<Said>> {
    let text = String::from_utf8(file(&format!("{set}.ledger.jsonl"))).unwrap();
    let line = |line: &str| {
        let mail: Value = serde_json::from_str(line).unwrap();
        let said = |s: &Value| Said {
            fact: s["fact"].as_str().unwrap().to_owned(),
            words: Words::Quote(runs(s["quote"].as_str().unwrap())),
            updates: s["is"] == "update",
        };
        (mail["message"].as_str().unwrap().to_owned(), mail["says"].as_array().unwrap().iter().map(said).collect())
    };
    text.lines().map(line).collect()
}

/// The runs of letters of a text, each with how often it comes.
fn runs(text: &str) -> HashMap<String, u32> {
    let letters: Vec<char> = text.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect();
    let mut out = HashMap::new();
    for run in letters.windows(RUN.min(letters.len().max(1))) {
        *out.entry(run.iter().collect()).or_default() += 1;
    }
    out
}

fn is_said(words: &Words, text: &str) -> bool {
    let quote = match words {
        Words::Quote(quote) => quote,
        Words::Needles(needles) => return held(text, needles) == needles.as_array().map_or(0, Vec::len),
    };
    let text = runs(text);
    let both: u32 = quote.iter().map(|(run, n)| *n.min(text.get(run).unwrap_or(&0))).sum();
    let share = |of: &HashMap<String, u32>| f64::from(both) / f64::from(of.values().sum::<u32>().max(1));
    share(quote) >= ALIKE || text.values().sum::<u32>() as usize >= FEWEST && share(&text) >= ALIKE
}

/// The facts that a mail tells in a text; all, or those that it changes.
fn facts<'a>(book: &'a HashMap<String, Vec<Said>>, mail: &str, text: &str, updates: bool) -> HashSet<&'a str> {
    let said = book.get(mail).into_iter().flatten();
    said.filter(|s| (!updates || s.updates) && is_said(&s.words, text)).map(|s| s.fact.as_str()).collect()
}

fn told<'a>(book: &'a HashMap<String, Vec<Said>>, m: &Memory) -> HashSet<&'a str> {
    let of = |s: &memfold::model::Statement| facts(book, s.source.as_deref().unwrap_or_default(), &s.text, false);
    m.statements.iter().flat_map(of).collect()
}

/// All pairs of a mailbox, in the order of its mails.
pub fn of(set: &'static str) -> Vec<Labelled> {
    let expected: Value = serde_json::from_slice(&file(&format!("{set}.expect.json"))).unwrap();
    let owner = vec![expected["me"].as_str().unwrap().to_owned()];
    let zone = Zone::from_minutes(540);
    let account = Account { owner: owner.clone(), zone: Some(zone), ..Account::default() };
    let options = Options { policy: Policy::BALANCED, owner, zone, ..Options::default() };
    let engine = Engine::open(MemoryStore::default(), HashingEmbedder, Counted::default(), options);
    let engine = block_on(engine).unwrap();
    let book = if EXPECTED.contains(&set) { histories(&expected) } else { ledger(set) };
    let mut intake = engine.intake(IngestOptions::default());
    let mut pieces = intake.push(&file(&format!("{set}.mbox")));
    pieces.extend(intake.finish());
    let vouched = Vouched { labelled: true, ..Vouched::default() };
    let (mut out, mut count) = (Vec::new(), 0);
    for piece in pieces {
        let mail = piece.raw.clone().and_then(|raw| read_vouched(&raw, &HostCharset, &vouched));
        for draft in mail.iter().flat_map(|mail| drafts(mail, &account)) {
            let changes = facts(&book, draft.source_id.as_deref().unwrap_or_default(), &draft.content, true);
            for (memory, marked) in block_on(engine.may_change(&draft)).unwrap() {
                let worth = told(&book, &memory).iter().any(|fact| changes.contains(fact));
                out.push(Labelled { set, draft: count, marks: marked.there, worth, weight: 1.0 });
            }
            count += 1;
        }
        block_on(engine.ingest_all(&mut intake, vec![piece], &HostCharset, Cancel::default())).unwrap();
    }
    out
}
