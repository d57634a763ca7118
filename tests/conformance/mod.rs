//! What every store promises: one list of cases for all backends, run wherever a backend runs.
//!
//! A case gets a [`Backend`] with nothing in it. `for_each_case!` names them all; a case that it leaves out is
//! dead code, which the lints refuse. No case asks what time it is or depends on how fast a backend is.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

pub mod committing;
pub mod material;
pub mod reading;
pub mod records;
pub mod sharing;

use memfold::store::{LogRange, Store};
use memfold::{consolidation::LogEntry, model::Edge, model::Memory};

/// Where stores come from: every store of one backend is a connection to the same data.
pub trait Backend {
    type Store: Store;
    async fn open(&self) -> Self::Store;
}

/// Hands the list of all cases, as `module::case`, to a macro that makes a test of each.
macro_rules! for_each_case {
    ($make_tests:ident) => {
        $make_tests! {
            committing::a_commit_writes_everything_it_carries,
            committing::a_set_without_changes_is_an_entry,
            committing::a_put_replaces_what_was_there,
            committing::a_stale_revision_is_a_conflict,
            committing::a_present_memory_is_a_conflict_where_none_is_expected,
            committing::a_moved_base_is_a_conflict,
            committing::one_stale_expectation_among_many_leaves_nothing,
            committing::a_number_that_is_not_finite_leaves_nothing,
            committing::a_repeated_key_changes_nothing_and_gives_the_earlier_entry,
            committing::a_repeated_key_is_seen_before_anything_stale,
            committing::a_refused_set_leaves_its_key_unused,
            committing::an_entry_id_used_before_is_a_conflict,
            committing::numbers_ascend_without_gaps,
            committing::a_removed_edge_is_gone_from_both_ends,
            committing::a_redacted_entry_takes_the_place_of_itself,
            committing::an_entry_to_redact_must_be_in_the_log,
            committing::a_refused_set_removes_and_redacts_nothing,
            committing::sets_of_one_transaction_each_have_their_entry,
            committing::a_set_meets_what_those_before_it_leave,
            committing::one_refused_set_among_many_leaves_nothing_of_any,
            committing::a_repeated_key_among_many_is_answered_in_its_place,
            reading::an_empty_store_has_nothing,
            reading::everything_comes_back_as_it_went_in,
            reading::memories_come_in_the_order_asked,
            reading::pages_ascend_and_end,
            reading::ten_thousand_memories_page_through,
            reading::many_memories_come_in_the_order_asked,
            reading::edges_are_found_from_both_ends,
            reading::an_edge_that_moves_leaves_its_old_ends,
            reading::edge_pages_ascend_and_end,
            reading::log_ranges_are_cut_at_both_ends,
            reading::entries_are_found_by_id_and_by_key,
            records::a_record_comes_back_and_is_removed,
            records::records_ascend_and_stay_on_their_shelf,
            records::a_record_that_is_not_as_expected_leaves_nothing,
            records::a_commit_keeps_its_records_or_nothing,
            records::a_name_that_is_not_ascii_leaves_nothing,
            records::handles_that_race_for_one_record_write_once,
            sharing::what_one_handle_writes_the_other_reads,
            sharing::what_was_written_survives_a_reopening,
            sharing::handles_that_race_for_one_memory_lose_nothing,
            sharing::handles_that_race_with_one_key_write_once,
            sharing::handles_that_race_from_one_base_write_once,
            sharing::one_handle_does_many_things_at_once,
            sharing::a_commit_given_up_is_whole_or_not_there,
            sharing::every_call_after_close_says_closed,
        }
    };
}
pub(crate) use for_each_case;

/// Everything a store holds, read page by page: two stores with the same of it are the same.
#[derive(Debug, PartialEq)]
pub struct Contents {
    pub head: u64,
    pub memories: Vec<Memory>,
    pub edges: Vec<Edge>,
    pub log: Vec<LogEntry>,
}

impl Contents {
    pub async fn of(store: &impl Store) -> Self {
        let memories = store.page(None, usize::MAX).await.unwrap();
        Self {
            head: store.head().await.unwrap(),
            memories,
            edges: store.edge_page(None, usize::MAX).await.unwrap(),
            log: store.log(LogRange::default()).await.unwrap(),
        }
    }
}
