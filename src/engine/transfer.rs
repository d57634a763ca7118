//! Export and import as JSON Lines: a header, then memories, edges and log entries, one a line.

use super::{Engine, LogQuery, PAGE, Platform};
use crate::consolidation::{Action, ChangeSet, Expectation, LogEntry};
use crate::decision::Reason;
use crate::embed::Embedder;
use crate::model::{Edge, Id, Ids, Memory};
use crate::store::Store;
use crate::{Code, Error, Result, json};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The format's number; an import refuses a greater one.
const FORMAT: u32 = 1;

/// One line of an export: `{"header":{"format":1}}`, `{"memory":{…}}`, `{"edge":{…}}`, `{"entry":{…}}`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    /// The first line.
    Header {
        format: u32,
    },
    Memory(Box<Memory>),
    Edge(Edge),
    Entry(Box<LogEntry>),
}

/// What an import brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// Memories that were not there before.
    pub memories: u32,
    /// Edges that were not there before.
    pub edges: u32,
    /// Log entries that were not there before.
    pub entries: u32,
    /// Records that were there already.
    pub known: u32,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// Everything that is stored, as JSON Lines; vectors are left out, since an import makes them again.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn export(&self) -> Result<String> {
        let mut lines = vec![json::write(&Line::Header { format: FORMAT })?];
        for memory in self.list(None, usize::MAX, true).await? {
            lines.push(json::write(&Line::Memory(Box::new(memory)))?);
        }
        for edge in self.links().await? {
            lines.push(json::write(&Line::Edge(edge))?);
        }
        for entry in self.log(&LogQuery::default()).await? {
            lines.push(json::write(&Line::Entry(Box::new(entry)))?);
        }
        lines.push(String::new());
        Ok(lines.join("\n"))
    }

    /// Takes in an export. Records that are there already are left as they are, so importing twice changes
    /// nothing; the whole text is checked before anything is written.
    ///
    /// # Errors
    /// A bad line (the message gives its number), a newer format, a version chain that is not one, or a
    /// failing store.
    pub async fn import(&self, text: &str) -> Result<ImportReport> {
        let (memories, edges, entries) = parse(text)?;
        let mut report = ImportReport::default();
        let _turn = self.turn.lock().await;
        let here = self.list(None, usize::MAX, true).await?;
        let stored: HashSet<Id> = here.iter().map(|m| m.id).collect();
        let forgotten: HashSet<Id> = here.iter().filter(|m| m.is_forgotten()).map(|m| m.id).collect();
        let linked: HashSet<Id> = self.links().await?.iter().map(|e| e.id).collect();
        let total = memories.len() + edges.len() + entries.len();
        let memories: Vec<Memory> = memories.into_iter().filter(|m| !stored.contains(&m.id)).collect();
        let lost = |e: &Edge| forgotten.contains(&e.from) || forgotten.contains(&e.to);
        let edges: Vec<Edge> = edges.into_iter().filter(|e| !linked.contains(&e.id) && !lost(e)).collect();
        check_references(&memories, &edges, &stored)?;
        // The old entries come first, so that the import's own entry ends the log as it ended the work.
        for entry in entries {
            if self.store.entry(entry.id).await?.is_none() && self.import_entry(entry).await? {
                report.entries += 1;
            }
        }
        report.memories = memories.len() as u32;
        report.edges = edges.len() as u32;
        if report.memories + report.edges > 0 {
            self.import_records(memories, edges).await?;
        }
        report.known = total as u32 - report.memories - report.edges - report.entries;
        self.catch_up().await?;
        Ok(report)
    }

    /// Appends an entry of an earlier log with its key, so that what it stands for is not done again.
    async fn import_entry(&self, entry: LogEntry) -> Result<bool> {
        let key = entry.key.clone();
        let set = ChangeSet { key, ..ChangeSet::new(entry) };
        Ok(self.commit(set).await?.is_ok())
    }

    async fn import_records(&self, memories: Vec<Memory>, edges: Vec<Edge>) -> Result<()> {
        let now = self.platform.now();
        let id = Ids::new(now, self.platform.seed()).mint();
        let reason = Reason::Imported { memories: memories.len() as u32, edges: edges.len() as u32 };
        let entry = LogEntry {
            action: Action::Import,
            touched: memories.iter().map(|m| m.id).collect(),
            reasons: vec![reason],
            ..LogEntry::new(id, now, &self.options.user_id, "")
        };
        let expect = memories.iter().map(|m| Expectation { id: m.id, revision: None }).collect();
        // Without vectors: the index makes them as it reads the new memories.
        let set = ChangeSet { expect, memories: memories.clone(), edges, ..ChangeSet::new(entry) };
        self.commit(set).await?.map_err(|_| Error::new(Code::Internal, "an import has no key"))?;
        self.index_all(&memories).await
    }
}

/// Reads and checks every line.
fn parse(text: &str) -> Result<(Vec<Memory>, Vec<Edge>, Vec<LogEntry>)> {
    let (mut memories, mut edges, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    let mut header = false;
    for (n, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let at = |e: Error| Error { message: format!("line {}: {}", n + 1, e.message), ..e };
        let line: Line = json::read(line, "line").map_err(at)?;
        match line {
            Line::Header { format } if format > FORMAT => {
                let message = format!("line {}: the export has format {format}; this version reads {FORMAT}", n + 1);
                return Err(Error::new(Code::VersionTooNew, message));
            }
            Line::Header { .. } => header = true,
            _ if !header => return Err(Error::new(Code::InvalidInput, "line 1: the header is missing")),
            Line::Memory(m) => memories.push(*m),
            Line::Edge(e) => edges.push(e),
            Line::Entry(e) => entries.push(*e),
        }
    }
    if !header {
        return Err(Error::new(Code::InvalidInput, "this is not an export of memfold: it has no header"));
    }
    Ok((memories, edges, entries))
}

/// Every version and edge must lead to a memory that is there, and no chain may run in a circle.
fn check_references(memories: &[Memory], edges: &[Edge], stored: &HashSet<Id>) -> Result<()> {
    let new: std::collections::HashMap<Id, &Memory> = memories.iter().map(|m| (m.id, m)).collect();
    let there = |id: &Id| new.contains_key(id) || stored.contains(id);
    for m in memories {
        let named = [m.previous_version_id, m.superseded_by];
        if let Some(id) = named.into_iter().flatten().find(|id| !there(id)) {
            return Err(Error::new(Code::InvalidInput, format!("memory {} names {id}, which is missing", m.id)));
        }
        let mut next = m.superseded_by;
        for _ in 0..=PAGE.max(memories.len()) {
            match next.and_then(|id| new.get(&id)) {
                Some(n) if n.id == m.id => {
                    let message = format!("the versions of memory {} run in a circle", m.id);
                    return Err(Error::new(Code::InvalidInput, message));
                }
                Some(n) if n.version > m.version => next = n.superseded_by,
                Some(n) => {
                    let message = format!("the versions of memory {} do not ascend to {}", m.id, n.id);
                    return Err(Error::new(Code::InvalidInput, message));
                }
                None => break,
            }
        }
    }
    if let Some(e) = edges.iter().find(|e| !there(&e.from) || !there(&e.to)) {
        return Err(Error::new(Code::InvalidInput, format!("edge {} leads to a memory that is missing", e.id)));
    }
    Ok(())
}
