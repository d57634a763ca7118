//! The `Engine` class of the JavaScript API. Each promise owns a clone of the engine, so that `free()` during a call is
//! safe.

use super::backend::AnyStore;
use super::error::{read, to_js, write};
use super::model::{embedder, model};
use super::options::{ConsolidateOptions, OpenOptions};
use super::platform::Host;
use super::promise::{AbortSignal, gone, promise, start};
use crate::consolidation::{ChangeVerdict, ReviewOptions, When};
use crate::decision::{Mode, Policy};
use crate::embed::HashingEmbedder;
use crate::engine::Slices;
use crate::engine::{
    AddOptions, Cancel, Consolidate, DeleteOptions, IngestOptions, ListOptions, LogQuery, PendingOptions,
    SearchOptions, Turn, compare, compare_judged,
};
use crate::mail::{HostCharset, Piece};
use crate::model::{Draft, Id, Metadata};
use crate::store::DurableStorage;
use crate::{Code, Error, Result, engine};
use async_lock::Mutex;
use js_sys::{Function, Promise};
use serde::Serialize;
use std::rc::Rc;
use tsify::Ts;
use wasm_bindgen::prelude::*;

pub(super) type Inner = engine::Engine<AnyStore>;

/// One user's memory; created by [`open_engine`].
#[wasm_bindgen(js_name = Engine)]
#[derive(Debug)]
pub struct JsEngine(pub(super) Rc<Inner>);

/// Opens a memory. `asked` is the model for uncertain decisions, and `embeds` an additional embedder. `storage` is the
/// storage of a Durable Object, or of the same interface. `told` is called with the changes of each commit.
///
/// # Errors
/// Invalid options, or a store that cannot be opened.
#[wasm_bindgen(js_name = openEngine)]
pub async fn open_engine(
    options: Ts<OpenOptions>,
    asked: Option<js_sys::Object>,
    storage: Option<DurableStorage>,
    embeds: Option<js_sys::Object>,
    told: Option<Function>,
) -> Result<JsEngine, JsValue> {
    let open = async {
        let options: OpenOptions = read(&options.js_value(), "options")?;
        let asked = asked.map(|port| model(&port)).transpose()?;
        let embeds = embeds.map(|port| embedder(&port)).transpose()?;
        let mut engine_options = options.engine()?;
        let store = AnyStore::open(&options, engine_options.zone, storage, told).await?;
        if let (None, Some((_, Some(form)))) = (options.form, &asked) {
            engine_options.form = *form;
        }
        if store.is_in_process() {
            // In-memory data needs no index snapshot.
            engine_options.pack_from = usize::MAX;
        }
        let engine = Inner::open(store, HashingEmbedder, Host, engine_options).await?;
        let engine = match embeds {
            Some(port) => engine.with_embeddings(port).await?,
            None => engine,
        };
        Ok(match asked {
            Some((model, _)) => engine.with_model(model),
            None => engine,
        })
    };
    open.await.map(|inner| JsEngine(Rc::new(inner))).map_err(to_js)
}

/// Decides a pair of drafts as a memory with only `existing` would. Nothing is stored.
///
/// # Errors
/// A draft that breaks a limit.
#[wasm_bindgen(js_name = compareDrafts, unchecked_return_type = "Comparison")]
pub fn compare_drafts(existing: Ts<Draft>, next: Ts<Draft>, mode: Ts<Mode>) -> Result<JsValue, JsValue> {
    let run = || {
        let (existing, next) = (read(&existing.js_value(), "existing")?, read(&next.js_value(), "next")?);
        write(&compare(&existing, &next, &Policy::of(read(&mode.js_value(), "mode")?))?)
    };
    run().map_err(to_js)
}

/// Like `compareDrafts`, but uses the embedder's classification head for uncertain pairs.
///
/// # Errors
/// A draft that breaks a limit, or an invalid embedder.
#[wasm_bindgen(js_name = compareJudged, unchecked_return_type = "Comparison")]
pub async fn compare_with_head(
    existing: Ts<Draft>,
    next: Ts<Draft>,
    mode: Ts<Mode>,
    elsewhere: JsValue,
) -> Result<JsValue, JsValue> {
    let run = async {
        let (existing, next) = (read(&existing.js_value(), "existing")?, read(&next.js_value(), "next")?);
        let (policy, remote) = (Policy::of(read(&mode.js_value(), "mode")?), embedder(&elsewhere)?);
        write(&compare_judged(&existing, &next, &policy, remote.as_ref()).await?)
    };
    run.await.map_err(to_js)
}

pub(super) fn parse_id(text: &str) -> Result<Id> {
    text.parse().map_err(|rule| Error::field("id", rule))
}

/// Converts many values, and yields to the event loop in between.
async fn write_in_slices<T: Serialize>(values: Vec<T>) -> Result<JsValue> {
    let (list, mut slices) = (js_sys::Array::new(), Slices::new(&Host));
    for value in values {
        list.push(&write(&value)?);
        slices.next().await;
    }
    Ok(list.into())
}

fn parse_ids(ids: &JsValue) -> Result<Vec<Id>> {
    let texts: Vec<String> = read(ids, "ids")?;
    texts.iter().map(|text| parse_id(text)).collect()
}

impl JsEngine {
    /// Runs work with the engine as a promise.
    pub(super) fn run<T: Serialize>(&self, work: impl AsyncFnOnce(&Inner) -> Result<T> + 'static) -> Promise {
        let engine = self.0.clone();
        promise(async move { work(&engine).await })
    }

    /// Like `run`, but stops early when the signal fires.
    pub(super) fn run_until<T: Serialize>(
        &self,
        signal: Option<AbortSignal>,
        work: impl AsyncFnOnce(&Inner, Cancel<'_>) -> Result<T> + 'static,
    ) -> Promise {
        self.start(signal, async move |engine, cancel| write(&work(engine, cancel).await?))
    }

    /// Like `run_until`, for work that returns a JavaScript value.
    pub(super) fn start(
        &self,
        signal: Option<AbortSignal>,
        work: impl AsyncFnOnce(&Inner, Cancel<'_>) -> Result<JsValue> + 'static,
    ) -> Promise {
        let engine = self.0.clone();
        start(Box::pin(async move {
            let aborted = || signal.as_ref().is_some_and(AbortSignal::aborted);
            let gone = || gone(signal.as_ref());
            work(&engine, Cancel::when(&aborted).or_when(&gone)).await
        }))
    }
}

#[wasm_bindgen(js_class = Engine)]
impl JsEngine {
    #[wasm_bindgen(unchecked_return_type = "Promise<Receipt>")]
    pub fn consolidate(
        &self,
        draft: Ts<Draft>,
        options: Ts<ConsolidateOptions>,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.run_until(signal, async move |engine, cancel| {
            let given = draft.js_value();
            let sorted = js_sys::Reflect::get(&given, &"category".into()).is_ok_and(|c| !c.is_undefined());
            let draft = engine.read_note(read(&given, "draft")?, sorted)?;
            let options: ConsolidateOptions = read(&options.js_value(), "options")?;
            let ConsolidateOptions { dry_run, key, replaces } = options;
            let how = Consolidate { dry_run, key, replaces, speaker: None, cancel };
            engine.consolidate(draft, &how).await
        })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<MailReceipt>")]
    pub fn add(&self, turns: JsValue, options: Ts<AddOptions>, signal: Option<AbortSignal>) -> Promise {
        self.run_until(signal, async move |engine, cancel| {
            let turns: Vec<Turn> = read(&turns, "turns")?;
            let options = read(&options.js_value(), "options")?;
            engine.add(&turns, &options, cancel).await
        })
    }

    /// Starts an import of mail.
    ///
    /// # Errors
    /// Invalid options.
    pub fn intake(
        &self,
        options: Ts<IngestOptions>,
        signal: Option<AbortSignal>,
        gauges: bool,
    ) -> Result<JsIntake, JsValue> {
        let options: IngestOptions = read(&options.js_value(), "options").map_err(to_js)?;
        options.validate().map_err(to_js)?;
        let trial = if gauges { Trial::Gauge } else { [Trial::None, Trial::Rehearsal][usize::from(options.dry_run)] };
        let state = Rc::new(Mutex::new((self.0.intake(options), None)));
        Ok(JsIntake { engine: self.0.clone(), trial, state, signal: signal.map(Rc::new) })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Hit[]>")]
    pub fn search(&self, text: String, options: Ts<SearchOptions>) -> Promise {
        self.run(async move |engine| engine.search(&text, &read(&options.js_value(), "options")?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Answer>")]
    pub fn answer(&self, text: String, options: Ts<SearchOptions>) -> Promise {
        self.run(async move |engine| engine.answer(&text, &read(&options.js_value(), "options")?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Answered>")]
    pub fn ask(&self, question: String, options: Ts<SearchOptions>, signal: Option<AbortSignal>) -> Promise {
        self.run_until(signal, async move |engine, cancel| {
            let options = read(&options.js_value(), "options")?;
            engine.ask(&question, &options, cancel).await
        })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Memory | null>")]
    pub fn get(&self, memory: String) -> Promise {
        self.run(async move |engine| engine.get(parse_id(&memory)?).await)
    }

    /// Lists memories by ascending id.
    #[wasm_bindgen(unchecked_return_type = "Promise<Memory[]>")]
    pub fn list(&self, options: Ts<ListOptions>) -> Promise {
        self.start(None, async move |engine, _| {
            write_in_slices(engine.listed(&read(&options.js_value(), "options")?).await?).await
        })
    }

    /// All versions of a memory, oldest first. With `when`, only those known or true at that time.
    #[wasm_bindgen(unchecked_return_type = "Promise<Memory[]>")]
    pub fn history(&self, memory: String, when: Ts<When>) -> Promise {
        self.run(async move |engine| engine.history_at(parse_id(&memory)?, &read(&when.js_value(), "options")?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Difference>")]
    pub fn diff(&self, from: String, to: String) -> Promise {
        self.run(async move |engine| engine.diff(parse_id(&from)?, parse_id(&to)?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Related[]>")]
    pub fn related(&self, memory: String) -> Promise {
        self.run(async move |engine| engine.related(parse_id(&memory)?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Edge[]>")]
    pub fn links(&self) -> Promise {
        self.run(async move |engine| engine.links().await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Receipt>")]
    pub fn update(&self, memory: String, content: String, metadata: Ts<Metadata>) -> Promise {
        self.run(async move |engine| {
            engine.update(parse_id(&memory)?, &content, &read(&metadata.js_value(), "metadata")?).await
        })
    }

    /// Log entries; for undone entries, also the ids of the undoing entries.
    #[wasm_bindgen(unchecked_return_type = "Promise<[LogEntry[], [string, string][]]>")]
    pub fn log(&self, query: Ts<LogQuery>) -> Promise {
        self.start(None, async move |engine, _| {
            let query = read(&query.js_value(), "query")?;
            let entries = engine.log(&query).await?;
            let undone = write(&engine.undone_since(&entries).await?)?;
            Ok(js_sys::Array::of2(&write_in_slices(entries).await?, &undone).into())
        })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Sent[]>")]
    pub fn sent(&self, limit: Option<u32>) -> Promise {
        self.run(async move |engine| engine.sent(limit.map(|n| n as usize)).await)
    }

    #[wasm_bindgen(js_name = clearSent, unchecked_return_type = "Promise<null>")]
    pub fn clear_sent(&self) -> Promise {
        self.run(async move |engine| engine.clear_sent().await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Analytics>")]
    pub fn analytics(&self, query: Ts<LogQuery>) -> Promise {
        self.run(async move |engine| engine.analytics(&read(&query.js_value(), "query")?).await)
    }

    #[wasm_bindgen(js_name = askPending, unchecked_return_type = "Promise<PendingReport>")]
    pub fn ask_pending(&self, options: Ts<PendingOptions>, signal: Option<AbortSignal>) -> Promise {
        self.run_until(signal, async move |engine, cancel| {
            let options = read(&options.js_value(), "options")?;
            engine.ask_pending(&options, cancel).await
        })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Usage>")]
    pub fn usage(&self) -> Promise {
        self.run(async move |engine| engine.usage().await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn export(&self) -> Promise {
        // A plain string: encoding megabytes as JSON again would only take time.
        self.start(None, async |engine, _| {
            let (mut whole, mut slices) = (js_sys::JsString::from(""), Slices::new(&Host));
            for piece in engine.export_pieces().await? {
                whole = whole.concat(&piece.into());
                slices.next().await;
            }
            Ok(whole.into())
        })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<ImportReport>")]
    pub fn import(&self, text: String) -> Promise {
        self.run(async move |engine| engine.import(&text).await)
    }

    #[wasm_bindgen(js_name = previewDelete, unchecked_return_type = "Promise<DeletePreview>")]
    pub fn preview_delete(&self, request: String) -> Promise {
        self.run(async move |engine| engine.preview_delete(&request).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<LogEntry>")]
    pub fn delete(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string[]")] ids: JsValue,
        options: Ts<DeleteOptions>,
    ) -> Promise {
        self.run(async move |engine| {
            let (ids, options) = (parse_ids(&ids)?, read(&options.js_value(), "options")?);
            engine.delete(&ids, &options).await
        })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<LogEntry>")]
    pub fn restore(&self, memory: String) -> Promise {
        self.run(async move |engine| engine.restore(parse_id(&memory)?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<LogEntry>")]
    pub fn forget(&self, #[wasm_bindgen(unchecked_param_type = "string[]")] ids: JsValue) -> Promise {
        self.run(async move |engine| engine.forget(&parse_ids(&ids)?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<LogEntry>")]
    pub fn undo(&self, entry: String) -> Promise {
        self.run(async move |engine| engine.undo(parse_id(&entry)?).await)
    }

    #[wasm_bindgen(js_name = undoAll, unchecked_return_type = "Promise<Undone>")]
    pub fn undo_all(&self, #[wasm_bindgen(unchecked_param_type = "string[]")] entries: JsValue) -> Promise {
        self.run(async move |engine| engine.undo_all(&parse_ids(&entries)?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<LogEntry>")]
    pub fn redo(&self, entry: String) -> Promise {
        self.run(async move |engine| engine.redo(parse_id(&entry)?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<ReviewItem[]>")]
    pub fn reviews(&self) -> Promise {
        self.start(None, async |engine, _| write_in_slices(engine.reviews().await?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<LogEntry>")]
    pub fn review(&self, entry: String, verdict: String, options: Ts<ReviewOptions>) -> Promise {
        self.run(async move |engine| {
            engine.review(parse_id(&entry)?, verdict.parse()?, &read(&options.js_value(), "options")?).await
        })
    }

    #[wasm_bindgen(js_name = changesToConfirm, unchecked_return_type = "Promise<ChangeToConfirm[]>")]
    pub fn changes_to_confirm(&self) -> Promise {
        self.run(async move |engine| engine.changes_to_confirm().await)
    }

    #[wasm_bindgen(js_name = settleChange, unchecked_return_type = "Promise<LogEntry>")]
    pub fn settle_change(&self, memory: String, confirms: bool) -> Promise {
        let verdict = if confirms { ChangeVerdict::Confirm } else { ChangeVerdict::Revert };
        self.run(async move |engine| engine.settle_change(parse_id(&memory)?, verdict).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Reembedding>")]
    pub fn reembed(&self, most: u32, signal: Option<AbortSignal>) -> Promise {
        self.run_until(signal, async move |engine, cancel| engine.reembed(most as usize, cancel).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<CheckReport>")]
    pub fn check(&self) -> Promise {
        self.run(async move |engine| engine.check().await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<null>")]
    pub fn close(&self) -> Promise {
        self.run(async move |engine| engine.close().await)
    }
}

/// The kind of dry run of an import.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trial {
    None,
    Rehearsal,
    Gauge,
}

/// Advances an import and returns the messages that are complete.
type NextPieces = Box<dyn FnOnce(&mut engine::Intake) -> Vec<Piece>>;

/// A running import of mail.
#[wasm_bindgen(js_name = Intake)]
#[derive(Debug)]
pub struct JsIntake {
    engine: Rc<Inner>,
    trial: Trial,
    /// The import, and the copy of the engine for a dry run.
    state: Rc<Mutex<(engine::Intake, Option<Inner>)>>,
    signal: Option<Rc<AbortSignal>>,
}

#[wasm_bindgen(js_class = Intake)]
impl JsIntake {
    #[wasm_bindgen(unchecked_return_type = "Promise<MailReceipt[]>")]
    pub fn push(&self, bytes: Vec<u8>) -> Promise {
        self.handle(Box::new(move |intake| intake.push(&bytes)))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<MailReceipt[]>")]
    pub fn finish(&self) -> Promise {
        self.handle(Box::new(engine::Intake::finish))
    }

    /// The results so far.
    ///
    /// # Errors
    /// If a call of `push` or `finish` is still running.
    #[wasm_bindgen(unchecked_return_type = "IngestReport")]
    pub fn report(&self) -> Result<JsValue, JsValue> {
        self.read(|(intake, _)| write(intake.report()))
    }

    /// The estimated model usage so far, for an import started as an estimate.
    ///
    /// # Errors
    /// If a call of `push` or `finish` is still running.
    #[wasm_bindgen(unchecked_return_type = "Estimate")]
    pub fn estimate(&self) -> Result<JsValue, JsValue> {
        self.read(|(intake, copy)| write(&copy.as_ref().unwrap_or(&self.engine).gauged(intake.report())))
    }

    fn read(&self, work: impl FnOnce(&(engine::Intake, Option<Inner>)) -> Result<JsValue>) -> Result<JsValue, JsValue> {
        let busy = || Error::new(Code::Conflict, "the import is busy; await its last call first");
        self.state.try_lock().ok_or_else(busy).and_then(|state| work(&state)).map_err(to_js)
    }

    fn handle(&self, next: NextPieces) -> Promise {
        let (engine, state, signal) = (self.engine.clone(), self.state.clone(), self.signal.clone());
        let trial = self.trial;
        promise(async move {
            let mut state = state.lock().await;
            let (intake, copy) = &mut *state;
            if trial != Trial::None && copy.is_none() {
                let scratch = AnyStore::scratch();
                let made =
                    if trial == Trial::Gauge { engine.gauging(scratch).await } else { engine.rehearsal(scratch).await };
                *copy = Some(made?);
            }
            let original = &engine;
            let engine = copy.as_ref().unwrap_or(&engine);
            let aborted = || signal.as_ref().is_some_and(|s| s.aborted());
            let gone = || gone(signal.as_deref());
            let cancel = Cancel::when(&aborted).or_when(&gone);
            let pieces = next(intake);
            let receipts = engine.ingest_all(intake, pieces, &HostCharset, cancel).await?;
            original.count_pending().await?;
            Ok(receipts)
        })
    }
}
