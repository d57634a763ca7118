//! Mail as it arrives: written line by line, taken in one message after the other or as one mailbox.

use super::kit::Fake;
use futures::executor::block_on;
use memfold::consolidation::LogEntry;
use memfold::decision::Policy;
use memfold::embed::HashingEmbedder;
use memfold::engine::{Cancel, Engine, IngestOptions, MailReceipt, Options};
use memfold::mail::HostCharset;
use memfold::model::Memory;
use memfold::store::MemoryStore;

pub type Owned = Engine;

/// The memory of me@example.org, whose clock stands at New Year 2026.
pub fn mine() -> Owned {
    with(|_| {})
}

pub fn with(change: impl FnOnce(&mut Options)) -> Owned {
    later(1, change)
}

/// The same, its clock this many milliseconds after New Year 2026.
pub fn later(by: u64, change: impl FnOnce(&mut Options)) -> Owned {
    let mut options = Options { policy: Policy::BALANCED, owner: vec!["me@example.org".into()], ..Options::default() };
    change(&mut options);
    block_on(Engine::open(MemoryStore::default(), HashingEmbedder, Fake::from(by), options)).unwrap()
}

/// A mail of these header lines and this text; without a Date of its own, of 20 February 2025.
pub fn mail(id: u32, head: &str, text: &str) -> String {
    let date = if head.contains("Date:") { "" } else { "Date: Thu, 20 Feb 2025 09:00:00 +0000\r\n" };
    format!(
        "{}\r\n{date}Message-ID: <{id}@x.example>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n",
        head.trim_end()
    )
}

pub fn ingest(m: &Owned, raw: impl AsRef<[u8]>, options: IngestOptions) -> Vec<MailReceipt> {
    let mut intake = m.intake(options);
    let mut pieces = intake.push(raw.as_ref());
    pieces.extend(intake.finish());
    let one = |piece| block_on(m.ingest_all(&mut intake, vec![piece], &HostCharset, Cancel::default())).unwrap();
    pieces.into_iter().flat_map(one).collect()
}

/// Takes one message in and gives the entries of what it taught.
pub fn read(m: &Owned, raw: &str) -> Vec<LogEntry> {
    let receipts = ingest(m, raw, IngestOptions::default());
    receipts.into_iter().flat_map(|r| r.receipts).map(|r| r.entry).collect()
}

/// What is known now.
pub fn current(m: &Owned) -> Vec<Memory> {
    block_on(m.list(None, 1_000, false)).unwrap()
}
