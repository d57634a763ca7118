//! JSON text and values: [`read`] and [`write()`], and the [`number`]s in between.
//!
//! It never knows a type: what a type looks like in JSON stands beside the type, as serde's derives.

mod number;
mod read;
mod write;

pub use number::number;
pub use read::read;
pub use write::write;
