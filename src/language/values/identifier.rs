//! Parses identifiers: codes, numbered things, versions, references such as #1031.

use super::{
    ValueHit, ValueReader, english,
    korean::NTH,
    lexicon::{Lex, Suffix},
    value::{PeriodKind, Value},
};
use crate::language::{Words, text::hangul::is_hangul, words};

const MAX_CODE: usize = 100;

impl ValueReader<'_> {
    /// The end of a run of letters, digits and the punctuation used in codes.
    fn code_end(&self, at: usize) -> usize {
        let s = self.s;
        let mut end = at;
        loop {
            let next = s.run_end(end, |c| c.is_ascii_alphanumeric());
            let mark = s.byte(next);
            let more = s.char(next + 1).is_some_and(|c| c.is_ascii_alphanumeric());
            if next - at > MAX_CODE {
                return next;
            }
            if next > end && matches!(mark, b'-' | b'_') && more
                || next > end
                    && matches!(mark, b'.' | b'/')
                    && s.byte(next + 1).is_ascii_digit()
                    && self.dotted(at, next)
            {
                end = next + 1;
                continue;
            }
            return next.max(end);
        }
    }

    fn code_tail(&self, end: usize) -> usize {
        self.s.eat_any(end, words!("korean/grammar.behind a code")).unwrap_or(end)
    }

    /// The end of digits with dots between them, and the number of dots.
    pub fn version_end(&self, at: usize) -> (usize, usize) {
        let s = self.s;
        let (mut end, mut dots) = (s.digits_end(at), 0);
        while s.byte(end) == b'.' && s.byte(end + 1).is_ascii_digit() {
            (end, dots) = (s.digits_end(end + 1), dots + 1);
        }
        (end, dots)
    }

    pub fn begins_sentence(&self, at: usize) -> bool {
        let head = self.s.head(at).trim_end();
        head.is_empty() || head.ends_with(['.', '!', '?', ':', '\n'])
    }

    /// Whether a dot continues a code: v2.3, 3.8.1, but not the slash in "Q1/Q2".
    fn dotted(&self, at: usize, mark: usize) -> bool {
        self.s.byte(mark) == b'.' && self.s.slice(at, mark).bytes().any(|b| b.is_ascii_digit())
    }

    /// Parses a code that starts with a letter: INV-20871, Q1, v2.3, FY25, KE901.
    pub fn code(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let letters = s.run_end(at, |c| c.is_ascii_alphabetic());
        if letters == at || !(s.byte(letters).is_ascii_digit() || matches!(s.byte(letters), b'-' | b'_')) {
            return None;
        }
        let end = self.code_end(at);
        let text = s.slice(at, end);
        let digits = text.bytes().take(MAX_CODE + 1).filter(u8::is_ascii_digit).count();
        if text.len() > MAX_CODE || digits == 0 {
            return None;
        }
        let head = s.slice(at, letters);
        let body = s.slice(letters, end);
        let capital = self.folded.is_capital(at);
        let number = body.parse::<i8>().ok();
        match (head, number) {
            ("q", Some(n @ 1..=4)) => return Some(self.numbered_period(at, end, PeriodKind::Quarter, n)),
            ("h", Some(n @ 1..=2)) if capital => return Some(self.numbered_period(at, end, PeriodKind::Half, n)),
            _ => {}
        }
        if matches!(head, "v" | "ver") && body.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return Some(ValueHit::new(at, end, Value::Version(body.into())));
        }
        // "eur50", "usd100": money without the space.
        if let Some(Lex::Money(code)) = english::WORDS.meaning(head) {
            return self.money_after(at, letters, code);
        }
        // "covid-19", "mp3", "b2b", "day-2" are ordinary words.
        if words!("identifiers.common words").contains(&text) {
            return None;
        }
        // "step2" and the like are codes only with two digits, a hyphen or a capital.
        let any_capital = (at..letters).any(|n| self.folded.is_capital(n));
        if !any_capital && digits < 2 && !body.starts_with(['-', '_']) {
            return None;
        }
        Some(ValueHit::new(at, self.code_tail(end), Value::identifier("", text)))
    }

    /// Parses a code that starts with a digit: 7KQ2ZD, 2024-5518, 301-77-4410, 104A.
    pub fn digit_code(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if matches!(s.before(at), Some('-' | '.')) {
            return None;
        }
        let end = self.code_end(at);
        let text = s.slice(at, end);
        if text.len() > MAX_CODE || text.contains('.') || s.byte(end) == b'@' {
            return None;
        }
        let hyphens = text.matches('-').count();
        let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
        if letters == 0 {
            // 10-12 is a range; 2024-5518 and 301-77-4410 are reference numbers.
            let parts: Vec<&str> = text.split('-').collect();
            let long = parts.iter().any(|p| p.len() >= 4) || hyphens >= 2;
            let years = parts.len() == 2
                && parts.iter().all(|p| p.len() == 4 && matches!(p.as_bytes().first(), Some(b'1' | b'2')));
            if hyphens == 0 || !long || years {
                return None;
            }
            return Some(ValueHit::new(at, self.code_tail(end), Value::identifier("", text)));
        }
        let digits_end = s.digits_end(at);
        static BEHIND_DIGITS: &Words = words!("english/grammar.behind digits");
        let rest = s.slice(digits_end, end);
        let capital = (digits_end..end).any(|n| self.folded.is_capital(n));
        // 20kg and 3pm are values with units; 7KQ2ZD, 104A and 14B are codes.
        let mixed = rest.bytes().any(|b| b.is_ascii_digit()) && !rest.starts_with('-');
        let unit = english::UNITS.meaning(rest).is_some() || BEHIND_DIGITS.contains(&rest);
        if unit || rest.starts_with('x') && rest.len() > 1 && !capital {
            return None;
        }
        let is_code = mixed && text.len() >= 4
            || rest.len() == 1 && digits_end - at <= 3
            || rest.starts_with('-') && digits_end - at >= 3;
        (capital && is_code).then(|| ValueHit::new(at, end, Value::identifier("", text)))
    }

    /// Parses 3.8 버전, 3.8.1, 4.0 release.
    pub fn digit_version(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if matches!(s.before(at), Some('.')) {
            return None;
        }
        let (end, dots) = self.version_end(at);
        let next = s.spaces(end);
        let word = s.eat_any(next, words!("korean/grammar.version")).or_else(|| s.eat_word(next, &["release"]));
        let value = || Value::Version(s.slice(at, end).into());
        if let Some(stop) = word {
            return Some(ValueHit::new(at, stop, value()));
        }
        // 10.0.0.1 is an IP address.
        (dots == 2 && s.ends_word(end)).then(|| ValueHit::new(at, end, value()))
    }

    /// Parses "#1031".
    pub fn hash(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        if s.before(at).is_some_and(|c| c.is_alphanumeric()) || !s.byte(at + 1).is_ascii_digit() {
            return None;
        }
        let end = self.code_end(at + 1);
        Some(ValueHit::new(at, self.code_tail(end), Value::identifier("", s.slice(at + 1, end))))
    }

    /// Parses a head word and its number: room 3, invoice no. 20871, 청구서 2207호, 카드 끝자리 4471.
    pub fn headed(&self, start: usize, end: usize, head: &'static str) -> Option<ValueHit> {
        static COUNTERS: &Words = words!("korean/grammar.counters");
        static BEHIND: &Words = words!("korean/grammar.behind a number");
        let s = self.s;
        let korean = s.before(end).is_some_and(is_hangul);
        let mut at = s.spaces(end);
        if korean && at == end && s.char(at).is_some_and(is_hangul) {
            return None;
        }
        for mark in words!("korean/grammar.number").iter() {
            if let Some(after) = s.eat(at, mark).filter(|e| s.ends_word(*e)) {
                at = s.spaces(after);
                break;
            }
        }
        if head.is_empty() && s.eat_any(end, &[". ", "."]).is_none() && !s.slice(start, end).ends_with("number") {
            return None;
        }
        for mark in ["is ", ":", "#", ".", "-"] {
            at = s.eat(at, mark).map_or(at, |e| s.spaces(e));
        }
        let stop = self.code_end(at);
        let text = s.slice(at, stop);
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        if digits == 0 {
            // Studio B, track D: a single capital letter.
            let letter = text.len() == 1 && self.folded.is_capital(at) && !matches!(text, "i") && s.ends_word(stop);
            return (letter && !korean).then(|| ValueHit::new(start, stop, Value::identifier(head, text)));
        }
        if matches!(s.byte(stop), b':' | b'%') {
            return None;
        }
        // The number may count the next word: "order 20 boxes", "주문 3건", "contract 2 years".
        let numeric = digits == text.len();
        if numeric && digits <= 3 {
            let next = s.blank(stop);
            let word = s.slice(next, s.latin_end(next));
            let unit = english::UNITS.meaning(word).is_some_and(|_| word.len() > 1)
                || english::WORDS.meaning(word).is_some_and(|l| matches!(l, Lex::Month(_)));
            let plural = words!("identifiers.counted heads").contains(&head) && word.len() > 3 && word.ends_with('s');
            let next = s.spaces(stop);
            let counter = s.char(next).is_some_and(is_hangul) && s.eat_any(next, COUNTERS).is_some();
            if unit || plural || counter {
                return None;
            }
        }
        if s.byte(stop) == b',' && s.digits_end(stop + 1) == stop + 4 {
            return None;
        }
        let last = s.eat_any(stop, BEHIND).unwrap_or(stop);
        Some(ValueHit::new(start, last, Value::identifier(head, text)))
    }

    /// Parses a numbered series: phase IV, round 2, week 3, Sprint 31.
    pub fn series(&self, start: usize, end: usize, of: &'static str) -> Option<ValueHit> {
        let s = self.s;
        let at = s.spaces(end);
        let stop = s.digits_end(at);
        if stop > at
            && !matches!(s.byte(stop), b'%' | b':')
            && !(s.byte(stop) == b'.' && s.byte(stop + 1).is_ascii_digit())
        {
            let number = s.slice(at, stop).parse::<i32>().ok()?;
            return Some(ValueHit::new(start, stop, Value::Ordinal { number, of }));
        }
        let (word, word_end) = s.latin(at);
        match english::WORDS.meaning(word) {
            Some(Lex::Cardinal(number)) => Some(ValueHit::new(start, word_end, Value::Ordinal { number: *number, of })),
            _ => None,
        }
    }

    /// Parses a proper name with its number: Freezer 3, FrostEye 3.7.
    pub fn proper(&self, start: usize, end: usize) -> Option<ValueHit> {
        let s = self.s;
        if !self.folded.is_capital(start) || end - start < 3 || s.byte(end) != b' ' || self.is_stop(start) {
            return None;
        }
        let at = s.spaces(end);
        let figure = self.figure(at)?;
        if figure.grouped
            || figure.whole > 4
            || matches!(s.byte(figure.end), b'%' | b':' | b'/' | b'-' | b'.' | b',')
                && s.byte(figure.end + 1).is_ascii_digit()
        {
            return None;
        }
        let next = s.spaces(figure.end);
        let word = s.slice(next, s.latin_end(next));
        if !s.ends_word(figure.end)
            || english::UNITS.meaning(word).is_some()
            || english::WORDS.meaning(word).is_some_and(|l| matches!(l, Lex::Month(_) | Lex::Scale(_)))
        {
            return None;
        }
        if figure.decimals > 0 {
            let version = s.slice(at, figure.end);
            return Some(ValueHit::new(at, figure.end, Value::Version(version.into())));
        }
        let sentence = self.begins_sentence(start);
        // "Bring 3 boxes": at the start of a sentence, a verb and a count look the same.
        if figure.whole > 3
            || (sentence && word.ends_with('s') && word.len() > 3)
            || s.slice(start, end).ends_with('s') && sentence
        {
            return None;
        }
        let value = Value::identifier(s.slice(start, end).to_owned(), &figure.number.to_string());
        Some(ValueHit::new(start, figure.end, value))
    }

    /// Parses 제3조, 제 2회, 제2사옥.
    pub fn korean_nth(&self, at: usize) -> Option<ValueHit> {
        let s = self.s;
        let next = s.spaces(s.eat_any(at, words!("korean/marks.nth"))?);
        if !s.byte(next).is_ascii_digit() {
            return None;
        }
        let end = s.digits_end(next);
        let n = s.slice(next, end).parse::<i32>().ok()?;
        let unit = s.spaces(end);
        if let Some((len, suffix)) = NTH.longest(s.rest(unit), |len, _| self.is_tail(unit + len)) {
            let value = match suffix {
                Suffix::Head(head) => Value::identifier(*head, &n.to_string()),
                Suffix::Ordinal(of) => Value::Ordinal { number: n, of },
                _ => return None,
            };
            return Some(ValueHit::new(at, unit + len, value));
        }
        Some(ValueHit::new(at, end, Value::Ordinal { number: n, of: "" }))
    }
}
