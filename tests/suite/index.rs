//! The index finds what a brute-force scan of all `f32` vectors finds, after any sequence of
//! changes.

use memfold::model::{Draft, Id, Ids, Memory, Time};
use memfold::search::{Index, IndexScan, MARGIN, RemoteVectors, ScanMatch, WordScores, terms};
use memfold::similarity::{cosine, rank};
use proptest::prelude::*;
use std::collections::HashMap;

const WIDTH: usize = 20;
/// The highest error of a score by quantised vectors of so few components.
const CODE_ERROR: f32 = 3.0 * MARGIN;

/// A change of the index; `n` is the memory.
#[derive(Debug, Clone)]
enum Step {
    Put { n: usize, vector: usize },
    Rewrite { n: usize, text: usize },
    Supersede { n: usize, by: usize },
    DropVector { n: usize },
    Settle,
}

fn step() -> impl Strategy<Value = Step> {
    let n = 0..60usize;
    prop_oneof![
        6 => (n.clone(), 0..90usize).prop_map(|(n, vector)| Step::Put { n, vector }),
        3 => (n.clone(), 0..7usize).prop_map(|(n, text)| Step::Rewrite { n, text }),
        1 => (n.clone(), n.clone()).prop_map(|(n, by)| Step::Supersede { n, by }),
        1 => n.prop_map(|n| Step::DropVector { n }),
        1 => Just(Step::Settle),
    ]
}

/// Unit vectors, many of them nearly equal.
fn vectors(seeds: &[f32]) -> Vec<Vec<f32>> {
    let mut made = Vec::new();
    for (n, seed) in seeds.iter().enumerate() {
        let mut v: Vec<f32> =
            (0..WIDTH).map(|i| (seed * (i + 1) as f32).sin() + 0.3 * f32::from(u8::from(i == n % WIDTH))).collect();
        if n % 3 == 1 {
            v = Vec::clone(&made[n - 1]);
            v[n % WIDTH] += 1e-4;
        }
        let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        v.iter_mut().for_each(|x| *x /= norm);
        made.push(v);
    }
    made
}

fn memory(n: usize) -> Memory {
    let now = Time::from_millis(1_000 * n as i64);
    let draft = Draft { thread_id: Some(format!("t{}", n % 9)), ..Draft::new(format!("text {}", n % 5)) };
    Memory::from_draft(Ids::new(now, [n as u8; 16]).mint(), draft, now)
}

const MODEL: &str = "one";

#[derive(Debug, Default)]
struct BruteForce {
    memories: Vec<Memory>,
    vectors: HashMap<Id, Vec<f32>>,
}

impl BruteForce {
    fn nearest(&self, query: &[f32], k: usize, wanted: impl Fn(&Memory) -> bool) -> Vec<(Id, f32)> {
        let with = |m: &&Memory| self.vectors.contains_key(&m.id) && wanted(m);
        let all = self.memories.iter().filter(with).map(|m| (m.id, cosine(query, &self.vectors[&m.id]))).collect();
        rank(all, k, |(id, score): &(Id, f32)| (*score, *id))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn index_scan_matches_a_brute_force_scan(
        seeds in prop::collection::vec(-3.0f32..3.0, 90),
        steps in prop::collection::vec(step(), 1..250),
        (k, query, weight) in (1..12usize, 0..90usize, 0.05f32..1.0),
    ) {
        let vectors = vectors(&seeds);
        let mut index = Index::new(|_| Vec::new());
        let mut plain = BruteForce { memories: (0..60).map(memory).collect(), ..BruteForce::default() };
        let mut there = [false; 60];
        for step in steps {
            match step {
                Step::Put { n, vector } => {
                    let m = &plain.memories[n];
                    index.put(m, Some((MODEL, &vectors[vector])));
                    plain.vectors.insert(m.id, vectors[vector].clone());
                    there[n] = true;
                }
                Step::Rewrite { n, text } => {
                    plain.memories[n].content = format!("text {text}");
                    index.put(&plain.memories[n], None);
                    there[n] = true;
                }
                Step::Supersede { n, by } => {
                    plain.memories[n].superseded_by = Some(plain.memories[by].id);
                    index.put(&plain.memories[n], None);
                    there[n] = true;
                }
                Step::DropVector { n } => {
                    index.drop_vector(plain.memories[n].id);
                    plain.vectors.remove(&plain.memories[n].id);
                }
                Step::Settle => index.settle(),
            }
        }
        prop_assert_eq!(index.len(), there.iter().filter(|t| **t).count());
        let exact = |id: Id| plain.vectors.get(&id).map_or(0.0, |v| cosine(&vectors[query], v));
        // By vectors alone, with and without superseded memories.
        for current in [false, true] {
            let scan = IndexScan::nearest(MODEL, &vectors[query], k);
            let found = index.scan(&scan, &|r, x| (!current || !r.is_superseded()).then_some(x));
            let nearest = plain.nearest(&vectors[query], k, |m| !current || m.superseded_by.is_none());
            let found = rank(found.iter().map(|m| (m.id, exact(m.id))).collect(), k, |(id, x): &(Id, f32)| (*x, *id));
            prop_assert_eq!(found.len(), nearest.len());
            prop_assert!(found.iter().zip(&nearest).all(|(a, b)| a.1 > b.1 - CODE_ERROR), "{:?} {:?}", found, nearest);
        }
        // Words and vectors together, with halved scores of older versions.
        let WordScores { scores: prior, best: top, .. } = index.words(&terms("text 3").iter().map(|t| (t.key, 1.0)).collect::<Vec<_>>(), &|_| true);
        let scan = IndexScan {
            weight, floor: 0.0, prior: &prior, lift: (0.0, 1.0), least: 0.05, k, margin: 0.0, model: MODEL, vector: &vectors[query],
        };
        let halved = |superseded: bool, x: f32| if superseded { x * 0.5 } else { x };
        let fused: Vec<ScanMatch> = index.scan(&scan, &|r, x| Some(halved(r.is_superseded(), x)));
        let says: HashMap<Id, f32> = index.lexical("text 3", 60, &|_| true).into_iter().map(|m| (m.id, m.score)).collect();
        let all = plain.memories.iter().zip(there).filter(|(_, there)| *there).map(|(m, _)| {
            let raw = weight * exact(m.id).max(0.0) + says.get(&m.id).unwrap_or(&0.0);
            (m.id, halved(m.superseded_by.is_some(), raw))
        }).collect();
        let best: Vec<f32> = rank(all, k, |(id, x): &(Id, f32)| (*x, *id)).into_iter().map(|(_, x)| x).filter(|x| *x >= 0.05 + CODE_ERROR).collect();
        prop_assert!(fused.len() >= best.len() && fused.is_sorted_by(|a, b| a.score >= b.score));
        prop_assert!(fused.iter().zip(&best).all(|(m, x)| (m.score - x).abs() < CODE_ERROR), "{:?} {:?}", fused, best);
        prop_assert!(fused.iter().all(|m| m.of(&prior) == *says.get(&m.id).unwrap_or(&0.0)));
        prop_assert!(says.values().all(|x| *x <= top));
        // Vectors of different embedders are never compared.
        prop_assert!(index.scan(&IndexScan::nearest("two", &vectors[query], 10), &|_, x| Some(x)).is_empty());
        // Search by words finds the memories that contain them now, and no others.
        let holds = |text: &str| plain.memories.iter().zip(there).filter(|(m, there)| *there && m.content == text).count();
        for text in ["text 0", "text 4", "text 6"] {
            let last = &text[5..];
            prop_assert_eq!(index.lexical(last, 99, &|_| true).len(), holds(text), "{}", text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn remote_vector_search_matches_a_brute_force_scan(
        seeds in prop::collection::vec(-3.0f32..3.0, 90),
        steps in prop::collection::vec((0..70usize, 0..90usize, 0..10u8), 1..300),
        (k, query, shift, every) in (1..12usize, 0..90usize, 0.0f32..0.02, 1..4usize),
    ) {
        let vectors = vectors(&seeds);
        let all: Vec<Id> = (0..70).map(|n| memory(n).id).collect();
        let mut remote = RemoteVectors::new(WIDTH);
        let mut exact: HashMap<Id, Vec<f32>> = HashMap::new();
        for (n, vector, what) in steps {
            let (id, vector) = (all[n], &vectors[vector]);
            if what == 0 {
                remote.remove(id);
                exact.remove(&id);
            } else {
                remote.put(id, &RemoteVectors::encode(vector));
                exact.insert(id, vector.clone());
            }
        }
        let mut query = vectors[query].clone();
        query[3] += shift;
        let cosines: HashMap<Id, f32> = exact.iter().map(|(id, v)| (*id, cosine(&query, v))).collect();
        let near = remote.cosines(&query);
        prop_assert_eq!(near.len(), exact.len());
        prop_assert!(near.iter().all(|(id, x)| (x - cosines[id]).abs() < CODE_ERROR));
        let wanted = |id: Id| all.iter().position(|other| *other == id).unwrap() % every == 0;
        let nearest = |ids: Vec<Id>| rank(ids.into_iter().map(|id| cosines[&id]).collect(), k, |c| (*c, all[0]));
        let found: Vec<Id> = remote.nearest(&query, k, &wanted).into_iter().map(|m| m.id).collect();
        prop_assert!(found.iter().all(|id| wanted(*id)));
        let (found, best) = (nearest(found), nearest(exact.keys().copied().filter(|id| wanted(*id)).collect()));
        prop_assert!(found.len() == best.len() && found.iter().zip(&best).all(|(a, b)| *a > b - CODE_ERROR), "{:?} {:?}", found, best);
    }
}

#[test]
fn index_takes_at_most_510_bytes_per_memory_without_full_vectors() {
    const FIRMS: [&str; 5] = ["한결약품", "Corran Bay", "이천 창고", "Linden", "오송제약"];
    const STATES: [&str; 5] = ["확정되었습니다", "is approved", "일정이 변경되었습니다", "was moved", "협의 중입니다"];
    let mut index = Index::new(|_| Vec::new());
    let count = 8 * 1_024;
    for n in 0..count {
        let (firm, state) = (FIRMS[n % 5], STATES[n / 5 % 5]);
        let name = format!("k{:x}", n.wrapping_mul(2_654_435_761) % 4_096);
        let text =
            format!("{firm} {name} 예산 review {state}, P-{}, {}만원, {}월 {}일", n % 9_000, n % 900, n % 12, n % 28);
        let now = Time::from_millis(1_000 * n as i64);
        let draft = Draft { thread_id: Some(format!("t{}", n / 4)), ..Draft::new(text) };
        let memory = Memory::from_draft(Ids::new(now, [7; 16]).mint(), draft, now);
        let mut vector = [0.0; 384];
        (0..90).for_each(|i| vector[(n * 31 + i * 17) % 384] = 1.0 / 90f32.sqrt());
        index.put(&memory, Some(("m", &vector)));
    }
    index.settle();
    let each = index.bytes() as f64 / count as f64;
    println!("{each:.0} bytes a memory");
    assert!(each <= 510.0, "{each}");
}

#[test]
fn quantised_cosines_stay_within_the_margin() {
    crate::quantised::quantised_cosines_stay_within_the_margin();
}
