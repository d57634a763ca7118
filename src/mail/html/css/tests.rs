use super::*;

/// The tokens by cssparser, a well-kept one, written down.
fn theirs(parser: &mut cssparser::Parser<'_>, out: &mut String) {
    use cssparser::{ParseError, Token as T};
    while let Ok(token) = parser.next_including_whitespace_and_comments() {
        let token = token.clone();
        let mut word = |text: &str| {
            if !(text == " " && out.ends_with(' ')) {
                out.push_str(text);
            }
        };
        match &token {
            T::Ident(name) => word(&format!("i{name};")),
            T::Function(name) => word(&format!("f{};", name.to_ascii_lowercase())),
            T::AtKeyword(name) => word(&format!("@{};", name.to_ascii_lowercase())),
            T::Hash(name) | T::IDHash(name) => word(&format!("#{name};")),
            T::QuotedString(text) => word(&format!("'{text};")),
            T::UnquotedUrl(text) => word(&format!("u{text};")),
            T::Number { value, .. } => word(&format!("n{:.3e};", value.min(f32::MAX))),
            T::Percentage { unit_value, .. } => word(&format!("p{:.3e};", unit_value * 100.0)),
            T::Dimension { value, unit, .. } => {
                word(&format!("d{:.3e}{};", value.min(f32::MAX), unit.to_ascii_lowercase()))
            }
            T::WhiteSpace(_) | T::Comment(_) => word(" "),
            T::CDO | T::CDC => word("x\u{FFFE}"),
            T::ParenthesisBlock => word("("),
            T::SquareBracketBlock => word("["),
            T::CurlyBracketBlock => word("{"),
            T::CloseParenthesis => word(")"),
            T::CloseSquareBracket => word("]"),
            T::CloseCurlyBracket => word("}"),
            T::BadString(_) | T::BadUrl(_) => word("x\u{FFFD}"),
            T::Colon => word("x:"),
            T::Semicolon => word("x;"),
            T::Comma => word("x,"),
            T::Delim(c) => word(&format!("x{c}")),
            T::IncludeMatch => word("x~x="),
            T::DashMatch => word("x|x="),
            T::PrefixMatch => word("x^x="),
            T::SuffixMatch => word("x$x="),
            T::SubstringMatch => word("x*x="),
        }
        if matches!(token, T::Function(_) | T::ParenthesisBlock | T::SquareBracketBlock | T::CurlyBracketBlock) {
            let nested = parser.parse_nested_block(|inner| {
                theirs(inner, out);
                Ok::<_, ParseError<()>>(())
            });
            assert!(nested.is_ok());
            let close = match token {
                T::SquareBracketBlock => ']',
                T::CurlyBracketBlock => '}',
                _ => ')',
            };
            out.push(close);
        }
    }
}

fn ours(css: &str) -> String {
    let mut out = String::new();
    let mut open = Vec::new();
    for token in tokens(css) {
        match token {
            CssToken::Ident(name) => out.push_str(&format!("i{name};")),
            CssToken::Function(name) => {
                open.push(')');
                out.push_str(&format!("f{name};"));
            }
            CssToken::At(name) => out.push_str(&format!("@{name};")),
            CssToken::Hash(name) => out.push_str(&format!("#{name};")),
            CssToken::Text(text) => out.push_str(&format!("'{text};")),
            CssToken::Url(text) => out.push_str(&format!("u{text};")),
            CssToken::Number(n) => out.push_str(&format!("n{n:.3e};")),
            CssToken::Percent(n) => out.push_str(&format!("p{n:.3e};")),
            CssToken::Length(n, unit) => out.push_str(&format!("d{n:.3e}{unit};")),
            CssToken::Space if out.ends_with(' ') => {}
            CssToken::Space => out.push(' '),
            CssToken::Open(c) => {
                open.push(match c {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                });
                out.push(c);
            }
            CssToken::Close(c) => {
                if open.last() == Some(&c) {
                    open.pop();
                }
                out.push(c);
            }
            CssToken::Delim(c) => out.push_str(&format!("x{c}")),
        }
    }
    // The end of the text closes what is open.
    out.extend(open.into_iter().rev());
    out
}

#[test]
fn tokens_are_those_of_the_standard() {
    const PIECES: &[&str] = &[
        "a",
        "-",
        "--",
        "-a",
        "_",
        "한",
        "\\",
        "\\41 ",
        "\\6f",
        "\\000041x",
        "\\g",
        "/*",
        "*/",
        "/* x */",
        "/",
        "*",
        " ",
        "\n",
        "\t",
        "\"",
        "'",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ";",
        ",",
        ".",
        "#",
        "#a",
        "@",
        "@a",
        "!",
        "1",
        "1.5",
        ".5",
        "+",
        "+1",
        "-1",
        "1e3",
        "1e-2",
        "e",
        "%",
        "px",
        "url(",
        "url( a )",
        "url('",
        "URL(",
        "f(",
        "<!--",
        "-->",
        "~=",
        "|",
        "=",
        "^",
        "$",
        "&",
        "\0",
        "u+a",
    ];
    let mut next = crate::mail::html::drawn(0x2545_F491);
    for _ in 0..60_000 {
        let css: String = (0..1 + next(8)).map(|_| PIECES[next(PIECES.len())]).collect();
        let mut expected = String::new();
        theirs(&mut cssparser::Parser::new(&css), &mut expected);
        assert_eq!(ours(&css), expected, "{css:?}");
    }
}
