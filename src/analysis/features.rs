//! What two readings have in common and what sets them apart, as numbers with names.
//!
//! Every feature is a fact about the pair that can be said in words; what it weighs is fitted, not written here.

use super::align::{Alignment, How, cover};
use super::cues::{CUES, NAMES};
use super::frame;
use super::lexicon::{self, Behaviour, Sense};
use super::pairing::{self, Pairing};
use super::reading::Reading;
use super::wording;
use super::words::{Kind, Mark, Part, Word};
use crate::model::Category;
use crate::order::Within;
use std::sync::LazyLock;

/// The kind of evidence a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// Thread, people, subject line, category, time.
    Setting,
    /// Which words are covered, new, gone.
    Words,
    /// Order, subject position, neighbours.
    Shape,
    /// Entities.
    Entities,
    /// Numbers, identifiers, dates, instances.
    Values,
    /// Turns of phrase.
    Cues,
    /// Fields of meaning.
    Meaning,
    /// Words and runs of words with weights of their own.
    Wording,
}

/// Collects values, and names when asked.
#[derive(Debug, Default)]
pub struct Sheet {
    /// The values, in a fixed order.
    pub values: Vec<f32>,
    /// Their names and groups, if they are wanted.
    pub names: Option<Vec<(String, Group)>>,
}

impl Sheet {
    pub(super) fn put(&mut self, group: Group, name: &str, value: f32) {
        self.values.push(if value.is_finite() { value } else { 0.0 });
        if let Some(n) = &mut self.names {
            n.push((name.to_owned(), group));
        }
    }

    pub(super) fn each(&mut self, group: Group, prefix: &str, name: &str, value: f32) {
        self.values.push(if value.is_finite() { value } else { 0.0 });
        if let Some(n) = &mut self.names {
            n.push((format!("{prefix}_{name}"), group));
        }
    }
}

fn flag(b: bool) -> f32 {
    f32::from(u8::from(b))
}

fn ratio(x: f32, y: f32) -> f32 {
    if y > 0.0 { x / y } else { 0.0 }
}

/// The features of a pair.
pub fn features(a: &Reading, b: &Reading, sheet: &mut Sheet) -> (Alignment, Pairing) {
    sheet.values.reserve(1_000);
    let mut alignment = Alignment::of(&a.words, &b.words);
    let pairing = Pairing::of(a, b, &alignment);
    pairing.mark(a, b, &mut alignment);
    let al = &alignment;
    setting(a, b, sheet);
    let (wa, wb) = (&a.words, &b.words);
    covered(wa, wb, al, sheet);
    shape(wa, wb, al, sheet);
    entities(a, b, sheet);
    values(wa, wb, al, sheet);
    turns(a, b, sheet);
    meaning(wa, wb, al, sheet);
    pairing::features(a, b, &pairing, sheet);
    frame::features(a, b, al, &pairing, sheet);
    for (name, score) in wording::NAMES.iter().zip(wording::scores(a, b, al)) {
        sheet.put(Group::Wording, name, score);
    }
    (alignment, pairing)
}

fn domain(p: &str) -> &str {
    p.rsplit('@').next().unwrap_or(p)
}

fn setting(a: &Reading, b: &Reading, s: &mut Sheet) {
    use Group::Setting as G;
    let same = a.thread.is_some() && a.thread == b.thread;
    s.put(G, "same_thread", flag(same));
    s.put(G, "other_thread", flag(a.thread.is_some() && b.thread.is_some() && !same));
    s.put(G, "no_thread_b", flag(b.thread.is_none()));
    let common = a.people.iter().filter(|p| b.people.contains(p)).count();
    s.put(G, "people_common", common as f32);
    s.put(G, "people_new", (b.people.len() - b.people.iter().filter(|p| a.people.contains(p)).count()) as f32);
    s.put(G, "people_gone", (a.people.len() - common) as f32);
    s.put(G, "people_a", a.people.len() as f32);
    s.put(G, "people_b", b.people.len() as f32);
    let domains = b.people.iter().filter(|p| a.people.iter().any(|q| domain(p) == domain(q))).count();
    s.put(G, "domain_share", ratio(domains as f32, b.people.len() as f32));
    s.put(G, "first_person_same", flag(!a.people.is_empty() && a.people.first() == b.people.first()));
    s.put(G, "category_same", flag(a.category == b.category));
    for c in [Category::Task, Category::Decision, Category::Meeting, Category::Project, Category::Ads, Category::Misc] {
        s.each(G, "category_a", c.as_str(), flag(a.category == c));
        s.each(G, "category_b", c.as_str(), flag(b.category == c));
    }
    let days = match (a.time, b.time) {
        (Some(x), Some(y)) => (y.millis() - x.millis()) as f32 / 86_400_000.0,
        _ => -1.0,
    };
    s.put(G, "days_between", days.within(-400.0, 400.0));
    s.put(G, "same_day", flag((0.0..1.0).contains(&days)));
    s.put(G, "subject_same", flag(!a.subject_line.is_empty() && a.subject_line == b.subject_line));
    s.put(G, "forwarded", flag(b.forwarded));
    s.put(G, "reply", flag(b.reply));
    s.put(G, "subject_cover_a", cover(&a.subject, &b.subject));
    s.put(G, "subject_cover_b", cover(&b.subject, &a.subject));
    s.put(G, "subject_b_in_a", cover(&b.subject, &a.words));
    s.put(G, "subject_b_in_b", cover(&b.subject, &b.words));
    s.put(G, "subject_a_in_b", cover(&a.subject, &b.words));
    s.put(G, "subject_b_empty", flag(b.subject.is_empty()));
    // A subject line that differs in its numbers is often the next of a row.
    let numbers = |w: &[Word]| -> Vec<u32> {
        w.iter().filter(|w| w.number.is_some() || w.kind == Kind::Code || sibling(w)).map(|w| w.hash).collect()
    };
    let (x, y) = (numbers(&a.subject), numbers(&b.subject));
    s.put(G, "subject_number_new", y.iter().filter(|n| !x.contains(n)).count() as f32);
    s.put(G, "subject_number_same", y.iter().filter(|n| x.contains(n)).count() as f32);
    s.put(G, "mixed_scripts", (a.korean - b.korean).abs());
    s.put(G, "korean", b.korean);
}

fn sibling(w: &Word) -> bool {
    w.is(Mark::Sibling)
}

fn weighted(words: &[Word], score: impl Fn(usize) -> f32) -> f32 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (i, w) in words.iter().enumerate() {
        sum += w.weight * score(i);
        total += w.weight;
    }
    ratio(sum, total)
}

/// For words of each mark how well they are met, −1 where there are none, and how many are not.
fn class_cover(words: &[Word], score: impl Fn(usize) -> f32) -> [(f32, f32); 8] {
    let (mut sums, mut counts) = ([0.0f32; 8], [0.0f32; 8]);
    for (i, w) in words.iter().enumerate().filter(|(_, w)| !w.function) {
        let (score, mut marks) = (score(i), w.marks());
        while marks != 0 {
            let mark = marks.trailing_zeros() as usize & 7;
            sums[mark] += score;
            counts[mark] += 1.0;
            marks &= marks - 1;
        }
    }
    std::array::from_fn(|m| (if counts[m] > 0.0 { sums[m] / counts[m] } else { -1.0 }, counts[m] - sums[m]))
}

fn covered(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    use Group::Words as G;
    let (sa, sb) = (|i: usize| al.score_a(i), |j: usize| al.score_b(j));
    let (ca, cb) = (weighted(a, sa), weighted(b, sb));
    s.put(G, "cover_a", ca);
    s.put(G, "cover_b", cb);
    s.put(G, "cover_min", ca.min(cb));
    s.put(G, "cover_f", ratio(2.0 * ca * cb, ca + cb));
    s.put(G, "cover_gap", ca - cb);
    let content = |w: &[Word]| w.iter().filter(|w| !w.function).count() as f32;
    let (na, nb) = (content(a), content(b));
    s.put(G, "length_a", na);
    s.put(G, "length_b", nb);
    s.put(G, "length_ratio", ratio(nb, na));
    let exact = |w: &[Word], of: &[Option<usize>]| {
        w.iter()
            .zip(of)
            .filter(|(w, m)| !w.function && m.is_some_and(|m| matches!(al.matches[m].how, How::Same | How::Number)))
            .count() as f32
    };
    s.put(G, "exact_a", ratio(exact(a, &al.of_a), na));
    s.put(G, "exact_b", ratio(exact(b, &al.of_b), nb));
    let by = |h: How| al.matches.iter().filter(|m| m.how == h && !b[m.b].function).count() as f32;
    s.put(G, "met_by_sense", ratio(by(How::Sense), nb));
    s.put(G, "met_by_part", ratio(by(How::Part), nb));
    s.put(G, "met_alike", by(How::Alike));
    let marks = ["name", "noun", "verb", "unknown", "number", "sibling", "known", "long"];
    for ((n, (x, gone)), (y, new)) in marks.into_iter().zip(class_cover(a, sa)).zip(class_cover(b, sb)) {
        s.each(G, "cover_a", n, x);
        s.each(G, "cover_b", n, y);
        s.each(G, "gone", n, gone);
        s.each(G, "new", n, new);
    }
    // Names that are alike but not the same belong to somebody else.
    let like = |strict: bool| {
        al.matches
            .iter()
            .filter(|m| {
                m.how == How::Alike
                    && (a[m.a].capital && b[m.b].capital
                        || !strict && a[m.a].is(Mark::Unknown) && b[m.b].is(Mark::Unknown))
            })
            .count() as f32
    };
    s.put(G, "name_lookalike", like(true));
    s.put(G, "word_lookalike", like(false));
    s.put(G, "function_overlap", {
        let f = |w: &[Word]| -> Vec<u32> { w.iter().filter(|w| w.function).map(|w| w.hash).collect() };
        let (x, y) = (f(a), f(b));
        ratio(y.iter().filter(|h| x.contains(h)).count() as f32, y.len() as f32)
    });
}

fn shape(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    use Group::Shape as G;
    let content =
        |w: &[Word]| -> Vec<usize> { w.iter().enumerate().filter(|(_, w)| w.weight > 0.0).map(|(i, _)| i).collect() };
    let (ia, ib) = (content(a), content(b));
    let order = al.in_order(a);
    s.put(G, "in_order_a", ratio(order.len() as f32, ia.len() as f32));
    s.put(G, "in_order_b", ratio(order.len() as f32, ib.len() as f32));
    let matched = al.matches.iter().filter(|m| b[m.b].weight > 0.0).count() as f32;
    s.put(G, "in_order_share", ratio(order.len() as f32, matched));
    // Neighbours that stay neighbours: shared words in the same company.
    let rank_a = |i: usize| ia.binary_search(&i).unwrap_or(usize::MAX / 2);
    let mut pairs = 0.0;
    let mut steps = 0.0;
    for w in ib.windows(2) {
        if let (Some(x), Some(y)) = (al.of_b[w[0]], al.of_b[w[1]]) {
            steps += 1.0;
            let (p, q) = (rank_a(al.matches[x].a), rank_a(al.matches[y].a));
            if q == p + 1 || p == q + 1 {
                pairs += 1.0;
            }
        }
    }
    s.put(G, "pairs_kept", ratio(pairs, ib.len().saturating_sub(1) as f32));
    s.put(G, "pairs_kept_of_met", ratio(pairs, steps));
    let head = |ix: &[usize], n: usize, f: &dyn Fn(usize) -> f32| {
        ratio(ix.iter().take(n).map(|i| f(*i)).sum(), ix.len().min(n) as f32)
    };
    let (fa, fb) = (|i: usize| al.score_a(i), |j: usize| al.score_b(j));
    for (n, name) in [(1, "1"), (2, "2"), (3, "3"), (5, "5")] {
        s.each(G, "lead_b_met", name, head(&ib, n, &fb));
        s.each(G, "lead_a_met", name, head(&ia, n, &fa));
    }
    let tail: Vec<usize> = ib.iter().rev().copied().collect();
    s.put(G, "tail_b_met", head(&tail, 3, &fb));
    let tail_a: Vec<usize> = ia.iter().rev().copied().collect();
    s.put(G, "tail_a_met", head(&tail_a, 3, &fa));
    // Where the stored memory's first words went in the new one.
    let place = |i: usize| {
        al.of_a[i].map_or(-1.0, |m| ratio(ib.binary_search(&al.matches[m].b).unwrap_or(0) as f32, ib.len() as f32))
    };
    s.put(G, "first_a_at", ia.first().map_or(-1.0, |i| place(*i)));
    s.put(G, "second_a_at", ia.get(1).map_or(-1.0, |i| place(*i)));
    s.put(G, "first_unmet_at", ib.iter().position(|j| !al.met_b(*j)).map_or(1.0, |p| ratio(p as f32, ib.len() as f32)));
    let unmet: Vec<usize> = ib.iter().copied().filter(|j| !al.met_b(*j)).collect();
    let mean = ratio(unmet.iter().map(|j| ib.binary_search(j).unwrap_or(0) as f32).sum::<f32>(), unmet.len() as f32);
    s.put(G, "unmet_mean_at", if unmet.is_empty() { -1.0 } else { ratio(mean, ib.len() as f32) });
    let (mut run, mut longest) = (0.0f32, 0.0f32);
    for j in &ib {
        run = if !al.met_b(*j) { run + 1.0 } else { 0.0 };
        longest = longest.max(run);
    }
    s.put(G, "unmet_run_b", longest);
    let (mut run, mut longest_a) = (0.0f32, 0.0f32);
    for i in &ia {
        run = if !al.met_a(*i) { run + 1.0 } else { 0.0 };
        longest_a = longest_a.max(run);
    }
    s.put(G, "unmet_run_a", longest_a);
    let (mut run, mut best) = (0.0f32, 0.0f32);
    for j in &ib {
        run = if al.met_b(*j) { run + 1.0 } else { 0.0 };
        best = best.max(run);
    }
    s.put(G, "met_run_b", best);
    // Korean: what is spoken of, and who does it.
    for (n, p) in [
        ("topic", Part::Topic),
        ("subject", Part::Subject),
        ("object", Part::Object),
        ("also", Part::Also),
        ("of", Part::Of),
    ] {
        let of = |w: &[Word], f: &dyn Fn(usize) -> f32| {
            w.iter().enumerate().find(|(_, w)| w.part == p && !w.function).map_or(-1.0, |(i, _)| f(i))
        };
        s.each(G, "first_b", n, of(b, &fb));
        s.each(G, "first_a", n, of(a, &fa));
        s.each(
            G,
            "unmet_b",
            n,
            b.iter().enumerate().filter(|(j, w)| w.part == p && !w.function && !al.met_b(*j)).count() as f32,
        );
    }
    // Topic of the new one was topic (or subject) of the stored one.
    let lead = |w: &[Word]| w.iter().position(|w| matches!(w.part, Part::Topic | Part::Subject) && !w.function);
    s.put(
        G,
        "topic_kept",
        match (lead(a), lead(b)) {
            (Some(i), Some(j)) => flag(al.of_b[j].is_some_and(|m| al.matches[m].a == i)),
            _ => -1.0,
        },
    );
    let clauses = |w: &[Word]| {
        let mut c: Vec<u8> = w.iter().map(|w| w.clause).collect();
        c.dedup();
        c.len() as f32
    };
    s.put(G, "clauses_a", clauses(a));
    s.put(G, "clauses_b", clauses(b));
    // The clause of the new memory that has least to do with the stored one, and the one that has most.
    let (mut low, mut high) = (1.0f32, 0.0f32);
    let mut c = 0;
    while c < b.len() {
        let end = (c..b.len()).find(|k| b[*k].clause != b[c].clause).unwrap_or(b.len());
        let (mut got, mut all) = (0.0, 0.0);
        for (k, w) in b.iter().enumerate().take(end).skip(c) {
            got += w.weight * al.score_b(k);
            all += w.weight;
        }
        if all > 1.0 {
            low = low.min(got / all);
            high = high.max(got / all);
        }
        c = end;
    }
    s.put(G, "clause_least", low);
    s.put(G, "clause_most", high);
    gaps(a, b, al, &order, s);
}

/// What stands in place of what, between words that kept their order.
fn gaps(a: &[Word], b: &[Word], al: &Alignment, order: &[usize], s: &mut Sheet) {
    use Group::Shape as G;
    let (mut numbers, mut siblings, mut names, mut field, mut other, mut verbs, mut added, mut dropped) =
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut largest_added, mut edge_start, mut edge_end) = (0.0f32, 0.0, 0.0);
    let mut from = (0usize, 0usize);
    let ends = order.iter().map(|m| (al.matches[*m].a, al.matches[*m].b)).chain(std::iter::once((a.len(), b.len())));
    for (n, (ea, eb)) in ends.enumerate() {
        let ga: Vec<&Word> = a[from.0.min(ea)..ea]
            .iter()
            .enumerate()
            .filter(|(i, w)| w.weight > 0.0 && !al.met_a(from.0 + i))
            .map(|(_, w)| w)
            .collect();
        let gb: Vec<&Word> = b[from.1.min(eb)..eb]
            .iter()
            .enumerate()
            .filter(|(j, w)| w.weight > 0.0 && !al.met_b(from.1 + j))
            .map(|(_, w)| w)
            .collect();
        if ga.is_empty() {
            added += gb.len() as f32;
            largest_added = largest_added.max(gb.len() as f32);
        } else if gb.is_empty() {
            dropped += ga.len() as f32;
        } else {
            if ga.iter().any(|x| x.number.is_some()) && gb.iter().any(|x| x.number.is_some()) {
                numbers += 1.0;
            }
            if ga.iter().any(|x| {
                sibling(x) && gb.iter().any(|y| sibling(y) && x.sense.map(|s| s.field()) == y.sense.map(|s| s.field()))
            }) {
                siblings += 1.0;
            }
            if ga.iter().any(|x| x.is(Mark::Name)) && gb.iter().any(|x| x.is(Mark::Name)) {
                names += 1.0;
            }
            if ga.iter().any(|x| x.is(Mark::Verb)) && gb.iter().any(|x| x.is(Mark::Verb)) {
                verbs += 1.0;
            }
            let fields = |g: &[&Word]| {
                g.iter().filter(|w| w.is(Mark::Noun)).filter_map(|w| w.sense).fold(0u64, |f, s| f | s.fields())
            };
            let (x, y) = (fields(&ga), fields(&gb));
            if x & y != 0 {
                field += 1.0;
            } else if x != 0 && y != 0 {
                other += 1.0;
            }
        }
        if n == 0 {
            edge_start = gb.len() as f32;
        }
        if ea == a.len() {
            edge_end = gb.len() as f32;
        }
        from = (ea + 1, eb + 1);
    }
    for (n, v) in [
        ("numbers", numbers),
        ("siblings", siblings),
        ("names", names),
        ("same_field", field),
        ("other_field", other),
        ("verbs", verbs),
        ("added", added),
        ("dropped", dropped),
        ("largest_added", largest_added),
        ("new_at_start", edge_start),
        ("new_at_end", edge_end),
    ] {
        s.each(G, "gap", n, v);
    }
}

fn entities(a: &Reading, b: &Reading, s: &mut Sheet) {
    use Group::Entities as G;
    let b_in_a: Vec<f32> = b.entities.iter().map(|e| cover(e, &a.words)).collect();
    let a_in_b: Vec<f32> = a.entities.iter().map(|e| cover(e, &b.words)).collect();
    let exact = |e: &[Word], list: &[Vec<Word>]| {
        list.iter().any(|f| f.len() == e.len() && f.iter().zip(e).all(|(x, y)| x.hash == y.hash))
    };
    let mean = |v: &[f32]| if v.is_empty() { -1.0 } else { v.iter().sum::<f32>() / v.len() as f32 };
    s.put(G, "entities_b_in_a", mean(&b_in_a));
    s.put(G, "entities_a_in_b", mean(&a_in_b));
    s.put(G, "entity_b_first_in_a", b_in_a.first().copied().unwrap_or(-1.0));
    s.put(G, "entity_b_second_in_a", b_in_a.get(1).copied().unwrap_or(-1.0));
    s.put(G, "entity_b_last_in_a", b_in_a.last().copied().unwrap_or(-1.0));
    s.put(G, "entity_a_first_in_b", a_in_b.first().copied().unwrap_or(-1.0));
    s.put(G, "entity_a_second_in_b", a_in_b.get(1).copied().unwrap_or(-1.0));
    s.put(G, "entity_a_last_in_b", a_in_b.last().copied().unwrap_or(-1.0));
    s.put(G, "entities_new", b_in_a.iter().filter(|c| **c < 0.5).count() as f32);
    s.put(G, "entities_part_new", b_in_a.iter().filter(|c| (0.2..0.9).contains(*c)).count() as f32);
    s.put(G, "entities_gone", a_in_b.iter().filter(|c| **c < 0.5).count() as f32);
    s.put(G, "entities_same", b.entities.iter().filter(|e| exact(e, &a.entities)).count() as f32);
    s.put(G, "entity_first_same", flag(b.entities.first().is_some_and(|e| exact(e, &a.entities))));
    s.put(
        G,
        "entity_first_same_first",
        flag(match (a.entities.first(), b.entities.first()) {
            (Some(x), Some(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.hash == y.hash),
            _ => false,
        }),
    );
    s.put(G, "entities_b", b.entities.len() as f32);
    s.put(G, "entities_a", a.entities.len() as f32);
    let cover_list = |e: &[Word], list: &[Vec<Word>]| list.iter().map(|f| cover(e, f)).fold(0.0f32, f32::max);
    s.put(G, "entity_b_first_in_entities", b.entities.first().map_or(-1.0, |e| cover_list(e, &a.entities)));
    s.put(G, "entity_a_first_in_entities", a.entities.first().map_or(-1.0, |e| cover_list(e, &b.entities)));
    // A first entity that keeps some words and changes others: the next invoice, the other class.
    let first = b_in_a.first().copied().unwrap_or(-1.0);
    s.put(G, "entity_b_first_partly", flag((0.2..0.95).contains(&first)));
    let start = |e: Option<&Vec<Word>>, w: &[Word]| {
        let Some(e) = e else { return -1.0 };
        w.iter()
            .position(|w| e.iter().any(|x| x.hash == w.hash && x.weight > 0.0))
            .map_or(-1.0, |p| ratio(p as f32, w.len() as f32))
    };
    s.put(G, "entity_a_first_at_in_b", start(a.entities.first(), &b.words));
    s.put(G, "entity_b_first_at_in_b", start(b.entities.first(), &b.words));
    s.put(G, "entity_a_first_at_in_a", start(a.entities.first(), &a.words));
}

/// The word that says what a number counts: joined unit, next content word, or the one before.
fn unit(w: &[Word], i: usize) -> Option<&Word> {
    w.get(i + 1)
        .filter(|n| n.joined || (n.weight > 0.0 && n.number.is_none() && n.clause == w[i].clause))
        .or_else(|| i.checked_sub(1).and_then(|p| w.get(p)))
}

fn unit_same(x: Option<&Word>, y: Option<&Word>) -> bool {
    match (x, y) {
        (Some(x), Some(y)) => x.hash == y.hash || x.sense.zip(y.sense).is_some_and(|(x, y)| x.same(y)),
        (None, None) => true,
        _ => false,
    }
}

fn digits(w: &Word) -> String {
    w.stem.chars().filter(char::is_ascii_digit).collect()
}

/// Fields whose words exclude each other, and their bits.
const CLOSED: [&str; 9] = ["ordinal", "weekday", "month", "season", "daytime", "half", "side", "colour", "kin"];
static CLOSED_FIELDS: LazyLock<[u64; 9]> = LazyLock::new(|| CLOSED.map(|name| 1 << lexicon::field(name)));

fn values(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    use Group::Values as G;
    let numeric = |w: &Word| w.number.is_some() || w.kind == Kind::Number;
    let (mut same_unit, mut other_unit, mut changed, mut fresh, mut gone, mut gone_unit) =
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (j, w) in b.iter().enumerate().filter(|(_, w)| numeric(w)) {
        let u = unit(b, j);
        match al.of_b[j] {
            Some(m) => {
                if unit_same(unit(a, al.matches[m].a), u) {
                    same_unit += 1.0;
                } else {
                    other_unit += 1.0;
                }
            }
            None => {
                if a.iter().enumerate().any(|(i, x)| numeric(x) && !al.met_a(i) && unit_same(unit(a, i), u)) {
                    changed += 1.0;
                } else {
                    fresh += 1.0;
                }
            }
        }
        let _ = w;
    }
    for (i, _) in a.iter().enumerate().filter(|(i, w)| numeric(w) && !al.met_a(*i)) {
        gone += 1.0;
        let u = unit(a, i);
        if b.iter().enumerate().any(|(j, y)| numeric(y) && unit_same(unit(b, j), u)) {
            gone_unit += 1.0;
        }
    }
    s.put(G, "number_same_unit", same_unit);
    s.put(G, "number_other_unit", other_unit);
    s.put(G, "number_changed", changed);
    s.put(G, "number_new", fresh);
    s.put(G, "number_gone", gone);
    s.put(G, "number_gone_with_unit", gone_unit);
    let count = |w: &[Word]| w.iter().filter(|w| numeric(w)).count() as f32;
    s.put(G, "numbers_a", count(a));
    s.put(G, "numbers_b", count(b));
    // Identifiers: the same, or one that looks like its neighbour.
    let codes = |w: &'_ [Word]| -> Vec<usize> {
        w.iter()
            .enumerate()
            .filter(|(_, w)| w.kind == Kind::Code || (w.kind == Kind::Number && w.stem.len() >= 4))
            .map(|(i, _)| i)
            .collect()
    };
    let (ca, cb) = (codes(a), codes(b));
    let (mut kept, mut near, mut far) = (0.0, 0.0, 0.0);
    for j in &cb {
        if al.met_b(*j) {
            kept += 1.0;
        } else if ca.iter().any(|i| {
            let (x, y) = (digits(&a[*i]), digits(&b[*j]));
            let letters = |w: &Word| w.stem.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            !al.met_a(*i) && letters(&a[*i]) == letters(&b[*j]) && x.len() == y.len() && x != y
        }) {
            near += 1.0;
        } else {
            far += 1.0;
        }
    }
    s.put(G, "code_kept", kept);
    s.put(G, "code_next", near);
    s.put(G, "code_new", far);
    s.put(G, "code_gone", ca.iter().filter(|i| !al.met_a(**i)).count() as f32);
    // Members of closed sets: kept, exchanged for another member, new, gone.
    let any = a.iter().chain(b).filter_map(|w| w.sense).fold(0, |f, s| f | s.fields());
    for (name, field) in CLOSED.iter().zip(&*CLOSED_FIELDS) {
        let (mut kept, mut new, mut gone) = (0usize, 0usize, 0usize);
        // Most texts speak of none.
        if any & field != 0 {
            let of = |w: &Word| w.sense.is_some_and(|s| s.fields() & field != 0);
            let all = (0..b.len()).filter(|j| of(&b[*j])).count();
            new = (0..b.len()).filter(|j| of(&b[*j]) && !al.met_b(*j)).count();
            gone = (0..a.len()).filter(|i| of(&a[*i]) && !al.met_a(*i)).count();
            kept = all - new;
        }
        s.each(G, name, "kept", kept as f32);
        s.each(G, name, "exchanged", new.min(gone) as f32);
        s.each(G, name, "new", new.saturating_sub(gone) as f32);
    }
}

fn turns(a: &Reading, b: &Reading, s: &mut Sheet) {
    use Group::Cues as G;
    for (n, name) in NAMES.iter().enumerate().take(CUES) {
        s.each(G, "cue_b", name, f32::from(b.cues[n]));
        s.each(G, "cue_new", name, f32::from(b.cues[n]) - f32::from(a.cues[n]));
    }
}

fn meaning(a: &[Word], b: &[Word], al: &Alignment, s: &mut Sheet) {
    use Group::Meaning as G;
    let topical = |w: &Word| w.sense.filter(|_| w.is(Mark::Noun));
    let fields = |w: &[Word]| w.iter().filter_map(topical).fold(0u64, |f, s| f | s.fields());
    let (fa, fb) = (fields(a), fields(b));
    s.put(G, "fields_common", ratio((fa & fb).count_ones() as f32, (fa | fb).count_ones() as f32));
    s.put(G, "fields_new", (fb & !fa).count_ones() as f32);
    s.put(G, "fields_gone", (fa & !fb).count_ones() as f32);
    let unmet: Vec<&Word> = b.iter().enumerate().filter(|(j, _)| !al.met_b(*j)).map(|(_, w)| w).collect();
    let foreign = unmet.iter().filter(|w| topical(w).is_some_and(|s| s.fields() & fa == 0)).count() as f32;
    let akin = unmet.iter().filter(|w| topical(w).is_some_and(|s| s.fields() & fa != 0)).count() as f32;
    s.put(G, "new_noun_foreign", foreign);
    s.put(G, "new_noun_akin", akin);
    let gone: Vec<&Word> = a.iter().enumerate().filter(|(i, _)| !al.met_a(*i)).map(|(_, w)| w).collect();
    let by_field = |words: &[&Word]| {
        let mut counts = [0u8; 64];
        for mut bits in words.iter().filter_map(|w| w.sense).map(Sense::fields) {
            while bits != 0 {
                counts[bits.trailing_zeros() as usize] += 1;
                bits &= bits - 1;
            }
        }
        counts
    };
    let (new_in, gone_in) = (by_field(&unmet), by_field(&gone));
    for ((name, behaviour), (new, gone)) in lexicon::fields().zip(new_in.iter().zip(&gone_in)) {
        if !matches!(behaviour, Behaviour::Function | Behaviour::Number) {
            s.each(G, "new_in", name, f32::from(*new));
            s.each(G, "gone_in", name, f32::from(*gone));
        }
    }
    // The last noun of the first phrase names the kind of thing spoken of.
    let head = |w: &[Word]| w.iter().position(|w| topical(w).is_some());
    s.put(
        G,
        "head_kept",
        match (head(a), head(b)) {
            (Some(i), Some(j)) => {
                if al.of_b[j].is_some_and(|m| al.matches[m].a == i) {
                    1.0
                } else if al.met_b(j) {
                    0.7
                } else if topical(&a[i]).zip(topical(&b[j])).is_some_and(|(x, y)| x.fields() & y.fields() != 0) {
                    0.4
                } else {
                    0.0
                }
            }
            _ => -1.0,
        },
    );
}
