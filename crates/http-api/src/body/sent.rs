//! One field as it was sent.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A field's JSON text, not looked at yet; nothing when the field was left out.
///
/// Request types derive `Deserialize` over fields of this type, so that a field of the wrong type does not end the reading of
/// all the others.
#[derive(Debug, Default)]
pub(crate) struct Sent(Option<Box<RawValue>>);

/// What kind of JSON value was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind<'a> {
    Absent,
    Null,
    Bool(bool),
    Number(&'a str),
    Text,
    Object(&'a RawValue),
    List,
}

impl Sent {
    /// The kind of value, which its first character gives away.
    pub(crate) fn kind(&self) -> Kind<'_> {
        self.0.as_deref().map_or(Kind::Absent, Kind::of)
    }

    /// The field's JSON text.
    pub(crate) fn json(&self) -> &str {
        self.0.as_deref().map_or("null", RawValue::get)
    }
}

impl<'a> Kind<'a> {
    /// The kind of a value.
    pub(crate) fn of(raw: &'a RawValue) -> Self {
        let json = raw.get();
        match json.as_bytes().first() {
            Some(b'"') => Self::Text,
            Some(b'{') => Self::Object(raw),
            Some(b'[') => Self::List,
            Some(b't') => Self::Bool(true),
            Some(b'f') => Self::Bool(false),
            Some(b'n') | None => Self::Null,
            Some(_) => Self::Number(json),
        }
    }
}

impl<'de> Deserialize<'de> for Sent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self(Some(raw)))
    }
}
