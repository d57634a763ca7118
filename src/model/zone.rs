//! Time zones. The host is queried once per zone; its offset changes are kept in a table.

use chrono::FixedOffset;
use std::cell::RefCell;

/// A fixed offset from UTC, or a zone of the IANA database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Zone(Rules);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Rules {
    /// Minutes east of UTC.
    Fixed(i16),
    Named(&'static ZoneTable),
}

/// The offsets of a named zone.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ZoneTable {
    name: String,
    /// Minutes east of UTC before the first change.
    first: i16,
    /// Offset changes: milliseconds since the Unix epoch with the new offset, ascending.
    changes: Vec<(i64, i16)>,
}

const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;
/// 1980-01-01 to 2050-01-01: the period that a table covers. Other times have the first or the last offset.
const TABLE: (i64, i64) = (315_532_800_000, 2_524_608_000_000);
/// No zone has changed its offset twice in this time; Morocco's pause of summer time lasts five weeks.
const STEP: i64 = 28 * DAY;
/// The most zones to cache; the IANA database has fewer.
const MAX_ZONES: usize = 1_000;

thread_local! {
    /// Leaked tables, so that a zone is a `Copy` reference.
    static ZONES: RefCell<Vec<&'static ZoneTable>> = const { RefCell::new(Vec::new()) };
}

impl Zone {
    /// From minutes east of UTC; clamped to ±18 hours.
    pub const fn from_minutes(minutes: i32) -> Self {
        Self(Rules::Fixed(match minutes {
            ..-1_080 => -1_080,
            1_081.. => 1_080,
            _ => minutes as i16,
        }))
    }

    /// From minutes east of UTC; `None` beyond ±18 hours.
    pub fn of_minutes(minutes: i32) -> Option<Self> {
        (-1_080..=1_080).contains(&minutes).then(|| Self::from_minutes(minutes))
    }

    /// Parses an offset such as `+09:00`, `-0330`, `Z` or `UTC`.
    pub fn of_offset(text: &str) -> Option<Self> {
        if matches!(text, "Z" | "z" | "UTC" | "GMT") {
            return Some(Self::default());
        }
        let is_exact = text.is_ascii() && matches!((text.len(), text.contains(':')), (3 | 5, false) | (6, true));
        let whole = [text, if text.len() == 3 { "00" } else { "" }].concat();
        let offset: FixedOffset = whole.parse().ok().filter(|_| is_exact)?;
        Self::of_minutes(offset.local_minus_utc() / 60)
    }

    /// The zone of this IANA name. `offset_at` maps milliseconds since the Unix epoch to minutes east of UTC; it
    /// returns `None` for an unknown zone. The resulting table is cached by name.
    pub fn named(name: &str, offset_at: impl Fn(i64) -> Option<i32>) -> Option<Self> {
        let known = ZONES.with_borrow(|all| all.iter().copied().find(|table| table.name == name));
        if let Some(table) = known {
            return Some(Self(Rules::Named(table)));
        }
        let table: &'static ZoneTable = Box::leak(Box::new(ZoneTable::read(name, offset_at)?));
        ZONES.with_borrow_mut(|all| {
            if all.len() < MAX_ZONES {
                all.push(table);
            }
        });
        Some(Self(Rules::Named(table)))
    }

    /// The IANA name of a named zone.
    pub const fn name(self) -> Option<&'static str> {
        match self.0 {
            Rules::Named(table) => Some(table.name.as_str()),
            Rules::Fixed(_) => None,
        }
    }

    /// Minutes east of UTC at a time in milliseconds since the Unix epoch.
    pub fn offset_at(self, millis: i64) -> i32 {
        match self.0 {
            Rules::Fixed(minutes) => minutes.into(),
            Rules::Named(table) => table.offset_at(millis).into(),
        }
    }

    /// Minutes east of UTC when the wall clock shows `wall`, given in milliseconds as if it were UTC.
    pub(super) fn offset_of_local(self, wall: i64) -> i32 {
        let Rules::Named(_) = self.0 else { return self.offset_at(wall) };
        let holds = |offset: i32| self.offset_at(wall - i64::from(offset) * MINUTE) == offset;
        let (before, after) = (self.offset_at(wall - DAY), self.offset_at(wall + DAY));
        // If the clock is set back, both offsets hold; in the gap when it is set forward, neither does.
        if !holds(before) && holds(after) { after } else { before }
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::from_minutes(0)
    }
}

impl ZoneTable {
    fn read(name: &str, offset_at: impl Fn(i64) -> Option<i32>) -> Option<Self> {
        let at = |millis: i64| offset_at(millis).and_then(|minutes| i16::try_from(minutes).ok());
        let (mut now, end) = TABLE;
        let first = at(now)?;
        let (mut offset, mut changes) = (first, Vec::<(i64, i16)>::new());
        while now < end {
            let next = at(now + STEP)?;
            if next != offset {
                let change = first_minute(now, now + STEP, |t| at(t) != Some(offset));
                changes.push((change?, next));
                offset = next;
            }
            now += STEP;
        }
        Some(Self { name: name.to_owned(), first, changes })
    }

    fn offset_at(&self, millis: i64) -> i16 {
        let next = self.changes.partition_point(|(from, _)| *from <= millis);
        next.checked_sub(1).map_or(self.first, |last| self.changes[last].1)
    }
}

/// The first minute in `from..=to` at which `is` holds, by bisection; `is` must hold at `to`.
fn first_minute(from: i64, to: i64, is: impl Fn(i64) -> bool) -> Option<i64> {
    let (mut before, mut after) = (from / MINUTE, to / MINUTE);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        *(if is(middle * MINUTE) { &mut after } else { &mut before }) = middle;
    }
    is(after * MINUTE).then_some(after * MINUTE)
}
