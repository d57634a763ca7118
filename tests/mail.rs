//! Mails of many kinds through the mail layer: what each must teach, and how much at most (`tests/cases/mail.jsonl`).

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use memfold::mail::{Account, HostCharset, drafts, read};
use memfold::model::{Draft, Time, Zone};
use serde_json::Value;

const SEOUL: Zone = Zone::from_minutes(540);

fn raw(case: &Value) -> String {
    let text = |key: &str| case[key].as_str().unwrap_or_default();
    let mut head = String::new();
    for (name, value) in case["headers"].as_object().into_iter().flatten() {
        head.push_str(&format!("{name}: {}\r\n", value.as_str().unwrap()));
    }
    let (kind, body) = if text("html").is_empty() { ("plain", text("body")) } else { ("html", text("html")) };
    let reply = if text("subject").to_lowercase().starts_with("re:") { "In-Reply-To: <0@x.example>\r\n" } else { "" };
    format!(
        "From: {}\r\nTo: {}\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <1@x.example>\r\n{reply}{head}MIME-Version: 1.0\r\n\
         Content-Type: text/{kind}; charset=utf-8\r\n\r\n{body}\r\n",
        text("from"),
        text("to"),
        text("subject"),
        text("date"),
    )
}

fn day(time: Option<Time>) -> String {
    time.map(|t| t.day(SEOUL).to_string()).unwrap_or_default()
}

/// What keeps the draft from being what is wanted.
fn fault(draft: &Draft, want: &Value) -> Option<String> {
    let held = |list: &Value| {
        list.as_array()
            .unwrap()
            .iter()
            .any(|n| draft.content.to_lowercase().contains(&n.as_str().unwrap().to_lowercase()))
    };
    let lacking = want["any"].as_array().unwrap().iter().find(|l| !held(l));
    if let Some(list) = lacking {
        return Some(format!("lacks {list}"));
    }
    let differs =
        |key: &str, got: String| want[key].as_str().filter(|w| *w != got).map(|w| format!("{key} is {got}, not {w}"));
    differs("category", draft.category.as_str().to_owned())
        .or_else(|| differs("day", day(draft.occurred_at)))
        .or_else(|| differs("until", day(draft.valid_until)))
        .or_else(|| differs("source", serde_json::to_value(draft.source_type).unwrap().as_str().unwrap().to_owned()))
        .or_else(|| {
            differs("retention", serde_json::to_value(draft.retention).unwrap().as_str().unwrap_or("").to_owned())
        })
}

#[test]
fn each_mail_teaches_what_it_should_and_no_more() {
    let account = Account { owner: vec!["me@home.example".into()], zone: Some(SEOUL), ..Account::default() };
    let mut faults = Vec::new();
    for line in include_str!("cases/mail.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let mail = read(raw(&case).as_bytes(), &HostCharset).unwrap();
        let found = drafts(&mail, &account);
        let name = case["name"].as_str().unwrap();
        let mut told = |what: String| {
            let all: Vec<_> = found
                .iter()
                .map(|d| {
                    format!(
                        "\n     [{}] {} @{} ..{}",
                        d.category.as_str(),
                        d.content,
                        day(d.occurred_at),
                        day(d.valid_until)
                    )
                })
                .collect();
            faults.push(format!("{name}: {what}{}", all.concat()));
        };
        for want in case["want"].as_array().unwrap() {
            let all: Vec<_> = found.iter().map(|d| fault(d, want)).collect();
            if !all.iter().any(Option::is_none) {
                let nearest = all.into_iter().flatten().min_by_key(|f| f.starts_with("lacks"));
                told(nearest.unwrap_or_else(|| format!("no draft for {}", want["any"])));
            }
        }
        let most = case["most"].as_u64().unwrap() as usize;
        if found.len() > most {
            told(format!("{} drafts, more than {most}", found.len()));
        }
        for draft in &found {
            draft.validate().unwrap();
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
