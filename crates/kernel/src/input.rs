//! What a caller sent for one field, and how fields are read from a request.

use std::fmt::Display;

use time::Date;

use crate::clock::{NOT_A_DATE, parse_date};
use crate::decimal::Decimal;
use crate::id::Id;
use crate::text::SingleLine;

/// One field of a request, parsed as a `T` if possible.
///
/// A field that could not be parsed is [`Field::Faulty`]: its fault is in the request's `FieldErrors`, and
/// rules that need the field do not report it again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Field<T> {
    /// The field was left out.
    #[default]
    Absent,
    /// The field was sent as `null` or as empty text.
    Null,
    /// The field was sent and parsed.
    Value(T),
    /// The field was sent and its fault is recorded.
    Faulty,
}

impl<T> Field<T> {
    /// The value, if there is one.
    #[must_use]
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null | Self::Faulty => None,
        }
    }

    /// A reference to the value, if there is one.
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

    /// The value after an amendment: the present one if the field was left out.
    #[must_use]
    pub fn or_current(self, current: Option<&T>) -> Option<T>
    where
        T: Clone,
    {
        match self {
            Self::Absent => current.cloned(),
            Self::Null | Self::Faulty => None,
            Self::Value(value) => Some(value),
        }
    }

    /// Converts the value.
    pub fn map<U>(self, turn: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Absent => Field::Absent,
            Self::Null => Field::Null,
            Self::Value(value) => Field::Value(turn(value)),
            Self::Faulty => Field::Faulty,
        }
    }
}

/// A request that fields are read from by their names. It records what is wrong with them.
pub trait FieldSource {
    /// Text, converted by `parse`. Blank text counts as `null`.
    fn text<T, E: Display>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Field<T>;

    /// An exact number.
    fn number(&mut self, name: &'static str) -> Field<Decimal>;

    /// One line of text.
    fn line<const MAX: usize>(&mut self, name: &'static str) -> Field<SingleLine<MAX>> {
        self.text(name, SingleLine::parse)
    }

    /// A record's id.
    fn id<E>(&mut self, name: &'static str) -> Field<Id<E>> {
        self.text(name, |text| Id::parse(text.trim()).ok_or("must be a UUID"))
    }

    /// A calendar date (RFC 3339, full-date).
    fn date(&mut self, name: &'static str) -> Field<Date> {
        self.text(name, |text| parse_date(text.trim()).ok_or(NOT_A_DATE))
    }
}
