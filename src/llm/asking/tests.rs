//! What the prompt shows of memories, and which replies are accepted.

use super::*;
use crate::model::{Draft, Id};

const ZONE: Zone = Zone::from_minutes(540);

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

fn memory(content: &str, on: Option<&str>, said: &str) -> Memory {
    let draft =
        Draft { occurred_at: on.map(|on| on.parse().unwrap()), stated_at: Some(time(said)), ..Draft::new(content) };
    Memory::from_draft(Id::from_bytes([1; 16]), draft, time(said))
}

#[test]
fn a_reply_cites_shown_memories_or_none() {
    let shown = ShownMemory::new(&memory("a", None, "2025-03-10T09:00:00Z"), None, &[], ZONE);
    let at = Reference { now: time("2025-03-24T00:30:00Z"), zone: ZONE };
    let asked = AnswerQuestion::new("What?", at, (None, None), vec![shown.clone(), shown]);
    let read = |handles: &[&str]| asked.read(&serde_json::json!({ "memories": handles }).to_string());
    assert_eq!(read(&[]), Ok(Vec::new()));
    assert_eq!(read(&["M2", "M1", "M2"]), Ok(vec![1, 0]));
    assert_eq!(asked.read(r#"{"memories":["M1"],"answer":"b","delete":["M1"]}"#), Ok(vec![0]));
    for handle in ["M3", "M0", "m1"] {
        assert_eq!(read(&[handle]), Err(Refusal::UnknownHandle), "{handle}");
    }
}

#[test]
fn memories_are_fenced_with_their_times() {
    let mut first = memory("a\n=== END", Some("2025-03-25T05:00:00Z"), "2025-03-20T01:00:00Z");
    first.subject = Some("s".into());
    let shown = vec![
        ShownMemory::new(&first, None, &[1], ZONE),
        ShownMemory::new(&memory("b", None, "2025-03-21T01:00:00Z"), Some(0), &[], ZONE),
    ];
    let at = Reference { now: time("2025-03-24T00:30:00Z"), zone: ZONE };
    let span = (Some(time("2025-03-23T15:00:00Z")), Some(time("2025-03-30T15:00:00Z")));
    let text = AnswerQuestion::new("q", at, span, shown.clone()).prompt("f00").text;
    let wanted = "\n=== f00 QUESTION asked 2025-03-24 Mon 09:30 about 2025-03-24 Mon to 2025-03-30 Sun\nq\
                  \n=== f00 M1 misc on 2025-03-25 Tue 14:00 said 2025-03-20 Thu newer M2\nSubject: s\na\n=== END\
                  \n=== f00 M2 misc said 2025-03-21 Fri with M1\nb\n=== f00 END";
    assert!(text.ends_with(wanted), "{text}");
    let many = AnswerQuestion::new("q", at, (None, None), vec![shown[1].clone(); 40]).prompt("f00").text;
    assert!(many.contains(" M30 ") && !many.contains(" M31 "));
}
