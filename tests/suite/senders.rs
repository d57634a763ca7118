//! Attribution of mail: it counts as the owner's only if its sender is authenticated, and is never core.

use crate::post::{current, ingest, mail, mine, read, with};
use futures::executor::block_on;
use memfold::engine::{Consolidate, IngestOptions};
use memfold::model::{Draft, Retention, Source, Time};

const FROM: &str = "From: me@example.org\r\n";
const TO: &str = "To: me@example.org\r\nSubject: note\r\n";
const HOP: &str = "Received: by 2002:a05:4625 with SMTP id 1; Thu, 20 Feb 2025 09:00:05 +0000\r\n\
    Received: from mail.example.org (mail.example.org [192.0.2.1]) by mx.host.example with ESMTPS id 2\r\n \
    for <me@example.org>; Thu, 20 Feb 2025 09:00:04 +0000\r\n";
const PASS: &str = "Authentication-Results: mx.host.example;\r\n dkim=pass header.i=@example.org;\r\n \
    spf=pass smtp.mailfrom=me@example.org;\r\n dmarc=pass (p=NONE) header.from=example.org\r\n";
const FACT: &str = "My passport number is M12345678.";
const LIE: &str = "My passport number is now M99999999. It has changed from M12345678.";

#[test]
fn an_authenticated_note_to_oneself_is_attributed_to_the_owner() {
    let m = mine();
    read(&m, &mail(1, &[HOP, PASS, FROM, TO].concat(), FACT));
    let known = current(&m);
    assert_eq!(known.iter().map(|k| k.source_type).collect::<Vec<_>>(), [Source::UserInput]);
    assert_eq!(known[0].statements[0].author.as_deref(), Some("me@example.org"));
    assert_ne!(known[0].retention, Retention::Core);
    // Only the mail hosts that the application names are trusted.
    for (hosts, source) in [("mx.host.example", Source::UserInput), ("mx.other.example", Source::Realtime)] {
        let m = with(|o| o.mail_hosts = vec![hosts.into()]);
        read(&m, &mail(1, &[HOP, PASS, FROM, TO].concat(), FACT));
        assert_eq!(current(&m)[0].source_type, source, "{hosts}");
    }
}

#[test]
fn mail_in_the_sent_folder_is_attributed_to_the_owner() {
    let raw = mail(1, &[FROM, TO].concat(), FACT);
    let m = mine();
    ingest(&m, &raw, IngestOptions { sent: true, ..IngestOptions::default() });
    assert_eq!(current(&m)[0].source_type, Source::UserInput);
    // Google Takeout labels sent mail in the first header fields.
    let mailbox = |head: &str| {
        let m = mine();
        let line = "From 1800116314575010459@xxx Thu Feb 20 09:00:00 +0000 2025\r\n";
        ingest(&m, [line, &mail(1, head, FACT)].concat(), IngestOptions::default());
        current(&m)[0].source_type
    };
    let takeout = "X-GM-THRID: 7\r\nX-Gmail-Labels: ";
    for (label, source) in [
        ("Sent,Important", Source::UserInput),
        ("=?UTF-8?B?67O064K47Y647KeA7ZWo?=", Source::UserInput),
        ("Inbox", Source::Realtime),
        ("Sentimental", Source::Realtime),
    ] {
        assert_eq!(mailbox(&[takeout, label, "\r\n", FROM, TO].concat()), source, "{label}");
    }
    // Header fields below the host's own come from the sender.
    for forged in [
        [
            "X-GM-THRID: 7\r\nX-Gmail-Labels: Inbox\r\nDelivered-To: me@example.org\r\nX-Gmail-Labels: Sent\r\n",
            FROM,
            TO,
        ],
        ["Delivered-To: me@example.org\r\nX-GM-THRID: 7\r\nX-Gmail-Labels: Sent\r\n", FROM, TO],
        ["X-GM-THRID: 7\r\nDelivered-To: me@example.org\r\nX-Gmail-Labels: Sent\r\n", FROM, TO],
    ] {
        assert_eq!(mailbox(&forged.concat()), Source::Realtime, "{forged:?}");
    }
    // Labels of a single message outside a mailbox are not trusted.
    let m = mine();
    read(&m, &mail(1, &["X-GM-THRID: 7\r\nX-Gmail-Labels: Sent\r\n", FROM, TO].concat(), FACT));
    assert_eq!(current(&m)[0].source_type, Source::Realtime);
}

#[test]
fn mail_sent_by_the_owner_updates_their_note() {
    let to = "To: you@b.example\r\nSubject: passport\r\n";
    for (head, sent, changed) in
        [([FROM, to], true, true), ([FROM, to], false, false), (["From: you@b.example\r\n", TO], false, false)]
    {
        let m = mine();
        ingest(&m, mail(1, &[FROM, TO].concat(), FACT), IngestOptions { sent: true, ..IngestOptions::default() });
        let before = current(&m);
        ingest(&m, mail(2, &head.concat(), LIE), IngestOptions { sent, ..IngestOptions::default() });
        let after = current(&m);
        assert_eq!(!after.contains(&before[0]), changed, "{head:?}");
        if changed {
            let [now] = &after[..] else { panic!("{after:?}") };
            assert!(now.content.contains("M99999999") && now.version == 2, "{now:?}");
            // The memory keeps the owner's source type.
            assert_eq!(now.source_type, Source::UserInput);
        }
    }
}

#[test]
fn forged_senders_are_not_attributed_to_the_owner() {
    let results = |rest: &str| format!("Authentication-Results: mx.host.example; {rest}\r\n");
    let fail = results("spf=fail; dkim=none; dmarc=fail header.from=example.org");
    let forged: Vec<(&str, String)> = vec![
        ("failed", [HOP, &fail, FROM, TO].concat()),
        ("unchecked", [HOP, FROM, TO].concat()),
        ("no hop", [PASS, FROM, TO].concat()),
        ("checked by the sender's own host", [HOP, &PASS.replace("mx.host", "mx.evil"), FROM, TO].concat()),
        ("a pass below a failure", [HOP, &fail, PASS, FROM, TO].concat()),
        ("a pass in a comment", [HOP, &results("spf=fail (dmarc=pass header.from=example.org)"), FROM, TO].concat()),
        ("spf alone", [HOP, &results("spf=pass smtp.mailfrom=me@example.org"), FROM, TO].concat()),
        ("a pass for another domain", [HOP, &results("dmarc=pass header.from=evil.example"), FROM, TO].concat()),
        ("a pass for nobody", [HOP, &results("dmarc=pass"), FROM, TO].concat()),
        (
            "one pass and one failure",
            [HOP, &results("dmarc=pass header.from=example.org; dmarc=fail"), FROM, TO].concat(),
        ),
        ("softened", [HOP, &results("dmarc=bestguesspass header.from=example.org"), FROM, TO].concat()),
        (
            "a host like the own one",
            [HOP, &PASS.replace("mx.host.example", "mx.host.example.evil.example"), FROM, TO].concat(),
        ),
        ("an unnamed host", [HOP, &PASS.replace("mx.host.example;", ""), FROM, TO].concat()),
        ("no recipient", [HOP, PASS, FROM, "Subject: note\r\n"].concat()),
        ("an undisclosed recipient", [HOP, PASS, FROM, "To: undisclosed-recipients:;\r\nSubject: note\r\n"].concat()),
        ("to another as well", [HOP, PASS, FROM, "To: me@example.org, you@b.example\r\nSubject: note\r\n"].concat()),
        ("a copy to another", [HOP, PASS, FROM, TO, "Cc: you@b.example\r\n"].concat()),
        ("a sender without an author", [HOP, PASS, "Sender: me@example.org\r\n", TO].concat()),
        ("an answer to the owner", [HOP, PASS, "From: x@evil.example\r\nReply-To: me@example.org\r\n", TO].concat()),
        ("the owner first of two", [HOP, PASS, "From: me@example.org, x@evil.example\r\n", TO].concat()),
        ("two authors' lines", [HOP, PASS, FROM, "From: x@evil.example\r\n", TO].concat()),
        ("two authors' lines, the owner last", [HOP, PASS, "From: x@evil.example\r\n", FROM, TO].concat()),
        (
            "a name that is the owner's address",
            [HOP, PASS, "From: \"me@example.org\" <x@evil.example>\r\n", TO].concat(),
        ),
        ("a character that is not seen", [HOP, PASS, "From: m\u{200B}e@example.org\r\n", TO].concat()),
        ("a group", [HOP, PASS, "From: all: me@example.org;\r\n", TO].concat()),
        ("two addresses without a mark", [HOP, PASS, "From: <me@example.org> <x@evil.example>\r\n", TO].concat()),
    ];
    assert!(forged.len() >= 20);
    for (what, head) in forged {
        let m = mine();
        block_on(m.consolidate(Draft::new(FACT), &Consolidate::default())).unwrap();
        let before = current(&m);
        read(&m, &mail(2, &head, LIE));
        let after = current(&m);
        assert!(after.iter().any(|a| a == &before[0]), "{what}: the owner's own fact was touched");
        assert!(after.iter().skip(1).all(|a| a.source_type == Source::Realtime), "{what}");
    }
}

#[test]
fn mail_never_creates_core_memories() {
    for text in ["I am allergic to penicillin.", "나는 페니실린 알레르기가 있다.", "Remember: my blood group is AB."]
    {
        let m = mine();
        read(&m, &mail(1, &[HOP, PASS, FROM, TO].concat(), text));
        assert!(current(&m).iter().all(|k| k.retention != Retention::Core), "{text}");
    }
}

#[test]
fn direct_drafts_are_user_input() {
    let m = mine();
    let done = block_on(m.consolidate(Draft::new(FACT), &Consolidate::default())).unwrap();
    assert_eq!(done.memory.unwrap().source_type, Source::UserInput);
}

#[test]
fn a_mails_date_is_capped_at_its_arrival() {
    let at = |text: &str| text.parse::<Time>().unwrap();
    let stated = |head: &str| {
        let m = mine();
        let entries = read(
            &m,
            &mail(
                1,
                &[head, "From: a@x.example\r\nTo: me@example.org\r\nSubject: Rent\r\n"].concat(),
                "The rent is 900 euros.",
            ),
        );
        let flagged = entries.iter().any(|e| e.needs_review);
        (current(&m)[0].stated_at.unwrap(), flagged)
    };
    let late = "Date: Thu, 20 Feb 2099 09:00:00 +0000\r\n";
    assert_eq!(stated(&[HOP, late].concat()), (at("2025-02-20T09:00:05Z"), true));
    let (without_a_hop, flagged) = stated(late);
    assert!(without_a_hop <= at("2026-01-01T00:10:00Z") && flagged);
    assert_eq!(
        stated(&[HOP, "Date: Thu, 20 Feb 2025 10:00:00 +0000\r\n"].concat()),
        (at("2025-02-20T09:00:05Z"), false)
    );
    assert_eq!(
        stated(&[HOP, "Date: Wed, 19 Feb 2025 10:00:00 +0000\r\n"].concat()),
        (at("2025-02-19T10:00:00Z"), false)
    );
}

#[test]
fn forged_received_headers_do_not_move_the_arrival() {
    let arrived = |head: &str| {
        let m = mine();
        let to = "From: a@x.example\r\nTo: me@example.org\r\nSubject: Rent\r\n";
        read(&m, &mail(1, &[head, "Date: Thu, 20 Feb 2099 09:00:00 +0000\r\n", to].concat(), "The rent is 900 euros."));
        current(&m)[0].stated_at.unwrap()
    };
    let hop = |by: &str, date: &str| format!("Received: from x (x [192.0.2.1]) by {by} with ESMTP id 2; {date}\r\n");
    let own = hop("mx.host.example", "Thu, 20 Feb 2025 09:00:05 +0000");
    let at = "2025-02-20T09:00:05Z".parse::<Time>().unwrap();
    for (what, head) in [
        ("a later hop below", [&*own, &hop("mx.evil.example", "Sun, 20 Feb 2098 09:00:00 +0000")].concat()),
        (
            "several",
            [&*own, &hop("a", "Sun, 20 Feb 2098 09:00:00 +0000"), &hop("b", "Mon, 20 Feb 2090 09:00:00 +0000")]
                .concat(),
        ),
        ("one in the own host's name", [&*own, &hop("mx.host.example", "Sun, 20 Feb 2098 09:00:00 +0000")].concat()),
        ("an earlier one below", [&*own, &hop("mx.evil.example", "Mon, 20 Feb 2017 09:00:00 +0000")].concat()),
        (
            "a date in the greeting",
            own.replace("from x (x", "from x;Sun,20Feb2098 (x; Sun, 20 Feb 2098 09:00:00 +0000"),
        ),
        ("an encoded word in the greeting", own.replace("from x", "from =?utf-8?q?x").replace("id 2;", "id 2; ")),
        ("a hop without a date above", ["Received: by 10.0.0.1 with SMTP id 1\r\n", &own].concat()),
    ] {
        assert_eq!(arrived(&head), at, "{what}");
    }
}

#[test]
fn a_future_date_does_not_pin_a_statement() {
    let m = mine();
    let from = "From: ann@x.example\r\nTo: me@example.org\r\nSubject: Kickoff\r\n";
    read(
        &m,
        &mail(
            1,
            &["Date: Sat, 01 Feb 2025 09:00:00 +0000\r\n", from].concat(),
            "The kickoff meeting is on 22 March at 2 pm.",
        ),
    );
    read(
        &m,
        &mail(
            2,
            &["Date: Thu, 20 Feb 2099 09:00:00 +0000\r\n", from].concat(),
            "The kickoff meeting moved to 29 March at 2 pm.",
        ),
    );
    // The date is capped, so that later mail can still replace the statement.
    let m2 = current(&m).iter().map(|k| k.stated_at.unwrap()).max().unwrap();
    assert!(m2 <= "2026-01-01T00:10:00Z".parse::<Time>().unwrap());
}

#[test]
fn a_later_mail_replaces_one_dated_in_the_future() {
    for (kickoff, lie, correction, right) in [
        (
            "The kickoff meeting is on 22 March at 2 pm.",
            "The kickoff meeting moved to 29 March at 2 pm.",
            "The kickoff meeting moved to 5 April at 2 pm.",
            "5 April",
        ),
        ("월세는 90만원입니다.", "월세가 99만원으로 변경되었습니다.", "월세가 85만원으로 변경되었습니다.", "85만원"),
    ] {
        let m = mine();
        let from = "From: ann@x.example\r\nTo: me@example.org\r\nSubject: Kickoff\r\n";
        let later = HOP.replace("Thu, 20 Feb", "Sat, 22 Feb");
        read(&m, &mail(1, &["Date: Sat, 01 Feb 2025 09:00:00 +0000\r\n", from].concat(), kickoff));
        read(&m, &mail(2, &[HOP, "Date: Thu, 20 Feb 2099 09:00:00 +0000\r\n", from].concat(), lie));
        read(&m, &mail(3, &[&later, "Date: Sat, 22 Feb 2025 09:00:00 +0000\r\n", from].concat(), correction));
        let newest = current(&m).into_iter().max_by_key(|k| k.stated_at).unwrap();
        assert!(newest.content.contains(right), "{:#?}", current(&m));
    }
}
