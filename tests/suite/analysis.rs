//! The local analyst: every pair gets a decision, the seed cases the expected one, and changes have
//! spans.

use memfold::analysis::{
    Outcome, Own, Reading, Sought, analyse,
    changes::changes,
    classifier,
    features::{Sheet, features},
    head::combined,
    meanings,
    notice::notice,
    place, says,
};
use memfold::model::{ChangeType, Claim, Draft};
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
            if notice(&a, &b, &alignment).is_some() {
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
        ("실내 훈련 날짜는 29일이다", "새 날짜는 1월에 알려 드리겠습니다"),
    ] {
        let (outcome, sure, _) = told(a, b);
        assert!(!(outcome == Outcome::Update && sure), "{a} / {b}");
    }
}

#[test]
fn whole_words_and_equal_values_are_found() {
    let cases = [
        ("예산은 5000만원으로 늘었습니다.", "5000만원"),
        ("예산은 5000만원으로 늘었습니다.", "예산"),
        ("오후3시에 만나요", "3시"),
        ("내일 오후 3시에 회의실에서", "오후 3시"),
        ("Q1예산을 확정", "예산"),
        ("민수는 참석합니다", "참석"),
        ("검토중입니다", "검토중"),
        ("김민수님께 전달", "김민수"),
        ("부산에서 열립니다", "부산"),
        ("카카오(Kakao)로 이직", "Kakao"),
        ("v2.4로 올림", "v2.4"),
        ("The cost is $5,000 now.", "5,000"),
        ("The cost is $5,000 now.", "$5,000"),
        ("the fee rose to 4.5%", "4.5%"),
        ("Kim's house", "Kim"),
        ("Gate B, seat 22A", "B"),
        ("Gate B, seat 22A", "22A"),
        ("meet at 3 pm", "15:00"),
        ("회의는 오후 3시", "15시"),
        ("cafe\u{301} at noon", "at noon"),
        ("읽기 복제본은 하나다.", "하나"),
        ("소금을 3분의 1컵만 쓴다", "3분의 1컵"),
        ("늘 옆자리 동료 몫이었지.", "옆자리 동료 몫"),
        ("予算は五百万円です", "五百万円"),
    ];
    for (text, words) in cases {
        assert!(says(text, words), "{words} of {text}");
    }
}

#[test]
fn parts_of_words_and_numbers_are_not_found() {
    let cases = [
        ("예산은 5000만원으로 늘었습니다.", "500"),
        ("예산은 5000만원으로 늘었습니다.", "5000"),
        ("예산은 5000만원으로 늘었습니다.", "만원"),
        ("예산은 5000만원으로 늘었습니다.", "산"),
        ("예산은 5000만원으로 늘었습니다.", "예"),
        ("예산서를 보냈습니다", "예산"),
        ("마케팅예산을 확정", "예산"),
        ("미승인 상태", "승인"),
        ("불참석", "참석"),
        ("The cost is $5,000 now.", "c"),
        ("The cost is $5,000 now.", "5"),
        ("The cost is $5,000 now.", "000"),
        ("The cost is 15 now.", "5"),
        ("cost 5M by May", "5"),
        ("the fee rose to 4.5%", "4"),
        ("the fee rose to 45%", "45"),
        ("at 10:30", "30"),
        ("We cannot pay", "can"),
        ("We can't pay", "can"),
        ("We can't pay", "t"),
        ("Q1 budget", "1"),
        ("Q1 budget", "Q"),
        ("unpaid invoice", "paid"),
        ("cost!", "!"),
        ("cost", ""),
        ("cost", " "),
    ];
    for (text, words) in cases {
        assert!(!says(text, words), "{words} of {text}");
    }
}

#[test]
fn place_finds_the_whole_word() {
    assert_eq!(place("gate 15, seat 5", "5"), Some(14..15));
    assert_eq!(place("예산안의 예산", "예산"), Some(13..19));
    assert_eq!(place("15", "5"), None);
}

fn sought(text: &str, own: &Own) -> Vec<(u64, f32)> {
    Sought::new(text, own).keys_and_people().to_vec()
}

#[test]
fn equal_values_match_in_any_notation() {
    for (a, b) in [
        ("3억 원", "300,000,000 won"),
        ("오후 4시", "16:00"),
        ("1.2 million euros", "€1,200,000"),
        ("6/20까지", "6월 20일"),
        ("in 90 minutes", "1시간 반"),
        ("열두 명", "12 people"),
        ("30/09", "30 September"),
    ] {
        assert!(meanings(a).iter().any(|k| meanings(b).contains(k)), "{a} {b}");
    }
    assert!(!meanings("16:00").iter().any(|k| meanings("16개 720원").contains(k)));
}

#[test]
fn owner_name_has_little_weight() {
    let own = Own::of(&["suhyun.bae+news@daon.example".to_owned()]);
    let most = |ask: &str, own: &Own| sought(ask, own).iter().map(|k| k.1).fold(0.0f32, f32::max);
    for ask in ["Suhyun", "suhyun?", "Bae"] {
        assert!(most(ask, &own) < 0.5 * most(ask, &Own::default()), "{ask}");
    }
    for ask in ["배 두 상자", "Suwon", "민지", "a bay", "shrimp"] {
        assert_eq!(most(ask, &own), most(ask, &Own::default()), "{ask}");
    }
}

#[test]
fn statements_with_new_details_are_not_skipped() {
    for (old, new) in [
        ("The wifi password is apple123", "The wifi password is Apple123"),
        ("The API key is sk-AbC123", "The API key is sk-abc123"),
        ("The code for the shed is K7x", "The code for the shed is k7X"),
        ("https://a.example/x is the form", "https://a.example/X is the form"),
        ("Anna's phone is 555-0101", "Hanna's phone is 555-0101"),
        ("The water is drinkable", "The water is undrinkable"),
        ("Ann's mother is a doctor", "Ann is a doctor"),
        ("鍵は田中さんにあります", "鍵は佐藤さんにあります"),
        ("钥匙在王明那里", "钥匙在李华那里"),
        ("กุญแจอยู่กับสมชาย", "กุญแจอยู่กับสมหญิง"),
        ("चाबी राम के पास है", "चाबी श्याम के पास है"),
    ] {
        let found = analyse(&(&Draft::new(old)).into(), &(&Draft::new(new)).into());
        assert!(found.outcome != Outcome::Skip, "{old} / {new}: {found:?}");
    }
}

#[test]
fn repeated_statements_are_skipped() {
    for (old, new) in [
        ("The Q1 budget is 50 million.", "the q1 budget is 50 million"),
        ("The wifi password is apple123", "THE WIFI PASSWORD IS APPLE123"),
        ("Ann's mother is a doctor", "Ann's mother is a doctor."),
        ("鍵は田中さんにあります", "鍵は田中さんにあります。"),
        ("The meeting is on Friday at 3 pm.", "Meeting: Friday, 3 pm"),
    ] {
        let found = analyse(&(&Draft::new(old)).into(), &(&Draft::new(new)).into());
        assert_eq!(found.outcome, Outcome::Skip, "{old} / {new}: {found:?}");
    }
}

#[test]
fn open_negated_or_single_removals_take_nothing() {
    for (old, new) in [
        ("The practice is every Tuesday at 7 pm.", "The practice this Tuesday is cancelled."),
        ("합창 연습은 매주 화요일 7시.", "이번 주 합창 연습은 취소합니다."),
        ("Offer: 10% discount, 1 year term", "Should the 10% discount be removed?"),
        ("Offer: 10% discount, 1 year term", "Nobody has removed the 10% discount."),
        ("조건: 할인 10%, 약정 1년", "할인 10%는 변경 없습니다."),
        ("The deposit for the flat is 500 euros.", "The deposit for the boat has been deleted."),
        ("Order 81 comes on Monday.", "Order 79 has been cancelled."),
        (
            "오늘 일정과 관련하여 말씀드립니다: 1차 때 따뜻하게 대해 주신 것 오래 기억하겠습니다.",
            "연차 이미 쓰신 분은 저한테 와주세요. 취소해 드립니다.",
        ),
    ] {
        let found = analyse(&(&Draft::new(old)).into(), &(&Draft::new(new)).into());
        assert!(found.changes.iter().all(|c| c.change.change_type != ChangeType::Removal), "{new}: {found:?}");
    }
}

fn has_certain_notice(existing: &str, new: &str) -> bool {
    let [a, b] = [existing, new].map(|text| {
        let stated_at = Some("2025-07-01T00:00:00Z".parse().unwrap());
        Reading::of(&(&Draft { thread_id: Some("t".into()), stated_at, ..Draft::new(text) }).into())
    });
    let (alignment, _) = features(&a, &b, &mut Sheet::default());
    notice(&a, &b, &alignment).is_some()
}

#[test]
fn change_notices_are_detected() {
    for (existing, new) in [
        ("가을 소풍을 9월 25일(목)에 갑니다.", "태풍 예보로 소풍을 9월 25일에서 10월 2일(목)로 변경합니다."),
        (
            "스케일링 예약이 9월 24일(수) 오전 11시로 확정되었습니다.",
            "스케일링 예약이 9월 30일(화) 오전 9시로 변경되었습니다.",
        ),
        ("킥오프 회의를 오후 2시에 진행합니다.", "킥오프 회의를 3시 30분으로 미룹니다."),
        ("세미나를 5월 29일(목) 오후 5시에 합니다.", "세미나가 6월 5일(목) 같은 시간으로 연기되었습니다."),
        (
            "Launch of the website is planned for 3 November.",
            "The move clashes, so the website goes live on 17 November instead of 3 November.",
        ),
        (
            "Flight HB 318 departs at 11:35.",
            "The departure time of your flight HB 318 has changed from 11:35 to 13:10.",
        ),
        ("여름 휴가를 7월 28일에 냈어.", "휴가를 8월 4일로 옮겼어."),
        ("The data migration is due 28 May.", "The data migration will be done by 4 June, not 28 May."),
        ("자체점검표는 3월 21일(금)까지 내 주세요.", "자체점검표 제출 기한을 4월 4일(금)로 늦춥니다."),
        (
            "The supplier review is on Thursday 20 March.",
            "Lars is away, so I have to move our supplier review to Tuesday 25 March.",
        ),
        ("칠순 잔치는 12시에 한정식집 다온에서 한다.", "다온이 수리 중이라 칠순 잔치 장소를 송정 바다뜰로 바꿨다."),
        ("The town meeting is in the library.", "The venue of the town meeting has moved to the sports hall."),
        ("The pilot has 40 seats.", "Finance wants all of them in, so please make that 65 seats rather than 40."),
        (
            "Parcel PH-7719 will be delivered on Thursday 5 June.",
            "Parcel PH-7719 will now be delivered on Saturday 7 June.",
        ),
    ] {
        assert!(has_certain_notice(existing, new), "{existing} / {new}");
    }
}

#[test]
fn open_or_unrelated_changes_are_no_notice() {
    for (existing, new) in [
        ("운영위원회는 4월 9일 오후 3시에 연다.", "운영위원회를 4월 9일 오후 4시로 늦추면 어떻겠냐고 물었다."),
        ("에어프라이어 주문은 9월 10일 도착 예정이다.", "경비실 인터폰 수리는 9월 10일에서 9월 12일로 변경되었다."),
        ("3장 결과는 6월 10일까지 정리해 주세요.", "마감이 6월 27일로 일주일 연장됐다고 합니다."),
        ("2차 시안 리뷰는 4월 23일 15시이다.", "3차 시안 리뷰는 5월 7일 15시로 변경되었다."),
        ("Invoice #1031 is due on 3 May.", "Invoice #1032 is now due on 9 May."),
        ("The museum ticket is £9.", "The yearly pass is £22 instead of £9 a visit."),
        ("The review is on 3 May.", "Shall we move the review to 5 May?"),
        ("The review is on 3 May.", "The review has not been moved to 5 May."),
        ("예산은 5000만원이다.", "예산은 5000만원 그대로입니다."),
        ("The review is on 3 May, not 5 May.", "The report is due 7 May, not 6 May."),
        ("칠순 잔치는 12시에 한정식집 다온에서 한다.", "동창회 장소를 송정 바다뜰로 바꿨다."),
        ("휴가는 7월 28일부터이다.", "휴가 신청 기한을 8월 4일로 늦춥니다."),
        ("", "moved to 3pm"),
    ] {
        assert!(!has_certain_notice(existing, new), "{existing} / {new}");
    }
}

#[test]
fn trees_and_head_both_count_and_none_rules_an_outcome_out() {
    let (trees, link) = ([0.05, 0.45, 0.45, 0.05], [0.02f32, 0.06, 0.9, 0.02].map(f32::ln));
    let p = combined(&trees, &link);
    assert!(p[2] > 0.6 && (p.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{p:?}");
    let p = combined(&[1.0, 0.0, 0.0, 0.0], &[f32::MIN, 0.0, f32::MIN, f32::MIN]);
    assert!(p.iter().all(|p| p.is_finite() && *p > 0.0), "{p:?}");
}
