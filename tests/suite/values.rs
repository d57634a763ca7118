//! Parsing of typed values in text, at one reference time.
//!
//! `tests/corpus` has one file per kind of value; each line is a value and its spellings.

use crate::shown_values::Shown;
use memfold::language::{Reference, meant_values, moments, values};
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
        assert_eq!(shown(text), wanted, "{text}");
    }
}

/// The values of a text, as text.
fn shown(text: &str) -> String {
    let found = values(text, Some(reference()));
    found.iter().map(|f| Shown(&f.value).to_string()).collect::<Vec<_>>().join(", ")
}

#[test]
fn spellings_keep_their_values() {
    let (mut wrong, mut all) = (Vec::new(), 0);
    for line in include_str!("../cases/spellings.txt").lines().filter(|line| !line.starts_with('#')) {
        let (wanted, spellings) = line.split_once(": ").unwrap_or_else(|| panic!("no value: {line}"));
        for spelling in spellings.split(" | ") {
            all += 1;
            let found = shown(spelling);
            if found != if wanted == "none" { "" } else { wanted } {
                wrong.push(format!("{spelling} is {found}, not {wanted}"));
            }
        }
    }
    assert!(all > 5_000, "{all} spellings");
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
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
                let found = shown(spelling);
                if found != value {
                    wrong.push(format!("{spelling} is {found}, not {value}"));
                }
            }
        }
    }
    assert!(all > 500, "{all} spellings");
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The days of a mail sent on Monday, 9 March 2026, in order.
fn days(text: &str) -> String {
    let at = Some(Reference { now: "2026-03-09T01:00:00Z".parse().unwrap(), zone: Zone::default() });
    let found = moments(text, &meant_values(text, at), at);
    found.iter().map(|m| m.day.format("%m-%d").to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn bare_days_resolve_by_context_or_stay_unresolved() {
    for (text, day) in [
        // The past tense selects the previous occurrence, the future tense the next.
        ("We had the scan on Tuesday, there's two of them.", "03-03"),
        ("Further to our letter of the 14th, the desk is shut.", "02-14"),
        ("화요일에 온 손님이 두고 갔습니다.", "03-03"),
        ("Your appointment has been moved to Friday.", "03-13"),
        ("I'll put it in the post on Saturday.", "03-14"),
        ("The vigil is on the 28th.", "03-28"),
        ("목요일 오전에 갖다 드리겠습니다.", "03-12"),
        // An adjacent month or weekday decides.
        ("26일 일요일에 와요.", "04-26"),
        ("The 10th of July, not the 3rd.", "07-10 07-03"),
        ("They came this Sunday.", "03-08"),
        ("They come this Sunday.", "03-15"),
        ("사흘 뒤에 다시 전화드릴게요.", "03-12"),
        // Another week, another day's distance, or every week.
        ("Could it be the Monday of that week?", ""),
        ("They've eaten my Tuesday mornings.", ""),
        ("평소 토요일 18시는 그대로입니다.", ""),
        ("시작일을 13일 늦추고 종료일도 늦춥니다.", ""),
        ("Here are the notes from Friday's call.", ""),
        ("They want it on the 28th, a week later than the ticket.", ""),
        ("The desk comes on the 9th.", ""),
        ("The weekly meeting is on Tuesday.", ""),
        ("잔금은 예식 닷새 전까지 주세요.", ""),
        ("점검을 나흘 뒤로 미뤘습니다.", ""),
    ] {
        assert_eq!(days(text), day, "{text}");
    }
}
