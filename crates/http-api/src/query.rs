//! Reads query parameters: all faulty ones are reported together.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::Utf8Error;

use http_server::ApiError;
use kernel::{FieldErrors, PageSize};
use percent_encoding::percent_decode_str;

/// The parameters of a request. Unknown ones are ignored, an empty value counts as absent, and a parameter
/// that is given twice is a fault.
#[derive(Debug)]
pub(crate) struct Query {
    pairs: Vec<(Result<String, Utf8Error>, Result<String, Utf8Error>)>,
    faults: FieldErrors,
}

impl Query {
    /// Splits and decodes a query string (WHATWG URL, `application/x-www-form-urlencoded` parsing).
    pub(crate) fn of(text: &str) -> Self {
        let parts = text.split('&').filter(|part| !part.is_empty());
        let pairs = parts.map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name), decode(value))
        });
        Self { pairs: pairs.collect(), faults: FieldErrors::default() }
    }

    /// Reads a parameter with `parse`.
    pub(crate) fn get<T, E: Display>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let named = |pair: &&(Result<String, _>, _)| pair.0.as_deref() == Ok(name);
        let mut given = self.pairs.iter().filter(named).map(|(_, value)| value);
        let (first, second) = (given.next()?, given.next());
        let fault = match (first, second) {
            (_, Some(_)) => "must not be given more than once".to_owned(),
            (Err(_not_utf8), None) => "must be UTF-8 text".to_owned(),
            (Ok(text), None) if text.trim().is_empty() => return None,
            (Ok(text), None) => match parse(text) {
                Ok(value) => return Some(value),
                Err(fault) => fault.to_string(),
            },
        };
        self.faults.add(name, fault);
        None
    }

    /// Reads a parameter that must not be empty when it is given.
    pub(crate) fn get_filled<T, E: Display>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let value = self.get(name, parse);
        let given = || self.pairs.iter().any(|(given, _)| given.as_deref() == Ok(name));
        if value.is_none() && !self.faults.names(name) && given() {
            self.faults.add(name, "must not be empty");
        }
        value
    }

    /// `limit`: at least 1; numbers above the maximum page size are reduced to it.
    pub(crate) fn page_size(&mut self) -> PageSize {
        let size = self.get("limit", |text| {
            let text = text.trim();
            let whole = text.bytes().all(|byte| byte.is_ascii_digit());
            // A number that does not fit is above the maximum page size.
            let size = text.parse().unwrap_or(u64::MAX);
            whole.then(|| PageSize::of(size)).flatten().ok_or("must be a whole number of at least 1")
        });
        size.unwrap_or_default()
    }

    /// `offset`: a whole number. Numbers above `i64::MAX` are reduced to it, which is past the end of every
    /// list.
    pub(crate) fn offset(&mut self) -> u64 {
        let offset = self.get("offset", |text| {
            let text = text.trim();
            let whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let offset = text.parse().unwrap_or(u64::MAX).min(i64::MAX.unsigned_abs());
            whole.then_some(offset).ok_or("must be a whole number of at least 0")
        });
        offset.unwrap_or(0)
    }

    /// Records a fault that concerns several parameters.
    pub(crate) fn note(&mut self, name: &str, message: impl Display) {
        self.faults.add(name, message);
    }

    /// A validation error that names every faulty parameter, if there is one.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        self.faults.into_result().map_err(ApiError::invalid)
    }
}

/// Decodes a name or value. Bytes that are not UTF-8 are an error, so that different values never decode to
/// the same text.
fn decode(text: &str) -> Result<String, Utf8Error> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    decoded.map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(query: Query) -> Vec<String> {
        let named = query.faults.iter();
        named.map(|fault| format!("{} {}", fault.field, fault.message)).collect()
    }

    fn text(text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }

    #[test]
    fn absent_empty_and_unknown_parameters_are_none() {
        let mut query = Query::of("&a=&b=1&&c&%FF=2");
        assert_eq!(query.get("a", text), None);
        assert_eq!(query.get("c", text), None);
        assert_eq!(query.get("d", text), None);
        assert_eq!(query.get("b", text), Some("1".to_owned()));
        assert!(query.finish().is_ok());
    }

    #[test]
    fn repeated_and_undecodable_parameters_are_faults() {
        let mut query = Query::of("a=1&a=2&b=%FF&c=x%20y%zz+z&c%64=%00");
        assert_eq!(query.get("a", text), None);
        assert_eq!(query.get("b", text), None);
        assert_eq!(query.get("c", text), Some("x y%zz z".to_owned()));
        assert_eq!(query.get("cd", text), Some("\0".to_owned()));
        assert_eq!(faults(query), ["a must not be given more than once", "b must be UTF-8 text"]);
    }

    #[test]
    fn limit_above_the_maximum_is_reduced_and_a_wrong_one_is_a_fault() {
        for (sent, size) in [
            ("", 25),
            ("limit=1", 1),
            ("limit=100", 100),
            ("limit=101", 100),
            ("limit=99999999999999999999999999", 100),
        ] {
            let mut query = Query::of(sent);
            assert_eq!(query.page_size().get(), size, "{sent}");
            assert!(query.finish().is_ok());
        }
        for sent in ["limit=0", "limit=-1", "limit=1.5", "limit=ten", "limit=%2B5", "limit=0x10"] {
            let mut query = Query::of(sent);
            query.page_size();
            assert_eq!(faults(query), ["limit must be a whole number of at least 1"], "{sent}");
        }
    }

    #[test]
    fn too_large_offset_is_reduced_to_the_largest() {
        for sent in ["9223372036854775807", "9223372036854775808", "99999999999999999999"] {
            let mut query = Query::of(&format!("offset={sent}"));
            assert_eq!(query.offset(), 9_223_372_036_854_775_807);
            assert!(query.finish().is_ok());
        }
        for sent in ["offset=-1", "offset=1e3", "offset=%2B1", "offset=x"] {
            let mut query = Query::of(sent);
            query.offset();
            assert!(query.finish().is_err(), "{sent}");
        }
    }
}
