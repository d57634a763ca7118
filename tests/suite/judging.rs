//! The judge: trust rules on single changes, explanations of a model, replies, and contested matters.

use memfold::analysis::{Analysis, Outcome, Reading, analyse};
use memfold::decision::{
    Basis, Candidate, Decided, Decision, ModelAnalysis, Reason, Refusal, Speaker, TrustRule, apply_candidate_rules,
    guard, is_contested, name_others, read_each, read_reply,
};
use memfold::model::{ChangeType, Claim, Draft, Ids, Memory, PropertyChange, Source, Time};
use memfold::similarity::Factors;
use std::rc::Rc;

#[test]
fn what_names_others_is_of_another_matter() {
    for (one, two, others) in [
        ("지오의 수영 수업은 일요일 11시로 옮겼다.", "리안의 수영 수업은 중급반으로 올라갔고 수·금 5시이다.", true),
        ("Gio's lesson at the pool is on Sunday at 11.", "Lian's lesson at the pool is on Friday at 5.", true),
        ("The glaze workshop is on Wednesday 27 May.", "The glaze workshop is on Thursday 28 May.", false),
        ("대관료는 하루 15만원이다.", "대관료는 하루 20만원이다.", false),
    ] {
        assert_eq!(name_others(one, two), others, "{one} / {two}");
    }
}

#[test]
fn another_value_of_the_same_property_is_worth_a_question() {
    for (old, new, contested) in [
        (
            "The spring concert is on 28 March at 7.30 pm in the Corn Hall.",
            "Spring concert: 28 March, 7 pm, All Hallows.",
            true,
        ),
        (
            "The contract provides for closing on 29 May.",
            "The earliest date on which we could close the contract is 5 June.",
            true,
        ),
        (
            "Your offer for the tulip bulbs is valid until 5 November.",
            "The boiler appointment is on 12 November.",
            false,
        ),
        ("The rent of the workshop is £540.", "The workshop has a new north wall.", false),
        ("회식은 5월 14일 목요일 저녁 7시입니다.", "회식을 5월 15일 금요일로 옮깁니다.", true),
        ("할머니 방은 203호입니다.", "할머니 방을 305호로 옮겨 드렸습니다.", true),
        ("The workshop is in the Harbour Room.", "The workshop will be in the Garden Hall, I think.", true),
        ("튤립 주문은 11월 5일까지 받습니다.", "보일러 점검은 11월 12일입니다.", false),
        ("회의실 예약은 3층으로 했습니다.", "회의실 예약 감사합니다.", false),
    ] {
        let (old, new) = (Draft::new(old), Draft::new(new));
        assert_eq!(
            is_contested(&Claim::from(&old), &Claim::from(&new)),
            contested,
            "{} / {}",
            old.content,
            new.content
        );
    }
}

fn change(change_type: ChangeType, old: Option<&str>, new: Option<&str>) -> PropertyChange {
    let (old_value, new_value) = (old.map(Into::into), new.map(Into::into));
    PropertyChange { property: String::new(), old_value, new_value, change_type }
}

#[test]
fn a_change_is_said_by_the_texts_that_it_is_taken_from() {
    use ChangeType::{Addition, Expansion, Removal, ValueChange};
    let cases = [
        (ValueChange, Some("5M"), Some("6M"), true),
        (Expansion, Some("5m"), Some("6m"), true),
        (ValueChange, Some("6M"), Some("6M"), false),
        (ValueChange, Some("5M"), Some("7M"), false),
        (ValueChange, Some("7M"), Some("6M"), false),
        (ValueChange, None, Some("6M"), false),
        (Addition, None, Some("6M"), true),
        (Addition, Some("5M"), Some("6M"), false),
        (Addition, None, Some("7M"), false),
        // A single letter or part of a number is no evidence.
        (Addition, None, Some("o"), false),
        (ValueChange, Some("5"), Some("6"), false),
        (ValueChange, Some("cos"), Some("6M"), false),
        (Removal, Some("5M"), None, true),
        (Removal, Some("5M"), Some("6M"), false),
    ];
    for (change_type, old, new, expected) in cases {
        let one = change(change_type, old, new);
        let told = ModelAnalysis { changes: vec![one.clone()], ..ModelAnalysis::default() };
        let kept = told.checked(Some("cost 5M by"), "cost 6M by").changes.len();
        assert_eq!(kept, usize::from(expected), "{one:?}");
    }
}

#[test]
fn what_the_texts_do_not_bear_is_left_out() {
    let said = |sure| ModelAnalysis {
        subjects: vec!["Heron".into(), "Heron".into()],
        changes: vec![
            change(ChangeType::ValueChange, Some("5M"), Some("6M")),
            change(ChangeType::ValueChange, Some("5M"), Some("9M")),
        ],
        why: Some("The cost has grown.".into()),
        factors: vec!["same project".into(), "x".repeat(201), " ".into()],
        sure: Some(sure),
    };
    let kept = said(0.7).checked(Some("cost 5M"), "cost 6M");
    assert_eq!((kept.changes.len(), kept.factors.len(), kept.sure), (1, 1, Some(0.7)));
    assert_eq!(kept.subjects.len(), 2);
    let korean = said(7.0).checked(None, "비용 6M");
    assert_eq!((korean.changes.len(), korean.why, korean.sure), (0, None, None));
    let long = ModelAnalysis { subjects: vec!["a".into(), "x".repeat(201)], ..said(0.1) };
    assert_eq!(long.checked(None, "").subjects.len(), 0);
}

fn draft_of(text: &str, mail: &str, day: u8) -> Draft {
    Draft {
        thread_id: Some("t".to_owned()),
        author: Some("gale@heating.example".to_owned()),
        source_id: Some(mail.to_owned()),
        source_type: Source::Realtime,
        stated_at: format!("2026-04-{day:02}T09:00:00Z").parse::<Time>().ok(),
        ..Draft::new(text)
    }
}

/// The indices of the stored memories that the mail changes.
fn updated_memories(stored: &[&str], new: &Draft) -> Vec<usize> {
    let mut found: Vec<(Candidate, Memory)> = stored
        .iter()
        .enumerate()
        .map(|(n, text)| {
            let old = draft_of(text, &format!("m{n}"), 1);
            let analysis = Some(analyse(&(&old).into(), &new.into()));
            let at = old.stated_at.unwrap();
            let memory = Memory::from_draft(Ids::new(at, [n as u8; 16]).mint(), old, at);
            let (score, factors) = (0.6, memfold::similarity::Factors::default());
            (Candidate { id: memory.id, score, factors, structural: true, important: false, analysis }, memory)
        })
        .collect();
    apply_candidate_rules(&mut found, new, &|m| Rc::new(Reading::of(&m.into())));
    let is_update = |c: &Candidate| {
        let changed = |a: &Analysis| !a.changes.iter().all(|c| c.change.change_type == ChangeType::Addition);
        c.analysis.as_ref().is_some_and(|a| a.outcome == Outcome::Update && a.confidence >= 0.81 && changed(a))
    };
    (0..found.len()).filter(|n| is_update(&found[*n].0)).collect()
}

const VISIT: [&str; 3] = [
    "The boiler visit to Capstan Row is on Friday 24 April, 08:00-12:00.",
    "The new rigger for the Turnstone costs £90.",
    "The parking permits lie at the desk.",
];

#[test]
fn a_short_mail_changes_the_one_memory_that_it_means() {
    let new = draft_of("The boiler visit moves: first I have is Tuesday 28 April, same window.", "new", 20);
    assert_eq!(updated_memories(&VISIT, &new), [0]);
    let new = draft_of("The rigger for the Turnstone comes to £110 in the end instead.", "new", 20);
    assert_eq!(updated_memories(&VISIT, &new), [1]);
    let stored = ["연습은 매주 화요일 저녁 7시 반, 물결연습실 2층이에요.", "연주복은 흰 블라우스에 남색 긴치마."];
    let new = draft_of("연습은 5월부터 매주 목요일로 옮깁니다. 물결연습실 시간은 그대로예요.", "new", 20);
    assert_eq!(updated_memories(&stored, &new), [0]);
}

#[test]
fn what_says_nothing_otherwise_changes_none() {
    for new in [
        draft_of("The boiler was built in 2009 and hums on Tuesday 28 April.", "new", 20),
        draft_of("The club dinner is on Tuesday 28 April instead of the quiz.", "new", 20),
    ] {
        assert_eq!(updated_memories(&VISIT, &new), [] as [usize; 0], "{}", new.content);
    }
    let noted = Draft {
        source_type: Source::UserInput,
        ..draft_of("First I have is Tuesday 28 April, same window.", "new", 20)
    };
    assert_eq!(updated_memories(&VISIT, &noted), [] as [usize; 0]);
}

type Numbers = std::collections::BTreeMap<String, u8>;

#[test]
fn replies_are_read_around_prose_fences_thoughts_and_trailing_commas() {
    for (reply, found) in [
        (r#"a {"a":1} c"#, Ok(1)),
        (r#"{} } {"a":2} {"#, Err(Refusal::NotJson)),
        (r#"x } {"a":3} {"#, Ok(3)),
        (r#"say "so {"a":4} "#, Ok(4)),
        ("{\"a\":1}<think>{\"a\":2}</think>{\"a\":5}", Ok(5)),
        (r#"{"a":6, }"#, Ok(6)),
        (r#"{"a":",}"}"#, Err(Refusal::Malformed)),
        ("none", Err(Refusal::NotJson)),
    ] {
        assert_eq!(read_reply::<Numbers>(reply).map(|numbers| numbers["a"]), found, "{reply}");
    }
    for text in [r#"{"x":"}"}"#, r#"{"x":"\"}"}"#, r#"{"x":"\\"}"#, r#"{"x":"\",}",}"#] {
        assert!(read_reply::<std::collections::BTreeMap<String, String>>(text).is_ok(), "{text}");
    }
}

#[test]
fn each_answer_of_a_list_is_read_by_itself() {
    let read = |reply: &str| read_each::<Vec<u8>>(reply, "answers").map(|a| a.len());
    let numbers = |reply: &str| read_each::<Numbers>(reply, "answers");
    assert_eq!(read("{\"answers\":[]}"), Ok(0));
    let mixed = numbers("so: {\"answers\": [{\"a\": 1}, {\"a\": \"{\"}, {\"b\": 2,},]}").unwrap();
    assert_eq!(mixed.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    for (other, many) in
        [("{\"answers\":[],\"delete\":[]}", 0), ("{\"Answers\":[[{}]]}", 1), ("[]", 0), ("```json\n[{}]\n```", 1)]
    {
        assert_eq!(read(other), Ok(many), "{other}");
    }
    for other in ["{\"answer\":[]}", "{\"a\":{\"answers\":[]}}", "{\"answers\":3}"] {
        assert_eq!(read(other), Err(Refusal::Malformed), "{other}");
    }
    assert_eq!(read("{\"answers\":[]} {\"answers\":[]}"), Err(Refusal::NotJson));
}

/// A decision to update a stored memory after the trust rules.
fn ruled(stored: &str, author: &str, draft: &Draft, said: Option<&str>, speaker: &str) -> Decided {
    let now = Time::from_millis(1_760_000_000_000);
    let old = Draft { author: Some(author.into()), source_type: Source::Realtime, ..Draft::new(stored) };
    let memory = Memory::from_draft(Ids::new(now, [1; 16]).mint(), old, now);
    let (id, score, factors) = (memory.id, 0.6, Factors::default());
    let known = [(Candidate { id, score, factors, structural: true, important: false, analysis: None }, memory)];
    let speaker = Speaker { address: Some(speaker.into()), ..Speaker::default() };
    let decided = Decided { decision: Decision::Update, target: Some(id), ..Decided::default() };
    let speaker = Some(&speaker);
    guard(decided, &Basis { draft, said, speaker, lenders: &[], known: &known, confirmed: None })
}

#[test]
fn an_address_that_looks_like_a_known_one_is_kept_for_review() {
    for (address, known, alike) in [
        ("ann@northwlnd.example", "ann@northwind.example", true),
        ("ann@northwind.top", "ann@northwind.example", true),
        ("ann@northwind.co.kr", "ann@northwind.example", true),
        ("ann@northwindtraders.xyz", "ann@northwind.example", true),
        ("ann@northwind-pay.example", "ann@northwind.example", true),
        ("ann@northwind.example.evil.top", "ann@northwind.example", true),
        ("ann@my-northwind.example", "ann@northwind.example", true),
        ("ann@getnorthwind.example", "ann@northwind.example", true),
        ("ann@nоrthwind.example", "ann@northwind.example", true),
        ("ann@xn--nrthwind-nbh.example", "ann@northwind.example", true),
        ("ann@ｎｏｒｔｈｗｉｎｄ.example", "ann@northwind.example", true),
        ("ann@nörthwind.example", "ann@northwind.example", true),
        ("ann@norhtwind.example", "ann@northwind.example", true),
        ("ann@n0rthw1nd.example", "ann@northwind.example", true),
        ("ann@north-wind.example", "ann@northwind.example", true),
        ("ann@northwindd.example", "ann@northwind.example", true),
        ("ann@rnorningside.example", "ann@morningside.example", true),
        ("ann@аррӏе-store.example", "ann@apple-store.example", true),
        ("ann@gmai1.com", "ann@gmail.com", true),
        ("ann@evil-gmail.com", "ann@gmail.com", true),
        ("ann@gmail.com.evil.example", "ann@gmail.com", true),
        ("ann.1ee@gmail.com", "ann.lee@gmail.com", true),
        ("minji.kirn@naver.com", "minji.kim@naver.com", true),
        ("ann@northwind.example", "bo@northwind.example", false),
        ("ann@mail.northwind.example", "ann@northwind.example", false),
        ("ann@southbank.example", "ann@northwind.example", false),
        ("bo@gmail.com", "al@gmail.com", false),
        ("dana@gmail.com", "dani.roth@gmail.com", false),
        ("ann.lee@naver.com", "ann.lee@gmail.com", false),
        ("ann@ferry.example", "ann@fern.example", false),
        ("ann@한들식품.kr", "ann@온고을안과.kr", false),
        ("pay@kiln-and-clay.example", "orders@kilnandclay.example", true),
        ("accounts@kilnandc1ay.example", "orders@kilnandclay.example", true),
        ("account@heukgarna.example", "order@heukgama.example", true),
        ("account@heukgmaa.example", "order@heukgama.example", true),
        ("accounts@frobisher-stead-client.example", "a.frobisher@frobisherstead.example", true),
        ("tom@ellis-events.example", "orders@kilnandclay.example", false),
        ("dana@oakbroom-hire.example", "dana@oakroom.example", false),
        ("x@kiln.example", "orders@kilnandclay.example", false),
        ("bo@acme.example", "me@example.org", false),
        ("x", "ann@northwind.example", false),
        ("", "", false),
    ] {
        let draft = Draft { source_type: Source::Realtime, ..Draft::new("The rota is on 5 May.") };
        let decided = ruled("The rota is on 4 May.", known, &draft, None, address);
        assert_eq!(decided.rule == Some(TrustRule::LookAlike), alike, "{address} {known}");
    }
}

/// The sensitive detail of a stored memory that its author's mail would change.
fn detail_changed(stored: &str, said: Option<&str>, text: &str) -> Option<String> {
    let author = "bo@acme.example";
    let draft = Draft { source_type: Source::Realtime, author: Some(author.into()), ..Draft::new(text) };
    ruled(stored, author, &draft, said, author).reasons.into_iter().find_map(|reason| match reason {
        Reason::SensitiveChange { detail } => Some(detail),
        _ => None,
    })
}

#[test]
fn an_account_that_a_new_wording_leaves_out_is_a_change() {
    let rent = "The rent of the kiln is 300,000 won, paid to Kookmin 123456-01-123456.";
    for (stored, text, lost) in [
        (rent, "The rent of the kiln is 300,000 won, in cash to Eve Crane, 5 Mill Lane.", true),
        (rent, "The rent of the kiln is 300,000 won, sent to Toss one zero zero zero one two three.", true),
        (rent, "The rent of the kiln is 320,000 won, paid to Kookmin 123456-01-123456.", false),
        ("Parcel 6012-3345-8890 arrives on Friday.", "The parcel has arrived.", false),
    ] {
        assert_eq!(detail_changed(stored, Some(text), text).is_some(), lost, "{text}");
    }
}

#[test]
fn a_detail_that_is_said_again_has_not_changed() {
    let about = |stored: &str, text: &str| detail_changed(stored, None, text);
    let works = "중도금은 10월 19일에 낸다. 입금 계좌는 두레은행 302-0077-4418 강민석이다.";
    for (text, detail) in [
        ("중도금은 10월 23일에 낸다. 입금 계좌는 두레은행 302-0077-4418 강민석이다.", None),
        ("중도금은 2026-10-23에 냈다. 계좌번호 302-0077-4418 강민석에게 보냈다.", None),
        ("중도금은 10월 23일에 낸다. 입금 계좌는 한물은행 302-0077-4419 강민석이다.", Some("bank")),
        ("중도금은 10월 23일에 낸다. 입금 계좌는 삼공이 공공칠칠 사사일구이다.", Some("bank")),
        ("입금 계좌 302-0077-4418이 바뀌었다.", Some("bank")),
        ("입금 계좌는 302-0077-4418 또는 551-20-118273이다.", Some("bank")),
    ] {
        assert_eq!(about(works, text).as_deref(), detail, "{text}");
    }
    // A model rewords the memory, and the mail does not mention the account.
    let anew = |stored: &str, said: &str, text: &str| detail_changed(stored, Some(said), text);
    let cake =
        "The cake is to be delivered to the Net Loft on Quay 3 on Saturday 14 June 2025 by 11, for the photographer.";
    let (at_ten, by_ten) = (
        "The quay shuts, so be there at ten.",
        "The cake is to be delivered to the Net Loft on Quay 3 on 14 June 2025 at ten.",
    );
    assert_eq!(anew(cake, at_ten, by_ten).as_deref(), None);
    for (said, text) in [
        ("Please deliver to us at ten.", by_ten),
        (at_ten, "The cake is to be delivered to the Old Loft on Quay 3 on 14 June 2025 at ten."),
        (at_ten, "The cake is to be delivered to the Net Loft on Quay 3, entrance 7, on 14 June 2025 at ten."),
    ] {
        assert_eq!(anew(cake, said, text).as_deref(), Some("delivery"), "{text}");
    }
    for (stored, text, detail) in [
        ("Webmail is at https://mail.a.example.", "Webmail is at https://a-mail.example now.", Some("login")),
        ("Webmail is at https://mail.a.example.", "Webmail is at https://mail.a.example/new now.", None),
        ("The deposit goes to Shinhan 110234567890.", "The deposit goes to Toss 100012345678.", Some("bank")),
        ("Parcel 110-23-45678 comes today.", "Parcel 110-23-45679 comes today.", None),
        ("Webmail is at https://mail.a.example.", "Webmail is at https://post.a.example now.", None),
        ("Webmail is at https://mail.a.example.", "Webmail is at evil.example/login now.", Some("login")),
        ("Webmail is at https://mail.a.example.", "Webmail is at www.evil.example now.", Some("login")),
        ("Webmail is at https://mail.a.example.", "Webmail is at https:/\\evil.example now.", Some("login")),
        ("Webmail is at https://mail.a.example.", "Webmail is at https://evil.example\\.a.example.", Some("login")),
        ("Webmail is at https://mail.a.example.", "Webmail is at https://a.example@evil.example.", Some("login")),
        ("The rent goes to Kookmin 123456-01-123456.", "Send the rent at paypal.me/eve.", Some("payment")),
        ("The rent goes to Kookmin 123456-01-123456.", "The rent goes to Venmo @eve-crane.", Some("payment")),
        ("The rent goes to Venmo @bo.", "The rent goes to Venmo @bo, on the 1st.", None),
        ("Write to bo@a.example.", "Write to bo@b.example.", Some("payment")),
        ("Write to bo@a.example.", "Write to mi@a.example.", None),
        ("Write to bo@gmail.com.", "Write to mi@gmail.com.", Some("payment")),
        // A page of another kind is no sign-in page.
        ("The form is at https://bo.github.io.", "The form is at https://mi.github.io.", None),
        ("Sign in at https://bo.github.io.", "Sign in at https://mi.github.io.", Some("login")),
        (
            "The rent goes to our bаnk аccount 110-23-45678.",
            "The rent goes to our bаnk аccount 352-98-76543.",
            Some("bank"),
        ),
    ] {
        assert_eq!(about(stored, text).as_deref(), detail, "{text}");
    }
    let parcel = "The delivery address is 9 Capstan Row.";
    assert_eq!(about(parcel, "The parcel comes on Friday. The delivery address is 9 Capstan Row.").as_deref(), None);
    assert_eq!(about(parcel, "The delivery address is 4 Mill Lane.").as_deref(), Some("delivery"));
}
