//! The body of error responses as the document describes it. `http_server::ApiError` writes it.

use http_server::ErrorCode;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// The body of every error.
#[derive(ToSchema)]
#[schema(as = Error)]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(super) struct ErrorResponse {
    error: ErrorDetail,
    /// Only with `IDEMPOTENCY_KEY_REUSED`: the response body of the key's first request.
    #[schema(value_type = serde_json::Value, required = false)]
    original_response: Option<serde_json::Value>,
}

/// What went wrong.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(super) struct ErrorDetail {
    /// The stable code; base decisions on it.
    #[schema(schema_with = code)]
    code: &'static str,
    /// An explanation for people; its wording may change.
    message: String,
    /// The faulty fields, when validation failed on fields.
    #[schema(required = false)]
    field_errors: Vec<FieldFault>,
}

/// A faulty field.
#[derive(ToSchema)]
#[schema(as = FieldError)]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(super) struct FieldFault {
    /// The path of the field, with dots and indexes, or the name of the parameter or header.
    #[schema(example = "line_items.0.quantity")]
    field: String,
    /// What is wrong with the field.
    #[schema(example = "must be above 0")]
    message: String,
}

/// The codes. New ones may be added, so it is not declared as an enum.
fn code() -> Object {
    let names: Vec<_> =
        ErrorCode::ALL.iter().filter(|code| code.is_of_the_api()).map(|code| code.name()).collect();
    let names = names.join("`, `");
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(format!("The stable code; decide by this. One of `{names}`.")))
        .examples([ErrorCode::ValidationError.name()])
        .build()
}
