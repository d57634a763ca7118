//! An import in progress: its options, its report, and the receipt of each message.

use super::budget::TokenBudget;
use super::reading::RefusedEntry;
use super::rule_memories::RuleMemories;
use super::{Engine, MOST_AT_ONCE};
use crate::consolidation::LogEntry;
use crate::decision::Decision;
use crate::mail::{Account, Exclusion, Mail, Mailbox, Piece};
use crate::model::{Id, Limits, Memory, Metadata, Time};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A position between two messages of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Place {
    /// Bytes before it.
    pub bytes: u64,
    /// Messages before it.
    pub mails: u32,
}

/// Options of an import. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct IngestOptions {
    /// The account that the mail belongs to; each mail is handled once per account. Default: the owner's first address.
    pub account: Option<String>,
    /// Let the model read mails again that rules alone have read. Memories that rules made of such
    /// mails give way; those that the owner, a model or an unread mail has used since stay.
    pub reread: bool,
    /// Decide each mail as if the earlier ones were written, but write nothing; `changes` lists what would change.
    pub dry_run: bool,
    /// Where an earlier import of the same bytes stopped: its `next`.
    pub resume: Option<Place>,
    /// The mail is from the owner's sent folder, so its author is the owner. The mail host vouches for that.
    pub sent: bool,
    /// The mail host's own thread id, for a single message.
    pub thread: Option<String>,
    /// Most tokens for this import; without limit by default. Questions beyond it wait.
    pub import_tokens: Option<u32>,
    /// Mails that a model is asked about at once, 1 to 8; default 8. It does not affect results.
    pub concurrency: Option<u32>,
    /// Mail that is not read, by its sender or subject.
    #[serde(skip_serializing_if = "Exclusion::is_empty")]
    pub exclude: Exclusion,
    /// Metadata stored with each resulting memory.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl IngestOptions {
    /// Checks what the types cannot.
    pub fn validate(&self) -> Result<()> {
        Limits::range("concurrency", self.concurrency.unwrap_or(1), (1, MOST_AT_ONCE as u32))?;
        self.exclude.validate()
    }
}

/// Why a message, or one draft of it, could not be handled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The message's position in the stream, from 0.
    pub index: u32,
    /// The byte offset of its start.
    pub start: u64,
    /// The byte offset of its end. Import these bytes alone, with `resume` at `start`, to retry.
    pub end: u64,
    /// Its message id, if it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The error code.
    pub code: Code,
    /// The error message.
    pub message: String,
}

/// The result for one message.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct MailReceipt {
    /// Its position in the stream, from 0.
    pub index: u32,
    /// Whether `exclude` names it. Then it was not read, and the other fields are absent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub excluded: bool,
    /// Its message id.
    pub message_id: Option<String>,
    /// Its subject line.
    pub subject: Option<String>,
    /// Its sender, by name or address.
    pub from: Option<String>,
    /// Its date.
    pub date: Option<Time>,
    /// The result for each of its drafts.
    pub receipts: Vec<Receipt>,
    /// Entries of the model's reply that were rejected. Their evidence is kept verbatim.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedEntry>,
    /// Why it could not be handled. The failure is logged and can be retried.
    pub failed: Option<Failure>,
}

/// The progress of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct IngestReport {
    /// Messages handled.
    pub mails: u32,
    /// Drafts extracted from them.
    pub drafts: u32,
    /// Memories created without a link.
    pub created: u32,
    /// Memories updated, and changes withheld for review.
    pub updated: u32,
    /// Memories created and linked.
    pub linked: u32,
    /// Drafts with nothing new.
    pub skipped: u32,
    /// Drafts handled by an earlier delivery or import.
    pub replayed: u32,
    /// Mails whose memories by rules gave way to the model's; only for a reread.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gave_way: u32,
    /// Messages that `exclude` names.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub excluded: u32,
    /// Messages with suspected prompt injections; these wait for a review.
    pub suspected: u32,
    /// Messages that could not be handled.
    pub failed: Vec<Failure>,
    /// The position after the last handled message: `resume` for a later import of the same bytes.
    pub next: Place,
    /// What would change, in order; only for a dry run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<WouldChange>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// A change that a dry run would make.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WouldChange {
    /// The message's position in the stream, from 0.
    pub index: u32,
    /// The decision.
    pub decision: Decision,
    /// The target memory, which may itself exist only in the dry run.
    pub target_id: Option<Id>,
    /// The target's current text.
    pub before: Option<String>,
    /// The text that would be stored; absent if the change would be withheld.
    pub after: Option<String>,
    /// Whether it would wait for a review.
    pub needs_review: bool,
    /// The reason, as a sentence.
    pub reason: String,
}

/// An import in progress: splits bytes into messages and counts results.
#[derive(Debug)]
pub struct Intake {
    mailbox: Mailbox,
    pub(super) account: Account,
    pub(super) options: IngestOptions,
    pub(super) report: IngestReport,
    pub(super) budget: TokenBudget,
    pub(super) words: WordCounts,
    pub(super) rules: RuleMemories,
}

pub(super) struct IncomingMail {
    pub index: u32,
    /// Whether Takeout labelled it; `None` if its place in a mailbox is doubtful or it came alone.
    pub in_mailbox: Option<bool>,
    pub mail: Result<Mail, Unread>,
    pub bytes: (u64, u64),
}

pub(super) enum Unread {
    Failed(Error),
    Excluded,
}

impl Intake {
    pub(super) fn new(options: IngestOptions, account: Account) -> Self {
        let next = options.resume.unwrap_or_default();
        let mailbox = Mailbox::resume(next.bytes, u64::from(next.mails));
        let budget = TokenBudget { most: options.import_tokens, ..TokenBudget::default() };
        let report = IngestReport { next, ..IngestReport::default() };
        let (words, rules) = (WordCounts::default(), RuleMemories::default());
        Self { mailbox, account, options, report, budget, words, rules }
    }

    /// Adds bytes and returns the messages they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Piece> {
        self.mailbox.push(bytes)
    }

    /// Ends the stream and returns its last message.
    pub fn finish(&mut self) -> Vec<Piece> {
        self.mailbox.finish()
    }

    /// Returns the progress so far.
    pub fn report(&self) -> &IngestReport {
        &self.report
    }

    pub(super) fn name(&self) -> &str {
        self.options.account.as_deref().or(self.account.owner.first().map(String::as_str)).unwrap_or("")
    }

    pub(super) fn count(&mut self, receipt: &MailReceipt) {
        let r = &mut self.report;
        r.mails += 1;
        r.excluded += u32::from(receipt.excluded);
        r.drafts += receipt.receipts.iter().filter(|r| r.entry.decision != Decision::Delete).count() as u32;
        for Receipt { entry, replayed, .. } in &receipt.receipts {
            let counter = match entry.decision {
                _ if *replayed => &mut r.replayed,
                Decision::Create => &mut r.created,
                Decision::Update => &mut r.updated,
                Decision::CreateAndLink => &mut r.linked,
                Decision::Skip => &mut r.skipped,
                Decision::Delete => &mut r.gave_way,
            };
            *counter += 1;
        }
        r.failed.extend(receipt.failed.clone());
    }
}

impl Engine {
    /// Returns a dry-run copy ([`Engine::rehearsal`]) that counts model calls instead of sending them.
    pub async fn gauging(&self) -> Result<Self> {
        let mut copy = self.rehearsal().await?;
        copy.client.gauge = Some(Rc::default());
        Ok(copy)
    }

    /// Returns the calls counted, together with the report of an import over this copy.
    pub fn gauged(&self, report: &IngestReport) -> Estimate {
        let TokenBudget { calls, tokens, .. } = self.client.gauge.as_ref().map(|g| g.get()).unwrap_or_default();
        Estimate { mails: report.mails, drafts: report.drafts, calls, tokens }
    }
}

/// The estimated cost of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Messages.
    pub mails: u32,
    /// Memories that they yield.
    pub drafts: u32,
    /// Model calls.
    pub calls: u32,
    /// Tokens of questions and answers. Schemas are left out, though some endpoints count them.
    pub tokens: u32,
}

/// The result for one new memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The log entry: the decision with its reasons.
    pub entry: LogEntry,
    /// The created memory, or the current one that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// Whether the input was handled before, so that nothing was done now.
    pub replayed: bool,
}

/// A word is common if it occurs in more than `FEW` mails plus one in `COMMON`.
const FEW: usize = 2;
const COMMON: usize = 8;
const MOST_WORDS: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct WordCounts {
    mails: usize,
    words: HashMap<u64, usize>,
}

impl WordCounts {
    pub(super) fn add(&mut self, words: &HashSet<u64>) {
        self.mails += 1;
        for word in words {
            if self.words.len() < MOST_WORDS || self.words.contains_key(word) {
                *self.words.entry(*word).or_default() += 1;
            }
        }
    }

    pub(super) fn is_common(&self, word: u64) -> bool {
        self.words.get(&word).is_some_and(|mails| *mails > FEW + self.mails / COMMON)
    }
}
