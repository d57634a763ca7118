//! Replaces personal data in prompts by placeholders, and restores it exactly in replies.

use crate::decision::Prompt;
use crate::language::{Personal, PersonalKind, personal};

/// A question to a model.
pub trait Question: Clone {
    /// The texts to mask before sending. Replies are checked against the unmasked texts.
    fn texts_mut(&mut self) -> Vec<&mut String>;

    /// The prompt for one call. `fence` is random, so that no text can close its quotation.
    fn prompt(&self, fence: &str) -> Prompt;
}

/// A prompt as sent, with the data that was masked in it.
#[derive(Debug)]
pub struct SealedPrompt {
    /// The prompt.
    pub prompt: Prompt,
    /// The random delimiter around quoted text.
    pub fence: String,
    /// The masked data.
    pub masks: Masks,
}

impl SealedPrompt {
    /// Builds the prompt of a question; masks its texts if enabled.
    pub fn new(asked: &impl Question, fence: String, masked: bool) -> Self {
        let mut sent = asked.clone();
        let masks = if masked { Masks::hide(&mut sent.texts_mut()) } else { Masks::default() };
        Self { prompt: sent.prompt(&fence), fence, masks }
    }
}

/// The personal data removed from the texts of one prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Masks {
    taken: Vec<MaskedDatum>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct MaskedDatum {
    kind: PersonalKind,
    key: String,
    number: usize,
    spelling: String,
    placeholder: String,
}

impl Masks {
    /// Replaces personal data by placeholders: `[PHONE_1]`, and `[PHONE_1b]` for another spelling of it.
    pub fn hide(texts: &mut [&mut String]) -> Self {
        let found: Vec<Vec<Personal>> = texts.iter().map(|t| personal(t)).collect();
        let mut masks = Self::default();
        for (text, found) in texts.iter().zip(&found) {
            for p in found {
                let spelling = text.get(p.range.clone()).unwrap_or_default();
                masks.assign_placeholder(p, spelling, &|placeholder| texts.iter().any(|t| t.contains(placeholder)));
            }
        }
        for (text, found) in texts.iter_mut().zip(&found) {
            for p in found.iter().rev() {
                let spelling = text.get(p.range.clone()).unwrap_or_default();
                let taken = masks.taken.iter().find(|t| t.kind == p.kind && t.spelling == spelling);
                let placeholder = taken.map_or_else(String::new, |t| t.placeholder.clone());
                text.replace_range(p.range.clone(), &placeholder);
            }
        }
        masks
    }

    /// Restores the removed data. Unknown placeholders stay as they are.
    pub fn restore(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find('[') {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let taken = self.taken.iter().find(|t| from.starts_with(&t.placeholder));
            let (word, length) = taken.map_or(("[", 1), |t| (t.spelling.as_str(), t.placeholder.len()));
            out.push_str(word);
            rest = from.get(length..).unwrap_or_default();
        }
        out.push_str(rest);
        out
    }

    /// Assigns a spelling a placeholder that no text contains.
    fn assign_placeholder(&mut self, p: &Personal, spelling: &str, is_said: &dyn Fn(&str) -> bool) {
        let of_kind = || self.taken.iter().filter(|t| t.kind == p.kind);
        if of_kind().any(|t| t.spelling == spelling) {
            return;
        }
        let known = of_kind().find(|t| t.key == p.key).map(|t| t.number);
        let lettered = known.into_iter().flat_map(|number| ('b'..='z').map(move |c| (number, c.to_string())));
        let next = of_kind().map(|t| t.number).max().unwrap_or(0) + 1;
        let mut labels = lettered.chain((next..).map(|number| (number, String::new())));
        let found = labels.find_map(|(number, letter)| {
            let placeholder = ["[", kind_label(p.kind), "_", &number.to_string(), &letter, "]"].concat();
            let is_free = !is_said(&placeholder) && self.taken.iter().all(|t| t.placeholder != placeholder);
            is_free.then_some((number, placeholder))
        });
        let Some((number, placeholder)) = found else { return };
        let (key, spelling) = (p.key.clone(), spelling.to_owned());
        self.taken.push(MaskedDatum { kind: p.kind, key, number, spelling, placeholder });
    }
}

const fn kind_label(kind: PersonalKind) -> &'static str {
    match kind {
        PersonalKind::Email => "EMAIL",
        PersonalKind::Phone => "PHONE",
        PersonalKind::Card => "CARD",
        PersonalKind::Id => "ID",
        PersonalKind::Account => "ACCOUNT",
    }
}
