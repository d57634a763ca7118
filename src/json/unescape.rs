//! The words that a string of JSON stands for.

/// A string's words with their escapes resolved.
pub(super) fn unescape(words: &str) -> Option<String> {
    if words.bytes().any(|b| b < b' ') {
        return None;
    }
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let code = after.chars().next()?;
        rest = &after[code.len_utf8()..];
        out.push(match code {
            '"' | '\\' | '/' => code,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => match unit(&mut rest)? {
                high @ 0xD800..0xDC00 => {
                    rest = rest.strip_prefix("\\u")?;
                    let low = unit(&mut rest)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                    char::from_u32(0x10000 + ((high - 0xD800) << 10) + low)?
                }
                unit => char::from_u32(unit)?,
            },
            _ => return None,
        });
    }
    out.push_str(rest);
    Some(out)
}

/// Takes the four hexadecimal digits of a UTF-16 unit.
fn unit(rest: &mut &str) -> Option<u32> {
    let (digits, after) = rest.split_at_checked(4)?;
    *rest = after;
    digits.chars().try_fold(0, |unit, c| Some(unit * 16 + c.to_digit(16)?))
}
