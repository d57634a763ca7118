//! A part of a sentence that may be worth a draft, and what stands around it.

use super::cues::Cues;
use super::held::HeldValues;
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
    pub held: HeldValues,
    /// How much it says; for `worth` to fill in.
    pub worth: Worth,
    /// Whether it is enough where the mail says nothing else.
    pub will_do: bool,
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

impl PartKind {
    /// Whether it is a part of a list: an item or a row.
    pub const fn is_listed(self) -> bool {
        matches!(self, Self::Item { .. } | Self::Pair { .. })
    }

    pub const fn is_pair(self) -> bool {
        matches!(self, Self::Pair { .. })
    }
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
    /// "23 now, sorry for the back and forth."
    pub fn answers_with_a_number(&self, context: &Context<'_>) -> bool {
        context.is_reply && self.held.counts_first && self.text.chars().count() <= 60
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
    pub sent: Sending,
}

/// How the words came.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sending {
    pub by_owner: bool,
    /// By the owner to themself.
    pub is_note: bool,
    /// By a machine, or from an address that no person has to themself.
    pub by_desk: bool,
    pub over_list: bool,
    pub forwarded: bool,
    /// To more than three.
    pub to_many: bool,
}

/// How much a part says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Worth {
    /// Nothing.
    #[default]
    Nothing,
    /// Something that needs company.
    Something,
    /// Enough for a draft.
    Enough,
}
