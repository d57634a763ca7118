//! What the tests of the engine share: a clock and a seed that count, and an engine whose decisions the test chooses,
//! since the angle that ends a text says how like others it is.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, dead_code)]

use futures::executor::block_on;
use memfold::decision::{Policy, Prompt, Refusal};
use memfold::embed::{Embedder, HashingEmbedder};
use memfold::engine::{Engine, Options, Platform};
use memfold::llm::{Answering, Reply};
use memfold::model::Time;
use memfold::similarity::Calibration;
use memfold::store::Store;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::ready;
use std::rc::Rc;

/// New Year of 2026, after all mails of the tests.
pub const NOW: i64 = 1_767_225_600_000;

/// A clock that ticks a millisecond a look, and a seed that counts; those of one test start apart, so that their
/// engines mint other ids.
#[derive(Debug, Clone, Default)]
pub struct Fake(Cell<u64>);

impl Fake {
    pub fn from(start: u64) -> Self {
        Self(Cell::new(start))
    }
}

impl Platform for Fake {
    fn now(&self) -> Time {
        self.0.set(self.0.get() + 1);
        Time::from_millis(NOW + self.0.get() as i64)
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

/// Texts with the same first word lie in one plane, at the angle in degrees that ends them (`… @30`), or at 0.
#[derive(Debug, Clone)]
pub struct Angles;

impl Embedder for Angles {
    fn model(&self) -> &str {
        "angles"
    }
    fn calibration(&self) -> Calibration {
        Calibration::through(&[(0.0, 0.0), (1.0, 1.0)])
    }
    fn vector(&self, text: &str) -> Vec<f32> {
        let plane = text.split(' ').next().unwrap_or_default().bytes().map(usize::from).sum::<usize>() % 32;
        let degrees: f32 = text.rsplit('@').next().and_then(|n| n.parse().ok()).unwrap_or_default();
        let mut vector = vec![0.0; 64];
        (vector[2 * plane], vector[2 * plane + 1]) = (degrees.to_radians().cos(), degrees.to_radians().sin());
        vector
    }
}

pub type Memories = Engine;

/// An engine over this store that decides by the bands alone.
pub fn over(store: impl Store + 'static, from: u64) -> Memories {
    under(store, Policy::FAST, from)
}

/// The same engine under another policy.
pub fn under(store: impl Store + 'static, policy: Policy, from: u64) -> Memories {
    let options = Options { policy, ..Options::default() };
    block_on(Engine::open(store, Angles, Fake::from(from), options)).unwrap()
}

type Script = Box<dyn Fn(&Prompt) -> Result<Reply, Refusal>>;

/// A model that answers by a script and keeps what it was asked.
#[derive(Clone)]
pub struct Model {
    script: Rc<Script>,
    asked: Rc<RefCell<Vec<Prompt>>>,
}

impl Model {
    pub fn new(script: impl Fn(&Prompt) -> Result<Reply, Refusal> + 'static) -> Self {
        Self { script: Rc::new(Box::new(script)), asked: Rc::default() }
    }

    pub fn prompts(&self) -> Vec<Prompt> {
        self.asked.borrow().clone()
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Model")
    }
}

impl memfold::llm::Model for Model {
    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Answering<'a> {
        self.asked.borrow_mut().push(prompt.clone());
        Box::pin(ready((self.script)(prompt)))
    }
}

/// What the mail, or the new memory, of a prompt says.
pub fn told(prompt: &Prompt) -> &str {
    // A second try shows the question behind the first.
    let texts = [Some(&prompt.text), prompt.examples.last().map(|e| &e.text)];
    let (_, mail) = texts.into_iter().flatten().find_map(|text| text.split_once(" MAIL ")).unwrap();
    let (_, said) = mail.split_once("\nSubject: ").unwrap();
    said.split_once('\n').and_then(|(_, said)| said.rsplit_once("\n=== ")).map_or("", |(said, _)| said)
}

/// Whether a prompt is about a single new memory.
pub fn is_draft(prompt: &Prompt) -> bool {
    prompt.text.contains("one new memory") || prompt.examples.iter().any(|e| e.text.contains("one new memory"))
}

/// The entry of a reply by which the new memory of a prompt is this to the stored ones with these handles.
pub fn entry(prompt: &Prompt, outcome: &str, handles: &[&str]) -> Value {
    let said = told(prompt);
    let op = match outcome {
        "UPDATE" => "update",
        "SKIP" => "repeat",
        _ => "new",
    };
    let link = |to: &&str| json!({"to": to, "type": "reference"});
    let links: Vec<Value> = handles.iter().filter(|_| outcome == "CREATE_AND_LINK").map(link).collect();
    json!({
        "op": op, "of": if op == "new" { None } else { handles.first() }, "with": null, "gone": [], "day": null,
        "text": if op == "repeat" { None } else { Some(said) }, "category": "misc", "people": [], "links": links,
        "evidence": said, "analysis": null,
    })
}

/// A reply of these entries.
pub fn reply(entries: &[Value]) -> Reply {
    Reply { text: json!({"entries": entries}).to_string(), tokens: 7 }
}

/// An engine that reads as in use: with the built-in embedder, under this policy.
pub fn real(store: impl Store + 'static, policy: Policy, from: u64) -> Engine {
    let options = Options { policy, owner: vec!["me@b.example".into()], ..Options::default() };
    block_on(Engine::open(store, HashingEmbedder, Fake::from(from), options)).unwrap()
}

/// A model that never answers.
#[derive(Debug)]
pub struct Silent;

impl memfold::llm::Model for Silent {
    fn ask<'a>(&'a self, _: &'a Prompt) -> Answering<'a> {
        Box::pin(std::future::pending())
    }
}

/// Dice that fall the same way each time.
#[derive(Clone)]
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.roll(all.len())]
    }
}
