//! Decisions over analysed candidates under each policy, the sentences that explain them, and the
//! checks of invariants.

use memfold::analysis::{Analysis, Change, Outcome};
use memfold::consolidation::{Action, LogEntry, Rule, check};
use memfold::decision::{Analyst, Bands, Candidate, Decided, Decision, Mode, Policy, Reason, sentence, triage};
use memfold::model::{
    ChangeType, Conflict, Draft, Edge, EdgeKind, Id, Ids, Memory, PropertyChange, Relation, Relationship, Time,
};
use memfold::similarity::Factors;

fn id(n: i64) -> Id {
    Ids::new(Time::from_millis(1_741_000_000_000 + n), [3; 16]).mint()
}

fn candidate(n: i64, score: f32) -> Candidate {
    Candidate { id: id(n), score, factors: Factors::default(), structural: false, important: false, analysis: None }
}

fn change() -> Change {
    let (old_value, new_value) = (Some("1".into()), Some("2".into()));
    let change = PropertyChange { property: "day".into(), old_value, new_value, change_type: ChangeType::ValueChange };
    Change { change, new_span: None }
}

fn analysed(n: i64, score: f32, outcome: Outcome, probabilities: [f32; 4], sure: bool) -> Candidate {
    let at =
        [Outcome::Skip, Outcome::Update, Outcome::CreateAndLink, Outcome::Create].iter().position(|o| *o == outcome);
    let analysis = Analysis {
        outcome,
        probabilities,
        confidence: probabilities[at.unwrap()],
        sure,
        by_head: false,
        subject_a: "Q1".into(),
        subject_b: "Q2".into(),
        relationship: Relationship::Sequential,
        relation: (outcome == Outcome::CreateAndLink).then_some(Relation::Sequential),
        changes: if outcome == Outcome::Update { vec![change()] } else { Vec::new() },
        conflict: Conflict::None,
        key_factors: Vec::new(),
    };
    Candidate { analysis: Some(analysis), ..candidate(n, score) }
}

fn decide(candidates: &[Candidate], policy: &Policy) -> Decided {
    triage(candidates, policy).decided
}

#[test]
fn policies_match_the_specification() {
    let bands = Bands { skip: 0.95, update: 0.80, link: 0.50 };
    let of = |p: Policy| (p.mode, p.use_property_analysis, p.ask_below, p.write_above);
    assert_eq!(of(Policy::of(Mode::Fast)), (Mode::Fast, false, 0.0, 0.80));
    assert_eq!(of(Policy::of(Mode::Balanced)), (Mode::Balanced, true, 0.85, 0.80));
    assert_eq!(of(Policy::of(Mode::Accurate)), (Mode::Accurate, true, 0.97, 0.80));
    for p in [Policy::FAST, Policy::BALANCED, Policy::ACCURATE] {
        assert_eq!((p.bands, p.respect_source_priority), (bands, true));
        // No score limits apply by default.
        assert_eq!((p.llm_threshold_min, p.llm_threshold_max), (0.0, 1.0));
    }
    let names = [Decision::Create, Decision::Update, Decision::Skip, Decision::CreateAndLink, Decision::Delete];
    assert_eq!(names.map(Decision::as_str), ["CREATE", "UPDATE", "SKIP", "CREATE_AND_LINK", "DELETE"]);
}

#[test]
fn band_decision_has_a_confidence_and_a_reason() {
    let cases = [
        (0.97, Decision::Skip, 0.97, 0.95, Conflict::Overlap, Relationship::Identical, 0),
        (0.85, Decision::Update, 0.85, 0.80, Conflict::Update, Relationship::Identical, 0),
        (0.60, Decision::CreateAndLink, 0.60, 0.50, Conflict::None, Relationship::Thematic, 1),
        (0.20, Decision::Create, 0.80, 0.0, Conflict::None, Relationship::Unrelated, 0),
    ];
    for (score, decision, confidence, from, conflict, relationship, links) in cases {
        let d = decide(&[candidate(1, score)], &Policy::FAST);
        assert_eq!((d.decision, d.conflict, d.relationship, d.links.len()), (decision, conflict, relationship, links));
        assert!((d.confidence - confidence).abs() < 1e-6 && d.analyst == Analyst::Bands && !d.needs_review);
        assert_eq!(d.reasons, [Reason::ScoreInBand { score, from }]);
        assert_eq!(d.target, (decision != Decision::Create).then(|| id(1)));
    }
    let nothing = decide(&[], &Policy::FAST);
    assert_eq!((nothing.reasons.as_slice(), nothing.confidence), (&[Reason::NothingSimilar][..], 1.0));
}

#[test]
fn unsure_update_or_skip_becomes_a_link_for_review() {
    for (outcome, p) in [
        (Outcome::Skip, [0.60, 0.36, 0.02, 0.02]),
        (Outcome::Update, [0.36, 0.60, 0.02, 0.02]),
        (Outcome::Update, [0.34, 0.60, 0.04, 0.02]),
    ] {
        let d = decide(&[analysed(1, 0.7, outcome, p, false)], &Policy::BALANCED);
        assert_eq!(
            (d.decision, d.needs_review, d.links[0].may_replace),
            (Decision::CreateAndLink, true, true),
            "{p:?}"
        );
        assert_eq!(d.reasons[0], Reason::NotSure { confidence: 0.60 });
    }
    // Of two unsure updates, the likelier one is the target.
    let both = [
        analysed(1, 0.9, Outcome::Update, [0.3, 0.46, 0.12, 0.12], false),
        analysed(2, 0.7, Outcome::Update, [0.1, 0.78, 0.06, 0.06], false),
    ];
    assert_eq!(decide(&both, &Policy::BALANCED).target, Some(id(2)));
}

#[test]
fn sure_update_wins_and_links_are_ranked_by_confidence() {
    let link = |n, p: f32| analysed(n, 0.6, Outcome::CreateAndLink, [0.0, 0.0, p, 1.0 - p], true);
    let links: Vec<Candidate> = (1..=6).map(|n| link(n, 0.9 + n as f32 / 100.0)).collect();
    let d = decide(&links, &Policy::BALANCED);
    assert_eq!(
        (d.decision, d.target, d.relationship),
        (Decision::CreateAndLink, Some(id(6)), Relationship::Sequential)
    );
    assert_eq!(d.links.iter().map(|l| l.id).collect::<Vec<_>>(), [id(6), id(5), id(4), id(3)]);
    assert!(!d.needs_review && d.reasons[0] == Reason::LocalAnalystSure { confidence: 0.96 });
    let mut all = links;
    all.push(analysed(7, 0.3, Outcome::Update, [0.01, 0.97, 0.01, 0.01], true));
    let d = decide(&all, &Policy::BALANCED);
    assert_eq!((d.decision, d.target, d.links.len()), (Decision::Update, Some(id(7)), 4));
    // Of two sure updates, the surer one is the target; the other memory stays.
    all.push(analysed(9, 0.4, Outcome::Update, [0.01, 0.98, 0.005, 0.005], true));
    assert_eq!(decide(&all, &Policy::BALANCED).target, Some(id(9)));
    all.pop();
    all.push(analysed(8, 0.2, Outcome::Skip, [0.96, 0.02, 0.01, 0.01], true));
    let d = decide(&all, &Policy::BALANCED);
    assert_eq!((d.decision, d.target, d.links.len()), (Decision::Skip, Some(id(8)), 0));
}

#[test]
fn unsure_update_is_linked_before_sure_links() {
    let doubt = analysed(1, 0.7, Outcome::Update, [0.1, 0.5, 0.3, 0.1], false);
    let link = analysed(2, 0.6, Outcome::CreateAndLink, [0.0, 0.0, 0.97, 0.03], true);
    let d = decide(&[doubt, link], &Policy::BALANCED);
    assert_eq!(d.links.iter().map(|l| l.id).collect::<Vec<_>>(), [id(1), id(2)]);
    assert_eq!((d.decision, d.needs_review, d.conflict), (Decision::CreateAndLink, true, Conflict::Overlap));
}

#[test]
fn created_memory_reports_how_near_its_best_candidate_was() {
    let unrelated = |score| analysed(1, score, Outcome::Create, [0.01, 0.01, 0.08, 0.90], true);
    let d = decide(&[unrelated(0.6)], &Policy::BALANCED);
    assert_eq!((d.decision, d.target, d.confidence, d.analyst), (Decision::Create, None, 0.90, Analyst::Local));
    assert_eq!(d.reasons, [Reason::LocalAnalystSure { confidence: 0.90 }]);
    assert_eq!((d.subject_a.as_deref(), d.subject_b.as_deref()), (Some("Q1"), Some("Q2")));
    for (score, reason) in [(0.5, Reason::ScoreInBand { score: 0.5, from: 0.5 }), (0.49, Reason::NothingSimilar)] {
        let d = decide(&[candidate(1, score)], &Policy::BALANCED);
        assert_eq!((d.decision, d.reasons.as_slice(), d.analyst), (Decision::Create, &[reason][..], Analyst::Bands));
    }
}

#[test]
fn score_range_limits_model_questions_only_when_set() {
    let unsure = |score| analysed(1, score, Outcome::Update, [0.2, 0.4, 0.2, 0.2], false);
    let reach = Policy { llm_threshold_min: 0.5, llm_threshold_max: 0.95, ..Policy::BALANCED };
    for (score, within) in [(0.05, false), (0.49, false), (0.50, true), (0.95, true), (0.96, false)] {
        assert!(!triage(&[unsure(score)], &Policy::BALANCED).open.is_empty(), "{score}");
        assert_eq!(!triage(&[unsure(score)], &reach).open.is_empty(), within, "{score}");
    }
    let many: Vec<Candidate> = (1..9).map(|n| Candidate { id: id(n), ..unsure(0.6) }).collect();
    assert_eq!(triage(&many, &Policy::BALANCED).open.len(), 5);
}

#[test]
fn unsure_link_needs_the_link_band_or_a_structural_match() {
    let related = |score, sure| analysed(1, score, Outcome::CreateAndLink, [0.05, 0.05, 0.6, 0.3], sure);
    let links = |c: Candidate| decide(&[c], &Policy::BALANCED).links.len();
    assert_eq!(links(related(0.49, false)), 0);
    assert_eq!(links(related(0.5, false)), 1);
    assert_eq!(links(related(0.8, false)), 1);
    assert_eq!(links(related(0.49, true)), 1);
    assert_eq!(links(Candidate { structural: true, ..related(0.1, false) }), 1);
}

#[test]
fn bands_have_their_edges_inside() {
    use Decision::{Create, CreateAndLink, Skip, Update};
    let scores = [0.95, 0.949, 0.80, 0.799, 0.50, 0.499];
    let found = scores.map(|score| decide(&[candidate(1, score)], &Policy::FAST).decision);
    assert_eq!(found, [Skip, Update, Update, CreateAndLink, CreateAndLink, Create]);
}

#[test]
fn each_mode_asks_below_its_own_probability() {
    let asked =
        |score, outcome, p, sure, policy| !triage(&[analysed(1, score, outcome, p, sure)], &policy).open.is_empty();
    for score in [0.05, 0.5, 0.99] {
        for (outcome, p, wanted) in [
            (Outcome::Update, [0.06, 0.84, 0.05, 0.05], [false, true, true]),
            (Outcome::Update, [0.04, 0.86, 0.05, 0.05], [false, false, true]),
            (Outcome::Skip, [0.98, 0.01, 0.01, 0.0], [false, false, false]),
            (Outcome::CreateAndLink, [0.05, 0.06, 0.84, 0.05], [false, true, true]),
            (Outcome::CreateAndLink, [0.01, 0.02, 0.96, 0.01], [false, false, true]),
            (Outcome::Create, [0.0, 0.01, 0.01, 0.98], [false, false, false]),
        ] {
            let all = [Policy::FAST, Policy::BALANCED, Policy::ACCURATE]
                .map(|policy| asked(score, outcome, p, false, policy));
            assert_eq!(all, wanted, "{score} {outcome:?} {p:?}");
        }
    }
}

#[test]
fn model_is_asked_only_about_what_may_be_the_same_or_important() {
    let near = analysed(1, 0.9, Outcome::CreateAndLink, [0.03, 0.03, 0.9, 0.04], true);
    let far = analysed(2, 0.3, Outcome::Create, [0.1, 0.1, 0.1, 0.7], false);
    let same = analysed(3, 0.2, Outcome::Update, [0.15, 0.6, 0.15, 0.1], false);
    let about = |list: &[Candidate], policy| triage(list, policy).open;
    assert_eq!(about(&[near.clone(), far.clone(), same.clone()], &Policy::BALANCED), [same.id]);
    assert!(about(&[near.clone(), far.clone()], &Policy::BALANCED).is_empty());
    assert_eq!(about(&[near, far, same.clone()], &Policy::ACCURATE).len(), 3);
    // A certain repetition leaves nothing to ask.
    let known = analysed(4, 0.99, Outcome::Skip, [0.98, 0.01, 0.01, 0.0], true);
    assert!(about(&[known.clone(), same.clone()], &Policy::ACCURATE).is_empty());
    let sure = |important| Candidate { important, ..analysed(5, 0.7, Outcome::Update, [0.01, 0.99, 0.0, 0.0], true) };
    assert!(!about(&[sure(true)], &Policy::ACCURATE).is_empty() && about(&[sure(true)], &Policy::BALANCED).is_empty());
    assert!(about(&[sure(false)], &Policy::ACCURATE).is_empty());
    // An update that names no change is not written, however probable.
    let mut unnamed = analysed(6, 0.7, Outcome::Update, [0.0, 0.99, 0.01, 0.0], false);
    unnamed.analysis.as_mut().unwrap().changes.clear();
    assert_eq!(decide(&[unnamed], &Policy::BALANCED).decision, Decision::CreateAndLink);
}

fn change_of(change_type: ChangeType, old: Option<&str>, new: Option<&str>) -> Change {
    let (old_value, new_value) = (old.map(Into::into), new.map(Into::into));
    let change = PropertyChange { property: "budget".into(), old_value, new_value, change_type };
    Change { change, new_span: None }
}

#[test]
fn decision_sentences_use_the_language_of_the_input() {
    let plain = decide(&[candidate(1, 0.2)], &Policy::FAST);
    let told = |d: Decided, en: &str, ko: &str| {
        assert_eq!(sentence(&d, "the budget"), en);
        assert_eq!(sentence(&d, "예산"), ko);
    };
    let of = |decision| Decided { decision, ..plain.clone() };
    told(of(Decision::Create), "Nothing stored is related, so it is new.", "관련된 기억이 없어 새로 저장했습니다.");
    told(
        of(Decision::Skip),
        "Says nothing that is not stored already.",
        "이미 저장된 내용과 같아서 더할 것이 없습니다.",
    );
    told(of(Decision::Delete), "Deleted at the user's word.", "사용자의 요청으로 지웠습니다.");
    told(of(Decision::Update), "A newer statement about the same subject.", "같은 대상에 대한 더 새로운 내용입니다.");
    let changes = vec![
        change_of(ChangeType::ValueChange, Some("50M"), Some("60M")),
        change_of(ChangeType::Addition, None, Some("Bo")),
        change_of(ChangeType::Removal, Some("Ann"), None),
        change_of(ChangeType::ValueChange, Some("untold"), Some("untold")),
    ];
    let update = Decided { changes, ..of(Decision::Update) };
    let list = "budget 50M → 60M, budget + Bo, budget − Ann";
    told(
        update.clone(),
        &format!("The same subject has changed: {list}"),
        &format!("같은 대상의 값이 바뀌었습니다: {list}"),
    );
    let named = Decided { subject_a: Some("Q1".into()), ..update };
    told(
        named,
        &format!("The same subject (Q1) has changed: {list}"),
        &format!("같은 대상(Q1)의 값이 바뀌었습니다: {list}"),
    );
    let link = |relation| {
        let links = vec![memfold::decision::Link { id: id(1), relation, weight: 1.0, may_replace: false }];
        Decided { links, ..of(Decision::CreateAndLink) }
    };
    for (relation, en, ko) in [
        (Some(Relation::Sequential), "the next in a row", "이어지는 일"),
        (Some(Relation::Causal), "cause and effect", "원인과 결과"),
        (Some(Relation::Prerequisite), "one allows the other", "먼저 되어야 할 일"),
        (Some(Relation::Elaboration), "a detail that stands by itself", "따로 서는 세부 내용"),
        (Some(Relation::Alternative), "another option", "다른 안"),
        (Some(Relation::Reference), "one has to do with the other", "관련된 일"),
        (None, "one has to do with the other", "관련된 일"),
    ] {
        let (en_alone, ko_alone) =
            (format!("Different matters, both valid: {en}."), format!("서로 다른 내용이며 둘 다 유효합니다: {ko}."));
        told(link(relation), &en_alone, &ko_alone);
        let subjects =
            |a: &str, b: &str| Decided { subject_a: Some(a.into()), subject_b: Some(b.into()), ..link(relation) };
        told(
            subjects("Q1", "Q2"),
            &format!("Different subjects (Q1 / Q2), both valid: {en}."),
            &format!("대상이 다르고(Q1 / Q2) 둘 다 유효합니다: {ko}."),
        );
        for (a, b) in [("Q1", "Q1"), ("", "Q2"), ("Q1", "")] {
            told(subjects(a, b), &en_alone, &ko_alone);
        }
        told(
            Decided { needs_review: true, ..link(relation) },
            "Not sure whether it replaces what is stored, so both are kept and linked.",
            "같은 대상의 변경인지 확실하지 않아 둘 다 두고 연결했습니다.",
        );
    }
}

fn memory(n: i64) -> Memory {
    Memory::from_draft(id(n), Draft::new(format!("memory {n}")), Time::from_millis(n))
}

fn entry(n: u64, previous: &str, touched: &[i64]) -> LogEntry {
    let entry = LogEntry::new(id(1_000 + n as i64), Time::from_millis(n as i64), "u", "x");
    LogEntry { seq: n, touched: touched.iter().map(|n| id(*n)).collect(), ..entry }.seal(previous, "salt".into())
}

#[test]
fn check_names_every_violated_rule_and_passes_a_sound_store() {
    let next = |a: &mut Memory, b: &mut Memory| {
        a.superseded_by = Some(b.id);
        (b.previous_version_id, b.version) = (Some(a.id), a.version + 1);
    };
    let (mut a, mut b, mut c, d) = (memory(1), memory(2), memory(3), memory(4));
    next(&mut a, &mut b);
    c.superseded_by = Some(b.id);
    let memories = vec![a.clone(), b.clone(), c.clone(), d.clone()];
    let first = entry(1, "", &[1, 2, 3, 4]);
    let log = vec![first.clone(), entry(2, &first.hash, &[])];
    let edge = Edge {
        id: id(50),
        from: d.id,
        to: b.id,
        kind: EdgeKind::RelatedTo,
        relation: None,
        weight: 1.0,
        created_at: Time::default(),
    };
    let rules = |m: &[Memory], e: &[Edge], l: &[LogEntry]| -> Vec<(Rule, Option<Id>)> {
        check(m, e, l).flatten().map(|p| (p.rule, p.id)).collect()
    };
    assert_eq!(check(&memories, std::slice::from_ref(&edge), &log).flatten().collect::<Vec<_>>(), []);
    let with = |n: usize, change: &dyn Fn(&mut Memory)| {
        let mut all = memories.clone();
        change(&mut all[n]);
        rules(&all, &[], &log)
    };
    assert_eq!(with(0, &|m| m.superseded_by = None), [(Rule::Chain, Some(b.id))]);
    assert_eq!(with(1, &|m| m.version = 3), [(Rule::Chain, Some(a.id)), (Rule::Chain, Some(b.id))]);
    assert_eq!(with(3, &|m| m.version = 2), [(Rule::Chain, Some(d.id))]);
    assert_eq!(with(3, &|m| m.contradicted_by = Some(id(99))), [(Rule::Reference, Some(d.id))]);
    assert_eq!(with(3, &|m| m.superseded_by = Some(id(99))), [(Rule::Reference, Some(d.id))]);
    assert_eq!(with(3, &|m| m.superseded_by = Some(c.id)), [(Rule::Chain, Some(d.id))], "nothing comes before it");
    assert_eq!(with(3, &|m| m.deleted_at = Some(Time::default())), []);
    let half = |m: &mut Memory| *m = Memory { importance: 0.7, ..m.forgotten(Time::from_millis(9)) };
    assert_eq!(with(3, &half), [(Rule::Forgotten, Some(d.id))]);
    // A second chain may end in a version only if one entry touched both, and chains must not
    // cycle.
    let apart = [entry(1, "", &[1, 2]), entry(2, &entry(1, "", &[1, 2]).hash, &[3, 4])];
    assert_eq!(rules(&memories, &[], &apart), [(Rule::Chain, Some(c.id))]);
    let mut circle = memories.clone();
    circle[1].superseded_by = Some(c.id);
    assert!(rules(&circle, &[], &log).iter().any(|(rule, _)| *rule == Rule::Chain));
    let lost = Edge { to: id(99), ..edge.clone() };
    assert_eq!(rules(&memories, &[lost], &log), [(Rule::Edge, Some(edge.id))]);
    let mut gone = memories.clone();
    gone[3] = gone[3].forgotten(Time::from_millis(9));
    assert_eq!(rules(&gone, std::slice::from_ref(&edge), &log), [(Rule::Edge, Some(edge.id))]);
    let forgot = LogEntry { action: Action::Forget, hash: String::new(), ..entry(1, "", &[4]) }.seal("", "s".into());
    assert_eq!(rules(&memories, &[], std::slice::from_ref(&forgot)).last(), Some(&(Rule::Forgotten, Some(forgot.id))));
    assert_eq!(rules(&gone[3..], &[], &[forgot]), []);
    let late = entry(3, &first.hash, &[]);
    assert_eq!(rules(&memories, &[], &[first.clone(), late.clone()]), [(Rule::Sequence, Some(late.id))]);
    let changed = LogEntry { tokens: 1, ..first.clone() };
    assert_eq!(rules(&memories, &[], &[changed]), [(Rule::Seal, Some(first.id))]);
    let mut keyed = [first.clone(), entry(2, "", &[])];
    for (n, e) in keyed.iter_mut().enumerate() {
        let previous = if n == 0 { String::new() } else { "x".into() };
        *e = LogEntry { key: Some("k".into()), ..e.clone() }.seal(&previous, "s".into());
    }
    let second = LogEntry { key: Some("k".into()), ..entry(2, "", &[]) }.seal(&keyed[0].hash, "s".into());
    assert_eq!(rules(&memories, &[], &[keyed[0].clone(), second.clone()]), [(Rule::HandledOnce, Some(second.id))]);
    let wrote = LogEntry { memory_id: Some(id(99)), ..entry(1, "", &[98]) }.seal("", "s".into());
    assert_eq!(rules(&memories[3..], &[], std::slice::from_ref(&wrote)), [(Rule::Written, Some(wrote.id)); 2]);
}
