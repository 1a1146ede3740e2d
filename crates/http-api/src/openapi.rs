//! The OpenAPI document. Each operation is described beside its handler; these files assemble the document
//! and add what all operations share.

mod corrections;
pub(crate) mod document;
mod enums;
mod error_schema;
mod errors;
mod headers;
pub(crate) mod idempotency_key;
