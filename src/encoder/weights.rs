//! Streaming reader for the files of the encoder and its heads; `examples/encoder/container.py` writes them.
//!
//! Encoder weights stay as in the file; head weights are rounded to 8 bits. Invalid bytes give a `Fault`, never a
//! panic.

use crate::kernels::{BLOCK, WIDTH};
use crate::model::{Encoder, Head, OUTCOMES, POSITIONS, SHAPES, Stack};
use hmac_sha256::Hash;

/// Why a file is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Not an encoder file.
    Foreign,
    /// An unsupported version.
    Version,
    /// Truncated.
    Truncated,
    /// The bytes do not match the hash in the header.
    Damaged,
    /// A head for other weights.
    OtherEncoder,
    /// Not enough memory.
    OutOfMemory,
}

const MAGIC: &[u8; 8] = b"memfold\0";
const VERSION: u32 = 1;
/// Bytes before the hashed part, and before the licence.
const PREFIX: usize = 56;
const HEADER: usize = 108;
/// Upper bounds for sizes in a valid file.
const MAX_PIECES: usize = 300_000;
const MAX_BYTES: usize = 8_000_000;
const MAX_LAYERS: usize = 12;

/// The bytes of this many values in 4-bit blocks.
pub(crate) const fn packed(values: usize) -> usize {
    values / BLOCK * 18
}

/// The values of a 4-bit block: after an f16 scale, the low halves of 16 bytes, then the high ones.
fn values(block: &[u8]) -> impl Iterator<Item = i8> + '_ {
    let bytes = &block[2..];
    bytes.iter().map(|b| (b & 15) as i8 - 8).chain(bytes.iter().map(|b| (b >> 4) as i8 - 8))
}

/// Appends the values of 4-bit blocks.
pub(crate) fn unpack(blocks: &[u8], out: &mut Vec<f32>) {
    for block in blocks.chunks_exact(packed(BLOCK)) {
        let scale = half(block);
        out.extend(values(block).map(|v| f32::from(v) * scale));
    }
}

/// Decodes the f16 at the start of these bytes.
pub fn half(bytes: &[u8]) -> f32 {
    let bits = u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    let (exponent, fraction) = (bits >> 10 & 31, bits & 1_023);
    let size = match exponent {
        0 => fraction as f32 / 16_777_216.0,
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if bits >> 15 == 1 { -size } else { size }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

type ReadResult = Result<(), Fault>;

/// A part of the file. The numbers are the layer and the matrix, norm or classifier.
#[derive(Clone, Copy)]
enum Part {
    Start,
    Licence,
    Scores,
    Lengths,
    Pieces,
    Positions,
    FirstNorm,
    Words,
    Row(usize, usize),
    Bias(usize, usize),
    Norm(usize, usize),
    Classifier(usize),
}

/// A part, the size of its records in bytes, and the number of remaining records.
struct Section(Part, usize, usize);

/// Reads a weights file, or a head for loaded weights, as a stream.
pub struct Reader {
    is_head: bool,
    hash: Hash,
    id: [u8; 32],
    /// The remaining sections; the next one is last.
    sections: Vec<Section>,
    /// The bytes of an incomplete record.
    pending: Vec<u8>,
    encoder: Encoder,
    head: Head,
}

impl Reader {
    /// Starts a head or a weights file.
    pub fn new(is_head: bool) -> Self {
        let sections = vec![Section(Part::Start, HEADER, 1)];
        let (encoder, head) = (Encoder::default(), Head::default());
        Self { is_head, hash: Hash::new(), id: [0; 32], sections, pending: Vec::new(), encoder, head }
    }

    /// Reads the next bytes; a head's rows are changes to the weights of `base`.
    pub fn feed(&mut self, base: Option<&Encoder>, mut chunk: &[u8]) -> ReadResult {
        while !chunk.is_empty() {
            let Some(Section(part, size, count)) = self.sections.pop() else { return Err(Fault::Foreign) };
            let (now, later) = chunk.split_at((size - self.pending.len()).min(chunk.len()));
            chunk = later;
            if self.pending.len() + now.len() < size {
                self.pending.extend_from_slice(now);
                self.sections.push(Section(part, size, count));
                break;
            }
            if count > 1 {
                self.sections.push(Section(part, size, count - 1));
            }
            let mut pending = std::mem::take(&mut self.pending);
            pending.extend_from_slice(if pending.is_empty() { &[] } else { now });
            let record = if pending.is_empty() { now } else { &pending };
            self.hash.update(if matches!(part, Part::Start) { &record[PREFIX..] } else { record });
            self.take(part, record, count, base)?;
            pending.clear();
            self.pending = pending;
        }
        Ok(())
    }

    /// The SHA-256 in the header, once it has been read.
    pub fn id(&self) -> Option<[u8; 32]> {
        (!matches!(self.sections.last(), Some(Section(Part::Start, ..)))).then_some(self.id)
    }

    /// Checks that the file is complete, then installs the weights or head in `encoder`.
    pub fn finish(mut self, encoder: &mut Option<Encoder>) -> ReadResult {
        if !self.sections.is_empty() {
            return Err(Fault::Truncated);
        }
        if self.hash.finalize() != self.id {
            return Err(Fault::Damaged);
        }
        match encoder {
            Some(encoder) if self.is_head => encoder.head = Some(self.head),
            _ => {
                self.encoder.id = self.id;
                *encoder = Some(self.encoder);
            }
        }
        Ok(())
    }

    fn stack(&mut self) -> &mut Stack {
        if self.is_head { &mut self.head.stack } else { &mut self.encoder.stack }
    }

    /// Reads a record of a part, of which `count` remain, including this one.
    fn take(&mut self, part: Part, record: &[u8], count: usize, base: Option<&Encoder>) -> ReadResult {
        let is_halves = self.is_head && matches!(part, Part::Positions | Part::Classifier(0));
        let tokenizer = &mut self.encoder.tokenizer;
        let list = match part {
            Part::Start => return self.start(record, base),
            Part::Licence => return Ok(()),
            Part::Lengths => {
                let end = tokenizer.ends.last().unwrap_or(&0) + u32::from(record[0]);
                return append(&mut tokenizer.ends, count, [end].into_iter());
            }
            Part::Pieces => {
                append(&mut tokenizer.bytes, record.len(), record.iter().copied())?;
                let is_whole = tokenizer.ends.last().is_some_and(|&end| end as usize == record.len());
                return if is_whole && tokenizer.is_sorted() { Ok(()) } else { Err(Fault::Foreign) };
            }
            Part::Words => return append(&mut self.encoder.words, count * record.len(), record.iter().copied()),
            Part::Row(layer, matrix) => return self.row(layer, matrix, record, count, base),
            Part::Scores => &mut tokenizer.scores,
            Part::Positions => &mut self.stack().positions,
            Part::FirstNorm => &mut self.stack().norm,
            Part::Bias(layer, matrix) => &mut self.stack().layers[layer].matrices[matrix].bias,
            Part::Norm(layer, norm) => &mut self.stack().layers[layer].norms[norm],
            Part::Classifier(which) => &mut self.head.classifier[which],
        };
        let most = count * record.len() / 2;
        if is_halves {
            append(list, most, record.chunks_exact(2).map(half))
        } else {
            append(list, most / 2, record.chunks_exact(4).map(|b| f32::from_bits(word(b))))
        }
    }

    /// Reads a matrix row: quantised blocks, or for a head, changes to the same row of `base`.
    fn row(&mut self, layer: usize, matrix: usize, record: &[u8], count: usize, base: Option<&Encoder>) -> ReadResult {
        let base = base.filter(|_| self.is_head).map(|b| &b.stack.layers[layer].matrices[matrix]);
        let made = &mut self.stack().layers[layer].matrices[matrix];
        made.length = SHAPES[matrix].1;
        append(&mut made.weights, count * made.length, [].into_iter())?;
        append(&mut made.scales, count * made.length / BLOCK, [].into_iter())?;
        let Some(base) = base else {
            for block in record.chunks_exact(packed(BLOCK)) {
                made.scales.push(half(block));
                made.weights.extend(values(block));
            }
            return Ok(());
        };
        let at = made.weights.len();
        let step = half(record);
        let mut changes = record[2..].iter().flat_map(|b| [b >> 3 & 7, b & 7]).map(|c| (f32::from(c) - 3.0) * step);
        for (weights, scale) in base.weights[at..at + made.length].chunks_exact(BLOCK).zip(&base.scales[at / BLOCK..]) {
            let block: Vec<f32> = weights.iter().zip(&mut changes).map(|(&w, c)| f32::from(w) * scale + c).collect();
            made.push(&block);
        }
        Ok(())
    }

    /// Reads the header: the sizes of the parts, which must add up to the length of the file.
    fn start(&mut self, bytes: &[u8], base: Option<&Encoder>) -> ReadResult {
        if &bytes[..8] != MAGIC || word(&bytes[8..]) != 1 + u32::from(self.is_head) {
            return Err(Fault::Foreign);
        }
        if word(&bytes[12..]) != VERSION {
            return Err(Fault::Version);
        }
        self.id.copy_from_slice(&bytes[24..PREFIX]);
        let number = |at: usize| word(&bytes[PREFIX + 32 + at * 4..]) as usize;
        let (pieces, piece_bytes, layers, licence) = (number(0), number(1), number(2), number(4));
        let fits = pieces <= MAX_PIECES && piece_bytes <= MAX_BYTES && (1..=MAX_LAYERS).contains(&layers);
        if !fits || number(3) != POSITIONS || licence > MAX_BYTES || self.is_head == (pieces > 4) {
            return Err(Fault::Foreign);
        }
        let mut all = Vec::new();
        let mut add = |part, size, count| all.push(Section(part, size, count));
        let (state, value) = (4 * WIDTH, if self.is_head { 2 } else { 4 });
        add(Part::Licence, licence, 1);
        add(Part::Scores, 4, pieces);
        add(Part::Lengths, 1, pieces);
        add(Part::Pieces, piece_bytes, 1);
        add(Part::Positions, value * WIDTH, POSITIONS);
        add(Part::FirstNorm, 2 * state, 1);
        add(Part::Words, packed(WIDTH), pieces);
        for layer in 0..layers {
            for (matrix, (count, length)) in SHAPES.into_iter().enumerate() {
                add(Part::Row(layer, matrix), if self.is_head { 2 + length / 2 } else { packed(length) }, count);
                add(Part::Bias(layer, matrix), 4 * count, 1);
            }
            add(Part::Norm(layer, 0), 2 * state, 1);
            add(Part::Norm(layer, 1), 2 * state, 1);
        }
        let classifier = [(state, WIDTH), (state, 1), (state, OUTCOMES), (4 * OUTCOMES, 1)];
        for (which, (size, count)) in classifier.into_iter().enumerate().filter(|_| self.is_head) {
            add(Part::Classifier(which), size, count);
        }
        all.retain(|Section(_, size, count)| size * count > 0);
        let sum: usize = all.iter().map(|Section(_, size, count)| size * count).sum();
        if bytes[16..24] != ((HEADER - PREFIX + sum) as u64).to_le_bytes() {
            return Err(Fault::Foreign);
        }
        if self.is_head && base.is_none_or(|b| b.id != bytes[PREFIX..PREFIX + 32] || b.stack.layers.len() < layers) {
            return Err(Fault::OtherEncoder);
        }
        all.reverse();
        self.sections = all;
        self.stack().layers.resize_with(layers, Default::default);
        Ok(())
    }
}

/// Appends to a list, and on first use reserves exactly its final size.
fn append<T>(list: &mut Vec<T>, most: usize, items: impl Iterator<Item = T>) -> ReadResult {
    if list.capacity() == 0 {
        list.try_reserve_exact(most).map_err(|_| Fault::OutOfMemory)?;
    }
    list.extend(items);
    Ok(())
}
