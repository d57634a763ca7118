//! memfold consolidates new memories with the stored ones.
//!
//! A mail yields several short memories. The engine compares each with the stored memories and decides CREATE, UPDATE,
//! SKIP or CREATE + LINK. It writes the result in one atomic commit, keeps every version and records the reasons.
//! Clock, network and randomness are passed in: only [`engine`] is asynchronous, and the modules below it are pure
//! functions.
//!
//! Imports run one way; `tests/suite/layers.rs` checks this:
//! `wasm → { engine, endpoint } → { store, llm, embed } → consolidation → decision → analysis → search → similarity → language → model`, with `mail` above `language`, `extract` above `mail`, and `sleep` next to `consolidation`.

// Public API: an engine over a store and an embedder, and its input and output types.
pub mod consolidation;
pub mod decision;
pub mod embed;
pub mod engine;
pub mod llm;
pub mod model;
pub mod store;

// Internal: public only for the bindings, tests, fit and fuzz targets.
#[doc(hidden)]
pub mod analysis;
#[doc(hidden)]
pub mod endpoint;
#[doc(hidden)]
pub mod extract;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod language;
#[doc(hidden)]
pub mod mail;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod similarity;
#[doc(hidden)]
pub mod sleep;

mod error;
mod mark_weights;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use error::{Code, Details, Error, Result};
