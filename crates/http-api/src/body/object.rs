//! The fields of one JSON object: unknown ones are passed over, doubled ones are faults.

use idempotency::json::entries;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Error;
use serde_json::value::RawValue;

use super::FieldReader;

/// Reads an object's fields into a request type.
///
/// A field that is given twice is refused rather than read one way here and another way by a proxy in between.
///
/// # Errors
/// When the value is no object, or a name is not valid Unicode.
pub(crate) fn fields<B: DeserializeOwned>(
    raw: &RawValue,
    reader: &mut FieldReader,
) -> Result<B, Error> {
    let entries = entries(raw)?;
    B::deserialize(Known { entries, reader })
}

/// Hands a request type those entries that it knows. Serde asks for a struct with the list of its fields, which is how this
/// learns them.
struct Known<'a, 'de> {
    entries: Vec<(String, &'de RawValue)>,
    reader: &'a mut FieldReader,
}

impl<'de> Deserializer<'de> for Known<'_, 'de> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut known: Vec<(&'static str, &'de RawValue)> = Vec::with_capacity(fields.len());
        for (name, raw) in self.entries {
            let Some(name) = fields.iter().copied().find(|field| *field == name) else {
                continue;
            };
            if known.iter().any(|(earlier, _)| *earlier == name) {
                self.reader.note(name, "must not be given more than once");
            } else {
                known.push((name, raw));
            }
        }
        visitor.visit_map(MapDeserializer::new(known.into_iter()))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_struct("", &[], visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
