//! [`drafts`]: a read mail → the memories it teaches, by local rules.
//!
//! It never obeys what a mail says: text in, values out. Follow it from the top: each section is split (`blocks`, `parts`),
//! its parts are classified (`worth`), grouped (`units`) and drafted (`teller`); an invitation adds its own.

mod ads;
mod blocks;
mod boilerplate;
mod category;
mod counted;
mod cues;
mod events;
mod fitting;
mod guard;
mod held;
mod lean;
mod marks;
mod matters;
mod meant;
mod names;
mod noted;
mod nouns;
mod part;
mod parts;
mod phrases;
mod plain;
mod sentences;
mod steering;
mod teller;
mod times;
mod topic;
mod units;
mod voice;
mod when;
mod worded;
mod worth;

pub use ads::is_promotion;
pub use fitting::{Weighed, mark_names, weighed};
pub use guard::{asks_for_secret, goes_on, instructs, is_fishing, is_suspicious};
pub use noted::noted;
pub use steering::{steering_mark_names, steering_marks};
pub use topic::{agrees, answers_yes_or_no, topic_of_another};
pub use worded::{Worded, is_by_tool, is_note, is_settled, passages, passes_on, uncovered, worded};

use super::{Account, Mail, Section};
use crate::language::Reference;
use crate::model::{Category, Draft, Limits, Retention};
use blocks::BlockForm;
use events::{invitation, repeats_event, told_by_events};
use teller::Teller;
use when::{Moment, values};

/// The most drafts of one mail: more is a list, and a list is one thing to remember. What the owner writes down is kept whole.
const MOST_DRAFTS: usize = 24;
/// The most statements of one mail that are drafted to find those.
const MOST_TRIED: usize = 200;

/// The drafts of a mail, in the order in which it says them.
pub fn drafts(mail: &Mail, account: &Account) -> Vec<Draft> {
    let mut out = Vec::new();
    if ads::is_passing(mail) || is_a_forgery(mail) {
        return out;
    }
    if ads::is_promotion(mail) || ads::is_circular(mail) {
        out.extend(advert(mail, account).map(within_limits));
        return out;
    }
    let events = told_by_events(mail);
    let subject = nouns::keys(&topic::subject(&mail.subject));
    let adds = |d: &Draft| nouns::keys(&d.content).iter().any(|key| !subject.contains(key));
    let (mut tried, mut added) = (0, 0);
    let most = most_drafts(mail, account);
    'sections: for section in &mail.sections {
        let teller = Teller::new(mail, account, Some(section));
        let blocks = readable(mail, section);
        let context = teller.context();
        let mut parts = parts::parts(&mail.text, &blocks, &context);
        worth::classify(&mut parts, &context);
        let sparse = !mail.bulk.unsubscribe && !mail.bulk.promotion;
        let mut units = units::units(parts, sparse);
        units.retain(|u| !u.only_asks());
        if !mail.suspicious.is_empty() {
            // Who speaks to an assistant is not believed where money should go.
            units.retain(|u| !u.asks_for_money());
        }
        let mut first = None;
        for unit in &units {
            if added == most || tried == MOST_TRIED {
                break 'sections;
            }
            let draft = teller.draft(unit, first.as_ref(), &blocks, None);
            first.get_or_insert_with(|| draft.clone());
            tried += 1;
            if !repeats_event(&draft, mail, &events) {
                added += usize::from(adds(&draft));
                out.push(draft);
            }
        }
    }
    if out.len() > 1 && added > 0 {
        out.retain(adds);
    }
    if out.is_empty() && mail.events.is_empty() {
        out.extend(from_subject(mail, account));
    }
    completed(out, mail, account)
}

/// Whether a desk's mail speaks to an assistant as well: what stands beside that is its frame, or not the desk's own.
fn is_a_forgery(mail: &Mail) -> bool {
    !mail.suspicious.is_empty() && mail.from.as_ref().is_some_and(|p| voice::is_desk(&p.address))
}

/// The blocks of a section that speak to its reader.
fn readable(mail: &Mail, section: &Section) -> Vec<blocks::Block> {
    let mut blocks = blocks::blocks(&mail.text, section.start..section.end);
    blocks.retain(|b| !mail.is_suspicious(&b.span));
    blocks
}

fn most_drafts(mail: &Mail, account: &Account) -> usize {
    if is_note(mail, account) { MOST_TRIED } else { MOST_DRAFTS }
}

/// The drafts with those of the mail's calendar parts, within all limits.
fn completed(mut out: Vec<Draft>, mail: &Mail, account: &Account) -> Vec<Draft> {
    for event in &mail.events {
        invitation(event, mail, account, &mut out);
    }
    out.truncate(most_drafts(mail, account));
    out.into_iter().map(within_limits).collect()
}

/// The draft without names that no list may hold: what is too long to be a name is none.
fn within_limits(mut draft: Draft) -> Draft {
    for list in [&mut draft.people, &mut draft.entities, &mut draft.keywords] {
        list.retain(|name| name.chars().count() <= Limits::NAME);
        list.truncate(Limits::LIST);
    }
    for name in [&mut draft.subject, &mut draft.thread_id, &mut draft.source_id] {
        if let Some(long) = name.as_mut().filter(|n| n.chars().count() > Limits::NAME) {
            *long = long.chars().take(Limits::NAME).collect();
        }
    }
    draft
}

/// The one draft of a promotion.
fn advert(mail: &Mail, account: &Account) -> Option<Draft> {
    let section = mail.sections.first();
    let teller = Teller::new(mail, account, section);
    let blocks = section.map(|s| readable(mail, s)).unwrap_or_default();
    let offer = ads::offer(mail, &mail.text, &blocks, teller.at)?;
    let found = values(&offer.content, teller.at);
    let times = times::times(&offer.content, &offer.moments, Category::Ads, teller.said, teller.home);
    let mut draft = teller.bare(offer.content.clone(), offer.span);
    draft.category = Category::Ads;
    draft.occurred_at = times.occurred_at;
    draft.valid_from = times.valid_from;
    draft.valid_until = times.valid_until;
    draft.entities = names::entities(&offer.content, &teller.topic, &found, mail);
    draft.keywords = names::keywords(&offer.content, &teller.topic, &found);
    draft.people = names::people(mail, teller.author, "", account);
    draft.retention = Some(Retention::Episodic);
    // An offer is never high: its prices are the shop's, not the owner's.
    draft.importance = Some(0.2);
    draft.confidence = Some(if mail.suspicious.is_empty() { 0.8 } else { 0.4 });
    Some(draft)
}

/// A mail whose subject line is all it says ("내일 3시 회의").
fn from_subject(mail: &Mail, account: &Account) -> Option<Draft> {
    let is_long = mail.text.chars().filter(|c| c.is_alphanumeric()).count() > 60;
    if is_long || is_suspicious(&mail.subject) || topic_of_another(mail).is_some() {
        return None;
    }
    let teller = Teller::new(mail, account, None);
    let text = teller.topic.subject.clone();
    let block = blocks::Block { form: BlockForm::Prose, span: 0..0, text, after_gap: true };
    let mut parts = parts::parts("", &[block], &teller.context());
    parts.retain(|p| !p.cues.empty);
    parts.iter_mut().for_each(|p| p.worth = part::Worth::Enough);
    let units = units::units(parts, false);
    // What a subject line says of a day that is over ("어제 경기") is no news.
    let today = teller.at.map(Reference::day);
    let ahead = |m: &Moment| today.is_none_or(|t| m.day >= t);
    let unit = units.first().filter(|u| u.parts.iter().any(|p| p.moments.iter().any(ahead)))?;
    let mut draft = teller.draft(unit, None, &[], None);
    draft.evidence = None;
    Some(draft)
}
