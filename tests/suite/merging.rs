//! How the fields of a new version are merged.

use crate::plan::{decided, draft, stored, time};
use memfold::consolidation::{Act, ContentMerge, ImportanceMerge, Input, KeywordMerge, MergeStrategy, plan};
use memfold::decision::{Decision, Policy};
use memfold::model::{Category, Conflict, Draft, Factor, Ids, ImportanceFactor, Memory, Property, Zone};

/// Merges a draft into `old` under a strategy and returns the new version.
fn merge(old: &Memory, draft: Draft, strategy: MergeStrategy) -> Memory {
    let d = decided(Decision::Update, Some(old.id), Conflict::Update);
    let known = [old.clone()];
    let input = Input {
        draft,
        key: None,
        act: Act { user_id: "u", now: time(100), base: 0 },
        zone: Zone::default(),
        candidates: &[],
        known: &known,
        chain: &[],
        waiting: &[],
        policy: &Policy::BALANCED,
        strategy,
        wording: None,
        again: false,
    };
    plan(d, input, &mut Ids::new(time(100), [9; 16])).memory.unwrap()
}

#[test]
fn appending_over_the_limit_keeps_only_the_new_content() {
    let old = stored(1, &"가나 ".repeat(2_600));
    let strategy = MergeStrategy { content: ContentMerge::Append, ..MergeStrategy::default() };
    for (words, expected) in [(60, 7_860), (200, 600)] {
        let merged = merge(&old, draft(2, "xy ".repeat(words).trim()), strategy).content;
        assert!(merged.chars().count() <= 8_000 && merged.chars().count().abs_diff(expected) < 200, "{words}");
    }
    // Exactly 8,000 characters still fit.
    let old = stored(1, &"가".repeat(4_000));
    for (last, expected) in [(3_997, 8_000), (3_998, 3_998)] {
        assert_eq!(merge(&old, draft(2, &"나".repeat(last)), strategy).content.chars().count(), expected);
    }
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|&n| n.to_owned()).collect()
}

fn property(name: &str, value: &str) -> Property {
    Property { name: name.into(), value: value.into(), normalised: None }
}

#[test]
fn each_field_of_a_version_is_merged_by_its_own_rule() {
    let cost = |weight| ImportanceFactor { weight, ..ImportanceFactor::new(Factor::ContainsMoney, None) };
    let due = ImportanceFactor::new(Factor::HasDeadline, None);
    let old = Memory {
        category: Category::Meeting,
        subject: Some("Heron".into()),
        thread_id: Some("<t>".into()),
        people: names(&["ann", "bo"]),
        entities: names(&["Acme", "Pine Street"]),
        keywords: names(&["a", "B"]),
        properties: vec![property("Room", "4"), property("Day", "Monday")],
        importance: 0.9,
        importance_factors: vec![cost(0.1), due.clone()],
        valid_from: Some(time(3).into()),
        valid_until: Some(time(4).into()),
        occurred_at: time(40).into(),
        ..stored(1, "Heron meets in room 4.")
    };
    let said = Draft {
        people: names(&["Bo", "cy"]),
        entities: names(&["ACME", "Quay"]),
        keywords: names(&["b", "c"]),
        properties: vec![property("room", "6"), property("Lead", "cy")],
        importance: Some(0.3),
        importance_factors: vec![cost(0.2)],
        confidence: Some(0.8),
        source_id: Some("<2>".into()),
        ..draft(2, "Somebody wants tea.")
    };
    let new = merge(&old, said.clone(), MergeStrategy::default());
    assert_eq!(new.content, "Somebody wants tea.");
    assert_eq!(
        (new.category, new.subject.as_deref(), new.thread_id.as_deref()),
        (Category::Meeting, Some("Heron"), Some("<t>"))
    );
    assert_eq!((&new.people, &new.entities), (&names(&["Bo", "cy", "ann"]), &names(&["Acme", "Pine Street", "Quay"])));
    assert_eq!((&new.keywords, new.importance), (&names(&["b", "c", "a"]), 0.9));
    assert_eq!(new.properties, [property("room", "6"), property("Lead", "cy"), property("Day", "Monday")]);
    assert_eq!(new.importance_factors, [cost(0.2), due]);
    assert_eq!((new.occurred_at, new.stated_at, new.confidence), (time(40).into(), Some(time(2)), 0.8));
    assert_eq!(
        (new.valid_from, new.valid_until, new.source_id.as_deref()),
        (Some(time(3).into()), Some(time(4).into()), Some("<2>"))
    );

    let told = Draft {
        category: Category::Task,
        subject: Some("Swan".into()),
        thread_id: Some("<u>".into()),
        valid_from: Some(time(5).into()),
        valid_until: Some(time(6).into()),
        occurred_at: Some(time(50).into()),
        ..said.clone()
    };
    let new = merge(&old, told.clone(), MergeStrategy::default());
    assert_eq!(
        (new.category, new.subject.as_deref(), new.thread_id.as_deref()),
        (Category::Task, Some("Heron"), Some("<u>"))
    );
    assert_eq!(
        (new.valid_from, new.valid_until, new.occurred_at),
        (Some(time(5).into()), Some(time(6).into()), time(50).into())
    );
    let unnamed = Memory { subject: None, ..old.clone() };
    assert_eq!(merge(&unnamed, told, MergeStrategy::default()).subject.as_deref(), Some("Swan"));

    let strategy = MergeStrategy {
        content: ContentMerge::KeepExisting,
        keywords: KeywordMerge::KeepExisting,
        importance: ImportanceMerge::KeepExisting,
    };
    let kept = merge(&Memory { importance: 0.1, ..old.clone() }, said.clone(), strategy);
    assert_eq!(
        (kept.content.as_str(), &kept.keywords, kept.importance),
        ("Heron meets in room 4.", &old.keywords, 0.1)
    );
    let strategy = MergeStrategy {
        content: ContentMerge::Append,
        keywords: KeywordMerge::Replace,
        importance: ImportanceMerge::Replace,
    };
    let replaced = merge(&old, said.clone(), strategy);
    assert_eq!((&replaced.keywords, replaced.importance), (&said.keywords, 0.3));
    assert_eq!(replaced.content, "Somebody wants tea · Heron meets in room 4");
    // A list is capped at 256 items.
    let many = |what: &str| (0..200).map(|n| format!("{what}{n}")).collect::<Vec<_>>();
    let all = merge(&Memory { people: many("a"), ..old }, Draft { people: many("b"), ..said }, strategy).people;
    assert_eq!((all.len(), all[0].as_str(), all[255].as_str()), (256, "b0", "a55"));
}
