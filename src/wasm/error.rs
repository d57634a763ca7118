//! Errors as JavaScript sees them: an `Error` with `name`, `code`, `retryable`, `field` and `cause`.

use crate::Error;
use serde::Serialize as _;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

/// The `Error` object of an error.
pub(super) fn to_js(e: Error) -> JsValue {
    let e = e.details();
    let error = js_sys::Error::new(&e.message);
    error.set_name("MemfoldError");
    let set = |key: &str, value: JsValue| {
        // Setting a property of an object that was just made cannot fail.
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

/// Reads a value that crossed as JSON; a missing one is the default.
pub(super) fn read<T: serde::de::DeserializeOwned>(value: &JsValue, what: &str) -> Result<T, Error> {
    crate::json::read(&text(value, what)?, what).map_err(|e| about(e, what))
}

pub(super) fn text(value: &JsValue, what: &str) -> Result<String, Error> {
    let text = js_sys::JSON::stringify(value).ok().and_then(|s| s.as_string());
    text.ok_or_else(|| Error::new(crate::Code::InvalidInput, format!("{what} is not a JSON value")))
}

#[inline(never)]
fn about(mut e: Error, what: &str) -> Error {
    if e.field.is_none() {
        return e.at(what);
    }
    if e.code == crate::Code::InvalidInput {
        // One code for a value of another type, whoever finds it: the entries check some of them.
        e.code = crate::Code::InvalidField;
    }
    e
}

/// Writes a value as plain objects, lists and numbers: `.87` of an `f32` crosses as .87, as in JSON.
pub(super) fn write<T: serde::Serialize>(value: &T) -> Result<JsValue, Error> {
    let value: serde_json::Value = crate::json::read(&crate::json::write(value)?, "result")?;
    value.serialize(&Serializer::json_compatible()).map_err(|e| unwritten(&e))
}

#[inline(never)]
fn unwritten(e: &serde_wasm_bindgen::Error) -> Error {
    Error::new(crate::Code::Internal, format!("a result cannot cross: {e}"))
}
