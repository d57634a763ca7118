//! Sentence vectors and pair judgements on the device: multilingual-e5-small for Korean and English.
//!
//! A crate of its own, compiled to `encoder_bg.wasm` with `simd128`, apart from the engine. It reads a weights file as it streams
//! in, splits texts into tokens and runs twelve layers over them. It never waits, never fetches and never stores anything.

#[cfg(target_arch = "wasm32")]
mod bindings;
mod kernels;
mod model;
mod tokenizer;
mod weights;

#[doc(hidden)]
pub use kernels::{gelu, softmax};
pub use model::Encoder;
pub use tokenizer::Tokenizer;
#[doc(hidden)]
pub use weights::half;
pub use weights::{Fault, Reader};
