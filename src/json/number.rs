//! Decimal text of numbers and back. Numbers of up to 15 digits are exact here; the host does the rest.
//!
//! It never uses the standard library's conversions in the wasm file: their tables take 25 KB gzipped there.

/// The powers of ten that an `f64` holds exactly.
const EXACT: i32 = 22;
/// Up to here an `f64` holds every whole number.
const WHOLE: u64 = 1 << 53;
/// Up to here the digits of an `f32` are worth a look.
const SHORT: u64 = 1_000_000_000;

/// The number that a decimal text means, such as `-12`, `0.5`, `.5` or `1e-3`.
///
/// ```
/// use memfold::json::number;
/// assert_eq!(number("-12.50"), Some(-12.5));
/// assert_eq!(number("1.2.3"), None);
/// ```
pub fn number(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (digits, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && part.is_empty() || !whole.bytes().chain(part.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut mantissa = 0u64;
    for digit in whole.bytes().chain(part.bytes()) {
        mantissa = mantissa.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    }
    let exponent = exponent.saturating_sub(part.len() as i32);
    if mantissa > WHOLE || exponent.abs() > EXACT {
        return host::number(text).filter(|n| n.is_finite());
    }
    let size = if exponent < 0 { mantissa as f64 / power(-exponent) } else { mantissa as f64 * power(exponent) };
    Some(if unsigned.len() < text.len() { -size } else { size })
}

/// The shortest decimal text that reads back as the same number.
pub(super) fn text(n: f64) -> String {
    plain(n, WHOLE, |read| read == n.abs()).unwrap_or_else(|| host::text(n))
}

/// The shortest decimal text that reads back as the same `f32`.
pub(super) fn short_text(n: f32) -> String {
    plain(f64::from(n), SHORT, |read| read as f32 == n.abs()).unwrap_or_else(|| host::text(f64::from(n)))
}

/// The `f64` whose text is that of an `f32`.
pub(super) fn short(n: f32) -> f64 {
    let wide = f64::from(n);
    for places in 0..=EXACT {
        let digits = (wide * power(places)).round();
        if digits.abs() >= SHORT as f64 {
            break;
        }
        let read = digits / power(places);
        if read as f32 == n {
            return read;
        }
    }
    wide
}

/// The text with the fewest digits after the point that `same` accepts, its digits taken as a number below `limit`.
fn plain(n: f64, limit: u64, same: impl Fn(f64) -> bool) -> Option<String> {
    for places in 0..=EXACT {
        let digits = (n.abs() * power(places)).round();
        if digits >= limit as f64 {
            return None;
        }
        if same(digits / power(places)) {
            let mut out = format!("{:0>1$}", digits as u64, places as usize + 1);
            if places > 0 {
                out.insert(out.len() - places as usize, '.');
            }
            if n.is_sign_negative() {
                out.insert(0, '-');
            }
            return Some(out);
        }
    }
    None
}

/// 10 to the power of `exponent`, exact up to [`EXACT`].
fn power(exponent: i32) -> f64 {
    (0..exponent).fold(1.0, |power, _| power * 10.0)
}

#[cfg(target_arch = "wasm32")]
mod host {
    use wasm_bindgen::JsValue;

    pub fn number(text: &str) -> Option<f64> {
        Some(JsValue::from_str(text).unchecked_into_f64())
    }

    pub fn text(n: f64) -> String {
        js_sys::Number::from(n)
            .to_string_with_radix(10)
            .map(|text| String::from(text).replace("e+", "e"))
            .unwrap_or_default()
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod host {
    pub fn number(text: &str) -> Option<f64> {
        text.parse().ok()
    }

    /// As JavaScript writes it, without the plus of an exponent.
    pub fn text(n: f64) -> String {
        let size = n.abs();
        if (1e-6..1e21).contains(&size) || size == 0.0 { n.to_string() } else { format!("{n:e}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_reads_as_the_standard_library_reads_it() {
        let texts = [
            "0",
            "-0",
            "7",
            "-12.50",
            ".5",
            "5.",
            "0.1",
            "1e22",
            "1e23",
            "123456789012345678",
            "0.30000000000000004",
            "2.2250738585072014e-308",
            "1.7976931348623157e308",
            "9007199254740993",
            "1e-22",
            "3.4028235e38",
            "1E+2",
        ];
        for text in texts {
            assert_eq!(number(text).map(f64::to_bits), text.parse::<f64>().ok().map(f64::to_bits), "{text}");
        }
        for text in ["", "-", ".", "e1", "1e", "1.2.3", "1e999", "--1", "0x1", "1 ", "inf", "NaN", "１"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn the_text_of_a_number_reads_back() {
        let mut bits = 1u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (wide, narrow) = (f64::from_bits(bits), f32::from_bits((bits >> 32) as u32));
            if wide.is_finite() {
                assert_eq!(number(&text(wide)), Some(wide));
            }
            if narrow.is_finite() {
                assert_eq!(number(&short_text(narrow)).map(|n| n as f32), Some(narrow));
            }
            let unit = (bits >> 40) as f32 / 16_777_216.0;
            for n in [narrow, unit, -unit].into_iter().filter(|n| n.is_finite()) {
                assert_eq!(number(&short_text(n)), Some(short(n)), "{n}");
            }
            assert_eq!(number(&short_text(unit)).map(|n| n as f32), Some(unit));
        }
    }

    #[test]
    fn the_text_of_a_number_is_short() {
        let cases = [(0.87, "0.87"), (1.0, "1"), (-0.4, "-0.4"), (0.000_015, "0.000015"), (1e-8, "0.00000001")];
        for (n, expected) in cases {
            assert_eq!(short_text(n), expected);
            assert_eq!(text(expected.parse().unwrap()), expected);
        }
        assert_eq!(text(12.299_999_999_999_272), "12.299999999999272");
        assert_eq!(text(1e300), "1e300");
    }
}
