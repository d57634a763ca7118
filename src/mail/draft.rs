//! [`drafts`]: a read mail → the memories it teaches, by local rules.
//!
//! It never obeys what a mail says: text in, values out.

use super::{Account, Mail};
use crate::model::{Category, Draft, Evidence, Factor, ImportanceFactor, Retention, Source};

/// The drafts of a mail, in the order in which it says them.
pub fn drafts(mail: &Mail, account: &Account) -> Vec<Draft> {
    let mut out = Vec::new();
    let note = mail.from.as_ref().is_some_and(|p| account.is_owner(&p.address))
        && mail.to.iter().chain(&mail.cc).all(|p| account.is_owner(&p.address));
    for section in &mail.sections {
        let text = &mail.text[section.start..section.end];
        let mut at = section.start;
        for paragraph in text.split("\n\n") {
            let start = at;
            at += paragraph.len() + 2;
            let said = super::clean::line(paragraph);
            let telling = said.bytes().any(|b| b.is_ascii_digit()) && said.chars().count() > 12;
            if !telling || super::signature::is_boilerplate(&said) {
                continue;
            }
            let evidence =
                Evidence { text: paragraph.to_owned(), start: start as u32, end: (start + paragraph.len()) as u32 };
            let mut people: Vec<String> = Vec::new();
            for person in mail.from.iter().chain(&mail.to).chain(&mail.cc) {
                if !account.is_owner(&person.address) && !person.address.is_empty() && people.len() < 20 {
                    people.push(person.address.clone());
                }
            }
            let factors = if said.contains("만원") {
                vec![ImportanceFactor::new(Factor::ContainsMoney, None)]
            } else {
                Vec::new()
            };
            out.push(Draft {
                category: Category::Misc,
                subject: Some(mail.subject.clone()),
                thread_id: Some(mail.thread_id.clone()),
                people,
                importance_factors: factors,
                occurred_at: mail.date,
                stated_at: section.date.or(mail.date),
                source_type: if note { Source::UserInput } else { Source::Realtime },
                source_id: Some(mail.message_id.clone()),
                evidence: Some(evidence),
                retention: Some(Retention::Semantic),
                ..Draft::new(said)
            });
        }
    }
    out
}
