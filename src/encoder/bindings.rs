//! What the worker calls. Faults cross as their names; `encoder-core.ts` makes errors of them.

use crate::model::Encoder as Model;
use crate::weights::{Fault, Reader};
use wasm_bindgen::prelude::*;

/// An encoder, and the file that it reads.
#[wasm_bindgen]
#[derive(Default)]
pub struct Encoder {
    reading: Option<Reader>,
    model: Option<Model>,
}

fn named(fault: Fault) -> JsValue {
    format!("{fault:?}").into()
}

fn hex(id: [u8; 32]) -> String {
    id.iter().map(|b| format!("{b:02x}")).collect()
}

#[wasm_bindgen]
impl Encoder {
    /// One without weights.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins the next file: the weights or, once those are loaded, a head.
    pub fn begin(&mut self) {
        self.reading = Some(Reader::new(self.model.is_some()));
    }

    /// Takes the next bytes of the file. Gives the hash that it names, when that has come.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Option<String>, JsValue> {
        let Some(reader) = &mut self.reading else { return Ok(None) };
        reader.feed(self.model.as_ref(), chunk).map_err(named)?;
        Ok(reader.id().map(hex))
    }

    /// All bytes of the file have come.
    pub fn finish(&mut self) -> Result<(), JsValue> {
        self.reading.take().map_or(Ok(()), |reader| reader.finish(&mut self.model)).map_err(named)
    }

    /// The unit vector of a text.
    pub fn embed(&mut self, text: &str, is_query: bool) -> Vec<f32> {
        self.model.as_mut().map(|m| m.embed(text, is_query)).unwrap_or_default()
    }

    /// Four logarithms, or none where no head is loaded.
    pub fn judge(&mut self, stored: &str, new: &str, is_same_thread: bool) -> Vec<f32> {
        self.model.as_mut().and_then(|m| m.judge(stored, new, is_same_thread)).map(Vec::from).unwrap_or_default()
    }
}
