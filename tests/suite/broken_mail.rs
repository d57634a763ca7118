//! Broken and hostile mail (`tests/cases/broken_mail.jsonl`, a character for a byte): readable
//! parts are read, the rest is left out or an error. `growth` tests the time that it takes.

use memfold::extract::drafts;
use memfold::mail::{Account, HostCharset, Mail, Mailbox, read};
use serde_json::Value;

fn bytes(case: &Value) -> Vec<u8> {
    case["raw"].as_str().unwrap().chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().map(|v| v.as_str().unwrap()).collect()
}

/// Differences between the mail as it was read and its case.
fn list_mismatches(case: &Value, mail: &Mail) -> Vec<String> {
    let mut out = Vec::new();
    let mut check = |holds: bool, what: &str| {
        if !holds {
            out.push(format!("{what}: {:?} {:?} {:?}", mail.subject, mail.text, mail.date));
        }
    };
    for words in strings(&case["holds"]) {
        check(mail.text.contains(words), words);
    }
    for words in strings(&case["lacks"]) {
        check(!mail.text.contains(words), words);
    }
    for name in strings(&case["attachments"]) {
        check(!mail.text.contains(name), name);
    }
    check(!strings(&case["warnings"]).contains(&"Date") || mail.date.is_none(), "date");
    check(case["subject"].as_str().is_none_or(|s| s == mail.subject), "subject");
    check(case["contains"].as_str().is_none_or(|s| mail.subject.contains(s)), "subject");
    let sender = mail.from.as_ref().and_then(|p| p.name.as_deref());
    check(case["sender"].as_str().is_none_or(|s| Some(s) == sender), "sender");
    check(drafts(mail, &Account::default()).iter().all(|d| d.validate().is_ok()), "drafts");
    out
}

#[test]
fn readable_parts_of_broken_mail_are_read() {
    let mut all = Vec::new();
    for line in include_str!("../cases/broken_mail.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["name"].as_str().unwrap();
        let found = match read(&bytes(&case), &HostCharset) {
            Err(e) if case["error"].as_str() == Some(e.code.as_str()) => Vec::new(),
            Err(e) => vec![format!("is refused: {e}")],
            Ok(_) if case["error"].is_string() => vec!["is read".to_owned()],
            Ok(mail) => list_mismatches(&case, &mail),
        };
        all.extend(found.into_iter().map(|f| format!("{name}: {f}")));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn text_part_with_a_file_name_is_not_read() {
    for (head, is_read) in [
        ("Content-Disposition: inline", true),
        ("Content-Disposition: attachment", false),
        ("Content-Disposition: inline; filename*=euc-kr''%B0%E8%BE%E0%BC%AD.txt", false),
        ("Content-Disposition: inline;\r\n filename*0=\"long-\";\r\n filename*1=\"name.txt\"", false),
        ("Content-Type: text/plain; name=\"=?euc-kr?B?x9Gx2w==?=.txt\"", false),
    ] {
        let whole =
            "From: a@x.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello.\r\n--b\r\n";
        let mail = read(format!("{whole}{head}\r\n\r\n{REVIEW}\r\n--b--\r\n").as_bytes(), &HostCharset).unwrap();
        assert_eq!((mail.text.contains("Hello."), mail.text.contains(REVIEW)), (true, is_read), "{head}");
    }
}

/// Reads and drafts on a stack of 1 MiB, as in WebAssembly. Frames of a debug build are larger than
/// there.
fn read_on_a_small_stack(body: String) -> memfold::Result<Mail> {
    let head = "From: a@x.example\r\nDate: Wed, 14 May 2025 10:20:00 +0900\r\nMIME-Version: 1.0\r\n";
    let raw = format!("{head}{body}").into_bytes();
    let work = move || {
        let mail = read(&raw, &HostCharset);
        if let Ok(mail) = &mail {
            drafts(mail, &Account::default()).iter().for_each(|d| d.validate().unwrap());
        }
        mail
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap()
}

const REVIEW: &str = "The review is on 20 May.";

#[test]
fn resource_exhaustion_mail_is_read_within_limits() {
    let multipart = |n: usize| format!("Content-Type: multipart/mixed; boundary=b{n}x\r\n\r\n--b{n}x\r\n");
    let message = "Content-Type: message/rfc822\r\n\r\nFrom: a@x.example\r\n";
    let part = format!("\r\n--b0x\r\n\r\n{REVIEW}");
    let ends = |n: usize| (0..n).rev().map(|n| format!("\r\n--b{n}x--\r\n")).collect::<String>();
    // (name, body, least and most times that the text may be read)
    for (name, body, least, most) in [
        ("4,000 messages in each other", message.repeat(4_000), 0, 0),
        ("4,000 multiparts in each other", (0..4_000).map(multipart).collect(), 0, 0),
        ("both in turn", (0..4_000).map(|n| multipart(n) + message).collect(), 0, 0),
        ("text in 40 multiparts", (0..40).map(multipart).collect::<String>() + "\r\n" + REVIEW + &ends(40), 1, 1),
        ("text in 60 multiparts", (0..60).map(multipart).collect::<String>() + "\r\n" + REVIEW + &ends(60), 0, 0),
        (
            "text beside 4,000 multiparts",
            format!("{}\r\n{REVIEW}\r\n--b0x\r\n{}", multipart(0), (1..4_000).map(multipart).collect::<String>()),
            1,
            1,
        ),
        ("1,000 parts", multipart(0) + &part.repeat(1_000), 1_000, 1_000),
        ("5,000 parts", multipart(0) + &part.repeat(5_000), 1_900, 2_000),
        (
            "a picture of 29 MB",
            multipart(0) + "Content-Type: image/png; name=a.png\r\n\r\n" + &"A".repeat(29 << 20),
            0,
            0,
        ),
        ("a text of 4 MB", format!("\r\n{REVIEW}\n{}", "a".repeat(4 << 20)), 1, 1),
        ("300,000 lines", format!("\r\n{}", format!("{REVIEW}\n").repeat(300_000)), 9_000, 10_001),
        (
            "a page of 4 MB",
            format!("Content-Type: text/html\r\n\r\n<p>{REVIEW}</p>{}<p>{REVIEW}</p>", "<div>".repeat(1 << 20)),
            1,
            1,
        ),
        ("50,000 fields", format!("{}\r\n{REVIEW}", "X-A: b\r\n".repeat(50_000)), 1, 1),
        ("a field of 150,000 lines", format!("Comments: a{}\r\n\r\n{REVIEW}", "\r\n b".repeat(150_000)), 1, 1),
        ("50,000 recipients", format!("To: {}\r\n\r\n{REVIEW}", "a@b.example, ".repeat(50_000)), 1, 1),
        (
            "20,000 events",
            format!(
                "Content-Type: text/calendar\r\n\r\n{}",
                "BEGIN:VEVENT\r\nDTSTART:20250520T090000Z\r\nEND:VEVENT\r\n".repeat(20_000)
            ),
            0,
            0,
        ),
    ] {
        let mail = read_on_a_small_stack(body).unwrap_or_else(|e| panic!("{name}: {e}"));
        let said = mail.text.matches(REVIEW).count();
        assert!((least..=most).contains(&said), "{name}: {said} of {least} to {most}");
        assert!(mail.text.len() <= 300_000 && mail.events.len() <= 50, "{name}");
        assert!(mail.to.len() < 10_000, "{name}: {} recipients", mail.to.len());
    }
}

#[test]
fn nested_messages_share_one_text_limit() {
    let inner = format!("Subject: x\r\n\r\n{}", format!("{REVIEW}\r\n").repeat(4_000));
    let part = format!("\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n{inner}");
    let body = format!("Content-Type: multipart/digest; boundary=b\r\n{}", part.repeat(200));
    let mail = read_on_a_small_stack(body).unwrap();
    assert!(mail.text.len() <= 300_000 && mail.sections.len() > 1, "{} bytes", mail.text.len());
}

#[test]
fn second_author_past_a_size_limit_is_detected() {
    let wide = |n| format!("Comments: {}\r\n", "b".repeat(60_000)).repeat(n);
    let first = "From: me@a.example";
    for (head, alone) in [
        (format!("{first}\r\n"), true),
        (format!("{first}\r\n{}", wide(3)), true),
        (format!("{first}\r\n{}", wide(5)), true),
        (format!("{first}\r\n{}From: you@b.example\r\n", wide(3)), false),
        (format!("{first}\r\n{}From: you@b.example\r\n", wide(5)), false),
        (format!("{first}{}, you@b.example\r\n", " ".repeat(70_000)), false),
        (format!("{first}{}, you@b.example\r\n", "\r\n ".repeat(70_000)), false),
    ] {
        let mail = read(format!("{head}\r\n{REVIEW}").as_bytes(), &HostCharset).unwrap();
        assert_eq!(mail.sender.alone, alone, "{} bytes", head.len());
    }
}

#[test]
fn mailbox_is_read_past_unreadable_messages() {
    let message = "Content-Type: message/rfc822\r\n\r\nFrom: a@x.example\r\n";
    let bad = ["no header".to_owned(), message.repeat(4_000), "X-A: b\n".repeat(50_000), String::new()];
    let mail = |subject: &str| format!("From: a@x.example\nSubject: {subject}\n\n{REVIEW}\n");
    let between = |n: usize| {
        format!(
            "From a@b Wed May 14 10:20:00 2025\n{}\n\nFrom a@b Wed May 14 10:20:00 2025\n{}\n",
            bad[n],
            mail(&n.to_string())
        )
    };
    let mbox: String = (0..bad.len()).map(between).collect();
    let mut mailbox = Mailbox::new();
    let mut pieces = mailbox.push(mbox.as_bytes());
    pieces.extend(mailbox.finish());
    let mut subjects = Vec::new();
    for piece in pieces {
        match piece.raw.and_then(|raw| read(&raw, &HostCharset)) {
            Ok(mail) => subjects.extend(Some(mail.subject).filter(|s| !s.is_empty())),
            Err(e) => assert_eq!(e.code.as_str(), "invalid_mail"),
        }
    }
    assert_eq!(subjects, ["0", "1", "2", "3"]);
}

#[test]
fn oversized_mail_is_refused_and_the_next_mail_is_read() {
    let large = vec![b'a'; 40];
    let mut mailbox = Mailbox::new().with_limit(100);
    let mut pieces = Vec::new();
    pieces.extend(mailbox.push(b"From a@b Wed May 14 10:20:00 2025\nSubject: 1\n\n"));
    for _ in 0..10 {
        pieces.extend(mailbox.push(&large));
    }
    pieces.extend(mailbox.push(b"\n\nFrom a@b Wed May 14 10:20:01 2025\nSubject: 2\n\nx\n"));
    pieces.extend(mailbox.finish());
    assert_eq!(pieces[0].raw.as_ref().unwrap_err().code.as_str(), "too_large");
    assert_eq!(read(pieces[1].raw.as_ref().unwrap(), &HostCharset).unwrap().subject, "2");
}
