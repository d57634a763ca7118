//! The `Engine` class of the JavaScript API. Each promise owns a clone of the engine, so that `free()` during a call is
//! safe.

use super::error::{read, read_as, to_js, write};
use super::model::{embedder, model};
use super::net::Net;
use super::options::{ConsolidateOptions, OpenOptions, SessionOptions};
use super::platform::Host;
use super::promise::{AbortSignal, gone, promise, start};
use crate::consolidation::{ChangeVerdict, Feed, LogEntry, ReviewOptions, When};
use crate::decision::{Mode, Policy};
use crate::embed::HashingEmbedder;
use crate::endpoint::checked_address;
use crate::engine::{
    AddOptions, Cancel, CommitListener, Consolidate, DeleteOptions, Engine, IngestOptions, ListOptions, LogQuery,
    NodeQuery, Platform, SearchOptions, SleepOptions, Slices, Turn, compare_judged,
};
use crate::mail::{HostCharset, Piece};
use crate::model::{Draft, Id, Metadata};
use crate::store::{HostStorage, HostStore, MemoryStore};
use crate::{Code, Error, Result, engine};
use async_lock::Mutex;
use js_sys::{Function, Promise};
use serde::Serialize;
use serde_json::json;
use std::rc::Rc;
use tsify::Ts;
use wasm_bindgen::prelude::*;

/// One user's memory; created by [`open_engine`].
#[wasm_bindgen(js_name = Engine)]
#[derive(Debug)]
pub struct JsEngine(pub(super) Rc<Engine>);

/// Opens a memory. `asked` is the model for uncertain decisions, and `embeds` an additional embedder. `storage` is the
/// host's store; without one, memories are only in this process. `told` is called with the changes of each commit.
#[wasm_bindgen(js_name = openEngine)]
pub async fn open_engine(
    options: Ts<OpenOptions>,
    asked: Option<js_sys::Object>,
    storage: Option<HostStorage>,
    embeds: Option<js_sys::Object>,
    told: Option<Function>,
) -> Result<JsEngine, JsValue> {
    let open = async {
        let options: OpenOptions = read_as(&options, "options")?;
        let asked = asked.map(|port| model(&port, None)).transpose()?;
        let embeds = embeds.map(|port| embedder(&port)).transpose()?;
        let mut engine_options = options.engine()?;
        if let (None, Some((_, Some(form)))) = (options.form, &asked) {
            engine_options.form = *form;
        }
        let engine = match storage {
            Some(storage) => {
                let store = HostStore::open(storage, engine_options.zone, Host.now()).await?;
                Engine::open(store, HashingEmbedder, Host, engine_options).await?
            }
            None => {
                // In-memory data needs no index snapshot.
                engine_options.pack_from = usize::MAX;
                Engine::open(MemoryStore::default(), HashingEmbedder, Host, engine_options).await?
            }
        };
        let engine = match told {
            Some(told) => engine.with_listener(Rc::new(HostListener(told))),
            None => engine,
        };
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

#[derive(Debug)]
struct HostListener(Function);

impl CommitListener for HostListener {
    fn committed(&self, entries: &[LogEntry]) {
        let written = |e: &LogEntry| {
            let LogEntry { seq, id, action, decision, touched, .. } = e;
            json!({ "seq": seq, "entry": id, "action": action, "decision": decision, "ids": touched })
        };
        if let Ok(value) = write(&entries.iter().map(written).collect::<Vec<_>>()) {
            let _ = self.0.call1(&JsValue::UNDEFINED, &value);
        }
    }
}

/// Decides a pair of drafts as a memory with only `existing` would. Nothing is stored. The classification head of
/// `embeds` is asked about an uncertain pair.
#[wasm_bindgen(js_name = compareDrafts, unchecked_return_type = "Comparison")]
pub async fn compare_drafts(
    existing: Ts<Draft>,
    next: Ts<Draft>,
    mode: Ts<Mode>,
    embeds: Option<js_sys::Object>,
) -> Result<JsValue, JsValue> {
    let run = async {
        let (existing, next) = (read_as(&existing, "existing")?, read_as(&next, "next")?);
        let (policy, remote) = (Policy::of(read_as(&mode, "mode")?), embeds.map(|port| embedder(&port)).transpose()?);
        write(&compare_judged(&existing, &next, &policy, remote.as_deref()).await?)
    };
    run.await.map_err(to_js)
}

pub(super) fn parse_id(text: &str) -> Result<Id> {
    text.parse().map_err(|rule| Error::field("id", rule))
}

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
    pub(super) fn run<T: Serialize>(&self, work: impl AsyncFnOnce(&Engine) -> Result<T> + 'static) -> Promise {
        let engine = self.0.clone();
        promise(async move { work(&engine).await })
    }

    pub(super) fn run_until<T: Serialize>(
        &self,
        signal: Option<AbortSignal>,
        work: impl AsyncFnOnce(&Engine, Cancel<'_>) -> Result<T> + 'static,
    ) -> Promise {
        self.start(signal, async move |engine, cancel| write(&work(engine, cancel).await?))
    }

    pub(super) fn start(
        &self,
        signal: Option<AbortSignal>,
        work: impl AsyncFnOnce(&Engine, Cancel<'_>) -> Result<JsValue> + 'static,
    ) -> Promise {
        let engine = self.0.clone();
        start(Box::pin(async move {
            let aborted = || signal.as_ref().is_some_and(AbortSignal::aborted);
            let gone = || gone(signal.as_ref());
            work(&engine, Cancel::when(&aborted).or_when(&gone)).await
        }))
    }
}

/// Defines methods of `Engine` that run one call as a promise, with an abort signal if a `signal` is named.
macro_rules! methods {
    ($($js:ident = $name:ident($($(#[$of:meta])? $arg:ident: $type:ty),* $(; $signal:ident)?) -> $gives:literal, $work:expr;)+) => {
        #[wasm_bindgen(js_class = Engine)]
        impl JsEngine {
            $(#[wasm_bindgen(js_name = $js, unchecked_return_type = $gives)]
            pub fn $name(&self, $($(#[$of])? $arg: $type,)* $($signal: Option<AbortSignal>)?) -> Promise {
                methods!(@run self, $work $(, $signal)?)
            })+
        }
    };
    (@run $engine:tt, $work:expr) => { $engine.run($work) };
    (@run $engine:tt, $work:expr, $signal:ident) => { $engine.run_until($signal, $work) };
}

methods! {
    consolidate = consolidate(draft: Ts<Draft>, options: Ts<ConsolidateOptions>; signal) -> "Promise<Receipt>",
        async move |engine, cancel| {
            let sorted = js_sys::Reflect::get(&draft.js_value(), &"category".into()).is_ok_and(|c| !c.is_undefined());
            let draft = engine.read_note(read_as(&draft, "draft")?, sorted)?;
            let ConsolidateOptions { dry_run, key, replaces } = read_as(&options, "options")?;
            engine.consolidate(draft, &Consolidate { dry_run, key, replaces, speaker: None, cancel }).await
        };
    add = add(turns: JsValue, options: Ts<AddOptions>; signal) -> "Promise<MailReceipt>", async move |engine, cancel| {
        let turns: Vec<Turn> = read(&turns, "turns")?;
        engine.add(&turns, &read_as(&options, "options")?, cancel).await
    };
    search = search(text: String, options: Ts<SearchOptions>) -> "Promise<Hit[]>",
        async move |engine| engine.search(&text, &read_as(&options, "options")?).await;
    answer = answer(text: String, options: Ts<SearchOptions>) -> "Promise<Answer>",
        async move |engine| engine.answer(&text, &read_as(&options, "options")?).await;
    ask = ask(question: String, options: Ts<SearchOptions>; signal) -> "Promise<Answered>",
        async move |engine, cancel| engine.ask(&question, &read_as(&options, "options")?, cancel).await;
    get = get(memory: String) -> "Promise<Memory | null>", async move |engine| engine.get(parse_id(&memory)?).await;
    history = history(memory: String, when: Ts<When>) -> "Promise<Memory[]>",
        async move |engine| engine.history_at(parse_id(&memory)?, &read_as(&when, "options")?).await;
    related = related(memory: String) -> "Promise<Related[]>",
        async move |engine| engine.related(parse_id(&memory)?).await;
    links = links() -> "Promise<Edge[]>", async move |engine| engine.links().await;
    update = update(memory: String, content: String, metadata: Ts<Metadata>) -> "Promise<Receipt>",
        async move |engine| engine.update(parse_id(&memory)?, &content, &read_as(&metadata, "metadata")?).await;
    sent = sent(limit: Option<u32>) -> "Promise<Sent[]>",
        async move |engine| engine.sent(limit.map(|n| n as usize)).await;
    clearSent = clear_sent() -> "Promise<null>", async move |engine| engine.clear_sent().await;
    analytics = analytics(query: Ts<LogQuery>) -> "Promise<Analytics>",
        async move |engine| engine.analytics(&read_as(&query, "query")?).await;
    usage = usage() -> "Promise<Usage>", async move |engine| engine.usage().await;
    import = import(text: String) -> "Promise<ImportReport>", async move |engine| engine.import(&text).await;
    previewDelete = preview_delete(request: String) -> "Promise<DeletePreview>",
        async move |engine| engine.preview_delete(&request).await;
    delete = delete(#[wasm_bindgen(unchecked_param_type = "string[]")] ids: JsValue, options: Ts<DeleteOptions>)
        -> "Promise<LogEntry>",
        async move |engine| engine.delete(&parse_ids(&ids)?, &read_as(&options, "options")?).await;
    restore = restore(memory: String) -> "Promise<LogEntry>",
        async move |engine| engine.restore(parse_id(&memory)?).await;
    forget = forget(#[wasm_bindgen(unchecked_param_type = "string[]")] ids: JsValue) -> "Promise<LogEntry>",
        async move |engine| engine.forget(&parse_ids(&ids)?).await;
    undo = undo(entry: String) -> "Promise<LogEntry>", async move |engine| engine.undo(parse_id(&entry)?).await;
    undoAll = undo_all(#[wasm_bindgen(unchecked_param_type = "string[]")] entries: JsValue) -> "Promise<Undone>",
        async move |engine| engine.undo_all(&parse_ids(&entries)?).await;
    redo = redo(entry: String) -> "Promise<LogEntry>", async move |engine| engine.redo(parse_id(&entry)?).await;
    review = review(entry: String, verdict: String, options: Ts<ReviewOptions>) -> "Promise<LogEntry>",
        async move |engine| engine.review(parse_id(&entry)?, verdict.parse()?, &read_as(&options, "options")?).await;
    changesToConfirm = changes_to_confirm() -> "Promise<ChangeToConfirm[]>",
        async move |engine| engine.changes_to_confirm().await;
    settleChange = settle_change(memory: String, confirms: bool) -> "Promise<LogEntry>", async move |engine| {
        let verdict = if confirms { ChangeVerdict::Confirm } else { ChangeVerdict::Revert };
        engine.settle_change(parse_id(&memory)?, verdict).await
    };
    upsertQuery = upsert_query(text: String, options: Ts<SessionOptions>) -> "Promise<Memory>",
        async move |engine| engine.upsert_query(&text, read_as(&options, "options")?.session()).await;
    upsertTag = upsert_tag(name: String, options: Ts<SessionOptions>) -> "Promise<Memory>",
        async move |engine| engine.upsert_tag(&name, read_as(&options, "options")?.session()).await;
    linkTagToQuery = link_tag_to_query(tag: String, query: String, options: Ts<SessionOptions>) -> "Promise<Edge>",
        async move |engine| {
            let options = read_as(&options, "options")?;
            let weight = options.weight.unwrap_or(0.5);
            engine.link_tag_to_query(parse_id(&tag)?, parse_id(&query)?, weight, options.session()).await
        };
    getEdges = get_edges(node: String, options: Ts<SessionOptions>) -> "Promise<Edge[]>", async move |engine| {
        engine.edges_at(parse_id(&node)?, read_as(&options, "options")?.session.as_deref()).await
    };
    nodes = nodes(query: Ts<NodeQuery>) -> "Promise<NodeHit[]>",
        async move |engine| engine.nodes(&read_as(&query, "query")?).await;
    feedback = feedback(memory: String, word: String, options: Ts<SessionOptions>) -> "Promise<Memory>",
        async move |engine| {
            let options = read_as(&options, "options")?;
            let up = match word.as_str() {
                "up" => true,
                "down" => false,
                _ => return Err(Error::field("word", "is not `up` or `down`")),
            };
            let within = options.query.as_deref().map(|_| options.session());
            engine.feedback(parse_id(&memory)?, up, options.query.as_deref(), within).await
        };
    waitForTagging = wait_for_tagging(options: Ts<SessionOptions>) -> "Promise<Memory[]>",
        async move |engine| engine.wait_for_tagging(read_as(&options, "options")?.session()).await;
    finalizeSession = finalize_session(options: Ts<SessionOptions>) -> "Promise<Finalized>",
        async move |engine| engine.finalize_session(read_as(&options, "options")?.session()).await;
    collectMergeCandidates = collect_merge_candidates(options: Ts<SleepOptions>) -> "Promise<MergeCandidates[]>",
        async move |engine| engine.collect_merge_candidates(&read_as(&options, "options")?).await;
    runSleepCycle = run_sleep_cycle(options: Ts<SleepOptions>; signal) -> "Promise<SleepReport>",
        async move |engine, cancel| engine.run_sleep_cycle(&read_as(&options, "options")?, cancel).await;
    pulse = pulse(days: u32) -> "Promise<Pulse>", async move |engine| engine.pulse(days).await;
    changes = changes(hub: String) -> "Promise<Feed>", async move |engine| engine.changes(&hub).await;
    apply = apply(feed: Ts<Feed>) -> "Promise<Feed>", async move |engine| engine.apply(read_as(&feed, "feed")?).await;
    settle = settle(hub: String, upto: f64, answer: Ts<Feed>) -> "Promise<boolean>",
        async move |engine| engine.settle(&hub, upto as u64, read_as(&answer, "answer")?).await;
    checkAddress = check_address(url: String) -> "Promise<void>",
        async move |_| checked_address(&Net, &url, "url").map(drop);
    reembed = reembed(most: u32; signal) -> "Promise<Reembedding>",
        async move |engine, cancel| engine.reembed(most as usize, cancel).await;
    check = check() -> "Promise<CheckReport>", async move |engine| engine.check().await;
    close = close() -> "Promise<null>", async move |engine| engine.close().await;
}

#[wasm_bindgen(js_class = Engine)]
impl JsEngine {
    pub fn intake(
        &self,
        options: Ts<IngestOptions>,
        signal: Option<AbortSignal>,
        gauges: bool,
    ) -> Result<JsIntake, JsValue> {
        let options: IngestOptions = read_as(&options, "options").map_err(to_js)?;
        options.validate().map_err(to_js)?;
        let trial = (gauges || options.dry_run).then_some(gauges);
        let state = Rc::new(Mutex::new((self.0.intake(options), None)));
        Ok(JsIntake { engine: self.0.clone(), trial, state, signal: signal.map(Rc::new) })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Memory[]>")]
    pub fn list(&self, options: Ts<ListOptions>) -> Promise {
        self.start(None, async move |engine, _| {
            write_in_slices(engine.listed(&read_as(&options, "options")?).await?).await
        })
    }

    /// Log entries; for undone entries, also the ids of the undoing entries.
    #[wasm_bindgen(unchecked_return_type = "Promise<[LogEntry[], [string, string][]]>")]
    pub fn log(&self, query: Ts<LogQuery>) -> Promise {
        self.start(None, async move |engine, _| {
            let entries = engine.log(&read_as(&query, "query")?).await?;
            let undone = write(&engine.undone_since(&entries).await?)?;
            Ok(js_sys::Array::of2(&write_in_slices(entries).await?, &undone).into())
        })
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

    #[wasm_bindgen(unchecked_return_type = "Promise<ReviewItem[]>")]
    pub fn reviews(&self) -> Promise {
        self.start(None, async |engine, _| write_in_slices(engine.reviews().await?).await)
    }
}

type NextPieces = Box<dyn FnOnce(&mut engine::Intake) -> Vec<Piece>>;

#[wasm_bindgen(js_name = Intake)]
#[derive(Debug)]
pub struct JsIntake {
    engine: Rc<Engine>,
    /// For a trial on a copy of the engine: whether the copy counts model calls instead of sending them.
    trial: Option<bool>,
    state: Rc<Mutex<(engine::Intake, Option<Engine>)>>,
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

    #[wasm_bindgen(unchecked_return_type = "IngestReport")]
    pub fn report(&self) -> Result<JsValue, JsValue> {
        self.read(|(intake, _)| write(intake.report()))
    }

    /// The estimated model usage so far, for an import started as an estimate.
    #[wasm_bindgen(unchecked_return_type = "Estimate")]
    pub fn estimate(&self) -> Result<JsValue, JsValue> {
        self.read(|(intake, copy)| write(&copy.as_ref().unwrap_or(&self.engine).gauged(intake.report())))
    }

    fn read(
        &self,
        work: impl FnOnce(&(engine::Intake, Option<Engine>)) -> Result<JsValue>,
    ) -> Result<JsValue, JsValue> {
        let busy = || Error::new(Code::Conflict, "the import is busy; await its last call first");
        self.state.try_lock().ok_or_else(busy).and_then(|state| work(&state)).map_err(to_js)
    }

    fn handle(&self, next: NextPieces) -> Promise {
        let (engine, state, signal) = (self.engine.clone(), self.state.clone(), self.signal.clone());
        let trial = self.trial;
        promise(async move {
            let mut state = state.lock().await;
            let (intake, copy) = &mut *state;
            if let (Some(gauges), None) = (trial, &copy) {
                *copy = Some(if gauges { engine.gauging().await? } else { engine.rehearsal().await? });
            }
            let engine = copy.as_ref().unwrap_or(&engine);
            let aborted = || signal.as_ref().is_some_and(|s| s.aborted());
            let gone = || gone(signal.as_deref());
            let cancel = Cancel::when(&aborted).or_when(&gone);
            let pieces = next(intake);
            engine.ingest_all(intake, pieces, &HostCharset, cancel).await
        })
    }
}
