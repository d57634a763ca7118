//! Promises for the methods of the JavaScript API, and their abort signals.

use super::error::{to_js, write};
use crate::Result;
use crate::engine::Gone;
use js_sys::Promise;
use std::pin::Pin;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

#[wasm_bindgen]
extern "C" {
    /// An `AbortSignal` as wrapped by the TypeScript entry.
    #[derive(Debug)]
    #[wasm_bindgen(typescript_type = "AbortSignal")]
    pub type AbortSignal;

    #[wasm_bindgen(method, getter)]
    pub(super) fn aborted(this: &AbortSignal) -> bool;

    /// A promise that resolves on abort; added by the TypeScript entry.
    #[wasm_bindgen(method)]
    fn gone(this: &AbortSignal) -> Promise;
}

pub(super) fn promise<T: serde::Serialize>(work: impl Future<Output = Result<T>> + 'static) -> Promise {
    start(Box::pin(async move { write(&work.await?) }))
}

/// Runs `work` as a promise. Boxed, so that the promise code is compiled once for all methods.
pub(super) fn start(work: Pin<Box<dyn Future<Output = Result<JsValue>>>>) -> Promise {
    future_to_promise(async move { work.await.map_err(to_js) })
}

pub(super) fn gone(signal: Option<&AbortSignal>) -> Gone<'_> {
    match signal {
        Some(signal) => Box::pin(async {
            // The promise never rejects.
            let _ = JsFuture::from(signal.gone()).await;
        }),
        None => Box::pin(std::future::pending()),
    }
}
