//! [`Short`]: a value that is written with its numbers in the form that has the fewest digits.
//!
//! It never changes a number: an `f32` of .87 is handed on as the `f64` of .87, not as .8700000047683716.

use super::number::short;
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// A value for a serializer that knows no `f32`. What is not finite becomes null, as in JSON.
///
/// ```
/// use memfold::json::Short;
/// assert_eq!(serde_json::to_value(Short(&[0.87f32, f32::NAN])).unwrap(), serde_json::json!([0.87, null]));
/// ```
#[derive(Debug)]
pub struct Short<'a, T: ?Sized>(pub &'a T);

impl<T: Serialize + ?Sized> Serialize for Short<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(ShortAround(serializer))
    }
}

/// A serializer, or the parts of a value being written to one, that sees to the numbers.
struct ShortAround<S>(S);

macro_rules! hand_on {
    ($($method:ident: $of:ty),+ $(,)?) => {
        $(fn $method(self, value: $of) -> Result<S::Ok, S::Error> {
            self.0.$method(value)
        })+
    };
}

impl<S: Serializer> Serializer for ShortAround<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = ShortAround<S::SerializeSeq>;
    type SerializeTuple = ShortAround<S::SerializeTuple>;
    type SerializeTupleStruct = ShortAround<S::SerializeTupleStruct>;
    type SerializeTupleVariant = ShortAround<S::SerializeTupleVariant>;
    type SerializeMap = ShortAround<S::SerializeMap>;
    type SerializeStruct = ShortAround<S::SerializeStruct>;
    type SerializeStructVariant = ShortAround<S::SerializeStructVariant>;

    hand_on! {
        serialize_bool: bool, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8],
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_unit_struct: &'static str,
    }

    fn serialize_f32(self, n: f32) -> Result<S::Ok, S::Error> {
        self.serialize_f64(short(n))
    }

    fn serialize_f64(self, n: f64) -> Result<S::Ok, S::Error> {
        if n.is_finite() { self.0.serialize_f64(n) } else { self.0.serialize_unit() }
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&Short(value))
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit()
    }

    fn serialize_unit_variant(self, name: &'static str, n: u32, variant: &'static str) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit_variant(name, n, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_struct(name, &Short(value))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        n: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_variant(name, n, variant, &Short(value))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        self.0.serialize_seq(len).map(ShortAround)
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, S::Error> {
        self.0.serialize_tuple(len).map(ShortAround)
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeTupleStruct, S::Error> {
        self.0.serialize_tuple_struct(name, len).map(ShortAround)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        n: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        self.0.serialize_tuple_variant(name, n, variant, len).map(ShortAround)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        self.0.serialize_map(len).map(ShortAround)
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeStruct, S::Error> {
        self.0.serialize_struct(name, len).map(ShortAround)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        n: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        self.0.serialize_struct_variant(name, n, variant, len).map(ShortAround)
    }
}

macro_rules! parts {
    ($($of:ident: $method:ident($($name:ident: $named:ty)?)),+ $(,)?) => {
        $(impl<S: $of> $of for ShortAround<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, $($name: $named,)? value: &T) -> Result<(), S::Error> {
                self.0.$method($($name,)? &Short(value))
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        })+
    };
}

parts! {
    SerializeSeq: serialize_element(),
    SerializeTuple: serialize_element(),
    SerializeTupleStruct: serialize_field(),
    SerializeTupleVariant: serialize_field(),
    SerializeStruct: serialize_field(name: &'static str),
    SerializeStructVariant: serialize_field(name: &'static str),
}

impl<S: SerializeMap> SerializeMap for ShortAround<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&Short(value))
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}
