//! The drafts of a mail: by a model where that is wanted and answers, else by local rules.
//!
//! What a model finds is checked against the mail twice: its words where the reply is read, its place where drafts are
//! made of it. A mail that was handled before is not asked about again.

use super::answers::key;
use super::deciding::Asked;
use super::{Cancel, Drafts, Engine, Platform};
use crate::decision::Mode;
use crate::embed::Embedder;
use crate::llm::{Drafting, Masks, Told};
use crate::mail::{Account, Mail, drafts, open_text, retell};
use crate::model::{Category, Draft};
use crate::store::Store;
use crate::{Result, json};

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// What a mail teaches; `first` is the key of its first draft.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) async fn drafted(
        &self,
        mail: &Mail,
        account: &Account,
        first: &str,
        asked: &mut Asked,
        cancel: Cancel<'_>,
    ) -> Result<Vec<Draft>> {
        let default = if self.options.policy.mode == Mode::Accurate { Drafts::Model } else { Drafts::Local };
        let by_model = self.options.drafts.unwrap_or(default) == Drafts::Model && self.may_ask();
        let Some(text) = open_text(mail).filter(|_| by_model) else { return Ok(drafts(mail, account)) };
        // Whoever is asked now: a mail has the drafts that it had when it first came.
        let shelf = key(&["drafts ", first].concat());
        let told = match self.shelved(&shelf).await?.and_then(|text| json::read::<Vec<Told>>(&text, "drafts").ok()) {
            Some(told) => Some(told),
            None if self.handled_before(Some(first)).await?.is_some() => None,
            None => self.found_by_model(&Drafting::new(&mail.subject, &text), asked, cancel).await?,
        };
        let Some(told) = told else { return Ok(drafts(mail, account)) };
        let text = json::write(&told)?;
        let said: Vec<(String, Category, String)> =
            told.into_iter().map(|t| (t.content, t.category, t.evidence)).collect();
        let drafts = retell(mail, account, &said);
        if drafts.is_empty() {
            return Ok(crate::mail::drafts(mail, account));
        }
        asked.keep(shelf, text);
        Ok(drafts)
    }

    /// What a model finds in a mail; nothing where no answer came that can be used.
    async fn found_by_model(
        &self,
        asks: &Drafting,
        asked: &mut Asked,
        cancel: Cancel<'_>,
    ) -> Result<Option<Vec<Told>>> {
        let mut shown = asks.clone();
        let masks = if self.options.mask { Masks::hide(&mut shown.texts_mut()) } else { Masks::default() };
        let fence = self.fence();
        let mut told = None;
        let read = &mut |reply: &str| {
            told = Some(asks.read(&masks.restore(reply))?);
            Ok(())
        };
        let spent = asked.purse.tokens;
        let came = self.call(&shown.prompt(&fence), &fence, &mut asked.purse, cancel, read).await?;
        asked.drafted(spent);
        Ok(told.filter(|_| came.is_ok()))
    }
}
