//! Asks the remote embedder's judgement head about pairs that the local decision trees are unsure of.
//!
//! One call per new memory with at most three pairs. Without a usable answer the trees decide.

use super::Embeddings;
use super::making::cut;
use crate::analysis::Outcome;
use crate::decision::{Candidate, was_said_before};
use crate::embed::{Remote, TextPair, Unmade, judgements};
use crate::engine::model_client::key;
use crate::engine::{Cancel, Engine};
use crate::model::{Claim, Draft, Memory};
use crate::store::Store;

const MOST_JUDGED: usize = 3;

/// The head's answers of one call by pair hash; `None` for an unusable answer.
#[derive(Debug, Default)]
pub(in crate::engine) struct HeadAnswers(Vec<(String, Option<[f32; 4]>)>);

impl HeadAnswers {
    fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(k, _)| k == key)
    }
}

#[derive(Debug)]
pub(in crate::engine) struct HeadPair {
    stored: String,
    new: String,
    is_one_thread: bool,
}

impl HeadPair {
    fn of(stored: &Claim<'_>, new: &Claim<'_>) -> Self {
        let side = |claim: &Claim<'_>| match claim.subject.filter(|s| !s.is_empty()) {
            Some(subject) => format!("{subject}: {}", claim.content),
            None => claim.content.to_owned(),
        };
        let thread = stored.thread_id.filter(|t| !t.is_empty());
        let is_one_thread = thread.is_some() && thread == new.thread_id;
        Self { stored: side(stored), new: side(new), is_one_thread }
    }
}

/// Asks the head about two statements outside of any engine.
pub(in crate::engine) async fn judged_alone(
    remote: &dyn Remote,
    stored: &Claim<'_>,
    new: &Claim<'_>,
) -> Option<[f32; 4]> {
    let HeadPair { stored, new, is_one_thread } = HeadPair::of(stored, new);
    let logs = remote.judge(&[TextPair { stored: &stored, new: &new, is_one_thread }]).await.ok()?;
    judgements(&logs, 1).ok()?.pop()
}

impl<S: Store> Engine<S> {
    /// Returns the embedder if its head may be asked; cost estimates ask nothing.
    fn judge(&self) -> Option<&Embeddings> {
        self.embeddings.as_ref().filter(|e| e.remote.judges() && self.client.gauge.is_none())
    }

    /// Returns a pair and its hash, in the direction in which it is analysed.
    fn head_pair(&self, embeddings: &Embeddings, draft: &Draft, memory: &Memory) -> (String, HeadPair) {
        let (stored, new) = (Claim::from(memory), Claim::from(draft));
        let late = was_said_before(draft, memory, &self.options.policy);
        let pair = if late { HeadPair::of(&new, &stored) } else { HeadPair::of(&stored, &new) };
        let HeadPair { stored, new, is_one_thread } = &pair;
        (key(&format!("{}\0{stored}\0{new}\0{is_one_thread}", embeddings.tag)), pair)
    }

    pub(in crate::engine) fn head_answer(
        &self,
        draft: &Draft,
        memory: &Memory,
        judged: &HeadAnswers,
    ) -> Option<[f32; 4]> {
        let embeddings = self.judge().filter(|_| !judged.0.is_empty())?;
        let (key, _) = self.head_pair(embeddings, draft, memory);
        judged.0.iter().find(|(k, _)| *k == key)?.1
    }

    /// Returns the pairs to ask the head about: unsure ones, unless some pair is surely a duplicate.
    pub(in crate::engine) fn open_pairs(
        &self,
        draft: &Draft,
        known: &[(Candidate, Memory)],
        judged: &HeadAnswers,
    ) -> Vec<(String, HeadPair)> {
        let Some(embeddings) = self.judge() else { return Vec::new() };
        let found = || known.iter().filter_map(|(c, memory)| Some((c.analysis.as_ref()?, memory)));
        if found().any(|(a, _)| a.sure && a.outcome == Outcome::Skip) {
            return Vec::new();
        }
        // Statements of one mail never update each other.
        let one_mail = |m: &Memory| draft.source_id.is_some() && m.source_id == draft.source_id;
        let pairs = found().filter(|(_, memory)| !one_mail(memory)).filter_map(|(a, memory)| {
            let is_settled = a.sure;
            let pair = (!is_settled || !judged.0.is_empty()).then(|| self.head_pair(embeddings, draft, memory))?;
            (!is_settled || judged.has(&pair.0)).then_some(pair)
        });
        pairs.take(MOST_JUDGED).filter(|(key, _)| !judged.has(key)).collect()
    }

    /// Asks the head about these pairs in one call; recent answers come from the cache.
    pub(in crate::engine) async fn ask_head(
        &self,
        pairs: Vec<(String, HeadPair)>,
        judged: &mut HeadAnswers,
        cancel: Cancel<'_>,
    ) {
        let Some(embeddings) = &self.embeddings else { return };
        let mut open = Vec::new();
        for (key, pair) in pairs {
            match embeddings.judged.borrow().of(&key) {
                Some(answer) => judged.0.push((key, Some(answer))),
                None => open.push((key, pair)),
            }
        }
        if open.is_empty() {
            return;
        }
        let count = open.len();
        let (keys, pairs): (Vec<String>, Vec<HeadPair>) = open.into_iter().unzip();
        let came = cancel.unless_gone(Box::pin(self.request_judgements(embeddings, pairs))).await;
        let answers = match came {
            Some(Ok(answers)) => answers.into_iter().map(Some).collect(),
            Some(Err(_)) | None => vec![None; count],
        };
        for (key, answer) in keys.into_iter().zip(answers) {
            if let Some(answer) = answer {
                embeddings.judged.borrow_mut().put(&key, answer);
            }
            judged.0.push((key, answer));
        }
    }

    async fn request_judgements(
        &self,
        embeddings: &Embeddings,
        pairs: Vec<HeadPair>,
    ) -> std::result::Result<Vec<[f32; 4]>, Unmade> {
        let threads: Vec<bool> = pairs.iter().map(|p| p.is_one_thread).collect();
        let mut texts = Vec::new();
        for HeadPair { mut stored, mut new, .. } in pairs {
            self.options.mask(&mut [&mut stored, &mut new]);
            texts.extend([stored, new]);
        }
        texts.iter_mut().for_each(cut);
        let work = async |sent: &[&str]| {
            let sides = sent.as_chunks::<2>().0.iter().zip(&threads);
            let pairs: Vec<TextPair<'_>> =
                sides.map(|([stored, new], same)| TextPair { stored, new, is_one_thread: *same }).collect();
            judgements(&embeddings.remote.judge(&pairs).await?, pairs.len())
        };
        self.send_noted(embeddings, "judgements", texts, work).await
    }
}
