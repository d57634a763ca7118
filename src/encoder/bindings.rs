//! WebAssembly bindings for the worker. Faults cross as their names; `encoder-core.ts` converts them to errors.

use crate::model::Encoder as Model;
use crate::weights::{Fault, Reader};
use wasm_bindgen::prelude::*;

/// An encoder, and the file being loaded into it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Encoder {
    reading: Option<Reader>,
    model: Option<Model>,
}

fn fault_name(fault: Fault) -> JsValue {
    format!("{fault:?}").into()
}

fn hex(id: [u8; 32]) -> String {
    id.iter().map(|b| format!("{b:02x}")).collect()
}

#[wasm_bindgen]
impl Encoder {
    /// An encoder without weights.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts reading a file: the weights or, if they are loaded, a head.
    pub fn begin(&mut self) {
        self.reading = Some(Reader::new(self.model.is_some()));
    }

    /// Reads the next bytes of the file. Returns the hash in its header, once known.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Option<String>, JsValue> {
        let Some(reader) = &mut self.reading else { return Ok(None) };
        reader.feed(self.model.as_ref(), chunk).map_err(fault_name)?;
        Ok(reader.id().map(hex))
    }

    /// Ends the file and installs the weights or head.
    pub fn finish(&mut self) -> Result<(), JsValue> {
        self.reading.take().map_or(Ok(()), |reader| reader.finish(&mut self.model)).map_err(fault_name)
    }

    /// The unit vector of a text; empty without weights.
    pub fn embed(&mut self, text: &str, is_query: bool) -> Vec<f32> {
        self.model.as_mut().map(|m| m.embed(text, is_query)).unwrap_or_default()
    }

    /// The log probabilities of the four outcomes; empty without a head.
    pub fn judge(&mut self, stored: &str, new: &str, is_same_thread: bool) -> Vec<f32> {
        self.model.as_mut().and_then(|m| m.judge(stored, new, is_same_thread)).map(Vec::from).unwrap_or_default()
    }
}
