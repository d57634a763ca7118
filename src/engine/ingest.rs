//! From mail to memories: bytes in, one receipt a message out. A bad message never stops an import.

use super::{Cancel, Consolidate, Engine, Platform, Receipt};
use crate::decision::Decision;
use crate::embed::Embedder;
use crate::mail::{Account, Charset, Mail, Mailbox, Piece, drafts, idempotency_key, read};
use crate::model::Time;
use crate::store::Store;
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// How mail is taken in. All fields are optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct IngestOptions {
    /// Which account the mail is of; a mail is handled once for each. The first own address where absent.
    pub account: Option<String>,
    /// Decide, but write nothing.
    pub dry_run: bool,
}

/// Why a message, or one draft of it, could not be handled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The message's place in the stream, from 0.
    pub index: u32,
    /// Its message id, where it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The error's code.
    pub code: Code,
    /// The error's sentence.
    pub message: String,
}

/// What became of one message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct MailReceipt {
    /// Its place in the stream, from 0.
    pub index: u32,
    /// Its message id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Its subject line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Its sender, by name or address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Its date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Time>,
    /// What became of each memory that it teaches.
    pub receipts: Vec<Receipt>,
    /// Why it could not be handled; it is in the log and can be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failure>,
}

/// What an import has done so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
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
    /// Messages that could not be handled.
    pub failed: Vec<Failure>,
}

/// An import under way: pushes bytes, hands out messages, counts.
#[derive(Debug)]
pub struct Intake {
    mailbox: Mailbox,
    account: Account,
    options: IngestOptions,
    report: IngestReport,
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
        let o = &self.options;
        let account = Account { owner: o.owner.clone(), important: o.important.clone(), zone: Some(o.zone) };
        Intake { mailbox: Mailbox::new(), account, options, report: IngestReport::default() }
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
        cancel.check()?;
        let index = piece.index as u32;
        let mut receipt = MailReceipt {
            index,
            message_id: None,
            subject: None,
            from: None,
            date: None,
            receipts: Vec::new(),
            failed: None,
        };
        match piece.raw.and_then(|raw| read(&raw, charset)) {
            Err(e) => receipt.failed = Some(self.failed(intake, index, None, e).await?),
            Ok(mail) => {
                receipt.message_id = Some(mail.message_id.clone());
                receipt.subject = Some(mail.subject.clone());
                receipt.from = mail.from.as_ref().map(|p| p.name.clone().unwrap_or_else(|| p.address.clone()));
                receipt.date = mail.date;
                self.consolidate_mail(intake, &mail, cancel, &mut receipt).await?;
            }
        }
        intake.count(&receipt);
        Ok(receipt)
    }

    async fn consolidate_mail(
        &self,
        intake: &Intake,
        mail: &Mail,
        cancel: Cancel<'_>,
        receipt: &mut MailReceipt,
    ) -> Result<()> {
        let options = &intake.options;
        let account = options.account.as_deref().or(intake.account.owner.first().map(String::as_str)).unwrap_or("");
        for (n, draft) in drafts(mail, &intake.account).into_iter().enumerate() {
            let how = Consolidate { dry_run: options.dry_run, key: Some(idempotency_key(account, mail, n)), cancel };
            match self.consolidate(draft, &how).await {
                Ok(done) => receipt.receipts.push(done),
                // What is wrong with one draft does not take the others with it.
                Err(e) if matches!(e.code, Code::InvalidField | Code::Embedding) => {
                    let id = Some(mail.message_id.clone());
                    receipt.failed = Some(self.failed(intake, receipt.index, id, e).await?);
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Logs what could not be handled, unless nothing may be written.
    async fn failed(&self, intake: &Intake, index: u32, message_id: Option<String>, e: Error) -> Result<Failure> {
        if !intake.options.dry_run {
            self.log_failure(&e, "", message_id.clone()).await?;
        }
        Ok(Failure { index, message_id, code: e.code, message: e.message })
    }
}
