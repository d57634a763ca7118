//! What is read from a line: each value as it prints, at one reference time.

use memfold::language::{Reference, values};
use memfold::model::Zone;

#[test]
fn what_only_looks_like_another_value_is_read_as_what_it_is() {
    let at = Reference { now: "2025-05-14T01:20:00Z".parse().unwrap(), zone: Zone::from_minutes(540) };
    for (text, wanted) in [
        ("신청: 5. 20.(화)까지", "date 2025-05-20"),
        ("2025. 5. 26.(월) ~ 5. 30.(금)", "date 2025-05-26 .. date 2025-05-30"),
        ("제작에 영업일 기준 6일 걸립니다", "duration 6d"),
        ("설치에 3일 소요", "duration 3d"),
        ("6일에 만나요", "date 2025-06-06"),
        ("Rack 14A to 14C", "id 14A"),
        ("between 12 and 14C", "quantity 12 °C .. quantity 14 °C"),
        ("between 3 and 7 April", "date 2025-04-03 .. date 2025-04-07"),
    ] {
        let found: Vec<String> = values(text, Some(at)).iter().map(|f| f.value.to_string()).collect();
        assert_eq!(found.join(", "), wanted, "{text}");
    }
}
