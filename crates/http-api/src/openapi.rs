//! The OpenAPI document: each operation's part stands beside its handler; here they are put together and completed with what
//! all of them share.

mod completion;
mod errors;
mod headers;
pub(crate) mod names;
mod security;

use utoipa::{IntoParams, OpenApi as _};

pub(crate) use names::codes;

use crate::error::ErrorAnswer;
use crate::routes::{contacts, escalations, invoices, partner_accounts};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Countinghouse",
        description = include_str!("openapi/description.md"),
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/api/v1", description = "This service")),
    paths(
        invoices::create::create,
        invoices::list::list,
        invoices::get::get,
        invoices::amend::amend,
        invoices::cancel::cancel,
        invoices::pdf::pdf,
        contacts::create::create,
        contacts::look_up::look_up,
        contacts::get::get,
        escalations::get::get,
        partner_accounts::create::create,
        partner_accounts::list::list,
        partner_accounts::get::get,
        partner_accounts::amend::amend,
        partner_accounts::deactivate::deactivate,
        partner_accounts::rotate_key::rotate_key,
    ),
    components(schemas(ErrorAnswer)),
    tags(
        (name = "Invoices", description = "Raise, amend, send, cancel and read invoices. Needs an account key."),
        (name = "Contacts", description = "The people and companies invoiced. Needs an account key."),
        (name = "Escalations", description = "Customers who need a person; to be read. Needs an account key."),
        (name = "Partner accounts", description = "Accounts that a partner keeps for its customers. Needs a partner key."),
    )
)]
struct Document;

/// The header under which a repeated request is done once.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes the header and never holds it")]
pub(crate) struct IdempotencyKeyHeader {
    /// A unique value of 1 to 255 printable ASCII characters, typically a UUID. A repetition with the same body gets the first
    /// answer again, with `Idempotency-Replayed: true`. StoredResponses below 500 are kept for at least 24 hours.
    #[param(
        rename = "Idempotency-Key",
        required = false,
        min_length = 1,
        max_length = 255,
        pattern = "^[!-~]([ -~]*[!-~])?$"
    )]
    idempotency_key: String,
}

/// The OpenAPI document of the whole API.
#[must_use]
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = Document::openapi();
    security::describe(&mut document);
    headers::describe(&mut document);
    errors::describe(&mut document);
    completion::complete(&mut document);
    document
}

/// The document as indented JSON, in an order that does not change from call to call, with a line break at its end.
#[must_use]
pub fn openapi_json() -> String {
    let json = serde_json::to_string_pretty(&openapi());
    let mut text = json
        .inspect_err(|error| tracing::error!(%error, "the OpenAPI document has no JSON form"))
        .unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests;
