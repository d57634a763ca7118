//! What an engine is opened with, and what a call is given.

use crate::consolidation::MergeStrategy;
use crate::decision::{Policy, Speaker};
use crate::llm::{Form, Masks};
use crate::model::{Time, Zone};
use crate::sleep::{SleepFigures, TaggingFigures};
use crate::{Code, Error, Result};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// What the core cannot know by itself. Only this trait reads clocks and randomness.
#[allow(async_fn_in_trait, reason = "one thread, in the browser and out: no future needs to be Send")]
pub trait Platform {
    /// The time.
    fn now(&self) -> Time;

    /// A steady clock in milliseconds, for durations only.
    fn ticks(&self) -> f64;

    /// Sixteen bytes of good randomness.
    fn seed(&self) -> [u8; 16];

    /// Ends with the next turn of the event loop, where the host has one.
    fn pause(&self) -> impl Future<Output = ()> {
        std::future::ready(())
    }
}

/// The settings of an engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whose memory it is; stands in every log entry.
    pub user_id: String,
    /// How decisions are taken.
    pub policy: Policy,
    /// How fields are merged on UPDATE.
    pub merge: MergeStrategy,
    /// The owner's zone, for time phrases and dates without one.
    pub zone: Zone,
    /// The owner's own addresses; what stands before the @ tells a search what the owner is called.
    pub owner: Vec<String>,
    /// Addresses of people whose mail matters more.
    pub important: Vec<String>,
    /// Hosts whose `Authentication-Results` are believed; where none is named, the one that took a mail in.
    pub mail_hosts: Vec<String>,
    /// Bytes of whole vectors that are kept in memory beside their codes; the others are read from the store on demand.
    pub vector_cache: usize,
    /// Whether the store keeps no vectors of the built-in embedder: they are made again as the index reads the memories.
    pub lazy_vectors: bool,
    /// From so many memories on the index is put aside, so that the next opening reads it instead of them.
    pub pack_from: usize,
    /// Tokens that a model may use on one day of the owner's zone; without limit where absent.
    pub daily_tokens: Option<u32>,
    /// How a mail is shown to a model.
    pub form: Form,
    /// Whether addresses and numbers of persons are taken out of what a model is sent.
    pub mask: bool,
    /// Two questions whose vectors are this near are one, 0–1.
    pub tau_dup: f32,
    /// How the questions of a session are tagged.
    pub tagging: TaggingFigures,
    /// The figures of the sleep cycle.
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
            vector_cache: 32 << 20,
            lazy_vectors: false,
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
    /// Checks what the types leave open.
    ///
    /// # Errors
    /// [`Code::InvalidField`] for a policy whose numbers are not from 0 to 1 or whose bands do not rise.
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
            ("policy.minUpdateScore", p.min_update_score),
            ("tauDup", self.tau_dup),
        ];
        if let Some((name, _)) = numbers.iter().find(|(_, x)| !(0.0..=1.0).contains(x)) {
            return Err(Error::field(*name, "is not a number from 0 to 1"));
        }
        if !(p.bands.link <= p.bands.update && p.bands.update <= p.bands.skip) {
            return Err(Error::field("policy.bands", "do not rise: link ≤ update ≤ skip"));
        }
        self.tagging.validate()?;
        self.sleep.validate()
    }

    /// Takes what is personal out of texts that are sent, where that is wanted; what puts it back into a reply.
    pub(super) fn masks(&self, texts: &mut [&mut String]) -> Masks {
        if self.mask { Masks::hide(texts) } else { Masks::default() }
    }
}

/// Ends when the caller gives up.
pub type Gone<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Whether the caller has given up.
#[derive(Clone, Copy, Default)]
pub struct Cancel<'a> {
    aborted: Option<&'a dyn Fn() -> bool>,
    gone: Option<&'a dyn Fn() -> Gone<'a>>,
}

impl<'a> Cancel<'a> {
    /// Asks `aborted` before each step.
    pub fn when(aborted: &'a dyn Fn() -> bool) -> Self {
        Self { aborted: Some(aborted), gone: None }
    }

    /// The same, and what a long wait for others is cut short by.
    #[must_use]
    pub fn or_when(self, gone: &'a dyn Fn() -> Gone<'a>) -> Self {
        Self { gone: Some(gone), ..self }
    }

    /// What `work` gives, unless the caller gives up before.
    pub(super) async fn unless_gone<T>(&self, mut work: Pin<Box<dyn Future<Output = T> + '_>>) -> Option<T> {
        let mut gone = self.gone.map(|gone| gone());
        poll_fn(|cx| match gone.as_mut().map(|gone| gone.as_mut().poll(cx)) {
            Some(Poll::Ready(())) => Poll::Ready(None),
            _ => work.as_mut().poll(cx).map(Some),
        })
        .await
    }

    /// # Errors
    /// [`Code::Aborted`] once the caller has given up.
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

/// How one new memory is consolidated.
#[derive(Debug, Clone, Default)]
pub struct Consolidate<'a> {
    /// Decide, and write nothing but a log entry.
    pub dry_run: bool,
    /// A second call with the same key changes nothing.
    pub key: Option<String>,
    /// Who says it, where it is mail; else it is the owner's or a tool's word.
    pub speaker: Option<Speaker>,
    /// Whether the caller has given up.
    pub cancel: Cancel<'a>,
}
