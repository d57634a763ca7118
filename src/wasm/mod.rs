//! The JavaScript API. Input crosses as JSON text, so that unknown fields are refused; results are plain objects, and
//! errors are `Error`s with a `code`.

#![allow(missing_docs, reason = "wasm-bindgen and tsify generate undocumented items beside the documented ones")]

mod class;
mod endpoint;
mod error;
mod model;
mod net;
mod options;
mod platform;
mod promise;
