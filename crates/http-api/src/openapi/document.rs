//! The document, made of the operations.

use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;

use super::error_schema::ErrorAnswer;
use super::{corrections, errors, headers, security};
use crate::operation::Operation;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Countinghouse",
        description = include_str!("description.md"),
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/api/v1", description = "This service")),
    components(schemas(ErrorAnswer)),
    tags(
        (name = "Invoices", description = "Raise, amend, send, cancel and read invoices. Needs an account key."),
        (name = "Contacts", description = "The people and companies invoiced. Needs an account key."),
        (name = "Escalations", description = "Customers who need a person; to be read. Needs an account key."),
        (name = "Partner accounts", description = "Accounts that a partner keeps for its customers. Needs a partner key."),
    )
)]
struct Document;

/// Describes the operations and what they refer to.
pub(crate) fn build(operations: impl Iterator<Item = Operation>) -> OpenApi {
    let mut document = Document::openapi();
    security::describe(&mut document);
    headers::describe(&mut document);
    for operation in operations {
        let mut described = (operation.describe)();
        errors::describe(&mut described, &operation);
        let components = document.components.get_or_insert_default();
        components.schemas.extend((operation.schemas)());
        let methods = vec![operation.method];
        let path = operation.path;
        document.paths.add_path_operation(path, methods, described);
    }
    corrections::apply(&mut document);
    document
}
