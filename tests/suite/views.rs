//! Historical views: what was known (`as_of`) and what was true (`valid_at`) at a time.

use crate::kit::{Memories, over};
use futures::executor::block_on;
use memfold::consolidation::{Cascade, When};
use memfold::engine::{Consolidate, DeleteOptions, ListOptions, LogQuery, Receipt, SearchOptions};
use memfold::model::{Draft, Id, Time};
use memfold::store::MemoryStore;

const DAY: i64 = 86_400_000;

fn day(n: i64) -> Time {
    Time::from_millis(1_700_000_000_000 + n * DAY)
}

fn open() -> Memories {
    over(MemoryStore::default(), 0)
}

fn add(m: &Memories, on: i64, content: &str) -> Receipt {
    let draft = Draft { stated_at: Some(day(on)), ..Draft::new(content) };
    block_on(m.consolidate(draft, &Consolidate::default())).unwrap()
}

fn id_of(r: &Receipt) -> Id {
    r.memory.as_ref().unwrap().id
}

fn known_at(at: &Receipt) -> When {
    When { as_of: Some(at.entry.time), valid_at: None }
}

fn valid_on(on: i64) -> When {
    When { as_of: None, valid_at: Some(day(on)) }
}

fn listing(include_superseded: bool, when: When) -> ListOptions {
    ListOptions { include_superseded, as_of: when.as_of, valid_at: when.valid_at, ..ListOptions::default() }
}

/// The ids of a view, after asserting that history, list and search agree.
fn view_ids(m: &Memories, id: Id, when: When) -> Vec<Id> {
    let ids = |found: Vec<memfold::model::Memory>| found.into_iter().map(|m| m.id).collect::<Vec<_>>();
    let line = ids(block_on(m.history_at(id, &when)).unwrap());
    let listed = ids(block_on(m.listed(&listing(when.valid_at.is_none(), when))).unwrap());
    let sorted = |mut ids: Vec<Id>| {
        ids.sort();
        ids
    };
    assert_eq!(sorted(line.clone()), sorted(listed.clone()));
    let options = SearchOptions {
        as_of: when.as_of,
        valid_at: when.valid_at,
        include_superseded: when.valid_at.is_none(),
        ..SearchOptions::default()
    };
    let hits = block_on(m.search("Heron rate", &options)).unwrap();
    assert_eq!(sorted(hits.iter().map(|h| h.memory.id).collect()), sorted(listed));
    line
}

/// The current memories as of a time.
fn current(m: &Memories, when: When) -> Vec<Id> {
    let found: Vec<Id> = block_on(m.listed(&listing(false, when))).unwrap().into_iter().map(|m| m.id).collect();
    let options = SearchOptions { as_of: when.as_of, valid_at: when.valid_at, ..SearchOptions::default() };
    let hits = block_on(m.search("Heron rate", &options)).unwrap();
    let mut hits: Vec<Id> = hits.into_iter().map(|h| h.memory.id).collect();
    hits.sort();
    assert_eq!(hits, found);
    found
}

#[test]
fn limited_lists_and_logs_are_prefixes_of_the_full_ones() {
    let m = open();
    for n in 0..300 {
        add(&m, 1, &format!("kestrel{n} note @0"));
    }
    let (all, log) =
        (block_on(m.list(None, usize::MAX, false)).unwrap(), block_on(m.log(&LogQuery::default())).unwrap());
    // Most memories are superseded, so that a short list spans many records.
    assert_eq!((all.len(), log.len()), (32, 300));
    for limit in [0, 1, 10, 31, 32, 33, 120, 299, 300, 301] {
        assert_eq!(block_on(m.list(None, limit, false)).unwrap(), all[..limit.min(all.len())]);
        for newest_first in [false, true] {
            let query = LogQuery { limit: Some(limit as u32), newest_first, ..LogQuery::default() };
            let mut expected = log.clone();
            if newest_first {
                expected.reverse();
            }
            expected.truncate(limit);
            assert_eq!(block_on(m.log(&query)).unwrap(), expected);
        }
    }
    // The only match lies beyond the first page.
    let text = Some(log[0].input.clone());
    let query = LogQuery { limit: Some(1), newest_first: true, text, ..LogQuery::default() };
    assert_eq!(block_on(m.log(&query)).unwrap(), log[..1]);
}

#[test]
fn as_of_and_valid_at_are_independent() {
    let m = open();
    let first = add(&m, 1, "Heron: the day rate is 400");
    let last = add(&m, 9, "Heron: the day rate is 600 @30");
    let late = add(&m, 5, "Heron: the day rate is 500 @60");
    let (a, b, c) = (id_of(&first), id_of(&late), id_of(&last));
    assert_eq!(view_ids(&m, a, When::default()), [a, b, c]);
    assert_eq!(view_ids(&m, a, known_at(&first)), [a]);
    assert_eq!(view_ids(&m, a, known_at(&last)), [a, c]);
    assert_eq!(current(&m, known_at(&last)), [c]);
    assert_eq!(current(&m, known_at(&late)), [c]);
    let before = When { as_of: Some(first.entry.time.plus_millis(-1)), valid_at: None };
    assert!(view_ids(&m, a, before).is_empty());
    for (on, expected) in
        [(0, None), (1, Some(a)), (4, Some(a)), (5, Some(b)), (8, Some(b)), (9, Some(c)), (90, Some(c))]
    {
        assert_eq!(view_ids(&m, a, valid_on(on)), Vec::from_iter(expected), "day {on}");
    }
    // Before the late mail, the first rate counted as valid until day nine.
    assert_eq!(view_ids(&m, a, When { valid_at: Some(day(6)), ..known_at(&last) }), [a]);
}

#[test]
fn a_view_shows_version_numbers_and_links_of_its_time() {
    let m = open();
    let first = add(&m, 1, "Heron: the day rate is 400");
    let last = add(&m, 9, "Heron: the day rate is 600 @30");
    add(&m, 5, "Heron: the day rate is 500 @60");
    let then = block_on(m.history_at(id_of(&first), &known_at(&last))).unwrap();
    assert_eq!(then.iter().map(|m| m.version).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((then[0].superseded_by, then[1].previous_version_id), (Some(then[1].id), Some(then[0].id)));
}

#[test]
fn memories_undone_or_deleted_later_were_known_before() {
    let m = open();
    let first = add(&m, 1, "Heron: the day rate is 400");
    let second = add(&m, 2, "Heron: the day rate is 600 @30");
    let (a, b) = (id_of(&first), id_of(&second));
    let undone = block_on(m.undo(second.entry.id)).unwrap();
    assert_eq!(current(&m, When::default()), [a]);
    assert_eq!(current(&m, known_at(&second)), [b]);
    assert_eq!(current(&m, When { as_of: Some(undone.time), valid_at: None }), [a]);
    block_on(m.redo(second.entry.id)).unwrap();
    assert_eq!(current(&m, When { as_of: Some(undone.time), valid_at: None }), [a]);
    let options = DeleteOptions { cascade: Cascade::default(), request: None };
    let deleted = block_on(m.delete(&[b], &options)).unwrap();
    assert_eq!(current(&m, known_at(&second)), [b]);
    assert!(current(&m, When { as_of: Some(deleted.time), valid_at: None }).is_empty());
    assert!(view_ids(&m, a, valid_on(3)).is_empty(), "what is deleted now is not told as true");
    block_on(m.restore(b)).unwrap();
    assert!(current(&m, When { as_of: Some(deleted.time), valid_at: None }).is_empty());
    assert_eq!(current(&m, When::default()), [b]);
    assert_eq!(view_ids(&m, a, valid_on(3)), [b]);
}

#[test]
fn an_imported_copy_keeps_earlier_views() {
    let m = open();
    let first = add(&m, 1, "Heron: the day rate is 400");
    let second = add(&m, 2, "Heron: the day rate is 600 @30");
    let copy = over(MemoryStore::default(), 9_000_000);
    block_on(copy.import(&block_on(m.export_pieces()).unwrap().concat())).unwrap();
    assert_eq!(current(&copy, known_at(&first)), [id_of(&first)]);
    assert_eq!(current(&copy, known_at(&second)), [id_of(&second)]);
    block_on(copy.forget(&[id_of(&second)])).unwrap();
    assert!(current(&copy, known_at(&first)).is_empty() && current(&copy, valid_on(1)).is_empty());
}

#[test]
fn an_explicit_validity_range_is_respected() {
    let m = open();
    let draft = Draft {
        stated_at: Some(day(1)),
        valid_from: Some(day(10).into()),
        valid_until: Some(day(20).into()),
        ..Draft::new("Heron: the summer rate is 300")
    };
    let id = id_of(&block_on(m.consolidate(draft, &Consolidate::default())).unwrap());
    for (on, holds) in [(1, false), (9, false), (10, true), (19, true), (20, false)] {
        assert_eq!(view_ids(&m, id, valid_on(on)).len(), usize::from(holds), "day {on}");
    }
    // A future event without a statement date is valid from its storage time.
    let now = block_on(m.log(&LogQuery::default())).unwrap()[0].time;
    let draft =
        Draft { occurred_at: Some(now.plus_millis(90 * DAY).into()), ..Draft::new("Kestrel: the review is in June") };
    let id = id_of(&block_on(m.consolidate(draft, &Consolidate::default())).unwrap());
    let soon = When { as_of: None, valid_at: Some(now.plus_millis(DAY)) };
    assert_eq!(block_on(m.history_at(id, &soon)).unwrap().len(), 1);
}
