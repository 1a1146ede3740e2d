//! The errors that an operation can return, with an example of each.

use std::collections::BTreeMap;

use http_server::{ApiError, ErrorCode};
use kernel::FieldErrors;
use utoipa::openapi::example::{Example, ExampleBuilder};
use utoipa::openapi::path::{self, HttpMethod};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use super::headers;
use super::idempotency_key::IDEMPOTENCY_KEY;
use crate::operation::Operation;

/// The errors of every operation.
const COMMON: [ErrorCode; 7] = [
    ErrorCode::ValidationError,
    ErrorCode::Unauthenticated,
    ErrorCode::InvalidApiKey,
    ErrorCode::HttpsRequired,
    ErrorCode::RateLimited,
    ErrorCode::InternalError,
    ErrorCode::ServiceUnavailable,
];

/// Adds the errors to the description of an operation, and the headers to each response.
pub(super) fn describe(described: &mut path::Operation, operation: &Operation) {
    let parameters = described.parameters.iter().flatten();
    let is_idempotent =
        parameters.clone().any(|one| matches!(one, RefOr::T(one) if one.name == IDEMPOTENCY_KEY));
    let mut by_status: BTreeMap<String, Vec<ErrorCode>> = BTreeMap::new();
    for code in codes(described, operation, is_idempotent) {
        let status = code.status().as_str().to_owned();
        by_status.entry(status).or_default().push(code);
    }
    let responses = &mut described.responses.responses;
    for (status, mut codes) in by_status {
        codes.sort_unstable();
        responses.insert(status, RefOr::T(response(operation, &codes)));
    }
    for (status, response) in responses {
        if let RefOr::T(response) = response {
            headers::put(response, status, is_idempotent);
        }
    }
}

/// The operation's own errors and those that follow from its key, method, body and headers.
fn codes(described: &path::Operation, operation: &Operation, is_idempotent: bool) -> Vec<ErrorCode> {
    let mut codes = COMMON.to_vec();
    codes.extend(operation.errors);
    codes.push(if operation.path.starts_with("/partner/") {
        ErrorCode::PartnerDisabled
    } else {
        ErrorCode::AccountDisabled
    });
    if operation.method != HttpMethod::Get {
        codes.extend([ErrorCode::PayloadTooLarge, ErrorCode::RequestTimeout]);
    }
    if described.request_body.is_some() {
        codes.push(ErrorCode::UnsupportedMediaType);
    }
    if is_idempotent {
        codes.extend([ErrorCode::IdempotencyKeyReused, ErrorCode::IdempotentReplayInFlight]);
    }
    codes
}

fn response(operation: &Operation, codes: &[ErrorCode]) -> Response {
    let names = codes.iter().map(|code| format!("`{}`", code.name()));
    let examples = codes.iter().map(|code| (code.name(), example(operation, *code)));
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Error")))
        .examples_from_iter(examples)
        .build();
    ResponseBuilder::new()
        .description(names.collect::<Vec<_>>().join(", "))
        .content("application/json", content)
        .build()
}

fn example(operation: &Operation, code: ErrorCode) -> Example {
    let not_found = ApiError::new(ErrorCode::NotFound, "there is no such record");
    let error = match code {
        ErrorCode::NotFound => not_found,
        ErrorCode::ValidationError => {
            let (field, message) = operation.faulty_field;
            ApiError::invalid(FieldErrors::one(field, message))
        }
        ErrorCode::IdempotencyKeyReused => ApiError::key_reused(&not_found.body()),
        _ => ApiError::plain(code),
    };
    ExampleBuilder::new().summary(code.name()).value(serde_json::from_slice(&error.body()).ok()).build()
}
