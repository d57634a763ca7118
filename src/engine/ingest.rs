//! From mail to memories: bytes in, one receipt a message out. A bad message never stops an import.

use super::applied_entries::AppliedEntries;
use super::budget::Purse;
use super::deciding::Asked;
use super::limits::MOST_AT_ONCE;
use super::reading::{Lessons, RefusedEntry, Taught};
use super::word_counts::WordCounts;
use super::{Cancel, Consolidate, Engine, LogQuery, Platform, Receipt};
use crate::consolidation::{ChangeSet, LogEntry, Status, nothing_found, suspect, unusable};
use crate::decision::{Decision, Reason, Speaker};
use crate::embed::Embedder;
use crate::language::has_hangul;
use crate::mail::{
    Account, Charset, Cut, Mail, Mailbox, Piece, Vouched, idempotency_key, is_by_tool, passes_on, read_vouched,
};
use crate::model::{Draft, Id, Limits, Metadata, Source, Time, same_address};
use crate::store::Store;
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// A place between two messages of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Place {
    /// Bytes before it.
    pub bytes: u64,
    /// Messages before it.
    pub mails: u32,
}

/// How mail is taken in. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct IngestOptions {
    /// Which account the mail is of; a mail is handled once for each. The first own address where absent.
    pub account: Option<String>,
    /// Decide, but write nothing; the report tells what would change. Each mail is decided over what those before it
    /// would have left.
    pub dry_run: bool,
    /// Where an earlier import of the same bytes stopped, as its report told it.
    pub resume: Option<Place>,
    /// It lies in the owner's folder of sent mail: its author is the owner, as the host of the mail vouches.
    pub sent: bool,
    /// The mail host's own name of the thread, for a single message.
    pub thread: Option<String>,
    /// Tokens that a model may use for this import; without limit where absent. What is not asked waits.
    pub import_tokens: Option<u32>,
    /// Mails that a model is asked about at the same time, 1 to 8; 8 where absent. It changes no result.
    pub concurrency: Option<u32>,
    /// What the application keeps beside each memory that comes of it.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl IngestOptions {
    /// Checks what the types leave open.
    ///
    /// # Errors
    /// [`Code::InvalidField`] for a number of mails at once that is none from 1 to 8.
    pub fn validate(&self) -> Result<()> {
        match self.concurrency {
            Some(n) if !(1..=MOST_AT_ONCE as u32).contains(&n) => {
                Err(Error::field("concurrency", "is not from 1 to 8"))
            }
            _ => Ok(()),
        }
    }
}

/// Why a message, or one draft of it, could not be handled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The message's place in the stream, from 0.
    pub index: u32,
    /// Where it begins in the stream, in bytes.
    pub start: u64,
    /// Where it ends; these bytes alone, with `resume` at `start`, try it again.
    pub end: u64,
    /// Its message id, where it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The error's code.
    pub code: Code,
    /// The error's sentence.
    pub message: String,
}

/// What became of one message.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct MailReceipt {
    /// Its place in the stream, from 0.
    pub index: u32,
    /// Its message id.
    pub message_id: Option<String>,
    /// Its subject line.
    pub subject: Option<String>,
    /// Its sender, by name or address.
    pub from: Option<String>,
    /// Its date.
    pub date: Option<Time>,
    /// What became of each memory that it teaches.
    pub receipts: Vec<Receipt>,
    /// What a model said of it that could not be used; what that rests on is kept in the mail's own words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedEntry>,
    /// Why it could not be handled; it is in the log and can be tried again.
    pub failed: Option<Failure>,
}

/// What an import has done so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct IngestReport {
    /// Messages handled.
    pub mails: u32,
    /// Memories that they teach.
    pub drafts: u32,
    /// Memories created without a link.
    pub created: u32,
    /// Memories updated, and changes withheld for review.
    pub updated: u32,
    /// Memories created and linked.
    pub linked: u32,
    /// Memories that said nothing new.
    pub skipped: u32,
    /// Memories that were handled by an earlier delivery or import.
    pub replayed: u32,
    /// Passages that speak to an assistant instead of to a reader; they wait for a review.
    pub suspected: u32,
    /// Messages that could not be handled.
    pub failed: Vec<Failure>,
    /// Behind the last message that was handled: where a later import of the same bytes goes on.
    pub next: Place,
    /// What would change, in order; of a dry run alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<WouldChange>,
}

/// What a dry run would change.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WouldChange {
    /// The message's place in the stream, from 0.
    pub index: u32,
    /// What would be decided.
    pub decision: Decision,
    /// The memory that it is about, which may itself be one that would be made.
    pub target_id: Option<Id>,
    /// What that memory says.
    pub before: Option<String>,
    /// What would be stored; absent where the change would be withheld.
    pub after: Option<String>,
    /// Whether it would wait for a review.
    pub needs_review: bool,
    /// Why, as a sentence.
    pub reason: String,
}

/// An import under way: pushes bytes, hands out messages, counts.
#[derive(Debug)]
pub struct Intake {
    mailbox: Mailbox,
    account: Account,
    options: IngestOptions,
    report: IngestReport,
    pub(super) purse: Purse,
    /// What its mails have in common.
    pub(super) words: WordCounts,
}

/// A message of an import, read.
pub(super) struct Arrived {
    pub index: u32,
    pub mail: Result<Mail>,
    bytes: (u64, u64),
}

impl Intake {
    /// The messages that these bytes complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Piece> {
        self.mailbox.push(bytes)
    }

    /// The last message, when the stream has ended.
    pub fn finish(&mut self) -> Vec<Piece> {
        self.mailbox.finish()
    }

    /// What was done so far.
    pub fn report(&self) -> &IngestReport {
        &self.report
    }

    pub(super) fn options(&self) -> &IngestOptions {
        &self.options
    }

    pub(super) fn account(&self) -> &Account {
        &self.account
    }

    /// The account by whose name a mail is handled once.
    pub(super) fn name(&self) -> &str {
        self.options.account.as_deref().or(self.account.owner.first().map(String::as_str)).unwrap_or("")
    }

    /// The key of a mail's first draft.
    pub(super) fn key(&self, mail: &Mail) -> String {
        idempotency_key(self.name(), mail, 0)
    }

    /// Counts what a prefetched reply used.
    pub(super) fn pay(&mut self, used: Purse) {
        self.purse.tokens = self.purse.tokens.saturating_add(used.tokens);
        self.purse.calls += used.calls;
    }

    fn count(&mut self, receipt: &MailReceipt) {
        let r = &mut self.report;
        r.mails += 1;
        r.drafts += receipt.receipts.len() as u32;
        for Receipt { entry, replayed, .. } in &receipt.receipts {
            let counter = match entry.decision {
                _ if *replayed => &mut r.replayed,
                Decision::Create => &mut r.created,
                Decision::Update => &mut r.updated,
                Decision::CreateAndLink => &mut r.linked,
                Decision::Skip | Decision::Delete => &mut r.skipped,
            };
            *counter += 1;
        }
        r.failed.extend(receipt.failed.clone());
    }
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Begins an import.
    pub fn intake(&self, options: IngestOptions) -> Intake {
        let account = self.account();
        let next = options.resume.unwrap_or_default();
        let mailbox = Mailbox::resume(next.bytes, u64::from(next.mails));
        let purse = Purse { most: options.import_tokens, ..Purse::default() };
        let report = IngestReport { next, ..IngestReport::default() };
        Intake { mailbox, account, options, report, purse, words: WordCounts::default() }
    }

    /// Whose mail it is, by the options.
    pub(super) fn account(&self) -> Account {
        let o = &self.options;
        let (owner, important, hosts) = (o.owner.clone(), o.important.clone(), o.mail_hosts.clone());
        Account { owner, important, zone: Some(o.zone), hosts }
    }

    /// Handles one message of an import: reads it, drafts its memories, consolidates each under its own key.
    ///
    /// # Errors
    /// [`Code::Aborted`], and what would fail every message alike (a closed store, a full disk). What is wrong
    /// with this message alone is logged with status `error` and reported in the receipt.
    pub async fn ingest(
        &self,
        intake: &mut Intake,
        piece: Piece,
        charset: &dyn Charset,
        cancel: Cancel<'_>,
    ) -> Result<MailReceipt> {
        let arrived = self.arrived(intake, piece, charset);
        self.handle(intake, arrived, cancel).await
    }

    /// Tokens that an import may still use, by its own limit and the day's; without limit where absent.
    pub(super) async fn import_tokens_left(&self, intake: &Intake) -> Result<Option<u32>> {
        let import = intake.purse.most.map(|most| most.saturating_sub(intake.purse.tokens));
        let Some(most) = self.options.daily_tokens else { return Ok(import) };
        let day = most.saturating_sub(self.client.shared.budget.used_today(self.env()).await?);
        Ok(Some(import.map_or(day, |left| left.min(day))))
    }

    /// A message, read.
    pub(super) fn arrived(&self, intake: &Intake, piece: Piece, charset: &dyn Charset) -> Arrived {
        let (index, bytes) = (piece.index as u32, (piece.offset, piece.end));
        let IngestOptions { sent, thread, .. } = intake.options.clone();
        let (labelled, cut) = (piece.by_takeout && piece.cut == Cut::Sure, piece.cut);
        let vouched = Vouched { cut, labelled, sent, thread: thread.filter(|_| !piece.in_mailbox) };
        let mut mail = piece.raw.and_then(|raw| read_vouched(&raw, charset, &vouched));
        if let Ok(mail) = &mut mail {
            mail.arrived_by(self.platform.now());
        }
        Arrived { index, mail, bytes }
    }

    /// Handles a message that was read.
    pub(super) async fn handle(
        &self,
        intake: &mut Intake,
        arrived: Arrived,
        cancel: Cancel<'_>,
    ) -> Result<MailReceipt> {
        cancel.check()?;
        let Arrived { index, mail, bytes } = arrived;
        let mut receipt = MailReceipt { index, ..MailReceipt::default() };
        match mail {
            Err(e) => receipt.failed = Some(self.failed(intake, index, None, e).await?),
            Ok(mail) => {
                receipt.message_id = Some(mail.message_id.clone());
                receipt.subject = Some(mail.subject.clone());
                receipt.from = mail.from.as_ref().map(|p| p.name.clone().unwrap_or_else(|| p.address.clone()));
                receipt.date = mail.date;
                self.consolidate_mail(intake, &mail, cancel, &mut receipt).await?;
            }
        }
        if let Some(failure) = &mut receipt.failed {
            (failure.start, failure.end) = bytes;
        }
        intake.count(&receipt);
        intake.report.next = Place { bytes: bytes.1, mails: index.saturating_add(1) };
        Ok(receipt)
    }

    pub(super) async fn consolidate_mail(
        &self,
        intake: &mut Intake,
        mail: &Mail,
        cancel: Cancel<'_>,
        receipt: &mut MailReceipt,
    ) -> Result<()> {
        let options = intake.options.clone();
        let writes = !options.dry_run || self.rehearses;
        let account = intake.name().to_owned();
        let key = |n| idempotency_key(&account, mail, n);
        let mut asked = Asked::within(intake.purse);
        let mut speaker = self.speaker(mail, intake, writes).await?;
        let by_known = (speaker.steers && speaker.is_known && !speaker.is_nobody()).then(|| mail.by_somebody_known());
        let mail = by_known.as_ref().unwrap_or(mail);
        speaker.steers = !mail.suspicious.is_empty();
        let Lessons { taught, refused, is_lost, is_empty } =
            self.taught((mail, &speaker), &intake.account, &key(0), &mut asked, cancel).await?;
        intake.purse = asked.purse;
        let drafts: Vec<&Draft> = taught.iter().map(|t| &t.draft).collect();
        self.mean_drafts(&drafts, key, cancel).await?;
        let how = |n| Consolidate { dry_run: !writes, key: Some(key(n)), speaker: Some(speaker.clone()), cancel };
        let mut otherwise = false;
        let mut made = AppliedEntries::default();
        for (n, Taught { draft, entry, refused, beside }) in taught.into_iter().enumerate() {
            let (mut how, mut draft) = (how(n), Draft { metadata: options.metadata.clone(), ..draft });
            let of = self.get_any(entry.as_ref().and_then(|(_, entry)| entry.of)).await?;
            let known = of.as_ref().map_or("", |m| &m.content);
            // The owner's name does not stand for what another wrote, nor for what an assistant says.
            let of_another = match () {
                () if !speaker.is_owner => None,
                () if passes_on(mail, &draft, known) => Some(Source::Realtime),
                () => is_by_tool(mail, &draft).then_some(Source::ToolOutput),
            };
            if let Some(source) = of_another {
                let is_unchecked = self.check_counts(&account).await?.expects_results();
                let unproven = Speaker::passed_on(forwarded_from(mail), is_unchecked);
                (how.speaker, draft.author, draft.source_type) = (Some(unproven), None, source);
            } else if speaker.is_nobody() {
                // Nor does an address for what nobody behind it has said.
                draft.author = None;
                draft.people.retain(|p| mail.from.as_ref().is_none_or(|from| !same_address(p, &from.address)));
            }
            // A mail that was drafted otherwise when it first came is not drafted again.
            if otherwise && self.handled_before(how.key.as_deref()).await?.is_none() {
                continue;
            }
            let said = if n == 0 { draft.content.clone() } else { String::new() };
            let found = entry.as_ref().map(|(_, entry)| made.finding(entry, mail.date));
            asked.about(found, refused, beside);
            let done = self.consolidate_with(draft, &how, &mut asked).await;
            otherwise |= n == 0 && done.as_ref().is_ok_and(|d| d.replayed && d.entry.input != said);
            intake.purse = asked.purse;
            match done {
                Ok(mut done) => {
                    if let (Some(entry), Some(memory)) = (&entry, &done.memory) {
                        // A version that was put into the history is not what links and later entries mean.
                        let id = entry.1.of.filter(|_| !memory.is_current()).unwrap_or(memory.id);
                        made.note(entry, id);
                    }
                    if options.dry_run {
                        self.would_change(intake, receipt.index, &done).await?;
                        done.entry.status = Status::DryRun;
                    }
                    receipt.receipts.push(done);
                }
                // What is wrong with one draft does not take the others with it.
                Err(e) if matches!(e.code, Code::InvalidField | Code::Embedding) => {
                    let id = Some(mail.message_id.clone());
                    receipt.failed = Some(self.failed(intake, receipt.index, id, e).await?);
                }
                Err(e) => return Err(e),
            }
        }
        if is_empty && writes {
            let source: String = mail.message_id.chars().take(Limits::NAME).collect();
            let _turn = self.mirror.turn.lock().await;
            let set = nothing_found(&source, has_hangul(&mail.text), self.env().entry(""));
            let _ = self.commit(set).await?;
        }
        if is_lost && writes {
            let reasons = refused.iter().map(|r| Reason::ModelRefused { error: r.error.clone() }).collect();
            let source: String = mail.message_id.chars().take(Limits::NAME).collect();
            let korean = has_hangul(&mail.text);
            self.log_aside(key(REFUSED), "", |entry, key| unusable(reasons, &source, korean, key, entry)).await?;
        }
        receipt.refused = refused;
        if !mail.suspicious.is_empty() {
            intake.report.suspected += 1;
            if writes {
                let draft = suspected(mail, &speaker);
                let input = draft.content.clone();
                self.log_aside(key(SUSPECT), &input, |entry, key| suspect(draft, key, entry)).await?;
            }
        }
        Ok(())
    }

    /// Reports what a dry run would have written.
    async fn would_change(&self, intake: &mut Intake, index: u32, done: &Receipt) -> Result<()> {
        let Receipt { entry, memory, replayed } = done;
        // Of a day that moves nothing else does.
        let writes = !entry.touched.is_empty() && !entry.dates();
        if *replayed || !(writes || entry.needs_review) {
            return Ok(());
        }
        intake.report.changes.push(WouldChange {
            index,
            decision: entry.decision,
            target_id: entry.target_id,
            before: self.get_any(entry.target_id).await?.map(|m| m.content),
            after: memory.as_ref().filter(|_| writes).map(|m| m.content.clone()),
            needs_review: entry.needs_review,
            reason: entry.reason.clone(),
        });
        Ok(())
    }

    /// Logs something of which nothing is made; once.
    async fn log_aside(&self, key: String, input: &str, set: impl FnOnce(LogEntry, String) -> ChangeSet) -> Result<()> {
        let _turn = self.mirror.turn.lock().await;
        self.commit(set(self.env().entry(input), key)).await.map(drop)
    }

    /// A copy of this memory in `scratch`, an empty store, over which a dry run of an import decides as the import
    /// would: each mail over what those before it left. Nothing of it reaches this memory.
    pub async fn rehearsal(&self, scratch: S) -> Result<Self>
    where
        E: Clone,
        P: Clone,
    {
        let log = self.log(&LogQuery::default()).await?;
        let memories = self.everything().await?;
        let ids: Vec<Id> = memories.iter().map(|m| m.id).collect();
        let vectors = ids.iter().copied().zip(self.store.vectors(&ids).await?).filter(|(_, v)| v.is_some()).collect();
        let mut records = Some((memories, vectors, self.all_edges().await?));
        let mut sets = Vec::with_capacity(log.len());
        for entry in log {
            let (memories, vectors, edges) = records.take().unwrap_or_default();
            let key = entry.key.clone();
            sets.push(ChangeSet { key, memories, vectors, edges, ..ChangeSet::new(entry) });
        }
        scratch.commit_all(sets).await?;
        self.client.shared.budget.lend(self.env(), &scratch).await?;
        self.lend_wholes(&scratch).await?;
        let copy = Self::open(scratch, self.embedder.clone(), self.platform.clone(), self.options.clone()).await?;
        let client = self.client.lent();
        Ok(Self { rehearses: true, client, embeddings: self.embeddings.clone(), ..copy })
    }

    /// Logs what could not be handled, unless nothing may be written.
    async fn failed(&self, intake: &Intake, index: u32, message_id: Option<String>, e: Error) -> Result<Failure> {
        if !intake.options.dry_run || self.rehearses {
            self.log_failure(&e, "", message_id.clone()).await?;
        }
        Ok(Failure { index, start: 0, end: 0, message_id, code: e.code, message: e.details().message })
    }
}

/// The one address from which a mail forwards something.
fn forwarded_from(mail: &Mail) -> Option<String> {
    let forwarded = mail.sections.iter().filter(|s| s.forwarded);
    let mut from = forwarded.filter_map(|s| s.author.as_ref()).map(|a| &a.address).filter(|a| a.contains('@'));
    let first = from.next()?;
    from.all(|other| same_address(other, first)).then(|| first.clone())
}

/// The places of a mail's suspicious passages, and of what a model said of it in vain, among its drafts: beyond the last.
const SUSPECT: usize = 1_000;
const REFUSED: usize = 1_001;

/// What a mail says to an assistant, as its owner may want to read it.
fn suspected(mail: &Mail, speaker: &Speaker) -> Draft {
    let passages: Vec<&str> = mail.suspicious.iter().filter_map(|span| mail.text.get(span.clone())).collect();
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    Draft {
        subject: Some(cut(&mail.subject, Limits::NAME)).filter(|s| !s.is_empty()),
        people: mail.from.iter().map(|p| cut(&p.address, Limits::NAME)).collect(),
        stated_at: mail.date,
        source_id: Some(cut(&mail.message_id, Limits::NAME)),
        thread_id: Some(cut(&mail.thread_id, Limits::NAME)),
        // Accepted, it is a mail's word like any other.
        source_type: Source::Realtime,
        author: speaker.address.as_deref().filter(|_| !speaker.is_nobody()).map(|a| cut(a, Limits::NAME)),
        ..Draft::new(cut(&passages.join("\n"), Limits::CONTENT))
    }
}
