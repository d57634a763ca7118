//! Rereads with a model the mails that only rules have read. Its facts replace the rule-made memories of a mail, unless
//! the owner, a model or a mail that it has not read has used them.

use super::reading::ExtractedFact;
use super::rule_memories::{RuleMemories, draft_key, is_by_model, restated};
use super::{Engine, Failure, Intake, MailReceipt, Receipt, WouldChange};
use crate::consolidation::{Act, Cascade, ChangeSet, LogEntry, Trigger, delete};
use crate::decision::{Analyst, Decision, Mode, Reason, ReplyFault};
use crate::extract::is_note;
use crate::language::{has_hangul, shown};
use crate::llm::Op;
use crate::mail::Mail;
use crate::model::{Feedback, Id, Ids, Limits, Memory, NodeType, Source};
use crate::store::LogRange;
use crate::{Code, Error, Result};

const DELETION_INDEX: usize = 1_002;

impl Engine {
    pub(super) fn check_reread(&self, intake: &Intake) -> Result<()> {
        if intake.options.reread && (self.options.policy.mode == Mode::Fast || !self.client.may_ask()) {
            let message = "there is no model to read mails again; open with `model`";
            return Err(Error::new(Code::Unsupported, message));
        }
        Ok(())
    }

    /// Returns the memories that rules made or repeated from a mail; `None` if it needs no reread.
    pub(super) async fn rule_memories(&self, intake: &Intake, mail: &Mail) -> Result<Option<Vec<Id>>> {
        let key = |n, again| draft_key(intake.name(), mail, n, again);
        if !intake.options.reread {
            return Ok(None);
        }
        if self.was_read(&key(0, true)).await? {
            return Ok(Some(Vec::new()));
        }
        if is_note(mail, &intake.account) || self.is_reply_kept(&key(0, false)).await? {
            return Ok(None);
        }
        let mut made: Vec<Id> = Vec::new();
        for n in 0.. {
            match self.handled_before(Some(&key(n, false))).await? {
                Some(entry) if n == 0 && is_by_model(&entry) => return Ok(None),
                Some(entry) => made.extend(entry.memory_id.into_iter().chain(restated(&entry))),
                None if n == 0 => return Ok(None),
                None => break,
            }
        }
        let is_deleted = self.store.found(&made).await?.iter().any(|m| m.deleted_at.is_some());
        Ok(Some(made).filter(|_| !is_deleted))
    }

    async fn follow_log(&self, rules: &mut RuleMemories) -> Result<()> {
        let entries = self.store.log(LogRange::since(rules.seen)).await?;
        entries.iter().for_each(|entry| rules.add(entry));
        Ok(())
    }

    /// Returns the failure for a mail without a usable model reply; `None` during a cost estimate.
    pub(super) fn reread_failure(&self, index: u32, mail: &Mail, fault: &ReplyFault) -> Option<Failure> {
        let message = format!("the model gave no usable reply: {}", fault.refusal.as_str());
        let message_id = Some(mail.message_id.clone());
        let failure = Failure { index, start: 0, end: 0, message_id, code: Code::Model, message };
        self.client.gauge.is_none().then_some(failure)
    }

    /// Keeps the memories that the entries of a reply refer to. An entry about one of the owner only repeats it.
    pub(super) async fn keep_named(&self, intake: &mut Intake, facts: &mut [ExtractedFact]) -> Result<()> {
        let rules = &mut intake.rules;
        self.follow_log(rules).await?;
        for (_, entry) in facts.iter_mut().filter_map(|fact| fact.entry.as_mut()) {
            rules.taken.extend(entry.of);
            if entry.of.is_some_and(|id| rules.owned.contains(&id)) {
                entry.op = Op::Repeat;
            }
        }
        Ok(())
    }

    /// Deletes the rule-made memories of a mail that the model has reread, unless something else has used them since.
    pub(super) async fn give_way(&self, intake: &mut Intake, mail: &Mail, receipt: &mut MailReceipt) -> Result<()> {
        let key = draft_key(intake.name(), mail, DELETION_INDEX, true);
        let source: String = mail.message_id.chars().take(Limits::NAME).collect();
        intake.rules.read.insert(source.clone());
        let (mut gone, mut memories) = (Vec::new(), Vec::new());
        let plan = async |act: Act<'_>, ids: &mut Ids| {
            self.follow_log(&mut intake.rules).await?;
            if self.handled_before(Some(&key)).await?.is_some() {
                return Ok(None);
            }
            gone = self.unused_memories(&intake.rules, &source).await?;
            if gone.is_empty() {
                return Ok(None);
            }
            let edges;
            (memories, edges) = self.chains_and_edges(&gone).await?;
            let set = delete(&memories, edges, Cascade::PreserveEdges, "", act, ids);
            let entry = LogEntry {
                analyst: Analyst::Model,
                trigger: Some(Trigger::NewMail),
                source_id: Some(source.clone()),
                reasons: vec![Reason::ModelRead],
                reason: shown::GAVE_WAY.text(has_hangul(&mail.text)).to_owned(),
                ..set.entry
            };
            Ok(Some(ChangeSet { key: Some(key.clone()), entry, ..set }))
        };
        let Some(entry) = self.act_if(|| self.platform.now(), plan).await? else { return Ok(()) };
        let change = |m: Memory| WouldChange {
            index: receipt.index,
            decision: Decision::Delete,
            target_id: Some(m.id),
            before: Some(m.content),
            after: None,
            needs_review: false,
            reason: entry.reason.clone(),
        };
        if intake.options.dry_run {
            let heads = memories.into_iter().filter(|m| gone.contains(&m.id));
            intake.report.changes.extend(heads.map(change));
        }
        receipt.receipts.push(Receipt { entry, memory: None, replayed: false });
        Ok(())
    }

    async fn unused_memories(&self, rules: &RuleMemories, source: &str) -> Result<Vec<Id>> {
        let mut ids = rules.of_mails.get(source).cloned().unwrap_or_default();
        ids.sort_unstable();
        ids.dedup();
        let mut gone = Vec::new();
        for memory in self.store.found(&ids).await?.into_iter().filter(|m| m.is_current()) {
            let is_mail = memory.node_type == NodeType::Memory && memory.source_type != Source::UserInput;
            let is_rated = memory.feedback != Feedback::default();
            if is_mail && !is_rated && self.family(memory.id).await?.iter().all(|m| rules.is_free(m.id)) {
                gone.push(memory.id);
            }
        }
        Ok(gone)
    }
}
