//! Reads a mail next to stored memories and checks every word of the reply against the texts sent.

pub(super) mod check;
mod entry;
mod evidence;
mod fields;
mod question;
mod reckoning;
pub(super) mod said;
mod wording;

pub use entry::{EntryLink, LinkEnd, MailEntry, MailReply, Op};
pub use question::{Earlier, Form, KnownMemory, MailQuestion, Party, Passage};

use super::handle;
use crate::decision::{Refusal, ReplyFault};
use crate::model::Id;
use entry::{RawEntry, day_of};
use fields::raw_entries;

impl MailQuestion {
    /// Reads the entries of a reply one by one. Fails only if the reply has no list of entries.
    pub fn read(&self, reply: &str, is_known: &dyn Fn(&str) -> bool) -> Result<MailReply, ReplyFault> {
        Ok(self.read_entries(raw_entries(reply)?, is_known))
    }

    /// Reads a reply after some memories got newer versions: only an update keeps the shown one.
    pub fn read_after(
        &self,
        reply: &str,
        replaced: Vec<(Id, KnownMemory)>,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Result<MailReply, ReplyFault> {
        let mut raw = raw_entries(reply)?;
        let mut question = self.clone();
        let mut handles = Vec::new();
        for (old, newer) in replaced {
            let at = question.known.iter().position(|k| k.id == newer.id).unwrap_or_else(|| {
                question.known.push(newer);
                question.known.len() - 1
            });
            handles.push((old, handle(at)));
        }
        let newest = |named: &mut String| {
            let id = self.named(named).map(|k| k.id);
            if let Some((_, newer)) = handles.iter().find(|(old, _)| Some(*old) == id) {
                named.clone_from(newer);
            }
        };
        for entry in raw.iter_mut().flatten() {
            let writes = matches!(entry.op, Op::Update | Op::Done);
            entry.of.iter_mut().filter(|_| !writes).for_each(newest);
            entry.links.iter_mut().flatten().map(|link| &mut link.to).for_each(newest);
        }
        Ok(question.read_entries(raw, is_known))
    }

    fn read_entries(&self, raw: Vec<Result<RawEntry, ReplyFault>>, is_known: &dyn Fn(&str) -> bool) -> MailReply {
        let sources = check::Sources::of(self, is_known);
        let mut read = MailReply::default();
        for raw in raw {
            let evidence = |raw: &RawEntry| evidence::find_evidence(self, raw.evidence.as_deref().unwrap_or_default());
            let evidence = raw.as_ref().ok().and_then(evidence);
            read.faults.extend(raw.as_ref().err().filter(|fault| fault.detail.is_some()).cloned());
            let entry = raw.map_err(Refusal::from);
            let entry = entry.and_then(|raw| self.checked(raw, evidence.clone(), &sources, &read.entries));
            read.unheard.extend(evidence.filter(|_| entry.is_err()));
            read.entries.push(entry);
        }
        read
    }

    fn checked(
        &self,
        raw: RawEntry,
        evidence: Option<String>,
        sources: &check::Sources<'_>,
        earlier: &[Result<MailEntry, Refusal>],
    ) -> Result<MailEntry, Refusal> {
        let named = |handle: &Option<String>| handle.as_deref().map(|h| self.named(h).ok_or(Refusal::UnknownHandle));
        let of = match raw.op {
            Op::New => None,
            _ => Some(named(&raw.of).ok_or(Refusal::UnknownHandle)??),
        };
        let writes = matches!(raw.op, Op::Update | Op::Done);
        let before = |e: &&MailEntry| matches!(e.op, Op::Update | Op::Done) && e.of == of.map(|k| k.id);
        let before = earlier.iter().flatten().filter(before).count();
        // Of a late mail the first entry is the state then, the second the state now.
        let came_late = || of.is_some_and(|known| self.came_before(known));
        if writes && before > usize::from(came_late()) {
            return Err(Refusal::TwoUpdates);
        }
        let mut entry = MailEntry {
            op: raw.op,
            of: of.map(|k| k.id),
            category: raw.category.or(of.map(|k| k.shown.category)).unwrap_or_default(),
            now: writes && before > 0,
            no_day: writes && raw.day.is_none() && self.form == Form::Full,
            ..MailEntry::default()
        };
        if let (Op::Repeat, Some(known)) = (raw.op, of) {
            // Without evidence the log shows the memory's own text.
            entry.text = evidence.clone().unwrap_or_else(|| known.content().to_owned());
            entry.evidence = evidence.unwrap_or_default();
            return Ok(entry);
        }
        raw.text.unwrap_or_default().trim().clone_into(&mut entry.text);
        entry.evidence = evidence.ok_or(Refusal::NoEvidence)?;
        let checked = sources.check_text(&entry.text, &entry.evidence, of);
        entry.shortened = checked == Err(Refusal::NoEvidence);
        match checked {
            Ok(inferred) => entry.inferred = inferred,
            Err(Refusal::NoEvidence) => {
                (entry.text, entry.inferred) = sources.keep_supported(&entry.text, &entry.evidence, of)?;
            }
            Err(refusal) => return Err(refusal),
        }
        (entry.borrowed, entry.heard_from) = sources.find_lenders(&entry.text, &entry.evidence, of);
        let old = of.map_or("", |k| k.content());
        entry.gone =
            raw.gone.unwrap_or_default().into_iter().filter(|g| !g.trim().is_empty() && old.contains(g)).collect();
        entry.day = raw.day.as_deref().and_then(day_of).filter(|d| sources.names_day(*d, &entry.text));
        entry.people = raw.people.unwrap_or_default().into_iter().filter(|p| sources.names_person(p)).collect();
        entry.analysis = raw.analysis.checked(of.map(|k| k.content()), &[&entry.text, "\n", &entry.evidence].concat());
        for link in raw.links.unwrap_or_default() {
            let to = self.link_end(&link.to, earlier).filter(|to| entry.of.is_none_or(|of| *to != LinkEnd::Memory(of)));
            entry.links.extend(to.map(|to| EntryLink { to, relation: link.relation }));
        }
        Ok(entry)
    }

    /// The target of a link; `None` if it was not shown or was refused.
    fn link_end(&self, handle: &str, earlier: &[Result<MailEntry, Refusal>]) -> Option<LinkEnd> {
        if let Some(known) = self.named(handle) {
            return Some(LinkEnd::Memory(known.id));
        }
        let place: usize = handle.trim().strip_prefix(['E', 'e'])?.parse().ok()?;
        let at = place.checked_sub(1)?;
        earlier.get(at)?.as_ref().ok().map(|_| LinkEnd::Entry(at))
    }
}
