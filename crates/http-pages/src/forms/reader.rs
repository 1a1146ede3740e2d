//! Converts the fields of a form into the input of a use case.

use std::collections::BTreeSet;
use std::fmt::Display;

use kernel::{Decimal, Field, FieldErrors, FieldSource};
use time::Date;

use super::fields::FormFields;
use super::separators::without_separators;

/// Reads the fields of a form by their names, and records faults. An empty field counts as `null`, as in the
/// API. Unknown fields are ignored.
#[derive(Debug)]
pub(crate) struct FormReader<'a> {
    fields: &'a FormFields,
    /// The prefix of the names, such as `contact.` in a part of the form.
    prefix: String,
    faults: FieldErrors,
}

impl<'a> FormReader<'a> {
    pub(crate) fn new(fields: &'a FormFields) -> Self {
        Self { fields, prefix: String::new(), faults: FieldErrors::default() }
    }

    /// The recorded faults.
    pub(crate) fn into_faults(self) -> FieldErrors {
        self.faults
    }

    /// Records a fault found by the form's own rules.
    pub(crate) fn fault(&mut self, name: &str, message: impl Display) {
        self.faults.add(format!("{}{name}", self.prefix), message);
    }

    /// Records a fault for each of these fields that is missing.
    pub(crate) fn require<const N: usize>(&mut self, fields: [(&str, bool); N]) {
        for (name, is_missing) in fields {
            if is_missing {
                self.fault(name, "is required");
            }
        }
    }

    /// A field as it was submitted; empty if it was not.
    pub(crate) fn raw(&self, name: &str) -> &'a str {
        self.fields.find(&format!("{}{name}", self.prefix)).unwrap_or_default()
    }

    /// A required date.
    ///
    /// # Errors
    /// When the date is faulty or missing.
    pub(crate) fn required_date(fields: &'a FormFields, name: &'static str) -> Result<Date, FieldErrors> {
        let mut reader = Self::new(fields);
        match reader.date(name) {
            Field::Value(date) => Ok(date),
            Field::Faulty => Err(reader.into_faults()),
            Field::Absent | Field::Null => Err(FieldErrors::one(name, "is required")),
        }
    }

    /// A part of the form: the fields `name.x`. Absent when there are none, `null` when all are empty. Its
    /// faults are named under its path; it has a value even when fields in it are faulty.
    pub(crate) fn object<T>(&mut self, name: &str, read: impl FnOnce(&mut FormReader<'_>) -> T) -> Field<T> {
        let prefix = format!("{}{name}.", self.prefix);
        let mut parts = self.fields.iter().filter(|(name, _)| name.starts_with(&prefix)).peekable();
        if parts.peek().is_none() {
            return Field::Absent;
        }
        if parts.all(|(_, text)| text.trim().is_empty()) {
            return Field::Null;
        }
        Field::Value(self.part(prefix, read))
    }

    /// A list of parts: the fields `name.0.x`, `name.1.x` and so on. Absent when there are none. A list of
    /// more than `most` parts is not read at all.
    pub(crate) fn objects<T>(
        &mut self,
        name: &str,
        max: usize,
        mut read: impl FnMut(&mut FormReader<'_>) -> T,
    ) -> Field<Vec<T>> {
        let places = self.fields.places(&format!("{}{name}", self.prefix));
        if places.is_empty() {
            return Field::Absent;
        }
        if places.len() > max {
            self.fault(name, format!("must have at most {max} elements"));
            return Field::Faulty;
        }
        let whole = format!("{}{name}", self.prefix);
        Field::Value(
            places.into_iter().map(|place| self.part(format!("{whole}.{place}."), &mut read)).collect(),
        )
    }

    fn part<T>(&mut self, prefix: String, read: impl FnOnce(&mut FormReader<'_>) -> T) -> T {
        let mut part = FormReader { fields: self.fields, prefix, faults: std::mem::take(&mut self.faults) };
        let value = read(&mut part);
        self.faults = part.faults;
        value
    }
}

impl FieldSource for FormReader<'_> {
    fn text<T, E: Display>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Field<T> {
        let name = format!("{}{name}", self.prefix);
        let Some(text) = self.fields.find(&name) else {
            return Field::Absent;
        };
        if text.trim().is_empty() {
            return Field::Null;
        }
        // Browsers send two characters for each line break (WHATWG HTML, "Form submission"); one is
        // stored, as in the API.
        match parse(&text.replace("\r\n", "\n")) {
            Ok(value) => Field::Value(value),
            Err(fault) => {
                self.faults.add(name, fault);
                Field::Faulty
            }
        }
    }

    fn number(&mut self, name: &'static str) -> Field<Decimal> {
        self.text(name, |text| {
            let text = without_separators(text, Decimal::DECIMALS)?;
            match Decimal::parse(&text) {
                Err(_) if Decimal::parse(&text.replace(',', ".")).is_ok() => {
                    Err("must be written with a point, such as 1.5".to_owned())
                }
                read => read.map_err(|fault| fault.to_string()),
            }
        })
    }
}

impl FormFields {
    /// The indexes of a list that were sent, in order: 0 and 2 for `name.0.x` and `name.2.x`.
    pub(crate) fn places(&self, name: &str) -> BTreeSet<usize> {
        let place = |(given, _): (&str, &str)| {
            let rest = given.strip_prefix(name)?.strip_prefix('.')?;
            let (place, _) = rest.split_once('.')?;
            // Ignores other spellings of a number, such as 01: they would be different fields.
            place.parse::<usize>().ok().filter(|number| number.to_string() == place)
        };
        self.iter().filter_map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use kernel::MultiLine;

    use super::*;

    fn fields(encoded: &str) -> FormFields {
        FormFields::parse(encoded.as_bytes()).unwrap()
    }

    #[test]
    fn fields_are_absent_empty_valid_or_faulty() {
        let fields = fields("a=&b=2&c=x");
        let mut form = FormReader::new(&fields);
        assert_eq!(form.number("none"), Field::Absent);
        assert_eq!(form.number("a"), Field::Null);
        assert_eq!(form.number("b"), Field::Value(Decimal::parse("2").unwrap()));
        assert_eq!(form.number("c"), Field::Faulty);
        assert!(form.into_faults().names("c"));
    }

    #[test]
    fn line_break_of_a_browser_is_one_character() {
        let fields = fields("a=one%0D%0Atwo");
        let text = FormReader::new(&fields).text("a", MultiLine::<7>::parse).value().unwrap();
        assert_eq!(text.as_str(), "one\ntwo");
    }

    #[test]
    fn number_with_a_comma_is_told_how_it_is_written() {
        let fields = fields("a=1,5&b=1,250.50");
        let mut form = FormReader::new(&fields);
        assert_eq!(form.number("a"), Field::Faulty);
        assert_eq!(form.number("b"), Field::Value(Decimal::parse("1250.5").unwrap()));
        let faults: Vec<_> = form.into_faults().iter().map(|fault| fault.message.clone()).collect();
        assert_eq!(faults, ["must be written with a point, such as 1.5"]);
    }

    #[test]
    fn parts_are_read_by_dotted_names_and_faults_are_named_so() {
        let fields = fields("contact.email=x&address.line1=&lines.0.n=1&lines.2.n=x&lines.01.n=3");
        let mut form = FormReader::new(&fields);
        let email = form.object("contact", |part| part.line::<9>("email")).value();
        assert_eq!(email.unwrap().value().unwrap().as_str(), "x");
        assert_eq!(form.object("address", |part| part.line::<9>("line1")), Field::Null);
        assert_eq!(form.object("none", |part| part.line::<9>("line1")), Field::Absent);
        let lines = form.objects("lines", 2, |part| part.number("n")).value().unwrap();
        assert_eq!(lines, [Field::Value(Decimal::parse("1").unwrap()), Field::Faulty]);
        assert_eq!(form.objects("lines", 1, |part| part.number("n")), Field::Faulty);
        let faults: Vec<_> = form.into_faults().iter().map(|fault| fault.field.clone()).collect();
        assert_eq!(faults, ["lines.2.n", "lines"]);
    }
}
