//! Reading bodies: every faulty field is found at once and named by its path.
//!
//! A body goes through three gates: it is JSON in UTF-8, it is not nested absurdly deep, it is an object. Its fields stay
//! raw JSON text until a [`FieldReader`] turns each into what the domain takes, noting what cannot be.

mod fields;
mod object;
mod sent;

use idempotency::json;
use kernel::FieldErrors;
use serde::de::DeserializeOwned;

pub(crate) use fields::FieldReader;
pub(crate) use sent::Sent;

use crate::error::{ApiError, Code};

/// Reads a request's body: `read` turns the fields into what the use case takes. The faults that were found on the way go to
/// the use case too, whose rules add their own.
pub(crate) fn read<B: DeserializeOwned, T>(
    body: &[u8],
    read: impl FnOnce(&B, &mut FieldReader) -> T,
) -> Result<(T, FieldErrors), ApiError> {
    let refuse = |message: &str| ApiError::new(Code::ValidationError, message);
    let text =
        std::str::from_utf8(body).map_err(|_not_text| refuse("the body is not JSON in UTF-8"))?;
    if json::is_too_deep(text) {
        let most = json::DEEPEST;
        let message = format!("the body is nested more than {most} levels deep");
        return Err(refuse(&message));
    }
    let raw = serde_json::from_str::<&serde_json::value::RawValue>(text)
        .map_err(|_not_json| refuse("the body is not JSON"))?;
    if !raw.get().starts_with('{') {
        return Err(refuse("the body must be a JSON object"));
    }
    let mut reader = FieldReader::default();
    let fields = object::fields(raw, &mut reader)
        .map_err(|_bad_name| refuse("a field name in the body is not valid Unicode"))?;
    let read = read(&fields, &mut reader);
    Ok((read, reader.into_faults()))
}

#[cfg(test)]
mod tests;
