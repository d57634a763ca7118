//! Maps exceptions and error events of IndexedDB to error codes.
//!
//! Only the name of a DOMException decides, since messages differ between browsers.

use crate::{Code, Error};
use js_sys::Reflect;
use wasm_bindgen::JsValue;
use web_sys::DomException;

pub fn of(thrown: impl Into<JsValue>) -> Error {
    let thrown = thrown.into();
    // By field and not by class: in some hosts QuotaExceededError is not a DOMException.
    let field = |name: &str| Reflect::get(&thrown, &name.into()).ok().and_then(|text| text.as_string());
    let (Some(name), Some(message)) = (field("name"), field("message")) else {
        return Error::new(Code::Storage, "the database failed").with_cause(format!("{thrown:?}"));
    };
    let (code, sentence) = classify(&name);
    Error::new(code, sentence).with_cause(format!("{name}: {message}"))
}

pub fn lost() -> Error {
    Error::new(Code::ConnectionLost, "the connection to the database was lost")
}

pub fn reported(error: Option<DomException>) -> Error {
    error.map_or_else(lost, of)
}

/// The code for a DOMException's name. `AbortError` comes from the host: the store aborts nothing it awaits.
fn classify(name: &str) -> (Code, &'static str) {
    match name {
        "QuotaExceededError" => (Code::QuotaExceeded, "the storage quota is used up"),
        "VersionError" => (Code::VersionTooNew, "the database was made by a newer version of memfold"),
        "AbortError" | "InvalidStateError" => (Code::ConnectionLost, "the connection to the database was lost"),
        "ConstraintError" => (Code::Conflict, "the log has this entry already"),
        "NotFoundError" => (Code::Corrupt, "the database lacks a part that memfold made"),
        "SecurityError" | "NotSupportedError" => (Code::Unsupported, "this host allows no database here"),
        _ => (Code::Storage, "the database failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn any_thrown_value_becomes_an_error() {
        for thrown in [JsValue::UNDEFINED, JsValue::NULL, JsValue::from_str("no"), js_sys::Object::new().into()] {
            assert_eq!(of(thrown).code, Code::Storage);
        }
        assert_eq!(of(js_sys::TypeError::new("no")).details().cause.unwrap(), "TypeError: no");
        assert_eq!(reported(None).code, Code::ConnectionLost);
    }
}
