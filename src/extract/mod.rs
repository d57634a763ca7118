//! Extracts draft memories from a parsed mail, without a model. Precision has priority over recall.
//!
//! Instructions in a mail are never followed: text is only read as data. Each section is split (`split`), its parts are
//! scored and grouped (`parts`, `score`), and each group becomes a draft (`drafter`).

mod category;
mod category_cues;
mod drafter;
mod events;
mod model;
mod names;
mod nouns;
mod parts;
mod properties;
mod score;
mod split;
mod times;
mod topic;
mod unit;

pub use drafter::is_note;
pub use model::{Worded, noted, uncovered, worded};

use crate::language::{CueKind, Reference};
use crate::mail::{Account, Mail, is_circular, is_desk, is_passing, is_promotion, is_suspicious, topic_of_another};
use crate::model::Draft;
use drafter::{Drafter, fails_authentication, within_limits};
use events::{coupon, event_words, invitation, repeats_event};
use split::LineForm;
use unit::{DraftUnit, ScoredPart};

const MAX_DRAFTS: usize = 24;
const MAX_NOTE_DRAFTS: usize = 200;
/// A mail with more letters and digits than this gets no draft from its subject line.
const MAX_SUBJECT_ONLY_CHARS: usize = 60;

/// Returns the drafts of a mail, in the order of its text.
pub fn drafts(mail: &Mail, account: &Account) -> Vec<Draft> {
    // A suspected prompt injection from a role account or an unauthenticated sender marks the mail as forged.
    let is_by_desk = mail.from.as_ref().is_some_and(|p| is_desk(&p.address));
    let is_forged = !mail.suspicious.is_empty() && (is_by_desk || fails_authentication(mail, account));
    if is_passing(mail) || is_forged {
        return Vec::new();
    }
    if is_promotion(mail) || is_circular(mail) {
        return coupon(mail, account).map(within_limits).into_iter().collect();
    }
    let (events, most) = (event_words(mail), if is_note(mail, account) { MAX_NOTE_DRAFTS } else { MAX_DRAFTS });
    let mut out: Vec<Draft> = Vec::new();
    for section in &mail.sections {
        let drafter = Drafter::new(mail, account, Some(section));
        let mut units = parts::units(parts::parts(&drafter, section.start..section.end), &drafter);
        // A suspected prompt injection discards payment requests. Failed authentication discards cancellations.
        units.retain(|u| mail.suspicious.is_empty() || !u.asks_for_money());
        units.retain(|u| !drafter.fails_authentication || !u.says(CueKind::NoLonger));
        let mut first = None;
        for unit in units.iter().take(most.saturating_sub(out.len())) {
            let mut draft = drafter.draft(unit, first.as_ref(), None);
            draft.is_minor = unit.is_minor();
            if !draft.is_minor {
                first.get_or_insert_with(|| draft.clone());
            }
            if !repeats_event(&draft, mail, &events) {
                out.push(draft);
            }
        }
    }
    if out.iter().all(|draft| draft.is_minor) && mail.events.is_empty() {
        out.extend(from_subject(mail, account));
    }
    for event in &mail.events {
        invitation(event, mail, account, &mut out);
    }
    out.truncate(most);
    out.into_iter().map(within_limits).collect()
}

/// Drafts a mail whose only content is its subject line ("내일 3시 회의").
fn from_subject(mail: &Mail, account: &Account) -> Option<Draft> {
    let is_long = mail.text.chars().filter(|c| c.is_alphanumeric()).count() > MAX_SUBJECT_ONLY_CHARS;
    if is_long || is_suspicious(&mail.subject) || topic_of_another(mail).is_some() {
        return None;
    }
    let drafter = Drafter::new(mail, account, None);
    let part = ScoredPart::new(LineForm::Sentence, &drafter.topic.subject, 0..0, 0, drafter.at);
    // A subject about a past day ("어제 경기") is not news.
    let today = drafter.at.map(Reference::day);
    let is_ahead = part.moments.iter().any(|m| today.is_none_or(|t| m.day >= t));
    is_ahead.then(|| drafter.draft(&DraftUnit { parts: vec![part] }, None, None))
}

/// A part of a mail with its scoring features; used by `examples/worth` to fit the weights.
#[derive(Debug, Clone)]
pub struct Weighed {
    pub text: String,
    /// Indexes of its active features.
    pub marks: Vec<usize>,
}

/// The name of each feature by index, and the base-2 logarithm of the number of n-gram buckets.
pub const WEIGHED_BY: (&[&str], u32) = (&score::FEATURES, score::HASH_BITS);

/// Returns the scored parts of a mail: sentences, rows and items.
pub fn weighed(mail: &Mail, account: &Account) -> Vec<Weighed> {
    let mut out = Vec::new();
    for section in mail.sections.iter().filter(|_| !is_passing(mail) && !is_promotion(mail)) {
        let drafter = Drafter::new(mail, account, Some(section));
        let parts = parts::parts(&drafter, section.start..section.end);
        for (n, part) in parts.iter().enumerate().filter(|(_, p)| !parts::is_discarded(p)) {
            let marks = score::features(&parts, n, &drafter);
            let marks = marks.iter().enumerate().filter(|(_, is)| **is).map(|(n, _)| n).collect();
            out.push(Weighed { text: part.text.clone(), marks });
        }
    }
    out
}
