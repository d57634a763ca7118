//! JavaScript errors: an `Error` with `name`, `code`, `retryable`, `field` and `cause`.

use crate::Error;
use serde::Serialize as _;
use serde_wasm_bindgen::Serializer;
use tsify::{Ts, Tsify};
use wasm_bindgen::JsValue;

pub(super) fn to_js(e: Error) -> JsValue {
    let e = e.details();
    let error = js_sys::Error::new(&e.message);
    error.set_name("MemfoldError");
    let set = |key: &str, value: JsValue| {
        // Setting a property of a new object cannot fail.
        let _ = js_sys::Reflect::set(&error, &key.into(), &value);
    };
    set("code", e.code.as_str().into());
    set("retryable", e.code.is_retryable().into());
    if let Some(field) = e.field {
        set("field", field.into());
    }
    if !e.dependents.is_empty() {
        set("dependents", e.dependents.into_iter().map(JsValue::from).collect::<js_sys::Array>().into());
    }
    if let Some(cause) = e.cause {
        set("cause", js_sys::Error::new(&cause).into());
    }
    error.into()
}

/// Deserialises a JavaScript value via JSON; `undefined` gives the default.
pub(super) fn read<T: serde::de::DeserializeOwned>(value: &JsValue, what: &str) -> Result<T, Error> {
    crate::json::read(&text(value, what)?, what).map_err(|e| at_field(e, what))
}

pub(super) fn read_as<T: serde::de::DeserializeOwned + Tsify>(value: &Ts<T>, what: &str) -> Result<T, Error> {
    read(&value.js_value(), what)
}

pub(super) fn text(value: &JsValue, what: &str) -> Result<String, Error> {
    let text = js_sys::JSON::stringify(value).ok().and_then(|s| s.as_string());
    text.ok_or_else(|| Error::new(crate::Code::InvalidInput, format!("{what} is not a JSON value")))
}

#[inline(never)]
fn at_field(mut e: Error, what: &str) -> Error {
    if e.field.is_none() {
        return e.at(what);
    }
    if e.code == crate::Code::InvalidInput {
        // The TypeScript entries report a wrong type as `invalid_field` too.
        e.code = crate::Code::InvalidField;
    }
    e
}

/// Serialises a value as plain objects, lists and numbers. An `f32` of 0.87 is passed as 0.87, as in JSON.
pub(super) fn write<T: serde::Serialize>(value: &T) -> Result<JsValue, Error> {
    let value: serde_json::Value = crate::json::read(&crate::json::write(value)?, "result")?;
    value.serialize(&Serializer::json_compatible()).map_err(|e| conversion_error(&e))
}

#[inline(never)]
fn conversion_error(e: &serde_wasm_bindgen::Error) -> Error {
    Error::new(crate::Code::Internal, format!("a result cannot cross: {e}"))
}
