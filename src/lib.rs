//! memfold folds new memories into what is already known.
//!
//! A mail teaches several short memories. Each is compared with the stored ones, and the engine decides
//! CREATE, UPDATE, SKIP or CREATE + LINK, writes it in one atomic step, keeps every version and can say why.
//! It never reads a clock, a socket or a random source by itself: [`engine`] is the one place that waits,
//! and everything below it is functions from values to values.
//!
//! Imports run one way, and `tests/suite/layers.rs` fails on a backward one:
//! `wasm → { engine, endpoint } → { store, llm, embed } → consolidation → decision → analysis → search → similarity → language → model`,
//! with `mail` on `language`, `extract` on `mail`, and `sleep` beside `consolidation`.

// The face: an engine over a store and an embedder, and what goes into it and comes out.
pub mod consolidation;
pub mod decision;
pub mod embed;
pub mod engine;
pub mod extract;
pub mod llm;
pub mod mail;
pub mod model;
pub mod store;

// Beneath it: open to the bindings, the tests, the fit and the fuzz targets, and to nobody else.
#[doc(hidden)]
pub mod analysis;
#[doc(hidden)]
pub mod endpoint;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod language;
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
