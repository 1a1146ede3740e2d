//! What no annotation can say: every field of a resource is always present.

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{Object, Schema};
use utoipa::openapi::{OpenApi, RefOr};

/// Answers in which every field is present, `null` when there is nothing to say.
const COMPLETE: [&str; 9] = [
    "Account",
    "Address",
    "ApiKeyInfo",
    "Contact",
    "Invoice",
    "InvoiceList",
    "InvoicedContact",
    "LineItem",
    "Payment",
];

/// Marks every field of every resource as present.
pub(super) fn complete(document: &mut OpenApi) {
    let Some(components) = &mut document.components else {
        return;
    };
    for (name, schema) in &mut components.schemas {
        if let RefOr::T(Schema::Object(object)) = schema
            && COMPLETE.contains(&name.as_str())
        {
            require_everything(object);
        }
    }
}

fn require_everything(object: &mut Object) {
    object.required = object.properties.keys().cloned().collect();
}

/// Every operation with its path.
pub(super) fn operations(document: &mut OpenApi) -> impl Iterator<Item = (&str, &mut Operation)> {
    document.paths.paths.iter_mut().flat_map(|(path, item)| {
        let operations = [item.get.as_mut(), item.put.as_mut(), item.post.as_mut()];
        operations
            .into_iter()
            .flatten()
            .map(|operation| (path.as_str(), operation))
    })
}
