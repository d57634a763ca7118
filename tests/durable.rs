//! Conformance cases of the store over SQLite and over storage adapters; `tests/worker` runs them one by one.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

fn main() {}

#[cfg(target_arch = "wasm32")]
mod conformance;

#[cfg(target_arch = "wasm32")]
mod cases {
    use super::conformance::{self, Backend, Contents, committing, material::*, reading, records, sharing};
    use memfold::Code;
    use memfold::consolidation::{ChangeSet, Record, Shelf};
    use memfold::model::{Time, Zone};
    use memfold::store::{Committed, HostStorage, HostStore, LogRange, Store};
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        /// Provided by the runner. It ends the case on a panic, since the case's promise would never settle.
        #[wasm_bindgen(js_name = caseFailed)]
        fn failed(text: &str);
    }

    /// A store of the host, used by a single case. `script` runs SQL in its database.
    pub struct Host {
        storage: HostStorage,
        script: js_sys::Function,
    }

    impl Backend for Host {
        type Store = HostStore;
        async fn open(&self) -> HostStore {
            HostStore::open(self.storage.clone(), Zone::default(), Time::MIN).await.unwrap()
        }
    }

    impl Host {
        async fn seeded(&self) -> HostStore {
            let store = self.open().await;
            store.commit(creating(1, memory(1, "one"))).await.unwrap();
            store
        }

        fn script(&self, query: &str) {
            self.script.call1(&JsValue::NULL, &query.into()).unwrap();
        }
    }

    /// A change set of several writes; the cases below make the last ones fail.
    fn several() -> ChangeSet {
        ChangeSet { memories: vec![memory(2, "two"), memory(3, "three")], edges: vec![edge(11, 1, 2)], ..set(2) }
    }

    async fn a_failed_write_leaves_nothing(object: &Host) {
        let store = object.seeded().await;
        let before = Contents::of(&store).await;
        object.script("CREATE TRIGGER spoil BEFORE INSERT ON memfold_edges BEGIN SELECT RAISE(ABORT, 'no'); END");
        assert_eq!(store.commit(several()).await.unwrap_err().code, Code::Conflict);
        object.script("DROP TRIGGER spoil");
        assert_eq!(Contents::of(&store).await, before);
        assert_eq!(store.commit(several()).await.unwrap(), Committed::Written(2));
    }

    async fn a_record_over_the_row_limit_is_rejected_and_leaves_nothing(object: &Host) {
        let store = object.seeded().await;
        let before = Contents::of(&store).await;
        let large = ChangeSet { memories: vec![memory(2, "two"), memory(3, &"가".repeat(700_000))], ..several() };
        let error = store.commit(large).await.unwrap_err();
        assert_eq!(error.code, Code::TooLarge);
        assert!(error.message.contains(&id(3).to_string()), "{error}");
        assert_eq!(Contents::of(&store).await, before);
        let fits = Record::put(Shelf::Sleep, "a", vec![7; 1_990_000]);
        store.commit(ChangeSet { records: vec![fits.clone()], ..several() }).await.unwrap();
        assert_eq!(store.record(Shelf::Sleep, "a").await.unwrap(), fits.value);
    }

    async fn a_vector_of_an_earlier_version_is_removed_with_its_memory(object: &Host) {
        let store = object.seeded().await;
        for n in [1, 2] {
            object.script(&format!("INSERT INTO memfold_vectors VALUES ('{}', 'model/1', x'0000803f')", id(n)));
        }
        let erased = memory(1, "one").forgotten(memory(1, "").created_at);
        store.commit(ChangeSet { memories: vec![erased, memory(2, "two")], ..set(2) }).await.unwrap();
        // Fails unless only the vector of the second one is left.
        object.script("CREATE TABLE left_over (id TEXT PRIMARY KEY, vectors CHECK (vectors = 1))");
        object.script(&format!(
            "INSERT INTO left_over SELECT max(id), count(*) FROM memfold_vectors WHERE id <> '{}'",
            id(1)
        ));
        object.script("INSERT INTO left_over SELECT 'all', count(*) FROM memfold_vectors");
    }

    async fn more_ids_than_query_parameters_are_found(object: &Host) {
        let store = object.seeded().await;
        let ids: Vec<_> = (0..5_000).rev().map(id).collect();
        let found = store.memories(&ids).await.unwrap();
        assert_eq!(found.iter().flatten().count(), 1);
        assert_eq!(found[4_998].as_ref().map(|m| m.id), Some(id(1)));
        assert!(store.memories(&vec![id(1); 40_001]).await.unwrap().iter().all(Option::is_some));
    }

    async fn tables_of_a_newer_version_are_rejected(object: &Host) {
        object.seeded().await;
        object.script("INSERT INTO memfold_schema VALUES (99)");
        assert_eq!(
            HostStore::open(object.storage.clone(), Zone::default(), Time::MIN).await.unwrap_err().code,
            Code::VersionTooNew
        );
    }

    async fn an_unreadable_record_is_corrupt(object: &Host) {
        let store = object.seeded().await;
        let with = ChangeSet { key: Some("k".into()), ..several() };
        let entry = with.entry.id;
        store.commit(with).await.unwrap();
        store.keep(vec![Record::put(Shelf::Sleep, "a", vec![1])]).await.unwrap();
        for table in ["memories", "edges", "log"] {
            object.script(&format!("UPDATE memfold_{table} SET body = '{{}}'"));
        }
        object.script("UPDATE memfold_records SET value = 'text'");
        let errors = [
            store.memories(&[id(1)]).await.err(),
            store.page(None, 10).await.err(),
            store.edges(id(2)).await.err(),
            store.edge_page(None, 10).await.err(),
            store.log(LogRange::default()).await.err(),
            store.entry(entry).await.err(),
            store.entry_by_key("k").await.err(),
            store.commit(ChangeSet { key: Some("k".into()), ..set(3) }).await.err(),
            store.keep(vec![Record::gone(Shelf::Sleep, "a").over(None)]).await.err(),
        ];
        for (call, error) in errors.into_iter().enumerate() {
            assert_eq!(error.map(|e| e.code), Some(Code::Corrupt), "call {call}");
        }
        assert_eq!(store.head().await.unwrap(), 2);
    }

    macro_rules! by_name {
        ($($module:ident :: $case:ident),+ $(,)?) => {
            /// The names of all cases.
            #[wasm_bindgen]
            pub fn cases() -> Vec<String> {
                std::panic::set_hook(Box::new(|info| failed(&info.to_string())));
                let shared = [$(stringify!($case)),+];
                let own = [
                    "a_failed_write_leaves_nothing",
                    "a_record_over_the_row_limit_is_rejected_and_leaves_nothing",
                    "more_ids_than_query_parameters_are_found",
                    "tables_of_a_newer_version_are_rejected",
                    "an_unreadable_record_is_corrupt",
                    "a_vector_of_an_earlier_version_is_removed_with_its_memory",
                ];
                shared.into_iter().chain(own).map(String::from).collect()
            }

            /// The names of the cases for adapters.
            #[wasm_bindgen(js_name = adapterCases)]
            pub fn adapter_cases() -> Vec<String> {
                cases();
                [$(stringify!($case)),+].map(String::from).to_vec()
            }

            /// Runs one case in an empty store; a failed assertion panics.
            #[wasm_bindgen]
            pub async fn run(name: String, storage: HostStorage, script: js_sys::Function) {
                let object = Host { storage, script };
                match name.as_str() {
                    $(stringify!($case) => $module::$case(&object).await,)+
                    "a_failed_write_leaves_nothing" => a_failed_write_leaves_nothing(&object).await,
                    "a_record_over_the_row_limit_is_rejected_and_leaves_nothing" => {
                        a_record_over_the_row_limit_is_rejected_and_leaves_nothing(&object).await
                    }
                    "more_ids_than_query_parameters_are_found" => {
                        more_ids_than_query_parameters_are_found(&object).await
                    }
                    "tables_of_a_newer_version_are_rejected" => tables_of_a_newer_version_are_rejected(&object).await,
                    "an_unreadable_record_is_corrupt" => an_unreadable_record_is_corrupt(&object).await,
                    "a_vector_of_an_earlier_version_is_removed_with_its_memory" => {
                        a_vector_of_an_earlier_version_is_removed_with_its_memory(&object).await
                    }
                    other => panic!("there is no case {other}"),
                }
            }
        };
    }
    conformance::for_each_case!(by_name);
}
