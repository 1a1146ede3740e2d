//! Reads request bodies: all faulty fields are reported together, each named by its path.
//!
//! A body must be a JSON object in UTF-8, not nested too deep. Its fields stay raw JSON text until a
//! [`FieldReader`] converts each into a domain type and records the faulty ones.

mod field_reader;

use http_server::{ApiError, ErrorCode};
use idempotency::json;
use kernel::FieldErrors;
use serde_json::value::RawValue;

pub(crate) use field_reader::FieldReader;

/// Reads a request's body: `read` converts the fields into the input of the use case. The faults are returned
/// too, since the rules of the use case add their own.
pub(crate) fn read<T>(
    body: &[u8],
    read: impl FnOnce(&mut FieldReader<'_>) -> T,
) -> Result<(T, FieldErrors), ApiError> {
    let invalid = |message: &str| ApiError::new(ErrorCode::ValidationError, message);
    let text = std::str::from_utf8(body).map_err(|_not_text| invalid("the body is not JSON in UTF-8"))?;
    if json::is_too_deep(text) {
        let max = json::DEEPEST;
        return Err(invalid(&format!("the body is nested more than {max} levels deep")));
    }
    let raw: &RawValue = serde_json::from_str(text).map_err(|_not_json| invalid("the body is not JSON"))?;
    if !raw.get().starts_with('{') {
        return Err(invalid("the body must be a JSON object"));
    }
    let mut reader =
        FieldReader::of(raw).map_err(|_bad_name| invalid("a field name in the body is not valid Unicode"))?;
    Ok((read(&mut reader), reader.into_faults()))
}

#[cfg(test)]
mod tests;
