//! Options of the engine and of single calls.

use crate::consolidation::{LogEntry, MergeStrategy};
use crate::decision::{Policy, Speaker};
use crate::llm::{Form, Masks};
use crate::model::{Id, Limits, Time, Zone};
use crate::sleep::{SleepFigures, TaggingFigures};
use crate::{Code, Error, Result};
use futures_lite::future::or;
use std::fmt::Debug;
use std::future::{pending, ready};
use std::pin::Pin;

/// The host's clock, randomness and event loop. Only this trait reads clocks and randomness.
pub trait Platform: Debug {
    /// Returns the current time.
    fn now(&self) -> Time;

    /// Returns a monotonic clock in milliseconds, for durations only.
    fn ticks(&self) -> f64;

    /// Returns sixteen random bytes, suitable for cryptography.
    fn seed(&self) -> [u8; 16];

    /// Resolves in the next turn of the event loop, where the host has one.
    fn pause(&self) -> Gone<'_> {
        Box::pin(ready(()))
    }
}

/// Receives the commits of an engine.
pub trait CommitListener: Debug {
    /// Called with the log entries of each transaction; it cannot make the commit fail.
    fn committed(&self, entries: &[LogEntry]);
}

/// The settings of an engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// The user's id, written to every log entry.
    pub user_id: String,
    /// The decision policy.
    pub policy: Policy,
    /// How fields are merged on UPDATE.
    pub merge: MergeStrategy,
    /// The owner's time zone, for time phrases and for dates without one.
    pub zone: Zone,
    /// The owner's addresses. A search takes the part before the @ for the owner's name.
    pub owner: Vec<String>,
    /// Addresses of people whose mail is more important.
    pub important: Vec<String>,
    /// Hosts whose `Authentication-Results` are trusted. Default: the host that received the mail.
    pub mail_hosts: Vec<String>,
    /// Number of memories from which an index snapshot is saved, which speeds up opening.
    pub pack_from: usize,
    /// Most model tokens per day of the owner's zone; `None` for no limit.
    pub daily_tokens: Option<u32>,
    /// How a mail is presented to a model.
    pub form: Form,
    /// Whether personal addresses and numbers are masked in what a model is sent.
    pub mask: bool,
    /// Vector similarity, 0–1, from which two questions count as the same.
    pub tau_dup: f32,
    /// How the questions of a session are tagged.
    pub tagging: TaggingFigures,
    /// Parameters of the sleep cycle.
    pub sleep: SleepFigures,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            user_id: "local".to_owned(),
            policy: Policy::BALANCED,
            merge: MergeStrategy::default(),
            zone: Zone::default(),
            owner: Vec::new(),
            important: Vec::new(),
            mail_hosts: Vec::new(),
            pack_from: 500,
            daily_tokens: None,
            form: Form::Full,
            mask: false,
            tau_dup: 0.96,
            tagging: TaggingFigures::default(),
            sleep: SleepFigures::default(),
        }
    }
}

impl Options {
    /// Checks what the types cannot.
    pub fn validate(&self) -> Result<()> {
        let p = &self.policy;
        let numbers = [
            ("policy.bands.skip", p.bands.skip),
            ("policy.bands.update", p.bands.update),
            ("policy.bands.link", p.bands.link),
            ("policy.askBelow", p.ask_below),
            ("policy.writeAbove", p.write_above),
            ("policy.llmThresholdMin", p.llm_threshold_min),
            ("policy.llmThresholdMax", p.llm_threshold_max),
            ("tauDup", self.tau_dup),
        ];
        numbers.into_iter().try_for_each(|(name, x)| Limits::unit(name, x))?;
        if !(p.bands.link <= p.bands.update && p.bands.update <= p.bands.skip) {
            return Err(Error::field("policy.bands", "must not fall: link ≤ update ≤ skip"));
        }
        self.tagging.validate()?;
        self.sleep.validate()
    }

    pub(super) fn mask(&self, texts: &mut [&mut String]) {
        if self.mask {
            Masks::hide(texts);
        }
    }
}

/// Resolves when the caller aborts.
pub type Gone<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The caller's abort signal.
#[derive(Clone, Copy, Default)]
pub struct Cancel<'a> {
    aborted: Option<&'a dyn Fn() -> bool>,
    gone: Option<&'a dyn Fn() -> Gone<'a>>,
}

impl<'a> Cancel<'a> {
    /// Calls `aborted` before each step.
    pub fn when(aborted: &'a dyn Fn() -> bool) -> Self {
        Self { aborted: Some(aborted), gone: None }
    }

    /// Also resolves `gone` to interrupt a long wait.
    #[must_use]
    pub fn or_when(self, gone: &'a dyn Fn() -> Gone<'a>) -> Self {
        Self { gone: Some(gone), ..self }
    }

    /// Awaits `work`; `None` if the caller aborts first.
    pub(super) async fn unless_gone<T>(&self, work: Pin<Box<dyn Future<Output = T> + '_>>) -> Option<T> {
        let gone = async {
            match self.gone {
                Some(gone) => gone().await,
                None => pending().await,
            }
            None
        };
        or(gone, async { Some(work.await) }).await
    }

    /// Fails with [`Code::Aborted`] once the caller has aborted.
    pub fn check(&self) -> Result<()> {
        match self.aborted {
            Some(aborted) if aborted() => Err(Error::new(Code::Aborted, "the caller aborted")),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Cancel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Cancel").field(&self.aborted.is_some()).finish()
    }
}

/// Options for consolidating one memory.
#[derive(Debug, Clone, Default)]
pub struct Consolidate<'a> {
    /// Decide, but write only a log entry.
    pub dry_run: bool,
    /// Idempotency key: a second call with the same key changes nothing.
    pub key: Option<String>,
    /// The sender, if the draft comes from mail; otherwise it is the owner's or a tool's statement.
    pub speaker: Option<Speaker>,
    /// The memory that the draft replaces, by the id of any version. No analyst is asked; the trust rules apply.
    pub replaces: Option<Id>,
    /// The caller's abort signal.
    pub cancel: Cancel<'a>,
}

/// Most attempts to plan and commit. With three busy tabs about one attempt in four succeeds.
pub(super) const MAX_ATTEMPTS: usize = 256;
pub(super) const PAGE: usize = 1_000;

pub(super) fn outrun() -> Error {
    Error::new(Code::Conflict, "other writers committed first too often; try again")
}

/// Turns a commit conflict into `None`, so that the caller plans again.
pub(super) fn unless_outrun<T>(done: Result<T>) -> Result<Option<T>> {
    match done {
        Err(e) if e.code == Code::Conflict => Ok(None),
        done => done.map(Some),
    }
}

/// Repeats `work`, which plans and commits, as long as other writers commit first.
pub(super) async fn retried<T>(mut work: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    for _ in 0..MAX_ATTEMPTS {
        if let Some(done) = unless_outrun(work().await)? {
            return Ok(done);
        }
    }
    Err(outrun())
}

pub(super) const MOST_AT_ONCE: usize = 8;
