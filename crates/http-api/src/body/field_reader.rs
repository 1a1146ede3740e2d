//! Converts raw fields into domain types.

use std::collections::BTreeMap;
use std::fmt::Display;

use idempotency::json;
use kernel::{Decimal, Field, FieldErrors, FieldSource};
use serde_json::value::RawValue;

/// Reads the fields of one object by their names, and records what is wrong with them. Fields with other
/// names are ignored.
#[derive(Debug)]
pub(crate) struct FieldReader<'a> {
    entries: Vec<(String, &'a RawValue)>,
    /// The names of fields that were read and occur again, by their positions.
    repeated: BTreeMap<usize, &'static str>,
    faults: FieldErrors,
}

/// The kind of a JSON value.
#[derive(Debug, Clone, Copy)]
enum JsonKind<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Text(&'a str),
    Object(&'a RawValue),
    List(&'a RawValue),
}

impl<'a> JsonKind<'a> {
    /// The kind of a value, told by its first character.
    fn of(raw: &'a RawValue) -> Self {
        let json = raw.get();
        match json.as_bytes().first() {
            Some(b'"') => Self::Text(json),
            Some(b'{') => Self::Object(raw),
            Some(b'[') => Self::List(raw),
            Some(b't') => Self::Bool(true),
            Some(b'f') => Self::Bool(false),
            Some(b'n') | None => Self::Null,
            Some(_) => Self::Number(json),
        }
    }
}

impl<'a> FieldReader<'a> {
    /// A reader of an object's fields.
    ///
    /// # Errors
    /// When the value is not an object, or a name is not valid Unicode.
    pub(super) fn of(object: &'a RawValue) -> Result<Self, serde_json::Error> {
        let entries = json::entries(object)?;
        Ok(Self { entries, repeated: BTreeMap::new(), faults: FieldErrors::default() })
    }

    /// The recorded faults. Fields that were given twice come first: another reader, such as a proxy, might
    /// take the other value.
    pub(crate) fn into_faults(self) -> FieldErrors {
        let mut faults = FieldErrors::default();
        for name in self.repeated.into_values() {
            faults.add(name, "must not be given more than once");
        }
        for fault in self.faults.iter() {
            faults.add(fault.field.clone(), &fault.message);
        }
        faults
    }

    /// Skips a field, and only records whether it was given twice.
    pub(crate) fn ignore(&mut self, name: &'static str) {
        let _ignored = self.raw(name);
    }

    /// The first field with this name. Further fields with it are a fault.
    fn raw(&mut self, name: &'static str) -> Option<&'a RawValue> {
        let mut named = self.entries.iter().enumerate().filter(|(_, (given, _))| given == name);
        let (_, (_, first)) = named.next()?;
        self.repeated.extend(named.map(|(place, _)| (place, name)));
        Some(first)
    }

    /// Converts a field: `read` returns its value, `None` if it counts as `null`, or the fault.
    fn field<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Self, JsonKind<'a>) -> Result<Option<T>, String>,
    ) -> Field<T> {
        let value = match self.raw(name).map(JsonKind::of) {
            None => return Field::Absent,
            Some(JsonKind::Null) => Ok(None),
            Some(kind) => read(self, kind),
        };
        match value {
            Ok(value) => value.map_or(Field::Null, Field::Value),
            Err(fault) => {
                self.faults.add(name, fault);
                Field::Faulty
            }
        }
    }

    /// A JSON boolean; strings and numbers that look like one are faults.
    pub(crate) fn flag(&mut self, name: &'static str) -> Field<bool> {
        self.field(name, |_, kind| match kind {
            JsonKind::Bool(flag) => Ok(Some(flag)),
            _ => Err("must be true or false".to_owned()),
        })
    }

    /// Whether any value but `null` was sent.
    pub(crate) fn anything(&mut self, name: &'static str) -> Field<()> {
        self.field(name, |_, _| Ok(Some(())))
    }

    /// An object inside this one. Its faults are named under its path; it has a value even when parts of it
    /// are faulty.
    pub(crate) fn object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut FieldReader<'_>) -> T,
    ) -> Field<T> {
        self.field(name, |whole, kind| whole.part(name, kind, read).map(Some))
    }

    /// A list of at most `most` objects; a longer list is not read at all. An element that is not an object
    /// is a fault under its index, and `None` in the list.
    pub(crate) fn objects<T>(
        &mut self,
        name: &'static str,
        max: usize,
        mut read: impl FnMut(&mut FieldReader<'_>) -> T,
    ) -> Field<Vec<Option<T>>> {
        self.field(name, |whole, kind| {
            let JsonKind::List(raw) = kind else {
                return Err("must be an array".to_owned());
            };
            let elements = json::elements(raw).map_err(|_not_a_list| "must be an array".to_owned())?;
            if elements.len() > max {
                return Err(format!("must have at most {max} elements"));
            }
            let element = |(place, raw)| {
                let path = format!("{name}.{place}");
                let element = whole.part(&path, JsonKind::of(raw), &mut read);
                element.map_err(|fault| whole.faults.add(path, fault)).ok()
            };
            Ok(Some(elements.into_iter().enumerate().map(element).collect()))
        })
    }

    fn part<T>(
        &mut self,
        path: &str,
        kind: JsonKind<'_>,
        read: impl FnOnce(&mut FieldReader<'_>) -> T,
    ) -> Result<T, String> {
        let JsonKind::Object(raw) = kind else {
            return Err("must be an object".to_owned());
        };
        let mut part =
            FieldReader::of(raw).map_err(|_bad_name| "must have field names of valid Unicode".to_owned())?;
        let value = read(&mut part);
        self.faults.add_under(path, part.into_faults());
        Ok(value)
    }
}

impl FieldSource for FieldReader<'_> {
    fn text<T, E: Display>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Field<T> {
        self.field(name, |_, kind| {
            let JsonKind::Text(json) = kind else {
                return Err("must be a string".to_owned());
            };
            // JSON can escape half of a surrogate pair, which is not a character.
            let text: String =
                serde_json::from_str(json).map_err(|_not_unicode| "must be valid Unicode text".to_owned())?;
            if text.trim().is_empty() {
                return Ok(None);
            }
            parse(&text).map(Some).map_err(|fault| fault.to_string())
        })
    }

    fn number(&mut self, name: &'static str) -> Field<Decimal> {
        self.field(name, |_, kind| match kind {
            JsonKind::Number(text) => Decimal::parse(text).map(Some).map_err(|fault| fault.to_string()),
            _ => Err("must be a number".to_owned()),
        })
    }
}
