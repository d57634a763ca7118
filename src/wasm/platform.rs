//! The host's clock, time zones and randomness. No other module may read them.

use crate::engine::{Gone, Platform};
use crate::model::{Time, Zone};
use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

#[derive(Debug, Clone, Copy)]
pub(super) struct Host;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;

    /// The binding of `js_sys` does not catch the error for an unknown zone.
    #[wasm_bindgen(js_namespace = Intl)]
    type DateTimeFormat;
    #[wasm_bindgen(constructor, js_namespace = Intl, catch)]
    fn new(locale: &str, options: &Object) -> Result<DateTimeFormat, JsValue>;
    #[wasm_bindgen(method)]
    fn format(this: &DateTimeFormat, millis: f64) -> String;
    #[wasm_bindgen(method, js_name = resolvedOptions)]
    fn resolved_options(this: &DateTimeFormat) -> Object;
}

pub(super) fn own_zone() -> Option<Zone> {
    let resolved = DateTimeFormat::new("en-US", &Object::new()).ok()?.resolved_options();
    zone_named(&Reflect::get(&resolved, &"timeZone".into()).ok()?.as_string()?)
}

/// The zone of an IANA name, from the host's `Intl` data.
pub(super) fn zone_named(name: &str) -> Option<Zone> {
    let options = Object::new();
    let parts = ["year", "month", "day", "hour", "minute", "second"].map(|part| (part, "numeric"));
    for (key, value) in parts.into_iter().chain([("timeZone", name), ("hourCycle", "h23")]) {
        Reflect::set(&options, &key.into(), &value.into()).ok()?;
    }
    let format = DateTimeFormat::new("en-US", &options).ok()?;
    Zone::named(name, |millis| {
        let local = wall_clock(&format.format(millis as f64))?;
        i32::try_from((local.millis() - millis + 30_000).div_euclid(60_000)).ok()
    })
}

/// Parses `12/31/1969, 19:00:00` as if it were UTC.
fn wall_clock(text: &str) -> Option<Time> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).map(str::parse::<u32>);
    let mut next = || numbers.next()?.ok();
    let (month, day, year) = (next()?, next()?, next()?);
    let day = chrono::NaiveDate::from_ymd_opt(year as i32, month, day)?;
    Some(Time::from_local(day.and_hms_opt(next()?, next()?, next()?)?, Zone::default()))
}

#[allow(clippy::disallowed_methods, reason = "this is the one place that may read them")]
impl Platform for Host {
    fn now(&self) -> Time {
        Time::from_millis(js_sys::Date::now() as i64)
    }

    fn ticks(&self) -> f64 {
        performance_now()
    }

    fn pause(&self) -> Gone<'_> {
        Box::pin(next_turn())
    }

    fn seed(&self) -> [u8; 16] {
        let mut seed = [0; 16];
        // Without Web Crypto, ids still differ by time. All supported hosts have it.
        if getrandom::fill(&mut seed).is_err() {
            seed[..8].copy_from_slice(&performance_now().to_bits().to_be_bytes());
        }
        seed
    }
}

/// Yields to the event loop, without a timer where possible: timers are slow in hidden pages.
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
