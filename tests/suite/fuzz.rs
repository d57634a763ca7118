//! The fuzz targets (`fuzz/`), run over the tests' data and over every finding so far.

use crate::targets;
use std::fs;
use std::path::Path;

fn findings(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/findings").join(target);
    let files = fs::read_dir(dir).into_iter().flatten();
    files.map(|f| fs::read(f.unwrap().path()).unwrap()).collect()
}

fn lines(text: &str) -> impl Iterator<Item = serde_json::Value> {
    text.lines().map(|l| serde_json::from_str(l).unwrap())
}

#[test]
fn mime_target_passes_on_broken_mail_and_findings() {
    for case in lines(include_str!("../cases/broken_mail.jsonl")) {
        let raw: Vec<u8> = case["raw"].as_str().unwrap().chars().map(|c| c as u8).collect();
        targets::mime(&raw);
        targets::html(&raw);
    }
    findings("mime").iter().for_each(|f| targets::mime(f));
    findings("html").iter().for_each(|f| targets::html(f));
}

#[test]
fn mail_stage_targets_pass_on_mails_and_findings() {
    for cases in [include_str!("../cases/mail.jsonl"), include_str!("../cases/mail_more.jsonl")] {
        for case in lines(cases) {
            let field = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
            targets::quotes(field("body").as_bytes());
            targets::statements(format!("{}\n{}", field("subject"), field("body")).as_bytes());
            targets::words(field("body").as_bytes());
            targets::invite(field("calendar").as_bytes());
        }
    }
    for case in lines(include_str!("../cases/broken_mail.jsonl")) {
        let raw: Vec<u8> = case["raw"].as_str().unwrap().chars().map(|c| c as u8).collect();
        [targets::quotes, targets::statements, targets::words, targets::invite].iter().for_each(|target| target(&raw));
    }
    findings("quotes").iter().for_each(|f| targets::quotes(f));
    findings("statements").iter().for_each(|f| targets::statements(f));
    findings("words").iter().for_each(|f| targets::words(f));
    findings("invite").iter().for_each(|f| targets::invite(f));
}

#[test]
fn mbox_target_passes_on_the_sample_in_chunks_and_findings() {
    let sample = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/inbox/sample.mbox")).unwrap();
    for step in [1, 2, 63, 255] {
        // Separators do not depend on the text of the messages, so a part of the sample is enough.
        targets::mbox(&[&[step], &sample[..20_000]].concat());
    }
    findings("mbox").iter().for_each(|f| targets::mbox(f));
}

#[test]
fn pair_target_passes_on_terse_pairs_and_findings() {
    for pair in lines(include_str!("../eval/pairs/own-terse.jsonl")).step_by(10) {
        let field = |side: &str, key: &str| pair[side][key].as_str().unwrap_or_default().to_owned();
        let one = |side: &str| ["content", "subject", "threadId"].map(|key| field(side, key)).join("\0") + "\0\0\0\0\0";
        targets::pair(format!("{}\0{}", one("existing"), one("new")).as_bytes());
    }
    findings("pair").iter().for_each(|f| targets::pair(f));
}

/// A reply that uses every field.
const ANSWER: &str = r#"{"entries":[{"op":"update","of":"M1","with":null,"text":"Q1 마케팅 예산은 6000만원으로 정했다","gone":["5000만원"],"category":"decision","day":null,"people":[],"links":[{"to":"M2","type":"reference"}],"evidence":"예산은 6000만원으로 정했다","analysis":{"subjects":["Q1 예산","Q1 예산"],"changes":[{"property":"예산","old":"5000만원","new":"6000만원"}],"why":"같은 예산입니다","factors":["같은 분기"],"sure":0.9}},{"op":"repeat","of":"M3","text":null,"evidence":null},{"op":"new","text":"Q1 예산이 올랐다, up from 50M","links":[{"to":"E1","type":"causal"}],"evidence":"up from 50M"}]}"#;

/// The reply with up to four pieces cut out, replaced by a schema word, or copied elsewhere.
fn mutate_reply(roll: &mut impl FnMut(usize) -> usize) -> String {
    let words = r#"{ } [ ] , : " \ null NaN 1e999 -1 2 "M1" "M2" "M9" "E1" "delete" "repeat" "update" "core" "delete":1, "op": "of":"M2", "sourceType":"user_input", 6000만원 50M </think> ``` 가 \u0000 0f1e2d3c4b5a6978"#;
    let words: Vec<&str> = words.split(' ').collect();
    let mut text: Vec<char> = ANSWER.chars().collect();
    for _ in 0..=roll(3) {
        let (at, len) = (roll(text.len()), roll(12));
        let end = (at + len).min(text.len());
        match roll(3) {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..end, words[roll(words.len())].chars())),
            _ => {
                let copy = text[at..end].to_vec();
                let to = roll(text.len());
                drop(text.splice(to..to, copy));
            }
        }
    }
    text.into_iter().collect()
}

#[test]
fn reply_target_passes_on_mutated_replies_and_findings() {
    let mut dice = crate::kit::Dice(1);
    let mut roll = |n: usize| dice.roll(n);
    targets::reply(ANSWER.as_bytes());
    let many = std::env::var("MEMFOLD_MUTATED").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    for _ in 0..many {
        targets::reply(mutate_reply(&mut roll).as_bytes());
    }
    for case in lines(include_str!("../cases/mail_replies.jsonl")) {
        targets::reply(case["reply"].as_str().unwrap_or_default().as_bytes());
    }
    findings("reply").iter().for_each(|f| targets::reply(f));
}
