//! Mails of many kinds through the mail layer: what each must teach, and how much at most (`tests/cases/mail*.jsonl`).

use crate::cases::{FILES, raw};
use memfold::extract::drafts;
use memfold::mail::{Account, HostCharset, Vouched, read_vouched};
use memfold::model::{DayOrTime, Draft, Zone};
use serde_json::Value;

const SEOUL: Zone = Zone::from_minutes(540);

fn day(time: Option<DayOrTime>) -> String {
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
    let at =
        draft.occurred_at.map(|t| t.begin(SEOUL).local(SEOUL).format("%Y-%m-%dT%H:%M").to_string()).unwrap_or_default();
    let names = |key: &str, got: Vec<&str>| {
        let wanted = want[key].as_array().into_iter().flatten().map(|n| n.as_str().unwrap());
        wanted.into_iter().find(|n| !got.contains(n)).map(|n| format!("{key} {got:?} lack {n}"))
    };
    differs("category", draft.category.as_str().to_owned())
        .or_else(|| differs("day", day(draft.occurred_at)))
        .or_else(|| differs("at", at))
        .or_else(|| differs("from", day(draft.valid_from)))
        .or_else(|| differs("until", day(draft.valid_until)))
        .or_else(|| names("people", draft.people.iter().map(String::as_str).collect()))
        .or_else(|| names("entities", draft.entities.iter().map(String::as_str).collect()))
        .or_else(|| {
            let told = serde_json::to_value(&draft.importance_factors).unwrap();
            names("factors", told.as_array().unwrap().iter().map(|f| f["factor"].as_str().unwrap()).collect())
        })
        .or_else(|| differs("source", serde_json::to_value(draft.source_type).unwrap().as_str().unwrap().to_owned()))
        .or_else(|| {
            differs("retention", serde_json::to_value(draft.retention).unwrap().as_str().unwrap_or("").to_owned())
        })
}

fn show(d: &Draft) -> String {
    let at = |t: Option<DayOrTime>| t.map(|t| t.to_string()).unwrap_or_default();
    format!(
        "\n     [{}] {} @{} {}..{} {:?} {:?} {:?}",
        d.category.as_str(),
        d.content,
        at(d.occurred_at),
        at(d.valid_from),
        at(d.valid_until),
        d.entities,
        d.people,
        d.retention.map(|r| format!("{r:?}")).unwrap_or_default(),
    )
}

/// Prints every draft with `--nocapture`.
#[test]
fn mails_teach_what_they_should_and_hardly_more() {
    let account = Account { owner: vec!["me@home.example".into()], zone: Some(SEOUL), ..Account::default() };
    let (mut faults, mut harm) = (Vec::new(), Vec::new());
    let (mut wanted, mut missed, mut drafted, mut beyond) = (0, 0, 0, 0);
    for line in FILES.into_iter().flat_map(str::lines) {
        let case: Value = serde_json::from_str(line).unwrap();
        // What the owner wrote lies in their folder of sent mail.
        let sent = case["from"].as_str().is_some_and(|f| f.contains("me@home.example"));
        let vouched = Vouched { sent, ..Vouched::default() };
        let mail = read_vouched(raw(&case).as_bytes(), &HostCharset, &vouched).unwrap();
        let found = drafts(&mail, &account);
        let name = case["name"].as_str().unwrap();
        let shown: String = found.iter().map(show).collect();
        println!("{name}{shown}");
        let mut told = |what: String| faults.push(format!("{name}: {what}{shown}"));
        drafted += found.len();
        for want in case["want"].as_array().unwrap() {
            wanted += 1;
            let all: Vec<_> = found.iter().map(|d| fault(d, want)).collect();
            if !all.iter().any(Option::is_none) {
                let nearest = all.into_iter().flatten().min_by_key(|f| f.starts_with("lacks"));
                missed += 1;
                told(nearest.unwrap_or_else(|| format!("no draft for {}", want["any"])));
            }
        }
        let most = case["most"].as_u64().unwrap() as usize;
        if found.len() > most {
            beyond += found.len() - most;
            told(format!("{} drafts, more than {most}", found.len()));
        }
        for draft in &found {
            draft.validate().unwrap();
            for never in case["none"].as_array().into_iter().flatten() {
                if draft.content.contains(never.as_str().unwrap()) {
                    harm.push(format!("{name}: says {never}{shown}"));
                }
            }
        }
    }
    println!("{missed} of {wanted} missed, {beyond} of {drafted} drafts beyond\n{}", faults.join("\n"));
    assert!(harm.is_empty(), "{}", harm.join("\n"));
    assert!(missed * 100 <= wanted * 13 && beyond * 100 <= drafted * 4, "{missed} of {wanted}, {beyond} of {drafted}");
}
