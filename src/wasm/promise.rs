//! What every method gives to JavaScript, a promise, and what it is given to end it early.

use super::error::{to_js, write};
use crate::Result;
use crate::engine::Gone;
use js_sys::Promise;
use std::pin::Pin;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

#[wasm_bindgen]
extern "C" {
    /// The caller's way to give up.
    #[derive(Debug)]
    #[wasm_bindgen(typescript_type = "AbortSignal")]
    pub type AbortSignal;

    #[wasm_bindgen(method, getter)]
    pub(super) fn aborted(this: &AbortSignal) -> bool;

    /// The entry's own: a promise of the abort.
    #[wasm_bindgen(method)]
    fn gone(this: &AbortSignal) -> Promise;
}

/// A promise of what `work` gives, as plain objects.
pub(super) fn promise<T: serde::Serialize>(work: impl Future<Output = Result<T>> + 'static) -> Promise {
    start(Box::pin(async move { write(&work.await?) }))
}

/// Starts work of whatever kind: one copy of the promise's machinery serves all methods.
pub(super) fn start(work: Pin<Box<dyn Future<Output = Result<JsValue>>>>) -> Promise {
    future_to_promise(async move { work.await.map_err(to_js) })
}

/// Ends when the signal fires; never where there is none.
pub(super) fn gone(signal: Option<&AbortSignal>) -> Gone<'_> {
    match signal {
        Some(signal) => Box::pin(async {
            // It is resolved or never: nobody rejects it.
            let _ = JsFuture::from(signal.gone()).await;
        }),
        None => Box::pin(std::future::pending()),
    }
}
