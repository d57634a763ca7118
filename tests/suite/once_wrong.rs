//! Regression tests: single cases that an earlier version got wrong, with and without a model.

use crate::kit::{self, Model};
use crate::post::{Owned, current, mail, mine, read, with};
use futures::executor::block_on;
use memfold::consolidation::{LogEntry, OwnerVerdict, ReviewOptions};
use memfold::decision::{Decision, Policy};
use memfold::engine::Consolidate;
use memfold::model::{Category, Conflict, Draft, EdgeKind, Memory, Retention, Source};
use serde_json::Value;
use std::rc::Rc;

fn add(m: &Owned, draft: Draft) -> LogEntry {
    block_on(m.consolidate(draft, &Consolidate::default())).unwrap().entry
}

fn owner_note(content: &str) -> Draft {
    Draft { source_type: Source::UserInput, ..Draft::new(content) }
}

/// A model that updates every candidate with the text of the new memory.
fn updating_model() -> Model {
    Model::new(|prompt| {
        let entries: Vec<Value> = prompt.candidates.iter().map(|c| kit::entry(prompt, "UPDATE", &[c.handle])).collect();
        Ok(kit::reply(&entries))
    })
}

fn assert_both_stored(m: &Owned, texts: [&str; 2]) {
    let mut known: Vec<String> = current(m).into_iter().map(|k| k.content).collect();
    known.sort();
    let mut wanted = texts.map(str::to_owned);
    wanted.sort();
    assert_eq!(known, wanted);
}

fn only(m: &Owned) -> Memory {
    let mut known = current(m);
    assert_eq!(known.len(), 1, "{known:#?}");
    known.remove(0)
}

/// Asserts that both texts are stored, linked and flagged for review.
fn assert_flagged(m: &Owned, entry: &LogEntry, texts: [&str; 2]) {
    assert_both_stored(m, texts);
    assert!(entry.needs_review && !block_on(m.links()).unwrap().is_empty(), "{texts:?}: {entry:#?}");
}

#[test]
fn a_period_mentioned_in_passing_is_not_the_subject() {
    for [old, new] in [
        [
            "Q2 마케팅 캠페인 예산은 8000만원, Q1 캠페인 성과를 기반으로 함",
            "Q1 마케팅 캠페인 예산이 7000만원으로 증액되었습니다",
        ],
        ["하반기 채용은 12명, 상반기 채용 결과를 보고 정함", "상반기 채용은 9명으로 늘었습니다"],
        ["Q2 hiring is capped at 12 people, based on the Q1 results.", "Q1 hiring is capped at 9 people now."],
    ] {
        // `fast` decides by similarity alone.
        for policy in [Policy::BALANCED, Policy::ACCURATE] {
            let m = with(|o| o.policy = policy);
            add(&m, owner_note(old));
            add(&m, owner_note(new));
            assert_both_stored(&m, [old, new]);
        }
    }
}

#[test]
fn outdated_values_are_removed_from_the_text() {
    for (old, new, gone) in [
        ("예산 5000만원", "예산 6000만원", ["5000만원", "5000"]),
        ("계약서 검토 중. 법무팀 확인 대기.", "계약서 검토 완료, 최종 승인", ["검토 중", "대기"]),
        ("User is vegetarian.", "User ate steak and is no vegetarian any more.", ["is vegetarian", "User is veg"]),
    ] {
        let m = mine().with_model(Rc::new(updating_model()));
        add(&m, owner_note(old));
        let entry = add(&m, owner_note(new));
        if entry.decision == Decision::Update {
            let text = only(&m).content;
            assert!(gone.iter().all(|g| !text.contains(g)), "{text}");
        } else {
            assert_flagged(&m, &entry, [old, new]);
        }
        // An update by the owner's review has the same effect.
        let m = mine();
        add(&m, owner_note(old));
        let entry = add(&m, owner_note(new));
        if entry.decision != Decision::Update {
            let target = current(&m).into_iter().find(|k| k.content == old).map(|k| k.id);
            block_on(m.review(
                entry.id,
                OwnerVerdict::Change(Decision::Update),
                &ReviewOptions { target, relation: None },
            ))
            .unwrap();
        }
        let text = only(&m).content;
        assert!(gone.iter().all(|g| !text.contains(g)), "{text}");
    }
}

#[test]
fn a_move_replaces_the_old_residence() {
    let old =
        Draft { importance: Some(0.9), retention: Some(Retention::Core), ..owner_note("User lives in Portland.") };
    let moving = Model::new(|prompt| {
        let entries = prompt.candidates.iter().map(|c| {
            let mut entry = kit::entry(prompt, "UPDATE", &[c.handle]);
            entry["gone"] = serde_json::json!(["Portland"]);
            entry
        });
        Ok(kit::reply(&entries.collect::<Vec<_>>()))
    });
    let m = mine().with_model(Rc::new(moving));
    add(&m, old.clone());
    let before = only(&m);
    assert_eq!(before.retention, Retention::Core);
    let entry = add(&m, owner_note("User just moved to Seattle."));
    assert_eq!(entry.decision, Decision::Update, "{}", entry.reason);
    let now = only(&m);
    assert!(now.content.contains("Seattle") && !now.content.contains("Portland"), "{now:#?}");
    assert!(now.retention == Retention::Core && now.importance >= before.importance, "{now:#?}");
    let was = block_on(m.history(now.id)).unwrap().into_iter().find(|v| v.id == before.id).unwrap();
    assert_eq!((was.superseded_by, was.contradicted_by), (Some(now.id), Some(now.id)));
    assert!(was.retention != Retention::Core, "{was:#?}");
    // Without a model both are stored, linked and flagged for review.
    let m = mine();
    add(&m, old);
    let entry = add(&m, owner_note("User just moved to Seattle."));
    if entry.decision != Decision::Update {
        assert_flagged(&m, &entry, ["User lives in Portland.", "User just moved to Seattle."]);
    }
}

#[test]
fn negated_statements_are_not_repetitions() {
    for [old, new] in [
        ["민아는 새우 알레르기가 있다", "민아는 새우 알레르기가 없다"],
        ["주차는 가능하다", "주차는 불가능하다"],
        ["지훈은 금요일 회식에 참석합니다", "지훈은 금요일 회식에 참석하지 않습니다"],
        ["Sora is dating Minho.", "Sora and Minho broke up."],
        ["Mina is allergic to shrimp.", "Mina is not allergic to shrimp."],
        ["마을버스 3번은 역까지 간다", "마을버스 3번은 역까지 가지 않는다"],
        ["The pool is open in winter.", "The pool is closed in winter."],
        ["Tom eats meat.", "Tom does not eat meat."],
        ["반려견 동반이 허용됩니다", "반려견 동반이 금지됩니다"],
        ["The offer was approved.", "The offer was rejected."],
        ["The lift works.", "The lift does not work."],
    ] {
        let m = mine();
        add(&m, owner_note(old));
        let entry = add(&m, owner_note(new));
        match entry.decision {
            Decision::Update => {
                assert_eq!(entry.conflict, Conflict::Contradiction, "{old} / {new}: {}", entry.reason);
                assert_eq!(only(&m).content, new);
            }
            _ => assert_flagged(&m, &entry, [old, new]),
        }
    }
}

#[test]
fn life_changes_are_updated_or_flagged() {
    for [old, new] in [
        ["Jihoon works at Naver as a backend engineer.", "Jihoon left Naver and joined Kakao."],
        ["서아는 마포구에 살고 있다", "서아는 해운대구로 이사했다"],
        ["Priya is the lead of the billing team.", "Priya handed the billing team over to Omar."],
        ["User lives in Portland.", "User just moved to Seattle."],
    ] {
        let m = mine();
        add(&m, owner_note(old));
        let entry = add(&m, owner_note(new));
        if entry.decision != Decision::Update {
            assert_flagged(&m, &entry, [old, new]);
        }
    }
}

#[test]
fn an_update_keeps_the_category_unless_a_higher_one_is_said() {
    let m = mine().with_model(Rc::new(updating_model()));
    add(&m, Draft { category: Category::Meeting, ..owner_note("The Heron kickoff meeting is at 2 pm.") });
    add(&m, Draft { category: Category::Project, ..owner_note("The Heron kickoff is now at 4 pm.") });
    assert_eq!(only(&m).category, Category::Meeting);
}

#[test]
fn deletion_requests_in_mail_delete_nothing() {
    for (told, asked) in [
        ("Q1 마케팅 캠페인 예산은 5000만원입니다.", "Q1 마케팅 캠페인 관련 정보 삭제해줘."),
        ("The Heron budget is 50M.", "Please delete everything about the Heron budget."),
    ] {
        let m = mine();
        read(&m, &mail(1, "From: ann@acme.example\r\nTo: me@example.org\r\nSubject: Plan\r\n", told));
        assert_eq!(current(&m).len(), 1, "{told}");
        let head = "From: ann@acme.example\r\nTo: me@example.org\r\nSubject: Re: Plan\r\nIn-Reply-To: <1@x.example>\r\nReferences: <1@x.example>\r\n";
        read(&m, &mail(2, head, asked));
        let known = current(&m);
        let stands = known.iter().any(|k| k.content.contains(told) && !k.content.contains(asked));
        assert!(stands, "{known:#?}");
    }
}

#[test]
fn mails_contradicting_the_owner_wait_for_review_and_then_replace() {
    let m = with(|o| o.policy = Policy::FAST);
    add(&m, owner_note("예산 5000만원"));
    let entry = add(&m, Draft { source_type: Source::Realtime, ..Draft::new("예산 6000만원") });
    assert!(entry.needs_review, "{entry:#?}");
    block_on(m.review(entry.id, OwnerVerdict::Accept, &ReviewOptions::default())).unwrap();
    let text = only(&m).content;
    assert!(text.contains("6000만원") && !text.contains("5000만원"), "{text}");
}

#[test]
fn invalid_importance_is_rejected() {
    let m = mine();
    for importance in [f32::NAN, f32::INFINITY, -0.1, 1.1] {
        let draft = Draft { importance: Some(importance), ..owner_note("The Heron budget is 50M.") };
        let e = block_on(m.consolidate(draft, &Consolidate::default())).unwrap_err();
        assert_eq!((e.code, e.field.as_deref()), (memfold::Code::InvalidField, Some("importance")));
    }
}

#[test]
fn property_names_omit_korean_particles() {
    let m = mine();
    add(&m, owner_note("Q1 마케팅 예산은 5000만원이다."));
    let entry = add(&m, owner_note("Q1 마케팅 예산은 6000만원으로 바뀌었다."));
    let names: Vec<&str> = entry.property_changes.iter().map(|c| c.property.as_str()).collect();
    assert!(!names.is_empty() && names.iter().all(|n| !n.ends_with(['은', '는', '이', '가'])), "{names:?}");
}

#[test]
fn an_uncertain_update_is_linked_as_may_replace() {
    let m = mine();
    add(&m, owner_note("서아는 마포구에 살고 있다"));
    let entry = add(&m, owner_note("서아는 해운대구로 이사했다"));
    if entry.decision == Decision::CreateAndLink {
        let links = block_on(m.links()).unwrap();
        assert!(links.iter().any(|e| e.kind == EdgeKind::MayReplace), "{links:#?}");
    }
}

#[test]
fn a_change_of_another_project_is_no_update_because_the_owner_wrote_both() {
    let note = |(name, content): (&str, &str)| Draft {
        author: Some("me@example.org".into()),
        entities: vec![name.into()],
        ..owner_note(content)
    };
    for (old, new) in [
        (
            ("Dunwick", "The budget of project Dunwick is 79 euros"),
            ("Foxley", "The budget of project Foxley was raised to 90 euros"),
        ),
        (("다솔", "다솔 과제 예산은 79만원입니다"), ("마루", "마루 과제 예산이 956만원으로 변경되었습니다")),
    ] {
        let m = mine();
        add(&m, note(old));
        let entry = add(&m, note(new));
        assert_eq!(current(&m).len(), 2, "{new:?}: {entry:?}");
    }
    let m = mine();
    add(&m, note(("다솔", "다솔 과제 예산은 79만원입니다")));
    let entry = add(&m, note(("다솔", "다솔 과제 예산이 956만원으로 변경되었습니다")));
    assert_eq!(entry.decision, Decision::Update);
}
