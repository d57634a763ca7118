//! What a browser does not show is not read: the reader against Chromium's verdicts (tests/mail/hidden.test.mjs).

use memfold::mail::{HostCharset, Mail, read};
use serde_json::Value;

/// Shown by Chromium, and not read all the same: what might hide text is not looked at closer, and letters that lie one
/// over the other are no text.
const LOST: &[&str] = &[
    "filter-brightness",
    "clip-path-path",
    "letter-spacing-negative",
    "letter-spacing-wide",
    "word-position-path",
    "canvas",
];

/// Hidden, and nothing that is worth a word.
const NO_TEXT: &[&str] = &[
    "script",
    "title",
    "svg-title",
    "comment-conditional",
    "comment-bang",
    "processing-instruction",
    "tree-unclosed-attribute",
    "tree-script-escape",
];

fn page(html: &str) -> Mail {
    let head = "From: a@b.example\r\nSubject: x\r\nDate: Tue, 14 Jan 2025 09:00:00 +0900\r\n";
    let raw = format!("{head}Content-Type: text/html; charset=utf-8\r\n\r\n{html}");
    read(raw.as_bytes(), &HostCharset).unwrap()
}

/// All that was read of a page, quotes and signatures too, with single spaces.
fn words(mail: &Mail) -> String {
    let signatures = mail.sections.iter().map(|s| s.signature.as_str());
    let all: Vec<&str> = std::iter::once(mail.text.as_str()).chain(signatures).collect();
    all.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cases() -> Vec<Value> {
    let text = include_str!("../cases/hidden.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_a_browser_does_not_show_is_not_read() {
    let (mut leaks, mut shown) = (Vec::new(), 0);
    for case in cases() {
        let (id, probe) = (case["id"].as_str().unwrap(), case["probe"].as_str().unwrap());
        let seen = case["desktop"].as_bool().expect("a verdict; record it with tests/mail/hidden.test.mjs");
        shown += usize::from(seen);
        if !seen && words(&page(case["html"].as_str().unwrap())).contains(probe) {
            leaks.push(id.to_owned());
        }
    }
    assert_eq!(leaks, [""; 0], "hidden text was read");
    assert!(shown >= 50 && cases().len() - shown >= 150);
}

#[test]
fn what_a_browser_shows_is_read_but_for_a_known_few() {
    let mut lost = Vec::new();
    for case in cases().iter().filter(|c| c["desktop"] == true) {
        if !words(&page(case["html"].as_str().unwrap())).contains(case["probe"].as_str().unwrap()) {
            lost.push(case["id"].as_str().unwrap().to_owned());
        }
    }
    println!("{} of the shown snippets are not read: {lost:?}", lost.len());
    assert_eq!(lost, LOST);
}

#[test]
fn hidden_text_is_named_not_lost() {
    for case in cases().iter().filter(|c| c["desktop"] == false) {
        let (id, html) = (case["id"].as_str().unwrap(), case["html"].as_str().unwrap());
        // Attributes, scripts, and markup for one mailer in a comment are no text.
        if NO_TEXT.contains(&id) {
            continue;
        }
        let mail = page(html);
        let dropped = mail.dropped.iter().any(|d| d.text.contains(case["probe"].as_str().unwrap()));
        assert!(dropped, "{id}: {:?}", mail.dropped);
    }
}

/// Shapes that take a reader long that looks at each part of a page more than once; `n` is about their length in bytes.
fn shapes(n: usize) -> Vec<(&'static str, String)> {
    let many = |part: &str| part.repeat(n / part.len());
    let each = |part: &dyn Fn(usize) -> String, len: usize| (0..n / len).map(part).collect::<String>();
    let rules = |half: usize| (0..half / 24).map(|i| format!(".c{i} .d{i}{{display:none}}")).collect::<String>();
    vec![
        ("nested", many("<div>")),
        ("nested formatting", many("<b><i><u>")),
        ("crossed", many("<a><b><p></a></b>")),
        ("comments", many("<!-- <!-- -->x")),
        ("an open comment", many("<!--")),
        ("attributes", format!("<p {}>x", each(&|i| format!("a{i}=b "), 9))),
        ("open lists", many("<ul><li>x")),
        ("open tables", many("<table><tr><td>x")),
        ("put out of tables", format!("<table>{}", many("<b>x<tr>"))),
        ("open brackets", format!("<p style='color:{}'>x", many("("))),
        ("open blocks", format!("<style>{}</style>x", many("a{"))),
        ("variables", format!("<p style='{}color:var(--v9)'>x", each(&|i| format!("--v{i}:var(--v{});", i + 1), 19))),
        ("rules and elements", format!("<style>{}</style>{}", rules(n / 2), "<p class='c1 d1'>x".repeat(n / 36))),
        ("rules for all", format!("<style>{}</style>{}", "* *{color:red}".repeat(n / 28), "<p>x".repeat(n / 8))),
        (
            "descendants",
            format!("<style>{}.x{{color:red}}</style>{}", "i ".repeat(n / 4), "<i class=x>".repeat(n / 22)),
        ),
        ("siblings", format!("<style>{}</style>{}", "p~p:nth-child(7){a:b}".repeat(n / 42), "<p>".repeat(n / 6))),
        ("has", format!("<style>{}</style>{}", "p:not(:has(b)){color:red}".repeat(n / 50), "<p>x".repeat(n / 8))),
        ("selectors", format!("<style>{}p{{color:red}}</style>{}", "p,".repeat(n / 4), "<p>x".repeat(n / 8))),
    ]
}

#[test]
fn a_page_is_read_in_time_that_grows_as_its_length() {
    // The best of a few runs, of sizes that differ by eight: what is quadratic takes 64 times as long.
    let best = |html: &str| (0..3).map(|_| took(html)).min().unwrap_or_default();
    for ((shape, small), (_, large)) in shapes(128 << 10).into_iter().zip(shapes(1 << 20)) {
        let (small, large) = (best(&small), best(&large));
        println!("{shape}: {small:?}, {large:?} for 1 MB");
        let bound = small.max(std::time::Duration::from_millis(4)) * 24;
        assert!(large < bound, "{shape}: {small:?}, eight times as long: {large:?}");
    }
}

fn took(html: &str) -> std::time::Duration {
    let start = std::time::Instant::now();
    std::hint::black_box(page(html));
    start.elapsed()
}
