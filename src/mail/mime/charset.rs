//! Decodes bytes in a named charset with the host's decoder. It guesses only if the declared charset is missing or does
//! not fit the bytes.

use crate::language::is_hangul;

/// A decoder of legacy charsets; UTF-8 and US-ASCII are decoded without it.
pub trait Charset {
    /// Decodes `bytes` in the charset `label`, with U+FFFD for malformed sequences; `None` for an unknown label.
    fn decode(&self, label: &str, bytes: &[u8]) -> Option<String>;
}

/// The platform's decoder: `encoding_rs` natively, `TextDecoder` on wasm32.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostCharset;

#[cfg(not(target_arch = "wasm32"))]
impl Charset for HostCharset {
    fn decode(&self, label: &str, bytes: &[u8]) -> Option<String> {
        let encoding = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())?;
        Some(encoding.decode_without_bom_handling(bytes).0.into_owned())
    }
}

#[cfg(target_arch = "wasm32")]
mod host {
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        pub type TextDecoder;
        #[wasm_bindgen(constructor, catch)]
        pub fn new(label: &str) -> Result<TextDecoder, JsValue>;
        #[wasm_bindgen(method, catch)]
        pub fn decode(this: &TextDecoder, bytes: &[u8]) -> Result<String, JsValue>;
    }
}

#[cfg(target_arch = "wasm32")]
impl Charset for HostCharset {
    fn decode(&self, label: &str, bytes: &[u8]) -> Option<String> {
        host::TextDecoder::new(label).ok()?.decode(bytes).ok()
    }
}

pub fn text(bytes: &[u8], label: Option<&str>, port: &dyn Charset) -> String {
    let label = label.map(canonical).unwrap_or_default();
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let is_plain = matches!(&*label, "" | "utf-8" | "us-ascii");
    if label == "iso-2022-kr" || is_plain && bytes.windows(4).any(|w| w == b"\x1B$)C") {
        return iso_2022_kr(bytes, port);
    }
    let utf_8 = std::str::from_utf8(bytes).ok();
    match utf_8.filter(|_| is_plain || matches!(&*label, "iso-8859-1" | "windows-1252")) {
        // Valid UTF-8 under a Latin label was relabelled on its way.
        Some(text) => text.to_owned(),
        None if is_plain => unlabelled(bytes, label == "utf-8", port),
        // So was text that is broken under its label but valid UTF-8.
        None => match port.decode(&label, bytes) {
            Some(text) => utf_8.filter(|_| text.contains('\u{FFFD}')).map_or(text, str::to_owned),
            None => unlabelled(bytes, false, port),
        },
    }
}

/// Decodes bytes with a missing or wrong charset: Korean legacy charsets first, Latin last.
fn unlabelled(bytes: &[u8], said_utf8: bool, port: &dyn Charset) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    if let Some(text) = port.decode("euc-kr", bytes).filter(|t| !t.contains('\u{FFFD}') && t.contains(is_hangul)) {
        return text;
    }
    let lossy = String::from_utf8_lossy(bytes);
    // Mostly valid UTF-8 stays UTF-8; anything else is read as Latin.
    if said_utf8 || lossy.matches('\u{FFFD}').count() * 20 < lossy.chars().count() {
        return lossy.into_owned();
    }
    port.decode("windows-1252", bytes).unwrap_or_else(|| lossy.into_owned())
}

/// The WHATWG name of a charset.
fn canonical(label: &str) -> String {
    let lower = label.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
    // Labels that WHATWG lacks.
    match lower.as_str() {
        "cp949" | "uhc" | "ms949" | "x-windows-949" | "euckr" | "x-euc-kr" => "euc-kr".to_owned(),
        "csiso2022kr" => "iso-2022-kr".to_owned(),
        "utf8" | "x-utf-8" => "utf-8".to_owned(),
        "ascii" | "default" | "unknown" | "unknown-8bit" | "x-unknown" | "binary" | "8bit" => "us-ascii".to_owned(),
        _ if lower.starts_with("ks_c_5601") || lower.starts_with("ksc5601") => "euc-kr".to_owned(),
        _ => lower,
    }
}

/// Decodes ISO-2022-KR as EUC-KR, which WHATWG decoders accept: sets the high bits after SO.
fn iso_2022_kr(bytes: &[u8], port: &dyn Charset) -> String {
    let mut is_shifted = false;
    let byte = |b: &u8| {
        // A line end closes a shift without SI.
        is_shifted = match b {
            0x0E => true,
            0x0F | b'\n' | b'\r' => false,
            _ => is_shifted,
        };
        (!matches!(b, 0x0E | 0x0F)).then_some(if is_shifted && b.is_ascii_graphic() { b | 0x80 } else { *b })
    };
    let bytes: Vec<u8> = bytes.iter().filter_map(byte).collect();
    let text = port.decode("euc-kr", &bytes).unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned());
    text.replace("\x1B$)C", "")
}
