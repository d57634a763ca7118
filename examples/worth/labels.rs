//! Parts of mails, labelled by whether a careful person would keep them. Labels come from the quotes of a ledger, or
//! else from the expected needles.

use crate::cases;
use crate::needles::held;
use memfold::extract::{WEIGHED_BY, Weighed, drafts, weighed};
use memfold::language::ngrams;
use memfold::mail::{Account, HostCharset, Mail, Mailbox, Vouched, read_vouched};
use memfold::model::Zone;
use serde_json::Value;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// Mailboxes with a ledger.
pub const LEDGERS: [&str; 12] =
    ["byeol", "dalbit", "fenland", "garam", "harbour", "jangmi", "maru", "narae", "neoul", "quay", "reed", "somok"];
/// Held-out mailboxes, never fitted on.
const HELD_OUT: [&str; 10] =
    ["bada", "copper", "hanok", "larkin", "mosby", "noru", "sandeul", "solbat", "tidal", "wren"];
/// Mailboxes whose expected facts are known, but not the parts that state them.
pub const EXPECTED: [&str; 3] = ["platform", "sample", "studio"];
/// The single mails.
const CASES: &str = "cases";
/// Weight of a part that has no expected fact, in a mail that has one. It may be worth keeping too.
const UNMATCHED_WEIGHT: f64 = 0.3;

/// A part with its label and features.
pub struct Labelled {
    pub set: &'static str,
    pub marks: Vec<usize>,
    pub runs: Vec<u32>,
    pub worth: bool,
    pub weight: f64,
}

impl Labelled {
    fn new(set: &'static str, part: Weighed, worth: bool, weight: f64) -> Self {
        Self { set, runs: ngrams(&part.text, WEIGHED_BY.1), marks: part.marks, worth, weight }
    }
}

pub fn sets() -> impl Iterator<Item = &'static str> {
    LEDGERS.into_iter().chain(EXPECTED).chain([CASES])
}

pub fn all() -> Vec<Labelled> {
    let mut out = Vec::new();
    LEDGERS.into_iter().for_each(|set| by_ledger(set, &mut out));
    EXPECTED.into_iter().for_each(|set| by_needles(set, &mut out));
    by_cases(&mut out);
    out
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/inbox/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The mails of a mailbox with their parts, and the expected facts.
fn mailbox(set: &str) -> (Vec<(Mail, Vec<Weighed>)>, Value) {
    let expected: Value = serde_json::from_slice(&file(&format!("{set}.expect.json"))).unwrap();
    let account = account(expected["me"].as_str().unwrap());
    let mut reader = Mailbox::new();
    let mut pieces = reader.push(&file(&format!("{set}.mbox")));
    pieces.extend(reader.finish());
    let vouched = Vouched { labelled: true, ..Vouched::default() };
    let mails = pieces.into_iter().filter_map(|p| read_vouched(&p.raw.ok()?, &HostCharset, &vouched).ok());
    let mails = mails.map(|mail| {
        let parts = weighed(&mail, &account);
        (mail, parts)
    });
    (mails.collect(), expected)
}

fn account(owner: &str) -> Account {
    Account { owner: vec![owner.to_owned()], zone: Some(Zone::from_minutes(540)), ..Account::default() }
}

/// The quotes of a ledger, by message id.
fn quotes(set: &str) -> HashMap<String, Vec<String>> {
    let text = String::from_utf8(file(&format!("{set}.ledger.jsonl"))).unwrap();
    let one = |line: &str| {
        let mail: Value = serde_json::from_str(line).unwrap();
        let said = mail["says"].as_array().unwrap().iter().map(|s| folded(s["quote"].as_str().unwrap())).collect();
        (mail["message"].as_str().unwrap().to_owned(), said)
    };
    text.lines().map(one).collect()
}

/// Counts for a mailbox with a ledger: quotes that a draft contains, all quotes, drafts without a quote, mails. With
/// `show`, prints all drafts.
pub fn drafted(set: &str, show: bool) -> [usize; 4] {
    let (quotes, mut counts) = (quotes(set), [0; 4]);
    let (mails, expected) = mailbox(set);
    let account = account(expected["me"].as_str().unwrap());
    for (mail, _) in mails {
        let (said, drafts) = (quotes.get(&mail.message_id).cloned().unwrap_or_default(), drafts(&mail, &account));
        let texts: Vec<String> =
            drafts.iter().map(|d| folded(d.evidence.as_ref().map_or(&d.content, |e| &e.text))).collect();
        let holds = |quote: &String| texts.iter().any(|t| is_quoted(t, std::slice::from_ref(quote)));
        counts[0] += said.iter().filter(|q| holds(q)).count();
        counts[1] += said.len();
        counts[3] += 1;
        for (draft, text) in drafts.iter().zip(&texts) {
            let idle = !is_quoted(text, &said);
            counts[2] += usize::from(idle);
            if show {
                println!("{} [{}] {}", if idle { "-" } else { "+" }, draft.category.as_str(), draft.content);
            }
        }
    }
    counts
}

/// The mailboxes that [`drafted`] can count.
pub fn counted() -> impl Iterator<Item = String> {
    LEDGERS.into_iter().map(str::to_owned).chain(HELD_OUT.into_iter().map(|name| format!("kept/{name}")))
}

fn by_ledger(set: &'static str, out: &mut Vec<Labelled>) {
    let quotes = quotes(set);
    for (mail, parts) in mailbox(set).0 {
        let Some(quotes) = quotes.get(&mail.message_id) else { continue };
        for part in parts {
            let worth = is_quoted(&folded(&part.text), quotes);
            out.push(Labelled::new(set, part, worth, 1.0));
        }
    }
}

fn folded(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace()).collect()
}

/// Whether the part contains a quote or a long run of it, or is itself part of a quote.
fn is_quoted(part: &str, quotes: &[String]) -> bool {
    let length = part.chars().count();
    quotes.iter().filter(|q| !q.is_empty() && length >= 3).any(|quote| {
        let run = 12.min(quote.chars().count() / 2);
        let chars: Vec<char> = quote.chars().collect();
        let in_runs = || chars.windows(run).step_by(2).any(|w| part.contains(&w.iter().collect::<String>()));
        part.contains(quote.as_str()) || length > 4 && quote.contains(part) || length > 12 && run >= 6 && in_runs()
    })
}

fn by_needles(set: &'static str, out: &mut Vec<Labelled>) {
    let (mails, expected) = mailbox(set);
    let mut told: HashMap<&str, Vec<Value>> = HashMap::new();
    for (list, needles) in [("current", "anyOf"), ("notCurrent", "needles")] {
        for fact in expected[list].as_array().unwrap() {
            for message in fact["messages"].as_array().into_iter().flatten() {
                told.entry(message.as_str().unwrap()).or_default().push(fact[needles].clone());
            }
        }
    }
    for history in expected["history"].as_array().unwrap() {
        let steps = history["messages"].as_array().unwrap().iter().zip(history["anyOf"].as_array().unwrap());
        for (message, version) in steps {
            told.entry(message.as_str().unwrap()).or_default().push(Value::Array(vec![version.clone()]));
        }
    }
    for (mail, parts) in mails {
        let wants = told.get(mail.message_id.as_str());
        label(set, parts, wants.map_or(&[], Vec::as_slice), if wants.is_some() { UNMATCHED_WEIGHT } else { 1.0 }, out);
    }
}

fn by_cases(out: &mut Vec<Labelled>) {
    let account = account("me@home.example");
    for line in cases::FILES.into_iter().flat_map(str::lines) {
        let case: Value = serde_json::from_str(line).unwrap();
        let sent = case["from"].as_str().is_some_and(|f| f.contains("me@home.example"));
        let vouched = Vouched { sent, ..Vouched::default() };
        let mail = read_vouched(cases::raw(&case).as_bytes(), &HostCharset, &vouched).unwrap();
        let wants: Vec<Value> = case["want"].as_array().unwrap().iter().map(|w| w["any"].clone()).collect();
        label(CASES, weighed(&mail, &account), &wants, 1.0, out);
    }
}

/// Labels the parts that contain the most of each expected fact as worth keeping. The others get the weight `beside`.
fn label(set: &'static str, parts: Vec<Weighed>, wants: &[Value], beside: f64, out: &mut Vec<Labelled>) {
    let mut worth = vec![false; parts.len()];
    for want in wants {
        let counts: Vec<usize> = parts.iter().map(|p| held(&p.text, want)).collect();
        let most = counts.iter().max().copied().filter(|m| *m > 0);
        worth.iter_mut().zip(&counts).for_each(|(w, c)| *w |= Some(*c) == most);
    }
    for (part, worth) in parts.into_iter().zip(worth) {
        out.push(Labelled::new(set, part, worth, if worth { 1.0 } else { beside }));
    }
}
