//! What no annotation can say: every field of a resource is always present, no number is a float, and no page size is too large.

use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::{Object, Schema, SchemaType, Type};
use utoipa::openapi::{OpenApi, RefOr};

/// StoredResponses in which every field is present, `null` when there is nothing to say.
const COMPLETE: [&str; 10] = [
    "Account",
    "Address",
    "ApiKeyInfo",
    "Contact",
    "Escalation",
    "Invoice",
    "InvoiceList",
    "InvoicedContact",
    "LineItem",
    "Payment",
];

/// Marks every field of every resource as present, and every number as exact.
pub(super) fn complete(document: &mut OpenApi) {
    let Some(components) = &mut document.components else {
        return;
    };
    for (name, schema) in &mut components.schemas {
        let RefOr::T(Schema::Object(object)) = schema else {
            continue;
        };
        if COMPLETE.contains(&name.as_str()) {
            require_everything(object);
        }
        object.properties.values_mut().for_each(make_exact);
    }
    for (_, operation) in operations(document) {
        let parameters = operation.parameters.iter_mut().flatten();
        parameters.for_each(forget_width_of_page);
    }
}

/// Annotations give each whole number the bounds of a type, and a page's size has none: what is too large is cut.
fn forget_width_of_page(parameter: &mut RefOr<Parameter>) {
    if let RefOr::T(parameter) = parameter
        && parameter.name == "limit"
        && let Some(RefOr::T(Schema::Object(size))) = &mut parameter.schema
    {
        size.format = None;
    }
}

fn require_everything(object: &mut Object) {
    object.required = object.properties.keys().cloned().collect();
}

/// Annotations know floats alone for numbers with decimals; ours are exact, and no format of the document says so.
fn make_exact(property: &mut RefOr<Schema>) {
    let RefOr::T(Schema::Object(property)) = property else {
        return;
    };
    let is_number = match &property.schema_type {
        SchemaType::Type(one) => *one == Type::Number,
        SchemaType::Array(several) => several.contains(&Type::Number),
        SchemaType::AnyValue => false,
    };
    if is_number {
        property.format = None;
    }
}

/// Every operation with its path.
pub(super) fn operations(document: &mut OpenApi) -> impl Iterator<Item = (&str, &mut Operation)> {
    document.paths.paths.iter_mut().flat_map(|(path, item)| {
        let operations = [
            item.get.as_mut(),
            item.put.as_mut(),
            item.post.as_mut(),
            item.patch.as_mut(),
            item.delete.as_mut(),
        ];
        operations
            .into_iter()
            .flatten()
            .map(|operation| (path.as_str(), operation))
    })
}
