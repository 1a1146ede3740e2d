//! The `Idempotency-Key` header.

use utoipa::IntoParams;

/// The name of the header.
pub(super) const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// The header with which a repeated request is carried out once.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes the header and never holds it")]
pub(crate) struct IdempotencyKeyHeader {
    /// A unique value of 1 to 255 printable ASCII characters, typically a UUID. A repetition with the same
    /// body gets the first response again, with `Idempotency-Replayed: true`. Responses with a status below
    /// 500 are kept for at least 24 hours. A contact that was erased meanwhile is shown without its data.
    #[param(
        rename = "Idempotency-Key",
        required = false,
        min_length = 1,
        max_length = 255,
        pattern = "^[!-~]([ -~]*[!-~])?$"
    )]
    idempotency_key: String,
}
