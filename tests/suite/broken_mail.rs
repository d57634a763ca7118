//! Broken and hostile mail: what can be read of it is, what cannot is an error or a warning, and all of it ends in good
//! time (`tests/cases/broken_mail.jsonl`, where a character stands for a byte).

use memfold::mail::{Account, HostCharset, Mail, Mailbox, drafts, read};
use serde_json::Value;
use std::time::{Duration, Instant};

fn bytes(case: &Value) -> Vec<u8> {
    case["raw"].as_str().unwrap().chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().map(|v| v.as_str().unwrap()).collect()
}

/// What is not as the case says.
fn faults(case: &Value, mail: &Mail) -> Vec<String> {
    let mut out = Vec::new();
    let mut check = |holds: bool, what: &str| {
        if !holds {
            out.push(format!("{what}: {:?} {:?} {:?} {:?}", mail.subject, mail.text, mail.attachments, mail.warnings));
        }
    };
    for words in strings(&case["holds"]) {
        check(mail.text.contains(words), words);
    }
    for words in strings(&case["lacks"]) {
        check(!mail.text.contains(words), words);
    }
    for name in strings(&case["attachments"]) {
        check(mail.attachments.iter().any(|a| a == name), name);
    }
    if let Some(wanted) = case["warnings"].as_array() {
        let got: Vec<String> = mail.warnings.iter().map(|w| format!("{w:?}")).collect();
        check(wanted.iter().map(|w| w.as_str().unwrap()).eq(got.iter().map(String::as_str)), "warnings");
    }
    check(case["subject"].as_str().is_none_or(|s| s == mail.subject), "subject");
    check(case["contains"].as_str().is_none_or(|s| mail.subject.contains(s)), "subject");
    let sender = mail.from.as_ref().and_then(|p| p.name.as_deref());
    check(case["sender"].as_str().is_none_or(|s| Some(s) == sender), "sender");
    check(drafts(mail, &Account::default()).iter().all(|d| d.validate().is_ok()), "drafts");
    out
}

#[test]
fn what_can_be_read_of_a_broken_mail_is_read() {
    let mut all = Vec::new();
    for line in include_str!("../cases/broken_mail.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["name"].as_str().unwrap();
        let found = match read(&bytes(&case), &HostCharset) {
            Err(e) if case["error"].as_str() == Some(e.code.as_str()) => Vec::new(),
            Err(e) => vec![format!("is refused: {e}")],
            Ok(_) if case["error"].is_string() => vec!["is read".to_owned()],
            Ok(mail) => faults(&case, &mail),
        };
        all.extend(found.into_iter().map(|f| format!("{name}: {f}")));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// A header and a body, read within the time that a reader waits.
fn read_soon(name: &str, raw: Vec<u8>) -> memfold::Result<Mail> {
    let head = b"From: a@x.example\r\nDate: Wed, 14 May 2025 10:20:00 +0900\r\nMIME-Version: 1.0\r\n";
    let raw = [head.as_slice(), &raw].concat();
    let start = Instant::now();
    let mail = read(&raw, &HostCharset);
    if let Ok(mail) = &mail {
        drafts(mail, &Account::default()).iter().for_each(|d| d.validate().unwrap());
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{name} took {:?}", start.elapsed());
    mail
}

#[test]
fn what_is_built_to_exhaust_a_reader_ends_soon() {
    let multipart = |n: usize| format!("Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n");
    let deep: String = (0..5_000).map(multipart).collect();
    let wide = format!("{}{}", multipart(0), "\r\n--b0\r\n\r\nThe review is on 20 May.".repeat(1_000));
    let attached = "Content-Type: message/rfc822\r\n\r\nFrom: a@x.example\r\n".repeat(2_000);
    let pictures = format!("{}Content-Type: image/png; name=a.png\r\n\r\n{}", multipart(0), "A".repeat(29 << 20));
    let encoded =
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n".to_owned() + &"QUJD".repeat(1 << 20);
    for (name, raw) in [
        ("nested parts", deep),
        ("many parts", wide),
        ("messages in messages", attached),
        ("a large attachment", pictures),
        ("a large text", encoded),
        ("a long line", format!("\r\n{}", "a".repeat(4 << 20))),
        ("a large page", format!("Content-Type: text/html\r\n\r\n{}", "<div>".repeat(1 << 18))),
        ("a header of many lines", format!("{}\r\n", "X-A: b\r\n".repeat(50_000))),
        ("a header that folds for ever", format!("Subject: a{}\r\n\r\nx", "\r\n b".repeat(50_000))),
        ("many recipients", format!("To: {}\r\n\r\nx", "a@b.example, ".repeat(50_000))),
        ("many references", format!("References: {}\r\n\r\nx", "<a@b.example> ".repeat(50_000))),
        ("many encoded words", format!("Subject: {}\r\n\r\nx", "=?euc-kr?B?x9E=?= ".repeat(20_000))),
        ("encoded words that never end", format!("Subject: {}\r\n\r\nx", "=?euc-kr?B?".repeat(20_000))),
        ("a page of open tags", format!("Content-Type: text/html\r\n\r\n{}", "<table><tr><td>".repeat(20_000))),
        (
            "rules of a style",
            format!("Content-Type: text/html\r\n\r\n<style>{}</style><p class=a>x", ".a{color:red}".repeat(20_000)),
        ),
        (
            "quotes in quotes",
            format!("\r\n{}", (0..2_000).map(|n| format!("{} x\n", ">".repeat(n))).collect::<String>()),
        ),
        (
            "events",
            format!(
                "Content-Type: text/calendar\r\n\r\n{}",
                "BEGIN:VEVENT\r\nDTSTART:20250520T090000Z\r\n".repeat(20_000)
            ),
        ),
    ] {
        let _ = read_soon(name, raw.into_bytes());
    }
}

#[test]
fn what_is_too_large_is_refused_by_name_and_the_next_mail_is_read() {
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
