//! On-device sentence embedding and pair classification: multilingual-e5-small for Korean and English.
//!
//! A separate crate, compiled to `encoder_bg.wasm` with `simd128`. It reads a weights file as a stream, tokenises texts
//! and runs twelve transformer layers. It is synchronous and has no network or storage access.

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
