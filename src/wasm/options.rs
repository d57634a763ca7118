//! Options of the JavaScript API, validated field by field.

use super::platform::{own_zone, zone_named};
use crate::consolidation::MergeStrategy;
use crate::decision::{Mode, Policy};
use crate::engine::Options;
use crate::llm::Form;
use crate::model::{Id, Zone};
use crate::sleep::{SleepFigures, TaggingFigures};
use crate::{Error, Result, json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tsify::Tsify;

/// Options for opening a memory, as `entry/options.ts` arranges them; it documents each.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenOptions {
    pub user_id: Option<String>,
    #[tsify(type = "Partial<Policy>")]
    pub policy: Option<Map<String, Value>>,
    pub merge: Option<MergeStrategy>,
    pub owner: Vec<String>,
    pub important: Vec<String>,
    pub mail_hosts: Vec<String>,
    pub daily_tokens: Option<u32>,
    pub form: Option<Form>,
    pub mask: bool,
    pub tau_dup: Option<f32>,
    pub tagging: Option<TaggingFigures>,
    pub sleep: Option<SleepFigures>,
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

/// The session and details of a query, tag, link or feedback.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Tsify)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionOptions {
    /// The session id, 1 to 64 of A–Z, a–z, 0–9, `-`, `_`, `.`; by default `default` (for `graph.edges`: the long-term
    /// graph).
    pub session: Option<String>,
    /// For a link: its weight, 0–1; 0.5 by default.
    pub weight: Option<f32>,
    /// For feedback: the query that found the memory.
    pub query: Option<String>,
}

impl SessionOptions {
    pub(super) fn session(&self) -> &str {
        self.session.as_deref().unwrap_or("default")
    }
}

fn changed_policy(changes: &Map<String, Value>) -> Result<Policy> {
    #[derive(Deserialize)]
    struct Named<T> {
        policy: T,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct OfMode {
        mode: Option<Mode>,
    }
    let read = |policy: &Map<String, Value>| json::write(&serde_json::json!({ "policy": policy }));
    let OfMode { mode } = json::read::<Named<OfMode>>(&read(changes)?, "options")?.policy;
    let mut whole: Map<String, Value> = json::read(&json::write(&Policy::of(mode.unwrap_or_default()))?, "policy")?;
    whole.extend(
        changes.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.clone(), value.clone())),
    );
    Ok(json::read::<Named<Policy>>(&read(&whole)?, "options")?.policy)
}

impl OpenOptions {
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
            user_id: self.user_id.clone().unwrap_or_else(|| default.user_id.clone()),
            policy: self.policy.as_ref().map_or(Ok(default.policy), changed_policy)?,
            merge: self.merge.unwrap_or_default(),
            zone,
            owner: self.owner.clone(),
            important: self.important.clone(),
            mail_hosts: self.mail_hosts.clone(),
            daily_tokens: self.daily_tokens,
            form: self.form.unwrap_or_default(),
            mask: self.mask,
            tau_dup: self.tau_dup.unwrap_or(default.tau_dup),
            tagging: self.tagging.unwrap_or_default(),
            sleep: self.sleep.unwrap_or_default(),
            ..default
        })
    }
}
