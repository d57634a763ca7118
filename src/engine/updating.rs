//! Replaces a memory's text with the owner's words.

use super::removing::changeable_head;
use super::reviewing::by_owner;
use super::{Engine, Receipt};
use crate::analysis;
use crate::consolidation::{ContentMerge, MergeStrategy, Trigger};
use crate::decision::{Decided, Decision};
use crate::language::{Found, Value, ValueKind, values};
use crate::model::{
    Claim, Conflict, DayOrTime, Draft, Factor, Id, ImportanceFactor, Memory, Metadata, NodeType, Relationship, Source,
    Time, importance_of,
};
use crate::{Code, Error, Result};

impl Engine {
    /// Makes the owner's text the next version of a memory, given by any version, and merges metadata by name.
    pub async fn update(&self, id: Id, content: &str, metadata: &Metadata) -> Result<Receipt> {
        let entry = self
            .act(async |act, ids| {
                let chain = self.chain_over(id, &[]).await?;
                let head = changeable_head(&chain, id)?;
                if head.node_type != NodeType::Memory {
                    return Err(Error::new(Code::InvalidInput, format!("{id} is not an editable memory")));
                }
                let draft = Draft {
                    content: content.trim().to_owned(),
                    category: head.category,
                    stated_at: Some(act.now.max(head.own_time())),
                    source_type: head.source_type.min(Source::UserInput),
                    retention: Some(head.retention),
                    confidence: Some(1.0),
                    metadata: metadata.clone(),
                    ..Draft::default()
                };
                draft.validate()?;
                let read = self.derive_corrected(head, &draft.content, act.now)?;
                let draft = Draft { occurred_at: read.occurred_at, ..draft };
                let same = draft.content == head.content && head.metadata.with(metadata) == head.metadata;
                let (decision, conflict) =
                    if same { (Decision::Skip, Conflict::Overlap) } else { (Decision::Update, Conflict::Update) };
                let decided = Decided {
                    relationship: Relationship::Identical,
                    conflict,
                    changes: analysis::differences(&Claim::from(head), &Claim::from(&draft)),
                    ..by_owner(decision, Some(head))
                };
                let strategy = MergeStrategy { content: ContentMerge::Latest, ..self.options.merge };
                let mut set = self.plan_owner_decision((decided, None), &draft, &chain, strategy, act, ids);
                set.entry.trigger = Some(Trigger::UserRequest);
                let made = set.entry.memory_id;
                // Times and importance come from the new text only, so the merged values are replaced.
                if let Some(new) = set.memories.iter_mut().find(|m| Some(m.id) == made) {
                    (new.valid_from, new.valid_until) = (read.valid_from, read.valid_until);
                    new.importance = read.importance();
                    new.importance_factors = read.importance_factors;
                }
                self.settle_matter(&mut set).await?;
                Ok(set)
            })
            .await?;
        let memory = self.get_any(entry.memory_id.or(entry.target_id)).await?;
        Ok(Receipt { entry, memory, replayed: false })
    }

    /// Derives times and importance from a memory's new text. Values the edit does not touch keep their stored value.
    fn derive_corrected(&self, head: &Memory, content: &str, now: Time) -> Result<Draft> {
        let read = |text: &str, at: Time| self.read_note(Draft { stated_at: Some(at), ..Draft::new(text) }, true);
        // Absolute dates ("22 January") count from the original statement; new relative ones ("tomorrow") from today.
        let counts_from_today = |f: &Found| match &f.value {
            Value::Date(d) => (d.shift.is_some() || d.month.is_none()) && !head.content.contains(f.span.of(content)),
            Value::Period(p) => p.shift.is_some() && !head.content.contains(f.span.of(content)),
            _ => false,
        };
        let at = if values(content, None).iter().any(counts_from_today) { now } else { head.own_time() };
        let (before, after) = (read(&head.content, head.own_time())?, read(content, at)?);
        let names_hour = values(content, None).iter().any(|f| f.value.kind() == ValueKind::Clock);
        let zone = self.options.zone;
        let day = |at: DayOrTime| at.day(zone);
        let occurred_at = after.occurred_at.map(|is| {
            if before.occurred_at == Some(is) {
                head.occurred_at
            } else if names_hour {
                is
            } else {
                const DAY: i64 = 86_400_000;
                let was = before.occurred_at.map_or(day(head.occurred_at), day);
                let days = if was == day(is) { 0 } else { (day(is) - day(head.occurred_at)).num_days() };
                head.occurred_at.moved_by(days * DAY, zone)
            }
        });
        let kept = |was: Option<DayOrTime>, is: Option<DayOrTime>, stored: Option<DayOrTime>| match (was, is) {
            (Some(was), Some(is)) if day(was) == day(is) => stored,
            (None, None) => stored,
            (_, is) => is,
        };
        let valid_until = kept(before.valid_until, after.valid_until, head.valid_until);
        let valid_from = match valid_until {
            None if before.valid_until.is_some() => after.valid_from,
            _ => kept(before.valid_from, after.valid_from, head.valid_from),
        };
        let valid_from = valid_from.filter(|from| valid_until.is_none_or(|until| !until.ends_before(*from, zone)));
        let of_words = |f: &ImportanceFactor| {
            matches!(f.factor, Factor::ContainsMoney | Factor::HasDeadline | Factor::ContainsAction)
        };
        let read_anew = after.importance_factors.into_iter().filter(of_words);
        let others = head.importance_factors.iter().filter(|f| !of_words(f)).cloned();
        let importance_factors: Vec<ImportanceFactor> = read_anew.chain(others).collect();
        let follows = head.importance == importance_of(&head.importance_factors);
        let importance = (!follows).then_some(head.importance);
        Ok(Draft { occurred_at, valid_from, valid_until, importance, importance_factors, ..Draft::default() })
    }
}
