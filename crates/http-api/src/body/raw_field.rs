//! One field as it was sent.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A field's JSON text; nothing when the field was left out.
///
/// Request types derive `Deserialize` over fields of this type, so that one of a wrong type does not end the
/// reading of the others.
#[derive(Debug, Default)]
pub(crate) struct RawField(Option<Box<RawValue>>);

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

impl RawField {
    /// The kind of value, known by its first character.
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

impl<'de> Deserialize<'de> for RawField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self(Some(raw)))
    }
}
