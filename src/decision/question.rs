//! What is open about a new memory: [`Question`], and how an answer settles the decision.
//!
//! A question is a value: nothing here calls a model or waits. It goes out in a [`super::Batch`], with the others that
//! the same mail raises.

use super::prompt::{Language, Shown};
use super::proposal::Verdict;
use super::reply::Refusal;
use super::wording::VERSION;
use super::{Analyst, Ask, Candidate, Decided, Decision, Policy, Reason, triage};
use crate::analysis::{Analysis, Change, Outcome, even, place};
use crate::model::{Claim, Conflict, Draft, Id, Memory, Relation, Relationship};
use serde::{Deserialize, Serialize};

/// Below this confidence a verdict is a doubt: both memories are kept.
const DOUBT: f32 = 0.5;
/// Characters of the reasoning that are kept.
const MAX_REASONING: usize = 600;

/// What was answered about a new memory and one stored one: what is kept, so that it is not asked again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairAnswer {
    /// Why, in the model's words; at most 600 characters.
    pub reasoning: String,
    /// What the new memory is to the stored one.
    pub verdict: Verdict,
}

impl PairAnswer {
    pub(super) fn new(reasoning: &str, verdict: Verdict) -> Self {
        Self { reasoning: reasoning.trim().chars().take(MAX_REASONING).collect(), verdict }
    }
}

/// A question about a new memory and up to 5 stored ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    ask: Ask,
    pub(super) language: Language,
    pub(super) memory: Shown,
    pub(super) candidates: Vec<Shown>,
}

impl Question {
    /// The question that triage leaves open, with the texts that it is about.
    pub fn new(ask: Ask, draft: &Draft, known: &[(Candidate, Memory)]) -> Self {
        let new = Claim::from(draft);
        let find = |id: &Id| known.iter().find(|(c, _)| c.id == *id);
        let shown = |(_, m): &(Candidate, Memory)| {
            let same_thread = m.thread_id.is_some() && m.thread_id.as_deref() == new.thread_id;
            Shown::new(&Claim::from(m), same_thread)
        };
        let candidates = ask.about.iter().filter_map(find).map(shown).collect();
        Self { memory: Shown::new(&new, false), candidates, language: Language::of(new.content), ask }
    }

    /// The stored memories that it is about, best match first.
    pub fn about(&self) -> &[Id] {
        &self.ask.about
    }

    /// What is asked about each stored memory: equal texts have equal answers of the model `tag`.
    pub fn pairs<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = String> + 'a {
        self.candidates.iter().map(move |stored| {
            let mut text = [&VERSION.to_string(), "\n", tag].concat();
            stored.write("", None, &mut text);
            self.memory.write("", None, &mut text);
            text
        })
    }

    /// The decision that checked answers lead to, one for each stored memory, where there is one; the candidates bear
    /// their verdicts from then on. One update at most: of several, which only different replies can hold, the surest.
    /// Where the local analyst was sure of another outcome, the model's word is written and its owner is asked to look.
    pub fn settle(
        &self,
        answers: &[Option<PairAnswer>],
        known: &mut [(Candidate, Memory)],
        policy: &Policy,
    ) -> Decided {
        let sure = |a: &PairAnswer| (a.verdict.outcome == Outcome::Update).then_some(a.verdict.confidence);
        let surest = answers.iter().flatten().filter_map(sure).fold(0.0, f32::max);
        let (mut withheld, mut updated, mut against) = (false, None, None);
        for (id, answer) in self.ask.about.iter().zip(answers) {
            let Some(PairAnswer { verdict, .. }) = answer else { continue };
            let Some(at) = known.iter().position(|(c, _)| c.id == *id) else { continue };
            let c = &mut known[at].0;
            let mut outcome = verdict.outcome;
            if outcome == Outcome::Update && (verdict.confidence < surest || updated.is_some()) {
                withheld = true;
                outcome = Outcome::CreateAndLink;
            }
            if matches!(outcome, Outcome::Update | Outcome::Skip) && c.score < policy.min_update_score {
                // Two analysts that find the same by themselves need no score.
                let agreed =
                    self.ask.unanswered.target == Some(*id) && self.ask.unanswered.decision == Decision::from(outcome);
                withheld |= !agreed;
                if !agreed {
                    outcome = Outcome::CreateAndLink;
                }
            }
            let local = c.analysis.take();
            if let Some(sure) = local.as_ref().filter(|a| a.sure && !a.by_model && a.outcome != verdict.outcome)
                && against.is_none_or(|(_, most)| sure.confidence > most)
            {
                against = Some((sure.outcome, sure.confidence));
            }
            if outcome == Outcome::Update {
                updated = Some((at, self.analysis(verdict, Outcome::CreateAndLink, local.as_ref())));
            }
            c.analysis = Some(self.analysis(verdict, outcome, local.as_ref()));
        }
        let judge = |known: &[(Candidate, Memory)]| triage(known.iter().map(|(c, _)| c), policy).unanswered();
        let mut decided = judge(known);
        // Where the local analyst is surer of another, the model's word draws a link: it never replaces a second one.
        if let Some((at, link)) = updated
            && decided.target.is_some_and(|id| id != known[at].0.id)
            && decided.decision == Decision::Update
        {
            known[at].0.analysis = Some(link);
            decided = judge(known);
            withheld = true;
        }
        let about = decided.target.and_then(|id| self.ask.about.iter().position(|a| *a == id));
        let about = about.and_then(|n| answers.get(n)?.as_ref()).or(answers.iter().flatten().next());
        let confidence = about.map_or(0.0, |a| a.verdict.confidence);
        let updates = |a: &&PairAnswer| decided.decision == Decision::Update && a.verdict.outcome == Outcome::Update;
        decided.merged = about.filter(updates).and_then(|a| a.verdict.merged.clone());
        decided.reasons.retain(|r| !matches!(r, Reason::LocalAnalystSure { .. }));
        decided.reasons.insert(0, Reason::ModelAnswered { confidence });
        decided.analyst = Analyst::Model;
        decided.confidence = confidence;
        if let Some((local, confidence)) = against {
            decided.reasons.insert(1, Reason::AnalystsDisagree { local, confidence });
        }
        decided.needs_review |= withheld || against.is_some();
        // Reasoning in another language than the mail's is left out; the reason is then worded here.
        decided.reasoning = about.map(|a| a.reasoning.clone()).filter(|r| !withheld && self.language.has(r));
        decided
    }

    /// The decision where no answer came: that of the local analyst, for a person to look at.
    pub fn unanswered(self, refusal: Refusal) -> Decided {
        let mut decided = self.ask.unanswered;
        decided.reasons.push(Reason::ModelRefused { error: refusal.as_str().to_owned() });
        decided.needs_review = true;
        decided
    }

    fn analysis(&self, v: &Verdict, outcome: Outcome, local: Option<&Analysis>) -> Analysis {
        let relation = (outcome == Outcome::CreateAndLink).then(|| v.relation.unwrap_or(Relation::Reference));
        let (relationship, conflict) = match (outcome, relation) {
            (Outcome::Skip, _) => (Relationship::Identical, Conflict::Overlap),
            (Outcome::Update, _) if v.conflict == Conflict::Contradiction => (Relationship::Identical, v.conflict),
            (Outcome::Update, _) => (Relationship::Identical, Conflict::Update),
            (_, Some(relation)) => (relation.relationship(), relation.conflict()),
            _ => (Relationship::Unrelated, Conflict::None),
        };
        let span = |value: &Option<String>| place(&self.memory.content, value.as_deref()?).map(|at| (at.start, at.end));
        let change = |c: &crate::model::PropertyChange| Change { new_span: span(&c.new_value), change: c.clone() };
        // What the model does not name, the local analyst has named.
        let named = |said: &String, found: fn(&Analysis) -> &String| {
            if said.is_empty() { local.map(found).unwrap_or(said).clone() } else { said.clone() }
        };
        Analysis {
            outcome,
            probabilities: even(outcome, v.confidence),
            confidence: v.confidence,
            sure: v.confidence >= DOUBT,
            subject_a: named(&v.subject_a, |a| &a.subject_a),
            subject_b: named(&v.subject_b, |a| &a.subject_b),
            relationship,
            relation,
            changes: if outcome == Outcome::Update { v.changes.iter().map(change).collect() } else { Vec::new() },
            conflict,
            key_factors: Vec::new(),
            by_model: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::OUTCOMES;
    use crate::model::{Category, Time};
    use serde_json::json;

    fn shown(content: &str) -> Shown {
        Shown::new(&Claim::from(&Draft::new(content)), false)
    }

    fn question() -> Question {
        let unanswered = triage(&[], &Policy::FAST).unanswered();
        let known = Shown { subject: Some("Heron".into()), same_thread: true, ..shown("cost 5M") };
        let memory = Shown { time: Some(Time::default()), category: Category::Task, ..shown("it is 6M") };
        Question { ask: Ask { about: Vec::new(), unanswered }, language: Language::En, memory, candidates: vec![known] }
    }

    #[test]
    fn a_pair_is_known_by_its_words_the_wording_and_the_model() {
        let pair = |q: &Question, tag| q.pairs(tag).next().unwrap();
        let told = "3\nm\n===   misc same thread\nSubject: Heron\ncost 5M\n===   task 1970-01-01T00:00\nit is 6M";
        let q = question();
        assert_eq!(pair(&q, "m"), told);
        assert_ne!(pair(&q, "n"), told);
        let other = Question { memory: Shown { category: Category::Misc, ..q.memory.clone() }, ..q };
        assert_ne!(pair(&other, "m"), told);
    }

    #[test]
    fn reasoning_is_kept_in_the_language_of_the_question() {
        let kept = Language::has;
        assert!(kept(Language::En, "the cost") && kept(Language::En, "the cost 값") && !kept(Language::En, "값 a"));
        assert!(!kept(Language::En, "가격") && !kept(Language::En, "…123") && !kept(Language::En, "값이 ab"));
        assert!(kept(Language::Ko, "cost 값") && !kept(Language::Ko, "the cost"));
    }

    #[test]
    fn a_verdict_reads_as_an_analysis_of_its_pair() {
        let change = crate::model::PropertyChange {
            property: "cost".into(),
            old_value: Some("5M".into()),
            new_value: Some("6M".into()),
            change_type: crate::model::ChangeType::ValueChange,
        };
        let causal = Some(Relation::Causal);
        let at = vec![Change { change: change.clone(), new_span: Some((6, 8)) }];
        let (identical, denied) = (Relationship::Identical, Conflict::Contradiction);
        let cases = [
            (Outcome::Skip, None, Conflict::None, identical, None, Conflict::Overlap, 0),
            (Outcome::Update, causal, Conflict::None, identical, None, Conflict::Update, 1),
            (Outcome::Update, None, denied, identical, None, denied, 1),
            (
                Outcome::CreateAndLink,
                causal,
                denied,
                Relation::Causal.relationship(),
                causal,
                Relation::Causal.conflict(),
                2,
            ),
            (Outcome::Create, causal, denied, Relationship::Unrelated, None, Conflict::None, 3),
        ];
        let q = question();
        for (outcome, relation, conflict, relationship, linked, stands, place) in cases {
            for (confidence, sure) in [(0.7, true), (0.5, true), (0.4, false)] {
                let (subject_a, subject_b) = ("a".to_owned(), "b".to_owned());
                let changes = vec![change.clone()];
                let v = Verdict {
                    handle: "A".into(),
                    outcome,
                    relation,
                    conflict,
                    subject_a,
                    subject_b,
                    changes,
                    merged: None,
                    confidence,
                };
                let mut probabilities = [(1.0 - confidence) / 3.0; 4];
                // SKIP, UPDATE, CREATE + LINK, CREATE.
                probabilities[place] = confidence;
                let expected = Analysis {
                    outcome,
                    probabilities,
                    confidence,
                    sure,
                    subject_a: "a".into(),
                    subject_b: "b".into(),
                    relationship,
                    relation: linked,
                    changes: if outcome == Outcome::Update { at.clone() } else { Vec::new() },
                    conflict: stands,
                    key_factors: Vec::new(),
                    by_model: true,
                };
                assert_eq!(q.analysis(&v, outcome, None), expected);
            }
        }
        let link = Verdict {
            relation: None,
            ..serde_json::from_value(json!({"handle": "A", "outcome": "CREATE_AND_LINK", "confidence": 1})).unwrap()
        };
        assert_eq!(q.analysis(&link, Outcome::CreateAndLink, None).relation, Some(Relation::Reference));
    }

    #[test]
    fn where_the_local_analyst_is_sure_of_another_the_models_word_is_written_and_flagged() {
        let texts = [("cost 5M", "cost 6M"), ("비용은 500만원이다", "비용은 600만원이다"), ("in May", "in June")];
        for (stored, new) in texts {
            for (local, said) in OUTCOMES.iter().flat_map(|l| OUTCOMES.map(|s| (*l, s))) {
                for (sure, by_model) in [(true, false), (false, false), (true, true)] {
                    let (decided, differs) = (settled(stored, new, local, said, sure, by_model), local != said);
                    let told = decided.reasons.iter().find(|r| matches!(r, Reason::AnalystsDisagree { .. }));
                    let expected = Reason::AnalystsDisagree { local, confidence: 0.99 };
                    assert_eq!(told, (differs && sure && !by_model).then_some(&expected), "{local:?} {said:?}");
                    assert_eq!(decided.needs_review, told.is_some(), "{local:?} {said:?}");
                    assert_eq!((decided.decision, decided.analyst), (said.into(), Analyst::Model));
                    if told.is_some() {
                        let words = super::super::sentence(&decided, new);
                        assert!(
                            words.contains(if new.is_ascii() { "please look" } else { "확인해 주세요" }),
                            "{words}"
                        );
                    }
                }
            }
        }
    }

    fn settled(stored: &str, new: &str, local: Outcome, said: Outcome, sure: bool, by_model: bool) -> Decided {
        let mut ids = crate::model::Ids::new(Time::default(), [7; 16]);
        let m = Memory::from_draft(ids.mint(), Draft::new(stored), Time::default());
        let (id, factors) = (m.id, crate::similarity::Factors::default());
        let mut known =
            vec![(Candidate { id, score: 0.7, factors, structural: true, important: false, analysis: None }, m)];
        let unanswered = triage(&[], &Policy::FAST).unanswered();
        let q = Question::new(Ask { about: vec![id], unanswered }, &Draft::new(new), &known);
        let verdict = |outcome: Outcome, confidence: f32| Verdict {
            confidence,
            ..serde_json::from_value(json!({"handle": "A", "outcome": outcome, "confidence": 1})).unwrap()
        };
        let analysis = q.analysis(&verdict(local, 0.99), local, None);
        known[0].0.analysis = Some(Analysis { sure, by_model, ..analysis });
        q.settle(&[Some(PairAnswer::new("", verdict(said, 0.9)))], &mut known, &Policy::ACCURATE)
    }
}
