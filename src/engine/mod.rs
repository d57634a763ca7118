//! The engine: decides what each new memory changes and writes it. Start with [`Engine::consolidate`].
//!
//! `draft → embed → candidates → rank → (judge) → triage → (ask) → plan → one commit → receipt`. `ingest` feeds in
//! mail, notes and chats. With a model set, `reading` asks it about a whole mail and `deciding` about one open draft;
//! its answer replaces triage. `speaking` rules who may replace what.
//!
//! Only the engine awaits the store, the embedder and the model. The rules live elsewhere: scores in `similarity`,
//! judgements in `analysis`, decisions in `decision`, change sets in `consolidation`.

mod asking;
mod browsing;
mod budget;
mod comparing;
mod confirming;
mod consolidating;
mod deciding;
mod embeddings;
mod index_sync;
mod ingest;
mod intake;
mod judging;
mod listing;
mod metrics;
mod mirror;
mod model_client;
mod noting;
mod options;
mod outbox;
mod prefetch;
mod reading;
mod recalling;
mod removing;
mod rereading;
mod reviewing;
mod rule_memories;
mod searching;
mod sessions;
mod sleeping;
mod speaking;
mod syncing;
mod transfer;
mod updating;
mod versions;

pub use asking::Answered;
#[cfg(target_arch = "wasm32")]
pub(crate) use browsing::Slices;
pub use browsing::{CheckReport, DateRange, LogQuery, Related};
pub use budget::{Day, Usage};
pub use comparing::{Comparison, compare, compare_judged};
pub use confirming::ChangeToConfirm;
pub use embeddings::Reembedding;
pub use intake::{Estimate, Failure, IngestOptions, IngestReport, Intake, MailReceipt, Place, Receipt, WouldChange};
pub use listing::{ListOptions, ListOrder};
pub use metrics::{Analytics, Census, Pulse};
pub use noting::{AddOptions, Role, Turn};
pub use options::{Cancel, CommitListener, Consolidate, Gone, Options, Platform};
pub use outbox::Sent;
pub use reading::RefusedEntry;
pub use removing::{DeleteOptions, DeletePreview, Doomed};
pub use reviewing::ReviewItem;
pub use searching::{Answer, Highlight, Hit, Nothing, SearchOptions};
pub use sessions::{Finalized, NodeHit, NodeQuery};
pub use sleeping::{SkipReason, Skipped, SleepOptions, SleepReport};
pub use transfer::ImportReport;
pub use versions::Undone;

use crate::Result;
use crate::consolidation::{Act, LogEntry, hex};
use crate::embed::Embedder;
use crate::llm::{Model, Question, SealedPrompt};
use crate::model::{Ids, Time};
use crate::store::Store;
use mirror::Mirror;
use model_client::ModelClient;
use options::{MAX_ATTEMPTS, MOST_AT_ONCE, PAGE, outrun, retried, unless_outrun};
use std::rc::Rc;

/// One user's memory over a store, an embedder and a platform. `docs/errors.md` explains all error codes.
#[derive(Debug)]
pub struct Engine {
    store: Rc<dyn Store>,
    /// The store of the usage and of the requests sent. A dry run's copy shares that of its engine.
    ledger: Rc<dyn Store>,
    embedder: Rc<dyn Embedder>,
    platform: Rc<dyn Platform>,
    options: Options,
    mirror: Mirror,
    client: ModelClient,
    embeddings: Option<embeddings::Embeddings>,
    listener: Option<Rc<dyn CommitListener>>,
    /// Whether this is the scratch copy of a dry run.
    rehearses: bool,
}

impl Engine {
    /// Opens an engine and reads its index from the store.
    pub async fn open(
        store: impl Store + 'static,
        embedder: impl Embedder + 'static,
        platform: impl Platform + 'static,
        options: Options,
    ) -> Result<Self> {
        Self::open_shared(Rc::new(store), Rc::new(embedder), Rc::new(platform), options).await
    }

    async fn open_shared(
        store: Rc<dyn Store>,
        embedder: Rc<dyn Embedder>,
        platform: Rc<dyn Platform>,
        options: Options,
    ) -> Result<Self> {
        options.validate()?;
        let mirror = Mirror::new(&options, store.link(None).await?.unwrap_or_default());
        let client = ModelClient::default();
        let (ledger, embeddings, listener, rehearses) = (Rc::clone(&store), None, None, false);
        let engine =
            Self { store, ledger, embedder, platform, options, mirror, client, embeddings, listener, rehearses };
        let newest = engine.mirror.seen();
        if engine.read_pack().await? {
            engine.read_nodes().await?;
            if engine.mirror.seen() != newest {
                engine.catch_up().await?;
            }
        } else {
            engine.read_all().await?;
            // A host that never closes (a Durable Object) would otherwise read every memory at each start.
            let _ = engine.pack().await;
        }
        Ok(engine)
    }

    /// Returns this engine with a model to ask. Without one, open questions are decided locally.
    #[must_use]
    pub fn with_model(mut self, model: Rc<dyn Model>) -> Self {
        self.client.model = Some(model);
        self
    }

    /// Returns this engine with a listener for its commits, but not for those of its dry runs.
    #[must_use]
    pub fn with_listener(mut self, listener: Rc<dyn CommitListener>) -> Self {
        self.listener = Some(listener);
        self
    }

    /// The prompt of a question, masked if enabled, behind a random delimiter, which no text can contain in advance.
    fn seal(&self, asked: &impl Question) -> SealedPrompt {
        let seed = self.platform.seed();
        // Four bytes keep prompts short, and a mail's author has only one guess.
        let mixed: Vec<u8> = (0..4).map(|n| seed[n] ^ seed[n + 4] ^ seed[n + 8] ^ seed[n + 12]).collect();
        SealedPrompt::new(asked, hex(&mixed), self.options.mask)
    }

    fn new_entry(&self, input: &str) -> LogEntry {
        self.new_entry_at(self.platform.now(), input)
    }

    fn new_entry_at(&self, now: Time, input: &str) -> LogEntry {
        LogEntry::new(Ids::new(now, self.platform.seed()).mint(), now, &self.options.user_id, input)
    }

    fn act_at(&self, now: Time) -> Act<'_> {
        Act { user_id: &self.options.user_id, now, base: self.mirror.seen() }
    }

    /// Saves the index snapshot and releases the store. Later calls fail with [`crate::Code::Closed`].
    pub async fn close(&self) -> Result<()> {
        // The snapshot only speeds up the next opening, so its failure does not fail the close.
        let _ = self.pack().await;
        self.store.close().await
    }
}
