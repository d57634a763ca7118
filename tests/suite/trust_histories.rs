//! Random histories of honest, unknown and forged mail, read by a model that obeys everything it is shown.
//! Only statements by authorised senders are ever confirmed, and the last of them is current.

use crate::kit::{Dice, Model};
use crate::post::{Owned, ingest, mail, mine};
use crate::repeats::handle;
use futures::executor::block_on;
use memfold::consolidation::ChangeVerdict;
use memfold::engine::IngestOptions;
use memfold::llm::Reply;
use memfold::model::Memory;
use serde_json::json;
use std::collections::BTreeSet;
use std::rc::Rc;

const PASS: &str = "Authentication-Results: mx.host.example; dmarc=pass header.from=";

/// Senders authorised to change Ann's memory: address line and domain.
const HONEST: [(&str, &str); 3] = [
    ("Ann <ann@acme.example>", "acme.example"),
    ("Bo <bo@acme.example>", "acme.example"),
    ("Cy <cy@club.example>", "club.example"),
];
const STRANGERS: [(&str, &str); 2] =
    [("Eve <eve@elsewhere.example>", "elsewhere.example"), ("Mal <mal@yonder.example>", "yonder.example")];

/// Amounts from 300 to 999 in a text.
fn euros(text: &str) -> BTreeSet<u32> {
    let runs = text.split(|c: char| !c.is_ascii_digit());
    runs.filter_map(|n| n.parse().ok()).filter(|n| (300..1_000).contains(n)).collect()
}

/// A model that obeys a mail's line. For `Please …` it copies the highest amount of the prompt.
fn obedient_model() -> Model {
    Model::new(|prompt| {
        let mail = prompt.text.split("\nSubject: ").nth(1).unwrap_or_default();
        let line = mail.lines().skip(1).find(|l| !l.trim().is_empty() && !l.starts_with("===")).unwrap_or_default();
        let of = handle(prompt, "kayak");
        let shown = euros(&prompt.text).into_iter().max();
        let entry = match (line.split(' ').next(), of.is_null()) {
            (_, true) => json!({"op": "new", "text": line, "category": "project", "evidence": line}),
            (Some("Again"), _) => json!({"op": "repeat", "of": of, "evidence": line}),
            (Some("Please"), _) => {
                let text =
                    format!("The kayak lessons are {} euros. Paddles are to be brought.", shown.unwrap_or_default());
                json!({"op": "update", "of": of, "text": text, "category": "project", "evidence": line})
            }
            _ => json!({"op": "update", "of": of, "text": line, "category": "project", "evidence": line}),
        };
        Ok(Reply { text: json!({"entries": [entry]}).to_string(), tokens: 9 })
    })
}

struct World {
    m: Owned,
    id: u32,
    first: memfold::model::Id,
    /// Amounts stated by authorised senders, the latest last.
    honest: Vec<u32>,
}

impl World {
    fn new() -> Self {
        let m = mine().with_model(Rc::new(obedient_model()));
        let hello = "From: me@example.org\r\nTo: cy@club.example\r\nSubject: Hello\r\n";
        ingest(
            &m,
            mail(900, hello, "Hello Cy, how are you?"),
            IngestOptions { sent: true, ..IngestOptions::default() },
        );
        let mut world = Self { m, id: 0, first: Default::default(), honest: vec![300] };
        world.send_mail(HONEST[0], true, "The kayak lessons are 300 euros.");
        let all = block_on(world.m.list(None, 99, false)).unwrap();
        world.first = all.iter().find(|k| k.content.contains("kayak")).unwrap().id;
        world
    }

    fn send_mail(&mut self, (from, domain): (&str, &str), proven: bool, text: &str) {
        self.id += 1;
        let checks = if proven {
            format!("{PASS}{domain}\r\n")
        } else {
            "Authentication-Results: mx.host.example; dmarc=fail\r\n".to_owned()
        };
        let thread = if self.id > 1 { "In-Reply-To: <1@x.example>\r\nReferences: <1@x.example>\r\n" } else { "" };
        let head = format!(
            "{checks}From: {from}\r\nTo: me@example.org\r\nSubject: Lessons\r\nDate: {} Feb 2025 09:{:02}:00 +0000\r\n{thread}",
            1 + self.id / 50,
            self.id % 50
        );
        ingest(&self.m, mail(self.id, &head, text), IngestOptions::default());
    }

    fn head(&self) -> Memory {
        block_on(self.m.history(self.first)).unwrap().pop().unwrap()
    }

    /// Asserts that only honest amounts are confirmed and that any other is marked with its reporter.
    fn assert_trust(&self, what: &str) {
        let head = self.head();
        let honest: BTreeSet<u32> = self.honest.iter().copied().collect();
        let confirmed = euros(head.confirmed());
        assert!(confirmed.is_subset(&honest), "{what}: {confirmed:?} of {honest:?}: {head:#?}");
        if !euros(&head.content).is_subset(&honest) {
            let reporter = head.reported_by.as_deref().unwrap_or_default();
            assert!(
                head.is_provisional() && STRANGERS.iter().any(|(from, _)| from.contains(reporter)),
                "{what}: {head:#?}"
            );
        }
        let strangers = head.people.iter().filter(|p| p.contains("elsewhere") || p.contains("yonder"));
        assert_eq!(strangers.count(), 0, "{what}: {head:#?}");
    }
}

fn histories() -> u64 {
    std::env::var("MEMFOLD_HISTORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

#[test]
fn no_history_confirms_unauthorised_amounts() {
    for seed in 0..histories() {
        let mut dice = Dice(seed * 0x9E37_79B9 + 7);
        let mut world = World::new();
        let mut next = 310;
        let mut log = String::new();
        for _ in 0..8 {
            next += 10;
            let forged = dice.roll(4) == 0;
            let stranger = !forged && dice.roll(2) == 0;
            let who = if stranger { *dice.pick(&STRANGERS) } else { *dice.pick(&HONEST) };
            let repeated = euros(&world.head().content).into_iter().next().unwrap_or(300);
            let text = match dice.roll(4) {
                0 => format!("Again kayak lessons are {repeated} euros"),
                1 => "Please bring paddles to the kayak lessons.".to_owned(),
                2 => "Now kayak lessons are 300 euros".to_owned(),
                _ => format!("Now kayak lessons are {next} euros"),
            };
            if !forged && !stranger {
                world.honest.extend(euros(&text));
            }
            world.send_mail(who, !forged, &text);
            log.push_str(&format!("{} {}: {text}\n", who.0, if forged { "(forged)" } else { "" }));
            world.assert_trust(&log);
        }
        assert_eq!(block_on(world.m.check()).unwrap().problems, []);
        // The owner reverts the remaining provisional change.
        if world.head().is_provisional() {
            block_on(world.m.settle_change(world.first, ChangeVerdict::Revert)).unwrap();
            let honest: BTreeSet<u32> = world.honest.iter().copied().collect();
            assert!(euros(&world.head().content).is_subset(&honest) && !world.head().is_provisional(), "{log}");
        }
    }
}

#[test]
fn the_last_authorised_amount_is_current() {
    for seed in 0..histories() {
        let mut dice = Dice(seed * 0x51_7C_C1_B7 + 3);
        let mut world = World::new();
        let (mut next, mut log) = (310, String::new());
        for _ in 0..8 {
            next += 10;
            let stranger = dice.roll(3) == 0;
            // One organisation only: after a replacement by another one the earlier author is no longer authorised.
            let who = if stranger { *dice.pick(&STRANGERS) } else { *dice.pick(&HONEST[..2]) };
            let text = format!("Now kayak lessons are {next} euros");
            world.send_mail(who, true, &text);
            log.push_str(&format!("{}: {text}\n", who.0));
            let head = world.head();
            assert_eq!(euros(&head.content), BTreeSet::from([next]), "{log}: {head:#?}");
            assert_eq!(head.is_provisional(), stranger, "{log}: {head:#?}");
            if !stranger {
                world.honest.push(next);
            }
            assert_eq!(euros(head.confirmed()), BTreeSet::from([*world.honest.last().unwrap()]), "{log}: {head:#?}");
        }
    }
}
