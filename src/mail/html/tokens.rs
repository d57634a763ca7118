//! HTML text → a [`Tree`], over html5gum's tokens: those of the WHATWG standard.
//!
//! It never runs, loads or follows anything.

use super::tree::{Attribute, Builder, Tree};
use html5gum::{Emitter, Error, Reader, State, Tokenizer};
use std::convert::Infallible;

/// More attributes than any mail has; an element with more of them is not shown.
const MAX_ATTRIBUTES: usize = 100;

/// Reads a page.
pub(super) fn parse(html: &str) -> Tree {
    let mut builder = Builder::new(html.len());
    let sink = Sink {
        builder: &mut builder,
        text: Vec::new(),
        name: Vec::new(),
        attributes: Vec::new(),
        last: Vec::new(),
        system: None,
        public: None,
        closes: false,
        self_closing: false,
    };
    let Ok(()) = Tokenizer::new_with_emitter(Bytes(html.as_bytes()), sink).finish();
    builder.finish()
}

/// The input; html5gum's own reader weighs 6 KB gzipped more, for its speed.
struct Bytes<'a>(&'a [u8]);

impl Reader for Bytes<'_> {
    type Error = Infallible;

    #[inline(never)]
    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        let Some((first, rest)) = self.0.split_first() else { return Ok(None) };
        self.0 = rest;
        Ok(Some(*first))
    }

    #[inline(never)]
    fn try_read_string(&mut self, text: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        let same = |b: &[u8]| if case_sensitive { b == text } else { b.eq_ignore_ascii_case(text) };
        let found = self.0.get(..text.len()).is_some_and(same);
        if found {
            self.0 = &self.0[text.len()..];
        }
        Ok(found)
    }

    #[inline(never)]
    fn read_until<'b>(&'b mut self, ends: &[u8], _: &'b mut [u8; 4]) -> Result<Option<&'b [u8]>, Infallible> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let len = self.0.iter().position(|b| ends.contains(b)).unwrap_or(self.0.len());
        let (read, rest) = self.0.split_at(len.max(1));
        self.0 = rest;
        Ok(Some(read))
    }
}

struct Sink<'a> {
    builder: &'a mut Builder,
    text: Vec<u8>,
    name: Vec<u8>,
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
    /// The last start tag, whose end tag ends raw text.
    last: Vec<u8>,
    public: Option<Vec<u8>>,
    system: Option<Vec<u8>>,
    closes: bool,
    self_closing: bool,
}

fn utf8(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Sink<'_> {
    #[inline(never)]
    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.builder.text(&utf8(&self.text));
            self.text.clear();
        }
    }

    #[inline(never)]
    fn begin(&mut self, closes: bool) {
        self.flush();
        self.name.clear();
        self.attributes.clear();
        self.closes = closes;
        self.self_closing = false;
    }
}

#[inline(never)]
fn push(bytes: &mut Vec<u8>, more: &[u8]) {
    bytes.extend_from_slice(more);
}

impl Emitter for Sink<'_> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, _: Option<&[u8]>) {}

    fn emit_eof(&mut self) {
        self.flush();
    }

    fn emit_error(&mut self, _: Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, text: &[u8]) {
        push(&mut self.text, text);
    }

    fn init_start_tag(&mut self) {
        self.begin(false);
    }

    fn init_end_tag(&mut self) {
        self.begin(true);
    }

    fn init_comment(&mut self) {
        self.begin(true);
    }

    #[inline(never)]
    fn emit_current_tag(&mut self) -> Option<State> {
        let name = utf8(&self.name);
        if self.closes {
            self.builder.close(&name);
            return None;
        }
        self.last.clone_from(&self.name);
        let many = self.attributes.len() > MAX_ATTRIBUTES;
        let mut attributes: Vec<Attribute> = Vec::new();
        for (name, value) in self.attributes.iter().take(MAX_ATTRIBUTES) {
            // Of two of one name the first counts.
            if !attributes.iter().any(|(known, _)| known.as_bytes() == name) {
                attributes.push((utf8(name), utf8(value)));
            }
        }
        if many {
            attributes.insert(0, ("hidden".to_owned(), "too many attributes".to_owned()));
        }
        self.builder.open(name, attributes, self.self_closing)
    }

    fn emit_current_comment(&mut self) {
        self.builder.comment(&utf8(&self.name));
    }

    fn emit_current_doctype(&mut self) {
        let text = |id: &Option<Vec<u8>>| id.as_deref().map(utf8);
        self.builder.doctype(text(&self.public), text(&self.system));
    }

    fn set_self_closing(&mut self) {
        self.self_closing = true;
    }

    fn set_force_quirks(&mut self) {}

    fn push_tag_name(&mut self, name: &[u8]) {
        push(&mut self.name, name);
    }

    fn push_comment(&mut self, text: &[u8]) {
        push(&mut self.name, text);
    }

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {
        self.begin(true);
        (self.public, self.system) = (None, None);
    }

    fn init_attribute(&mut self) {
        // One more than is kept tells that there were more.
        if self.attributes.len() > MAX_ATTRIBUTES {
            self.attributes.pop();
        }
        self.attributes.push(Default::default());
    }

    fn push_attribute_name(&mut self, name: &[u8]) {
        if let Some(last) = self.attributes.last_mut() {
            push(&mut last.0, name);
        }
    }

    fn push_attribute_value(&mut self, value: &[u8]) {
        if let Some(last) = self.attributes.last_mut() {
            push(&mut last.1, value);
        }
    }

    fn set_doctype_public_identifier(&mut self, id: &[u8]) {
        self.public = Some(id.to_vec());
    }

    fn set_doctype_system_identifier(&mut self, id: &[u8]) {
        self.system = Some(id.to_vec());
    }

    fn push_doctype_public_identifier(&mut self, id: &[u8]) {
        push(self.public.get_or_insert_default(), id);
    }

    fn push_doctype_system_identifier(&mut self, id: &[u8]) {
        push(self.system.get_or_insert_default(), id);
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.closes && self.last == self.name
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.builder.is_foreign()
    }
}
