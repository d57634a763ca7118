//! The JavaScript face: options, errors, the class and the platform. It holds no rule.
//!
//! Values cross as JSON (one string each way, unknown fields refused), errors as real `Error`s with a `code`.

#![allow(missing_docs, reason = "wasm-bindgen and tsify generate undocumented items beside the documented ones")]

mod backend;
mod class;
mod error;
mod model;
mod options;
mod platform;
mod sleeping;
mod syncing;
