//! The owner's review: which questions are asked, what an answer does, and what a correction settles besides.

use crate::post::{Owned, current, later, mail, mine, read};
use crate::repeats::{sound, waiting};
use futures::executor::block_on;
use memfold::consolidation::{LogEntry, OwnerVerdict, ReviewOptions};
use memfold::decision::{Decision, Policy, Reason};
use memfold::engine::Consolidate;
use memfold::model::{Draft, Memory, Source};

fn told(m: &Owned, id: u32, from: &str, subject: &str, text: &str) -> Vec<LogEntry> {
    let head = format!(
        "From: {from}\r\nTo: me@example.org\r\nSubject: {subject}\r\nDate: Sat, {id:02} Feb 2025 09:00:00 +0000\r\n"
    );
    read(m, &mail(id, &head, text))
}

fn noted(m: &Owned, content: &str, on: &str) -> Memory {
    let draft = Draft { stated_at: on.parse().ok(), ..Draft::new(content) };
    block_on(m.consolidate(draft, &Consolidate::default())).unwrap().memory.unwrap()
}

fn review(m: &Owned, entry: &LogEntry, verdict: OwnerVerdict) -> LogEntry {
    block_on(m.review(entry.id, verdict, &ReviewOptions::default())).unwrap()
}

fn contents(m: &Owned) -> Vec<String> {
    current(m).into_iter().map(|k| k.content).collect()
}

#[test]
fn a_withheld_change_is_made_once_its_owner_accepts_it_however_old_its_mail() {
    for (note, change, value, gone) in [
        (
            "The dentist appointment is on 12 December 2026 at 10:00.",
            "The dentist appointment was moved from 12 December to 14 December 2026 at 15:00.",
            "15:00",
            "10:00",
        ),
        (
            "치과 예약은 2026년 12월 12일 오전 10시다.",
            "치과 예약이 12월 12일에서 2026년 12월 14일 오후 3시로 변경되었습니다.",
            "오후 3시",
            "오전 10시",
        ),
    ] {
        let m = later(1, |o| o.policy = Policy::BALANCED);
        // The note is younger than the mail.
        noted(&m, note, "2025-06-01T09:00:00Z");
        let entries = told(&m, 2, "desk@dentist.example", "Appointment", change);
        let withheld = entries
            .iter()
            .find(|e| e.decision == Decision::Update && e.touched.is_empty())
            .unwrap_or_else(|| panic!("{entries:#?}"));
        let done = review(&m, withheld, OwnerVerdict::Accept);
        let known = contents(&m);
        assert!(known.iter().any(|k| k.contains(value)) && known.iter().all(|k| !k.contains(gone)), "{known:#?}");
        assert_eq!(current(&m)[0].source_type, Source::UserInput);
        sound(&m);
        block_on(m.undo(done.id)).unwrap();
        assert!(contents(&m).iter().any(|k| k.contains(gone)));
        sound(&m);
    }
}

/// Two mails of which the second may change the first; without a model nobody is sure.
const DOUBTS: [(&str, &str, &str, &str); 1] = [(
    "The contract provides for closing on Friday 29 May 2026, time not being of the essence.",
    "The earliest date upon which we could advise you to close the contract is accordingly Friday 5 June, to which both sides have consented.",
    "29 May",
    "5 June",
)];

fn doubted(told_first: &str, then: &str) -> (Owned, LogEntry) {
    let m = mine();
    told(&m, 1, "ann@acme.example", "News", told_first);
    let head = "From: ann@acme.example\r\nTo: me@example.org\r\nSubject: Re: News\r\nDate: Sun, 02 Feb 2025 09:00:00 +0000\r\n\
                In-Reply-To: <1@x.example>\r\nReferences: <1@x.example>\r\n";
    let entries = read(&m, &mail(2, head, then));
    let doubt = entries.into_iter().find(|e| e.needs_review);
    let doubt =
        doubt.unwrap_or_else(|| waiting(&m).pop().map(|i| i.entry).unwrap_or_else(|| panic!("{:#?}", contents(&m))));
    (m, doubt)
}

#[test]
fn replace_replaces() {
    for (first, then, gone, value) in DOUBTS {
        let (m, doubt) = doubted(first, then);
        let done = review(&m, &doubt, OwnerVerdict::Change(Decision::Update));
        let known = current(&m);
        assert_eq!(known.len(), 1, "{known:#?}");
        assert!(known[0].content.contains(value) && !known[0].content.contains(gone), "{:#?}", known[0]);
        assert!(known[0].statements.iter().all(|s| s.struck.is_empty()), "no scraps: {:#?}", known[0].statements);
        assert_eq!((known[0].version, waiting(&m).len()), (2, 0));
        sound(&m);
        block_on(m.undo(done.id)).unwrap();
        assert_eq!(current(&m).len(), 2);
        sound(&m);
    }
}

#[test]
fn nobody_is_asked_about_pairs_that_have_nothing_to_do_with_each_other() {
    let m = mine();
    for (id, (from, subject, text)) in [
        ("bulbs@vandam.example", "Tulips", "Our offer for 1,000 tulip bulbs at €180 is valid until 5 November 2025."),
        ("desk@heating.example", "Boiler", "The boiler appointment is on 12 November 2025, 8 to 12."),
        ("fiona@letting.example", "Flat 2, 9 Capstan Row", "The tenancy is renewed on 1 July 2025 at £1,095 a month."),
        ("joss@post.example", "Flat 2, 9 Capstan Row", "I start in Leith on 1 September 2025."),
        ("mina@firm.example", "회의실", "회의실 공사는 3월 12일에 시작합니다."),
        ("hana@club.example", "합창단", "합창단 연습은 매주 화요일 저녁 7시입니다."),
    ]
    .into_iter()
    .enumerate()
    {
        told(&m, id as u32 + 1, from, subject, text);
    }
    assert_eq!(waiting(&m), []);
}

#[test]
fn a_correction_by_the_owner_closes_rivals_and_questions_of_the_matter() {
    for (first, then, ..) in DOUBTS {
        let (m, doubt) = doubted(first, then);
        let all = current(&m);
        assert!(all.len() > 1);
        let target = all.iter().find(|k| Some(k.id) == doubt.target_id).unwrap();
        let words = if first.is_ascii() {
            "The contract closes on Friday 12 June."
        } else {
            "대관료는 하루 20만원이다."
        };
        let done = block_on(m.update(target.id, words, &Default::default())).unwrap().entry;
        assert_eq!(contents(&m), [words]);
        assert_eq!(waiting(&m), []);
        assert!(done.reasons.contains(&Reason::Settled { entry: doubt.id }), "{done:#?}");
        sound(&m);
        // In one entry: taken back, all of it is as it was.
        block_on(m.undo(done.id)).unwrap();
        let mut stood: Vec<String> = all.iter().map(|k| k.content.clone()).collect();
        let mut now = contents(&m);
        stood.sort();
        now.sort();
        assert_eq!(stood, now);
        assert!(waiting(&m).iter().any(|i| i.entry.id == doubt.id));
        sound(&m);
    }
}

#[test]
fn a_correction_leaves_other_matters_alone() {
    let m = mine();
    told(
        &m,
        1,
        "ann@acme.example",
        "Concert",
        "The spring concert is in the Corn Hall on 28 March at 7.30 pm, with tea after.",
    );
    told(&m, 2, "desk@heating.example", "Boiler", "The boiler appointment is on 12 November 2025, 8 to 12.");
    told(
        &m,
        3,
        "ann@acme.example",
        "Extra",
        "One extra rehearsal for the strings: Sunday 22 March, 2 to 5, in the Scout hut.",
    );
    let before = contents(&m);
    let concert = current(&m).into_iter().find(|k| k.content.contains("concert")).unwrap();
    block_on(m.update(concert.id, "The spring concert is on 28 March at 6 pm.", &Default::default())).unwrap();
    for text in before.iter().filter(|t| !t.contains("concert")) {
        assert!(contents(&m).contains(text), "{text}");
    }
}

#[test]
fn no_question_is_about_what_is_outdated_and_one_is_asked_of_a_matter() {
    for (first, then, ..) in DOUBTS {
        let (m, doubt) = doubted(first, then);
        let target = current(&m).into_iter().find(|k| Some(k.id) == doubt.target_id).unwrap();
        assert_eq!(waiting(&m).len(), 1);
        // A third one says something else again.
        let third = if first.is_ascii() {
            "The date to close the contract is now Friday 19 June, I am told."
        } else {
            "할머니 방은 이제 501호라고 합니다."
        };
        told(&m, 3, "ann@acme.example", "Once more", third);
        assert!(waiting(&m).len() <= 1, "{:#?}", waiting(&m));
        let _ = target;
        for item in waiting(&m) {
            let ids = [item.existing.as_ref(), item.memory.as_ref()].map(|m| m.map(|m| m.id));
            assert!(ids[0] != ids[1] || ids[0].is_none());
            assert!(item.existing.is_none_or(|e| e.is_current()));
        }
    }
}
