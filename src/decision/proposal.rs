//! What a model may say of a new memory: [`Proposal`], checked against what was sent.
//!
//! There is no word for delete, source, priority, core or settings; fields that it does not know are ignored.

use super::reply::Refusal;
use crate::analysis::{Outcome, says};
use crate::language::fold;
use crate::model::{ChangeType, Conflict, PropertyChange, Relation};
use serde::{Deserialize, Serialize};

/// Characters of a subject, a property's name or a value.
const MAX_NAME: usize = 200;
/// Characters of a merged text.
const MAX_MERGED: usize = 2_000;
/// Changes of one pair.
const MAX_CHANGES: usize = 6;

/// An answer about the candidates that were sent, not yet a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// The handle of the new memory, where several were asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Why, in the language of the question; thought of before the decision.
    pub reasoning: String,
    /// One for each candidate at most; of a candidate without one the local answer stands.
    pub verdicts: Vec<Verdict>,
}

/// What the new memory is to one candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The candidate, by the handle it was sent under.
    pub handle: String,
    /// What the new memory is to it. One `UPDATE` a reply at most.
    pub outcome: Outcome,
    /// The type of the link, where the outcome is `CREATE_AND_LINK`.
    #[serde(default)]
    pub relation: Option<Relation>,
    /// Whether an `UPDATE` denies what was stored (`CONTRADICTION`) or is its newer version.
    #[serde(default)]
    pub conflict: Conflict,
    /// What the candidate is about.
    #[serde(default)]
    pub subject_a: String,
    /// What the new memory is about.
    #[serde(default)]
    pub subject_b: String,
    /// What an `UPDATE` changes, 1 to 6, in the words of the two texts.
    #[serde(default)]
    pub changes: Vec<PropertyChange>,
    /// How the stored memory reads after an `UPDATE`, in the words of what was said; kept where it holds nothing else.
    #[serde(default)]
    pub merged: Option<String>,
    /// How sure, 0–1; below .5 the answer counts as a doubt.
    pub confidence: f32,
}

/// Checks what is said of the new text `new` to `candidates` (handle and text each).
pub(super) fn check(proposal: &Proposal, candidates: &[(&str, &str)], new: &str) -> Result<(), Refusal> {
    let verdicts = &proposal.verdicts;
    if verdicts.is_empty() {
        return Err(Refusal::Malformed);
    }
    for (n, v) in verdicts.iter().enumerate() {
        let sent = candidates.iter().find(|(handle, _)| *handle == v.handle);
        let Some((_, text)) = sent.filter(|_| verdicts.iter().take(n).all(|w| w.handle != v.handle)) else {
            return Err(Refusal::UnknownHandle);
        };
        let long = |s: &str| s.chars().count() > MAX_NAME;
        if !(0.0..=1.0).contains(&v.confidence)
            || long(&v.subject_a)
            || long(&v.subject_b)
            || v.merged.as_ref().is_some_and(|m| m.chars().count() > MAX_MERGED)
            || v.changes.len() > MAX_CHANGES
            || v.changes.iter().any(|c| long(&c.property))
            // What says nothing new changes nothing, and what updates changes something.
            || v.outcome == Outcome::Skip && !v.changes.is_empty()
            || v.outcome == Outcome::Update && v.changes.is_empty()
        {
            return Err(Refusal::Malformed);
        }
        if v.outcome == Outcome::Update && !v.changes.iter().all(|c| is_said(c, text, new)) {
            return Err(Refusal::NoEvidence);
        }
    }
    if verdicts.iter().filter(|v| v.outcome == Outcome::Update).count() > 1 {
        return Err(Refusal::TwoUpdates);
    }
    Ok(())
}

/// Whether both texts say what a change takes from them, in whole words or as values that are read.
fn is_said(change: &PropertyChange, old: &str, new: &str) -> bool {
    let stands = |value: &Option<String>, text: &str| {
        let value = value.as_deref().unwrap_or_default();
        value.chars().count() <= MAX_NAME && says(text, value)
    };
    let same = change.old_value.as_deref().map(fold) == change.new_value.as_deref().map(fold);
    match change.change_type {
        ChangeType::ValueChange | ChangeType::Expansion => {
            stands(&change.old_value, old) && stands(&change.new_value, new) && !same
        }
        ChangeType::Addition => change.old_value.is_none() && stands(&change.new_value, new),
        ChangeType::Removal => change.new_value.is_none() && stands(&change.old_value, old),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reply::read_reply;
    use super::*;

    fn read(reply: &str, candidates: &[(&str, &str)], new: &str) -> Result<Proposal, Refusal> {
        let proposal: Proposal = read_reply(reply)?;
        check(&proposal, candidates, new).map(|()| proposal)
    }

    const SENT: &[(&str, &str)] = &[("A", "Q1 예산 5000만원")];

    fn verdict(fields: &str) -> String {
        format!(r#"{{"reasoning":"r","verdicts":[{{"handle":"A","confidence":0.9,{fields}}}]}}"#)
    }

    fn outcome(reply: &str) -> Result<Outcome, Refusal> {
        read(reply, SENT, "Q1 예산 6000만원").map(|p| p.verdicts[0].outcome)
    }

    #[test]
    fn the_form_of_a_reply_is_forgiven() {
        let bare = verdict(r#""outcome":"CREATE""#);
        let forms = [
            bare.clone(),
            format!("```json\n{bare}\n```"),
            format!("<think>{{ maybe {bare} ?</think>Here it is:\n{bare} I hope that {{it}} helps."),
            bare.replace('}', ",}").replace(']', ", ]"),
            format!("\u{feff}  {bare}"),
        ];
        for form in forms {
            assert_eq!(outcome(&form), Ok(Outcome::Create), "{form}");
        }
    }

    #[test]
    fn the_content_of_a_reply_is_not_forgiven() {
        let link = verdict(r#""outcome":"CREATE_AND_LINK""#);
        let update = |changes: &str| verdict(&format!(r#""outcome":"UPDATE","changes":[{changes}]"#));
        let grown = r#"{"property":"예산","oldValue":"5000만원","newValue":"6000만원","changeType":"value_change"}"#;
        assert_eq!(outcome(&update(grown)), Ok(Outcome::Update));
        // What it does not know does nothing, and enums may be spelt in any case.
        for more in [r#""outcome":"create","delete":["A"]"#, r#""outcome":"Create","retention":"core""#] {
            assert_eq!(outcome(&verdict(more)), Ok(Outcome::Create));
        }
        let cases = [
            (String::new(), Refusal::NotJson),
            ("I cannot help with that.".into(), Refusal::NotJson),
            (link[..link.len() - 3].into(), Refusal::NotJson),
            (format!("{link}\n{link}"), Refusal::NotJson),
            (verdict(r#""outcome":"DELETE""#), Refusal::Malformed),
            (verdict(r#""outcome":"CREATE_AND_LINK","relation":"friend""#), Refusal::Malformed),
            (link.replace("0.9", "NaN"), Refusal::Malformed),
            (link.replace("0.9", "1e99"), Refusal::Malformed),
            (link.replace("0.9", "-0.1"), Refusal::Malformed),
            (link.replace("0.9", "null"), Refusal::Malformed),
            (link.replace("\"A\"", "\"B\""), Refusal::UnknownHandle),
            (r#"{"reasoning":"","verdicts":[]}"#.into(), Refusal::Malformed),
            (r#"[{"reasoning":""}]"#.into(), Refusal::Malformed),
            (" ".repeat(40_000), Refusal::TooLarge),
            (update(""), Refusal::Malformed),
            (update(&[grown; 7].join(",")), Refusal::Malformed),
            (update(&grown.replace("6000만원", "7000만원")), Refusal::NoEvidence),
            (update(&grown.replace("6000만원", "5000만원")), Refusal::NoEvidence),
            (update(&grown.replace("\"5000만원\"", "null")), Refusal::NoEvidence),
            (update(&grown.replace("5000만원", " ")), Refusal::NoEvidence),
            (verdict(&format!(r#""outcome":"SKIP","changes":[{grown}]"#)), Refusal::Malformed),
        ];
        for (reply, refusal) in cases {
            assert_eq!(outcome(&reply), Err(refusal), "{reply}");
        }
    }

    #[test]
    fn what_is_as_long_as_it_may_be_is_read_and_one_more_is_not() {
        let name = |n: usize| "가".repeat(n);
        for field in ["subjectA", "subjectB"] {
            let reply = |n| verdict(&format!(r#""outcome":"CREATE","{field}":"{}""#, name(n)));
            assert_eq!(outcome(&reply(200)), Ok(Outcome::Create));
            assert_eq!(outcome(&reply(201)), Err(Refusal::Malformed));
        }
        let change = |property: &str| {
            format!(r#"{{"property":"{property}","oldValue":null,"newValue":"6000만원","changeType":"addition"}}"#)
        };
        let update = |changes: &[String]| verdict(&format!(r#""outcome":"UPDATE","changes":[{}]"#, changes.join(",")));
        assert_eq!(outcome(&update(&[change(&name(200))])), Ok(Outcome::Update));
        assert_eq!(outcome(&update(&[change(&name(201))])), Err(Refusal::Malformed));
        assert_eq!(outcome(&update(&vec![change("a"); 6])), Ok(Outcome::Update));
        assert_eq!(outcome(&update(&vec![change("a"); 7])), Err(Refusal::Malformed));
        for sure in ["0", "1"] {
            assert_eq!(outcome(&verdict(r#""outcome":"CREATE""#).replace("0.9", sure)), Ok(Outcome::Create));
        }
        let bare = verdict(r#""outcome":"CREATE""#);
        let padded = |len: usize| bare.clone() + &" ".repeat(len - bare.len());
        assert_eq!(outcome(&padded(32_768)), Ok(Outcome::Create));
        assert_eq!(outcome(&padded(32_769)), Err(Refusal::TooLarge));
    }

    #[test]
    fn a_change_is_said_by_the_texts_that_it_is_taken_from() {
        use ChangeType::{Addition, Expansion, Removal, ValueChange};
        let cases = [
            (ValueChange, Some("5M"), Some("6M"), true),
            (Expansion, Some("5m"), Some("6m"), true),
            (ValueChange, Some("6M"), Some("6M"), false),
            (ValueChange, Some("by"), Some("by"), false),
            (ValueChange, Some("5M"), Some("7M"), false),
            (ValueChange, Some("7M"), Some("6M"), false),
            (ValueChange, None, Some("6M"), false),
            (Addition, None, Some("6M"), true),
            (Addition, Some("5M"), Some("6M"), false),
            (Addition, None, Some("7M"), false),
            (Addition, None, Some(""), false),
            // One letter, or a part of a figure, is no evidence.
            (Addition, None, Some("o"), false),
            (Addition, None, Some("6"), false),
            (ValueChange, Some("5"), Some("6"), false),
            (ValueChange, Some("cos"), Some("6M"), false),
            (Removal, Some("M"), None, false),
            (Removal, Some("5M"), None, true),
            (Removal, Some("5M"), Some("6M"), false),
            (Removal, Some("7M"), None, false),
        ];
        for (change_type, old, new, expected) in cases {
            let (old_value, new_value) = (old.map(Into::into), new.map(Into::into));
            let change = PropertyChange { property: String::new(), old_value, new_value, change_type };
            assert_eq!(is_said(&change, "cost 5M by", "cost 6M by"), expected, "{change:?}");
        }
        for (len, expected) in [(200, true), (201, false)] {
            let long = "x".repeat(len);
            let (old_value, new_value) = (None, Some(long.clone()));
            let change = PropertyChange { property: String::new(), old_value, new_value, change_type: Addition };
            assert_eq!(is_said(&change, "", &long), expected);
        }
    }

    #[test]
    fn one_candidate_is_updated_at_most_and_judged_once() {
        let change = r#"{"property":"","oldValue":null,"newValue":"6","changeType":"addition"}"#;
        let one = |h: &str| format!(r#"{{"handle":"{h}","outcome":"UPDATE","confidence":1,"changes":[{change}]}}"#);
        let reply = |a: &str, b: &str| format!(r#"{{"reasoning":"","verdicts":[{},{}]}}"#, one(a), one(b));
        let both = [("A", "5"), ("B", "5")];
        assert_eq!(read(&reply("A", "B"), &both, "6"), Err(Refusal::TwoUpdates));
        assert_eq!(read(&reply("A", "A"), &both, "6"), Err(Refusal::UnknownHandle));
    }
}
