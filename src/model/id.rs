//! Identifiers: UUIDv7, which sort by creation time.

use super::Time;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use std::{fmt, str::FromStr};
use uuid::Uuid;

/// The id of a memory, an edge or a log entry; a UUIDv7 as JSON text.
// The default is the nil UUID, which is never minted.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, SerializeDisplay, DeserializeFromStr, tsify::Tsify,
)]
pub struct Id(#[tsify(type = "string")] Halves);

/// The upper and lower eight bytes: comparing two integers is inlined, comparing arrays is a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
struct Halves(u64, u64);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Uuid::from_bytes(self.to_bytes()), f)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Id {
    type Err = &'static str;
    /// Parses 32 hexadecimal digits with all four hyphens or none.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The crate also parses braces and URNs.
        let uuid = Uuid::try_parse(text).ok().filter(|_| matches!(text.len(), 32 | 36));
        uuid.map(|uuid| Self::of_bits(uuid.as_u128())).ok_or("is not a UUID")
    }
}

impl Id {
    /// The 16 bytes; they sort like the ids.
    pub const fn to_bytes(self) -> [u8; 16] {
        (((self.0.0 as u128) << 64) | self.0.1 as u128).to_be_bytes()
    }

    /// The id with these 16 bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self::of_bits(u128::from_be_bytes(bytes))
    }

    const fn of_bits(bits: u128) -> Self {
        Self(Halves((bits >> 64) as u64, bits as u64))
    }
}

/// Mints ids for one operation from a time and a seed. The same arguments give the same ids.
#[derive(Debug, Clone)]
pub struct Ids {
    millis: u64,
    state: u64,
    tail: u64,
    count: u16,
}

impl Ids {
    /// Starts at the time `now`; `seed` is 16 random bytes from the platform.
    pub fn new(now: Time, seed: [u8; 16]) -> Self {
        let half = |at: usize| seed[at..at + 8].iter().fold(0u64, |n, b| (n << 8) | u64::from(*b));
        Self { millis: now.millis().max(0) as u64, state: half(0), tail: half(8), count: 0 }
    }

    /// The next id, greater than all earlier ones.
    pub fn mint(&mut self) -> Id {
        // SplitMix64 spreads the seed over all ids of the operation.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state ^ self.tail;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        // A 12-bit counter after the time keeps the order of the ids; 7 and 2 are the UUIDv7 version and variant bits.
        let time = u128::from(self.millis & 0xFFFF_FFFF_FFFF) << 16 | 7 << 12 | u128::from(self.count);
        let bits = time << 64 | u128::from(z & (u64::MAX >> 2) | 2 << 62);
        self.count = (self.count + 1) & 0x0FFF;
        if self.count == 0 {
            self.millis += 1;
        }
        Id::of_bits(bits)
    }
}
