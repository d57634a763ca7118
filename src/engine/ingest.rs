//! Imports mail: parses messages, extracts drafts and consolidates each. A bad message never stops an import.

use super::deciding::AppliedEntries;
use super::deciding::QuestionState;
use super::intake::{Failure, IncomingMail, IngestOptions, Intake, MailReceipt, Place, Unread, WouldChange};
use super::model_client;
use super::reading::{ExtractedFact, MailFacts};
use super::rule_memories::draft_key;
use super::{Cancel, Consolidate, Engine, LogQuery, Receipt};
use crate::consolidation::{ChangeSet, LogEntry, Record, Shelf, Status, failure, suspect, unwritten};
use crate::decision::{Analyst, Reason, Refusal, Speaker};
use crate::language::{has_hangul, shown};
use crate::mail::{Account, Charset, Cut, Mail, Piece, Vouched, is_by_tool, passes_on, read_vouched};
use crate::model::{Draft, Limits, Source, same_address};
use crate::store::{MemoryStore, Store};
use crate::{Code, Error, Result};
use std::rc::Rc;

impl Engine {
    /// Starts an import.
    pub fn intake(&self, options: IngestOptions) -> Intake {
        Intake::new(options, self.account())
    }

    pub(super) fn account(&self) -> Account {
        let o = &self.options;
        let (owner, important, hosts) = (o.owner.clone(), o.important.clone(), o.mail_hosts.clone());
        Account { owner, important, zone: Some(o.zone), hosts }
    }

    /// Returns the tokens left for an import, by its own limit and the day's; `None` for no limit.
    pub(super) async fn import_tokens_left(&self, intake: &Intake) -> Result<Option<u32>> {
        let import = intake.budget.most.map(|most| most.saturating_sub(intake.budget.tokens));
        let Some(most) = self.options.daily_tokens else { return Ok(import) };
        let day = most.saturating_sub(self.used_today().await?);
        Ok(Some(import.map_or(day, |left| left.min(day))))
    }

    pub(super) fn parse_incoming(&self, intake: &Intake, piece: Piece, charset: &dyn Charset) -> IncomingMail {
        let (index, bytes) = (piece.index as u32, (piece.offset, piece.end));
        let IngestOptions { sent, thread, .. } = intake.options.clone();
        let (labelled, cut) = (piece.by_takeout && piece.cut == Cut::Sure, piece.cut);
        let in_mailbox = (piece.in_mailbox && cut != Cut::Doubtful).then_some(labelled);
        let vouched = Vouched { cut, labelled, sent, thread: thread.filter(|_| !piece.in_mailbox) };
        let read = piece.raw.and_then(|raw| read_vouched(&raw, charset, &vouched));
        let mail = match read {
            Ok(mail) if intake.options.exclude.excludes(&mail) => Err(Unread::Excluded),
            Ok(mut mail) => {
                mail.arrived_by(self.platform.now());
                Ok(mail)
            }
            Err(e) => Err(Unread::Failed(e)),
        };
        IncomingMail { index, in_mailbox, mail, bytes }
    }

    pub(super) async fn handle_mail(
        &self,
        intake: &mut Intake,
        arrived: IncomingMail,
        cancel: Cancel<'_>,
    ) -> Result<MailReceipt> {
        cancel.check()?;
        let IncomingMail { index, mail, bytes, .. } = arrived;
        let mut receipt = MailReceipt { index, ..MailReceipt::default() };
        match mail {
            Err(Unread::Excluded) => receipt.excluded = true,
            Err(Unread::Failed(e)) => receipt.failed = Some(self.failed(intake, index, None, e).await?),
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
        self.check_reread(intake)?;
        let again = self.rule_memories(intake, mail).await?.is_some();
        let key = |n| draft_key(&account, mail, n, again && n != SUSPECT);
        let mut asked = QuestionState::with_budget(intake.budget);
        let mut speaker = self.speaker(mail, intake, writes).await?;
        let by_known = (speaker.steers && speaker.is_known && !speaker.is_nobody()).then(|| mail.by_somebody_known());
        let mail = by_known.as_ref().unwrap_or(mail);
        speaker.steers = !mail.suspicious.is_empty();
        let MailFacts { mut facts, refused, is_lost, is_empty, is_by_model, fault } =
            self.extract_facts((mail, &speaker), &intake.account, &key(0), &mut asked, cancel).await?;
        intake.budget = asked.budget;
        if let Some(fault) = fault.filter(|_| options.reread) {
            cancel.check()?;
            receipt.failed = self.reread_failure(receipt.index, mail, &fault);
            return Ok(());
        }
        if again && !is_by_model {
            if let Some(entry) = self.handled_before(Some(&key(0))).await? {
                receipt.receipts.push(self.replay(entry).await?);
            }
            return Ok(());
        }
        if again {
            self.keep_named(intake, &mut facts).await?;
        }
        let drafts: Vec<&Draft> = facts.iter().map(|t| &t.draft).collect();
        self.mean_drafts(&drafts, key, cancel).await?;
        let how = |n| Consolidate {
            dry_run: !writes,
            key: Some(key(n)),
            speaker: Some(speaker.clone()),
            replaces: None,
            cancel,
        };
        asked.minor_key = model_client::key(&key(0));
        let are_minor_compared = self.are_minor_compared(&asked.minor_key).await?;
        let (mut otherwise, mut is_unchanged) = (false, false);
        let mut made = AppliedEntries::default();
        for (n, ExtractedFact { draft, entry, refused }) in facts.into_iter().enumerate() {
            let (mut how, mut draft) = (how(n), Draft { metadata: options.metadata.clone(), ..draft });
            let of = self.get_any(entry.as_ref().and_then(|(_, entry)| entry.of)).await?;
            let known = of.as_ref().map_or("", |m| &m.content);
            // Quoted text and text by an assistant are not attributed to the owner.
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
                // Nor is unproven mail attributed to the address it shows.
                draft.author = None;
                draft.people.retain(|p| mail.from.as_ref().is_none_or(|from| !same_address(p, &from.address)));
            }
            // If an earlier run extracted other drafts, only its drafts are replayed.
            if otherwise && self.handled_before(how.key.as_deref()).await?.is_none() {
                continue;
            }
            let is_minor = draft.is_minor;
            if are_minor_compared && is_minor && self.handled_before(how.key.as_deref()).await?.is_none() {
                continue;
            }
            let said = if n == 0 { draft.content.clone() } else { String::new() };
            let found = entry.as_ref().map(|(_, entry)| made.finding(entry, mail.date));
            // What the model read but gave no usable entry for replaces nothing.
            asked.start_draft(found, refused, is_by_model && refused.is_some());
            let done = self.consolidate_with(draft, &how, &mut asked).await;
            otherwise |= n == 0 && done.as_ref().is_ok_and(|d| d.replayed && d.entry.input != said);
            intake.budget = asked.budget;
            match done {
                Ok(done) if is_minor && done.memory.is_none() && done.entry.status == Status::DryRun => {
                    is_unchanged = true;
                }
                Ok(mut done) => {
                    if let (Some(entry), Some(memory)) = (&entry, &done.memory) {
                        // A late statement becomes an old version; later entries mean the current one.
                        let id = entry.1.of.filter(|_| !memory.is_current()).unwrap_or(memory.id);
                        made.note(entry, id);
                    }
                    if options.dry_run {
                        self.would_change(intake, receipt.index, &done).await?;
                        done.entry.status = Status::DryRun;
                    }
                    receipt.receipts.push(done);
                }
                // A fault of one draft does not stop the others.
                Err(e) if matches!(e.code, Code::InvalidField | Code::Embedding) => {
                    let id = Some(mail.message_id.clone());
                    receipt.failed = Some(self.failed(intake, receipt.index, id, e).await?);
                }
                Err(e) => return Err(e),
            }
        }
        if again && writes && receipt.failed.is_none() {
            self.give_way(intake, mail, receipt).await?;
        }
        if is_unchanged && writes {
            self.store.keep(vec![Record::put(Shelf::Minor, asked.minor_key, Vec::new())]).await?;
        }
        if (is_empty || is_lost) && writes {
            let mut errors: Vec<String> = refused.iter().map(|r| r.error.clone()).collect();
            let mut why = shown::UNUSABLE;
            if is_empty {
                (errors, why) = (vec![Refusal::NothingFound.as_str().to_owned()], shown::NOTHING_FOUND);
            }
            let reasons = errors.into_iter().map(|error| Reason::ModelRefused { error }).collect();
            let source: String = mail.message_id.chars().take(Limits::NAME).collect();
            let why = why.text(has_hangul(&mail.text));
            // Without a key, the chat can be added again.
            let key = is_lost.then(|| key(REFUSED));
            self.log_aside("", |entry| {
                let analyst = Analyst::Model;
                unwritten(reasons, why, Some(source), key, LogEntry { analyst, ..entry })
            })
            .await?;
        }
        receipt.refused = refused;
        if !mail.suspicious.is_empty() {
            intake.report.suspected += 1;
            if writes {
                let draft = suspected(mail, &speaker);
                let input = draft.content.clone();
                self.log_aside(&input, |entry| suspect(draft, key(SUSPECT), entry)).await?;
            }
        }
        Ok(())
    }

    /// Whether the minor drafts of a mail were compared before. Those that changed nothing are not compared with
    /// memories of later mails, so that another import changes nothing.
    pub(super) async fn are_minor_compared(&self, key: &str) -> Result<bool> {
        Ok(self.store.record(Shelf::Minor, key).await?.is_some())
    }

    async fn would_change(&self, intake: &mut Intake, index: u32, done: &Receipt) -> Result<()> {
        let Receipt { entry, memory, replayed } = done;
        // Entries that only move a date are not reported.
        let writes = !entry.touched.is_empty() && !entry.only_moves_date();
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

    async fn log_aside(&self, input: &str, set: impl FnOnce(LogEntry) -> ChangeSet) -> Result<()> {
        let _turn = self.mirror.turn.lock().await;
        self.commit(set(self.new_entry(input))).await.map(drop)
    }

    /// Copies this engine into memory, for the dry run of an import.
    pub async fn rehearsal(&self) -> Result<Self> {
        let scratch = MemoryStore::default();
        let log = self.log(&LogQuery::default()).await?;
        let memories = self.everything().await?;
        let mut records = Some((memories, self.all_edges().await?));
        let mut sets = Vec::with_capacity(log.len());
        for entry in log {
            let (memories, edges) = records.take().unwrap_or_default();
            let key = entry.key.clone();
            sets.push(ChangeSet { key, memories, edges, ..ChangeSet::new(entry) });
        }
        scratch.commit_all(sets).await?;
        let (embedder, platform) = (Rc::clone(&self.embedder), Rc::clone(&self.platform));
        let copy = Self::open_shared(Rc::new(scratch), embedder, platform, self.options.clone()).await?;
        let client = self.client.for_dry_run();
        let (ledger, embeddings) = (Rc::clone(&self.ledger), self.embeddings.clone());
        Ok(Self { rehearses: true, ledger, client, embeddings, ..copy })
    }

    async fn failed(&self, intake: &Intake, index: u32, message_id: Option<String>, e: Error) -> Result<Failure> {
        if !intake.options.dry_run || self.rehearses {
            let source_id = message_id.clone();
            self.log_aside("", |entry| failure(&e, LogEntry { source_id, ..entry })).await?;
        }
        Ok(Failure { index, start: 0, end: 0, message_id, code: e.code, message: e.details().message })
    }
}

fn forwarded_from(mail: &Mail) -> Option<String> {
    let forwarded = mail.sections.iter().filter(|s| s.forwarded);
    let mut from = forwarded.filter_map(|s| s.author.as_ref()).map(|a| &a.address).filter(|a| a.contains('@'));
    let first = from.next()?;
    from.all(|other| same_address(other, first)).then(|| first.clone())
}

/// Draft numbers beyond any real one, for the keys of suspicious passages and of rejected entries.
const SUSPECT: usize = 1_000;
const REFUSED: usize = 1_001;

fn suspected(mail: &Mail, speaker: &Speaker) -> Draft {
    let passages: Vec<&str> = mail.suspicious.iter().filter_map(|span| mail.text.get(span.clone())).collect();
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    Draft {
        subject: Some(cut(&mail.subject, Limits::NAME)).filter(|s| !s.is_empty()),
        people: mail.from.iter().map(|p| cut(&p.address, Limits::NAME)).collect(),
        stated_at: mail.date,
        source_id: Some(cut(&mail.message_id, Limits::NAME)),
        thread_id: Some(cut(&mail.thread_id, Limits::NAME)),
        // If the owner accepts it, it counts as ordinary mail.
        source_type: Source::Realtime,
        author: speaker.address.as_deref().filter(|_| !speaker.is_nobody()).map(|a| cut(a, Limits::NAME)),
        ..Draft::new(cut(&passages.join("\n"), Limits::CONTENT))
    }
}
