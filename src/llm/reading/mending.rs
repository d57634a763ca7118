//! What a small model is asked once more: the entries of its reply that were refused, alone, with the mail and the memories
//! that they name.
//!
//! Its second reply is held to the same checks, together with what stood of the first.

use super::entry::{FirstReply, RawEntry};
use super::fields::raw_entries;
use super::question::{Form, MailQuestion};
use super::wording;
use crate::decision::{Prompt, ReplyFault, Task};
use crate::json;

impl FirstReply {
    /// What of it somebody has said.
    pub(super) fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.refused.iter_mut().map(|(.., text)| text)
    }

    /// The whole reply, with these entries in the places of the refused ones, in order.
    pub(super) fn mended(&self, again: Vec<Result<RawEntry, ReplyFault>>) -> Vec<Result<RawEntry, ReplyFault>> {
        let mut raw = self.raw.clone();
        for ((place, ..), entry) in self.refused.iter().zip(again) {
            if entry.is_ok() {
                raw[*place] = entry;
            }
        }
        raw
    }
}

impl MailQuestion {
    /// The question about what was refused of a reply; of a small model alone, and nothing where nothing was, or nothing of it
    /// can be shown again.
    pub fn again(&self, reply: &str, is_known: &dyn Fn(&str) -> bool) -> Option<Self> {
        if self.form != Form::Short || self.first.is_some() {
            return None;
        }
        let raw = raw_entries(reply).ok()?;
        let read = self.read_entries(raw.clone(), is_known);
        let mut refused = Vec::new();
        for (place, (entry, raw)) in read.entries.iter().zip(&raw).enumerate() {
            if let (Err(why), Ok(raw)) = (entry, raw) {
                refused.push((place, *why, raw.of.clone().unwrap_or_default(), json::write(raw).ok()?));
            }
        }
        (!refused.is_empty()).then(|| Self { first: Some(FirstReply { raw, refused }), ..self.clone() })
    }

    /// The mail, the memories that are named, and what was refused.
    pub(super) fn mending_prompt(&self, first: &FirstReply, fence: &str) -> Prompt {
        let (system, schema) = (wording::SYSTEM_AGAIN, wording::SCHEMA_SHORT);
        let mut prompt = Prompt::new(Task::Mail, wording::VERSION, self.language(), system, schema);
        prompt.source.clone_from(&self.source);
        prompt.text = wording::DATA.replace('%', fence);
        let is_named = |handle: &str| first.refused.iter().any(|(.., of, _)| of == handle);
        self.write_memories(is_named, fence, &mut prompt.text);
        self.write_mail("MAIL", fence, &mut prompt.text);
        for (_, why, _, entry) in &first.refused {
            prompt.text.extend(["\n=== ", fence, " REFUSED ", why.as_str(), "\n", entry]);
        }
        prompt.text.extend(["\n=== ", fence, " END"]);
        prompt.candidates = self.candidates().into_iter().filter(|c| is_named(c.handle)).collect();
        prompt
    }
}
