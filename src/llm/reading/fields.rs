//! Parses the entries of a model's reply: [`raw_entries`]. Unknown fields are ignored; an error
//! names the field and its valid values.

use super::entry::{RawEntry, RawLink};
use crate::decision::{ModelAnalysis, Refusal, ReplyFault, read_list};
use crate::json;
use crate::model::{ChangeType, PropertyChange};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Most entries of one reply.
pub(super) const MAX_ENTRIES: usize = 16;
/// Characters of a wrong value quoted in an error.
const QUOTED: usize = 40;

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
        return Err(ReplyFault::of_field("", format!("an entry is an object, not {}", shown(value))));
    };
    let entry = ReplyFields { fields, path: "" };
    let mut links = Vec::new();
    for (n, link) in entry.list("links")?.into_iter().enumerate() {
        let path = format!("links[{n}].");
        let Value::Object(fields) = link else {
            return Err(ReplyFault::of_field("links", format!("`links` has {}, not objects", shown(link))));
        };
        let link = ReplyFields { fields, path: &path };
        links.push(RawLink {
            to: link.handle("to")?.ok_or_else(|| link.missing("to"))?,
            relation: link.word("type")?.ok_or_else(|| link.missing("type"))?,
        });
    }
    Ok(RawEntry {
        op: entry.word("op")?.ok_or_else(|| entry.missing("op"))?,
        of: entry.handle("of")?,
        with: entry.handle("with")?,
        text: entry.text("text")?,
        gone: Some(entry.texts("gone")?),
        category: entry.word("category")?,
        day: entry.text("day")?,
        people: Some(entry.texts("people")?),
        links: Some(links),
        evidence: entry.text("evidence")?,
        analysis: analysis_of(&entry),
    })
}

/// The analysis of an entry; unreadable parts of it are skipped.
fn analysis_of(entry: &ReplyFields<'_>) -> ModelAnalysis {
    let Some(Value::Object(fields)) = entry.get("analysis") else { return ModelAnalysis::default() };
    let said = ReplyFields { fields, path: "analysis." };
    let change = |value: &Value| {
        let change = ReplyFields { fields: value.as_object()?, path: "" };
        let text = |name| change.text(name).ok().flatten();
        let (property, old_value, new_value) = (text("property").unwrap_or_default(), text("old"), text("new"));
        let change_type = match (&old_value, &new_value) {
            (Some(_), Some(_)) => ChangeType::ValueChange,
            (Some(_), None) => ChangeType::Removal,
            (None, Some(_)) => ChangeType::Addition,
            (None, None) => return None,
        };
        Some(PropertyChange { property, old_value, new_value, change_type })
    };
    ModelAnalysis {
        subjects: said.texts("subjects").unwrap_or_default(),
        changes: said.list("changes").unwrap_or_default().into_iter().filter_map(change).collect(),
        why: said.text("why").unwrap_or_default(),
        factors: said.texts("factors").unwrap_or_default(),
        sure: said.get("sure").and_then(Value::as_f64).map(|sure| sure as f32),
    }
}

/// The fields of an object, with its path for errors.
struct ReplyFields<'a> {
    fields: &'a Map<String, Value>,
    path: &'a str,
}

impl<'a> ReplyFields<'a> {
    /// A field by its name, ignoring case; absent if null.
    fn get(&self, name: &str) -> Option<&'a Value> {
        let named = self.fields.get(name);
        let named = named.or_else(|| self.fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v));
        named.filter(|value| !value.is_null())
    }

    fn fault(&self, name: &str, rule: &str) -> ReplyFault {
        let field = [self.path, name].concat();
        let detail = ["`", &field, "` ", rule].concat();
        ReplyFault::of_field(&field, detail)
    }

    fn wrong(&self, name: &str, value: &Value, rule: &str) -> ReplyFault {
        self.fault(name, &["is ", &shown(value), ", not ", rule].concat())
    }

    fn missing(&self, name: &str) -> ReplyFault {
        self.fault(name, "is missing")
    }

    fn text(&self, name: &str) -> Result<Option<String>, ReplyFault> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(self.wrong(name, other, "a text or null")),
        }
    }

    /// A handle; a bare number is that of a memory.
    fn handle(&self, name: &str) -> Result<Option<String>, ReplyFault> {
        match self.get(name) {
            Some(Value::Number(n)) => Ok(Some(format!("M{n}"))),
            _ => Ok(self.text(name)?.map(|text| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())),
        }
    }

    /// An enum value, ignoring case.
    fn word<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ReplyFault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let cut: String = text.trim().to_ascii_lowercase().chars().take(QUOTED).collect();
        let word = ALIASES.iter().find(|(said, _)| *said == cut).map_or(cut.as_str(), |(_, ours)| *ours);
        let field = [self.path, name].concat();
        let read = json::write(word).and_then(|quoted| json::read(&quoted, &field));
        read.map(Some).map_err(|e| ReplyFault::of_field(&field, e.details().message))
    }

    /// A list; a single value counts as a list of one.
    fn list(&self, name: &str) -> Result<Vec<&'a Value>, ReplyFault> {
        Ok(match self.get(name) {
            None => Vec::new(),
            Some(Value::Array(values)) => values.iter().filter(|value| !value.is_null()).collect(),
            Some(one) => vec![one],
        })
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, ReplyFault> {
        let texts = self.list(name)?.into_iter().map(|value| match value {
            Value::String(text) => Ok(text.clone()),
            other => Err(self.wrong(name, other, "a list of texts")),
        });
        texts.collect()
    }
}

/// A value as quoted in errors, cut.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", text.chars().take(QUOTED).collect::<String>()),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}
