//! Rules beneath the classifier: what certain signs rule out, whatever it weighs.
//!
//! Each rule has a name, which stands in the log. None makes a decision: each takes probability from one outcome and gives it to another.

use super::align::Alignment;
use super::expansion::meanings;
use super::frames::{Frame, FrameKind};
use super::losses::{is_turned, lost};
use super::pairing::Pairing;
use super::reading::Reading;
use super::roles::Roles;
use super::words::{Kind as Made, Part, Word};
use crate::language::{Found, Match, Value, ValueKind, jamo, syllable, words};

/// A rule that applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Veto {
    /// Its name.
    pub code: &'static str,
    /// The words it was seen in, stored → new.
    pub evidence: String,
    /// Whether the new memory denies the stored one.
    pub denies: bool,
}

/// The probability of an update where one statement is the denial of the other.
const DENIED: f32 = 0.95;
/// The same where a value takes the place of the one that the thing had, and where it may.
const REPLACED: f32 = 0.88;
const PERHAPS: f32 = 0.5;
/// What a veto leaves of the outcome that it rules out.
const LEFT: f32 = 0.02;

/// Each of so many words tells as much as all the others.
const FEW: usize = 3;
/// Of two texts whose shares of Korean differ so much one is a translation, if anything.
const FOREIGN: f32 = 0.5;

const SKIP: usize = 0;
const UPDATE: usize = 1;
const LINK: usize = 2;

/// Two readings and what is known of them side by side.
pub(super) struct PairView<'a> {
    pub(super) a: &'a Reading,
    pub(super) b: &'a Reading,
    pub(super) al: &'a Alignment,
    pub(super) pairing: &'a Pairing,
    pub(super) roles: Option<&'a Roles>,
    pub(super) frame: Option<&'a Frame>,
}

/// Applies the rules to the probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE; the first that holds is told.
pub(super) fn apply(pair: &PairView<'_>, p: &mut [f32; 4]) -> Option<Veto> {
    let PairView { a, b, al, pairing, roles, frame } = *pair;
    if a.cut || b.cut {
        return None;
    }
    let veto = |code| move |evidence| Veto { code, evidence, denies: false };
    let other = other_instance(a, b).or_else(|| other_bill(a, b)).map(veto("other_instance"));
    if let Some(other) = other.or_else(|| other_organisation(a, b).map(veto("other_organisation"))) {
        give(p, SKIP, LINK);
        give(p, UPDATE, LINK);
        return Some(other);
    }
    if let Some(evidence) = denial(a, b, al, pairing) {
        raise(p, DENIED);
        return Some(Veto { code: "denied", evidence, denies: true });
    }
    // "I am a vegetarian", "I eat meat again": of one person, as far as the first word tells.
    let begins = |r: &Reading| r.words.first().map(|w| w.hash);
    if p[UPDATE] < PERHAPS && begins(a) == begins(b) && a.polarity().is_denied_by_a_deed(b.polarity()) {
        raise(p, PERHAPS);
        return Some(veto("denied")(beginning(&a.content, &b.content)));
    }
    let most = (0..4).max_by(|x, y| p[*x].total_cmp(&p[*y]));
    // The one value that is stored has another one in its place.
    let replaced = (most == Some(LINK) && a.values.len() == 1 && is_property(&a.values[0].value))
        .then(|| other_value(a, b, al, pairing))
        .flatten();
    if let Some(Frame { kind, was, is, .. }) = frame {
        let evidence = shown(was, is);
        let [x, y] = [was, is].map(|said| crate::language::fold(said));
        let opposed = || a.polarity().opposed(b.polarity()).is_some_and(|(s, t)| x.contains(s) && y.contains(t));
        match kind {
            kind if *kind != FrameKind::OtherSubject
                && (*kind == FrameKind::Opposite || is_turned(&x, &y) || is_turned(&y, &x) || opposed()) =>
            {
                raise(p, DENIED);
                return Some(Veto { code: "denied", evidence, denies: true });
            }
            FrameKind::Replaces if p[UPDATE] < REPLACED => {
                raise(p, REPLACED);
                return Some(veto("one_at_a_time")(evidence));
            }
            FrameKind::MayReplace if most != Some(UPDATE) && p[UPDATE] < PERHAPS && replaced.is_none() => {
                raise(p, PERHAPS);
                return Some(veto("one_at_a_time")(evidence));
            }
            FrameKind::OtherSubject if most == Some(SKIP) || most == Some(UPDATE) => {
                give(p, SKIP, LINK);
                give(p, UPDATE, LINK);
                return Some(veto("other_subject")(evidence));
            }
            _ => {}
        }
    }
    if most == Some(UPDATE)
        && let Some(evidence) = other_head(a, b, al)
    {
        give(p, UPDATE, LINK);
        return Some(veto("other_head")(evidence));
    }
    if let Some(evidence) = replaced {
        give(p, LINK, UPDATE);
        return Some(veto("other_value")(evidence));
    }
    // What follows rules out that nothing new is said.
    if most != Some(SKIP) {
        return None;
    }
    if let Some(evidence) = other_value(a, b, al, pairing).or_else(|| further_value(a, b)) {
        give(p, SKIP, UPDATE);
        return Some(veto("other_value")(evidence));
    }
    let exchanged = roles.and_then(|r| r.exchanged(a, b)).map(|(x, y)| shown(x, y)).map(veto("other_roles"));
    if let Some(other) = exchanged.or_else(|| other_polarity(a, b, al).map(veto("other_polarity"))) {
        // It may change what is stored as well as be about something beside it: a person looks at it.
        let half = (p[SKIP] - p[SKIP].min(LEFT)) / 2.0;
        p[UPDATE] += half;
        give(p, SKIP, LINK);
        p[LINK] -= half;
        return Some(other);
    }
    if let Some(evidence) = lost(a, b, al) {
        give(p, SKIP, LINK);
        return Some(veto("would_be_lost")(evidence));
    }
    let slot = || roles.and_then(|r| other_word(r, a, b)).map(veto("other_word"));
    let other = further_word(a, b, al).map(veto("further_word")).or_else(slot)?;
    give(p, SKIP, LINK);
    Some(other)
}

/// Makes an update this probable, and the others less.
fn raise(p: &mut [f32; 4], update: f32) {
    let (update, rest) = (p[UPDATE].max(update), p[SKIP] + p[LINK] + p[3]);
    for (n, x) in p.iter_mut().enumerate() {
        *x = if n == UPDATE { update } else { *x / rest.max(1e-6) * (1.0 - update) };
    }
}

/// Both say what they are about, in words of which the other has none: two things of one kind of value.
fn other_head(a: &Reading, b: &Reading, al: &Alignment) -> Option<String> {
    let thread = a.thread.is_some() && a.thread == b.thread;
    let foreign = (a.korean - b.korean).abs() > FOREIGN;
    // What is said in several sentences speaks of more than the first is about.
    let single = [a, b].iter().all(|r| super::notice::sentences(&r.content).count() == 1);
    if thread || foreign || !single {
        return None;
    }
    let (x, y) = (head(a)?, head(b)?);
    let apart = x.clone().all(|i| a.words[i].weight == 0.0 || !al.met_a(i))
        && y.clone().all(|j| b.words[j].weight == 0.0 || !al.met_b(j));
    apart.then(|| {
        shown(
            &a.content[a.words[x.start].start..a.words[x.end - 1].end],
            &b.content[b.words[y.start].start..b.words[y.end - 1].end],
        )
    })
}

/// The words before the particle or the verb that say what a statement is about; absent where they name nothing.
fn head(r: &Reading) -> Option<std::ops::Range<usize>> {
    let end = if r.korean > 0.3 {
        let marked = |w: &Word| {
            w.kind == Made::Hangul
                && (matches!(w.part, Part::Topic) || r.content[w.start..w.end].ends_with(['은', '는']))
        };
        r.words.iter().position(marked)? + 1
    } else {
        r.words.iter().position(|w| {
            matches!(
                &*w.text,
                "is" | "are" | "was" | "were" | "will" | "has" | "costs" | "starts" | "ends" | "opens" | "closes"
            )
        })?
    };
    let names = |w: &Word| w.number.is_none() && w.weight > 0.0;
    let in_value = |w: &Word| r.values.iter().any(|v| v.span.meets(w.start, w.end));
    (end <= 4 && r.words[..end].iter().any(|w| names(w) && !in_value(w))).then_some(0..end)
}

/// Whether two words have changed places, or something else stands in a place.
pub(super) fn says_otherwise(roles: &Roles, a: &Reading, b: &Reading) -> bool {
    roles.exchanged(a, b).is_some() || other_word(roles, a, b).is_some()
}

/// The same sentence with something else in a place: no other words of the stored one answer it, nor do they mean the same.
fn other_word(roles: &Roles, a: &Reading, b: &Reading) -> Option<String> {
    // In another language any word may be the same.
    let foreign = (a.korean - b.korean).abs() > FOREIGN;
    let slots = roles.differing().filter(|_| !foreign)?;
    slots.iter().find_map(|(was, is)| {
        let old = &a.content[Roles::place(a, &roles.old, was)];
        let new = &b.content[Roles::place(b, &roles.new, is)];
        let known = meanings(old);
        let answered = || meanings(new).iter().any(|m| known.contains(m));
        // "Confirmed" besides says nothing that would be lost.
        let tells = || !was.is_empty() || roles.new[is.clone()].iter().any(|t| t.names_a_thing(b));
        // "User" is whoever says "I".
        let is_owner = || words!("speakers").contains(&&*crate::language::fold(old));
        (!is.is_empty() && tells() && !answered() && !is_owner()).then(|| shown(old, new))
    })
}

/// Hands an outcome's probability to another.
fn give(p: &mut [f32; 4], from: usize, to: usize) {
    let left = p[from].min(LEFT);
    p[to] += p[from] - left;
    p[from] = left;
}

fn shown(was: &str, is: &str) -> String {
    format!("{was} → {is}")
}

/// The same of whole texts, as far as they are told.
fn beginning(was: &str, is: &str) -> String {
    shown(was, is).chars().take(200).collect()
}

/// Another quarter, version or number at the very beginning of both: what they are about. One that a text only mentions
/// is not its subject.
fn other_instance(a: &Reading, b: &Reading) -> Option<String> {
    let subject = |r: &Reading| {
        let first = r.words.iter().find(|w| !w.function)?;
        let kinds = [ValueKind::Period, ValueKind::Ordinal, ValueKind::Version, ValueKind::Identifier];
        let value = r.values.iter().find(|v| v.span.holds(first.start))?;
        // "In 2024 …" says when, "3월은 …" what.
        let whole =
            !matches!(&value.value, Value::Period(_)) || !r.content[..value.span.start].contains(char::is_alphabetic);
        (whole && kinds.contains(&value.value.kind())).then(|| value.clone())
    };
    let (x, y) = (subject(a)?, subject(b)?);
    let other = x.value.compare(&y.value) == Match::Different;
    other.then(|| shown(x.span.of(&a.content), y.span.of(&b.content)))
}

/// The bill of another month or quarter.
fn other_bill(a: &Reading, b: &Reading) -> Option<String> {
    let (x, y) = (billed(a)?, billed(b)?);
    let other = x.value.kind() == y.value.kind() && x.value.compare(&y.value) == Match::Different;
    other.then(|| shown(x.span.of(&a.content), y.span.of(&b.content)))
}

/// The month or the days that a bill is for: 8월분, "your October bill", "Period: 18 September – 17 October".
fn billed(r: &Reading) -> Option<&Found> {
    let is_bill = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bills = words!("analysis/words.bills").iter();
        bills
            .map(|w| (w.trim_end_matches('*'), w.ends_with('*')))
            .any(|(bill, open)| word == bill || open && word.starts_with(bill))
    };
    r.values.iter().filter(|f| matches!(f.value, Value::Period(_) | Value::Range(_))).find(|found| {
        let before = crate::language::fold(&r.content[..found.span.start]);
        let after = crate::language::fold(&r.content[found.span.end..]);
        let is_named =
            || words!("analysis/words.billing periods").end(before.trim_end().trim_end_matches(':').trim_end());
        let mut last = before.split_whitespace().rev();
        let is_of = || matches!(last.next(), Some("for" | "of")) && last.take(2).any(is_bill);
        let follows = || after.trim_start_matches("'s").split_whitespace().take(2).any(is_bill);
        match &found.value {
            Value::Period(_) => found.span.of(&r.content).ends_with('분') || is_named() || follows() || is_of(),
            Value::Range(ends) => matches!(ends.0, Value::Date(_)) && is_named(),
            _ => false,
        }
    })
}

/// The firms that a text names, folded and without blanks.
fn organisations(r: &Reading) -> Vec<String> {
    let ends = |name: &str| {
        words!("analysis/words.organisations").iter().any(|e| {
            let whole_word = name.rsplit(' ').next() == Some(*e) && name != *e;
            whole_word || !e.is_ascii() && name.ends_with(e) && name.chars().count() >= e.chars().count() + 2
        })
    };
    let named = r.entity_names.iter().map(|n| crate::language::fold(n));
    let words = r.words.iter().filter(|w| w.kind == Made::Hangul).map(|w| w.text.clone());
    let mut all: Vec<String> = named.chain(words).filter(|n| ends(n)).map(|n| n.replace(' ', "")).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Two firms of like names are two firms: neither is the other, in whole.
fn other_organisation(a: &Reading, b: &Reading) -> Option<String> {
    let [x, y] = [a, b].map(|r| r.organisations.get_or_init(|| organisations(r)));
    let alike = |one: &str, other: &str| one.contains(other) || other.contains(one);
    let apart = !x.is_empty() && !y.is_empty() && x.iter().all(|one| y.iter().all(|other| !alike(one, other)));
    apart.then(|| shown(&x[0], &y[0]))
}

/// The words that tell and stand in one text alone, those that the rule itself looks at aside: in `a`, in `b`; and how
/// many both have.
fn apart<'a>(
    a: &'a Reading,
    b: &'a Reading,
    al: &Alignment,
    aside: impl Fn(&Word) -> bool,
) -> (Vec<&'a Word>, Vec<&'a Word>, usize) {
    let tells = |w: &&Word| !w.function && w.weight > 0.0 && !aside(w);
    let left = a.words.iter().enumerate().filter(|(n, w)| tells(w) && !al.met_a(*n)).map(|(_, w)| w).collect();
    let right = b.words.iter().enumerate().filter(|(n, w)| tells(w) && !al.met_b(*n)).map(|(_, w)| w).collect();
    let both = b.words.iter().enumerate().filter(|(n, w)| tells(w) && al.met_b(*n)).count();
    (left, right, both)
}

/// Whether two words may be one verb in two forms: "간다" and "가지", "drips" and "dripping".
fn akin(one: &str, other: &str) -> bool {
    let open = |c: char| jamo(c).and_then(|(first, vowel, _)| syllable(first, vowel, 0)).unwrap_or(c);
    let alike = one.chars().zip(other.chars()).take_while(|(x, y)| open(*x) == open(*y)).count();
    alike >= if one.is_ascii() { 3 } else { 1 }
}

/// Whether the words that both have stand in the same order.
fn in_order(al: &Alignment) -> bool {
    let mut last = None;
    al.of_b.iter().flatten().map(|m| al.matches[*m].a).all(|i| last.replace(i).is_none_or(|before| before < i))
}

/// One says what the other denies: the same words, the one of them with a denial or an opposite. Anything else that
/// differs may be what the denial is about.
fn denial(a: &Reading, b: &Reading, al: &Alignment, pairing: &Pairing) -> Option<String> {
    let (x, y) = (a.polarity(), b.polarity());
    let opposed = x.opposed(y);
    if x.denies == y.denies && opposed.is_none() || x.denies != y.denies && opposed.is_some() {
        return None;
    }
    // 입사일 and 퇴사일 are two days.
    if opposed.is_some_and(|(was, is)| was.ends_with('일') && is.ends_with('일')) && !b.values.is_empty() {
        return None;
    }
    // A state is what the denial is about: "open" and "closed".
    let same = |mate: &Option<(usize, Match)>| mate.is_some_and(|(_, how)| how.agrees());
    let differs = |(v, mate): (&Found, &Option<(usize, Match)>)| v.value.kind() != ValueKind::Status && !same(mate);
    if b.values.iter().zip(&pairing.of_b).any(differs) {
        return None;
    }
    let (left, right, both) = apart(a, b, al, |w| x.has(&w.text) || y.has(&w.text));
    // A verb of one syllable (간다) tells little by itself, but it may be the one that is denied (가지 않는다).
    let short = |r: &Reading, met: &dyn Fn(usize) -> bool, other: &Word| {
        r.words.iter().enumerate().any(|(n, w)| w.function && !met(n) && akin(&w.text, &other.text))
    };
    let alike = match (&left[..], &right[..]) {
        ([], []) => both > 0,
        ([was], [is]) => both >= 2 && akin(&was.text, &is.text) && in_order(al),
        ([], [is]) => both >= 2 && short(a, &|n| al.met_a(n), is) && in_order(al),
        ([was], []) => both >= 2 && short(b, &|n| al.met_b(n), was) && in_order(al),
        _ => false,
    };
    if !alike {
        return None;
    }
    Some(opposed.map_or_else(|| beginning(&a.content, &b.content), |(was, is)| shown(was, is)))
}

/// Whether a thing has one such value at a time, so that another one is a change of it. Two days may be of two meetings.
fn is_property(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Money | ValueKind::Percent)
}

/// The same words, and one value otherwise.
fn other_value(a: &Reading, b: &Reading, al: &Alignment, pairing: &Pairing) -> Option<String> {
    let in_value = |r: &Reading, w: &Word| r.values.iter().any(|v| v.span.holds(w.start));
    let (left, right, both) = apart(a, b, al, |w| in_value(a, w) || in_value(b, w));
    if left.len() + right.len() > 0 || both == 0 || a.values.len() != b.values.len() || !in_order(al) {
        return None;
    }
    b.values.iter().zip(&pairing.of_b).find_map(|(v, mate)| match mate {
        Some((i, Match::Different)) if a.values[*i].value.kind() == v.value.kind() => {
            let (was, is) = (a.values[*i].span.of(&a.content), v.span.of(&b.content));
            (was != is).then(|| shown(was, is))
        }
        _ => None,
    })
}

/// The stored value with the one that it has gone to: "from 3,100 to 3,300 a month", 3100에서 3300으로.
fn further_value(a: &Reading, b: &Reading) -> Option<String> {
    let of_kind = |v: &Found, kind| v.value.kind() == kind;
    let known = |v: &Found| a.values.iter().any(|x| x.value.agrees(&v.value));
    // "From X to Y" reads as a range; where X stood alone before, it is what it was.
    let amount =
        |v: &Value| matches!(v.kind(), ValueKind::Money | ValueKind::Percent | ValueKind::Number | ValueKind::Quantity);
    let range = b.values.iter().find_map(|v| {
        let Value::Range(ends) = &v.value else { return None };
        let was = a.values.iter().find(|x| x.value.agrees(&ends.0))?;
        let stood = !matches!(was.value, Value::Range(_)) && amount(&was.value);
        stood.then(|| shown(was.span.of(&a.content), v.span.of(&b.content)))
    });
    range.or_else(|| {
        b.values.windows(2).find_map(|pair| {
            let [old, new] = pair else { return None };
            let between = b.content.get(old.span.end..new.span.start)?.trim();
            let word = between.split_whitespace().next_back().unwrap_or_default();
            let goes = words!("analysis/words.gone to").contains(&word);
            let gone = goes && known(old) && !known(new) && of_kind(new, old.value.kind());
            gone.then(|| shown(old.span.of(&b.content), new.span.of(&b.content)))
        })
    })
}

/// One denies what the other says, or stands on the other side of two opposites, and hardly a word differs besides.
fn other_polarity(a: &Reading, b: &Reading, al: &Alignment) -> Option<String> {
    let (x, y) = (a.polarity(), b.polarity());
    let (left, right, both) = apart(a, b, al, |w| x.has(&w.text) || y.has(&w.text));
    if left.len() + right.len() > 1 && (right.len() + both > FEW || left.len() > 1) {
        return None;
    }
    let opposed = x.opposed(y).map(|(was, is)| shown(was, is));
    opposed.or_else(|| (x.denies != y.denies).then(|| beginning(&a.content, &b.content)))
}

/// In a few words all that is stored, and something besides: "milk", 우유 알레르기. In another language any word besides may be
/// what is new.
fn further_word(a: &Reading, b: &Reading, al: &Alignment) -> Option<String> {
    let (left, right, both) = apart(a, b, al, |_| false);
    let translated = (a.korean - b.korean).abs() > FOREIGN;
    let few = right.len() + both <= FEW;
    let further = right.first().filter(|_| few && (translated || left.is_empty() && both > 0))?;
    Some(beginning(&a.content, &further.text))
}
