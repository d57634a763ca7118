//! The port of an embedder that is somewhere else: an endpoint, or a function of the application.
//!
//! It may fail at any time and costs no memory by it: what it does not embed is compared by the built-in embedder.

use crate::model::Id;
use crate::similarity::{Calibration, cosine};
use std::fmt::Debug;
use std::pin::Pin;

/// Why no vectors came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmade {
    /// A stable code, such as `timeout`, `unauthorized` or `malformed`.
    pub code: String,
    /// Whether a single one of several texts may be at fault, so that fewer at once may pass.
    pub by_text: bool,
}

impl Unmade {
    /// Of this code; a single text may be at fault where it is `rejected`, `too_large` or `malformed`.
    pub fn new(code: impl Into<String>) -> Self {
        let code = code.into();
        Self { by_text: matches!(code.as_str(), "rejected" | "too_large" | "malformed"), code }
    }
}

/// What a text is embedded for: some models embed a question otherwise than what answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// A question.
    Query,
    /// What is stored, or compared with what is stored.
    Document,
}

impl TextKind {
    /// As it is called in JavaScript.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Document => "document",
        }
    }
}

/// Vectors on their way.
pub type Making<'a> = Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, Unmade>> + 'a>>;

/// Memories and their vectors on their way.
pub type Nearest<'a> = Pin<Box<dyn Future<Output = Result<(Vec<Id>, Vec<Vec<f32>>), Unmade>> + 'a>>;

/// A pair of texts whose relation is asked for. A text with a subject is written `subject: text`.
#[derive(Debug, Clone, Copy)]
pub struct TextPair<'a> {
    /// The stored text.
    pub stored: &'a str,
    /// The new text.
    pub new: &'a str,
    /// Whether both are of one thread.
    pub is_one_thread: bool,
}

/// Judgements of pairs on their way: four logarithms for each pair.
pub type Judging<'a> = Pin<Box<dyn Future<Output = Result<Vec<f32>, Unmade>> + 'a>>;

/// Turns texts into vectors of its own kind.
pub trait Remote: Debug {
    /// The tag that its vectors are kept under: another tag means other vectors.
    fn model(&self) -> &str;

    /// Where the texts go, as an origin; `None` where a function of the application takes them.
    fn origin(&self) -> Option<&str> {
        None
    }

    /// Whether it runs on this device, so that what it is given leaves nothing to be listed.
    fn is_local(&self) -> bool {
        false
    }

    /// The length of its vectors, where it is known before the first.
    fn dimensions(&self) -> Option<usize>;

    /// What the model wants before each text of a kind; nothing where it is told otherwise, or makes no difference.
    fn prefix(&self, _kind: TextKind) -> &'static str {
        ""
    }

    /// Whether its vectors of documents are others than it made before it was told what a text is for.
    fn marks_documents(&self) -> bool {
        false
    }

    /// One vector for each text, in order; the prefixes are there already. It ends within a time of its own.
    fn embed<'a>(&'a self, texts: &'a [&'a str], kind: TextKind) -> Making<'a>;

    /// Whether its vectors of memories are kept elsewhere as well, where [`Remote::nearest`] looks for them.
    fn keeps(&self) -> bool {
        false
    }

    /// The memories whose vectors, where these are kept elsewhere, are nearest to this one, with them.
    fn nearest<'a>(&'a self, _vector: &'a [f32]) -> Nearest<'a> {
        Box::pin(std::future::ready(Ok((Vec::new(), Vec::new()))))
    }

    /// Whether [`Remote::judge`] answers.
    fn judges(&self) -> bool {
        false
    }

    /// How each new text relates to the stored one: the logarithms of the probabilities of SKIP, UPDATE, CREATE_AND_LINK and
    /// CREATE, pair after pair. It ends within a time of its own.
    fn judge<'a>(&'a self, _pairs: &'a [TextPair<'a>]) -> Judging<'a> {
        Box::pin(std::future::ready(Err(Unmade::new("unsupported"))))
    }
}

/// The judgements of `count` pairs as logarithms of probabilities that sum to 1.
///
/// # Errors
/// `malformed` where there are not four finite numbers for each pair.
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

/// The longest vector that is taken.
const MOST_DIMENSIONS: usize = 16_384;

/// The vectors as unit vectors, where there is one for each of `count` texts and all are sound.
///
/// # Errors
/// `malformed` where one is missing, not finite or without direction; `wrong_dimension`.
pub fn sound(mut vectors: Vec<Vec<f32>>, count: usize, dimensions: Option<usize>) -> Result<Vec<Vec<f32>>, Unmade> {
    let wide = dimensions.or(vectors.first().map(Vec::len)).unwrap_or_default();
    if vectors.len() != count || vectors.iter().flatten().any(|x| !x.is_finite()) {
        return Err(Unmade::new("malformed"));
    }
    if vectors.iter().any(|v| v.len() != wide) || !(1..=MOST_DIMENSIONS).contains(&wide) {
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

/// Pairs of texts whose likeness is known, by levels: nothing in common, another matter of the same thing, the same thing
/// with another value, the same words.
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
/// What the levels are on the scale of the bands.
const FACTORS: [f32; 4] = [0.30, 0.74, 0.86, 0.96];
/// An embedder that tells the same from the unrelated by less than this tells nothing.
const LEAST_SPREAD: f32 = 0.05;

/// The mean cosine of each level of anchors, by which an embedder is calibrated.
pub type Levels = [f32; 4];

/// The texts that an embedder is measured by.
pub fn anchors() -> Vec<&'static str> {
    ANCHORS.iter().copied().flatten().flat_map(|(a, b)| [*a, *b]).collect()
}

/// How alike an embedder finds the pairs of each level; `vectors` are those of [`anchors`].
///
/// # Errors
/// `indistinct` where it hardly tells the same from the unrelated: nothing may be decided by it.
pub fn measured(vectors: &[Vec<f32>]) -> Result<Levels, Unmade> {
    let mut pairs = vectors.chunks(2);
    let levels = ANCHORS.map(|level| {
        let cosines = pairs.by_ref().take(level.len()).filter_map(|p| Some(cosine(p.first()?, p.get(1)?)));
        cosines.sum::<f32>() / level.len() as f32
    });
    // Comparisons with a number that is none are false.
    if levels[2].min(levels[3]) - levels[0] >= LEAST_SPREAD { Ok(levels) } else { Err(Unmade::new("indistinct")) }
}

/// The map from an embedder's cosines onto the scale of the bands.
pub fn calibrated(levels: Levels) -> Calibration {
    Calibration::measured(levels.into_iter().zip(FACTORS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::HashingEmbedder;

    fn code(vectors: Vec<Vec<f32>>, count: usize, dimensions: Option<usize>) -> String {
        sound(vectors, count, dimensions).unwrap_err().code
    }

    #[test]
    fn only_whole_finite_vectors_with_a_direction_and_of_one_length_are_taken() {
        let unit = sound(vec![vec![3.0, 4.0], vec![0.0, -2.0]], 2, None).unwrap();
        assert_eq!(unit, [[0.6, 0.8], [0.0, -1.0]]);
        assert_eq!(code(vec![vec![1.0]], 2, None), "malformed");
        assert_eq!(code(vec![vec![f32::NAN]], 1, None), "malformed");
        assert_eq!(code(vec![vec![f32::MAX, f32::MAX]], 1, None), "malformed");
        assert_eq!(code(vec![vec![0.0, 0.0]], 1, None), "malformed");
        assert_eq!(code(vec![vec![]], 1, None), "wrong_dimension");
        assert_eq!(code(vec![vec![1.0], vec![1.0, 0.0]], 2, None), "wrong_dimension");
        assert_eq!(code(vec![vec![1.0]], 1, Some(2)), "wrong_dimension");
    }

    #[test]
    fn judgements_are_four_finite_logarithms_a_pair() {
        let logs = judgements(&[0.0, 0.0, -1.0, 2.0, -1e30, 1e30, 0.0, 0.0], 2).unwrap();
        assert!(logs.iter().all(|p| (p.iter().map(|x| x.exp()).sum::<f32>() - 1.0).abs() < 1e-5), "{logs:?}");
        assert!(logs.iter().flatten().all(|x| x.is_finite()));
        for (wrong, count) in
            [(vec![0.0; 4], 2), (vec![0.0; 5], 1), (vec![0.0, f32::NAN, 0.0, 0.0], 1), (vec![f32::NEG_INFINITY; 4], 1)]
        {
            assert_eq!(judgements(&wrong, count).unwrap_err().code, "malformed");
        }
    }

    #[test]
    fn an_embedder_is_measured_by_anchors_and_one_that_tells_nothing_is_refused() {
        let vectors: Vec<Vec<f32>> = anchors().into_iter().map(|t| HashingEmbedder.vector(t)).collect();
        let levels = measured(&vectors).unwrap();
        assert!(levels.windows(2).all(|w| w[0] < w[1]), "{levels:?}");
        let map = calibrated(levels);
        for (cosine, factor) in levels.into_iter().zip(FACTORS) {
            assert!((map.apply(cosine) - factor).abs() < 1e-3, "{cosine} → {}", map.apply(cosine));
        }
        let same = vec![vec![1.0, 0.0]; vectors.len()];
        assert_eq!(measured(&same), Err(Unmade::new("indistinct")));
        assert_eq!(measured(&[]), Err(Unmade::new("indistinct")));
        // Levels that do not rise still make a map that does.
        let map = calibrated([0.9, 0.7, 0.99, 0.98]);
        let mut last = 0.0;
        for n in 0..=100u8 {
            let now = map.apply(f32::from(n) / 100.0);
            assert!((last..=1.0).contains(&now), "{n}");
            last = now;
        }
        assert_eq!((map.apply(1.0), map.apply(-1.0)), (1.0, 0.0));
    }
}
