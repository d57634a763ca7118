//! [`Remote`]: the interface of an embedding model behind an endpoint or an application function.
//!
//! It may fail at any time: the built-in embedder's vectors are used instead, so no memory is lost.

use crate::similarity::{Calibration, cosine};
use std::fmt::Debug;
use std::pin::Pin;

/// Why an embedder returned no vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmade {
    /// A stable code, such as `timeout`, `unauthorized` or `malformed`.
    pub code: String,
    /// Whether a single text may be the cause, so that a smaller batch may succeed.
    pub by_text: bool,
}

impl Unmade {
    /// A failure with this code. `by_text` is set for `rejected`, `too_large` and `malformed`.
    pub fn new(code: impl Into<String>) -> Self {
        let code = code.into();
        Self { by_text: matches!(code.as_str(), "rejected" | "too_large" | "malformed"), code }
    }
}

/// What a text is embedded for; some models treat queries and documents differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// A search query.
    Query,
    /// A stored text, or one to compare with stored texts.
    Document,
}

impl TextKind {
    /// The name in JavaScript.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Document => "document",
        }
    }
}

/// A future of vectors.
pub type Making<'a> = Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, Unmade>> + 'a>>;

/// A pair of texts to classify. A text with a subject is `subject: text`.
#[derive(Debug, Clone, Copy)]
pub struct TextPair<'a> {
    /// The stored text.
    pub stored: &'a str,
    /// The new text.
    pub new: &'a str,
    /// Whether both belong to the same thread.
    pub is_one_thread: bool,
}

/// A future of pair classifications: four log probabilities for each pair.
pub type Judging<'a> = Pin<Box<dyn Future<Output = Result<Vec<f32>, Unmade>> + 'a>>;

/// An embedding model behind an endpoint or an application function.
pub trait Remote: Debug {
    /// The tag of its vectors; vectors with different tags are never compared.
    fn model(&self) -> &str;

    /// The origin that texts are sent to; `None` for an application function.
    fn origin(&self) -> Option<&str> {
        None
    }

    /// Whether it runs on this device, so that its input need not be listed as sent out.
    fn is_local(&self) -> bool {
        false
    }

    /// The length of its vectors, if known in advance.
    fn dimensions(&self) -> Option<usize>;

    /// The prefix that the model expects before each text of a kind; empty if it needs none.
    fn prefix(&self, _kind: TextKind) -> &'static str {
        ""
    }

    /// One vector for each text, in order. The texts include their prefixes. It must end within its own timeout.
    fn embed<'a>(&'a self, texts: &'a [&'a str], kind: TextKind) -> Making<'a>;

    /// Whether it supports [`Remote::judge`].
    fn judges(&self) -> bool {
        false
    }

    /// Classifies each pair: the log probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE, pair after pair. It
    /// must end within its own timeout.
    fn judge<'a>(&'a self, _pairs: &'a [TextPair<'a>]) -> Judging<'a> {
        Box::pin(std::future::ready(Err(Unmade::new("unsupported"))))
    }
}

/// Normalises the log probabilities of `count` pairs.
///
/// # Errors
/// `malformed` if there are not four finite numbers for each pair.
pub fn judgements(logs: &[f32], count: usize) -> Result<Vec<[f32; 4]>, Unmade> {
    let (pairs, rest) = logs.as_chunks::<4>();
    if pairs.len() != count || !rest.is_empty() || logs.iter().any(|x| !x.is_finite()) {
        return Err(Unmade::new("malformed"));
    }
    let whole = |pair: &[f32; 4]| {
        let top = pair.iter().copied().fold(f32::MIN, f32::max);
        let sum: f32 = pair.iter().map(|x| (x - top).exp()).sum();
        pair.map(|x| (x - top - sum.ln()).max(f32::MIN))
    };
    Ok(pairs.iter().map(whole).collect())
}

const MAX_DIMENSIONS: usize = 16_384;

/// Checks the vectors of `count` texts and normalises their lengths to 1.
///
/// # Errors
/// `malformed` if one is missing, not finite or zero; `wrong_dimension`.
pub fn sound(mut vectors: Vec<Vec<f32>>, count: usize, dimensions: Option<usize>) -> Result<Vec<Vec<f32>>, Unmade> {
    let wide = dimensions.or(vectors.first().map(Vec::len)).unwrap_or_default();
    if vectors.len() != count || vectors.iter().flatten().any(|x| !x.is_finite()) {
        return Err(Unmade::new("malformed"));
    }
    if vectors.iter().any(|v| v.len() != wide) || !(1..=MAX_DIMENSIONS).contains(&wide) {
        return Err(Unmade::new("wrong_dimension"));
    }
    for v in &mut vectors {
        let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        if !(norm.is_finite() && norm > f32::MIN_POSITIVE) {
            return Err(Unmade::new("malformed"));
        }
        v.iter_mut().for_each(|x| *x /= norm);
    }
    Ok(vectors)
}

/// Calibration pairs by similarity level: unrelated, related topic, same fact with another value, same statement.
const ANCHORS: [&[(&str, &str)]; 4] = [
    &[
        ("The choir rehearses in the town hall on Thursday.", "The invoice for the roof repair is still unpaid."),
        ("합창단이 목요일에 시민회관에서 연습한다", "배송비는 삼천 원이고 반품은 안 된다"),
        ("Our cat has an appointment with the vet.", "The release notes list three fixed crashes."),
        ("고양이 예방접종을 예약했다", "분기 보고서 초안을 팀장에게 보냈다"),
    ],
    &[
        ("The harbour museum reopens in May.", "Volunteers are to guide visitors through the harbour museum."),
        ("도서관 이전 공사는 시청이 맡는다", "도서관 이전 공사 때문에 주차장을 닫는다"),
        ("The spring fair has room for forty stalls.", "The autumn fair has room for sixty stalls."),
        ("상반기 채용 목표는 여덟 명이다", "하반기 채용 목표는 다섯 명이다"),
    ],
    &[
        ("The rent for the studio is 800 euros a month.", "The rent for the studio is now 860 euros a month."),
        ("신제품 발표회는 3월 4일 오전 10시에 연다", "신제품 발표회는 3월 6일 오전 11시에 연다"),
        ("The parcel from Lyon has been shipped.", "The parcel from Lyon has been delivered."),
        ("보고서 검토가 진행 중이다", "보고서 검토가 끝났다"),
    ],
    &[
        ("Dinner is on Friday at 7 near the old bridge.", "Dinner is on Friday at 7, near the old bridge!"),
        ("회식은 금요일 저녁 7시 강남역 근처이다", "회식은 금요일 저녁 7시, 강남역 근처다."),
    ],
];
const LEVEL_FACTORS: [f32; 4] = [0.30, 0.74, 0.86, 0.96];
/// The least difference of cosines between same and unrelated texts for an embedder to be usable.
const LEAST_SPREAD: f32 = 0.05;

/// The mean cosine of each level of calibration pairs.
pub type Levels = [f32; 4];

/// The texts of the calibration pairs.
pub fn anchors() -> Vec<&'static str> {
    ANCHORS.iter().copied().flatten().flat_map(|(a, b)| [*a, *b]).collect()
}

/// Measures the mean cosine of each level; `vectors` are those of [`anchors`].
///
/// # Errors
/// `indistinct` if the embedder hardly separates same from unrelated texts.
pub fn measured(vectors: &[Vec<f32>]) -> Result<Levels, Unmade> {
    let mut pairs = vectors.chunks(2);
    let levels = ANCHORS.map(|level| {
        let cosines = pairs.by_ref().take(level.len()).filter_map(|p| Some(cosine(p.first()?, p.get(1)?)));
        cosines.sum::<f32>() / level.len() as f32
    });
    // A comparison with NaN is false.
    if levels[2].min(levels[3]) - levels[0] >= LEAST_SPREAD { Ok(levels) } else { Err(Unmade::new("indistinct")) }
}

/// The calibration of an embedder from its measured levels.
pub fn calibrated(levels: Levels) -> Calibration {
    Calibration::measured(levels.into_iter().zip(LEVEL_FACTORS))
}
