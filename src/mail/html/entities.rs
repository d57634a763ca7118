//! Character references: numeric ones, and the named ones of HTML 4 and of ASCII.
//!
//! It never fails: what it does not know stays as it was written.

use std::borrow::Cow;

/// Names and their characters, by name; a line's end is told apart.
#[rustfmt::skip]
static NAMES: &[&str] = &[
    "AElig Æ", "AMP &", "Aacute Á", "Acirc Â", "Agrave À", "Alpha Α", "Aring Å", "Atilde Ã", "Auml Ä", "Beta Β",
    "COPY ©", "Ccedil Ç", "Dagger ‡", "Delta Δ", "DiacriticalGrave `", "ETH Ð", "Eacute É", "Ecirc Ê", "Egrave È",
    "Euml Ë", "GT >", "Gamma Γ", "Hat ^", "Iacute Í", "Icirc Î", "Igrave Ì", "Iuml Ï", "LT <", "Ntilde Ñ", "OElig Œ",
    "Oacute Ó", "Ocirc Ô", "Ograve Ò", "Omega Ω", "Oslash Ø", "Otilde Õ", "Ouml Ö", "Phi Φ", "Pi Π", "QUOT \"",
    "REG ®", "Scaron Š", "Sigma Σ", "THORN Þ", "Tab \t", "Uacute Ú", "Ucirc Û", "Ugrave Ù", "UnderBar _", "Uuml Ü",
    "VerticalLine |", "Yacute Ý", "ZeroWidthSpace \u{200B}", "aacute á", "acirc â", "acute ´", "aelig æ", "agrave à",
    "alpha α", "amp &", "ang ∠", "apos '", "approx ≈", "aring å", "ast *", "asymp ≈", "atilde ã", "auml ä", "bdquo „",
    "beta β", "brvbar ¦", "bsol \\", "bull •", "cap ∩", "ccedil ç", "cedil ¸", "cent ¢", "check ✓", "chi χ", "circ ˆ",
    "clubs ♣", "colon :", "comma ,", "commat @", "copy ©", "crarr ↵", "cup ∪", "curren ¤", "dArr ⇓", "dagger †",
    "darr ↓", "deg °", "delta δ", "diams ♦", "divide ÷", "dollar $", "eacute é", "ecirc ê", "egrave è",
    "emsp \u{2003}", "ensp \u{2002}", "epsilon ε", "equals =", "equiv ≡", "eta η", "eth ð", "euml ë", "euro €",
    "excl !", "exist ∃", "fnof ƒ", "forall ∀", "frac12 ½", "frac14 ¼", "frac34 ¾", "frasl ⁄", "gamma γ", "ge ≥",
    "grave `", "gt >", "hArr ⇔", "harr ↔", "hearts ♥", "hellip …", "horbar ―", "iacute í", "icirc î", "iexcl ¡",
    "igrave ì", "infin ∞", "int ∫", "iota ι", "iquest ¿", "isin ∈", "iuml ï", "kappa κ", "lArr ⇐", "lambda λ",
    "laquo «", "larr ←", "lbrace {", "lbrack [", "lcub {", "ldquo “", "le ≤", "lowbar _", "loz ◊", "lpar (",
    "lrm \u{200E}", "lsaquo ‹", "lsqb [", "lsquo ‘", "lt <", "macr ¯", "mdash —", "micro µ", "midast *", "middot ·",
    "minus −", "mu μ", "nabla ∇", "nbsp \u{A0}", "ndash –", "ne ≠", "not ¬", "ntilde ñ", "nu ν", "num #", "oacute ó",
    "ocirc ô", "oelig œ", "ograve ò", "oline ‾", "omega ω", "omicron ο", "or ∨", "ordf ª", "ordm º", "oslash ø",
    "otilde õ", "ouml ö", "para ¶", "part ∂", "percnt %", "period .", "permil ‰", "phi φ", "pi π", "plus +",
    "plusmn ±", "pound £", "prime ′", "prod ∏", "psi ψ", "quest ?", "quot \"", "rArr ⇒", "radic √", "raquo »",
    "rarr →", "rbrace }", "rbrack ]", "rcub }", "rdquo ”", "reg ®", "rho ρ", "rlm \u{200F}", "rpar )", "rsaquo ›",
    "rsqb ]", "rsquo ’", "sbquo ‚", "scaron š", "sect §", "semi ;", "shy \u{AD}", "sigma σ", "sigmaf ς", "sim ∼",
    "sol /", "spades ♠", "star ☆", "starf ★", "sub ⊂", "sum ∑", "sup1 ¹", "sup2 ²", "sup3 ³", "szlig ß", "tau τ",
    "theta θ", "thinsp \u{2009}", "thorn þ", "tilde ˜", "times ×", "trade ™", "uArr ⇑", "uacute ú", "uarr ↑",
    "ucirc û", "ugrave ù", "uml ¨", "upsilon υ", "uuml ü", "verbar |", "vert |", "xi ξ", "yacute ý", "yen ¥",
    "yuml ÿ", "zeta ζ", "zwj \u{200D}", "zwnj \u{200C}",
];

/// The names that count without a semicolon: those of Latin-1.
fn bare(name: &str, value: char) -> bool {
    let latin = ('\u{A0}'..='\u{FF}').contains(&value);
    latin || matches!(name, "amp" | "AMP" | "lt" | "LT" | "gt" | "GT" | "quot" | "QUOT")
}

fn named(name: &str) -> Option<char> {
    let entry = |n: usize| NAMES.get(n).and_then(|e| e.split_once(' '));
    let at = NAMES.partition_point(|e| e.split(' ').next().is_some_and(|known| known < name));
    match entry(at) {
        Some((known, value)) if known == name => value.chars().next(),
        _ => (name == "NewLine").then_some('\n'),
    }
}

/// The text with its references decoded; in an attribute `&copy=1` stays as it is.
pub(super) fn decode(text: &str, in_attribute: bool) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match reference(rest, in_attribute) {
            Some((len, c)) => {
                out.push(c);
                rest = &rest[len..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The reference at the start of `text`, which begins with `&`, and its length.
fn reference(text: &str, in_attribute: bool) -> Option<(usize, char)> {
    let body = &text[1..];
    if let Some(number) = body.strip_prefix('#') {
        let (digits, radix) = match number.strip_prefix(['x', 'X']) {
            Some(hex) => (hex, 16),
            None => (number, 10),
        };
        let len = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        if len == 0 {
            return None;
        }
        let code = u32::from_str_radix(&digits[..len], radix).unwrap_or(u32::MAX);
        let used = text.len() - digits.len() + len;
        let used = used + usize::from(text[used..].starts_with(';'));
        return Some((used, numeric(code)));
    }
    let len = body.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(body.len());
    if body[len..].starts_with(';')
        && let Some(value) = named(&body[..len])
    {
        return Some((len + 2, value));
    }
    // The longest known name that needs no semicolon.
    let len = (2..=len.min(6)).rev().find(|l| named(&body[..*l]).is_some_and(|v| bare(&body[..*l], v)))?;
    let next = body[len..].chars().next();
    if in_attribute && next.is_some_and(|c| c == '=' || c.is_ascii_alphanumeric()) {
        return None;
    }
    Some((len + 1, named(&body[..len])?))
}

/// The character of a numeric reference; the codes 0x80–0x9F mean windows-1252.
fn numeric(code: u32) -> char {
    const WINDOWS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
    ];
    match code {
        0 => '\u{FFFD}',
        0x80..=0x9F => WINDOWS[(code - 0x80) as usize],
        _ => char::from_u32(code).unwrap_or('\u{FFFD}'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        let name = |entry: &'static str| entry.split(' ').next();
        assert!(NAMES.windows(2).all(|w| name(w[0]) < name(w[1])));
    }

    #[test]
    fn references_are_decoded_as_browsers_do() {
        for (text, plain) in [
            ("a &amp; b &lt;c&gt;", "a & b <c>"),
            ("&nbsp;&#160;&#xA0;", "\u{A0}\u{A0}\u{A0}"),
            ("&#51068;&#xC815", "일정"),
            ("&#150;&#0;&#x110000;&#xD800;&#99999999999;", "–\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("AT&T &unknown; & &; &#; &#x;", "AT&T &unknown; & &; &#; &#x;"),
            ("&copy2025 &notit; &amphi", "©2025 ¬it; &hi"),
            ("&eacute;&euro;&hellip", "é€&hellip"),
        ] {
            assert_eq!(decode(text, false), plain, "{text}");
        }
        assert_eq!(decode("?a=1&copy=2&reg;&amp;x", true), "?a=1&copy=2®&x");
    }
}
