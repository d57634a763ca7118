//! Summaries and tags by a model, and the fallback to rules when its replies are rejected.

use crate::kit::{Fake, Model};
use crate::mailbox::fill;
use crate::sleep_merges::{BACKUPS, Real, active, at, get, ids, memories, sleep, sound};
use futures::executor::block_on;
use memfold::consolidation::{Action, Analyst};
use memfold::decision::{Policy, Prompt, Reason, Refusal, Task};
use memfold::embed::HashingEmbedder;
use memfold::engine::{
    Cancel, Consolidate, Engine, LogQuery, NodeQuery, Options, SkipReason, SleepOptions, SleepReport,
};
use memfold::llm::Reply;
use memfold::model::{Draft, Memory, NodeType};
use memfold::store::MemoryStore;
use serde_json::json;
use std::rc::Rc;

/// An engine over the backups whose model gives this summary and refuses to name tags.
fn engine_with_summary(says: Result<&'static str, &'static str>, daily: Option<u32>) -> (Real, Vec<Memory>, Model) {
    let said = says.map(|text| json!({ "summary": text }).to_string());
    let model = Model::new(move |prompt| match (&said, prompt.task) {
        (_, Task::Tags) => Err(Refusal::Resting),
        (Ok(text), _) => Ok(Reply { text: text.clone(), tokens: 150 }),
        (Err(why), _) => Err(Refusal::named(why)),
    });
    let (engine, sources) = with_model(&model, Options { daily_tokens: daily, ..Options::default() });
    (engine, sources, model)
}

fn with_model(model: &Model, options: Options) -> (Real, Vec<Memory>) {
    let sources = memories(&BACKUPS);
    let store = MemoryStore::default();
    fill(&store, &sources);
    let engine = block_on(Engine::open(store, HashingEmbedder, Fake::from(0), options)).unwrap();
    (engine.with_model(Rc::new(model.clone())), sources)
}

/// The prompts of one task.
fn prompts(model: &Model, task: Task) -> Vec<Prompt> {
    model.prompts().into_iter().filter(|p| p.task == task).collect()
}

fn is_skipped(report: &SleepReport, why: SkipReason) -> bool {
    report.skipped.iter().any(|s| s.why == why)
}

const GOOD: &str = "Backups of Borealis (GB, minutes): 4120 in 38, 4155 in 38, 4260 in 41 checked by Dana; 4231 in 44 by Yuki; \
                    4301 in 39 by Lena.";

#[test]
fn a_model_summary_with_all_numbers_and_names_is_used() {
    let (engine, _, model) = engine_with_summary(Ok(GOOD), None);
    let report = sleep(&engine, 0);
    assert_eq!((report.merges, report.calls, report.tokens), (1, 1, 150));
    let asked = prompts(&model, Task::Summary);
    assert!(asked.len() == 1 && BACKUPS.iter().all(|b| asked[0].text.contains(b.split(' ').nth(5).unwrap())));
    assert_eq!(get(&engine, active(&engine)[0]).content, GOOD);
    let log = block_on(engine.log(&LogQuery::default())).unwrap();
    let entry = log.iter().find(|e| e.action == Action::Merge).unwrap();
    assert_eq!((entry.tokens, entry.analyst), (150, Analyst::Model));
    let total = block_on(engine.pulse(30)).unwrap().total;
    assert_eq!((total.calls, total.tokens, total.merges), (1, 150, 1));
    // The call is counted and in the sent log like any other.
    assert_eq!(block_on(engine.usage()).unwrap().tokens, 150);
    let sent = block_on(engine.sent(None)).unwrap();
    assert_eq!((sent[0].purpose.as_str(), sent[0].outcome.as_str()), ("summary", "answered"));
    sound(&engine);
}

#[test]
fn a_bad_summary_is_rejected_and_logged_and_rules_fold_instead() {
    let long: &'static str = Box::leak((BACKUPS.join(" ") + " and that is all").into_boxed_str());
    // Unreadable replies are retried once.
    for (says, why, calls) in [
        (Ok(""), "malformed", 2),
        (Ok("보르네오 백업 4120 4155 4231"), "malformed", 2),
        (Err("malformed"), "malformed", 1),
        (Err("unauthorized"), "unauthorized", 1),
        (Ok("Five backups of Borealis went well, checked by Dana, Yuki and Lena."), "lost_a_fact", 1),
        (
            Ok("Backups of Borealis: 4120 in 38, 4155 in 38, 4260 in 41 by Dana; 4231 in 44 by Yuki; 4301 in 39."),
            "lost_a_fact",
            1,
        ),
        (
            Ok(
                "Borealis: 4120 in 38, 4155 in 38, 4260 in 41 by Dana; 4231 in 44 by Yuki; 4301 in 39 by Lena; 99 failed",
            ),
            "no_evidence",
            1,
        ),
        (
            Ok(
                "Borealis and Caspian (GB): 4120 in 38, 4155 in 38, 4260 in 41 by Dana; 4231 in 44 by Yuki; 4301 in 39, Lena",
            ),
            "invented_a_fact",
            1,
        ),
        (Ok(long), "malformed", 2),
    ] {
        let (engine, sources, model) = engine_with_summary(says, None);
        let report = sleep(&engine, 0);
        assert_eq!((report.merges, prompts(&model, Task::Summary).len()), (1, calls), "{says:?}");
        assert!(is_skipped(&report, SkipReason::Refused), "{says:?}");
        let log = block_on(engine.log(&LogQuery::default())).unwrap();
        let merge = log.iter().find(|e| e.action == Action::Merge).unwrap();
        let refused = Reason::ModelRefused { error: why.to_owned() };
        assert!(merge.reasons.contains(&refused) && merge.analyst == Analyst::Local, "{says:?}");
        // Undo restores the sources, and the model is not asked about them again.
        block_on(engine.undo(merge.id)).unwrap();
        assert_eq!(active(&engine), ids(&sources));
        sleep(&engine, 2);
        assert_eq!(prompts(&model, Task::Summary).len(), calls);
        sound(&engine);
    }
}

#[test]
fn without_an_answer_rules_fold_at_once() {
    for why in ["timeout", "resting", "unreachable"] {
        let (engine, ..) = engine_with_summary(Err(why), None);
        let report = sleep(&engine, 0);
        assert_eq!((report.merges, report.tokens), (1, 0), "{why}");
        assert!(is_skipped(&report, SkipReason::Unanswered) && !is_skipped(&report, SkipReason::Refused), "{why}");
        sound(&engine);
    }
}

#[test]
fn over_budget_no_model_is_asked_and_rules_fold() {
    let (engine, _, model) = engine_with_summary(Ok(GOOD), Some(1_000));
    let report = sleep(&engine, 0);
    assert_eq!((report.merges, report.calls, model.prompts().len()), (1, 0, 0));
    assert!(is_skipped(&report, SkipReason::OverBudget));
    let (engine, _, model) = engine_with_summary(Ok(GOOD), None);
    let options = SleepOptions { max_tokens: Some(0), ..at(0) };
    let report = block_on(engine.run_sleep_cycle(&options, Cancel::default())).unwrap();
    assert_eq!((report.calls, model.prompts().len()), (0, 0));
    let (_, _, model) = engine_with_summary(Ok(GOOD), None);
    let (engine, _) = with_model(&model, Options { policy: Policy::FAST, ..Options::default() });
    assert_eq!((sleep(&engine, 0).merges, model.prompts().len()), (1, 0));
}

#[test]
fn a_model_names_tags_once_and_rules_are_the_fallback() {
    let names = |prompt: &Prompt| {
        let tags = (1..).map_while(|n| {
            let at = prompt.text.split(&format!(" M{n}\n")).nth(1)?;
            let names = if at.starts_with("Nightly") { json!(["Borealis", "made up"]) } else { json!(["passport"]) };
            Some(json!({ "memory": format!("M{n}"), "names": names }))
        });
        json!({ "tags": tags.collect::<Vec<_>>() }).to_string()
    };
    let model = Model::new(move |prompt| match prompt.task {
        Task::Tags => Ok(Reply { text: names(prompt), tokens: 90 }),
        _ => Err(Refusal::Resting),
    });
    let (engine, _) = with_model(&model, Options { mask: true, ..Options::default() });
    let report = sleep(&engine, 0);
    assert_eq!((report.tagged, report.calls, report.tokens), (5, 1, 90));
    let tags = || {
        let query = NodeQuery { kind: Some(NodeType::Entity), ..NodeQuery::default() };
        let mut names: Vec<String> =
            block_on(engine.nodes(&query)).unwrap().into_iter().map(|h| h.node.content).collect();
        names.sort();
        names
    };
    assert_eq!(tags(), ["Borealis"]);
    let log = block_on(engine.log(&LogQuery::default())).unwrap();
    assert_eq!(log.iter().map(|e| e.tokens).sum::<u32>(), 90);
    sleep(&engine, 2);
    assert_eq!(prompts(&model, Task::Tags).len(), 1);
    for text in ["Dana keeps her passport with dana@a.example", "안녕하세요"] {
        block_on(engine.consolidate(Draft::new(text), &Consolidate::default())).unwrap();
    }
    sleep(&engine, 4);
    let asked = prompts(&model, Task::Tags);
    assert_eq!((asked.len(), tags()), (2, vec!["Borealis".to_owned(), "passport".to_owned()]));
    let last = &asked[1].text;
    assert!(last.contains("KNOWN\nBorealis") && last.contains("[EMAIL_1]"), "{last}");
    assert!(!last.contains("안녕") && !last.contains("dana@"), "{last}");
    // A resting model is asked again in the next pass; until then rules name the tags.
    let (engine, _, model) = engine_with_summary(Ok(GOOD), None);
    assert_eq!((sleep(&engine, 0).tagged, prompts(&model, Task::Tags).len()), (5, 1));
}
