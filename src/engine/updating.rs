//! What its owner says a memory reads now.
//!
//! Nothing is compared and nobody is asked: the words stand as they are given, and the version before them is kept.

use super::removing::missing;
use super::reviewing::by_owner;
use super::{Cancel, Engine, Platform, Receipt};
use crate::analysis;
use crate::consolidation::{ContentMerge, MergeStrategy, Trigger};
use crate::decision::{Decided, Decision};
use crate::embed::Embedder;
use crate::model::{Claim, Conflict, Draft, Id, Metadata, NodeType, Relationship, Source};
use crate::store::Store;
use crate::{Code, Error, Result};

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Makes these words of the owner's the next version of a memory; of any version, the current one is replaced. Metadata
    /// is put in by name. A memory that reads so already stays as it is.
    ///
    /// # Errors
    /// [`Code::NotFound`] for an id that names nothing or something deleted, [`Code::Forgotten`], [`Code::InvalidInput`] for a
    /// summary, [`Code::InvalidField`] for words that no memory may have; those of the store and the embedder.
    pub async fn update(&self, id: Id, content: &str, metadata: &Metadata) -> Result<Receipt> {
        let entry = self
            .act(async |act, ids| {
                let chain = self.chain_over(id, &[]).await?;
                let head = chain.last().ok_or_else(|| missing(id))?;
                if head.is_forgotten() {
                    return Err(Error::new(Code::Forgotten, format!("memory {id} is forgotten")));
                }
                if head.deleted_at.is_some() {
                    return Err(Error::new(Code::NotFound, format!("memory {id} is deleted")));
                }
                if head.node_type != NodeType::Memory {
                    return Err(Error::new(Code::InvalidInput, format!("{id} is no memory of its own")));
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
                // The day that the new words tell of.
                let read = self.read_note(Draft::new(&*draft.content), true)?;
                let (occurred_at, valid_from, valid_until) = (read.occurred_at, read.valid_from, read.valid_until);
                let draft = Draft { occurred_at, valid_from, valid_until, ..draft };
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
                let mut set = self.owned((decided, None), &draft, &chain, strategy, act, ids);
                set.entry.trigger = Some(Trigger::UserRequest);
                self.settle_matter(&mut set).await?;
                self.embedded(&draft, set).await
            })
            .await?;
        self.embed_merged(&entry.touched, Cancel::default()).await?;
        let memory = self.get_any(entry.memory_id.or(entry.target_id)).await?;
        Ok(Receipt { entry, memory, replayed: false })
    }
}
