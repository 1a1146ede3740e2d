//! Every error that each operation can answer, with an example of each.

use std::collections::BTreeMap;

use idempotency::StoredResponse;
use kernel::FieldErrors;
use kernel::clock::NOT_A_DATE;
use utoipa::openapi::example::{Example, ExampleBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};

use super::completion::operations;
use super::headers;
use crate::error::{Code, ErrorAnswer, key_reused};
use crate::routes::{contacts, escalations, invoices, partner_accounts};

/// What an operation can refuse besides what all do, as it stands beside its handler.
fn own_refusals(operation: &str) -> &'static [Code] {
    match operation {
        "createInvoice" => &invoices::create::ERRORS,
        "listInvoices" => &invoices::list::ERRORS,
        "getInvoice" => &invoices::get::ERRORS,
        "amendInvoice" => &invoices::amend::ERRORS,
        "cancelInvoice" => &invoices::cancel::ERRORS,
        "getInvoicePdf" => &invoices::pdf::ERRORS,
        "findOrCreateContact" => &contacts::create::ERRORS,
        "lookUpContact" => &contacts::look_up::ERRORS,
        "getContact" => &contacts::get::ERRORS,
        "getEscalation" => &escalations::get::ERRORS,
        "createAccount" => &partner_accounts::create::ERRORS,
        "listAccounts" => &partner_accounts::list::ERRORS,
        "getAccount" => &partner_accounts::get::ERRORS,
        "amendAccount" => &partner_accounts::amend::ERRORS,
        "deactivateAccount" => &partner_accounts::deactivate::ERRORS,
        "rotateAccountKey" => &partner_accounts::rotate_key::ERRORS,
        _ => &[],
    }
}

/// What every operation can refuse.
const COMMON: [Code; 6] = [
    Code::Unauthenticated,
    Code::InvalidApiKey,
    Code::HttpsRequired,
    Code::RateLimited,
    Code::InternalError,
    Code::ServiceUnavailable,
];

/// Adds the errors to each operation.
pub(super) fn describe(document: &mut OpenApi) {
    for (path, operation) in operations(document) {
        let switched_off = if path.starts_with("/partner/") {
            Code::PartnerDisabled
        } else {
            Code::AccountDisabled
        };
        let own = own_refusals(operation.operation_id.as_deref().unwrap_or_default());
        let mut by_status: BTreeMap<String, Vec<Code>> = BTreeMap::new();
        // Whatever reads a body waits for it only so long.
        let late = own
            .contains(&Code::PayloadTooLarge)
            .then_some(&Code::RequestTimeout);
        let others = [&switched_off].into_iter().chain(late);
        for code in COMMON.iter().chain(own).chain(others) {
            let status = code.status().as_str().to_owned();
            by_status.entry(status).or_default().push(*code);
        }
        for (status, mut codes) in by_status {
            codes.sort_unstable();
            let response = RefOr::T(refusal(operation, &codes));
            operation.responses.responses.insert(status, response);
        }
        let honours_keys = own.contains(&Code::IdempotencyKeyReused);
        put_headers(operation, honours_keys);
    }
}

fn put_headers(operation: &mut Operation, honours_keys: bool) {
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response {
            headers::put(response, status, honours_keys);
        }
    }
}

fn refusal(operation: &Operation, codes: &[Code]) -> Response {
    let names: Vec<_> = codes
        .iter()
        .map(|code| format!("`{}`", code.name()))
        .collect();
    let examples = codes
        .iter()
        .map(|code| (code.name(), example(operation, *code)));
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Error")))
        .examples_from_iter(examples)
        .build();
    ResponseBuilder::new()
        .description(names.join(", "))
        .content("application/json", content)
        .build()
}

/// A fault that each operation can name.
fn fault_of(operation: &Operation) -> FieldErrors {
    let (field, message) = match operation.operation_id.as_deref().unwrap_or_default() {
        "createInvoice" | "amendInvoice" => ("line_items.0.quantity", "must be above 0"),
        "listInvoices" => ("date_from", NOT_A_DATE),
        "lookUpContact" => ("email", "email or external_id is required"),
        "findOrCreateContact" => ("name", "is required to create a contact"),
        "createAccount" => ("company_name", "is required"),
        "amendAccount" => ("email", "cannot be changed"),
        "listAccounts" => ("limit", "must be a whole number of at least 1"),
        _ => ("id", "must be a UUID"),
    };
    FieldErrors::one(field, message)
}

fn example(operation: &Operation, code: Code) -> Example {
    let none = FieldErrors::default();
    let no_record = ErrorAnswer::new(Code::NotFound, "there is no such record", &none);
    let body = match code {
        Code::NotFound => no_record.to_bytes(),
        Code::ValidationError => {
            ErrorAnswer::new(code, code.message(), &fault_of(operation)).to_bytes()
        }
        Code::IdempotencyKeyReused => {
            let first = StoredResponse {
                status: Code::NotFound.status().as_u16(),
                body: no_record.to_bytes(),
            };
            key_reused(&first).body
        }
        _ => ErrorAnswer::new(code, code.message(), &none).to_bytes(),
    };
    ExampleBuilder::new()
        .summary(code.name())
        .value(serde_json::from_slice(&body).ok())
        .build()
}
