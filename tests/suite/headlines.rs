//! The line that people read first: its topic and its current values, whatever the mail's own words for them.

use crate::post::{current, mail, mine, read};
use memfold::Code;
use memfold::model::{Draft, Limits, Property};

/// The headlines after these mails of one thread, each with its day of February 2025, oldest memory first.
fn headlines(subject: &str, mails: &[(u32, &str)]) -> Vec<String> {
    let m = mine();
    for (day, text) in mails {
        let reply =
            if mails[0].0 == *day { String::new() } else { format!("\r\nIn-Reply-To: <{}@x.example>", mails[0].0) };
        let head = format!(
            "From: Ana <ana@firm.example>\r\nTo: me@example.org\r\nSubject: {subject}\r\nDate: {day} Feb 2025 09:00:00 +0000{reply}"
        );
        read(&m, &mail(*day, &head, text));
    }
    let mut all = current(&m);
    all.sort_by_key(|m| m.created_at);
    all.into_iter().filter_map(|m| m.headline).collect()
}

#[test]
fn a_day_that_counts_from_the_mail_is_told_as_a_date() {
    let found = headlines("Rehearsal", &[(17, "The rehearsal is tomorrow at 7 pm in St Oswin's hall.")]);
    assert!(found.iter().any(|h| h.contains("18 February") && !h.contains("tomorrow")), "{found:?}");
    let found = headlines("리허설", &[(17, "리허설은 내일 저녁 7시에 대강당에서 진행합니다.")]);
    assert!(found.iter().any(|h| h.contains("2월 18일") && !h.contains("내일")), "{found:?}");
}

#[test]
fn days_and_amounts_stand_before_states_and_the_topic_is_not_repeated() {
    let found = headlines(
        "Year 4 trip",
        &[(10, "The Year 4 trip is booked for Thursday 27 February and costs £11.50 per child.")],
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("Year 4 trip · Thursday 27 February · £11.50"), "{found:?}");
}

#[test]
fn a_stored_day_told_again_in_other_words_gives_way_to_its_replacement() {
    let told = "상담은 2월 19일 수요일 오후 4시 20분에 2학년 3반 교실에서 진행됩니다.";
    let found = headlines(
        "학부모 상담",
        &[(10, told), (18, "내일 상담은 2월 21일 금요일 오후 5시로 옮겨야 합니다. 장소는 동일합니다.")],
    );
    assert!(found.iter().any(|h| h.contains("21일") && !h.contains("19일")), "{found:?}");
    let told = "The boiler inspection takes place on Wednesday 19 February at 10 am.";
    let found = headlines(
        "Boiler",
        &[(10, told), (18, "Tomorrow's boiler inspection has been moved to Monday 24 February at 10 am.")],
    );
    assert!(found.iter().any(|h| h.contains("24 February") && !h.contains("19 February")), "{found:?}");
}

#[test]
fn a_booking_in_rows_is_kept() {
    let text = "Thank you for booking with us!\r\n\r\nBooking reference: QX7P2L\r\nPassenger: Alex Morgan\r\n\
        Flight FN 482 Gatwick - Oslo\r\nDeparture: Fri 21 Mar 2025 18:25\r\nArrival: Fri 21 Mar 2025 21:40\r\nBaggage: 1 x 23 kg";
    let m = mine();
    let head = "From: FlyNord <no-reply@flynord.example>\r\nTo: me@example.org\r\nSubject: Booking confirmation QX7P2L";
    read(&m, &mail(1, head, text));
    let found = current(&m);
    assert!(found.iter().any(|m| m.content.contains("Departure: Fri 21 Mar 2025 18:25")), "{found:?}");
}

#[test]
fn a_normalised_value_has_the_length_limit_of_a_name() {
    let property =
        |normalised: String| Property { name: "day".into(), value: "tomorrow".into(), normalised: Some(normalised) };
    let draft = |normalised| Draft { properties: vec![property(normalised)], ..Draft::new("The visit is tomorrow") };
    draft("9".repeat(Limits::NAME)).validate().unwrap();
    let error = draft("9".repeat(Limits::NAME + 1)).validate().unwrap_err();
    assert_eq!((error.code, error.field.as_deref()), (Code::InvalidField, Some("properties[0].normalised")));
}

#[test]
fn the_decisions_of_a_list_are_separate_memories() {
    let minutes = "Hi all,\r\n\r\nthanks for coming on Friday. Decisions:\r\n\r\n1. The launch moves to 14 May.\r\n\
        2. Marketing gets 12,000 euros for the campaign.\r\n\r\nNext steering meeting: Thursday 20 March, 10:00, room 4.";
    let found = headlines("Minutes of the steering meeting", &[(17, minutes)]);
    let one = |part: &str| found.iter().filter(|h| h.contains(part)).count() == 1;
    assert!(found.len() == 3 && one("14 May") && one("12,000 euros") && one("20 March"), "{found:?}");
    let minutes =
        "안녕하세요.\r\n\r\n결정 사항\r\n1. 봄 축제는 4월 18일로 옮깁니다.\r\n2. 홍보비는 120만원으로 합니다.";
    let found = headlines("운영위 회의록", &[(17, minutes)]);
    let one = |part: &str| found.iter().filter(|h| h.contains(part)).count() == 1;
    assert!(found.len() == 2 && one("4월 18일") && one("120만원"), "{found:?}");
}

#[test]
fn a_new_time_does_not_replace_the_deadline_of_a_fee() {
    let told = "Winter training starts on Saturday 22 February at 8:30 am at the boathouse.\r\n\r\n\
        The squad fee for the winter is £45, payable by 20 February.";
    let moved = "The start moves to 9:15 am on Saturday because of the tide.";
    let found = headlines("Winter training starts", &[(10, told), (17, moved)]);
    assert!(found.iter().any(|h| h.contains("£45")), "{found:?}");
    assert!(!found.iter().any(|h| h.contains("£45") && h.contains("9:15")), "{found:?}");
}

#[test]
fn a_denied_state_is_not_shown() {
    let told = "The aquarium trip is moved to 8 May because the coach was not available.";
    let found = headlines("Trip to the aquarium", &[(17, told)]);
    assert!(found.iter().any(|h| h.contains("8 May")) && !found.iter().any(|h| h.contains("available")), "{found:?}");
}

#[test]
fn values_bear_the_names_that_the_text_gives_them() {
    let told = "The budget for the archive is £18,500 and the first draft is due on 18 March.";
    assert_eq!(headlines("Larkfield", &[(10, told)]), ["Larkfield · budget £18,500 · draft 18 March"]);
    let told = "예산은 1,850만원이고 초안 마감은 3월 18일입니다.";
    let found = headlines("기록 정리", &[(10, told)]);
    assert!(found.len() == 1 && found[0].starts_with("기록 정리 · 예산 1,850만원 · 마감 3월 18일"), "{found:?}");
}

#[test]
fn a_value_that_the_text_gives_up_is_not_shown() {
    for (subject, told, now, former) in [
        ("Rent review", "From 1 April the rent will be £1,240 per month instead of £1,195.", "£1,240", "£1,195"),
        ("Bins", "The recycling is collected on Fridays from now on, not Thursdays.", "Fridays", "Thursdays"),
        (
            "Call",
            "From next week our weekly call is on Wednesdays at 2 pm instead of Mondays at 10.",
            "2 pm",
            "Mondays",
        ),
        ("관리비 안내", "4월부터 관리비가 18만 5천원에서 19만 2천원으로 오릅니다.", "19만 2천원", "18만 5천원"),
        ("분리수거", "이제 분리수거는 목요일이 아니라 금요일에 합니다.", "금요일", "목요일"),
    ] {
        let found = headlines(subject, &[(10, told)]);
        assert!(found.iter().any(|h| h.contains(now)) && !found.iter().any(|h| h.contains(former)), "{found:?}");
    }
}

#[test]
fn the_place_of_an_event_is_shown() {
    let found = headlines("Spring dinner", &[(10, "The dinner is on Friday 14 March at 7.30 pm at the Ferry Inn.")]);
    assert_eq!(found, ["Spring dinner · Friday 14 March · 7.30 pm · Ferry Inn"]);
    let found = headlines("봄 훈련 안내", &[(10, "훈련은 3월 14일 금요일 오전 7시에 한강공원에서 시작합니다.")]);
    assert!(found.len() == 1 && found[0].ends_with("한강공원"), "{found:?}");
}
