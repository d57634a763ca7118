//! The mails of `tests/cases/mail*.jsonl`.

use serde_json::Value;

/// The files of cases.
pub const FILES: [&str; 4] = [
    include_str!("../cases/mail.jsonl"),
    include_str!("../cases/mail_kinds.jsonl"),
    include_str!("../cases/mail_more.jsonl"),
    include_str!("../cases/mail_dates.jsonl"),
];

/// The message of a case: a text, a page and a calendar part, whichever it has.
pub fn raw(case: &Value) -> String {
    let text = |key: &str| case[key].as_str().unwrap_or_default();
    let mut head = String::new();
    for (name, value) in case["headers"].as_object().into_iter().flatten() {
        head.push_str(&format!("{name}: {}\r\n", value.as_str().unwrap()));
    }
    if text("subject").to_lowercase().starts_with("re:") && !head.contains("In-Reply-To") {
        head.push_str("In-Reply-To: <0@x.example>\r\n");
    }
    if !text("cc").is_empty() {
        head.push_str(&format!("Cc: {}\r\n", text("cc")));
    }
    let forms = [("body", "plain"), ("html", "html"), ("calendar", "calendar")];
    let parts: Vec<String> = forms
        .iter()
        .filter(|(key, _)| !text(key).is_empty())
        .map(|(key, kind)| format!("Content-Type: text/{kind}; charset=utf-8\r\n\r\n{}\r\n", text(key)))
        .collect();
    let body = match &parts[..] {
        [] => "\r\n".to_owned(),
        [one] => one.clone(),
        several => {
            let each: String = several.iter().map(|p| format!("--=_b\r\n{p}")).collect();
            format!("Content-Type: multipart/alternative; boundary=\"=_b\"\r\n\r\n{each}--=_b--\r\n")
        }
    };
    format!(
        "From: {}\r\nTo: {}\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <1@x.example>\r\n{head}MIME-Version: 1.0\r\n{body}",
        text("from"),
        text("to"),
        text("subject"),
        text("date"),
    )
}
