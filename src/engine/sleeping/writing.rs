//! The model's part in the sleep cycle: whether to ask it, and which replies to accept.

use super::decay::Names;
use super::{Run, SkipReason};
use crate::Result;
use crate::decision::{Mode, Refusal, ReplyFault};
use crate::engine::Engine;
use crate::engine::budget::{Day, TokenBudget};
use crate::llm::{SealedPrompt, Summary, Tagging};
use crate::model::{Generation, Memory, NodeType};
use crate::sleep::{self, Folding};

/// Memories per tagging request. A reply takes `TOKENS_PER_REPLY` tokens for each.
const TAGGING_BATCH: usize = 20;
const TOKENS_PER_REPLY: u32 = 24;

/// A model's text for a summary, or why it was refused. Without both, no model was asked or none answered.
#[derive(Default)]
pub(super) struct WrittenSummary {
    pub text: Option<String>,
    pub refused: Option<&'static str>,
    pub tokens: u32,
}

impl Engine {
    fn may_ask_model(&self) -> bool {
        self.client.model.is_some() && self.options.policy.mode != Mode::Fast
    }

    pub(super) async fn write_summary(
        &self,
        sources: &[Memory],
        folding: &Folding,
        (similarity, weight): (f32, f32),
        run: &mut Run<'_>,
    ) -> Result<WrittenSummary> {
        let worth = |left: u32| sleep::is_worth_asking(similarity, weight, &folding.text, left as usize);
        let mut written = WrittenSummary::default();
        if !self.may_ask_model() || !worth(u32::MAX) {
            return Ok(written);
        }
        let left = self.tokens_left(run).await?;
        if !worth(left) {
            run.report.skip(SkipReason::OverBudget);
            return Ok(written);
        }
        let asks = Summary::new(&folding.text);
        let told: Vec<sleep::SourceText<'_>> = sources.iter().map(sleep::told).collect();
        let (mut text, mut fault) = (None, None);
        let read = &mut |reply: &str| {
            let said = asks.read(reply)?;
            fault = sleep::refusal(&said, &told, &folding.days);
            text = fault.is_none().then_some(said);
            // A refused text is not requested again.
            if fault.is_some() { Err(Refusal::NoEvidence.into()) } else { Ok(()) }
        };
        let (came, tokens) = self.call_model(&self.seal(&asks), left, run, read).await?;
        (written.text, written.tokens) = (text, tokens);
        match came {
            _ if written.text.is_some() => {}
            Err(why) if !why.may_pass() => {
                run.report.skip(SkipReason::Refused);
                written.refused = Some(fault.unwrap_or(why.as_str()));
            }
            came => run.report.skip(skip_reason(came)),
        }
        Ok(written)
    }

    /// Asks the model for tags of young memories. Where the result is empty, rules name them.
    pub(super) async fn write_tags(&self, page: &[Memory], run: &mut Run<'_>) -> Result<Names> {
        let mut named = Names::new();
        let open = |m: &&Memory| {
            m.is_current()
                && m.node_type == NodeType::Memory
                && m.generation == Generation::Young
                && run.place.named.is_none_or(|at| m.id > at)
                && !sleep::is_small_talk(&m.content)
        };
        let young: Vec<&Memory> = page.iter().filter(open).collect();
        if !self.may_ask_model() || young.is_empty() {
            return Ok(named);
        }
        for batch in young.chunks(TAGGING_BATCH) {
            let texts: Vec<&str> = batch.iter().map(|m| m.content.as_str()).collect();
            let known = self.mirror.nodes.borrow().tag_names();
            let asks = Tagging::new(&texts, &known.iter().map(String::as_str).collect::<Vec<_>>());
            let sealed = self.seal(&asks);
            let left = self.tokens_left(run).await?;
            if left < sealed.prompt.tokens() + TOKENS_PER_REPLY * batch.len() as u32 {
                run.report.skip(SkipReason::OverBudget);
                break;
            }
            let mut names = None;
            let read = &mut |reply: &str| {
                names = Some(asks.read(reply)?);
                Ok(())
            };
            let (came, _) = self.call_model(&sealed, left, run, read).await?;
            let Some(names) = names.filter(|_| came.is_ok()) else {
                run.report.skip(skip_reason(came));
                // Temporary failures are retried in the next pass.
                if came.is_err_and(|why| !why.may_pass()) {
                    run.place.named = run.place.named.max(batch.last().map(|m| m.id));
                }
                break;
            };
            named.extend(batch.iter().map(|m| m.id).zip(names));
        }
        Ok(named)
    }

    async fn call_model(
        &self,
        sealed: &SealedPrompt,
        left: u32,
        run: &mut Run<'_>,
        read: &mut dyn FnMut(&str) -> Result<(), ReplyFault>,
    ) -> Result<(Result<(), Refusal>, u32)> {
        let mut purse = TokenBudget { most: Some(left), ..TokenBudget::default() };
        let came = self.send_prompt(sealed, &mut purse, run.cancel, read).await?;
        run.report.calls += purse.calls;
        run.report.tokens = run.report.tokens.saturating_add(purse.tokens);
        if purse.calls > 0 {
            let counted = |day: &mut Day| day.sleep_tokens = day.sleep_tokens.saturating_add(purse.tokens);
            self.count(run.now, &counted).await?;
        }
        Ok((came.map_err(Refusal::from), purse.tokens))
    }

    async fn tokens_left(&self, run: &Run<'_>) -> Result<u32> {
        let left = run.tokens.saturating_sub(run.report.tokens);
        let Some(most) = self.options.daily_tokens else { return Ok(left) };
        let used = self.day(run.now).await?.1.sleep_tokens;
        let share = ((most as f32 * self.options.sleep.budget_share) as u32).saturating_sub(used);
        Ok(left.min(share).min(most.saturating_sub(self.used_today().await?)))
    }
}

fn skip_reason(came: Result<(), Refusal>) -> SkipReason {
    match came {
        Err(Refusal::OverBudget) => SkipReason::OverBudget,
        _ => SkipReason::Unanswered,
    }
}
