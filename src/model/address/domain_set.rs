//! Sets of domain names as Golomb–Rice coded hashes; one in 4,096 non-members is a false positive.
//!
//! `build.rs` shares this file.

use std::ops::Range;

/// Bits of a Rice remainder; the false-positive rate is 1 in 2 to this power.
const REMAINDER: u32 = 12;
/// Buckets shorten the linear decoding of a lookup.
const BUCKETS: usize = 256;
/// Bytes of a number in the header.
const WIDTH: usize = 4;

fn hash(name: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    // FNV-1a mixes the last bytes poorly into the upper bits, which distinguish members.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash ^ hash >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn position(name: &str, members: u32) -> (u64, usize) {
    let range = u64::from(members) << REMAINDER;
    let position = ((u128::from(hash(name)) * u128::from(range)) >> 64) as u64;
    (position, (u128::from(position) * BUCKETS as u128 / u128::from(range.max(1))) as usize)
}

fn first(bucket: usize, members: u32) -> u64 {
    let range = u64::from(members) << REMAINDER;
    (bucket as u64 * range).div_ceil(BUCKETS as u64)
}

/// Encodes a set: the number of members, the end of each bucket in bits, the buckets.
#[allow(dead_code)]
pub fn encode<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<u8> {
    let members = names.clone().count() as u32;
    let mut positions: Vec<(u64, usize)> = names.map(|name| position(name, members)).collect();
    positions.sort_unstable();
    positions.dedup();
    let (mut bits, mut ends) = (Vec::new(), Vec::new());
    for bucket in 0..BUCKETS {
        let mut at = first(bucket, members);
        for (position, _) in positions.iter().filter(|p| p.1 == bucket) {
            let delta = position - at;
            bits.extend(std::iter::repeat_n(true, (delta >> REMAINDER) as usize));
            bits.push(false);
            bits.extend((0..REMAINDER).rev().map(|n| delta >> n & 1 == 1));
            at = *position;
        }
        ends.push(bits.len() as u32);
    }
    let mut out: Vec<u8> = std::iter::once(members).chain(ends).flat_map(u32::to_le_bytes).collect();
    out.extend(bits.chunks(8).map(|byte| byte.iter().enumerate().fold(0, |b, (n, bit)| b | u8::from(*bit) << n)));
    out
}

/// Whether a name is in an encoded set.
#[allow(dead_code)]
pub fn contains(set: &[u8], name: &str) -> bool {
    let number = |n: usize| {
        let bytes = set.get(n * WIDTH..(n + 1) * WIDTH).and_then(|b| b.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    };
    let members = number(0);
    let (sought, bucket) = position(name, members);
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
