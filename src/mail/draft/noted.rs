//! What a note says of itself: its category, days, people and weight, read as a mail's are.

use super::{BlockForm, Teller, blocks, parts, units::DraftUnit, within_limits};
use crate::mail::{Account, Mail};
use crate::model::{Category, Draft};

/// The draft with what its own words tell and nobody has given. `mail` is the note as a mail from the owner to
/// themself; `sorted`: its category is given.
pub fn noted(draft: Draft, mail: &Mail, account: &Account, sorted: bool) -> Draft {
    let teller = Teller::new(mail, account, mail.sections.first());
    let span = 0..mail.text.len();
    let block = blocks::Block { form: BlockForm::Prose, span, text: mail.text.clone(), after_gap: true };
    let unit = DraftUnit { parts: parts::parts(&mail.text, &[block], &teller.context()) };
    let read = teller.draft(&unit, None, &[], None);
    let mut out = draft;
    if !sorted {
        out.category = read.category;
    }
    if out.occurred_at.is_none() {
        out.occurred_at = read.happens_at();
        // The day that it tells of is not the one on which it is told.
        if out.occurred_at.is_some() && out.stated_at.is_none() {
            out.stated_at = teller.said;
        }
    }
    if out.valid_from.is_none() && out.valid_until.is_none() {
        (out.valid_from, out.valid_until) = (read.valid_from, read.valid_until);
    }
    if out.people.is_empty() {
        let owner = mail.from.as_ref().map_or("", |p| p.address.as_str());
        out.people = read.people.into_iter().filter(|p| p != owner && !account.is_owner(p)).collect();
    }
    if out.importance.is_none() && out.importance_factors.is_empty() {
        out.importance_factors = read.importance_factors;
    }
    if out.retention.is_none() && out.category == Category::Meeting {
        out.retention = read.retention;
    }
    within_limits(out)
}
