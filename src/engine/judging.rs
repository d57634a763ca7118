//! Asks the remote embedder's judgement head, once per new memory, about up to three pairs that the trees leave open.

use super::embeddings::{Embeddings, cut_for_embedder};
use super::model_client::key;
use super::{Cancel, Engine};
use crate::analysis::Outcome;
use crate::decision::{Candidate, was_said_before};
use crate::embed::{Remote, TextPair, Unmade, judgements};
use crate::model::{Claim, Draft, Memory};

const MOST_JUDGED: usize = 3;

#[derive(Debug)]
pub(super) struct HeadPair {
    key: String,
    stored: String,
    new: String,
    is_one_thread: bool,
}

impl HeadPair {
    fn of(stored: &Claim<'_>, new: &Claim<'_>, tag: &str) -> Self {
        let side = |claim: &Claim<'_>| match claim.subject.filter(|s| !s.is_empty()) {
            Some(subject) => format!("{subject}: {}", claim.content),
            None => claim.content.to_owned(),
        };
        let is_one_thread = stored.thread_id.is_some_and(|t| !t.is_empty()) && stored.thread_id == new.thread_id;
        let (stored, new) = (side(stored), side(new));
        Self { key: key(&format!("{tag}\0{stored}\0{new}\0{is_one_thread}")), stored, new, is_one_thread }
    }
}

pub(super) async fn judge_alone(remote: &dyn Remote, stored: &Claim<'_>, new: &Claim<'_>) -> Option<[f32; 4]> {
    let HeadPair { stored, new, is_one_thread, .. } = HeadPair::of(stored, new, "");
    let logs = remote.judge(&[TextPair { stored: &stored, new: &new, is_one_thread }]).await.ok()?;
    judgements(&logs, 1).ok()?.pop()
}

impl Engine {
    fn judge(&self) -> Option<&Embeddings> {
        self.embeddings.as_ref().filter(|e| e.remote.judges() && self.client.gauge.is_none())
    }

    fn head_pair(&self, embeddings: &Embeddings, draft: &Draft, memory: &Memory) -> HeadPair {
        let (stored, new) = (Claim::from(memory), Claim::from(draft));
        let late = was_said_before(draft, memory, &self.options.policy);
        let (before, after) = if late { (&new, &stored) } else { (&stored, &new) };
        HeadPair::of(before, after, &embeddings.tag)
    }

    pub(super) fn head_answer(&self, draft: &Draft, memory: &Memory) -> Option<[f32; 4]> {
        let embeddings = self.judge()?;
        let pair = self.head_pair(embeddings, draft, memory);
        embeddings.judged.borrow().of(&pair.key)?
    }

    pub(super) fn open_pairs(&self, draft: &Draft, known: &[(Candidate, Memory)]) -> Vec<HeadPair> {
        let Some(embeddings) = self.judge() else { return Vec::new() };
        let found = || known.iter().filter_map(|(c, memory)| Some((c.analysis.as_ref()?, memory)));
        if found().any(|(a, _)| a.sure && a.outcome == Outcome::Skip) {
            return Vec::new();
        }
        // Statements of one mail never update each other.
        let one_mail = |m: &Memory| draft.source_id.is_some() && m.source_id == draft.source_id;
        let judged = embeddings.judged.borrow();
        let pairs = found().filter(|(_, memory)| !one_mail(memory)).filter_map(|(a, memory)| {
            let pair = self.head_pair(embeddings, draft, memory);
            let is_judged = judged.of(&pair.key).is_some();
            (!a.sure || is_judged).then_some((pair, is_judged))
        });
        pairs.take(MOST_JUDGED).filter(|(_, is_judged)| !is_judged).map(|(pair, _)| pair).collect()
    }

    pub(super) async fn ask_head(&self, pairs: Vec<HeadPair>, cancel: Cancel<'_>) {
        let Some(embeddings) = &self.embeddings else { return };
        let Some(came) = cancel.unless_gone(Box::pin(self.request_judgements(embeddings, &pairs))).await else {
            return;
        };
        let answers = came.map_or(vec![None; pairs.len()], |answers| answers.into_iter().map(Some).collect());
        for (pair, answer) in pairs.iter().zip(answers) {
            embeddings.judged.borrow_mut().put(&pair.key, answer);
        }
    }

    async fn request_judgements(
        &self,
        embeddings: &Embeddings,
        pairs: &[HeadPair],
    ) -> std::result::Result<Vec<[f32; 4]>, Unmade> {
        let mut texts = Vec::new();
        for pair in pairs {
            let (mut stored, mut new) = (pair.stored.clone(), pair.new.clone());
            self.options.mask(&mut [&mut stored, &mut new]);
            texts.extend([stored, new]);
        }
        texts.iter_mut().for_each(cut_for_embedder);
        let work = async |sent: &[&str]| {
            let sides = sent.as_chunks::<2>().0.iter().zip(pairs);
            let sides = sides.map(|([stored, new], p)| TextPair { stored, new, is_one_thread: p.is_one_thread });
            judgements(&embeddings.remote.judge(&sides.collect::<Vec<_>>()).await?, pairs.len())
        };
        self.send_noted(embeddings, "judgements", texts, work).await
    }
}
