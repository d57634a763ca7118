//! An embedder of the host: its vectors are used where there are any, the built-in ones where it
//! fails.

use crate::kit;
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::Shelf;
use memfold::decision::{Decision, Policy};
use memfold::embed::{
    Embedder, HashingEmbedder, Making, Remote, TextKind, Unmade, anchors, calibrated, measured, sound,
};
use memfold::engine::{Cancel, Consolidate, Engine, Gone, IngestOptions, LogQuery, SearchOptions};
use memfold::mail::HostCharset;
use memfold::model::{Category, Draft, Id, Memory};
use memfold::similarity::{cosine, rank};
use memfold::store::{MemoryStore, Store};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::ready;
use std::rc::Rc;

pub type Memories = Engine;
type Answer = Result<Vec<Vec<f32>>, Unmade>;
type Fault = dyn Fn(&[String]) -> Option<Answer>;

/// A fake embedder that knows synonyms, can be made to fail, and records its requests.
#[derive(Clone)]
pub struct Elsewhere {
    pub model: &'static str,
    pub dimensions: Option<usize>,
    pub fault: Rc<Fault>,
    pub asked: Rc<RefCell<Vec<Vec<String>>>>,
    /// Each requested text with its kind.
    pub kinds: Rc<RefCell<Vec<(String, TextKind)>>>,
    pub is_local: bool,
}

impl fmt::Debug for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.model)
    }
}

fn synonym_vector(text: &str) -> Vec<f32> {
    let mut vector = HashingEmbedder.vector(&text.replace("automobile", "car").replace("붕붕이", "car"));
    vector.extend([0.0; 16]);
    vector.iter().map(|x| x * 3.0).collect()
}

impl Elsewhere {
    pub fn new(fault: impl Fn(&[String]) -> Option<Answer> + 'static) -> Self {
        Self {
            model: "far",
            dimensions: None,
            fault: Rc::new(fault),
            asked: Rc::default(),
            kinds: Rc::default(),
            is_local: false,
        }
    }

    pub fn good() -> Self {
        Self::new(|_| None)
    }

    /// The requests, without those for the calibration anchors.
    pub fn asked(&self) -> Vec<Vec<String>> {
        self.asked.borrow().iter().filter(|texts| texts.len() != 28).cloned().collect()
    }
}

impl Remote for Elsewhere {
    fn model(&self) -> &str {
        self.model
    }
    fn is_local(&self) -> bool {
        self.is_local
    }
    fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }
    fn embed<'a>(&'a self, texts: &'a [&'a str], kind: TextKind) -> Making<'a> {
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        self.kinds.borrow_mut().extend(texts.iter().map(|text| (text.clone(), kind)));
        self.asked.borrow_mut().push(texts.clone());
        let answer = (self.fault)(&texts).unwrap_or_else(|| Ok(texts.iter().map(|t| synonym_vector(t)).collect()));
        Box::pin(ready(answer))
    }
}

pub fn open(store: &MemoryStore, from: u64, remote: &Elsewhere) -> Memories {
    let plain = kit::real(store.connect(), Policy::FAST, from);
    block_on(plain.with_embeddings(Rc::new(remote.clone()))).unwrap()
}

pub fn tell(m: &Memories, content: &str) -> Memory {
    block_on(m.consolidate(Draft::new(content), &Consolidate::default())).unwrap().memory.unwrap()
}

/// The keys of all vectors.
pub fn records(store: &MemoryStore) -> Vec<String> {
    block_on(store.records(Shelf::Vectors, None, 10_000)).unwrap().into_iter().map(|(key, _)| key).collect()
}

pub fn has_vector(store: &MemoryStore, id: Id) -> bool {
    records(store).iter().any(|key| key.starts_with(&id.to_string()))
}

pub fn found(m: &Memories, text: &str) -> Vec<String> {
    let hits = block_on(m.search(text, &SearchOptions::default())).unwrap();
    hits.into_iter().map(|h| h.memory.content).collect()
}

/// A pseudo-random text that is unrelated to those of other numbers.
pub fn random_text(n: u64) -> String {
    let mut dice = n;
    let mut letter = || {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + ((dice >> 40) % 26) as u8)
    };
    (0..21).map(|at| if at % 7 == 6 { ' ' } else { letter() }).collect()
}

/// A number as symbols without letters or digits, which the built-in embedder ignores.
fn symbols_of(n: usize) -> String {
    n.to_string().bytes().map(|digit| char::from_u32(0x2600 + u32::from(digit - b'0')).unwrap()).collect()
}

/// `count` vectors, many of them equal, or closer to each other than one quantisation step.
fn clustered_vectors(count: usize) -> Vec<Vec<f32>> {
    let mut state = 7u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    let mut made: Vec<Vec<f32>> = Vec::new();
    for n in 0..count {
        let v: Vec<f32> = match n % 4 {
            0 => (0..400).map(|i| next() + if i % 7 == n % 3 { 1.5 } else { 0.0 }).collect(),
            3 if n % 8 == 3 => made[n - 1].clone(),
            _ => made[n - 1].iter().map(|x| x + 1e-3 * next()).collect(),
        };
        made.push(v);
    }
    made
}

/// An embedder that returns these vectors for their names.
fn embedder_of(vectors: Rc<Vec<Vec<f32>>>) -> Elsewhere {
    Elsewhere::new(move |texts| {
        let of = |text: &String| (0..vectors.len()).find(|n| symbols_of(*n) == *text).map(|n| vectors[n].clone());
        Some(Ok(texts.iter().map(|text| of(text).unwrap_or_else(|| synonym_vector(text))).collect()))
    })
}

pub const MATTERS: [&str; 5] = [
    "The automobile is at the garage",
    "Choir practice moves to the chapel",
    "고양이 예방접종을 예약했다",
    "The roof invoice is unpaid",
    "분기 보고서 초안을 보냈다",
];

#[test]
fn synonyms_are_found_without_a_common_word() {
    let store = MemoryStore::default();
    let remote = Elsewhere::good();
    let m = open(&store, 1, &remote);
    for matter in MATTERS {
        tell(&m, matter);
    }
    assert_eq!(found(&m, "붕붕이")[0], MATTERS[0]);
    let plain = kit::real(store.connect(), Policy::FAST, 900);
    assert!(block_on(plain.search("붕붕이", &SearchOptions::default())).unwrap().is_empty());
    // This embedder scores a paraphrase as a duplicate, on the calibrated scale.
    let again = Draft::new("The car is at the garage");
    let entry = block_on(m.consolidate(again, &Consolidate { dry_run: true, ..Default::default() })).unwrap().entry;
    assert_eq!((entry.decision, entry.similarity.unwrap().score > 0.95), (Decision::Skip, true));
}

#[test]
fn embedder_gets_query_and_document_kinds() {
    let store = MemoryStore::default();
    let plain = kit::real(store.connect(), Policy::FAST, 1);
    tell(&plain, MATTERS[0]);
    let remote = Elsewhere::good();
    let m = open(&store, 900, &remote);
    block_on(m.reembed(9, Cancel::default())).unwrap();
    tell(&m, MATTERS[1]);
    // The same text is embedded as a query, then as a document.
    found(&m, MATTERS[4]);
    tell(&m, MATTERS[4]);
    let dry = Consolidate { dry_run: true, ..Default::default() };
    block_on(m.consolidate(Draft::new(MATTERS[3]), &dry)).unwrap();
    let kinds = remote.kinds.borrow();
    let of = |text: &str| kinds.iter().filter(|(t, _)| t == text).map(|(_, kind)| *kind).collect::<Vec<_>>();
    let (query, document) = (TextKind::Query, TextKind::Document);
    assert_eq!([0, 1, 3].map(|n| of(MATTERS[n])), [[document], [document], [document]]);
    assert_eq!(of(MATTERS[4]), [query, document]);
    assert_eq!(of(anchors()[0]), [document]);
}

/// An embedder whose model needs a prefix before each text.
#[derive(Debug)]
struct Prefixed(Elsewhere);

impl Remote for Prefixed {
    fn model(&self) -> &str {
        self.0.model()
    }
    fn dimensions(&self) -> Option<usize> {
        None
    }
    fn prefix(&self, kind: TextKind) -> &'static str {
        if kind == TextKind::Query { "query: " } else { "passage: " }
    }
    fn embed<'a>(&'a self, texts: &'a [&'a str], kind: TextKind) -> Making<'a> {
        self.0.embed(texts, kind)
    }
}

#[test]
fn texts_are_sent_and_logged_with_their_prefix() {
    let store = MemoryStore::default();
    let m = open(&store, 1, &Elsewhere::good());
    tell(&m, MATTERS[0]);
    let remote = Elsewhere::good();
    let plain = kit::real(store.connect(), Policy::FAST, 900);
    let m = block_on(plain.with_embeddings(Rc::new(Prefixed(remote.clone())))).unwrap();
    found(&m, "붕붕이");
    assert_eq!(remote.asked().last().unwrap(), &["query: 붕붕이"]);
    assert_eq!(block_on(m.sent(Some(1))).unwrap()[0].texts, ["query: 붕붕이"]);
}

#[test]
fn sent_log_lists_only_failures_of_a_local_embedder_without_texts() {
    let fails = |texts: &[String]| texts.iter().any(|t| t == "trouble").then(|| Err(Unmade::new("timeout")));
    let remote = Elsewhere { is_local: true, ..Elsewhere::new(fails) };
    let m = open(&MemoryStore::default(), 1, &remote);
    tell(&m, MATTERS[0]);
    found(&m, "붕붕이");
    assert!(!remote.asked().is_empty());
    assert_eq!(block_on(m.sent(None)).unwrap(), []);
    found(&m, "trouble");
    let sent = block_on(m.sent(None)).unwrap();
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].outcome.as_str(), sent[0].texts.len(), sent[0].bytes), ("timeout", 0, 0));
}

#[test]
fn search_and_decisions_match_a_scan_of_all_vectors() {
    const COUNT: usize = 90;
    let store = MemoryStore::default();
    let given = Rc::new(clustered_vectors(COUNT + 10));
    let plain = kit::real(store.connect(), Policy::FAST, 1);
    let told: Vec<Id> = (0..COUNT).map(|n| tell(&plain, &symbols_of(n)).id).collect();
    let remote = embedder_of(given.clone());
    let vectors = sound(given.to_vec(), COUNT + 10, None).unwrap();
    assert_eq!(block_on(open(&store, 900, &remote).reembed(1_000, Cancel::default())).unwrap().embedded, COUNT as u32);
    let levels: Vec<Vec<f32>> = anchors().into_iter().map(synonym_vector).collect();
    let scale = calibrated(measured(&sound(levels, 28, None).unwrap()).unwrap());
    let m = open(&store, 2_000, &remote);
    for query in COUNT - 6..COUNT + 10 {
        let nearness = |id: Id| {
            let n = told.iter().position(|other| *other == id).unwrap();
            scale.apply(cosine(&vectors[query], &vectors[n]))
        };
        let search = |k| {
            let limits = SearchOptions { limit: Some(k), category: Some(Category::Misc), ..SearchOptions::default() };
            let hits = block_on(m.search(&symbols_of(query), &limits)).unwrap();
            assert!(hits.is_sorted_by(|a, b| a.score >= b.score), "{query}");
            hits.into_iter().map(|h| h.memory.id).collect::<Vec<Id>>()
        };
        // The order is that of the whole vectors, up to what similar spelling adds.
        let all = search(30);
        assert!(query >= COUNT || !all.is_empty());
        let ordered = |a: &Id, b: &Id| nearness(*a) + 0.03 >= nearness(*b);
        assert!(all.is_sorted_by(ordered), "{query}");
        let left = told.iter().filter(|id| !all.contains(id));
        assert!(left.clone().all(|id| all.last().is_none_or(|last| ordered(last, id))), "{query}");
        for k in [1, 10, 15] {
            assert_eq!(search(k), all[..k.min(all.len() as u32) as usize], "{query}");
        }
        let dry = Consolidate { dry_run: true, ..Default::default() };
        let entry = block_on(m.consolidate(Draft::new(symbols_of(query)), &dry)).unwrap().entry;
        let best = rank(told.clone(), 1, |id| (nearness(*id), *id))[0];
        assert!((entry.similarity.unwrap().factors.content - nearness(best)).abs() < 0.03);
    }
}

#[test]
fn drafts_of_a_mail_are_embedded_in_one_call_and_a_redelivery_in_none() {
    let store = MemoryStore::default();
    let remote = Elsewhere::good();
    let balanced = kit::real(store.connect(), Policy::BALANCED, 1);
    let m = block_on(balanced.with_embeddings(Rc::new(remote.clone()))).unwrap();
    let mail = "From 1@x Tue Mar 04 00:20:13 +0000 2025\nFrom: Kim <kim@a.example>\nTo: me@b.example\nSubject: Harbour\n\
        Date: Tue, 4 Mar 2025 09:00:00 +0900\nMessage-ID: <1@a.example>\nContent-Type: text/plain; charset=utf-8\n\n\
        The review of the harbour project is on 20 March at 3 pm in room 4.\n\nPlease send the report by 18 March.\n\n\
        The budget is set at 60,000 euros.\n";
    for delivery in 0..2 {
        let mut intake = m.intake(IngestOptions::default());
        let mut pieces = intake.push(mail.as_bytes());
        pieces.extend(intake.finish());
        for piece in pieces {
            block_on(m.ingest_all(&mut intake, vec![piece], &HostCharset, Cancel::default())).unwrap();
        }
        assert!(intake.report().drafts >= 2, "{:?}", intake.report());
        assert_eq!(remote.asked().len(), 1, "delivery {delivery}");
        assert_eq!(remote.asked()[0].len() as u32, intake.report().drafts);
    }
    let all = block_on(m.list(None, 99, true)).unwrap();
    assert!(all.iter().all(|m| has_vector(&store, m.id)));
}

#[test]
fn failing_embedder_loses_no_memory_and_changes_no_decision() {
    let faults: Vec<(&str, Elsewhere)> = vec![
        ("timeout", Elsewhere::new(|_| Some(Err(Unmade::new("timeout"))))),
        ("indistinct", Elsewhere::new(|t| Some(Ok(vec![vec![1.0, 1.0]; t.len()])))),
        ("malformed", Elsewhere::new(|t| Some(Ok(vec![vec![f32::NAN, 1.0]; t.len()])))),
        ("malformed", Elsewhere::new(|t| Some(Ok(vec![vec![0.0, 0.0]; t.len()])))),
        ("malformed", Elsewhere::new(|t| Some(Ok(vec![vec![1.0, 0.0]; t.len() - 1])))),
        ("malformed", Elsewhere::new(|_| Some(Ok(Vec::new())))),
        ("wrong_dimension", Elsewhere::new(|t| Some(Ok((0..t.len()).map(|n| vec![1.0; n + 1]).collect())))),
        ("wrong_dimension", Elsewhere { dimensions: Some(384), ..Elsewhere::good() }),
    ];
    let said = ["Rent is 800 euros", "Rent is now 860 euros", "Choir on Friday", "Rent is now 860 euros"];
    let plain = kit::real(MemoryStore::default(), Policy::FAST, 1);
    let decisions = |m: &Memories| -> Vec<_> {
        said.map(|s| block_on(m.consolidate(Draft::new(s), &Consolidate::default())).unwrap().entry.decision).into()
    };
    let expected = decisions(&plain);
    for (code, remote) in faults {
        let store = MemoryStore::default();
        let m = open(&store, 1, &remote);
        assert_eq!(decisions(&m), expected, "{code}");
        assert_eq!(block_on(m.log(&LogQuery::default())).unwrap().len(), said.len(), "{code}");
        assert!(records(&store).is_empty(), "{code}");
        let report = block_on(m.reembed(9, Cancel::default())).unwrap();
        assert_eq!((report.stopped.as_deref(), report.embedded), (Some(code), 0));
        assert!(report.waiting > 0 && !found(&m, "rent").is_empty(), "{code}");
        assert_eq!(block_on(m.check()).unwrap().problems, []);
        // Once the embedder answers, the missing vectors are made.
        let m = open(&store, 900, &Elsewhere::good());
        let report = block_on(m.reembed(9, Cancel::default())).unwrap();
        assert_eq!((report.stopped, report.waiting, report.dimensions), (None, 0, Some(400)), "{code}");
    }
}

#[test]
fn re_embedding_resumes_after_a_failure_or_abort() {
    let store = MemoryStore::default();
    let plain = kit::real(store.connect(), Policy::FAST, 1);
    let matters: Vec<String> = (0..150).map(random_text).collect();
    for matter in &matters {
        block_on(plain.consolidate(Draft::new(matter), &Consolidate::default())).unwrap();
    }
    let calls = Rc::new(Cell::new(0));
    let counted = calls.clone();
    let failing = Elsewhere::new(move |_| {
        counted.set(counted.get() + 1);
        (counted.get() > 2).then(|| Err(Unmade::new("unreachable")))
    });
    let m = open(&store, 9_000, &failing);
    let told = block_on(m.reembed(0, Cancel::default())).unwrap();
    assert_eq!((told.waiting, told.embedded, calls.get()), (150, 0, 0));
    // The anchors and 64 texts succeed, then the embedder fails.
    let first = block_on(m.reembed(1_000, Cancel::default())).unwrap();
    assert_eq!((first.embedded, first.waiting, first.stopped.as_deref()), (64, 86, Some("unreachable")));
    let good = Elsewhere::good();
    let m = open(&store, 20_000, &good);
    let second = block_on(m.reembed(20, Cancel::default())).unwrap();
    assert_eq!((second.embedded, second.waiting, second.stopped), (20, 66, None));
    let aborted = || true;
    let gone = || -> Gone<'_> { Box::pin(ready(())) };
    let given_up = block_on(m.reembed(1_000, Cancel::when(&aborted).or_when(&gone)));
    assert_eq!(given_up.unwrap_err().code, Code::Aborted);
    // A tab that was opened earlier does not request the vectors made meanwhile.
    let idle = Elsewhere::good();
    let other = open(&store, 30_000, &idle);
    assert_eq!(block_on(m.reembed(1_000, Cancel::default())).unwrap().waiting, 0);
    assert_eq!(block_on(other.reembed(1_000, Cancel::default())).unwrap().embedded, 0);
    assert!(idle.asked.borrow().is_empty());
    let asked: Vec<String> = good.asked().into_iter().flatten().collect();
    assert_eq!((asked.len(), good.asked.borrow().len()), (86, 3), "the anchors are measured once and kept");
    assert_eq!(records(&store).len(), 150);
}

#[test]
fn new_model_takes_over_once_all_its_vectors_are_made() {
    let store = MemoryStore::default();
    let old = open(&store, 1, &Elsewhere::good());
    for matter in MATTERS {
        tell(&old, matter);
    }
    let newer = Elsewhere { model: "farther", ..Elsewhere::good() };
    let m = open(&store, 900, &newer);
    assert_eq!(found(&m, "choir practice")[0], MATTERS[1]);
    assert_eq!(block_on(m.reembed(2, Cancel::default())).unwrap().waiting, 3);
    assert_eq!(records(&store).len(), 7);
    for matter in MATTERS {
        assert_eq!(found(&m, matter)[0], matter);
    }
    // The old model's vectors are used again if the user switches back.
    let back = Elsewhere::good();
    assert_eq!(block_on(open(&store, 1_800, &back).reembed(9, Cancel::default())).unwrap().embedded, 0);
    assert!(back.asked.borrow().is_empty() && records(&store).len() == 5, "what it had was whole");
    let m = open(&store, 2_700, &newer);
    assert_eq!(block_on(m.reembed(9, Cancel::default())).unwrap().waiting, 0);
    assert_eq!((records(&store).len(), found(&m, "붕붕이")[0].as_str()), (5, MATTERS[0]));
}

#[test]
fn refused_text_uses_the_built_in_embedder_and_blocks_no_other() {
    let store = MemoryStore::default();
    let plain = kit::real(store.connect(), Policy::FAST, 1);
    for n in 0..40 {
        let content = if n == 17 { "poison".to_owned() } else { random_text(n) };
        block_on(plain.consolidate(Draft::new(content), &Consolidate::default())).unwrap();
    }
    let remote = Elsewhere::new(|t| t.contains(&"poison".to_owned()).then(|| Err(Unmade::new("rejected"))));
    let m = open(&store, 9_000, &remote);
    let report = block_on(m.reembed(1_000, Cancel::default())).unwrap();
    assert_eq!((report.embedded, report.waiting, report.failed, report.stopped), (39, 1, 1, None));
    assert!(remote.asked().len() < 20, "{} calls", remote.asked().len());
    assert_eq!(found(&m, "poison")[0], "poison");
    let calls = remote.asked().len();
    assert_eq!(block_on(m.reembed(1_000, Cancel::default())).unwrap().waiting, 1);
    assert_eq!(remote.asked().len(), calls);
}

fn likeness(a: &str, b: &str) -> f32 {
    cosine(&HashingEmbedder.vector(a), &HashingEmbedder.vector(b))
}

#[test]
fn built_in_vectors_have_length_one_or_zero() {
    for text in ["Q1 마케팅 예산", "budget", "가", "7"] {
        let v = HashingEmbedder.vector(text);
        assert!((cosine(&v, &v) - 1.0).abs() < 1e-5, "{text}");
    }
    assert!(HashingEmbedder.vector(" … 🎉").iter().all(|x| *x == 0.0));
}

#[test]
fn spacing_particles_and_unicode_forms_hardly_change_a_built_in_vector() {
    assert!(likeness("마케팅캠페인 예산", "마케팅 캠페인 예산") > 0.75);
    assert!(likeness("마케팅 캠페인의 예산을", "마케팅 캠페인 예산은") > 0.7);
    assert!(likeness("마케팅 캠페인 예산", "유치원 학부모 상담") < 0.2);
    assert!(likeness("\u{1112}\u{1161}\u{11AB}글 예산", "한글 예산") > 0.999);
    assert!(likeness("Ｑ１ budget", "Q1 budget") > 0.999);
}

#[test]
fn embedder_is_calibrated_and_an_indistinct_one_refused() {
    let vectors: Vec<Vec<f32>> = anchors().into_iter().map(|t| HashingEmbedder.vector(t)).collect();
    let levels = measured(&vectors).unwrap();
    assert!(levels.windows(2).all(|w| w[0] < w[1]), "{levels:?}");
    let map = calibrated(levels);
    for (cosine, factor) in levels.into_iter().zip([0.30, 0.74, 0.86, 0.96]) {
        assert!((map.apply(cosine) - factor).abs() < 1e-3, "{cosine} → {}", map.apply(cosine));
    }
    let same = vec![vec![1.0, 0.0]; vectors.len()];
    assert_eq!(measured(&same), Err(Unmade::new("indistinct")));
    assert_eq!(measured(&[]), Err(Unmade::new("indistinct")));
    // Levels that do not rise still give a rising map.
    let map = calibrated([0.9, 0.7, 0.99, 0.98]);
    let mut last = 0.0;
    for n in 0..=100u8 {
        let now = map.apply(f32::from(n) / 100.0);
        assert!((last..=1.0).contains(&now), "{n}");
        last = now;
    }
    assert_eq!((map.apply(1.0), map.apply(-1.0)), (1.0, 0.0));
}
