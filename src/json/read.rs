//! [`read`] reads a value from JSON text and says which field is wrong, as `properties[2].value`.
//!
//! It never takes a list for a struct, nor anything but a string for a plain name: serde_json's own reader does, which
//! compiles the reading of every type twice. With serde_path_to_error around it, it adds 64 KB gzipped to the wasm file.

use super::fault::{Fault, wrong};
use super::number;
use super::unescape::unescape;
use crate::{Code, Error};
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer};
use serde::de::{MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::str::FromStr;

/// Objects and lists may lie this deep in each other, so that no text exhausts the stack.
const DEPTH: usize = 96;

/// Reads a value from JSON text; `what` is the text's name in errors.
///
/// ```
/// use memfold::{Code, json, model::Draft};
/// let draft: Draft = json::read(r#"{"content": "킥오프"}"#, "draft")?;
/// assert_eq!(draft.content, "킥오프");
/// let error = json::read::<Draft>(r#"{"content": "a", "people": ["b", 7]}"#, "draft").unwrap_err();
/// assert_eq!((error.code, error.field.as_deref()), (Code::InvalidInput, Some("people[1]")));
/// # Ok::<(), memfold::Error>(())
/// ```
///
/// # Errors
/// [`Code::InvalidInput`] for what is not JSON or not of the type, [`Code::UnknownField`] for a field that the type
/// does not know, [`Code::InvalidField`] for one that is missing, stands twice or breaks a rule of its own. The field
/// is absent where the fault lies in the text as a whole.
pub fn read<T: DeserializeOwned>(text: &str, what: &str) -> crate::Result<T> {
    let mut reader = Reader { text, at: 0, path: Vec::new() };
    T::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value)).map_err(|e| reader.place(e, what))
}

type ReadResult<T> = std::result::Result<T, Fault>;

struct Reader<'de> {
    text: &'de str,
    at: usize,
    /// Where the reader is: one step for every object and list around it.
    path: Vec<Step<'de>>,
}

/// The field or entry that is being read; a field without a name lies between two.
enum Step<'de> {
    Field(&'de str),
    Entry(usize),
}

impl<'de> Reader<'de> {
    fn rest(&self) -> &'de str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte that is not white space; 0 at the end.
    #[inline(never)]
    fn peek(&mut self) -> u8 {
        let rest = self.rest().as_bytes();
        let space = rest.iter().take_while(|b| matches!(b, b' ' | b'\n' | b'\r' | b'\t')).count();
        self.at += space;
        rest.get(space).copied().unwrap_or(0)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> ReadResult<()> {
        if self.take(byte) { Ok(()) } else { Err(wrong(what)) }
    }

    /// Whether the text goes on with this word; takes it if so.
    #[inline(never)]
    fn word(&mut self, word: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    #[inline(never)]
    fn string(&mut self) -> ReadResult<Cow<'de, str>> {
        self.expect(b'"', "is not a string")?;
        let start = self.at;
        let mut plain = true;
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'"' => break,
                b'\\' => self.at += 1,
                _ => {}
            }
            plain &= *byte >= b' ' && *byte != b'\\';
            self.at += 1;
        }
        let words = self.text.get(start..self.at).unwrap_or_default();
        self.expect(b'"', "ends within a string")?;
        if plain {
            return Ok(Cow::Borrowed(words));
        }
        unescape(words).map(Cow::Owned).ok_or_else(|| wrong("is not a well-formed string"))
    }

    /// The words of the number that starts here.
    #[inline(never)]
    fn number(&mut self) -> ReadResult<&'de str> {
        self.peek();
        let rest = self.rest();
        let end = rest.bytes().take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        self.at += end;
        let words = &rest[..end];
        let whole = words.strip_prefix('-').unwrap_or(words);
        let whole = whole.split(['.', 'e', 'E']).next().unwrap_or_default();
        // What JSON refuses though other texts of numbers may have it.
        let odd = whole.is_empty()
            || whole.len() > 1 && whole.starts_with('0')
            || words.contains(".e")
            || words.contains(".E")
            || words.ends_with('.');
        if odd || number(words).is_none() { Err(wrong("is not a number")) } else { Ok(words) }
    }

    #[inline(never)]
    fn open(&mut self, bracket: u8, what: &'static str, step: Step<'de>) -> ReadResult<()> {
        self.expect(bracket, what)?;
        self.path.push(step);
        if self.path.len() > DEPTH { Err(wrong("is nested too deeply")) } else { Ok(()) }
    }

    #[inline(never)]
    fn close(&mut self, bracket: u8) -> ReadResult<()> {
        self.expect(bracket, "is not well-formed JSON")?;
        self.path.pop();
        Ok(())
    }

    /// Whether another field or entry follows; goes past the comma before it.
    fn more(&mut self, bracket: u8, first: &mut bool) -> ReadResult<bool> {
        if self.peek() == bracket {
            return Ok(false);
        }
        if !std::mem::take(first) {
            self.expect(b',', "is not well-formed JSON")?;
        }
        Ok(true)
    }

    /// The name of the next field and the words it is written with.
    #[inline(never)]
    fn name(&mut self) -> ReadResult<(Cow<'de, str>, &'de str)> {
        self.peek();
        let start = self.at + 1;
        let name = self.string()?;
        let written = &self.text[start..self.at - 1];
        self.expect(b':', "is not well-formed JSON")?;
        Ok((name, written))
    }

    #[inline(never)]
    fn step(&mut self, step: Step<'de>) {
        if let Some(last) = self.path.last_mut() {
            *last = step;
        }
    }

    /// The name of a variant, and whether what it holds follows.
    #[inline(never)]
    fn variant(&mut self) -> ReadResult<(Cow<'de, str>, bool)> {
        if self.peek() != b'{' {
            return Ok((self.string()?, false));
        }
        self.open(b'{', "is not an object", Step::Field(""))?;
        let (name, written) = self.name()?;
        self.step(Step::Field(written));
        Ok((name, true))
    }

    /// Goes past a value that nobody wants.
    fn skip(&mut self) -> ReadResult<()> {
        match self.peek() {
            b'"' => self.string().map(drop),
            b'{' => {
                let mut fields = Fields::open(self)?;
                while fields.next()?.is_some() {
                    fields.reader.skip()?;
                }
                self.close(b'}')
            }
            b'[' => {
                let mut entries = Entries::open(self)?;
                while entries.next()? {
                    entries.reader.skip()?;
                }
                self.close(b']')
            }
            _ if self.word("null") || self.word("true") || self.word("false") => Ok(()),
            _ => self.number().map(drop),
        }
    }

    #[inline(never)]
    fn end(&mut self) -> ReadResult<()> {
        self.peek();
        if self.at < self.text.len() { Err(wrong("has more text after its end")) } else { Ok(()) }
    }

    /// The error with the path to the field at fault.
    #[inline(never)]
    fn place(&self, fault: Fault, what: &str) -> Error {
        let mut error = fault.0;
        let mut path = String::new();
        for step in &self.path {
            match step {
                Step::Field("") => {}
                Step::Field(name) if path.is_empty() => path.push_str(name),
                Step::Field(name) => path.extend([".", name]),
                Step::Entry(n) => path.extend(["[", &n.to_string(), "]"]),
            }
        }
        match &error.field {
            Some(field) if path.is_empty() => path.push_str(field),
            Some(field) => path.extend([".", field]),
            None => {}
        }
        let subject = if path.is_empty() { what } else { &path };
        if error.code != Code::UnknownField {
            error.message = format!("`{subject}` {}", error.message);
        }
        error.field = (!path.is_empty()).then_some(path);
        error
    }
}

fn whole<T: FromStr>(words: &str) -> Option<T> {
    words.parse().ok()
}

/// Reads numbers of some types: the visitor gets one kind of number only, and tells if it is out of range.
macro_rules! numbers {
    ($($method:ident)+ => $of:ident, $visit:ident, $what:literal) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
            match $of(self.number()?) {
                Some(number) => visitor.$visit(number),
                None => Err(wrong($what)),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
        match self.peek() {
            b'"' => self.deserialize_str(visitor),
            b'{' => self.deserialize_map(visitor),
            b'[' => self.deserialize_seq(visitor),
            b't' | b'f' => self.deserialize_bool(visitor),
            b'n' => self.deserialize_unit(visitor),
            _ => {
                let words = self.number()?;
                match (whole::<u64>(words), whole::<i64>(words), number(words)) {
                    (Some(n), ..) => visitor.visit_u64(n),
                    (None, Some(n), _) if n != 0 => visitor.visit_i64(n),
                    (.., n) => visitor.visit_f64(n.unwrap_or_default()),
                }
            }
        }
    }

    numbers!(deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 => whole, visit_u64,
        "is not a whole number from 0 up");
    numbers!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 => whole, visit_i64,
        "is not a whole number");
    numbers!(deserialize_f32 deserialize_f64 => number, visit_f64, "is not a number");

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
        let yes = self.word("true");
        if yes || self.word("false") { visitor.visit_bool(yes) } else { Err(wrong("is not true or false")) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
        if self.word("null") { visitor.visit_unit() } else { Err(wrong("is not null")) }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
        if self.word("null") { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
        visitor.visit_string(self.string()?.into_owned())
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> ReadResult<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
        let value = visitor.visit_seq(Entries::open(self)?)?;
        self.close(b']')?;
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> ReadResult<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
        let value = visitor.visit_map(Fields::open(self)?)?;
        self.close(b'}')?;
        Ok(value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> ReadResult<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> ReadResult<V::Value> {
        let (name, holds) = self.variant()?;
        let value = visitor.visit_enum(Variant { reader: self, name, holds })?;
        if holds {
            self.close(b'}')?;
        }
        Ok(value)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> ReadResult<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { char bytes byte_buf unit_struct tuple_struct identifier }
}

/// The fields of an object.
struct Fields<'a, 'de> {
    reader: &'a mut Reader<'de>,
    first: bool,
    /// The words that the name of the current field is written with.
    written: &'de str,
}

impl<'a, 'de> Fields<'a, 'de> {
    #[inline(never)]
    fn open(reader: &'a mut Reader<'de>) -> ReadResult<Self> {
        reader.open(b'{', "is not an object", Step::Field(""))?;
        Ok(Self { reader, first: true, written: "" })
    }

    #[inline(never)]
    fn next(&mut self) -> ReadResult<Option<Cow<'de, str>>> {
        self.reader.step(Step::Field(""));
        if !self.reader.more(b'}', &mut self.first)? {
            return Ok(None);
        }
        let (name, written) = self.reader.name()?;
        self.written = written;
        Ok(Some(name))
    }
}

impl<'de> MapAccess<'de> for Fields<'_, 'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> ReadResult<Option<K::Value>> {
        match self.next()? {
            Some(name) => Ok(Some(seed.deserialize(plain(&name))?)),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> ReadResult<V::Value> {
        self.reader.step(Step::Field(self.written));
        seed.deserialize(&mut *self.reader)
    }
}

/// The entries of a list.
struct Entries<'a, 'de> {
    reader: &'a mut Reader<'de>,
    first: bool,
    count: usize,
}

impl<'a, 'de> Entries<'a, 'de> {
    #[inline(never)]
    fn open(reader: &'a mut Reader<'de>) -> ReadResult<Self> {
        reader.open(b'[', "is not a list", Step::Entry(0))?;
        Ok(Self { reader, first: true, count: 0 })
    }

    #[inline(never)]
    fn next(&mut self) -> ReadResult<bool> {
        self.reader.step(Step::Entry(self.count));
        self.count += 1;
        self.reader.more(b']', &mut self.first)
    }
}

impl<'de> SeqAccess<'de> for Entries<'_, 'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> ReadResult<Option<T::Value>> {
        if self.next()? { seed.deserialize(&mut *self.reader).map(Some) } else { Ok(None) }
    }
}

/// A variant by its name, or as an object with one field that holds what the variant holds.
struct Variant<'a, 'de> {
    reader: &'a mut Reader<'de>,
    name: Cow<'de, str>,
    holds: bool,
}

impl<'a, 'de> Variant<'a, 'de> {
    fn held(self, wanted: bool) -> ReadResult<&'a mut Reader<'de>> {
        match (self.holds, wanted) {
            (true, false) => Err(wrong("is not a string")),
            (false, true) => Err(wrong("is not an object")),
            _ => Ok(self.reader),
        }
    }
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> ReadResult<(V::Value, Self)> {
        Ok((seed.deserialize(plain(&self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Fault;

    fn unit_variant(self) -> ReadResult<()> {
        self.held(false).map(drop)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> ReadResult<T::Value> {
        seed.deserialize(self.held(true)?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> ReadResult<V::Value> {
        self.held(true)?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> ReadResult<V::Value> {
        self.held(true)?.deserialize_map(visitor)
    }
}

fn plain(name: &str) -> StrDeserializer<'_, Fault> {
    name.into_deserializer()
}
