//! JSON: errors name the invalid field, and numbers have the format of hashed log entries.

use memfold::Code;
use memfold::consolidation::LogEntry;
use memfold::json::{read, write};
use memfold::model::{Category, Draft, Ids, Time};
use serde_json::Value;

#[test]
fn truncated_json_is_an_error_and_never_a_panic() {
    let text = r#"{"content":"가\n😀","people":["a"],"importance":0.5,"evidence":{"text":"x","start":0,"end":1}}"#;
    assert!(read::<Draft>(text, "draft").is_ok());
    for (at, _) in text.char_indices() {
        assert_eq!(read::<Draft>(&text[..at], "draft").map_err(|e| e.code), Err(Code::InvalidInput));
    }
    assert_eq!(read::<Draft>(&[text, "]"].concat(), "draft").map_err(|e| e.code), Err(Code::InvalidInput));
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    for deep in ["[".repeat(1_000_000), r#"{"metadata":"#.repeat(100_000)] {
        assert_eq!(read::<Value>(&deep, "text").map_err(|e| e.code), Err(Code::InvalidInput));
        assert!(read::<Draft>(&deep, "text").is_err());
    }
}

#[test]
fn json_error_names_its_field() {
    let cases = [
        (r#"{"people":["a"]}"#, Code::InvalidField, "content"),
        (r#"{"content":"a","colour":1}"#, Code::UnknownField, "colour"),
        (r#"{"content":"a","content":"b"}"#, Code::InvalidField, "content"),
        (r#"{"content":7}"#, Code::InvalidInput, "content"),
        (r#"{"content":"a","category":"fun"}"#, Code::InvalidField, "category"),
        (r#"{"content":"a","occurredAt":"soon"}"#, Code::InvalidField, "occurredAt"),
        (r#"{"content":"a","people":["b",null]}"#, Code::InvalidInput, "people[1]"),
        (r#"{"content":"a","properties":[{"name":"b"}]}"#, Code::InvalidField, "properties[0].value"),
        (r#"{"content":"a","properties":[{"name":"b","value":"c","of":1}]}"#, Code::UnknownField, "properties[0].of"),
        ("{\n \"content\": \"a\",\n \"people\": [\"\\\"b\", 1]}", Code::InvalidInput, "people[1]"),
        (r#"{"content":"a","importance":"great","subject":"b"}"#, Code::InvalidField, "importance"),
        (r#"{"content":"a","importance":"great" }"#, Code::InvalidField, "importance"),
        (r#"{"content":"a","evidence":{"text":"a","start":-1,"end":0}}"#, Code::InvalidField, "evidence.start"),
        (r#"{"content":"a","evidence":{"text":"a","start":0,"end":4294967296}}"#, Code::InvalidField, "evidence.end"),
    ];
    for (text, code, field) in cases {
        let error = read::<Draft>(text, "draft").unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (code, Some(field)), "{text}: {error}");
        assert!(error.message.contains(field.split('.').next_back().unwrap()), "{error}");
        assert!(!error.message.contains("line 1"), "{error}");
    }
    for text in ["7", "null", "\"a\""] {
        let error = read::<Draft>(text, "draft").unwrap_err();
        assert!(error.message.starts_with("`draft`: invalid type") && error.field.is_none(), "{error}");
    }
    let error = read::<Category>("\"fun\"", "category").unwrap_err();
    assert!(error.message.starts_with("`category` is `fun`, which is none of `"), "{error}");
}

#[test]
fn log_entry_round_trips() {
    let entry = LogEntry::new(Ids::new(Time::default(), [1; 16]).mint(), Time::default(), "u", "x");
    assert_eq!(read(&write(&entry).unwrap(), "entry"), Ok(entry));
}

/// Log entries are hashed over this text: another format would break the hash chains of stored
/// logs.
#[test]
fn numbers_keep_the_format_of_hashed_entries() {
    let narrow = [0.87f32, 1.0, -0.4, 0.0, 0.000_015, 1e-8, f32::EPSILON, 16_777_216.0, 1e-30, f32::NAN];
    let text = "[0.87,1,-0.4,0,0.000015,0.00000001,0.00000011920929,16777216,1.0000000031710769e-30,null]";
    assert_eq!(write(&narrow).unwrap(), text);
    let wide = [0.1, 12.299_999_999_999_272, 1_234.567, 1e-8, 1e20, 1e300, -5.0, f64::INFINITY];
    let text = "[0.1,12.299999999999272,1234.567,0.00000001,100000000000000000000,1e300,-5,null]";
    assert_eq!(write(&wide).unwrap(), text);
}

#[test]
fn numbers_round_trip() {
    let mut bits = 1u64;
    for _ in 0..20_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (wide, narrow) = (f64::from_bits(bits), f32::from_bits((bits >> 32) as u32));
        if wide.is_finite() {
            assert_eq!(read(&write(&wide).unwrap(), "n"), Ok(wide));
        }
        if narrow.is_finite() {
            assert_eq!(read(&write(&narrow).unwrap(), "n"), Ok(narrow));
        }
    }
}
