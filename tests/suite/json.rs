//! Reading JSON: as serde_json does, and with the field at fault in every error.

use memfold::Code;
use memfold::consolidation::LogEntry;
use memfold::json::{Short, read, write};
use memfold::model::{Category, Draft, Ids, Time};
use serde_json::{Value, json, to_value};

#[test]
fn what_serde_json_reads_is_read_alike() {
    let texts = [
        r#"{"a":[1,-2,3.5e-3,1e22,18446744073709551615],"b":{"c":null,"d":true,"e":false},"가":"나"}"#,
        " [ ] ",
        "{}",
        r#""\"\\\/\b\n\t\u00e9\ud83d\ude00 plain""#,
        "[[[[[0]]]]]",
        "-0.0",
        "1.7976931348623157e308",
        "01",
        "1.",
        "+1",
        "[1,]",
        "[1 2]",
        r#"{"a":1,}"#,
        r#"{"a" 1}"#,
        r#"{a:1}"#,
        "\"a",
        "\"\\",
        "\"\\가\"",
        "\"\u{1}\"",
        r#""\ud800""#,
        r#""\ud800\u0041""#,
        r#""\udc00""#,
        r#""\u00""#,
        r#""\u+123""#,
        "-",
        "--1",
        ".5",
        "1.e3",
        "1e",
        "1e400",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "0.30000000000000004",
        "nul",
        "null null",
        "",
        "]",
    ];
    for text in texts {
        assert_eq!(read::<Value>(text, "text").ok(), serde_json::from_str(text).ok(), "{text}");
    }
}

#[test]
fn a_text_cut_anywhere_is_an_error_and_no_panic() {
    let text = r#"{"content":"가\n😀","people":["a"],"importance":0.5,"evidence":{"text":"x","start":0,"end":1}}"#;
    assert!(read::<Draft>(text, "draft").is_ok());
    for (at, _) in text.char_indices() {
        assert_eq!(read::<Draft>(&text[..at], "draft").map_err(|e| e.code), Err(Code::InvalidInput));
    }
}

#[test]
fn no_depth_exhausts_the_stack() {
    let deep = "[".repeat(1_000_000);
    assert_eq!(read::<Value>(&deep, "text").map_err(|e| e.code), Err(Code::InvalidInput));
}

#[test]
fn a_fault_names_its_field() {
    let cases = [
        (r#"{"people":["a"]}"#, Code::InvalidField, "content"),
        (r#"{"content":"a","colour":1}"#, Code::UnknownField, "colour"),
        (r#"{"content":"a","content":"b"}"#, Code::InvalidField, "content"),
        (r#"{"content":7}"#, Code::InvalidInput, "content"),
        (r#"{"content":"a","category":"fun"}"#, Code::InvalidField, "category"),
        (r#"{"content":"a","occurredAt":"soon"}"#, Code::InvalidField, "occurredAt"),
        (r#"{"content":"a","people":["b",null]}"#, Code::InvalidInput, "people[1]"),
        (r#"{"content":"a","properties":[{"name":"b"}]}"#, Code::InvalidField, "properties[0].value"),
        (r#"{"content":"a","evidence":{"text":"a","start":-1,"end":0}}"#, Code::InvalidInput, "evidence.start"),
        (r#"{"content":"a","evidence":{"text":"a","start":0,"end":4294967296}}"#, Code::InvalidField, "evidence.end"),
    ];
    for (text, code, field) in cases {
        let error = read::<Draft>(text, "draft").unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (code, Some(field)), "{text}: {error}");
        assert!(error.message.contains(field.split('.').next_back().unwrap()), "{error}");
    }
    for text in ["7", "[]", "null"] {
        let error = read::<Draft>(text, "draft").unwrap_err();
        assert_eq!((error.message.as_str(), error.field.as_deref()), ("`draft` is not an object", None));
    }
}

#[test]
fn a_name_is_a_string_and_nothing_else() {
    assert_eq!(read(r#""task""#, "category"), Ok(Category::Task));
    assert_eq!(read::<Category>(r#"{"task":null}"#, "category").map_err(|e| e.code), Err(Code::InvalidInput));
    assert_eq!(read::<Category>("0", "category").map_err(|e| e.code), Err(Code::InvalidInput));
}

#[test]
fn an_entry_reads_back_as_it_was_written() {
    let entry = LogEntry::new(Ids::new(Time::default(), [1; 16]).mint(), Time::default(), "u", "x");
    assert_eq!(read(&write(&entry).unwrap(), "entry"), Ok(entry));
}

/// The same with all numbers as floats.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(n) => json!(n.as_f64()),
        Value::Array(entries) => entries.into_iter().map(plain).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, plain(value))).collect(),
        other => other,
    }
}

/// What crosses as values says the same as what is stored as text.
fn alike<T: serde::Serialize>(value: &T) {
    let text = write(value).unwrap();
    assert_eq!(plain(to_value(Short(value)).unwrap()), plain(read(&text, "text").unwrap()));
}

#[test]
fn what_is_handed_on_says_the_same_as_its_json() {
    alike(&LogEntry::new(Ids::new(Time::default(), [1; 16]).mint(), Time::default(), "u", "x"));
    let draft = r#"{"content":"가","importance":0.87,"people":["a"],"evidence":{"text":"x","start":0,"end":1}}"#;
    alike(&read::<Draft>(draft, "draft").unwrap());
    alike(&[Some(0.1f32), None, Some(1e-8), Some(f32::MAX), Some(f32::INFINITY)]);
    alike(&(0.1f64, 12.299_999_999_999_272f64, "0.1", [1u64 << 53]));
    alike(&std::collections::BTreeMap::from([("a", 0.3f32)]));
    alike(&Ok::<f32, ()>(0.7));
}
