//! The host's clock and randomness: the only place that reads them.

use crate::engine::Platform;
use crate::model::Time;
use wasm_bindgen::prelude::*;

/// The host, whatever it is: a page, a worker, an extension, workerd, Node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Host;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
}

#[allow(clippy::disallowed_methods, reason = "this is the one place that may read them")]
impl Platform for Host {
    fn now(&self) -> Time {
        Time::from_millis(js_sys::Date::now() as i64)
    }

    fn ticks(&self) -> f64 {
        performance_now()
    }

    fn seed(&self) -> [u8; 16] {
        let mut seed = [0; 16];
        // Without Web Crypto ids still differ by time; every host that memfold knows has it.
        if getrandom::fill(&mut seed).is_err() {
            seed[..8].copy_from_slice(&performance_now().to_bits().to_be_bytes());
        }
        seed
    }
}
