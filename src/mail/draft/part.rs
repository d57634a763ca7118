//! A part of a sentence that may be worth a draft, and what stands around it.

use super::cues::Cues;
use super::topic::MailTopic;
use super::when::Moment;
use crate::language::{Reference, Value};
use std::ops::Range;

/// One sentence, list item, pair or row, with what is known of it.
#[derive(Debug, Clone)]
pub(super) struct StatementPart {
    pub text: String,
    /// Its bytes in the mail's text.
    pub span: Range<usize>,
    pub cues: Cues,
    pub moments: Vec<Moment>,
    pub kind: PartKind,
    /// How much it says: 0 nothing, 1 something that needs company, 2 enough.
    pub worth: u8,
    /// Whether it is worth something where the mail says nothing else.
    pub fallback: bool,
    /// Whether it begins a paragraph.
    pub begins: bool,
    pub strong: Vec<Value>,
    pub words: Vec<String>,
    pub leans: Lean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    Sentence,
    /// A sentence that announces a list.
    Lead,
    Item {
        ordered: bool,
    },
    /// `label`: its name is that of a property (일시, Due date), not of a thing.
    Pair {
        label: bool,
    },
    Heading,
}

/// How a sentence leans on what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lean {
    /// It names what it is about.
    No,
    /// It tells a property of what was spoken of (장소는, the reason is).
    Property,
    /// It begins with a pronoun or the like: it, 그 사이.
    Pointer,
    /// It has no topic.
    Yes,
    /// It is values only: "4월 16일(수) 오후 2시, 판교 본사입니다."
    Values,
}

impl StatementPart {
    /// Whether it speaks of what was said right before.
    pub fn points_back(&self) -> bool {
        self.leans == Lean::Pointer
    }
}

/// What a part is judged by besides its own words.
pub(super) struct Context<'a> {
    pub topic: &'a MailTopic,
    pub at: Option<Reference>,
    /// Words of the author's name, signature and organisation: a sentence of nothing else introduces them.
    pub own: &'a [String],
    /// Whether it answers another mail.
    pub is_reply: bool,
    /// Whether it was written to a few people, by one.
    pub direct: bool,
}
