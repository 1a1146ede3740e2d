//! From raw fields to what the domain takes.

use std::fmt::Display;

use kernel::clock::{NOT_A_DATE, parse_date};
use kernel::{Currency, Decimal, EmailAddress, Entity, Field, FieldErrors, Id, SingleLine};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use time::Date;

use super::object;
use super::raw_field::{Kind, RawField};

/// Reads the fields of one object and records what is wrong with them.
#[derive(Debug, Default)]
pub(crate) struct FieldReader(FieldErrors);

impl FieldReader {
    /// The recorded faults.
    pub(crate) fn into_faults(self) -> FieldErrors {
        self.0
    }

    /// The fields of an object; one that was given twice is a fault.
    pub(super) fn fields<B: DeserializeOwned>(&mut self, raw: &RawValue) -> Result<B, serde_json::Error> {
        let (fields, repeated) = object::fields(raw)?;
        for name in repeated {
            self.note(name, "must not be given more than once");
        }
        Ok(fields)
    }

    /// Records a fault.
    pub(crate) fn note(&mut self, name: &str, message: impl Display) {
        self.0.add(name, message);
    }

    /// Text that `parse` makes something of. Blank text counts as `null`.
    pub(crate) fn text<T, E: Display>(
        &mut self,
        name: &str,
        sent: &RawField,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Field<T> {
        match sent.kind() {
            Kind::Absent => Field::Absent,
            Kind::Null => Field::Null,
            Kind::Text => match serde_json::from_str::<String>(sent.json()) {
                Ok(text) if text.trim().is_empty() => Field::Null,
                Ok(text) => match parse(&text) {
                    Ok(value) => Field::Value(value),
                    Err(fault) => self.faulty(name, fault),
                },
                // JSON can escape half of a surrogate pair, which is no character.
                Err(_not_unicode) => self.faulty(name, "must be valid Unicode text"),
            },
            _ => self.faulty(name, "must be a string"),
        }
    }

    /// One line of text.
    pub(crate) fn line<const MOST: usize>(&mut self, name: &str, sent: &RawField) -> Field<SingleLine<MOST>> {
        self.text(name, sent, SingleLine::parse)
    }

    /// A record's id.
    pub(crate) fn id<E: Entity>(&mut self, name: &str, sent: &RawField) -> Field<Id<E>> {
        self.text(name, sent, |text| Id::parse(text.trim()).ok_or("must be a UUID"))
    }

    /// An e-mail address.
    pub(crate) fn email(&mut self, name: &str, sent: &RawField) -> Field<EmailAddress> {
        self.text(name, sent, EmailAddress::parse)
    }

    /// A calendar date.
    pub(crate) fn date(&mut self, name: &str, sent: &RawField) -> Field<Date> {
        self.text(name, sent, |text| parse_date(text.trim()).ok_or(NOT_A_DATE))
    }

    /// A currency.
    pub(crate) fn currency(&mut self, name: &str, sent: &RawField) -> Field<Currency> {
        self.text(name, sent, Currency::parse)
    }

    /// An exact number, read from its own text.
    pub(crate) fn number(&mut self, name: &str, sent: &RawField) -> Field<Decimal> {
        match sent.kind() {
            Kind::Absent => Field::Absent,
            Kind::Null => Field::Null,
            Kind::Number(text) => match Decimal::parse(text) {
                Ok(number) => Field::Value(number),
                Err(fault) => self.faulty(name, fault),
            },
            _ => self.faulty(name, "must be a number"),
        }
    }

    /// A real boolean: neither a string nor a number that looks like one.
    pub(crate) fn flag(&mut self, name: &str, sent: &RawField) -> Field<bool> {
        match sent.kind() {
            Kind::Absent => Field::Absent,
            Kind::Null => Field::Null,
            Kind::Bool(flag) => Field::Value(flag),
            _ => self.faulty(name, "must be true or false"),
        }
    }

    /// Whether anything but `null` was sent, whatever it is.
    pub(crate) fn anything(sent: &RawField) -> Field<()> {
        match sent.kind() {
            Kind::Absent => Field::Absent,
            Kind::Null => Field::Null,
            _ => Field::Value(()),
        }
    }

    /// An object inside this one. Its faults are named under its own path, and its value stands even with
    /// faulty parts.
    pub(crate) fn object<B: DeserializeOwned, T>(
        &mut self,
        name: &str,
        sent: &RawField,
        read: impl FnOnce(&B, &mut Self) -> T,
    ) -> Field<T> {
        match sent.kind() {
            Kind::Absent => Field::Absent,
            Kind::Null => Field::Null,
            Kind::Object(raw) => self.part(name, raw, read),
            _ => self.faulty(name, "must be an object"),
        }
    }

    /// A list of at most `most` objects; of a longer one nothing is read. An element that is no object is a
    /// fault at its place, and `None` in the list.
    pub(crate) fn objects<B: DeserializeOwned, T>(
        &mut self,
        name: &str,
        sent: &RawField,
        most: usize,
        mut read: impl FnMut(&B, &mut Self) -> T,
    ) -> Field<Vec<Option<T>>> {
        match sent.kind() {
            Kind::Absent => return Field::Absent,
            Kind::Null => return Field::Null,
            Kind::List => {}
            _ => return self.faulty(name, "must be an array"),
        }
        let elements: Vec<&RawValue> = match serde_json::from_str(sent.json()) {
            Ok(elements) => elements,
            Err(_not_a_list) => return self.faulty(name, "must be an array"),
        };
        if elements.len() > most {
            return self.faulty(name, format!("must have at most {most} elements"));
        }
        let element = |(place, raw)| {
            let path = format!("{name}.{place}");
            match Kind::of(raw) {
                Kind::Object(raw) => self.part(&path, raw, &mut read).value(),
                _ => self.faulty(&path, "must be an object").value(),
            }
        };
        Field::Value(elements.into_iter().enumerate().map(element).collect())
    }

    fn part<B: DeserializeOwned, T>(
        &mut self,
        path: &str,
        raw: &RawValue,
        read: impl FnOnce(&B, &mut Self) -> T,
    ) -> Field<T> {
        let mut part = Self::default();
        let Ok(fields) = part.fields(raw) else {
            return self.faulty(path, "must have field names of valid Unicode");
        };
        let value = read(&fields, &mut part);
        self.0.add_under(path, part.0);
        Field::Value(value)
    }

    fn faulty<T>(&mut self, name: &str, fault: impl Display) -> Field<T> {
        self.note(name, fault);
        Field::Faulty
    }
}
