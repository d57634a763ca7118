//! The host's clock and randomness: the only place that reads them.

use crate::engine::Platform;
use crate::model::Time;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// The host, whatever it is: a page, a worker, an extension, workerd, Node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Host;

thread_local! {
    /// Seeds that were drawn together: a call to the host takes longer than all else that is done with one.
    static SEEDS: RefCell<Vec<[u8; 16]>> = const { RefCell::new(Vec::new()) };
}

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

    fn pause(&self) -> impl Future<Output = ()> {
        next_turn()
    }

    fn seed(&self) -> [u8; 16] {
        SEEDS.with_borrow_mut(|seeds| {
            if let Some(seed) = seeds.pop() {
                return seed;
            }
            let mut drawn = [[0; 16]; 16];
            // Without Web Crypto ids still differ by time; every host that memfold knows has it.
            if getrandom::fill(drawn.as_flattened_mut()).is_err() {
                drawn[0][..8].copy_from_slice(&performance_now().to_bits().to_be_bytes());
                return drawn[0];
            }
            let [seed, rest @ ..] = drawn;
            seeds.extend(rest);
            seed
        })
    }
}

/// Ends with the next turn of the event loop: by `scheduler.yield` or `setImmediate` where the host has one of them, since
/// timers of hidden pages are slow.
async fn next_turn() {
    let global = js_sys::global();
    let of = |object: &JsValue, name: &str| js_sys::Reflect::get(object, &name.into()).unwrap_or_default();
    let scheduler = of(&global, "scheduler");
    if scheduler.is_object()
        && let Ok(yields) = of(&scheduler, "yield").dyn_into::<js_sys::Function>()
        && let Ok(turn) = yields.call0(&scheduler)
        && let Ok(turn) = turn.dyn_into::<js_sys::Promise>()
    {
        let _ = wasm_bindgen_futures::JsFuture::from(turn).await;
    } else if let Ok(immediate) = of(&global, "setImmediate").dyn_into::<js_sys::Function>() {
        let turn = js_sys::Promise::new(&mut |done, _| drop(immediate.call1(&global, &done)));
        let _ = wasm_bindgen_futures::JsFuture::from(turn).await;
    } else {
        gloo_timers::future::TimeoutFuture::new(0).await;
    }
}
