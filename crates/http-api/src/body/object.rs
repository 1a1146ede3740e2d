//! The fields of one JSON object. Unknown fields are ignored.

use idempotency::json::entries;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Error;
use serde_json::value::RawValue;

/// Reads an object's fields into a request type, and returns the names of those that were given twice:
/// another reader, such as a proxy, might take the other value.
///
/// # Errors
/// When the value is no object, or a name is not valid Unicode.
pub(super) fn fields<B: DeserializeOwned>(raw: &RawValue) -> Result<(B, Vec<&'static str>), Error> {
    let entries = entries(raw)?;
    let mut repeated = Vec::new();
    let fields = B::deserialize(KnownFields { entries, repeated: &mut repeated })?;
    Ok((fields, repeated))
}

/// Deserializes a request type from those entries that it knows. Serde asks for a struct with the list of its
/// fields.
struct KnownFields<'a, 'de> {
    entries: Vec<(String, &'de RawValue)>,
    repeated: &'a mut Vec<&'static str>,
}

impl<'de> Deserializer<'de> for KnownFields<'_, 'de> {
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
                self.repeated.push(name);
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
