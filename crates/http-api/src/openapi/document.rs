//! Assembles the document from the operations.

use utoipa::OpenApi as _;
use utoipa::openapi::path::{self, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{OpenApi, RefOr, Required};

use super::error_schema::ErrorResponse;
use super::{corrections, errors, headers};
use crate::operation::Operation;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Countinghouse",
        description = include_str!("description.md"),
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/api/v1", description = "This service")),
    components(schemas(ErrorResponse)),
    tags(
        (name = "Invoices", description = "Raise, amend, send, cancel and read invoices. Needs an account key."),
        (name = "Contacts", description = "The people and companies invoiced. Needs an account key."),
        (name = "Escalations", description = "Customers who need a person; to be read. Needs an account key."),
        (name = "Partner accounts", description = "Accounts that a partner keeps for its customers. Needs a partner key."),
    )
)]
struct Document;

/// What the operations under a path share: the prefix of the path, the tag, the kind of key, and the
/// description of `{id}`.
const SHARED: [(&str, &str, &str, &str); 4] = [
    ("/invoices", "Invoices", "account_key", "The invoice's id"),
    ("/contacts", "Contacts", "account_key", "The contact's id"),
    ("/escalations", "Escalations", "account_key", "The escalation's id"),
    ("/partner/accounts", "Partner accounts", "partner_key", "The account's id"),
];

/// Describes the operations and what they refer to.
pub(crate) fn build(operations: impl Iterator<Item = Operation>) -> OpenApi {
    let mut document = Document::openapi();
    let components = document.components.get_or_insert_default();
    for (name, description) in [
        ("account_key", "An account's key: `ct_live_` and 32 letters and digits."),
        ("partner_key", "A partner's key: `ct_partner_` and 32 letters and digits."),
    ] {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description)).build();
        components.add_security_scheme(name, SecurityScheme::Http(scheme));
    }
    headers::describe(components);
    let mut schemas = Vec::new();
    for operation in operations {
        let mut described = (operation.describe)();
        describe_shared(&mut described, &operation.path);
        errors::describe(&mut described, &operation);
        corrections::correct_page_parameters(&mut described);
        (operation.schemas)(&mut schemas);
        document.paths.add_path_operation(operation.path, vec![operation.method], described);
    }
    components.schemas.extend(schemas);
    corrections::correct_schemas(components);
    document
}

/// Adds what follows from the path of an operation.
fn describe_shared(described: &mut path::Operation, path: &str) {
    let Some((_, tag, key, id)) = SHARED.into_iter().find(|(beginning, ..)| path.starts_with(beginning))
    else {
        return;
    };
    described.tags = Some(vec![tag.to_owned()]);
    described.security = Some(vec![SecurityRequirement::new(key, Vec::<String>::new())]);
    if path.contains("{id}") {
        described.parameters.get_or_insert_default().push(RefOr::T(id_parameter(id)));
    }
}

fn id_parameter(description: &str) -> Parameter {
    let uuid = SchemaFormat::KnownFormat(KnownFormat::Uuid);
    ParameterBuilder::new()
        .name("id")
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).format(Some(uuid)).build()))
        .build()
}
