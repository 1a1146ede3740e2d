//! Corrections of what annotations cannot express: every field of a resource is present, numbers are exact,
//! and a page size has no upper bound.

use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::{Object, Schema, SchemaType, Type};
use utoipa::openapi::{OpenApi, RefOr};

/// Schemas whose every field is present, `null` when it has no value.
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

/// Corrects the document.
pub(super) fn apply(document: &mut OpenApi) {
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
    for operation in operations(document) {
        let parameters = operation.parameters.iter_mut().flatten();
        parameters.for_each(remove_page_size_format);
    }
}

/// Annotations give each integer the format of a Rust type; a page size above the maximum is reduced instead
/// of refused.
fn remove_page_size_format(parameter: &mut RefOr<Parameter>) {
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

/// Annotations know only floats for numbers with decimals. These are exact, for which there is no format.
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

fn operations(document: &mut OpenApi) -> impl Iterator<Item = &mut Operation> {
    document.paths.paths.values_mut().flat_map(|item| {
        let operations = [
            item.get.as_mut(),
            item.put.as_mut(),
            item.post.as_mut(),
            item.patch.as_mut(),
            item.delete.as_mut(),
        ];
        operations.into_iter().flatten()
    })
}
