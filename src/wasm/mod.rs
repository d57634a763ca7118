//! The JavaScript face: options, errors, the class and the platform. It holds no rule.
//!
//! Values come in as JSON text, so that fields that nobody knows are refused, and go out as plain objects; errors are
//! real `Error`s with a `code`.

#![allow(missing_docs, reason = "wasm-bindgen and tsify generate undocumented items beside the documented ones")]

mod backend;
mod class;
mod endpoint;
mod error;
mod model;
mod net;
mod options;
mod platform;
mod promise;
mod sleeping;
mod syncing;
