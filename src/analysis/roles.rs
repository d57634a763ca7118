//! Compares the roles of words in two statements: particles, prepositions and word order.

use super::align::Alignment;
use super::pairing::{Pairing, words_of};
use super::reading::Reading;
use super::words::{Kind, Mark, Part, Word};
use crate::language::{Match, common_pairs, jamo, words};
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RoleToken {
    /// Equal for words and values that match.
    class: u64,
    /// The particle or preposition; 0 if it has none.
    mark: u64,
    clause: u8,
    /// Whether it is a number or code.
    figure: bool,
    /// Indices of its first and last word.
    pub(super) first: usize,
    pub(super) last: usize,
}

impl RoleToken {
    /// Whether its particle marks the topic or subject.
    pub(super) fn is_subject(&self) -> bool {
        self.mark == SUBJECT
    }

    pub(super) fn has_particle(&self) -> bool {
        self.mark > 0
    }

    pub(super) fn names_a_thing(&self, r: &Reading) -> bool {
        let w = &r.words[self.last];
        let tells = w.capital || w.kind == Kind::Code || w.is(Mark::Noun) || w.is(Mark::Unknown) || w.is(Mark::Sibling);
        self.class >= VALUE || tells || w.number.is_some_and(|n| n != 1.0)
    }
}

/// Two aligned statements: common tokens in order, and the differing slots between them.
#[derive(Debug)]
pub(super) struct Roles {
    pub(super) old: Vec<RoleToken>,
    pub(super) new: Vec<RoleToken>,
    /// Index ranges of tokens that differ; at most one side of a slot is empty.
    slots: Vec<(Range<usize>, Range<usize>)>,
    /// Whether the common tokens keep their order, words and roles.
    verbatim: bool,
}

/// Role marks of subject and object.
const SUBJECT: u64 = 1;
const OBJECT: u64 = 2;
/// Classes of values start here; classes of words are 32-bit hashes.
const VALUE: u64 = 1 << 32;
/// Maximum tokens of a statement; longer ones are not aligned.
const MAX_TOKENS: usize = 48;
/// Maximum slots in which two sentences may differ.
const MAX_SLOTS: usize = 2;
const MAX_SLOT_TOKENS: usize = 3;

impl Roles {
    /// Aligns two statements; `None` if either is empty or too long.
    pub(super) fn of(a: &Reading, b: &Reading, al: &Alignment, pairing: &Pairing) -> Option<Self> {
        let (old, new) = tokens(a, b, al, pairing);
        if old.len().max(new.len()) > MAX_TOKENS || old.is_empty() || new.is_empty() {
            return None;
        }
        let common = common_pairs(old.len(), new.len(), |i, j| old[i].class == new[j].class);
        let mut slots = Vec::new();
        let mut before = (0, 0);
        for (i, j) in common.iter().copied().chain([(old.len(), new.len())]) {
            if i > before.0 || j > before.1 {
                slots.push((before.0..i, before.1..j));
            }
            before = (i + 1, j + 1);
        }
        let left = |slot: &(Range<usize>, Range<usize>)| slot.0.clone().map(|i| old[i].class).collect::<Vec<_>>();
        let left: Vec<u64> = slots.iter().flat_map(left).collect();
        let is_same = |(i, j): &(usize, usize)| {
            let (x, y): (&RoleToken, &RoleToken) = (&old[*i], &new[*j]);
            // "likes Rome", "worked in Rome": a preposition belongs to the verb before it.
            let behind_slot =
                a.korean < 0.3 && slots.iter().any(|s: &(Range<usize>, Range<usize>)| s.0.end == *i && s.1.end == *j);
            (x.mark == y.mark || behind_slot) && (x.class >= VALUE || a.words[x.last].hash == b.words[y.last].hash)
        };
        let reordered = slots.iter().flat_map(|s| s.1.clone()).any(|j| left.contains(&new[j].class));
        let verbatim = !reordered && common.iter().all(is_same);
        Some(Self { old, new, slots, verbatim })
    }

    /// Whether the new statement repeats the stored one except for inflection.
    pub(super) fn is_same(&self, a: &Reading, b: &Reading) -> bool {
        let alike = |x: &RoleToken, y: &RoleToken| {
            let forms = |r: &Reading, t: &RoleToken| {
                let w = &r.words[t.last];
                let raw = &r.content[w.start..w.end];
                // 했다 and 한다 differ in tense; "lives" and "lived" differ in form.
                (raw.chars().any(is_past), if w.kind == Kind::Latin { w.text.clone() } else { w.stem.clone() })
            };
            x.mark == y.mark && (x.class >= VALUE || forms(a, x) == forms(b, y))
        };
        let said = |r: &Reading| r.content.cues().iter().map(|c| c.kind).collect::<Vec<_>>();
        self.slots.is_empty()
            && self.old.iter().zip(&self.new).all(|(x, y)| alike(x, y))
            && said(a) == said(b)
            && a.polarity().denies == b.polarity().denies
            && negations(a) == negations(b)
    }

    /// The slots, if the statements otherwise are the same sentence; `None` if too much differs.
    pub(super) fn differing(&self) -> Option<&[(Range<usize>, Range<usize>)]> {
        let (was, is) = self.slots.iter().fold((0, 0), |(was, is), s| (was + s.0.len(), is + s.1.len()));
        let common = self.old.len() - was;
        let is_short = self.slots.iter().all(|s| s.0.len().max(s.1.len()) <= MAX_SLOT_TOKENS);
        (self.verbatim && is_short && self.slots.len() <= MAX_SLOTS && was.max(is) <= common + 1)
            .then_some(&self.slots[..])
    }

    pub(super) fn byte_range(r: &Reading, tokens: &[RoleToken], at: &Range<usize>) -> Range<usize> {
        let tokens = &tokens[at.clone()];
        let ends = tokens.first().zip(tokens.last());
        ends.map_or(0..0, |(first, last)| r.words[first.first].start..end_of(&r.words[last.last]))
    }

    /// Two words that swapped roles: "Task 3 depends on task 5" and the reverse.
    pub(super) fn swapped_words<'a>(&self, a: &'a Reading, b: &Reading) -> Option<(&'a str, &'a str)> {
        let in_both = |all: &[RoleToken], other: &[RoleToken]| -> Vec<RoleToken> {
            all.iter().filter(|t| other.iter().any(|o| o.class == t.class)).copied().collect()
        };
        let (old, new) = (in_both(&self.old, &self.new), in_both(&self.new, &self.old));
        let strange = (self.old.len() - old.len()).max(self.new.len() - new.len());
        // With a negation, word order alone does not show who does what.
        if strange > 1 || old.len() != new.len() || !negations(a).is_empty() || !negations(b).is_empty() {
            return None;
        }
        let said = |t: &RoleToken| &a.content[a.words[t.first].start..a.words[t.last].end];
        let moved: Vec<usize> = (0..old.len()).filter(|n| old[*n].class != new[*n].class).collect();
        if let [i, j] = moved[..] {
            // Each takes the other's particle, if it has one.
            let is_exchange = old[i].class == new[j].class
                && old[j].class == new[i].class
                && old[i].figure == old[j].figure
                && [i, j].iter().all(|n| old[*n].mark == new[*n].mark);
            let found = is_exchange && !is_list(a, &old[i..=j]) && is_passive(a, &old) == is_passive(b, &new);
            return found.then(|| (said(&old[i]), said(&old[j])));
        }
        let pairs = (0..old.len()).flat_map(|i| (i + 1..old.len()).map(move |j| (i, j)));
        let found = pairs.into_iter().find(|(i, j)| strange == 0 && have_swapped_particles(a, &old, &new, (*i, *j)))?;
        Some((said(&old[found.0]), said(&old[found.1])))
    }
}

/// Whether the agent comes after "by": "the minutes are posted by our team".
fn is_passive(r: &Reading, tokens: &[RoleToken]) -> bool {
    let is_name = |w: &Word| w.capital || !w.function && w.number.is_none();
    tokens.iter().filter(|t| is_name(&r.words[t.first])).any(|t| {
        let mut before = r.words[..t.first].iter().rev();
        let lead =
            before.find(|w| !matches!(&*w.text, "a" | "an" | "the" | "my" | "our" | "your" | "his" | "her" | "their"));
        lead.is_some_and(|w| w.text == "by")
            && before.next().is_some_and(|w| w.is(Mark::Verb) || w.text.ends_with("en"))
    })
}

/// Whether the particles or prepositions of two names or numbers are swapped, in any order.
fn have_swapped_particles(a: &Reading, old: &[RoleToken], new: &[RoleToken], (i, j): (usize, usize)) -> bool {
    let (x, y) = (&old[i], &old[j]);
    // The mark of a token that occurs once.
    let mark = |all: &[RoleToken], class: u64| {
        let mut marks = all.iter().filter(|t| t.class == class).map(|t| t.mark);
        marks.next().filter(|_| marks.next().is_none())
    };
    let named = |t: &RoleToken| t.figure || a.words[t.last].capital || a.words[t.last].is(Mark::Unknown);
    let are_alike = x.class != y.class && x.figure == y.figure && named(x) && named(y);
    let are_apart = x.mark != y.mark && x.mark > 0 && y.mark > 0;
    let [before, after] = [old, new].map(|all| (mark(all, x.class), mark(all, y.class)));
    are_alike && are_apart && before == (Some(x.mark), Some(y.mark)) && after == (Some(y.mark), Some(x.mark))
}

/// Whether tokens form a list or neighbouring words, whose order has no meaning.
fn is_list(a: &Reading, tokens: &[RoleToken]) -> bool {
    let joined = |pair: &[RoleToken]| {
        let between = &a.content[a.words[pair[0].last].end..a.words[pair[1].first].start];
        let bare = between.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '·' | '/' | '&'));
        let particle = || words!("analysis/words.particles of a list").end(&a.content[..a.words[pair[0].last].end]);
        let comma = between.contains([',', '·', '/', '&']) && bare.is_empty();
        comma || matches!(bare, "and" | "or" | ", and" | "및" | "와" | "과" | "하고") || bare.is_empty() && particle()
    };
    // 서울에서 부산으로: two places with different particles.
    let apart = tokens[0].mark > 0 && tokens[1].mark > 0 && tokens[0].mark != tokens[1].mark;
    let names = tokens.len() == 2 && !tokens[0].figure && tokens[0].clause == tokens[1].clause && !apart;
    names || tokens.windows(2).all(joined)
}

fn tokens(a: &Reading, b: &Reading, al: &Alignment, pairing: &Pairing) -> (Vec<RoleToken>, Vec<RoleToken>) {
    let class_a = |i: usize| u64::from(a.words[i].hash);
    let class_b = |j: usize| {
        let hash = b.words[j].hash;
        let met = || al.of_b[j].map(|m| &a.words[al.matches[m].a]).filter(|w| !is_other_compound(w, &b.words[j]));
        let met = || met().map(|w| u64::from(w.hash));
        if a.words.iter().any(|w| w.hash == hash) { u64::from(hash) } else { met().unwrap_or(u64::from(hash)) }
    };
    let first = |i: usize| a.values.iter().position(|v| v.value == a.values[i].value).unwrap_or(i) as u64 + VALUE;
    let of_a = pairing.of_a.iter().enumerate().map(|(i, m)| m.filter(|m| m.1 == Match::Same).map(|_| first(i)));
    let of_b = pairing.of_b.iter().map(|m| m.filter(|m| m.1 == Match::Same).map(|(i, _)| first(i)));
    (role_tokens(a, &class_a, &of_a.collect::<Vec<_>>()), role_tokens(b, &class_b, &of_b.collect::<Vec<_>>()))
}

/// Whether two Korean compounds share the end but not the start: 국민은행, 신한은행.
fn is_other_compound(one: &Word, other: &Word) -> bool {
    let both = one.kind == Kind::Hangul && other.kind == Kind::Hangul;
    let (x, y): (Vec<char>, Vec<char>) = (one.stem.chars().collect(), other.stem.chars().collect());
    both && x.len() == y.len() && x.len() > 2 && x[0] != y[0] && x[x.len() - 2..] == y[y.len() - 2..]
}

fn role_tokens(r: &Reading, class: &dyn Fn(usize) -> u64, values: &[Option<u64>]) -> Vec<RoleToken> {
    let spans: Vec<_> = r.values.iter().map(|v| words_of(&r.words, v)).collect();
    // A lone number is treated as a word: in "3 depends", "depends" is no unit.
    let whole = |n: usize| spans.iter().zip(values).position(|(s, v)| v.is_some() && s.0 <= n && n < s.1);
    let mut out = Vec::new();
    let mut n = 0;
    while n < r.words.len() {
        let w = &r.words[n];
        let (class, end, figure) = match whole(n) {
            Some(v) => (values[v].unwrap_or_default(), spans[v].1, true),
            None => (class(n), n + 1, w.number.is_some() || w.kind == Kind::Code),
        };
        if figure || w.weight > 0.0 {
            out.push(RoleToken { class, mark: mark(r, n, end), clause: w.clause, figure, first: n, last: end - 1 });
        }
        n = end;
    }
    out
}

/// The byte where a word ends, without its particle.
pub(super) fn end_of(w: &Word) -> usize {
    if w.kind == Kind::Hangul { w.start + w.text.len() } else { w.end }
}

/// The particle after a word, or the preposition before it, as a key.
fn mark(r: &Reading, from: usize, to: usize) -> u64 {
    let w = &r.words[to - 1];
    let hangul = |w: &Word| w.kind == Kind::Hangul;
    let glued = r.words.get(to).filter(|next| hangul(next) && next.start == w.end);
    if hangul(w) || glued.is_some() {
        let raw = &r.content[w.start..w.end];
        let tail = glued.map_or_else(|| raw.strip_prefix(&*w.text).unwrap_or_default(), |next| &*next.text);
        return match (glued.map_or(w.part, |_| Part::None), tail) {
            (Part::Topic | Part::Subject, _) | (_, "은" | "는" | "이" | "가") => SUBJECT,
            (Part::Object, _) | (_, "을" | "를") => OBJECT,
            // The tokenizer may have left a particle on an unknown word.
            (Part::None, "") if raw.ends_with(['은', '는']) && raw.chars().nth(1).is_some() => SUBJECT,
            (Part::None, "") if raw.ends_with(['을', '를']) && raw.chars().nth(1).is_some() => OBJECT,
            // Two forms of one particle, chosen by the preceding letter.
            (_, "으로") => key("로"),
            (_, "과") => key("와"),
            _ => key(tail),
        };
    }
    if ["'s", "’s"].iter().any(|s| r.content[w.start..w.end].ends_with(s)) {
        return key("'s");
    }
    let before = r.words[..from].iter().rev().find(|w| !matches!(&*w.text, "the" | "a" | "an"));
    let leads =
        |b: &&Word| b.clause == r.words[from].clause && words!("english/grammar.prepositions").contains(&&*b.text);
    before.filter(leads).map_or(0, |b| key(&b.text))
}

fn key(text: &str) -> u64 {
    if text.is_empty() { 0 } else { crate::language::key(text) | 4 }
}

/// Whether a syllable marks the past tense: 했, 었, 갔.
pub(super) fn is_past(c: char) -> bool {
    const DOUBLE_S: u32 = 20;
    c != '있' && c != '겠' && jamo(c).is_some_and(|(.., last)| last == DOUBLE_S)
}

/// The negating words in order, to compare what each text negates.
fn negations(r: &Reading) -> Vec<&str> {
    let denies = |w: &&Word| words!("english/grammar.negations").contains(&&*w.text) || matches!(&*w.text, "안" | "못");
    r.words.iter().filter(denies).map(|w| &*w.text).collect()
}
