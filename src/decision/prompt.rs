//! A request to a model, as text and data.

use crate::json::wire;
use crate::language::{has_hangul, is_hangul, personal};
use crate::model::{Category, Claim, Time};
use serde::{Deserialize, Serialize};

/// Maximum characters of a memory's text in a prompt.
const MAX_TEXT: usize = 1_000;

wire! {
    /// The task of a prompt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, tsify::Tsify)]
    #[serde(rename_all = "lowercase")]
    pub enum Task {
        /// Find what a mail, a note or a single new memory changes in the stored memories.
        Mail = "mail",
        /// Merge several memories into one text.
        Summary = "summary",
        /// Name the topics of memories.
        Tags = "tags",
        /// Select the memories that answer the owner's question, and answer it.
        Answer = "answer",
    }
}

/// The language of a prompt and of the requested reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, tsify::Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Korean, if the text contains any Hangul.
    Ko,
    /// English.
    En,
}

impl Language {
    /// The prompt language for a text.
    pub fn of(text: &str) -> Self {
        if has_hangul(text) { Self::Ko } else { Self::En }
    }

    /// Whether a model's text is in this language.
    pub fn has(self, words: &str) -> bool {
        let latin = words.chars().filter(char::is_ascii_alphabetic).count();
        let other = words.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
        match self {
            Self::Ko => has_hangul(words),
            Self::En => latin > other,
        }
    }
}

/// Truncates a text. Never cuts a number in two, because masking would not recognise the rest.
pub fn cut(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else { return text };
    let across = personal(text).into_iter().find(|p| p.range.contains(&end));
    text.get(..across.map_or(end, |p| p.range.start)).unwrap_or(text)
}

/// A stored memory as shown to a model.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// `M1`, `M2`, …
    pub handle: &'static str,
    /// Its text, cut at 1,000 characters.
    pub content: String,
    /// Its category.
    pub category: Category,
    /// Its subject line.
    pub subject: Option<String>,
    /// The author: the local part of the address.
    pub author: Option<String>,
    /// When it was stated, or else when it happens.
    pub time: Option<Time>,
    /// Whether it is in the thread of the mail or memory in question.
    pub same_thread: bool,
}

impl Shown {
    /// Converts a claim; the handle is assigned later.
    pub fn new(s: &Claim<'_>, same_thread: bool) -> Self {
        Self {
            handle: "",
            content: cut(s.content, MAX_TEXT).to_owned(),
            category: s.category,
            subject: s.subject.map(str::to_owned),
            author: s.author.map(|a| a.split('@').next().unwrap_or(a).to_owned()),
            time: s.own_time(),
            same_thread,
        }
    }

    /// The texts written by people, which must be masked.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        [Some(&mut self.content), self.subject.as_mut(), self.author.as_mut()].into_iter().flatten()
    }
}

/// An example with its correct answer, to show a model the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
pub struct Example {
    /// The prompt text.
    pub text: String,
    /// The reply.
    pub reply: String,
}

impl Example {
    pub(crate) fn new(text: &str, reply: &str) -> Self {
        Self { text: text.to_owned(), reply: reply.to_owned() }
    }
}

/// A request to a model, with the stored memories it shows as data.
#[derive(Debug, Clone, PartialEq, Serialize, tsify::Tsify)]
pub struct Prompt {
    /// Version of the wording.
    pub version: u32,
    /// The task.
    pub task: Task,
    /// The language of the prompt.
    pub language: Language,
    /// The message id of the mail in question, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The instructions; equal for all prompts of a task and language.
    pub system: &'static str,
    /// Examples in the same language. A retry adds the first prompt with its unreadable reply.
    pub examples: Vec<Example>,
    /// The prompt text. Its data is fenced by marks that no mail can guess.
    pub text: String,
    /// The stored memories shown.
    pub candidates: Vec<Shown>,
    /// The JSON schema of the reply.
    pub schema: String,
    /// How many of the first examples are built in, the same for all users.
    #[serde(skip)]
    pub ours: usize,
    /// The milliseconds left, for a retry.
    #[serde(skip)]
    pub within: Option<f64>,
}

impl Prompt {
    /// A prompt without data.
    pub fn new(task: Task, version: u32, language: Language, system: &'static str, schema: &str) -> Self {
        Self {
            version,
            task,
            language,
            source: None,
            system,
            examples: Vec::new(),
            ours: 0,
            text: String::new(),
            candidates: Vec::new(),
            schema: schema.to_owned(),
            within: None,
        }
    }

    /// Adds a built-in example.
    pub fn teach(&mut self, example: Example) {
        self.examples.push(example);
        self.ours = self.examples.len();
    }

    /// Whether a reply reveals the fence or the start of the instructions.
    pub fn leaks(&self, reply: &str, fence: &str) -> bool {
        let lead = self.system.split_once('.').map_or(self.system, |(first, _)| first);
        !fence.is_empty() && reply.contains(fence) || reply.contains(lead)
    }

    /// The prompt for a retry, with the unreadable reply and its fault.
    #[must_use]
    pub fn again(&self, reply: &str, fault: &str, within: Option<f64>) -> Self {
        let reply: String = reply.chars().take(2 * MAX_TEXT).collect();
        let mut next = self.clone();
        next.examples.push(Example { text: std::mem::take(&mut next.text), reply });
        next.text = match self.language {
            Language::Ko => {
                ["쓸 수 없는 답입니다(", fault, "). 지시한 형식의 JSON 객체 하나만 다시 답하세요."].concat()
            }
            Language::En => ["That cannot be read (", fault, "). Reply again, with the JSON object alone."].concat(),
        };
        Self { within, ..next }
    }

    /// Estimated tokens of the texts. Excludes the schema, which some endpoints count too.
    pub fn tokens(&self) -> u32 {
        let words = self.examples.iter().flat_map(|e| [e.text.as_str(), &e.reply]).chain([self.system, &self.text]);
        words.map(tokens).sum()
    }
}

/// Estimated tokens of a text: four letters each, or 1¼ syllables of Hangul.
pub fn tokens(text: &str) -> u32 {
    let twentieths: u32 = text.chars().map(|c| if is_hangul(c) { 16 } else { 5 }).sum();
    twentieths.div_ceil(20)
}
