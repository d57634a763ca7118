//! Options of the JavaScript API, validated field by field.

use super::platform::{own_zone, zone_named};
use crate::consolidation::MergeStrategy;
use crate::decision::{Bands, Mode, Policy};
use crate::engine::Options;
use crate::llm::Form;
use crate::model::{Id, Zone};
use crate::sleep::{SleepFigures, TaggingFigures};
use crate::store::DurabilityOption;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// Options for opening a memory. All are optional.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenOptions {
    /// The name of the database; `memfold` by default.
    pub name: Option<String>,
    /// The user's id, written to every log entry.
    pub user_id: Option<String>,
    /// The decision policy; `{"mode":"balanced"}` by default.
    pub policy: Option<PolicyChange>,
    /// How UPDATE merges fields.
    pub merge: Option<MergeStrategy>,
    /// The storage backend; by default `indexeddb` if the host has it, else `memory`.
    pub store: Option<Backend>,
    /// `relaxed` (default) or `strict`: whether a commit waits until the data is on disk.
    pub durability: Option<DurabilityOption>,
    /// Which full-precision vectors stay in memory; 32 MB of them by default. Results do not depend on it.
    pub vectors: Option<Vectors>,
    /// Whether to recompute built-in vectors instead of storing them: uses less storage, but opens more slowly.
    pub lazy_embeddings: bool,
    /// The owner's mail addresses. Their local parts also tell a search the owner's names.
    pub owner: Vec<String>,
    /// Addresses of people whose mail is more important.
    pub important: Vec<String>,
    /// Mail hosts whose `Authentication-Results` are trusted, such as `mx.google.com`. By default, the host that
    /// received a mail, according to its topmost hop.
    pub mail_hosts: Vec<String>,
    /// The most tokens that a model may use in a day; unlimited by default.
    pub daily_tokens: Option<u32>,
    /// The prompt form for mail: `full` (default), or `short` for models of 2 to 8 billion parameters.
    pub form: Option<Form>,
    /// Whether to replace personal addresses and numbers by `[EMAIL_1]`, `[PHONE_1]`, `[CARD_1]`, `[ID_1]` and
    /// `[ACCOUNT_1]` in prompts. Replies are restored before they are checked.
    pub mask: bool,
    /// The cosine from which two queries count as the same, 0–1; 0.96 by default.
    pub tau_dup: Option<f32>,
    /// Settings for tagging the queries of a session.
    pub tagging: Option<TaggingFigures>,
    /// Settings of the sleep cycle.
    pub sleep: Option<SleepFigures>,
    /// The owner's time zone, for days and times of day: an IANA name such as `Europe/London`, an offset such as
    /// `+09:00`, or minutes east of UTC. By default, the host's zone.
    pub zone: Option<ZoneOption>,
}

/// A time zone option.
#[derive(Debug, Clone, Serialize, Deserialize, Tsify)]
#[serde(untagged)]
pub enum ZoneOption {
    /// Minutes east of UTC.
    Minutes(i32),
    /// An IANA name or an offset.
    Name(String),
}

/// Changes to the settings of a policy mode.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyChange {
    /// The mode to start from; `balanced` by default.
    pub mode: Option<Mode>,
    /// The limits of the score bands.
    pub bands: Option<Bands>,
    /// Whether the local analyst is used.
    pub use_property_analysis: Option<bool>,
    /// The model is asked if the local analyst's best outcome has a lower probability: 0.85 in `balanced`, 0.97 in
    /// `accurate`.
    pub ask_below: Option<f32>,
    /// Without a model, the least probability for writing an UPDATE or SKIP; 0.80 by default.
    pub write_above: Option<f32>,
    /// The least score at which the model may be asked; 0 by default.
    pub llm_threshold_min: Option<f32>,
    /// The greatest score at which the model may be asked; 1 by default.
    pub llm_threshold_max: Option<f32>,
    /// The least score for an UPDATE or SKIP proposed by the model; 0 by default.
    pub min_update_score: Option<f32>,
    /// Whether a source of lower priority may not overwrite one of higher priority.
    pub respect_source_priority: Option<bool>,
}

/// The storage backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// The browser's IndexedDB.
    Indexeddb,
    /// This process's memory; lost when the process ends.
    Memory,
}

/// Which full-precision vectors stay in memory, in addition to the quantised ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Vectors {
    /// None; they are read from the store when needed.
    Codes,
    /// All of them.
    Full,
}

/// Options for consolidating one memory. All are optional.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ConsolidateOptions {
    /// Dry run: decides, but writes only a log entry.
    pub dry_run: bool,
    /// An idempotency key: a second call with the same key changes nothing.
    pub key: Option<String>,
    /// The memory that the draft replaces, by the id of any version.
    pub replaces: Option<Id>,
}

impl PolicyChange {
    fn policy(self) -> Policy {
        let c = self;
        let base = Policy::of(c.mode.unwrap_or_default());
        Policy {
            mode: base.mode,
            bands: c.bands.unwrap_or(base.bands),
            use_property_analysis: c.use_property_analysis.unwrap_or(base.use_property_analysis),
            ask_below: c.ask_below.unwrap_or(base.ask_below),
            write_above: c.write_above.unwrap_or(base.write_above),
            llm_threshold_min: c.llm_threshold_min.unwrap_or(base.llm_threshold_min),
            llm_threshold_max: c.llm_threshold_max.unwrap_or(base.llm_threshold_max),
            min_update_score: c.min_update_score.unwrap_or(base.min_update_score),
            respect_source_priority: c.respect_source_priority.unwrap_or(base.respect_source_priority),
        }
    }
}

impl OpenOptions {
    pub(super) fn database(&self) -> Result<&str> {
        match self.name.as_deref().unwrap_or("memfold") {
            "" => Err(Error::field("name", "is empty")),
            name if name.len() > 200 => Err(Error::field("name", "is longer than 200 bytes")),
            name => Ok(name),
        }
    }

    /// Converts these options to the engine's.
    pub(super) fn engine(&self) -> Result<Options> {
        let default = Options::default();
        let zone = match &self.zone {
            None => own_zone().unwrap_or_default(),
            Some(ZoneOption::Minutes(minutes)) => {
                Zone::of_minutes(*minutes).ok_or_else(|| Error::field("zone", "is not from -1080 to 1080 minutes"))?
            }
            Some(ZoneOption::Name(name)) => Zone::of_offset(name).or_else(|| zone_named(name)).ok_or_else(|| {
                Error::field("zone", "is no IANA time zone such as `Europe/London`, and no offset such as `+09:00`")
            })?,
        };
        Ok(Options {
            user_id: self.user_id.clone().unwrap_or(default.user_id),
            policy: self.policy.map_or(default.policy, PolicyChange::policy),
            merge: self.merge.unwrap_or_default(),
            zone,
            owner: self.owner.clone(),
            important: self.important.clone(),
            mail_hosts: self.mail_hosts.clone(),
            vector_cache: match self.vectors {
                Some(Vectors::Codes) => 0,
                Some(Vectors::Full) => usize::MAX,
                None => default.vector_cache,
            },
            lazy_vectors: self.lazy_embeddings,
            pack_from: default.pack_from,
            daily_tokens: self.daily_tokens,
            form: self.form.unwrap_or_default(),
            mask: self.mask,
            tau_dup: self.tau_dup.unwrap_or(default.tau_dup),
            tagging: self.tagging.unwrap_or_default(),
            sleep: self.sleep.unwrap_or_default(),
        })
    }
}
