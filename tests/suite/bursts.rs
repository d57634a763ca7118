//! Short messages of one thread that follow each other: one call reads them, and each is handled by itself. And the second
//! question of the short form.

use crate::kit::Model;
use crate::post::{Owned, current, mail, with};
use futures::executor::block_on;
use memfold::decision::{Decision, Prompt, Reason, Refusal};
use memfold::engine::{Cancel, IngestOptions, LogQuery, MailReceipt};
use memfold::llm::{Form, Reply};
use memfold::mail::HostCharset;
use serde_json::{Value, json};
use std::rc::Rc;

fn said(id: u32, from: &str, text: &str) -> String {
    let head = format!(
        "From: {from}\r\nTo: me@example.org\r\nSubject: Picnic\r\nReferences: <1@x.example>\r\n\
         Date: Thu, 20 Feb 2025 09:{id:02}:00 +0000"
    );
    mail(id, &head, text)
}

const ADA: &str = "Ada <ada@a.example>";
const BEA: &str = "Bea <bea@a.example>";

/// Two short messages of one thread.
fn two() -> Vec<String> {
    vec![
        said(1, ADA, "The picnic is on 1 March at the lake."),
        said(2, BEA, "No, the picnic is on 8 March at the lake for 370 euros."),
    ]
}

fn import(m: &Owned, mails: &[String]) -> Vec<MailReceipt> {
    let mbox: String = mails.iter().map(|m| format!("From x Thu Jan  1 00:00:00 2025\r\n{m}\r\n")).collect();
    let mut intake = m.intake(IngestOptions::default());
    let mut pieces = intake.push(mbox.as_bytes());
    pieces.extend(intake.finish());
    let receipts = block_on(m.ingest_all(&mut intake, pieces, &HostCharset, Cancel::default())).unwrap();
    assert!(block_on(m.check()).unwrap().problems.is_empty());
    receipts
}

/// An engine whose model answers so where it is asked about several messages, and that there is nothing in one alone.
fn asked(answer: impl Fn(&Prompt) -> Result<Value, Refusal> + 'static) -> (Owned, Model) {
    let model = Model::new(move |prompt| {
        let said = if prompt.sources.is_empty() { Ok(json!({"entries": []})) } else { answer(prompt) };
        said.map(|said| Reply { text: said.to_string(), tokens: 100 })
    });
    (with(|_| {}).with_model(Rc::new(model.clone())), model)
}

fn entry(mail: usize, op: &str, of: Option<&str>, text: &str, evidence: &str) -> Value {
    json!({"mail": mail, "op": op, "of": of, "text": text, "category": "meeting", "day": null, "evidence": evidence})
}

fn first() -> Value {
    entry(1, "new", None, "The picnic is on 1 March 2025 at the lake.", "The picnic is on 1 March at the lake.")
}

fn moved(of: &str) -> Value {
    let said = "No, the picnic is on 8 March at the lake for 370 euros.";
    entry(2, "update", Some(of), "The picnic is on 8 March 2025 at the lake.", said)
}

fn decisions(receipts: &[MailReceipt]) -> Vec<Vec<Decision>> {
    receipts.iter().map(|r| r.receipts.iter().map(|r| r.entry.decision).collect()).collect()
}

#[test]
fn a_later_message_changes_what_an_earlier_one_has_made() {
    let (m, model) = asked(|_| Ok(json!({"entries": [first(), moved("E1")]})));
    let receipts = import(&m, &two());
    assert_eq!(decisions(&receipts), [[Decision::Create], [Decision::Update]]);
    let prompts = model.prompts();
    assert_eq!((prompts.len(), &prompts[0].sources[..]), (1, &["<1@x.example>".into(), "<2@x.example>".into()][..]));
    assert!(prompts[0].text.contains(" MAIL 1 2025-02-20") && prompts[0].text.contains("From: Bea <bea@a.example>"));
    let now = current(&m);
    assert_eq!(now.len(), 1, "{now:?}");
    assert!(now[0].content.contains("8 March") && now[0].source_id.as_deref() == Some("<2@x.example>"));
    // Each message has its own entry; the call stands in the log once.
    let log = block_on(m.log(&LogQuery::default())).unwrap();
    assert_eq!((log.len(), log.iter().map(|e| e.tokens).sum::<u32>()), (2, 100));
    // What was taken in is not asked about again.
    let again = import(&m, &two());
    assert!(again.iter().flat_map(|r| &r.receipts).all(|r| r.replayed));
    assert_eq!((model.prompts().len(), current(&m).len()), (1, 1));
}

#[test]
fn what_an_earlier_message_updates_is_updated_once_more() {
    let (m, _) = asked(|prompt| {
        let [shown] = &prompt.candidates[..] else { return Ok(json!({"entries": [first()]})) };
        let second = "The picnic is on 2 March at the lake.";
        let then = entry(1, "update", Some(shown.handle), "The picnic is on 2 March 2025 at the lake.", second);
        Ok(json!({"entries": [then, moved(shown.handle)]}))
    });
    import(&m, &[two()[0].clone(), said(3, BEA, "Nice, I will come to the picnic.")]);
    let receipts = import(
        &m,
        &[
            said(4, ADA, "The picnic is on 2 March at the lake."),
            two()[1].replace("<2@", "<5@").replace("09:02", "09:05"),
        ],
    );
    assert_eq!(decisions(&receipts), [[Decision::Update], [Decision::Update]]);
    let now = current(&m);
    assert_eq!(now.len(), 1);
    let all = block_on(m.history(now[0].id)).unwrap();
    let days = ["1 March", "2 March", "8 March"];
    assert!(all.len() == 3 && all.iter().zip(days).all(|(m, day)| m.content.contains(day)), "{all:?}");
}

#[test]
fn an_entry_is_of_the_message_in_which_its_evidence_stands_and_says_nothing_of_another() {
    let (m, _) = asked(|_| {
        let mut wrong = moved("E1");
        wrong["mail"] = json!(1);
        // What only the second one says is no word of the first.
        let early = entry(
            1,
            "new",
            None,
            "The picnic is on 1 March 2025 for 370 euros.",
            "The picnic is on 1 March at the lake.",
        );
        Ok(json!({"entries": [first(), wrong, early]}))
    });
    let receipts = import(&m, &two());
    let refused = |r: &MailReceipt| r.refused.iter().map(|r| r.error.clone()).collect::<Vec<_>>();
    assert_eq!(receipts.iter().map(refused).collect::<Vec<_>>(), [vec!["no_evidence".to_owned()], vec![]]);
    assert_eq!(receipts[1].receipts[0].entry.decision, Decision::Update);
    assert!(current(&m).iter().all(|m| m.source_id.as_deref() == Some("<2@x.example>") || !m.content.contains("370")));
}

#[test]
fn what_no_entry_before_has_made_cannot_be_changed() {
    for of in ["E1", "E2", "E3", "M1", "M24"] {
        let (m, _) = asked(move |_| {
            let mut bad = first();
            bad["text"] = json!("The picnic is on 1 March 2025 and costs $70.");
            Ok(json!({"entries": [bad, moved(of)]}))
        });
        let receipts = import(&m, &two());
        assert_eq!(receipts[1].refused[0].error, "unknown_handle", "{of}");
        assert!(receipts[1].receipts.iter().all(|r| r.entry.needs_review), "{of}");
    }
}

#[test]
fn what_cannot_be_read_of_several_is_asked_of_each_and_who_fails_is_asked_once() {
    let (m, model) = asked(|_| Ok(json!("I think so.")));
    import(&m, &two());
    // Once more where it could not be read, then each message by itself.
    assert_eq!(model.prompts().iter().map(|p| p.sources.len()).collect::<Vec<_>>(), [2, 2, 0, 0]);
    let (m, model) = asked(|_| Err(Refusal::Unreachable));
    let receipts = import(&m, &two());
    assert_eq!(model.prompts().len(), 1);
    let why = Reason::ModelRefused { error: "unreachable".to_owned() };
    assert!(receipts.iter().all(|r| r.receipts.iter().all(|r| r.entry.reasons.contains(&why))));
}

#[test]
fn long_messages_and_those_of_other_threads_are_read_alone() {
    let long = "The picnic is on 8 March at the lake. ".repeat(12);
    let cases = [
        (two(), Form::Full, 1),
        (two(), Form::Short, 2),
        (vec![two()[0].clone(), said(2, BEA, &long)], Form::Full, 2),
        (vec![two()[0].clone(), two()[1].replace("<1@x.example>", "<9@x.example>")], Form::Full, 2),
        (vec![two()[1].clone(), two()[0].clone()], Form::Full, 2),
        // The rules read what is so short.
        (
            vec![
                two()[0].clone(),
                mail(7, "From: s@shop.example\r\nTo: me@example.org\r\nSubject: A lamp", "Our lamp is blue."),
                two()[1].clone(),
            ],
            Form::Full,
            2,
        ),
    ];
    for (n, (mails, form, calls)) in cases.into_iter().enumerate() {
        let model = Model::new(|_| Ok(Reply { text: json!({"entries": []}).to_string(), tokens: 1 }));
        let m = with(|o| o.form = form).with_model(Rc::new(model.clone()));
        import(&m, &mails);
        let asked: Vec<_> = model.prompts().into_iter().map(|p| p.source.unwrap_or_default()).collect();
        assert_eq!(asked.len(), calls, "{n}: {asked:?}");
    }
}

#[test]
fn an_import_of_short_messages_is_estimated_as_it_is_asked() {
    let m = with(|_| {});
    let gauge = block_on(m.gauging(memfold::store::MemoryStore::default())).unwrap();
    import(&gauge, &two());
    let mut intake = gauge.intake(IngestOptions::default());
    assert_eq!(gauge.gauged(intake.report()).calls, 1);
    assert!(intake.finish().is_empty() && current(&m).is_empty());
}

#[test]
fn a_small_model_is_asked_once_more_about_what_was_refused_alone() {
    let text = "The picnic is on 1 March at the lake. It costs 370 euros in all.";
    let good = json!({"op": "new", "of": null, "text": "The picnic is on 1 March 2025 at the lake.", "category": "meeting",
        "day": null, "evidence": "The picnic is on 1 March at the lake."});
    let said = |evidence: &str| {
        json!({"op": "new", "of": null, "text": "The picnic costs 370 euros.", "category": "misc", "day": null,
            "evidence": evidence})
    };
    let mended = said("It costs 370 euros in all.");
    let other = json!("I think so.");
    for (form, second, calls, refused) in [
        (Form::Short, json!({"entries": [mended]}), 2, 0),
        // It is not asked a third time, whatever it says.
        (Form::Short, json!({"entries": [said("of course")]}), 2, 1),
        (Form::Short, json!({"entries": []}), 2, 1),
        (Form::Short, other.clone(), 2, 1),
        (Form::Full, other, 1, 1),
    ] {
        let first = json!({"entries": [good.clone(), said("it costs a lot")]});
        let asked = std::cell::Cell::new(0);
        let model = Model::new(move |_| {
            asked.set(asked.get() + 1);
            let reply = if asked.get() == 1 { &first } else { &second };
            Ok(Reply { text: reply.to_string(), tokens: 10 })
        });
        let m = with(|o| o.form = form).with_model(Rc::new(model.clone()));
        let receipts = import(&m, &[crate::bursts::said(1, ADA, text)]);
        let prompts = model.prompts();
        assert_eq!((prompts.len(), receipts[0].refused.len()), (calls, refused), "{form:?}");
        assert_eq!(receipts[0].receipts[0].entry.tokens, 10 * calls as u32);
        let again = &prompts[calls - 1].text;
        assert_eq!(again.contains(" REFUSED no_evidence\n{"), calls == 2);
        assert!(calls == 1 || again.contains("it costs a lot") && !again.contains("2025 at the lake"), "{again}");
        assert_eq!(current(&m).iter().filter(|m| m.content == "The picnic costs 370 euros.").count(), 1 - refused);
    }
}
