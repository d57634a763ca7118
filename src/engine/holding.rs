//! A hub that keeps for its clients what it cannot read: a chain of sealed steps, and the records that they wrote.
//!
//! It judges nothing that is sealed: a step is appended where it follows the last one, and a record replaces what had its
//! name, so that what a client has replaced or forgotten is gone here as well.

use super::{Engine, Platform};
use crate::consolidation::{Record, SEALED_FORMAT, Sealed, Shelf};
use crate::embed::Embedder;
use crate::store::Store;
use crate::{Code, Error, Result, json};
use serde::{Deserialize, Serialize};

/// Bytes after which no further step goes into an answer.
const ANSWER: usize = 4 * 1024 * 1024;
/// Records in one step.
const MOST: usize = 20_000;
/// Where the number of the last step stands.
const HEAD: &str = "head";
/// Where it is noted which key clients seal with.
const KEY: &str = "key";

#[derive(Serialize, Deserialize)]
struct Step {
    sealed: String,
    /// The names of what it wrote.
    names: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Held {
    /// The step that wrote it.
    at: u64,
    sealed: String,
}

impl<S: Store, E: Embedder, P: Platform> Engine<S, E, P> {
    /// As a hub: appends the step that a client brings, if it follows the last one, and answers with what comes after
    /// what the client has seen, a page of it. A client whose step was not appended finds later ones in the answer.
    ///
    /// # Errors
    /// [`Code::VersionTooNew`]; [`Code::WrongKey`]; [`Code::InvalidField`]; those of the store.
    pub async fn hold(&self, told: Sealed) -> Result<Sealed> {
        checked(&told)?;
        let _turn = self.turn.lock().await;
        self.same_key(Some(&told.key)).await?;
        let stored = self.store.record(Shelf::Held, HEAD).await?;
        let head: u64 = stored.as_deref().map(read).transpose()?.unwrap_or_default();
        if let ([sealed], true) = (&told.steps[..], told.after == head) {
            let (at, names) = (head + 1, told.records.iter().map(|(name, _)| name.clone()).collect());
            let mut records = vec![
                Record { expect: Some(stored), ..held(HEAD, &at)? },
                held(&step_key(at), &Step { sealed: sealed.clone(), names })?,
            ];
            for (name, sealed) in told.records {
                records.push(held(&record_key(&name), &Held { at, sealed })?);
            }
            self.store.keep(records).await?;
            return Ok(Sealed { head: at, steps: Vec::new(), records: Vec::new(), ..told });
        }
        self.page(Sealed { head, steps: Vec::new(), records: Vec::new(), ..told }).await
    }

    /// Refuses another key than the one that clients of this hub have sealed with before; notes the first.
    pub(super) async fn same_key(&self, key: Option<&str>) -> Result<()> {
        let known: Option<String> = self.store.record(Shelf::Held, KEY).await?.as_deref().map(read).transpose()?;
        match (known.as_deref(), key) {
            (None, Some(key)) => self.store.keep(vec![held(KEY, &key)?]).await,
            (known, key) if known == key => Ok(()),
            _ => Err(Error::new(Code::WrongKey, "what is here was sealed with another key")),
        }
    }

    /// The steps after a number with what they wrote, until they fill an answer.
    async fn page(&self, mut answer: Sealed) -> Result<Sealed> {
        let mut size = 0;
        for at in answer.after + 1..=answer.head {
            let missing = || Error::new(Code::Corrupt, format!("step {at} is missing"));
            let stored = self.store.record(Shelf::Held, &step_key(at)).await?.ok_or_else(missing)?;
            let Step { sealed, names } = read(&stored)?;
            size += sealed.len();
            answer.steps.push(sealed);
            let keys: Vec<String> = names.iter().map(|name| record_key(name)).collect();
            for (name, stored) in names.into_iter().zip(self.store.each_record(Shelf::Held, &keys).await?) {
                let Some(held) = stored.as_deref().map(read::<Held>).transpose()?.filter(|held| held.at == at) else {
                    continue;
                };
                size += held.sealed.len();
                answer.records.push((name, held.sealed));
            }
            if size > ANSWER {
                break;
            }
        }
        Ok(answer)
    }
}

fn checked(told: &Sealed) -> Result<()> {
    if told.format > SEALED_FORMAT {
        let message = format!("what is sealed has format {}; this version keeps {SEALED_FORMAT}", told.format);
        return Err(Error::new(Code::VersionTooNew, message));
    }
    let plain = |text: &str, most: usize| {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        (1..=most).contains(&text.len()) && text.chars().all(fits)
    };
    let fields = [
        ("format", told.format == SEALED_FORMAT, "is of a format that is not kept any more"),
        ("key", plain(&told.key, 64), "is not the name of a key"),
        ("steps", told.steps.len() <= 1, "are more than one"),
        ("steps", told.steps.iter().all(|s| plain(s, usize::MAX)), "are not sealed"),
        ("records", told.records.len() <= MOST * told.steps.len(), "are more than a step may write"),
        ("records", told.records.iter().all(|(n, s)| plain(n, 64) && plain(s, usize::MAX)), "are not sealed"),
    ];
    match fields.iter().find(|(_, holds, _)| !holds) {
        Some((field, _, rule)) => Err(Error::field(*field, rule)),
        None => Ok(()),
    }
}

fn held(key: &str, value: &impl Serialize) -> Result<Record> {
    let value = Some(json::write(value)?.into_bytes());
    Ok(Record { shelf: Shelf::Held, key: key.to_owned(), value, expect: None })
}

fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    json::read(&String::from_utf8_lossy(bytes), "held")
}

fn step_key(at: u64) -> String {
    format!("step/{at:016x}")
}

fn record_key(name: &str) -> String {
    format!("record/{name}")
}
