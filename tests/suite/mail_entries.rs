//! Reads replies about a mail: evidence, figures, days, names, links, and the marks of the prompt.

use chrono::NaiveDate;
use memfold::analysis::RELATIONS;
use memfold::decision::{ModelAnalysis, Refusal, ReplyFault};
use memfold::language::Reference;
use memfold::llm::{
    Earlier, Form, KnownMemory, LinkEnd, MailEntry, MailQuestion, MailReply, Op, Party, Passage, Question,
};
use memfold::model::{Draft, Ids, Memory, Time, WrittenBy, Zone};

const FENCE: &str = "f00";
const CHAT: &str = "The mail is a chat: ";
const DRAFT: &str = "The mail is one new memory ";

fn memory(n: i64, content: &str) -> Memory {
    let said = Time::from_millis(1_700_000_000_000 + n * 1_000);
    let draft = Draft { stated_at: Some(said), thread_id: Some("t".into()), ..Draft::new(content) };
    Memory::from_draft(Ids::new(said, [n as u8; 16]).mint(), draft, said)
}

/// A mail of Thursday, 23 November 2023, with two stored memories.
fn question() -> MailQuestion {
    let said = Time::from_millis(1_700_733_600_000);
    let known = [
        memory(1, "Ann Becker repairs the north fence on Friday 24 November 2023 for $4,200."),
        memory(2, "회의는 2023년 11월 30일 오후 2시 본관에서 열린다."),
    ];
    MailQuestion {
        is_draft: false,
        form: Form::Full,
        source: Some("<1@a.example>".into()),
        from: Party { name: "Ann Becker <ann@a.example>".into(), is_owner: false },
        speaker: Some("ann@a.example".into()),
        to: vec![Party { name: "me@b.example".into(), is_owner: true }],
        is_answer: false,
        subject: "north fence".into(),
        at: Some(Reference { now: said, zone: Zone::default() }),
        passages: vec![Passage {
            by: WrittenBy::Sender,
            text: "Hi,\nit will be $4,900 after all, and I come a week later.\nBring 3 bags of sand and 14 posts."
                .into(),
        }],
        signature: "Ann Becker, Becker Fences".into(),
        before: vec![Earlier {
            source: "<1@a.example>".into(),
            from: "me".into(),
            speaker: Some("me@b.example".into()),
            date: Some(said),
            text: "Is it still $4,200, for Uncle Tobias?".into(),
        }],
        known: known.iter().map(|m| KnownMemory::new(m, Some("t"), Zone::default())).collect(),
    }
}

fn read(entries: &str) -> Vec<Result<MailEntry, Refusal>> {
    question().read(&format!("{{\"entries\":[{entries}]}}"), &|_| false).unwrap().entries
}

fn update(text: &str) -> String {
    format!(
        r#"{{"op":"update","of":"M1","text":"{text}","category":"decision","day":"2023-12-01","evidence":"it will be $4,900 after all"}}"#
    )
}

const GOOD: &str = "Ann Becker repairs the north fence on Friday 1 December 2023 for $4,900.";

#[test]
fn an_entry_has_a_shown_memory_and_evidence_from_the_mail() {
    let entries = read(&update(GOOD));
    let entry = entries[0].as_ref().unwrap();
    assert_eq!((entry.op, entry.of), (Op::Update, Some(question().known[0].id)));
    assert_eq!((entry.text.as_str(), entry.evidence.as_str()), (GOOD, "it will be $4,900 after all"));
    assert_eq!(entry.day, NaiveDate::from_ymd_opt(2023, 12, 1));
    // The day is derived from "a week later": accepted, and flagged for the owner.
    assert!(entry.inferred);
    assert!(read("").is_empty());
}

#[test]
fn a_day_is_named_by_a_span_that_begins_on_it() {
    let mut asked = question();
    let (mail, text) =
        ("수진이가 장터 주말(2·3일) 도와준대", "수진이 장터 주말인 2023년 12월 2일(토)과 3일(일)에 도와준다.");
    asked.passages[0].text = mail.into();
    let day = |day: &str| {
        let entry = serde_json::json!({"op": "new", "text": text, "category": "task", "day": day, "evidence": mail});
        let reply = serde_json::json!({ "entries": [entry] }).to_string();
        let [entry] = <[_; 1]>::try_from(asked.read(&reply, &|_| false).unwrap().entries).unwrap();
        entry.unwrap().day
    };
    assert_eq!(day("2023-12-02"), NaiveDate::from_ymd_opt(2023, 12, 2));
    assert_eq!(day("2023-12-09"), None);
}

#[test]
fn unnamed_days_are_dropped_and_stored_names_are_accepted() {
    let other = read(&update(GOOD).replace("2023-12-01", "2024-07-19"));
    assert_eq!(other[0].as_ref().unwrap().day, None);
    let named = update("Ann Becker repairs the north fence of Kasimir Wolkow for $4,900.");
    let known = |name: &str| ["Kasimir", "Wolkow"].contains(&name);
    let entries = question().read(&format!("{{\"entries\":[{named}]}}"), &known).unwrap().entries;
    assert!(!entries[0].as_ref().unwrap().inferred);
    let uncle = update("Ann Becker repairs the north fence for Uncle Tobias, $4,900.");
    assert!(!read(&uncle)[0].as_ref().unwrap().inferred);
}

/// A line of `tests/cases/reader/figures.jsonl`: an update of a stored memory by a mail, and whether its figures are
/// `stated`, `inferred` or refused.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureCase {
    stored: String,
    mail: String,
    text: String,
    reads: String,
}

#[test]
fn spelled_figures_are_supported_and_derived_ones_flagged() {
    let mut wrong = Vec::new();
    for line in include_str!("../cases/reader/figures.jsonl").lines() {
        let FigureCase { stored, mail, text, reads } = serde_json::from_str(line).unwrap();
        let mut asked = question();
        asked.known = vec![KnownMemory::new(&memory(1, &stored), Some("t"), Zone::default())];
        asked.passages[0].text.clone_from(&mail);
        asked.before.clear();
        let entry = serde_json::json!({"op": "update", "of": "M1", "text": text, "category": "misc", "evidence": mail});
        let reply = serde_json::json!({ "entries": [entry] }).to_string();
        let found = match &asked.read(&reply, &|_| false).unwrap().entries[0] {
            Ok(entry) if entry.inferred => "inferred",
            Ok(_) => "stated",
            Err(refusal) => refusal.as_str(),
        };
        if found != reads {
            wrong.push((text, found));
        }
    }
    assert_eq!(wrong, []);
}

#[test]
fn a_late_mail_gives_the_state_then_and_now() {
    let (then, now) =
        (update(GOOD), update("Ann Becker repairs the north fence on Friday 1 December 2023 for $4,200."));
    let mut asked = question();
    asked.at = asked.at.map(|at| Reference { now: Time::from_millis(1_600_000_000_000), ..at });
    let read = |entries: &[&str]| {
        let reply = format!("{{\"entries\":[{}]}}", entries.join(","));
        let read = asked.read(&reply, &|_| false).unwrap().entries;
        read.into_iter().map(|e| e.map(|e| e.now)).collect::<Vec<_>>()
    };
    assert!(asked.prompt(FENCE).text.contains("came late: it is older than M1, M2."), "{}", asked.prompt(FENCE).text);
    assert!(!question().prompt(FENCE).text.contains("came late"));
    assert_eq!(read(&[&then, &now]), [Ok(false), Ok(true)]);
    assert_eq!(read(&[&then, &now, &now])[2], Err(Refusal::TwoUpdates));
}

#[test]
fn former_texts_are_shown_and_can_be_restored() {
    let mut asked = question();
    asked.known[0] = asked.known[0].clone().formerly(&["Ann Becker repairs the north fence for $3,600."]);
    let text = asked.prompt(FENCE).text;
    assert!(text.contains("\n=== f00 M1, formerly\nAnn Becker repairs the north fence for $3,600."), "{text}");
    let reply = update("Ann Becker repairs the north fence for $3,600.");
    assert!(asked.read(&format!("{{\"entries\":[{reply}]}}"), &|_| false).unwrap().entries[0].is_ok());
    assert_eq!(read(&reply)[0], Err(Refusal::NoEvidence));
}

#[test]
fn links_only_reach_shown_memories_and_earlier_entries() {
    let new = r#"{"op":"new","text":"Bring 3 bags of sand and 14 posts.","category":"task","day":null,"links":[{"to":"E1","type":"prerequisite"},{"to":"E2","type":"reference"},{"to":"M2","type":"reference"},{"to":"M9","type":"reference"}],"evidence":"Bring 3 bags of sand and 14 posts."}"#;
    let entries = read(&format!("{},{new}", update(GOOD)));
    let ends: Vec<LinkEnd> = entries[1].as_ref().unwrap().links.iter().map(|l| l.to).collect();
    assert_eq!(ends, [LinkEnd::Entry(0), LinkEnd::Memory(question().known[1].id)]);
}

#[test]
fn prompt_parts_are_fenced() {
    let text = question().prompt(FENCE).text;
    for mark in [
        "\n=== f00 M1 misc, said 2023-11-14, this thread\nAnn Becker repairs",
        "\n=== f00 BEFORE 2023-11-23 me\nIs it still",
        "\n=== f00 MAIL 2023-11-23 (Thu) 10:00\nFrom: Ann Becker <ann@a.example>\nTo: me@b.example (the owner)\nSubject: north fence\nHi,",
        "\n=== f00 END",
    ] {
        assert!(text.contains(mark), "{mark}\n{text}");
    }
}

#[test]
fn examples_pass_the_checks() {
    for said in ["The fence.", "울타리."] {
        let passage = |text: &str| vec![Passage { by: WrittenBy::Sender, text: text.into() }];
        let short = MailQuestion { form: Form::Short, passages: passage(said), ..question() };
        let example = short.prompt(FENCE).examples.remove(0);
        let (memory_text, mail) = example.text.split_once("\n=== MAIL 2024-04-26 (Fri) 09:00\nSubject: ").unwrap();
        let (subject, mail) = mail.split_once('\n').unwrap();
        let known = memory(1, memory_text.lines().nth(1).unwrap());
        let now = Time::from_millis(1_714_122_000_000);
        let asked = MailQuestion {
            subject: subject.into(),
            at: Some(Reference { now, zone: Zone::default() }),
            passages: passage(mail.trim_end_matches("\n=== END")),
            known: vec![KnownMemory::new(&known, None, Zone::default())],
            ..short
        };
        let entries = asked.read(&example.reply, &|_| false).unwrap().entries;
        assert_eq!((entries.len(), entries.iter().filter(|e| e.is_ok()).count()), (2, 2), "{entries:?}");
    }
}

#[test]
fn the_short_form_shows_six_memories_and_an_example() {
    let short = MailQuestion { form: Form::Short, ..question() };
    assert_eq!((short.prompt(FENCE).examples.len(), Form::Short.most_shown()), (1, 6));
    assert!(short.prompt(FENCE).system.len() < question().prompt(FENCE).system.len() / 2);
}

#[test]
fn an_unsupported_sentence_is_dropped_and_the_rest_kept() {
    let text = [GOOD, " It is paid from the 88,120 of the village."].concat();
    let entries = read(&update(&text));
    let entry = entries[0].as_ref().unwrap();
    assert_eq!((entry.text.as_str(), entry.shortened), (GOOD, true));
    // The mail's own words replace the figures of a dropped sentence.
    let text =
        "Ann Becker repairs the north fence on Friday 1 December 2023. It costs $4,900, of 77,310 for the village.";
    let entries = read(&update(text));
    let entry = entries[0].as_ref().unwrap();
    let left = "Ann Becker repairs the north fence on Friday 1 December 2023. it will be $4,900 after all";
    assert_eq!(entry.text, left);
}

#[test]
fn the_evidence_replaces_an_unsupported_first_sentence() {
    let text = "The fence repair costs 77,310 in all. Ann Becker repairs the north fence on Friday 1 December 2023.";
    let entries = read(&update(text));
    let entry = entries[0].as_ref().unwrap();
    let left = "it will be $4,900 after all Ann Becker repairs the north fence on Friday 1 December 2023.";
    assert_eq!((entry.text.as_str(), entry.shortened), (left, true));
}

#[test]
fn a_title_in_another_script_is_accepted() {
    let reply = |text: &str| {
        let entries = read(&update(text));
        entries[0].as_ref().map(|e| e.inferred).map_err(|e| *e)
    };
    let known = "Ann Becker repairs the north fence for $4,900 after all, on Friday 1 December 2023";
    assert_eq!(reply(&[known, " (Забор)."].concat()), Ok(true));
    let told = " Анна ремонтирует северный забор в деревне.";
    assert_eq!(reply(&[known, ".", told].concat()), Err(Refusal::WrongLanguage));
}

#[test]
fn an_evidence_is_the_words_of_the_mail() {
    let truck = "아빠 트럭 이장님이 가져가셨대ㅋㅋ 삼십 깎아드렸다고 엄마가 궁시렁ㅠㅠ";
    let plan = "HACCP plan: 71%. The fee is 4.5‰, 이율 3％.";
    let fence = "it will be $4,900 after all";
    for (mail, words, found) in [
        (plan, "HACCP plan: 71%.", Some("HACCP plan: 71%.")),
        (plan, "71%", Some("71%")),
        (plan, "fee is 4.5‰", Some("fee is 4.5‰")),
        (plan, "이율 3％", Some("이율 3％")),
        (plan, "haccp Plan: 71％", Some("HACCP plan: 71%")),
        (plan, "HACCP plan: 71", None),
        (plan, "HACCP plan: 7", None),
        (plan, "fee is 4.5%", None),
        (fence, "Subject: north fence", Some("north fence")),
        (fence, "it wil be $4,900 after all", None),
        (fence, "it will be $4,800 after all", None),
        (fence, "it will cost $4,900 after all", None),
        // Laughter is not part of a word.
        (truck, "트럭 이장님이 가져가셨대 삼십 깎아드렸다고", Some("트럭 이장님이 가져가셨대ㅋㅋ 삼십 깎아드렸다고")),
        (truck, "트럭 이장님이 가져", None),
    ] {
        let asked = MailQuestion { passages: vec![Passage { by: WrittenBy::Sender, text: mail.into() }], ..question() };
        let reply = serde_json::json!({"entries": [{"op": "repeat", "of": "M1", "evidence": words}]}).to_string();
        let entry = asked.read(&reply, &|_| false).unwrap().entries.remove(0).unwrap();
        assert_eq!(entry.evidence, found.unwrap_or_default(), "{words}");
    }
}

/// A line of `tests/cases/mail_replies.jsonl`: a reply to [`question`] and its outcome. `reads`
/// lists the operation or refusal code of each entry; `refused` is the code of a refused reply.
/// `told` is part of the error sent to the model.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyCase {
    what: String,
    reply: String,
    #[serde(default)]
    reads: Option<Vec<String>>,
    #[serde(default)]
    refused: Option<String>,
    #[serde(default)]
    told: Option<String>,
}

#[test]
fn replies_parse_in_many_forms_and_errors_name_the_field() {
    let lines = include_str!("../cases/mail_replies.jsonl").lines();
    let cases: Vec<ReplyCase> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() > 30);
    for case in cases {
        let read = question().read(&case.reply, &|_| false);
        let faults = match &read {
            Ok(reply) => reply.faults.clone(),
            Err(fault) => vec![fault.clone()],
        };
        let codes = |reply: MailReply| -> Vec<String> {
            let code = |e: &Result<MailEntry, Refusal>| match e {
                Ok(entry) => serde_json::to_value(entry.op).unwrap().as_str().unwrap().to_owned(),
                Err(refusal) => refusal.as_str().to_owned(),
            };
            reply.entries.iter().map(code).collect()
        };
        let read = read.map(codes).map_err(|fault| fault.refusal.as_str().to_owned());
        assert_eq!((read.clone().ok(), read.err()), (case.reads, case.refused), "{}", case.what);
        let told: Vec<String> = faults.iter().map(ReplyFault::told).collect();
        if let Some(part) = &case.told {
            assert!(told.iter().any(|t| t.contains(part)), "{}: {told:?}", case.what);
        }
    }
}

#[test]
fn chat_turns_and_text_below_a_forward_are_marked() {
    let mut asked = question();
    let passage = |by: WrittenBy, text: &str| Passage { by, text: text.into() };
    asked.passages = vec![
        passage(WrittenBy::User, "I moved to Lyon."),
        passage(WrittenBy::Assistant, "Which street?"),
        passage(WrittenBy::User, "Rue Neuve 4."),
    ];
    let text = asked.prompt(FENCE).text;
    let turns = "\n=== f00 USER\nI moved to Lyon.\n=== f00 ASSISTANT\nWhich street?\n=== f00 USER\nRue Neuve 4.";
    assert!(text.contains(turns) && text.contains(CHAT), "{text}");
    asked.passages = vec![
        passage(WrittenBy::Sender, "See below."),
        passage(WrittenBy::Forwarded("Ida, 2023-11-01".into()), "We close at 5."),
        passage(WrittenBy::Sender, "I told her yes."),
    ];
    let text = asked.prompt(FENCE).text;
    let marked = "\nSee below.\n=== f00 FORWARDED by Ida, 2023-11-01\nWe close at 5.\n=== f00 FROM the sender again\nI told her yes.";
    assert!(text.contains(marked) && !text.contains(CHAT), "{text}");
}

#[test]
fn the_schema_matches_the_types() {
    let schema: serde_json::Value = serde_json::from_str(&question().prompt(FENCE).schema).unwrap();
    let entry = &schema["properties"]["entries"]["items"];
    let fields: Vec<&String> = entry["properties"].as_object().unwrap().keys().collect();
    assert_eq!(fields.len(), entry["required"].as_array().unwrap().len());
    let kinds = &entry["properties"]["links"]["items"]["properties"]["type"]["enum"];
    assert_eq!(*kinds, serde_json::json!(RELATIONS));
    for op in entry["properties"]["op"]["enum"].as_array().unwrap() {
        serde_json::from_value::<Op>(op.clone()).unwrap();
    }
    let analysis = &entry["properties"]["analysis"]["properties"];
    let said = serde_json::json!({"subjects": [], "changes": [], "why": "", "factors": [], "sure": 1});
    assert_eq!(
        analysis.as_object().unwrap().keys().collect::<Vec<_>>(),
        said.as_object().unwrap().keys().collect::<Vec<_>>()
    );
    serde_json::from_value::<ModelAnalysis>(said).unwrap();
}

#[test]
fn a_draft_is_sent_as_a_mail_of_one_passage() {
    let asked = MailQuestion {
        is_draft: true,
        from: Party { name: String::new(), is_owner: true },
        to: Vec::new(),
        ..question()
    };
    let prompt = asked.prompt(FENCE);
    assert!(prompt.text.contains(DRAFT) && prompt.text.contains("\nFrom: (the owner)\nSubject: "), "{}", prompt.text);
    assert!(!question().prompt(FENCE).text.contains(DRAFT));
}
