//! Export and import as JSON Lines: a header, then memories, edges and log entries, one per line.

use super::browsing::Slices;
use super::{Engine, LogQuery, retried};
use crate::consolidation::{
    Action, ChangeSet, Expectation, LogEntry, Rule, Standing, Trigger, check, join, may_repeat, unify,
};
use crate::decision::Reason;
use crate::model::{Edge, Id, Memory, NodeType, Zone};
use crate::{Code, Error, Result, json};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

const FORMAT: u32 = 2;

/// One line of an export, such as `{"memory":{…}}`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ExportLine {
    Header {
        format: u32,
        /// The number of records that follow, to detect a truncated text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        records: Option<u32>,
    },
    Memory(Box<Memory>),
    Edge(Edge),
    Entry(Box<LogEntry>),
    /// An application's own data, which an import skips.
    #[serde(skip_serializing)]
    App(IgnoredAny),
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// New memories.
    pub memories: u32,
    /// New edges.
    pub edges: u32,
    /// New log entries.
    pub entries: u32,
    /// Records that existed before.
    pub known: u32,
    /// Stored memories whose position in their chain changed.
    pub moved: u32,
    /// The log entries of the import, in the order to undo them.
    pub undo: Vec<Id>,
}

const EXPORT_PIECE: usize = 1 << 20;
type Exported = (Vec<Memory>, Vec<Edge>, Vec<LogEntry>);

impl Engine {
    /// Exports the whole store as JSON Lines, without vectors; an import computes them again. The pieces of about a
    /// megabyte can be processed one by one.
    pub async fn export_pieces(&self) -> Result<Vec<String>> {
        // No commit may happen between two pages.
        let _turn = self.mirror.turn.lock().await;
        let (memories, edges) = (self.everything().await?, self.all_edges().await?);
        let log = self.log_since(0).await?;
        let records = Some((memories.len() + edges.len() + log.len()) as u32);
        let mut pieces = vec![json::write(&ExportLine::Header { format: FORMAT, records })? + "\n"];
        let memories = memories.into_iter().map(|m| ExportLine::Memory(Box::new(m)));
        let edges = edges.into_iter().map(ExportLine::Edge);
        let log = log.into_iter().map(|e| ExportLine::Entry(Box::new(e)));
        let mut slices = self.slices();
        for line in memories.chain(edges).chain(log) {
            let line = json::write(&line)?;
            match pieces.last_mut().filter(|piece| piece.len() < EXPORT_PIECE) {
                Some(piece) => piece.push_str(&line),
                None => pieces.push(line),
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push('\n');
            }
            slices.next().await;
        }
        Ok(pieces)
    }

    /// Imports an export. Existing records stay as they are; a version new to a stored chain is inserted into it.
    /// Nothing forgotten or removed here is restored. The text and the result are checked before anything is written.
    pub async fn import(&self, text: &str) -> Result<ImportReport> {
        let mut slices = self.slices();
        let exported = parse(text, self.options.zone, &mut slices).await?;
        let _turn = self.mirror.turn.lock().await;
        retried(async || {
            self.catch_up().await?;
            self.import_once(exported.clone(), &mut slices).await
        })
        .await
    }

    async fn import_once(&self, exported: Exported, slices: &mut Slices<'_>) -> Result<ImportReport> {
        let (mut memories, mut edges, mut entries) = exported;
        let base = self.mirror.seen();
        let total = memories.len() + edges.len() + entries.len();
        let here = self.everything().await?;
        let links = self.all_edges().await?;
        let log = self.log(&LogQuery::default()).await?;
        unify(&mut memories, &mut edges, &mut entries, &log);
        let joined = join(&here, memories, self.join_rules());
        let written = || joined.fresh.iter().chain(&joined.grown);
        let stored: HashSet<Id> = here.iter().map(|m| m.id).collect();
        // Memories forgotten on either side lose their edges and the texts of their log entries.
        let forgotten: Vec<Memory> = here.iter().chain(written()).filter(|m| m.is_forgotten()).cloned().collect();
        let linked: HashSet<Id> = links.iter().chain(log.iter().flat_map(|e| &e.edges_before)).map(|e| e.id).collect();
        let lost = |e: &Edge| forgotten.iter().any(|m| m.id == e.from || m.id == e.to);
        let pairs: HashSet<(Id, Id)> = links.iter().map(|e| (e.from, e.to)).collect();
        let same = |e: &Edge| pairs.contains(&(e.from, e.to));
        let edges: Vec<Edge> = edges.into_iter().filter(|e| !linked.contains(&e.id) && !lost(e) && !same(e)).collect();
        let logged: HashSet<Id> = log.iter().map(|e| e.id).collect();
        // An erasure elsewhere does not apply to memories that are stored here.
        let alive = |id: &Id| stored.contains(id) && forgotten.iter().all(|m| m.id != *id);
        let ours = |e: &LogEntry| e.action == Action::Forget && e.written().any(|id| alive(&id));
        let mut known = logged.clone();
        let mut entries: Vec<LogEntry> = entries.into_iter().filter(|e| known.insert(e.id) && !ours(e)).collect();
        clear_foreign_effects(
            &mut entries,
            stored.iter().copied().chain(joined.grown.iter().map(|m| m.id)).collect(),
            &logged,
        );
        let after: Vec<Memory> = {
            let changed: HashSet<Id> = written().map(|m| m.id).collect();
            here.into_iter().filter(|m| !changed.contains(&m.id)).chain(written().cloned()).collect()
        };
        let told: Vec<LogEntry> = log.iter().chain(&entries).cloned().collect();
        let new: HashSet<Id> = written().map(|m| m.id).chain(entries.iter().map(|e| e.id)).collect();
        check_result(&after, &edges, &told, new, slices).await?;

        let mut report = ImportReport {
            memories: written().filter(|m| !stored.contains(&m.id)).count() as u32,
            edges: edges.len() as u32,
            moved: joined.before.len() as u32,
            ..ImportReport::default()
        };
        // Old entries come first, so that the import's own entries end the log. All is one transaction: entries without
        // their memories would make a mail count as handled that taught nothing.
        let mut used: HashSet<String> = log.iter().filter_map(|e| e.key.clone()).collect();
        entries.retain(|e| e.key.clone().is_none_or(|key| used.insert(key)));
        report.entries = entries.len() as u32;
        let repeats = |entry: &LogEntry| may_repeat(entry, &forgotten);
        let entries = entries.into_iter().map(|e| if repeats(&e) { e.redact().into_entry() } else { e });
        let mut sets: Vec<ChangeSet> = entries.map(|e| ChangeSet { key: e.key.clone(), ..ChangeSet::new(e) }).collect();
        let fresh: HashSet<Id> = joined.fresh.iter().map(|m| m.id).collect();
        let (own, others): (Vec<Edge>, Vec<Edge>) =
            edges.into_iter().partition(|e| fresh.contains(&e.from) && fresh.contains(&e.to));
        // New chains and changed chains get an entry each, to be undone separately.
        for (memories, before, edges) in [(joined.fresh, Vec::new(), own), (joined.grown, joined.before, others)] {
            if !memories.is_empty() || !edges.is_empty() {
                let set = self.plan_import(memories, before, edges);
                report.undo.insert(0, set.entry.id);
                sets.push(set);
            }
        }
        report.known = total as u32 - report.memories - report.edges - report.entries;
        self.commit_all(sets, base).await?;
        Ok(report)
    }

    fn plan_import(&self, memories: Vec<Memory>, before: Vec<Standing>, edges: Vec<Edge>) -> ChangeSet {
        let stood = |id: Id| before.iter().any(|s| s.id == id);
        let new = memories.iter().filter(|m| !stood(m.id)).count() as u32;
        let reason = Reason::Imported { memories: new, edges: edges.len() as u32 };
        // A stored memory was raised by one revision; a new one must not exist.
        let expect = |m: &Memory| Expectation { id: m.id, revision: stood(m.id).then(|| m.revision - 1) };
        let expect = memories.iter().map(expect).collect();
        let entry = LogEntry {
            action: Action::Import,
            trigger: Some(Trigger::Import),
            touched: memories.iter().map(|m| m.id).collect(),
            before,
            reasons: vec![reason],
            ..self.new_entry("")
        };
        ChangeSet { expect, memories, edges, ..ChangeSet::new(entry) }
    }
}

async fn parse(text: &str, zone: Zone, slices: &mut Slices<'_>) -> Result<Exported> {
    let (mut memories, mut edges, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    let (mut header, mut expected, mut read) = (None, None, 0);
    for (n, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let at = |mut e: Error| {
            e.message = format!("line {}: {}", n + 1, e.message);
            e
        };
        let line: ExportLine = json::read(line, "line").map_err(at)?;
        match line {
            ExportLine::Header { format, .. } if format > FORMAT => {
                let message = format!("line {}: the export has format {format}; this version reads {FORMAT}", n + 1);
                return Err(Error::new(Code::VersionTooNew, message));
            }
            ExportLine::Header { format, records } => {
                header = Some(format);
                expected = records.map(|n| n + expected.unwrap_or(0)).or(expected);
                continue;
            }
            ExportLine::App(_) => continue,
            _ if header.is_none() => return Err(Error::new(Code::InvalidInput, "line 1: the header is missing")),
            ExportLine::Memory(m) => {
                if !m.is_forgotten() && m.node_type == NodeType::Memory {
                    m.validate().map_err(at)?;
                }
                memories.push(if header == Some(1) { m.of_format_1(zone) } else { *m });
            }
            ExportLine::Edge(e) => edges.push(e),
            ExportLine::Entry(e) => entries.push(*e),
        }
        read += 1;
        slices.next().await;
    }
    if header.is_none() {
        return Err(Error::new(Code::InvalidInput, "this is not a memfold export: the header is missing"));
    }
    if let Some(expected) = expected.filter(|n| *n != read) {
        let message = format!("the export is incomplete: it has {read} of {expected} records");
        return Err(Error::new(Code::InvalidInput, message));
    }
    Ok((memories, edges, entries))
}

/// Clears the recorded effects on stored memories and those connected with them, as they happened elsewhere.
fn clear_foreign_effects(entries: &mut [LogEntry], mut known: HashSet<Id>, logged: &HashSet<Id>) {
    let meets = |e: &LogEntry, known: &HashSet<Id>| {
        let linked = e.before.iter().flat_map(|s| [s.previous_version_id, s.superseded_by, s.contradicted_by]);
        e.touched.iter().copied().chain(linked.flatten()).any(|id| known.contains(&id))
    };
    loop {
        let before = known.len();
        for e in entries.iter() {
            if meets(e, &known) {
                known.extend(&e.touched);
            }
        }
        if known.len() == before {
            break;
        }
    }
    for e in entries {
        if meets(e, &known) {
            e.touched.clear();
            e.before.clear();
        }
        if e.action == Action::Undo {
            e.about = e.about.filter(|id| !logged.contains(id));
        }
    }
}

async fn check_result(
    after: &[Memory],
    edges: &[Edge],
    log: &[LogEntry],
    mut new: HashSet<Id>,
    slices: &mut Slices<'_>,
) -> Result<()> {
    new.extend(edges.iter().map(|e| e.id));
    for problems in check(after, edges, log) {
        let problem = problems.into_iter().find(|p| {
            let of_what =
                matches!(p.rule, Rule::Chain | Rule::Reference | Rule::Edge | Rule::Forgotten | Rule::Written);
            of_what && p.id.is_some_and(|id| new.contains(&id))
        });
        if let Some(p) = problem {
            let id = p.id.map(|id| id.to_string()).unwrap_or_default();
            return Err(Error::new(Code::InvalidInput, format!("{id} {}", p.message)));
        }
        slices.next().await;
    }
    Ok(())
}
