//! The body of every error answer (contract, "Errors").

use idempotency::StoredResponse;
use kernel::FieldErrors;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::Code;
use crate::answer::{json_answer, to_bytes};

/// What every refusal and failure is answered with.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorAnswer<'a> {
    error: ErrorDetail,
    /// Only with `IDEMPOTENCY_KEY_REUSED`: the body that the key's first request was answered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = serde_json::Value, required = false)]
    original_response: Option<&'a RawValue>,
}

/// What went wrong.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorDetail {
    /// The stable code; decide by this.
    #[schema(schema_with = crate::openapi::codes)]
    code: &'static str,
    /// An explanation for people; its wording may change.
    message: String,
    /// Each faulty field, when a validation failed on fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    field_errors: Vec<FieldFault>,
}

/// A faulty field.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FieldError)]
pub(crate) struct FieldFault {
    /// The field's path, with dots and indexes; a parameter's or header's name.
    #[schema(example = "line_items.0.quantity")]
    field: String,
    /// What is wrong with it.
    #[schema(example = "must be above 0")]
    message: String,
}

impl ErrorAnswer<'_> {
    /// The body of a refusal.
    pub(crate) fn new(code: Code, message: &str, faults: &FieldErrors) -> Self {
        let field_errors = faults.iter().map(|fault| FieldFault {
            field: fault.field.clone(),
            message: fault.message.clone(),
        });
        Self {
            error: ErrorDetail {
                code: code.name(),
                message: message.to_owned(),
                field_errors: field_errors.collect(),
            },
            original_response: None,
        }
    }

    /// The body as JSON.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }
}

/// The answer to a key that was used with another body: it shows what the first request was answered, byte for byte.
pub(crate) fn key_reused(original: &StoredResponse) -> StoredResponse {
    let code = Code::IdempotencyKeyReused;
    let body = ErrorAnswer {
        original_response: serde_json::from_slice(&original.body).ok(),
        ..ErrorAnswer::new(code, code.message(), &FieldErrors::default())
    };
    json_answer(code.status(), &body)
}
