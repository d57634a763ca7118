//! Search over many memories: what is found, in which order, and with which scores.

use crate::embeddings::Elsewhere;
use crate::kit;
use futures::executor::block_on;
use memfold::Code;
use memfold::consolidation::{ChangeSet, LogEntry};
use memfold::decision::Policy;
use memfold::embed::{Embedder, HashingEmbedder, anchors};
use memfold::engine::{Answer, Cancel, Engine, Hit, ListOptions, Nothing, SearchOptions};
use memfold::model::{Category, DayOrTime, Draft, Edge, EdgeKind, Ids, Memory, Time};
use memfold::store::{MemoryStore, Store};
use serde::Deserialize;
use std::rc::Rc;

type Memories = Engine;

const NOW: i64 = 1_741_000_000_000;
const DAY: i64 = 86_400_000;

#[derive(Deserialize)]
struct Case {
    note: String,
    asks: Vec<String>,
}

fn cases() -> Vec<Case> {
    include_str!("../cases/finding.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn now() -> Time {
    Time::from_millis(NOW)
}

/// One memory per text, each a minute after the previous one.
fn memories_of(texts: &[&str]) -> Vec<Memory> {
    let mut ids = Ids::new(now(), [5; 16]);
    let memory =
        |(n, text): (i64, &&str)| Memory::from_draft(ids.mint(), Draft::new(*text), now().plus_millis(60_000 * n));
    (0..).zip(texts).map(memory).collect()
}

/// An engine that stores these memories and edges.
fn engine_with(memories: &[Memory], edges: Vec<Edge>) -> Memories {
    let (store, mut ids) = (MemoryStore::default(), Ids::new(now(), [9; 16]));
    let entry = LogEntry::new(ids.mint(), now(), "u", "");
    block_on(store.commit(ChangeSet { memories: memories.to_vec(), edges, ..ChangeSet::new(entry) })).unwrap();
    kit::real(store, Policy::BALANCED, 0)
}

fn answer(m: &Memories, text: &str, options: SearchOptions) -> Answer {
    let now = options.now.or(Some(now().plus_millis(DAY)));
    block_on(m.answer(text, &SearchOptions { now, ..options })).unwrap()
}

fn search(m: &Memories, text: &str) -> Vec<Hit> {
    answer(m, text, SearchOptions::default()).hits
}

fn contents(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|h| h.memory.content.as_str()).collect()
}

/// Scores never rise down the list, older versions come last, and every score is in 0..=1.
fn is_in_order(hits: &[Hit]) -> bool {
    let old = |h: &Hit| h.memory.superseded_by.is_some();
    hits.is_sorted_by(|a, b| a.score >= b.score && old(a) <= old(b) && (old(a) == old(b) || a.score > b.score))
        && hits.iter().all(|h| [h.score, h.relevance, h.strength].iter().all(|x| (0.0..=1.0).contains(x)))
}

#[test]
fn every_question_finds_its_note_among_all_notes() {
    let cases = cases();
    let notes: Vec<&str> = cases.iter().map(|c| c.note.as_str()).collect();
    let m = engine_with(&memories_of(&notes), Vec::new());
    let mut missed = Vec::new();
    for case in &cases {
        for ask in &case.asks {
            let found = answer(&m, ask, SearchOptions::default());
            assert!(is_in_order(&found.hits), "{ask}");
            if !contents(&found.hits).contains(&case.note.as_str()) {
                let hits: Vec<(f32, f32, &str)> =
                    found.hits.iter().map(|h| (h.score, h.relevance, h.memory.content.as_str())).collect();
                missed.push(format!("{ask} {hits:?}"));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn single_note_is_found_by_its_questions() {
    for case in cases() {
        let m = engine_with(&memories_of(&[&case.note]), Vec::new());
        for ask in &case.asks {
            let found = answer(&m, ask, SearchOptions::default());
            assert_eq!((contents(&found.hits), found.nothing), (vec![case.note.as_str()], None), "{ask}");
        }
    }
}

#[test]
fn unanswerable_questions_find_nothing() {
    let cases = cases();
    let notes: Vec<&str> = cases.iter().map(|c| c.note.as_str()).collect();
    let m = engine_with(&memories_of(&notes), Vec::new());
    for ask in [
        "When is the pottery exam?",
        "Where is my umbrella?",
        "천문대 망원경",
        "우산 어디 있어?",
        "그거 뭐였지?",
        "what is it?",
    ] {
        assert!(search(&m, ask).is_empty(), "{ask}: {:?}", contents(&search(&m, ask)));
    }
}

/// Notes, each with a question that shares no word with it.
const PARAPHRASES: [(&str, &str); 15] = [
    ("The harbour museum opens again in May", "Ab wann empfängt das Haus wieder Gäste?"),
    ("Rent is 860 euros from June on", "Quanto pago pelo apartamento?"),
    ("Choir practice moves to the chapel", "Où chante-t-on désormais?"),
    ("고양이 예방접종은 6월 3일이다", "Quando il gatto va dal veterinario?"),
    ("분기 보고서는 서연이 쓴다", "Wer verfasst das Quartalsdokument?"),
    ("The spare key lies under the blue pot", "¿Cómo entro sin llave?"),
    ("Lunch with Mira is on Thursday", "Kiedy jem z Mirą?"),
    ("The router is in the hall cupboard", "Wo steckt das Netzgerät?"),
    ("합창단 연습은 목요일 저녁이다", "Quel soir répète-t-on?"),
    ("Tomas is allergic to walnuts", "Was verträgt Tomas nicht?"),
    ("The parcel from Lyon is at the post office", "Dov'è il pacco?"),
    ("회의실 예약은 3층 데스크에서 한다", "Wie buche ich einen Raum?"),
    ("The roof repair costs 4,300 pounds", "Wat kost het dak?"),
    ("Our flight leaves at 6:40 from gate 12", "Wann hebt die Maschine ab?"),
    ("보일러 점검은 매년 10월에 받는다", "Quand contrôle-t-on le chauffage?"),
];

/// An embedder that maps each question close to the note that answers it. Other texts get hashed
/// vectors.
fn ideal_embedder() -> Elsewhere {
    let place = |text: &String| {
        let pair = PARAPHRASES.iter().position(|(note, ask)| note == text || ask == text);
        let mut vector = HashingEmbedder.vector(text);
        vector.resize(vector.len() + PARAPHRASES.len(), 0.0);
        if let Some(pair) = pair {
            let at = vector.len() - PARAPHRASES.len() + pair;
            vector[at] = 3.0;
        }
        vector
    };
    Elsewhere::new(move |texts| Some(Ok(texts.iter().map(place).collect())))
}

#[test]
fn match_of_an_ideal_embedder_outranks_word_matches() {
    let half = |ask: &str| ask.split(' ').take(ask.split(' ').count() / 2 + 1).collect::<Vec<_>>().join(" ");
    let near: Vec<String> = PARAPHRASES.iter().map(|(_, ask)| format!("{}, and the bins too", half(ask))).collect();
    let mut texts: Vec<&str> = PARAPHRASES.iter().map(|p| p.0).collect();
    // For each question, a decoy note shares most of its words.
    texts.extend(near.iter().map(String::as_str));
    let m = block_on(engine_with(&memories_of(&texts), Vec::new()).with_embeddings(Rc::new(ideal_embedder()))).unwrap();
    assert_eq!(block_on(m.reembed(99, Cancel::default())).unwrap().waiting, 0);
    assert!(anchors().len() > 8);
    for (note, ask) in PARAPHRASES {
        let hits = search(&m, ask);
        assert!(is_in_order(&hits));
        let first = contents(&hits).iter().position(|c| *c == note);
        assert_eq!(first, Some(0), "{ask}: {:?}", contents(&hits));
        let [right, others] = [true, false].map(|is| hits.iter().filter(move |h| (h.memory.content == note) == is));
        let most = others.map(|h| h.relevance).fold(0.0, f32::max);
        assert!(right.clone().all(|h| h.relevance > 0.8 && h.relevance > most), "{ask}: {most}");
    }
    // No memory is near this query.
    assert!(search(&m, "Zyqx?").iter().all(|h| h.relevance < 0.05));
}

#[test]
fn older_versions_rank_and_score_below_current_memories() {
    let mut all = memories_of(&[
        "The budget of Heron is 40 million",
        "The budget of Heron is 50 million",
        "Heron has a budget meeting",
        "The budget",
    ]);
    all[0].superseded_by = Some(all[1].id);
    let m = engine_with(&all, Vec::new());
    let both = SearchOptions { include_superseded: true, ..SearchOptions::default() };
    let hits = answer(&m, "budget of Heron 40 million", both).hits;
    assert!(is_in_order(&hits) && contents(&hits).len() == 4);
    assert_eq!(contents(&hits).last(), Some(&"The budget of Heron is 40 million"));
    assert_eq!(contents(&search(&m, "budget of Heron 40 million"))[0], "The budget of Heron is 50 million");
}

#[test]
fn possibly_outdated_memory_ranks_below_the_newer_one() {
    let all = memories_of(&[
        "The home of the user is in Portland, Oregon",
        "User moved to Seattle, the home on Pine Street",
        "집은 마포구 합정동이다",
        "새 집은 은평구 불광동으로 옮겼다",
        "The home team plays on Sunday",
    ]);
    let mut ids = Ids::new(now(), [7; 16]);
    let doubt = |older: usize, newer: usize, ids: &mut Ids| Edge {
        id: ids.mint(),
        from: all[older].id,
        to: all[newer].id,
        kind: EdgeKind::MayReplace,
        relation: None,
        weight: 0.7,
        created_at: now(),
    };
    let edges = vec![doubt(0, 1, &mut ids), doubt(2, 3, &mut ids)];
    let m = engine_with(&all, edges);
    for (ask, older, newer) in [
        ("Is the home of the user in Portland, Oregon?", 0, 1),
        ("home of the user", 0, 1),
        ("집이 마포구 합정동이야?", 2, 3),
        ("집 어디", 2, 3),
    ] {
        let hits = search(&m, ask);
        let at = |n: usize| hits.iter().position(|h| h.memory.id == all[n].id).unwrap();
        assert!(is_in_order(&hits) && at(newer) < at(older), "{ask}: {:?}", contents(&hits));
        assert!(hits[at(newer)].score > hits[at(older)].score, "{ask}");
        assert_eq!(hits[at(older)].may_be_outdated_by, [all[newer].id]);
    }
}

#[test]
fn query_with_only_a_period_lists_its_memories() {
    let mut all =
        memories_of(&["The kickoff of Heron", "세금 신고", "The roof was repaired", "Dinner at the Old Mill"]);
    for (memory, day) in all.iter_mut().zip([3, 10, 12, 40]) {
        memory.occurred_at = now().plus_millis(day * DAY).into();
    }
    all[1].category = Category::Task;
    let m = engine_with(&all, Vec::new());
    let at = |day: i64| Some(now().plus_millis(day * DAY).into());
    let within =
        |from: Option<DayOrTime>, to: Option<DayOrTime>| SearchOptions { from, to, ..SearchOptions::default() };
    let sorted = |hits: Vec<Hit>| {
        let mut found: Vec<usize> =
            hits.iter().map(|h| all.iter().position(|m| m.id == h.memory.id).unwrap()).collect();
        found.sort_unstable();
        found
    };
    for text in ["", " ", "What happened?", "무슨 일이 있었어?", "뭐 했어?", "what happened"] {
        for (from, to, wanted) in [(at(2), at(11), vec![0, 1]), (at(11), None, vec![2, 3]), (None, at(11), vec![0, 1])]
        {
            let found = answer(&m, text, within(from, to));
            assert_eq!((sorted(found.hits), found.lists, found.nothing), (wanted, true, None), "{text}");
        }
        let none = answer(&m, text, within(at(50), at(60)));
        assert_eq!((none.hits.len(), none.nothing), (0, Some(Nothing::NothingWithin)), "{text}");
    }
    // Words of the query filter the period.
    assert_eq!(sorted(answer(&m, "roof", within(at(2), at(60))).hits), [2]);
    for text in ["", "  "] {
        let empty = block_on(m.search(text, &SearchOptions::default())).unwrap_err();
        assert_eq!((empty.code, empty.field.as_deref()), (Code::InvalidField, Some("query")));
    }
    let listed = |options: ListOptions| {
        let found = block_on(m.listed(&options)).unwrap();
        found.iter().map(|f| all.iter().position(|m| m.id == f.id).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(listed(ListOptions { from: at(2), to: at(11), ..ListOptions::default() }), [0, 1]);
    assert_eq!(listed(ListOptions { from: at(11), ..ListOptions::default() }), [2, 3]);
    assert_eq!(listed(ListOptions { to: at(11), category: Some(Category::Task), ..ListOptions::default() }), [1]);
}

#[test]
fn out_of_range_limit_is_named() {
    let m = engine_with(&memories_of(&["The kickoff of Heron"]), Vec::new());
    let field = |options: SearchOptions| {
        let error = block_on(m.search("kickoff", &options)).unwrap_err();
        error.details().field
    };
    for n in [0, 101, 1_000] {
        assert_eq!(field(SearchOptions { limit: Some(n), ..SearchOptions::default() }).as_deref(), Some("limit"));
    }
    assert_eq!(
        block_on(m.search("kickoff", &SearchOptions { limit: Some(1), ..SearchOptions::default() })).unwrap().len(),
        1
    );
}
