//! From what the host throws or reports to an error with a code.
//!
//! It never looks at anything but the name of a DOMException; messages differ from host to host.

use crate::{Code, Error};
use js_sys::Reflect;
use wasm_bindgen::JsValue;
use web_sys::DomException;

/// The error that a thrown or reported value stands for.
pub fn of(thrown: impl Into<JsValue>) -> Error {
    let thrown = thrown.into();
    // By field and not by class: QuotaExceededError is no DOMException in every host.
    let field = |name: &str| Reflect::get(&thrown, &name.into()).ok().and_then(|text| text.as_string());
    let (Some(name), Some(message)) = (field("name"), field("message")) else {
        return Error::new(Code::Storage, "the database failed").with_cause(format!("{thrown:?}"));
    };
    let (code, sentence) = meaning(&name);
    Error::new(code, sentence).with_cause(format!("{name}: {message}"))
}

/// The error of a connection that the host or another tab took away.
pub fn lost() -> Error {
    Error::new(Code::ConnectionLost, "the connection to the database was lost")
}

/// Why a transaction or a request ended, by its `error`.
pub fn reported(error: Option<DomException>) -> Error {
    error.map_or_else(lost, of)
}

/// The code for a DOMException's name. Only the host aborts a transaction that is still waited for.
fn meaning(name: &str) -> (Code, &'static str) {
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
    fn every_name_has_its_code() {
        for (name, code) in [
            ("QuotaExceededError", Code::QuotaExceeded),
            ("VersionError", Code::VersionTooNew),
            ("AbortError", Code::ConnectionLost),
            ("InvalidStateError", Code::ConnectionLost),
            ("ConstraintError", Code::Conflict),
            ("NotFoundError", Code::Corrupt),
            ("SecurityError", Code::Unsupported),
            ("UnknownError", Code::Storage),
            ("DataError", Code::Storage),
            ("DataCloneError", Code::Storage),
        ] {
            let error = of(DomException::new_with_message_and_name("why", name).unwrap());
            assert_eq!((error.code, error.details().cause), (code, Some(format!("{name}: why"))));
        }
    }

    #[wasm_bindgen_test]
    fn whatever_is_thrown_is_an_error() {
        for thrown in [JsValue::UNDEFINED, JsValue::NULL, JsValue::from_str("no"), js_sys::Object::new().into()] {
            assert_eq!(of(thrown).code, Code::Storage);
        }
        assert_eq!(of(js_sys::TypeError::new("no")).details().cause.unwrap(), "TypeError: no");
        assert_eq!(reported(None).code, Code::ConnectionLost);
    }
}
