//! What `build.rs` makes of the word lists, and the faults that stop a build.

use crate::data::{lex, lists, phrases, shown, table};

fn months(text: &str) -> Result<String, String> {
    table(text, |said| lex("Lex", said))
}

#[test]
fn lists_and_tables_become_rust() {
    let made = lists("# of two\n[one] sorted\nb, \"a, \",\n  c\n[two] longest first\n다, 니다\n", "x").unwrap();
    assert_eq!(made, [("x.one.txt".into(), "a, \nb\nc".into()), ("x.two.txt".into(), "니다\n다".into())]);
    let made = months("month 8: august, aug\nweekday 0 full: monday\n").unwrap();
    let meanings = "[Lex::Month(8), Lex::Month(8), Lex::Weekday(0, Sort::Full)]";
    assert_eq!(made, format!("Table::new(Words::new(\"aug\\naugust\\nmonday\"), &{meanings})"));
    let made = phrases("[no task]\nb*, ^a$, _c", "CategoryCue").unwrap();
    assert_eq!(made, r#"Phrases::new(&[(CategoryCue::NoTask, "b*\n^a$\n c")])"#);
}

#[test]
fn faults_are_named() {
    for (made, fault) in [
        (months("month 8: aug\nmonth 9: aug\n"), "“aug” stands twice"),
        (months("8: aug\n"), "“8” means nothing"),
        (lists("a, , b", "x").map(|_| String::new()), "an empty entry in “a, , b”"),
        (lists("a, b, a", "x").map(|_| String::new()), "“a” stands twice in []"),
        (phrases("[soft] words\na", "MailKind"), "“[soft] words” means nothing"),
        (shown("[gone]\nGone.\n"), "[gone] wants a text in English and one in Korean, with as many % in each"),
    ] {
        assert_eq!(made, Err(fault.to_owned()));
    }
}
