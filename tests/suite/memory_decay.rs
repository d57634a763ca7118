//! The strength of memories over time: decay, reinforcement, storage tiers and promotion.

use memfold::model::{Draft, Ids, Memory, Retention, StorageTier, Time};
use memfold::sleep::{is_promotable, judged, reinforced, strength, tier};

const DAY: i64 = 86_400_000;
const START: Time = Time::from_millis(1_741_000_000_000);

fn day(n: i64) -> Time {
    START.plus_millis(n * DAY)
}

fn memory(importance: f32, stability: f32) -> Memory {
    let draft = Draft { importance: Some(importance), ..Draft::new("a memory") };
    Memory { stability, ..Memory::from_draft(Ids::new(START, [7; 16]).mint(), draft, START) }
}

#[test]
fn strength_never_rises_over_time_and_stays_in_bounds() {
    for m in [memory(0.0, 0.0), memory(0.4, 0.5), memory(1.0, 1.0)] {
        let mut before = 1.0;
        for n in -10..1_500 {
            let now = strength(&m, day(n));
            assert!((0.02..=1.0).contains(&now) && now <= before, "day {n}: {now}");
            before = now;
        }
    }
}

#[test]
fn important_and_stable_memories_decay_more_slowly() {
    let at = |importance, stability| strength(&memory(importance, stability), day(60));
    assert!(at(0.9, 0.5) > at(0.4, 0.5) && at(0.4, 0.9) > at(0.4, 0.5) && at(0.4, 0.5) > at(0.4, 0.1));
}

#[test]
fn core_memory_stays_above_its_floor_and_hot() {
    let core = Memory { retention: Retention::Core, ..memory(0.1, 0.1) };
    assert!((strength(&core, day(5_000)) - 0.6).abs() < 1e-6);
    assert_eq!(tier(&core, day(5_000)), StorageTier::Hot);
}

#[test]
fn memory_turns_cold_a_week_after_the_floor_and_a_stub_180_days_later() {
    let m = memory(0.4, 0.1);
    let first = |wanted: StorageTier| (0..2_000).find(|n| tier(&m, day(*n)) == wanted).unwrap();
    let floor = (0..2_000).find(|n| strength(&m, day(*n)) <= 0.020_001).unwrap();
    assert!((first(StorageTier::Cold) - floor - 7).abs() <= 1, "{floor} {}", first(StorageTier::Cold));
    assert_eq!(first(StorageTier::Stub) - first(StorageTier::Cold), 180);
    let stub = Memory { storage_tier: StorageTier::Stub, ..m };
    assert_eq!(tier(&stub, START), StorageTier::Stub);
}

#[test]
fn access_restarts_decay_and_slows_it() {
    let m = memory(0.4, 0.5);
    let found = reinforced(&m, 1, day(50));
    assert_eq!(strength(&found, day(50)), 1.0);
    assert!(strength(&found, day(100)) > strength(&m, day(50)));
    assert_eq!((found.access_count, found.session_count, found.accessed_at), (1, 1, Some(day(50))));
    let cold = Memory { storage_tier: StorageTier::Cold, ..m };
    assert_eq!(reinforced(&cold, 1, day(400)).storage_tier, StorageTier::Hot);
}

#[test]
fn ten_accesses_in_three_sessions_allow_promotion_to_core() {
    let after = |sessions: &[u32]| sessions.iter().fold(memory(0.4, 0.5), |m, times| reinforced(&m, *times, START));
    assert!(is_promotable(&after(&[4, 4, 4])));
    for sessions in [&[30, 30][..], &[3, 3, 3], &[1, 1, 1, 1, 1]] {
        assert!(!is_promotable(&after(sessions)), "{sessions:?}");
    }
    let (core, gone) = (Retention::Core, Some(START));
    assert!(!is_promotable(&Memory { retention: core, ..after(&[4, 4, 4]) }));
    assert!(!is_promotable(&Memory { deleted_at: gone, ..after(&[4, 4, 4]) }));
}

#[test]
fn owner_feedback_changes_stability() {
    let m = memory(0.4, 0.5);
    assert!(judged(&m, true).stability > m.stability && judged(&m, false).stability < m.stability);
    let often = (0..2_000).fold(m, |m, n| judged(&m, n % 2 == 0));
    assert!((0.0..=1.0).contains(&often.stability) && often.feedback.up == 1_000 && often.feedback.down == 1_000);
}
