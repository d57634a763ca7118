//! Model and embeddings endpoints behind the ports of [`crate::llm`] and [`crate::embed`]: tables of dialects, one checked
//! address, the key in its header, limits, retries, a rest after failures. A [`Host`] sends; the package's is `fetch`.
//!
//! It carries questions and replies and judges neither.

mod breaker;
mod chat;
mod kinds;
mod probe;
mod secret;
mod service;
mod transport;
mod vectors;

pub use breaker::Breaker;
pub use chat::{ChatEndpoint, ChatQuestion, form_of};
pub use probe::{EndpointProbe, Features, ProbeReport, SchemaUse};
pub use service::{checked_address, guarded};
pub use transport::{Address, Chatted, EndpointFault, Host, Lost, ReplyBody, Request, Response, Wait};
pub use vectors::EmbeddingsEndpoint;
