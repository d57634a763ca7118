//! The shipped files against the reference of `examples/encoder` and `examples/head`, and whatever else may be in a file.

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use memfold_encoder::{Encoder, Fault, Reader, gelu, half, softmax};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::sync::LazyLock;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/encoder");

static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| fs::read(format!("{DATA}/encoder.bin")).unwrap());
static HEAD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(fs::File::open(format!("{DATA}/head.bin.gz")).unwrap()).read_to_end(&mut out).unwrap();
    out
});

fn read(file: &[u8], stride: usize) -> Result<Encoder, Fault> {
    let mut encoder = None;
    let mut reader = Reader::new(false);
    file.chunks(stride).try_for_each(|c| reader.feed(None, c))?;
    reader.finish(&mut encoder)?;
    Ok(encoder.unwrap())
}

fn with_head(encoder: Encoder, file: &[u8], stride: usize) -> Result<Encoder, Fault> {
    let mut encoder = Some(encoder);
    let mut reader = Reader::new(true);
    file.chunks(stride).try_for_each(|c| reader.feed(encoder.as_ref(), c))?;
    reader.finish(&mut encoder)?;
    Ok(encoder.unwrap())
}

fn cases(name: &str) -> Vec<Value> {
    fs::read_to_string(format!("{CASES}/{name}")).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap()
}

fn tokens(case: &Value) -> Vec<u32> {
    case["tokens"].as_array().unwrap().iter().map(|t| t.as_u64().unwrap() as u32).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The place of each vector's nearest other.
fn nearest(all: &[Vec<f32>]) -> Vec<usize> {
    let other = |i: usize| (0..all.len()).filter(move |&j| j != i);
    (0..all.len())
        .map(|i| other(i).max_by(|&a, &b| dot(&all[i], &all[a]).total_cmp(&dot(&all[i], &all[b]))).unwrap())
        .collect()
}

#[test]
fn vectors_equal_the_reference_in_cosine_and_nearest_neighbour() {
    let mut encoder = read(&FILE, 1 << 16).unwrap();
    let wanted: Vec<Vec<f32>> = fs::read(format!("{CASES}/vectors.f16"))
        .unwrap()
        .chunks_exact(768)
        .map(|v| v.chunks_exact(2).map(half).collect())
        .collect();
    let mut made = Vec::new();
    let mut least = 1.0f32;
    for (case, wanted) in cases("texts.jsonl").iter().zip(&wanted) {
        let is_query = case["kind"] == "query";
        assert_eq!(encoder.tokens(text(case, "text"), is_query), tokens(case), "{case}");
        made.push(encoder.embed(text(case, "text"), is_query));
        let cosine = dot(made.last().unwrap(), wanted);
        assert!(cosine >= 0.999, "{cosine} {case}");
        least = least.min(cosine);
    }
    assert_eq!(made.len(), 200);
    let equal = nearest(&made).iter().zip(nearest(&wanted)).filter(|(a, b)| *a == b).count();
    println!("least cosine {least}, nearest neighbours: {equal} of 200 equal");
    assert!(equal >= 196, "{equal} of 200");
}

#[test]
fn judgements_equal_the_reference() {
    let mut encoder = read(&FILE, 1 << 16).unwrap();
    assert!(encoder.judge("a", "b", false).is_none());
    let mut encoder = with_head(encoder, &HEAD, 70_001).unwrap();
    let mut most = 0.0f32;
    for case in cases("pairs.jsonl") {
        let (stored, new, is_same) = (text(&case, "stored"), text(&case, "new"), case["sameThread"] == true);
        assert_eq!(encoder.pair_tokens(stored, new, is_same), tokens(&case), "{case}");
        let made = encoder.judge(stored, new, is_same).unwrap();
        assert!((made.iter().map(|x| x.exp()).sum::<f32>() - 1.0).abs() < 1e-4);
        for (made, wanted) in made.iter().zip(case["log"].as_array().unwrap()) {
            let wanted = wanted.as_f64().unwrap() as f32;
            most = most.max((made.exp() - wanted.exp()).abs());
        }
    }
    println!("largest difference of a probability: {most}");
    assert!(most < 0.03, "{most}");
}

#[test]
fn hard_texts_have_the_tokens_of_the_reference() {
    let encoder = read(&FILE, FILE.len()).unwrap();
    for case in cases("tokens.jsonl") {
        assert_eq!(encoder.tokenizer.tokens(text(&case, "text"), 1_000), tokens(&case), "{case}");
    }
}

#[test]
fn no_text_yields_a_control_token() {
    let encoder = read(&FILE, FILE.len()).unwrap();
    for word in ["<s>", "</s>", "<pad>", "<s> </s></s> same", "\0", "\u{10ffff}"] {
        assert!(encoder.tokenizer.tokens(word, 100).iter().all(|&t| t >= 3), "{word}");
    }
}

#[test]
fn long_texts_are_cut() {
    let mut encoder = read(&FILE, FILE.len()).unwrap();
    let long = "a long sentence about rent ".repeat(10_000);
    assert_eq!(encoder.tokens(&long, true).len(), 128);
    assert_eq!(encoder.pair_tokens(&long, &long, true).len(), 144);
    assert_eq!(encoder.embed(&long, true), encoder.embed(&long[..5_000], true));
    assert!(encoder.embed("", false).iter().all(|x| x.is_finite()));
}

/// The start of the shipped file with one layer and 600 pieces: small enough to be broken in many ways.
fn small() -> Vec<u8> {
    let field = |at: usize| u32::from_le_bytes(FILE[at..at + 4].try_into().unwrap()) as usize;
    let (pieces, bytes, licence) = (field(88), field(92), field(104));
    let mut at = 108 + licence;
    let mut next = |size: usize| {
        at += size;
        &FILE[at - size..at]
    };
    let (scores, lengths, all) = (next(4 * pieces), next(pieces), next(bytes));
    let (before, words) = (next(144 * 1_536 + 2 * 1_536), next(pieces * 216));
    let layer = next(4 * 384 * 220 + 1_536 * 220 + 384 * 868 + 4 * 1_536);
    let count = 600;
    let kept: usize = lengths[..count].iter().map(|&l| usize::from(l)).sum();
    let numbers = [count, kept, 1, 144, 0].map(|n| (n as u32).to_le_bytes()).concat();
    let body = [
        &[0; 32],
        numbers.as_slice(),
        &scores[..4 * count],
        &lengths[..count],
        &all[..kept],
        before,
        &words[..216 * count],
        layer,
    ]
    .concat();
    sealed(1, &body)
}

fn sealed(kind: u32, body: &[u8]) -> Vec<u8> {
    let numbers = [kind.to_le_bytes(), 1u32.to_le_bytes()].concat();
    [b"memfold\0", numbers.as_slice(), &(body.len() as u64).to_le_bytes(), &hmac_sha256::Hash::hash(body), body]
        .concat()
}

#[test]
fn small_files_work_in_pieces_of_any_size() {
    let file = small();
    let whole = read(&file, file.len()).unwrap().embed("월세 800 euros", true);
    for stride in [1, 7, 215, 4_096] {
        assert_eq!(read(&file, stride).unwrap().embed("월세 800 euros", true), whole);
    }
}

#[test]
fn files_that_are_cut_off_or_longer_are_refused() {
    let file = small();
    for length in (0..200).chain((200..file.len()).step_by(9_973)) {
        assert_eq!(read(&file[..length], 1 << 16).err(), Some(Fault::Truncated), "{length}");
    }
    assert_eq!(read(&[file.as_slice(), b"x"].concat(), 1 << 16).err(), Some(Fault::Foreign));
}

#[test]
fn damaged_files_are_refused_and_never_panic() {
    let file = small();
    for at in (0..400).chain((400..file.len()).step_by(9_973)) {
        let mut changed = file.clone();
        changed[at] ^= 0x55;
        let fault = read(&changed, 1 << 14).err();
        let expected: &[Fault] = match at {
            0..12 => &[Fault::Foreign],
            12..16 => &[Fault::Version],
            24..56 => &[Fault::Damaged],
            _ => &[Fault::Damaged, Fault::Foreign],
        };
        assert!(fault.is_some_and(|f| expected.contains(&f)), "{at}: {fault:?}");
    }
}

#[test]
fn foreign_files_are_refused() {
    let page = b"<!doctype html><title>Not found</title>".repeat(9);
    for file in [page.as_slice(), &[0; 400], &HEAD, &sealed(1, &[0xff; 300]), &sealed(1, &[0; 300])] {
        assert_eq!(read(file, 99).err(), Some(Fault::Foreign));
    }
    assert_eq!(with_head(read(&small(), 4_096).unwrap(), &FILE[..1_000], 99).err(), Some(Fault::Foreign));
}

#[test]
fn a_head_of_other_weights_is_refused() {
    let encoder = read(&small(), 1 << 16).unwrap();
    // It names these weights, but changes more layers than they have.
    let mut claims = HEAD.clone();
    claims[56..88].copy_from_slice(&encoder.id);
    let claims = sealed(2, &claims[56..]);
    assert_eq!(with_head(encoder, &claims, 1 << 16).err(), Some(Fault::OtherEncoder));
    assert_eq!(with_head(read(&small(), 1 << 16).unwrap(), &HEAD, 1 << 16).err(), Some(Fault::OtherEncoder));
}

#[test]
fn functions_are_close_to_the_exact_ones() {
    let mut x: Vec<f32> = (-40..40).map(|n| n as f32 / 10.0).collect();
    let exact: Vec<f64> = x.iter().map(|&x| f64::from(x) / 2.0 * (1.0 + erf(f64::from(x) / 2f64.sqrt()))).collect();
    gelu(&mut x);
    for (a, b) in x.iter().zip(exact) {
        assert!((f64::from(*a) - b).abs() < 2e-5, "{a} {b}");
    }
    let mut scores = [0.0, -1.0, -30.0, 3.0];
    softmax(&mut scores);
    let sum: f64 = [0.0f64, -1.0, -30.0, 3.0].iter().map(|s| s.exp()).sum();
    assert!(scores.iter().zip([0.0f64, -1.0, -30.0, 3.0]).all(|(a, s)| (f64::from(*a) - s.exp() / sum).abs() < 1e-6));
}

/// By its series, which is exact enough where |x| < 4.
fn erf(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}
