//! Corrects what annotations cannot express: every field of a resource is present, numbers are exact, some
//! texts are enums, and a page size has no upper bound.

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{Object, Schema, SchemaType, Type};
use utoipa::openapi::{Components, RefOr};

use super::enums::add_names;

/// Schemas in which every field is present, as `null` when it has no value.
const COMPLETE: [&str; 10] = [
    "Account", "Address", "ApiKeyInfo", "Contact", "Escalation", "Invoice", "InvoiceList", "InvoicedContact",
    "LineItem", "Payment",
];

/// Removes the formats of Rust types from page size and offset: numbers that are too large are reduced, not
/// refused.
pub(super) fn correct_page_parameters(operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && ["limit", "offset"].contains(&parameter.name.as_str())
            && let Some(RefOr::T(Schema::Object(number))) = &mut parameter.schema
        {
            number.format = None;
        }
    }
}

/// Corrects the schemas.
pub(super) fn correct_schemas(components: &mut Components) {
    for (name, schema) in &mut components.schemas {
        let RefOr::T(Schema::Object(object)) = schema else {
            continue;
        };
        if COMPLETE.contains(&name.as_str()) {
            object.required = object.properties.keys().cloned().collect();
        }
        for (field, property) in &mut object.properties {
            if let RefOr::T(Schema::Object(property)) = property {
                make_exact(property);
                add_names(name, field, property);
            }
        }
    }
}

/// Removes the float format: annotations know only floats for numbers with decimals, and no format says
/// exact.
fn make_exact(property: &mut Object) {
    let is_number = match &property.schema_type {
        SchemaType::Type(one) => *one == Type::Number,
        SchemaType::Array(several) => several.contains(&Type::Number),
        SchemaType::AnyValue => false,
    };
    if is_number {
        property.format = None;
    }
}
