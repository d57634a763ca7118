//! Ids, struck statements and redacted log entries.

use memfold::consolidation::LogEntry;
use memfold::model::{Id, Ids, Statement, Time, content_of};

#[test]
fn minted_ids_are_version_7_uuids() {
    let mut ids = Ids::new(Time::from_millis(0x0123_4567_89AB), [0xFF; 16]);
    let text = ids.mint().to_string();
    assert!(text.starts_with("01234567-89ab-7000-"), "{text}");
    assert!(matches!(text.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{text}");
    assert!(ids.mint().to_string().starts_with("01234567-89ab-7001-"));
}

#[test]
fn ids_round_trip_and_invalid_ones_are_refused() {
    let text = "0195ca1e-7c00-7abc-8def-0123456789ab";
    let id: Id = text.parse().unwrap();
    assert_eq!(id.to_string(), text);
    assert_eq!(text.replace('-', "").to_ascii_uppercase().parse(), Ok(id));
    let wrong = ["", "0", "0195ca1e-7c00-7abc-8def-0123456789a", "0195ca1e7c00-7abc-8def-0123456789ab1"];
    let more = ["0195ca1e-7c00-7abc-8def-0123456789abc", "0195ca1e-7c00-7abc-8def-0123456789ag"];
    for text in wrong.into_iter().chain(more) {
        assert!(text.parse::<Id>().is_err(), "{text}");
    }
}

#[test]
fn struck_ranges_are_in_utf16_units() {
    let said = Statement::new("🚀 예산은 50M, 1월 시작");
    let (from, to) = (said.text.find("예산").unwrap(), said.text.find(" 1월").unwrap());
    let struck = said.strike(std::slice::from_ref(&(from..to)));
    assert_eq!((struck.struck.as_slice(), struck.holds().as_str()), (&[[3, 11]][..], "🚀 1월 시작"));
}

#[test]
fn struck_text_goes_with_its_punctuation_and_whole_numbers() {
    for (text, ranges, held) in [
        ("a b c d", &[(4_usize, 5_usize), (0, 1), (2, 3)][..], "d"),
        ("a b c d", &[(0, 7)], ""),
        ("The budget is 2,50 € of 3.75 €.", &[(14, 15)], "The budget is € of 3.75 €."),
        ("The budget is 2,50 € of 3.75 €.", &[(16, 18)], "The budget is € of 3.75 €."),
        ("The budget is 2,50 € of 3.75 €.", &[(26, 27)], "The budget is 2,50 € of €."),
        ("Rooms 3, 5 and 7.", &[(6, 7)], "Rooms, 5 and 7."),
        ("Starts 15 Jan, budget 50M", &[(15, 25)], "Starts 15 Jan"),
        ("Starts 15 Jan, budget 50M", &[(0, 13)], "budget 50M"),
    ] {
        let ranges: Vec<_> = ranges.iter().map(|(from, to)| *from..*to).collect();
        assert_eq!(Statement::new(text).strike(&ranges).holds(), held);
    }
    let gone = Statement { struck: vec![[0, 1]], ..Statement::new("a") };
    assert_eq!(content_of(&[Statement::new("x."), gone, Statement::new("y.")]), "x · y");
}

#[test]
fn redacted_entry_has_no_texts_and_keeps_its_hash() {
    let secret = "secret";
    let entry: LogEntry = serde_json::from_value(serde_json::json!({
        "seq": 1, "id": "0195ca1e-7c00-7abc-8def-0123456789ab", "time": "2025-01-01T00:00:00Z", "userId": "u",
        "decision": "UPDATE", "status": "success", "analyst": "model", "input": secret, "category": "task",
        "key": "a key", "touched": [], "confidence": 0.1 + 0.2, "reason": secret, "subjectA": secret,
        "subjectB": secret, "processingMs": 0.1 + 0.2, "tokens": 0, "draft": { "content": secret },
        "reasons": [
            { "kind": "feature", "code": "money_changed", "weight": 0.1 + 0.2, "evidence": secret },
            { "kind": "failed", "error": "storage", "message": secret },
            { "kind": "not_sure", "confidence": 1e-30 },
        ],
        "propertyChanges": [
            { "property": secret, "oldValue": secret, "newValue": secret, "changeType": "value_change" },
        ],
        "texts": [{ "id": "0195ca1e-7c00-7abc-8def-0123456789ab", "content": secret }],
    }))
    .unwrap();
    let sealed = entry.seal("before", "salt".into());
    let redacted = sealed.redact();
    let text = serde_json::to_string(redacted.entry()).unwrap();
    assert!(!text.contains("secret") && !text.contains("salt\":\"s"), "{text}");
    let read: LogEntry = serde_json::from_str(&text).unwrap();
    assert!(read.follows("before") && read.key == sealed.key);
    assert_eq!(read.redact(), redacted);
    assert!(!LogEntry { tokens: 1, ..read }.follows("before"));
}
