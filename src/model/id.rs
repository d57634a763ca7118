//! Identifiers: UUIDv7, so that their order is the order of creation.

use super::Time;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use uuid::Uuid;

/// The identifier of a memory, an edge or a log entry; a UUIDv7 on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Id(#[cfg_attr(target_arch = "wasm32", tsify(type = "string"))] Uuid);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Id {
    type Err = crate::Error;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Uuid::parse_str(s).map(Self).map_err(|_| crate::Error::field("id", "is not a UUID"))
    }
}

/// Mints ids for one operation from a time and a seed; the same arguments give the same ids.
///
/// ```
/// use memfold::model::{Ids, Time};
/// let mut ids = Ids::new(Time::from_millis(1_741_000_000_000), [7; 16]);
/// let (a, b) = (ids.mint(), ids.mint());
/// assert!(a < b);
/// ```
#[derive(Debug, Clone)]
pub struct Ids {
    millis: u64,
    state: u64,
    tail: u64,
    count: u16,
}

impl Ids {
    /// A source of ids for the moment `now`; `seed` is 16 bytes of the platform's randomness.
    pub fn new(now: Time, seed: [u8; 16]) -> Self {
        let half = |at: usize| seed[at..at + 8].iter().fold(0u64, |n, b| (n << 8) | u64::from(*b));
        Self { millis: now.millis().max(0) as u64, state: half(0), tail: half(8), count: 0 }
    }

    /// The next id; ids of one source ascend.
    pub fn mint(&mut self) -> Id {
        // SplitMix64: the platform's seed is spread over as many ids as one operation needs.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state ^ self.tail;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        let mut random = [0u8; 10];
        // The first 12 bits after the time count, so that ids of one operation keep their order.
        random[..2].copy_from_slice(&self.count.to_be_bytes());
        random[2..].copy_from_slice(&z.to_be_bytes());
        self.count = (self.count + 1) & 0x0FFF;
        if self.count == 0 {
            self.millis += 1;
        }
        Id(uuid::Builder::from_unix_timestamp_millis(self.millis, &random).into_uuid())
    }
}
