//! JSON text and values: what is read and written, and the numbers in between, and how they cross as values.
//!
//! It never knows a type: what a type looks like in JSON stands beside the type, as serde's derives.

mod fault;
mod number;
mod read;
mod short;
mod unescape;
mod wire;
mod write;

pub use number::number;
pub use read::read;
pub use short::Short;
pub(crate) use wire::wire;
pub use write::write;
