//! Punycode (RFC 3492): labels of internationalised domain names.

/// Decodes a label without its `xn--`; `None` if it is invalid.
pub fn decode(label: &str) -> Option<String> {
    const BASE: u32 = 36;
    let (basic, extended) = label.rsplit_once('-').unwrap_or(("", label));
    let mut out: Vec<char> = basic.chars().collect();
    let (mut code, mut place, mut bias) = (128u32, 0u32, 72u32);
    let mut digits = extended.bytes().peekable();
    while digits.peek().is_some() {
        let (before, mut weight, mut k) = (place, 1u32, BASE);
        loop {
            let digit = match digits.next()? {
                b @ b'a'..=b'z' => b - b'a',
                b @ b'0'..=b'9' => b - b'0' + 26,
                _ => return None,
            };
            place = place.checked_add(u32::from(digit).checked_mul(weight)?)?;
            let threshold = k.saturating_sub(bias).clamp(1, 26);
            if u32::from(digit) < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            k += BASE;
        }
        let count = out.len() as u32 + 1;
        let mut delta = (place - before) / if before == 0 { 700 } else { 2 };
        delta += delta / count;
        let mut k = 0;
        while delta > 455 {
            delta /= BASE - 1;
            k += BASE;
        }
        bias = k + 36 * delta / (delta + 38);
        code = code.checked_add(place / count)?;
        place %= count;
        out.insert(place as usize, char::from_u32(code)?);
        place += 1;
    }
    Some(out.into_iter().collect())
}
