//! memfold folds new memories into what is already known.
//!
//! A mail teaches several short memories. Each is compared with the stored ones, and the engine decides
//! CREATE, UPDATE, SKIP or CREATE + LINK, writes it in one atomic step, keeps every version and can say why.
//! It never reads a clock, a socket or a random source by itself: [`engine`] is the one place that waits,
//! and everything below it is functions from values to values.
//!
//! Imports run one way, and `tests/suite/layers.rs` fails on a backward one:
//! `wasm → { engine, endpoint } → { store, llm, embed } → consolidation → decision → analysis → search → similarity → language → model`,
//! with `mail` on `language`, and `graph` beside `consolidation`.

pub mod error;
pub mod json;
pub mod language;
pub mod model;
pub mod order;
pub mod search;
pub mod similarity;

pub mod analysis;
pub mod consolidation;
pub mod decision;
pub mod graph;
pub mod mail;

pub mod embed;
pub mod endpoint;
pub mod engine;
pub mod llm;
pub mod store;

#[cfg(target_arch = "wasm32")]
mod wasm;

pub use error::{Code, Error, Result};
