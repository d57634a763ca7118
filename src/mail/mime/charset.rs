//! Decodes bytes in a named charset with the host's decoder. It guesses only if the declared
//! charset is missing or does not fit the bytes.

use crate::language::is_hangul;

/// A decoder of legacy charsets; UTF-8 and US-ASCII are decoded without it.
pub trait Charset {
    /// Decodes `bytes` in the charset `label`, with U+FFFD for malformed sequences; `None` for an
    /// unknown label.
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

/// Decodes `bytes` in the charset `label`.
pub(in crate::mail) fn text(bytes: &[u8], label: Option<&str>, port: &dyn Charset) -> String {
    let label = label.map(canonical).unwrap_or_default();
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match label.as_str() {
        "iso-2022-kr" => decoded(port, "euc-kr", &iso_2022_kr(bytes)),
        "" | "utf-8" | "us-ascii" => match std::str::from_utf8(bytes) {
            _ if is_iso_2022_kr(bytes) => decoded(port, "euc-kr", &iso_2022_kr(bytes)),
            Ok(text) => text.to_owned(),
            Err(_) => unlabelled(bytes, label == "utf-8", port),
        },
        // Valid UTF-8 under a Latin label was relabelled on its way.
        "iso-8859-1" | "windows-1252" if !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok() => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        known => match port.decode(known, bytes) {
            // So was text that is broken under its label but valid UTF-8.
            Some(text) if text.contains('\u{FFFD}') && std::str::from_utf8(bytes).is_ok() => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            Some(text) => text,
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

fn decoded(port: &dyn Charset, label: &str, bytes: &[u8]) -> String {
    port.decode(label, bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
}

/// The WHATWG name of a charset.
fn canonical(label: &str) -> String {
    let lower = label.trim().trim_matches(['"', '\'']).to_ascii_lowercase().replace('_', "-");
    let name = match lower.as_str() {
        "cp949" | "uhc" | "ms949" | "x-windows-949" | "windows-949" | "euckr" | "x-euc-kr" | "korean" => "euc-kr",
        "csiso2022kr" => "iso-2022-kr",
        "utf8" | "unicode-1-1-utf-8" | "x-utf-8" => "utf-8",
        "ascii" | "ansi-x3.4-1968" | "default" | "unknown" | "unknown-8bit" | "x-unknown" | "binary" | "8bit" => {
            "us-ascii"
        }
        "latin1" => "iso-8859-1",
        other if other.starts_with("ks-c-5601") || other.starts_with("ksc5601") || other.starts_with("ks-c5601") => {
            "euc-kr"
        }
        other => other,
    };
    // WHATWG labels with an underscore.
    match name {
        "shift-jis" => "shift_jis".into(),
        other => other.to_owned(),
    }
}

fn is_iso_2022_kr(bytes: &[u8]) -> bool {
    bytes.windows(4).any(|w| w == b"\x1B$)C")
}

/// Converts ISO-2022-KR to EUC-KR, which WHATWG decoders accept: sets the high bits after SO.
fn iso_2022_kr(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let (mut at, mut shifted) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        if bytes[at..].starts_with(b"\x1B$)C") {
            at += 4;
            continue;
        }
        match byte {
            0x0E => shifted = true,
            0x0F => shifted = false,
            // A line end closes a shift without SI.
            b'\n' | b'\r' => {
                shifted = false;
                out.push(byte);
            }
            0x21..=0x7E if shifted => out.push(byte | 0x80),
            other => out.push(other),
        }
        at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn korean_charsets_read_alike() {
        let euc = b"\xC7\xD1\xB1\xDB 3";
        for label in ["euc-kr", "EUC-KR", "ks_c_5601-1987", "\"cp949\"", "KSC5601"] {
            assert_eq!(text(euc, Some(label), &HostCharset), "한글 3", "{label}");
        }
        let iso = b"\x1B$)C\x0EGQ1[\x0F 3";
        assert_eq!(text(iso, Some("iso-2022-kr"), &HostCharset), "한글 3");
        assert_eq!(text(iso, None, &HostCharset), "한글 3");
    }

    #[test]
    fn an_unnamed_or_wrong_charset_is_found() {
        assert_eq!(text(b"\xC7\xD1\xB1\xDB", None, &HostCharset), "한글");
        assert_eq!(text(b"\xC7\xD1\xB1\xDB", Some("utf-8"), &HostCharset), "한글");
        assert_eq!(text("한글".as_bytes(), Some("iso-8859-1"), &HostCharset), "한글");
        assert_eq!(text(b"caf\xE9", Some("iso-8859-1"), &HostCharset), "café");
        assert_eq!(text(b"abc", Some("x-nobody-knows"), &HostCharset), "abc");
        assert_eq!(text(b"\xFF\xFE\xFD", Some("x-nobody-knows"), &HostCharset), "ÿþý");
    }
}
