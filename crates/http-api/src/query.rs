//! Reading query parameters: every faulty one is named at once.

mod decode;

use std::fmt::Display;

use kernel::{FieldErrors, PageSize};

use crate::error::ApiError;

/// The parameters of a request. Unknown ones are passed over, an empty value is none, and a parameter that is given twice is a
/// fault, since nobody can know which one was meant.
#[derive(Debug)]
pub(crate) struct Query {
    pairs: Vec<(
        Result<String, decode::NotText>,
        Result<String, decode::NotText>,
    )>,
    faults: FieldErrors,
}

impl Query {
    /// Takes a query string apart.
    pub(crate) fn of(text: &str) -> Self {
        Self {
            pairs: decode::pairs(text).collect(),
            faults: FieldErrors::default(),
        }
    }

    /// A parameter that `parse` makes something of.
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
            (Err(decode::NotText), None) => "must be UTF-8 text".to_owned(),
            (Ok(text), None) if text.trim().is_empty() => return None,
            (Ok(text), None) => match parse(text) {
                Ok(value) => return Some(value),
                Err(fault) => fault.to_string(),
            },
        };
        self.faults.add(name, fault);
        None
    }

    /// A parameter that is not to be blank where it is given, since without it the request would mean something else.
    pub(crate) fn get_filled<T, E: Display>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let value = self.get(name, parse);
        let given = || {
            self.pairs
                .iter()
                .any(|(given, _)| given.as_deref() == Ok(name))
        };
        if value.is_none() && !self.faults.names(name) && given() {
            self.faults.add(name, "must not be empty");
        }
        value
    }

    /// `limit`: at least 1; above the largest page it is the largest page, however large it is.
    pub(crate) fn page_size(&mut self) -> PageSize {
        let size = self.get("limit", |text| {
            let text = text.trim();
            let whole = text.bytes().all(|byte| byte.is_ascii_digit());
            // More digits than fit are a large number all the same.
            let wish = text.parse().unwrap_or(u64::MAX);
            whole
                .then(|| PageSize::wish(wish))
                .flatten()
                .ok_or("must be a whole number of at least 1")
        });
        size.unwrap_or_default()
    }

    /// `offset`: 0 or more, and no more than a database can count.
    pub(crate) fn offset(&mut self) -> u64 {
        let offset = self.get("offset", |text| {
            let text = text.trim();
            let whole = text.bytes().all(|byte| byte.is_ascii_digit());
            let offset = text.parse::<i64>().ok().filter(|_| whole);
            offset
                .and_then(|offset| u64::try_from(offset).ok())
                .ok_or("must be a whole number of at least 0 and at most 9223372036854775807")
        });
        offset.unwrap_or(0)
    }

    /// Notes a fault that shows only when parameters are put together.
    pub(crate) fn note(&mut self, name: &str, message: impl Display) {
        self.faults.add(name, message);
    }

    /// Refuses the request if any parameter was faulty.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        self.faults.into_result().map_err(ApiError::invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(query: Query) -> Vec<String> {
        let named = query.faults.iter();
        named
            .map(|fault| format!("{} {}", fault.field, fault.message))
            .collect()
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
        assert_eq!(
            faults(query),
            ["a must not be given more than once", "b must be UTF-8 text"]
        );
    }

    #[test]
    fn a_huge_limit_is_the_largest_page_and_a_wrong_one_a_fault() {
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
        for sent in [
            "limit=0",
            "limit=-1",
            "limit=1.5",
            "limit=ten",
            "limit=%2B5",
            "limit=0x10",
        ] {
            let mut query = Query::of(sent);
            query.page_size();
            assert_eq!(
                faults(query),
                ["limit must be a whole number of at least 1"],
                "{sent}"
            );
        }
    }

    #[test]
    fn an_offset_is_what_a_database_can_count() {
        let mut query = Query::of("offset=9223372036854775807");
        assert_eq!(query.offset(), 9_223_372_036_854_775_807);
        assert!(query.finish().is_ok());
        for sent in [
            "offset=9223372036854775808",
            "offset=-1",
            "offset=1e3",
            "offset=%2B1",
        ] {
            let mut query = Query::of(sent);
            query.offset();
            assert!(query.finish().is_err(), "{sent}");
        }
    }
}
