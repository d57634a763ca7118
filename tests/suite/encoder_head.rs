//! An embedder with a head that classifies pairs: when it is asked, what its answer changes, and
//! what happens to invalid answers.

use crate::kit::{self, Fake};
use futures::executor::block_on;
use memfold::Code;
use memfold::analysis::Outcome;
use memfold::decision::{Bands, Decision, Policy, Reason};
use memfold::embed::{Embedder, HashingEmbedder, Judging, Making, Remote, TextKind, TextPair, Unmade};
use memfold::engine::{
    Cancel, Comparison, Consolidate, Engine, Gone, LogQuery, Options, Receipt, compare, compare_judged,
};
use memfold::model::Draft;
use memfold::store::MemoryStore;
use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn, ready};
use std::rc::Rc;
use std::task::Poll;

type Memories = Engine;
type Pairs = Vec<(String, String, bool)>;
type Answer = Result<Vec<f32>, Unmade>;
type Script = dyn Fn(&Pairs) -> Option<Answer>;

const LIKELY: f32 = -0.02;
const UNLIKELY: f32 = -7.0;

/// The same log-probabilities for every pair, with this outcome the likely one.
fn always(outcome: Outcome) -> impl Fn(&Pairs) -> Option<Answer> {
    let one = [Outcome::Skip, Outcome::Update, Outcome::CreateAndLink, Outcome::Create]
        .map(|o| if o == outcome { LIKELY } else { UNLIKELY });
    move |pairs| Some(Ok(one.repeat(pairs.len())))
}

/// The built-in embedder with a scripted head, which may never answer and records its requests.
#[derive(Clone)]
struct ScriptedHead {
    script: Rc<Script>,
    asked: Rc<RefCell<Vec<Pairs>>>,
}

impl ScriptedHead {
    fn new(script: impl Fn(&Pairs) -> Option<Answer> + 'static) -> Self {
        Self { script: Rc::new(script), asked: Rc::default() }
    }

    fn asked(&self) -> Vec<Pairs> {
        self.asked.borrow().clone()
    }
}

impl std::fmt::Debug for ScriptedHead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("head")
    }
}

impl Remote for ScriptedHead {
    fn model(&self) -> &str {
        "head"
    }
    fn dimensions(&self) -> Option<usize> {
        None
    }
    fn embed<'a>(&'a self, texts: &'a [&'a str], _: TextKind) -> Making<'a> {
        Box::pin(ready(Ok(texts.iter().map(|t| HashingEmbedder.vector(t)).collect())))
    }
    fn judges(&self) -> bool {
        true
    }
    fn judge<'a>(&'a self, pairs: &'a [TextPair<'a>]) -> Judging<'a> {
        let pairs: Pairs = pairs.iter().map(|p| (p.stored.to_owned(), p.new.to_owned(), p.is_one_thread)).collect();
        self.asked.borrow_mut().push(pairs.clone());
        match (self.script)(&pairs) {
            Some(answer) => Box::pin(ready(answer)),
            None => Box::pin(pending()),
        }
    }
}

fn open(store: &MemoryStore, from: u64, head: &ScriptedHead) -> Memories {
    let plain = kit::real(store.connect(), Policy::BALANCED, from);
    block_on(plain.with_embeddings(Rc::new(head.clone()))).unwrap()
}

fn draft_in_thread(subject: &str, thread: &str, content: &str) -> Draft {
    Draft { subject: Some(subject.to_owned()), thread_id: Some(thread.to_owned()), ..Draft::new(content) }
}

fn tell(m: &Memories, draft: Draft) -> Receipt {
    block_on(m.consolidate(draft, &Consolidate::default())).unwrap()
}

const CHOIR: [&str; 2] = ["The choir rehearses on Tuesdays at seven.", "We now meet Wednesdays, same hour."];
const BUDGET: [&str; 2] = ["Budget: the project has 50 million won", "예산이 6천만 원으로 늘었습니다"];
const QUARTERS: [&str; 2] = ["Q1 마케팅 예산은 5000만원이다", "Q2 마케팅 예산은 6000만원이다"];

/// Decides about the second text in an engine that stores the first, with this head or without one.
fn decide_second([stored, new]: [&str; 2], head: Option<&ScriptedHead>) -> (Memories, Receipt) {
    let store = MemoryStore::default();
    tell(&kit::real(store.connect(), Policy::BALANCED, 1), Draft::new(stored));
    let m = match head {
        Some(head) => open(&store, 100, head),
        None => kit::real(store.connect(), Policy::BALANCED, 100),
    };
    let receipt = tell(&m, Draft::new(new));
    (m, receipt)
}

fn feature_reasons(receipt: &Receipt) -> Vec<(&str, Option<&str>)> {
    let mut found = Vec::new();
    for reason in &receipt.entry.reasons {
        if let Reason::Feature(f) = reason {
            found.push((f.code.as_str(), f.evidence.as_deref()));
        }
    }
    found
}

#[test]
fn head_is_asked_once_about_the_three_best_unsure_pairs() {
    let store = MemoryStore::default();
    let apart = Policy { bands: Bands { skip: 1.0, update: 1.0, link: 1.0 }, ..Policy::FAST };
    let plain = kit::real(store.connect(), apart, 1);
    for (n, day) in ["Mondays", "Tuesdays", "Thursdays", "Fridays", "Sundays"].into_iter().enumerate() {
        tell(&plain, draft_in_thread("Choir", &format!("t{n}"), &format!("The choir rehearses on {day} at seven.")));
    }
    let head = ScriptedHead::new(always(Outcome::CreateAndLink));
    tell(&open(&store, 100, &head), draft_in_thread("Choir", "t1", CHOIR[1]));
    let asked = head.asked();
    assert_eq!(asked.iter().map(Vec::len).collect::<Vec<_>>(), [3], "{asked:?}");
    assert!(
        asked[0]
            .iter()
            .all(|(stored, new, _)| stored.starts_with("Choir: The choir") && *new == format!("Choir: {}", CHOIR[1]))
    );
    let of_thread: Vec<&str> = asked[0].iter().filter(|p| p.2).map(|p| p.0.as_str()).collect();
    assert_eq!(of_thread, ["Choir: The choir rehearses on Tuesdays at seven."]);
}

#[test]
fn head_is_not_asked_when_the_trees_are_sure() {
    let head = ScriptedHead::new(always(Outcome::Update));
    let (_, same) = decide_second([CHOIR[0], CHOIR[0]], Some(&head));
    let (_, other) =
        decide_second(["The kitchen tiles cost 1,200 euros.", "The tiler wants 1,450 for the job."], Some(&head));
    assert_eq!((same.entry.decision, other.entry.decision), (Decision::Skip, Decision::Create));
    assert!(head.asked().is_empty(), "{:?}", head.asked());
}

#[test]
fn trees_and_head_decide_together_and_the_entry_names_both() {
    let (_, update) = decide_second(CHOIR, Some(&ScriptedHead::new(always(Outcome::Update))));
    let (_, create) = decide_second(CHOIR, Some(&ScriptedHead::new(always(Outcome::Create))));
    let (_, link) = decide_second(CHOIR, Some(&ScriptedHead::new(always(Outcome::CreateAndLink))));
    let decisions = [&update, &create, &link].map(|r| r.entry.decision);
    assert_eq!(decisions, [Decision::Update, Decision::Create, Decision::CreateAndLink]);
    assert_eq!(feature_reasons(&update)[0], ("encoder", Some("trees UPDATE .59, encoder UPDATE .99")));
    assert_eq!(feature_reasons(&create)[0], ("encoder", Some("trees UPDATE .59, encoder CREATE .99")));
    assert!(update.entry.confidence > decide_second(CHOIR, None).1.entry.confidence);
}

#[test]
fn rule_overrides_trees_and_head() {
    let head = ScriptedHead::new(always(Outcome::Update));
    let (_, alone) = decide_second(QUARTERS, None);
    let (_, receipt) = decide_second(QUARTERS, Some(&head));
    assert_eq!(head.asked().len(), 1);
    assert_eq!((alone.entry.decision, receipt.entry.decision), (Decision::CreateAndLink, Decision::CreateAndLink));
    assert_eq!(feature_reasons(&receipt)[0].0, "other_instance");
}

#[test]
fn invalid_head_answer_is_logged_and_changes_nothing() {
    let (_, alone) = decide_second(CHOIR, None);
    let answers: [(Answer, &str); 4] = [
        (Ok(vec![0.0; 3]), "malformed"),
        (Ok(vec![0.0; 8]), "malformed"),
        (Ok(vec![f32::NAN, 0.0, 0.0, 0.0]), "malformed"),
        (Err(Unmade::new("timeout")), "timeout"),
    ];
    for (answer, code) in answers {
        let head = ScriptedHead::new(move |_| Some(answer.clone()));
        let (m, receipt) = decide_second(CHOIR, Some(&head));
        let told = |r: &Receipt| (r.entry.decision, r.entry.confidence, r.entry.reasons.clone());
        assert_eq!(told(&receipt), told(&alone), "{code}");
        let sent = block_on(m.sent(None)).unwrap();
        let noted: Vec<_> = sent.iter().filter(|s| s.purpose == "judgements").collect();
        assert_eq!(noted.iter().map(|s| s.outcome.as_str()).collect::<Vec<_>>(), [code]);
        assert_eq!(noted[0].texts, CHOIR);
        assert_eq!(head.asked().len(), 1);
    }
}

#[test]
fn abort_while_the_head_runs_writes_nothing() {
    let store = MemoryStore::default();
    let head = ScriptedHead::new(|_| None);
    let m = open(&store, 1, &head);
    tell(&m, Draft::new(CHOIR[0]));
    let given_up = Cell::new(false);
    let aborted = || given_up.get();
    let gone = || -> Gone<'_> {
        Box::pin(poll_fn(|cx| {
            given_up.set(!head.asked().is_empty());
            cx.waker().wake_by_ref();
            if given_up.get() { Poll::Ready(()) } else { Poll::Pending }
        }))
    };
    let how = Consolidate { cancel: Cancel::when(&aborted).or_when(&gone), ..Consolidate::default() };
    assert_eq!(block_on(m.consolidate(Draft::new(CHOIR[1]), &how)).unwrap_err().code, Code::Aborted);
    assert_eq!(block_on(m.log(&LogQuery::default())).unwrap().len(), 1);
}

#[test]
fn head_answer_is_reused_by_dry_run_real_run_and_replay() {
    let store = MemoryStore::default();
    let head = ScriptedHead::new(always(Outcome::Update));
    let m = open(&store, 1, &head);
    tell(&m, Draft::new(CHOIR[0]));
    let how = |dry_run| Consolidate { key: Some("k".to_owned()), dry_run, ..Consolidate::default() };
    let dry = block_on(m.consolidate(Draft::new(CHOIR[1]), &how(true))).unwrap().entry;
    let done = block_on(m.consolidate(Draft::new(CHOIR[1]), &how(false))).unwrap();
    let again = block_on(m.consolidate(Draft::new(CHOIR[1]), &how(false))).unwrap();
    assert_eq!((dry.decision, dry.confidence), (done.entry.decision, done.entry.confidence));
    assert!(again.replayed && again.entry.id == done.entry.id);
    assert_eq!(head.asked().len(), 1);
}

#[test]
fn compare_judged_asks_the_head() {
    let compared = |[a, b]: [&str; 2], head: &ScriptedHead| {
        block_on(compare_judged(&Draft::new(a), &Draft::new(b), &Policy::BALANCED, Some(head))).unwrap()
    };
    let alone = |[a, b]: [&str; 2]| compare(&Draft::new(a), &Draft::new(b), &Policy::BALANCED).unwrap();
    let head = ScriptedHead::new(always(Outcome::Update));
    let judged: Comparison = compared(CHOIR, &head);
    assert_eq!(head.asked(), [[(CHOIR[0].to_owned(), CHOIR[1].to_owned(), false)]]);
    assert_eq!((judged.outcome, judged.key_factors[0].code.as_str()), (Decision::Update, "encoder"));
    assert!(judged.confidence > alone(CHOIR).confidence);
    assert_eq!(compared([CHOIR[0], CHOIR[0]], &head), alone([CHOIR[0], CHOIR[0]]));
    assert_eq!(head.asked().len(), 1);
    assert_eq!(compared(CHOIR, &ScriptedHead::new(|_| Some(Err(Unmade::new("failed"))))), alone(CHOIR));
}

#[test]
fn personal_data_is_masked_for_the_head() {
    let (store, head) = (MemoryStore::default(), ScriptedHead::new(always(Outcome::Update)));
    let options = Options { mask: true, ..Options::default() };
    let m = block_on(Engine::open(store.connect(), HashingEmbedder, Fake::from(1), options)).unwrap();
    let m = block_on(m.with_embeddings(Rc::new(head.clone()))).unwrap();
    tell(&m, Draft::new("The choir rehearses on Tuesdays; call 010-2345-6789."));
    tell(&m, Draft::new("We now meet Wednesdays; call 010-2345-6789 as before."));
    let asked = head.asked();
    assert!(
        asked[0].iter().all(|(stored, new, _)| stored.contains("[PHONE_1]") && new.contains("[PHONE_1]")),
        "{asked:?}"
    );
}
