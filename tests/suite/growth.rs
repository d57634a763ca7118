//! Reading and drafting take time linear in the size of a mail: from 64 KB to 1 MB, four times the
//! bytes take at most five times as long, and no mail takes much longer than prose of its size.
//!
//! Times are CPU times, compared within one run, and measured again if a busy machine may have
//! disturbed them.

use cpu_time::ThreadTime;
use memfold::extract::drafts;
use memfold::language::{self, Folded, Reference};
use memfold::mail::{Account, HostCharset, Mailbox, passages, read};
use memfold::model::{Time, Zone};
use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

const SIZES: [usize; 3] = [1 << 16, 1 << 18, 1 << 20];
/// Sizes for the language readers, whose texts are short: a memory has at most 8,000 characters.
const TEXT_SIZES: [usize; 3] = [1 << 12, 1 << 14, 1 << 16];
/// The highest ratio of times, for four times the bytes and against prose of the same size.
const GROWTH: u32 = 5;
const WORST: u32 = 12;
/// How often a time is measured before it counts as too long.
const TRIES: usize = 5;

const HEAD: &str = "From: Kim <kim@a.example>\r\nTo: me@b.example\r\nSubject: Re: x\r\nMessage-ID: <1@a.example>\r\n\
    Date: Wed, 14 May 2025 10:20:00 +0900\r\nIn-Reply-To: <0@a.example>\r\nMIME-Version: 1.0\r\n";
const PROSE: &str =
    "The review of the Oban smokehouse is on 20 May at 3 pm. Please send the signed form by Friday.\n\n";

/// Generates a mail of about the given number of bytes.
type Shape = Box<dyn Fn(usize) -> Vec<u8>>;

fn repeated(before: impl Into<String>, unit: impl Into<String>, after: &'static str) -> Shape {
    let (before, unit) = (before.into(), unit.into());
    Box::new(move |size| format!("{before}{}{after}", unit.repeat(size / unit.len())).into_bytes())
}

fn text(unit: &str) -> Shape {
    repeated(format!("{HEAD}\r\n"), unit, "")
}

/// Paragraphs of 4,000 bytes that repeat one unit.
fn dense(unit: &str) -> Shape {
    text(&format!("{}\n\n", unit.repeat(4_000 / unit.len())))
}

fn page(unit: &str) -> Shape {
    repeated(format!("{HEAD}Content-Type: text/html\r\n\r\n"), unit, "")
}

/// One long header field, then the rest of the header.
fn header(before: &str, unit: &str) -> Shape {
    repeated(before, unit, "\r\nFrom: Kim <kim@a.example>\r\nDate: Wed, 14 May 2025 10:20:00 +0900\r\n\r\nx")
}

fn parts(unit: &str) -> Shape {
    repeated(format!("{HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n"), unit, "")
}

fn calendar(before: &str, unit: &str) -> Shape {
    repeated(format!("{HEAD}Content-Type: text/calendar\r\n\r\n{before}"), unit, "")
}

/// Appends one unit per number until the size is reached.
fn counted(before: &'static str, unit: impl Fn(usize) -> String + 'static) -> Shape {
    Box::new(move |size| {
        let mut out = format!("{HEAD}{before}");
        for n in 0.. {
            if out.len() >= size {
                break;
            }
            out.push_str(&unit(n));
        }
        out.into_bytes()
    })
}

/// The time of each stage of reading a mail.
fn stages(raw: &[u8]) -> Vec<(&'static str, Duration)> {
    let start = ThreadTime::now();
    let mail = read(raw, &HostCharset);
    let mut took = vec![("read", start.elapsed())];
    if let Ok(mail) = &mail {
        let start = ThreadTime::now();
        black_box(drafts(mail, &Account::default()));
        took.push(("drafts", start.elapsed()));
        let start = ThreadTime::now();
        black_box(passages(mail));
        took.push(("passages", start.elapsed()));
    }
    took
}

fn split(stream: &[u8]) -> Vec<(&'static str, Duration)> {
    let start = ThreadTime::now();
    let mut mailbox = Mailbox::new();
    let mut pieces = 0;
    for chunk in stream.chunks(64 * 1024) {
        pieces += mailbox.push(chunk).len();
    }
    black_box(pieces + mailbox.finish().len());
    vec![("split", start.elapsed())]
}

/// The time of each reader of the language layer.
fn readers(text: &[u8]) -> Vec<(&'static str, Duration)> {
    let text = std::str::from_utf8(text).unwrap();
    let at = Reference { now: Time::from_millis(1_747_185_600_000), zone: Zone::from_minutes(540) };
    let timed = |name, run: &dyn Fn()| {
        let start = ThreadTime::now();
        run();
        (name, start.elapsed())
    };
    vec![
        timed("values", &|| drop(black_box(language::values(text, Some(at))))),
        timed("cues", &|| drop(black_box(language::cues(&Folded::new(text))))),
        timed("tokens", &|| drop(black_box(language::tokens(&Folded::new(text))))),
        timed("time_phrase", &|| _ = black_box(language::time_phrase(text, at))),
        timed("personal", &|| drop(black_box(language::personal(text)))),
        timed("fold", &|| drop(black_box(language::fold(text)))),
    ]
}

/// The shortest time of each stage at a size.
type Times = HashMap<(&'static str, usize), Duration>;

fn time(shape: &Shape, size: usize, run: fn(&[u8]) -> Vec<(&'static str, Duration)>, least: &mut Times) {
    for (stage, took) in run(&shape(size)) {
        let known = least.entry((stage, size)).or_insert(took);
        *known = took.min(*known);
    }
}

/// Checks the growth of every shape and its time against prose, and reports all failures together.
fn assert_growth(
    shapes: Vec<(&str, Shape)>,
    plain: Shape,
    sizes: [usize; 3],
    worst: Option<u32>,
    run: fn(&[u8]) -> Vec<(&'static str, Duration)>,
) {
    let mut prose = Times::new();
    for size in sizes {
        (0..2).for_each(|_| time(&plain, size, run, &mut prose));
    }
    let mut faults = Vec::new();
    for (name, shape) in &shapes {
        let mut least = Times::new();
        for (n, size) in sizes.into_iter().enumerate() {
            let smaller = n.checked_sub(1).map(|n| sizes[n]);
            let mut fault = None;
            for _ in 0..TRIES {
                time(shape, size, run, &mut least);
                fault = too_long(&least, &prose, worst, size, smaller);
                if fault.is_none() {
                    break;
                }
            }
            if let Some(fault) = fault {
                faults.push(format!("{name}: {fault}"));
                break;
            }
        }
        let sum: Duration = least.iter().filter(|((_, size), _)| *size == sizes[2]).map(|(_, took)| *took).sum();
        println!("{name:36} {:7.1} ms at {} KB", sum.as_secs_f64() * 1e3, sizes[2] >> 10);
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The stage that takes too long at a size.
fn too_long(least: &Times, prose: &Times, worst: Option<u32>, size: usize, smaller: Option<usize>) -> Option<String> {
    let whole = |times: &Times| times.iter().filter(|((_, s), _)| *s == size).map(|(_, took)| *took).sum::<Duration>();
    if worst.is_some_and(|worst| whole(least) > worst * whole(prose)) {
        return Some(format!("{:?} at {size}, prose {:?}", whole(least), whole(prose)));
    }
    let smaller = smaller?;
    least.iter().filter(|((_, s), _)| *s == size).find_map(|((stage, _), took)| {
        let before = *least.get(&(stage, smaller))?;
        // Times below prose's, or below a millisecond, are noise.
        let floor = prose.get(&(stage, smaller)).copied().unwrap_or_default().max(Duration::from_millis(1));
        (*took > GROWTH * before.max(floor)).then(|| format!("{stage} {before:?} at {smaller}, {took:?} at {size}"))
    })
}

#[test]
fn headers_are_read_in_linear_time() {
    let shapes = vec![
        ("fields", repeated("", "X-A: b\r\n", "From: Kim <kim@a.example>\r\n\r\nx")),
        ("a field that folds for ever", header("Subject: a", "\r\n b")),
        ("a long subject", header("Subject: ", "Abc and ")),
        ("dates in a subject", header("Subject: ", "5월 20일 ")),
        ("recipients", header("To: ", "\"Kim Lee\" <a@b.example>, ")),
        ("comments in comments", header("To: ", "(")),
        ("references", header("References: ", "<a@b.example> ")),
        ("authors", header("From: ", "Kim (a) \"b\" <a@b.example>, ")),
        ("fields of authors", repeated("", "From: a@b.example\r\n", "\r\nx")),
        ("hops", repeated("", "Received: from a by b.example; Wed, 14 May 2025 10:20:00 +0900\r\n", HEAD)),
        ("hops without an end", repeated("", "Received: (", HEAD)),
        ("checks", header("Authentication-Results: b.example", "; dmarc=pass (x) header.from=a.example")),
        ("checks of many hosts", repeated(HEAD, "Authentication-Results: b.example; dmarc=pass\r\n", "\r\nx")),
        ("labels", header("X-GM-THRID: 7\r\nX-Gmail-Labels: ", "Inbox,")),
        ("encoded words", header("Subject: ", "=?euc-kr?B?x9E=?= ")),
        ("encoded words that never end", header("Subject: ", "=?aa?q?z ")),
        ("encoded words that end at last", header("Subject: =?aa?q?=zz", "=?aa?q?z ")),
        ("8 bits", header("Subject: ", "한 =?aa?q?z ")),
        ("parameters", header("Content-Type: text/plain; ", "a=b; ")),
        ("parameters of their own charset", header("Content-Type: a/b; ", "a*=euc-kr''%C7%D1; ")),
        ("parameters that fail at last", repeated("X-A: ", "*=b''", "%zz\r\nFrom: a@b.example\r\n\r\nx")),
    ];
    assert_growth(shapes, text(PROSE), SIZES, Some(WORST), stages);
}

#[test]
fn parts_are_found_in_linear_time() {
    let multipart = |n: usize| format!("Content-Type: multipart/mixed; boundary=b{n}x\r\n\r\n--b{n}x\r\n");
    let message = "Content-Type: message/rfc822\r\n\r\nFrom: a@b.example\r\n";
    let shapes = vec![
        ("empty parts", parts("--b\r\n\r\n")),
        ("parts without an empty line", parts("--b\r\nThe review\r\n")),
        ("parts of text", parts("--b\r\n\r\nThe review is on 20 May.\r\n")),
        ("attachments", parts("--b\r\nContent-Type: image/png; name*=euc-kr''%C7%D1.png\r\n\r\na\r\n")),
        ("marks of another boundary", parts("--c\r\n")),
        ("boundaries that never come", parts("--b\r\nContent-Type: multipart/mixed; boundary=zz\r\n\r\na\r\n")),
        ("base64 that is none", parts("--b\r\nContent-Transfer-Encoding: base64\r\n\r\n!\r\n")),
        ("messages", parts(&format!("--b\r\n{message}Subject: {}\r\n\r\nb\r\n", "Abc and ".repeat(100)))),
        ("multiparts in multiparts", counted("", multipart)),
        ("messages in messages", repeated(HEAD, message, "")),
        ("both in each other", counted("", move |n| multipart(n) + message)),
        ("base64", repeated(format!("{HEAD}Content-Transfer-Encoding: base64\r\n\r\n"), "QU!D", "")),
        ("soft line ends", repeated(format!("{HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n"), "=\r\n", "")),
    ];
    assert_growth(shapes, text(PROSE), SIZES, Some(WORST), stages);
}

#[test]
fn text_is_read_and_drafted_in_linear_time() {
    let deep = |n: usize| format!("{} a\n", ">".repeat(n % 2_000));
    let nested = |n: usize| format!("{}- a\n", " ".repeat(n % 1_000));
    let shapes = vec![
        ("one line of prose", text("The review is on 20 May at 3 pm, please send the form by Friday. ")),
        ("quotes", text("> a\n")),
        ("quotes and answers", text("> a\nb\n")),
        ("quotes in quotes", counted("\r\n", deep)),
        ("pairs", text("a: b\n")),
        ("lists", text("1. The review is on 20 May.\n")),
        ("lists in lists", counted("\r\n", nested)),
        ("headings", text("Plans\n\n")),
        ("headings and items", text("Plans\n\n■ Plans\n- a b on 20 May\n")),
        ("rows", text("a | b | c\n")),
        ("sentences of two words", text("A b. ")),
        ("one word", text("a")),
        ("marks", repeated(format!("{HEAD}\r\n"), "!", "a")),
        ("open brackets and marks", repeated(format!("{HEAD}\r\n("), ".!", "a")),
        ("who wrote when", text("On Tue, Mar 4, 2025 A\n<a@b.example>\nwrote:\n> a\n")),
        ("headers of forwards", text("From: a@b\n")),
        ("closings", text("Best regards,\n")),
        ("a long signature", repeated(format!("{HEAD}\r\nWe decided on 20 May.\n\n-- \n"), "Abc def ", "")),
        ("passages to an assistant", text("[inst]\n\na\n\n")),
        ("characters that are not to be seen", text("\u{200b}e\u{301}\u{e0041}")),
        (
            "offers",
            repeated(format!("List-Unsubscribe: <http://a.b>\r\n{HEAD}\r\n"), "50% off for $5 until 20 May. ", ""),
        ),
    ];
    assert_growth(shapes, text(PROSE), SIZES, Some(WORST), stages);
}

#[test]
fn repeated_values_are_drafted_in_linear_time() {
    let named = |n: usize| format!("To: \"Kim A{n}a B{n}b\" <a{n}@b.example>\r\n");
    let names: String = (0..2_000).map(named).collect();
    let many = format!("{names}{HEAD}\r\n");
    let shapes = vec![
        ("dates", dense("5월 20일 ")),
        ("days", dense("5/20 ")),
        ("codes", dense("a-1 ")),
        ("addresses", dense("a.")),
        ("decisions", dense("decided ")),
        ("names", repeated(many, "Kim A1a 김민수 과장 decided on 20 May that.\n\n", "")),
    ];
    assert_growth(shapes, text(PROSE), SIZES, Some(WORST), stages);
}

/// A page whose style sheet and body both grow.
fn styled(rule: &'static str, part: &'static str) -> Shape {
    Box::new(move |size| {
        let (rules, parts) = (rule.repeat(size / 2 / rule.len()), part.repeat(size / 2 / part.len()));
        format!("{HEAD}Content-Type: text/html\r\n\r\n<style>{rules}</style>{parts}").into_bytes()
    })
}

#[test]
fn pages_are_read_in_linear_time() {
    let style = format!("{HEAD}Content-Type: text/html\r\n\r\n<style>");
    let shapes = vec![
        ("paragraphs", page("<p>The review is on 20 May at 3 pm. Please send it.</p>\n")),
        ("open tags", page("<div>")),
        ("open tables", page("<table><tr><td>a")),
        ("lists in lists", page("<ul><li>a")),
        ("quotes in quotes", page("<blockquote>a")),
        ("comments", page("<!-- a -->")),
        ("open comments", page("<!--")),
        ("open attributes", page("<a b='")),
        ("attributes", repeated(format!("{HEAD}Content-Type: text/html\r\n\r\n<p "), "a=b ", "")),
        ("entities", page("&amp;")),
        ("open entities", page("&")),
        ("rules", repeated(style.clone(), ".a{color:red}", "</style><p class=a>b")),
        ("selectors", repeated(style.clone(), ".a,", "{color:red}</style><p class=a>b")),
        ("styles", page("<style>.a{color:red}</style><p class=a>b")),
        ("what is not shown", page("<p style=display:none>a</p>")),
        ("lines as they are", page("<pre>\na")),
        ("nested formatting", page("<b><i><u>")),
        ("crossed", page("<a><b><p></a></b>")),
        ("put out of tables", page("<table><b>x<tr>")),
        ("open brackets", page("<p style='color:(((((((")),
        ("open blocks", repeated(style.clone(), "a{", "</style>x")),
        ("variables", counted("Content-Type: text/html\r\n\r\n<p style='", |n| format!("--v{n}:var(--v{});", n + 1))),
        ("rules and elements", styled(".c1 .d1{display:none}", "<p class='c1 d1'>x")),
        ("rules for all", styled("* *{color:red}", "<p>x")),
        ("siblings", styled("p~p:nth-child(7){a:b}", "<p>")),
        ("has", styled("p:not(:has(b)){color:red}", "<p>x")),
        ("descendants", styled("i i i i i i i i .x{color:red}", "<i class=x>")),
    ];
    assert_growth(shapes, text(PROSE), SIZES, Some(WORST), stages);
}

#[test]
fn calendars_are_read_in_linear_time() {
    let zone = "BEGIN:VTIMEZONE\r\nTZID:x\r\nBEGIN:STANDARD\r\nTZOFFSETTO:+0900\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
    let event = "BEGIN:VEVENT\r\nDTSTART:20250520T090000Z\r\n";
    let invited = format!("{event}{}END:VEVENT\r\n", "ATTENDEE;CN=a:mailto:a@b.example\r\n".repeat(40));
    let one = move |n: usize| format!("--b\r\nContent-Type: text/calendar\r\n\r\n{event}UID:{n}\r\nEND:VEVENT\r\n");
    let shapes = vec![
        ("events", calendar("", &format!("{event}SUMMARY:x\r\nEND:VEVENT\r\n"))),
        ("events that never end", calendar("", event)),
        ("attendees", calendar("", &invited)),
        ("zones", calendar("", zone)),
        ("a long summary", calendar(&format!("{event}SUMMARY:"), "회의 ")),
        ("lines that go on", calendar(&format!("{event}SUMMARY:"), "a\r\n ")),
        ("calendars", counted("Content-Type: multipart/mixed; boundary=b\r\n\r\n", one)),
    ];
    assert_growth(shapes, text(PROSE), SIZES, Some(WORST), stages);
}

#[test]
fn mailboxes_are_split_in_linear_time() {
    let from = "From a@b Wed May 14 10:20:00 2025\n";
    let mail = format!("{from}Subject: x\n\ny\n\n");
    let shapes = vec![
        ("mails", repeated("", mail.clone(), "")),
        ("lines that begin mails", repeated("", from, "")),
        ("lines that might", repeated(from, "From a friend at 10:20 in 2025\n\n", "")),
        ("escaped lines", repeated(from, ">>>>From x\n", "")),
        ("one line", repeated(from, "a", "")),
        ("empty lines", repeated(from, "\n", "")),
    ];
    assert_growth(shapes, repeated("", mail, ""), SIZES, None, split);
}

#[test]
fn language_is_read_in_linear_time() {
    let units = [
        "a",
        "A-",
        "1",
        "1 ",
        "1-",
        "5월 20일 ",
        "월요일에 ",
        "next week ",
        "decided ",
        "가나다 ",
        "a@",
        "%40",
        "DE89 ",
        "010-1234-5678 ",
        "\u{1112}\u{1161}",
        "http://a.b/c ",
        "\u{200b}",
    ];
    let shapes = units.into_iter().map(|unit| (unit, repeated("", unit, ""))).collect();
    assert_growth(shapes, repeated("", PROSE, ""), TEXT_SIZES, None, readers);
}
