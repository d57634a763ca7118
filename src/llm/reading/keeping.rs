//! A reply as it is kept until its mail is written: the form in which it came, under ids instead of handles.

use super::entry::{EntryLink, LinkEnd, MailEntry, MailReply, Op, RawEntry, RawLink, day_of};
use crate::decision::Refusal;
use crate::model::Id;
use crate::{Result, json};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    entries: Vec<Option<RawEntry>>,
    /// Why the others were refused, in order.
    refused: Vec<String>,
    unheard: Vec<String>,
}

impl MailReply {
    /// The text by which it is kept.
    pub fn kept(&self) -> Result<String> {
        let entries = self.entries.iter().map(|e| e.as_ref().ok().map(raw)).collect();
        let refused = self.entries.iter().filter_map(|e| e.as_ref().err()).map(|r| r.as_str().to_owned()).collect();
        json::write(&Kept { entries, refused, unheard: self.unheard.clone() })
    }

    /// What such a text says; absent where it is of another version.
    pub fn restored(text: &str) -> Option<Self> {
        let Kept { entries, refused, unheard } = json::read(text, "reply").ok()?;
        let mut refused = refused.iter().map(|code| Refusal::named(code));
        let entry = |e: Option<RawEntry>| e.and_then(read).ok_or_else(|| refused.next().unwrap_or(Refusal::Failed));
        Some(Self { entries: entries.into_iter().map(entry).collect(), unheard, faults: Vec::new() })
    }
}

fn raw(entry: &MailEntry) -> RawEntry {
    let end = |to: LinkEnd| match to {
        LinkEnd::Memory(id) => id.to_string(),
        LinkEnd::Entry(at) => format!("E{}", at + 1),
    };
    RawEntry {
        op: entry.op,
        of: entry.of.map(|id| id.to_string()),
        with: entry.with.map(|id| id.to_string()),
        text: Some(entry.text.clone()),
        gone: Some(entry.gone.clone()),
        category: Some(entry.category),
        day: entry.day.map(|day| day.to_string()),
        people: Some(entry.people.clone()),
        links: Some(entry.links.iter().map(|l| RawLink { to: end(l.to), relation: l.relation }).collect()),
        evidence: Some(entry.evidence.clone()),
        mail: None,
        inferred: entry.inferred,
        shortened: entry.shortened,
        now: entry.now,
        no_day: entry.no_day,
        borrowed: entry.borrowed.clone(),
        heard_from: entry.heard_from.clone(),
        analysis: entry.analysis.clone(),
    }
}

fn read(kept: RawEntry) -> Option<MailEntry> {
    let id = |text: &Option<String>| text.as_deref().and_then(|t| t.parse::<Id>().ok());
    let end = |to: &str| match to.strip_prefix('E').and_then(|n| n.parse::<usize>().ok()) {
        Some(place) => place.checked_sub(1).map(LinkEnd::Entry),
        None => to.parse().ok().map(LinkEnd::Memory),
    };
    let of = id(&kept.of);
    if of.is_none() && kept.op != Op::New {
        return None;
    }
    let links = kept.links.unwrap_or_default();
    Some(MailEntry {
        op: kept.op,
        of,
        with: id(&kept.with),
        text: kept.text?,
        gone: kept.gone.unwrap_or_default(),
        category: kept.category?,
        day: kept.day.as_deref().and_then(day_of),
        people: kept.people.unwrap_or_default(),
        links: links.iter().filter_map(|l| Some(EntryLink { to: end(&l.to)?, relation: l.relation })).collect(),
        evidence: kept.evidence.unwrap_or_default(),
        inferred: kept.inferred,
        shortened: kept.shortened,
        now: kept.now,
        no_day: kept.no_day,
        borrowed: kept.borrowed,
        heard_from: kept.heard_from,
        analysis: kept.analysis,
    })
}
