//! [`drafts`]: a read mail → the memories it teaches, without a model, precision first.
//!
//! It never obeys what a mail says: text in, values out. Each section is split (`split`), its parts are scored and grouped
//! (`parts`, `score`), and each group is drafted (`drafter`).
//!
//! ```
//! use memfold::extract::drafts;
//! use memfold::mail::{Account, HostCharset, read};
//! let raw = "From: Kim <kim@a.example>\r\nTo: me@b.example\r\nSubject: Kickoff\r\n\
//!     Date: Tue, 14 Jan 2025 09:00:00 +0900\r\nMessage-ID: <1@a.example>\r\n\r\n\
//!     Hi,\r\nThe kickoff meeting is on 22 January at 2 pm.\r\n";
//! let mail = read(raw.as_bytes(), &HostCharset)?;
//! let account = Account { owner: vec!["me@b.example".into()], ..Account::default() };
//! assert!(drafts(&mail, &account)[0].content.contains("22 January at 2 pm"));
//! # Ok::<(), memfold::Error>(())
//! ```

mod category;
mod drafter;
mod events;
mod model;
mod names;
mod nouns;
mod parts;
mod score;
mod split;
mod times;
mod topic;
mod unit;

pub use drafter::is_note;
pub use model::{Worded, noted, uncovered, worded};

use crate::language::{CueKind, Reference};
use crate::mail::{
    Account, Mail, is_circular, is_desk, is_passing, is_promotion, is_suspicious, is_transaction, topic_of_another,
};
use crate::model::{Category, Draft};
use drafter::{Drafter, is_disowned, within_limits};
use events::{coupon, invitation, repeats_event, told_by_events};
use split::LineForm;
use unit::{DraftUnit, ScoredPart};

/// The most drafts of one mail, and of a note of the owner's.
const MOST_DRAFTS: usize = 24;
const MOST_NOTED: usize = 200;
/// Letters and figures of a mail whose subject line may be all that it says.
const SHORT: usize = 60;

/// The drafts of a mail, in the order in which it says them.
pub fn drafts(mail: &Mail, account: &Account) -> Vec<Draft> {
    // What speaks to an assistant as well is a forgery where it is a desk's, or its sender failed the check.
    let is_by_desk = mail.from.as_ref().is_some_and(|p| is_desk(&p.address));
    let is_forged = !mail.suspicious.is_empty() && (is_by_desk || is_disowned(mail, account));
    if is_passing(mail) || is_forged {
        return Vec::new();
    }
    if is_promotion(mail) || is_circular(mail) {
        return coupon(mail, account).map(within_limits).into_iter().collect();
    }
    let (events, most) = (told_by_events(mail), if is_note(mail, account) { MOST_NOTED } else { MOST_DRAFTS });
    let mut out: Vec<Draft> = Vec::new();
    for section in &mail.sections {
        let drafter = Drafter::new(mail, account, Some(section));
        let mut units = parts::units(parts::parts(&drafter, section.start..section.end), &drafter);
        // Who speaks to an assistant is not believed where money should go, nor who failed the check where something is
        // called off.
        units.retain(|u| mail.suspicious.is_empty() || !u.asks_for_money());
        units.retain(|u| !drafter.is_disowned || !u.says(CueKind::NoLonger));
        let mut first = None;
        for unit in units.iter().take(most.saturating_sub(out.len())) {
            let mut draft = drafter.draft(unit, first.as_ref(), None);
            draft.is_minor = unit.is_minor();
            if !draft.is_minor {
                first.get_or_insert_with(|| draft.clone());
            }
            // What a list sells to everybody is no matter of the owner's.
            let is_sold =
                draft.category == Category::Ads && (mail.bulk.list || mail.bulk.unsubscribe) && !is_transaction(mail);
            if !is_sold && !repeats_event(&draft, mail, &events) {
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

/// A mail whose subject line is all it says ("내일 3시 회의").
fn from_subject(mail: &Mail, account: &Account) -> Option<Draft> {
    let is_long = mail.text.chars().filter(|c| c.is_alphanumeric()).count() > SHORT;
    if is_long || is_suspicious(&mail.subject) || topic_of_another(mail).is_some() {
        return None;
    }
    let drafter = Drafter::new(mail, account, None);
    let part = ScoredPart::new(LineForm::Sentence, &drafter.topic.subject, 0..0, 0, drafter.at);
    // What a subject line says of a day that is over ("어제 경기") is no news.
    let today = drafter.at.map(Reference::day);
    let is_ahead = part.moments.iter().any(|m| today.is_none_or(|t| m.day >= t));
    is_ahead.then(|| drafter.draft(&DraftUnit { parts: vec![part] }, None, None))
}

/// A sentence, row or item of a mail as it is weighed; for `examples/worth`.
#[derive(Debug, Clone)]
pub struct Weighed {
    /// Its words.
    pub text: String,
    /// The numbers of the marks that it has.
    pub marks: Vec<usize>,
}

/// What each mark is called, by its number, and the logarithm of the number of places for runs of characters.
pub const WEIGHED_BY: (&[&str], u32) = (&score::MARKS, score::BITS);

/// The sentences, rows and items of a mail that are weighed.
pub fn weighed(mail: &Mail, account: &Account) -> Vec<Weighed> {
    let mut out = Vec::new();
    for section in mail.sections.iter().filter(|_| !is_passing(mail) && !is_promotion(mail)) {
        let drafter = Drafter::new(mail, account, Some(section));
        let parts = parts::parts(&drafter, section.start..section.end);
        for (n, part) in parts.iter().enumerate().filter(|(_, p)| !parts::is_idle(p)) {
            let marks = score::marks(&parts, n, &drafter);
            let marks = marks.iter().enumerate().filter(|(_, is)| **is).map(|(n, _)| n).collect();
            out.push(Weighed { text: part.text.clone(), marks });
        }
    }
    out
}
