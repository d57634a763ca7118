//! Parsing of typed values in text, at one reference time.
//!
//! `tests/corpus` has one file per kind of value; each line is a value and its spellings.

use memfold::language::{Reference, values};
use memfold::model::Zone;

#[test]
fn ambiguous_spellings_are_parsed_correctly() {
    for (text, wanted) in [
        ("신청: 5. 20.(화)까지", "date 2025-05-20"),
        ("2025. 5. 26.(월) ~ 5. 30.(금)", "date 2025-05-26 .. date 2025-05-30"),
        ("제작에 영업일 기준 6일 걸립니다", "duration 6d"),
        ("설치에 3일 소요", "duration 3d"),
        ("6일에 만나요", "date 2025-06-06"),
        ("Rack 14A to 14C", "id 14A"),
        ("between 12 and 14C", "quantity 12 °C .. quantity 14 °C"),
        ("5월 말까지 서명 부탁드립니다", "date 2025-05-31"),
        ("두부와 세제를 서점 옆에서 사 오세요", ""),
        ("회신은 내년 2월까지", "period month m2 [2026-02-01, 2026-03-01)"),
        ("이월 예산은 삼월로 넘긴다", "period month m3 [2025-03-01, 2025-04-01)"),
        ("12월 이틀을 쉰다", "period month m12 [2025-12-01, 2026-01-01), duration 2d"),
        ("시월 사흘 동안", "period month m10 [2025-10-01, 2025-11-01), duration 3d"),
        ("십이억이 깎이지 않고", "number 1200000000"),
        ("억지로, 이만 갑니다, 수억", ""),
        ("cut by half 3 times", "quantity 3 time"),
        ("between 3 and 7 April", "date 2025-04-03 .. date 2025-04-07"),
    ] {
        let found: Vec<String> = values(text, Some(reference())).iter().map(|f| f.value.to_string()).collect();
        assert_eq!(found.join(", "), wanted, "{text}");
    }
}

/// Wednesday, 14 May 2025, 10:20 in Seoul.
fn reference() -> Reference {
    Reference { now: "2025-05-14T01:20:00Z".parse().unwrap(), zone: Zone::from_minutes(540) }
}

#[test]
fn corpus_spellings_parse_to_their_value() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let (mut wrong, mut all) = (Vec::new(), 0);
    for file in std::fs::read_dir(dir).unwrap() {
        let path = file.unwrap().path();
        for line in std::fs::read_to_string(&path).unwrap().lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
            let (value, spellings) = line.split_once(": ").unwrap_or_else(|| panic!("{}: {line}", path.display()));
            for spelling in spellings.split(" | ") {
                all += 1;
                let found: Vec<String> =
                    values(spelling, Some(reference())).iter().map(|f| f.value.to_string()).collect();
                if found != [value] {
                    wrong.push(format!("{spelling} is {}, not {value}", found.join(", ")));
                }
            }
        }
    }
    assert!(all > 500, "{all} spellings");
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}
