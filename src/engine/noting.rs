//! Adds notes and chats as mail from the owner to themself. Unlike mail, a note is kept however short.

use super::{Cancel, Consolidate, Engine, IngestOptions, MailReceipt};
use crate::extract::noted;
use crate::mail::{Mail, Person, Section, Sender, idempotency_key, pasted};
use crate::model::{Draft, Ids, Limits, Metadata, Time};
use crate::sleep::is_small_talk;
use crate::{Error, Result};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Most turns of one chat, and most characters in total.
const MOST_TURNS: usize = 200;
const MOST_CHARS: usize = 100_000;

/// Who speaks in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The owner; stored with source `user_input`.
    User,
    /// An assistant; stored with source `tool_output`.
    Assistant,
    /// A tool; treated like an assistant.
    Tool,
    /// The application's instructions to an assistant; ignored.
    System,
    /// Another name for `system`.
    Developer,
}

impl Role {
    const fn instructs(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

/// One turn of a chat, or a note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// The text, or a list of parts; parts of type `text` are read.
    #[serde(deserialize_with = "content_of")]
    #[tsify(type = "string | { type: string; text?: string }[] | null")]
    pub content: String,
    /// When it was said; default now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
}

fn content_of<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<String, D::Error> {
    match Value::deserialize(from)? {
        Value::String(text) => Ok(text),
        Value::Null => Ok(String::new()),
        Value::Array(parts) => {
            let text = |part: &Value| match part {
                Value::String(text) => Some(text.clone()),
                Value::Object(part) => {
                    let is_text = part.get("type").and_then(Value::as_str).is_none_or(|kind| kind == "text");
                    let text = part.get("text").and_then(Value::as_str).filter(|_| is_text);
                    Some(text.unwrap_or_default().to_owned())
                }
                _ => None,
            };
            let texts: Option<Vec<String>> = parts.iter().map(text).collect();
            let texts = texts.ok_or_else(|| D::Error::custom("has a part that is neither a text nor an object"))?;
            Ok(texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"))
        }
        _ => Err(D::Error::custom("is neither a text nor a list of parts")),
    }
}

/// Options for a note or a chat. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct AddOptions {
    /// An id chosen by the application. Adding it again changes nothing.
    pub source_id: Option<String>,
    /// The conversation it belongs to.
    pub thread_id: Option<String>,
    /// Its topic, as a subject line.
    pub subject: Option<String>,
    /// Decide, but write only log entries.
    pub dry_run: bool,
    /// Metadata stored with each resulting memory.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl Engine {
    /// Adds a note (one turn of the owner) or a chat. A model extracts its facts if one is set, else local rules do.
    pub async fn add(&self, turns: &[Turn], options: &AddOptions, cancel: Cancel<'_>) -> Result<MailReceipt> {
        cancel.check()?;
        let spoken: Vec<Turn> = turns.iter().filter(|turn| !turn.role.instructs()).cloned().collect();
        let turns = &spoken[..];
        let mail = self.as_mail(turns, options)?;
        let mut intake = self.intake(IngestOptions {
            dry_run: options.dry_run,
            metadata: options.metadata.clone(),
            ..IngestOptions::default()
        });
        let mut receipt = MailReceipt {
            message_id: Some(mail.message_id.clone()),
            subject: options.subject.clone(),
            date: mail.date,
            ..MailReceipt::default()
        };
        // Thanks and greetings are no notes.
        if turns.iter().all(|t| is_small_talk(&t.content)) {
            return Ok(receipt);
        }
        self.consolidate_mail(&mut intake, &mail, cancel, &mut receipt).await?;
        if let [Turn { role: Role::User, content, at }] = turns
            && receipt.receipts.is_empty()
            && receipt.failed.is_none()
            && mail.suspicious.is_empty()
        {
            // A very short note yields no fact, but it is kept since the owner wrote it.
            let draft = Draft {
                stated_at: *at,
                subject: options.subject.clone(),
                thread_id: options.thread_id.clone(),
                source_id: Some(mail.message_id.clone()),
                metadata: options.metadata.clone(),
                ..Draft::new(content.trim())
            };
            let key = Some(idempotency_key(intake.name(), &mail, 0));
            let how = Consolidate { dry_run: options.dry_run, key, cancel, ..Consolidate::default() };
            receipt.receipts.push(self.consolidate(self.read_note(draft, false)?, &how).await?);
        }
        Ok(receipt)
    }

    /// Fills a note's missing fields from its text; its category too, unless it is `sorted`.
    pub fn read_note(&self, draft: Draft, sorted: bool) -> Result<Draft> {
        draft.validate()?;
        let turn = Turn { role: Role::User, content: draft.content.clone(), at: draft.stated_at };
        let subject = draft.subject.clone().filter(|s| !s.is_empty());
        let options = AddOptions { subject, ..AddOptions::default() };
        Ok(noted(draft, &self.as_mail(&[turn], &options)?, &self.account(), sorted))
    }

    fn as_mail(&self, turns: &[Turn], options: &AddOptions) -> Result<Mail> {
        let chars: usize = turns.iter().map(|t| t.content.chars().count()).sum();
        let said: Vec<&Turn> = turns.iter().filter(|t| !t.content.trim().is_empty()).collect();
        if said.is_empty() {
            return Err(Error::field("content", "is empty"));
        }
        if chars > MOST_CHARS || turns.len() > MOST_TURNS {
            return Err(Error::field(
                "content",
                format!("has more than {MOST_CHARS} characters or {MOST_TURNS} turns"),
            ));
        }
        for (name, value) in
            [("sourceId", &options.source_id), ("threadId", &options.thread_id), ("subject", &options.subject)]
        {
            if value.as_ref().is_some_and(|v| v.is_empty() || v.chars().count() > Limits::NAME) {
                return Err(Error::field(name, format!("is empty or longer than {} characters", Limits::NAME)));
            }
        }
        let now = self.platform.now();
        let owner = self.options.owner.first().cloned().unwrap_or_else(|| "owner@localhost".to_owned());
        let id = options.source_id.clone();
        let id = id.unwrap_or_else(|| Ids::new(now, self.platform.seed()).mint().to_string());
        let (mut text, mut sections) = (String::new(), Vec::new());
        for turn in &said {
            let start = text.len();
            text.push_str(turn.content.trim());
            let spoken = turn.role != Role::User;
            let section = |start, end| Section { start, end, date: turn.at, ..Section::default() };
            // A mail pasted by the owner is not the owner's own statement.
            if let Some((head, body, author)) = pasted(&text[start..]).filter(|_| !spoken) {
                sections.push(section(start, start + head));
                sections.push(Section { author, forwarded: true, ..section(start + body, text.len()) });
            } else {
                let author = spoken.then(|| Person { name: Some(ASSISTANT.to_owned()), address: String::new() });
                sections.push(Section { author, forwarded: spoken, by_tool: spoken, ..section(start, text.len()) });
            }
            text.push_str("\n\n");
        }
        sections.retain(|s| !text[s.start..s.end].trim().is_empty());
        let date = turns.iter().rev().find_map(|t| t.at).unwrap_or(now).min(now);
        let person = Person { name: None, address: owner };
        Ok(Mail {
            thread_id: options.thread_id.clone().unwrap_or_else(|| id.clone()),
            hash: id.clone(),
            message_id: id,
            subject: options.subject.clone().unwrap_or_default(),
            from: Some(person.clone()),
            to: vec![person],
            sender: Sender { alone: true, vouched: true, ..Sender::default() },
            date: Some(date),
            zone: self.options.zone,
            text,
            is_chat: said.len() > 1,
            sections,
            ..Mail::default()
        })
    }
}

const ASSISTANT: &str = "assistant";
