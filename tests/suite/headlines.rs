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
