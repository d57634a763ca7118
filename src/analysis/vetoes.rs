//! Rules beneath the classifier: what certain signs rule out, whatever it weighs.
//!
//! Each rule has a name, which stands in the log. None makes a decision: each takes probability from one outcome and gives it to another.

use super::align::Alignment;
use super::opposites::Polarity;
use super::pairing::Pairing;
use super::reading::Reading;
use super::words::{Kind as Made, Mark, Part, Word};
use crate::language::{Kind, Match, Value};

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
/// What a veto leaves of the outcome that it rules out.
const LEFT: f32 = 0.02;

const SKIP: usize = 0;
const UPDATE: usize = 1;
const LINK: usize = 2;

/// Applies the rules to the probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE; the first that holds is told.
pub fn apply(a: &Reading, b: &Reading, al: &Alignment, pairing: &Pairing, p: &mut [f32; 4]) -> Option<Veto> {
    if a.cut || b.cut {
        return None;
    }
    if let Some(evidence) = other_instance(a, b) {
        give(p, SKIP, LINK);
        give(p, UPDATE, LINK);
        return Some(Veto { code: "other_instance", evidence, denies: false });
    }
    if let Some(evidence) = other_organisation(a, b) {
        give(p, SKIP, LINK);
        give(p, UPDATE, LINK);
        return Some(Veto { code: "other_organisation", evidence, denies: false });
    }
    if let Some(evidence) = denial(a, b, al, pairing) {
        let rest = p[SKIP] + p[LINK] + p[3];
        let update = p[UPDATE].max(DENIED);
        for (n, x) in p.iter_mut().enumerate() {
            *x = if n == UPDATE { update } else { *x / rest.max(1e-6) * (1.0 - update) };
        }
        return Some(Veto { code: "denied", evidence, denies: true });
    }
    // What follows rules out that nothing new is said.
    let most = (0..4).max_by(|x, y| p[*x].total_cmp(&p[*y]));
    if most != Some(SKIP) {
        return None;
    }
    if let Some(evidence) = other_value(a, b, pairing) {
        give(p, SKIP, UPDATE);
        return Some(Veto { code: "other_value", evidence, denies: false });
    }
    if let Some(evidence) = other_name(a, b, al) {
        give(p, SKIP, LINK);
        return Some(Veto { code: "other_name", evidence, denies: false });
    }
    if let Some(evidence) = other_roles(a, b) {
        give(p, SKIP, LINK);
        return Some(Veto { code: "other_roles", evidence, denies: false });
    }
    None
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

/// Another quarter, version or number at the very beginning of both: what they are about. One that a text only mentions
/// is not its subject.
fn other_instance(a: &Reading, b: &Reading) -> Option<String> {
    let subject = |r: &Reading| {
        let first = r.words.iter().find(|w| !w.function)?;
        let kinds = [Kind::Period, Kind::Ordinal, Kind::Version, Kind::Identifier];
        let value = r.values.iter().find(|v| v.span.start <= first.start && first.start < v.span.end)?;
        // "In 2024 …" says when, "3월은 …" what.
        let whole =
            !matches!(&value.value, Value::Period(_)) || !r.content[..value.span.start].contains(char::is_alphabetic);
        (whole && kinds.contains(&value.value.kind())).then(|| value.clone())
    };
    let (x, y) = (subject(a)?, subject(b)?);
    let other = x.value.compare(&y.value) == Match::Different;
    other.then(|| shown(x.span.of(&a.content), y.span.of(&b.content)))
}

/// How organisations' names end.
const ORGANISATIONS: &str = "제약 약품 전자 은행 건설 물산 상사 산업 화학 중공업 생명 화재 증권 카드 통신 식품 제과 유업 병원 의원 치과 약국 학원 대학교 고등학교 중학교 초등학교 유치원 어린이집 연구소 재단 협회 주식회사 인터내셔널 바이오 파마 테크 솔루션 시스템즈 모터스 로지스틱스 호텔 여행사 inc ltd llc gmbh corp co plc bank pharma hospital clinic university college school academy labs foods logistics motors insurance airlines hotel";

/// The firms that a text names, folded and without blanks.
fn organisations(r: &Reading) -> Vec<String> {
    let ends = |name: &str| {
        ORGANISATIONS.split(' ').any(|e| {
            let whole_word = name.rsplit(' ').next() == Some(e) && name != e;
            whole_word || !e.is_ascii() && name.ends_with(e) && name.chars().count() >= e.chars().count() + 2
        })
    };
    let named = r.entity_names.iter().map(|n| crate::language::fold(n));
    let words = r.words.iter().filter(|w| w.kind == Made::Hangul).map(|w| w.text.clone());
    let mut all: Vec<String> = named.chain(words).filter(|n| ends(n)).map(|n| n.replace(' ', "")).collect();
    all.sort();
    all.dedup();
    all
}

/// Two firms of like names are two firms: neither is the other, in whole.
fn other_organisation(a: &Reading, b: &Reading) -> Option<String> {
    let (x, y) = (organisations(a), organisations(b));
    let alike = |one: &str, other: &str| one.contains(other) || other.contains(one);
    let apart = !x.is_empty() && !y.is_empty() && x.iter().all(|one| y.iter().all(|other| !alike(one, other)));
    apart.then(|| shown(&x[0], &y[0]))
}

/// Words that tell, of which a text is made: no function words, and none that the rule itself looks at.
fn telling<'a>(r: &'a Reading, polarity: &'a Polarity) -> impl Iterator<Item = (usize, &'a Word)> {
    let light = |w: &Word| w.function || w.weight == 0.0 || polarity.has(&w.text);
    r.words.iter().enumerate().filter(move |(_, w)| !light(w))
}

/// One says what the other denies: nearly the same words, the one of them with a denial or an opposite.
fn denial(a: &Reading, b: &Reading, al: &Alignment, pairing: &Pairing) -> Option<String> {
    let (x, y) = (Polarity::of(&a.content), Polarity::of(&b.content));
    let opposed = x.opposed(&y);
    if x.denies == y.denies && opposed.is_none() || x.denies != y.denies && opposed.is_some() {
        return None;
    }
    let differs = |mate: &Option<(usize, Match)>| !matches!(mate, Some((_, Match::Same | Match::Compatible)));
    if pairing.of_b.iter().any(differs) {
        return None;
    }
    let (mut all, mut met) = (0u32, 0u32);
    for (j, _) in telling(b, &y) {
        all += 1;
        met += u32::from(al.met_b(j));
    }
    let missed_a = telling(a, &x).filter(|(i, _)| !al.met_a(*i)).count() as u32;
    // Somebody or something must be named by both, and hardly anything by one alone.
    if met == 0 || all - met > all / 4 || missed_a > 1 + met / 2 {
        return None;
    }
    Some(opposed.map_or_else(|| shown(&a.content, &b.content).chars().take(200).collect(), |(was, is)| shown(was, is)))
}

/// A value of the new memory that the stored one has otherwise, or an amount that it has not.
fn other_value(a: &Reading, b: &Reading, pairing: &Pairing) -> Option<String> {
    let amount = |k: Kind| matches!(k, Kind::Money | Kind::Quantity | Kind::Percent | Kind::Clock | Kind::Identifier);
    b.values.iter().zip(&pairing.of_b).find_map(|(v, mate)| match mate {
        Some((i, Match::Different)) => Some(shown(a.values[*i].span.of(&a.content), v.span.of(&b.content))),
        None if amount(v.value.kind()) => Some(shown("", v.span.of(&b.content))),
        _ => None,
    })
}

/// A name that takes the place of another one.
fn other_name(a: &Reading, b: &Reading, al: &Alignment) -> Option<String> {
    let name = |w: &Word| !w.function && w.number.is_none() && (w.is(Mark::Name) || w.capital);
    let new = b.words.iter().enumerate().find(|(j, w)| name(w) && !al.met_b(*j))?;
    let old = a.words.iter().enumerate().find(|(i, w)| name(w) && !al.met_a(*i))?;
    Some(shown(&old.1.text, &new.1.text))
}

/// Who does it to whom: a word that acts in the one and is acted upon in the other.
fn other_roles(a: &Reading, b: &Reading) -> Option<String> {
    let acts = |w: &Word| matches!(w.part, Part::Subject | Part::Topic);
    let role = |r: &Reading, w: &Word| {
        let rest = r.content.get(w.start..).unwrap_or_default();
        let written = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let given = ["에게", "한테", "께"].iter().any(|p| written.ends_with(p));
        if w.part == Part::Object || given {
            Some(false)
        } else if acts(w) {
            Some(true)
        } else {
            None
        }
    };
    let mut swapped = a.words.iter().filter(|w| w.kind == Made::Hangul && !w.function).filter_map(|w| {
        let mine = role(a, w)?;
        let other = b.words.iter().find(|o| o.hash == w.hash)?;
        let theirs = role(b, other)?;
        (mine != theirs).then_some(w)
    });
    match (swapped.next(), swapped.next()) {
        (Some(one), Some(other)) => Some(shown(&one.text, &other.text)),
        _ => english_roles(a, b),
    }
}

/// "Ann pays Bo" and "Bo pays Ann": two names around the same verb, in the other order.
fn english_roles(a: &Reading, b: &Reading) -> Option<String> {
    let passive = |r: &Reading| r.folded.split_whitespace().any(|w| w == "by" || w == "and" || w == "with");
    if a.korean > 0.3 || passive(a) || passive(b) {
        return None;
    }
    let names = |r: &Reading| -> Vec<u32> {
        let name = |(n, w): &(usize, &Word)| !w.function && (w.capital || *n == 0 && w.is(Mark::Unknown));
        r.words.iter().enumerate().filter(name).map(|(_, w)| w.hash).collect()
    };
    let (x, y) = (names(a), names(b));
    let [one, other] = x[..] else { return None };
    (y == [other, one]).then(|| shown(&a.content, &b.content).chars().take(200).collect())
}
