//! A small parsing-expression grammar: ordered choice, no backtracking into a part that has matched. Its rules are in
//! `times.peg`, which explains the notation; what a rule reads is collected in [`Parts`].

use super::{
    ValueHit, ValueReader,
    figures::NUMBERS,
    parts::{NATIVES, Native, Parts, SLOTS, named_value},
    units::UNITS,
    value::Duration,
};
use crate::language::text::folded::Folded;
use std::sync::OnceLock;

type Texts = Vec<&'static str>;
/// The mark before texts, the one behind them, and their pattern.
type Quoted = (&'static str, char, fn(Texts) -> Pattern);

#[derive(Debug)]
pub(super) enum Pattern {
    Text(Texts),
    /// A whole Latin word.
    Word(Texts),
    /// Text, or a whole word, before the value.
    Behind(Texts, bool),
    /// Text that the value starts with.
    Begins(Texts),
    /// White space, with at most one line break if `true`.
    Space(bool),
    /// Digits of a number from 1 to a maximum.
    Digits(usize, i32),
    Check(usize, i32, i32),
    Set(usize, i32),
    Make(&'static str),
    Native(Native),
    /// A word of the tables, by the name of its meaning.
    Lexeme(&'static str),
    Rule(usize),
    Sequence(Vec<Self>),
    Choice(Vec<Self>),
    Optional(Box<Self>),
    /// Any number of times, or at least once if `true`.
    Many(Box<Self>, bool),
    Ahead(Box<Self>, bool),
}

impl Pattern {
    const fn may_change_parts(&self) -> bool {
        use Pattern::{Ahead, Begins, Behind, Check, Space, Text, Word};
        !matches!(self, Text(_) | Word(_) | Behind(..) | Begins(_) | Space(_) | Check(..) | Ahead(..))
    }
}

pub(super) struct Grammar {
    /// Sorted by name.
    rules: Vec<(&'static str, Pattern)>,
}

/// The compiled rules. A test compiles them, so a mistake in them never ships.
pub(super) fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(include_str!("times.peg")).unwrap_or(Grammar { rules: Vec::new() }))
}

impl Grammar {
    /// Compiles rules; `Err` has the text at which that failed.
    fn new(text: &'static str) -> Result<Self, &'static str> {
        let rule = |line: &'static str| line.split_once(" = ").map(|(name, _)| name);
        let starts = text.match_indices('\n').map(|(at, _)| at + 1).chain([0]);
        let lines = || starts.clone().filter_map(|at| Some((rule(text[at..].lines().next()?)?, &text[at..])));
        let is_rule = |name: &str| !name.starts_with(['#', ' ']);
        let mut bodies: Vec<(&str, &str)> = lines().filter(|(name, _)| is_rule(name)).collect();
        bodies.sort_unstable();
        let names: Vec<&str> = bodies.iter().map(|(name, _)| *name).collect();
        let compile = |(name, body): (&'static str, &'static str)| {
            let mut compiler = Compiler { rest: &body[name.len() + 3..], names: &names };
            let pattern = compiler.choice().ok_or(compiler.rest)?;
            // A rule ends where a line starts without a blank.
            if compiler.rest.starts_with(|c| c != '\n') { Err(compiler.rest) } else { Ok((name, pattern)) }
        };
        Ok(Self { rules: bodies.into_iter().map(compile).collect::<Result<_, _>>()? })
    }

    pub fn rule(&self, name: &str) -> Option<&Pattern> {
        let at = self.rules.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        self.rules.get(at).map(|(_, pattern)| pattern)
    }

    /// Matches a pattern at a position: the end. Parts are as before if it does not match.
    pub fn parse(&self, of: &Pattern, reader: &ValueReader<'_>, at: usize, parts: &mut Parts) -> Option<usize> {
        let s = reader.s;
        match of {
            Pattern::Text(texts) => s.eat_any(at, texts),
            Pattern::Word(words) => s.eat_word(at, words),
            Pattern::Behind(words, true) => words.contains(&s.word_before(parts.start)).then_some(at),
            Pattern::Behind(texts, false) => texts.iter().any(|t| s.head(parts.start).ends_with(t)).then_some(at),
            Pattern::Begins(texts) => s.eat_any(parts.start, texts).map(|_| at),
            Pattern::Space(true) => Some(s.blank(at)),
            Pattern::Space(false) => Some(s.spaces(at)),
            Pattern::Digits(slot, most) => {
                let (digits, end) = s.digits(at);
                let number = digits.parse::<i32>().ok().filter(|n| (1..=*most).contains(n))?;
                parts.slots[*slot] = Some(number);
                Some(end)
            }
            Pattern::Check(slot, from, to) => {
                parts.slots[*slot].is_some_and(|n| (*from..=*to).contains(&n)).then_some(at)
            }
            Pattern::Set(slot, value) => {
                parts.slots[*slot] = Some(*value).filter(|v| *v != i32::MIN);
                Some(at)
            }
            Pattern::Make(make) => {
                parts.make(make);
                Some(at)
            }
            Pattern::Native(native) => native(reader, at, parts),
            Pattern::Lexeme(name) => reader.lexeme(name, at, parts),
            Pattern::Rule(n) => self.parse(&self.rules.get(*n)?.1, reader, at, parts),
            Pattern::Sequence(all) => {
                let (mut end, mut before) = (at, None);
                for one in all {
                    if before.is_none() && one.may_change_parts() {
                        before = Some(*parts);
                    }
                    let Some(next) = self.parse(one, reader, end, parts) else {
                        *parts = before.unwrap_or(*parts);
                        return None;
                    };
                    end = next;
                }
                Some(end)
            }
            Pattern::Choice(all) => all.iter().find_map(|one| self.parse(one, reader, at, parts)),
            Pattern::Optional(one) => self.parse(one, reader, at, parts).or(Some(at)),
            Pattern::Many(one, is_needed) => {
                let mut end = at;
                while let Some(next) = self.parse(one, reader, end, parts).filter(|next| *next > end) {
                    end = next;
                }
                Some(end).filter(|end| *end > at || !is_needed)
            }
            Pattern::Ahead(one, wanted) => {
                let mut ahead = *parts;
                (self.parse(one, reader, at, &mut ahead).is_some() == *wanted).then_some(at)
            }
        }
    }
}

impl ValueReader<'_> {
    /// The value that a rule reads at a position.
    pub fn read_rule(&self, rule: &str, at: usize) -> Option<ValueHit> {
        self.by_rule(rule, at, at)
    }

    /// As [`Self::read_rule`], for a value that starts before the position.
    pub fn by_rule(&self, rule: &str, start: usize, at: usize) -> Option<ValueHit> {
        let (end, parts) = self.match_rule(rule, start, at)?;
        Some(ValueHit::new(parts.start, end, parts.value(self.s.0, self.today)?))
    }

    /// The end of what a rule reads at a position, and its parts.
    pub fn match_rule(&self, rule: &str, start: usize, at: usize) -> Option<(usize, Parts)> {
        let mut parts = Parts { start, ..Parts::default() };
        let grammar = grammar();
        grammar.parse(grammar.rule(rule)?, self, at, &mut parts).map(|end| (end, parts))
    }
}

/// Where a rule of `times.peg` first matches at the start of a word: its start, end and length of time.
pub fn find_rule(folded: &Folded<'_>, rule: &str) -> Option<(usize, usize, Duration)> {
    let reader = ValueReader::new(folded, None);
    let mut starts = (0..folded.text().len()).filter(|at| reader.s.starts_word(*at));
    starts.find_map(|at| {
        let (end, parts) = reader.match_rule(rule, at, at)?;
        Some((at, end, parts.length))
    })
}

struct Compiler<'n> {
    rest: &'static str,
    names: &'n [&'static str],
}

impl Compiler<'_> {
    /// Skips white space, also line breaks before an indented line.
    fn skip(&mut self) {
        loop {
            let rest = self.rest.trim_start_matches(' ');
            match rest.strip_prefix('\n').filter(|next| next.starts_with(' ')) {
                Some(next) => self.rest = next,
                None => {
                    self.rest = rest;
                    return;
                }
            }
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn until(&mut self, end: char) -> Option<&'static str> {
        let (inside, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(inside)
    }

    fn name(&mut self) -> &'static str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name
    }

    fn choice(&mut self) -> Option<Pattern> {
        let mut all = vec![self.sequence()?];
        while self.eat("/") {
            all.push(self.sequence()?);
        }
        if all.len() == 1 { all.pop() } else { Some(Pattern::Choice(all)) }
    }

    fn sequence(&mut self) -> Option<Pattern> {
        let mut all = Vec::new();
        loop {
            self.skip();
            if self.rest.is_empty() || self.rest.starts_with(['\n', '/', ')']) {
                break;
            }
            self.item(&mut all)?;
        }
        if all.len() == 1 { all.pop() } else { Some(Pattern::Sequence(all)) }
    }

    fn item(&mut self, all: &mut Vec<Pattern>) -> Option<()> {
        for (mark, wanted) in [("!", false), ("&", true)] {
            if self.eat(mark) {
                let mut one = Vec::new();
                self.item(&mut one)?;
                all.push(Pattern::Ahead(Box::new(Pattern::Sequence(one)), wanted));
                return Some(());
            }
        }
        let quoted: [Quoted; 6] = [
            ("'", '\'', Pattern::Text),
            ("`", '`', Pattern::Text),
            ("\"", '"', Pattern::Word),
            ("<'", '\'', |texts| Pattern::Behind(texts, false)),
            ("<\"", '"', |words| Pattern::Behind(words, true)),
            ("@'", '\'', Pattern::Begins),
        ];
        let one = if let Some((_, end, of)) = quoted.into_iter().find(|(mark, ..)| self.eat(mark)) {
            of(self.until(end)?.split('|').collect())
        } else if self.eat("_") {
            Pattern::Space(true)
        } else if self.eat("~") {
            Pattern::Space(false)
        } else if self.eat("(") {
            let inside = self.choice()?;
            if !self.eat(")") {
                return None;
            }
            inside
        } else if self.eat("$") {
            let name = self.name();
            Pattern::Native(NATIVES.iter().chain(NUMBERS).chain(UNITS).find(|(known, _)| *known == name)?.1)
        } else if self.eat("%") {
            Pattern::Lexeme(self.name())
        } else if self.eat("=> ") {
            Pattern::Make(self.name())
        } else if self.eat("[") {
            let (name, range) = self.until(']')?.split_once(' ')?;
            let (from, to) = range.split_once("..").unwrap_or((range, range));
            let bound =
                |text: &'static str, open: i32| if text.is_empty() { Some(open) } else { named_value(name, text) };
            Pattern::Check(slot(name)?, bound(from, i32::MIN)?, bound(to, i32::MAX)?)
        } else if self.eat("{") {
            for one in self.until('}')?.split(' ') {
                let (name, value) = one.split_once('=')?;
                all.push(Pattern::Set(slot(name)?, named_value(name, value)?));
            }
            return Some(());
        } else {
            let name = self.name();
            if self.eat("#") {
                Pattern::Digits(slot(name)?, self.name().parse().ok()?)
            } else {
                Pattern::Rule(self.names.binary_search(&name).ok()?)
            }
        };
        all.push(match () {
            () if self.eat("?") => Pattern::Optional(Box::new(one)),
            () if self.eat("*") => Pattern::Many(Box::new(one), false),
            () if self.eat("+") => Pattern::Many(Box::new(one), true),
            () => one,
        });
        Some(())
    }
}

fn slot(name: &str) -> Option<usize> {
    SLOTS.iter().position(|known| *known == name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn rules_compile() {
        let compiled = super::Grammar::new(include_str!("times.peg")).map(|g| g.rules.len());
        assert!(compiled.is_ok_and(|rules| rules > 50), "{compiled:?}");
    }
}
