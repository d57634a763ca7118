//! Random histories of changes: the prompt for the next mail must show the newest version of each memory.
//!
//! `MEMFOLD_HISTORIES` sets their number (default 30).

use crate::kit::{Dice, Model};
use crate::post::{Owned, current, ingest, mail, with};
use futures::executor::block_on;
use memfold::consolidation::{LogEntry, OwnerVerdict, ReviewOptions, Status};
use memfold::decision::{Decision, Prompt, Reason, Refusal, Task};
use memfold::engine::{AddOptions, Cancel, IngestOptions, LogQuery, Role, Turn};
use memfold::llm::Reply;
use memfold::model::{Id, Memory, Metadata};
use serde_json::{Value, json};
use std::rc::Rc;

/// Topics of the mails, each with a sentence that states its value.
const TOPICS: [(&str, &str); 6] = [
    ("Heron", "The budget of the Heron project is # euros for the year."),
    ("Otter", "The workshop of the Otter group takes # hours in all."),
    ("Linden", "The lease of the Linden flat costs # pounds a month."),
    ("가람", "가람 다리 공사의 예산은 모두 #만 원으로 정해져 있다."),
    ("노을", "노을 캠프는 한 번에 받는 정원이 모두 #명이라고 한다."),
    ("두레", "두레 모임은 매달 첫날에 회비를 #원씩 내기로 되어 있다."),
];

/// Senders: the owner, two colleagues of one firm, one of another firm and a stranger.
const PEOPLE: [&str; 5] = [
    "me <me@example.org>",
    "Ana <ana@firm.example>",
    "Ben <ben@firm.example>",
    "Kim <kim@partner.example>",
    "Zed <zed@elsewhere.example>",
];

fn topic_of(text: &str) -> Option<usize> {
    TOPICS.iter().position(|(name, _)| text.contains(name))
}

fn state_value(topic: usize, value: usize) -> String {
    TOPICS[topic].1.replace('#', &value.to_string())
}

/// Replies that a one-line mail updates the shown memory of its topic, else that it is new.
fn reply_by_topic(prompt: &Prompt) -> Result<Reply, Refusal> {
    if prompt.task != Task::Mail {
        return Err(Refusal::Failed);
    }
    let said = prompt.text.split("MAIL").nth(1).unwrap();
    let of_a_matter = |l: &&str| TOPICS.iter().any(|(_, text)| l.starts_with(text.split('#').next().unwrap()));
    let line = said.lines().find(of_a_matter).unwrap();
    let shown = prompt.candidates.iter().find(|c| topic_of(&c.content) == topic_of(line));
    let again = shown.is_some_and(|c| c.content == line);
    let op = if again {
        "repeat"
    } else if shown.is_some() {
        "update"
    } else {
        "new"
    };
    let text = if again { Value::Null } else { json!(line) };
    let entry = json!({"op": op, "of": shown.map(|c| c.handle), "text": text, "category": "project", "evidence": line});
    Ok(Reply { text: json!({"entries": [entry]}).to_string(), tokens: 10 })
}

struct History {
    m: Owned,
    model: Model,
    dice: Dice,
    mails: u32,
    actions: Vec<String>,
}

impl History {
    fn new(seed: u64) -> Self {
        let model = Model::new(reply_by_topic);
        let m = with(|_| {}).with_model(Rc::new(model.clone()));
        Self { m, model, dice: Dice(seed), mails: 0, actions: Vec::new() }
    }

    fn log(&self) -> Vec<LogEntry> {
        block_on(self.m.log(&LogQuery::default())).unwrap()
    }

    /// Ingests a random mail, sometimes a late one, and checks the memories that its prompt showed.
    fn mail(&mut self) {
        let (topic, value) = (self.dice.roll(3) + 3 * self.dice.roll(2), 10 + self.dice.roll(90));
        let who = *self.dice.pick(&PEOPLE);
        let late = if self.dice.roll(6) == 0 { self.dice.roll(40) as u32 } else { 0 };
        self.mails += 1;
        let day = (self.mails + 30).saturating_sub(late).max(1);
        let date =
            format!("{:02} {} 2025", day % 28 + 1, ["Feb", "Mar", "Apr", "May", "Jun", "Jul"][(day / 28) as usize]);
        let head = format!(
            "From: {who}\r\nTo: {}\r\nSubject: {}\r\nDate: {date} 09:{:02}:00 +0000\r\nReferences: <t{}@x.example>",
            if self.dice.roll(3) == 0 { "ana@firm.example, me@example.org" } else { "me@example.org" },
            TOPICS[topic].0,
            self.mails % 60,
            if self.dice.roll(2) == 0 { topic } else { 100 + self.mails as usize },
        );
        let text = state_value(topic, value);
        self.actions.push(format!("{date}{} {who}: {text}", if late > 0 { " (late)" } else { "" }));
        let before = block_on(self.m.list(None, 1_000, true)).unwrap();
        let log = self.log();
        ingest(&self.m, mail(self.mails, &head, &text), IngestOptions::default());
        let prompts = self.model.prompts();
        if prompts.last().is_some_and(|p| p.source.as_deref() == Some(&format!("<{}@x.example>", self.mails))) {
            self.check(prompts.last().unwrap(), &before, &log);
        }
    }

    fn note(&mut self) {
        let (topic, value) = (self.dice.roll(6), 10 + self.dice.roll(90));
        let text = state_value(topic, value);
        self.actions.push(format!("note: {text}"));
        let turn = Turn { role: Role::User, content: text, at: None };
        block_on(self.m.add(&[turn], &AddOptions::default(), Cancel::default())).unwrap();
    }

    fn edit(&mut self) {
        let now = current(&self.m);
        if now.is_empty() {
            return;
        }
        let one = self.dice.pick(&now).clone();
        if let Some(topic) = topic_of(&one.content) {
            let text = state_value(topic, 10 + self.dice.roll(90));
            self.actions.push(format!("edit {} -> {text}", one.content));
            block_on(self.m.update(one.id, &text, &Metadata::default())).unwrap();
        }
    }

    fn review(&mut self) {
        let log = self.log();
        let open: Vec<&LogEntry> = log.iter().filter(|e| e.needs_review && e.about.is_none()).collect();
        if open.is_empty() {
            return;
        }
        let one = *self.dice.pick(&open);
        // Reject only a topic's last entry, so that no later entry loses its base.
        let is_last = log.iter().rfind(|e| topic_of(&e.input) == topic_of(&one.input)).is_some_and(|e| e.id == one.id);
        let verdict = match (one.decision, self.dice.roll(2)) {
            (_, 0) if is_last => OwnerVerdict::Reject,
            (Decision::Update, _) => OwnerVerdict::Accept,
            _ => OwnerVerdict::Change(Decision::Update),
        };
        let id = one.id;
        self.actions.push(format!("review {verdict:?}: {}", one.input));
        // The review fails if later entries depend on this one.
        let _ = block_on(self.m.review(id, verdict, &ReviewOptions::default()));
    }

    fn undo(&mut self) {
        let log = self.log();
        if let Some(last) = log.last() {
            self.actions.push(format!("undo: {}", last.input));
            let _ = block_on(self.m.undo(last.id));
        }
    }

    /// Asserts that the prompt shows no superseded text, and no older text instead of the newest version.
    fn check(&self, prompt: &Prompt, before: &[Memory], log: &[LogEntry]) {
        let holds = |m: &Memory| m.superseded_by.is_none() && m.deleted_at.is_none();
        let waits =
            |text: &str| log.iter().any(|e| e.needs_review && e.draft.as_ref().is_some_and(|d| d.content == text));
        for shown in &prompt.candidates {
            let all: Vec<&Memory> = before.iter().filter(|m| m.content == shown.content).collect();
            let stands = all.iter().any(|m| holds(m)) || waits(&shown.content);
            assert!(stands, "superseded: {}\n{}", shown.content, self.actions.join("\n"));
            // The topic's newest version must be shown too, unless the shown text is more recent.
            let Some(topic) = topic_of(&shown.content) else { continue };
            let is_read = |e: &LogEntry| e.reasons.contains(&Reason::ModelRead);
            let versions =
                log.iter().filter(|e| is_read(e) && e.decision == Decision::Update && e.status == Status::Success);
            let written = versions.filter_map(|e| before.iter().find(|m| Some(m.id) == e.memory_id));
            let newest =
                written.filter(|m| holds(m) && topic_of(&m.content) == Some(topic)).max_by_key(|m| m.own_time());
            let Some(newest) = newest else { continue };
            let said = all.iter().filter(|m| holds(m)).map(|m| m.own_time()).max();
            let is_older = said.is_some_and(|said| said < newest.own_time());
            let is_shown = prompt.candidates.iter().any(|c| c.content == newest.content);
            let log: Vec<String> =
                log.iter().filter(|e| topic_of(&e.input) == Some(topic)).map(|e| format_entry(e, before)).collect();
            assert!(
                !is_older || is_shown || waits(&shown.content),
                "{} stands in the place of {}\n{}\n{}",
                shown.content,
                newest.content,
                self.actions.join("\n"),
                log.join("\n")
            );
        }
    }
}

/// Formats a log entry as one line.
fn format_entry(e: &LogEntry, all: &[Memory]) -> String {
    let text = |id: Option<Id>| all.iter().find(|m| Some(m.id) == id).map_or("-", |m| m.content.as_str());
    let (target, made) = (text(e.target_id), text(e.memory_id));
    let review = if e.needs_review { " review" } else { "" };
    format!("  {:?} {:?}{review}: {} | target {target} | made {made} | {:?}", e.decision, e.status, e.input, e.reasons)
}

#[test]
fn prompts_show_the_newest_versions() {
    let histories = std::env::var("MEMFOLD_HISTORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let mut updates = 0;
    for seed in 0..histories {
        let mut history = History::new(seed + 1);
        for _ in 0..30 {
            match history.dice.roll(20) {
                0..=13 => history.mail(),
                14 | 15 => history.note(),
                16 => history.edit(),
                17 | 18 => history.review(),
                _ => history.undo(),
            }
        }
        updates +=
            history.log().iter().filter(|e| e.decision == Decision::Update && e.status == Status::Success).count();
        assert!(block_on(history.m.check()).unwrap().problems.is_empty());
    }
    assert!(updates as u64 > 3 * histories, "{updates} updates in {histories} histories");
}
