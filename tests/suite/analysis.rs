//! The local analyst: every pair gets a decision, the seed cases the expected one, and changes have
//! spans.

use memfold::analysis::{
    Outcome, Reading, analyse,
    changes::changes,
    classifier,
    features::{Sheet, features},
    notice::notice,
};
use memfold::model::{Claim, Draft};
use serde_json::Value;

fn draft(v: &Value) -> Draft {
    serde_json::from_value(v.clone()).unwrap()
}

#[test]
fn classifier_weights_match_the_features_of_this_build() {
    assert!(classifier::classifier().is_some(), "run `make fit` on the labelled pairs again");
}

#[test]
fn seed_cases_get_the_expected_decision() {
    let mut wrong = Vec::new();
    for line in include_str!("../cases/seeds.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let (a, b) = (draft(&row["existing"]), draft(&row["new"]));
        let found = analyse(&(&a).into(), &(&b).into());
        let decided = serde_json::to_value(found.outcome).unwrap();
        if decided != row["expected"] {
            wrong.push(format!("{}: {decided} {:.2?}, not {}", row["id"], found.probabilities, row["expected"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn any_two_texts_get_a_decision() {
    let long = "회의 3시 budget $5k, ".repeat(6_000);
    let texts = [
        "",
        " ",
        "a",
        "가",
        "3",
        "🎉🎉🎉 👩‍👩‍👧‍👦",
        "\u{301}\u{301}",
        "ㄱㄴㄷ ㅏㅑ",
        "１２３ ４５６ 年月日 平成三十年",
        "مرحبا שלום привет",
        "-.,:/#@!?…()[]{}",
        "1/2/3-4:5.6,7",
        "Q1 예산 5000만원 for the Q2 campaign in 東京",
        &long,
        "\u{0}\u{1}\u{fffd}\u{200b}",
    ];
    for a in texts {
        for b in texts {
            let (x, y) = (Draft::new(a), Draft::new(b));
            let found = analyse(&(&x).into(), &(&y).into());
            let sum: f32 = found.probabilities.iter().sum();
            assert!((sum - 1.0).abs() < 1e-3, "{a:.20} / {b:.20}: {:?}", found.probabilities);
            for c in &found.changes {
                assert!(c.change.old_value.as_deref().is_none_or(|old| a.contains(old)));
                assert!(c.new_span.is_none_or(|(s, e)| b.get(s..e) == c.change.new_value.as_deref()));
            }
        }
    }
}

#[test]
fn empty_text_never_gives_a_sure_decision() {
    let (a, b) = (Draft::new(""), Draft::new("Budget is 5M"));
    assert!(!analyse(&(&a).into(), &(&b).into()).sure);
    assert!(!analyse(&(&b).into(), &(&a).into()).sure);
}

#[test]
fn the_same_pair_gives_the_same_analysis() {
    let (a, b) = (Draft::new("Kickoff on 15 January at 2pm"), Draft::new("Kickoff moved to 3pm"));
    let one: Claim<'_> = (&a).into();
    let two: Claim<'_> = (&b).into();
    assert_eq!(analyse(&one, &two), analyse(&one, &two));
}

#[test]
fn changed_value_quotes_both_texts() {
    let a = Draft::new("프로젝트 킥오프 미팅 1월 15일 오후 2시");
    let b = Draft::new("프로젝트 킥오프 미팅 시간 변경: 1월 15일 오후 3시");
    let found = analyse(&(&a).into(), &(&b).into());
    assert_eq!(found.outcome, Outcome::Update);
    let c = &found.changes[0];
    let new = c.new_span.unwrap();
    assert!(c.change.old_value.as_deref().unwrap().contains("2시"), "{:?}", c.change);
    assert!(b.content[new.0..new.1].contains("3시"), "{:?}", c.change);
}

#[test]
fn changes_have_old_value_new_value_and_type() {
    for line in include_str!("../cases/changes.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let (a, b) = (Draft::new(row["existing"].as_str().unwrap()), Draft::new(row["new"].as_str().unwrap()));
        let (ra, rb) = (Reading::of(&(&a).into()), Reading::of(&(&b).into()));
        let (alignment, pairing) = features(&ra, &rb, &mut Sheet::default());
        let found = changes(&ra, &rb, &alignment, &pairing);
        let first = &found.first().unwrap_or_else(|| panic!("no change: {line}")).change;
        let holds = |said: &Option<String>, wanted: &Value| match wanted.as_str() {
            Some(w) => said.as_deref().is_some_and(|s| s.contains(w)),
            None => said.is_none(),
        };
        assert!(holds(&first.old_value, &row["old"]) && holds(&first.new_value, &row["value"]), "{first:?}");
        assert_eq!(serde_json::to_value(first.change_type).unwrap(), row["type"], "{first:?}");
    }
}

#[test]
fn a_certain_notice_of_change_is_an_update_in_19_of_20_labelled_pairs() {
    let (mut right, mut all) = (0, 0);
    for file in std::fs::read_dir("tests/eval/pairs").unwrap().map(|f| f.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            // Both texts share a thread, as mails do: unrelated texts get no notice.
            let text = |side: &str| Draft {
                thread_id: Some("t".into()),
                ..Draft::new(row[side]["content"].as_str().unwrap())
            };
            let (existing, new) = (text("existing"), text("new"));
            let (a, b) = (Reading::of(&(&existing).into()), Reading::of(&(&new).into()));
            let (alignment, _) = features(&a, &b, &mut Sheet::default());
            if notice(&a, &b, &alignment).is_some_and(|n| n.is_certain()) {
                all += 1;
                right += usize::from(row["expected"] == "UPDATE");
            }
        }
    }
    println!("{right} of {all} certain notices of change are updates");
    assert!(all >= 80 && right * 20 >= all * 19, "{right} of {all}");
}

#[test]
fn increased_value_is_an_update_and_no_repetition() {
    for (old, new) in [
        (
            "The rent for the warehouse is 3,100 a month.",
            "The rent for the warehouse has gone from 3,100 to 3,300 a month.",
        ),
        ("창고 임대료는 월 310만 원이다.", "창고 임대료가 월 310만 원에서 330만 원으로 올랐다."),
    ] {
        let (old, new) = (Draft::new(old), Draft::new(new));
        let found = analyse(&(&old).into(), &(&new).into());
        assert_eq!(found.outcome, Outcome::Update, "{}: {:?}", new.content, found.probabilities);
    }
}

#[test]
fn an_announced_value_of_any_kind_replaces_the_stored_one() {
    let told = |a: &str, b: &str| {
        let found = analyse(&(&Draft::new(a)).into(), &(&Draft::new(b)).into());
        let change = found.changes.first().map(|c| (c.change.old_value.clone(), c.change.new_value.clone()));
        (found.outcome, found.sure, change.unwrap_or_default())
    };
    for (a, b, old, new) in [
        ("The conference room is B201.", "The conference room has changed to C305.", "B201", "C305"),
        ("The budget is 50,000 dollars.", "The budget has changed from 50,000 to 60,000 dollars.", "50,000", "60,000"),
        ("The wifi password is bluefish22.", "We changed the wifi password to redfish44.", "bluefish22", "redfish44"),
        ("My phone number is 555-1234.", "My new phone number is 555-9876.", "555-1234", "555-9876"),
        ("플랫폼팀 팀장은 김민수다", "플랫폼팀 팀장이 박지영으로 바뀌었다", "김민수다", "박지영"),
        ("회의실은 201호다", "회의실이 305호로 변경되었습니다", "201", "305"),
        ("우리 강사는 한나래다", "우리 새 강사는 도하늘이다", "한나래다", "도하늘"),
    ] {
        let (outcome, sure, (was, is)) = told(a, b);
        assert!(outcome == Outcome::Update && sure, "{a} / {b}: {outcome:?}");
        let quotes = |value: &Option<String>, part: &str| value.as_ref().is_some_and(|v| v.contains(part));
        assert!(quotes(&was, old) && quotes(&is, new), "{a} / {b}: {was:?} → {is:?}");
    }
    for (a, b) in [
        ("The conference room is B201.", "The meeting room of the annex has changed to C305."),
        ("The conference room is B201.", "Shall we change the conference room to C305?"),
        ("The car is red.", "The car was moved to Leeds."),
        ("The Q1 goal is 20%.", "The Q2 goal has changed to 30%."),
        ("플랫폼팀 팀장은 김민수다", "데이터팀 팀장이 박지영으로 바뀌었다"),
        ("회의실은 201호다", "회의실을 305호로 변경하면 어떨까요?"),
    ] {
        let (outcome, sure, _) = told(a, b);
        assert!(!(outcome == Outcome::Update && sure), "{a} / {b}");
    }
}
