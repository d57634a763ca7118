//! Splits text into runs of letters and digits. Every tokenizer of the crate is a [`Split`] on top of it.

use super::hangul::is_hangul;
use crate::language::values::value::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Script {
    Korean,
    /// Letters of any other script.
    Latin,
    /// Digits with their separators.
    Digits,
}

/// A rule for splitting text into runs.
pub struct Split {
    /// The script of a character; `None` separates runs.
    pub script: fn(char) -> Option<Script>,
    /// Whether two adjacent scripts form one run.
    pub joins: fn(Script, Script) -> bool,
    /// Whether a mark belongs to the run around or after it.
    pub mark: fn(&RunMark<'_>) -> bool,
}

#[derive(Debug, Clone, Copy)]
pub struct TextRun {
    pub span: Span,
    scripts: u8,
}

impl TextRun {
    pub fn has(&self, script: Script) -> bool {
        self.scripts & 1 << script as u8 != 0
    }

    /// Its script; Korean or Latin if it has several.
    pub fn script(&self) -> Script {
        let of = |script: &Script| self.has(*script);
        [Script::Korean, Script::Latin].into_iter().find(of).unwrap_or(Script::Digits)
    }

    pub fn is_empty(&self) -> bool {
        self.span.start == self.span.end
    }
}

/// A character that is neither letter nor digit, with its context.
pub struct RunMark<'t> {
    pub c: char,
    /// The run before it; empty if none.
    pub run: TextRun,
    pub before: Option<char>,
    pub rest: &'t str,
}

impl RunMark<'_> {
    pub fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub fn is_between(&self, like: fn(&char) -> bool) -> bool {
        self.before.is_some_and(|c| like(&c)) && self.next().is_some_and(|c| like(&c))
    }
}

/// The script of a character in a search token.
fn script(c: char) -> Option<Script> {
    match c {
        _ if is_hangul(c) => Some(Script::Korean),
        _ if c.is_ascii_digit() => Some(Script::Digits),
        _ => c.is_alphabetic().then_some(Script::Latin),
    }
}

fn never(_: Script, _: Script) -> bool {
    false
}

fn always(_: Script, _: Script) -> bool {
    true
}

impl Split {
    /// Runs of letters and digits of any script, without marks.
    pub const PLAIN: Self =
        Self { script: |c| c.is_alphanumeric().then_some(Script::Latin), joins: always, mark: |_| false };

    /// Search tokens: runs of one script, digits with separators, letters with an inner apostrophe.
    pub const TOKENS: Self = Self {
        script,
        joins: never,
        mark: |m| match m.c {
            ',' | '.' => m.run.has(Script::Digits) && m.next().is_some_and(|c| c.is_ascii_digit()),
            '\'' => m.run.has(Script::Latin) && m.next().is_some_and(|c| c.is_ascii_alphabetic()),
            _ => false,
        },
    };

    /// Hangul separate from everything else, without marks.
    pub const PIECES: Self = Self {
        script: |c| if is_hangul(c) { Some(Script::Korean) } else { c.is_alphanumeric().then_some(Script::Latin) },
        joins: never,
        mark: |_| false,
    };

    /// Digits with inner marks, as in numbers, dates and times.
    pub const FIGURES: Self = Self {
        script: |c| c.is_ascii_digit().then_some(Script::Digits),
        joins: never,
        mark: |m| matches!(m.c, '.' | ':' | ',') && m.is_between(char::is_ascii_digit),
    };

    /// Digits with thousands commas.
    pub const COUNTS: Self = Self {
        mark: |m| {
            let digits = m.rest.bytes().take(3).filter(u8::is_ascii_digit).count();
            m.c == ',' && !m.run.is_empty() && digits == 3
        },
        ..Self::FIGURES
    };

    /// Words with inner marks: `DL-2`, `3.8%`, `Q&A`, `#12`.
    pub const MARKED: Self = Self {
        script: |c| c.is_alphanumeric().then_some(Script::Latin),
        joins: always,
        mark: |m| match m.c {
            ',' => m.is_between(char::is_ascii_digit),
            '#' if m.run.is_empty() => m.next().is_some_and(|c| c.is_ascii_digit()),
            '%' | '+' if m.before.is_some_and(|c| c.is_ascii_alphanumeric()) => !m.run.is_empty(),
            '-' | '.' | '&' | '_' | '\'' | '’' | '/' | '#' | '@' | '+' | '%' => {
                m.is_between(|c| c.is_alphanumeric())
                    && !m.run.is_empty()
                    && !(m.c == '/' && m.next().is_some_and(is_hangul))
            }
            _ => false,
        },
    };

    /// Words with marks inside and at the end.
    pub const LOOSE: Self = Self {
        mark: |m| !m.run.is_empty() && matches!(m.c, '-' | '\'' | '’' | '#' | '.' | '@' | '_'),
        ..Self::PLAIN
    };

    /// Tokens of the analyst: Hangul alone; letters, digits and inner marks together, as in numbers and codes.
    pub const READ: Self = Self {
        script: |c| match c {
            _ if is_hangul(c) || matches!(c, 'ㄱ'..='ㅣ') => Some(Script::Korean),
            _ if c.is_numeric() => Some(Script::Digits),
            _ => (c.is_alphabetic() || matches!(c, '\u{300}'..='\u{36f}')).then_some(Script::Latin),
        },
        joins: |a, b| a != Script::Korean && b != Script::Korean,
        mark: |m| {
            if m.run.is_empty() || m.run.has(Script::Korean) {
                return false;
            }
            let next = m.next().and_then(Self::READ.script);
            match m.c {
                '\'' | '’' => next == Some(Script::Latin),
                '-' | '_' | '/' | '#' | '&' => match next {
                    Some(Script::Latin) => m.c == '-' || m.run.has(Script::Digits),
                    next => next == Some(Script::Digits),
                },
                '.' | ':' | ',' => m.before.is_some_and(|c| c.is_ascii_digit()) && next == Some(Script::Digits),
                _ => false,
            }
        },
    };
}

pub fn runs<'t>(text: &'t str, split: &'t Split) -> impl Iterator<Item = TextRun> + 't {
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut run = TextRun { span: Span { start: at, end: at }, scripts: 0 };
        let (mut last, mut before) = (None, text[..at].chars().next_back());
        for c in text[at..].chars() {
            let end = at + c.len_utf8();
            let script = (split.script)(c);
            let belongs = match script {
                Some(script) => last.is_none_or(|l| l == script || (split.joins)(l, script)),
                None => (split.mark)(&RunMark { c, run, before, rest: &text[end..] }),
            };
            if belongs {
                run.span.end = end;
                run.scripts |= script.map_or(0, |s| 1 << s as u8);
                last = script.or(last);
            } else if !run.is_empty() {
                break;
            } else {
                run.span = Span { start: end, end };
            }
            (at, before) = (end, Some(c));
        }
        (!run.is_empty()).then_some(run)
    })
}

pub fn split<'t>(text: &'t str, by: &'t Split) -> impl Iterator<Item = &'t str> + 't {
    runs(text, by).map(|run| run.span.of(text))
}
