//! [`read`] reads a value from JSON text and says which field is wrong, as `properties[2].value`.
//!
//! It never takes a list for a struct, nor anything but a string for a plain name: serde_json's own reader does, which
//! compiles the reading of every type twice. With serde_path_to_error around it, it adds 64 KB gzipped to the wasm file.

use super::number;
use crate::{Code, Error};
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer};
use serde::de::{MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::fmt;
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

/// An error on its way out.
#[derive(Debug)]
struct Fault(Error);

type Result<T> = std::result::Result<T, Fault>;

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

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<()> {
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
    fn string(&mut self) -> Result<Cow<'de, str>> {
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
    fn number(&mut self) -> Result<&'de str> {
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
    fn open(&mut self, bracket: u8, what: &'static str, step: Step<'de>) -> Result<()> {
        self.expect(bracket, what)?;
        self.path.push(step);
        if self.path.len() > DEPTH { Err(wrong("is nested too deeply")) } else { Ok(()) }
    }

    #[inline(never)]
    fn close(&mut self, bracket: u8) -> Result<()> {
        self.expect(bracket, "is not well-formed JSON")?;
        self.path.pop();
        Ok(())
    }

    /// Whether another field or entry follows; goes past the comma before it.
    fn more(&mut self, bracket: u8, first: &mut bool) -> Result<bool> {
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
    fn name(&mut self) -> Result<(Cow<'de, str>, &'de str)> {
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
    fn variant(&mut self) -> Result<(Cow<'de, str>, bool)> {
        if self.peek() != b'{' {
            return Ok((self.string()?, false));
        }
        self.open(b'{', "is not an object", Step::Field(""))?;
        let (name, written) = self.name()?;
        self.step(Step::Field(written));
        Ok((name, true))
    }

    /// Goes past a value that nobody wants.
    fn skip(&mut self) -> Result<()> {
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
    fn end(&mut self) -> Result<()> {
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

/// A fault whose sentence begins with the field, which [`Reader::place`] knows.
#[inline(never)]
fn wrong(what: &'static str) -> Fault {
    Fault(Error::new(Code::InvalidInput, what))
}

fn about(code: Code, field: Option<&str>, what: String) -> Fault {
    let error = Error::new(code, what);
    Fault(match field {
        Some(field) => error.at(field),
        None => error,
    })
}

fn whole<T: FromStr>(words: &str) -> Option<T> {
    words.parse().ok()
}

/// A string's words with their escapes resolved.
fn unescape(words: &str) -> Option<String> {
    if words.bytes().any(|b| b < b' ') {
        return None;
    }
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let code = after.chars().next()?;
        rest = &after[code.len_utf8()..];
        out.push(match code {
            '"' | '\\' | '/' => code,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => match unit(&mut rest)? {
                high @ 0xD800..0xDC00 => {
                    rest = rest.strip_prefix("\\u")?;
                    let low = unit(&mut rest)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                    char::from_u32(0x10000 + ((high - 0xD800) << 10) + low)?
                }
                unit => char::from_u32(unit)?,
            },
            _ => return None,
        });
    }
    out.push_str(rest);
    Some(out)
}

/// Takes the four hexadecimal digits of a UTF-16 unit.
fn unit(rest: &mut &str) -> Option<u32> {
    let (digits, after) = rest.split_at_checked(4)?;
    *rest = after;
    digits.chars().try_fold(0, |unit, c| Some(unit * 16 + c.to_digit(16)?))
}

fn list(names: &[&str]) -> String {
    names.join("`, `")
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(rule: T) -> Self {
        about(Code::InvalidField, None, rule.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        wrong("is of another type")
    }

    fn invalid_value(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        about(Code::InvalidField, None, "is out of its range".to_owned())
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        about(Code::InvalidField, None, "has too few or too many entries".to_owned())
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        about(Code::InvalidField, None, format!("is `{variant}`, which is none of `{}`", list(known)))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let what = format!("unknown field `{field}`, expected one of `{}`", list(known));
        about(Code::UnknownField, Some(field), what)
    }

    fn missing_field(field: &'static str) -> Self {
        about(Code::InvalidField, Some(field), "is missing".to_owned())
    }

    fn duplicate_field(field: &'static str) -> Self {
        about(Code::InvalidField, Some(field), "stands twice".to_owned())
    }
}

/// Reads numbers of some types: the visitor gets one kind of number only, and tells if it is out of range.
macro_rules! numbers {
    ($($method:ident)+ => $of:ident, $visit:ident, $what:literal) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match $of(self.number()?) {
                Some(number) => visitor.$visit(number),
                None => Err(wrong($what)),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
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

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let yes = self.word("true");
        if yes || self.word("false") { visitor.visit_bool(yes) } else { Err(wrong("is not true or false")) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.word("null") { visitor.visit_unit() } else { Err(wrong("is not null")) }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.word("null") { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_string(self.string()?.into_owned())
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_seq(Entries::open(self)?)?;
        self.close(b']')?;
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_map(Fields::open(self)?)?;
        self.close(b'}')?;
        Ok(value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let (name, holds) = self.variant()?;
        let value = visitor.visit_enum(Variant { reader: self, name, holds })?;
        if holds {
            self.close(b'}')?;
        }
        Ok(value)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
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
    fn open(reader: &'a mut Reader<'de>) -> Result<Self> {
        reader.open(b'{', "is not an object", Step::Field(""))?;
        Ok(Self { reader, first: true, written: "" })
    }

    #[inline(never)]
    fn next(&mut self) -> Result<Option<Cow<'de, str>>> {
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

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        match self.next()? {
            Some(name) => Ok(Some(seed.deserialize(plain(&name))?)),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
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
    fn open(reader: &'a mut Reader<'de>) -> Result<Self> {
        reader.open(b'[', "is not a list", Step::Entry(0))?;
        Ok(Self { reader, first: true, count: 0 })
    }

    #[inline(never)]
    fn next(&mut self) -> Result<bool> {
        self.reader.step(Step::Entry(self.count));
        self.count += 1;
        self.reader.more(b']', &mut self.first)
    }
}

impl<'de> SeqAccess<'de> for Entries<'_, 'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
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
    fn held(self, wanted: bool) -> Result<&'a mut Reader<'de>> {
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

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        Ok((seed.deserialize(plain(&self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<()> {
        self.held(false).map(drop)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.held(true)?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.held(true)?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.held(true)?.deserialize_map(visitor)
    }
}

fn plain(name: &str) -> StrDeserializer<'_, Fault> {
    name.into_deserializer()
}
