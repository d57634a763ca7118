//! The transformer: embeds a text, or classifies a pair with a fine-tuned head.

use crate::kernels::{INNER, Matrix, Quantised, WIDTH, gelu, linear, normalise, softmax};
use crate::tokenizer::{BEGIN, END, Tokenizer};
use crate::weights::{packed, unpack};

/// Attention heads of a layer, and the values of each head.
const HEADS: usize = 12;
const HEAD_WIDTH: usize = WIDTH / HEADS;
/// Tokens of a text with its special tokens; longer texts are cut.
const LONGEST: usize = 128;
/// The most tokens of each text in a pair.
const PAIR_SIDE: usize = 70;
/// Positions in a sequence: a pair with its four special tokens.
pub const POSITIONS: usize = 2 * PAIR_SIDE + 4;
/// Classes of a pair: SKIP, UPDATE, CREATE_AND_LINK, CREATE.
pub const OUTCOMES: usize = 4;

/// The number and length of the rows of each matrix in a layer.
pub const SHAPES: [(usize, usize); 4] = [(3 * WIDTH, WIDTH), (WIDTH, WIDTH), (INNER, WIDTH), (WIDTH, INNER)];

/// The weights of a transformer layer.
#[derive(Default)]
pub struct Layer {
    /// Query, key and value; attention output; feed-forward up and down.
    pub(crate) matrices: [Matrix; 4],
    pub(crate) norms: [Vec<f32>; 2],
}

/// All layers, with the position embeddings and norm before the first.
#[derive(Default)]
pub struct Stack {
    pub(crate) positions: Vec<f32>,
    pub(crate) norm: Vec<f32>,
    pub(crate) layers: Vec<Layer>,
}

/// A stack fine-tuned on pairs, with its classifier.
#[derive(Default)]
pub struct Head {
    pub(crate) stack: Stack,
    /// Weights and bias of a hidden layer over the first and the mean state, then of the output layer.
    pub(crate) classifier: [Vec<f32>; 4],
}

/// Buffers reused between texts.
#[derive(Default)]
struct Scratch {
    quantised: Quantised,
    states: Vec<f32>,
    wide: Vec<f32>,
    more: Vec<f32>,
    context: Vec<f32>,
    keys: Vec<f32>,
    scores: Vec<f32>,
}

/// The encoder with an optional classification head.
#[derive(Default)]
pub struct Encoder {
    /// The SHA-256 of the weights.
    pub id: [u8; 32],
    /// The tokenizer of this model.
    pub tokenizer: Tokenizer,
    /// Token embeddings: a row of 4-bit blocks for each piece.
    pub(crate) words: Vec<u8>,
    pub(crate) stack: Stack,
    pub(crate) head: Option<Head>,
    scratch: Scratch,
}

impl Encoder {
    /// The token sequence of a text, with the prefix for queries or passages that e5 was trained with.
    pub fn tokens(&self, text: &str, is_query: bool) -> Vec<u32> {
        let prefix = if is_query { "query: " } else { "passage: " };
        let tokens = self.tokenizer.tokens(&format!("{prefix}{text}"), LONGEST - 2);
        [&[BEGIN], tokens.as_slice(), &[END]].concat()
    }

    /// The token sequence of a pair; a word marks pairs of the same thread.
    pub fn pair_tokens(&self, stored: &str, new: &str, is_same_thread: bool) -> Vec<u32> {
        let stored = self.tokenizer.tokens(stored, PAIR_SIDE);
        let new = self.tokenizer.tokens(&format!("{} {new}", if is_same_thread { "same" } else { "" }), PAIR_SIDE);
        [&[BEGIN], stored.as_slice(), &[END, END], &new, &[END]].concat()
    }

    /// The unit vector of a text: the mean of its hidden states.
    pub fn embed(&mut self, text: &str, is_query: bool) -> Vec<f32> {
        let tokens = self.tokens(text, is_query);
        run(&self.stack, &self.words, &tokens, &mut self.scratch);
        let mut mean = mean(&self.scratch.states);
        let length = mean.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-20);
        mean.iter_mut().for_each(|x| *x /= length);
        mean
    }

    /// The log probabilities of the four outcomes; `None` without a head.
    pub fn judge(&mut self, stored: &str, new: &str, is_same_thread: bool) -> Option<[f32; OUTCOMES]> {
        let tokens = self.pair_tokens(stored, new, is_same_thread);
        let head = self.head.as_ref()?;
        run(&head.stack, &self.words, &tokens, &mut self.scratch);
        let states = &self.scratch.states;
        let features = [&states[..WIDTH], &mean(states)].concat();
        let [up, up_bias, down, down_bias] = &head.classifier;
        let hidden: Vec<f32> = dense(up, up_bias, &features).map(f32::tanh).collect();
        let mut out = [0.0; OUTCOMES];
        out.iter_mut().zip(dense(down, down_bias, &hidden)).for_each(|(o, x)| *o = x);
        let most = out.iter().fold(f32::MIN, |a, &b| a.max(b));
        let sum = out.iter().map(|x| (x - most).exp()).sum::<f32>().ln() + most;
        Some(out.map(|x| x - sum))
    }
}

fn dense<'a>(weights: &'a [f32], bias: &'a [f32], x: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
    let product = move |row: &[f32]| row.iter().zip(x).map(|(w, x)| w * x).sum::<f32>();
    weights.chunks_exact(x.len()).zip(bias).map(move |(row, bias)| product(row) + bias)
}

fn mean(states: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; WIDTH];
    for row in states.chunks_exact(WIDTH) {
        sum.iter_mut().zip(row).for_each(|(s, x)| *s += x);
    }
    let count = (states.len() / WIDTH) as f32;
    sum.iter_mut().for_each(|s| *s /= count);
    sum
}

/// Computes the hidden state of each token into `scratch.states`.
fn run(stack: &Stack, words: &[u8], tokens: &[u32], scratch: &mut Scratch) {
    let Scratch { quantised, states, wide, more, context, keys, scores } = scratch;
    states.clear();
    for &token in tokens {
        unpack(&words[token as usize * packed(WIDTH)..][..packed(WIDTH)], states);
    }
    normalise(states, &stack.positions, &stack.norm);
    for Layer { matrices: [qkv, project, up, down], norms: [first, second] } in &stack.layers {
        linear(qkv, states, quantised, wide);
        attend(wide, keys, scores, context);
        linear(project, context, quantised, more);
        normalise(states, more, first);
        linear(up, states, quantised, wide);
        gelu(wide);
        linear(down, wide, quantised, more);
        normalise(states, more, second);
    }
}

/// Attention among all tokens; `qkv` has the queries, keys and values of each token side by side.
fn attend(qkv: &[f32], keys: &mut Vec<f32>, scores: &mut Vec<f32>, context: &mut Vec<f32>) {
    let count = qkv.len() / (3 * WIDTH);
    let part = |token, which, head| &qkv[(3 * token + which) * WIDTH + head * HEAD_WIDTH..][..HEAD_WIDTH];
    keys.resize(HEAD_WIDTH * count, 0.0);
    scores.resize(count, 0.0);
    context.resize(count * WIDTH, 0.0);
    let scale = 1.0 / (HEAD_WIDTH as f32).sqrt();
    for head in 0..HEADS {
        for token in 0..count {
            for (d, key) in part(token, 1, head).iter().enumerate() {
                keys[d * count + token] = *key;
            }
        }
        for token in 0..count {
            scores.fill(0.0);
            for (query, keys) in part(token, 0, head).iter().zip(keys.chunks_exact(count)) {
                let factor = query * scale;
                scores.iter_mut().zip(keys).for_each(|(s, key)| *s += factor * key);
            }
            softmax(scores);
            let mut sum = [0.0f32; HEAD_WIDTH];
            for (other, score) in scores.iter().enumerate() {
                sum.iter_mut().zip(part(other, 2, head)).for_each(|(s, value)| *s += score * value);
            }
            context[token * WIDTH + head * HEAD_WIDTH..][..HEAD_WIDTH].copy_from_slice(&sum);
        }
    }
}
