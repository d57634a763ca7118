//! Days and times in the owner's time zone, across daylight saving changes.

use crate::kit::Fake;
use chrono::{NaiveDate, NaiveDateTime, Offset, TimeZone};
use futures::executor::block_on;
use memfold::consolidation::holds_at;
use memfold::embed::HashingEmbedder;
use memfold::engine::{Consolidate, Engine, ListOptions, LogQuery, Options, SearchOptions};
use memfold::extract::drafts;
use memfold::mail::{Account, HostCharset, read};
use memfold::model::{Category, DayOrTime, Draft, Ids, Memory, Source, Time, Zone};
use memfold::sleep::is_candidate;
use memfold::store::MemoryStore;
use serde_json::Value;

type Owned = Engine;

const ZONES: [&str; 12] = [
    "Europe/London",
    "America/New_York",
    "Asia/Seoul",
    "Australia/Sydney",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Pacific/Apia",
    "Africa/Cairo",
    "America/St_Johns",
];

fn minutes(name: &str, millis: i64) -> Option<i32> {
    let zone: chrono_tz::Tz = name.parse().ok()?;
    let offset = zone.timestamp_millis_opt(millis).single()?.offset().fix();
    Some((f64::from(offset.local_minus_utc()) / 60.0).round() as i32)
}

fn zone(name: &str) -> Zone {
    Zone::named(name, |millis| minutes(name, millis)).unwrap()
}

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

#[test]
fn offsets_match_the_time_zone_database() {
    for name in ZONES {
        let zone = zone(name);
        assert_eq!(zone.name(), Some(name));
        // The reference table ends in 2037.
        for hour in (87_648..587_000).step_by(271) {
            let at = hour * 3_600_000;
            assert_eq!(Some(zone.offset_at(at)), minutes(name, at), "{name} at {}", Time::from_millis(at));
        }
    }
}

#[test]
fn unknown_zone_names_are_rejected() {
    assert_eq!(Zone::named("Middle/Earth", |_| None), None);
    for text in ["", "9", "+9", "+9:00", "09:00", "+25:00", "+09:61", "+ab:cd", "Seoul", "−09", "+09:00:00"] {
        assert_eq!(Zone::of_offset(text), None, "{text}");
    }
    for (text, minutes) in [("+09:00", 540), ("-0330", -210), ("+05:45", 345), ("Z", 0), ("UTC", 0), ("-11", -660)] {
        assert_eq!(Zone::of_offset(text), Some(Zone::from_minutes(minutes)), "{text}");
    }
}

#[test]
fn ambiguous_local_times_are_the_first_and_times_in_a_gap_move_forward() {
    for (name, local, utc) in [
        ("Europe/London", "2026-03-29T00:59:00", "2026-03-29T00:59:00Z"),
        ("Europe/London", "2026-03-29T01:30:00", "2026-03-29T01:30:00Z"),
        ("Europe/London", "2026-03-29T02:00:00", "2026-03-29T01:00:00Z"),
        ("Europe/London", "2026-10-25T00:59:00", "2026-10-24T23:59:00Z"),
        ("Europe/London", "2026-10-25T01:30:00", "2026-10-25T00:30:00Z"),
        ("Europe/London", "2026-10-25T02:00:00", "2026-10-25T02:00:00Z"),
        ("America/New_York", "2026-03-08T02:30:00", "2026-03-08T07:30:00Z"),
        ("America/New_York", "2026-11-01T01:30:00", "2026-11-01T05:30:00Z"),
        ("Australia/Sydney", "2026-10-04T02:30:00", "2026-10-03T16:30:00Z"),
        ("Australia/Sydney", "2026-04-05T02:30:00", "2026-04-04T15:30:00Z"),
        ("Asia/Seoul", "2026-03-29T02:30:00", "2026-03-28T17:30:00Z"),
        // Cairo skips midnight on this day.
        ("Africa/Cairo", "2024-04-26T00:00:00", "2024-04-25T22:00:00Z"),
    ] {
        let zone = zone(name);
        let wall: NaiveDateTime = local.parse().unwrap();
        assert_eq!(Time::from_local(wall, zone), time(utc), "{name} {local}");
        // Only times in a gap do not convert back.
        if time(utc).local(zone) != wall {
            assert!(time(utc).local(zone) > wall, "{name} {local}");
        }
    }
}

#[test]
fn a_day_is_the_same_day_in_every_zone() {
    let day: DayOrTime = "2026-05-15".parse().unwrap();
    for name in ZONES {
        let zone = zone(name);
        assert_eq!(day.day(zone).to_string(), "2026-05-15");
        assert_eq!(day.begin(zone).local(zone).to_string(), "2026-05-15 00:00:00", "{name}");
        assert_eq!(day.end(zone).plus_millis(-1).day(zone).to_string(), "2026-05-15", "{name}");
    }
    assert_eq!(day.to_string(), "2026-05-15");
    let long = DayOrTime::Day(NaiveDate::from_ymd_opt(2026, 10, 25).unwrap());
    let hours = |name| (long.end(zone(name)).millis() - long.begin(zone(name)).millis()) / 3_600_000;
    assert_eq!((hours("Europe/London"), hours("Asia/Seoul")), (25, 24));
}

#[test]
fn days_and_times_are_distinct_in_json() {
    let draft = |json: &str| serde_json::from_str::<Draft>(json).map_err(|e| e.to_string());
    let read = draft(r#"{"content":"x","occurredAt":"2026-05-15","validUntil":"2026-05-16T09:00:00+09:00"}"#).unwrap();
    assert_eq!(read.occurred_at, "2026-05-15".parse().ok());
    let json = serde_json::to_value(&read).unwrap();
    assert_eq!(json["occurredAt"], "2026-05-15");
    assert_eq!(json["validUntil"], "2026-05-16T00:00:00.000Z");
    for wrong in ["2026-5-15", "2026-02-30", "15.05.2026", "2026-05-15T", "2026-05-15Z", "2026-05-15T10:00", ""] {
        let json = format!(r#"{{"content":"x","occurredAt":"{wrong}"}}"#);
        assert!(draft(&json).unwrap_err().contains("is not an ISO 8601 time"), "{wrong}");
    }
    let ends = |from: &str, until: &str| Draft {
        valid_from: from.parse().ok(),
        valid_until: until.parse().ok(),
        ..Draft::new("x")
    };
    assert!(ends("2026-05-15", "2026-05-15").validate().is_ok());
    assert!(ends("2026-05-15T20:00:00Z", "2026-05-15").validate().is_ok());
    assert_eq!(ends("2026-05-16", "2026-05-15").validate().unwrap_err().details().field.as_deref(), Some("validUntil"));
    assert!(ends("2026-05-18T00:00:00Z", "2026-05-15").validate().is_err());
}

#[test]
fn mail_dates_are_read_in_the_owners_zone() {
    let mut faults = Vec::new();
    for line in include_str!("../cases/zones.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap_or_default();
        let subject = if case["subject"].is_string() { text("subject") } else { "Plans" };
        let raw = format!(
            "From: Mina <mina@north.example>\r\nTo: me@home.example\r\nSubject: {subject}\r\nDate: {}\r\n\
            Message-ID: <1@x.example>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{}\r\n",
            text("date"),
            text("body")
        );
        let owner = vec!["me@home.example".into()];
        let zone = Zone::of_offset(text("zone")).unwrap_or_else(|| zone(text("zone")));
        let account = Account { owner, zone: Some(zone), ..Account::default() };
        let mail = read(raw.as_bytes(), &HostCharset).unwrap();
        let found = drafts(&mail, &account);
        let at = |at: Option<DayOrTime>| at.map(|at| at.to_string()).unwrap_or_default();
        let got: Vec<[String; 2]> = found
            .iter()
            .map(|d| [d.happens_at().map_or("said".into(), |at| at.to_string()), at(d.valid_until)])
            .collect();
        let fits = |[on, until]: &[String; 2]| {
            case["on"].as_str().is_none_or(|w| w == on) && case["until"].as_str().is_none_or(|w| w == until)
        };
        if !got.iter().any(fits) || got.len() > 1 && !got.iter().all(fits) {
            faults.push(format!("{} {}: {got:?}", text("zone"), text("body")));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

fn opened(name: &str) -> Owned {
    let options = Options { zone: zone(name), ..Options::default() };
    block_on(Engine::open(MemoryStore::default(), HashingEmbedder, Fake::default(), options)).unwrap()
}

fn add(engine: &Owned, content: &str, on: &str) -> Memory {
    let draft = Draft {
        category: Category::Meeting,
        occurred_at: on.parse().ok(),
        stated_at: Some(time("2026-03-01T12:00:00Z")),
        source_type: Source::Realtime,
        ..Draft::new(content)
    };
    block_on(engine.consolidate(draft, &Consolidate::default())).unwrap().memory.unwrap()
}

fn found_words(engine: &Owned, question: &str, options: SearchOptions) -> Vec<String> {
    let mut found: Vec<String> = block_on(engine.search(question, &options))
        .unwrap()
        .into_iter()
        .map(|hit| hit.memory.content.split(' ').next().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

#[test]
fn a_question_about_a_day_finds_the_whole_local_day() {
    for (name, noon, before, first, last, after) in [
        // Asked on Thursday before the clock is set forward.
        (
            "Europe/London",
            "2026-03-26T12:00:00Z",
            "2026-04-02T22:59:59Z",
            "2026-04-02T23:00:00Z",
            "2026-04-03T22:59:59Z",
            "2026-04-03T23:00:00Z",
        ),
        (
            "America/New_York",
            "2026-03-26T16:00:00Z",
            "2026-04-03T03:59:59Z",
            "2026-04-03T04:00:00Z",
            "2026-04-04T03:59:59Z",
            "2026-04-04T04:00:00Z",
        ),
        (
            "Asia/Seoul",
            "2026-03-26T03:00:00Z",
            "2026-04-02T14:59:59Z",
            "2026-04-02T15:00:00Z",
            "2026-04-03T14:59:59Z",
            "2026-04-03T15:00:00Z",
        ),
        (
            "Australia/Sydney",
            "2026-03-26T01:00:00Z",
            "2026-04-02T12:59:59Z",
            "2026-04-02T13:00:00Z",
            "2026-04-03T12:59:59Z",
            "2026-04-03T13:00:00Z",
        ),
        // Before it is set back: in London on 25 October, in New York on 1 November.
        (
            "Europe/London",
            "2026-10-22T12:00:00Z",
            "2026-10-29T23:59:59Z",
            "2026-10-30T00:00:00Z",
            "2026-10-30T23:59:59Z",
            "2026-10-31T00:00:00Z",
        ),
        (
            "America/New_York",
            "2026-10-29T16:00:00Z",
            "2026-11-06T04:59:59Z",
            "2026-11-06T05:00:00Z",
            "2026-11-07T04:59:59Z",
            "2026-11-07T05:00:00Z",
        ),
    ] {
        let engine = opened(name);
        let day = time(first).day(zone(name));
        for (word, on) in [("Yew", before), ("Fir", first), ("Elm", last), ("Oak", after)] {
            add(&engine, &format!("{word} planting with the gardener"), on);
        }
        add(&engine, "Day of the trees in the park", &day.to_string());
        add(&engine, "Eve of the trees in the town", &day.pred_opt().unwrap().to_string());
        for question in ["What happens next Friday?", "다음 주 금요일에 무슨 일이 있어?"] {
            let options = SearchOptions { now: Some(time(noon)), limit: Some(20), ..SearchOptions::default() };
            assert_eq!(found_words(&engine, question, options), ["Day", "Elm", "Fir"], "{name} {question}");
        }
        let span =
            |from, to| SearchOptions { from: Some(from), to: Some(to), limit: Some(20), ..SearchOptions::default() };
        let days = span(DayOrTime::Day(day), DayOrTime::Day(day.succ_opt().unwrap()));
        assert_eq!(found_words(&engine, "trees planting gardener", days), ["Day", "Elm", "Fir"], "{name}");
        // A whole-day event overlaps any part of its day.
        let evening = span(time(last).into(), time(after).into());
        assert_eq!(found_words(&engine, "trees planting gardener", evening), ["Day", "Elm"], "{name}");
    }
}

#[test]
fn validity_until_a_day_includes_that_day() {
    for (name, last, over) in [
        ("Europe/London", "2026-05-15T22:59:59Z", "2026-05-15T23:00:00Z"),
        ("America/New_York", "2026-05-16T03:59:59Z", "2026-05-16T04:00:00Z"),
        ("Asia/Seoul", "2026-05-15T14:59:59Z", "2026-05-15T15:00:00Z"),
        ("Australia/Sydney", "2026-05-15T13:59:59Z", "2026-05-15T14:00:00Z"),
    ] {
        let draft = Draft { valid_until: "2026-05-15".parse().ok(), ..Draft::new("The pass is valid until 15 May") };
        let said = time("2026-05-01T00:00:00Z");
        let memory = Memory::from_draft(Ids::new(said, [1; 16]).mint(), draft, said);
        let holds = |at: &str| holds_at(&memory, None, time(at), zone(name));
        assert!(holds(last) && !holds(over), "{name}");
        let engine = opened(name);
        let draft = Draft { stated_at: Some(said), ..memory.to_draft(None) };
        block_on(engine.consolidate(draft, &Consolidate::default())).unwrap();
        let listed = |at: &str| {
            let options = ListOptions { valid_at: Some(time(at)), ..ListOptions::default() };
            block_on(engine.listed(&options)).unwrap().len()
        };
        assert_eq!((listed(last), listed(over)), (1, 0), "{name}");
    }
}

#[test]
fn events_are_not_folded_before_their_day_ends() {
    let said = time("2026-01-01T00:00:00Z");
    let draft = Draft { occurred_at: "2026-05-15".parse().ok(), stated_at: Some(said), ..Draft::new("Fair on 15 May") };
    let memory = Memory::from_draft(Ids::new(said, [1; 16]).mint(), draft, said);
    let settled = 14 * 86_400_000_i64;
    for (name, over) in [("Europe/London", "2026-05-15T23:00:00Z"), ("America/New_York", "2026-05-16T04:00:00Z")] {
        let at = |offset| is_candidate(&memory, time(over).plus_millis(settled + offset), zone(name));
        assert_eq!((at(-1), at(0)), (false, true), "{name}");
    }
}

#[test]
fn log_queries_by_day_use_local_days() {
    let engine = opened("Asia/Seoul");
    // The test clock is at 1 January 2026, 09:00 in Seoul.
    add(&engine, "Fir planting with the gardener", "2026-05-15");
    let count = |from: &str, to: &str| {
        let query = LogQuery { from: from.parse().ok(), to: to.parse().ok(), ..LogQuery::default() };
        block_on(engine.log(&query)).unwrap().len()
    };
    assert_eq!((count("2026-01-01", "2026-01-02"), count("2025-12-31", "2026-01-01")), (1, 0));
}

#[test]
fn an_event_moved_across_a_clock_change_keeps_its_local_hour() {
    let engine = opened("Europe/London");
    add(&engine, "The kickoff meeting is on 23 March at 2 pm", "2026-03-23T14:00:00Z");
    let draft = Draft {
        category: Category::Meeting,
        occurred_at: "2026-03-30".parse().ok(),
        stated_at: Some(time("2026-03-20T12:00:00Z")),
        source_type: Source::UserInput,
        ..Draft::new("The kickoff meeting was moved from 23 March to 30 March, same hour")
    };
    let moved = block_on(engine.consolidate(draft, &Consolidate::default())).unwrap();
    let memory = moved.memory.unwrap();
    assert_eq!(memory.version, 2, "{}", moved.entry.reason);
    assert_eq!(memory.occurred_at.to_string(), "2026-03-30T13:00:00.000Z");
}

#[test]
fn a_day_without_a_month_takes_the_month_of_the_stored_event() {
    let said = |content: &str, on: &str, at: &str| Draft {
        category: Category::Meeting,
        thread_id: Some("t".into()),
        occurred_at: on.parse().ok(),
        stated_at: Some(time(at)),
        source_type: Source::UserInput,
        ..Draft::new(content)
    };
    for (first, on, next, read, then) in [
        // Stated in October about a concert in November.
        (
            "The autumn concert is on 22 November at 7 pm",
            "2026-11-22T19:00:00Z",
            "The autumn concert on the 22nd was moved to 8 pm",
            "2026-10-22T19:00:00Z",
            "2026-11-22T20:00:00.000Z",
        ),
        (
            "가을 연주회는 11월 22일 오후 7시입니다",
            "2026-11-22T19:00:00Z",
            "가을 연주회 22일 시작이 오후 8시로 변경되었습니다",
            "2026-10-22T19:00:00Z",
            "2026-11-22T20:00:00.000Z",
        ),
        // The month of another day is ambiguous, so the statement's date is used.
        (
            "The autumn concert is on 22 November at 7 pm",
            "2026-11-22T19:00:00Z",
            "The autumn concert was moved to the 23rd at 7 pm",
            "2026-10-23T18:00:00Z",
            "2026-10-12T09:00:00.000Z",
        ),
        (
            "가을 연주회는 11월 22일 오후 7시입니다",
            "2026-11-22T19:00:00Z",
            "가을 연주회가 10월 22일 오후 7시로 변경되었습니다",
            "2026-10-22T18:00:00Z",
            "2026-10-22T18:00:00.000Z",
        ),
    ] {
        let engine = opened("Europe/London");
        let how = Consolidate::default();
        block_on(engine.consolidate(said(first, on, "2026-10-10T09:00:00Z"), &how)).unwrap();
        let moved = block_on(engine.consolidate(said(next, read, "2026-10-12T09:00:00Z"), &how)).unwrap();
        let memory = moved.memory.unwrap();
        assert_eq!(
            (memory.version, memory.occurred_at.to_string().as_str()),
            (2, then),
            "{next}: {}",
            moved.entry.reason
        );
    }
}
