//! Model and embeddings endpoints behind the ports of [`crate::llm`] and [`crate::embed`]: dialects, one checked address, the
//! key in its header, limits, retries, a rest after failures. What sends is a [`Host`]; the package's is `fetch`.
//!
//! It carries questions and replies and judges neither.

mod breaker;
mod chat;
mod kinds;
mod options;
mod probe;
mod secret;
mod transport;
mod vectors;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use breaker::Breaker;
pub use chat::{ChatEndpoint, ChatQuestion, form_of};
pub use options::checked_address;
pub use probe::{EndpointProbe, Features, ProbeReport, SchemaUse};
pub use transport::{Address, Chatted, EndpointFault, Host, Lost, ReplyBody, Request, Response, Wait, in_time};
pub use vectors::{EmbeddingsEndpoint, guarded};
