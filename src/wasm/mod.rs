//! The JavaScript API: options, errors, the `Engine` class and the platform. It contains no memory logic.
//!
//! Input crosses as JSON text, so that unknown fields are refused. Results are plain objects; errors are `Error`s with
//! a `code`.

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
