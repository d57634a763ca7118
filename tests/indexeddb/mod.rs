//! IndexedDB as a backend of the list, and the cases that only a browser's database has.
//!
//! What the store must not offer (another connection that will not yield, a disk that is full) is done from outside,
//! in plain JavaScript; it runs in every scope alike, so no module is imported.

use crate::conformance::{Backend, Contents, material::*};
use js_sys::{Function, Promise};
use memfold::Code;
use memfold::consolidation::{ChangeSet, Record, Shelf};
use memfold::model::{Time, Zone};
use memfold::store::{Committed, HostStorage, HostStore, LogRange, Store};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Hands the list of all cases to a macro that makes a test of each.
macro_rules! for_each_case_of_its_own {
    ($make_tests:ident) => {
        $make_tests! {
            indexeddb::strict_durability_writes_as_well,
            indexeddb::a_put_that_throws_leaves_nothing,
            indexeddb::a_put_that_fails_later_leaves_nothing,
            indexeddb::a_full_disk_is_quota_exceeded_and_leaves_nothing,
            indexeddb::a_newer_database_is_refused,
            indexeddb::the_store_yields_to_an_upgrade_and_says_so,
            indexeddb::the_store_yields_to_a_deletion,
            indexeddb::a_closed_connection_is_opened_again_once,
            indexeddb::an_opening_given_up_leaves_a_usable_database,
            indexeddb::a_record_that_cannot_be_read_is_corrupt,
            indexeddb::a_database_of_the_first_release_keeps_what_it_holds,
            indexeddb::a_database_of_somebody_else_is_corrupt,
            indexeddb::records_are_plain_objects,
            indexeddb::a_host_without_a_database_is_unsupported,
        }
    };
}
pub(crate) use for_each_case_of_its_own;

/// A database with a name that nobody else has.
pub struct Database(String);

impl Default for Database {
    fn default() -> Self {
        Self(script("return crypto.randomUUID()", &[]).as_string().unwrap())
    }
}

impl Backend for Database {
    type Store = HostStore;
    async fn open(&self) -> HostStore {
        self.opened("relaxed").await.unwrap()
    }
}

impl Database {
    /// Opens a connection of its own. The package's code comes from the server of the tests, as one script.
    async fn opened(&self, durability: &str) -> memfold::Result<HostStore> {
        let body = "return (async () => {
            globalThis.stores ??= Function(await (await fetch(new URL('/.cache/stores.js', location.origin))).text() + ';return stores')();
            return stores.databaseBacking(name, durability);
        })()";
        let backing = script(body, &[("name", &self.0), ("durability", durability)]);
        let backing = JsFuture::from(backing.unchecked_into::<Promise>()).await.unwrap();
        HostStore::open(backing.unchecked_into::<HostStorage>(), Zone::default(), Time::MIN).await
    }

    /// A store with one memory in it.
    async fn seeded(&self) -> HostStore {
        let store = self.open().await;
        store.commit(creating(1, memory(1, "one"))).await.unwrap();
        store
    }

    /// Runs JavaScript that knows `name` and `opened(version, upgrade)`, and waits for its promise.
    async fn script(&self, body: &str) -> JsValue {
        let prelude = "const opened = (version, upgrade) => new Promise((resolve, reject) => {
            const request = indexedDB.open(name, version);
            request.onupgradeneeded = () => upgrade?.(request.result);
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });";
        let promise = script(&format!("{prelude} return (async () => {{ {body} }})()"), &[("name", &self.0)]);
        JsFuture::from(promise.unchecked_into::<Promise>()).await.unwrap()
    }
}

fn script(body: &str, arguments: &[(&str, &str)]) -> JsValue {
    let names: Vec<&str> = arguments.iter().map(|a| a.0).collect();
    let values = arguments.iter().map(|a| JsValue::from_str(a.1)).collect::<js_sys::Array>();
    Function::new_with_args(&names.join(","), body).apply(&JsValue::UNDEFINED, &values).unwrap()
}

/// While this lives, a method of the database's classes is another; `original` is the one it had.
struct Patched(Function);

impl Patched {
    fn new(class: &str, method: &str, replacement: &str) -> Self {
        let body = format!(
            "const original = {class}.prototype.{method};
             {class}.prototype.{method} = {replacement};
             return () => {{ {class}.prototype.{method} = original; }}"
        );
        Self(script(&body, &[]).unchecked_into())
    }
}

impl Drop for Patched {
    fn drop(&mut self) {
        drop(self.0.call0(&JsValue::UNDEFINED));
    }
}

/// A set of several puts, the last of which is the one that the patches below spoil.
fn several() -> ChangeSet {
    let edges = vec![edge(11, 1, 2), edge(12, 2, 3)];
    ChangeSet { key: Some("several".into()), memories: vec![memory(2, "two"), memory(3, "three")], edges, ..set(2) }
}

/// The set is refused with this code; the store is as it was and takes it afterwards.
async fn refused_while(store: &HostStore, patch: impl FnOnce() -> Patched, code: Code) {
    let before = Contents::of(store).await;
    let patched = patch();
    assert_eq!(store.commit(several()).await.unwrap_err().code, code);
    drop(patched);
    assert_eq!(Contents::of(store).await, before);
    assert_eq!(store.commit(several()).await.unwrap(), Committed::Written(2));
}

pub async fn strict_durability_writes_as_well(database: &Database) {
    let store = database.opened("strict").await.unwrap();
    script("globalThis.durabilities = []", &[]);
    let patched = Patched::new(
        "IDBDatabase",
        "transaction",
        "function (...given) {
            const made = original.apply(this, given);
            durabilities.push(made.mode + ' ' + made.durability);
            return made;
        }",
    );
    store.commit(full_set(1)).await.unwrap();
    drop(patched);
    assert_eq!(script("return durabilities.join()", &[]), "readwrite strict");
    assert_eq!(store.head().await.unwrap(), 1);
}

pub async fn a_put_that_throws_leaves_nothing(database: &Database) {
    let store = database.seeded().await;
    let thrown = || {
        Patched::new(
            "IDBObjectStore",
            "put",
            "function (record) {
                if (record.from && record.id.endsWith(lastEdge)) throw new DOMException('no', 'DataError');
                return original.call(this, record);
            }",
        )
    };
    script(&format!("globalThis.lastEdge = '{}'", &edge(12, 2, 3).id.to_string()[24..]), &[]);
    refused_while(&store, thrown, Code::Storage).await;
}

pub async fn a_put_that_fails_later_leaves_nothing(database: &Database) {
    let store = database.seeded().await;
    // A second `add` of the same log entry breaks a unique index: the request fails, not the call.
    let failing = || {
        Patched::new(
            "IDBObjectStore",
            "add",
            "function (record) { original.call(this, { ...record, seq: 77 }); return original.call(this, record); }",
        )
    };
    refused_while(&store, failing, Code::Conflict).await;
}

pub async fn a_full_disk_is_quota_exceeded_and_leaves_nothing(database: &Database) {
    let store = database.seeded().await;
    // As Chromium and Firefox do it: the call succeeds, the transaction aborts, and only its `error` says why.
    let full = || {
        Patched::new(
            "IDBObjectStore",
            "add",
            "function (record) {
                const request = original.call(this, record);
                const error = new DOMException('full', 'QuotaExceededError');
                Object.defineProperty(this.transaction, 'error', { value: error });
                this.transaction.abort();
                return request;
            }",
        )
    };
    refused_while(&store, full, Code::QuotaExceeded).await;
}

pub async fn a_newer_database_is_refused(database: &Database) {
    database.script("(await opened(99)).close()").await;
    let error = database.opened("relaxed").await.unwrap_err();
    assert_eq!(error.code, Code::VersionTooNew);
}

pub async fn the_store_yields_to_an_upgrade_and_says_so(database: &Database) {
    let store = database.seeded().await;
    let commit = store.commit(several());
    // The upgrade asks while a commit is under way: the commit ends, then the connection closes.
    let upgraded = database.script("const db = await opened(99, db => db.createObjectStore('y')); db.close()");
    let (written, _) = futures::future::join(commit, upgraded).await;
    if let Err(e) = written {
        assert_eq!(e.code, Code::ConnectionLost);
    }
    for _ in 0..2 {
        assert_eq!(store.head().await.unwrap_err().code, Code::ConnectionLost);
        assert_eq!(store.commit(set(3)).await.unwrap_err().code, Code::ConnectionLost);
    }
    store.close().await.unwrap();
    assert_eq!(store.head().await.unwrap_err().code, Code::Closed);
    let error = database.opened("relaxed").await.unwrap_err();
    assert_eq!(error.code, Code::VersionTooNew);
}

pub async fn the_store_yields_to_a_deletion(database: &Database) {
    let store = database.seeded().await;
    database
        .script(
            "await new Promise((resolve, reject) => {
                 const request = indexedDB.deleteDatabase(name);
                 request.onsuccess = resolve;
                 request.onblocked = () => reject(Error('blocked'));
             })",
        )
        .await;
    assert_eq!(store.head().await.unwrap_err().code, Code::ConnectionLost);
    assert_eq!(database.open().await.head().await.unwrap(), 0);
}

pub async fn a_closed_connection_is_opened_again_once(database: &Database) {
    let store = database.seeded().await;
    let before = Contents::of(&store).await;
    let patched = Patched::new(
        "IDBDatabase",
        "transaction",
        "function (...given) { globalThis.connection = this; return original.apply(this, given); }",
    );
    // A host may tell of it, or only refuse the next transaction.
    for ending in ["connection.close(); connection.dispatchEvent(new Event('close'))", "connection.close()"] {
        store.head().await.unwrap();
        script(ending, &[]);
        assert_eq!(Contents::of(&store).await, before);
    }
    drop(patched);
    assert_eq!(store.commit(several()).await.unwrap(), Committed::Written(2));

    // Where every connection is lost at once, the call ends and says so.
    let never = "function () { throw new DOMException('closing', 'InvalidStateError'); }";
    let patched = Patched::new("IDBDatabase", "transaction", never);
    assert_eq!(store.commit(set(3)).await.unwrap_err().code, Code::ConnectionLost);
    drop(patched);
    assert_eq!(store.commit(set(3)).await.unwrap(), Committed::Written(3));
}

pub async fn an_opening_given_up_leaves_a_usable_database(database: &Database) {
    {
        let mut opening = std::pin::pin!(database.opened("relaxed"));
        assert!(futures::poll!(opening.as_mut()).is_pending());
    }
    let store = database.open().await;
    assert_eq!(store.commit(full_set(1)).await.unwrap(), Committed::Written(1));
}

pub async fn a_record_that_cannot_be_read_is_corrupt(database: &Database) {
    let store = database.seeded().await;
    let record = Record { shelf: Shelf::Answers, key: "a".into(), value: Some(vec![1]), expect: None };
    let records = vec![record.clone()];
    store.commit(ChangeSet { key: Some("k".into()), records, ..several() }).await.unwrap();
    database
        .script(
            "const db = await opened();
             const stores = ['memories', 'edges', 'log', 'records'];
             const transaction = db.transaction(stores, 'readwrite');
             for (const name of stores) {
                 const store = transaction.objectStore(name);
                 store.getAll().onsuccess = event => {
                     for (const record of event.target.result) {
                         delete record.revision; delete record.weight; delete record.time; delete record.value;
                         store.put(record);
                     }
                 };
             }
             await new Promise(resolve => transaction.oncomplete = resolve);
             db.close();",
        )
        .await;
    let entry = several().entry.id;
    let errors = [
        store.memories(&[id(1)]).await.err(),
        store.page(None, 10).await.err(),
        store.edges(id(2)).await.err(),
        store.edge_page(None, 10).await.err(),
        store.log(LogRange::default()).await.err(),
        store.entry(entry).await.err(),
        store.entry_by_key("k").await.err(),
        store.commit(ChangeSet { expect: vec![expects(1, Some(1))], ..set(3) }).await.err(),
        store.commit(ChangeSet { key: Some("k".into()), ..set(3) }).await.err(),
        store.record(Shelf::Answers, "a").await.err(),
        store.records(Shelf::Answers, None, 9).await.err(),
        store.keep(vec![Record { expect: Some(None), ..record }]).await.err(),
    ];
    for (call, error) in errors.into_iter().enumerate() {
        assert_eq!(error.map(|e| e.code), Some(Code::Corrupt), "call {call}");
    }
    let named = store.page(None, 10).await.unwrap_err();
    assert!(named.message.contains(&id(1).to_string()), "{named}");
    assert_eq!(store.head().await.unwrap(), 2);
}

pub async fn a_database_of_the_first_release_keeps_what_it_holds(database: &Database) {
    let memory = memory(1, "one");
    let text = memfold::json::write(&memory).unwrap();
    let first_release = format!(
        "const db = await opened(1, db => {{
             for (const name of ['memories', 'vectors']) db.createObjectStore(name, {{ keyPath: 'id' }});
             const edges = db.createObjectStore('edges', {{ keyPath: 'id' }});
             for (const end of ['from', 'to']) edges.createIndex(end, end);
             const log = db.createObjectStore('log', {{ keyPath: 'seq' }});
             for (const name of ['id', 'key']) log.createIndex(name, name, {{ unique: true }});
         }});
         const transaction = db.transaction(['memories', 'vectors'], 'readwrite');
         transaction.objectStore('memories').put(JSON.parse({text:?}));
         for (const id of ['{}', 'other']) transaction.objectStore('vectors').put({{ id, model: 'm', values: new Float32Array([1]) }});
         await new Promise(resolve => transaction.oncomplete = resolve);
         db.close();",
        id(1)
    );
    database.script(&first_release).await;
    let store = database.open().await;
    assert_eq!(store.memories(&[id(1)]).await.unwrap(), [Some(memory.clone())]);
    let record = Record { shelf: Shelf::Answers, key: "a".into(), value: Some(vec![1]), expect: None };
    let with_record = ChangeSet { expect: vec![expects(1, Some(1))], records: vec![record], ..set(1) };
    assert_eq!(store.commit(with_record).await.unwrap(), Committed::Written(1));
    assert_eq!(store.record(Shelf::Answers, "a").await.unwrap(), Some(vec![1]));
    // The first release stored vectors. An erased memory takes its own along.
    let memories = vec![memory.forgotten(memory.created_at)];
    store.commit(ChangeSet { memories, ..set(2) }).await.unwrap();
    let left = "const db = await opened();
        const request = db.transaction('vectors').objectStore('vectors').getAllKeys();
        await new Promise(resolve => request.onsuccess = resolve);
        db.close();
        return request.result.join()";
    assert_eq!(database.script(left).await, "other");
}

pub async fn a_database_of_somebody_else_is_corrupt(database: &Database) {
    database.script("(await opened(1, db => db.createObjectStore('theirs'))).close()").await;
    let refused = database.opened("relaxed").await.unwrap_err();
    assert_eq!(refused.code, Code::Corrupt);
    let left = "const db = await opened(); db.close(); return `${db.version} ${[...db.objectStoreNames]}`";
    assert_eq!(database.script(left).await, "1 theirs");
}

pub async fn records_are_plain_objects(database: &Database) {
    let store = database.open().await;
    store.commit(full_set(1)).await.unwrap();
    let shown = database
        .script(
            "const db = await opened();
             const stores = ['memories', 'edges', 'log'];
             const transaction = db.transaction(stores);
             const first = name => new Promise(resolve =>
                 transaction.objectStore(name).getAll().onsuccess = event => resolve(event.target.result[0]));
             const [memory, edge, entry] = await Promise.all(stores.map(first));
             db.close();
             return [memory.category, memory.feedback.up,
                     edge.relation, entry.seq, entry.decision, 'nodeType' in memory].join()",
        )
        .await;
    assert_eq!(shown, "decision,1,causal,1,UPDATE,true");
}

pub async fn a_host_without_a_database_is_unsupported(database: &Database) {
    let hide = "const hidden = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB');
        Object.defineProperty(globalThis, 'indexedDB', { configurable: true, value: undefined });
        return () => hidden ? Object.defineProperty(globalThis, 'indexedDB', hidden) : delete globalThis.indexedDB;";
    let hidden = Patched(script(hide, &[]).unchecked_into());
    let error = database.opened("relaxed").await.unwrap_err();
    drop(hidden);
    assert_eq!(error.code, Code::Unsupported);
}
