//! The transfer encodings of bodies and encoded words: base64, quoted-printable and per cent.
//!
//! None of them fails: each gives what can be read, and whether that was all.

/// The bytes of base64. Foreign characters are passed over, and a cut end gives what is whole.
pub(super) fn base64(data: &[u8]) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(data.len() / 4 * 3);
    let (mut bits, mut count, mut clean) = (0u32, 0, true);
    for byte in data {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                (bits, count) = (0, 0);
                continue;
            }
            _ => {
                clean &= byte.is_ascii_whitespace();
                continue;
            }
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (out, clean)
}

/// The bytes of quoted-printable text: escapes resolved, soft line ends and blanks before line ends taken out.
pub(super) fn quoted(data: &[u8]) -> (Vec<u8>, bool) {
    let mut lines: Vec<u8> = Vec::with_capacity(data.len());
    for line in data.split_inclusive(|b| *b == b'\n') {
        let ended = line.ends_with(b"\n");
        let text = if ended { line.trim_ascii_end() } else { line };
        match text.strip_suffix(b"=").filter(|_| ended) {
            Some(soft) => lines.extend_from_slice(soft),
            None => {
                lines.extend_from_slice(text);
                lines.extend_from_slice(if line.ends_with(b"\r\n") {
                    b"\r\n"
                } else {
                    &line[line.len() - usize::from(ended)..]
                });
            }
        }
    }
    hex(&lines, b'=')
}

/// The bytes of text in which a mark and two hexadecimal digits stand for a byte; other marks stay as they are.
pub(super) fn hex(data: &[u8], mark: u8) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(data.len());
    let mut clean = true;
    let mut at = 0;
    let digit = |at: usize| data.get(at).and_then(|b| char::from(*b).to_digit(16));
    while let Some(byte) = data.get(at) {
        at += 1;
        match (*byte == mark, digit(at), digit(at + 1)) {
            (true, Some(high), Some(low)) => {
                out.push((high << 4 | low) as u8);
                at += 2;
            }
            (marked, ..) => {
                // A soft end of the whole text ends it.
                clean &= !marked || at == data.len();
                out.extend((!marked || at < data.len()).then_some(*byte));
            }
        }
    }
    (out, clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_gives_what_can_be_read() {
        assert_eq!(base64(b"7ZWc\r\n6riA"), ("한글".into(), true));
        assert_eq!(base64("7ZWc6riA!!".as_bytes()), ("한글".into(), false));
        assert_eq!(base64(b"YQ==YmM="), (b"abc".to_vec(), true));
        assert_eq!(base64(b"YWJj Z"), (b"abc".to_vec(), true));
    }

    #[test]
    fn quoted_printable_gives_what_can_be_read() {
        assert_eq!(quoted(b"a=20b =\r\nc  \r\n=3D\nd="), (b"a b c\r\n=\nd".to_vec(), true));
        assert_eq!(quoted(b"=G1 =4"), (b"=G1 =4".to_vec(), false));
        assert_eq!(hex(b"%41%", b'%'), (b"A".to_vec(), true));
    }
}
