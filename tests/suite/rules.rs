//! Checks docs/design/rules.md against the rule tables; `make rules` writes it.

use memfold::analysis::RULES;
use memfold::decision::{CANDIDATE_RULES, TRUST_RULES};
use std::collections::BTreeSet;
use std::fmt::Write;

fn page() -> String {
    let mut page = String::from(
        "# Rules\n\nThree ordered tables; in each the first rule that fits decides. `make rules` writes this page from the code.\n\n\
         ## How two texts relate\n\nThese rules come before what the trees and the encoder's head weigh \
         ([rules.rs](../../src/analysis/rules.rs)). The id is a key factor of the log entry.\n\n| id | why |\n|---|---|\n",
    );
    for rule in RULES {
        writeln!(page, "| `{}` | {} |", rule.id, rule.why).unwrap();
    }
    page.push_str(
        "\n## What a draft does to its candidates\n\nThese rules see all candidates together, after each pair was analysed \
         ([rules.rs](../../src/decision/rules.rs)). A rule that changes an analysis is a key factor of the log entry.\n\n| id | why |\n|---|---|\n",
    );
    for rule in CANDIDATE_RULES {
        writeln!(page, "| `{}` | {} |", rule.id, rule.why).unwrap();
    }
    page.push_str(
        "\n## Who may change a memory\n\nThese rules decide what becomes of a change \
         ([confirmation.rs](../../src/decision/confirmation.rs)). The log entry names the rule.\n\n| id | a change is | when |\n|---|---|---|\n",
    );
    for rule in TRUST_RULES {
        let [id, ruling] = [serde_json::to_value(rule.id), serde_json::to_value(rule.ruling)].map(Result::unwrap);
        let [id, ruling] = [&id, &ruling].map(|v| v.as_str().unwrap());
        let ruling = if ruling == "review" { "kept for review" } else { ruling };
        writeln!(page, "| `{id}` | {ruling} | {} |", rule.when).unwrap();
    }
    page
}

#[test]
fn the_rules_page_matches_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/design/rules.md");
    let page = page();
    if std::env::var("MEMFOLD_RULES").is_ok_and(|how| how == "update") {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page, "make rules writes the page");
}

#[test]
fn rule_ids_are_unique() {
    let all = || RULES.iter().map(|rule| rule.id).chain(CANDIDATE_RULES.iter().map(|rule| rule.id));
    let ids: BTreeSet<&str> = all().collect();
    assert_eq!(ids.len(), all().count());
}
