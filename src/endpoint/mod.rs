//! Clients for model and embeddings endpoints, behind the ports of [`crate::llm`] and [`crate::embed`]. They check the
//! address, format requests for each provider, apply limits and retries, and pause after failures. A [`Host`] sends the
//! requests; the package's host uses `fetch`.

mod chat;
mod probe;
mod service;
mod transport;
mod vectors;

pub use chat::{ChatEndpoint, ChatQuestion, form_of};
pub use probe::{EndpointProbe, Features, ProbeReport, SchemaUse};
pub use service::{Breaker, checked_address, guarded};
pub use transport::{Address, ChatResult, EndpointFault, Host, Lost, ReplyBody, Request, Response, Wait};
pub use vectors::EmbeddingsEndpoint;
