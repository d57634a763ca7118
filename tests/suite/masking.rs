//! Masking of personal data: precision and recall on 372 labelled lines (`tests/cases/masking.jsonl`), and restoring.

use memfold::language::personal;
use memfold::llm::Masks;
use proptest::prelude::*;
use serde_json::Value;

/// A line and the labelled ranges of its personal data.
struct Case {
    text: String,
    hidden: Vec<(String, std::ops::Range<usize>)>,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("../cases/masking.jsonl").lines();
    let case = |line: &str| {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap().to_owned();
        let mut from = 0;
        let place = |label: &Value| {
            let (kind, word) = (label[0].as_str().unwrap().to_owned(), label[1].as_str().unwrap());
            let at = from + text[from..].find(word).unwrap();
            from = at + word.len();
            (kind, at..from)
        };
        let hidden = case["hidden"].as_array().unwrap().iter().map(place).collect();
        Case { text, hidden }
    };
    lines.map(case).collect()
}

#[test]
fn masking_meets_recall_and_precision_floors() {
    let mut wrong = Vec::new();
    let (mut labelled, mut covered, mut named, mut taken, mut right) = (0, 0, 0, 0, 0);
    let mut kinds: Vec<(String, u32, u32)> = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 300);
    for case in &cases {
        let found = personal(&case.text);
        for (kind, place) in &case.hidden {
            let all = place.clone().all(|at| found.iter().any(|p| p.range.contains(&at)));
            let same = found.iter().any(|p| p.range == *place && format!("{:?}", p.kind).eq_ignore_ascii_case(kind));
            (labelled, covered, named) = (labelled + 1, covered + u32::from(all), named + u32::from(same));
            let of_kind = match kinds.iter_mut().find(|k| k.0 == *kind) {
                Some(of_kind) => of_kind,
                None => {
                    kinds.push((kind.clone(), 0, 0));
                    kinds.last_mut().unwrap()
                }
            };
            (of_kind.1, of_kind.2) = (of_kind.1 + 1, of_kind.2 + u32::from(all));
            if !same {
                wrong.push(format!("{} {kind}: {}", if all { "inexact" } else { "MISSED" }, case.text));
            }
        }
        for p in &found {
            let meant = case.hidden.iter().any(|(_, place)| p.range.start < place.end && place.start < p.range.end);
            (taken, right) = (taken + 1, right + u32::from(meant));
            if !meant {
                wrong.push(format!("TOO MUCH {:?} {:?}: {}", p.kind, &case.text[p.range.clone()], case.text));
            }
        }
    }
    println!("{} lines: {covered} of {labelled} hidden, {named} exactly and by their kind", cases.len());
    println!("{right} of {taken} that were taken out were meant");
    for (kind, all, covered) in kinds {
        println!("{kind}: {covered} of {all}");
    }
    let wrong = wrong.join("\n");
    println!("{wrong}");
    assert!(f64::from(covered) >= 0.99 * f64::from(labelled), "recall\n{wrong}");
    assert!(f64::from(right) >= 0.98 * f64::from(taken), "precision\n{wrong}");
}

fn mask_texts(texts: &[&str]) -> (Vec<String>, Masks) {
    let mut texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
    let masks = Masks::hide(&mut texts.iter_mut().collect::<Vec<_>>());
    (texts, masks)
}

#[test]
fn equal_values_share_a_placeholder_and_other_spellings_get_a_letter() {
    let (sent, masks) = mask_texts(&[
        "Call 010-1234-5678 or write to kim@example.com",
        "+82 10-1234-5678, then 01012345678, then 010-9876-5432",
        "KIM@example.com and kim@example.com; 010-1234-5678",
    ]);
    assert_eq!(
        sent,
        [
            "Call [PHONE_1] or write to [EMAIL_1]",
            "[PHONE_1b], then [PHONE_1c], then [PHONE_2]",
            "[EMAIL_1b] and [EMAIL_1]; [PHONE_1]",
        ]
    );
    let reply = r#"{"oldValue":"[PHONE_1c]","newValue":"[PHONE_2]","reasoning":"[EMAIL_1b] [EMAIL_2] [PHONE_"}"#;
    let restored =
        r#"{"oldValue":"01012345678","newValue":"010-9876-5432","reasoning":"KIM@example.com [EMAIL_2] [PHONE_"}"#;
    assert_eq!(masks.restore(reply), restored);
}

#[test]
fn placeholders_already_in_a_mail_stay_unchanged() {
    let (sent, masks) =
        mask_texts(&["[EMAIL_1] kim@example.com", "[[EMAIL_2] [EMAIL_3b] cho@example.com Cho@example.com"]);
    assert_eq!(sent, ["[EMAIL_1] [EMAIL_3]", "[[EMAIL_2] [EMAIL_3b] [EMAIL_4] [EMAIL_4b]"]);
    assert_eq!(masks.restore(&sent[1]), "[[EMAIL_2] [EMAIL_3b] cho@example.com Cho@example.com");
    assert_eq!(masks.restore("[EMAIL_1] [EMAIL_2]"), "[EMAIL_1] [EMAIL_2]");
}

#[test]
fn restored_values_keep_a_reply_valid_json() {
    for case in cases() {
        for p in personal(&case.text) {
            let spelling = &case.text[p.range.clone()];
            let reply = format!("\"{spelling}\"");
            assert_eq!(serde_json::from_str::<String>(&reply).unwrap(), spelling);
        }
    }
}

/// Text fragments with personal data and look-alikes of it.
fn piece() -> impl Strategy<Value = String> {
    let known: Vec<String> = cases().into_iter().map(|c| c.text).collect();
    prop_oneof![
        prop::sample::select(known),
        r"\[(EMAIL|PHONE|CARD|ID|ACCOUNT)_[1-3][bc]?\]?",
        r"[0-9٠-٩０-９ .()+@\[\]_*-]{1,24}",
        r"[a-zA-Z가-힣0-9.@\u{200b}\u{ad} ]{0,16}",
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn masked_texts_are_restored(texts in prop::collection::vec(prop::collection::vec(piece(), 0..6), 1..4)) {
        let texts: Vec<String> = texts.into_iter().map(|t| t.concat()).collect();
        let mut sent = texts.clone();
        let masks = Masks::hide(&mut sent.iter_mut().collect::<Vec<_>>());
        let back: Vec<String> = sent.iter().map(|t| masks.restore(t)).collect();
        prop_assert_eq!(&back, &texts);
        for text in &texts {
            let found = personal(text);
            for pair in found.windows(2) {
                prop_assert!(pair[0].range.end <= pair[1].range.start);
            }
            prop_assert!(found.iter().all(|p| text.get(p.range.clone()).is_some_and(|w| !w.contains(['\n', '"', '\\']))));
        }
    }
}
