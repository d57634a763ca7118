//! Sets of domain names as hashes in Golomb–Rice code: one name in 4,096 that is not in a set is taken for a member of it.
//!
//! `build.rs` shares this file.

use std::ops::Range;

/// Bits of a remainder: a name that is no member is taken for one with a chance of 1 in 2 to this power.
const REMAINDER: u32 = 12;
/// Members are looked up by the bucket that they fall into.
const BUCKETS: usize = 256;
/// Bytes of a number in the head of a set.
const WIDTH: usize = 4;

/// FNV-1a.
fn hash(name: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    // The last bytes hardly reach the upper bits, by which members are told apart.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash ^ hash >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The place of a name among so many members, and the bucket that it is in.
fn place(name: &str, members: u32) -> (u64, usize) {
    let range = u64::from(members) << REMAINDER;
    let place = ((u128::from(hash(name)) * u128::from(range)) >> 64) as u64;
    (place, (u128::from(place) * BUCKETS as u128 / u128::from(range.max(1))) as usize)
}

/// The first place of a bucket.
fn first(bucket: usize, members: u32) -> u64 {
    let range = u64::from(members) << REMAINDER;
    (bucket as u64 * range).div_ceil(BUCKETS as u64)
}

/// A set as bytes: how many members, where each bucket ends in bits, and the buckets.
#[allow(dead_code)]
pub fn encode<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<u8> {
    let members = names.clone().count() as u32;
    let mut places: Vec<(u64, usize)> = names.map(|name| place(name, members)).collect();
    places.sort_unstable();
    places.dedup();
    let (mut bits, mut ends) = (Vec::new(), Vec::new());
    for bucket in 0..BUCKETS {
        let mut at = first(bucket, members);
        for (place, _) in places.iter().filter(|p| p.1 == bucket) {
            let delta = place - at;
            bits.extend(std::iter::repeat_n(true, (delta >> REMAINDER) as usize));
            bits.push(false);
            bits.extend((0..REMAINDER).rev().map(|n| delta >> n & 1 == 1));
            at = *place;
        }
        ends.push(bits.len() as u32);
    }
    let mut out: Vec<u8> = std::iter::once(members).chain(ends).flat_map(u32::to_le_bytes).collect();
    out.extend(bits.chunks(8).map(|byte| byte.iter().enumerate().fold(0, |b, (n, bit)| b | u8::from(*bit) << n)));
    out
}

/// Whether a name is a member of the set that these bytes are.
#[allow(dead_code)]
pub fn contains(set: &[u8], name: &str) -> bool {
    let number = |n: usize| {
        let bytes = set.get(n * WIDTH..(n + 1) * WIDTH).and_then(|b| b.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    };
    let members = number(0);
    let (sought, bucket) = place(name, members);
    let mut bits: Range<usize> = if bucket == 0 { 0 } else { number(bucket) as usize }..number(bucket + 1) as usize;
    let data = set.get((1 + BUCKETS) * WIDTH..).unwrap_or_default();
    let bit = |n: usize| data.get(n / 8).is_some_and(|byte| byte >> (n % 8) & 1 == 1);
    let mut at = first(bucket, members);
    while !bits.is_empty() {
        let ones = bits.by_ref().take_while(|n| bit(*n)).count() as u64;
        let rest = bits.by_ref().take(REMAINDER as usize).fold(0, |rest, n| rest << 1 | u64::from(bit(n)));
        at += (ones << REMAINDER) + rest;
        if at >= sought {
            return at == sought;
        }
    }
    false
}
