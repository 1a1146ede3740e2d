//! What a caller sent for one field.

/// One field of a request, already read as a `T` if it could be.
///
/// A field that could not be read is [`Field::Faulty`]: its fault is noted in the request's `FieldErrors`,
/// and rules that need it stay silent about it instead of naming it twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Field<T> {
    /// The field was left out.
    #[default]
    Absent,
    /// The field was sent as `null`, or as text that is empty.
    Null,
    /// The field was sent and could be read.
    Value(T),
    /// The field was sent and its fault is noted.
    Faulty,
}

impl<T> Field<T> {
    /// The value, where there is one.
    #[must_use]
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null | Self::Faulty => None,
        }
    }

    /// A look at the value, where there is one.
    #[must_use]
    pub const fn as_value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null | Self::Faulty => None,
        }
    }

    /// Whether nothing was sent: left out or `null`. A faulty field was sent.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        matches!(self, Self::Absent | Self::Null)
    }

    /// Turns the value into another.
    pub fn map<U>(self, turn: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Absent => Field::Absent,
            Self::Null => Field::Null,
            Self::Value(value) => Field::Value(turn(value)),
            Self::Faulty => Field::Faulty,
        }
    }
}
