//! The body of every error answer (contract, "Errors").

use kernel::FieldErrors;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error_code::ErrorCode;

#[derive(Debug, Serialize)]
pub(crate) struct ErrorBody<'a> {
    error: ErrorDetail<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) original_response: Option<&'a RawValue>,
}

#[derive(Debug, Serialize)]
struct ErrorDetail<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    field_errors: Vec<FieldErrorBody<'a>>,
}

#[derive(Debug, Serialize)]
struct FieldErrorBody<'a> {
    field: &'a str,
    message: &'a str,
}

impl<'a> ErrorBody<'a> {
    pub(crate) fn new(code: ErrorCode, message: &'a str, faults: &'a FieldErrors) -> Self {
        let field_errors =
            faults.iter().map(|fault| FieldErrorBody { field: &fault.field, message: &fault.message });
        Self {
            error: ErrorDetail { code: code.name(), message, field_errors: field_errors.collect() },
            original_response: None,
        }
    }
}
