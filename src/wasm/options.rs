//! What JavaScript passes in, checked field by field.

use super::platform::{own_zone, zone_named};
use crate::consolidation::MergeStrategy;
use crate::decision::{Bands, Mode, Policy};
use crate::engine::Options;
use crate::llm::Form;
use crate::model::Zone;
use crate::sleep::{SleepFigures, TaggingFigures};
use crate::store::DurabilityOption;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// How a memory is opened. All fields are optional.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenOptions {
    /// The name of the database; `memfold` where absent.
    pub name: Option<String>,
    /// Whose memory it is; stands in every log entry.
    pub user_id: Option<String>,
    /// How decisions are taken; `{"mode":"balanced"}` where absent.
    pub policy: Option<PolicyChange>,
    /// How fields are merged on UPDATE.
    pub merge: Option<MergeStrategy>,
    /// Where memories are kept; `indexeddb` where the host has it, else `memory`.
    pub store: Option<Backend>,
    /// `relaxed` (default) or `strict`: whether a commit waits for the disk.
    pub durability: Option<DurabilityOption>,
    /// Which vectors stay in memory whole; as many as 32 MB hold where absent. Whichever it is, results are the same.
    pub vectors: Option<Vectors>,
    /// Whether the built-in vector of a memory is not stored with it but made again as it is read for a search: less room,
    /// a slower opening.
    pub lazy_embeddings: bool,
    /// The owner's own addresses; what stands before the @ tells a search what the owner is called.
    pub owner: Vec<String>,
    /// Addresses of people whose mail matters more.
    pub important: Vec<String>,
    /// Hosts of the owner's mail whose `Authentication-Results` are believed, such as `mx.google.com`; where none is
    /// named, the one that took a mail in, as its topmost hop tells.
    pub mail_hosts: Vec<String>,
    /// Tokens that a model may use on one day; without limit where absent.
    pub daily_tokens: Option<u32>,
    /// How a mail is shown to a model: `full` (default), or `short` for models of 2 to 8 billion parameters.
    pub form: Option<Form>,
    /// Whether a model sees `[EMAIL_1]`, `[PHONE_1]`, `[CARD_1]`, `[ID_1]` and `[ACCOUNT_1]` instead of addresses and numbers
    /// of persons; what it answers about them is put right before it is checked.
    pub mask: bool,
    /// Two questions whose vectors are this near are one, 0–1; .96 where absent.
    pub tau_dup: Option<f32>,
    /// How the questions of a session are tagged.
    pub tagging: Option<TaggingFigures>,
    /// The figures of the sleep cycle.
    pub sleep: Option<SleepFigures>,
    /// The owner's time zone, by which days begin and times of day are meant: an IANA name such as `Europe/London`, an offset
    /// such as `+09:00`, or minutes east of UTC; the host's where absent.
    pub zone: Option<ZoneOption>,
}

/// A time zone, as it is given.
#[derive(Debug, Clone, Serialize, Deserialize, Tsify)]
#[serde(untagged)]
pub enum ZoneOption {
    /// Minutes east of UTC.
    Minutes(i32),
    /// An IANA name, or an offset.
    Name(String),
}

/// Settings that differ from those of a mode.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyChange {
    /// The mode to start from; `balanced` where absent.
    pub mode: Option<Mode>,
    /// The edges of the bands.
    pub bands: Option<Bands>,
    /// Whether the local analyst is consulted.
    pub use_property_analysis: Option<bool>,
    /// A model is asked where the local analyst's most probable outcome is less probable than this: .85 in `balanced`,
    /// .97 in `accurate`.
    pub ask_below: Option<f32>,
    /// Without a model, an UPDATE or a SKIP is written from this probability on; .80 where absent.
    pub write_above: Option<f32>,
    /// A model may be asked from this score on; 0 where absent.
    pub llm_threshold_min: Option<f32>,
    /// A model may be asked up to this score; 1 where absent.
    pub llm_threshold_max: Option<f32>,
    /// An UPDATE or a SKIP that a model proposes needs at least this score; 0 where absent.
    pub min_update_score: Option<f32>,
    /// Whether existing data of a higher source priority stands.
    pub respect_source_priority: Option<bool>,
}

/// Where memories are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// In the browser's database.
    Indexeddb,
    /// In this process; gone when it ends.
    Memory,
}

/// Which vectors stay in memory whole, beside the one byte a component that all have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Vectors {
    /// None: those in question are read from the store.
    Codes,
    /// All.
    Full,
}

/// How one memory is consolidated. All fields are optional.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ConsolidateOptions {
    /// Decide, and write nothing but a log entry.
    pub dry_run: bool,
    /// A second call with the same key changes nothing.
    pub key: Option<String>,
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
    /// The database's name.
    pub(super) fn database(&self) -> Result<&str> {
        match self.name.as_deref().unwrap_or("memfold") {
            "" => Err(Error::field("name", "is empty")),
            name if name.len() > 200 => Err(Error::field("name", "is longer than 200 bytes")),
            name => Ok(name),
        }
    }

    /// The engine's settings.
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
