//! Computes the named numeric features of a pair. Their weights are fitted, not written here.

mod coverage;
mod setting;
mod shape;
mod sheet;
mod values;

pub use sheet::Sheet;

use super::align::Alignment;
use super::ngram_weights;
use super::pairing::Pairing;
use super::reading::Reading;

/// Adds the features of a pair to `sheet`; returns the alignment and pairing behind them.
pub fn features(a: &Reading, b: &Reading, sheet: &mut Sheet) -> (Alignment, Pairing) {
    sheet.values.reserve(128);
    let mut alignment = Alignment::of(&a.words, &b.words);
    let pairing = Pairing::of(a, b, &alignment);
    pairing.mark(a, b, &mut alignment);
    let al = &alignment;
    setting::setting(a, b, sheet);
    let (wa, wb) = (&a.words, &b.words);
    coverage::covered(wa, wb, al, sheet);
    shape::shape(wa, wb, al, sheet);
    setting::entities(a, b, sheet);
    values::numbers(wa, wb, al, sheet);
    values::features(a, b, &pairing, sheet);
    shape::subject(wa, wb, al, sheet);
    for (name, score) in ngram_weights::NAMES.iter().zip(ngram_weights::scores(a, b, al)) {
        sheet.put(name, score);
    }
    (alignment, pairing)
}
