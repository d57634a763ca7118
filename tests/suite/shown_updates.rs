//! Random histories of what may change a memory: the next mail is always read beside what was written last.
//!
//! `MEMFOLD_HISTORIES` sets how many; 30 where absent.

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

/// What the mails are about, and how a value of it is told.
const MATTERS: [(&str, &str); 6] = [
    ("Heron", "The budget of the Heron project is # euros for the year."),
    ("Otter", "The workshop of the Otter group takes # hours in all."),
    ("Linden", "The lease of the Linden flat costs # pounds a month."),
    ("가람", "가람 다리 공사의 예산은 모두 #만 원으로 정해져 있다."),
    ("노을", "노을 캠프는 한 번에 받는 정원이 모두 #명이라고 한다."),
    ("두레", "두레 모임은 매달 첫날에 회비를 #원씩 내기로 되어 있다."),
];

/// Who writes: the owner, two of one firm, one of another, one whom nobody knows.
const PEOPLE: [&str; 5] = [
    "me <me@example.org>",
    "Ana <ana@firm.example>",
    "Ben <ben@firm.example>",
    "Kim <kim@partner.example>",
    "Zed <zed@elsewhere.example>",
];

fn matter_of(text: &str) -> Option<usize> {
    MATTERS.iter().position(|(name, _)| text.contains(name))
}

fn told(matter: usize, value: usize) -> String {
    MATTERS[matter].1.replace('#', &value.to_string())
}

/// Reads a mail of one line as an update of whatever is shown of its matter, else as something new.
fn reads(prompt: &Prompt) -> Result<Reply, Refusal> {
    if prompt.task != Task::Mail {
        return Err(Refusal::Failed);
    }
    let said = prompt.text.split("MAIL").nth(1).unwrap();
    let of_a_matter = |l: &&str| MATTERS.iter().any(|(_, text)| l.starts_with(text.split('#').next().unwrap()));
    let line = said.lines().find(of_a_matter).unwrap();
    let shown = prompt.candidates.iter().find(|c| matter_of(&c.content) == matter_of(line));
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
    told: Vec<String>,
}

impl History {
    fn new(seed: u64) -> Self {
        let model = Model::new(reads);
        let m = with(|_| {}).with_model(Rc::new(model.clone()));
        Self { m, model, dice: Dice(seed), mails: 0, told: Vec::new() }
    }

    fn log(&self) -> Vec<LogEntry> {
        block_on(self.m.log(&LogQuery::default())).unwrap()
    }

    /// A mail about a matter; seldom one that comes late. It is read, and what it was read beside is checked.
    fn mail(&mut self) {
        let (matter, value) = (self.dice.roll(3) + 3 * self.dice.roll(2), 10 + self.dice.roll(90));
        let who = *self.dice.pick(&PEOPLE);
        let late = if self.dice.roll(6) == 0 { self.dice.roll(40) as u32 } else { 0 };
        self.mails += 1;
        let day = (self.mails + 30).saturating_sub(late).max(1);
        let date =
            format!("{:02} {} 2025", day % 28 + 1, ["Feb", "Mar", "Apr", "May", "Jun", "Jul"][(day / 28) as usize]);
        let head = format!(
            "From: {who}\r\nTo: {}\r\nSubject: {}\r\nDate: {date} 09:{:02}:00 +0000\r\nReferences: <t{}@x.example>",
            if self.dice.roll(3) == 0 { "ana@firm.example, me@example.org" } else { "me@example.org" },
            MATTERS[matter].0,
            self.mails % 60,
            if self.dice.roll(2) == 0 { matter } else { 100 + self.mails as usize },
        );
        let text = told(matter, value);
        self.told.push(format!("{date}{} {who}: {text}", if late > 0 { " (late)" } else { "" }));
        let before = block_on(self.m.list(None, 1_000, true)).unwrap();
        let log = self.log();
        ingest(&self.m, mail(self.mails, &head, &text), IngestOptions::default());
        let prompts = self.model.prompts();
        if prompts.last().is_some_and(|p| p.source.as_deref() == Some(&format!("<{}@x.example>", self.mails))) {
            self.check(prompts.last().unwrap(), &before, &log);
        }
    }

    fn note(&mut self) {
        let (matter, value) = (self.dice.roll(6), 10 + self.dice.roll(90));
        let text = told(matter, value);
        self.told.push(format!("note: {text}"));
        let turn = Turn { role: Role::User, content: text, at: None };
        block_on(self.m.add(&[turn], &AddOptions::default(), Cancel::default())).unwrap();
    }

    fn edit(&mut self) {
        let now = current(&self.m);
        if now.is_empty() {
            return;
        }
        let one = self.dice.pick(&now).clone();
        if let Some(matter) = matter_of(&one.content) {
            let text = told(matter, 10 + self.dice.roll(90));
            self.told.push(format!("edit {} -> {text}", one.content));
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
        // That both are right is no answer here, and nothing is taken away from under what goes on from it.
        let is_last =
            log.iter().rfind(|e| matter_of(&e.input) == matter_of(&one.input)).is_some_and(|e| e.id == one.id);
        let verdict = match (one.decision, self.dice.roll(2)) {
            (_, 0) if is_last => OwnerVerdict::Reject,
            (Decision::Update, _) => OwnerVerdict::Accept,
            _ => OwnerVerdict::Change(Decision::Update),
        };
        let id = one.id;
        self.told.push(format!("review {verdict:?}: {}", one.input));
        // What was built on cannot be taken back.
        let _ = block_on(self.m.review(id, verdict, &ReviewOptions::default()));
    }

    fn undo(&mut self) {
        let log = self.log();
        if let Some(last) = log.last() {
            self.told.push(format!("undo: {}", last.input));
            let _ = block_on(self.m.undo(last.id));
        }
    }

    /// No text that a written version has taken the place of is shown as what holds, and none stands in the place of a later one.
    fn check(&self, prompt: &Prompt, before: &[Memory], log: &[LogEntry]) {
        let holds = |m: &Memory| m.superseded_by.is_none() && m.deleted_at.is_none();
        let waits =
            |text: &str| log.iter().any(|e| e.needs_review && e.draft.as_ref().is_some_and(|d| d.content == text));
        for shown in &prompt.candidates {
            let all: Vec<&Memory> = before.iter().filter(|m| m.content == shown.content).collect();
            let stands = all.iter().any(|m| holds(m)) || waits(&shown.content);
            assert!(stands, "superseded: {}\n{}", shown.content, self.told.join("\n"));
            // The last version that was written of it, unless what is shown was said later.
            let Some(matter) = matter_of(&shown.content) else { continue };
            let is_read = |e: &LogEntry| e.reasons.contains(&Reason::ModelRead);
            let versions =
                log.iter().filter(|e| is_read(e) && e.decision == Decision::Update && e.status == Status::Success);
            let written = versions.filter_map(|e| before.iter().find(|m| Some(m.id) == e.memory_id));
            let newest =
                written.filter(|m| holds(m) && matter_of(&m.content) == Some(matter)).max_by_key(|m| m.own_time());
            let Some(newest) = newest else { continue };
            let said = all.iter().filter(|m| holds(m)).map(|m| m.own_time()).max();
            let is_older = said.is_some_and(|said| said < newest.own_time());
            let is_shown = prompt.candidates.iter().any(|c| c.content == newest.content);
            let log: Vec<String> =
                log.iter().filter(|e| matter_of(&e.input) == Some(matter)).map(|e| tells(e, before)).collect();
            assert!(
                !is_older || is_shown || waits(&shown.content),
                "{} stands in the place of {}\n{}\n{}",
                shown.content,
                newest.content,
                self.told.join("\n"),
                log.join("\n")
            );
        }
    }
}

/// A log entry in a line.
fn tells(e: &LogEntry, all: &[Memory]) -> String {
    let text = |id: Option<Id>| all.iter().find(|m| Some(m.id) == id).map_or("-", |m| m.content.as_str());
    let (target, made) = (text(e.target_id), text(e.memory_id));
    let review = if e.needs_review { " review" } else { "" };
    format!("  {:?} {:?}{review}: {} | target {target} | made {made} | {:?}", e.decision, e.status, e.input, e.reasons)
}

#[test]
fn every_prompt_shows_what_was_written_last() {
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
