//! A model's part in the sleep cycle: whether it is asked, and what of its words may stand.
//!
//! It never touches a source: what is refused is logged, and the folded text stands.

use super::{Run, SkipReason};
use crate::consolidation::{Act, Record, Shelf, refused_merge};
use crate::embed::Embedder;
use crate::engine::pulse::{DAYS, Day};
use crate::engine::{Engine, PAGE, Platform};
use crate::graph::{self, Folding};
use crate::model::{Ids, Memory};
use crate::store::Store;
use crate::{Result, json};

/// What a model wrote and was not committed yet, and for which memories it was refused, by the key of the merge.
pub(super) const WRITTEN: &str = "written/";
const REFUSED: &str = "refused/";

/// What came of asking a model for a summary.
pub(super) enum Written {
    /// Nobody was asked: the folded text stands.
    Not,
    /// Its text.
    Text(String),
    /// It was refused, and that is in the log.
    Refused,
    /// The caller gave up.
    GaveUp,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Asks the model for the text of a summary, where one is set and it is worth asking.
    pub(super) async fn write_summary(
        &self,
        key: &str,
        sources: &[Memory],
        folding: &Folding,
        (similarity, weight): (f32, f32),
        run: &mut Run<'_>,
    ) -> Result<Written> {
        let Some(writer) = &self.writer else { return Ok(Written::Not) };
        let (kept, refused) = ([WRITTEN, key].concat(), [REFUSED, key].concat());
        if let Some(text) = self.kept::<String>(&kept).await? {
            return Ok(Written::Text(text));
        }
        if self.kept::<bool>(&refused).await?.is_some() {
            return Ok(Written::Not);
        }
        let left = self.tokens_left(run).await?;
        if !graph::is_worth_asking(similarity, weight, &folding.text, left as usize) {
            if graph::is_worth_asking(similarity, weight, &folding.text, usize::MAX) {
                run.report.skip(SkipReason::OverBudget);
            }
            return Ok(Written::Not);
        }
        let Some((answer, tokens)) = run.cancel.unless_gone(writer.write(&folding.text)).await else {
            return Ok(Written::GaveUp);
        };
        run.report.calls += 1;
        run.report.tokens = run.report.tokens.saturating_add(tokens);
        let told: Vec<graph::Told<'_>> = sources.iter().map(graph::told).collect();
        let answer = answer.and_then(|text| match graph::refusal(&text, &told, &folding.days) {
            None => Ok(text),
            Some(why) => Err(why.to_owned()),
        });
        match answer {
            Ok(text) => {
                let value = Some(json::write(&text)?.into_bytes());
                self.store.keep(vec![Record { shelf: Shelf::Sleep, key: kept, value, expect: None }]).await?;
                Ok(Written::Text(text))
            }
            Err(why) => {
                run.report.skip(SkipReason::Refused);
                let _turn = self.turn.lock().await;
                self.catch_up().await?;
                let act = Act { user_id: &self.options.user_id, now: run.now, base: self.seen.get() };
                let mut set = refused_merge(sources, &why, tokens, act, &mut Ids::new(run.now, self.platform.seed()));
                let value = Some(json::write(&true)?.into_bytes());
                set.records.push(Record { shelf: Shelf::Sleep, key: refused, value, expect: None });
                let counted = move |day: &mut Day| {
                    day.calls += 1;
                    day.tokens = day.tokens.saturating_add(tokens);
                };
                let entry = self.commit_held(set, run, Some(&counted)).await?;
                run.report.entries.extend(entry.map(|e| e.id));
                Ok(Written::Refused)
            }
        }
    }

    /// Tokens that the run may still use: its own, and its share of the day's.
    async fn tokens_left(&self, run: &Run<'_>) -> Result<u32> {
        let left = run.tokens.saturating_sub(run.report.tokens);
        let Some(most) = self.options.daily_tokens else { return Ok(left) };
        let key = [DAYS, &run.now.day(self.options.zone).to_string()].concat();
        let used = self.kept::<Day>(&key).await?.map_or(0, |day| day.tokens);
        let share = ((most as f32 * graph::BUDGET_SHARE) as u32).saturating_sub(used);
        Ok(left.min(share).min(most.saturating_sub(self.used_today().await?)))
    }

    /// The records of what a model wrote, to be removed.
    pub(in crate::engine) async fn unwritten(&self) -> Result<Vec<Record>> {
        let all = self.store.records(Shelf::Sleep, Some(WRITTEN), PAGE).await?;
        let here = all.into_iter().filter(|(key, _)| key.starts_with(WRITTEN));
        Ok(here.map(|(key, _)| Record { shelf: Shelf::Sleep, key, value: None, expect: None }).collect())
    }
}
