//! What stands in memory was said: over every inbox and over random histories, each stretch of a memory's text is a
//! stretch of a mail or note, and nothing that was struck stands in it.

use crate::kit::{self, Model};
use crate::post::{ingest, later, with};
use futures::executor::block_on;
use memfold::decision::Policy;
use memfold::engine::{Consolidate, IngestOptions};
use memfold::language::{ValueKind, values};
use memfold::mail::{HostCharset, Mailbox, Vouched, read_vouched};
use memfold::model::{BETWEEN, Draft, Memory, Source, content_of};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::rc::Rc;
use unicode_normalization::UnicodeNormalization;

/// In milliseconds: all of the mail has come by then.
const A_YEAR: u64 = 366 * 24 * 60 * 60 * 1_000;
const INBOXES: [&str; 9] = ["sample", "platform", "studio", "jangmi", "somok", "garam", "harbour", "quay", "narae"];

fn file(name: &str) -> Vec<u8> {
    fs::read(format!("{}/tests/inbox/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Letters and digits alone: blanks, breaks, marks and the dress of a text do not count.
fn bare(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

/// The stretches of a drafted text: its heading, its sentences and rows, without the days in brackets that tell which
/// day "tomorrow" was.
fn pieces(text: &str) -> Vec<String> {
    let marks = [". ", "? ", "! ", ": ", ", ", "; ", " / ", " · ", "\n"];
    let whole = vec![without_days(text)];
    marks.iter().fold(whole, |all, mark| all.iter().flat_map(|t| t.split(mark)).map(str::to_owned).collect())
}

/// A text without the days that stand in brackets.
fn without_days(text: &str) -> String {
    let mut out = text.to_owned();
    let mut from = 0;
    while let Some(end) = out[from..].find(')').map(|at| from + at) {
        let start = out[..end].rfind('(');
        let is_day = |inside: &str| {
            let kinds = values(inside, None);
            let year = inside.len() == 4 && inside.bytes().all(|b| b.is_ascii_digit());
            year || kinds.iter().any(|v| matches!(v.value.kind(), ValueKind::Date | ValueKind::Period))
        };
        match start {
            Some(start) if is_day(&out[start + 1..end]) => {
                out.replace_range(start..=end, "");
                from = start;
            }
            _ => from = end + 1,
        }
    }
    out
}

/// Every version of every memory.
fn versions(m: &memfold::engine::Engine) -> Vec<Memory> {
    let lines = block_on(m.export_pieces()).unwrap().concat();
    let memory = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        let found = record.get("memory")?;
        Some(serde_json::from_value(found.clone()).unwrap())
    };
    lines.lines().filter_map(memory).collect()
}

/// Stands between what a mail says and the names that a statement of it may be told with: who says "I", and to whom "you" is said.
const PARTIES: char = '\u{1}';

/// Holds a version's text to its statements, and each of these to what its source says.
fn sound(memory: &Memory, said: &dyn Fn(&str) -> String) -> Result<(), String> {
    memory.validate().map_err(|e| e.to_string())?;
    if memory.content != content_of(&memory.statements) && !memory.statements.is_empty() {
        return Err(format!("is not what its statements say: {:#?}", memory.statements));
    }
    for statement in memory.said().iter() {
        let source = said(statement.source.as_deref().unwrap_or_default());
        let (source, parties) = source.split_once(PARTIES).unwrap_or((&source, ""));
        let is_said = |piece: &str| {
            let piece = bare(piece);
            let mut rest = parties.split(PARTIES).filter_map(|party| piece.strip_suffix(party));
            source.contains(&piece) || rest.any(|rest| source.contains(rest))
        };
        for piece in pieces(&statement.text) {
            // When an event of a calendar is, is written for the owner's own zone.
            let of_event =
                memory.event.is_some() && values(&piece, None).iter().any(|v| v.value.kind() == ValueKind::Date);
            if !of_event && !is_said(&piece) {
                return Err(format!("nobody said {piece:?}"));
            }
        }
    }
    Ok(())
}

#[test]
fn each_sentence_of_every_inbox_was_said() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for name in INBOXES {
        let expect: Value = serde_json::from_slice(&file(&format!("{name}.expect.json"))).unwrap();
        let me = expect["me"].as_str().unwrap();
        let raw = file(&format!("{name}.mbox"));
        let mut mailbox = Mailbox::new();
        let mut pieces = mailbox.push(&raw);
        pieces.extend(mailbox.finish());
        let read = |piece: memfold::mail::Piece| {
            let mail = read_vouched(&piece.raw.unwrap(), &HostCharset, &Vouched::default()).unwrap();
            let events = format!("{:?}", mail.events);
            let author = mail.from.as_ref().and_then(|f| f.name.clone());
            let sender = mail.from.map(|f| format!("{f:?}")).unwrap_or_default();
            let text = [mail.subject, mail.text, events, sender].join("\n");
            let forwarded = mail.sections.iter().filter_map(|s| s.author.as_ref()?.name.clone());
            let parties = mail.to.iter().filter_map(|p| p.name.clone());
            let parties = parties.flat_map(|n| [format!("to {n}"), format!("{n}에게")]).chain(author).chain(forwarded);
            let parties: String = parties
                .flat_map(|n| n.split(", ").map(bare).collect::<Vec<_>>())
                .map(|n| format!("{PARTIES}{n}"))
                .collect();
            (mail.message_id, bare(&[&text, "\n", &*without_days(&text)].concat()) + &parties)
        };
        let said: HashMap<String, String> = pieces.into_iter().map(read).collect();
        for policy in [Policy::FAST, Policy::BALANCED] {
            let m = later(A_YEAR, |o| (o.policy, o.owner) = (policy, vec![me.to_owned()]));
            ingest(&m, &raw, IngestOptions::default());
            for memory in versions(&m) {
                count += 1;
                let of = |source: &str| said.get(source).cloned().unwrap_or_default();
                // One mail warns of the likeness of both names.
                let sources: HashSet<_> = memory.statements.iter().map(|s| &s.source).collect();
                let names_both = ["한결제약", "한결약품"].iter().all(|firm| memory.content.contains(firm));
                if name == "sample" && sources.len() > 1 && names_both {
                    wrong.push(format!("{name}: {:?}: two firms in one", memory.content));
                }
                if let Err(why) = sound(&memory, &of) {
                    wrong.push(format!("{name}: {:?}: {why}", memory.content));
                }
            }
        }
    }
    println!("{count} versions");
    assert!(count > 900 && wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}

const TOPICS: [[&str; 6]; 4] = [
    [
        "The Heron budget is 50M, and work starts on 15 January.",
        "The Heron budget is 60M now.",
        "The Heron budget was cut from 60M to 55M.",
        "Heron has a second tester: Priya.",
        "Work on Heron starts on 22 January instead of 15 January.",
        "The Heron budget is not 55M but 58M.",
    ],
    [
        "Q1 마케팅 캠페인 예산은 5000만원이고 마감은 3월 20일이다.",
        "Q1 마케팅 캠페인 예산이 6000만원으로 증액되었습니다.",
        "마감이 3월 20일에서 3월 27일로 바뀌었습니다. 예산은 그대로입니다.",
        "Q2 마케팅 캠페인 예산은 8000만원이다.",
        "Q1 마케팅 캠페인 예산 5000만원으로 되돌립니다.",
        "Q1 캠페인 담당자는 이서연 대리다.",
    ],
    [
        "Mina is allergic to shrimp.",
        "Mina is not allergic to shrimp.",
        "Mina is allergic to shrimp and peanuts.",
        "Mina moved from Portland to Seattle.",
        "Mina lives in Portland with her sister.",
        "Mina has a cat.",
    ],
    [
        "합주는 매주 화요일 저녁 8시, 연습실 B에서 한다.",
        "합주는 목요일로 옮겼다. 시간이랑 장소는 그대로다.",
        "합주 시간은 저녁 7시로 당겼다.",
        "합주는 이번 주 쉰다.",
        "합주는 매주 화요일 저녁 8시, 연습실 C에서 한다.",
        "합주 총무는 오지훈이다.",
    ],
];

/// A model that calls everything an update, and makes the new text of words nobody said.
fn inventive() -> Model {
    Model::new(|prompt| {
        let invented = |handle: &str| {
            let mut entry = kit::entry(prompt, "UPDATE", &[handle]);
            entry["text"] = json!("The board approved 99M on Friday.");
            entry
        };
        let entries: Vec<Value> = prompt.candidates.iter().map(|c| invented(c.handle)).collect();
        Ok(kit::reply(&entries))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn each_stretch_of_every_history_was_said(
        topic in 0..TOPICS.len(),
        told in prop::collection::vec((0usize..6, 0u8..40, any::<bool>()), 1..9),
        policy in prop::sample::select(vec![Policy::FAST, Policy::BALANCED, Policy::ACCURATE]),
        whole in prop::sample::select(vec!["latest", "replace", "append"]),
        asked in any::<bool>(),
    ) {
        let content = serde_json::from_value(json!(whole)).unwrap();
        let m = with(|o| {
            o.policy = policy;
            o.merge.content = content;
        });
        let m = if asked { m.with_model(Rc::new(inventive())) } else { m };
        let said: String = TOPICS[topic].iter().map(|s| bare(s)).collect::<Vec<_>>().join("|");
        for (n, (which, day, mine)) in told.iter().enumerate() {
            let draft = Draft {
                source_type: if *mine { Source::UserInput } else { Source::Realtime },
                source_id: Some(format!("s{n}")),
                occurred_at: None,
                stated_at: Some(format!("2025-01-{:02}T09:00:00Z", 1 + day % 28).parse().unwrap()),
                ..Draft::new(TOPICS[topic][*which])
            };
            block_on(m.consolidate(draft, &Consolidate::default())).unwrap();
        }
        for memory in versions(&m) {
            prop_assert!(sound(&memory, &|_| said.clone()).is_ok(), "{memory:#?}");
            for stretch in memory.content.split(BETWEEN) {
                prop_assert!(stretch.split_whitespace().all(|word| said.contains(&bare(word))), "{stretch:?} of {memory:#?}");
            }
            // What was struck of one statement holds in none that is older.
            let held: Vec<String> = memory.statements.iter().map(|s| bare(&s.holds())).collect();
            for (n, statement) in memory.statements.iter().enumerate() {
                for (range, _) in statement.stretches().into_iter().filter(|(_, struck)| *struck) {
                    let figure = bare(&statement.text[range]);
                    let is_value = figure.len() > 2 && figure.chars().any(|c| c.is_ascii_digit());
                    prop_assert!(!is_value || held[n..].iter().all(|h| !h.contains(&figure)), "{figure} in {memory:#?}");
                }
            }
        }
        let problems = block_on(m.check()).unwrap().problems;
        prop_assert!(problems.is_empty(), "{problems:#?}");
    }
}
