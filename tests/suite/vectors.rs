//! Vectors by a remote embedder: forgetting deletes them, and their tokens are counted.

use crate::embeddings::{Elsewhere, MATTERS, found, has_vector, open, records, tell};
use crate::kit;
use crate::kit::Fake;
use futures::FutureExt;
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{OwnerVerdict, Record, ReviewOptions, Shelf};
use memfold::decision::{Decision, Policy};
use memfold::embed::{HashingEmbedder, Making, Remote, TextKind};
use memfold::engine::{Cancel, Consolidate, Engine, Gone, LogQuery, Options};
use memfold::model::Draft;
use memfold::store::{MemoryStore, Store};
use std::cell::Cell;
use std::rc::Rc;

#[test]
fn forgetting_deletes_vectors_of_all_models() {
    let store = MemoryStore::default();
    let m = open(&store, 1, &Elsewhere::good());
    let gone = tell(&m, MATTERS[0]);
    let newer = Elsewhere { model: "farther", ..Elsewhere::good() };
    tell(&open(&store, 500, &newer), MATTERS[1]);
    tell(&m, MATTERS[2]);
    block_on(open(&store, 700, &newer).reembed(1, Cancel::default())).unwrap();
    assert_eq!(records(&store).iter().filter(|k| k.starts_with(&gone.id.to_string())).count(), 2);
    // A connection without a remote embedder forgets it.
    block_on(kit::real(store.connect(), Policy::FAST, 900).forget(&[gone.id])).unwrap();
    assert!(!has_vector(&store, gone.id));
    assert_eq!(block_on(m.check()).unwrap().problems, []);
    // A vector written by another connection afterwards is reported, and removed on opening.
    block_on(store.keep(vec![Record::put(Shelf::Vectors, format!("{}/late", gone.id), vec![0; 9])])).unwrap();
    assert_eq!(block_on(m.check()).unwrap().problems.len(), 1);
    let m = open(&store, 2_000, &Elsewhere::good());
    assert!(!has_vector(&store, gone.id) && block_on(m.check()).unwrap().problems.is_empty());
}

#[test]
fn a_memory_forgotten_while_embedding_gets_no_vector() {
    let store = MemoryStore::default();
    let plain = kit::real(store.connect(), Policy::FAST, 1);
    let gone = block_on(plain.consolidate(Draft::new(MATTERS[0]), &Consolidate::default())).unwrap().memory.unwrap();
    let meddler = kit::real(store.connect(), Policy::FAST, 500);
    let remote = Elsewhere::new(move |texts| {
        if texts.len() == 1 {
            meddler.forget(&[gone.id]).now_or_never().unwrap().unwrap();
        }
        None
    });
    let m = open(&store, 900, &remote);
    block_on(m.reembed(9, Cancel::default())).unwrap();
    assert_eq!(block_on(m.get(gone.id)).unwrap(), None);
    assert!(records(&store).is_empty());
}

#[test]
fn a_merged_version_is_embedded_by_its_own_text() {
    let store = MemoryStore::default();
    let remote = Elsewhere::good();
    let balanced = kit::real(store.connect(), Policy::BALANCED, 1);
    let m = block_on(balanced.with_embeddings(Rc::new(remote.clone()))).unwrap();
    tell(&m, "Q1 캠페인은 1월 15일에 시작하고 예산은 5000만원이다");
    let new = tell(&m, "Q1 캠페인 예산은 6000만원으로 변경되었다");
    assert_eq!((new.version, new.content.contains("1월 15일")), (2, true), "{}", new.content);
    assert!(has_vector(&store, new.id));
    assert_eq!(remote.asked().last().unwrap(), &[new.content]);
}

#[test]
fn a_version_made_by_a_review_is_embedded_at_once() {
    let store = MemoryStore::default();
    let m = open(&store, 1, &Elsewhere::good());
    let old = tell(&m, "Q1 캠페인은 1월 15일에 시작하고 예산은 5000만원이다");
    let done = block_on(m.consolidate(Draft::new("캠페인 예산은 6000만원"), &Consolidate::default())).unwrap();
    let options = ReviewOptions { target: Some(old.id), ..ReviewOptions::default() };
    let entry = block_on(m.review(done.entry.id, OwnerVerdict::Change(Decision::Update), &options)).unwrap();
    let merged = block_on(m.get(entry.memory_id.unwrap())).unwrap().unwrap();
    assert_eq!((merged.version, merged.content.as_str()), (2, "캠페인 예산은 6000만원"), "the owner's word replaces");
    assert!(has_vector(&store, merged.id));
    assert_eq!(block_on(m.reembed(0, Cancel::default())).unwrap().waiting, 0);
}

/// The same embedder with an origin, so that its tokens count.
#[derive(Debug)]
struct PaidEmbedder(Elsewhere);

impl Remote for PaidEmbedder {
    fn model(&self) -> &str {
        self.0.model()
    }
    fn origin(&self) -> Option<&str> {
        Some("https://e.example")
    }
    fn dimensions(&self) -> Option<usize> {
        None
    }
    fn embed<'a>(&'a self, texts: &'a [&'a str], kind: TextKind) -> Making<'a> {
        self.0.embed(texts, kind)
    }
}

#[test]
fn embedding_tokens_count_and_over_budget_the_built_in_embedder_is_used() {
    let remote = Elsewhere::good();
    let options = Options { daily_tokens: Some(1_000), policy: Policy::FAST, ..Options::default() };
    let m = block_on(Engine::open(MemoryStore::default(), HashingEmbedder, Fake::from(1), options)).unwrap();
    let m = block_on(m.with_embeddings(Rc::new(PaidEmbedder(remote.clone())))).unwrap();
    tell(&m, "The automobile is at the garage");
    let usage = block_on(m.usage()).unwrap();
    // The anchors are one request, the text is another.
    assert!(usage.calls == 2 && (200..1_000).contains(&usage.tokens), "{usage:?}");
    tell(&m, &"무엇이든 ".repeat(400));
    assert_eq!(block_on(m.usage()).unwrap().tokens_left, Some(0));
    let before = remote.asked().len();
    tell(&m, "Choir practice moves to the chapel");
    assert!(!found(&m, "choir").is_empty());
    assert_eq!(block_on(m.reembed(9, Cancel::default())).unwrap().stopped.as_deref(), Some("over_budget"));
    assert_eq!(remote.asked().len(), before);
}

#[test]
fn cancelling_while_embedding_writes_nothing() {
    #[derive(Debug)]
    struct Silent;
    impl Remote for Silent {
        fn model(&self) -> &str {
            "silent"
        }
        fn dimensions(&self) -> Option<usize> {
            None
        }
        fn embed<'a>(&'a self, _: &'a [&'a str], _: TextKind) -> Making<'a> {
            Box::pin(std::future::pending())
        }
    }
    let m = kit::real(MemoryStore::default(), Policy::FAST, 1);
    let m = block_on(m.with_embeddings(Rc::new(Silent))).unwrap();
    let given_up = Cell::new(false);
    let aborted = || given_up.get();
    let gone = || -> Gone<'_> { Box::pin(async { given_up.set(true) }) };
    let how = Consolidate { cancel: Cancel::when(&aborted).or_when(&gone), ..Consolidate::default() };
    assert_eq!(block_on(m.consolidate(Draft::new("x"), &how)).unwrap_err().code, Code::Aborted);
    assert!(block_on(m.log(&LogQuery::default())).unwrap().is_empty());
}

#[test]
fn a_dry_run_stores_no_vector_and_embeds_no_text_twice() {
    let store = MemoryStore::default();
    let remote = Elsewhere::good();
    let m = open(&store, 1, &remote);
    tell(&m, MATTERS[0]);
    let copy = block_on(m.rehearsal()).unwrap();
    tell(&copy, MATTERS[1]);
    assert_eq!(records(&store).len(), 1);
    tell(&m, MATTERS[1]);
    assert_eq!((records(&store).len(), remote.asked().len()), (2, 2));
}

#[test]
fn personal_data_is_masked_for_embedders() {
    let remote = Elsewhere::good();
    let options = Options { mask: true, ..Options::default() };
    let m = block_on(Engine::open(MemoryStore::default(), HashingEmbedder, Fake::from(1), options)).unwrap();
    let m = block_on(m.with_embeddings(Rc::new(remote.clone()))).unwrap();
    tell(&m, "Call Priya at 010-2345-6789 or priya@home.example");
    let masked = "Call Priya at [PHONE_1] or [EMAIL_1]";
    assert_eq!(remote.asked(), [[masked]]);
    let sent = block_on(m.sent(Some(1))).unwrap().remove(0);
    assert_eq!((sent.purpose.as_str(), sent.outcome.as_str(), sent.to), ("embeddings", "answered", None));
    assert_eq!(sent.texts, [masked]);
}

#[test]
fn re_embedding_without_an_embedder_is_rejected() {
    let m = kit::real(MemoryStore::default(), Policy::FAST, 1);
    assert_eq!(block_on(m.reembed(1, Cancel::default())).unwrap_err().code, Code::InvalidInput);
}
