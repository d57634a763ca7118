//! Imports of mailboxes are idempotent and resumable, and mail may come in any order.
//!
//! `MEMFOLD_MAILS` sets how many mails (`make soak`: 10,000).

use crate::faults::Faulty;
use crate::kit;
use futures::FutureExt as _;
use futures::executor::block_on;
use memfold::decision::Policy;
use memfold::engine::{Cancel, Engine, IngestOptions, IngestReport, LogQuery, Place};
use memfold::mail::HostCharset;
use memfold::store::MemoryStore;
use std::rc::Rc;

type Memories = Engine;

fn open(first: u64, policy: Policy) -> Memories {
    kit::real(MemoryStore::default().connect(), policy, first)
}

/// Imports the bytes in chunks, and stops after `most` mails.
fn import(m: &Engine, bytes: &[u8], resume: Option<Place>, most: usize) -> IngestReport {
    let mut intake = m.intake(IngestOptions { resume, ..IngestOptions::default() });
    let from = resume.map_or(0, |p| p.bytes as usize);
    let mut left = most;
    for chunk in bytes[from..].chunks(4_096).map(Some).chain([None]) {
        let pieces = match chunk {
            Some(chunk) => intake.push(chunk),
            None => intake.finish(),
        };
        for piece in pieces {
            if left == 0 {
                return intake.report().clone();
            }
            left -= 1;
            // A store in memory never waits, so an import may also run inside another one.
            m.ingest_all(&mut intake, vec![piece], &HostCharset, Cancel::default()).now_or_never().unwrap().unwrap();
        }
    }
    intake.report().clone()
}

/// Mail number `n` of a generated mailbox.
fn mail(n: usize) -> String {
    let (project, room, day, sum) = (n % 997, n % 53, n % 28 + 1, n * 7 % 900 + 100);
    let body = match n % 5 {
        0 => format!("The review of project P-{project} is on {day} March at 3 pm in room {room}."),
        1 => format!("P-{project} 과제 예산은 {sum}만원으로 확정되었습니다."),
        2 => format!("Please send the report for project P-{project} by {day} March."),
        3 => format!("P-{project} 납품은 3월 {day}일 예정이며 수량은 {sum}개입니다."),
        _ => "Thanks, sounds good!".to_owned(),
    };
    format!(
        "From {n}@x Tue Mar 04 00:20:13 +0000 2025\nFrom: Kim <k{room}@a.example>\nTo: me@b.example\nSubject: P-{project} {n}\n\
         Date: Tue, 4 Mar 2025 {:02}:{:02}:00 +0900\nMessage-ID: <{n}@a.example>\nContent-Type: text/plain; charset=utf-8\n\n{body}\n\n",
        n / 60 % 24,
        n % 60
    )
}

fn mailbox(order: impl Iterator<Item = usize>) -> Vec<u8> {
    order.map(mail).collect::<String>().into_bytes()
}

fn mail_count() -> usize {
    std::env::var("MEMFOLD_MAILS").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

fn count_stored(m: &Memories) -> (usize, usize) {
    let all = block_on(m.list(None, 1_000_000, true)).unwrap().len();
    (all, block_on(m.log(&LogQuery::default())).unwrap().len())
}

#[test]
fn second_import_adds_nothing_in_any_order() {
    let m = open(1, Policy::FAST);
    let n = mail_count();
    let first = import(&m, &mailbox(0..n), None, usize::MAX);
    assert_eq!((first.mails as usize, first.failed.len(), first.replayed), (n, 0, 0));
    assert!(first.drafts as usize >= n / 2, "{first:?}");
    let before = count_stored(&m);
    for order in [mailbox(0..n), mailbox((0..n).rev())] {
        let again = import(&m, &order, None, usize::MAX);
        assert_eq!((again.mails, again.drafts, again.replayed), (first.mails, first.drafts, first.drafts));
        assert_eq!(count_stored(&m), before);
    }
}

#[test]
fn stopped_import_resumes_where_it_stopped() {
    let n = 30;
    let bytes = mailbox(0..n);
    let whole = open(1, Policy::FAST);
    import(&whole, &bytes, None, usize::MAX);
    for stop in [0, 1, 7, 29] {
        let m = open(1, Policy::FAST);
        let first = import(&m, &bytes, None, stop);
        assert_eq!((first.mails as usize, first.next.mails as usize), (stop, stop));
        let rest = import(&m, &bytes, Some(first.next), usize::MAX);
        assert_eq!(
            (rest.mails as usize, rest.replayed, rest.next),
            (n - stop, 0, Place { bytes: bytes.len() as u64, mails: n as u32 })
        );
        assert_eq!(count_stored(&m), count_stored(&whole));
    }
}

#[test]
fn failed_mail_can_be_retried_alone() {
    let mut bytes = mailbox(0..2);
    bytes.extend(b"From x Tue Mar 04 00:20:13 +0000 2025\nX-Odd: no header of a mail\n\n");
    bytes.extend(mailbox(2..4));
    let m = open(1, Policy::FAST);
    let report = import(&m, &bytes, None, usize::MAX);
    let [failed] = &report.failed[..] else { panic!("{report:?}") };
    assert_eq!((failed.index, report.mails), (2, 5));
    assert!(bytes[failed.start as usize..failed.end as usize].starts_with(b"From x "));
    let place = Place { bytes: failed.start, mails: failed.index };
    let again = import(&m, &bytes[..failed.end as usize], Some(place), usize::MAX);
    assert_eq!((again.mails, again.failed.len(), again.failed[0].index), (1, 1, 2));
}

#[test]
fn later_statement_wins_in_any_import_order() {
    let one = |day: u32, id: &str, reply: &str, body: &str| {
        format!(
            "From {id}@x Tue Mar 04 00:20:13 +0000 2025\nFrom: Kim <kim@a.example>\nTo: me@b.example\nSubject: {reply}착수회의 일정\n\
             Date: Tue, {day} Mar 2025 09:00:00 +0900\nMessage-ID: <{id}@a.example>\n{}Content-Type: text/plain; charset=utf-8\n\n{body}\n\n",
            if reply.is_empty() { "" } else { "References: <m1@a.example>\n" }
        )
    };
    let first = one(4, "m1", "", "착수회의는 3월 20일 오후 2시 3층 회의실에서 합니다.");
    let second = one(5, "m2", "Re: ", "착수회의는 3월 20일 오후 4시로 변경되었습니다.");
    for order in [[&first, &second], [&second, &first]] {
        let m = open(1, Policy::BALANCED);
        for mail in order {
            import(&m, mail.as_bytes(), None, usize::MAX);
        }
        let current: Vec<String> = block_on(m.list(None, 10, false)).unwrap().into_iter().map(|m| m.content).collect();
        assert!(current.iter().any(|c| c.contains("오후 4시")), "{current:?}");
    }
}

#[test]
fn two_imports_of_the_same_mailbox_store_what_one_stores() {
    let bytes = crate::mailboxes::read("harbour", "mbox");
    // Between two calls of the store, another importer reads all mails. A later mail must not give a minor detail a meaning.
    let contents = |store: &MemoryStore| {
        let all = block_on(kit::real(store.connect(), Policy::BALANCED, 90_000).list(None, 1_000, false)).unwrap();
        let mut contents: Vec<String> = all.into_iter().map(|m| m.content).collect();
        contents.sort();
        contents
    };
    let alone = MemoryStore::default();
    import(&kit::real(alone.connect(), Policy::BALANCED, 0), &bytes, None, 14);
    for n in (10..110).step_by(4) {
        let store = MemoryStore::default();
        let other = Rc::new(kit::real(store.connect(), Policy::BALANCED, 50_000));
        let whole = bytes.clone();
        let interrupted =
            Faulty::interrupted(store.connect(), n, Box::new(move || drop(import(&other, &whole, None, 14))));
        import(&kit::real(interrupted, Policy::BALANCED, 0), &bytes, None, 14);
        assert_eq!(contents(&store), contents(&alone), "interrupted before call {n}");
    }
}
