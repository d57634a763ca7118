//! Who may change what a mail taught without a confirmation: who said it, who was in that thread, the same organisation, whom the
//! owner has written to. Anybody else's change is provisional; a forged one, and any of where money or goods go, waits for review.

use crate::kit::Model;
use crate::post::{Owned, current, ingest, mail, mine, read};
use futures::executor::block_on;
use memfold::consolidation::LogEntry;
use memfold::decision::{Decision, Prompt, Reason, Ruling};
use memfold::engine::{Consolidate, IngestOptions};
use memfold::llm::Reply;
use memfold::model::{Draft, Source};
use serde_json::json;

const TOLD: &str = "The kickoff meeting of project Heron is on 22 March at 2 pm in room Linden.";
const MOVED: &str = "The kickoff meeting of project Heron has moved from 22 March to 29 March.";

fn told(from: &str) -> Owned {
    let m = mine();
    let head = format!(
        "From: {from}\r\nTo: me@example.org, bo@partner.example\r\nSubject: Heron kickoff\r\nDate: Sat, 01 Feb 2025 09:00:00 +0000\r\n"
    );
    read(&m, &mail(1, &head, TOLD));
    assert_eq!(current(&m).len(), 1);
    m
}

fn moved(m: &Owned, head: &str) -> Vec<LogEntry> {
    read(m, &mail(2, &[head, "To: me@example.org\r\nSubject: Re: Heron kickoff\r\n"].concat(), MOVED))
}

/// Whether the change is confirmed.
fn replaced(m: &Owned) -> bool {
    current(m).iter().all(|k| !k.confirmed().contains("22 March"))
}

const REPLY: &str = "In-Reply-To: <1@x.example>\r\nReferences: <1@x.example>\r\n";

#[test]
fn who_has_standing_replaces() {
    for (said, head) in [
        ("ann@acme.example", ["From: ann@acme.example\r\n", REPLY].concat()),
        ("ann@acme.example", "From: Ann <ANN@acme.example>\r\n".to_owned()),
        ("ann@acme.example", "From: desk@acme.example\r\n".to_owned()),
        ("ann@acme.example", "From: noreply@mail.acme.example\r\n".to_owned()),
        ("ann@gmail.com", ["From: bo@partner.example\r\n", REPLY].concat()),
    ] {
        let m = told(said);
        let entries = moved(&m, &head);
        assert!(replaced(&m), "{said} {head}: {entries:#?}");
    }
}

#[test]
fn whom_the_owner_has_written_to_has_standing() {
    let m = told("ann@acme.example");
    let sent = mail(5, "From: me@example.org\r\nTo: cy@else.example\r\nSubject: Hello\r\n", "Hello Cy, how are you?");
    ingest(&m, &sent, IngestOptions { sent: true, ..IngestOptions::default() });
    moved(&m, "From: cy@else.example\r\n");
    assert!(replaced(&m));
    // Not where the mail is only said to be the owner's.
    let m = told("ann@acme.example");
    read(&m, &sent);
    moved(&m, "From: cy@else.example\r\n");
    assert!(!replaced(&m));
}

/// Those of the strangers below whose sender is not who it shows.
const FORGED: [&str; 9] = [
    "nobody",
    "who said it first of two",
    "two authors",
    "a domain that ends alike",
    "a domain that begins alike",
    "a check that failed",
    "a character that is not seen",
    "a check of another author",
    "no check that holds",
];

#[test]
fn a_strangers_change_is_provisional_and_a_forged_one_waits_for_review() {
    let strangers: Vec<(&str, String)> = vec![
        ("nothing in common", "From: x@evil.example\r\n".into()),
        ("a forged thread", ["From: x@evil.example\r\n", REPLY].concat()),
        ("a forged thread of Gmail's", "X-GM-THRID: <1@x.example>\r\nFrom: x@evil.example\r\n".into()),
        ("the name of who said it", "From: Ann <x@evil.example>\r\n".into()),
        ("the address as a name", "From: \"ann@gmail.com\" <x@evil.example>\r\n".into()),
        ("a free address of the same host", "From: not.ann@gmail.com\r\n".into()),
        ("an answer to who said it", "From: x@evil.example\r\nReply-To: ann@gmail.com\r\n".into()),
        ("who said it as sender", "From: x@evil.example\r\nSender: ann@gmail.com\r\n".into()),
        ("who said it first of two", "From: ann@gmail.com, x@evil.example\r\n".into()),
        ("two authors", "From: ann@gmail.com\r\nFrom: x@evil.example\r\n".into()),
        ("a domain that ends alike", "From: ann@evil-gmail.com\r\n".into()),
        ("a domain that begins alike", "From: ann@gmail.com.evil.example\r\n".into()),
        ("a copy to who said it", "From: x@evil.example\r\nCc: ann@gmail.com\r\n".into()),
        ("nobody", "Sender: ann@gmail.com\r\n".into()),
        ("a check that failed", "Received: from a by mx.host.example with SMTP; Thu, 20 Feb 2025 09:00:00 +0000\r\nAuthentication-Results: mx.host.example; dmarc=fail header.from=gmail.com\r\nFrom: ann@gmail.com\r\n".into()),
        ("a character that is not seen", "From: a\u{200B}nn@gmail.com\r\n".into()),
        ("a domain of the text's letters", "From: x@heronison.com\r\n".into()),
        ("a domain of everyday words", "From: x@meeting.com\r\n".into()),
        ("a check of another author", "Received: from a by mx.host.example with SMTP; Thu, 20 Feb 2025 09:00:00 +0000\r\nAuthentication-Results: mx.host.example; dmarc=pass header.from=evil.example\r\nFrom: ann@gmail.com\r\n".into()),
        ("no check that holds", "Received: from a by mx.host.example with SMTP; Thu, 20 Feb 2025 09:00:00 +0000\r\nAuthentication-Results: mx.host.example; spf=fail smtp.mailfrom=gmail.com; dkim=fail header.d=gmail.com\r\nFrom: ann@gmail.com\r\n".into()),
    ];
    assert_eq!(strangers.len(), 20);
    for (what, head_line) in strangers {
        let m = told("ann@gmail.com");
        let entries = moved(&m, &head_line);
        assert!(!replaced(&m), "{what}");
        assert!(current(&m).iter().any(|k| k.content.contains("29 March")), "{what}: what they said is kept");
        let is_forged = FORGED.contains(&what);
        let ruling = if is_forged { Ruling::Review } else { Ruling::Provisional };
        let decision = if is_forged { Decision::CreateAndLink } else { Decision::Update };
        let held =
            |e: &LogEntry| e.confirmation == Some(ruling) && e.decision == decision && e.needs_review == is_forged;
        assert!(entries.iter().any(held), "{what}: {entries:#?}");
        let head = current(&m).into_iter().find(|k| k.content.contains("29 March")).unwrap();
        assert_eq!(head.is_provisional(), !is_forged, "{what}: {head:#?}");
        // Nobody has come to stand by it, also not by a second mail.
        read(&m, &mail(3, &[&head_line, "To: me@example.org\r\nSubject: Re: Heron kickoff\r\n"].concat(), MOVED));
        assert!(!replaced(&m), "{what}");
    }
}

fn invitation(id: u32, from: &str, organizer: &str, uid: &str, cancelled: bool) -> String {
    let (method, status) = if cancelled { ("CANCEL", "CANCELLED") } else { ("REQUEST", "CONFIRMED") };
    let sequence = u32::from(cancelled);
    format!(
        "From: {from}\r\nTo: me@example.org\r\nSubject: Board review\r\nDate: Sat, {:02} Feb 2025 09:00:00 +0000\r\n\
         Message-ID: <{id}@x.example>\r\nMIME-Version: 1.0\r\nContent-Type: text/calendar; method={method}; charset=utf-8\r\n\r\n\
         BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nSEQUENCE:{sequence}\r\nSTATUS:{status}\r\n\
         ORGANIZER:mailto:{organizer}\r\nATTENDEE:mailto:me@example.org\r\nSUMMARY:Board review\r\n\
         DTSTART:20250322T140000Z\r\nDTEND:20250322T150000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
        id
    )
}

#[test]
fn an_event_is_called_off_by_its_own_organizer_alone() {
    let called_off = |second: String| {
        let m = mine();
        read(&m, &invitation(1, "ann@acme.example", "ann@acme.example", "one", false));
        assert_eq!(current(&m).len(), 1);
        read(&m, &second);
        current(&m).iter().all(|k| k.confirmed().contains("cancelled"))
    };
    assert!(called_off(invitation(2, "ann@acme.example", "ann@acme.example", "one", true)));
    for (what, from, organizer, uid) in [
        ("one who is invited", "bo@partner.example", "ann@acme.example", "one"),
        ("a colleague", "zed@acme.example", "ann@acme.example", "one"),
        ("another organizer", "x@evil.example", "x@evil.example", "one"),
        ("another organizer's event", "x@evil.example", "x@evil.example", "two"),
        ("in her name", "x@evil.example", "ann@acme.example", "one"),
        ("another event", "ann@acme.example", "ann@acme.example", "two"),
    ] {
        assert!(!called_off(invitation(2, from, organizer, uid, true)), "{what}");
    }
}

#[test]
fn an_invitation_is_moved_by_no_words_but_its_organizers() {
    let mut moved = 0;
    for (text, word) in [
        ("The board review has moved from 22 March to 29 March.", "29 March"),
        ("The board review is on 29 March, not on 22 March.", "29 March"),
        ("Board review 일정이 3월 22일에서 3월 29일로 변경되었습니다.", "29일"),
        ("The board review is cancelled.", "cancelled"),
    ] {
        for from in ["ann@acme.example", "zed@acme.example", "bo@partner.example", "x@evil.example", "cy@else.example"]
        {
            let m = mine();
            // The owner has written to one of them.
            let sent =
                mail(5, "From: me@example.org\r\nTo: cy@else.example\r\nSubject: Hello\r\n", "Hello Cy, how are you?");
            ingest(&m, &sent, IngestOptions { sent: true, ..IngestOptions::default() });
            read(&m, &invitation(1, "ann@acme.example", "ann@acme.example", "one", false));
            let [before] = &current(&m)[..] else { panic!("{:#?}", current(&m)) };
            let head = format!("From: {from}\r\nTo: me@example.org\r\nSubject: Re: Board review\r\n{REPLY}");
            let entries = read(&m, &mail(2, &head, text));
            let confirmed =
                entries.iter().any(|e| e.decision == Decision::Update && !e.needs_review && !is_provisional(&m, word));
            moved += usize::from(confirmed);
            if from == "ann@acme.example" {
                continue;
            }
            assert!(!confirmed, "{from} {text}: {entries:#?}");
            assert!(
                is_provisional(&m, word)
                    || current(&m).iter().any(|k| k.id == before.id && k.content == before.content),
                "{from} {text}"
            );
        }
    }
    assert!(moved > 0, "the organizer's words move it");
}

/// Whether what was said with this word is marked as not confirmed.
fn is_provisional(m: &Owned, word: &str) -> bool {
    let marked = |k: &memfold::model::Memory| serde_json::to_string(k).unwrap().contains("provisional");
    current(m).iter().any(|k| k.content.contains(word) && marked(k))
}

#[test]
fn where_money_and_goods_go_is_changed_in_no_silence() {
    for (before, after, word) in [
        (
            "Please pay the rent to our bank account 110-234-567890 at Shinhan Bank.",
            "Our bank account has changed: please pay the rent to 352-9876-5432-10 at Nonghyup Bank.",
            "bank",
        ),
        (
            "관리비 입금 계좌는 국민은행 123456-01-123456입니다.",
            "관리비 입금 계좌가 농협 352-9876-5432-13으로 변경되었습니다.",
            "bank",
        ),
        (
            "Your order 5581 goes to the delivery address 9 Capstan Row.",
            "The delivery address of your order 5581 was changed to 14 Mill Lane.",
            "delivery",
        ),
        (
            "직원 포털 로그인 주소는 https://portal.acme.example 입니다.",
            "직원 포털 로그인 주소가 https://acme-portal.example 로 변경되었습니다.",
            "login",
        ),
    ] {
        let m = mine();
        let from = "From: billing@acme.example\r\nTo: me@example.org\r\nSubject: Payment\r\n";
        read(&m, &mail(1, &[from, "Date: Sat, 01 Feb 2025 09:00:00 +0000\r\n"].concat(), before));
        let entries = read(&m, &mail(2, from, after));
        let flagged = |e: &LogEntry| {
            let said = e.reasons.iter().any(|r| matches!(r, Reason::SensitiveChange { detail } if detail == word));
            said && e.needs_review && e.decision != Decision::Update
        };
        assert!(entries.iter().any(flagged), "{after}: {entries:#?}");
        let known = current(&m);
        assert!(known.iter().any(|k| k.content.contains(before.trim_end_matches('.'))), "{after}: {known:#?}");
    }
}

#[test]
fn another_account_that_a_stranger_gives_for_the_same_is_flagged_though_nothing_is_said_to_change() {
    let rent = "캡스턴 작업실 월세는 신한은행 계좌 110-234-567890으로 넣어 주세요.";
    let food = "The caterer Hob & Ladle is paid into bank account 110-234-567890.";
    let order =
        "Hob & Ladle: your order PO 2209 ships on Tuesday. Payment by bank transfer to account 352-9876-5432-10.";
    for (stored, text, flagged) in [
        (rent, "캡스턴 관리실입니다. 10월분은 농협 계좌 352-9876-5432-10으로 입금 부탁드립니다.", true),
        (food, order, true),
        // Another one's own account, and the known account once more.
        (rent, "The shelves are ready on Tuesday. Payment by bank transfer to account 352-9876-5432-10.", false),
        (food, "Hob & Ladle: your order PO 2209 ships on Tuesday, to be paid into account 110-234-567890.", false),
    ] {
        let m = mine();
        let head = "From: billing@acme.example\r\nTo: me@example.org\r\nSubject: Payment\r\nDate: Sat, 01 Feb 2025 09:00:00 +0000\r\n";
        read(&m, &mail(1, head, stored));
        let entries = read(&m, &mail(2, "From: x@evil.example\r\nTo: me@example.org\r\nSubject: Hello\r\n", text));
        let is_flagged = |e: &LogEntry| {
            e.needs_review
                && e.reasons.iter().any(|r| matches!(r, Reason::SensitiveChange { .. }))
                && e.target_id.is_some()
        };
        assert_eq!(entries.iter().any(is_flagged), flagged, "{text}: {entries:#?}");
        assert!(current(&m).iter().any(|k| k.content.contains("110-234-567890")));
    }
}

#[test]
fn who_shares_a_machine_with_somebody_is_not_them() {
    for (one, other) in [
        ("ann@posteo.de", "From: x@posteo.de\r\n"),
        ("ann@acme.onmicrosoft.com", "From: x@evil.onmicrosoft.com\r\n"),
        (
            "\"Ann (Google Docs)\" <comments-noreply@docs.google.com>",
            "From: \"Eve (Google Docs)\" <comments-noreply@docs.google.com>\r\n",
        ),
        ("\"Ann via heron\" <heron@lists.acme.example>", "From: \"Eve via heron\" <heron@lists.acme.example>\r\n"),
    ] {
        let m = told(one);
        moved(&m, other);
        assert!(!replaced(&m), "{one}");
    }
}

/// What the owner passes on, with a line of their own.
fn forwarded(text: &str) -> String {
    let head = "From: me@example.org\r\nTo: bo@partner.example\r\nSubject: Fwd: Heron kickoff\r\n";
    let origin = "---------- Forwarded message ---------\r\nFrom: Eve <x@evil.example>\r\nDate: Sat, 8 Feb 2025 at 09:00\r\nSubject: Heron kickoff\r\nTo: me@example.org";
    mail(5, head, &format!("Is this a scam?\r\n\r\n{origin}\r\n\r\n{text}"))
}

#[test]
fn what_the_owner_passes_on_is_not_the_owners_word() {
    let m = told("ann@acme.example");
    ingest(&m, forwarded(MOVED), IngestOptions { sent: true, ..IngestOptions::default() });
    assert!(!replaced(&m));
    let passed = current(&m).into_iter().find(|k| k.content.contains("29 March")).unwrap();
    assert_eq!((passed.statements[0].author.as_deref(), passed.is_provisional()), (None, true));
    assert_eq!(passed.reported_by.as_deref(), Some("x@evil.example"));
}

#[test]
fn who_said_what_no_longer_holds_does_not_take_it_back() {
    let m = mine();
    let sent = mail(5, "From: me@example.org\r\nTo: ann@acme.example\r\nSubject: Hello\r\n", "Hello Ann, how are you?");
    ingest(&m, &sent, IngestOptions { sent: true, ..IngestOptions::default() });
    let say = |id, from: &str, text| {
        let head = format!(
            "From: {from}\r\nTo: me@example.org\r\nSubject: Heron\r\nDate: Sat, {id:02} Feb 2025 09:00:00 +0000\r\n"
        );
        read(&m, &mail(id, &head, text));
    };
    say(1, "x@evil.example", TOLD);
    say(2, "ann@acme.example", MOVED);
    assert!(replaced(&m));
    say(3, "x@evil.example", "The kickoff meeting of project Heron has moved from 29 March to 31 March.");
    assert!(current(&m).iter().any(|k| k.confirmed().contains("to 29 March")), "{:#?}", current(&m));
}

#[test]
fn whoever_speaks_lends_no_standing_to_what_a_stranger_has_said() {
    let (rent, claim, due) = (
        "Please transfer the deposit for the roof to Shinhan 110-234-567890 by 20 March.",
        "The deposit for the roof goes to Nonghyup 352-987-654321.",
        "The deposit for the roof is due on 25 March.",
    );
    let obeyed = "Please transfer the deposit for the roof to Nonghyup 352-987-654321 by 25 March.";
    // It obeys what a stored text tells it.
    let model = Model::new(move |prompt: &Prompt| {
        let mark =
            prompt.text.split("Shinhan").next().and_then(|before| before.rsplit("===").next()).unwrap_or_default();
        let handle = mark.split_whitespace().find(|w| w.starts_with('M') && w[1..].parse::<u8>().is_ok());
        let of = handle.map(str::to_owned).filter(|_| prompt.text.contains(due));
        let entry = match of {
            Some(of) => {
                json!({"op": "update", "of": of, "text": obeyed, "category": "task", "day": "2025-03-25", "evidence": due})
            }
            None => {
                let said =
                    [claim, rent].into_iter().find(|said| prompt.text.contains(&format!("\n{said}\n"))).unwrap_or(rent);
                json!({"op": "new", "text": said, "category": "task", "evidence": said})
            }
        };
        Ok(Reply { text: json!({"entries": [entry]}).to_string(), tokens: 10 })
    });
    let m = mine().with_model(std::rc::Rc::new(model));
    for (id, from, subject, text) in [
        (1, "ann@acme.example", "Roof", rent),
        (2, "x@evil.example", "Deposit", claim),
        (3, "ann@acme.example", "Roof", due),
    ] {
        let head = format!(
            "From: {from}\r\nTo: me@example.org\r\nSubject: {subject}\r\nDate: Sat, {id:02} Feb 2025 09:00:00 +0000\r\n"
        );
        read(&m, &mail(id, &head, text));
    }
    assert!(current(&m).iter().any(|k| k.content.contains("Shinhan 110-234-567890")), "{:#?}", current(&m));
    // The stranger's account stands in their own words, and at most beside what is known.
    let is_elsewhere =
        |k: &memfold::model::Memory| k.content.contains("352-987") && k.content != claim && k.content != obeyed;
    assert!(!current(&m).iter().any(is_elsewhere), "{:#?}", current(&m));
}

#[test]
fn what_the_owner_says_above_a_forward_is_theirs_though_it_names_the_figures_of_both() {
    let (told, above) = ("The rye class is on 25 March at 7 pm for 12 people.", "We take 15 people. The rest stays.");
    let now = "The rye class is on 25 March at 7 pm for 15 people.";
    let model = Model::new(move |prompt: &Prompt| {
        let entry = if prompt.text.contains(above) {
            json!({"op": "update", "of": "M1", "text": now, "category": "meeting", "day": "2025-03-25", "evidence": "We take 15 people"})
        } else {
            json!({"op": "new", "text": told, "category": "meeting", "day": "2025-03-25", "evidence": told})
        };
        Ok(Reply { text: json!({"entries": [entry]}).to_string(), tokens: 10 })
    });
    let m = mine().with_model(std::rc::Rc::new(model));
    let from =
        "From: freja@rye.example\r\nTo: me@example.org\r\nSubject: Class\r\nDate: Sat, 01 Feb 2025 09:00:00 +0000\r\n";
    read(&m, &mail(1, from, told));
    let head = "From: me@example.org\r\nTo: bo@partner.example\r\nSubject: Fwd: Class\r\nDate: Sun, 02 Feb 2025 09:00:00 +0000\r\n";
    let origin = "---------- Forwarded message ---------\r\nFrom: Freja <freja@rye.example>\r\nDate: Sat, 1 Feb 2025 at 09:00\r\nSubject: Class\r\nTo: me@example.org";
    let sent = mail(2, head, &format!("{above}\r\n\r\n{origin}\r\n\r\n{told}"));
    ingest(&m, sent, IngestOptions { sent: true, ..IngestOptions::default() });
    let known: Vec<String> = current(&m).into_iter().map(|m| m.content).collect();
    assert_eq!(known, [now]);
}

/// Every row of `cases/details.jsonl`: what is stored, and what is said then.
fn details() -> Vec<serde_json::Value> {
    let rows = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/details.jsonl")).unwrap();
    rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How a change of a sensitive detail was flagged, if it was.
fn flagged(entries: &[LogEntry]) -> Option<String> {
    let detail = |r: &Reason| match r {
        Reason::SensitiveChange { detail } => Some(detail.clone()),
        _ => None,
    };
    entries.iter().filter(|e| e.needs_review).flat_map(|e| &e.reasons).find_map(detail)
}

#[test]
fn a_sensitive_detail_is_changed_by_nobodys_mail_however_it_is_spelt() {
    let (mut wrong, mut kept) = (Vec::new(), 0);
    for row in details() {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        // The author has standing for everything else.
        let m = mine();
        let author = Some("billing@acme.example".to_owned());
        let told = Draft { source_type: Source::Realtime, author, ..Draft::new(text("stored")) };
        block_on(m.consolidate(told, &Consolidate::default())).unwrap();
        let head = "From: billing@acme.example\r\nTo: me@example.org\r\nSubject: Workshop\r\n";
        let entries = read(&m, &mail(2, head, text("text")));
        let stands = current(&m).iter().any(|k| k.content == text("stored"));
        let expected = row["detail"].as_str().filter(|_| !entries.is_empty());
        kept += usize::from(expected.is_some());
        if flagged(&entries).as_deref() != expected || expected.is_some() && !stands {
            let said: Vec<_> = entries.iter().map(|e| (e.decision, &e.reason)).collect();
            wrong.push(format!("{}: {} {said:?}", text("id"), text("text")));
        }
    }
    assert!(kept > 100 && wrong.is_empty(), "{kept}, {}: {wrong:#?}", wrong.len());
}

#[test]
fn a_tool_changes_no_sensitive_detail_and_the_owner_does() {
    let mut wrong = Vec::new();
    for row in details().iter().filter(|r| r["detail"].is_string()).step_by(3) {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        for source in [Source::ToolOutput, Source::Realtime, Source::Bootstrapped, Source::UserInput] {
            let m = mine();
            let tell = |content: &str| {
                let draft = Draft { source_type: source, ..Draft::new(content) };
                block_on(m.consolidate(draft, &Consolidate::default())).unwrap().entry
            };
            tell(text("stored"));
            let entry = tell(text("text"));
            let is_owner = source == Source::UserInput;
            if flagged(std::slice::from_ref(&entry)).is_some() == is_owner
                || entry.decision == Decision::Update && !is_owner
            {
                wrong.push(format!("{} {source:?}: {} {:?}", text("id"), text("text"), entry.decision));
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}
