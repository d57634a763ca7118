//! CSS text → tokens, by the CSS Syntax standard: escapes, comments, strings, numbers.
//!
//! Written here because `cssparser` costs 13 KB gzipped; a test holds these tokens to be its own. It never fails: every
//! text is tokens.

use std::rc::Rc;

/// A token; functions, at-words and units are in lower case, names as they were written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CssToken {
    Ident(Rc<str>),
    /// A function's name; its arguments end at the matching [`CssToken::Close`].
    Function(Rc<str>),
    At(Rc<str>),
    /// As it was written.
    Hash(Rc<str>),
    /// As it was written.
    Text(Rc<str>),
    /// As it was written.
    Url(Rc<str>),
    Number(f32),
    Percent(f32),
    Length(f32, Rc<str>),
    /// `(`, `[` or `{`.
    Open(char),
    /// `)`, `]` or `}`.
    Close(char),
    Delim(char),
    Space,
}

/// `<!--` or `-->`, which count for nothing between rules, and for an error elsewhere.
pub(super) const COMMENT_MARK: CssToken = CssToken::Delim('\u{FFFE}');

impl CssToken {
    pub fn is(&self, word: &str) -> bool {
        matches!(self, Self::Ident(name) if name.eq_ignore_ascii_case(word))
    }

    /// Whether it is one of these words.
    pub fn is_among(&self, words: &str) -> bool {
        words.split_ascii_whitespace().any(|word| self.is(word))
    }
}

/// All tokens of a text; runs of white space and comments are one [`CssToken::Space`].
pub(super) fn tokens(css: &str) -> Vec<CssToken> {
    let mut reader = CssReader { css, at: 0 };
    std::iter::from_fn(|| reader.token()).collect()
}

struct CssReader<'a> {
    css: &'a str,
    at: usize,
}

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii() || c == '\0'
}

fn in_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit() || c == '-'
}

fn is_newline(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{C}')
}

pub(super) fn is_space(c: char) -> bool {
    is_newline(c) || matches!(c, ' ' | '\t')
}

impl CssReader<'_> {
    fn rest(&self) -> &str {
        &self.css[self.at..]
    }

    fn peek(&self, n: usize) -> Option<char> {
        self.rest().chars().nth(n)
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek(0) == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn escapes(&self, n: usize) -> bool {
        self.peek(n) == Some('\\') && !self.peek(n + 1).is_some_and(is_newline)
    }

    /// Whether a name begins here.
    fn names(&self) -> bool {
        match self.peek(0) {
            Some('-') => self.escapes(1) || self.peek(1).is_some_and(|c| c == '-' || starts_name(c)),
            Some(c) => starts_name(c) || self.escapes(0),
            None => false,
        }
    }

    fn counts(&self) -> bool {
        let digit = |n: usize| self.peek(n).is_some_and(|c| c.is_ascii_digit());
        let signed = usize::from(matches!(self.peek(0), Some('+' | '-')));
        digit(signed) || (self.peek(signed) == Some('.') && digit(signed + 1))
    }

    /// Goes past white space; how many bytes that was.
    fn blanks(&mut self) -> usize {
        let spaces = self.rest().find(|c| !is_space(c)).unwrap_or(self.rest().len());
        self.at += spaces;
        spaces
    }

    fn space(&mut self) -> bool {
        let from = self.at;
        loop {
            let spaces = self.blanks();
            if self.rest().starts_with("/*") {
                self.at = self.rest()[2..].find("*/").map_or(self.css.len(), |i| self.at + i + 4);
            } else if spaces == 0 {
                return self.at > from;
            }
        }
    }

    fn escaped(&mut self) -> char {
        let len = self.rest().bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        if len == 0 {
            return self.next().filter(|c| *c != '\0').unwrap_or('\u{FFFD}');
        }
        let code = u32::from_str_radix(&self.rest()[..len], 16).unwrap_or(0);
        self.at += len;
        if !(self.take('\r') && self.take('\n')) && self.peek(0).is_some_and(is_space) {
            self.at += 1;
        }
        char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{FFFD}')
    }

    fn name(&mut self) -> String {
        let mut out = String::new();
        loop {
            match self.peek(0) {
                Some('\0') => {
                    self.at += 1;
                    out.push('\u{FFFD}');
                }
                Some(c) if in_name(c) => {
                    self.at += c.len_utf8();
                    out.push(c);
                }
                Some('\\') if self.escapes(0) => {
                    self.at += 1;
                    out.push(self.escaped());
                }
                _ => return out,
            }
        }
    }

    fn number(&mut self) -> f32 {
        let negative = self.take('-');
        self.take('+');
        let (mut value, mut scale) = (0.0f64, 0i32);
        let mut fraction = false;
        loop {
            match self.peek(0) {
                Some(c) if c.is_ascii_digit() => {
                    if value < 1e15 {
                        value = value * 10.0 + f64::from(c.to_digit(10).unwrap_or(0));
                        scale -= i32::from(fraction);
                    } else {
                        scale += i32::from(!fraction);
                    }
                }
                Some('.') if !fraction && self.peek(1).is_some_and(|c| c.is_ascii_digit()) => fraction = true,
                _ => break,
            }
            self.at += 1;
        }
        if matches!(self.peek(0), Some('e' | 'E')) {
            let sign = matches!(self.peek(1), Some('+' | '-'));
            if self.peek(1 + usize::from(sign)).is_some_and(|c| c.is_ascii_digit()) {
                let down = self.peek(1) == Some('-');
                self.at += 1 + usize::from(sign);
                let mut exponent = 0i32;
                while let Some(digit) = self.peek(0).and_then(|c| c.to_digit(10)) {
                    exponent = (exponent * 10 + digit as i32).min(1_000);
                    self.at += 1;
                }
                scale += if down { -exponent } else { exponent };
            }
        }
        for _ in 0..scale.unsigned_abs().min(400) {
            value = if scale < 0 { value / 10.0 } else { value * 10.0 };
        }
        let value = value.min(f64::from(f32::MAX)) as f32;
        if negative { -value } else { value }
    }

    /// A string up to its quote; `None` where a line ends in it.
    fn quoted(&mut self, quote: char) -> Option<Rc<str>> {
        let mut out = String::new();
        loop {
            match self.peek(0) {
                Some(c) if is_newline(c) => return None,
                Some('\\') => {
                    self.at += 1;
                    if self.take('\r') {
                        self.take('\n');
                    } else if self.peek(0).is_some_and(is_newline) {
                        self.at += 1;
                    } else if self.peek(0).is_some() {
                        out.push(self.escaped());
                    }
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    if c == quote {
                        return Some(out.into());
                    }
                    out.push(if c == '\0' { '\u{FFFD}' } else { c });
                }
                None => return Some(out.into()),
            }
        }
    }

    /// The rest of `url(` where its address is not quoted.
    fn address(&mut self) -> Option<CssToken> {
        let from = self.at;
        self.blanks();
        if matches!(self.peek(0), Some('"' | '\'')) {
            self.at = from;
            return None;
        }
        let mut out = String::new();
        loop {
            match self.next() {
                None | Some(')') => return Some(CssToken::Url(out.into())),
                Some('\\') if !self.peek(0).is_some_and(is_newline) => out.push(self.escaped()),
                Some(c) if is_space(c) => {
                    self.blanks();
                    if matches!(self.peek(0), None | Some(')')) {
                        continue;
                    }
                    return Some(self.bad_address());
                }
                Some('"' | '\'' | '(' | '\\' | '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}') => {
                    return Some(self.bad_address());
                }
                Some(c) => out.push(if c == '\0' { '\u{FFFD}' } else { c }),
            }
        }
    }

    /// What there is of an address that is none goes with it.
    fn bad_address(&mut self) -> CssToken {
        loop {
            match self.next() {
                None | Some(')') => return CssToken::Delim('\u{FFFD}'),
                Some('\\') if !self.peek(0).is_some_and(is_newline) => drop(self.escaped()),
                _ => {}
            }
        }
    }

    fn token(&mut self) -> Option<CssToken> {
        if self.space() {
            return Some(CssToken::Space);
        }
        let c = self.peek(0)?;
        if self.counts() {
            let value = self.number();
            if self.names() {
                let mut unit = self.name();
                unit.make_ascii_lowercase();
                return Some(CssToken::Length(value, unit.into()));
            }
            return Some(if self.take('%') { CssToken::Percent(value) } else { CssToken::Number(value) });
        }
        if self.names() && !self.rest().starts_with("-->") {
            let name = self.name();
            if !self.take('(') {
                return Some(CssToken::Ident(name.into()));
            }
            let address = name.eq_ignore_ascii_case("url").then(|| self.address()).flatten();
            return Some(address.unwrap_or_else(|| CssToken::Function(name.to_ascii_lowercase().into())));
        }
        self.at += c.len_utf8();
        Some(match c {
            '"' | '\'' => self.quoted(c).map_or(CssToken::Delim('\u{FFFD}'), CssToken::Text),
            '#' if self.peek(0).is_some_and(in_name) || self.escapes(0) => CssToken::Hash(self.name().into()),
            '@' if self.names() => CssToken::At(self.name().to_ascii_lowercase().into()),
            '<' if self.rest().starts_with("!--") => {
                self.at += 3;
                COMMENT_MARK
            }
            '-' if self.rest().starts_with("->") => {
                self.at += 2;
                COMMENT_MARK
            }
            '(' | '[' | '{' => CssToken::Open(c),
            ')' | ']' | '}' => CssToken::Close(c),
            c => CssToken::Delim(c),
        })
    }
}

/// The place just past the block whose opening token stands at `at`; a function's counts as one.
pub(super) fn past_block(tokens: &[CssToken], at: usize) -> usize {
    let mut open = Vec::new();
    for (n, token) in tokens.iter().enumerate().skip(at) {
        match token {
            CssToken::Open('(') | CssToken::Function(_) => open.push(')'),
            CssToken::Open('[') => open.push(']'),
            CssToken::Open('{') => open.push('}'),
            // A closing mark that fits nothing which is open counts for nothing.
            CssToken::Close(c) if open.last() == Some(c) => {
                open.pop();
            }
            _ => {}
        }
        if open.is_empty() {
            return n + 1;
        }
    }
    tokens.len()
}

/// The tokens without white space at their ends.
pub(super) fn trim(mut tokens: &[CssToken]) -> &[CssToken] {
    while let [CssToken::Space, rest @ ..] | [rest @ .., CssToken::Space] = tokens {
        tokens = rest;
    }
    tokens
}

/// The parts between the separators that stand in no block.
pub(super) fn split<'a>(tokens: &'a [CssToken], separator: &CssToken) -> Vec<&'a [CssToken]> {
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(token) = tokens.get(at) {
        if token == separator {
            parts.push(&tokens[from..at]);
            from = at + 1;
        }
        at = past_block(tokens, at);
    }
    parts.push(&tokens[from..]);
    parts
}

// Natively: the packages that it is held to are not there on wasm32.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
