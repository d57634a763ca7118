//! Parses the entries of a model's reply; an error names the field and its valid values.

use super::entry::RawEntry;
use crate::decision::{ModelAnalysis, Refusal, ReplyFault, read_list};
use crate::json;
use crate::model::PropertyChange;
use serde_json::{Map, Value};

const MAX_ENTRIES: usize = 16;
/// Characters of a wrong value quoted in an error, and of an error.
const QUOTED: usize = 40;
const MAX_MESSAGE: usize = 300;

/// Names of decisions that models use for operations.
const ALIASES: [(&str, &str); 2] = [("create", "new"), ("skip", "repeat")];

/// The unchecked entries of a reply, or the error of each.
pub(super) fn raw_entries(reply: &str) -> Result<Vec<Result<RawEntry, ReplyFault>>, ReplyFault> {
    let values = read_list(reply, "entries")?;
    let mut raw: Vec<Result<RawEntry, ReplyFault>> = Vec::new();
    for (place, value) in values.iter().enumerate() {
        if place == MAX_ENTRIES {
            let detail = format!("a reply has {MAX_ENTRIES} entries at most");
            raw.push(Err(ReplyFault { detail: Some(detail), ..Refusal::TooLarge.into() }.in_entry(place)));
            break;
        }
        raw.push(entry_of(value).map_err(|fault| fault.in_entry(place)));
    }
    match raw.iter().find_map(|entry| entry.as_ref().err()) {
        Some(fault) if raw.iter().all(Result::is_err) => Err(fault.clone()),
        _ => Ok(raw),
    }
}

fn entry_of(value: &Value) -> Result<RawEntry, ReplyFault> {
    let Value::Object(fields) = value else {
        return Err(ReplyFault::of_field("", "an entry is an object".to_owned()));
    };
    let mut fields = tidied(fields);
    let analysis = fields.remove("analysis").map(analysis_of).unwrap_or_default();
    let read = json::write(&fields).and_then(|text| json::read::<RawEntry>(&text, "entry"));
    let entry = read.map_err(|error| {
        let error = error.details();
        let message = error.message.chars().take(MAX_MESSAGE).collect();
        ReplyFault::of_field(&error.field.unwrap_or_default(), message)
    })?;
    Ok(RawEntry { analysis, ..entry })
}

/// The fields of an object as in the schema: lower-case names and enums, bare handles, lists of one.
fn tidied(fields: &Map<String, Value>) -> Map<String, Value> {
    let tidy = |(name, value): (&String, &Value)| {
        let name = name.to_ascii_lowercase();
        let value = match (name.as_str(), value) {
            ("of" | "to", Value::Number(n)) => format!("M{n}").into(),
            ("of" | "to", Value::String(text)) => text.trim_matches(|c: char| !c.is_alphanumeric()).into(),
            ("op" | "category" | "type", Value::String(text)) => {
                let word: String = text.trim().to_ascii_lowercase().chars().take(QUOTED).collect();
                ALIASES.iter().find(|(said, _)| *said == word).map_or(word.as_str(), |(_, ours)| *ours).into()
            }
            ("gone" | "people" | "links" | "subjects" | "changes" | "factors", value) => {
                let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let tidy = |one: &Value| one.as_object().map_or_else(|| one.clone(), |fields| tidied(fields).into());
                all.iter().filter(|one| !one.is_null()).map(tidy).collect()
            }
            (_, value) => value.clone(),
        };
        (name, value)
    };
    fields.iter().filter(|(_, value)| !value.is_null()).map(tidy).collect()
}

/// The analysis of an entry; unreadable parts of it are skipped.
fn analysis_of(value: Value) -> ModelAnalysis {
    let fields = value.as_object().map(tidied).unwrap_or_default();
    let texts = |name: &str| -> Vec<String> {
        let texts = fields.get(name).and_then(Value::as_array);
        texts.and_then(|all| all.iter().map(|one| one.as_str().map(str::to_owned)).collect()).unwrap_or_default()
    };
    let change = |value: &Value| {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        PropertyChange::of(&text("property").unwrap_or_default(), text("old"), text("new"))
    };
    ModelAnalysis {
        subjects: texts("subjects"),
        changes: fields.get("changes").and_then(Value::as_array).into_iter().flatten().filter_map(change).collect(),
        why: fields.get("why").and_then(Value::as_str).map(str::to_owned),
        factors: texts("factors"),
        sure: fields.get("sure").and_then(Value::as_f64).map(|sure| sure as f32),
    }
}
